#pragma once
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/rows.h"
#include "../base/scalar.h"
#include "../cloth/arrays.h"
#include "touch.h"

/// Particles of touches ///

/* Vectors of the particles in lanes `k` of a touch. In and out: the named arrays. Scratch: none. */

#if WITH_COLLIDERS

/* From a near array. */
CLOTH_INLINE lanes3 near_at_touch(const solve_arrays *a, const float *array, const touch *e, int32_t k) {
  return near_load(array + NEAR_STEP * e->row * a->pitch, a->plane, e->column + k);
}

/* From an own array. */
CLOTH_INLINE lanes3 own_at_touch(const solve_arrays *a, const float *array, const touch *e, int32_t k) {
  return own_load(array, e->row * a->pitch + e->column + k);
}

/* Adds to an own array: nothing to particles that do not move. */
CLOTH_INLINE void add_at_touch(const solve_arrays *a, float *array, const touch *e, int32_t k, lanes3 v) {
  const int32_t place = e->row * a->pitch + e->column + k;
  const lanes_mask moves = lanes_less(lanes_splat(0.0f), lanes_load(a->diagonal + place));
  own_store(array, place, lanes3_quantise(lanes3_add(own_load(array, place), lanes3_keep(moves, v)), WORK_ROUNDER));
}

#endif
