#pragma once
#include "law.h"

/*
 * Energies k / 2 |c1 d1 + c2 d2 + c3 d3|^2: linear forces and a constant matrix. With the edges from the middle of
 * three particles to the other two, d1 + d2 is the second difference; with those from the corner of a cell to the
 * others, d3 - d1 - d2 is its twist. Bending of a plate by B / 2 (x_uu^2 + x_vv^2 + 2 x_uv^2) per area consists of
 * both.
 */

/* Packed: the matrix is this float times c c^T. */
#define LINEAR_PACKED 1

CLOTH_INLINE lanes3 linear_sum(const method_law *l, const lanes3 *e) {
  lanes3 sum = lanes3_scale(e[0], lanes_splat(l->coefficient[0]));
  for (int32_t n = 1; n < l->edges; n++) {
    sum = lanes3_add_scaled(sum, e[n], lanes_splat(l->coefficient[n]));
  }
  return sum;
}

CLOTH_INLINE void linear_spread(const method_law *l, lanes3 sum, lanes factor, lanes3 *pulls) {
  for (int32_t n = 0; n < l->edges; n++) {
    pulls[n] = lanes3_scale(sum, lanes_multiply(factor, lanes_splat(l->coefficient[n])));
  }
}

CLOTH_INLINE void linear_pulls(const method_law *l, const law_elements *in, law_pulls *out) {
  const lanes tau = lanes_splat(l->tau), eta = lanes_splat(l->damping);
  const lanes stiffness = lanes_multiply(in->scale, lanes_multiply(tau, lanes_splat(l->stiffness)));
  lanes3 sum = linear_sum(l, in->d);
  sum = lanes3_add_scaled(sum, linear_sum(l, in->v), eta);
  linear_spread(l, sum, stiffness, out->along);
  out->packed[0] = lanes_quantise(lanes_multiply(stiffness, lanes_add(tau, eta)), STATE_ROUNDER);
}

CLOTH_INLINE void linear_tangent(const method_law *l, const lanes *packed, const lanes3 *e, lanes3 *pulls) {
  linear_spread(l, linear_sum(l, e), packed[0], pulls);
}
