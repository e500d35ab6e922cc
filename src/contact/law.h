#pragma once
#include "../compiler.h"
#include "../scalar.h"

/// The contact law ///

/*
 * What keeps a particle out of something: a force along a normal that begins softly at a distance, the thickness T, and
 * grows with the depth q, in thicknesses:
 *
 *   lambda(q) = k_0 T q^2 (1 + 4 q), 0 for q <= 0, straight on above 2
 *
 * Where the contact will be in this substep is predicted from the particle alone: without it the depth would be q_f,
 * with C the particle's compliance along the normal, and with it Q, where both agree:
 *
 *   lambda(Q) = (T / C) (q_f - Q)
 *
 * The tangent at Q, not at the present depth, goes into the operator: contacts that switch on where they are alternate
 * for ever. At rest Q is the present depth and the tangent exact.
 */

/* A contact of a particle: its force is force n, its block stiffness n n^T. */
typedef struct contact_tangent {
  float force, stiffness;
} contact_tangent;

/* Depth in thicknesses from which the law goes straight on. */
#define DEEPEST 2.0f
/* Newton steps for the depth; from above they converge in a handful. */
#define DEPTH_STEPS 8

static float law_slope(float stiffness, float q) {
  return stiffness * q * (2.0f + 12.0f * q);
}

static float law_force(float stiffness, float thickness, float q) {
  return stiffness * thickness * (q * q) * (1.0f + 4.0f * q);
}

/* The depth Q at which the law and the particle agree. */
static float agreed_depth(float stiffness, float thickness, float compliance, float alone) {
  const float give = thickness / compliance;
  float q = minimum(alone, DEEPEST);
  for (int32_t n = 0; n < DEPTH_STEPS; n++) {
    const float off = law_force(stiffness, thickness, q) - give * (alone - q);
    q -= off / (law_slope(stiffness, q) * thickness + give);
    q = minimum(maximum(q, 0.0f), DEEPEST);
  }
  return q;
}

/* The contact of a particle at a gap from where the law ends, of this thickness, whose motion along the normal without
   it would be `moves` [m]; `compliance`: its own, 1 / (n . D n). Both parts are 0 where there is none. */
static contact_tangent contact_at(float stiffness, float thickness, float gap, float compliance, float moves) {
  contact_tangent t = {0.0f, 0.0f};
  const float depth = (thickness - gap) / thickness, alone = depth - moves / thickness;
  if (!(alone > 0.0f) || !(stiffness > 0.0f)) {
    return t;
  }
  const float q = agreed_depth(stiffness, thickness, compliance, alone);
  t.stiffness = flush_small(law_slope(stiffness, q), WORK_QUANTUM);
  t.force = law_force(stiffness, thickness, q) + t.stiffness * ((thickness - gap) - q * thickness);
  return t;
}
