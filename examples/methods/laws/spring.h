#pragma once
#include "law.h"

/*
 * Springs. LAW_SPRING is that of Choi and Ko ("Stable but Responsive Cloth", 2002; thesis eq. 3.6):
 * k (l - L) u with damping along the spring, of which only a share acts in compression. Damping of the whole relative
 * velocity (thesis eq. 3.12) is a choice.
 *
 * LAW_BUCKLING is their model of a beam that buckles at once: between particles two cells apart, with the rigidity kb
 * [N m^2] of the strip that the spring stands for, the push at a length l < L is
 *
 *     kb c^2 / (cos(c L / 2) - sinc(c L / 2)),    sinc(c L / 2) = l / L,
 *
 * with c the curvature of the arc. It starts at 12 kb / L^2, which is the load that buckles the strip, and so is
 * limited to the spring cb (l - L) that the law has for small deflections.
 */

/* A packed spring: w (3) and beta of the matrix w w^T + beta I. */
#define SPRING_PACKED 4

CLOTH_INLINE void spring_pulls(const method_law *l, const law_elements *in, law_pulls *out) {
  const lanes one = lanes_splat(1.0f), tau = lanes_splat(l->tau), rest = lanes_splat(l->rest);
  const method_length length = method_length_of(in->d[0]);
  const lanes3 u = lanes3_quantise(lanes3_scale(in->d[0], length.inverse), STATE_ROUNDER);
  const lanes_mask taut = lanes_less(rest, length.length);
  const lanes share = lanes_multiply(in->scale, lanes_select(taut, one, lanes_splat(l->compression)));
  const lanes stiffness = lanes_multiply(share, lanes_multiply(tau, lanes_splat(l->stiffness)));
  const lanes damping = lanes_multiply(share, lanes_multiply(tau, lanes_splat(l->damping)));
  const lanes projected = l->unprojected ? lanes_splat(0.0f) : damping;
  const lanes whole = l->unprojected ? damping : lanes_splat(0.0f);
  lanes pull = lanes_multiply(stiffness, lanes_subtract(length.length, rest));
  pull = lanes_add(pull, lanes_multiply(projected, lanes3_dot(u, in->v[0])));
  out->along[0] = lanes3_add(lanes3_scale(u, pull), lanes3_scale(in->v[0], whole));
  /* beta of the stiffness is negative in compression, where it would make the matrix indefinite. */
  const lanes k = lanes_multiply(tau, stiffness);
  const lanes alpha = lanes_multiply(k, lanes_minimum(lanes_multiply(rest, length.inverse), one));
  const lanes root = lanes_square_root(lanes_flush(lanes_add(alpha, projected)));
  pack_vector(out, 0, lanes3_scale(u, root));
  out->packed[3] = lanes_quantise(lanes_add(lanes_subtract(k, alpha), whole), STATE_ROUNDER);
}

#define BUCKLING_TERMS 5

/* The push over 12 kb / L^2 for s = 1 - l / L. Its exact form is x^2 / 3 / (sinc x - cos x) with sinc x = 1 - s; the
   polynomial deviates by less than 0.02 % up to s = 0.7, a half circle being s = 0.36. */
CLOTH_INLINE lanes buckled_push(lanes s, lanes *slope) {
  const float c[BUCKLING_TERMS] = {0.604228f, 0.333009f, 0.767059f, -0.942551f, 1.27511f};
  lanes value = lanes_splat(0.0f), rate = value;
  for (int32_t n = BUCKLING_TERMS; n > 0; n--) {
    rate = lanes_add(lanes_multiply(rate, s), lanes_splat((float)n * c[n - 1]));
    value = lanes_multiply(lanes_add(value, lanes_splat(c[n - 1])), s);
  }
  *slope = rate;
  return lanes_add(value, lanes_splat(1.0f));
}

/* `stiffness` is cb over the reference mass, `second` 12 kb / L^2 over it [m/s^2]. */
CLOTH_INLINE void buckling_pulls(const method_law *l, const law_elements *in, law_pulls *out) {
  const lanes zero = lanes_splat(0.0f), tau = lanes_splat(l->tau), rest = lanes_splat(l->rest);
  const method_length length = method_length_of(in->d[0]);
  const lanes3 u = lanes3_quantise(lanes3_scale(in->d[0], length.inverse), STATE_ROUNDER);
  const lanes shorter = lanes_maximum(lanes_subtract(rest, length.length), zero);
  const lanes s = lanes_multiply(shorter, lanes_splat(1.0f / l->rest));
  lanes slope;
  const lanes buckled = lanes_multiply(lanes_splat(l->second), buckled_push(s, &slope));
  const lanes straight = lanes_multiply(lanes_splat(l->stiffness), shorter);
  const lanes_mask is_straight = lanes_less(straight, buckled);
  const lanes push = lanes_select(is_straight, straight, buckled);
  slope = lanes_multiply(slope, lanes_splat(l->second / l->rest));
  slope = lanes_select(is_straight, lanes_splat(l->stiffness), slope);
  slope = lanes_keep(lanes_less(zero, shorter), slope);
  const lanes scale = lanes_multiply(in->scale, tau);
  out->along[0] = lanes3_scale(u, lanes_negate(lanes_multiply(scale, push)));
  const lanes root = lanes_square_root(lanes_flush(lanes_multiply(lanes_multiply(scale, tau), slope)));
  pack_vector(out, 0, lanes3_scale(u, root));
  out->packed[3] = zero;
}

CLOTH_INLINE void spring_tangent(const lanes *packed, const lanes3 *e, lanes3 *pulls) {
  const lanes3 w = packed_vector(packed, 0);
  pulls[0] = lanes3_add(lanes3_scale(e[0], packed[3]), lanes3_scale(w, lanes3_dot(w, e[0])));
}
