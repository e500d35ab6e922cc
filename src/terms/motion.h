#pragma once
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/scalar.h"
#include "../cloth/access.h"
#include "../cloth/types.h"
#include "targets.h"

/// Motion ///

/* Motions that a caller has set for one step: how those of pins begin and all end. */

/* Velocities of pins for a step of 1 / inverse_dt seconds: of the move to make, or 0 after the last one. */
static void start_pins(const cloth *c, float inverse_dt) {
  vector_array v = vectors_at(c, c->state.velocity);
  uint8_t *freedom = freedom_of(c);
  int have_moves = (freedom_of_some(c) & (PIN_MOVING | PIN_ARRIVED)) != 0;
  for (int32_t i = have_moves ? next_pin(c, 0) : c->count; i < c->count; i = next_pin(c, i + 1)) {
    if (freedom[i] & PIN_MOVING) {
      vector_store(v, i, starting_velocity(c, i, inverse_dt));
      freedom[i] = FREEDOM_PINNED | PIN_ARRIVED;
    } else if (freedom[i] & PIN_ARRIVED) {
      vector_store(v, i, vector(0.0f, 0.0f, 0.0f));
      freedom[i] = FREEDOM_PINNED;
    }
  }
}

/* Ends the motions of one step: colliders rest at their poses, targets where they have been moved to. */
static void finish_motions(const cloth *c) {
  for (int32_t index = 0; index < inputs_of(c)->collider_end; index++) {
    collider_slot *slot = &colliders_of(c)[index];
    slot->previous = slot->body.pose;
  }
#if WITH_TARGETS
  if (inputs_of(c)->targets == TARGETS_MOVING) { finish_target_motion(c); }
#endif
}
