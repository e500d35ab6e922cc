#pragma once
#include "scalar.h"

/// Lanes ///

/*
 * Operations on CLOTH_LANES floats at a time: 1, 4 or 8. Elementwise operations give the same bits for any width; sums
 * run over eight partial sums, element i into sum i mod 8, which are added up in one fixed tree. Kernels may read
 * beyond the end of a row, but never write there.
 *
 * A backend (port/lanes_*.h, chosen by the target, CLOTH_SCALAR or CLOTH_LANES_HEADER) defines the operations up to
 * lanes_transpose(); what follows is built on these. Elements `i` to `i + count - 1` of an array fill the first `count`
 * lanes of a block.
 */
#if defined(CLOTH_LANES_HEADER)
#include CLOTH_LANES_HEADER
#elif defined(__AVX2__) && !defined(CLOTH_SCALAR)
#include "../../port/lanes_avx2.h"
#elif (defined(__SSE2__) || defined(_M_X64)) && !defined(CLOTH_SCALAR)
#include "../../port/lanes_sse2.h"
#elif defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2) && !defined(CLOTH_SCALAR) /* bit 1: with floats */
#include "../../port/lanes_helium.h"
#elif defined(__ARM_NEON) && !defined(CLOTH_SCALAR)
#include "../../port/lanes_neon.h"
#elif defined(__wasm_simd128__) && !defined(CLOTH_SCALAR)
#include "../../port/lanes_wasm.h"
#else
#define CLOTH_LANES 1
#define CLOTH_LANES_NAME "scalar"

typedef float lanes;
typedef int lanes_mask; /* chooses lanes; here 1 or 0 */

CLOTH_INLINE lanes lanes_load(const float *from) {
  return *from;
}

CLOTH_INLINE void lanes_store(float *to, lanes a) {
  *to = a;
}

/* Stores the first `count` lanes, which is 1 or more; all of them if `count` is CLOTH_LANES or more. */
CLOTH_INLINE void lanes_store_first(float *to, lanes a, int32_t count) {
  (void)count;
  *to = a;
}

CLOTH_INLINE lanes lanes_splat(float a) {
  return a;
}

CLOTH_INLINE lanes lanes_add(lanes a, lanes b) {
  return a + b;
}

CLOTH_INLINE lanes lanes_subtract(lanes a, lanes b) {
  return a - b;
}

CLOTH_INLINE lanes lanes_multiply(lanes a, lanes b) {
  return a * b;
}

CLOTH_INLINE lanes lanes_divide(lanes a, lanes b) {
  return a / b;
}

CLOTH_INLINE lanes lanes_absolute(lanes a) {
#if defined(__GNUC__) || defined(__clang__)
  return __builtin_fabsf(a); /* clears the sign bit, without a call */
#else
  float_bits b = float_to_bits(a);
  b.bits &= 0x7fffffffu;
  return b.value;
#endif
}

CLOTH_INLINE lanes lanes_square_root(lanes a) {
  return square_root(a);
}

/* Chooses the lanes with a < b; none where one of them is NaN. */
CLOTH_INLINE lanes_mask lanes_less(lanes a, lanes b) {
  return a < b;
}

CLOTH_INLINE lanes lanes_select(lanes_mask mask, lanes yes, lanes no) {
  return mask ? yes : no;
}

CLOTH_INLINE float lanes_first_value(lanes a) {
  return a;
}

/* Chooses the first `count` lanes; none if `count` is 0 or less. */
CLOTH_INLINE lanes_mask lanes_first(int32_t count) {
  return count > 0;
}

CLOTH_INLINE lanes_mask lanes_both(lanes_mask a, lanes_mask b) {
  return a && b;
}

CLOTH_INLINE int lanes_any(lanes_mask mask) {
  return mask;
}

/* The lanes of `a` that the mask chooses; the others are 0. */
CLOTH_INLINE lanes lanes_keep(lanes_mask mask, lanes a) {
  return mask ? a : 0.0f;
}

/* The lanes of `a` that the mask does not choose; the others are 0. */
CLOTH_INLINE lanes lanes_drop(lanes_mask mask, lanes a) {
  return mask ? 0.0f : a;
}

/* Transposes CLOTH_LANES blocks in place: lane n of block m becomes lane m of block n. */
CLOTH_INLINE void lanes_transpose(lanes block[CLOTH_LANES]) {
  (void)block;
}

#define CLOTH_LANES_PAIRS
CLOTH_INLINE lanes lanes_even(lanes a, lanes b) {
  (void)b;
  return a;
}

CLOTH_INLINE void lanes_interleave(lanes a, lanes b, lanes *low, lanes *high) {
  *low = a;
  *high = b;
}

#endif

/* Partial sums of every sum, for any lane width: the largest CLOTH_LANES there is. */
#define LANES_SUMS 8

typedef struct lanes_sum {
  float partial[LANES_SUMS];
} lanes_sum;

/* Adds a block to the partial sums; `index` of its first lane is a multiple of CLOTH_LANES. */
CLOTH_INLINE void lanes_sum_add(lanes_sum *sum, int32_t index, lanes a) {
  CLOTH_ASSERT(index % CLOTH_LANES == 0);
  float *partial = &sum->partial[index & (LANES_SUMS - 1)];
  lanes_store(partial, lanes_add(lanes_load(partial), a));
}

static void lanes_sum_add_value(lanes_sum *sum, int32_t index, float value) {
  sum->partial[index & (LANES_SUMS - 1)] += value;
}

/* The first `count` lanes of `a`; the others are 0. */
CLOTH_INLINE lanes lanes_within(lanes a, int32_t count) {
  return lanes_select(lanes_first(count), a, lanes_splat(0.0f));
}

/* The largest of the lanes and of `least`. */
CLOTH_INLINE float lanes_largest(lanes a, float least) {
  float values[CLOTH_LANES];
  lanes_store(values, a);
  CLOTH_UNROLL
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    least = maximum(least, values[lane]);
  }
  return least;
}

/* The smallest of the lanes, of which none is NaN. A backend may define its own. */
#ifndef CLOTH_LANES_LEAST
CLOTH_INLINE float lanes_least(lanes a) {
  float values[CLOTH_LANES];
  lanes_store(values, a);
  for (int32_t lane = 1; lane < CLOTH_LANES; lane++) {
    values[0] = minimum(values[lane], values[0]);
  }
  return values[0];
}
#endif

/* The fixed tree: the last four partial sums are added to the first four, then two to two, then one to one. The first
   by lanes where they are four: clang before 16 makes splats of sums in memory for WebAssembly, see lanes_splat()
   there. */
CLOTH_INLINE float lanes_sum_total(const lanes_sum *sum) {
  const float *p = sum->partial;
#if CLOTH_LANES == LANES_SUMS / 2
  float half[CLOTH_LANES];
  lanes_store(half, lanes_add(lanes_load(p), lanes_load(p + CLOTH_LANES)));
  return (half[0] + half[2]) + (half[1] + half[3]);
#else
  return ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
#endif
}

/* Minimum and maximum are b where a and b are equal or one is NaN. A backend may have its own that are the same. */
#ifndef CLOTH_LANES_MINIMUM
CLOTH_REPEATED lanes lanes_minimum(lanes a, lanes b) {
  return lanes_select(lanes_less(a, b), a, b);
}

CLOTH_REPEATED lanes lanes_maximum(lanes a, lanes b) {
  return lanes_select(lanes_less(b, a), a, b);
}
#endif

/* Pairs of blocks: the even lanes of two that follow each other, and two whose lanes alternate. */
#ifndef CLOTH_LANES_PAIRS
CLOTH_INLINE lanes lanes_even(lanes a, lanes b) {
  float both[2 * CLOTH_LANES], even[CLOTH_LANES];
  lanes_store(both, a);
  lanes_store(both + CLOTH_LANES, b);
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    even[lane] = both[2 * lane];
  }
  return lanes_load(even);
}

CLOTH_INLINE void lanes_interleave(lanes a, lanes b, lanes *low, lanes *high) {
  float one[CLOTH_LANES], other[CLOTH_LANES], both[2 * CLOTH_LANES];
  lanes_store(one, a);
  lanes_store(other, b);
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    both[2 * lane] = one[lane];
    both[2 * lane + 1] = other[lane];
  }
  *low = lanes_load(both);
  *high = lanes_load(both + CLOTH_LANES);
}
#endif

/* Magnitudes below the quantum become +0. */
CLOTH_INLINE lanes lanes_flush_below(lanes a, float quantum) {
  return lanes_drop(lanes_less(lanes_absolute(a), lanes_splat(quantum)), a);
}

/* What is less than `least`, which is above 0, becomes +0. */
CLOTH_INLINE lanes lanes_at_least(lanes a, float least) {
  return lanes_drop(lanes_less(a, lanes_splat(least)), a);
}

CLOTH_INLINE lanes lanes_flush(lanes a) {
  return lanes_flush_below(a, WORK_QUANTUM);
}

/* Rounds to multiples of a power of two: see quantise(). Never -0. */
CLOTH_INLINE lanes lanes_quantise(lanes a, float rounder) {
  return lanes_subtract(lanes_add(a, lanes_splat(rounder)), lanes_splat(rounder));
}

/* 0 - a rather than a change of sign: 0 stays +0, see negate(). */
CLOTH_INLINE lanes lanes_negate(lanes a) {
  return lanes_subtract(lanes_splat(0.0f), a);
}

typedef struct lanes3 {
  lanes x, y, z;
} lanes3;

CLOTH_INLINE lanes3 lanes3_of(lanes x, lanes y, lanes z) {
  return (lanes3){x, y, z};
}

CLOTH_INLINE lanes3 lanes3_add(lanes3 a, lanes3 b) {
  return lanes3_of(lanes_add(a.x, b.x), lanes_add(a.y, b.y), lanes_add(a.z, b.z));
}

CLOTH_INLINE lanes3 lanes3_subtract(lanes3 a, lanes3 b) {
  return lanes3_of(lanes_subtract(a.x, b.x), lanes_subtract(a.y, b.y), lanes_subtract(a.z, b.z));
}

CLOTH_INLINE lanes3 lanes3_scale(lanes3 a, lanes s) {
  return lanes3_of(lanes_multiply(a.x, s), lanes_multiply(a.y, s), lanes_multiply(a.z, s));
}

CLOTH_INLINE lanes3 lanes3_splat(cloth_vector a) {
  return lanes3_of(lanes_splat(a.x), lanes_splat(a.y), lanes_splat(a.z));
}

/* lanes_sum_add() and lanes_sum_total() for vectors: a sum for each component. */
CLOTH_INLINE void lanes3_sum_add(lanes_sum sums[3], int32_t index, lanes3 a) {
  lanes_sum_add(&sums[0], index, a.x);
  lanes_sum_add(&sums[1], index, a.y);
  lanes_sum_add(&sums[2], index, a.z);
}

CLOTH_INLINE cloth_vector lanes3_sum_total(const lanes_sum sums[3]) {
  return vector(lanes_sum_total(&sums[0]), lanes_sum_total(&sums[1]), lanes_sum_total(&sums[2]));
}

CLOTH_INLINE cloth_vector lanes3_first(lanes3 a) {
  return vector(lanes_first_value(a.x), lanes_first_value(a.y), lanes_first_value(a.z));
}

/* a + s b */
CLOTH_INLINE lanes3 lanes3_add_scaled(lanes3 a, lanes3 b, lanes s) {
  return lanes3_add(a, lanes3_scale(b, s));
}

CLOTH_INLINE lanes3 lanes3_select(lanes_mask mask, lanes3 yes, lanes3 no) {
  return lanes3_of(lanes_select(mask, yes.x, no.x), lanes_select(mask, yes.y, no.y), lanes_select(mask, yes.z, no.z));
}

CLOTH_INLINE lanes3 lanes3_keep(lanes_mask mask, lanes3 a) {
  return lanes3_of(lanes_keep(mask, a.x), lanes_keep(mask, a.y), lanes_keep(mask, a.z));
}

CLOTH_INLINE lanes lanes3_dot(lanes3 a, lanes3 b) {
  return lanes_add(lanes_add(lanes_multiply(a.x, b.x), lanes_multiply(a.y, b.y)), lanes_multiply(a.z, b.z));
}

CLOTH_INLINE lanes3 lanes3_flush_below(lanes3 a, float quantum) {
  return lanes3_of(lanes_flush_below(a.x, quantum), lanes_flush_below(a.y, quantum), lanes_flush_below(a.z, quantum));
}

CLOTH_INLINE lanes3 lanes3_flush(lanes3 a) {
  return lanes3_of(lanes_flush(a.x), lanes_flush(a.y), lanes_flush(a.z));
}

CLOTH_INLINE lanes3 lanes3_quantise(lanes3 a, float rounder) {
  return lanes3_of(lanes_quantise(a.x, rounder), lanes_quantise(a.y, rounder), lanes_quantise(a.z, rounder));
}

/* Runs a statement with a name for a number. */
#define WITH_CONSTANT(name, number, statement)                                                                         \
  {                                                                                                                    \
    const int32_t name = (number);                                                                                     \
    statement;                                                                                                         \
  }

/* Runs a statement for each block of lanes of the elements from `first` to `end` - 1; `i` is the block's first element,
   `left` how many there are from there on. Compiled twice but for size: for whole blocks `left` is the constant
   CLOTH_LANES. */
#define EACH_BLOCK_OF(i, left, first, end, statement)                                                                  \
  for (int32_t i = (first), end_of_blocks = (end); i < end_of_blocks; i += CLOTH_LANES) {                              \
    if (HAS_WHOLE_BLOCKS && end_of_blocks - i >= CLOTH_LANES) {                                                        \
      WITH_CONSTANT(left, CLOTH_LANES, statement)                                                                      \
    } else {                                                                                                           \
      WITH_CONSTANT(left, end_of_blocks - i, statement)                                                                \
    }                                                                                                                  \
  }
#define EACH_BLOCK(i, left, count, statement) EACH_BLOCK_OF(i, left, 0, count, statement)
#if defined(__OPTIMIZE_SIZE__) || CLOTH_LANES == 1
#define HAS_WHOLE_BLOCKS 0
#else
#define HAS_WHOLE_BLOCKS 1
#endif

/* A bit for each lane, the lowest for lane 0: 1 if the mask chooses it; and back. A backend may define its own. */
#ifndef CLOTH_LANES_BITS
CLOTH_INLINE uint32_t lanes_bits(lanes_mask mask) {
  float chosen[CLOTH_LANES];
  uint32_t bits = 0;
  lanes_store(chosen, lanes_keep(mask, lanes_splat(1.0f)));
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    bits |= (uint32_t)(chosen[lane] > 0.0f) << lane;
  }
  return bits;
}

CLOTH_INLINE lanes_mask lanes_of_bits(uint32_t bits) {
  float chosen[CLOTH_LANES];
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    chosen[lane] = (float)(bits >> lane & 1u);
  }
  return lanes_less(lanes_splat(0.0f), lanes_load(chosen));
}
#endif

/* Loads lanes from CLOTH_LANES places. A backend may define its own. */
#ifndef CLOTH_LANES_PICK
CLOTH_INLINE lanes lanes_pick(const float *from, const uint16_t *index) {
  float picked[CLOTH_LANES];
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    picked[lane] = from[index[lane]];
  }
  return lanes_load(picked);
}
#endif

/* Loads lanes from CLOTH_LANES places, as floats from the beginning of an array. A backend may define its own. */
#ifndef CLOTH_LANES_GATHER
CLOTH_INLINE lanes lanes_gather(const float *from, const int32_t *places) {
  float gathered[CLOTH_LANES];
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    gathered[lane] = from[places[lane]];
  }
  return lanes_load(gathered);
}
#endif

/* Sets so many floats to 0, four blocks at a time: of one compilers make a call of memset(). */
static void clear_floats(float *values, int32_t count) {
  const lanes zero = lanes_splat(0.0f);
  int32_t i = 0;
  for (; i + 4 * CLOTH_LANES <= count; i += 4 * CLOTH_LANES) {
    lanes_store(values + i, zero);
    lanes_store(values + i + CLOTH_LANES, zero);
    lanes_store(values + i + 2 * CLOTH_LANES, zero);
    lanes_store(values + i + 3 * CLOTH_LANES, zero);
  }
  for (; i + CLOTH_LANES <= count; i += CLOTH_LANES) {
    lanes_store(values + i, zero);
  }
  for (; i < count; i++) {
    values[i] = 0.0f;
  }
}

/* A block of vectors whose components lie `next` floats apart. */
CLOTH_INLINE lanes3 lanes3_apart(const float *from, ptrdiff_t next) {
  return lanes3_of(lanes_load(from), lanes_load(from + next), lanes_load(from + 2 * next));
}

CLOTH_INLINE void lanes3_store_apart(float *to, ptrdiff_t next, lanes3 a) {
  lanes_store(to, a.x);
  lanes_store(to + next, a.y);
  lanes_store(to + 2 * next, a.z);
}

/* One vector per particle as three arrays of components. */
typedef struct vector_array {
  float *x, *y, *z;
} vector_array;

/* The three rows of an array as vectors, to read or to write. */
#define VECTORS_OF(array) ((vector_array){(float *)(array)[0], (float *)(array)[1], (float *)(array)[2]})

CLOTH_INLINE lanes3 lanes3_load(vector_array from, int32_t i) {
  return lanes3_of(lanes_load(from.x + i), lanes_load(from.y + i), lanes_load(from.z + i));
}

CLOTH_INLINE void lanes3_store(vector_array to, int32_t i, lanes3 a, int32_t count) {
  if (CLOTH_LANES == 1 || count >= CLOTH_LANES) {
    lanes_store(to.x + i, a.x);
    lanes_store(to.y + i, a.y);
    lanes_store(to.z + i, a.z);
  } else {
    lanes_store_first(to.x + i, a.x, count);
    lanes_store_first(to.y + i, a.y, count);
    lanes_store_first(to.z + i, a.z, count);
  }
}

CLOTH_INLINE cloth_vector vector_load(vector_array from, int32_t i) {
  return vector(from.x[i], from.y[i], from.z[i]);
}

CLOTH_INLINE void vector_store(vector_array to, int32_t i, cloth_vector a) {
  to.x[i] = a.x;
  to.y[i] = a.y;
  to.z[i] = a.z;
}

/* Components below STATE_QUANTUM count as 0, as their squares might be subnormal. */
CLOTH_INLINE lanes lanes3_length(lanes3 a) {
  a = lanes3_flush_below(a, STATE_QUANTUM);
  return lanes_square_root(lanes3_dot(a, a));
}

/* a without its part along the unit vector n. */
CLOTH_INLINE lanes3 lanes3_across(lanes3 a, lanes3 n) {
  return lanes3_flush(lanes3_add_scaled(a, n, lanes_negate(lanes_flush(lanes3_dot(a, n)))));
}

CLOTH_INLINE lanes3 lanes3_cross(lanes3 a, lanes3 b) {
  return lanes3_of(lanes_subtract(lanes_multiply(a.y, b.z), lanes_multiply(a.z, b.y)),
                   lanes_subtract(lanes_multiply(a.z, b.x), lanes_multiply(a.x, b.z)),
                   lanes_subtract(lanes_multiply(a.x, b.y), lanes_multiply(a.y, b.x)));
}

/* -1 where a < 0, else 1. */
CLOTH_REPEATED lanes lanes_sign(lanes a) {
  return lanes_select(lanes_less(a, lanes_splat(0.0f)), lanes_splat(-1.0f), lanes_splat(1.0f));
}

/* Sum of lanes that hold whole numbers from 0 to 2^24. */
static uint32_t lanes_count(lanes a) {
  float values[CLOTH_LANES];
  uint32_t count = 0;
  lanes_store(values, a);
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    count += (uint32_t)values[lane];
  }
  return count;
}

CLOTH_INLINE lanes3 lanes3_minimum(lanes3 a, lanes3 b) {
  return lanes3_of(lanes_minimum(a.x, b.x), lanes_minimum(a.y, b.y), lanes_minimum(a.z, b.z));
}

CLOTH_INLINE lanes3 lanes3_maximum(lanes3 a, lanes3 b) {
  return lanes3_of(lanes_maximum(a.x, b.x), lanes_maximum(a.y, b.y), lanes_maximum(a.z, b.z));
}

/* Upper bound of |a|: its 1-norm, which needs no square root. */
CLOTH_INLINE lanes length_upper_bound(lanes3 a) {
  return lanes_add(lanes_add(lanes_absolute(a.x), lanes_absolute(a.y)), lanes_absolute(a.z));
}
