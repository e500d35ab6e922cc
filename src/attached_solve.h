#pragma once
#include "access.h"
#include "block3.h"
#include "bodies.h"
#include "bodies/list.h"
#include "compiler.h"
#include "lanes.h"
#include "rigid.h"
#include "scalar.h"
#include "types.h"

/// Attached particles in the solve ///

/*
 * In the linear solve a particle that is attached to a body is no pin: it gives way with the mass that the body has
 * at that point. So the springs know how much a light body yields to them, as those that are projected do. The impulse
 * on the body is that mass times what the solve changes the velocity of the particle by, and what the solve leaves
 * over.
 *
 * In: mobilities, which are not 0 for these particles during a solve; bodies; scratch.direction, scratch.solution. Out:
 * what the masses of bodies add to scratch.product, scratch.inverse and, after the solve, to scratch.residual.
 */

#if WITH_BODIES

/* Mass, over the reference mass, with which the particle of attachment n takes part in the solve, along and across the
   arm that it has on the body: the inverse of w I + sum over the body's axes of j u u^T, where w is the inverse of the
   body's mass, j that of its inertia about an axis, and u the moment about it that forces on the particle have. Each of
   several particles counts an equal part of the body. */
CLOTH_SEPARATE symmetric attached_mass(const cloth *c, int32_t n, const rigid_body *b) {
  const attachment *a = &attachments_of(c)[n];
  const float part = reference_mass(c) * (float)count_attached(c, b);
  const cloth_rotation q = colliders_of(c)[a->collider].body.pose.rotation;
  const cloth_vector arm = vector_flush(a->point, STATE_QUANTUM);
  const cloth_vector axes[3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
  const cloth_vector moments = inertia_of(c, b);
  const float inertia[3] = {moments.x, moments.y, moments.z};
  const lanes least = lanes_splat(part * inverse_mass_of(c, b));
  symmetric inverse = symmetric_identity(least);
  for (int32_t k = 0; k < 3; k++) {
    const cloth_vector moment = vector_flush_work(rotate(q, vector_flush_work(vector_cross(axes[k], arm))));
    const cloth_vector turned = vector_flush_work(vector_scale(moment, part * inverse_or_zero(inertia[k])));
    symmetric_add_outer(&inverse, lanes3_splat(turned), lanes3_splat(moment), lanes_splat(0.0f));
  }
  return symmetric_inverse(symmetric_quantise(inverse), least);
}

/* The body of attachment n, if its particle takes part in the solve. */
static const rigid_body *solved_body(const cloth *c, int32_t n) {
  const attachment *a = &attachments_of(c)[n];
  return floats_at(c, c->scratch.mobility)[a->particle] > 0.0f ? find_body(c, a->collider) : NULL;
}

/* The mass of attachment n times a vector. */
static cloth_vector apply_attached_mass(const cloth *c, int32_t n, const rigid_body *b, cloth_vector a) {
  return vector_flush_work(lanes3_first(symmetric_apply(attached_mass(c, n, b), lanes3_splat(a))));
}

/* Adds to product = A direction what the masses are more than those of the particles. Returns what is added to
   direction . product. */
static float add_attached_product(const cloth *c) {
  const vector_array p = vectors_at(c, c->scratch.direction), q = vectors_at(c, c->scratch.product);
  float sum = 0.0f;
  for (int32_t n = 0; n < inputs_of(c)->attachment_count; n++) {
    const rigid_body *b = solved_body(c, n);
    if (b) {
      const int32_t i = attachments_of(c)[n].particle;
      const cloth_vector direction = vector_load(p, i);
      cloth_vector more = apply_attached_mass(c, n, b, direction);
      more = vector_flush_work(vector_add_scaled(more, direction, negate(mass_ratio_at(c, i))));
      vector_store(q, i, vector_add(vector_load(q, i), more));
      sum += vector_dot(direction, more);
    }
  }
  return sum;
}

/* Adds the same to the diagonal blocks. */
static void add_attached_blocks(const cloth *c) {
  for (int32_t n = 0; n < inputs_of(c)->attachment_count; n++) {
    const rigid_body *b = solved_body(c, n);
    if (b) {
      const int32_t i = attachments_of(c)[n].particle;
      const symmetric m = symmetric_quantise(attached_mass(c, n, b));
      const lanes less = lanes_splat(mass_ratio_at(c, i));
      const lanes entries[6] = {
          lanes_subtract(m.xx, less), lanes_subtract(m.yy, less), lanes_subtract(m.zz, less), m.xy, m.xz, m.yz};
      for (int32_t k = 0; k < 6; k++) {
        float *entry = floats_at(c, c->scratch.inverse) + k * c->stride + i;
        *entry = quantise(*entry + lanes_first_value(entries[k]), WORK_ROUNDER);
      }
    }
  }
}

/* Adds to what the solve has left over the momentum of attached particles by it. */
static void add_attached_solution(const cloth *c) {
  const vector_array y = vectors_at(c, c->scratch.solution), r = vectors_at(c, c->scratch.residual);
  for (int32_t n = 0; n < inputs_of(c)->attachment_count; n++) {
    const rigid_body *b = solved_body(c, n);
    if (b) {
      const int32_t i = attachments_of(c)[n].particle;
      const cloth_vector change = vector_flush_work(vector_load(y, i));
      vector_store(r, i, vector_add(vector_load(r, i), apply_attached_mass(c, n, b, change)));
    }
  }
}

#endif
