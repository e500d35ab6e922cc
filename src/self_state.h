#pragma once
#include "access.h"
#include "compiler.h"
#include "lanes.h"
#include "scalar.h"
#include "self_tree.h"
#include "solve/arrays.h"
#include "step_origin.h"

/// State that contact changes ///

#if WITH_SELF

/*
 * What contact of cloth takes from the state, and gives back to it. In: positions, velocities, mass ratios. Out: where
 * a part of a substep starts, mobilities, and the positions, velocities and histories of particles that contact has
 * moved. Scratch: none.
 */

/* Keeps where a cloth that may be touched is, after the solve of a part of a substep and before it is accepted. */
CLOTH_SEPARATE void keep_start(const cloth *c) {
  const vector_array from = vectors_at(c, c->state.position), to = kept_start(c);
  if (c->self) {
    EACH_BLOCK(i, left, c->count, lanes3_store(to, i, lanes3_load(from, i), left));
  }
}

/* Looks at a cloth after a solve: its start, and the mobilities, where its reference mass is 1 / `scale` of that which
   masses are compared with. */
CLOTH_SEPARATE void see_solved(self_body *b, float scale) {
  const cloth *c = b->c;
  const solve_arrays arrays = arrays_of(c), *a = &arrays;
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f), whole = lanes_splat(scale);
  b->start = kept_start(c);
  for (int32_t row = 0; row < a->rows; row++) {
    const float *diagonal = a->diagonal + row * a->pitch;
    float *mobility = b->mobility + row * a->columns;
    EACH_BLOCK(i, left, a->columns, {
      const lanes_mask moves = lanes_less(zero, lanes_load(diagonal + i));
      const lanes ratio = lanes_select(moves, mass_ratio_lanes(c, row * a->columns + i), one);
      lanes_store_first(mobility + i, lanes_keep(moves, lanes_divide(whole, ratio)), left);
    });
  }
}

/* Accepts what contact has moved in a cloth: as accept() does. */
static void accept_moved(const self_body *b) {
  const cloth *c = b->c;
  cloth_statistics *s = statistics_of(c);
  const float max_speed = c->settings.integration.max_speed;
  for (int32_t i = 0; i < b->count; i++) {
    if (!b->moved[i]) {
      continue;
    }
    cloth_vector to = vector_load(b->place, i), v = vector_load(b->velocity, i);
    if (!vector_is_finite(v) || !vector_is_finite(to) || !is_step_place(c, to)) {
      to = vector_load(b->start, i);
      v = vector(0.0f, 0.0f, 0.0f);
      s->particles_recovered++;
    }
    s->particles_limited += clamp_length(&v, max_speed) != 0;
    vector_store(b->place, i, vector_flush(to, STATE_QUANTUM));
    vector_store(b->velocity, i, vector_flush(v, STATE_QUANTUM));
    invalidate_history(c, i);
  }
}

#else

static void keep_start(const cloth *c) {
  (void)c;
}

#endif
