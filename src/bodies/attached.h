#pragma once
#include "../step/reactions.h"
#include "bodies.h"
#include "coupling.h"

/// Attached particles ///

/* A particle attached to a collider without mass is a pin that goes, in every part of a substep, to where the point of
   the collider will be. One attached to a body is free, and held by a spring (coupling.h). In: attachments, poses,
   solution. Out: velocities of attached pins, own.pin_reactions, reactions. Scratch: own.attached, what colliders have
   been given in this step. */

#if WITH_BODIES

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
    const cloth_vector gap = vector_flush(vector_subtract(at_start, attached_point_at(c, a, t->from)), STATE_QUANTUM);
    const float left = t->until < 1.0f ? (1.0f - t->until) / (1.0f - t->from) : 0.0f;
    const cloth_vector to = vector_add_scaled(attached_point_at(c, a, t->until), gap, left);
    const cloth_vector way = vector_flush_work(vector_subtract(to, at_start));
    vector_store(v, a->particle,
                 limited_vector(vector_flush(vector_scale(way, t->inverse_h), STATE_QUANTUM), CLOTH_SPEED_LIMIT));
  }
}

/* Notes what a body that touches held particles does to them beyond the right-hand side, K G Y. */
static void note_held_touches(const cloth *c, const solve_arrays *a, const substep_terms *t, const body_unknown *u) {
  float values[3][CLOTH_LANES];
  const vector_array forces = {values[0], values[1], values[2]};
  EACH_BODY_TOUCH(c, a, u, e, k, {
    lanes3_store(forces, 0, touch_product(e, k, carried(u->solution, arms_of_touch(a, e, k, u))), CLOTH_LANES);
    for (int32_t lane = 0; lane < CLOTH_LANES && e->column + k + lane < a->columns; lane++) {
      const int32_t column = e->column + k + lane;
      if (!(*own_at(a->diagonal, 1, e->row * a->pitch + column, 0) > 0.0f)) {
        note_scaled(c, t, e->row * a->columns + column, vector_load(forces, lane));
      }
    }
  });
}

/* Notes what attached particles, and held ones, do to bodies. */
CLOTH_SEPARATE void note_bodies(const cloth *c, const substep_terms *t, int32_t has_solution) {
  const solve_arrays arrays = *arrays_of(c), *a = &arrays;
  for (int32_t n = 0; n < body_count_of(c); n++) {
    const body_unknown *u = &body_unknowns_of(c)[n];
    note_held_touches(c, a, t, u);
    EACH_BODY_SPRING(c, a, t, u, s, { note_scaled(c, t, held->particle, pull_of_spring(c, a, u, &s, has_solution)); });
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

#endif
