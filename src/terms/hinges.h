#pragma once
#include "../base/rows.h"
#include "../compiler.h"
#include "../lanes.h"
#include "../solve/arrays.h"
#include "../types.h"
#include "plate.h"

/// Hinges ///

/*
 * The plate as it stands in plate.h, where hinges and cells differ: each hinge and each cell has a factor (links.h).
 * The forces of hinges along the weft and of cells wait in three rows each for the rows beside them.
 *
 * In: a near array of vectors, factors. Out: forces, an own array. Scratch: the row buffers
 * BUFFER_CURVATURE, BUFFER_HINGES, BUFFER_TWISTS.
 */

/* The factors of a block of hinges or cells. */
CLOTH_INLINE lanes factor_at(const float *factors, int32_t i, int32_t which) {
  return lanes_load(OWN(factors, FACTOR_FLOATS, i, which));
}

CLOTH_INLINE float *twist_buffer(const solve_arrays *a, int32_t row) {
  return vector_buffer(a, BUFFER_TWISTS + (row & 3));
}

/* x_0 - 2 x_1 + x_2, times a stiffness. */
CLOTH_INLINE lanes3 hinge_force(lanes3 before, lanes3 middle, lanes3 after, lanes stiffness) {
  const lanes3 sum = lanes3_add_scaled(lanes3_add(before, after), middle, lanes_splat(-2.0f));
  return lanes3_scale(sum, stiffness);
}

/* Forces of the hinges along the weft whose middles are in a row, and of the cells between it and the next. */
static void bend_row_with_factors(const plate_rows *p, int32_t row) {
  const solve_arrays *a = p->a;
  const ptrdiff_t plane = a->plane, buffer = a->buffer;
  const int32_t columns = a->columns;
  const float *factors = a->factors + FACTOR_FLOATS * row * a->pitch;
  const float *x = near_row(p->x, a->pitch, row);
  const float *up = row > 0 ? near_row(p->x, a->pitch, row - 1) : x;
  const float *down = row + 1 < a->rows ? near_row(p->x, a->pitch, row + 1) : x;
  float *hinges = curvature_buffer(a, row & 3), *twists = twist_buffer(a, row);
  const lanes weft = lanes_splat(p->weft), twist = lanes_splat(p->twist);
  for (int32_t i = 0; i < columns; i += CLOTH_LANES) {
    const lanes3 here = near_load(x, plane, i), below = near_load(down, plane, i);
    const lanes stiffness = lanes_multiply(weft, factor_at(factors, i, FACTOR_HINGE + WEFT));
    near_store(hinges, buffer, i, hinge_force(near_load(up, plane, i), here, below, stiffness));
    const lanes3 upper = lanes3_subtract(here, near_load(x, plane, i + 1));
    const lanes3 lower = lanes3_subtract(below, near_load(down, plane, i + 1));
    const lanes of_cell = lanes_multiply(twist, factor_at(factors, i, FACTOR_TWIST));
    near_store(twists, buffer, i, lanes3_scale(lanes3_subtract(upper, lower), of_cell));
  }
  if (a->is_ring) {
    close_ring(twists, buffer, columns);
  }
}

/* Forces of the hinges along the warp of a row. */
static void bend_along_row(const plate_rows *p, int32_t row, float *hinges) {
  const solve_arrays *a = p->a;
  const ptrdiff_t plane = a->plane, buffer = a->buffer;
  const int32_t columns = a->columns;
  const float *factors = a->factors + FACTOR_FLOATS * row * a->pitch, *x = near_row(p->x, a->pitch, row);
  const lanes warp = lanes_splat(p->warp);
  for (int32_t i = 0; i < columns; i += CLOTH_LANES) {
    const lanes stiffness = lanes_multiply(warp, factor_at(factors, i, FACTOR_HINGE + WARP));
    near_store(hinges, buffer, i,
               hinge_force(near_load(x, plane, i - 1), near_load(x, plane, i), near_load(x, plane, i + 1), stiffness));
  }
  if (a->is_ring) {
    close_ring(hinges, buffer, columns);
  }
}

/* The force of a row. */
static void plate_row_with_factors(const plate_rows *p, int32_t row) {
  const solve_arrays *a = p->a;
  const ptrdiff_t buffer = a->buffer;
  const int32_t columns = a->columns, last = a->rows - 1;
  float *hinges = vector_buffer(a, BUFFER_HINGES), *force = p->force + 3 * row * a->pitch;
  const float *middle = curvature_buffer(a, row & 3), *up = curvature_buffer(a, (row > 0 ? row - 1 : row) & 3);
  const float *down = curvature_buffer(a, (row < last ? row + 1 : row) & 3);
  const float *twists = twist_buffer(a, row), *above = twist_buffer(a, row - 1);
  const lanes one = lanes_splat(1.0f), has_up = lanes_splat(row > 0 ? 1.0f : 0.0f);
  const lanes has_down = lanes_splat(row < last ? 1.0f : 0.0f);
  bend_along_row(p, row, hinges);
  for (int32_t i = 0; i < columns; i += CLOTH_LANES) {
    lanes3 sum = hinge_force(near_load(hinges, buffer, i - 1), near_load(hinges, buffer, i),
                             near_load(hinges, buffer, i + 1), one);
    sum = lanes3_add_scaled(sum, near_load(up, buffer, i), has_up);
    sum = lanes3_add_scaled(sum, near_load(down, buffer, i), has_down);
    sum = lanes3_add_scaled(sum, near_load(middle, buffer, i), lanes_splat(-2.0f));
    sum = lanes3_add(sum, lanes3_subtract(near_load(twists, buffer, i), near_load(twists, buffer, i - 1)));
    if (row > 0) {
      sum = lanes3_subtract(sum, lanes3_subtract(near_load(above, buffer, i), near_load(above, buffer, i - 1)));
    }
    own_store(force, i, sum);
  }
}

/* The forces of the rows first .. end - 1: by the Laplacian where nothing differs. */
static void bend_plate(const plate_rows *p, int32_t first, int32_t end) {
  if (!p->a->factors) {
    bend_rows(p, first, end);
    return;
  }
  for (int32_t row = first > 0 ? first - 1 : first; row <= end && row < p->a->rows; row++) {
    bend_row_with_factors(p, row);
    if (row > first) {
      plate_row_with_factors(p, row - 1);
    }
  }
  if (end == p->a->rows) {
    plate_row_with_factors(p, end - 1);
  }
}
