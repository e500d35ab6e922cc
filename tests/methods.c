/*
 * The methods of examples/methods against the documents that they come from: forces and Jacobians against differences
 * of energies in doubles, orders and limits of the time schemes, solvers, static drape. `make methods` prints it all.
 *
 * Includes the source: laws and schemes are looked at from inside.
 */
#include "../examples/methods/methods.c"

#include "../examples/methods/isometric.h"

#include "method_doubles.h"
#include "method_rows.h"
#include "method_sheets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Sheets ///

/* A sheet of n x n particles of side 1 m, in the x-z plane, with nothing but stretch springs of ks and shear springs of
   700 N/m, 0.2 kg/m^2, no damping and one substep a step. */
static cloth_config plain_config(int n, double ks) {
  cloth_config config = bare_config(n, n);
  config.edge_warp = vector(1.0f, 0.0f, 0.0f);
  config.edge_weft = vector(0.0f, 0.0f, 1.0f);
  config.fabric.density = 0.2f;
  config.fabric.stretch_warp = (float)ks;
  config.fabric.stretch_weft = (float)ks;
  config.fabric.shear = 700.0f;
  config.integration.max_speed = 1000.0f;
  return config;
}

static void pin_corners(cloth *sheet) {
  cloth_pin(sheet, 0);
  cloth_pin(sheet, sheet->grid.columns - 1);
}

static cloth_method plain_method(void) {
  cloth_method m = cloth_method_default();
  m.bending = CLOTH_BENDING_NONE;
  return m;
}

static cloth_method_report run(cloth *sheet, const cloth_method *method, double dt, int steps) {
  cloth_method_report report;
  memset(&report, 0, sizeof report);
  for (int n = 0; n < steps; n++) {
    const int result = cloth_method_step(sheet, method, (float)dt, memory, sizeof memory, &report);
    CHECK(result >= 0, "step %d: %d, %s", n, result, cloth_method_explain(sheet, method));
    if (result < 0) { exit(check_report()); }
  }
  return report;
}

/* A number in -1..1 from a fixed sequence. */
static double next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 8388608.0 - 1.0;
}

/// Energies in doubles ///

typedef struct double3 {
  double x[3];
} double3;

static double dot3(double3 a, double3 b) {
  return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}

static double3 cross3(double3 a, double3 b) {
  const double3 c = {
      {a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2], a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
  return c;
}

static double3 sum3(double3 a, double3 b, double s) {
  const double3 c = {{a.x[0] + s * b.x[0], a.x[1] + s * b.x[1], a.x[2] + s * b.x[2]}};
  return c;
}

static double3 scaled3(double3 a, double s) {
  const double3 zero = {{0.0, 0.0, 0.0}};
  return sum3(zero, a, s);
}

static double length3(double3 a) {
  return sqrt(dot3(a, a));
}

/* The exact push of the buckled beam over 12 kb / L^2, with sinc x = 1 - s by bisection. */
static double exact_push(double s) {
  double low = 1e-4, high = 3.0;
  for (int n = 0; n < 60; n++) {
    const double x = 0.5 * (low + high);
    *(sin(x) / x > 1.0 - s ? &low : &high) = x;
  }
  return low * low / 3.0 / (sin(low) / low - cos(low));
}

static double spring_energy(const method_law *l, const double3 *d) {
  const double e = length3(d[0]) - (double)l->rest;
  return 0.5 * (double)l->stiffness * e * e * (e > 0.0 ? 1.0 : (double)l->compression);
}

static double linear_energy(const method_law *l, const double3 *d) {
  double3 sum = {{0.0, 0.0, 0.0}};
  for (int n = 0; n < l->edges; n++) {
    sum = sum3(sum, d[n], (double)l->coefficient[n]);
  }
  return 0.5 * (double)l->stiffness * dot3(sum, sum);
}

static double shear_energy(const method_law *l, const double3 *d) {
  const double c = dot3(d[0], d[1]) * (double)l->inverse_u * (double)l->inverse_v;
  return 0.5 * (double)l->stiffness * (double)l->area * c * c;
}

/* SimCloth3's form: three coupled springs. D_k is of the edge opposite to corner k; cot of the right angle is 0. */
static double trispring_energy(const method_law *l, const double3 *d) {
  const double u = 1.0 / (double)l->inverse_u, v = 1.0 / (double)l->inverse_v, a = 0.5 * u * v;
  const double3 across = sum3(d[1], d[0], -1.0);
  const double delta[3] = {dot3(across, across) - u * u - v * v, dot3(d[1], d[1]) - v * v, dot3(d[0], d[0]) - u * u};
  const double cot[3] = {0.0, u / v, v / u};
  const double lambda = (double)l->stiffness, mu = (double)l->second;
  double sum = 0.0, squares = 0.0, crossed = 0.0;
  for (int k = 0; k < 3; k++) {
    sum += delta[k] * cot[k];
    squares += delta[k] * delta[k];
    crossed += delta[k] * delta[(k + 1) % 3];
  }
  return ((lambda + 2.0 * mu) * sum * sum + mu * (squares - 2.0 * crossed)) / (32.0 * a);
}

static double hinge_energy(const method_law *l, const double3 *d) {
  const double3 n1 = cross3(d[0], d[1]), n2 = cross3(d[2], d[0]);
  const double3 apart = sum3(scaled3(n1, 1.0 / length3(n1)), scaled3(n2, 1.0 / length3(n2)), -1.0);
  return 0.5 * (double)l->stiffness * dot3(apart, apart);
}

typedef double (*law_energy)(const method_law *l, const double3 *d);

/// Forces and Jacobians ///

static lanes3 lanes_of(double3 a) {
  return lanes3_splat(vector((float)a.x[0], (float)a.x[1], (float)a.x[2]));
}

static double3 first_lane(lanes3 a) {
  const double3 d = {{(double)lanes_first_value(a.x), (double)lanes_first_value(a.y), (double)lanes_first_value(a.z)}};
  return d;
}

static void law_in_motion(const method_law *l, const double3 *d, const double3 *v, law_pulls *out) {
  law_elements in;
  for (int n = 0; n < LAW_EDGES; n++) {
    in.d[n] = lanes_of(d[n]);
    in.v[n] = lanes_of(v[n]);
  }
  in.scale = lanes_splat(1.0f);
  law_pull(l, &in, out);
}

static void law_at(const method_law *l, const double3 *d, law_pulls *out) {
  static const double3 still[LAW_EDGES];
  law_in_motion(l, d, still, out);
}

/* Largest difference of the law's pulls to the gradient of the energy, over the largest pull. */
static double pull_error(const method_law *l, law_energy energy, double3 *d) {
  const double h = 1e-6;
  double error = 0.0, largest = 1e-30;
  law_pulls out;
  law_at(l, d, &out);
  for (int n = 0; n < l->edges; n++) {
    const double3 pull = first_lane(out.along[n]);
    for (int axis = 0; axis < 3; axis++) {
      const double kept = d[n].x[axis];
      d[n].x[axis] = kept + h;
      const double high = energy(l, d);
      d[n].x[axis] = kept - h;
      const double low = energy(l, d);
      d[n].x[axis] = kept;
      error = fmax(error, fabs((high - low) / (2.0 * h) - pull.x[axis]));
      largest = fmax(largest, fabs(pull.x[axis]));
    }
  }
  return error / largest;
}

/* e . H e by second differences of the energy, and by the packed tangent. */
static void curvatures(const method_law *l, law_energy energy, const double3 *d, const double3 *e, double *exact,
                       double *packed) {
  const double h = 1e-4;
  double3 high[LAW_EDGES], low[LAW_EDGES];
  lanes3 along[LAW_EDGES], pulls[LAW_EDGES];
  law_pulls out;
  for (int n = 0; n < l->edges; n++) {
    high[n] = sum3(d[n], e[n], h);
    low[n] = sum3(d[n], e[n], -h);
    along[n] = lanes_of(e[n]);
  }
  *exact = (energy(l, high) - 2.0 * energy(l, d) + energy(l, low)) / (h * h);
  law_at(l, d, &out);
  law_tangent(l, out.packed, along, pulls);
  *packed = 0.0;
  for (int n = 0; n < l->edges; n++) {
    *packed += dot3(e[n], first_lane(pulls[n]));
  }
}

typedef struct law_case {
  const char *name;
  method_law law;
  law_energy energy;
  double3 rest[LAW_EDGES];
  double spread; /* of the random changes of the edges */
  int is_exact;  /* the tangent is the whole Hessian there */
} law_case;

static const law_case law_cases[] = {
    {"taut spring",
     {.kind = LAW_SPRING,
      .edges = 1,
      .packed = 4,
      .stiffness = 1000.0f,
      .compression = 1.0f,
      .rest = 0.5f,
      .tau = 1.0f},
     spring_energy,
     {{{1.0, 0.0, 0.0}}},
     0.3,
     1},
    {"compressed spring",
     {.kind = LAW_SPRING,
      .edges = 1,
      .packed = 4,
      .stiffness = 1000.0f,
      .compression = 0.5f,
      .rest = 2.0f,
      .tau = 1.0f},
     spring_energy,
     {{{1.0, 0.0, 0.0}}},
     0.3,
     0},
    {"quadratic, line",
     {.kind = LAW_LINEAR, .edges = 2, .packed = 1, .stiffness = 10.0f, .coefficient = {1.0f, 1.0f, 0.0f}, .tau = 1.0f},
     linear_energy,
     {{{1.0, 0.0, 0.0}}, {{-1.0, 0.0, 0.0}}},
     0.5,
     1},
    {"quadratic, twist",
     {.kind = LAW_LINEAR,
      .edges = 3,
      .packed = 1,
      .stiffness = 10.0f,
      .coefficient = {-1.0f, -1.0f, 1.0f},
      .tau = 1.0f},
     linear_energy,
     {{{1.0, 0.0, 0.0}}, {{0.0, 1.0, 0.0}}, {{1.0, 1.0, 0.0}}},
     0.5,
     1},
    {"shear condition",
     {.kind = LAW_SHEAR,
      .edges = 2,
      .packed = 6,
      .stiffness = 700.0f,
      .inverse_u = 1.0f,
      .inverse_v = 0.5f,
      .area = 1.0f,
      .tau = 1.0f},
     shear_energy,
     {{{1.0, 0.0, 0.0}}, {{0.0, 2.0, 0.0}}},
     0.3,
     0},
    {"trispring",
     {.kind = LAW_TRISPRING,
      .edges = 2,
      .packed = 9,
      .stiffness = 400.0f,
      .second = 300.0f,
      .inverse_u = 1.0f,
      .inverse_v = 0.5f,
      .area = 1.0f,
      .tau = 1.0f},
     trispring_energy,
     {{{1.4, 0.0, 0.0}}, {{0.0, 2.8, 0.0}}},
     0.2,
     1},
    {"hinge",
     {.kind = LAW_HINGE, .edges = 3, .packed = 9, .stiffness = 3.0f, .tau = 1.0f},
     hinge_energy,
     {{{1.0, 0.0, 0.0}}, {{0.4, 1.0, 0.0}}, {{0.7, -0.8, 0.0}}},
     0.4,
     0},
};

static void test_jacobians(void) {
  for (size_t n = 0; n < sizeof law_cases / sizeof law_cases[0]; n++) {
    const law_case *law = &law_cases[n];
    uint32_t random = 5;
    double pull = 0.0, tangent = 0.0, least = 1e30;
    for (int trial = 0; trial < 200; trial++) {
      double3 d[LAW_EDGES] = {{{0.0}}}, e[LAW_EDGES] = {{{0.0}}};
      for (int k = 0; k < 3 * law->law.edges; k++) {
        d[k / 3].x[k % 3] = law->rest[k / 3].x[k % 3] + law->spread * next_random(&random);
        d[k / 3].x[k % 3] = (double)(float)d[k / 3].x[k % 3];
        e[k / 3].x[k % 3] = next_random(&random);
      }
      double exact, packed;
      pull = fmax(pull, pull_error(&law->law, law->energy, d));
      curvatures(&law->law, law->energy, d, e, &exact, &packed);
      tangent = fmax(tangent, fabs(packed - exact) / (double)law->law.stiffness);
      least = fmin(least, packed);
    }
    char what[80];
    snprintf(what, sizeof what, "%s: pulls against the energy's gradient", law->name);
    method_at_most("16 Jacobian", what, 1e-5, pull, 1.0);
    if (law->is_exact) {
      snprintf(what, sizeof what, "%s: tangent against its Hessian", law->name);
      method_at_most("16 Jacobian", what, 1e-4, tangent, 1.0);
    }
    snprintf(what, sizeof what, "%s: least curvature of the tangent is not negative", law->name);
    print_method_row("16 Jacobian", what, 0.0, least, ">= -1e-4", least >= -1e-4);
  }
}

/* The energy of a plane triangle's strain by St. Venant and Kirchhoff, A (lambda / 2 tr(E)^2 + mu E:E). */
static double strain_energy(const method_law *l, const double3 *d) {
  const double3 wu = scaled3(d[0], (double)l->inverse_u), wv = scaled3(d[1], (double)l->inverse_v);
  const double uu = 0.5 * (dot3(wu, wu) - 1.0), vv = 0.5 * (dot3(wv, wv) - 1.0), uv = 0.5 * dot3(wu, wv);
  const double area = 0.5 / ((double)l->inverse_u * (double)l->inverse_v);
  return area *
         (0.5 * (double)l->stiffness * (uu + vv) * (uu + vv) + (double)l->second * (uu * uu + vv * vv + 2.0 * uv * uv));
}

/* SimCloth3's three coupled springs are that material: the largest difference of energies, over the energy. */
static void test_trisprings(void) {
  const method_law law = {
      .kind = LAW_TRISPRING, .stiffness = 400.0f, .second = 300.0f, .inverse_u = 1.0f, .inverse_v = 0.5f};
  uint32_t random = 3;
  double worst = 0.0;
  for (int trial = 0; trial < 2000; trial++) {
    double3 d[2] = {{{1.0, 0.0, 0.0}}, {{0.0, 2.0, 0.0}}};
    for (int k = 0; k < 6; k++) {
      d[k / 3].x[k % 3] += 0.5 * next_random(&random);
    }
    const double exact = strain_energy(&law, d);
    worst = fmax(worst, fabs(trispring_energy(&law, d) - exact) / exact);
  }
  method_at_most("22 SimCloth3", "trispring's energy against St. Venant-Kirchhoff", 6e-15, worst, 10.0);
}

/* Energy per cell of the springs of BENDING_SPRINGS in a sheet that is bent to a cylinder along warp or weft with a
   hundred cells around, over that of the plate. */
static double buckled_energy(double aspect, int along_weft) {
  const double u = 0.02, v = aspect * u, bend = 1e-4, radius = 100.0 / 6.2832 * (along_weft ? v : u);
  cloth_config config = plain_config(5, 1e6);
  config.edge_warp = vector((float)(4.0 * u), 0.0f, 0.0f);
  config.edge_weft = vector(0.0f, 0.0f, (float)(4.0 * v));
  config.fabric.bend = (float)bend;
  cloth *sheet = open_sheet(&config);
  cloth_method m = plain_method();
  m.bending = CLOTH_BENDING_SPRINGS;
  method_work w;
  plan_method(&w, sheet, &m);
  double energy = 0.0;
  for (int n = 0; n < w.family_count; n++) {
    const element_family *f = &w.family[n];
    const double warp = u * fabs((double)(f->column[1] - f->column[0]));
    const double weft = v * fabs((double)(f->row[1] - f->row[0]));
    const double arc = along_weft ? weft : warp, across = along_weft ? warp : weft;
    const double chord = 2.0 * radius * sin(0.5 * arc / radius);
    const double rest = hypot(arc, across), shorter = rest - hypot(chord, across);
    lanes slope;
    const lanes push = buckled_push(lanes_splat((float)(0.5 * shorter / rest)), &slope);
    energy += f->is_bending ? (double)f->law.second * (double)lanes_first_value(push) * shorter : 0.0;
  }
  return energy * (double)reference_mass(sheet) / (0.5 * bend / (radius * radius) * u * v);
}

static void test_buckled_plate(void) {
  for (int weft = 0; weft < 2; weft++) {
    method_within("23 springs",
                  weft ? "bent along weft: energy over the plate's" : "bent along warp: energy over the plate's", 1.0,
                  buckled_energy(1.0, weft), 0.02);
  }
  for (double aspect = 1.0; aspect < 3.0; aspect += 0.4) {
    const double warp = buckled_energy(aspect, 0), weft = buckled_energy(1.0 / aspect, 1);
    CHECK(fabs(warp / weft - 1.0) < 1e-4, "cells of 1 x %g: %g along warp, %g along weft", aspect, warp, weft);
  }
}

/* The polynomial of the buckled beam against the exact law. */
static void test_buckling(void) {
  double worst = 0.0, worst_slope = 0.0;
  for (int n = 1; n <= 70; n++) {
    const double s = 0.01 * n;
    lanes slope;
    const double ours = (double)lanes_first_value(buckled_push(lanes_splat((float)s), &slope));
    const double exact_slope = (exact_push(s + 1e-5) - exact_push(s - 1e-5)) / 2e-5;
    worst = fmax(worst, fabs(ours / exact_push(s) - 1.0));
    worst_slope = fmax(worst_slope, fabs((double)lanes_first_value(slope) / exact_slope - 1.0));
  }
  method_at_most("23 springs", "buckled beam: push against the exact arc", 0.01, worst, 1.0);
  method_at_most("23 springs", "buckled beam: its slope", 0.1, worst_slope, 1.0);
}

/// Energies of a sheet ///

static double3 place_at(const cloth *sheet, int column, int row) {
  const vector_array x = vectors_at(sheet, sheet->state.position);
  const int i = row * sheet->grid.columns + column;
  const double3 p = {{(double)x.x[i], (double)x.y[i], (double)x.z[i]}};
  return p;
}

typedef struct sheet_energy {
  double total, elastic, lowest, stretch;
} sheet_energy;

static double particle_mass(const cloth *sheet) {
  return (double)inputs_of(sheet)->fabric.density * (double)sheet->grid.area / (double)sheet->count;
}

/* Energy of the springs and of gravity, in doubles; the lowest particle, and the largest stretch. */
static sheet_energy energy_of(const cloth *sheet) {
  sheet_energy e = {0.0, 0.0, 1e30, 0.0};
  static const int along[DIRECTIONS][4] = {{0, 0, 1, 0}, {0, 0, 0, 1}, {0, 0, 1, 1}, {1, 0, 0, 1}};
  for (int row = 0; row < sheet->grid.rows; row++) {
    for (int column = 0; column < sheet->grid.columns; column++) {
      const double3 x = place_at(sheet, column, row);
      e.total += particle_mass(sheet) * 9.81 * x.x[1];
      e.lowest = fmin(e.lowest, x.x[1]);
      for (int d = 0; d < DIRECTIONS; d++) {
        const int *n = along[d];
        if (column + (d == WEFT ? 0 : 1) >= sheet->grid.columns || row + (d == WARP ? 0 : 1) >= sheet->grid.rows) {
          continue;
        }
        const double3 edge =
            sum3(place_at(sheet, column + n[2], row + n[3]), place_at(sheet, column + n[0], row + n[1]), -1.0);
        const double rest = (double)direction_rest(sheet, d), longer = length3(edge) - rest;
        const cloth_fabric *f = &inputs_of(sheet)->fabric;
        const double share = longer > 0.0 ? 1.0 : (double)(d <= WEFT ? f->compression : f->shear_compression);
        e.elastic += 0.5 * (double)direction_stiffness(sheet, d) * share * longer * longer;
        e.stretch = fmax(e.stretch, d <= WEFT ? longer / rest : 0.0);
      }
    }
  }
  e.total += e.elastic;
  return e;
}

/// Row 15: static drape ///

typedef struct drape_case {
  int n, iterations, by_edge; /* by_edge: the upper edge is held, and springs resist shortening too */
  int is_upright;             /* starts upright, else level */
  double energy, elastic, lowest, stretch;
} drape_case;

static cloth_config drape_config(int n, int is_upright) {
  cloth_config config = plain_config(n, 1000.0);
  config.edge_weft = is_upright ? vector(0.0f, -1.0f, 0.0f) : config.edge_weft;
  return config;
}

static void drape(const drape_case *d) {
  cloth_config config = drape_config(d->n, d->is_upright);
  config.fabric.compression = config.fabric.shear_compression = d->by_edge ? 1.0f : 0.0f;
  cloth *sheet = open_sheet(&config);
  for (int column = 0; column < d->n; column += d->by_edge ? 1 : d->n - 1) {
    cloth_pin(sheet, column);
  }
  cloth_method method = plain_method();
  method.scheme = CLOTH_SCHEME_STATIC;
  method.iterations = d->iterations;
  method.tolerance = 1e-2f;
  cloth_method_report report;
  const int result = cloth_method_settle(sheet, &method, memory, sizeof memory, &report);
  CHECK(result >= 0, "settle: %d, %s", result, cloth_method_explain(sheet, &method));
  CHECK(report.settled == (report.moved <= 2e-6f) && report.moved < 1e-3f, "%d^2: settled %d, moved %g m", d->n,
        report.settled, (double)report.moved);
  const sheet_energy e = energy_of(sheet);
  char what[80];
  snprintf(what, sizeof what, "%d^2 held %s%s: energy [J]", d->n, d->by_edge ? "by its upper edge" : "at two corners",
           d->is_upright ? ", upright at first" : "");
  method_within("15 static", what, d->energy, e.total, d->is_upright ? 1e-6 : 5e-6);
  snprintf(what, sizeof what, "%d^2: lowest particle [m]", d->n);
  /* With compression the energy is not convex: the document's is that of a sheet that stays in its plane. From level a
     sheet comes to rest in folds, 4e-6 J lower. */
  method_within("15 static", what, d->lowest, e.lowest, d->is_upright ? 1e-5 : d->by_edge ? 1e-4 : 5e-5);
  if (d->by_edge) {
    print_method_row("15 static", "the same: energy over the document's minimum [J]", 0.0, e.total - d->energy,
                     "<= 1e-6", e.total <= d->energy + 1e-6);
  } else {
    snprintf(what, sizeof what, "%d^2: elastic energy [J]", d->n);
    method_within("15 static", what, d->elastic, e.elastic, 5e-6);
    snprintf(what, sizeof what, "%d^2: largest stretch [1]", d->n);
    method_within("15 static", what, d->stretch, e.stretch, 1e-4);
  }
  printf("%-11s   %d Newton iterations, %d of the solver, %d evaluations\n", "", report.newton, report.iterations,
         report.evaluations);
}

static void test_static_drape(void) {
  static const drape_case cases[] = {{16, 64, 0, 0, -0.992933, 0.005810, -1.00717, 0.00750},
                                     {32, 384, 0, 0, -0.996451, 0.007780, -1.01151, 0.0129},
                                     {16, 256, 1, 0, -0.981394, 0.0, -1.00065, 0.0},
                                     {16, 256, 1, 1, -0.981394, 0.0, -1.00065, 0.0}};
  for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
    drape(&cases[n]);
  }
}

/* Steps of a sheet held by two corners until its energy is within `digit` of what it is after 48. */
static int steps_to_least(int n, int iterations, int is_upright, double digit) {
  enum { STEPS = 2 * SETTLE_STEPS };
  cloth_config config = drape_config(n, is_upright);
  cloth *sheet = open_sheet(&config);
  pin_corners(sheet);
  cloth_method method = plain_method();
  cloth_method_report report;
  method_work w;
  double energy[STEPS];
  method.scheme = CLOTH_SCHEME_STATIC;
  method.newton = SETTLE_NEWTON;
  method.iterations = iterations;
  method.tolerance = 1e-2f;
  memset(&report, 0, sizeof report);
  CHECK(begin_method(&w, sheet, &method, 1, memory, sizeof memory) == CLOTH_OK, "%s",
        cloth_method_explain_settle(sheet, &method));
  w.report = &report;
  open_memory(&w, memory);
  float k = SETTLE_FIRST;
  int steps = STEPS;
  for (int step = 0; step < STEPS; step++) {
    settle_step(&w, k);
    energy[step] = energy_of(sheet).total;
    k = minimum(2.0f * k, SETTLE_LONGEST);
  }
  while (steps > 1 && fabs(energy[steps - 2] - energy[STEPS - 1]) <= digit) {
    steps--;
  }
  return steps;
}

/* With the document's 8 Newton iterations of 64 of the solver a step. It does not tell how its sheet starts; it has the
   energy of one that stays in its plane, so upright. Its search accepts a shortened step as soon as it does not go too
   far, which takes 14 and 24 steps, from level 25 and 44; another program of it in doubles takes 15 and 24, 31 and more
   than 48. */
static void test_static_steps(void) {
  const int level[3] = {steps_to_least(16, 64, 0, 2e-7), steps_to_least(32, 64, 0, 2e-6),
                        steps_to_least(32, 384, 0, 2e-6)};
  const int small = steps_to_least(16, 64, 1, 2e-7), large = steps_to_least(32, 64, 1, 2e-6);
  const int capless = steps_to_least(32, 384, 1, 2e-6);
  method_at_most("15 static", "16^2: steps until the energy is within 2e-7 J", 12, small, 1.0);
  method_missed("15 static", "32^2: steps until the energy is within 2e-6 J", 16, 0, large, 19,
                "24 by the document's search along a solution, by another program of it, too");
  method_at_most("15 static", "the same with 384 iterations of the solver", 16, capless, 1.0);
  printf("            from level: %d and %d, with 384 iterations %d\n", level[0], level[1], level[2]);
  CHECK(level[0] <= 18 && level[1] <= 30 && level[2] <= 17, "%d, %d, %d steps from level", level[0], level[1],
        level[2]);
}

/* The library's own step, left to rest for 30 s. */
static void test_static_by_steps(void) {
  cloth_config config = plain_config(16, 1000.0);
  config.integration.velocity_damping = 3.0f;
  config.substeps = 4;
  config.solver.max_iterations = 200;
  config.solver.tolerance = 1e-4f;
  cloth *sheet = open_sheet(&config);
  pin_corners(sheet);
  for (int step = 0; step < 1800; step++) {
    CHECK(cloth_step(sheet, 1.0f / 60.0f) >= 0, "step %d", step);
  }
  method_within("15 static", "16^2, the library's implicit step for 30 s: energy [J]", -0.992933,
                energy_of(sheet).total, 5e-6);
}

/// Rows 16 and 22: elasticity in the plane, by direction ///

/* Place at rest of node n of an element, relative to node 0, and its image by a linear map of the plane. */
static double3 rest_edge(const cloth *sheet, const element_family *f, int n) {
  const double3 d = {{(double)sheet->grid.spacing_warp * (f->column[n] - f->column[0]),
                      (double)sheet->grid.spacing_weft * (f->row[n] - f->row[0]), 0.0}};
  return d;
}

/* Plans a method of a sheet, with times of 1 s. */
static method_work planned_work_of(const cloth *sheet, const cloth_method *method) {
  method_work w;
  plan_method(&w, sheet, method);
  set_time(&w, 1.0f);
  return w;
}

/* Second derivative of the energy per area [N/m] of an inner cell along the strain e, a symmetric tensor uu, uv, vv. */
static double modulus(const cloth *sheet, const method_work *w, const double e[3]) {
  const double size = 1e-3;
  double sum = 0.0;
  for (int n = 0; n < w->family_count; n++) {
    const element_family *f = &w->family[n];
    double3 d[LAW_EDGES] = {{{0.0}}}, change[LAW_EDGES] = {{{0.0}}};
    law_pulls out[2];
    for (int k = 0; k < f->law.edges; k++) {
      const double3 r = rest_edge(sheet, f, k + 1);
      const double3 by = {{e[0] * r.x[0] + e[1] * r.x[1], e[1] * r.x[0] + e[2] * r.x[1], 0.0}};
      change[k] = by;
      d[k] = sum3(r, by, size);
    }
    law_at(&f->law, d, &out[0]);
    for (int k = 0; k < f->law.edges; k++) {
      d[k] = sum3(d[k], change[k], -2.0 * size);
    }
    law_at(&f->law, d, &out[1]);
    for (int k = 0; k < f->law.edges; k++) {
      const double3 pull = sum3(first_lane(out[0].along[k]), first_lane(out[1].along[k]), -1.0);
      sum += dot3(pull, change[k]) / (2.0 * size);
    }
  }
  const double cell = (double)sheet->grid.spacing_warp * (double)sheet->grid.spacing_weft;
  return sum * (double)reference_mass(sheet) / cell;
}

/* Moduli at an angle: uniaxial strain, shear, and Young's by the minimum over the strain across [N/m]. */
static void moduli_at(const cloth *sheet, const method_work *w, double angle, double found[3]) {
  const double c = cos(angle), s = sin(angle);
  const double along[3] = {c * c, c * s, s * s}, across[3] = {s * s, -c * s, c * c};
  const double shear[3] = {-c * s, 0.5 * (c * c - s * s), c * s};
  double both[3], a, b, both_modulus;
  for (int k = 0; k < 3; k++) {
    both[k] = along[k] + across[k];
  }
  a = modulus(sheet, w, along);
  b = modulus(sheet, w, across);
  both_modulus = 0.5 * (modulus(sheet, w, both) - a - b);
  found[0] = a;
  found[1] = modulus(sheet, w, shear);
  found[2] = a - both_modulus * both_modulus / b;
}

typedef struct moduli_case {
  const char *name;
  int material;
  double uniaxial[4], shear[4], young[2]; /* at 0, 15, 30 and 45 degrees; at 0 and 45 */
} moduli_case;

static void test_isotropy(void) {
  static const moduli_case cases[] = {
      {"springs", CLOTH_MATERIAL_SPRINGS, {1700, 1750, 1850, 1900}, {700, 650, 550, 500}, {1412, 1768}},
      {"conditions", CLOTH_MATERIAL_CONDITIONS, {1000, 1050, 1150, 1200}, {700, 650, 550, 500}, {1000, 1167}},
      {"trisprings", CLOTH_MATERIAL_TRISPRINGS, {1000, 1000, 1000, 1000}, {300, 300, 300, 300}, {840, 840}}};
  cloth_config config = plain_config(9, 1000.0);
  config.fabric.compression = 1.0f;
  config.fabric.shear_compression = 1.0f;
  cloth *sheet = open_sheet(&config);
  for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
    cloth_method method = plain_method();
    method.material = cases[n].material;
    const method_work w = planned_work_of(sheet, &method);
    for (int k = 0; k < 4; k++) {
      double found[3];
      char what[80];
      moduli_at(sheet, &w, k * 15.0 * 3.14159265358979 / 180.0, found);
      snprintf(what, sizeof what, "%s at %d degrees: uniaxial strain [N/m]", cases[n].name, 15 * k);
      method_relative("16, 22", what, cases[n].uniaxial[k], found[0], 0.005);
      snprintf(what, sizeof what, "%s at %d degrees: shear [N/m]", cases[n].name, 15 * k);
      method_relative("16, 22", what, cases[n].shear[k], found[1], 0.005);
      if (k % 3 == 0) {
        snprintf(what, sizeof what, "%s at %d degrees: Young's modulus [N/m]", cases[n].name, 15 * k);
        method_relative("16, 22", what, cases[n].young[k / 3], found[2], 0.005);
      }
    }
  }
}

/* Springs and conditions are isotropic where shear is half of stretch, and only there: the largest modulus over the
   smallest at four angles, of uniaxial strain and of shear. */
static void test_half_shear(void) {
  static const char *const names[] = {"springs", "conditions"};
  static const int materials[] = {CLOTH_MATERIAL_SPRINGS, CLOTH_MATERIAL_CONDITIONS};
  for (int n = 0; n < 4; n++) {
    cloth_config config = plain_config(9, 1000.0);
    config.fabric.shear = n < 2 ? 500.0f : 550.0f;
    config.fabric.compression = config.fabric.shear_compression = 1.0f;
    cloth *sheet = open_sheet(&config);
    cloth_method method = plain_method();
    method.material = materials[n % 2];
    const method_work w = planned_work_of(sheet, &method);
    double low[2] = {1e9, 1e9}, high[2] = {0.0, 0.0}, found[3];
    for (int k = 0; k < 4; k++) {
      moduli_at(sheet, &w, k * 15.0 * 3.14159265358979 / 180.0, found);
      for (int which = 0; which < 2; which++) {
        low[which] = fmin(low[which], found[which]);
        high[which] = fmax(high[which], found[which]);
      }
    }
    const double ratio = fmax(high[0] / low[0], high[1] / low[1]);
    char what[80];
    snprintf(what, sizeof what, "%s, shear %g: largest modulus over least, 0 to 45 degrees", names[n % 2],
             (double)config.fabric.shear);
    if (n < 2) {
      method_within("16, 22", what, 1.0, ratio, 0.001);
    } else {
      print_method_row("16, 22", what, 1.1, ratio, "> 1.05", ratio > 1.05);
    }
  }
}

/// Row 22: bending of a cylinder ///

/* Energy of an inner cell on a cylinder of small curvature along a direction, over rigidity / 2 curvature^2 area. */
static double cylinder_ratio(const cloth *sheet, const method_work *w, double angle, double rigidity) {
  const double curvature = 1e-2, c = cos(angle), s = sin(angle);
  double sum = 0.0;
  for (int n = 0; n < w->family_count; n++) {
    const element_family *f = &w->family[n];
    double3 d[LAW_EDGES] = {{{0.0}}};
    law_pulls out;
    const double u0 = (double)sheet->grid.spacing_warp * f->column[0],
                 v0 = (double)sheet->grid.spacing_weft * f->row[0];
    const double t0 = c * u0 + s * v0;
    for (int k = 0; f->is_bending && k < f->law.edges; k++) {
      d[k] = rest_edge(sheet, f, k + 1);
      const double t = t0 + c * d[k].x[0] + s * d[k].x[1];
      d[k].x[2] = 0.5 * curvature * (t * t - t0 * t0);
    }
    if (f->is_bending) {
      law_at(&f->law, d, &out);
      for (int k = 0; k < f->law.edges; k++) {
        sum += first_lane(out.along[k]).x[2] * d[k].x[2];
      }
    }
  }
  const double cell = (double)sheet->grid.spacing_warp * (double)sheet->grid.spacing_weft;
  return sum * (double)reference_mass(sheet) / (rigidity * curvature * curvature * cell);
}

typedef struct cylinder_case {
  const char *name;
  int bending;
  double ratio[4]; /* energy over the plate's, at each of the angles */
} cylinder_case;

/* Rolls a sheet of 9 x 9 particles, `weft` m long along weft and 1 m along warp, into cylinders at `count` angles. */
static void check_cylinders(const char *cells, double weft, const cylinder_case cases[3], const double degrees[],
                            int count) {
  cloth_config config = plain_config(9, 1000.0);
  config.edge_weft = vector(0.0f, 0.0f, (float)weft);
  config.fabric.bend = 1.0f;
  cloth *sheet = open_sheet(&config);
  for (int n = 0; n < 3; n++) {
    cloth_method method = plain_method();
    method.bending = cases[n].bending;
    const method_work w = planned_work_of(sheet, &method);
    for (int k = 0; k < count; k++) {
      char what[96];
      snprintf(what, sizeof what, "%s, cylinder at %.0f degrees, %s: energy over the plate's", cells, degrees[k],
               cases[n].name);
      method_within("22 bending", what, cases[n].ratio[k],
                    cylinder_ratio(sheet, &w, degrees[k] * 3.14159265358979 / 180.0, 1.0), 0.01);
    }
  }
}

static void test_cylinder(void) {
  static const double degrees[4] = {0.0, 45.0, 90.0, 135.0};
  static const cylinder_case cases[3] = {{"quadratic", CLOTH_BENDING_QUADRATIC, {1, 1, 1, 1}},
                                         {"plane", CLOTH_BENDING_PLANE, {1, 1, 1, 1}},
                                         {"hinge (diagonals at 135)", CLOTH_BENDING_HINGE, {1, 1, 1, 3}}};
  check_cylinders("square cells", 1.0, cases, degrees, 4);
}

/* The same on cells that are twice as long as wide, along both and along their diagonals. */
static void test_long_cells(void) {
  const double degrees[3] = {0.0, atan(2.0) * 180.0 / 3.14159265358979, 90.0};
  static const cylinder_case cases[3] = {{"quadratic", CLOTH_BENDING_QUADRATIC, {1, 1, 1}},
                                         {"plane", CLOTH_BENDING_PLANE, {1, 1, 1}},
                                         {"hinge (stiffer across its diagonals)", CLOTH_BENDING_HINGE, {1, 1.72, 1}}};
  check_cylinders("cells of 1 x 2", 2.0, cases, degrees, 3);
}

/* Hinges of a mesh whose diagonals alternate from cell to cell, on a grid of square cells. The library has diagonals of
   one way only: each of these families stands in every other cell, and so counts half. */
static method_work alternating_hinges(const cloth *sheet, const cloth_method *method, float rigidity) {
  static const char *const nodes[6] = {"01 11 10 12", "10 11 01 21", "10 01 00 11",
                                       "01 11 00 02", "10 11 00 20", "00 11 10 01"};
  method_work w = planned_work_of(sheet, method);
  for (int n = 0; n < 6; n++) {
    const float share = n % 3 == 2 ? 2.0f : 1.0f; /* of a diagonal and of an edge, as add_hinges() has them */
    add_bending_law(&w, LAW_HINGE, HINGE_PACKED, nodes[n], 0.5f * share * rigidity);
  }
  set_time(&w, 1.0f);
  return w;
}

static void test_alternating_hinges(void) {
  static const double ratio[4] = {1, 1.5, 1, 1.5};
  const cloth_config config = plain_config(9, 1000.0);
  cloth *sheet = open_sheet(&config);
  const cloth_method method = plain_method();
  const method_work w = alternating_hinges(sheet, &method, 1.0f);
  for (int k = 0; k < 4; k++) {
    char what[80];
    snprintf(what, sizeof what, "cylinder at %d degrees, hinge, alternating diagonals", 45 * k);
    method_within("22 bending", what, ratio[k], cylinder_ratio(sheet, &w, k * 45.0 * 3.14159265358979 / 180.0, 1.0),
                  0.01);
  }
}

/// Row 22: torque of a star ///

/* Size of the torque of a law's pulls on the nodes of an element, over that of the force on node 0. */
static double torque_over_force(const method_law *l, const double3 *d) {
  double3 torque = {{0.0, 0.0, 0.0}}, force = {{0.0, 0.0, 0.0}};
  law_pulls out;
  law_at(l, d, &out);
  for (int n = 0; n < l->edges; n++) {
    const double3 pull = first_lane(out.along[n]);
    force = sum3(force, pull, 1.0);
    torque = sum3(torque, cross3(d[n], pull), -1.0);
  }
  return length3(torque) / length3(force);
}

/* A particle 0.1 above its four neighbours, which are at 1, and beside their mean. The document does not say which star
   is its skew one: the torque over the force is how far the particle is beside the mean, and this star has 0.02. */
static void test_plane_torque(void) {
  static const double beside[2] = {0.0, 0.02};
  const method_law plane = {.kind = LAW_PLANE,
                            .edges = 4,
                            .packed = PLANE_PACKED,
                            .stiffness = 1.0f,
                            .coefficient = {1.0f, 1.0f, 0.0f},
                            .tau = 1.0f};
  const method_law line = {
      .kind = LAW_LINEAR, .edges = 2, .packed = 1, .stiffness = 1.0f, .coefficient = {1.0f, 1.0f, 0.0f}, .tau = 1.0f};
  for (int n = 0; n < 2; n++) {
    const double x = beside[n];
    const double3 d[4] = {{{-1.0 - x, 0.0, -0.1}}, {{1.0 - x, 0.0, -0.1}}, {{-x, -1.0, -0.1}}, {{-x, 1.0, -0.1}}};
    char what[80];
    snprintf(what, sizeof what, "plane, particle %g of the size beside the mean: torque / (f size)", x);
    method_within("22 bending", what, x, torque_over_force(&plane, d), 1e-5);
    snprintf(what, sizeof what, "quadratic, the same star");
    method_within("22 bending", what, 0.0, torque_over_force(&line, d), 1e-5);
  }
}

/// Row 22: a strip that bends by its own weight ///

/* Chord angle [degrees] of a strip of 1 m with N segments, clamped at one end, of length^3 weight / rigidity. */
static double strip_chord(int segments, double load) {
  cloth_config config = plain_config(segments + 2, 3000.0);
  const double h = 1.0 / segments;
  config.rows = 2;
  config.edge_warp = vector((float)(1.0 + h), 0.0f, 0.0f);
  config.edge_weft = vector(0.0f, 0.0f, (float)h);
  config.fabric.compression = 1.0f;
  config.fabric.shear_compression = 1.0f;
  /* Each row carries its particles and bends as a strip as wide as a cell. */
  config.fabric.bend = (float)(0.2 * 9.81 / load * (segments + 1.0) / (2.0 * (segments + 2.0)));
  /* The last particle stands for half a segment. */
  static float masses[2 * 96];
  for (int n = 0; n < 2 * config.columns; n++) {
    masses[n] = n % config.columns == config.columns - 1 ? 0.5f : 1.0f;
  }
  config.grid.mass_map = masses;
  cloth *sheet = open_sheet(&config);
  for (int row = 0; row < 2; row++) {
    cloth_pin(sheet, row * (segments + 2));
    cloth_pin(sheet, row * (segments + 2) + 1);
  }
  cloth_method method = cloth_method_default();
  method.scheme = CLOTH_SCHEME_STATIC;
  method.iterations = 2000;
  method.tolerance = 1e-3f;
  const int result = cloth_method_settle(sheet, &method, memory, sizeof memory, NULL);
  CHECK(result >= 0, "settle: %d, %s", result, cloth_method_explain(sheet, &method));
  const double3 chord = sum3(place_at(sheet, segments + 1, 0), place_at(sheet, 1, 0), -1.0);
  return atan2(-chord.x[1], chord.x[0]) * 180.0 / 3.14159265358979;
}

static void test_elastica(void) {
  static const struct {
    int segments;
    double load, chord;
  } cases[] = {{20, 8, 44.29}, {40, 8, 42.89}, {80, 8, 42.19}, {20, 20, 62.86}, {40, 20, 62.34}, {80, 20, 62.07}};
  double before = 0.0;
  for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
    char what[80];
    snprintf(what, sizeof what, "elastica, load %g, %d segments: chord [degrees]", cases[n].load, cases[n].segments);
    const double chord = strip_chord(cases[n].segments, cases[n].load);
    const double exact = chain_chord(cases[n].segments, cases[n].load, 0.5, 1.0);
    if (cases[n].load == 20.0) {
      method_corrected("22 bending", what, cases[n].chord, exact, chord, 0.1,
                       "a chain with the clamp twice as stiff and a whole particle at its tip, see the next row");
      method_within("22 bending", "the document's against such a chain in doubles", cases[n].chord,
                    chain_chord(cases[n].segments, cases[n].load, 1.0, 2.0), 0.1);
    } else {
      method_within("22 bending", what, cases[n].chord, chord, 0.1);
    }
    method_within("22 bending", "the same against a chain in doubles", exact, chord, 0.02);
    if (cases[n].segments == 80) {
      snprintf(what, sizeof what, "elastica, load %g: extrapolated to infinitely many, against the exact",
               cases[n].load);
      method_within("22 bending", what, cases[n].load == 8 ? 41.487 : 61.786, 2.0 * chord - before, 0.05);
    }
    before = chord;
  }
}

/// Row 12: second-order time schemes ///

/* Two particles side by side between pins along the warp at distances h: each is an oscillator of
   omega^2 = 2 ks / m, of which the bending by lines adds 4 B / (h^2 m), with velocity damping of `drag` [1/s]. */
static const double oscillator_h = 0.0625;

static cloth *open_slowed_oscillator(double stiffness, double damping, double bending, double drag) {
  cloth_config config = plain_config(3, 0.0);
  config.rows = 2;
  config.edge_warp = vector((float)(2.0 * oscillator_h), 0.0f, 0.0f);
  config.edge_weft = vector(0.0f, 0.0f, (float)oscillator_h);
  config.origin = vector((float)-oscillator_h, 0.0f, 0.0f);
  config.fabric.stretch_warp = (float)stiffness;
  config.fabric.stretch_damping = (float)damping;
  config.fabric.bend = (float)(bending * oscillator_h * oscillator_h);
  config.fabric.compression = 1.0f;
  config.fabric.shear = 0.0f;
  config.integration.velocity_damping = (float)drag;
  config.gravity = vector(0.0f, 0.0f, 0.0f);
  cloth *sheet = open_sheet(&config);
  for (int row = 0; row < 2; row++) {
    cloth_pin(sheet, 3 * row);
    cloth_pin(sheet, 3 * row + 2);
  }
  return sheet;
}

static cloth *open_oscillator(double stiffness, double damping, double bending) {
  return open_slowed_oscillator(stiffness, damping, bending, 0.0);
}

static void start_oscillator(cloth *sheet) {
  for (int row = 0; row < 2; row++) {
    cloth_set_particle(sheet, 3 * row + 1, vector((float)(oscillator_h / 16.0), 0.0f, (float)(row * oscillator_h)),
                       vector(0.0f, 0.0f, 0.0f));
  }
}

static double oscillation(const cloth *sheet) {
  return place_at(sheet, 1, 0).x[0] / (oscillator_h / 16.0);
}

static double oscillating_speed(const cloth *sheet) {
  return (double)vectors_at(sheet, sheet->state.velocity).x[1];
}

/* A step in which the families of springs are implicit or not as told, whatever the stability. */
static void step_split(cloth *sheet, const cloth_method *method, double k, int springs_implicit, int bending_implicit) {
  method_work w;
  cloth_method_report report;
  memset(&report, 0, sizeof report);
  CHECK(begin_method(&w, sheet, method, 0, memory, sizeof memory) == CLOTH_OK, "%s",
        cloth_method_explain(sheet, method));
  w.report = &report;
  open_memory(&w, memory);
  prepare_method(&w, (float)k);
  for (int n = 0; n < w.family_count; n++) {
    w.family[n].is_implicit = w.family[n].is_bending ? bending_implicit : springs_implicit;
  }
  run_substeps(&w);
}

static cloth_method exact_method(int scheme) {
  cloth_method m = cloth_method_default();
  m.scheme = scheme;
  m.tolerance = 1e-6f;
  return m;
}

/* Largest speed over the second half of the steps, over that of the first half. */
static double growth(double kappa, double ratio, int steps) {
  const double k = 0.01, mass = 0.2 * 2.0 * oscillator_h * oscillator_h / 6.0;
  const double x = ratio < 0.0 ? 0.0 : kappa / (1.0 + 2.0 * ratio);
  /* The chain's fastest mode has 4 ks / m, that of one particle 2 ks / m: twice the stiffness. */
  const double stiffness = 2.0 * x * mass / (k * k);
  const double damping = ratio < 0.0 ? kappa * mass / k : ratio * k * stiffness;
  cloth *sheet = open_oscillator(stiffness, damping, 0.0);
  start_oscillator(sheet);
  for (int row = 0; ratio < 0.0 && row < 2; row++) {
    cloth_set_particle(sheet, 3 * row + 1, vector(0.0f, 0.0f, (float)(row * oscillator_h)), vector(0.1f, 0.0f, 0.0f));
  }
  const cloth_method method = exact_method(CLOTH_SCHEME_IMEX2);
  double largest[2] = {0.0, 1e-30};
  for (int n = 0; n < steps; n++) {
    step_split(sheet, &method, k, 0, 1);
    double *seen = &largest[2 * n >= steps];
    *seen = fmax(*seen, fabs(oscillating_speed(sheet)));
    if (fabs(oscillation(sheet)) > 12.0) { /* 3/4 of the length of the springs: beyond it they saturate */
      return 1e9;
    }
  }
  return largest[1] / largest[0];
}

/* 1 if the scheme's recursion for the fastest mode of a chain does not grow, in doubles: time in steps, positions in
   lengths. */
static int recursion_is_stable(double kappa, double ratio, int steps) {
  const double a = ratio < 0.0 ? 0.0 : 4.0 * kappa / (1.0 + 2.0 * ratio);
  const double b = ratio < 0.0 ? 2.0 * kappa : ratio * a;
  double x = 1.0, v = 0.3, x1 = 0.9, v1 = 0.2, half = 0.0, largest = 0.0;
  for (int n = 0; n < steps; n++) {
    const double force = -2.0 * (a * x + b * v) + (a * x1 + b * v1);
    const double next_v = (4.0 * v - v1 + 2.0 * force) / 3.0, next_x = (4.0 * x - x1 + 2.0 * next_v) / 3.0;
    x1 = x;
    v1 = v;
    x = next_x;
    v = next_v;
    half = n == steps / 2 ? largest : half;
    largest = n == steps / 2 ? 0.0 : fmax(largest, fabs(v));
  }
  return largest < half;
}

static double recursion_limit(double about, double ratio, int steps) {
  double low = 0.5 * about, high = 1.5 * about;
  for (int bisection = 0; bisection < 20; bisection++) {
    const double middle = 0.5 * (low + high);
    *(recursion_is_stable(middle, ratio, steps) ? &low : &high) = middle;
  }
  return low;
}

static void test_explicit_limits(void) {
  /* kd / (k ks), the largest kappa, and the steps after which a growth by 5 % more shows. */
  static const double limits[][3] = {{0.01, 0.006, 200000},  {0.05, 0.036, 20000}, {0.1, 0.129, 6000},
                                     {0.2, 1.04, 2000},      {0.5, 0.89, 2000},    {1.0, 0.80, 2000},
                                     {-1.0, 2.0 / 3.0, 2000}};
  for (size_t n = 0; n < sizeof limits / sizeof limits[0]; n++) {
    const double limit = limits[n][1];
    double low = 0.8 * limit, high = 1.2 * limit;
    for (int bisection = 0; bisection < 7; bisection++) {
      const double middle = 0.5 * (low + high);
      *(growth(middle, limits[n][0], (int)limits[n][2]) < 1.0 ? &low : &high) = middle;
    }
    char what[80];
    snprintf(what, sizeof what, "explicit part, kd / (k ks) = %s%.3g: largest kappa", limits[n][0] < 0.0 ? "1 / " : "",
             fmax(limits[n][0], 0.0));
    if (limits[n][0] == 0.01) {
      const double exact = recursion_limit(limit, limits[n][0], (int)limits[n][2]);
      method_corrected("12 IMEX2", what, limit, exact, 0.5 * (low + high), 0.05 * exact,
                       "one digit, rounded up; the recursion in doubles gives this number");
    } else {
      method_relative("12 IMEX2", what, limit, 0.5 * (low + high), 0.05);
    }
    snprintf(what, sizeof what, "the same against the recursion in doubles");
    method_relative("12 IMEX2", what, recursion_limit(limit, limits[n][0], (int)limits[n][2]), 0.5 * (low + high),
                    0.05);
  }
  /* Undamped: unstable at every step, |lambda| = 1 + (omega k)^4 / 4 with (omega k)^2 = 4 kappa. */
  const double kappa = 0.02;
  const int steps = 800;
  const double rate = log(growth(kappa, 0.0, steps)) / (0.5 * steps);
  method_relative("12 IMEX2", "undamped, kappa = 0.02: growth a step over (omega k)^4 / 4", 1.0,
                  rate / (0.25 * 16.0 * kappa * kappa), 0.1);
}

/* Error at t = 1 of omega^2 = 400 implicit and 25 explicit. */
static double oscillator_error(int scheme, int steps) {
  const double mass = 0.2 * 2.0 * oscillator_h * oscillator_h / 6.0;
  cloth *sheet = open_oscillator(200.0 * mass, 0.0, 25.0 / 4.0 * mass);
  start_oscillator(sheet);
  const cloth_method method = exact_method(scheme);
  for (int n = 0; n < steps; n++) {
    step_split(sheet, &method, 1.0 / steps, 1, 0);
  }
  return fabs(oscillation(sheet) - cos(sqrt(425.0)));
}

static void test_orders(void) {
  static const double orders[4] = {1.89, 1.98, 2.00, 2.00};
  double before[2] = {oscillator_error(CLOTH_SCHEME_IMEX2, 100), oscillator_error(CLOTH_SCHEME_EULER, 100)};
  for (int n = 0; n < 4; n++) {
    const int steps = 200 << n;
    const double second = oscillator_error(CLOTH_SCHEME_IMEX2, steps);
    const double first = oscillator_error(CLOTH_SCHEME_EULER, steps);
    char what[80];
    snprintf(what, sizeof what, "order from k = 1/%d to 1/%d", steps / 2, steps);
    method_within("12 IMEX2", what, orders[n], log2(before[0] / second), 0.05);
    method_range("12 IMEX2", "the same of backward Euler", 0.48, 0.96, 0.01, log2(before[1] / first), 0.0, NULL);
    before[0] = second;
    before[1] = first;
  }
}

/* |lambda| of BDF2: x[n]^2 - x[n-1] x[n+1] falls by its square in every step. */
static void test_implicit_decay(void) {
  static const double cases[3][2] = {{0.1, 0.99998}, {0.5, 0.99040}, {1.0, 0.93332}};
  const double k = 0.01, mass = 0.2 * 2.0 * oscillator_h * oscillator_h / 6.0;
  for (int n = 0; n < 3; n++) {
    const double omega = cases[n][0] / k;
    cloth *sheet = open_oscillator(0.5 * omega * omega * mass, 0.0, 0.0);
    start_oscillator(sheet);
    const cloth_method method = exact_method(CLOTH_SCHEME_BDF2);
    double x[64];
    for (int step = 0; step < 64; step++) {
      step_split(sheet, &method, k, 1, 1);
      x[step] = oscillation(sheet);
    }
    const double first = x[21] * x[21] - x[20] * x[22], last = x[61] * x[61] - x[60] * x[62];
    char what[80];
    snprintf(what, sizeof what, "implicit part, omega k = %g: |lambda|", cases[n][0]);
    method_within("12 IMEX2", what, cases[n][1], pow(last / first, 1.0 / 80.0), 1e-4);
  }
}

/// Rows 13 and 21: Newton's method and nonlinear conjugate gradients ///

/* HANG: n x n, tension only, held by two corners, started flat, after 0.35 s by backward Euler with steps of k seconds
   of at most so many Newton iterations. */
static cloth *open_hang(int n, double k, int newton) {
  cloth_config config = plain_config(n, 1000.0);
  cloth *sheet = open_sheet(&config);
  pin_corners(sheet);
  cloth_method method = plain_method();
  method.newton = newton;
  method.iterations = 400;
  method.tolerance = 1e-4f;
  run(sheet, &method, k, (int)(0.35 / k + 0.5));
  return sheet;
}

/* One step of k from the same state, of which a copy is kept. */
static unsigned char kept[1 << 20];

static cloth_method_report step_once(cloth *sheet, const cloth_method *method, double k) {
  memcpy(kept, arena, sheet->total_bytes);
  memset(memory, 0, 64);
  return run(sheet, method, k, 1);
}

static void restore(const cloth *sheet) {
  memcpy(arena, kept, sheet->total_bytes);
}

static void newton_residuals(int n, double k, const double *document, int count, double known, const char *why) {
  cloth *sheet = open_hang(n, k, 6);
  for (int iterations = 2; iterations <= count; iterations++) {
    if (document[iterations] <= 0.0) { continue; }
    cloth_method method = plain_method();
    method.newton = iterations;
    method.iterations = 2000;
    method.tolerance = 1e-4f; /* the document's solves are exact */
    const cloth_method_report report = step_once(sheet, &method, k);
    restore(sheet);
    char what[80];
    snprintf(what, sizeof what, "HANG %d^2, k = 1/%.0f: residual after %d Newton iterations", n, 1.0 / k, iterations);
    method_factor("13 Newton", what, document[iterations], 3.0, (double)report.residual, known, why);
  }
}

/* The residual after one full Newton iteration of k seconds, over that at the start of the step. `sheet` is where the
   step starts. */
static double first_residual(cloth *sheet, double k) {
  cloth_method method = plain_method();
  cloth_method_report report;
  method_work w;
  method.iterations = 2000;
  method.tolerance = 1e-4f;
  memset(&report, 0, sizeof report);
  memset(memory, 0, 64);
  CHECK(begin_method(&w, sheet, &method, 0, memory, sizeof memory) == CLOTH_OK, "%s",
        cloth_method_explain(sheet, &method));
  w.report = &report;
  open_memory(&w, memory);
  run_method(&w, (float)k);
  find_places(&w);
  find_residual(&w, 0);
  const float end = field_product(&w, FIELD_RESIDUAL, FIELD_RESIDUAL);
  copy_field(&w, field(&w, FIELD_OLD_PLACE), field(&w, FIELD_PLACE));
  find_rates(&w);
  find_places(&w);
  find_residual(&w, 0);
  const float start = field_product(&w, FIELD_RESIDUAL, FIELD_RESIDUAL);
  return sqrt((double)end / (double)start);
}

/* Where the sheet is after 0.35 s decides, and how it comes there is not told: with steps of 1/960 to 1/30 s and 1 to 6
   Newton iterations the last figure is 0.7 to 13. */
static void test_first_residuals(void) {
  const double k = 1.0 / 60.0, fine = 1.0 / 240.0;
  method_relative("13 Newton", "HANG 16^2, k = 1/240: residual after one full iteration", 0.05,
                  first_residual(open_hang(16, fine, 6), fine), 0.1);
  method_relative("13 Newton", "HANG 16^2, k = 1/60: it may rise", 1.45, first_residual(open_hang(16, k, 6), k), 0.1);
  method_missed("13 Newton", "HANG 32^2, k = 1/60: residual after one full iteration", 8.9, 0.89,
                first_residual(open_hang(32, k, 6), k), 1.72,
                "how the sheet came to where it is at 0.35 s is not told: 0.7 to 13 by other ways");
  method_missed("13 Newton", "the same, brought there by single iterations of 1/240 s", 8.9, 0.89,
                first_residual(open_hang(32, fine, 1), k), 8.18, "in the document's range, but a way found for it");
}

/* How far a particle is from where another sheet has it. */
static double distance_from(const cloth *sheet, const float *places, int i) {
  const vector_array x = vectors_at(sheet, sheet->state.position);
  const double3 d = {{(double)x.x[i] - (double)places[3 * i], (double)x.y[i] - (double)places[3 * i + 1],
                      (double)x.z[i] - (double)places[3 * i + 2]}};
  return length3(d);
}

/* The particle that is farthest from where another sheet has it. */
static int farthest_particle(const cloth *sheet, const float *places) {
  int farthest = 0;
  for (int i = 1; i < sheet->count; i++) {
    farthest = distance_from(sheet, places, i) > distance_from(sheet, places, farthest) ? i : farthest;
  }
  return farthest;
}

static double largest_distance(const cloth *sheet, const float *places) {
  return distance_from(sheet, places, farthest_particle(sheet, places));
}

static double distance_of(const float *a, const float *b, int i) {
  const double3 d = {{(double)a[3 * i] - (double)b[3 * i], (double)a[3 * i + 1] - (double)b[3 * i + 1],
                      (double)a[3 * i + 2] - (double)b[3 * i + 2]}};
  return length3(d);
}

static void keep_places(const cloth *sheet, float *places) {
  const vector_array x = vectors_at(sheet, sheet->state.position);
  for (int i = 0; i < sheet->count; i++) {
    places[3 * i] = x.x[i];
    places[3 * i + 1] = x.y[i];
    places[3 * i + 2] = x.z[i];
  }
}

static void test_full_newton(void) {
  static const double soft[] = {0, 0, 2e-4, 6e-5, 6e-5}, stiff[] = {0, 0, 2e-2, 2e-2, 3e-3, 3e-4, 3e-4};
  static const double fine[] = {0, 0, 0, 0, 0, 0, 0, 8e-3}, stiffest[] = {0, 0, 0, 0, 0, 0, 0, 0, 0.27};
  static const char *const why[2] = {
      "where the sheet starts decides, and is not told: 0.0007 to 0.52 by 18 ways there",
      "where the sheet starts decides, and is not told: 0.0018 to 0.67 by 18 ways there"};
  newton_residuals(16, 1.0 / 240.0, soft, 4, 0.0, NULL);
  newton_residuals(16, 1.0 / 60.0, stiff, 6, 0.0, NULL);
  newton_residuals(32, 1.0 / 120.0, fine, 7, 0.000904, why[0]);
  newton_residuals(32, 1.0 / 60.0, stiffest, 8, 0.01126, why[1]);
}

/* With springs that resist shortening Newton's iterations leave out the curvature across them, and converge linearly:
   in floats for three of them. */
static void test_newton_in_compression(void) {
  cloth_config config = plain_config(16, 1000.0);
  config.fabric.compression = config.fabric.shear_compression = 1.0f;
  cloth *sheet = open_sheet(&config);
  pin_corners(sheet);
  cloth_method method = plain_method();
  method.newton = 6;
  method.iterations = 400;
  method.tolerance = 1e-4f;
  run(sheet, &method, 1.0 / 60.0, 21);
  method.iterations = 2000;
  double residual[2];
  for (int n = 0; n < 2; n++) {
    method.newton = 2 + n;
    residual[n] = (double)step_once(sheet, &method, 1.0 / 60.0).residual;
    restore(sheet);
  }
  method_factor("13 Newton", "compression 1, k = 1/60: residual after 3 iterations over 2", 0.4, 1.5,
                residual[1] / residual[0], 0.0, NULL);
}

/* One Newton iteration against the solution of the equation: HANG 16^2, kappa 356. */
static void test_linear_form(void) {
  static float solved[3 * 1024], start[3 * 1024];
  cloth *sheet = open_hang(16, 1.0 / 60.0, 6);
  keep_places(sheet, start);
  cloth_method method = plain_method();
  method.iterations = 2000;
  method.tolerance = 1e-4f;
  method.newton = 10;
  step_once(sheet, &method, 1.0 / 60.0);
  const sheet_energy full = energy_of(sheet);
  keep_places(sheet, solved);
  method_relative("13 Newton", "HANG 16^2, k = 1/60, solved: largest stretch", 0.0073, full.stretch, 0.2);
  restore(sheet);
  method.newton = 1;
  step_once(sheet, &method, 1.0 / 60.0);
  method_relative("13 Newton", "one iteration: largest stretch", 0.0129, energy_of(sheet).stretch, 0.2);
  method_relative("13 Newton", "one iteration: distance from the solution [m]", 0.0024, largest_distance(sheet, solved),
                  0.3);
  method_relative("13 Newton", "the particle farthest from it: its displacement in the step [m]", 0.059,
                  distance_of(start, solved, farthest_particle(sheet, solved)), 0.15);
}

/// Row 21: nonlinear conjugate gradients ///

static void nonlinear_case(double k, double document, double tolerance, double gradients) {
  cloth *sheet = open_hang(16, k, 6);
  static float solved[3 * 1024];
  cloth_method method = plain_method();
  method.iterations = 2000;
  method.tolerance = 1e-3f;
  cloth_method_report report = step_once(sheet, &method, k);
  char what[80];
  snprintf(what, sizeof what, "HANG 16^2, k = 1/%.0f: iterations of the linear solver to 1e-3", 1.0 / k);
  method_relative("21 NLCG", what, gradients, report.iterations, 0.3);
  restore(sheet);
  method.newton = 10;
  method.tolerance = 1e-4f;
  step_once(sheet, &method, k);
  keep_places(sheet, solved);
  const double stretch = energy_of(sheet).stretch;
  restore(sheet);
  method = plain_method();
  method.solver = CLOTH_SOLVER_NONLINEAR;
  method.iterations = 2000;
  method.tolerance = 1e-3f;
  report = step_once(sheet, &method, k);
  snprintf(what, sizeof what, "HANG 16^2, k = 1/%.0f: evaluations to 1e-3", 1.0 / k);
  method_at_most("21 NLCG", what, document, report.evaluations, 1.0 + tolerance);
  snprintf(what, sizeof what, "the same: largest stretch against full Newton's");
  method_within("21 NLCG", what, stretch, energy_of(sheet).stretch, 1e-4);
}

static void test_nonlinear_gradients(void) {
  nonlinear_case(1.0 / 240.0, 50.0, 0.3, 28.0);
  nonlinear_case(1.0 / 60.0, 199.0, 0.3, 97.0);
}

/* The distance from a plane has a tangent that freezes its normal, which nonlinear gradients do not use. */
static void test_nonlinear_plane(void) {
  cloth_config config = plain_config(16, 1000.0);
  config.fabric.bend = 1e-4f;
  cloth *sheet = open_sheet(&config);
  pin_corners(sheet);
  cloth_method method = plain_method();
  method.bending = CLOTH_BENDING_PLANE;
  method.solver = CLOTH_SOLVER_NONLINEAR;
  method.iterations = 2000;
  const cloth_method_report report = run(sheet, &method, 1.0 / 240.0, 84);
  method_at_most("21 NLCG", "bending by planes, no tangent: residual of a step, tolerance 1e-3", 1e-3,
                 (double)report.residual, 1.0);
}

/// Row 11: components ///

/* Components per particle of a grid of n x n whose bonds are there with a probability, by the library's union. */
static double random_components(int n, double probability, uint32_t *random) {
  static int32_t parent[64 * 64];
  int components = 0;
  for (int i = 0; i < n * n; i++) {
    parent[i] = i;
  }
  for (int i = 0; i < n * n; i++) {
    if (i % n + 1 < n && next_random(random) < 2.0 * probability - 1.0) { join_pieces(parent, i, i + 1); }
    if (i / n + 1 < n && next_random(random) < 2.0 * probability - 1.0) { join_pieces(parent, i, i + n); }
  }
  for (int i = 0; i < n * n; i++) {
    components += first_of_piece(parent, i) == i;
  }
  return (double)components / (n * n);
}

static double mean_components(int n, double probability) {
  uint32_t random = 11;
  double sum = 0.0;
  for (int trial = 0; trial < 20; trial++) {
    sum += random_components(n, probability, &random) / 20.0;
  }
  return sum;
}

/* Fig. 6.5: 21 x 21, the centre pinned, stretch implicit, shear explicit. */
static cloth_config centre_config(void) {
  cloth_config config = plain_config(21, 1000.0);
  config.fabric.shear = (float)(0.19 * 0.2 / 441.0 / 1e-4); /* kappa 0.19 at k = 0.01 s */
  config.origin = vector(-0.5f, 0.0f, -0.5f);
  return config;
}

static cloth *open_centre_sheet(void) {
  const cloth_config config = centre_config();
  cloth *sheet = open_sheet(&config);
  cloth_pin(sheet, 10 * 21 + 10);
  return sheet;
}

/* Solved by component to a tolerance, however many iterations that takes. */
static cloth_method by_component(float tolerance) {
  cloth_method method = plain_method();
  method.solver = CLOTH_SOLVER_COMPONENTS;
  method.explicit_threshold = 0.2f;
  method.iterations = 1000;
  method.tolerance = tolerance;
  return method;
}

static void test_components(void) {
  static const int document[10] = {440, 440, 428, 404, 372, 336, 288, 232, 168, 89};
  method_within("11 components", "random bonds, p = 1/2, 64^2: components a particle", 0.1085, mean_components(64, 0.5),
                0.007);
  method_relative("11 components", "random bonds, p = 1/4", 0.511, mean_components(64, 0.25), 0.03);
  method_within("11 components", "random bonds, p = 3/4", 0.0056, mean_components(64, 0.75), 0.001);
  static centre_sheet doubles;
  start_centre_sheet(&doubles, 1e-6);
  cloth *sheet = open_centre_sheet();
  const cloth_method method = by_component(1e-4f);
  for (int step = 0; step < 10; step++) {
    const cloth_method_report report = run(sheet, &method, 0.01, 1);
    char what[80];
    snprintf(what, sizeof what, "fig. 6.5, step %d: components", step + 1);
    const int in_doubles = step_centre_sheet(&doubles);
    if (step < 8) {
      method_relative("11 components", what, document[step], report.components, step < 4 ? 0.0 : 0.05);
    } else {
      method_corrected("11 components", what, document[step], in_doubles, report.components, 0.05 * in_doubles,
                       "another margin of taut springs; with 1e-6, as it says, doubles give this number");
    }
    if (step == 2) {
      method_within("11 components", "fig. 6.5, step 3: particles of the largest", 3.0, report.largest, 0.0);
    }
  }
}

/* Components of fig. 6.5 after each of ten steps, at a tolerance. */
static void find_components(float tolerance, int counts[10]) {
  cloth *sheet = open_centre_sheet();
  const cloth_method method = by_component(tolerance);
  for (int step = 0; step < 10; step++) {
    counts[step] = run(sheet, &method, 0.01, 1).components;
  }
}

/* The first step whose components are not those at a tolerance of 1e-6; 11 if all are. */
static int first_difference(float tolerance) {
  int exact[10], counts[10], step = 0;
  find_components(1e-6f, exact);
  find_components(tolerance, counts);
  while (step < 10 && counts[step] == exact[step]) {
    step++;
  }
  return step + 1;
}

static void test_components_by_tolerance(void) {
  method_within("11 components", "fig. 6.5: first step that differs at 1e-4 from 1e-6 (11: none)", 11,
                first_difference(1e-4f), 0.0);
  method_missed("11 components", "the same at 1e-3", 5, 0.0, first_difference(1e-3f), 4,
                "397 components in the 4th in place of 404, as at 6e-4 to 2e-3; at 5e-4 all steps agree");
  method_within("11 components", "the same at 5e-4 (11: none)", 11, first_difference(5e-4f), 0.0);
}

/* Velocities of a sheet after another step, three floats a particle. */
static void keep_velocities(const cloth *sheet, float *velocities) {
  const vector_array v = vectors_at(sheet, sheet->state.velocity);
  for (int i = 0; i < sheet->count; i++) {
    velocities[3 * i] = v.x[i];
    velocities[3 * i + 1] = v.y[i];
    velocities[3 * i + 2] = v.z[i];
  }
}

static double largest_difference(const float *a, const float *b, int count) {
  double largest = 0.0;
  for (int i = 0; i < 3 * count; i++) {
    largest = fmax(largest, fabs((double)a[i] - (double)b[i]));
  }
  return largest;
}

/* The largest difference of a step by components to the whole solve, over the largest change of a velocity, in steps 1
   to 10. */
static double components_difference(float tolerance) {
  static float before[3 * 441], whole[3 * 441], parts[3 * 441];
  double largest = 0.0;
  for (int step = 0; step < 10; step++) {
    cloth *sheet = open_centre_sheet();
    cloth_method method = plain_method();
    method.explicit_threshold = 0.2f;
    method.iterations = 1000;
    method.tolerance = 1e-5f;
    run(sheet, &method, 0.01, step);
    keep_velocities(sheet, before);
    method.tolerance = tolerance;
    step_once(sheet, &method, 0.01);
    keep_velocities(sheet, whole);
    restore(sheet);
    method.solver = CLOTH_SOLVER_COMPONENTS;
    step_once(sheet, &method, 0.01);
    keep_velocities(sheet, parts);
    largest = fmax(largest, largest_difference(whole, parts, 441) / largest_difference(before, whole, 441));
  }
  return largest;
}

static void test_components_agree(void) {
  static const double cases[3][3] = {{1e-3, 0.05, 0.02096}, {1e-4, 0.002, 0.006015}, {1e-6, 0.0001, 3.0e-5}};
  for (int n = 0; n < 3; n++) {
    char what[80];
    snprintf(what, sizeof what, "fig. 6.5, 10 steps: difference to the whole solve at %g", cases[n][0]);
    method_factor("11 components", what, cases[n][1], 3.0, components_difference((float)cases[n][0]), cases[n][2],
                  "it is that of one step: 0 to .02 by step at 1e-3, 0 to .006 at 1e-4, and whose is not told");
  }
}

/* Products by component over those as a whole, where each step is made both ways from where the whole solve leads. */
static double row_vectors_from_same_states(int steps) {
  const cloth_config config = plain_config(24, 1000.0);
  cloth *sheet = open_sheet(&config);
  pin_corners(sheet);
  double rows[2] = {0.0, 0.0};
  for (int step = 0; step < steps; step++) {
    cloth_method method = plain_method();
    method.iterations = 1000;
    method.solver = CLOTH_SOLVER_COMPONENTS;
    rows[1] += step_once(sheet, &method, 1.0 / 120.0).row_vectors;
    restore(sheet);
    method.solver = CLOTH_SOLVER_GRADIENTS;
    rows[0] += run(sheet, &method, 1.0 / 120.0, 1).row_vectors;
  }
  return rows[1] / rows[0];
}

static void test_row_vectors(void) {
  enum { STEPS = 300, EARLY = 30, LATE = 90 };
  double rows[2] = {0.0, 0.0}, early = 0.0, late = 0.0;
  for (int n = 0; n < 2; n++) {
    const cloth_config config = plain_config(24, 1000.0);
    cloth *sheet = open_sheet(&config);
    pin_corners(sheet);
    cloth_method method = plain_method();
    method.iterations = 1000;
    method.solver = n == 0 ? CLOTH_SOLVER_GRADIENTS : CLOTH_SOLVER_COMPONENTS;
    for (int step = 0; step < STEPS; step++) {
      const cloth_method_report report = run(sheet, &method, 1.0 / 120.0, 1);
      rows[n] += report.row_vectors;
      early += n == 1 && step < EARLY ? report.components / (double)EARLY : 0.0;
      late += n == 1 && step >= LATE ? report.components / (double)(STEPS - LATE) : 0.0;
    }
  }
  CHECK(early > 100.0 && late < 1.2, "%g components in the first quarter of a second, %g after three", early, late);
  const double ratio = rows[1] / rows[0];
  method_range("11 components", "figs 6.9, 6.10, HANG 24^2: row-vector products by component", 0.96, 1.0, 0.0, ratio,
               1.0007, "over 2.5 s sheets part by rounding, and take other numbers of iterations: see the next row");
  method_range("11 components", "the same, each step from the state of the whole solve", 0.96, 1.0, 0.0,
               row_vectors_from_same_states(STEPS), 0.0, NULL);
}

/// Rows 25 to 28: the isometric model ///

/* Triangles whose three corners are red nodes. */
static int count_triangles(const isometric_sheet *s) {
  int triangles = 0;
  for (int n = 0; n < 2 * s->cells_warp * s->cells_weft; n++) {
    const rigid_triangle t = triangle_at(s, n / 2 % s->cells_warp, n / 2 / s->cells_warp, n & 1);
    int reds = 0;
    for (int k = 0; k < 3; k++) {
      reds += s->mobility[t.node[k]] > 0.0f;
    }
    triangles += reds == 3;
  }
  return triangles;
}

static void test_isometric_layout(void) {
  static const int document[4][4] = {{4, 56, 32, 96}, {8, 208, 128, 384}, {16, 800, 512, 1536}, {32, 3136, 2048, 6144}};
  static float floats[10 * 65 * 65];
  for (int n = 0; n < 4; n++) {
    isometric_sheet s = {.cells_warp = document[n][0], .cells_weft = document[n][0], .spacing = 0.1f};
    isometric_init(&s, floats);
    int reds = 0;
    double mass = 0.0;
    for (int i = 0; i < isometric_nodes(&s); i++) {
      reds += s.mobility[i] > 0.0f;
      mass += s.mobility[i] > 0.0f ? 1.0 / (double)s.mobility[i] : 0.0;
    }
    char what[80];
    snprintf(what, sizeof what, "%d^2 cells: red nodes", document[n][0]);
    method_within("25 isometric", what, document[n][1], reds, 0.0);
    snprintf(what, sizeof what, "%d^2 cells: triangles, of three red nodes each", document[n][0]);
    method_within("25 isometric", what, document[n][2], count_triangles(&s), 0.0);
    snprintf(what, sizeof what, "%d^2 cells: their masses in thirds of a triangle's: the distance rows",
             document[n][0]);
    method_within("25 isometric", what, document[n][3], mass, 0.0);
  }
}

/* Strains of many steps: the largest, and how many there are in each bin of a width of 1e-5. */
#define STRAIN_BINS 10000
typedef struct strain_record {
  double largest;
  int count[STRAIN_BINS], total;
} strain_record;

/* Adds the strains of all distances. */
static void add_isometric_strains(const isometric_sheet *s, strain_record *record) {
  for (int n = 0; n < 2 * s->cells_warp * s->cells_weft; n++) {
    const rigid_triangle t = triangle_at(s, n / 2 % s->cells_warp, n / 2 / s->cells_warp, n & 1);
    for (int k = 0; k < 3; k++) {
      const cloth_vector a = vector_load(s->x, t.node[(k + 1) % 3]), b = vector_load(s->x, t.node[(k + 2) % 3]);
      const double3 d = {{(double)b.x - (double)a.x, (double)b.y - (double)a.y, (double)b.z - (double)a.z}};
      const double strain = fabs(length3(d) / sqrt(2.0 * (double)half_square_at_rest(s, k)) - 1.0);
      record->largest = fmax(record->largest, strain);
      record->count[(int)fmin(strain * 1e5, STRAIN_BINS - 1.0)]++;
      record->total++;
    }
  }
}

/* The 99th percentile of a hundred of all strains. */
static double most_strains(const strain_record *record) {
  int bin = 0;
  for (int below = record->count[0]; below < record->total / 100 * 99; below += record->count[bin]) {
    bin++;
  }
  return (bin + 1) * 1e-5;
}

static double lowest_red(const isometric_sheet *s) {
  double low = 0.0;
  for (int i = 0; i < isometric_nodes(s); i++) {
    low = s->mobility[i] > 0.0f ? fmin(low, (double)s->x.y[i]) : low;
  }
  return low;
}

/* HANG of n x n cells, held at one red node in each upper corner, for 1.25 s; strains from 0.5 s on. */
static void isometric_hang(int n, const double document[2], const double known[2]) {
  static const char *const why = "the time from which strains count is not told: of 16^2 .0068 and .00115 from 0 s on";
  static float floats[10 * 65 * 65];
  isometric_sheet s = {.cells_warp = n, .cells_weft = n, .spacing = 1.0f / (float)n};
  static strain_record strains;
  double low = 0.0;
  memset(&strains, 0, sizeof strains);
  CHECK(isometric_floats(&s) <= (int)(sizeof floats / sizeof floats[0]), "too few floats");
  isometric_init(&s, floats);
  s.mobility[1] = s.mobility[2 * n - 1] = 0.0f;
  for (int step = 0; step < 1200; step++) {
    isometric_step(&s, vector(0.0f, -9.81f, 0.0f), 1.0f / 960.0f, 30);
    if (step > 480) { add_isometric_strains(&s, &strains); }
    low = fmin(low, lowest_red(&s));
  }
  char what[80];
  snprintf(what, sizeof what, "HANG %d^2, 960 Hz, 30 sweeps: largest strain", n);
  method_factor("27 isometric", what, document[0], 1.5, strains.largest, known[0], why);
  snprintf(what, sizeof what, "the same: 99th percentile of all steps together");
  method_factor("27 isometric", what, document[1], 1.5, most_strains(&strains), known[1], why);
  CHECK(low < -0.8 && low > -1.5, "the lowest node reaches %g m", low);
}

static void test_isometric_hang(void) {
  static const double document[2] = {0.011, 0.0030}, known[2] = {0.00416, 0.00106};
  isometric_hang(16, document, known);
}

static void test_isometric_large(void) {
  static const double document[2] = {0.060, 0.0046}, known[2] = {0.0389, 0.0038};
  isometric_hang(32, document, known);
}

/// Refusals ///

/* The words are those of the call that the scheme is for. The other call refuses the method, and says why. */
static const char *refusal(cloth *sheet, cloth_method method) {
  size_t bytes = 0;
  const int result = cloth_method_memory(sheet, &method, &bytes);
  const int is_static = method.scheme == CLOTH_SCHEME_STATIC;
  const char *step = cloth_method_explain(sheet, &method), *settle = cloth_method_explain_settle(sheet, &method);
  const char *why = is_static ? settle : step, *other = is_static ? step : settle;
  CHECK((result == CLOTH_OK) == (strcmp(why, "ok") == 0), "%d, but: %s", result, why);
  CHECK(result == CLOTH_OK ? strncmp(other, is_static ? "STATIC: no steps" : "settle: only", 12) == 0
                           : strcmp(other, why) == 0,
        "%s, and the other call: %s", why, other);
  return result == CLOTH_ERROR_METHOD ? why : NULL;
}

static void test_refusals(void) {
  cloth_config config = plain_config(6, 1000.0);
  cloth *sheet = open_sheet(&config);
  cloth_method m = cloth_method_default();
  size_t bytes = 0;
  CHECK(refusal(sheet, m) == NULL, "the default is refused");
  m.solver = CLOTH_SOLVER_SWEEPS;
  CHECK(refusal(sheet, m) == NULL, "sweeps of springs are refused");
  m.material = CLOTH_MATERIAL_TRISPRINGS;
  CHECK(refusal(sheet, m) != NULL, "sweeps of trisprings are not refused");
  m.material = CLOTH_MATERIAL_SPRINGS;
  m.scheme = CLOTH_SCHEME_IMEX2;
  CHECK(refusal(sheet, m) != NULL, "sweeps with IMEX2 are not refused");
  m.scheme = CLOTH_SCHEME_EULER;
  m.newton = 2;
  CHECK(refusal(sheet, m) != NULL, "sweeps with Newton iterations are not refused");
  m = cloth_method_default();
  m.scheme = CLOTH_SCHEME_STATIC;
  m.solver = CLOTH_SOLVER_COMPONENTS;
  CHECK(refusal(sheet, m) != NULL, "STATIC by components is not refused");
  m.solver = CLOTH_SOLVER_NONLINEAR;
  CHECK(refusal(sheet, m) == NULL, "STATIC by nonlinear gradients is refused");
  CHECK(cloth_method_step(sheet, &m, 0.01f, memory, sizeof memory, NULL) == CLOTH_ERROR_METHOD, "STATIC makes steps");
  CHECK(strcmp(cloth_method_explain(sheet, &m), "ok") != 0, "a step with STATIC is said to be ok");
  m = cloth_method_default();
  CHECK(cloth_method_settle(sheet, &m, memory, sizeof memory, NULL) == CLOTH_ERROR_METHOD, "EULER settles");
  CHECK(strcmp(cloth_method_explain_settle(sheet, &m), "ok") != 0, "settling with EULER is said to be ok");
  CHECK(cloth_method_memory(sheet, &m, &bytes) == CLOTH_OK && bytes > 0, "no size");
  CHECK(cloth_method_step(sheet, &m, 0.01f, memory, bytes - 1, NULL) == CLOTH_ERROR_ARENA, "too small a memory");
  CHECK(cloth_method_step(sheet, &m, 0.01f, memory + 4, sizeof memory - 4, NULL) == CLOTH_ERROR_ARENA, "misaligned");
  CHECK(cloth_method_step(sheet, &m, 0.01f, NULL, 0, NULL) == CLOTH_ERROR_NULL, "no memory");
  CHECK(cloth_method_step(sheet, &m, -1.0f, memory, sizeof memory, NULL) == CLOTH_ERROR_RANGE, "dt of -1");
  m.tolerance = 0.0f;
  CHECK(cloth_method_memory(sheet, &m, &bytes) == CLOTH_ERROR_RANGE, "a tolerance of 0");
  m = cloth_method_default();
  m.cookie = 0;
  CHECK(cloth_method_memory(sheet, &m, &bytes) == CLOTH_ERROR_CONFIG, "no cookie");
  m = cloth_method_default();
  m.scheme = CLOTH_SCHEME_EXPLICIT;
  CHECK(cloth_method_step(sheet, &m, 0.1f, memory, sizeof memory, NULL) == CLOTH_ERROR_UNSTABLE, "unstable step");
  m = cloth_method_default();
  const cloth_workers workers = {NULL, NULL};
  m.workers = &workers;
  m.pieces = 2;
  CHECK(cloth_method_step(sheet, &m, 0.01f, memory, sizeof memory, NULL) == CLOTH_ERROR_NULL, "idle workers");
  config.integration.bdf2_blend = 0.5f;
  sheet = open_sheet(&config);
  CHECK(refusal(sheet, cloth_method_default()) != NULL, "a cloth with a history of its own is not refused");
}

/// Contact in the solver ///

typedef struct contact_case {
  const char *name;
  int scheme, solver;
} contact_case;

static const contact_case held_cases[] = {
    {"Euler", CLOTH_SCHEME_EULER, CLOTH_SOLVER_GRADIENTS},
    {"BDF2", CLOTH_SCHEME_BDF2, CLOTH_SOLVER_GRADIENTS},
    {"IMEX2", CLOTH_SCHEME_IMEX2, CLOTH_SOLVER_GRADIENTS},
    {"Euler, components", CLOTH_SCHEME_EULER, CLOTH_SOLVER_COMPONENTS},
    {"BDF2, components", CLOTH_SCHEME_BDF2, CLOTH_SOLVER_COMPONENTS},
    {"IMEX2, components", CLOTH_SCHEME_IMEX2, CLOTH_SOLVER_COMPONENTS},
};
#define HELD_CASES (sizeof held_cases / sizeof held_cases[0])

/* Every scheme and solver with contact by projection, but for those that differ by no bit. */
static const contact_case projected_cases[] = {
    {"explicit", CLOTH_SCHEME_EXPLICIT, CLOTH_SOLVER_GRADIENTS},
    {"Euler", CLOTH_SCHEME_EULER, CLOTH_SOLVER_GRADIENTS},
    {"Euler, nonlinear", CLOTH_SCHEME_EULER, CLOTH_SOLVER_NONLINEAR},
    {"Euler, sweeps", CLOTH_SCHEME_EULER, CLOTH_SOLVER_SWEEPS},
    {"BDF2", CLOTH_SCHEME_BDF2, CLOTH_SOLVER_GRADIENTS},
    {"BDF2, components", CLOTH_SCHEME_BDF2, CLOTH_SOLVER_COMPONENTS},
    {"BDF2, nonlinear", CLOTH_SCHEME_BDF2, CLOTH_SOLVER_NONLINEAR},
    {"BDF2, sweeps", CLOTH_SCHEME_BDF2, CLOTH_SOLVER_SWEEPS},
    {"IMEX2", CLOTH_SCHEME_IMEX2, CLOTH_SOLVER_GRADIENTS},
    {"IMEX2, nonlinear", CLOTH_SCHEME_IMEX2, CLOTH_SOLVER_NONLINEAR},
};
#define PROJECTED_CASES (sizeof projected_cases / sizeof projected_cases[0])

static cloth_method method_of_case(const contact_case *k, int contact) {
  cloth_method method = cloth_method_default();
  method.contact = contact;
  method.scheme = k->scheme;
  method.solver = k->solver;
  method.tolerance = 1e-4f;
  method.iterations = k->solver == CLOTH_SOLVER_SWEEPS ? 30 : 200;
  return method;
}

static const double incline = 0.39269908; /* 22.5 degrees; the tangent is 0.414 */

/* A sheet of 0.5 m that lies on an incline. */
static cloth *open_incline(double friction, int is_explicit) {
  const float c = (float)cos(incline), s = (float)sin(incline);
  cloth_config config = plain_config(8, 1000.0);
  config.edge_warp = vector(0.5f * c, 0.5f * s, 0.0f);
  config.edge_weft = vector(0.0f, 0.0f, 0.5f);
  config.origin = vector(-config.thickness * s, config.thickness * c, 0.0f);
  config.fabric.bend = 1e-5f;
  config.substeps = is_explicit ? 60 : 4;
  config.solver.max_iterations = 200;
  config.solver.tolerance = 1e-4f;
  cloth *sheet = open_sheet(&config);
  cloth_collider plane = cloth_collider_default();
  plane.shape = CLOTH_SHAPE_PLANE;
  plane.pose.rotation.z = (float)sin(0.5 * incline);
  plane.pose.rotation.w = (float)cos(0.5 * incline);
  plane.static_friction = plane.kinetic_friction = (float)friction;
  CHECK(cloth_add_collider(sheet, &plane) >= 0, "no collider");
  return sheet;
}

/* Components of a vector down the incline, and into it. */
static double down(double x, double y) {
  return -x * cos(incline) - y * sin(incline);
}

static double into(double x, double y) {
  return x * sin(incline) - y * cos(incline);
}

/* Mean velocity down the incline. */
static double speed_down(const cloth *sheet) {
  const vector_array v = vectors_at(sheet, sheet->state.velocity);
  double sum = 0.0;
  for (int i = 0; i < sheet->count; i++) {
    sum += down((double)v.x[i], (double)v.y[i]);
  }
  return sum / sheet->count;
}

static double mass_of(const cloth *sheet) {
  double sum = 0.0;
  for (int i = 0; i < sheet->count; i++) {
    sum += (double)reference_mass(sheet) * (double)mass_ratio_at(sheet, i);
  }
  return sum;
}

/* A second on the incline by a method, or by the library's own step without one. */
typedef struct slide_result {
  double half, end;      /* speeds half-way and at the end [m/s] */
  double pressure, drag; /* on the incline in the second half, over the weight of the sheet */
} slide_result;

static slide_result slide_down(double friction, const cloth_method *method) {
  slide_result seen = {0.0, 0.0, 0.0, 0.0};
  cloth_statistics counts = {.contacts = 0};
  cloth *sheet = open_incline(friction, method && method->scheme == CLOTH_SCHEME_EXPLICIT);
  const double weight = 9.81 * mass_of(sheet);
  for (int step = 0; step < 60; step++) {
    cloth_reaction reaction = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    if (method) {
      run(sheet, method, 1.0 / 60.0, 1);
    } else {
      cloth_step(sheet, 1.0f / 60.0f);
    }
    seen.half = step == 29 ? speed_down(sheet) : seen.half;
    if (step >= 30) {
      cloth_get_collider_reaction(sheet, 0, &reaction);
      seen.pressure += into((double)reaction.impulse.x, (double)reaction.impulse.y) / (0.5 * weight);
      seen.drag += down((double)reaction.impulse.x, (double)reaction.impulse.y) / (0.5 * weight);
    }
  }
  seen.end = speed_down(sheet);
  cloth_get_statistics(sheet, &counts);
  CHECK(counts.contacts == 64, "friction %g: %d contacts", friction, counts.contacts);
  return seen;
}

/* Sheets slide by the law of Coulomb, or stay, and the incline receives what they lose. A sheet that starts to slide in
   the solver sticks for a few substeps first: what counts is the second half of a second. */
static void check_incline(const contact_case *k, int contact) {
  static const double friction[] = {0.0, 0.2, 0.35, 0.6};
  const char *const by = contact == CLOTH_CONTACT_SOLVER ? "in the solver" : "projected";
  const cloth_method method = method_of_case(k, contact);
  double off = 0.0;
  char what[80];
  for (int n = 0; n < 4; n++) {
    const double mu = friction[n], acceleration = 9.81 * (sin(incline) - mu * cos(incline));
    const slide_result seen = slide_down(mu, &method);
    snprintf(what, sizeof what, "incline %s, friction %g, %s", by, mu, k->name);
    if (acceleration > 0.0) {
      method_relative("contact", what, acceleration, (seen.end - seen.half) / 0.5, 0.01);
    } else {
      method_within("contact", what, 0.0, seen.end, 1e-4);
    }
    off = fmax(off, fabs(seen.pressure - cos(incline)));
    off = fmax(off, fabs(seen.drag - fmin(mu * cos(incline), sin(incline))));
    if (contact == CLOTH_CONTACT_SOLVER && k == held_cases) {
      snprintf(what, sizeof what, "the same: speed after 1 s, by the library's step");
      method_within("contact", what, slide_down(mu, NULL).end, seen.end, 0.03);
    }
  }
  snprintf(what, sizeof what, "%s, %s: error of reactions over the weight", by, k->name);
  method_within("contact", what, 0.0, off, 0.001);
}

static void test_held_on_incline(void) {
  for (size_t n = 0; n < HELD_CASES; n++) {
    check_incline(&held_cases[n], CLOTH_CONTACT_SOLVER);
  }
}

static void test_projected_on_incline(void) {
  for (size_t n = 0; n < PROJECTED_CASES; n++) {
    check_incline(&projected_cases[n], CLOTH_CONTACT_PROJECTION);
  }
}

/* A sheet falls flat by 4 cm, and lies: the ground receives its weight, from the start to the end, and does not throw
   it up. */
static void check_fall(const contact_case *k, int contact, double friction) {
  cloth_config config = plain_config(8, 1000.0);
  const cloth_method method = method_of_case(k, contact);
  cloth_collider plane = cloth_collider_default();
  char what[80];
  double received = 0.0, height = 0.0;
  config.origin = vector(0.0f, 0.05f, 0.0f);
  config.substeps = k->scheme == CLOTH_SCHEME_EXPLICIT ? 60 : 4;
  cloth *sheet = open_sheet(&config);
  plane.shape = CLOTH_SHAPE_PLANE;
  plane.static_friction = plane.kinetic_friction = (float)friction;
  cloth_add_collider(sheet, &plane);
  for (int step = 0; step < 60; step++) {
    cloth_reaction reaction = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    run(sheet, &method, 1.0 / 60.0, 1);
    cloth_get_collider_reaction(sheet, 0, &reaction);
    received -= (double)reaction.impulse.y;
    height = step < 7 ? 0.0 : fmax(height, (double)vectors_at(sheet, sheet->state.position).y[27]);
  }
  snprintf(what, sizeof what, "falls, %s%s: impulse over weight", k->name,
           contact == CLOTH_CONTACT_SOLVER ? " in the solver" : "");
  method_within("contact", what, 1.0, received / (9.81 * mass_of(sheet)), 0.005);
  CHECK(height < (double)config.thickness + 1e-3, "%s: up to %g m", what, height);
}

static void test_falls(void) {
  for (size_t n = 0; n < PROJECTED_CASES; n++) {
    check_fall(&projected_cases[n], CLOTH_CONTACT_PROJECTION, 0.5);
  }
  for (size_t n = 0; n < HELD_CASES; n++) {
    check_fall(&held_cases[n], CLOTH_CONTACT_SOLVER, 0.5);
  }
}

/// Row 11: components of sheets in contact ///

/* A sheet of HANG's cloth that falls onto a sphere beside its middle, or tilted onto the ground. */
typedef struct contact_scene {
  float side;                   /* [m] */
  float radius, tilt, friction; /* of the sphere, 0: the ground */
  int first, steps;             /* products count from `first` on */
  double k;                     /* [s] */
} contact_scene;

static cloth *open_contact_scene(const contact_scene *s) {
  cloth_config config = plain_config(28, 1000.0);
  cloth_collider collider = cloth_collider_default();
  config.edge_warp = vector(s->side * (float)cos((double)s->tilt), s->side * (float)sin((double)s->tilt), 0.0f);
  config.edge_weft = vector(0.0f, 0.0f, s->side);
  config.origin = vector(-0.5f * s->side, 0.0f, -0.5f * s->side);
  collider.radius = s->radius;
  collider.pose.position = vector(0.1f, -0.02f - s->radius, 0.05f);
  if (s->radius == 0.0f) {
    collider.shape = CLOTH_SHAPE_PLANE;
    collider.pose.position = vector(0.0f, -0.3f, 0.0f);
  }
  collider.static_friction = collider.kinetic_friction = s->friction;
  cloth *sheet = open_sheet(&config);
  CHECK(cloth_add_collider(sheet, &collider) >= 0, "no collider");
  return sheet;
}

/* Products of rows of blocks with vectors, by component over as a whole. */
static double contact_row_vectors(const contact_scene *s) {
  double rows[2] = {0.0, 0.0};
  for (int n = 0; n < 2; n++) {
    cloth *sheet = open_contact_scene(s);
    cloth_method method = plain_method();
    method.iterations = 1000;
    method.contact = CLOTH_CONTACT_SOLVER;
    method.solver = n == 0 ? CLOTH_SOLVER_GRADIENTS : CLOTH_SOLVER_COMPONENTS;
    for (int step = 0; step < s->steps; step++) {
      const cloth_method_report report = run(sheet, &method, s->k, 1);
      rows[n] += step >= s->first ? report.row_vectors : 0.0;
    }
  }
  return rows[1] / rows[0];
}

/* Friction of 10 is sticky. How much of the sheet the collider holds, and for how long, decides. The thesis names its
   sheet of 1.5 m, beside the middle of a sphere, its second, and that with some frictions it sticks and with some slips
   (section 6.4.2). Figures of sticky scenes are a prototype's, whose scenes nothing describes: for those here are
   HANG's sheet and steps. */
static void test_products_by_contact(void) {
  static const double k = 1.0 / 120.0;
  const contact_scene sticky = {1.0f, 0.3f, 0.0f, 10.0f, 0, 300, k}, large = {1.0f, 0.5f, 0.0f, 10.0f, 150, 300, k};
  const contact_scene sliding = {1.0f, 0.3f, 0.0f, 0.3f, 0, 300, k}, ground = {1.0f, 0.0f, 0.3f, 10.0f, 0, 300, k};
  const contact_scene longer = {1.0f, 0.0f, 0.3f, 10.0f, 0, 600, k};
  const contact_scene sticks = {1.5f, 0.3f, 0.0f, 10.0f, 0, 100, 0.01}, slips = {1.5f, 0.3f, 0.0f, 0.3f, 0, 100, 0.01};
  const double slides = contact_row_vectors(&sliding);
  method_within("11 components", "the thesis's sheet, 1 s: mean of sticking and slipping", 0.8,
                0.5 * (contact_row_vectors(&sticks) + contact_row_vectors(&slips)), 0.05);
  method_range("11 components", "sticky sphere, 28^2: row-vector products by component", 0.25, 0.36, 0.01,
               contact_row_vectors(&sticky), 0.565,
               "a prototype's, of a scene that nothing describes: 0.05 to 0.65 by sphere, side, time and grid");
  method_range("11 components", "sticky sphere of 0.5 m, a scene found for the range", 0.25, 0.36, 0.01,
               contact_row_vectors(&large), 0.366, "roundings decide: 0.37 to 0.47 by tilts of 1e-5");
  method_missed("11 components", "tilted onto sticky ground", 0.33, 0.0165, contact_row_vectors(&ground), 0.428,
                "a prototype's, without height, tilt and time: 0.16 to 0.58 by them, 0.19 to 0.43 by tilts of 1e-5");
  method_missed("11 components", "the same for 5 s", 0.33, 0.0165, contact_row_vectors(&longer), 0.425,
                "the same: roundings decide how the sheet comes to lie");
  method_range("11 components", "sliding over the sphere of 0.3 m, friction 0.3", 0.72, 0.87, 0.01, slides, 0.0, NULL);
}

/// Every combination ///

static const char *const material_names[] = {"springs", "unprojected", "conditions", "trisprings"};
static const char *const bending_names[] = {"none", "springs", "quadratic", "plane", "hinge"};
static const char *const scheme_names[] = {"explicit", "Euler", "BDF2", "IMEX2", "static"};
static const char *const solver_names[] = {"gradients", "components", "nonlinear", "sweeps"};

/* A sheet of 12 x 12 dropped onto a ball: by any method it hangs over it, finite, outside, hardly stretched. */
static void drop_onto_ball(cloth_method method, const char *name) {
  cloth_config config = plain_config(12, 300.0);
  config.fabric.shear = 200.0f;
  config.fabric.bend = 1e-4f;
  config.fabric.compression = config.fabric.shear_compression = 1.0f;
  config.fabric.stretch_damping = config.fabric.shear_damping = 0.02f;
  config.fabric.bend_damping = 0.01f;
  config.substeps = method.scheme == CLOTH_SCHEME_EXPLICIT ? 40 : 4;
  config.origin = vector(-0.5f, 0.0f, -0.5f);
  cloth *sheet = open_sheet(&config);
  cloth_collider ball = cloth_collider_default();
  ball.radius = 0.3f;
  ball.pose.position = vector(0.01f, -0.32f, 0.02f);
  ball.static_friction = ball.kinetic_friction = method.scheme == CLOTH_SCHEME_STATIC ? 0.0f : 0.4f;
  cloth_add_collider(sheet, &ball);
  method.lambda = 150.0f;
  method.mu = 100.0f;
  cloth_method_report report;
  if (method.scheme == CLOTH_SCHEME_STATIC) {
    /* Nothing else keeps it on the ball. */
    cloth_pin(sheet, 0);
    cloth_pin(sheet, 11);
    const int result = cloth_method_settle(sheet, &method, memory, sizeof memory, &report);
    CHECK(result >= 0, "%s: %d", name, result);
  } else {
    run(sheet, &method, 1.0 / 60.0, 24);
  }
  const sheet_energy e = energy_of(sheet);
  double inside = 0.0;
  for (int i = 0; i < sheet->count; i++) {
    const double3 centre = {{0.01, -0.32, 0.02}};
    inside = fmax(inside, 0.3 - length3(sum3(place_at(sheet, i % 12, i / 12), centre, -1.0)));
  }
  CHECK(e.total == e.total && e.lowest > -2.0 && e.lowest < -0.1, "%s: energy %g, lowest %g", name, e.total, e.lowest);
  CHECK(e.stretch < 0.12, "%s: stretch %g", name, e.stretch);
  CHECK(inside < 1e-4, "%s: %g m inside the ball", name, inside);
}

/* Which combinations are refused; every `stride`-th of the others drops a sheet. */
static void check_combinations(int stride) {
  cloth_config config = plain_config(6, 1000.0);
  int tried = 0, refused = 0, alike = 0;
  for (int n = 0; n < 4 * 5 * 5 * 4; n++) {
    cloth_method m = cloth_method_default();
    m.material = n % 4;
    m.bending = n / 4 % 5;
    m.scheme = n / 20 % 5;
    m.solver = n / 100;
    m.iterations = m.scheme == CLOTH_SCHEME_STATIC && m.solver == CLOTH_SOLVER_NONLINEAR ? 400 : 100;
    char name[80];
    snprintf(name, sizeof name, "%s, bending %s, %s, %s", material_names[m.material], bending_names[m.bending],
             scheme_names[m.scheme], solver_names[m.solver]);
    if (refusal(open_sheet(&config), m)) {
      refused++;
      continue;
    }
    alike += m.scheme == CLOTH_SCHEME_EXPLICIT && m.solver != CLOTH_SOLVER_GRADIENTS;
    if (tried++ % stride == 0) drop_onto_ball(m, name);
  }
  /* Refused: sweeps but for springs without or with quadratic bending by Euler and BDF2, and static components. */
  CHECK(refused == 20 * 5 - 4 + 20, "%d refused, %d tried", refused, tried);
  CHECK(tried - alike == 244, "%d combinations differ, README.md of the example says 244", tried - alike);
  printf(
      "            %d combinations, every %d. of them run; %d more are refused; %d differ, as explicit steps have no "
      "solver\n",
      tried, stride, refused, tried - alike);
}

/* Contact in the solver: every scheme and solver that has it, with every material and law of bending. */
static void test_held_combinations(void) {
  for (size_t n = 0; n < 20 * HELD_CASES; n++) {
    cloth_method m = method_of_case(&held_cases[n / 20], CLOTH_CONTACT_SOLVER);
    m.material = (int)(n % 4);
    m.bending = (int)(n / 4 % 5);
    char name[80];
    snprintf(name, sizeof name, "held, %s, bending %s, %s", material_names[m.material], bending_names[m.bending],
             held_cases[n / 20].name);
    drop_onto_ball(m, name);
  }
}

static void test_every_combination(void) {
  check_combinations(1);
}

static void test_sample_of_choices(void) {
  check_combinations(7);
}

int main(int count, char **arguments) {
  static const test tests[] = {
      TEST(jacobians),
      TEST(trisprings),
      TEST(buckling),
      TEST(buckled_plate),
      TEST(isotropy),
      TEST(half_shear),
      TEST(cylinder),
      TEST(alternating_hinges),
      TEST(long_cells),
      TEST(plane_torque),
      TEST(elastica),
      TEST(explicit_limits),
      TEST(orders),
      TEST(implicit_decay),
      TEST(full_newton),
      TEST(first_residuals),
      TEST(newton_in_compression),
      TEST(linear_form),
      TEST(nonlinear_gradients),
      TEST(nonlinear_plane),
      TEST(components),
      TEST(components_by_tolerance),
      TEST(components_agree),
      TEST(row_vectors),
      TEST(static_drape),
      TEST(static_steps),
      TEST(static_by_steps),
      TEST(isometric_layout),
      TEST(isometric_hang),
      TEST(refusals),
      TEST(held_on_incline),
      TEST(projected_on_incline),
      TEST(falls),
      TEST(products_by_contact),
      TEST(held_combinations),
      TEST(every_combination),
      TEST(sample_of_choices),
      TEST(isometric_large),
      TEST(count_of_rows),
  };
  return RUN_TESTS(count, arguments, tests);
}
