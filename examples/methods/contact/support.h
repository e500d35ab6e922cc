#pragma once
#include "../equation.h"
#include "colliders.h"

/// Contact of a sheet at rest ///

/*
 * STATIC takes steps of up to 10 s, with which the equation leads a sheet far through a collider that it lies on:
 * contact by projection alone, after the solve, would then decide where it comes to rest. So a particle that touches a
 * collider, and that the forces press against it, is supported: it moves along the surface alone, as the residual has
 * no part along the normal there, nor has the direction of a solver. After the solve it is put back on the surface,
 * which is curved. Where the forces lead away from the surface the next step sets it free, and what has come into a
 * collider meanwhile is moved out by projection, and supported from then on. A step that moves nothing is thus at rest
 * by the conditions of a minimum with inequalities: no force on what is free, and none along the surface or away from
 * it on what is supported. Of several colliders that a particle touches the deepest supports it.
 */

/* What touches: particles no farther out than this [m], some roundings of a coordinate of a few metres. */
#define SUPPORT_SLOP 1.0e-5f

/* How far a particle is outside of the thickness around the collider that it is deepest in, with its normal [m]. */
static float support_gap(const method_work *w, int32_t index, cloth_vector p, cloth_vector *normal) {
  const cloth *c = w->c;
  float least = CLOTH_POSITION_LIMIT;
  for (int32_t n = 0; n < inputs_of(c)->collider_end; n++) {
    if (!is_collider(c, n)) { continue; }
    const method_body b = method_body_of(w, n, index);
    cloth_vector local;
    const float gap = local_distance(&b, to_local(&b.end, p), &local) - b.margin;
    if (gap < least) {
      least = gap;
      *normal = vector_flush_work(rotate(b.end.rotation, local));
    }
  }
  return least;
}

/* Finds the supported particles of a step that starts at rest. */
static void support_particles(method_work *w, int32_t index) {
  const vector_array support = field(w, FIELD_SUPPORT);
  w->supported = 0;
  if (w->method->scheme != CLOTH_SCHEME_STATIC) { return; }
  fill_vectors(w->c, support, 0.0f);
  if (inputs_of(w->c)->collider_end == 0) { return; }
  start_at_rest(w);
  find_residual(w, 0);
  for (int32_t i = 0; i < w->c->count; i++) {
    cloth_vector normal;
    if (w->mobility[i] > 0.0f && support_gap(w, index, vector_load(w->x, i), &normal) <= SUPPORT_SLOP &&
        vector_dot(vector_load(field(w, FIELD_RESIDUAL), i), normal) < 0.0f) {
      vector_store(support, i, normal);
      w->supported++;
    }
  }
}

/* Puts supported particles back on the surfaces along which they have moved. */
static void return_to_supports(const method_work *w, int32_t index) {
  for (int32_t i = 0; w->supported > 0 && i < w->c->count; i++) {
    const cloth_vector y = vector_load(field(w, FIELD_PLACE), i);
    cloth_vector normal;
    if (vector_length(vector_load(field(w, FIELD_SUPPORT), i)) > 0.0f) {
      const float gap = support_gap(w, index, y, &normal);
      const cloth_vector back = vector_add_scaled(y, normal, negate(maximum(gap, 0.0f)));
      vector_store(field(w, FIELD_PLACE), i, vector_flush(back, STATE_QUANTUM));
    }
  }
}
