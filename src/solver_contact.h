#pragma once
#include "access.h"
#include "compiler.h"
#include "contact.h"
#include "costs.h"
#include "lanes.h"
#include "rigid.h"
#include "scalar.h"
#include "shapes.h"
#include "types.h"

/// Contact in the solver ///

static void add_reaction(const cloth *c, const moving_body *m, cloth_vector where, cloth_vector impulse) {
  cloth_reaction *reaction = &reactions_of(c)[m->index];
  cloth_vector arm = vector_flush_work(vector_subtract(where, shape_of(c, m)->pose.position));
  impulse = vector_flush(impulse, INPUT_QUANTUM);
  reaction->impulse = vector_subtract(reaction->impulse, impulse);
  reaction->torque = vector_subtract(reaction->torque, vector_cross(arm, impulse));
}

/* Share of a penetration that a substep takes back; the rest keeps the contact alive (thesis section 3.4.2). */
#define CONTACT_RELAXATION 0.9f
/* A particle slower than this along a surface it has just met sticks to it [m/s]. */
#define STICK_SPEED 0.02f
/* A released particle that comes back no faster than this stays free, so that the solve can lift it off [m/s]. */
#define RELEASE_SPEED 1.0e-3f

/* A particle in contact stays so until it is this far from touching [m]: constraints that came and went with every
   substep would let go of what friction holds. */
#define CONTACT_SLOP 1.0e-4f

/* The deepest collider a particle is in at the start of the substep, deeper than `least`; returns its index or -1. */
static int32_t deepest_body(const cloth *c, const step_plan *plan, int32_t substep, cloth_vector p, float least,
                            cloth_vector *normal, float *depth) {
  int32_t deepest = -1;
  *depth = least;
  for (int32_t index = 0; index < inputs_of(c)->collider_end; index++) {
    if (!colliders_of(c)[index].used) {
      continue;
    }
    const moving_body *m = body_in_substep(c, plan, index, substep);
    cloth_vector n;
    float inside = c->settings.contact.thickness - distance_of_point(shape_of(c, m), to_local(&m->start, p), &n);
    if (inside > *depth) {
      *depth = inside;
      *normal = rotate(m->start.rotation, n);
      deepest = index;
    }
  }
  return deepest;
}

/* Velocity of the point of a body that is at p when the substep starts. */
static cloth_vector surface_velocity(const step_plan *plan, const moving_body *m, cloth_vector p) {
  cloth_vector moved = to_world(&m->end, to_local(&m->start, p));
  return vector_scale(vector_subtract(moved, p), plan->inverse_h);
}

/* Velocity that takes back a share of a penetration in one substep. It moves the position and is then dropped: kept, it
   would throw the particle off the surface. */
static float push_speed(const step_plan *plan, float depth) {
  return CONTACT_RELAXATION * maximum(depth, 0.0f) * plan->inverse_h;
}

static float depth_in_body(const cloth *c, const moving_body *m, cloth_vector p) {
  cloth_vector normal;
  return c->settings.contact.thickness - distance_of_point(shape_of(c, m), to_local(&m->start, p), &normal);
}

/* Sets up the constraint of one particle: its kind, normal, and the velocity change z it prescribes. */
static cloth_vector constrain_particle(const cloth *c, const step_plan *plan, int32_t substep, int32_t i) {
  uint32_t *info = &contact_info_of(c)[i];
  uint32_t earlier = *info;
  uint32_t before = CONTACT_KIND(earlier);
  cloth_vector p = vector_load(vectors_at(c, c->state.position), i);
  cloth_vector v = vector_load(vectors_at(c, c->state.velocity), i);
  cloth_vector nothing = vector(0.0f, 0.0f, 0.0f);
  cloth_vector normal;
  float depth;
  int32_t index = -1;
  if ((freedom_of(c)[i] & FREEDOM_MASK) == FREEDOM_FREE) {
    float least = before == CONTACT_STICK || before == CONTACT_SLIDE ? 0.0f - CONTACT_SLOP : 0.0f;
    index = deepest_body(c, plan, substep, p, least, &normal, &depth);
  }
  *info = CONTACT_NONE;
  if (index < 0) {
    return nothing;
  }
  const moving_body *m = body_in_substep(c, plan, index, substep);
  cloth_vector relative = vector_flush_work(vector_subtract(v, surface_velocity(plan, m, p)));
  normal = vector_flush_work(normal);
  float outward = flush_small(vector_dot(relative, normal), WORK_QUANTUM);
  if (before == CONTACT_RELEASED && outward > 0.0f - RELEASE_SPEED) {
    *info = CONTACT_WORD(index, 0, CONTACT_RELEASED);
    return nothing;
  }
  float target = push_speed(plan, depth);
  cloth_vector slip = vector_add_scaled(relative, normal, 0.0f - outward);
  int sticks = before == CONTACT_STICK || (before != CONTACT_SLIDE && vector_length(slip) < STICK_SPEED);
  uint32_t dwell = before == CONTACT_SLIDE ? CONTACT_DWELL(earlier) : SLIDE_DWELL;
  *info = CONTACT_WORD(index, sticks ? 0 : dwell, sticks ? CONTACT_STICK : CONTACT_SLIDE);
  vector_store(vectors_at(c, c->scratch.contact_normal), i, normal);
  cloth_vector change = vector_scale(normal, target - outward);
  return vector_flush_work(sticks ? vector_subtract(change, slip) : change);
}

/* Finds the contacts of a substep. The prescribed changes z are left in the direction. Returns how many there are. */
CLOTH_SEPARATE int32_t find_solver_contacts(const cloth *c, const step_plan *plan, int32_t substep) {
  vector_array z = vectors_at(c, c->scratch.direction);
  int32_t contacts = 0;
  fill_vectors(c, z, 0.0f);
  for (int32_t i = 0; i < c->count; i++) {
    vector_store(z, i, constrain_particle(c, plan, substep, i));
    uint32_t kind = CONTACT_KIND(contact_info_of(c)[i]);
    contacts += kind == CONTACT_STICK || kind == CONTACT_SLIDE;
  }
  add_work(c, (uint32_t)contacts, COST_HELD);
  return contacts;
}

/* The constraint force on a particle, the opposite of the unprojected residual (thesis section 3.4.2), as a velocity
   change times the mass ratio. In directions that are free the residual is only what the solver left over. What gave
   the particle its push, to be dropped again, does not press. */
static cloth_vector constraint_force(const cloth *c, int32_t i, float push) {
  cloth_vector normal = vector_load(vectors_at(c, c->scratch.contact_normal), i);
  cloth_vector residual = vector_load(vectors_at(c, c->scratch.residual), i);
  if (CONTACT_KIND(contact_info_of(c)[i]) == CONTACT_SLIDE) {
    residual = vector_scale(normal, vector_dot(residual, normal));
  }
  return vector_add_scaled(vector_scale(residual, -1.0f), normal, 0.0f - push * mass_ratio_at(c, i));
}

/*
 * What the constraint force of one particle means: an attractive one is released, static friction that is exceeded
 * gives way, and kinetic friction brakes. Returns the velocity to add. Release and slipping take effect in the next
 * solve: to undo a stiff constraint force here, particle by particle, would be an explicit step on a stiff spring.
 * Braking can only take speed away.
 */
static cloth_vector resolve_contact(const cloth *c, const moving_body *m, int32_t i, cloth_vector relative,
                                    cloth_vector force) {
  uint32_t *info = &contact_info_of(c)[i];
  uint32_t dwell = CONTACT_DWELL(*info);
  cloth_vector nothing = vector(0.0f, 0.0f, 0.0f);
  cloth_vector normal = vector_load(vectors_at(c, c->scratch.contact_normal), i);
  float pressing = vector_dot(force, normal);
  if (pressing < 0.0f) {
    *info = CONTACT_WORD(m->index, 0, CONTACT_RELEASED);
    return nothing;
  }
  if (CONTACT_KIND(*info) == CONTACT_STICK) {
    float pull = vector_length(vector_add_scaled(force, normal, 0.0f - pressing));
    *info =
        pull > shape_of(c, m)->static_friction * pressing ? CONTACT_WORD(m->index, SLIDE_DWELL, CONTACT_SLIDE) : *info;
    return nothing;
  }
  cloth_vector slip = vector_add_scaled(relative, normal, 0.0f - vector_dot(relative, normal));
  float speed = vector_length(slip);
  float braking = shape_of(c, m)->kinetic_friction * pressing * floats_at(c, c->scratch.mobility)[i];
  int stops = speed <= braking;
  int sticks = stops && dwell == 0;
  *info = CONTACT_WORD(m->index, dwell > 0 ? dwell - 1 : 0, sticks ? CONTACT_STICK : CONTACT_SLIDE);
  return vector_scale(slip, stops ? -1.0f : 0.0f - braking / speed);
}

/* After the solve, with the velocities updated: friction, release and reactions of all contacts. */
CLOTH_SEPARATE void resolve_contacts(const cloth *c, const step_plan *plan, int32_t substep, cloth_statistics *counts) {
  vector_array x = vectors_at(c, c->state.position);
  vector_array v = vectors_at(c, c->state.velocity);
  for (int32_t i = 0; i < c->count; i++) {
    uint32_t info = contact_info_of(c)[i];
    if (CONTACT_KIND(info) != CONTACT_STICK && CONTACT_KIND(info) != CONTACT_SLIDE) {
      continue;
    }
    const moving_body *m = body_in_substep(c, plan, CONTACT_COLLIDER(info), substep);
    cloth_vector p = vector_load(x, i);
    cloth_vector relative = vector_subtract(vector_load(v, i), surface_velocity(plan, m, p));
    cloth_vector force = constraint_force(c, i, push_speed(plan, depth_in_body(c, m, p)));
    cloth_vector change = resolve_contact(c, m, i, relative, force);
    vector_store(v, i, vector_add(vector_load(v, i), change));
    cloth_vector kept = vector_add_scaled(force, change, mass_ratio_at(c, i));
    add_reaction(c, m, p, vector_scale(kept, reference_mass(c)));
    counts->contacts += CONTACT_KIND(contact_info_of(c)[i]) != CONTACT_RELEASED;
    counts->contacts_sticking += CONTACT_KIND(contact_info_of(c)[i]) == CONTACT_STICK;
  }
}

/* Takes the push out of penetrations back from the velocities, once the positions have had it. A particle released just
   now keeps it: it was the constraint that held it back. */
CLOTH_SEPARATE void remove_push_velocities(const cloth *c, const step_plan *plan, int32_t substep) {
  vector_array v = vectors_at(c, c->state.velocity);
  for (int32_t i = 0; i < c->count; i++) {
    uint32_t info = contact_info_of(c)[i];
    if (CONTACT_KIND(info) == CONTACT_STICK || CONTACT_KIND(info) == CONTACT_SLIDE) {
      const moving_body *m = body_in_substep(c, plan, CONTACT_COLLIDER(info), substep);
      float push = push_speed(plan, depth_in_body(c, m, vector_load(vectors_at(c, c->state.position), i)));
      cloth_vector normal = vector_load(vectors_at(c, c->scratch.contact_normal), i);
      vector_store(v, i, vector_add_scaled(vector_load(v, i), normal, 0.0f - push));
    }
  }
}
