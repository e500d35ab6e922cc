#pragma once
#include "../access.h"
#include "../base/rows.h"
#include "../block3.h"
#include "../compiler.h"
#include "../lanes.h"
#include "../scalar.h"
#include "../types.h"
#include "arrays.h"
#include "labels.h"
#include "levels.h"
#include "transfer.h"

/// The coarsest level ///

/*
 * The coarsest level of the preconditioner is solved, not only scaled: it moves the sheet as a whole, turns it and
 * bends it once, which blocks on the diagonal hinder. Its matrix:
 *
 *   G of its nodes, as on every level
 *   springs between nodes: of a family of springs the mean block over a coarse cell, as a sheet of twice the cells is
 * as stiff between its nodes; half of those along warp and weft on either side of the cell hinges (1, -2, 1) of kappa /
 * 2^l, twists of kappa_2 / 4^l
 *
 * The mean is taken over SAMPLES x SAMPLES places of the cell. The matrix is factored as L D L^T, pivots at least
 * LEAST_PIVOT of the diagonal.
 *
 * In: springs, place, G of the level, plate. Out: the factors. Scratch: none. All in scalars, in one order.
 */

/* Places of a coarse cell along each side where springs are looked at. */
#define SAMPLES 4
/* Least pivot over the entry on the diagonal. */
#define LEAST_PIVOT 1.0e-5f

/* The matrix of the coarsest level, by rows: L below the diagonal, 1 / D on it. */
static float *coarsest_matrix(const cloth *c) {
  return floats_at(c, c->scratch.levels) + workspace_of(c)->coarsest;
}

static const grid_level *coarsest_level_of(const cloth *c) {
  return &workspace_of(c)->levels[workspace_of(c)->level_count - 1];
}

/* Adds `weight` times a symmetric block to the entries of nodes i and j. */
static void add_block(float *matrix, int32_t size, int32_t i, int32_t j, const float block[6], float weight) {
  CLOTH_CONSTANT static const uint8_t entry[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  for (int32_t a = 0; a < 3; a++) {
    for (int32_t b = 0; b < 3; b++) {
      matrix[(3 * i + a) * size + 3 * j + b] += weight * block[entry[a][b]];
    }
  }
}

/* Adds a spring of a block between two nodes. */
static void add_spring(float *matrix, int32_t size, int32_t i, int32_t j, const float block[6], float weight) {
  if (i == j) {
    return;
  }
  add_block(matrix, size, i, i, block, weight);
  add_block(matrix, size, j, j, block, weight);
  add_block(matrix, size, i, j, block, negate(weight));
  add_block(matrix, size, j, i, block, negate(weight));
}

/* The mean blocks of the four families of springs over the places first_row .. end_row - 1, first .. end - 1. */
static void mean_blocks(const solve_arrays *a, const int32_t rows[2], const int32_t columns[2],
                        float mean[DIRECTIONS][6]) {
  fill_zero(mean, DIRECTIONS * 6 * sizeof(float));
  for (int32_t n = 0; n < SAMPLES * SAMPLES; n++) {
    const int32_t row = rows[0] + (2 * (n / SAMPLES) + 1) * (rows[1] - rows[0]) / (2 * SAMPLES);
    const int32_t column = columns[0] + (2 * (n % SAMPLES) + 1) * (columns[1] - columns[0]) / (2 * SAMPLES);
    const cloth_vector x = near_vector(near_row(a->place, a->pitch, row), a->plane, column);
    for (int32_t d = 0; d < DIRECTIONS; d++) {
      const int32_t down = d != WARP, right = d == WARP || d == DIAGONAL ? 1 : d == ANTIDIAGONAL ? -1 : 0;
      if (!has_place(a, row + down, column + right)) {
        continue;
      }
      const int32_t end = (column + right + a->columns) % a->columns;
      const cloth_vector other = near_vector(near_row(a->place, a->pitch, row + down), a->plane, end);
      const spring_place s = {row, column, d};
      float block[6];
      stored_block(a, &s, vector_subtract(x, other), block);
      for (int32_t k = 0; k < 6; k++) {
        mean[d][k] += block[k] * (1.0f / (SAMPLES * SAMPLES));
      }
    }
  }
}

/* Columns or rows of particles from a node to the next, of a level so many times coarsened. */
static int32_t cells_between(int32_t fine, int32_t nodes, int32_t is_ring) {
  const int32_t gaps = is_ring ? nodes : nodes - 1;
  const int32_t cells = (fine + gaps - 1) / (gaps > 0 ? gaps : 1);
  return cells > 0 ? cells : 1;
}

/* Adds the springs of the coarse cell from node (row, column) on. */
static void add_cell(const cloth *c, const solve_arrays *a, const grid_level *l, int32_t row, int32_t column,
                     float *matrix, int32_t size) {
  const int32_t along = cells_between(a->columns, l->columns, l->is_ring), down = cells_between(a->rows, l->rows, 0);
  const int32_t last_column = (column + 1) * along < a->columns ? (column + 1) * along : a->columns;
  const int32_t last_row = (row + 1) * down < a->rows ? (row + 1) * down : a->rows;
  const int32_t columns[2] = {column * along, last_column}, rows[2] = {row * down, last_row};
  if (columns[0] >= columns[1] || rows[0] >= rows[1]) {
    return;
  }
  float mean[DIRECTIONS][6];
  mean_blocks(a, rows, columns, mean);
  const float share = (float)down / (float)along, inverse = (float)along / (float)down;
  const int32_t right = (column + 1) % l->columns, next = l->columns;
  const int32_t level = workspace_of(c)->level_count;
  const int32_t corner[4] = {row * next + column, row * next + right, (row + 1) * next + column,
                             (row + 1) * next + right};
  const float weights[6] = {
      0.5f * share, 0.5f * share, 0.5f * inverse, 0.5f * inverse, minimum(share, inverse), minimum(share, inverse)};
  for (int32_t n = 0; n < 6; n++) { /* warp above and below, weft left and right, both diagonals */
    CLOTH_CONSTANT static const uint8_t ends[6][3] = {{0, 1, WARP}, {2, 3, WARP},     {0, 2, WEFT},
                                                      {1, 3, WEFT}, {0, 3, DIAGONAL}, {1, 2, ANTIDIAGONAL}};
    const int32_t i = corner[ends[n][0]], j = corner[ends[n][1]];
    if (!is_in_pieces(c) || label_at(c, level, i / next, i % next) == label_at(c, level, j / next, j % next)) {
      add_spring(matrix, size, i, j, mean[ends[n][2]], weights[n]);
    }
  }
}

/* Adds stiffness times w w^T of so many nodes, on each axis. */
static void add_pattern(float *matrix, int32_t size, const int32_t *nodes, const float *weights, int32_t count,
                        float stiffness) {
  for (int32_t i = 0; i < count; i++) {
    for (int32_t j = 0; j < count; j++) {
      for (int32_t k = 0; k < 3; k++) {
        matrix[(3 * nodes[i] + k) * size + 3 * nodes[j] + k] += stiffness * weights[i] * weights[j];
      }
    }
  }
}

/* Adds the plate. */
static void add_coarse_plate(const cloth *c, const substep_terms *t, const grid_level *l, float *matrix, int32_t size) {
  const float hinge[3] = {1.0f, -2.0f, 1.0f}, twist[4] = {1.0f, -1.0f, -1.0f, 1.0f};
  float half = 1.0f + t->viscosity, quarter = half;
  for (int32_t n = 0; n < workspace_of(c)->level_count; n++) {
    half *= 0.5f;
    quarter *= 0.25f;
  }
  for (int32_t i = 0; i < l->columns * l->rows; i++) {
    const int32_t row = i / l->columns, column = i - row * l->columns, right = (column + 1) % l->columns;
    if (column > 0 && column + 1 < l->columns) {
      const int32_t nodes[3] = {i - 1, i, i + 1};
      add_pattern(matrix, size, nodes, hinge, 3, t->hinge[WARP] * half);
    }
    if (row > 0 && row + 1 < l->rows) {
      const int32_t nodes[3] = {i - l->columns, i, i + l->columns};
      add_pattern(matrix, size, nodes, hinge, 3, t->hinge[WEFT] * half);
    }
    if (row + 1 < l->rows && (l->is_ring || column + 1 < l->columns)) {
      const int32_t nodes[4] = {i, row * l->columns + right, i + l->columns, (row + 1) * l->columns + right};
      add_pattern(matrix, size, nodes, twist, 4, t->twist * quarter);
    }
  }
}

/* Factors a symmetric matrix in place, of which only the entries on and below the diagonal are read: L below it, 1 / D
   on it. */
static void factor_matrix(float *matrix, int32_t size) {
  float column[3 * SOLVED_NODES], least[3 * SOLVED_NODES];
  for (int32_t k = 0; k < size; k++) {
    least[k] = LEAST_PIVOT * matrix[k * size + k];
  }
  for (int32_t k = 0; k < size; k++) {
    const float pivot = 1.0f / maximum(matrix[k * size + k], least[k]);
    for (int32_t i = k + 1; i < size; i++) {
      column[i] = flush_small(matrix[i * size + k], WORK_QUANTUM);
    }
    for (int32_t i = k + 1; i < size; i++) {
      const float factor = flush_small(column[i] * pivot, WORK_QUANTUM);
      float *row = matrix + i * size;
      for (int32_t j = k + 1; j <= i; j++) {
        row[j] -= factor * column[j];
      }
      row[k] = factor;
    }
    matrix[k * size + k] = pivot;
  }
}

/* Makes the matrix of the coarsest level and factors it. */
CLOTH_SEPARATE void build_coarsest(const cloth *c, const solve_arrays *a, const substep_terms *t) {
  const grid_level *l = coarsest_level_of(c);
  const int32_t nodes = l->columns * l->rows, size = 3 * nodes;
  float *matrix = coarsest_matrix(c), *ground = level_ground(c, workspace_of(c)->level_count - 1);
  fill_zero(matrix, (size_t)(size * size) * sizeof(float));
  for (int32_t i = 0; i < nodes; i++) {
    const int32_t place = i / l->columns * l->pitch + i % l->columns;
    float block[6];
    for (int32_t k = 0; k < 6; k++) {
      block[k] = *own_at(ground, SYMMETRIC_FLOATS, place, k) + (k < 3 ? LEAST_BLOCK : 0.0f);
    }
    add_block(matrix, size, i, i, block, 1.0f);
  }
  for (int32_t row = 0; row + 1 < l->rows; row++) {
    for (int32_t column = 0; column + !l->is_ring < l->columns; column++) {
      add_cell(c, a, l, row, column, matrix, size);
    }
  }
  if (t->bends && t->plate_implicit && !is_in_pieces(c)) {
    add_coarse_plate(c, t, l, matrix, size);
  }
  factor_matrix(matrix, size);
}

/* z = A^-1 r on the coarsest level. Returns r . z. */
CLOTH_SEPARATE float solve_coarsest(const cloth *c) {
  const grid_level *l = coarsest_level_of(c);
  const int32_t nodes = l->columns * l->rows, size = 3 * nodes;
  const float *matrix = coarsest_matrix(c);
  float *residual = level_residual(c, l), *to = level_correction(c, l);
  float x[3 * SOLVED_NODES], sum = 0.0f;
  for (int32_t i = 0; i < size; i++) {
    float value = *own_at(residual, 3, i / 3 / l->columns * l->pitch + i / 3 % l->columns, i % 3);
    for (int32_t j = 0; j < i; j++) {
      value -= matrix[i * size + j] * x[j];
    }
    x[i] = flush_small(value, WORK_QUANTUM);
  }
  for (int32_t i = size - 1; i >= 0; i--) {
    float value = x[i] * matrix[i * size + i];
    for (int32_t j = i + 1; j < size; j++) {
      value -= matrix[j * size + i] * x[j];
    }
    x[i] = flush_small(value, WORK_QUANTUM);
  }
  for (int32_t i = 0; i < size; i++) {
    const int32_t row = i / 3 / l->columns, column = i / 3 % l->columns;
    *near_at(near_row(to, l->pitch, row), l->plane, column, i % 3) = x[i];
    sum += *own_at(residual, 3, row * l->pitch + column, i % 3) * x[i];
  }
  return sum;
}

/* Restricts an own array of so many floats, 3 or 6, from level `number` to the next coarser one: to = scale R from. */
static void restrict_level(const cloth *c, int32_t number, int32_t floats, float *from, float *to, float scale) {
#if WITH_GAPS
  if (is_in_pieces(c)) {
    restrict_pieces(c, number, floats, from, to, scale);
    return;
  }
#endif
  const level_pair p = pair_of(c, number);
  if (floats == 3) {
    restrict_vectors(&p, from, to);
  } else {
    restrict_blocks(&p, from, to, scale);
  }
}

/* Makes the blocks of all coarse levels, from the sums of the blocks of springs in `inverse`. */
CLOTH_SEPARATE void build_levels(const cloth *c, const solve_arrays *a, const substep_terms *t) {
  const workspace *w = workspace_of(c);
  const float at_pins = a->factors ? (1.0f + t->viscosity) * t->twist : plate_diagonal(t);
  if (is_in_pieces(c)) {
    restrict_held_pieces(c, a, t->plate_implicit ? at_pins : 0.0f);
  } else {
    restrict_held(c, a, t->plate_implicit ? at_pins : 0.0f);
  }
  add_springs_to_pins(c, a);
  float *sums = a->inverse;
  for (int32_t n = 0; n < w->level_count; n++) {
    if (n + 1 < w->level_count) {
      restrict_level(c, n, SYMMETRIC_FLOATS, sums, level_inverse(c, &w->levels[n]), w->levels[n].share);
      sums = level_inverse(c, &w->levels[n]);
    }
    if (n > 0) {
      restrict_level(c, n, SYMMETRIC_FLOATS, level_ground(c, n - 1), level_ground(c, n), 1.0f);
      invert_level(c, n - 1, t->plate_implicit ? plate_on_level(c, t, n - 1) : 0.0f);
    }
  }
  build_coarsest(c, a, t);
}

/* The corrections of all coarse levels for the residual of the particles, in the first of them. Returns the sum of
   r . z over these levels. */
CLOTH_SEPARATE lanes_sum apply_levels(const cloth *c, const solve_arrays *a) {
  const workspace *w = workspace_of(c);
  row_sum sum = row_sum_start();
  float *from = a->residual;
  for (int32_t n = 0; n < w->level_count; n++) {
    float *to = level_residual(c, &w->levels[n]);
    restrict_level(c, n, 3, from, to, 1.0f);
    if (n + 1 < w->level_count) {
      apply_level(c, &w->levels[n], &sum);
      from = to;
    }
  }
  lanes_sum parts;
  row_sum_store(parts.partial, &sum);
  parts.partial[0] += solve_coarsest(c);
  for (int32_t n = w->level_count - 1; n > 0; n--) {
    if (is_in_pieces(c)) {
      interpolate_pieces(c, n);
      continue;
    }
    const level_pair p = pair_of(c, n);
    const grid_level *coarse = &w->levels[n], *fine = coarse - 1;
    interpolate_vectors(&p, level_correction(c, coarse), coarse->plane, level_correction(c, fine), fine->plane);
  }
  return parts;
}
