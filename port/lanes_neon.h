/*
 * Lanes for Arm with NEON, four wide: AArch64 and ARMv7. src/base/lanes.h says what the operations mean.
 *
 * ARMv7 NEON always flushes subnormals to zero. Its results are those of every other machine because cloth.c lets no
 * subnormals arise. It only estimates quotients and square roots: VFP, which rounds correctly, computes both lane by
 * lane.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include <arm_neon.h>

#define CLOTH_LANES 4
#define CLOTH_LANES_NAME "neon"

typedef float32x4_t lanes;
typedef uint32x4_t lanes_mask; /* all bits of a lane set or none */

CLOTH_INLINE lanes lanes_load(const float *from) {
  return vld1q_f32(from);
}

CLOTH_INLINE void lanes_store(float *to, lanes a) {
  vst1q_f32(to, a);
}

CLOTH_INLINE void lanes_store_first(float *to, lanes a, int32_t count) {
  if (count >= CLOTH_LANES) {
    vst1q_f32(to, a);
    return;
  }
  if (count == 1) {
    vst1q_lane_f32(to, a, 0);
    return;
  }
  vst1_f32(to, vget_low_f32(a));
  if (count == 3) { vst1q_lane_f32(to + 2, a, 2); }
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

CLOTH_INLINE lanes lanes_absolute(lanes a) {
  return vabsq_f32(a);
}

#if defined(__aarch64__)
CLOTH_INLINE lanes lanes_divide(lanes a, lanes b) {
  return vdivq_f32(a, b);
}

CLOTH_INLINE lanes lanes_square_root(lanes a) {
  return vsqrtq_f32(a);
}
#else
CLOTH_INLINE lanes lanes_divide(lanes a, lanes b) {
  lanes quotient = a;
  quotient = vsetq_lane_f32(vgetq_lane_f32(a, 0) / vgetq_lane_f32(b, 0), quotient, 0);
  quotient = vsetq_lane_f32(vgetq_lane_f32(a, 1) / vgetq_lane_f32(b, 1), quotient, 1);
  quotient = vsetq_lane_f32(vgetq_lane_f32(a, 2) / vgetq_lane_f32(b, 2), quotient, 2);
  return vsetq_lane_f32(vgetq_lane_f32(a, 3) / vgetq_lane_f32(b, 3), quotient, 3);
}

CLOTH_INLINE lanes lanes_square_root(lanes a) {
  lanes root = a;
  root = vsetq_lane_f32(square_root(vgetq_lane_f32(a, 0)), root, 0);
  root = vsetq_lane_f32(square_root(vgetq_lane_f32(a, 1)), root, 1);
  root = vsetq_lane_f32(square_root(vgetq_lane_f32(a, 2)), root, 2);
  return vsetq_lane_f32(square_root(vgetq_lane_f32(a, 3)), root, 3);
}
#endif

CLOTH_INLINE lanes_mask lanes_less(lanes a, lanes b) {
  return vcltq_f32(a, b);
}

CLOTH_INLINE lanes lanes_select(lanes_mask mask, lanes yes, lanes no) {
  return vbslq_f32(mask, yes, no);
}

CLOTH_INLINE lanes_mask lanes_first(int32_t count) {
  static const int32_t index[CLOTH_LANES] = {0, 1, 2, 3};
  return vcltq_s32(vld1q_s32(index), vdupq_n_s32(count));
}

CLOTH_INLINE lanes_mask lanes_both(lanes_mask a, lanes_mask b) {
  return vandq_u32(a, b);
}

CLOTH_INLINE int lanes_any(lanes_mask mask) {
#if defined(__aarch64__)
  return vmaxvq_u32(mask) != 0;
#else
  uint32x2_t half = vorr_u32(vget_low_u32(mask), vget_high_u32(mask));
  return vget_lane_u32(vpmax_u32(half, half), 0) != 0;
#endif
}

CLOTH_INLINE float lanes_first_value(lanes a) {
  return vgetq_lane_f32(a, 0);
}

CLOTH_INLINE lanes lanes_keep(lanes_mask mask, lanes a) {
  return vreinterpretq_f32_u32(vandq_u32(mask, vreinterpretq_u32_f32(a)));
}

CLOTH_INLINE lanes lanes_drop(lanes_mask mask, lanes a) {
  return vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_f32(a), mask));
}

#define CLOTH_LANES_PAIRS
CLOTH_INLINE lanes lanes_even(lanes a, lanes b) {
  return vuzpq_f32(a, b).val[0];
}

CLOTH_INLINE void lanes_interleave(lanes a, lanes b, lanes *low, lanes *high) {
  const float32x4x2_t both = vzipq_f32(a, b);
  *low = both.val[0];
  *high = both.val[1];
}

CLOTH_INLINE void lanes_transpose(lanes block[CLOTH_LANES]) {
  float32x4x2_t low = vtrnq_f32(block[0], block[1]);
  float32x4x2_t high = vtrnq_f32(block[2], block[3]);
  block[0] = vcombine_f32(vget_low_f32(low.val[0]), vget_low_f32(high.val[0]));
  block[1] = vcombine_f32(vget_low_f32(low.val[1]), vget_low_f32(high.val[1]));
  block[2] = vcombine_f32(vget_high_f32(low.val[0]), vget_high_f32(high.val[0]));
  block[3] = vcombine_f32(vget_high_f32(low.val[1]), vget_high_f32(high.val[1]));
}
