/*
 * The solves along lines beside dense solutions of their equations in double precision: hinges, twist, stretch, also
 * again, and shear, on sheets and tubes, with pins, masses and absent springs. Includes the library's source.
 * SPDX-License-Identifier: MIT
 */
#include "springs_alone.h"

#include "../cloth.c"

#include "check.h"
#include "rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 19, ROWS = 13, COUNT = COLUMNS * ROWS, LONGEST = 24 };

static unsigned char arena[1 << 20] __attribute__((aligned(CLOTH_ALIGNMENT)));

/// Sheets ///

/* A number in -1..1 from a fixed sequence. */
static double next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 8388608.0 - 1.0;
}

/* What a trial varies. */
typedef struct kind {
  const char *name;
  int32_t wrap, has_pins, has_maps;
  float damping; /* along springs [N s/m], and viscosity of bending as 1e-2 of it in seconds */
} kind;

static const kind kinds[] = {
    {"sheet", 0, 0, 0, 0.0f},
    {"sheet, pins", 0, 1, 0, 0.0f},
    {"sheet, pins, maps", 0, 1, 1, 0.0f},
    {"sheet, damped", 0, 1, 1, 1.0f},
    {"tube", 1, 0, 0, 0.0f},
    {"tube, pins", 1, 1, 0, 0.0f},
    {"tube, pins, maps", 1, 1, 1, 0.0f},
    {"tube, damped", 1, 1, 1, 1.0f},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static float mass_map[COUNT], stiffness_map[COUNT];

static cloth_config config_of(const kind *k) {
  cloth_config config = cloth_config_default();
  uint32_t random = 5;
  config.columns = COLUMNS;
  config.rows = ROWS;
  config.grid.wrap = k->wrap;
  config.edge_warp = vector(1.8f, 0.0f, 0.0f);
  config.edge_weft = vector(0.0f, 0.0f, 1.5f);
  config.fabric.stretch_warp = 80.0f;
  config.fabric.stretch_weft = 60.0f;
  config.fabric.shear = 40.0f;
  config.fabric.compression = 0.5f;
  config.fabric.bend = 3e-3f;
  config.fabric.stretch_damping = config.fabric.shear_damping = k->damping;
  config.fabric.bend_damping = 0.01f * k->damping;
  config.substeps = 4;
  for (int i = 0; i < COUNT; i++) {
    mass_map[i] = (float)(1.5 + next_random(&random));
    stiffness_map[i] = i % 7 < 2 ? 0.0f : (float)(1.1 + next_random(&random));
  }
  config.grid.mass_map = k->has_maps ? mass_map : NULL;
  config.grid.stiffness_map = k->has_maps ? stiffness_map : NULL;
  return config;
}

/* A crumpled sheet, ready for the solves of a substep: its predicted positions are up to `step` from where it is. */
static cloth *open_crumpled(const kind *k, step_plan *plan, double crumple, double step) {
  cloth_config config = config_of(k);
  cloth *sheet = NULL;
  uint32_t random = 3;
  int result = cloth_init(&config, arena, sizeof arena, &sheet);
  CHECK(result == CLOTH_OK, "cloth_init: %s", cloth_result_name(result));
  if (result != CLOTH_OK) {
    exit(check_report());
  }
  for (int i = 0; k->has_pins && i < COUNT; i += 1 + i % 29) {
    cloth_pin(sheet, i);
  }
  plan_step(sheet, 1.0f / 60.0f, plan);
  plan_hinges(sheet, plan);
  plan->bend.is_explicit = 0;
  clear_pads(sheet);
  prepare_particles(sheet, 1.0f / 60.0f);
  find_uniform_lines(sheet);
  plan_bend_lines(sheet, plan);
  for (int32_t i = 0; i < COUNT; i++) {
    cloth_vector x = vector_load(vectors_at(sheet, sheet->state.position), i);
    x = vector_add(x, vector((float)(crumple * next_random(&random)), (float)(crumple * next_random(&random)),
                             (float)(crumple * next_random(&random))));
    vector_store(vectors_at(sheet, sheet->state.position), i, x);
    x = vector_add(x, vector((float)(step * next_random(&random)), (float)(step * next_random(&random)),
                             (float)(step * next_random(&random))));
    vector_store(predicted_of(sheet), i, x);
  }
  return sheet;
}

/// Dense references ///

static double old_x[COUNT][3], x[COUNT][3], mobility[COUNT], stiffness[COUNT];
static int has_maps;

static void read_sheet(const cloth *sheet) {
  const vector_array at = predicted_of(sheet), before = vectors_at(sheet, sheet->state.position);
  has_maps = sheet->constant.stiffness_map != 0;
  for (int32_t i = 0; i < COUNT; i++) {
    const cloth_vector now = vector_load(at, i), old = vector_load(before, i);
    x[i][0] = (double)now.x, x[i][1] = (double)now.y, x[i][2] = (double)now.z;
    old_x[i][0] = (double)old.x, old_x[i][1] = (double)old.y, old_x[i][2] = (double)old.z;
    mobility[i] = (double)floats_at(sheet, sheet->scratch.mobility)[i];
    stiffness[i] = sheet->constant.stiffness_map ? (double)floats_at(sheet, sheet->constant.stiffness_map)[i] : 1.0;
  }
}

/* Largest distance of a coordinate from where the reference has it, over the largest move `moved`. */
static double error_of(const cloth *sheet, double moved) {
  double worst = 0.0;
  for (int32_t i = 0; i < COUNT; i++) {
    const cloth_vector now = vector_load(predicted_of(sheet), i);
    worst = fmax(worst, fabs((double)now.x - x[i][0]));
    worst = fmax(worst, fabs((double)now.y - x[i][1]));
    worst = fmax(worst, fabs((double)now.z - x[i][2]));
  }
  return worst / moved;
}

static double matrix[2 * LONGEST][2 * LONGEST], right[2 * LONGEST][3];

static void clear_system(void) {
  memset(matrix, 0, sizeof matrix);
  memset(right, 0, sizeof right);
}

/* Solves the first `n` equations by elimination with row pivots; the solution takes the place of the right sides. */
static void solve_dense(int n) {
  for (int i = 0; i < n; i++) {
    int pivot = i;
    for (int row = i + 1; row < n; row++) {
      pivot = fabs(matrix[row][i]) > fabs(matrix[pivot][i]) ? row : pivot;
    }
    for (int k = 0; k < n; k++) {
      double swapped = matrix[i][k];
      matrix[i][k] = matrix[pivot][k];
      matrix[pivot][k] = swapped;
    }
    for (int a = 0; a < 3; a++) {
      double swapped = right[i][a];
      right[i][a] = right[pivot][a];
      right[pivot][a] = swapped;
    }
    for (int row = 0; row < n; row++) {
      double factor = row == i ? 0.0 : matrix[row][i] / matrix[i][i];
      for (int k = i; k < n && factor != 0.0; k++) {
        matrix[row][k] -= factor * matrix[i][k];
      }
      for (int a = 0; a < 3; a++) {
        right[row][a] -= factor * right[i][a];
      }
    }
  }
  for (int i = 0; i < n; i++) {
    for (int a = 0; a < 3; a++) {
      right[i][a] /= matrix[i][i];
    }
  }
}

/* Particles one after the other; a ring goes on from the last to the first. */
typedef struct path {
  int length, is_ring, at[LONGEST];
} path;

static path path_from(int first, int step, int length, int is_ring) {
  path p = {length, is_ring, {0}};
  for (int n = 0; n < length; n++) {
    p.at[n] = first + n * step;
  }
  return p;
}

/* Moves the particles of a path by the solution, and returns the largest move. */
static double move_path(const path *p) {
  double moved = 0.0;
  for (int n = 0; n < p->length; n++) {
    for (int a = 0; a < 3; a++) {
      x[p->at[n]][a] += right[n][a];
      moved = fmax(moved, fabs(right[n][a]));
    }
  }
  return moved;
}

/* (1 + kappa W K) delta = -kappa W K (x - shift x_old), K the sum of the squares of the hinges: twice that of a pin
   with a pin on one side alone, a clamp. */
static double bend_path(const path *p, double kappa, double shift) {
  const int n = p->length;
  clear_system();
  for (int i = 0; i < n; i++) {
    matrix[i][i] = 1.0;
  }
  for (int hinge = p->is_ring ? 0 : 1; hinge < (p->is_ring ? n : n - 1); hinge++) {
    const int at[3] = {(hinge + n - 1) % n, hinge, (hinge + 1) % n};
    const double weights[3] = {1.0, -2.0, 1.0};
    const int is_clamp =
        mobility[p->at[hinge]] == 0.0 && (mobility[p->at[at[0]]] == 0.0) != (mobility[p->at[at[2]]] == 0.0);
    const double factor = kappa * stiffness[p->at[hinge]] * (is_clamp ? 2.0 : 1.0);
    for (int k = 0; k < 3; k++) {
      const double w = mobility[p->at[at[k]]];
      for (int j = 0; j < 3; j++) {
        const int to = p->at[at[j]];
        matrix[at[k]][at[j]] += w * factor * weights[k] * weights[j];
        for (int a = 0; a < 3; a++) {
          right[at[k]][a] -= w * factor * weights[k] * weights[j] * (x[to][a] - shift * old_x[to][a]);
        }
      }
    }
  }
  solve_dense(n);
  return move_path(p);
}

static void spring_vector(double out[3], double from[COUNT][3], const path *p, int spring) {
  for (int a = 0; a < 3; a++) {
    out[a] = from[p->at[(spring + 1) % p->length]][a] - from[p->at[spring]][a];
  }
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* How long springs may be by the reference, over the rest length. */
static double longest[DIRECTIONS][COUNT];

/* Stretch along a path: the tensions, then the displacements; the equations stand at the head of stretch_solve.h. Notes
   in `lengths` how long the springs may be or, if is_again, has them shortened to that. */
static double stretch_path(const path *p, const spring_family *s, double *lengths, int is_again) {
  const int n = p->length, springs = p->is_ring ? n : n - 1;
  static double d[LONGEST][3], tension[LONGEST];
  const double square = (double)s->rest * (double)s->rest;
  double explained[LONGEST], ease[LONGEST]; /* length without a tension, and what one adds to it */
  clear_system();
  for (int i = 0; i < springs; i++) {
    double old[3];
    spring_vector(d[i], x, p, i);
    spring_vector(old, old_x, p, i);
    const double q = dot(d[i], d[i]) / square;
    const double target = 1.0 + (double)s->damping_share * (sqrt(dot(old, old) / square) - 1.0);
    const int here = p->at[i], there = p->at[(i + 1) % n];
    const double scale = 0.5 * (stiffness[here] + stiffness[there]);
    explained[i] = 1.0e6 / (1.0 + (double)OVERSTRETCH), ease[i] = 0.0;
    if (scale == 0.0) {
      matrix[i][i] = 1.0;
      continue;
    }
    const double compliance = (double)s->compliance[q < 1.0] / scale;
    matrix[i][i] = q * (mobility[here] + mobility[there] + compliance);
    right[i][0] = is_again ? sqrt(q) * fmax(sqrt(q) - lengths[here], 0.0) : q - target * sqrt(q);
    /* Without maps and damping the library takes springs for long ones, whatever they were before. */
    const double eased = has_maps || s->damping_share > 0.0f ? compliance : (double)s->compliance[0];
    explained[i] = fmax(target, 1.0), ease[i] = 0.5 * (1.0 + q) * eased;
    if (i > 0 || p->is_ring) {
      double before[3];
      spring_vector(before, x, p, (i + n - 1) % n);
      matrix[i][(i + springs - 1) % springs] -= mobility[here] * dot(d[i], before) / square;
    }
    if (i + 1 < springs || p->is_ring) {
      double after[3];
      spring_vector(after, x, p, (i + 1) % n);
      matrix[i][(i + 1) % springs] -= mobility[there] * dot(d[i], after) / square;
    }
  }
  solve_dense(springs);
  for (int i = 0; i < springs; i++) {
    tension[i] = right[i][0];
    if (!is_again) {
      lengths[p->at[i]] = (1.0 + (double)OVERSTRETCH) * explained[i] + ease[i] * fmax(tension[i], 0.0);
    }
  }
  clear_system();
  for (int i = 0; i < n; i++) {
    matrix[i][i] = 1.0;
  }
  for (int i = 0; i < springs; i++) {
    const int ends[2] = {i, (i + 1) % n};
    for (int end = 0; end < 2; end++) {
      const double w = mobility[p->at[ends[end]]];
      matrix[ends[end]][ends[end]] += w * fmax(tension[i], 0.0);
      matrix[ends[end]][ends[1 - end]] -= w * fmax(tension[i], 0.0);
      for (int a = 0; a < 3; a++) {
        right[ends[end]][a] += (end ? -w : w) * tension[i] * d[i][a];
      }
    }
  }
  solve_dense(n);
  return move_path(p);
}

/// Hinges ///

static void test_hinges(void) {
  for (int n = 0; n < KINDS; n++) {
    const kind *k = &kinds[n];
    char what[64];
    step_plan plan;
    cloth *sheet = open_crumpled(k, &plan, 0.02, 0.01);
    double moved = 0.0;
    read_sheet(sheet);
    for (int row = 0; row < ROWS; row++) {
      path p = path_from(row * COLUMNS, 1, COLUMNS, k->wrap);
      moved = fmax(moved, bend_path(&p, (double)plan.bend.stiffness[WARP], (double)plan.bend.shift));
    }
    for (int column = 0; column < COLUMNS; column++) {
      path p = path_from(column, COLUMNS, ROWS, 0);
      moved = fmax(moved, bend_path(&p, (double)plan.bend.stiffness[WEFT], (double)plan.bend.shift));
    }
    for (int d = 0; d < DIRECTIONS; d++) {
      plan.spring[d].projected = PROJECTED_NONE;
    }
    solve_rows(sheet, &plan);
    solve_columns(sheet, &plan);
    snprintf(what, sizeof what, "hinges, %s (rel)", k->name);
    row_error("BEND", what, error_of(sheet, moved), 1e-4);
    CHECK(moved > 1e-3, "hinges move nothing");
  }
}

/* The stiffest hinges that a step has: columns that were a quarter of a wave are straight afterwards. Their mean may
   move by the rounding of the pushes, 2^-24 times the stiffness over what they bend back. */
static void test_stiff_hinges(void) {
  for (int n = 0; n < KINDS; n += 4) {
    char what[64];
    step_plan plan;
    cloth *sheet = open_crumpled(&kinds[n], &plan, 0.0, 0.0);
    const vector_array at = predicted_of(sheet);
    plan.bend.stiffness[WEFT] = 1e6f;
    plan.bend.shift = 0.0f;
    plan_bend_lines(sheet, &plan);
    for (int i = 0; i < COUNT; i++) {
      at.y[i] = (float)(0.1 * sin(1.5 * (i / COLUMNS) / (ROWS - 1)));
    }
    double sum = 0.0, worst = 0.0;
    for (int i = 0; i < COUNT; i++) {
      sum += (double)at.y[i] / COUNT;
    }
    for (int d = 0; d < DIRECTIONS; d++) {
      plan.spring[d].projected = PROJECTED_NONE;
    }
    solve_columns(sheet, &plan);
    for (int i = COLUMNS; i < COUNT - COLUMNS; i++) {
      worst = fmax(worst, fabs((double)(at.y[i - COLUMNS] - 2.0f * at.y[i] + at.y[i + COLUMNS])));
    }
    for (int i = 0; i < COUNT; i++) {
      sum -= (double)at.y[i] / COUNT;
    }
    snprintf(what, sizeof what, "stiffness 1e6, bend left, %s [m]", kinds[n].name);
    row_error("BEND", what, worst, 2e-7);
    snprintf(what, sizeof what, "stiffness 1e6, mean moved, %s [m]", kinds[n].name);
    row_error("BEND", what, fabs(sum), 5e-4);
  }
}

/// Twist ///

/* The pairs of columns `left` and the next: (1 + kappa W K) delta = -kappa W K D for their differences D, W the sums
   of mobilities and K the sum of the cells' squares. Adds what each particle moves by to `moves`. */
static void twist_columns_dense(int left, double kappa, double shift, double moves[COUNT][3]) {
  const int next = (left + 1) % COLUMNS;
  clear_system();
  for (int row = 0; row < ROWS; row++) {
    matrix[row][row] = 1.0;
  }
  for (int row = 0; row + 1 < ROWS; row++) {
    const int i = row * COLUMNS, j = i + COLUMNS;
    const double factor =
        kappa * 0.25 * (stiffness[i + left] + stiffness[i + next] + stiffness[j + left] + stiffness[j + next]);
    for (int k = 0; k < 2; k++) {
      const int r = row + k, c = r * COLUMNS;
      const double w = mobility[c + left] + mobility[c + next];
      matrix[r][row] += w * factor * (k ? -1.0 : 1.0);
      matrix[r][row + 1] -= w * factor * (k ? -1.0 : 1.0);
      for (int a = 0; a < 3; a++) {
        const double here = x[i + next][a] - x[i + left][a] - shift * (old_x[i + next][a] - old_x[i + left][a]);
        const double after = x[j + next][a] - x[j + left][a] - shift * (old_x[j + next][a] - old_x[j + left][a]);
        right[r][a] += w * factor * (k ? -1.0 : 1.0) * (after - here);
      }
    }
  }
  solve_dense(ROWS);
  for (int row = 0; row < ROWS; row++) {
    const int i = row * COLUMNS + left, j = row * COLUMNS + next;
    const double w = mobility[i] + mobility[j];
    for (int a = 0; a < 3 && w > 0.0; a++) {
      moves[i][a] -= 0.5 * mobility[i] / w * right[row][a];
      moves[j][a] += 0.5 * mobility[j] / w * right[row][a];
    }
  }
}

static void test_twist(void) {
  for (int n = 0; n < KINDS; n++) {
    const kind *k = &kinds[n];
    static double moves[COUNT][3];
    char what[64];
    step_plan plan;
    cloth *sheet = open_crumpled(k, &plan, 0.02, 0.01);
    double moved = 0.0;
    memset(moves, 0, sizeof moves);
    read_sheet(sheet);
    for (int column = 0; column < COLUMNS - !k->wrap; column++) {
      twist_columns_dense(column, 2.0 * (double)plan.bend.twist, (double)plan.bend.shift, moves);
    }
    for (int i = 0; i < COUNT; i++) {
      for (int a = 0; a < 3; a++) {
        x[i][a] += moves[i][a];
        moved = fmax(moved, fabs(moves[i][a]));
      }
    }
    solve_twists(sheet, &plan);
    snprintf(what, sizeof what, "twist, %s (rel)", k->name);
    row_error("TWIST", what, error_of(sheet, moved), 1e-4);
    CHECK(moved > 1e-3, "the twist moves nothing");
  }
}

/// Explicit bending ///

/* Adds the gradient of half a square times `stiffness` of a linear form: `factors` of the values of `count` particles,
   each less the share `shift` of the old one. */
static void add_gradient(const int *particles, const double *factors, int count, double stiffness_of_form, double shift,
                         double gradient[COUNT][3]) {
  for (int a = 0; a < 3; a++) {
    double value = 0.0;
    for (int n = 0; n < count; n++) {
      value += factors[n] * (x[particles[n]][a] - shift * old_x[particles[n]][a]);
    }
    for (int n = 0; n < count; n++) {
      gradient[particles[n]][a] += stiffness_of_form * factors[n] * value;
    }
  }
}

/* The gradient of the energy of all hinges and twists, from its definition. */
static void bend_gradient(const kind *k, const bend_plan *b, double gradient[COUNT][3]) {
  static const double hinge[3] = {1.0, -2.0, 1.0}, twist[4] = {1.0, -1.0, -1.0, 1.0};
  for (int i = 0; i < COUNT; i++) {
    const int row = i / COLUMNS, column = i % COLUMNS, first = row * COLUMNS;
    const int next = first + (column + 1) % COLUMNS, before = first + (column + COLUMNS - 1) % COLUMNS;
    if (k->wrap || (column > 0 && column + 1 < COLUMNS)) {
      add_gradient((const int[]){before, i, next}, hinge, 3, (double)b->stiffness[WARP], (double)b->shift, gradient);
    }
    if (row > 0 && row + 1 < ROWS) {
      add_gradient((const int[]){i - COLUMNS, i, i + COLUMNS}, hinge, 3, (double)b->stiffness[WEFT], (double)b->shift,
                   gradient);
    }
    if (row + 1 < ROWS && (k->wrap || column + 1 < COLUMNS)) {
      add_gradient((const int[]){i, next, i + COLUMNS, next + COLUMNS}, twist, 4, (double)b->twist, (double)b->shift,
                   gradient);
    }
  }
}

static void test_explicit_bending(void) {
  for (int n = 0; n < KINDS; n++) {
    static double gradient[COUNT][3];
    kind k = kinds[n];
    char what[64];
    step_plan plan;
    k.has_maps = 0;
    cloth *sheet = open_crumpled(&k, &plan, 0.02, 0.01);
    double moved = 0.0;
    memset(gradient, 0, sizeof gradient);
    read_sheet(sheet);
    bend_gradient(&k, &plan.bend, gradient);
    for (int i = 0; i < COUNT; i++) {
      for (int a = 0; a < 3; a++) {
        x[i][a] -= mobility[i] * gradient[i][a];
        moved = fmax(moved, fabs(mobility[i] * gradient[i][a]));
      }
    }
    bend_explicitly(sheet, &plan);
    snprintf(what, sizeof what, "explicit bending, %s (rel)", kinds[n].name);
    row_error("BEND", what, error_of(sheet, moved), 1e-4);
    CHECK(moved > 1e-3, "bending moves nothing");
  }
}

/// Stretch and shear ///

/* Largest difference of the lengths that springs of rows and columns may have, over what the reference has noted. */
static double error_of_lengths(const cloth *sheet, const kind *k) {
  double worst = 0.0;
  for (int i = 0; i < COUNT; i++) {
    for (int d = WARP; d <= WEFT; d++) {
      const int is_spring = d == WARP ? k->wrap || i % COLUMNS < COLUMNS - 1 : i / COLUMNS < ROWS - 1;
      const double found = (double)longest_of(sheet, d)[i];
      worst = is_spring ? fmax(worst, fabs(found / longest[d][i] - 1.0)) : worst;
    }
  }
  return worst;
}

static void test_stretch(void) {
  for (int n = 0; n < KINDS; n++) {
    const kind *k = &kinds[n];
    char what[64];
    step_plan plan;
    cloth *sheet = open_crumpled(k, &plan, 0.02, 0.01);
    double moved = 0.0;
    read_sheet(sheet);
    for (int row = 0; row < ROWS; row++) {
      path p = path_from(row * COLUMNS, 1, COLUMNS, k->wrap);
      moved = fmax(moved, stretch_path(&p, &plan.spring[WARP], longest[WARP], 0));
    }
    for (int column = 0; column < COLUMNS; column++) {
      path p = path_from(column, COLUMNS, ROWS, 0);
      moved = fmax(moved, stretch_path(&p, &plan.spring[WEFT], longest[WEFT], 0));
    }
    plan.bends = 0;
    solve_rows(sheet, &plan);
    solve_columns(sheet, &plan);
    snprintf(what, sizeof what, "stretch, %s (rel)", k->name);
    row_error("LINE", what, error_of(sheet, moved), 1e-4);
    CHECK(moved > 1e-3, "the springs move nothing");
    snprintf(what, sizeof what, "longest lengths, %s (rel)", k->name);
    row_error("LONG", what, error_of_lengths(sheet, k), 1e-4);
  }
}

/// Lines again ///

/* Reads the lengths that the library has noted in place of those of the reference. */
static void read_lengths(const cloth *sheet) {
  for (int d = WARP; d <= WEFT; d++) {
    for (int i = 0; i < COUNT; i++) {
      longest[d][i] = (double)longest_of(sheet, d)[i];
    }
  }
}

/* Some lines of a direction are solved again, some take only the time of it, and some are left out. */
static int mark_of_line(int line) {
  return line % 4 < 2 ? LINE_AGAIN : line % 4 == 2 ? LINE_STAYS : LINE_IDLE;
}

/* The same by the reference. Returns the largest move. */
static double solve_again(const kind *k, const step_plan *plan, int d) {
  double moved = 0.0;
  for (int line = 0; line < (d == WARP ? ROWS : COLUMNS); line++) {
    path p = d == WARP ? path_from(line * COLUMNS, 1, COLUMNS, k->wrap) : path_from(line, COLUMNS, ROWS, 0);
    if (mark_of_line(line) == LINE_AGAIN) {
      moved = fmax(moved, stretch_path(&p, &plan->spring[d], longest[d], 1));
    }
  }
  return moved;
}

/* Particles of lines that are not solved again and have moved all the same. */
static int count_disturbed(const cloth *sheet, const float *before, int d) {
  int disturbed = 0;
  for (int i = 0; i < COUNT; i++) {
    const cloth_vector now = vector_load(predicted_of(sheet), i);
    const int is_marked = mark_of_line(d == WARP ? i / COLUMNS : i % COLUMNS) == LINE_AGAIN;
    disturbed += !is_marked && memcmp(&now, before + 3 * i, sizeof now) != 0;
  }
  return disturbed;
}

/* Lines whose springs something has stretched after their solve. */
static void test_again(void) {
  for (int n = 0; n < 2 * KINDS; n++) {
    const kind *k = &kinds[n / 2];
    const int d = n % 2 ? WEFT : WARP;
    static float before[3 * COUNT];
    uint32_t random = 11;
    char what[64];
    step_plan plan;
    cloth *sheet = open_crumpled(k, &plan, 0.02, 0.01);
    plan.bends = 0;
    solve_rows(sheet, &plan);
    solve_columns(sheet, &plan);
    for (int i = 0; i < COUNT; i++) {
      cloth_vector at = vector_load(predicted_of(sheet), i);
      const float by = mobility[i] > 0.0 ? 0.03f : 0.0f;
      const float across = by * (float)next_random(&random), along = by * (float)next_random(&random);
      at = vector_add(at, vector(across, by * (float)next_random(&random), along));
      vector_store(predicted_of(sheet), i, at);
      memcpy(before + 3 * i, &at, sizeof at);
    }
    read_sheet(sheet);
    read_lengths(sheet);
    const double moved = solve_again(k, &plan, d);
    uint8_t *marks = d == WARP ? marked_rows_of(sheet) : marked_columns_of(sheet);
    for (int line = 0; line < (d == WARP ? ROWS : COLUMNS); line++) {
      marks[line] = (uint8_t)mark_of_line(line);
    }
    if (d == WARP) {
      run_pieces(sheet, &plan, solve_rows_again, NULL, ROWS, LINE_BLOCK);
    } else {
      run_pieces(sheet, &plan, solve_columns_again, NULL, COLUMNS, LINE_BLOCK);
    }
    snprintf(what, sizeof what, "%s again, %s (rel)", d == WARP ? "rows" : "columns", k->name);
    row_error("LONG", what, error_of(sheet, moved), 1e-4);
    CHECK(moved > 1e-3, "the springs move nothing");
    const int disturbed = count_disturbed(sheet, before, d);
    CHECK(disturbed == 0, "%s: %d particles of other lines have moved", what, disturbed);
  }
}

/* A soft sheet between pins that pull it 30 % longer is in balance with its tension, and a damped one that is stretched
   so at once has been held back: nothing is too long, and nothing moves. Stretched by 10 % more it is. */
static void test_explained(void) {
  static const kind pulled[] = {{"soft", 0, 0, 0, 0.0f}, {"soft tube", 1, 0, 0, 0.0f}, {"damped", 0, 0, 0, 1.0f}};
  for (int n = 0; n < 3; n++) {
    step_plan plan;
    cloth *sheet = open_crumpled(&pulled[n], &plan, 0.0, 0.0);
    static float before[3 * COUNT];
    int32_t left = ROWS;
    for (int i = 0; i < COUNT; i++) {
      cloth_vector at = vector_load(predicted_of(sheet), i);
      const int is_held = n == 1 ? i / COLUMNS % (ROWS - 1) == 0 : i % COLUMNS % (COLUMNS - 1) == 0;
      at.x *= n == 1 ? 1.0f : 1.3f;
      at.z *= n == 1 ? 1.3f : 1.0f;
      vector_store(predicted_of(sheet), i, at);
      floats_at(sheet, sheet->scratch.mobility)[i] = is_held ? 0.0f : 1.0f;
    }
    plan.bends = 0;
    find_uniform_lines(sheet);
    solve_rows(sheet, &plan);
    solve_columns(sheet, &plan);
    for (int i = 0; i < COUNT; i++) {
      const cloth_vector at = vector_load(predicted_of(sheet), i);
      memcpy(before + 3 * i, &at, sizeof at);
    }
    solve_overstretched_lines(sheet, &plan);
    int moved = 0;
    for (int i = 0; i < COUNT; i++) {
      const cloth_vector at = vector_load(predicted_of(sheet), i);
      moved += memcmp(before + 3 * i, &at, sizeof at) != 0;
    }
    CHECK(moved == 0, "%s: %d particles have moved", pulled[n].name, moved);
    for (int i = 0; i < COUNT; i++) {
      cloth_vector at = vector_load(predicted_of(sheet), i);
      at.x *= n == 1 ? 1.0f : 1.1f;
      at.z *= n == 1 ? 1.1f : 1.0f;
      vector_store(predicted_of(sheet), i, at);
    }
    const int32_t d = n == 1 ? WEFT : WARP, lines = n == 1 ? COLUMNS : ROWS;
    left = lines;
    const int32_t found = mark_long_lines(sheet, &plan, d, 0, &left);
    CHECK(found == lines && left == 0, "%s: %d of %d lines are too long", pulled[n].name, (int)found, (int)lines);
  }
}

/* The diagonals that start at the columns of row 0, cut where they leave a sheet. */
static double shear_paths(const kind *k, const spring_family *s, int slant) {
  double moved = 0.0;
  for (int column = 0; column < COLUMNS; column++) {
    path p = {0, 0, {0}};
    for (int row = 0, at = column; row < ROWS; row++) {
      p.at[p.length++] = row * COLUMNS + at;
      int to = (at + slant + COLUMNS) % COLUMNS;
      if (row + 1 == ROWS || (!k->wrap && to != at + slant)) {
        moved = p.length > 1 ? fmax(moved, stretch_path(&p, s, longest[DIAGONAL], 0)) : moved;
        p.length = 0;
      }
      at = to;
    }
  }
  return moved;
}

static void test_shear(void) {
  for (int n = 0; n < 2 * KINDS; n++) {
    const kind *k = &kinds[n / 2];
    const int direction = n % 2 ? ANTIDIAGONAL : DIAGONAL;
    char what[64];
    step_plan plan;
    cloth *sheet = open_crumpled(k, &plan, 0.02, 0.01);
    read_sheet(sheet);
    double moved = shear_paths(k, &plan.spring[direction], n % 2 ? -1 : 1);
    solve_shear(sheet, &plan, direction);
    snprintf(what, sizeof what, "%s, %s (rel)", n % 2 ? "antidiagonals" : "diagonals", k->name);
    row_error("LINE", what, error_of(sheet, moved), 1e-4);
    CHECK(moved > 1e-3, "the springs move nothing");
  }
}

static const test tests[] = {
    TEST(hinges),  TEST(stiff_hinges), TEST(twist),     TEST(explicit_bending),
    TEST(stretch), TEST(again),        TEST(explained), TEST(shear),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
