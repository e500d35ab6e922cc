#pragma once
#include "held.h"
#include "projection.h"

/// Contact by projection ///

/*
 * Contact after the solve (CLOTH_CONTACT_PROJECTION), by projection.h. It moves particles by d out of
 * colliders and against their slip, changes velocities by d/k, and gives the colliders the impulses m d/k. In the
 * schemes of first order that is all, as k v' is the way of a substep there.
 *
 * In BDF2 and IMEX2 it is not, and forces have to go on as if there had been no contact. A force f changes
 *
 *     p = (3 v - v1) / 2     by     (3 v' - 4 v + v1) / 2 = (3/2) tau f / m = k f / m,
 *
 * so m p is the momentum. A contact is a change of frame: it adds d/k to v and to v1, and so to p, and leaves x1 where
 * it is, as the frame has moved on by d since. The scheme is exact for such a change, and friction along a surface
 * bears to pressure what Coulomb says. Were v1 dropped instead, a force would count with the two thirds of tau.
 *
 * Of such a scheme the velocity is that at the end of a hop that a blow has begun: where a sheet rests, half of k g
 * towards the surface. So the scheme keeps it in FIELD_NOW_RATE, and the velocity of the state becomes the way of the
 * substep over k, with which contact reckons, too.
 */

/* The velocity with which contact reckons, kept in FIELD_PRODUCT: the way of the substep over k. */
static cloth_vector way_rate(const method_work *w, int32_t i) {
  const cloth_vector rate = vector_load(field(w, FIELD_RATE), i), y = vector_load(field(w, FIELD_PLACE), i);
  if (!(w->mobility[i] > 0.0f) || w->tau == w->k) { return rate; }
  const cloth_vector way = vector_flush_work(vector_subtract(y, vector_load(w->x, i)));
  return vector_flush(vector_scale(way, 1.0f / w->k), STATE_QUANTUM);
}

static void hand_over_ways(const method_work *w) {
  for (int32_t i = 0; keeps_history(w) && i < w->c->count; i++) {
    const cloth_vector rate = way_rate(w, i);
    vector_store(w->v, i, rate);
    vector_store(field(w, FIELD_PRODUCT), i, rate);
  }
}

static void change_field(const method_work *w, int32_t number, int32_t i, cloth_vector by) {
  const cloth_vector sum = vector_add(vector_load(field(w, number), i), by);
  vector_store(field(w, number), i, vector_flush(sum, STATE_QUANTUM));
}

/* Changes the frames of the particles that contact has moved, and gives the others their velocities back. */
static void take_over_changes(const method_work *w) {
  for (int32_t i = 0; keeps_history(w) && i < w->c->count; i++) {
    const cloth_vector v = vector_load(w->v, i), handed = vector_load(field(w, FIELD_PRODUCT), i);
    const cloth_vector y = vector_load(field(w, FIELD_PLACE), i), moved = vector_load(moved_of(w), i);
    if (same_vector(v, handed) && same_vector(y, moved)) {
      vector_store(w->v, i, vector_load(field(w, FIELD_RATE), i));
      continue;
    }
    const cloth_vector change = vector_flush_work(vector_subtract(v, handed));
    const cloth_vector shift = vector_flush_work(vector_subtract(moved, y)); /* also out of an older penetration */
    change_field(w, FIELD_RATE, i, change);
    change_field(w, FIELD_OLD_RATE, i, change);
    change_field(w, FIELD_OLD_PLACE, i, vector_flush_work(vector_add_scaled(shift, change, negate(w->k))));
  }
}
