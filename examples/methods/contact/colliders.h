#pragma once
#include "../pieces.h"

/// Colliders in a substep ///

/*
 * Where a collider is while a substep lasts, how far points are from it, and what it receives. A step of a method has
 * no surroundings, so that all colliders are the cloth's own, and convex.
 */

typedef struct method_body {
  const cloth_collider *shape;
  const cloth_geometry *geometry;
  cloth_pose start, end;
  int32_t index, substep;
  float margin; /* distance that contact keeps [m] */
} method_body;

/* Share of the thickness that projection keeps where the solver holds contacts. The solver takes back nine tenths of a
   penetration per substep, so that the contacts that it holds stay a little below the whole thickness; projection only
   catches particles that the solver missed. With 1 projection moves out what the solver holds, and its friction stops
   sheets that have to slide. */
#define SOLVER_CONTACT_MARGIN 0.5f

static int has_solver_contacts(const method_work *w) {
  return w->method->contact == CLOTH_CONTACT_SOLVER;
}

static int32_t substeps_of(const method_work *w) {
  return workspace_of(w->c)->plan.substeps;
}

/* The collider `index` in a substep. */
static method_body method_body_of(const method_work *w, int32_t index, int32_t substep) {
  const cloth *c = w->c;
  const collider_slot *slot = slot_at(c, index);
  const cloth_pose from = pose_in_step(c, &slot->previous), to = pose_in_step(c, &slot->body.pose);
  const float steps = (float)substeps_of(w);
  method_body b;
  b.shape = &slot->body;
  b.geometry = geometry_of(c, &slot->body);
  b.start = pose_between(&from, &to, (float)substep / steps);
  b.end = pose_between(&from, &to, (float)(substep + 1) / steps);
  b.index = index;
  b.substep = substep;
  b.margin = c->settings.contact.thickness * (has_solver_contacts(w) ? SOLVER_CONTACT_MARGIN : 1.0f);
  return b;
}

/* Distance of a point in the collider's axes from its surface, with the normal there. */
static float local_distance(const method_body *b, cloth_vector p, cloth_vector *normal) {
  return distance_of_point(b->shape, b->geometry, p, normal);
}

/* Depth of a particle at p below the thickness around a collider when the substep starts, with the normal [m]. */
static float depth_in_body(const method_work *w, const method_body *b, cloth_vector p, cloth_vector *normal) {
  const float depth = w->c->settings.contact.thickness - local_distance(b, to_local(&b->start, p), normal);
  *normal = vector_flush_work(rotate(b->start.rotation, *normal));
  return depth;
}

/* What a collider does to a particle, for its reaction and for the record of contacts. */
typedef struct method_touch {
  int32_t particle;
  int32_t holds; /* 0: the collider lets go of it */
  cloth_vector place, normal;
  cloth_vector impulse; /* that the particle receives [N s] */
} method_touch;

static void report_touch(const method_work *w, const method_body *b, const method_touch *t) {
  const cloth *c = w->c;
  const cloth_vector arm = vector_flush_work(vector_subtract(t->place, place_in_step(c, b->shape->pose.position)));
  const cloth_vector impulse = vector_flush(t->impulse, INPUT_QUANTUM);
  cloth_reaction *reaction = &reactions_of(c)[b->index];
  reaction->impulse = vector_subtract(reaction->impulse, impulse);
  reaction->torque = vector_subtract(reaction->torque, vector_cross(arm, impulse));
#if WITH_CONTACT_RECORD
  if (has_contact_record(c)) {
    record_contact(c, t->holds ? b->substep : -1, t->particle, b->index, t->place, t->normal, t->impulse);
  }
#endif
}
