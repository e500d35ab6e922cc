/* The stiffness of seams against folding: strips, drapes and tubes that are sewn against whole ones, in every tier.
   SPDX-License-Identifier: MIT */
#include "panels.h"

/// Strips ///

/* A strip of rows of 7 particles, clamped level by its first two rows, and cut at one of the rows. */
typedef struct strip {
  int substeps, method, cells, cut;
  double spacing, bend, softer; /* bending rigidity [N m]; of the second panel over that of the first, 0: the same */
  float stiffening;
} strip;

enum { USES_IMEX = 100, WIDTH = 7, MOST_PARTICLES = WIDTH * 40 };

static cloth_config strip_config(const strip *s, int rows, int first) {
  cloth_config config = panel_config(WIDTH, rows, s->substeps);
  if (s->method == USES_IMEX)
    CHECK(cloth_config_use_imex(&config) == CLOTH_OK, "imex");
  else
    config.integration.method = s->method;
  config.substeps = s->substeps;
  config.integration.max_substeps = s->substeps > 32 ? s->substeps : 32;
  config.solver.max_iterations = 32;
  config.fabric.density = 0.38f;
  config.fabric.bend = (float)s->bend;
  config.fabric.bend_damping = s->method == CLOTH_INTEGRATION_EXPLICIT_ONLY ? 0.0f : config.fabric.bend_damping;
  config.grid.min_bending_length = 0;
  config.grid.imperfection = 0;
  config.air.density = 0;
  config.integration.velocity_damping = 5;
  config.self_thickness = 1e-4f;
  config.edge_warp = vector_at(s->spacing * (WIDTH - 1), 0, 0);
  config.edge_weft = vector_at(0, 0, s->spacing * (rows - 1));
  config.origin = vector_at(0, 0, s->spacing * first);
  return config;
}

/* Every particle weighs as a square of cloth, those at the free end and on both sides of the seam as half of one. */
static void fill_masses(const strip *s, float *mass, int rows, int first, int is_cut) {
  const double usual = (double)(WIDTH * rows) / (double)((WIDTH - 1) * (rows - 1));
  for (int k = 0; k < WIDTH * rows; k++) {
    const int row = first + k / WIDTH;
    mass[k] = (float)(row == s->cells + 1 || (is_cut && row == s->cut) ? 0.5 * usual : usual);
  }
}

/* What a whole strip has in place of the panels' different fabrics: hinges of the second panel and, at the seam, of
   both in series. */
static void fill_stiffness(const strip *s, float *stiffness) {
  for (int k = 0; k < WIDTH * (s->cells + 2); k++) {
    const int row = k / WIDTH;
    const double at_seam = 2 / (1 + 1 / s->softer);
    stiffness[k] = (float)(row < s->cut ? 1 : row == s->cut ? at_seam : s->softer);
  }
}

static void make_strip(panels *p, const strip *s, int count) {
  static float mass[MOST_PARTICLES], stiffness[MOST_PARTICLES];
  memset(p, 0, sizeof *p);
  p->count = count;
  for (int i = 0; i < count; i++) {
    const int first = i ? s->cut : 0, last = count > 1 && i == 0 ? s->cut : s->cells + 1;
    cloth_config config = strip_config(s, last - first + 1, first);
    fill_masses(s, mass, config.rows, first, count > 1);
    config.grid.mass_map = mass;
    if (s->softer > 0 && count == 1) {
      fill_stiffness(s, stiffness);
      config.grid.stiffness_map = stiffness;
    }
    if (s->softer > 0 && i == 1) config.fabric.bend *= (float)s->softer;
    p->f[i] = fixture_make(&config);
    p->sheets[i] = p->f[i].sheet;
    for (int k = 0; k < WIDTH * config.rows; k++) {
      if (first + k / WIDTH < 2) cloth_pin(p->sheets[i], k);
    }
  }
  make_group(p);
  p->seams[0].a = row_side(0, WIDTH, s->cut);
  p->seams[0].b = row_side(1, WIDTH, 0);
  p->seams[0].stiffening = s->stiffening;
  p->group.seam_count = count - 1;
  take_memory(p);
}

/* How far a strip droops at rest [m]. */
static double droop_of(const strip *s, int count) {
  panels p;
  make_strip(&p, s, count);
  CHECK(step_panels(&p, 240) < 0.02, "a gap");
  const double low = lowest_particle(&p);
  CHECK(fastest_particle(&p) < 0.05, "%d panels, %d substeps, method %d, cut %d: moves at %g m/s", count, s->substeps,
        s->method, s->cut, fastest_particle(&p));
  free_panels(&p);
  return -low;
}

static void compare_strip(strip s, double tolerance) {
  const double whole = droop_of(&s, 1), sewn = droop_of(&s, 2);
  CHECK(fabs(sewn / whole - 1) <= tolerance,
        "%d substeps, method %d, cells of %g m, cut at %d of %d: droops %g of the whole strip", s.substeps, s.method,
        s.spacing, s.cut, s.cells, sewn / whole);
}

enum { EXPLICIT = CLOTH_INTEGRATION_EXPLICIT_ONLY, IMPLICIT = CLOTH_INTEGRATION_IMPLICIT };

/* A strip droops as one that is not cut, wherever it is cut, also at the clamp: to 5 %, and to 10 % where a hinge is
   stiffer than ten times the inertia of its particles. */
static void test_strips(void) {
  static const int substeps[] = {2, 4, 10};
  static const double spacing[] = {0.03, 0.01, 0.004};
  static const int cells[] = {4, 5, 14};
  for (int n = 0; n < 27; n++) {
    strip s = {substeps[n % 3], 0, cells[n / 9], 1, spacing[n / 9], n < 9 ? 1e-3 : 8e-5, 0, 0};
    s.cut += n / 3 % 3 * s.cells / 3;
    compare_strip(s, s.spacing < 0.01 && s.substeps == 4 ? 0.1 : 0.05);
    s.stiffening = -1;
    const double whole = droop_of(&s, 1), limp = droop_of(&s, 2);
    if (n / 3 % 3 == 1) CHECK(limp / whole > 1.09, "a seam that folds freely droops %g", limp / whole);
  }
}

/* The same in the other tiers. */
static void test_tiers(void) {
  static const int substeps[] = {2, 4, 10};
  for (int n = 0; n < 12; n++) {
    const strip s = {substeps[n % 3],
                     n < 6 ? IMPLICIT : USES_IMEX,
                     n % 6 < 3 ? 4 : 7,
                     n % 6 < 3 ? 2 : 3,
                     n % 6 < 3 ? 0.03 : 0.015,
                     n % 6 < 3 ? 1e-3 : 3e-4,
                     0,
                     0};
    compare_strip(s, 0.05);
  }
  const strip s = {280, EXPLICIT, 4, 2, 0.03, 1e-3, 0, 0}; /* fewer are refused as unstable */
  compare_strip(s, 0.05);
}

/* Halves of a hinge of two fabrics act in series. */
static void test_fabrics(void) {
  static const double softer[] = {0.1, 0.3, 5};
  for (int n = 0; n < 6; n++) {
    const strip s = {n < 3 ? 4 : 10, 0, 7, 3, 0.01, 8e-5, softer[n % 3], 0};
    compare_strip(s, 0.05);
  }
}

/* Stiffer seams droop less, and with any stiffness and number of substeps nothing shakes. */
static void test_stiffening(void) {
  static const int substeps[] = {1, 2, 4, 8, 10};
  static const double bend[] = {1e-5, 1e-3, 0.1, 10};
  for (int n = 0; n < 40; n++) {
    strip s = {substeps[n % 5], n < 20 ? 0 : IMPLICIT, 7, 3, 0.01, bend[n / 5 % 4], 0, 100};
    s.cut += n % 3;
    panels p;
    make_strip(&p, &s, 2);
    CHECK(step_panels(&p, 200) < 0.05, "a gap");
    CHECK(fastest_particle(&p) < 0.2, "%d substeps, B %g N m, method %d: moves at %g m/s", s.substeps, s.bend, s.method,
          fastest_particle(&p));
    free_panels(&p);
  }
  strip s = {10, 0, 7, 3, 0.01, 3e-4, 0, -1};
  double before = droop_of(&s, 2);
  for (int n = 0; n < 4; n++) {
    static const float stiffening[] = {-0.5f, 0, 3, 30};
    s.stiffening = stiffening[n];
    const double now = droop_of(&s, 2);
    CHECK(now < 0.995 * before, "stiffening %g: droops %g m, with less %g", (double)stiffening[n], now, before);
    before = now;
  }
}

/* A square sheet drapes over a disc, which is held: mean height of its hem [m], whole or cut across the disc. */
static double hem_of_drape(int count, int substeps, double bend, float stiffening) {
  enum { SIDE = 25, MIDDLE = 12, DISC = 20 };
  static float mass[SIDE * SIDE];
  panels p;
  double sum = 0;
  memset(&p, 0, sizeof p);
  p.count = count;
  for (int i = 0; i < count; i++) {
    const int first = i ? MIDDLE : 0, rows = count == 1 ? SIDE : MIDDLE + 1;
    const double usual = (double)(SIDE * rows) / (double)((SIDE - 1) * (rows - 1));
    cloth_config config = panel_config(SIDE, rows, substeps);
    config.edge_warp = vector_at(0.02 * (SIDE - 1), 0, 0);
    config.edge_weft = vector_at(0, 0, 0.02 * (rows - 1));
    config.origin = vector_at(0, 0, 0.02 * first);
    config.fabric.bend = (float)bend;
    config.grid.min_bending_length = 0;
    config.integration.velocity_damping = 2;
    config.self_thickness = 1e-4f;
    for (int k = 0; k < SIDE * rows; k++)
      mass[k] = (float)(count > 1 && first + k / SIDE == MIDDLE ? 0.5 * usual : usual);
    config.grid.mass_map = mass;
    p.f[i] = fixture_make(&config);
    p.sheets[i] = p.f[i].sheet;
    for (int k = 0; k < SIDE * rows; k++) {
      const int down = first + k / SIDE - MIDDLE, across = k % SIDE - MIDDLE;
      if (down * down + across * across <= DISC) cloth_pin(p.sheets[i], k);
    }
  }
  make_group(&p);
  p.seams[0].a = row_side(0, SIDE, MIDDLE);
  p.seams[0].b = row_side(1, SIDE, 0);
  p.seams[0].stiffening = stiffening;
  p.group.seam_count = count - 1;
  take_memory(&p);
  step_panels(&p, 400);
  for (int i = 0; i < count; i++) {
    for (int k = i ? SIDE : 0; k < p.f[i].count; k++) {
      const int row = (i ? MIDDLE : 0) + k / SIDE, column = k % SIDE;
      if (row % (SIDE - 1) == 0 || column % (SIDE - 1) == 0) sum += position_of(p.sheets[i], k).y;
    }
  }
  CHECK(fastest_particle(&p) < 0.1, "%d panels, %d substeps: moves at %g m/s", count, substeps, fastest_particle(&p));
  free_panels(&p);
  return sum / (4 * (SIDE - 1));
}

static void test_drapes(void) {
  static const int substeps[] = {2, 4, 10};
  for (int n = 0; n < 6; n++) {
    const double bend = n < 3 ? 1e-3 : 1e-4;
    const double whole = hem_of_drape(1, substeps[n % 3], bend, 0), sewn = hem_of_drape(2, substeps[n % 3], bend, 0);
    const double tolerance = n < 3 ? 0.15 : 0.05; /* the stiffer sheet has two shapes, of other folds */
    CHECK(fabs(sewn / whole - 1) < tolerance,
          "%d substeps, B %g N m: the hem hangs %g as low as that of the whole sheet", substeps[n % 3], bend,
          sewn / whole);
    if (n < 3)
      CHECK(hem_of_drape(2, substeps[n], bend, -1) / whole > 1.05, "%d substeps: a free fold hangs no lower",
            substeps[n]);
  }
}

/// Other shapes ///

/* A sheet that is sewn to a tube lies on the floor as a tube does: it sags as far. */
static double height_of_tube(int is_sewn, int substeps) {
  enum { AROUND = 20, ALONG = 5 };
  const int columns = AROUND + is_sewn;
  cloth_vector places[(AROUND + 1) * ALONG];
  float mass[(AROUND + 1) * ALONG];
  cloth_config config = panel_config(columns, ALONG, substeps);
  cloth_collider floor = cloth_collider_default();
  const double radius = SPACING * AROUND / 6.283185307179586;
  panels p;
  memset(&p, 0, sizeof p);
  p.count = 1;
  for (int i = 0; i < columns * ALONG; i++) {
    const double angle = 6.283185307179586 * (i % columns) / AROUND;
    places[i] = vector_at(radius * sin(angle), radius * cos(angle) + radius, SPACING * (i / columns));
    mass[i] = is_sewn && i % columns % AROUND == 0 ? 0.5f : 1.0f;
  }
  config.grid.wrap = !is_sewn;
  config.edge_warp = vector_at(SPACING * AROUND, 0, 0);
  config.grid.positions = places;
  config.grid.mass_map = mass;
  config.fabric.bend = 4e-3f;
  config.fabric.density = is_sewn ? 0.2f * 21 / 20 : 0.2f;
  config.integration.velocity_damping = 5;
  config.air.density = 0;
  p.f[0] = fixture_make(&config);
  p.sheets[0] = p.f[0].sheet;
  floor.shape = CLOTH_SHAPE_PLANE;
  CHECK(cloth_add_collider(p.sheets[0], &floor) >= 0, "floor");
  make_group(&p);
  p.seams[0].a = column_side(0, columns, ALONG, 0);
  p.seams[0].b = column_side(0, columns, ALONG, AROUND);
  p.group.seam_count = is_sewn;
  take_memory(&p);
  step_panels(&p, 240);
  double high = 0;
  for (int i = 0; i < p.f[0].count; i++)
    high = fmax(high, position_of(p.sheets[0], i).y);
  free_panels(&p);
  return high / (2 * radius);
}

static void test_tube(void) {
  static const int substeps[] = {2, 4, 10};
  for (int n = 0; n < 3; n++) {
    const double tube = height_of_tube(0, substeps[n]), sewn = height_of_tube(1, substeps[n]);
    CHECK(tube > 0.3 && tube < 0.97, "%d substeps: a tube is %g of its width high", substeps[n], tube);
    CHECK(fabs(sewn / tube - 1) < 0.05, "%d substeps: a tube is %g of its width high, a sewn one %g", substeps[n], tube,
          sewn);
  }
}

/* Momenta of a free seam that springs open, and its energy, which only falls. */
static void test_momentum(void) {
  static const int substeps[] = {2, 4, 10};
  for (int n = 0; n < 6; n++) {
    cloth_config config = panel_config(7, 13, substeps[n % 3]);
    config.gravity = vector_at(0, 0, 0);
    config.air.density = 0;
    config.integration.velocity_damping = config.integration.rest_drag = 0;
    config.fabric.bend = n < 3 ? 1e-4f : 1e-3f;
    panels p;
    cut_sheet(&p, 7, 13, 2, 0, &config);
    cloth_fabric fabric = config.fabric;
    fabric.density = 0.5f;
    fabric.bend *= 3;
    CHECK(cloth_set_fabric(p.sheets[1], &fabric) == CLOTH_OK, "cloth_set_fabric");
    const double mass[2] = {particle_mass(&p.f[0], 0), particle_mass(&p.f[1], 0)};
    point linear[2], angular[2];
    double spun = 0;
    for (int i = 0; i < 2; i++) { /* folded by 60 degrees along the seam, and turning */
      for (int k = 0; k < p.f[i].count; k++) {
        const point x = position_of(p.sheets[i], k);
        const double way = -x.y - 6 * SPACING, side = 0.866 * fabs(way) * (way > 0 ? 1 : 0);
        const double y = way > 0 ? -0.5 * way : -way;
        cloth_set_particle(p.sheets[i], k, vector_at(x.x, y, side), vector_at(0.3 + y, 0.5 - x.x, 0.1));
      }
    }
    for (int when = 0; when < 2; when++) {
      linear[when] = angular[when] = (point){0, 0, 0};
      for (int i = 0; i < 2; i++) {
        for (int k = 0; k < p.f[i].count; k++) {
          const point x = position_of(p.sheets[i], k), v = point_scaled(velocity_of(p.sheets[i], k), mass[i]);
          linear[when] = point_sum(linear[when], v);
          angular[when] = point_sum(angular[when], point_cross(x, v));
          spun += when == 0 ? point_length(point_cross(x, v)) : 0;
        }
      }
      if (when == 0) CHECK(step_panels(&p, 20) <= 0.02, "the seam opens");
    }
    const double lost = point_distance(linear[0], linear[1]) / point_length(linear[0]);
    const double turned = point_distance(angular[0], angular[1]) / spun;
    CHECK(lost < 2e-5, "%d substeps: a share of %g of the momentum is lost", config.substeps, lost);
    CHECK(turned < 0.005, "%d substeps: %g of the angular momentum is lost", config.substeps, turned);
    free_panels(&p);
  }
}

/* Seams along the middle of a panel, gathers, and single stitches fold freely, whatever their stiffening. */
static void test_free_seams(void) {
  for (int kind = 0; kind < 3; kind++) {
    uint64_t hashes[2];
    for (int n = 0; n < 2; n++) {
      cloth_config config = panel_config(9, 13, 10);
      panels p;
      cut_sheet(&p, 9, 13, 2, 0, &config);
      p.seams[0].a = kind == 0   ? row_side(0, 9, 3)
                     : kind == 1 ? row_side(0, 9, 6)
                                 : (cloth_seam_side){0, 54, 1, 1, NULL};
      p.seams[0].b.count = kind == 0 ? 9 : kind == 1 ? 8 : 1;
      p.seams[0].stiffening = n ? 50.0f : -1.0f;
      for (int k = 0; k < 9; k++)
        cloth_pin(p.sheets[0], k);
      free(p.allocation);
      take_memory(&p);
      step_panels(&p, 10);
      hashes[n] = read_hash(p.sheets[0]) * 31 + read_hash(p.sheets[1]);
      free_panels(&p);
    }
    CHECK(hashes[0] == hashes[1], "kind %d of seams resists folding", kind);
  }
}

/* Where the threads beside a seam are cut nothing folds it any more, and the rest is as it was. */
static void test_torn(void) {
  double tilt[2];
  for (int n = 0; n < 2; n++) {
    strip s = {10, 0, 7, 3, 0.01, 8e-5, 0, 20};
    panels p;
    make_strip(&p, &s, 2);
    fixture_free(&p.f[1]);
    cloth_config config = strip_config(&s, s.cells + 2 - s.cut, s.cut);
    config.tearing.max_breaks = 64;
    config.tearing.max_torn_cells = 64;
    p.f[1] = fixture_make(&config);
    p.sheets[1] = p.f[1].sheet;
    const cloth_cut_line line = {-0.5f, 0.5f, 2.5f, 0.5f};
    if (n) CHECK(cloth_cut(p.sheets[1], &line) == 3, "three threads");
    free(p.allocation);
    take_memory(&p);
    step_panels(&p, 120);
    tilt[n] = position_of(p.sheets[1], WIDTH * 2).y - position_of(p.sheets[1], WIDTH * 2 + WIDTH - 1).y;
    free_panels(&p);
  }
  CHECK(fabs(tilt[0]) < 1e-4 && tilt[1] < -1e-3, "the cut side is %g m lower, without a cut %g", -tilt[1], -tilt[0]);
}

/* Pins beside a seam bear what its hinge does to them. */
static void test_pins(void) {
  strip s = {10, 0, 7, 1, 0.01, 8e-5, 0, 0};
  panels p;
  cloth_config config;
  double impulse = 0, weight = 0;
  make_strip(&p, &s, 2);
  for (int i = 0; i < 2; i++) {
    const int first = i ? s.cut : 0, rows = p.f[i].count / WIDTH;
    fixture_free(&p.f[i]);
    config = strip_config(&s, rows, first);
    config.capacity.pin_reactions = 1;
    p.f[i] = fixture_make(&config);
    p.sheets[i] = p.f[i].sheet;
    for (int k = 0; k < WIDTH * rows; k++) {
      if (first + k / WIDTH < 2) cloth_pin(p.sheets[i], k);
      weight += 9.81 * particle_mass(&p.f[i], k) / 60;
    }
  }
  step_panels(&p, 240);
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < p.f[i].count; k++) {
      cloth_vector reaction;
      if (cloth_get_pin_reaction(p.sheets[i], k, &reaction) == CLOTH_OK) impulse -= (double)reaction.y;
    }
  }
  CHECK(fabs(impulse / weight - 1) < 0.01, "the pins bear %g of the weight", impulse / weight);
  free_panels(&p);
}

static const test tests[] = {TEST(strips), TEST(tiers),    TEST(drapes),     TEST(fabrics), TEST(stiffening),
                             TEST(tube),   TEST(momentum), TEST(free_seams), TEST(torn),    TEST(pins)};

int main(int argc, char **argv) {
  return RUN_TESTS(argc, argv, tests);
}
