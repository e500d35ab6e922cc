#pragma once
#include "law.h"

/*
 * The angle t between two triangles at their common edge e, by C = 2 sin(t / 2) = |n1 - n2| with unit normals n1, n2,
 * signed by the side to which they bend, and the energy B |e|^2 / (a1 + a2) C^2 / 2 (Baraff and Witkin 1998 with the
 * areas where they belong; Bridson, Marino and Fedkiw 2003 for forces along the gradient of the angle). No arctangent
 * is needed, and C is t up to small angles' third powers. Edges lead from one end of e to the other, then to the two
 * opposite corners.
 */

#define HINGE_PACKED 9

/* Squared area vector [m^4] that smaller ones count as having. */
#define HINGE_MIN_SQUARED 1.0e-20f

CLOTH_INLINE void hinge_pulls(const method_law *l, const law_elements *in, law_pulls *out) {
  const lanes one = lanes_splat(1.0f), half = lanes_splat(0.5f);
  const lanes3 e = in->d[0];
  const lanes3 n1 = lanes3_flush(lanes3_cross(e, in->d[1])), n2 = lanes3_flush(lanes3_cross(in->d[2], e));
  const lanes least = lanes_splat(HINGE_MIN_SQUARED);
  const lanes i1 = lanes_divide(one, lanes_square_root(lanes_maximum(lanes3_dot(n1, n1), least)));
  const lanes i2 = lanes_divide(one, lanes_square_root(lanes_maximum(lanes3_dot(n2, n2), least)));
  const method_length edge = method_length_of(e);
  const lanes3 m1 = lanes3_quantise(lanes3_scale(n1, i1), STATE_ROUNDER);
  const lanes3 m2 = lanes3_quantise(lanes3_scale(n2, i2), STATE_ROUNDER);
  const lanes3 apart = lanes3_subtract(m1, m2);
  const lanes size = lanes_square_root(lanes_minimum(lanes3_dot(apart, apart), lanes_splat(4.0f)));
  const lanes condition = lanes_multiply(size, lanes_sign(lanes3_dot(lanes3_cross(m1, m2), e)));
  /* dC/dt = cos(t / 2) */
  const lanes cosine = lanes_square_root(lanes_maximum(
      lanes_subtract(one, lanes_multiply(lanes_multiply(half, half), lanes_multiply(size, size))), lanes_splat(0.0f)));
  const lanes scale = lanes_negate(lanes_multiply(cosine, edge.length));
  lanes3 g[3];
  g[1] = lanes3_scale(m1, lanes_multiply(scale, i1));
  g[2] = lanes3_scale(m2, lanes_multiply(scale, i2));
  /* A rigid rotation changes no angle: the ends of e share what the corners have, by the corners' places along it. */
  const lanes squared = lanes_multiply(edge.inverse, edge.inverse);
  const lanes s1 = lanes_multiply(lanes3_dot(in->d[1], e), squared),
              s2 = lanes_multiply(lanes3_dot(in->d[2], e), squared);
  g[0] = lanes3_add(lanes3_scale(g[1], lanes_negate(s1)), lanes3_scale(g[2], lanes_negate(s2)));
  condition_pulls(l, in, lanes_multiply(in->scale, lanes_splat(l->stiffness)), condition, g, out);
}
