#pragma once
#include "compiler.h"
#include "lanes.h"
#include "scalar.h"

/// Symmetric 3x3 blocks ///

/*
 * Symmetric 3x3 matrices in lanes: load, store, sum, product with a vector, inverse. The preconditioner of a particle
 * is one of them, six floats in the order xx, yy, zz, xy, xz, yz, each `stride` floats after the one before: the matrix
 *     S (S C S + c (I - S))^-1 S,
 * with C the particle's diagonal block of A, S the projection on its free directions, and c a number of the size of C
 * that keeps the inverse well scaled (thesis eq. 5.4 in symmetric form). It maps any residual into the free directions,
 * so that neither residual nor product need filtering, and the unfiltered residual is the constraint force.
 *
 * In, out: arguments and return values. Scratch: none of its own.
 */
typedef struct symmetric {
  lanes xx, yy, zz, xy, xz, yz;
} symmetric;

/* Loads a block whose first entry stands at `from`. The stride is an argument, not read from the cloth: a lane store
   may alias *c, so that the compiler would reload it for every block. */
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

/* Stores the first `count` lanes of a block. */
CLOTH_INLINE void symmetric_store_at(float *to, int32_t stride, symmetric m, int32_t count) {
  lanes_store_first(to, m.xx, count);
  lanes_store_first(to + stride, m.yy, count);
  lanes_store_first(to + 2 * stride, m.zz, count);
  lanes_store_first(to + 3 * stride, m.xy, count);
  lanes_store_first(to + 4 * stride, m.xz, count);
  lanes_store_first(to + 5 * stride, m.yz, count);
}

#if WITH_MULTILEVEL

CLOTH_INLINE symmetric symmetric_add(symmetric a, symmetric b) {
  a.xx = lanes_add(a.xx, b.xx);
  a.yy = lanes_add(a.yy, b.yy);
  a.zz = lanes_add(a.zz, b.zz);
  a.xy = lanes_add(a.xy, b.xy);
  a.xz = lanes_add(a.xz, b.xz);
  a.yz = lanes_add(a.yz, b.yz);
  return a;
}

#endif

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

/* Adds a u^T + s I to m, for a parallel to u. */
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
 * Inverse by L D L^T. Pivots below `min_pivot` are raised to it: those of a diagonal block of A are at least the
 * particle's mass ratio, but rounding can push them lower. That keeps the inverse positive definite in float at any
 * kappa (rows PRE of `make accuracy` go to 1e5); an inverse by cofactors loses definiteness from a kappa of about 500.
 */
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
