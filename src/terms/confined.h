#pragma once
#include "../base/compiler.h"
#include "../base/rows.h"
#include "../base/scalar.h"
#include "../cloth/access.h"
#include "../cloth/arrays.h"
#include "../cloth/types.h"
#include "confinement.h"

/// Confined particles in the solve ///

/* A particle on a line or in a plane moves along it alone: residual, direction and product are projected, as by the
   filter S of Boxerman 2003 (eq. 5.1). Sums with a projected vector need no projection of the other. */

/* Projects the vectors of confined particles in an own array. */
static void confine_own(const cloth *c, float *array) {
  const int32_t pitch = pitch_of(c), columns = c->grid.columns;
  for (int32_t n = 0; WITH_CONFINED && n < inputs_of(c)->confined_count; n++) {
    const confinement *entry = &confined_of(c)[n];
    const int32_t row = entry->particle / columns, place = row * pitch + entry->particle - row * columns;
    const cloth_vector from =
        vector(*own_at(array, 3, place, 0), *own_at(array, 3, place, 1), *own_at(array, 3, place, 2));
    const cloth_vector kept = vector_flush_work(confine_vector(entry, from));
    *own_at(array, 3, place, 0) = kept.x;
    *own_at(array, 3, place, 1) = kept.y;
    *own_at(array, 3, place, 2) = kept.z;
  }
}

/* Projects the direction of confined particles. */
static void confine_direction(const cloth *c) {
  for (int32_t n = 0; WITH_CONFINED && n < inputs_of(c)->confined_count; n++) {
    const solve_arrays a = arrays_of(c);
    const confinement *entry = &confined_of(c)[n];
    const int32_t row = entry->particle / a.columns, column = entry->particle - row * a.columns;
    float *p = near_row(a.direction, a.pitch, row);
    const cloth_vector kept = confine_vector(entry, near_vector(p, a.plane, column));
    near_vector_store(p, a.plane, column, vector_quantise(kept, WORK_ROUNDER));
    if (a.is_ring) { close_ring(p, a.plane, a.columns); }
  }
}
