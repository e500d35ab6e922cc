#pragma once
#include "../terms/springs.h"
#include "levels.h"
#include "product.h"
#include "strips.h"
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
 * Two substeps of a step share it, as the sheet as a whole changes little from one to the next: a sheet that hangs has
 * the same energy within 1e-3 (S1). With bounds, which come and go, it is made anew.
 *
 * The mean is taken over SAMPLES x SAMPLES places of the cell. The matrix is factored as L D L^T, pivots at least
 * LEAST_PIVOT of the diagonal.
 *
 * In: springs, place, G of the level, plate. Out: the factors. Scratch: none. All in one order.
 */

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
static void add_block(float *matrix, int32_t i, int32_t j, const float block[6], float weight) {
  float *row = matrix + 3 * (i * SOLVED_PITCH + j);
  const float xy = weight * block[3], xz = weight * block[4], yz = weight * block[5];
  row[0] += weight * block[0];
  row[1] += xy;
  row[2] += xz;
  row += SOLVED_PITCH;
  row[0] += xy;
  row[1] += weight * block[1];
  row[2] += yz;
  row += SOLVED_PITCH;
  row[0] += xz;
  row[1] += yz;
  row[2] += weight * block[2];
}

/* Adds a spring of a block between two nodes. */
static void add_spring(float *matrix, int32_t i, int32_t j, const float block[6], float weight) {
  if (i == j) { return; }
  add_block(matrix, i, i, block, weight);
  add_block(matrix, j, j, block, weight);
  add_block(matrix, i < j ? i : j, i < j ? j : i, block, negate(weight));
}

/* Places of a cell along each side where springs are looked at. */
#define SAMPLES 4
#define SAMPLE_COUNT (SAMPLES * SAMPLES)

/* The places of a coarse cell where springs are looked at, as floats from the beginning of near arrays and of the array
   of springs; and how many of them, the first ones, have a row below. */
typedef struct sample_grid {
  int32_t place[SAMPLE_COUNT], spring[SAMPLE_COUNT], inner;
} sample_grid;

/* Of a cell, from its first row and column and the ones behind its last: ends[0] and ends[1]. */
CLOTH_INLINE void place_samples(const solve_arrays *a, const int32_t ends[2][2], sample_grid *grid) {
  grid->inner = 0;
  int32_t n = 0;
  for (int32_t m = 0; m < SAMPLES; m++) {
    const int32_t row = ends[0][0] + (2 * m + 1) * (ends[0][1] - ends[0][0]) / (2 * SAMPLES);
    const int32_t first = row * a->pitch;
    CLOTH_UNROLL
    for (int32_t k = 0; k < SAMPLES; k++, n++) {
      const int32_t column = ends[1][0] + (2 * k + 1) * (ends[1][1] - ends[1][0]) / (2 * SAMPLES);
      grid->place[n] = NEAR_STEP * (first + column);
      grid->spring[n] = (int32_t)(own_at(a->springs, SPRING_FLOATS, first + column, 0) - a->springs);
    }
    grid->inner = row + 1 < a->rows ? n : grid->inner;
  }
}

/* Takes places without a row below for the first one, so that nothing below the last row is read. */
CLOTH_INLINE void keep_inner_samples(sample_grid *grid) {
  for (int32_t n = grid->inner; n < SAMPLE_COUNT; n++) {
    grid->place[n] = grid->place[0];
    grid->spring[n] = grid->spring[0];
  }
}

CLOTH_INLINE lanes3 near_gather(const float *array, ptrdiff_t plane, const int32_t *places) {
  return lanes3_of(lanes_gather(array, places), lanes_gather(array + NEAR_PLANE(plane), places),
                   lanes_gather(array + 2 * NEAR_PLANE(plane), places));
}

/* The mean of the blocks of springs of a direction at the first `count` places of a grid, and 0 at the others. */
CLOTH_ONCE void mean_block(const solve_arrays *a, const sample_grid *grid, int32_t direction, int32_t count,
                           float mean[6]) {
  const float *x = a->place, *end = x + NEAR_STEP * (direction == WARP ? 1 : column_step(direction) + a->pitch);
  const float *across = a->springs + SPRING_ACROSS(direction) * CLOTH_LANES, *along = across + CLOTH_LANES;
  row_sum sums[6];
  for (int32_t k = 0; k < 6; k++) {
    sums[k] = row_sum_start();
  }
  CLOTH_UNROLL
  for (int32_t n = 0; n < SAMPLE_COUNT; n += CLOTH_LANES) {
    const int32_t *places = grid->place + n, *springs = grid->spring + n;
    const lanes_mask counts = lanes_first(count - n);
    const lanes3 d = lanes3_subtract(near_gather(x, a->plane, places), near_gather(end, a->plane, places));
    const symmetric m = block_of_spring(lanes_keep(counts, lanes_gather(across, springs)),
                                        lanes_keep(counts, lanes_gather(along, springs)), d);
    row_sum_add(&sums[0], n, m.xx);
    row_sum_add(&sums[1], n, m.yy);
    row_sum_add(&sums[2], n, m.zz);
    row_sum_add(&sums[3], n, m.xy);
    row_sum_add(&sums[4], n, m.xz);
    row_sum_add(&sums[5], n, m.yz);
  }
  CLOTH_UNROLL
  for (int32_t k = 0; k < 6; k++) {
    lanes_sum sum;
    row_sum_store(sum.partial, &sums[k]);
    mean[k] = lanes_sum_total(&sum) * (1.0f / SAMPLE_COUNT);
  }
}

/* Columns or rows of particles from a node to the next, of a level so many times coarsened. */
static int32_t cells_between(int32_t fine, int32_t nodes, int32_t is_ring) {
  const int32_t gaps = is_ring ? nodes : nodes - 1;
  const int32_t cells = (fine + gaps - 1) / (gaps > 0 ? gaps : 1);
  return cells > 0 ? cells : 1;
}

/* Adds the springs of the coarse cell from node (row, column) on. */
CLOTH_ONCE void add_cell(const cloth *c, const solve_arrays *a, const grid_level *l, int32_t row, int32_t column,
                         float *matrix) {
  float mean[6] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
  const int32_t along = cells_between(a->columns, l->columns, l->is_ring), down = cells_between(a->rows, l->rows, 0);
  const int32_t last_column = (column + 1) * along < a->columns ? (column + 1) * along : a->columns;
  const int32_t last_row = (row + 1) * down < a->rows ? (row + 1) * down : a->rows;
  if (column * along >= last_column || row * down >= last_row) { return; }
  const int32_t ends[2][2] = {{row * down, last_row}, {column * along, last_column}};
  sample_grid grid;
  place_samples(a, ends, &grid);
  const float share = (float)down / (float)along, inverse = (float)along / (float)down;
  const int32_t right = (column + 1) % l->columns, next = l->columns;
  const int32_t level = workspace_of(c)->level_count;
  const int32_t corner[4] = {row * next + column, row * next + right, (row + 1) * next + column,
                             (row + 1) * next + right};
  for (int32_t n = 0, direction = -1; n < 6; n++) { /* warp above and below, weft left and right, both diagonals */
    CLOTH_CONSTANT static const uint8_t springs[6][3] = {{0, 1, WARP}, {2, 3, WARP},     {0, 2, WEFT},
                                                         {1, 3, WEFT}, {0, 3, DIAGONAL}, {1, 2, ANTIDIAGONAL}};
    const int32_t i = corner[springs[n][0]], j = corner[springs[n][1]];
    if (springs[n][2] != direction) {
      direction = springs[n][2];
      const int32_t count = direction == WARP ? SAMPLE_COUNT : grid.inner;
      if (count < SAMPLE_COUNT) { keep_inner_samples(&grid); }
      clear_floats(mean, count > 0 ? 0 : 6);
      if (count > 0) { mean_block(a, &grid, direction, count, mean); }
    }
    if (!is_in_pieces(c) || label_at(c, level, i / next, i % next) == label_at(c, level, j / next, j % next)) {
      const float aside = direction == WARP ? 0.5f * share : 0.5f * inverse;
      add_spring(matrix, i, j, mean, direction >= DIAGONAL ? minimum(share, inverse) : aside);
    }
  }
}

/* Adds stiffness times w w^T of so many nodes, on each axis. */
static void add_pattern(float *matrix, const int32_t *nodes, const float *weights, int32_t count, float stiffness) {
  for (int32_t i = 0; i < count; i++) {
    for (int32_t j = 0; j <= i; j++) {
      const int32_t row = nodes[i] < nodes[j] ? nodes[i] : nodes[j], column = nodes[i] + nodes[j] - row;
      const float value = stiffness * weights[i] * weights[j];
      float *to = matrix + 3 * (row * SOLVED_PITCH + column);
      to[0] += value;
      to[SOLVED_PITCH + 1] += value;
      to[2 * SOLVED_PITCH + 2] += value;
    }
  }
}

CLOTH_ONCE void add_coarse_plate(const cloth *c, const substep_terms *t, const grid_level *l, float *matrix) {
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
      add_pattern(matrix, nodes, hinge, 3, t->hinge[WARP] * half);
    }
    if (row > 0 && row + 1 < l->rows) {
      const int32_t nodes[3] = {i - l->columns, i, i + l->columns};
      add_pattern(matrix, nodes, hinge, 3, t->hinge[WEFT] * half);
    }
    if (row + 1 < l->rows && (l->is_ring || column + 1 < l->columns)) {
      const int32_t nodes[4] = {i, row * l->columns + right, i + l->columns, (row + 1) * l->columns + right};
      add_pattern(matrix, nodes, twist, 4, t->twist * quarter);
    }
  }
}

/* Blocks in which unknowns are taken, so that with several lanes the floats that one of them changes are known to the
   compiler. What lies at and before it in its block, or behind the last one, is spoilt: nobody reads it. */
#define SOLVED_BLOCKS (CLOTH_LANES == 1 ? 1 : SOLVED_PITCH / CLOTH_LANES)

/* The unknown behind the last one of a block. */
CLOTH_INLINE int32_t end_of_block(int32_t block, int32_t size) {
  const int32_t end = (block + 1) * CLOTH_LANES;
  return block + 1 == SOLVED_BLOCKS || end > size ? size : end;
}

/* Blocks of a row that are kept in registers while the rows above it are taken from it. */
#define KEPT_BLOCKS (CLOTH_LANES == 1 ? 3 : SOLVED_BLOCKS)

/* Takes from `count` blocks of row i of a matrix that is being factored, a constant, what the rows above have of it:
   from float `first` on, on the diagonal or behind it. L before the diagonal stays. */
CLOTH_INLINE void take_rows_above(float *matrix, int32_t i, int32_t first, int32_t count) {
  float *row = matrix + i * SOLVED_PITCH;
  const float *above = matrix + first;
  lanes left[KEPT_BLOCKS];
  CLOTH_UNROLL
  for (int32_t n = 0; n < count; n++) {
    left[n] = lanes_load(row + first + n * CLOTH_LANES);
  }
  for (int32_t k = 0; k < i; k++, above += SOLVED_PITCH) {
    const lanes by = lanes_splat(row[k]);
    CLOTH_UNROLL
    for (int32_t n = 0; n < count; n++) {
      left[n] = lanes_subtract(left[n], lanes_multiply(lanes_load(above + n * CLOTH_LANES), by));
    }
  }
  CLOTH_UNROLL
  for (int32_t n = 0; n < count; n++) {
    float *to = row + first + n * CLOTH_LANES;
    const lanes_mask is_before = lanes_first(i - first - n * CLOTH_LANES);
    lanes_store(to, CLOTH_LANES == 1 || n == 0 ? lanes_select(is_before, lanes_load(to), left[n]) : left[n]);
  }
}

/* Divides row i by its pivot: L goes into its column of the rows below. `least`: the least pivot. */
CLOTH_INLINE void divide_row(float *matrix, int32_t size, int32_t i, float least) {
  float *row = matrix + i * SOLVED_PITCH, *below = row + i, scaled[SOLVED_PITCH];
  const float pivot = 1.0f / maximum(row[i], least);
  const lanes by = lanes_splat(pivot);
  for (int32_t j = i / CLOTH_LANES * CLOTH_LANES; j < SOLVED_PITCH; j += CLOTH_LANES) {
    const lanes flushed = lanes_flush(lanes_load(row + j));
    lanes_store(row + j, flushed);
    lanes_store(scaled + j, lanes_flush(lanes_multiply(flushed, by)));
  }
  row[i] = pivot;
  for (int32_t j = i + 1; j < size; j++) {
    below += SOLVED_PITCH;
    *below = scaled[j];
  }
}

/* Factors a symmetric matrix in place, of which only the entries on and above the diagonal are read: L below it, 1 / D
   on it, and D L^T above. */
CLOTH_ONCE void factor_matrix(float *matrix, int32_t size) {
  CLOTH_UNROLL
  for (int32_t block = 0; block < SOLVED_BLOCKS; block++) {
    const int32_t end = end_of_block(block, size);
    for (int32_t i = block * CLOTH_LANES; i < end; i++) {
      const float least = LEAST_PIVOT * matrix[i * SOLVED_PITCH + i];
#if CLOTH_LANES == 1
      for (int32_t first = i - i % KEPT_BLOCKS; first < size; first += KEPT_BLOCKS) {
        take_rows_above(matrix, i, first, KEPT_BLOCKS);
      }
#else
      take_rows_above(matrix, i, block * CLOTH_LANES, SOLVED_BLOCKS - block);
#endif
      divide_row(matrix, size, i, least);
    }
  }
}

/* Makes the matrix of the coarsest level and factors it. */
CLOTH_SEPARATE void build_coarsest(const cloth *c, const solve_arrays *a, const substep_terms *t) {
  const grid_level *l = coarsest_level_of(c);
  const int32_t nodes = l->columns * l->rows, size = 3 * nodes;
  float *matrix = coarsest_matrix(c), *ground = level_ground(c, workspace_of(c)->level_count - 1);
  clear_floats(matrix, size * SOLVED_PITCH);
  for (int32_t i = 0; i < nodes; i++) {
    const int32_t place = i / l->columns * l->pitch + i % l->columns;
    float block[6];
    CLOTH_UNROLL
    for (int32_t k = 0; k < 6; k++) {
      block[k] = *own_at(ground, SYMMETRIC_FLOATS, place, k) + (k < 3 ? LEAST_BLOCK : 0.0f);
    }
    add_block(matrix, i, i, block, 1.0f);
  }
  for (int32_t row = 0; row + 1 < l->rows; row++) {
    for (int32_t column = 0; column + !l->is_ring < l->columns; column++) {
      add_cell(c, a, l, row, column, matrix);
    }
  }
  if (t->bends && t->plate_implicit && !is_in_pieces(c)) { add_coarse_plate(c, t, l, matrix); }
  factor_matrix(matrix, size);
}

/* x -= factor row, of the blocks blocks[0] .. blocks[1] - 1, constants, which are kept in `left`; only the block
   `taken` of x follows. With one lane of the floats floats[0] .. floats[1] - 1. */
CLOTH_INLINE void subtract_row(float *x, lanes *left, const float *row, float factor, int32_t taken,
                               const int32_t blocks[2], const int32_t floats[2]) {
  const lanes by = lanes_splat(factor);
  for (int32_t i = floats[0]; CLOTH_LANES == 1 && i < floats[1]; i++) {
    lanes_store(x + i, lanes_subtract(lanes_load(x + i), lanes_multiply(lanes_load(row + i), by)));
  }
  CLOTH_UNROLL
  for (int32_t n = CLOTH_LANES > 1 ? blocks[0] : blocks[1]; n < blocks[1]; n++) {
    left[n] = lanes_subtract(left[n], lanes_multiply(lanes_load(row + n * CLOTH_LANES), by));
  }
  if (CLOTH_LANES > 1) { lanes_store(x + taken * CLOTH_LANES, left[taken]); }
}

CLOTH_INLINE void load_blocks(const float *x, lanes left[SOLVED_BLOCKS]) {
  CLOTH_UNROLL
  for (int32_t n = 0; n < SOLVED_BLOCKS; n++) {
    left[n] = lanes_load(x + n * CLOTH_LANES);
  }
}

/* Solves with the factors: x = A^-1 x, of which SOLVED_PITCH floats are read. */
static void solve_factored(const float *matrix, int32_t size, float *x) {
  float solved[SOLVED_PITCH];
  lanes left[SOLVED_BLOCKS];
  const float *row = matrix;
  load_blocks(x, left);
  CLOTH_UNROLL
  for (int32_t block = 0; block < SOLVED_BLOCKS; block++) {
    const int32_t end = end_of_block(block, size);
    if (CLOTH_LANES > 1) { lanes_store(x + block * CLOTH_LANES, left[block]); }
    for (int32_t j = block * CLOTH_LANES; j < end; j++) {
      solved[j] = flush_work(x[j] * row[j]);
      const int32_t blocks[2] = {block, SOLVED_BLOCKS}, floats[2] = {j + 1, size};
      subtract_row(x, left, row, solved[j], block, blocks, floats);
      row += SOLVED_PITCH;
    }
  }
  for (int32_t j = size; j < SOLVED_PITCH; j++) {
    solved[j] = 0.0f;
  }
  load_blocks(solved, left);
  CLOTH_UNROLL
  for (int32_t block = SOLVED_BLOCKS - 1; block >= 0; block--) {
    const int32_t end = end_of_block(block, size);
    if (CLOTH_LANES > 1) { lanes_store(solved + block * CLOTH_LANES, left[block]); }
    for (int32_t j = end - 1; j >= block * CLOTH_LANES; j--) {
      row -= SOLVED_PITCH;
      x[j] = flush_work(solved[j]);
      const int32_t blocks[2] = {0, block + 1}, floats[2] = {0, j};
      subtract_row(solved, left, row, x[j], block, blocks, floats);
    }
  }
}

/* z = A^-1 r on the coarsest level. Returns r . z. */
CLOTH_SEPARATE float solve_coarsest(const cloth *c) {
  const grid_level *l = coarsest_level_of(c);
  const int32_t columns = l->columns, size = 3 * columns * l->rows;
  float *residual = level_residual(c, l), *to = level_correction(c, l);
  float x[SOLVED_PITCH], r[3 * SOLVED_NODES], sum = 0.0f;
  clear_floats(x, SOLVED_PITCH);
  for (int32_t row = 0, i = 0; row < l->rows; row++) {
    for (int32_t column = 0; column < columns; column++, i += 3) {
      const float *from = own_at(residual, 3, row * l->pitch + column, 0);
      CLOTH_UNROLL
      for (int32_t k = 0; k < 3; k++) {
        x[i + k] = r[i + k] = from[k * CLOTH_LANES];
      }
    }
  }
  solve_factored(coarsest_matrix(c), size, x);
  for (int32_t row = 0, i = 0; row < l->rows; row++) {
    for (int32_t column = 0; column < columns; column++, i += 3) {
      near_vector_store(near_row(to, l->pitch, row), l->plane, column, vector(x[i], x[i + 1], x[i + 2]));
      sum += r[i] * x[i] + r[i + 1] * x[i + 1] + r[i + 2] * x[i + 2];
    }
  }
  return sum;
}

/* What is restricted from level `number` to the next coarser one. */
typedef struct restriction {
  const float *from;
  float *to;
  int32_t number, floats;
  float scale;
} restriction;

static void restrict_strip(const cloth *c, stage_piece *piece) {
  const restriction *r = (const restriction *)piece->what;
  const level_pair p = pair_of_piece(c, r->number, piece);
  if (r->floats == 3) {
    restrict_vectors(&p, r->from, r->to, piece->first, piece->end);
  } else {
    restrict_blocks(&p, r->from, r->to, r->scale, piece->first, piece->end);
  }
}

/* Restricts an own array of so many floats, 3 or 6, from level `number` to the next coarser one: to = scale R from. */
CLOTH_ONCE void restrict_level(const cloth *c, int32_t number, int32_t floats, float *from, float *to, float scale) {
  if (is_in_pieces(c)) {
    restrict_pieces(c, number, floats, from, to, scale);
    return;
  }
  const restriction r = {from, to, number, floats, scale};
  run_level_strips(c, restrict_strip, &r, &workspace_of(c)->levels[number]);
}

static void interpolate_strip(const cloth *c, stage_piece *piece) {
  const interpolation *v = (const interpolation *)piece->what;
  const level_pair p = pair_of_piece(c, v->number, piece);
  interpolate_vectors(&p, v, piece->first, piece->end);
}

/* Adds the corrections of coarse level `number` to those of the level before it. */
CLOTH_ONCE void interpolate_level(const cloth *c, int32_t number) {
  const grid_level *coarse = &workspace_of(c)->levels[number], *fine = coarse - 1;
  const interpolation v = {level_correction(c, coarse), level_correction(c, fine), coarse->plane, fine->plane, number};
  if (is_wrapped(c)) {
    const level_pair p = pair_of(c, number);
    close_coarse(&p, v.from, v.from_plane);
  }
  run_level_strips(c, interpolate_strip, &v, fine);
}

/* What holds the particles, of a strip of coarse rows. */
static void restrict_held_strip(const cloth *c, stage_piece *piece) {
  const solve_arrays *a = arrays_of(c);
  const level_pair p = pair_of_piece(c, 0, piece);
  restrict_held(c, a, &p, *(const float *)piece->what, piece->first, piece->end);
}

/* Makes the blocks of all coarse levels, from the sums of the blocks of springs in `inverse`. */
CLOTH_SEPARATE void build_levels(const cloth *c, const solve_arrays *a, const substep_terms *t) {
  workspace *w = workspace_of(c);
  const float on_pins = a->factors ? (1.0f + t->viscosity) * t->twist : plate_diagonal(t);
  const float at_pins = t->plate_implicit ? on_pins : 0.0f;
  if (is_in_pieces(c)) {
    restrict_held_pieces(c, a, at_pins);
  } else {
    run_level_strips(c, restrict_held_strip, &at_pins, w->levels);
  }
  add_springs_to_pins(c, a);
  float *sums = a->inverse;
  for (int32_t n = 0; n < w->level_count; n++) {
    if (n + 1 < w->level_count) {
      restrict_level(c, n, SYMMETRIC_FLOATS, sums, level_inverse(c, &w->levels[n]), w->levels[n].share);
      sums = level_inverse(c, &w->levels[n]);
    }
    if (n > 0) {
      if (n + 1 < w->level_count || !w->coarsest_is_kept) {
        restrict_level(c, n, SYMMETRIC_FLOATS, level_ground(c, n - 1), level_ground(c, n), 1.0f);
      }
      invert_level(c, n - 1, t->plate_implicit ? plate_on_level(c, t, n - 1) : 0.0f);
    }
  }
  if (!w->coarsest_is_kept) { build_coarsest(c, a, t); }
  w->coarsest_is_kept = t->keeps_coarsest;
}

/* The corrections of all coarse levels for the residual of the particles, in the first of them. Returns the sum of
   r . z over these levels. */
CLOTH_SEPARATE lanes_sum apply_levels(const cloth *c) {
  const workspace *w = workspace_of(c);
  row_sum sum = row_sum_start();
  float *from = floats_at(c, c->scratch.residual);
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
    } else {
      interpolate_level(c, n);
    }
  }
  return parts;
}
