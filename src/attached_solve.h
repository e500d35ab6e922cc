#pragma once
#include "access.h"
#include "bodies.h"
#include "compiler.h"
#include "scalar.h"
#include "types.h"

/// Attached particles in the solve ///

/*
 * In the linear solve a particle that is attached to a body is no pin: it gives way with the mass that the body has
 * where it gives way most, see attached_mobility(). So the springs know how much a light body yields to them, as those
 * that are projected do. What the particle would then move by, times that mass, and what the solve has left over is the
 * impulse on the body.
 *
 * In: mobilities, which are not 0 for attached particles during a solve; scratch.direction, scratch.solution. Out: what
 * the masses of bodies add to scratch.product, scratch.inverse and, after the solve, to scratch.residual.
 */

#if WITH_SOLVER && WITH_BODIES

/* Mass ratio with which the particle of attachment n takes part in the solve; 0: a pin. */
static float attached_mass(const cloth *c, int32_t n) {
  const float mobility = floats_at(c, c->scratch.mobility)[attachments_of(c)[n].particle];
  return mobility > 0.0f ? 1.0f / mobility : 0.0f;
}

/* The same over the mass ratio that the operator has without bodies. */
static float added_mass(const cloth *c, int32_t n) {
  const float mass = attached_mass(c, n);
  return mass > 0.0f ? mass - mass_ratio_at(c, attachments_of(c)[n].particle) : 0.0f;
}

/* Adds to product = A direction. Returns what is added to direction . product. */
static float add_attached_product(const cloth *c) {
  const vector_array p = vectors_at(c, c->scratch.direction), q = vectors_at(c, c->scratch.product);
  float sum = 0.0f;
  for (int32_t n = 0; n < inputs_of(c)->attachment_count; n++) {
    const int32_t i = attachments_of(c)[n].particle;
    const cloth_vector direction = vector_load(p, i);
    const cloth_vector more = vector_flush_work(vector_scale(direction, added_mass(c, n)));
    vector_store(q, i, vector_add(vector_load(q, i), more));
    sum += vector_dot(direction, more);
  }
  return sum;
}

/* Adds to the diagonal blocks. */
static void add_attached_blocks(const cloth *c) {
  for (int32_t n = 0; n < inputs_of(c)->attachment_count; n++) {
    float *block = floats_at(c, c->scratch.inverse) + attachments_of(c)[n].particle;
    for (int32_t entry = 0; entry < 3; entry++) {
      block[entry * c->stride] += added_mass(c, n);
    }
  }
}

/* Adds to what the solve has left over what it has moved attached particles by. */
static void add_attached_solution(const cloth *c) {
  const vector_array y = vectors_at(c, c->scratch.solution), r = vectors_at(c, c->scratch.residual);
  for (int32_t n = 0; n < inputs_of(c)->attachment_count; n++) {
    const int32_t i = attachments_of(c)[n].particle;
    const cloth_vector moved = vector_flush_work(vector_scale(vector_load(y, i), attached_mass(c, n)));
    vector_store(r, i, vector_add(vector_load(r, i), moved));
  }
}

#endif
