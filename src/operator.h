#pragma once
#include "access.h"
#include "compiler.h"
#include "lanes.h"
#include "layout.h"
#include "scalar.h"
#include "seam.h"
#include "springs.h"
#include "types.h"

/// Operator ///

/*
 * The product A p of the linear solve, a row at a time and without an assembled matrix.
 * A = (M - h df/dv - h^2 df/dx) / m0 is the mass ratios plus the blocks of the implicit springs. The 3x3 block
 * K = beta I + w w^T of a spring acts on the difference e = p_end - p_start. The rows also add up p . A p, the
 * curvature that conjugate gradient divides by. In: scratch.direction (p); operator_blocks and seam (the blocks); the
 * mass ratios. Out: scratch.product (A p). Scratch: row_buffers, which hold what the springs of one row add to the rows
 * below.
 */

/* Pull of springs on the ends where they start, (beta I + w w^T) e. `spring` points to w.x of the first, with `width`
   floats from one of w.x, w.y, w.z, beta to the next. */
CLOTH_INLINE lanes3 operator_pull(const float *spring, int32_t width, lanes3 e) {
  lanes3 w = lanes3_of(lanes_load(spring), lanes_load(spring + width), lanes_load(spring + 2 * width));
  lanes beta = lanes_load(spring + 3 * width);
  return lanes3_add(lanes3_scale(e, beta), lanes3_scale(w, lanes3_dot(w, e)));
}

/* Operands of the product of one row. The pointers and sizes are copies of loop invariants: a lane store may alias *c,
   so the compiler would otherwise load them again for each block. */
typedef struct operator_context {
  vector_array p, q, buffer; /* direction, product, row buffer */
  const float *tiles;        /* the row's springs */
  const float *mass_ratio;   /* of the row's particles; NULL if all are 1 */
  int32_t columns, first;    /* columns of the grid; the row's first particle */
  int32_t below;             /* from a particle to the one below, 0 in the last row */
  int stretch, shear;        /* 1: the springs of these families are implicit */
  shift_state carry;
  lanes_sum *sum; /* of p . A p */
} operator_context;

/* The springs of one direction in a tile `width` cells wide. */
CLOTH_INLINE const float *operator_springs(const float *tile, int32_t direction, int32_t width) {
  return tile + OPERATOR_FLOATS * direction * width;
}

/* A p of one block of particles, from masses, stretch and shear springs; adds its part of p . A p to the sum. The block
   lies in a tile `width` cells wide. `left` particles are left in the row; a constant CLOTH_LANES serves for any whole
   block. The corners are loaded a second time behind the optimisation barrier, which saves registers. */
CLOTH_INLINE void apply_block(operator_context *o, int32_t column, int32_t width, int32_t left) {
  const lanes3 zero = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  const float *tile = o->tiles + tile_offset(column);
  const int32_t i = o->first + column;
  cell_corners ps = load_corners(o->p, i, o->below);
  row_forces pulls = {{zero, zero, zero, zero}};
  if (o->stretch) {
    pulls.along[WARP] = operator_pull(operator_springs(tile, WARP, width), width, corner_difference(&ps, WARP));
    pulls.along[WEFT] = operator_pull(operator_springs(tile, WEFT, width), width, corner_difference(&ps, WEFT));
  }
  CLOTH_LANES_FORGET();
  ps = load_corners(o->p, i, o->below);
  if (o->shear) {
    pulls.along[DIAGONAL] =
        operator_pull(operator_springs(tile, DIAGONAL, width), width, corner_difference(&ps, DIAGONAL));
    pulls.along[ANTIDIAGONAL] =
        operator_pull(operator_springs(tile, ANTIDIAGONAL, width), width, corner_difference(&ps, ANTIDIAGONAL));
  }
  lanes3 springs = accumulate_row(&pulls, &o->carry, o->buffer, column, left);
  lanes3 inertia = o->mass_ratio ? lanes3_scale(ps.first, lanes_load(o->mass_ratio + column)) : ps.first;
  lanes3 product = lanes3_quantise(lanes3_subtract(inertia, springs), WORK_ROUNDER);
  lanes3_store(o->q, i, product, left);
  lanes_sum_add(o->sum, column, lanes_within(lanes3_dot(ps.first, product), left));
}

CLOTH_INLINE void apply_row(const cloth *c, int32_t row, int stretch, int shear, lanes_sum *sum) {
  const int32_t columns = c->grid.columns, first = row * columns, whole = columns & ~(TILE - 1);
  operator_context o = {.p = vectors_at(c, c->scratch.direction),
                        .q = vectors_at(c, c->scratch.product),
                        .buffer = row_buffer(c),
                        .tiles = tiles_of(c, row),
                        .mass_ratio = c->constant.mass_ratio ? floats_at(c, c->constant.mass_ratio) + first : NULL,
                        .columns = columns,
                        .first = first,
                        .below = offset_below(c, row),
                        .stretch = stretch,
                        .shear = shear,
                        .carry = shift_start(),
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

/* Sets a row of the product to A p without the seam, and adds its part of p . A p to the sum. Each choice
   of families is compiled separately, unless the code is optimised for size. */
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

/* Adds A p of one line of springs across the seam to the product, and its part of p . A p to the sum. */
CLOTH_HOT CLOTH_SEPARATE void operator_seam_line(const cloth *c, const seam_line *line, lanes_sum *sum) {
  for (int32_t row = 0; row < line->rows; row += CLOTH_LANES) {
    int32_t count = line->rows - row;
    lanes3 e = seam_difference(c, line, vectors_at(c, c->scratch.direction), row, count);
    lanes3 pull = lanes3_quantise(operator_pull(line->blocks + row, seam_rows(c), e), WORK_ROUNDER);
    add_seam_pulls(c, line, vectors_at(c, c->scratch.product), row, lanes3_negate(pull), count);
    lanes_sum_add(sum, row, lanes_within(lanes3_dot(e, pull), count));
  }
}

/* Adds A p of all implicit springs across the seam to the product, and their part of p . A p to the sum. */
static void operator_seam(const cloth *c, const step_plan *plan, lanes_sum *sum) {
  for (int32_t n = 0; n < SEAM_SPRINGS; n++) {
    seam_line line = seam_line_at(c, plan, n);
    if (line.mode >= CLOTH_MODE_IMPLICIT) {
      operator_seam_line(c, &line, sum);
    }
  }
}

#endif
