/*
 * Contact of the sheet with itself as the response of a method's step (cloth_method.self of examples/methods): a towel
 * that folds onto itself, by schemes, laws and solvers, its intersections counted in doubles; momentum, refusals. `make
 * methods` prints it.
 *
 * Includes the source: it is looked at from inside.
 */
#include "../examples/methods/methods.c"

#include "intersections.h"
#include "method_rows.h"
#include "method_sheets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A sheet of the fabric of all scenes, on nothing. */
static cloth_config sheet_config(int columns, int rows, double wide, double high) {
  cloth_config config = bare_config(columns, rows);
  config.origin = vector_at(-0.5 * wide, high + 0.01, 0.0);
  config.edge_warp = vector_at(wide, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, -high, 0.0);
  config.fabric.density = 0.3f;
  config.fabric.stretch_warp = config.fabric.stretch_weft = 400.0f;
  config.fabric.shear = 200.0f;
  config.fabric.compression = config.fabric.shear_compression = 1.0f;
  config.fabric.bend = 2e-4f;
  config.fabric.stretch_damping = config.fabric.shear_damping = 0.02f;
  config.fabric.bend_damping = 0.01f;
  config.substeps = 4;
  return config;
}

static cloth_method_report advance_by(cloth *sheet, const cloth_method *method, double dt, const char *name) {
  cloth_method_report report;
  memset(&report, 0, sizeof report);
  const int result = cloth_method_step(sheet, method, (float)dt, memory, sizeof memory, &report);
  CHECK(result >= 0, "%s: %d, %s", name, result, cloth_method_explain(sheet, method));
  if (result < 0) exit(check_report());
  return report;
}

static void add_ground(cloth *sheet) {
  cloth_collider ground = cloth_collider_default();
  ground.shape = CLOTH_SHAPE_PLANE;
  ground.static_friction = ground.kinetic_friction = 0.5f;
  CHECK(cloth_add_collider(sheet, &ground) >= 0, "no ground");
}

/// A towel that folds ///

enum { WIDE = 8, LONG = 25, FRAMES = 60 };

typedef struct towel_case {
  const char *name;
  int material, bending, scheme, solver, contact;
  float repulsion;
} towel_case;

/* A towel of .28 x .96 m that stands on the ground, nearly straight, and falls onto itself. */
static cloth *open_towel(const towel_case *k, cloth_config *config) {
  *config = sheet_config(WIDE, LONG, 0.28, 0.96);
  config->integration.velocity_damping = 0.5f;
  config->substeps = config->integration.max_substeps = k->scheme == CLOTH_SCHEME_EXPLICIT ? 40 : 4;
  cloth *sheet = open_sheet(config);
  add_ground(sheet);
  for (int i = 0; i < sheet->count; i++) { /* a slight S, a little crooked */
    point p = position_of(sheet, i);
    const double up = (double)(i / WIDE) / (LONG - 1);
    p.z += 0.01 * sin(9.0 * up) + 0.003 * (i % WIDE) * up;
    cloth_set_particle(sheet, i, vector_of(p), vector_at(0.0, 0.0, 0.0));
  }
  return sheet;
}

static cloth_method towel_method(const towel_case *k) {
  cloth_method method = cloth_method_default();
  method.material = k->material;
  method.bending = k->bending;
  method.scheme = k->scheme;
  method.solver = k->solver;
  method.contact = k->contact;
  method.repulsion = k->repulsion;
  method.iterations = k->solver == CLOTH_SOLVER_SWEEPS ? 30 : 100;
  method.lambda = 200.0f;
  method.mu = 100.0f;
  return method;
}

typedef struct towel_result {
  int frames, most;      /* frames with intersections, and the most of them */
  double stretch, speed; /* the largest of all frames [1]; root mean square at the end [m/s] */
  cloth_method_report sum;
} towel_result;

static void add_report(cloth_method_report *sum, const cloth_method_report *r) {
  sum->touches += r->touches;
  sum->zones += r->zones;
  sum->largest_zone = r->largest_zone > sum->largest_zone ? r->largest_zone : sum->largest_zone;
  sum->stops += r->stops;
  sum->pairs_dropped += r->pairs_dropped;
}

static double mean_speed(const cloth *sheet) {
  const vector_array v = vectors_at(sheet, sheet->state.velocity);
  double sum = 0.0;
  for (int i = 0; i < sheet->count; i++)
    sum += pow(point_length(point_of(vector_load(v, i))), 2.0);
  return sqrt(sum / sheet->count);
}

static towel_result fold_towel(const towel_case *k, int self) {
  towel_result seen;
  cloth_config config;
  cloth_method method = towel_method(k);
  cloth *sheet = open_towel(k, &config);
  mesh m = mesh_make(1, &sheet, &config);
  memset(&seen, 0, sizeof seen);
  method.self = self;
  for (int frame = 0; frame < FRAMES; frame++) {
    cloth_measures measures;
    const cloth_method_report report = advance_by(sheet, &method, 1.0 / 60.0, k->name);
    const int found = count_intersections(&m);
    add_report(&seen.sum, &report);
    seen.frames += found > 0;
    seen.most = found > seen.most ? found : seen.most;
    memset(&measures, 0, sizeof measures);
    cloth_measure(sheet, &measures);
    seen.stretch = fmax(seen.stretch, (double)measures.max_stretch);
  }
  seen.speed = mean_speed(sheet);
  mesh_free(&m);
  return seen;
}

static void check_towel(const towel_case *k) {
  const towel_result without = fold_towel(k, CLOTH_SELF_NONE), with = fold_towel(k, CLOTH_SELF_IMPULSES);
  char what[80];
  snprintf(what, sizeof what, "towel, %s: frames of %d with intersections", k->name, FRAMES);
  method_within("19 response", what, 0, with.frames, 0);
  printf(
      "%-11s   without: %d frames, up to %d; stretch at most %.3f, with impulses %.3f; at the end %.3f and %.3f m/s;\n"
      "%-11s   %d impulses, %d zones of at most %d particles, %d times the whole sheet, %d pairs dropped\n",
      "", without.frames, without.most, without.stretch, with.stretch, without.speed, with.speed, "", with.sum.touches,
      with.sum.zones, with.sum.largest_zone, with.sum.stops, with.sum.pairs_dropped);
  CHECK(without.frames > 20 && without.most > 50, "%s: %d frames, %d without a response", k->name, without.frames,
        without.most);
  CHECK(with.sum.touches > 20, "%s: %d impulses", k->name, with.sum.touches);
  CHECK(with.stretch < 0.3 && with.speed < 0.3, "%s: stretch %g, %g m/s", k->name, with.stretch, with.speed);
}

static void test_towel(void) {
  static const towel_case k = {"BDF2, trisprings",
                               CLOTH_MATERIAL_TRISPRINGS,
                               CLOTH_BENDING_QUADRATIC,
                               CLOTH_SCHEME_BDF2,
                               CLOTH_SOLVER_GRADIENTS,
                               CLOTH_CONTACT_PROJECTION,
                               0.0f};
  check_towel(&k);
}

static void test_schemes_and_laws(void) {
  static const towel_case cases[] = {
      {"Euler", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_QUADRATIC, CLOTH_SCHEME_EULER, CLOTH_SOLVER_GRADIENTS, 0, 0.0f},
      {"components", CLOTH_MATERIAL_UNPROJECTED, CLOTH_BENDING_SPRINGS, CLOTH_SCHEME_EULER, CLOTH_SOLVER_COMPONENTS, 0,
       0.0f},
      {"explicit", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_QUADRATIC, CLOTH_SCHEME_EXPLICIT, CLOTH_SOLVER_GRADIENTS, 0,
       0.0f},
      {"IMEX2", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_PLANE, CLOTH_SCHEME_IMEX2, CLOTH_SOLVER_GRADIENTS, 0, 0.0f},
      {"conditions", CLOTH_MATERIAL_CONDITIONS, CLOTH_BENDING_HINGE, CLOTH_SCHEME_EULER, CLOTH_SOLVER_GRADIENTS, 0,
       0.0f},
      {"nonlinear", CLOTH_MATERIAL_TRISPRINGS, CLOTH_BENDING_PLANE, CLOTH_SCHEME_EULER, CLOTH_SOLVER_NONLINEAR, 0,
       0.0f},
      {"sweeps", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_QUADRATIC, CLOTH_SCHEME_EULER, CLOTH_SOLVER_SWEEPS, 0, 0.0f},
      {"in solver", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_QUADRATIC, CLOTH_SCHEME_BDF2, CLOTH_SOLVER_GRADIENTS,
       CLOTH_CONTACT_SOLVER, 0.0f},
      {"repulsion", CLOTH_MATERIAL_SPRINGS, CLOTH_BENDING_QUADRATIC, CLOTH_SCHEME_EULER, CLOTH_SOLVER_GRADIENTS, 0,
       0.02f},
  };
  for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++)
    check_towel(&cases[n]);
}

/// A sheet dropped folded ///

/* A sheet of 32 x 32 with its further half above the nearer, 3 cm higher, which falls by 5 cm: 600 steps of 1/240 s. */
static void test_folded_sheet(void) {
  enum { SIDE = 32, STEPS = 600 };
  cloth_config config = sheet_config(SIDE, SIDE, 1.0, 1.0);
  config.substeps = 1;
  cloth_method method = cloth_method_default();
  cloth *sheet = open_sheet(&config);
  mesh m = mesh_make(1, &sheet, &config);
  cloth_method_report sum;
  int crossing = 0;
  memset(&sum, 0, sizeof sum);
  add_ground(sheet);
  method.self = CLOTH_SELF_IMPULSES;
  const double spacing = 1.0 / (SIDE - 1);
  for (int i = 0; i < sheet->count; i++) {
    const int row = i / SIDE, is_above = row >= SIDE / 2;
    const point p = {spacing * (i % SIDE) + (is_above ? 0.4 * spacing : 0.0), is_above ? 0.08 : 0.05,
                     spacing * (is_above ? SIDE - 1 - row : row)};
    cloth_set_particle(sheet, i, vector_of(p), vector_at(0.0, 0.0, 0.0));
  }
  for (int n = 0; n < STEPS; n++) {
    const cloth_method_report report = advance_by(sheet, &method, 1.0 / 240.0, "folded");
    add_report(&sum, &report);
    crossing += n % 5 == 4 && count_intersections(&m) > 0;
  }
  method_within("19 response", "32^2 dropped folded, 600 steps: of 120 counts with intersections", 0, crossing, 0);
  printf("%-11s   %d impulses, %d zones, %d pairs dropped; %.3f m/s at the end\n", "", sum.touches, sum.zones,
         sum.pairs_dropped, mean_speed(sheet));
  CHECK(sum.touches > 1000, "%d impulses", sum.touches);
  mesh_free(&m);
}

/// Momentum ///

/* Velocity and place of the centre of mass. */
static void find_centre(const cloth *sheet, point *place, point *velocity) {
  const vector_array v = vectors_at(sheet, sheet->state.velocity);
  const point zero = {0.0, 0.0, 0.0};
  *place = *velocity = zero;
  for (int i = 0; i < sheet->count; i++) {
    *place = point_sum(*place, point_scaled(position_of(sheet, i), 1.0 / sheet->count));
    *velocity = point_sum(*velocity, point_scaled(point_of(vector_load(v, i)), 1.0 / sheet->count));
  }
}

/* Mean square of the velocities across the layers [m^2/s^2]. */
static double square_across(const cloth *sheet) {
  const vector_array v = vectors_at(sheet, sheet->state.velocity);
  double sum = 0.0;
  for (int i = 0; i < sheet->count; i++)
    sum += (double)v.y[i] * (double)v.y[i] / sheet->count;
  return sum;
}

/* A sheet whose further half lies above the nearer by 4 cm. They fly against each other at 4 m/s. */
static cloth *open_halves(const cloth_config *config) {
  cloth *sheet = open_sheet(config);
  for (int i = 0; i < sheet->count; i++) {
    const int row = i / 10, is_above = row >= 10;
    const point p = {0.04 * (i % 10) + (is_above ? 0.017 : 0.0), (is_above ? 0.02 : -0.02) + 0.002 * sin(0.8 * i),
                     0.04 * (is_above ? 19 - row : row) + (is_above ? 0.011 : 0.0)};
    cloth_set_particle(sheet, i, vector_of(p), vector_at(0.3, is_above ? -2.0 : 2.0, 0.1));
  }
  return sheet;
}

/* A sheet without stiffness in free flight, whose halves meet at 4 m/s: they stop each other, and their centre flies on
   evenly, whatever the history of the scheme. Returns the speed across the layers that is left, over that before. */
static double check_flight(int scheme, const char *name) {
  cloth_config config = sheet_config(10, 20, 0.36, 0.76);
  point start, rate, end, end_rate;
  config.gravity = vector_at(0.0, 0.0, 0.0);
  config.fabric.stretch_warp = config.fabric.stretch_weft = config.fabric.shear = 1e-3f;
  config.fabric.stretch_damping = config.fabric.shear_damping = config.fabric.bend = 0.0f;
  cloth *sheet = open_halves(&config);
  cloth_method method = cloth_method_default();
  cloth_method_report sum;
  int crossing = 0;
  mesh m = mesh_make(1, &sheet, &config);
  char what[80];
  memset(&sum, 0, sizeof sum);
  method.scheme = scheme;
  method.self = CLOTH_SELF_IMPULSES;
  find_centre(sheet, &start, &rate);
  for (int n = 0; n < 20; n++) {
    const cloth_method_report report = advance_by(sheet, &method, 1.0 / 240.0, name);
    add_report(&sum, &report);
    crossing += count_intersections(&m);
  }
  find_centre(sheet, &end, &end_rate);
  const double mass = 0.3 * 0.36 * 0.76;
  const point off = point_difference(end, point_sum(start, point_scaled(rate, 20.0 / 240.0)));
  snprintf(what, sizeof what, "halves meet at 4 m/s, %s: change of the momentum [N s]", name);
  method_at_most("19 response", what, 1e-5, mass * point_length(point_difference(end_rate, rate)), 1);
  method_at_most("19 response", "the same: centre of mass off its way [m]", 1e-5, point_length(off), 1);
  CHECK(sum.touches > 100 && crossing == 0, "%s: %d impulses, %d intersections", name, sum.touches, crossing);
  mesh_free(&m);
  return sqrt(square_across(sheet)) / 2.0;
}

static void test_momentum(void) {
  const double euler = check_flight(CLOTH_SCHEME_EULER, "Euler");
  CHECK(euler < 0.5, "%g of the speed is left", euler);
  method_relative("19 response", "the same, BDF2: speed left across the layers, beside Euler's", euler,
                  check_flight(CLOTH_SCHEME_BDF2, "BDF2"), 0.02);
  method_relative("19 response", "the same, IMEX2", euler, check_flight(CLOTH_SCHEME_IMEX2, "IMEX2"), 0.02);
}

/// What is left ///

/* An S of three layers of 7 rows, 3 cm apart, that falls at a speed from a height. */
static cloth *open_s_fold(cloth_config *config, double height, double speed) {
  *config = sheet_config(10, 21, 0.36, 0.8);
  cloth *sheet = open_sheet(config);
  add_ground(sheet);
  for (int i = 0; i < sheet->count; i++) {
    const int row = i / 10, layer = row / 7, along = layer & 1 ? 6 - row % 7 : row % 7;
    const point p = {0.04 * (i % 10) + 0.012 * layer, height + 0.03 * layer, 0.04 * along + 0.011 * layer};
    cloth_set_particle(sheet, i, vector_of(p), vector_at(0.0, -speed, 0.0));
  }
  return sheet;
}

static double lowest_of(const cloth *sheet) {
  double lowest = 1e9;
  for (int i = 0; i < sheet->count; i++)
    lowest = fmin(lowest, position_of(sheet, i).y);
  return lowest;
}

/* Frames of `frames` with intersections. Sets the lowest height in any of them and in the last quarter. */
static int count_crossing_frames(cloth *sheet, const cloth_config *config, const cloth_method *method, int frames,
                                 double *lowest, double *late) {
  mesh m = mesh_make(1, &sheet, config);
  int crossing = 0;
  *lowest = *late = 1e9;
  for (int frame = 0; frame < frames; frame++) {
    advance_by(sheet, method, 1.0 / 60.0, "fold");
    crossing += count_intersections(&m) > 0;
    *lowest = fmin(*lowest, lowest_of(sheet));
    if (frame >= frames - frames / 4) *late = fmin(*late, lowest_of(sheet));
  }
  mesh_free(&m);
  return crossing;
}

/* The least gap keeps layers apart without friction; a smaller one is refused. They meet within 15 frames. */
static void check_least_gap(int frames) {
  cloth_config config;
  cloth_method method = cloth_method_default();
  size_t bytes;
  double lowest, late;
  cloth *sheet = open_s_fold(&config, 0.35, 1.0);
  method.self = CLOTH_SELF_IMPULSES;
  method.self_friction = 0.0f;
  for (int n = 0; n < 2; n++) {
    method.self_gap = n ? 0.99e-4f : 0.0f;
    CHECK(cloth_method_memory(sheet, &method, &bytes) == CLOTH_ERROR_RANGE, "a gap of %g", (double)method.self_gap);
  }
  method.self_gap = 1e-4f;
  const int crossing = count_crossing_frames(sheet, &config, &method, frames, &lowest, &late);
  char what[80];
  snprintf(what, sizeof what, "S without friction, gap 0.1 mm: frames of %d with intersections", frames);
  method_within("19 response", what, 0, crossing, 0);
}

static void test_least_gap(void) {
  check_least_gap(90);
}

/* A stack thrown onto the ground: neither through itself nor through the ground, where it lies after half a second. */
static void check_ground(int frames) {
  for (int n = 0; n < 2; n++) {
    cloth_config config;
    cloth_method method = cloth_method_default();
    double lowest, late;
    cloth *sheet = open_s_fold(&config, 0.06, 8.0);
    method.self = CLOTH_SELF_IMPULSES;
    method.self_gap = n ? 0.01f : 0.002f;
    const int crossing = count_crossing_frames(sheet, &config, &method, frames, &lowest, &late);
    CHECK(crossing == 0 && lowest > 0.0 && late > 0.0093, "gap %g: %d frames, lowest %g, at the end %g",
          (double)method.self_gap, crossing, lowest, late);
    printf("%-11s   stack thrown at 8 m/s, gap %g m: lowest %.4f m, in the last %d frames %.4f; thickness %.4f\n", "",
           (double)method.self_gap, lowest, frames / 4, late, (double)config.thickness);
  }
}

static void test_ground(void) {
  check_ground(120);
}

/// Refusals ///

static void test_refusals(void) {
  cloth_config config = sheet_config(6, 6, 0.5, 0.5);
  cloth *sheet = open_sheet(&config);
  cloth_method m = cloth_method_default();
  size_t without = 0, with = 0;
  CHECK(cloth_method_memory(sheet, &m, &without) == CLOTH_OK, "no size");
  m.self = CLOTH_SELF_IMPULSES;
  CHECK(cloth_method_memory(sheet, &m, &with) == CLOTH_OK && with > without, "%zu bytes, without %zu", with, without);
  CHECK(cloth_method_step(sheet, &m, 0.01f, memory, with - 1, NULL) == CLOTH_ERROR_ARENA, "too small a memory");
  CHECK(cloth_method_step(sheet, &m, 0.01f, memory, with, NULL) >= 0, "the memory does not suffice");
  m.scheme = CLOTH_SCHEME_STATIC;
  CHECK(cloth_method_memory(sheet, &m, &with) == CLOTH_ERROR_METHOD, "STATIC with impulses");
  m.scheme = CLOTH_SCHEME_EULER;
  m.self_gap = 0.026f; /* a quarter of the spacing is 0.025 */
  CHECK(cloth_method_memory(sheet, &m, &with) == CLOTH_ERROR_METHOD, "a gap of more than a quarter of the spacing");
  m.self_gap = -1.0f;
  CHECK(cloth_method_memory(sheet, &m, &with) == CLOTH_ERROR_RANGE, "a negative gap");
  m.self_gap = 0.002f;
  m.self_friction = 11.0f;
  CHECK(cloth_method_memory(sheet, &m, &with) == CLOTH_ERROR_RANGE, "friction of 11");
  m.self_friction = 0.3f;
  m.self = 2;
  CHECK(cloth_method_memory(sheet, &m, &with) == CLOTH_ERROR_RANGE, "another response");
  config.capacity.fixed_work = 1;
  sheet = open_sheet(&config);
  m.self = CLOTH_SELF_IMPULSES;
  CHECK(cloth_method_memory(sheet, &m, &with) == CLOTH_ERROR_METHOD, "fixed work");
}

int main(int count, char **arguments) {
  static const test tests[] = {TEST(towel),  TEST(schemes_and_laws), TEST(folded_sheet), TEST(least_gap),
                               TEST(ground), TEST(momentum),         TEST(refusals),     TEST(count_of_rows)};
  return RUN_TESTS(count, arguments, tests);
}
