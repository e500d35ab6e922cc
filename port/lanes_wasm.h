/*
 * Lanes for WebAssembly with 128-bit SIMD, four wide. src/base/lanes.h says what the operations mean.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include <wasm_simd128.h>

#define CLOTH_LANES 4
#define CLOTH_LANES_NAME "wasm"

typedef v128_t lanes;
typedef v128_t lanes_mask; /* all bits of a lane set or none */

CLOTH_INLINE lanes lanes_load(const float *from) {
  return wasm_v128_load(from);
}

CLOTH_INLINE void lanes_store(float *to, lanes a) {
  wasm_v128_store(to, a);
}

CLOTH_INLINE void lanes_store_first(float *to, lanes a, int32_t count) {
  if (count >= CLOTH_LANES) {
    wasm_v128_store(to, a);
    return;
  }
  if (count == 1) {
    wasm_v128_store32_lane(to, a, 0);
    return;
  }
  wasm_v128_store64_lane(to, a, 0);
  if (count == 3) { wasm_v128_store32_lane(to + 2, a, 2); }
}

/* Clang before 16 makes a load and a splat one instruction, v128.load32_splat, and forgets that it comes before what is
   stored there later: it may read what was stored. So the float comes from a local. */
CLOTH_INLINE lanes lanes_splat(float a) {
#if defined(__clang_major__) && __clang_major__ < 16
  __asm__("" : "+r"(a));
#endif
  return wasm_f32x4_splat(a);
}

CLOTH_INLINE lanes lanes_add(lanes a, lanes b) {
  return wasm_f32x4_add(a, b);
}

CLOTH_INLINE lanes lanes_subtract(lanes a, lanes b) {
  return wasm_f32x4_sub(a, b);
}

CLOTH_INLINE lanes lanes_multiply(lanes a, lanes b) {
  return wasm_f32x4_mul(a, b);
}

CLOTH_INLINE lanes lanes_divide(lanes a, lanes b) {
  return wasm_f32x4_div(a, b);
}

CLOTH_INLINE lanes lanes_absolute(lanes a) {
  return wasm_f32x4_abs(a);
}

CLOTH_INLINE lanes lanes_square_root(lanes a) {
  return wasm_f32x4_sqrt(a);
}

CLOTH_INLINE lanes_mask lanes_less(lanes a, lanes b) {
  return wasm_f32x4_lt(a, b);
}

CLOTH_INLINE lanes lanes_select(lanes_mask mask, lanes yes, lanes no) {
  return wasm_v128_bitselect(yes, no, mask);
}

CLOTH_INLINE lanes_mask lanes_first(int32_t count) {
  return wasm_i32x4_lt(wasm_i32x4_const(0, 1, 2, 3), wasm_i32x4_splat(count));
}

CLOTH_INLINE lanes_mask lanes_both(lanes_mask a, lanes_mask b) {
  return wasm_v128_and(a, b);
}

CLOTH_INLINE int lanes_any(lanes_mask mask) {
  return wasm_v128_any_true(mask);
}

CLOTH_INLINE float lanes_first_value(lanes a) {
  return wasm_f32x4_extract_lane(a, 0);
}

CLOTH_INLINE lanes lanes_keep(lanes_mask mask, lanes a) {
  return wasm_v128_and(mask, a);
}

CLOTH_INLINE lanes lanes_drop(lanes_mask mask, lanes a) {
  return wasm_v128_andnot(a, mask);
}

#define CLOTH_LANES_PAIRS
CLOTH_INLINE lanes lanes_even(lanes a, lanes b) {
  return wasm_i32x4_shuffle(a, b, 0, 2, 4, 6);
}

CLOTH_INLINE void lanes_interleave(lanes a, lanes b, lanes *low, lanes *high) {
  *low = wasm_i32x4_shuffle(a, b, 0, 4, 1, 5);
  *high = wasm_i32x4_shuffle(a, b, 2, 6, 3, 7);
}

CLOTH_INLINE void lanes_transpose(lanes block[CLOTH_LANES]) {
  v128_t a = wasm_i32x4_shuffle(block[0], block[1], 0, 4, 1, 5);
  v128_t b = wasm_i32x4_shuffle(block[0], block[1], 2, 6, 3, 7);
  v128_t c = wasm_i32x4_shuffle(block[2], block[3], 0, 4, 1, 5);
  v128_t d = wasm_i32x4_shuffle(block[2], block[3], 2, 6, 3, 7);
  block[0] = wasm_i32x4_shuffle(a, c, 0, 1, 4, 5);
  block[1] = wasm_i32x4_shuffle(a, c, 2, 3, 6, 7);
  block[2] = wasm_i32x4_shuffle(b, d, 0, 1, 4, 5);
  block[3] = wasm_i32x4_shuffle(b, d, 2, 3, 6, 7);
}

/* pmin(b, a) is a < b ? a : b and pmax(b, a) is b < a ? a : b, as src/base/lanes.h demands. */
#define CLOTH_LANES_MINIMUM
CLOTH_INLINE lanes lanes_minimum(lanes a, lanes b) {
  return wasm_f32x4_pmin(b, a);
}

CLOTH_INLINE lanes lanes_maximum(lanes a, lanes b) {
  return wasm_f32x4_pmax(b, a);
}
