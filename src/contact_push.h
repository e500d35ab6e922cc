#pragma once
#include "access.h"
#include "compiler.h"
#include "lanes.h"
#include "pieces.h"
#include "scalar.h"
#include "types.h"

/// Contact pushes ///

/*
 * Warm starting of contact by projection (Catto, "Iterative Dynamics with Temporal Coherence", 2005). The springs of a
 * loaded sheet pull a particle on a rim into the body in every substep, and contact, which comes after them, moves it
 * out again: the springs beside it stay stretched, the more the longer the substep. So each particle in contact keeps
 * the displacement by which contact moved it, normal part and friction: its push. The next prediction starts with it,
 * and the springs find their lengths as if the body held the particle. Before contact is resolved anew the push is
 * taken back, so that contact decides afresh what the body does: it never pulls, and friction has its usual bound.
 *
 * A push follows what contact does slowly, by PUSH_SHARE of the difference in each substep, and what it follows exceeds
 * it by no more than a particle falls in a substep. Springs answer a push within the same substep, but the particles
 * beside it keep the speed that they got: with larger shares drapes shake for ever. An impact, which does not last, is
 * not repeated. Pushes are no longer than the spacing of the particles and the thickness of the cloth: beyond, the
 * surface has another direction where a push leads to.
 *
 * A push stays below what contact does by PUSH_LEFT of the spacing, in each contact of its particle. Otherwise contact
 * would be on the point of letting go wherever cloth rests: of particles over rims a fifth let go by turns, began again
 * without a push, and drove the swings of what hangs beside them.
 *
 * A push that follows is an integral control of what hangs beside its particle, and feeds its slow swings. So while the
 * whole cloth is slower than CALM_SPEED, particles that stick keep their push where what contact does differs from it
 * by less than PUSH_SLACK of it; friction bears the difference. Nothing is left of it then: cloth that has settled
 * would begin to slip.
 *
 * The state has no room of its own for pushes. Particles in contact have no history of velocities: their push takes the
 * place of the earliest velocity, until contact has been resolved in the next substep. There are no pushes without a
 * history (bdf2_blend 0), where springs act by forces, which would take the push for a velocity, and with contact in
 * the solver.
 *
 * In: velocity history, force_share, the plan. Out: the predicted positions and velocities, the velocity history.
 * Scratch: none.
 */

/* Share of the difference to what contact did that a push takes on in a substep. */
#define PUSH_SHARE 0.1f
/* Acceleration by which what a push follows may exceed it [m/s^2]. */
#define PUSH_GROWTH 9.81f
/* Length by which a push stays below what it follows, over the spacing [1]: contact goes on pressing by that much. With
   0 a particle whose pull falls is off the surface at once, and comes back without a push: hems swing by that. More
   leaves springs at rims longer by as much. */
#define PUSH_LEFT 0.01f
/* Speed below which all particles are calm [m/s]. */
#define CALM_SPEED 0.05f
/* Share of its push by which what contact does to a calm particle that sticks may differ without being followed. */
#define PUSH_SLACK 0.1f
/* What force_share holds for a particle whose prediction starts with a push. Forces act on it at once, with share 1, as
   it has no history. */
#define SHARE_PUSHED 2.0f

/* 1 if particles may have pushes. */
static int has_contact_pushes(const cloth *c) {
  return WITH_COLLIDERS && c->state.velocity_history && !workspace_of(c)->plan.forces && collider_end(c) > 0;
}

/* The pushes of particles without a history, as kept in the substep before; 0 for the others. */
CLOTH_INLINE lanes3 kept_pushes(lanes3 earlier, lanes3 earliest, lanes mobility, lanes scale) {
  const lanes_mask pushed = lanes_both(has_no_history(earlier.x), lanes_less(lanes_splat(0.0f), mobility));
  return lanes3_flush_below(lanes3_scale(lanes3_keep(pushed, earliest), scale), STATE_QUANTUM);
}

/* 1 where a push is not 0. */
CLOTH_INLINE lanes_mask is_push(lanes3 push) {
  const lanes size = lanes_add(lanes_add(lanes_absolute(push.x), lanes_absolute(push.y)), lanes_absolute(push.z));
  return lanes_less(lanes_splat(0.0f), size);
}

/* Which particles of a block have started this substep with a push. Only where has_contact_pushes(): the caller asks
   once and not for each block, which takes 1.2 % of the instructions of a step with contacts. */
CLOTH_INLINE lanes_mask is_pushed(const cloth *c, int32_t i) {
  CLOTH_ASSERT(has_contact_pushes(c));
  return lanes_less(lanes_splat(1.0f),
                    lanes_keep(lanes_first(c->count - i), lanes_load(floats_at(c, c->scratch.force_share) + i)));
}

/* The pushes of a block of particles that no contact has moved yet in this substep; 0 for the others. */
CLOTH_INLINE lanes3 pushes_of_block(const cloth *c, int32_t i) {
  const lanes3 none = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  if (!has_contact_pushes(c)) {
    return none;
  }
  const lanes3 push = lanes3_keep(is_pushed(c, i), lanes3_load(history_of(c, 2), i));
  return lanes3_select(has_no_history(lanes_load(history_of(c, 1).x + i)), none, push);
}

/* A vector that is shorter by `less`, and no longer than `most`. */
CLOTH_INLINE lanes3 shortened(lanes3 a, lanes less, lanes most) {
  const lanes length = lanes_maximum(lanes3_length(a), lanes_splat(STATE_QUANTUM));
  const lanes rest = lanes_maximum(lanes_subtract(length, less), lanes_splat(0.0f));
  return lanes3_scale(a, lanes_divide(lanes_minimum(rest, most), length));
}

/* Share of the difference that pushes follow. Those that stick while the cloth is calm and whose contact does nearly
   what the push says follow nothing. */
CLOTH_INLINE lanes followed_share(const step_plan *plan, lanes3 change, lanes3 push, lanes_mask slides) {
  const lanes share = lanes_splat(PUSH_SHARE);
  if (!plan->is_calm) {
    return share;
  }
  const lanes off = lanes3_length(lanes3_flush_below(lanes3_subtract(change, push), STATE_QUANTUM));
  const lanes_mask near = lanes_less(off, lanes_multiply(lanes_splat(PUSH_SLACK), lanes3_length(push)));
  return lanes_select(slides, share, lanes_drop(near, share));
}

/* Lets the pushes of the chosen particles, of which some slide, follow the displacements `change` by a contact, and
   keeps them for the next substep. In a substep with several contacts of a particle they follow the sum. */
CLOTH_INLINE void keep_pushes(const cloth *c, const step_plan *plan, lanes_mask which, lanes_mask slides, lanes3 change,
                              int32_t i) {
  lanes3 push = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  if (has_contact_pushes(c)) {
    const float spacing = minimum(c->grid.spacing_warp, c->grid.spacing_weft);
    const float left = plan->is_calm ? 0.0f : PUSH_LEFT * spacing;
    const lanes longest = lanes_splat(minimum(spacing, c->settings.contact.thickness));
    const lanes_mask again = has_no_history(lanes_load(history_of(c, 1).x + i));
    const lanes3 kept = lanes3_load(history_of(c, 2), i);
    const lanes3 old = lanes3_keep(which, lanes3_select(again, kept, lanes3_keep(is_pushed(c, i), kept)));
    const lanes most = lanes_add(lanes3_length(old), lanes_splat(PUSH_GROWTH * plan->h * plan->h));
    lanes3 difference = lanes3_flush_below(lanes3_keep(which, change), STATE_QUANTUM);
    const lanes share = lanes_select(again, lanes_splat(PUSH_SHARE), followed_share(plan, difference, old, slides));
    difference = shortened(difference, lanes_splat(left), lanes_minimum(most, longest));
    difference = lanes3_select(again, difference, lanes3_subtract(difference, old));
    push = lanes3_add_scaled(old, difference, share);
    push = lanes3_flush_below(push, STATE_QUANTUM);
  }
  invalidate_block_history(c, which, push, i, c->count - i);
}
