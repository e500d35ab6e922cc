/*
 * cloth - cloth simulation in one header and one source file. See cloth.h.
 *
 * Made from the parts in src/ by src/join.sh. Do not change this file: change a part, then run `make cloth.c`.
 * src/README.md is the map: what a step does in order, and in which part.
 *
 * Units inside. The linear system is divided by the reference mass m0 = density * area / particles, so that its
 * unknown is a velocity change [m/s], its matrix is the unit matrix plus kappa-sized blocks, and forces appear as
 * velocity changes k f / m0. With k the substep, a stiffness ks enters as k^2 ks / m0 and a damping kd as k kd / m0.
 *
 * Why the result does not depend on the machine. Only +, -, *, / and a correctly rounded square root of floats are
 * used, in an order fixed by the source; sums over the grid go through eight partial sums and one tree, whatever the
 * lane width; minimum, maximum and sign are compare and select. Stored quantities smaller than 2^-40 (positions and
 * velocities: 2^-30) are replaced by +0, so that no product reaches the subnormal range, where machines differ.
 *
 * SPDX-License-Identifier: MIT
 */

/// 1. Language: compiler, numbers, lanes ///

#include "cloth.h"

/// Compiler guards ///

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || defined(_M_FP_FAST) ||        \
    defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__)
#error "cloth: compile without -ffast-math or parts of it; they break the same bits on every machine"
#endif
/* 16: half-precision numbers are evaluated as such, and floats as floats. */
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16
#error "cloth: float expressions must be evaluated as float (x86: -msse2 -mfpmath=sse; s390x: -std=gnu99)"
#endif
#if defined(__clang__)
/* No macro shows clang's parts of -ffast-math. Where it can, this takes them back; it must stand before the other,
   which it would undo. Elsewhere cloth_self_test() notices. */
#if defined(__x86_64__) || defined(__i386__) || defined(__s390x__) || defined(__powerpc__)
#pragma float_control(precise, on)
#endif
#pragma clang fp contract(off)
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off", "no-tree-vectorize")
#if defined(__OPTIMIZE_SIZE__)
/* What these passes do to loops over a few floats takes a twentieth more bytes (measured on Cortex-M). */
#pragma GCC optimize("no-tree-forwprop", "no-tree-loop-distribute-patterns", "no-tree-loop-im")
#pragma GCC optimize("no-move-loop-invariants", "no-if-conversion", "no-schedule-insns2")
#endif
#elif defined(_MSC_VER)
#pragma fp_contract(off)
#endif

/* CLOTH_PORT names a header that defines some of the hooks below, as in -DCLOTH_PORT='"my_port.h"'. */
#if defined(CLOTH_PORT)
#include CLOTH_PORT
#endif

/* CLOTH_ASSERT(condition): called with what must hold inside; a failure is a defect of the library. */
#ifndef CLOTH_ASSERT
#define CLOTH_ASSERT(condition) ((void)0)
#endif
/* CLOTH_TICKS(): the port's timer, 32 bits that wrap. Only statistics show it; no result depends on it. */
#ifndef CLOTH_TICKS
#define CLOTH_TICKS() 0u
#endif
/* Before functions that run once per particle and more, and before tables: for sections of tightly coupled memory. */
#ifndef CLOTH_HOT
#define CLOTH_HOT
#endif
#ifndef CLOTH_CONSTANT
#define CLOTH_CONSTANT
#endif

/*
 * What a build may leave out, for boards: defining CLOTH_NO_... takes away the code behind it. A config that asks for
 * it gets CLOTH_ERROR_LEFT_OUT, the default config does not ask, and functions that serve nothing else are not there.
 */
#ifdef CLOTH_NO_SOLVER /* implicit integration, and what needs it: only explicit-only cloths */
#define WITH_SOLVER 0
#else
#define WITH_SOLVER 1
#endif
#if defined(CLOTH_NO_MULTILEVEL) || !WITH_SOLVER /* the multilevel preconditioner */
#define WITH_MULTILEVEL 0
#else
#define WITH_MULTILEVEL 1
#endif
#ifdef CLOTH_NO_COLLIDERS
#define WITH_COLLIDERS 0
#else
#define WITH_COLLIDERS 1
#endif
#if defined(CLOTH_NO_CONTACT_SOLVER) || !WITH_SOLVER || !WITH_COLLIDERS
#define WITH_CONTACT_SOLVER 0
#else
#define WITH_CONTACT_SOLVER 1
#endif
#ifdef CLOTH_NO_CONFINED /* particles held to lines and planes */
#define WITH_CONFINED 0
#else
#define WITH_CONFINED 1
#endif
#ifdef CLOTH_NO_AIR /* drag and lift */
#define WITH_AIR 0
#else
#define WITH_AIR 1
#endif
#ifdef CLOTH_NO_LIMITS /* strain limiting */
#define WITH_LIMITS 0
#else
#define WITH_LIMITS 1
#endif
#ifdef CLOTH_NO_PROJECTION /* projected springs, tethers and extrapolation */
#define WITH_PROJECTION 0
#else
#define WITH_PROJECTION 1
#endif
#ifdef CLOTH_NO_SLEEP
#define WITH_SLEEP 0
#else
#define WITH_SLEEP 1
#endif

#ifdef CLOTH_NO_TARGETS /* motion constraints to animated targets */
#define WITH_TARGETS 0
#else
#define WITH_TARGETS 1
#endif

#if defined(CLOTH_NO_MOVE_FRAME) || !WITH_COLLIDERS /* its poses are those of colliders */
#define WITH_MOVE_FRAME 0
#else
#define WITH_MOVE_FRAME 1
#endif

#ifdef CLOTH_NO_WRAP /* columns that go all the way round */
#define WITH_WRAP 0
#else
#define WITH_WRAP 1
#endif

#ifdef CLOTH_NO_PLANNING /* work and its bounds, plans and deadlines */
#define WITH_PLANNING 0
#else
#define WITH_PLANNING 1
#endif

/* For the operations that everything is built from: a call each would cost more than what it does. */
#if (defined(__GNUC__) || defined(__clang__)) && !defined(__OPTIMIZE_SIZE__)
#define CLOTH_INLINE static inline __attribute__((always_inline))
#else
#define CLOTH_INLINE static inline
#endif

/* For what is called from many places: once in memory where size is asked for. */
#if (defined(__GNUC__) || defined(__clang__)) && defined(__OPTIMIZE_SIZE__)
#define CLOTH_ONCE static __attribute__((noinline))
#else
#define CLOTH_ONCE static
#endif

/* For the stages of a step: each has a stack frame of its own, so that their frames do not add up. */
#if defined(__GNUC__) || defined(__clang__)
#define CLOTH_SEPARATE static __attribute__((noinline))
#else
#define CLOTH_SEPARATE static
#endif

/// Scalars and vectors ///

typedef union float_bits {
  float value;
  uint32_t bits;
} float_bits;

CLOTH_INLINE float_bits float_to_bits(float value) {
  float_bits b;
  b.value = value;
  return b;
}

static int is_finite(float value) {
  return (float_to_bits(value).bits & 0x7f800000u) != 0x7f800000u;
}

static int in_range(float value, float low, float high) {
  return is_finite(value) && value >= low && value <= high;
}

CLOTH_INLINE float minimum(float a, float b) {
  return a < b ? a : b;
}

CLOTH_INLINE float maximum(float a, float b) {
  return a > b ? a : b;
}

#if WITH_COLLIDERS
static float absolute(float a) {
  return a < 0.0f ? 0.0f - a : a;
}
#endif

/*
 * Correctly rounded square root. One instruction where there is one, written out because compilers may call a library
 * for __builtin_sqrtf. Elsewhere, or with CLOTH_SQUARE_ROOT_BY_BITS defined, in integers: one bit of the root at a
 * time, 25 bits, then to nearest even. Arguments are 0 or normal numbers; the root of a normal number is normal.
 */
#if (defined(__GNUC__) || defined(__clang__)) && !defined(CLOTH_SQUARE_ROOT_BY_BITS)
#if defined(__AVX__)
#define SQUARE_ROOT_INSTRUCTION(root, value) __asm__("vsqrtss %1, %1, %0" : "=x"(root) : "x"(value))
#elif defined(__SSE__)
#define SQUARE_ROOT_INSTRUCTION(root, value) __asm__("sqrtss %1, %0" : "=x"(root) : "x"(value))
#elif defined(__aarch64__)
#define SQUARE_ROOT_INSTRUCTION(root, value) __asm__("fsqrt %s0, %s1" : "=w"(root) : "w"(value))
#elif defined(__ARM_FP) && (__ARM_FP & 4) && !defined(__SOFTFP__)
#define SQUARE_ROOT_INSTRUCTION(root, value) __asm__("vsqrt.f32 %0, %1" : "=t"(root) : "t"(value))
#elif defined(__riscv_flen) && __riscv_flen >= 32
#define SQUARE_ROOT_INSTRUCTION(root, value) __asm__("fsqrt.s %0, %1" : "=f"(root) : "f"(value))
#elif defined(__wasm__)
#define SQUARE_ROOT_INSTRUCTION(root, value) (root = __builtin_sqrtf(value))
#endif
#endif

#ifdef SQUARE_ROOT_INSTRUCTION
CLOTH_INLINE float square_root(float value) {
  float root;
  SQUARE_ROOT_INSTRUCTION(root, value);
  return root;
}
#else
CLOTH_INLINE float square_root(float value) {
  uint32_t bits = float_to_bits(value).bits;
  if (bits >= 0x7f800000u && (value > 0.0f || value != value)) {
    return value; /* infinity and what is no number */
  }
  if (!(value > 0.0f) || bits < 0x00800000u) {
    return 0.0f;
  }
  uint32_t exponent = (bits >> 23) - 127u;
  uint32_t remainder = (bits & 0x007fffffu) | 0x00800000u;
  if (exponent & 1u) {
    remainder += remainder;
  }
  remainder += remainder;
  uint32_t root = 0;
  uint32_t tested = 0;
  for (uint32_t bit = 0x01000000u; bit != 0; bit >>= 1) {
    uint32_t trial = tested + bit;
    if (trial <= remainder) {
      tested = trial + bit;
      remainder -= trial;
      root += bit;
    }
    remainder += remainder;
  }
  if (remainder != 0) {
    root += root & 1u;
  }
  float_bits result;
  /* The exponent halves downwards: biased first, so that the shift stays unsigned. */
  result.bits = (root >> 1) + 0x3f000000u + ((((exponent + 256u) >> 1) - 128u) << 23);
  return result.value;
}
#endif

/* Smallest magnitude kept in positions [m] and velocities [m/s]: 2^-30. Two such numbers differ by 0 or by at least
   2^-53, whose square is far above the smallest normal float, 2^-126. */
#define STATE_QUANTUM 9.313225746154785e-10f
/* Smallest magnitude kept in work vectors and coefficients: 2^-40. A product of two is at least 2^-80 and sums of such
   products differ by 0 or by at least 2^-104. */
#define WORK_QUANTUM 9.094947017729282e-13f
/* Adding and taking away 1.5 * 2^(23 - n) rounds to multiples of 2^-n, and costs two additions where a comparison costs
   more; large values lose no more than a rounding. Products and sums of multiples of 2^-n and 2^-m are multiples of
   2^-(n + m) however they are rounded, so that none of them reaches the subnormal range as long as n + m < 126. These
   are for n = 40, WORK_QUANTUM, and n = 30, STATE_QUANTUM. */
#define WORK_ROUNDER 1.1444091796875e-5f
#define STATE_ROUNDER 0.01171875f
/* Smallest magnitude kept in impulses [N s] and in directions of any length, which meet one more factor of 1e-13 at the
   least: the mass of the lightest particle, an arm, or the inverse of the greatest length. */
#define INPUT_QUANTUM 1.0e-22f

CLOTH_INLINE float flush_small(float value, float quantum) {
  return (value < quantum && value > -quantum) ? 0.0f : value;
}

CLOTH_INLINE cloth_vector vector(float x, float y, float z) {
  cloth_vector v;
  v.x = x;
  v.y = y;
  v.z = z;
  return v;
}

static cloth_vector vector_add(cloth_vector a, cloth_vector b) {
  return vector(a.x + b.x, a.y + b.y, a.z + b.z);
}

static cloth_vector vector_subtract(cloth_vector a, cloth_vector b) {
  return vector(a.x - b.x, a.y - b.y, a.z - b.z);
}

static cloth_vector vector_scale(cloth_vector a, float s) {
  return vector(a.x * s, a.y * s, a.z * s);
}

/* a + s b */
static cloth_vector vector_add_scaled(cloth_vector a, cloth_vector b, float s) {
  return vector(a.x + b.x * s, a.y + b.y * s, a.z + b.z * s);
}

static float vector_dot(cloth_vector a, cloth_vector b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static cloth_vector vector_cross(cloth_vector a, cloth_vector b) {
  return vector(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static cloth_vector vector_flush(cloth_vector a, float quantum) {
  return vector(flush_small(a.x, quantum), flush_small(a.y, quantum), flush_small(a.z, quantum));
}

/* What is left of a vector that enters products: see WORK_QUANTUM. */
CLOTH_ONCE cloth_vector vector_flush_work(cloth_vector a) {
  return vector_flush(a, WORK_QUANTUM);
}

/* Lengths whose square would leave the normal range count as 0. */
static float vector_length(cloth_vector a) {
  float x = flush_small(a.x, STATE_QUANTUM);
  float y = flush_small(a.y, STATE_QUANTUM);
  float z = flush_small(a.z, STATE_QUANTUM);
  return square_root(x * x + y * y + z * z);
}

static int vector_in_range(cloth_vector a, float limit) {
  return in_range(a.x, -limit, limit) && in_range(a.y, -limit, limit) && in_range(a.z, -limit, limit);
}

static void fill_zero(void *memory, size_t bytes) {
  uint8_t *byte = (uint8_t *)memory;
  for (size_t i = 0; i < bytes; i++) {
    byte[i] = 0;
  }
}

static void copy_memory(void *to, const void *from, size_t bytes) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_memcpy(to, from, bytes);
#else
  for (size_t i = 0; i < bytes; i++) {
    ((uint8_t *)to)[i] = ((const uint8_t *)from)[i];
  }
#endif
}

static int are_equal(const void *a, const void *b, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) {
    if (((const uint8_t *)a)[i] != ((const uint8_t *)b)[i]) {
      return 0;
    }
  }
  return 1;
}

/* Floats that follow each other, as they are stored: what is too small to matter is nothing. */
static void flush_floats(float *values, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    values[i] = flush_small(values[i], WORK_QUANTUM);
  }
}

/* Smallest whole number not below `value`, clamped to 1..limit before it becomes an integer. */
static int32_t ceiling_within(float value, int32_t limit) {
  if (!(value < (float)limit)) {
    return limit;
  }
  int32_t whole = (int32_t)maximum(value, 1.0f);
  return (float)whole < value ? whole + 1 : whole;
}

static int vector_is_finite(cloth_vector a) {
  return is_finite(a.x) && is_finite(a.y) && is_finite(a.z);
}

/* Shortens a vector to `limit`. Returns 1 if it had to. */
static int clamp_length(cloth_vector *a, float limit) {
  cloth_vector kept = vector_flush(*a, STATE_QUANTUM);
  float squared = vector_dot(kept, kept);
  if (squared <= limit * limit * 1.0001f) {
    return 0;
  }
  *a = is_finite(squared) ? vector_scale(kept, limit / square_root(squared)) : vector(0.0f, 0.0f, 0.0f);
  return 1;
}

#if WITH_MOVE_FRAME || WITH_TARGETS
/* Of unit length, or 0. */
static cloth_vector unit_or_zero(cloth_vector a) {
  float length = vector_length(a);
  return length > 1.0e-6f ? vector_flush_work(vector_scale(vector_flush(a, STATE_QUANTUM), 1.0f / length))
                          : vector(0.0f, 0.0f, 0.0f);
}
#endif

/// Hash ///

/* A word of memory, whatever is kept there. */
#if defined(__GNUC__) || defined(__clang__)
typedef uint32_t __attribute__((may_alias)) any_word;
#else
typedef uint32_t any_word;
#endif

/*
 * 64 bits over a sequence of 32-bit words: four streams that take words in turn, so that their multiplications overlap,
 * mixed at the end. Words are numbers, not bytes, so the hash is the same for either byte order.
 */
#define HASH_STREAMS 4
#define HASH_FACTOR 0x9e3779b97f4a7c15u /* odd, 2^64 over the golden ratio */

typedef struct hasher {
  uint64_t stream[HASH_STREAMS];
  uint32_t words;
} hasher;

static uint64_t hash_mix(uint64_t stream, uint32_t word) {
  uint64_t mixed = (stream ^ word) * HASH_FACTOR;
  return mixed ^ (mixed >> 29);
}

static void hash_start(hasher *h) {
  for (uint32_t i = 0; i < HASH_STREAMS; i++) {
    h->stream[i] = i;
  }
  h->words = 0;
}

static void hash_word(hasher *h, uint32_t word) {
  uint32_t next = h->words++ % HASH_STREAMS;
  h->stream[next] = hash_mix(h->stream[next], word);
}

CLOTH_HOT static void hash_words(hasher *h, const any_word *words, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    hash_word(h, words[i]);
  }
}

static uint64_t hash_end(const hasher *h) {
  uint64_t all = h->words;
  for (uint32_t i = 0; i < HASH_STREAMS; i++) {
    all = hash_mix(all ^ h->stream[i], (uint32_t)(h->stream[i] >> 32));
  }
  return all;
}

/// Lanes ///

/*
 * Kernels are written once over these operations on CLOTH_LANES floats at a time: 1, 4 or 8. Elementwise work gives the
 * same bits for any width. Sums do not, so they always run over eight partial sums, element i into sum i mod 8, added
 * up in one fixed tree. A kernel may read beyond the end of a row, but never writes there.
 *
 * A backend (port/lanes_*.h) defines these operations for one instruction set. The compiler's target selects it;
 * CLOTH_SCALAR selects the scalar reference below, and CLOTH_LANES_HEADER names another backend's header. The choice
 * changes the speed and no bit of the results.
 */
#if defined(CLOTH_LANES_HEADER)
#include CLOTH_LANES_HEADER
#elif defined(__AVX2__) && !defined(CLOTH_SCALAR)
/*
 * Lanes for x86 with AVX2, eight wide. src/lanes.h says what the operations mean.
 *
 * SPDX-License-Identifier: MIT
 */

/* GCC's header wants malloc() declared, which there may be nobody to do. */
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

CLOTH_INLINE void lanes_store(float *to, lanes a) {
  _mm256_storeu_ps(to, a);
}

/* The last lanes of a row, in pieces. A masked store would take some processors twenty times as long, and a whole one,
   of what lies behind them too, lets the next row wait until it has come to pass. */
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
  if (count & 1) {
    _mm_store_ss(to, part);
  }
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

CLOTH_INLINE lanes lanes_shifted(lanes before, lanes a) {
  __m256i seam = _mm256_castps_si256(_mm256_permute2f128_ps(before, a, 0x21));
  return _mm256_castsi256_ps(_mm256_alignr_epi8(_mm256_castps_si256(a), seam, 12));
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

CLOTH_INLINE void lanes_transpose(lanes block[CLOTH_LANES]) {
  __m256 pair[8], four[8];
  for (int n = 0; n < 4; n++) {
    pair[2 * n] = _mm256_unpacklo_ps(block[2 * n], block[2 * n + 1]);
    pair[2 * n + 1] = _mm256_unpackhi_ps(block[2 * n], block[2 * n + 1]);
  }
  for (int n = 0; n < 2; n++) {
    four[4 * n] = _mm256_shuffle_ps(pair[4 * n], pair[4 * n + 2], 0x44);
    four[4 * n + 1] = _mm256_shuffle_ps(pair[4 * n], pair[4 * n + 2], 0xee);
    four[4 * n + 2] = _mm256_shuffle_ps(pair[4 * n + 1], pair[4 * n + 3], 0x44);
    four[4 * n + 3] = _mm256_shuffle_ps(pair[4 * n + 1], pair[4 * n + 3], 0xee);
  }
  for (int n = 0; n < 4; n++) {
    block[n] = _mm256_permute2f128_ps(four[n], four[n + 4], 0x20);
    block[n + 4] = _mm256_permute2f128_ps(four[n], four[n + 4], 0x31);
  }
}

/* These instructions give their second operand where both are equal or one is no number. */
#define CLOTH_LANES_MINIMUM
CLOTH_INLINE lanes lanes_minimum(lanes a, lanes b) {
  return _mm256_min_ps(a, b);
}

CLOTH_INLINE lanes lanes_maximum(lanes a, lanes b) {
  return _mm256_max_ps(a, b);
}

#elif (defined(__SSE2__) || defined(_M_X64)) && !defined(CLOTH_SCALAR)
/*
 * Lanes for x86 with SSE2, four wide. src/lanes.h says what the operations mean.
 *
 * SPDX-License-Identifier: MIT
 */

/* GCC's header wants malloc() declared, which there may be nobody to do. */
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

CLOTH_INLINE void lanes_store(float *to, lanes a) {
  _mm_storeu_ps(to, a);
}

/* The last lanes of a row: in pieces, as SSE2's masked store (maskmovdqu) goes around the cache. */
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
  if (count == 3) {
    _mm_store_ss(to + 2, _mm_movehl_ps(a, a));
  }
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

CLOTH_INLINE lanes lanes_shifted(lanes before, lanes a) {
  __m128 seam = _mm_shuffle_ps(before, a, _MM_SHUFFLE(0, 0, 3, 3));
  return _mm_shuffle_ps(seam, a, _MM_SHUFFLE(2, 1, 2, 0));
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

CLOTH_INLINE void lanes_transpose(lanes block[CLOTH_LANES]) {
  _MM_TRANSPOSE4_PS(block[0], block[1], block[2], block[3]);
}

/* These instructions give their second operand where both are equal or one is no number. */
#define CLOTH_LANES_MINIMUM
CLOTH_INLINE lanes lanes_minimum(lanes a, lanes b) {
  return _mm_min_ps(a, b);
}

CLOTH_INLINE lanes lanes_maximum(lanes a, lanes b) {
  return _mm_max_ps(a, b);
}

#elif defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2) && !defined(CLOTH_SCALAR) /* bit 1: with floats */
/*
 * Lanes for Cortex-M with Helium (MVE with floats: M55, M85), four wide. src/lanes.h says what the operations mean.
 *
 * Helium always flushes subnormals to zero. Its results are those of every other machine as long as there are no
 * subnormals, which cloth.c sees to. It has no divide and no square root; both are done by the scalar FPU one lane
 * after the other, which rounds correctly.
 *
 * SPDX-License-Identifier: MIT
 */

#include <arm_mve.h>

#define CLOTH_LANES 4
#define CLOTH_LANES_NAME "helium"

typedef float32x4_t lanes;
typedef mve_pred16_t lanes_mask; /* a bit for each byte, so four bits for each lane: all set or none */

/*
 * Four floats at any float's address. Plain accesses through this type, because GCC 12 believes that vldrwq_f32 and its
 * like touch a single int: it moves or drops stores to the other floats around them.
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
  /* What vstrwq_p_f32 is, with all four floats declared. */
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

/* The four lanes of q0 are s0 to s3, those of q1 s4 to s7. GCC 12 would take every lane out of the vector and put it
   back. */
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

/* "Greater" with the sides exchanged: Helium's "less" is "not greater or equal", which is true for NaN. */
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

CLOTH_INLINE lanes lanes_shifted(lanes before, lanes a) {
  uint32_t carried = vgetq_lane_u32(vreinterpretq_u32_f32(before), 3);
  return vreinterpretq_f32_u32(vshlcq_u32(vreinterpretq_u32_f32(a), &carried, 32));
}

/* The carry instruction takes the bits of the last lane of the block before and leaves those of this one. */
#define CLOTH_LANES_SHIFT
typedef uint32_t lanes_shift;

CLOTH_INLINE lanes_shift lanes_shift_start(void) {
  return 0;
}

CLOTH_INLINE lanes lanes_shift_in(lanes_shift *carry, lanes a) {
  return vreinterpretq_f32_u32(vshlcq_u32(vreinterpretq_u32_f32(a), carry, 32));
}

/* There are eight vector registers. */
#define CLOTH_LANES_FORGET() __asm__ volatile("" : : : "memory")

CLOTH_INLINE float lanes_first_value(lanes a) {
  return vgetq_lane_f32(a, 0);
}

CLOTH_INLINE lanes lanes_keep(lanes_mask mask, lanes a) {
  return vpselq_f32(a, vdupq_n_f32(0.0f), mask);
}

CLOTH_INLINE lanes lanes_drop(lanes_mask mask, lanes a) {
  return vpselq_f32(vdupq_n_f32(0.0f), a, mask);
}

/* A store that interleaves is a transposition. */
CLOTH_INLINE void lanes_transpose(lanes block[CLOTH_LANES]) {
  float turned[CLOTH_LANES * CLOTH_LANES];
  float32x4x4_t all;
  for (int n = 0; n < CLOTH_LANES; n++) {
    all.val[n] = block[n];
  }
  vst4q_f32(turned, all);
  for (int n = 0; n < CLOTH_LANES; n++) {
    block[n] = vld1q_f32(turned + n * CLOTH_LANES);
  }
}

#elif defined(__ARM_NEON) && !defined(CLOTH_SCALAR)
/*
 * Lanes for Arm with NEON, four wide: AArch64 and ARMv7. src/lanes.h says what the operations mean.
 *
 * ARMv7 NEON always flushes subnormals to zero. Its results are those of every other machine as long as there are no
 * subnormals, which cloth.c sees to. It neither divides nor takes roots, it only estimates; both are done by VFP one
 * lane after the other, which rounds correctly.
 *
 * SPDX-License-Identifier: MIT
 */

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
  if (count == 3) {
    vst1q_lane_f32(to + 2, a, 2);
  }
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

CLOTH_INLINE lanes lanes_shifted(lanes before, lanes a) {
  return vextq_f32(before, a, 3);
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

CLOTH_INLINE void lanes_transpose(lanes block[CLOTH_LANES]) {
  float32x4x2_t low = vtrnq_f32(block[0], block[1]);
  float32x4x2_t high = vtrnq_f32(block[2], block[3]);
  block[0] = vcombine_f32(vget_low_f32(low.val[0]), vget_low_f32(high.val[0]));
  block[1] = vcombine_f32(vget_low_f32(low.val[1]), vget_low_f32(high.val[1]));
  block[2] = vcombine_f32(vget_high_f32(low.val[0]), vget_high_f32(high.val[0]));
  block[3] = vcombine_f32(vget_high_f32(low.val[1]), vget_high_f32(high.val[1]));
}

#elif defined(__wasm_simd128__) && !defined(CLOTH_SCALAR)
/*
 * Lanes for WebAssembly with 128-bit SIMD, four wide. src/lanes.h says what the operations mean.
 *
 * SPDX-License-Identifier: MIT
 */

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
  if (count == 3) {
    wasm_v128_store32_lane(to + 2, a, 2);
  }
}

CLOTH_INLINE lanes lanes_splat(float a) {
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

CLOTH_INLINE lanes lanes_shifted(lanes before, lanes a) {
  return wasm_i32x4_shuffle(before, a, 3, 4, 5, 6);
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

/* The pseudo-minimum of a and b is b < a ? b : a, so with the sides exchanged a < b ? a : b. */
#define CLOTH_LANES_MINIMUM
CLOTH_INLINE lanes lanes_minimum(lanes a, lanes b) {
  return wasm_f32x4_pmin(b, a);
}

CLOTH_INLINE lanes lanes_maximum(lanes a, lanes b) {
  return wasm_f32x4_pmax(b, a);
}

#else
#define CLOTH_LANES 1
#define CLOTH_LANES_NAME "scalar"

typedef float lanes;
typedef int lanes_mask;

CLOTH_INLINE lanes lanes_load(const float *from) {
  return *from;
}

CLOTH_INLINE void lanes_store(float *to, lanes a) {
  *to = a;
}

/* Stores the first `count` lanes, at least one, or all if there are fewer. */
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

CLOTH_INLINE lanes_mask lanes_less(lanes a, lanes b) {
  return a < b;
}

CLOTH_INLINE lanes lanes_select(lanes_mask mask, lanes yes, lanes no) {
  return mask ? yes : no;
}

/* One place up: the last lane of `before`, then all of `a` but its last. */
CLOTH_INLINE lanes lanes_shifted(lanes before, lanes a) {
  (void)a;
  return before;
}

CLOTH_INLINE float lanes_first_value(lanes a) {
  return a;
}

/* The first `count` lanes; none if it is 0 or less. */
CLOTH_INLINE lanes_mask lanes_first(int32_t count) {
  return count > 0;
}

CLOTH_INLINE lanes_mask lanes_both(lanes_mask a, lanes_mask b) {
  return a & b;
}

CLOTH_INLINE int lanes_any(lanes_mask mask) {
  return mask;
}

/* What the mask chooses, and 0 elsewhere. */
CLOTH_INLINE lanes lanes_keep(lanes_mask mask, lanes a) {
  return mask ? a : 0.0f;
}

/* 0 where the mask chooses, and what was there elsewhere. */
CLOTH_INLINE lanes lanes_drop(lanes_mask mask, lanes a) {
  return mask ? 0.0f : a;
}

/* Of as many blocks as lanes: lane n of block m becomes lane m of block n. */
CLOTH_INLINE void lanes_transpose(lanes block[CLOTH_LANES]) {
  (void)block;
}

#endif

#define LANES_SUMS 8

typedef struct lanes_sum {
  float partial[LANES_SUMS];
} lanes_sum;

/* Adds `a`, elements `index` and following of what is summed, to the partial sums; index is a multiple of CLOTH_LANES.
 */
CLOTH_INLINE void lanes_sum_add(lanes_sum *sum, int32_t index, lanes a) {
  CLOTH_ASSERT(index % CLOTH_LANES == 0);
  float *partial = &sum->partial[index & (LANES_SUMS - 1)];
  lanes_store(partial, lanes_add(lanes_load(partial), a));
}

/* The first `count` lanes, the others 0. */
CLOTH_INLINE lanes lanes_within(lanes a, int32_t count) {
  return lanes_select(lanes_first(count), a, lanes_splat(0.0f));
}

CLOTH_INLINE float lanes_sum_total(const lanes_sum *sum) {
  const float *p = sum->partial;
  return ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
}

/* A backend may bring its own, with these very meanings: the second where both are equal or one is no number. */
#ifndef CLOTH_LANES_MINIMUM
CLOTH_INLINE lanes lanes_minimum(lanes a, lanes b) {
  return lanes_select(lanes_less(a, b), a, b);
}

CLOTH_INLINE lanes lanes_maximum(lanes a, lanes b) {
  return lanes_select(lanes_less(b, a), a, b);
}
#endif

/* What moves out at the top of one block and into the next. A backend may bring its own. */
#ifndef CLOTH_LANES_SHIFT
typedef lanes lanes_shift;

CLOTH_INLINE lanes_shift lanes_shift_start(void) {
  return lanes_splat(0.0f);
}

/* A block moved up by one place, with what the one before it left; leaves its last lane for the next. */
CLOTH_INLINE lanes lanes_shift_in(lanes_shift *carry, lanes a) {
  lanes moved = lanes_shifted(*carry, a);
  *carry = a;
  return moved;
}
#endif

/* Stands where a vector unit of few registers does better to load again what it has loaded before than to store it for
   later. */
#ifndef CLOTH_LANES_FORGET
#define CLOTH_LANES_FORGET() ((void)0)
#endif

/* Values smaller than the quantum become +0. */
CLOTH_INLINE lanes lanes_flush_below(lanes a, float quantum) {
  return lanes_drop(lanes_less(lanes_absolute(a), lanes_splat(quantum)), a);
}

CLOTH_INLINE lanes lanes_flush(lanes a) {
  return lanes_flush_below(a, WORK_QUANTUM);
}

/* Rounded to multiples of a power of two: see WORK_ROUNDER. Never -0. */
CLOTH_INLINE lanes lanes_quantise(lanes a, float grid) {
  return lanes_subtract(lanes_add(a, lanes_splat(grid)), lanes_splat(grid));
}

typedef struct lanes3 {
  lanes x, y, z;
} lanes3;

CLOTH_INLINE lanes3 lanes3_of(lanes x, lanes y, lanes z) {
  lanes3 a;
  a.x = x;
  a.y = y;
  a.z = z;
  return a;
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
  return lanes3_flush_below(a, WORK_QUANTUM);
}

CLOTH_INLINE lanes3 lanes3_quantise(lanes3 a, float grid) {
  return lanes3_of(lanes_quantise(a.x, grid), lanes_quantise(a.y, grid), lanes_quantise(a.z, grid));
}

/* Runs a statement for each block of lanes of `count` elements. `i` names the index of the block's first element,
   `left` the number of elements from there to the end. Unless size is asked for, whole blocks, whose `left` is a
   constant to the compiler, have a copy of the statement of their own. */
#if defined(__OPTIMIZE_SIZE__) || CLOTH_LANES == 1
#define EACH_BLOCK(i, left, count, statement)                                                                          \
  for (int32_t i = 0, end_of_blocks = (count); i < end_of_blocks; i += CLOTH_LANES) {                                  \
    const int32_t left = end_of_blocks - i;                                                                            \
    statement;                                                                                                         \
  }
#else
#define EACH_BLOCK(i, left, count, statement)                                                                          \
  for (int32_t i = 0, end_of_blocks = (count); i < end_of_blocks; i += CLOTH_LANES) {                                  \
    if (end_of_blocks - i >= CLOTH_LANES) {                                                                            \
      const int32_t left = CLOTH_LANES;                                                                                \
      statement;                                                                                                       \
    } else {                                                                                                           \
      const int32_t left = end_of_blocks - i;                                                                          \
      statement;                                                                                                       \
    }                                                                                                                  \
  }
#endif

/* Lanes that lie `next` floats apart, `count` of them; the others are the first again. */
CLOTH_INLINE lanes lanes_gather(const float *from, int32_t next, int32_t count) {
  float side[CLOTH_LANES];
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    side[lane] = from[(lane < count ? lane : 0) * next];
  }
  return lanes_load(side);
}

/* The same, or lanes that lie side by side, which are not counted. */
CLOTH_INLINE lanes lanes_strided(const float *from, int32_t next, int32_t count) {
  return next == 1 ? lanes_load(from) : lanes_gather(from, next, count);
}

/* A vector per particle as three arrays. */
typedef struct vector_array {
  float *x, *y, *z;
} vector_array;

CLOTH_INLINE lanes3 lanes3_load(vector_array from, int32_t i) {
  return lanes3_of(lanes_load(from.x + i), lanes_load(from.y + i), lanes_load(from.z + i));
}

/* Stores the first `count` lanes. */
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

#if WITH_WRAP

CLOTH_INLINE lanes3 lanes3_gather(vector_array from, int32_t i, int32_t next, int32_t count) {
  return lanes3_of(lanes_gather(from.x + i, next, count), lanes_gather(from.y + i, next, count),
                   lanes_gather(from.z + i, next, count));
}

/* Adds the first `count` lanes to floats that lie `next` apart. */
CLOTH_ONCE void lanes_scatter_add(float *to, int32_t next, lanes a, int32_t count) {
  float side[CLOTH_LANES];
  lanes_store(side, a);
  for (int32_t lane = 0; lane < CLOTH_LANES && lane < count; lane++) {
    to[lane * next] += side[lane];
  }
}

static void lanes3_scatter_add(vector_array to, int32_t i, int32_t next, lanes3 a, int32_t count) {
  lanes_scatter_add(to.x + i, next, a.x, count);
  lanes_scatter_add(to.y + i, next, a.y, count);
  lanes_scatter_add(to.z + i, next, a.z, count);
}

CLOTH_INLINE lanes3 lanes3_negated(lanes3 a) {
  return lanes3_subtract(lanes3_splat(vector(0.0f, 0.0f, 0.0f)), a);
}

#endif

/* Length of vectors; one whose square would leave the normal range counts as 0. */
CLOTH_INLINE lanes lanes3_length(lanes3 a) {
  a = lanes3_flush_below(a, STATE_QUANTUM);
  return lanes_square_root(lanes3_dot(a, a));
}

CLOTH_INLINE lanes3 lanes3_cross(lanes3 a, lanes3 b) {
  return lanes3_of(lanes_subtract(lanes_multiply(a.y, b.z), lanes_multiply(a.z, b.y)),
                   lanes_subtract(lanes_multiply(a.z, b.x), lanes_multiply(a.x, b.z)),
                   lanes_subtract(lanes_multiply(a.x, b.y), lanes_multiply(a.y, b.x)));
}

#if WITH_MULTILEVEL

static vector_array vectors_from(float *first, int32_t stride) {
  vector_array three = {first, first + stride, first + 2 * stride};
  return three;
}

#endif

CLOTH_INLINE lanes signed_one(lanes a) {
  return lanes_select(lanes_less(a, lanes_splat(0.0f)), lanes_splat(-1.0f), lanes_splat(1.0f));
}

/* Sum of small whole numbers. */
static uint32_t lanes_count(lanes a) {
  float values[CLOTH_LANES];
  uint32_t count = 0;
  lanes_store(values, a);
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    count += (uint32_t)values[lane];
  }
  return count;
}

CLOTH_INLINE lanes clamped_to_one(lanes a) {
  return lanes_minimum(lanes_maximum(a, lanes_splat(0.0f)), lanes_splat(1.0f));
}

#if WITH_PROJECTION

CLOTH_CONSTANT static const float lane_numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};

CLOTH_INLINE lanes3 lanes3_minimum(lanes3 a, lanes3 b) {
  return lanes3_of(lanes_minimum(a.x, b.x), lanes_minimum(a.y, b.y), lanes_minimum(a.z, b.z));
}

CLOTH_INLINE lanes3 lanes3_maximum(lanes3 a, lanes3 b) {
  return lanes3_of(lanes_maximum(a.x, b.x), lanes_maximum(a.y, b.y), lanes_maximum(a.z, b.z));
}

/* How many of a block's particles are meant. */
CLOTH_INLINE uint32_t count_within(lanes_mask mask, int32_t left) {
  return lanes_count(lanes_within(lanes_keep(mask, lanes_splat(1.0f)), left));
}

#endif

/* As large as its length, or larger. */
CLOTH_INLINE lanes length_upper_bound(lanes3 a) {
  return lanes_add(lanes_add(lanes_absolute(a.x), lanes_absolute(a.y)), lanes_absolute(a.z));
}

#ifndef CLOTH_NO_MEASURE

/* Adds one element to a sum. */
static void lanes_sum_add_value(lanes_sum *sum, int32_t index, float value) {
  sum->partial[index & (LANES_SUMS - 1)] += value;
}

#endif

/// 2. The cloth in memory ///

/// The cloth in its arena ///

#define CLOTH_MAGIC 0x68746f6cu  /* "loth", little-endian */
#define CLOTH_COOKIE 0xc10471e5u /* proves that a config was made by cloth_config_default() */

/* The springs that join a particle to its neighbours, by direction. Each is kept by the cell that it is the upper or
   the left edge of, or a diagonal of, at the index of the cell's first particle (row, column); an antidiagonal leads
   from (row, column + 1) to (row + 1, column). Bend springs are kept alike, by squares of two cells. */
enum { WARP, WEFT, DIAGONAL, ANTIDIAGONAL, DIRECTIONS };

/* Runs a statement for each direction, which `d` names. Unless size is asked for, each direction has a copy of the
   statement of its own, in which `d` is a constant to the compiler. */
#if defined(__OPTIMIZE_SIZE__)
#define EACH_DIRECTION(d, statement)                                                                                   \
  for (int32_t d = 0; d < DIRECTIONS; d++) {                                                                           \
    statement;                                                                                                         \
  }
#else
#define FOR_DIRECTION(d, direction, statement)                                                                         \
  {                                                                                                                    \
    const int32_t d = direction;                                                                                       \
    statement;                                                                                                         \
  }
#define EACH_DIRECTION(d, statement)                                                                                   \
  FOR_DIRECTION(d, WARP, statement)                                                                                    \
  FOR_DIRECTION(d, WEFT, statement)                                                                                    \
  FOR_DIRECTION(d, DIAGONAL, statement)                                                                                \
  FOR_DIRECTION(d, ANTIDIAGONAL, statement)
#endif

/* How many floats the operator keeps for one spring: w (3) and beta. */
#define OPERATOR_FLOATS 4
/* They are kept by tiles of eight places of a row: sixteen times eight floats, so that all are found from one address.
   The last tile of a row is as much narrower as the row ends earlier. */
#define TILE 8
#define CELL_FLOATS (DIRECTIONS * OPERATOR_FLOATS)
/* Where tethers come from: pins came or went since they were chosen; chosen for the pins there are; set by the caller.
 */
enum { TETHERS_STALE, TETHERS_CHOSEN, TETHERS_SET };
/* Where targets are: nowhere yet; at rest; under way during the next step. */
enum { TARGETS_NONE, TARGETS_STILL, TARGETS_MOVING };
/* What is kept of targets, a vector per particle each, and LIMIT: the motion constraint's three lengths. */
enum { TARGET_LIMIT, TARGET_PLACE, TARGET_PLACE_BEFORE, TARGET_NORMAL, TARGET_NORMAL_BEFORE, TARGET_VECTORS };
/* Tethers of a particle at most. */
#define TETHERS 2
/* Columns, or rows, whose pieces without pins are told together: the most lanes there are. */
#define LINE_BLOCK 8
/* Particles of a row whose tethers share a mark. */
#define TETHER_BLOCK 8
/* Rows without pins and maps have kernels of their own, unless size matters more. */
#ifdef __OPTIMIZE_SIZE__
#define UNIFORM_KERNELS 0
#else
#define UNIFORM_KERNELS 1
#endif
/* Floats kept readable beyond the last array of a kind, for the lanes past a row's end: kernels read them, throw away
   what comes of it, and never write there. Arrays otherwise follow each other closely, in the same places for every
   lane width. */
#define LANE_PAD 8
/* Zeros before the bend slopes: where the first particles look for springs that lead to them from the
   left. Two are needed; eight keep what follows aligned. */
#define ZERO_PAD 8
/* Row buffers of vectors: what the springs and the bend springs of rows above bring to the rows below. */
#define ROW_BUFFERS 3

/* Degrees of freedom (thesis eq. 5.1) and pin bookkeeping, one byte a particle. */
#define FREEDOM_MASK 3u
#define FREEDOM_FREE 3u
#define FREEDOM_PLANE 2u
#define FREEDOM_LINE 1u
#define FREEDOM_PINNED 0u
#define PIN_HAS_TARGET 4u /* its velocity was made from a target and holds for the next step only */
#define PIN_ARRIVED 8u    /* that step is over: the velocity is history and is cleared when the next step starts */

/* A particle confined to a line or plane. */
typedef struct confinement {
  int32_t particle;
  uint32_t freedom;
  cloth_vector direction; /* of the line, or the plane's normal; unit length */
  cloth_vector anchor;    /* a point of the line or plane */
} confinement;

/* A collider slot: what it is and its motion in the next step. `used` is 0 for a free slot. */
typedef struct collider_slot {
  uint32_t used;
  cloth_collider body; /* body.pose is where it goes */
  cloth_pose previous; /* where it comes from */
} collider_slot;

/* Contact of one particle with a solid inside the solve. */
enum { CONTACT_NONE, CONTACT_STICK, CONTACT_SLIDE, CONTACT_RELEASED };
/* One word a particle: the kind, for how many substeps it still has to slide, and the collider's index. */
#define CONTACT_KIND(info) ((info)&3u)
#define CONTACT_DWELL(info) (((info) >> 2) & 7u)
#define CONTACT_COLLIDER(info) ((int32_t)((info) >> 5))
#define CONTACT_WORD(collider, dwell, kind) (((uint32_t)(collider) << 5) | ((uint32_t)(dwell) << 2) | (uint32_t)(kind))
/* A particle that slips does so for this many substeps before it may stick again. Without it neighbours take turns in
   holding each other, and a sheet that should slide stands still. */
#define SLIDE_DWELL 4u

/* What the caller may change between steps, beside particles, colliders and confinements. */
typedef struct cloth_inputs {
  int32_t collider_end; /* one past the last slot in use */
  int32_t confined_count;
  int32_t tethers_chosen; /* TETHERS_STALE ... */
  int32_t targets;        /* TARGETS_NONE ... */
  uint32_t gust_seed;
  uint32_t gust_place[2]; /* where in the sequence of gusts the next step begins: whole periods, and 2^-32 of one */
  float last_substep;     /* length of the last substep [s]; 0 before the first */
  cloth_vector gravity;
  cloth_vector wind;
  cloth_vector gust_strength;
  float gust_period; /* [s]; 0 without gusts */
  cloth_fabric fabric;
  float rest_time; /* for how long all has been slow [s]; ASLEEP for a cloth that sleeps */
} cloth_inputs;

#define ASLEEP (-1.0f)

/* One direction of stretch or shear springs, scaled for the substep. */
typedef struct spring_family {
  float rest;        /* rest length [m] */
  float force;       /* k ks / m0: velocity change per metre of elongation */
  float stiffness;   /* k^2 ks / m0 */
  float damping;     /* k kd / m0 */
  float compression; /* share of both that acts when shorter than rest */
  float kappa;       /* stiffness + 2 damping: thesis eq. 4.8, on an average spring */
  int32_t mode;      /* of the springs that act by forces */
  int32_t projected; /* none, all, or those above the plan's threshold */
} spring_family;

enum { PROJECTED_NONE, PROJECTED_ALL, PROJECTED_SOME };

/* One direction of bend springs. Velocity change per substep, negative pushing apart, at s = l / L: the weaker of the
   fabric's curve * p(s) and its line linear * (l - L), but no weaker than fold * (l - L). */
typedef struct bend_family {
  float rest, inverse_rest;
  float curve;        /* (k / m0) c / L^2 */
  float curve_slope;  /* (k^2 / m0) c / L^3: slope is this times p'(s) */
  float linear;       /* (k / m0) c_b */
  float linear_slope; /* (k^2 / m0) c_b */
  float most;         /* bound on the fabric's push */
  float fold;         /* (k / m0) times the fold stiffness */
  float fold_slope;   /* (k^2 / m0) times the fold stiffness */
  float damping;      /* k kd / m0 */
} bend_family;

typedef struct step_plan {
  float dt;           /* of the step [s] */
  float h, inverse_h; /* substep [s], and its inverse */
  int32_t substeps;
  int32_t notes;
  int32_t solves;      /* 1 if anything is implicit */
  int32_t forces;      /* 1 if anything but gravity and velocity damping acts by forces */
  int32_t springs;     /* 1 if stretch or shear springs do */
  int32_t projects;    /* 1 if springs are projected */
  int32_t span;        /* largest span of the projected springs */
  float extrapolation; /* share of BDF2 in the prediction */
  float history;       /* scales what the earlier velocities tell, from the last substep's length to this one's */
  int32_t bend_mode;
  int32_t bend_projected;
  int32_t tethered;      /* 1 if some particle has a tether */
  float projected_above; /* kappa above which springs are projected */
  float bend_kappa;
  float bend_compliance[2]; /* compliance of projected bend springs along warp and weft, 1 / kappa */
  spring_family spring[DIRECTIONS];
  bend_family bend[DIRECTIONS];
} step_plan;

/* Columns from .. to - 1 of a row, or rows of a column. */
typedef struct uniform_run {
  int16_t from, to;
} uniform_run;

/* A collider during one substep. */
typedef struct moving_body {
  cloth_pose start, end;    /* pose when the substep starts and ends */
  float margin;             /* distance kept from its surface */
  int32_t turns;            /* 1 if it does */
  int32_t aligned;          /* 1 if it is a sphere that does not: world axes serve */
  float reach;              /* around its position, margin included */
  cloth_vector from, along; /* a capsule around it: where its axis begins, from its position, and leads */
  float inverse_squared;    /* of the axis's length; 0: there is none */
  float axis_reach;         /* around the axis, margin included */
  int32_t index, substep;
} moving_body;

/* A limit on the length of springs, see "Projection". */
typedef struct distance_constraint {
  int32_t span;                             /* cells */
  float low, high;                          /* squared: shorter than low is lengthened, longer than high shortened */
  float compliance_below, compliance_above; /* compliance below and above, over the mobilities */
  float gain_below, gain_above;             /* gain between two particles of mobility 1 */
  int32_t fast;                             /* 1 if project_uniform() may serve */
  float kappa, above; /* where only springs of a family above this are projected, its kappa; else 0 */
} distance_constraint;

/* The limits of a step's projected springs, which follow it in memory: those of a direction lie in one piece, from the
   coarsest span to the finest. */
typedef struct projection_plan {
  int32_t first[DIRECTIONS], count[DIRECTIONS];
} projection_plan;

/* A capsule around a body, for tethers: its axis lies along the body's longest extent. */
typedef struct obstacle_capsule {
  cloth_vector low, high;   /* the box around it [m] */
  cloth_vector from, along; /* one end of the axis, and from there to the other [m] */
  float squared_reach;      /* around the axis */
} obstacle_capsule;

#define OBSTACLE_FLOATS ((int32_t)(sizeof(obstacle_capsule) / sizeof(float)))

/* Start of the scratch span. */
typedef struct workspace {
  cloth_statistics statistics;
  step_plan plan;
  moving_body body;  /* whose contacts are being worked on */
  uint32_t tick;     /* of the port's timer, when the last stage ended */
  uint32_t start;    /* tick when a step with a deadline began ... */
  uint32_t ticks;    /* ... and the ticks it has */
  int32_t uniform;   /* particles that the plain pieces of the rows hold */
  int32_t obstacles; /* bodies that may be in the way of tethers */
  int32_t timed;     /* 0 for a step without a deadline */
  int32_t is_cut;    /* 1 if it may do no more optional work than max_refinements; 0: any */
  int32_t refinements, max_refinements;
} workspace;

/* The grid, from the config. */
typedef struct grid_shape {
  int32_t columns, rows;
  int32_t wrap;                     /* 1: column 0 follows the last column */
  float spacing_warp, spacing_weft; /* rest lengths of one cell's edges [m] */
  float diagonal, antidiagonal;     /* and of its diagonals [m] */
  float area;                       /* of the whole sheet at rest [m^2] */
} grid_shape;

/* The settings that a step reads, from the config: groups and fields are those of cloth_config. */
typedef struct cloth_settings {
  struct {
    float density, drag, lift, normal_drag;
  } air;
  struct {
    int32_t method, bend_method;
    float explicit_threshold, projection_threshold, bdf2_blend;
    int32_t substeps, max_substeps;
    float max_speed, velocity_damping;
  } integration;
  struct {
    int32_t spans, fine_sweeps;
    float fold_stiffness;
  } projection;
  struct {
    int32_t count;
    float scale;
  } tethers;
  struct {
    int32_t preconditioner, max_iterations;
    float tolerance;
    int32_t warm_start;
  } solver;
  struct {
    int32_t sweeps;
    float max_extension, max_compression;
  } strain_limit;
  struct {
    int32_t mode;
    float thickness;
  } contact;
  struct {
    float speed, time;
  } sleep;
  struct {
    int32_t max_colliders, max_confined, fixed_work;
  } capacity;
  /* Extremes of the maps; 1 without a map. */
  struct {
    float min_mass_ratio, max_mass_ratio, min_stiffness, max_stiffness;
  } factors;
} cloth_settings;

/* Byte offsets from the start of the arena to scratch that cloths may share; 0 for what the config does without. They
   lead up or down, modulo the size of an address. The first is never 0. */
typedef struct scratch_offsets {
  uintptr_t uniform_runs, tether_marks, row_buffers, mobility, force_share, residual, product;
  uintptr_t operator_blocks, bend_slopes, contact_normal, inverse, direction, solution, share, nodes, coarse_lines;
  uintptr_t seam;
} scratch_offsets;

#define SCRATCH_PARTS (sizeof(scratch_offsets) / sizeof(uintptr_t))

/* Byte offsets from the start of the arena to scratch of the cloth's own, which outlasts a step. */
typedef struct own_offsets {
  uint32_t workspace;
  uint32_t constraints; /* 0: nothing is ever projected */
  uint32_t iterations, reactions;
} own_offsets;

/* Byte offsets from the start of the arena to the constants; 0: no map. */
typedef struct constant_offsets {
  uint32_t mass_ratio, stiffness_map;
} constant_offsets;

/* Byte offsets from the start of the arena to the parts of the state. It begins with `freedom` and ends at `end`. */
typedef struct state_offsets {
  uint32_t freedom, colliders, confined, inputs, position, velocity;
  uint32_t contacts, tethers, velocity_history, warm_start, targets; /* 0 for what the config does without */
  uint32_t end;
} state_offsets;

/* A cloth: where everything lies in its arena, and its settings. */
struct cloth {
  uint32_t magic;
  int32_t count;           /* particles */
  int32_t stride;          /* floats from one component of a vector array to the next */
  int32_t has_scratch;     /* 0 while the scratch is to be shared and none was given */
  uint32_t config_hash[2]; /* of grid, settings and maps; low word first */
  uint32_t total_bytes;    /* of the arena */
  uint32_t shared_bytes;   /* of the scratch outside of it */
  scratch_offsets scratch;
#if UINTPTR_MAX == UINT32_MAX
  uint32_t pads[SCRATCH_PARTS]; /* a cloth takes the same room in every build */
#endif
  constant_offsets constant;
  state_offsets state;
  own_offsets own;
  grid_shape grid;
  cloth_settings settings;
};

/* A condition on the layout of types. NAME says what it is about. */
#define LAYOUT_CONTRACT(name, condition) typedef char layout_##name[(condition) ? 1 : -1]

/* Grid and settings are hashed word by word: a gap would hash as whatever lies there. */
LAYOUT_CONTRACT(grid_has_no_gaps, sizeof(grid_shape) == 8 * sizeof(uint32_t));
LAYOUT_CONTRACT(settings_have_no_gaps, sizeof(cloth_settings) == 36 * sizeof(uint32_t));
/* State is saved and hashed as words, and read from images as words. */
LAYOUT_CONTRACT(inputs_are_words, sizeof(cloth_inputs) == (7 + 3 * 3 + 1 + 1 + 1 + 11) * sizeof(uint32_t));
LAYOUT_CONTRACT(collider_slots_are_words, sizeof(collider_slot) == (1 + 1 + 7 + 3 + 3 + 2 + 7) * sizeof(uint32_t));
LAYOUT_CONTRACT(confinements_are_words, sizeof(confinement) == 8 * sizeof(uint32_t));
/* From `last_substep` on the inputs are floats, which images check together. */
LAYOUT_CONTRACT(inputs_end_with_floats, offsetof(cloth_inputs, last_substep) == 7 * sizeof(uint32_t));
/* A fabric is a run of floats, which are flushed together. */
LAYOUT_CONTRACT(fabric_is_floats, sizeof(cloth_fabric) == 11 * sizeof(float));
/* A quaternion is a run of four floats, which are flushed together. */
LAYOUT_CONTRACT(rotation_is_floats, sizeof(cloth_rotation) == 4 * sizeof(float));
LAYOUT_CONTRACT(vector_is_floats, sizeof(cloth_vector) == 3 * sizeof(float));
/* A cloth takes the same room in every build: see `pads`. */
LAYOUT_CONTRACT(cloth_size, sizeof(cloth) == (8 + 2 * 17 + 2 + 12 + 4 + 8 + 36) * sizeof(uint32_t));

/* What comes before the state in a save and in an image. */
#define SAVE_HEADER_BYTES 16u
#define IMAGE_HEADER_BYTES 52u

/* The velocities before the last one are kept for extrapolation. Where they tell nothing - at the start, after a
   contact, when the caller has set the velocity - the first of their floats is a speed that no particle has. */
#define HISTORY_INVALID 2.0e5f

/* Fastest a pin may be told to move [m/s]. */
#define PIN_SPEED_LIMIT 1.0e5f

/// Access to the arena ///

/* Also of what lies before the arena or behind it, in scratch that is shared. */
static void *at(const cloth *c, uintptr_t offset) {
  return (char *)(uintptr_t)c + (ptrdiff_t)offset;
}

static float *floats_at(const cloth *c, uintptr_t offset) {
  return (float *)at(c, offset);
}

CLOTH_INLINE vector_array vectors_at(const cloth *c, uintptr_t offset) {
  vector_array p;
  p.x = floats_at(c, offset);
  p.y = p.x + c->stride;
  p.z = p.y + c->stride;
  return p;
}

static cloth_inputs *inputs_of(const cloth *c) {
  return (cloth_inputs *)at(c, c->state.inputs);
}

static collider_slot *colliders_of(const cloth *c) {
  return (collider_slot *)at(c, c->state.colliders);
}

static confinement *confined_of(const cloth *c) {
  return (confinement *)at(c, c->state.confined);
}

static cloth_reaction *reactions_of(const cloth *c) {
  return (cloth_reaction *)at(c, c->own.reactions);
}

static workspace *workspace_of(const cloth *c) {
  return (workspace *)at(c, c->own.workspace);
}

static cloth_statistics *statistics_of(const cloth *c) {
  return &workspace_of(c)->statistics;
}

/* Counts work of a step at hand: so many times the price of one. */
static void add_work(const cloth *c, uint64_t times, uint32_t price) {
  if (!WITH_PLANNING) {
    return;
  }
  uint32_t *work = statistics_of(c)->work;
  uint64_t sum = ((uint64_t)work[1] << 32 | work[0]) + times * price;
  work[0] = (uint32_t)sum;
  work[1] = (uint32_t)(sum >> 32);
}

/* Takes back work that was reckoned in advance and not done. */
static void refund_work(const cloth *c, uint64_t times, uint32_t price) {
  add_work(c, 0u - times, price);
}

/* May the step at hand do another piece of optional work? After the first refusal it may do none. */
static int may_refine(const cloth *c) {
  workspace *w = workspace_of(c);
  if (w->timed && !w->is_cut && CLOTH_TICKS() - w->start >= w->ticks) {
    w->is_cut = 1;
    w->max_refinements = w->refinements;
  }
  if (w->is_cut && w->refinements >= w->max_refinements) {
    return 0;
  }
  w->refinements++;
  return 1;
}

/* The same where fixed work does not have it done for all. */
static void add_varying_work(const cloth *c, uint64_t times, uint32_t price) {
  add_work(c, c->settings.capacity.fixed_work ? 0u : times, price);
}

static uint8_t *freedom_of(const cloth *c) {
  return (uint8_t *)at(c, c->state.freedom);
}

static int is_pinned(const cloth *c, int32_t particle) {
  return (freedom_of(c)[particle] & FREEDOM_MASK) == FREEDOM_PINNED;
}

/* Does column 0 follow the last column? */
CLOTH_INLINE int is_wrapped(const cloth *c) {
  return WITH_WRAP && c->grid.wrap;
}

/* Cells along the warp. */
static int32_t cells_along_warp(const cloth *c) {
  return is_wrapped(c) ? c->grid.columns : c->grid.columns - 1;
}

/* The predicted positions of a substep take the place of the solver's product, which is spent by then. */
static vector_array predicted_of(const cloth *c) {
  return vectors_at(c, c->scratch.product);
}

/* Where explicit springs are evaluated. */
static vector_array evaluation_positions(const cloth *c, const step_plan *plan) {
  return plan->extrapolation > 0.0f ? predicted_of(c) : vectors_at(c, c->state.position);
}

/* Are contacts constraints of the solve? */
static int has_solver_contacts(const cloth *c) {
  return WITH_CONTACT_SOLVER && c->state.contacts;
}

/* Mass of a particle over the reference mass. */
static float mass_ratio_at(const cloth *c, int32_t particle) {
  return c->constant.mass_ratio ? floats_at(c, c->constant.mass_ratio)[particle] : 1.0f;
}

static lanes mass_ratio_lanes(const cloth *c, int32_t particle) {
  return c->constant.mass_ratio ? lanes_load(floats_at(c, c->constant.mass_ratio) + particle) : lanes_splat(1.0f);
}

static float reference_mass(const cloth *c) {
  return inputs_of(c)->fabric.density * c->grid.area / (float)c->count;
}

static void fill_vectors(const cloth *c, vector_array a, float value) {
  for (int32_t i = 0; i < c->count; i++) {
    vector_store(a, i, vector(value, value, value));
  }
}

/* Will the next step choose tethers? With fixed work it always does the work, unless the caller has set them. */
static int will_choose_tethers(const cloth *c) {
  int32_t chosen = c->state.tethers ? inputs_of(c)->tethers_chosen : TETHERS_SET;
  return chosen == TETHERS_STALE || (chosen == TETHERS_CHOSEN && c->settings.capacity.fixed_work);
}

static int check_cloth(const cloth *c) {
  if (!c) {
    return CLOTH_ERROR_NULL;
  }
  if ((uintptr_t)c % CLOTH_ALIGNMENT != 0 || c->magic != CLOTH_MAGIC) {
    return CLOTH_ERROR_NOT_A_CLOTH;
  }
  return CLOTH_OK;
}

/* Is this a cloth, and is what comes with it there? */
static int check_call(const cloth *c, const void *with) {
  int error = check_cloth(c);
  return error || with ? error : CLOTH_ERROR_NULL;
}

/* The velocities one or two substeps before the last. */
static vector_array history_of(const cloth *c, int32_t before) {
  return vectors_at(c, c->state.velocity_history + (uint32_t)((before - 1) * 3 * c->stride) * (uint32_t)sizeof(float));
}

static void invalidate_history(const cloth *c, int32_t particle) {
  if (c->state.velocity_history) {
    vector_store(history_of(c, 1), particle, vector(HISTORY_INVALID, 0.0f, 0.0f));
    vector_store(history_of(c, 2), particle, vector(0.0f, 0.0f, 0.0f));
  }
}

static vector_array target_vectors(const cloth *c, int32_t which) {
  return vectors_at(c, c->state.targets + (uint32_t)(which * 3 * c->stride) * (uint32_t)sizeof(float));
}

#if WITH_TARGETS || !defined(CLOTH_NO_IMAGE)
/* Are these the lengths of a motion constraint? */
static int is_motion_limit(cloth_vector limit) {
  return in_range(limit.x, 0.0f, CLOTH_ANY_DISTANCE) && in_range(limit.y, 0.0f, 1.0e4f) &&
         in_range(limit.z, 0.0f, 1.0e4f);
}
#endif

static int is_asleep(const cloth *c) {
  return inputs_of(c)->rest_time == ASLEEP;
}

/* Something that acts on the cloth has changed. */
static void wake(const cloth *c) {
  inputs_of(c)->rest_time = 0.0f;
}

/* Stores one of the inputs. What it already is wakes nothing. */
static void set_input(const cloth *c, void *stored, const void *value, size_t bytes) {
  if (WITH_SLEEP && !are_equal(stored, value, bytes)) {
    wake(c);
  }
  copy_memory(stored, value, bytes);
}

static int has_air(const cloth *c) {
  return WITH_AIR && c->settings.air.density > 0.0f &&
         (c->settings.air.drag > 0.0f || c->settings.air.lift > 0.0f || c->settings.air.normal_drag > 0.0f);
}

static vector_array row_buffer(const cloth *c, int32_t number) {
  vector_array f;
  f.x = floats_at(c, c->scratch.row_buffers) + 3 * number * c->grid.columns;
  f.y = f.x + c->grid.columns;
  f.z = f.y + c->grid.columns;
  return f;
}

static void clear_row_buffers(const cloth *c) {
  fill_zero(floats_at(c, c->scratch.row_buffers), (size_t)(3 * ROW_BUFFERS * c->grid.columns) * sizeof(float));
}

static uint32_t *contact_info_of(const cloth *c) {
  return (uint32_t *)at(c, c->state.contacts);
}

/* All bits of any particle's freedom. */
static uint32_t union_of_freedom_flags(const cloth *c) {
  const uint8_t *freedom = freedom_of(c);
  uint32_t joined = 0;
  for (int32_t i = 0; i < c->count; i++) {
    joined |= freedom[i];
  }
  return joined;
}

static int check_particle(const cloth *c, int32_t particle) {
  int error = check_cloth(c);
  if (error) {
    return error;
  }
  return particle >= 0 && particle < c->count ? CLOTH_OK : CLOTH_ERROR_PARTICLE;
}

/* Stores one of a particle's vectors that the caller may set. What it already is wakes nothing. */
static void set_particle_vector(const cloth *c, vector_array to, int32_t particle, cloth_vector a) {
  cloth_vector before = vector_load(to, particle);
  if (WITH_SLEEP && !are_equal(&before, &a, sizeof a)) {
    wake(c);
  }
  vector_store(to, particle, a);
}

static int check_pin(const cloth *c, int32_t particle) {
  int error = check_particle(c, particle);
  if (error) {
    return error;
  }
  return is_pinned(c, particle) ? CLOTH_OK : CLOTH_ERROR_NOT_PINNED;
}

/// Rotations and poses ///

static cloth_rotation rotation_conjugate(cloth_rotation q) {
  q.x = 0.0f - q.x;
  q.y = 0.0f - q.y;
  q.z = 0.0f - q.z;
  return q;
}

/* v + 2 w (u x v) + 2 u x (u x v), u the vector part. */
static cloth_vector rotate(cloth_rotation q, cloth_vector v) {
  cloth_vector u = vector(q.x, q.y, q.z);
  v = vector_flush_work(v);
  cloth_vector t = vector_flush_work(vector_scale(vector_cross(u, v), 2.0f));
  return vector_add(vector_add_scaled(v, t, q.w), vector_cross(u, t));
}

static cloth_rotation rotation_flush(cloth_rotation q) {
  flush_floats(&q.x, 4);
  return q;
}

/* Snapped before it is squared, and again when it is scaled. */
static cloth_rotation rotation_normalised(cloth_rotation q) {
  q = rotation_flush(q);
  float squared = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  float scale = 1.0f / square_root(maximum(squared, 1.0e-12f));
  q.x = q.x * scale;
  q.y = q.y * scale;
  q.z = q.z * scale;
  q.w = q.w * scale;
  return rotation_flush(q);
}

/* A share t of the way from a to b, the short way round, at nearly even speed. */
static cloth_rotation rotation_between(cloth_rotation a, cloth_rotation b, float t) {
  float sign = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0.0f ? -1.0f : 1.0f;
  cloth_rotation q;
  q.x = a.x + (sign * b.x - a.x) * t;
  q.y = a.y + (sign * b.y - a.y) * t;
  q.z = a.z + (sign * b.z - a.z) * t;
  q.w = a.w + (sign * b.w - a.w) * t;
  return rotation_normalised(q);
}

static cloth_pose pose_between(const cloth_pose *a, const cloth_pose *b, float t) {
  if (t == 1.0f) {
    return *b;
  }
  cloth_pose pose;
  pose.position = vector_add_scaled(a->position, vector_subtract(b->position, a->position), t);
  pose.position = vector_flush(pose.position, STATE_QUANTUM);
  pose.rotation = rotation_between(a->rotation, b->rotation, t);
  return pose;
}

static cloth_vector to_local(const cloth_pose *pose, cloth_vector p) {
  cloth_vector from = vector_flush(vector_subtract(p, pose->position), STATE_QUANTUM);
  return vector_flush(rotate(rotation_conjugate(pose->rotation), from), STATE_QUANTUM);
}

static cloth_vector to_world(const cloth_pose *pose, cloth_vector p) {
  return vector_add(pose->position, rotate(pose->rotation, p));
}

/* v + 2 w (u x v) + 2 u x (u x v), u the vector part. */
CLOTH_INLINE lanes3 lanes3_rotate(cloth_rotation q, lanes3 v) {
  lanes3 u = lanes3_splat(vector(q.x, q.y, q.z));
  v = lanes3_flush(v);
  lanes3 t = lanes3_flush(lanes3_scale(lanes3_cross(u, v), lanes_splat(2.0f)));
  return lanes3_add(lanes3_add_scaled(v, t, lanes_splat(q.w)), lanes3_cross(u, t));
}

#if WITH_COLLIDERS

static int check_pose(const cloth_pose *pose) {
  if (!vector_in_range(pose->position, CLOTH_POSITION_LIMIT)) {
    return CLOTH_ERROR_VECTOR;
  }
  cloth_rotation q = pose->rotation;
  if (!vector_in_range(vector(q.x, q.y, q.z), 2.0f) || !in_range(q.w, -2.0f, 2.0f)) {
    return CLOTH_ERROR_ROTATION;
  }
  q = rotation_flush(q);
  float squared = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  return in_range(squared, 0.998f, 1.002f) ? CLOTH_OK : CLOTH_ERROR_ROTATION;
}

static cloth_pose normalised_pose(const cloth_pose *pose) {
  cloth_pose clean;
  clean.position = vector_flush(pose->position, STATE_QUANTUM);
  clean.rotation = rotation_normalised(pose->rotation);
  return clean;
}

#endif

#if WITH_MOVE_FRAME

static cloth_rotation rotation_product(cloth_rotation a, cloth_rotation b) {
  cloth_rotation q;
  q.x = a.w * b.x + a.x * b.w + (a.y * b.z - a.z * b.y);
  q.y = a.w * b.y + a.y * b.w + (a.z * b.x - a.x * b.z);
  q.z = a.w * b.z + a.z * b.w + (a.x * b.y - a.y * b.x);
  q.w = a.w * b.w - (a.x * b.x + a.y * b.y + a.z * b.z);
  return rotation_normalised(q);
}

/* Half the rotation of one of at most half a turn. */
static cloth_rotation half_rotation(cloth_rotation q) {
  float w = square_root(0.5f * (1.0f + q.w));
  float share = 0.5f / w;
  cloth_rotation half = {q.x * share, q.y * share, q.z * share, w};
  return half;
}

#endif

/// Self-test ///

#ifndef CLOTH_NO_SELF_TEST

/* Compilers may not compute what comes out of these in advance; nor move it, as one did with volatile alone. */
CLOTH_SEPARATE float opaque_float(uint32_t bits) {
  volatile uint32_t kept = bits;
  float_bits b;
  b.bits = kept;
  return b.value;
}

static int has_bits(float value, uint32_t bits) {
  volatile float kept = value;
  return float_to_bits(kept).bits == bits;
}

/* Expressions of known bits, and what is wrong where they come out otherwise. */
enum { A_PLUS_B, A_OVER_B, A_PLUS_B_MINUS_A, A_TIMES_A_PLUS_B, A_TIMES_2_OVER_2, ROOT_OF_A };
typedef struct known_bits {
  int16_t expression;
  int16_t error;
  uint32_t a, b, bits;
} known_bits;

CLOTH_CONSTANT static const known_bits known_results[] = {
    /* 1 + 2^-24: a tie, to even. Then the other way, a little more than a tie, and below 0. */
    {A_PLUS_B, CLOTH_ERROR_ROUNDING, 0x3f800000u, 0x33800000u, 0x3f800000u},
    {A_PLUS_B, CLOTH_ERROR_ROUNDING, 0x3f800001u, 0x33800000u, 0x3f800002u},
    {A_PLUS_B, CLOTH_ERROR_ROUNDING, 0x3f800000u, 0x33800001u, 0x3f800001u},
    {A_PLUS_B, CLOTH_ERROR_ROUNDING, 0xbf800000u, 0xb3800000u, 0xbf800000u},
    /* 1 / 3 is rounded up. */
    {A_OVER_B, CLOTH_ERROR_ROUNDING, 0x3f800000u, 0x40400000u, 0x3eaaaaabu},
    /* 2^127 * 2 is infinite in a float; in something wider it comes back. */
    {A_TIMES_2_OVER_2, CLOTH_ERROR_EXCESS, 0x7f000000u, 0, 0x7f800000u},
    /* (2^24 + 1/2) - 2^24, (1 + 2^-25) - 1: lost when rounded to a float, kept when wider or rearranged. */
    {A_PLUS_B_MINUS_A, CLOTH_ERROR_EXCESS, 0x4b800000u, 0x3f000000u, 0},
    {A_PLUS_B_MINUS_A, CLOTH_ERROR_EXCESS, 0x3f800000u, 0x33000000u, 0},
    /* 3 / 7, which 3 * (1 / 7) is not. */
    {A_OVER_B, CLOTH_ERROR_EXCESS, 0x40400000u, 0x40e00000u, 0x3edb6db7u},
    /* (1 + 2^-23)^2 - (1 + 2^-22) is 2^-46 when it is rounded once, and 0 when the product is rounded first. */
    {A_TIMES_A_PLUS_B, CLOTH_ERROR_CONTRACTION, 0x3f800001u, 0xbf800002u, 0},
    /* Roots of 2, the neighbours of 1, 2^-126, the largest float, infinity. */
    {ROOT_OF_A, CLOTH_ERROR_SQUARE_ROOT, 0x40000000u, 0, 0x3fb504f3u},
    {ROOT_OF_A, CLOTH_ERROR_SQUARE_ROOT, 0x3f800001u, 0, 0x3f800000u},
    {ROOT_OF_A, CLOTH_ERROR_SQUARE_ROOT, 0x3f7fffffu, 0, 0x3f7fffffu},
    {ROOT_OF_A, CLOTH_ERROR_SQUARE_ROOT, 0x00800000u, 0, 0x20000000u},
    {ROOT_OF_A, CLOTH_ERROR_SQUARE_ROOT, 0x7f7fffffu, 0, 0x5f7fffffu},
    {ROOT_OF_A, CLOTH_ERROR_SQUARE_ROOT, 0x7f800000u, 0, 0x7f800000u},
};

static lanes expression_value(int expression, lanes a, lanes b) {
  switch (expression) {
  case A_PLUS_B:
    return lanes_add(a, b);
  case A_OVER_B:
    return lanes_divide(a, b);
  case A_PLUS_B_MINUS_A:
    return lanes_subtract(lanes_add(a, b), a);
  case A_TIMES_A_PLUS_B:
    return lanes_add(lanes_multiply(a, a), b);
  case A_TIMES_2_OVER_2:
    return lanes_multiply(lanes_multiply(a, lanes_splat(2.0f)), lanes_splat(0.5f));
  default:
    return lanes_square_root(a);
  }
}

/* The same in plain floats, where lanes are more than that. */
static float scalar_value(int expression, float a, float b) {
  switch (expression) {
  case A_PLUS_B:
    return a + b;
  case A_OVER_B:
    return a / b;
  case A_PLUS_B_MINUS_A:
    return (a + b) - a;
  case A_TIMES_A_PLUS_B:
    return a * a + b;
  case A_TIMES_2_OVER_2:
    return a * 2.0f * 0.5f;
  default:
    return square_root(a);
  }
}

/* Every way to choose lanes: the first three, every second, both, and a store of no more than three. */
static int masks_are_right(void) {
  static const float parity[8] = {0.0f, 1.0f, 0.0f, 1.0f, 0.0f, 1.0f, 0.0f, 1.0f};
  float stored[CLOTH_LANES];
  float chosen[CLOTH_LANES];
  lanes one = lanes_splat(1.0f);
  lanes zero = lanes_splat(0.0f);
  lanes_mask odd = lanes_less(zero, lanes_load(parity));
  lanes_mask even = lanes_less(lanes_load(parity), one);
  lanes_mask both = lanes_both(lanes_first(3), even);
  lanes_store(stored, zero);
  lanes_store_first(stored, one, 3);
  lanes_store(chosen, lanes_select(both, one, lanes_select(odd, lanes_splat(2.0f), zero)));
  for (int32_t i = 0; i < CLOTH_LANES; i++) {
    float expected = i % 2 == 1 ? 2.0f : (i < 3 ? 1.0f : 0.0f);
    if (stored[i] != (i < 3 ? 1.0f : 0.0f) || chosen[i] != expected) {
      return 0;
    }
  }
  lanes_store(chosen, lanes_shifted(lanes_splat(7.0f), lanes_load(chosen)));
  if (chosen[0] != 7.0f || chosen[1 % CLOTH_LANES] != (CLOTH_LANES > 1 ? 1.0f : 7.0f) ||
      chosen[2 % CLOTH_LANES] != (CLOTH_LANES > 1 ? 2.0f : 7.0f)) {
    return 0;
  }
  return lanes_any(both) && !lanes_any(lanes_first(0)) && !lanes_any(lanes_both(both, odd));
}

static int transposition_is_right(void) {
  float from[CLOTH_LANES * CLOTH_LANES];
  float to[CLOTH_LANES];
  lanes block[CLOTH_LANES];
  for (int32_t i = 0; i < CLOTH_LANES * CLOTH_LANES; i++) {
    from[i] = (float)i;
  }
  for (int32_t i = 0; i < CLOTH_LANES; i++) {
    block[i] = lanes_load(from + i * CLOTH_LANES);
  }
  lanes_transpose(block);
  int right = 1;
  for (int32_t i = 0; i < CLOTH_LANES * CLOTH_LANES; i++) {
    lanes_store(to, block[i / CLOTH_LANES]);
    right &= to[i % CLOTH_LANES] == from[i % CLOTH_LANES * CLOTH_LANES + i / CLOTH_LANES];
  }
  return right;
}

/* Some values of a block, through the operations whose meaning differs most between vector units. */
static int lanes_are_right(void) {
  float from[CLOTH_LANES + 1];
  float to[CLOTH_LANES + 1];
  for (int32_t i = 0; i <= CLOTH_LANES; i++) {
    from[i] = opaque_float(0x3f800000u + 0x00123457u * (uint32_t)i);
    to[i] = 7.0f;
  }
  lanes a = lanes_load(from);
  lanes b = lanes_divide(lanes_splat(opaque_float(0xc0400000u)), a);
  lanes c =
      lanes_select(lanes_less(b, lanes_splat(opaque_float(0xc0000000u))), lanes_absolute(b), lanes_subtract(a, b));
  lanes_store_first(to, lanes_multiply(c, c), CLOTH_LANES);
  for (int32_t i = 0; i < CLOTH_LANES; i++) {
    float quotient = opaque_float(0xc0400000u) / from[i];
    float chosen = quotient < opaque_float(0xc0000000u) ? 0.0f - quotient : from[i] - quotient;
    if (!has_bits(to[i], float_to_bits(chosen * chosen).bits)) {
      return 0;
    }
  }
  return has_bits(to[CLOTH_LANES], 0x40e00000u) && masks_are_right() && transposition_is_right();
}

int cloth_self_test(void) {
  const known_bits *end = known_results + sizeof known_results / sizeof known_results[0];
  for (const known_bits *k = known_results; k < end; k++) {
    /* Asked for twice: of a product that both have in common a compiler may fuse neither. */
    lanes a = lanes_splat(opaque_float(k->a));
    lanes b = lanes_splat(opaque_float(k->b));
    if (!has_bits(lanes_first_value(expression_value(k->expression, a, b)), k->bits) ||
        (CLOTH_LANES > 1 && !has_bits(scalar_value(k->expression, opaque_float(k->a), opaque_float(k->b)), k->bits))) {
      return k->error;
    }
  }
  if (CLOTH_LANES > 1 && !lanes_are_right()) { /* one lane is the reference itself */
    return CLOTH_ERROR_LANES;
  }
  /* Half of the smallest normal number is not 0, unless it is flushed: by the scalar unit or by the vector unit. */
  float half = opaque_float(0x3f000000u);
  float smallest = opaque_float(0x00800000u);
  lanes wide = lanes_multiply(lanes_splat(smallest), lanes_splat(half));
  int flushes = has_bits(smallest * half, 0) || has_bits(lanes_first_value(wide), 0);
  return flushes ? CLOTH_NOTE_FLUSHES : CLOTH_OK;
}

#endif

/// 3. Making a cloth ///

/// Placement of the grid ///

/* Squared length of an edge may not overflow or vanish, and neighbours stay at least 0.1 mm and at most 100 m apart. */
static int check_edge(cloth_vector edge, int32_t cells) {
  if (!vector_in_range(edge, CLOTH_POSITION_LIMIT)) {
    return CLOTH_ERROR_PLACEMENT;
  }
  float spacing = vector_length(edge) / (float)cells;
  return in_range(spacing, 0.99999e-4f, 100.0f) ? CLOTH_OK : CLOTH_ERROR_PLACEMENT;
}

static int is_tube(const cloth_config *config) {
  return WITH_WRAP && config->wrap;
}

/* Measured in units of the first edge's length, so that nothing overflows. */
static float parallelogram_area(cloth_vector a, cloth_vector b) {
  float length = vector_length(a);
  cloth_vector unit = vector_flush_work(vector_scale(a, 1.0f / length));
  return length * vector_length(vector_cross(unit, b));
}

#if WITH_WRAP

typedef struct turn {
  float cosine, sine;
} turn;

/* Of an angle of an eighth of a turn at most, to a rounding or two: the series. */
static turn small_angle(float angle) {
  float square = angle * angle;
  float cosine = 1.0f / 24.0f - square * (1.0f / 720.0f - square * (1.0f / 40320.0f));
  float sine = 1.0f / 120.0f - square * (1.0f / 5040.0f - square * (1.0f / 362880.0f));
  turn t;
  t.cosine = 1.0f - square * (0.5f - square * cosine);
  t.sine = angle * (1.0f - square * (1.0f / 6.0f - square * sine));
  return t;
}

/* So many steps, of which `steps` go all the way round: quarter turns, and what is left to either side. */
static turn polygon_angle(int32_t step, int32_t steps) {
  int32_t quarters = (4 * step + steps / 2) / steps;
  turn t = small_angle(1.5707964f * ((float)(4 * step - quarters * steps) / (float)steps));
  for (; quarters > 0; quarters--) {
    float cosine = t.cosine;
    t.cosine = 0.0f - t.sine;
    t.sine = cosine;
  }
  return t;
}

#endif

/* A place on the plane of origin and edges. */
static cloth_vector grid_point(const cloth_config *config, int32_t column, int32_t row) {
  float along_warp = (float)column / (float)(config->columns - 1);
  float along_weft = (float)row / (float)(config->rows - 1);
  cloth_vector p = vector_flush_work(config->origin);
  p = vector_add_scaled(p, vector_flush_work(config->edge_warp), along_warp);
  return vector_add_scaled(p, vector_flush_work(config->edge_weft), along_weft);
}

/* Where a particle starts that the config does not place. The rows of a wrapped sheet start as regular polygons whose
   sides are the spacing. Particle (0, 0) is at the origin, the axis behind it as seen from where the normal points. */
static cloth_vector start_point(const cloth_config *config, int32_t column, int32_t row) {
  cloth_vector p = grid_point(config, is_tube(config) ? 0 : column, row);
#if WITH_WRAP
  if (is_tube(config)) {
    cloth_vector along = vector_flush_work(config->edge_warp);
    cloth_vector axis = vector_flush_work(vector_scale(config->edge_weft, 1.0f / vector_length(config->edge_weft)));
    cloth_vector outward = vector_flush_work(vector_cross(along, axis));
    turn t = polygon_angle(column, config->columns);
    float radius =
        0.5f / ((float)config->columns * small_angle(3.1415927f / (float)config->columns).sine); /* / girth */
    p = vector_add_scaled(p, along, radius * t.sine);
    p = vector_add_scaled(p, outward, radius * (t.cosine - 1.0f));
  }
#endif
  return p;
}

/* Edges may lean, but not so far that cells collapse: to a tenth of a rectangle's area. Around a tube they may not: its
   rings would not close. */
static int edges_lean(const cloth_config *config) {
  float rectangle = vector_length(config->edge_warp) * vector_length(config->edge_weft);
  if (is_tube(config)) {
    float lean = vector_dot(vector_flush_work(config->edge_warp), vector_flush_work(config->edge_weft));
    return !in_range(lean, -1.0e-3f * rectangle, 1.0e-3f * rectangle);
  }
  return parallelogram_area(config->edge_warp, config->edge_weft) < 0.1f * rectangle;
}

static int check_placement(const cloth_config *config) {
  if (check_edge(config->edge_warp, config->columns - !is_tube(config)) ||
      check_edge(config->edge_weft, config->rows - 1) || edges_lean(config)) {
    return CLOTH_ERROR_PLACEMENT;
  }
  if (config->positions) {
    for (int32_t i = 0; i < config->columns * config->rows; i++) {
      if (!vector_in_range(config->positions[i], CLOTH_POSITION_LIMIT)) {
        return CLOTH_ERROR_PLACEMENT;
      }
    }
    return CLOTH_OK;
  }
  for (int32_t end = 0; end < 2 * config->columns; end++) { /* of a column */
    cloth_vector p = start_point(config, end >> 1, (end & 1) * (config->rows - 1));
    if (!vector_in_range(p, CLOTH_POSITION_LIMIT)) {
      return CLOTH_ERROR_PLACEMENT;
    }
  }
  return CLOTH_OK;
}

/// Fabrics ///

static cloth_fabric fabric_default(void) {
  cloth_fabric f;
  f.density = 0.2f;
  f.stretch_warp = 1000.0f;
  f.stretch_weft = 1000.0f;
  f.shear = 700.0f;
  f.bend = 1.0e-5f;
  f.bend_transition = 0.05f;
  f.compression = 1.0f;
  f.shear_compression = 1.0f;
  f.stretch_damping = 0.05f;
  f.shear_damping = 0.05f;
  f.bend_damping = 0.2f;
  return f;
}

/* The range of a number in a struct, and the error of being outside. */
typedef struct float_limit {
  uint16_t offset;
  int16_t error;
  float low, high;
} float_limit;

typedef struct integer_limit {
  uint16_t offset;
  int16_t error;
  int32_t low, high;
} integer_limit;

#define FABRIC(field) (uint16_t) offsetof(cloth_fabric, field)
CLOTH_CONSTANT static const float_limit fabric_limits[] = {
    {FABRIC(density), CLOTH_ERROR_DENSITY, 0.001f, 1000.0f},
    {FABRIC(stretch_warp), CLOTH_ERROR_STIFFNESS, 0.0f, 1.0e7f},
    {FABRIC(stretch_weft), CLOTH_ERROR_STIFFNESS, 0.0f, 1.0e7f},
    {FABRIC(shear), CLOTH_ERROR_STIFFNESS, 0.0f, 1.0e7f},
    {FABRIC(bend), CLOTH_ERROR_STIFFNESS, 0.0f, 10.0f},
    {FABRIC(bend_transition), CLOTH_ERROR_STIFFNESS, 1.0e-6f, 0.5f},
    {FABRIC(compression), CLOTH_ERROR_STIFFNESS, 0.0f, 1.0f},
    {FABRIC(shear_compression), CLOTH_ERROR_STIFFNESS, 0.0f, 1.0f},
    {FABRIC(stretch_damping), CLOTH_ERROR_DAMPING, 0.0f, 1.0e4f},
    {FABRIC(shear_damping), CLOTH_ERROR_DAMPING, 0.0f, 1.0e4f},
    {FABRIC(bend_damping), CLOTH_ERROR_DAMPING, 0.0f, 1.0e4f},
};
#undef FABRIC

static int check_floats(const void *values, const float_limit *limits, size_t bytes) {
  const float_limit *end = limits + bytes / sizeof *limits;
  for (; limits < end; limits++) {
    const float *value = (const float *)(const void *)((const char *)values + limits->offset);
    if (!in_range(*value, limits->low, limits->high)) {
      return limits->error;
    }
  }
  return CLOTH_OK;
}

static int check_integers(const void *values, const integer_limit *limits, size_t bytes) {
  const integer_limit *end = limits + bytes / sizeof *limits;
  for (; limits < end; limits++) {
    const int32_t *value = (const int32_t *)(const void *)((const char *)values + limits->offset);
    if (*value < limits->low || *value > limits->high) {
      return limits->error;
    }
  }
  return CLOTH_OK;
}

static int check_fabric(const cloth_fabric *fabric) {
  return check_floats(fabric, fabric_limits, sizeof fabric_limits);
}

static void set_fabric(const cloth *c, const cloth_fabric *fabric) {
  cloth_fabric clean = *fabric;
  flush_floats(&clean.density, (int32_t)(sizeof clean / sizeof(float)));
  set_input(c, &inputs_of(c)->fabric, &clean, sizeof clean);
}

#ifndef CLOTH_NO_FABRICS

/*
 * Density, tensile and bias stiffness of cotton, wool and polyester: Penava, Simic Penava and Knezic 2014, stretch
 * = tensile - shear; their bending rigidities: Matsudaira 2015 (cotton broad, tropical wool, polyester faille).
 * Silk and denim are set inside the KES ranges of the literature (B 2..20 uN m, G 17..112 N/m) so that drape
 * stiffness orders silk < wool < cotton < denim: silk habutae about 0.06 kg/m^2 and 2 uN m, denim about 0.4 kg/m^2
 * and 20 uN m or more. Shear is twice the KES shear modulus, the diagonals acting in tension only.
 */
CLOTH_CONSTANT static const cloth_fabric fabric_presets[] = {
    /* density, warp, weft, shear, bend, transition, compression, of shear, damping of stretch, shear and bend */
    {0.0600f, 4000.0f, 3500.0f, 60.0f, 2.00e-6f, 0.05f, 1.0f, 1.0f, 0.01f, 0.01f, 0.01f},    /* silk */
    {0.1503f, 10400.0f, 4000.0f, 261.0f, 1.157e-5f, 0.05f, 1.0f, 1.0f, 0.01f, 0.01f, 0.01f}, /* cotton */
    {0.2348f, 12400.0f, 4600.0f, 97.0f, 6.57e-6f, 0.05f, 1.0f, 1.0f, 0.01f, 0.01f, 0.01f},   /* wool */
    {0.4000f, 20000.0f, 12000.0f, 450.0f, 6.00e-5f, 0.05f, 1.0f, 1.0f, 0.01f, 0.01f, 0.01f}, /* denim */
    {0.1646f, 1300.0f, 2900.0f, 120.0f, 1.863e-6f, 0.05f, 1.0f, 1.0f, 0.01f, 0.01f, 0.01f},  /* polyester */
};

int cloth_fabric_preset(cloth_fabric_kind kind, cloth_fabric *fabric) {
  if (!fabric) {
    return CLOTH_ERROR_NULL;
  }
  if ((unsigned)kind > CLOTH_FABRIC_POLYESTER) {
    return CLOTH_ERROR_STIFFNESS;
  }
  *fabric = fabric_presets[kind];
  return CLOTH_OK;
}

#endif

/// Configuration ///

cloth_config cloth_config_default(void) {
  cloth_config config;
  fill_zero(&config, sizeof config);
  config.cookie = CLOTH_COOKIE;
  config.columns = 32;
  config.rows = 32;
  config.edge_warp = vector(1.0f, 0.0f, 0.0f);
  config.edge_weft = vector(0.0f, 0.0f, 1.0f);
  config.fabric = fabric_default();
  config.velocity_damping = 0.1f;
  config.gravity = vector(0.0f, -9.81f, 0.0f);
  config.air_density = 1.2f;
  config.integration = WITH_SOLVER || WITH_PROJECTION ? CLOTH_INTEGRATION_ADAPTIVE : CLOTH_INTEGRATION_EXPLICIT_ONLY;
  config.bend_integration = CLOTH_BEND_ADAPTIVE;
  config.fold_stiffness = 200.0f;
  config.explicit_threshold = 0.2f;
  config.projection_threshold = WITH_PROJECTION ? 0.2f : CLOTH_KAPPA_NEVER;
  config.extrapolation = WITH_PROJECTION ? 0.5f : 0.0f;
  config.tethers = WITH_PROJECTION ? TETHERS : 0;
  config.fine_sweeps = 3;
  config.tether_scale = 1.0015f;
  /* What can only be explicit needs as many substeps as it is stiff. */
  config.substeps = WITH_SOLVER || WITH_PROJECTION ? 28 : 0;
  config.max_substeps = WITH_SOLVER || WITH_PROJECTION ? 28 : 256;
  config.max_speed = 300.0f;
  config.preconditioner = CLOTH_PRECONDITIONER_BLOCK;
  config.max_iterations = 4;
  config.tolerance = 1.0e-3f;
  config.limit_extension = 0.006f;
  config.limit_compression = 1.0f;
  config.contact_mode = CLOTH_CONTACT_PROJECTION;
  config.thickness = 0.01f;
  config.max_colliders = WITH_COLLIDERS ? 16 : 0;
  config.max_confined = WITH_CONFINED ? 8 : 0;
  config.sleep_time = 0.5f;
  return config;
}

#define CONFIG(field) (uint16_t) offsetof(cloth_config, field)
CLOTH_CONSTANT static const integer_limit config_integers[] = {
    {CONFIG(columns), CLOTH_ERROR_GRID, 2, CLOTH_GRID_LIMIT},
    {CONFIG(rows), CLOTH_ERROR_GRID, 2, CLOTH_GRID_LIMIT},
    {CONFIG(wrap), CLOTH_ERROR_GRID, 0, 1},
    {CONFIG(substeps), CLOTH_ERROR_SUBSTEPS, 0, CLOTH_SUBSTEP_LIMIT},
    {CONFIG(max_substeps), CLOTH_ERROR_SUBSTEPS, 1, CLOTH_SUBSTEP_LIMIT},
    {CONFIG(warm_start), CLOTH_ERROR_SOLVER, 0, 1},
    {CONFIG(max_iterations), CLOTH_ERROR_ITERATIONS, 1, CLOTH_ITERATION_LIMIT},
    {CONFIG(limit_sweeps), CLOTH_ERROR_STRAIN_LIMIT, 0, CLOTH_SWEEP_LIMIT},
    {CONFIG(max_colliders), CLOTH_ERROR_CAPACITY, 0, CLOTH_COLLIDER_LIMIT},
    {CONFIG(max_confined), CLOTH_ERROR_CAPACITY, 0, 65535},
    {CONFIG(spans), CLOTH_ERROR_PROJECTION, 0, CLOTH_SPAN_LIMIT},
    {CONFIG(fine_sweeps), CLOTH_ERROR_PROJECTION, 0, CLOTH_SWEEP_LIMIT},
    {CONFIG(tethers), CLOTH_ERROR_PROJECTION, 0, TETHERS},
    {CONFIG(fixed_work), CLOTH_ERROR_WORK, 0, 1},
    {CONFIG(targets), CLOTH_ERROR_TARGETS, 0, 1},
    {CONFIG(shared_scratch), CLOTH_ERROR_SCRATCH, 0, 1},
};

CLOTH_CONSTANT static const float_limit config_floats[] = {
    {CONFIG(velocity_damping), CLOTH_ERROR_DAMPING, 0.0f, 100.0f},
    {CONFIG(air_density), CLOTH_ERROR_AIR, 0.0f, 100.0f},
    {CONFIG(drag), CLOTH_ERROR_AIR, 0.0f, 100.0f},
    {CONFIG(lift), CLOTH_ERROR_AIR, 0.0f, 100.0f},
    {CONFIG(normal_drag), CLOTH_ERROR_AIR, 0.0f, 100.0f},
    {CONFIG(fold_stiffness), CLOTH_ERROR_STIFFNESS, 0.0f, 1.0e6f},
    {CONFIG(explicit_threshold), CLOTH_ERROR_INTEGRATION, 0.0f, 0.5f},
    {CONFIG(projection_threshold), CLOTH_ERROR_INTEGRATION, 0.0f, CLOTH_KAPPA_NEVER},
    {CONFIG(extrapolation), CLOTH_ERROR_PROJECTION, 0.0f, 1.0f},
    {CONFIG(tether_scale), CLOTH_ERROR_PROJECTION, 0.5f, 10.0f},
    {CONFIG(max_speed), CLOTH_ERROR_MAX_SPEED, 0.1f, 1.0e4f},
    {CONFIG(tolerance), CLOTH_ERROR_TOLERANCE, 1.0e-4f, 0.5f},
    {CONFIG(limit_extension), CLOTH_ERROR_STRAIN_LIMIT, 0.0f, 10.0f},
    {CONFIG(limit_compression), CLOTH_ERROR_STRAIN_LIMIT, 0.0f, 1.0f},
    {CONFIG(thickness), CLOTH_ERROR_CONTACT, 0.0f, 1.0f},
    {CONFIG(sleep_speed), CLOTH_ERROR_SLEEP, 0.0f, 10.0f},
    {CONFIG(sleep_time), CLOTH_ERROR_SLEEP, 0.0f, 60.0f},
};
#undef CONFIG

static int check_map(const float *map, int32_t count, float low, float high) {
  for (int32_t i = 0; map && i < count; i++) {
    if (!in_range(map[i], low, high)) {
      return CLOTH_ERROR_MAP;
    }
  }
  return CLOTH_OK;
}

/* With fewer columns two bend springs would join the same two particles. */
#define LEAST_COLUMNS_WRAPPED 5

/* Are the choices among those there are? */
static int check_choices(const cloth_config *config) {
  if ((unsigned)config->integration > CLOTH_INTEGRATION_EXPLICIT_ONLY ||
      (unsigned)config->bend_integration > CLOTH_BEND_EXPLICIT) {
    return CLOTH_ERROR_INTEGRATION;
  }
  if ((unsigned)config->preconditioner > CLOTH_PRECONDITIONER_AUTOMATIC) {
    return CLOTH_ERROR_SOLVER;
  }
  if ((unsigned)config->contact_mode > CLOTH_CONTACT_SOLVER) {
    return CLOTH_ERROR_CONTACT;
  }
  if (is_tube(config) && config->columns < LEAST_COLUMNS_WRAPPED) {
    return CLOTH_ERROR_GRID;
  }
  if (config->fixed_work && (config->sleep_speed > 0.0f || config->contact_mode == CLOTH_CONTACT_SOLVER)) {
    return CLOTH_ERROR_WORK;
  }
  return config->spans & (config->spans - 1) ? CLOTH_ERROR_PROJECTION : CLOTH_OK;
}

/* Can anything of a cloth with this config ever be implicit? */
static int needs_solver(const cloth_config *config) {
  float above = flush_small(config->projection_threshold, WORK_QUANTUM);
  return config->integration != CLOTH_INTEGRATION_EXPLICIT_ONLY &&
         (config->integration != CLOTH_INTEGRATION_ADAPTIVE ||
          above > flush_small(config->explicit_threshold, WORK_QUANTUM) ||
          config->contact_mode == CLOTH_CONTACT_SOLVER);
}

/* Does it keep earlier velocities? */
static int needs_history(const cloth_config *config) {
  return flush_small(config->extrapolation, WORK_QUANTUM) > 0.0f;
}

/* Does the config ask for what this build does without? */
static int check_left_out(const cloth_config *config) {
  if ((!WITH_SOLVER && needs_solver(config)) ||
      (!WITH_MULTILEVEL && config->preconditioner >= CLOTH_PRECONDITIONER_MULTILEVEL) ||
      (!WITH_PROJECTION &&
       (config->projection_threshold < CLOTH_KAPPA_NEVER || needs_history(config) || config->tethers > 0)) ||
      (!WITH_CONTACT_SOLVER && config->contact_mode == CLOTH_CONTACT_SOLVER) ||
      (!WITH_COLLIDERS && config->max_colliders > 0) || (!WITH_CONFINED && config->max_confined > 0) ||
      (!WITH_LIMITS && config->limit_sweeps > 0) || (!WITH_SLEEP && config->sleep_speed > 0.0f) ||
      (!WITH_TARGETS && config->targets) || (!WITH_WRAP && config->wrap) ||
      (!WITH_AIR && (config->drag > 0.0f || config->lift > 0.0f || config->normal_drag > 0.0f))) {
    return CLOTH_ERROR_LEFT_OUT;
  }
  return CLOTH_OK;
}

static int check_config(const cloth_config *config) {
  if (!config) {
    return CLOTH_ERROR_NULL;
  }
  if (config->cookie != CLOTH_COOKIE) {
    return CLOTH_ERROR_CONFIG;
  }
  int error = check_integers(config, config_integers, sizeof config_integers);
  error = error ? error : check_floats(config, config_floats, sizeof config_floats);
  error = error ? error : check_choices(config);
  error = error ? error : check_left_out(config);
  error = error ? error : check_fabric(&config->fabric);
  error = error ? error : check_placement(config);
  if (error) {
    return error;
  }
  if (!vector_in_range(config->gravity, 1.0e4f)) {
    return CLOTH_ERROR_GRAVITY;
  }
  if (!vector_in_range(config->wind, 1.0e3f)) {
    return CLOTH_ERROR_WIND;
  }
  error = check_map(config->mass_map, config->columns * config->rows, 0.01f, 100.0f);
  return error ? error : check_map(config->stiffness_map, config->columns * config->rows, 0.0f, 100.0f);
}

/// Memory layout ///

static uint32_t align_up(uint32_t offset) {
  return (offset + (CLOTH_ALIGNMENT - 1u)) & ~(CLOTH_ALIGNMENT - 1u);
}

/* Takes `bytes` bytes at *end and moves it on; everything is made of words of 4 bytes. */
static uint32_t reserve(uint32_t *end, uint32_t bytes) {
  uint32_t start = *end;
  *end = start + ((bytes + 3u) & ~3u);
  return start;
}

static uint32_t reserve_floats(uint32_t *end, int32_t floats) {
  return reserve(end, (uint32_t)floats * (uint32_t)sizeof(float));
}

/* For planes: aligned, so that on grids of a multiple of eight particles no block of lanes lies across two cache lines,
   which would halve the speed (measured). */
static uint32_t reserve_vectors(uint32_t *end, int32_t floats) {
  *end = align_up(*end);
  return reserve_floats(end, floats);
}

static void layout_constants(cloth *c, const cloth_config *config, uint32_t *end) {
  *end = sizeof(cloth);
  if (config->mass_map) {
    c->constant.mass_ratio = reserve_floats(end, c->count + LANE_PAD);
  }
  if (config->stiffness_map) {
    c->constant.stiffness_map = reserve_floats(end, c->count + LANE_PAD);
  }
}

/* The inputs come last before the particles' vectors, and nothing but vectors after: what lies beside the first and the
   last of them is read as floats, too. */
static void layout_state(cloth *c, const cloth_config *config, uint32_t *end) {
  *end = align_up(*end);
  c->state.freedom = reserve(end, (uint32_t)c->count);
  c->state.colliders = reserve(end, (uint32_t)config->max_colliders * (uint32_t)sizeof(collider_slot));
  c->state.confined = reserve(end, (uint32_t)config->max_confined * (uint32_t)sizeof(confinement));
  if (config->contact_mode == CLOTH_CONTACT_SOLVER && needs_solver(config)) {
    c->state.contacts = reserve_floats(end, c->count);
  }
  if (config->tethers) {
    c->state.tethers = reserve_floats(end, config->tethers * c->count);
  }
  c->state.inputs = reserve(end, sizeof(cloth_inputs));
  c->state.position = reserve_vectors(end, 3 * c->stride);
  c->state.velocity = reserve_vectors(end, 3 * c->stride);
  if (needs_history(config)) {
    c->state.velocity_history = reserve_vectors(end, 2 * 3 * c->stride);
  }
  if (config->warm_start && needs_solver(config)) {
    c->state.warm_start = reserve_vectors(end, 3 * c->stride);
  }
  if (config->targets) {
    c->state.targets = reserve_vectors(end, TARGET_VECTORS * 3 * c->stride);
  }
  c->state.end = *end;
}

/*
 * Floats from one component of a vector to the next. A power of two would put element i of all of them into the same
 * few places of a cache, from where they drive each other out: eight times slower at 64 x 64 (measured). Kept away from
 * multiples of 2 KB, as far as that matters.
 */
#define CACHE_WAY 512
#define CACHE_OFFSET 48

static int32_t vector_stride(int32_t count) {
  int32_t over = (count + CACHE_OFFSET) % CACHE_WAY;
  return count < CACHE_WAY || over >= 2 * CACHE_OFFSET ? count : count + 2 * CACHE_OFFSET - over;
}

static int32_t tether_blocks(const cloth *c) {
  return (c->grid.columns + TETHER_BLOCK - 1) / TETHER_BLOCK;
}

/* Are rows brought side by side? In narrow sheets they are not worth the room. */
static int transposes_rows(const cloth *c) {
  return c->grid.rows >= LINE_BLOCK && c->grid.columns >= LINE_BLOCK;
}

/* So many lines, in the whole blocks that lie side by side. */
static int32_t in_line_blocks(int32_t lines) {
  return (lines + LINE_BLOCK - 1) / LINE_BLOCK * LINE_BLOCK;
}

/* Coarser grids of the multilevel preconditioner: each has a quarter of the columns and rows of the one before, until
   no side has more nodes than this. */
#define COARSENING 4
#define COARSEST_SIDE 5
/* The most there can be: of 1024, 257, 65, 17 and 5 nodes a side. */
#define COARSE_LEVELS 4
/* Zeros before and after a line while it is restricted: a node is up to two columns beyond it and looks three further.
 */
#define LINE_PAD 8
/* Floats of a node: residual and correction, between solves the springs' sum; inverse block. */
#define NODE_FLOATS 12

/* Node n is at column 4 n. The last lies beyond the grid if two or three columns are left over; a single one is
   nearest to the last node and moves with it. */
static int32_t nodes_for(int32_t columns) {
  return (columns + COARSENING / 2 - 1) / COARSENING + 1;
}

/* What the nodes of all grids take. */
static int32_t coarse_floats(const cloth *c) {
  int32_t columns = c->grid.columns, rows = c->grid.rows, floats = 0;
  do {
    columns = nodes_for(columns);
    rows = nodes_for(rows);
    floats += NODE_FLOATS * columns * rows;
  } while (columns > COARSEST_SIDE || rows > COARSEST_SIDE);
  return floats;
}

static int32_t coarse_line_floats(const cloth *c) {
  return 2 * 3 * (c->grid.columns + LINE_PAD) + LINE_PAD;
}

/* The largest power of two that is no more than an eighth of the smaller side, as set or by itself; what a grid cannot
   hold is left out. */
static int32_t largest_span(int32_t columns, int32_t rows, int32_t most) {
  int32_t side = columns < rows ? columns : rows;
  int32_t span = most > 0 ? most : CLOTH_SPAN_LIMIT;
  while (span > 1 && (span >= side || (most == 0 && span > side / 8))) {
    span /= 2;
  }
  return span;
}

/* Room for the limits of as many spans as there can be, bend springs being two cells long. */
static uint32_t projection_bytes(const cloth_config *config) {
  int32_t limits = 2;
  for (int32_t span = largest_span(config->columns, config->rows, config->spans) | 2; span >= 1; span /= 2) {
    limits += 2;
  }
  return (uint32_t)(sizeof(projection_plan) + (size_t)limits * sizeof(distance_constraint));
}

/* Lines of springs across the seam of a wrapped sheet, each of a spring a row: those one cell long and, after them,
   bend springs, from either of two columns. */
#define SEAM_SPRINGS 3
#define SEAM_BENDS 6

/* How many of them the solver may need. */
static int32_t seam_lines(const cloth *c) {
  return SEAM_SPRINGS + (c->scratch.bend_slopes ? SEAM_BENDS : 0);
}

/* Floats for one of a line's values, in whole blocks. */
static int32_t seam_rows(const cloth *c) {
  return in_line_blocks(c->grid.rows);
}

/* May anything be projected? */
static int has_projection(const cloth_config *config) {
  return WITH_PROJECTION && config->integration == CLOTH_INTEGRATION_ADAPTIVE &&
         config->projection_threshold < CLOTH_KAPPA_NEVER;
}

static void layout_scratch(cloth *c, const cloth_config *config, uint32_t *end) {
  int32_t substeps = config->substeps > config->max_substeps ? config->substeps : config->max_substeps;
  reserve_floats(end, LANE_PAD);
  c->own.workspace = reserve(end, sizeof(workspace));
  c->own.constraints = has_projection(config) ? reserve(end, projection_bytes(config)) : 0;
  c->own.iterations = reserve(end, (uint32_t)substeps * (uint32_t)sizeof(uint16_t));
  c->own.reactions = reserve(end, (uint32_t)config->max_colliders * (uint32_t)sizeof(cloth_reaction));
  *end = config->shared_scratch ? align_up(*end) : *end;
  uint32_t shared_start = *end;
  int32_t pieces = c->grid.rows + (c->grid.columns + LINE_BLOCK - 1) / LINE_BLOCK;
  c->scratch.uniform_runs = reserve(end, (uint32_t)pieces * (uint32_t)sizeof(uniform_run));
  c->scratch.tether_marks = reserve(end, (uint32_t)(config->tethers * c->grid.rows * tether_blocks(c)));
  *end = align_up(*end);
  int32_t buffers = 3 * ROW_BUFFERS * c->grid.columns;
  int32_t axes = config->tethers > 0 ? config->max_colliders * OBSTACLE_FLOATS : 0;
  c->scratch.row_buffers = reserve_floats(end, buffers > axes ? buffers : axes); /* nothing but floats from here on */
  c->scratch.mobility = reserve_vectors(end, c->stride);
  if (c->state.velocity_history) {
    c->scratch.force_share = reserve_vectors(end, c->stride);
  }
  int32_t turned = transposes_rows(c) ? 4 * LINE_BLOCK * in_line_blocks(c->grid.columns) : 0;
  c->scratch.residual = reserve_vectors(end, turned > 3 * c->stride ? turned : 3 * c->stride);
  c->scratch.product = reserve_vectors(end, 3 * c->stride);
  if (needs_solver(config)) {
    c->scratch.operator_blocks = reserve_vectors(end, CELL_FLOATS * c->count);
    if (config->bend_integration == CLOTH_BEND_ADAPTIVE) {
      c->scratch.bend_slopes = reserve_floats(end, ZERO_PAD + DIRECTIONS * c->count) + ZERO_PAD * 4u;
    }
    if (is_wrapped(c)) {
      c->scratch.seam = reserve_vectors(end, seam_lines(c) * OPERATOR_FLOATS * seam_rows(c));
    }
    if (c->state.contacts) {
      c->scratch.contact_normal = reserve_vectors(end, 3 * c->stride);
    }
    c->scratch.inverse = reserve_vectors(end, 6 * c->stride);
    c->scratch.direction = reserve_vectors(end, 3 * c->stride);
    c->scratch.solution = reserve_vectors(end, 3 * c->stride);
    if (WITH_MULTILEVEL && config->preconditioner >= CLOTH_PRECONDITIONER_MULTILEVEL) {
      c->scratch.share = reserve_vectors(end, c->count);
      c->scratch.coarse_lines = reserve_floats(end, coarse_line_floats(c));
      c->scratch.nodes = reserve_floats(end, coarse_floats(c));
    }
  }
  reserve_floats(end, LANE_PAD + 2); /* springs two cells long look so far beyond predicted positions */
  *end = align_up(*end);
  c->total_bytes = config->shared_scratch ? shared_start : *end;
  c->shared_bytes = *end - c->total_bytes;
  c->has_scratch = !config->shared_scratch;
}

/* Fills in everything that follows from the config alone. */
static void compute_layout(cloth *c, const cloth_config *config) {
  uint32_t end;
  fill_zero(c, sizeof *c);
  c->grid.columns = config->columns;
  c->grid.rows = config->rows;
  c->grid.wrap = config->wrap;
  c->count = config->columns * config->rows;
  c->stride = vector_stride(c->count);
  layout_constants(c, config, &end);
  layout_state(c, config, &end);
  layout_scratch(c, config, &end);
}

static void describe_memory(const cloth *c, cloth_memory *memory) {
  memory->total_bytes = c->total_bytes;
  memory->constant_offset = 0;
  memory->constant_bytes = c->state.freedom;
  memory->state_offset = c->state.freedom;
  memory->state_bytes = c->state.end - c->state.freedom;
  memory->scratch_offset = c->state.end;
  memory->scratch_bytes = c->total_bytes - c->state.end;
  memory->shared_bytes = c->shared_bytes;
  memory->saved_bytes = memory->state_bytes + SAVE_HEADER_BYTES;
  memory->image_bytes = memory->state_bytes + IMAGE_HEADER_BYTES;
}

int cloth_memory_needed(const cloth_config *config, cloth_memory *memory) {
  int error = check_config(config);
  if (error) {
    return error;
  }
  if (!memory) {
    return CLOTH_ERROR_NULL;
  }
  cloth c;
  compute_layout(&c, config);
  describe_memory(&c, memory);
  return CLOTH_OK;
}

int cloth_set_scratch(cloth *c, void *scratch, size_t bytes) {
  int error = check_call(c, scratch);
  if (error) {
    return error;
  }
  uintptr_t way = (uintptr_t)scratch - (uintptr_t)c;
  int is_outside = way >= c->total_bytes && 0u - way >= c->shared_bytes; /* behind the arena, or before it */
  if (c->shared_bytes == 0 || (uintptr_t)scratch % CLOTH_ALIGNMENT != 0 || bytes < c->shared_bytes || !is_outside) {
    return CLOTH_ERROR_SCRATCH;
  }
  uintptr_t moved = way - c->scratch.uniform_runs;
  uintptr_t *offsets = (uintptr_t *)at(c, offsetof(cloth, scratch));
  for (size_t part = 0; part < SCRATCH_PARTS; part++) {
    offsets[part] += offsets[part] ? moved : 0u;
  }
  c->has_scratch = 1;
  return CLOTH_OK;
}

int cloth_memory_spans(const cloth *c, cloth_memory *memory) {
  int error = check_call(c, memory);
  if (error) {
    return error;
  }
  describe_memory(c, memory);
  return CLOTH_OK;
}

/// Initialisation ///

static void measure_grid(cloth *c, const cloth_config *config) {
  grid_shape *grid = &c->grid;
  float columns = (float)cells_along_warp(c);
  float rows = (float)(config->rows - 1);
  grid->spacing_warp = vector_length(config->edge_warp) / columns;
  grid->spacing_weft = vector_length(config->edge_weft) / rows;
  cloth_vector warp = vector_scale(vector_flush_work(config->edge_warp), 1.0f / columns);
  cloth_vector weft = vector_scale(vector_flush_work(config->edge_weft), 1.0f / rows);
  grid->diagonal = vector_length(vector_add(warp, weft));
  grid->antidiagonal = vector_length(vector_subtract(warp, weft));
  if (is_wrapped(c)) { /* whatever small lean the edges may have */
    grid->diagonal = vector_length(vector(grid->spacing_warp, grid->spacing_weft, 0.0f));
    grid->antidiagonal = grid->diagonal;
  }
  grid->area = parallelogram_area(config->edge_warp, config->edge_weft);
}

static void copy_settings(cloth *c, const cloth_config *config) {
  cloth_settings *s = &c->settings;
  s->air.density = flush_small(config->air_density, WORK_QUANTUM);
  s->air.drag = flush_small(config->drag, WORK_QUANTUM);
  s->air.lift = flush_small(config->lift, WORK_QUANTUM);
  s->air.normal_drag = flush_small(config->normal_drag, WORK_QUANTUM);
  s->integration.method = (int32_t)config->integration;
  s->integration.bend_method = (int32_t)config->bend_integration;
  s->integration.explicit_threshold = flush_small(config->explicit_threshold, WORK_QUANTUM);
  s->integration.projection_threshold = flush_small(config->projection_threshold, WORK_QUANTUM);
  s->integration.bdf2_blend = flush_small(config->extrapolation, WORK_QUANTUM);
  s->integration.substeps = config->substeps;
  s->integration.max_substeps = config->max_substeps;
  s->integration.max_speed = flush_small(config->max_speed, WORK_QUANTUM);
  s->integration.velocity_damping = flush_small(config->velocity_damping, WORK_QUANTUM);
  s->projection.spans = config->spans;
  s->projection.fine_sweeps = config->fine_sweeps;
  s->projection.fold_stiffness = flush_small(config->fold_stiffness, WORK_QUANTUM);
  s->tethers.count = config->tethers;
  s->tethers.scale = flush_small(config->tether_scale, WORK_QUANTUM);
  s->solver.preconditioner = (int32_t)config->preconditioner;
  s->solver.max_iterations = config->max_iterations;
  s->solver.tolerance = flush_small(config->tolerance, WORK_QUANTUM);
  s->solver.warm_start = config->warm_start;
  s->strain_limit.sweeps = config->limit_sweeps;
  s->strain_limit.max_extension = flush_small(config->limit_extension, WORK_QUANTUM);
  s->strain_limit.max_compression = flush_small(config->limit_compression, WORK_QUANTUM);
  s->contact.mode = (int32_t)config->contact_mode;
  s->contact.thickness = flush_small(config->thickness, WORK_QUANTUM);
  s->sleep.speed = flush_small(config->sleep_speed, STATE_QUANTUM);
  s->sleep.time = flush_small(config->sleep_time, STATE_QUANTUM);
  s->capacity.max_colliders = config->max_colliders;
  s->capacity.max_confined = config->max_confined;
  s->capacity.fixed_work = config->fixed_work;
}

/* Extremes of a map, which bound kappa. */
static void measure_map(const float *map, int32_t count, float *least, float *most) {
  *least = map ? 100.0f : 1.0f;
  *most = map ? 0.0f : 1.0f;
  for (int32_t i = 0; map && i < count; i++) {
    float value = flush_small(map[i], WORK_QUANTUM);
    *least = minimum(*least, value);
    *most = maximum(*most, value);
  }
}

static void copy_map(const cloth *c, const float *map, uint32_t offset) {
  for (int32_t i = 0; map && i < c->count; i++) {
    floats_at(c, offset)[i] = flush_small(map[i], WORK_QUANTUM);
  }
  for (int32_t i = 0; map && i < LANE_PAD; i++) {
    floats_at(c, offset)[c->count + i] = 1.0f; /* what lanes beyond the end divide by */
  }
}

/* Settings and maps: all that a step depends on beside the state. */
static void hash_config(cloth *c) {
  hasher h;
  hash_start(&h);
  hash_words(&h, (const any_word *)&c->grid, (int32_t)(sizeof c->grid / 4));
  hash_words(&h, (const any_word *)&c->settings, (int32_t)(sizeof c->settings / 4));
  if (c->constant.mass_ratio) {
    hash_words(&h, (const any_word *)at(c, c->constant.mass_ratio), c->count);
  }
  if (c->constant.stiffness_map) {
    hash_words(&h, (const any_word *)at(c, c->constant.stiffness_map), c->count);
  }
  uint64_t hash = hash_end(&h);
  c->config_hash[0] = (uint32_t)hash;
  c->config_hash[1] = (uint32_t)(hash >> 32);
}

static void place_particles(const cloth *c, const cloth_config *config) {
  vector_array x = vectors_at(c, c->state.position);
  for (int32_t row = 0; row < c->grid.rows; row++) {
    for (int32_t column = 0; column < c->grid.columns; column++) {
      int32_t i = row * c->grid.columns + column;
      cloth_vector p = config->positions ? config->positions[i] : start_point(config, column, row);
      vector_store(x, i, vector_flush(p, STATE_QUANTUM));
      freedom_of(c)[i] = FREEDOM_FREE;
      invalidate_history(c, i);
      if (c->state.targets) {
        vector_store(target_vectors(c, TARGET_LIMIT), i, vector(CLOTH_ANY_DISTANCE, 0.0f, 0.0f));
      }
    }
  }
}

int cloth_init(const cloth_config *config, void *arena, size_t bytes, cloth **out) {
  int error = check_config(config);
  if (error) {
    return error;
  }
  if (!arena || !out) {
    return CLOTH_ERROR_NULL;
  }
  if ((uintptr_t)arena % CLOTH_ALIGNMENT != 0) {
    return CLOTH_ERROR_ARENA_ALIGNMENT;
  }
  cloth draft;
  compute_layout(&draft, config);
  if (bytes < draft.total_bytes) {
    return CLOTH_ERROR_ARENA_SIZE;
  }
  fill_zero(arena, draft.total_bytes);
  cloth *c = (cloth *)arena;
  *c = draft;
  c->magic = CLOTH_MAGIC;
  measure_grid(c, config);
  copy_settings(c, config);
  copy_map(c, config->mass_map, c->constant.mass_ratio);
  copy_map(c, config->stiffness_map, c->constant.stiffness_map);
  measure_map(config->mass_map, c->count, &c->settings.factors.min_mass_ratio, &c->settings.factors.max_mass_ratio);
  measure_map(config->stiffness_map, c->count, &c->settings.factors.min_stiffness, &c->settings.factors.max_stiffness);
  hash_config(c);
  cloth_inputs *inputs = inputs_of(c);
  inputs->gravity = vector_flush(config->gravity, STATE_QUANTUM);
  inputs->wind = vector_flush(config->wind, STATE_QUANTUM);
  set_fabric(c, &config->fabric);
  place_particles(c, config);
  *out = c;
  return CLOTH_OK;
}

/// 4. Building blocks of a step ///

/// Stiffness of the springs ///

/*
 * Coefficients of the springs that follow from fabric and grid alone, before a step is planned: stiffness [N/m],
 * damping [N s/m] and rest length [m] of a direction, Choi and Ko's buckling curve (Choi and Ko 2002) with the
 * constants of bend springs, the fold stiffness, and the bounds on kappa by which plan.h decides how springs are
 * integrated. kappa = (h/m) (h ks + 2 kd) (thesis eq. 4.8), with h the substep [s].
 *
 * In: inputs.fabric, c->grid, c->settings.factors, c->settings.projection. Out: return values. Scratch: none.
 */

/* Largest kappa of a family that is forced to be explicit. Two families at the limit stay below the two-dimensional
   stability bound kappa_stretch + kappa_shear < 1 (thesis section 4.1.3); the margin is for what linear analysis leaves
   out. Larger values let CLOTH_INTEGRATION_EXPLICIT diverge. tests/thesis.c, which looks for the bound itself, defines
   its own. */
#ifndef EXPLICIT_LIMIT
#define EXPLICIT_LIMIT 0.4f
#endif
/* Largest h^2/m0 times linear slope of a bend spring that is integrated explicitly. tests/stability.c still passes with
   0.2; with 0.8 sheets gain energy without bound. */
#define BEND_EXPLICIT_LIMIT 0.05f
/* Largest share of its rest length by which a bend spring's push moves a particle in a substep. The Jacobian across a
   bend spring is dropped, see bend_force(): where the spring turns sideways its push is explicit even if the spring is
   solved for, and without this bound a stiff one is unstable. */
#define BEND_TRAVEL 0.25f
/* Largest kappa of any spring: stiffness is clamped there. A float cannot tell a stiffer spring from a rigid one, and
   larger values would only lose more digits of the linear system. */
#define KAPPA_LIMIT 1.0e6f
/* Largest damping coefficient h kd / m0. It leaves 1 / (1 + 2 * 8), a seventeenth, of the relative speed of two free
   particles; more would only worsen the condition of a solve that may be cut short. */
#define DAMPING_LIMIT 8.0f
/* Automatic substeps of a cloth that solves keep kappa below this: up to about 50 the conjugate gradient converges in a
   few iterations, whose number grows with the root of kappa. */
#define SUBSTEP_KAPPA 50.0f
/* Minimum of automatic substeps where stiff springs are projected; kappa requires no more there. */
#define SUBSTEPS_PROJECTED 4.0f
/* Automatic substeps keep the fastest particle from moving further than this share of the smaller spacing in each. */
#define SUBSTEP_TRAVEL 0.5f

/* Stiffness of a stretch spring [N/m]: the fabric's stiffness times width over length of the strip it stands for. */
static float axis_stretch(const cloth *c, int32_t direction) {
  const cloth_fabric *f = &inputs_of(c)->fabric;
  if (direction == WARP) {
    return f->stretch_warp * (c->grid.spacing_weft / c->grid.spacing_warp);
  }
  return f->stretch_weft * (c->grid.spacing_warp / c->grid.spacing_weft);
}

static float direction_stiffness(const cloth *c, int32_t direction) {
  return direction <= WEFT ? axis_stretch(c, direction) : inputs_of(c)->fabric.shear;
}

static float direction_damping(const cloth *c, int32_t direction) {
  const cloth_fabric *f = &inputs_of(c)->fabric;
  return direction <= WEFT ? f->stretch_damping : f->shear_damping;
}

/* Rest length of springs one cell long [m]. */
static float direction_rest(const cloth *c, int32_t direction) {
  const float rests[DIRECTIONS] = {c->grid.spacing_warp, c->grid.spacing_weft, c->grid.diagonal, c->grid.antidiagonal};
  return rests[direction];
}

/* Largest kappa of any single spring over that of its family, from the extremes of the maps of mass and stiffness. */
static float max_kappa_factor(const cloth *c) {
  return c->settings.factors.max_stiffness / c->settings.factors.min_mass_ratio;
}

/* Smallest kappa of any single spring over that of its family. */
static float min_kappa_factor(const cloth *c) {
  return c->settings.factors.min_stiffness / c->settings.factors.max_mass_ratio;
}

/* Choi and Ko's quartic p(s) for the force of a buckled spring of length s times its rest length, 0 < s < 1. It fits
   z^2 / (cos z - sinc z), sinc z = s, within 1.7 % (rows CK of `make accuracy`). */
CLOTH_INLINE lanes bend_curve(lanes s) {
  lanes p = lanes_add(lanes_multiply(lanes_splat(-11.541f), s), lanes_splat(34.193f));
  p = lanes_add(lanes_multiply(p, s), lanes_splat(-39.083f));
  p = lanes_add(lanes_multiply(p, s), lanes_splat(23.116f));
  return lanes_add(lanes_multiply(p, s), lanes_splat(-9.713f));
}

/* p'(s). */
CLOTH_INLINE lanes bend_curve_slope(lanes s) {
  lanes p = lanes_add(lanes_multiply(lanes_splat(-46.164f), s), lanes_splat(102.579f));
  p = lanes_add(lanes_multiply(p, s), lanes_splat(-78.166f));
  return lanes_add(lanes_multiply(p, s), lanes_splat(23.116f));
}

/* The constant of the bend force f = (constant / L^2) p(s) [N m^2]: four times the flexural rigidity EI of a spring.
   A sheet of rigidity B [N m] in every direction results from EI = 4/9 B w on the axes, w being the spacing across the
   spring, and from 1/sqrt(2) of that on the diagonals, w being the geometric mean of both spacings. */
#define BEND_AXIS_CONSTANT (4.0f * 4.0f / 9.0f)
#define BEND_DIAGONAL_CONSTANT (4.0f * 4.0f / 9.0f * 0.70710678f)

static float bend_constant(const cloth *c, int32_t direction) {
  float width = c->grid.spacing_weft;
  float share = BEND_AXIS_CONSTANT;
  if (direction == WEFT) {
    width = c->grid.spacing_warp;
  } else if (direction != WARP) {
    width = square_root(c->grid.spacing_warp * c->grid.spacing_weft);
    share = BEND_DIAGONAL_CONSTANT;
  }
  return share * inputs_of(c)->fabric.bend * width;
}

/* Slope c_b of a bend spring's linear part [N/m]: the line c_b (l - L) meets the curve at s = 1 - bend_transition. */
static float bend_linear_slope(const cloth *c, int32_t direction, float rest) {
  float transition = inputs_of(c)->fabric.bend_transition;
  float p = lanes_first_value(bend_curve(lanes_splat(1.0f - transition)));
  return (0.0f - p) * bend_constant(c, direction) / (rest * rest) / (rest * transition);
}

/* Largest fold stiffness as a share of the stretch stiffness: with more, folds of a soft fabric are held flat. */
#define FOLD_SHARE 0.2f

static float axis_fold_stiffness(const cloth *c, int32_t direction) {
  float shape = c->grid.spacing_weft / c->grid.spacing_warp;
  float stiffness = c->settings.projection.fold_stiffness * (direction == WARP ? shape : 1.0f / shape);
  return minimum(stiffness, FOLD_SHARE * axis_stretch(c, direction));
}

/* Fold stiffness of a direction [N/m], the minimum slope of its bend springs. A diagonal has a quarter of the mean of
   both axes, the ratio of diagonal to axis that bending has in an isotropic sheet. */
static float fold_stiffness(const cloth *c, int32_t direction) {
  if (direction <= WEFT) {
    return axis_fold_stiffness(c, direction);
  }
  return 0.125f * (axis_fold_stiffness(c, WARP) + axis_fold_stiffness(c, WEFT));
}

/// Springs ///

/*
 * Stretch and shear springs by forces: Choi and Ko's springs with projected damping (thesis eqs. 3.6, 3.14), the block
 * beta I + w w^T that each adds to the matrix of the implicit solve, how rows of cells keep springs, and how their
 * forces are summed to particles without scattering.
 *
 * In: plan->spring, maps of mass and stiffness, settings.integration.explicit_threshold; positions and velocities come
 * from the caller. Out: velocity changes (returned), sums in row buffers. Scratch: operator_blocks, one tile per TILE
 * cells of a row, holds w (3 floats) and beta of each direction; row_buffers carries forces from row to row.
 */

/* The first tile of a row. */
CLOTH_INLINE float *tiles_of(const cloth *c, int32_t row) {
  return floats_at(c, c->scratch.operator_blocks) + row * c->grid.columns * CELL_FLOATS;
}

/* Floats from the first tile of a row to the first value of the cells from a column on. */
CLOTH_INLINE int32_t tile_offset(int32_t column) {
  if (CLOTH_LANES == TILE) {
    return column * CELL_FLOATS;
  }
  return (column & ~(TILE - 1)) * CELL_FLOATS + (column & (TILE - 1));
}

/* Floats between consecutive values in the tile of a column: its cells, fewer than TILE in the last tile of a row. */
CLOTH_INLINE int32_t tile_width(const cloth *c, int32_t column) {
  int32_t left = c->grid.columns - (column & ~(TILE - 1));
  return left < TILE ? left : TILE;
}

/* Offsets from the cell that keeps a spring to its particles, for springs one cell long: start and end. */
CLOTH_INLINE int32_t spring_start(int32_t direction) {
  return direction == ANTIDIAGONAL ? 1 : 0;
}

CLOTH_INLINE int32_t spring_end(const cloth *c, int32_t direction) {
  return (direction == WARP || direction == DIAGONAL ? 1 : 0) + (direction == WARP ? 0 : c->grid.columns);
}

/* Velocity changes at the starts of the springs that a block of cells keeps, by direction. */
typedef struct row_forces {
  lanes3 along[DIRECTIONS];
} row_forces;

/* Last lanes of the preceding block of a row, for one component: of what springs add to the next particles of the row
   (`own`) and of the row below (`below`). Springs two cells long are shifted twice; the second shift has its own. */
typedef struct component_shift {
  lanes_shift own, below, own_moved, below_moved;
} component_shift;

/* The shifts of x, y and z; start a row with shift_start(). */
typedef struct shift_state {
  component_shift part[3];
} shift_state;

CLOTH_INLINE shift_state shift_start(void) {
  component_shift start = {lanes_shift_start(), lanes_shift_start(), lanes_shift_start(), lanes_shift_start()};
  shift_state state = {{start, start, start}};
  return state;
}

/*
 * Sums one component of the springs' velocity changes to particles. A spring adds its change f to its start and
 * subtracts it from its end, so that particle p receives, with `up` the particle `reach` rows above it,
 *
 *     f_warp[p] + f_weft[p] + f_diagonal[p] + (f_antidiagonal - f_warp)[p - reach]
 *         - (f_weft + f_antidiagonal)[up] - f_diagonal[up - reach].
 *
 * The second line is read from `buffer`, where row `up` has left it; this row leaves its own there in exchange. Nothing
 * is scattered, so that lanes of any number add in the same order. Returns the sum.
 */
CLOTH_INLINE lanes accumulate_component(const lanes along[DIRECTIONS], component_shift *shift, int32_t reach,
                                        float *buffer, int32_t count) {
  lanes own = lanes_shift_in(&shift->own, lanes_subtract(along[ANTIDIAGONAL], along[WARP]));
  lanes below = lanes_shift_in(&shift->below, along[DIAGONAL]);
  if (reach == 2) {
    own = lanes_shift_in(&shift->own_moved, own);
    below = lanes_shift_in(&shift->below_moved, below);
  }
  lanes sum = lanes_add(lanes_add(along[WARP], along[WEFT]), lanes_add(along[DIAGONAL], own));
  sum = lanes_subtract(sum, lanes_load(buffer));
  lanes_store_first(buffer, lanes_add(lanes_add(along[WEFT], along[ANTIDIAGONAL]), below), count);
  return sum;
}

/* Sums of all components for the block of particles at a column, `count` of them to the row's end. */
CLOTH_INLINE lanes3 accumulate_row(const row_forces *forces, shift_state *state, int32_t reach, vector_array buffer,
                                   int32_t column, int32_t count) {
  const lanes3 *a = forces->along;
  lanes x[DIRECTIONS] = {a[WARP].x, a[WEFT].x, a[DIAGONAL].x, a[ANTIDIAGONAL].x};
  lanes y[DIRECTIONS] = {a[WARP].y, a[WEFT].y, a[DIAGONAL].y, a[ANTIDIAGONAL].y};
  lanes z[DIRECTIONS] = {a[WARP].z, a[WEFT].z, a[DIAGONAL].z, a[ANTIDIAGONAL].z};
  return lanes3_of(accumulate_component(x, &state->part[0], reach, buffer.x + column, count),
                   accumulate_component(y, &state->part[1], reach, buffer.y + column, count),
                   accumulate_component(z, &state->part[2], reach, buffer.z + column, count));
}

/* Vectors of a block of particles and of their neighbours `reach` cells along the row (right), the column (below) and
   both (across). In the last rows, which have none below, `below` and `across` repeat `first` and `right`. */
typedef struct cell_corners {
  lanes3 first, right, below, across;
} cell_corners;

CLOTH_INLINE cell_corners load_corners(vector_array from, int32_t i, int32_t reach, int32_t below) {
  cell_corners corners = {lanes3_load(from, i), lanes3_load(from, i + reach), lanes3_load(from, i + below),
                          lanes3_load(from, i + below + reach)};
  return corners;
}

/* Index offset from a particle to the one `reach` cells below, 0 if there is none. */
static int32_t offset_below(const cloth *c, int32_t row, int32_t reach) {
  return row + reach < c->grid.rows ? reach * c->grid.columns : 0;
}

/* Vector at the end of a spring minus vector at its start. */
CLOTH_INLINE lanes3 corner_difference(const cell_corners *corners, int32_t direction) {
  switch (direction) {
  case WARP:
    return lanes3_subtract(corners->right, corners->first);
  case WEFT:
    return lanes3_subtract(corners->below, corners->first);
  case DIAGONAL:
    return lanes3_subtract(corners->across, corners->first);
  default:
    return lanes3_subtract(corners->below, corners->right);
  }
}

/* Length of a spring [m] and its inverse. Callers compute those of all directions first: square root and division have
   long latencies, which overlap then. */
typedef struct spring_length {
  lanes length, inverse;
} spring_length;

/* Squared length [m^2] that shorter springs count as having, of 1 um: coincident particles would divide by 0. Their u
   is shorter than a unit vector, so that the force vanishes with the distance. */
#define SPRING_MIN_SQUARED_LENGTH 1.0e-12f

CLOTH_INLINE spring_length length_of(lanes3 d) {
  spring_length l;
  l.length = lanes_square_root(lanes_maximum(lanes3_dot(d, d), lanes_splat(SPRING_MIN_SQUARED_LENGTH)));
  l.inverse = lanes_divide(lanes_splat(1.0f), l.length);
  return l;
}

/* Velocity change at a spring's start in a substep, times the mass ratio [m/s], and its block beta I + w w^T of the
   operator (dimensionless). */
typedef struct spring_result {
  lanes3 change;
  lanes3 w;
  lanes beta;
} spring_result;

/*
 * Choi and Ko's spring with projected damping (thesis eqs. 3.6, 3.14), f = ks (l - L) u + kd (u.v) u for l > L; for
 * l < L the share `compression` of that. An implicit spring adds h K v to the force, with the stiffness Jacobian
 * h^2 K / m0 = alpha u u^T + beta I, alpha = h^2 ks / m0 L/l, beta = h^2 ks / m0 (1 - L/l). beta is dropped in
 * compression, where it is negative and would make the matrix indefinite.
 *
 * d and v: end minus start, position and velocity; `scale`: the springs' stiffness factors, 0 for lanes without a
 * spring; `implicit`: which of them are solved for.
 */
CLOTH_INLINE spring_result spring_force(const spring_family *s, lanes3 d, spring_length l, lanes3 v, lanes scale,
                                        lanes_mask implicit) {
  lanes zero = lanes_splat(0.0f);
  lanes rest = lanes_splat(s->rest);
  lanes length = l.length, inverse = l.inverse;
  lanes_mask taut = lanes_less(rest, length);
  lanes share = lanes_multiply(scale, lanes_select(taut, lanes_splat(1.0f), lanes_splat(s->compression)));
  lanes stiffness = lanes_select(implicit, lanes_multiply(lanes_splat(s->stiffness), share), zero);
  lanes damping = lanes_multiply(lanes_splat(s->damping), share);
  lanes alpha = lanes_multiply(stiffness, lanes_minimum(lanes_multiply(rest, inverse), lanes_splat(1.0f)));
  /* u, w and beta are rounded to multiples of 2^-30. The operator multiplies them by differences e of vectors that are
     multiples of 2^-40, so that w (w.e) is a multiple of 2^-100: no product is subnormal (below 2^-126). */
  lanes3 u = lanes3_quantise(lanes3_scale(d, inverse), STATE_ROUNDER);
  lanes along = lanes3_dot(u, v);
  lanes projected = lanes_quantise(lanes_add(damping, alpha), STATE_ROUNDER);
  lanes pull = lanes_multiply(lanes_multiply(lanes_splat(s->force), share), lanes_subtract(length, rest));
  pull = lanes_quantise(lanes_add(pull, lanes_multiply(projected, along)), WORK_ROUNDER);
  spring_result result;
  result.beta = lanes_quantise(lanes_subtract(stiffness, alpha), STATE_ROUNDER);
  result.change = lanes3_add(lanes3_scale(u, pull), lanes3_scale(v, result.beta));
  lanes root = lanes_square_root(lanes_select(implicit, projected, zero));
  result.w = lanes3_quantise(lanes3_scale(u, root), STATE_ROUNDER);
  return result;
}

/* A block of springs of one direction: lane n joins particles i + n next and j + n next. */
typedef struct spring_block {
  int32_t i, j, next;
} spring_block;

/* Stiffness factors of a block of springs: the mean of the stiffness map at both ends, 0 from lane `count` on. */
CLOTH_INLINE lanes spring_scale(const cloth *c, spring_block b, int32_t count) {
  lanes scale = lanes_splat(1.0f);
  if (c->constant.stiffness_map) {
    const float *map = floats_at(c, c->constant.stiffness_map);
    scale = lanes_add(lanes_strided(map + b.i, b.next, count), lanes_strided(map + b.j, b.next, count));
    scale = lanes_multiply(lanes_splat(0.5f), scale);
  }
  return lanes_select(lanes_first(count), scale, lanes_splat(0.0f));
}

/* Which springs have a kappa above a threshold: the family's kappa times stiffness factor over the mass ratio of the
   lighter end. Multiplied out, so that no lane divides by what lies beyond the last spring. */
CLOTH_INLINE lanes_mask kappa_above(float kappa, lanes mass, lanes scale, float threshold) {
  return lanes_less(lanes_multiply(lanes_splat(threshold), mass), lanes_multiply(lanes_splat(kappa), scale));
}

CLOTH_INLINE lanes_mask spring_above(const cloth *c, const spring_family *s, spring_block b, lanes scale, int32_t count,
                                     float threshold) {
  lanes mass = lanes_splat(1.0f);
  if (c->constant.mass_ratio) {
    const float *ratio = floats_at(c, c->constant.mass_ratio);
    mass = lanes_minimum(lanes_strided(ratio + b.i, b.next, count), lanes_strided(ratio + b.j, b.next, count));
  }
  return kappa_above(s->kappa, mass, scale, threshold);
}

/* Stiffness factors of the springs that act by forces: 0 for those that are projected. */
CLOTH_INLINE lanes spring_force_scale(const cloth *c, const spring_family *s, spring_block b, int32_t count) {
  lanes scale = spring_scale(c, b, s->mode == CLOTH_MODE_OFF ? 0 : count);
  if (!WITH_PROJECTION || s->projected != PROJECTED_SOME) {
    return scale;
  }
  return lanes_drop(spring_above(c, s, b, scale, count, workspace_of(c)->plan.projected_above), scale);
}

/* Which springs are solved for: those of an implicit family, of a mixed family those whose own kappa is above the
   explicit threshold. */
CLOTH_INLINE lanes_mask spring_implicit(const cloth *c, const spring_family *s, spring_block b, lanes scale,
                                        int32_t count) {
  if (!WITH_SOLVER || s->mode != CLOTH_MODE_MIXED) {
    return lanes_first(s->mode == CLOTH_MODE_IMPLICIT ? CLOTH_LANES : 0);
  }
  return spring_above(c, s, b, scale, count, c->settings.integration.explicit_threshold);
}

/* How many of the `left` cells from one to its row's end keep a spring of a direction, `reach` cells long; may be
   negative. `below` is offset_below() of the row. */
CLOTH_INLINE int32_t springs_left(int32_t direction, int32_t reach, int32_t below, int32_t left) {
  if (direction != WARP && below == 0) {
    return 0;
  }
  return left - (direction == WEFT ? 0 : reach);
}

/* The springs of direction d, `reach` cells long, that the cells from one on keep. */
CLOTH_INLINE spring_block springs_at(const cloth *c, int32_t d, int32_t reach, int32_t cell, int32_t count) {
  spring_block b = {cell, cell, 1};
  if (count > 0) { /* without springs their particles may lie beyond the maps: stay at the cell */
    b.i += reach * spring_start(d);
    b.j += reach * spring_end(c, d);
  }
  return b;
}

/* A block of springs of one direction whose forces are evaluated, and where the solver keeps their matrix blocks. Lanes
   from `count` on have stiffness 0; those below `left` are stored, zeros included, as the operator reads them. */
typedef struct spring_context {
  const cloth *c;
  const step_plan *plan;
  int32_t direction;
  spring_block ends;
  int32_t count;        /* springs that exist, from the first lane on */
  lanes3 x, v;          /* end minus start: evaluation positions [m], velocities [m/s] */
  spring_length length; /* of x */
  float *stored;        /* values of the first lane; NULL: not stored */
  int32_t width;        /* floats from one value to the next, see tile_width() */
  int32_t left;
} spring_context;

/* Returns the velocity changes at the starts of stretch or shear springs and stores their w and beta. */
CLOTH_INLINE lanes3 spring_pull(const spring_context *s) {
  const spring_family *family = &s->plan->spring[s->direction];
  lanes scale = spring_force_scale(s->c, family, s->ends, s->count);
  lanes_mask implicit = spring_implicit(s->c, family, s->ends, scale, s->count);
  spring_result r = spring_force(family, s->x, s->length, s->v, scale, implicit);
  if (WITH_SOLVER && s->stored) {
    lanes_store_first(s->stored, r.w.x, s->left);
    lanes_store_first(s->stored + s->width, r.w.y, s->left);
    lanes_store_first(s->stored + 2 * s->width, r.w.z, s->left);
    lanes_store_first(s->stored + 3 * s->width, r.beta, s->left);
  }
  return r.change;
}

/// Bend springs ///

/*
 * Bend springs by forces: springs two cells long that push their ends apart when bent, with Choi and Ko's buckling
 * curve (Choi and Ko 2002), a linear part near the rest length and the fold stiffness as minimum. Their matrix block is
 * slope d d^T, d being the vector along the spring.
 *
 * In: plan->bend, plan->bend_mode, the stiffness map; positions and velocities come from the caller. Out: velocity
 * changes (returned). Scratch: bend_slopes, count floats per direction, holds the slopes of implicit bend springs;
 * row_buffers 1 and 2 carry forces from a row to the row after the next.
 */

/* A bend spring along d: its velocity change is `pull` d (negative pushes apart), that of its damping `damping` (d.v)
   d, and its matrix block `slope` d d^T, damping included. All are 0 for l >= L. */
typedef struct bend_result {
  lanes pull;
  lanes damping;
  lanes slope;
} bend_result;

/* `scale`: the springs' stiffness factors, 0 for lanes without a spring. The part of the Jacobian across d is dropped:
   it is negative and would make the matrix indefinite. */
CLOTH_INLINE bend_result bend_force(const bend_family *b, spring_length l, lanes scale) {
  lanes zero = lanes_splat(0.0f);
  lanes rest = lanes_splat(b->rest);
  lanes length = l.length, inverse = l.inverse;
  lanes_mask bent = lanes_less(length, rest);
  lanes s = lanes_multiply(length, lanes_splat(b->inverse_rest));
  lanes elongation = lanes_subtract(length, rest);
  lanes curve_pull = lanes_multiply(lanes_splat(b->curve), bend_curve(s));
  curve_pull = lanes_maximum(curve_pull, lanes_splat(0.0f - b->most));
  lanes line_pull = lanes_multiply(lanes_splat(b->linear), elongation);
  lanes_mask linear = lanes_less(curve_pull, line_pull);
  lanes curve_slope = lanes_multiply(lanes_splat(b->curve_slope), bend_curve_slope(s));
  lanes slope = lanes_select(linear, lanes_splat(b->linear_slope), curve_slope);
  lanes pull = lanes_select(linear, line_pull, curve_pull);
  lanes fold_pull = lanes_multiply(lanes_splat(b->fold), elongation);
  lanes_mask folds = lanes_less(fold_pull, pull);
  slope = lanes_minimum(lanes_select(folds, lanes_splat(b->fold_slope), slope), lanes_splat(KAPPA_LIMIT));
  pull = lanes_select(folds, fold_pull, pull);
  /* Factor of all results, 0 for a spring that is not bent. One `inverse` turns a force into a multiple of d, the
     second the product d d^T into u u^T. */
  lanes share = lanes_select(bent, lanes_multiply(scale, inverse), zero);
  lanes over_square = lanes_multiply(share, inverse);
  bend_result result;
  result.pull = lanes_quantise(lanes_multiply(pull, share), WORK_ROUNDER);
  result.damping = lanes_quantise(lanes_multiply(lanes_splat(b->damping), over_square), WORK_ROUNDER);
  slope = lanes_add(slope, lanes_splat(b->damping));
  result.slope = lanes_quantise(lanes_multiply(slope, over_square), WORK_ROUNDER);
  return result;
}

/* Vector along a bend spring, from start to end [m]. Rounded to multiples of 2^-40: its products with slopes, rounded
   alike, and with itself are multiples of 2^-80 and not subnormal. */
CLOTH_INLINE lanes3 bend_span(const cell_corners *x, int32_t direction) {
  return lanes3_quantise(corner_difference(x, direction), WORK_ROUNDER);
}

/* Slopes of the implicit bend springs of a direction, one per cell. */
CLOTH_INLINE float *bend_slopes_of(const cloth *c, int32_t direction) {
  return floats_at(c, c->scratch.bend_slopes) + direction * c->count;
}

/* Returns the velocity changes at the starts of bend springs; `s->x` is a bend_span(). Implicit ones store their
   slopes, and add slope (d.v) d where explicit ones add damping (d.v) d. */
CLOTH_INLINE lanes3 bend_pull(const spring_context *s) {
  bend_result r = bend_force(&s->plan->bend[s->direction], s->length, spring_scale(s->c, s->ends, s->count));
  lanes slope = r.damping;
  if (WITH_SOLVER && s->plan->bend_mode == CLOTH_MODE_IMPLICIT) {
    slope = r.slope;
    lanes_store_first(s->stored, slope, s->left);
  }
  lanes along = lanes_quantise(lanes3_dot(s->x, s->v), WORK_ROUNDER);
  return lanes3_scale(s->x, lanes_quantise(lanes_add(r.pull, lanes_multiply(slope, along)), WORK_ROUNDER));
}

/* Row buffer that a row of bend springs reads and then fills for the row after the next. Even and odd rows have one
   each. */
static vector_array bend_buffer(const cloth *c, int32_t row) {
  return row_buffer(c, 1 + (row & 1));
}

/// Seam of a tube ///

/*
 * The seam of a wrapped sheet: springs from its last columns to its first, which the kernels of rows leave out. They
 * form lines along the seam, one for each direction and, for bend springs, for each of the two columns where they
 * start: lines 0..2 are springs one cell long, 3..5 bend springs to the first column, 6..8 to the second. Lanes take a
 * line row by row; no two springs of a line share a particle.
 *
 * In: c->grid, the plan's modes. Out: forces, added to a vector array. Scratch: seam, a run of seam_rows() floats for
 * each of w (3) and beta of a line's implicit springs, bend springs too.
 */

#if WITH_WRAP

typedef struct seam_line {
  int32_t direction, is_bend;
  int32_t mode;     /* how its springs act by forces, a cloth_mode */
  int32_t from, to; /* particles: start and end of the first row's spring */
  int32_t rows;     /* rows that have a spring */
  float *blocks;    /* w and beta, seam_rows() floats each */
} seam_line;

static seam_line seam_line_at(const cloth *c, const step_plan *plan, int32_t number) {
  CLOTH_CONSTANT static const uint8_t directions[SEAM_SPRINGS] = {WARP, DIAGONAL, ANTIDIAGONAL};
  int32_t reach = number < SEAM_SPRINGS ? 1 : 2;
  int32_t first_column = number < 2 * SEAM_SPRINGS ? 0 : 1;
  int32_t last_column = c->grid.columns - reach + first_column;
  seam_line line;
  line.direction = directions[number % SEAM_SPRINGS];
  line.is_bend = reach == 2;
  line.mode = line.is_bend ? plan->bend_mode : plan->spring[line.direction].mode;
  int32_t below = line.direction == WARP ? 0 : reach;
  line.rows = c->grid.rows - below;
  line.from = line.direction == ANTIDIAGONAL ? first_column : last_column;
  line.to = below * c->grid.columns + (line.direction == ANTIDIAGONAL ? last_column : first_column);
  line.blocks = floats_at(c, c->scratch.seam) + number * OPERATOR_FLOATS * seam_rows(c);
  return line;
}

/* Vectors at the ends minus vectors at the starts of a line's springs, `count` of them from a row on. */
CLOTH_INLINE lanes3 seam_difference(const cloth *c, const seam_line *line, vector_array of, int32_t row,
                                    int32_t count) {
  const int32_t next = c->grid.columns, first = row * next;
  return lanes3_subtract(lanes3_gather(of, line->to + first, next, count),
                         lanes3_gather(of, line->from + first, next, count));
}

/* Adds forces `pull` to the particles where a line's springs start, and subtracts them where the springs end. */
CLOTH_SEPARATE void add_seam_pulls(const cloth *c, const seam_line *line, vector_array to, int32_t row, lanes3 pull,
                                   int32_t count) {
  const int32_t next = c->grid.columns, first = row * next;
  lanes3_scatter_add(to, line->from + first, next, pull, count);
  lanes3_scatter_add(to, line->to + first, next, lanes3_negated(pull), count);
}

#endif

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

/// Collider shapes ///

/* The distance functions give the distance of local points from the surface, negative inside, and the unit direction
   in which it grows. All are exact outside, which makes them safe bounds for sphere tracing. */

CLOTH_INLINE lanes distance_to_sphere(lanes3 p, lanes radius, lanes3 *normal) {
  lanes length = lanes3_length(p);
  lanes least = lanes_splat(1.0e-9f);
  lanes3 outward = lanes3_scale(p, lanes_divide(lanes_splat(1.0f), lanes_maximum(length, least)));
  *normal = lanes3_select(lanes_less(least, length), outward, lanes3_splat(vector(0.0f, 1.0f, 0.0f)));
  return lanes_subtract(length, radius);
}

/* Two spheres and the cone that touches both. In the plane through the axis the cone is a line whose normal leans by
   sin = (r0 - r1) / length towards the axis. */
CLOTH_INLINE lanes distance_to_capsule(const cloth_collider *body, lanes3 p, lanes3 *normal) {
  float length = 2.0f * body->half_height;
  float lean = (body->radius - body->radius_top) / length;
  float slope = square_root(maximum(1.0f - lean * lean, 1.0e-6f));
  lanes zero = lanes_splat(0.0f);
  lanes sine = lanes_splat(lean);
  lanes cosine = lanes_splat(slope);
  lanes out = lanes3_length(lanes3_of(p.x, zero, p.z));
  lanes up = lanes_add(p.y, lanes_splat(body->half_height));
  lanes along = lanes_subtract(lanes_multiply(up, cosine), lanes_multiply(out, sine));
  lanes_mask low = lanes_less(along, zero);
  lanes_mask high = lanes_less(lanes_splat(length * slope), along);
  lanes3 round_normal;
  lanes from = lanes_select(low, up, lanes_subtract(up, lanes_splat(length)));
  lanes radius = lanes_select(low, lanes_splat(body->radius), lanes_splat(body->radius_top));
  lanes round = distance_to_sphere(lanes3_of(p.x, from, p.z), radius, &round_normal);
  lanes least = lanes_splat(1.0e-9f);
  lanes outward = lanes_divide(cosine, lanes_maximum(out, least));
  lanes_mask aside = lanes_less(least, out);
  lanes3 cone_normal = lanes3_of(lanes_select(aside, lanes_multiply(p.x, outward), cosine), sine,
                                 lanes_keep(aside, lanes_multiply(p.z, outward)));
  lanes cone = lanes_add(lanes_multiply(out, cosine), lanes_multiply(up, sine));
  cone = lanes_subtract(cone, lanes_splat(body->radius));
  *normal = lanes3_select(low, round_normal, lanes3_select(high, round_normal, cone_normal));
  return lanes_select(low, round, lanes_select(high, round, cone));
}

CLOTH_INLINE lanes distance_to_box(cloth_vector half, lanes3 p, lanes3 *normal) {
  lanes zero = lanes_splat(0.0f);
  lanes3 side = lanes3_of(signed_one(p.x), signed_one(p.y), signed_one(p.z));
  lanes3 q = lanes3_of(lanes_multiply(p.x, side.x), lanes_multiply(p.y, side.y), lanes_multiply(p.z, side.z));
  q = lanes3_subtract(q, lanes3_splat(half));
  lanes deepest = lanes_maximum(q.x, lanes_maximum(q.y, q.z));
  lanes3 beyond = lanes3_of(lanes_maximum(q.x, zero), lanes_maximum(q.y, zero), lanes_maximum(q.z, zero));
  lanes3 corner;
  lanes outside = distance_to_sphere(beyond, zero, &corner);
  lanes_mask not_x = lanes_less(q.x, lanes_maximum(q.y, q.z));
  lanes_mask not_y = lanes_less(q.y, q.z);
  lanes one = lanes_splat(1.0f);
  lanes3 face = lanes3_of(lanes_select(not_x, zero, one), lanes_keep(not_x, lanes_select(not_y, zero, one)),
                          lanes_keep(not_x, lanes_keep(not_y, one)));
  lanes_mask is_outside = lanes_less(lanes_splat(STATE_QUANTUM), deepest);
  lanes3 outward = lanes3_select(is_outside, corner, face);
  *normal = lanes3_of(lanes_multiply(outward.x, side.x), lanes_multiply(outward.y, side.y),
                      lanes_multiply(outward.z, side.z));
  return lanes_select(is_outside, outside, deepest);
}

/* A rectangle turned about the axis. */
CLOTH_INLINE lanes distance_to_cylinder(const cloth_collider *body, lanes3 p, lanes3 *normal) {
  lanes zero = lanes_splat(0.0f);
  lanes out = lanes3_length(lanes3_of(p.x, zero, p.z));
  lanes3 flat;
  cloth_vector half = vector(body->radius, body->half_height, 1.0e4f);
  lanes distance = distance_to_box(half, lanes3_of(out, p.y, zero), &flat);
  lanes least = lanes_splat(1.0e-9f);
  lanes_mask aside = lanes_less(least, out);
  lanes inverse = lanes_divide(flat.x, lanes_maximum(out, least));
  *normal = lanes3_of(lanes_select(aside, lanes_multiply(p.x, inverse), flat.x), flat.y,
                      lanes_keep(aside, lanes_multiply(p.z, inverse)));
  return distance;
}

CLOTH_ONCE lanes distance_to_body(const cloth_collider *body, lanes3 p, lanes3 *normal) {
  switch (body->shape) {
  case CLOTH_SHAPE_PLANE:
    *normal = lanes3_splat(vector(0.0f, 1.0f, 0.0f));
    return p.y;
  case CLOTH_SHAPE_SPHERE:
    return distance_to_sphere(p, lanes_splat(body->radius), normal);
  case CLOTH_SHAPE_CAPSULE:
    return distance_to_capsule(body, p, normal);
  case CLOTH_SHAPE_BOX:
    return distance_to_box(body->half_extents, p, normal);
  default:
    return distance_to_cylinder(body, p, normal);
  }
}

/* The same for one point. */
CLOTH_SEPARATE float distance_of_point(const cloth_collider *body, cloth_vector p, cloth_vector *normal) {
  lanes3 outward;
  float distance = lanes_first_value(distance_to_body(body, lanes3_splat(p), &outward));
  *normal = vector(lanes_first_value(outward.x), lanes_first_value(outward.y), lanes_first_value(outward.z));
  return distance;
}

/* The capsule around a body, its axis turned as the body is. Returns its radius. */
static float capsule_around(const cloth_collider *body, cloth_rotation rotation, cloth_vector *from,
                            cloth_vector *along) {
  float reach = maximum(body->radius, body->radius_top);
  cloth_vector half = vector(0.0f, body->half_height, 0.0f);
  if (body->shape == CLOTH_SHAPE_BOX) {
    cloth_vector h = body->half_extents;
    int is_x = h.x >= h.y && h.x >= h.z;
    int is_y = !is_x && h.y >= h.z;
    half = vector(is_x ? h.x : 0.0f, is_y ? h.y : 0.0f, is_x || is_y ? 0.0f : h.z);
    reach = vector_length(vector_subtract(h, half));
  }
  half = rotate(rotation, half);
  *from = vector_scale(half, -1.0f);
  *along = vector_flush(vector_scale(half, 2.0f), STATE_QUANTUM);
  return reach;
}

/* Farthest a collider's surface lies from its position. */
static float body_reach(const cloth_collider *body) {
  switch (body->shape) {
  case CLOTH_SHAPE_SPHERE:
    return body->radius;
  case CLOTH_SHAPE_CAPSULE:
    return body->half_height + maximum(body->radius, body->radius_top);
  case CLOTH_SHAPE_BOX:
    return vector_length(body->half_extents);
  case CLOTH_SHAPE_CYLINDER:
    return body->half_height + body->radius;
  default:
    return 1.0e9f; /* a plane is never far */
  }
}

/// Costs ///

/*
 * What things cost, in instructions of the build that cloth.h names, measured by tests/work.c and rounded up: each for
 * a particle in a substep, unless said otherwise. Whoever changes a kernel measures its price again.
 */
enum {
  COST_STEP = 6000,   /* a step: its plan, pads, statistics */
  COST_CALL = 600,    /* a substep, whatever the grid */
  COST_ROW = 120,     /* a row, in a substep */
  COST_PREPARE = 60,  /* a particle, in a step */
  COST_MARK = 40,     /* a particle and a slot of tethers, in a step */
  COST_CHOOSE = 300,  /* tethers: a particle, when they are chosen ... */
  COST_OFFERS = 1200, /* ... and each of its tethers */
  COST_PREDICT = 80,
  COST_HISTORY = 60,
  COST_BODY_FORCES = 30,
  COST_AIR = 345,
  COST_SPRINGS = 640, /* forces and operator of its stretch and shear springs */
  COST_BENDS = 600,
  COST_CHANGE = 85, /* new velocities and the prediction, after forces */
  COST_PRECONDITIONER = 450,
  COST_BEND_BLOCKS = 310,
  COST_SOLVE = 200, /* around the iterations */
  COST_WARM = 420,  /* beside the operator */
  COST_ITERATION = 230,
  COST_PAIR = 65, /* of an iteration: for stretch springs, and for shear springs */
  COST_BEND_PAIR = 225,
  COST_SEAM = 330, /* a spring across the seam of a wrapped sheet: its force, ... */
  COST_SEAM_BLOCKS = 190,
  COST_SEAM_PAIR = 170,  /* ... in an iteration, ... */
  COST_SEAM_SHEAR = 280, /* ... or projected */
  COST_RING = 20,        /* a projected spring around it, beside that of a row */
  COST_PLAIN = 64,       /* a projected spring in a plain piece of a row */
  COST_GENERAL = 165,    /* another one, or of a strain limit */
  COST_RUN = 62,         /* a run of springs */
  COST_SETTLE = 75,
  COST_TETHER = 85,
  COST_TAUT = 60,       /* a tether that pulls ... */
  COST_PASSED = 100,    /* ... and for each collider that might be in its way ... */
  COST_UNBLOCKED = 420, /* ... if it is near */
  COST_NEAR = 103,      /* is it near a collider? */
  COST_RESPOND = 350,   /* one that touches */
  COST_BODY = 1500,     /* a collider */
  COST_TRACE = 45,      /* a step on a traced path, beside the distance */
  COST_TRACED = 150,    /* a path */
  COST_TARGET = 400,    /* a particle held to its target, and out of its backstop */
  COST_ACCEPT = 112,
  COST_RECOVER = 220,   /* a particle that is slowed or put back */
  COST_CONFINED = 1600, /* a confined particle */
  COST_SEEK = 560,      /* contact in the solver: a particle and a collider ... */
  COST_SEEK_MORE = 700, /* ... of several: their motions are made anew */
  COST_HELD = 2600      /* a particle held so */
};

/* Of a sweep of strain limiting, a particle. */
static uint32_t sweep_cost(const cloth *c) {
  return 2 * COST_GENERAL + COST_RUN + (is_wrapped(c) ? COST_RING : 0u);
}

/* Distance of a point from the surface, by shape. */
CLOTH_CONSTANT static const uint8_t distance_costs[] = {20, 60, 150, 140, 200};

/* Steps along a traced path. One that has not arrived after so many grazes the surface, each step coming four times as
   near to it, or meets it there but for a rounding; it counts as a hit. */
#define TRACE_STEPS 4
/* A traced point this close to the margin touches [m]. */
#define TRACE_CONTACT 1.0e-5f
/* The next float after it. */
#define TRACE_CLEARANCE 1.0000001e-5f

/* A traced path. */
static uint32_t trace_cost(const cloth_collider *body) {
  return COST_TRACED + TRACE_STEPS * ((uint32_t)COST_TRACE + distance_costs[body->shape]);
}

/* A particle near a collider: the distances of both ends of its way. */
static uint32_t near_cost(const cloth_collider *body) {
  return 240u + 2u * distance_costs[body->shape];
}

/// Uniform runs ///

/* The longest piece of a row in which everything has mobility and stiffness 1. */
static uniform_run uniform_run_of_row(const cloth *c, int32_t row) {
  return ((const uniform_run *)at(c, c->scratch.uniform_runs))[row];
}

/* The longest piece of a block of columns in which that is so. */
static uniform_run *uniform_run_of_columns(const cloth *c, int32_t column) {
  return (uniform_run *)at(c, c->scratch.uniform_runs) + c->grid.rows + column / LINE_BLOCK;
}

#if WITH_PROJECTION || CLOTH_LANES > 1
/* The part of it that two pieces have in common, the second `shift` columns further right. */
static uniform_run uniform_overlap(uniform_run a, uniform_run b, int32_t shift) {
  int32_t from = b.from - shift;
  int32_t to = b.to - shift;
  a.from = (int16_t)(from > a.from ? from : a.from);
  a.to = (int16_t)(to < a.to ? to : a.to);
  return a;
}
#endif

/*
 * The work of a step is a part that its plan and pins decide, reckoned in advance, and what the kernels count as it
 * comes: iterations, particles near colliders and touching them, traced paths, taut tethers, particles held by the
 * solver. A bound takes the most of the latter that there can be.
 */

/* Particles of mobility 1 that the longest pieces of their rows hold, as find_uniform_runs() finds them. */
static int32_t count_uniform_particles(const cloth *c) {
  int32_t uniform = 0;
  for (int32_t row = 0; row < c->grid.rows && !c->constant.stiffness_map; row++) {
    int32_t longest = 0;
    int32_t length = 0;
    for (int32_t i = row * c->grid.columns; i < (row + 1) * c->grid.columns; i++) {
      length = is_pinned(c, i) || mass_ratio_at(c, i) != 1.0f ? 0 : length + 1;
      longest = length > longest ? length : longest;
    }
    uniform += longest;
  }
  return uniform;
}

/* The longest piece of a row, or of a block of columns, in which particles have mobility 1 and springs the same
   stiffness. */
static uniform_run longest_uniform_run(const cloth *c, int32_t first, int32_t length, int32_t along, int32_t side) {
  const float *mobility = floats_at(c, c->scratch.mobility) + first;
  uniform_run longest = {0, 0};
  int32_t from = 0;
  for (int32_t n = 0; n < length && !c->constant.stiffness_map; n++) {
    for (int32_t k = 0; k < side; k++) {
      from = mobility[n * along + k] == 1.0f ? from : n + 1;
    }
    if (n + 1 - from > longest.to - longest.from) {
      longest.from = (int16_t)from;
      longest.to = (int16_t)(n + 1);
    }
  }
  return longest;
}

/* Have all particles of some rows of a block of columns mobility 1? */
static int are_uniform(const cloth *c, int32_t first, int32_t rows, int32_t columns) {
  lanes one = lanes_splat(1.0f);
  lanes worst = lanes_splat(0.0f);
  for (int32_t row = 0; row < rows; row++) {
    const float *mobility = floats_at(c, c->scratch.mobility) + first + row * c->grid.columns;
    for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
      lanes off = lanes_absolute(lanes_subtract(lanes_load(mobility + column), one));
      worst = lanes_maximum(worst, lanes_keep(lanes_first(columns - column), off));
    }
  }
  return !c->constant.stiffness_map && !lanes_any(lanes_less(lanes_splat(0.0f), worst));
}

/* Most lines are plain from end to end, which is quick to see. */
CLOTH_SEPARATE void find_uniform_runs(const cloth *c) {
  uniform_run whole_row = {0, (int16_t)c->grid.columns}, whole_column = {0, (int16_t)c->grid.rows};
  for (int32_t row = 0; row < c->grid.rows; row++) {
    int32_t first = row * c->grid.columns;
    uniform_run *piece = &((uniform_run *)at(c, c->scratch.uniform_runs))[row];
    *piece =
        are_uniform(c, first, 1, c->grid.columns) ? whole_row : longest_uniform_run(c, first, c->grid.columns, 1, 1);
  }
  for (int32_t column = 0; column < c->grid.columns; column += LINE_BLOCK) {
    int32_t side = c->grid.columns - column < LINE_BLOCK ? c->grid.columns - column : LINE_BLOCK;
    uniform_run *piece = uniform_run_of_columns(c, column);
    *piece = are_uniform(c, column, c->grid.rows, side)
                 ? whole_column
                 : longest_uniform_run(c, column, c->grid.rows, c->grid.columns, side);
  }
}

/// Vertex layouts ///

#if WITH_TARGETS || !defined(CLOTH_NO_VERTICES)

/* Does an attribute of some floats fit into a vertex? */
static int attribute_fits(int32_t offset, int32_t floats, int32_t stride) {
  return offset == CLOTH_ATTRIBUTE_NONE || (offset >= 0 && offset <= stride - floats * (int32_t)sizeof(float));
}

/* Vertices of a row: round a tube the first column comes twice, with either end of the texture. */
static int32_t row_vertices(const cloth *c) {
  return cells_along_warp(c) + 1;
}

/* Does a layout fit its stride, and are all vertices there? */
static int check_vertices(const cloth *c, const cloth_vertex_layout *layout, size_t bytes) {
  if (layout->stride < 1 || layout->stride > 65536 || !attribute_fits(layout->position_offset, 3, layout->stride) ||
      !attribute_fits(layout->normal_offset, 3, layout->stride) ||
      !attribute_fits(layout->texcoord_offset, 2, layout->stride) ||
      bytes / (size_t)layout->stride < (size_t)(row_vertices(c) * c->grid.rows)) {
    return CLOTH_ERROR_BUFFER;
  }
  return CLOTH_OK;
}

/* Byte by byte: the caller's buffer may have any alignment. */
static void copy_floats(void *to, const void *from, int32_t count) {
  for (int32_t i = 0; i < count * (int32_t)sizeof(float); i++) {
    ((uint8_t *)to)[i] = ((const uint8_t *)from)[i];
  }
}

#endif

/// Statistics ///

static int32_t public_mode(const spring_family *s) {
  const int32_t modes[] = {s->mode, CLOTH_MODE_PROJECTED, CLOTH_MODE_MIXED};
  return modes[s->projected];
}

CLOTH_SEPARATE void reset_statistics(const cloth *c, const step_plan *plan) {
  cloth_statistics *s = statistics_of(c);
  fill_zero(s, sizeof *s);
  fill_zero(at(c, c->own.iterations), (size_t)plan->substeps * sizeof(uint16_t));
  fill_zero(reactions_of(c), (size_t)c->settings.capacity.max_colliders * sizeof(cloth_reaction));
  s->substeps = plan->substeps;
  CLOTH_CONSTANT static const int8_t family_direction[3] = {WARP, WEFT, DIAGONAL};
  for (int32_t f = CLOTH_FAMILY_STRETCH_WARP; f <= CLOTH_FAMILY_SHEAR; f++) {
    s->kappa[f] = plan->spring[family_direction[f]].kappa * max_kappa_factor(c);
    s->mode[f] = public_mode(&plan->spring[family_direction[f]]);
  }
  s->kappa[CLOTH_FAMILY_BEND] = plan->bend_kappa * max_kappa_factor(c);
  s->mode[CLOTH_FAMILY_BEND] = plan->bend_projected ? (int32_t)CLOTH_MODE_PROJECTED : plan->bend_mode;
}

/* Ends a stage: its ticks go to the statistics and, where a trace was asked for, a hash of the vectors it made to the
   port. CLOTH_TRACE(sheet, stage, substep, hash) finds the first difference between two machines. */
static void end_stage(const cloth *c, cloth_stage stage, int32_t substep, uintptr_t made) {
  workspace *work = workspace_of(c);
  uint32_t now = CLOTH_TICKS();
  work->statistics.ticks[stage] += now - work->tick;
  work->tick = now;
#ifdef CLOTH_TRACE
  hasher h;
  hash_start(&h);
  vector_array vectors = vectors_at(c, made);
  hash_words(&h, (const any_word *)(const void *)vectors.x, c->count);
  hash_words(&h, (const any_word *)(const void *)vectors.y, c->count);
  hash_words(&h, (const any_word *)(const void *)vectors.z, c->count);
  CLOTH_TRACE(c, stage, substep, hash_end(&h));
#else
  (void)substep;
  (void)made;
#endif
}

int cloth_get_statistics(const cloth *c, cloth_statistics *statistics) {
  int error = check_call(c, statistics);
  if (error) {
    return error;
  }
  *statistics = *statistics_of(c);
  return CLOTH_OK;
}

int cloth_substep_iterations(const cloth *c, int32_t substep) {
  int error = check_cloth(c);
  if (error) {
    return error;
  }
  if (substep < 0 || substep >= statistics_of(c)->substeps) {
    return CLOTH_ERROR_SUBSTEPS;
  }
  return ((const uint16_t *)at(c, c->own.iterations))[substep];
}

/// 5. Stages of a substep ///

/// Air ///

/*
 * Air: the wind with its gusts, the area vectors of the sheet, and the force of the air on particles, drag after thesis
 * eq. 3.17, with lift and drag along the normal beside it.
 *
 * In: inputs.wind and inputs.gust_*, settings.air, evaluation positions, velocities, mass ratios. Out: velocity changes
 * times the mass ratio, added to the caller's vectors (scratch.residual, from evaluate_forces()); advance_gusts() moves
 * inputs.gust_place. Scratch: none of its own; evaluation positions lie in scratch.product when a step extrapolates.
 */

#if WITH_AIR

/* Ranges of cloth_gusts: strength along an axis [m/s] and period [s]. */
#define GUST_MAX_STRENGTH 1.0e3f
#define GUST_MIN_PERIOD 0.02f
#define GUST_MAX_PERIOD 1.0e3f

/*
 * Gusts are value noise over time. A point of the sequence is a number of periods in fixed point, {whole, fraction}
 * with the fraction in units of 2^-32. Each axis and octave has a random number in -1..1, a multiple of 2^-23, at every
 * whole period.
 */
static float gust_lattice_value(uint32_t seed, uint32_t whole, uint32_t axis) {
  uint64_t mixed = hash_mix(hash_mix(hash_mix(HASH_FACTOR, seed), whole), axis);
  return (float)((int32_t)(mixed >> 40) - 0x800000) * (1.0f / 8388608.0f);
}

/* One octave of noise, -1..1: neighbouring lattice values blended by 3 t^2 - 2 t^3. The fraction's upper 24 bits are
   exact in a float. */
static float gust_octave(uint32_t seed, const uint32_t point[2], uint32_t axis) {
  float t = (float)(int32_t)(point[1] >> 8) * (1.0f / 16777216.0f);
  float from = gust_lattice_value(seed, point[0], axis);
  float to = gust_lattice_value(seed, point[0] + 1u, axis);
  return from + (to - from) * (t * t * (3.0f - 2.0f * t));
}

/* Two octaves, -1..1: the second has half the period and half the strength, and random numbers of its own (axes 3..5).
 */
static float gust_noise(uint32_t seed, const uint32_t point[2], uint32_t axis) {
  uint32_t doubled[2] = {2u * point[0] + (point[1] >> 31), 2u * point[1]};
  return (2.0f / 3.0f) * gust_octave(seed, point, axis) + (1.0f / 3.0f) * gust_octave(seed, doubled, axis + 3u);
}

/* 1 if strength and period of gusts are within their ranges. */
static int are_gusts(cloth_vector strength, float period) {
  return in_range(strength.x, 0.0f, GUST_MAX_STRENGTH) && in_range(strength.y, 0.0f, GUST_MAX_STRENGTH) &&
         in_range(strength.z, 0.0f, GUST_MAX_STRENGTH) && in_range(period, GUST_MIN_PERIOD, GUST_MAX_PERIOD);
}

/* Wind of the next step, gusts included [m/s]. */
static cloth_vector wind_of(const cloth *c) {
  const cloth_inputs *inputs = inputs_of(c);
  if (inputs->gust_period == 0.0f) {
    return inputs->wind;
  }
  cloth_vector gust = inputs->gust_strength;
  gust.x *= gust_noise(inputs->gust_seed, inputs->gust_place, 0);
  gust.y *= gust_noise(inputs->gust_seed, inputs->gust_place, 1);
  gust.z *= gust_noise(inputs->gust_seed, inputs->gust_place, 2);
  return vector_flush(vector_add(inputs->wind, gust), STATE_QUANTUM);
}

/* Moves the gusts on by a time [s], rounded to 2^-31 periods. In fixed point a late position is as exact as an early
   one. */
static void advance_gusts(cloth_inputs *inputs, float time) {
  if (inputs->gust_period > 0.0f) {
    float periods = time / inputs->gust_period;
    int32_t whole = (int32_t)periods;
    uint32_t part = 2u * (uint32_t)(int32_t)((periods - (float)whole) * 2147483648.0f + 0.5f); /* 2^31 */
    uint32_t before = inputs->gust_place[1];
    inputs->gust_place[1] = before + part;
    inputs->gust_place[0] += (uint32_t)whole + (inputs->gust_place[1] < before);
  }
}

#else

static cloth_vector wind_of(const cloth *c) {
  return inputs_of(c)->wind;
}

#endif

/* Left and right neighbours of a row's first and last particle, and the cells between particle and neighbour: across
   the seam of a wrapped sheet the other end, 1 cell away; else the particle itself, 0 cells away. */
typedef struct row_ends {
  cloth_vector left, right;
  float cells;
} row_ends;

CLOTH_ONCE row_ends row_ends_at(const cloth *c, vector_array x, int32_t row) {
  row_ends ends;
  ends.left = vector_load(x, row * c->grid.columns);
  ends.right = vector_load(x, row * c->grid.columns + c->grid.columns - 1);
  ends.cells = 0.0f;
  if (is_wrapped(c)) {
    cloth_vector first = ends.left;
    ends.left = ends.right;
    ends.right = first;
    ends.cells = 1.0f;
  }
  return ends;
}

/*
 * Area vectors of a block of particles [m^2]: normal times area, the cross product of central differences along weft
 * and warp, one-sided at edges. All particles stand for the same area at rest, `share` of a cell (cells over
 * particles), as they have the same mass: a flat sheet then falls flat.
 */
CLOTH_INLINE lanes3 area_vectors(const cloth *c, vector_array x, const row_ends *ends, int32_t column, int32_t row) {
  int32_t i = row * c->grid.columns + column;
  int32_t above = row > 0 ? 1 : 0;
  int32_t below = row < c->grid.rows - 1 ? 1 : 0;
  lanes one = lanes_splat(1.0f);
  lanes beyond = lanes_splat(ends->cells);
  lanes_mask leftmost = lanes_first(column == 0 ? 1 : 0);
  lanes_mask has_right = lanes_first(c->grid.columns - 1 - column);
  lanes3 left = lanes3_select(leftmost, lanes3_splat(ends->left), lanes3_load(x, i - 1));
  lanes3 right = lanes3_select(has_right, lanes3_load(x, i + 1), lanes3_splat(ends->right));
  lanes3 up = lanes3_load(x, i - above * c->grid.columns);
  lanes3 along_weft = lanes3_flush(lanes3_subtract(lanes3_load(x, i + below * c->grid.columns), up));
  lanes width = lanes_add(lanes_select(leftmost, beyond, one), lanes_select(has_right, one, beyond));
  lanes cells = lanes_multiply(lanes_maximum(width, one), lanes_splat((float)(above + below)));
  lanes share = lanes_splat((float)(cells_along_warp(c) * (c->grid.rows - 1)) / (float)c->count);
  lanes3 crossed = lanes3_cross(lanes3_flush(lanes3_subtract(right, left)), along_weft);
  return lanes3_scale(crossed, lanes_divide(share, cells));
}

/* Area [m^2] and relative speed [m/s] up to which there is no force: they bound the divisors below away from 0. */
#define AIR_MIN_AREA 1.0e-12f
#define AIR_MIN_SPEED 1.0e-6f
/* Largest 1/2 rho A h / m. The bound on the velocity change takes effect long before; this keeps the square of the
   change finite until then. */
#define AIR_MAX_STRENGTH 1.0e6f

/*
 * Velocity change by the air, for area vectors a and velocities v relative to the wind; n is the unit vector of a:
 *     drag         -1/2 rho cd |a.v| v (thesis eq. 3.17)
 *     lift         -1/2 rho cl (a.v) (|v| n - (n.v) v / |v|), perpendicular to v
 *     normal drag  -1/2 rho cn |v| (a.v) n
 * The change is shortened to half the relative speed, which keeps the explicit step stable.
 */
CLOTH_INLINE lanes3 air_change(const cloth *c, lanes3 a, lanes3 v, lanes h_over_mass) {
  lanes one = lanes_splat(1.0f);
  lanes area = lanes3_length(a);
  lanes speed = lanes3_length(v);
  lanes_mask acts =
      lanes_both(lanes_less(lanes_splat(AIR_MIN_AREA), area), lanes_less(lanes_splat(AIR_MIN_SPEED), speed));
  area = lanes_maximum(area, lanes_splat(AIR_MIN_AREA));
  speed = lanes_maximum(speed, lanes_splat(AIR_MIN_SPEED));
  lanes3 n = lanes3_flush(lanes3_scale(a, lanes_divide(one, area)));
  lanes normal_speed = lanes_flush(lanes3_dot(n, v));
  lanes strength = lanes_multiply(lanes_multiply(lanes_splat(0.5f * c->settings.air.density), area), h_over_mass);
  strength = lanes_minimum(lanes_flush(strength), lanes_splat(AIR_MAX_STRENGTH));
  lanes drag = lanes_flush(lanes_multiply(lanes_splat(c->settings.air.drag), lanes_absolute(normal_speed)));
  lanes lift = lanes_flush(lanes_multiply(lanes_splat(c->settings.air.lift), normal_speed));
  lanes3 lift_axis = lanes3_subtract(lanes3_scale(n, speed), lanes3_scale(v, lanes_divide(normal_speed, speed)));
  lanes3 force = lanes3_add_scaled(lanes3_scale(v, drag), lanes3_flush(lift_axis), lift);
  lanes normal_drag =
      lanes_flush(lanes_multiply(lanes_multiply(lanes_splat(c->settings.air.normal_drag), speed), normal_speed));
  force = lanes3_add_scaled(force, n, normal_drag);
  lanes3 change = lanes3_flush(lanes3_scale(lanes3_flush(force), strength));
  lanes size = lanes3_length(change);
  lanes max_size = lanes_multiply(lanes_splat(0.5f), speed);
  lanes divisor = lanes_maximum(size, lanes_splat(STATE_QUANTUM));
  lanes kept = lanes_select(lanes_less(max_size, size), lanes_divide(max_size, divisor), one);
  return lanes3_keep(acts, lanes3_scale(change, lanes_subtract(lanes_splat(0.0f), kept)));
}

/* Adds the velocity changes by the air times the mass ratio to `change`. */
CLOTH_HOT static void add_air(const cloth *c, const step_plan *plan, vector_array change) {
  vector_array x = evaluation_positions(c, plan);
  vector_array v = vectors_at(c, c->state.velocity);
  lanes3 wind = lanes3_splat(wind_of(c));
  lanes h_over_mass = lanes_splat(plan->h / reference_mass(c));
  for (int32_t row = 0; row < c->grid.rows; row++) {
    row_ends ends = row_ends_at(c, x, row);
    for (int32_t column = 0; column < c->grid.columns; column += CLOTH_LANES) {
      int32_t i = row * c->grid.columns + column;
      lanes mass = mass_ratio_lanes(c, i);
      lanes3 relative = lanes3_subtract(lanes3_load(v, i), wind);
      lanes3 air = air_change(c, area_vectors(c, x, &ends, column, row), relative, lanes_divide(h_over_mass, mass));
      lanes3_store(change, i, lanes3_add_scaled(lanes3_load(change, i), air, mass), c->grid.columns - column);
    }
  }
}

/// Plan of a step ///

/*
 * What a step fixes before its first substep: the number of substeps, every coefficient that depends on the substep h,
 * and for each family of springs, by kappa = (h/m) (h ks + 2 kd) (thesis eq. 4.8), whether it is explicit, solved for
 * or projected, and the share of extrapolation.
 *
 * In: dt, c->grid, c->settings, inputs.fabric, inputs.last_substep, state.velocity (the fastest particle). Out: a
 * step_plan, in a step the workspace's. Scratch: none; the offsets of operator_blocks and bend_slopes tell whether the
 * cloth has a solver.
 */

/* A coefficient clamped to `limit`, or 0 if it is below WORK_QUANTUM. */
static float limited_coefficient(float value, float limit) {
  return flush_small(minimum(value, limit), WORK_QUANTUM);
}

/* Largest kappa of a spring that is solved for, over the square of the cap on iterations: the conjugate gradient
   resolves a condition number of the order of its iterations squared. Stiffness beyond that would turn into noise and
   is left to the strain limits. */
#define SOLVABLE_KAPPA 64.0f

static float solvable_kappa(const cloth *c) {
  float iterations = (float)c->settings.solver.max_iterations;
  return minimum(SOLVABLE_KAPPA * iterations * iterations, KAPPA_LIMIT);
}

/* Coefficients of a family of stretch or shear springs for a substep of h, its mode not chosen yet. Not inlined: clang
   would vectorise the divisions over directions and divide whatever lies in unused lanes, which raises flags. */
CLOTH_SEPARATE spring_family plan_spring(const cloth *c, float h, int32_t d) {
  float per_mass = h / reference_mass(c);
  spring_family s;
  s.rest = direction_rest(c, d);
  s.stiffness = limited_coefficient(h * (per_mass * direction_stiffness(c, d)), solvable_kappa(c));
  s.damping = limited_coefficient(per_mass * direction_damping(c, d), DAMPING_LIMIT);
  s.force = s.stiffness * (1.0f / h);
  s.compression = d <= WEFT ? inputs_of(c)->fabric.compression : inputs_of(c)->fabric.shear_compression;
  s.kappa = s.stiffness + 2.0f * s.damping;
  s.mode = CLOTH_MODE_OFF;
  s.projected = PROJECTED_NONE;
  return s;
}

/* Kappa above which springs are projected by configuration: only CLOTH_INTEGRATION_ADAPTIVE projects. */
static float projection_threshold(const cloth *c) {
  return c->settings.integration.method == CLOTH_INTEGRATION_ADAPTIVE
             ? maximum(c->settings.integration.explicit_threshold, c->settings.integration.projection_threshold)
             : CLOTH_KAPPA_NEVER;
}

/* Largest kappa of springs that are solved for beside projected ones, for each iteration of the cap. Projection moves
   particles without regard to springs that are solved for, so that every solve starts far from its solution; what a
   capped solve leaves over is noise that the following substeps amplify. At 2.25 (a drape of 64 x 64, folds of kappa 9,
   4 iterations) sheets diverged; the smaller sheets of tests/stability.c do not show it. */
#define RESOLVED_KAPPA 0.25f

/* Kappa above which springs are projected in this step: as configured, or less if some spring is projected, so that
   those that a capped solve cannot resolve beside it are projected, too. */
static float projected_above(const cloth *c, const step_plan *plan) {
  float threshold = projection_threshold(c);
  float max_kappa = 0.0f;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    max_kappa = maximum(max_kappa, plan->spring[d].kappa);
  }
  if (!(max_kappa * max_kappa_factor(c) > threshold)) {
    return threshold;
  }
  return minimum(threshold, maximum(c->settings.integration.explicit_threshold,
                                    RESOLVED_KAPPA * (float)c->settings.solver.max_iterations));
}

/* PROJECTED_NONE, PROJECTED_ALL, or PROJECTED_SOME where maps put single springs on either side of the threshold. */
static int32_t projected_by_kappa(const cloth *c, float kappa, float threshold) {
  if (!WITH_PROJECTION || !(kappa * max_kappa_factor(c) > threshold)) {
    return PROJECTED_NONE;
  }
  return kappa * min_kappa_factor(c) > threshold ? PROJECTED_ALL : PROJECTED_SOME;
}

/* Mode of a family by its kappa: mixed where maps put single springs on either side of the explicit threshold. */
static int32_t mode_by_kappa(const cloth *c, float kappa) {
  if (kappa == 0.0f) {
    return CLOTH_MODE_OFF;
  }
  if (!c->scratch.operator_blocks || kappa * max_kappa_factor(c) <= c->settings.integration.explicit_threshold) {
    return CLOTH_MODE_EXPLICIT;
  }
  return kappa * min_kappa_factor(c) > c->settings.integration.explicit_threshold ? CLOTH_MODE_IMPLICIT
                                                                                  : CLOTH_MODE_MIXED;
}

/* 1 if a family may be forced to be explicit: its stiffest spring is stable then. */
static int is_stable_explicit(const cloth *c, const spring_family *s) {
  return s->kappa * max_kappa_factor(c) <= maximum(EXPLICIT_LIMIT, c->settings.integration.explicit_threshold);
}

/* Chooses how a family acts. One that is to be explicit but would be unstable is made implicit, and noted. */
static void choose_mode(const cloth *c, step_plan *plan, spring_family *s) {
  s->projected = projected_by_kappa(c, s->kappa, plan->projected_above);
  s->mode = s->projected == PROJECTED_ALL ? CLOTH_MODE_OFF : mode_by_kappa(c, s->kappa);
  if (!WITH_SOLVER || s->mode == CLOTH_MODE_OFF || c->settings.integration.method == CLOTH_INTEGRATION_ADAPTIVE) {
    return;
  }
  s->mode = CLOTH_MODE_IMPLICIT;
  if (c->settings.integration.method == CLOTH_INTEGRATION_IMPLICIT) {
    return;
  }
  if (is_stable_explicit(c, s)) {
    s->mode = CLOTH_MODE_EXPLICIT;
    return;
  }
  plan->notes |= CLOTH_NOTE_MADE_IMPLICIT;
}

/* Coefficients of the bend springs of a direction, before they are clamped by plan_bend(): `linear` and `fold` follow
   there. */
static void plan_bend_family(const cloth *c, step_plan *plan, int32_t d) {
  float per_mass = plan->h / reference_mass(c);
  bend_family *b = &plan->bend[d];
  b->rest = 2.0f * direction_rest(c, d);
  b->inverse_rest = 1.0f / b->rest;
  b->curve = per_mass * bend_constant(c, d) / (b->rest * b->rest);
  b->curve_slope = limited_coefficient(plan->h * b->curve / b->rest, KAPPA_LIMIT);
  b->linear_slope = limited_coefficient(plan->h * (per_mass * bend_linear_slope(c, d, b->rest)), KAPPA_LIMIT);
  b->fold_slope = limited_coefficient(plan->h * (per_mass * fold_stiffness(c, d)), KAPPA_LIMIT);
  b->damping = limited_coefficient(per_mass * inputs_of(c)->fabric.bend_damping, DAMPING_LIMIT);
  b->most = BEND_TRAVEL * b->rest * plan->inverse_h;
}

/* 1 if bend springs are projected: adaptive ones whose kappa is above the threshold of projection or, in a cloth
   without a solver for them, too large to be explicit. Explicit springs have their damping clamped to what is stable,
   so it counts in kappa only where their stiffness alone is too large to be explicit. */
static int is_bend_projected(const cloth *c, const step_plan *plan) {
  float kappa = plan->bend_kappa * max_kappa_factor(c);
  if (kappa > BEND_EXPLICIT_LIMIT) {
    kappa += 2.0f * plan->bend[WARP].damping;
  }
  return WITH_PROJECTION && c->settings.integration.method == CLOTH_INTEGRATION_ADAPTIVE &&
         c->settings.integration.bend_method == CLOTH_BEND_ADAPTIVE &&
         kappa > (c->scratch.bend_slopes ? plan->projected_above : BEND_EXPLICIT_LIMIT);
}

/* Projected bend springs are linear, with the larger of the slope near rest length and the fold stiffness. */
static void plan_projected_bend(step_plan *plan) {
  plan->bend_mode = CLOTH_MODE_OFF;
  for (int32_t d = WARP; d <= WEFT; d++) {
    float kappa = maximum(plan->bend[d].linear_slope, plan->bend[d].fold_slope);
    plan->bend_compliance[d] = 1.0f / maximum(kappa, WORK_QUANTUM);
  }
}

/* Plans all bend springs: projected, or solved for if they are too stiff to be explicit and the cloth can, else
   explicit. Slopes are clamped to what the mode can take; clamping the fabric's own slope is noted. */
static void plan_bend(const cloth *c, step_plan *plan) {
  float fabric_kappa = 0.0f;
  plan->bend_kappa = 0.0f;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    plan_bend_family(c, plan, d);
    fabric_kappa = maximum(fabric_kappa, plan->bend[d].linear_slope);
    plan->bend_kappa = maximum(plan->bend_kappa, maximum(fabric_kappa, plan->bend[d].fold_slope));
  }
  plan->bend_projected = is_bend_projected(c, plan);
  if (plan->bend_projected) {
    plan_projected_bend(plan);
    return;
  }
  float limit = BEND_EXPLICIT_LIMIT / max_kappa_factor(c);
  plan->bend_mode = plan->bend_kappa == 0.0f ? CLOTH_MODE_OFF : CLOTH_MODE_EXPLICIT;
  if (WITH_SOLVER && plan->bend_kappa > limit && c->scratch.bend_slopes) {
    plan->bend_mode = CLOTH_MODE_IMPLICIT;
    limit = solvable_kappa(c);
  }
  plan->notes |= fabric_kappa > limit ? CLOTH_NOTE_BEND_SOFTENED : 0;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    bend_family *b = &plan->bend[d];
    b->linear_slope = minimum(b->linear_slope, limit);
    b->linear = b->linear_slope * plan->inverse_h;
    b->fold_slope = minimum(b->fold_slope, limit);
    b->fold = b->fold_slope * plan->inverse_h;
    b->damping = minimum(b->damping, limit);
  }
}

/* Speed of the fastest particle [m/s]. */
static float max_particle_speed(const cloth *c) {
  vector_array v = vectors_at(c, c->state.velocity);
  float max_squared = 0.0f;
  for (int32_t i = 0; i < c->count; i++) {
    cloth_vector velocity = vector_load(v, i);
    max_squared = maximum(max_squared, vector_dot(velocity, velocity));
  }
  return square_root(max_squared);
}

/* Substeps n that bring the kappa of a direction down to `target`, not rounded: the root of
   (dt/n)^2 ks/m + 2 (dt/n) kd/m = target, for the spring with the largest kappa by the maps. */
static float substeps_for_kappa(const cloth *c, float dt, int32_t direction, float target) {
  float per_mass = dt * max_kappa_factor(c) / reference_mass(c);
  float a = dt * (per_mass * direction_stiffness(c, direction));
  float b = 2.0f * per_mass * direction_damping(c, direction);
  if (c->settings.integration.method <= CLOTH_INTEGRATION_IMPLICIT) {
    b = 0.0f; /* implicit damping is stable in steps of any length */
  }
  return (b + square_root(b * b + 4.0f * a * target)) / (2.0f * target);
}

/* Number of substeps of a step: as configured, the maximum with fixed work, else as many as speed and kappa require. */
static int32_t choose_substeps(const cloth *c, float dt) {
  if (c->settings.integration.substeps > 0) {
    return c->settings.integration.substeps;
  }
  if (c->settings.capacity.fixed_work) {
    return c->settings.integration.max_substeps;
  }
  float target = c->settings.integration.method >= CLOTH_INTEGRATION_EXPLICIT
                     ? c->settings.integration.explicit_threshold
                     : SUBSTEP_KAPPA;
  float substeps = max_particle_speed(c) * dt / (SUBSTEP_TRAVEL * minimum(c->grid.spacing_warp, c->grid.spacing_weft));
  if (projection_threshold(c) < SUBSTEP_KAPPA) {
    return ceiling_within(maximum(substeps, SUBSTEPS_PROJECTED), c->settings.integration.max_substeps);
  }
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    substeps = maximum(substeps, substeps_for_kappa(c, dt, d, target));
  }
  return ceiling_within(substeps, c->settings.integration.max_substeps);
}

/* 1 if a step is refused: an explicit-only cloth has no solver for a family that would be unstable. */
static int is_refused(const cloth *c, float dt) {
  if (c->settings.integration.method != CLOTH_INTEGRATION_EXPLICIT_ONLY) {
    return 0;
  }
  float h = dt / (float)choose_substeps(c, dt);
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    spring_family s = plan_spring(c, h, d);
    if (!is_stable_explicit(c, &s)) {
      return 1;
    }
  }
  return 0;
}

/*
 * Extrapolation, the share of BDF2 in the prediction. Steps that may solve, also for contacts alone, have none: a solve
 * starts from the velocity as it is. In the other steps explicit forces are evaluated at the predicted positions. At
 * the positions of the substep's start they would lag behind and amplify oscillations, at kappa 0.05 by a factor of e
 * in 50 substeps; at the prediction they damp them as an implicit step does.
 */
static void plan_extrapolation(const cloth *c, step_plan *plan) {
  float last = inputs_of(c)->last_substep;
  plan->extrapolation =
      plan->solves || has_solver_contacts(c) || !c->state.velocity_history ? 0.0f : c->settings.integration.bdf2_blend;
  plan->history = last > 0.0f ? minimum(plan->h / last, 1.0f) : 1.0f;
}

/* Fills a plan for a step of dt, but for `tethered`, which follows when tethers are chosen. */
CLOTH_SEPARATE void plan_step(const cloth *c, float dt, step_plan *plan) {
  plan->dt = dt;
  plan->notes = 0;
  plan->substeps = choose_substeps(c, dt);
  plan->h = dt / (float)plan->substeps;
  plan->inverse_h = 1.0f / plan->h;
  plan->span = largest_span(c->grid.columns, c->grid.rows, c->settings.projection.spans);
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    plan->spring[d] = plan_spring(c, plan->h, d);
  }
  plan->projected_above = projected_above(c, plan);
  plan_bend(c, plan);
  plan->solves = plan->bend_mode == CLOTH_MODE_IMPLICIT;
  plan->forces = plan->bend_mode != CLOTH_MODE_OFF || has_air(c);
  plan->projects = plan->bend_projected;
  plan->springs = 0;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    choose_mode(c, plan, &plan->spring[d]);
    plan->solves |= plan->spring[d].mode >= CLOTH_MODE_IMPLICIT;
    plan->springs |= plan->spring[d].mode != CLOTH_MODE_OFF;
    plan->projects |= plan->spring[d].projected != PROJECTED_NONE;
  }
  plan->forces |= plan->springs;
  plan_extrapolation(c, plan);
}

#if WITH_PROJECTION

/* Share of a force that acts in the substep in which it is evaluated, 4/9 with BDF2 alone and 1 without; the velocities
   extrapolated from it bring the rest in later substeps. */
static float force_share(const step_plan *plan) {
  return 1.0f - plan->extrapolation * (5.0f / 9.0f);
}

#endif

/// Forces ///

/*
 * The right-hand side of a substep: b = h f / m0, plus h^2 K v / m0 of the implicit springs, from gravity, velocity
 * damping, air, stretch, shear and bend springs, as velocity changes times the mass ratio [m/s]. In the same pass the
 * blocks of the operator are made.
 *
 * In: plan, inputs, evaluation positions (state.position, or scratch.product holding the predicted positions when the
 * step extrapolates), state.velocity. Out: the caller's vectors, scratch.residual in a step; operator_blocks,
 * bend_slopes and seam if anything is implicit. Scratch: row_buffers, 0 for springs, 1 and 2 for bend springs.
 */

/* A block of cells of a row whose springs are evaluated. */
typedef struct row_context {
  const cloth *c;
  const step_plan *plan;
  int32_t below;     /* offset_below() of the row */
  int32_t cell;      /* first of the block; cells share the indices of particles */
  int32_t left;      /* cells from it to the row's end */
  cell_corners x, v; /* evaluation positions [m] and velocities [m/s] */
  float *tile;       /* where the operator keeps the block; NULL if nothing is solved for */
  int32_t width;     /* tile_width() there */
} row_context;

/* Velocity changes at the starts of the springs of direction d that a block of cells keeps. */
CLOTH_INLINE lanes3 row_spring_pull(const row_context *o, int32_t d, spring_length length) {
  float *stored = o->tile ? o->tile + OPERATOR_FLOATS * d * o->width : NULL;
  const int32_t count = springs_left(d, 1, o->below, o->left);
  const spring_context s = {.c = o->c,
                            .plan = o->plan,
                            .direction = d,
                            .ends = springs_at(o->c, d, 1, o->cell, count),
                            .count = count,
                            .x = corner_difference(&o->x, d),
                            .v = corner_difference(&o->v, d),
                            .length = length,
                            .stored = stored,
                            .width = o->width,
                            .left = o->left};
  return spring_pull(&s);
}

/* Velocity changes at the starts of the bend springs of direction d that a block of squares of two cells keeps. */
CLOTH_INLINE lanes3 row_bend_pull(const row_context *o, int32_t d, spring_length length) {
  const int32_t count = springs_left(d, 2, o->below, o->left);
  const spring_context s = {.c = o->c,
                            .plan = o->plan,
                            .direction = d,
                            .ends = springs_at(o->c, d, 2, o->cell, count),
                            .count = count,
                            .x = bend_span(&o->x, d),
                            .v = corner_difference(&o->v, d),
                            .length = length,
                            .stored = bend_slopes_of(o->c, d) + o->cell,
                            .width = 0,
                            .left = o->left};
  return bend_pull(&s);
}

/* Adds the velocity changes of a row's springs to `change`: with `reach` 1 those of stretch and shear springs, with 2
   those of bend springs, two cells long. Stores their part of the operator. */
CLOTH_INLINE void add_row(const cloth *c, const step_plan *plan, int32_t row, int32_t reach, vector_array change) {
  const vector_array x = evaluation_positions(c, plan);
  const vector_array v = vectors_at(c, c->state.velocity);
  const vector_array buffer = reach == 1 ? row_buffer(c, 0) : bend_buffer(c, row);
  float *tiles = WITH_SOLVER && plan->solves ? tiles_of(c, row) : NULL;
  const int32_t columns = c->grid.columns, first = row * columns, below = offset_below(c, row, reach);
  shift_state shift = shift_start();
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    const int32_t i = first + column, left = columns - column;
    float *tile = tiles ? tiles + tile_offset(column) : NULL;
    const row_context o = {.c = c,
                           .plan = plan,
                           .below = below,
                           .cell = i,
                           .left = left,
                           .x = load_corners(x, i, reach, below),
                           .v = load_corners(v, i, reach, below),
                           .tile = tile,
                           .width = tile_width(c, column)};
    row_forces pulls;
    spring_length lengths[DIRECTIONS];
    if (reach == 1) {
      EACH_DIRECTION(d, lengths[d] = length_of(corner_difference(&o.x, d)));
      EACH_DIRECTION(d, pulls.along[d] = row_spring_pull(&o, d, lengths[d]));
    } else {
      EACH_DIRECTION(d, lengths[d] = length_of(bend_span(&o.x, d)));
      EACH_DIRECTION(d, pulls.along[d] = row_bend_pull(&o, d, lengths[d]));
    }
    lanes3 sum = accumulate_row(&pulls, &shift, reach, buffer, column, left);
    lanes3_store(change, i, lanes3_add(lanes3_load(change, i), sum), left);
  }
}

/* add_row(), compiled once for each reach; once in all when optimising for size. */
CLOTH_HOT CLOTH_SEPARATE void add_row_of_springs(const cloth *c, const step_plan *plan, int32_t row, int32_t reach,
                                                 vector_array change) {
#if defined(__OPTIMIZE_SIZE__)
  add_row(c, plan, row, reach, change);
#else
  if (reach == 1) {
    add_row(c, plan, row, 1, change);
  } else {
    add_row(c, plan, row, 2, change);
  }
#endif
}

#if WITH_WRAP

/* Velocity changes at the starts of bend springs across the seam. The solver keeps them as w = sqrt(slope) x and
   beta = 0, like the other springs across the seam, so that one kernel applies both. `s->stored` is the place of beta,
   where bend_pull() leaves the slopes. */
CLOTH_INLINE lanes3 seam_bend_pull(const spring_context *s) {
  const int32_t width = s->width;
  float *slope = s->stored;
  lanes3 pull = bend_pull(s);
  if (s->plan->bend_mode == CLOTH_MODE_IMPLICIT) {
    vector_array w = {slope - 3 * width, slope - 2 * width, slope - width};
    lanes root = lanes_square_root(lanes_load(slope));
    lanes3_store(w, 0, lanes3_quantise(lanes3_scale(s->x, root), STATE_ROUNDER), CLOTH_LANES);
    lanes_store(slope, lanes_splat(0.0f));
  }
  return pull;
}

/* Adds the velocity changes of a line of springs across the seam to `change` and stores their part of the operator. */
CLOTH_SEPARATE void add_seam_line(const cloth *c, const step_plan *plan, const seam_line *line, vector_array change) {
  const int32_t next = c->grid.columns, width = seam_rows(c);
  for (int32_t row = 0; row < line->rows; row += CLOTH_LANES) {
    const int32_t count = line->rows - row;
    lanes3 x = seam_difference(c, line, evaluation_positions(c, plan), row, count);
    float *stored = line->mode >= CLOTH_MODE_IMPLICIT ? line->blocks + row : NULL;
    if (line->is_bend) {
      x = lanes3_quantise(x, WORK_ROUNDER);
      stored = line->blocks + row + 3 * width;
    }
    const spring_context s = {.c = c,
                              .plan = plan,
                              .direction = line->direction,
                              .ends = {line->from + row * next, line->to + row * next, next},
                              .count = count,
                              .x = x,
                              .v = seam_difference(c, line, vectors_at(c, c->state.velocity), row, count),
                              .length = length_of(x),
                              .stored = stored,
                              .width = width,
                              .left = CLOTH_LANES};
    lanes3 pull = line->is_bend ? seam_bend_pull(&s) : spring_pull(&s);
    add_seam_pulls(c, line, change, row, pull, count);
  }
}

/* Adds the velocity changes of all springs across the seam to `change` and stores their part of the operator. */
static void add_seam_forces(const cloth *c, const step_plan *plan, vector_array change) {
  for (int32_t n = 0; n < SEAM_SPRINGS + SEAM_BENDS; n++) {
    seam_line line = seam_line_at(c, plan, n);
    if (line.mode != CLOTH_MODE_OFF) {
      add_seam_line(c, plan, &line, change);
    }
  }
}

#endif

/* Adds the velocity changes of all springs to `change`, row by row. Stretch and shear springs are evaluated also where
   none acts but something is solved for: that fills the operator's tiles. */
static void add_spring_forces(const cloth *c, const step_plan *plan, vector_array change) {
  clear_row_buffers(c);
  for (int32_t row = 0; row < c->grid.rows; row++) {
    if (plan->springs || plan->solves) {
      add_row_of_springs(c, plan, row, 1, change);
    }
    if (plan->bend_mode != CLOTH_MODE_OFF) {
      add_row_of_springs(c, plan, row, 2, change);
    }
  }
#if WITH_WRAP
  if (is_wrapped(c)) {
    add_seam_forces(c, plan, change);
  }
#endif
}

/* Velocity change of a particle with velocity v in a substep by gravity and velocity damping: gravity - drag v [m/s].
 */
typedef struct body_force {
  lanes3 gravity; /* h g */
  lanes drag;     /* h times velocity_damping */
} body_force;

/* Largest share of a velocity that velocity damping takes in a substep. It is integrated explicitly; more than 1 would
   reverse velocities. */
#define MAX_VELOCITY_DAMPING 0.5f

static body_force body_force_of(const cloth *c, const step_plan *plan) {
  float damping = minimum(c->settings.integration.velocity_damping * plan->h, MAX_VELOCITY_DAMPING);
  body_force force;
  force.gravity = lanes3_splat(vector_flush_work(vector_scale(inputs_of(c)->gravity, plan->h)));
  force.drag = lanes_splat(damping < WORK_QUANTUM ? 0.0f : damping);
  return force;
}

CLOTH_INLINE lanes3 body_force_on(const body_force *force, lanes3 v) {
  return lanes3_subtract(force->gravity, lanes3_scale(v, force->drag));
}

/* Sets `change` to the velocity changes by gravity and velocity damping, times the mass ratio. */
CLOTH_HOT static void set_body_forces(const cloth *c, const step_plan *plan, vector_array change) {
  vector_array v = vectors_at(c, c->state.velocity);
  body_force force = body_force_of(c, plan);
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    lanes3 a = body_force_on(&force, lanes3_load(v, i));
    lanes3_store(change, i, lanes3_scale(a, mass_ratio_lanes(c, i)), c->count - i);
  }
}

/* Fills `change` with the right-hand side of the substep, h f / m0 plus h^2 K v / m0 of implicit springs. */
CLOTH_SEPARATE void evaluate_forces(const cloth *c, const step_plan *plan, vector_array change) {
  set_body_forces(c, plan, change);
  if (has_air(c)) {
    add_air(c, plan, change);
  }
  add_spring_forces(c, plan, change);
}

/// Operator ///

/*
 * The product q = A p of the implicit solve, row by row and without an assembled matrix. A is that of backward Euler,
 * M - h df/dv - h^2 df/dx, over the reference mass: the particles' mass ratios plus the blocks beta I + w w^T of
 * implicit stretch and shear springs and slope d d^T of implicit bend springs. Each row also adds its part of p.q to a
 * sum.
 *
 * In: scratch.direction (p), operator_blocks, bend_slopes and seam as forces.h has stored them, state.position (d),
 * mass ratios. Out: scratch.product (q). Scratch: row_buffers, 0 for springs, 1 and 2 for bend springs, cleared by the
 * caller before the first row.
 */

/* Forces of bend springs of direction d on velocity differences e, end minus start: slope d (d.e). */
CLOTH_INLINE lanes3 bend_operator_pull(const float *slope, const cell_corners *x, const cell_corners *p, int32_t d) {
  lanes3 span = bend_span(x, d);
  lanes along = lanes3_dot(span, corner_difference(p, d));
  return lanes3_scale(span, lanes_quantise(lanes_multiply(lanes_load(slope), along), WORK_ROUNDER));
}

/* Adds what implicit bend springs contribute to a row of the product, and its part of p.q to the sum. The slopes are
   stored; d is computed again from the positions. */
CLOTH_HOT CLOTH_SEPARATE void bend_operator_row(const cloth *c, int32_t row, lanes_sum *sum) {
  const vector_array x = vectors_at(c, c->state.position);
  const vector_array p = vectors_at(c, c->scratch.direction);
  const vector_array q = vectors_at(c, c->scratch.product);
  const vector_array buffer = bend_buffer(c, row);
  const float *slopes = floats_at(c, c->scratch.bend_slopes);
  const int32_t count = c->count, columns = c->grid.columns, first = row * columns, below = offset_below(c, row, 2);
  shift_state shift = shift_start();
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    int32_t i = first + column;
    cell_corners xs = load_corners(x, i, 2, below);
    cell_corners ps = load_corners(p, i, 2, below);
    row_forces pulls;
    EACH_DIRECTION(d, pulls.along[d] = bend_operator_pull(slopes + d * count + i, &xs, &ps, d));
    lanes3 bends = lanes3_quantise(accumulate_row(&pulls, &shift, 2, buffer, column, columns - column), WORK_ROUNDER);
    lanes3_store(q, i, lanes3_subtract(lanes3_load(q, i), bends), columns - column);
    lanes dot = lanes_subtract(lanes_splat(0.0f), lanes3_dot(ps.first, bends));
    lanes_sum_add(sum, column, lanes_within(dot, columns - column));
  }
}

/* Forces of springs on velocity differences e, end minus start: beta e + w (w.e). */
CLOTH_INLINE lanes3 operator_pull(const float *spring, int32_t width, lanes3 e) {
  lanes3 w = lanes3_of(lanes_load(spring), lanes_load(spring + width), lanes_load(spring + 2 * width));
  lanes beta = lanes_load(spring + 3 * width);
  return lanes3_add(lanes3_scale(e, beta), lanes3_scale(w, lanes3_dot(w, e)));
}

/* A row of the product. Loop invariants are copied here: a lane store may alias *c, so that the compiler would reload
   them for every block. */
typedef struct operator_context {
  vector_array p, q, buffer;
  const float *tiles, *mass_ratio; /* of the row; mass_ratio is NULL if all are 1 */
  int32_t columns, first, below;   /* first particle of the row; offset_below() */
  int stretch, shear;              /* 1 if springs of these families are solved for */
  shift_state shift;
  lanes_sum *sum;
} operator_context;

/* The block of the product at a column, by masses and by stretch and shear springs, and its part of p.q. `width` is
   that of the block's tile, `left` the columns to the row's end, or at least those of a block. */
CLOTH_INLINE void apply_block(operator_context *o, int32_t column, int32_t width, int32_t left) {
  const lanes3 zero = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  const float *spring = o->tiles + tile_offset(column);
  const int32_t i = o->first + column;
  cell_corners ps = load_corners(o->p, i, 1, o->below);
  row_forces pulls = {{zero, zero, zero, zero}};
  if (o->stretch) {
    pulls.along[WARP] = operator_pull(spring, width, corner_difference(&ps, WARP));
    pulls.along[WEFT] = operator_pull(spring + OPERATOR_FLOATS * WEFT * width, width, corner_difference(&ps, WEFT));
  }
  CLOTH_LANES_FORGET();
  ps = load_corners(o->p, i, 1, o->below);
  if (o->shear) {
    pulls.along[DIAGONAL] =
        operator_pull(spring + OPERATOR_FLOATS * DIAGONAL * width, width, corner_difference(&ps, DIAGONAL));
    pulls.along[ANTIDIAGONAL] =
        operator_pull(spring + OPERATOR_FLOATS * ANTIDIAGONAL * width, width, corner_difference(&ps, ANTIDIAGONAL));
  }
  lanes3 springs = accumulate_row(&pulls, &o->shift, 1, o->buffer, column, left);
  lanes3 inertia = o->mass_ratio ? lanes3_scale(ps.first, lanes_load(o->mass_ratio + column)) : ps.first;
  lanes3 product = lanes3_quantise(lanes3_subtract(inertia, springs), WORK_ROUNDER);
  lanes3_store(o->q, i, product, left);
  lanes_sum_add(o->sum, column, lanes_within(lanes3_dot(ps.first, product), left));
}

CLOTH_INLINE void apply_row(const cloth *c, int32_t row, int stretch, int shear, lanes_sum *sum) {
  const int32_t columns = c->grid.columns, first = row * columns, whole = columns & ~(TILE - 1);
  const float *mass_ratio = c->constant.mass_ratio ? floats_at(c, c->constant.mass_ratio) + first : NULL;
  operator_context o = {.p = vectors_at(c, c->scratch.direction),
                        .q = vectors_at(c, c->scratch.product),
                        .buffer = row_buffer(c, 0),
                        .tiles = tiles_of(c, row),
                        .mass_ratio = mass_ratio,
                        .columns = columns,
                        .first = first,
                        .below = offset_below(c, row, 1),
                        .stretch = stretch,
                        .shear = shear,
                        .shift = shift_start(),
                        .sum = sum};
  int32_t column = 0;
#if !defined(__OPTIMIZE_SIZE__)
  for (; column < whole; column += CLOTH_LANES) {
    apply_block(&o, column, TILE, CLOTH_LANES);
  }
#endif
  for (; column < columns; column += CLOTH_LANES) {
    apply_block(&o, column, column < whole ? TILE : columns - whole, columns - column);
  }
}

/* Sets a row of the product, and adds its part of p.q to the sum, by masses and by implicit stretch and shear springs.
   apply_row() is compiled once for each choice of families; once in all when optimising for size. */
CLOTH_HOT CLOTH_SEPARATE void operator_row(const cloth *c, const step_plan *plan, int32_t row, lanes_sum *sum) {
  int stretch = plan->spring[WARP].mode >= CLOTH_MODE_IMPLICIT || plan->spring[WEFT].mode >= CLOTH_MODE_IMPLICIT;
  int shear = plan->spring[DIAGONAL].mode >= CLOTH_MODE_IMPLICIT;
#if defined(__OPTIMIZE_SIZE__)
  apply_row(c, row, stretch, shear, sum);
#else
  if (stretch && shear) {
    apply_row(c, row, 1, 1, sum);
  } else if (stretch) {
    apply_row(c, row, 1, 0, sum);
  } else {
    apply_row(c, row, 0, shear, sum);
  }
#endif
}

#if WITH_WRAP

/* Adds what a line of implicit springs across the seam contributes to the product, and its part of p.q to the sum. */
CLOTH_HOT CLOTH_SEPARATE void operator_seam_line(const cloth *c, const seam_line *line, lanes_sum *sum) {
  for (int32_t row = 0; row < line->rows; row += CLOTH_LANES) {
    int32_t count = line->rows - row;
    lanes3 e = seam_difference(c, line, vectors_at(c, c->scratch.direction), row, count);
    lanes3 pull = lanes3_quantise(operator_pull(line->blocks + row, seam_rows(c), e), WORK_ROUNDER);
    add_seam_pulls(c, line, vectors_at(c, c->scratch.product), row, lanes3_negated(pull), count);
    lanes_sum_add(sum, row, lanes_within(lanes3_dot(e, pull), count));
  }
}

/* Adds what all implicit springs across the seam contribute to the product and to p.q. */
static void operator_seam(const cloth *c, const step_plan *plan, lanes_sum *sum) {
  for (int32_t n = 0; n < seam_lines(c); n++) {
    seam_line line = seam_line_at(c, plan, n);
    if (line.mode >= CLOTH_MODE_IMPLICIT) {
      operator_seam_line(c, &line, sum);
    }
  }
}

#endif

/// Preconditioner ///

/*
 * One 3x3 block a particle, see block3.h, made in three stages that build_preconditioner() runs: the diagonal blocks C
 * of A by masses and implicit springs; S C S + c (I - S) for confined and sliding particles; the inverse, projected
 * again.
 *
 * In: plan modes, operator_blocks, bend_slopes, seam, state.position, mass ratios, scratch.mobility, confinements,
 * contacts with scratch.contact_normal. Out: scratch.inverse, six floats a particle at a stride. Scratch: none else.
 */

CLOTH_INLINE symmetric symmetric_load(const cloth *c, int32_t i) {
  return symmetric_at(floats_at(c, c->scratch.inverse) + i, c->stride);
}

CLOTH_INLINE void symmetric_store(const cloth *c, int32_t i, symmetric m, int32_t count) {
  symmetric_store_at(floats_at(c, c->scratch.inverse) + i, c->stride, m, count);
}

/* Values of the operator for a block of cells, or, with `before`, for the cells one column to their left (0 left of the
   first column). `part` 0..15 is direction times OPERATOR_FLOATS plus the index of the value. */
CLOTH_INLINE lanes operator_load(const cloth *c, int32_t row, int32_t column, int32_t part, int before) {
  const float *tiles = tiles_of(c, row);
  lanes here = lanes_load(tiles + tile_offset(column) + part * tile_width(c, column));
  if (!before) {
    return here;
  }
  int32_t previous = column - CLOTH_LANES;
  if (previous < 0) {
    return lanes_shifted(lanes_splat(0.0f), here);
  }
  return lanes_shifted(lanes_load(tiles + tile_offset(previous) + part * tile_width(c, previous)), here);
}

/* Adds to m the blocks of the springs of direction d that operator_load() finds. */
CLOTH_INLINE void add_operator_block(const cloth *c, symmetric *m, int32_t row, int32_t column, int32_t d, int before) {
  int32_t part = OPERATOR_FLOATS * d;
  lanes3 w = lanes3_of(operator_load(c, row, column, part, before), operator_load(c, row, column, part + 1, before),
                       operator_load(c, row, column, part + 2, before));
  symmetric_add_outer(m, w, w, operator_load(c, row, column, part + 3, before));
}

/* Adds to m the blocks of the bend springs of direction d that the cells from one on keep. Where there is no spring the
   slope is 0. */
CLOTH_INLINE void add_bend_block(const cloth *c, symmetric *m, int32_t d, int32_t cell) {
  vector_array x = vectors_at(c, c->state.position);
  int32_t i = cell + 2 * spring_start(d);
  int32_t j = cell + 2 * spring_end(c, d);
  lanes3 span = lanes3_quantise(lanes3_subtract(lanes3_load(x, j), lanes3_load(x, i)), WORK_ROUNDER);
  lanes slope = lanes_load(bend_slopes_of(c, d) + cell);
  symmetric_add_outer(m, lanes3_scale(span, slope), span, lanes_splat(0.0f));
}

/* Adds to m, for the particles from (row, column) on, the blocks of the springs of direction d that start or end there.
 */
CLOTH_INLINE void add_spring_blocks(const cloth *c, const step_plan *plan, symmetric *m, int32_t d, int32_t row,
                                    int32_t column) {
  if (plan->spring[d].mode < CLOTH_MODE_IMPLICIT) {
    return;
  }
  add_operator_block(c, m, row, column, d, d == ANTIDIAGONAL);
  if (d == WARP || row > 0) {
    add_operator_block(c, m, d == WARP ? row : row - 1, column, d, d == WARP || d == DIAGONAL);
  }
}

/* Adds to m, for the particles from i on, the blocks of the bend springs of direction d that start or end there. */
CLOTH_INLINE void add_bend_blocks(const cloth *c, symmetric *m, int32_t d, int32_t row, int32_t i) {
  if (d == WARP || row + 2 < c->grid.rows) {
    add_bend_block(c, m, d, i - 2 * spring_start(d));
  }
  if (d == WARP || row >= 2) {
    add_bend_block(c, m, d, i - 2 * spring_end(c, d));
  }
}

/* Sets scratch.inverse to C, the diagonal blocks of A. */
CLOTH_HOT CLOTH_SEPARATE void set_diagonal_blocks(const cloth *c, const step_plan *plan) {
  for (int32_t row = 0; row < c->grid.rows; row++) {
    for (int32_t column = 0; column < c->grid.columns; column += CLOTH_LANES) {
      int32_t i = row * c->grid.columns + column;
      symmetric m = symmetric_identity(mass_ratio_lanes(c, i));
      EACH_DIRECTION(d, add_spring_blocks(c, plan, &m, d, row, column));
      m = symmetric_quantise(m);
      if (plan->bend_mode == CLOTH_MODE_IMPLICIT) {
        EACH_DIRECTION(d, add_bend_blocks(c, &m, d, row, i));
      }
      symmetric_store(c, i, m, c->grid.columns - column);
    }
  }
}

/* Inverse of the part of m that the configured kind of preconditioner uses. Pivots are at least the mass ratio. */
static symmetric inverse_of_kind(const cloth *c, symmetric m, lanes mass) {
  lanes zero = lanes_splat(0.0f);
  if (c->settings.solver.preconditioner == CLOTH_PRECONDITIONER_NONE) {
    return symmetric_identity(lanes_splat(1.0f));
  }
  if (c->settings.solver.preconditioner == CLOTH_PRECONDITIONER_DIAGONAL) {
    m.xy = zero;
    m.xz = zero;
    m.yz = zero;
  }
  return symmetric_inverse(m, mass);
}

/* Replaces the blocks by their inverses, and those of pinned particles by 0. */
CLOTH_HOT static void invert_blocks(const cloth *c) {
  const float *mobility = floats_at(c, c->scratch.mobility);
  lanes zero = lanes_splat(0.0f);
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    symmetric inverse = inverse_of_kind(c, symmetric_load(c, i), mass_ratio_lanes(c, i));
    lanes_mask moves = lanes_less(zero, lanes_load(mobility + i));
    inverse = symmetric_scale(inverse, lanes_select(moves, lanes_splat(1.0f), zero));
    symmetric_store(c, i, symmetric_quantise(inverse), c->count - i);
  }
}

/* An entry of one particle's block, 0..5. For the few particles that are treated one at a time. */
static float *block_entry(const cloth *c, int32_t particle, int32_t entry) {
  return floats_at(c, c->scratch.inverse) + particle + entry * c->stride;
}

/* Entry of the stored block by row and column of the matrix. */
CLOTH_CONSTANT static const uint8_t block_index[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};

/* Replaces the block M of one particle by P M P, with P = I - n n^T, or P = n n^T if `onto`. By two products: the
   shorter M - n (M n)^T - (M n) n^T + (n.M n) n n^T leaves rounding errors along n that cost iterations (sliding over a
   sphere in `make thesis`: 92 in place of 86 at kappa 10000). */
static void project_block(const cloth *c, int32_t particle, cloth_vector n, int onto) {
  float axis[3] = {n.x, n.y, n.z};
  float p[3][3];
  float pm[3][3];
  for (int r = 0; r < 3; r++) {
    for (int s = 0; s < 3; s++) {
      float outer = flush_small(axis[r] * axis[s], WORK_QUANTUM);
      p[r][s] = onto ? outer : (r == s ? 1.0f : 0.0f) - outer;
    }
  }
  for (int r = 0; r < 3; r++) {
    for (int s = 0; s < 3; s++) {
      pm[r][s] = 0.0f;
      for (int t = 0; t < 3; t++) {
        pm[r][s] += p[r][t] * *block_entry(c, particle, block_index[t][s]);
      }
      pm[r][s] = flush_small(pm[r][s], WORK_QUANTUM);
    }
  }
  for (int r = 0; r < 3; r++) {
    for (int s = r; s < 3; s++) {
      float sum = 0.0f;
      for (int t = 0; t < 3; t++) {
        sum += pm[r][t] * p[t][s];
      }
      *block_entry(c, particle, block_index[r][s]) = (sum + WORK_ROUNDER) - WORK_ROUNDER;
    }
  }
}

/* Adds s n n^T, or s (I - n n^T) unless `along`, to the block of one particle. */
static void fill_block(const cloth *c, int32_t particle, cloth_vector n, int along, float s) {
  float axis[3] = {n.x, n.y, n.z};
  for (int r = 0; r < 3; r++) {
    for (int t = r; t < 3; t++) {
      float outer = flush_small(axis[r] * axis[t], WORK_QUANTUM);
      *block_entry(c, particle, block_index[r][t]) += s * (along ? outer : (r == t ? 1.0f : 0.0f) - outer);
    }
  }
}

#if WITH_WRAP

/* Adds w w^T + beta I to the block of one particle. */
static void add_seam_block(const cloth *c, int32_t particle, const float *w, float beta) {
  for (int r = 0; r < 3; r++) {
    for (int t = r; t < 3; t++) {
      float value = w[r] * w[t] + (r == t ? beta : 0.0f);
      *block_entry(c, particle, block_index[r][t]) += (value + WORK_ROUNDER) - WORK_ROUNDER;
    }
  }
}

/* Adds the blocks of the implicit springs across the seam to C. */
CLOTH_SEPARATE void add_seam_blocks(const cloth *c, const step_plan *plan) {
  const int32_t part = seam_rows(c);
  for (int32_t n = 0; n < seam_lines(c); n++) {
    seam_line line = seam_line_at(c, plan, n);
    for (int32_t row = 0; line.mode >= CLOTH_MODE_IMPLICIT && row < line.rows; row++) {
      const float *block = line.blocks + row;
      float w[3] = {block[0], block[part], block[2 * part]};
      add_seam_block(c, line.from + row * c->grid.columns, w, block[3 * part]);
      add_seam_block(c, line.to + row * c->grid.columns, w, block[3 * part]);
    }
  }
}

#endif

/* Replaces the block C of a particle confined to the plane with normal n, or to the line along n if `to_line`, by
   S C S + c (I - S), c being the mean of C's diagonal: the form to invert. */
static void constrain_block(const cloth *c, int32_t particle, cloth_vector n, int to_line) {
  float trace = *block_entry(c, particle, 0) + *block_entry(c, particle, 1) + *block_entry(c, particle, 2);
  project_block(c, particle, n, to_line);
  fill_block(c, particle, n, !to_line, trace * 0.33333334f);
}

/* Calls act(c, particle, direction, to_line) for every particle that is confined to a line or plane, and for every one
   that a sliding contact confines to the plane with the contact's normal. */
static void for_each_constrained(const cloth *c, void (*act)(const cloth *, int32_t, cloth_vector, int)) {
  const confinement *list = confined_of(c);
  for (int32_t i = 0; WITH_CONFINED && i < inputs_of(c)->confined_count; i++) {
    act(c, list[i].particle, list[i].direction, list[i].freedom == FREEDOM_LINE);
  }
  for (int32_t i = 0; has_solver_contacts(c) && i < c->count; i++) {
    if (CONTACT_KIND(contact_info_of(c)[i]) == CONTACT_SLIDE) {
      act(c, i, vector_load(vectors_at(c, c->scratch.contact_normal), i), 0);
    }
  }
}

/* Sets the blocks of particles held by static friction to 0: S = 0. */
static void clear_sticking_blocks(const cloth *c) {
  for (int32_t i = 0; has_solver_contacts(c) && i < c->count; i++) {
    for (int32_t entry = 0; CONTACT_KIND(contact_info_of(c)[i]) == CONTACT_STICK && entry < 6; entry++) {
      *block_entry(c, i, entry) = 0.0f;
    }
  }
}

/// Multilevel preconditioner ///

/*
 * Additive multilevel preconditioner (Bramble, Pasciak and Xu 1990): to the inverses of the particles' blocks it adds,
 * for every coarser grid, restriction of the residual, product with the inverses of the nodes' blocks, and bilinear
 * interpolation, the transpose of the restriction. A grid has a quarter of the columns and rows of the next finer one,
 * so that all coarser grids together have a fifteenth as many nodes as there are particles. Particles that are not free
 * take no part: their `share` is 0.
 *
 * A node's block approximates that of the Galerkin product by restricted sums of the particles' blocks. A smooth motion
 * strains springs by the inverse of the distance of the nodes, so the springs' sum counts by the inverse square of the
 * distance, and moves masses as they are, so their sum counts in full. So do springs of particles that take no part.
 *
 * In: scratch.inverse, still holding the diagonal blocks C when build_nodes() runs, scratch.residual, mass ratios,
 * mobility, confinements, contacts. Out: correct_coarse() leaves corrections in `nodes`, which update_corrected_row()
 * adds to the search direction. Scratch: share (1 or 0 a particle), nodes (NODE_FLOATS arrays for each grid: residual,
 * correction, inverse block; while blocks are summed the first six hold sums of springs), coarse_lines (two rows of
 * vectors with LINE_PAD floats around each component).
 */

#if WITH_MULTILEVEL

/* Smallest pivot of a node's block, 2^-10: far below the share of a node that the lightest particle makes up. */
#define NODE_MIN_PIVOT 0.0009765625f
/* Factor of each coarse correction. Neighbouring nodes and the grids above and below correct the same errors; with 1
   the solves of rows GROW of `make accuracy` take up to a sixth more iterations. */
#define COARSE_SHARE 0.5f

typedef struct grid_level {
  int32_t columns, rows;
  int32_t count;
  float *floats; /* NODE_FLOATS arrays; NULL for the particles themselves */
} grid_level;

static grid_level finest_level(const cloth *c) {
  grid_level level = {c->grid.columns, c->grid.rows, c->count, NULL};
  return level;
}

static grid_level coarser_level(const cloth *c, const grid_level *fine) {
  grid_level level = {nodes_for(fine->columns), nodes_for(fine->rows), 0, floats_at(c, c->scratch.nodes)};
  level.count = level.columns * level.rows;
  if (fine->floats) {
    level.floats = fine->floats + NODE_FLOATS * fine->count;
  }
  return level;
}

static int is_coarsest(const grid_level *level) {
  return level->floats && level->columns <= COARSEST_SIDE && level->rows <= COARSEST_SIDE;
}

/* Bilinear weight of a column, or row, of the finer grid at a node: 1 at the node, 0 at its neighbours. A column beyond
   the last node belongs to that alone. */
static float node_weight(int32_t column, int32_t node, int32_t nodes) {
  int32_t distance = column - COARSENING * node;
  if (distance > 0 && node == nodes - 1) {
    return 1.0f;
  }
  return (float)(COARSENING - (distance < 0 ? -distance : distance)) * (1.0f / COARSENING);
}

/* What is restricted: three arrays of a coarse grid; or, of the particles, the residual, three entries of the sum of
   their springs' blocks, or three entries of the masses, with the springs of particles that take no part. */
enum { OF_NODES, OF_RESIDUAL, OF_SPRINGS, OF_MASSES };

typedef struct restriction {
  vector_array from;
  const float *share, *mass_ratio; /* mass_ratio NULL: all masses are 1 */
  float mass;                      /* 1 if the entries are on the diagonal of the block, else 0 */
} restriction;

/* Values of the particles, or nodes of the finer grid, from i on, before they are weighted. Blocks are split: C less
   the mass is the springs' part. */
CLOTH_INLINE lanes3 restricted_values(const restriction *t, int kind, int32_t i) {
  lanes3 value = lanes3_load(t->from, i);
  if (kind == OF_NODES) {
    return value;
  }
  lanes share = lanes_load(t->share + i);
  if (kind == OF_RESIDUAL) {
    return lanes3_scale(value, share);
  }
  lanes mass = lanes_splat(t->mass);
  if (t->mass_ratio) {
    mass = lanes_multiply(mass, lanes_load(t->mass_ratio + i));
  }
  value = lanes3_subtract(value, lanes3_of(mass, mass, mass));
  lanes3 springs = lanes3_scale(value, share);
  if (kind == OF_SPRINGS) {
    return springs;
  }
  mass = lanes_multiply(mass, share);
  return lanes3_add(lanes3_subtract(value, springs), lanes3_of(mass, mass, mass));
}

/* One of two buffers of a vector per column of a grid, with LINE_PAD floats before and after each component; even and
   odd numbers share one each. */
static vector_array coarse_line(const cloth *c, int32_t number, int32_t columns) {
  vector_array line;
  line.x = floats_at(c, c->scratch.coarse_lines) + LINE_PAD + (number & 1) * 3 * (c->grid.columns + LINE_PAD);
  line.y = line.x + columns + LINE_PAD;
  line.z = line.y + columns + LINE_PAD;
  return line;
}

/* One row of a finer grid to a row of nodes, by bilinear weights 1/4, 1/2, 3/4, 1, 3/4, 1/2, 1/4; `line` has zeros
   before and after it. A column one beyond the last node belongs to that with weight 1 in place of 3/4. */
static void restrict_line(const float *line, float *to, int32_t nodes) {
  const float *at_node = line;
  for (int32_t node = 0; node < nodes; node++, at_node += COARSENING) {
    float near = (at_node[-1] + at_node[1]) * 0.75f + at_node[0];
    float far = (at_node[-2] + at_node[2]) * 0.5f + (at_node[-3] + at_node[3]) * 0.25f;
    float sum = near + far;
    if (node == nodes - 1) {
      sum += 0.25f * at_node[1];
    }
    to[node] = (sum + WORK_ROUNDER) - WORK_ROUNDER;
  }
}

/* On a tube the last node of a row is the first one again: its sum moves there. */
static void join_ends(const cloth *c, float *line, int32_t nodes) {
  if (is_wrapped(c)) {
    line[0] += line[nodes - 1];
    line[nodes - 1] = 0.0f;
  }
}

/* The rows of a finer grid, first .. end - 1, that belong to a row of nodes, and their weights. */
typedef struct node_reach {
  int32_t first, end;
  float weights[2 * COARSENING];
} node_reach;

static node_reach rows_around(const grid_level *fine, const grid_level *coarse, int32_t node) {
  node_reach around;
  int32_t first = COARSENING * node - (COARSENING - 1), end = COARSENING * (node + 1);
  around.first = first < 0 ? 0 : first;
  around.end = end > fine->rows ? fine->rows : end;
  for (int32_t row = around.first; row < around.end; row++) {
    around.weights[row - around.first] = node_weight(row, node, coarse->rows);
  }
  return around;
}

/* Restricts three values: rows of the finer grid are summed in lanes, then each sum along its columns. `to` points to
   the first of three arrays of the coarser grid. */
CLOTH_INLINE void restrict_three(const cloth *c, const restriction *t, int kind, const grid_level *fine, float *to,
                                 const grid_level *coarse) {
  const int32_t columns = fine->columns;
  const vector_array line = coarse_line(c, 0, columns);
  fill_zero(line.x - LINE_PAD, (size_t)(3 * (columns + LINE_PAD) + LINE_PAD) * sizeof(float));
  for (int32_t node = 0; node < coarse->rows; node++, to += coarse->columns) {
    const node_reach around = rows_around(fine, coarse, node);
    for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
      lanes3 sum = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
      for (int32_t row = around.first; row < around.end; row++) {
        lanes weight = lanes_splat(around.weights[row - around.first]);
        sum = lanes3_add_scaled(sum, restricted_values(t, kind, row * columns + column), weight);
      }
      lanes3_store(line, column, sum, columns - column);
    }
    restrict_line(line.x, to, coarse->columns);
    restrict_line(line.y, to + coarse->count, coarse->columns);
    restrict_line(line.z, to + 2 * coarse->count, coarse->columns);
    for (int32_t part = 0; part < 3; part++) {
      join_ends(c, to + part * coarse->count, coarse->columns);
    }
  }
}

/* Restricts arrays first .. first + 2 of a coarse grid to the next coarser one. */
CLOTH_HOT CLOTH_SEPARATE void restrict_nodes(const cloth *c, int32_t first, const grid_level *fine,
                                             const grid_level *coarse) {
  restriction t = {.from = vectors_from(fine->floats + first * fine->count, fine->count)};
  restrict_three(c, &t, OF_NODES, fine, coarse->floats + first * coarse->count, coarse);
}

/* Restricts the residual to the first coarse grid. */
CLOTH_HOT CLOTH_SEPARATE void restrict_residual(const cloth *c, const grid_level *fine, const grid_level *coarse) {
  restriction t = {.from = vectors_at(c, c->scratch.residual), .share = floats_at(c, c->scratch.share)};
  restrict_three(c, &t, OF_RESIDUAL, fine, coarse->floats, coarse);
}

/* Restricts entries first .. first + 2 of the particles' blocks to the first coarse grid: to its arrays from `first` on
   the springs' sum, to those from 6 + first on the masses' sum. */
CLOTH_SEPARATE void restrict_blocks(const cloth *c, int32_t first, const grid_level *fine, const grid_level *coarse) {
  restriction t = {.from = vectors_from(block_entry(c, 0, first), c->stride),
                   .share = floats_at(c, c->scratch.share),
                   .mass_ratio = c->constant.mass_ratio ? floats_at(c, c->constant.mass_ratio) : NULL,
                   .mass = first == 0 ? 1.0f : 0.0f};
  restrict_three(c, &t, OF_SPRINGS, fine, coarse->floats + first * coarse->count, coarse);
  restrict_three(c, &t, OF_MASSES, fine, coarse->floats + (6 + first) * coarse->count, coarse);
}

/* Replaces a grid's sums of masses by the inverse blocks of its nodes, `distance` cells apart. */
CLOTH_HOT CLOTH_SEPARATE void invert_nodes(const grid_level *level, float distance) {
  lanes over_square = lanes_splat(1.0f / (distance * distance));
  for (int32_t i = 0; i < level->count; i += CLOTH_LANES) {
    float *masses = level->floats + 6 * level->count + i;
    symmetric springs = symmetric_scale(symmetric_at(level->floats + i, level->count), over_square);
    symmetric m = symmetric_at(masses, level->count);
    m = symmetric_add(m, springs);
    m = symmetric_inverse(symmetric_quantise(m), lanes_splat(NODE_MIN_PIVOT));
    m = symmetric_quantise(symmetric_scale(m, lanes_splat(COARSE_SHARE)));
    symmetric_store_at(masses, level->count, m, level->count - i);
  }
}

/* Builds the inverse blocks of all coarse grids. A grid is inverted only after its sums have been restricted to the
   next coarser one. */
static void build_nodes(const cloth *c) {
  size_t floats = (size_t)(coarse_line_floats(c) + coarse_floats(c) + LANE_PAD);
  fill_zero(at(c, c->scratch.coarse_lines), floats * sizeof(float)); /* lanes load past the ends of arrays */
  grid_level fine = finest_level(c);
  grid_level coarse = coarser_level(c, &fine);
  restrict_blocks(c, 0, &fine, &coarse);
  restrict_blocks(c, 3, &fine, &coarse);
  for (float distance = COARSENING;; distance *= COARSENING) {
    fine = coarse;
    int done = is_coarsest(&fine);
    coarse = coarser_level(c, &fine);
    for (int32_t first = 0; !done && first < NODE_FLOATS; first += 3) {
      restrict_nodes(c, first, &fine, &coarse);
    }
    invert_nodes(&fine, distance);
    if (done) {
      return;
    }
  }
}

/* Sets the share of a confined or sliding particle to 0; for for_each_constrained(). */
static void clear_share(const cloth *c, int32_t particle, cloth_vector n, int to_line) {
  (void)n;
  (void)to_line;
  floats_at(c, c->scratch.share)[particle] = 0.0f;
}

/* Sets the shares: 1 for particles free in all directions, else 0. */
static void set_shares(const cloth *c) {
  for (int32_t i = 0; i < c->count; i++) {
    int sticks = has_solver_contacts(c) && CONTACT_KIND(contact_info_of(c)[i]) == CONTACT_STICK;
    floats_at(c, c->scratch.share)[i] = floats_at(c, c->scratch.mobility)[i] > 0.0f && !sticks ? 1.0f : 0.0f;
  }
  for_each_constrained(c, clear_share);
}

/* Sets the corrections of a grid to inverse blocks times residual. Returns residual . correction. */
CLOTH_HOT CLOTH_SEPARATE float correct_nodes(const grid_level *level) {
  vector_array r = {level->floats, level->floats + level->count, level->floats + 2 * level->count};
  vector_array z = {r.x + 3 * level->count, r.y + 3 * level->count, r.z + 3 * level->count};
  lanes_sum sum = {{0.0f}};
  for (int32_t i = 0; i < level->count; i += CLOTH_LANES) {
    lanes3 residual = lanes3_load(r, i);
    lanes3 correction = symmetric_apply(symmetric_at(level->floats + 6 * level->count + i, level->count), residual);
    lanes3_store(z, i, correction, level->count - i);
    lanes_sum_add(&sum, i, lanes_within(lanes3_dot(residual, correction), level->count - i));
  }
  return lanes_sum_total(&sum);
}

/* The rows of nodes before and after a row of a finer grid, interpolated to its columns, and where it lies between
   them, 0..1. */
typedef struct node_rows {
  vector_array first, second;
  float fraction;
} node_rows;

/* Interpolates a row of corrections, one component, to the columns of a finer grid; writes up to COARSENING floats
   beyond them, which LINE_PAD holds. */
CLOTH_HOT static void spread_line(const float *z, int32_t nodes, float *line) {
  for (int32_t i = 0; i < nodes; i++, line += COARSENING) {
    float a = z[i], b = i + 1 < nodes ? z[i + 1] : a;
    float half = (a + b) * 0.5f;
    line[0] = a;
    line[1] = (a + half) * 0.5f;
    line[2] = half;
    line[3] = (half + b) * 0.5f;
  }
}

/* Interpolates the corrections of a row of nodes to the columns of the finer grid, in the buffer of its number. */
static void spread_nodes(const cloth *c, const grid_level *coarse, int32_t node, int32_t columns) {
  float *z = coarse->floats + 3 * coarse->count + node * coarse->columns;
  vector_array line = coarse_line(c, node, columns);
  for (int32_t part = 0; is_wrapped(c) && part < 3; part++) {
    z[part * coarse->count + coarse->columns - 1] = z[part * coarse->count];
  }
  spread_line(z, coarse->columns, line.x);
  spread_line(z + coarse->count, coarse->columns, line.y);
  spread_line(z + 2 * coarse->count, coarse->columns, line.z);
}

/* Rows of nodes around a row of the finer grid. Call it for rows 0, 1, 2 ...: each row of nodes is interpolated once,
   when its first row needs it. */
static node_rows nodes_around(const cloth *c, const grid_level *coarse, int32_t row, int32_t columns) {
  int32_t node = row / COARSENING;
  int32_t next = node + 1;
  node = node < coarse->rows ? node : coarse->rows - 1;
  next = next < coarse->rows ? next : node;
  if (row == 0) {
    spread_nodes(c, coarse, 0, columns);
  }
  if (row % COARSENING == 0 && next != node) {
    spread_nodes(c, coarse, next, columns);
  }
  node_rows around = {coarse_line(c, node, columns), coarse_line(c, next, columns),
                      (float)(row % COARSENING) * (1.0f / COARSENING)};
  return around;
}

/* Corrections interpolated between the two rows of nodes. */
CLOTH_INLINE lanes3 nodes_between(const node_rows *around, int32_t column) {
  lanes3 first = lanes3_load(around->first, column);
  lanes3 second = lanes3_load(around->second, column);
  return lanes3_add(first, lanes3_scale(lanes3_subtract(second, first), lanes_splat(around->fraction)));
}

/* Adds the interpolated corrections of a coarser grid to those of a grid. */
static void add_coarser(const cloth *c, const grid_level *fine, const grid_level *coarse) {
  vector_array z = {fine->floats + 3 * fine->count, fine->floats + 4 * fine->count, fine->floats + 5 * fine->count};
  for (int32_t row = 0; row < fine->rows; row++) {
    node_rows around = nodes_around(c, coarse, row, fine->columns);
    for (int32_t column = 0; column < fine->columns; column += CLOTH_LANES) {
      int32_t i = row * fine->columns + column;
      lanes3_store(z, i, lanes3_add(lanes3_load(z, i), nodes_between(&around, column)), fine->columns - column);
    }
  }
}

/* Restricts the residual to all coarse grids and leaves the sum of their corrections at the nodes of the first one.
   Returns their part of residual . z. */
CLOTH_SEPARATE float correct_coarse(const cloth *c) {
  grid_level levels[COARSE_LEVELS];
  grid_level fine = finest_level(c);
  int32_t last = 0;
  float total = 0.0f;
  levels[0] = coarser_level(c, &fine);
  restrict_residual(c, &fine, &levels[0]);
  for (; !is_coarsest(&levels[last]); last++) {
    levels[last + 1] = coarser_level(c, &levels[last]);
    restrict_nodes(c, 0, &levels[last], &levels[last + 1]);
  }
  for (int32_t n = last; n >= 0; n--) {
    total += correct_nodes(&levels[n]);
    if (n < last) {
      add_coarser(c, &levels[n], &levels[n + 1]);
    }
  }
  return total;
}

#endif

/// Conjugate gradient ///

/*
 * Modified preconditioned conjugate gradient with corrections (thesis fig. 5.2): solves A x = b for the velocity
 * changes of a substep, constrained particles included, see block3.h.
 *
 * In: scratch.residual (b - A x), the operator, scratch.inverse, with the multilevel preconditioner its nodes;
 * state.warm_start. Out: scratch.solution (x), scratch.residual, which in constrained directions is the constraint
 * force. Scratch: direction (p); product, which holds z = P^-1 r and then, row by row, q = A p; row_buffers.
 */

/* direction = z + beta direction for a block of particles, z being the preconditioned residual. */
CLOTH_INLINE void update_direction_block(vector_array direction, int32_t i, lanes3 z, float beta, int32_t left) {
  lanes3 next = lanes3_add(z, lanes3_scale(lanes3_load(direction, i), lanes_splat(beta)));
  lanes3_store(direction, i, lanes3_quantise(next, WORK_ROUNDER), left);
}

/* direction = z + beta direction for one row, with the blocks of the particles alone as preconditioner. */
CLOTH_HOT static void update_direction_row(const cloth *c, int32_t row, float beta) {
  const vector_array z = vectors_at(c, c->scratch.product);
  const vector_array direction = vectors_at(c, c->scratch.direction);
  const int32_t columns = c->grid.columns;
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    int32_t i = row * columns + column;
    update_direction_block(direction, i, lanes3_load(z, i), beta, columns - column);
  }
}

typedef struct solve_result {
  int32_t iterations;
  int32_t capped; /* 1 if the solve ended above the tolerance, at the cap or because refinement was refused */
  float residual; /* relative to that of x = (I - S) z, in the P^-1 norm */
} solve_result;

/* product = P^-1 residual. Returns residual . product. */
CLOTH_HOT static float precondition(const cloth *c) {
  vector_array r = vectors_at(c, c->scratch.residual);
  vector_array z = vectors_at(c, c->scratch.product);
  const float *inverse = floats_at(c, c->scratch.inverse);
  const int32_t count = c->count, stride = c->stride;
  lanes_sum sum = {{0.0f}};
  for (int32_t i = 0; i < count; i += CLOTH_LANES) {
    lanes3 residual = lanes3_quantise(lanes3_load(r, i), WORK_ROUNDER);
    lanes3 preconditioned = symmetric_apply(symmetric_at(inverse + i, stride), residual);
    lanes3_store(z, i, preconditioned, count - i);
    lanes dot = lanes3_dot(residual, preconditioned);
    lanes_sum_add(&sum, i, lanes_within(dot, count - i));
  }
  return lanes_sum_total(&sum);
}

/* An update of solution and residual. Loop invariants are copied here: a lane store may alias *c, so that the compiler
   would reload them for every block. */
typedef struct advance_context {
  vector_array r, p, q, x; /* residual, direction, product, solution */
  const float *inverse;    /* blocks of the preconditioner */
  int32_t stride;
  lanes alpha;
} advance_context;

/* advance_and_precondition() for one block; `left` is the number of particles to the end, or at least a block. Returns
   the products whose sum is residual . product. */
CLOTH_INLINE lanes advance_block(const advance_context *o, int32_t i, int32_t left) {
  lanes3 step = lanes3_scale(lanes3_load(o->p, i), o->alpha);
  lanes3_store(o->x, i, lanes3_add(lanes3_load(o->x, i), step), left);
  lanes3 residual = lanes3_subtract(lanes3_load(o->r, i), lanes3_scale(lanes3_load(o->q, i), o->alpha));
  residual = lanes3_quantise(residual, WORK_ROUNDER);
  lanes3_store(o->r, i, residual, left);
  lanes3 preconditioned = symmetric_apply(symmetric_at(o->inverse + i, o->stride), residual);
  lanes3_store(o->q, i, preconditioned, left);
  return lanes_within(lanes3_dot(residual, preconditioned), left);
}

/* solution += alpha direction, residual -= alpha product, product = P^-1 residual. Returns residual . product. */
CLOTH_HOT static float advance_and_precondition(const cloth *c, float alpha) {
  const advance_context o = {.r = vectors_at(c, c->scratch.residual),
                             .p = vectors_at(c, c->scratch.direction),
                             .q = vectors_at(c, c->scratch.product),
                             .x = vectors_at(c, c->scratch.solution),
                             .inverse = floats_at(c, c->scratch.inverse),
                             .stride = c->stride,
                             .alpha = lanes_splat(alpha)};
  lanes_sum sum = {{0.0f}};
  EACH_BLOCK(i, left, c->count, lanes_sum_add(&sum, i, advance_block(&o, i, left)));
  return lanes_sum_total(&sum);
}

/* Squared residual in the P^-1 norm for each particle, about (1e-8 m/s)^2, below which a solve is over. Smaller
   residuals show the rounding to WORK_QUANTUM, and a residual that is pure rounding error gives a meaningless
   direction. */
#define SOLVED_PER_PARTICLE 1.0e-16f

/* Smallest step alpha along a direction, 2^-30: far below what a matrix with kappa up to KAPPA_LIMIT leads to. A
   multiple of 2^-53 times a direction's multiple of 2^-40 is not subnormal. */
#define CG_MIN_STEP STATE_QUANTUM

/* Range of numbers that may be divided by: their inverses are finite and normal. */
#define CG_MIN_DIVISOR 1.0e-30f
#define CG_MAX_DIVISOR 1.0e30f

static int is_usable(float value) {
  return value > CG_MIN_DIVISOR && value < CG_MAX_DIVISOR;
}

CLOTH_HOT static float dot_product(const cloth *c, vector_array a, vector_array b) {
  lanes_sum sum = {{0.0f}};
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    lanes dot = lanes3_dot(lanes3_load(a, i), lanes3_load(b, i));
    lanes_sum_add(&sum, i, lanes_within(dot, c->count - i));
  }
  return lanes_sum_total(&sum);
}

/* Rounds the solution to multiples of 2^-40, see WORK_ROUNDER. */
static void quantise_solution(const cloth *c) {
  vector_array x = vectors_at(c, c->scratch.solution);
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    lanes3_store(x, i, lanes3_quantise(lanes3_load(x, i), WORK_ROUNDER), c->count - i);
  }
}

/* Lets the coarse grids correct the residual, if multilevel. Returns what they add to residual . z. */
static float coarse_correction(const cloth *c, int multilevel) {
#if WITH_MULTILEVEL
  return multilevel ? correct_coarse(c) : 0.0f;
#else
  (void)c;
  (void)multilevel;
  return 0.0f;
#endif
}

#if WITH_MULTILEVEL
/* direction = z + beta direction for one row, z including the corrections of coarse grids. Call it for rows 0, 1, 2 ...
 */
CLOTH_HOT CLOTH_SEPARATE void update_corrected_row(const cloth *c, int32_t row, float beta) {
  const vector_array z = vectors_at(c, c->scratch.product);
  const vector_array direction = vectors_at(c, c->scratch.direction);
  const float *share = floats_at(c, c->scratch.share);
  const int32_t columns = c->grid.columns;
  const grid_level fine = finest_level(c);
  const grid_level coarse = coarser_level(c, &fine);
  const node_rows around = nodes_around(c, &coarse, row, columns);
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    int32_t i = row * columns + column;
    lanes3 correction = lanes3_scale(nodes_between(&around, column), lanes_load(share + i));
    update_direction_block(direction, i, lanes3_add(lanes3_load(z, i), correction), beta, columns - column);
  }
}
#endif

/*
 * direction = z + beta direction, product = A direction, in one pass over the grid. z and product share memory: the
 * direction is updated two rows ahead of the row whose product is written, as far as bend springs reach, so that z is
 * read before it is overwritten. Returns direction . product.
 */
CLOTH_SEPARATE float update_direction_and_apply(const cloth *c, const step_plan *plan, float beta, int multilevel) {
  int bends = plan->bend_mode == CLOTH_MODE_IMPLICIT;
  lanes_sum sum = {{0.0f}};
  int32_t updated = 0; /* rows whose direction is */
  clear_row_buffers(c);
  for (int32_t row = 0; row < c->grid.rows; row++) {
    for (; updated < c->grid.rows && updated <= row + 2; updated++) {
#if WITH_MULTILEVEL
      if (multilevel) {
        update_corrected_row(c, updated, beta);
        continue;
      }
#endif
      (void)multilevel;
      update_direction_row(c, updated, beta);
    }
    operator_row(c, plan, row, &sum);
    if (bends) {
      bend_operator_row(c, row, &sum);
    }
  }
#if WITH_WRAP
  if (is_wrapped(c)) {
    operator_seam(c, plan, &sum);
  }
#endif
  return lanes_sum_total(&sum);
}

/* product = A direction, by update_direction_and_apply() with z = 0 and beta = 1. Returns direction . product. */
static float apply_operator(const cloth *c, const step_plan *plan) {
  fill_vectors(c, vectors_at(c, c->scratch.product), 0.0f);
  return update_direction_and_apply(c, plan, 1.0f, 0);
}

/*
 * Corrected start x = S x0 + (I - S) z (thesis fig. 5.2), x0 being the solution of the last substep, scaled by a line
 * search t = clamp(x0 . r / x0 . A x0, 0, 1): without it a start can raise the energy of a solve that is cut short. x0
 * counts as 0 for particles that are not free. Returns residual . product, as advance_and_precondition() does.
 */
CLOTH_SEPARATE float start_warm(const cloth *c, const step_plan *plan) {
  vector_array x0 = vectors_at(c, c->state.warm_start);
  vector_array p = vectors_at(c, c->scratch.direction);
  const float *mobility = floats_at(c, c->scratch.mobility);
  for (int32_t i = 0; i < c->count; i++) {
    uint32_t freedom = freedom_of(c)[i] & FREEDOM_MASK;
    int touches = has_solver_contacts(c) && CONTACT_KIND(contact_info_of(c)[i]) != CONTACT_NONE;
    int is_free = freedom == FREEDOM_FREE && mobility[i] > 0.0f && !touches;
    vector_store(p, i, is_free ? vector_load(x0, i) : vector(0.0f, 0.0f, 0.0f));
  }
  float curvature = apply_operator(c, plan);
  float slope = dot_product(c, p, vectors_at(c, c->scratch.residual));
  if (!is_usable(curvature) || !(slope > CG_MIN_STEP * curvature)) {
    return precondition(c);
  }
  return advance_and_precondition(c, slope < curvature ? slope / curvature : 1.0f);
}

/* Costs one iteration and changes neither solution nor residual: alpha is 0. For fixed work. Skipped when the curvature
   is NaN or infinite, as 0 times that would spoil the solution. */
static void iterate_without_effect(const cloth *c, const step_plan *plan, int multilevel) {
  if (is_finite(update_direction_and_apply(c, plan, 0.0f, multilevel))) {
    advance_and_precondition(c, 0.0f);
    coarse_correction(c, multilevel);
  }
}

/*
 * The conjugate gradient. On entry the residual holds b - A x and the solution x = (I - S) z. Stops at the tolerance,
 * relative to that start in the P^-1 norm, at the cap, when rounding has used up the descent, or when a timed step
 * refuses another iteration.
 *
 * Cut short, each iterate still lowers the quadratic 1/2 x.A x - b.x from that start. That bounds the energy of the
 * velocity change only up to a factor of the order of kappa, which is why solvable_kappa() and DAMPING_LIMIT keep kappa
 * within what the cap can resolve.
 */
static solve_result solve(const cloth *c, const step_plan *plan, int multilevel) {
  solve_result result = {0, 0, 0.0f};
  float reference = precondition(c) + coarse_correction(c, multilevel);
  float delta = c->state.warm_start ? start_warm(c, plan) + coarse_correction(c, multilevel) : reference;
  float target = maximum(c->settings.solver.tolerance * c->settings.solver.tolerance * reference,
                         SOLVED_PER_PARTICLE * (float)c->count);
  float beta = 0.0f;
  int refused = 0;
  fill_vectors(c, vectors_at(c, c->scratch.direction), 0.0f);
  while (result.iterations < c->settings.solver.max_iterations && delta > target && is_usable(delta)) {
    if (result.iterations > 0 && !may_refine(c)) {
      refused = 1;
      break;
    }
    float curvature = update_direction_and_apply(c, plan, beta, multilevel);
    if (!is_usable(curvature) || delta < CG_MIN_STEP * curvature) {
      break;
    }
    float next = advance_and_precondition(c, delta / curvature) + coarse_correction(c, multilevel);
    beta = next > 0.0f && is_finite(next) ? flush_small(next / delta, WORK_QUANTUM) : 0.0f;
    delta = next;
    result.iterations++;
  }
  CLOTH_ASSERT(result.iterations <= c->settings.solver.max_iterations);
  for (int32_t idle = result.iterations; c->settings.capacity.fixed_work && idle < c->settings.solver.max_iterations;
       idle++) {
    iterate_without_effect(c, plan, multilevel);
  }
  quantise_solution(c);
  result.capped = (refused || result.iterations == c->settings.solver.max_iterations) && delta > target;
  result.residual = is_usable(reference) && delta > 0.0f ? square_root(delta / reference) : 0.0f;
  if (!(reference < CG_MAX_DIVISOR)) {
    result.residual = 1.0f; /* NaN or too large: nothing was solved; accept_particles() recovers the particles */
  }
  return result;
}

/// Implicit solve ///

/*
 * Velocity changes of a substep by backward Euler, one linear solve (thesis chapters 3 and 5): chooses and builds the
 * preconditioner, imposes prescribed changes z of contacts, solves, and adds the solution to the velocities.
 *
 * In: the plan, scratch.residual (b) and the operator from evaluate_forces(); with contacts of the solver,
 * scratch.direction (z) and scratch.contact_normal from find_solver_contacts(). Out: state.velocity, state.warm_start,
 * statistics; scratch.residual, from which resolve_contacts() reads the constraint forces. Scratch: solution,
 * direction, product, inverse, row_buffers, with the multilevel preconditioner share, nodes and coarse_lines.
 */

/* Builds the preconditioner from the operator. Few particles are constrained; before the inversion their blocks C
   become S C S + c (I - S), after it they are projected by S. */
CLOTH_SEPARATE void build_preconditioner(const cloth *c, const step_plan *plan, int multilevel) {
  set_diagonal_blocks(c, plan);
#if WITH_WRAP
  if (is_wrapped(c)) {
    add_seam_blocks(c, plan);
  }
#endif
#if WITH_MULTILEVEL
  if (multilevel) {
    set_shares(c);
    build_nodes(c);
  }
#endif
  (void)multilevel;
  for_each_constrained(c, constrain_block);
  invert_blocks(c);
  for_each_constrained(c, project_block);
  clear_sticking_blocks(c);
}

static void record_solve(const cloth *c, int32_t substep, solve_result result) {
  cloth_statistics *s = statistics_of(c);
  ((uint16_t *)at(c, c->own.iterations))[substep] = (uint16_t)result.iterations;
  s->iterations += result.iterations;
  s->iterations_most = result.iterations > s->iterations_most ? result.iterations : s->iterations_most;
  s->substeps_capped += result.capped;
  s->residual = maximum(s->residual, result.residual);
}

/* Keeps the solution as the next start, or 0 if the solve was cut short: each substep would add again what the last one
   left unsolved, until the cloth oscillates out of control. */
static void store_warm_start(const cloth *c, int capped) {
  vector_array x = vectors_at(c, c->scratch.solution);
  for (int32_t i = 0; c->state.warm_start && i < c->count; i++) {
    cloth_vector change = vector_load(x, i);
    int is_kept = !capped && vector_is_finite(change);
    vector_store(vectors_at(c, c->state.warm_start), i, is_kept ? change : vector(0.0f, 0.0f, 0.0f));
  }
}

static void add_solution(const cloth *c) {
  vector_array v = vectors_at(c, c->state.velocity);
  const int32_t count = c->count;
  for (int32_t i = 0; i < count; i += CLOTH_LANES) {
    lanes3 change = lanes3_load(vectors_at(c, c->scratch.solution), i);
    lanes3_store(v, i, lanes3_add(lanes3_load(v, i), change), count - i);
  }
}

#if WITH_MULTILEVEL

/* Largest kappa of the families that are solved for: about the square of the distance, in cells, over which a force
   acts within a substep. */
static float implicit_kappa(const step_plan *plan) {
  float kappa = plan->bend_mode == CLOTH_MODE_IMPLICIT ? plan->bend_kappa : 0.0f;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    kappa = maximum(kappa, plan->spring[d].mode >= CLOTH_MODE_IMPLICIT ? plan->spring[d].kappa : 0.0f);
  }
  return kappa;
}

/* Coarser grids add half an iteration's cost to each iteration, and two iterations' for building them. They pay where
   forces act as far as half the distance of the first grid's nodes (kappa 4: two cells), where the cap leaves
   iterations enough, and where at most half of the particles have contacts. Below these values the block preconditioner
   gets further in the same time. */
#define MULTILEVEL_KAPPA 4.0f
#define MULTILEVEL_ITERATIONS 6

static int multilevel_pays(const cloth *c, const step_plan *plan, int32_t contacts) {
  int32_t side = c->grid.columns > c->grid.rows ? c->grid.columns : c->grid.rows;
  return side > COARSENING && c->settings.solver.max_iterations >= MULTILEVEL_ITERATIONS && 2 * contacts <= c->count &&
         implicit_kappa(plan) >= MULTILEVEL_KAPPA;
}

#endif

static int uses_multilevel(const cloth *c, const step_plan *plan, int32_t contacts) {
#if WITH_MULTILEVEL
  if (c->settings.solver.preconditioner == CLOTH_PRECONDITIONER_AUTOMATIC) {
    return multilevel_pays(c, plan, contacts);
  }
#endif
  (void)plan;
  (void)contacts;
  return WITH_MULTILEVEL && c->settings.solver.preconditioner == CLOTH_PRECONDITIONER_MULTILEVEL;
}

/* Solves for the velocity changes of a substep and adds them to the velocities. With contacts the first product takes A
   z from the residual and makes z the start of the solution. */
CLOTH_SEPARATE void add_implicit_change(const cloth *c, const step_plan *plan, int32_t substep, int32_t contacts) {
  fill_vectors(c, vectors_at(c, c->scratch.solution), 0.0f);
  int multilevel = uses_multilevel(c, plan, contacts);
  build_preconditioner(c, plan, multilevel);
  if (contacts) {
    apply_operator(c, plan);
    advance_and_precondition(c, 1.0f);
  }
  end_stage(c, CLOTH_STAGE_PRECONDITIONER, substep, c->scratch.inverse);
  solve_result result = solve(c, plan, multilevel);
  record_solve(c, substep, result);
  end_stage(c, CLOTH_STAGE_SOLVE, substep, c->scratch.solution);
  add_solution(c);
  store_warm_start(c, result.capped);
}

/// Distance constraints ///

/*
 * Stiff springs as limits. A projected spring is not integrated by its force: after the prediction both its ends are
 * moved to where it has its length again, by
 *     x_p += w_p g (l^2 - L^2) / (l^2 + L^2) d,   x_q -= w_q g (l^2 - L^2) / (l^2 + L^2) d,   d = x_q - x_p,
 * with the mobilities w and g = 1 / (w_p + w_q + compliance), compliance = m0 / (k^2 ks): that is one step of
 * nonlinear Gauss-Seidel on backward Euler, exact to first order, without a square root. One sweep a substep goes
 * through the springs in a fixed order of colours. No two springs of a colour share a particle, so that lanes may take
 * many at once, and the result is the same for any number of lanes.
 *
 * Stretch springs across spans of many cells, from the coarsest to the next but finest, are limits that only shorten:
 * they carry a pull through the sheet in one sweep. Across two cells the same pass resists folding.
 */

/* Gains below this are none: what they move is beyond what a float can tell, and their products could underflow. */
#define LEAST_GAIN 9.5367431640625e-7f
/* Compliance of what does not act. */
#define COMPLIANCE_INFINITE 1.0e30f

static float uniform_gain(float give) {
  float gain = 1.0f / (2.0f + give);
  return gain > LEAST_GAIN ? gain : 0.0f;
}

static distance_constraint make_constraint(int32_t span, float low, float high, float compliance_below,
                                           float compliance_above) {
  distance_constraint limit;
  limit.span = span;
  limit.low = low * low;
  limit.high = high * high;
  limit.compliance_below = compliance_below;
  limit.compliance_above = compliance_above;
  limit.gain_below = uniform_gain(compliance_below);
  limit.gain_above = uniform_gain(compliance_above);
  limit.fast = 0;
  limit.kappa = 0.0f;
  limit.above = 0.0f;
  return limit;
}

/* A move. Rounded, so that it is nothing or far above what the next spring's products could make subnormal. */
CLOTH_INLINE lanes3 constraint_correction(lanes3 d, lanes share) {
  return lanes3_quantise(lanes3_scale(d, share), WORK_ROUNDER);
}

/* What is known of the particles at the ends of a block of springs. */
typedef struct spring_ends {
  lanes mobility[2];
  lanes mass_ratio[2];
  lanes scale; /* stiffness factor */
} spring_ends;

/* How far springs move a particle of mobility 1 towards the other end, over d. */
CLOTH_INLINE lanes constraint_share(const distance_constraint *limit, const spring_ends *ends, lanes squared) {
  lanes zero = lanes_splat(0.0f);
  lanes bound = lanes_minimum(lanes_maximum(squared, lanes_splat(limit->low)), lanes_splat(limit->high));
  lanes over = lanes_subtract(squared, bound);
  lanes_mask slack = lanes_less(over, zero);
  lanes give = lanes_select(slack, lanes_splat(limit->compliance_below), lanes_splat(limit->compliance_above));
  give = lanes_divide(give, lanes_maximum(ends->scale, lanes_splat(WORK_QUANTUM)));
  give = lanes_minimum(give, lanes_splat(COMPLIANCE_INFINITE));
  lanes weights = lanes_add(ends->mobility[0], ends->mobility[1]);
  lanes gain = lanes_divide(lanes_splat(1.0f), lanes_maximum(lanes_add(weights, give), lanes_splat(1.0e-6f)));
  gain = lanes_keep(lanes_less(lanes_splat(LEAST_GAIN), gain), gain);
  lanes sum = lanes_maximum(lanes_add(squared, bound), lanes_splat(1.0e-20f)); /* both are 0 where all may collapse */
  return lanes_divide(lanes_multiply(gain, over), sum);
}

/* How far springs move their ends towards each other, over what leads from the first to the other. */
typedef struct end_shares {
  lanes from, to;
} end_shares;

/* Where only some springs are projected the others move nothing. */
CLOTH_INLINE end_shares general_shares(const distance_constraint *limit, const spring_ends *ends, lanes3 d) {
  lanes share = constraint_share(limit, ends, lanes3_dot(d, d));
  if (limit->kappa > 0.0f) {
    lanes mass = lanes_minimum(ends->mass_ratio[0], ends->mass_ratio[1]);
    share = lanes_keep(kappa_above(limit->kappa, mass, ends->scale, limit->above), share);
  }
  end_shares shares = {lanes_multiply(share, ends->mobility[0]), lanes_multiply(share, ends->mobility[1])};
  return shares;
}

/* The same, bit by bit, where all mobilities and stiffness factors are 1 and the limit is fast: of gain times excess
   the greater is the one of the right side. Both ends move as far. */
CLOTH_INLINE lanes uniform_share(const distance_constraint *limit, lanes3 d) {
  lanes squared = lanes3_dot(d, d);
  lanes bound = lanes_splat(limit->low);
  lanes over = lanes_subtract(squared, bound);
  lanes taut = lanes_multiply(lanes_splat(limit->gain_above), over);
  lanes slack = lanes_multiply(lanes_splat(limit->gain_below), over);
  return lanes_divide(lanes_maximum(taut, slack), lanes_add(squared, bound));
}

/* Moves both ends of springs. */
CLOTH_INLINE void project_general(const distance_constraint *limit, const spring_ends *ends, lanes3 *from, lanes3 *to) {
  lanes3 d = lanes3_subtract(*to, *from);
  end_shares shares = general_shares(limit, ends, d);
  *from = lanes3_add(*from, constraint_correction(d, shares.from));
  *to = lanes3_subtract(*to, constraint_correction(d, shares.to));
}

CLOTH_INLINE void project_uniform(const distance_constraint *limit, lanes3 *from, lanes3 *to) {
  lanes3 d = lanes3_subtract(*to, *from);
  lanes3 move = constraint_correction(d, uniform_share(limit, d));
  *from = lanes3_add(*from, move);
  *to = lanes3_subtract(*to, move);
}

/// Lines of constraints ///

/*
 * The springs along rows are lines of springs that have nothing to do with each other, and so are those along columns.
 * Lanes take as many lines side by side, and go with each through all its springs, spans from coarse to fine. Columns
 * lie side by side in memory. Rows are brought side by side and back again, which costs less than half of what it costs
 * to have the springs of one row compete for lanes.
 */
typedef struct line_bundle {
  vector_array x;
  const float *mobility;
  int32_t next;                 /* floats from an element of a line to the next one, of positions and mobilities */
  int32_t length;               /* elements of a line */
  int32_t count;                /* how many lanes are lines: what others make is not kept */
  int32_t is_ring;              /* 1 if the first element follows the last */
  int32_t first, along, across; /* particles: of the first element, from one to the next, from one line to the next */
  uniform_run uniform;          /* elements where the plain kernel may serve */
} line_bundle;

/* Values of maps, in lanes. */
static lanes line_values(const line_bundle *b, const float *plane, int32_t element) {
  return lanes_gather(plane + b->first + element * b->along, b->across, b->count);
}

CLOTH_SEPARATE void add_maps(const cloth *c, const line_bundle *b, int32_t element, int32_t other, spring_ends *ends) {
  for (int32_t n = 0; n < 2; n++) {
    int32_t e = n ? other : element;
    if (c->constant.stiffness_map) {
      lanes map = line_values(b, floats_at(c, c->constant.stiffness_map), e);
      ends->scale = n ? lanes_multiply(lanes_splat(0.5f), lanes_add(ends->scale, map)) : map;
    }
    if (c->constant.mass_ratio) {
      ends->mass_ratio[n] = line_values(b, floats_at(c, c->constant.mass_ratio), e);
    }
  }
}

CLOTH_INLINE spring_ends line_ends(const cloth *c, const line_bundle *b, int32_t element, int32_t other) {
  lanes one = lanes_splat(1.0f);
  lanes mobility[2] = {lanes_load(b->mobility + element * b->next), lanes_load(b->mobility + other * b->next)};
  spring_ends ends = {{mobility[0], mobility[1]}, {one, one}, one};
  if (c->constant.stiffness_map || c->constant.mass_ratio) {
    add_maps(c, b, element, other, &ends);
  }
  return ends;
}

/* A limit at work on a bundle. Both are copies, which compilers can keep in registers; add_maps() asks for the bundle
   itself. */
typedef struct line_context {
  distance_constraint limit;
  line_bundle bundle;
  const cloth *c;
  const line_bundle *lines;
} line_context;

CLOTH_INLINE void project_link(const line_context *l, int32_t element) {
  const int32_t next = l->bundle.next, count = l->bundle.count;
  const int32_t i = element * next, j = i + l->limit.span * next;
  lanes3 ends[2] = {lanes3_load(l->bundle.x, i), lanes3_load(l->bundle.x, j)};
  if (UNIFORM_KERNELS && element >= l->bundle.uniform.from && element + l->limit.span < l->bundle.uniform.to) {
    project_uniform(&l->limit, &ends[0], &ends[1]);
  } else {
    spring_ends known = line_ends(l->c, l->lines, element, element + l->limit.span);
    project_general(&l->limit, &known, &ends[0], &ends[1]);
  }
  lanes3_store(l->bundle.x, i, ends[0], count);
  lanes3_store(l->bundle.x, j, ends[1], count);
}

/* Plain springs of whole lanes, from every other element on. Returns the element after the last. */
CLOTH_INLINE int32_t project_uniform_links(const line_context *l, int32_t element) {
  const int32_t span = l->limit.span, step = span * l->bundle.next;
  const int32_t end = element < l->bundle.uniform.from ? 0 : l->bundle.uniform.to - span;
  vector_array x = {l->bundle.x.x + element * l->bundle.next, l->bundle.x.y + element * l->bundle.next,
                    l->bundle.x.z + element * l->bundle.next};
  for (; element < end; element += 2 * span) {
    lanes3 from = lanes3_load(x, 0);
    lanes3 to = lanes3_load(x, step);
    project_uniform(&l->limit, &from, &to);
    lanes3_store(x, 0, from, CLOTH_LANES);
    lanes3_store(x, step, to, CLOTH_LANES);
    x.x += 2 * step;
    x.y += 2 * step;
    x.z += 2 * step;
  }
  return element;
}

/* The springs from every other element on: no two of them have an end in common. */
CLOTH_INLINE void project_links(const line_context *l, int32_t element) {
  const int32_t span = l->limit.span;
  while (element + span < l->bundle.length) {
    int32_t ahead = element;
    if (UNIFORM_KERNELS && l->bundle.count == CLOTH_LANES) {
      ahead = project_uniform_links(l, element);
    }
    if (ahead <= element) {
      project_link(l, element);
      ahead = element + 2 * span;
    }
    element = ahead;
  }
}

#if WITH_WRAP

/*
 * A ring has no end to begin at, and whatever goes through it in order would leave marks where it begins. So all its
 * springs of a span act at once: each tells how far it would move its ends, and a particle does so much of the sum of
 * both moves. More than this, and gathered rings ring from substep to substep; less holds them worse (measured).
 */
#define RING_SHARE 0.5f

/* How far the spring between two elements would move them, over d. */
CLOTH_INLINE end_shares ring_shares(const line_context *l, int32_t element, int32_t other, lanes3 d) {
  const uniform_run uniform = l->bundle.uniform;
  if (UNIFORM_KERNELS && element >= uniform.from && other >= uniform.from && element < uniform.to &&
      other < uniform.to) {
    lanes share = uniform_share(&l->limit, d);
    end_shares shares = {share, share};
    return shares;
  }
  spring_ends known = line_ends(l->c, l->lines, element, other);
  return general_shares(&l->limit, &known, d);
}

/* As many springs of a ring, span by span from one that ends at `first`. The first of them is the last, too. */
CLOTH_INLINE void project_ring(const line_context *l, int32_t first, int32_t springs, int uniform, int32_t count) {
  const int32_t next = l->bundle.next, length = l->bundle.length, span = l->limit.span;
  const lanes3 start = lanes3_load(l->bundle.x, first * next);
  int32_t element = first < span ? first + length - span : first - span;
  lanes3 here = lanes3_load(l->bundle.x, element * next);
  lanes3 pulled = here;
  for (int32_t n = 0; n <= springs; n++) {
    int32_t other = element + span < length ? element + span : element + span - length;
    lanes3 there = other == first ? start : lanes3_load(l->bundle.x, other * next);
    lanes3 d = lanes3_subtract(there, here);
    lanes share = uniform ? uniform_share(&l->limit, d) : d.x;
    end_shares shares = {share, share};
    if (!uniform) {
      shares = ring_shares(l, element, other, d);
    }
    if (n > 0) {
      lanes3 moved = constraint_correction(lanes3_subtract(constraint_correction(d, shares.from), pulled),
                                           lanes_splat(RING_SHARE));
      lanes3_store(l->bundle.x, element * next, lanes3_add(here, moved), count);
    }
    pulled = constraint_correction(d, shares.to);
    here = there;
    element = other;
  }
}

/* Into how many rings the springs of a span fall. */
static int32_t rings_of(int32_t length, int32_t span) {
  while (length % span != 0) {
    span /= 2;
  }
  return span;
}

/* All springs of a span. Rings that are plain all round have a loop of their own. */
CLOTH_INLINE void project_rings(const line_context *l) {
  const int32_t rings = rings_of(l->bundle.length, l->limit.span), springs = l->bundle.length / rings;
  const int uniform = UNIFORM_KERNELS && l->bundle.uniform.from == 0 && l->bundle.uniform.to == l->bundle.length;
  for (int32_t first = 0; first < rings; first++) {
    if (uniform && l->bundle.count == CLOTH_LANES) {
      project_ring(l, first, springs, 1, CLOTH_LANES);
    } else {
      project_ring(l, first, springs, 0, l->bundle.count);
    }
  }
}

#endif

/* All springs of a bundle: with each limit those that begin in even spans, then those that begin in odd ones. */
CLOTH_HOT CLOTH_SEPARATE void project_lines(const cloth *c, const distance_constraint *limits, int32_t count,
                                            const line_bundle *b) {
  for (int32_t n = 0; n < count; n++) {
    line_context l = {limits[n], *b, c, b};
    if (!l.limit.fast) {
      l.bundle.uniform.to = 0;
    }
#if WITH_WRAP
    if (b->is_ring) {
      project_rings(&l);
      continue;
    }
#endif
    for (int32_t first = 0; first < 2 * l.limit.span; first++) {
      project_links(&l, first);
    }
  }
}

static void project_columns(const cloth *c, vector_array x, const distance_constraint *limits, int32_t count) {
  for (int32_t column = 0; column < c->grid.columns; column += CLOTH_LANES) {
    int32_t left = c->grid.columns - column;
    vector_array first = {x.x + column, x.y + column, x.z + column};
    line_bundle b = {first,
                     floats_at(c, c->scratch.mobility) + column,
                     c->grid.columns,
                     c->grid.rows,
                     left < CLOTH_LANES ? left : CLOTH_LANES,
                     0,
                     column,
                     c->grid.columns,
                     1,
                     *uniform_run_of_columns(c, column)};
    project_lines(c, limits, count, &b);
  }
}

#if CLOTH_LANES > 1

/* From rows to lines side by side. Lanes that are no line are filled with the first. */
CLOTH_INLINE void transpose_block(const float *from, int32_t next, int32_t count, float *to) {
  lanes block[CLOTH_LANES];
  for (int32_t n = 0; n < CLOTH_LANES; n++) {
    block[n] = lanes_load(from + (n < count ? n : 0) * next);
  }
  lanes_transpose(block);
  for (int32_t n = 0; n < CLOTH_LANES; n++) {
    lanes_store(to + n * CLOTH_LANES, block[n]);
  }
}

CLOTH_HOT CLOTH_SEPARATE void transpose_rows(const float *row, int32_t columns, int32_t count, float *side) {
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    if (count == CLOTH_LANES) {
      transpose_block(row + column, columns, CLOTH_LANES, side + column * CLOTH_LANES);
    } else {
      transpose_block(row + column, columns, count, side + column * CLOTH_LANES);
    }
  }
}

/* And back. */
CLOTH_HOT CLOTH_SEPARATE void transpose_rows_back(float *row, int32_t columns, int32_t count, const float *side) {
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    lanes block[CLOTH_LANES];
    for (int32_t n = 0; n < CLOTH_LANES; n++) {
      block[n] = lanes_load(side + column * CLOTH_LANES + n * CLOTH_LANES);
    }
    lanes_transpose(block);
    int32_t left = columns - column;
    for (int32_t n = 0; n < CLOTH_LANES; n++) {
      if (count == CLOTH_LANES && left >= CLOTH_LANES) {
        lanes_store(row + n * columns + column, block[n]);
      } else if (n < count) {
        lanes_store_first(row + n * columns + column, block[n], left);
      }
    }
  }
}

/* Rows side by side. Their room is that of the forces, which are spent by then. */
static void project_transposed_rows(const cloth *c, vector_array x, int32_t row, int32_t count,
                                    const distance_constraint *limits, int32_t limit_count) {
  int32_t first = row * c->grid.columns;
  int32_t room = CLOTH_LANES * in_line_blocks(c->grid.columns);
  float *side = floats_at(c, c->scratch.residual);
  vector_array sides = {side, side + room, side + 2 * room};
  line_bundle b = {sides,         side + 3 * room, CLOTH_LANES, c->grid.columns, count,
                   is_wrapped(c), first,           1,           c->grid.columns, uniform_run_of_row(c, row)};
  for (int32_t n = 1; n < count; n++) {
    b.uniform = uniform_overlap(b.uniform, uniform_run_of_row(c, row + n), 0);
  }
  transpose_rows(x.x + first, c->grid.columns, count, sides.x);
  transpose_rows(x.y + first, c->grid.columns, count, sides.y);
  transpose_rows(x.z + first, c->grid.columns, count, sides.z);
  int all_uniform = UNIFORM_KERNELS && b.uniform.from == 0 && b.uniform.to == c->grid.columns;
  for (int32_t n = 0; n < limit_count; n++) {
    all_uniform &= limits[n].fast;
  }
  if (!all_uniform) {
    transpose_rows(floats_at(c, c->scratch.mobility) + first, c->grid.columns, count, side + 3 * room);
  }
  project_lines(c, limits, limit_count, &b);
  transpose_rows_back(x.x + first, c->grid.columns, count, sides.x);
  transpose_rows_back(x.y + first, c->grid.columns, count, sides.y);
  transpose_rows_back(x.z + first, c->grid.columns, count, sides.z);
}

#endif

static void project_rows(const cloth *c, vector_array x, const distance_constraint *limits, int32_t limit_count) {
#if CLOTH_LANES > 1
  if (transposes_rows(c)) {
    for (int32_t row = 0; row < c->grid.rows; row += CLOTH_LANES) {
      int32_t left = c->grid.rows - row;
      project_transposed_rows(c, x, row, left < CLOTH_LANES ? left : CLOTH_LANES, limits, limit_count);
    }
    return;
  }
#endif
  for (int32_t row = 0; row < c->grid.rows; row++) {
    int32_t i = row * c->grid.columns;
    vector_array first = {x.x + i, x.y + i, x.z + i};
    line_bundle b = {first, floats_at(c, c->scratch.mobility) + i,
                     1,     c->grid.columns,
                     1,     is_wrapped(c),
                     i,     1,
                     1,     uniform_run_of_row(c, row)};
    project_lines(c, limits, limit_count, &b);
  }
}

static void project_axis(const cloth *c, vector_array x, int32_t direction, const distance_constraint *limits,
                         int32_t count) {
  if (count > 0 && direction == WARP) {
    project_rows(c, x, limits, count);
  } else if (count > 0) {
    project_columns(c, x, limits, count);
  }
}

/* One sweep of strain limiting over the stretch springs. */
static void limit_strain(const cloth *c, vector_array x) {
  for (int32_t d = WARP; d <= WEFT; d++) {
    float rest = direction_rest(c, d);
    distance_constraint limit = make_constraint(1, rest * (1.0f - c->settings.strain_limit.max_compression),
                                                rest * (1.0f + c->settings.strain_limit.max_extension), 0.0f, 0.0f);
    project_axis(c, x, d, &limit, 1);
  }
}

/// Projection ///

#if WITH_PROJECTION

/* The springs of a direction across `span` cells. A stretch spring across many is as many in a row, and compliant like
   these; it only shortens. Returns 0 if nothing is projected there. */
static int plan_constraint(const cloth *c, const step_plan *plan, int32_t d, int32_t span, distance_constraint *limit) {
  const spring_family *s = &plan->spring[d];
  float scale = 1.0f / force_share(plan);
  float taut = COMPLIANCE_INFINITE;
  float slack = COMPLIANCE_INFINITE;
  if ((s->projected == PROJECTED_ALL && span <= plan->span) || (s->projected == PROJECTED_SOME && span == 1)) {
    taut = scale * (float)span / maximum(s->stiffness, WORK_QUANTUM);
    slack = span == 1 ? taut / maximum(s->compression, WORK_QUANTUM) : COMPLIANCE_INFINITE;
  }
  if (plan->bend_projected && span == 2 && d <= WEFT) {
    slack = scale * plan->bend_compliance[d];
  }
  float rest = direction_rest(c, d) * (float)span;
  *limit = make_constraint(span, rest, rest, minimum(slack, COMPLIANCE_INFINITE), minimum(taut, COMPLIANCE_INFINITE));
  limit->fast = limit->gain_above >= limit->gain_below;
  if (s->projected == PROJECTED_SOME && span == 1) {
    limit->fast = 0;
    limit->kappa = s->kappa;
    limit->above = plan->projected_above;
  }
  return limit->gain_above > 0.0f || limit->gain_below > 0.0f;
}

CLOTH_INLINE void project_shear_block(const cloth *c, const distance_constraint *limit, vector_array x, int32_t i,
                                      int32_t j, int uniform, int32_t count) {
  lanes3 from = lanes3_load(x, i);
  lanes3 to = lanes3_load(x, j);
  if (uniform) {
    project_uniform(limit, &from, &to);
  } else {
    const float *mobility = floats_at(c, c->scratch.mobility);
    spring_ends ends = {{lanes_load(mobility + i), lanes_load(mobility + j)},
                        {mass_ratio_lanes(c, i), mass_ratio_lanes(c, j)},
                        spring_scale(c, (spring_block){i, j, 1}, CLOTH_LANES)};
    project_general(limit, &ends, &from, &to);
  }
  lanes3_store(x, i, from, count);
  lanes3_store(x, j, to, count);
}

/* The shear springs of one direction between a row and the next. */
CLOTH_INLINE void project_shear_row(const cloth *c, const distance_constraint *limit, vector_array x, int32_t row,
                                    int32_t direction) {
  int32_t start = spring_start(direction);
  int32_t shift = direction == DIAGONAL ? 1 : -1;
  int32_t i = row * c->grid.columns + start;
  int32_t j = i + c->grid.columns + shift;
  int32_t count = c->grid.columns - 1;
  uniform_run uniform = uniform_overlap(uniform_run_of_row(c, row), uniform_run_of_row(c, row + 1), shift);
  int32_t from = UNIFORM_KERNELS && limit->fast ? uniform.from - start : count;
  int32_t last = uniform.to - start < count ? uniform.to - start - CLOTH_LANES : count;
  /* From the last block to the first, as lanes beyond the last spring belong to the next row's beginning: processors
     wait with what they read there until what was stored there has come to pass. */
  for (int32_t t = (count - 1) / CLOTH_LANES * CLOTH_LANES; t >= 0; t -= CLOTH_LANES) {
    project_shear_block(c, limit, x, i + t, j + t, t >= from && t <= last, count - t);
  }
  if (is_wrapped(c)) { /* across the seam: what is left over at either end */
    project_shear_block(c, limit, x, start ? i - 1 : i + count, start ? j + count : j - 1, 0, 1);
  }
}

/* First between the rows of even number and the next, then of odd number. */
CLOTH_HOT CLOTH_SEPARATE void project_shear(const cloth *c, const distance_constraint *shear, vector_array x,
                                            int32_t direction) {
  const distance_constraint limit = *shear;
  for (int32_t colour = 0; colour < 2; colour++) {
    for (int32_t row = colour; row + 1 < c->grid.rows; row += 2) {
      project_shear_row(c, &limit, x, row, direction);
    }
  }
}

/* Work of the springs of one direction and span. A particle outside the plain pieces takes the springs on both sides
   out of them. */
static uint64_t constraint_cost(const cloth *c, const step_plan *plan, int32_t d, int32_t span, int32_t uniform) {
  distance_constraint limit;
  if (!plan_constraint(c, plan, d, span, &limit)) {
    return 0;
  }
  int32_t general = 2 * (c->count - uniform) + (d > WEFT ? 2 * c->grid.rows : 0);
  general = !limit.fast || general > c->count ? c->count : general;
  uint64_t around = d == WARP ? (uint64_t)(uint32_t)c->count * COST_RING : 0u;
  around = d > WEFT ? (uint64_t)(uint32_t)c->grid.rows * COST_SEAM_SHEAR : around;
  return (uint64_t)(uint32_t)general * COST_GENERAL + (uint64_t)(uint32_t)(c->count - general) * COST_PLAIN +
         (uint64_t)(uint32_t)(c->grid.rows + c->grid.columns) * COST_RUN + (is_wrapped(c) ? around : 0u);
}

/* Of the stretch springs of one span. */
static uint64_t span_cost(const cloth *c, const step_plan *plan, int32_t span, int32_t uniform) {
  return constraint_cost(c, plan, WARP, span, uniform) + constraint_cost(c, plan, WEFT, span, uniform);
}

/* Bend springs are two cells long. */
static int32_t last_needed_span(const step_plan *plan) {
  return plan->bend_projected ? 2 : 1;
}

static int32_t first_span(const step_plan *plan) {
  return plan->span < last_needed_span(plan) ? last_needed_span(plan) : plan->span;
}

static uint64_t projection_cost(const cloth *c, const step_plan *plan, int32_t uniform) {
  uint64_t work = (uint64_t)(uint32_t)c->settings.projection.fine_sweeps * span_cost(c, plan, 1, uniform);
  for (int32_t d = DIAGONAL; d <= ANTIDIAGONAL; d++) {
    work += constraint_cost(c, plan, d, 1, uniform);
  }
  for (int32_t span = first_span(plan); span >= 1; span /= 2) {
    work += span_cost(c, plan, span, uniform);
  }
  return work;
}

static projection_plan *projection_of(const cloth *c) {
  return (projection_plan *)at(c, c->own.constraints);
}

/* The limits of a direction. */
static distance_constraint *constraints_of(projection_plan *p, int32_t direction) {
  return (distance_constraint *)(void *)(p + 1) + p->first[direction];
}

/* All limits of a step. */
CLOTH_SEPARATE void plan_projection(const cloth *c, const step_plan *plan) {
  projection_plan *p = projection_of(c);
  int32_t total = 0;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    p->first[d] = total;
    p->count[d] = 0;
    for (int32_t span = d <= WEFT ? first_span(plan) : 1; span >= 1; span /= 2) {
      p->count[d] += plan_constraint(c, plan, d, span, &constraints_of(p, d)[p->count[d]]);
    }
    total += p->count[d];
  }
}

/* The span to start from: coarse ones may be left out. */
static int32_t refined_span(const cloth *c, const step_plan *plan) {
  int32_t span = first_span(plan);
  int32_t last = last_needed_span(plan);
  if (span == last || may_refine(c)) {
    return span;
  }
  for (; span > last; span /= 2) {
    refund_work(c, span_cost(c, plan, span, workspace_of(c)->uniform), 1);
  }
  return last;
}

/* The stretch springs along one direction across up to so many cells. */
static void project_stretch(const cloth *c, vector_array x, int32_t direction, int32_t span) {
  projection_plan *p = projection_of(c);
  const distance_constraint *limits = constraints_of(p, direction);
  int32_t count = p->count[direction];
  for (; count > 0 && limits->span > span; count--) {
    limits++;
  }
  project_axis(c, x, direction, limits, count);
}

/*
 * All projected springs of the predicted positions: shear, then along rows and along columns through all spans, then
 * the finest of these again. What comes last is kept best; without the repetition it takes a third more substeps to the
 * same stretch in folds (measured).
 */
CLOTH_SEPARATE void project_springs(const cloth *c, const step_plan *plan) {
  projection_plan *p = projection_of(c);
  vector_array x = predicted_of(c);
  int32_t span = refined_span(c, plan);
  for (int32_t d = DIAGONAL; d <= ANTIDIAGONAL; d++) {
    if (p->count[d] > 0) {
      project_shear(c, constraints_of(p, d), x, d);
    }
  }
  project_stretch(c, x, WARP, span);
  project_stretch(c, x, WEFT, span);
  for (int32_t sweep = 0; sweep < c->settings.projection.fine_sweeps; sweep++) {
    if (!may_refine(c)) {
      refund_work(
          c, span_cost(c, plan, 1, workspace_of(c)->uniform) * (uint32_t)(c->settings.projection.fine_sweeps - sweep),
          1);
      break;
    }
    project_stretch(c, x, WARP, 1);
    project_stretch(c, x, WEFT, 1);
  }
}

#endif

/// Tethers ///

#if WITH_PROJECTION

/*
 * A tether holds a particle within reach of a pinned one: no farther than the straight way between them on the sheet at
 * rest, times a scale. Each particle has up to two, to the nearest pins in different directions. They are chosen anew
 * in the first step after pins came or went, by handing pins on from neighbour to neighbour: twice through the rows, a
 * bounded and fixed amount of work.
 */
static int32_t *tethers_of(const cloth *c, int32_t slot) {
  return (int32_t *)at(c, c->state.tethers) + slot * c->count;
}

/* Squared way on the sheet at rest between grid points that are so many columns and rows apart. Edges may lean: the
   mixed term follows from the diagonals. */
typedef struct rest_metric {
  float warp, mixed, weft;
  float around; /* columns all the way round; 0 if they do not go there */
} rest_metric;

static rest_metric metric_of(const cloth *c, float scale) {
  rest_metric m;
  float squared = scale * scale;
  m.warp = squared * (c->grid.spacing_warp * c->grid.spacing_warp);
  m.weft = squared * (c->grid.spacing_weft * c->grid.spacing_weft);
  m.mixed = squared * 0.5f * (c->grid.diagonal * c->grid.diagonal - c->grid.antidiagonal * c->grid.antidiagonal);
  m.mixed = flush_small(m.mixed, WORK_QUANTUM);
  m.around = is_wrapped(c) ? (float)c->grid.columns : 0.0f;
  return m;
}

/* So many columns or, if that is shorter, what is left of the way round. */
CLOTH_INLINE lanes shorter_columns(rest_metric m, lanes columns) {
  if (!WITH_WRAP || m.around == 0.0f) {
    return columns;
  }
  columns = lanes_absolute(columns);
  return lanes_minimum(columns, lanes_subtract(lanes_splat(m.around), columns));
}

CLOTH_INLINE lanes rest_squared(rest_metric m, lanes columns, lanes rows) {
  lanes along = lanes_multiply(
      columns, lanes_add(lanes_multiply(lanes_splat(m.warp), columns), lanes_multiply(lanes_splat(m.mixed), rows)));
  return lanes_add(along, lanes_multiply(lanes_splat(m.weft), lanes_multiply(rows, rows)));
}

/* Choosing tethers: what all particles share, and where the one at hand is. */
typedef struct anchor_search {
  rest_metric metric;
  int32_t particle, column, row;
  int32_t *slots[TETHERS]; /* of all particles; NULL for one that is not there */
} anchor_search;

/* From a pin to a place of the grid. */
static float rest_from(const cloth *c, const anchor_search *t, int32_t pin, int32_t column, int32_t row) {
  int32_t pin_row = pin / c->grid.columns;
  lanes columns = shorter_columns(t->metric, lanes_splat((float)(column - (pin - pin_row * c->grid.columns))));
  return lanes_first_value(rest_squared(t->metric, columns, lanes_splat((float)(row - pin_row))));
}

static float rest_to_particle(const cloth *c, const anchor_search *t, int32_t pin) {
  return rest_from(c, t, pin, t->column, t->row);
}

/* Is a pin beside another, at most half as far from it as from the particle? */
static int is_redundant_anchor(const cloth *c, const anchor_search *t, int32_t pin, int32_t other) {
  int32_t row = other / c->grid.columns;
  return 4.0f * rest_from(c, t, pin, other - row * c->grid.columns, row) < rest_to_particle(c, t, pin);
}

/* Offers a pin to the particle. It takes the nearest, and as its second the nearest that is not beside the first. Those
   it has need no offer. */
static void propose_anchor(const cloth *c, const anchor_search *t, int32_t pin) {
  int32_t *first = &t->slots[0][t->particle];
  int32_t *second = t->slots[1] ? &t->slots[1][t->particle] : NULL;
  if (pin < 0 || pin == *first || (second && pin == *second)) {
    return;
  }
  int is_nearest = *first < 0 || rest_to_particle(c, t, pin) < rest_to_particle(c, t, *first);
  if (is_nearest) {
    int32_t former = *first;
    *first = pin;
    pin = former;
  }
  if (!second) {
    return;
  }
  if (is_nearest && *second >= 0 && is_redundant_anchor(c, t, *second, *first)) {
    *second = -1;
  }
  if (pin < 0 || is_redundant_anchor(c, t, pin, *first)) {
    return;
  }
  if (*second < 0 || rest_to_particle(c, t, pin) < rest_to_particle(c, t, *second)) {
    *second = pin;
  }
}

/* What a neighbour so many columns and rows away knows. */
static void propose_from_neighbour(const cloth *c, const anchor_search *t, int32_t columns, int32_t rows) {
  int32_t column = t->column + columns;
  int32_t row = t->row + rows;
  if (is_wrapped(c)) {
    column += column < 0 ? c->grid.columns : 0;
    column -= column >= c->grid.columns ? c->grid.columns : 0;
  }
  if (column < 0 || column >= c->grid.columns || row < 0 || row >= c->grid.rows) {
    return;
  }
  for (int32_t slot = 0; slot < c->settings.tethers.count; slot++) {
    propose_anchor(c, t, t->slots[slot][row * c->grid.columns + column]);
  }
}

static void set_cursor(const cloth *c, anchor_search *t, int32_t column) {
  column -= column >= c->grid.columns ? c->grid.columns : 0;
  t->column = column;
  t->particle = t->row * c->grid.columns + column;
}

/* Through the rows one way: each row hears from the one before, then from its left, then from its right; round a tube
   all that twice, as what comes first hears from what comes last. */
static void propagate_anchors(const cloth *c, int32_t rows) {
  anchor_search t;
  int32_t columns = is_wrapped(c) ? 2 * c->grid.columns : c->grid.columns;
  t.metric = metric_of(c, 1.0f);
  t.slots[0] = tethers_of(c, 0);
  t.slots[1] = c->settings.tethers.count > 1 ? tethers_of(c, 1) : NULL;
  for (int32_t n = 0; n < c->grid.rows; n++) {
    t.row = rows > 0 ? n : c->grid.rows - 1 - n;
    for (int32_t column = 0; column < columns; column++) {
      set_cursor(c, &t, column);
      propose_from_neighbour(c, &t, -1, 0 - rows);
      propose_from_neighbour(c, &t, 0, 0 - rows);
      propose_from_neighbour(c, &t, 1, 0 - rows);
      propose_from_neighbour(c, &t, -1, 0);
    }
    for (int32_t column = columns - 1; column >= 0; column--) {
      set_cursor(c, &t, column);
      propose_from_neighbour(c, &t, 1, 0);
    }
  }
}

CLOTH_SEPARATE void choose_tethers(const cloth *c) {
  for (int32_t i = 0; i < c->settings.tethers.count * c->count; i++) {
    tethers_of(c, 0)[i] = i < c->count && is_pinned(c, i) ? i : -1;
  }
  propagate_anchors(c, 1);
  propagate_anchors(c, -1);
  inputs_of(c)->tethers_chosen = TETHERS_CHOSEN;
}

/* Marks of a block of particles: it hangs on no pin, on one, on as many side by side in a row in the same order, or on
   any. */
enum { TETHERS_NONE, TETHERS_ONE, TETHERS_SIDE_BY_SIDE, TETHERS_MANY };

static uint8_t *tether_marks_of(const cloth *c, int32_t slot, int32_t row) {
  return (uint8_t *)at(c, c->scratch.tether_marks) + (slot * c->grid.rows + row) * tether_blocks(c);
}

static uint8_t tether_mark(const cloth *c, const int32_t *pins, int32_t count) {
  int are_one = 1, are_side_by_side = pins[0] / c->grid.columns == pins[count - 1] / c->grid.columns;
  for (int32_t n = 1; n < count; n++) {
    are_one &= pins[n] == pins[0];
    are_side_by_side &= pins[n] == pins[0] + n;
  }
  if (are_one) {
    return pins[0] < 0 ? TETHERS_NONE : TETHERS_ONE;
  }
  return are_side_by_side && pins[0] >= 0 ? TETHERS_SIDE_BY_SIDE : TETHERS_MANY;
}

/* Returns 1 if there are any. */
CLOTH_SEPARATE int32_t mark_tethers(const cloth *c) {
  int32_t any = 0;
  for (int32_t slot = 0; slot < c->settings.tethers.count; slot++) {
    for (int32_t row = 0; row < c->grid.rows; row++) {
      const int32_t *pins = tethers_of(c, slot) + row * c->grid.columns;
      uint8_t *marks = tether_marks_of(c, slot, row);
      for (int32_t column = 0; column < c->grid.columns; column += TETHER_BLOCK) {
        int32_t left = c->grid.columns - column;
        marks[column / TETHER_BLOCK] = tether_mark(c, pins + column, left < TETHER_BLOCK ? left : TETHER_BLOCK);
        any |= marks[column / TETHER_BLOCK] != TETHERS_NONE;
      }
    }
  }
  return any;
}

#endif

/* Takes the tethers off that lead to a particle. */
static void remove_tethers_to(const cloth *c, int32_t particle) {
  int32_t *pins = (int32_t *)at(c, c->state.tethers);
  for (int32_t i = 0; i < c->settings.tethers.count * c->count; i++) {
    pins[i] = pins[i] == particle ? -1 : pins[i];
  }
}

#if WITH_PROJECTION

static int check_tether(const cloth *c, int32_t particle, int32_t slot) {
  int error = check_particle(c, particle);
  if (error) {
    return error;
  }
  return slot >= 0 && slot < c->settings.tethers.count ? CLOTH_OK : CLOTH_ERROR_PROJECTION;
}

int cloth_set_tether(cloth *c, int32_t particle, int32_t slot, int32_t pin) {
  int error = check_tether(c, particle, slot);
  if (!error && pin != -1) {
    error = check_pin(c, pin);
  }
  if (error) {
    return error;
  }
  if (!c->has_scratch) {
    return CLOTH_ERROR_SCRATCH; /* choosing needs it */
  }
  if (inputs_of(c)->tethers_chosen == TETHERS_STALE) {
    choose_tethers(c);
  }
  inputs_of(c)->tethers_chosen = TETHERS_SET;
  set_input(c, &tethers_of(c, slot)[particle], &pin, sizeof pin);
  return CLOTH_OK;
}

int cloth_get_tether(const cloth *c, int32_t particle, int32_t slot, int32_t *pin) {
  int error = check_call(c, pin);
  if (!error) {
    error = check_tether(c, particle, slot);
  }
  if (!error) {
    *pin = inputs_of(c)->tethers_chosen == TETHERS_STALE ? -1 : tethers_of(c, slot)[particle];
  }
  return error;
}

int cloth_choose_tethers(cloth *c) {
  int error = check_tether(c, 0, 0);
  if (!error && inputs_of(c)->tethers_chosen == TETHERS_SET) {
    inputs_of(c)->tethers_chosen = TETHERS_STALE;
    wake(c);
  }
  return error;
}

#endif

/// Pull of the tethers ///

#if WITH_PROJECTION

/* The other ends of a block's tethers: where they are, and how long the tethers are, squared. */
typedef struct tether_ends {
  lanes3 pin;
  lanes rest;
} tether_ends;

/* A particle without a tether has an endless one to particle 0. */
#define TETHER_ENDLESS 1.0e30f

#if CLOTH_LANES > 1
CLOTH_SEPARATE void tethers_to_many(const cloth *c, rest_metric m, const int32_t *pins, int32_t row, int32_t column,
                                    tether_ends *ends) {
  float place[3][CLOTH_LANES];
  float rest[CLOTH_LANES];
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    int32_t pin = lane < c->grid.columns - column ? pins[lane] : -1;
    int32_t from = pin < 0 ? 0 : pin;
    int32_t pin_row = from / c->grid.columns;
    cloth_vector p = vector_load(predicted_of(c), from);
    lanes columns = lanes_splat((float)(column - (from - pin_row * c->grid.columns)) + lane_numbers[lane]);
    place[0][lane] = p.x;
    place[1][lane] = p.y;
    place[2][lane] = p.z;
    columns = shorter_columns(m, columns);
    rest[lane] = lanes_first_value(rest_squared(m, columns, lanes_splat((float)(row - pin_row))));
    rest[lane] = pin < 0 ? TETHER_ENDLESS : rest[lane];
  }
  ends->pin = lanes3_of(lanes_load(place[0]), lanes_load(place[1]), lanes_load(place[2]));
  ends->rest = lanes_load(rest);
}
#endif

/* Of the bodies that may be in the way of a tether. Their room is that of the forces' row buffers, which are spent by
   then. */
static obstacle_capsule *obstacles_of(const cloth *c) {
  return (obstacle_capsule *)at(c, c->scratch.row_buffers);
}

/* A little larger, as segments_within() rounds. Far from the origin, where that is not enough, the box decides: on
   every machine alike. */
static void set_box(obstacle_capsule *axis, float reach) {
  cloth_vector a = axis->from, b = vector_add(axis->from, axis->along);
  axis->low = vector(minimum(a.x, b.x) - reach, minimum(a.y, b.y) - reach, minimum(a.z, b.z) - reach);
  axis->high = vector(maximum(a.x, b.x) + reach, maximum(a.y, b.y) + reach, maximum(a.z, b.z) + reach);
}

/* Finds these where they are at the end of the step. Returns how many there are. */
CLOTH_SEPARATE int32_t find_obstacles(const cloth *c) {
  obstacle_capsule *axes = obstacles_of(c);
  int32_t count = 0;
  for (int32_t index = 0; WITH_COLLIDERS && index < inputs_of(c)->collider_end; index++) {
    const collider_slot *slot = &colliders_of(c)[index];
    if (slot->used && slot->body.shape != CLOTH_SHAPE_PLANE) {
      obstacle_capsule *axis = &axes[count++];
      float reach = capsule_around(&slot->body, slot->body.pose.rotation, &axis->from, &axis->along);
      axis->from = vector_add(slot->body.pose.position, axis->from);
      axis->squared_reach = reach * reach;
      set_box(axis, reach * 1.0001f + STATE_QUANTUM);
    }
  }
  return count;
}

/* Straight ways from particles to pins, and the boxes around them. */
typedef struct tether_segments {
  lanes3 from, to;
  lanes3 low, high;
} tether_segments;

/* Which ways come nearer to an axis than its reach: the nearest points of two segments. */
CLOTH_INLINE lanes_mask segments_within(const tether_segments *w, const obstacle_capsule *axis) {
  lanes tiny = lanes_splat(1.0e-12f);
  lanes3 way = lanes3_flush_below(lanes3_subtract(w->to, w->from), STATE_QUANTUM);
  lanes a = lanes_maximum(lanes3_dot(way, way), tiny);
  lanes3 apart = lanes3_flush_below(lanes3_subtract(w->from, lanes3_splat(axis->from)), STATE_QUANTUM);
  lanes c = lanes_flush(lanes3_dot(way, apart));
  float squared_length = vector_dot(axis->along, axis->along); /* 0 for a sphere */
  if (squared_length > 0.0f) {
    lanes3 along = lanes3_splat(axis->along);
    lanes e = lanes_splat(maximum(squared_length, 1.0e-12f));
    lanes b = lanes_flush(lanes3_dot(way, along));
    lanes f = lanes_flush(lanes3_dot(along, apart));
    lanes crossing = lanes_subtract(lanes_multiply(a, e), lanes_multiply(b, b));
    lanes s = lanes_subtract(lanes_multiply(b, f), lanes_multiply(c, e));
    s = clamped_to_one(lanes_flush(lanes_divide(s, lanes_maximum(crossing, tiny))));
    lanes t = clamped_to_one(lanes_flush(lanes_divide(lanes_add(lanes_multiply(b, s), f), e)));
    c = lanes_subtract(c, lanes_multiply(b, t));
    apart = lanes3_subtract(apart, lanes3_scale(along, t));
  }
  lanes s = clamped_to_one(lanes_flush(lanes_divide(lanes_subtract(lanes_splat(0.0f), c), a)));
  lanes3 gap = lanes3_flush(lanes3_add_scaled(apart, way, s));
  return lanes_less(lanes3_dot(gap, gap), lanes_splat(axis->squared_reach));
}

CLOTH_INLINE lanes_mask overlap(lanes low, lanes high, float other_low, float other_high) {
  return lanes_both(lanes_less(low, lanes_splat(other_high)), lanes_less(lanes_splat(other_low), high));
}

/* Which ways go through the box around a capsule: most go past it. */
CLOTH_INLINE lanes_mask boxes_overlap(const tether_segments *w, const obstacle_capsule *axis) {
  lanes_mask near = overlap(w->low.z, w->high.z, axis->low.z, axis->high.z);
  near = lanes_both(near, overlap(w->low.x, w->high.x, axis->low.x, axis->high.x));
  return lanes_both(near, overlap(w->low.y, w->high.y, axis->low.y, axis->high.y));
}

/* Lets go of tethers with something solid in their straight way, of `left` particles. Only asked for those that would
   pull. */
CLOTH_SEPARATE void release_blocked(const cloth *c, const lanes3 *p, const lanes3 *pin, lanes_mask taut, int32_t left,
                                    lanes *share) {
  const obstacle_capsule *axes = obstacles_of(c);
  int32_t count = workspace_of(c)->obstacles;
  uint32_t work = count_within(taut, left) * (uint32_t)count * COST_PASSED;
  tether_segments w = {*p, *pin, lanes3_minimum(*p, *pin), lanes3_maximum(*p, *pin)};
  for (int32_t n = 0; n < count; n++) {
    lanes_mask near = lanes_both(taut, boxes_overlap(&w, &axes[n]));
    if (lanes_any(near) || c->settings.capacity.fixed_work) {
      work += count_within(near, left) * COST_UNBLOCKED;
      *share = lanes_drop(lanes_both(near, segments_within(&w, &axes[n])), *share);
    }
  }
  add_varying_work(c, work, 1);
}

/* Pulls the particles of a block that are beyond reach back along their tethers. Most are not, which is quick to see.
 */
CLOTH_INLINE void pull_block(const cloth *c, const tether_ends *ends, int32_t i, int32_t left) {
  uint32_t obstacles = (uint32_t)workspace_of(c)->obstacles;
  vector_array x = predicted_of(c);
  lanes3 p = lanes3_load(x, i);
  lanes3 d = lanes3_subtract(p, ends->pin);
  lanes squared = lanes3_dot(d, d);
  lanes moves = lanes_load(floats_at(c, c->scratch.mobility) + i);
  lanes_mask taut = lanes_both(lanes_less(ends->rest, squared), lanes_less(lanes_splat(0.0f), moves));
  if (!lanes_any(taut) && !c->settings.capacity.fixed_work) {
    return;
  }
  lanes over = lanes_subtract(squared, ends->rest);
  lanes below = lanes_maximum(lanes_add(squared, ends->rest), lanes_splat(1.0e-12f));
  lanes share = lanes_keep(taut, lanes_divide(over, below));
  if (obstacles) {
    release_blocked(c, &p, &ends->pin, taut, left, &share);
  }
  lanes3_store(x, i, lanes3_subtract(p, constraint_correction(d, share)), left);
}

/* From a row on: in how many rows the same pins hold a block of columns in the same way. */
static int32_t rows_alike(const cloth *c, int32_t slot, int32_t row, int32_t column) {
  const int32_t *pins = tethers_of(c, slot) + column;
  int32_t pin = pins[row * c->grid.columns];
  uint8_t mark = tether_marks_of(c, slot, row)[column / TETHER_BLOCK];
  int32_t end = row + 1;
  while (end < c->grid.rows && tether_marks_of(c, slot, end)[column / TETHER_BLOCK] == mark &&
         pins[end * c->grid.columns] == pin) {
    end++;
  }
  return end - row;
}

/* Rows of a block of columns that hang alike: on a pin, or on the pins from there on if they are side by side. */
typedef struct tether_piece {
  rest_metric metric;
  int32_t pin, side_by_side;
  int32_t row, rows, column;
} tether_piece;

/* So many columns from the piece's first. */
CLOTH_INLINE void pull_columns(const cloth *c, const tether_piece *piece, int32_t from) {
  vector_array x = predicted_of(c);
  int32_t pin_row = piece->pin / c->grid.columns;
  int32_t pin_column = piece->pin - pin_row * c->grid.columns;
  int32_t column = piece->column + from;
  tether_ends ends;
  lanes columns;
  if (piece->side_by_side) {
    ends.pin = lanes3_load(x, piece->pin + from);
    columns = lanes_splat((float)(piece->column - pin_column));
  } else {
    ends.pin = lanes3_splat(vector_load(x, piece->pin));
    columns = lanes_add(lanes_splat((float)(column - pin_column)), lanes_load(lane_numbers));
  }
  columns = shorter_columns(piece->metric, columns);
  for (int32_t row = piece->row; row < piece->row + piece->rows; row++) {
    ends.rest = rest_squared(piece->metric, columns, lanes_splat((float)(row - pin_row)));
    pull_block(c, &ends, row * c->grid.columns + column, c->grid.columns - column);
  }
}

CLOTH_HOT CLOTH_SEPARATE void pull_piece(const cloth *c, const tether_piece *whole) {
  tether_piece piece = *whole;
  for (int32_t from = 0; from < TETHER_BLOCK && piece.column + from < c->grid.columns; from += CLOTH_LANES) {
    pull_columns(c, &piece, from);
  }
}

CLOTH_SEPARATE void pull_to_many(const cloth *c, const rest_metric *m, const int32_t *pins, int32_t row, int32_t from,
                                 int32_t to) {
  for (int32_t column = from; column < to; column += CLOTH_LANES) {
    int32_t i = row * c->grid.columns + column;
    tether_ends ends;
#if CLOTH_LANES > 1
    tethers_to_many(c, *m, pins + i, row, column, &ends);
#else
    int32_t pin_row = pins[i] / c->grid.columns;
    if (pins[i] < 0) {
      continue;
    }
    ends.pin = lanes3_splat(vector_load(predicted_of(c), pins[i]));
    lanes columns = shorter_columns(*m, lanes_splat((float)(column - (pins[i] - pin_row * c->grid.columns))));
    ends.rest = rest_squared(*m, columns, lanes_splat((float)(row - pin_row)));
#endif
    pull_block(c, &ends, i, to - column);
  }
}

/* Tethers of one slot. */
static void pull_tethers(const cloth *c, int32_t slot) {
  tether_piece piece;
  piece.metric = metric_of(c, c->settings.tethers.scale);
  for (piece.column = 0; piece.column < c->grid.columns; piece.column += TETHER_BLOCK) {
    int32_t end = piece.column + TETHER_BLOCK < c->grid.columns ? piece.column + TETHER_BLOCK : c->grid.columns;
    for (piece.row = 0; piece.row < c->grid.rows; piece.row += piece.rows) {
      int mark = tether_marks_of(c, slot, piece.row)[piece.column / TETHER_BLOCK];
      piece.rows = mark == TETHERS_MANY ? 1 : rows_alike(c, slot, piece.row, piece.column);
      piece.pin = tethers_of(c, slot)[piece.row * c->grid.columns + piece.column];
      piece.side_by_side = mark == TETHERS_SIDE_BY_SIDE;
      if (mark == TETHERS_MANY) {
        pull_to_many(c, &piece.metric, tethers_of(c, slot), piece.row, piece.column, end);
      } else if (mark != TETHERS_NONE) {
        pull_piece(c, &piece);
      }
    }
  }
}

#endif

/// Contact by projection ///

/* What lies farther away than this is not touched. A body that turns sweeps a sphere. */
static void set_reach(const cloth_collider *body, moving_body *m) {
  m->reach = (body_reach(body) + m->margin) * 1.0001f;
  m->inverse_squared = 0.0f;
  if (m->turns || body->shape == CLOTH_SHAPE_PLANE || body->shape == CLOTH_SHAPE_SPHERE) {
    return;
  }
  m->axis_reach = (capsule_around(body, m->end.rotation, &m->from, &m->along) + m->margin) * 1.0001f;
  float squared = vector_dot(m->along, m->along);
  m->inverse_squared = squared > 1.0e-6f ? 1.0f / squared : 0.0f;
}

/* A collider's motion in a substep. It stands in the workspace until another is asked for. */
CLOTH_SEPARATE const moving_body *body_in_substep(const cloth *c, const step_plan *plan, int32_t index,
                                                  int32_t substep) {
  const collider_slot *slot = &colliders_of(c)[index];
  moving_body *m = &workspace_of(c)->body;
  if (m->index == index && m->substep == substep) {
    return m;
  }
  m->start = pose_between(&slot->previous, &slot->body.pose, (float)substep / (float)plan->substeps);
  m->end = pose_between(&slot->previous, &slot->body.pose, (float)(substep + 1) / (float)plan->substeps);
  cloth_rotation before = m->start.rotation;
  cloth_rotation after = m->end.rotation;
  m->turns = before.x != after.x || before.y != after.y || before.z != after.z || before.w != after.w;
  m->aligned = slot->body.shape == CLOTH_SHAPE_SPHERE && !m->turns;
  /* Contacts held by the solver linger at a tenth of their depth; the projection only catches what it missed. */
  m->margin = has_solver_contacts(c) ? 0.5f * c->settings.contact.thickness : c->settings.contact.thickness;
  set_reach(&slot->body, m);
  m->index = index;
  m->substep = substep;
  return m;
}

static const cloth_collider *shape_of(const cloth *c, const moving_body *m) {
  CLOTH_ASSERT(m->index >= 0 && m->index < inputs_of(c)->collider_end);
  return &colliders_of(c)[m->index].body;
}

/* Contacts of a block of particles with one collider, in the collider's axes at the end of the substep. */
typedef struct contact_block {
  lanes3 from, to; /* where the particles' ways lead from and to */
  lanes3 normal;
  lanes push;    /* along the normal [m] */
  lanes touches; /* 1 for those that touch, else 0 */
} contact_block;

/* Spheres, the commonest bodies, where the kernel is. */
CLOTH_INLINE lanes distance_of_block(const cloth_collider *body, lanes3 p, lanes3 *normal) {
  if (UNIFORM_KERNELS && body->shape == CLOTH_SHAPE_SPHERE) {
    return distance_to_sphere(p, lanes_splat(body->radius), normal);
  }
  return distance_to_body(body, p, normal);
}

/* What tells whether particles are near a collider's path. A copy of its own, which compilers can keep in registers. */
typedef struct path_test {
  vector_array from, to;   /* of particles */
  cloth_vector start, end; /* where the collider is */
  float squared_reach;     /* of the sphere around it, or the capsule; a little more */
} path_test;

static path_test path_test_of(const cloth *c, const moving_body *m, float reach) {
  path_test t = {vectors_at(c, c->state.position), predicted_of(c), m->start.position, m->end.position,
                 1.0625f * reach * reach};
  return t;
}

/* Ways of particles in a substep, in a frame that goes with a collider but does not turn. */
CLOTH_INLINE lanes3 relative_displacement(const path_test *t, int32_t i, lanes3 *to) {
  lanes3 a = lanes3_subtract(lanes3_load(t->from, i), lanes3_splat(t->start));
  *to = lanes3_subtract(lanes3_load(t->to, i), lanes3_splat(t->end));
  return lanes3_flush(lanes3_subtract(*to, a));
}

/* With a particle at b after a way w, in the collider's frame, its nearest point is |b| - |w| away or more; and
   (r + w)^2 <= 17/16 r^2 + 17 w^2. */
CLOTH_INLINE lanes_mask is_path_near(const path_test *t, lanes3 b, lanes3 way) {
  lanes bound = lanes_multiply(lanes_splat(17.0f), lanes3_dot(way, way));
  return lanes_less(lanes3_dot(b, b), lanes_add(bound, lanes_splat(t->squared_reach)));
}

/* Which particles are near enough to a collider's path to touch it. */
CLOTH_INLINE lanes_mask near_body(const path_test *t, int32_t i) {
  lanes3 b;
  lanes3 way = relative_displacement(t, i, &b);
  return is_path_near(t, b, way);
}

/* Of those, which are near the capsule around a long body that does not turn, too? Returns 1 if any. */
CLOTH_SEPARATE int cull_by_capsule(const cloth *c, const moving_body *m, int32_t i, lanes_mask *near) {
  const path_test t = path_test_of(c, m, m->axis_reach);
  lanes3 b;
  lanes3 way = relative_displacement(&t, i, &b);
  lanes3 along = lanes3_splat(m->along);
  b = lanes3_flush_below(lanes3_subtract(b, lanes3_splat(m->from)), STATE_QUANTUM);
  lanes place = lanes_flush(lanes_multiply(lanes3_dot(b, along), lanes_splat(m->inverse_squared)));
  b = lanes3_flush(lanes3_subtract(b, lanes3_scale(along, clamped_to_one(place))));
  *near = lanes_both(*near, is_path_near(&t, b, way));
  return lanes_any(*near);
}

CLOTH_INLINE lanes3 to_local_lanes(const moving_body *m, const cloth_pose *pose, lanes3 p) {
  p = lanes3_flush_below(lanes3_subtract(p, lanes3_splat(pose->position)), STATE_QUANTUM);
  if (!m->aligned) {
    p = lanes3_flush_below(lanes3_rotate(rotation_conjugate(pose->rotation), p), STATE_QUANTUM);
  }
  return p;
}

/*
 * Ways whose ends do not tell whether they touch are traced: where does the segment from a point outside first come
 * within the margin? There it touches, with the normal of that place and the depth of its end below the tangent plane.
 * All shapes are convex, so the distance is a convex function of the way: Newton's steps never go too far, and a path
 * that moves away is clear. `normal_before` and `distance` are those of the start, and `under_way` is 1 for lanes
 * to be traced.
 */
CLOTH_SEPARATE void trace_block(const cloth *c, const cloth_collider *body, float margin, contact_block *b,
                                const lanes3 *normal_before, lanes distance, lanes under_way) {
  lanes zero = lanes_splat(0.0f);
  lanes one = lanes_splat(1.0f);
  lanes3 way = lanes3_subtract(b->to, b->from);
  lanes3 normal = *normal_before;
  lanes t = zero;
  add_varying_work(c, lanes_count(under_way), trace_cost(body));
  b->touches = lanes_drop(lanes_less(zero, under_way), b->touches);
  for (int32_t step = 0;
       step < TRACE_STEPS && (c->settings.capacity.fixed_work || lanes_any(lanes_less(zero, under_way))); step++) {
    lanes closing = lanes_flush(lanes_subtract(zero, lanes3_dot(way, normal)));
    t = lanes_add(t, lanes_divide(distance, lanes_maximum(closing, lanes_splat(WORK_QUANTUM))));
    t = lanes_minimum(t, one);
    under_way = lanes_keep(lanes_both(lanes_less(zero, closing), lanes_less(t, one)), under_way);
    distance = distance_to_body(body, lanes3_add_scaled(b->from, way, t), &normal);
    distance = lanes_subtract(distance, lanes_splat(margin));
    lanes_mask hits = lanes_less(distance, lanes_splat(step == TRACE_STEPS - 1 ? 1.0e30f : TRACE_CLEARANCE));
    hits = lanes_both(hits, lanes_less(zero, under_way));
    lanes depth = lanes_subtract(zero, lanes_multiply(lanes3_dot(way, normal), lanes_subtract(one, t)));
    b->normal = lanes3_select(hits, normal, b->normal);
    b->push = lanes_select(hits, depth, b->push);
    b->touches = lanes_select(lanes_both(hits, lanes_less(zero, depth)), one, b->touches);
    under_way = lanes_drop(hits, under_way);
  }
}

/*
 * Do particles that go from a to b touch the collider? If so, with the contact's normal and the distance to push b
 * along it. A particle at rest lies at the margin to rounding, on either side of it; so whatever is outside the bare
 * surface counts as starting outside. Where a particle has entered through another side than the nearest one, of a thin
 * or sharp body, and where the way between two points outside may have touched, the way is traced. Distances change by
 * no more than the way travelled, so a short one cannot have.
 */
CLOTH_INLINE void find_contacts(const cloth *c, const moving_body *m, int32_t i, lanes_mask near, contact_block *b) {
  const cloth_collider *body = shape_of(c, m);
  lanes zero = lanes_splat(0.0f);
  lanes one = lanes_splat(1.0f);
  lanes margin = lanes_splat(m->margin);
  lanes3 normal_before;
  b->from = to_local_lanes(m, &m->start, lanes3_load(vectors_at(c, c->state.position), i));
  b->to = to_local_lanes(m, &m->end, lanes3_load(predicted_of(c), i));
  lanes before = lanes_subtract(distance_of_block(body, b->from, &normal_before), margin);
  lanes after = lanes_subtract(distance_of_block(body, b->to, &b->normal), margin);
  lanes3 way = lanes3_subtract(b->to, b->from);
  lanes length = lanes3_length(way);
  lanes_mask inside = lanes_less(after, zero);
  lanes_mask starts_inside = lanes_less(before, lanes_splat(0.0f - maximum(m->margin, TRACE_CONTACT)));
  lanes_mask same_side = lanes_less(zero, lanes3_dot(normal_before, b->normal));
  lanes_mask too_long = lanes_less(lanes_add(lanes_maximum(before, zero), after), length);
  lanes uncertain = lanes_select(inside, lanes_select(same_side, zero, one), lanes_select(too_long, one, zero));
  uncertain = lanes_keep(near, lanes_select(starts_inside, zero, uncertain));
  b->push = lanes_subtract(zero, after);
  b->touches = lanes_keep(near, lanes_select(inside, one, zero));
  /* What starts at the margin, as all that slides does, touches there or not at all: the trace's first step. */
  lanes_mask at_once = lanes_both(lanes_less(zero, uncertain), lanes_less(before, lanes_splat(TRACE_CLEARANCE)));
  lanes depth = lanes_subtract(zero, lanes3_dot(way, normal_before));
  b->normal = lanes3_select(at_once, normal_before, b->normal);
  b->push = lanes_select(at_once, depth, b->push);
  b->touches = lanes_select(at_once, lanes_select(lanes_less(zero, depth), one, zero), b->touches);
  uncertain = lanes_drop(at_once, uncertain);
  if (lanes_any(lanes_less(zero, uncertain)) || c->settings.capacity.fixed_work) {
    trace_block(c, body, m->margin, b, &normal_before, before, uncertain);
  }
}

/* Sums of what the particles do to a collider. */
typedef struct reaction_sums {
  lanes_sum impulse[3];
  lanes_sum torque[3];
  lanes_sum touching;
  lanes_sum sticking;
  lanes_sum near;
} reaction_sums;

/* Lanes that touch nothing may lie beyond the last particle, where anything may stand. */
static void sum_reactions(const cloth *c, const moving_body *m, int32_t i, lanes_mask touches, lanes3 where,
                          lanes3 impulse, reaction_sums *sums) {
  lanes3 arm = lanes3_flush(lanes3_subtract(where, lanes3_splat(shape_of(c, m)->pose.position)));
  arm = lanes3_keep(touches, arm);
  impulse = lanes3_flush_below(impulse, INPUT_QUANTUM);
  lanes3 torque = lanes3_cross(arm, impulse);
  lanes_sum_add(&sums->impulse[0], i, impulse.x);
  lanes_sum_add(&sums->impulse[1], i, impulse.y);
  lanes_sum_add(&sums->impulse[2], i, impulse.z);
  lanes_sum_add(&sums->torque[0], i, torque.x);
  lanes_sum_add(&sums->torque[1], i, torque.y);
  lanes_sum_add(&sums->torque[2], i, torque.z);
}

/*
 * Coulomb's law for displacements relative to the surface in one substep, with the particles pushed out along the
 * normal: what was moving inwards is stopped and no more (a push from a depth that was there before adds no speed), and
 * that stop times the friction coefficient bounds what friction takes from the sliding.
 */
CLOTH_INLINE void respond_to_contacts(const cloth *c, const step_plan *plan, const moving_body *m, int32_t i,
                                      const contact_block *b, reaction_sums *sums) {
  const cloth_collider *body = shape_of(c, m);
  vector_array x = predicted_of(c);
  vector_array v = vectors_at(c, c->state.velocity);
  lanes zero = lanes_splat(0.0f);
  lanes one = lanes_splat(1.0f);
  lanes_mask touches = lanes_less(zero, b->touches);
  /* Nothing moves what does not touch, or lies beyond the last particle and may stand anywhere. */
  lanes3 motion = lanes3_keep(touches, lanes3_subtract(b->to, b->from));
  lanes push = lanes_keep(touches, b->push);
  lanes approach = lanes3_dot(motion, b->normal);
  lanes stop = lanes_minimum(push, lanes_maximum(lanes_subtract(zero, approach), zero));
  lanes3 slip = lanes3_subtract(motion, lanes3_scale(b->normal, approach));
  slip = lanes3_flush_below(slip, STATE_QUANTUM);
  lanes distance = lanes_square_root(lanes3_dot(slip, slip));
  lanes_mask slides = lanes_less(lanes_multiply(lanes_splat(body->static_friction), stop), distance);
  lanes braking = lanes_multiply(lanes_splat(body->kinetic_friction), stop);
  lanes held = lanes_minimum(lanes_divide(braking, lanes_maximum(distance, lanes_splat(STATE_QUANTUM))), one);
  lanes3 friction = lanes3_scale(slip, lanes_subtract(zero, lanes_select(slides, held, one)));
  lanes3 shift = lanes3_keep(touches, lanes3_add_scaled(friction, b->normal, push));
  lanes3 change = lanes3_keep(touches, lanes3_add_scaled(friction, b->normal, stop));
  if (!m->aligned) {
    shift = lanes3_rotate(m->end.rotation, shift);
    change = lanes3_rotate(m->end.rotation, change);
  }
  change = lanes3_scale(change, lanes_splat(plan->inverse_h));
  lanes3 where = lanes3_add(lanes3_load(x, i), shift);
  lanes3_store(x, i, where, c->count - i);
  lanes3_store(v, i, lanes3_add(lanes3_load(v, i), change), c->count - i);
  if (c->state.velocity_history) {
    float *history = history_of(c, 1).x + i;
    lanes kept = lanes_select(touches, lanes_splat(HISTORY_INVALID), lanes_load(history));
    lanes_store_first(history, kept, c->count - i);
  }
  lanes mass = lanes_multiply(lanes_splat(reference_mass(c)), mass_ratio_lanes(c, i));
  sum_reactions(c, m, i, touches, where, lanes3_scale(change, mass), sums);
  lanes_sum_add(&sums->touching, i, b->touches);
  lanes_sum_add(&sums->sticking, i, lanes_select(slides, zero, b->touches));
}

static void store_reactions(const cloth *c, const moving_body *m, const reaction_sums *sums, cloth_statistics *counts) {
  cloth_reaction *reaction = &reactions_of(c)[m->index];
  const lanes_sum *s = sums->impulse;
  cloth_vector impulse = vector(lanes_sum_total(&s[0]), lanes_sum_total(&s[1]), lanes_sum_total(&s[2]));
  s = sums->torque;
  cloth_vector torque = vector(lanes_sum_total(&s[0]), lanes_sum_total(&s[1]), lanes_sum_total(&s[2]));
  reaction->impulse = vector_subtract(reaction->impulse, impulse);
  reaction->torque = vector_subtract(reaction->torque, torque);
  counts->contacts += (int32_t)lanes_sum_total(&sums->touching);
  counts->contacts_sticking += (int32_t)lanes_sum_total(&sums->sticking);
  add_varying_work(c, (uint32_t)lanes_sum_total(&sums->near), near_cost(shape_of(c, m)));
  add_varying_work(c, (uint32_t)lanes_sum_total(&sums->touching), COST_RESPOND);
}

/* Contacts of those particles of a block that are near a collider. */
CLOTH_HOT CLOTH_SEPARATE void collide_block(const cloth *c, const step_plan *plan, const moving_body *m, int32_t i,
                                            const lanes_mask *near, reaction_sums *sums) {
  contact_block b;
  lanes_sum_add(&sums->near, i, lanes_keep(*near, lanes_splat(1.0f)));
  find_contacts(c, m, i, *near, &b);
  if (lanes_any(lanes_less(lanes_splat(0.0f), b.touches)) || c->settings.capacity.fixed_work) {
    respond_to_contacts(c, plan, m, i, &b, sums);
  }
}

/* Most blocks are far away. */
CLOTH_HOT CLOTH_SEPARATE void collide_body(const cloth *c, const step_plan *plan, const moving_body *m,
                                           cloth_statistics *counts) {
  const float *mobility = floats_at(c, c->scratch.mobility);
  const path_test test = path_test_of(c, m, m->reach);
  const int32_t count = c->count, fixed_work = c->settings.capacity.fixed_work;
  const int has_axis = m->inverse_squared > 0.0f;
  reaction_sums sums;
  fill_zero(&sums, sizeof sums);
  for (int32_t i = 0; i < count; i += CLOTH_LANES) {
    lanes_mask near = lanes_both(near_body(&test, i), lanes_less(lanes_splat(0.0f), lanes_load(mobility + i)));
    if (count - i < CLOTH_LANES) {
      near = lanes_both(near, lanes_first(count - i));
    }
    if (!lanes_any(near) && !fixed_work) {
      continue;
    }
    if (!has_axis || cull_by_capsule(c, m, i, &near) || fixed_work) {
      collide_block(c, plan, m, i, &near, &sums);
    }
  }
  store_reactions(c, m, &sums, counts);
}

/* Takes every particle out of every collider, in the order of the colliders. */
CLOTH_SEPARATE void project_contacts(const cloth *c, const step_plan *plan, int32_t substep, cloth_statistics *counts) {
  int32_t end = inputs_of(c)->collider_end;
  for (int32_t index = 0; index < end; index++) {
    if (colliders_of(c)[index].used) {
      collide_body(c, plan, body_in_substep(c, plan, index, substep), counts);
    }
  }
}

/// Contact in the solver ///

static void add_reaction(const cloth *c, const moving_body *m, cloth_vector where, cloth_vector impulse) {
  cloth_reaction *reaction = &reactions_of(c)[m->index];
  cloth_vector arm = vector_flush_work(vector_subtract(where, shape_of(c, m)->pose.position));
  impulse = vector_flush(impulse, INPUT_QUANTUM);
  reaction->impulse = vector_subtract(reaction->impulse, impulse);
  reaction->torque = vector_subtract(reaction->torque, vector_cross(arm, impulse));
}

/* Share of a penetration that a substep takes back; the rest keeps the contact alive (thesis section 3.4.2). */
#define CONTACT_RELAXATION 0.9f
/* A particle slower than this along a surface it has just met sticks to it [m/s]. */
#define STICK_SPEED 0.02f
/* A released particle that comes back no faster than this stays free, so that the solve can lift it off [m/s]. */
#define RELEASE_SPEED 1.0e-3f

/* A particle in contact stays so until it is this far from touching [m]: constraints that came and went with every
   substep would let go of what friction holds. */
#define CONTACT_SLOP 1.0e-4f

/* The deepest collider a particle is in at the start of the substep, deeper than `least`; returns its index or -1. */
static int32_t deepest_body(const cloth *c, const step_plan *plan, int32_t substep, cloth_vector p, float least,
                            cloth_vector *normal, float *depth) {
  int32_t deepest = -1;
  *depth = least;
  for (int32_t index = 0; index < inputs_of(c)->collider_end; index++) {
    if (!colliders_of(c)[index].used) {
      continue;
    }
    const moving_body *m = body_in_substep(c, plan, index, substep);
    cloth_vector n;
    float inside = c->settings.contact.thickness - distance_of_point(shape_of(c, m), to_local(&m->start, p), &n);
    if (inside > *depth) {
      *depth = inside;
      *normal = rotate(m->start.rotation, n);
      deepest = index;
    }
  }
  return deepest;
}

/* Velocity of the point of a body that is at p when the substep starts. */
static cloth_vector surface_velocity(const step_plan *plan, const moving_body *m, cloth_vector p) {
  cloth_vector moved = to_world(&m->end, to_local(&m->start, p));
  return vector_scale(vector_subtract(moved, p), plan->inverse_h);
}

/* Velocity that takes back a share of a penetration in one substep. It moves the position and is then dropped: kept, it
   would throw the particle off the surface. */
static float push_speed(const step_plan *plan, float depth) {
  return CONTACT_RELAXATION * maximum(depth, 0.0f) * plan->inverse_h;
}

static float depth_in_body(const cloth *c, const moving_body *m, cloth_vector p) {
  cloth_vector normal;
  return c->settings.contact.thickness - distance_of_point(shape_of(c, m), to_local(&m->start, p), &normal);
}

/* Sets up the constraint of one particle: its kind, normal, and the velocity change z it prescribes. */
static cloth_vector constrain_particle(const cloth *c, const step_plan *plan, int32_t substep, int32_t i) {
  uint32_t *info = &contact_info_of(c)[i];
  uint32_t earlier = *info;
  uint32_t before = CONTACT_KIND(earlier);
  cloth_vector p = vector_load(vectors_at(c, c->state.position), i);
  cloth_vector v = vector_load(vectors_at(c, c->state.velocity), i);
  cloth_vector nothing = vector(0.0f, 0.0f, 0.0f);
  cloth_vector normal;
  float depth;
  int32_t index = -1;
  if ((freedom_of(c)[i] & FREEDOM_MASK) == FREEDOM_FREE) {
    float least = before == CONTACT_STICK || before == CONTACT_SLIDE ? 0.0f - CONTACT_SLOP : 0.0f;
    index = deepest_body(c, plan, substep, p, least, &normal, &depth);
  }
  *info = CONTACT_NONE;
  if (index < 0) {
    return nothing;
  }
  const moving_body *m = body_in_substep(c, plan, index, substep);
  cloth_vector relative = vector_flush_work(vector_subtract(v, surface_velocity(plan, m, p)));
  normal = vector_flush_work(normal);
  float outward = flush_small(vector_dot(relative, normal), WORK_QUANTUM);
  if (before == CONTACT_RELEASED && outward > 0.0f - RELEASE_SPEED) {
    *info = CONTACT_WORD(index, 0, CONTACT_RELEASED);
    return nothing;
  }
  float target = push_speed(plan, depth);
  cloth_vector slip = vector_add_scaled(relative, normal, 0.0f - outward);
  int sticks = before == CONTACT_STICK || (before != CONTACT_SLIDE && vector_length(slip) < STICK_SPEED);
  uint32_t dwell = before == CONTACT_SLIDE ? CONTACT_DWELL(earlier) : SLIDE_DWELL;
  *info = CONTACT_WORD(index, sticks ? 0 : dwell, sticks ? CONTACT_STICK : CONTACT_SLIDE);
  vector_store(vectors_at(c, c->scratch.contact_normal), i, normal);
  cloth_vector change = vector_scale(normal, target - outward);
  return vector_flush_work(sticks ? vector_subtract(change, slip) : change);
}

/* Finds the contacts of a substep. The prescribed changes z are left in the direction. Returns how many there are. */
CLOTH_SEPARATE int32_t find_solver_contacts(const cloth *c, const step_plan *plan, int32_t substep) {
  vector_array z = vectors_at(c, c->scratch.direction);
  int32_t contacts = 0;
  fill_vectors(c, z, 0.0f);
  for (int32_t i = 0; i < c->count; i++) {
    vector_store(z, i, constrain_particle(c, plan, substep, i));
    uint32_t kind = CONTACT_KIND(contact_info_of(c)[i]);
    contacts += kind == CONTACT_STICK || kind == CONTACT_SLIDE;
  }
  add_work(c, (uint32_t)contacts, COST_HELD);
  return contacts;
}

/* The constraint force on a particle, the opposite of the unprojected residual (thesis section 3.4.2), as a velocity
   change times the mass ratio. In directions that are free the residual is only what the solver left over. What gave
   the particle its push, to be dropped again, does not press. */
static cloth_vector constraint_force(const cloth *c, int32_t i, float push) {
  cloth_vector normal = vector_load(vectors_at(c, c->scratch.contact_normal), i);
  cloth_vector residual = vector_load(vectors_at(c, c->scratch.residual), i);
  if (CONTACT_KIND(contact_info_of(c)[i]) == CONTACT_SLIDE) {
    residual = vector_scale(normal, vector_dot(residual, normal));
  }
  return vector_add_scaled(vector_scale(residual, -1.0f), normal, 0.0f - push * mass_ratio_at(c, i));
}

/*
 * What the constraint force of one particle means: an attractive one is released, static friction that is exceeded
 * gives way, and kinetic friction brakes. Returns the velocity to add. Release and slipping take effect in the next
 * solve: to undo a stiff constraint force here, particle by particle, would be an explicit step on a stiff spring.
 * Braking can only take speed away.
 */
static cloth_vector resolve_contact(const cloth *c, const moving_body *m, int32_t i, cloth_vector relative,
                                    cloth_vector force) {
  uint32_t *info = &contact_info_of(c)[i];
  uint32_t dwell = CONTACT_DWELL(*info);
  cloth_vector nothing = vector(0.0f, 0.0f, 0.0f);
  cloth_vector normal = vector_load(vectors_at(c, c->scratch.contact_normal), i);
  float pressing = vector_dot(force, normal);
  if (pressing < 0.0f) {
    *info = CONTACT_WORD(m->index, 0, CONTACT_RELEASED);
    return nothing;
  }
  if (CONTACT_KIND(*info) == CONTACT_STICK) {
    float pull = vector_length(vector_add_scaled(force, normal, 0.0f - pressing));
    *info =
        pull > shape_of(c, m)->static_friction * pressing ? CONTACT_WORD(m->index, SLIDE_DWELL, CONTACT_SLIDE) : *info;
    return nothing;
  }
  cloth_vector slip = vector_add_scaled(relative, normal, 0.0f - vector_dot(relative, normal));
  float speed = vector_length(slip);
  float braking = shape_of(c, m)->kinetic_friction * pressing * floats_at(c, c->scratch.mobility)[i];
  int stops = speed <= braking;
  int sticks = stops && dwell == 0;
  *info = CONTACT_WORD(m->index, dwell > 0 ? dwell - 1 : 0, sticks ? CONTACT_STICK : CONTACT_SLIDE);
  return vector_scale(slip, stops ? -1.0f : 0.0f - braking / speed);
}

/* After the solve, with the velocities updated: friction, release and reactions of all contacts. */
CLOTH_SEPARATE void resolve_contacts(const cloth *c, const step_plan *plan, int32_t substep, cloth_statistics *counts) {
  vector_array x = vectors_at(c, c->state.position);
  vector_array v = vectors_at(c, c->state.velocity);
  for (int32_t i = 0; i < c->count; i++) {
    uint32_t info = contact_info_of(c)[i];
    if (CONTACT_KIND(info) != CONTACT_STICK && CONTACT_KIND(info) != CONTACT_SLIDE) {
      continue;
    }
    const moving_body *m = body_in_substep(c, plan, CONTACT_COLLIDER(info), substep);
    cloth_vector p = vector_load(x, i);
    cloth_vector relative = vector_subtract(vector_load(v, i), surface_velocity(plan, m, p));
    cloth_vector force = constraint_force(c, i, push_speed(plan, depth_in_body(c, m, p)));
    cloth_vector change = resolve_contact(c, m, i, relative, force);
    vector_store(v, i, vector_add(vector_load(v, i), change));
    cloth_vector kept = vector_add_scaled(force, change, mass_ratio_at(c, i));
    add_reaction(c, m, p, vector_scale(kept, reference_mass(c)));
    counts->contacts += CONTACT_KIND(contact_info_of(c)[i]) != CONTACT_RELEASED;
    counts->contacts_sticking += CONTACT_KIND(contact_info_of(c)[i]) == CONTACT_STICK;
  }
}

/* Takes the push out of penetrations back from the velocities, once the positions have had it. A particle released just
   now keeps it: it was the constraint that held it back. */
CLOTH_SEPARATE void remove_push_velocities(const cloth *c, const step_plan *plan, int32_t substep) {
  vector_array v = vectors_at(c, c->state.velocity);
  for (int32_t i = 0; i < c->count; i++) {
    uint32_t info = contact_info_of(c)[i];
    if (CONTACT_KIND(info) == CONTACT_STICK || CONTACT_KIND(info) == CONTACT_SLIDE) {
      const moving_body *m = body_in_substep(c, plan, CONTACT_COLLIDER(info), substep);
      float push = push_speed(plan, depth_in_body(c, m, vector_load(vectors_at(c, c->state.position), i)));
      cloth_vector normal = vector_load(vectors_at(c, c->scratch.contact_normal), i);
      vector_store(v, i, vector_add_scaled(vector_load(v, i), normal, 0.0f - push));
    }
  }
}

/// Targets and motion constraints ///

#if WITH_TARGETS

/* Targets during one substep, which ends when a share `late` of their way is done. */
typedef struct target_frame {
  vector_array x, v, limit, place, place_before, normal, normal_before;
  const float *mobility;
  float early, late, inverse_h;
  int32_t fixed_work;
} target_frame;

/* A vector between where it was and is; that of the end, to the bit, at the end. */
CLOTH_INLINE lanes3 target_between(const target_frame *f, vector_array before, vector_array after, int32_t i,
                                   lanes_mask there) {
  lanes3 from = lanes3_scale(lanes3_load(before, i), lanes_splat(f->early));
  return lanes3_keep(there, lanes3_add_scaled(from, lanes3_load(after, i), lanes_splat(f->late)));
}

/* A backstop, and how far from the target a particle may be: all from the target, with `axis` the target's normal. */
typedef struct backstop {
  cloth_vector axis;
  float distance, radius, most;
} backstop;

/* The point of the circle where the spheres of backstop and max distance meet that lies to the same side as p, which
   is `along` ahead of the target. It is itself this far ahead: with L = distance + radius, from |x|^2 = most^2 and |x +
   L axis|^2 = radius^2. */
static cloth_vector clamp_to_rim(const backstop *b, cloth_vector p, float along, cloth_vector front) {
  float reach = b->distance + b->radius;
  float ahead = -0.5f * ((b->distance * (b->distance + 2.0f * b->radius) + b->most * b->most) / reach);
  ahead = maximum(flush_small(ahead, WORK_QUANTUM), 0.0f - b->most);
  float around = square_root((b->most - ahead) * (b->most + ahead));
  cloth_vector aside = vector_flush_work(vector_add_scaled(p, b->axis, 0.0f - along));
  float width = vector_length(aside);
  float share = around / maximum(width, STATE_QUANTUM);
  cloth_vector rim = vector_add_scaled(vector_scale(b->axis, ahead), aside, share);
  return width > STATE_QUANTUM ? rim : front;
}

/* The point nearest to p that is not in the backstop, and within max distance if p is: straight out, or to the rim if
   that is too far from the target. Lengths are compared by what they differ in, not as squares of what may be large,
   and everything is worked out whatever comes of it: with fixed work it always is. */
static cloth_vector push_out_of_backstop(const backstop *b, cloth_vector p) {
  float reach = b->distance + b->radius;
  float along = flush_small(vector_dot(p, b->axis), WORK_QUANTUM);
  float excess = vector_dot(p, p) + (2.0f * reach * along + b->distance * (b->distance + 2.0f * b->radius));
  excess = flush_small(excess, WORK_QUANTUM);
  cloth_vector from = vector_flush_work(vector_add_scaled(p, b->axis, reach));
  float distance = vector_length(from);
  float share = (0.0f - excess) / ((b->radius + distance) * maximum(distance, STATE_QUANTUM));
  cloth_vector front = vector_scale(b->axis, 0.0f - b->distance);
  cloth_vector straight = distance > STATE_QUANTUM ? vector_add_scaled(p, from, share) : front;
  cloth_vector rim = clamp_to_rim(b, p, along, front);
  cloth_vector out = vector_length(straight) <= b->most ? straight : rim;
  return excess < 0.0f ? out : p;
}

/* A particle at p from its target, out of its backstop if it has one. */
static cloth_vector keep_out_of_backstop(const target_frame *f, int32_t i, cloth_vector p, cloth_vector normal) {
  cloth_vector limit = vector_load(f->limit, i);
  float squared = vector_dot(normal, normal);
  int stands = f->mobility[i] > 0.0f && limit.z > 0.0f && squared > 0.0f;
  if (!stands && !f->fixed_work) {
    return p;
  }
  float length = square_root(squared > 0.0f ? squared : 1.0f);
  backstop b = {vector_flush_work(vector_scale(normal, 1.0f / length)), limit.y, maximum(limit.z, STATE_QUANTUM),
                limit.x};
  cloth_vector moved = push_out_of_backstop(&b, p);
  return stands ? moved : p;
}

/* Of a block, those with backstops one by one. */
CLOTH_SEPARATE void keep_block_out_of_backstops(const target_frame *f, int32_t i, int32_t left, lanes3 normal,
                                                lanes3 *p) {
  float block[6][CLOTH_LANES];
  vector_array places = {block[0], block[1], block[2]}, normals = {block[3], block[4], block[5]};
  lanes3_store(places, 0, *p, CLOTH_LANES);
  lanes3_store(normals, 0, lanes3_flush(normal), CLOTH_LANES);
  for (int32_t lane = 0; lane < CLOTH_LANES && lane < left; lane++) {
    vector_store(places, lane,
                 keep_out_of_backstop(f, i + lane, vector_load(places, lane), vector_load(normals, lane)));
  }
  *p = lanes3_load(places, 0);
}

/* Particles that a constraint moves lose what they had of velocity against it, and their history, as in contact. */
CLOTH_INLINE void constrain_block_to_targets(const cloth *c, const target_frame *f, int32_t i, int32_t left) {
  lanes zero = lanes_splat(0.0f);
  lanes one = lanes_splat(1.0f);
  lanes_mask there = lanes_first(left);
  lanes3 place = target_between(f, f->place_before, f->place, i, there);
  lanes3 x = lanes3_keep(there, lanes3_load(f->x, i));
  lanes3 from = lanes3_flush_below(lanes3_subtract(x, place), STATE_QUANTUM);
  lanes most = lanes_keep(there, lanes_load(f->limit.x + i));
  lanes_mask moves = lanes_both(there, lanes_less(zero, lanes_load(f->mobility + i)));
  lanes squared = lanes3_dot(from, from);
  lanes_mask far = lanes_both(moves, lanes_less(lanes_multiply(most, most), squared));
  lanes length = lanes_square_root(lanes_select(far, squared, one));
  lanes3 p = lanes3_select(far, lanes3_scale(from, lanes_divide(most, length)), from);
  lanes radius = lanes_keep(there, lanes_load(f->limit.z + i));
  if (f->fixed_work || lanes_any(lanes_both(moves, lanes_less(zero, radius)))) {
    keep_block_out_of_backstops(f, i, left, target_between(f, f->normal_before, f->normal, i, there), &p);
  }
  lanes3 moved = lanes3_flush_below(lanes3_subtract(p, from), STATE_QUANTUM);
  lanes_mask held = lanes_both(moves, lanes_less(zero, lanes3_dot(moved, moved)));
  if (!f->fixed_work && !lanes_any(held)) {
    return;
  }
  lanes3 change = lanes3_scale(lanes3_keep(held, moved), lanes_splat(f->inverse_h));
  lanes3_store(f->x, i, lanes3_select(held, lanes3_add(place, p), lanes3_load(f->x, i)), left);
  lanes3_store(f->v, i, lanes3_add(lanes3_load(f->v, i), change), left);
  if (c->state.velocity_history) {
    float *history = history_of(c, 1).x + i;
    lanes_store_first(history, lanes_select(held, lanes_splat(HISTORY_INVALID), lanes_load(history)), left);
  }
}

CLOTH_HOT CLOTH_SEPARATE void constrain_to_targets(const cloth *c, const step_plan *plan, int32_t index) {
  target_frame f;
  f.x = predicted_of(c);
  f.v = vectors_at(c, c->state.velocity);
  f.limit = target_vectors(c, TARGET_LIMIT);
  f.place = target_vectors(c, TARGET_PLACE);
  f.place_before = target_vectors(c, TARGET_PLACE_BEFORE);
  f.normal = target_vectors(c, TARGET_NORMAL);
  f.normal_before = target_vectors(c, TARGET_NORMAL_BEFORE);
  f.mobility = floats_at(c, c->scratch.mobility);
  f.late = (float)(index + 1) / (float)plan->substeps;
  f.early = 1.0f - f.late;
  f.inverse_h = plan->inverse_h;
  f.fixed_work = c->settings.capacity.fixed_work;
  EACH_BLOCK(i, left, c->count, constrain_block_to_targets(c, &f, i, left));
}

/* The step is over: targets rest where they have arrived. */
static void settle_targets(const cloth *c) {
  const size_t bytes = 3 * (size_t)c->stride * sizeof(float);
  copy_memory(target_vectors(c, TARGET_PLACE_BEFORE).x, target_vectors(c, TARGET_PLACE).x, bytes);
  copy_memory(target_vectors(c, TARGET_NORMAL_BEFORE).x, target_vectors(c, TARGET_NORMAL).x, bytes);
  inputs_of(c)->targets = TARGETS_STILL;
}

cloth_motion_constraint cloth_motion_constraint_default(void) {
  cloth_motion_constraint free = {CLOTH_ANY_DISTANCE, 0.0f, 0.0f};
  return free;
}

int cloth_set_motion_constraint(cloth *c, int32_t particle, const cloth_motion_constraint *constraint) {
  int error = check_particle(c, particle);
  if (error || !constraint) {
    return error ? error : CLOTH_ERROR_NULL;
  }
  cloth_vector limit = vector(constraint->max_distance, constraint->backstop_distance, constraint->backstop_radius);
  if (!c->state.targets || !is_motion_limit(limit)) {
    return CLOTH_ERROR_TARGETS;
  }
  set_particle_vector(c, target_vectors(c, TARGET_LIMIT), particle, vector_flush(limit, STATE_QUANTUM));
  return CLOTH_OK;
}

/* The vertex of a particle. */
static const uint8_t *vertex_of(const cloth *c, const cloth_vertex_layout *layout, const void *vertices, int32_t i) {
  int32_t vertex = i / c->grid.columns * row_vertices(c) + i % c->grid.columns;
  return (const uint8_t *)vertices + (size_t)vertex * (size_t)layout->stride;
}

/* Reads three floats of a vertex, or none. */
static cloth_vector read_attribute(const uint8_t *vertex, int32_t offset) {
  cloth_vector a = {0.0f, 0.0f, 0.0f};
  if (offset != CLOTH_ATTRIBUTE_NONE) {
    copy_floats(&a, vertex + offset, 3);
  }
  return a;
}

static int check_targets(const cloth *c, const cloth_vertex_layout *layout, const void *vertices) {
  for (int32_t i = 0; i < c->count; i++) {
    const uint8_t *vertex = vertex_of(c, layout, vertices, i);
    if (!vector_in_range(read_attribute(vertex, layout->position_offset), CLOTH_POSITION_LIMIT) ||
        !vector_in_range(read_attribute(vertex, layout->normal_offset), 1.0e6f)) {
      return CLOTH_ERROR_VECTOR;
    }
  }
  return CLOTH_OK;
}

int cloth_move_targets(cloth *c, const cloth_vertex_layout *layout, const void *vertices, size_t bytes) {
  int error = check_call(c, layout);
  if (error || !vertices) {
    return error ? error : CLOTH_ERROR_NULL;
  }
  if (!c->state.targets) {
    return CLOTH_ERROR_TARGETS;
  }
  error = layout->position_offset == CLOTH_ATTRIBUTE_NONE ? CLOTH_ERROR_BUFFER : check_vertices(c, layout, bytes);
  error = error ? error : check_targets(c, layout, vertices);
  if (error) {
    return error;
  }
  for (int32_t i = 0; i < c->count; i++) {
    const uint8_t *vertex = vertex_of(c, layout, vertices, i);
    cloth_vector place = read_attribute(vertex, layout->position_offset);
    cloth_vector normal = unit_or_zero(read_attribute(vertex, layout->normal_offset));
    set_particle_vector(c, target_vectors(c, TARGET_PLACE), i, vector_flush(place, STATE_QUANTUM));
    set_particle_vector(c, target_vectors(c, TARGET_NORMAL), i, normal);
  }
  if (inputs_of(c)->targets == TARGETS_NONE) {
    wake(c);
    settle_targets(c);
  }
  inputs_of(c)->targets = WITH_SLEEP && is_asleep(c) ? TARGETS_STILL : TARGETS_MOVING;
  return CLOTH_OK;
}

int cloth_set_targets(cloth *c, const cloth_vertex_layout *layout, const void *vertices, size_t bytes) {
  int error = cloth_move_targets(c, layout, vertices, bytes);
  if (!error) {
    settle_targets(c);
  }
  return error;
}

#endif

/// Confinements ///

/* The part of a vector that a confined particle may have. */
static cloth_vector confine_vector(const confinement *held, cloth_vector a) {
  a = vector_flush_work(a);
  float along = flush_small(vector_dot(a, held->direction), WORK_QUANTUM);
  if (held->freedom == FREEDOM_LINE) {
    return vector_scale(held->direction, along);
  }
  return vector_add_scaled(a, held->direction, 0.0f - along);
}

/* Takes from the vectors of confined particles what they may not have; positions count from the anchors. */
CLOTH_SEPARATE void confine_vectors(const cloth *c, uintptr_t vectors, int are_positions) {
  vector_array a = vectors_at(c, vectors);
  for (int32_t i = 0; WITH_CONFINED && i < inputs_of(c)->confined_count; i++) {
    const confinement *held = &confined_of(c)[i];
    CLOTH_ASSERT(held->particle >= 0 && held->particle < c->count);
    cloth_vector origin = are_positions ? held->anchor : vector(0.0f, 0.0f, 0.0f);
    cloth_vector from = vector_subtract(vector_load(a, held->particle), origin);
    cloth_vector kept = vector_add(origin, confine_vector(held, from));
    vector_store(a, held->particle, vector_flush(kept, STATE_QUANTUM));
  }
}

/* Confinements are kept in the order of their particles, whatever the order of the calls. The first entry that is not
   for an earlier particle than this one. */
static confinement *find_confinement(const cloth *c, int32_t particle) {
  confinement *held = confined_of(c);
  const confinement *end = held + inputs_of(c)->confined_count;
  while (held < end && held->particle < particle) {
    held++;
  }
  return held;
}

static int is_confined(uint32_t freedom) {
  return freedom == FREEDOM_LINE || freedom == FREEDOM_PLANE;
}

static void remove_confinement(const cloth *c, int32_t particle) {
  confinement *held = find_confinement(c, particle);
  confinement *end = confined_of(c) + inputs_of(c)->confined_count;
  if (!WITH_CONFINED || held == end || held->particle != particle) {
    return;
  }
  for (; held + 1 < end; held++) {
    *held = held[1];
  }
  fill_zero(held, sizeof *held);
  inputs_of(c)->confined_count--;
}

/// Motion ///

/* Pins whose target was reached rest; mobilities follow from pins and masses. */
CLOTH_SEPARATE void prepare_particles(const cloth *c) {
  vector_array v = vectors_at(c, c->state.velocity);
  float *mobility = floats_at(c, c->scratch.mobility);
  uint8_t *freedom = freedom_of(c);
  int have_arrived = (union_of_freedom_flags(c) & PIN_ARRIVED) != 0;
  for (int32_t i = 0; have_arrived && i < c->count; i++) {
    if (freedom[i] & PIN_ARRIVED) {
      vector_store(v, i, vector(0.0f, 0.0f, 0.0f));
      freedom[i] = FREEDOM_PINNED;
    }
  }
  for (int32_t i = 0; i < c->count; i++) {
    mobility[i] = (freedom[i] & FREEDOM_MASK) == FREEDOM_PINNED ? 0.0f : 1.0f / mass_ratio_at(c, i);
  }
}

/* Work space is not part of the state: what a step reads before it writes is cleared first. */
static void clear_pads(const cloth *c) {
  fill_zero(at(c, c->state.end), LANE_PAD * sizeof(float));
  if (c->scratch.bend_slopes) {
    fill_zero(floats_at(c, c->scratch.bend_slopes) - ZERO_PAD, ZERO_PAD * sizeof(float));
  }
  /* Springs that are not there look beyond predicted positions, too. What comes of it is multiplied by 0, so it has to
     be a number. */
  for (int32_t n = 0; c->scratch.force_share && n < 3; n++) {
    int32_t pad = n < 2 && c->stride < c->count + LANE_PAD ? c->stride - c->count : LANE_PAD + 2;
    fill_zero(floats_at(c, c->scratch.product) + n * c->stride + c->count, (size_t)pad * sizeof(float));
  }
  /* Springs that are not there, at the end of the last row, look at these. */
  for (int32_t n = 0; c->scratch.direction && n < 3; n++) {
    fill_zero(floats_at(c, c->scratch.direction) + n * c->stride + c->count, 2 * sizeof(float));
  }
}

/* Velocity changes of an all-explicit substep: force over mass. */
CLOTH_SEPARATE void add_explicit_change(const cloth *c) {
  vector_array v = vectors_at(c, c->state.velocity);
  vector_array change = vectors_at(c, c->scratch.residual);
  const float *mobility = floats_at(c, c->scratch.mobility);
  const int32_t count = c->count;
  for (int32_t i = 0; i < count; i += CLOTH_LANES) {
    lanes weight = lanes_load(mobility + i);
    if (c->scratch.force_share) {
      weight = lanes_multiply(weight, lanes_load(floats_at(c, c->scratch.force_share) + i));
    }
    lanes3 dv = lanes3_scale(lanes3_load(change, i), weight);
    lanes3_store(v, i, lanes3_add(lanes3_load(v, i), dv), count - i);
  }
}

/* Where particles at x go with velocity v. Asked for again after the limits, it gives the same bits. */
CLOTH_INLINE lanes3 prediction(lanes3 x, lanes3 v, lanes k) {
  return lanes3_flush(lanes3_add_scaled(x, v, k));
}

CLOTH_HOT CLOTH_SEPARATE void predict_positions(const cloth *c, const step_plan *plan) {
  const vector_array x = vectors_at(c, c->state.position), velocity = vectors_at(c, c->state.velocity),
                     predicted = predicted_of(c);
  const int32_t count = c->count;
  const lanes k = lanes_splat(plan->h);
  for (int32_t i = 0; i < count; i += CLOTH_LANES) {
    lanes3 to = prediction(lanes3_load(x, i), lanes3_load(velocity, i), k);
    lanes3_store(predicted, i, to, count - i);
  }
}

#if WITH_PROJECTION

/*
 * Second-order backward differences (BDF2) in terms of the last three velocities, each a displacement over the substep:
 * without forces the next one is (15 v0 - 7 v1 + v2) / 9, and a force acts with 4/9 of its strength at once. Blended
 * with backward Euler, which goes on with v0. Where the history is forgotten, as after a contact, Euler has it alone.
 * Also shifts the history by one. Returns the shares with which forces act.
 */
CLOTH_INLINE lanes extrapolate(lanes weight, lanes later, lanes moves, lanes3 *v, lanes3 *earlier, lanes3 *earliest) {
  lanes one = lanes_splat(1.0f);
  lanes known = lanes_keep(lanes_less(earlier->x, lanes_splat(0.5f * HISTORY_INVALID)), moves);
  lanes_mask knows = lanes_less(lanes_splat(0.0f), known);
  lanes3 change = lanes3_subtract(lanes3_scale(*v, lanes_splat(6.0f)), lanes3_scale(*earlier, lanes_splat(7.0f)));
  change = lanes3_keep(knows, lanes3_scale(lanes3_flush(lanes3_add(change, *earliest)), weight));
  *earliest = lanes3_select(knows, *earlier, *v);
  *earlier = *v;
  *v = lanes3_add(*v, change);
  return lanes_select(knows, later, one);
}

typedef struct prediction_plan {
  vector_array x, velocity, to, first, second;
  const float *mobility;
  float *shares;
  body_force force;
  int32_t keeps_history, with_body_forces;
  float h, weight, later;
} prediction_plan;

CLOTH_INLINE void predict_block(const prediction_plan *p, int32_t i, int32_t left) {
  lanes moves = lanes_load(p->mobility + i);
  lanes3 from = lanes3_load(p->x, i);
  lanes3 v = lanes3_load(p->velocity, i);
  lanes share = lanes_splat(1.0f);
  if (p->keeps_history) {
    lanes3 earlier = lanes3_load(p->first, i);
    lanes3 earliest = lanes3_load(p->second, i);
    share = extrapolate(lanes_splat(p->weight), lanes_splat(p->later), moves, &v, &earlier, &earliest);
    lanes3_store(p->first, i, earlier, left);
    lanes3_store(p->second, i, earliest, left);
  }
  if (p->with_body_forces) {
    lanes3 change = lanes3_scale(body_force_on(&p->force, v), share);
    v = lanes3_add(v, lanes3_keep(lanes_less(lanes_splat(0.0f), moves), change));
  } else if (p->keeps_history) {
    lanes_store_first(p->shares + i, share, left);
  }
  lanes3_store(p->velocity, i, v, left);
  lanes3_store(p->to, i, prediction(from, v, lanes_splat(p->h)), left);
}

/* Velocities that the substep starts from, and the prediction. What gravity and velocity damping do is included if
   nothing else acts by forces. All is read before anything is written: planes of a power of two particles lie where
   processors take a store for one to the place they read next. */
CLOTH_HOT CLOTH_SEPARATE void predict(const cloth *c, const step_plan *plan, int with_body_forces) {
  const prediction_plan p = {vectors_at(c, c->state.position),
                             vectors_at(c, c->state.velocity),
                             predicted_of(c),
                             history_of(c, 1),
                             history_of(c, 2),
                             floats_at(c, c->scratch.mobility),
                             floats_at(c, c->scratch.force_share),
                             body_force_of(c, plan),
                             c->state.velocity_history != 0,
                             with_body_forces,
                             plan->h,
                             plan->extrapolation * plan->history * (1.0f / 9.0f),
                             force_share(plan)};
  EACH_BLOCK(i, left, c->count, predict_block(&p, i, left));
}

#endif

/* What the limits moved as velocity. The prediction is computed again, to the bit, to tell what moved: a particle left
   alone gains no rounding error. */
CLOTH_INLINE void update_velocity_block(vector_array x, vector_array v, vector_array limited, lanes k, lanes inverse_h,
                                        int32_t i, int32_t left) {
  lanes3 velocity = lanes3_load(v, i);
  lanes3 predicted = prediction(lanes3_load(x, i), velocity, k);
  lanes3 moved = lanes3_subtract(lanes3_load(limited, i), predicted);
  lanes3_store(v, i, lanes3_add_scaled(velocity, moved, inverse_h), left);
}

CLOTH_HOT CLOTH_SEPARATE void update_velocities_from_positions(const cloth *c, const step_plan *plan) {
  vector_array x = vectors_at(c, c->state.position);
  vector_array v = vectors_at(c, c->state.velocity);
  vector_array limited = predicted_of(c);
  lanes k = lanes_splat(plan->h);
  lanes inverse_h = lanes_splat(plan->inverse_h);
  EACH_BLOCK(i, left, c->count, update_velocity_block(x, v, limited, k, inverse_h, i, left));
}

/* Accepts a particle's predicted position and velocity, or recovers from impossible ones. */
static void accept_particle(const cloth *c, const step_plan *plan, int32_t i, cloth_statistics *counts) {
  vector_array x = vectors_at(c, c->state.position);
  vector_array v = vectors_at(c, c->state.velocity);
  cloth_vector from = vector_load(x, i);
  cloth_vector to = vector_load(predicted_of(c), i);
  cloth_vector velocity = vector_load(v, i);
  if (!vector_is_finite(velocity) || !vector_in_range(to, CLOTH_POSITION_LIMIT)) {
    vector_store(v, i, vector(0.0f, 0.0f, 0.0f));
    counts->particles_recovered++;
    return;
  }
  cloth_vector way = vector_subtract(to, from);
  int pinned = is_pinned(c, i);
  if (!pinned && clamp_length(&velocity, c->settings.integration.max_speed) +
                         clamp_length(&way, c->settings.integration.max_speed * plan->h) >
                     0) {
    to = vector_add(from, way);
    counts->particles_limited++;
  }
  CLOTH_ASSERT(vector_in_range(to, CLOTH_POSITION_LIMIT) && vector_is_finite(velocity));
  vector_store(x, i, vector_flush(to, STATE_QUANTUM));
  vector_store(v, i, vector_flush(velocity, STATE_QUANTUM));
}

/* How far a particle may move in a substep, and how fast. */
typedef struct motion_bounds {
  float farthest, fastest;
  int32_t fixed_work; /* all are looked at one by one */
} motion_bounds;

/* Within bounds, and clearly so? */
CLOTH_INLINE lanes_mask is_acceptable(motion_bounds bounds, lanes3 from, lanes3 to, lanes3 velocity) {
  lanes_mask near = lanes_both(lanes_less(length_upper_bound(lanes3_subtract(to, from)), lanes_splat(bounds.farthest)),
                               lanes_less(length_upper_bound(to), lanes_splat(CLOTH_POSITION_LIMIT)));
  return lanes_both(near, lanes_less(length_upper_bound(velocity), lanes_splat(bounds.fastest)));
}

CLOTH_SEPARATE void accept_singly(const cloth *c, const step_plan *plan, int32_t i, int32_t left,
                                  cloth_statistics *counts) {
  for (int32_t lane = 0; lane < CLOTH_LANES && lane < left; lane++) {
    accept_particle(c, plan, i + lane, counts);
  }
}

CLOTH_INLINE void accept_block(const cloth *c, const step_plan *plan, motion_bounds bounds, vector_array x,
                               vector_array v, vector_array predicted, int32_t i, int32_t left,
                               cloth_statistics *counts) {
  lanes3 to = lanes3_flush_below(lanes3_load(predicted, i), STATE_QUANTUM);
  lanes3 velocity = lanes3_flush_below(lanes3_load(v, i), STATE_QUANTUM);
  lanes bad = lanes_drop(is_acceptable(bounds, lanes3_load(x, i), to, velocity), lanes_splat(1.0f));
  if (bounds.fixed_work || lanes_any(lanes_both(lanes_first(left), lanes_less(lanes_splat(0.0f), bad)))) {
    accept_singly(c, plan, i, left, counts);
  } else {
    lanes3_store(x, i, to, left);
    lanes3_store(v, i, velocity, left);
  }
}

/* Accepts blocks of particles that are clearly within bounds, and looks at the others one by one. */
CLOTH_HOT CLOTH_SEPARATE void accept_particles(const cloth *c, const step_plan *plan, cloth_statistics *counts) {
  vector_array x = vectors_at(c, c->state.position);
  vector_array v = vectors_at(c, c->state.velocity);
  vector_array predicted = predicted_of(c);
  motion_bounds bounds = {c->settings.integration.max_speed * plan->h, c->settings.integration.max_speed,
                          c->settings.capacity.fixed_work};
  EACH_BLOCK(i, left, c->count, accept_block(c, plan, bounds, x, v, predicted, i, left, counts));
}

/// Sleep ///

#if WITH_SLEEP

/* Do gusts act on the cloth? */
static int has_gusts(const cloth *c) {
  const cloth_vector strength = inputs_of(c)->gust_strength;
  return has_air(c) && strength.x + strength.y + strength.z > 0.0f;
}

/* Is no particle faster than the speed of sleep, and does no pin move? A slow pin has been told to. Gusts let nothing
   rest. */
static int is_at_rest(const cloth *c) {
  if (has_gusts(c)) {
    return 0;
  }
  vector_array v = vectors_at(c, c->state.velocity);
  float most = c->settings.sleep.speed * c->settings.sleep.speed;
  for (int32_t i = 0; i < c->count; i++) {
    cloth_vector velocity = vector_load(v, i);
    if (!(vector_dot(velocity, velocity) <= (is_pinned(c, i) ? 0.0f : most))) {
      return 0;
    }
  }
  return 1;
}

static void fall_asleep(const cloth *c) {
  inputs_of(c)->rest_time = ASLEEP;
  fill_vectors(c, vectors_at(c, c->state.velocity), 0.0f);
  if (c->state.warm_start) {
    fill_vectors(c, vectors_at(c, c->state.warm_start), 0.0f);
  }
  for (int32_t i = 0; i < c->count; i++) {
    freedom_of(c)[i] &= FREEDOM_MASK;
    invalidate_history(c, i);
  }
}

/* At the end of a step of dt seconds. */
CLOTH_SEPARATE void update_sleep(const cloth *c, float dt) {
  cloth_inputs *inputs = inputs_of(c);
  inputs->rest_time = c->settings.sleep.speed > 0.0f && is_at_rest(c) ? inputs->rest_time + dt : 0.0f;
  if (inputs->rest_time > 0.0f && inputs->rest_time >= c->settings.sleep.time) {
    fall_asleep(c);
  }
}

/* A step of a sleeping cloth. */
CLOTH_SEPARATE int step_asleep(const cloth *c) {
  cloth_statistics *s = statistics_of(c);
  fill_zero(s, sizeof *s);
  fill_zero(reactions_of(c), (size_t)c->settings.capacity.max_colliders * sizeof(cloth_reaction));
  s->asleep = 1;
  add_work(c, 1, COST_STEP);
  return CLOTH_OK;
}

int cloth_wake(cloth *c) {
  int error = check_cloth(c);
  if (error) {
    return error;
  }
  wake(c);
  return CLOTH_OK;
}

int cloth_is_asleep(const cloth *c) {
  int error = check_cloth(c);
  return error ? error : is_asleep(c);
}

#endif

/// 6. A step ///

/// Work ///

/* How many lines of springs across the seam act by forces, at least in a mode. */
static uint32_t active_seam_lines(const cloth *c, const step_plan *plan, int32_t mode) {
  uint32_t lines = plan->bend_mode >= mode ? SEAM_BENDS : 0;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    lines += d != WEFT && plan->spring[d].mode >= mode;
  }
  return is_wrapped(c) ? lines : 0;
}

/* Of what costs so much a row, a particle. */
static uint32_t share_of_row(const cloth *c, uint32_t price) {
  uint32_t columns = (uint32_t)c->grid.columns;
  return (price + columns - 1u) / columns;
}

/* Of an iteration of the solver, a particle. */
static uint32_t iteration_cost(const cloth *c, const step_plan *plan) {
  uint32_t seam = active_seam_lines(c, plan, CLOTH_MODE_IMPLICIT) * COST_SEAM_PAIR;
  int stretch = plan->spring[WARP].mode >= CLOTH_MODE_IMPLICIT || plan->spring[WEFT].mode >= CLOTH_MODE_IMPLICIT;
  int shear = plan->spring[DIAGONAL].mode >= CLOTH_MODE_IMPLICIT;
  return (uint32_t)(COST_ITERATION + (stretch ? COST_PAIR : 0) + (shear ? COST_PAIR : 0) +
                    (plan->bend_mode == CLOTH_MODE_IMPLICIT ? COST_BEND_PAIR : 0)) +
         share_of_row(c, seam);
}

/* Of a solve, a particle, without the iterations. */
static uint32_t solve_cost(const cloth *c, const step_plan *plan) {
  uint32_t seam = active_seam_lines(c, plan, CLOTH_MODE_IMPLICIT) * COST_SEAM_BLOCKS;
  return (uint32_t)(COST_PRECONDITIONER + COST_SOLVE + (c->state.warm_start ? COST_WARM : 0) +
                    (plan->bend_mode == CLOTH_MODE_IMPLICIT ? COST_BEND_BLOCKS : 0)) +
         (c->state.warm_start || has_solver_contacts(c) ? iteration_cost(c, plan) : 0u) + share_of_row(c, seam);
}

/* Of the forces, a particle. */
static uint32_t forces_cost(const cloth *c, const step_plan *plan) {
  uint32_t seam = active_seam_lines(c, plan, CLOTH_MODE_EXPLICIT) * COST_SEAM;
  return (uint32_t)(COST_BODY_FORCES + COST_CHANGE + (has_air(c) ? COST_AIR : 0) +
                    (plan->springs || plan->solves ? COST_SPRINGS : 0) +
                    (plan->bend_mode != CLOTH_MODE_OFF ? COST_BENDS : 0)) +
         (plan->solves ? solve_cost(c, plan) : 0u) + share_of_row(c, seam);
}

/* Of all that every substep does to a particle, however things are. */
static uint32_t particle_cost(const cloth *c, const step_plan *plan, int32_t tethers) {
  uint32_t price = COST_PREDICT + COST_ACCEPT + (c->state.velocity_history ? COST_HISTORY : 0);
  if (plan->forces || has_solver_contacts(c) || !WITH_PROJECTION) {
    price += forces_cost(c, plan);
  }
  if (c->settings.strain_limit.sweeps > 0 || plan->projects) {
    price += COST_SETTLE + (plan->projects ? (uint32_t)tethers * COST_TETHER : 0u);
  }
  price += inputs_of(c)->targets != TARGETS_NONE ? COST_TARGET : 0u;
  return price + (uint32_t)c->settings.strain_limit.sweeps * sweep_cost(c);
}

/* What lies outside a cloth: how many bodies of which shapes, and what is confined. */
typedef struct surroundings {
  int32_t uniform, confined, bodies, tethers;
  uint32_t nearness; /* price of a particle that touches all of them at once */
  uint32_t blocks;
} surroundings;

static void add_body(surroundings *around, const cloth_collider *body) {
  around->bodies++;
  around->nearness += near_cost(body) + trace_cost(body) + COST_RESPOND;
  around->blocks += body->shape != CLOTH_SHAPE_PLANE;
}

static int has_pins(const cloth *c) {
  for (int32_t i = 0; i < c->count; i++) {
    if (is_pinned(c, i)) {
      return 1;
    }
  }
  return 0;
}

static surroundings survey_surroundings(const cloth *c) {
  surroundings around;
  fill_zero(&around, sizeof around);
  around.uniform = count_uniform_particles(c);
  around.confined = inputs_of(c)->confined_count;
  around.tethers = has_pins(c) ? c->settings.tethers.count : 0;
  for (int32_t index = 0; WITH_COLLIDERS && index < inputs_of(c)->collider_end; index++) {
    if (colliders_of(c)[index].used) {
      add_body(&around, &colliders_of(c)[index].body);
    }
  }
  return around;
}

/* The most that tethers, contacts and iterations can cost a particle in a substep. Fixed work is this at all times. */
static uint64_t max_varying_cost(const cloth *c, const step_plan *plan, const surroundings *around) {
  uint64_t price = COST_RECOVER + around->nearness;
  if (plan->projects) {
    price += (uint32_t)around->tethers * (COST_TAUT + around->blocks * (COST_PASSED + COST_UNBLOCKED));
  }
  if (plan->solves || (has_solver_contacts(c) && around->bodies > 0)) {
    price += (uint64_t)(uint32_t)c->settings.solver.max_iterations * iteration_cost(c, plan);
  }
  return price;
}

/* What a step does however things are. */
static uint64_t planned_work(const cloth *c, const step_plan *plan, const surroundings *around) {
  uint64_t price = particle_cost(c, plan, around->tethers) + (uint32_t)around->bodies * COST_NEAR;
  price += c->settings.capacity.fixed_work ? max_varying_cost(c, plan, around) : 0u;
  if (has_solver_contacts(c)) {
    price += (uint32_t)around->bodies * (COST_SEEK + (around->bodies > 1 ? COST_SEEK_MORE : 0u));
  }
  uint64_t work = price * (uint32_t)c->count;
#if WITH_PROJECTION
  work += plan->projects ? projection_cost(c, plan, around->uniform) : 0u;
#endif
  work += COST_CALL + (uint32_t)c->grid.rows * COST_ROW + (uint32_t)around->confined * COST_CONFINED +
          (uint32_t)around->bodies * COST_BODY;
  work = work * (uint32_t)plan->substeps + COST_STEP +
         (uint64_t)(uint32_t)c->count * (COST_PREPARE + (uint32_t)c->settings.tethers.count * COST_MARK);
  if (will_choose_tethers(c)) {
    uint32_t rounds = is_wrapped(c) ? 3 : 1; /* two, and shorter ways to look for */
    work += (uint64_t)(uint32_t)c->count * rounds * (COST_CHOOSE + (uint32_t)c->settings.tethers.count * COST_OFFERS);
  }
  return work;
}

/* Can a step of dt be made? */
static int check_step(const cloth *c, float dt) {
  int error = check_cloth(c);
  if (error) {
    return error;
  }
  if (!in_range(dt, 1.0e-6f, 1.0f)) {
    return CLOTH_ERROR_TIME_STEP;
  }
  if (!c->has_scratch) {
    return CLOTH_ERROR_SCRATCH;
  }
  return is_refused(c, dt) ? CLOTH_ERROR_UNSTABLE : CLOTH_OK;
}

#if WITH_PLANNING

/* The most that a step can count beside. */
static uint64_t max_varying_work(const cloth *c, const step_plan *plan, const surroundings *around) {
  uint64_t price = c->settings.capacity.fixed_work ? 0u : max_varying_cost(c, plan, around);
  if (has_solver_contacts(c) && around->bodies > 0) {
    price += COST_HELD + (plan->solves ? 0u : solve_cost(c, plan));
  }
  return price * (uint32_t)c->count * (uint32_t)plan->substeps;
}

int cloth_work_bound(const cloth *c, float dt, uint64_t *work) {
  int error = check_step(c, dt);
  if (error) {
    return error;
  }
  if (!work) {
    return CLOTH_ERROR_NULL;
  }
  if (WITH_SLEEP && is_asleep(c)) {
    *work = COST_STEP;
    return CLOTH_OK;
  }
  step_plan *plan = &workspace_of(c)->plan; /* a step makes its own */
  surroundings around = survey_surroundings(c);
  plan_step(c, dt, plan);
  *work = planned_work(c, plan, &around) + max_varying_work(c, plan, &around);
  return CLOTH_OK;
}

/* A cloth of which nothing is there but what plans are made of. */
typedef struct config_model {
  cloth c;
  cloth_inputs inputs;
  step_plan plan;
} config_model;

static void model_from_config(config_model *paper, const cloth_config *config) {
  cloth *c = &paper->c;
  fill_zero(paper, sizeof *paper);
  compute_layout(c, config);
  measure_grid(c, config);
  copy_settings(c, config);
  measure_map(config->mass_map, c->count, &c->settings.factors.min_mass_ratio, &c->settings.factors.max_mass_ratio);
  measure_map(config->stiffness_map, c->count, &c->settings.factors.min_stiffness, &c->settings.factors.max_stiffness);
  c->state.inputs = offsetof(config_model, inputs);
  c->settings.integration.max_substeps =
      c->settings.integration.substeps > 0 ? c->settings.integration.substeps : c->settings.integration.max_substeps;
  set_fabric(c, &config->fabric);
  paper->inputs.targets = config->targets ? TARGETS_MOVING : TARGETS_NONE;
}

/* The dearest surroundings of a cloth of this config. */
static surroundings worst_surroundings(const cloth_config *config) {
  surroundings around;
  cloth_collider dearest;
  fill_zero(&around, sizeof around);
  fill_zero(&dearest, sizeof dearest);
  dearest.shape = CLOTH_SHAPE_CYLINDER;
  around.confined = config->max_confined;
  around.tethers = config->tethers;
  for (int32_t n = 0; WITH_COLLIDERS && n < config->max_colliders; n++) {
    add_body(&around, &dearest);
  }
  return around;
}

/* With substeps that a step would choose, any number of them may come: each makes another plan. */
CLOTH_SEPARATE uint64_t max_work(config_model *paper, const surroundings *around, float dt) {
  uint64_t most = 0;
  cloth *c = &paper->c;
  for (int32_t n = c->settings.integration.substeps > 0 ? c->settings.integration.substeps : 1;
       n <= c->settings.integration.max_substeps; n++) {
    c->settings.integration.substeps = n;
    plan_step(c, dt, &paper->plan);
    uint64_t work = planned_work(c, &paper->plan, around) + max_varying_work(c, &paper->plan, around);
    most = work > most ? work : most;
  }
  return most;
}

int cloth_work_bound_of(const cloth_config *config, float dt, uint64_t *work) {
  int error = check_config(config);
  if (error) {
    return error;
  }
  if (!work) {
    return CLOTH_ERROR_NULL;
  }
  if (!in_range(dt, 1.0e-6f, 1.0f)) {
    return CLOTH_ERROR_TIME_STEP;
  }
  config_model paper;
  surroundings around = worst_surroundings(config);
  model_from_config(&paper, config);
  *work = max_work(&paper, &around, dt);
  return CLOTH_OK;
}

#endif

/// Planner ///

#if WITH_PLANNING && WITH_PROJECTION

/* x to a power of so many sixteenths, 0 or more. */
static float power_of(float x, int32_t sixteenths) {
  float power = 1.0f;
  float root = x;
  for (int32_t whole = sixteenths / 16; whole > 0; whole--) {
    power *= x;
  }
  for (int32_t part = 8; part > 0; part /= 2) {
    root = square_root(root);
    power *= sixteenths & part ? root : 1.0f;
  }
  return power;
}

/*
 * Stretch to expect: the largest strain of a spring of a sheet that swings by two corners, a mean over time. Fits, to a
 * factor of two, of what SCENE_HANG of examples/scenes.c showed in its second and third second with three tiers, spans
 * by themselves and two tethers: sides of 8 to 64 particles, 0.25 to 4 m, 1 to 32 substeps, frames of 1/120 to 1/30 s,
 * none to 8 sweeps, limits of 0.2 % to 2 %. `test_forecasts` of tests/bounds.c measures again. With x = g k^2 / length,
 * k the substep:
 *
 *     without sweeps  0.003 + 0.0893 side^(11/16) x^(7/16)
 *     with sweeps     0.9 limit + 0.28 side^(17/16) x^(13/16) sweeps^(-7/16), if that is less
 *
 * Smaller spans stretch more and cost the same. Two tiers are never planned: with so few substeps that they cost as
 * much as three, a sheet hardly falls (of the kinetic energy of 64 substeps in three tiers, 4 substeps in three kept
 * 0.98 and 4 in two, at eight times the work, 0.11 or less).
 */
static float expected_stretch(const cloth *c, const cloth_config *config, float k) {
  float side = (float)(c->grid.columns > c->grid.rows ? c->grid.columns : c->grid.rows);
  float length = maximum(vector_length(config->edge_warp), vector_length(config->edge_weft));
  float fall = minimum(k * (k * vector_length(config->gravity)) / length, 1.0e6f);
  float stretch = 0.003f + 0.0893f * power_of(side, 11) * power_of(fall, 7);
  if (c->settings.strain_limit.sweeps > 0) {
    float left = 0.28f * power_of(side, 17) * power_of(fall, 13) / power_of((float)c->settings.strain_limit.sweeps, 7);
    stretch = minimum(stretch, 0.9f * config->limit_extension + left);
  }
  return stretch;
}

/* What a plan may choose, from little work to much. */
CLOTH_CONSTANT static const uint8_t plan_substeps[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 48, 64};
CLOTH_CONSTANT static const uint8_t plan_sweeps[] = {0, 1, 2, 3, 4, 6, 8, 12, 16};

static void plan_tiers(cloth_config *config) {
  config->integration = CLOTH_INTEGRATION_ADAPTIVE;
  config->bend_integration = CLOTH_BEND_ADAPTIVE;
  config->projection_threshold = 0.0f;
  /* Tubes gathered into folds would have these go round and round with less damping and fewer sweeps (measured). */
  config->extrapolation = config->wrap ? 0.5f : 0.8f;
  config->spans = 0;
  config->fine_sweeps = config->wrap ? 3 : 1;
  config->tethers = TETHERS;
  config->substeps = 1;
  config->max_substeps = 1;
  config->limit_sweeps = 0;
}

/* What is asked of a plan; 0 is anything. */
typedef struct plan_goal {
  uint64_t work;
  float stretch;
} plan_goal;

/* Does a forecast meet the goal, and better than the best so far? */
static int is_better_plan(const plan_goal *goal, const cloth_forecast *f, const cloth_forecast *best) {
  if ((goal->work > 0 && f->work > goal->work) || (goal->stretch > 0.0f && f->stretch > goal->stretch)) {
    return 0;
  }
  if (best->work == 0) {
    return 1;
  }
  return goal->stretch > 0.0f ? f->work < best->work : f->stretch < best->stretch;
}

CLOTH_SEPARATE void model_from_plan(config_model *paper, const cloth_config *config) {
  cloth_config planned = *config;
  plan_tiers(&planned);
  model_from_config(paper, &planned);
}

/* What a plan chose. */
typedef struct plan_choice {
  int32_t substeps, sweeps;
  cloth_forecast forecast; /* no work: nothing meets the goal */
} plan_choice;

/* Tries all there is to choose. */
CLOTH_SEPARATE void choose_plan(const cloth_config *config, float dt, const plan_goal *goal, plan_choice *best) {
  config_model paper;
  surroundings around = worst_surroundings(config);
  cloth *c = &paper.c;
  around.tethers = TETHERS;
  model_from_plan(&paper, config);
  best->forecast.work = 0;
  for (uint32_t n = 0; n < sizeof plan_substeps; n++) {
    for (uint32_t sweeps = 0; sweeps < (WITH_LIMITS ? sizeof plan_sweeps : 1u); sweeps++) {
      cloth_forecast f;
      c->settings.integration.substeps = plan_substeps[n];
      c->settings.integration.max_substeps = c->settings.integration.substeps;
      c->settings.strain_limit.sweeps = plan_sweeps[sweeps];
      f.work = max_work(&paper, &around, dt);
      f.stretch = expected_stretch(c, config, dt / (float)c->settings.integration.substeps);
      if (is_better_plan(goal, &f, &best->forecast)) {
        best->forecast = f;
        best->substeps = c->settings.integration.substeps;
        best->sweeps = c->settings.strain_limit.sweeps;
      }
    }
  }
}

int cloth_plan(const cloth_config *config, float dt, uint64_t work, float stretch, cloth_config *planned,
               cloth_forecast *forecast) {
  int error = check_config(config);
  if (error) {
    return error;
  }
  if (!planned || !forecast) {
    return CLOTH_ERROR_NULL;
  }
  if (!in_range(dt, 1.0e-6f, 1.0f)) {
    return CLOTH_ERROR_TIME_STEP;
  }
  if (!in_range(stretch, 0.0f, 1.0e6f) || (work == 0 && stretch == 0.0f)) {
    return CLOTH_ERROR_PLAN;
  }
  plan_choice best;
  plan_goal goal;
  goal.work = work;
  goal.stretch = stretch;
  choose_plan(config, dt, &goal, &best);
  if (best.forecast.work == 0) {
    return CLOTH_ERROR_PLAN;
  }
  *planned = *config;
  plan_tiers(planned);
  planned->substeps = best.substeps;
  planned->max_substeps = best.substeps;
  planned->limit_sweeps = best.sweeps;
  *forecast = best.forecast;
  return CLOTH_OK;
}

#endif

/// Stepping ///

static void finish_motions(const cloth *c) {
  uint8_t *freedom = freedom_of(c);
  int are_carried = (union_of_freedom_flags(c) & PIN_HAS_TARGET) != 0;
  for (int32_t i = 0; are_carried && i < c->count; i++) {
    if (freedom[i] & PIN_HAS_TARGET) {
      freedom[i] = FREEDOM_PINNED | PIN_ARRIVED;
    }
  }
  for (int32_t index = 0; index < inputs_of(c)->collider_end; index++) {
    collider_slot *slot = &colliders_of(c)[index];
    slot->previous = slot->body.pose;
  }
#if WITH_TARGETS
  if (inputs_of(c)->targets == TARGETS_MOVING) {
    settle_targets(c);
  }
#endif
}

/* Projected springs, tethers and strain limits. */
CLOTH_SEPARATE void enforce_lengths(const cloth *c, const step_plan *plan) {
#if WITH_PROJECTION
  if (plan->projects) {
    project_springs(c, plan);
  }
  if (plan->projects && plan->tethered) {
    workspace_of(c)->obstacles = find_obstacles(c);
    for (int32_t slot = 0; slot < c->settings.tethers.count; slot++) {
      pull_tethers(c, slot);
    }
  }
#endif
  for (int32_t sweep = 0; WITH_LIMITS && sweep < c->settings.strain_limit.sweeps; sweep++) {
    if (sweep > 0 && !may_refine(c)) {
      refund_work(c, (uint64_t)(uint32_t)(c->settings.strain_limit.sweeps - sweep) * (uint32_t)c->count, sweep_cost(c));
      break;
    }
    limit_strain(c, predicted_of(c));
  }
  update_velocities_from_positions(c, plan);
}

/* Forces, explicit and implicit, and the velocity changes that they bring. Returns how many particles are held by
   contacts of the solver. */
CLOTH_SEPARATE int32_t add_forces(const cloth *c, const step_plan *plan, int32_t index) {
  evaluate_forces(c, plan, vectors_at(c, c->scratch.residual));
  end_stage(c, CLOTH_STAGE_FORCES, index, c->scratch.residual);
  int32_t contacts = has_solver_contacts(c) ? find_solver_contacts(c, plan, index) : 0;
  if (WITH_SOLVER && (plan->solves || contacts)) {
    add_work(c, plan->solves ? 0u : 1u, (uint32_t)c->count * solve_cost(c, plan));
    add_implicit_change(c, plan, index, contacts);
  } else {
    add_explicit_change(c);
  }
  if (WITH_CONTACT_SOLVER && contacts) {
    resolve_contacts(c, plan, index, statistics_of(c));
  }
  return contacts;
}

/* New velocities and the prediction. Returns what add_forces() does. */
static int32_t advance_velocities(const cloth *c, const step_plan *plan, int32_t index) {
  int32_t contacts = 0;
#if WITH_PROJECTION
  int only_body_forces = !plan->forces && !has_solver_contacts(c);
  if (c->state.velocity_history || only_body_forces) {
    predict(c, plan, only_body_forces);
  }
  if (!only_body_forces) {
    contacts = add_forces(c, plan, index);
  }
  if (only_body_forces && inputs_of(c)->confined_count == 0) {
    return 0;
  }
#else
  contacts = add_forces(c, plan, index);
#endif
  confine_vectors(c, c->state.velocity, 0);
  predict_positions(c, plan);
  return contacts;
}

CLOTH_SEPARATE void substep(const cloth *c, const step_plan *plan, int32_t index) {
  CLOTH_ASSERT(index < plan->substeps && plan->substeps <= CLOTH_SUBSTEP_LIMIT);
  cloth_statistics *counts = statistics_of(c);
  counts->contacts = 0;
  counts->contacts_sticking = 0;
  confine_vectors(c, c->state.velocity, 0);
  int32_t contacts = advance_velocities(c, plan, index);
  end_stage(c, CLOTH_STAGE_VELOCITIES, index, c->state.velocity);
  if ((WITH_LIMITS && c->settings.strain_limit.sweeps > 0) || (WITH_PROJECTION && plan->projects)) {
    enforce_lengths(c, plan);
  }
  end_stage(c, CLOTH_STAGE_LIMITS, index, c->state.velocity);
  if (WITH_CONTACT_SOLVER && contacts) {
    remove_push_velocities(c, plan, index);
  }
  if (WITH_COLLIDERS) {
    project_contacts(c, plan, index, counts);
  }
#if WITH_TARGETS
  if (inputs_of(c)->targets != TARGETS_NONE) {
    constrain_to_targets(c, plan, index);
  }
#endif
  end_stage(c, CLOTH_STAGE_CONTACTS, index, c->scratch.product);
  confine_vectors(c, c->state.velocity, 0);
  confine_vectors(c, c->scratch.product, 1);
  accept_particles(c, plan, counts);
  end_stage(c, CLOTH_STAGE_POSITIONS, index, c->state.position);
}

/* What goes before the substeps. */
static void prepare_step(const cloth *c, float dt) {
  workspace *w = workspace_of(c);
  plan_step(c, dt, &w->plan);
  clear_pads(c);
  prepare_particles(c);
  find_uniform_runs(c);
  reset_statistics(c, &w->plan);
  if (WITH_PLANNING) {
    surroundings around = survey_surroundings(c);
    w->uniform = around.uniform;
    add_work(c, planned_work(c, &w->plan, &around), 1);
  }
#if WITH_PROJECTION
  if (will_choose_tethers(c)) {
    choose_tethers(c);
  }
  w->plan.tethered = c->state.tethers ? mark_tethers(c) : 0;
  if (w->plan.projects) {
    plan_projection(c, &w->plan);
  }
#endif
}

/* What has to be known of all substeps. Returns the notes. */
static int finish_statistics(const cloth *c, const step_plan *plan) {
  cloth_statistics *counts = statistics_of(c);
  add_varying_work(c, (uint64_t)(uint32_t)counts->iterations * (uint32_t)c->count, iteration_cost(c, plan));
  add_varying_work(c, (uint32_t)counts->particles_limited + (uint32_t)counts->particles_recovered, COST_RECOVER);
  counts->notes = plan->notes;
  counts->notes |= counts->particles_limited ? CLOTH_NOTE_SPEED_LIMITED : 0;
  counts->notes |= counts->particles_recovered ? CLOTH_NOTE_RECOVERED : 0;
  return counts->notes;
}

/* A step with as many refinements as the workspace says. */
static int step(const cloth *c, float dt) {
#if WITH_SLEEP
  if (is_asleep(c)) {
    return step_asleep(c);
  }
#endif
  prepare_step(c, dt);
  workspace *w = workspace_of(c);
  w->tick = CLOTH_TICKS();
  w->body.index = -1;
  for (int32_t index = 0; index < w->plan.substeps; index++) {
    substep(c, &w->plan, index);
  }
  finish_motions(c);
  inputs_of(c)->last_substep = w->plan.h;
#if WITH_AIR
  advance_gusts(inputs_of(c), dt);
#endif
#if WITH_SLEEP
  update_sleep(c, dt);
#endif
  return finish_statistics(c, &w->plan);
}

/* Lets a step refine without end. */
static void allow_refinements(const cloth *c) {
  workspace *w = workspace_of(c);
  w->timed = 0;
  w->is_cut = 0;
  w->refinements = 0;
}

int cloth_step(cloth *c, float dt) {
  int error = check_step(c, dt);
  if (error) {
    return error;
  }
  allow_refinements(c);
  return step(c, dt);
}

#if WITH_PLANNING

int cloth_step_until(cloth *c, float dt, uint32_t ticks, cloth_effort *effort) {
  uint32_t start = CLOTH_TICKS();
  int error = check_step(c, dt);
  if (error || !effort) {
    return error ? error : CLOTH_ERROR_NULL;
  }
  if (c->settings.capacity.fixed_work) {
    return CLOTH_ERROR_WORK;
  }
  workspace *w = workspace_of(c);
  allow_refinements(c);
  w->timed = ticks != UINT32_MAX;
  w->start = start;
  w->ticks = ticks;
  int result = step(c, dt);
  effort->refinements = w->refinements;
  effort->cut_short = w->is_cut;
  return result;
}

int cloth_step_again(cloth *c, float dt, const cloth_effort *effort) {
  int error = check_step(c, dt);
  if (error || !effort) {
    return error ? error : CLOTH_ERROR_NULL;
  }
  if (c->settings.capacity.fixed_work || effort->refinements < 0 || (uint32_t)effort->cut_short > 1u) {
    return CLOTH_ERROR_WORK;
  }
  workspace *w = workspace_of(c);
  allow_refinements(c);
  w->is_cut = effort->cut_short;
  w->max_refinements = effort->refinements;
  return step(c, dt);
}

#endif

/// 7. The interface ///

/// Inputs ///

/* Stores an input after checking it, or returns `error`. */
CLOTH_SEPARATE int set_vector(const cloth *c, size_t offset, cloth_vector value, float limit, int error) {
  int fault = check_cloth(c);
  if (fault) {
    return fault;
  }
  if (!vector_in_range(value, limit)) {
    return error;
  }
  cloth_vector clean = vector_flush(value, STATE_QUANTUM);
  set_input(c, (char *)inputs_of(c) + offset, &clean, sizeof clean);
  return CLOTH_OK;
}

int cloth_set_gravity(cloth *c, cloth_vector gravity) {
  return set_vector(c, offsetof(cloth_inputs, gravity), gravity, 1.0e4f, CLOTH_ERROR_GRAVITY);
}

int cloth_set_wind(cloth *c, cloth_vector wind) {
  return set_vector(c, offsetof(cloth_inputs, wind), wind, 1.0e3f, CLOTH_ERROR_WIND);
}

#if WITH_AIR

static int check_gusts(const cloth_gusts *gusts) {
  int are_possible = are_gusts(gusts->strength, gusts->period) && in_range(gusts->start, 0.0f, 1.0e6f);
  return are_possible ? CLOTH_OK : CLOTH_ERROR_WIND;
}

int cloth_set_gusts(cloth *c, const cloth_gusts *gusts) {
  int error = check_cloth(c);
  error = error || !gusts ? error : check_gusts(gusts);
  if (error) {
    return error;
  }
  const cloth_gusts none = {{0.0f, 0.0f, 0.0f}, 0.0f, 0.0f, 0};
  const cloth_gusts *given = gusts ? gusts : &none;
  cloth_inputs *inputs = inputs_of(c);
  cloth_inputs changed = *inputs;
  changed.gust_strength = vector_flush(given->strength, STATE_QUANTUM);
  if (changed.gust_period != given->period || changed.gust_seed != given->seed) {
    changed.gust_period = given->period;
    changed.gust_seed = given->seed;
    changed.gust_place[0] = changed.gust_place[1] = 0;
    advance_gusts(&changed, given->start);
  }
  if (!are_equal(inputs, &changed, sizeof changed)) {
    *inputs = changed;
    wake(c);
  }
  return CLOTH_OK;
}

#endif

int cloth_get_wind(const cloth *c, cloth_vector *wind) {
  int error = check_call(c, wind);
  if (!error) {
    *wind = wind_of(c);
  }
  return error;
}

int cloth_set_fabric(cloth *c, const cloth_fabric *fabric) {
  int error = check_call(c, fabric);
  if (error) {
    return error;
  }
  error = check_fabric(fabric);
  if (error) {
    return error;
  }
  set_fabric(c, fabric);
  return CLOTH_OK;
}

int cloth_particle_at(const cloth *c, int32_t column, int32_t row) {
  int error = check_cloth(c);
  if (error) {
    return error;
  }
  if (column < 0 || column >= c->grid.columns || row < 0 || row >= c->grid.rows) {
    return CLOTH_ERROR_PARTICLE;
  }
  return row * c->grid.columns + column;
}

/* Sets the velocity of a particle and how it came about, in the flags of its freedom. */
static void set_motion(const cloth *c, int32_t particle, cloth_vector velocity, uint32_t freedom) {
  set_particle_vector(c, vectors_at(c, c->state.velocity), particle, vector_flush(velocity, STATE_QUANTUM));
  freedom_of(c)[particle] = (uint8_t)freedom;
}

/* Pins come and go with the freedom of particles, and tethers with the pins. */
static void set_freedom(const cloth *c, int32_t particle, uint32_t freedom) {
  if (WITH_SLEEP && (freedom_of(c)[particle] & FREEDOM_MASK) != freedom) {
    wake(c);
  }
  if (c->state.tethers && is_pinned(c, particle) != (freedom == FREEDOM_PINNED)) {
    if (inputs_of(c)->tethers_chosen != TETHERS_SET) {
      inputs_of(c)->tethers_chosen = TETHERS_STALE;
    } else if (freedom != FREEDOM_PINNED) {
      remove_tethers_to(c, particle);
    }
  }
  freedom_of(c)[particle] = (uint8_t)freedom;
  invalidate_history(c, particle);
}

int cloth_pin(cloth *c, int32_t particle) {
  int error = check_particle(c, particle);
  if (error) {
    return error;
  }
  remove_confinement(c, particle);
  set_freedom(c, particle, FREEDOM_PINNED);
  set_motion(c, particle, vector(0.0f, 0.0f, 0.0f), FREEDOM_PINNED);
  return CLOTH_OK;
}

int cloth_set_pin_velocity(cloth *c, int32_t particle, cloth_vector velocity) {
  int error = check_pin(c, particle);
  if (error) {
    return error;
  }
  if (!vector_in_range(velocity, PIN_SPEED_LIMIT)) {
    return CLOTH_ERROR_VECTOR;
  }
  set_motion(c, particle, velocity, FREEDOM_PINNED);
  return CLOTH_OK;
}

int cloth_set_pin_target(cloth *c, int32_t particle, cloth_vector target, float dt) {
  int error = check_pin(c, particle);
  if (error) {
    return error;
  }
  if (!in_range(dt, 1.0e-6f, 1.0f)) {
    return CLOTH_ERROR_TIME_STEP;
  }
  cloth_vector from = vector_load(vectors_at(c, c->state.position), particle);
  cloth_vector way = vector_subtract(vector_flush(target, STATE_QUANTUM), from);
  cloth_vector velocity = vector_scale(way, 1.0f / dt);
  if (!vector_in_range(target, CLOTH_POSITION_LIMIT) || !vector_in_range(velocity, PIN_SPEED_LIMIT)) {
    return CLOTH_ERROR_VECTOR;
  }
  set_motion(c, particle, velocity, FREEDOM_PINNED | PIN_HAS_TARGET);
  /* Of a cloth asleep no step clears the flag, and there is no need: the pin is at its target. */
  freedom_of(c)[particle] &= (uint8_t)(WITH_SLEEP && is_asleep(c) ? FREEDOM_MASK : 255u);
  return CLOTH_OK;
}

#if WITH_CONFINED

static int confine(cloth *c, int32_t particle, cloth_vector direction, uint32_t freedom) {
  int error = check_particle(c, particle);
  if (error) {
    return error;
  }
  float length = vector_in_range(direction, 1.0e10f) ? vector_length(direction) : 0.0f;
  if (!(length > 1.0e-6f)) {
    return CLOTH_ERROR_DIRECTION;
  }
  uint32_t before = freedom_of(c)[particle] & FREEDOM_MASK;
  if (!is_confined(before) && inputs_of(c)->confined_count == c->settings.capacity.max_confined) {
    return CLOTH_ERROR_FULL;
  }
  cloth_vector clean = vector_flush_work(vector_scale(vector_flush(direction, INPUT_QUANTUM), 1.0f / length));
  confinement *held = find_confinement(c, particle);
  /* A line or plane anchored anew where its particle is stays the same one. */
  if (WITH_SLEEP && (before != freedom || !are_equal(&held->direction, &clean, sizeof clean))) {
    wake(c);
  }
  remove_confinement(c, particle);
  for (confinement *last = confined_of(c) + inputs_of(c)->confined_count++; last > held; last--) {
    *last = last[-1];
  }
  held->particle = particle;
  held->freedom = freedom;
  held->direction = clean;
  held->anchor = vector_load(vectors_at(c, c->state.position), particle);
  set_freedom(c, particle, freedom);
  return CLOTH_OK;
}

int cloth_confine_to_line(cloth *c, int32_t particle, cloth_vector direction) {
  return confine(c, particle, direction, FREEDOM_LINE);
}

int cloth_confine_to_plane(cloth *c, int32_t particle, cloth_vector normal) {
  return confine(c, particle, normal, FREEDOM_PLANE);
}

#endif

int cloth_release(cloth *c, int32_t particle) {
  int error = check_particle(c, particle);
  if (error) {
    return error;
  }
  remove_confinement(c, particle);
  set_freedom(c, particle, FREEDOM_FREE);
  return CLOTH_OK;
}

int cloth_freedom(const cloth *c, int32_t particle) {
  int error = check_particle(c, particle);
  return error ? error : (int)(freedom_of(c)[particle] & FREEDOM_MASK);
}

int cloth_set_particle(cloth *c, int32_t particle, cloth_vector position, cloth_vector velocity) {
  int error = check_particle(c, particle);
  if (error) {
    return error;
  }
  if (!vector_in_range(position, CLOTH_POSITION_LIMIT) || !vector_in_range(velocity, PIN_SPEED_LIMIT)) {
    return CLOTH_ERROR_VECTOR;
  }
  position = vector_flush(position, STATE_QUANTUM);
  set_particle_vector(c, vectors_at(c, c->state.position), particle, position);
  set_motion(c, particle, velocity, freedom_of(c)[particle] & FREEDOM_MASK);
  invalidate_history(c, particle);
  if (WITH_CONFINED && is_confined(freedom_of(c)[particle])) {
    find_confinement(c, particle)->anchor = position;
  }
  return CLOTH_OK;
}

int cloth_apply_impulse(cloth *c, int32_t particle, cloth_vector impulse) {
  int error = check_particle(c, particle);
  if (error) {
    return error;
  }
  float mass = reference_mass(c) * mass_ratio_at(c, particle);
  impulse = vector_flush(impulse, INPUT_QUANTUM);
  vector_array v = vectors_at(c, c->state.velocity);
  cloth_vector velocity = vector_add_scaled(vector_load(v, particle), impulse, 1.0f / mass);
  if (!vector_is_finite(impulse) || !vector_in_range(velocity, PIN_SPEED_LIMIT)) {
    return CLOTH_ERROR_VECTOR;
  }
  if (!is_pinned(c, particle)) {
    set_motion(c, particle, velocity, freedom_of(c)[particle]);
    invalidate_history(c, particle);
  }
  return CLOTH_OK;
}

/// Colliders ///

#if WITH_COLLIDERS

cloth_collider cloth_collider_default(void) {
  cloth_collider body;
  fill_zero(&body, sizeof body);
  body.shape = CLOTH_SHAPE_SPHERE;
  body.pose.rotation.w = 1.0f;
  body.radius = 0.25f;
  body.static_friction = 0.5f;
  body.kinetic_friction = 0.5f;
  return body;
}

static int is_size(float length) {
  return in_range(length, 1.0e-3f, 1.0e4f);
}

static int check_shape(const cloth_collider *body) {
  int valid = 0;
  switch (body->shape) {
  case CLOTH_SHAPE_PLANE:
    valid = 1;
    break;
  case CLOTH_SHAPE_SPHERE:
    valid = is_size(body->radius);
    break;
  case CLOTH_SHAPE_CAPSULE:
    valid = is_size(body->radius) && is_size(body->radius_top) && is_size(body->half_height) &&
            absolute(body->radius - body->radius_top) < 1.998f * body->half_height;
    break;
  case CLOTH_SHAPE_BOX:
    valid = is_size(body->half_extents.x) && is_size(body->half_extents.y) && is_size(body->half_extents.z);
    break;
  case CLOTH_SHAPE_CYLINDER:
    valid = is_size(body->radius) && is_size(body->half_height);
    break;
  }
  return valid ? CLOTH_OK : CLOTH_ERROR_SHAPE;
}

static int check_collider(const cloth_collider *body) {
  if (!body) {
    return CLOTH_ERROR_NULL;
  }
  int error = check_shape(body);
  error = error ? error : check_pose(&body->pose);
  if (error) {
    return error;
  }
  if (!in_range(body->static_friction, 0.0f, 10.0f) || !in_range(body->kinetic_friction, 0.0f, body->static_friction)) {
    return CLOTH_ERROR_FRICTION;
  }
  return CLOTH_OK;
}

/* A collider as it is stored; what its shape does not use is 0, whatever the caller left there. */
static collider_slot stored_collider(const cloth_collider *body) {
  collider_slot clean;
  collider_slot *slot = &clean;
  int round =
      body->shape == CLOTH_SHAPE_SPHERE || body->shape == CLOTH_SHAPE_CAPSULE || body->shape == CLOTH_SHAPE_CYLINDER;
  int tall = body->shape == CLOTH_SHAPE_CAPSULE || body->shape == CLOTH_SHAPE_CYLINDER;
  fill_zero(slot, sizeof *slot);
  slot->used = 1;
  slot->body.shape = body->shape;
  slot->body.radius = round ? body->radius : 0.0f;
  slot->body.radius_top = body->shape == CLOTH_SHAPE_CAPSULE ? body->radius_top : 0.0f;
  slot->body.half_height = tall ? body->half_height : 0.0f;
  slot->body.half_extents = body->shape == CLOTH_SHAPE_BOX ? body->half_extents : vector(0.0f, 0.0f, 0.0f);
  slot->body.static_friction = flush_small(body->static_friction, WORK_QUANTUM);
  slot->body.kinetic_friction = flush_small(body->kinetic_friction, WORK_QUANTUM);
  slot->body.pose = normalised_pose(&body->pose);
  slot->previous = slot->body.pose;
  return clean;
}

int cloth_add_collider(cloth *c, const cloth_collider *collider) {
  int error = check_cloth(c);
  error = error ? error : check_collider(collider);
  if (error) {
    return error;
  }
  for (int32_t index = 0; index < c->settings.capacity.max_colliders; index++) {
    if (!colliders_of(c)[index].used) {
      cloth_inputs *inputs = inputs_of(c);
      colliders_of(c)[index] = stored_collider(collider);
      wake(c);
      inputs->collider_end = index + 1 > inputs->collider_end ? index + 1 : inputs->collider_end;
      return index;
    }
  }
  return CLOTH_ERROR_FULL;
}

static int check_collider_index(const cloth *c, int32_t index) {
  int error = check_cloth(c);
  if (error) {
    return error;
  }
  return index >= 0 && index < c->settings.capacity.max_colliders && colliders_of(c)[index].used ? CLOTH_OK
                                                                                                 : CLOTH_ERROR_COLLIDER;
}

int cloth_set_collider(cloth *c, int32_t index, const cloth_collider *collider) {
  int error = check_collider_index(c, index);
  error = error ? error : check_collider(collider);
  if (error) {
    return error;
  }
  collider_slot clean = stored_collider(collider);
  set_input(c, &colliders_of(c)[index], &clean, sizeof clean);
  return CLOTH_OK;
}

int cloth_move_collider(cloth *c, int32_t index, const cloth_pose *previous, const cloth_pose *current) {
  int error = check_collider_index(c, index);
  if (error) {
    return error;
  }
  if (!current) {
    return CLOTH_ERROR_NULL;
  }
  error = check_pose(current);
  error = error || !previous ? error : check_pose(previous);
  if (error) {
    return error;
  }
  collider_slot *slot = &colliders_of(c)[index];
  cloth_pose poses[2] = {previous ? normalised_pose(previous) : slot->previous, normalised_pose(current)};
  set_input(c, &slot->previous, &poses[0], sizeof poses[0]);
  set_input(c, &slot->body.pose, &poses[1], sizeof poses[1]);
  return CLOTH_OK;
}

int cloth_remove_collider(cloth *c, int32_t index) {
  int error = check_collider_index(c, index);
  if (error) {
    return error;
  }
  fill_zero(&colliders_of(c)[index], sizeof(collider_slot));
  wake(c);
  for (int32_t i = 0; has_solver_contacts(c) && i < c->count; i++) {
    uint32_t *info = &contact_info_of(c)[i];
    *info = CONTACT_COLLIDER(*info) == index ? CONTACT_NONE : *info;
  }
  cloth_inputs *inputs = inputs_of(c);
  while (inputs->collider_end > 0 && !colliders_of(c)[inputs->collider_end - 1].used) {
    inputs->collider_end--;
  }
  return CLOTH_OK;
}

int cloth_collider_reaction(const cloth *c, int32_t index, cloth_reaction *reaction) {
  int error = check_collider_index(c, index);
  if (error) {
    return error;
  }
  if (!reaction) {
    return CLOTH_ERROR_NULL;
  }
  *reaction = reactions_of(c)[index];
  return CLOTH_OK;
}

#endif

/// Moving frames ///

#if WITH_MOVE_FRAME

/* x goes to place + R (x - pivot). */
typedef struct rigid_motion {
  cloth_vector pivot, place;
  cloth_rotation rotation;
  int32_t turns;              /* 0 if R is none */
  cloth_vector angular_speed; /* of the rotation, times the root of what is kept of its centrifugal force [1/s] */
} rigid_motion;

/* The angle of a rotation q is 2 asin |u|, u its vector part: by the series for a quarter of it, at most an eighth of a
   turn, where it is exact to 1e-6. */
static cloth_vector angular_speed_of(cloth_rotation q, float dt) {
  q.w = maximum(q.w, 0.0f); /* which it is, but for a rounding */
  cloth_rotation quarter = half_rotation(half_rotation(rotation_flush(q)));
  cloth_vector u = vector_flush_work(vector(quarter.x, quarter.y, quarter.z));
  float squared = vector_dot(u, u);
  float series = 1.0f + squared * (1.0f / 6.0f + squared * (3.0f / 40.0f + squared * (5.0f / 112.0f)));
  return vector_scale(u, 8.0f * series / dt);
}

static rigid_motion frame_motion(const cloth_pose *from, const cloth_pose *to, const cloth_inertia *inertia, float dt) {
  const cloth_rotation none = {0.0f, 0.0f, 0.0f, 1.0f};
  cloth_rotation turned = rotation_product(to->rotation, rotation_conjugate(from->rotation));
  rigid_motion m;
  m.pivot = from->position;
  m.place = vector_add_scaled(m.pivot, vector_subtract(to->position, m.pivot), 1.0f - inertia->linear);
  m.rotation = rotation_between(none, turned, 1.0f - inertia->angular);
  m.turns = m.rotation.x != 0.0f || m.rotation.y != 0.0f || m.rotation.z != 0.0f;
  m.angular_speed =
      vector_flush_work(vector_scale(angular_speed_of(m.rotation, dt), square_root(inertia->centrifugal)));
  return m;
}

static cloth_vector transform_direction(const rigid_motion *m, cloth_vector a) {
  return m->turns ? vector_flush(rotate(m->rotation, a), STATE_QUANTUM) : a;
}

static cloth_vector transform_point(const rigid_motion *m, cloth_vector x) {
  return vector_flush(vector_add(m->place, transform_direction(m, vector_subtract(x, m->pivot))), STATE_QUANTUM);
}

/* What the centrifugal force of the rotation does to a velocity in a step, at a place. */
static cloth_vector centrifugal_change(const rigid_motion *m, cloth_vector place, float dt) {
  cloth_vector arm = vector_flush_work(vector_subtract(place, m->place));
  cloth_vector across = vector_flush_work(vector_cross(arm, m->angular_speed));
  return vector_flush(vector_scale(vector_cross(m->angular_speed, across), dt), STATE_QUANTUM);
}

/* A velocity; along no axis does it come to be faster than a pin may be told to move. */
static cloth_vector transform_velocity(const rigid_motion *m, cloth_vector v) {
  cloth_vector a = transform_direction(m, v);
  return vector(maximum(minimum(a.x, PIN_SPEED_LIMIT), -PIN_SPEED_LIMIT),
                maximum(minimum(a.y, PIN_SPEED_LIMIT), -PIN_SPEED_LIMIT),
                maximum(minimum(a.z, PIN_SPEED_LIMIT), -PIN_SPEED_LIMIT));
}

static void transform_velocities(const cloth *c, const rigid_motion *m, uint32_t velocities) {
  vector_array a = vectors_at(c, velocities);
  for (int32_t i = 0; velocities && m->turns && i < c->count; i++) {
    vector_store(a, i, transform_velocity(m, vector_load(a, i)));
  }
}

static void transform_history(const cloth *c, const rigid_motion *m) {
  for (int32_t before = 1; c->state.velocity_history && m->turns && before <= 2; before++) {
    vector_array v = history_of(c, before);
    for (int32_t i = 0; i < c->count; i++) {
      cloth_vector velocity = vector_load(v, i);
      if (velocity.x < 0.5f * HISTORY_INVALID) {
        vector_store(v, i, transform_velocity(m, velocity));
      }
    }
  }
}

/* Targets go along with their normals. */
static void transform_targets(const cloth *c, const rigid_motion *m) {
  int32_t vectors = inputs_of(c)->targets == TARGETS_NONE ? 0 : TARGET_VECTORS;
  for (int32_t which = TARGET_PLACE; which < vectors; which++) {
    vector_array a = target_vectors(c, which);
    int is_place = which <= TARGET_PLACE_BEFORE;
    for (int32_t i = 0; i < c->count; i++) {
      cloth_vector before = vector_load(a, i);
      vector_store(a, i, is_place ? transform_point(m, before) : unit_or_zero(transform_direction(m, before)));
    }
  }
}

static void transform_particles(const cloth *c, const rigid_motion *m, float dt) {
  vector_array x = vectors_at(c, c->state.position);
  vector_array v = vectors_at(c, c->state.velocity);
  transform_velocities(c, m, c->state.velocity);
  transform_history(c, m);
  transform_velocities(c, m, c->state.warm_start);
  for (int32_t i = 0; i < c->count; i++) {
    cloth_vector place = transform_point(m, vector_load(x, i));
    vector_store(x, i, place);
    if (m->turns && !is_pinned(c, i)) {
      cloth_vector velocity = vector_add(vector_load(v, i), centrifugal_change(m, place, dt));
      clamp_length(&velocity, c->settings.integration.max_speed);
      vector_store(v, i, vector_flush(velocity, STATE_QUANTUM));
    }
  }
}

static void transform_confinements(const cloth *c, const rigid_motion *m) {
  for (int32_t i = 0; WITH_CONFINED && i < inputs_of(c)->confined_count; i++) {
    confinement *held = &confined_of(c)[i];
    held->anchor = vector_load(vectors_at(c, c->state.position), held->particle);
    held->direction = transform_direction(m, held->direction);
    held->direction = vector_scale(held->direction, 1.0f / vector_length(held->direction));
  }
}

static cloth_pose transform_pose(const rigid_motion *m, const cloth_pose *pose) {
  cloth_pose carried;
  carried.position = transform_point(m, pose->position);
  carried.rotation = m->turns ? rotation_product(m->rotation, pose->rotation) : pose->rotation;
  return carried;
}

static void transform_colliders(const cloth *c, const rigid_motion *m, uint64_t colliders) {
  for (int32_t index = 0; index < inputs_of(c)->collider_end; index++) {
    collider_slot *slot = &colliders_of(c)[index];
    if (slot->used && (colliders >> index & 1u)) {
      slot->previous = transform_pose(m, &slot->previous);
      slot->body.pose = transform_pose(m, &slot->body.pose);
    }
  }
}

/* Do all of these places stay within the position limit? */
static int are_points_within(const cloth *c, const rigid_motion *m, vector_array places) {
  for (int32_t i = 0; i < c->count; i++) {
    if (!vector_in_range(transform_point(m, vector_load(places, i)), CLOTH_POSITION_LIMIT)) {
      return 0;
    }
  }
  return 1;
}

static int is_slot_within(const collider_slot *slot, const rigid_motion *m) {
  cloth_pose from = transform_pose(m, &slot->previous), to = transform_pose(m, &slot->body.pose);
  return vector_in_range(from.position, CLOTH_POSITION_LIMIT) && vector_in_range(to.position, CLOTH_POSITION_LIMIT);
}

/* Does everything stay within the position limit? */
static int stays_within_limit(const cloth *c, const rigid_motion *m, uint64_t colliders) {
  int are_within = are_points_within(c, m, vectors_at(c, c->state.position));
  if (inputs_of(c)->targets != TARGETS_NONE) {
    are_within = are_within && are_points_within(c, m, target_vectors(c, TARGET_PLACE)) &&
                 are_points_within(c, m, target_vectors(c, TARGET_PLACE_BEFORE));
  }
  for (int32_t index = 0; index < inputs_of(c)->collider_end; index++) {
    const collider_slot *slot = &colliders_of(c)[index];
    if (slot->used && (colliders >> index & 1u)) {
      are_within = are_within && is_slot_within(slot, m);
    }
  }
  return are_within;
}

int cloth_carry(cloth *c, const cloth_pose *from, const cloth_pose *to, const cloth_inertia *inertia, float dt,
                uint64_t colliders) {
  const cloth_inertia none = {0.0f, 0.0f, 0.0f};
  const cloth_inertia *kept = inertia ? inertia : &none;
  int error = check_call(c, from && to ? from : NULL);
  error = error ? error : check_pose(from);
  error = error ? error : check_pose(to);
  if (error) {
    return error;
  }
  if (!in_range(dt, 1.0e-6f, 1.0f)) {
    return CLOTH_ERROR_TIME_STEP;
  }
  if (!in_range(kept->linear, 0.0f, 1.0f) || !in_range(kept->angular, 0.0f, 1.0f) ||
      !in_range(kept->centrifugal, 0.0f, 1.0f)) {
    return CLOTH_ERROR_INERTIA;
  }
  cloth_pose poses[2] = {normalised_pose(from), normalised_pose(to)};
  rigid_motion m = frame_motion(&poses[0], &poses[1], kept, dt);
  if (!m.turns && m.place.x == m.pivot.x && m.place.y == m.pivot.y && m.place.z == m.pivot.z) {
    return CLOTH_OK;
  }
  if (!stays_within_limit(c, &m, colliders)) {
    return CLOTH_ERROR_VECTOR;
  }
  wake(c);
  transform_particles(c, &m, dt);
  transform_targets(c, &m);
  transform_confinements(c, &m);
  transform_colliders(c, &m, colliders);
  return CLOTH_OK;
}

#endif

/// Output ///

static cloth_range view_at(const cloth *c, uint32_t offset) {
  vector_array p = vectors_at(c, offset);
  cloth_range range;
  range.x = p.x;
  range.y = p.y;
  range.z = p.z;
  range.count = c->count;
  return range;
}

int cloth_positions(const cloth *c, cloth_range *range) {
  int error = check_call(c, range);
  if (error) {
    return error;
  }
  *range = view_at(c, c->state.position);
  return CLOTH_OK;
}

int cloth_velocities(const cloth *c, cloth_range *range) {
  int error = check_call(c, range);
  if (error) {
    return error;
  }
  *range = view_at(c, c->state.velocity);
  return CLOTH_OK;
}

/* Normal of the cloth at a particle; of a collapsed piece the world's y axis. Scaled before it is measured, so that the
   squares of a fine grid's small areas stay clear of underflow. */
static cloth_vector unit_normal(const cloth *c, int32_t column, int32_t row) {
  vector_array x = vectors_at(c, c->state.position);
  row_ends ends = row_ends_at(c, x, row);
  lanes3 areas = area_vectors(c, x, &ends, column, row);
  cloth_vector a = vector(lanes_first_value(areas.x), lanes_first_value(areas.y), lanes_first_value(areas.z));
  a = vector_scale(a, 1.0f / (c->grid.spacing_warp * c->grid.spacing_weft));
  float length = vector_length(a);
  return length > 1.0e-6f ? vector_scale(a, 1.0f / length) : vector(0.0f, 1.0f, 0.0f);
}

int cloth_get_position(const cloth *c, int32_t particle, cloth_vector *position) {
  int error = check_particle(c, particle);
  if (error) {
    return error;
  }
  if (!position) {
    return CLOTH_ERROR_NULL;
  }
  *position = vector_load(vectors_at(c, c->state.position), particle);
  return CLOTH_OK;
}

int cloth_get_velocity(const cloth *c, int32_t particle, cloth_vector *velocity) {
  int error = check_particle(c, particle);
  if (error) {
    return error;
  }
  if (!velocity) {
    return CLOTH_ERROR_NULL;
  }
  *velocity = vector_load(vectors_at(c, c->state.velocity), particle);
  return CLOTH_OK;
}

int cloth_get_normal(const cloth *c, int32_t particle, cloth_vector *normal) {
  int error = check_particle(c, particle);
  if (error) {
    return error;
  }
  if (!normal) {
    return CLOTH_ERROR_NULL;
  }
  *normal = unit_normal(c, particle % c->grid.columns, particle / c->grid.columns);
  return CLOTH_OK;
}

#ifndef CLOTH_NO_VERTICES

static void write_vertex(const cloth *c, const cloth_vertex_layout *layout, int32_t vertex, int32_t row, uint8_t *to) {
  int32_t column = vertex < c->grid.columns ? vertex : 0;
  if (layout->position_offset != CLOTH_ATTRIBUTE_NONE) {
    cloth_vector p = vector_load(vectors_at(c, c->state.position), row * c->grid.columns + column);
    copy_floats(to + layout->position_offset, &p.x, 3);
  }
  if (layout->normal_offset != CLOTH_ATTRIBUTE_NONE) {
    cloth_vector n = unit_normal(c, column, row);
    copy_floats(to + layout->normal_offset, &n.x, 3);
  }
  if (layout->texcoord_offset != CLOTH_ATTRIBUTE_NONE) {
    float uv[2] = {(float)vertex / (float)cells_along_warp(c), (float)row / (float)(c->grid.rows - 1)};
    copy_floats(to + layout->texcoord_offset, uv, 2);
  }
}

int cloth_write_vertices(const cloth *c, const cloth_vertex_layout *layout, void *vertices, size_t bytes) {
  int error = check_cloth(c);
  if (error) {
    return error;
  }
  if (!layout || !vertices) {
    return CLOTH_ERROR_NULL;
  }
  int32_t along = row_vertices(c);
  error = check_vertices(c, layout, bytes);
  if (error) {
    return error;
  }
  for (int32_t row = 0; row < c->grid.rows; row++) {
    for (int32_t vertex = 0; vertex < along; vertex++) {
      size_t i = (size_t)(row * along + vertex);
      write_vertex(c, layout, vertex, row, (uint8_t *)vertices + i * (size_t)layout->stride);
    }
  }
  return CLOTH_OK;
}

int cloth_index_count(const cloth *c) {
  int error = check_cloth(c);
  return error ? error : 6 * cells_along_warp(c) * (c->grid.rows - 1);
}

/* One of the six corners of a cell's two triangles, counter-clockwise seen from where the normal points. */
static int32_t cell_corner(const cloth *c, int32_t cell, int32_t corner) {
  CLOTH_CONSTANT static const uint8_t right[6] = {0, 1, 1, 0, 1, 0};
  CLOTH_CONSTANT static const uint8_t below[6] = {0, 0, 1, 0, 1, 1};
  int32_t cells = cells_along_warp(c);
  int32_t column = cell % cells + right[corner];
  int32_t row = cell / cells + below[corner];
  return row * row_vertices(c) + column;
}

/* Writes indices of 2 or 4 bytes. */
static int write_indices(const cloth *c, uint32_t first_vertex, void *indices, size_t count, uint32_t most) {
  int error = check_call(c, indices);
  if (error) {
    return error;
  }
  int32_t cells = cells_along_warp(c) * (c->grid.rows - 1);
  if (count < 6 * (size_t)cells) {
    return CLOTH_ERROR_BUFFER;
  }
  if ((uint32_t)(row_vertices(c) * c->grid.rows - 1) > most - first_vertex) {
    return CLOTH_ERROR_INDEX_WIDTH;
  }
  for (int32_t i = 0; i < 6 * cells; i++) {
    uint32_t vertex = first_vertex + (uint32_t)cell_corner(c, i / 6, i % 6);
    if (most == UINT16_MAX) {
      ((uint16_t *)indices)[i] = (uint16_t)vertex;
    } else {
      ((uint32_t *)indices)[i] = vertex;
    }
  }
  return CLOTH_OK;
}

int cloth_write_indices16(const cloth *c, uint16_t first_vertex, uint16_t *indices, size_t count) {
  return write_indices(c, first_vertex, indices, count, UINT16_MAX);
}

int cloth_write_indices32(const cloth *c, uint32_t first_vertex, uint32_t *indices, size_t count) {
  return write_indices(c, first_vertex, indices, count, UINT32_MAX);
}

#endif

int cloth_bounds(const cloth *c, cloth_vector *low, cloth_vector *high) {
  int error = check_cloth(c);
  if (error) {
    return error;
  }
  if (!low || !high) {
    return CLOTH_ERROR_NULL;
  }
  vector_array x = vectors_at(c, c->state.position);
  *low = vector_load(x, 0);
  *high = *low;
  for (int32_t i = 1; i < c->count; i++) {
    cloth_vector p = vector_load(x, i);
    *low = vector(minimum(low->x, p.x), minimum(low->y, p.y), minimum(low->z, p.z));
    *high = vector(maximum(high->x, p.x), maximum(high->y, p.y), maximum(high->z, p.z));
  }
  return CLOTH_OK;
}

/// State ///

/* The state is made of words of 4 bytes, floats and integers, but for the freedoms it starts with, which are bytes and
   count as little-endian words. */
static uint32_t little_endian_word(const uint8_t *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static int32_t freedom_words(const cloth *c) {
  return (c->count + 3) / 4;
}

/* Words from the colliders to the end of the state. */
static int32_t state_words(const cloth *c) {
  return (int32_t)((c->state.end - c->state.colliders) / 4u);
}

static const any_word *words_at(const cloth *c, uint32_t offset) {
  return (const any_word *)at(c, offset);
}

static uint64_t hash_state(const cloth *c) {
  hasher h;
  hash_start(&h);
  for (int32_t i = 0; i < freedom_words(c); i++) {
    hash_word(&h, little_endian_word(freedom_of(c) + 4 * i));
  }
  hash_words(&h, words_at(c, c->state.colliders), state_words(c));
  return hash_end(&h);
}

int cloth_hash(const cloth *c, uint64_t *hash) {
  int error = check_call(c, hash);
  if (error) {
    return error;
  }
  *hash = hash_state(c);
  return CLOTH_OK;
}

uint32_t cloth_hash_fold(uint64_t hash) {
  return (uint32_t)hash ^ (uint32_t)(hash >> 32);
}

/* First word of what cloth_save() writes. A machine of the other byte order reads another number. */
#define SAVE_MAGIC 0x65766173u

static void describe_save(const cloth *c, uint32_t header[SAVE_HEADER_BYTES / 4]) {
  header[0] = SAVE_MAGIC;
  header[1] = c->state.end - c->state.freedom;
  header[2] = c->config_hash[0];
  header[3] = c->config_hash[1];
}

int cloth_save(const cloth *c, void *buffer, size_t bytes) {
  int error = check_call(c, buffer);
  if (error) {
    return error;
  }
  uint32_t header[SAVE_HEADER_BYTES / 4];
  describe_save(c, header);
  if (bytes < SAVE_HEADER_BYTES + header[1]) {
    return CLOTH_ERROR_BUFFER;
  }
  copy_memory(buffer, header, SAVE_HEADER_BYTES);
  copy_memory((uint8_t *)buffer + SAVE_HEADER_BYTES, at(c, c->state.freedom), header[1]);
  return CLOTH_OK;
}

int cloth_load(cloth *c, const void *buffer, size_t bytes) {
  int error = check_call(c, buffer);
  if (error) {
    return error;
  }
  if (bytes < SAVE_HEADER_BYTES) {
    return CLOTH_ERROR_IMAGE_SIZE;
  }
  uint32_t header[SAVE_HEADER_BYTES / 4];
  uint32_t expected[SAVE_HEADER_BYTES / 4];
  copy_memory(header, buffer, SAVE_HEADER_BYTES);
  describe_save(c, expected);
  if (header[0] != expected[0]) {
    return CLOTH_ERROR_IMAGE_MAGIC;
  }
  if (header[1] != expected[1] || bytes < SAVE_HEADER_BYTES + header[1]) {
    return CLOTH_ERROR_IMAGE_SIZE;
  }
  if (header[2] != expected[2] || header[3] != expected[3]) {
    return CLOTH_ERROR_IMAGE_CONFIG;
  }
  copy_memory(at(c, c->state.freedom), (const uint8_t *)buffer + SAVE_HEADER_BYTES, header[1]);
  return CLOTH_OK;
}

/// Portable image ///

#ifndef CLOTH_NO_IMAGE

/* Header words of an image, after which the state follows word by word, all little-endian. */
enum {
  IMAGE_MAGIC,
  IMAGE_STATE_VERSION,
  IMAGE_NUMERICS_VERSION,
  IMAGE_BYTES,
  IMAGE_COLUMNS,
  IMAGE_ROWS,
  IMAGE_COLLIDERS,
  IMAGE_CONFINED,
  IMAGE_OPTIONS,                 /* 1: a warm start, 2: contacts in the solver */
  IMAGE_CONFIG,                  /* hash of the config, low word first */
  IMAGE_HASH = IMAGE_CONFIG + 2, /* of the state, low word first */
  IMAGE_HEADER_WORDS = IMAGE_HEADER_BYTES / 4
};

static void describe_image(const cloth *c, uint32_t header[IMAGE_HEADER_WORDS]) {
  fill_zero(header, IMAGE_HEADER_BYTES);
  header[IMAGE_MAGIC] = CLOTH_IMAGE_MAGIC;
  header[IMAGE_STATE_VERSION] = CLOTH_STATE_VERSION;
  header[IMAGE_NUMERICS_VERSION] = CLOTH_NUMERICS_VERSION;
  header[IMAGE_BYTES] = IMAGE_HEADER_BYTES + (c->state.end - c->state.freedom);
  header[IMAGE_COLUMNS] = (uint32_t)c->grid.columns;
  header[IMAGE_ROWS] = (uint32_t)c->grid.rows;
  header[IMAGE_COLLIDERS] = (uint32_t)c->settings.capacity.max_colliders;
  header[IMAGE_CONFINED] = (uint32_t)c->settings.capacity.max_confined;
  header[IMAGE_OPTIONS] = (c->state.warm_start ? 1u : 0u) | (c->state.contacts ? 2u : 0u);
  header[IMAGE_CONFIG] = c->config_hash[0];
  header[IMAGE_CONFIG + 1] = c->config_hash[1];
}

static void write_words(uint8_t *to, const any_word *words, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    for (int32_t byte = 0; byte < 4; byte++) {
      to[4 * i + byte] = (uint8_t)(words[i] >> (8 * byte));
    }
  }
}

static void read_words(any_word *words, const uint8_t *from, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    words[i] = little_endian_word(from + 4 * i);
  }
}

int cloth_write_image(const cloth *c, void *image, size_t bytes) {
  int error = check_call(c, image);
  if (error) {
    return error;
  }
  uint32_t header[IMAGE_HEADER_WORDS];
  describe_image(c, header);
  if (bytes < header[IMAGE_BYTES]) {
    return CLOTH_ERROR_BUFFER;
  }
  uint64_t hash = hash_state(c);
  header[IMAGE_HASH] = (uint32_t)hash;
  header[IMAGE_HASH + 1] = (uint32_t)(hash >> 32);
  uint8_t *to = (uint8_t *)image;
  uint32_t freedom_bytes = c->state.colliders - c->state.freedom;
  write_words(to, header, IMAGE_HEADER_WORDS);
  copy_memory(to + IMAGE_HEADER_BYTES, freedom_of(c), freedom_bytes);
  write_words(to + IMAGE_HEADER_BYTES + freedom_bytes, words_at(c, c->state.colliders), state_words(c));
  return CLOTH_OK;
}

/* Why an image with this header cannot be one of this cloth, or CLOTH_OK. */
static int check_image_header(const cloth *c, const uint32_t header[IMAGE_HEADER_WORDS], size_t bytes) {
  uint32_t expected[IMAGE_HEADER_WORDS];
  describe_image(c, expected);
  if (header[IMAGE_MAGIC] != expected[IMAGE_MAGIC]) {
    return CLOTH_ERROR_IMAGE_MAGIC;
  }
  if (header[IMAGE_STATE_VERSION] != expected[IMAGE_STATE_VERSION]) {
    return CLOTH_ERROR_IMAGE_VERSION;
  }
  if (header[IMAGE_NUMERICS_VERSION] != expected[IMAGE_NUMERICS_VERSION]) {
    return CLOTH_ERROR_IMAGE_NUMERICS;
  }
  for (int32_t i = IMAGE_BYTES; i < IMAGE_CONFIG; i++) {
    if (header[i] != expected[i]) {
      return CLOTH_ERROR_IMAGE_SIZE;
    }
  }
  if (bytes < header[IMAGE_BYTES]) {
    return CLOTH_ERROR_IMAGE_SIZE;
  }
  int same = header[IMAGE_CONFIG] == expected[IMAGE_CONFIG] && header[IMAGE_CONFIG + 1] == expected[IMAGE_CONFIG + 1];
  return same ? CLOTH_OK : CLOTH_ERROR_IMAGE_CONFIG;
}

static uint64_t hash_image(const uint8_t *body, uint32_t bytes) {
  hasher h;
  hash_start(&h);
  for (uint32_t i = 0; i < bytes; i += 4) {
    hash_word(&h, little_endian_word(body + i));
  }
  return hash_end(&h);
}

/* Is this +0, or a finite number of at least 2^-40? All floats of a state are. */
static int is_state_float(uint32_t word) {
  uint32_t exponent = (word >> 23) & 255u;
  return word == 0 || (exponent >= 127u - 40u && exponent < 255u);
}

static int are_state_floats(const uint8_t *from, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    if (!is_state_float(little_endian_word(from + 4 * i))) {
      return 0;
    }
  }
  return 1;
}

static int is_zero(const uint8_t *from, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) {
    if (from[i]) {
      return 0;
    }
  }
  return 1;
}

/* The parts of an image's state, at the offsets they have in the cloth. */
typedef struct image_view {
  const cloth *c;
  const uint8_t *state;
} image_view;

static const uint8_t *image_at(const image_view *view, uint32_t offset) {
  return view->state + (offset - view->c->state.freedom);
}

static int is_freedom(uint8_t freedom) {
  return freedom <= FREEDOM_MASK || freedom == (FREEDOM_PINNED | PIN_HAS_TARGET) ||
         freedom == (FREEDOM_PINNED | PIN_ARRIVED);
}

/* Gusts as cloth_set_gusts() can have set them. */
static int are_image_gusts(const cloth_inputs *inputs) {
  cloth_vector strength = inputs->gust_strength;
  if (inputs->gust_period == 0.0f) {
    return strength.x == 0.0f && strength.y == 0.0f && strength.z == 0.0f && inputs->gust_seed == 0 &&
           inputs->gust_place[0] == 0 && inputs->gust_place[1] == 0;
  }
#if WITH_AIR
  return are_gusts(strength, inputs->gust_period);
#else
  return 0;
#endif
}

static int check_image_inputs(const image_view *view, cloth_inputs *inputs) {
  const uint8_t *from = image_at(view, view->c->state.inputs);
  read_words((any_word *)inputs, from, (int32_t)(sizeof(cloth_inputs) / 4));
  const int32_t floats = (int32_t)((sizeof(cloth_inputs) - offsetof(cloth_inputs, last_substep)) / 4);
  const int32_t most_targets = view->c->state.targets ? TARGETS_MOVING : TARGETS_NONE;
  return are_state_floats(from + offsetof(cloth_inputs, last_substep), floats) && inputs->collider_end >= 0 &&
         inputs->collider_end <= view->c->settings.capacity.max_colliders && inputs->confined_count >= 0 &&
         inputs->confined_count <= view->c->settings.capacity.max_confined && inputs->tethers_chosen >= 0 &&
         inputs->tethers_chosen <= (view->c->state.tethers ? TETHERS_SET : TETHERS_STALE) &&
         inputs->targets >= TARGETS_NONE && inputs->targets <= most_targets && are_image_gusts(inputs) &&
         in_range(inputs->last_substep, 0.0f, 1.0f) && vector_in_range(inputs->gravity, 1.0e4f) &&
         vector_in_range(inputs->wind, 1.0e3f) && !check_fabric(&inputs->fabric);
}

/* Returns 1 for a slot in use, 0 for a free one, -1 for one that cannot be. */
static int check_image_slot(const image_view *view, int32_t index) {
  const uint8_t *from = image_at(view, view->c->state.colliders + (uint32_t)index * (uint32_t)sizeof(collider_slot));
  if (is_zero(from, sizeof(collider_slot))) {
    return 0;
  }
#if WITH_COLLIDERS
  collider_slot slot;
  read_words((any_word *)&slot, from, (int32_t)(sizeof slot / 4));
  if (!are_state_floats(from + 8, (int32_t)(sizeof slot / 4) - 2) || check_collider(&slot.body) ||
      check_pose(&slot.previous)) {
    return -1;
  }
  /* Stored as a new one it must stay what it is, but for the rotations: those change with each time they are made unit
     length. */
  collider_slot stored = stored_collider(&slot.body);
  stored.body.pose = slot.body.pose;
  stored.previous = slot.previous;
  if (are_equal(&stored, &slot, sizeof slot)) {
    return 1;
  }
#endif
  return -1;
}

static int check_image_colliders(const image_view *view, const cloth_inputs *inputs) {
  int32_t end = 0;
  for (int32_t index = 0; index < view->c->settings.capacity.max_colliders; index++) {
    int used = check_image_slot(view, index);
    if (used < 0) {
      return 0;
    }
    end = used ? index + 1 : end;
  }
  return end == inputs->collider_end;
}

static int check_image_confinement(const image_view *view, int32_t index, int32_t particle, uint8_t freedom) {
  const uint8_t *from = image_at(view, view->c->state.confined) + (size_t)index * sizeof(confinement);
  confinement held;
  read_words((any_word *)&held, from, (int32_t)(sizeof held / 4));
  return held.particle == particle && held.freedom == freedom && are_state_floats(from + 8, 6) &&
         vector_in_range(held.direction, 1.001f) && in_range(vector_length(held.direction), 0.999f, 1.001f) &&
         vector_in_range(held.anchor, CLOTH_POSITION_LIMIT);
}

/* The confined particles, in their order, are those that are listed. */
static int check_image_confined(const image_view *view, const cloth_inputs *inputs) {
  const cloth *c = view->c;
  const uint8_t *freedom = image_at(view, c->state.freedom);
  int32_t listed = 0;
  for (int32_t i = 0; i < c->count; i++) {
    if (!is_freedom(freedom[i])) {
      return 0;
    }
    if (is_confined(freedom[i])) {
      if (listed == inputs->confined_count || !check_image_confinement(view, listed, i, freedom[i])) {
        return 0;
      }
      listed++;
    }
  }
  const uint8_t *rest = image_at(view, c->state.confined) + (size_t)listed * sizeof(confinement);
  return listed == inputs->confined_count &&
         is_zero(rest, (size_t)(c->settings.capacity.max_confined - listed) * sizeof(confinement)) &&
         is_zero(freedom + c->count, c->state.colliders - c->state.freedom - (uint32_t)c->count);
}

/* Are the floats of these planes within a limit, and is nothing in their pads? */
static int check_image_vectors(const image_view *view, uint32_t offset, float limit) {
  const cloth *c = view->c;
  for (int32_t plane = 0; plane < 3; plane++) {
    const uint8_t *from = image_at(view, offset) + (size_t)(plane * c->stride) * sizeof(float);
    for (int32_t i = 0; i < c->count; i++) {
      float_bits b;
      b.bits = little_endian_word(from + 4 * i);
      if (!is_state_float(b.bits) || !in_range(b.value, 0.0f - limit, limit)) {
        return 0;
      }
    }
    if (!is_zero(from + 4 * c->count, (size_t)(c->stride - c->count) * sizeof(float))) {
      return 0;
    }
  }
  return 1;
}

static int check_image_contacts(const image_view *view) {
  const cloth *c = view->c;
  const uint8_t *words = image_at(view, c->state.contacts);
  for (int32_t i = 0; i < c->count; i++) {
    uint32_t word = little_endian_word(words + 4 * i);
    int32_t index = CONTACT_COLLIDER(word);
    if (word != CONTACT_NONE && (index >= c->settings.capacity.max_colliders || check_image_slot(view, index) != 1 ||
                                 CONTACT_DWELL(word) > SLIDE_DWELL || CONTACT_KIND(word) == CONTACT_NONE)) {
      return 0;
    }
  }
  return 1;
}

/* A cloth asleep is one that may sleep, and all its particles rest. */
static int check_image_sleep(const image_view *view, float rest_time) {
  const cloth *c = view->c;
  if (rest_time == ASLEEP) {
    return c->settings.sleep.speed > 0.0f &&
           is_zero(image_at(view, c->state.velocity), 3 * (size_t)c->stride * sizeof(float));
  }
  return rest_time == 0.0f || (c->settings.sleep.speed > 0.0f && in_range(rest_time, 0.0f, c->settings.sleep.time));
}

/* Tethers lead to particles, and once they are chosen to pinned ones; or nowhere. */
static int check_image_tethers(const image_view *view, const cloth_inputs *inputs) {
  const cloth *c = view->c;
  const uint8_t *words = image_at(view, c->state.tethers);
  const uint8_t *freedom = image_at(view, c->state.freedom);
  for (int32_t i = 0; i < c->settings.tethers.count * c->count; i++) {
    uint32_t pin = little_endian_word(words + 4 * i);
    if (pin != 0xffffffffu &&
        (pin >= (uint32_t)c->count || (inputs->tethers_chosen && (freedom[pin] & FREEDOM_MASK) != FREEDOM_PINNED))) {
      return 0;
    }
  }
  return 1;
}

/* The velocities of the substeps before, the first of which may be forgotten. */
static int check_image_history(const image_view *view) {
  const cloth *c = view->c;
  const uint8_t *from = image_at(view, c->state.velocity_history);
  for (int32_t i = 0; i < 6 * c->stride; i++) {
    float_bits b;
    b.bits = little_endian_word(from + 4 * i);
    int is_forgotten = i < c->count && b.value == HISTORY_INVALID;
    int is_pad = i % c->stride >= c->count;
    float limit =
        is_pad ? 0.0f : 1.9f * PIN_SPEED_LIMIT; /* confinement may turn the fastest pin's about the diagonal */
    if (!is_forgotten && !(is_state_float(b.bits) && in_range(b.value, 0.0f - limit, limit))) {
      return 0;
    }
  }
  return 1;
}

/* From the end of a part of the state to the next one, which is aligned, there is nothing. */
static int check_image_gaps(const image_view *view) {
  const cloth *c = view->c;
  const uint32_t vectors = 3u * (uint32_t)c->stride * (uint32_t)sizeof(float);
  const uint32_t starts[] = {c->state.position, c->state.velocity, c->state.velocity_history, c->state.warm_start,
                             c->state.targets};
  const uint32_t lengths[] = {1, 1, 2, 1, TARGET_VECTORS};
  uint32_t end = c->state.inputs + (uint32_t)sizeof(cloth_inputs);
  for (int32_t i = 0; i < 5; i++) {
    if (starts[i] && !is_zero(image_at(view, end), starts[i] - end)) {
      return 0;
    }
    end = starts[i] ? starts[i] + lengths[i] * vectors : end;
  }
  return 1;
}

/* Does one of the vectors of an image's targets hold the same as another? */
static int are_same_targets(const image_view *view, int32_t which, int32_t other) {
  const size_t bytes = 3 * (size_t)view->c->stride * sizeof(float);
  const uint8_t *targets = image_at(view, view->c->state.targets);
  return are_equal(targets + (size_t)which * bytes, targets + (size_t)other * bytes, bytes);
}

static cloth_vector image_vector(const image_view *view, uint32_t offset, int32_t particle) {
  const uint8_t *from = image_at(view, offset) + 4 * (size_t)particle;
  const size_t plane = (size_t)view->c->stride * sizeof(float);
  float_bits a[3];
  for (int32_t n = 0; n < 3; n++) {
    a[n].bits = little_endian_word(from + (size_t)n * plane);
  }
  return vector(a[0].value, a[1].value, a[2].value);
}

/* Of unit length, or none? */
static int is_image_normal(cloth_vector normal) {
  float length = vector_length(normal);
  return length == 0.0f || in_range(length, 0.999f, 1.001f);
}

/* Motion constraints, and targets in range with normals of unit length or none; before and after are the same for those
   that rest, and 0 for those that are nowhere yet. */
static int check_image_targets(const image_view *view, int32_t targets) {
  const cloth *c = view->c;
  const uint32_t vector_bytes = 3u * (uint32_t)c->stride * (uint32_t)sizeof(float);
  for (int32_t which = 0; which < TARGET_VECTORS; which++) {
    float most = which == TARGET_LIMIT ? CLOTH_ANY_DISTANCE : CLOTH_POSITION_LIMIT;
    uint32_t offset = c->state.targets + (uint32_t)which * vector_bytes;
    if (!check_image_vectors(view, offset, most)) {
      return 0;
    }
    for (int32_t i = 0; i < c->count; i++) {
      cloth_vector a = image_vector(view, offset, i);
      if ((which == TARGET_LIMIT && !is_motion_limit(a)) || (which >= TARGET_NORMAL && !is_image_normal(a))) {
        return 0;
      }
    }
  }
  const uint8_t *places = image_at(view, c->state.targets + vector_bytes);
  return (targets == TARGETS_MOVING || (are_same_targets(view, TARGET_PLACE, TARGET_PLACE_BEFORE) &&
                                        are_same_targets(view, TARGET_NORMAL, TARGET_NORMAL_BEFORE))) &&
         (targets != TARGETS_NONE || is_zero(places, (TARGET_VECTORS - 1) * (size_t)vector_bytes));
}

static int check_image_content(const image_view *view) {
  const cloth *c = view->c;
  cloth_inputs inputs;
  return check_image_inputs(view, &inputs) && check_image_colliders(view, &inputs) &&
         check_image_confined(view, &inputs) && check_image_gaps(view) &&
         check_image_vectors(view, c->state.position, CLOTH_POSITION_LIMIT) &&
         check_image_vectors(view, c->state.velocity, PIN_SPEED_LIMIT) && check_image_sleep(view, inputs.rest_time) &&
         (!c->state.tethers || check_image_tethers(view, &inputs)) &&
         (!c->state.velocity_history || check_image_history(view)) &&
         (!c->state.warm_start || check_image_vectors(view, c->state.warm_start, 1.0e30f)) &&
         (!c->state.contacts || check_image_contacts(view)) &&
         (!c->state.targets || check_image_targets(view, inputs.targets));
}

int cloth_read_image(cloth *c, const void *image, size_t bytes) {
  int error = check_call(c, image);
  if (error) {
    return error;
  }
  if (bytes < IMAGE_HEADER_BYTES) {
    return CLOTH_ERROR_IMAGE_SIZE;
  }
  uint32_t header[IMAGE_HEADER_WORDS];
  const uint8_t *from = (const uint8_t *)image;
  read_words(header, from, IMAGE_HEADER_WORDS);
  error = check_image_header(c, header, bytes);
  if (error) {
    return error;
  }
  image_view view = {c, from + IMAGE_HEADER_BYTES};
  uint64_t hash = hash_image(view.state, c->state.end - c->state.freedom);
  if (header[IMAGE_HASH] != (uint32_t)hash || header[IMAGE_HASH + 1] != (uint32_t)(hash >> 32)) {
    return CLOTH_ERROR_IMAGE_DAMAGED;
  }
  if (!check_image_content(&view)) {
    return CLOTH_ERROR_IMAGE_CONTENT;
  }
  copy_memory(freedom_of(c), view.state, c->state.colliders - c->state.freedom);
  read_words((any_word *)at(c, c->state.colliders), image_at(&view, c->state.colliders), state_words(c));
  return CLOTH_OK;
}

#endif

/// Measures ///

#ifndef CLOTH_NO_MEASURE

/* Energy of a bend spring of rest length L, bent to s = l / L, below 1: the integral of its force, linear with slope
   c_b down to the strain where the curve is weaker, and Choi-Ko's curve below. `curve` is c / L^2. */
static float bend_energy(float rest, float curve, float slope, float s) {
  /* Where line and curve cross: the line starts from 0 and is the weaker one near s = 1; three Newton-like steps
     from a curve taken as constant are plenty, as the curve varies slowly there. */
  float crossing = 1.0f;
  for (int step = 0; step < 3; step++) {
    crossing = 1.0f + curve * lanes_first_value(bend_curve(lanes_splat(crossing))) / (slope * rest);
    crossing = maximum(crossing, 0.0f);
  }
  float linear_from = maximum(s, crossing);
  float energy = 0.5f * slope * rest * rest * (1.0f - linear_from) * (1.0f - linear_from);
  /* The curve's part by Simpson's rule, exact for polynomials of one degree less than the quartic. */
  float middle = 0.5f * (s + linear_from);
  float ends = lanes_first_value(bend_curve(lanes_splat(s))) + lanes_first_value(bend_curve(lanes_splat(linear_from)));
  float mean = (ends + 4.0f * lanes_first_value(bend_curve(lanes_splat(middle)))) / 6.0f;
  return energy - curve * mean * rest * (linear_from - s);
}

/* Sums over the springs of one direction that span one cell, or two for bend. */
typedef struct spring_sums {
  lanes_sum energy;
  lanes_sum squared_strain;
  float largest;
} spring_sums;

static float particle_scale(const cloth *c, int32_t i, int32_t j) {
  return lanes_first_value(spring_scale(c, (spring_block){i, j, 1}, 1));
}

/* The ends of a spring. */
typedef struct particle_pair {
  int32_t i, j;
} particle_pair;

/* Of the spring kept at a column of a row. */
static particle_pair spring_particles(const cloth *c, int32_t d, int32_t reach, int32_t row, int32_t column) {
  int32_t place = row * c->grid.columns + column;
  particle_pair ends = {place + reach * spring_start(d), place + reach * spring_end(c, d)};
  int32_t over = is_wrapped(c) && column + reach >= c->grid.columns ? c->grid.columns : 0;
  ends.i -= d == ANTIDIAGONAL ? over : 0;
  ends.j -= d == WARP || d == DIAGONAL ? over : 0;
  return ends;
}

/* How many springs of a direction a row keeps. */
static int32_t row_springs(const cloth *c, int32_t d, int32_t reach, int32_t row) {
  int32_t springs = springs_left(d, reach, offset_below(c, row, reach), c->grid.columns);
  return is_wrapped(c) && springs > 0 ? c->grid.columns : springs;
}

static void measure_springs(const cloth *c, int32_t d, spring_sums *sums) {
  vector_array x = vectors_at(c, c->state.position);
  const uint8_t *freedom = freedom_of(c);
  float rest = direction_rest(c, d);
  float stiffness = direction_stiffness(c, d);
  for (int32_t row = 0; row < c->grid.rows; row++) {
    for (int32_t column = 0; column < row_springs(c, d, 1, row); column++) {
      const particle_pair ends = spring_particles(c, d, 1, row, column);
      const int32_t i = ends.i, j = ends.j;
      float length = vector_length(vector_subtract(vector_load(x, j), vector_load(x, i)));
      float e = flush_small(length - rest, STATE_QUANTUM);
      const cloth_fabric *fabric = &inputs_of(c)->fabric;
      float share = e > 0.0f ? 1.0f : (d <= WEFT ? fabric->compression : fabric->shear_compression);
      float energy = 0.5f * stiffness * share * particle_scale(c, i, j) * e * e;
      lanes_sum_add_value(&sums->energy, column, energy);
      int held = ((freedom[i] | freedom[j]) & FREEDOM_MASK) == FREEDOM_PINNED;
      if (d <= WEFT && !held) {
        float strain = maximum(e / rest, 0.0f);
        lanes_sum_add_value(&sums->squared_strain, column, flush_small(strain * strain, WORK_QUANTUM));
        sums->largest = maximum(sums->largest, e / rest);
      }
    }
  }
}

static void measure_bend(const cloth *c, int32_t d, spring_sums *sums) {
  vector_array x = vectors_at(c, c->state.position);
  float rest = 2.0f * direction_rest(c, d);
  float curve = bend_constant(c, d) / (rest * rest);
  float slope = bend_linear_slope(c, d, rest);
  float fold = 0.5f * fold_stiffness(c, d) * rest * rest;
  for (int32_t row = 0; row < c->grid.rows; row++) {
    for (int32_t column = 0; column < row_springs(c, d, 2, row); column++) {
      const particle_pair ends = spring_particles(c, d, 2, row, column);
      const int32_t i = ends.i, j = ends.j;
      float s = vector_length(vector_subtract(vector_load(x, j), vector_load(x, i))) / rest;
      float bent = flush_small(maximum(1.0f - s, 0.0f), STATE_QUANTUM);
      /* The stronger of the fabric's force and the fold stiffness acts; usually that is the same one all the way. */
      float fabric = slope > 0.0f && bent > 0.0f ? bend_energy(rest, curve, slope, s) : 0.0f;
      float energy = maximum(fabric, fold * bent * bent) * particle_scale(c, i, j);
      lanes_sum_add_value(&sums->energy, column, energy);
    }
  }
}

static void measure_motion(const cloth *c, cloth_measures *measures) {
  vector_array x = vectors_at(c, c->state.position);
  vector_array v = vectors_at(c, c->state.velocity);
  cloth_vector g = inputs_of(c)->gravity;
  lanes_sum kinetic = {{0.0f}};
  lanes_sum height = {{0.0f}};
  for (int32_t i = 0; i < c->count; i++) {
    float mass = mass_ratio_at(c, i);
    cloth_vector velocity = vector_load(v, i);
    lanes_sum_add_value(&kinetic, i, mass * vector_dot(velocity, velocity));
    lanes_sum_add_value(&height, i, mass * vector_dot(g, vector_load(x, i)));
  }
  float mass = reference_mass(c);
  measures->kinetic_energy = 0.5f * mass * lanes_sum_total(&kinetic);
  measures->potential_energy = 0.0f - mass * lanes_sum_total(&height);
}

int cloth_measure(const cloth *c, cloth_measures *measures) {
  int error = check_call(c, measures);
  if (error) {
    return error;
  }
  spring_sums sums;
  fill_zero(&sums, sizeof sums);
  sums.largest = -1.0f;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    measure_springs(c, d, &sums);
    measure_bend(c, d, &sums);
  }
  int32_t springs = cells_along_warp(c) * c->grid.rows + c->grid.columns * (c->grid.rows - 1);
  measures->stretch_largest = sums.largest;
  measures->stretch_rms = square_root(lanes_sum_total(&sums.squared_strain) / (float)springs);
  measures->elastic_energy = lanes_sum_total(&sums.energy);
  measure_motion(c, measures);
  return CLOTH_OK;
}

#endif

/// Names ///

#ifndef CLOTH_NO_NAMES

/* One after the other, in the order of the codes. */
CLOTH_CONSTANT static const char result_names[] =
    "OK\0NULL\0CONFIG\0GRID\0PLACEMENT\0DENSITY\0STIFFNESS\0DAMPING\0AIR\0GRAVITY\0WIND\0INTEGRATION\0SUBSTEPS\0"
    "SOLVER\0ITERATIONS\0TOLERANCE\0STRAIN_LIMIT\0CONTACT\0FRICTION\0CAPACITY\0MAX_SPEED\0MAP\0ARENA_ALIGNMENT\0"
    "ARENA_SIZE\0NOT_A_CLOTH\0TIME_STEP\0PARTICLE\0NOT_PINNED\0VECTOR\0DIRECTION\0FULL\0COLLIDER\0SHAPE\0"
    "ROTATION\0BUFFER\0INDEX_WIDTH\0UNSTABLE\0LEFT_OUT\0IMAGE_MAGIC\0IMAGE_VERSION\0IMAGE_NUMERICS\0"
    "IMAGE_CONFIG\0IMAGE_SIZE\0IMAGE_DAMAGED\0IMAGE_CONTENT\0CONTRACTION\0ROUNDING\0EXCESS\0SQUARE_ROOT\0LANES\0"
    "PROJECTION\0SLEEP\0WORK\0PLAN\0INERTIA\0TARGETS\0SCRATCH\0";

const char *cloth_result_name(int result) {
  const char *name = result_names;
  for (int code = result < 0 ? result : 0; code < 0 && *name; code++) {
    while (*name++) {
    }
  }
  return *name ? name : "unknown";
}

#endif

