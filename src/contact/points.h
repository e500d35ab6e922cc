#pragma once
#include "cell_memory.h"
#include "cell_nearest.h"
#include "element.h"
#include "touch.h"

/// Points that touch ///

/*
 * Vectors of the particles in lanes `k` of a touch; and how the points of cells that touch move with their three
 * particles, and what presses them.
 *
 * In: touches, place, direction, solution, diagonal. Out: what the functions return, the named arrays. Scratch: none.
 */

/* From a near array. */
CLOTH_INLINE lanes3 near_at_touch(const solve_arrays *a, const float *array, const touch *e, int32_t k) {
  return near_load(array + NEAR_STEP * e->row * a->pitch, a->plane, e->column + k);
}

/* From an own array. */
CLOTH_INLINE lanes3 own_at_touch(const solve_arrays *a, const float *array, const touch *e, int32_t k) {
  return own_load(array, e->row * a->pitch + e->column + k);
}

/* The solution with a last step of a length along the direction. */
CLOTH_INLINE lanes3 solution_at_touch(const solve_arrays *a, const touch *e, int32_t k, float length,
                                      int32_t has_solution) {
  return lanes3_flush(solution_with(a, e->row, e->column + k, lanes_splat(length), has_solution));
}

/* Adds to an own array: nothing to particles that do not move. */
CLOTH_INLINE void add_at_touch(const solve_arrays *a, float *array, const touch *e, int32_t k, lanes3 v) {
  const int32_t place = e->row * a->pitch + e->column + k;
  const lanes_mask moves = lanes_less(lanes_splat(0.0f), lanes_load(a->diagonal + place));
  own_store(array, place, lanes3_quantise(lanes3_add(own_load(array, place), lanes3_keep(moves, v)), WORK_ROUNDER));
}

/// Cells ///

/* Runs statements for all touches `e` of cells of a cloth. */
#define EACH_CELL_TOUCH(c, e, ...)                                                                                     \
  for (cell_touch *e = cell_touches_of(c), *e##_end = e + workspace_of(c)->cells; e < e##_end; e++) {                  \
    __VA_ARGS__;                                                                                                       \
  }

/* Runs statements for the corners `n` of a touch that move, at places `i`. */
#define EACH_MOVING_CORNER(a, e, n, i, ...)                                                                            \
  for (int32_t n = 0; n < 3; n++) {                                                                                    \
    const int32_t i = (e)->place[n];                                                                                   \
    if (*own_at((a)->diagonal, 1, i, 0) > 0.0f) { __VA_ARGS__; }                                                       \
  }

/* The force of a touch whose point has moved. */
CLOTH_INLINE cloth_vector cell_force(const cell_touch *e, cloth_vector moved) {
  return element_force(&e->law, e->normal, e->offset, moved);
}

/* The sum of w_j v_j over corners that move, from a near array; those vectors. */
static cloth_vector near_at_cell(const solve_arrays *a, float *array, const cell_touch *e, cloth_vector v[3]) {
  cloth_vector sum = vector(0.0f, 0.0f, 0.0f);
  EACH_MOVING_CORNER(a, e, n, i, {
    v[n] = near_vector(near_row(array, a->pitch, 0), a->plane, i);
    sum = vector_add_scaled(sum, v[n], e->weight[n]);
  });
  return vector_flush_work(sum);
}

/* How the point of a touch has moved in the solve so far, with a last step of `length` along the direction. */
static cloth_vector solution_of_cell(const solve_arrays *a, const cell_touch *e, float length, int32_t has_solution) {
  cloth_vector sum = vector(0.0f, 0.0f, 0.0f);
  const cloth_vector none = sum;
  EACH_MOVING_CORNER(a, e, n, i, {
    const cloth_vector p = near_vector(near_row(a->direction, a->pitch, 0), a->plane, i);
    const cloth_vector y = vector_add_scaled(has_solution ? own_vector(a->solution, i) : none, p, length);
    sum = vector_add_scaled(sum, y, e->weight[n]);
  });
  return vector_flush_work(sum);
}

/* Where the point of a touch is, from a centre. */
static cloth_vector arm_of_cell(const solve_arrays *a, const cell_touch *e, cloth_vector centre) {
  return vector_flush_work(vector_subtract(place_of_cell(a, e), centre));
}
