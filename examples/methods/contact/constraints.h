#pragma once
#include "../equation.h"
#include "colliders.h"

/// Contacts that the solve holds ///

/*
 * Contact as a constraint of the linear solve (thesis section 3.4.2): a particle in contact moves with the collider's
 * surface, along the normal if it slides, in all directions if it sticks. The constraint force is the residual of the
 * solve. A force that pulls releases the particle; one whose tangential part exceeds static friction makes it slide
 * from the next solve on, against kinetic friction.
 *
 * Normals are FIELD_NORMAL, the prescribed velocity changes z FIELD_PRESCRIBED. The contact words outlast a step.
 */

enum { HELD_NONE, HELD_STICKS, HELD_SLIDES, HELD_RELEASED };
/* One word per particle: the kind (2 bits), how many substeps it still has to slide (3 bits), the collider's index. */
#define HELD_KIND(info) ((info)&3u)
#define HELD_DWELL(info) (((info) >> 2) & 7u)
#define HELD_COLLIDER(info) ((int32_t)((info) >> 5))
#define HELD_WORD(collider, dwell, kind) (((uint32_t)(collider) << 5) | ((uint32_t)(dwell) << 2) | (uint32_t)(kind))
/* A particle that starts to slide slides for at least this many substeps before it may stick again. With 0 or 1
   neighbours hold each other by turns, and a sheet that has to slide stays where it is. At most 7. */
#define SLIDE_DWELL 4u
/* Share of a penetration that a substep takes back; the rest keeps the particle in contact (thesis section 3.4.2). */
#define CONTACT_RELAXATION 0.9f
/* A particle slower than this along a surface that it has just met sticks to it [m/s]. With 0 a sheet that friction
   should hold creeps, with 0.5 a sheet that should slide is held. */
#define STICK_SPEED 0.02f
/* A released particle that returns no faster than this stays free [m/s], so that the solve can lift it off. */
#define RELEASE_SPEED 1.0e-3f
/* A particle in contact stays in contact until it is this far outside the thickness [m]. With 0 contacts come and go
   with every substep. */
#define CONTACT_SLOP 1.0e-4f

static uint32_t *held_words(const method_work *w) {
  return (uint32_t *)(void *)(w->floats + w->contacts);
}

static int is_held_kind(uint32_t word) {
  return HELD_KIND(word) == HELD_STICKS || HELD_KIND(word) == HELD_SLIDES;
}

/* The collider that a particle at p is deepest in when the substep starts, deeper than `least` [m]. Returns its index,
   with the normal and depth, or -1. Depths count from the thickness around the surface. */
static int32_t deepest_body(const method_work *w, int32_t substep, cloth_vector p, float least, cloth_vector *normal,
                            float *depth) {
  int32_t deepest = -1;
  *depth = least;
  for (int32_t index = 0; index < inputs_of(w->c)->collider_end; index++) {
    if (is_collider(w->c, index)) {
      const method_body b = method_body_of(w, index, substep);
      cloth_vector n;
      const float inside = depth_in_body(w, &b, p, &n);
      if (inside > *depth) {
        *depth = inside;
        *normal = n;
        deepest = index;
      }
    }
  }
  return deepest;
}

/* Mean velocity during the substep [m/s] of the point of a collider that is at p when the substep starts. */
static cloth_vector surface_velocity(const method_work *w, const method_body *b, cloth_vector p) {
  const cloth_vector moved = to_world(&b->end, to_local(&b->start, p));
  return vector_scale(vector_flush_work(vector_subtract(moved, p)), 1.0f / w->k);
}

/* Velocity along the normal that takes back CONTACT_RELAXATION of a penetration in one substep [m/s]. It moves the
   position and is then removed from the velocity, as it would otherwise throw the particle off the surface. */
static float push_speed(const method_work *w, float depth) {
  return CONTACT_RELAXATION * maximum(depth, 0.0f) / w->k;
}

/* push_speed() of a particle that a collider holds. */
static float push_of(const method_work *w, const method_body *b, int32_t i) {
  cloth_vector normal;
  return push_speed(w, depth_in_body(w, b, vector_load(w->x, i), &normal));
}

/* Sets up the constraint of a free particle: its contact word, its normal, and the velocity change z that is prescribed
   in the constrained directions. Returns z, which is 0 without a constraint. */
static cloth_vector constrain_particle(const method_work *w, int32_t substep, int32_t i) {
  uint32_t *word = &held_words(w)[i];
  const uint32_t before = *word;
  const cloth_vector p = vector_load(w->x, i), zero = vector(0.0f, 0.0f, 0.0f);
  cloth_vector normal;
  float depth;
  *word = HELD_NONE;
  const float least = is_held_kind(before) ? negate(CONTACT_SLOP) : 0.0f;
  const int32_t index = w->mobility[i] > 0.0f ? deepest_body(w, substep, p, least, &normal, &depth) : -1;
  if (index < 0) { return zero; }
  const method_body b = method_body_of(w, index, substep);
  const cloth_vector relative = vector_flush_work(vector_subtract(vector_load(w->v, i), surface_velocity(w, &b, p)));
  const float outward = flush_small(vector_dot(relative, normal), WORK_QUANTUM);
  if (HELD_KIND(before) == HELD_RELEASED && outward > negate(RELEASE_SPEED)) {
    *word = HELD_WORD(index, 0, HELD_RELEASED);
    return zero;
  }
  const cloth_vector slip = vector_add_scaled(relative, normal, negate(outward));
  const int sticks =
      HELD_KIND(before) == HELD_STICKS || (HELD_KIND(before) != HELD_SLIDES && vector_length(slip) < STICK_SPEED);
  const uint32_t dwell = HELD_KIND(before) == HELD_SLIDES ? HELD_DWELL(before) : SLIDE_DWELL;
  *word = HELD_WORD(index, sticks ? 0 : dwell, sticks ? HELD_STICKS : HELD_SLIDES);
  vector_store(field(w, FIELD_NORMAL), i, normal);
  const cloth_vector change = vector_scale(normal, push_speed(w, depth) - outward);
  return vector_flush_work(sticks ? vector_subtract(change, slip) : change);
}

/* Finds the contacts of a substep with normals and prescribed velocity changes. Normals of other particles are 0.
   Returns how many particles are constrained. */
static int32_t find_solver_contacts(const method_work *w, int32_t substep) {
  int32_t contacts = 0;
  fill_vectors(w->c, field(w, FIELD_NORMAL), 0.0f);
  for (int32_t i = 0; i < w->c->count; i++) {
    vector_store(field(w, FIELD_PRESCRIBED), i, constrain_particle(w, substep, i));
    contacts += is_held_kind(held_words(w)[i]);
  }
  return contacts;
}

/* The constraint force on a particle as a velocity change times the mass ratio [m/s]: the opposite of the residual,
   which the solve does not project (thesis section 3.4.2). The residual of a particle that slides is used along the
   normal only: in the directions that are free it is the error of the solve. The velocity `push` out of a penetration,
   which is removed again, is not part of the force. */
static cloth_vector constraint_force(const method_work *w, int32_t i, float push) {
  const cloth_vector normal = vector_load(field(w, FIELD_NORMAL), i);
  cloth_vector residual = vector_load(field(w, FIELD_LEFT_OVER), i);
  if (HELD_KIND(held_words(w)[i]) == HELD_SLIDES) {
    residual = vector_scale(normal, flush_small(vector_dot(residual, normal), WORK_QUANTUM));
  }
  const cloth_vector force = vector_scale(residual, -1.0f);
  return vector_flush_work(vector_add_scaled(force, normal, negate(push * mass_ratio_at(w->c, i))));
}

/*
 * Draws the consequences of the constraint force on one particle, and returns the velocity change to add. A force that
 * pulls releases the particle, and one beyond static friction lets it slide; both take effect in the next solve, as
 * taking a stiff constraint force back here, particle by particle, would be an explicit step of a stiff spring. A
 * particle that slides relative to the surface at velocity `relative` is slowed by kinetic friction, which can only
 * reduce its speed; if that stops it and it has slid for SLIDE_DWELL substeps it sticks.
 */
static cloth_vector resolve_contact(const method_work *w, const method_body *b, int32_t i, cloth_vector relative,
                                    cloth_vector force) {
  uint32_t *word = &held_words(w)[i];
  const uint32_t dwell = HELD_DWELL(*word);
  const cloth_vector zero = vector(0.0f, 0.0f, 0.0f), normal = vector_load(field(w, FIELD_NORMAL), i);
  const float pressed = flush_small(vector_dot(force, normal), WORK_QUANTUM);
  if (pressed < 0.0f) {
    *word = HELD_WORD(b->index, 0, HELD_RELEASED);
    return zero;
  }
  if (HELD_KIND(*word) == HELD_STICKS) {
    const float along = vector_length(vector_flush_work(vector_add_scaled(force, normal, negate(pressed))));
    *word = along > b->shape->static_friction * pressed ? HELD_WORD(b->index, SLIDE_DWELL, HELD_SLIDES) : *word;
    return zero;
  }
  const float outward = flush_small(vector_dot(relative, normal), WORK_QUANTUM);
  const cloth_vector slip = vector_flush_work(vector_add_scaled(relative, normal, negate(outward)));
  const float speed = vector_length(slip), most = b->shape->kinetic_friction * pressed * w->mobility[i];
  const int stops = speed <= most;
  *word = HELD_WORD(b->index, dwell > 0 ? dwell - 1 : 0, stops && dwell == 0 ? HELD_STICKS : HELD_SLIDES);
  return vector_flush_work(vector_scale(slip, stops ? -1.0f : negate(most / speed)));
}

/* Friction, release and reactions of all contacts, after the solve has changed the velocities v'. */
static void resolve_contacts(const method_work *w, int32_t substep) {
  const cloth *c = w->c;
  const vector_array rate = field(w, FIELD_RATE);
  for (int32_t i = 0; i < c->count; i++) {
    const uint32_t word = held_words(w)[i];
    if (!is_held_kind(word)) { continue; }
    const method_body b = method_body_of(w, HELD_COLLIDER(word), substep);
    const cloth_vector p = vector_load(w->x, i), v = vector_load(rate, i);
    const cloth_vector relative = vector_flush_work(vector_subtract(v, surface_velocity(w, &b, p)));
    const cloth_vector force = constraint_force(w, i, push_of(w, &b, i));
    const cloth_vector change = resolve_contact(w, &b, i, relative, force);
    vector_store(rate, i, vector_add(v, change));
    const uint32_t now = HELD_KIND(held_words(w)[i]);
    const method_touch t = {i, now != HELD_RELEASED, p, vector_load(field(w, FIELD_NORMAL), i),
                            vector_scale(vector_add_scaled(force, change, mass_ratio_at(c, i)), reference_mass(c))};
    report_touch(w, &b, &t);
    statistics_of(c)->contacts += now != HELD_RELEASED;
    statistics_of(c)->contacts_sticking += now == HELD_STICKS;
  }
}

/* Removes the velocities out of penetrations, push_speed(), from v' once they have moved the positions. A particle that
   this substep released keeps its velocity: the constraint held it back, it did not push it. */
static void remove_push_velocities(const method_work *w, int32_t substep) {
  const vector_array rate = field(w, FIELD_RATE);
  for (int32_t i = 0; i < w->c->count; i++) {
    const uint32_t word = held_words(w)[i];
    if (is_held_kind(word)) {
      const method_body b = method_body_of(w, HELD_COLLIDER(word), substep);
      const cloth_vector normal = vector_load(field(w, FIELD_NORMAL), i);
      vector_store(rate, i, vector_add_scaled(vector_load(rate, i), normal, negate(push_of(w, &b, i))));
    }
  }
}

/// Blocks of particles in a plane ///

/* Index in the order of symmetric of the entry in a row and a column. */
CLOTH_CONSTANT static const uint8_t plane_entry[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};

/* P = I - n n^T, the projection onto the plane with normal n. */
static void plane_projection(cloth_vector n, float p[3][3]) {
  const float axis[3] = {n.x, n.y, n.z};
  for (int r = 0; r < 3; r++) {
    for (int s = 0; s < 3; s++) {
      p[r][s] = (r == s ? 1.0f : 0.0f) - flush_small(axis[r] * axis[s], WORK_QUANTUM);
    }
  }
}

/* Replaces a block M, whose entries lie `stride` floats apart, by P M P. Two matrix products and not the shorter
   M - n (M n)^T - (M n) n^T + (n . M n) n n^T: its rounding errors leave a part along n, which costs iterations. */
static void project_block_to_plane(float *block, int32_t stride, cloth_vector n) {
  float p[3][3], pm[3][3];
  plane_projection(n, p);
  for (int r = 0; r < 3; r++) {
    for (int s = 0; s < 3; s++) {
      pm[r][s] = 0.0f;
      for (int t = 0; t < 3; t++) {
        pm[r][s] += p[r][t] * block[plane_entry[t][s] * stride];
      }
      pm[r][s] = flush_small(pm[r][s], WORK_QUANTUM);
    }
  }
  for (int r = 0; r < 3; r++) {
    for (int s = r; s < 3; s++) {
      float sum = 0.0f;
      for (int t = 0; t < 3; t++) {
        sum += pm[r][t] * p[t][s];
      }
      block[plane_entry[r][s] * stride] = quantise(sum, WORK_ROUNDER);
    }
  }
}

/* Replaces it by P M P + s n n^T, where s is the mean of the diagonal of M. Inverting follows. */
static void constrain_block_to_plane(float *block, int32_t stride, cloth_vector n) {
  const float axis[3] = {n.x, n.y, n.z};
  const float mean = (block[0] + block[stride] + block[2 * stride]) * ONE_THIRD;
  project_block_to_plane(block, stride, n);
  for (int r = 0; r < 3; r++) {
    for (int s = r; s < 3; s++) {
      block[plane_entry[r][s] * stride] += mean * flush_small(axis[r] * axis[s], WORK_QUANTUM);
    }
  }
}
