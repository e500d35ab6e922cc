#pragma once
#include "law.h"

/*
 * Plane projection of SimCloth3: a particle is pulled to the plane through the mean of its four neighbours, whose
 * normal n is that of the vectors between opposite neighbours: k s n on it, -k s n / 4 on each neighbour, with s its
 * distance from the plane. Where cells are u x v, not square, neighbours weigh coefficient / 4 along warp and weft, 2
 * v^2 / (u^2 + v^2) and 2 u^2 / (u^2 + v^2), so that s follows the sum of both curvatures. Saddles, whose curvatures
 * have the sum 0, are not resisted, so that free edges curl. n counts as constant, so this is no energy; and as the
 * plane passes through the mean rather than the particle's foot, a skew star leaves a torque. Edges lead from the
 * particle to the neighbours before and after it along the warp, then the weft.
 */

#define PLANE_PACKED 3

/* Squared area [m^4] that smaller normals count as having. */
#define PLANE_MIN_SQUARED 1.0e-20f

/* The sum of the vectors to the neighbours, each times its coefficient. */
CLOTH_INLINE lanes3 plane_sum(const method_law *l, const lanes3 *e) {
  return lanes3_add(lanes3_scale(lanes3_add(e[0], e[1]), lanes_splat(l->coefficient[0])),
                    lanes3_scale(lanes3_add(e[2], e[3]), lanes_splat(l->coefficient[1])));
}

/* What the particle gains from the neighbours, each times its coefficient. */
CLOTH_INLINE void plane_spread(const method_law *l, lanes3 pull, lanes3 *pulls) {
  pulls[0] = pulls[1] = lanes3_scale(pull, lanes_splat(l->coefficient[0]));
  pulls[2] = pulls[3] = lanes3_scale(pull, lanes_splat(l->coefficient[1]));
}

CLOTH_INLINE void plane_pulls(const method_law *l, const law_elements *in, law_pulls *out) {
  const lanes quarter = lanes_splat(0.25f), tau = lanes_splat(l->tau), eta = lanes_splat(l->damping);
  const lanes3 along = lanes3_subtract(in->d[1], in->d[0]), across = lanes3_subtract(in->d[3], in->d[2]);
  const lanes3 area = lanes3_flush(lanes3_cross(along, across));
  const lanes squared = lanes_maximum(lanes3_dot(area, area), lanes_splat(PLANE_MIN_SQUARED));
  const lanes inverse = lanes_divide(lanes_splat(1.0f), lanes_square_root(squared));
  const lanes3 n = lanes3_quantise(lanes3_scale(area, inverse), STATE_ROUNDER);
  const lanes3 sum = lanes3_add_scaled(plane_sum(l, in->d), plane_sum(l, in->v), eta);
  const lanes stiffness = lanes_multiply(in->scale, lanes_multiply(tau, lanes_splat(l->stiffness)));
  const lanes height = lanes_multiply(quarter, lanes3_dot(n, sum));
  plane_spread(l, lanes3_scale(n, lanes_multiply(quarter, lanes_multiply(stiffness, height))), out->along);
  const lanes root = lanes_square_root(lanes_flush(lanes_multiply(stiffness, lanes_add(tau, eta))));
  pack_vector(out, 0, lanes3_scale(n, lanes_multiply(quarter, root)));
}

CLOTH_INLINE void plane_tangent(const method_law *l, const lanes *packed, const lanes3 *e, lanes3 *pulls) {
  const lanes3 n = packed_vector(packed, 0);
  plane_spread(l, lanes3_scale(n, lanes3_dot(n, plane_sum(l, e))), pulls);
}
