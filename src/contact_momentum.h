#pragma once
#include "access.h"
#include "compiler.h"
#include "contact_push.h"
#include "lanes.h"
#include "plan.h"
#include "scalar.h"
#include "types.h"

/// Momentum at contacts ///

/*
 * What a contact takes from the momentum of the cloth, whatever the share of BDF2 in the prediction.
 *
 * A velocity v of the state is a displacement over a substep. With the weight w of BDF2 a force f changes the
 * velocities v0, v1, v2 of the last three substeps so that
 *
 *     v0 - v1 = (w/9) (6 (v1 - v2) - (v2 - v3)) + s h f / m,    s = 1 - 5 w / 9.
 *
 * Summed over the substeps, p = (v0 - (6 w / 9) v1 + (w / 9) v2) / s changes by h f / m exactly. So m p is the
 * momentum, and internal forces keep its sum over the particles, as the share s is the same for all of them. A contact
 * ends the history of a particle, whose momentum is then that of the velocity alone, m v. If the contact leaves v as it
 * is, what forces have added along the surface would be lost but for the share s. So a particle that slides takes on
 * the momentum's velocity along the surface. What the contact takes is the difference of both momenta.
 *
 * In: velocities, velocity history, force_share, the plan. Out: what the functions return. Scratch: none.
 */

/* The velocity that belongs to the momentum of each particle of a block with the velocity v. Particles that a contact
   or a constraint has moved in this substep have lost their history: v itself. */
CLOTH_INLINE lanes3 momentum_velocity(const cloth *c, const step_plan *plan, int32_t i, lanes3 v) {
  if (!(plan->extrapolation > 0.0f)) {
    return v;
  }
  const float weight = plan->extrapolation * (1.0f / 9.0f), inverse_share = 1.0f / force_share(plan);
  const lanes3 earlier = lanes3_load(history_of(c, 1), i);
  lanes3 earliest = lanes3_load(history_of(c, 2), i);
  if (has_contact_pushes(c)) {
    earliest = lanes3_select(is_pushed(c, i), earlier, earliest);
  }
  const lanes3 past = lanes3_subtract(lanes3_scale(earlier, lanes_splat(6.0f)), earliest);
  const lanes3 p =
      lanes3_scale(lanes3_subtract(v, lanes3_scale(past, lanes_splat(weight))), lanes_splat(inverse_share));
  return lanes3_select(has_no_history(earlier.x), v, p);
}

/* What a contact does to a block of particles, in world axes. */
typedef struct contact_change {
  lanes3 displacement; /* that changes velocities [m] */
  lanes3 normal;       /* of the surface, unit length */
  lanes3 sliding;      /* displacement along the surface that friction leaves, relative to the surface [m] */
  lanes_mask touches, slides;
} contact_change;

/* What particles that slide add to their velocities v along the surface: the part of their momentum, after the contact
   that of the velocities p, that v does not show. It does not reverse the direction in which they slide. */
CLOTH_INLINE lanes3 carried_velocity(const cloth *c, const step_plan *plan, int32_t i, const contact_change *contact,
                                     lanes3 v, lanes3 p) {
  const lanes_mask first = lanes_less(lanes_load(history_of(c, 1).x + i), lanes_splat(0.5f * HISTORY_INVALID));
  const lanes3 hidden = lanes3_flush_below(lanes3_subtract(p, v), STATE_QUANTUM);
  const lanes3 outward = lanes3_scale(contact->normal, lanes_flush(lanes3_dot(hidden, contact->normal)));
  const lanes3 along = lanes3_flush_below(lanes3_subtract(hidden, outward), STATE_QUANTUM);
  const lanes3 slip = lanes3_flush_below(lanes3_scale(contact->sliding, lanes_splat(plan->inverse_h)), STATE_QUANTUM);
  const lanes_mask onward = lanes_less(lanes_splat(0.0f), lanes3_dot(slip, lanes3_add(slip, along)));
  return lanes3_keep(lanes_both(lanes_both(first, onward), contact->slides), along);
}

/* Changes the velocities of the particles of a block that a contact touches. Returns the change of their momentum over
   their mass [m/s]; 0 for the others. */
CLOTH_INLINE lanes3 change_velocities(const cloth *c, const step_plan *plan, int32_t i, const contact_change *contact) {
  const vector_array velocity = vectors_at(c, c->state.velocity);
  const lanes3 old = lanes3_load(velocity, i);
  const lanes3 change = lanes3_scale(contact->displacement, lanes_splat(plan->inverse_h));
  if (!(plan->extrapolation > 0.0f)) {
    lanes3_store(velocity, i, lanes3_add(old, change), c->count - i);
    return change;
  }
  const lanes3 before = momentum_velocity(c, plan, i, old);
  const lanes3 after = lanes3_add_scaled(before, change, lanes_splat(1.0f / force_share(plan)));
  lanes3 v = lanes3_add(old, change);
  v = lanes3_add(v, lanes3_keep(contact->touches, carried_velocity(c, plan, i, contact, v, after)));
  lanes3_store(velocity, i, v, c->count - i);
  return lanes3_keep(contact->touches, lanes3_subtract(v, before));
}

/* Share of its way in a substep over that by its velocity below which a particle that several contacts have moved is
   jammed between them [1]. With 0.25 a cape in a neck still shakes at up to 2 m/s, with 0.8 cloth that leaves a body
   which it began in sticks to it. */
#define JAMMED 0.5f
