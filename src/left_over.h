#pragma once
#include "access.h"
#include "compiler.h"
#include "confinement.h"
#include "gaps.h"
#include "lanes.h"
#include "pin_reactions.h"
#include "scalar.h"
#include "types.h"

/// What a solve leaves over ///

/*
 * The residual of a solve at particles that are held, along the directions that they are held in, is the force of what
 * holds them: pins, confinements, contacts of the solver. In the directions that are free it is an error, and if the
 * solve was cut short not a small one: it bears a part of the weight that nobody feels. With four iterations a sheet on
 * a sphere gave the sphere 0.2 to 0.9 of its weight. So reactions take it on: what holds the cloth receives the sum of
 * what is left over as well, shared by the size of the forces. Then reactions are again what the cloth's momentum
 * lacks, in every solve.
 *
 * In: scratch.residual, contact_normal, contacts, confinements. Out: own.pin_reactions. Scratch: none.
 */

/* The sum of what is left over, for each unit of force of what holds the cloth [1]. */
typedef struct left_over {
  cloth_vector share;
} left_over;

static left_over no_left_over(void) {
  const left_over none = {{0.0f, 0.0f, 0.0f}};
  return none;
}

/* The part of the residual that a particle's pin or contact holds; that of a confinement with what it leaves free. */
static cloth_vector held_residual(const cloth *c, int32_t i) {
  const cloth_vector residual = vector_load(vectors_at(c, c->scratch.residual), i);
  const uint32_t kind = has_solver_contacts(c) ? CONTACT_KIND(contact_info_of(c)[i]) : CONTACT_NONE;
  if (is_gap(c, i, GAP_PARTICLE)) {
    return vector(0.0f, 0.0f, 0.0f);
  }
  if ((freedom_of(c)[i] & FREEDOM_MASK) != FREEDOM_FREE || kind == CONTACT_STICK) {
    return residual;
  }
  if (kind == CONTACT_SLIDE) {
    const cloth_vector normal = vector_load(vectors_at(c, c->scratch.contact_normal), i);
    return vector_scale(normal, flush_small(vector_dot(residual, normal), WORK_QUANTUM));
  }
  return vector(0.0f, 0.0f, 0.0f);
}

/* Sums up what the solve of a substep has left over. */
CLOTH_SEPARATE left_over sum_left_over(const cloth *c) {
  cloth_vector sum = {0.0f, 0.0f, 0.0f};
  float force = 0.0f;
  for (int32_t i = 0; i < c->count; i++) {
    if (is_gap(c, i, GAP_PARTICLE)) {
      continue;
    }
    const cloth_vector held = held_residual(c, i);
    const cloth_vector error = vector_subtract(vector_load(vectors_at(c, c->scratch.residual), i), held);
    sum = vector_add(sum, vector_flush_work(error));
    force += vector_length(vector_flush_work(held));
  }
  for (int32_t n = 0; WITH_CONFINED && n < inputs_of(c)->confined_count; n++) {
    const confinement *entry = &confined_of(c)[n];
    const cloth_vector residual = vector_load(vectors_at(c, c->scratch.residual), entry->particle);
    sum = vector_add(sum, vector_flush_work(confine_vector(entry, residual)));
  }
  const left_over found = {vector_scale(vector_flush_work(sum), force > WORK_QUANTUM ? 1.0f / force : 0.0f)};
  return vector_is_finite(found.share) ? found : no_left_over();
}

/* What a held particle receives of it, as a velocity change times the mass ratio [m/s]. */
static cloth_vector received_of(const cloth *c, const left_over *rest, int32_t i) {
  const float force = vector_length(vector_flush_work(held_residual(c, i)));
  return vector_flush_work(vector_scale(vector_flush_work(rest->share), force));
}

#if WITH_BODIES

/* Notes what forces, or a solve, have left over at the pins: scratch.residual, gravity and air included. */
CLOTH_SEPARATE void note_residuals(const cloth *c, const left_over *rest) {
  for (int32_t i = 0; i < c->count; i++) {
    if (is_pinned(c, i) && !is_gap(c, i, GAP_PARTICLE)) {
      note_change(c, i, vector_add(vector_load(vectors_at(c, c->scratch.residual), i), received_of(c, rest, i)));
    }
  }
}

/* Notes what a solve has left over at confined particles, in the directions that they are held in. */
CLOTH_SEPARATE void note_confined_residuals(const cloth *c, const left_over *rest) {
  for (int32_t n = 0; WITH_CONFINED && n < inputs_of(c)->confined_count; n++) {
    const confinement *entry = &confined_of(c)[n];
    const cloth_vector residual = vector_load(vectors_at(c, c->scratch.residual), entry->particle);
    const cloth_vector held = vector_subtract(residual, confine_vector(entry, residual));
    note_change(c, entry->particle, vector_add(held, received_of(c, rest, entry->particle)));
  }
}

#endif
