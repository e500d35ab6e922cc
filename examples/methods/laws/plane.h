#pragma once
#include "law.h"

/*
 * Plane projection of SimCloth3: a particle is pulled to the plane through the mean of its four neighbours, whose
 * normal n is that of the vectors between opposite neighbours: k s n on it, -k s n / 4 on each neighbour, with s its
 * distance from the plane. n counts as constant, so this is no energy; and as the plane passes through the mean rather
 * than the particle's foot, a skew star leaves a torque. Edges lead from the particle to the neighbours before and
 * after it along the warp, then the weft.
 */

#define PLANE_PACKED 3

/* Squared area [m^4] that smaller normals count as having. */
#define PLANE_MIN_SQUARED 1.0e-20f

CLOTH_INLINE void plane_pulls(const method_law *l, const law_elements *in, law_pulls *out) {
  const lanes quarter = lanes_splat(0.25f), tau = lanes_splat(l->tau), eta = lanes_splat(l->damping);
  const lanes3 along = lanes3_subtract(in->d[1], in->d[0]), across = lanes3_subtract(in->d[3], in->d[2]);
  const lanes3 area = lanes3_flush(lanes3_cross(along, across));
  const lanes squared = lanes_maximum(lanes3_dot(area, area), lanes_splat(PLANE_MIN_SQUARED));
  const lanes inverse = lanes_divide(lanes_splat(1.0f), lanes_square_root(squared));
  const lanes3 n = lanes3_quantise(lanes3_scale(area, inverse), STATE_ROUNDER);
  lanes3 sum = lanes3_add(lanes3_add(in->d[0], in->d[1]), lanes3_add(in->d[2], in->d[3]));
  lanes3 rate = lanes3_add(lanes3_add(in->v[0], in->v[1]), lanes3_add(in->v[2], in->v[3]));
  sum = lanes3_add_scaled(sum, rate, eta);
  const lanes stiffness = lanes_multiply(in->scale, lanes_multiply(tau, lanes_splat(l->stiffness)));
  const lanes height = lanes_multiply(quarter, lanes3_dot(n, sum));
  const lanes3 pull = lanes3_scale(n, lanes_multiply(quarter, lanes_multiply(stiffness, height)));
  for (int32_t edge = 0; edge < 4; edge++) {
    out->along[edge] = pull;
  }
  const lanes root = lanes_square_root(lanes_flush(lanes_multiply(stiffness, lanes_add(tau, eta))));
  pack_vector(out, 0, lanes3_scale(n, lanes_multiply(quarter, root)));
}

CLOTH_INLINE void plane_tangent(const lanes *packed, const lanes3 *e, lanes3 *pulls) {
  const lanes3 n = packed_vector(packed, 0);
  const lanes3 sum = lanes3_add(lanes3_add(e[0], e[1]), lanes3_add(e[2], e[3]));
  const lanes3 pull = lanes3_scale(n, lanes3_dot(n, sum));
  for (int32_t edge = 0; edge < 4; edge++) {
    pulls[edge] = pull;
  }
}
