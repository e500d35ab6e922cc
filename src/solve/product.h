#pragma once
#include "../base/rows.h"
#include "../block3.h"
#include "../compiler.h"
#include "../lanes.h"
#include "../scalar.h"
#include "../terms/hinges.h"
#include "../terms/plate.h"
#include "../terms/springs.h"
#include "../types.h"
#include "arrays.h"

/// The operator ///

/*
 * q = A p: the product of the operator with the direction of an iteration, row by row. Springs bring a force to both of
 * their particles; what they bring to the row below waits in row buffers. Pins have q = 0.
 *
 * In: direction, place, springs, diagonal, air, ground. Out: product, and the partial sums of p . q of each row.
 * Scratch: row buffers.
 */

/* The three directions of springs that lead to the row below. */
#define DOWNWARDS (DIRECTIONS - 1)

/* The row buffer of what springs of a direction, WEFT or a diagonal, bring from row `row` to the one below. */
CLOTH_INLINE float *down_forces(const solve_arrays *a, int32_t row, int32_t direction) {
  return vector_buffer(a, BUFFER_FORCES + DOWNWARDS * (row & 1) + direction - WEFT);
}

/* From a particle to the one below at the other end of a spring of a direction, in columns. */
CLOTH_INLINE int32_t column_step(int32_t direction) {
  return direction == DIAGONAL ? 1 : direction == ANTIDIAGONAL ? -1 : 0;
}

/* What the springs from the row above bring to a block: 0 for the first row. */
CLOTH_INLINE lanes3 forces_from_above(float *const rows[DOWNWARDS], ptrdiff_t buffer, int32_t i) {
  const lanes3 weft = near_load(rows[0], buffer, i), diagonal = near_load(rows[1], buffer, i - 1);
  return lanes3_add(lanes3_add(weft, diagonal), near_load(rows[2], buffer, i + 1));
}

/* Sets what the row above brings to the first row of a pass to 0. */
static void clear_forces_above(const solve_arrays *a, int32_t row) {
  const int32_t floats = 3 * (int32_t)a->buffer;
  for (int32_t d = WEFT; d < DIRECTIONS; d++) {
    clear_floats(down_forces(a, row - 1, d) - NEAR_START, floats);
  }
}

/* The row buffer of what springs along the warp bring to the particle on the right, whatever the row. */
CLOTH_INLINE float *warp_forces(const solve_arrays *a) {
  return vector_buffer(a, BUFFER_WARP);
}

/* What a row's product takes: a local variable of the pass, so that the stores of lanes cannot alias it. */
typedef struct product_row {
  const float *x, *x_below, *p, *p_below, *springs;
  const float *diagonal, *plate, *air, *ground; /* NULL without */
  float *above[DOWNWARDS];                      /* the forces of springs from the row above on the row */
  float *brought[DIRECTIONS];                   /* those of the row's springs on their other ends */
  float *q;
  ptrdiff_t plane, buffer;
  int32_t columns;
} product_row;

/* Row `row`. `bends`: there is a plate. */
CLOTH_INLINE product_row product_row_of(const solve_arrays *a, int32_t row, int32_t bends) {
  const ptrdiff_t first = row * (ptrdiff_t)a->pitch, next = a->pitch; /* nothing is read below the last row */
  product_row r = {.x = a->place + NEAR_STEP * first,
                   .x_below = a->place + NEAR_STEP * (first + next),
                   .p = a->direction + NEAR_STEP * first,
                   .p_below = a->direction + NEAR_STEP * (first + next),
                   .springs = a->springs + SPRING_FLOATS * first,
                   .diagonal = a->diagonal + first,
                   .plate = bends ? vector_buffer(a, BUFFER_PLATE) : NULL,
                   .air = a->air ? a->air + 3 * first : NULL,
                   .ground = a->ground ? a->ground + SYMMETRIC_FLOATS * first : NULL,
                   .brought[WARP] = warp_forces(a),
                   .q = a->product + 3 * first,
                   .plane = a->plane,
                   .buffer = a->buffer,
                   .columns = a->columns};
  CLOTH_UNROLL
  for (int32_t d = WEFT; d < DIRECTIONS; d++) {
    r.above[d - WEFT] = down_forces(a, row - 1, d);
    r.brought[d] = down_forces(a, row, d);
  }
  return r;
}

/* Goes on to the next row, `pitch` places on. */
CLOTH_INLINE void next_product_row(product_row *r, ptrdiff_t pitch) {
  r->x = r->x_below;
  r->x_below += NEAR_STEP * pitch;
  r->p = r->p_below;
  r->p_below += NEAR_STEP * pitch;
  r->springs += SPRING_FLOATS * pitch;
  r->diagonal += pitch;
  r->air = r->air ? r->air + 3 * pitch : NULL;
  r->ground = r->ground ? r->ground + SYMMETRIC_FLOATS * pitch : NULL;
  r->q += 3 * pitch;
  CLOTH_UNROLL
  for (int32_t d = 0; d < DOWNWARDS; d++) {
    float *const brought = r->brought[WEFT + d];
    r->brought[WEFT + d] = r->above[d];
    r->above[d] = brought;
  }
}

/* The forces of a block of springs of direction d, of which one end lies at x and moves by p, on their other ends. */
CLOTH_INLINE void multiply_springs(const product_row *r, int32_t d, int32_t i, lanes3 x, lanes3 p) {
  const int32_t step = d == WARP ? 1 : column_step(d);
  const lanes3 apart = lanes3_subtract(x, near_load(d == WARP ? r->x : r->x_below, r->plane, i + step));
  const lanes3 moved = lanes3_subtract(p, near_load(d == WARP ? r->p : r->p_below, r->plane, i + step));
  const lanes across = lanes_load(OWN(r->springs, SPRING_FLOATS, i, SPRING_ACROSS(d)));
  const lanes along = lanes_load(OWN(r->springs, SPRING_FLOATS, i, SPRING_ALONG(d)));
  near_store(r->brought[d], r->buffer, i, spring_product(across, along, apart, moved));
}

/* The forces of the springs that start in a row. `is_last`: there is no row below; a constant. */
CLOTH_INLINE void multiply_springs_of_row(const product_row *r, int32_t is_last) {
  for (int32_t i = 0; i < r->columns; i += CLOTH_LANES) {
    const lanes3 x = near_load(r->x, r->plane, i), p = near_load(r->p, r->plane, i);
    multiply_springs(r, WARP, i, x, p);
    if (!is_last) {
      multiply_springs(r, WEFT, i, x, p);
      multiply_springs(r, DIAGONAL, i, x, p);
      multiply_springs(r, ANTIDIAGONAL, i, x, p);
    }
  }
}

/* The forces of springs on a block of particles: what they bring to others less what the row above and the particle on
   the left bring. */
CLOTH_INLINE lanes3 forces_of_springs(float *const above[DOWNWARDS], float *const brought[DIRECTIONS], ptrdiff_t buffer,
                                      int32_t i, int32_t is_last) {
  const lanes3 left = near_load(brought[WARP], buffer, i - 1), right = near_load(brought[WARP], buffer, i);
  lanes3 sum = lanes3_subtract(right, lanes3_add(forces_from_above(above, buffer, i), left));
  if (!is_last) {
    sum = lanes3_add(sum, near_load(brought[WEFT], buffer, i));
    sum = lanes3_add(sum, near_load(brought[DIAGONAL], buffer, i));
    sum = lanes3_add(sum, near_load(brought[ANTIDIAGONAL], buffer, i));
  }
  return sum;
}

/* The blocks of a block of particles on their own: mass, air, ground; and the plate. */
CLOTH_INLINE lanes3 own_product(const product_row *r, int32_t i, lanes3 p, lanes held) {
  lanes3 q = lanes3_scale(p, held);
  if (r->plate) {
    q = lanes3_add(q, near_load(r->plate, r->buffer, i));
  }
  if (r->air) {
    const lanes3 w = own_load(r->air, i);
    q = lanes3_add_scaled(q, w, lanes3_dot(w, p));
  }
  return r->ground ? lanes3_add(q, symmetric_apply(own_block(r->ground, i), p)) : q;
}

/* Adds up the product of a row. `is_last`: a constant. Returns its sum of p . q. */
CLOTH_INLINE row_sum sum_product_of_row(const product_row *r, int32_t is_last) {
  row_sum sum = row_sum_start();
  for (int32_t i = 0; i < r->columns; i += CLOTH_LANES) {
    const lanes3 p = near_load(r->p, r->plane, i);
    const lanes held = lanes_load(r->diagonal + i);
    const lanes_mask moves = lanes_less(lanes_splat(0.0f), held);
    if (is_skipped(moves)) {
      own_store(r->q, i, lanes3_splat(vector(0.0f, 0.0f, 0.0f)));
      continue;
    }
    const lanes3 own = own_product(r, i, p, held);
    const lanes3 all = lanes3_add(own, forces_of_springs(r->above, r->brought, r->buffer, i, is_last));
    const lanes3 q = lanes3_keep(moves, all);
    own_store(r->q, i, q);
    row_sum_add(&sum, i, lanes3_dot(p, q));
  }
  return sum;
}

/* The product of a row. `is_last`: a constant. */
CLOTH_INLINE row_sum multiply_row(const product_row *r, int32_t is_ring, int32_t is_last) {
  multiply_springs_of_row(r, is_last);
  if (is_ring) {
    CLOTH_UNROLL
    for (int32_t d = 0; d < DIRECTIONS; d++) {
      close_ring(r->brought[d], r->buffer, r->columns);
    }
  }
  return sum_product_of_row(r, is_last);
}

/* q = A p. Returns p . q. */
CLOTH_HOT CLOTH_SEPARATE float multiply(const cloth *c, const substep_terms *t) {
  const solve_arrays arrays = arrays_of(c), *a = &arrays;
  const plate_rows plate = plate_of(a, t, a->direction, 1.0f + t->viscosity);
  const int32_t bends = t->bends && t->plate_implicit, last = a->rows - 1;
  const lanes_sum none = {{0.0f}};
  product_row r = product_row_of(a, 0, bends);
  clear_forces_above(a, 0);
  for (int32_t row = 0; row <= last; row++) {
    if (bends) {
      bend_plate(&plate, row);
    }
    const row_sum sum = row < last ? multiply_row(&r, a->is_ring, 0) : multiply_row(&r, a->is_ring, 1);
    row_sum_store(a->sums + LANES_SUMS * row, &sum);
    next_product_row(&r, a->pitch);
  }
  return rows_total(a->sums, a->rows, LANES_SUMS, none);
}
