#pragma once
#include "access.h"
#include "bend.h"
#include "compiler.h"
#include "lanes.h"
#include "layout.h"
#include "scalar.h"
#include "seam.h"
#include "springs.h"
#include "types.h"

/// Operator ///

/*
 * The product q = A p of the implicit solve, row by row and without an assembled matrix. A is that of backward Euler,
 * M - h df/dv - h^2 df/dx, over the reference mass: the particles' mass ratios plus the blocks beta I + w w^T of
 * implicit stretch and shear springs and slope d d^T of implicit bend springs. Each row also adds its part of p.q to a
 * sum.
 *
 * In: scratch.direction (p), operator_blocks, bend_slopes and seam as forces.h has stored them, state.position (d),
 * mass ratios. Out: scratch.product (q). Scratch: row_buffers, 0 for springs, 1 and 2 for bend springs, cleared by the
 * caller before the first row.
 */

/* Forces of bend springs of direction d on velocity differences e, end minus start: slope d (d.e). */
CLOTH_INLINE lanes3 bend_operator_pull(const float *slope, const cell_corners *x, const cell_corners *p, int32_t d) {
  lanes3 span = bend_span(x, d);
  lanes along = lanes3_dot(span, corner_difference(p, d));
  return lanes3_scale(span, lanes_quantise(lanes_multiply(lanes_load(slope), along), WORK_ROUNDER));
}

/* Adds what implicit bend springs contribute to a row of the product, and its part of p.q to the sum. The slopes are
   stored; d is computed again from the positions. */
CLOTH_HOT CLOTH_SEPARATE void bend_operator_row(const cloth *c, int32_t row, lanes_sum *sum) {
  const vector_array x = vectors_at(c, c->state.position);
  const vector_array p = vectors_at(c, c->scratch.direction);
  const vector_array q = vectors_at(c, c->scratch.product);
  const vector_array buffer = bend_buffer(c, row);
  const float *slopes = floats_at(c, c->scratch.bend_slopes);
  const int32_t count = c->count, columns = c->grid.columns, first = row * columns, below = offset_below(c, row, 2);
  shift_state shift = shift_start();
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    int32_t i = first + column;
    cell_corners xs = load_corners(x, i, 2, below);
    cell_corners ps = load_corners(p, i, 2, below);
    row_forces pulls;
    EACH_DIRECTION(d, pulls.along[d] = bend_operator_pull(slopes + d * count + i, &xs, &ps, d));
    lanes3 bends = lanes3_quantise(accumulate_row(&pulls, &shift, 2, buffer, column, columns - column), WORK_ROUNDER);
    lanes3_store(q, i, lanes3_subtract(lanes3_load(q, i), bends), columns - column);
    lanes dot = lanes_subtract(lanes_splat(0.0f), lanes3_dot(ps.first, bends));
    lanes_sum_add(sum, column, lanes_within(dot, columns - column));
  }
}

/* Forces of springs on velocity differences e, end minus start: beta e + w (w.e). */
CLOTH_INLINE lanes3 operator_pull(const float *spring, int32_t width, lanes3 e) {
  lanes3 w = lanes3_of(lanes_load(spring), lanes_load(spring + width), lanes_load(spring + 2 * width));
  lanes beta = lanes_load(spring + 3 * width);
  return lanes3_add(lanes3_scale(e, beta), lanes3_scale(w, lanes3_dot(w, e)));
}

/* A row of the product. Loop invariants are copied here: a lane store may alias *c, so that the compiler would reload
   them for every block. */
typedef struct operator_context {
  vector_array p, q, buffer;
  const float *tiles, *mass_ratio; /* of the row; mass_ratio is NULL if all are 1 */
  int32_t columns, first, below;   /* first particle of the row; offset_below() */
  int stretch, shear;              /* 1 if springs of these families are solved for */
  shift_state shift;
  lanes_sum *sum;
} operator_context;

/* The block of the product at a column, by masses and by stretch and shear springs, and its part of p.q. `width` is
   that of the block's tile, `left` the columns to the row's end, or at least those of a block. */
CLOTH_INLINE void apply_block(operator_context *o, int32_t column, int32_t width, int32_t left) {
  const lanes3 zero = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  const float *spring = o->tiles + tile_offset(column);
  const int32_t i = o->first + column;
  cell_corners ps = load_corners(o->p, i, 1, o->below);
  row_forces pulls = {{zero, zero, zero, zero}};
  if (o->stretch) {
    pulls.along[WARP] = operator_pull(spring, width, corner_difference(&ps, WARP));
    pulls.along[WEFT] = operator_pull(spring + OPERATOR_FLOATS * WEFT * width, width, corner_difference(&ps, WEFT));
  }
  CLOTH_LANES_FORGET();
  ps = load_corners(o->p, i, 1, o->below);
  if (o->shear) {
    pulls.along[DIAGONAL] =
        operator_pull(spring + OPERATOR_FLOATS * DIAGONAL * width, width, corner_difference(&ps, DIAGONAL));
    pulls.along[ANTIDIAGONAL] =
        operator_pull(spring + OPERATOR_FLOATS * ANTIDIAGONAL * width, width, corner_difference(&ps, ANTIDIAGONAL));
  }
  lanes3 springs = accumulate_row(&pulls, &o->shift, 1, o->buffer, column, left);
  lanes3 inertia = o->mass_ratio ? lanes3_scale(ps.first, lanes_load(o->mass_ratio + column)) : ps.first;
  lanes3 product = lanes3_quantise(lanes3_subtract(inertia, springs), WORK_ROUNDER);
  lanes3_store(o->q, i, product, left);
  lanes_sum_add(o->sum, column, lanes_within(lanes3_dot(ps.first, product), left));
}

CLOTH_INLINE void apply_row(const cloth *c, int32_t row, int stretch, int shear, lanes_sum *sum) {
  const int32_t columns = c->grid.columns, first = row * columns, whole = columns & ~(TILE - 1);
  const float *mass_ratio = c->constant.mass_ratio ? floats_at(c, c->constant.mass_ratio) + first : NULL;
  operator_context o = {.p = vectors_at(c, c->scratch.direction),
                        .q = vectors_at(c, c->scratch.product),
                        .buffer = row_buffer(c, 0),
                        .tiles = tiles_of(c, row),
                        .mass_ratio = mass_ratio,
                        .columns = columns,
                        .first = first,
                        .below = offset_below(c, row, 1),
                        .stretch = stretch,
                        .shear = shear,
                        .shift = shift_start(),
                        .sum = sum};
  int32_t column = 0;
#if !defined(__OPTIMIZE_SIZE__)
  for (; column < whole; column += CLOTH_LANES) {
    apply_block(&o, column, TILE, CLOTH_LANES);
  }
#endif
  for (; column < columns; column += CLOTH_LANES) {
    apply_block(&o, column, column < whole ? TILE : columns - whole, columns - column);
  }
}

/* Sets a row of the product, and adds its part of p.q to the sum, by masses and by implicit stretch and shear springs.
   apply_row() is compiled once for each choice of families; once in all when optimising for size. */
CLOTH_HOT CLOTH_SEPARATE void operator_row(const cloth *c, const step_plan *plan, int32_t row, lanes_sum *sum) {
  int stretch = plan->spring[WARP].mode >= CLOTH_MODE_IMPLICIT || plan->spring[WEFT].mode >= CLOTH_MODE_IMPLICIT;
  int shear = plan->spring[DIAGONAL].mode >= CLOTH_MODE_IMPLICIT;
#if defined(__OPTIMIZE_SIZE__)
  apply_row(c, row, stretch, shear, sum);
#else
  if (stretch && shear) {
    apply_row(c, row, 1, 1, sum);
  } else if (stretch) {
    apply_row(c, row, 1, 0, sum);
  } else {
    apply_row(c, row, 0, shear, sum);
  }
#endif
}

#if WITH_WRAP

/* Adds what a line of implicit springs across the seam contributes to the product, and its part of p.q to the sum. */
CLOTH_HOT CLOTH_SEPARATE void operator_seam_line(const cloth *c, const seam_line *line, lanes_sum *sum) {
  for (int32_t row = 0; row < line->rows; row += CLOTH_LANES) {
    int32_t count = line->rows - row;
    lanes3 e = seam_difference(c, line, vectors_at(c, c->scratch.direction), row, count);
    lanes3 pull = lanes3_quantise(operator_pull(line->blocks + row, seam_rows(c), e), WORK_ROUNDER);
    add_seam_pulls(c, line, vectors_at(c, c->scratch.product), row, lanes3_negated(pull), count);
    lanes_sum_add(sum, row, lanes_within(lanes3_dot(e, pull), count));
  }
}

/* Adds what all implicit springs across the seam contribute to the product and to p.q. */
static void operator_seam(const cloth *c, const step_plan *plan, lanes_sum *sum) {
  for (int32_t n = 0; n < seam_lines(c); n++) {
    seam_line line = seam_line_at(c, plan, n);
    if (line.mode >= CLOTH_MODE_IMPLICIT) {
      operator_seam_line(c, &line, sum);
    }
  }
}

#endif
