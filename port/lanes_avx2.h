/*
 * Lanes for x86 with AVX2, eight wide. src/base/lanes.h says what the operations mean.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

/* GCC's header includes mm_malloc.h, which needs <stdlib.h>: leave that out where there is no C library. */
#if defined(__GNUC__) && !defined(__clang__) && !__STDC_HOSTED__ && !defined(_MM_MALLOC_H_INCLUDED)
#define _MM_MALLOC_H_INCLUDED
#endif
#include <immintrin.h>

#define CLOTH_LANES 8
#define CLOTH_LANES_NAME "avx2"

typedef __m256 lanes;
typedef __m256 lanes_mask; /* all bits of a lane set or none */

CLOTH_INLINE lanes_mask lanes_first(int32_t count) {
  __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_set1_epi32(count), index));
}

CLOTH_INLINE lanes lanes_load(const float *from) {
  return _mm256_loadu_ps(from);
}

#define CLOTH_LANES_LEAST
CLOTH_INLINE float lanes_least(lanes a) {
  const __m128 four = _mm_min_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  const __m128 two = _mm_min_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_min_ss(two, _mm_shuffle_ps(two, two, 1)));
}

#if WITH_SELF
#define CLOTH_LANES_PICK
CLOTH_INLINE lanes lanes_pick(const float *from, const uint16_t *index) {
  return _mm256_i32gather_ps(from, _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)index)), 4);
}
#endif

#define CLOTH_LANES_GATHER
CLOTH_INLINE lanes lanes_gather(const float *from, const int32_t *places) {
  return _mm256_i32gather_ps(from, _mm256_loadu_si256((const __m256i *)(const void *)places), 4);
}

#define CLOTH_LANES_BITS
CLOTH_INLINE uint32_t lanes_bits(lanes_mask mask) {
  return (uint32_t)_mm256_movemask_ps(mask);
}

CLOTH_INLINE lanes_mask lanes_of_bits(uint32_t bits) {
  const __m256i own = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  return _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)bits), own), own));
}

CLOTH_INLINE void lanes_store(float *to, lanes a) {
  _mm256_storeu_ps(to, a);
}

/* The end of a row is stored in pieces. A masked store takes twenty times as long on some processors. A whole store
   would overlap the start of the next row, whose loads would then stall until the store is complete. */
CLOTH_INLINE void lanes_store_first(float *to, lanes a, int32_t count) {
  if (count >= CLOTH_LANES) {
    _mm256_storeu_ps(to, a);
    return;
  }
  __m128 part = _mm256_castps256_ps128(a);
  if (count & 4) {
    _mm_storeu_ps(to, part);
    part = _mm256_extractf128_ps(a, 1);
    to += 4;
  }
  if (count & 2) {
    _mm_storel_pi((__m64 *)(void *)to, part);
    part = _mm_movehl_ps(part, part);
    to += 2;
  }
  if (count & 1) { _mm_store_ss(to, part); }
}

CLOTH_INLINE lanes lanes_splat(float a) {
  return _mm256_set1_ps(a);
}

CLOTH_INLINE lanes lanes_add(lanes a, lanes b) {
  return _mm256_add_ps(a, b);
}

CLOTH_INLINE lanes lanes_subtract(lanes a, lanes b) {
  return _mm256_sub_ps(a, b);
}

CLOTH_INLINE lanes lanes_multiply(lanes a, lanes b) {
  return _mm256_mul_ps(a, b);
}

CLOTH_INLINE lanes lanes_divide(lanes a, lanes b) {
  return _mm256_div_ps(a, b);
}

CLOTH_INLINE lanes lanes_absolute(lanes a) {
  return _mm256_and_ps(a, _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff)));
}

CLOTH_INLINE lanes lanes_square_root(lanes a) {
  return _mm256_sqrt_ps(a);
}

CLOTH_INLINE lanes_mask lanes_less(lanes a, lanes b) {
  return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}

CLOTH_INLINE lanes lanes_select(lanes_mask mask, lanes yes, lanes no) {
  return _mm256_blendv_ps(no, yes, mask);
}

CLOTH_INLINE lanes_mask lanes_both(lanes_mask a, lanes_mask b) {
  return _mm256_and_ps(a, b);
}

CLOTH_INLINE int lanes_any(lanes_mask mask) {
  return _mm256_movemask_ps(mask) != 0;
}

CLOTH_INLINE float lanes_first_value(lanes a) {
  return _mm256_cvtss_f32(a);
}

CLOTH_INLINE lanes lanes_keep(lanes_mask mask, lanes a) {
  return _mm256_and_ps(mask, a);
}

CLOTH_INLINE lanes lanes_drop(lanes_mask mask, lanes a) {
  return _mm256_andnot_ps(mask, a);
}

#define CLOTH_LANES_PAIRS
CLOTH_INLINE lanes lanes_even(lanes a, lanes b) {
  const __m256d mixed = _mm256_castps_pd(_mm256_shuffle_ps(a, b, 0x88));
  return _mm256_castpd_ps(_mm256_permute4x64_pd(mixed, 0xd8));
}

CLOTH_INLINE void lanes_interleave(lanes a, lanes b, lanes *low, lanes *high) {
  const __m256 first = _mm256_unpacklo_ps(a, b), second = _mm256_unpackhi_ps(a, b);
  *low = _mm256_permute2f128_ps(first, second, 0x20);
  *high = _mm256_permute2f128_ps(first, second, 0x31);
}

CLOTH_INLINE void lanes_transpose(lanes block[CLOTH_LANES]) {
  __m256 pair[8], four[8];
  CLOTH_UNROLL
  for (int n = 0; n < 4; n++) {
    pair[2 * n] = _mm256_unpacklo_ps(block[2 * n], block[2 * n + 1]);
    pair[2 * n + 1] = _mm256_unpackhi_ps(block[2 * n], block[2 * n + 1]);
  }
  CLOTH_UNROLL
  for (int n = 0; n < 2; n++) {
    four[4 * n] = _mm256_shuffle_ps(pair[4 * n], pair[4 * n + 2], 0x44);
    four[4 * n + 1] = _mm256_shuffle_ps(pair[4 * n], pair[4 * n + 2], 0xee);
    four[4 * n + 2] = _mm256_shuffle_ps(pair[4 * n + 1], pair[4 * n + 3], 0x44);
    four[4 * n + 3] = _mm256_shuffle_ps(pair[4 * n + 1], pair[4 * n + 3], 0xee);
  }
  CLOTH_UNROLL
  for (int n = 0; n < 4; n++) {
    block[n] = _mm256_permute2f128_ps(four[n], four[n + 4], 0x20);
    block[n + 4] = _mm256_permute2f128_ps(four[n], four[n + 4], 0x31);
  }
}

/* These instructions give their second operand where both are equal or one is NaN, as src/base/lanes.h demands. */
#define CLOTH_LANES_MINIMUM
CLOTH_INLINE lanes lanes_minimum(lanes a, lanes b) {
  return _mm256_min_ps(a, b);
}

CLOTH_INLINE lanes lanes_maximum(lanes a, lanes b) {
  return _mm256_max_ps(a, b);
}
