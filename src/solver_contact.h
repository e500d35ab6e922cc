#pragma once
#include "access.h"
#include "compiler.h"
#include "contact.h"
#include "contact_links.h"
#include "contact_record.h"
#include "contact_response.h"
#include "contact_sums.h"
#include "costs.h"
#include "geometry.h"
#include "lanes.h"
#include "left_over.h"
#include "rigid.h"
#include "scalar.h"
#include "shapes.h"
#include "types.h"

/// Contact in the solver ///

/*
 * Contact as a constraint of the linear solve (thesis section 3.4.2): a particle in contact moves with the collider's
 * surface, along the normal if it slides, in all directions if it sticks. The constraint force is the residual of the
 * solve. A force that pulls releases the particle; one whose tangential part exceeds static friction makes it slide
 * from the next solve on, against kinetic friction.
 *
 * In: positions, velocities, contact words (state), colliders, the plan. Out: contact words, velocities, reactions,
 * statistics. Scratch: find_solver_contacts() leaves the normals in contact_normal and the prescribed velocity changes
 * z in direction; resolve_contacts() reads the residual b - A x that the solve leaves, contact_normal and mobility;
 * remove_push_velocities() reads contact_normal. All use workspace.body.
 */

/* Adds to a collider's reaction the opposite of an impulse on one particle at `position`. */
static void add_reaction(const cloth *c, const moving_body *m, cloth_vector position, cloth_vector impulse) {
  cloth_vector arm = vector_flush_work(vector_subtract(position, m->pivot));
  impulse = vector_flush(impulse, INPUT_QUANTUM);
  react(c, m, impulse, vector_cross(arm, impulse));
}

/* Share of a penetration that a substep takes back; the rest keeps the particle in contact (thesis section 3.4.2). */
#define CONTACT_RELAXATION 0.9f
/* A particle slower than this along a surface that it has just met sticks to it [m/s]. With 0 a sheet that friction
   should hold creeps, with 0.5 a sheet that should slide is held (row A12 of `make accuracy` fails with either). */
#define STICK_SPEED 0.02f
/* A released particle that returns no faster than this stays free [m/s], so that the solve can lift it off. With 0.1
   particles at rest sink into colliders by a sixth of the thickness (expect_rest_on() in tests/contact.c fails). */
#define RELEASE_SPEED 1.0e-3f
/* A particle in contact stays in contact until it is this far outside the thickness [m]. With 0 contacts come and go
   with every substep: sheets that should slide stop, and sheets that friction should hold creep (test_incline and row
   A12 of `make accuracy` fail). */
#define CONTACT_SLOP 1.0e-4f

/* The collider that a particle at p is deepest in when the substep starts, deeper than `min_depth` [m]. Returns the
   collider's index, with the normal and depth, or -1. Depths count from the thickness around the surface. */
static int32_t deepest_body(const cloth *c, const step_plan *plan, int32_t substep, cloth_vector p, float min_depth,
                            cloth_vector *normal, float *depth) {
  int32_t deepest = -1;
  *depth = min_depth;
  for (int32_t index = 0; index < inputs_of(c)->collider_end; index++) {
    if (!colliders_of(c)[index].used || !is_held_by_solver(c, index)) {
      continue;
    }
    const moving_body *m = body_in_substep(c, plan, index, substep);
    cloth_vector n;
    float inside = c->settings.contact.thickness -
                   distance_of_point(shape_of(c, m), geometry_of(c, shape_of(c, m)), to_local(&m->start, p), &n);
    if (inside > *depth) {
      *depth = inside;
      *normal = rotate(m->start.rotation, n);
      deepest = index;
    }
  }
  return deepest;
}

/* Mean velocity during the substep [m/s] of the point of a collider that is at p when the substep starts. */
static cloth_vector surface_velocity(const step_plan *plan, const moving_body *m, cloth_vector p) {
  cloth_vector moved = to_world(&m->end, to_local(&m->start, p));
  return vector_scale(vector_subtract(moved, p), plan->inverse_h);
}

/* Velocity along the normal that takes back CONTACT_RELAXATION of a penetration in one substep [m/s]. It moves the
   position and is then removed from the velocity, as it would otherwise throw the particle off the surface. */
static float push_speed(const step_plan *plan, float depth) {
  return CONTACT_RELAXATION * maximum(depth, 0.0f) * plan->inverse_h;
}

/* Depth of a particle at p below the thickness around a collider when the substep starts [m]. */
static float depth_in_body(const cloth *c, const moving_body *m, cloth_vector p) {
  cloth_vector normal;
  return c->settings.contact.thickness -
         distance_of_point(shape_of(c, m), geometry_of(c, shape_of(c, m)), to_local(&m->start, p), &normal);
}

/* Does a collider let a particle go, or lift it out, because the cloth leads through it? Projection does so, see
   contact_links.h; the solve must not hold the particle then. */
static int is_left_to_projection(const cloth *c, const step_plan *plan, const moving_body *m, cloth_vector p,
                                 int32_t i) {
  const touching_particle particle = {p, i};
  const cloth_collider *body = shape_of(c, m);
  cloth_vector place;
  return may_let_go(plan, m) && has_inside(body) && answer_of(c, body, m, &particle, &place) != LINKS_NOTHING;
}

/* Sets up the constraint of one particle: its contact word, its normal, and the velocity change z that is prescribed in
   the constrained directions. Returns z, which is 0 without a constraint. */
static cloth_vector constrain_particle(const cloth *c, const step_plan *plan, int32_t substep, int32_t i) {
  uint32_t *info = &contact_info_of(c)[i];
  uint32_t info_before = *info;
  uint32_t kind_before = CONTACT_KIND(info_before);
  cloth_vector p = vector_load(vectors_at(c, c->state.position), i);
  cloth_vector v = vector_load(vectors_at(c, c->state.velocity), i);
  cloth_vector zero = vector(0.0f, 0.0f, 0.0f);
  cloth_vector normal;
  float depth;
  int32_t index = -1;
  if ((freedom_of(c)[i] & FREEDOM_MASK) == FREEDOM_FREE) {
    float min_depth = kind_before == CONTACT_STICK || kind_before == CONTACT_SLIDE ? negate(CONTACT_SLOP) : 0.0f;
    index = deepest_body(c, plan, substep, p, min_depth, &normal, &depth);
  }
  *info = CONTACT_NONE;
  if (index < 0) {
    return zero;
  }
  const moving_body *m = body_in_substep(c, plan, index, substep);
  if (is_left_to_projection(c, plan, m, p, i)) {
    return zero;
  }
  cloth_vector relative = vector_flush_work(vector_subtract(v, surface_velocity(plan, m, p)));
  normal = vector_flush_work(normal);
  float outward = flush_small(vector_dot(relative, normal), WORK_QUANTUM);
  if (kind_before == CONTACT_RELEASED && outward > negate(RELEASE_SPEED)) {
    *info = CONTACT_WORD(index, 0, CONTACT_RELEASED);
    return zero;
  }
  float target = push_speed(plan, depth);
  cloth_vector slip = vector_add_scaled(relative, normal, negate(outward));
  int sticks = kind_before == CONTACT_STICK || (kind_before != CONTACT_SLIDE && vector_length(slip) < STICK_SPEED);
  uint32_t dwell = kind_before == CONTACT_SLIDE ? CONTACT_DWELL(info_before) : SLIDE_DWELL;
  *info = CONTACT_WORD(index, sticks ? 0 : dwell, sticks ? CONTACT_STICK : CONTACT_SLIDE);
  vector_store(vectors_at(c, c->scratch.contact_normal), i, normal);
  cloth_vector change = vector_scale(normal, target - outward);
  return vector_flush_work(sticks ? vector_subtract(change, slip) : change);
}

/* Finds the contacts of a substep, and leaves the prescribed velocity changes z in scratch.direction. Returns how many
   particles are constrained. */
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

/* The constraint force on a particle as a velocity change times the mass ratio [m/s]: the opposite of the residual,
   which the solve does not project (thesis section 3.4.2). The residual of a particle that slides is used along the
   normal only: in the directions that are free it is the error of the solve. The velocity `push` out of a penetration,
   which is removed again, is not part of the force. */
static cloth_vector constraint_force(const cloth *c, int32_t i, float push) {
  cloth_vector normal = vector_load(vectors_at(c, c->scratch.contact_normal), i);
  cloth_vector residual = vector_load(vectors_at(c, c->scratch.residual), i);
  if (CONTACT_KIND(contact_info_of(c)[i]) == CONTACT_SLIDE) {
    residual = vector_scale(normal, vector_dot(residual, normal));
  }
  return vector_add_scaled(vector_scale(residual, -1.0f), normal, negate(push * mass_ratio_at(c, i)));
}

/* A coefficient of friction of a particle that a force presses against a collider, given as a velocity change times the
   mass ratio [m/s]: less where links lead steeply into the collider, see contact_links.h. */
static float friction_at(const cloth *c, const step_plan *plan, const moving_body *m, int32_t i, float coefficient,
                         float normal_force) {
  const float pressed = normal_force * floats_at(c, c->scratch.mobility)[i] * plan->h;
  if (shape_of(c, m)->shape == CLOTH_SHAPE_PLANE || !(pressed > link_pressure(c))) {
    return coefficient;
  }
  const touching_particle particle = {vector_load(vectors_at(c, c->state.position), i), i};
  const link_report report = report_links(c, shape_of(c, m), m, &particle);
  lanes3 link[4];
  for (int32_t direction = 0; direction < 4; direction++) {
    link[direction] = lanes3_splat(report.ends[direction]);
  }
  const lanes3 normal = lanes3_splat(vector_load(vectors_at(c, c->scratch.contact_normal), i));
  return lanes_first_value(bent_friction(coefficient, link_share(link, normal)));
}

/*
 * Draws the consequences of the constraint force on one particle, and returns the velocity change to add. A force that
 * pulls releases the particle, and one beyond static friction lets it slide; both take effect in the next solve, as
 * taking a stiff constraint force back here, particle by particle, would be an explicit step of a stiff spring. A
 * particle that slides relative to the surface at velocity `relative` is slowed by kinetic friction, which can only
 * reduce its speed; if that stops it and it has slid for SLIDE_DWELL substeps it sticks.
 */
static cloth_vector resolve_contact(const cloth *c, const step_plan *plan, const moving_body *m, int32_t i,
                                    cloth_vector relative, cloth_vector force) {
  uint32_t *info = &contact_info_of(c)[i];
  uint32_t dwell = CONTACT_DWELL(*info);
  cloth_vector zero = vector(0.0f, 0.0f, 0.0f);
  cloth_vector normal = vector_load(vectors_at(c, c->scratch.contact_normal), i);
  float normal_force = vector_dot(force, normal);
  if (normal_force < 0.0f) {
    *info = CONTACT_WORD(m->index, 0, CONTACT_RELEASED);
    return zero;
  }
  if (CONTACT_KIND(*info) == CONTACT_STICK) {
    float tangential_force = vector_length(vector_add_scaled(force, normal, negate(normal_force)));
    int slips = tangential_force > friction_at(c, plan, m, i, static_friction_of(c, m), normal_force) * normal_force;
    *info = slips ? CONTACT_WORD(m->index, SLIDE_DWELL, CONTACT_SLIDE) : *info;
    return zero;
  }
  cloth_vector slip = vector_add_scaled(relative, normal, negate(vector_dot(relative, normal)));
  float speed = vector_length(slip);
  float coefficient = friction_at(c, plan, m, i, kinetic_friction_of(c, m), normal_force);
  float max_friction = coefficient * normal_force * floats_at(c, c->scratch.mobility)[i];
  int stops = speed <= max_friction;
  int sticks = stops && dwell == 0;
  *info = CONTACT_WORD(m->index, dwell > 0 ? dwell - 1 : 0, sticks ? CONTACT_STICK : CONTACT_SLIDE);
  return vector_scale(slip, stops ? -1.0f : negate(max_friction / speed));
}

/* Friction, release and reactions of all contacts, after the solve has changed the velocities. */
CLOTH_SEPARATE void resolve_contacts(const cloth *c, const step_plan *plan, int32_t substep, const left_over *rest,
                                     cloth_statistics *counts) {
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
    const cloth_vector more = received_of(c, rest, i);
    cloth_vector change = resolve_contact(c, plan, m, i, relative, force);
    vector_store(v, i, vector_add(vector_load(v, i), change));
    cloth_vector received = vector_subtract(vector_add_scaled(force, change, mass_ratio_at(c, i)), more);
    const int32_t is_held = CONTACT_KIND(contact_info_of(c)[i]) != CONTACT_RELEASED;
    const cloth_vector impulse = vector_scale(received, reference_mass(c));
    add_reaction(c, m, p, impulse);
#if WITH_CONTACT_RECORD
    if (has_contact_record(c)) {
      add_varying_work(c, 1, COST_RECORD);
      record_contact(c, is_held ? m->substep : -1, i, m->index, p,
                     vector_load(vectors_at(c, c->scratch.contact_normal), i), impulse);
    }
#endif
    counts->contacts += is_held;
    counts->contacts_sticking += CONTACT_KIND(contact_info_of(c)[i]) == CONTACT_STICK;
  }
}

/* Makes the particles that the solve holds pins for the solves along lines (`hold` 1), and free again (0): what lies
   between them then bends as if it were clamped there. */
CLOTH_SEPARATE void hold_contacts(const cloth *c, int32_t hold) {
  float *mobility = floats_at(c, c->scratch.mobility);
  for (int32_t i = 0; i < c->count; i++) {
    const uint32_t kind = CONTACT_KIND(contact_info_of(c)[i]);
    if (kind == CONTACT_STICK || kind == CONTACT_SLIDE) {
      mobility[i] = hold ? 0.0f : 1.0f / mass_ratio_at(c, i);
    }
  }
}

/* Removes the velocities out of penetrations, push_speed(), once they have moved the positions. A particle that this
   substep released keeps its velocity: the constraint held it back, it did not push it. */
CLOTH_SEPARATE void remove_push_velocities(const cloth *c, const step_plan *plan, int32_t substep) {
  vector_array v = vectors_at(c, c->state.velocity);
  for (int32_t i = 0; i < c->count; i++) {
    uint32_t info = contact_info_of(c)[i];
    if (CONTACT_KIND(info) == CONTACT_STICK || CONTACT_KIND(info) == CONTACT_SLIDE) {
      const moving_body *m = body_in_substep(c, plan, CONTACT_COLLIDER(info), substep);
      float push = push_speed(plan, depth_in_body(c, m, vector_load(vectors_at(c, c->state.position), i)));
      cloth_vector normal = vector_load(vectors_at(c, c->scratch.contact_normal), i);
      vector_store(v, i, vector_add_scaled(vector_load(v, i), normal, negate(push)));
    }
  }
}
