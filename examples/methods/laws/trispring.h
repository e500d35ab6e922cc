#pragma once
#include "law.h"

/*
 * The trispring of SimCloth3: three coupled springs on a triangle, with the energy
 *
 *     W = ((lambda + 2 mu) (sum D_k cot a_k)^2 + mu (sum D_k^2 - sum D_k D_l)) / (32 A),    D_k = l_k^2 - L_k^2,
 *
 * which is that of St. Venant and Kirchhoff, A (lambda / 2 tr(E)^2 + mu E:E), with E = (F^T F - I) / 2 and F = (wu,
 * wv). On the right triangles of a grid the second form is the shorter one. S = lambda tr(E) I + 2 mu E is the stress,
 * with E + eta dE/dt in place of E for a viscosity eta; pulls are A S F, edge by edge. The tangent has two parts: that
 * of the strain, which is positive semidefinite, and the stress, whose negative eigenvalue is left out.
 */

/* Packed: wu, wv, and S11, S12, S22 of the part of the stress that is positive, over the reference mass. */
#define TRISPRING_PACKED 9

/* A symmetric 2x2 matrix in each lane. */
typedef struct plane_tensor {
  lanes uu, uv, vv;
} plane_tensor;

CLOTH_INLINE plane_tensor stress_of(lanes lambda, lanes mu, plane_tensor strain) {
  const lanes trace = lanes_multiply(lambda, lanes_add(strain.uu, strain.vv)), twice = lanes_add(mu, mu);
  const plane_tensor s = {lanes_add(trace, lanes_multiply(twice, strain.uu)), lanes_multiply(twice, strain.uv),
                          lanes_add(trace, lanes_multiply(twice, strain.vv))};
  return s;
}

/* Smallest difference of eigenvalues, over twice, that is divided by. */
#define TENSOR_MIN_RADIUS 1.0e-6f

/* The tensor without its negative eigenvalue, in closed form: with the eigenvalues m + r and m - r,
   S = (m + r) (S - (m - r) I) / 2r + (m - r) ((m + r) I - S) / 2r. */
CLOTH_INLINE plane_tensor positive_part(plane_tensor s) {
  const lanes zero = lanes_splat(0.0f), half = lanes_splat(0.5f);
  const lanes mean = lanes_multiply(half, lanes_add(s.uu, s.vv));
  const lanes apart = lanes_flush_below(lanes_multiply(half, lanes_subtract(s.uu, s.vv)), STATE_QUANTUM);
  const lanes off = lanes_flush_below(s.uv, STATE_QUANTUM);
  const lanes squared = lanes_add(lanes_multiply(apart, apart), lanes_multiply(off, off));
  const lanes radius = lanes_maximum(lanes_square_root(squared), lanes_splat(TENSOR_MIN_RADIUS));
  const lanes high = lanes_add(mean, radius), low = lanes_subtract(mean, radius);
  const lanes per = lanes_divide(half, radius);
  const lanes high_share = lanes_multiply(lanes_maximum(high, zero), per);
  const lanes low_share = lanes_multiply(lanes_maximum(low, zero), per);
  const lanes slope = lanes_subtract(high_share, low_share);
  const lanes level = lanes_subtract(lanes_multiply(low_share, high), lanes_multiply(high_share, low));
  const plane_tensor p = {lanes_add(lanes_multiply(slope, s.uu), level), lanes_multiply(slope, s.uv),
                          lanes_add(lanes_multiply(slope, s.vv), level)};
  return p;
}

/* Pulls of a stress: (S11 wu + S12 wv) / length of warp, and the same for the weft. */
CLOTH_INLINE void stress_pulls(const method_law *l, plane_tensor s, lanes3 wu, lanes3 wv, lanes3 *pulls) {
  pulls[0] = lanes3_add(lanes3_scale(wu, s.uu), lanes3_scale(wv, s.uv));
  pulls[0] = lanes3_scale(pulls[0], lanes_splat(l->inverse_u));
  pulls[1] = lanes3_add(lanes3_scale(wu, s.uv), lanes3_scale(wv, s.vv));
  pulls[1] = lanes3_scale(pulls[1], lanes_splat(l->inverse_v));
}

/* Rate of the strain with the rates a and b of wu and wv. */
CLOTH_INLINE plane_tensor strain_rate(lanes3 wu, lanes3 wv, lanes3 a, lanes3 b) {
  const plane_tensor e = {lanes3_dot(wu, a),
                          lanes_multiply(lanes_splat(0.5f), lanes_add(lanes3_dot(wu, b), lanes3_dot(wv, a))),
                          lanes3_dot(wv, b)};
  return e;
}

CLOTH_INLINE plane_tensor tensor_scale(plane_tensor a, lanes s) {
  const plane_tensor scaled = {lanes_multiply(a.uu, s), lanes_multiply(a.uv, s), lanes_multiply(a.vv, s)};
  return scaled;
}

/* Out of line: with seven laws inlined in one function GCC 12 stores other registers as the packed stress on Helium. */
CLOTH_SEPARATE void trispring_pulls(const method_law *l, const law_elements *in, law_pulls *out) {
  const lanes half = lanes_splat(0.5f), one = lanes_splat(1.0f);
  const lanes inverse_u = lanes_splat(l->inverse_u), inverse_v = lanes_splat(l->inverse_v);
  const lanes3 wu = lanes3_quantise(lanes3_scale(in->d[0], inverse_u), STATE_ROUNDER);
  const lanes3 wv = lanes3_quantise(lanes3_scale(in->d[1], inverse_v), STATE_ROUNDER);
  const plane_tensor strain = {lanes_multiply(half, lanes_subtract(lanes3_dot(wu, wu), one)),
                               lanes_multiply(half, lanes3_dot(wu, wv)),
                               lanes_multiply(half, lanes_subtract(lanes3_dot(wv, wv), one))};
  const plane_tensor rate = strain_rate(wu, wv, lanes3_scale(in->v[0], inverse_u), lanes3_scale(in->v[1], inverse_v));
  const lanes factor = lanes_multiply(in->scale, lanes_splat(l->area * l->tau));
  const lanes lambda = lanes_multiply(factor, lanes_splat(l->stiffness));
  const lanes mu = lanes_multiply(factor, lanes_splat(l->second));
  const plane_tensor elastic = stress_of(lambda, mu, strain);
  plane_tensor stress = stress_of(lambda, mu, tensor_scale(rate, lanes_splat(l->damping)));
  stress.uu = lanes_quantise(lanes_add(stress.uu, elastic.uu), WORK_ROUNDER);
  stress.uv = lanes_quantise(lanes_add(stress.uv, elastic.uv), WORK_ROUNDER);
  stress.vv = lanes_quantise(lanes_add(stress.vv, elastic.vv), WORK_ROUNDER);
  stress_pulls(l, stress, wu, wv, out->along);
  const plane_tensor positive = positive_part(tensor_scale(elastic, lanes_splat(l->tau)));
  pack_vector(out, 0, wu);
  pack_vector(out, 3, wv);
  pack_vector(out, 6, lanes3_of(positive.uu, positive.uv, positive.vv));
}

/* The lanes without an element have packed vectors of 0. */
CLOTH_INLINE void trispring_tangent(const method_law *l, const lanes *packed, const lanes3 *e, lanes3 *pulls) {
  const lanes3 wu = packed_vector(packed, 0), wv = packed_vector(packed, 3);
  const lanes3 a = lanes3_quantise(lanes3_scale(e[0], lanes_splat(l->inverse_u)), WORK_ROUNDER);
  const lanes3 b = lanes3_quantise(lanes3_scale(e[1], lanes_splat(l->inverse_v)), WORK_ROUNDER);
  const float factor = l->area * l->tau * (l->tau + l->damping);
  const plane_tensor change =
      stress_of(lanes_splat(factor * l->stiffness), lanes_splat(factor * l->second), strain_rate(wu, wv, a, b));
  const plane_tensor s = {lanes_quantise(change.uu, WORK_ROUNDER), lanes_quantise(change.uv, WORK_ROUNDER),
                          lanes_quantise(change.vv, WORK_ROUNDER)};
  const plane_tensor stress = {packed[6], packed[7], packed[8]};
  lanes3 geometric[2];
  stress_pulls(l, s, wu, wv, pulls);
  stress_pulls(l, stress, a, b, geometric);
  pulls[0] = lanes3_add(pulls[0], geometric[0]);
  pulls[1] = lanes3_add(pulls[1], geometric[1]);
}
