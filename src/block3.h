#pragma once
#include "compiler.h"
#include "lanes.h"
#include "scalar.h"

/// Symmetric 3x3 blocks ///

/*
 * Every preconditioner is kept as six floats a particle: the symmetric matrix S (S C S + c (I - S))^-1 S, where C is
 * the diagonal block of A (thesis eq. 5.4 in symmetric form; c, of the size of C, only keeps the inverse well scaled).
 * It maps any residual into the particle's free directions, so that neither residual nor product need filtering, and
 * the unfiltered residual is the constraint force. Order: xx, yy, zz, xy, xz, yz.
 */
typedef struct symmetric {
  lanes xx, yy, zz, xy, xz, yz;
} symmetric;

/* From where the first entry stands. The caller keeps the stride: stores of lanes might change what a cloth says. */
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

CLOTH_INLINE symmetric symmetric_scale(symmetric m, lanes s) {
  m.xx = lanes_multiply(m.xx, s);
  m.yy = lanes_multiply(m.yy, s);
  m.zz = lanes_multiply(m.zz, s);
  m.xy = lanes_multiply(m.xy, s);
  m.xz = lanes_multiply(m.xz, s);
  m.yz = lanes_multiply(m.yz, s);
  return m;
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

CLOTH_INLINE lanes3 symmetric_apply(symmetric m, lanes3 r) {
  lanes x = lanes_add(lanes_add(lanes_multiply(m.xx, r.x), lanes_multiply(m.xy, r.y)), lanes_multiply(m.xz, r.z));
  lanes y = lanes_add(lanes_add(lanes_multiply(m.xy, r.x), lanes_multiply(m.yy, r.y)), lanes_multiply(m.yz, r.z));
  lanes z = lanes_add(lanes_add(lanes_multiply(m.xz, r.x), lanes_multiply(m.yz, r.y)), lanes_multiply(m.zz, r.z));
  return lanes3_of(x, y, z);
}

/* Adds a u^T + s I for a parallel to u. */
CLOTH_INLINE void symmetric_add_outer(symmetric *m, lanes3 a, lanes3 u, lanes s) {
  m->xx = lanes_add(m->xx, lanes_add(lanes_multiply(a.x, u.x), s));
  m->yy = lanes_add(m->yy, lanes_add(lanes_multiply(a.y, u.y), s));
  m->zz = lanes_add(m->zz, lanes_add(lanes_multiply(a.z, u.z), s));
  m->xy = lanes_add(m->xy, lanes_multiply(a.x, u.y));
  m->xz = lanes_add(m->xz, lanes_multiply(a.x, u.z));
  m->yz = lanes_add(m->yz, lanes_multiply(a.y, u.z));
}

CLOTH_INLINE symmetric symmetric_identity(lanes s) {
  lanes zero = lanes_splat(0.0f);
  symmetric m = {s, s, s, zero, zero, zero};
  return m;
}

/*
 * Inverse by L D L^T. The pivots of a diagonal block of A are at least the particle's mass ratio; rounding is kept from
 * pushing them below it, which is what keeps the inverse positive definite in float at any kappa (inverting by
 * cofactors does not, from kappa of about 500).
 */
CLOTH_INLINE symmetric symmetric_inverse(symmetric m, lanes least) {
  lanes one = lanes_splat(1.0f);
  lanes i0 = lanes_divide(one, lanes_maximum(m.xx, least));
  lanes l10 = lanes_flush(lanes_multiply(m.xy, i0));
  lanes l20 = lanes_flush(lanes_multiply(m.xz, i0));
  lanes i1 = lanes_divide(one, lanes_maximum(lanes_subtract(m.yy, lanes_multiply(l10, m.xy)), least));
  lanes s21 = lanes_flush(lanes_subtract(m.yz, lanes_multiply(l10, m.xz)));
  lanes l21 = lanes_flush(lanes_multiply(s21, i1));
  lanes d2 = lanes_subtract(lanes_subtract(m.zz, lanes_multiply(l20, m.xz)), lanes_multiply(l21, s21));
  lanes i2 = lanes_divide(one, lanes_maximum(d2, least));
  lanes h20 = lanes_flush(lanes_subtract(lanes_multiply(l10, l21), l20));
  lanes zero = lanes_splat(0.0f);
  symmetric r;
  r.zz = i2;
  r.yz = lanes_subtract(zero, lanes_multiply(l21, i2));
  r.xz = lanes_multiply(h20, i2);
  r.yy = lanes_add(i1, lanes_multiply(l21, lanes_multiply(l21, i2)));
  r.xy = lanes_subtract(lanes_subtract(zero, lanes_multiply(l10, i1)), lanes_multiply(h20, lanes_multiply(l21, i2)));
  r.xx = lanes_add(lanes_add(i0, lanes_multiply(l10, lanes_multiply(l10, i1))),
                   lanes_multiply(h20, lanes_multiply(h20, i2)));
  return r;
}

#if WITH_MULTILEVEL

CLOTH_INLINE symmetric node_symmetric(const float *from, int32_t count) {
  symmetric m = {lanes_load(from),
                 lanes_load(from + count),
                 lanes_load(from + 2 * count),
                 lanes_load(from + 3 * count),
                 lanes_load(from + 4 * count),
                 lanes_load(from + 5 * count)};
  return m;
}

#endif
