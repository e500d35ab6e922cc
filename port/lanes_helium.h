/*
 * Lanes for Cortex-M with Helium (MVE with floats: M55, M85), four wide. src/base/lanes.h says what the operations
 * mean.
 *
 * Helium always flushes subnormals to zero. Its results are those of every other machine because cloth.c lets no
 * subnormals arise. It has no divide and no square root: the scalar FPU, which rounds correctly, computes both lane by
 * lane.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include <arm_mve.h>

#define CLOTH_LANES 4
#define CLOTH_LANES_NAME "helium"

typedef float32x4_t lanes;
typedef mve_pred16_t lanes_mask; /* one bit per byte, four per lane: all set or none */

/*
 * Four floats at the address of any float. Loads and stores are plain accesses through this type, because GCC 12
 * assumes that vldrwq_f32 and vstrwq_f32 access a single int: it moves or drops stores to the other three floats.
 */
typedef float32x4_t lanes_in_memory __attribute__((aligned(4), may_alias));

CLOTH_INLINE lanes_mask lanes_first(int32_t count) {
  return vctp32q(count < 0 ? 0u : (uint32_t)count);
}

CLOTH_INLINE lanes lanes_load(const float *from) {
  return *(const lanes_in_memory *)from;
}

CLOTH_INLINE void lanes_store(float *to, lanes a) {
  *(lanes_in_memory *)to = a;
}

CLOTH_INLINE void lanes_store_first(float *to, lanes a, int32_t count) {
  if (__builtin_constant_p(count) && count >= CLOTH_LANES) {
    lanes_store(to, a);
    return;
  }
#if defined(__clang__)
  vstrwq_p_f32(to, a, vctp32q((uint32_t)count));
#else
  /* The instruction of vstrwq_p_f32, with all four floats declared as accessed. */
  __asm__("vctp.32 %[count]\n\tvpst\n\tvstrwt.32 %q[a], [%[to]]"
          : "+m"(*(lanes_in_memory *)to)
          : [to] "r"(to), [a] "w"(a), [count] "r"(count)
          : "p0");
#endif
}

CLOTH_INLINE lanes lanes_splat(float a) {
  return vdupq_n_f32(a);
}

CLOTH_INLINE lanes lanes_add(lanes a, lanes b) {
  return vaddq_f32(a, b);
}

CLOTH_INLINE lanes lanes_subtract(lanes a, lanes b) {
  return vsubq_f32(a, b);
}

CLOTH_INLINE lanes lanes_multiply(lanes a, lanes b) {
  return vmulq_f32(a, b);
}

/* The lanes of q0 are s0 to s3, those of q1 are s4 to s7. Without the assembly GCC 12 would copy every lane out of the
   vector and back. */
CLOTH_INLINE lanes lanes_divide(lanes a, lanes b) {
#if defined(__clang__)
  lanes quotient = a;
  quotient = vsetq_lane_f32(vgetq_lane_f32(a, 0) / vgetq_lane_f32(b, 0), quotient, 0);
  quotient = vsetq_lane_f32(vgetq_lane_f32(a, 1) / vgetq_lane_f32(b, 1), quotient, 1);
  quotient = vsetq_lane_f32(vgetq_lane_f32(a, 2) / vgetq_lane_f32(b, 2), quotient, 2);
  return vsetq_lane_f32(vgetq_lane_f32(a, 3) / vgetq_lane_f32(b, 3), quotient, 3);
#else
  register lanes quotient __asm__("q0") = a;
  register lanes divisor __asm__("q1") = b;
  __asm__("vdiv.f32 s0, s0, s4\n\tvdiv.f32 s1, s1, s5\n\tvdiv.f32 s2, s2, s6\n\tvdiv.f32 s3, s3, s7"
          : "+w"(quotient)
          : "w"(divisor));
  return quotient;
#endif
}

CLOTH_INLINE lanes lanes_absolute(lanes a) {
  return vabsq_f32(a);
}

CLOTH_INLINE lanes lanes_square_root(lanes a) {
#if defined(__clang__)
  lanes root = a;
  root = vsetq_lane_f32(square_root(vgetq_lane_f32(a, 0)), root, 0);
  root = vsetq_lane_f32(square_root(vgetq_lane_f32(a, 1)), root, 1);
  root = vsetq_lane_f32(square_root(vgetq_lane_f32(a, 2)), root, 2);
  return vsetq_lane_f32(square_root(vgetq_lane_f32(a, 3)), root, 3);
#else
  register lanes root __asm__("q0") = a;
  __asm__("vsqrt.f32 s0, s0\n\tvsqrt.f32 s1, s1\n\tvsqrt.f32 s2, s2\n\tvsqrt.f32 s3, s3" : "+w"(root));
  return root;
#endif
}

/* b > a in place of a < b: Helium's "less" is "not greater or equal", which is true for NaN. */
CLOTH_INLINE lanes_mask lanes_less(lanes a, lanes b) {
  return vcmpgtq_f32(b, a);
}

CLOTH_INLINE lanes lanes_select(lanes_mask mask, lanes yes, lanes no) {
  return vpselq_f32(yes, no, mask);
}

CLOTH_INLINE lanes_mask lanes_both(lanes_mask a, lanes_mask b) {
  return (lanes_mask)(a & b);
}

CLOTH_INLINE int lanes_any(lanes_mask mask) {
  return mask != 0;
}

CLOTH_INLINE float lanes_first_value(lanes a) {
  return vgetq_lane_f32(a, 0);
}

CLOTH_INLINE lanes lanes_keep(lanes_mask mask, lanes a) {
  return vpselq_f32(a, vdupq_n_f32(0.0f), mask);
}

CLOTH_INLINE lanes lanes_drop(lanes_mask mask, lanes a) {
  return vpselq_f32(vdupq_n_f32(0.0f), a, mask);
}

/* The interleaving store of four vectors transposes them. */
CLOTH_INLINE void lanes_transpose(lanes block[CLOTH_LANES]) {
  float transposed[CLOTH_LANES * CLOTH_LANES];
  float32x4x4_t all;
  for (int n = 0; n < CLOTH_LANES; n++) {
    all.val[n] = block[n];
  }
  vst4q_f32(transposed, all);
  for (int n = 0; n < CLOTH_LANES; n++) {
    block[n] = vld1q_f32(transposed + n * CLOTH_LANES);
  }
}
