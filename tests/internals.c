/*
 * What the public interface cannot show: the stability limit of explicit steps beyond what the library allows itself,
 * the solver's operator against its definition, the conjugate gradient against known iteration counts, the
 * preconditioners, the square root, and the solves along lines against dense ones of their equations.
 */
/* The root by integers is the one that can go wrong; the rest is tested on top of it. */
#define CLOTH_SQUARE_ROOT_BY_BITS
#include "springs_alone.h"

#include "../cloth.c"

#include "check.h"
#include "rows.h"
#include "schemes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Sheets ///

static unsigned char arena[1 << 22] __attribute__((aligned(CLOTH_ALIGNMENT)));

/* A sheet of unit cells' spacing h at rest in the x-z plane, moved by its springs alone. */
static cloth_config bare_config(int32_t columns, int32_t rows, double h) {
  cloth_config config = cloth_config_default();
  use_two_tiers(&config);
  config.columns = columns;
  config.rows = rows;
  config.edge_warp = vector((float)(h * (columns - 1)), 0.0f, 0.0f);
  config.edge_weft = vector(0.0f, 0.0f, (float)(h * (rows - 1)));
  memset(&config.fabric, 0, sizeof config.fabric);
  config.fabric.density = 0.2f;
  config.grid.min_bending_length = 0.0f;
  config.integration.velocity_damping = 0.0f;
  config.gravity = vector(0.0f, 0.0f, 0.0f);
  config.integration.method = CLOTH_INTEGRATION_IMPLICIT;
  config.substeps = 1;
  config.capacity.max_confined = 64;
  return config;
}

static cloth *open_sheet(const cloth_config *config) {
  cloth *sheet = NULL;
  int result = cloth_init(config, arena, sizeof arena, &sheet);
  CHECK(result == CLOTH_OK, "cloth_init: %s", cloth_result_name(result));
  if (result != CLOTH_OK) {
    exit(check_report());
  }
  return sheet;
}

/* A number in -1..1 from a fixed sequence. */
static double next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 8388608.0 - 1.0;
}

/* Stiffness or damping that gives springs this kappa at a step of k. */
static float stiffness_for(const cloth_config *config, double kappa, double k) {
  double area = (double)vector_length(config->edge_warp) * (double)vector_length(config->edge_weft);
  double mass = (double)config->fabric.density * area / (config->columns * config->rows);
  return (float)(kappa * mass / (k * k));
}

static float damping_for(const cloth_config *config, double kappa, double k) {
  return (float)((double)stiffness_for(config, kappa, k) * k / 2.0);
}

/* The plan of a step of k, with forces evaluated: right-hand side in the residual, operator filled. */
static step_plan evaluate(cloth *sheet, float k) {
  step_plan plan;
  CHECK(!is_refused(sheet, k), "the step was refused");
  plan_step(sheet, k, &plan);
  prepare_particles(sheet, k);
  evaluate_forces(sheet, &plan, vectors_at(sheet, sheet->scratch.residual));
  return plan;
}

/* Coordinate n of a vector array: 3 a particle. */
static float *coordinate(const cloth *sheet, uintptr_t array, int n) {
  vector_array vectors = vectors_at(sheet, array);
  float *component[3] = {vectors.x, vectors.y, vectors.z};
  return component[n % 3] + n / 3;
}

/// Square root ///

static long wrong_roots(uint32_t first, uint32_t last, uint32_t stride) {
  long wrong = 0;
  for (uint64_t bits = first; bits <= last; bits += stride) {
    float_bits value;
    value.bits = (uint32_t)bits;
    wrong += square_root(value.value) != sqrtf(value.value);
  }
  return wrong;
}

/* Two binades hold every mantissa with an even and an odd exponent; elsewhere a stride tries every exponent. */
static void test_square_roots(void) {
  row_none("ROOT", "wrong roots among all of 1..4", wrong_roots(0x3f800000u, 0x407fffffu, 1u));
  row_none("ROOT", "wrong roots among every 521st normal", wrong_roots(0x00800000u, 0x7f7fffffu, 521u));
  CHECK(square_root(0.0f) == 0.0f, "the root of 0 is %g", (double)square_root(0.0f));
}

/// A7 Stability of forward-backward Euler ///

/* One explicit step whatever kappa: the plan is the library's, its choice to solve is overruled. */
static void step_explicitly(cloth *sheet, float k) {
  step_plan plan;
  plan_step(sheet, k, &plan);
  plan.spring[WARP].mode = CLOTH_MODE_EXPLICIT;
  plan.solves = 0;
  prepare_particles(sheet, k);
  reset_statistics(sheet, &plan);
  substep(sheet, &plan, 0);
}

/* Two chains of `free` masses, springs to pins at both ends if `fixed`, that also push and move only along
   themselves; `share` of kappa is damping. They start shaken by 1e-4 of a link. */
static cloth *open_chain(int32_t free, int fixed, double kappa, double share, double k) {
  const double h = 0.1;
  int32_t columns = fixed ? free + 2 : free;
  cloth_config config = bare_config(columns, 2, h);
  config.fabric.compression = 1.0f;
  config.fabric.stretch_warp = stiffness_for(&config, kappa * (1.0 - share), k);
  config.fabric.stretch_damping = damping_for(&config, kappa * share, k);
  cloth *sheet = open_sheet(&config);
  uint32_t random = 7;
  for (int32_t i = 0; i < 2 * columns; i++) {
    if (fixed && (i % columns == 0 || i % columns == columns - 1)) {
      cloth_pin(sheet, i);
      continue;
    }
    cloth_vector place = {0.0f, 0.0f, 0.0f};
    cloth_get_position(sheet, i, &place);
    place.x += (float)(1e-4 * h * next_random(&random));
    cloth_set_particle(sheet, i, place, vector(0.0f, 0.0f, 0.0f));
    cloth_confine_to_line(sheet, i, vector(1.0f, 0.0f, 0.0f));
  }
  return sheet;
}

/* Whether the shaking grew a hundredfold, far more than a stable chain this close to its limit can make of it. */
static int blows_up(int32_t free, int fixed, double kappa, double share) {
  const double k = 0.01, grown = 1e-3;
  cloth *sheet = open_chain(free, fixed, kappa, share, k);
  float rest = sheet->grid.spacing_warp;
  for (int i = 0; i < 4000; i++) {
    step_explicitly(sheet, (float)k);
    vector_array x = vectors_at(sheet, sheet->state.position);
    for (int32_t j = 0; j + 1 < sheet->grid.columns; j++) {
      if (!(fabs((double)(x.x[j + 1] - x.x[j] - rest)) < grown)) {
        return 1;
      }
    }
  }
  return 0;
}

/* Mode lambda of the chain is stable while kappa lambda < 4; the largest lambda is 4 sin^2 of N pi / 2 (N + 1) between
   walls and of (N - 1) pi / 2 N when free. */
static void critical_kappa(int32_t free, int fixed, double share, double expected) {
  double stable = 0.5, unstable = 2.0;
  while (unstable - stable > 1e-3) {
    double kappa = 0.5 * (stable + unstable);
    *(blows_up(free, fixed, kappa, share) ? &unstable : &stable) = kappa;
  }
  char what[64];
  snprintf(what, sizeof what, "critical kappa, %s, N %d, damping share %.1f", fixed ? "fixed" : "free", (int)free,
           share);
  row_relative("A7", what, expected, 0.5 * (stable + unstable), 0.01);
}

static void test_stability_limits(void) {
  for (int i = 0; i < 2; i++) {
    double share = 0.5 * i;
    critical_kappa(4, 1, share, 1.10557);
    critical_kappa(8, 1, share, 1.03109);
    critical_kappa(16, 1, share, 1.00859);
    critical_kappa(8, 0, share, 1.03957);
  }
}

/// The operator ///

enum { SIDE = 5, UNKNOWNS = 3 * SIDE * SIDE, LONG = 21, UNKNOWNS_MOST = 3 * 2 * LONG };

static double matrix[UNKNOWNS_MOST][UNKNOWNS_MOST];
static int unknowns = UNKNOWNS;

/* A crumpled square sheet: particles moved off their grid by up to `crumple` cells. Stretched or squeezed by `scale`
   first. */
static cloth *open_crumpled(const cloth_config *config, double scale, double crumple, uint32_t seed) {
  cloth *sheet = open_sheet(config);
  double step = crumple * (double)sheet->grid.spacing_warp;
  uint32_t random = seed;
  for (int n = 0; n < 3 * sheet->count; n++) {
    float *x = coordinate(sheet, sheet->state.position, n);
    *x = (float)(scale * (double)*x + step * next_random(&random));
  }
  return sheet;
}

/* Column by column: A times the unit vectors. */
static void fill_matrix(cloth *sheet, const step_plan *plan) {
  for (int column = 0; column < unknowns; column++) {
    fill_vectors(sheet, vectors_at(sheet, sheet->scratch.direction), 0.0f);
    *coordinate(sheet, sheet->scratch.direction, column) = 1.0f;
    apply_operator(sheet, plan);
    for (int row = 0; row < unknowns; row++) {
      matrix[row][column] = (double)*coordinate(sheet, sheet->scratch.product, row);
    }
  }
}

static double matrix_size(void) {
  double size = 0.0;
  for (int n = 0; n < unknowns * unknowns; n++) {
    size = fmax(size, fabs(matrix[n / unknowns][n % unknowns]));
  }
  return size;
}

static double matrix_asymmetry(void) {
  double worst = 0.0;
  for (int row = 0; row < unknowns; row++) {
    for (int column = 0; column < row; column++) {
      worst = fmax(worst, fabs(matrix[row][column] - matrix[column][row]));
    }
  }
  return worst / matrix_size();
}

/* Least pivot of the Cholesky factorisation of the matrix less `shift`: positive if and only if all eigenvalues exceed
   the shift. */
static double least_pivot(double shift) {
  static double l[UNKNOWNS_MOST][UNKNOWNS_MOST];
  double least = 1e300;
  for (int row = 0; row < unknowns; row++) {
    for (int column = 0; column <= row; column++) {
      double sum = matrix[row][column] - (row == column ? shift : 0.0);
      for (int i = 0; i < column; i++) {
        sum -= l[row][i] * l[column][i];
      }
      l[row][column] = row == column ? sqrt(fmax(sum, 1e-300)) : sum / l[column][column];
      least = row == column ? fmin(least, sum) : least;
    }
  }
  return least;
}

/* A = M - k df/dv - k^2 df/dx has every eigenvalue at least the mass ratio, 1 here. */
static void operator_definite(double kappa) {
  const double k = 0.01;
  cloth_config config = bare_config(SIDE, SIDE, 0.1);
  config.fabric.stretch_warp = config.fabric.stretch_weft = stiffness_for(&config, kappa, k);
  config.fabric.shear = stiffness_for(&config, 0.5 * kappa, k);
  config.fabric.stretch_damping = config.fabric.shear_damping = damping_for(&config, 0.1 * kappa, k);
  config.fabric.compression = 0.5f;
  cloth *sheet = open_crumpled(&config, 1.0, 0.4, 3);
  step_plan plan = evaluate(sheet, (float)k);
  fill_matrix(sheet, &plan);
  char what[64];
  snprintf(what, sizeof what, "asymmetry of the operator, kappa %.0e (rel)", kappa);
  row_error("OP", what, matrix_asymmetry(), 1e-6);
  double pivot = least_pivot(0.9);
  snprintf(what, sizeof what, "least pivot of A - 0.9, kappa %.0e", kappa);
  print_row("OP", what, 0.1, pivot, "> 0", pivot > 0.0);
}

/* Largest difference between A - 1 and minus the change of the right-hand side with `array`, relative to A - 1; the
   right-hand side is k f / m. Differences of two steps `reach` to both sides. */
static double jacobian_error(cloth *sheet, float k, uint32_t array, double reach, double factor) {
  step_plan plan = evaluate(sheet, k);
  fill_matrix(sheet, &plan);
  double worst = 0.0, size = 0.0;
  for (int column = 0; column < UNKNOWNS; column++) {
    static double change[UNKNOWNS];
    float *x = coordinate(sheet, array, column);
    float start = *x, high = start + (float)reach, low = start - (float)reach;
    for (int side = 0; side < 2; side++) {
      *x = side ? high : low;
      evaluate(sheet, k);
      for (int row = 0; row < UNKNOWNS; row++) {
        double b = (double)*coordinate(sheet, sheet->scratch.residual, row);
        change[row] = side ? change[row] - b : b;
      }
    }
    *x = start;
    for (int row = 0; row < UNKNOWNS; row++) {
      double slope = factor * change[row] / ((double)high - (double)low);
      double expected = matrix[row][column] - (row == column ? 1.0 : 0.0);
      worst = fmax(worst, fabs(slope - expected));
      size = fmax(size, fabs(expected));
    }
  }
  CHECK(size > 1.0, "the operator is next to empty");
  return worst / size;
}

/* All springs taut, where nothing of the Jacobian is dropped. The velocities are 0, so that the right-hand side is
   k f / m, and k times its slope is k^2 / m df/dx. */
static void test_spring_jacobians(void) {
  const double k = 0.01, h = 0.1;
  cloth_config config = bare_config(SIDE, SIDE, h);
  config.fabric.stretch_warp = stiffness_for(&config, 20.0, k);
  config.fabric.stretch_weft = stiffness_for(&config, 10.0, k);
  cloth *sheet = open_crumpled(&config, 1.5, 0.1, 5);
  row_error("JAC", "stretch springs, df/dx (rel)", jacobian_error(sheet, (float)k, sheet->state.position, 0.003 * h, k),
            1e-3);
  config.fabric.stretch_warp = config.fabric.stretch_weft = 0.0f;
  config.fabric.shear = stiffness_for(&config, 20.0, k);
  sheet = open_crumpled(&config, 1.5, 0.1, 5);
  row_error("JAC", "shear springs, df/dx (rel)", jacobian_error(sheet, (float)k, sheet->state.position, 0.003 * h, k),
            1e-3);
  config.fabric.shear = 0.0f;
  config.fabric.stretch_damping = config.fabric.shear_damping = damping_for(&config, 20.0, k);
  sheet = open_crumpled(&config, 1.5, 0.1, 5);
  row_error("JAC", "projected damping, df/dv (rel)", jacobian_error(sheet, (float)k, sheet->state.velocity, 0.1, 1.0),
            1e-3);
}

/// The conjugate gradient ///

/* A = I + c times the five-point Laplacian with free edges: isotropic blocks beta = c, w = 0 on warp and weft. */
static step_plan fill_laplacian(cloth *sheet, float c) {
  step_plan plan = evaluate(sheet, 0.01f);
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    plan.spring[d].mode = d <= WEFT ? CLOTH_MODE_IMPLICIT : CLOTH_MODE_OFF;
    for (int32_t i = 0; d <= WEFT && i < sheet->count; i++) {
      int32_t row = i / sheet->grid.columns, column = i % sheet->grid.columns;
      int missing = d == WARP ? column == sheet->grid.columns - 1 : row == sheet->grid.rows - 1;
      float *spring = tiles_of(sheet, row) + tile_offset(column & ~(TILE - 1)) + (column & (TILE - 1));
      for (int part = 0; part < OPERATOR_FLOATS; part++) {
        spring[(OPERATOR_FLOATS * d + part) * tile_width(sheet, column)] = part == 3 && !missing ? c : 0.0f;
      }
    }
  }
  plan.solves = 1;
  return plan;
}

/* Length of the residual on the particles that move. */
static double residual_length(const cloth *sheet) {
  double sum = 0.0;
  for (int n = 0; n < 3 * sheet->count; n++) {
    double r = (double)*coordinate(sheet, sheet->scratch.residual, n);
    sum += floats_at(sheet, sheet->scratch.mobility)[n / 3] > 0.0f ? r * r : 0.0;
  }
  return sqrt(sum);
}

/* Least iteration cap at which |r| <= tolerance |b|, b = 1, from 0. The library stops by another norm, so every cap is
   tried with its own stopping turned off. */
static int iterations_to(cloth *sheet, const step_plan *plan, double tolerance) {
  for (int32_t cap = 1; cap <= 200; cap++) {
    sheet->settings.solver.max_iterations = cap;
    sheet->settings.solver.tolerance = 0.0f;
    fill_vectors(sheet, vectors_at(sheet, sheet->scratch.solution), 0.0f);
    fill_vectors(sheet, vectors_at(sheet, sheet->scratch.residual), 1.0f);
    double start = residual_length(sheet);
    build_preconditioner(sheet, plan, 0);
    solve(sheet, plan, 0);
    if (residual_length(sheet) <= tolerance * start) {
      return cap;
    }
  }
  return 999;
}

static cloth *open_square(int32_t side, int32_t preconditioner) {
  cloth_config config = bare_config(side, side, 0.1);
  config.solver.preconditioner = (int32_t)preconditioner;
  config.fabric.stretch_warp = config.fabric.stretch_weft = 100.0f;
  return open_sheet(&config);
}

/* Iterations of the plain recurrence in double and in float: at 1e-6 rounding costs a float up to a third more. Between
   two less than the one and a tenth more than the other, whichever is higher. */
static void iteration_count(int32_t side, float c, double tolerance, int32_t preconditioner, int in_double,
                            int in_float) {
  cloth *sheet = open_square(side, preconditioner);
  cloth_pin(sheet, cloth_particle_at(sheet, 0, 0));
  cloth_pin(sheet, cloth_particle_at(sheet, side - 1, 0));
  step_plan plan = fill_laplacian(sheet, c);
  int counted = iterations_to(sheet, &plan, tolerance);
  int least = in_double - 2, most = in_float + (in_float > 20 ? in_float / 10 : 2);
  char what[64], range[32];
  snprintf(what, sizeof what, "iterations, N %d, c %.0f, to %.0e, %s", (int)side, (double)c, tolerance,
           preconditioner == CLOTH_PRECONDITIONER_NONE ? "none" : "Jacobi");
  snprintf(range, sizeof range, "%d..%d", least, most);
  print_row("CG", what, in_double, counted, range, counted >= least && counted <= most);
}

static void test_iteration_counts(void) {
  static const struct {
    int32_t side;
    float c;
    double tolerance;
    int none_double, none_float, jacobi_double, jacobi_float;
  } table[] = {{10, 100.0f, 1e-3, 22, 22, 21, 21},  {10, 100.0f, 1e-6, 29, 35, 29, 34},
               {20, 10.0f, 1e-3, 26, 26, 28, 28},   {20, 10.0f, 1e-6, 46, 46, 45, 45},
               {20, 100.0f, 1e-3, 44, 44, 44, 44},  {20, 100.0f, 1e-6, 61, 78, 60, 70},
               {20, 1000.0f, 1e-3, 50, 50, 49, 49}, {20, 1000.0f, 1e-6, 64, 83, 64, 82}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    iteration_count(table[i].side, table[i].c, table[i].tolerance, CLOTH_PRECONDITIONER_NONE, table[i].none_double,
                    table[i].none_float);
    iteration_count(table[i].side, table[i].c, table[i].tolerance, CLOTH_PRECONDITIONER_DIAGONAL,
                    table[i].jacobi_double, table[i].jacobi_float);
  }
}

/* Without pins a uniform right-hand side is an eigenvector: one iteration, exactly. */
static void test_iteration_of_uniform(void) {
  cloth *sheet = open_square(20, CLOTH_PRECONDITIONER_NONE);
  step_plan plan = fill_laplacian(sheet, 100.0f);
  row_within("CG", "iterations, no pins, uniform b", 1.0, iterations_to(sheet, &plan, 1e-6), 0.0);
}

/* A >= 1 bounds the solution by the right-hand side, |x| <= |b|, and every iterate of a conjugate gradient from zero is
   shorter than the next. So however small b is and however long the cap, rounding must not lengthen x. */
static double solution_growth(double size, double kappa, int32_t cap) {
  const double k = 0.01;
  cloth_config config = bare_config(21, 2, 0.05);
  config.fabric.stretch_warp = config.fabric.stretch_weft = stiffness_for(&config, kappa, k);
  config.solver.max_iterations = cap;
  config.solver.tolerance = 1e-4f;
  cloth *sheet = open_crumpled(&config, 1.001, 0.2, 9);
  step_plan plan = evaluate(sheet, (float)k);
  uint32_t random = 11;
  double b = 0.0, x = 0.0;
  for (int n = 0; n < 3 * sheet->count; n++) {
    float value = (float)(size * next_random(&random));
    *coordinate(sheet, sheet->scratch.residual, n) = value;
    b += (double)value * (double)value;
  }
  fill_vectors(sheet, vectors_at(sheet, sheet->scratch.solution), 0.0f);
  build_preconditioner(sheet, &plan, 0);
  solve(sheet, &plan, 0);
  for (int n = 0; n < 3 * sheet->count; n++) {
    double value = (double)*coordinate(sheet, sheet->scratch.solution, n);
    x += value * value;
  }
  return sqrt(x / b);
}

static void test_solution_bounds(void) {
  for (double size = 1.0; size > 1e-11; size *= 1e-2) {
    double most = 0.0;
    for (double kappa = 1.0; kappa < 2e5; kappa *= 10.0) {
      most = fmax(most, solution_growth(size, kappa, 8));
      most = fmax(most, solution_growth(size, kappa, 1000));
    }
    char what[64];
    snprintf(what, sizeof what, "longest solution / right-hand side of %.0e", size);
    print_row("CG", what, 1.0, most, "<= 1.001", most <= 1.001);
  }
}

/// Preconditioners ///

/* Whether the inverse of one particle is positive definite, by its leading minors in double precision. */
static int is_definite(const cloth *sheet, int32_t i) {
  symmetric m = symmetric_load(sheet, i);
  double xx = (double)lanes_first_value(m.xx), yy = (double)lanes_first_value(m.yy);
  double zz = (double)lanes_first_value(m.zz), xy = (double)lanes_first_value(m.xy);
  double xz = (double)lanes_first_value(m.xz), yz = (double)lanes_first_value(m.yz);
  double second = xx * yy - xy * xy;
  double third = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
  return xx > 0.0 && second > 0.0 && third > 0.0;
}

/* Crumpled sheets, and flat ones stretched along one axis, whose blocks are all but singular across it. */
static long indefinite_inverses(int32_t preconditioner, double kappa) {
  const double k = 0.01;
  long count = 0;
  for (uint32_t seed = 1; seed <= 200; seed++) {
    cloth_config config = bare_config(SIDE, SIDE, 0.1);
    config.solver.preconditioner = (int32_t)preconditioner;
    config.fabric.stretch_warp = stiffness_for(&config, kappa, k);
    config.fabric.stretch_weft = seed % 2 ? config.fabric.stretch_warp : 0.0f;
    config.fabric.shear = seed % 3 ? config.fabric.stretch_warp : 0.0f;
    config.fabric.compression = 1.0f;
    cloth *sheet = open_crumpled(&config, 1.0 + 0.01 * (seed % 7), seed % 5 * 0.1, seed);
    step_plan plan = evaluate(sheet, (float)k);
    build_preconditioner(sheet, &plan, 0);
    for (int32_t i = 0; i < sheet->count; i++) {
      count += !is_definite(sheet, i);
    }
  }
  return count;
}

static void test_preconditioners(void) {
  static const char *const names[] = {"block", "diagonal", "none"};
  for (int kind = CLOTH_PRECONDITIONER_BLOCK; kind <= CLOTH_PRECONDITIONER_NONE; kind++) {
    for (double kappa = 1e2; kappa < 2e5; kappa *= 10.0) {
      char what[64];
      snprintf(what, sizeof what, "indefinite inverses, %s, kappa %.0e", names[kind], kappa);
      row_none("PRE", what, indefinite_inverses((int32_t)kind, kappa));
    }
  }
}

/// Multilevel preconditioner ///

/* A strip with two coarser grids, pinned at one end, one particle on a line, two on planes. */
static cloth *open_strip(double kappa, step_plan *plan) {
  const double k = 0.01;
  cloth_config config = bare_config(LONG, 2, 0.1);
  config.solver.preconditioner = CLOTH_PRECONDITIONER_MULTILEVEL;
  config.fabric.stretch_warp = config.fabric.stretch_weft = stiffness_for(&config, kappa, k);
  config.fabric.shear = stiffness_for(&config, 0.7 * kappa, k);
  cloth *sheet = open_crumpled(&config, 1.0, 0.4, 3);
  cloth_pin(sheet, 0);
  cloth_pin(sheet, LONG);
  cloth_confine_to_line(sheet, 7, vector(1.0f, 2.0f, -1.0f));
  cloth_confine_to_plane(sheet, 12, vector(0.0f, 1.0f, 1.0f));
  cloth_confine_to_plane(sheet, LONG + 12, vector(1.0f, 0.0f, 0.0f));
  *plan = evaluate(sheet, (float)k);
  build_preconditioner(sheet, plan, 1);
  return sheet;
}

/* Column by column: the preconditioner times the unit vectors, as the first direction of a solve has it. The scalar
   product that comes with it is the diagonal element. Returns the largest error of that. */
static double fill_preconditioner(cloth *sheet, const step_plan *plan) {
  double worst = 0.0;
  for (int column = 0; column < unknowns; column++) {
    fill_vectors(sheet, vectors_at(sheet, sheet->scratch.residual), 0.0f);
    fill_vectors(sheet, vectors_at(sheet, sheet->scratch.direction), 0.0f);
    *coordinate(sheet, sheet->scratch.residual, column) = 1.0f;
    float product = precondition(sheet) + coarse_correction(sheet, 1);
    update_direction_and_apply(sheet, plan, 0.0f, 1);
    for (int row = 0; row < unknowns; row++) {
      matrix[row][column] = (double)*coordinate(sheet, sheet->scratch.direction, row);
    }
    worst = fmax(worst, fabs(matrix[column][column] - (double)product));
  }
  return worst;
}

/* What of the preconditioner leads out of the directions that a particle has: the part along n, or all but that part if
   `onto`. Adds the same projection to the matrix, so that it can be definite. */
static double constrained_part(int particle, cloth_vector n, int onto) {
  double axis[3] = {(double)n.x, (double)n.y, (double)n.z}, worst = 0.0, out[3][3];
  for (int i = 0; i < 9; i++) {
    double outer = axis[i / 3] * axis[i % 3];
    out[i / 3][i % 3] = onto ? (i / 3 == i % 3 ? 1.0 : 0.0) - outer : outer;
  }
  for (int column = 0; column < unknowns; column++) {
    for (int r = 0; r < 3; r++) {
      double part = 0.0;
      for (int t = 0; t < 3; t++) {
        part += out[r][t] * matrix[3 * particle + t][column];
      }
      worst = fmax(worst, fabs(part));
    }
  }
  for (int i = 0; i < 9; i++) {
    matrix[3 * particle + i / 3][3 * particle + i % 3] += out[i / 3][i % 3];
  }
  return worst;
}

static void multilevel_definite(double kappa) {
  step_plan plan;
  cloth *sheet = open_strip(kappa, &plan);
  char what[64];
  unknowns = UNKNOWNS_MOST;
  double off = fill_preconditioner(sheet, &plan), out = 0.0;
  snprintf(what, sizeof what, "multilevel, r.z against z, kappa %.0e (rel)", kappa);
  row_error("PRE", what, off / matrix_size(), 1e-6);
  snprintf(what, sizeof what, "multilevel, asymmetry, kappa %.0e (rel)", kappa);
  row_error("PRE", what, matrix_asymmetry(), 1e-6);
  double size = matrix_size();
  for (int32_t i = 0; i < inputs_of(sheet)->confined_count; i++) {
    const confinement *held = &confined_of(sheet)[i];
    out = fmax(out, constrained_part(held->particle, held->direction, held->freedom == FREEDOM_LINE));
  }
  out = fmax(out, constrained_part(0, vector(0.0f, 0.0f, 0.0f), 1));
  out = fmax(out, constrained_part(LONG, vector(0.0f, 0.0f, 0.0f), 1));
  snprintf(what, sizeof what, "multilevel, held directions, kappa %.0e (rel)", kappa);
  row_error("PRE", what, out / size, 1e-6);
  double shift = 0.01 / (kappa + 1.0), pivot = least_pivot(shift);
  snprintf(what, sizeof what, "multilevel, least pivot - 0.01/kappa, %.0e", kappa);
  print_row("PRE", what, shift, pivot, "> 0", pivot > 0.0);
  unknowns = UNKNOWNS;
}

/* A sheet of 1 m hanging by two corners, as in the standard scenes; the substep is 1/240 s whatever the grid. */
static cloth *open_hang(int32_t side) {
  cloth_config config = cloth_config_default();
  use_two_tiers(&config);
  config.columns = config.rows = side;
  config.edge_warp = vector(1.0f, 0.0f, 0.0f);
  config.edge_weft = vector(0.0f, 0.0f, 1.0f);
  config.integration.velocity_damping = 0.1f;
  config.integration.method = CLOTH_INTEGRATION_IMPLICIT;
  config.solver.preconditioner = CLOTH_PRECONDITIONER_MULTILEVEL;
  config.substeps = 4;
  config.solver.max_iterations = 200;
  cloth *sheet = open_sheet(&config);
  cloth_pin(sheet, cloth_particle_at(sheet, 0, 0));
  cloth_pin(sheet, cloth_particle_at(sheet, side - 1, 0));
  return sheet;
}

/* Solves the next substep's system with at most `cap` iterations. Returns the residual's length over its first. */
static double solved_to(cloth *sheet, int multilevel, int32_t cap) {
  step_plan plan;
  plan_step(sheet, 1.0f / 60.0f, &plan);
  clear_pads(sheet);
  prepare_particles(sheet, 1.0f / 60.0f);
  evaluate_forces(sheet, &plan, vectors_at(sheet, sheet->scratch.residual));
  double start = residual_length(sheet);
  fill_vectors(sheet, vectors_at(sheet, sheet->scratch.solution), 0.0f);
  build_preconditioner(sheet, &plan, multilevel);
  sheet->settings.solver.max_iterations = cap;
  sheet->settings.solver.tolerance = 0.0f;
  solve(sheet, &plan, multilevel);
  sheet->settings.solver.max_iterations = 200;
  sheet->settings.solver.tolerance = 1e-3f;
  return residual_length(sheet) / start;
}

/* Least cap at which the residual falls to a thousandth, with the cloth where it is. */
static int iterations_now(cloth *sheet, int multilevel) {
  int low = 0, high = 512;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    *(solved_to(sheet, multilevel, middle) <= 1e-3 ? &high : &low) = middle;
  }
  return high;
}

/* Means over moments of the fall; the time of a pull across the sheet is the same on every grid. */
static double hang_iterations(int32_t side, double *block) {
  cloth *sheet = open_hang(side);
  double multilevel = 0.0;
  *block = 0.0;
  for (int frame = 1; frame <= 40; frame++) {
    cloth_step(sheet, 1.0f / 60.0f);
    if (frame % 10 == 0) {
      multilevel += 0.25 * iterations_now(sheet, 1);
      *block += side <= 64 ? 0.25 * iterations_now(sheet, 0) : 0.0;
    }
  }
  return multilevel;
}

/* Four times the particles, at most 4^0.2 times the iterations. */
static void test_iteration_growth(void) {
  double counts[4], block;
  char what[64];
  for (int i = 0; i < 4; i++) {
    int32_t side = 16 << i;
    counts[i] = hang_iterations(side, &block);
    snprintf(what, sizeof what, "iterations to 1e-3, hang %d, multilevel", (int)side);
    print_row("GROW", what, 24.0, counts[i], "<= 24", counts[i] <= 24.0);
    if (side <= 64) {
      snprintf(what, sizeof what, "iterations to 1e-3, hang %d, block", (int)side);
      print_row("GROW", what, 2.0 * counts[i], block, "at least", block >= 1.8 * counts[i]);
    }
  }
  double power = log(counts[3] / counts[0]) / log(64.0);
  print_row("GROW", "power of the particles, 16 x 16 to 128 x 128", 0.2, power, "<= 0.2", power <= 0.2);
}

/* The same answer, whichever way it was found. */
static void test_multilevel_agrees(void) {
  cloth *sheet = open_hang(16);
  for (int frame = 0; frame < 30; frame++) {
    cloth_step(sheet, 1.0f / 60.0f);
  }
  static double solution[3 * 256];
  double worst = 0.0, size = 0.0;
  solved_to(sheet, 0, 120);
  for (int n = 0; n < 3 * 256; n++) {
    solution[n] = (double)*coordinate(sheet, sheet->scratch.solution, n);
  }
  solved_to(sheet, 1, 60);
  for (int n = 0; n < 3 * 256; n++) {
    worst = fmax(worst, fabs(solution[n] - (double)*coordinate(sheet, sheet->scratch.solution, n)));
    size = fmax(size, fabs(solution[n]));
  }
  row_error("PRE", "multilevel and block, difference (rel)", worst / size, 1e-4);
}

/* Automatic takes coarser grids where they pay, by what is planned alone. */
static int chosen(int32_t side, double kappa, int32_t cap, int32_t contacts) {
  const double k = 0.01;
  cloth_config config = bare_config(side, side, 0.1);
  config.fabric.stretch_warp = config.fabric.stretch_weft = stiffness_for(&config, kappa, k);
  config.solver.preconditioner = CLOTH_PRECONDITIONER_MULTILEVEL;
  config.solver.max_iterations = cap;
  cloth *sheet = open_sheet(&config);
  step_plan plan = evaluate(sheet, (float)k);
  return uses_multilevel(sheet, &plan, contacts);
}

static double room_for(int32_t preconditioner) {
  cloth_config config = bare_config(64, 64, 0.1);
  cloth_memory memory = {0};
  config.solver.preconditioner = (int32_t)preconditioner;
  CHECK(cloth_memory_needed(&config, &memory) == CLOTH_OK, "cloth_memory_needed()");
  return (double)memory.total_bytes;
}

static void test_choices(void) {
  double block = room_for(CLOTH_PRECONDITIONER_BLOCK), most = room_for(CLOTH_PRECONDITIONER_MULTILEVEL);
  row_within("PRE", "bytes per particle, multilevel less block", 8.5, (most - block) / 4096.0, 0.5);
  CHECK(room_for(CLOTH_PRECONDITIONER_NONE) <= block, "room for nothing");
  CHECK(room_for(CLOTH_PRECONDITIONER_MULTILEVEL) >= most, "no room for the choice");
  CHECK(chosen(16, 20.0, 8, 0) == 1, "a stiff sheet takes block alone");
  CHECK(chosen(16, 20.0, 8, 128) == 1 && chosen(16, 20.0, 8, 129) == 0, "contacts do not count");
  CHECK(chosen(16, 20.0, 6, 0) == 1 && chosen(16, 20.0, 5, 0) == 0, "the cap does not count");
  CHECK(chosen(16, 4.1, 8, 0) == 1 && chosen(16, 3.9, 8, 0) == 0, "kappa does not count");
  CHECK(chosen(5, 20.0, 8, 0) == 1 && chosen(4, 20.0, 8, 0) == 0, "the grid does not count");
}

/// All tests ///

static void test_operator_definite(void) {
  operator_definite(1.0);
  operator_definite(1e3);
  operator_definite(1e5);
}

static void test_multilevel_definite(void) {
  multilevel_definite(1.0);
  multilevel_definite(1e3);
  multilevel_definite(1e5);
}

static const test tests[] = {
    TEST(square_roots),        TEST(stability_limits),     TEST(operator_definite), TEST(spring_jacobians),
    TEST(iteration_counts),    TEST(iteration_of_uniform), TEST(solution_bounds),   TEST(preconditioners),
    TEST(multilevel_definite), TEST(multilevel_agrees),    TEST(iteration_growth),  TEST(choices),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
