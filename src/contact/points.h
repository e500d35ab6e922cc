#pragma once
#include "../base/rows.h"
#include "../block3.h"
#include "../compiler.h"
#include "../lanes.h"
#include "../scalar.h"
#include "../solve/arrays.h"
#include "touch.h"

/// Points of touches ///

/*
 * A point that touches is a weighted sum of particles: w_j of corner j of a cell. What a touch needs of its particles
 * is gathered, the sum of w_j v_j, and what it gives to them is scattered, w_j f to each.
 *
 * Scattering goes by whole touches, row by row of their corners, whose columns overlap by one: so the order of the sums
 * does not depend on the lanes.
 *
 * In and out: the named arrays. Scratch: none.
 */

#if WITH_COLLIDERS

/* Does a corner belong to points of a kind? */
CLOTH_INLINE int32_t has_corner(int32_t kind, int32_t corner) {
  const int32_t right = corner & 1, below = corner >> 1;
  return (!right || (kind & POINT_WARP)) && (!below || (kind & POINT_WEFT));
}

/* The weight of each corner of points of a kind. */
CLOTH_INLINE float corner_weight(int32_t kind) {
  return kind == POINT_PARTICLE ? 1.0f : kind == POINT_CENTRE ? 0.25f : 0.5f;
}

/* Components of vectors, or of whatever else, of all points of a touch: the first is of column 0. */
typedef struct touch_values {
  float value[SYMMETRIC_FLOATS][TOUCH_LANES];
} touch_values;

CLOTH_INLINE void values_store(touch_values *v, int32_t k, lanes3 a) {
  lanes_store(&v->value[0][k], a.x);
  lanes_store(&v->value[1][k], a.y);
  lanes_store(&v->value[2][k], a.z);
}

/* The column behind so many of a row, which has one there: on a tube it is the first one again. */
static int32_t next_column(const solve_arrays *a, int32_t column) {
  return column < a->columns ? column : a->is_ring ? 0 : a->columns - 1;
}

/* A component of an own array at a block of places; with `right` at those in the next columns. */
CLOTH_INLINE lanes own_beside(const solve_arrays *a, float *array, int32_t floats, int32_t number, int32_t row,
                              int32_t i, int32_t right) {
  const lanes here = lanes_load(OWN(array, floats, row * a->pitch + i, number));
  if (!right) { return here; }
  float values[CLOTH_LANES + 1];
  const int32_t left = a->columns - i, count = left < CLOTH_LANES ? left : CLOTH_LANES;
  values[CLOTH_LANES] = 0.0f;
  lanes_store(values, here);
  values[count] = *own_at(array, floats, row * a->pitch + next_column(a, i + count), number);
  return lanes_load(values + 1);
}

/* The vectors at a corner of points in lanes `k`, from an own array, and from a near array. */
CLOTH_INLINE lanes3 own_at_corner(const solve_arrays *a, float *array, const touch *e, int32_t corner, int32_t k) {
  const int32_t row = e->row + (corner >> 1), i = e->column + k, right = corner & 1;
  return lanes3_of(own_beside(a, array, 3, 0, row, i, right), own_beside(a, array, 3, 1, row, i, right),
                   own_beside(a, array, 3, 2, row, i, right));
}

CLOTH_INLINE lanes3 near_at_corner(const solve_arrays *a, float *array, const touch *e, int32_t corner, int32_t k) {
  return near_load(near_row(array, a->pitch, e->row + (corner >> 1)), a->plane, e->column + k + (corner & 1));
}

/* The sum of w_j v_j of the points in lanes `k`, from a near array, and from an own array. */
CLOTH_INLINE lanes3 gather_near(const solve_arrays *a, float *array, const touch *e, int32_t k) {
  lanes3 sum = near_at_corner(a, array, e, 0, k);
  for (int32_t corner = 1; e->kind != POINT_PARTICLE && corner < CORNERS; corner++) {
    sum = has_corner(e->kind, corner) ? lanes3_add(sum, near_at_corner(a, array, e, corner, k)) : sum;
  }
  return e->kind == POINT_PARTICLE ? sum : lanes3_scale(sum, lanes_splat(corner_weight(e->kind)));
}

CLOTH_INLINE lanes3 gather_own(const solve_arrays *a, float *array, const touch *e, int32_t k) {
  lanes3 sum = own_at_corner(a, array, e, 0, k);
  for (int32_t corner = 1; e->kind != POINT_PARTICLE && corner < CORNERS; corner++) {
    sum = has_corner(e->kind, corner) ? lanes3_add(sum, own_at_corner(a, array, e, corner, k)) : sum;
  }
  return e->kind == POINT_PARTICLE ? sum : lanes3_scale(sum, lanes_splat(corner_weight(e->kind)));
}

/* By how much the solution moves the points in lanes `k`, see solution_with(). */
CLOTH_INLINE lanes3 gather_solution(const solve_arrays *a, const touch *e, int32_t k, lanes last_step,
                                    int32_t has_solution) {
  const lanes3 y = lanes3_scale(gather_near(a, a->direction, e, k), last_step);
  return has_solution ? lanes3_add(y, gather_own(a, a->solution, e, k)) : y;
}

/* Adds values to a component of a row of an own array, from a column on: `values` has one more than a touch. Particles
   that do not move get nothing. */
static void add_to_row(const solve_arrays *a, float *array, int32_t floats, int32_t number, int32_t row, int32_t column,
                       const float *values) {
  const int32_t start = row * a->pitch, left = a->columns - column, count = left < TOUCH_LANES ? left : TOUCH_LANES;
  for (int32_t k = 0; k < count; k += CLOTH_LANES) {
    const int32_t place = start + column + k;
    const lanes_mask moves = lanes_less(lanes_splat(0.0f), lanes_load(a->diagonal + place));
    float *to = OWN(array, floats, place, number);
    const lanes sum = lanes_add(lanes_load(to), lanes_keep(moves, lanes_load(values + k)));
    lanes_store(to, lanes_quantise(sum, WORK_ROUNDER));
  }
  const int32_t next = start + next_column(a, column + count);
  if (values[count] != 0.0f && *own_at(a->diagonal, 1, next, 0) > 0.0f) {
    float *to = own_at(array, floats, next, number);
    *to = quantise(*to + values[count], WORK_ROUNDER);
  }
}

/* What the corners of a row get of component `number`: `each`, in the next columns, too, if corners lie there. */
static void add_corners(const solve_arrays *a, float *array, int32_t floats, int32_t number, const touch *e,
                        int32_t below, const float *each) {
  float values[TOUCH_LANES + 1] = {0.0f};
  const int32_t left = a->columns - e->column, count = left < TOUCH_LANES ? left : TOUCH_LANES;
  for (int32_t k = 0; k < count; k++) {
    values[k] += each[k];
    values[k + 1] = has_corner(e->kind, 1) ? each[k] : 0.0f;
  }
  add_to_row(a, array, floats, number, e->row + below, e->column, values);
}

/* Adds w_j f to the particles of the points of a touch, in an own array of vectors or of blocks. */
CLOTH_SEPARATE void scatter(const solve_arrays *a, float *array, int32_t floats, const touch *e, touch_values *f) {
  const lanes weight = lanes_splat(corner_weight(e->kind));
  for (int32_t number = 0; number < floats; number++) {
    float *values = f->value[number];
    for (int32_t k = 0; e->kind != POINT_PARTICLE && k < TOUCH_LANES; k += CLOTH_LANES) {
      lanes_store(values + k, lanes_multiply(lanes_load(values + k), weight));
    }
    for (int32_t below = 0; below <= has_corner(e->kind, 2); below++) {
      add_corners(a, array, floats, number, e, below, values);
    }
  }
}

#endif
