#pragma once
#include "access.h"
#include "bodies.h"
#include "bodies/list.h"
#include "compiler.h"
#include "lanes.h"
#include "pin_reactions.h"
#include "plan.h"
#include "rigid.h"
#include "scalar.h"
#include "types.h"

/// Attachments ///

/*
 * Particles held at points of colliders. An attached particle is a pin whose velocity leads, in every substep, to where
 * the point of the collider will be; one that is not there yet when a step begins arrives at its end. What the cloth
 * does to the pin acts on the collider.
 *
 * A body does not wait for the end of the substep to give way: while springs and tethers are solved, its particles have
 * the mobility of its mass, so that a light body on heavy cloth is as stable as a particle. They count its mass in
 * equal parts, and as where it gives way most. No tether leads to such a particle, and it has tethers itself.
 *
 * In: attachments, poses, own.pin_reactions. Out: velocities and predicted positions of attached particles, their
 * mobilities while lengths are solved, impulses on colliders and bodies. Scratch: none; own.attached holds what has
 * been given to the colliders so far in this step.
 */

#if WITH_BODIES

/* Where the point of an attachment is when `substep` begins [m]. */
static cloth_vector attached_point(const cloth *c, const step_plan *plan, const attachment *a, int32_t substep) {
  const cloth_pose pose = collider_pose(c, plan, a->collider, substep);
  return to_world(&pose, a->point);
}

/* Where an attached particle is to be at the end of a substep [m]. */
static cloth_vector attached_place(const cloth *c, const step_plan *plan, const attachment *a) {
  const cloth_vector x = vector_load(vectors_at(c, c->state.position), a->particle);
  const cloth_vector start = attached_point(c, plan, a, plan->index);
  const cloth_vector gap = vector_flush(vector_subtract(x, start), STATE_QUANTUM);
  const float left = (float)(plan->substeps - plan->index);
  return vector_add_scaled(attached_point(c, plan, a, plan->index + 1), gap, (left - 1.0f) / left);
}

/* Adds to the reaction of attachment n's collider an impulse on the particle, noted already, that moves no body. */
static void report_attached(const cloth *c, int32_t n, int moves) {
  const attachment *a = &attachments_of(c)[n];
  const cloth_vector noted = ((const cloth_vector *)at(c, c->own.pin_reactions))[a->particle];
  cloth_vector *given = (cloth_vector *)at(c, c->own.attached) + n;
  const cloth_vector impulse = vector_flush(vector_subtract(noted, *given), INPUT_QUANTUM);
  const cloth_vector arm = vector_flush_work(rotate(colliders_of(c)[a->collider].body.pose.rotation, a->point));
  *given = noted;
  add_to_reaction(c, a->collider, impulse, vector_cross(arm, impulse));
  if (moves && find_body(c, a->collider)) {
    push_body(c, find_body(c, a->collider), impulse, vector_cross(arm, impulse));
  }
}

/* Gives the particle of attachment n the velocity of a way in a substep. With `felt` 1 the collider feels the inertia
   of the particle; a body is not moved by it, as its mass counts with that of the body. */
static void lead_attached(const cloth *c, const step_plan *plan, int32_t n, cloth_vector way, float felt) {
  const attachment *a = &attachments_of(c)[n];
  const vector_array v = vectors_at(c, c->state.velocity);
  const cloth_vector before = vector_load(v, a->particle);
  cloth_vector velocity = vector_flush(vector_scale(vector_flush_work(way), plan->inverse_h), STATE_QUANTUM);
  velocity = limited_vector(velocity, CLOTH_SPEED_LIMIT);
  vector_store(v, a->particle, velocity);
  note_change(c, a->particle, vector_scale(vector_subtract(before, velocity), felt * mass_ratio_at(c, a->particle)));
  if (felt > 0.0f) {
    report_attached(c, n, 0);
  }
}

/* Velocities of the attached particles as a substep begins, with `felt` 1, and again when lengths have been solved,
   with `felt` 0. */
CLOTH_SEPARATE void start_attachments(const cloth *c, const step_plan *plan, float felt) {
  for (int32_t n = 0; n < inputs_of(c)->attachment_count; n++) {
    const attachment *a = &attachments_of(c)[n];
    const cloth_vector x = vector_load(vectors_at(c, c->state.position), a->particle);
    lead_attached(c, plan, n, vector_subtract(attached_place(c, plan, a), x), felt);
  }
}

/* Gives the particles attached to bodies the mobility of these (`gives_way` 1), or makes them pins again (0). */
CLOTH_SEPARATE void loosen_attached(const cloth *c, const step_plan *plan, int gives_way) {
  for (int32_t n = 0; n < inputs_of(c)->attachment_count; n++) {
    const attachment *a = &attachments_of(c)[n];
    const rigid_body *b = find_body(c, a->collider);
    float *mobility = floats_at(c, c->scratch.mobility) + a->particle;
    *mobility = 0.0f;
    if (b && gives_way) {
      *mobility = maximum(attached_mobility(c, a, b) / force_share(plan), WORK_QUANTUM);
    }
  }
}

/* Gives the colliders what their particles have received since the substep began. */
CLOTH_SEPARATE void deliver_attached(const cloth *c) {
  for (int32_t n = 0; n < inputs_of(c)->attachment_count; n++) {
    report_attached(c, n, 1);
  }
}

/* Ends a substep: puts the particles of bodies to where these are now. Their velocity is that of their points: that of
   a particle on its way to its point ends there, and a body that took it for momentum in every substep would be thrown.
 */
CLOTH_SEPARATE void finish_attachments(const cloth *c, const step_plan *plan) {
  for (int32_t n = 0; n < inputs_of(c)->attachment_count; n++) {
    const attachment *a = &attachments_of(c)[n];
    if (find_body(c, a->collider)) {
      const cloth_vector start = attached_point(c, plan, a, plan->index);
      lead_attached(c, plan, n, vector_subtract(attached_point(c, plan, a, plan->index + 1), start), 1.0f);
      vector_store(predicted_of(c), a->particle, attached_place(c, plan, a));
    }
  }
}

/* Begins a substep for bodies and attached particles. */
static void start_moving(const cloth *c, const step_plan *plan) {
  start_bodies(c, plan);
  start_attachments(c, plan, 1.0f);
}

/* Moves bodies by what lengths have done to their particles, before contact. */
static void move_by_attached(const cloth *c, const step_plan *plan) {
  start_attachments(c, plan, 0.0f);
  deliver_attached(c);
  move_bodies(c, plan, 0);
  workspace_of(c)->body.index = -1; /* where it moves is not known any more */
}

/* Ends a substep for bodies and attached particles, after contact. */
static void finish_moving(const cloth *c, const step_plan *plan) {
  move_bodies(c, plan, 1);
  finish_attachments(c, plan);
}

#else

static void start_moving(const cloth *c, const step_plan *plan) {
  (void)c;
  (void)plan;
}

static void move_by_attached(const cloth *c, const step_plan *plan) {
  start_moving(c, plan);
}

static void finish_moving(const cloth *c, const step_plan *plan) {
  start_moving(c, plan);
}

#endif
