#pragma once
#include "../terms/tethers.h"
#include "bodies.h"

/// Attached particles ///

/* A particle attached to a collider without mass is a pin that goes, in every part of a substep, to where the point of
   the collider will be. One attached to a body is free, and held by a spring (coupling.h). In: attachments, poses,
   solution. Out: velocities of attached pins, own.pin_reactions, reactions. Scratch: own.attached, what colliders have
   been given in this step. */

/* Where the point of an attachment is at a share of the step [m]. */
static cloth_vector attached_point_at(const cloth *c, const attachment *a, float share) {
  const collider_slot *slot = slot_at(c, a->collider);
  const cloth_pose from = pose_in_step(c, &slot->previous), to = pose_in_step(c, &slot->body.pose);
  const cloth_pose pose = pose_between(&from, &to, share);
  return to_world(&pose, a->point);
}

/* Velocities of the particles that are attached to colliders without mass, in a part of a substep. */
CLOTH_SEPARATE void lead_attached_particles(const cloth *c, const substep_terms *t) {
  const vector_array x = vectors_at(c, c->state.position), v = vectors_at(c, c->state.velocity);
  for (int32_t n = 0; n < inputs_of(c)->attachment_count; n++) {
    const attachment *a = &attachments_of(c)[n];
    if (find_body(c, a->collider)) { continue; }
    const cloth_vector at_start = vector_load(x, a->particle);
    const cloth_vector gap = vector_flush_state(vector_subtract(at_start, attached_point_at(c, a, t->from)));
    const float left = t->until < 1.0f ? (1.0f - t->until) / (1.0f - t->from) : 0.0f;
    const cloth_vector to = vector_add_scaled(attached_point_at(c, a, t->until), gap, left);
    const cloth_vector way = vector_flush_work(vector_subtract(to, at_start));
    vector_store(v, a->particle,
                 limited_vector(vector_flush_state(vector_scale(way, t->inverse_h)), CLOTH_SPEED_LIMIT));
  }
}

/* Gives the reactions of colliders what attached particles have received since the last call. */
CLOTH_SEPARATE void report_attachments(const cloth *c) {
  for (int32_t n = 0; n < inputs_of(c)->attachment_count; n++) {
    const attachment *a = &attachments_of(c)[n];
    const cloth_vector noted = ((const cloth_vector *)at(c, c->own.pin_reactions))[a->particle];
    cloth_vector *given = (cloth_vector *)at(c, c->own.attached) + n;
    const cloth_vector impulse = vector_flush(vector_subtract(noted, *given), INPUT_QUANTUM);
    const cloth_vector arm = vector_flush_work(rotate(colliders_of(c)[a->collider].body.pose.rotation, a->point));
    *given = noted;
    add_to_reaction(c, a->collider, impulse, vector_cross(arm, impulse));
  }
}

/* Sets the freedom of a particle. Chosen tethers are then stale; those set to a released pin are removed. */
static void set_freedom(const cloth *c, int32_t particle, uint32_t freedom) {
  if (WITH_BODIES && find_attachment(c, particle)) {
    remove_attachment(c, particle);
    wake(c);
  }
  if (WITH_SLEEP && (freedom_of(c)[particle] & FREEDOM_MASK) != freedom) { wake(c); }
  if (c->state.tethers && is_pinned(c, particle) != (freedom == FREEDOM_PINNED)) {
    if (inputs_of(c)->tethers_chosen != TETHERS_SET) {
      inputs_of(c)->tethers_chosen = TETHERS_STALE;
    } else if (freedom != FREEDOM_PINNED) {
      remove_tethers_to(c, particle);
    }
  }
  vector_store(vectors_at(c, c->state.velocity), particle, current_velocity(c, particle)); /* without a move */
  freedom_of(c)[particle] = (uint8_t)freedom;
  invalidate_history(c, particle);
}
