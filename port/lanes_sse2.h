/*
 * Lanes for x86 with SSE2, four wide. src/base/lanes.h says what the operations mean.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

/* GCC's header includes mm_malloc.h, which needs <stdlib.h>: leave that out where there is no C library. */
#if defined(__GNUC__) && !defined(__clang__) && !__STDC_HOSTED__ && !defined(_MM_MALLOC_H_INCLUDED)
#define _MM_MALLOC_H_INCLUDED
#endif
#include <emmintrin.h>

#define CLOTH_LANES 4
#define CLOTH_LANES_NAME "sse2"

typedef __m128 lanes;
typedef __m128 lanes_mask; /* all bits of a lane set or none */

CLOTH_INLINE lanes lanes_load(const float *from) {
  return _mm_loadu_ps(from);
}

#if WITH_SELF
#define CLOTH_LANES_PICK
CLOTH_INLINE lanes lanes_pick(const float *from, const uint16_t *index) {
  const __m128 first = _mm_unpacklo_ps(_mm_load_ss(from + index[0]), _mm_load_ss(from + index[1]));
  const __m128 second = _mm_unpacklo_ps(_mm_load_ss(from + index[2]), _mm_load_ss(from + index[3]));
  return _mm_movelh_ps(first, second);
}
#endif

#define CLOTH_LANES_BITS
CLOTH_INLINE uint32_t lanes_bits(lanes_mask mask) {
  return (uint32_t)_mm_movemask_ps(mask);
}

CLOTH_INLINE lanes_mask lanes_of_bits(uint32_t bits) {
  const __m128i own = _mm_setr_epi32(1, 2, 4, 8);
  return _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int)bits), own), own));
}

CLOTH_INLINE void lanes_store(float *to, lanes a) {
  _mm_storeu_ps(to, a);
}

/* The end of a row is stored in pieces, as SSE2's masked store (maskmovdqu) bypasses the cache. */
CLOTH_INLINE void lanes_store_first(float *to, lanes a, int32_t count) {
  if (count >= CLOTH_LANES) {
    _mm_storeu_ps(to, a);
    return;
  }
  if (count == 1) {
    _mm_store_ss(to, a);
    return;
  }
  _mm_storel_pi((__m64 *)(void *)to, a);
  if (count == 3) { _mm_store_ss(to + 2, _mm_movehl_ps(a, a)); }
}

CLOTH_INLINE lanes lanes_splat(float a) {
  return _mm_set1_ps(a);
}

CLOTH_INLINE lanes lanes_add(lanes a, lanes b) {
  return _mm_add_ps(a, b);
}

CLOTH_INLINE lanes lanes_subtract(lanes a, lanes b) {
  return _mm_sub_ps(a, b);
}

CLOTH_INLINE lanes lanes_multiply(lanes a, lanes b) {
  return _mm_mul_ps(a, b);
}

CLOTH_INLINE lanes lanes_divide(lanes a, lanes b) {
  return _mm_div_ps(a, b);
}

CLOTH_INLINE lanes lanes_absolute(lanes a) {
  return _mm_and_ps(a, _mm_castsi128_ps(_mm_set1_epi32(0x7fffffff)));
}

CLOTH_INLINE lanes lanes_square_root(lanes a) {
  return _mm_sqrt_ps(a);
}

CLOTH_INLINE lanes_mask lanes_less(lanes a, lanes b) {
  return _mm_cmplt_ps(a, b);
}

CLOTH_INLINE lanes lanes_select(lanes_mask mask, lanes yes, lanes no) {
  return _mm_or_ps(_mm_and_ps(mask, yes), _mm_andnot_ps(mask, no));
}

CLOTH_INLINE lanes_mask lanes_first(int32_t count) {
  return _mm_castsi128_ps(_mm_cmplt_epi32(_mm_setr_epi32(0, 1, 2, 3), _mm_set1_epi32(count)));
}

CLOTH_INLINE lanes_mask lanes_both(lanes_mask a, lanes_mask b) {
  return _mm_and_ps(a, b);
}

CLOTH_INLINE int lanes_any(lanes_mask mask) {
  return _mm_movemask_ps(mask) != 0;
}

CLOTH_INLINE float lanes_first_value(lanes a) {
  return _mm_cvtss_f32(a);
}

CLOTH_INLINE lanes lanes_keep(lanes_mask mask, lanes a) {
  return _mm_and_ps(mask, a);
}

CLOTH_INLINE lanes lanes_drop(lanes_mask mask, lanes a) {
  return _mm_andnot_ps(mask, a);
}

#define CLOTH_LANES_PAIRS
CLOTH_INLINE lanes lanes_even(lanes a, lanes b) {
  return _mm_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0));
}

CLOTH_INLINE void lanes_interleave(lanes a, lanes b, lanes *low, lanes *high) {
  *low = _mm_unpacklo_ps(a, b);
  *high = _mm_unpackhi_ps(a, b);
}

CLOTH_INLINE void lanes_transpose(lanes block[CLOTH_LANES]) {
  _MM_TRANSPOSE4_PS(block[0], block[1], block[2], block[3]);
}

/* These instructions give their second operand where both are equal or one is NaN, as src/base/lanes.h demands. */
#define CLOTH_LANES_MINIMUM
CLOTH_INLINE lanes lanes_minimum(lanes a, lanes b) {
  return _mm_min_ps(a, b);
}

CLOTH_INLINE lanes lanes_maximum(lanes a, lanes b) {
  return _mm_max_ps(a, b);
}
