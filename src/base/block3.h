#pragma once
#include "lanes.h"

/// Symmetric 3x3 blocks ///

/* Symmetric 3x3 matrices, one in each lane, as six floats xx, yy, zz, xy, xz, yz, in shares of the reference mass. */
typedef struct symmetric {
  lanes xx, yy, zz, xy, xz, yz;
} symmetric;

#define SYMMETRIC_FLOATS 6

/* Loads the blocks whose first entry is at `from`, with `stride` floats from one entry to the next. The caller passes
   the stride as a copy: lane stores may alias *c, so the compiler would otherwise load c->stride again after each. */
CLOTH_INLINE symmetric symmetric_at(const float *from, int32_t stride) {
  symmetric m;
  m.xx = lanes_load(from);
  m.yy = lanes_load(from + stride);
  m.zz = lanes_load(from + 2 * stride);
  m.xy = lanes_load(from + 3 * stride);
  m.xz = lanes_load(from + 4 * stride);
  m.yz = lanes_load(from + 5 * stride);
  return m;
}

CLOTH_INLINE void symmetric_store(float *to, ptrdiff_t stride, symmetric m) {
  lanes_store(to, m.xx);
  lanes_store(to + stride, m.yy);
  lanes_store(to + 2 * stride, m.zz);
  lanes_store(to + 3 * stride, m.xy);
  lanes_store(to + 4 * stride, m.xz);
  lanes_store(to + 5 * stride, m.yz);
}

CLOTH_INLINE symmetric symmetric_quantise(symmetric m) {
  m.xx = lanes_quantise(m.xx, WORK_ROUNDER);
  m.yy = lanes_quantise(m.yy, WORK_ROUNDER);
  m.zz = lanes_quantise(m.zz, WORK_ROUNDER);
  m.xy = lanes_quantise(m.xy, WORK_ROUNDER);
  m.xz = lanes_quantise(m.xz, WORK_ROUNDER);
  m.yz = lanes_quantise(m.yz, WORK_ROUNDER);
  return m;
}

/* m r */
CLOTH_INLINE lanes3 symmetric_apply(symmetric m, lanes3 r) {
  lanes x = lanes_add(lanes_add(lanes_multiply(m.xx, r.x), lanes_multiply(m.xy, r.y)), lanes_multiply(m.xz, r.z));
  lanes y = lanes_add(lanes_add(lanes_multiply(m.xy, r.x), lanes_multiply(m.yy, r.y)), lanes_multiply(m.yz, r.z));
  lanes z = lanes_add(lanes_add(lanes_multiply(m.xz, r.x), lanes_multiply(m.yz, r.y)), lanes_multiply(m.zz, r.z));
  return lanes3_of(x, y, z);
}

/* n . m n */
CLOTH_INLINE lanes symmetric_along(const symmetric *m, lanes3 n) {
  return lanes3_dot(n, lanes3_flush(symmetric_apply(*m, n)));
}

/* Adds a u^T + s I to m. The sum is symmetric only if a is parallel to u. */
CLOTH_INLINE void symmetric_add_outer(symmetric *m, lanes3 a, lanes3 u, lanes s) {
  m->xx = lanes_add(m->xx, lanes_add(lanes_multiply(a.x, u.x), s));
  m->yy = lanes_add(m->yy, lanes_add(lanes_multiply(a.y, u.y), s));
  m->zz = lanes_add(m->zz, lanes_add(lanes_multiply(a.z, u.z), s));
  m->xy = lanes_add(m->xy, lanes_multiply(a.x, u.y));
  m->xz = lanes_add(m->xz, lanes_multiply(a.x, u.z));
  m->yz = lanes_add(m->yz, lanes_multiply(a.y, u.z));
}

/* s I */
CLOTH_INLINE symmetric symmetric_identity(lanes s) {
  const lanes zero = lanes_splat(0.0f);
  return (symmetric){s, s, s, zero, zero, zero};
}

/* Entries of L over a pivot count as 0 below this, 2^-86, or times an entry they might be subnormal. */
#define LEAST_SHARE 1.2924697071141057e-26f

/* Inverse by L D L^T. Each pivot is exactly at least the particle's mass ratio, `min_pivot`, and raised to it against
   rounding, so that the inverse is positive definite at any kappa. i0, i1, i2 are the inverse pivots, l10, l20, l21 the
   entries of L, h20 one of L^-1. */
CLOTH_INLINE symmetric symmetric_inverse(symmetric m, lanes min_pivot) {
  lanes one = lanes_splat(1.0f);
  lanes i0 = lanes_divide(one, lanes_maximum(m.xx, min_pivot));
  lanes l10 = lanes_flush(lanes_multiply(m.xy, i0));
  lanes l20 = lanes_flush(lanes_multiply(m.xz, i0));
  lanes i1 = lanes_divide(one, lanes_maximum(lanes_subtract(m.yy, lanes_multiply(l10, m.xy)), min_pivot));
  lanes s21 = lanes_flush(lanes_subtract(m.yz, lanes_multiply(l10, m.xz)));
  lanes l21 = lanes_flush(lanes_multiply(s21, i1));
  lanes d2 = lanes_subtract(lanes_subtract(m.zz, lanes_multiply(l20, m.xz)), lanes_multiply(l21, s21));
  lanes i2 = lanes_divide(one, lanes_maximum(d2, min_pivot));
  lanes h20 = lanes_flush(lanes_subtract(lanes_multiply(l10, l21), l20));
  const lanes li1 = lanes_flush_below(lanes_multiply(l10, i1), LEAST_SHARE);
  const lanes li2 = lanes_flush_below(lanes_multiply(l21, i2), LEAST_SHARE);
  const lanes hi2 = lanes_flush_below(lanes_multiply(h20, i2), LEAST_SHARE);
  symmetric r;
  r.zz = i2;
  r.yz = lanes_negate(li2);
  r.xz = hi2;
  r.yy = lanes_add(i1, lanes_multiply(l21, li2));
  r.xy = lanes_subtract(lanes_negate(li1), lanes_multiply(h20, li2));
  r.xx = lanes_add(lanes_add(i0, lanes_multiply(l10, li1)), lanes_multiply(h20, hi2));
  return r;
}

/* m + s I. A -0 beside the diagonal stays: symmetric_quantise() makes it +0. */
CLOTH_INLINE symmetric symmetric_add_scalar(symmetric m, lanes s) {
  m.xx = lanes_add(m.xx, s);
  m.yy = lanes_add(m.yy, s);
  m.zz = lanes_add(m.zz, s);
  return m;
}

CLOTH_INLINE symmetric symmetric_add(symmetric a, symmetric b) {
  a.xx = lanes_add(a.xx, b.xx);
  a.yy = lanes_add(a.yy, b.yy);
  a.zz = lanes_add(a.zz, b.zz);
  a.xy = lanes_add(a.xy, b.xy);
  a.xz = lanes_add(a.xz, b.xz);
  a.yz = lanes_add(a.yz, b.yz);
  return a;
}
