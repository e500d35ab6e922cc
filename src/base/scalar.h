#pragma once
#include "compiler.h"

/// Scalars and vectors ///

/* Arithmetic on single floats and on cloth_vector with the same results on every machine: correctly rounded operations
   only, no subnormal numbers (flush_small(), quantise()) and no -0 (negate()). */

typedef union float_bits {
  float value;
  uint32_t bits;
} float_bits;

CLOTH_INLINE float_bits float_to_bits(float value) {
  float_bits b;
  b.value = value;
  return b;
}

/* 1 unless the value is infinite or NaN. */
static int is_finite(float value) {
  return (float_to_bits(value).bits & 0x7f800000u) != 0x7f800000u;
}

static int in_range(float value, float low, float high) {
  return is_finite(value) && value >= low && value <= high;
}

CLOTH_INLINE int32_t smaller_of(int32_t a, int32_t b) {
  return a < b ? a : b;
}

CLOTH_REPEATED int32_t larger_of(int32_t a, int32_t b) {
  return a > b ? a : b;
}

/* The smaller and the larger of two floats; b if either is NaN. */
CLOTH_REPEATED float minimum(float a, float b) {
  return a < b ? a : b;
}

CLOTH_REPEATED float maximum(float a, float b) {
  return a > b ? a : b;
}

/* -a, by subtraction from 0: negate(0) is +0, where the operator gives -0, which has other bits. */
CLOTH_INLINE float negate(float a) {
  return 0.0f - a;
}

CLOTH_REPEATED float absolute(float a) {
  return a < 0.0f ? negate(a) : a;
}

/* Correctly rounded square root of 0 or a normal number: one instruction, written out because compilers may call a
   library; elsewhere, or with CLOTH_SQUARE_ROOT_BY_BITS, in integers, one bit at a time, 25 bits, then to nearest
   even. */
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
#elif defined(_MSC_VER) && !defined(CLOTH_SQUARE_ROOT_BY_BITS)
#if defined(_M_X64) || (defined(_M_IX86_FP) && _M_IX86_FP >= 2)
#include <xmmintrin.h>
#define SQUARE_ROOT_INSTRUCTION(root, value) (root = _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(value))))
#elif defined(_M_ARM64)
#include <arm_neon.h>
#define SQUARE_ROOT_INSTRUCTION(root, value) (root = vget_lane_f32(vsqrt_f32(vdup_n_f32(value)), 0))
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
  if (bits >= 0x7f800000u && (value > 0.0f || value != value)) { return value; /* infinity and what is no number */ }
  if (!(value > 0.0f) || bits < 0x00800000u) { return 0.0f; }
  uint32_t exponent = (bits >> 23) - 127u;
  uint32_t remainder = (bits & 0x007fffffu) | 0x00800000u;
  if (exponent & 1u) { remainder += remainder; }
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
  if (remainder != 0) { root += root & 1u; }
  float_bits result;
  /* The exponent halves downwards: biased first, so that the shift stays unsigned. */
  result.bits = (root >> 1) + 0x3f000000u + ((((exponent + 256u) >> 1) - 128u) << 23);
  return result.value;
}
#endif

/* The number of the lowest bit of 32: that bit times this constant has the entry to read in its highest five bits, any
   five successive ones of which differ from all others (de Bruijn). */
#define FIRST_BIT_FACTOR 0x077cb531u
CLOTH_CONSTANT static const uint8_t first_bits[32] = {0,  1,  28, 2,  29, 14, 24, 3, 30, 22, 20, 15, 25, 17, 4,  8,
                                                      31, 27, 13, 23, 21, 19, 16, 7, 26, 12, 18, 6,  11, 5,  10, 9};

CLOTH_INLINE int32_t first_bit(uint32_t bits) {
  return first_bits[(bits & (0u - bits)) * FIRST_BIT_FACTOR >> 27];
}

/*
 * Quanta. Small magnitudes are dropped before they are multiplied, as machines differ in what they do with products
 * below 2^-126. Larger quanta lose more of slow motions; smaller ones let products become subnormal.
 *
 * flush_small() replaces numbers below a quantum by +0; larger ones keep all bits, and differ by 0 or 2^-23 quanta.
 *
 * quantise() rounds to multiples of 2^-n by adding and subtracting 1.5 * 2^(23 - n), the rounder, where a number is
 * below 2^(22 - n). Products and sums of multiples of 2^-n and 2^-m are multiples of 2^-(n + m) however they are
 * rounded, so none is subnormal as long as n + m < 126.
 */

/* Smallest magnitude kept in positions [m] and velocities [m/s]: 2^-30, so that two differ by 0 or 2^-53 at least. */
#define STATE_QUANTUM 9.313225746154785e-10f
/* Smallest magnitude kept in work vectors and coefficients: 2^-40; sums of products differ by 0 or 2^-104 at least. */
#define WORK_QUANTUM 9.094947017729282e-13f
/* Smallest magnitude kept in impulses [N s] and in directions of any length. They are multiplied once more, by no less
   than 1e-13: the mass of the lightest particle, an arm, or the inverse of the greatest length. */
#define INPUT_QUANTUM 1.0e-22f
/* The rounders of quantise() for n = 40, WORK_QUANTUM, and n = 30, STATE_QUANTUM. */
#define WORK_ROUNDER 1.1444091796875e-5f
#define STATE_ROUNDER 0.01171875f

CLOTH_INLINE float flush_small(float value, float quantum) {
  return (value < quantum && value > -quantum) ? 0.0f : value;
}

/* Before a number is multiplied. */
CLOTH_REPEATED float flush_work(float value) {
  return flush_small(value, WORK_QUANTUM);
}

/* Never -0, as x - x is +0 for any x. */
CLOTH_INLINE float quantise(float value, float rounder) {
  return (value + rounder) - rounder;
}

CLOTH_INLINE cloth_vector vector(float x, float y, float z) {
  return (cloth_vector){x, y, z};
}

CLOTH_INLINE cloth_vector vector_quantise(cloth_vector a, float rounder) {
  return vector(quantise(a.x, rounder), quantise(a.y, rounder), quantise(a.z, rounder));
}

static cloth_vector vector_add(cloth_vector a, cloth_vector b) {
  return vector(a.x + b.x, a.y + b.y, a.z + b.z);
}

static cloth_vector vector_subtract(cloth_vector a, cloth_vector b) {
  return vector(a.x - b.x, a.y - b.y, a.z - b.z);
}

static int vector_is_zero(cloth_vector a) {
  return a.x == 0.0f && a.y == 0.0f && a.z == 0.0f;
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

/* Before components become state. */
CLOTH_ONCE cloth_vector vector_flush_state(cloth_vector a) {
  return vector_flush(a, STATE_QUANTUM);
}

/* Before components are multiplied. */
CLOTH_ONCE cloth_vector vector_flush_work(cloth_vector a) {
  return vector_flush(a, WORK_QUANTUM);
}

CLOTH_ONCE cloth_vector vector_scale_work(cloth_vector a, float factor) {
  return vector_flush(vector_scale(a, factor), WORK_QUANTUM);
}

/* Components below STATE_QUANTUM count as 0, as their squares might be subnormal. */
static float vector_length(cloth_vector a) {
  const cloth_vector kept = vector_flush_state(a);
  return square_root(vector_dot(kept, kept));
}

/* 1 if every component is finite and within -limit..limit. */
static int vector_in_range(cloth_vector a, float limit) {
  return in_range(a.x, -limit, limit) && in_range(a.y, -limit, limit) && in_range(a.z, -limit, limit);
}

static int are_in_range(const cloth_vector *vectors, int32_t count, float limit) {
  int32_t i = 0;
  while (i < count && vector_in_range(vectors[i], limit)) {
    i++;
  }
  return i == count;
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
    if (((const uint8_t *)a)[i] != ((const uint8_t *)b)[i]) { return 0; }
  }
  return 1;
}

/* Flushes an array, or a struct that consists of floats, to zero below WORK_QUANTUM. */
static void flush_floats(float *values, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    values[i] = flush_work(values[i]);
  }
}

/* Smallest whole number not below `value`, clamped to 1..limit before it becomes an integer. NaN gives `limit`. */
static int32_t ceiling_within(float value, int32_t limit) {
  if (!(value < (float)limit)) { return limit; }
  int32_t whole = (int32_t)maximum(value, 1.0f);
  return (float)whole < value ? whole + 1 : whole;
}

static int vector_is_finite(cloth_vector a) {
  return is_finite(a.x) && is_finite(a.y) && is_finite(a.z);
}

/* A squared length may exceed the squared limit by this factor before it counts as longer: scaling a vector to the
   limit rounds, and with 1 a vector that was shortened once could be shortened, and counted, again. */
#define LENGTH_TOLERANCE 1.0001f

/* Shortens a vector to `limit`. Returns 1 if it was longer. One without a finite length becomes 0. */
static int clamp_length(cloth_vector *a, float limit) {
  cloth_vector kept = vector_flush_state(*a);
  float squared = vector_dot(kept, kept);
  if (squared <= limit * limit * LENGTH_TOLERANCE) { return 0; }
  *a = is_finite(squared) ? vector_scale(kept, limit / square_root(squared)) : vector(0.0f, 0.0f, 0.0f);
  return 1;
}

/* Shorter vectors have no usable direction; it is below the shortest normal that cloth.h promises to use, 1e-5. */
#define DIRECTION_MIN_LENGTH 1.0e-6f

static cloth_vector unit_or_zero(cloth_vector a) {
  float length = vector_length(a);
  return length > DIRECTION_MIN_LENGTH ? vector_scale_work(vector_flush_state(a), 1.0f / length)
                                       : vector(0.0f, 0.0f, 0.0f);
}

#if WITH_SELF_TEST

/* A float of these bits that the compiler cannot know, so that it evaluates no expression of it at compile time. Not
   inlined: volatile alone did not keep one compiler from moving the expression. */
CLOTH_SEPARATE float opaque_float(uint32_t bits) {
  volatile uint32_t kept = bits;
  float_bits b;
  b.bits = kept;
  return b.value;
}

#endif
