#pragma once
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/rows.h"
#include "../cloth/arrays.h"
#include "../cloth/types.h"
#include "plate.h"

/// Hinges ///

/*
 * The plate as it stands in plate.h, where hinges and cells have factors (links.h). With H_u and H_v the forces of the
 * hinges whose middles are in a row, along warp and weft, and T the differences along the row of those of the cells
 * between it and the next, the force of row j is
 *
 *   H_u(i - 1) - 2 H_u(i) + H_u(i + 1) + H_v(j - 1) - 2 H_v(j) + H_v(j + 1) + T(j) - T(j - 1)
 *
 * begun in the pass over row j and ended in that over the next. Scratch: BUFFER_CURVATURE, BUFFER_HINGES.
 */

/* The factors of a block of hinges or cells. */
CLOTH_INLINE lanes factor_at(const float *factors, int32_t i, int32_t which) {
  return lanes_load(OWN(factors, FACTOR_FLOATS, i, which));
}

/* The rows around one as the hinges take them. */
typedef struct hinge_row {
  const float *up, *here, *down; /* near rows of the vectors: the row itself where there is none */
  const float *factors;
  ptrdiff_t plane;
  lanes warp, weft, twist; /* kappa_u, kappa_v, kappa_2 */
} hinge_row;

CLOTH_INLINE hinge_row hinge_row_of(const plate_rows *p, int32_t row) {
  const solve_arrays *a = p->a;
  const int32_t next = NEAR_STEP * a->pitch;
  const float *here = p->x + row * next;
  const hinge_row r = {.up = row > 0 ? here - next : here,
                       .here = here,
                       .down = row + 1 < a->rows ? here + next : here,
                       .factors = a->factors + FACTOR_FLOATS * row * a->pitch,
                       .plane = a->plane,
                       .warp = lanes_splat(p->warp),
                       .weft = lanes_splat(p->weft),
                       .twist = lanes_splat(p->twist)};
  return r;
}

/* x_0 - 2 x_1 + x_2 of a block of hinges along warp and weft, and x_0 - x_1 - x_2 + x_3 of cells; their stiffness. */
typedef struct hinge_block {
  lanes3 warp, weft, twist;
  lanes of_warp, of_weft, of_twist;
} hinge_block;

CLOTH_DIRECT hinge_block hinges_at(const hinge_row *r, int32_t i) {
  const ptrdiff_t plane = r->plane;
  const lanes3 here = near_load(r->here, plane, i), twice = lanes3_add(here, here);
  const lanes3 right = near_load(r->here, plane, i + 1), down = near_load(r->down, plane, i);
  const lanes3 along = lanes3_add(near_load(r->here, plane, i - 1), right);
  const lanes3 across = lanes3_add(near_load(r->up, plane, i), down);
  const lanes3 below = lanes3_subtract(down, near_load(r->down, plane, i + 1));
  const hinge_block b = {.warp = lanes3_subtract(along, twice),
                         .weft = lanes3_subtract(across, twice),
                         .twist = lanes3_subtract(lanes3_subtract(here, right), below),
                         .of_warp = lanes_multiply(r->warp, factor_at(r->factors, i, FACTOR_HINGE + WARP)),
                         .of_weft = lanes_multiply(r->weft, factor_at(r->factors, i, FACTOR_HINGE + WEFT)),
                         .of_twist = lanes_multiply(r->twist, factor_at(r->factors, i, FACTOR_TWIST))};
  return b;
}

/* Where what a row leaves to others waits: H_u of two rows, forces of cells; H_v - T, and a row nobody wants. */
typedef struct hinge_buffers {
  float *along, *along_above, *cells, *left_over, *spare;
} hinge_buffers;

CLOTH_INLINE hinge_buffers hinge_buffers_of(const solve_arrays *a, int32_t row) {
  const hinge_buffers b = {.along = curvature_buffer(a, row & 1),
                           .along_above = curvature_buffer(a, ~row & 1),
                           .cells = curvature_buffer(a, 2),
                           .left_over = curvature_buffer(a, 3),
                           .spare = vector_buffer(a, BUFFER_HINGES)};
  return b;
}

/* Moves what the cell across the seam of a tube brings to column 0 to the force, `begun`, and what is left over. */
static void close_cells(const hinge_buffers *b, const solve_arrays *a, float *begun) {
  const cloth_vector seam = near_vector(b->cells, a->buffer, a->columns - 1);
  const float of_seam[3] = {seam.x, seam.y, seam.z};
  for (int32_t n = 0; n < 3; n++) {
    begun[n * CLOTH_LANES] -= of_seam[n];
    b->left_over[n * CLOTH_LANES] += of_seam[n];
  }
  close_ring(b->along, a->buffer, a->columns);
}

/* Begins the force of row `row` in `begun`, and ends that of the row above, in `above`. */
CLOTH_ONCE void bend_row_with_factors(const plate_rows *p, int32_t row, float *above, float *begun) {
  const solve_arrays *a = p->a;
  const hinge_row r = hinge_row_of(p, row);
  const hinge_buffers b = hinge_buffers_of(a, row);
  const ptrdiff_t buffer = a->buffer;
  const int32_t columns = a->columns;
  for (int32_t i = 0; i < columns; i += CLOTH_LANES) {
    const hinge_block h = hinges_at(&r, i);
    const lanes3 weft = lanes3_scale(h.weft, h.of_weft), warp = lanes3_scale(h.warp, h.of_warp);
    const lanes3 cell = lanes3_scale(h.twist, h.of_twist);
    near_store(b.along, buffer, i, warp);
    near_store(b.cells, buffer, i, cell);
    const lanes3 beside = lanes3_add(near_load(b.along_above, buffer, i - 1), near_load(b.along_above, buffer, i + 1));
    own_store(above, i, lanes3_add(own_load(above, i), lanes3_add(weft, beside)));
    const lanes3 twist = lanes3_subtract(cell, near_load(b.cells, buffer, i - 1)), both = lanes3_add(warp, weft);
    const lanes3 sum = lanes3_add(own_load(b.left_over, i), twist);
    own_store(begun, i, lanes3_subtract(sum, lanes3_add(both, both)));
    own_store(b.left_over, i, lanes3_subtract(weft, twist));
  }
  if (a->is_ring) { close_cells(&b, a, begun); }
}

/* Ends the force of the last row. */
CLOTH_ONCE void bend_last_row(const plate_rows *p, float *force) {
  const solve_arrays *a = p->a;
  const float *along = hinge_buffers_of(a, a->rows - 1).along;
  const ptrdiff_t buffer = a->buffer;
  const int32_t columns = a->columns;
  for (int32_t i = 0; i < columns; i += CLOTH_LANES) {
    const lanes3 beside = lanes3_add(near_load(along, buffer, i - 1), near_load(along, buffer, i + 1));
    own_store(force, i, lanes3_add(own_load(force, i), beside));
  }
}

/* The forces of the rows first .. end - 1: by the Laplacian where nothing differs. */
static void bend_plate(const plate_rows *p, int32_t first, int32_t end) {
  const solve_arrays *a = p->a;
  const int32_t next = 3 * a->pitch;
  if (!a->factors) {
    bend_rows(p, first, end);
    return;
  }
  const hinge_buffers b = hinge_buffers_of(a, 0);
  clear_floats(b.left_over, next);
  for (int32_t row = first > 0 ? first - 1 : first; row <= end && row < a->rows; row++) {
    float *force = p->force + row * next;
    bend_row_with_factors(p, row, row > first ? force - next : b.spare, row >= first && row < end ? force : b.spare);
  }
  if (end == a->rows) { bend_last_row(p, p->force + (end - 1) * next); }
}
