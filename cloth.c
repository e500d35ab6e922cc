/*
 * cloth - cloth simulation in one header and one source file. See cloth.h.
 *
 * Made from the parts in src/ by src/join.sh. Do not change this file: change a part, then run `make cloth.c`.
 * src/README.md is the map: what a step does in order, and in which part.
 *
 * Units inside. The linear system is divided by the reference mass m0 = density * area / particles, so that its
 * unknown is a velocity change [m/s], its matrix is the unit matrix plus kappa-sized blocks, and forces appear as
 * velocity changes h f / m0. With h the substep, a stiffness ks enters as h^2 ks / m0 and a damping kd as h kd / m0.
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

/*
 * What the compiler must not do (fast math, contraction, excess precision), the hooks that a port may define, the
 * switches that leave parts out, and the attributes of functions. Nothing here computes.
 */

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || defined(_M_FP_FAST) ||        \
    defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__)
#error "cloth: compile without -ffast-math or parts of it; they break the same bits on every machine"
#endif
/* FLT_EVAL_METHOD 16, on machines with half precision, evaluates floats as floats, as 0 does. */
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16
#error "cloth: float expressions must be evaluated as float (x86: -msse2 -mfpmath=sse; s390x: -std=gnu99)"
#endif
#if defined(_MSC_VER) && !defined(__clang__) && defined(_M_IX86_FP) && _M_IX86_FP < 2
#error "cloth: float expressions must be evaluated as float (/arch:SSE2)"
#endif
#if defined(__clang__)
/* Clang defines no macro for single parts of -ffast-math. float_control revokes them on the targets that have it, which
   since clang 15 are most; others ignore it with a warning, and cloth_self_test() detects them. It stands before the
   pragma against contraction, which it would revoke. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wignored-pragmas"
#pragma float_control(precise, on)
#pragma clang diagnostic pop
#pragma clang fp contract(off)
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off", "no-tree-vectorize")
#if defined(__OPTIMIZE_SIZE__)
/* These passes enlarge loops over a few floats: without them the code is 5 % smaller on Cortex-M (make size). */
#pragma GCC optimize("no-tree-forwprop", "no-tree-loop-distribute-patterns", "no-tree-loop-im")
#pragma GCC optimize("no-move-loop-invariants", "no-if-conversion", "no-schedule-insns2")
#endif
#elif defined(_MSC_VER)
#pragma float_control(precise, on)
#pragma fp_contract(off)
#endif

/* CLOTH_PORT names a header that defines some of the hooks below, as in -DCLOTH_PORT='"my_port.h"'; port/cloth_port.h
   describes them. */
#if defined(CLOTH_PORT)
#include CLOTH_PORT
#endif

/* CLOTH_ASSERT(condition): checks an invariant of the library; a failure is a defect of the library. */
#ifndef CLOTH_ASSERT
#define CLOTH_ASSERT(condition) ((void)0)
#endif
/* CLOTH_TICKS(): the port's timer, 32 bits that wrap. Read for statistics, and by cloth_step_until() for its deadline.
 */
#ifndef CLOTH_TICKS
#define CLOTH_TICKS() 0u
#endif
/* CLOTH_HOT stands before functions that run for every particle, CLOTH_CONSTANT before tables: a port can place them in
   sections of tightly coupled memory. */
#ifndef CLOTH_HOT
#define CLOTH_HOT
#endif
#ifndef CLOTH_CONSTANT
#define CLOTH_CONSTANT
#endif

/* Switches. CLOTH_NO_NAME leaves the code of NAME out of the build: a config that needs it is refused with
   CLOTH_ERROR_LEFT_OUT, and functions that serve nothing else are not defined. Inside, WITH_NAME is 1 or 0. */
#ifdef CLOTH_NO_SOLVER /* implicit integration: without it only CLOTH_INTEGRATION_EXPLICIT_ONLY, or projection */
#define WITH_SOLVER 0
#else
#define WITH_SOLVER 1
#endif
#if defined(CLOTH_NO_MULTILEVEL) || !WITH_SOLVER /* the multilevel preconditioner */
#define WITH_MULTILEVEL 0
#else
#define WITH_MULTILEVEL 1
#endif
#ifdef CLOTH_NO_COLLIDERS /* colliders, contact, moving frames */
#define WITH_COLLIDERS 0
#else
#define WITH_COLLIDERS 1
#endif
#if defined(CLOTH_NO_CONTACT_SOLVER) || !WITH_SOLVER || !WITH_COLLIDERS /* contacts as constraints of the solve */
#define WITH_CONTACT_SOLVER 0
#else
#define WITH_CONTACT_SOLVER 1
#endif
#if defined(CLOTH_NO_HULL) || !WITH_COLLIDERS /* colliders that are convex hulls */
#define WITH_HULL 0
#else
#define WITH_HULL 1
#endif
#if defined(CLOTH_NO_HEIGHT_FIELD) || !WITH_COLLIDERS /* colliders that are height fields */
#define WITH_HEIGHT_FIELD 0
#else
#define WITH_HEIGHT_FIELD 1
#endif
#if defined(CLOTH_NO_MESH) || !WITH_COLLIDERS /* colliders that are triangle meshes */
#define WITH_MESH 0
#else
#define WITH_MESH 1
#endif
#if defined(CLOTH_NO_DISTANCE_GRID) || !WITH_COLLIDERS /* colliders that are grids of signed distances */
#define WITH_DISTANCE_GRID 0
#else
#define WITH_DISTANCE_GRID 1
#endif
#if defined(CLOTH_NO_SHARED_BODIES) || !WITH_COLLIDERS /* bodies that cloths share */
#define WITH_SHARED_BODIES 0
#else
#define WITH_SHARED_BODIES 1
#endif
#define WITH_CONCAVE (WITH_HEIGHT_FIELD || WITH_MESH || WITH_DISTANCE_GRID)
#define WITH_GEOMETRY (WITH_HULL || WITH_CONCAVE)
#ifdef CLOTH_NO_CONFINED /* particles confined to lines and planes */
#define WITH_CONFINED 0
#else
#define WITH_CONFINED 1
#endif
#ifdef CLOTH_NO_AIR /* drag, lift and gusts */
#define WITH_AIR 0
#else
#define WITH_AIR 1
#endif
#ifdef CLOTH_NO_LIMITS /* strain limiting */
#define WITH_LIMITS 0
#else
#define WITH_LIMITS 1
#endif
#ifdef CLOTH_NO_PROJECTION /* projected springs, tethers and BDF2 */
#define WITH_PROJECTION 0
#else
#define WITH_PROJECTION 1
#endif
#ifdef CLOTH_NO_SLEEP /* sleep */
#define WITH_SLEEP 0
#else
#define WITH_SLEEP 1
#endif
#ifdef CLOTH_NO_TARGETS /* motion constraints to animated targets */
#define WITH_TARGETS 0
#else
#define WITH_TARGETS 1
#endif
#if defined(CLOTH_NO_MOVE_FRAME) || !WITH_COLLIDERS /* moving frames; their poses are checked as those of colliders */
#define WITH_MOVE_FRAME 0
#else
#define WITH_MOVE_FRAME 1
#endif
#ifdef CLOTH_NO_ORIGIN /* origins in the world */
#define WITH_ORIGIN 0
#else
#define WITH_ORIGIN 1
#endif
#if defined(CLOTH_NO_CONTACT_LINES) || !WITH_COLLIDERS || !WITH_PROJECTION /* lines solved again where contact holds   \
                                                                            */
#define WITH_CONTACT_LINES 0
#else
#define WITH_CONTACT_LINES 1
#endif
#if defined(CLOTH_NO_BODIES) || !WITH_COLLIDERS /* colliders with mass, attachments and reactions of pins */
#define WITH_BODIES 0
#else
#define WITH_BODIES 1
#endif
#ifdef CLOTH_NO_WRAP /* tubes */
#define WITH_WRAP 0
#else
#define WITH_WRAP 1
#endif
#ifdef CLOTH_NO_PLANNING /* work, its bounds, plans and deadlines */
#define WITH_PLANNING 0
#else
#define WITH_PLANNING 1
#endif
#ifdef CLOTH_NO_FABRICS /* presets of fabrics */
#define WITH_FABRICS 0
#else
#define WITH_FABRICS 1
#endif
#ifdef CLOTH_NO_VERTICES /* interleaved vertices and indices */
#define WITH_VERTICES 0
#else
#define WITH_VERTICES 1
#endif
#ifdef CLOTH_NO_SKIN /* meshes that follow cloths */
#define WITH_SKIN 0
#else
#define WITH_SKIN 1
#endif
#ifdef CLOTH_NO_MEASURE /* cloth_measure() */
#define WITH_MEASURE 0
#else
#define WITH_MEASURE 1
#endif
#ifdef CLOTH_NO_IMAGE /* portable images */
#define WITH_IMAGE 0
#else
#define WITH_IMAGE 1
#endif
#ifdef CLOTH_NO_QUERIES /* rays, nearest points, and the list of contacts */
#define WITH_QUERIES 0
#else
#define WITH_QUERIES 1
#endif
#if !WITH_QUERIES || !WITH_COLLIDERS /* the list of contacts */
#define WITH_CONTACT_RECORD 0
#else
#define WITH_CONTACT_RECORD 1
#endif
#ifdef CLOTH_NO_SAVE_CHECKS /* checks of the content of saves: without them cloth_load() trusts what follows the       \
                               header */
#define WITH_SAVE_CHECKS 0
#else
#define WITH_SAVE_CHECKS 1
#endif
#ifdef CLOTH_NO_SELF_TEST /* cloth_self_test() */
#define WITH_SELF_TEST 0
#else
#define WITH_SELF_TEST 1
#endif
#ifdef CLOTH_NO_NAMES /* names of results, and explanations */
#define WITH_NAMES 0
#else
#define WITH_NAMES 1
#endif

/* Functions of a few instructions: always inlined, unless size is asked for. */
#if (defined(__GNUC__) || defined(__clang__)) && !defined(__OPTIMIZE_SIZE__)
#define CLOTH_INLINE static inline __attribute__((always_inline))
#elif defined(_MSC_VER) && !defined(__clang__)
#define CLOTH_INLINE static __forceinline
#else
#define CLOTH_INLINE static inline
#endif

/* Functions called from many places: never inlined where size is asked for. */
#if (defined(__GNUC__) || defined(__clang__)) && defined(__OPTIMIZE_SIZE__)
#define CLOTH_ONCE static __attribute__((noinline))
#else
#define CLOTH_ONCE static
#endif

/* Stages of a step: never inlined, so that their stack frames do not add up in the caller. */
#if defined(__GNUC__) || defined(__clang__)
#define CLOTH_SEPARATE static __attribute__((noinline))
#elif defined(_MSC_VER)
#define CLOTH_SEPARATE static __declspec(noinline)
#else
#define CLOTH_SEPARATE static
#endif

/// Scalars and vectors ///

/*
 * Arithmetic on single floats and on cloth_vector, and the rules that keep its results the same on every machine:
 * correctly rounded operations only, no subnormal numbers (flush_small(), quantise()) and no -0 (negate()). lanes.h has
 * the same operations for several floats at a time. Reads and writes no cloth.
 */

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

/* The smaller and the larger of two floats; b if either is NaN. */
CLOTH_INLINE float minimum(float a, float b) {
  return a < b ? a : b;
}

CLOTH_INLINE float maximum(float a, float b) {
  return a > b ? a : b;
}

/* -a, by subtraction from 0: negate(0) is +0, where the operator - gives -0. Both zeros compare as equal but differ in
   the bits that are hashed and saved. */
CLOTH_INLINE float negate(float a) {
  return 0.0f - a;
}

#if WITH_COLLIDERS || WITH_SKIN
static float absolute(float a) {
  return a < 0.0f ? negate(a) : a;
}
#endif

/*
 * Correctly rounded square root. One instruction where there is one, written out because compilers may call a library
 * for __builtin_sqrtf; compilers without inline assembly for it have an intrinsic function instead. Elsewhere, or with
 * CLOTH_SQUARE_ROOT_BY_BITS defined, in integers: one bit of the root at a time, 25 bits, then to nearest even.
 * Arguments are 0 or normal numbers; the root of a normal number is normal.
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

/*
 * Quanta. A product of two numbers may be subnormal, below 2^-126, and machines differ in what they do with subnormal
 * numbers. So small magnitudes are dropped before they are multiplied, in one of two ways:
 *
 * flush_small() replaces numbers below a quantum by +0; it costs a comparison and a selection. A larger number keeps
 * all its bits, so two of them differ by 0 or by at least 2^-23 quanta.
 *
 * quantise() rounds to multiples of 2^-n by adding and subtracting 1.5 * 2^(23 - n), the rounder; it costs two
 * additions. Numbers below 2^(22 - n) become multiples of 2^-n; larger ones lose no more than a rounding. Products and
 * sums of multiples of 2^-n and 2^-m are multiples of 2^-(n + m) however they are rounded, so none of them is subnormal
 * as long as n + m < 126.
 *
 * Larger quanta lose more of slow motions; smaller ones let products of small differences become subnormal.
 */

/* Smallest magnitude kept in positions [m] and velocities [m/s]: 2^-30. Two such numbers differ by 0 or by at least
   2^-53, whose square is far above the smallest normal float, 2^-126. */
#define STATE_QUANTUM 9.313225746154785e-10f
/* Smallest magnitude kept in work vectors and coefficients: 2^-40. A product of two is at least 2^-80 and sums of such
   products differ by 0 or by at least 2^-104. */
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

/* Never -0, as x - x is +0 for any x. */
CLOTH_INLINE float quantise(float value, float rounder) {
  return (value + rounder) - rounder;
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

/* Flushes components below WORK_QUANTUM to zero before they are multiplied. */
CLOTH_ONCE cloth_vector vector_flush_work(cloth_vector a) {
  return vector_flush(a, WORK_QUANTUM);
}

/* Components below STATE_QUANTUM count as 0, as their squares might be subnormal. */
static float vector_length(cloth_vector a) {
  float x = flush_small(a.x, STATE_QUANTUM);
  float y = flush_small(a.y, STATE_QUANTUM);
  float z = flush_small(a.z, STATE_QUANTUM);
  return square_root(x * x + y * y + z * z);
}

/* 1 if every component is finite and within -limit..limit. */
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

/* Flushes an array, or a struct that consists of floats, to zero below WORK_QUANTUM. */
static void flush_floats(float *values, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    values[i] = flush_small(values[i], WORK_QUANTUM);
  }
}

/* Smallest whole number not below `value`, clamped to 1..limit before it becomes an integer. NaN gives `limit`. */
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

/* A squared length may exceed the squared limit by this factor before it counts as longer: scaling a vector to the
   limit rounds, and with 1 a vector that was shortened once could be shortened, and counted, again. */
#define LENGTH_TOLERANCE 1.0001f

/* Shortens a vector to `limit`. Returns 1 if it was longer. A vector whose squared length is infinite or NaN becomes
   0. */
static int clamp_length(cloth_vector *a, float limit) {
  cloth_vector kept = vector_flush(*a, STATE_QUANTUM);
  float squared = vector_dot(kept, kept);
  if (squared <= limit * limit * LENGTH_TOLERANCE) {
    return 0;
  }
  *a = is_finite(squared) ? vector_scale(kept, limit / square_root(squared)) : vector(0.0f, 0.0f, 0.0f);
  return 1;
}

#if WITH_MOVE_FRAME || WITH_ORIGIN || WITH_TARGETS || WITH_SKIN || WITH_QUERIES
/* Shorter vectors have no usable direction: flushing drops components below a thousandth of this length. It is below
   the shortest normal that cloth.h promises to use, 1e-5. */
#define DIRECTION_MIN_LENGTH 1.0e-6f

/* The vector scaled to unit length, or 0 if it is too short. */
static cloth_vector unit_or_zero(cloth_vector a) {
  float length = vector_length(a);
  return length > DIRECTION_MIN_LENGTH ? vector_flush_work(vector_scale(vector_flush(a, STATE_QUANTUM), 1.0f / length))
                                       : vector(0.0f, 0.0f, 0.0f);
}
#endif

/// Hash ///

/*
 * 64 bits over a sequence of 32-bit words, for the config, the state, saves, images and traces. Four streams take the
 * words in turn, so that their multiplications overlap, and are mixed at the end. Words are numbers, not bytes, so the
 * hash is the same for either byte order. It detects damage and differences, not forgery. hash_mix() is also the source
 * of random numbers for gusts (air.h) and for the start (placement.h).
 */

/* A 32-bit word of memory, whatever type was stored there. */
#if defined(__GNUC__) || defined(__clang__)
typedef uint32_t __attribute__((may_alias)) any_word;
#else
typedef uint32_t any_word;
#endif

#define HASH_STREAMS 4
#define HASH_FACTOR 0x9e3779b97f4a7c15u /* odd, 2^64 over the golden ratio */

typedef struct hasher {
  uint64_t stream[HASH_STREAMS];
  uint32_t words; /* how many were hashed */
} hasher;

/* One step of a stream: the high bits of the product are folded into the low ones, which the next product spreads. */
static uint64_t hash_mix(uint64_t stream, uint32_t word) {
  uint64_t mixed = (stream ^ word) * HASH_FACTOR;
  return mixed ^ (mixed >> 29);
}

/* A random number in -1..1, a multiple of 2^-23, from the upper bits of a hash. */
static float hash_to_noise(uint64_t mixed) {
  return (float)((int32_t)(mixed >> 40) - 0x800000) * (1.0f / 8388608.0f);
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

/* The hash of all words so far, which includes their number. */
static uint64_t hash_end(const hasher *h) {
  uint64_t hash = h->words;
  for (uint32_t i = 0; i < HASH_STREAMS; i++) {
    hash = hash_mix(hash ^ h->stream[i], (uint32_t)(h->stream[i] >> 32));
  }
  return hash;
}

/// Lanes ///

/*
 * Operations on CLOTH_LANES floats at a time: 1, 4 or 8. Kernels are written once over these operations. Elementwise
 * operations give the same bits for any width. Sums do not, so sums always run over eight partial sums, element i into
 * sum i mod 8, which are added up in one fixed tree. A kernel may read beyond the end of a row, but never writes there.
 *
 * A backend (port/lanes_*.h) defines the operations up to lanes_transpose() for one instruction set; what follows them
 * is built on these. The compiler's target selects the backend; CLOTH_SCALAR selects the scalar reference below, and
 * CLOTH_LANES_HEADER names the header of another backend. The choice changes the speed and no bit of the results.
 *
 * Elements `i` to `i + count - 1` of an array fill the first `count` lanes of a block; a count of CLOTH_LANES or more
 * fills all. Nothing here reads or writes a cloth.
 */
#if defined(CLOTH_LANES_HEADER)
#include CLOTH_LANES_HEADER
#elif defined(__AVX2__) && !defined(CLOTH_SCALAR)
/*
 * Lanes for x86 with AVX2, eight wide. src/lanes.h says what the operations mean.
 *
 * SPDX-License-Identifier: MIT
 */

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

/* These instructions give their second operand where both are equal or one is NaN, as src/lanes.h demands. */
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

/* These instructions give their second operand where both are equal or one is NaN, as src/lanes.h demands. */
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
 * Helium always flushes subnormals to zero. Its results are those of every other machine because cloth.c lets no
 * subnormals arise. It has no divide and no square root: the scalar FPU, which rounds correctly, computes both lane by
 * lane.
 *
 * SPDX-License-Identifier: MIT
 */

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

CLOTH_INLINE lanes lanes_shifted(lanes before, lanes a) {
  uint32_t carried = vgetq_lane_u32(vreinterpretq_u32_f32(before), 3);
  return vreinterpretq_f32_u32(vshlcq_u32(vreinterpretq_u32_f32(a), &carried, 32));
}

/* vshlc shifts in the bits of the carry, the last lane of the block before, and leaves the last lane of `a` there. */
#define CLOTH_LANES_SHIFT
typedef uint32_t lanes_shift;

CLOTH_INLINE lanes_shift lanes_shift_start(void) {
  return 0;
}

CLOTH_INLINE lanes lanes_shift_in(lanes_shift *carry, lanes a) {
  return vreinterpretq_f32_u32(vshlcq_u32(vreinterpretq_u32_f32(a), carry, 32));
}

/* There are only eight vector registers: reload what memory holds instead of spilling it. */
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

#elif defined(__ARM_NEON) && !defined(CLOTH_SCALAR)
/*
 * Lanes for Arm with NEON, four wide: AArch64 and ARMv7. src/lanes.h says what the operations mean.
 *
 * ARMv7 NEON always flushes subnormals to zero. Its results are those of every other machine because cloth.c lets no
 * subnormals arise. It only estimates quotients and square roots: VFP, which rounds correctly, computes both lane by
 * lane.
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

/* pmin(b, a) is a < b ? a : b and pmax(b, a) is b < a ? a : b, as src/lanes.h demands. */
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

/* Moves lanes up by one: lane 0 is the last lane of `before`, lane n is lane n - 1 of `a`. */
CLOTH_INLINE lanes lanes_shifted(lanes before, lanes a) {
  (void)a;
  return before;
}

CLOTH_INLINE float lanes_first_value(lanes a) {
  return a;
}

/* Chooses the first `count` lanes; none if `count` is 0 or less. */
CLOTH_INLINE lanes_mask lanes_first(int32_t count) {
  return count > 0;
}

/* Chooses the lanes that both masks choose. */
CLOTH_INLINE lanes_mask lanes_both(lanes_mask a, lanes_mask b) {
  return a & b;
}

/* 1 if the mask chooses a lane. */
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

#endif

/* Partial sums of every sum, for any lane width: the largest CLOTH_LANES there is. */
#define LANES_SUMS 8

typedef struct lanes_sum {
  float partial[LANES_SUMS];
} lanes_sum;

/* Adds a block, whose first lane is element `index` of the sum, to the partial sums. `index` is a multiple of
   CLOTH_LANES. */
CLOTH_INLINE void lanes_sum_add(lanes_sum *sum, int32_t index, lanes a) {
  CLOTH_ASSERT(index % CLOTH_LANES == 0);
  float *partial = &sum->partial[index & (LANES_SUMS - 1)];
  lanes_store(partial, lanes_add(lanes_load(partial), a));
}

/* The first `count` lanes of `a`; the others are 0. */
CLOTH_INLINE lanes lanes_within(lanes a, int32_t count) {
  return lanes_select(lanes_first(count), a, lanes_splat(0.0f));
}

/* The fixed tree: the last four partial sums are added to the first four, then two to two, then one to one. */
CLOTH_INLINE float lanes_sum_total(const lanes_sum *sum) {
  const float *p = sum->partial;
  return ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
}

/* Minimum and maximum are b where a and b are equal or one of them is NaN, on every machine. A backend may define its
   own with the same results. */
#ifndef CLOTH_LANES_MINIMUM
CLOTH_INLINE lanes lanes_minimum(lanes a, lanes b) {
  return lanes_select(lanes_less(a, b), a, b);
}

CLOTH_INLINE lanes lanes_maximum(lanes a, lanes b) {
  return lanes_select(lanes_less(b, a), a, b);
}
#endif

/* A shift register over the blocks of a row: the lane that leaves one block enters the next. A backend may define its
   own. */
#ifndef CLOTH_LANES_SHIFT
typedef lanes lanes_shift;

CLOTH_INLINE lanes_shift lanes_shift_start(void) {
  return lanes_splat(0.0f);
}

/* Moves a block up by one lane. Lane 0 is the last lane of the block before, 0 for the first block; `*carry` keeps the
   last lane of `a`. */
CLOTH_INLINE lanes lanes_shift_in(lanes_shift *carry, lanes a) {
  lanes moved = lanes_shifted(*carry, a);
  *carry = a;
  return moved;
}
#endif

/* Optimisation barrier: a backend with few vector registers may define it to force a reload of what the kernel has
   loaded before in place of a spill. */
#ifndef CLOTH_LANES_FORGET
#define CLOTH_LANES_FORGET() ((void)0)
#endif

/* Magnitudes below the quantum become +0. */
CLOTH_INLINE lanes lanes_flush_below(lanes a, float quantum) {
  return lanes_drop(lanes_less(lanes_absolute(a), lanes_splat(quantum)), a);
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

/* A block of vectors. */
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

/* lanes_sum_add() and lanes_sum_total() for vectors: a sum for each component. */
CLOTH_INLINE void lanes3_sum_add(lanes_sum sums[3], int32_t index, lanes3 a) {
  lanes_sum_add(&sums[0], index, a.x);
  lanes_sum_add(&sums[1], index, a.y);
  lanes_sum_add(&sums[2], index, a.z);
}

CLOTH_INLINE cloth_vector lanes3_sum_total(const lanes_sum sums[3]) {
  return vector(lanes_sum_total(&sums[0]), lanes_sum_total(&sums[1]), lanes_sum_total(&sums[2]));
}

/* The vector of the first lane. */
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
  return lanes3_flush_below(a, WORK_QUANTUM);
}

CLOTH_INLINE lanes3 lanes3_quantise(lanes3 a, float rounder) {
  return lanes3_of(lanes_quantise(a.x, rounder), lanes_quantise(a.y, rounder), lanes_quantise(a.z, rounder));
}

/* Runs a statement for each block of lanes of `count` elements. `i` names the index of the block's first element,
   `left` the number of elements from there to the end. Unless the compiler optimises for size, the statement is
   compiled twice: for whole blocks, where `left` is the constant CLOTH_LANES, and for the last one. */
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

/* Loads the first `count` lanes from floats that lie `next` floats apart; the other lanes repeat the first. */
CLOTH_INLINE lanes lanes_gather(const float *from, int32_t next, int32_t count) {
  float gathered[CLOTH_LANES];
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    gathered[lane] = from[(lane < count ? lane : 0) * next];
  }
  return lanes_load(gathered);
}

/* Loads lanes that lie `next` floats apart: all lanes if `next` is 1, else lanes_gather(). */
CLOTH_INLINE lanes lanes_strided(const float *from, int32_t next, int32_t count) {
  return next == 1 ? lanes_load(from) : lanes_gather(from, next, count);
}

/* One vector per particle as three arrays of components. */
typedef struct vector_array {
  float *x, *y, *z;
} vector_array;

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

#if WITH_WRAP

CLOTH_INLINE lanes3 lanes3_gather(vector_array from, int32_t i, int32_t next, int32_t count) {
  return lanes3_of(lanes_gather(from.x + i, next, count), lanes_gather(from.y + i, next, count),
                   lanes_gather(from.z + i, next, count));
}

/* Adds the first `count` lanes to floats that lie `next` floats apart. */
CLOTH_ONCE void lanes_scatter_add(float *to, int32_t next, lanes a, int32_t count) {
  float values[CLOTH_LANES];
  lanes_store(values, a);
  for (int32_t lane = 0; lane < CLOTH_LANES && lane < count; lane++) {
    to[lane * next] += values[lane];
  }
}

static void lanes3_scatter_add(vector_array to, int32_t i, int32_t next, lanes3 a, int32_t count) {
  lanes_scatter_add(to.x + i, next, a.x, count);
  lanes_scatter_add(to.y + i, next, a.y, count);
  lanes_scatter_add(to.z + i, next, a.z, count);
}

CLOTH_INLINE lanes3 lanes3_negate(lanes3 a) {
  return lanes3_of(lanes_negate(a.x), lanes_negate(a.y), lanes_negate(a.z));
}

#endif

/* Components below STATE_QUANTUM count as 0, as their squares might be subnormal. */
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

/* Three arrays that lie `stride` floats apart. */
static vector_array vectors_from(float *first, int32_t stride) {
  vector_array three = {first, first + stride, first + 2 * stride};
  return three;
}

#endif

/* -1 where a < 0, else 1. */
CLOTH_INLINE lanes lanes_sign(lanes a) {
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

/* Clamps to 0..1. */
CLOTH_INLINE lanes clamped_to_one(lanes a) {
  return lanes_minimum(lanes_maximum(a, lanes_splat(0.0f)), lanes_splat(1.0f));
}

CLOTH_INLINE lanes3 lanes3_minimum(lanes3 a, lanes3 b) {
  return lanes3_of(lanes_minimum(a.x, b.x), lanes_minimum(a.y, b.y), lanes_minimum(a.z, b.z));
}

CLOTH_INLINE lanes3 lanes3_maximum(lanes3 a, lanes3 b) {
  return lanes3_of(lanes_maximum(a.x, b.x), lanes_maximum(a.y, b.y), lanes_maximum(a.z, b.z));
}

#if WITH_PROJECTION

/* The number of each lane, for any lane width. */
CLOTH_CONSTANT static const float lane_numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};

/* How many of the first `left` lanes the mask chooses. */
CLOTH_INLINE uint32_t count_within(lanes_mask mask, int32_t left) {
  return lanes_count(lanes_within(lanes_keep(mask, lanes_splat(1.0f)), left));
}

#endif

/* Upper bound of |a|: its 1-norm, which needs no square root. */
CLOTH_INLINE lanes length_upper_bound(lanes3 a) {
  return lanes_add(lanes_add(lanes_absolute(a.x), lanes_absolute(a.y)), lanes_absolute(a.z));
}

#if WITH_MEASURE

/* Adds element `index` to a sum. */
static void lanes_sum_add_value(lanes_sum *sum, int32_t index, float value) {
  sum->partial[index & (LANES_SUMS - 1)] += value;
}

#endif

/// 2. The cloth in memory ///

/// The cloth in its arena ///

/*
 * The structs and arrays that lie in a cloth's arena, and the owners of its scratch. The arena holds, in this order:
 * struct cloth; the constants (maps); the state, which is saved, loaded and hashed; the cloth's own scratch, some of
 * which callers read after a step; and the scratch that other cloths may share, of which nothing outlasts a step.
 * Arrays are found by byte offsets from the arena's start (access.h), so an arena can be copied and moved.
 *
 * Who owns which scratch when. Stages of a step, in order; all but the first run once per substep:
 *
 *   prepare   prepare_step() (step.h), before the first substep
 *   predict   predict() (motion.h): with a velocity history, or if only gravity and velocity damping act
 *   forces    evaluate_forces() (forces.h, air.h, springs.h, seam.h): unless only these two act
 *   hold      find_solver_contacts() (solver_contact.h): with contacts in the solver
 *   solve     add_implicit_change() (implicit.h, preconditioner.h, multilevel.h, conjugate_gradient.h, operator.h): if
 *             springs are implicit or particles are held; otherwise add_explicit_change() (motion.h)
 *   resolve   resolve_contacts() (solver_contact.h): if particles are held
 *   move      predict_positions() (motion.h): unless predict has found the final velocities already
 *   lengths   solve_lines() (projection.h, stretch_solve.h, bend_explicit.h, bend_solve.h), pull_tethers()
 *             (tether_pull.h), limit_strain() (strain_limit.h) and update_velocities_from_positions() or
 *             settle_velocities() (motion.h), in this order
 *   touch     remove_push_velocities() (solver_contact.h), project_contacts() (contact.h), forget_pushes()
 *             (contact_push.h) and constrain_to_targets() (targets.h), in this order
 *   accept    accept_particles() (motion.h)
 *
 * An array belongs to the last of its owners that has begun. Only that stage writes it, and those that the table says
 * change it; what earlier owners left there is lost. The offset of an array that the config does without is 0.
 *
 *   array            owner     content                                                   read by
 *   uniform_lines    prepare   whether mobility and stiffness of each row are 1,       lengths
 *                              then of each block of columns
 *                    touch     behind them a byte for each row and column: solve again?   solve_contact_lines()
 *   tether_marks     prepare   pattern of the tethers of eight particles each            pull_tethers()
 *   mobility         prepare   0 of pinned particles, else 1 / mass ratio                every stage
 *   row_buffers      forces    changes that the springs of a row bring to the row below  forces
 *                    solve     the same for each product of the matrix                   solve
 *                    lengths   obstacle capsules (obstacles_of())                        pull_tethers()
 *   force_share      predict   share with which forces act on each particle, or         add_explicit_change(),
 *                              SHARE_PUSHED, see contact_push.h                           touch
 *   residual         forces    right-hand side b: velocity change times mass ratio       solve, add_explicit_change()
 *                    solve     residual b - A x, not projected: the contact force        solve, resolve
 *                    lengths   rows of the stencil of bending, or impulses of the        lengths
 *                              twist; then LINE_BLOCK rows, transposed:
 *                              x, y, z, mobility, and x, y, z at the substep's start
 *                    touch     bounds of blocks of particles (bounds.h); then rows,       project_contacts(),
 *                              transposed as by lengths                                   solve_contact_lines()
 *   contact_pull     touch     what lines pull at particles that contacts hold            solve_contact_lines()
 *   product          predict   predicted positions (predicted_of())                      forces that extrapolate
 *                    solve     preconditioned residual and A times direction, by turns   solve
 *                    move      predicted positions; lengths, touch and accept change     lengths, touch, accept
 *                              them (they are those of predict if move is left out)
 *   line_work        lengths,  eliminations along the lines of a bundle: for each        lengths
 *                    touch     element LINE_SLOT, on rings RING_SLOT, blocks of lanes
 *   operator_blocks  forces    w and beta of implicit springs, in tiles                  solve
 *   seam             forces    w and beta of implicit springs across a tube's seam       solve
 *   contact_normal   hold      normals of held particles                                 solve, resolve, touch
 *   direction        hold      prescribed velocity changes z of held particles           solve
 *                    solve     z, the warm start, then the direction of the iteration    solve
 *   solution         solve     velocity changes x                                        solve
 *   inverse          solve     diagonal blocks C of A, then the preconditioner's blocks  solve
 *   share            solve     1 for particles that coarser grids correct, else 0        solve
 *   nodes            solve     NODE_FLOATS arrays per grid: sums of springs (6) and of   solve
 *                              masses (6), which become residual (3), correction (3)
 *                              and inverse blocks (6)
 *   coarse_lines     solve     two lines of vectors of a grid, during a restriction or   solve
 *                              an interpolation
 *
 *   own.workspace    all       plan, statistics and variables of the step; between       every stage; the caller reads
 *                              steps work.h makes plans there                            the statistics
 *   own.line_factors prepare   factors of the bending of uniform lines: of columns, of   lengths
 *                              rows, and of the twist between uniform columns
 *   own.iterations   solve     iterations of each substep; prepare clears them           the caller
 *   own.reactions    resolve,  impulses on each collider, then on each shared body;      the caller
 *                    touch     prepare clears them
 *   own.shared_bodies prepare  shared bodies near the cloth, as collider slots           every stage
 *   own.shared_places prepare  their places in the caller's table                        the end of the step
 *   own.mesh_caches  touch     triangles near each particle; prepare forgets them        touch
 *   own.contact_record resolve, what each contact did; prepare clears it                the caller
 *                    touch
 *   own.pin_reactions          impulses on pins, which every stage notes; prepare        attachments.h, the
 *                              clears them                                                caller
 *   own.attached               what attachments have passed on of these to colliders     attachments.h
 *
 * Kernels load lanes past the end of arrays. clear_pads() (prepare) zeroes what they multiply there: the floats between
 * the state and the workspace, and after each component of product and direction.
 */

#define CLOTH_MAGIC 0x68746f6cu  /* "loth", little-endian */
#define CLOTH_COOKIE 0xc10471e6u /* proves that a config was made by cloth_config_default() */

/* Directions of springs. A stretch or shear spring is stored at the index of the first particle (row, column) of the
   cell whose upper edge (WARP), left edge (WEFT) or diagonal it is; an antidiagonal leads from (row, column + 1) to
   (row + 1, column). */
enum { WARP, WEFT, DIAGONAL, ANTIDIAGONAL, DIRECTIONS };

/* Runs a statement for each direction, which `d` names. Unless the compiler optimises for size, the statement is
   compiled for each direction, with `d` a constant. */
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

/* Floats of the operator for one spring, whose matrix block is w w^T + beta I: w (3) and beta. */
#define OPERATOR_FLOATS 4
/* Floats of the operator for one cell. */
#define CELL_FLOATS (DIRECTIONS * OPERATOR_FLOATS)
/* The operator's floats lie in tiles of eight cells of a row, CELL_FLOATS arrays of eight floats each, so that all of a
   cell's floats are found from one address. The last tile of a row is as narrow as what is left of the row. */
#define TILE 8
/* Tethers: pins came or went since they were chosen; they were chosen for the present pins; the caller has set some. */
enum { TETHERS_STALE, TETHERS_CHOSEN, TETHERS_SET };
/* Targets: there are none yet; they rest; they move during the next step. */
enum { TARGETS_NONE, TARGETS_STILL, TARGETS_MOVING };
/* The vectors that each particle keeps for its target. LIMIT is the motion constraint: max_distance, backstop_distance
   and backstop_radius. PLACE and NORMAL are those at the end of the next step, ..._BEFORE those at its start. */
enum { TARGET_LIMIT, TARGET_POSITION, TARGET_POSITION_BEFORE, TARGET_NORMAL, TARGET_NORMAL_BEFORE, TARGET_VECTORS };
/* Maximum of tethers of a particle. */
#define TETHERS 2
/* Columns that share a byte of the uniform lines, and rows that are transposed together: the largest CLOTH_LANES there
   is. */
#define LINE_BLOCK 8
/* Particles of a row whose tethers share a mark. */
#define TETHER_BLOCK 8
/* 1: runs in which all mobilities and stiffness factors are 1 have kernels of their own; 0 when optimising for size. */
#ifdef __OPTIMIZE_SIZE__
#define UNIFORM_KERNELS 0
#else
#define UNIFORM_KERNELS 1
#endif
/* Padding [floats] after the last array of each kind: kernels may load up to LANE_PAD floats past a row's end and
   discard the result; they never store there. Other arrays follow each other without padding for lanes, at the same
   offsets for every lane width. */
#define LANE_PAD 8

/* One byte per particle: degrees of freedom (thesis eq. 5.1), and flags of pins. */
#define FREEDOM_MASK 3u
#define FREEDOM_FREE 3u
#define FREEDOM_PLANE 2u
#define FREEDOM_LINE 1u
#define FREEDOM_PINNED 0u
#define PIN_MOVING 4u  /* the displacement [m] of the next step is stored in place of the velocity */
#define PIN_ARRIVED 8u /* the velocity was that of one step, and becomes 0 when the next one starts */

/* A particle confined to a line or plane. Consists of words, as images and hashes read the state word by word. */
typedef struct confinement {
  int32_t particle;
  uint32_t freedom;       /* FREEDOM_LINE or FREEDOM_PLANE */
  cloth_vector direction; /* of the line, or the plane's normal; unit length */
  cloth_vector anchor;    /* a point of the line or plane [m] */
} confinement;

/* Triangles of a mesh that a particle remembers within a step, see shape_mesh.h. */
#define MESH_CACHE 8
typedef struct mesh_cache {
  cloth_vector centre;  /* of a ball in the mesh's local axes [m] */
  float squared_radius; /* [m^2]; below 0: nothing is remembered */
  float margin;         /* of the search [m] */
  uint32_t spent;       /* work of walks through the tree in this step */
  int32_t count;        /* triangles within the margin of the ball; MESH_CACHE + 1: there are more */
  uint32_t triangles[MESH_CACHE];
} mesh_cache;
/* The mass of a collider that the cloth moves, and its motion. Consists of words. */
typedef struct rigid_body {
  int32_t collider;
  float mass;            /* [kg] */
  cloth_vector inertia;  /* principal moments about the collider's axes [kg m^2]; 0: no torque turns it */
  cloth_vector velocity; /* of the collider's position, its centre of mass [m/s] */
  cloth_vector spin;     /* angular velocity in world axes [rad/s] */
  float gravity;         /* share of gravity that acts on it */
} rigid_body;

/* A particle that is held at a point of a collider. Consists of words. */
typedef struct attachment {
  int32_t particle, collider;
  cloth_vector point; /* in the collider's axes [m] */
} attachment;

/* A slot for a collider, with the collider's motion during the next step. */
typedef struct collider_slot {
  uint32_t used;       /* 0: the slot is free */
  cloth_collider body; /* body.pose is the pose at the end of the step */
  cloth_pose previous; /* pose at the start of the step */
} collider_slot;

/* Contact of one particle with a collider as a constraint of the solve: held in all directions, held along the normal,
   or let go because the collider would have had to pull. */
enum { CONTACT_NONE, CONTACT_STICK, CONTACT_SLIDE, CONTACT_RELEASED };
/* One word per particle: the kind (2 bits), how many substeps it still has to slide (3 bits), the collider's index. */
#define CONTACT_KIND(info) ((info)&3u)
#define CONTACT_DWELL(info) (((info) >> 2) & 7u)
#define CONTACT_COLLIDER(info) ((int32_t)((info) >> 5))
#define CONTACT_WORD(collider, dwell, kind) (((uint32_t)(collider) << 5) | ((uint32_t)(dwell) << 2) | (uint32_t)(kind))
/* A particle that starts to slide slides for at least this many substeps before it may stick again. With 0 or 1
   neighbours hold each other by turns: the sheet of test_incline, which has to slide at a friction of 0.35, then stays
   where it is. At most 7, as a CONTACT_WORD() has three bits for it. */
#define SLIDE_DWELL 4u

/* What the caller may change between steps, beside particles, colliders, confinements and targets. All fields are
   words; from last_substep on they are floats. */
typedef struct cloth_inputs {
  int32_t collider_end; /* one past the last slot in use */
  int32_t confined_count;
  int32_t tethers_chosen;   /* TETHERS_STALE ... */
  int32_t targets;          /* TARGETS_NONE ... */
  int32_t body_count;       /* colliders with mass */
  int32_t attachment_count; /* particles that are attached to colliders */
  uint32_t gust_seed;
  uint32_t shared_hash[2]; /* of the shared bodies near the cloth in the last step; 0 if there were none */
  uint32_t gust_phase[2];  /* time in the gusts when the next step begins: whole periods, and 2^-32ths of one */
  cloth_metres origin;     /* where in the world the zero of all positions lies [m] */
  float last_substep;      /* length of the last substep [s]; 0 before the first */
  cloth_vector gravity;
  cloth_vector wind;
  cloth_vector gust_strength;
  float gust_period; /* [s]; 0 without gusts */
  cloth_fabric fabric;
  float rest_time; /* how long every particle has been slower than the sleep speed [s]; ASLEEP for a sleeping cloth */
} cloth_inputs;

#define ASLEEP (-1.0f)

/* Which springs of a family are projected instead of acting by forces. SOME: those whose own kappa, with the maps, is
   above the plan's `projected_above`. */
enum { PROJECTED_NONE, PROJECTED_ALL, PROJECTED_SOME };

/* One direction of stretch or shear springs, with coefficients for a substep of h seconds and the reference mass m0. */
typedef struct spring_family {
  float rest;          /* rest length [m] */
  float force;         /* h ks / m0: velocity change per metre of elongation [1/s] */
  float stiffness;     /* h^2 ks / m0 */
  float damping;       /* h kd / m0 */
  float compression;   /* share of stiffness and damping that acts on a spring shorter than its rest length */
  float kappa;         /* stiffness + 2 damping: thesis eq. 4.8, where maps are 1 */
  int32_t mode;        /* a cloth_mode: of the springs that act by forces */
  int32_t projected;   /* PROJECTED_NONE ... */
  float compliance[2]; /* of projected springs longer and shorter than at rest: m0 / (h^2 ks + h kd) */
  float damping_share; /* of projected springs: h kd / (h^2 ks + h kd) */
} spring_family;

/* Bending, with coefficients for a substep of h seconds and the reference mass m0, of the rigidity B' and its
   viscosity. */
typedef struct bend_plan {
  float stiffness[2]; /* of the hinges along warp and weft: h^2 / m0 times force per second difference */
  float twist;        /* of the twist of cells */
  float shift;        /* share of the positions at the substep's start that is subtracted: that of the viscosity */
  float kappa;        /* the larger stiffness, without viscosity and share of forces */
  float ratio;        /* B' / B, 0 if B is 0 */
  int32_t has_equal_hinges; /* 1 if every hinge has the factor 1: no map, no border of a clamp */
  int32_t is_explicit;      /* 1: by forces at the predicted positions, 0: solved along lines */
} bend_plan;

/* What a step does, decided by plan_step() from the time step, the settings, the fabric and the fastest particle,
   before the first substep. */
typedef struct step_plan {
  float dt;           /* of the step [s] */
  float h, inverse_h; /* length of a substep [s], and its inverse */
  int32_t substeps;
  int32_t index;         /* of the present substep */
  int32_t notes;         /* CLOTH_NOTE_... flags for the result */
  int32_t solves;        /* 1 if springs are implicit: a linear solve per substep */
  int32_t forces;        /* 1 if anything but gravity, velocity damping and air acts by forces */
  int32_t springs;       /* 1 if stretch or shear springs act by forces */
  int32_t projects;      /* 1 if springs are projected */
  int32_t bends;         /* 1 if the cloth resists bending */
  float extrapolation;   /* share of BDF2 in the prediction, the rest is backward Euler */
  float history_weight;  /* factor of earlier velocities: this substep's length over the last one's, at most 1 */
  int32_t tethered;      /* 1 if a particle has a tether */
  int32_t led;           /* particles that the solves along lines take for pins at their targets, see targets.h */
  int32_t is_free;       /* 1 if no particle is pinned, confined or led */
  float projected_above; /* kappa above which springs are projected */
  float tether_scale;    /* length of tethers over their rest length */
  float tether_growth, tether_slack; /* what contradicting tethers grow by, see tethers.h: a factor, at most, and a
                                        length [m], at most; 0: nothing */
  spring_family spring[DIRECTIONS];
  bend_plan bend;
} step_plan;

/* A collider during one substep, as body_in_substep() computes it. */
typedef struct moving_body {
  cloth_pose start, end;    /* pose when the substep starts and ends */
  float margin;             /* distance that contact by projection keeps from the surface [m] */
  int32_t turns;            /* 1 if it rotates during the substep */
  int32_t aligned;          /* 1 for a sphere that does not rotate: world axes serve as its own */
  float reach;              /* radius of a sphere around its position that holds shape and margin [m] */
  cloth_vector from, along; /* a capsule that holds its shape: start of the axis, relative to its position, and length
                               vector of the axis [m] */
  float inverse_squared;    /* inverse of the squared length of that axis; 0: no capsule */
  float axis_reach;         /* radius of that capsule, margin included [m] */
  int32_t mesh;             /* which of the mesh colliders it is, from 0 */
  int32_t guards;           /* 1: particles that have passed it are brought back, and nothing else */
  uint32_t slot;            /* offset of the collider's slot [bytes] */
  cloth_vector pivot;       /* position at the end of the step, about which torques are [m] */
  int32_t body;             /* its number among the bodies, -1 for a collider without mass */
  cloth_vector drift, rotated; /* motion of a body by contacts since the pass over the particles began, in its axes: of
                               its position [m], and rotation [rad] */
  int32_t index, substep;      /* the collider's index and the substep that all this is for */
} moving_body;

/* A range for the length of springs, see strain_limit.h. */
typedef struct distance_range {
  float low, high;           /* its ends, squared [m^2] */
  const struct cloth *noted; /* whose pins note what the range does, or NULL */
} distance_range;

/* A capsule that holds a collider, and the box around it: what may obstruct a tether. In world axes, at the end of the
   step. */
typedef struct obstacle_capsule {
  cloth_vector low, high;   /* corners of the box [m] */
  cloth_vector from, along; /* one end of the capsule's axis, and the vector from there to the other end [m] */
  float squared_reach;      /* squared radius of the capsule [m^2] */
} obstacle_capsule;

#define OBSTACLE_FLOATS ((int32_t)(sizeof(obstacle_capsule) / sizeof(float)))

/* The variables of a step, at the start of the scratch. */
typedef struct workspace {
  cloth_statistics statistics;
  step_plan plan;
  moving_body body;         /* the collider that body_in_substep() computed last */
  cloth_vector origin;      /* of positions within the step, relative to the cloth's origin [m]: see step_origin.h */
  float origin_reach;       /* largest |coordinate| of that origin [m] */
  uint32_t surroundings[2]; /* address of the caller's cloth_surroundings during a step, low word first; else 0 */
  int32_t shared_bodies;    /* shared bodies that take part in the step, in own.shared_bodies; each step sets it */
  uint32_t tick;            /* CLOTH_TICKS() when the last stage ended */
  uint32_t start;           /* tick when a step with a deadline began */
  uint32_t ticks;           /* ticks from there to the deadline */
  int32_t uniform;          /* particles of mobility 1 where lines may be uniform */
  int32_t tears;            /* 1 if contact has moved a particle far in this substep */
  int32_t frees;            /* 1 if contact has let a particle go or lifted it out in this substep */
  int32_t skips_contact;    /* 1 in a pass of contact for the sake of fixed work, which touches nothing */
  int32_t obstacles;        /* how many obstacle capsules there are */
  int32_t has_deadline;     /* 1 for a step with a deadline */
  int32_t is_cut;           /* 1 if the step may do max_refinements of optional work; 0: without limit */
  int32_t refinements;      /* pieces of optional work done so far */
  int32_t max_refinements;
} workspace;

/* The grid, from the config. Hashed as words. */
typedef struct grid_shape {
  int32_t columns, rows;
  int32_t wrap;                     /* 1: column 0 follows the last column */
  float spacing_warp, spacing_weft; /* rest lengths of one cell's edges [m] */
  float diagonal, antidiagonal;     /* rest lengths of one cell's diagonals [m] */
  float area;                       /* of the whole sheet at rest [m^2] */
} grid_shape;

/* The settings that a step reads: the groups of cloth_config, and its usual settings where they belong. */
typedef struct cloth_settings {
  cloth_config_air air;
  struct {
    int32_t method;
    float min_bending_length, explicit_threshold, projection_threshold, bdf2_blend;
    int32_t substeps, max_substeps;
    float max_speed, velocity_damping;
  } integration;
  cloth_config_tethers tethers;
  cloth_config_solver solver;
  cloth_config_strain_limit strain_limit;
  struct {
    int32_t mode;
    float thickness;
  } contact;
  cloth_config_sleep sleep;
  struct {
    float recentre_distance;
  } world;
  struct {
    int32_t max_colliders, max_confined, max_bodies, max_attachments, pin_reactions, fixed_work;
    int32_t geometry, meshes, max_shared_bodies;
  } capacity;
  /* Extremes of the maps; 1 without a map. */
  struct {
    float min_mass_ratio, max_mass_ratio, min_stiffness, max_stiffness;
  } factors;
} cloth_settings;

/* Byte offsets from the start of the arena to scratch that cloths may share, modulo the size of an address: shared
   scratch can lie on either side of the arena. 0 for arrays that the config does without; uniform_lines, the first, is
   never 0. The table at the head of this part says who owns which array when. */
typedef struct scratch_offsets {
  uintptr_t uniform_lines, tether_marks, row_buffers, mobility, force_share, residual, product, contact_pull;
  uintptr_t operator_blocks, line_work, contact_normal, inverse, direction, solution, share, nodes, coarse_lines;
  uintptr_t seam;
} scratch_offsets;

#define SCRATCH_PARTS (sizeof(scratch_offsets) / sizeof(uintptr_t))

/* Byte offsets from the start of the arena to the scratch that is never shared. Statistics, iterations and reactions
   can be read until the next step. */
typedef struct own_offsets {
  uint32_t workspace;
  uint32_t line_factors;
  uint32_t iterations, reactions;
  uint32_t shared_bodies, shared_places, mesh_caches; /* of no bytes in a config without */
  uint32_t contact_record;                            /* 0 without capacity.max_contacts */
  uint32_t pin_reactions, attached;                   /* 0 for what the config does without */
} own_offsets;

/* Byte offsets from the start of the arena to the constants; 0: no map. */
typedef struct constant_offsets {
  uint32_t mass_ratio, stiffness_map;
} constant_offsets;

/* Byte offsets from the start of the arena to the parts of the state, from `freedom` up to `end`. */
typedef struct state_offsets {
  uint32_t freedom, colliders, confined, inputs, position, velocity;
  uint32_t bodies, attachments, resting;
  uint32_t contacts, tethers, velocity_history, warm_start, targets; /* 0 for what the config does without */
  uint32_t end;
} state_offsets;

/* An entry of the contact record. contact.is_touching holds the number of the substep of the last touch, from 0, or -1.
 */
typedef struct contact_entry {
  cloth_contact contact;
  int32_t next; /* the particle's next entry, see contact_record.h */
} contact_entry;

/* The versions of library, state and numerics in one word: 4 bits, then 7 bits each. */
#define SAVE_VERSIONS                                                                                                  \
  ((uint32_t)CLOTH_VERSION_MAJOR << 28 | (uint32_t)CLOTH_VERSION_MINOR << 21 | (uint32_t)CLOTH_VERSION_PATCH << 14 |   \
   (uint32_t)CLOTH_STATE_VERSION << 7 | (uint32_t)CLOTH_NUMERICS_VERSION)

/* Words of the header of a save: the first members of struct cloth. A machine of the other byte order reads another
   number for the first and refuses the save. */
enum { SAVE_MAGIC, SAVE_VERSION, SAVE_BYTES, SAVE_CONFIG, SAVE_WORDS = SAVE_CONFIG + 2 };

/* The start of every arena: where everything lies, and the settings. */
struct cloth {
  /* The header of every save, see SAVE_WORDS. */
  uint32_t magic, versions;
  uint32_t state_bytes;
  uint32_t config_hash[2]; /* of grid, settings and maps; low word first */
  /* What lies where. */
  int32_t count;         /* particles */
  int32_t stride;        /* floats from one component of a vector array to the next */
  int32_t has_scratch;   /* 0 if the scratch is to be shared and cloth_set_scratch() has not been called yet */
  uint32_t total_bytes;  /* of the arena */
  uint32_t shared_bytes; /* of the scratch outside of it */
  scratch_offsets scratch;
#if UINTPTR_MAX == UINT32_MAX
  uint32_t pads[SCRATCH_PARTS]; /* the struct has the same size for 32-bit and 64-bit addresses */
#endif
  constant_offsets constant;
  state_offsets state;
  own_offsets own;
  grid_shape grid;
  cloth_settings settings;
  int32_t max_contacts; /* room in the contact record */
};

/* Fails to compile unless a condition on the layout of types holds. NAME appears in the compiler's message. */
#define LAYOUT_CONTRACT(name, condition) typedef char layout_##name[(condition) ? 1 : -1]

LAYOUT_CONTRACT(save_header_is_first, offsetof(cloth, config_hash) == SAVE_CONFIG * sizeof(uint32_t));
/* The versions fit into SAVE_VERSIONS. */
LAYOUT_CONTRACT(major_version_has_room, CLOTH_VERSION_MAJOR < 16);
LAYOUT_CONTRACT(versions_have_room, CLOTH_VERSION_MINOR < 128 && CLOTH_VERSION_PATCH < 128 &&
                                        CLOTH_STATE_VERSION < 128 && CLOTH_NUMERICS_VERSION < 128);
/* Grid and settings are hashed word by word: padding bytes would be hashed, too. */
LAYOUT_CONTRACT(grid_has_no_gaps, sizeof(grid_shape) == 8 * sizeof(uint32_t));
LAYOUT_CONTRACT(settings_have_no_gaps, sizeof(cloth_settings) == 40 * sizeof(uint32_t));
/* State is saved and hashed as words, and read from images as words. */
LAYOUT_CONTRACT(inputs_are_words, sizeof(cloth_inputs) == (14 + 3 * 3 + 1 + 1 + 1 + 10) * sizeof(uint32_t));
LAYOUT_CONTRACT(collider_slots_are_words, sizeof(collider_slot) == (1 + 1 + 4 + 7 + 3 + 3 + 2 + 7) * sizeof(uint32_t));
LAYOUT_CONTRACT(confinements_are_words, sizeof(confinement) == 8 * sizeof(uint32_t));
LAYOUT_CONTRACT(bodies_are_words, sizeof(rigid_body) == 12 * sizeof(uint32_t));
LAYOUT_CONTRACT(attachments_are_words, sizeof(attachment) == 5 * sizeof(uint32_t));
/* From last_substep on the inputs are floats, which images check as one run. */
LAYOUT_CONTRACT(inputs_end_with_floats, offsetof(cloth_inputs, last_substep) == 14 * sizeof(uint32_t));
/* flush_floats() takes a fabric as an array of floats. */
LAYOUT_CONTRACT(fabric_is_floats, sizeof(cloth_fabric) == 10 * sizeof(float));
/* flush_floats() takes a quaternion as an array of four floats. */
LAYOUT_CONTRACT(rotation_is_floats, sizeof(cloth_rotation) == 4 * sizeof(float));
LAYOUT_CONTRACT(vector_is_floats, sizeof(cloth_vector) == 3 * sizeof(float));
/* The struct has the same size in every build: see `pads`. */
LAYOUT_CONTRACT(cloth_size, sizeof(cloth) == (10 + 2 * 18 + 2 + 15 + 10 + 8 + 40 + 1) * sizeof(uint32_t));

/* Bytes before the state in a save and in an image. */
#define SAVE_HEADER_BYTES (4u * SAVE_WORDS)
#define IMAGE_HEADER_BYTES 52u

/* Largest component of a body's angular velocity [rad/s]. */
#define MAX_SPIN 1.0e4f

/* Marks a particle's velocity history as meaningless: at the start, after a contact, or when the caller has set the
   velocity, the x component of the velocity before the last is this [m/s]: more than twice the speed of any free
   particle, whose limit is at most 1e4. */
#define HISTORY_INVALID 2.0e5f

/// Access to the arena ///

/*
 * Addresses of the arrays and structs of a cloth, and small questions and changes that several parts share: work
 * counters, checks of arguments, velocity history, wake. types.h says what the arena holds, and which stage of a step
 * owns which scratch array. In and out: state, constants and scratch, as each function says.
 */

/* The address `offset` bytes from the start of the arena. The offset may be negative modulo the size of an address:
   shared scratch can lie on either side of the arena. */
static void *at(const cloth *c, uintptr_t offset) {
  return (char *)(uintptr_t)c + (ptrdiff_t)offset;
}

static float *floats_at(const cloth *c, uintptr_t offset) {
  return (float *)at(c, offset);
}

/* Three arrays that lie `stride` floats apart. */
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

/* A collider: one of the cloth's own, or from capacity.max_colliders on a shared body of the step. */
static collider_slot *slot_at(const cloth *c, int32_t index) {
  const int32_t body = index - c->settings.capacity.max_colliders;
  return WITH_SHARED_BODIES && body >= 0 ? (collider_slot *)at(c, c->own.shared_bodies) + body
                                         : colliders_of(c) + index;
}

static confinement *confined_of(const cloth *c) {
  return (confinement *)at(c, c->state.confined);
}

static cloth_reaction *reactions_of(const cloth *c) {
  return (cloth_reaction *)at(c, c->own.reactions);
}

/* Floats of the reactions of colliders and shared bodies, and of pins behind them. */
static int32_t report_count(const cloth *c) {
  const int32_t floats = (int32_t)(sizeof(cloth_reaction) / sizeof(float));
  return (c->settings.capacity.max_colliders + c->settings.capacity.max_shared_bodies) * floats +
         (c->own.pin_reactions ? 3 * c->count : 0);
}

static workspace *workspace_of(const cloth *c) {
  return (workspace *)at(c, c->own.workspace);
}

static cloth_statistics *statistics_of(const cloth *c) {
  return &workspace_of(c)->statistics;
}

/* One past the last collider, shared bodies of the step included. */
static int32_t collider_end(const cloth *c) {
  const int32_t bodies = WITH_SHARED_BODIES ? workspace_of(c)->shared_bodies : 0;
  return bodies ? c->settings.capacity.max_colliders + bodies : inputs_of(c)->collider_end;
}

/* Is there a collider at an index below collider_end()? */
static int is_collider(const cloth *c, int32_t index) {
  const int32_t max_colliders = c->settings.capacity.max_colliders;
  return index >= max_colliders || (index < inputs_of(c)->collider_end && colliders_of(c)[index].used);
}

/* Adds `times` units of work that cost `cost` instructions each (costs.h) to the work of the current step, which is
   kept as two words, the low one first. */
static void add_work(const cloth *c, uint64_t times, uint32_t cost) {
  if (!WITH_PLANNING) {
    return;
  }
  uint32_t *work = statistics_of(c)->work;
  uint64_t sum = ((uint64_t)work[1] << 32 | work[0]) + times * cost;
  work[0] = (uint32_t)sum;
  work[1] = (uint32_t)(sum >> 32);
}

#if WITH_LIMITS

/* Refunds work that was charged in advance but skipped. */
static void refund_work(const cloth *c, uint64_t times, uint32_t cost) {
  add_work(c, 0u - times, cost);
}

#endif

/* Returns 1 and counts a refinement if the step may do one more piece of optional work. A step with a deadline may
   until the deadline has passed, a repeated step as often as the original did; from the first refusal to the end of the
   step the answer is 0. */
static int may_refine(const cloth *c) {
  workspace *w = workspace_of(c);
  if (w->has_deadline && !w->is_cut && CLOTH_TICKS() - w->start >= w->ticks) {
    w->is_cut = 1;
    w->max_refinements = w->refinements;
  }
  if (w->is_cut && w->refinements >= w->max_refinements) {
    return 0;
  }
  w->refinements++;
  return 1;
}

/* Adds work that depends on the state. In fixed-work mode its maximum was already charged at the start of the step. */
static void add_varying_work(const cloth *c, uint64_t times, uint32_t cost) {
  add_work(c, c->settings.capacity.fixed_work ? 0u : times, cost);
}

static uint8_t *freedom_of(const cloth *c) {
  return (uint8_t *)at(c, c->state.freedom);
}

static int is_pinned(const cloth *c, int32_t particle) {
  return (freedom_of(c)[particle] & FREEDOM_MASK) == FREEDOM_PINNED;
}

/* 1 for a tube: column 0 follows the last column. */
CLOTH_INLINE int is_wrapped(const cloth *c) {
  return WITH_WRAP && c->grid.wrap;
}

/* Cells along the warp (one row); a tube has one more than a flat sheet. */
static int32_t cells_along_warp(const cloth *c) {
  return is_wrapped(c) ? c->grid.columns : c->grid.columns - 1;
}

/* The predicted positions of a substep [m]. They share memory with the solver's product, see the table in types.h. */
static vector_array predicted_of(const cloth *c) {
  return vectors_at(c, c->scratch.product);
}

/* The positions at which explicit springs are evaluated: the predicted ones if the step extrapolates, else the
   positions at the start of the substep. */
static vector_array evaluation_positions(const cloth *c, const step_plan *plan) {
  return plan->extrapolation > 0.0f ? predicted_of(c) : vectors_at(c, c->state.position);
}

/* 1 if contacts are constraints of the linear solve (CLOTH_CONTACT_SOLVER). */
static int has_solver_contacts(const cloth *c) {
  return WITH_CONTACT_SOLVER && c->state.contacts;
}

/* Mass of a particle over the reference mass; 1 without a map. */
static float mass_ratio_at(const cloth *c, int32_t particle) {
  return c->constant.mass_ratio ? floats_at(c, c->constant.mass_ratio)[particle] : 1.0f;
}

static lanes mass_ratio_lanes(const cloth *c, int32_t particle) {
  return c->constant.mass_ratio ? lanes_load(floats_at(c, c->constant.mass_ratio) + particle) : lanes_splat(1.0f);
}

/* Mass of a particle of mass ratio 1 [kg]: the mass of the sheet over the number of particles. */
static float reference_mass(const cloth *c) {
  return inputs_of(c)->fabric.density * c->grid.area / (float)c->count;
}

/* Sets all components of all particles' vectors to `value`. */
static void fill_vectors(const cloth *c, vector_array a, float value) {
  for (int32_t i = 0; i < c->count; i++) {
    vector_store(a, i, vector(value, value, value));
  }
}

/* 1 if the next step chooses tethers: when pins came or went or, in fixed-work mode, always. Tethers that the caller
   has set are never chosen anew. */
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

/* The check of a call with a cloth and one more pointer, which may not be NULL. */
static int check_call(const cloth *c, const void *argument) {
  int error = check_cloth(c);
  return error || argument ? error : CLOTH_ERROR_NULL;
}

/* Velocities [m/s] `before` substeps, 1 or 2, before the last. Only if the state has a velocity history. */
static vector_array history_of(const cloth *c, int32_t before) {
  return vectors_at(c, c->state.velocity_history + (uint32_t)((before - 1) * 3 * c->stride) * (uint32_t)sizeof(float));
}

/* Marks a particle's earlier velocities as meaningless: the next prediction does not extrapolate them. */
static void invalidate_history(const cloth *c, int32_t particle) {
  if (c->state.velocity_history) {
    vector_store(history_of(c, 1), particle, vector(HISTORY_INVALID, 0.0f, 0.0f));
    vector_store(history_of(c, 2), particle, vector(0.0f, 0.0f, 0.0f));
  }
}

/* Marks the history of the chosen particles of a block with `left` particles to the end, and stores in its place the
   pushes that the next prediction starts with, see contact_push.h. */
CLOTH_INLINE void invalidate_block_history(const cloth *c, lanes_mask which, lanes3 push, int32_t i, int32_t left) {
  if (c->state.velocity_history) {
    float *mark = history_of(c, 1).x + i;
    const vector_array kept = history_of(c, 2);
    lanes_store_first(mark, lanes_select(which, lanes_splat(HISTORY_INVALID), lanes_load(mark)), left);
    lanes3_store(kept, i, lanes3_select(which, push, lanes3_load(kept, i)), left);
  }
}

/* Which particles of a block have no history of velocities. Half of the mark tells it from any speed, which is well
   below. */
CLOTH_INLINE lanes_mask has_no_history(lanes first_component) {
  return lanes_less(lanes_splat(0.5f * HISTORY_INVALID), first_component);
}

/* One of the vectors kept for targets: TARGET_LIMIT ... */
static vector_array target_vectors(const cloth *c, int32_t which) {
  return vectors_at(c, c->state.targets + (uint32_t)(which * 3 * c->stride) * (uint32_t)sizeof(float));
}

#if WITH_TARGETS || WITH_IMAGE
/* Largest distance and radius of a backstop [m]: the range that cloth.h promises. */
#define MAX_BACKSTOP 1.0e4f

/* 1 if the lengths of a motion constraint are in range: max_distance, backstop_distance, backstop_radius [m]. */
static int is_motion_limit(cloth_vector limit) {
  return in_range(limit.x, 0.0f, CLOTH_ANY_DISTANCE) && in_range(limit.y, 0.0f, MAX_BACKSTOP) &&
         in_range(limit.z, 0.0f, MAX_BACKSTOP);
}
#endif

static int is_asleep(const cloth *c) {
  return inputs_of(c)->rest_time == ASLEEP;
}

/* Wakes the cloth, or restarts the time that it has been at rest, as something that acts on it has changed. */
static void wake(const cloth *c) {
  inputs_of(c)->rest_time = 0.0f;
}

/* Stores one of the inputs, and wakes the cloth if the value differs from the stored one. */
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

/* One of ROW_BUFFERS buffers of a vector per column. Owned by the forces and by the product of the solver's matrix. */
static vector_array row_buffer(const cloth *c) {
  vector_array f;
  f.x = floats_at(c, c->scratch.row_buffers);
  f.y = f.x + c->grid.columns;
  f.z = f.y + c->grid.columns;
  return f;
}

static void clear_row_buffers(const cloth *c) {
  fill_zero(floats_at(c, c->scratch.row_buffers), (size_t)(3 * c->grid.columns) * sizeof(float));
}

/* One CONTACT_WORD() per particle. Only if has_solver_contacts(). */
static uint32_t *contact_info_of(const cloth *c) {
  return (uint32_t *)at(c, c->state.contacts);
}

/* Bits that are set in the freedom of at least one particle, and of every particle. */
typedef struct freedom_summary {
  uint32_t some, every;
} freedom_summary;

/* Reads four particles at a time. */
static freedom_summary summarise_freedom(const cloth *c) {
  const uint8_t *freedom = freedom_of(c);
  const any_word *words = (const any_word *)(const void *)freedom;
  const int32_t whole = c->count / 4;
  freedom_summary s = {0, 0xffffffffu};
  for (int32_t i = 0; i < whole; i++) {
    s.some |= words[i];
    s.every &= words[i];
  }
  for (int32_t i = 4 * whole; i < c->count; i++) {
    s.some |= freedom[i];
    s.every &= 0x01010101u * freedom[i];
  }
  s.some |= s.some >> 16;
  s.every &= s.every >> 16;
  s.some = (s.some | s.some >> 8) & 0xffu;
  s.every = (s.every & s.every >> 8) & 0xffu;
  return s;
}

static int check_particle(const cloth *c, int32_t particle) {
  int error = check_cloth(c);
  if (error) {
    return error;
  }
  return particle >= 0 && particle < c->count ? CLOTH_OK : CLOTH_ERROR_INDEX;
}

/* The dt that a step takes [s]: with 1 us, far below any frame, the shortest substep is 1 ns. */
#define MIN_TIME_STEP 1.0e-6f
#define MAX_TIME_STEP 1.0f

static int is_time_step(float dt) {
  return in_range(dt, MIN_TIME_STEP, MAX_TIME_STEP);
}

/* Velocity of a particle between steps: 0 for a pin whose move no step has made. */
static cloth_vector current_velocity(const cloth *c, int32_t particle) {
  return freedom_of(c)[particle] & PIN_MOVING ? vector(0.0f, 0.0f, 0.0f)
                                              : vector_load(vectors_at(c, c->state.velocity), particle);
}

/* Velocity that a step of 1 / inverse_dt seconds starts with: that of the move, for a pin that has one. */
static cloth_vector starting_velocity(const cloth *c, int32_t particle, float inverse_dt) {
  cloth_vector v = vector_load(vectors_at(c, c->state.velocity), particle);
  return freedom_of(c)[particle] & PIN_MOVING ? vector_flush(vector_scale(v, inverse_dt), STATE_QUANTUM) : v;
}

/* Stores a vector of a particle that the caller sets, and wakes the cloth if it differs from the stored one. */
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
  return is_pinned(c, particle) ? CLOTH_OK : CLOTH_ERROR_STATE;
}

/// Rotations and poses ///

/*
 * Unit quaternions and rigid poses of colliders and frames: products, interpolation, and vectors between local and
 * world axes, for one vector and for a block of lanes. Every factor of a product is flushed before it is multiplied
 * (see WORK_QUANTUM). Reads and writes no cloth.
 */

static cloth_rotation rotation_conjugate(cloth_rotation q) {
  q.x = negate(q.x);
  q.y = negate(q.y);
  q.z = negate(q.z);
  return q;
}

/* Rotates v: v + 2 w (u x v) + 2 u x (u x v), where u is the vector part of q. */
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

/* Lower bound of the squared length that a quaternion is divided by. The quaternions here have squared lengths of 0.5
   and more; the bound keeps the division finite for one of 0. */
#define ROTATION_MIN_SQUARED 1.0e-12f

/* Scales q to unit length. Flushed before it is squared, and again after it is scaled. */
static cloth_rotation rotation_normalised(cloth_rotation q) {
  q = rotation_flush(q);
  float squared = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  float scale = 1.0f / square_root(maximum(squared, ROTATION_MIN_SQUARED));
  q.x = q.x * scale;
  q.y = q.y * scale;
  q.z = q.z * scale;
  q.w = q.w * scale;
  return rotation_flush(q);
}

/* Interpolates from a (t = 0) to b (t = 1) the short way round: linearly, then normalised, which turns at a nearly even
   speed. */
static cloth_rotation rotation_between(cloth_rotation a, cloth_rotation b, float t) {
  float sign = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0.0f ? -1.0f : 1.0f;
  cloth_rotation q;
  q.x = a.x + (sign * b.x - a.x) * t;
  q.y = a.y + (sign * b.y - a.y) * t;
  q.z = a.z + (sign * b.z - a.z) * t;
  q.w = a.w + (sign * b.w - a.w) * t;
  return rotation_normalised(q);
}

/* Interpolates from a (t = 0) to b (t = 1); b itself, to the bit, at the end. */
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

/* rotate() for a block of vectors. */
CLOTH_INLINE lanes3 lanes3_rotate(cloth_rotation q, lanes3 v) {
  lanes3 u = lanes3_splat(vector(q.x, q.y, q.z));
  v = lanes3_flush(v);
  lanes3 t = lanes3_flush(lanes3_scale(lanes3_cross(u, v), lanes_splat(2.0f)));
  return lanes3_add(lanes3_add_scaled(v, t, lanes_splat(q.w)), lanes3_cross(u, t));
}

#if WITH_COLLIDERS

/* Range of the components of a rotation, which keeps their squares finite, and of its squared length: of unit length
   within 1e-3, as cloth.h demands. */
#define ROTATION_LIMIT 2.0f
#define ROTATION_SQUARED_LOW 0.998f
#define ROTATION_SQUARED_HIGH 1.002f

/* 1 if a rotation is finite and of unit length, else 0. */
static int is_unit_rotation(cloth_rotation q) {
  if (!vector_in_range(vector(q.x, q.y, q.z), ROTATION_LIMIT) || !in_range(q.w, -ROTATION_LIMIT, ROTATION_LIMIT)) {
    return 0;
  }
  q = rotation_flush(q);
  float squared = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  return in_range(squared, ROTATION_SQUARED_LOW, ROTATION_SQUARED_HIGH);
}

/* CLOTH_OK for a pose within the position limit with a unit quaternion, else CLOTH_ERROR_RANGE. */
static int check_pose(const cloth_pose *pose) {
  int is_pose = vector_in_range(pose->position, CLOTH_POSITION_LIMIT) && is_unit_rotation(pose->rotation);
  return is_pose ? CLOTH_OK : CLOTH_ERROR_RANGE;
}

static cloth_pose normalised_pose(const cloth_pose *pose) {
  cloth_pose normalised;
  normalised.position = vector_flush(pose->position, STATE_QUANTUM);
  normalised.rotation = rotation_normalised(pose->rotation);
  return normalised;
}

#endif

#if WITH_MOVE_FRAME || WITH_ORIGIN || WITH_BODIES

/* The rotation b, then the rotation a. */
static cloth_rotation rotation_product(cloth_rotation a, cloth_rotation b) {
  cloth_rotation q;
  q.x = a.w * b.x + a.x * b.w + (a.y * b.z - a.z * b.y);
  q.y = a.w * b.y + a.y * b.w + (a.z * b.x - a.x * b.z);
  q.z = a.w * b.z + a.z * b.w + (a.x * b.y - a.y * b.x);
  q.w = a.w * b.w - (a.x * b.x + a.y * b.y + a.z * b.z);
  return rotation_normalised(q);
}

#endif

#if WITH_MOVE_FRAME

/* The rotation by half the angle of q, about the same axis. q.w is 0 or more: q turns by no more than half a turn. */
static cloth_rotation half_rotation(cloth_rotation q) {
  float w = square_root(0.5f * (1.0f + q.w));
  float share = 0.5f / w;
  cloth_rotation half = {q.x * share, q.y * share, q.z * share, w};
  return half;
}

#endif

/// Geometry ///

/*
 * What a cloth_geometry consists of, in the caller's memory, and how a step finds the one that a collider names. The
 * step's surroundings are the caller's, too: their address is in the workspace while a step runs, and nowhere after it.
 * In: the surroundings, collider keys. Out: geometries. Nothing is written but the address in the workspace.
 */

/* The head of every geometry. Its data follow, as offsets from its start say. All words, without pointers. */
struct cloth_geometry {
  uint32_t magic;         /* GEOMETRY_MAGIC */
  int32_t shape;          /* a cloth_shape */
  int32_t elements;       /* see cloth_geometry_key */
  uint32_t hash[2];       /* of the data that it was built from, low word first */
  cloth_vector low, high; /* corners of the box around its surface, in local axes [m] */
  int32_t counts[3];      /* planes, edges | columns, rows | triangles, levels, one_sided | samples along x, y, z */
  float spacing[2];       /* of height field and distance grid [m] */
  float tolerance;        /* of hulls: see distance_to_hull() [m] */
  uint32_t data;          /* offset of the planes, heights, triangles or distances [bytes] */
  uint32_t edges;         /* offset of the edges of a hull [bytes] */
  uint32_t levels[8];     /* offsets of the levels of a mesh's tree, leaves first [bytes] */
};

#define GEOMETRY_MAGIC 0x6d6f6567u /* "geom", little-endian */
/* Bytes of the head, with room to stay aligned. */
#define GEOMETRY_HEAD 128u

LAYOUT_CONTRACT(geometry_head_has_room, sizeof(cloth_geometry) <= GEOMETRY_HEAD);

#if WITH_GEOMETRY

static const void *geometry_data(const cloth_geometry *g, uint32_t offset) {
  return (const char *)(const void *)g + offset;
}

/* 1 if memory that a caller hands over holds a geometry of this build. */
static int is_geometry(const cloth_geometry *g) {
  return g && (uintptr_t)(const void *)g % CLOTH_ALIGNMENT == 0 && g->magic == GEOMETRY_MAGIC;
}

#endif

#if WITH_COLLIDERS

/* 1 for shapes that have geometry. */
CLOTH_INLINE int has_geometry(const cloth_collider *body) {
  return WITH_GEOMETRY && body->shape >= CLOTH_SHAPE_HULL;
}

/* Keeps the address of the surroundings while a step runs, as two words: the workspace has the same size in every
   build. NULL ends it. */
static void set_surroundings(const cloth *c, const cloth_surroundings *around) {
  const uint64_t address = (uint64_t)(uintptr_t)(const void *)around;
  workspace_of(c)->surroundings[0] = (uint32_t)address;
  workspace_of(c)->surroundings[1] = (uint32_t)(address >> 32);
}

static const cloth_surroundings *surroundings_of(const cloth *c) {
  const uint32_t *words = workspace_of(c)->surroundings;
  return (const cloth_surroundings *)(uintptr_t)((uint64_t)words[1] << 32 | words[0]);
}

/* The geometry of a collider during a step; NULL for shapes without. */
static const cloth_geometry *geometry_of(const cloth *c, const cloth_collider *body) {
  return has_geometry(body) ? surroundings_of(c)->geometries[body->geometry.place] : NULL;
}

#else

static const cloth_geometry *geometry_of(const cloth *c, const cloth_collider *body) {
  (void)c;
  (void)body;
  return NULL;
}

#endif

#if WITH_GEOMETRY

/* Is the geometry that a collider names at its place in the surroundings? */
static int has_its_geometry(const cloth_surroundings *around, const cloth_collider *body) {
  const cloth_geometry_key *key = &body->geometry;
  if (!around || key->place >= around->geometry_count) {
    return 0;
  }
  const cloth_geometry *g = around->geometries[key->place];
  return is_geometry(g) && g->shape == body->shape && g->elements == key->elements && g->hash[0] == key->hash[0] &&
         g->hash[1] == key->hash[1];
}

/* CLOTH_OK if the surroundings, NULL for none, have the geometries that the cloth's own colliders name. */
static int check_geometries(const cloth *c, const cloth_surroundings *around) {
  const int may_have = c->settings.capacity.geometry || c->settings.capacity.meshes > 0;
  for (int32_t index = 0; may_have && index < inputs_of(c)->collider_end; index++) {
    const collider_slot *slot = &colliders_of(c)[index];
    if (slot->used && has_geometry(&slot->body) && !has_its_geometry(around, &slot->body)) {
      return CLOTH_ERROR_GEOMETRY;
    }
  }
  return CLOTH_OK;
}

#endif

/// Self-test ///

/*
 * cloth_self_test(): computes expressions whose bits are known, as scalars and in lanes, and checks the operations of
 * the lanes backend against plain C. Finds builds and machines that fuse, widen or flush. Reads and writes no cloth.
 */

#if WITH_SELF_TEST

/* A float of these bits that the compiler cannot know, so that it evaluates no expression of it at compile time. Not
   inlined: volatile alone did not keep one compiler from moving the expression. */
CLOTH_SEPARATE float opaque_float(uint32_t bits) {
  volatile uint32_t kept = bits;
  float_bits b;
  b.bits = kept;
  return b.value;
}

/* 1 if the value, once rounded to a float in memory, has these bits. */
static int has_bits(float value, uint32_t bits) {
  volatile float kept = value;
  return float_to_bits(kept).bits == bits;
}

/* Expressions whose results are known, and the error that another result means. */
enum { A_PLUS_B, A_OVER_B, A_PLUS_B_MINUS_A, A_TIMES_A_PLUS_B, A_TIMES_2_OVER_2, ROOT_OF_A };
typedef struct known_bits {
  int16_t expression; /* A_PLUS_B ... */
  int16_t error;
  uint32_t a, b, bits; /* of the operands and the result */
} known_bits;

CLOTH_CONSTANT static const known_bits known_results[] = {
    /* 1 + 2^-24 is a tie: to even, downwards; to even, upwards; a little more than a tie; a tie below 0. */
    {A_PLUS_B, CLOTH_ERROR_ROUNDING, 0x3f800000u, 0x33800000u, 0x3f800000u},
    {A_PLUS_B, CLOTH_ERROR_ROUNDING, 0x3f800001u, 0x33800000u, 0x3f800002u},
    {A_PLUS_B, CLOTH_ERROR_ROUNDING, 0x3f800000u, 0x33800001u, 0x3f800001u},
    {A_PLUS_B, CLOTH_ERROR_ROUNDING, 0xbf800000u, 0xb3800000u, 0xbf800000u},
    /* 1 / 3 is rounded up. */
    {A_OVER_B, CLOTH_ERROR_ROUNDING, 0x3f800000u, 0x40400000u, 0x3eaaaaabu},
    /* 2^127 * 2 is infinite in a float; in a wider format halving it gives 2^127 again. */
    {A_TIMES_2_OVER_2, CLOTH_ERROR_EXCESS_PRECISION, 0x7f000000u, 0, 0x7f800000u},
    /* (2^24 + 1/2) - 2^24 and (1 + 2^-25) - 1 are 0 if the sum is rounded to a float, else 1/2 and 2^-25. */
    {A_PLUS_B_MINUS_A, CLOTH_ERROR_EXCESS_PRECISION, 0x4b800000u, 0x3f000000u, 0},
    {A_PLUS_B_MINUS_A, CLOTH_ERROR_EXCESS_PRECISION, 0x3f800000u, 0x33000000u, 0},
    /* 3 / 7, which differs from 3 * (1 / 7). */
    {A_OVER_B, CLOTH_ERROR_EXCESS_PRECISION, 0x40400000u, 0x40e00000u, 0x3edb6db7u},
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

/* The value of an expression in lanes. */
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

/* The value of an expression in floats: a twin of expression_value(), as lanes and floats may be separate units. */
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

/* 1 if masks choose the right lanes: the first three, every second, both of these; a store of no more than three lanes,
   and lanes moved up by one. */
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

/* 1 if lanes_transpose() gives the transpose of a matrix of different numbers. */
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

/* 1 if loads, arithmetic, selections and stores of lanes give the bits of scalars. The operations tested are those
   whose definitions differ most between vector units. */
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
    float chosen = quotient < opaque_float(0xc0000000u) ? negate(quotient) : from[i] - quotient;
    if (!has_bits(to[i], float_to_bits(chosen * chosen).bits)) {
      return 0;
    }
  }
  return has_bits(to[CLOTH_LANES], 0x40e00000u) && masks_are_right() && transposition_is_right();
}

/* Divides values one by one, and first lanes of as many blocks. A compiler that may use reciprocals computes that of
   the divisor once, before the loop. */
CLOTH_SEPARATE void divide_all(float *floats, float *blocks, int32_t count, float divisor) {
  for (int32_t n = 0; n < count; n++) {
    floats[n] = floats[n] / divisor;
    lanes_store(blocks + n * CLOTH_LANES, lanes_divide(lanes_load(blocks + n * CLOTH_LANES), lanes_splat(divisor)));
  }
}

/* 1 if quotients by one divisor are divided: 3, 5, 6 and 11 sevenths, which differ from their products with 1 / 7. A
   compiler that may use reciprocals does so where several quotients share a divisor, in a row or in a loop. */
CLOTH_SEPARATE int quotients_are_right(void) {
  CLOTH_CONSTANT static const uint32_t numerators[4] = {0x40400000u, 0x40a00000u, 0x40c00000u, 0x41300000u};
  CLOTH_CONSTANT static const uint32_t known[4] = {0x3edb6db7u, 0x3f36db6eu, 0x3f5b6db7u, 0x3fc92492u};
  const float seven = opaque_float(0x40e00000u);
  const lanes sevens = lanes_splat(opaque_float(0x40e00000u));
  float given[4], floats[4], blocks[4 * CLOTH_LANES];
  for (int32_t n = 0; n < 4; n++) {
    given[n] = floats[n] = opaque_float(numerators[n]);
    lanes_store(blocks + n * CLOTH_LANES, lanes_splat(opaque_float(numerators[n])));
  }
  divide_all(floats, blocks, 4, opaque_float(0x40e00000u));
  const float in_a_row[4] = {given[0] / seven, given[1] / seven, given[2] / seven, given[3] / seven};
  const lanes lanes_in_a_row[4] = {
      lanes_divide(lanes_splat(given[0]), sevens), lanes_divide(lanes_splat(given[1]), sevens),
      lanes_divide(lanes_splat(given[2]), sevens), lanes_divide(lanes_splat(given[3]), sevens)};
  for (int32_t n = 0; n < 4; n++) {
    if (!has_bits(in_a_row[n], known[n]) || !has_bits(lanes_first_value(lanes_in_a_row[n]), known[n]) ||
        !has_bits(floats[n], known[n]) || !has_bits(blocks[n * CLOTH_LANES], known[n])) {
      return 0;
    }
  }
  return 1;
}

/* 1 if -0 + 0 and 0 - 0 are +0, which compilers that may ignore the sign of zeros get wrong. */
CLOTH_SEPARATE int zeros_are_right(void) {
  const lanes sum = lanes_add(lanes_splat(opaque_float(0x80000000u)), lanes_splat(0.0f));
  const lanes difference = lanes_negate(lanes_splat(opaque_float(0)));
  return has_bits(opaque_float(0x80000000u) + 0.0f, 0) && has_bits(negate(opaque_float(0)), 0) &&
         has_bits(quantise(opaque_float(0x80000000u), WORK_ROUNDER), 0) && has_bits(lanes_first_value(sum), 0) &&
         has_bits(lanes_first_value(difference), 0);
}

int cloth_self_test(void) {
  const known_bits *end = known_results + sizeof known_results / sizeof known_results[0];
  for (const known_bits *k = known_results; k < end; k++) {
    /* Lanes and floats get operands of their own: a compiler that saw the same product in both would compute it once,
       and might then fuse neither with the sum. */
    lanes a = lanes_splat(opaque_float(k->a));
    lanes b = lanes_splat(opaque_float(k->b));
    if (!has_bits(lanes_first_value(expression_value(k->expression, a, b)), k->bits) ||
        (CLOTH_LANES > 1 && !has_bits(scalar_value(k->expression, opaque_float(k->a), opaque_float(k->b)), k->bits))) {
      return k->error;
    }
  }
  if (!quotients_are_right() || !zeros_are_right()) {
    return CLOTH_ERROR_EXCESS_PRECISION;
  }
  if (CLOTH_LANES > 1 && !lanes_are_right()) { /* a single lane is the scalar reference itself */
    return CLOTH_ERROR_LANES;
  }
  /* Half of the smallest normal number, 2^-127, is 0 only if the scalar or the vector unit flushes subnormals. */
  float half = opaque_float(0x3f000000u);
  float smallest = opaque_float(0x00800000u);
  lanes wide = lanes_multiply(lanes_splat(smallest), lanes_splat(half));
  int flushes = has_bits(smallest * half, 0) || has_bits(lanes_first_value(wide), 0);
  return flushes ? CLOTH_NOTE_FLUSHES : CLOTH_OK;
}

#endif

/// 3. Making a cloth ///

/// Settings: ranges and faults ///

/*
 * What a config, a fabric and a collider may hold. A check returns the number of the first fault it finds, 0 for none.
 * The lists below give each fault its number, its cloth_error and, for cloth_config_explain() and its like, its text.
 *
 * A list of ranges has X(field, low, high, unit): both ends are in the range. Texts quote the ends as they stand here,
 * without the marks of C: 1.0e7f becomes 1e7, see append_text() in names.h.
 */
#define FABRIC_RANGES(X)                                                                                               \
  X(density, 0.001f, 1000.0f, " kg/m^2")                                                                               \
  X(stretch_warp, 0.0f, 1.0e7f, " N/m")                                                                                \
  X(stretch_weft, 0.0f, 1.0e7f, " N/m")                                                                                \
  X(shear, 0.0f, 1.0e7f, " N/m")                                                                                       \
  X(bend, 0.0f, 10.0f, " N m")                                                                                         \
  X(compression, 0.0f, 1.0f, "")                                                                                       \
  X(shear_compression, 0.0f, 1.0f, "")                                                                                 \
  X(stretch_damping, 0.0f, 1.0e4f, " N s/m")                                                                           \
  X(shear_damping, 0.0f, 1.0e4f, " N s/m")                                                                             \
  X(bend_damping, 0.0f, 10.0f, " s")

#if WITH_CONTACT_RECORD
#define CONTACT_INTEGERS(X) X(capacity.max_contacts, 0, 1000000, "")
#else /* any but 0 is refused, as left out */
#define CONTACT_INTEGERS(X)
#endif

#define CONFIG_INTEGERS(X)                                                                                             \
  X(columns, 2, CLOTH_GRID_LIMIT, "")                                                                                  \
  X(rows, 2, CLOTH_GRID_LIMIT, "")                                                                                     \
  X(substeps, 0, CLOTH_SUBSTEP_LIMIT, "")                                                                              \
  X(max_colliders, 0, CLOTH_COLLIDER_LIMIT, "")                                                                        \
  X(grid.wrap, 0, 1, "")                                                                                               \
  X(integration.method, CLOTH_INTEGRATION_ADAPTIVE, CLOTH_INTEGRATION_EXPLICIT_ONLY, "")                               \
  X(integration.max_substeps, 1, CLOTH_SUBSTEP_LIMIT, "")                                                              \
  X(tethers.count, 0, 2, "")                                                                                           \
  X(solver.preconditioner, CLOTH_PRECONDITIONER_BLOCK, CLOTH_PRECONDITIONER_AUTOMATIC, "")                             \
  X(solver.max_iterations, 1, CLOTH_ITERATION_LIMIT, "")                                                               \
  X(solver.warm_start, 0, 1, "")                                                                                       \
  X(strain_limit.sweeps, 0, CLOTH_SWEEP_LIMIT, "")                                                                     \
  X(contact.mode, CLOTH_CONTACT_PROJECTION, CLOTH_CONTACT_SOLVER, "")                                                  \
  X(world.origin.x, -CLOTH_ORIGIN_LIMIT, CLOTH_ORIGIN_LIMIT, " m")                                                     \
  X(world.origin.y, -CLOTH_ORIGIN_LIMIT, CLOTH_ORIGIN_LIMIT, " m")                                                     \
  X(world.origin.z, -CLOTH_ORIGIN_LIMIT, CLOTH_ORIGIN_LIMIT, " m")                                                     \
  X(capacity.max_confined, 0, 65535, "")                                                                               \
  X(capacity.max_bodies, 0, CLOTH_COLLIDER_LIMIT, "")                                                                  \
  X(capacity.max_attachments, 0, 65535, "")                                                                            \
  X(capacity.pin_reactions, 0, 1, "")                                                                                  \
  X(capacity.targets, 0, 1, "")                                                                                        \
  X(capacity.shared_scratch, 0, 1, "")                                                                                 \
  X(capacity.fixed_work, 0, 1, "")                                                                                     \
  X(capacity.geometry, 0, 1, "")                                                                                       \
  X(capacity.meshes, 0, 16, "")                                                                                        \
  X(capacity.max_shared_bodies, 0, CLOTH_COLLIDER_LIMIT, "")                                                           \
  CONTACT_INTEGERS(X)

#define CONFIG_FLOATS(X)                                                                                               \
  X(thickness, 0.0f, 1.0f, " m")                                                                                       \
  X(grid.imperfection, 0.0f, 0.1f, "")                                                                                 \
  X(air.density, 0.0f, 100.0f, " kg/m^3")                                                                              \
  X(air.drag, 0.0f, 100.0f, "")                                                                                        \
  X(air.lift, 0.0f, 100.0f, "")                                                                                        \
  X(air.normal_drag, 0.0f, 100.0f, "")                                                                                 \
  X(integration.explicit_threshold, 0.0f, 0.5f, "")                                                                    \
  X(integration.projection_threshold, 0.0f, CLOTH_KAPPA_NEVER, "")                                                     \
  X(integration.bdf2_blend, 0.0f, 1.0f, "")                                                                            \
  X(integration.max_speed, 0.1f, 1.0e4f, " m/s")                                                                       \
  X(integration.velocity_damping, 0.0f, 100.0f, " 1/s")                                                                \
  X(grid.min_bending_length, 0.0f, 16.0f, " cells")                                                                    \
  X(tethers.scale, 0.5f, 10.0f, "")                                                                                    \
  X(solver.tolerance, 1.0e-4f, 0.5f, "")                                                                               \
  X(strain_limit.max_extension, 0.0f, 10.0f, "")                                                                       \
  X(strain_limit.max_compression, 0.0f, 1.0f, "")                                                                      \
  X(sleep.speed, 0.0f, 10.0f, " m/s")                                                                                  \
  X(sleep.time, 0.0f, 60.0f, " s")                                                                                     \
  X(world.recentre_distance, 0.0f, 1.0e4f, " m")

/* A text for builds that leave a part out; other builds never show it. */
#define TEXT_WITHOUT_0(text) text
#define TEXT_WITHOUT_1(text) "-"
#define TEXT_WITHOUT_(with, text) TEXT_WITHOUT_##with(text)
#define TEXT_WITHOUT(with, text) TEXT_WITHOUT_(with, text)

/* All other faults of a config: X(name, error, text). */
#define CONFIG_FAULTS(X)                                                                                               \
  X(POINTER, NULL, "config: NULL")                                                                                     \
  X(COOKIE, CONFIG, "cookie: start from cloth_config_default()")                                                       \
  X(TUBE_COLUMNS, CONFLICT, "grid.wrap, columns: a tube has 5 columns or more")                                        \
  X(WORK_SLEEP, CONFLICT, "capacity.fixed_work, sleep.speed: one of the two has to be 0")                              \
  X(WORK_CONTACT, CONFLICT, "capacity.fixed_work, contact.mode: fixed work needs CLOTH_CONTACT_PROJECTION")            \
  X(WORK_GEOMETRY, CONFLICT, "capacity.fixed_work: excludes capacity.geometry, .meshes and .max_shared_bodies")        \
  X(NO_GEOMETRY, LEFT_OUT, "capacity.geometry: CLOTH_NO_HULL, _HEIGHT_FIELD and _DISTANCE_GRID")                       \
  X(NO_MESH, LEFT_OUT, TEXT_WITHOUT(WITH_MESH, "capacity.meshes: CLOTH_NO_MESH"))                                      \
  X(NO_SHARED_BODIES, LEFT_OUT,                                                                                        \
    TEXT_WITHOUT(WITH_SHARED_BODIES, "capacity.max_shared_bodies: CLOTH_NO_SHARED_BODIES"))                            \
  X(NO_SOLVER, LEFT_OUT, TEXT_WITHOUT(WITH_SOLVER, "integration, contact.mode: CLOTH_NO_SOLVER"))                      \
  X(NO_MULTILEVEL, LEFT_OUT, TEXT_WITHOUT(WITH_MULTILEVEL, "solver.preconditioner: CLOTH_NO_MULTILEVEL"))              \
  X(NO_PROJECTION, LEFT_OUT, TEXT_WITHOUT(WITH_PROJECTION, "integration, tethers.count: CLOTH_NO_PROJECTION"))         \
  X(NO_CONTACTS, LEFT_OUT, TEXT_WITHOUT(WITH_CONTACT_SOLVER, "contact.mode: CLOTH_NO_CONTACT_SOLVER"))                 \
  X(NO_COLLIDERS, LEFT_OUT, TEXT_WITHOUT(WITH_COLLIDERS, "max_colliders: CLOTH_NO_COLLIDERS"))                         \
  X(NO_BODIES, LEFT_OUT,                                                                                               \
    TEXT_WITHOUT(WITH_BODIES, "capacity.max_bodies, max_attachments, pin_reactions: CLOTH_NO_BODIES"))                 \
  X(NO_CONFINED, LEFT_OUT, TEXT_WITHOUT(WITH_CONFINED, "capacity.max_confined: CLOTH_NO_CONFINED"))                    \
  X(NO_LIMITS, LEFT_OUT, TEXT_WITHOUT(WITH_LIMITS, "strain_limit.sweeps: CLOTH_NO_LIMITS"))                            \
  X(NO_SLEEP, LEFT_OUT, TEXT_WITHOUT(WITH_SLEEP, "sleep.speed: CLOTH_NO_SLEEP"))                                       \
  X(NO_TARGETS, LEFT_OUT, TEXT_WITHOUT(WITH_TARGETS, "capacity.targets: CLOTH_NO_TARGETS"))                            \
  X(NO_ORIGIN, LEFT_OUT, TEXT_WITHOUT(WITH_ORIGIN, "world.origin, world.recentre_distance: CLOTH_NO_ORIGIN"))          \
  X(NO_WRAP, LEFT_OUT, TEXT_WITHOUT(WITH_WRAP, "grid.wrap: CLOTH_NO_WRAP"))                                            \
  X(NO_AIR, LEFT_OUT, TEXT_WITHOUT(WITH_AIR, "air.drag, air.lift, air.normal_drag: CLOTH_NO_AIR"))                     \
  X(NO_QUERIES, LEFT_OUT, TEXT_WITHOUT(WITH_CONTACT_RECORD, "capacity.max_contacts: CLOTH_NO_QUERIES or _COLLIDERS"))  \
  X(EDGE_WARP, RANGE, "edge_warp: 1e-4..100 m between columns")                                                        \
  X(EDGE_WEFT, RANGE, "edge_weft: 1e-4..100 m between rows")                                                           \
  X(EDGES, CONFLICT, "edge_warp, edge_weft: sine of the angle at least 0.1")                                           \
  X(TUBE_EDGES, CONFLICT, "grid.wrap, edge_warp, edge_weft: edges of a tube are perpendicular to 1e-3")                \
  X(POSITIONS, RANGE, "grid.positions: -1e5..1e5 m on each axis")                                                      \
  X(START, RANGE, "origin, edge_warp, edge_weft: particles at -1e5..1e5 m on each axis")                               \
  X(GRAVITY, RANGE, "gravity: -1e4..1e4 m/s^2 on each axis")                                                           \
  X(WIND, RANGE, "wind: -1000..1000 m/s on each axis")                                                                 \
  X(MASS_MAP, RANGE, "grid.mass_map: 0.01..100")                                                                       \
  X(STIFFNESS_MAP, RANGE, "grid.stiffness_map: 0..100")

#define COLLIDER_FAULTS(X)                                                                                             \
  X(POINTER, NULL, "collider: NULL")                                                                                   \
  X(SHAPE, RANGE, "shape: CLOTH_SHAPE_PLANE..CLOTH_SHAPE_DISTANCE_GRID")                                               \
  X(NO_SHAPE, LEFT_OUT, "shape: left out by CLOTH_NO_HULL, _HEIGHT_FIELD, _MESH or _DISTANCE_GRID")                    \
  X(GEOMETRY, GEOMETRY, "geometry: not set by cloth_collider_set_geometry()")                                          \
  X(PLACE, RANGE, "geometry.place: 0..1023")                                                                           \
  X(RADIUS, RANGE, "radius: 1e-3..1e4 m")                                                                              \
  X(RADIUS_TOP, RANGE, "radius_top: 1e-3..1e4 m")                                                                      \
  X(HALF_HEIGHT, RANGE, "half_height: 1e-3..1e4 m")                                                                    \
  X(HALF_EXTENTS, RANGE, "half_extents: 1e-3..1e4 m on each axis")                                                     \
  X(SPHERES, CONFLICT, "radius, radius_top, half_height: one sphere of the capsule is inside the other")               \
  X(POSITION, RANGE, "pose.position: -1e5..1e5 m on each axis")                                                        \
  X(ROTATION, RANGE, "pose.rotation: of length 1, to 1e-3")                                                            \
  X(STATIC, RANGE, "static_friction: 0..10")                                                                           \
  X(KINETIC, RANGE, "kinetic_friction: 0..10")                                                                         \
  X(FRICTIONS, CONFLICT, "kinetic_friction, static_friction: kinetic is at most static")

/* Largest coordinate of a geometry, offset of a plane, height and distance [m]; texts below quote it. */
#define GEOMETRY_EXTENT 1.0e4f

#define GEOMETRY_FAULTS(X)                                                                                             \
  X(POINTER, NULL, "data: NULL")                                                                                       \
  X(ARRAY, NULL, "data: an array is NULL")                                                                             \
  X(SHAPE, RANGE, "shape: CLOTH_SHAPE_HULL..CLOTH_SHAPE_DISTANCE_GRID")                                                \
  X(LEFT_OUT, LEFT_OUT, "shape: left out by CLOTH_NO_HULL, _HEIGHT_FIELD, _MESH or _DISTANCE_GRID")                    \
  X(PLANES, RANGE, "hull.planes: 4..64")                                                                               \
  X(NORMAL, RANGE, "hull.normals: of length 1, to 1e-3")                                                               \
  X(OFFSET, RANGE, "hull.offsets: -1e4..1e4 m")                                                                        \
  X(HULL_OPEN, CONFLICT, "hull: the planes do not enclose all sides")                                                  \
  X(HULL_EMPTY, CONFLICT, "hull: the planes enclose nothing")                                                          \
  X(FIELD_COUNT, RANGE, "height_field.columns, rows: 2..4096, together 4194304")                                       \
  X(FIELD_SPACING, RANGE, "height_field.spacing_x, spacing_z: 1e-3..1e3 m")                                            \
  X(HEIGHT, RANGE, "height_field.heights: -1e4..1e4 m")                                                                \
  X(MESH_COUNT, RANGE, "mesh.triangle_count: 1..1000000, mesh.vertex_count: 3..3000000")                               \
  X(ONE_SIDED, RANGE, "mesh.one_sided: 0..1")                                                                          \
  X(VERTEX, RANGE, "mesh.vertices: -1e4..1e4 m on each axis")                                                          \
  X(INDEX, RANGE, "mesh.indices: 0..vertex_count - 1")                                                                 \
  X(TRIANGLE, CONFLICT, "mesh: a triangle of less than 1e-8 m^2, or thinner than 1e-5 m")                              \
  X(GRID_COUNT, RANGE, "distance_grid.count_x, count_y, count_z: 2..1024, together 4194304")                           \
  X(GRID_SPACING, RANGE, "distance_grid.spacing: 1e-3..1e3 m")                                                         \
  X(GRID_LOW, RANGE, "distance_grid.low: -1e4..1e4 m on each axis")                                                    \
  X(DISTANCE, RANGE, "distance_grid.distances: -1e4..1e4 m")                                                           \
  X(NO_DISTANCES, RANGE, "distance_grid.distances: neighbours differ by 1.01 spacings at most")

/* Numbers of faults. Those of ranges are their places in the lists, from 1. */
#define ONE_MORE(field, low, high, unit) +1
#define CONFIG_FAULT(name) CONFIG_FAULT_##name
#define COLLIDER_FAULT(name) COLLIDER_FAULT_##name
#define CONFIG_NUMBER(name, error, text) CONFIG_FAULT(name),
#define COLLIDER_NUMBER(name, error, text) COLLIDER_FAULT(name),
enum { FABRIC_RANGE_COUNT = 0 FABRIC_RANGES(ONE_MORE) };
enum { CONFIG_INTEGER_COUNT = 0 CONFIG_INTEGERS(ONE_MORE), CONFIG_FLOAT_COUNT = 0 CONFIG_FLOATS(ONE_MORE) };
/* The config's ranges, integers first; its other faults; beyond CONFIG_FABRIC the faults of its fabric. */
enum { CONFIG_RANGE_COUNT = CONFIG_INTEGER_COUNT + CONFIG_FLOAT_COUNT, CONFIG_FAULTS(CONFIG_NUMBER) CONFIG_FABRIC };
#define GEOMETRY_FAULT(name) GEOMETRY_FAULT_##name
#define GEOMETRY_NUMBER(name, error, text) GEOMETRY_FAULT(name),
enum { GEOMETRY_FAULT_NONE, GEOMETRY_FAULTS(GEOMETRY_NUMBER) GEOMETRY_FAULT_COUNT };
enum { COLLIDER_FAULT_NONE, COLLIDER_FAULTS(COLLIDER_NUMBER) COLLIDER_FAULT_COUNT };

#define FAULT_ERROR(name, error, text) CLOTH_ERROR_##error,
CLOTH_CONSTANT static const int8_t config_fault_errors[] = {CONFIG_FAULTS(FAULT_ERROR)};
#if WITH_COLLIDERS
CLOTH_CONSTANT static const int8_t collider_fault_errors[] = {COLLIDER_FAULTS(FAULT_ERROR)};
#endif
#if WITH_GEOMETRY
CLOTH_CONSTANT static const int8_t geometry_fault_errors[] = {GEOMETRY_FAULTS(FAULT_ERROR)};
#endif

/* Largest component of gravity [m/s^2] and wind [m/s]; texts above quote them. */
#define GRAVITY_LIMIT 1.0e4f
#define WIND_LIMIT 1.0e3f
/* Largest factor of a map; texts above quote it. */
#define MAX_MAP_FACTOR 100.0f

/* The error of a config's fault. */
static int config_error(int fault) {
  if (fault > CONFIG_RANGE_COUNT && fault < CONFIG_FABRIC) {
    return config_fault_errors[fault - CONFIG_RANGE_COUNT - 1];
  }
  return fault ? CLOTH_ERROR_RANGE : CLOTH_OK;
}

typedef struct float_range {
  uint32_t offset; /* of the number in its struct [bytes] */
  float low, high;
} float_range;

typedef struct integer_range {
  uint32_t offset; /* of the number in its struct [bytes] */
  int32_t low, high;
} integer_range;

#define FABRIC_RANGE(field, low, high, unit) {(uint32_t)offsetof(cloth_fabric, field), (low), (high)},
#define CONFIG_RANGE(field, low, high, unit) {(uint32_t)offsetof(cloth_config, field), (low), (high)},
CLOTH_CONSTANT static const float_range fabric_ranges[] = {FABRIC_RANGES(FABRIC_RANGE)};
CLOTH_CONSTANT static const integer_range config_integers[] = {CONFIG_INTEGERS(CONFIG_RANGE)};
CLOTH_CONSTANT static const float_range config_floats[] = {CONFIG_FLOATS(CONFIG_RANGE)};

/* Number of the first range, from 1, that a float of a struct is outside of; 0 if none is. */
static int find_float_outside(const void *values, const float_range *ranges, int count) {
  for (int n = 0; n < count; n++) {
    const float *value = (const float *)(const void *)((const char *)values + ranges[n].offset);
    if (!in_range(*value, ranges[n].low, ranges[n].high)) {
      return n + 1;
    }
  }
  return 0;
}

/* Number of the first range, from 1, that an integer of a struct is outside of; 0 if none is. */
static int find_integer_outside(const void *values, const integer_range *ranges, int count) {
  for (int n = 0; n < count; n++) {
    const int32_t *value = (const int32_t *)(const void *)((const char *)values + ranges[n].offset);
    if (*value < ranges[n].low || *value > ranges[n].high) {
      return n + 1;
    }
  }
  return 0;
}

/// Placement of the grid ///

/*
 * Where the particles of a grid start, and whether they may start there. A sheet starts in the plane of origin,
 * edge_warp and edge_weft; a tube as rows of regular polygons; both but for a random displacement along the normal. In:
 * a config. Out: start positions [m], or the fault of a config that places particles where they cannot be.
 */

/* Distance between neighbours along an edge [m]. Closer or farther, squared lengths of springs leave the range in which
   floats resolve strain. The minimum is a rounding below the 1e-4 m of cloth.h, so that an edge of 1e-4 m per cell,
   whose quotient may round down, is accepted. */
#define MIN_SPACING 0.99999e-4f
#define MAX_SPACING 100.0f

static int is_edge(cloth_vector edge, int32_t cells) {
  return vector_in_range(edge, CLOTH_POSITION_LIMIT) &&
         in_range(vector_length(edge) / (float)cells, MIN_SPACING, MAX_SPACING);
}

static int is_tube(const cloth_config *config) {
  return WITH_WRAP && config->grid.wrap;
}

/* Area spanned by two edges [m^2]. The first edge is scaled to unit length before the product, which then cannot
   overflow. */
static float parallelogram_area(cloth_vector a, cloth_vector b) {
  float length = vector_length(a);
  cloth_vector unit = vector_flush_work(vector_scale(a, 1.0f / length));
  return length * vector_length(vector_cross(unit, b));
}

#if WITH_WRAP

typedef struct turn {
  float cosine, sine;
} turn;

/* Cosine and sine of an angle [rad] of at most pi / 4, by their Taylor series, to one or two units in the last place.
 */
static turn small_angle(float angle) {
  float square = angle * angle;
  float cosine = 1.0f / 24.0f - square * (1.0f / 720.0f - square * (1.0f / 40320.0f));
  float sine = 1.0f / 120.0f - square * (1.0f / 5040.0f - square * (1.0f / 362880.0f));
  turn t;
  t.cosine = 1.0f - square * (0.5f - square * cosine);
  t.sine = angle * (1.0f - square * (1.0f / 6.0f - square * sine));
  return t;
}

/* Cosine and sine of the angle 2 pi step / steps. The angle is split into quarter turns, which are exact, and a rest of
   at most pi / 4. */
static turn polygon_angle(int32_t step, int32_t steps) {
  int32_t quarters = (4 * step + steps / 2) / steps;
  turn t = small_angle(1.5707964f * ((float)(4 * step - quarters * steps) / (float)steps));
  for (; quarters > 0; quarters--) {
    float cosine = t.cosine;
    t.cosine = negate(t.sine);
    t.sine = cosine;
  }
  return t;
}

#endif

/* Point of a column and a row in the plane of origin and edges [m]. */
static cloth_vector grid_point(const cloth_config *config, int32_t column, int32_t row) {
  float along_warp = (float)column / (float)(config->columns - 1);
  float along_weft = (float)row / (float)(config->rows - 1);
  cloth_vector p = vector_flush_work(config->origin);
  p = vector_add_scaled(p, vector_flush_work(config->edge_warp), along_warp);
  return vector_add_scaled(p, vector_flush_work(config->edge_weft), along_weft);
}

CLOTH_ONCE cloth_vector unit_edge(cloth_vector edge) {
  return vector_flush_work(vector_scale(vector_flush_work(edge), 1.0f / vector_length(edge)));
}

/* Start position of a particle without grid.positions [m]. Rows of a tube are regular polygons whose sides have the
   rest length of the columns. Particle (0, 0) is at the origin; the axis lies behind it, seen from where its normal
   points. */
static cloth_vector start_point(const cloth_config *config, int32_t column, int32_t row) {
  cloth_vector p = grid_point(config, is_tube(config) ? 0 : column, row);
#if WITH_WRAP
  if (is_tube(config)) {
    cloth_vector along = vector_flush_work(config->edge_warp);
    cloth_vector axis = unit_edge(config->edge_weft);
    cloth_vector outward = vector_flush_work(vector_cross(along, axis));
    turn t = polygon_angle(column, config->columns);
    float radius = 0.5f / ((float)config->columns *
                           small_angle(3.1415927f / (float)config->columns).sine); /* over the girth, |edge_warp| */
    p = vector_add_scaled(p, along, radius * t.sine);
    p = vector_add_scaled(p, outward, radius * (t.cosine - 1.0f));
  }
#endif
  return p;
}

/* Unit normal of the plane or tube where the particles of a column start. */
static cloth_vector start_normal(const cloth_config *config, int32_t column) {
  cloth_vector along = unit_edge(config->edge_warp);
  cloth_vector normal = unit_edge(vector_cross(along, vector_flush_work(config->edge_weft)));
#if WITH_WRAP
  if (is_tube(config)) {
    turn t = polygon_angle(column, config->columns);
    normal = vector_flush_work(vector_add_scaled(vector_scale(normal, t.cosine), along, t.sine));
  }
#endif
  (void)column;
  return normal;
}

/* Spacing of floats over their magnitude, or a little more: smaller displacements of a position may round away. */
#define POSITION_RESOLUTION 1.1920929e-7f /* 2^-23 */

/* A start position with its imperfection: displaced along the normal by a random share of `reach` [m], or of what
   floats resolve there if that is more, unless it would leave the range of positions. A sheet that is exactly plane
   stays plane whatever compresses it, as no force leads out of the plane. In the plane nothing is displaced: that would
   strain the springs. A reach of 0 leaves the exact position. */
static cloth_vector imperfect_start(const cloth_config *config, cloth_vector normal, float reach, int32_t column,
                                    int32_t row) {
  cloth_vector p = start_point(config, column, row);
  const uint32_t words[] = {config->grid.seed, (uint32_t)row, (uint32_t)column, 0};
  uint64_t mixed = HASH_FACTOR;
  for (int n = 0; n < 4; n++) {
    mixed = hash_mix(mixed, words[n]);
  }
  float noise = hash_to_noise(mixed);
  float resolved = maximum(reach, POSITION_RESOLUTION * vector_length(p));
  cloth_vector displaced = vector_add_scaled(p, normal, resolved * noise);
  return reach > 0.0f && vector_in_range(displaced, CLOTH_POSITION_LIMIT) ? displaced : p;
}

/* Smallest area of a cell over that of a rectangle with the same edges, the sine of the angle between them.
   Flatter cells collapse under shear. */
#define MIN_CELL_AREA 0.1f
/* Largest cosine of the angle between the edges of a tube. Rows of a tube that leans more do not close. */
#define MAX_TUBE_LEAN 1.0e-3f

static int edges_lean(const cloth_config *config) {
  float rectangle = vector_length(config->edge_warp) * vector_length(config->edge_weft);
  if (is_tube(config)) {
    float lean = vector_dot(vector_flush_work(config->edge_warp), vector_flush_work(config->edge_weft));
    return !in_range(lean, -MAX_TUBE_LEAN * rectangle, MAX_TUBE_LEAN * rectangle);
  }
  return parallelogram_area(config->edge_warp, config->edge_weft) < MIN_CELL_AREA * rectangle;
}

/* The first fault of a config's edges and positions, 0 for none. Without positions all particles lie between those at
   the ends of the columns. */
static int find_placement_fault(const cloth_config *config) {
  if (!is_edge(config->edge_warp, config->columns - !is_tube(config))) {
    return CONFIG_FAULT(EDGE_WARP);
  }
  if (!is_edge(config->edge_weft, config->rows - 1)) {
    return CONFIG_FAULT(EDGE_WEFT);
  }
  if (edges_lean(config)) {
    return is_tube(config) ? CONFIG_FAULT(TUBE_EDGES) : CONFIG_FAULT(EDGES);
  }
  for (int32_t i = 0; config->grid.positions && i < config->columns * config->rows; i++) {
    if (!vector_in_range(config->grid.positions[i], CLOTH_POSITION_LIMIT)) {
      return CONFIG_FAULT(POSITIONS);
    }
  }
  for (int32_t end = 0; !config->grid.positions && end < 2 * config->columns; end++) { /* the two ends of each column */
    cloth_vector p = start_point(config, end >> 1, (end & 1) * (config->rows - 1));
    if (!vector_in_range(p, CLOTH_POSITION_LIMIT)) {
      return CONFIG_FAULT(START);
    }
  }
  return 0;
}

/// Fabrics ///

/*
 * Default, check and presets of a fabric. In: a cloth_fabric. Out: the fabric in the inputs of a cloth, with values
 * below WORK_QUANTUM flushed to 0; scratch is not used.
 */

static cloth_fabric fabric_default(void) {
  cloth_fabric f;
  f.density = 0.2f;
  f.stretch_warp = 1000.0f;
  f.stretch_weft = 1000.0f;
  f.shear = 700.0f;
  f.bend = 1.0e-5f;
  f.compression = 1.0f;
  f.shear_compression = 1.0f;
  f.stretch_damping = 0.05f;
  f.shear_damping = 0.05f;
  f.bend_damping = 0.001f;
  return f;
}

/* Number of the first field of a fabric outside its range, 0 for none. */
static int find_fabric_fault(const cloth_fabric *fabric) {
  return find_float_outside(fabric, fabric_ranges, FABRIC_RANGE_COUNT);
}

static int check_fabric(const cloth_fabric *fabric) {
  return find_fabric_fault(fabric) ? CLOTH_ERROR_RANGE : CLOTH_OK;
}

static void set_fabric(const cloth *c, const cloth_fabric *fabric) {
  cloth_fabric clean = *fabric;
  flush_floats(&clean.density, (int32_t)(sizeof clean / sizeof(float)));
  set_input(c, &inputs_of(c)->fabric, &clean, sizeof clean);
}

#if WITH_FABRICS

/*
 * Presets, in the order of cloth_fabric_kind. docs/fabrics.md names the source of every value, its range, and which
 * values are estimates. `shear` is the shear modulus per width: with shear_compression 1 both diagonals of a cell
 * resist, and the modulus of the springs is their stiffness. They add as much to the tensile stiffness, which is why
 * stretch is the measured tensile stiffness less the shear modulus. `bend` is that of an elastic sheet, which is the
 * KES rigidity and the moment of inner friction at the curvature of a fold. The bending lengths, (bend / weight)^(1/3),
 * order drape: silk 13 mm, wool 17 mm, cotton 24 mm, denim 28 mm (tests/fabrics.c).
 */
#define PRESET(density, warp, weft, shear, bend)                                                                       \
  { density, warp - shear, weft - shear, shear, bend, 1.0f, 1.0f, 0.01f, 0.01f, 0.001f }
CLOTH_CONSTANT static const cloth_fabric fabric_presets[CLOTH_FABRIC_COUNT] = {
    /* density [kg/m^2], tensile stiffness along warp and weft, shear modulus [N/m], bending rigidity [N m] */
    PRESET(0.0600f, 3000.0f, 1800.0f, 20.0f, 1.3e-6f),         /* silk */
    PRESET(0.1503f, 10400.0f, 4000.0f, 66.0f, 2.0e-5f),        /* cotton */
    PRESET(0.2348f, 12400.0f, 4600.0f, 24.0f, 1.2e-5f),        /* wool */
    PRESET(0.3800f, 6000.0f, 3200.0f, 120.0f, 8.0e-5f),        /* denim */
    PRESET(0.1646f, 1300.0f, 2900.0f, 31.0f, 3.2e-6f),         /* polyester */
    PRESET(0.0830f, 1790.0f, 770.0f, 30.0f, 2.3e-6f),          /* satin */
    PRESET(0.1800f, 12000.0f, 9000.0f, 60.0f, 3.5e-5f),        /* linen */
    PRESET(0.1800f, 250.0f, 120.0f, 28.0f, 5.0e-6f),           /* jersey */
    PRESET(0.2500f, 3000.0f, 3000.0f, 300.0f, 9.0e-5f),        /* felt */
    PRESET(0.5000f, 8000.0f, 8000.0f, 3000.0f, 1.8e-5f),       /* leather */
    PRESET(0.2940f, 10500.0f, 2840.0f, 200.0f, 1.5e-4f),       /* canvas */
    PRESET(0.2380f, 300.0f, 300.0f, 100.0f, 2.1e-6f),          /* rubber */
    PRESET(0.0800f, 550000.0f, 270000.0f, 160000.0f, 3.6e-4f), /* paper */
};
#undef PRESET

int cloth_fabric_preset(cloth_fabric_kind kind, cloth_fabric *fabric) {
  if (!fabric) {
    return CLOTH_ERROR_NULL;
  }
  if ((unsigned)kind >= CLOTH_FABRIC_COUNT) {
    return CLOTH_ERROR_RANGE;
  }
  *fabric = fabric_presets[kind];
  return CLOTH_OK;
}

#endif

/// Configuration ///

/*
 * The default config, the check of a config, and what a config needs. In: a cloth_config. Out: the number of its first
 * fault, see settings.h; scratch is not used.
 */

cloth_config cloth_config_default(void) {
  cloth_config config;
  fill_zero(&config, sizeof config);
  config.cookie = CLOTH_COOKIE;
  config.columns = 32;
  config.rows = 32;
  config.edge_warp = vector(1.0f, 0.0f, 0.0f);
  config.edge_weft = vector(0.0f, 0.0f, 1.0f);
  config.fabric = fabric_default();
  config.gravity = vector(0.0f, -9.81f, 0.0f);
  /* A cloth that can only be explicit needs as many substeps as its stiffness demands. */
  config.substeps = WITH_SOLVER || WITH_PROJECTION ? 28 : CLOTH_AUTOMATIC;
  config.thickness = 0.01f;
  config.max_colliders = WITH_COLLIDERS ? 16 : 0;
  config.grid.imperfection = 1.0e-4f;
  config.air.density = 1.2f;
  config.air.normal_drag = WITH_AIR ? 1.2f : 0.0f;
  config.integration.method =
      WITH_SOLVER || WITH_PROJECTION ? CLOTH_INTEGRATION_ADAPTIVE : CLOTH_INTEGRATION_EXPLICIT_ONLY;
  config.integration.explicit_threshold = 0.0f;
  config.integration.projection_threshold = WITH_PROJECTION ? 0.0f : CLOTH_KAPPA_NEVER;
  config.integration.bdf2_blend = WITH_PROJECTION ? 0.5f : 0.0f;
  config.integration.max_substeps = WITH_SOLVER || WITH_PROJECTION ? 28 : 256;
  config.integration.max_speed = 300.0f;
  config.integration.velocity_damping = 0.1f;
  config.grid.min_bending_length = 1.0f;
  config.tethers.count = WITH_PROJECTION ? TETHERS : 0;
  config.tethers.scale = 1.0015f;
  config.solver.preconditioner = CLOTH_PRECONDITIONER_BLOCK;
  config.solver.max_iterations = 4;
  config.solver.tolerance = 1.0e-3f;
  config.strain_limit.max_extension = 0.006f;
  config.strain_limit.max_compression = 1.0f;
  config.contact.mode = CLOTH_CONTACT_PROJECTION;
  config.sleep.time = 0.5f;
  config.capacity.max_confined = WITH_CONFINED ? 8 : 0;
  return config;
}

#if WITH_SOLVER

/* Kappa up to which a spring is explicit. The thesis has the bound 0.5 (section 4.4.1) and takes 0.2 in practice. */
#define IMEX_THRESHOLD 0.2f
/* Cap on iterations at which no preset gained energy: 1 m, 16 to 128 columns, IMEX_SUBSTEPS of 1/60 s, swinging without
   damping. With 24 none gains either; with 16 paper does, whose kappa reaches 8.7e4. Softer fabrics take 8 to 12. */
#define IMEX_ITERATIONS 32
#define IMEX_SUBSTEPS 16

int cloth_config_use_imex(cloth_config *config) {
  if (!config) {
    return CLOTH_ERROR_NULL;
  }
  if (config->cookie != CLOTH_COOKIE) {
    return CLOTH_ERROR_CONFIG;
  }
  config->integration.method = CLOTH_INTEGRATION_ADAPTIVE;
  config->integration.explicit_threshold = IMEX_THRESHOLD;
  config->integration.projection_threshold = CLOTH_KAPPA_NEVER;
  config->integration.bdf2_blend = 0.0f; /* a solve starts from the velocity as it is */
  config->substeps = IMEX_SUBSTEPS;
  config->tethers.count = 0;
  config->strain_limit.sweeps = 0; /* limits after a solve that is cut short add energy */
  config->solver.preconditioner = WITH_MULTILEVEL ? CLOTH_PRECONDITIONER_AUTOMATIC : CLOTH_PRECONDITIONER_BLOCK;
  config->solver.max_iterations = IMEX_ITERATIONS;
  config->solver.tolerance = 1.0e-3f;
  config->solver.warm_start = 0;
  return CLOTH_OK;
}

#endif

/* Are all factors of a map in range? Without a map there is nothing to check. */
static int is_map(const float *map, int32_t count, float low, float high) {
  for (int32_t i = 0; map && i < count; i++) {
    if (!in_range(map[i], low, high)) {
      return 0;
    }
  }
  return 1;
}

/* With fewer columns around a tube two bend springs would join the same two particles. */
#define MIN_TUBE_COLUMNS 5

/* Settings that are in range each and exclude each other. */
static int find_conflict(const cloth_config *config) {
  if (is_tube(config) && config->columns < MIN_TUBE_COLUMNS) {
    return CONFIG_FAULT(TUBE_COLUMNS);
  }
  if (config->capacity.fixed_work && config->sleep.speed > 0.0f) {
    return CONFIG_FAULT(WORK_SLEEP);
  }
  if (config->capacity.fixed_work && config->contact.mode == CLOTH_CONTACT_SOLVER) {
    return CONFIG_FAULT(WORK_CONTACT);
  }
  if (config->capacity.fixed_work &&
      (config->capacity.geometry || config->capacity.meshes > 0 || config->capacity.max_shared_bodies > 0)) {
    return CONFIG_FAULT(WORK_GEOMETRY);
  }
  return 0;
}

/* May springs or contacts of a cloth with this config be implicit at some kappa? Then the arena has memory for a
   solver. */
static int needs_solver(const cloth_config *config) {
  float above = flush_small(config->integration.projection_threshold, WORK_QUANTUM);
  return config->integration.method != CLOTH_INTEGRATION_EXPLICIT_ONLY &&
         (config->integration.method != CLOTH_INTEGRATION_ADAPTIVE ||
          above > flush_small(config->integration.explicit_threshold, WORK_QUANTUM) ||
          config->contact.mode == CLOTH_CONTACT_SOLVER);
}

/* Does the prediction use earlier velocities? Then the state has memory for them. */
static int needs_history(const cloth_config *config) {
  return flush_small(config->integration.bdf2_blend, WORK_QUANTUM) > 0.0f;
}

/* Does a config ask for projected springs, tethers or BDF2? */
static int needs_projection(const cloth_config *config) {
  return config->integration.projection_threshold < CLOTH_KAPPA_NEVER || needs_history(config) ||
         config->tethers.count > 0;
}

/* The first fault of a config that asks for geometry or shared bodies which this build leaves out, or 0. */
static int find_left_out_geometry(const cloth_config *config) {
  if (!(WITH_HULL || WITH_HEIGHT_FIELD || WITH_DISTANCE_GRID) && config->capacity.geometry) {
    return CONFIG_FAULT(NO_GEOMETRY);
  }
  if (!WITH_MESH && config->capacity.meshes > 0) {
    return CONFIG_FAULT(NO_MESH);
  }
  return !WITH_SHARED_BODIES && config->capacity.max_shared_bodies > 0 ? CONFIG_FAULT(NO_SHARED_BODIES) : 0;
}

/* Settings that need what this build leaves out. */
static int find_left_out(const cloth_config *config) {
  if (!WITH_SOLVER && needs_solver(config)) {
    return CONFIG_FAULT(NO_SOLVER);
  }
  if (!WITH_MULTILEVEL && config->solver.preconditioner >= CLOTH_PRECONDITIONER_MULTILEVEL) {
    return CONFIG_FAULT(NO_MULTILEVEL);
  }
  if (!WITH_PROJECTION && needs_projection(config)) {
    return CONFIG_FAULT(NO_PROJECTION);
  }
  if (!WITH_CONTACT_SOLVER && config->contact.mode == CLOTH_CONTACT_SOLVER) {
    return CONFIG_FAULT(NO_CONTACTS);
  }
  if (!WITH_COLLIDERS && config->max_colliders > 0) {
    return CONFIG_FAULT(NO_COLLIDERS);
  }
  if (find_left_out_geometry(config)) {
    return find_left_out_geometry(config);
  }
  if (!WITH_BODIES &&
      config->capacity.max_bodies + config->capacity.max_attachments + config->capacity.pin_reactions > 0) {
    return CONFIG_FAULT(NO_BODIES);
  }
  if (!WITH_CONFINED && config->capacity.max_confined > 0) {
    return CONFIG_FAULT(NO_CONFINED);
  }
  if (!WITH_LIMITS && config->strain_limit.sweeps > 0) {
    return CONFIG_FAULT(NO_LIMITS);
  }
  if (!WITH_SLEEP && config->sleep.speed > 0.0f) {
    return CONFIG_FAULT(NO_SLEEP);
  }
  if (!WITH_TARGETS && config->capacity.targets) {
    return CONFIG_FAULT(NO_TARGETS);
  }
  if (!WITH_ORIGIN && (config->world.origin.x || config->world.origin.y || config->world.origin.z ||
                       config->world.recentre_distance > 0.0f)) {
    return CONFIG_FAULT(NO_ORIGIN);
  }
  if (!WITH_WRAP && config->grid.wrap) {
    return CONFIG_FAULT(NO_WRAP);
  }
  if (!WITH_CONTACT_RECORD && config->capacity.max_contacts != 0) {
    return CONFIG_FAULT(NO_QUERIES);
  }
  if (!WITH_AIR && (config->air.drag > 0.0f || config->air.lift > 0.0f || config->air.normal_drag > 0.0f)) {
    return CONFIG_FAULT(NO_AIR);
  }
  return 0;
}

/* Numbers outside their ranges. */
static int find_outside(const cloth_config *config) {
  int outside = find_integer_outside(config, config_integers, CONFIG_INTEGER_COUNT);
  if (outside) {
    return outside;
  }
  outside = find_float_outside(config, config_floats, CONFIG_FLOAT_COUNT);
  return outside ? CONFIG_INTEGER_COUNT + outside : 0;
}

static int find_vector_fault(const cloth_config *config) {
  if (!vector_in_range(config->gravity, GRAVITY_LIMIT)) {
    return CONFIG_FAULT(GRAVITY);
  }
  return vector_in_range(config->wind, WIND_LIMIT) ? 0 : CONFIG_FAULT(WIND);
}

static int find_map_fault(const cloth_config *config) {
  const int32_t count = config->columns * config->rows;
  if (!is_map(config->grid.mass_map, count, 0.01f, MAX_MAP_FACTOR)) {
    return CONFIG_FAULT(MASS_MAP);
  }
  return is_map(config->grid.stiffness_map, count, 0.0f, MAX_MAP_FACTOR) ? 0 : CONFIG_FAULT(STIFFNESS_MAP);
}

/* The first fault of a config, 0 for none. Later checks rely on what earlier ones have found in range. */
static int find_config_fault(const cloth_config *config) {
  if (!config) {
    return CONFIG_FAULT(POINTER);
  }
  if (config->cookie != CLOTH_COOKIE) {
    return CONFIG_FAULT(COOKIE);
  }
  int fault = find_outside(config);
  fault = fault ? fault : find_conflict(config);
  fault = fault ? fault : find_left_out(config);
  int fabric_fault = fault ? 0 : find_fabric_fault(&config->fabric);
  fault = fabric_fault ? CONFIG_FABRIC + fabric_fault : fault;
  fault = fault ? fault : find_placement_fault(config);
  fault = fault ? fault : find_vector_fault(config);
  return fault ? fault : find_map_fault(config);
}

static int check_config(const cloth_config *config) {
  return config_error(find_config_fault(config));
}

/// Memory layout ///

/*
 * Where everything lies in an arena: constants, state, scratch, in this order. In: a config. Out: the offsets of a
 * cloth, and the sizes that cloth_memory_needed() reports; nothing of the arena is read or written, except by
 * cloth_set_scratch(), which moves the offsets of shared scratch.
 */

static uint32_t align_up(uint32_t offset) {
  return (offset + (CLOTH_ALIGNMENT - 1u)) & ~(CLOTH_ALIGNMENT - 1u);
}

/* Reserves `bytes` bytes at *end, rounded up to words of 4 bytes, and moves *end behind them. Returns their offset. */
static uint32_t reserve(uint32_t *end, uint32_t bytes) {
  uint32_t start = *end;
  *end = start + ((bytes + 3u) & ~3u);
  return start;
}

static uint32_t reserve_floats(uint32_t *end, int32_t floats) {
  return reserve(end, (uint32_t)floats * (uint32_t)sizeof(float));
}

/* Reserves a vector array at an aligned offset. On grids of a multiple of eight particles no load of lanes then crosses
   a cache line, which halved the speed of kernels. */
static uint32_t reserve_vectors(uint32_t *end, int32_t floats) {
  *end = align_up(*end);
  return reserve_floats(end, floats);
}

static void layout_constants(cloth *c, const cloth_config *config, uint32_t *end) {
  *end = sizeof(cloth);
  if (config->grid.mass_map) {
    c->constant.mass_ratio = reserve_floats(end, c->count + LANE_PAD);
  }
  if (config->grid.stiffness_map) {
    c->constant.stiffness_map = reserve_floats(end, c->count + LANE_PAD);
  }
}

/* Does a config need the impulses on pins? */
static int needs_pin_reactions(const cloth_config *config) {
  return config->capacity.pin_reactions || config->capacity.max_attachments > 0;
}

/* Colliders and shared bodies that there may be in a step. */
static int32_t reacting(const cloth_config *config) {
  return config->max_colliders + config->capacity.max_shared_bodies;
}

/* Floats of the reactions of colliders, shared bodies and pins. */
static int32_t report_floats(const cloth *c, const cloth_config *config) {
  const int32_t colliders = reacting(config) * (int32_t)(sizeof(cloth_reaction) / sizeof(float));
  return colliders + (needs_pin_reactions(config) ? 3 * c->count : 0);
}

/* Inputs are the last part before the vector arrays, which are all that follows: kernels may load floats next to the
   first and the last vector array and discard them, so these must be floats as well. */
static void layout_state(cloth *c, const cloth_config *config, uint32_t *end) {
  *end = align_up(*end);
  c->state.freedom = reserve(end, (uint32_t)c->count);
  c->state.colliders = reserve(end, (uint32_t)config->max_colliders * (uint32_t)sizeof(collider_slot));
  c->state.confined = reserve(end, (uint32_t)config->capacity.max_confined * (uint32_t)sizeof(confinement));
  c->state.bodies = reserve(end, (uint32_t)config->capacity.max_bodies * (uint32_t)sizeof(rigid_body));
  c->state.attachments = reserve(end, (uint32_t)config->capacity.max_attachments * (uint32_t)sizeof(attachment));
  if (config->sleep.speed > 0.0f) {
    c->state.resting = reserve_floats(end, report_floats(c, config));
  }
  if (config->contact.mode == CLOTH_CONTACT_SOLVER && needs_solver(config)) {
    c->state.contacts = reserve_floats(end, c->count);
  }
  if (config->tethers.count) {
    c->state.tethers = reserve_floats(end, config->tethers.count * c->count);
  }
  c->state.inputs = reserve(end, sizeof(cloth_inputs));
  c->state.position = reserve_vectors(end, 3 * c->stride);
  c->state.velocity = reserve_vectors(end, 3 * c->stride);
  if (needs_history(config)) {
    c->state.velocity_history = reserve_vectors(end, 2 * 3 * c->stride);
  }
  if (config->solver.warm_start && needs_solver(config)) {
    c->state.warm_start = reserve_vectors(end, 3 * c->stride);
  }
  if (config->capacity.targets) {
    c->state.targets = reserve_vectors(end, TARGET_VECTORS * 3 * c->stride);
  }
  c->state.end = *end;
}

/*
 * Floats from one component of a vector array to the next. With a stride near a multiple of 2 KB, element i of all
 * components maps to the same few sets of an L1 cache and they evict each other: steps of 64 x 64 particles were eight
 * times slower. Arrays of at least CACHE_WAY floats are padded so that their stride stays CACHE_OFFSET floats, three
 * cache lines, away from multiples of it. The padding is part of the state: another value changes the size of images.
 */
#define CACHE_WAY 512   /* floats in one way of the cache, 2 KB */
#define CACHE_OFFSET 48 /* floats */

static int32_t vector_stride(int32_t count) {
  int32_t over = (count + CACHE_OFFSET) % CACHE_WAY;
  return count < CACHE_WAY || over >= 2 * CACHE_OFFSET ? count : count + 2 * CACHE_OFFSET - over;
}

/* Blocks of a row whose tethers share a mark. */
static int32_t tether_blocks(const cloth *c) {
  return (c->grid.columns + TETHER_BLOCK - 1) / TETHER_BLOCK;
}

/* Blocks of lanes that each element of a bundle of lines has in scratch.line_work: of an open line, and of a ring. */
#define LINE_SLOT 5
#define RING_SLOT 7
/* Planes of transposed rows, see lines.h. */
#define ROW_PLANES 7
/* Floats of the factors of an element in own.line_factors, see bend_solve.h. */
#define BEND_FACTOR_FLOATS 5

/* Elements of the longest lines: those of the longer side. */
static int32_t longest_line(const cloth *c) {
  return c->grid.columns > c->grid.rows ? c->grid.columns : c->grid.rows;
}

/* A number of lines, rounded up to whole blocks of LINE_BLOCK. */
static int32_t in_line_blocks(int32_t lines) {
  return (lines + LINE_BLOCK - 1) / LINE_BLOCK * LINE_BLOCK;
}

/* Coarser grids of the multilevel preconditioner have a quarter of the columns and rows of the grid before each. */
#define COARSENING 4
/* Coarsening ends when no side has more nodes. */
#define COARSEST_SIDE 5
/* Largest number of coarser grids: CLOTH_GRID_LIMIT, 1024, leads to sides of 257, 65, 17 and 5 nodes. */
#define COARSE_LEVELS 4
/* Zeros before and after a line while it is restricted: a node lies up to two columns beyond the line, and its weights
   reach three columns further. */
#define LINE_PAD 8
/* Floats of a node: residual (3) and correction (3), which hold the sum of the node's springs while the preconditioner
   is built, and the symmetric inverse block (6). */
#define NODE_FLOATS 12

/* Nodes along a side of so many columns. Node n is at column COARSENING * n. The last node lies beyond the grid if two
   or three columns are left over; a single column left over belongs to the last node. */
static int32_t nodes_for(int32_t columns) {
  return (columns + COARSENING / 2 - 1) / COARSENING + 1;
}

/* Floats of the nodes of all coarser grids. */
static int32_t coarse_floats(const cloth *c) {
  int32_t columns = c->grid.columns, rows = c->grid.rows, floats = 0;
  do {
    columns = nodes_for(columns);
    rows = nodes_for(rows);
    floats += NODE_FLOATS * columns * rows;
  } while (columns > COARSEST_SIDE || rows > COARSEST_SIDE);
  return floats;
}

/* Floats of two lines of vectors that restriction and prolongation work on, with zeros around them. */
static int32_t coarse_line_floats(const cloth *c) {
  return 2 * 3 * (c->grid.columns + LINE_PAD) + LINE_PAD;
}

/* Lines of springs across the seam of a tube, with one spring per row: warp, diagonal and antidiagonal. */
#define SEAM_SPRINGS 3

/* Floats of one value of a line across the seam, in whole blocks. */
static int32_t seam_rows(const cloth *c) {
  return in_line_blocks(c->grid.rows);
}

/* Room for the number of entries, the head of each particle, and the entries. */
static void layout_contact_record(cloth *c, int32_t max_contacts, uint32_t *end) {
  if (WITH_CONTACT_RECORD && max_contacts > 0) {
    c->max_contacts = max_contacts;
    c->own.contact_record = reserve_floats(end, 1 + c->count);
    reserve(end, (uint32_t)max_contacts * (uint32_t)sizeof(contact_entry));
  }
}

/* Reactions of colliders and of shared bodies, right behind them those of pins, and what attachments have passed on of
   these. */
static void layout_reactions(cloth *c, const cloth_config *config, uint32_t *end) {
  c->own.reactions = reserve(end, (uint32_t)reacting(config) * (uint32_t)sizeof(cloth_reaction));
  if (needs_pin_reactions(config)) {
    c->own.pin_reactions = reserve_floats(end, 3 * c->count);
  }
  if (config->capacity.max_attachments > 0) {
    c->own.attached = reserve_floats(end, 3 * config->capacity.max_attachments);
  }
}

/* 1 if lines over contacts may be solved again, see contact_lines.h. */
static int has_contact_lines(const cloth *c, const cloth_config *config) {
  return WITH_CONTACT_LINES && reacting(config) > 0 && c->state.velocity_history != 0 &&
         config->contact.mode == CLOTH_CONTACT_PROJECTION;
}

/* Bytes of the marks of lines: uniform.h, contact_lines.h. */
static int32_t line_marks(const cloth *c, const cloth_config *config) {
  const int32_t rows = c->grid.rows, columns = c->grid.columns;
  return rows + in_line_blocks(columns) / LINE_BLOCK + (has_contact_lines(c, config) ? rows + columns : 0);
}

/* The scratch that is never shared. */
static void layout_own(cloth *c, const cloth_config *config, uint32_t *end) {
  int32_t substeps =
      config->substeps > config->integration.max_substeps ? config->substeps : config->integration.max_substeps;
  reserve_floats(end, LANE_PAD);
  c->own.workspace = reserve(end, sizeof(workspace));
  c->own.line_factors = reserve_floats(end, BEND_FACTOR_FLOATS * (c->grid.rows + c->grid.columns) + 2 * c->grid.rows);
  c->own.iterations = reserve(end, (uint32_t)substeps * (uint32_t)sizeof(uint16_t));
  const uint32_t bodies = (uint32_t)config->capacity.max_shared_bodies, meshes = (uint32_t)config->capacity.meshes;
  c->own.shared_bodies = reserve(end, bodies * (uint32_t)sizeof(collider_slot));
  c->own.shared_places = reserve(end, bodies * (uint32_t)sizeof(int32_t));
  c->own.mesh_caches = reserve(end, meshes * (uint32_t)c->count * (uint32_t)sizeof(mesh_cache));
  layout_reactions(c, config, end);
  layout_contact_record(c, config->capacity.max_contacts, end);
}

static void layout_scratch(cloth *c, const cloth_config *config, uint32_t *end) {
  layout_own(c, config, end);
  *end = config->capacity.shared_scratch ? align_up(*end) : *end;
  uint32_t shared_start = *end;
  c->scratch.uniform_lines = reserve(end, (uint32_t)line_marks(c, config));
  c->scratch.tether_marks = reserve(end, (uint32_t)(config->tethers.count * c->grid.rows * tether_blocks(c)));
  *end = align_up(*end);
  int32_t buffers = 3 * c->grid.columns;
  int32_t obstacles =
      config->tethers.count > 0 ? (config->max_colliders + config->capacity.max_shared_bodies) * OBSTACLE_FLOATS : 0;
  c->scratch.row_buffers = reserve_floats(end, buffers > obstacles ? buffers : obstacles); /* only floats follow */
  c->scratch.mobility = reserve_vectors(end, c->stride);
  if (c->state.velocity_history) {
    c->scratch.force_share = reserve_vectors(end, c->stride);
  }
  int32_t transposed = ROW_PLANES * LINE_BLOCK * in_line_blocks(c->grid.columns);
  c->scratch.residual = reserve_vectors(end, transposed > 3 * c->stride ? transposed : 3 * c->stride);
  c->scratch.product = reserve_vectors(end, 3 * c->stride);
  c->scratch.contact_pull = has_contact_lines(c, config) ? reserve_vectors(end, 3 * c->stride) : 0u;
  c->scratch.line_work = reserve_vectors(end, (is_wrapped(c) ? RING_SLOT : LINE_SLOT) * LINE_BLOCK * longest_line(c));
  if (needs_solver(config)) {
    c->scratch.operator_blocks = reserve_vectors(end, CELL_FLOATS * c->count);
    if (is_wrapped(c)) {
      c->scratch.seam = reserve_vectors(end, SEAM_SPRINGS * OPERATOR_FLOATS * seam_rows(c));
    }
    if (c->state.contacts) {
      c->scratch.contact_normal = reserve_vectors(end, 3 * c->stride);
    }
    c->scratch.inverse = reserve_vectors(end, 6 * c->stride);
    c->scratch.direction = reserve_vectors(end, 3 * c->stride);
    c->scratch.solution = reserve_vectors(end, 3 * c->stride);
    if (WITH_MULTILEVEL && config->solver.preconditioner >= CLOTH_PRECONDITIONER_MULTILEVEL) {
      c->scratch.share = reserve_vectors(end, c->count);
      c->scratch.coarse_lines = reserve_floats(end, coarse_line_floats(c));
      c->scratch.nodes = reserve_floats(end, coarse_floats(c));
    }
  }
  reserve_floats(end, LANE_PAD + 2); /* read past the last array, see clear_pads() */
  *end = align_up(*end);
  c->total_bytes = config->capacity.shared_scratch ? shared_start : *end;
  c->shared_bytes = *end - c->total_bytes;
  c->has_scratch = !config->capacity.shared_scratch;
}

/* Sets the sizes and offsets of a cloth, which follow from the config alone. */
static void compute_layout(cloth *c, const cloth_config *config) {
  uint32_t end;
  fill_zero(c, sizeof *c);
  c->grid.columns = config->columns;
  c->grid.rows = config->rows;
  c->grid.wrap = config->grid.wrap;
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
  uintptr_t offset = (uintptr_t)scratch - (uintptr_t)c;                        /* modulo the size of an address */
  int is_outside = offset >= c->total_bytes && 0u - offset >= c->shared_bytes; /* after the arena, or before it */
  if (c->shared_bytes == 0) {
    return CLOTH_ERROR_STATE;
  }
  if ((uintptr_t)scratch % CLOTH_ALIGNMENT != 0 || bytes < c->shared_bytes || !is_outside) {
    return CLOTH_ERROR_ARENA;
  }
  uintptr_t moved = offset - c->scratch.uniform_lines; /* the first part */
  uintptr_t *offsets = (uintptr_t *)at(c, offsetof(cloth, scratch));
  for (size_t part = 0; part < SCRATCH_PARTS; part++) {
    offsets[part] += offsets[part] ? moved : 0u;
  }
  c->has_scratch = 1;
  return CLOTH_OK;
}

int cloth_get_memory(const cloth *c, cloth_memory *memory) {
  int error = check_call(c, memory);
  if (error) {
    return error;
  }
  describe_memory(c, memory);
  return CLOTH_OK;
}

/// Initialisation ///

/*
 * Makes a cloth in its arena. In: a config without faults. Out: offsets, grid, settings and their hash, constants
 * (maps), and the state at rest at the start positions. Scratch is set to 0 with the rest of the arena.
 */

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
  if (is_wrapped(c)) { /* without the lean that edges may have, so that all cells are equal */
    grid->diagonal = vector_length(vector(grid->spacing_warp, grid->spacing_weft, 0.0f));
    grid->antidiagonal = grid->diagonal;
  }
  grid->area = parallelogram_area(config->edge_warp, config->edge_weft);
}

/* Flushes the numbers of the settings below WORK_QUANTUM to 0, and those of sleep like the velocities and times of the
   state that they are compared with. */
static void flush_settings(cloth_settings *s) {
  s->air.density = flush_small(s->air.density, WORK_QUANTUM);
  s->air.drag = flush_small(s->air.drag, WORK_QUANTUM);
  s->air.lift = flush_small(s->air.lift, WORK_QUANTUM);
  s->air.normal_drag = flush_small(s->air.normal_drag, WORK_QUANTUM);
  s->integration.explicit_threshold = flush_small(s->integration.explicit_threshold, WORK_QUANTUM);
  s->integration.projection_threshold = flush_small(s->integration.projection_threshold, WORK_QUANTUM);
  s->integration.bdf2_blend = flush_small(s->integration.bdf2_blend, WORK_QUANTUM);
  s->integration.max_speed = flush_small(s->integration.max_speed, WORK_QUANTUM);
  s->integration.velocity_damping = flush_small(s->integration.velocity_damping, WORK_QUANTUM);
  s->integration.min_bending_length = flush_small(s->integration.min_bending_length, WORK_QUANTUM);
  s->tethers.scale = flush_small(s->tethers.scale, WORK_QUANTUM);
  s->solver.tolerance = flush_small(s->solver.tolerance, WORK_QUANTUM);
  s->strain_limit.max_extension = flush_small(s->strain_limit.max_extension, WORK_QUANTUM);
  s->strain_limit.max_compression = flush_small(s->strain_limit.max_compression, WORK_QUANTUM);
  s->contact.thickness = flush_small(s->contact.thickness, WORK_QUANTUM);
  s->sleep.speed = flush_small(s->sleep.speed, STATE_QUANTUM);
  s->sleep.time = flush_small(s->sleep.time, STATE_QUANTUM);
  s->world.recentre_distance = flush_small(s->world.recentre_distance, STATE_QUANTUM);
}

static void copy_settings(cloth *c, const cloth_config *config) {
  cloth_settings *s = &c->settings;
  s->air = config->air;
  s->integration.method = config->integration.method;
  s->integration.min_bending_length = config->grid.min_bending_length;
  s->integration.explicit_threshold = config->integration.explicit_threshold;
  s->integration.projection_threshold = config->integration.projection_threshold;
  s->integration.bdf2_blend = config->integration.bdf2_blend;
  s->integration.substeps = config->substeps;
  s->integration.max_substeps = config->integration.max_substeps;
  s->integration.max_speed = config->integration.max_speed;
  s->integration.velocity_damping = config->integration.velocity_damping;
  s->tethers = config->tethers;
  s->solver = config->solver;
  s->strain_limit = config->strain_limit;
  s->contact.mode = config->contact.mode;
  s->contact.thickness = config->thickness;
  s->sleep = config->sleep;
  s->world.recentre_distance = config->world.recentre_distance;
  s->capacity.max_colliders = config->max_colliders;
  s->capacity.geometry = config->capacity.geometry;
  s->capacity.meshes = config->capacity.meshes;
  s->capacity.max_shared_bodies = config->capacity.max_shared_bodies;
  s->capacity.max_confined = config->capacity.max_confined;
  s->capacity.max_bodies = config->capacity.max_bodies;
  s->capacity.max_attachments = config->capacity.max_attachments;
  s->capacity.pin_reactions = config->capacity.pin_reactions;
  s->capacity.fixed_work = config->capacity.fixed_work;
  flush_settings(s);
}

/* Extremes of a map, which bound the kappa of springs; 1 without a map. */
static void measure_map(const float *map, int32_t count, float *min, float *max) {
  *min = map ? MAX_MAP_FACTOR : 1.0f;
  *max = map ? 0.0f : 1.0f;
  for (int32_t i = 0; map && i < count; i++) {
    float value = flush_small(map[i], WORK_QUANTUM);
    *min = minimum(*min, value);
    *max = maximum(*max, value);
  }
}

static void copy_map(const cloth *c, const float *map, uint32_t offset) {
  for (int32_t i = 0; map && i < c->count; i++) {
    floats_at(c, offset)[i] = flush_small(map[i], WORK_QUANTUM);
  }
  for (int32_t i = 0; map && i < LANE_PAD; i++) {
    floats_at(c, offset)[c->count + i] = 1.0f; /* lanes past the last particle divide by it */
  }
}

/* Hash of grid, settings and maps: with the state and dt, all that a step depends on. */
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
  float reach =
      flush_small(config->grid.imperfection, WORK_QUANTUM) * minimum(c->grid.spacing_warp, c->grid.spacing_weft);
  for (int32_t column = 0; column < c->grid.columns; column++) {
    cloth_vector normal = start_normal(config, column);
    for (int32_t row = 0; row < c->grid.rows; row++) {
      int32_t i = row * c->grid.columns + column;
      cloth_vector p =
          config->grid.positions ? config->grid.positions[i] : imperfect_start(config, normal, reach, column, row);
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
    return CLOTH_ERROR_ARENA;
  }
  cloth draft;
  compute_layout(&draft, config);
  if (bytes < draft.total_bytes) {
    return CLOTH_ERROR_ARENA;
  }
  fill_zero(arena, draft.total_bytes);
  cloth *c = (cloth *)arena;
  *c = draft;
  c->magic = CLOTH_MAGIC;
  c->versions = SAVE_VERSIONS;
  c->state_bytes = c->state.end - c->state.freedom;
  measure_grid(c, config);
  copy_settings(c, config);
  copy_map(c, config->grid.mass_map, c->constant.mass_ratio);
  copy_map(c, config->grid.stiffness_map, c->constant.stiffness_map);
  measure_map(config->grid.mass_map, c->count, &c->settings.factors.min_mass_ratio,
              &c->settings.factors.max_mass_ratio);
  measure_map(config->grid.stiffness_map, c->count, &c->settings.factors.min_stiffness,
              &c->settings.factors.max_stiffness);
  hash_config(c);
  cloth_inputs *inputs = inputs_of(c);
  inputs->origin = config->world.origin;
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
 * damping [N s/m] and rest length [m] of a direction, the length of tethers, and the bounds on kappa by which plan.h
 * decides how springs are integrated. kappa = (h/m) (h ks + 2 kd) (thesis eq. 4.8), with h the substep [s].
 *
 * In: inputs.fabric, inputs.gravity, c->grid, c->settings. Out: return values. Scratch: none.
 */

/* Largest kappa of a family that is forced to be explicit. Two families at the limit stay below the two-dimensional
   stability bound kappa_stretch + kappa_shear < 1 (thesis section 4.1.3); the margin is for what linear analysis leaves
   out. Larger values let CLOTH_INTEGRATION_EXPLICIT diverge. tests/thesis.c, which looks for the bound itself, defines
   its own. */
#ifndef EXPLICIT_LIMIT
#define EXPLICIT_LIMIT 0.4f
#endif
/* Weight per mass by which a grid's least bending length is defined [m/s^2]; a cloth's gravity does not change it. */
#define STANDARD_GRAVITY 9.81f
/* Least compliance of projected springs: what keeps their elimination stable in floats. A spring of compliance 1e-5
   keeps 5e-6 of a strain that a substep brings. */
#define MIN_COMPLIANCE 1.0e-5f
/* Springs of a greater compliance move particles by less than the rounding of positions: they count as absent, and have
   the compliance after it. Much greater ones would make inverse pivots subnormal. */
#define MAX_COMPLIANCE 1.6777216e7f
#define COMPLIANCE_ABSENT 3.3554432e7f
/* Largest kappa of any spring: stiffness is clamped there. A float cannot tell a stiffer spring from a rigid one, and
   larger values would only lose more digits of the linear system. */
#define KAPPA_LIMIT 1.0e6f
/* Largest damping coefficient h kd / m0. It leaves 1 / (1 + 2 * 8), a seventeenth, of the relative speed of two free
   particles; more would only worsen the condition of a solve that may be cut short. */
#define DAMPING_LIMIT 8.0f
/* Automatic substeps of a cloth that solves keep kappa below this: up to about 50 the conjugate gradient converges in a
   few iterations, whose number grows with the root of kappa. */
#define SUBSTEP_KAPPA 50.0f
/* The same for a cloth whose springs are all explicit, if its threshold is 0: half of EXPLICIT_LIMIT. */
#define SUBSTEP_KAPPA_EXPLICIT 0.2f
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

/* What lets tethers out, see tether_scale(). A sheet held at its edge strains by weight * length / stiffness at the
   edge; one held at its corners by about 11 times as much at the corners, and its hem sinks as far as this lets it. */
#define TETHER_SLACK 6.0f
/* The same for what a sheet held by its side shears: the distance to the side grows with the square of the angle. */
#define TETHER_SHEAR_SLACK 0.3f
/* Least stiffness [N/m] that both are divided by, and the most that it lets tethers out: softer fabrics have tethers
   that never pull. */
#define MIN_TETHER_STIFFNESS 1.0e-3f
#define MAX_TETHER_SLACK 1.0e3f

/* Length of tethers over their rest length: the setting, and what the fabric stretches and shears by its own weight. */
static float tether_scale(const cloth *c) {
  const cloth_fabric *f = &inputs_of(c)->fabric;
  const float columns = (float)(c->grid.columns - 1 + is_wrapped(c)) * c->grid.spacing_warp;
  const float rows = (float)(c->grid.rows - 1) * c->grid.spacing_weft;
  const float stiffness = maximum(minimum(f->stretch_warp, f->stretch_weft), MIN_TETHER_STIFFNESS);
  const float weight = f->density * vector_length(inputs_of(c)->gravity) * maximum(columns, rows);
  const float shear = maximum(f->shear, MIN_TETHER_STIFFNESS);
  const float slack = TETHER_SLACK * weight / stiffness + TETHER_SHEAR_SLACK * weight / shear;
  return c->settings.tethers.scale + minimum(slack, MAX_TETHER_SLACK);
}

/* Rigidity B' with which the cloth bends, and its ratio to the fabric's, see cloth_config_grid. */
static float bend_rigidity(const cloth *c, float *ratio) {
  const float area = c->grid.spacing_warp * c->grid.spacing_weft;
  const float length = flush_small(c->settings.integration.min_bending_length * square_root(area), STATE_QUANTUM);
  const float weight = inputs_of(c)->fabric.density * STANDARD_GRAVITY;
  const float bend = inputs_of(c)->fabric.bend;
  const float rigidity = bend + flush_small(length * length * (length * weight), WORK_QUANTUM);
  *ratio = bend > 0.0f ? rigidity / bend : 0.0f;
  return rigidity;
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

/* Offsets from the cell that keeps a spring to its particles: start and end. */
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
   (`own`) and of the row below (`below`). */
typedef struct component_shift {
  lanes_shift own, below;
} component_shift;

/* The shifts of x, y and z; start a row with shift_start(). */
typedef struct shift_state {
  component_shift part[3];
} shift_state;

CLOTH_INLINE shift_state shift_start(void) {
  component_shift start = {lanes_shift_start(), lanes_shift_start()};
  shift_state state = {{start, start, start}};
  return state;
}

/*
 * Sums one component of the springs' velocity changes to particles. A spring adds its change f to its start and
 * subtracts it from its end, so that particle p receives, with `up` the particle above it,
 *
 *     f_warp[p] + f_weft[p] + f_diagonal[p] + (f_antidiagonal - f_warp)[p - 1]
 *         - (f_weft + f_antidiagonal)[up] - f_diagonal[up - 1].
 *
 * The second line is read from `buffer`, where row `up` has left it; this row leaves its own there in exchange. Nothing
 * is scattered, so that lanes of any number add in the same order. Returns the sum.
 */
CLOTH_INLINE lanes accumulate_component(const lanes along[DIRECTIONS], component_shift *shift, float *buffer,
                                        int32_t count) {
  lanes own = lanes_shift_in(&shift->own, lanes_subtract(along[ANTIDIAGONAL], along[WARP]));
  lanes below = lanes_shift_in(&shift->below, along[DIAGONAL]);
  lanes sum = lanes_add(lanes_add(along[WARP], along[WEFT]), lanes_add(along[DIAGONAL], own));
  sum = lanes_subtract(sum, lanes_load(buffer));
  lanes_store_first(buffer, lanes_add(lanes_add(along[WEFT], along[ANTIDIAGONAL]), below), count);
  return sum;
}

/* Sums of all components for the block of particles at a column, `count` of them to the row's end. */
CLOTH_INLINE lanes3 accumulate_row(const row_forces *forces, shift_state *state, vector_array buffer, int32_t column,
                                   int32_t count) {
  const lanes3 *a = forces->along;
  lanes x[DIRECTIONS] = {a[WARP].x, a[WEFT].x, a[DIAGONAL].x, a[ANTIDIAGONAL].x};
  lanes y[DIRECTIONS] = {a[WARP].y, a[WEFT].y, a[DIAGONAL].y, a[ANTIDIAGONAL].y};
  lanes z[DIRECTIONS] = {a[WARP].z, a[WEFT].z, a[DIAGONAL].z, a[ANTIDIAGONAL].z};
  return lanes3_of(accumulate_component(x, &state->part[0], buffer.x + column, count),
                   accumulate_component(y, &state->part[1], buffer.y + column, count),
                   accumulate_component(z, &state->part[2], buffer.z + column, count));
}

/* Vectors of a block of particles and of their neighbours along the row (right), the column (below) and both (across).
   In the last row, which have none below, `below` and `across` repeat `first` and `right`. */
typedef struct cell_corners {
  lanes3 first, right, below, across;
} cell_corners;

CLOTH_INLINE cell_corners load_corners(vector_array from, int32_t i, int32_t below) {
  cell_corners corners = {lanes3_load(from, i), lanes3_load(from, i + 1), lanes3_load(from, i + below),
                          lanes3_load(from, i + below + 1)};
  return corners;
}

/* Index offset from a particle to the one below, 0 if there is none. */
static int32_t offset_below(const cloth *c, int32_t row) {
  return row + 1 < c->grid.rows ? c->grid.columns : 0;
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

/* How many of the `left` cells from one to its row's end keep a spring of a direction; may be negative. `below` is
   offset_below() of the row. */
CLOTH_INLINE int32_t springs_left(int32_t direction, int32_t below, int32_t left) {
  if (direction != WARP && below == 0) {
    return 0;
  }
  return left - (direction == WEFT ? 0 : 1);
}

/* The springs of direction d that the cells from one on keep. */
CLOTH_INLINE spring_block springs_at(const cloth *c, int32_t d, int32_t cell, int32_t count) {
  spring_block b = {cell, cell, 1};
  if (count > 0) { /* without springs their particles may lie beyond the maps: stay at the cell */
    b.i += spring_start(d);
    b.j += spring_end(c, d);
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

/// Seam of a tube ///

/*
 * The seam of a wrapped sheet: springs from its last column to its first, which the kernels of rows leave out. They
 * form lines along the seam, one for each direction but the weft. Lanes take a line row by row; no two springs of a
 * line share a particle.
 *
 * In: c->grid, the plan's modes. Out: forces, added to a vector array. Scratch: seam, a run of seam_rows() floats for
 * each of w (3) and beta of a line's implicit springs.
 */

#if WITH_WRAP

typedef struct seam_line {
  int32_t direction;
  int32_t mode;     /* how its springs act by forces, a cloth_mode */
  int32_t from, to; /* particles: start and end of the first row's spring */
  int32_t rows;     /* rows that have a spring */
  float *blocks;    /* w and beta, seam_rows() floats each */
} seam_line;

static seam_line seam_line_at(const cloth *c, const step_plan *plan, int32_t number) {
  CLOTH_CONSTANT static const uint8_t directions[SEAM_SPRINGS] = {WARP, DIAGONAL, ANTIDIAGONAL};
  const int32_t last_column = c->grid.columns - 1;
  seam_line line;
  line.direction = directions[number];
  line.mode = plan->spring[line.direction].mode;
  const int32_t below = line.direction == WARP ? 0 : 1;
  line.rows = c->grid.rows - below;
  line.from = line.direction == ANTIDIAGONAL ? 0 : last_column;
  line.to = below * c->grid.columns + (line.direction == ANTIDIAGONAL ? last_column : 0);
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
  lanes3_scatter_add(to, line->to + first, next, lanes3_negate(pull), count);
}

#endif

/// Symmetric 3x3 blocks ///

/*
 * Symmetric 3x3 matrices, one in each lane: the blocks of the preconditioners. A block is stored as six floats in the
 * order xx, yy, zz, xy, xz, yz, each in an array of its own (scratch.inverse for particles, scratch.nodes for the nodes
 * of coarser grids). The entries are dimensionless: shares of the reference mass, as kappa is.
 * In and out: arguments alone. Scratch: none.
 */
typedef struct symmetric {
  lanes xx, yy, zz, xy, xz, yz;
} symmetric;

#define SYMMETRIC_FLOATS 6

/* Loads the blocks whose first entry is at `from`, with `stride` floats from one entry to the next. The caller passes
   the stride as a copy: lane stores may alias *c, so the compiler would otherwise load c->stride again after each. */
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

/* m r */
CLOTH_INLINE lanes3 symmetric_apply(symmetric m, lanes3 r) {
  lanes x = lanes_add(lanes_add(lanes_multiply(m.xx, r.x), lanes_multiply(m.xy, r.y)), lanes_multiply(m.xz, r.z));
  lanes y = lanes_add(lanes_add(lanes_multiply(m.xy, r.x), lanes_multiply(m.yy, r.y)), lanes_multiply(m.yz, r.z));
  lanes z = lanes_add(lanes_add(lanes_multiply(m.xz, r.x), lanes_multiply(m.yz, r.y)), lanes_multiply(m.zz, r.z));
  return lanes3_of(x, y, z);
}

/* Adds a u^T + s I to m. The sum is symmetric only if a is parallel to u. */
CLOTH_INLINE void symmetric_add_outer(symmetric *m, lanes3 a, lanes3 u, lanes s) {
  m->xx = lanes_add(m->xx, lanes_add(lanes_multiply(a.x, u.x), s));
  m->yy = lanes_add(m->yy, lanes_add(lanes_multiply(a.y, u.y), s));
  m->zz = lanes_add(m->zz, lanes_add(lanes_multiply(a.z, u.z), s));
  m->xy = lanes_add(m->xy, lanes_multiply(a.x, u.y));
  m->xz = lanes_add(m->xz, lanes_multiply(a.x, u.z));
  m->yz = lanes_add(m->yz, lanes_multiply(a.y, u.z));
}

/* s I */
CLOTH_INLINE symmetric symmetric_identity(lanes s) {
  lanes zero = lanes_splat(0.0f);
  symmetric m = {.xx = s, .yy = s, .zz = s, .xy = zero, .xz = zero, .yz = zero};
  return m;
}

/*
 * Inverse by L D L^T. In exact arithmetic each pivot of a diagonal block of A is at least the particle's mass ratio,
 * which is `min_pivot`. Raising the pivots to it keeps rounding from pushing them below, so that the inverse is
 * positive definite in float at any kappa. An inverse by cofactors stops being so from a kappa of about 500.
 * In the code i0, i1, i2 are the inverse pivots, l10, l20, l21 the entries of L, and h20 an entry of L^-1.
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
  symmetric r;
  r.zz = i2;
  r.yz = lanes_negate(lanes_multiply(l21, i2));
  r.xz = lanes_multiply(h20, i2);
  r.yy = lanes_add(i1, lanes_multiply(l21, lanes_multiply(l21, i2)));
  r.xy = lanes_subtract(lanes_negate(lanes_multiply(l10, i1)), lanes_multiply(h20, lanes_multiply(l21, i2)));
  r.xx = lanes_add(lanes_add(i0, lanes_multiply(l10, lanes_multiply(l10, i1))),
                   lanes_multiply(h20, lanes_multiply(h20, i2)));
  return r;
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

/// Costs ///

/*
 * The cost model: what each piece of a step costs, in the unit of work that cloth.h defines, an instruction of a
 * Cortex-M7. work.h adds the costs up for a plan; kernels whose work depends on the state add theirs as they run.
 * The figures are rounded up and change no result but cloth_statistics.work, the bounds and the plans. Whoever changes
 * a kernel measures its cost again: tests/work_calibration.sh prints instructions per unit for scenes that lean on one
 * kernel each, and says how to correct a figure.
 * In: the shape of a collider. Out: nothing. Scratch: none.
 */

/* Per particle and substep where nothing else is said. */
enum {
  /* A step */
  COST_STEP = 7500,        /* once: the plan, the pads, the statistics */
  COST_PREPARE = 80,       /* per particle: mobility, uniform lines */
  COST_PLACE = 52,         /* per particle: the origin of the step */
  COST_FOLLOW = 400,       /* per particle, where a step moves the origin in the world, ... */
  COST_CARRIED = 200,      /* ... and in addition with targets */
  COST_MARK = 40,          /* per particle and tether slot: marks of the blocks */
  COST_PAIRS = 125,        /* per particle with tethers: pairs of pins, ... */
  COST_PAIR_OF_PINS = 175, /* ... and in addition per pair */
  COST_CHOOSE = 412,       /* per particle, when tethers are chosen, ... */
  COST_PROPOSE = 1200,     /* ... and in addition per tether slot */
  /* A substep */
  COST_SUBSTEP = 600, /* once */
  COST_ROW = 120,     /* per row */
  COST_PREDICT = 88,
  COST_HISTORY = 60, /* of velocities, for the BDF2 prediction */
  COST_ACCEPT = 120,
  COST_RECOVER = 125,   /* per particle that is slowed down, and per particle that is put back */
  COST_CONFINED = 1600, /* per confined particle */
  COST_TARGET = 640,    /* motion constraint and backstop */
  /* Forces */
  COST_BODY_FORCES = 30,
  COST_AIR = 230,
  COST_SPRINGS = 520, /* stretch and shear springs: forces and operator */
  COST_SEAM = 330,    /* per spring across the seam of a tube: force */
  COST_CHANGE = 92,   /* new velocities and the prediction after forces */
  /* The implicit solve */
  COST_PRECONDITIONER = 450,
  COST_SEAM_BLOCKS = 190, /* per spring across the seam, in the preconditioner */
  COST_SOLVE = 380,       /* before and after the iterations */
  COST_WARM = 420,        /* warm start, without its application of the operator */
  COST_ITERATION = 230,   /* an iteration, without its springs */
  COST_PAIR = 65,         /* stretch springs in an iteration; shear springs as well */
  COST_SEAM_PAIR = 170,   /* per spring across the seam, in an iteration */
  /* Projection and strain limiting */
  COST_STRETCH = 190,        /* per spring solved along a line */
  COST_LINE = 620,           /* per line of springs */
  COST_DAMPED = 30,          /* per spring with damping, in addition */
  COST_MAPPED = 128,         /* per spring whose stiffness maps change, in addition */
  COST_STRETCH_RING = 115,   /* per particle of a ring, in addition */
  COST_STENCIL = 178,        /* explicit bending of a particle */
  COST_STENCIL_ROW = 900,    /* per row, ... */
  COST_STENCIL_COLUMN = 280, /* ... and per column, in the first and last rows */
  COST_STENCIL_VISCOUS = 20, /* in addition with bending viscosity */
  COST_BEND = 420,           /* bending of a particle: twist, row and column */
  COST_BEND_LINE = 420,      /* per line of hinges and pair of columns */
  COST_BEND_GENERAL = 210,   /* in addition where masses or pins differ along a line, ... */
  COST_BEND_MAPPED = 200,    /* ... and in addition with a stiffness map */
  COST_BEND_RING = 530,      /* per particle of a ring, in addition */
  COST_VISCOUS = 85,         /* in addition with bending viscosity */
  COST_LIMIT = 85,           /* per spring of a strain limit */
  COST_LIMIT_LINE = 62,      /* per line */
  COST_LIMIT_RING = 60,      /* per particle of a ring, in addition to that of a row */
  COST_PUSHES = 45,          /* pushes of contacts: the prediction, and before and after contact */
  COST_FREE = 130,           /* momenta of a cloth that nothing holds */
  COST_UPDATE = 105,         /* velocities from the moved positions */
  /* Tethers */
  COST_TETHER = 85,        /* per tether slot */
  COST_TAUT = 60,          /* per tether that pulls, ... */
  COST_BOX_TEST = 100,     /* ... in addition per obstacle, ... */
  COST_SEGMENT_TEST = 500, /* ... and in addition per obstacle whose box it enters */
  /* Contact by projection */
  COST_COLLIDER = 1850, /* per collider */
  COST_BOUND = 60,      /* per particle, where a substep finds bounds */
  COST_BLOCK = 60,      /* per block of bounds and collider */
  COST_NEAR = 108,      /* per particle and collider: is the particle near the collider's path? */
  COST_COLLIDE = 408,   /* per particle near a collider: contact search without its two distances */
  COST_TRACED = 1340,   /* per traced path ... */
  COST_TRACE = 45,      /* ... and in addition per step on it, without its distance */
  COST_RESPOND = 1125,  /* per particle that touches a collider ... */
  COST_LINKS = 900,     /* ... and in addition, where it presses against it, for its links */
  COST_TORN = 60,       /* per particle, where contact lines are looked for, and once a step, ... */
  COST_HELD_LINE = 700, /* ... and in addition per particle of a bundle that is solved again, ... */
  COST_AGAIN = 120,     /* ... per particle, before contact again, ... */
  COST_PULLS = 60,      /* ... and per particle and collider, for its reaction */
  COST_RECORD = 350,    /* per contact that is recorded */
  /* Geometry */
  COST_HULL = 60,          /* per plane and edge of a hull, for one distance */
  COST_CONCAVE = 830,      /* per particle near a concave shape, without its search */
  COST_MESH_NODE = 340,    /* per node of a mesh's tree */
  COST_TRIANGLE = 330,     /* per triangle of a mesh */
  COST_FIELD_PIECE = 300,  /* per piece of a path over a height field */
  COST_FIELD_TEST = 110,   /* per cell of a height field that may be near, ... */
  COST_FIELD_CELL = 1370,  /* ... and in addition per cell that is */
  COST_GRID = 630,         /* per distance in a distance grid */
  COST_SHARED_BODY = 420,  /* per step and shared body of the table */
  COST_SHARED_BOUNDS = 60, /* per step and particle: where the cloth is, for a choice of shared bodies */
  /* Bodies, attachments and reactions of pins */
  COST_BODY = 1500,      /* per body */
  COST_ATTACHED = 5000,  /* per attachment */
  COST_NOTED = 260,      /* per particle, where impulses on pins are noted, ... */
  COST_NOTED_PIN = 9000, /* ... and in addition per pin */
  COST_SHARED = 1500,    /* per particle that touches a body, in addition */
  /* Contact in the solver */
  COST_SEEK = 660,      /* per particle and collider ... */
  COST_SEEK_MORE = 700, /* ... in addition, of several colliders, whose motions are computed anew for each particle */
  COST_HELD = 2750      /* per particle held by a contact */
};

/* Distance of one point from a collider's surface, by cloth_shape: plane, sphere, capsule, box, cylinder. */
CLOTH_CONSTANT static const uint16_t distance_costs[] = {28, 60, 300, 216, 218};

/* Maximum number of Newton steps along a traced path. A path that has not arrived by then grazes the surface, where
   each step only quarters the distance, or ends at it up to a rounding; both count as hits. More steps make paths that
   pass close by more exact and raise trace_cost() in proportion. */
#define TRACE_STEPS 4
/* A traced point no farther than this outside the margin touches [m]. Larger values push particles out that only come
   near; smaller ones are below the rounding of positions some 100 m from the origin. */
#define TRACE_CONTACT 1.0e-5f
/* The next float above TRACE_CONTACT: a distance less than this is at most TRACE_CONTACT. */
#define TRACE_CLEARANCE 1.0000001e-5f

/* Most planes and edges of a hull: a polyhedron of n faces has at most 3 n - 6 edges. */
#define HULL_ELEMENTS_MAX (4 * CLOTH_HULL_PLANE_LIMIT - 6)
/* Most passes of a particle over a concave collider in a substep: three planes meet in a corner. */
#define CONTACT_PASSES 3
/* Most nodes that a walk through a mesh looks into, and most triangles that it returns. Long paths over small triangles
   reach them, which statistics.overflows counts. */
#define MESH_WALK_NODES 64
#define MESH_WALK_TRIANGLES 128
/* A particle starts no walk after walks of so much work in a step, and so much more for each substep. */
#define MESH_WALKS_STEP 64000u
#define MESH_WALKS_SUBSTEP 16000u
/* Most pieces of a path over a height field. */
#define FIELD_PIECES 32
/* Most units of work over a height field in all passes: a cell is one, and one that is near so many more. */
#define FIELD_UNITS 128
#define FIELD_NEAR_UNITS 4
/* Most steps of traces in a distance grid, in all passes. A path that has not arrived by then goes along the surface;
   only its end counts then, and an overflow is counted. */
#define GRID_STEPS 24

/* Cost of one distance from a convex collider. */
static uint32_t distance_cost(const cloth_collider *body) {
  if (WITH_HULL && body->shape == CLOTH_SHAPE_HULL) {
    return COST_HULL * (uint32_t)body->geometry.elements;
  }
  return distance_costs[body->shape];
}

/* 1 for shapes whose distance is not convex: contact looks for surfaces along the path of each particle. */
static int is_concave(const cloth_collider *body) {
  return WITH_CONCAVE && body->shape >= CLOTH_SHAPE_HEIGHT_FIELD;
}

/* Cost of tracing the path of one particle against a collider. */
static uint32_t trace_cost(const cloth_collider *body) {
  return COST_TRACED + TRACE_STEPS * ((uint32_t)COST_TRACE + distance_cost(body));
}

/* Cost of the contact search for one particle near a collider: with the distances of both ends of its path, but without
   the search for a surface. */
static uint32_t near_cost(const cloth_collider *body) {
  return is_concave(body) ? (uint32_t)COST_CONCAVE : COST_COLLIDE + 2u * distance_cost(body);
}

#if WITH_MESH || WITH_PLANNING
/* Work of walks in a step after which a particle starts no more. */
static uint32_t mesh_walk_limit(int32_t substeps) {
  return MESH_WALKS_STEP + (uint32_t)substeps * MESH_WALKS_SUBSTEP;
}
#endif

#if WITH_PLANNING
/* Most work of the walks of a particle in a step: the last may begin just below the limit. */
static uint32_t max_walks_cost(int32_t substeps) {
  return mesh_walk_limit(substeps) + MESH_WALK_NODES * COST_MESH_NODE + MESH_WALK_TRIANGLES * COST_TRIANGLE;
}
#endif

/* Most that the searches for a surface cost in a substep, in `passes` passes, without walks. */
static uint32_t search_cost(const cloth_collider *body, uint32_t passes) {
  switch (body->shape) {
  case CLOTH_SHAPE_HEIGHT_FIELD:
    /* Each piece has a cell; a search that has no unit left begins a piece. */
    return FIELD_UNITS * (COST_FIELD_PIECE + COST_FIELD_TEST) + passes * COST_FIELD_PIECE + COST_FIELD_CELL;
  case CLOTH_SHAPE_MESH:
    return passes * MESH_CACHE * COST_TRIANGLE;
  default:
    return (3 * passes + GRID_STEPS) * COST_GRID;
  }
}

/* Most that the contact of one particle with a collider costs in a substep, without walks through a mesh. Meshes have a
   further pass where there are several. */
static uint32_t max_contact_cost(const cloth_collider *body) {
  if (!is_concave(body)) {
    return COST_NEAR + near_cost(body) + trace_cost(body) + COST_RESPOND + COST_LINKS;
  }
  const int is_mesh = body->shape == CLOTH_SHAPE_MESH;
  const uint32_t passes = is_mesh ? CONTACT_PASSES + 1u : CONTACT_PASSES;
  return (is_mesh ? 2u : 1u) * COST_NEAR + search_cost(body, passes) +
         passes * (COST_CONCAVE + COST_RESPOND + COST_LINKS);
}

/// Convex hulls ///

/*
 * Signed distance of points from a convex solid. In: a geometry of shape CLOTH_SHAPE_HULL, points in its local axes.
 * Out: distances and normals, exact outside as well. Reads and writes no cloth.
 *
 * The largest distance from a plane is the distance from the solid inside, and where the nearest point lies in a face.
 * Otherwise the nearest point lies on an edge, and all edges are tried.
 */

/* A plane: points p with normal . p <= offset are behind it. */
typedef struct hull_plane {
  cloth_vector normal; /* unit length */
  float offset;        /* [m] */
} hull_plane;

/* An edge between two corners. */
typedef struct hull_edge {
  cloth_vector from, along; /* [m] */
  float inverse_squared;    /* of the length of `along` [1/m^2] */
} hull_edge;

#if WITH_HULL

/* Beyond every distance, and still with a square. */
#define HULL_BEYOND 1.0e18f

/* Distances and directions of a block of points from the nearest edge. */
static lanes distance_to_edges(const cloth_geometry *g, lanes3 p, lanes3 *normal) {
  const hull_edge *edges = (const hull_edge *)geometry_data(g, g->edges);
  lanes least = lanes_splat(HULL_BEYOND);
  lanes3 nearest = p;
  for (int32_t n = 0; n < g->counts[1]; n++) {
    const lanes3 along = lanes3_splat(edges[n].along);
    lanes3 from = lanes3_flush_below(lanes3_subtract(p, lanes3_splat(edges[n].from)), STATE_QUANTUM);
    lanes share = lanes_flush(lanes_multiply(lanes3_dot(from, along), lanes_splat(edges[n].inverse_squared)));
    share = lanes_minimum(lanes_maximum(share, lanes_splat(0.0f)), lanes_splat(1.0f));
    from = lanes3_flush_below(lanes3_subtract(from, lanes3_scale(along, share)), STATE_QUANTUM);
    const lanes squared = lanes3_dot(from, from);
    const lanes_mask nearer = lanes_less(squared, least);
    least = lanes_select(nearer, squared, least);
    nearest = lanes3_select(nearer, from, nearest);
  }
  const lanes distance = lanes_square_root(least);
  const lanes divisor = lanes_maximum(distance, lanes_splat(STATE_QUANTUM));
  *normal = lanes3_scale(nearest, lanes_divide(lanes_splat(1.0f), divisor));
  return distance;
}

static lanes distance_to_hull(const cloth_geometry *g, lanes3 p, lanes3 *normal) {
  const hull_plane *planes = (const hull_plane *)geometry_data(g, g->data);
  lanes largest = lanes_splat(-HULL_BEYOND);
  lanes3 outward = p;
  for (int32_t n = 0; n < g->counts[0]; n++) {
    const lanes3 direction = lanes3_splat(planes[n].normal);
    const lanes distance = lanes_subtract(lanes3_dot(p, direction), lanes_splat(planes[n].offset));
    const lanes_mask larger = lanes_less(largest, distance);
    largest = lanes_select(larger, distance, largest);
    outward = lanes3_select(larger, direction, outward);
  }
  *normal = outward;
  largest = lanes_flush_below(largest, STATE_QUANTUM);
  /* The nearest point of the plane: is it in the solid? A point in or at the solid needs no other. */
  const lanes3 foot = lanes3_flush_below(lanes3_subtract(p, lanes3_scale(outward, largest)), STATE_QUANTUM);
  lanes beyond = lanes_splat(-HULL_BEYOND);
  for (int32_t n = 0; n < g->counts[0]; n++) {
    const lanes distance = lanes3_dot(foot, lanes3_splat(planes[n].normal));
    beyond = lanes_maximum(lanes_subtract(distance, lanes_splat(planes[n].offset)), beyond);
  }
  const lanes tolerance = lanes_splat(g->tolerance);
  const lanes_mask off_face = lanes_both(lanes_less(tolerance, beyond), lanes_less(tolerance, largest));
  if (!lanes_any(off_face)) {
    return largest;
  }
  lanes3 from_edge;
  const lanes distance = distance_to_edges(g, p, &from_edge);
  *normal = lanes3_select(off_face, from_edge, outward);
  return lanes_select(off_face, distance, largest);
}

#endif

/// Triangles ///

/*
 * One triangle, as contact with meshes and height fields needs it, and the search for the surface that a particle's
 * path meets. In: corners, paths. Out: the contact found so far. Reads and writes no cloth.
 */

#if WITH_MESH || WITH_HEIGHT_FIELD

/* A triangle with its counter-clockwise normal. All but `corner` are relative to that corner. */
typedef struct surface_triangle {
  cloth_vector corner;      /* [m] */
  cloth_vector normal;      /* unit length */
  cloth_vector edge[2];     /* to the second and to the third corner [m] */
  cloth_vector outward[3];  /* unit normals of the edges in the plane, from the first edge on */
  float far_side;           /* distance of the second edge from `corner`, along outward[1] [m] */
  float inverse_squared[3]; /* of the lengths of the edges [1/m^2] */
} surface_triangle;

LAYOUT_CONTRACT(triangle_is_floats, sizeof(surface_triangle) == 25 * sizeof(float));

/* Smallest double area [m^2] and height [m] of a triangle: smaller ones have no normal within the rounding of their
   corners. */
#define TRIANGLE_MIN_AREA 2.0e-8f
#define TRIANGLE_MIN_HEIGHT 1.0e-5f

static float square_of(cloth_vector a) {
  return vector_dot(a, a);
}

/* The direction in the plane that leads out of an edge. */
static cloth_vector edge_normal(cloth_vector along, cloth_vector normal, float inverse_squared) {
  cloth_vector across = vector_flush_work(vector_cross(along, normal));
  return vector_flush_work(vector_scale(across, square_root(inverse_squared)));
}

/* Makes a triangle of three corners without fractions below STATE_QUANTUM. Returns 0 if it is degenerate. */
static int make_triangle(surface_triangle *t, cloth_vector a, cloth_vector b, cloth_vector c) {
  t->corner = a;
  t->edge[0] = vector_flush(vector_subtract(b, a), STATE_QUANTUM);
  t->edge[1] = vector_flush(vector_subtract(c, a), STATE_QUANTUM);
  const cloth_vector across = vector_flush(vector_subtract(c, b), STATE_QUANTUM);
  const cloth_vector area = vector_flush_work(vector_cross(t->edge[0], t->edge[1]));
  const float twice = vector_length(area);
  const float squares[3] = {square_of(t->edge[0]), square_of(across), square_of(t->edge[1])};
  const float longest = square_root(maximum(squares[0], maximum(squares[1], squares[2])));
  if (twice < TRIANGLE_MIN_AREA || twice < TRIANGLE_MIN_HEIGHT * longest) {
    return 0;
  }
  t->normal = vector_flush_work(vector_scale(area, 1.0f / twice));
  for (int32_t n = 0; n < 3; n++) {
    t->inverse_squared[n] = 1.0f / squares[n];
  }
  t->outward[0] = edge_normal(t->edge[0], t->normal, t->inverse_squared[0]);
  t->outward[1] = edge_normal(across, t->normal, t->inverse_squared[1]);
  t->outward[2] = edge_normal(vector_subtract(vector(0.0f, 0.0f, 0.0f), t->edge[1]), t->normal, t->inverse_squared[2]);
  t->far_side = flush_small(vector_dot(t->outward[1], t->edge[0]), STATE_QUANTUM);
  return 1;
}

/* How far a point is outside of the three edges; `p` is relative to t->corner. Returns the largest. */
CLOTH_INLINE float outside_edges(const surface_triangle *t, cloth_vector p, float excess[3]) {
  excess[0] = vector_dot(t->outward[0], p);
  excess[1] = vector_dot(t->outward[1], p) - t->far_side;
  excess[2] = vector_dot(t->outward[2], p);
  return maximum(excess[0], maximum(excess[1], excess[2]));
}

/* The vector from the nearest point of an edge to `p`, which is relative to t->corner. */
static cloth_vector from_edge(const surface_triangle *t, int32_t edge, cloth_vector p) {
  cloth_vector along = t->edge[edge == 0 ? 0 : 1];
  if (edge == 1) {
    p = vector_subtract(p, t->edge[0]);
    along = vector_subtract(along, t->edge[0]);
  }
  p = vector_flush(p, STATE_QUANTUM);
  along = vector_flush(along, STATE_QUANTUM);
  float share = flush_small(vector_dot(p, along) * t->inverse_squared[edge], WORK_QUANTUM);
  share = minimum(maximum(share, 0.0f), 1.0f);
  return vector_flush(vector_add_scaled(p, along, negate(share)), STATE_QUANTUM);
}

/* The vector from the nearest point of the edges to a point that is outside of some, by `excess`. */
static cloth_vector from_edges(const surface_triangle *t, cloth_vector p, const float excess[3]) {
  cloth_vector nearest = p;
  float least = 1.0e30f;
  for (int32_t edge = 0; edge < 3; edge++) {
    if (excess[edge] > 0.0f) {
      const cloth_vector away = from_edge(t, edge, p);
      const float squared = square_of(away);
      nearest = squared < least ? away : nearest;
      least = minimum(squared, least);
    }
  }
  return nearest;
}

#if WITH_MESH

/* Is a triangle nearer to a point than a radius? */
static int is_triangle_near(const surface_triangle *t, cloth_vector point, float radius) {
  const cloth_vector p = vector_subtract(point, t->corner);
  const float height = flush_small(vector_dot(t->normal, p), WORK_QUANTUM);
  float excess[3];
  if (height >= radius || height <= negate(radius)) {
    return 0;
  }
  const float outside = flush_small(outside_edges(t, p, excess), WORK_QUANTUM);
  const float squared = radius * radius;
  return outside <= 0.0f ||
         (outside * outside + height * height < squared && square_of(from_edges(t, p, excess)) < squared);
}

#endif
#endif

/// Contact of a path with triangles ///

/*
 * A particle goes straight from `from` to `to`. The first triangle that it passes through holds it, on the side where
 * it was. If it passes through none, the nearest point of all triangles holds it, if that is closer than the margin. So
 * the edge between two triangles of a plane never holds it: their inner points are nearer.
 */

#if WITH_CONCAVE

typedef struct surface_search {
  cloth_vector from, to; /* in the collider's axes [m] */
  float margin;          /* distance of `to` below which it touches: that to keep, and `push` [m] */
  float push;            /* length of the push in `to`, see contact_push.h [m] */
  int32_t one_sided;     /* 1: the side of the normal alone is surface */
  float share;           /* of the path up to the first triangle that it passes through; SEARCH_NONE: none */
  float nearest;         /* distance of `to` from the nearest triangle, margin or less [m] */
  cloth_vector normal;   /* of the contact */
  float penetration;     /* of `to` along the normal, 0 without contact [m] */
  int32_t touches;       /* 1 if there is a contact */
  cloth_vector other;    /* normal of the contact with the nearest but one, ... */
  float other_depth;     /* ... and its penetration; 0: none [m] */
  int32_t looked_at;   /* units of work in a height field, or steps in a distance grid, in all passes of the substep */
  int32_t tested, met; /* cells of a height field that may be near, and that are, in this pass */
  int32_t overflows;   /* how often the search ended at a bound */
} surface_search;

#define SEARCH_NONE 2.0f
/* A path that passes an edge by no more than this passes through the triangle: the gap that rounding leaves between
   triangles that share an edge [m]. */
#define EDGE_TOLERANCE 1.0e-5f

/* Forgets the contact found. */
static void reset_search(surface_search *s) {
  s->share = SEARCH_NONE;
  s->nearest = s->margin;
  s->normal = s->other = vector(0.0f, 1.0f, 0.0f);
  s->penetration = s->other_depth = 0.0f;
  s->touches = 0;
}

/* A search with the distance `margin` to keep. */
static surface_search start_search(cloth_vector from, cloth_vector to, float margin, float push, int32_t one_sided) {
  surface_search s;
  s.from = from;
  s.to = to;
  s.margin = margin + push;
  s.push = push;
  s.one_sided = one_sided;
  s.looked_at = s.tested = s.met = s.overflows = 0;
  reset_search(&s);
  return s;
}

#if WITH_MESH || WITH_HEIGHT_FIELD

/* Takes a surface into account that the path passes through after a share of it. `depth` is how far its end is behind.
 */
static void pass_surface(surface_search *s, float share, cloth_vector normal, float depth) {
  if (share < s->share) {
    s->share = share;
    s->touches = 1;
    s->normal = normal;
    s->penetration = s->margin + depth;
  }
}

/* Takes a surface into account that is at a distance from the path's end, in the direction -normal. */
static void approach_surface(surface_search *s, float distance, cloth_vector normal) {
  const float depth = s->margin - distance;
  if (distance < s->nearest) {
    s->other = s->normal;
    s->other_depth = s->penetration;
    s->nearest = distance;
    s->touches = 1;
    s->normal = normal;
    s->penetration = depth;
  } else if (depth > s->other_depth) {
    s->other = normal;
    s->other_depth = depth;
  }
}

/* The normal on one side of a triangle, without -0. */
static cloth_vector side_normal(const surface_triangle *t, float side) {
  return vector_flush_work(vector_scale(t->normal, side));
}

/* The distance of the path's end `p`, relative to t->corner and at `height`, if it is within the margin. */
static void measure_end(surface_search *s, const surface_triangle *t, cloth_vector p, float height, float side) {
  float excess[3];
  const float outside = flush_small(outside_edges(t, p, excess), WORK_QUANTUM);
  if (!(outside > 0.0f)) {
    approach_surface(s, side * height, side_normal(t, side));
    return;
  }
  if (outside * outside + height * height >= s->margin * s->margin || (s->one_sided && height < 0.0f)) {
    return;
  }
  const cloth_vector away = from_edges(t, p, excess);
  const float distance = square_root(square_of(away));
  if (distance > STATE_QUANTUM) {
    approach_surface(s, distance, vector_flush_work(vector_scale(away, 1.0f / distance)));
  } else {
    approach_surface(s, distance, side_normal(t, side));
  }
}

#endif

/* Penetration left after a contact that takes another pass [m]: less is rounding. */
#define PASS_DEPTH 1.0e-5f

/* Does a contact leave others to do? The particle is passed through a surface, or the nearest but one is not left by
   leaving the nearest. */
static int needs_another_pass(const surface_search *s) {
  const float depth = s->other_depth - s->push;
  const float left = depth - (s->penetration - s->push) * vector_dot(s->other, s->normal);
  return s->share != SEARCH_NONE || (depth > 0.0f && left > PASS_DEPTH);
}

#if WITH_MESH

/* Does the path pass through a triangle? `before` and `after` are the heights of its ends, on different sides. */
static int passes_through(surface_search *s, const surface_triangle *t, float before, float after) {
  const float share = flush_small(before / (before - after), WORK_QUANTUM);
  const cloth_vector start = vector_subtract(s->from, t->corner);
  const cloth_vector way = vector_flush(vector_subtract(s->to, s->from), STATE_QUANTUM);
  const cloth_vector p = vector_flush(vector_add_scaled(start, way, share), STATE_QUANTUM);
  float excess[3];
  if (outside_edges(t, p, excess) > EDGE_TOLERANCE) {
    return 0;
  }
  const float side = before < 0.0f ? -1.0f : 1.0f;
  pass_surface(s, share, side_normal(t, side), negate(side * after));
  return 1;
}

/* Takes one triangle into account. */
static void meet_triangle(surface_search *s, const surface_triangle *t) {
  /* Ends and corners are 0 or at least 2^-30 along each axis, so differences are 0 or at least 2^-53. */
  const cloth_vector p = vector_subtract(s->to, t->corner), start = vector_subtract(s->from, t->corner);
  const float after = flush_small(vector_dot(t->normal, p), STATE_QUANTUM);
  const float before = flush_small(vector_dot(t->normal, start), STATE_QUANTUM);
  if (s->one_sided && before < negate(s->margin)) {
    return;
  }
  const int is_behind = before < 0.0f;
  const int crosses = is_behind ? after > 0.0f : after < 0.0f;
  if (crosses && !(s->one_sided && is_behind) && passes_through(s, t, before, after)) {
    return;
  }
  if (s->share == SEARCH_NONE && absolute(after) < s->margin) {
    const int is_below = !s->one_sided && (after < 0.0f || (after == 0.0f && is_behind));
    measure_end(s, t, p, after, is_below ? -1.0f : 1.0f);
  }
}

#endif
#endif

/// Grids of signed distances ///

/*
 * Contact of a path with a solid whose signed distances lie on a grid. Between the samples the distance is trilinear,
 * and its gradient there, made a unit vector, is the normal. A path that could meet the surface is traced: it goes on
 * by the distance, which no path can leave out, until it is close to the surface or at its end. In: a geometry of shape
 * CLOTH_SHAPE_DISTANCE_GRID, paths in its local axes. Out: contacts. Scratch: none.
 */

#if WITH_DISTANCE_GRID

/* A traced point no farther than this outside the margin touches [m]. */
#define GRID_CONTACT 1.0e-4f
/* Largest change of the distance over the length of a path: neighbours differ by 1.01 spacings, along three axes. */
#define GRID_SLOPE 1.75f
/* Least length of a gradient that has a direction [1]. */
#define GRID_MIN_GRADIENT 1.0e-3f

/* The samples at the corners of a cell, x first, and the place in the cell, 0..1. */
typedef struct grid_cell {
  float d[8];
  cloth_vector place;
} grid_cell;

/* Splits a coordinate over the spacing into a cell and the place in it. */
static int32_t split_coordinate(float position, int32_t samples, float *place) {
  position = maximum(position, 0.0f);
  const int32_t cell = position < (float)(samples - 1) ? (int32_t)position : samples - 2;
  *place = flush_small(minimum(position - (float)cell, 1.0f), WORK_QUANTUM);
  return cell;
}

/* The cell of a point relative to the low corner, or the nearest one. */
static void find_grid_cell(const cloth_geometry *g, cloth_vector p, grid_cell *cell) {
  const float scale = 1.0f / g->spacing[0];
  const float *samples = (const float *)geometry_data(g, g->data);
  const int32_t next[2] = {g->counts[0], g->counts[0] * g->counts[1]};
  int32_t first = split_coordinate(p.x * scale, g->counts[0], &cell->place.x);
  first += split_coordinate(p.y * scale, g->counts[1], &cell->place.y) * next[0];
  first += split_coordinate(p.z * scale, g->counts[2], &cell->place.z) * next[1];
  for (int32_t n = 0; n < 8; n++) {
    cell->d[n] = samples[first + (n & 1) + (n >> 1 & 1) * next[0] + (n >> 2) * next[1]];
  }
}

static float between(float a, float b, float t) {
  return a + flush_small(b - a, STATE_QUANTUM) * t;
}

/* The distance in a cell, and its gradient times the spacing. */
static float interpolate_cell(const grid_cell *cell, cloth_vector *gradient) {
  const float *d = cell->d;
  const cloth_vector t = cell->place;
  const float low[2] = {between(d[0], d[1], t.x), between(d[2], d[3], t.x)};
  const float high[2] = {between(d[4], d[5], t.x), between(d[6], d[7], t.x)};
  const float front = between(low[0], low[1], t.y), back = between(high[0], high[1], t.y);
  gradient->x = between(between(d[1] - d[0], d[3] - d[2], t.y), between(d[5] - d[4], d[7] - d[6], t.y), t.z);
  gradient->y = between(low[1] - low[0], high[1] - high[0], t.z);
  gradient->z = back - front;
  return between(front, back, t.z);
}

/* How far a point relative to the low corner is outside of the grid along each axis. */
static cloth_vector outside_grid(const cloth_geometry *g, cloth_vector p) {
  const cloth_vector high = vector_subtract(g->high, g->low);
  return vector(p.x - minimum(maximum(p.x, 0.0f), high.x), p.y - minimum(maximum(p.y, 0.0f), high.y),
                p.z - minimum(maximum(p.z, 0.0f), high.z));
}

/* The distance at a point in local axes, and the normal. Outside of the grid, where there is no solid, a distance that
   no surface is nearer than. */
static float distance_in_grid(const cloth_geometry *g, cloth_vector point, cloth_vector *normal) {
  const cloth_vector p = vector_flush(vector_subtract(point, g->low), STATE_QUANTUM);
  const float outside = vector_length(outside_grid(g, p));
  grid_cell cell;
  find_grid_cell(g, p, &cell);
  cloth_vector gradient;
  const float inside = interpolate_cell(&cell, &gradient);
  gradient = vector_flush(vector_scale(gradient, 1.0f / g->spacing[0]), STATE_QUANTUM);
  const float length = vector_length(gradient);
  *normal =
      length > GRID_MIN_GRADIENT ? vector_flush_work(vector_scale(gradient, 1.0f / length)) : vector(0.0f, 1.0f, 0.0f);
  return outside > 0.0f ? maximum(outside, inside - outside) : inside;
}

/* Traces a path from `distance` above the margin on. Where it first touches, the depth of its end below the tangent
   plane is its penetration. */
CLOTH_SEPARATE void trace_grid(const cloth *c, const cloth_geometry *g, surface_search *s, float distance) {
  const cloth_vector way = vector_flush(vector_subtract(s->to, s->from), STATE_QUANTUM);
  const float scale = 1.0f / (GRID_SLOPE * vector_length(way));
  float share = 0.0f;
  add_work(c, 1, COST_GRID);
  while (s->looked_at++ < GRID_STEPS) {
    share = share + maximum(distance, GRID_CONTACT) * scale;
    if (share >= 1.0f) {
      return;
    }
    cloth_vector normal;
    const cloth_vector p =
        vector_flush(vector_add_scaled(s->from, way, flush_small(share, WORK_QUANTUM)), STATE_QUANTUM);
    distance = distance_in_grid(g, p, &normal) - (s->margin - s->push);
    add_work(c, 1, COST_GRID);
    const float depth = negate(vector_dot(way, normal) * (1.0f - share));
    if (distance < GRID_CONTACT && depth > 0.0f) {
      s->normal = normal;
      s->penetration = depth - distance + s->push;
      s->share = share;
      s->touches = 1;
      return;
    }
  }
  s->overflows++;
}

static void search_grid(const cloth *c, const cloth_geometry *g, surface_search *s) {
  cloth_vector normal_before, normal;
  const float before = distance_in_grid(g, s->from, &normal_before) - (s->margin - s->push);
  const float after = distance_in_grid(g, s->to, &normal) - s->margin;
  const float length = vector_length(vector_subtract(s->to, s->from));
  add_work(c, 2, COST_GRID);
  const int same_side = vector_dot(normal_before, normal) > 0.0f;
  if (after < 0.0f) {
    s->normal = normal;
    s->penetration = negate(after);
    s->touches = 1;
  }
  /* As find_contacts() of contact.h does: only the path tells where a particle went that changed sides, or that went
     farther than both distances; one that starts at the surface and ends outside does not touch. */
  const int is_outside = before > negate(s->margin);
  const int is_long = before > GRID_CONTACT && before + after < GRID_SLOPE * length;
  if (is_outside && (after < 0.0f ? !same_side : is_long)) {
    s->touches = 0;
    s->penetration = 0.0f;
    trace_grid(c, g, s, before);
    if (s->touches == 0 && after < 0.0f) {
      s->normal = normal;
      s->penetration = negate(after);
      s->touches = 1;
    }
  }
}

#endif

/// Collider shapes ///

/*
 * Signed distances of points from the surfaces of colliders, and bounds of their shapes. The distance functions take
 * points in the collider's local axes [m] and give the distance, negative inside, and in *normal the unit direction in
 * which it grows. All are exact outside, so a point can move by its distance without entering the shape. Lengths that
 * a shape does not use are 0 in the collider. `g` is the geometry of the collider, NULL without. Reads and writes no
 * cloth.
 */

/* A point closer than this to a centre or an axis [m] has no direction from it and gets a fixed normal. Just above
   STATE_QUANTUM, the smallest length that lanes3_length() gives beside 0; a length of 0 would be divided by. */
#define NORMAL_MIN_LENGTH 1.0e-9f

CLOTH_INLINE lanes distance_to_sphere(lanes3 p, lanes radius, lanes3 *normal) {
  lanes length = lanes3_length(p);
  lanes min_length = lanes_splat(NORMAL_MIN_LENGTH);
  lanes3 outward = lanes3_scale(p, lanes_divide(lanes_splat(1.0f), lanes_maximum(length, min_length)));
  *normal = lanes3_select(lanes_less(min_length, length), outward, lanes3_splat(vector(0.0f, 1.0f, 0.0f)));
  return lanes_subtract(length, radius);
}

/* Lower bound of the squared cosine of a capsule's lean, which the cone's length is divided and multiplied by.
   find_shape_fault() admits capsules with a squared cosine of 0.0019 and more. */
#define CAPSULE_MIN_COSINE_SQUARED 1.0e-6f

/* Two spheres and the cone that touches both. In the plane through the axis and the point the cone is a line whose
   normal leans by sine = (r0 - r1) / length towards the upper sphere. A point whose projection onto that line falls
   below or above the cone is nearest to the lower or the upper sphere. */
CLOTH_INLINE lanes distance_to_capsule(const cloth_collider *body, lanes3 p, lanes3 *normal) {
  float length = 2.0f * body->half_height;
  float lean = (body->radius - body->radius_top) / length;
  float slope = square_root(maximum(1.0f - lean * lean, CAPSULE_MIN_COSINE_SQUARED));
  lanes zero = lanes_splat(0.0f);
  lanes sine = lanes_splat(lean);
  lanes cosine = lanes_splat(slope);
  lanes radial = lanes3_length(lanes3_of(p.x, zero, p.z));       /* from the axis */
  lanes height = lanes_add(p.y, lanes_splat(body->half_height)); /* above the centre of the lower sphere */
  lanes along = lanes_subtract(lanes_multiply(height, cosine), lanes_multiply(radial, sine)); /* the line */
  lanes_mask low = lanes_less(along, zero);
  lanes_mask high = lanes_less(lanes_splat(length * slope), along);
  lanes3 sphere_normal;
  lanes from_centre = lanes_select(low, height, lanes_subtract(height, lanes_splat(length)));
  lanes radius = lanes_select(low, lanes_splat(body->radius), lanes_splat(body->radius_top));
  lanes sphere = distance_to_sphere(lanes3_of(p.x, from_centre, p.z), radius, &sphere_normal);
  lanes min_length = lanes_splat(NORMAL_MIN_LENGTH);
  lanes outward = lanes_divide(cosine, lanes_maximum(radial, min_length));
  lanes_mask off_axis = lanes_less(min_length, radial);
  lanes3 cone_normal = lanes3_of(lanes_select(off_axis, lanes_multiply(p.x, outward), cosine), sine,
                                 lanes_keep(off_axis, lanes_multiply(p.z, outward)));
  lanes cone = lanes_add(lanes_multiply(radial, cosine), lanes_multiply(height, sine));
  cone = lanes_subtract(cone, lanes_splat(body->radius));
  *normal = lanes3_select(low, sphere_normal, lanes3_select(high, sphere_normal, cone_normal));
  return lanes_select(low, sphere, lanes_select(high, sphere, cone));
}

/* A box is symmetric, so the distance is that of |p|: `excess` is how far |p| is beyond the faces, negative inside. The
   distance of a point outside is the length of the positive excesses; inside it is the largest excess, that of the
   nearest face. */
CLOTH_INLINE lanes distance_to_box(cloth_vector half, lanes3 p, lanes3 *normal) {
  lanes zero = lanes_splat(0.0f);
  lanes3 sign = lanes3_of(lanes_sign(p.x), lanes_sign(p.y), lanes_sign(p.z));
  lanes3 excess = lanes3_of(lanes_multiply(p.x, sign.x), lanes_multiply(p.y, sign.y), lanes_multiply(p.z, sign.z));
  excess = lanes3_subtract(excess, lanes3_splat(half));
  lanes largest = lanes_maximum(excess.x, lanes_maximum(excess.y, excess.z));
  lanes3 beyond =
      lanes3_of(lanes_maximum(excess.x, zero), lanes_maximum(excess.y, zero), lanes_maximum(excess.z, zero));
  lanes3 outside_normal;
  lanes outside = distance_to_sphere(beyond, zero, &outside_normal);
  lanes_mask not_x = lanes_less(excess.x, lanes_maximum(excess.y, excess.z));
  lanes_mask not_y = lanes_less(excess.y, excess.z);
  lanes one = lanes_splat(1.0f);
  lanes3 face_normal = lanes3_of(lanes_select(not_x, zero, one), lanes_keep(not_x, lanes_select(not_y, zero, one)),
                                 lanes_keep(not_x, lanes_keep(not_y, one)));
  lanes_mask is_outside = lanes_less(lanes_splat(STATE_QUANTUM), largest);
  lanes3 outward = lanes3_select(is_outside, outside_normal, face_normal);
  *normal = lanes3_of(lanes_multiply(outward.x, sign.x), lanes_multiply(outward.y, sign.y),
                      lanes_multiply(outward.z, sign.z));
  return lanes_select(is_outside, outside, largest);
}

/* Half the third side of the box that stands for a cylinder's cross-section [m]: as large as a cylinder may be, so that
   the faces of this side are never the nearest. */
#define CYLINDER_HALF_DEPTH 1.0e4f

/* The solid that a rectangle sweeps about the y axis: the distance of the point (distance from the axis, y) from the
   rectangle, which is a box that reaches far in the third direction. */
CLOTH_INLINE lanes distance_to_cylinder(const cloth_collider *body, lanes3 p, lanes3 *normal) {
  lanes zero = lanes_splat(0.0f);
  lanes radial = lanes3_length(lanes3_of(p.x, zero, p.z));
  lanes3 flat_normal;
  cloth_vector half = vector(body->radius, body->half_height, CYLINDER_HALF_DEPTH);
  lanes distance = distance_to_box(half, lanes3_of(radial, p.y, zero), &flat_normal);
  lanes min_length = lanes_splat(NORMAL_MIN_LENGTH);
  lanes_mask off_axis = lanes_less(min_length, radial);
  lanes outward = lanes_divide(flat_normal.x, lanes_maximum(radial, min_length));
  *normal = lanes3_of(lanes_select(off_axis, lanes_multiply(p.x, outward), flat_normal.x), flat_normal.y,
                      lanes_keep(off_axis, lanes_multiply(p.z, outward)));
  return distance;
}

/* Distances of a block of local points from a collider of any shape but those with is_concave(). */
CLOTH_ONCE lanes distance_to_body(const cloth_collider *body, const cloth_geometry *g, lanes3 p, lanes3 *normal) {
  (void)g;
  switch (body->shape) {
#if WITH_HULL
  case CLOTH_SHAPE_HULL:
    return distance_to_hull(g, p, normal);
#endif
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

/* Distance of one local point, with the bits that a lane of distance_to_body() has; also from a distance grid. */
CLOTH_SEPARATE float distance_of_point(const cloth_collider *body, const cloth_geometry *g, cloth_vector p,
                                       cloth_vector *normal) {
#if WITH_DISTANCE_GRID
  if (body->shape == CLOTH_SHAPE_DISTANCE_GRID) {
    return distance_in_grid(g, p, normal);
  }
#endif
  lanes3 outward;
  float distance = lanes_first_value(distance_to_body(body, g, lanes3_splat(p), &outward));
  *normal = vector(lanes_first_value(outward.x), lanes_first_value(outward.y), lanes_first_value(outward.z));
  return distance;
}

/* The part of the half extents of a box that lies along the longest. */
static cloth_vector longest_extent(cloth_vector h) {
  int is_x = h.x >= h.y && h.x >= h.z;
  int is_y = !is_x && h.y >= h.z;
  return vector(is_x ? h.x : 0.0f, is_y ? h.y : 0.0f, is_x || is_y ? 0.0f : h.z);
}

/* A capsule that holds a collider other than a plane: its axis lies along the collider's longest extent and leads, in
   axes that are turned by `rotation` from the local ones, from *from to *from + *along, relative to the collider's
   position [m]. Returns its radius [m]. */
static float capsule_around(const cloth_collider *body, const cloth_geometry *g, cloth_rotation rotation,
                            cloth_vector *from, cloth_vector *along) {
  float reach = maximum(body->radius, body->radius_top);
  cloth_vector half = vector(0.0f, body->half_height, 0.0f), centre = vector(0.0f, 0.0f, 0.0f);
  if (g) {
    cloth_vector h = vector_scale(vector_subtract(g->high, g->low), 0.5f);
    centre = vector_add(g->low, h);
    half = longest_extent(h);
    reach = vector_length(vector_subtract(h, half));
  }
  if (body->shape == CLOTH_SHAPE_BOX) {
    half = longest_extent(body->half_extents);
    reach = vector_length(vector_subtract(body->half_extents, half));
  }
  half = rotate(rotation, half);
  *from = vector_scale(half, -1.0f);
  if (g) {
    *from = vector_add(*from, rotate(rotation, centre));
  }
  *along = vector_flush(vector_scale(half, 2.0f), STATE_QUANTUM);
  return reach;
}

/* The reach of a plane [m]: farther than any particle can be from it, so that it is always near. */
#define PLANE_REACH 1.0e9f

/* Largest distance of a collider's surface from its position [m], or a little more. */
static float body_reach(const cloth_collider *body, const cloth_geometry *g) {
  if (g) {
    const cloth_vector low = vector_subtract(vector(0.0f, 0.0f, 0.0f), g->low);
    return body->shape == CLOTH_SHAPE_HEIGHT_FIELD
               ? PLANE_REACH
               : vector_length(vector(maximum(low.x, g->high.x), maximum(low.y, g->high.y), maximum(low.z, g->high.z)));
  }
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
    return PLANE_REACH;
  }
}

/// The origin of a step ///

/*
 * Inside a step positions are relative to a point near the cloth, workspace.origin. A position has the resolution of a
 * float, which 30 m from zero is 2e-6 m. A solve that moves particles rounds them to it, and over a substep of 0.6 ms
 * that is a velocity of 1e-3 m/s, which adds up over the substeps to trembling. So the positions of the particles are
 * moved when a step begins and moved back when it ends; only the second rounds them, and no velocity comes of that.
 * Whatever else holds a position, as colliders and targets, is taken relative to the same point where it is read.
 *
 * The point is whole metres from the origin of the cloth, and no farther from zero, on each axis, than twice the
 * nearest particle. A coordinate x less such a metre count is a float of no more bits than x: moving there is exact,
 * and a particle that does not move in the step, as a pin, is afterwards where it was, to the bit.
 *
 * In and out: positions (state), workspace.origin. Scratch: none.
 */

#if WITH_ORIGIN || WITH_SHARED_BODIES

/* The largest whole number that is not above a coordinate. */
static int32_t whole_below(float a) {
  const int32_t whole = (int32_t)a;
  return (float)whole > a ? whole - 1 : whole;
}

#endif

#if WITH_ORIGIN || WITH_COLLIDERS

/* 1 if no component is larger than `limit`. */
static int are_metres_within(cloth_metres a, int32_t limit) {
  return a.x >= -limit && a.x <= limit && a.y >= -limit && a.y <= limit && a.z >= -limit && a.z <= limit;
}

#endif

/* A box along the axes [m]. */
typedef struct position_box {
  cloth_vector low, high;
} position_box;

/* The least and the largest of the components of lanes, whatever their order. */
CLOTH_INLINE void widen_range(lanes low, lanes high, float *least, float *largest) {
  float lows[CLOTH_LANES], highs[CLOTH_LANES];
  lanes_store(lows, low);
  lanes_store(highs, high);
  *least = lows[0];
  *largest = highs[0];
  for (int32_t lane = 1; lane < CLOTH_LANES; lane++) {
    *least = minimum(lows[lane], *least);
    *largest = maximum(highs[lane], *largest);
  }
}

/* The box around all particles. */
CLOTH_SEPARATE position_box box_around(const cloth *c) {
  const vector_array x = vectors_at(c, c->state.position);
  const lanes3 first = lanes3_splat(vector_load(x, 0));
  lanes3 low = first, high = first;
  EACH_BLOCK(i, left, c->count, {
    const lanes3 p = lanes3_select(lanes_first(left), lanes3_load(x, i), first);
    low = lanes3_minimum(p, low);
    high = lanes3_maximum(p, high);
  });
  position_box box;
  widen_range(low.x, high.x, &box.low.x, &box.high.x);
  widen_range(low.y, high.y, &box.low.y, &box.high.y);
  widen_range(low.z, high.z, &box.low.z, &box.high.z);
  return box;
}

/* A whole metre near the middle of a range of coordinates, no farther from zero than twice the end that is nearer to
   it; 0 for a range that reaches zero. */
static float step_origin_of(float low, float high) {
  const float nearest = maximum(low, negate(high));
  const float middle = 0.5f * (low + high);
  const float whole = (float)(int32_t)minimum(maximum(middle, negate(middle)), 2.0f * nearest);
  if (!(nearest > 0.0f)) {
    return 0.0f;
  }
  return low > 0.0f ? whole : negate(whole);
}

/* A cloth whose farthest coordinate is more than this many times the shorter rest length of its cells is far from its
   origin: floats there are coarser than a 512th of a cell. */
#define FAR_CELLS 32768.0f

/* Sets the origin of a step for a cloth in this box. Returns 1 if the cloth is far from its origin. */
static int set_step_origin(const cloth *c, const position_box *box) {
  const float *low = &box->low.x, *high = &box->high.x;
  float *origin = &workspace_of(c)->origin.x;
  float reach = 0.0f, farthest = 0.0f;
  for (int32_t axis = 0; axis < 3; axis++) {
    origin[axis] = step_origin_of(low[axis], high[axis]);
    reach = maximum(maximum(origin[axis], negate(origin[axis])), reach);
    farthest = maximum(maximum(high[axis], negate(low[axis])), farthest);
  }
  workspace_of(c)->origin_reach = reach;
  return farthest > FAR_CELLS * minimum(c->grid.spacing_warp, c->grid.spacing_weft);
}

/* Moves the particles by the origin of the step, unless that is zero: towards it with a `sign` of -1, when a step
   begins, and back with 1. */
CLOTH_SEPARATE void move_by_step_origin(const cloth *c, float sign) {
  const vector_array x = vectors_at(c, c->state.position);
  const workspace *w = workspace_of(c);
  if (w->origin_reach > 0.0f) {
    const lanes3 d = lanes3_splat(vector_scale(w->origin, sign));
    EACH_BLOCK(i, left, c->count, lanes3_store(x, i, lanes3_add(lanes3_load(x, i), d), left));
  }
}

/* Ends a step: moves the particles back. What is read outside of a step is relative to the origin of the cloth. */
static void leave_step_origin(const cloth *c) {
  move_by_step_origin(c, 1.0f);
  workspace_of(c)->origin = vector(0.0f, 0.0f, 0.0f);
  workspace_of(c)->origin_reach = 0.0f;
}

/* Cost per particle of moving the origin in the world. */
static uint32_t follow_cost(const cloth *c) {
  return inputs_of(c)->targets == TARGETS_NONE ? COST_FOLLOW : COST_FOLLOW + COST_CARRIED;
}

/* A position as the step has it [m]. */
static cloth_vector place_in_step(const cloth *c, cloth_vector position) {
  return vector_subtract(position, workspace_of(c)->origin);
}

/* A pose of a collider as the step has it. */
static cloth_pose pose_in_step(const cloth *c, const cloth_pose *pose) {
  cloth_pose placed = *pose;
  placed.position = place_in_step(c, pose->position);
  return placed;
}

/* Is a position of the step within the range of positions of the cloth? Not if it is NaN. */
static int is_step_place(const cloth *c, cloth_vector position) {
  return vector_in_range(vector_add(position, workspace_of(c)->origin), CLOTH_POSITION_LIMIT);
}

/// Uniform lines ///

/*
 * A line is uniform if every particle on it has mobility 1 (it is free and of the reference mass) and every spring has
 * stiffness factor 1. Where all lines of a bundle are uniform, bending takes the factors that plan_bend_lines()
 * computes once a step, with the same bits. In: pins, mass and stiffness maps; scratch.mobility, which
 * prepare_particles() has set. Out: scratch.uniform_lines, a byte of flags for each row, then one for each block of
 * LINE_BLOCK columns. Scratch: no other.
 */

#define LINES_UNIFORM 1 /* all particles and springs are */
#define LINES_PINNED 2  /* a particle of mobility 0 is among them */
#define LINES_TWICE 4   /* two or more are: strain limits may contradict them */

/* The flags of the rows. */
static uint8_t *line_flags_of_rows(const cloth *c) {
  return (uint8_t *)at(c, c->scratch.uniform_lines);
}

/* Those of the block that holds a column. */
static uint8_t *line_flags_of_columns(const cloth *c, int32_t column) {
  return line_flags_of_rows(c) + c->grid.rows + column / LINE_BLOCK;
}

/* 1 if lines may be uniform at all. */
static int may_be_uniform(const cloth *c) {
  return !c->constant.stiffness_map && !has_solver_contacts(c);
}

#if WITH_PLANNING

/* Does prepare_step() give a particle mobility 1? Does not read the mobility, so that bounds of work can be
   computed between steps, when the scratch holds anything. */
static int has_unit_mobility(const cloth *c, int32_t particle) {
  const int may_be_led = inputs_of(c)->targets != TARGETS_NONE && target_vectors(c, TARGET_LIMIT).x[particle] == 0.0f;
  return !is_pinned(c, particle) && !may_be_led && mass_ratio_at(c, particle) == 1.0f;
}

/* What find_uniform_lines() would return, between steps. */
static int32_t count_uniform_particles(const cloth *c) {
  int32_t count = 0;
  for (int32_t i = 0; i < c->count && may_be_uniform(c); i++) {
    count += has_unit_mobility(c, i);
  }
  return count;
}

#endif

/* The number of particles of mobility 1 among `count`, at most LINE_BLOCK. Whole blocks, which are most, take a few
   instructions. */
CLOTH_INLINE int32_t count_in_block(const float *mobility, int32_t count) {
  lanes deviation = lanes_splat(0.0f);
  for (int32_t n = 0; n < count; n += CLOTH_LANES) {
    const lanes difference = lanes_subtract(lanes_load(mobility + n), lanes_splat(1.0f));
    deviation = lanes_maximum(deviation, lanes_keep(lanes_first(count - n), lanes_absolute(difference)));
  }
  if (!lanes_any(lanes_less(lanes_splat(0.0f), deviation))) {
    return count;
  }
  int32_t uniform = 0;
  for (int32_t n = 0; n < count; n++) {
    uniform += mobility[n] == 1.0f;
  }
  return uniform;
}

/* Flags of `count` particles, at most LINE_BLOCK, of which as many as `uniform` have mobility 1. */
static uint8_t flags_of_block(const float *mobility, int32_t count, int32_t uniform) {
  int32_t pins = 0;
  for (int32_t n = 0; n < count && uniform < count; n++) {
    pins += mobility[n] == 0.0f;
  }
  return (uint8_t)((uniform == count ? LINES_UNIFORM : 0) | (pins > 0 ? LINES_PINNED : 0) |
                   (pins > 1 ? LINES_TWICE : 0));
}

/* Flags of lines with those of more particles. */
static uint8_t joined_flags(uint8_t a, uint8_t b) {
  return (uint8_t)((a & b & LINES_UNIFORM) | ((a | b) & (LINES_PINNED | LINES_TWICE)) |
                   (a & b & LINES_PINNED ? LINES_TWICE : 0));
}

/* Finds the uniform lines. Returns the number of particles of mobility 1; 0 if no line may be uniform. */
CLOTH_SEPARATE int32_t find_uniform_lines(const cloth *c) {
  const float *mobility = floats_at(c, c->scratch.mobility);
  const int32_t columns = c->grid.columns, may_be = may_be_uniform(c);
  int32_t total = 0;
  for (int32_t column = 0; column < columns; column += LINE_BLOCK) {
    *line_flags_of_columns(c, column) = (uint8_t)(may_be ? LINES_UNIFORM : 0);
  }
  for (int32_t row = 0; row < c->grid.rows; row++) {
    uint8_t *of_row = line_flags_of_rows(c) + row;
    *of_row = (uint8_t)(may_be ? LINES_UNIFORM : 0);
    for (int32_t column = 0; column < columns; column += LINE_BLOCK) {
      const float *block = mobility + row * columns + column;
      const int32_t left = columns - column < LINE_BLOCK ? columns - column : LINE_BLOCK;
      const int32_t uniform = count_in_block(block, left);
      const uint8_t flags = flags_of_block(block, left, uniform);
      uint8_t *of_columns = line_flags_of_columns(c, column);
      *of_columns = joined_flags(*of_columns, flags);
      *of_row = joined_flags(*of_row, flags);
      total += uniform;
    }
  }
  return may_be ? total : 0;
}

/// Vertex layouts ///

/* Interleaved vertices in the caller's memory, as cloth_write_vertices() writes and cloth_move_targets() reads them. */

#if WITH_TARGETS || WITH_VERTICES || WITH_SKIN

#define MAX_VERTEX_BYTES 65536 /* far beyond any vertex; keeps sizes of buffers from overflowing 32 bits */

/* Does an attribute of so many floats lie within a vertex? */
static int attribute_fits(int32_t offset, int32_t floats, int32_t stride) {
  return offset == CLOTH_ATTRIBUTE_NONE || (offset >= 0 && offset <= stride - floats * (int32_t)sizeof(float));
}

#if WITH_TARGETS || WITH_VERTICES

/* Vertices of a row. On a tube the first column is there twice, with u = 0 and with u = 1. */
static int32_t row_vertices(const cloth *c) {
  return cells_along_warp(c) + 1;
}

/* Does a layout fit its stride, and has the buffer room for all vertices? */
static int check_vertices(const cloth *c, const cloth_vertex_layout *layout, size_t bytes) {
  if (layout->stride < 1 || layout->stride > MAX_VERTEX_BYTES ||
      !attribute_fits(layout->position_offset, 3, layout->stride) ||
      !attribute_fits(layout->normal_offset, 3, layout->stride) ||
      !attribute_fits(layout->texcoord_offset, 2, layout->stride) ||
      bytes / (size_t)layout->stride < (size_t)(row_vertices(c) * c->grid.rows)) {
    return CLOTH_ERROR_BUFFER;
  }
  return CLOTH_OK;
}

#endif

/* Largest component of a normal or tangent, which need not be of unit length: its square stays far below the largest
   float. */
#define ATTRIBUTE_LIMIT 1.0e6f

/* The caller's buffer may have any alignment. */
CLOTH_INLINE void copy_floats(void *to, const void *from, int32_t count) {
  copy_memory(to, from, (size_t)count * sizeof(float));
}

#endif

/// Bodies ///

/*
 * Colliders with mass: rigid bodies that the cloth moves within the substeps. A substep begins with the body's free
 * motion over it, by its own velocity and gravity: contact and attachments see it move from there to there. What they
 * take from the momentum of the cloth the body gets at once; at the end of the substep it is moved again from where
 * it began, with the velocity that it now has. Between bodies, and against the rest of the world, nothing acts here:
 * that is left to the engine that the bodies belong to.
 *
 * The velocity of rotation changes with the rotation so that the angular momentum is kept.
 *
 * In: bodies (state), collider slots, gravity, impulses. Out: velocities of the bodies, poses of their colliders, in
 * slot.previous at the substep's start and in slot.body.pose at its end. Scratch: none.
 */

#if WITH_BODIES

static rigid_body *bodies_of(const cloth *c) {
  return (rigid_body *)at(c, c->state.bodies);
}

/* The body of a collider, or NULL. */
static rigid_body *find_body(const cloth *c, int32_t collider) {
  for (int32_t n = 0; n < inputs_of(c)->body_count; n++) {
    if (bodies_of(c)[n].collider == collider) {
      return &bodies_of(c)[n];
    }
  }
  return NULL;
}

static attachment *attachments_of(const cloth *c) {
  return (attachment *)at(c, c->state.attachments);
}

/* The attachment of a particle, or NULL. */
static attachment *find_attachment(const cloth *c, int32_t particle) {
  for (int32_t n = 0; n < inputs_of(c)->attachment_count; n++) {
    if (attachments_of(c)[n].particle == particle) {
      return &attachments_of(c)[n];
    }
  }
  return NULL;
}

/* 1 if a particle is attached to a body: it moves with the cloth, and anchors nothing. */
static int is_on_body(const cloth *c, int32_t particle) {
  const attachment *a = find_attachment(c, particle);
  return a && find_body(c, a->collider);
}

/* Ends the attachment of a particle, which stays pinned. The others keep their order. */
static void remove_attachment(const cloth *c, int32_t particle) {
  attachment *a = find_attachment(c, particle);
  if (a) {
    attachment *last = attachments_of(c) + --inputs_of(c)->attachment_count;
    for (; a < last; a++) {
      *a = a[1];
    }
    fill_zero(last, sizeof *last);
  }
}

/* The number of a collider among the bodies, or -1. */
static int32_t body_number(const cloth *c, int32_t collider) {
  const rigid_body *body = find_body(c, collider);
  return body ? (int32_t)(body - bodies_of(c)) : -1;
}

/* Takes the mass from a collider. The list stays in the order in which bodies were made. */
static void remove_body(const cloth *c, int32_t collider) {
  int32_t n = body_number(c, collider), *count = &inputs_of(c)->body_count;
  if (n < 0) {
    return;
  }
  for (*count -= 1; n < *count; n++) {
    bodies_of(c)[n] = bodies_of(c)[n + 1];
  }
  fill_zero(&bodies_of(c)[n], sizeof(rigid_body));
  wake(c);
}

/* Inverse of the mass of a body with the particles that are attached to it [1/kg]. */
static float inverse_mass_of(const cloth *c, const rigid_body *b) {
  float mass = b->mass;
  for (int32_t n = 0; n < inputs_of(c)->attachment_count; n++) {
    const attachment *a = &attachments_of(c)[n];
    mass += a->collider == b->collider ? reference_mass(c) * mass_ratio_at(c, a->particle) : 0.0f;
  }
  return 1.0f / mass;
}

/* 1 / a; 0 for 0, which stands for a body that no torque turns. */
static float inverse_or_zero(float a) {
  return a > 0.0f ? 1.0f / a : 0.0f;
}

/* A vector in world axes times the inertia of a body, or with `inverts` its inverse, in the orientation q. */
static cloth_vector apply_inertia(const rigid_body *b, cloth_rotation q, cloth_vector a, int inverts) {
  a = vector_flush_work(rotate(rotation_conjugate(q), a));
  const cloth_vector i = b->inertia;
  const cloth_vector factor = inverts ? vector(inverse_or_zero(i.x), inverse_or_zero(i.y), inverse_or_zero(i.z)) : i;
  return vector_flush_work(rotate(q, vector(a.x * factor.x, a.y * factor.y, a.z * factor.z)));
}

/* What the particles attached to a body add to the velocity of body and particles together, that of their momentum,
   beside the body's own. During a substep rigid_body.velocity is the former: impulses change it alone. With `q`, the
   body's orientation, the particles turn with it; NULL: they have their own velocities, as when a substep begins. */
static cloth_vector attached_lead(const cloth *c, const rigid_body *b, const cloth_rotation *q) {
  cloth_vector sum = {0.0f, 0.0f, 0.0f};
  for (int32_t n = 0; n < inputs_of(c)->attachment_count; n++) {
    const attachment *a = &attachments_of(c)[n];
    if (a->collider == b->collider) {
      const float share = reference_mass(c) * mass_ratio_at(c, a->particle) * inverse_mass_of(c, b);
      cloth_vector relative = vector_subtract(vector_load(vectors_at(c, c->state.velocity), a->particle), b->velocity);
      if (q) {
        relative = vector_cross(b->spin, vector_flush_work(rotate(*q, a->point)));
      }
      sum = vector_add_scaled(sum, vector_flush_work(relative), share);
    }
  }
  return sum;
}

/* The pose of a body after h seconds. */
static cloth_pose moved_pose(const cloth *c, const rigid_body *b, const cloth_pose *from, float h) {
  cloth_pose to;
  const cloth_vector half = vector_flush_work(vector_scale(b->spin, 0.5f * h));
  const cloth_rotation rotated = {half.x, half.y, half.z, 1.0f};
  const cloth_vector velocity = vector_subtract(b->velocity, attached_lead(c, b, &from->rotation));
  to.position = vector_flush(vector_add_scaled(from->position, velocity, h), STATE_QUANTUM);
  to.rotation =
      half.x == 0.0f && half.y == 0.0f && half.z == 0.0f ? from->rotation : rotation_product(rotated, from->rotation);
  return to;
}

/* Begins a substep: where the bodies would be at its end without the cloth. */
CLOTH_SEPARATE void start_bodies(const cloth *c, const step_plan *plan) {
  for (int32_t n = 0; n < inputs_of(c)->body_count; n++) {
    rigid_body *b = &bodies_of(c)[n];
    collider_slot *slot = &colliders_of(c)[b->collider];
    /* The weight of attached particles comes with what they do to the body. */
    const float own_share = b->mass * inverse_mass_of(c, b);
    b->velocity = vector_add(b->velocity, attached_lead(c, b, NULL));
    b->velocity = vector_add_scaled(b->velocity, inputs_of(c)->gravity, plan->h * own_share * b->gravity);
    b->velocity = vector_flush(b->velocity, STATE_QUANTUM);
    slot->previous = slot->body.pose;
    slot->body.pose = moved_pose(c, b, &slot->previous, plan->h);
  }
}

/* Gives a body an impulse [N s] and an angular impulse about its position [N m s]. */
CLOTH_SEPARATE void push_body(const cloth *c, rigid_body *b, cloth_vector impulse, cloth_vector torque) {
  const cloth_rotation q = colliders_of(c)[b->collider].previous.rotation;
  b->velocity = vector_add_scaled(b->velocity, vector_flush(impulse, INPUT_QUANTUM), inverse_mass_of(c, b));
  b->velocity = vector_flush(b->velocity, STATE_QUANTUM);
  b->spin = vector_add(b->spin, apply_inertia(b, q, torque, 1));
  b->spin = vector_flush(b->spin, STATE_QUANTUM);
}

/* The rotation by an angular impulse, both in the body's axes. */
static cloth_vector local_turn(const rigid_body *b, cloth_vector torque) {
  torque = vector_flush(torque, INPUT_QUANTUM);
  return vector(torque.x * inverse_or_zero(b->inertia.x), torque.y * inverse_or_zero(b->inertia.y),
                torque.z * inverse_or_zero(b->inertia.z));
}

/* What a unit impulse along a unit vector, at `arm` from the body's position, changes the velocity of that point by,
   along that vector [1/kg]. All in the body's axes; `inverse_mass` is that of the body. */
static float local_inverse_mass(const rigid_body *b, float inverse_mass, cloth_vector arm, cloth_vector along) {
  const cloth_vector moment = vector_flush_work(vector_cross(vector_flush_work(arm), along));
  return inverse_mass + maximum(vector_dot(moment, vector_flush_work(local_turn(b, moment))), 0.0f);
}

/* Keeps each component of a vector within +-limit; 0 if it is no number. */
static cloth_vector limited_vector(cloth_vector a, float limit) {
  if (!vector_is_finite(a)) {
    return vector(0.0f, 0.0f, 0.0f);
  }
  return vector(maximum(minimum(a.x, limit), -limit), maximum(minimum(a.y, limit), -limit),
                maximum(minimum(a.z, limit), -limit));
}

/* Moves the bodies anew with the velocities that they have now. One that would leave the world stops. `turns` 1, at the
   end of a substep: their spins change with their rotations, which keeps the angular momenta. */
CLOTH_SEPARATE void move_bodies(const cloth *c, const step_plan *plan, int turns) {
  for (int32_t n = 0; n < inputs_of(c)->body_count; n++) {
    rigid_body *b = &bodies_of(c)[n];
    collider_slot *slot = &colliders_of(c)[b->collider];
    b->velocity = limited_vector(b->velocity, CLOTH_SPEED_LIMIT);
    b->spin = limited_vector(b->spin, MAX_SPIN);
    const cloth_vector momentum = apply_inertia(b, slot->previous.rotation, b->spin, 0);
    cloth_pose to = moved_pose(c, b, &slot->previous, plan->h);
    if (!vector_in_range(to.position, CLOTH_POSITION_LIMIT)) {
      to.position = slot->previous.position;
      b->velocity = vector(0.0f, 0.0f, 0.0f);
    }
    if (turns && b->inertia.x > 0.0f) {
      b->spin = limited_vector(apply_inertia(b, to.rotation, momentum, 1), MAX_SPIN);
      b->spin = vector_flush(b->spin, STATE_QUANTUM);
    }
    if (turns) {
      b->velocity = vector_subtract(b->velocity, attached_lead(c, b, &to.rotation));
      b->velocity = limited_vector(vector_flush(b->velocity, STATE_QUANTUM), CLOTH_SPEED_LIMIT);
    }
    slot->body.pose = to;
  }
}

#if WITH_SLEEP

/* 1 if every body is at most as fast as sleep.speed, on its surface, too. */
static int are_bodies_at_rest(const cloth *c) {
  const float most = c->settings.sleep.speed;
  for (int32_t n = 0; n < inputs_of(c)->body_count; n++) {
    const rigid_body *b = &bodies_of(c)[n];
    const cloth_collider *body = &colliders_of(c)[b->collider].body;
    const float reach = body_reach(body, geometry_of(c, body));
    if (!(vector_length(b->velocity) <= most && vector_length(b->spin) * reach <= most)) {
      return 0;
    }
  }
  return 1;
}

static void stop_bodies(const cloth *c) {
  for (int32_t n = 0; n < inputs_of(c)->body_count; n++) {
    bodies_of(c)[n].velocity = vector(0.0f, 0.0f, 0.0f);
    bodies_of(c)[n].spin = vector(0.0f, 0.0f, 0.0f);
  }
}

#endif

#else

#if WITH_SLEEP || WITH_PROJECTION
static int is_on_body(const cloth *c, int32_t particle) {
  (void)c;
  (void)particle;
  return 0;
}
#endif

#if WITH_SLEEP
static int are_bodies_at_rest(const cloth *c) {
  (void)c;
  return 1;
}
#endif

static int32_t body_number(const cloth *c, int32_t collider) {
  (void)c;
  (void)collider;
  return -1;
}

#endif

/* The pose of a collider when a substep, the present one or the next, begins. A body's poses are those of the present
   substep. */
static cloth_pose collider_pose(const cloth *c, const step_plan *plan, int32_t index, int32_t substep) {
  const collider_slot *slot = slot_at(c, index);
  float share = (float)substep / (float)plan->substeps;
  if (body_number(c, index) >= 0) {
    share = substep > plan->index ? 1.0f : 0.0f;
  }
  const cloth_pose from = pose_in_step(c, &slot->previous), to = pose_in_step(c, &slot->body.pose);
  return pose_between(&from, &to, share);
}

/* Adds to a collider's reaction an impulse [N s], and its angular impulse about the collider's position [N m s]. */
static void add_to_reaction(const cloth *c, int32_t collider, cloth_vector impulse, cloth_vector torque) {
  cloth_reaction *reaction = &reactions_of(c)[collider];
  reaction->impulse = vector_add(reaction->impulse, impulse);
  reaction->torque = vector_add(reaction->torque, torque);
}

/* The same; a body is moved by them. */
static void receive_impulse(const cloth *c, int32_t collider, cloth_vector impulse, cloth_vector torque) {
  add_to_reaction(c, collider, impulse, torque);
#if WITH_BODIES
  rigid_body *body = find_body(c, collider);
  if (body) {
    push_body(c, body, impulse, torque);
  }
#endif
}

/// Contact pushes ///

/*
 * Warm starting of contact by projection (Catto, "Iterative Dynamics with Temporal Coherence", 2005). The springs of a
 * loaded sheet pull a particle on a rim into the body in every substep, and contact, which comes after them, moves it
 * out again: the springs beside it stay stretched, the more the longer the substep. So each particle in contact keeps
 * the displacement by which contact moved it, normal part and friction: its push. The next prediction starts with it,
 * and the springs find their lengths as if the body held the particle. Before contact is resolved anew the push is
 * taken back, so that contact decides afresh what the body does: it never pulls, and friction has its usual bound.
 *
 * A push follows what contact does slowly, by PUSH_SHARE of the difference in each substep, and what it follows exceeds
 * it by no more than a particle falls in a substep. Springs answer a push within the same substep, but the particles
 * beside it keep the speed that they got: with larger shares drapes shake for ever. An impact, which does not last, is
 * not repeated. Pushes are no longer than the spacing of the particles and the thickness of the cloth: beyond, the
 * surface has another direction where a push leads to.
 *
 * The state has no room of its own for pushes. Particles in contact have no history of velocities: their push takes the
 * place of the earliest velocity, until contact has been resolved in the next substep. There are no pushes without a
 * history (bdf2_blend 0), where springs act by forces, which would take the push for a velocity, and with contact in
 * the solver.
 *
 * In: velocity history, force_share, the plan. Out: the predicted positions and velocities, the velocity history.
 * Scratch: none.
 */

/* Share of the difference to what contact did that a push takes on in a substep. */
#define PUSH_SHARE 0.1f
/* Acceleration by which what a push follows may exceed it [m/s^2]. */
#define PUSH_GROWTH 9.81f
/* What force_share holds for a particle whose prediction starts with a push. Forces act on it at once, with share 1, as
   it has no history. */
#define SHARE_PUSHED 2.0f

/* 1 if particles may have pushes. */
static int has_contact_pushes(const cloth *c) {
  return WITH_COLLIDERS && WITH_PROJECTION && c->state.velocity_history && !has_solver_contacts(c) &&
         !workspace_of(c)->plan.forces && collider_end(c) > 0;
}

#if WITH_PROJECTION

/* The pushes of particles without a history, as kept in the substep before; 0 for the others. */
CLOTH_INLINE lanes3 kept_pushes(lanes3 earlier, lanes3 earliest, lanes mobility, lanes scale) {
  const lanes_mask pushed = lanes_both(has_no_history(earlier.x), lanes_less(lanes_splat(0.0f), mobility));
  return lanes3_flush_below(lanes3_scale(lanes3_keep(pushed, earliest), scale), STATE_QUANTUM);
}

/* 1 where a push is not 0. */
CLOTH_INLINE lanes_mask is_push(lanes3 push) {
  const lanes size = lanes_add(lanes_add(lanes_absolute(push.x), lanes_absolute(push.y)), lanes_absolute(push.z));
  return lanes_less(lanes_splat(0.0f), size);
}

#endif

/* Which particles of a block have started this substep with a push. */
CLOTH_INLINE lanes_mask is_pushed(const cloth *c, int32_t i) {
  return lanes_less(lanes_splat(1.0f), lanes_load(floats_at(c, c->scratch.force_share) + i));
}

/* After contact: gives particles that no contact has moved the history of velocities that their push took the place of.
 */
CLOTH_HOT CLOTH_SEPARATE void forget_pushes(const cloth *c) {
  const vector_array earlier = history_of(c, 1), earliest = history_of(c, 2);
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    const lanes_mask pushed = lanes_both(is_pushed(c, i), lanes_first(c->count - i));
    if (lanes_any(pushed)) {
      const lanes3 velocity = lanes3_load(earlier, i), push = lanes3_load(earliest, i);
      const lanes3 first = lanes3_select(pushed, velocity, push);
      lanes3_store(earliest, i, lanes3_select(has_no_history(velocity.x), push, first), c->count - i);
    }
  }
}

/* The pushes of a block of particles that no contact has moved yet in this substep; 0 for the others. */
CLOTH_INLINE lanes3 pushes_of_block(const cloth *c, int32_t i) {
  const lanes3 none = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  if (!has_contact_pushes(c)) {
    return none;
  }
  const lanes3 push = lanes3_keep(is_pushed(c, i), lanes3_load(history_of(c, 2), i));
  return lanes3_select(has_no_history(lanes_load(history_of(c, 1).x + i)), none, push);
}

/* A vector that is no longer than `most`. */
CLOTH_INLINE lanes3 shortened(lanes3 a, lanes most) {
  const lanes length = lanes_maximum(lanes3_length(a), lanes_splat(STATE_QUANTUM));
  return lanes3_scale(a, lanes_minimum(lanes_divide(most, length), lanes_splat(1.0f)));
}

#if WITH_CONTACT_LINES

/* Added to components of a kept normal: to y if x is negative, to z if the particle sticks. Far above what a component
   of a unit vector may be. */
#define CONTACT_FLAG 8.0f
/* What the mark of a particle without a history of velocities is until the step ends: which collider it touches. */
#define CONTACT_MARK(collider) (HISTORY_INVALID + 1.0f + (float)(collider))

/* Strain beyond which springs beside contacts are taken back, for a rigid fabric. */
#define HELD_STRAIN 0.05f
/* Displacement by a contact over the spacing that may leave such a strain. */
#define TEARING_DISPLACEMENT 0.1f

/* Notes whether a contact has moved one of a block of particles so far that springs beside it may be too long.
   Displacements are 0 for particles that do not touch. */
CLOTH_INLINE void note_tearing(const cloth *c, lanes3 displacement) {
  const float least = TEARING_DISPLACEMENT * minimum(c->grid.spacing_warp, c->grid.spacing_weft);
  const lanes squared = lanes3_dot(displacement, displacement);
  workspace_of(c)->tears |= lanes_any(lanes_less(lanes_splat(least * least), squared));
}

/* 1 if lines over contacts are solved again. */
static int solves_contact_lines(const cloth *c, const step_plan *plan) {
  return c->scratch.contact_pull && plan->projects && has_contact_pushes(c);
}

/* Keeps the contacts of the chosen particles of a block with a collider in place of the velocity before the last, of
   which they have none, for contact_lines.h. */
CLOTH_INLINE void keep_contacts(const cloth *c, int32_t collider, lanes_mask which, lanes3 normal, lanes_mask slides,
                                int32_t i) {
  const vector_array kept = history_of(c, 1);
  const lanes flag = lanes_splat(CONTACT_FLAG);
  const lanes y = lanes_add(normal.y, lanes_keep(lanes_less(normal.x, lanes_splat(0.0f)), flag));
  const lanes3 contact =
      lanes3_of(lanes_splat(CONTACT_MARK(collider)), y, lanes_add(normal.z, lanes_drop(slides, flag)));
  lanes3_store(kept, i, lanes3_select(which, contact, lanes3_load(kept, i)), c->count - i);
}

#endif

/* Lets the pushes of the chosen particles follow the displacements `change` by a contact, and keeps them for the next
   substep. In a substep with several contacts of a particle they follow the sum. */
CLOTH_INLINE void keep_pushes(const cloth *c, const step_plan *plan, lanes_mask which, lanes3 change, int32_t i) {
  lanes3 push = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  if (has_contact_pushes(c)) {
    const float spacing = minimum(c->grid.spacing_warp, c->grid.spacing_weft);
    const lanes longest = lanes_splat(minimum(spacing, c->settings.contact.thickness));
    const lanes_mask again = has_no_history(lanes_load(history_of(c, 1).x + i));
    const lanes3 kept = lanes3_load(history_of(c, 2), i);
    const lanes3 old = lanes3_keep(which, lanes3_select(again, kept, lanes3_keep(is_pushed(c, i), kept)));
    const lanes most = lanes_add(lanes3_length(old), lanes_splat(PUSH_GROWTH * plan->h * plan->h));
    lanes3 difference = lanes3_flush_below(lanes3_keep(which, change), STATE_QUANTUM);
    difference = shortened(difference, lanes_minimum(most, longest));
    difference = lanes3_select(again, difference, lanes3_subtract(difference, old));
    push = lanes3_add_scaled(old, difference, lanes_splat(PUSH_SHARE));
    push = lanes3_flush_below(push, STATE_QUANTUM);
  }
  invalidate_block_history(c, which, push, i, c->count - i);
}

/// Contact record ///

/*
 * What the contacts of a step did, for cloth_get_contacts(). In: contacts as contact.h and solver_contact.h resolve
 * them. Out: the record, in the cloth's own scratch, until the next step. It changes nothing else: no result of a step
 * depends on it. Its room is capacity.max_contacts entries; a contact that finds none is counted.
 *
 * A particle's entries, one for each collider that it has touched in the step, form a list that begins at its head. A
 * list is no longer than the number of colliders, which bounds the work. Heads and links are numbers of entries, from
 * 1; 0 ends a list. So the record is the same for any number of lanes: particles come in ascending order within a
 * collider, colliders in the order of their slots.
 */

/* 1 if contacts are recorded. */
static int has_contact_record(const cloth *c) {
  return WITH_CONTACT_RECORD && c->max_contacts > 0;
}

/* The number of entries in use; the heads of all particles follow it. */
static int32_t *recorded_of(const cloth *c) {
  return (int32_t *)at(c, c->own.contact_record);
}

/* Cost of recording a contact. */
static uint32_t record_cost(const cloth *c) {
  return has_contact_record(c) ? COST_RECORD : 0u;
}

/* Empties the record, before a step. */
static void clear_contact_record(const cloth *c) {
  if (has_contact_record(c)) {
    fill_zero(recorded_of(c), (1u + (size_t)(uint32_t)c->count) * sizeof(int32_t));
  }
}

#if WITH_CONTACT_RECORD

/* Entry `number` of the record, from 1. */
static contact_entry *contact_entry_at(const cloth *c, int32_t number) {
  contact_entry *first = (contact_entry *)(void *)(recorded_of(c) + 1 + c->count);
  return first + (number - 1);
}

/* The entry of a particle and a collider, a new one if there is none yet; NULL if the record is full. */
static contact_entry *find_contact_entry(const cloth *c, int32_t particle, int32_t collider) {
  int32_t *link = recorded_of(c) + 1 + particle;
  while (*link) {
    contact_entry *entry = contact_entry_at(c, *link);
    if (entry->contact.collider == collider) {
      return entry;
    }
    link = &entry->next;
  }
  if (*recorded_of(c) == c->max_contacts) {
    return NULL;
  }
  *link = ++*recorded_of(c);
  contact_entry *made = contact_entry_at(c, *link);
  fill_zero(made, sizeof *made);
  made->contact.particle = particle;
  made->contact.collider = collider;
  return made;
}

/* Records that in a substep, -1 if it lets go of the particle, a collider gave an impulse [N s] to a particle at
   `position` [m] along or beside the normal of its surface there. */
static void record_contact(const cloth *c, int32_t substep, int32_t particle, int32_t collider, cloth_vector position,
                           cloth_vector normal, cloth_vector impulse) {
  contact_entry *entry = find_contact_entry(c, particle, collider);
  if (!entry) {
    statistics_of(c)->contacts_dropped++;
    return;
  }
  entry->contact.is_touching = substep;
  entry->contact.position = vector_add(position, workspace_of(c)->origin); /* position is relative to it */
  entry->contact.normal = vector_flush_work(normal);
  entry->contact.impulse = vector_add(entry->contact.impulse, impulse);
}

/* What tells a collider of the step to the caller: its index; of a shared body its place in the table, behind the
   indices of the cloth's own colliders. */
static int32_t recorded_number(const cloth *c, int32_t index) {
  const int32_t body = index - c->settings.capacity.max_colliders;
  return body < 0 ? index : c->settings.capacity.max_colliders + ((const int32_t *)at(c, c->own.shared_places))[body];
}

/* record_contact() for the lanes of a block of particles that touch: 1 in `touches`, else 0. */
CLOTH_SEPARATE void record_contacts(const cloth *c, const moving_body *m, int32_t i, lanes touches,
                                    const lanes3 position_normal_impulse[3]) {
  float touching[CLOTH_LANES], values[9][CLOTH_LANES];
  lanes_store(touching, touches);
  for (int32_t n = 0; n < 3; n++) {
    lanes_store(values[3 * n], position_normal_impulse[n].x);
    lanes_store(values[3 * n + 1], position_normal_impulse[n].y);
    lanes_store(values[3 * n + 2], position_normal_impulse[n].z);
  }
  for (int32_t n = 0; n < CLOTH_LANES; n++) {
    if (touching[n] > 0.0f) {
      record_contact(c, m->substep, i + n, recorded_number(c, m->index),
                     vector(values[0][n], values[1][n], values[2][n]), vector(values[3][n], values[4][n], values[5][n]),
                     vector(values[6][n], values[7][n], values[8][n]));
    }
  }
}

int cloth_get_contacts(const cloth *c, cloth_contact *contacts, int32_t count) {
  int error = check_cloth(c);
  if (error || (!contacts && count > 0)) {
    return error ? error : CLOTH_ERROR_NULL;
  }
  if (count < 0) {
    return CLOTH_ERROR_RANGE;
  }
  if (!has_contact_record(c)) {
    return CLOTH_ERROR_STATE;
  }
  const int32_t last_substep = statistics_of(c)->substeps - 1;
  int32_t written = 0;
  for (int32_t i = 0; i < c->count && written < count; i++) {
    for (int32_t number = recorded_of(c)[1 + i]; number && written < count; written++) {
      const contact_entry *entry = contact_entry_at(c, number);
      contacts[written] = entry->contact;
      contacts[written].is_touching = entry->contact.is_touching == last_substep;
      number = entry->next;
    }
  }
  return *recorded_of(c);
}

#endif

/// Statistics ///

/*
 * What a step reports about itself. In: the plan of the step and the port's timer. Out: cloth_statistics, iterations
 * per substep and reactions, in the cloth's own scratch, where they stay until the next step.
 */

/* The cloth_mode that statistics report for a family. */
static int32_t public_mode(const spring_family *s) {
  const int32_t modes[] = {s->mode, CLOTH_MODE_PROJECTED, CLOTH_MODE_MIXED};
  return modes[s->projected];
}

/* Clears the report of the last step, and sets what the plan of this step decides. */
CLOTH_SEPARATE void reset_statistics(const cloth *c, const step_plan *plan) {
  cloth_statistics *s = statistics_of(c);
  fill_zero(s, sizeof *s);
  fill_zero(at(c, c->own.iterations), (size_t)plan->substeps * sizeof(uint16_t));
  fill_zero(reactions_of(c), (size_t)report_count(c) * sizeof(float));
  if (c->own.attached) {
    fill_zero(at(c, c->own.attached), (size_t)c->settings.capacity.max_attachments * sizeof(cloth_vector));
  }
  clear_contact_record(c);
  s->substeps = plan->substeps;
  CLOTH_CONSTANT static const int8_t family_direction[3] = {WARP, WEFT, DIAGONAL};
  for (int32_t f = CLOTH_FAMILY_STRETCH_WARP; f <= CLOTH_FAMILY_SHEAR; f++) {
    s->kappa[f] = plan->spring[family_direction[f]].kappa * max_kappa_factor(c);
    s->mode[f] = public_mode(&plan->spring[family_direction[f]]);
  }
  s->kappa[CLOTH_FAMILY_BEND] = plan->bend.kappa * max_kappa_factor(c);
  s->mode[CLOTH_FAMILY_BEND] = !plan->bends             ? CLOTH_MODE_OFF
                               : plan->bend.is_explicit ? CLOTH_MODE_EXPLICIT
                                                        : CLOTH_MODE_PROJECTED;
  s->bend_ratio = plan->bend.ratio;
}

/* Ends a stage: adds its ticks to the statistics. With a port that defines CLOTH_TRACE(c, stage, substep, hash), which
   finds the first stage in which two machines differ, passes it a hash of the vector array `made` by the stage. */
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

int cloth_get_substep_iterations(const cloth *c, int32_t substep) {
  int error = check_cloth(c);
  if (error) {
    return error;
  }
  if (substep < 0 || substep >= statistics_of(c)->substeps) {
    return CLOTH_ERROR_INDEX;
  }
  return ((const uint16_t *)at(c, c->own.iterations))[substep];
}

/// 5. Stages of a substep ///

/// Air ///

/*
 * Air: the wind with its gusts, the area vectors of the sheet, and the force of the air on particles, drag after thesis
 * eq. 3.17, with lift and drag along the normal beside it.
 *
 * In: inputs.wind and inputs.gust_*, settings.air, positions and velocities, mass ratios. The areas are those at the
 * substep's start also where the step extrapolates: the force depends little on them. Out: velocity changes, returned
 * to predict_in_air() or, times the mass ratio, added to the caller's vectors (scratch.residual, from
 * evaluate_forces()); advance_gusts() moves inputs.gust_phase. Scratch: none.
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
  return hash_to_noise(mixed);
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
  gust.x *= gust_noise(inputs->gust_seed, inputs->gust_phase, 0);
  gust.y *= gust_noise(inputs->gust_seed, inputs->gust_phase, 1);
  gust.z *= gust_noise(inputs->gust_seed, inputs->gust_phase, 2);
  return vector_flush(vector_add(inputs->wind, gust), STATE_QUANTUM);
}

/* Moves the gusts on by a time [s], rounded to 2^-31 periods. In fixed point a late position is as exact as an early
   one. */
static void advance_gusts(cloth_inputs *inputs, float time) {
  if (inputs->gust_period > 0.0f) {
    float periods = time / inputs->gust_period;
    int32_t whole = (int32_t)periods;
    uint32_t part = 2u * (uint32_t)(int32_t)((periods - (float)whole) * 2147483648.0f + 0.5f); /* 2^31 */
    uint32_t before = inputs->gust_phase[1];
    inputs->gust_phase[1] = before + part;
    inputs->gust_phase[0] += (uint32_t)whole + (inputs->gust_phase[1] < before);
  }
}

#else

static cloth_vector wind_of(const cloth *c) {
  return inputs_of(c)->wind;
}

#endif

/* The neighbours of the particles of a row, and the area that a particle stands for. */
typedef struct row_neighbours {
  int32_t first, columns;   /* first particle of the row; particles of a row */
  int32_t up, down;         /* from a particle to its neighbours in the column; 0 where there is none */
  cloth_vector left, right; /* neighbours of the row's first and last particle: across the seam of a tube the other end,
                               else the particle itself */
  float share, end_share;   /* area of a particle over the product of the distances between its neighbours: inside the
                               row, and at its ends */
} row_neighbours;

CLOTH_ONCE row_neighbours row_neighbours_at(const cloth *c, vector_array x, int32_t row) {
  const int32_t columns = c->grid.columns;
  row_neighbours n;
  n.first = row * columns;
  n.columns = columns;
  n.up = row > 0 ? 0 - columns : 0;
  n.down = row < c->grid.rows - 1 ? columns : 0;
  n.left = vector_load(x, n.first);
  n.right = vector_load(x, n.first + columns - 1);
  n.share = (float)(cells_along_warp(c) * (c->grid.rows - 1)) / (float)c->count;
  n.share *= n.up && n.down ? 0.25f : 0.5f;
  n.end_share = 2.0f * n.share;
  if (is_wrapped(c)) {
    cloth_vector first = n.left;
    n.left = n.right;
    n.right = first;
    n.end_share = n.share;
  }
  return n;
}

/*
 * Area vectors of a block of particles [m^2]: normal times area, the cross product of central differences along weft
 * and warp, one-sided at edges. All particles stand for the same area at rest, that of all cells over the number of
 * particles, as they have the same mass: a flat sheet then falls flat. Positions of the state differ by 0 or by at
 * least 2^-53 m, so that no product is subnormal.
 */
CLOTH_INLINE lanes3 area_vectors(const row_neighbours *n, vector_array x, int32_t column) {
  const int32_t i = n->first + column, after = n->columns - 1 - column; /* particles after this one */
  lanes3 left = lanes3_load(x, i - 1), right = lanes3_load(x, i + 1);
  lanes share = lanes_splat(n->share);
  if (column == 0 || after < CLOTH_LANES) {
    const lanes_mask leftmost = lanes_first(column == 0 ? 1 : 0), has_right = lanes_first(after);
    const lanes end_share = lanes_splat(n->end_share);
    left = lanes3_select(leftmost, lanes3_splat(n->left), left);
    right = lanes3_select(has_right, right, lanes3_splat(n->right));
    share = lanes_select(has_right, lanes_select(leftmost, end_share, share), end_share);
  }
  lanes3 along_weft = lanes3_subtract(lanes3_load(x, i + n->down), lanes3_load(x, i + n->up));
  return lanes3_scale(lanes3_cross(lanes3_subtract(right, left), along_weft), share);
}

/* What the force of the air depends on beside a particle's area and velocity. */
typedef struct air_flow {
  cloth_vector wind;        /* [m/s] */
  float normal, drag, lift; /* 1/2 rho h / m0 [1/m^2] times cn + cl, cd and cl */
  int32_t is_along;         /* 1 if drag or lift is above 0 */
} air_flow;

static air_flow air_flow_of(const cloth *c, const step_plan *plan) {
  const float strength = 0.5f * c->settings.air.density * (plan->h / reference_mass(c));
  air_flow air;
  air.wind = wind_of(c);
  air.normal = flush_small(strength * (c->settings.air.normal_drag + c->settings.air.lift), WORK_QUANTUM);
  air.drag = flush_small(strength * c->settings.air.drag, WORK_QUANTUM);
  air.lift = flush_small(strength * c->settings.air.lift, WORK_QUANTUM);
  air.is_along = air.drag > 0.0f || air.lift > 0.0f;
  return air;
}

/* Smallest product of area and speed along the normal [m^3/s], 2^-60: smaller ones count as 0. */
#define AIR_MIN_FLOW 8.673617379884035e-19f
/* Bounds of squared areas [m^4], 2^-80 and 2^46, and the smallest divisor among squared speeds [m^2/s^2]: with them no
   quotient below is subnormal or infinite. */
#define AIR_MIN_SQUARE 8.271806125530277e-25f
#define AIR_MAX_SQUARE 7.0368744177664e13f
/* Largest share of its velocity along the sheet that lift adds in a substep. */
#define AIR_MAX_LIFT 0.5f

/* Share of the velocity v that drag takes in a substep, less what lift adds to it: 1/2 rho h / m |a.v| (cd - cl |cos|),
   with the cosine of the angle between a and v. `ratio`: |v| / |a|. At most 1. */
CLOTH_INLINE lanes air_along(const air_flow *air, lanes flow, lanes square, lanes ratio, lanes weight) {
  lanes size = lanes_absolute(flow);
  lanes cosine = lanes_divide(lanes_flush_below(lanes_multiply(size, ratio), AIR_MIN_FLOW),
                              lanes_maximum(square, lanes_splat(AIR_MIN_SQUARE)));
  cosine = lanes_quantise(lanes_minimum(cosine, lanes_splat(1.0f)), STATE_ROUNDER);
  lanes along = lanes_subtract(lanes_splat(air->drag), lanes_multiply(lanes_splat(air->lift), cosine));
  along = lanes_multiply(lanes_multiply(lanes_quantise(along, WORK_ROUNDER), weight), size);
  along = lanes_maximum(along, lanes_splat(-AIR_MAX_LIFT));
  return lanes_quantise(lanes_minimum(along, lanes_splat(1.0f)), WORK_ROUNDER);
}

/*
 * Velocity change of a particle by the air in a substep, for the area vector a and the velocity v relative to the wind;
 * n is the unit vector of a, and `weight` the reference mass over the particle's:
 *     normal drag  -1/2 rho cn |v| (a.v) n
 *     drag         -1/2 rho cd |a.v| v (thesis eq. 3.17)
 *     lift         -1/2 rho cl (a.v) (|v| n - (n.v) v / |v|), perpendicular to v
 * Together they are -g (a.v) a - b v, with g = 1/2 rho (cn + cl) |v| / |a| and b as air_along() computes it. The step
 * is explicit: a light sheet in a fast wind would overshoot. So g is at most (1 - b) / a^2. The velocity along the
 * normal then falls to 0 at most and is never reversed.
 */
CLOTH_INLINE lanes3 air_change(const air_flow *air, lanes3 a, lanes3 v, lanes weight) {
  const lanes min_square = lanes_splat(AIR_MIN_SQUARE), one = lanes_splat(1.0f);
  a = lanes3_quantise(a, WORK_ROUNDER);
  v = lanes3_quantise(lanes3_subtract(v, lanes3_splat(air->wind)), WORK_ROUNDER);
  lanes area = lanes_minimum(lanes_maximum(lanes3_dot(a, a), min_square), lanes_splat(AIR_MAX_SQUARE));
  lanes inverse = lanes_divide(one, area);
  lanes square = lanes3_dot(v, v);
  lanes ratio = lanes_square_root(lanes_multiply(square, inverse));
  lanes flow = lanes_flush_below(lanes3_dot(a, v), AIR_MIN_FLOW);
  lanes across = lanes_multiply(lanes_multiply(lanes_splat(air->normal), weight), ratio);
  if (!air->is_along) {
    across = lanes_quantise(lanes_minimum(across, inverse), WORK_ROUNDER);
    return lanes3_scale(a, lanes_quantise(lanes_multiply(lanes_negate(flow), across), WORK_ROUNDER));
  }
  lanes along = air_along(air, flow, square, ratio, weight);
  across = lanes_minimum(across, lanes_multiply(lanes_subtract(one, along), inverse));
  lanes push = lanes_multiply(lanes_negate(flow), lanes_quantise(across, WORK_ROUNDER));
  return lanes3_add_scaled(lanes3_scale(a, lanes_quantise(push, WORK_ROUNDER)), v, lanes_negate(along));
}

/* Adds the velocity changes by the air times the mass ratio to `change`. */
CLOTH_HOT static void add_air(const cloth *c, const step_plan *plan, vector_array change) {
  const vector_array x = vectors_at(c, c->state.position), v = vectors_at(c, c->state.velocity);
  const air_flow air = air_flow_of(c, plan);
  const lanes one = lanes_splat(1.0f);
  for (int32_t row = 0; row < c->grid.rows; row++) {
    const row_neighbours near = row_neighbours_at(c, x, row);
    for (int32_t column = 0; column < c->grid.columns; column += CLOTH_LANES) {
      const int32_t i = near.first + column;
      lanes mass = mass_ratio_lanes(c, i);
      lanes3 push = air_change(&air, area_vectors(&near, x, column), lanes3_load(v, i), lanes_divide(one, mass));
      lanes3_store(change, i, lanes3_add_scaled(lanes3_load(change, i), push, mass), c->grid.columns - column);
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
 * step_plan, in a step the workspace's. Scratch: none; the offset of operator_blocks tells whether the cloth has
 * a solver.
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
  s.stiffness = limited_coefficient(h * (per_mass * direction_stiffness(c, d)), KAPPA_LIMIT);
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
  if (s->projected != PROJECTED_ALL && s->stiffness > solvable_kappa(c)) {
    s->stiffness = solvable_kappa(c);
    s->force = s->stiffness * plan->inverse_h;
  }
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

/* Share of a force that acts in the substep in which it is evaluated, 4/9 with BDF2 alone and 1 without; the velocities
   extrapolated from it bring the rest in later substeps. */
static float force_share(const step_plan *plan) {
  return 1.0f - plan->extrapolation * (5.0f / 9.0f);
}

/* Largest stiffness of a hinge, viscosity included. The elimination of a line cancels all but the masses, 1, of pivots
   of 6 of it: at 1e4 that leaves 11 bits. Stiffer lines would lose momentum, and gain energy in contact. */
#define BEND_KAPPA_LIMIT 1.0e4f
/* The same beside springs that are solved for. Bending that is solved after a solve cut short feeds on what is left
   over there: with 1e4, 4 of the 1,000 sets of tests/stability.c gain more than 50 times their weight times their size.
 */
#define SOLVED_BEND_KAPPA_LIMIT 64.0f

/* Largest product of the stiffness of bending and of the largest eigenvalue of hinges and twists, 16 of each, at which
   bending is explicit. At the predicted positions a mode is stable up to about 1, whatever the share of BDF2. */
#define EXPLICIT_BEND_LIMIT 0.9f

/* Bending. What exceeds the limit is taken from the viscosity first. */
static void plan_bend(const cloth *c, step_plan *plan) {
  const float u = c->grid.spacing_warp, v = c->grid.spacing_weft;
  bend_plan *b = &plan->bend;
  const float rigidity = bend_rigidity(c, &b->ratio);
  const float per_mass = plan->h * (plan->h / reference_mass(c));
  const float warp = per_mass * (rigidity * (v / u) / (u * u)), weft = per_mass * (rigidity * (u / v) / (v * v));
  b->kappa = maximum(warp, weft);
  const float limit = plan->solves ? SOLVED_BEND_KAPPA_LIMIT : BEND_KAPPA_LIMIT;
  const float elastic = maximum(b->kappa * force_share(plan), WORK_QUANTUM);
  const float most = maximum(limit / elastic - 1.0f, 0.0f);
  const float wanted = inputs_of(c)->fabric.bend_damping * plan->inverse_h, viscosity = minimum(wanted, most);
  const float share = force_share(plan) * (1.0f + viscosity);
  if (elastic > limit || wanted > most) {
    plan->notes |= CLOTH_NOTE_BEND_LIMITED;
  }
  b->stiffness[WARP] = limited_coefficient(warp * share, limit);
  b->stiffness[WEFT] = limited_coefficient(weft * share, limit);
  b->twist = 2.0f * square_root(b->stiffness[WARP]) * square_root(b->stiffness[WEFT]);
  b->shift = flush_small(viscosity / (1.0f + viscosity), WORK_QUANTUM);
  const float largest = 16.0f * (b->stiffness[WARP] + b->stiffness[WEFT] + b->twist) * max_kappa_factor(c);
  b->has_equal_hinges = 1;
  b->is_explicit = largest <= EXPLICIT_BEND_LIMIT;
  plan->bends = b->stiffness[WARP] > 0.0f || b->stiffness[WEFT] > 0.0f;
}

/* Compliances of a projected family. The BDF2 prediction brings the rest of a force in later substeps. */
static void plan_compliance(const step_plan *plan, spring_family *s) {
  const float stiffness = s->stiffness + s->damping;
  s->compliance[0] = 1.0f / maximum(force_share(plan) * stiffness, WORK_QUANTUM);
  s->compliance[0] = minimum(maximum(s->compliance[0], MIN_COMPLIANCE), COMPLIANCE_ABSENT);
  s->compliance[1] = minimum(s->compliance[0] / maximum(s->compression, WORK_QUANTUM), COMPLIANCE_ABSENT);
  s->damping_share = stiffness > 0.0f ? flush_small(s->damping / stiffness, WORK_QUANTUM) : 0.0f;
}

/* Largest of the squares of the particles' velocities, as they are stored [m^2/s^2]. */
static float max_squared_speed(const cloth *c) {
  const vector_array velocity = vectors_at(c, c->state.velocity);
  float values[CLOTH_LANES], max_squared = 0.0f;
  lanes most = lanes_splat(0.0f);
  EACH_BLOCK(i, left, c->count, {
    const lanes3 v = lanes3_keep(lanes_first(left), lanes3_load(velocity, i));
    most = lanes_maximum(lanes3_dot(v, v), most);
  });
  lanes_store(values, most);
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    max_squared = maximum(max_squared, values[lane]);
  }
  return max_squared;
}

/* Speed of the fastest particle as a step of dt seconds starts [m/s]. */
static float max_particle_speed(const cloth *c, float dt) {
  const float inverse_dt = 1.0f / dt;
  float max_squared = 0.0f;
  if (!(summarise_freedom(c).some & PIN_MOVING)) {
    return square_root(max_squared_speed(c));
  }
  for (int32_t i = 0; i < c->count; i++) {
    cloth_vector velocity = starting_velocity(c, i, inverse_dt);
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
  float target = SUBSTEP_KAPPA;
  if (c->settings.integration.method >= CLOTH_INTEGRATION_EXPLICIT) {
    const float threshold = c->settings.integration.explicit_threshold;
    target = threshold > 0.0f ? threshold : SUBSTEP_KAPPA_EXPLICIT;
  }
  float substeps =
      max_particle_speed(c, dt) * dt / (SUBSTEP_TRAVEL * minimum(c->grid.spacing_warp, c->grid.spacing_weft));
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
  const int extrapolates = !plan->solves && !has_solver_contacts(c) && c->state.velocity_history;
  plan->history_weight = last > 0.0f ? minimum(plan->h / last, 1.0f) : 1.0f;
  plan->extrapolation = extrapolates ? c->settings.integration.bdf2_blend * plan->history_weight : 0.0f;
}

/* Fills a plan for a step of dt, but for `tethered` and `is_free`, which follow when the step is prepared, and for what
   plan_hinges() does. */
CLOTH_SEPARATE void plan_step(const cloth *c, float dt, step_plan *plan) {
  plan->dt = dt;
  plan->notes = 0;
  plan->substeps = choose_substeps(c, dt);
  plan->h = dt / (float)plan->substeps;
  plan->inverse_h = 1.0f / plan->h;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    plan->spring[d] = plan_spring(c, plan->h, d);
  }
  plan->projected_above = projected_above(c, plan);
  plan->solves = 0;
  plan->forces = 0;
  plan->projects = 0;
  plan->springs = 0;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    choose_mode(c, plan, &plan->spring[d]);
    plan->solves |= plan->spring[d].mode >= CLOTH_MODE_IMPLICIT;
    plan->springs |= plan->spring[d].mode != CLOTH_MODE_OFF;
    plan->projects |= plan->spring[d].projected != PROJECTED_NONE;
  }
  plan->forces |= plan->springs;
  plan_extrapolation(c, plan);
  plan_bend(c, plan);
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    plan_compliance(plan, &plan->spring[d]);
  }
  plan->tether_scale = tether_scale(c);
  plan->tether_growth = 1.0f;
  plan->tether_slack = 0.0f;
  plan->led = 0;
}

/* 1 if bending is solved along lines. */
static int has_bend_lines(const step_plan *plan) {
  return plan->bends && !plan->bend.is_explicit;
}

/* 1 if bending acts by forces, as a stencil. */
static int has_stencil(const step_plan *plan) {
  return plan->bends && plan->bend.is_explicit;
}

/* Is a pin on exactly one side of a particle, between two others? */
static int is_pinned_on_one_side(const cloth *c, int32_t before, int32_t after) {
  return is_pinned(c, before) != is_pinned(c, after);
}

/* Is a pinned particle the border of a clamp in its row or its column? Their ends have no hinge. */
static int is_clamp_border(const cloth *c, int32_t row, int32_t column) {
  const int32_t columns = c->grid.columns, i = row * columns + column;
  if (row > 0 && row + 1 < c->grid.rows && is_pinned_on_one_side(c, i - columns, i + columns)) {
    return 1;
  }
  const int32_t before = column > 0 ? i - 1 : i + columns - 1, after = column + 1 < columns ? i + 1 : i + 1 - columns;
  const int has_hinge = is_wrapped(c) || (column > 0 && column + 1 < columns);
  return has_hinge && is_pinned_on_one_side(c, before, after);
}

/* 1 if all particles of a row are free. */
static int is_row_free(const cloth *c, int32_t row) {
  const uint8_t *freedom = freedom_of(c) + row * c->grid.columns;
  uint32_t common = FREEDOM_FREE;
  for (int32_t column = 0; column < c->grid.columns; column++) {
    common &= freedom[column];
  }
  return common == FREEDOM_FREE;
}

/* Does every hinge have the factor 1, whatever contacts of the solver hold? */
CLOTH_SEPARATE int has_equal_hinges(const cloth *c) {
  if (has_solver_contacts(c) || c->settings.factors.min_stiffness < 1.0f || c->settings.factors.max_stiffness > 1.0f) {
    return 0;
  }
  for (int32_t row = 0; row < c->grid.rows; row++) {
    const int32_t columns = is_row_free(c, row) ? 0 : c->grid.columns;
    for (int32_t column = 0; column < columns; column++) {
      if (is_pinned(c, row * c->grid.columns + column) && is_clamp_border(c, row, column)) {
        return 0;
      }
    }
  }
  return 1;
}

/* Tells the plan what pins, maps and contacts make of the hinges: where their factors differ, bending is solved along
   lines. */
static void plan_hinges(const cloth *c, step_plan *plan) {
  plan->bend.has_equal_hinges = has_equal_hinges(c);
  plan->bend.is_explicit &= plan->bend.has_equal_hinges;
}

/// Momentum at contacts ///

/*
 * What a contact takes from the momentum of the cloth, whatever the share of BDF2 in the prediction.
 *
 * A velocity v of the state is a displacement over a substep. With the weight w of BDF2 a force f changes the
 * velocities v0, v1, v2 of the last three substeps so that
 *
 *     v0 - v1 = (w/9) (6 (v1 - v2) - (v2 - v3)) + s h f / m,    s = 1 - 5 w / 9.
 *
 * Summed over the substeps, p = (v0 - (6 w / 9) v1 + (w / 9) v2) / s changes by h f / m exactly. So m p is the
 * momentum, and internal forces keep its sum over the particles, as the share s is the same for all of them. A contact
 * ends the history of a particle, whose momentum is then that of the velocity alone, m v. If the contact leaves v as it
 * is, what forces have added along the surface would be lost but for the share s. So a particle that slides takes on
 * the momentum's velocity along the surface. What the contact takes is the difference of both momenta.
 *
 * In: velocities, velocity history, force_share, the plan. Out: what the functions return. Scratch: none.
 */

/* The velocity that belongs to the momentum of each particle of a block with the velocity v. Particles that a contact
   or a constraint has moved in this substep have lost their history: v itself. */
CLOTH_INLINE lanes3 momentum_velocity(const cloth *c, const step_plan *plan, int32_t i, lanes3 v) {
  if (!WITH_PROJECTION || !(plan->extrapolation > 0.0f)) {
    return v;
  }
  const float weight = plan->extrapolation * (1.0f / 9.0f), inverse_share = 1.0f / force_share(plan);
  const lanes3 earlier = lanes3_load(history_of(c, 1), i);
  const lanes_mask pushed = lanes_less(lanes_splat(1.0f), lanes_load(floats_at(c, c->scratch.force_share) + i));
  const lanes3 earliest = lanes3_select(pushed, earlier, lanes3_load(history_of(c, 2), i));
  const lanes3 past = lanes3_subtract(lanes3_scale(earlier, lanes_splat(6.0f)), earliest);
  const lanes3 p =
      lanes3_scale(lanes3_subtract(v, lanes3_scale(past, lanes_splat(weight))), lanes_splat(inverse_share));
  return lanes3_select(has_no_history(earlier.x), v, p);
}

/* What a contact does to a block of particles, in world axes. */
typedef struct contact_change {
  lanes3 displacement; /* that changes velocities [m] */
  lanes3 normal;       /* of the surface, unit length */
  lanes3 sliding;      /* displacement along the surface that friction leaves, relative to the surface [m] */
  lanes_mask touches, slides;
} contact_change;

/* What particles that slide add to their velocities v along the surface: the part of their momentum, after the contact
   that of the velocities p, that v does not show. It does not reverse the direction in which they slide. */
CLOTH_INLINE lanes3 carried_velocity(const cloth *c, const step_plan *plan, int32_t i, const contact_change *contact,
                                     lanes3 v, lanes3 p) {
  const lanes_mask first = lanes_less(lanes_load(history_of(c, 1).x + i), lanes_splat(0.5f * HISTORY_INVALID));
  const lanes3 hidden = lanes3_flush_below(lanes3_subtract(p, v), STATE_QUANTUM);
  const lanes3 outward = lanes3_scale(contact->normal, lanes_flush(lanes3_dot(hidden, contact->normal)));
  const lanes3 along = lanes3_flush_below(lanes3_subtract(hidden, outward), STATE_QUANTUM);
  const lanes3 slip = lanes3_flush_below(lanes3_scale(contact->sliding, lanes_splat(plan->inverse_h)), STATE_QUANTUM);
  const lanes_mask onward = lanes_less(lanes_splat(0.0f), lanes3_dot(slip, lanes3_add(slip, along)));
  return lanes3_keep(lanes_both(lanes_both(first, onward), contact->slides), along);
}

/* Changes the velocities of the particles of a block that a contact touches. Returns the change of their momentum over
   their mass [m/s]; 0 for the others. */
CLOTH_INLINE lanes3 change_velocities(const cloth *c, const step_plan *plan, int32_t i, const contact_change *contact) {
  const vector_array velocity = vectors_at(c, c->state.velocity);
  const lanes3 old = lanes3_load(velocity, i);
  const lanes3 change = lanes3_scale(contact->displacement, lanes_splat(plan->inverse_h));
  if (!WITH_PROJECTION || !(plan->extrapolation > 0.0f)) {
    lanes3_store(velocity, i, lanes3_add(old, change), c->count - i);
    return change;
  }
  const lanes3 before = momentum_velocity(c, plan, i, old);
  const lanes3 after = lanes3_add_scaled(before, change, lanes_splat(1.0f / force_share(plan)));
  lanes3 v = lanes3_add(old, change);
  v = lanes3_add(v, lanes3_keep(contact->touches, carried_velocity(c, plan, i, contact, v, after)));
  lanes3_store(velocity, i, v, c->count - i);
  return lanes3_keep(contact->touches, lanes3_subtract(v, before));
}

/// Forces ///

/*
 * The right-hand side of a substep: b = h f / m0, plus h^2 K v / m0 of the implicit springs, from gravity, velocity
 * damping, air, stretch and shear springs, as velocity changes times the mass ratio [m/s]. In the same pass the
 * blocks of the operator are made.
 *
 * In: plan, inputs, evaluation positions (state.position, or scratch.product holding the predicted positions when the
 * step extrapolates), state.velocity. Out: the caller's vectors, scratch.residual in a step; operator_blocks and seam
 * if anything is implicit. Scratch: row_buffers.
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
  const int32_t count = springs_left(d, o->below, o->left);
  const spring_context s = {.c = o->c,
                            .plan = o->plan,
                            .direction = d,
                            .ends = springs_at(o->c, d, o->cell, count),
                            .count = count,
                            .x = corner_difference(&o->x, d),
                            .v = corner_difference(&o->v, d),
                            .length = length,
                            .stored = stored,
                            .width = o->width,
                            .left = o->left};
  return spring_pull(&s);
}

/* Adds the velocity changes of a row's springs to `change` and stores their part of the operator. */
CLOTH_HOT CLOTH_SEPARATE void add_row_of_springs(const cloth *c, const step_plan *plan, int32_t row,
                                                 vector_array change) {
  const vector_array x = evaluation_positions(c, plan);
  const vector_array v = vectors_at(c, c->state.velocity);
  const vector_array buffer = row_buffer(c);
  float *tiles = WITH_SOLVER && plan->solves ? tiles_of(c, row) : NULL;
  const int32_t columns = c->grid.columns, first = row * columns, below = offset_below(c, row);
  shift_state shift = shift_start();
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    const int32_t i = first + column, left = columns - column;
    float *tile = tiles ? tiles + tile_offset(column) : NULL;
    const row_context o = {.c = c,
                           .plan = plan,
                           .below = below,
                           .cell = i,
                           .left = left,
                           .x = load_corners(x, i, below),
                           .v = load_corners(v, i, below),
                           .tile = tile,
                           .width = tile_width(c, column)};
    row_forces pulls;
    spring_length lengths[DIRECTIONS];
    EACH_DIRECTION(d, lengths[d] = length_of(corner_difference(&o.x, d)));
    EACH_DIRECTION(d, pulls.along[d] = row_spring_pull(&o, d, lengths[d]));
    lanes3 sum = accumulate_row(&pulls, &shift, buffer, column, left);
    lanes3_store(change, i, lanes3_add(lanes3_load(change, i), sum), left);
  }
}

#if WITH_WRAP

/* Adds the velocity changes of a line of springs across the seam to `change` and stores their part of the operator. */
CLOTH_SEPARATE void add_seam_line(const cloth *c, const step_plan *plan, const seam_line *line, vector_array change) {
  const int32_t next = c->grid.columns, width = seam_rows(c);
  for (int32_t row = 0; row < line->rows; row += CLOTH_LANES) {
    const int32_t count = line->rows - row;
    const lanes3 x = seam_difference(c, line, evaluation_positions(c, plan), row, count);
    float *stored = line->mode >= CLOTH_MODE_IMPLICIT ? line->blocks + row : NULL;
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
    add_seam_pulls(c, line, change, row, spring_pull(&s), count);
  }
}

/* Adds the velocity changes of all springs across the seam to `change` and stores their part of the operator. */
static void add_seam_forces(const cloth *c, const step_plan *plan, vector_array change) {
  for (int32_t n = 0; n < SEAM_SPRINGS; n++) {
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
      add_row_of_springs(c, plan, row, change);
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

/// Reactions of pins ///

/*
 * What the cloth does to whatever holds its particles: the impulse on each pinned particle, and on confined particles
 * along the directions that they are held in. Every stage that moves particles by forces between them notes what it
 * would have done to the pins, had they been free: gravity and air on the particle itself, springs, bending, tethers
 * and strain limits. A displacement by d in a substep of h seconds stands for a momentum m d / (s h), with the share s
 * of a force that acts at once, see contact_momentum.h.
 *
 * In: what each stage knows of its forces. Out: own.pin_reactions, which prepare clears. Scratch: none.
 */

/* 1 if impulses on pins are noted. */
CLOTH_INLINE int notes_pins(const cloth *c) {
  return WITH_BODIES && c->own.pin_reactions != 0;
}

#if WITH_BODIES

/* Adds to the reaction of a pin what would change the velocity of a free particle of mass ratio 1 by `change` [m/s]. */
static void note_change(const cloth *c, int32_t particle, cloth_vector change) {
  cloth_vector *reaction = (cloth_vector *)at(c, c->own.pin_reactions) + particle;
  const cloth_vector impulse = vector_scale(vector_flush(change, STATE_QUANTUM), reference_mass(c));
  *reaction = vector_add(*reaction, impulse);
}

/* The same for a displacement in the substep [m]. */
static void note_displacement(const cloth *c, int32_t particle, cloth_vector displacement) {
  const step_plan *plan = &workspace_of(c)->plan;
  note_change(c, particle, vector_scale(vector_flush_work(displacement), plan->inverse_h / force_share(plan)));
}

#if WITH_PROJECTION

/* The force of the air on one particle, as a velocity change times the mass ratio. */
static cloth_vector air_on_pin(const cloth *c, const air_flow *air, int32_t particle) {
  const vector_array x = vectors_at(c, c->state.position);
  const int32_t row = particle / c->grid.columns, column = particle - row * c->grid.columns;
  const row_neighbours near = row_neighbours_at(c, x, row);
  const lanes3 area = lanes3_splat(lanes3_first(area_vectors(&near, x, column)));
  const lanes3 v = lanes3_splat(vector_load(vectors_at(c, c->state.velocity), particle));
  const float mass = mass_ratio_at(c, particle);
  return vector_scale(lanes3_first(air_change(air, area, v, lanes_splat(1.0f / mass))), mass);
}

/* Notes gravity and air on the pins, where the prediction adds them. */
CLOTH_SEPARATE void note_body_forces(const cloth *c, const step_plan *plan) {
  const cloth_vector gravity = vector_flush_work(vector_scale(inputs_of(c)->gravity, plan->h));
  const int with_air = has_air(c);
  air_flow air;
  fill_zero(&air, sizeof air);
  if (with_air) {
    air = air_flow_of(c, plan);
  }
  for (int32_t i = 0; i < c->count; i++) {
    if (is_pinned(c, i)) {
      note_change(c, i, vector_scale(gravity, mass_ratio_at(c, i)));
      if (with_air) {
        note_change(c, i, air_on_pin(c, &air, i));
      }
    }
  }
}

#endif

/* Notes what forces, or a solve, have left over at the pins: scratch.residual, gravity and air included. */
CLOTH_SEPARATE void note_residuals(const cloth *c) {
  for (int32_t i = 0; i < c->count; i++) {
    if (is_pinned(c, i)) {
      note_change(c, i, vector_load(vectors_at(c, c->scratch.residual), i));
    }
  }
}

/* Positions whose differences bend, x - s x_old, around a particle. */
typedef struct bent_sheet {
  const cloth *c;
  vector_array x, old;
  float shift;
} bent_sheet;

static cloth_vector bent_value(const bent_sheet *b, int32_t row, int32_t column) {
  const int32_t columns = b->c->grid.columns, i = row * columns + (column + columns) % columns;
  return vector_add_scaled(vector_load(b->x, i), vector_load(b->old, i), negate(b->shift));
}

/* Second difference at a place along the warp or weft; 0 at the edges, which have no hinge. */
static cloth_vector second_difference(const bent_sheet *b, int32_t direction, int32_t row, int32_t column) {
  const int32_t across = direction == WARP, down = !across;
  const int32_t place = across ? column : row, last = (across ? b->c->grid.columns : b->c->grid.rows) - 1;
  if ((place < 1 || place >= last) && !(across && is_wrapped(b->c))) {
    return vector(0.0f, 0.0f, 0.0f);
  }
  const cloth_vector sum =
      vector_add(bent_value(b, row - down, column - across), bent_value(b, row + down, column + across));
  return vector_add_scaled(sum, bent_value(b, row, column), -2.0f);
}

/* Force of the hinges along the warp or weft on a particle, over their stiffness. */
static cloth_vector hinges_on(const bent_sheet *b, int32_t direction, int32_t row, int32_t column) {
  const int32_t across = direction == WARP, down = !across;
  const cloth_vector sum = vector_add(second_difference(b, direction, row - down, column - across),
                                      second_difference(b, direction, row + down, column + across));
  return vector_subtract(vector_scale(second_difference(b, direction, row, column), 2.0f), sum);
}

/* Force of the twists of the cells around a particle, over their stiffness. */
static cloth_vector twists_on(const bent_sheet *b, int32_t row, int32_t column) {
  cloth_vector force = vector(0.0f, 0.0f, 0.0f);
  for (int32_t corner = 0; corner < 4; corner++) {
    const int32_t r = row - corner / 2, q = column - corner % 2; /* of the cell */
    const int exists =
        r >= 0 && r + 1 < b->c->grid.rows && (is_wrapped(b->c) || (q >= 0 && q + 1 < b->c->grid.columns));
    if (exists) {
      cloth_vector twist = vector_subtract(bent_value(b, r, q), bent_value(b, r, q + 1));
      twist = vector_add(twist, vector_subtract(bent_value(b, r + 1, q + 1), bent_value(b, r + 1, q)));
      force = vector_add_scaled(force, twist, corner == 0 || corner == 3 ? -1.0f : 1.0f);
    }
  }
  return force;
}

/* Notes the force of bending at the predicted positions as they are: of hinges, if they are explicit, and of twists. */
CLOTH_SEPARATE void note_bending(const cloth *c, const step_plan *plan) {
  const bent_sheet b = {c, predicted_of(c), vectors_at(c, c->state.position), plan->bend.shift};
  for (int32_t i = 0; i < c->count; i++) {
    if (!is_pinned(c, i)) {
      continue;
    }
    const int32_t row = i / c->grid.columns, column = i - row * c->grid.columns;
    note_displacement(c, i, vector_scale(twists_on(&b, row, column), plan->bend.twist));
    if (plan->bend.is_explicit) {
      note_displacement(c, i, vector_scale(hinges_on(&b, WARP, row, column), plan->bend.stiffness[WARP]));
      note_displacement(c, i, vector_scale(hinges_on(&b, WEFT, row, column), plan->bend.stiffness[WEFT]));
    }
  }
}

#endif

/// Operator ///

/*
 * The product A p of the linear solve, a row at a time and without an assembled matrix.
 * A = (M - h df/dv - h^2 df/dx) / m0 is the mass ratios plus the blocks of the implicit springs. The 3x3 block
 * K = beta I + w w^T of a spring acts on the difference e = p_end - p_start. The rows also add up p . A p, the
 * curvature that conjugate gradient divides by. In: scratch.direction (p); operator_blocks and seam (the blocks); the
 * mass ratios. Out: scratch.product (A p). Scratch: row_buffers, which hold what the springs of one row add to the rows
 * below.
 */

/* Pull of springs on the ends where they start, (beta I + w w^T) e. `spring` points to w.x of the first, with `width`
   floats from one of w.x, w.y, w.z, beta to the next. */
CLOTH_INLINE lanes3 operator_pull(const float *spring, int32_t width, lanes3 e) {
  lanes3 w = lanes3_of(lanes_load(spring), lanes_load(spring + width), lanes_load(spring + 2 * width));
  lanes beta = lanes_load(spring + 3 * width);
  return lanes3_add(lanes3_scale(e, beta), lanes3_scale(w, lanes3_dot(w, e)));
}

/* Operands of the product of one row. The pointers and sizes are copies of loop invariants: a lane store may alias *c,
   so the compiler would otherwise load them again for each block. */
typedef struct operator_context {
  vector_array p, q, buffer; /* direction, product, row buffer */
  const float *tiles;        /* the row's springs */
  const float *mass_ratio;   /* of the row's particles; NULL if all are 1 */
  int32_t columns, first;    /* columns of the grid; the row's first particle */
  int32_t below;             /* from a particle to the one below, 0 in the last row */
  int stretch, shear;        /* 1: the springs of these families are implicit */
  shift_state carry;
  lanes_sum *sum; /* of p . A p */
} operator_context;

/* The springs of one direction in a tile `width` cells wide. */
CLOTH_INLINE const float *operator_springs(const float *tile, int32_t direction, int32_t width) {
  return tile + OPERATOR_FLOATS * direction * width;
}

/* A p of one block of particles, from masses, stretch and shear springs; adds its part of p . A p to the sum. The block
   lies in a tile `width` cells wide. `left` particles are left in the row; a constant CLOTH_LANES serves for any whole
   block. The corners are loaded a second time behind the optimisation barrier, which saves registers. */
CLOTH_INLINE void apply_block(operator_context *o, int32_t column, int32_t width, int32_t left) {
  const lanes3 zero = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  const float *tile = o->tiles + tile_offset(column);
  const int32_t i = o->first + column;
  cell_corners ps = load_corners(o->p, i, o->below);
  row_forces pulls = {{zero, zero, zero, zero}};
  if (o->stretch) {
    pulls.along[WARP] = operator_pull(operator_springs(tile, WARP, width), width, corner_difference(&ps, WARP));
    pulls.along[WEFT] = operator_pull(operator_springs(tile, WEFT, width), width, corner_difference(&ps, WEFT));
  }
  CLOTH_LANES_FORGET();
  ps = load_corners(o->p, i, o->below);
  if (o->shear) {
    pulls.along[DIAGONAL] =
        operator_pull(operator_springs(tile, DIAGONAL, width), width, corner_difference(&ps, DIAGONAL));
    pulls.along[ANTIDIAGONAL] =
        operator_pull(operator_springs(tile, ANTIDIAGONAL, width), width, corner_difference(&ps, ANTIDIAGONAL));
  }
  lanes3 springs = accumulate_row(&pulls, &o->carry, o->buffer, column, left);
  lanes3 inertia = o->mass_ratio ? lanes3_scale(ps.first, lanes_load(o->mass_ratio + column)) : ps.first;
  lanes3 product = lanes3_quantise(lanes3_subtract(inertia, springs), WORK_ROUNDER);
  lanes3_store(o->q, i, product, left);
  lanes_sum_add(o->sum, column, lanes_within(lanes3_dot(ps.first, product), left));
}

CLOTH_INLINE void apply_row(const cloth *c, int32_t row, int stretch, int shear, lanes_sum *sum) {
  const int32_t columns = c->grid.columns, first = row * columns, whole = columns & ~(TILE - 1);
  operator_context o = {.p = vectors_at(c, c->scratch.direction),
                        .q = vectors_at(c, c->scratch.product),
                        .buffer = row_buffer(c),
                        .tiles = tiles_of(c, row),
                        .mass_ratio = c->constant.mass_ratio ? floats_at(c, c->constant.mass_ratio) + first : NULL,
                        .columns = columns,
                        .first = first,
                        .below = offset_below(c, row),
                        .stretch = stretch,
                        .shear = shear,
                        .carry = shift_start(),
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

/* Sets a row of the product to A p without the seam, and adds its part of p . A p to the sum. Each choice
   of families is compiled separately, unless the code is optimised for size. */
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

/* Adds A p of one line of springs across the seam to the product, and its part of p . A p to the sum. */
CLOTH_HOT CLOTH_SEPARATE void operator_seam_line(const cloth *c, const seam_line *line, lanes_sum *sum) {
  for (int32_t row = 0; row < line->rows; row += CLOTH_LANES) {
    int32_t count = line->rows - row;
    lanes3 e = seam_difference(c, line, vectors_at(c, c->scratch.direction), row, count);
    lanes3 pull = lanes3_quantise(operator_pull(line->blocks + row, seam_rows(c), e), WORK_ROUNDER);
    add_seam_pulls(c, line, vectors_at(c, c->scratch.product), row, lanes3_negate(pull), count);
    lanes_sum_add(sum, row, lanes_within(lanes3_dot(e, pull), count));
  }
}

/* Adds A p of all implicit springs across the seam to the product, and their part of p . A p to the sum. */
static void operator_seam(const cloth *c, const step_plan *plan, lanes_sum *sum) {
  for (int32_t n = 0; n < SEAM_SPRINGS; n++) {
    seam_line line = seam_line_at(c, plan, n);
    if (line.mode >= CLOTH_MODE_IMPLICIT) {
      operator_seam_line(c, &line, sum);
    }
  }
}

#endif

/// Preconditioner ///

/*
 * The block preconditioner of conjugate gradient: for each particle the symmetric matrix S (S C S + s (I - S))^-1 S,
 * where C is the particle's diagonal block of A and S projects onto its free directions (thesis eq. 5.4 in symmetric
 * form). s, a third of the trace of C, keeps what is inverted well scaled. The matrix maps any residual into the free
 * directions, so neither residual nor product needs filtering, and the unfiltered residual is the constraint force.
 * The caller, build_preconditioner(), runs the steps in order: C, with the seam; constrain; invert; project; clear.
 * In: operator_blocks, seam, mobility, the mass ratios, the
 * confinements, the contacts and contact_normal. Out: scratch.inverse. Scratch: inverse holds C until it is inverted.
 */

CLOTH_INLINE symmetric symmetric_load(const cloth *c, int32_t i) {
  return symmetric_at(floats_at(c, c->scratch.inverse) + i, c->stride);
}

CLOTH_INLINE void symmetric_store(const cloth *c, int32_t i, symmetric m, int32_t count) {
  float *f = floats_at(c, c->scratch.inverse) + i;
  lanes_store_first(f, m.xx, count);
  lanes_store_first(f + c->stride, m.yy, count);
  lanes_store_first(f + 2 * c->stride, m.zz, count);
  lanes_store_first(f + 3 * c->stride, m.xy, count);
  lanes_store_first(f + 4 * c->stride, m.xz, count);
  lanes_store_first(f + 5 * c->stride, m.yz, count);
}

/* Float `part` of the CELL_FLOATS that the operator stores for a cell: for a block of cells that starts at `column` or,
   if `shifted`, for the block one column to the left, with 0 to the left of column 0. */
CLOTH_INLINE lanes operator_load(const cloth *c, int32_t row, int32_t column, int32_t part, int shifted) {
  const float *tiles = tiles_of(c, row);
  lanes here = lanes_load(tiles + tile_offset(column) + part * tile_width(c, column));
  if (!shifted) {
    return here;
  }
  int32_t left = column - CLOTH_LANES;
  if (left < 0) {
    return lanes_shifted(lanes_splat(0.0f), here);
  }
  return lanes_shifted(lanes_load(tiles + tile_offset(left) + part * tile_width(c, left)), here);
}

/* Adds to m the blocks of the springs of direction d that are stored at a block of cells, chosen as in operator_load().
 */
CLOTH_INLINE void add_operator_block(const cloth *c, symmetric *m, int32_t row, int32_t column, int32_t d,
                                     int shifted) {
  int32_t part = OPERATOR_FLOATS * d;
  lanes3 w = lanes3_of(operator_load(c, row, column, part, shifted), operator_load(c, row, column, part + 1, shifted),
                       operator_load(c, row, column, part + 2, shifted));
  symmetric_add_outer(m, w, w, operator_load(c, row, column, part + 3, shifted));
}

/* Adds to m, the blocks C of a block of particles, those of the springs of direction d that start there and that end
   there. The former are stored at the particles' own cells, for antidiagonals at those one column to the left; the
   latter one column to the left (WARP), one row up (WEFT, ANTIDIAGONAL), or both (DIAGONAL). */
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

/* Stores C, the diagonal blocks of A without the springs across the seam, in scratch.inverse. */
CLOTH_HOT CLOTH_SEPARATE void set_diagonal_blocks(const cloth *c, const step_plan *plan) {
  for (int32_t row = 0; row < c->grid.rows; row++) {
    for (int32_t column = 0; column < c->grid.columns; column += CLOTH_LANES) {
      int32_t i = row * c->grid.columns + column;
      symmetric m = symmetric_identity(mass_ratio_lanes(c, i));
      EACH_DIRECTION(d, add_spring_blocks(c, plan, &m, d, row, column));
      symmetric_store(c, i, symmetric_quantise(m), c->grid.columns - column);
    }
  }
}

/* Inverse of a block of A as the configured preconditioner takes it: I, 1 over the diagonal, or the full inverse. */
static symmetric inverse_of_kind(const cloth *c, symmetric m, lanes mass_ratio) {
  lanes zero = lanes_splat(0.0f);
  if (c->settings.solver.preconditioner == CLOTH_PRECONDITIONER_NONE) {
    return symmetric_identity(lanes_splat(1.0f));
  }
  if (c->settings.solver.preconditioner == CLOTH_PRECONDITIONER_DIAGONAL) {
    m.xy = zero;
    m.xz = zero;
    m.yz = zero;
  }
  return symmetric_inverse(m, mass_ratio);
}

/* Replaces the blocks by their inverses, and by 0 for particles that cannot move (mobility 0). */
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

/* One float of one particle's block, by its index in the order of symmetric. The functions below handle one particle at
   a time, as only constrained particles and those at the seam need them. */
static float *block_entry(const cloth *c, int32_t particle, int32_t entry) {
  return floats_at(c, c->scratch.inverse) + particle + entry * c->stride;
}

/* Index in the order of symmetric of the entry in a row and a column. */
CLOTH_CONSTANT static const uint8_t block_index[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};

/* Replaces the block M of one particle by P M P, with P = I - n n^T, the projection onto the plane with normal n, or
   P = n n^T, onto the line along n, if `to_line`. Two matrix products and not the shorter
   M - n (M n)^T - (M n) n^T + (n . M n) n n^T: its rounding errors leave a part along n, which costs iterations. */
static void project_block(const cloth *c, int32_t particle, cloth_vector n, int to_line) {
  float axis[3] = {n.x, n.y, n.z};
  float p[3][3];
  float pm[3][3];
  for (int r = 0; r < 3; r++) {
    for (int s = 0; s < 3; s++) {
      float outer = flush_small(axis[r] * axis[s], WORK_QUANTUM);
      p[r][s] = to_line ? outer : (r == s ? 1.0f : 0.0f) - outer;
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
      *block_entry(c, particle, block_index[r][s]) = quantise(sum, WORK_ROUNDER);
    }
  }
}

/* Adds s n n^T if `along`, else s (I - n n^T), to the block of one particle. */
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

/* Adds the block w w^T + beta I of a spring to the block of one particle. */
static void add_seam_block(const cloth *c, int32_t particle, const float *w, float beta) {
  for (int r = 0; r < 3; r++) {
    for (int t = r; t < 3; t++) {
      float value = w[r] * w[t] + (r == t ? beta : 0.0f);
      *block_entry(c, particle, block_index[r][t]) += quantise(value, WORK_ROUNDER);
    }
  }
}

/* Adds the blocks of the implicit springs across the seam to the blocks C of the particles at both ends. */
CLOTH_SEPARATE void add_seam_blocks(const cloth *c, const step_plan *plan) {
  const int32_t part = seam_rows(c);
  for (int32_t n = 0; n < SEAM_SPRINGS; n++) {
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

#define ONE_THIRD 0.33333334f

/* Replaces the block C of a particle confined to the plane with normal n, or to the line along n, by its constrained
   form S C S + s (I - S), where s is the mean of the diagonal of C. Inverting follows. */
static void constrain_block(const cloth *c, int32_t particle, cloth_vector n, int to_line) {
  float trace = *block_entry(c, particle, 0) + *block_entry(c, particle, 1) + *block_entry(c, particle, 2);
  project_block(c, particle, n, to_line);
  fill_block(c, particle, n, !to_line, trace * ONE_THIRD);
}

/* A function of a particle that may move in the plane with normal n only, or along n only if `to_line`. */
typedef void (*constrained_action)(const cloth *c, int32_t particle, cloth_vector n, int to_line);

/* Calls `act` for every particle that is confined, and for every one that a sliding contact holds in a plane. */
static void for_each_constrained(const cloth *c, constrained_action act) {
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

/* Sets the blocks of particles that static friction holds to 0: they have no free direction. */
static void clear_sticking_blocks(const cloth *c) {
  for (int32_t i = 0; has_solver_contacts(c) && i < c->count; i++) {
    if (CONTACT_KIND(contact_info_of(c)[i]) != CONTACT_STICK) {
      continue;
    }
    for (int32_t entry = 0; entry < SYMMETRIC_FLOATS; entry++) {
      *block_entry(c, i, entry) = 0.0f;
    }
  }
}

/// Multilevel preconditioner ///

/*
 * Additive multilevel preconditioner (Bramble, Pasciak and Xu 1990): z = P^-1 r + the sum over all coarser grids of
 * R^T B^-1 R r. P^-1 is the block preconditioner, R restricts the residual to the nodes of a grid, R^T is bilinear
 * interpolation, and B holds a symmetric 3x3 block for each node. Each grid has a quarter of the columns and rows of
 * the next finer one, so all of them together have about a fifteenth as many nodes as there are particles. Particles
 * that are not free in all directions take no part: their share is 0.
 *
 * A node's block approximates that of the Galerkin product R A R^T by sums over the neighbourhood of the node, which
 * restriction computes: B = springs / distance^2 + masses. A smooth motion of the nodes strains each spring by the
 * inverse of the nodes' distance in cells, so the sum of the springs' blocks is divided by its square; the masses move
 * as they are. The blocks of springs of particles that take no part resist any motion and are not divided.
 *
 * In: scratch.inverse, which holds the diagonal blocks C during build_nodes(); mobility, the mass ratios, the contacts
 * and the confinements; scratch.residual in correct_coarse().
 * Out: scratch.share, 1 or 0 for each particle; scratch.nodes.
 * Scratch: coarse_lines, which hold one row of a finer grid in restriction and two in interpolation.
 */

#if WITH_MULTILEVEL

/* Smallest pivot of a node's block, 2^-10: far below the mass ratio that a node gets from the lightest particle. It
   gives an inverse also to the blocks of nodes that hold no particle that takes part. */
#define MIN_PIVOT 0.0009765625f
/* Weight of the corrections of coarser grids. Neighbouring nodes and the grids above and below correct the same errors,
   so the full corrections would add up to too much and take more iterations. */
#define COARSE_WEIGHT 0.5f

/* Index of the first of a node's NODE_FLOATS floats of each kind. While the blocks are built, the first six hold the
   sum of the springs and the others that of the masses, which the inverse block replaces. During a solve the first six
   hold residual and correction. */
enum { NODE_SPRINGS = 0, NODE_MASSES = 6, NODE_RESIDUAL = 0, NODE_CORRECTION = 3, NODE_INVERSE = 6 };

/* A grid: the particles, or nodes of which node n of a row is at column COARSENING n of the next finer grid. */
typedef struct grid_level {
  int32_t columns, rows;
  int32_t count; /* of nodes */
  float *floats; /* NODE_FLOATS arrays of `count` floats; NULL for the particles */
} grid_level;

/* The array of one of the NODE_FLOATS floats of all nodes. */
CLOTH_INLINE float *node_floats(const grid_level *level, int32_t index) {
  return level->floats + index * level->count;
}

static grid_level finest_level(const cloth *c) {
  grid_level level = {.columns = c->grid.columns, .rows = c->grid.rows, .count = c->count, .floats = NULL};
  return level;
}

/* The next coarser grid. Its floats follow those of the finer one. */
static grid_level coarser_level(const cloth *c, const grid_level *fine) {
  grid_level level = {nodes_for(fine->columns), nodes_for(fine->rows), 0, floats_at(c, c->scratch.nodes)};
  level.count = level.columns * level.rows;
  if (fine->floats) {
    level.floats = node_floats(fine, NODE_FLOATS);
  }
  return level;
}

static int is_coarsest(const grid_level *level) {
  return level->floats && level->columns <= COARSEST_SIDE && level->rows <= COARSEST_SIDE;
}

/* Weight of a column, or row, of a finer grid in a node, or a row of nodes: bilinear interpolation. Columns beyond the
   last node belong to it in full. */
static float node_weight(int32_t column, int32_t node, int32_t nodes) {
  int32_t distance = column - COARSENING * node;
  if (distance > 0 && node == nodes - 1) {
    return 1.0f;
  }
  return (float)(COARSENING - (distance < 0 ? -distance : distance)) * (1.0f / COARSENING);
}

/* What is restricted, three floats at a time:
   OF_NODES     floats of a coarse grid's nodes;
   OF_RESIDUAL  the residual of particles, times their share;
   OF_SPRINGS   entries of the sum of the springs' blocks of a particle, C less the mass ratio, times its share;
   OF_MASSES    entries of what resists the motion of a node as a whole: the mass ratio of a particle, times its share,
                and the springs' blocks of particles with share 0. */
enum { OF_NODES, OF_RESIDUAL, OF_SPRINGS, OF_MASSES };

typedef struct restriction {
  vector_array from;
  const float *share;      /* of the particles; NULL for OF_NODES */
  const float *mass_ratio; /* of the particles; NULL if all are 1 */
  float mass;              /* 1 for the diagonal entries of blocks, 0 for the others */
} restriction;

/* What is restricted of a block of particles, or nodes, from i on. */
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

/* One of two lines, by the parity of `number`: a vector per column of a grid, with LINE_PAD floats before and after
   each component. */
static vector_array coarse_line(const cloth *c, int32_t number, int32_t columns) {
  vector_array line;
  line.x = floats_at(c, c->scratch.coarse_lines) + LINE_PAD + (number & 1) * 3 * (c->grid.columns + LINE_PAD);
  line.y = line.x + columns + LINE_PAD;
  line.z = line.y + columns + LINE_PAD;
  return line;
}

/* Restricts a line of a finer grid, which has zeros before and after it, to a row of nodes. The factors are
   node_weight() at distances 1, 2 and 3. A column one beyond the last node counts in full: 3/4 + 1/4. */
static void restrict_line(const float *line, float *to, int32_t nodes) {
  const float *at_node = line;
  for (int32_t node = 0; node < nodes; node++, at_node += COARSENING) {
    float near = (at_node[-1] + at_node[1]) * 0.75f + at_node[0];
    float far = (at_node[-2] + at_node[2]) * 0.5f + (at_node[-3] + at_node[3]) * 0.25f;
    float sum = near + far;
    if (node == nodes - 1) {
      sum += 0.25f * at_node[1];
    }
    to[node] = quantise(sum, WORK_ROUNDER);
  }
}

/* Adds the last node of a row to the first, and clears it, if the sheet is a tube: both are the same place. */
static void join_ends(const cloth *c, float *line, int32_t nodes) {
  if (is_wrapped(c)) {
    line[0] += line[nodes - 1];
    line[nodes - 1] = 0.0f;
  }
}

/* The rows of a grid that contribute to a row of nodes of the next coarser grid, and their weights. */
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

/* Computes three floats of a coarser grid's nodes from the next finer grid, for each row of nodes first the weighted
   sum of the rows around it, in lanes, and then that of the columns. `to` is the first float of the nodes. */
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

/* Restricts floats first .. first + 2 of the nodes of a grid to the next coarser grid. */
CLOTH_HOT CLOTH_SEPARATE void restrict_nodes(const cloth *c, int32_t first, const grid_level *fine,
                                             const grid_level *coarse) {
  restriction t = {.from = vectors_from(node_floats(fine, first), fine->count)};
  restrict_three(c, &t, OF_NODES, fine, node_floats(coarse, first), coarse);
}

/* Restricts the residual of the particles to the first coarse grid. */
CLOTH_HOT CLOTH_SEPARATE void restrict_residual(const cloth *c, const grid_level *fine, const grid_level *coarse) {
  restriction t = {.from = vectors_at(c, c->scratch.residual), .share = floats_at(c, c->scratch.share)};
  restrict_three(c, &t, OF_RESIDUAL, fine, node_floats(coarse, NODE_RESIDUAL), coarse);
}

/* Restricts entries first .. first + 2 of the particles' blocks C to the first coarse grid, as springs and as masses.
   Entries 0, 1 and 2 are the diagonal, which alone holds masses. */
CLOTH_SEPARATE void restrict_blocks(const cloth *c, int32_t first, const grid_level *fine, const grid_level *coarse) {
  restriction t = {.from = vectors_from(block_entry(c, 0, first), c->stride),
                   .share = floats_at(c, c->scratch.share),
                   .mass_ratio = c->constant.mass_ratio ? floats_at(c, c->constant.mass_ratio) : NULL,
                   .mass = first == 0 ? 1.0f : 0.0f};
  restrict_three(c, &t, OF_SPRINGS, fine, node_floats(coarse, NODE_SPRINGS + first), coarse);
  restrict_three(c, &t, OF_MASSES, fine, node_floats(coarse, NODE_MASSES + first), coarse);
}

/* Replaces the sums of springs and masses of a grid's nodes, which are `distance` cells apart, by the inverse blocks
   times COARSE_WEIGHT. */
CLOTH_HOT CLOTH_SEPARATE void invert_nodes(const grid_level *level, float distance) {
  lanes over_square = lanes_splat(1.0f / (distance * distance));
  for (int32_t i = 0; i < level->count; i += CLOTH_LANES) {
    float *inverse = node_floats(level, NODE_INVERSE) + i; /* in the place of the masses */
    symmetric springs = symmetric_at(node_floats(level, NODE_SPRINGS) + i, level->count);
    symmetric masses = symmetric_at(node_floats(level, NODE_MASSES) + i, level->count);
    symmetric m = symmetric_add(masses, symmetric_scale(springs, over_square));
    m = symmetric_inverse(symmetric_quantise(m), lanes_splat(MIN_PIVOT));
    m = symmetric_quantise(symmetric_scale(m, lanes_splat(COARSE_WEIGHT)));
    const lanes entries[SYMMETRIC_FLOATS] = {m.xx, m.yy, m.zz, m.xy, m.xz, m.yz};
    for (int32_t entry = 0; entry < SYMMETRIC_FLOATS; entry++) {
      lanes_store_first(inverse + entry * level->count, entries[entry], level->count - i);
    }
  }
}

/* Builds the inverse blocks of all coarser grids from the blocks C of the particles. The sums of a grid are restricted
   to the next coarser one before they are inverted. */
static void build_nodes(const cloth *c) {
  size_t floats = (size_t)(coarse_line_floats(c) + coarse_floats(c) + LANE_PAD);
  fill_zero(at(c, c->scratch.coarse_lines), floats * sizeof(float)); /* also the pads, which lanes read */
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

/* A constrained_action: takes a particle that is not free in all directions out of the coarser grids. */
static void clear_share(const cloth *c, int32_t particle, cloth_vector n, int to_line) {
  (void)n;
  (void)to_line;
  floats_at(c, c->scratch.share)[particle] = 0.0f;
}

/* Sets the share of particles that are free in all directions to 1, that of the others to 0. */
static void set_shares(const cloth *c) {
  for (int32_t i = 0; i < c->count; i++) {
    int is_held = has_solver_contacts(c) && CONTACT_KIND(contact_info_of(c)[i]) == CONTACT_STICK;
    floats_at(c, c->scratch.share)[i] = floats_at(c, c->scratch.mobility)[i] > 0.0f && !is_held ? 1.0f : 0.0f;
  }
  for_each_constrained(c, clear_share);
}

/* correction = B^-1 residual at the nodes of a grid. Returns residual . correction. */
CLOTH_HOT CLOTH_SEPARATE float correct_nodes(const grid_level *level) {
  vector_array r = vectors_from(node_floats(level, NODE_RESIDUAL), level->count);
  vector_array z = vectors_from(node_floats(level, NODE_CORRECTION), level->count);
  lanes_sum sum = {{0.0f}};
  for (int32_t i = 0; i < level->count; i += CLOTH_LANES) {
    lanes3 residual = lanes3_load(r, i);
    symmetric inverse = symmetric_at(node_floats(level, NODE_INVERSE) + i, level->count);
    lanes3 correction = symmetric_apply(inverse, residual);
    lanes3_store(z, i, correction, level->count - i);
    lanes_sum_add(&sum, i, lanes_within(lanes3_dot(residual, correction), level->count - i));
  }
  return lanes_sum_total(&sum);
}

/* The corrections of the two rows of nodes around a row of a finer grid, interpolated at its columns. */
typedef struct node_rows {
  vector_array first, second;
  float fraction; /* of the distance from the first to the second at which the row lies */
} node_rows;

/* Interpolates one component of a row of corrections at the columns of a finer grid, COARSENING a node, of which up to
   four lie beyond the grid. */
CLOTH_HOT static void interpolate_line(const float *z, int32_t nodes, float *line) {
  for (int32_t i = 0; i < nodes; i++, line += COARSENING) {
    float a = z[i], b = i + 1 < nodes ? z[i + 1] : a;
    float half = (a + b) * 0.5f;
    line[0] = a;
    line[1] = (a + half) * 0.5f;
    line[2] = half;
    line[3] = (half + b) * 0.5f;
  }
}

/* Interpolates a row of corrections into one of the two lines. On a tube the last node of the row takes the correction
   of the first. */
static void interpolate_nodes(const cloth *c, const grid_level *coarse, int32_t node, int32_t columns) {
  float *z = node_floats(coarse, NODE_CORRECTION) + node * coarse->columns;
  vector_array line = coarse_line(c, node, columns);
  for (int32_t part = 0; is_wrapped(c) && part < 3; part++) {
    z[part * coarse->count + coarse->columns - 1] = z[part * coarse->count];
  }
  interpolate_line(z, coarse->columns, line.x);
  interpolate_line(z + coarse->count, coarse->columns, line.y);
  interpolate_line(z + 2 * coarse->count, coarse->columns, line.z);
}

/* The rows of nodes around a row. Callers must go through all rows of the finer grid in order: a row of nodes is
   interpolated once, when the rows reach it, into the line of the row of nodes two before. */
static node_rows nodes_around(const cloth *c, const grid_level *coarse, int32_t row, int32_t columns) {
  int32_t node = row / COARSENING;
  int32_t next = node + 1;
  node = node < coarse->rows ? node : coarse->rows - 1;
  next = next < coarse->rows ? next : node;
  if (row == 0) {
    interpolate_nodes(c, coarse, 0, columns);
  }
  if (row % COARSENING == 0 && next != node) {
    interpolate_nodes(c, coarse, next, columns);
  }
  node_rows around = {.first = coarse_line(c, node, columns),
                      .second = coarse_line(c, next, columns),
                      .fraction = (float)(row % COARSENING) * (1.0f / COARSENING)};
  return around;
}

/* The interpolated corrections of a block of columns. */
CLOTH_INLINE lanes3 nodes_between(const node_rows *around, int32_t column) {
  lanes3 first = lanes3_load(around->first, column);
  lanes3 second = lanes3_load(around->second, column);
  return lanes3_add(first, lanes3_scale(lanes3_subtract(second, first), lanes_splat(around->fraction)));
}

/* Adds the interpolated corrections of the next coarser grid to those of a grid. */
static void add_coarser(const cloth *c, const grid_level *fine, const grid_level *coarse) {
  vector_array z = vectors_from(node_floats(fine, NODE_CORRECTION), fine->count);
  for (int32_t row = 0; row < fine->rows; row++) {
    node_rows around = nodes_around(c, coarse, row, fine->columns);
    for (int32_t column = 0; column < fine->columns; column += CLOTH_LANES) {
      int32_t i = row * fine->columns + column;
      lanes3_store(z, i, lanes3_add(lanes3_load(z, i), nodes_between(&around, column)), fine->columns - column);
    }
  }
}

/* Restricts the residual to all coarser grids, corrects it there, and adds the corrections up from the coarsest grid to
   the first, whose nodes then hold their sum. Returns its part of residual . z. */
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
 * Modified preconditioned conjugate gradient for A y = b (Baraff and Witkin 1998; thesis fig. 5.2). The vectors are
 * those of the literature: y = scratch.solution, r = scratch.residual, p = scratch.direction. scratch.product holds two
 * in turn: q = A p, from update_direction_and_apply() until r is updated, and from then on z, the residual times the
 * preconditioner. z lacks the part of the coarser grids, which lies at their nodes until p is updated.
 * In: scratch.residual (b - A y) and scratch.solution (y); the operator's blocks; inverse, share and nodes; mobility,
 * the contacts and state.warm_start.
 * Out: scratch.solution and scratch.residual.
 * Scratch: direction, product, row_buffers, coarse_lines, and of nodes the residuals and corrections.
 */

/* direction = z + beta direction for one row, without the part of the coarser grids. */
CLOTH_HOT static void update_direction_row(const cloth *c, int32_t row, float beta) {
  const vector_array z = vectors_at(c, c->scratch.product);
  const vector_array direction = vectors_at(c, c->scratch.direction);
  const int32_t columns = c->grid.columns;
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    int32_t i = row * columns + column;
    lanes3 old = lanes3_load(direction, i);
    lanes3 updated = lanes3_add(lanes3_load(z, i), lanes3_scale(old, lanes_splat(beta)));
    lanes3_store(direction, i, lanes3_quantise(updated, WORK_ROUNDER), columns - column);
  }
}

typedef struct solve_result {
  int32_t iterations;
  int32_t capped; /* 1 if the cap, or may_refine(), stopped it above the tolerance */
  float residual; /* sqrt(residual . z) over its value on entry */
} solve_result;

/* product = P^-1 residual, with the block preconditioner. Returns residual . product. */
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

/* Operands of advance_and_precondition(). They are copies of loop invariants: a lane store may alias *c, so the
   compiler would otherwise load them again for each block. */
typedef struct advance_context {
  vector_array r, p, q, y; /* residual, direction, product, solution */
  const float *inverse;    /* the preconditioner's blocks */
  int32_t stride;          /* floats from one entry of a block to the next */
  lanes alpha;             /* length of the step along the direction */
} advance_context;

/* advance_and_precondition() for one block, of which `left` particles exist. Returns its part of residual . product. */
CLOTH_INLINE lanes advance_block(const advance_context *o, int32_t i, int32_t left) {
  lanes3 step = lanes3_scale(lanes3_load(o->p, i), o->alpha);
  lanes3_store(o->y, i, lanes3_add(lanes3_load(o->y, i), step), left);
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
                             .y = vectors_at(c, c->scratch.solution),
                             .inverse = floats_at(c, c->scratch.inverse),
                             .stride = c->stride,
                             .alpha = lanes_splat(alpha)};
  lanes_sum sum = {{0.0f}};
  EACH_BLOCK(i, left, c->count, lanes_sum_add(&sum, i, advance_block(&o, i, left)));
  return lanes_sum_total(&sum);
}

/* The solve ends when residual . z is below this times the number of particles: about (1e-8 m/s)^2 for each. Below it
   rounding to WORK_QUANTUM dominates, and a residual that is rounding error gives a meaningless direction. */
#define SOLVED_PER_PARTICLE 1.0e-16f

/* Smallest step alpha along a direction, 2^-30: far below the inverse of the largest eigenvalue at any kappa up to
   KAPPA_LIMIT. As a float it is a multiple of 2^-53, so its products with vectors, multiples of 2^-40, are not
   subnormal. A smaller step could make them so. */
#define MIN_STEP STATE_QUANTUM

/* Bounds of what the iteration divides by. They keep the inverses far from overflow and from subnormal numbers, which
   begin at divisors of about 1e-38 and 1e38. */
#define MIN_DIVISOR 1.0e-30f
#define MAX_DIVISOR 1.0e30f

/* May the iteration divide by this? Not by 0, by negative numbers, NaN or infinity. */
static int is_usable(float value) {
  return value > MIN_DIVISOR && value < MAX_DIVISOR;
}

CLOTH_HOT static float dot_product(const cloth *c, vector_array a, vector_array b) {
  lanes_sum sum = {{0.0f}};
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    lanes dot = lanes3_dot(lanes3_load(a, i), lanes3_load(b, i));
    lanes_sum_add(&sum, i, lanes_within(dot, c->count - i));
  }
  return lanes_sum_total(&sum);
}

/* Rounds the solution to multiples of WORK_QUANTUM: steps alpha p have finer parts. */
static void quantise_solution(const cloth *c) {
  vector_array y = vectors_at(c, c->scratch.solution);
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    lanes3_store(y, i, lanes3_quantise(lanes3_load(y, i), WORK_ROUNDER), c->count - i);
  }
}

/* Computes the corrections of the coarser grids, which then lie at the nodes of the first, if there are any. Returns
   their part of residual . z. */
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

/* direction = z + beta direction for one row, with the part of the coarser grids. Callers go through all rows in order,
   see nodes_around(). */
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
    lanes3 corrected = lanes3_scale(nodes_between(&around, column), lanes_load(share + i));
    corrected = lanes3_add(lanes3_load(z, i), corrected);
    lanes3 updated = lanes3_add(corrected, lanes3_scale(lanes3_load(direction, i), lanes_splat(beta)));
    lanes3_store(direction, i, lanes3_quantise(updated, WORK_ROUNDER), columns - column);
  }
}

#endif

/*
 * direction = z + beta direction, product = A direction, in one pass over the grid. z and product share their memory:
 * the direction is updated up to the row below the one whose product is written, as far as springs reach, so z is read
 * before the product replaces it. Returns direction . product.
 */
CLOTH_SEPARATE float update_direction_and_apply(const cloth *c, const step_plan *plan, float beta, int multilevel) {
  lanes_sum sum = {{0.0f}};
  int32_t updated = 0; /* rows whose direction is updated */
  clear_row_buffers(c);
  for (int32_t row = 0; row < c->grid.rows; row++) {
    for (; updated < c->grid.rows && updated <= row + 1; updated++) {
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
  }
#if WITH_WRAP
  if (is_wrapped(c)) {
    operator_seam(c, plan, &sum);
  }
#endif
  return lanes_sum_total(&sum);
}

/* product = A direction. Clears the product before, so that the update of the direction, z + 1 direction with z = 0,
   leaves it as it is. Returns direction . product. */
static float apply_operator(const cloth *c, const step_plan *plan) {
  fill_vectors(c, vectors_at(c, c->scratch.product), 0.0f);
  return update_direction_and_apply(c, plan, 1.0f, 0);
}

/* Is a particle free in the solve: neither pinned, nor confined, nor held by a contact? */
static int is_unheld(const cloth *c, int32_t i) {
  const uint32_t freedom = freedom_of(c)[i] & FREEDOM_MASK;
  const int in_contact = has_solver_contacts(c) && CONTACT_KIND(contact_info_of(c)[i]) != CONTACT_NONE;
  return freedom == FREEDOM_FREE && floats_at(c, c->scratch.mobility)[i] > 0.0f && !in_contact;
}

/*
 * Corrected start y = S t y0 + (I - S) z (thesis fig. 5.2), where y0 is the last substep's solution and z the
 * prescribed changes, not the preconditioned residual. Unscaled, y0 can raise the energy of a solve that is cut short;
 * with the line search t = clamp(y0 . r / y0 . A y0, 0, 1) it cannot. y0 counts as 0 for particles that are not free.
 * Returns residual . product, as advance_and_precondition() does. `make thesis` counts the iterations it saves.
 */
CLOTH_SEPARATE float start_warm(const cloth *c, const step_plan *plan) {
  vector_array y0 = vectors_at(c, c->state.warm_start);
  vector_array p = vectors_at(c, c->scratch.direction);
  for (int32_t i = 0; i < c->count; i++) {
    vector_store(p, i, is_unheld(c, i) ? vector_load(y0, i) : vector(0.0f, 0.0f, 0.0f));
  }
  float curvature = apply_operator(c, plan);
  float slope = dot_product(c, p, vectors_at(c, c->scratch.residual));
  if (!is_usable(curvature) || !(slope > MIN_STEP * curvature)) {
    return precondition(c);
  }
  return advance_and_precondition(c, slope < curvature ? slope / curvature : 1.0f);
}

/* Costs as much as an iteration and changes neither solution nor residual, for fixed work. The step is skipped when the
   curvature is NaN or infinite, as 0 times NaN would spoil the solution. */
static void iterate_without_effect(const cloth *c, const step_plan *plan, int multilevel) {
  if (is_finite(update_direction_and_apply(c, plan, 0.0f, multilevel))) {
    advance_and_precondition(c, 0.0f);
    coarse_correction(c, multilevel);
  }
}

/*
 * Conjugate gradient. On entry the residual holds b - A y and the solution y = (I - S) z, the prescribed changes. It
 * stops when sqrt(residual . z) has fallen to the tolerance times its value on entry; at the cap; at a deadline; or
 * when rounding errors leave no usable descent.
 *
 * Also in a solve that is cut short each iterate has lowered the quadratic 1/2 y . A y - b . y, which is 0 at y = 0.
 * That bounds the energy of the velocity change only up to a factor of the order of kappa, which is why
 * solvable_kappa() and DAMPING_LIMIT keep kappa within what the cap can resolve.
 */
static solve_result solve(const cloth *c, const step_plan *plan, int multilevel) {
  solve_result result = {.iterations = 0, .capped = 0, .residual = 0.0f};
  float reference = precondition(c) + coarse_correction(c, multilevel);
  float delta = c->state.warm_start ? start_warm(c, plan) + coarse_correction(c, multilevel) : reference;
  float target = maximum(c->settings.solver.tolerance * c->settings.solver.tolerance * reference,
                         SOLVED_PER_PARTICLE * (float)c->count);
  float beta = 0.0f;
  int is_cut = 0; /* 1: may_refine() has refused another iteration */
  fill_vectors(c, vectors_at(c, c->scratch.direction), 0.0f);
  while (result.iterations < c->settings.solver.max_iterations && delta > target && is_usable(delta)) {
    if (result.iterations > 0 && !may_refine(c)) {
      is_cut = 1;
      break;
    }
    float curvature = update_direction_and_apply(c, plan, beta, multilevel);
    if (!is_usable(curvature) || delta < MIN_STEP * curvature) {
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
  result.capped = (is_cut || result.iterations == c->settings.solver.max_iterations) && delta > target;
  result.residual = is_usable(reference) && delta > 0.0f ? square_root(delta / reference) : 0.0f;
  if (!(reference < MAX_DIVISOR)) {
    result.residual = 1.0f; /* nothing was solved: accept_particles() recovers what is not finite */
  }
  return result;
}

/// Implicit solve ///

/*
 * Solves A y = b for the velocity changes y of a substep and adds them to the velocities: semi-implicit backward Euler
 * with a single Newton step. Contacts of the solver prescribe changes z, which the solve starts from.
 * In: scratch.residual (b), operator_blocks and seam (A), mobility, the constraints of particles; with
 * contacts scratch.direction (z) and contact_normal; state.warm_start (the last solution).
 * Out: state.velocity, state.warm_start, the statistics, scratch.residual (b - A y, the constraint forces).
 * Scratch: inverse, solution (y), direction, product, row_buffers; with multilevel share, nodes and coarse_lines.
 */

/* Makes the preconditioner from the operator. The diagonal blocks of constrained particles are changed before all
   blocks are inverted, and their inverses projected afterwards. The nodes of the coarser grids are summed up from the
   unconstrained blocks, so they come first. */
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

/* Sum of the vectors of all particles. */
static cloth_vector sum_of_vectors(const cloth *c, vector_array a) {
  lanes_sum x = {{0.0f}}, y = {{0.0f}}, z = {{0.0f}};
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    const lanes3 block = lanes3_load(a, i);
    const int32_t left = c->count - i;
    lanes_sum_add(&x, i, lanes_within(block.x, left));
    lanes_sum_add(&y, i, lanes_within(block.y, left));
    lanes_sum_add(&z, i, lanes_within(block.z, left));
  }
  return vector(lanes_sum_total(&x), lanes_sum_total(&y), lanes_sum_total(&z));
}

static float sum_of_mass_ratios(const cloth *c) {
  lanes_sum sum = {{0.0f}};
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    lanes_sum_add(&sum, i, lanes_within(mass_ratio_lanes(c, i), c->count - i));
  }
  return lanes_sum_total(&sum);
}

static cloth_vector vector_quantise_work(cloth_vector a) {
  return vector(quantise(a.x, WORK_ROUNDER), quantise(a.y, WORK_ROUNDER), quantise(a.z, WORK_ROUNDER));
}

/* What holds particles in the solve: how many are held, by pins, confinements and contacts, and their mean velocity
   [m/s]. */
typedef struct held_particles {
  int32_t count;
  cloth_vector velocity;
} held_particles;

static held_particles find_held(const cloth *c) {
  held_particles held = {0, {0.0f, 0.0f, 0.0f}};
  for (int32_t i = 0; i < c->count; i++) {
    if (!is_unheld(c, i)) {
      held.velocity = vector_add(held.velocity, vector_load(vectors_at(c, c->state.velocity), i));
      held.count++;
    }
  }
  if (held.count > 0) {
    held.velocity = vector_quantise_work(vector_scale(held.velocity, 1.0f / (float)held.count));
  }
  return held;
}

/* Gives a cloth that nothing holds the momentum that the solve has left over: springs act in pairs, so the sum of the
   residual is that of a uniform velocity change still to come. It makes the sum 0. */
CLOTH_SEPARATE void keep_momentum(const cloth *c) {
  const vector_array y = vectors_at(c, c->scratch.solution), r = vectors_at(c, c->scratch.residual);
  const cloth_vector left_over = vector_scale(sum_of_vectors(c, r), 1.0f / sum_of_mass_ratios(c));
  const lanes3 change = lanes3_splat(vector_quantise_work(left_over));
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    const int32_t left = c->count - i;
    lanes3 residual = lanes3_subtract(lanes3_load(r, i), lanes3_scale(change, mass_ratio_lanes(c, i)));
    lanes3_store(y, i, lanes3_add(lanes3_load(y, i), change), left);
    lanes3_store(r, i, lanes3_quantise(residual, WORK_ROUNDER), left);
  }
}

/* Sets the direction to the new velocities of the particles that nothing holds, relative to `base`; 0 for others. */
static void set_direction_to_motion(const cloth *c, cloth_vector base) {
  const vector_array v = vectors_at(c, c->state.velocity), y = vectors_at(c, c->scratch.solution);
  for (int32_t i = 0; i < c->count; i++) {
    cloth_vector motion = vector_subtract(vector_add(vector_load(v, i), vector_load(y, i)), base);
    motion = is_unheld(c, i) ? vector_quantise_work(motion) : vector(0.0f, 0.0f, 0.0f);
    vector_store(vectors_at(c, c->scratch.direction), i, motion);
  }
}

/*
 * Bounds the energy of a solve that was cut short. For linear springs and new velocities w = v + y, with the residual r
 * = b - A y, the substep changes the energy, over m0, by
 *
 *     -1/2 |w - v|^2 - 1/2 h^2 w.Kw - r.w.
 *
 * Only the last term can be a gain. So w is scaled by s = 1 + r.w / w.Aw, after which r.w is 0: the step along w that
 * conjugate gradient would make. Velocities count relative to those of the particles that are held, or to the mean
 * velocity of the cloth. With `acts` 0 the same work changes nothing, for fixed work.
 */
CLOTH_SEPARATE void bound_energy(const cloth *c, const step_plan *plan, const held_particles *held, int acts) {
  cloth_vector base = held->velocity;
  if (held->count == 0) {
    const vector_array v = vectors_at(c, c->state.velocity), y = vectors_at(c, c->scratch.solution);
    base = vector_add(sum_of_vectors(c, v), sum_of_vectors(c, y));
    base = vector_quantise_work(vector_scale(base, 1.0f / (float)c->count));
  }
  set_direction_to_motion(c, base);
  const float curvature = apply_operator(c, plan);
  const float slope = dot_product(c, vectors_at(c, c->scratch.direction), vectors_at(c, c->scratch.residual));
  if (!is_usable(curvature) || !is_finite(slope)) {
    return;
  }
  float step = minimum(maximum(slope / curvature, -1.0f), 1.0f);
  advance_and_precondition(c, acts ? flush_small(step, MIN_STEP) : 0.0f);
}

/* Makes a solve that may have been cut short keep the momentum of a free cloth and add no energy. */
static void settle_solution(const cloth *c, const step_plan *plan, solve_result result) {
  const held_particles held = find_held(c);
  if (held.count == 0) {
    keep_momentum(c);
  }
  if (result.capped || c->settings.capacity.fixed_work) {
    bound_energy(c, plan, &held, result.capped);
  }
  if (result.capped) {
    quantise_solution(c);
  }
}

/* Adds a solve to the statistics of the step. */
static void record_solve(const cloth *c, int32_t substep, solve_result result) {
  cloth_statistics *s = statistics_of(c);
  ((uint16_t *)at(c, c->own.iterations))[substep] = (uint16_t)result.iterations;
  s->iterations += result.iterations;
  s->max_substep_iterations =
      result.iterations > s->max_substep_iterations ? result.iterations : s->max_substep_iterations;
  s->substeps_capped += result.capped;
  s->residual = maximum(s->residual, result.residual);
}

/* Stores the solution as the start of the next solve. After a solve that was cut short it stores 0, as the error of
   that solution would be added again in each substep and drive growing oscillations. For a particle whose change is not
   finite it stores 0, too. */
static void store_warm_start(const cloth *c, int capped) {
  vector_array y = vectors_at(c, c->scratch.solution);
  for (int32_t i = 0; c->state.warm_start && i < c->count; i++) {
    cloth_vector change = vector_load(y, i);
    int is_kept = !capped && vector_is_finite(change);
    vector_store(vectors_at(c, c->state.warm_start), i, is_kept ? change : vector(0.0f, 0.0f, 0.0f));
  }
}

/* velocity += solution */
static void add_solution(const cloth *c) {
  vector_array v = vectors_at(c, c->state.velocity);
  const int32_t count = c->count;
  for (int32_t i = 0; i < count; i += CLOTH_LANES) {
    lanes3 change = lanes3_load(vectors_at(c, c->scratch.solution), i);
    lanes3_store(v, i, lanes3_add(lanes3_load(v, i), change), count - i);
  }
}

#if WITH_MULTILEVEL

/* Largest kappa of the implicit springs. A pull travels about the square root of kappa cells in a substep. */
static float implicit_kappa(const step_plan *plan) {
  float kappa = 0.0f;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    kappa = maximum(kappa, plan->spring[d].mode >= CLOTH_MODE_IMPLICIT ? plan->spring[d].kappa : 0.0f);
  }
  return kappa;
}

/* Coarser grids make an iteration cost half as much again and take about two iterations to build. They pay where a pull
   travels at least half the distance between the nodes of the first coarse grid, COARSENING / 2 = 2 cells, so kappa is
   at least 2^2; where the cap allows enough iterations to earn back the building; and where contacts hold at most half
   of the particles, as held ones take no part. Otherwise the block preconditioner gets further in the same time. */
#define MULTILEVEL_KAPPA 4.0f
#define MULTILEVEL_ITERATIONS 6

/* Does the automatic choice take the multilevel preconditioner? */
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

/* Solves for the velocity changes of a substep and adds them to the velocities. With contacts, of which there are
   `contacts`, the solve starts from solution = z and residual = b - A z. */
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
  settle_solution(c, plan, result);
  record_solve(c, substep, result);
  end_stage(c, CLOTH_STAGE_SOLVE, substep, c->scratch.solution);
  add_solution(c);
  store_warm_start(c, result.capped);
}

/// Lines of particles ///

/*
 * Bundles of lines for the kernels that solve along lines: the springs and hinges of a row share no particle with those
 * of another row, nor do those of columns or of diagonals. So lanes take CLOTH_LANES lines side by side, which makes
 * the result the same for any number of lanes.
 *
 * Columns lie side by side in memory. Rows are transposed into scratch.residual and back, which costs less than
 * gathering them into lanes. Diagonals: line n visits column n + row of each row, modulo the columns, antidiagonals
 * column n - row. So every particle lies on one line of each kind, all lines have an element in each row, and the lanes
 * of a bundle lie side by side in each row, up to the column where the row ends and the lanes go on at its start. On a
 * tube such a line is a helix. On a sheet it consists of pieces: the spring across the end of the row is absent.
 * In: positions, scratch.mobility. Out: a line_bundle. Scratch: residual.
 */

/* A bundle of up to CLOTH_LANES lines. The element n of lane 0 lies at n * next; on diagonals, whose slant is not 0, at
   n * columns plus its column. */
typedef struct line_bundle {
  vector_array x;               /* what the kernel changes, mostly positions; of diagonals the whole array */
  const float *mobility;        /* likewise */
  int32_t next;                 /* floats from an element of a line to the next one */
  int32_t length;               /* elements of a line */
  int32_t count;                /* number of lines; the other lanes compute what is not stored */
  int32_t is_ring;              /* 1 if the first element follows the last */
  int32_t first, along, across; /* particles: of the first element, from one to the next, from one line to the next */
  int32_t flags;                /* of lines, as in uniform.h */
  int32_t slant;                /* 0; 1 on diagonals and -1 on antidiagonals: columns from an element to the next */
  int32_t column, columns;      /* on diagonals: column of lane 0 in row 0, and columns of the grid */
} line_bundle;

/* Where an element of the lines of a bundle lies. */
typedef struct line_place {
  int32_t at;   /* of lane 0 */
  int32_t room; /* on diagonals: lanes up to the end of the row; lanes from there on lie `columns` floats before */
} line_place;

#if WITH_PROJECTION

/* The place of an element. `slant` is b->slant, as a constant where the caller has one. */
CLOTH_INLINE line_place line_place_of(const line_bundle *b, int32_t slant, int32_t element) {
  line_place place = {element * b->next, CLOTH_LANES};
  if (slant != 0) {
    int32_t column = (b->column + (slant > 0 ? element : b->columns - element % b->columns)) % b->columns;
    place.at += column;
    place.room = b->columns - column;
  }
  return place;
}

/* Number of steps from a place, at most `most`, without an end of a row within the lanes of any place. There a diagonal
   is a line like a column, whose elements are a column more or less than a row apart. */
CLOTH_INLINE int32_t plain_steps(const line_bundle *b, int32_t slant, int32_t step, line_place place, int32_t most) {
  if (slant == 0) {
    return most;
  }
  int32_t steps = 0;
  if (CLOTH_LANES > 1 && place.room > CLOTH_LANES) {
    steps = step * slant > 0 ? place.room - CLOTH_LANES : b->columns - place.room;
  }
  return steps < most ? steps : most;
}

/* Moves a place to the element after it (step 1) or before it (step -1). */
CLOTH_INLINE void line_place_move(const line_bundle *b, int32_t slant, int32_t step, line_place *place) {
  place->at += step * b->next;
  if (slant != 0) {
    int32_t shift = step * slant;
    int32_t room = place->room - shift;
    int32_t around = room < 1 ? b->columns : room > b->columns ? -b->columns : 0;
    place->room = room + around;
    place->at += shift - around;
  }
}

/* The same if the step is plain, with `plain`, a constant. */
CLOTH_INLINE void line_place_step(const line_bundle *b, int32_t slant, int plain, int32_t step, line_place *place) {
  if (plain) {
    place->at += step * (b->next + slant);
    place->room -= step * slant;
  } else {
    line_place_move(b, slant, step, place);
  }
}

CLOTH_INLINE lanes line_load(const line_bundle *b, int32_t slant, const float *from, line_place place) {
  lanes a = lanes_load(from + place.at);
  if (CLOTH_LANES > 1 && slant != 0 && place.room < CLOTH_LANES) {
    a = lanes_select(lanes_first(place.room), a, lanes_load(from + place.at - b->columns));
  }
  return a;
}

CLOTH_INLINE lanes3 line_load3(const line_bundle *b, int32_t slant, vector_array from, line_place place) {
  return lanes3_of(line_load(b, slant, from.x, place), line_load(b, slant, from.y, place),
                   line_load(b, slant, from.z, place));
}

/* Stores lanes of a diagonal that reach beyond the end of its row. The lanes of a whole bundle are stored with what
   lies beside them as it was. */
CLOTH_SEPARATE void line_store_around(float *to, lanes a, int32_t room, int32_t count, int32_t columns) {
  if (count == CLOTH_LANES) {
    const lanes_mask end = lanes_first(room);
    float *start = to - columns;
    lanes_store(to, lanes_select(end, a, lanes_load(to)));
    lanes_store(start, lanes_select(end, lanes_load(start), a));
    return;
  }
  float values[CLOTH_LANES];
  lanes_store(values, a);
  for (int32_t lane = 0; lane < count; lane++) {
    to[lane < room ? lane : lane - columns] = values[lane];
  }
}

CLOTH_INLINE void line_store(const line_bundle *b, int32_t slant, float *to, line_place place, lanes a) {
  to += place.at;
  if (CLOTH_LANES > 1 && slant != 0 && place.room < CLOTH_LANES) {
    line_store_around(to, a, place.room, b->count, b->columns);
  } else if (CLOTH_LANES > 1 && b->count < CLOTH_LANES) {
    lanes_store_first(to, a, b->count);
  } else {
    lanes_store(to, a);
  }
}

CLOTH_INLINE void line_store3(const line_bundle *b, int32_t slant, line_place place, lanes3 a) {
  line_store(b, slant, b->x.x, place, a.x);
  line_store(b, slant, b->x.y, place, a.y);
  line_store(b, slant, b->x.z, place, a.z);
}

/* Which lanes have a spring from an element to the next: on the diagonals of a sheet not those at the end of a row. */
CLOTH_INLINE lanes_mask line_goes_on(const line_bundle *b, int32_t slant, line_place place) {
  if (slant == 0 || b->is_ring) {
    return lanes_first(CLOTH_LANES);
  }
  /* The lane at the last column (diagonals) or at column 0 (antidiagonals) is the last piece of its line. */
  int32_t last = slant > 0 ? place.room - 1 : place.room % b->columns;
  if (last >= CLOTH_LANES) {
    return lanes_first(CLOTH_LANES);
  }
  lanes number = lanes_load(lane_numbers);
  lanes_mask above = lanes_less(lanes_splat((float)last), number);
  lanes_mask below = lanes_less(number, lanes_splat((float)last));
  return lanes_less(lanes_splat(0.5f),
                    lanes_add(lanes_keep(above, lanes_splat(1.0f)), lanes_keep(below, lanes_splat(1.0f))));
}

#endif

/* The bundle of the columns from one on. */
static line_bundle bundle_of_columns(const cloth *c, vector_array x, int32_t column) {
  int32_t left = c->grid.columns - column;
  line_bundle b = {.x = {x.x + column, x.y + column, x.z + column},
                   .mobility = floats_at(c, c->scratch.mobility) + column,
                   .next = c->grid.columns,
                   .length = c->grid.rows,
                   .count = left < CLOTH_LANES ? left : CLOTH_LANES,
                   .first = column,
                   .along = c->grid.columns,
                   .across = 1,
                   .flags = *line_flags_of_columns(c, column)};
  return b;
}

#if WITH_PROJECTION

/* The bundle of the diagonals (slant 1) or antidiagonals (slant -1) that start at the columns of row 0 from one on. */
static line_bundle bundle_of_diagonals(const cloth *c, vector_array x, int32_t column, int32_t slant) {
  int32_t left = c->grid.columns - column;
  line_bundle b = {.x = x,
                   .mobility = floats_at(c, c->scratch.mobility),
                   .next = c->grid.columns,
                   .length = c->grid.rows,
                   .count = left < CLOTH_LANES ? left : CLOTH_LANES,
                   .is_ring = is_wrapped(c),
                   .slant = slant,
                   .column = column,
                   .columns = c->grid.columns};
  return b;
}

#endif

/* Transposed rows, in scratch.residual: ROW_PLANES planes of LINE_BLOCK floats per column each. */
enum { ROW_X, ROW_Y, ROW_Z, ROW_MOBILITY, ROW_OLD_X, ROW_OLD_Y, ROW_OLD_Z };

#if CLOTH_LANES > 1

static float *row_plane(const cloth *c, int32_t plane) {
  return floats_at(c, c->scratch.residual) + plane * LINE_BLOCK * in_line_blocks(c->grid.columns);
}

/* Transposes a block of `count` rows and CLOTH_LANES columns. Rows beyond `count` are copies of the first: what lanes
   without a line compute stays finite. */
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

/* Copies `count` rows to `side`, where element n of all of them lies in the lanes from n * CLOTH_LANES on. */
CLOTH_HOT CLOTH_SEPARATE void transpose_rows(const float *row, int32_t columns, int32_t count, float *side) {
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    if (count == CLOTH_LANES) {
      transpose_block(row + column, columns, CLOTH_LANES, side + column * CLOTH_LANES);
    } else {
      transpose_block(row + column, columns, count, side + column * CLOTH_LANES);
    }
  }
}

/* Copies transposed rows from `side` back to where they were. */
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

static vector_array row_vectors(const cloth *c, int32_t plane) {
  vector_array v = {row_plane(c, plane), row_plane(c, plane + 1), row_plane(c, plane + 2)};
  return v;
}

/* Copies the vectors of `count` rows, from particle `first` on, to the planes from `plane` on. */
static void transpose_vectors(const cloth *c, vector_array from, int32_t first, int32_t count, int32_t plane) {
  const vector_array to = row_vectors(c, plane);
  transpose_rows(from.x + first, c->grid.columns, count, to.x);
  transpose_rows(from.y + first, c->grid.columns, count, to.y);
  transpose_rows(from.z + first, c->grid.columns, count, to.z);
}

static void transpose_vectors_back(const cloth *c, vector_array to, int32_t first, int32_t count) {
  const vector_array from = row_vectors(c, ROW_X);
  transpose_rows_back(to.x + first, c->grid.columns, count, from.x);
  transpose_rows_back(to.y + first, c->grid.columns, count, from.y);
  transpose_rows_back(to.z + first, c->grid.columns, count, from.z);
}

/* Copies the mobilities of `count` rows; of uniform rows they are 1. */
static void transpose_mobility(const cloth *c, int32_t first, int32_t count, int32_t flags) {
  float *to = row_plane(c, ROW_MOBILITY);
  if (!(flags & LINES_UNIFORM)) {
    transpose_rows(floats_at(c, c->scratch.mobility) + first, c->grid.columns, count, to);
    return;
  }
  for (int32_t column = 0; column < c->grid.columns; column++) {
    lanes_store(to + column * CLOTH_LANES, lanes_splat(1.0f));
  }
}

#endif

/* Flags of `count` rows, from a row on: uniform if all are, pinned twice if one is. */
static int32_t flags_of_rows(const cloth *c, int32_t row, int32_t count) {
  const uint8_t *flags = line_flags_of_rows(c) + row;
  int32_t all = LINES_UNIFORM, one = 0;
  for (int32_t n = 0; n < count; n++) {
    all &= flags[n];
    one |= flags[n];
  }
  return all | (one & (LINES_PINNED | LINES_TWICE));
}

/* The bundle of the rows from one on: transposed copies of x, to be copied back by return_rows(); the row itself in a
   scalar build. */
static line_bundle bundle_of_rows(const cloth *c, vector_array x, int32_t row) {
  int32_t left = c->grid.rows - row, first = row * c->grid.columns;
  line_bundle b = {.x = {x.x + first, x.y + first, x.z + first},
                   .mobility = floats_at(c, c->scratch.mobility) + first,
                   .next = 1,
                   .length = c->grid.columns,
                   .count = left < CLOTH_LANES ? left : CLOTH_LANES,
                   .is_ring = is_wrapped(c),
                   .first = first,
                   .along = 1,
                   .across = c->grid.columns};
  b.flags = flags_of_rows(c, row, b.count);
#if CLOTH_LANES > 1
  b.next = CLOTH_LANES;
  b.x = row_vectors(c, ROW_X);
  b.mobility = row_plane(c, ROW_MOBILITY);
  transpose_vectors(c, x, first, b.count, ROW_X);
  transpose_mobility(c, first, b.count, b.flags);
#endif
  return b;
}

/* Copies the rows of a bundle back to x. */
static void return_rows(const cloth *c, vector_array x, const line_bundle *b) {
#if CLOTH_LANES > 1
  transpose_vectors_back(c, x, b->first, b->count);
#else
  (void)c;
  (void)x;
  (void)b;
#endif
}

/* Blocks of lanes that an element has in scratch.line_work. */
CLOTH_INLINE int32_t line_slot_blocks(const line_bundle *b) {
  return b->is_ring && b->slant == 0 ? RING_SLOT : LINE_SLOT;
}

/* Values of a map at an element of each line. */
static lanes line_values(const line_bundle *b, const float *map, int32_t element) {
#if WITH_PROJECTION
  if (b->slant != 0) {
    return line_load(b, b->slant, map, line_place_of(b, b->slant, element));
  }
#endif
  return lanes_gather(map + b->first + element * b->along, b->across, b->count);
}

/// Explicit bending ///

/*
 * Bending by forces at the predicted positions, for cloth so pliable on its grid that this is stable: the hinges and
 * twists of bend_solve.h all at once, so that nothing is lost between the directions. Together they are the stencil of
 * a plate, 13 particles on five rows. Evaluated at the prediction it damps what the grid cannot resolve, as backward
 * Euler does.
 *
 * Edges: values beyond them continue the sheet straight on. Hinges at an edge and beyond are then 0, as they must be,
 * but the twist of each cell beyond the edge is that of the cell inside; their forces are taken back. Factors of single
 * hinges, by a stiffness map or at the border of a clamp, have no place in the stencil: such cloth is solved along
 * lines.
 *
 * Row by row, each component of the positions for itself; rows are read into a ring of five before they move.
 *
 * In: the plan's bending, the predicted positions, those at the start of the substep, scratch.mobility. Out: the
 * predicted positions. Scratch: residual, the ring.
 */

/* Rows of the ring. */
#define STENCIL_ROWS 5
/* Values before and after a row in the ring that the stencil reads. */
#define STENCIL_REACH 2

/* Rows around the one that moves, by their place in bend_rows.around. */
enum { ROW_TOP, ROW_ABOVE, ROW_HERE, ROW_BELOW, ROW_BOTTOM };

typedef struct bend_rows {
  const float *mobility;
  float *x;                    /* a component of the predicted positions */
  const float *old;            /* the same at the start of the substep */
  float *around[STENCIL_ROWS]; /* rows of values, from the second above the row that moves to the second below */
  int32_t columns, rows, is_wrapped;
  float warp, weft, twist; /* stiffness */
  float shift;             /* share of the old positions that is subtracted */
} bend_rows;

/* Sets the values before and after a row: on a tube those at the other end, else the row is continued straight on. */
static void continue_row(const bend_rows *b, float *values) {
  float *end = values + b->columns;
  for (int32_t n = 0; n < STENCIL_REACH; n++) {
    values[-1 - n] = b->is_wrapped ? end[-1 - n] : values[-n] + (values[-n] - values[1 - n]);
    end[n] = b->is_wrapped ? values[n] : end[n - 1] + (end[n - 1] - end[n - 2]);
  }
}

/* Reads a row of positions, less the share of the old ones, to a place around the row that moves. */
CLOTH_HOT CLOTH_SEPARATE void read_values(const bend_rows *b, int32_t row, int32_t place) {
  float *to = b->around[place];
  const float *x = b->x + row * b->columns, *old = b->old + row * b->columns;
  const lanes shift = lanes_splat(b->shift);
  const int32_t columns = b->columns, is_viscous = b->shift > 0.0f;
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    lanes value = lanes_load(x + column);
    if (is_viscous) {
      value = lanes_subtract(value, lanes_multiply(lanes_load(old + column), shift));
      value = lanes_quantise(value, WORK_ROUNDER);
    }
    lanes_store(to + column, value);
  }
  continue_row(b, to);
}

/* Sets a row beyond the first or the last to what continues the two rows before it straight on; `step` leads to it. */
static void continue_values(const bend_rows *b, int32_t place, int32_t step) {
  float *to = b->around[place];
  const float *near = b->around[place - step], *far = b->around[place - 2 * step];
  for (int32_t column = -STENCIL_REACH; column < b->columns + STENCIL_REACH; column += CLOTH_LANES) {
    const lanes x = lanes_load(near + column);
    lanes_store(to + column, lanes_add(x, lanes_subtract(x, lanes_load(far + column))));
  }
}

/* By how much the middle exceeds two values, summed. Memory as the subtrahend saves an instruction on some machines. */
CLOTH_INLINE lanes excess_over(lanes middle, const float *before, const float *after) {
  return lanes_add(lanes_subtract(middle, lanes_load(before)), lanes_subtract(middle, lanes_load(after)));
}

/* Moves the particles of a row by the stencil. */
CLOTH_HOT CLOTH_SEPARATE void move_by_bending(const bend_rows *b, int32_t row) {
  const float *top = b->around[ROW_TOP], *above = b->around[ROW_ABOVE], *here = b->around[ROW_HERE],
              *below = b->around[ROW_BELOW], *bottom = b->around[ROW_BOTTOM];
  const float *mobility = b->mobility + row * b->columns;
  float *to = b->x + row * b->columns;
  const lanes warp = lanes_splat(b->warp), weft = lanes_splat(b->weft), twist = lanes_splat(b->twist);
  const lanes near_warp = lanes_splat(4.0f * b->warp + 2.0f * b->twist);
  const lanes near_weft = lanes_splat(4.0f * b->weft + 2.0f * b->twist);
  EACH_BLOCK(i, left, b->columns, {
    const lanes x = lanes_load(here + i);
    const lanes corners =
        lanes_add(excess_over(x, above + i - 1, above + i + 1), excess_over(x, below + i - 1, below + i + 1));
    lanes force = lanes_multiply(excess_over(x, here + i - 1, here + i + 1), near_warp);
    force = lanes_add(force, lanes_multiply(excess_over(x, above + i, below + i), near_weft));
    force = lanes_subtract(force, lanes_multiply(excess_over(x, here + i - 2, here + i + 2), warp));
    force = lanes_subtract(force, lanes_multiply(excess_over(x, top + i, bottom + i), weft));
    force = lanes_subtract(force, lanes_multiply(corners, twist));
    force = lanes_quantise(lanes_multiply(force, lanes_load(mobility + i)), WORK_ROUNDER);
    lanes_store_first(to + i, lanes_subtract(lanes_load(to + i), force), left);
  });
}

/* Takes back the forces of the twists above the first row (step 1) or below the last row (step -1): those of the cells
   on the other side of the row. */
static void move_by_edge_twist(const bend_rows *b, int32_t row, int32_t step) {
  const float *here = b->around[ROW_HERE], *inside = b->around[ROW_HERE + step];
  const float *mobility = b->mobility + row * b->columns;
  float *to = b->x + row * b->columns;
  const lanes twist = lanes_splat(b->twist);
  EACH_BLOCK(i, left, b->columns, {
    const lanes change = lanes_subtract(excess_over(lanes_load(inside + i), inside + i - 1, inside + i + 1),
                                        excess_over(lanes_load(here + i), here + i - 1, here + i + 1));
    const lanes force = lanes_multiply(lanes_multiply(change, twist), lanes_load(mobility + i));
    lanes_store_first(to + i, lanes_add(lanes_load(to + i), lanes_quantise(force, WORK_ROUNDER)), left);
  });
}

/* Twist of the cell between a row and the next, and column `edge` and the column `inside` beside it, less that of the
   cell before, *before, which it replaces; 0 below the last row. */
CLOTH_INLINE float change_of_edge_twist(const bend_rows *b, int32_t row, int32_t edge, int32_t inside, float *before) {
  const float *upper = b->around[ROW_HERE], *lower = b->around[ROW_BELOW];
  const float twist = row + 1 < b->rows ? (lower[inside] - lower[edge]) - (upper[inside] - upper[edge]) : 0.0f;
  const float change = twist - *before;
  *before = twist;
  return change;
}

/* Takes back the forces of the twists beyond the ends of a row. `before`: the twists of the cells above, at both ends.
 */
static void move_by_end_twists(const bend_rows *b, int32_t row, float before[2]) {
  const int32_t first = row * b->columns, last = b->columns - 1;
  const float left = change_of_edge_twist(b, row, 0, 1, &before[0]);
  const float right = change_of_edge_twist(b, row, last, last - 1, &before[1]);
  b->x[first] -= flush_small(left * b->twist * b->mobility[first], WORK_QUANTUM);
  b->x[first + last] -= flush_small(right * b->twist * b->mobility[first + last], WORK_QUANTUM);
}

/* Moves on to the next row: the ring turns by one. */
CLOTH_INLINE void turn_ring(bend_rows *b) {
  float *first = b->around[0];
  for (int32_t n = 0; n + 1 < STENCIL_ROWS; n++) {
    b->around[n] = b->around[n + 1];
  }
  b->around[STENCIL_ROWS - 1] = first;
}

/* Bends a component of the positions. */
static void bend_component(bend_rows *b) {
  const int32_t last = b->rows - 1;
  float twists[2] = {0.0f, 0.0f};
  read_values(b, 0, ROW_HERE);
  read_values(b, 1, ROW_BELOW);
  continue_values(b, ROW_ABOVE, -1);
  continue_values(b, ROW_TOP, -1);
  for (int32_t row = 0; row <= last; row++) {
    if (row + 2 <= last) {
      read_values(b, row + 2, ROW_BOTTOM);
    } else {
      continue_values(b, ROW_BOTTOM, 1);
    }
    move_by_bending(b, row);
    if (row == 0 || row == last) {
      move_by_edge_twist(b, row, row == 0 ? 1 : -1);
    }
    if (!b->is_wrapped) {
      move_by_end_twists(b, row, twists);
    }
    turn_ring(b);
  }
}

/* Bends the cloth by forces. */
static void bend_explicitly(const cloth *c, const step_plan *plan) {
  const vector_array x = predicted_of(c), old = vectors_at(c, c->state.position);
  const int32_t width = in_line_blocks(c->grid.columns) + 2 * LINE_BLOCK;
  float *const ring = floats_at(c, c->scratch.residual);
  float *const components[3] = {x.x, x.y, x.z};
  const float *const old_components[3] = {old.x, old.y, old.z};
  bend_rows b = {.mobility = floats_at(c, c->scratch.mobility),
                 .columns = c->grid.columns,
                 .rows = c->grid.rows,
                 .is_wrapped = is_wrapped(c),
                 .warp = plan->bend.stiffness[WARP],
                 .weft = plan->bend.stiffness[WEFT],
                 .twist = plan->bend.twist,
                 .shift = plan->bend.shift};
  fill_zero(ring, (size_t)(STENCIL_ROWS * width) * sizeof(float));
  for (int32_t n = 0; n < STENCIL_ROWS; n++) {
    b.around[n] = ring + n * width + LINE_BLOCK;
  }
  for (int32_t n = 0; n < 3; n++) {
    b.x = components[n];
    b.old = old_components[n];
    bend_component(&b);
  }
}

/// Bending ///

/*
 * Backward Euler for bending, direction after direction. The energy of a plate of rigidity B is B/2 (x_uu^2 + x_vv^2 +
 * 2 x_uv^2) per area, with u along the warp and v along the weft: hinges, second differences along rows and columns,
 * and the twist of cells. It leaves the natural conditions of a free edge at a border, and its rigidity is B in every
 * direction. Hinges are linear and act along lines: one pentadiagonal system per line, solved exactly. The twist acts
 * on the differences of neighbouring columns: one tridiagonal system per pair of columns. Each particle belongs to two
 * pairs; it moves by the mean of what both, with twice the stiffness, make of the same positions. Every such move
 * reduces an energy, so that no stiffness is unstable, whatever the pins, masses and maps.
 *
 * Viscosity adds the rigidity times a time t to what resists changes: with the substep h all stiffnesses grow by the
 * factor 1 + t / h, and act on x - s x_old, with the share of the viscosity s = (t / h) / (1 + t / h).
 *
 * In: the plan's bending, the predicted positions, those at the start of the substep, scratch.mobility, the stiffness
 * map. Out: the predicted positions. Scratch: line_work, own.line_factors; residual, the changes by twist.
 */

/*
 * Elimination of (I / w + kappa K) delta = r along lines, K being the hinges, with the pentadiagonal coefficients
 * k_ii = kappa (s_{i-1} + 4 s_i + s_{i+1}), k_{i,i+1} = -2 kappa (s_i + s_{i+1}), k_{i,i+2} = kappa s_{i+1}, and s_i
 * the factor of the hinge at particle i, 0 at the ends of a line:
 *
 *     e_i = k_{i,i+1} - f_{i-1} p_{i-1},  f_i = k_{i,i+2},  p_i = e_i g_i,  q_i = f_i g_i,
 *     g_i = w_i / (1 + w_i (k_ii - p_{i-1} e_{i-1} - q_{i-2} f_{i-2})).
 *
 * A pin, w = 0, has g = p = q = 0: it does not move, and nothing is carried across it but the hinges beside it.
 */
typedef struct hinge_factors {
  lanes p, q, g;
} hinge_factors;

/* What the factorisation carries from an element to the next. */
typedef struct bend_elimination {
  lanes e, f, p, q, q_before, f_before;
} bend_elimination;

CLOTH_INLINE hinge_factors factor_element(bend_elimination *n, float kappa, lanes mobility, const lanes hinge[3]) {
  const lanes stiffness = lanes_splat(kappa);
  lanes diagonal = lanes_add(lanes_add(hinge[0], hinge[2]), lanes_multiply(hinge[1], lanes_splat(4.0f)));
  diagonal = lanes_multiply(diagonal, stiffness);
  diagonal = lanes_subtract(diagonal, lanes_add(lanes_multiply(n->p, n->e), lanes_multiply(n->q_before, n->f_before)));
  diagonal = lanes_maximum(diagonal, lanes_splat(0.0f));
  lanes near = lanes_multiply(lanes_multiply(lanes_add(hinge[1], hinge[2]), lanes_splat(-2.0f)), stiffness);
  lanes far = lanes_multiply(hinge[2], stiffness);
  hinge_factors b;
  b.g = lanes_divide(mobility, lanes_add(lanes_splat(1.0f), lanes_multiply(mobility, diagonal)));
  lanes e = lanes_subtract(near, lanes_multiply(n->f, n->p));
  b.p = lanes_multiply(e, b.g);
  b.q = lanes_multiply(far, b.g);
  n->q_before = n->q;
  n->f_before = n->f;
  n->e = e;
  n->f = far;
  n->p = b.p;
  n->q = b.q;
  return b;
}

/* The factors of an element in own.line_factors: of the elements one and two before it, and its own. */
enum { FACTOR_P_BEFORE, FACTOR_Q_BEFORE, FACTOR_G, FACTOR_P, FACTOR_Q };

/* Writes the factors of a uniform open line of `length` elements. */
static void factor_uniform_line(float *factors, int32_t length, float kappa) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  bend_elimination n = {zero, zero, zero, zero, zero, zero};
  for (int32_t i = 0; i < length; i++) {
    float *f = factors + BEND_FACTOR_FLOATS * i;
    lanes hinge[3];
    for (int32_t k = 0; k < 3; k++) {
      hinge[k] = i - 1 + k >= 1 && i - 1 + k <= length - 2 ? one : zero;
    }
    f[FACTOR_P_BEFORE] = lanes_first_value(n.p);
    f[FACTOR_Q_BEFORE] = lanes_first_value(n.q_before);
    hinge_factors b = factor_element(&n, kappa, one, hinge);
    f[FACTOR_G] = lanes_first_value(b.g);
    f[FACTOR_P] = lanes_first_value(b.p);
    f[FACTOR_Q] = lanes_first_value(b.q);
  }
}

/* The factors of uniform columns; those of rows follow them, then those of the twist between uniform columns. */
static float *bend_factors_of(const cloth *c, int32_t direction) {
  return floats_at(c, c->own.line_factors) + (direction == WARP ? BEND_FACTOR_FLOATS * c->grid.rows : 0);
}

static float *twist_factors_of(const cloth *c) {
  return bend_factors_of(c, WARP) + BEND_FACTOR_FLOATS * c->grid.columns;
}

/* Lines whose bending is solved. */
typedef struct bend_lines {
  line_bundle b;
  const cloth *c;
  const line_bundle *lines; /* the original of b, whose address may be taken */
  vector_array old;         /* positions at the start of the substep, laid out like b.x */
  float kappa, shift;
  int32_t has_equal_hinges; /* 1 if every hinge inside a line has the factor 1 */
  const float *uniform;     /* factors of uniform lines */
  float *work;              /* line_slot_blocks() blocks of lanes for each element */
} bend_lines;

/* Blocks of lanes of an element in line_work: half-solved displacements, factors p and q of lines that are not uniform,
   and on rings the displacements for unit displacements of the last but one and the last element. */
enum { BEND_X, BEND_Y, BEND_Z, BEND_P, BEND_Q, BEND_BY_FIRST, BEND_BY_LAST };

CLOTH_INLINE float *bend_slot(const bend_lines *l, int32_t element) {
  return l->work + element * (line_slot_blocks(&l->b) * CLOTH_LANES);
}

CLOTH_INLINE lanes3 bend_slot_load(const float *slot) {
  return lanes3_of(lanes_load(slot + BEND_X * CLOTH_LANES), lanes_load(slot + BEND_Y * CLOTH_LANES),
                   lanes_load(slot + BEND_Z * CLOTH_LANES));
}

CLOTH_INLINE void bend_slot_store(float *slot, lanes3 a) {
  lanes_store(slot + BEND_X * CLOTH_LANES, a.x);
  lanes_store(slot + BEND_Y * CLOTH_LANES, a.y);
  lanes_store(slot + BEND_Z * CLOTH_LANES, a.z);
}

/* An element of a ring, whose number may lie beyond its ends. */
CLOTH_INLINE int32_t wrapped_element(const bend_lines *l, int32_t element) {
  return element < 0 ? element + l->b.length : element >= l->b.length ? element - l->b.length : element;
}

/* x - s x_old of an element; around the ring on rings. */
CLOTH_INLINE lanes3 bend_value(const bend_lines *l, int32_t element) {
  if (WITH_WRAP && l->b.is_ring) {
    element = wrapped_element(l, element);
  }
  lanes3 x = lanes3_load(l->b.x, element * l->b.next);
  if (l->shift > 0.0f) {
    x = lanes3_subtract(x, lanes3_scale(lanes3_load(l->old, element * l->b.next), lanes_splat(l->shift)));
    x = lanes3_quantise(x, WORK_ROUNDER);
  }
  return x;
}

/* A window that moves along lines: the values around an element, and the hinges before, at and after it. */
typedef struct bend_window {
  lanes3 x, after; /* values of the element after, and difference from there to the next */
  lanes3 before_hinge, hinge, after_hinge;
} bend_window;

/* 1 where an element of a line is a pin, else 0. */
CLOTH_INLINE lanes is_pin_lane(const bend_lines *l, int32_t element) {
  const lanes mobility = lanes_load(l->b.mobility + wrapped_element(l, element) * l->b.next);
  return lanes_drop(lanes_less(lanes_splat(0.0f), mobility), lanes_splat(1.0f));
}

/* Factor of the hinge at an element of a line: 0 at its ends, which have none; 2 at the border of a clamp, a pin with
   a pin on one side alone, as half of what the hinge stands for is held straight there. */
CLOTH_INLINE lanes hinge_factor(const bend_lines *l, int32_t element) {
  if (WITH_WRAP && l->b.is_ring) {
    element = wrapped_element(l, element);
  } else if (element < 1 || element > l->b.length - 2) {
    return lanes_splat(0.0f);
  }
  lanes factor = lanes_splat(1.0f);
  if (!l->has_equal_hinges) {
    const lanes one_side = lanes_absolute(lanes_subtract(is_pin_lane(l, element - 1), is_pin_lane(l, element + 1)));
    factor = lanes_add(factor, lanes_multiply(is_pin_lane(l, element), one_side));
  }
  if (l->c->constant.stiffness_map) {
    factor = lanes_multiply(factor, line_values(l->lines, floats_at(l->c, l->c->constant.stiffness_map), element));
  }
  return factor;
}

/* Moves a window on: from the element before to `element`. Its last hinge is then that at element + 1. */
CLOTH_INLINE void move_window(const bend_lines *l, int32_t element, bend_window *w) {
  const lanes3 none = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  w->before_hinge = w->hinge;
  w->hinge = w->after_hinge;
  w->after_hinge = none;
  if (element + 2 < l->b.length || (WITH_WRAP && l->b.is_ring)) {
    const lanes3 x = bend_value(l, element + 2);
    const lanes3 d = lanes3_subtract(x, w->x);
    w->after_hinge = lanes3_subtract(d, w->after);
    if (l->c->constant.stiffness_map) {
      w->after_hinge = lanes3_quantise(w->after_hinge, WORK_ROUNDER);
    }
    if (!l->has_equal_hinges) {
      w->after_hinge = lanes3_scale(w->after_hinge, hinge_factor(l, element + 1));
    }
    w->x = x;
    w->after = d;
  }
}

/* The window before element 0. On open lines there are no hinges before element 1. */
CLOTH_INLINE bend_window start_window(const bend_lines *l) {
  const lanes3 none = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  bend_window w = {none, none, none, none, none};
  if (WITH_WRAP && l->b.is_ring) {
    w.x = bend_value(l, -1);
    w.after = lanes3_subtract(w.x, bend_value(l, -2));
    move_window(l, -2, &w);
    move_window(l, -1, &w);
    return w;
  }
  w.x = bend_value(l, l->b.length > 1 ? 1 : 0);
  w.after = lanes3_subtract(w.x, bend_value(l, 0));
  return w;
}

/* Force on the window's element over kappa. */
CLOTH_INLINE lanes3 window_force(const bend_window *w) {
  return lanes3_subtract(lanes3_subtract(w->hinge, w->before_hinge), lanes3_subtract(w->after_hinge, w->hinge));
}

CLOTH_INLINE void move_by(const bend_lines *l, int32_t element, lanes3 displacement) {
  const int32_t i = element * l->b.next;
  lanes3_store(l->b.x, i, lanes3_add(lanes3_load(l->b.x, i), displacement), l->b.count);
}

/* Open lines. `uniform`, a constant, tells which factors serve. */
CLOTH_INLINE void solve_open_bend(const bend_lines *l, int uniform) {
  const int32_t length = l->b.length;
  const lanes zero = lanes_splat(0.0f), kappa = lanes_splat(l->kappa);
  const lanes3 none = lanes3_of(zero, zero, zero);
  bend_elimination n = {zero, zero, zero, zero, zero, zero};
  bend_window w = start_window(l);
  lanes3 y = none, y_before = none;
  for (int32_t i = 0; i < length; i++) {
    float *slot = bend_slot(l, i);
    const float *f = l->uniform + BEND_FACTOR_FLOATS * i;
    move_window(l, i, &w);
    lanes3 r = lanes3_scale(window_force(&w), kappa);
    lanes g;
    if (uniform) {
      r = lanes3_subtract(r, lanes3_scale(y, lanes_splat(f[FACTOR_P_BEFORE])));
      r = lanes3_subtract(r, lanes3_scale(y_before, lanes_splat(f[FACTOR_Q_BEFORE])));
      g = lanes_splat(f[FACTOR_G]);
    } else {
      const lanes hinge[3] = {hinge_factor(l, i - 1), hinge_factor(l, i), hinge_factor(l, i + 1)};
      r = lanes3_subtract(r, lanes3_scale(y, n.p));
      r = lanes3_subtract(r, lanes3_scale(y_before, n.q_before));
      hinge_factors b = factor_element(&n, l->kappa, lanes_load(l->b.mobility + i * l->b.next), hinge);
      lanes_store(slot + BEND_P * CLOTH_LANES, b.p);
      lanes_store(slot + BEND_Q * CLOTH_LANES, b.q);
      g = b.g;
    }
    y_before = y;
    y = lanes3_quantise(r, WORK_ROUNDER);
    bend_slot_store(slot, lanes3_scale(y, g));
  }
  lanes3 z = none, z_after = none;
  for (int32_t i = length - 1; i >= 0; i--) {
    const float *slot = bend_slot(l, i);
    const float *f = l->uniform + BEND_FACTOR_FLOATS * i;
    const lanes p = uniform ? lanes_splat(f[FACTOR_P]) : lanes_load(slot + BEND_P * CLOTH_LANES);
    const lanes q = uniform ? lanes_splat(f[FACTOR_Q]) : lanes_load(slot + BEND_Q * CLOTH_LANES);
    lanes3 r = lanes3_subtract(bend_slot_load(slot), lanes3_scale(z, p));
    r = lanes3_quantise(lanes3_subtract(r, lanes3_scale(z_after, q)), WORK_ROUNDER);
    z_after = z;
    z = r;
    move_by(l, i, z);
  }
}

CLOTH_SEPARATE void solve_uniform_bend(const bend_lines *l) {
  bend_lines copy = *l;
  copy.b.is_ring = 0;
  copy.has_equal_hinges = 1;
  solve_open_bend(&copy, 1);
}

/* Where masses, pins or the stiffness map differ along a line. */
CLOTH_SEPARATE void solve_general_bend(const bend_lines *l) {
  bend_lines copy = *l;
  copy.b.is_ring = 0;
  solve_open_bend(&copy, 0);
}

#if WITH_WRAP

/* A ring without its last two elements is an open line; these two are eliminated last. Their coupling to an element of
   the open line, as columns of the matrix. */
typedef struct ring_border {
  lanes to_last_but_one, to_last;
} ring_border;

/* kappa (s_i + s_{i+1}) (-2), the coupling of elements i and i + 1; kappa s_{i+1}, that of elements i and i + 2. */
CLOTH_INLINE lanes near_coupling(const bend_lines *l, int32_t i) {
  return lanes_multiply(lanes_add(hinge_factor(l, i), hinge_factor(l, i + 1)), lanes_splat(-2.0f * l->kappa));
}

CLOTH_INLINE lanes far_coupling(const bend_lines *l, int32_t i) {
  return lanes_multiply(hinge_factor(l, i + 1), lanes_splat(l->kappa));
}

CLOTH_SEPARATE ring_border ring_border_of(const bend_lines *l, int32_t i) {
  const int32_t n = l->b.length;
  ring_border b = {lanes_splat(0.0f), lanes_splat(0.0f)};
  if (i == n - 3) {
    b.to_last_but_one = lanes_add(b.to_last_but_one, near_coupling(l, n - 3));
    b.to_last = lanes_add(b.to_last, far_coupling(l, n - 3));
  }
  if (i == n - 4) {
    b.to_last_but_one = lanes_add(b.to_last_but_one, far_coupling(l, n - 4));
  }
  if (i == 0) {
    b.to_last_but_one = lanes_add(b.to_last_but_one, far_coupling(l, n - 2));
    b.to_last = lanes_add(b.to_last, near_coupling(l, n - 1));
  }
  if (i == 1) {
    b.to_last = lanes_add(b.to_last, far_coupling(l, n - 1));
  }
  return b;
}

/* Solves the open line for its own right side and for both columns of the border, forwards. */
CLOTH_INLINE void eliminate_ring(const bend_lines *l) {
  const int32_t last = l->b.length - 3;
  const lanes zero = lanes_splat(0.0f), kappa = lanes_splat(l->kappa);
  const lanes3 none = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  bend_elimination n = {zero, zero, zero, zero, zero, zero};
  lanes3 y = none, y_before = none;
  ring_border u = {zero, zero}, u_before = u;
  bend_window w = start_window(l);
  for (int32_t i = 0; i <= last; i++) {
    const lanes hinge[3] = {hinge_factor(l, i - 1), hinge_factor(l, i), hinge_factor(l, i + 1)};
    move_window(l, i, &w);
    const lanes p = n.p, q = n.q_before;
    lanes3 r = lanes3_subtract(lanes3_scale(window_force(&w), kappa), lanes3_scale(y, p));
    r = lanes3_subtract(r, lanes3_scale(y_before, q));
    ring_border v = ring_border_of(l, i);
    v.to_last_but_one = lanes_subtract(v.to_last_but_one, lanes_multiply(u.to_last_but_one, p));
    v.to_last_but_one = lanes_subtract(v.to_last_but_one, lanes_multiply(u_before.to_last_but_one, q));
    v.to_last = lanes_subtract(v.to_last, lanes_multiply(u.to_last, p));
    v.to_last = lanes_subtract(v.to_last, lanes_multiply(u_before.to_last, q));
    hinge_factors f = factor_element(&n, l->kappa, lanes_load(l->b.mobility + i * l->b.next), hinge);
    y_before = y;
    y = lanes3_quantise(r, WORK_ROUNDER);
    u_before = u;
    u.to_last_but_one = lanes_quantise(v.to_last_but_one, WORK_ROUNDER);
    u.to_last = lanes_quantise(v.to_last, WORK_ROUNDER);
    float *slot = bend_slot(l, i);
    lanes_store(slot + BEND_P * CLOTH_LANES, lanes_keep(lanes_first(i < last ? CLOTH_LANES : 0), f.p));
    lanes_store(slot + BEND_Q * CLOTH_LANES, lanes_keep(lanes_first(i < last - 1 ? CLOTH_LANES : 0), f.q));
    lanes_store(slot + BEND_BY_FIRST * CLOTH_LANES, lanes_multiply(u.to_last_but_one, f.g));
    lanes_store(slot + BEND_BY_LAST * CLOTH_LANES, lanes_multiply(u.to_last, f.g));
    bend_slot_store(slot, lanes3_scale(y, f.g));
  }
  for (int32_t i = last + 1; i < last + 3; i++) {
    move_window(l, i, &w);
    bend_slot_store(bend_slot(l, i), lanes3_scale(window_force(&w), kappa));
  }
}

/* Backwards: the open line's displacements while the border rests, and those for unit displacements of the border. */
CLOTH_INLINE void substitute_ring(const bend_lines *l) {
  const lanes zero = lanes_splat(0.0f);
  const lanes3 none = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  lanes3 z = none, z_after = none;
  ring_border u = {zero, zero}, u_after = u;
  for (int32_t i = l->b.length - 3; i >= 0; i--) {
    float *slot = bend_slot(l, i);
    const lanes p = lanes_load(slot + BEND_P * CLOTH_LANES), q = lanes_load(slot + BEND_Q * CLOTH_LANES);
    lanes3 r = lanes3_subtract(bend_slot_load(slot), lanes3_scale(z, p));
    r = lanes3_quantise(lanes3_subtract(r, lanes3_scale(z_after, q)), WORK_ROUNDER);
    z_after = z;
    z = r;
    bend_slot_store(slot, z);
    ring_border v = {lanes_load(slot + BEND_BY_FIRST * CLOTH_LANES), lanes_load(slot + BEND_BY_LAST * CLOTH_LANES)};
    v.to_last_but_one = lanes_subtract(v.to_last_but_one, lanes_multiply(u.to_last_but_one, p));
    v.to_last_but_one = lanes_subtract(v.to_last_but_one, lanes_multiply(u_after.to_last_but_one, q));
    v.to_last = lanes_subtract(v.to_last, lanes_multiply(u.to_last, p));
    v.to_last = lanes_subtract(v.to_last, lanes_multiply(u_after.to_last, q));
    u_after = u;
    u.to_last_but_one = lanes_quantise(v.to_last_but_one, WORK_ROUNDER);
    u.to_last = lanes_quantise(v.to_last, WORK_ROUNDER);
    lanes_store(slot + BEND_BY_FIRST * CLOTH_LANES, u.to_last_but_one);
    lanes_store(slot + BEND_BY_LAST * CLOTH_LANES, u.to_last);
  }
}

/* The matrix of the border, with the open line eliminated, and its right sides. */
typedef struct ring_system {
  lanes first, mixed, last; /* of the last but one element, of both, of the last element */
  lanes3 right_first, right_last;
} ring_system;

CLOTH_INLINE void subtract_element(const bend_lines *l, int32_t element, ring_system *s) {
  const ring_border u = ring_border_of(l, element);
  const float *slot = bend_slot(l, element);
  const lanes by_first = lanes_load(slot + BEND_BY_FIRST * CLOTH_LANES),
              by_last = lanes_load(slot + BEND_BY_LAST * CLOTH_LANES);
  const lanes3 x = bend_slot_load(slot);
  s->first = lanes_subtract(s->first, lanes_multiply(u.to_last_but_one, by_first));
  s->mixed = lanes_subtract(s->mixed, lanes_multiply(u.to_last_but_one, by_last));
  s->last = lanes_subtract(s->last, lanes_multiply(u.to_last, by_last));
  s->right_first = lanes3_subtract(s->right_first, lanes3_scale(x, u.to_last_but_one));
  s->right_last = lanes3_subtract(s->right_last, lanes3_scale(x, u.to_last));
}

CLOTH_INLINE lanes ring_diagonal(const bend_lines *l, int32_t element) {
  lanes sum = lanes_add(hinge_factor(l, element - 1), hinge_factor(l, element + 1));
  sum = lanes_add(sum, lanes_multiply(hinge_factor(l, element), lanes_splat(4.0f)));
  return lanes_multiply(sum, lanes_splat(l->kappa));
}

/* Displacements of the last two elements of a ring, by Cramer's rule, stored in their slots. */
CLOTH_INLINE void solve_ring_border(const bend_lines *l) {
  const int32_t n = l->b.length, next = l->b.next;
  const lanes one = lanes_splat(1.0f), zero = lanes_splat(0.0f);
  ring_system s = {.first = ring_diagonal(l, n - 2),
                   .mixed = near_coupling(l, n - 2),
                   .last = ring_diagonal(l, n - 1),
                   .right_first = bend_slot_load(bend_slot(l, n - 2)),
                   .right_last = bend_slot_load(bend_slot(l, n - 1))};
  subtract_element(l, 0, &s);
  subtract_element(l, 1, &s);
  if (n - 4 > 1) {
    subtract_element(l, n - 4, &s);
  }
  subtract_element(l, n - 3, &s);
  const lanes w = lanes_load(l->b.mobility + (n - 2) * next), v = lanes_load(l->b.mobility + (n - 1) * next);
  const lanes first = lanes_add(one, lanes_multiply(w, lanes_maximum(s.first, zero)));
  const lanes last = lanes_add(one, lanes_multiply(v, lanes_maximum(s.last, zero)));
  const lanes mixed = lanes_quantise(s.mixed, WORK_ROUNDER);
  const lanes across_first = lanes_multiply(w, mixed), across_last = lanes_multiply(v, mixed);
  lanes determinant = lanes_subtract(lanes_multiply(first, last), lanes_multiply(across_first, across_last));
  const lanes inverse = lanes_divide(one, lanes_maximum(determinant, one));
  const lanes3 a = lanes3_scale(lanes3_quantise(s.right_first, WORK_ROUNDER), w);
  const lanes3 b = lanes3_scale(lanes3_quantise(s.right_last, WORK_ROUNDER), v);
  const lanes3 x = lanes3_subtract(lanes3_scale(a, last), lanes3_scale(b, across_first));
  const lanes3 y = lanes3_subtract(lanes3_scale(b, first), lanes3_scale(a, across_last));
  bend_slot_store(bend_slot(l, n - 2), lanes3_quantise(lanes3_scale(x, inverse), WORK_ROUNDER));
  bend_slot_store(bend_slot(l, n - 1), lanes3_quantise(lanes3_scale(y, inverse), WORK_ROUNDER));
}

CLOTH_SEPARATE void solve_ring_bend(const bend_lines *l) {
  const int32_t length = l->b.length;
  eliminate_ring(l);
  substitute_ring(l);
  solve_ring_border(l);
  const lanes3 first = bend_slot_load(bend_slot(l, length - 2)), last = bend_slot_load(bend_slot(l, length - 1));
  move_by(l, length - 2, first);
  move_by(l, length - 1, last);
  for (int32_t i = 0; i < length - 2; i++) {
    const float *slot = bend_slot(l, i);
    lanes3 x = lanes3_scale(first, lanes_load(slot + BEND_BY_FIRST * CLOTH_LANES));
    x = lanes3_subtract(bend_slot_load(slot), x);
    x = lanes3_subtract(x, lanes3_scale(last, lanes_load(slot + BEND_BY_LAST * CLOTH_LANES)));
    move_by(l, i, lanes3_quantise(x, WORK_ROUNDER));
  }
}

#endif

static bend_lines bend_lines_of(const cloth *c, const step_plan *plan, int32_t direction, const line_bundle *b,
                                vector_array old) {
  const bend_lines l = {.b = *b,
                        .c = c,
                        .lines = b,
                        .old = old,
                        .kappa = plan->bend.stiffness[direction],
                        .shift = plan->bend.shift,
                        .has_equal_hinges = plan->bend.has_equal_hinges,
                        .uniform = bend_factors_of(c, direction),
                        .work = floats_at(c, c->scratch.line_work)};
  return l;
}

/* Solves the hinges of a bundle of rows or columns. `old`: positions at the start of the substep, laid out like b->x.
 */
CLOTH_HOT CLOTH_SEPARATE void solve_bend(const cloth *c, const step_plan *plan, int32_t direction, const line_bundle *b,
                                         vector_array old) {
  const bend_lines l = bend_lines_of(c, plan, direction, b, old);
#if WITH_WRAP
  if (b->is_ring) {
    solve_ring_bend(&l);
    return;
  }
#endif
  if (b->flags & LINES_UNIFORM) {
    solve_uniform_bend(&l);
  } else {
    solve_general_bend(&l);
  }
}

/* What the twist between a block of columns and the next columns needs. */
typedef struct twist_columns {
  vector_array x, old, change;
  int32_t column, columns, rows;
  int32_t is_wrapped;
  float kappa, shift;
  const float *uniform, *map, *mobility;
  float *work;
} twist_columns;

/* Lanes from a column on of a row whose first particle is `row`, around the seam of a tube. What lies beyond a sheet's
   border is of another row. */
CLOTH_INLINE lanes row_values(const twist_columns *t, const float *from, int32_t row, int32_t column) {
  lanes a = lanes_load(from + row + column);
  if (WITH_WRAP && t->is_wrapped && column + CLOTH_LANES > t->columns) {
    a = lanes_select(lanes_first(t->columns - column), a, lanes_load(from + row + column - t->columns));
  }
  return a;
}

CLOTH_INLINE lanes3 row_vectors_at(const twist_columns *t, vector_array from, int32_t row, int32_t column) {
  return lanes3_of(row_values(t, from.x, row, column), row_values(t, from.y, row, column),
                   row_values(t, from.z, row, column));
}

/* Difference of the columns after and at the block, in a row, of x - s x_old. */
CLOTH_INLINE lanes3 column_difference(const twist_columns *t, int32_t row) {
  const int32_t i = row * t->columns;
  lanes3 d = lanes3_subtract(row_vectors_at(t, t->x, i, t->column + 1), lanes3_load(t->x, i + t->column));
  if (t->shift > 0.0f) {
    lanes3 old = lanes3_subtract(row_vectors_at(t, t->old, i, t->column + 1), lanes3_load(t->old, i + t->column));
    d = lanes3_quantise(lanes3_subtract(d, lanes3_scale(old, lanes_splat(t->shift))), WORK_ROUNDER);
  }
  return d;
}

/* Stiffness of the cells between a row and the next, over the family's. */
CLOTH_INLINE lanes cell_factor(const twist_columns *t, int32_t row) {
  const int32_t i = row * t->columns, j = i + t->columns;
  lanes upper = lanes_add(lanes_load(t->map + i + t->column), row_values(t, t->map, i, t->column + 1));
  lanes lower = lanes_add(lanes_load(t->map + j + t->column), row_values(t, t->map, j, t->column + 1));
  return lanes_multiply(lanes_add(upper, lower), lanes_splat(0.25f));
}

/* Sum of the mobilities of both particles. */
CLOTH_INLINE lanes pair_mobility(const twist_columns *t, int32_t row) {
  const int32_t i = row * t->columns;
  return lanes_add(lanes_load(t->mobility + i + t->column), row_values(t, t->mobility, i, t->column + 1));
}

/* Blocks of lanes of an element in line_work: half-solved changes, and the factor of the change after. */
enum { TWIST_X, TWIST_Y, TWIST_Z, TWIST_FACTOR };

/* The tridiagonal elimination of a pair of columns: g = w / (1 + w (k_before (1 - f_before) + k_after)), f = g k_after,
   with the sum of mobilities w and the stiffnesses k of the cells before and after. Returns g. */
CLOTH_INLINE lanes factor_twist(lanes w, lanes before, lanes after, lanes *f) {
  lanes k = lanes_add(lanes_multiply(before, lanes_subtract(lanes_splat(1.0f), *f)), after);
  lanes g = lanes_divide(w, lanes_add(lanes_splat(1.0f), lanes_multiply(w, k)));
  *f = lanes_multiply(g, after);
  return g;
}

/* Writes g and f of uniform columns. */
static void factor_uniform_twist(float *factors, int32_t rows, float kappa) {
  lanes f = lanes_splat(0.0f);
  for (int32_t row = 0; row < rows; row++) {
    lanes g = factor_twist(lanes_splat(2.0f), lanes_splat(row > 0 ? kappa : 0.0f),
                           lanes_splat(row + 1 < rows ? kappa : 0.0f), &f);
    factors[2 * row] = lanes_first_value(g);
    factors[2 * row + 1] = lanes_first_value(f);
  }
}

/* Solves the twist between a block of columns and the columns after each: the changes of their differences. */
CLOTH_INLINE void solve_twist(const twist_columns *t, int uniform) {
  const lanes zero = lanes_splat(0.0f), kappa = lanes_splat(t->kappa);
  const lanes3 none = lanes3_of(zero, zero, zero);
  lanes3 y = none, here = column_difference(t, 0), twist_before = none;
  lanes stiffness_before = zero, f = zero;
  for (int32_t row = 0; row < t->rows; row++) {
    float *slot = t->work + row * (LINE_SLOT * CLOTH_LANES);
    const int32_t goes_on = row + 1 < t->rows;
    const lanes3 after = goes_on ? column_difference(t, row + 1) : here;
    lanes stiffness = goes_on ? kappa : zero;
    if (!uniform && t->map && goes_on) {
      stiffness = lanes_quantise(lanes_multiply(kappa, cell_factor(t, row)), WORK_ROUNDER);
    }
    const lanes3 twist = lanes3_scale(lanes3_subtract(after, here), stiffness);
    const lanes3 force = lanes3_add(lanes3_subtract(twist, twist_before), lanes3_scale(y, stiffness_before));
    lanes g;
    if (uniform) {
      g = lanes_splat(t->uniform[2 * row]);
      f = lanes_splat(t->uniform[2 * row + 1]);
    } else {
      g = factor_twist(pair_mobility(t, row), stiffness_before, stiffness, &f);
    }
    y = lanes3_quantise(lanes3_scale(force, g), WORK_ROUNDER);
    bend_slot_store(slot, y);
    lanes_store(slot + TWIST_FACTOR * CLOTH_LANES, f);
    here = after;
    twist_before = twist;
    stiffness_before = stiffness;
  }
  const int32_t count = t->columns - t->column;
  const lanes one = lanes_splat(1.0f);
  lanes3 moved = none;
  for (int32_t row = t->rows - 1; row >= 0; row--) {
    const float *slot = t->work + row * (LINE_SLOT * CLOTH_LANES);
    moved = lanes3_scale(moved, lanes_load(slot + TWIST_FACTOR * CLOTH_LANES));
    moved = lanes3_quantise(lanes3_add(bend_slot_load(slot), moved), WORK_ROUNDER);
    lanes3 impulse = lanes3_scale(moved, lanes_splat(0.5f));
    if (!uniform) {
      const lanes w = pair_mobility(t, row);
      const lanes_mask moves = lanes_less(zero, w);
      impulse = lanes3_keep(moves, lanes3_scale(moved, lanes_divide(one, lanes_select(moves, w, one))));
    }
    lanes3_store(t->change, row * t->columns + t->column, impulse, count);
  }
}

CLOTH_SEPARATE void solve_uniform_twist(const twist_columns *t) {
  solve_twist(t, 1);
}

CLOTH_SEPARATE void solve_general_twist(const twist_columns *t) {
  solve_twist(t, 0);
}

/* The impulses of the pairs before a block of columns of a row: 0 before the first column of a sheet. */
CLOTH_INLINE lanes impulse_before(const twist_columns *t, const float *impulses, int32_t row, int32_t column) {
  lanes before = lanes_load(impulses + row + column - 1);
  if (column == 0) {
    const float around = t->is_wrapped ? impulses[row + t->columns - 1] : 0.0f;
    before = lanes_select(lanes_first(1), lanes_splat(around), before);
  }
  return before;
}

/* Moves the particles of a block of columns of a row by the mean of what the pairs before and after make of them. */
CLOTH_INLINE void move_by_twist(const twist_columns *t, int32_t row, int32_t column) {
  const int32_t i = row + column, left = t->columns - column;
  const lanes half = lanes_multiply(lanes_load(t->mobility + i), lanes_splat(0.5f));
  lanes3 after = lanes3_load(t->change, i);
  if (!t->is_wrapped && left <= CLOTH_LANES) {
    after = lanes3_keep(lanes_first(left - 1), after);
  }
  const lanes3 before =
      lanes3_of(impulse_before(t, t->change.x, row, column), impulse_before(t, t->change.y, row, column),
                impulse_before(t, t->change.z, row, column));
  const lanes3 moved = lanes3_quantise(lanes3_scale(lanes3_subtract(before, after), half), WORK_ROUNDER);
  lanes3_store(t->x, i, lanes3_add(lanes3_load(t->x, i), moved), left);
}

/* Are a block of columns, and the columns after each, uniform? */
static int are_pairs_uniform(const cloth *c, int32_t column) {
  const int32_t last = column + CLOTH_LANES < c->grid.columns ? column + CLOTH_LANES : 0;
  return *line_flags_of_columns(c, column) & *line_flags_of_columns(c, last) & LINES_UNIFORM;
}

/* Solves the twist of all cells. */
CLOTH_HOT CLOTH_SEPARATE void solve_twists(const cloth *c, const step_plan *plan) {
  twist_columns t = {.x = predicted_of(c),
                     .old = vectors_at(c, c->state.position),
                     .change = vectors_at(c, c->scratch.residual),
                     .columns = c->grid.columns,
                     .rows = c->grid.rows,
                     .is_wrapped = is_wrapped(c),
                     .kappa = 2.0f * plan->bend.twist,
                     .shift = plan->bend.shift,
                     .uniform = twist_factors_of(c),
                     .map = c->constant.stiffness_map ? floats_at(c, c->constant.stiffness_map) : NULL,
                     .mobility = floats_at(c, c->scratch.mobility),
                     .work = floats_at(c, c->scratch.line_work)};
  for (t.column = 0; t.column < t.columns; t.column += CLOTH_LANES) {
    if (are_pairs_uniform(c, t.column)) {
      solve_uniform_twist(&t);
    } else {
      solve_general_twist(&t);
    }
  }
  for (int32_t row = 0; row < c->count; row += t.columns) {
    for (int32_t column = 0; column < t.columns; column += CLOTH_LANES) {
      move_by_twist(&t, row, column);
    }
  }
}

/* Computes once a step what all uniform lines share. */
CLOTH_SEPARATE void plan_bend_lines(const cloth *c, const step_plan *plan) {
  factor_uniform_line(bend_factors_of(c, WEFT), c->grid.rows, plan->bend.stiffness[WEFT]);
  factor_uniform_line(bend_factors_of(c, WARP), c->grid.columns, plan->bend.stiffness[WARP]);
  factor_uniform_twist(twist_factors_of(c), c->grid.rows, 2.0f * plan->bend.twist);
}

/// Hinges at pins ///

/*
 * What hinges that are solved along lines do to pins, for pin_reactions.h. In: a bundle of lines as its solve has left
 * it. Out: own.pin_reactions. Scratch: none.
 */

#if WITH_BODIES

/* The hinge at an element, times its factor; 0 beyond the ends of open lines. */
static lanes3 hinge_at(const bend_lines *l, int32_t element) {
  if (!(WITH_WRAP && l->b.is_ring) && (element < 1 || element > l->b.length - 2)) {
    return lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  }
  lanes3 sum = lanes3_add(bend_value(l, element - 1), bend_value(l, element + 1));
  sum = lanes3_add_scaled(sum, bend_value(l, element), lanes_splat(-2.0f));
  return lanes3_scale(lanes3_flush(sum), hinge_factor(l, element));
}

/* Force of the hinges on an element of a line, as a displacement. */
static cloth_vector hinge_force(const bend_lines *l, int32_t element, int32_t lane) {
  float values[3][CLOTH_LANES];
  const vector_array forces = {values[0], values[1], values[2]};
  const lanes3 beside = lanes3_add(hinge_at(l, element - 1), hinge_at(l, element + 1));
  const lanes3 force = lanes3_subtract(lanes3_scale(hinge_at(l, element), lanes_splat(2.0f)), beside);
  lanes3_store(forces, 0, lanes3_scale(lanes3_flush(force), lanes_splat(l->kappa)), CLOTH_LANES);
  return vector_load(forces, lane);
}

/* Notes the force of the hinges of a bundle that has been solved on its pins. */
CLOTH_SEPARATE void note_hinges(const cloth *c, const step_plan *plan, int32_t direction, const line_bundle *b,
                                vector_array old) {
  if (!notes_pins(c)) {
    return;
  }
  const bend_lines l = bend_lines_of(c, plan, direction, b, old);
  for (int32_t element = 0; element < b->length; element++) {
    for (int32_t lane = 0; lane < b->count; lane++) {
      const int32_t particle = b->first + element * b->along + lane * b->across;
      if (is_pinned(c, particle)) {
        note_displacement(c, particle, hinge_force(&l, element, lane));
      }
    }
  }
}

#endif

/// Stretch along lines ///

/*
 * Backward Euler for all springs of a line at once. The unknown of spring i between particles i and i + 1 is its
 * tension s_i, as the displacement of a particle of mobility 1 over the vector d_i along the spring. With the mobility
 * w, the compliance e = m0 / (h^2 ks + h kd) and lengths as multiples of the rest length, q = |d|^2 and the target t:
 *
 *     q_i (w_i + w_{i+1} + e_i) s_i - w_i (d_i . d_{i-1}) s_{i-1} - w_{i+1} (d_i . d_{i+1}) s_{i+1} = q_i - t_i |d_i|
 *
 * which is tridiagonal: one elimination. The target is the rest length, 1; with damping it lies between that and the
 * length at the start of the substep, 1 + (h kd / (h^2 ks + h kd)) (|d_old| - 1). So far the springs keep their
 * directions. The displacements X of the particles then follow with the tension's resistance against turning, p =
 * max(s, 0), from a second tridiagonal system:
 *
 *     (1 + w (p_i + p_{i-1})) X_i - w p_i X_{i+1} - w p_{i-1} X_{i-1} = w (s_i d_i - s_{i-1} d_{i-1})
 *
 * Its elimination runs from the last particle to the first, in the same loop that finds the tensions. Both systems are
 * exact: no iterations, and the work does not depend on the state. Where a spring is absent, or between two pins,
 * nothing is carried across.
 *
 * In: the plan's spring families, scratch.mobility, maps, the lengths at the start of the substep. Out: the positions
 * of the lines. Scratch: line_work.
 */

#if WITH_PROJECTION

/* Least squared length of a spring, over that of the rest length: shorter springs have no direction. */
#define MIN_SQUARED_RATIO 1.0e-6f
/* Least pivot of the elimination, over the squared length: rounding could make it 0 where compliances are small. */
#define MIN_TENSION_PIVOT 1.0e-4f
/* Largest tension, a displacement of as many lengths of the spring. Bounds what products of small numbers are
   multiplied by, so that they do not become subnormal. */
#define MAX_TENSION 1024.0f

/* What a kernel needs of the springs of a bundle: copies, which the compiler can keep in registers. */
typedef struct stretch_lines {
  line_bundle b;
  const cloth *c;
  const struct stretch_lines *original; /* whose address may be taken; copies stay in registers */
  float inverse_squared_rest;           /* 1 / L^2 [1/m^2] */
  float least_square;                   /* MIN_SQUARED_RATIO L^2 [m^2] */
  float coupling_rounder; /* of quantise() for products of two spring vectors: 2^-30 of L^2, or up to 2^-32 */
  float compliance_above, compliance_below; /* of springs longer and shorter than at rest */
  float damping_share;                      /* share of damping in stiffness: h kd / (h^2 ks + h kd) */
  vector_array old;                         /* positions at the start of the substep, laid out like b.x */
  float kappa, above;                       /* kappa of the family and threshold, if only springs above it are solved */
  int32_t has_maps;
  float *work;
} stretch_lines;

/* Blocks of lanes that an element keeps in line_work. Before the tensions are known: inverse pivot, right side,
   coupling to the spring before and, on rings, to the spring that closes the ring. Then: share of the displacement of
   the particle before, own displacement and, on rings, share of the displacement of particle 0. */
enum { STRETCH_INVERSE, STRETCH_SIDE, STRETCH_COUPLING, STRETCH_CLOSING };
enum { STRETCH_SHARE, STRETCH_X, STRETCH_Y, STRETCH_Z, STRETCH_AROUND };

CLOTH_INLINE float *stretch_slot(const stretch_lines *l, int32_t element) {
  return l->work + element * (line_slot_blocks(&l->b) * CLOTH_LANES);
}

/* Keeps the tension of the springs from an element to the next for note_tensions(), where neither elimination stores
   anything. */
CLOTH_INLINE void store_tension(const stretch_lines *l, int32_t element, lanes tension) {
  if (WITH_BODIES) {
    const int32_t place = line_slot_blocks(&l->b) == LINE_SLOT ? STRETCH_AROUND : STRETCH_AROUND + 1;
    lanes_store(stretch_slot(l, element) + place * CLOTH_LANES, tension);
  }
}

/* Compliance of the springs from an element to the next where maps vary, from that of the family. */
CLOTH_SEPARATE lanes mapped_compliance(const stretch_lines *l, int32_t element, lanes compliance) {
  const cloth *c = l->c;
  lanes scale = lanes_splat(1.0f), mass = lanes_splat(1.0f);
  int32_t other = element + 1 < l->b.length ? element + 1 : 0;
  if (c->constant.stiffness_map) {
    const float *map = floats_at(c, c->constant.stiffness_map);
    scale = lanes_add(line_values(&l->b, map, element), line_values(&l->b, map, other));
    scale = lanes_multiply(lanes_splat(0.5f), scale);
  }
  if (c->constant.mass_ratio) {
    const float *map = floats_at(c, c->constant.mass_ratio);
    mass = lanes_minimum(line_values(&l->b, map, element), line_values(&l->b, map, other));
  }
  compliance = lanes_divide(compliance, lanes_maximum(scale, lanes_splat(WORK_QUANTUM)));
  compliance = lanes_minimum(compliance, lanes_splat(COMPLIANCE_ABSENT));
  if (l->kappa > 0.0f) {
    lanes_mask solved = kappa_above(l->kappa, mass, scale, l->above);
    compliance = lanes_select(solved, compliance, lanes_splat(COMPLIANCE_ABSENT));
  }
  return compliance;
}

/* Target of the springs from an element to the next, over the rest length, with damping. */
CLOTH_INLINE lanes stretch_target(const stretch_lines *l, int32_t slant, line_place from, line_place to) {
  const lanes3 d = lanes3_subtract(line_load3(&l->b, slant, l->old, to), line_load3(&l->b, slant, l->old, from));
  const lanes squared = lanes_maximum(lanes3_dot(d, d), lanes_splat(l->least_square));
  lanes ratio = lanes_square_root(lanes_multiply(squared, lanes_splat(l->inverse_squared_rest)));
  lanes excess = lanes_multiply(lanes_subtract(ratio, lanes_splat(1.0f)), lanes_splat(l->damping_share));
  return lanes_add(lanes_splat(1.0f), excess);
}

/* What the elimination of the tensions carries from a spring to the next. */
typedef struct stretch_state {
  lanes3 x;            /* position of the particle between them */
  lanes3 d;            /* vector along the spring before */
  lanes mobility;      /* of the particle between them */
  lanes inverse, side; /* of the spring before */
  line_place place;
} stretch_state;

/* The equation of the springs from an element to another. */
typedef struct tension_equation {
  lanes3 x, d;    /* position of the other element, vector to it */
  lanes mobility; /* of the other element */
  lanes squared;  /* of the length, over the squared rest length: q */
  lanes diagonal, side, coupling;
  lanes_mask present;
} tension_equation;

CLOTH_INLINE tension_equation equation_of(const stretch_lines *l, int32_t slant, int32_t element, line_place to,
                                          const stretch_state *s) {
  const lanes scale = lanes_splat(l->inverse_squared_rest), one = lanes_splat(1.0f);
  tension_equation q;
  q.x = line_load3(&l->b, slant, l->b.x, to);
  q.mobility = line_load(&l->b, slant, l->b.mobility, to);
  q.d = lanes3_subtract(q.x, s->x);
  q.squared = lanes_multiply(lanes_maximum(lanes3_dot(q.d, q.d), lanes_splat(l->least_square)), scale);
  const lanes ratio = lanes_square_root(q.squared);
  lanes compliance =
      lanes_select(lanes_less(ratio, one), lanes_splat(l->compliance_below), lanes_splat(l->compliance_above));
  if (l->has_maps) {
    compliance = mapped_compliance(l->original, element, compliance);
  }
  lanes target = ratio;
  if (l->damping_share > 0.0f) {
    target = lanes_multiply(ratio, stretch_target(l, slant, s->place, to));
  }
  const lanes product = lanes_quantise(lanes3_dot(q.d, s->d), l->coupling_rounder);
  q.coupling = lanes_multiply(s->mobility, lanes_multiply(product, scale));
  q.diagonal = lanes_multiply(q.squared, lanes_add(lanes_add(s->mobility, q.mobility), compliance));
  q.side = lanes_subtract(q.squared, target);
  q.present = lanes_less(compliance, lanes_splat(MAX_COMPLIANCE));
  return q;
}

/* Eliminates the tension of the spring before from the equation of the springs from an element to the next. `plain`, a
   constant: the step to it is. */
CLOTH_INLINE void eliminate_tension(const stretch_lines *l, int32_t slant, int plain, int32_t element,
                                    stretch_state *s) {
  const int32_t ends = plain ? 0 : slant;
  line_place to = s->place;
  line_place_step(&l->b, slant, plain, 1, &to);
  tension_equation q = equation_of(l, ends, element, to, s);
  const lanes factor = lanes_multiply(q.coupling, s->inverse);
  const lanes pivot = lanes_maximum(lanes_subtract(q.diagonal, lanes_multiply(factor, q.coupling)),
                                    lanes_multiply(q.squared, lanes_splat(MIN_TENSION_PIVOT)));
  if (ends != 0) {
    q.present = lanes_both(q.present, line_goes_on(&l->b, slant, s->place));
  }
  s->inverse = lanes_keep(q.present, lanes_divide(lanes_splat(1.0f), pivot));
  s->side = lanes_quantise(lanes_add(q.side, lanes_multiply(factor, s->side)), WORK_ROUNDER);
  float *slot = stretch_slot(l, element);
  lanes_store(slot + STRETCH_INVERSE * CLOTH_LANES, s->inverse);
  lanes_store(slot + STRETCH_SIDE * CLOTH_LANES, s->side);
  lanes_store(slot + STRETCH_COUPLING * CLOTH_LANES, q.coupling);
  s->x = q.x;
  s->d = q.d;
  s->mobility = q.mobility;
  s->place = to;
}

/* What the elimination of the displacements carries from a particle to the one before. */
typedef struct displacement_state {
  lanes3 x;         /* position of the particle */
  lanes mobility;   /* of the particle */
  lanes tension;    /* of the spring after it */
  lanes coupling;   /* of that spring to the one before it */
  lanes resistance; /* of that spring against turning, p */
  lanes3 pull;      /* of that spring, s d */
  lanes3 own;       /* displacement of the particle after: own part ... */
  lanes share;      /* ... and share of this particle's displacement */
  lanes around;     /* ... and, on rings, share of the displacement of particle 0 */
  line_place place;
} displacement_state;

/* Eliminates the displacement of a particle from the equation of the particle before, with the pull and resistance of
   the spring before it. */
CLOTH_INLINE void eliminate_displacement(const stretch_lines *l, int32_t element, lanes3 pull, lanes resistance,
                                         displacement_state *s) {
  const lanes one = lanes_splat(1.0f);
  const lanes3 force = lanes3_add(lanes3_subtract(s->pull, pull), lanes3_scale(s->own, s->resistance));
  const lanes after = lanes_multiply(s->resistance, lanes_subtract(one, s->share));
  const lanes divisor = lanes_add(one, lanes_multiply(s->mobility, lanes_add(resistance, after)));
  const lanes gain = lanes_divide(s->mobility, divisor);
  s->own = lanes3_quantise(lanes3_scale(force, gain), WORK_ROUNDER);
  s->share = lanes_multiply(gain, resistance);
  if (l->b.is_ring && l->b.slant == 0) {
    s->around = lanes_quantise(lanes_multiply(gain, lanes_multiply(s->resistance, s->around)), WORK_ROUNDER);
    lanes_store(stretch_slot(l, element) + STRETCH_AROUND * CLOTH_LANES, s->around);
  }
  float *slot = stretch_slot(l, element);
  lanes_store(slot + STRETCH_SHARE * CLOTH_LANES, s->share);
  lanes_store(slot + STRETCH_X * CLOTH_LANES, s->own.x);
  lanes_store(slot + STRETCH_Y * CLOTH_LANES, s->own.y);
  lanes_store(slot + STRETCH_Z * CLOTH_LANES, s->own.z);
  s->pull = pull;
  s->resistance = resistance;
}

/* Tension of the springs that end at an element, from that of the springs that start there; then the elimination of the
   element's displacement. */
CLOTH_INLINE void find_tension(const stretch_lines *l, int32_t slant, int plain, int32_t element,
                               displacement_state *s) {
  const float *slot = stretch_slot(l, element - 1);
  const lanes inverse = lanes_load(slot + STRETCH_INVERSE * CLOTH_LANES);
  const lanes side = lanes_load(slot + STRETCH_SIDE * CLOTH_LANES);
  const lanes coupling = lanes_load(slot + STRETCH_COUPLING * CLOTH_LANES);
  lanes tension = lanes_multiply(lanes_add(side, lanes_multiply(s->coupling, s->tension)), inverse);
  tension = lanes_minimum(lanes_maximum(tension, lanes_splat(-MAX_TENSION)), lanes_splat(MAX_TENSION));
  tension = lanes_quantise(tension, WORK_ROUNDER);
  store_tension(l, element - 1, tension);
  const int32_t ends = plain ? 0 : slant;
  line_place_step(&l->b, slant, plain, -1, &s->place);
  const lanes3 x = line_load3(&l->b, ends, l->b.x, s->place);
  const lanes mobility = line_load(&l->b, ends, l->b.mobility, s->place);
  const lanes3 pull = lanes3_scale(lanes3_subtract(s->x, x), tension);
  eliminate_displacement(l, element, pull, lanes_maximum(tension, lanes_splat(0.0f)), s);
  s->x = x;
  s->mobility = mobility;
  s->tension = tension;
  s->coupling = coupling;
}

CLOTH_INLINE vector_array stretch_own(const stretch_lines *l, int32_t element) {
  float *slot = stretch_slot(l, element);
  vector_array own = {slot + STRETCH_X * CLOTH_LANES, slot + STRETCH_Y * CLOTH_LANES, slot + STRETCH_Z * CLOTH_LANES};
  return own;
}

/* Eliminates the tensions of all springs of a line, and then the displacements of all particles but the first. `s` is
   the state before the first spring, `e` that after the last particle but for its position, mobility and place. */
CLOTH_INLINE void eliminate_line(const stretch_lines *l, int32_t slant, stretch_state *s) {
  const int32_t last = l->b.length - 1;
  for (int32_t element = 0; element < last; element++) {
    const int32_t plain_end = element + plain_steps(&l->b, slant, 1, s->place, last - element);
    for (; element < plain_end; element++) {
      eliminate_tension(l, slant, 1, element, s);
    }
    if (slant != 0 && element < last) {
      eliminate_tension(l, slant, 0, element, s);
    }
  }
}

CLOTH_INLINE void find_tensions(const stretch_lines *l, int32_t slant, displacement_state *e) {
  for (int32_t element = l->b.length - 1; element > 0; element--) {
    const int32_t plain_end = element - plain_steps(&l->b, slant, -1, e->place, element);
    for (; element > plain_end; element--) {
      find_tension(l, slant, 1, element, e);
    }
    if (slant != 0 && element > 0) {
      find_tension(l, slant, 0, element, e);
    }
  }
}

/* Moves the particle of an element; *moved is the displacement of the one before. */
CLOTH_INLINE void move_element(const stretch_lines *l, int32_t slant, int plain, int32_t element, line_place *place,
                               lanes3 *moved) {
  const int32_t ends = plain ? 0 : slant;
  const lanes share = lanes_load(stretch_slot(l, element) + STRETCH_SHARE * CLOTH_LANES);
  *moved = lanes3_add(lanes3_load(stretch_own(l, element), 0), lanes3_scale(*moved, share));
  *moved = lanes3_quantise(*moved, WORK_ROUNDER);
  line_store3(&l->b, ends, *place, lanes3_add(line_load3(&l->b, ends, l->b.x, *place), *moved));
  line_place_step(&l->b, slant, plain, 1, place);
}

/* Moves the particles of open lines. */
CLOTH_INLINE void solve_open_stretch(const stretch_lines *l, int32_t slant) {
  const lanes zero = lanes_splat(0.0f);
  const lanes3 none = lanes3_of(zero, zero, zero);
  line_place place = line_place_of(&l->b, slant, 0);
  stretch_state s = {.x = line_load3(&l->b, slant, l->b.x, place),
                     .d = none,
                     .mobility = line_load(&l->b, slant, l->b.mobility, place),
                     .inverse = zero,
                     .side = zero,
                     .place = place};
  eliminate_line(l, slant, &s);
  displacement_state e = {s.x, s.mobility, zero, zero, zero, none, none, zero, zero, s.place};
  find_tensions(l, slant, &e);
  eliminate_displacement(l, 0, none, zero, &e);
  lanes3 moved = none;
  for (int32_t element = 0; element < l->b.length; element++) {
    const int32_t plain_end = element + plain_steps(&l->b, slant, 1, place, l->b.length - element);
    for (; element < plain_end; element++) {
      move_element(l, slant, 1, element, &place, &moved);
    }
    if (slant != 0 && element < l->b.length) {
      move_element(l, slant, 0, element, &place, &moved);
    }
  }
}

#if WITH_WRAP

/* The spring that closes a ring, from the last particle to particle 0. */
typedef struct closing_spring {
  lanes3 d;             /* vector along it */
  lanes diagonal, side; /* of its own equation */
  lanes before, after;  /* coupling to the spring before it, and to spring 0 */
  lanes tension;
} closing_spring;

/* Eliminates the tensions of springs 0 to length - 2 from the equation of the closing spring, and finds its tension. */
CLOTH_INLINE void close_tensions(const stretch_lines *l, closing_spring *b) {
  const int32_t last = l->b.length - 2;
  lanes closing = b->after;
  for (int32_t element = 0; element <= last; element++) {
    float *slot = stretch_slot(l, element);
    if (element > 0) {
      const lanes inverse = lanes_load(stretch_slot(l, element - 1) + STRETCH_INVERSE * CLOTH_LANES);
      closing = lanes_multiply(lanes_multiply(lanes_load(slot + STRETCH_COUPLING * CLOTH_LANES), inverse), closing);
    }
    closing = element == last ? lanes_add(closing, b->before) : closing;
    closing = lanes_quantise(closing, WORK_ROUNDER);
    lanes_store(slot + STRETCH_CLOSING * CLOTH_LANES, closing);
  }
  lanes own = lanes_splat(0.0f), share = own, coupling = own, side = b->side, pivot = b->diagonal;
  for (int32_t element = last; element >= 0; element--) {
    const float *slot = stretch_slot(l, element);
    const lanes inverse = lanes_load(slot + STRETCH_INVERSE * CLOTH_LANES);
    own = lanes_add(lanes_load(slot + STRETCH_SIDE * CLOTH_LANES), lanes_multiply(coupling, own));
    own = lanes_quantise(lanes_multiply(own, inverse), WORK_ROUNDER);
    share = lanes_add(lanes_load(slot + STRETCH_CLOSING * CLOTH_LANES), lanes_multiply(coupling, share));
    share = lanes_quantise(lanes_multiply(share, inverse), WORK_ROUNDER);
    coupling = lanes_load(slot + STRETCH_COUPLING * CLOTH_LANES);
    if (element == last || element == 0) {
      const lanes link = element == last ? b->before : b->after;
      side = lanes_add(side, lanes_multiply(link, own));
      pivot = lanes_subtract(pivot, lanes_multiply(link, share));
    }
  }
  pivot = lanes_maximum(pivot, lanes_multiply(b->diagonal, lanes_splat(MIN_TENSION_PIVOT)));
  b->tension = lanes_divide(side, pivot);
  b->tension = lanes_minimum(lanes_maximum(b->tension, lanes_splat(-MAX_TENSION)), lanes_splat(MAX_TENSION));
  b->tension = lanes_quantise(b->tension, WORK_ROUNDER);
  for (int32_t element = 0; element <= last; element++) {
    float *slot = stretch_slot(l, element);
    const lanes carried = lanes_multiply(lanes_load(slot + STRETCH_CLOSING * CLOTH_LANES), b->tension);
    const lanes sum = lanes_add(lanes_load(slot + STRETCH_SIDE * CLOTH_LANES), carried);
    lanes_store(slot + STRETCH_SIDE * CLOTH_LANES, lanes_quantise(sum, WORK_ROUNDER));
  }
}

/* Displacement of particle 0 of a ring, from the eliminated displacements of the others. `e` is the state at particle
   1, with the position and mobility of particle 0. */
CLOTH_INLINE lanes3 close_displacements(const stretch_lines *l, const closing_spring *b, const displacement_state *e) {
  const lanes one = lanes_splat(1.0f);
  const lanes first = lanes_add(e->share, e->around);
  lanes3 own = e->own;
  lanes share = first;
  for (int32_t element = 2; element < l->b.length; element++) {
    const float *slot = stretch_slot(l, element);
    const lanes before = lanes_load(slot + STRETCH_SHARE * CLOTH_LANES);
    own = lanes3_quantise(lanes3_add(lanes3_load(stretch_own(l, element), 0), lanes3_scale(own, before)), WORK_ROUNDER);
    share = lanes_add(lanes_multiply(before, share), lanes_load(slot + STRETCH_AROUND * CLOTH_LANES));
    share = lanes_quantise(share, WORK_ROUNDER);
  }
  const lanes closing = lanes_maximum(b->tension, lanes_splat(0.0f));
  lanes3 force = lanes3_subtract(e->pull, lanes3_scale(b->d, b->tension));
  force = lanes3_add(force, lanes3_add(lanes3_scale(e->own, e->resistance), lanes3_scale(own, closing)));
  const lanes resistance = lanes_add(lanes_multiply(e->resistance, lanes_subtract(one, first)),
                                     lanes_multiply(closing, lanes_subtract(one, share)));
  const lanes divisor = lanes_add(one, lanes_multiply(e->mobility, lanes_maximum(resistance, lanes_splat(0.0f))));
  return lanes3_quantise(lanes3_scale(force, lanes_divide(e->mobility, divisor)), WORK_ROUNDER);
}

/* Moves the particles of rings: the spring from the last particle to particle 0, and then the displacement of particle
   0, are eliminated last. */
CLOTH_SEPARATE void solve_ring_stretch(const stretch_lines *l) {
  const lanes zero = lanes_splat(0.0f);
  const lanes3 none = lanes3_of(zero, zero, zero);
  const int32_t last = l->b.length - 1;
  const line_place start = line_place_of(&l->b, 0, 0), end = line_place_of(&l->b, 0, last);
  stretch_state s = {.x = line_load3(&l->b, 0, l->b.x, start),
                     .mobility = line_load(&l->b, 0, l->b.mobility, start),
                     .inverse = zero,
                     .side = zero,
                     .place = start};
  closing_spring b;
  b.d = s.d = lanes3_subtract(s.x, line_load3(&l->b, 0, l->b.x, end));
  eliminate_line(l, 0, &s);
  displacement_state e = {s.x, s.mobility, zero, zero, zero, none, none, zero, lanes_splat(1.0f), end};
  b.after = lanes_load(stretch_slot(l, 0) + STRETCH_COUPLING * CLOTH_LANES);
  const tension_equation q = equation_of(l, 0, last, start, &s);
  b.diagonal = lanes_select(q.present, q.diagonal, lanes_splat(1.0f));
  b.side = lanes_keep(q.present, q.side);
  b.before = lanes_keep(q.present, q.coupling);
  b.after = lanes_keep(q.present, b.after);
  close_tensions(l, &b);
  e.pull = lanes3_scale(b.d, b.tension);
  e.resistance = lanes_maximum(b.tension, zero);
  store_tension(l, last, b.tension);
  find_tensions(l, 0, &e);
  lanes3 first = close_displacements(l, &b, &e), moved = first;
  line_place place = start;
  for (int32_t element = 0; element <= last; element++) {
    if (element > 0) {
      const float *slot = stretch_slot(l, element);
      moved = lanes3_add(lanes3_load(stretch_own(l, element), 0),
                         lanes3_scale(moved, lanes_load(slot + STRETCH_SHARE * CLOTH_LANES)));
      moved = lanes3_add(moved, lanes3_scale(first, lanes_load(slot + STRETCH_AROUND * CLOTH_LANES)));
      moved = lanes3_quantise(moved, WORK_ROUNDER);
    }
    line_store3(&l->b, 0, place, lanes3_add(line_load3(&l->b, 0, l->b.x, place), moved));
    line_place_move(&l->b, 0, 1, &place);
  }
}

#endif

#if WITH_BODIES

/* The particle of an element in a lane of a bundle. */
static int32_t line_particle(const line_bundle *b, int32_t element, int32_t lane) {
  if (b->slant == 0) {
    return b->first + element * b->along + lane * b->across;
  }
  const line_place place = line_place_of(b, b->slant, element);
  return place.at + lane - (lane < place.room ? 0 : b->columns);
}

static cloth_vector line_position(const line_bundle *b, int32_t element, int32_t lane) {
  if (b->slant == 0) {
    return vector_load(b->x, element * b->next + lane);
  }
  return vector_load(b->x, line_particle(b, element, lane));
}

/* Pull of the spring from an element to the next on the former, as a displacement: the tension, along the spring as it
   is now. */
static cloth_vector tension_after(const stretch_lines *l, int32_t element, int32_t lane) {
  const int32_t other = element + 1 < l->b.length ? element + 1 : 0;
  const int32_t place = line_slot_blocks(&l->b) == LINE_SLOT ? STRETCH_AROUND : STRETCH_AROUND + 1;
  const float tension = stretch_slot(l, element)[place * CLOTH_LANES + lane];
  const cloth_vector d = vector_subtract(line_position(&l->b, other, lane), line_position(&l->b, element, lane));
  return vector_scale(d, tension);
}

/* Notes the pull of the springs of a bundle that has been solved on its pins. */
CLOTH_SEPARATE void note_tensions(const stretch_lines *l) {
  const int is_ring = l->b.is_ring && l->b.slant == 0;
  const int32_t last = l->b.length - 1;
  for (int32_t element = 0; element <= last; element++) {
    for (int32_t lane = 0; lane < l->b.count; lane++) {
      const int32_t particle = line_particle(&l->b, element, lane);
      if (is_pinned(l->c, particle)) {
        const cloth_vector none = {0.0f, 0.0f, 0.0f};
        const cloth_vector after = element < last || is_ring ? tension_after(l, element, lane) : none;
        const int32_t spring = element > 0 ? element - 1 : last;
        const cloth_vector before = element > 0 || is_ring ? tension_after(l, spring, lane) : none;
        note_displacement(l->c, particle, vector_subtract(after, before));
      }
    }
  }
}

#endif

#endif

/// Strain limiting ///

/*
 * Strain limiting (Provot 1995): stretch springs outside a range of lengths are brought back to it, without compliance.
 * Both ends p and q of a spring move by
 *     x_p += w_p g (l^2 - L^2) / (l^2 + L^2) d,   x_q -= w_q g (l^2 - L^2) / (l^2 + L^2) d,   d = x_q - x_p, l = |d|,
 * with the nearest length L of the range, the mobilities w and the gain g = 1 / (w_p + w_q), exact to first order in
 * l - L, without a square root. Lines are taken one bundle at a time, their springs in red-black order: no two springs
 * of a colour share a particle. Pins that are farther apart than the line between them may reach contradict the limit:
 * then it gives way along that line, up to the strain that they share evenly.
 * In: the settings, scratch.mobility. Out: the predicted positions, in scratch.product. Scratch: residual.
 */

#if WITH_LIMITS

/* Least denominator of a gain. Only springs between two pins fall below it: their gain must be finite, so that the
   pins' mobilities, which are 0, make the displacements 0 and not NaN. */
#define MIN_GAIN_DENOMINATOR 1.0e-6f
/* Least l^2 + L^2 [m^2]. It is 0 only where strain limiting lets springs collapse (low = 0) and both ends coincide;
   without the bound their displacement would be NaN. */
#define MIN_SQUARE_SUM 1.0e-20f

/* Displacements of both ends of a block of springs towards each other. */
typedef struct end_displacements {
  lanes3 from, to;
} end_displacements;

/* A range for the lengths of the springs of several lines. */
typedef struct line_range {
  float low;
  lanes high;         /* squared [m^2]; of each line */
  const cloth *noted; /* whose pins note what the range does, or NULL */
} line_range;

/* Displacement of one end: d times its share. Rounded to multiples of 2^-40, so that it is 0 or far above what could
   make the products of the next spring subnormal. */
CLOTH_INLINE end_displacements limit_displacements(const line_range *range, lanes mobility, lanes other, lanes3 d) {
  const lanes squared = lanes3_dot(d, d);
  const lanes bound = lanes_minimum(lanes_maximum(squared, lanes_splat(range->low)), range->high);
  const lanes weights = lanes_maximum(lanes_add(mobility, other), lanes_splat(MIN_GAIN_DENOMINATOR));
  const lanes sum = lanes_maximum(lanes_add(squared, bound), lanes_splat(MIN_SQUARE_SUM));
  const lanes gain = lanes_divide(lanes_splat(1.0f), weights);
  const lanes share = lanes_divide(lanes_multiply(gain, lanes_subtract(squared, bound)), sum);
  end_displacements moved = {lanes3_quantise(lanes3_scale(d, lanes_multiply(share, mobility)), WORK_ROUNDER),
                             lanes3_quantise(lanes3_scale(d, lanes_multiply(share, other)), WORK_ROUNDER)};
  return moved;
}

#if WITH_BODIES

/* Notes what a spring of each line does to pins at its ends: the opposite of what it does to the other end. `moved`:
   the displacements of both ends, of which `share` counts. */
CLOTH_SEPARATE void note_limits(const line_range *range, const line_bundle *b, int32_t element, int32_t other,
                                const end_displacements *moved, float share) {
  float values[6][CLOTH_LANES];
  const vector_array from = {values[0], values[1], values[2]}, to = {values[3], values[4], values[5]};
  lanes3_store(from, 0, lanes3_scale(moved->from, lanes_splat(share)), CLOTH_LANES);
  lanes3_store(to, 0, lanes3_scale(moved->to, lanes_splat(share)), CLOTH_LANES);
  for (int32_t lane = 0; lane < b->count; lane++) {
    const int32_t i = b->first + element * b->along + lane * b->across;
    const int32_t j = b->first + other * b->along + lane * b->across;
    const int held_i = is_pinned(range->noted, i), held_j = is_pinned(range->noted, j);
    const float at_i = b->mobility[element * b->next + lane], at_j = b->mobility[other * b->next + lane];
    if (held_i && at_j > 0.0f) {
      note_displacement(range->noted, i, vector_scale(vector_load(to, lane), 1.0f / at_j));
    }
    if (held_j && at_i > 0.0f) {
      note_displacement(range->noted, j, vector_scale(vector_load(from, lane), -1.0f / at_i));
    }
  }
}

#endif

/* Limits the springs from an element to the next, of all lines. */
CLOTH_INLINE void limit_link(const line_range *range, const line_bundle *b, int32_t element) {
  const int32_t i = element * b->next, j = i + b->next;
  const lanes3 from = lanes3_load(b->x, i), to = lanes3_load(b->x, j);
  const end_displacements moved =
      limit_displacements(range, lanes_load(b->mobility + i), lanes_load(b->mobility + j), lanes3_subtract(to, from));
#if WITH_BODIES
  if (range->noted) {
    const end_displacements noted = moved; /* only the copy has an address, so that `moved` stays in registers */
    note_limits(range, b, element, element + 1, &noted, 1.0f);
  }
#endif
  lanes3_store(b->x, i, lanes3_add(from, moved.from), b->count);
  lanes3_store(b->x, j, lanes3_subtract(to, moved.to), b->count);
}

#if WITH_WRAP

/*
 * Gauss-Seidel round a tube would leave a visible trace at the column where it starts. So rings use Jacobi: all springs
 * see the same positions, and each particle moves by this share of the sum of both its springs' corrections.
 */
#define RING_SHARE 0.5f

/* Limits all springs of rings, spring after spring, starting with the one that ends at element 0. That one is evaluated
   again at the end: each particle needs the corrections of the spring before and after it. */
CLOTH_INLINE void limit_ring(const line_range *range, const line_bundle *b) {
  const lanes3 start = lanes3_load(b->x, 0);
  int32_t element = b->length - 1;
  lanes3 here = lanes3_load(b->x, element * b->next);
  lanes3 before = here; /* correction of `here` by the spring that ends there */
  for (int32_t n = 0; n <= b->length; n++) {
    const int32_t other = element + 1 < b->length ? element + 1 : 0;
    const lanes3 there = other == 0 ? start : lanes3_load(b->x, other * b->next);
    end_displacements moved =
        limit_displacements(range, lanes_load(b->mobility + element * b->next),
                            lanes_load(b->mobility + other * b->next), lanes3_subtract(there, here));
#if WITH_BODIES
    if (range->noted && n > 0) {
      note_limits(range, b, element, other, &moved, RING_SHARE);
    }
#endif
    if (n > 0) {
      lanes3 sum = lanes3_scale(lanes3_subtract(moved.from, before), lanes_splat(RING_SHARE));
      lanes3_store(b->x, element * b->next, lanes3_add(here, lanes3_quantise(sum, WORK_ROUNDER)), b->count);
    }
    before = moved.to;
    here = there;
    element = other;
  }
}

#endif

/* Has a line of a bundle two pins or more? Lanes without a line may count as pinned. */
CLOTH_INLINE int has_two_pins(const line_bundle *b) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  lanes pins = zero;
  for (int32_t n = 0; n < b->length; n++) {
    pins = lanes_add(pins, lanes_drop(lanes_less(zero, lanes_load(b->mobility + n * b->next)), one));
  }
  return lanes_any(lanes_less(one, pins));
}

/* Squared length that springs may have between the pins of each line, if those n springs apart are farther apart than n
   times the limit: the n-th part of the distance, squared. The largest over the line. */
CLOTH_SEPARATE lanes reach_of_pins(const distance_range *range, const line_bundle *b) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  const int32_t end = b->is_ring ? 2 * b->length : b->length;
  lanes high = lanes_splat(range->high), springs = zero; /* since the last pin; 0 before the first */
  lanes3 pin = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  for (int32_t n = 0; n < end; n++) {
    const int32_t i = (n < b->length ? n : n - b->length) * b->next;
    const lanes pinned =
        lanes_drop(lanes_less(zero, lanes_load(b->mobility + i)), lanes_keep(lanes_first(b->count), one));
    const lanes_mask is_pin = lanes_less(zero, pinned);
    const lanes_mask is_second = lanes_both(is_pin, lanes_less(zero, springs));
    if (lanes_any(is_pin)) {
      const lanes3 x = lanes3_keep(is_pin, lanes3_load(b->x, i));
      const lanes3 apart = lanes3_flush_below(lanes3_keep(is_second, lanes3_subtract(x, pin)), STATE_QUANTUM);
      const lanes squared_count = lanes_maximum(lanes_multiply(springs, springs), one);
      high = lanes_maximum(high, lanes_divide(lanes3_dot(apart, apart), squared_count));
      pin = lanes3_select(is_pin, x, pin);
      springs = lanes_drop(is_pin, springs);
    }
    const lanes follows = lanes_select(lanes_less(zero, springs), one, pinned);
    springs = lanes_add(springs, follows);
  }
  return high;
}

/* Limits all springs of a bundle: first those that begin at even elements (the red ones), then the others. */
CLOTH_HOT CLOTH_SEPARATE void limit_lines(const distance_range *limit, const line_bundle *bundle) {
  const line_bundle b = *bundle;
  const lanes high = (b.flags & LINES_TWICE) && has_two_pins(&b) ? reach_of_pins(limit, &b) : lanes_splat(limit->high);
  const line_range range = {limit->low, high, limit->noted};
#if WITH_WRAP
  if (b.is_ring) {
    limit_ring(&range, &b);
    return;
  }
#endif
  for (int32_t first = 0; first < 2; first++) {
    for (int32_t element = first; element + 1 < b.length; element += 2) {
      limit_link(&range, &b, element);
    }
  }
}

static distance_range strain_range(const cloth *c, int32_t direction) {
  const float rest = direction_rest(c, direction);
  const float low = rest * (1.0f - c->settings.strain_limit.max_compression);
  const float high = rest * (1.0f + c->settings.strain_limit.max_extension);
  distance_range range = {low * low, high * high, notes_pins(c) ? c : NULL};
  return range;
}

/* One sweep of strain limiting: brings the stretch springs back to strains between -max_compression and
   max_extension. */
static void limit_strain(const cloth *c, vector_array x) {
  const distance_range warp = strain_range(c, WARP), weft = strain_range(c, WEFT);
  for (int32_t row = 0; row < c->grid.rows; row += CLOTH_LANES) {
    line_bundle b = bundle_of_rows(c, x, row);
    limit_lines(&warp, &b);
    return_rows(c, x, &b);
  }
  for (int32_t column = 0; column < c->grid.columns; column += CLOTH_LANES) {
    line_bundle b = bundle_of_columns(c, x, column);
    limit_lines(&weft, &b);
  }
}

#endif

/* Cost per particle of a sweep of strain limiting: two springs, and a line, as rows and columns together are no more
   than the particles. */
static uint32_t strain_limit_cost(const cloth *c) {
  return 2 * COST_LIMIT + COST_LIMIT_LINE + (is_wrapped(c) ? COST_LIMIT_RING : 0u);
}

/// Line solves of a substep ///

/*
 * The order in which a substep solves along lines, after the prediction: shear on diagonals, then on antidiagonals; the
 * twist; hinges and stretch of rows; hinges and stretch of columns. Every family acts exactly once, with its own
 * compliance, so that stiffness does not depend on the number of substeps. What is solved last is satisfied best.
 * In: the plan, the predicted positions, scratch.mobility, scratch.uniform_lines, the maps.
 * Out: the predicted positions, in scratch.product.
 * Scratch: residual (twist, transposed rows), line_work.
 */

#if WITH_PROJECTION

/* The solve of a family's springs, without its bundle. Returns 0 if the family is not projected. */
static int stretch_lines_of(const cloth *c, const step_plan *plan, int32_t d, stretch_lines *l) {
  const spring_family *s = &plan->spring[d];
  const float rest_squared = s->rest * s->rest;
  float_bits rounder = float_to_bits(rest_squared);
  rounder.bits &= 0x7f800000u; /* the power of two at or below it */
  fill_zero(l, sizeof *l);
  l->c = c;
  l->inverse_squared_rest = 1.0f / rest_squared;
  l->least_square = MIN_SQUARED_RATIO * rest_squared;
  l->coupling_rounder = STATE_ROUNDER * rounder.value;
  l->compliance_above = s->compliance[0];
  l->compliance_below = s->compliance[1];
  l->damping_share = s->damping_share;
  l->old = vectors_at(c, c->state.position);
  l->has_maps = c->constant.stiffness_map != 0;
  if (s->projected == PROJECTED_SOME) {
    l->has_maps = 1;
    l->kappa = s->kappa;
    l->above = plan->projected_above;
  }
  l->work = floats_at(c, c->scratch.line_work);
  return s->projected != PROJECTED_NONE;
}

CLOTH_HOT CLOTH_SEPARATE void solve_straight_stretch(const stretch_lines *l) {
  stretch_lines copy = *l;
  copy.b.is_ring = 0;
  solve_open_stretch(&copy, 0);
}

CLOTH_HOT CLOTH_SEPARATE void solve_diagonal_stretch(const stretch_lines *l) {
  const stretch_lines copy = *l;
  solve_open_stretch(&copy, 1);
}

CLOTH_HOT CLOTH_SEPARATE void solve_antidiagonal_stretch(const stretch_lines *l) {
  const stretch_lines copy = *l;
  solve_open_stretch(&copy, -1);
}

/* Solves the springs of a bundle of rows, columns (slant 0) or diagonals. */
static void solve_stretch(const stretch_lines *family, const line_bundle *b) {
  stretch_lines l = *family;
  l.b = *b;
  l.original = &l;
  if (b->slant > 0) {
    solve_diagonal_stretch(&l);
  } else if (b->slant < 0) {
    solve_antidiagonal_stretch(&l);
#if WITH_WRAP
  } else if (b->is_ring) {
    solve_ring_stretch(&l);
#endif
  } else {
    solve_straight_stretch(&l);
  }
#if WITH_BODIES
  if (notes_pins(l.c)) {
    note_tensions(&l);
  }
#endif
}

/* Solves the shear springs of one direction. */
static void solve_shear(const cloth *c, const step_plan *plan, int32_t direction) {
  stretch_lines l;
  if (!stretch_lines_of(c, plan, direction, &l)) {
    return;
  }
  for (int32_t column = 0; column < c->grid.columns; column += CLOTH_LANES) {
    line_bundle b = bundle_of_diagonals(c, predicted_of(c), column, direction == DIAGONAL ? 1 : -1);
    solve_stretch(&l, &b);
  }
}

#endif

/* Positions at the start of the substep, laid out like those of a bundle of rows: transposed if something reads them.
 */
static vector_array old_rows(const cloth *c, const line_bundle *b, int is_read) {
  const vector_array old = vectors_at(c, c->state.position);
  vector_array rows = {old.x + b->first, old.y + b->first, old.z + b->first};
#if CLOTH_LANES > 1
  rows = row_vectors(c, ROW_OLD_X);
  if (is_read) {
    transpose_vectors(c, old, b->first, b->count, ROW_OLD_X);
  }
#endif
  (void)is_read;
  return rows;
}

/* Solves bending and stretch of rows. */
static void solve_rows(const cloth *c, const step_plan *plan) {
  const vector_array x = predicted_of(c);
  const int bends = has_bend_lines(plan);
  int is_damped = bends && plan->bend.shift > 0.0f;
#if WITH_PROJECTION
  stretch_lines l;
  const int stretches = stretch_lines_of(c, plan, WARP, &l);
  is_damped |= stretches && l.damping_share > 0.0f;
#endif
  for (int32_t row = 0; row < c->grid.rows; row += CLOTH_LANES) {
    line_bundle b = bundle_of_rows(c, x, row);
    const vector_array old = old_rows(c, &b, is_damped);
    if (bends) {
      solve_bend(c, plan, WARP, &b, old);
#if WITH_BODIES
      note_hinges(c, plan, WARP, &b, old);
#endif
    }
#if WITH_PROJECTION
    if (stretches) {
      l.old = old;
      solve_stretch(&l, &b);
    }
#endif
    return_rows(c, x, &b);
  }
}

/* Solves bending and stretch of columns. */
static void solve_columns(const cloth *c, const step_plan *plan) {
  const vector_array old = vectors_at(c, c->state.position);
#if WITH_PROJECTION
  stretch_lines l;
  const int stretches = stretch_lines_of(c, plan, WEFT, &l);
#endif
  for (int32_t column = 0; column < c->grid.columns; column += CLOTH_LANES) {
    line_bundle b = bundle_of_columns(c, predicted_of(c), column);
    const vector_array first = {old.x + column, old.y + column, old.z + column};
    if (has_bend_lines(plan)) {
      solve_bend(c, plan, WEFT, &b, first);
#if WITH_BODIES
      note_hinges(c, plan, WEFT, &b, first);
#endif
    }
#if WITH_PROJECTION
    if (stretches) {
      l.old = first;
      solve_stretch(&l, &b);
    }
#endif
  }
}

/* Solves everything that acts along lines on the predicted positions. */
CLOTH_SEPARATE void solve_lines(const cloth *c, const step_plan *plan) {
  if (has_stencil(plan)) {
#if WITH_BODIES
    if (notes_pins(c)) {
      note_bending(c, plan);
    }
#endif
    bend_explicitly(c, plan);
  }
#if WITH_PROJECTION
  solve_shear(c, plan, DIAGONAL);
  solve_shear(c, plan, ANTIDIAGONAL);
#endif
  if (has_bend_lines(plan)) {
    solve_twists(c, plan);
#if WITH_BODIES
    if (notes_pins(c)) {
      note_bending(c, plan);
    }
#endif
  }
  if (has_bend_lines(plan) || plan->projects) {
    solve_rows(c, plan);
    solve_columns(c, plan);
  }
}

/// Tethers ///

/*
 * Choice of the tethers (long range attachments, Kim, Chentanez and Mueller-Fischer 2012). A tether keeps a particle
 * within reach of a pinned one, its anchor: no farther than the straight distance between them on the sheet at rest,
 * times a scale. A particle has one for each slot, up to two, to the nearest pins in different directions. They are
 * chosen in the first step after pins came or went.
 * In: the pins, the grid at rest. Out: state.tethers, the anchor of each particle and slot (-1: none);
 * scratch.tether_marks, which tell tether_pull.h the pattern of each block. Scratch: no other.
 */

#if WITH_PROJECTION

/* The anchors of all particles in a slot. */
static int32_t *tethers_of(const cloth *c, int32_t slot) {
  return (int32_t *)at(c, c->state.tethers) + slot * c->count;
}

/* Squared rest distances: grid points that are u columns and v rows apart lie at the squared distance
   warp u^2 + mixed u v + weft v^2 [m^2]. The mixed term, for edges that are not perpendicular, follows from the
   diagonals. */
typedef struct rest_metric {
  float warp, mixed, weft;
  float around; /* columns of a tube; 0 for a sheet */
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

/* Columns between two points, round the other side of a tube if that is shorter. */
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

/* The search for anchors, at one particle. */
typedef struct anchor_search {
  rest_metric metric;
  int32_t particle, column, row;
  int32_t *slots[TETHERS]; /* anchors of all particles; NULL for a slot that the cloth does not have */
} anchor_search;

/* Squared rest distance from a pin to a grid point [m^2]. */
static float rest_from(const cloth *c, const anchor_search *t, int32_t pin, int32_t column, int32_t row) {
  int32_t pin_row = pin / c->grid.columns;
  lanes columns = shorter_columns(t->metric, lanes_splat((float)(column - (pin - pin_row * c->grid.columns))));
  return lanes_first_value(rest_squared(t->metric, columns, lanes_splat((float)(row - pin_row))));
}

static float rest_to_particle(const cloth *c, const anchor_search *t, int32_t pin) {
  return rest_from(c, t, pin, t->column, t->row);
}

/* A pin is redundant beside another anchor if it is less than half as far from it as from the particle: both would pull
   in nearly the same direction. This is the ratio of the squared distances. A greater one lets particles below a row of
   pins take two neighbouring pins, and loses the hold in the other direction. */
#define REDUNDANT_RATIO 4.0f

/* Is `pin` redundant for the particle beside the anchor `other`? */
static int is_redundant_anchor(const cloth *c, const anchor_search *t, int32_t pin, int32_t other) {
  int32_t row = other / c->grid.columns;
  float between = rest_from(c, t, pin, other - row * c->grid.columns, row);
  return REDUNDANT_RATIO * between < rest_to_particle(c, t, pin);
}

/* Proposes a pin (or none, -1) to the particle. It takes the nearest as its first anchor, and as its second the nearest
   that is not redundant beside the first. */
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

/* Proposes the anchors of the neighbour that is so many columns and rows away, if there is one. */
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

/* Moves the search to a column of its row; columns past the end of a tube's row start again at 0. */
static void set_cursor(const cloth *c, anchor_search *t, int32_t column) {
  column -= column >= c->grid.columns ? c->grid.columns : 0;
  t->column = column;
  t->particle = t->row * c->grid.columns + column;
}

/* One sweep of nearest-anchor propagation (fast sweeping), downwards for rows 1 and upwards for rows -1: candidates
   come from the row before, then from the left, then from the right. Tubes sweep each row twice, as column 0 also
   depends on the last column. */
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

/* Chooses the tethers of all particles: pins start as their own anchors, and two sweeps propagate them. The work is
   fixed and bounded. */
CLOTH_SEPARATE void choose_tethers(const cloth *c) {
  for (int32_t i = 0; i < c->settings.tethers.count * c->count; i++) {
    tethers_of(c, 0)[i] = i < c->count && is_pinned(c, i) && !is_on_body(c, i) ? i : -1;
  }
  propagate_anchors(c, 1);
  propagate_anchors(c, -1);
  inputs_of(c)->tethers_chosen = TETHERS_CHOSEN;
}

/* Mark of a block of TETHER_BLOCK particles of a row, by its anchors: none; one for all; as many as particles,
   consecutive in a row in column order; or any others. */
enum { TETHERS_NONE, TETHERS_ONE, TETHERS_SIDE_BY_SIDE, TETHERS_MANY };

static uint8_t *tether_marks_of(const cloth *c, int32_t slot, int32_t row) {
  return (uint8_t *)at(c, c->scratch.tether_marks) + (slot * c->grid.rows + row) * tether_blocks(c);
}

static uint8_t tether_mark(const cloth *c, const int32_t *pins, int32_t count) {
  int32_t alike = 1, side_by_side = 1;
  while (alike < count && pins[alike] == pins[0]) {
    alike++;
  }
  if (alike == count) {
    return pins[0] < 0 ? TETHERS_NONE : TETHERS_ONE;
  }
  while (side_by_side < count && pins[side_by_side] == pins[0] + side_by_side) {
    side_by_side++;
  }
  const int is_row =
      side_by_side == count && pins[0] >= 0 && pins[0] / c->grid.columns == pins[count - 1] / c->grid.columns;
  return is_row ? TETHERS_SIDE_BY_SIDE : TETHERS_MANY;
}

/* Marks all blocks of all slots. Returns 1 if there is any tether. */
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

/*
 * Pins that are farther apart than the cloth between them reaches contradict each other's tethers: each would hold the
 * cloth near itself, and all of the strain would be in the few springs between. So tethers give way where such pins
 * are. Of a pair of pins R apart at rest times the scale, and D apart now, the cloth between them strains evenly if a
 * tether of length T may grow to T D / R. A particle that hangs beside them, at x along the line between the pins and y
 * across it, needs x D / R along it and no more across: its T^2 grows by (D^2 - R^2) (x / R)^2. So the squares grow to
 * min(T^2 max(D / R)^2, T^2 + max(D^2 - R^2)), the maxima over all pairs, as a particle beside those between the pins
 * is drawn along; long tethers hardly grow.
 */

/* Position of a pin at the end of the step [m]. */
static cloth_vector end_of_pin(const cloth *c, const step_plan *plan, int32_t pin) {
  const cloth_vector x = vector_load(vectors_at(c, c->state.position), pin);
  return vector_add_scaled(x, vector_load(vectors_at(c, c->state.velocity), pin), plan->dt);
}

static float squared_length(cloth_vector a) {
  a = vector_flush(a, STATE_QUANTUM);
  return vector_dot(a, a);
}

/* Lets tethers out for a pair of pins, at the start and at the end of the step: between them pins move along straight
   lines, so that they are never farther apart than at one of the two. */
static void let_out_for_pair(const cloth *c, step_plan *plan, const rest_metric *m, int32_t a, int32_t b) {
  const vector_array x = vectors_at(c, c->state.position);
  const int32_t row_a = a / c->grid.columns, row_b = b / c->grid.columns;
  const lanes columns =
      shorter_columns(*m, lanes_splat((float)(a - row_a * c->grid.columns - (b - row_b * c->grid.columns))));
  const float rest = lanes_first_value(rest_squared(*m, columns, lanes_splat((float)(row_a - row_b))));
  const cloth_vector before = vector_subtract(vector_load(x, a), vector_load(x, b));
  const cloth_vector after = vector_subtract(end_of_pin(c, plan, a), end_of_pin(c, plan, b));
  const float apart = maximum(squared_length(before), squared_length(after));
  if (apart > rest) {
    plan->tether_growth = maximum(plan->tether_growth, apart / rest);
    plan->tether_slack = maximum(plan->tether_slack, apart - rest);
  }
}

/* The same for two anchors, of which there may be none or twice the same. Returns how many pairs that is. */
static uint32_t let_out_for(const cloth *c, step_plan *plan, const rest_metric *m, int32_t a, int32_t b) {
  const int is_pair = a >= 0 && b >= 0 && a != b;
  if (is_pair) {
    let_out_for_pair(c, plan, m, a, b);
  }
  return (uint32_t)is_pair;
}

#if WITH_BODIES

/* 1 if a particle touched something in the last substep and is near a body with mass. */
static int may_bear(const cloth *c, int32_t particle) {
  const cloth_vector x = vector_load(vectors_at(c, c->state.position), particle);
  int near = 0;
  for (int32_t n = 0; n < inputs_of(c)->body_count && history_of(c, 1).x[particle] > 0.5f * HISTORY_INVALID; n++) {
    const cloth_collider *body = &colliders_of(c)[bodies_of(c)[n].collider].body;
    const float reach = body_reach(body, geometry_of(c, body)) + 2.0f * c->settings.contact.thickness;
    near |= body->shape != CLOTH_SHAPE_PLANE && squared_length(vector_subtract(x, body->pose.position)) < reach * reach;
  }
  return near && !is_pinned(c, particle);
}

/* The same for particles that bear a body with mass and their anchors: what it stretches the cloth to, tethers do not
   take back. They would draw the particles along its surface until it passes between them. */
static uint32_t let_out_for_bodies(const cloth *c, step_plan *plan, const rest_metric *m) {
  uint32_t pairs = 0;
  for (int32_t i = 0; inputs_of(c)->body_count > 0 && c->state.velocity_history && i < c->count; i++) {
    for (int32_t slot = 0; slot < c->settings.tethers.count && may_bear(c, i); slot++) {
      pairs += let_out_for(c, plan, m, tethers_of(c, slot)[i], i);
    }
  }
  return pairs;
}

#endif

/* Sets what tethers grow by in a step: for pairs of anchors of one particle, and of it and the particles before it in
   its row and column. Pairs that the particle in the row above has, too, are not looked at again. */
CLOTH_SEPARATE void let_out_tethers(const cloth *c, step_plan *plan) {
  const rest_metric m = metric_of(c, plan->tether_scale);
  const int32_t columns = c->grid.columns, *first = tethers_of(c, 0), count = c->count;
  const int32_t *second = c->settings.tethers.count > 1 ? tethers_of(c, 1) : first;
  const int32_t start = c->settings.capacity.fixed_work ? count : columns + 1; /* where pairs may be known */
  uint32_t pairs = 0;
  for (int32_t i = 0; i < count; i++) {
    const int32_t above = i - columns, here = first[i];
    if (i >= start && first[above] == here && second[above] == second[i] && first[above - 1] == first[i - 1]) {
      continue;
    }
    pairs += let_out_for(c, plan, &m, here, second[i]);
    pairs += i > 0 ? let_out_for(c, plan, &m, here, first[i - 1]) : 0u;
    pairs += above >= 0 ? let_out_for(c, plan, &m, here, first[above]) : 0u;
  }
#if WITH_BODIES
  pairs += let_out_for_bodies(c, plan, &m);
#endif
  add_varying_work(c, pairs, COST_PAIR_OF_PINS);
}

#endif

/* Removes the tethers to a particle that is a pin no longer. */
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
  if (c->settings.tethers.count == 0) {
    return CLOTH_ERROR_STATE;
  }
  return slot >= 0 && slot < c->settings.tethers.count ? CLOTH_OK : CLOTH_ERROR_INDEX;
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
    return CLOTH_ERROR_STATE; /* choosing needs it */
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

int cloth_reset_tethers(cloth *c) {
  int error = check_tether(c, 0, 0);
  if (!error && inputs_of(c)->tethers_chosen == TETHERS_SET) {
    inputs_of(c)->tethers_chosen = TETHERS_STALE;
    wake(c);
  }
  return error;
}

#endif

/// Pull of the tethers ///

/*
 * Pulls particles that are beyond the length T of a tether back towards its anchor, by (l^2 - T^2) / (l^2 + T^2) of the
 * distance l, which is exact to first order. A tether whose straight path goes through a collider pulls
 * along the collider's surface only: a pull into it would draw the cloth through it, and without a pull a fast collider
 * carries single particles away while the tethers of their neighbours hold.
 * In: state.tethers, scratch.tether_marks, scratch.mobility, the colliders at the end of the step.
 * Out: the predicted positions, in scratch.product; workspace.obstacles, set by the caller from find_obstacles().
 * Scratch: scratch.row_buffers holds the obstacles' capsules (obstacles_of()); the forces' row buffers are spent by
 * then.
 */

#if WITH_PROJECTION

/* The anchors of a block of particles: positions, and the tethers' squared lengths [m^2]. */
typedef struct tether_ends {
  lanes3 anchor;
  lanes squared_length;
} tether_ends;

/* Squared length of the tether of a particle that has none: longer than any distance in the world. */
#define TETHER_ENDLESS 1.0e30f

#if CLOTH_LANES > 1
/* Looks up the anchors of the block from a column of a row on, one by one. `pins` leads to that of its first particle.
   A particle without a tether gets an endless one to particle 0. */
CLOTH_SEPARATE void tethers_to_many(const cloth *c, rest_metric m, const int32_t *pins, int32_t row, int32_t column,
                                    tether_ends *ends) {
  float position[3][CLOTH_LANES];
  float squared_length[CLOTH_LANES];
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    int32_t pin = lane < c->grid.columns - column ? pins[lane] : -1;
    int32_t from = pin < 0 ? 0 : pin;
    int32_t pin_row = from / c->grid.columns;
    cloth_vector p = vector_load(predicted_of(c), from);
    lanes columns = lanes_splat((float)(column - (from - pin_row * c->grid.columns)) + lane_numbers[lane]);
    position[0][lane] = p.x;
    position[1][lane] = p.y;
    position[2][lane] = p.z;
    columns = shorter_columns(m, columns);
    squared_length[lane] = lanes_first_value(rest_squared(m, columns, lanes_splat((float)(row - pin_row))));
    squared_length[lane] = pin < 0 ? TETHER_ENDLESS : squared_length[lane];
  }
  ends->anchor = lanes3_of(lanes_load(position[0]), lanes_load(position[1]), lanes_load(position[2]));
  ends->squared_length = lanes_load(squared_length);
}
#endif

/* The capsules around the colliders that may block tethers; workspace.obstacles of them. */
static obstacle_capsule *obstacles_of(const cloth *c) {
  return (obstacle_capsule *)at(c, c->scratch.row_buffers);
}

/* The box around a capsule reaches this factor and STATE_QUANTUM farther than the capsule's radius. segments_within()
   has roundings of some 1e-7 of the radius, so that close to the origin no path outside the box is within the capsule;
   far from it, where positions are coarser than that, the box decides, on every machine alike. With 1 the box would cut
   paths that graze the capsule. */
#define BOX_MARGIN 1.0001f

static void set_box(obstacle_capsule *capsule, float reach) {
  cloth_vector a = capsule->from, b = vector_add(capsule->from, capsule->along);
  capsule->low = vector(minimum(a.x, b.x) - reach, minimum(a.y, b.y) - reach, minimum(a.z, b.z) - reach);
  capsule->high = vector(maximum(a.x, b.x) + reach, maximum(a.y, b.y) + reach, maximum(a.z, b.z) + reach);
}

/* Makes the capsules around all colliders but planes and concave shapes, where they are at the end of the step. Returns
 * how many. */
CLOTH_SEPARATE int32_t find_obstacles(const cloth *c) {
  obstacle_capsule *obstacles = obstacles_of(c);
  int32_t count = 0;
  for (int32_t index = 0; WITH_COLLIDERS && index < collider_end(c); index++) {
    const collider_slot *slot = slot_at(c, index);
    if (is_collider(c, index) && slot->body.shape != CLOTH_SHAPE_PLANE && !is_concave(&slot->body)) {
      const cloth_geometry *g = geometry_of(c, &slot->body);
      obstacle_capsule *capsule = &obstacles[count++];
      float reach = capsule_around(&slot->body, g, slot->body.pose.rotation, &capsule->from, &capsule->along);
      capsule->from = vector_add(place_in_step(c, slot->body.pose.position), capsule->from);
      capsule->squared_reach = reach * reach;
      set_box(capsule, reach * BOX_MARGIN + STATE_QUANTUM);
    }
  }
  return count;
}

/* Straight paths from a block of particles to their anchors, and the boxes around the paths. */
typedef struct tether_segments {
  lanes3 from, to;
  lanes3 low, high;
} tether_segments;

/* Least divisor in the search for nearest points [m^2; m^4 for the crossing]: segments shorter than 1e-6 m are treated
   as that long, and parallel ones, which have many nearest points, get one of them. A smaller bound lets the quotients
   overflow. */
#define MIN_SEGMENT_SQUARE 1.0e-12f

/* Which paths come nearer to a capsule's axis than its radius: the nearest points of two segments (Ericson, Real-Time
   Collision Detection, section 5.1.9). s is the parameter on the path, t that on the axis. */
CLOTH_INLINE lanes_mask segments_within(const tether_segments *w, const obstacle_capsule *capsule) {
  lanes tiny = lanes_splat(MIN_SEGMENT_SQUARE);
  lanes3 path = lanes3_flush_below(lanes3_subtract(w->to, w->from), STATE_QUANTUM);
  lanes path_squared = lanes_maximum(lanes3_dot(path, path), tiny);
  lanes3 apart = lanes3_flush_below(lanes3_subtract(w->from, lanes3_splat(capsule->from)), STATE_QUANTUM);
  lanes path_apart = lanes_flush(lanes3_dot(path, apart));
  float axis_length_squared = vector_dot(capsule->along, capsule->along); /* 0 for a sphere */
  if (axis_length_squared > 0.0f) {
    lanes3 axis = lanes3_splat(capsule->along);
    lanes axis_squared = lanes_splat(maximum(axis_length_squared, MIN_SEGMENT_SQUARE));
    lanes path_axis = lanes_flush(lanes3_dot(path, axis));
    lanes axis_apart = lanes_flush(lanes3_dot(axis, apart));
    lanes crossing = lanes_subtract(lanes_multiply(path_squared, axis_squared), lanes_multiply(path_axis, path_axis));
    lanes s = lanes_subtract(lanes_multiply(path_axis, axis_apart), lanes_multiply(path_apart, axis_squared));
    s = clamped_to_one(lanes_flush(lanes_divide(s, lanes_maximum(crossing, tiny))));
    lanes t = lanes_divide(lanes_add(lanes_multiply(path_axis, s), axis_apart), axis_squared);
    t = clamped_to_one(lanes_flush(t));
    path_apart = lanes_subtract(path_apart, lanes_multiply(path_axis, t));
    apart = lanes3_subtract(apart, lanes3_scale(axis, t));
  }
  lanes s = clamped_to_one(lanes_flush(lanes_divide(lanes_negate(path_apart), path_squared)));
  lanes3 gap = lanes3_flush(lanes3_add_scaled(apart, path, s));
  return lanes_less(lanes3_dot(gap, gap), lanes_splat(capsule->squared_reach));
}

CLOTH_INLINE lanes_mask overlap(lanes low, lanes high, float other_low, float other_high) {
  return lanes_both(lanes_less(low, lanes_splat(other_high)), lanes_less(lanes_splat(other_low), high));
}

/* Which paths' boxes overlap the box around a capsule. Most do not. */
CLOTH_INLINE lanes_mask boxes_overlap(const tether_segments *w, const obstacle_capsule *capsule) {
  lanes_mask near = overlap(w->low.z, w->high.z, capsule->low.z, capsule->high.z);
  near = lanes_both(near, overlap(w->low.x, w->high.x, capsule->low.x, capsule->high.x));
  return lanes_both(near, overlap(w->low.y, w->high.y, capsule->low.y, capsule->high.y));
}

/* Takes out of the pulls -d on the particles at p what leads towards the axis of a capsule. */
CLOTH_INLINE lanes3 pull_along_surface(const obstacle_capsule *capsule, lanes3 p, lanes3 d) {
  float axis_length_squared = vector_dot(capsule->along, capsule->along);
  lanes3 outward = lanes3_flush_below(lanes3_subtract(p, lanes3_splat(capsule->from)), STATE_QUANTUM);
  if (axis_length_squared > 0.0f) {
    lanes3 axis = lanes3_splat(capsule->along);
    lanes t = lanes_divide(lanes3_dot(outward, axis), lanes_splat(maximum(axis_length_squared, MIN_SEGMENT_SQUARE)));
    outward = lanes3_subtract(outward, lanes3_scale(axis, clamped_to_one(lanes_flush(t))));
    outward = lanes3_flush_below(outward, STATE_QUANTUM);
  }
  lanes squared = lanes_maximum(lanes3_dot(outward, outward), lanes_splat(MIN_SEGMENT_SQUARE));
  lanes inward = lanes_maximum(lanes3_dot(lanes3_flush_below(d, STATE_QUANTUM), outward), lanes_splat(0.0f));
  inward = lanes_flush(lanes_divide(inward, squared));
  return lanes3_subtract(d, lanes3_scale(outward, inward));
}

/* Lets those taut tethers whose straight path an obstacle blocks pull along its surface. `p` are the particles, of
   which `left` exist, and *d leads to them from their anchors. */
CLOTH_SEPARATE void deflect_blocked(const cloth *c, const lanes3 *p, const lanes3 *anchor, lanes_mask taut,
                                    int32_t left, lanes3 *d) {
  const obstacle_capsule *obstacles = obstacles_of(c);
  int32_t count = workspace_of(c)->obstacles;
  uint32_t work = count_within(taut, left) * (uint32_t)count * COST_BOX_TEST;
  tether_segments w = {*p, *anchor, lanes3_minimum(*p, *anchor), lanes3_maximum(*p, *anchor)};
  for (int32_t n = 0; n < count; n++) {
    lanes_mask near = lanes_both(taut, boxes_overlap(&w, &obstacles[n]));
    if (lanes_any(near) || c->settings.capacity.fixed_work) {
      work += count_within(near, left) * COST_SEGMENT_TEST;
      lanes_mask blocked = lanes_both(near, segments_within(&w, &obstacles[n]));
      *d = lanes3_select(blocked, pull_along_surface(&obstacles[n], *p, *d), *d);
    }
  }
  add_varying_work(c, work, 1);
}

/* Least l^2 + T^2 [m^2]. Only the tether of a pin to itself is below; it is not taut, and the bound keeps its unused
   share from being 0 / 0, which would raise the invalid flag. */
#define MIN_TETHER_SQUARE_SUM 1.0e-12f

/* Squared lengths of tethers that contradict each other, see let_out_tethers(). */
CLOTH_INLINE lanes let_out(const step_plan *plan, lanes squared_length) {
  return lanes_minimum(lanes_multiply(squared_length, lanes_splat(plan->tether_growth)),
                       lanes_add(squared_length, lanes_splat(plan->tether_slack)));
}

/* Pulls the `left` particles of a block that are free and beyond their tethers' lengths. Most blocks have none. */
CLOTH_INLINE void pull_block(const cloth *c, const tether_ends *ends, int32_t i, int32_t left) {
  uint32_t obstacles = (uint32_t)workspace_of(c)->obstacles;
  vector_array x = predicted_of(c);
  lanes3 p = lanes3_load(x, i);
  lanes3 d = lanes3_subtract(p, ends->anchor);
  lanes squared = lanes3_dot(d, d);
  const step_plan *plan = &workspace_of(c)->plan;
  const lanes squared_length = plan->tether_slack > 0.0f ? let_out(plan, ends->squared_length) : ends->squared_length;
  lanes mobility = lanes_load(floats_at(c, c->scratch.mobility) + i);
  lanes_mask taut = lanes_both(lanes_less(squared_length, squared), lanes_less(lanes_splat(0.0f), mobility));
  if (!lanes_any(taut) && !c->settings.capacity.fixed_work) {
    return;
  }
  lanes excess = lanes_subtract(squared, squared_length);
  lanes sum = lanes_maximum(lanes_add(squared, squared_length), lanes_splat(MIN_TETHER_SQUARE_SUM));
  lanes share = lanes_keep(taut, lanes_divide(excess, sum));
  if (obstacles) {
    deflect_blocked(c, &p, &ends->anchor, taut, left, &d);
  }
  lanes3_store(x, i, lanes3_subtract(p, lanes3_quantise(lanes3_scale(d, share), WORK_ROUNDER)), left);
}

/* Number of rows, from one on, in which the same pins hold a block of columns in the same pattern. */
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

/* Rows of a block of columns that hang alike: on one pin, or each column on one of consecutive pins. */
typedef struct tether_piece {
  rest_metric metric;
  int32_t pin, side_by_side;
  int32_t row, rows, column;
} tether_piece;

/* Pulls CLOTH_LANES columns of a piece, `from` columns from its first. */
CLOTH_INLINE void pull_columns(const cloth *c, const tether_piece *piece, int32_t from) {
  vector_array x = predicted_of(c);
  int32_t pin_row = piece->pin / c->grid.columns;
  int32_t pin_column = piece->pin - pin_row * c->grid.columns;
  int32_t column = piece->column + from;
  tether_ends ends;
  lanes columns;
  if (piece->side_by_side) {
    ends.anchor = lanes3_load(x, piece->pin + from);
    columns = lanes_splat((float)(piece->column - pin_column));
  } else {
    ends.anchor = lanes3_splat(vector_load(x, piece->pin));
    columns = lanes_add(lanes_splat((float)(column - pin_column)), lanes_load(lane_numbers));
  }
  columns = shorter_columns(piece->metric, columns);
  for (int32_t row = piece->row; row < piece->row + piece->rows; row++) {
    ends.squared_length = rest_squared(piece->metric, columns, lanes_splat((float)(row - pin_row)));
    pull_block(c, &ends, row * c->grid.columns + column, c->grid.columns - column);
  }
}

CLOTH_HOT CLOTH_SEPARATE void pull_piece(const cloth *c, const tether_piece *whole) {
  tether_piece piece = *whole; /* a copy that stores of positions cannot alias */
  for (int32_t from = 0; from < TETHER_BLOCK && piece.column + from < c->grid.columns; from += CLOTH_LANES) {
    pull_columns(c, &piece, from);
  }
}

/* Pulls the particles of a row between two columns, whose anchors have no pattern. `pins` holds those of all
   particles. */
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
    ends.anchor = lanes3_splat(vector_load(predicted_of(c), pins[i]));
    lanes columns = shorter_columns(*m, lanes_splat((float)(column - (pins[i] - pin_row * c->grid.columns))));
    ends.squared_length = rest_squared(*m, columns, lanes_splat((float)(row - pin_row)));
#endif
    pull_block(c, &ends, i, to - column);
  }
}

/* Pulls the tethers of one slot, block of columns by block of columns. */
static void pull_tethers(const cloth *c, int32_t slot) {
  tether_piece piece;
  piece.metric = metric_of(c, workspace_of(c)->plan.tether_scale);
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

#if WITH_BODIES

/* Keeps the predicted positions, for note_tethers(). */
static void keep_before_tethers(const cloth *c) {
  if (notes_pins(c)) {
    copy_memory(vectors_at(c, c->scratch.residual).x, predicted_of(c).x, 3 * (size_t)c->stride * sizeof(float));
  }
}

/* Notes the pull of the tethers of a slot: at each pin the opposite of what it has done to the particles. */
CLOTH_SEPARATE void note_tethers(const cloth *c, int32_t slot) {
  const vector_array before = vectors_at(c, c->scratch.residual), after = predicted_of(c);
  const float *mobility = floats_at(c, c->scratch.mobility);
  for (int32_t i = 0; notes_pins(c) && i < c->count; i++) {
    const int32_t pin = tethers_of(c, slot)[i];
    const cloth_vector moved = vector_subtract(vector_load(after, i), vector_load(before, i));
    if (pin >= 0 && mobility[i] > 0.0f && (moved.x != 0.0f || moved.y != 0.0f || moved.z != 0.0f)) {
      const cloth_vector pull = vector_scale(moved, 1.0f / mobility[i]);
      note_displacement(c, pin, vector_scale(pull, -1.0f));
      if (is_pinned(c, i)) {
        note_displacement(c, i, pull);
      }
    }
  }
}

#endif

#endif

/// Bounds of blocks ///

/*
 * Boxes around the paths' ends of blocks of successive particles, most of one or two rows, and the longest path of each
 * block. Contact tests them against a collider before it tests the particles, so that colliders far away cost little.
 * In: positions at the start of the substep (state), predicted positions, the colliders' shapes. Out and scratch: the
 * bounds, in scratch.residual.
 */

/* Particles of a block. Smaller blocks have tighter boxes, but there are more of them to test. */
#define BOUND_BLOCK 64
/* Bounds pay from this number of colliders on: finding them costs about as much as testing all particles against one or
   two colliders. */
#define BOUND_COLLIDERS 4
/* With fewer particles [1] there is no room for the bounds. */
#define BOUND_MIN_COUNT 64

/* What bounds consist of: the least values over the particles of a block. A minimum rounds nothing, so that it is the
   same in any order and for any width of lanes. */
enum {
  BOUND_LOW,              /* 3: coordinates of the predicted positions [m] */
  BOUND_BELOW_HIGH = 3,   /* 3: minus these coordinates [m] */
  BOUND_DISPLACEMENT = 6, /* minus the squared displacements in the substep [m^2] */
  BOUNDS = 8              /* with one unused, as blocks of lanes are transposed */
};

static int32_t bound_blocks(const cloth *c) {
  return (c->count + BOUND_BLOCK - 1) / BOUND_BLOCK;
}

/* The least values of one kind, for all blocks. */
CLOTH_INLINE float *bounds_of(const cloth *c, int32_t kind) {
  return floats_at(c, c->scratch.residual) + kind * (bound_blocks(c) + LANE_PAD);
}

/* The number of colliders but planes. */
static int32_t count_bodies(const cloth *c) {
  int32_t bodies = 0;
  for (int32_t index = 0; index < collider_end(c); index++) {
    bodies += is_collider(c, index) && slot_at(c, index)->body.shape != CLOTH_SHAPE_PLANE;
  }
  return bodies;
}

/* Does a substep find bounds? `bodies` is the number of colliders but planes, which are never far away. Residual, with
   3 floats per particle, has room for the bounds of grids of this size. With fixed work nothing is skipped. */
static int uses_bounds(const cloth *c, int32_t bodies) {
  return bodies >= BOUND_COLLIDERS && c->count >= BOUND_MIN_COUNT && !c->settings.capacity.fixed_work;
}

/* Beyond every coordinate, and still with a square. */
#define BOUND_BEYOND 1.0e18f

/* Stores, for each of eight blocks of lanes, the least of its lanes. */
CLOTH_INLINE void store_least_lanes(float *least, lanes values[BOUNDS]) {
  for (int32_t n = 0; n < BOUNDS; n += CLOTH_LANES) {
    lanes_transpose(values + n);
    lanes result = values[n];
    for (int32_t lane = 1; lane < CLOTH_LANES; lane++) {
      result = lanes_minimum(values[n + lane], result);
    }
    lanes_store(least + n, result);
  }
}

/* Finds the bounds of a block. Positions that are no numbers do not count: they are near no collider. */
CLOTH_HOT CLOTH_SEPARATE void find_block_bounds(const cloth *c, int32_t block) {
  const vector_array from = vectors_at(c, c->state.position), to = predicted_of(c);
  const int32_t first = block * BOUND_BLOCK, left = c->count - first;
  const lanes zero = lanes_splat(0.0f), beyond = lanes_splat(BOUND_BEYOND);
  const lanes3 none = lanes3_of(zero, zero, zero);
  lanes3 low = lanes3_of(beyond, beyond, beyond), below_high = low;
  lanes displacement = zero;
  for (int32_t n = 0; n < BOUND_BLOCK && n < left; n += CLOTH_LANES) {
    lanes_mask exists = lanes_first(left - n);
    lanes3 p = lanes3_load(to, first + n);
    lanes3 d = lanes3_flush(lanes3_subtract(p, lanes3_load(from, first + n)));
    low = lanes3_select(exists, lanes3_minimum(p, low), low);
    below_high = lanes3_select(exists, lanes3_minimum(lanes3_subtract(none, p), below_high), below_high);
    lanes below_squared = lanes_subtract(zero, lanes3_dot(d, d));
    displacement = lanes_select(exists, lanes_minimum(below_squared, displacement), displacement);
  }
  lanes values[BOUNDS] = {low.x, low.y, low.z, below_high.x, below_high.y, below_high.z, displacement, zero};
  float least[BOUNDS];
  store_least_lanes(least, values);
  for (int32_t kind = 0; kind <= BOUND_DISPLACEMENT; kind++) {
    bounds_of(c, kind)[block] = least[kind];
  }
}

/* Finds the bounds of all blocks. */
static void find_bounds(const cloth *c) {
  for (int32_t block = 0; block < bound_blocks(c); block++) {
    find_block_bounds(c, block);
  }
}

/* Lets a block count as near every collider, after its particles have been moved. */
static void drop_bounds(const cloth *c, int32_t block) {
  bounds_of(c, BOUND_DISPLACEMENT)[block] = -BOUND_BEYOND;
}

/* How far a coordinate is outside of the boxes of some blocks. */
CLOTH_INLINE lanes outside(const cloth *c, int32_t block, int32_t axis, float value) {
  lanes below = lanes_subtract(lanes_load(bounds_of(c, BOUND_LOW + axis) + block), lanes_splat(value));
  lanes above = lanes_add(lanes_load(bounds_of(c, BOUND_BELOW_HIGH + axis) + block), lanes_splat(value));
  return lanes_maximum(lanes_maximum(below, above), lanes_splat(0.0f));
}

/* Squared distances of a point from the boxes of the blocks from `block` on [m^2]. No particle of a block is nearer,
   even as the cull tests round: rounding keeps the order of numbers. */
CLOTH_INLINE lanes squared_distance_to_blocks(const cloth *c, int32_t block, cloth_vector p) {
  lanes3 d = lanes3_of(outside(c, block, 0, p.x), outside(c, block, 1, p.y), outside(c, block, 2, p.z));
  return lanes3_dot(d, d);
}

/// Triangle meshes ///

/*
 * A mesh is a tree with eight children to a node, whose leaves are triangles, in the order of their centres along a
 * Morton curve (build_mesh.h). All levels are complete, so children are found by their number, without pointers.
 *
 * Each particle remembers, within a step, the triangles near a ball in which it moves: as long as its path stays in the
 * ball the tree is not walked again. A cloth that lies on a mesh walks it once a step.
 *
 * In: a geometry of shape CLOTH_SHAPE_MESH, paths in its local axes. Out: contacts, and how many nodes and triangles
 * were looked at. Scratch: own.mesh_caches.
 */

/* Children of a node. */
#define MESH_CHILDREN 8
/* Most levels: 8^7 is more than CLOTH_TRIANGLE_LIMIT. */
#define MESH_LEVELS 8

/* Boxes of the children of a node: those that do not exist have a low corner above the high one. */
typedef struct mesh_node {
  float low[3][MESH_CHILDREN], high[3][MESH_CHILDREN]; /* [m] */
} mesh_node;

#if WITH_MESH

/* A walk through the boxes of a tree that overlap a box. */
typedef struct mesh_walk {
  const cloth_geometry *g;
  cloth_vector low, high;     /* corners of the box [m] */
  int32_t level;              /* where the walk is; leaves are level 0 */
  int32_t node[MESH_LEVELS];  /* on the way down there */
  uint32_t open[MESH_LEVELS]; /* children of these that are still to be visited, a bit each */
  int32_t nodes, triangles;   /* how many were looked at */
  int32_t overflows;          /* 1 if the walk ended at a bound */
} mesh_walk;

/* The bit of each child. */
CLOTH_CONSTANT static const float child_bits[MESH_CHILDREN] = {1.0f, 2.0f, 4.0f, 8.0f, 16.0f, 32.0f, 64.0f, 128.0f};

/* Which children of a node overlap the box, a bit each. */
static uint32_t overlapping_children(const mesh_walk *w, const mesh_node *node) {
  uint32_t bits = 0;
  for (int32_t n = 0; n < MESH_CHILDREN; n += CLOTH_LANES) {
    float chosen[CLOTH_LANES];
    lanes_mask mask = lanes_both(lanes_less(lanes_load(node->low[0] + n), lanes_splat(w->high.x)),
                                 lanes_less(lanes_splat(w->low.x), lanes_load(node->high[0] + n)));
    mask = lanes_both(mask, lanes_less(lanes_load(node->low[1] + n), lanes_splat(w->high.y)));
    mask = lanes_both(mask, lanes_less(lanes_splat(w->low.y), lanes_load(node->high[1] + n)));
    mask = lanes_both(mask, lanes_less(lanes_load(node->low[2] + n), lanes_splat(w->high.z)));
    mask = lanes_both(mask, lanes_less(lanes_splat(w->low.z), lanes_load(node->high[2] + n)));
    if (lanes_any(mask)) {
      lanes_store(chosen, lanes_keep(mask, lanes_load(child_bits + n)));
      float sum = chosen[0];
      for (int32_t lane = 1; lane < CLOTH_LANES; lane++) {
        sum += chosen[lane];
      }
      bits += (uint32_t)(int32_t)sum;
    }
  }
  return bits;
}

/* Goes into a node of the level w->level. */
static void enter_node(mesh_walk *w, int32_t node) {
  const mesh_node *nodes = (const mesh_node *)geometry_data(w->g, w->g->levels[w->level]);
  w->node[w->level] = node;
  w->open[w->level] = overlapping_children(w, &nodes[node]);
  w->nodes++;
}

static void start_walk(mesh_walk *w, const cloth_geometry *g, cloth_vector low, cloth_vector high) {
  w->g = g;
  w->low = low;
  w->high = high;
  w->level = g->counts[1] - 1;
  w->open[0] = 0;
  w->nodes = w->triangles = w->overflows = 0;
  enter_node(w, 0);
}

/* Number of the lowest bit that is set, of one of eight. */
static int32_t lowest_bit(uint32_t bits) {
  const uint32_t bit = bits & (~bits + 1u);
  return ((bit & 0xf0u) != 0) << 2 | ((bit & 0xccu) != 0) << 1 | ((bit & 0xaau) != 0);
}

/* Goes to the next node of level 0 in which boxes of triangles overlap. Returns 0 at the end. */
CLOTH_SEPARATE int next_leaf(mesh_walk *w) {
  int32_t level = w->level;
  while (!w->open[0]) {
    const uint32_t open = w->open[level];
    if (!open) {
      if (++level == w->g->counts[1]) {
        return 0;
      }
      continue;
    }
    const int32_t below = MESH_CHILDREN * w->node[level] + lowest_bit(open);
    w->open[level] = open & (open - 1u);
    if (w->nodes >= MESH_WALK_NODES) {
      w->overflows = 1;
      return 0;
    }
    w->level = --level;
    enter_node(w, below);
  }
  return 1;
}

/* The next triangle whose box overlaps, or -1 at the end. */
CLOTH_INLINE int32_t next_triangle(mesh_walk *w) {
  if (!w->open[0] && !next_leaf(w)) {
    return -1;
  }
  if (w->triangles >= MESH_WALK_TRIANGLES) {
    w->overflows = 1;
    return -1;
  }
  const uint32_t open = w->open[0];
  w->open[0] = open & (open - 1u);
  w->triangles++;
  return MESH_CHILDREN * w->node[0] + lowest_bit(open);
}

/// Triangles that a particle remembers ///

/* Number of remembered triangles that says there are more. The tree is then walked for each path. */
#define MESH_CACHE_FULL (MESH_CACHE + 1)
/* The ball holds the path of as many substeps as are left of the step, at most so many, ... */
#define BALL_SUBSTEPS 6
/* ... half of that path is so much of its radius [1], ... */
#define BALL_SLACK 1.1f
/* ... and the radius is larger by so much [m]. Larger balls are left less often, and hold more triangles. */
#define BALL_MIN 3.0e-4f
/* What is remembered serves until pushes have grown by so much [m]. */
#define PUSH_ROOM 2.0e-4f

static mesh_cache *mesh_caches_of(const cloth *c, int32_t slot) {
  return (mesh_cache *)at(c, c->own.mesh_caches) + (size_t)slot * (size_t)c->count;
}

/* Forgets what all particles remember, at the start of a step. */
static void forget_triangles(const cloth *c) {
  mesh_cache *caches = mesh_caches_of(c, 0);
  for (int32_t i = 0; i < c->settings.capacity.meshes * c->count; i++) {
    caches[i].squared_radius = -1.0f;
    caches[i].spent = 0;
  }
}

/* Is a point within the ball? */
static int is_in_ball(const mesh_cache *cache, cloth_vector p) {
  const cloth_vector d = vector_flush(vector_subtract(p, cache->centre), STATE_QUANTUM);
  return square_of(d) < cache->squared_radius;
}

/* Charges a walk to the step and to its particle. */
static void charge_walk(const cloth *c, const mesh_walk *w, mesh_cache *cache) {
  const uint32_t work = (uint32_t)w->nodes * COST_MESH_NODE + (uint32_t)w->triangles * COST_TRIANGLE;
  cache->spent += work;
  add_work(c, 1, work);
}

/* Walks the tree for the triangles within the margin of a ball around a path, and remembers them. */
CLOTH_SEPARATE void remember_triangles(const cloth *c, const cloth_geometry *g, const surface_search *s,
                                       mesh_cache *cache) {
  const surface_triangle *triangles = (const surface_triangle *)geometry_data(g, g->data);
  const cloth_vector way = vector_subtract(s->to, s->from);
  const step_plan *plan = &workspace_of(c)->plan;
  const int32_t left = plan->substeps - plan->index;
  const float half = 0.5f * (float)(left < BALL_SUBSTEPS ? left : BALL_SUBSTEPS);
  const float radius = BALL_SLACK * half * vector_length(way) + BALL_MIN;
  cache->margin = s->margin + PUSH_ROOM;
  const float reach = radius + cache->margin;
  const cloth_vector around = vector(reach, reach, reach);
  cache->centre = vector_flush(vector_add_scaled(s->from, way, half), STATE_QUANTUM);
  cache->squared_radius = radius * radius;
  cache->count = 0;
  mesh_walk w;
  start_walk(&w, g, vector_subtract(cache->centre, around), vector_add(cache->centre, around));
  for (int32_t n = next_triangle(&w); n >= 0 && cache->count < MESH_CACHE_FULL; n = next_triangle(&w)) {
    if (is_triangle_near(&triangles[n], cache->centre, reach)) {
      if (cache->count < MESH_CACHE) {
        cache->triangles[cache->count] = (uint32_t)n;
      }
      cache->count++;
    }
  }
  cache->count = w.overflows ? MESH_CACHE_FULL : cache->count;
  charge_walk(c, &w, cache);
}

/* Takes into account all triangles near a path. */
CLOTH_SEPARATE void walk_path(const cloth *c, const cloth_geometry *g, mesh_cache *cache, surface_search *s) {
  const surface_triangle *triangles = (const surface_triangle *)geometry_data(g, g->data);
  const cloth_vector margin = vector(s->margin, s->margin, s->margin);
  const cloth_vector low =
      vector(minimum(s->from.x, s->to.x), minimum(s->from.y, s->to.y), minimum(s->from.z, s->to.z));
  const cloth_vector high =
      vector(maximum(s->from.x, s->to.x), maximum(s->from.y, s->to.y), maximum(s->from.z, s->to.z));
  mesh_walk w;
  start_walk(&w, g, vector_subtract(low, margin), vector_add(high, margin));
  for (int32_t n = next_triangle(&w); n >= 0; n = next_triangle(&w)) {
    meet_triangle(s, &triangles[n]);
  }
  s->overflows += w.overflows;
  charge_walk(c, &w, cache);
}

/* Finds the contact of a path with a mesh. `cache` is what the particle remembers of it; only if `may_remember` is 1 it
   may come to remember more. */
static void search_mesh(const cloth *c, const cloth_geometry *g, mesh_cache *cache, int may_remember,
                        surface_search *s) {
  int is_known = s->margin <= cache->margin && is_in_ball(cache, s->from) && is_in_ball(cache, s->to);
  if ((!is_known || cache->count == MESH_CACHE_FULL) &&
      cache->spent >= mesh_walk_limit(workspace_of(c)->plan.substeps)) {
    s->overflows++;
    return;
  }
  if (!is_known && may_remember) {
    remember_triangles(c, g, s, cache);
    is_known = 1;
  }
  if (!is_known || cache->count == MESH_CACHE_FULL) {
    walk_path(c, g, cache, s);
    return;
  }
  const surface_triangle *triangles = (const surface_triangle *)geometry_data(g, g->data);
  for (int32_t n = 0; n < cache->count; n++) {
    meet_triangle(s, &triangles[cache->triangles[n]]);
  }
  add_work(c, (uint32_t)cache->count, COST_TRIANGLE);
}

#endif

/// Height fields ///

/*
 * Contact of a path with the ground under a grid of heights. The path is cut into pieces no longer than a cell, and the
 * triangles of the cells around each piece are looked at, as those of a one-sided mesh. A particle that ends below the
 * ground comes up, however deep it is.
 * In: a geometry of shape CLOTH_SHAPE_HEIGHT_FIELD, paths in its local axes. Out: contacts. Scratch: none.
 */

#if WITH_HEIGHT_FIELD

/* The corner of a cell. */
static cloth_vector field_point(const cloth_geometry *g, int32_t column, int32_t row) {
  const float *heights = (const float *)geometry_data(g, g->data);
  return vector((float)column * g->spacing[0], heights[row * g->counts[0] + column], (float)row * g->spacing[1]);
}

/* One of the two triangles of a cell: `upper` is that beyond the diagonal. Normals point up. */
static void field_triangle(const cloth_geometry *g, int32_t column, int32_t row, int upper, surface_triangle *t) {
  const cloth_vector right = field_point(g, column + 1, row), down = field_point(g, column, row + 1);
  if (upper) {
    make_triangle(t, field_point(g, column + 1, row + 1), right, down);
  } else {
    make_triangle(t, field_point(g, column, row), down, right);
  }
}

/* The cell of a coordinate over the spacing, between 0 and `cells` - 1. */
static int32_t clamped_cell(float position, int32_t cells) {
  if (!(position > 0.0f)) {
    return 0;
  }
  return position < (float)cells ? (int32_t)position : cells - 1;
}

/* The height of the highest corner of a cell [m]. */
static float highest_corner(const cloth_geometry *g, int32_t column, int32_t row) {
  const float *h = (const float *)geometry_data(g, g->data) + row * g->counts[0] + column;
  return maximum(maximum(h[0], h[1]), maximum(h[g->counts[0]], h[g->counts[0] + 1]));
}

/* A triangle of a cell as a plane: y = corner.y + slope_x x + slope_z z, from its corner of a right angle on, which the
   others are beyond in the directions `sign` of x and z. */
typedef struct field_plane {
  cloth_vector corner, normal; /* the normal is of unit length and points up */
  float slope_x, slope_z;      /* [1] */
  float sign;
} field_plane;

static void make_plane(const cloth_geometry *g, int32_t column, int32_t row, int upper, field_plane *plane) {
  const int32_t step = upper ? -1 : 1;
  column += upper;
  row += upper;
  plane->sign = (float)step;
  plane->corner = field_point(g, column, row);
  const float *h = (const float *)geometry_data(g, g->data) + row * g->counts[0] + column;
  plane->slope_x = flush_small(plane->sign * (h[step] - h[0]) * (1.0f / g->spacing[0]), WORK_QUANTUM);
  plane->slope_z = flush_small(plane->sign * (h[step * g->counts[0]] - h[0]) * (1.0f / g->spacing[1]), WORK_QUANTUM);
  const float scale = 1.0f / square_root(1.0f + plane->slope_x * plane->slope_x + plane->slope_z * plane->slope_z);
  plane->normal = vector_flush_work(vector(negate(plane->slope_x * scale), scale, negate(plane->slope_z * scale)));
}

/* A lower bound of how far a point of the plane, relative to its corner, is outside of the triangle [m]; 0 inside. */
static float outside_triangle(const cloth_geometry *g, const field_plane *plane, cloth_vector p) {
  const float x = plane->sign * p.x, z = plane->sign * p.z;
  const float beyond = x * (1.0f / g->spacing[0]) + z * (1.0f / g->spacing[1]) - 1.0f;
  const float across = 0.7071f * minimum(g->spacing[0], g->spacing[1]);
  return flush_small(maximum(maximum(negate(x), negate(z)), maximum(beyond * across, 0.0f)), STATE_QUANTUM);
}

/* Takes one triangle of a cell into account. Only where its edges count all of it is made. */
static void meet_field(const cloth_geometry *g, int32_t column, int32_t row, int upper, surface_search *s) {
  field_plane plane;
  make_plane(g, column, row, upper, &plane);
  const cloth_vector p = vector_subtract(s->to, plane.corner), start = vector_subtract(s->from, plane.corner);
  const float after = flush_small(vector_dot(plane.normal, p), STATE_QUANTUM);
  const float before = flush_small(vector_dot(plane.normal, start), STATE_QUANTUM);
  if (before < negate(s->margin) || after >= s->margin) {
    return;
  }
  if (before >= 0.0f && after < 0.0f) {
    const float share = flush_small(before / (before - after), WORK_QUANTUM);
    const cloth_vector way = vector_flush(vector_subtract(s->to, s->from), STATE_QUANTUM);
    if (outside_triangle(g, &plane, vector_add_scaled(start, way, share)) <= EDGE_TOLERANCE) {
      pass_surface(s, share, plane.normal, negate(after));
      return;
    }
  }
  if (s->share != SEARCH_NONE || after <= negate(s->margin)) {
    return;
  }
  const float outside = outside_triangle(g, &plane, vector_add_scaled(p, plane.normal, negate(after)));
  if (outside == 0.0f) {
    approach_surface(s, after, plane.normal);
  } else if (after >= 0.0f && outside * outside + after * after < s->margin * s->margin) {
    surface_triangle t;
    field_triangle(g, column, row, upper, &t);
    measure_end(s, &t, vector_subtract(s->to, t.corner), after, 1.0f);
  }
}

/* Is the ground of a cell farther from a path than the margin? A lower bound of the distance is: that of the box around
   the path from the box under the highest corner of the cell. */
static int is_cell_far(const cloth_geometry *g, int32_t column, int32_t row, const surface_search *s) {
  const float x = (float)column * g->spacing[0], z = (float)row * g->spacing[1];
  const float left = x - maximum(s->from.x, s->to.x), right = minimum(s->from.x, s->to.x) - (x + g->spacing[0]);
  const float front = z - maximum(s->from.z, s->to.z), back = minimum(s->from.z, s->to.z) - (z + g->spacing[1]);
  const float above = minimum(s->from.y, s->to.y) - highest_corner(g, column, row);
  const float dx = flush_small(maximum(maximum(left, right), 0.0f), STATE_QUANTUM);
  const float dy = flush_small(maximum(above, 0.0f), STATE_QUANTUM);
  const float dz = flush_small(maximum(maximum(front, back), 0.0f), STATE_QUANTUM);
  return dx * dx + dy * dy + dz * dz >= s->margin * s->margin && dx + dy + dz > 0.0f;
}

/* Takes into account the triangles of the cells around a piece of a path. */
static void search_field_cells(const cloth_geometry *g, surface_search *s) {
  const float margin = s->margin, across[2] = {1.0f / g->spacing[0], 1.0f / g->spacing[1]};
  const int32_t columns = g->counts[0] - 1, rows = g->counts[1] - 1;
  const int32_t left = clamped_cell((minimum(s->from.x, s->to.x) - margin) * across[0], columns);
  const int32_t right = clamped_cell((maximum(s->from.x, s->to.x) + margin) * across[0], columns);
  const int32_t first = clamped_cell((minimum(s->from.z, s->to.z) - margin) * across[1], rows);
  const int32_t last = clamped_cell((maximum(s->from.z, s->to.z) + margin) * across[1], rows);
  for (int32_t row = first; row <= last; row++) {
    for (int32_t column = left; column <= right; column++) {
      if (s->looked_at >= FIELD_UNITS) {
        s->overflows++;
        return;
      }
      s->looked_at++;
      s->tested++;
      if (!is_cell_far(g, column, row, s)) {
        s->looked_at += FIELD_NEAR_UNITS;
        s->met++;
        meet_field(g, column, row, 0, s);
        meet_field(g, column, row, 1, s);
      }
    }
  }
}

/* Brings a path that ends below the ground, and went through no triangle, up to the ground. */
static void search_below(const cloth_geometry *g, surface_search *s) {
  const float x = s->to.x * (1.0f / g->spacing[0]), z = s->to.z * (1.0f / g->spacing[1]);
  if (x < 0.0f || z < 0.0f || x > (float)(g->counts[0] - 1) || z > (float)(g->counts[1] - 1)) {
    return;
  }
  const int32_t column = clamped_cell(x, g->counts[0] - 1), row = clamped_cell(z, g->counts[1] - 1);
  if (highest_corner(g, column, row) < s->to.y) {
    return;
  }
  field_plane plane;
  make_plane(g, column, row, x - (float)column + (z - (float)row) > 1.0f, &plane);
  const float height = vector_dot(plane.normal, vector_subtract(s->to, plane.corner));
  if (height < 0.0f && s->margin - height > s->penetration) {
    s->normal = plane.normal;
    s->penetration = s->margin - height;
    s->touches = 1;
  }
}

/* How many pieces a path is cut into. */
static int32_t pieces_of_path(const cloth_geometry *g, surface_search *s) {
  const float x = absolute(s->to.x - s->from.x) * (1.0f / g->spacing[0]);
  const float z = absolute(s->to.z - s->from.z) * (1.0f / g->spacing[1]);
  const float cells = maximum(x, z);
  s->overflows += cells > (float)FIELD_PIECES;
  return cells < (float)FIELD_PIECES ? (int32_t)cells + 1 : FIELD_PIECES;
}

/* Searches along the pieces of a path, one after the other: *s holds the piece in work. */
static void search_field(const cloth *c, const cloth_geometry *g, surface_search *s) {
  const cloth_vector from = s->from, to = s->to;
  const cloth_vector way = vector_flush(vector_subtract(to, from), STATE_QUANTUM);
  const int32_t pieces = pieces_of_path(g, s), overflows = s->overflows;
  int32_t searched = 0;
  s->to = from;
  while (searched < pieces && s->share == SEARCH_NONE && s->overflows == overflows) {
    searched++;
    const cloth_vector end = vector_add_scaled(from, way, (float)searched / (float)pieces);
    s->from = s->to;
    s->to = searched == pieces ? to : vector_flush(end, STATE_QUANTUM);
    reset_search(s);
    search_field_cells(g, s);
  }
  add_work(c, (uint32_t)searched, COST_FIELD_PIECE);
  add_work(c, (uint32_t)s->tested, COST_FIELD_TEST);
  add_work(c, (uint32_t)s->met, COST_FIELD_CELL);
  if (s->touches) {
    const cloth_vector rest = vector_flush(vector_subtract(to, s->to), STATE_QUANTUM);
    s->penetration = maximum(s->penetration - vector_dot(rest, s->normal), 0.0f);
  }
  s->from = from;
  s->to = to;
  if (s->share == SEARCH_NONE) {
    search_below(g, s);
  }
}

#endif

/// Contact with concave shapes ///

/*
 * Contact with height fields, meshes and distance grids, particle by particle: each lane has other triangles or cells.
 * A place between several surfaces takes several passes: each moves the particle out of one, as colliders one after
 * the other do. A particle that the last pass still finds behind a surface goes back, in the collider's axes, to where
 * it was when the substep started; so does one whose path is near more triangles of a mesh than a walk may look at.
 * In: paths in the collider's axes. Out: contacts; statistics.overflows. Scratch: own.mesh_caches.
 */

#if WITH_CONCAVE

/* The paths of a block of particles, and the contacts found. */
typedef struct lane_paths {
  float from[3][CLOTH_LANES], to[3][CLOTH_LANES]; /* in the collider's axes [m] */
  float push[CLOTH_LANES];                        /* lengths of the pushes in `to` [m] */
  float near[CLOTH_LANES];                        /* 1 for particles that take part in the pass, else 0 */
  float again[CLOTH_LANES];                       /* 1 for those that need another pass, else 0 */
  float normal[3][CLOTH_LANES];
  float penetration[CLOTH_LANES]; /* into the margin and the length of the push [m]; 0 without contact */
} lane_paths;

static void store_lanes3(float to[3][CLOTH_LANES], lanes3 a) {
  lanes_store(to[0], a.x);
  lanes_store(to[1], a.y);
  lanes_store(to[2], a.z);
}

static lanes3 load_lanes3(float from[3][CLOTH_LANES]) {
  return lanes3_of(lanes_load(from[0]), lanes_load(from[1]), lanes_load(from[2]));
}

/* Finds the contact of one path in a pass over the collider m. */
static void search_surface(const cloth *c, const moving_body *m, const cloth_geometry *g, int32_t particle,
                           int32_t pass, surface_search *s) {
#if WITH_MESH
  if (g->shape == CLOTH_SHAPE_MESH) {
    search_mesh(c, g, mesh_caches_of(c, m->mesh) + particle, pass == 0, s);
  }
#endif
#if WITH_HEIGHT_FIELD
  if (g->shape == CLOTH_SHAPE_HEIGHT_FIELD) {
    search_field(c, g, s);
  }
#endif
#if WITH_DISTANCE_GRID
  if (g->shape == CLOTH_SHAPE_DISTANCE_GRID) {
    search_grid(c, g, s);
  }
#endif
  (void)m;
  (void)particle;
  (void)pass;
}

/* Lets a contact bring the end of the path back to its start. */
static void return_to_start(surface_search *s) {
  const cloth_vector way = vector_flush(vector_subtract(s->from, s->to), STATE_QUANTUM);
  const float length = vector_length(way);
  if (length > STATE_QUANTUM) {
    s->normal = vector_flush_work(vector_scale(way, 1.0f / length));
    s->penetration = length;
  }
}

/* Is a path so far outside of the box around a geometry that it cannot touch? */
static int is_off_box(const cloth_geometry *g, const surface_search *s) {
  const cloth_vector a = s->from, b = s->to, low = g->low, high = g->high;
  const float m = s->margin;
  return maximum(a.x, b.x) < low.x - m || minimum(a.x, b.x) > high.x + m || maximum(a.y, b.y) < low.y - m ||
         minimum(a.y, b.y) > high.y + m || maximum(a.z, b.z) < low.z - m || minimum(a.z, b.z) > high.z + m;
}

/* Finds the contacts of a block of paths with the collider m, whose geometry is g, in pass number `pass`. `i` is the
   first particle. `looked_at` is that of the searches so far. */
CLOTH_SEPARATE void search_lanes(const cloth *c, const moving_body *m, const cloth_geometry *g, int32_t i, int32_t pass,
                                 lane_paths *p, int32_t looked_at[CLOTH_LANES]) {
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    p->penetration[lane] = p->again[lane] = 0.0f;
    p->normal[0][lane] = p->normal[2][lane] = 0.0f;
    p->normal[1][lane] = 1.0f;
    if (!(p->near[lane] > 0.0f)) {
      continue;
    }
    surface_search s = start_search(vector(p->from[0][lane], p->from[1][lane], p->from[2][lane]),
                                    vector(p->to[0][lane], p->to[1][lane], p->to[2][lane]), m->margin, p->push[lane],
                                    g->shape == CLOTH_SHAPE_MESH ? g->counts[2] : 1);
    if (is_off_box(g, &s)) {
      continue;
    }
    s.looked_at = looked_at[lane];
    search_surface(c, m, g, i + lane, pass, &s);
    looked_at[lane] = s.looked_at;
    if (m->guards && s.share == SEARCH_NONE) {
      s.penetration = 0.0f;
    } else if ((s.overflows > 0 && g->shape == CLOTH_SHAPE_MESH) ||
               (pass == CONTACT_PASSES - 1 && s.share != SEARCH_NONE)) {
      return_to_start(&s);
    }
    statistics_of(c)->overflows += s.overflows;
    p->again[lane] = pass < CONTACT_PASSES - 1 && needs_another_pass(&s) ? 1.0f : 0.0f;
    p->penetration[lane] = s.penetration;
    p->normal[0][lane] = s.normal.x;
    p->normal[1][lane] = s.normal.y;
    p->normal[2][lane] = s.normal.z;
  }
}

#endif

/// Links over colliders ///

/*
 * What the links of a particle in contact, the springs to its neighbours along warp and weft, mean for the contact.
 *
 * A link that leads over an edge of a collider is a straight line through the edge. It pulls the particle with T sin a
 * into the surface and with T cos a along it, T being its tension and a the angle between surface and link. Cloth would
 * bend around the edge there, and friction would leave exp(-mu a) of the pull along the surface (Euler and Eytelwein).
 * So friction may take T cos a (1 - exp(-mu a)), as if the coefficient were mu' = cot(a) (1 - exp(-mu a)): with mu
 * itself particles beside an edge stick there, whatever pulls.
 *
 * Particles that are deep inside, as they began there or a collider was set upon them, leave a body along the normal of
 * the sheet, on the side where the sheet lies from the body's middle. Along the surface's normals they would leave on
 * both sides, and the sheet would stay torn through the body.
 *
 * A link that leads through a collider, because the cloth was torn through it, can never become short. Then the
 * particle at one of its ends is let go: this collider does not hold it until the link is short.
 *
 * In: positions at the start of the substep, the collider's pose at its end. Out: nothing. Scratch: none.
 */

/* Contact asks for the links where a particle presses with a displacement of so many spacings [1]: where it is pulled,
   but not where it has to bear only its weight and that of its neighbours. */
#define LINK_PRESSURE 0.03125f
/* In place of mu' stands mu g / (1 + LINK_CAPSTAN mu (1 - g)), where g = min(1, LINK_COSINE cos^2 a). Up to 34 degrees,
   where g is 1, links count as lying along the surface. It is below mu' for steep links, by half at 67 degrees: the
   solves along lines move a particle into the surface by more than the forces' share. */
#define LINK_COSINE 1.45f
#define LINK_CAPSTAN 2.0f
/* A link that is longer than so many times its rest length leads through a collider if its middle is deeper inside than
   its rest length. Of a particle that is inside, as it has been let go before, links need not be as long. */
#define TORN_LENGTH 2.0f
#define TORN_LENGTH_INSIDE 1.05f
/* Colliders faster than this [m/s] let no particle go: they hit the cloth at present. */
#define TORN_SPEED 3.0f

/* Of the two ends of a link through a collider the one that is behind in this direction is let go: upwards, and to one
   side where the link is level. It is not along an axis, as a link at right angles to it has no end behind. */
CLOTH_CONSTANT static const cloth_vector torn_side = {0.48f, 0.6f, 0.64f};

/* A particle in contact with a collider. Vectors are in world axes. */
typedef struct touching_particle {
  cloth_vector x, normal; /* position at the start of the substep [m], normal of the surface */
  int32_t may_let_go;     /* 1 if the collider lets particles go in this substep */
} touching_particle;

/* What contact has to know of the links of a particle. */
typedef struct link_report {
  float steepest; /* largest square of the sine of the angle between surface and link, of links into the collider */
  int32_t torn;   /* 1 if the particle is to be let go */
  cloth_vector ends[4]; /* of the links, relative to the particle [m]; 0 for those that it does not have */
} link_report;

/* What a collider does with a particle instead of holding it at its surface. */
enum { LINKS_NOTHING, LINKS_LET_GO, LINKS_LIFT_OUT };

/* 1 if the point `x` is deeper than `depth` inside the collider when the substep begins. */
static int begins_inside(const cloth *c, const cloth_collider *body, const moving_body *m, cloth_vector x,
                         float depth) {
  cloth_vector normal;
  return distance_of_point(body, geometry_of(c, body), to_local(&m->start, x), &normal) < negate(depth);
}

/* 1 if the link to a particle at `x` leads through the collider. `stretch` is its squared length over that at rest. */
static int leads_through(const cloth *c, const cloth_collider *body, const moving_body *m, const touching_particle *p,
                         cloth_vector x, float rest, float stretch) {
  if (stretch > TORN_LENGTH * TORN_LENGTH &&
      begins_inside(c, body, m, vector_scale(vector_add(p->x, x), 0.5f), maximum(rest, m->margin))) {
    return 1;
  }
  return begins_inside(c, body, m, p->x, m->margin);
}

/* Adds the link to the particle `other` to the report, as that of a direction: 0 and 1 along the warp, 2 and 3 along
   the weft. */
static void report_link(const cloth *c, const cloth_collider *body, const moving_body *m, const touching_particle *p,
                        int32_t direction, int32_t other, link_report *report) {
  const float rest = direction < 2 ? c->grid.spacing_warp : c->grid.spacing_weft;
  const cloth_vector x = vector_load(vectors_at(c, c->state.position), other);
  const cloth_vector link = vector_flush(vector_subtract(x, p->x), STATE_QUANTUM);
  report->ends[direction] = link;
  const float squared = vector_dot(link, link);
  if (!(squared > STATE_QUANTUM)) {
    return;
  }
  const float into = flush_small(maximum(negate(vector_dot(link, p->normal)), 0.0f), STATE_QUANTUM);
  const float steep = into * into / squared;
  report->steepest = maximum(report->steepest, steep);
  const float stretch = squared / (rest * rest);
  if (p->may_let_go && stretch > TORN_LENGTH_INSIDE * TORN_LENGTH_INSIDE && vector_dot(link, torn_side) > 0.0f) {
    report->torn |= leads_through(c, body, m, p, x, rest, stretch);
  }
}

/* Reports all links of particle `i`. */
static link_report report_links(const cloth *c, const cloth_collider *body, const moving_body *m,
                                const touching_particle *p, int32_t i) {
  link_report report = {.torn = 0};
  const int32_t columns = c->grid.columns, row = i / columns, column = i - row * columns;
  const int32_t wrap = is_wrapped(c) ? columns : 0;
  if (column > 0 || wrap) {
    report_link(c, body, m, p, 0, i - 1 + (column > 0 ? 0 : wrap), &report);
  }
  if (column + 1 < columns || wrap) {
    report_link(c, body, m, p, 1, i + 1 - (column + 1 < columns ? 0 : wrap), &report);
  }
  if (row > 0) {
    report_link(c, body, m, p, 2, i - columns, &report);
  }
  if (row + 1 < c->grid.rows) {
    report_link(c, body, m, p, 3, i + columns, &report);
  }
  return report;
}

/* Does a shape tell what is inside of it? Height fields bring all up by themselves. */
static int has_inside(const cloth_collider *body) {
  return !is_concave(body) || body->shape == CLOTH_SHAPE_DISTANCE_GRID;
}

/* 1 if the collider is slow enough to let particles go in the substep. */
static int may_let_go(const step_plan *plan, const moving_body *m) {
  const cloth_vector way = vector_flush_work(vector_subtract(m->end.position, m->start.position));
  const float most = TORN_SPEED * plan->h;
  return vector_dot(way, way) <= most * most;
}

/* Steps of Newton's method towards the place where a particle leaves a body. */
#define LIFT_STEPS 8
/* A sheet that lies so much of a body's size behind its middle still leaves it on the front side [1]: a sheet through
   the middle must not leave it on both, as its roundings have it. */
#define LIFT_BIAS 0.01f

/* Where a particle that begins deep inside a body leaves it: along the normal of the sheet, at the margin, in the
   body's axes. The path is followed inwards from outside of the body, where the distance of convex bodies grows ever
   faster along it, so that no step passes the surface; of distance grids it grows by no more than the way. Returns 0 if
   the sheet has no normal there. */
static int lift_out(const cloth *c, const cloth_collider *body, const moving_body *m, const touching_particle *p,
                    const link_report *report, cloth_vector *out) {
  const cloth_vector across = vector_cross(vector_subtract(report->ends[3], report->ends[2]),
                                           vector_subtract(report->ends[1], report->ends[0]));
  const float area = vector_dot(vector_flush_work(across), vector_flush_work(across));
  if (!(area > WORK_QUANTUM) || !is_finite(area)) {
    return 0;
  }
  const cloth_vector normal = vector_scale(across, 1.0f / square_root(area));
  const cloth_vector from = to_local(&m->start, p->x);
  cloth_vector along = vector_flush(rotate(rotation_conjugate(m->start.rotation), normal), STATE_QUANTUM);
  if (vector_dot(from, along) < negate(LIFT_BIAS * m->reach)) {
    along = vector_scale(along, -1.0f);
  }
  float way = 2.0f * m->reach;
  for (int32_t step = 0; step < LIFT_STEPS; step++) {
    cloth_vector outward;
    const cloth_vector at_way = vector_flush(vector_add_scaled(from, along, way), STATE_QUANTUM);
    const float distance = distance_of_point(body, geometry_of(c, body), at_way, &outward) - m->margin;
    const float slope = is_concave(body) ? 1.0f : maximum(vector_dot(vector_flush_work(outward), along), 0.1f);
    way = maximum(way - flush_small(distance, STATE_QUANTUM) / slope, 0.0f);
  }
  *out = vector_flush(vector_add_scaled(from, along, way), STATE_QUANTUM);
  return 1;
}

/* What becomes of a particle in contact: *share is g, and of a particle that is lifted out *out its place in the body's
   axes. */
static int answer_of(const cloth *c, const cloth_collider *body, const moving_body *m, const touching_particle *p,
                     int32_t i, float *share, cloth_vector *out) {
  const link_report report = report_links(c, body, m, p, i);
  const float deep = maximum(m->margin, maximum(c->grid.spacing_warp, c->grid.spacing_weft));
  *share = minimum(LINK_COSINE * maximum(1.0f - report.steepest, 0.0f), 1.0f);
  if (report.torn) {
    return LINKS_LET_GO;
  }
  const int is_deep = p->may_let_go && begins_inside(c, body, m, p->x, deep);
  return is_deep && lift_out(c, body, m, p, &report, out) ? LINKS_LIFT_OUT : LINKS_NOTHING;
}

/* The answers of a block of particles. */
typedef struct link_answers {
  int32_t asked; /* 0: all shares are 1 and all kinds LINKS_NOTHING */
  lanes share;   /* g */
  lanes kind;    /* LINKS_NOTHING ... */
  lanes3 place;  /* of those that are lifted out, in the collider's axes [m] */
} link_answers;

/* Asks for the links of a block of particles in contact, of those whose kind is 1; the others have a share of 1.
   `normal` is in the collider's axes. */
CLOTH_SEPARATE void answer_block(const cloth *c, const step_plan *plan, const cloth_collider *body,
                                 const moving_body *m, int32_t i, const lanes3 *normal, link_answers *answers) {
  float asked[CLOTH_LANES], n[3][CLOTH_LANES], place[3][CLOTH_LANES], shares[CLOTH_LANES], kinds[CLOTH_LANES];
  const lanes3 outward = m->aligned ? *normal : lanes3_rotate(m->end.rotation, *normal);
  touching_particle p = {.may_let_go = may_let_go(plan, m) && has_inside(body)};
  lanes_store(asked, answers->kind);
  lanes_store(n[0], outward.x);
  lanes_store(n[1], outward.y);
  lanes_store(n[2], outward.z);
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    cloth_vector out = {0.0f, 0.0f, 0.0f};
    shares[lane] = 1.0f;
    kinds[lane] = (float)LINKS_NOTHING;
    if (asked[lane] > 0.0f) {
      p.x = vector_load(vectors_at(c, c->state.position), i + lane);
      p.normal = vector_flush_work(vector(n[0][lane], n[1][lane], n[2][lane]));
      kinds[lane] = (float)answer_of(c, body, m, &p, i + lane, &shares[lane], &out);
    }
    place[0][lane] = out.x;
    place[1][lane] = out.y;
    place[2][lane] = out.z;
  }
  answers->asked = 1;
  answers->share = lanes_load(shares);
  answers->kind = lanes_load(kinds);
  answers->place = lanes3_of(lanes_load(place[0]), lanes_load(place[1]), lanes_load(place[2]));
}

/// The response to contact ///

/*
 * How far particles in contact with a collider are moved: out of it along its normal, and against their slip by
 * friction. What lies over edges is answered by contact_links.h; what touches a body with mass shares its displacement
 * with it.
 *
 * In: contacts of a block, positions at the start of the substep (state), velocities, bodies. Out: what the functions
 * return; the motion of a body by its contacts, in workspace.body. Scratch: none.
 */

static const cloth_collider *shape_of(const cloth *c, const moving_body *m) {
  CLOTH_ASSERT(m->index >= 0 && m->index < collider_end(c));
  return &((const collider_slot *)at(c, m->slot))->body;
}

/*
 * Contacts of a block of particles with one collider, in the collider's local axes. `touches`, as `uncertain` and
 * `under_way` of the functions below, holds floats, 1 or 0, and not a lanes_mask. They are chosen and dropped by other
 * masks, for which masks have no operations but lanes_both(), and they are summed to count contacts and work. With one
 * lane (scalar builds) a mask would also cost more: it is an integer, to which every comparison would be converted.
 */
typedef struct contact_block {
  lanes3 from, to;   /* positions when the substep starts and ends, with the push [m] */
  lanes3 push;       /* part of `to` that is not kept, see contact_push.h [m] */
  lanes3 normal;     /* of the surface, where the particle touches it */
  lanes penetration; /* depth below the margin, along the normal, of `to` less the push [m] */
  lanes touches;     /* 1 for particles that touch, else 0 */
#if WITH_CONCAVE
  int32_t looked_at[CLOTH_LANES]; /* by searches for concave surfaces in this substep */
#endif
} contact_block;

/* to_local() for a block of points. */
CLOTH_INLINE lanes3 to_local_lanes(const moving_body *m, const cloth_pose *pose, lanes3 p) {
  p = lanes3_flush_below(lanes3_subtract(p, lanes3_splat(pose->position)), STATE_QUANTUM);
  if (!m->aligned) {
    p = lanes3_flush_below(lanes3_rotate(rotation_conjugate(pose->rotation), p), STATE_QUANTUM);
  }
  return p;
}

/* What a contact does to a block of particles, in the collider's axes. */
typedef struct contact_response {
  lanes3 correction; /* displacement [m] ... */
  lanes3 change;     /* ... and the part of it that changes velocities [m] */
  lanes3 sliding;    /* displacement along the surface that friction leaves, relative to the surface [m] */
  lanes touches;     /* 1 for particles that touch, else 0 */
  lanes_mask slides;
} contact_response;

/* The displacements in the substep that count for friction and velocity, relative to the surface, in the collider's
   local axes. Of a particle that a contact has moved before in the substep it is what its velocity stands for: moving
   out of an older penetration adds no speed, and does not press against the collider opposite. */
CLOTH_INLINE lanes3 displacements_of(const cloth *c, const step_plan *plan, const moving_body *m, int32_t i,
                                     lanes3 velocity, const contact_block *b) {
  lanes3 displacement = lanes3_subtract(lanes3_subtract(b->to, b->push), b->from);
  const int has_marks = c->state.velocity_history != 0;
  const lanes_mask again =
      has_marks ? has_no_history(lanes_load(history_of(c, 1).x + i)) : lanes_less(lanes_splat(0.0f), b->touches);
  if (lanes_any(again) || c->settings.capacity.fixed_work) {
    const lanes3 x = lanes3_load(vectors_at(c, c->state.position), i);
    const lanes3 to = to_local_lanes(m, &m->end, lanes3_add_scaled(x, velocity, lanes_splat(plan->h)));
    displacement = lanes3_select(again, lanes3_subtract(to, b->from), displacement);
  }
  return displacement;
}

/* A coefficient of friction where links bend over an edge by the share g, see contact_links.h. Out of line: clang would
   join its division with that of response_to(), and divide unused lanes. */
CLOTH_SEPARATE lanes bent_friction(float friction, lanes share) {
  const lanes bent = lanes_subtract(lanes_splat(1.0f), share);
  const lanes capstan = lanes_add(lanes_splat(1.0f), lanes_multiply(lanes_splat(LINK_CAPSTAN * friction), bent));
  return lanes_divide(lanes_multiply(lanes_splat(friction), share), capstan);
}

/* The answers where links are not asked. */
CLOTH_INLINE link_answers no_links(void) {
  const lanes zero = lanes_splat(0.0f);
  const link_answers answers = {0, lanes_splat(1.0f), zero, {zero, zero, zero}};
  return answers;
}

/* What the links say of each particle that touches: asked where they press against the collider, or are inside it. */
CLOTH_INLINE link_answers ask_links(const cloth *c, const step_plan *plan, const moving_body *m, int32_t i,
                                    const contact_block *b, lanes normal_correction) {
  const cloth_collider *body = shape_of(c, m);
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  const float spacing = minimum(c->grid.spacing_warp, c->grid.spacing_weft);
  const lanes_mask presses = lanes_less(lanes_splat(LINK_PRESSURE * spacing), normal_correction);
  const lanes_mask is_deep = lanes_less(lanes_splat(2.0f * m->margin), b->penetration);
  lanes ask = lanes_select(presses, one, lanes_select(is_deep, one, zero));
  ask = lanes_keep(lanes_both(lanes_less(zero, b->touches), lanes_first(c->count - i)), ask);
  link_answers answers = no_links();
  if (body->shape != CLOTH_SHAPE_PLANE && (c->settings.capacity.fixed_work || lanes_any(lanes_less(zero, ask)))) {
    add_varying_work(c, lanes_count(ask), COST_LINKS);
    answers.kind = ask;
    answer_block(c, plan, body, m, i, &b->normal, &answers);
  }
  return answers;
}

/* Changes the response for particles that the collider lets go or lifts out. Both lose their velocity. */
CLOTH_SEPARATE void respond_to_answers(const contact_block *b, const link_answers *answers, const lanes3 *displacement,
                                       contact_response *r) {
  const lanes3 none = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  const lanes_mask asks = lanes_less(lanes_splat(0.0f), answers->kind);
  const lanes_mask lifts = lanes_less(lanes_splat((float)LINKS_LET_GO), answers->kind);
  const lanes3 way = lanes3_subtract(answers->place, lanes3_subtract(b->to, b->push));
  r->correction = lanes3_select(asks, lanes3_keep(lifts, way), r->correction);
  r->change = lanes3_select(asks, lanes3_subtract(none, *displacement), r->change);
  r->sliding = lanes3_select(asks, none, r->sliding);
}

/*
 * Coulomb's law for displacements relative to the surface in one substep. Particles are moved out by their penetration
 * p. Of the displacement the part normal to the surface is corrected by n = min(p, displacement into the surface): only
 * that changes the velocity, so that moving out of an older penetration adds no speed. Friction takes the tangential
 * displacement away if it is at most mu_static n, else mu_kinetic n of it, unless the links say otherwise. Particles
 * that do not touch have `displacement` and `penetration` 0.
 */
CLOTH_INLINE contact_response response_to(const cloth_collider *body, lanes3 displacement, lanes3 normal,
                                          lanes penetration, const link_answers *answers) {
  contact_response r;
  lanes zero = lanes_splat(0.0f);
  lanes one = lanes_splat(1.0f);
  lanes normal_displacement = lanes3_dot(displacement, normal);
  lanes static_friction = lanes_splat(body->static_friction), kinetic_friction = lanes_splat(body->kinetic_friction);
  if (answers->asked) {
    static_friction = bent_friction(body->static_friction, answers->share);
    kinetic_friction = bent_friction(body->kinetic_friction, answers->share);
  }
  lanes normal_correction = lanes_minimum(penetration, lanes_maximum(lanes_negate(normal_displacement), zero));
  lanes3 slip = lanes3_subtract(displacement, lanes3_scale(normal, normal_displacement));
  slip = lanes3_flush_below(slip, STATE_QUANTUM);
  lanes distance = lanes_square_root(lanes3_dot(slip, slip));
  r.slides = lanes_less(lanes_multiply(static_friction, normal_correction), distance);
  lanes max_friction = lanes_multiply(kinetic_friction, normal_correction);
  lanes friction_scale = lanes_divide(max_friction, lanes_maximum(distance, lanes_splat(STATE_QUANTUM)));
  friction_scale = lanes_minimum(friction_scale, one);
  lanes3 friction = lanes3_scale(slip, lanes_negate(lanes_select(r.slides, friction_scale, one)));
  r.correction = lanes3_add_scaled(friction, normal, penetration);
  r.change = lanes3_add_scaled(friction, normal, normal_correction);
  r.sliding = lanes3_add(slip, friction);
  r.touches = zero;
  return r;
}

/* response_to() for a block of particles, with what their links say. */
CLOTH_INLINE contact_response response_of(const cloth *c, const step_plan *plan, const moving_body *m, int32_t i,
                                          const contact_block *b, lanes3 displacement) {
  const lanes penetration = lanes_keep(lanes_less(lanes_splat(0.0f), b->touches), b->penetration);
  const lanes into = lanes_maximum(lanes_negate(lanes3_dot(displacement, b->normal)), lanes_splat(0.0f));
  const link_answers answers = ask_links(c, plan, m, i, b, lanes_minimum(penetration, into));
  contact_response r = response_to(shape_of(c, m), displacement, b->normal, penetration, &answers);
  if (answers.asked) {
    workspace_of(c)->frees |= lanes_any(lanes_less(lanes_splat(0.0f), answers.kind));
    respond_to_answers(b, &answers, &displacement, &r);
  }
  r.touches = b->touches;
  return r;
}

#if WITH_BODIES

/* Components of a response and of what it answers, as arrays of lanes. */
enum {
  SHARED_DISPLACEMENT,
  SHARED_NORMAL = 3,
  SHARED_POSITION = 6,
  SHARED_CORRECTION = 9,
  SHARED_CHANGE = 12,
  SHARED_SLIDING = 15,
  SHARED_PENETRATION = 18,
  SHARED_TOUCHES,
  SHARED_SLIDES,
  SHARED_ARRAYS
};

typedef struct shared_contacts {
  float values[SHARED_ARRAYS][CLOTH_LANES];
  float body_inverse_mass; /* [1/kg] */
} shared_contacts;

static vector_array shared_vectors(shared_contacts *s, int32_t first) {
  vector_array v = {s->values[first], s->values[first + 1], s->values[first + 2]};
  return v;
}

/* Contact of one particle, lane `n`, with a body that may be lighter than what lies on it: of the displacement that the
   contact asks for, relative to the surface, particle and body take shares by their masses. The next particle meets the
   body where this one has left it (Gauss-Seidel), in an order that does not depend on the lanes. */
static void share_contact(const cloth *c, const rigid_body *body, moving_body *m, float inverse_mass, int32_t n,
                          shared_contacts *s) {
  const cloth_vector arm = vector_load(shared_vectors(s, SHARED_POSITION), n);
  const cloth_vector normal = vector_load(shared_vectors(s, SHARED_NORMAL), n);
  const cloth_vector shift = vector_flush(vector_add(m->drift, vector_cross(m->rotated, arm)), STATE_QUANTUM);
  const cloth_vector displacement = vector_subtract(vector_load(shared_vectors(s, SHARED_DISPLACEMENT), n), shift);
  const float penetration = s->values[SHARED_PENETRATION][n] + flush_small(vector_dot(shift, normal), WORK_QUANTUM);
  const int touches = s->values[SHARED_TOUCHES][n] > 0.0f && penetration > 0.0f;
  s->values[SHARED_TOUCHES][n] = touches ? 1.0f : 0.0f;
  const link_answers none = no_links();
  const contact_response r =
      response_to(shape_of(c, m), lanes3_splat(touches ? displacement : vector(0.0f, 0.0f, 0.0f)), lanes3_splat(normal),
                  lanes_splat(touches ? penetration : 0.0f), &none);
  const cloth_vector change = vector_flush(lanes3_first(r.change), STATE_QUANTUM);
  const float length = vector_length(change);
  const cloth_vector along = vector_flush_work(vector_scale(change, 1.0f / maximum(length, STATE_QUANTUM)));
  const float of_body = local_inverse_mass(body, s->body_inverse_mass, arm, along);
  const float share = inverse_mass / (inverse_mass + of_body);
  const cloth_vector taken = vector_scale(change, 1.0f - share); /* by the body, along the change */
  vector_store(shared_vectors(s, SHARED_CHANGE), n, vector_scale(change, share));
  vector_store(shared_vectors(s, SHARED_CORRECTION), n, vector_subtract(lanes3_first(r.correction), taken));
  vector_store(shared_vectors(s, SHARED_SLIDING), n, lanes3_first(r.sliding));
  s->values[SHARED_SLIDES][n] = lanes_first_value(lanes_keep(r.slides, lanes_splat(1.0f)));
  const cloth_vector impulse = vector_flush_work(vector_scale(taken, 1.0f / maximum(of_body, WORK_QUANTUM)));
  m->drift = vector_flush_work(vector_add_scaled(m->drift, impulse, negate(s->body_inverse_mass)));
  m->rotated = vector_flush_work(vector_subtract(m->rotated, local_turn(body, vector_cross(arm, impulse))));
}

/* Shares the contacts of a block with a body. */
CLOTH_SEPARATE void share_contacts(const cloth *c, const step_plan *plan, int32_t i, const contact_block *b,
                                   lanes3 displacement, contact_response *r) {
  moving_body *m = &workspace_of(c)->body;
  const rigid_body *body = &bodies_of(c)[m->body];
  shared_contacts s;
  s.body_inverse_mass = inverse_mass_of(c, body);
  lanes3_store(shared_vectors(&s, SHARED_DISPLACEMENT), 0, displacement, CLOTH_LANES);
  lanes3_store(shared_vectors(&s, SHARED_NORMAL), 0, b->normal, CLOTH_LANES);
  lanes3_store(shared_vectors(&s, SHARED_POSITION), 0, lanes3_subtract(b->to, b->push), CLOTH_LANES);
  lanes3_store(shared_vectors(&s, SHARED_CORRECTION), 0, r->correction, CLOTH_LANES);
  lanes3_store(shared_vectors(&s, SHARED_CHANGE), 0, r->change, CLOTH_LANES);
  lanes3_store(shared_vectors(&s, SHARED_SLIDING), 0, r->sliding, CLOTH_LANES);
  lanes_store(s.values[SHARED_PENETRATION], b->penetration);
  lanes_store(s.values[SHARED_TOUCHES], b->touches);
  lanes_store(s.values[SHARED_SLIDES], lanes_splat(0.0f));
  for (int32_t n = 0; n < CLOTH_LANES && i + n < c->count; n++) {
    if (s.values[SHARED_TOUCHES][n] > 0.0f) {
      const float mass = reference_mass(c) * mass_ratio_at(c, i + n);
      share_contact(c, body, m, force_share(plan) / mass, n, &s);
    }
  }
  r->correction = lanes3_load(shared_vectors(&s, SHARED_CORRECTION), 0);
  r->change = lanes3_load(shared_vectors(&s, SHARED_CHANGE), 0);
  r->sliding = lanes3_load(shared_vectors(&s, SHARED_SLIDING), 0);
  r->touches = lanes_load(s.values[SHARED_TOUCHES]);
  r->slides = lanes_less(lanes_splat(0.0f), lanes_load(s.values[SHARED_SLIDES]));
}

#endif

/// Contact by projection ///

/*
 * After the lengths of the springs are restored, particles that touch a collider are moved out of it along its normal,
 * with Coulomb friction on displacements. Contact is continuous: a particle that passes a collider's surface within
 * the substep is found by tracing its path, however thin the collider is.
 *
 * In: positions at the start of the substep (state), predicted positions, mobilities, colliders and the plan. Out:
 * predicted positions, velocities, the velocity history of particles in contact, reactions, statistics. Scratch:
 * workspace.body holds the collider being worked on; predicted positions are scratch.product.
 */

/* Factor of the radii of a collider's sphere and capsule. With 1 rounding could put a particle at the margin outside of
   them, and its contact would be missed. */
#define REACH_SLACK 1.0001f
/* Squared length of an axis [m^2] below which it is not used, as its inverse would be too large. find_shape_fault()
   admits colliders with axes of 2 mm and more. */
#define AXIS_MIN_SQUARED 1.0e-6f

/* Added to the squared sine of half the angle between two rotations, which roundings of the rotations may put too low
   by some 1e-7. */
#define TURN_SLACK 1.0e-6f
/* Longest chord of a turn with which the capsule is used. set_reach() needs 1 or less; beyond a half the capsule leaves
   out little that the sphere holds. */
#define MAX_TURN_CHORD 0.5f

/* Farthest that a point at a distance of 1 from a collider's position moves as the collider rotates in a substep, or a
   little more: 2 sin(angle / 2). */
static float turn_chord(const moving_body *m) {
  const cloth_rotation a = m->start.rotation, b = m->end.rotation;
  float cosine = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  return 2.0f * square_root(maximum(1.0f - cosine * cosine, 0.0f) + TURN_SLACK);
}

/*
 * Sets the sphere and, for a long collider, the capsule that hold the collider and the margin.
 *
 * The capsule lies where the collider is at the end of the substep. If the collider rotates, let s be the chord of its
 * turn, r the reach of the sphere, and w the displacement of a particle, seen from the collider's position. Contact
 * follows the particle in the collider's axes. Its displacement w' there differs from w by the turn of the place where
 * it starts. If it touches after a share t of w', that place is at most r + t |w'| away, so |w'| is at most |w| + s (r
 * + t |w'|). From where it touches to its end it moves by (1 - t) |w'|, which is at most |w| + s r if s is 1 or less.
 * So a radius larger by s r holds all that can touch.
 */
static void set_reach(const cloth_collider *body, const cloth_geometry *g, moving_body *m) {
  m->reach = (body_reach(body, g) + m->margin) * REACH_SLACK;
  m->inverse_squared = 0.0f;
  if (body->shape == CLOTH_SHAPE_PLANE || body->shape == CLOTH_SHAPE_SPHERE || is_concave(body)) {
    return;
  }
  m->axis_reach = (capsule_around(body, g, m->end.rotation, &m->from, &m->along) + m->margin) * REACH_SLACK;
  if (m->turns) {
    float chord = turn_chord(m);
    m->axis_reach += chord * m->reach;
    if (chord > MAX_TURN_CHORD) {
      return;
    }
  }
  float squared = vector_dot(m->along, m->along);
  m->inverse_squared = squared > AXIS_MIN_SQUARED ? 1.0f / squared : 0.0f;
}

/* Share of the thickness that projection keeps where the solver holds contacts. The solver takes back nine tenths of a
   penetration per substep, so that the contacts it holds stay a little below the whole thickness; projection only
   catches particles that the solver missed. With 1 projection moves out what the solver holds, and its friction stops
   sheets that have to slide (row A12 of `make accuracy` then fails). */
#define SOLVER_CONTACT_MARGIN 0.5f

/* Does the solver hold particles on a collider? Not on concave shapes and shared bodies, which projection keeps the
   whole thickness from. */
static int is_held_by_solver(const cloth *c, int32_t index) {
  return has_solver_contacts(c) && index < c->settings.capacity.max_colliders && !is_concave(&slot_at(c, index)->body);
}

/* Smallest margin of a mesh [m]: with less, rounding would tell on which side of a triangle a particle is. */
#define MESH_MIN_MARGIN 5.0e-4f

/* How many colliders below an index are meshes. */
static int32_t count_meshes(const cloth *c, int32_t end) {
  int32_t meshes = 0;
  for (int32_t index = 0; index < end; index++) {
    meshes += is_collider(c, index) && slot_at(c, index)->body.shape == CLOTH_SHAPE_MESH;
  }
  return meshes;
}

/* The motion of a collider in a substep. The result stays valid, in the workspace, until the next call for another
   collider or substep. */
CLOTH_SEPARATE const moving_body *body_in_substep(const cloth *c, const step_plan *plan, int32_t index,
                                                  int32_t substep) {
  const collider_slot *slot = slot_at(c, index);
  moving_body *m = &workspace_of(c)->body;
  if (m->index == index && m->substep == substep) {
    return m;
  }
  m->body = body_number(c, index);
  m->drift = m->rotated = vector(0.0f, 0.0f, 0.0f);
  m->start = collider_pose(c, plan, index, substep);
  m->end = collider_pose(c, plan, index, substep + 1);
  cloth_rotation before = m->start.rotation;
  cloth_rotation after = m->end.rotation;
  m->turns = before.x != after.x || before.y != after.y || before.z != after.z || before.w != after.w;
  m->aligned = slot->body.shape == CLOTH_SHAPE_SPHERE && !m->turns && m->body < 0;
  m->margin = c->settings.contact.thickness * (is_held_by_solver(c, index) ? SOLVER_CONTACT_MARGIN : 1.0f);
  m->margin = slot->body.shape == CLOTH_SHAPE_MESH ? maximum(m->margin, MESH_MIN_MARGIN) : m->margin;
  m->mesh = slot->body.shape == CLOTH_SHAPE_MESH ? count_meshes(c, index) : 0;
  set_reach(&slot->body, geometry_of(c, &slot->body), m);
  m->slot = (uint32_t)((const char *)(const void *)slot - (const char *)(const void *)c);
  m->pivot = place_in_step(c, slot->body.pose.position);
  m->index = index;
  m->substep = substep;
  return m;
}

/* distance_to_body(), with the code for spheres, the most common colliders, in place. */
CLOTH_INLINE lanes distance_of_block(const cloth_collider *body, const cloth_geometry *g, lanes3 p, lanes3 *normal) {
  if (UNIFORM_KERNELS && body->shape == CLOTH_SHAPE_SPHERE) {
    return distance_to_sphere(p, lanes_splat(body->radius), normal);
  }
  return distance_to_body(body, g, p, normal);
}

/*
 * Cull test. In a frame that moves with the collider without rotating, a particle that ends at b after a displacement w
 * comes no nearer to the collider's position, or to its axis, than |b| - |w|. It can touch only if that is less than
 * the reach r, so if |b|^2 < (r + |w|)^2. For any e > 0, (r + w)^2 <= (1 + e) r^2 + (1 + 1/e) w^2, which needs no
 * square root. With e = 1/16 slow particles, for which w is small, are tested closely.
 */
#define CULL_REACH_FACTOR 1.0625f
#define CULL_DISPLACEMENT_FACTOR 17.0f

/* Loop invariants of the cull test, copied to a local: a lane store may alias the cloth, so the compiler would
   otherwise reload them every iteration. */
typedef struct path_test {
  vector_array from, to;   /* positions of the particles when the substep starts and ends */
  cloth_vector start, end; /* positions of the collider */
  float squared_reach;     /* (1 + e) r^2 */
} path_test;

/* Above every mobility. */
#define NOTHING_MOVES 1.0e30f

static path_test path_test_of(const cloth *c, const moving_body *m, float reach) {
  path_test t = {vectors_at(c, c->state.position), predicted_of(c), m->start.position, m->end.position,
                 CULL_REACH_FACTOR * reach * reach};
  return t;
}

/* Displacements of particles in a substep, in the frame of the cull test; *to are the positions there at the end. */
CLOTH_INLINE lanes3 relative_displacement(const path_test *t, int32_t i, lanes3 *to) {
  lanes3 a = lanes3_subtract(lanes3_load(t->from, i), lanes3_splat(t->start));
  *to = lanes3_subtract(lanes3_load(t->to, i), lanes3_splat(t->end));
  return lanes3_flush(lanes3_subtract(*to, a));
}

/* The cull test for particles that end at b, relative to the nearest point of the collider's position or axis. */
CLOTH_INLINE lanes_mask is_path_near(const path_test *t, lanes3 b, lanes3 displacement) {
  lanes bound = lanes_multiply(lanes_splat(CULL_DISPLACEMENT_FACTOR), lanes3_dot(displacement, displacement));
  return lanes_less(lanes3_dot(b, b), lanes_add(bound, lanes_splat(t->squared_reach)));
}

/*
 * The cull test for all particles of a block of bounds at once: may one of them pass near_body()? With d the
 * displacement of a particle and e that of the collider, |w|^2 is at most 2 (|d|^2 + |e|^2). The factors are a little
 * larger than 34 and 1 + e, so that the test passes whatever near_body() passes, with all roundings: particles are
 * tested or not, but the result is the same.
 */
#define BLOCK_DISPLACEMENT_FACTOR 35.0f
#define BLOCK_REACH_FACTOR 1.0001f

CLOTH_INLINE lanes_mask are_blocks_near(const cloth *c, int32_t block, const path_test *t, float squared_shift) {
  lanes moved = lanes_subtract(lanes_splat(squared_shift), lanes_load(bounds_of(c, BOUND_DISPLACEMENT) + block));
  lanes bound = lanes_multiply(lanes_splat(BLOCK_DISPLACEMENT_FACTOR), moved);
  bound = lanes_add(bound, lanes_splat(BLOCK_REACH_FACTOR * t->squared_reach));
  return lanes_less(squared_distance_to_blocks(c, block, t->end), bound);
}

/* Which particles of a block pass the cull test with the sphere around a collider. */
CLOTH_INLINE lanes_mask near_body(const path_test *t, int32_t i) {
  lanes3 b;
  lanes3 displacement = relative_displacement(t, i, &b);
  return is_path_near(t, b, displacement);
}

/* Removes from *near the particles that fail the cull test with the capsule around a long
   collider. Returns 1 if any are left. */
CLOTH_SEPARATE int cull_by_capsule(const cloth *c, const moving_body *m, int32_t i, lanes_mask *near) {
  const path_test t = path_test_of(c, m, m->axis_reach);
  lanes3 b;
  lanes3 displacement = relative_displacement(&t, i, &b);
  lanes3 along = lanes3_splat(m->along);
  b = lanes3_flush_below(lanes3_subtract(b, lanes3_splat(m->from)), STATE_QUANTUM);
  lanes share = lanes_flush(lanes_multiply(lanes3_dot(b, along), lanes_splat(m->inverse_squared)));
  b = lanes3_flush(lanes3_subtract(b, lanes3_scale(along, clamped_to_one(share))));
  *near = lanes_both(*near, is_path_near(&t, b, displacement));
  return lanes_any(*near);
}

/* Above every distance: after the last step of a trace every path that is left counts as a hit. */
#define TRACE_ANY_CLEARANCE 1.0e30f

/*
 * Traces the paths of the lanes where `under_way` is 1, straight from b->from to b->to: where does a path that starts
 * outside first come within the margin? There it touches, with the normal at that point, and its penetration is the
 * depth of its end below the tangent plane there. All shapes are convex, so the distance is a convex function of the
 * share t of the path, and Newton's steps never pass the first root. A path that moves away from the surface or ends
 * before the root is clear. `normal_before` and `distance` are those of the start, the distance above the margin.
 */
CLOTH_SEPARATE void trace_block(const cloth *c, const cloth_collider *body, float margin, contact_block *b,
                                const lanes3 *normal_before, lanes distance, lanes under_way) {
  const cloth_geometry *g = geometry_of(c, body);
  lanes zero = lanes_splat(0.0f);
  lanes one = lanes_splat(1.0f);
  lanes3 displacement = lanes3_subtract(b->to, b->from);
  lanes3 normal = *normal_before;
  lanes t = zero;
  add_varying_work(c, lanes_count(under_way), trace_cost(body));
  b->touches = lanes_drop(lanes_less(zero, under_way), b->touches);
  for (int32_t step = 0;
       step < TRACE_STEPS && (c->settings.capacity.fixed_work || lanes_any(lanes_less(zero, under_way))); step++) {
    lanes closing = lanes_flush(lanes_negate(lanes3_dot(displacement, normal)));
    t = lanes_add(t, lanes_divide(distance, lanes_maximum(closing, lanes_splat(WORK_QUANTUM))));
    t = lanes_minimum(t, one);
    under_way = lanes_keep(lanes_both(lanes_less(zero, closing), lanes_less(t, one)), under_way);
    distance = distance_to_body(body, g, lanes3_add_scaled(b->from, displacement, t), &normal);
    distance = lanes_subtract(distance, lanes_splat(margin));
    float clearance = step == TRACE_STEPS - 1 ? TRACE_ANY_CLEARANCE : TRACE_CLEARANCE;
    lanes_mask hits = lanes_both(lanes_less(distance, lanes_splat(clearance)), lanes_less(zero, under_way));
    lanes depth = lanes_negate(lanes_multiply(lanes3_dot(displacement, normal), lanes_subtract(one, t)));
    b->normal = lanes3_select(hits, normal, b->normal);
    b->penetration = lanes_select(hits, depth, b->penetration);
    b->touches = lanes_select(lanes_both(hits, lanes_less(zero, depth)), one, b->touches);
    under_way = lanes_drop(hits, under_way);
  }
}

/* Sets where the paths of a block of particles begin and end. */
CLOTH_INLINE void load_paths(const cloth *c, const moving_body *m, int32_t i, contact_block *b) {
  b->from = to_local_lanes(m, &m->start, lanes3_load(vectors_at(c, c->state.position), i));
  b->push = pushes_of_block(c, i);
  b->to = to_local_lanes(m, &m->end, lanes3_add(lanes3_load(predicted_of(c), i), b->push));
  if (!m->aligned) {
    b->push = lanes3_rotate(rotation_conjugate(m->end.rotation), b->push);
  }
}

#if WITH_CONCAVE

/* find_contacts() for concave shapes and the particles *near, which become those that need another pass, see
   concave_contact.h. */
CLOTH_SEPARATE void find_concave_contacts(const cloth *c, const moving_body *m, int32_t i, lanes_mask *near,
                                          int32_t pass, contact_block *b) {
  lane_paths paths;
  load_paths(c, m, i, b);
  store_lanes3(paths.from, b->from);
  store_lanes3(paths.to, b->to);
  lanes_store(paths.push, lanes3_length(b->push));
  lanes_store(paths.near, lanes_keep(*near, lanes_splat(1.0f)));
  search_lanes(c, m, geometry_of(c, shape_of(c, m)), i, pass, &paths, b->looked_at);
  const lanes zero = lanes_splat(0.0f), penetration = lanes_load(paths.penetration);
  b->normal = load_lanes3(paths.normal);
  const lanes outward = lanes_subtract(lanes3_dot(b->push, b->normal), lanes_load(paths.push));
  b->penetration = lanes_add(penetration, outward);
  const lanes_mask touches = lanes_both(lanes_less(zero, penetration), lanes_less(zero, b->penetration));
  b->touches = lanes_keep(touches, lanes_splat(1.0f));
  *near = lanes_both(touches, lanes_less(zero, lanes_load(paths.again)));
}

#endif

/*
 * Finds which of the particles `near` touch the collider in this substep, with the contact's normal and penetration.
 * `before` and `after` are the distances above the margin when the substep starts and ends.
 *
 * A particle that ends inside the margin touches; if the normals at start and end point to opposite sides it has passed
 * through a thin or sharp collider, and is traced. A particle that starts and ends outside is traced if its
 * displacement is longer than both distances together; a shorter one cannot touch, as the distance changes by no more
 * than the displacement. A particle at rest lies at the margin but for rounding, on either side of it; so every
 * particle outside the bare surface counts as starting outside.
 *
 * A path that starts at the margin, as that of every particle that slides does, touches there or not at all. That is
 * the first step of a trace, which is done here.
 */
CLOTH_INLINE void find_contacts(const cloth *c, const moving_body *m, int32_t i, lanes_mask near, contact_block *b) {
  const cloth_collider *body = shape_of(c, m);
  lanes zero = lanes_splat(0.0f);
  lanes one = lanes_splat(1.0f);
  lanes margin = lanes_splat(m->margin);
  const cloth_geometry *g = geometry_of(c, body);
  lanes3 normal_before;
  load_paths(c, m, i, b);
  lanes before = lanes_subtract(distance_of_block(body, g, b->from, &normal_before), margin);
  lanes after = lanes_subtract(distance_of_block(body, g, b->to, &b->normal), margin);
  after = lanes_subtract(after, lanes3_dot(b->push, b->normal));
  lanes3 displacement = lanes3_subtract(b->to, b->from);
  lanes length = lanes3_length(displacement);
  lanes_mask inside = lanes_less(after, zero);
  lanes_mask starts_inside = lanes_less(before, lanes_splat(negate(maximum(m->margin, TRACE_CONTACT))));
  lanes_mask same_side = lanes_less(zero, lanes3_dot(normal_before, b->normal));
  lanes_mask too_long = lanes_less(lanes_add(lanes_maximum(before, zero), after), length);
  /* 1 where only the path tells whether the particle touches, else 0. */
  lanes uncertain = lanes_select(inside, lanes_select(same_side, zero, one), lanes_select(too_long, one, zero));
  uncertain = lanes_keep(near, lanes_select(starts_inside, zero, uncertain));
  b->penetration = lanes_negate(after);
  b->touches = lanes_keep(near, lanes_select(inside, one, zero));
  lanes_mask at_margin = lanes_both(lanes_less(zero, uncertain), lanes_less(before, lanes_splat(TRACE_CLEARANCE)));
  lanes depth = lanes3_dot(lanes3_subtract(b->push, displacement), normal_before);
  b->normal = lanes3_select(at_margin, normal_before, b->normal);
  b->penetration = lanes_select(at_margin, depth, b->penetration);
  b->touches = lanes_select(at_margin, lanes_select(lanes_less(zero, depth), one, zero), b->touches);
  uncertain = lanes_drop(at_margin, uncertain);
  if (lanes_any(lanes_less(zero, uncertain)) || c->settings.capacity.fixed_work) {
    trace_block(c, body, m->margin, b, &normal_before, before, uncertain);
  }
}

/* Sums over the particles near a collider. */
typedef struct reaction_sums {
  lanes_sum impulse[3]; /* that the particles receive [N s] */
  lanes_sum torque[3];  /* of these impulses about the collider's position at the end of the step [N m s] */
  lanes_sum touching;   /* how many touch */
  lanes_sum particles;  /* how many of these touch no collider before in the order of slots */
  lanes_sum sticking;   /* how many touch and do not slide, and do not stick to a collider before */
  lanes_sum near;       /* how many passed the cull tests, touching or not */
  float *marks;         /* of contacts, see contact_marks_of(); NULL: every contact is of another particle */
} reaction_sums;

/* Sums that nothing has been added to. */
static reaction_sums empty_sums(float *marks) {
  const reaction_sums sums = {.marks = marks};
  return sums;
}

/* Adds the impulses on a block of particles at `position`; they are 0 for lanes that do not touch. The arms of these
   are set to 0, too: lanes past the last particle hold undefined positions. */
static void sum_reactions(const moving_body *m, int32_t i, lanes_mask touches, lanes3 position, lanes3 impulse,
                          reaction_sums *sums) {
  lanes3 arm = lanes3_flush(lanes3_subtract(position, lanes3_splat(m->pivot)));
  arm = lanes3_keep(touches, arm);
  impulse = lanes3_flush_below(impulse, INPUT_QUANTUM);
  lanes3 torque = lanes3_cross(arm, impulse);
  lanes3_sum_add(sums->impulse, i, impulse);
  lanes3_sum_add(sums->torque, i, torque);
}

/*
 * A particle may touch several colliders, and statistics count particles: in the last substep, whose counts remain,
 * marks tell what a particle has touched already. They lie in scratch.residual, behind the room of the bounds.
 */
#define MARK_TOUCHES 1.0f
#define MARK_STICKS 2.0f

static float *contact_marks_of(const cloth *c) {
  return floats_at(c, c->scratch.residual) + 2 * c->stride;
}

/* Clears the marks, or marks the particles that the solver holds, which are counted. Returns the marks; NULL if no
   particle can be counted twice. */
static float *start_contact_marks(const cloth *c) {
  float *marks = contact_marks_of(c);
  if (collider_end(c) < 2 && !has_solver_contacts(c) && !is_concave(&colliders_of(c)->body)) {
    return NULL;
  }
  for (int32_t i = 0; i < c->count; i++) {
    const uint32_t kind = has_solver_contacts(c) ? CONTACT_KIND(contact_info_of(c)[i]) : CONTACT_NONE;
    marks[i] = kind == CONTACT_STICK ? MARK_STICKS : kind == CONTACT_SLIDE ? MARK_TOUCHES : 0.0f;
  }
  return marks;
}

/* Counts the particles of a block that touch, 1 in `touches`, of which some slide. */
CLOTH_INLINE void count_contacts(reaction_sums *sums, int32_t i, int32_t left, lanes touches, lanes_mask slides) {
  const lanes sticks = lanes_drop(slides, touches);
  lanes_sum_add(&sums->touching, i, touches);
  if (!sums->marks) {
    lanes_sum_add(&sums->particles, i, touches);
    lanes_sum_add(&sums->sticking, i, sticks);
    return;
  }
  const lanes mark = lanes_load(sums->marks + i);
  lanes_sum_add(&sums->particles, i, lanes_drop(lanes_less(lanes_splat(0.0f), mark), touches));
  lanes_sum_add(&sums->sticking, i, lanes_drop(lanes_less(lanes_splat(MARK_TOUCHES), mark), sticks));
  lanes_store_first(sums->marks + i, lanes_maximum(mark, lanes_add(touches, sticks)), left);
}

/* Moves the particles of a block that touch a collider, changes their velocities, and adds up what the collider
   receives. */
CLOTH_INLINE void respond_to_contacts(const cloth *c, const step_plan *plan, const moving_body *m, int32_t i,
                                      const contact_block *b, reaction_sums *sums) {
  vector_array x = predicted_of(c);
  lanes_mask touches = lanes_less(lanes_splat(0.0f), b->touches);
  /* Zero for lanes without contact and for lanes past the last particle, whose contents are undefined. */
  const lanes3 velocity = lanes3_load(vectors_at(c, c->state.velocity), i);
  const lanes3 displacement = lanes3_keep(touches, displacements_of(c, plan, m, i, velocity, b));
  contact_response r = response_of(c, plan, m, i, b, displacement);
#if WITH_BODIES
  if (m->body >= 0) {
    share_contacts(c, plan, i, b, displacement, &r);
    touches = lanes_less(lanes_splat(0.0f), r.touches);
  }
#endif
  contact_change done = {.displacement = lanes3_keep(touches, r.change),
                         .normal = lanes3_keep(touches, b->normal),
                         .sliding = lanes3_keep(touches, r.sliding),
                         .touches = touches,
                         .slides = r.slides};
  lanes3 correction = lanes3_keep(touches, r.correction);
  if (!m->aligned) {
    correction = lanes3_rotate(m->end.rotation, correction);
    done.displacement = lanes3_rotate(m->end.rotation, done.displacement);
    done.normal = lanes3_rotate(m->end.rotation, done.normal);
    done.sliding = lanes3_rotate(m->end.rotation, done.sliding);
  }
  const lanes3 position = lanes3_add(lanes3_load(x, i), correction);
  lanes3_store(x, i, position, c->count - i);
  const lanes3 received = change_velocities(c, plan, i, &done);
  keep_pushes(c, plan, touches, done.displacement, i);
#if WITH_CONTACT_LINES
  if (solves_contact_lines(c, plan)) {
    note_tearing(c, done.displacement);
    keep_contacts(c, m->index, touches, done.normal, r.slides, i);
  }
#endif
  const lanes mass = lanes_multiply(lanes_splat(reference_mass(c)), mass_ratio_lanes(c, i));
  const lanes3 impulse = lanes3_scale(received, mass);
  sum_reactions(m, i, touches, position, impulse, sums);
  count_contacts(sums, i, c->count - i, r.touches, r.slides);
#if WITH_CONTACT_RECORD
  if (has_contact_record(c)) {
    const lanes3 made[3] = {position, done.normal, impulse};
    record_contacts(c, m, i, r.touches, made);
  }
#endif
}

/* Subtracts from a collider's reaction an impulse that the cloth received from it, and that impulse's torque. */
static void react(const cloth *c, const moving_body *m, cloth_vector impulse, cloth_vector torque) {
  const cloth_vector none = {0.0f, 0.0f, 0.0f};
  receive_impulse(c, m->index, vector_subtract(none, impulse), vector_subtract(none, torque));
}

/* Adds the sums over all particles to a collider's reaction, the statistics and the work. */
static void store_reactions(const cloth *c, const moving_body *m, const reaction_sums *sums, cloth_statistics *counts) {
  react(c, m, lanes3_sum_total(sums->impulse), lanes3_sum_total(sums->torque));
  counts->contacts += (int32_t)lanes_sum_total(&sums->particles);
  counts->contacts_sticking += (int32_t)lanes_sum_total(&sums->sticking);
  add_varying_work(c, (uint32_t)lanes_sum_total(&sums->near), near_cost(shape_of(c, m)));
  add_varying_work(c, (uint32_t)lanes_sum_total(&sums->touching), m->body >= 0 ? COST_SHARED : 0);
  add_varying_work(c, (uint32_t)lanes_sum_total(&sums->touching), COST_RESPOND + record_cost(c));
}

/* Contacts of the particles *near of a block with a collider. Returns 1 if it touches some. Concave shapes take several
   passes where surfaces meet. */
CLOTH_HOT CLOTH_SEPARATE int collide_block(const cloth *c, const step_plan *plan, const moving_body *m, int32_t i,
                                           const lanes_mask *near, reaction_sums *sums) {
  contact_block b;
  lanes_sum_add(&sums->near, i, lanes_keep(*near, lanes_splat(1.0f)));
#if WITH_CONCAVE
  const int concave = is_concave(shape_of(c, m));
  lanes_mask left = *near;
  fill_zero(b.looked_at, sizeof b.looked_at);
  for (int32_t pass = m->guards ? CONTACT_PASSES - 1 : 0;; pass++) {
    if (concave) {
      find_concave_contacts(c, m, i, &left, pass, &b);
    } else {
      find_contacts(c, m, i, *near, &b);
    }
    if (!lanes_any(lanes_less(lanes_splat(0.0f), b.touches)) && !c->settings.capacity.fixed_work) {
      return pass > (m->guards ? CONTACT_PASSES - 1 : 0);
    }
    respond_to_contacts(c, plan, m, i, &b, sums);
    if (!concave || !lanes_any(left)) {
      return 1;
    }
    add_varying_work(c, lanes_count(b.touches), COST_CONCAVE);
  }
#else
  find_contacts(c, m, i, *near, &b);
  if (lanes_any(lanes_less(lanes_splat(0.0f), b.touches)) || c->settings.capacity.fixed_work) {
    respond_to_contacts(c, plan, m, i, &b, sums);
    return 1;
  }
  return 0;
#endif
}

/* Contacts of the particles from `first` to `end` - 1 that can move with a collider. Lanes in which no particle passes
   the cull tests are skipped, which are most; in fixed-work mode none are. Returns 1 if the collider touches some. */
CLOTH_INLINE int collide_run(const cloth *c, const step_plan *plan, const moving_body *m, const path_test *test,
                             int32_t first, int32_t end, reaction_sums *sums) {
  const float *mobility = floats_at(c, c->scratch.mobility);
  const int32_t fixed_work = c->settings.capacity.fixed_work;
  const int has_axis = m->inverse_squared > 0.0f;
  const lanes least = lanes_splat(workspace_of(c)->skips_contact ? NOTHING_MOVES : 0.0f);
  int touched = 0;
  for (int32_t i = first; i < end; i += CLOTH_LANES) {
    lanes_mask near = lanes_both(near_body(test, i), lanes_less(least, lanes_load(mobility + i)));
    if (end - i < CLOTH_LANES) {
      near = lanes_both(near, lanes_first(end - i));
    }
    if (!lanes_any(near) && !fixed_work) {
      continue;
    }
    if (!has_axis || cull_by_capsule(c, m, i, &near) || fixed_work) {
      touched |= collide_block(c, plan, m, i, &near, sums);
    }
  }
  return touched;
}

/* Contacts of all particles with a collider, without bounds. */
CLOTH_HOT CLOTH_SEPARATE void collide_body(const cloth *c, const step_plan *plan, const moving_body *m,
                                           reaction_sums *sums) {
  const path_test test = path_test_of(c, m, m->reach);
  collide_run(c, plan, m, &test, 0, c->count, sums);
  add_varying_work(c, (uint32_t)c->count, COST_NEAR);
}

/* The same with bounds, those of the blocks that a collider touches dropped. */
CLOTH_HOT CLOTH_SEPARATE void collide_blocks(const cloth *c, const step_plan *plan, const moving_body *m,
                                             reaction_sums *sums) {
  const path_test test = path_test_of(c, m, m->reach);
  const int32_t blocks = bound_blocks(c);
  cloth_vector shift = vector_flush_work(vector_subtract(m->end.position, m->start.position));
  float squared_shift = vector_dot(shift, shift);
  uint32_t tested = 0;
  for (int32_t start = 0; start < blocks; start += CLOTH_LANES) {
    float near[CLOTH_LANES];
    lanes_mask mask = are_blocks_near(c, start, &test, squared_shift);
    if (!lanes_any(mask)) {
      continue;
    }
    lanes_store(near, lanes_keep(mask, lanes_splat(1.0f)));
    for (int32_t block = start; block < start + CLOTH_LANES && block < blocks; block++) {
      int32_t first = block * BOUND_BLOCK;
      int32_t end = c->count - first < BOUND_BLOCK ? c->count : first + BOUND_BLOCK;
      if (near[block - start] > 0.0f) {
        tested += (uint32_t)(end - first);
        if (collide_run(c, plan, m, &test, first, end, sums)) {
          drop_bounds(c, block);
        }
      }
    }
  }
  add_varying_work(c, tested, COST_NEAR);
}

/* Contacts of all particles with a collider. */
static void collide_with(const cloth *c, const step_plan *plan, const moving_body *m, int bounded, float *marks,
                         cloth_statistics *counts) {
  reaction_sums sums = empty_sums(marks);
  if (bounded) {
    collide_blocks(c, plan, m, &sums);
  } else {
    collide_body(c, plan, m, &sums);
  }
  store_reactions(c, m, &sums, counts);
}

/*
 * Moves every particle out of every collider: first of all but meshes, then of meshes, each in the order of the
 * colliders. A particle that is inside of another shape is found there in the next substep as well; of one behind a
 * mesh nothing tells that it does not belong there. So meshes come last, and where there are several, a further round
 * brings particles back that one of them has moved through another.
 */
CLOTH_SEPARATE void project_contacts(const cloth *c, const step_plan *plan, int32_t substep, cloth_statistics *counts) {
  const int32_t end = collider_end(c), bounded = uses_bounds(c, count_bodies(c));
  float *marks = substep == plan->substeps - 1 ? start_contact_marks(c) : NULL;
  const int32_t meshes = WITH_MESH ? count_meshes(c, end) : 0, rounds = meshes < 2 ? 1 + meshes : 3;
  if (bounded) {
    find_bounds(c);
  }
  for (int32_t round = 0; round < rounds; round++) {
    for (int32_t index = 0; index < end; index++) {
      if (is_collider(c, index) && (slot_at(c, index)->body.shape == CLOTH_SHAPE_MESH) == (round > 0)) {
        const moving_body *m = body_in_substep(c, plan, index, substep);
        workspace_of(c)->body.guards = round == 2;
        collide_with(c, plan, m, bounded, marks, counts);
      }
    }
  }
}

/// Lines over contacts ///

/*
 * The solves along lines do not know what holds a particle. One on a rim, with the mass of a cell, bears the cloth that
 * hangs beside it: the solve lets it fall into the body together with that cloth, contact moves it out again, and the
 * spring beside it stays stretched, by about n g h^2 for n particles that hang. So after contact the lines in which a
 * spring beside a contact is longer than the fabric can explain are solved once more, with contacts held: a particle
 * that sticks has no mobility, one that slides moves along the surface only, unless the line pulls it off. With the
 * normal n of a particle that slides its mobility w becomes the matrix w (1 - n n^T); the system of the tensions stays
 * tridiagonal,
 *
 *     (q_i (w_i + w_{i+1} + e_i) - w_i (n_i . d_i)^2 - w_{i+1} (n_{i+1} . d_i)^2) s_i - ... = (|d_i| - l_i)+ |d_i|
 *     coupling of spring i to the one before: w_i (d_i . d_{i-1} - (n_i . d_i) (n_i . d_{i-1})),
 *
 * and the displacements are projected to the surface where they are eliminated. Only the excess over a length l_i is
 * taken back, which grows with the strain of the cloth by its own weight and with the compliance e: where compliances
 * are not small, springs bear what hangs. What the lines pull at held particles is the reaction of their bodies. Then
 * contact is resolved again, and has the last word.
 *
 * The springs that close rings are left out. In: predicted positions, mobilities, contacts, which are kept in the
 * velocity history of their particles until the step ends (keep_contacts()). Out: predicted positions, velocities,
 * reactions. Scratch: contact_pull; residual, line_work; behind uniform_lines a byte for each row and column.
 */

#if WITH_CONTACT_LINES

/* What is added to it: strains of the cloth by its own weight, see tether_scale(), and compliances, so often. */
#define HELD_SLACK 2.0f
#define HELD_COMPLIANCE 1.0f
/* Largest excess that is taken back in a substep, and length from which none is, over the rest length: cloth that was
   put far into a body is not thrown out of it. */
#define TORN_RATIO 3.0f
#define MAX_HELD_EXCESS 0.5f
/* Least share of the mobility that is left along a spring beside contacts. */
#define LEAST_HELD_SHARE 0.05f
/* Passes over rows and columns. */
#define HELD_SWEEPS 2
/* Largest compressive tension: more would throw a zigzag beyond its mirror image. */
#define MAX_HELD_COMPRESSION 0.25f
/* A line pulls a particle off its surface if it bows outwards by so many rest lengths. */
#define HELD_BOW 0.02f

static vector_array contact_pulls_of(const cloth *c) {
  return vectors_at(c, c->scratch.contact_pull);
}

/* 1 for each row, then for each column, whose springs are to be taken back. */
static uint8_t *held_rows_of(const cloth *c) {
  return line_flags_of_rows(c) + c->grid.rows + in_line_blocks(c->grid.columns) / LINE_BLOCK;
}

static uint8_t *held_columns_of(const cloth *c) {
  return held_rows_of(c) + c->grid.rows;
}

/* Length over the rest length beyond which springs of a family are taken back. */
static float held_ratio(const cloth *c, const step_plan *plan, int32_t d) {
  const float slack = plan->tether_scale - c->settings.tethers.scale;
  return 1.0f + HELD_STRAIN + HELD_SLACK * slack + HELD_COMPLIANCE * minimum(plan->spring[d].compliance[0], 1.0e3f);
}

/// Which lines ///

/* Which springs from a block of particles to those `next` further on are too long and have a contact at an end. */
CLOTH_INLINE lanes_mask is_torn(const cloth *c, int32_t i, int32_t next, float squared) {
  const vector_array x = predicted_of(c);
  const float *mark = history_of(c, 1).x;
  const lanes3 d = lanes3_subtract(lanes3_load(x, i + next), lanes3_load(x, i));
  const lanes either = lanes_maximum(lanes_load(mark + i), lanes_load(mark + i + next));
  return lanes_both(has_no_history(either), lanes_less(lanes_splat(squared), lanes3_dot(d, d)));
}

/* Marks lines of a block of columns, of which `left` exist, in a row. */
CLOTH_INLINE int mark_torn(const cloth *c, int32_t row, int32_t column, const float squared[2]) {
  const int32_t i = row * c->grid.columns + column, left = c->grid.columns - column;
  int found = 0;
  if (left > 1 && lanes_any(lanes_both(is_torn(c, i, 1, squared[WARP]), lanes_first(left - 1)))) {
    held_rows_of(c)[row] = 1;
    found = 1;
  }
  if (row + 1 < c->grid.rows) {
    const lanes torn =
        lanes_keep(lanes_both(is_torn(c, i, c->grid.columns, squared[WEFT]), lanes_first(left)), lanes_splat(1.0f));
    if (lanes_any(lanes_less(lanes_splat(0.0f), torn))) {
      float values[CLOTH_LANES];
      lanes_store(values, torn);
      for (int32_t lane = 0; lane < CLOTH_LANES && lane < left; lane++) {
        held_columns_of(c)[column + lane] |= (uint8_t)(values[lane] > 0.0f);
      }
      found = 1;
    }
  }
  return found;
}

/* Finds the lines with springs beside contacts that are too long. Returns 1 if there are any. */
CLOTH_HOT CLOTH_SEPARATE int find_torn_lines(const cloth *c, const step_plan *plan) {
  const float *mark = history_of(c, 1).x;
  const int32_t columns = c->grid.columns;
  float squared[2];
  int found = 0;
  for (int32_t d = WARP; d <= WEFT; d++) {
    const float longest = plan->spring[d].rest * held_ratio(c, plan, d);
    squared[d] = longest * longest;
  }
  fill_zero(held_rows_of(c), (size_t)(c->grid.rows + columns));
  for (int32_t row = 0; row < c->grid.rows; row++) {
    const int32_t below = row + 1 < c->grid.rows ? columns : 0;
    for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
      const int32_t i = row * columns + column;
      const lanes marks = lanes_maximum(lanes_load(mark + i + 1), lanes_load(mark + i + below));
      const lanes_mask near = has_no_history(lanes_maximum(lanes_load(mark + i), marks));
      if (lanes_any(lanes_both(near, lanes_first(columns - column + 1))) || c->settings.capacity.fixed_work) {
        found |= mark_torn(c, row, column, squared);
      }
    }
  }
  return found;
}

/// A bundle ///

/* What a kernel needs of a bundle of lines. */
typedef struct held_lines {
  line_bundle b;
  const cloth *c;
  vector_array contact;                                       /* what keep_contacts() has kept, laid out like b.x */
  lanes active;                                               /* 1 for lines that are to be solved, else 0 */
  float inverse_squared_rest, least_square, coupling_rounder; /* as in stretch_lines */
  float compliance, longest;                                  /* of a spring; length over the rest length */
  float outwards;                                             /* HELD_BOW of the rest length [m] */
  float inverse_h;
  float *work;
} held_lines;

/* Blocks of lanes that an element keeps in line_work: as in stretch_solve.h, and the tension of the spring after it. */
enum { HELD_INVERSE, HELD_SIDE, HELD_COUPLING };
enum { HELD_SHARE, HELD_X, HELD_Y, HELD_Z, HELD_TENSION };

/* The particles of an element: position, mobility, and normal where contact holds them; 0 elsewhere. */
typedef struct held_element {
  lanes3 x, normal;
  lanes mobility;
} held_element;

CLOTH_INLINE lanes3 held_load(const held_lines *l, int32_t element) {
  return lanes3_load(l->b.x, element * l->b.next);
}

CLOTH_INLINE float *held_slot(const held_lines *l, int32_t element) {
  return l->work + element * (LINE_SLOT * CLOTH_LANES);
}

/* The unit normals that keep_contacts() has kept, and which particles stick. */
CLOTH_INLINE lanes3 kept_normal(lanes3 kept, lanes *sticks) {
  const lanes one = lanes_splat(1.0f), half = lanes_splat(0.5f * CONTACT_FLAG), flag = lanes_splat(CONTACT_FLAG);
  const lanes_mask turned = lanes_less(half, kept.y), stuck = lanes_less(half, kept.z);
  const lanes y = lanes_subtract(kept.y, lanes_keep(turned, flag)), z = lanes_subtract(kept.z, lanes_keep(stuck, flag));
  const lanes rest = lanes_subtract(one, lanes_add(lanes_multiply(y, y), lanes_multiply(z, z)));
  const lanes x = lanes_square_root(lanes_maximum(lanes_flush(rest), lanes_splat(0.0f)));
  *sticks = lanes_keep(stuck, one);
  return lanes3_flush_below(lanes3_of(lanes_select(turned, lanes_negate(x), x), y, z), STATE_QUANTUM);
}

/* The particles of an element between two others. */
CLOTH_INLINE held_element held_element_of(const held_lines *l, int32_t element, lanes3 before, lanes3 x, lanes3 after) {
  const lanes zero = lanes_splat(0.0f);
  const int32_t at = element * l->b.next;
  const lanes3 kept = lanes3_load(l->contact, at);
  const lanes_mask touches = has_no_history(kept.x);
  lanes sticks;
  const lanes3 normal = lanes3_keep(touches, kept_normal(lanes3_keep(touches, kept), &sticks));
  const lanes3 bow =
      lanes3_flush_below(lanes3_add(lanes3_subtract(before, x), lanes3_subtract(after, x)), STATE_QUANTUM);
  const lanes outwards = lanes3_dot(bow, normal);
  const lanes_mask is_flat = lanes_less(outwards, lanes_splat(l->outwards));
  held_element a;
  a.x = x;
  a.normal = lanes3_keep(lanes_less(outwards, zero), normal);
  a.mobility = lanes_multiply(lanes_load(l->b.mobility + at), l->active);
  sticks = lanes_keep(is_flat, lanes_keep(touches, sticks));
  a.mobility = lanes_drop(lanes_less(zero, sticks), a.mobility);
  return a;
}

/* The element at an end or inside of the lines, from positions that have not changed yet. */
CLOTH_INLINE held_element held_element_at(const held_lines *l, int32_t element) {
  const lanes3 x = held_load(l, element);
  const lanes3 before = element > 0 ? held_load(l, element - 1) : x;
  const lanes3 after = element + 1 < l->b.length ? held_load(l, element + 1) : x;
  return held_element_of(l, element, before, x, after);
}

CLOTH_INLINE lanes flushed_dot(lanes3 a, lanes3 b) {
  return lanes_flush(lanes3_dot(a, b));
}

/* Eliminates the tensions. */
CLOTH_HOT CLOTH_SEPARATE void eliminate_held_tensions(const held_lines *lines) {
  const held_lines l = *lines;
  const lanes scale = lanes_splat(l.inverse_squared_rest), zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  lanes inverse = zero, side = zero;
  lanes3 before = lanes3_of(zero, zero, zero);
  held_element a = held_element_at(&l, 0);
  for (int32_t element = 0; element + 1 < l.b.length; element++) {
    const held_element b = held_element_at(&l, element + 1);
    const lanes3 d = lanes3_subtract(b.x, a.x);
    const lanes squared = lanes_multiply(lanes_maximum(lanes3_dot(d, d), lanes_splat(l.least_square)), scale);
    const lanes ratio = lanes_square_root(squared);
    const lanes over = lanes_maximum(lanes_subtract(ratio, lanes_splat(l.longest)), zero);
    const lanes excess =
        lanes_keep(lanes_less(ratio, lanes_splat(TORN_RATIO)), lanes_minimum(over, lanes_splat(MAX_HELD_EXCESS)));
    const lanes mobility = lanes_add(a.mobility, b.mobility);
    const lanes at_a = flushed_dot(a.normal, d), at_b = flushed_dot(b.normal, d);
    const lanes held = lanes_add(lanes_multiply(a.mobility, lanes_multiply(at_a, at_a)),
                                 lanes_multiply(b.mobility, lanes_multiply(at_b, at_b)));
    const lanes whole = lanes_multiply(squared, mobility);
    lanes diagonal = lanes_subtract(whole, lanes_multiply(held, scale));
    diagonal = lanes_maximum(diagonal, lanes_multiply(whole, lanes_splat(LEAST_HELD_SHARE)));
    diagonal = lanes_add(diagonal, lanes_multiply(squared, lanes_splat(l.compliance)));
    const lanes along = lanes_subtract(lanes3_dot(d, before), lanes_multiply(at_a, flushed_dot(a.normal, before)));
    const lanes coupling = lanes_multiply(a.mobility, lanes_multiply(lanes_quantise(along, l.coupling_rounder), scale));
    const lanes factor = lanes_multiply(coupling, inverse);
    const lanes pivot = lanes_maximum(lanes_subtract(diagonal, lanes_multiply(factor, coupling)),
                                      lanes_multiply(squared, lanes_splat(MIN_TENSION_PIVOT)));
    inverse = lanes_keep(lanes_less(zero, mobility), lanes_divide(one, pivot));
    side = lanes_quantise(lanes_add(lanes_multiply(excess, ratio), lanes_multiply(factor, side)), WORK_ROUNDER);
    float *slot = held_slot(&l, element);
    lanes_store(slot + HELD_INVERSE * CLOTH_LANES, inverse);
    lanes_store(slot + HELD_SIDE * CLOTH_LANES, side);
    lanes_store(slot + HELD_COUPLING * CLOTH_LANES, coupling);
    before = d;
    a = b;
  }
}

/* Finds the tensions, and eliminates the displacements, from the last element on. */
CLOTH_HOT CLOTH_SEPARATE void eliminate_held_displacements(const held_lines *lines) {
  const held_lines l = *lines;
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  const lanes3 none = lanes3_of(zero, zero, zero);
  lanes tension = zero, coupling = zero, resistance = zero, share = zero; /* of the spring and particle after */
  lanes3 pull = none, own = none;
  for (int32_t element = l.b.length - 1; element >= 0; element--) {
    const held_element a = held_element_at(&l, element);
    lanes3 pull_before = none;
    lanes resistance_before = zero;
    if (element > 0) {
      float *slot = held_slot(&l, element - 1);
      const lanes side = lanes_add(lanes_load(slot + HELD_SIDE * CLOTH_LANES), lanes_multiply(coupling, tension));
      tension = lanes_multiply(side, lanes_load(slot + HELD_INVERSE * CLOTH_LANES));
      tension = lanes_maximum(tension, lanes_splat(-MAX_HELD_COMPRESSION));
      tension = lanes_quantise(lanes_minimum(tension, lanes_splat(MAX_TENSION)), WORK_ROUNDER);
      coupling = lanes_load(slot + HELD_COUPLING * CLOTH_LANES);
      lanes_store(slot + HELD_TENSION * CLOTH_LANES, tension);
      pull_before = lanes3_scale(lanes3_subtract(a.x, held_load(&l, element - 1)), tension);
      resistance_before = lanes_maximum(tension, zero);
    }
    const lanes3 force = lanes3_add(lanes3_subtract(pull, pull_before), lanes3_scale(own, resistance));
    const lanes after = lanes_multiply(resistance, lanes_subtract(one, share));
    const lanes divisor = lanes_add(one, lanes_multiply(a.mobility, lanes_add(resistance_before, after)));
    const lanes gain = lanes_divide(a.mobility, divisor);
    own = lanes3_scale(force, gain);
    own = lanes3_subtract(own, lanes3_scale(a.normal, flushed_dot(own, a.normal)));
    own = lanes3_quantise(own, WORK_ROUNDER);
    share = lanes_multiply(gain, resistance_before);
    float *slot = held_slot(&l, element);
    const vector_array owns = {slot + HELD_X * CLOTH_LANES, slot + HELD_Y * CLOTH_LANES, slot + HELD_Z * CLOTH_LANES};
    lanes_store(slot + HELD_SHARE * CLOTH_LANES, share);
    lanes3_store(owns, 0, own, CLOTH_LANES);
    pull = pull_before;
    resistance = resistance_before;
  }
}

/* Adds what the lines do to the particles of an element to their velocities, and what they pull at held ones to
   contact_pull; at pins it is noted. `force`: a displacement of mobility 1 [m]. */
CLOTH_SEPARATE void note_held(const held_lines *l, int32_t element, const held_element *a, lanes3 moved, lanes3 force) {
  float way[3][CLOTH_LANES], pull[3][CLOTH_LANES], mobility[CLOTH_LANES], normal[3][CLOTH_LANES];
  const vector_array v = vectors_at(l->c, l->c->state.velocity), pulls = contact_pulls_of(l->c);
  const float *free_mobility = floats_at(l->c, l->c->scratch.mobility), *mark = history_of(l->c, 1).x;
  const vector_array ways = {way[0], way[1], way[2]}, forces = {pull[0], pull[1], pull[2]},
                     normals = {normal[0], normal[1], normal[2]};
  float active[CLOTH_LANES];
  lanes_store(active, l->active);
  lanes_store(mobility, a->mobility);
  lanes3_store(ways, 0, lanes3_scale(moved, lanes_splat(l->inverse_h)), CLOTH_LANES);
  lanes3_store(forces, 0, force, CLOTH_LANES);
  lanes3_store(normals, 0, a->normal, CLOTH_LANES);
  for (int32_t lane = 0; lane < l->b.count; lane++) {
    const int32_t i = l->b.first + element * l->b.along + lane * l->b.across;
    const int is_held = mobility[lane] == 0.0f;
    if (active[lane] == 0.0f) {
      continue;
    }
    vector_store(v, i, vector_add(vector_load(v, i), vector_load(ways, lane)));
    const cloth_vector f = vector_flush_work(vector_load(forces, lane)), n = vector_load(normals, lane);
    if (free_mobility[i] > 0.0f && mark[i] > 0.5f * HISTORY_INVALID) {
      const cloth_vector held = is_held ? f : vector_scale(n, flush_small(vector_dot(f, n), WORK_QUANTUM));
      vector_store(pulls, i, vector_add(vector_load(pulls, i), vector_flush_work(held)));
    }
#if WITH_BODIES
    if (notes_pins(l->c) && is_pinned(l->c, i)) {
      note_displacement(l->c, i, f);
    }
#endif
  }
}

/* Moves the particles of a bundle. A spring's pull at its ends follows from its tension and from how far both move. */
CLOTH_HOT CLOTH_SEPARATE void move_held(const held_lines *lines) {
  const held_lines l = *lines;
  const lanes zero = lanes_splat(0.0f);
  const lanes3 none = lanes3_of(zero, zero, zero);
  lanes3 moved = none, pull = none, before = held_load(&l, 0);
  lanes3 x = before, after = l.b.length > 1 ? held_load(&l, 1) : x;
  held_element last = held_element_of(&l, 0, before, x, after);
  for (int32_t element = 0; element < l.b.length; element++) {
    const held_element a = held_element_of(&l, element, before, x, after);
    float *slot = held_slot(&l, element);
    const vector_array owns = {slot + HELD_X * CLOTH_LANES, slot + HELD_Y * CLOTH_LANES, slot + HELD_Z * CLOTH_LANES};
    const lanes3 lead = moved, led = lanes3_subtract(moved, lanes3_scale(a.normal, flushed_dot(moved, a.normal)));
    moved = lanes3_add(lanes3_load(owns, 0), lanes3_scale(led, lanes_load(slot + HELD_SHARE * CLOTH_LANES)));
    moved = lanes3_quantise(moved, WORK_ROUNDER);
    if (element > 0) {
      const lanes tension = lanes_load(held_slot(&l, element - 1) + HELD_TENSION * CLOTH_LANES);
      lanes3 next = lanes3_scale(lanes3_subtract(x, before), tension);
      next = lanes3_add_scaled(next, lanes3_subtract(moved, lead), lanes_maximum(tension, zero));
      note_held(&l, element - 1, &last, lead, lanes3_subtract(next, pull));
      pull = next;
    }
    lanes3_store(l.b.x, element * l.b.next, lanes3_add(x, moved), l.b.count);
    last = a;
    before = x;
    x = after;
    after = element + 2 < l.b.length ? held_load(&l, element + 2) : after;
  }
  note_held(&l, l.b.length - 1, &last, moved, lanes3_subtract(none, pull));
}

/* Solves the lines of a bundle that are marked, from the byte `marks` on. */
static void solve_held(held_lines *l, const uint8_t *marks) {
  float active[CLOTH_LANES];
  int any = 0;
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    active[lane] = lane < l->b.count && marks[lane] ? 1.0f : 0.0f;
    any |= active[lane] > 0.0f;
  }
  if (any || l->c->settings.capacity.fixed_work) {
    l->active = lanes_load(active);
    add_varying_work(l->c, (uint32_t)(l->b.length * l->b.count), COST_HELD_LINE);
    eliminate_held_tensions(l);
    eliminate_held_displacements(l);
    move_held(l);
  }
}

static held_lines held_lines_of(const cloth *c, const step_plan *plan, int32_t d) {
  const float rest = plan->spring[d].rest;
  float_bits rounder = float_to_bits(rest * rest);
  rounder.bits &= 0x7f800000u; /* the power of two at or below it */
  held_lines l;
  fill_zero(&l, sizeof l);
  l.c = c;
  l.inverse_squared_rest = 1.0f / (rest * rest);
  l.least_square = MIN_SQUARED_RATIO * (rest * rest);
  l.coupling_rounder = STATE_ROUNDER * rounder.value;
  l.compliance = plan->spring[d].compliance[0];
  l.longest = held_ratio(c, plan, d);
  l.outwards = HELD_BOW * rest;
  l.inverse_h = plan->inverse_h;
  l.work = floats_at(c, c->scratch.line_work);
  return l;
}

/* 1 if one of `count` bytes is not 0. */
static int has_marks(const cloth *c, const uint8_t *marks, int32_t count) {
  int any = c->settings.capacity.fixed_work;
  for (int32_t n = 0; n < count; n++) {
    any |= marks[n];
  }
  return any;
}

static void solve_held_rows(const cloth *c, const step_plan *plan) {
  held_lines l = held_lines_of(c, plan, WARP);
  const vector_array kept = history_of(c, 1);
  for (int32_t row = 0; row < c->grid.rows; row += CLOTH_LANES) {
    const int32_t left = c->grid.rows - row, first = row * c->grid.columns;
    if (!has_marks(c, held_rows_of(c) + row, left < CLOTH_LANES ? left : CLOTH_LANES)) {
      continue;
    }
    l.b = bundle_of_rows(c, predicted_of(c), row);
    const vector_array rows = {kept.x + first, kept.y + first, kept.z + first};
    l.contact = rows;
#if CLOTH_LANES > 1
    l.contact = row_vectors(c, ROW_OLD_X);
    transpose_rows(rows.x, c->grid.columns, l.b.count, l.contact.x);
    transpose_rows(rows.y, c->grid.columns, l.b.count, l.contact.y);
    transpose_rows(rows.z, c->grid.columns, l.b.count, l.contact.z);
#endif
    solve_held(&l, held_rows_of(c) + row);
    return_rows(c, predicted_of(c), &l.b);
  }
}

static void solve_held_columns(const cloth *c, const step_plan *plan) {
  held_lines l = held_lines_of(c, plan, WEFT);
  const vector_array kept = history_of(c, 1);
  for (int32_t column = 0; column < c->grid.columns; column += CLOTH_LANES) {
    const int32_t left = c->grid.columns - column;
    if (has_marks(c, held_columns_of(c) + column, left < CLOTH_LANES ? left : CLOTH_LANES)) {
      const vector_array columns = {kept.x + column, kept.y + column, kept.z + column};
      l.b = bundle_of_columns(c, predicted_of(c), column);
      l.contact = columns;
      solve_held(&l, held_columns_of(c) + column);
    }
  }
}

/// Reactions ///

/* Gives a collider what lines pull at the particles that it holds. */
static void react_to_pulls(const cloth *c, const moving_body *m, float momentum) {
  const vector_array pulls = contact_pulls_of(c), x = predicted_of(c), kept = history_of(c, 1);
  const lanes number = lanes_splat(CONTACT_MARK(m->index));
  reaction_sums sums = empty_sums(NULL);
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    const lanes off = lanes_absolute(lanes_subtract(lanes_load(kept.x + i), number));
    const lanes_mask holds = lanes_both(lanes_less(off, lanes_splat(0.5f)), lanes_first(c->count - i));
    if (!lanes_any(holds) && !c->settings.capacity.fixed_work) {
      continue;
    }
    const lanes3 impulse = lanes3_scale(lanes3_keep(holds, lanes3_load(pulls, i)), lanes_splat(negate(momentum)));
    const lanes3 position = lanes3_load(x, i);
    sum_reactions(m, i, holds, position, impulse, &sums);
#if WITH_CONTACT_RECORD
    if (has_contact_record(c)) {
      lanes sticks;
      const lanes3 normal = kept_normal(lanes3_keep(holds, lanes3_load(kept, i)), &sticks);
      const lanes3 made[3] = {position, normal, impulse};
      record_contacts(c, m, i, lanes_keep(holds, lanes_splat(1.0f)), made);
    }
#endif
  }
  react(c, m, lanes3_sum_total(sums.impulse), lanes3_sum_total(sums.torque));
}

/* Solves the lines over contacts where springs are too long. Returns 1 if there are any. */
CLOTH_SEPARATE int solve_contact_lines(const cloth *c, const step_plan *plan, int32_t substep) {
  if (!workspace_of(c)->tears && !c->settings.capacity.fixed_work) {
    return 0;
  }
  add_varying_work(c, (uint32_t)c->count, COST_TORN);
  const int found = find_torn_lines(c, plan) && workspace_of(c)->tears && !workspace_of(c)->frees;
  if (!found) {
    fill_zero(held_rows_of(c), (size_t)(c->grid.rows + c->grid.columns));
  }
  if (!found && !c->settings.capacity.fixed_work) {
    return 0;
  }
  add_varying_work(c, (uint32_t)c->count, COST_AGAIN);
  fill_zero(contact_pulls_of(c).x, 3 * (size_t)c->stride * sizeof(float));
  for (int32_t sweep = 0; sweep < HELD_SWEEPS; sweep++) {
    solve_held_rows(c, plan);
    solve_held_columns(c, plan);
  }
  const float momentum = reference_mass(c) * plan->inverse_h / force_share(plan);
  for (int32_t index = 0; index < collider_end(c); index++) {
    if (is_collider(c, index)) {
      add_varying_work(c, (uint32_t)c->count, COST_PULLS);
      add_varying_work(c, 1u, COST_COLLIDER);
      react_to_pulls(c, body_in_substep(c, plan, index, substep), momentum);
    }
  }
  return found;
}

/* At the end of a step: no particle keeps the contacts of its last substep. */
CLOTH_HOT CLOTH_SEPARATE void forget_contacts(const cloth *c) {
  const vector_array kept = history_of(c, 1);
  const lanes3 mark = lanes3_of(lanes_splat(HISTORY_INVALID), lanes_splat(0.0f), lanes_splat(0.0f));
  EACH_BLOCK(i, left, c->count, {
    const lanes3 here = lanes3_load(kept, i);
    const lanes_mask touches = has_no_history(here.x);
    lanes3_store(kept, i, lanes3_select(touches, mark, here), left);
  });
}

#endif

/// Contact in the solver ///

/*
 * Contact as a constraint of the linear solve (thesis section 3.4.2): a particle in contact moves with the collider's
 * surface, along the normal if it slides, in all directions if it sticks. The constraint force is the residual of the
 * solve. A force that pulls releases the particle; one whose tangential part exceeds static friction makes it slide
 * from the next solve on, against kinetic friction.
 *
 * In: positions, velocities, contact words (state), colliders, the plan. Out: contact words, velocities, reactions,
 * statistics. Scratch: find_solver_contacts() leaves the normals in contact_normal and the prescribed velocity changes
 * z in direction; resolve_contacts() reads the residual b - A x that the solve leaves, contact_normal and mobility;
 * remove_push_velocities() reads contact_normal. All use workspace.body.
 */

/* Adds to a collider's reaction the opposite of an impulse on one particle at `position`. */
static void add_reaction(const cloth *c, const moving_body *m, cloth_vector position, cloth_vector impulse) {
  cloth_vector arm = vector_flush_work(vector_subtract(position, m->pivot));
  impulse = vector_flush(impulse, INPUT_QUANTUM);
  react(c, m, impulse, vector_cross(arm, impulse));
}

/* Share of a penetration that a substep takes back; the rest keeps the particle in contact (thesis section 3.4.2). */
#define CONTACT_RELAXATION 0.9f
/* A particle slower than this along a surface that it has just met sticks to it [m/s]. With 0 a sheet that friction
   should hold creeps, with 0.5 a sheet that should slide is held (row A12 of `make accuracy` fails with either). */
#define STICK_SPEED 0.02f
/* A released particle that returns no faster than this stays free [m/s], so that the solve can lift it off. With 0.1
   particles at rest sink into colliders by a sixth of the thickness (expect_rest_on() in tests/contact.c fails). */
#define RELEASE_SPEED 1.0e-3f
/* A particle in contact stays in contact until it is this far outside the thickness [m]. With 0 contacts come and go
   with every substep: sheets that should slide stop, and sheets that friction should hold creep (test_incline and row
   A12 of `make accuracy` fail). */
#define CONTACT_SLOP 1.0e-4f

/* The collider that a particle at p is deepest in when the substep starts, deeper than `min_depth` [m]. Returns the
   collider's index, with the normal and depth, or -1. Depths count from the thickness around the surface. */
static int32_t deepest_body(const cloth *c, const step_plan *plan, int32_t substep, cloth_vector p, float min_depth,
                            cloth_vector *normal, float *depth) {
  int32_t deepest = -1;
  *depth = min_depth;
  for (int32_t index = 0; index < inputs_of(c)->collider_end; index++) {
    if (!colliders_of(c)[index].used || !is_held_by_solver(c, index)) {
      continue;
    }
    const moving_body *m = body_in_substep(c, plan, index, substep);
    cloth_vector n;
    float inside = c->settings.contact.thickness -
                   distance_of_point(shape_of(c, m), geometry_of(c, shape_of(c, m)), to_local(&m->start, p), &n);
    if (inside > *depth) {
      *depth = inside;
      *normal = rotate(m->start.rotation, n);
      deepest = index;
    }
  }
  return deepest;
}

/* Mean velocity during the substep [m/s] of the point of a collider that is at p when the substep starts. */
static cloth_vector surface_velocity(const step_plan *plan, const moving_body *m, cloth_vector p) {
  cloth_vector moved = to_world(&m->end, to_local(&m->start, p));
  return vector_scale(vector_subtract(moved, p), plan->inverse_h);
}

/* Velocity along the normal that takes back CONTACT_RELAXATION of a penetration in one substep [m/s]. It moves the
   position and is then removed from the velocity, as it would otherwise throw the particle off the surface. */
static float push_speed(const step_plan *plan, float depth) {
  return CONTACT_RELAXATION * maximum(depth, 0.0f) * plan->inverse_h;
}

/* Depth of a particle at p below the thickness around a collider when the substep starts [m]. */
static float depth_in_body(const cloth *c, const moving_body *m, cloth_vector p) {
  cloth_vector normal;
  return c->settings.contact.thickness -
         distance_of_point(shape_of(c, m), geometry_of(c, shape_of(c, m)), to_local(&m->start, p), &normal);
}

/* Sets up the constraint of one particle: its contact word, its normal, and the velocity change z that is prescribed in
   the constrained directions. Returns z, which is 0 without a constraint. */
static cloth_vector constrain_particle(const cloth *c, const step_plan *plan, int32_t substep, int32_t i) {
  uint32_t *info = &contact_info_of(c)[i];
  uint32_t info_before = *info;
  uint32_t kind_before = CONTACT_KIND(info_before);
  cloth_vector p = vector_load(vectors_at(c, c->state.position), i);
  cloth_vector v = vector_load(vectors_at(c, c->state.velocity), i);
  cloth_vector zero = vector(0.0f, 0.0f, 0.0f);
  cloth_vector normal;
  float depth;
  int32_t index = -1;
  if ((freedom_of(c)[i] & FREEDOM_MASK) == FREEDOM_FREE) {
    float min_depth = kind_before == CONTACT_STICK || kind_before == CONTACT_SLIDE ? negate(CONTACT_SLOP) : 0.0f;
    index = deepest_body(c, plan, substep, p, min_depth, &normal, &depth);
  }
  *info = CONTACT_NONE;
  if (index < 0) {
    return zero;
  }
  const moving_body *m = body_in_substep(c, plan, index, substep);
  cloth_vector relative = vector_flush_work(vector_subtract(v, surface_velocity(plan, m, p)));
  normal = vector_flush_work(normal);
  float outward = flush_small(vector_dot(relative, normal), WORK_QUANTUM);
  if (kind_before == CONTACT_RELEASED && outward > negate(RELEASE_SPEED)) {
    *info = CONTACT_WORD(index, 0, CONTACT_RELEASED);
    return zero;
  }
  float target = push_speed(plan, depth);
  cloth_vector slip = vector_add_scaled(relative, normal, negate(outward));
  int sticks = kind_before == CONTACT_STICK || (kind_before != CONTACT_SLIDE && vector_length(slip) < STICK_SPEED);
  uint32_t dwell = kind_before == CONTACT_SLIDE ? CONTACT_DWELL(info_before) : SLIDE_DWELL;
  *info = CONTACT_WORD(index, sticks ? 0 : dwell, sticks ? CONTACT_STICK : CONTACT_SLIDE);
  vector_store(vectors_at(c, c->scratch.contact_normal), i, normal);
  cloth_vector change = vector_scale(normal, target - outward);
  return vector_flush_work(sticks ? vector_subtract(change, slip) : change);
}

/* Finds the contacts of a substep, and leaves the prescribed velocity changes z in scratch.direction. Returns how many
   particles are constrained. */
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

/* The constraint force on a particle as a velocity change times the mass ratio [m/s]: the opposite of the residual,
   which the solve does not project (thesis section 3.4.2). The residual of a particle that slides is used along the
   normal only: in the directions that are free it is the error of the solve. The velocity `push` out of a penetration,
   which is removed again, is not part of the force. */
static cloth_vector constraint_force(const cloth *c, int32_t i, float push) {
  cloth_vector normal = vector_load(vectors_at(c, c->scratch.contact_normal), i);
  cloth_vector residual = vector_load(vectors_at(c, c->scratch.residual), i);
  if (CONTACT_KIND(contact_info_of(c)[i]) == CONTACT_SLIDE) {
    residual = vector_scale(normal, vector_dot(residual, normal));
  }
  return vector_add_scaled(vector_scale(residual, -1.0f), normal, negate(push * mass_ratio_at(c, i)));
}

/*
 * Draws the consequences of the constraint force on one particle, and returns the velocity change to add. A force that
 * pulls releases the particle, and one beyond static friction lets it slide; both take effect in the next solve, as
 * taking a stiff constraint force back here, particle by particle, would be an explicit step of a stiff spring. A
 * particle that slides relative to the surface at velocity `relative` is slowed by kinetic friction, which can only
 * reduce its speed; if that stops it and it has slid for SLIDE_DWELL substeps it sticks.
 */
static cloth_vector resolve_contact(const cloth *c, const moving_body *m, int32_t i, cloth_vector relative,
                                    cloth_vector force) {
  uint32_t *info = &contact_info_of(c)[i];
  uint32_t dwell = CONTACT_DWELL(*info);
  cloth_vector zero = vector(0.0f, 0.0f, 0.0f);
  cloth_vector normal = vector_load(vectors_at(c, c->scratch.contact_normal), i);
  float normal_force = vector_dot(force, normal);
  if (normal_force < 0.0f) {
    *info = CONTACT_WORD(m->index, 0, CONTACT_RELEASED);
    return zero;
  }
  if (CONTACT_KIND(*info) == CONTACT_STICK) {
    float tangential_force = vector_length(vector_add_scaled(force, normal, negate(normal_force)));
    int slips = tangential_force > shape_of(c, m)->static_friction * normal_force;
    *info = slips ? CONTACT_WORD(m->index, SLIDE_DWELL, CONTACT_SLIDE) : *info;
    return zero;
  }
  cloth_vector slip = vector_add_scaled(relative, normal, negate(vector_dot(relative, normal)));
  float speed = vector_length(slip);
  float max_friction = shape_of(c, m)->kinetic_friction * normal_force * floats_at(c, c->scratch.mobility)[i];
  int stops = speed <= max_friction;
  int sticks = stops && dwell == 0;
  *info = CONTACT_WORD(m->index, dwell > 0 ? dwell - 1 : 0, sticks ? CONTACT_STICK : CONTACT_SLIDE);
  return vector_scale(slip, stops ? -1.0f : negate(max_friction / speed));
}

/* Friction, release and reactions of all contacts, after the solve has changed the velocities. */
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
    cloth_vector received = vector_add_scaled(force, change, mass_ratio_at(c, i));
    const int32_t is_held = CONTACT_KIND(contact_info_of(c)[i]) != CONTACT_RELEASED;
    const cloth_vector impulse = vector_scale(received, reference_mass(c));
    add_reaction(c, m, p, impulse);
#if WITH_CONTACT_RECORD
    if (has_contact_record(c)) {
      add_varying_work(c, 1, COST_RECORD);
      record_contact(c, is_held ? m->substep : -1, i, m->index, p,
                     vector_load(vectors_at(c, c->scratch.contact_normal), i), impulse);
    }
#endif
    counts->contacts += is_held;
    counts->contacts_sticking += CONTACT_KIND(contact_info_of(c)[i]) == CONTACT_STICK;
  }
}

/* Makes the particles that the solve holds pins for the solves along lines (`hold` 1), and free again (0): what lies
   between them then bends as if it were clamped there. */
CLOTH_SEPARATE void hold_contacts(const cloth *c, int32_t hold) {
  float *mobility = floats_at(c, c->scratch.mobility);
  for (int32_t i = 0; i < c->count; i++) {
    const uint32_t kind = CONTACT_KIND(contact_info_of(c)[i]);
    if (kind == CONTACT_STICK || kind == CONTACT_SLIDE) {
      mobility[i] = hold ? 0.0f : 1.0f / mass_ratio_at(c, i);
    }
  }
}

/* Removes the velocities out of penetrations, push_speed(), once they have moved the positions. A particle that this
   substep released keeps its velocity: the constraint held it back, it did not push it. */
CLOTH_SEPARATE void remove_push_velocities(const cloth *c, const step_plan *plan, int32_t substep) {
  vector_array v = vectors_at(c, c->state.velocity);
  for (int32_t i = 0; i < c->count; i++) {
    uint32_t info = contact_info_of(c)[i];
    if (CONTACT_KIND(info) == CONTACT_STICK || CONTACT_KIND(info) == CONTACT_SLIDE) {
      const moving_body *m = body_in_substep(c, plan, CONTACT_COLLIDER(info), substep);
      float push = push_speed(plan, depth_in_body(c, m, vector_load(vectors_at(c, c->state.position), i)));
      cloth_vector normal = vector_load(vectors_at(c, c->scratch.contact_normal), i);
      vector_store(v, i, vector_add_scaled(vector_load(v, i), normal, negate(push)));
    }
  }
}

/// Attachments ///

/*
 * Particles held at points of colliders. An attached particle is a pin whose velocity leads, in every substep, to where
 * the point of the collider will be; one that is not there yet when a step begins arrives at its end. What the cloth
 * does to the pin acts on the collider.
 *
 * A body does not wait for the end of the substep to give way: while springs and tethers are solved, its particles have
 * the mobility of its mass, so that a light body on heavy cloth is as stable as a particle. They count its mass in
 * equal parts, and as where it gives way most. No tether leads to such a particle, and it has tethers itself.
 *
 * In: attachments, poses, own.pin_reactions. Out: velocities and predicted positions of attached particles, their
 * mobilities while lengths are solved, impulses on colliders and bodies. Scratch: none; own.attached holds what has
 * been given to the colliders so far in this step.
 */

#if WITH_BODIES

/* Where the point of an attachment is to be at the end of a substep [m]. */
static cloth_vector attached_place(const cloth *c, const step_plan *plan, const attachment *a) {
  const cloth_pose start = collider_pose(c, plan, a->collider, plan->index);
  const cloth_pose end = collider_pose(c, plan, a->collider, plan->index + 1);
  const cloth_vector x = vector_load(vectors_at(c, c->state.position), a->particle);
  const cloth_vector gap = vector_flush(vector_subtract(x, to_world(&start, a->point)), STATE_QUANTUM);
  const float left = (float)(plan->substeps - plan->index);
  return vector_add_scaled(to_world(&end, a->point), gap, (left - 1.0f) / left);
}

/* Adds to the reaction of attachment n's collider an impulse on the particle, noted already, that moves no body. */
static void report_attached(const cloth *c, int32_t n, int moves) {
  const attachment *a = &attachments_of(c)[n];
  const cloth_vector noted = ((const cloth_vector *)at(c, c->own.pin_reactions))[a->particle];
  cloth_vector *given = (cloth_vector *)at(c, c->own.attached) + n;
  const cloth_vector impulse = vector_flush(vector_subtract(noted, *given), INPUT_QUANTUM);
  const cloth_vector arm = vector_flush_work(rotate(colliders_of(c)[a->collider].body.pose.rotation, a->point));
  *given = noted;
  add_to_reaction(c, a->collider, impulse, vector_cross(arm, impulse));
  if (moves && find_body(c, a->collider)) {
    push_body(c, find_body(c, a->collider), impulse, vector_cross(arm, impulse));
  }
}

/* Leads the particle of attachment n to its place. With `felt` 1 the collider feels the inertia of the particle; a body
   is not moved by it, as its mass counts with that of the body. */
static void lead_attached(const cloth *c, const step_plan *plan, int32_t n, float felt) {
  const attachment *a = &attachments_of(c)[n];
  const vector_array v = vectors_at(c, c->state.velocity);
  const cloth_vector before = vector_load(v, a->particle);
  const cloth_vector x = vector_load(vectors_at(c, c->state.position), a->particle);
  const cloth_vector way = vector_subtract(attached_place(c, plan, a), x);
  cloth_vector velocity = vector_flush(vector_scale(vector_flush_work(way), plan->inverse_h), STATE_QUANTUM);
  velocity = limited_vector(velocity, CLOTH_SPEED_LIMIT);
  vector_store(v, a->particle, velocity);
  note_change(c, a->particle, vector_scale(vector_subtract(before, velocity), felt * mass_ratio_at(c, a->particle)));
  if (felt > 0.0f) {
    report_attached(c, n, 0);
  }
}

/* Velocities of the attached particles as a substep begins, with `felt` 1, and again when lengths have been solved,
   with `felt` 0. */
CLOTH_SEPARATE void start_attachments(const cloth *c, const step_plan *plan, float felt) {
  for (int32_t n = 0; n < inputs_of(c)->attachment_count; n++) {
    lead_attached(c, plan, n, felt);
  }
}

/* How many particles are attached to a collider. */
static int32_t count_attached(const cloth *c, int32_t collider) {
  int32_t count = 0;
  for (int32_t n = 0; n < inputs_of(c)->attachment_count; n++) {
    count += attachments_of(c)[n].collider == collider;
  }
  return count;
}

/* Inverse of the mass that a body has at a point, where it gives way most [1/kg]. */
static float largest_inverse_mass(const cloth *c, const rigid_body *b, cloth_vector arm) {
  const float least = minimum(minimum(b->inertia.x, b->inertia.y), b->inertia.z);
  arm = vector_flush(arm, STATE_QUANTUM);
  return inverse_mass_of(c, b) + vector_dot(arm, arm) * inverse_or_zero(least);
}

/* Gives the particles attached to bodies the mobility of these (`gives_way` 1), or makes them pins again (0). */
CLOTH_SEPARATE void loosen_attached(const cloth *c, const step_plan *plan, int gives_way) {
  for (int32_t n = 0; n < inputs_of(c)->attachment_count; n++) {
    const attachment *a = &attachments_of(c)[n];
    const rigid_body *b = find_body(c, a->collider);
    float *mobility = floats_at(c, c->scratch.mobility) + a->particle;
    *mobility = 0.0f;
    if (b && gives_way) {
      const float parts = (float)count_attached(c, a->collider);
      const float mass = 1.0f / (parts * largest_inverse_mass(c, b, a->point));
      *mobility = maximum(reference_mass(c) / (mass * force_share(plan)), WORK_QUANTUM);
    }
  }
}

/* Gives the colliders what their particles have received since the substep began. */
CLOTH_SEPARATE void deliver_attached(const cloth *c) {
  for (int32_t n = 0; n < inputs_of(c)->attachment_count; n++) {
    report_attached(c, n, 1);
  }
}

/* Ends a substep: puts the particles of bodies to where these are now. */
CLOTH_SEPARATE void finish_attachments(const cloth *c, const step_plan *plan) {
  for (int32_t n = 0; n < inputs_of(c)->attachment_count; n++) {
    const attachment *a = &attachments_of(c)[n];
    if (find_body(c, a->collider)) {
      lead_attached(c, plan, n, 1.0f);
      vector_store(predicted_of(c), a->particle, attached_place(c, plan, a));
    }
  }
}

/* Begins a substep for bodies and attached particles. */
static void start_moving(const cloth *c, const step_plan *plan) {
  start_bodies(c, plan);
  start_attachments(c, plan, 1.0f);
}

/* Moves bodies by what lengths have done to their particles, before contact. */
static void move_by_attached(const cloth *c, const step_plan *plan) {
  start_attachments(c, plan, 0.0f);
  deliver_attached(c);
  move_bodies(c, plan, 0);
  workspace_of(c)->body.index = -1; /* where it moves is not known any more */
}

/* Ends a substep for bodies and attached particles, after contact. */
static void finish_moving(const cloth *c, const step_plan *plan) {
  move_bodies(c, plan, 1);
  finish_attachments(c, plan);
}

#else

static void start_moving(const cloth *c, const step_plan *plan) {
  (void)c;
  (void)plan;
}

static void move_by_attached(const cloth *c, const step_plan *plan) {
  start_moving(c, plan);
}

static void finish_moving(const cloth *c, const step_plan *plan) {
  start_moving(c, plan);
}

#endif

/// Targets and motion constraints ///

#if WITH_TARGETS

/*
 * Motion constraints: each particle is kept within max_distance of its target, and out of a backstop, a sphere behind
 * the target. Targets move in straight lines from where they were at the end of the last step to where they are at the
 * end of the next. Also the calls that set targets and constraints.
 *
 * In: targets and motion constraints (state), mobilities, the plan. Out: predicted positions (scratch.product),
 * velocities and the velocity history of particles that a constraint moves. Scratch: none of its own.
 */

/* Loop invariants of a substep, copied to a local: a lane store may alias the cloth, so the compiler would otherwise
   reload them every iteration. */
typedef struct target_context {
  vector_array start, x, v; /* positions at the start of the substep, predicted positions, velocities */
  vector_array limit, position, position_before, normal, normal_before;
  const float *mobility;
  /* A target at the end of the substep is `early` times that at the start plus `late` times that at the end of the
   * step. */
  float early, late;
  cloth_vector origin; /* of the step [m] */
  float inverse_h;     /* of the substep [1/s] */
  int32_t fixed_work;
} target_context;

/* A vector of a block of targets at the end of the substep; exactly the one at the end of the step in the last substep.
   0 in lanes past the last particle. */
CLOTH_INLINE lanes3 target_between(const target_context *f, lanes3 before, lanes3 after, lanes_mask valid) {
  return lanes3_keep(valid,
                     lanes3_add_scaled(lanes3_scale(before, lanes_splat(f->early)), after, lanes_splat(f->late)));
}

/* The positions of a block of targets, as the step has them. */
CLOTH_INLINE lanes3 target_places(const target_context *f, vector_array places, int32_t i) {
  return lanes3_subtract(lanes3_load(places, i), lanes3_splat(f->origin));
}

/* A backstop and the maximum distance of one particle, in coordinates relative to the target. The surface of the
   backstop begins `distance` behind the target, its centre is `distance + radius` behind it. */
typedef struct backstop {
  cloth_vector axis; /* the target's unit normal */
  float distance, radius, max_distance;
} backstop;

/* The point of the rim, the circle in which the backstop and the sphere of max_distance meet, that lies on the same
   side of the axis as p; p is `along` in front of the target. The rim is `ahead` in front of the target and has the
   radius `around`: with L = distance + radius, from |x|^2 = max_distance^2 and |x + L axis|^2 = radius^2. Returns
   `front`, the foremost point of the backstop, if p is on the axis. */
static cloth_vector clamp_to_rim(const backstop *b, cloth_vector p, float along, cloth_vector front) {
  float centre = b->distance + b->radius;
  float ahead = -0.5f * ((b->distance * (b->distance + 2.0f * b->radius) + b->max_distance * b->max_distance) / centre);
  ahead = maximum(flush_small(ahead, WORK_QUANTUM), negate(b->max_distance));
  float around = square_root((b->max_distance - ahead) * (b->max_distance + ahead));
  cloth_vector aside = vector_flush_work(vector_add_scaled(p, b->axis, negate(along)));
  float width = vector_length(aside);
  float share = around / maximum(width, STATE_QUANTUM);
  cloth_vector rim = vector_add_scaled(vector_scale(b->axis, ahead), aside, share);
  return width > STATE_QUANTUM ? rim : front;
}

/* The point nearest to p that is not in the backstop and, if p is, within max_distance: straight out of the backstop,
   or on the rim if that is too far from the target. `excess` is |p - centre|^2 - radius^2, negative inside, written as
   a sum of differences, since the squares themselves may be large and nearly equal. Everything is computed in any case,
   as fixed work demands. */
static cloth_vector push_out_of_backstop(const backstop *b, cloth_vector p) {
  float centre = b->distance + b->radius;
  float along = flush_small(vector_dot(p, b->axis), WORK_QUANTUM);
  float excess = vector_dot(p, p) + (2.0f * centre * along + b->distance * (b->distance + 2.0f * b->radius));
  excess = flush_small(excess, WORK_QUANTUM);
  cloth_vector from_centre = vector_flush_work(vector_add_scaled(p, b->axis, centre));
  float distance = vector_length(from_centre);
  float share = negate(excess) / ((b->radius + distance) * maximum(distance, STATE_QUANTUM));
  cloth_vector front = vector_scale(b->axis, negate(b->distance));
  cloth_vector straight = distance > STATE_QUANTUM ? vector_add_scaled(p, from_centre, share) : front;
  cloth_vector rim = clamp_to_rim(b, p, along, front);
  cloth_vector out = vector_length(straight) <= b->max_distance ? straight : rim;
  return excess < 0.0f ? out : p;
}

/* Moves one particle, at p relative to its target, out of its backstop. Pinned particles, and targets without a normal
   or a backstop radius, are left alone. */
static cloth_vector keep_out_of_backstop(const target_context *f, int32_t i, cloth_vector p, cloth_vector normal) {
  cloth_vector limit = vector_load(f->limit, i);
  float squared = vector_dot(normal, normal);
  int has_backstop = f->mobility[i] > 0.0f && limit.z > 0.0f && squared > 0.0f;
  if (!has_backstop && !f->fixed_work) {
    return p;
  }
  float length = square_root(squared > 0.0f ? squared : 1.0f);
  const backstop b = {.axis = vector_flush_work(vector_scale(normal, 1.0f / length)),
                      .distance = limit.y,
                      .radius = maximum(limit.z, STATE_QUANTUM),
                      .max_distance = limit.x};
  cloth_vector moved = push_out_of_backstop(&b, p);
  return has_backstop ? moved : p;
}

/* keep_out_of_backstop() for the first `left` particles of a block, one by one. */
CLOTH_SEPARATE void keep_block_out_of_backstops(const target_context *f, int32_t i, int32_t left, lanes3 normal,
                                                lanes3 *p) {
  float block[6][CLOTH_LANES];
  vector_array positions = {block[0], block[1], block[2]}, normals = {block[3], block[4], block[5]};
  lanes3_store(positions, 0, *p, CLOTH_LANES);
  lanes3_store(normals, 0, lanes3_flush(normal), CLOTH_LANES);
  for (int32_t lane = 0; lane < CLOTH_LANES && lane < left; lane++) {
    vector_store(positions, lane,
                 keep_out_of_backstop(f, i + lane, vector_load(positions, lane), vector_load(normals, lane)));
  }
  *p = lanes3_load(positions, 0);
}

/* Enforces the motion constraints of a block of particles: first max_distance, then the backstops. The velocity of a
   particle that is moved becomes its displacement over the substep, whatever contact has done before, and its history
   is invalidated, as in contact. */
CLOTH_INLINE void constrain_block_to_targets(const cloth *c, const step_plan *plan, const target_context *f, int32_t i,
                                             int32_t left) {
  lanes zero = lanes_splat(0.0f);
  lanes one = lanes_splat(1.0f);
  lanes_mask valid = lanes_first(left);
  lanes3 target = target_between(f, target_places(f, f->position_before, i), target_places(f, f->position, i), valid);
  lanes3 x = lanes3_keep(valid, lanes3_load(f->x, i));
  lanes3 from = lanes3_flush_below(lanes3_subtract(x, target), STATE_QUANTUM);
  lanes max_distance = lanes_keep(valid, lanes_load(f->limit.x + i));
  lanes_mask moves = lanes_both(valid, lanes_less(zero, lanes_load(f->mobility + i)));
  lanes squared = lanes3_dot(from, from);
  lanes_mask far = lanes_both(moves, lanes_less(lanes_multiply(max_distance, max_distance), squared));
  lanes length = lanes_square_root(lanes_select(far, squared, one));
  lanes3 p = lanes3_select(far, lanes3_scale(from, lanes_divide(max_distance, length)), from);
  lanes radius = lanes_keep(valid, lanes_load(f->limit.z + i));
  if (f->fixed_work || lanes_any(lanes_both(moves, lanes_less(zero, radius)))) {
    const lanes3 normal = target_between(f, lanes3_load(f->normal_before, i), lanes3_load(f->normal, i), valid);
    keep_block_out_of_backstops(f, i, left, normal, &p);
  }
  lanes3 displacement = lanes3_flush_below(lanes3_subtract(p, from), STATE_QUANTUM);
  lanes_mask moved = lanes_both(moves, lanes_less(zero, lanes3_dot(displacement, displacement)));
  if (!f->fixed_work && !lanes_any(moved)) {
    return;
  }
  const lanes3 place = lanes3_select(moved, lanes3_add(target, p), lanes3_load(f->x, i));
  const lanes3 way = lanes3_flush_below(lanes3_subtract(place, lanes3_load(f->start, i)), STATE_QUANTUM);
  const lanes3 before = lanes3_scale(lanes3_load(f->v, i), lanes_splat(plan->h));
  const lanes3 change = lanes3_keep(moved, displacement);
  const lanes distance = lanes_maximum(lanes3_length(change), lanes_splat(STATE_QUANTUM));
  const contact_change done = {.displacement = lanes3_keep(moved, lanes3_subtract(way, before)),
                               .normal = lanes3_flush(lanes3_scale(change, lanes_divide(one, distance))),
                               .sliding = lanes3_keep(moved, before),
                               .touches = moved,
                               .slides = moved};
  lanes3_store(f->x, i, place, left);
  (void)change_velocities(c, plan, i, &done);
  invalidate_block_history(c, moved, lanes3_splat(vector(0.0f, 0.0f, 0.0f)), i, left);
}

static target_context target_context_of(const cloth *c, const step_plan *plan, int32_t index) {
  const float late = (float)(index + 1) / (float)plan->substeps;
  const target_context f = {.start = vectors_at(c, c->state.position),
                            .x = predicted_of(c),
                            .v = vectors_at(c, c->state.velocity),
                            .limit = target_vectors(c, TARGET_LIMIT),
                            .position = target_vectors(c, TARGET_POSITION),
                            .position_before = target_vectors(c, TARGET_POSITION_BEFORE),
                            .normal = target_vectors(c, TARGET_NORMAL),
                            .normal_before = target_vectors(c, TARGET_NORMAL_BEFORE),
                            .mobility = floats_at(c, c->scratch.mobility),
                            .late = late,
                            .origin = workspace_of(c)->origin,
                            .early = 1.0f - late,
                            .fixed_work = c->settings.capacity.fixed_work};
  return f;
}

/* Enforces the motion constraints of all particles in substep `index`. */
CLOTH_HOT CLOTH_SEPARATE void constrain_to_targets(const cloth *c, const step_plan *plan, int32_t index) {
  const target_context f = target_context_of(c, plan, index);
  EACH_BLOCK(i, left, c->count, constrain_block_to_targets(c, plan, &f, i, left));
}

#if WITH_PROJECTION

/*
 * Particles that are to be where their targets are, with a max_distance of 0, are pins to the solves along lines, which
 * then find lengths between them. Moved there only after the solves they would leave their strain to the springs beside
 * them.
 */

/* 1 if targets act as pins: where nothing acts by forces, which know other pins only. */
static int has_led_particles(const cloth *c, const step_plan *plan) {
  return inputs_of(c)->targets != TARGETS_NONE && plan->projects && !plan->forces && !has_solver_contacts(c);
}

/* Takes the mobility of led particles. Returns how many there are. */
CLOTH_SEPARATE int32_t hold_led_particles(const cloth *c) {
  const float *max_distance = target_vectors(c, TARGET_LIMIT).x;
  float *mobility = floats_at(c, c->scratch.mobility);
  int32_t led = 0;
  for (int32_t i = 0; i < c->count; i++) {
    if (max_distance[i] == 0.0f && mobility[i] > 0.0f) {
      mobility[i] = 0.0f;
      led++;
    }
  }
  return led;
}

/* Predicts the led particles at their targets, with the velocities that lead there. */
CLOTH_SEPARATE void lead_particles(const cloth *c, const step_plan *plan, int32_t index) {
  const target_context f = target_context_of(c, plan, index);
  const lanes zero = lanes_splat(0.0f);
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    const int32_t left = c->count - i;
    const lanes_mask valid = lanes_first(left);
    const lanes still = lanes_drop(lanes_less(zero, lanes_load(f.mobility + i)), lanes_splat(1.0f));
    const lanes near = lanes_drop(lanes_less(zero, lanes_load(f.limit.x + i)), still);
    const lanes_mask led = lanes_both(valid, lanes_less(zero, near));
    if (lanes_any(led)) {
      const lanes3 target =
          target_between(&f, target_places(&f, f.position_before, i), target_places(&f, f.position, i), valid);
      const lanes3 way = lanes3_keep(led, lanes3_subtract(target, lanes3_load(f.start, i)));
      const lanes3 velocity = lanes3_scale(lanes3_flush_below(way, STATE_QUANTUM), lanes_splat(f.inverse_h));
      lanes3_store(f.x, i, lanes3_select(led, target, lanes3_load(f.x, i)), left);
      lanes3_store(f.v, i, lanes3_select(led, velocity, lanes3_load(f.v, i)), left);
      invalidate_block_history(c, led, lanes3_splat(vector(0.0f, 0.0f, 0.0f)), i, left);
    }
  }
}

#endif

/* Ends the motion of the targets: they rest where they are at the end of the step. */
static void finish_target_motion(const cloth *c) {
  const size_t bytes = 3 * (size_t)c->stride * sizeof(float);
  copy_memory(target_vectors(c, TARGET_POSITION_BEFORE).x, target_vectors(c, TARGET_POSITION).x, bytes);
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
  if (!c->state.targets) {
    return CLOTH_ERROR_STATE;
  }
  cloth_vector limit = vector(constraint->max_distance, constraint->backstop_distance, constraint->backstop_radius);
  if (!is_motion_limit(limit)) {
    return CLOTH_ERROR_RANGE;
  }
  set_particle_vector(c, target_vectors(c, TARGET_LIMIT), particle, vector_flush(limit, STATE_QUANTUM));
  return CLOTH_OK;
}

/* The bytes of a particle's vertex; a tube's rows have one vertex more than particles. */
static const uint8_t *vertex_of(const cloth *c, const cloth_vertex_layout *layout, const void *vertices, int32_t i) {
  int32_t vertex = i / c->grid.columns * row_vertices(c) + i % c->grid.columns;
  return (const uint8_t *)vertices + (size_t)vertex * (size_t)layout->stride;
}

/* An attribute of a vertex, three floats at any alignment; 0 if the layout does not have it. */
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
        !vector_in_range(read_attribute(vertex, layout->normal_offset), ATTRIBUTE_LIMIT)) {
      return CLOTH_ERROR_RANGE;
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
    return CLOTH_ERROR_STATE;
  }
  error = layout->position_offset == CLOTH_ATTRIBUTE_NONE ? CLOTH_ERROR_BUFFER : check_vertices(c, layout, bytes);
  error = error ? error : check_targets(c, layout, vertices);
  if (error) {
    return error;
  }
  for (int32_t i = 0; i < c->count; i++) {
    const uint8_t *vertex = vertex_of(c, layout, vertices, i);
    cloth_vector position = read_attribute(vertex, layout->position_offset);
    cloth_vector normal = unit_or_zero(read_attribute(vertex, layout->normal_offset));
    set_particle_vector(c, target_vectors(c, TARGET_POSITION), i, vector_flush(position, STATE_QUANTUM));
    set_particle_vector(c, target_vectors(c, TARGET_NORMAL), i, normal);
  }
  if (inputs_of(c)->targets == TARGETS_NONE) {
    wake(c);
    finish_target_motion(c);
  }
  inputs_of(c)->targets = WITH_SLEEP && is_asleep(c) ? TARGETS_STILL : TARGETS_MOVING;
  return CLOTH_OK;
}

int cloth_set_targets(cloth *c, const cloth_vertex_layout *layout, const void *vertices, size_t bytes) {
  int error = cloth_move_targets(c, layout, vertices, bytes);
  if (!error) {
    finish_target_motion(c);
  }
  return error;
}

#endif

/// Confinements ///

/*
 * Particles confined to a line or a plane (thesis eq. 5.1: one or two degrees of freedom). The solver respects the
 * confinements itself; here velocities and positions are brought back to them, against rounding and whatever else moved
 * the particles.
 * In: state.confined, in the order of the particles, whatever the order of the calls; their number in the inputs.
 * Out: the vectors named by the caller, of confined particles only; the list itself. Scratch: none.
 */

/* The part of a vector that lies along the line or in the plane of a confinement. */
static cloth_vector confine_vector(const confinement *entry, cloth_vector a) {
  a = vector_flush_work(a);
  float along = flush_small(vector_dot(a, entry->direction), WORK_QUANTUM);
  if (entry->freedom == FREEDOM_LINE) {
    return vector_scale(entry->direction, along);
  }
  return vector_add_scaled(a, entry->direction, negate(along));
}

#if WITH_BODIES

/* Notes what a solve has left over at confined particles, in the directions that they are held in. */
CLOTH_SEPARATE void note_confined_residuals(const cloth *c) {
  for (int32_t n = 0; WITH_CONFINED && n < inputs_of(c)->confined_count; n++) {
    const confinement *entry = &confined_of(c)[n];
    const cloth_vector residual = vector_load(vectors_at(c, c->scratch.residual), entry->particle);
    note_change(c, entry->particle, vector_subtract(residual, confine_vector(entry, residual)));
  }
}

#endif

/* Projects the vectors of confined particles, which lie at the offset `vectors`, onto their lines and planes. Positions
   are taken relative to the anchors; velocities, with are_positions 0, as they are. */
CLOTH_SEPARATE void confine_vectors(const cloth *c, uintptr_t vectors, int are_positions) {
  vector_array a = vectors_at(c, vectors);
  for (int32_t i = 0; WITH_CONFINED && i < inputs_of(c)->confined_count; i++) {
    const confinement *entry = &confined_of(c)[i];
    CLOTH_ASSERT(entry->particle >= 0 && entry->particle < c->count);
    cloth_vector origin = are_positions ? place_in_step(c, entry->anchor) : vector(0.0f, 0.0f, 0.0f);
    cloth_vector from = vector_subtract(vector_load(a, entry->particle), origin);
    cloth_vector kept = vector_add(origin, confine_vector(entry, from));
#if WITH_BODIES
    if (!are_positions && notes_pins(c)) {
      const float mass = mass_ratio_at(c, entry->particle) / force_share(&workspace_of(c)->plan);
      note_change(c, entry->particle,
                  vector_scale(vector_flush_work(vector_subtract(vector_add(origin, from), kept)), mass));
    }
#endif
    vector_store(a, entry->particle, vector_flush(kept, STATE_QUANTUM));
  }
}

/* The entry of a particle, or the place in the list where it belongs: the first entry that is not of an earlier
   particle. */
static confinement *find_confinement(const cloth *c, int32_t particle) {
  confinement *entry = confined_of(c);
  const confinement *end = entry + inputs_of(c)->confined_count;
  while (entry < end && entry->particle < particle) {
    entry++;
  }
  return entry;
}

static int is_confined(uint32_t freedom) {
  return freedom == FREEDOM_LINE || freedom == FREEDOM_PLANE;
}

/* Removes the entry of a particle, if there is one, and closes the gap. */
static void remove_confinement(const cloth *c, int32_t particle) {
  confinement *entry = find_confinement(c, particle);
  confinement *end = confined_of(c) + inputs_of(c)->confined_count;
  if (!WITH_CONFINED || entry == end || entry->particle != particle) {
    return;
  }
  for (; entry + 1 < end; entry++) {
    *entry = entry[1];
  }
  fill_zero(entry, sizeof *entry);
  inputs_of(c)->confined_count--;
}

/// Motion ///

/*
 * Motion of the particles in a step: mobilities before it, prediction, velocities from moved positions and acceptance
 * in every substep, arrival of colliders and targets after it.
 * In: state (freedom, position, velocity, velocity_history), the plan, own and scratch arrays below.
 * Out: state.position, velocity, velocity_history, freedom; scratch.mobility.
 * Scratch: scratch.product holds the predicted positions from predict_positions() or predict() to accept_particles();
 * scratch.force_share the share of each particle's forces that acts at once; scratch.residual the velocity changes of
 * explicit forces, not yet divided by the mass.
 */

/* Velocities of pins for a step of 1 / inverse_dt seconds: that of the move to make, or 0 after the move of the last
   step. */
static void start_pins(const cloth *c, float inverse_dt) {
  vector_array v = vectors_at(c, c->state.velocity);
  uint8_t *freedom = freedom_of(c);
  int have_moves = (summarise_freedom(c).some & (PIN_MOVING | PIN_ARRIVED)) != 0;
  for (int32_t i = 0; have_moves && i < c->count; i++) {
    if (freedom[i] & PIN_MOVING) {
      vector_store(v, i, starting_velocity(c, i, inverse_dt));
      freedom[i] = FREEDOM_PINNED | PIN_ARRIVED;
    } else if (freedom[i] & PIN_ARRIVED) {
      vector_store(v, i, vector(0.0f, 0.0f, 0.0f));
      freedom[i] = FREEDOM_PINNED;
    }
  }
}

/* 1 if one of the particles whose freedom is in the word is pinned. */
static int has_pin(uint32_t freedom) {
  return ((freedom | freedom >> 1) & 0x01010101u) != 0x01010101u;
}

/* Sets the mobilities of pinned particles to 0. */
static void hold_pins(const cloth *c, float *mobility) {
  const any_word *words = (const any_word *)(const void *)freedom_of(c);
  for (int32_t first = 0; first < c->count; first += 4) {
    const int32_t left = c->count - first;
    if (left >= 4 && !has_pin(words[first / 4])) {
      continue;
    }
    for (int32_t i = first; i < first + (left < 4 ? left : 4); i++) {
      mobility[i] = is_pinned(c, i) ? 0.0f : mobility[i];
    }
  }
}

/* Sets the velocities of pins for a step of dt seconds, and all mobilities: the reference mass over the particle's, 0
   for pins. */
CLOTH_SEPARATE void prepare_particles(const cloth *c, float dt) {
  float *mobility = floats_at(c, c->scratch.mobility);
  const float *mass_ratio = c->constant.mass_ratio ? floats_at(c, c->constant.mass_ratio) : NULL;
  const lanes one = lanes_splat(1.0f);
  start_pins(c, 1.0f / dt);
  EACH_BLOCK(i, left, c->count, {
    const lanes mass = mass_ratio ? lanes_select(lanes_first(left), lanes_load(mass_ratio + i), one) : one;
    lanes_store_first(mobility + i, lanes_divide(one, mass), left);
  });
  hold_pins(c, mobility);
  for (int32_t i = 0; i < c->count; i++) {
    CLOTH_ASSERT(mobility[i] == 1.0f || !has_unit_mobility(c, i));
  }
}

/* Clears the pads that kernels read but nothing writes. Scratch is not part of the state: whatever lies there when a
   step begins must not show. */
static void clear_pads(const cloth *c) {
  fill_zero(at(c, c->state.end), LANE_PAD * sizeof(float));
  /* Explicit springs are evaluated at the predicted positions. Kernels compute springs that do not exist from what lies
     past the end of each component; their force is multiplied by 0 and must not be NaN. */
  for (int32_t n = 0; c->scratch.force_share && n < 3; n++) {
    int32_t pad = n < 2 && c->stride < c->count + LANE_PAD ? c->stride - c->count : LANE_PAD + 2;
    fill_zero(floats_at(c, c->scratch.product) + n * c->stride + c->count, (size_t)pad * sizeof(float));
  }
  /* The operator does so at the end of each component of the search direction, for springs of the last row. */
  for (int32_t n = 0; c->scratch.direction && n < 3; n++) {
    fill_zero(floats_at(c, c->scratch.direction) + n * c->stride + c->count, 2 * sizeof(float));
  }
}

/* Adds the velocity changes of a substep without a solve: of scratch.residual, times mobility and share. */
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

/* Positions after h seconds at velocity v. update_velocity_block() computes them again and gets the same bits. */
CLOTH_INLINE lanes3 prediction(lanes3 x, lanes3 v, lanes h) {
  return lanes3_flush(lanes3_add_scaled(x, v, h));
}

/* Predicts the positions from the velocities as they are. */
CLOTH_HOT CLOTH_SEPARATE void predict_positions(const cloth *c, const step_plan *plan) {
  const vector_array x = vectors_at(c, c->state.position), velocity = vectors_at(c, c->state.velocity),
                     predicted = predicted_of(c);
  const int32_t count = c->count;
  const lanes h = lanes_splat(plan->h);
  for (int32_t i = 0; i < count; i += CLOTH_LANES) {
    lanes3 to = prediction(lanes3_load(x, i), lanes3_load(velocity, i), h);
    lanes3_store(predicted, i, to, count - i);
  }
}

#if WITH_PROJECTION

/*
 * Second-order backward differences (BDF2), written for the velocities v0, v1, v2 of the last three substeps, each a
 * displacement over the substep: without forces the next velocity is (15 v0 - 7 v1 + v2) / 9 = v0 + (6 v0 - 7 v1 + v2)
 * / 9, and a force acts with 4/9 of its strength at once. `weight` blends this change, a ninth included, with backward
 * Euler, for which it is 0. Particles whose history is invalid, as after a contact, take backward Euler alone.
 * Also moves the history on by one substep. Returns the share of forces that acts at once: `force_share`, or 1 without
 * a history.
 */
CLOTH_INLINE lanes extrapolate(lanes weight, lanes force_share, lanes mobility, lanes3 *v, lanes3 *earlier,
                               lanes3 *earliest) {
  lanes_mask is_known = lanes_less(lanes_splat(0.0f), lanes_drop(has_no_history(earlier->x), mobility));
  lanes3 change = lanes3_subtract(lanes3_scale(*v, lanes_splat(6.0f)), lanes3_scale(*earlier, lanes_splat(7.0f)));
  change = lanes3_keep(is_known, lanes3_scale(lanes3_flush(lanes3_add(change, *earliest)), weight));
  *earliest = lanes3_select(is_known, *earlier, *v);
  *earlier = *v;
  *v = lanes3_add(*v, change);
  return force_share;
}

/* Loop invariants of predict_block(), copied: the stores of lanes may alias the cloth and the plan. */
typedef struct prediction_context {
  vector_array x, velocity, predicted, history_1, history_2;
  const float *mobility;
  float *shares;
  body_force force;
  int32_t keeps_history, with_body_forces, has_pushes;
  float h, inverse_h, weight, force_share;
  float push_scale; /* of pushes, from the substep before to this one */
} prediction_context;

/* The air around a row of particles. */
typedef struct air_around {
  air_flow air;
  row_neighbours near;
} air_around;

/* Extrapolates the velocities of a block of particles, of which `left` exist, and predicts their positions. `around`:
   the air of their row, or NULL. */
CLOTH_INLINE void predict_block(const prediction_context *p, const air_around *around, int32_t i, int32_t left) {
  lanes mobility = lanes_load(p->mobility + i);
  lanes3 from = lanes3_load(p->x, i);
  lanes3 v = lanes3_load(p->velocity, i);
  lanes share = lanes_splat(1.0f);
  lanes3 push = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  if (p->keeps_history) {
    lanes3 earlier = lanes3_load(p->history_1, i);
    lanes3 earliest = lanes3_load(p->history_2, i);
    if (p->has_pushes) {
      push = kept_pushes(earlier, earliest, mobility, lanes_splat(p->push_scale));
    }
    share = extrapolate(lanes_splat(p->weight), lanes_splat(p->force_share), mobility, &v, &earlier, &earliest);
    if (p->has_pushes) {
      const lanes_mask pushed = is_push(push);
      earliest = lanes3_select(pushed, push, earliest);
      lanes_store_first(p->shares + i, lanes_select(pushed, lanes_splat(SHARE_PUSHED), share), left);
    }
    lanes3_store(p->history_1, i, earlier, left);
    lanes3_store(p->history_2, i, earliest, left);
  }
  if (p->with_body_forces) {
    lanes3 change = body_force_on(&p->force, v);
    if (around) {
      lanes3 areas = area_vectors(&around->near, p->x, i - around->near.first);
      change = lanes3_add(change, air_change(&around->air, areas, v, mobility));
    }
    change = lanes3_scale(change, share);
    v = lanes3_add(v, lanes3_keep(lanes_less(lanes_splat(0.0f), mobility), change));
  } else if (p->keeps_history) {
    lanes_store_first(p->shares + i, share, left);
  }
  v = p->has_pushes ? lanes3_add_scaled(v, push, lanes_splat(p->inverse_h)) : v;
  lanes3_store(p->velocity, i, v, left);
  lanes3_store(p->predicted, i, prediction(from, v, lanes_splat(p->h)), left);
}

static prediction_context prediction_context_of(const cloth *c, const step_plan *plan, int with_body_forces) {
  const prediction_context p = {.x = vectors_at(c, c->state.position),
                                .velocity = vectors_at(c, c->state.velocity),
                                .predicted = predicted_of(c),
                                .history_1 = history_of(c, 1),
                                .history_2 = history_of(c, 2),
                                .mobility = floats_at(c, c->scratch.mobility),
                                .shares = floats_at(c, c->scratch.force_share),
                                .force = body_force_of(c, plan),
                                .keeps_history = c->state.velocity_history != 0,
                                .with_body_forces = with_body_forces,
                                .has_pushes = has_contact_pushes(c),
                                .push_scale = plan->history_weight * plan->history_weight,
                                .h = plan->h,
                                .inverse_h = plan->inverse_h,
                                .weight = plan->extrapolation * (1.0f / 9.0f),
                                .force_share = force_share(plan)};
  return p;
}

/* Extrapolates the velocities and predicts the positions. With `with_body_forces`, when nothing else acts by forces,
   gravity and velocity damping are applied on the way; otherwise the shares of the forces to come are stored. Each
   block is read whole before it is written: where arrays lie a multiple of 4 KB apart, processors mistake a store into
   one for a store to the place they read next in another. */
CLOTH_HOT CLOTH_SEPARATE void predict(const cloth *c, const step_plan *plan, int with_body_forces) {
  const prediction_context p = prediction_context_of(c, plan, with_body_forces);
  EACH_BLOCK(i, left, c->count, predict_block(&p, NULL, i, left));
}

/* predict() with gravity, velocity damping and air. */
CLOTH_HOT CLOTH_SEPARATE void predict_in_air(const cloth *c, const step_plan *plan) {
  const prediction_context p = prediction_context_of(c, plan, 1);
  air_around around = {.air = air_flow_of(c, plan)};
  for (int32_t row = 0; row < c->grid.rows; row++) {
    around.near = row_neighbours_at(c, p.x, row);
    for (int32_t column = 0; column < around.near.columns; column += CLOTH_LANES) {
      predict_block(&p, &around, around.near.first + column, around.near.columns - column);
    }
  }
}

#endif

/* The limit on speed acts on motion that contact did not cause, so it comes before contact. The pushes of contacts are
   taken out of the motion first. */

/* Loop invariants of settle_block(), copied: the stores of lanes may alias the cloth and the plan. */
typedef struct settlement {
  const cloth *c;
  cloth_statistics *counts;
  vector_array x, v, moved; /* at the substep's start; velocities; predicted positions */
  float h, inverse_h;
  float max_speed, max_distance; /* limits of a speed [m/s] and of the way in a substep [m] */
  int32_t has_pushes, fixed_work;
} settlement;

static settlement settlement_of(const cloth *c, const step_plan *plan, cloth_statistics *counts) {
  const settlement s = {.c = c,
                        .counts = counts,
                        .x = vectors_at(c, c->state.position),
                        .v = vectors_at(c, c->state.velocity),
                        .moved = predicted_of(c),
                        .h = plan->h,
                        .inverse_h = plan->inverse_h,
                        .max_speed = c->settings.integration.max_speed,
                        .max_distance = c->settings.integration.max_speed * plan->h,
                        .has_pushes = has_contact_pushes(c),
                        .fixed_work = c->settings.capacity.fixed_work};
  return s;
}

/* Slows a particle down to the largest speed. What is not finite is left to accept_particles(). */
static void limit_particle(const settlement *s, int32_t i) {
  const cloth_vector from = vector_load(s->x, i), to = vector_load(s->moved, i);
  cloth_vector velocity = vector_load(s->v, i), way = vector_subtract(to, from);
  if (!(floats_at(s->c, s->c->scratch.mobility)[i] > 0.0f) || !vector_is_finite(velocity) || !vector_is_finite(way)) {
    return;
  }
  const int is_too_fast = clamp_length(&velocity, s->max_speed), is_too_far = clamp_length(&way, s->max_distance);
  if (is_too_fast) {
    vector_store(s->v, i, velocity);
  }
  if (is_too_far) {
    vector_store(s->moved, i, vector_add(from, way));
  }
  s->counts->particles_limited += is_too_fast || is_too_far;
}

CLOTH_SEPARATE void limit_singly(const settlement *s, int32_t i, int32_t left) {
  for (int32_t lane = 0; lane < CLOTH_LANES && lane < left; lane++) {
    limit_particle(s, i + lane);
  }
}

/* Stores the velocities of a block of particles, of which `left` exist, and limits them, without the pushes with which
   the substep began. Whether all particles are slow enough is told by upper bounds of their speeds, without a square
   root; a NaN is not. The way in the substep is the velocity times its length. */
CLOTH_INLINE void settle_block(const settlement *s, lanes3 velocity, lanes3 moved, int32_t i, int32_t left) {
  if (s->has_pushes) {
    const lanes_mask pushed = lanes_both(is_pushed(s->c, i), lanes_first(left));
    if (lanes_any(pushed)) {
      const lanes3 push = lanes3_keep(pushed, lanes3_load(history_of(s->c, 2), i));
      moved = lanes3_subtract(moved, push);
      velocity = lanes3_subtract(velocity, lanes3_scale(push, lanes_splat(s->inverse_h)));
      lanes3_store(s->moved, i, moved, left);
    }
  }
  lanes3_store(s->v, i, velocity, left);
  const lanes fast = lanes_drop(lanes_less(length_upper_bound(velocity), lanes_splat(s->max_speed)), lanes_splat(1.0f));
  if (s->fixed_work || lanes_any(lanes_both(lanes_first(left), lanes_less(lanes_splat(0.0f), fast)))) {
    limit_singly(s, i, left);
  }
}

/* Takes back pushes and limits speeds where no velocities follow from moved positions. */
CLOTH_HOT CLOTH_SEPARATE void settle_velocities(const cloth *c, const step_plan *plan, cloth_statistics *counts) {
  const settlement s = settlement_of(c, plan, counts);
  EACH_BLOCK(i, left, c->count, { settle_block(&s, lanes3_load(s.v, i), lanes3_load(s.moved, i), i, left); });
}

/* v + (x_moved - x_predicted) / h, the velocity update of position based dynamics. The prediction is computed again
   bit for bit, so a particle that no constraint has moved keeps its velocity exactly. *displacement is x_moved -
   x_predicted. */
CLOTH_INLINE lanes3 updated_velocity(lanes3 x, lanes3 velocity, lanes3 moved, lanes h, lanes inverse_h,
                                     lanes3 *displacement) {
  *displacement = lanes3_subtract(moved, prediction(x, velocity, h));
  return lanes3_add_scaled(velocity, *displacement, inverse_h);
}

CLOTH_INLINE void update_velocity_block(const settlement *s, int32_t i, int32_t left) {
  lanes3 displacement;
  const lanes3 x = lanes3_load(s->x, i), moved = lanes3_load(s->moved, i);
  const lanes3 v =
      updated_velocity(x, lanes3_load(s->v, i), moved, lanes_splat(s->h), lanes_splat(s->inverse_h), &displacement);
  settle_block(s, v, moved, i, left);
}

/*
 * Velocities of a cloth that nothing holds. Constraints between its particles keep both of its momenta but for two
 * errors, which would add up over the substeps and are taken back as a rigid motion of the cloth.
 *
 * Rounding: a position has the resolution of a float, and divided by h that is some 1e-4 m/s. The mean of what the
 * constraints add is therefore subtracted.
 *
 * Angular momentum (^ is the cross product): with the positions x at the substep's start, x + h v is the new position,
 * so sum m x ^ v is the new angular momentum. The impulses of springs pass through the predicted positions, not through
 * x: about x they have the moment L = sum m x ^ (x_moved - x_predicted) / h. For an acceleration a of the particles it
 * is -s h^2 sum m v ^ a, with the share s = 1 - 5 w / 9 of forces that acts at once for the weight w of BDF2. The
 * extrapolation of the velocities brings back 4 w / 9 h^2 sum m v ^ a. To leading order in h a substep thus changes the
 * angular momentum by (1 - w) / s L: by L with backward Euler, by 0 with BDF2 alone.
 */

/* Sums over the particles of a free cloth, times their mass ratios, of arms from one of them [m] and displacements by
   constraints [m]. */
typedef struct free_sums {
  lanes_sum mass; /* used with a map of masses only */
  lanes_sum arm[3], displacement[3];
  lanes_sum moment[3];  /* arm ^ displacement */
  lanes_sum square[3];  /* xx, yy, zz of the arms */
  lanes_sum product[3]; /* yz, zx, xy of the arms */
} free_sums;

/* Loop invariants of update_free_velocities(), copied: the stores of lanes may alias the cloth and the plan. */
typedef struct free_context {
  settlement s;
  const float *mass_ratio; /* NULL: 1 */
  cloth_vector origin;     /* of the arms */
} free_context;

/* a.x b.x, a.y b.y, a.z b.z */
CLOTH_INLINE lanes3 lanes3_products(lanes3 a, lanes3 b) {
  return lanes3_of(lanes_multiply(a.x, b.x), lanes_multiply(a.y, b.y), lanes_multiply(a.z, b.z));
}

/* Updates the velocities of a block of particles, of which `left` exist, and adds the particles to the sums. */
CLOTH_INLINE void update_free_block(const free_context *f, free_sums *sums, int32_t i, int32_t left) {
  const lanes3 x = lanes3_load(f->s.x, i);
  lanes3 arm = lanes3_subtract(x, lanes3_splat(f->origin)), d;
  lanes3_store(f->s.v, i,
               updated_velocity(x, lanes3_load(f->s.v, i), lanes3_load(f->s.moved, i), lanes_splat(f->s.h),
                                lanes_splat(f->s.inverse_h), &d),
               left);
  d = lanes3_quantise(d, WORK_ROUNDER);
  if (left < CLOTH_LANES) {
    arm = lanes3_keep(lanes_first(left), arm);
    d = lanes3_keep(lanes_first(left), d);
  }
  lanes3 heavy = arm; /* times the mass ratio */
  if (f->mass_ratio) {
    const lanes mass = lanes_within(lanes_load(f->mass_ratio + i), left);
    heavy = lanes3_scale(arm, mass);
    lanes_sum_add(&sums->mass, i, mass);
    lanes3_sum_add(sums->displacement, i, lanes3_scale(d, mass));
  } else {
    lanes3_sum_add(sums->displacement, i, d);
  }
  lanes3_sum_add(sums->arm, i, heavy);
  lanes3_sum_add(sums->moment, i, lanes3_cross(heavy, d));
  lanes3_sum_add(sums->square, i, lanes3_products(heavy, arm));
  lanes3_sum_add(sums->product, i,
                 lanes3_products(lanes3_of(heavy.y, heavy.z, heavy.x), lanes3_of(arm.z, arm.x, arm.y)));
}

/* Least pivot of the inertia tensor over its trace: a cloth rolled into a line must not spin about itself. */
#define MIN_INERTIA 1.0e-3f
/* Largest rotation in a substep that is taken back [rad]. */
#define MAX_ROTATION 0.1f

/* A moment or product over the trace of the inertia tensor; 0 if it is small beside that. Not inlined: clang would
   vectorise the divisions and divide whatever lies in unused lanes, which raises flags. */
CLOTH_SEPARATE lanes share_of_trace(float value, float trace) {
  return lanes_splat(flush_small(value, WORK_QUANTUM * trace) / trace);
}

/* Rotation [rad] of a free cloth as one body that has the moment of the constraints' displacements. `mass`: the sum of
   the mass ratios; `centre` [m] and `drift` [m]: means of the arms and displacements. */
CLOTH_INLINE cloth_vector rotation_by_constraints(const free_sums *sums, float mass, cloth_vector centre,
                                                  cloth_vector drift) {
  const cloth_vector c = centre, heavy = vector_scale(centre, mass);
  const cloth_vector moment = vector_subtract(lanes3_sum_total(sums->moment), vector_cross(heavy, drift));
  const cloth_vector square =
      vector_subtract(lanes3_sum_total(sums->square), vector(heavy.x * c.x, heavy.y * c.y, heavy.z * c.z));
  const cloth_vector product =
      vector_subtract(lanes3_sum_total(sums->product), vector(heavy.y * c.z, heavy.z * c.x, heavy.x * c.y));
  const float trace = 2.0f * (square.x + square.y + square.z);
  if (!(trace > WORK_QUANTUM * mass)) {
    return vector(0.0f, 0.0f, 0.0f); /* all particles in one place */
  }
  const symmetric inertia = {.xx = share_of_trace(square.y + square.z, trace),
                             .yy = share_of_trace(square.z + square.x, trace),
                             .zz = share_of_trace(square.x + square.y, trace),
                             .xy = share_of_trace(negate(product.z), trace),
                             .xz = share_of_trace(negate(product.y), trace),
                             .yz = share_of_trace(negate(product.x), trace)};
  const lanes3 angles = symmetric_apply(
      symmetric_quantise(symmetric_inverse(inertia, lanes_splat(MIN_INERTIA))),
      lanes3_of(share_of_trace(moment.x, trace), share_of_trace(moment.y, trace), share_of_trace(moment.z, trace)));
  cloth_vector rotation = {lanes_first_value(angles.x), lanes_first_value(angles.y), lanes_first_value(angles.z)};
  clamp_length(&rotation, MAX_ROTATION);
  return rotation;
}

CLOTH_HOT CLOTH_SEPARATE void update_free_velocities(const cloth *c, const step_plan *plan, const settlement *s) {
  const free_context f = {.s = *s,
                          .mass_ratio = c->constant.mass_ratio ? floats_at(c, c->constant.mass_ratio) : NULL,
                          .origin = vector_load(vectors_at(c, c->state.position), c->count / 2)};
  free_sums sums = {.mass = {{0.0f}}};
  EACH_BLOCK(i, left, c->count, update_free_block(&f, &sums, i, left));
  const float mass = f.mass_ratio ? lanes_sum_total(&sums.mass) : (float)c->count;
  const cloth_vector centre = vector_flush_work(vector_scale(lanes3_sum_total(sums.arm), 1.0f / mass));
  const cloth_vector drift = vector_flush_work(vector_scale(lanes3_sum_total(sums.displacement), 1.0f / mass));
  const float gained = plan->inverse_h * (1.0f - plan->extrapolation) / force_share(plan);
  const cloth_vector spin =
      vector_flush_work(vector_scale(rotation_by_constraints(&sums, mass, centre, drift), gained));
  const cloth_vector at_origin = vector_add_scaled(vector_cross(centre, spin), drift, plan->inverse_h);
  const lanes3 taken = lanes3_splat(vector_flush_work(at_origin)), rate = lanes3_splat(spin);
  const lanes3 origin = lanes3_splat(f.origin);
  EACH_BLOCK(i, left, c->count, {
    const lanes3 x = lanes3_load(f.s.x, i);
    const lanes3 v = lanes3_subtract(lanes3_load(f.s.v, i), lanes3_cross(rate, lanes3_subtract(x, origin)));
    settle_block(&f.s, lanes3_subtract(v, taken), lanes3_load(f.s.moved, i), i, left);
  });
}

/* Velocities from the moved positions, limited, without the pushes of contacts. */
CLOTH_HOT CLOTH_SEPARATE void update_velocities_from_positions(const cloth *c, const step_plan *plan,
                                                               cloth_statistics *counts) {
  const settlement s = settlement_of(c, plan, counts);
  if (plan->is_free) {
    update_free_velocities(c, plan, &s);
    return;
  }
  EACH_BLOCK(i, left, c->count, update_velocity_block(&s, i, left));
}

/* 1 if no particle is pinned or confined. */
static int is_free_cloth(const cloth *c) {
  return (summarise_freedom(c).every & FREEDOM_MASK) == FREEDOM_FREE;
}

/* Largest speed that contact may give to a particle [m/s]: a little below CLOTH_SPEED_LIMIT, the largest that a state
   may hold, so that rounding does not pass it. */
#define CONTACT_SPEED_LIMIT (0.999f * CLOTH_SPEED_LIMIT)

/* Makes a particle's predicted position and velocity its new ones. One that is NaN, infinite or out of the world stays
   where it was, without velocity. */
static void accept_particle(const cloth *c, int32_t i, cloth_statistics *counts) {
  vector_array x = vectors_at(c, c->state.position);
  vector_array v = vectors_at(c, c->state.velocity);
  cloth_vector to = vector_load(predicted_of(c), i);
  cloth_vector velocity = vector_load(v, i);
  if (!vector_is_finite(velocity) || !is_step_place(c, to)) {
    vector_store(v, i, vector(0.0f, 0.0f, 0.0f));
    counts->particles_recovered++;
    return;
  }
  if (!is_pinned(c, i)) {
    counts->particles_limited += clamp_length(&velocity, CONTACT_SPEED_LIMIT);
  }
  CLOTH_ASSERT(is_step_place(c, to) && vector_is_finite(velocity));
  vector_store(x, i, vector_flush(to, STATE_QUANTUM));
  vector_store(v, i, vector_flush(velocity, STATE_QUANTUM));
}

/* Accepts the particles of a block, of which `left` exist, one by one. */
CLOTH_SEPARATE void accept_singly(const cloth *c, int32_t i, int32_t left, cloth_statistics *counts) {
  for (int32_t lane = 0; lane < CLOTH_LANES && lane < left; lane++) {
    accept_particle(c, i + lane, counts);
  }
}

/* Loop invariants of accept_particles(), copied: the stores of lanes may alias the cloth. */
typedef struct acceptance_context {
  const cloth *c;
  cloth_statistics *counts;
  vector_array x, velocity, predicted;
  float max_coordinate; /* relative to the origin of the step [m] */
  int32_t fixed_work;   /* 1: every particle is accepted singly */
} acceptance_context;

/* Which particles are certainly within the limits: by upper bounds of the lengths, without a square root. NaN is not.
 */
CLOTH_INLINE lanes_mask is_acceptable(const acceptance_context *a, lanes3 to, lanes3 velocity) {
  return lanes_both(lanes_less(length_upper_bound(to), lanes_splat(a->max_coordinate)),
                    lanes_less(length_upper_bound(velocity), lanes_splat(CONTACT_SPEED_LIMIT)));
}

CLOTH_INLINE void accept_block(const acceptance_context *a, int32_t i, int32_t left) {
  lanes3 to = lanes3_flush_below(lanes3_load(a->predicted, i), STATE_QUANTUM);
  lanes3 velocity = lanes3_flush_below(lanes3_load(a->velocity, i), STATE_QUANTUM);
  lanes bad = lanes_drop(is_acceptable(a, to, velocity), lanes_splat(1.0f));
  if (a->fixed_work || lanes_any(lanes_both(lanes_first(left), lanes_less(lanes_splat(0.0f), bad)))) {
    accept_singly(a->c, i, left, a->counts);
  } else {
    lanes3_store(a->x, i, to, left);
    lanes3_store(a->velocity, i, velocity, left);
  }
}

/* Makes the predicted positions and the velocities the new state: whole blocks where all particles are certainly within
   the limits, the others one by one. */
CLOTH_HOT CLOTH_SEPARATE void accept_particles(const cloth *c, cloth_statistics *counts) {
  const acceptance_context a = {.c = c,
                                .counts = counts,
                                .x = vectors_at(c, c->state.position),
                                .velocity = vectors_at(c, c->state.velocity),
                                .predicted = predicted_of(c),
                                .max_coordinate = CLOTH_POSITION_LIMIT - workspace_of(c)->origin_reach,
                                .fixed_work = c->settings.capacity.fixed_work};
  EACH_BLOCK(i, left, c->count, accept_block(&a, i, left));
}

/* Ends the motions that the caller has set for one step: colliders rest at their poses, targets where they have been
   moved to. */
static void finish_motions(const cloth *c) {
  for (int32_t index = 0; index < inputs_of(c)->collider_end; index++) {
    collider_slot *slot = &colliders_of(c)[index];
    slot->previous = slot->body.pose;
  }
#if WITH_TARGETS
  if (inputs_of(c)->targets == TARGETS_MOVING) {
    finish_target_motion(c);
  }
#endif
}

/// Sleep ///

/*
 * When a cloth falls asleep, and what a sleeping cloth does. In: velocities, gusts and rest time of the state. Out: the
 * rest time; on falling asleep velocities and warm start of 0, and an invalid history; statistics of a sleeping step.
 * While the cloth rests, state.resting sums up the reactions; while it sleeps, it holds their means per second, and
 * every step reports these.
 */

#if WITH_SLEEP

/* 1 if gusts change the wind and the wind acts on the cloth. */
static int has_gusts(const cloth *c) {
  const cloth_vector strength = inputs_of(c)->gust_strength;
  return has_air(c) && strength.x + strength.y + strength.z > 0.0f;
}

/* 1 if every free particle is at most as fast as sleep.speed, every pin is still (even a slow pin moves on purpose) and
   no gusts act. */
static int is_at_rest(const cloth *c) {
  if (has_gusts(c)) {
    return 0;
  }
  vector_array v = vectors_at(c, c->state.velocity);
  float max_squared = c->settings.sleep.speed * c->settings.sleep.speed;
  for (int32_t i = 0; i < c->count; i++) {
    cloth_vector velocity = vector_load(v, i);
    if (!(vector_dot(velocity, velocity) <= (is_pinned(c, i) && !is_on_body(c, i) ? 0.0f : max_squared))) {
      return 0;
    }
  }
  return are_bodies_at_rest(c);
}

/* Adds the reactions of a step to those since the cloth came to rest; `starts`: it is the first of these steps. */
static void sum_resting_reactions(const cloth *c, int starts) {
  const float *reported = (const float *)(const void *)reactions_of(c);
  float *resting = floats_at(c, c->state.resting);
  for (int32_t n = 0; n < report_count(c); n++) {
    resting[n] = flush_small((starts ? 0.0f : resting[n]) + reported[n], WORK_QUANTUM);
  }
}

/* Sets a sum to its factor times another: reactions per second, and those of a step. */
static void scale_reactions(const cloth *c, const float *from, float factor, float *to) {
  for (int32_t n = 0; n < report_count(c); n++) {
    to[n] = flush_small(from[n] * factor, WORK_QUANTUM);
  }
}

static void fall_asleep(const cloth *c) {
  float *resting = floats_at(c, c->state.resting);
  scale_reactions(c, resting, 1.0f / inputs_of(c)->rest_time, resting);
  inputs_of(c)->rest_time = ASLEEP;
#if WITH_BODIES
  stop_bodies(c);
#endif
  fill_vectors(c, vectors_at(c, c->state.velocity), 0.0f);
  if (c->state.warm_start) {
    fill_vectors(c, vectors_at(c, c->state.warm_start), 0.0f);
  }
  for (int32_t i = 0; i < c->count; i++) {
    freedom_of(c)[i] &= FREEDOM_MASK;
    invalidate_history(c, i);
  }
}

/* Ends a step of dt seconds: counts the rest time [s], and puts the cloth to sleep after sleep.time. */
CLOTH_SEPARATE void update_sleep(const cloth *c, float dt) {
  cloth_inputs *inputs = inputs_of(c);
  if (!(c->settings.sleep.speed > 0.0f)) {
    inputs->rest_time = 0.0f;
    return;
  }
  sum_resting_reactions(c, inputs->rest_time == 0.0f);
  inputs->rest_time = is_at_rest(c) ? inputs->rest_time + dt : 0.0f;
  if (inputs->rest_time > 0.0f && inputs->rest_time >= c->settings.sleep.time) {
    fall_asleep(c);
  }
}

/* The step of a sleeping cloth: reports that it sleeps and what it weighs, and moves nothing. */
CLOTH_SEPARATE int step_asleep(const cloth *c, float dt) {
  cloth_statistics *s = statistics_of(c);
  fill_zero(s, sizeof *s);
  scale_reactions(c, floats_at(c, c->state.resting), dt, (float *)(void *)reactions_of(c));
  clear_contact_record(c);
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

/*
 * The work of a step and its bounds, added up from costs.h. Work has two parts: a planned one, fixed by the plan, the
 * pins and the colliders and charged before the first substep; and a varying one that kernels charge as it happens:
 * iterations, particles tested against colliders, near them and touching them, traced paths, taut tethers, particles
 * held by the solver. A bound is the planned work plus the maximum of the varying work. With fixed work the maximum is
 * planned. In: the plan, the settings, the scene (scene_summary). Out: nothing but results; cloth_get_work_bound()
 * writes the workspace's plan, which every step makes anew. Scratch: none.
 */

/* Number of lines of springs across the seam of a tube whose mode is at least `mode`. */
static uint32_t active_seam_lines(const cloth *c, const step_plan *plan, int32_t mode) {
  uint32_t lines = 0;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    lines += d != WEFT && plan->spring[d].mode >= mode;
  }
  return is_wrapped(c) ? lines : 0;
}

/* Cost per particle of what costs so much per row, rounded up. */
static uint32_t share_of_row(const cloth *c, uint32_t cost) {
  uint32_t columns = (uint32_t)c->grid.columns;
  return (cost + columns - 1u) / columns;
}

/* Cost per particle of an iteration of the solver. */
static uint32_t iteration_cost(const cloth *c, const step_plan *plan) {
  uint32_t seam = active_seam_lines(c, plan, CLOTH_MODE_IMPLICIT) * COST_SEAM_PAIR;
  int stretch = plan->spring[WARP].mode >= CLOTH_MODE_IMPLICIT || plan->spring[WEFT].mode >= CLOTH_MODE_IMPLICIT;
  int shear = plan->spring[DIAGONAL].mode >= CLOTH_MODE_IMPLICIT;
  return (uint32_t)(COST_ITERATION + (stretch ? COST_PAIR : 0) + (shear ? COST_PAIR : 0)) + share_of_row(c, seam);
}

/* Cost per particle of a solve without its iterations. */
static uint32_t solve_cost(const cloth *c, const step_plan *plan) {
  uint32_t seam = active_seam_lines(c, plan, CLOTH_MODE_IMPLICIT) * COST_SEAM_BLOCKS;
  return (uint32_t)(COST_PRECONDITIONER + COST_SOLVE + (c->state.warm_start ? COST_WARM : 0)) +
         (c->state.warm_start || has_solver_contacts(c) ? iteration_cost(c, plan) : 0u) + share_of_row(c, seam);
}

/* Cost per particle of the forces of a substep and of the change that they bring. */
static uint32_t forces_cost(const cloth *c, const step_plan *plan) {
  uint32_t seam = active_seam_lines(c, plan, CLOTH_MODE_EXPLICIT) * COST_SEAM;
  return (uint32_t)(COST_BODY_FORCES + COST_CHANGE + (plan->springs || plan->solves ? COST_SPRINGS : 0)) +
         (plan->solves ? solve_cost(c, plan) : 0u) + share_of_row(c, seam);
}

/* Cost of the lines of a substep, whatever their length. */
static uint64_t lines_cost(const cloth *c, const step_plan *plan) {
  const uint32_t rows = (uint32_t)c->grid.rows, columns = (uint32_t)c->grid.columns;
  const uint32_t lines[DIRECTIONS] = {[WARP] = rows, [WEFT] = columns, [DIAGONAL] = columns, [ANTIDIAGONAL] = columns};
  uint64_t cost = has_bend_lines(plan) ? (uint64_t)(rows + 2u * columns) * COST_BEND_LINE : 0u;
  cost += has_stencil(plan) ? (uint64_t)rows * COST_STENCIL_ROW + (uint64_t)columns * COST_STENCIL_COLUMN : 0u;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    cost += plan->spring[d].projected != PROJECTED_NONE ? (uint64_t)lines[d] * COST_LINE : 0u;
  }
  return cost;
}

/* Cost per particle of all solves along lines, without lines_cost(). */
static uint32_t line_cost(const cloth *c, const step_plan *plan) {
  const uint32_t is_ring = (uint32_t)is_wrapped(c), is_mapped = c->constant.stiffness_map != 0;
  uint32_t cost = 0;
  if (has_stencil(plan)) {
    cost += COST_STENCIL + (plan->bend.shift > 0.0f ? COST_STENCIL_VISCOUS : 0u);
  }
  if (has_bend_lines(plan)) {
    cost += COST_BEND + (plan->bend.shift > 0.0f ? COST_VISCOUS : 0u);
    cost += is_mapped * COST_BEND_MAPPED + is_ring * COST_BEND_RING;
  }
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    const spring_family *s = &plan->spring[d];
    if (s->projected != PROJECTED_NONE) {
      cost += COST_STRETCH + (s->damping_share > 0.0f ? COST_DAMPED : 0u);
      cost += is_mapped || s->projected == PROJECTED_SOME ? COST_MAPPED : 0u;
      cost += d == WARP ? is_ring * COST_STRETCH_RING : 0u;
    }
  }
  return cost;
}

/* Cost per particle of what every substep does whatever the state is. */
static uint32_t particle_cost(const cloth *c, const step_plan *plan, int32_t tether_slots) {
  uint32_t cost = COST_PREDICT + COST_ACCEPT + (c->state.velocity_history ? COST_HISTORY : 0);
  cost += has_air(c) ? COST_AIR : 0;
  if (plan->forces || has_solver_contacts(c) || !WITH_PROJECTION) {
    cost += forces_cost(c, plan);
  }
  if (c->settings.strain_limit.sweeps > 0 || plan->projects || plan->bends) {
    const uint32_t tethers = plan->projects ? (uint32_t)tether_slots * COST_TETHER : 0u;
    const uint32_t momenta = plan->is_free ? COST_FREE : 0u; /* a cloth has pins or is free, but a bound is of both */
    cost += COST_UPDATE + (tethers > momenta ? tethers : momenta);
  }
  cost += inputs_of(c)->targets != TARGETS_NONE ? COST_TARGET : 0u;
  return cost + (uint32_t)c->settings.strain_limit.sweeps * strain_limit_cost(c);
}

/* What the work of a step depends on beside its plan. */
typedef struct scene_summary {
  int32_t uniform;          /* particles of mobility 1 where lines may be uniform */
  int32_t confined;         /* particles confined to lines and planes */
  int32_t tether_slots;     /* tethers of a particle; 0 without pins */
  int32_t colliders;        /* all of them ... */
  uint32_t obstacles;       /* ... and those that may block tethers: all but planes */
  uint32_t contact_cost;    /* of a particle that touches all colliders at once */
  int32_t bodies, attached; /* colliders with mass, and particles attached to colliders */
  int32_t meshes;           /* colliders that are meshes */
  int32_t noted_pins;       /* pins whose impulses are noted; 0 if none are */
} scene_summary;

static void add_collider(scene_summary *scene, const cloth_collider *body) {
  scene->colliders++;
  scene->contact_cost += max_contact_cost(body);
  scene->meshes += body->shape == CLOTH_SHAPE_MESH;
  scene->obstacles += body->shape != CLOTH_SHAPE_PLANE;
}

static int has_pins(const cloth *c) {
  for (int32_t i = 0; i < c->count; i++) {
    if (is_pinned(c, i)) {
      return 1;
    }
  }
  return 0;
}

/* The scene as it is now, with `uniform` particles of mobility 1. */
static scene_summary summarise_scene(const cloth *c, int32_t uniform) {
  scene_summary scene;
  fill_zero(&scene, sizeof scene);
  scene.uniform = uniform;
  scene.confined = inputs_of(c)->confined_count;
  scene.bodies = inputs_of(c)->body_count;
  scene.attached = inputs_of(c)->attachment_count;
  for (int32_t i = 0; notes_pins(c) && i < c->count; i++) {
    scene.noted_pins += is_pinned(c, i);
  }
  scene.contact_cost = (uint32_t)scene.bodies * COST_SHARED;
  scene.tether_slots = has_pins(c) ? c->settings.tethers.count : 0;
  for (int32_t index = 0; WITH_COLLIDERS && index < collider_end(c); index++) {
    if (is_collider(c, index)) {
      add_collider(&scene, &slot_at(c, index)->body);
    }
  }
  return scene;
}

/* Maximum cost per particle and substep of tethers, contacts, iterations and recovery. Fixed work plans it. */
static uint64_t max_varying_cost(const cloth *c, const step_plan *plan, const scene_summary *scene) {
  /* A particle is slowed down before contact, and put back after it. */
  uint64_t cost = 2u * COST_RECOVER + scene->contact_cost + (uint32_t)scene->colliders * record_cost(c);
  if (c->scratch.contact_pull && scene->colliders > 0) {
    cost += 2u * COST_TORN + COST_AGAIN + 4u * COST_HELD_LINE + scene->contact_cost;
    cost += (uint32_t)scene->colliders * (COST_PULLS + 2u * record_cost(c) + COST_COLLIDER / 4u);
  }
  if (plan->projects) {
    cost += (uint32_t)scene->tether_slots * (COST_TAUT + scene->obstacles * (COST_BOX_TEST + COST_SEGMENT_TEST));
  }
  if (plan->solves || (has_solver_contacts(c) && scene->colliders > 0)) {
    cost += (uint64_t)(uint32_t)(c->settings.solver.max_iterations + 1) * iteration_cost(c, plan);
  }
  return cost;
}

/* Maximum work of letting out tethers in a step: a particle asks for as many pairs of pins as it has tethers, and one
 * more. */
static uint64_t max_pairs_work(const cloth *c, const scene_summary *scene) {
  const uint64_t pairs = scene->tether_slots > 0 ? (uint64_t)(uint32_t)(scene->tether_slots + 1) : 0u;
  return pairs * (uint32_t)c->count * COST_PAIR_OF_PINS;
}

/* Maximum number of particles whose hinges or twist are not solved with the factors that uniform lines share: a
   particle of another mobility may be the cause for its row, its column and the columns beside it. */
static uint32_t general_particles(const cloth *c, const scene_summary *scene) {
  const uint64_t causes = (uint32_t)(c->count - scene->uniform);
  const uint64_t particles = causes * (uint32_t)(3 * c->grid.rows + c->grid.columns);
  return particles < (uint32_t)c->count ? (uint32_t)particles : (uint32_t)c->count;
}

/* The planned work of contact in a substep: the bounds, and the tests of the blocks. */
static uint64_t bounds_work(const cloth *c, const scene_summary *scene) {
  if (WITH_COLLIDERS && uses_bounds(c, (int32_t)scene->obstacles)) {
    return (uint64_t)(uint32_t)c->count * COST_BOUND +
           (uint64_t)(uint32_t)bound_blocks(c) * (uint32_t)scene->colliders * COST_BLOCK;
  }
  return 0;
}

/* Maximum work of an origin that follows the cloth. */
static uint64_t follow_work(const cloth *c) {
  const int follows = WITH_ORIGIN && c->settings.world.recentre_distance > 0.0f;
  return follows ? (uint64_t)(uint32_t)c->count * follow_cost(c) : 0u;
}

/* The planned work of a step. */
static uint64_t planned_work(const cloth *c, const step_plan *plan, const scene_summary *scene) {
  uint64_t cost = particle_cost(c, plan, scene->tether_slots);
  cost += scene->colliders > 0 && c->state.velocity_history && !has_solver_contacts(c) ? COST_PUSHES : 0;
  cost += c->settings.capacity.fixed_work ? max_varying_cost(c, plan, scene) : 0u;
  if (has_solver_contacts(c)) {
    cost += (uint32_t)scene->colliders * (COST_SEEK + (scene->colliders > 1 ? COST_SEEK_MORE : 0u));
  }
  uint64_t work = cost * (uint32_t)c->count;
  work += (uint64_t)line_cost(c, plan) * (uint32_t)c->count + lines_cost(c, plan);
  work += has_bend_lines(plan) ? (uint64_t)general_particles(c, scene) * COST_BEND_GENERAL : 0u;
  work += COST_SUBSTEP + (uint32_t)c->grid.rows * COST_ROW + (uint32_t)scene->confined * COST_CONFINED +
          (uint32_t)scene->colliders * COST_COLLIDER + bounds_work(c, scene);
  work += (uint64_t)(uint32_t)scene->bodies * COST_BODY + (uint64_t)(uint32_t)scene->attached * COST_ATTACHED;
  work += notes_pins(c)
              ? (uint64_t)(uint32_t)c->count * COST_NOTED + (uint64_t)(uint32_t)scene->noted_pins * COST_NOTED_PIN
              : 0u;
  work = work * (uint32_t)plan->substeps + COST_STEP +
         (uint64_t)(uint32_t)c->count * (COST_PREPARE + COST_PLACE + (uint32_t)c->settings.tethers.count * COST_MARK +
                                         (c->settings.tethers.count > 0 ? (uint32_t)COST_PAIRS : 0u));
  work += c->settings.capacity.fixed_work ? follow_work(c) + max_pairs_work(c, scene) : 0u;
  if (will_choose_tethers(c)) {
    uint32_t rounds = is_wrapped(c) ? 3 : 1; /* tubes sweep rows twice and compare distances both ways round */
    work += (uint64_t)(uint32_t)c->count * rounds * (COST_CHOOSE + (uint32_t)c->settings.tethers.count * COST_PROPOSE);
  }
  return work;
}

/* Do the moves of all pins stay within the speed limit in a step of dt seconds? */
static int are_moves_in_range(const cloth *c, float dt) {
  const float inverse_dt = 1.0f / dt;
  int have_moves = (summarise_freedom(c).some & PIN_MOVING) != 0;
  for (int32_t i = 0; have_moves && i < c->count; i++) {
    if (!vector_in_range(starting_velocity(c, i, inverse_dt), CLOTH_SPEED_LIMIT)) {
      return 0;
    }
  }
  return 1;
}

/* Returns CLOTH_OK if a step of dt seconds can be made, or what cloth_step() is to return. A sleeping cloth has no
   moves, and its step looks at no particle. */
static int check_step(const cloth *c, float dt) {
  int error = check_cloth(c);
  if (error) {
    return error;
  }
  if (!is_time_step(dt)) {
    return CLOTH_ERROR_RANGE;
  }
  if (!c->has_scratch) {
    return CLOTH_ERROR_STATE;
  }
  if (!(WITH_SLEEP && is_asleep(c)) && !are_moves_in_range(c, dt)) {
    return CLOTH_ERROR_RANGE;
  }
  return is_refused(c, dt) ? CLOTH_ERROR_UNSTABLE : CLOTH_OK;
}

#if WITH_PLANNING

/* Maximum of the varying work of a step. */
static uint64_t max_varying_work(const cloth *c, const step_plan *plan, const scene_summary *scene) {
  uint64_t cost = c->settings.capacity.fixed_work ? 0u : max_varying_cost(c, plan, scene);
  if (has_solver_contacts(c) && scene->colliders > 0) {
    cost += COST_HELD + record_cost(c) + (plan->solves ? 0u : solve_cost(c, plan));
  }
  uint64_t once = c->settings.capacity.fixed_work ? 0u : follow_work(c) + max_pairs_work(c, scene);
  once += (uint64_t)((uint32_t)scene->meshes * (uint32_t)c->count) * max_walks_cost(plan->substeps);
  return cost * (uint32_t)c->count * (uint32_t)plan->substeps + once;
}

/* Adds `count` colliders, as many of them meshes as there may be, the others of the shape whose contacts cost most:
   capsules, unless a cloth may have geometry. */
static void add_bodies(scene_summary *scene, int32_t count, int32_t geometry, int32_t meshes) {
  cloth_collider body, worst;
  fill_zero(&body, sizeof body);
  body.shape = CLOTH_SHAPE_CAPSULE;
  worst = body;
  body.geometry.elements = HULL_ELEMENTS_MAX;
  for (int32_t shape = CLOTH_SHAPE_HULL; WITH_GEOMETRY && shape <= CLOTH_SHAPE_DISTANCE_GRID; shape++) {
    body.shape = shape;
    const int is_worse = shape != CLOTH_SHAPE_MESH && geometry && max_contact_cost(&body) > max_contact_cost(&worst);
    worst = is_worse ? body : worst;
  }
  body.shape = CLOTH_SHAPE_MESH;
  for (int32_t n = 0; WITH_COLLIDERS && n < count; n++) {
    add_collider(scene, WITH_MESH && n < meshes ? &body : &worst);
  }
}

/* Most work of the choice of shared bodies. */
static uint64_t max_choice_work(const cloth *c) {
  const uint64_t particles = (uint64_t)(uint32_t)c->count * COST_SHARED_BOUNDS;
  return c->settings.capacity.max_shared_bodies > 0 ? CLOTH_SHARED_BODY_LIMIT * (uint64_t)COST_SHARED_BODY + particles
                                                    : 0u;
}

int cloth_get_work_bound(const cloth *c, float dt, uint64_t *work) {
  int error = check_step(c, dt);
  if (error) {
    return error;
  }
  if (!work) {
    return CLOTH_ERROR_NULL;
  }
  if (WITH_SLEEP && is_asleep(c)) {
    *work = COST_STEP + max_choice_work(c);
    return CLOTH_OK;
  }
  step_plan *plan = &workspace_of(c)->plan; /* every step makes its own */
  workspace_of(c)->shared_bodies = 0;       /* of no step */
  scene_summary scene = summarise_scene(c, count_uniform_particles(c));
  plan_step(c, dt, plan);
  plan_hinges(c, plan);
  plan->is_free = is_free_cloth(c);
  add_bodies(&scene, c->settings.capacity.max_shared_bodies, c->settings.capacity.geometry,
             c->settings.capacity.meshes);
  *work = planned_work(c, plan, &scene) + max_varying_work(c, plan, &scene) + max_choice_work(c);
  return CLOTH_OK;
}

/* A cloth without particles: just what plan_step() and the costs read, for plans of a config that has no arena. Offsets
   into the cloth lead to the members that follow it. */
typedef struct config_model {
  cloth c;
  cloth_inputs inputs;
  step_plan plan;
} config_model;

static void model_from_config(config_model *model, const cloth_config *config) {
  cloth *c = &model->c;
  fill_zero(model, sizeof *model);
  compute_layout(c, config);
  measure_grid(c, config);
  copy_settings(c, config);
  measure_map(config->grid.mass_map, c->count, &c->settings.factors.min_mass_ratio,
              &c->settings.factors.max_mass_ratio);
  measure_map(config->grid.stiffness_map, c->count, &c->settings.factors.min_stiffness,
              &c->settings.factors.max_stiffness);
  c->state.inputs = offsetof(config_model, inputs);
  c->settings.integration.max_substeps =
      c->settings.integration.substeps > 0 ? c->settings.integration.substeps : c->settings.integration.max_substeps;
  set_fabric(c, &config->fabric);
  model->inputs.targets = config->capacity.targets ? TARGETS_MOVING : TARGETS_NONE;
}

/* The scene of the highest work that a cloth of this config can be in: no uniform lines, and as many confined particles
   and colliders as there is room for, of the shape whose contacts cost most. */
static scene_summary worst_scene(const cloth_config *config) {
  scene_summary scene;
  fill_zero(&scene, sizeof scene);
  scene.confined = config->capacity.max_confined;
  scene.bodies = config->capacity.max_bodies;
  scene.attached = config->capacity.max_attachments;
  scene.noted_pins = needs_pin_reactions(config) ? config->columns * config->rows : 0;
  scene.contact_cost = (uint32_t)scene.bodies * COST_SHARED;
  scene.tether_slots = config->tethers.count;
  add_bodies(&scene, config->max_colliders + config->capacity.max_shared_bodies, config->capacity.geometry,
             config->capacity.meshes);
  return scene;
}

static uint64_t larger_work(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* The maximum work of a step. If the step chooses its own substeps, over every number that it may choose: each makes
   another plan. */
CLOTH_SEPARATE uint64_t max_work(config_model *model, const scene_summary *scene, float dt) {
  uint64_t max = 0;
  cloth *c = &model->c;
  for (int32_t n = c->settings.integration.substeps > 0 ? c->settings.integration.substeps : 1;
       n <= c->settings.integration.max_substeps; n++) {
    c->settings.integration.substeps = n;
    plan_step(c, dt, &model->plan);
    model->plan.is_free = 1;
    max = larger_work(max, planned_work(c, &model->plan, scene) + max_varying_work(c, &model->plan, scene));
    model->plan.bend.is_explicit = 0; /* pins may come that need lines */
    max = larger_work(max, planned_work(c, &model->plan, scene) + max_varying_work(c, &model->plan, scene));
  }
  return max;
}

int cloth_config_work_bound(const cloth_config *config, float dt, uint64_t *work) {
  int error = check_config(config);
  if (error) {
    return error;
  }
  if (!work) {
    return CLOTH_ERROR_NULL;
  }
  if (!is_time_step(dt)) {
    return CLOTH_ERROR_RANGE;
  }
  config_model model;
  scene_summary scene = worst_scene(config);
  model_from_config(&model, config);
  *work = max_work(&model, &scene, dt) + max_choice_work(&model.c);
  return CLOTH_OK;
}

#endif

/// Planner ///

/*
 * cloth_plan(): tries every combination of substeps and strain limiting sweeps on a config_model, with its bound of
 * work (work.h) and the stretch to expect (a fit, expected_stretch()), and keeps the best that meets the goal.
 * In: a config, dt and the goal. Out: the planned config and its forecast. Scratch: none; no cloth is needed.
 */

#if WITH_PLANNING && WITH_PROJECTION

/* x^(sixteenths / 16), for sixteenths >= 0: by products and square roots, which are exact to a rounding each. */
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

/* Cut-off of the fall g h^2 / length in expected_stretch(), far beyond what the fit covers: its powers stay finite. */
#define MAX_FALL 1.0e6f
/* The same for the strain of the fabric by its own weight, and the least stiffness [N/m] that the weight is divided by.
 */
#define MAX_OWN_STRETCH 1.0e3f
#define MIN_STIFFNESS 1.0e-3f

/*
 * Stretch to expect: the largest strain of a spring of a sheet that swings by two corners, a mean over time. It has a
 * part of the fabric, that of its corners under its weight, and one of the substeps. Of 3636 runs of SCENE_HANG of
 * examples/scenes.c, in their second and third second, with the settings of plan_tiers(), the formulas fit 95 % to a
 * factor of two, and all to a factor of four: sides of 8 to 64 particles, 0.25 to 4 m, stretch of 300 to 1e5 N/m, 1 to
 * 28 substeps, frames of 1/60 and 1/30 s, 0 to 8 sweeps, limits of 0.2 % to 2 %. test_forecasts() measures some again.
 * With x = g h^2 / length, the substep h, and s = weight per area * length / stretch stiffness:
 *
 *     without sweeps  0.91 s side^(11/16) + 0.0149 side^(20/16) x^(10/16)
 *     with sweeps     0.9 limit + 0.046 s + 0.043 side^(46/16) x^(13/16) / sweeps, if that is less
 *
 * Two tiers (without projection) are never planned: with so few substeps that they cost as much as three, a sheet
 * hardly falls.
 */
static float expected_stretch(const cloth *c, const cloth_config *config, float h) {
  const cloth_fabric *fabric = &config->fabric;
  const float gravity = vector_length(config->gravity);
  const float side = (float)(c->grid.columns > c->grid.rows ? c->grid.columns : c->grid.rows);
  const float length = maximum(vector_length(config->edge_warp), vector_length(config->edge_weft));
  const float fall = minimum(h * (h * gravity) / length, MAX_FALL);
  const float stiffness = maximum(minimum(fabric->stretch_warp, fabric->stretch_weft), MIN_STIFFNESS);
  const float own = minimum(fabric->density * gravity * length / stiffness, MAX_OWN_STRETCH);
  float stretch = 0.91f * own * power_of(side, 11) + 0.0149f * power_of(side, 20) * power_of(fall, 10);
  if (c->settings.strain_limit.sweeps > 0) {
    float left = 0.043f * power_of(side, 46) * power_of(fall, 13) / (float)c->settings.strain_limit.sweeps;
    stretch = minimum(stretch, 0.9f * config->strain_limit.max_extension + 0.046f * own + left);
  }
  return stretch;
}

/* What a plan may choose, in the order of increasing work. The first of two plans as good is kept. */
CLOTH_CONSTANT static const uint8_t plan_substeps[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 48, 64};
CLOTH_CONSTANT static const uint8_t plan_sweeps[] = {0, 1, 2, 3, 4, 6, 8, 12, 16};

/* Sets what a plan has in common whatever its substeps and sweeps: three tiers, with everything stiff projected. */
static void plan_tiers(cloth_config *config) {
  config->integration.method = CLOTH_INTEGRATION_ADAPTIVE;
  config->integration.explicit_threshold = 0.0f;
  config->integration.projection_threshold = 0.0f;
  /* Few substeps take more BDF2, which keeps motion alive. Not so tubes: with the values for sheets
     the tube of test_gathered_tube_rests() is not at rest after 1800 steps of 8 substeps without velocity damping. */
  config->integration.bdf2_blend = config->grid.wrap ? 0.5f : 0.8f;
  config->tethers.count = TETHERS;
  config->substeps = 1;
  config->integration.max_substeps = 1;
  config->strain_limit.sweeps = 0;
}

/* Maxima that a plan must keep; 0: no maximum. */
typedef struct plan_goal {
  uint64_t work;
  float stretch;
} plan_goal;

/* Does a forecast meet the goal, with less work than the best so far if a stretch is given, else with less stretch? */
static int is_better_plan(const plan_goal *goal, const cloth_forecast *f, const cloth_forecast *best) {
  if ((goal->work > 0 && f->work > goal->work) || (goal->stretch > 0.0f && f->stretch > goal->stretch)) {
    return 0;
  }
  if (best->work == 0) {
    return 1;
  }
  return goal->stretch > 0.0f ? f->work < best->work : f->stretch < best->stretch;
}

/* A function of its own: its copy of the config leaves the stack before plans are tried. */
CLOTH_SEPARATE void model_from_plan(config_model *model, const cloth_config *config) {
  cloth_config planned = *config;
  plan_tiers(&planned);
  model_from_config(model, &planned);
}

/* The best plan so far. */
typedef struct plan_choice {
  int32_t substeps, sweeps;
  cloth_forecast forecast; /* its work is 0 while nothing has met the goal */
} plan_choice;

/* Tries all combinations of plan_substeps and plan_sweeps. */
CLOTH_SEPARATE void choose_plan(const cloth_config *config, float dt, const plan_goal *goal, plan_choice *best) {
  config_model model;
  scene_summary scene = worst_scene(config);
  cloth *c = &model.c;
  scene.tether_slots = TETHERS;
  model_from_plan(&model, config);
  best->forecast.work = 0;
  for (uint32_t n = 0; n < sizeof plan_substeps; n++) {
    for (uint32_t sweeps = 0; sweeps < (WITH_LIMITS ? sizeof plan_sweeps : 1u); sweeps++) {
      cloth_forecast f;
      c->settings.integration.substeps = plan_substeps[n];
      c->settings.integration.max_substeps = c->settings.integration.substeps;
      c->settings.strain_limit.sweeps = plan_sweeps[sweeps];
      f.work = max_work(&model, &scene, dt);
      f.stretch = expected_stretch(c, config, dt / (float)c->settings.integration.substeps);
      if (is_better_plan(goal, &f, &best->forecast)) {
        best->forecast = f;
        best->substeps = c->settings.integration.substeps;
        best->sweeps = c->settings.strain_limit.sweeps;
      }
    }
  }
}

/* Largest stretch that may be given as a goal; as good as no goal. */
#define MAX_STRETCH_GOAL 1.0e6f

int cloth_plan(const cloth_config *config, float dt, uint64_t work, float stretch, cloth_config *planned,
               cloth_forecast *forecast) {
  int error = check_config(config);
  if (error) {
    return error;
  }
  if (!planned || !forecast) {
    return CLOTH_ERROR_NULL;
  }
  if (!is_time_step(dt)) {
    return CLOTH_ERROR_RANGE;
  }
  if (!in_range(stretch, 0.0f, MAX_STRETCH_GOAL) || (work == 0 && stretch == 0.0f)) {
    return CLOTH_ERROR_RANGE;
  }
  plan_choice best;
  plan_goal goal;
  goal.work = work;
  goal.stretch = stretch;
  choose_plan(config, dt, &goal, &best);
  if (best.forecast.work == 0) {
    return CLOTH_ERROR_NO_PLAN;
  }
  *planned = *config;
  plan_tiers(planned);
  planned->substeps = best.substeps;
  planned->integration.max_substeps = best.substeps;
  planned->strain_limit.sweeps = best.sweeps;
  *forecast = best.forecast;
  return CLOTH_OK;
}

#endif

/// Moving frames ///

/*
 * Takes a cloth along with a frame. In: two poses of the frame, the share of its motion that the cloth feels, and the
 * dt of the next step. Out: positions, velocities and their history, warm start, targets, confinements and chosen
 * colliders of the state, transformed by the rest of the motion. Scratch is not used.
 */

#if WITH_MOVE_FRAME || WITH_ORIGIN

/* The motion x -> place + R (x - pivot). */
typedef struct rigid_motion {
  cloth_vector pivot, place; /* [m] */
  cloth_rotation rotation;   /* R */
  int32_t turns;             /* 0 if R is the identity */
  /* Angular speed of R [rad/s], times the square root of inertia.centrifugal: the centrifugal force, which is quadratic
     in it, is then scaled by inertia.centrifugal. */
  cloth_vector angular_speed;
} rigid_motion;

#if WITH_MOVE_FRAME

/* Angular speed of a rotation q in dt seconds [rad/s]. Its angle is 2 asin |u|, with u the vector part. The series of
   asin is taken for a quarter of the rotation, at most pi / 4, where it is exact to 1e-6. */
static cloth_vector angular_speed_of(cloth_rotation q, float dt) {
  q.w = maximum(q.w, 0.0f); /* rotation_between() takes the short way, so w < 0 is a rounding */
  cloth_rotation quarter = half_rotation(half_rotation(rotation_flush(q)));
  cloth_vector u = vector_flush_work(vector(quarter.x, quarter.y, quarter.z));
  float squared = vector_dot(u, u);
  float series = 1.0f + squared * (1.0f / 6.0f + squared * (3.0f / 40.0f + squared * (5.0f / 112.0f)));
  return vector_scale(u, 8.0f * series / dt);
}

/* The part of a frame's motion that the cloth follows without feeling it. */
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

#endif

static cloth_vector transform_direction(const rigid_motion *m, cloth_vector a) {
  return m->turns ? vector_flush(rotate(m->rotation, a), STATE_QUANTUM) : a;
}

static cloth_vector transform_point(const rigid_motion *m, cloth_vector x) {
  return vector_flush(vector_add(m->place, transform_direction(m, vector_subtract(x, m->pivot))), STATE_QUANTUM);
}

/* Velocity change [m/s] by the centrifugal force at a position in a step of dt: -w x (w x r) dt, with r from the pivot.
 */
static cloth_vector centrifugal_change(const rigid_motion *m, cloth_vector place, float dt) {
  cloth_vector arm = vector_flush_work(vector_subtract(place, m->place));
  cloth_vector across = vector_flush_work(vector_cross(arm, m->angular_speed));
  return vector_flush(vector_scale(vector_cross(m->angular_speed, across), dt), STATE_QUANTUM);
}

/* Rotates a velocity. A component may grow, so each is kept within the limit that images check. */
static cloth_vector transform_velocity(const rigid_motion *m, cloth_vector v) {
  cloth_vector a = transform_direction(m, v);
  return vector(maximum(minimum(a.x, CLOTH_SPEED_LIMIT), -CLOTH_SPEED_LIMIT),
                maximum(minimum(a.y, CLOTH_SPEED_LIMIT), -CLOTH_SPEED_LIMIT),
                maximum(minimum(a.z, CLOTH_SPEED_LIMIT), -CLOTH_SPEED_LIMIT));
}

static void transform_velocities(const cloth *c, const rigid_motion *m, uint32_t velocities) {
  vector_array a = vectors_at(c, velocities);
  for (int32_t i = 0; velocities && m->turns && i < c->count; i++) {
    vector_store(a, i, transform_velocity(m, vector_load(a, i)));
  }
}

/* Rotates the velocities before the last. Those marked as invalid stay so. */
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

/* Moves targets and rotates their normals. */
static void transform_targets(const cloth *c, const rigid_motion *m) {
  int32_t vectors = inputs_of(c)->targets == TARGETS_NONE ? 0 : TARGET_VECTORS;
  for (int32_t which = TARGET_POSITION; which < vectors; which++) {
    vector_array a = target_vectors(c, which);
    int is_place = which <= TARGET_POSITION_BEFORE;
    for (int32_t i = 0; (is_place || m->turns) && i < c->count; i++) {
      cloth_vector before = vector_load(a, i);
      vector_store(a, i, is_place ? transform_point(m, before) : unit_or_zero(transform_direction(m, before)));
    }
  }
}

/* Moves all particles. Free ones get the centrifugal velocity change of the next step. */
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

/* Moves lines and planes, and rotates them. One that turns, or whose point would leave the range of positions, gets its
   point where its particle is. */
static void transform_confinements(const cloth *c, const rigid_motion *m) {
  for (int32_t i = 0; WITH_CONFINED && i < inputs_of(c)->confined_count; i++) {
    confinement *held = &confined_of(c)[i];
    const cloth_vector anchor = transform_point(m, held->anchor);
    const int has_anchor = !m->turns && vector_in_range(anchor, CLOTH_POSITION_LIMIT);
    held->anchor = has_anchor ? anchor : vector_load(vectors_at(c, c->state.position), held->particle);
    if (m->turns) {
      held->direction = transform_direction(m, held->direction);
      held->direction = vector_scale(held->direction, 1.0f / vector_length(held->direction));
    }
  }
}

static cloth_pose transform_pose(const rigid_motion *m, const cloth_pose *pose) {
  cloth_pose moved;
  moved.position = transform_point(m, pose->position);
  moved.rotation = m->turns ? rotation_product(m->rotation, pose->rotation) : pose->rotation;
  return moved;
}

#if WITH_BODIES

/* Rotates the velocities of a collider that has mass. */
static void transform_body(const cloth *c, const rigid_motion *m, int32_t collider) {
  rigid_body *b = find_body(c, collider);
  if (b && m->turns) {
    b->velocity = transform_velocity(m, b->velocity);
    b->spin = limited_vector(transform_direction(m, b->spin), MAX_SPIN);
  }
}

#endif

static void transform_colliders(const cloth *c, const rigid_motion *m, uint64_t colliders) {
  for (int32_t index = 0; index < inputs_of(c)->collider_end; index++) {
    collider_slot *slot = &colliders_of(c)[index];
    if (slot->used && (colliders >> index & 1u)) {
      slot->previous = transform_pose(m, &slot->previous);
#if WITH_BODIES
      transform_body(c, m, index);
#endif
      slot->body.pose = transform_pose(m, &slot->body.pose);
    }
  }
}

/* Do these points, moved, stay within CLOTH_POSITION_LIMIT? */
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

/* Do the ends of pins' moves, moved, stay within CLOTH_POSITION_LIMIT? The velocity of such a pin is its displacement.
 */
static int are_moves_within(const cloth *c, const rigid_motion *m) {
  for (int32_t i = 0; i < c->count; i++) {
    cloth_vector end =
        vector_add(vector_load(vectors_at(c, c->state.position), i), vector_load(vectors_at(c, c->state.velocity), i));
    if ((freedom_of(c)[i] & PIN_MOVING) && !vector_in_range(transform_point(m, end), CLOTH_POSITION_LIMIT)) {
      return 0;
    }
  }
  return 1;
}

/* Do particles, moves of pins, targets and the chosen colliders, moved, stay within CLOTH_POSITION_LIMIT? */
static int stays_within_limit(const cloth *c, const rigid_motion *m, uint64_t colliders) {
  int are_within = are_points_within(c, m, vectors_at(c, c->state.position)) && are_moves_within(c, m);
  if (inputs_of(c)->targets != TARGETS_NONE) {
    are_within = are_within && are_points_within(c, m, target_vectors(c, TARGET_POSITION)) &&
                 are_points_within(c, m, target_vectors(c, TARGET_POSITION_BEFORE));
  }
  for (int32_t index = 0; index < inputs_of(c)->collider_end; index++) {
    const collider_slot *slot = &colliders_of(c)[index];
    if (slot->used && (colliders >> index & 1u)) {
      are_within = are_within && is_slot_within(slot, m);
    }
  }
  return are_within;
}

/* Moves everything that has a place. `dt`: see transform_particles(). */
static void transform_all(const cloth *c, const rigid_motion *m, float dt, uint64_t colliders) {
  transform_particles(c, m, dt);
  transform_targets(c, m);
  transform_confinements(c, m);
  transform_colliders(c, m, colliders);
}

#if WITH_MOVE_FRAME

int cloth_move_frame(cloth *c, const cloth_pose *from, const cloth_pose *to, const cloth_inertia *inertia, float dt,
                     uint64_t colliders) {
  const cloth_inertia none = {0.0f, 0.0f, 0.0f};
  const cloth_inertia *kept = inertia ? inertia : &none;
  int error = check_call(c, from && to ? from : NULL);
  error = error ? error : check_pose(from);
  error = error ? error : check_pose(to);
  if (error) {
    return error;
  }
  if (!is_time_step(dt)) {
    return CLOTH_ERROR_RANGE;
  }
  if (!in_range(kept->linear, 0.0f, 1.0f) || !in_range(kept->angular, 0.0f, 1.0f) ||
      !in_range(kept->centrifugal, 0.0f, 1.0f)) {
    return CLOTH_ERROR_RANGE;
  }
  cloth_pose poses[2] = {normalised_pose(from), normalised_pose(to)};
  rigid_motion m = frame_motion(&poses[0], &poses[1], kept, dt);
  if (!m.turns && m.place.x == m.pivot.x && m.place.y == m.pivot.y && m.place.z == m.pivot.z) {
    return CLOTH_OK;
  }
  if (!stays_within_limit(c, &m, colliders)) {
    return CLOTH_ERROR_RANGE;
  }
  wake(c);
  transform_all(c, &m, dt, colliders);
  return CLOTH_OK;
}

#endif

#endif

/// The origin in the world ///

/*
 * Where the zero of a cloth's positions lies in the world, in whole metres, and the calls that move it. Moving it by d
 * subtracts d from everything that holds a position: particles, confinements, targets, colliders, which is the motion
 * x -> 0 + (x - d) of a frame that does not turn. A whole number of metres, 2^0 m, is a multiple of the resolution of
 * every position, so that the difference is exact unless its magnitude grows, and then rounded once: the same bits on
 * every machine. In and out: the state. Scratch is not used.
 */

#if WITH_ORIGIN

/* Farthest that an origin moves at once [m]: twice the range of positions; what is farther has to leave the range. */
#define MAX_ORIGIN_WAY 200000

/* b - a for two origins. */
static cloth_metres metres_between(cloth_metres a, cloth_metres b) {
  const cloth_metres way = {b.x - a.x, b.y - a.y, b.z - a.z};
  return way;
}

static cloth_vector vector_of_metres(cloth_metres a) {
  return vector((float)a.x, (float)a.y, (float)a.z);
}

/* The motion that a new origin is for everything that holds a position, when the origin moves by `way`. */
static rigid_motion motion_of_origin(cloth_metres way) {
  rigid_motion m;
  fill_zero(&m, sizeof m);
  m.pivot = vector_of_metres(way);
  m.rotation.w = 1.0f;
  return m;
}

/* All colliders, as cloth_move_frame() names them. */
#define ALL_COLLIDERS UINT64_MAX

/* Does everything stay in range when the origin of a cloth moves to a place? */
static int may_move_origin(const cloth *c, cloth_metres origin) {
  const cloth_metres way = metres_between(inputs_of(c)->origin, origin);
  if (!are_metres_within(way, MAX_ORIGIN_WAY)) {
    return 0;
  }
  const rigid_motion m = motion_of_origin(way);
  return stays_within_limit(c, &m, ALL_COLLIDERS);
}

/* Moves the origin of a cloth that may_move_origin() there. Returns by how much. */
static cloth_metres move_origin(const cloth *c, cloth_metres origin) {
  const cloth_metres way = metres_between(inputs_of(c)->origin, origin);
  const rigid_motion m = motion_of_origin(way);
  transform_all(c, &m, MAX_TIME_STEP, ALL_COLLIDERS);
  inputs_of(c)->origin = origin;
  return way;
}

/* The whole metre nearest to the middle of a box, from an origin that is within its range and a middle of at most 1e6 m
   on. */
static cloth_metres middle_of_box(cloth_metres from, const position_box *box) {
  const cloth_metres middle = {from.x + whole_below(0.5f * box->low.x + 0.5f * box->high.x + 0.5f),
                               from.y + whole_below(0.5f * box->low.y + 0.5f * box->high.y + 0.5f),
                               from.z + whole_below(0.5f * box->low.z + 0.5f * box->high.z + 0.5f)};
  return middle;
}

/* Is the middle of a range of coordinates farther from zero than a distance? */
static int is_middle_beyond(float low, float high, float distance) {
  const float middle = 0.5f * low + 0.5f * high;
  return middle > distance || middle < negate(distance);
}

/* Moves the origin of a cloth that has strayed from it, at the beginning of a step; the box around the cloth moves
   along. An origin that would leave its range, or something else of the cloth its own, stays. Returns by how much the
   origin moved. */
CLOTH_SEPARATE cloth_metres follow_cloth(const cloth *c, position_box *box) {
  const cloth_metres none = {0, 0, 0}, here = inputs_of(c)->origin;
  const float distance = c->settings.world.recentre_distance;
  if (!(distance > 0.0f) ||
      !(is_middle_beyond(box->low.x, box->high.x, distance) || is_middle_beyond(box->low.y, box->high.y, distance) ||
        is_middle_beyond(box->low.z, box->high.z, distance))) {
    return none;
  }
  const cloth_metres there = middle_of_box(here, box);
  if (!are_metres_within(there, CLOTH_ORIGIN_LIMIT) || !may_move_origin(c, there)) {
    return none;
  }
  const cloth_metres way = move_origin(c, there);
  *box = box_around(c);
  add_varying_work(c, (uint32_t)c->count, follow_cost(c));
  return way;
}

/* Keeps the shared bodies of a step in their places when it moves the origin. */
static void move_shared_bodies(const cloth *c, cloth_metres shift) {
  const cloth_vector way = vector_of_metres(shift);
  for (int32_t n = 0; WITH_SHARED_BODIES && n < workspace_of(c)->shared_bodies; n++) {
    collider_slot *slot = slot_at(c, c->settings.capacity.max_colliders + n);
    slot->body.pose.position = vector_subtract(slot->body.pose.position, way);
    slot->previous.position = vector_subtract(slot->previous.position, way);
  }
}

int cloth_get_origin(const cloth *c, cloth_metres *origin) {
  int error = check_call(c, origin);
  if (!error) {
    *origin = inputs_of(c)->origin;
  }
  return error;
}

/* Checks a list of cloths. */
static int check_cloths(cloth *const *cloths, int32_t count) {
  if (!cloths) {
    return CLOTH_ERROR_NULL;
  }
  int error = count < 1 ? CLOTH_ERROR_RANGE : CLOTH_OK;
  for (int32_t n = 0; n < count && !error; n++) {
    error = check_cloth(cloths[n]);
  }
  return error;
}

int cloth_set_origin(cloth *const *cloths, int32_t count, cloth_metres origin) {
  int error = check_cloths(cloths, count);
  if (error) {
    return error;
  }
  int is_possible = are_metres_within(origin, CLOTH_ORIGIN_LIMIT);
  for (int32_t n = 0; n < count && is_possible; n++) {
    is_possible = may_move_origin(cloths[n], origin);
  }
  for (int32_t n = 0; n < count && is_possible; n++) {
    (void)move_origin(cloths[n], origin);
  }
  return is_possible ? CLOTH_OK : CLOTH_ERROR_RANGE;
}

int cloth_recentre(cloth *const *cloths, int32_t count, cloth_metres *origin) {
  int error = check_cloths(cloths, count);
  if (error) {
    return error;
  }
  const cloth_metres from = inputs_of(cloths[0])->origin;
  position_box all = box_around(cloths[0]);
  for (int32_t n = 1; n < count; n++) {
    const cloth_metres way = metres_between(from, inputs_of(cloths[n])->origin);
    if (!are_metres_within(way, 2 * MAX_ORIGIN_WAY)) {
      return CLOTH_ERROR_RANGE;
    }
    const position_box box = box_around(cloths[n]);
    const cloth_vector low = vector_add(box.low, vector_of_metres(way));
    const cloth_vector high = vector_add(box.high, vector_of_metres(way));
    all.low = vector(minimum(low.x, all.low.x), minimum(low.y, all.low.y), minimum(low.z, all.low.z));
    all.high = vector(maximum(high.x, all.high.x), maximum(high.y, all.high.y), maximum(high.z, all.high.z));
  }
  const cloth_metres there = middle_of_box(from, &all);
  error = cloth_set_origin(cloths, count, there);
  if (!error && origin) {
    *origin = there;
  }
  return error;
}

int cloth_get_origin_offset(const cloth *from, const cloth *to, cloth_vector *offset) {
  int error = check_call(from, offset);
  error = error ? error : check_cloth(to);
  if (error) {
    return error;
  }
  const cloth_metres way = metres_between(inputs_of(from)->origin, inputs_of(to)->origin);
  if (!are_metres_within(way, 1 << 24)) {
    return CLOTH_ERROR_RANGE;
  }
  *offset = vector_of_metres(way);
  return CLOTH_OK;
}

#endif

/// Stepping ///

/*
 * What a step and a substep do, in order: this part only calls the others. A step is prepare_step(), substep() as often
 * as the plan says, then finish_motions(), gusts and sleep. substep() has five stages; the comment before each call
 * names the part, src/NAME.h, that does it; bodies and attached particles move before, between and after them.
 * In: the state, the settings, dt. Out: the state and the statistics.
 * Scratch: stage 1 uses all of it, with the forces in scratch.residual. From predict_positions() at its end on, or with
 * a BDF2 prediction from its beginning, scratch.product holds the predicted positions, which stages 2 to 5 move and
 * accept. Stage 2 keeps transposed rows in scratch.residual and obstacle capsules in scratch.row_buffers.
 */

/* Stage 1, with forces. Returns the number of particles that contacts of the solver hold. */
CLOTH_SEPARATE int32_t add_forces(const cloth *c, const step_plan *plan, int32_t index) {
  /* 1a. Velocity changes of the forces, and the operator: forces (springs, bend, seam, air). */
  evaluate_forces(c, plan, vectors_at(c, c->scratch.residual));
  end_stage(c, CLOTH_STAGE_FORCES, index, c->scratch.residual);

  /* 1b. Contacts that are constraints of the solve: solver_contact. */
  int32_t contacts = has_solver_contacts(c) ? find_solver_contacts(c, plan, index) : 0;

  /* 1c. The solve: implicit (operator, preconditioner, multilevel, conjugate_gradient). Without one: motion. */
  if (WITH_SOLVER && (plan->solves || contacts)) {
    add_work(c, plan->solves ? 0u : 1u, (uint32_t)c->count * solve_cost(c, plan));
    add_implicit_change(c, plan, index, contacts);
#if WITH_BODIES
    if (notes_pins(c)) {
      note_confined_residuals(c);
    }
#endif
  } else {
    add_explicit_change(c);
  }

#if WITH_BODIES
  if (notes_pins(c)) {
    note_residuals(c);
  }
#endif

  /* 1d. Friction and release of those contacts: solver_contact. */
  if (WITH_CONTACT_SOLVER && contacts) {
    resolve_contacts(c, plan, index, statistics_of(c));
  }
  return contacts;
}

/* Stage 1. Where only gravity, velocity damping and air act, the prediction does all of it in one pass, unless
   particles are confined. Returns what add_forces() does. */
static int32_t advance_velocities(const cloth *c, const step_plan *plan, int32_t index) {
  int32_t contacts = 0;
#if WITH_PROJECTION
  /* BDF2 prediction: motion. */
  int only_body_forces = !plan->forces && !has_solver_contacts(c);
  if (only_body_forces && has_air(c)) {
    predict_in_air(c, plan);
  } else if (c->state.velocity_history || only_body_forces) {
    predict(c, plan, only_body_forces);
  }
#if WITH_BODIES
  if (only_body_forces && notes_pins(c)) {
    note_body_forces(c, plan);
  }
#endif
  if (!only_body_forces) {
    contacts = add_forces(c, plan, index);
  }
  if (only_body_forces && inputs_of(c)->confined_count == 0) {
    return 0;
  }
#else
  contacts = add_forces(c, plan, index);
#endif

  /* 1e. Prediction of the positions: confinement, motion. */
  confine_vectors(c, c->state.velocity, 0);
  predict_positions(c, plan);
  return contacts;
}

#if WITH_PROJECTION

/* Pulls the tethers of all slots, and notes what they do to pins. */
static void pull_all_tethers(const cloth *c) {
  workspace_of(c)->obstacles = find_obstacles(c);
  for (int32_t slot = 0; slot < c->settings.tethers.count; slot++) {
#if WITH_BODIES
    keep_before_tethers(c);
#endif
    pull_tethers(c, slot);
#if WITH_BODIES
    note_tethers(c, slot);
#endif
  }
}

#endif

/* Stage 2. A step with a deadline may leave out all sweeps of strain limiting but the first. */
CLOTH_SEPARATE void enforce_lengths(const cloth *c, const step_plan *plan, int32_t contacts, int32_t index) {
  /* Particles that are at their targets are pins to what follows: targets. */
#if WITH_TARGETS && WITH_PROJECTION
  if (plan->led > 0) {
    lead_particles(c, plan, index);
  }
#endif
  (void)index;

  /* 2a. Bending and projected springs: projection (lines, stretch_solve, bend_solve). Where the solve has done all but
     bending, its contacts hold: solver_contact. */
  const int32_t holds = WITH_CONTACT_SOLVER && contacts && !plan->projects;
  if (holds) {
    hold_contacts(c, 1);
  }
#if WITH_BODIES
  loosen_attached(c, plan, 1);
#endif
  solve_lines(c, plan);
  if (holds) {
    hold_contacts(c, 0);
  }

#if WITH_PROJECTION
  /* 2b. Tethers: tether_pull. */
  if (plan->projects && plan->tethered) {
    pull_all_tethers(c);
  }
#endif

#if WITH_LIMITS
  /* 2c. Strain limiting: strain_limit. */
  for (int32_t sweep = 0; sweep < c->settings.strain_limit.sweeps; sweep++) {
    if (sweep > 0 && !may_refine(c)) {
      uint32_t sweeps_left = (uint32_t)(c->settings.strain_limit.sweeps - sweep);
      refund_work(c, (uint64_t)sweeps_left * (uint32_t)c->count, strain_limit_cost(c));
      break;
    }
    limit_strain(c, predicted_of(c));
  }
#endif

#if WITH_BODIES
  loosen_attached(c, plan, 0);
#endif
}

#if WITH_CONTACT_LINES

/* Stage 3, after contact: solves lines over contacts again, and what then lies in colliders is moved out. Contacts are
   not counted twice. */
CLOTH_SEPARATE void resolve_contact_lines(const cloth *c, const step_plan *plan, int32_t index) {
  workspace *w = workspace_of(c);
  if (w->statistics.contacts == 0 && !c->settings.capacity.fixed_work) {
    return;
  }
  w->skips_contact = !solve_contact_lines(c, plan, index);
  if (!w->skips_contact || c->settings.capacity.fixed_work) {
    const int32_t contacts = w->statistics.contacts, sticking = w->statistics.contacts_sticking;
    project_contacts(c, plan, index, &w->statistics);
    w->statistics.contacts = contacts;
    w->statistics.contacts_sticking = sticking;
  }
  w->skips_contact = 0;
  if (index == plan->substeps - 1) {
    forget_contacts(c);
    add_varying_work(c, (uint32_t)c->count, COST_TORN);
  }
}

#endif

/* Stage 3 without the solver's contacts. */
static void resolve_projected(const cloth *c, const step_plan *plan, int32_t index, cloth_statistics *counts) {
  workspace_of(c)->frees = workspace_of(c)->tears = 0;
  project_contacts(c, plan, index, counts);
#if WITH_CONTACT_LINES
  if (solves_contact_lines(c, plan)) {
    resolve_contact_lines(c, plan, index);
  }
#endif
  if (has_contact_pushes(c)) {
    forget_pushes(c);
  }
}

/* Substep `index` of a step, plan->h seconds long. */
CLOTH_SEPARATE void substep(const cloth *c, const step_plan *plan, int32_t index) {
  CLOTH_ASSERT(index < plan->substeps && plan->substeps <= CLOTH_SUBSTEP_LIMIT);
  cloth_statistics *counts = statistics_of(c);
  counts->contacts = 0;
  counts->contacts_sticking = 0;

  /* 1. New velocities and predicted positions: attachments, confinement, motion, forces, solver_contact, implicit. */
  start_moving(c, plan);
  confine_vectors(c, c->state.velocity, 0);
  int32_t contacts = advance_velocities(c, plan, index);
  end_stage(c, CLOTH_STAGE_VELOCITIES, index, c->state.velocity);

  /* 2. Lengths of springs and tethers: projection, tether_pull, strain_limit. Velocities from the moved positions, and
     the limit on speed: motion. */
  if ((WITH_LIMITS && c->settings.strain_limit.sweeps > 0) || plan->bends || (WITH_PROJECTION && plan->projects)) {
    enforce_lengths(c, plan, contacts, index);
    update_velocities_from_positions(c, plan, counts);
  } else {
    settle_velocities(c, plan, counts);
  }
  end_stage(c, CLOTH_STAGE_LIMITS, index, c->state.velocity);
  move_by_attached(c, plan);

  /* 3. Contacts: those of the solver take back their push (solver_contact), the others are projected (contact). */
  if (WITH_CONTACT_SOLVER && contacts) {
    remove_push_velocities(c, plan, index);
  }
  if (WITH_COLLIDERS) {
    resolve_projected(c, plan, index, counts);
  }

  finish_moving(c, plan);

  /* 4. Motion constraints to animated targets: targets. */
#if WITH_TARGETS
  if (inputs_of(c)->targets != TARGETS_NONE) {
    constrain_to_targets(c, plan, index);
  }
#endif
  end_stage(c, CLOTH_STAGE_CONTACTS, index, c->scratch.product);

  /* 5. The new positions and velocities, accepted or recovered: confinement, motion. */
  confine_vectors(c, c->state.velocity, 0);
  confine_vectors(c, c->scratch.product, 1);
  accept_particles(c, counts);
  end_stage(c, CLOTH_STAGE_POSITIONS, index, c->state.position);
}

/* What precedes the substeps: the plan, mobilities and uniform lines, the planned work, tethers and constraints. */
static void prepare_step(const cloth *c, float dt) {
  workspace *w = workspace_of(c);
  plan_step(c, dt, &w->plan);
  plan_hinges(c, &w->plan);
  clear_pads(c);
  prepare_particles(c, dt);
#if WITH_TARGETS && WITH_PROJECTION
  if (has_led_particles(c, &w->plan)) {
    w->plan.led = hold_led_particles(c);
  }
#endif
  w->plan.is_free = !w->plan.led && is_free_cloth(c);
  int32_t uniform = find_uniform_lines(c);
  reset_statistics(c, &w->plan);
  if (WITH_PLANNING) {
    scene_summary scene = summarise_scene(c, uniform);
    w->uniform = uniform;
    add_work(c, planned_work(c, &w->plan, &scene), 1);
  }
#if WITH_PROJECTION
  if (will_choose_tethers(c)) {
    choose_tethers(c);
  }
  w->plan.tethered = c->state.tethers ? mark_tethers(c) : 0;
  if (w->plan.tethered && w->plan.projects) {
    let_out_tethers(c, &w->plan);
  }
#endif
  if (has_bend_lines(&w->plan)) {
    plan_bend_lines(c, &w->plan);
  }
}

/* Puts the step at its origin, see step_origin.h, after that of a cloth that has strayed from it has followed. */
static void start_at_origin(const cloth *c) {
  workspace *w = workspace_of(c);
  position_box box = box_around(c);
#if WITH_ORIGIN
  w->statistics.origin_shift = follow_cloth(c, &box);
  const cloth_metres shift = w->statistics.origin_shift;
  w->plan.notes |= shift.x || shift.y || shift.z ? CLOTH_NOTE_ORIGIN_MOVED : 0;
  move_shared_bodies(c, shift);
#endif
  w->plan.notes |= set_step_origin(c, &box) ? CLOTH_NOTE_FAR : 0;
  move_by_step_origin(c, -1.0f);
}

/* Charges what the substeps have counted, and sets the notes of the step. Returns the notes. */
static int finish_statistics(const cloth *c, const step_plan *plan) {
  cloth_statistics *counts = statistics_of(c);
  const uint32_t products = (uint32_t)(counts->iterations + counts->substeps_capped); /* see bound_energy() */
  add_varying_work(c, (uint64_t)products * (uint32_t)c->count, iteration_cost(c, plan));
  add_varying_work(c, (uint32_t)counts->particles_limited + (uint32_t)counts->particles_recovered, COST_RECOVER);
  counts->notes = plan->notes;
  counts->notes |= counts->particles_limited ? CLOTH_NOTE_SPEED_LIMITED : 0;
  counts->notes |= counts->particles_recovered ? CLOTH_NOTE_RECOVERED : 0;
  return counts->notes;
}

/* A step with as many refinements as the workspace allows. Returns its notes. */
static int step(const cloth *c, float dt) {
#if WITH_SLEEP
  if (is_asleep(c)) {
    return step_asleep(c, dt);
  }
#endif
  prepare_step(c, dt);
  start_at_origin(c);
  workspace *w = workspace_of(c);
  w->tick = CLOTH_TICKS();
  w->skips_contact = 0;
  w->body.index = -1; /* no collider's motion is known yet */
  for (int32_t index = 0; index < w->plan.substeps; index++) {
    w->plan.index = index;
    substep(c, &w->plan, index);
  }
  leave_step_origin(c);
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

/* Lets the next step do all its optional work (refinements), without a deadline. */
static void allow_refinements(const cloth *c) {
  workspace *w = workspace_of(c);
  w->has_deadline = 0;
  w->is_cut = 0;
  w->refinements = 0;
}

/// 7. The interface ///

/// Inputs ///

/*
 * Calls that change forces, fabric and particles between steps. In: the caller's values, checked first. Out: inputs,
 * freedoms, confinements, positions and velocities in the state, flushed as the state keeps them. A value that differs
 * from what is stored wakes the cloth. Scratch is not used.
 */

/* Stores the vector at an offset of the inputs, if each component is within +-limit. */
CLOTH_SEPARATE int set_vector(const cloth *c, size_t offset, cloth_vector value, float limit) {
  int error = check_cloth(c);
  if (error) {
    return error;
  }
  if (!vector_in_range(value, limit)) {
    return CLOTH_ERROR_RANGE;
  }
  cloth_vector clean = vector_flush(value, STATE_QUANTUM);
  set_input(c, (char *)inputs_of(c) + offset, &clean, sizeof clean);
  return CLOTH_OK;
}

int cloth_set_gravity(cloth *c, cloth_vector gravity) {
  return set_vector(c, offsetof(cloth_inputs, gravity), gravity, GRAVITY_LIMIT);
}

int cloth_set_wind(cloth *c, cloth_vector wind) {
  return set_vector(c, offsetof(cloth_inputs, wind), wind, WIND_LIMIT);
}

#if WITH_AIR

static int check_gusts(const cloth_gusts *gusts) {
  int are_possible = are_gusts(gusts->strength, gusts->period) && in_range(gusts->start, 0.0f, 1.0e6f);
  return are_possible ? CLOTH_OK : CLOTH_ERROR_RANGE;
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
    changed.gust_phase[0] = changed.gust_phase[1] = 0;
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
    return CLOTH_ERROR_INDEX;
  }
  return row * c->grid.columns + column;
}

/* Sets the velocity of a particle [m/s], and its freedom with the PIN_... flags that tell what the velocity is. */
static void set_motion(const cloth *c, int32_t particle, cloth_vector velocity, uint32_t freedom) {
  set_particle_vector(c, vectors_at(c, c->state.velocity), particle, vector_flush(velocity, STATE_QUANTUM));
  freedom_of(c)[particle] = (uint8_t)freedom;
}

/* Sets the freedom of a particle. Tethers that were chosen are stale when a pin comes or goes; tethers that the caller
   has set to a released pin are removed. */
static void set_freedom(const cloth *c, int32_t particle, uint32_t freedom) {
#if WITH_BODIES
  if (find_attachment(c, particle)) {
    remove_attachment(c, particle);
    wake(c);
  }
#endif
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
  vector_store(vectors_at(c, c->state.velocity), particle, current_velocity(c, particle)); /* without a move */
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

/* CLOTH_OK for a pin that the caller may move: one that is not attached to a collider. */
static int check_free_pin(const cloth *c, int32_t particle) {
  int error = check_pin(c, particle);
#if WITH_BODIES
  error = !error && find_attachment(c, particle) ? CLOTH_ERROR_STATE : error;
#endif
  return error;
}

int cloth_set_pin_velocity(cloth *c, int32_t particle, cloth_vector velocity) {
  int error = check_free_pin(c, particle);
  if (error) {
    return error;
  }
  if (!vector_in_range(velocity, CLOTH_SPEED_LIMIT)) {
    return CLOTH_ERROR_RANGE;
  }
  set_motion(c, particle, velocity, FREEDOM_PINNED);
  return CLOTH_OK;
}

int cloth_move_pin(cloth *c, int32_t particle, cloth_vector target) {
  int error = check_free_pin(c, particle);
  if (error) {
    return error;
  }
  cloth_vector from = vector_load(vectors_at(c, c->state.position), particle);
  cloth_vector displacement = vector_flush_work(vector_subtract(vector_flush(target, STATE_QUANTUM), from));
  /* In the longest step, 1 s, the velocity of a displacement is the same number. */
  if (!vector_in_range(target, CLOTH_POSITION_LIMIT) || !vector_in_range(displacement, CLOTH_SPEED_LIMIT)) {
    return CLOTH_ERROR_RANGE;
  }
  cloth_vector moved = vector_flush(displacement, STATE_QUANTUM);
  if (moved.x != 0.0f || moved.y != 0.0f || moved.z != 0.0f) {
    wake(c);
  } else if (WITH_SLEEP && is_asleep(c)) {
    return CLOTH_OK; /* less than 1 nm does not wake a cloth */
  }
  vector_store(vectors_at(c, c->state.velocity), particle, displacement);
  freedom_of(c)[particle] = FREEDOM_PINNED | PIN_MOVING;
  return CLOTH_OK;
}

#if WITH_CONFINED

/* Length below which a vector has no direction [m], and largest component, whose square is a finite float. */
#define MIN_DIRECTION 1.0e-6f
#define MAX_DIRECTION 1.0e10f

static int confine(cloth *c, int32_t particle, cloth_vector direction, uint32_t freedom) {
  int error = check_particle(c, particle);
  if (error) {
    return error;
  }
  float length = vector_in_range(direction, MAX_DIRECTION) ? vector_length(direction) : 0.0f;
  if (!(length > MIN_DIRECTION)) {
    return CLOTH_ERROR_RANGE;
  }
  uint32_t before = freedom_of(c)[particle] & FREEDOM_MASK;
  if (!is_confined(before) && inputs_of(c)->confined_count == c->settings.capacity.max_confined) {
    return CLOTH_ERROR_FULL;
  }
  cloth_vector clean = vector_flush_work(vector_scale(vector_flush(direction, INPUT_QUANTUM), 1.0f / length));
  confinement *held = find_confinement(c, particle);
  /* The same direction wakes nothing: the anchor moves to the particle, which is on the line or plane already. */
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
  held->anchor =
      vector_flush(vector_load(vectors_at(c, c->state.position), particle), STATE_QUANTUM); /* as saves have it */
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

int cloth_get_freedom(const cloth *c, int32_t particle) {
  int error = check_particle(c, particle);
  return error ? error : (int)(freedom_of(c)[particle] & FREEDOM_MASK);
}

int cloth_set_particle(cloth *c, int32_t particle, cloth_vector position, cloth_vector velocity) {
  int error = check_particle(c, particle);
  if (error) {
    return error;
  }
  if (!vector_in_range(position, CLOTH_POSITION_LIMIT) || !vector_in_range(velocity, CLOTH_SPEED_LIMIT)) {
    return CLOTH_ERROR_RANGE;
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
  cloth_vector velocity = vector_add_scaled(current_velocity(c, particle), impulse, 1.0f / mass);
  if (!vector_is_finite(impulse) || !vector_in_range(velocity, CLOTH_SPEED_LIMIT)) {
    return CLOTH_ERROR_RANGE;
  }
  if (!is_pinned(c, particle)) {
    set_motion(c, particle, velocity, freedom_of(c)[particle]);
    invalidate_history(c, particle);
  }
  return CLOTH_OK;
}

/// Colliders ///

/*
 * Calls that add, change, move and remove colliders. In: the caller's colliders and poses, checked first. Out: collider
 * slots and the number of slots in use, in the state. A change wakes the cloth. Scratch holds the reactions only, which
 * are read.
 */

#if WITH_COLLIDERS

cloth_collider cloth_collider_default(void) {
  cloth_collider body;
  fill_zero(&body, sizeof body);
  body.shape = CLOTH_SHAPE_SPHERE;
  body.pose.rotation.w = 1.0f;
  body.radius = 0.25f;
  body.radius_top = 0.25f;
  body.half_height = 0.25f;
  body.half_extents = vector(0.25f, 0.25f, 0.25f);
  body.static_friction = 0.5f;
  body.kinetic_friction = 0.5f;
  return body;
}

/* Is a length of a shape in range [m]? Texts of settings.h quote the ends. */
static int is_size(float length) {
  return in_range(length, 1.0e-3f, 1.0e4f);
}

/* Largest difference of a capsule's radii over its half_height. At 2 one sphere touches the other from inside, and the
   cone that touches both is gone; the margin keeps its sine clear of 1. */
#define MAX_CAPSULE_TAPER 1.998f
/* Largest friction coefficient. */
#define MAX_FRICTION 10.0f

static int find_capsule_fault(const cloth_collider *body) {
  if (!is_size(body->radius)) {
    return COLLIDER_FAULT(RADIUS);
  }
  if (!is_size(body->radius_top)) {
    return COLLIDER_FAULT(RADIUS_TOP);
  }
  if (!is_size(body->half_height)) {
    return COLLIDER_FAULT(HALF_HEIGHT);
  }
  return absolute(body->radius - body->radius_top) < MAX_CAPSULE_TAPER * body->half_height ? 0
                                                                                           : COLLIDER_FAULT(SPHERES);
}

static int find_key_fault(const cloth_geometry_key *key) {
  if (key->elements < 1 || key->elements > CLOTH_SAMPLE_LIMIT) {
    return COLLIDER_FAULT(GEOMETRY);
  }
  return key->place >= 0 && key->place < CLOTH_GEOMETRY_LIMIT ? 0 : COLLIDER_FAULT(PLACE);
}

static int find_shape_fault(const cloth_collider *body) {
  const cloth_vector half = body->half_extents;
  switch (body->shape) {
  case CLOTH_SHAPE_PLANE:
    return 0;
  case CLOTH_SHAPE_SPHERE:
    return is_size(body->radius) ? 0 : COLLIDER_FAULT(RADIUS);
  case CLOTH_SHAPE_CAPSULE:
    return find_capsule_fault(body);
  case CLOTH_SHAPE_BOX:
    return is_size(half.x) && is_size(half.y) && is_size(half.z) ? 0 : COLLIDER_FAULT(HALF_EXTENTS);
  case CLOTH_SHAPE_CYLINDER:
    if (!is_size(body->radius)) {
      return COLLIDER_FAULT(RADIUS);
    }
    return is_size(body->half_height) ? 0 : COLLIDER_FAULT(HALF_HEIGHT);
  case CLOTH_SHAPE_HULL:
    return WITH_HULL ? find_key_fault(&body->geometry) : COLLIDER_FAULT(NO_SHAPE);
  case CLOTH_SHAPE_HEIGHT_FIELD:
    return WITH_HEIGHT_FIELD ? find_key_fault(&body->geometry) : COLLIDER_FAULT(NO_SHAPE);
  case CLOTH_SHAPE_MESH:
    return WITH_MESH ? find_key_fault(&body->geometry) : COLLIDER_FAULT(NO_SHAPE);
  case CLOTH_SHAPE_DISTANCE_GRID:
    return WITH_DISTANCE_GRID ? find_key_fault(&body->geometry) : COLLIDER_FAULT(NO_SHAPE);
  default:
    return COLLIDER_FAULT(SHAPE);
  }
}

static int find_friction_fault(const cloth_collider *body) {
  if (!in_range(body->static_friction, 0.0f, MAX_FRICTION)) {
    return COLLIDER_FAULT(STATIC);
  }
  if (!in_range(body->kinetic_friction, 0.0f, MAX_FRICTION)) {
    return COLLIDER_FAULT(KINETIC);
  }
  return body->kinetic_friction <= body->static_friction ? 0 : COLLIDER_FAULT(FRICTIONS);
}

/* The first fault of a collider, 0 for none. */
static int find_collider_fault(const cloth_collider *body) {
  if (!body) {
    return COLLIDER_FAULT(POINTER);
  }
  int fault = find_shape_fault(body);
  if (fault) {
    return fault;
  }
  if (!vector_in_range(body->pose.position, CLOTH_POSITION_LIMIT)) {
    return COLLIDER_FAULT(POSITION);
  }
  return is_unit_rotation(body->pose.rotation) ? find_friction_fault(body) : COLLIDER_FAULT(ROTATION);
}

static int collider_error(int fault) {
  return fault ? collider_fault_errors[fault - 1] : CLOTH_OK;
}

static int check_collider(const cloth_collider *body) {
  return collider_error(find_collider_fault(body));
}

/* A collider as the state keeps it: lengths that its shape does not use are 0, so that equal colliders hash equally. */
static collider_slot stored_collider(const cloth_collider *body) {
  collider_slot clean;
  collider_slot *slot = &clean;
  int round =
      body->shape == CLOTH_SHAPE_SPHERE || body->shape == CLOTH_SHAPE_CAPSULE || body->shape == CLOTH_SHAPE_CYLINDER;
  int tall = body->shape == CLOTH_SHAPE_CAPSULE || body->shape == CLOTH_SHAPE_CYLINDER;
  fill_zero(slot, sizeof *slot);
  slot->used = 1;
  slot->body.shape = body->shape;
  if (has_geometry(body)) {
    slot->body.geometry = body->geometry;
  }
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

/* CLOTH_OK if a cloth has capacity for a collider in place of the one at `index`, -1 for none. A collider with mass
   keeps it, and has to be convex. */
static int check_capacity(const cloth *c, const cloth_collider *body, int32_t index) {
  if (!has_geometry(body)) {
    return CLOTH_OK;
  }
  if (is_concave(body) && body_number(c, index) >= 0) {
    return CLOTH_ERROR_CONFLICT;
  }
  if (body->shape != CLOTH_SHAPE_MESH) {
    return c->settings.capacity.geometry ? CLOTH_OK : CLOTH_ERROR_STATE;
  }
  int32_t meshes = 0;
  for (int32_t n = 0; n < inputs_of(c)->collider_end; n++) {
    const collider_slot *slot = &colliders_of(c)[n];
    meshes += n != index && slot->used && slot->body.shape == CLOTH_SHAPE_MESH;
  }
  return meshes < c->settings.capacity.meshes ? CLOTH_OK : CLOTH_ERROR_FULL;
}

int cloth_add_collider(cloth *c, const cloth_collider *collider) {
  int error = check_cloth(c);
  error = error ? error : check_collider(collider);
  error = error ? error : check_capacity(c, collider, -1);
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
                                                                                                 : CLOTH_ERROR_INDEX;
}

int cloth_set_collider(cloth *c, int32_t index, const cloth_collider *collider) {
  int error = check_collider_index(c, index);
  error = error ? error : check_collider(collider);
  error = error ? error : check_capacity(c, collider, index);
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
#if WITH_BODIES
  remove_body(c, index);
  for (int32_t n = inputs_of(c)->attachment_count - 1; n >= 0; n--) {
    if (attachments_of(c)[n].collider == index) {
      set_freedom(c, attachments_of(c)[n].particle, FREEDOM_FREE);
    }
  }
#endif
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

int cloth_get_collider_reaction(const cloth *c, int32_t index, cloth_reaction *reaction) {
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

/// Calls for bodies ///

/*
 * Calls that give colliders mass, attach particles to them, and read what the cloth did. In: the caller's values,
 * checked first. Out: bodies and attachments in the state. Scratch holds the reactions only, which are read.
 */

#if WITH_BODIES

cloth_body cloth_body_default(const cloth_collider *collider, float mass) {
  cloth_body body;
  fill_zero(&body, sizeof body);
  body.mass = mass;
  body.gravity = 1.0f;
  if (!collider) {
    return body;
  }
  const cloth_vector h = collider->half_extents;
  const float radius =
      collider->shape == CLOTH_SHAPE_CAPSULE ? 0.5f * (collider->radius + collider->radius_top) : collider->radius;
  const float round = radius * radius, length = 2.0f * collider->half_height;
  float across = 0.0f, along = 0.0f; /* over the mass */
  switch (collider->shape) {
  case CLOTH_SHAPE_SPHERE:
    across = along = 0.4f * round;
    break;
  case CLOTH_SHAPE_CYLINDER:
    along = 0.5f * round;
    across = 0.25f * round + length * length * (1.0f / 12.0f);
    break;
  case CLOTH_SHAPE_CAPSULE: {
    /* A cylinder of the length l, and two half balls, whose centres of mass are 3/8 of the radius beyond its ends. */
    const float ball = 4.0f / 3.0f * radius / (length + 4.0f / 3.0f * radius), far = 0.5f * length + 0.375f * radius;
    along = (1.0f - ball) * 0.5f * round + ball * 0.4f * round;
    across = (1.0f - ball) * (0.25f * round + length * length * (1.0f / 12.0f)) +
             ball * ((0.4f - 0.140625f) * round + far * far);
    break;
  }
  case CLOTH_SHAPE_BOX:
  case CLOTH_SHAPE_HULL:
    body.inertia = vector(h.y * h.y + h.z * h.z, h.z * h.z + h.x * h.x, h.x * h.x + h.y * h.y);
    body.inertia = vector_scale(body.inertia, mass * (1.0f / 3.0f));
    return body;
  default:
    return body;
  }
  body.inertia = vector_scale(vector(across, along, across), mass);
  return body;
}

#define MIN_BODY_MASS 1.0e-6f
#define MAX_BODY_MASS 1.0e9f
#define MIN_BODY_INERTIA 1.0e-9f
#define MAX_BODY_INERTIA 1.0e12f

static int is_inertia(float value) {
  return in_range(value, MIN_BODY_INERTIA, MAX_BODY_INERTIA);
}

/* CLOTH_OK, or CLOTH_ERROR_RANGE. */
static int check_body(const cloth_body *body) {
  const cloth_vector i = body->inertia;
  const int turns = i.x != 0.0f || i.y != 0.0f || i.z != 0.0f;
  const int is_body = in_range(body->mass, MIN_BODY_MASS, MAX_BODY_MASS) &&
                      (!turns || (is_inertia(i.x) && is_inertia(i.y) && is_inertia(i.z))) &&
                      vector_in_range(body->velocity, CLOTH_SPEED_LIMIT) && vector_in_range(body->spin, MAX_SPIN) &&
                      in_range(body->gravity, 0.0f, 1.0f);
  return is_body ? CLOTH_OK : CLOTH_ERROR_RANGE;
}

/* Lets the next step choose tethers anew, as none may lead to particles attached to a body. */
static void forget_tethers(const cloth *c) {
  if (inputs_of(c)->tethers_chosen == TETHERS_CHOSEN) {
    inputs_of(c)->tethers_chosen = TETHERS_STALE;
  }
}

int cloth_set_body(cloth *c, int32_t collider, const cloth_body *body) {
  int error = check_collider_index(c, collider);
  error = error || !body ? error : check_body(body);
  error = !error && body && is_concave(&colliders_of(c)[collider].body) ? CLOTH_ERROR_CONFLICT : error;
  if (error) {
    return error;
  }
  if (!body) {
    remove_body(c, collider);
    forget_tethers(c);
    return CLOTH_OK;
  }
  const rigid_body clean = {.collider = collider,
                            .mass = body->mass,
                            .inertia = body->inertia,
                            .velocity = vector_flush(body->velocity, STATE_QUANTUM),
                            .spin = vector_flush(body->spin, STATE_QUANTUM),
                            .gravity = flush_small(body->gravity, WORK_QUANTUM)};
  rigid_body *stored = find_body(c, collider);
  if (!stored && inputs_of(c)->body_count == c->settings.capacity.max_bodies) {
    return CLOTH_ERROR_FULL;
  }
  if (!stored) {
    stored = &bodies_of(c)[inputs_of(c)->body_count++];
    forget_tethers(c);
  }
  set_input(c, stored, &clean, sizeof clean);
  return CLOTH_OK;
}

int cloth_get_body(const cloth *c, int32_t collider, cloth_body *body, cloth_pose *pose) {
  int error = check_collider_index(c, collider);
  if (error || !body || !pose) {
    return error ? error : CLOTH_ERROR_NULL;
  }
  const rigid_body *stored = find_body(c, collider);
  if (!stored) {
    return CLOTH_ERROR_STATE;
  }
  body->mass = stored->mass;
  body->inertia = stored->inertia;
  body->velocity = stored->velocity;
  body->spin = stored->spin;
  body->gravity = stored->gravity;
  *pose = colliders_of(c)[collider].body.pose;
  return CLOTH_OK;
}

int cloth_attach(cloth *c, int32_t particle, int32_t collider, const cloth_vector *point) {
  int error = check_particle(c, particle);
  error = error ? error : check_collider_index(c, collider);
  if (error) {
    return error;
  }
  const cloth_vector x = vector_load(vectors_at(c, c->state.position), particle);
  const cloth_vector local =
      point ? vector_flush(*point, STATE_QUANTUM) : to_local(&colliders_of(c)[collider].previous, x);
  if (!vector_in_range(local, CLOTH_POSITION_LIMIT)) {
    return CLOTH_ERROR_RANGE;
  }
  const attachment wanted = {particle, collider, local};
  attachment *a = find_attachment(c, particle);
  if (!a && inputs_of(c)->attachment_count == c->settings.capacity.max_attachments) {
    return CLOTH_ERROR_FULL;
  }
  if (a && are_equal(a, &wanted, sizeof wanted)) {
    return CLOTH_OK;
  }
  remove_confinement(c, particle);
  set_freedom(c, particle, FREEDOM_PINNED);
  attachments_of(c)[inputs_of(c)->attachment_count++] = wanted;
  forget_tethers(c);
  wake(c);
  return CLOTH_OK;
}

int cloth_get_pin_reaction(const cloth *c, int32_t particle, cloth_vector *impulse) {
  int error = check_particle(c, particle);
  if (error || !impulse) {
    return error ? error : CLOTH_ERROR_NULL;
  }
  if (!c->settings.capacity.pin_reactions || (freedom_of(c)[particle] & FREEDOM_MASK) == FREEDOM_FREE) {
    return CLOTH_ERROR_STATE;
  }
  *impulse = ((const cloth_vector *)at(c, c->own.pin_reactions))[particle];
  return CLOTH_OK;
}

#endif

/// Building convex hulls ///

/*
 * Finds the edges of the solid between planes. In: planes that are in range. Out: the geometry. An edge is what is left
 * of the line in which two planes meet once all others have cut it. Planes without an edge bound nothing and are left
 * out. The solid has to be closed: no edge may be without an end.
 */

#if WITH_HULL

/* Shortest edge [m]: shorter ones are corners up to rounding. */
#define HULL_MIN_EDGE 1.0e-5f
/* Squared sine between two planes below which they count as parallel. */
#define HULL_PARALLEL 1.0e-6f
/* Beyond every point of a line that has an end: planes are within 1e4 m [m]. */
#define HULL_ENDLESS 1.0e7f
/* Tolerance of points on planes, as a share of the largest coordinate. */
#define HULL_TOLERANCE 4.0e-6f

/* A part of a line. */
typedef struct line_part {
  cloth_vector through, direction; /* a point of it [m], and a unit vector */
  float low, high;                 /* ends [m] */
} line_part;

/* The line in which two planes meet. Returns 0 if they are parallel. */
static int meet_planes(const hull_plane *a, const hull_plane *b, line_part *line) {
  const cloth_vector along = vector_flush_work(vector_cross(a->normal, b->normal));
  const float squared = vector_dot(along, along);
  if (squared < HULL_PARALLEL) {
    return 0;
  }
  const cloth_vector first = vector_flush_work(vector_cross(b->normal, along));
  const cloth_vector second = vector_flush_work(vector_cross(along, a->normal));
  const cloth_vector sum = vector_add_scaled(vector_scale(first, a->offset), second, b->offset);
  line->through = vector_flush(vector_scale(vector_flush(sum, STATE_QUANTUM), 1.0f / squared), STATE_QUANTUM);
  line->direction = vector_flush_work(vector_scale(along, 1.0f / square_root(squared)));
  line->low = -HULL_ENDLESS;
  line->high = HULL_ENDLESS;
  return 1;
}

/* Takes away what is in front of a plane. */
static void cut_line(line_part *line, const hull_plane *plane, float tolerance) {
  const float slope = flush_small(vector_dot(line->direction, plane->normal), 1.0e-5f);
  const float height = vector_dot(line->through, plane->normal) - plane->offset;
  if (slope == 0.0f) {
    line->high = height > tolerance ? line->low : line->high;
    return;
  }
  const float end = negate(height) / slope;
  line->high = slope > 0.0f ? minimum(line->high, end) : line->high;
  line->low = slope < 0.0f ? maximum(line->low, end) : line->low;
}

/* Cuts the line of the planes a and b by all others. */
static void cut_by_others(line_part *line, const hull_plane *planes, int32_t count, int32_t a, int32_t b,
                          float tolerance) {
  for (int32_t n = 0; n < count; n++) {
    if (n != a && n != b) {
      cut_line(line, &planes[n], tolerance);
    }
  }
}

/* Copies the planes, but for those that lie behind a parallel one or on it. Returns how many. */
static int32_t copy_planes(const cloth_hull_data *data, hull_plane *planes) {
  int32_t count = 0;
  for (int32_t n = 0; n < data->planes; n++) {
    const cloth_vector given = vector_flush_work(data->normals[n]);
    const float length = vector_length(given);
    const hull_plane plane = {vector_flush_work(vector_scale(given, 1.0f / length)),
                              flush_small(data->offsets[n], STATE_QUANTUM)};
    int32_t same = 0;
    while (same < count && vector_dot(planes[same].normal, plane.normal) < 1.0f - 0.5f * HULL_PARALLEL) {
      same++;
    }
    if (same < count) {
      planes[same] = plane.offset < planes[same].offset ? plane : planes[same];
    } else {
      planes[count++] = plane;
    }
  }
  return count;
}

static void hold_corner(cloth_geometry *g, cloth_vector p) {
  g->low = vector(minimum(p.x, g->low.x), minimum(p.y, g->low.y), minimum(p.z, g->low.z));
  g->high = vector(maximum(p.x, g->high.x), maximum(p.y, g->high.y), maximum(p.z, g->high.z));
}

/* Adds the edge between two planes, if they have one, to the geometry, and to `edges` unless that is NULL. Returns a
   fault, or 0. */
static int add_edge(cloth_geometry *g, hull_edge *edges, const line_part *line, int *has_edge) {
  if (line->high - line->low < HULL_MIN_EDGE) {
    return 0;
  }
  if (line->low <= -HULL_ENDLESS || line->high >= HULL_ENDLESS || g->counts[1] == g->counts[2]) {
    return GEOMETRY_FAULT(HULL_OPEN);
  }
  const cloth_vector from = vector_flush(vector_add_scaled(line->through, line->direction, line->low), STATE_QUANTUM);
  const cloth_vector to = vector_flush(vector_add_scaled(line->through, line->direction, line->high), STATE_QUANTUM);
  const cloth_vector along = vector_flush(vector_subtract(to, from), STATE_QUANTUM);
  const hull_edge edge = {from, along, 1.0f / maximum(vector_dot(along, along), 1.0e-12f)};
  if (edges) {
    edges[g->counts[1]] = edge;
  }
  g->counts[1]++;
  hold_corner(g, from);
  hold_corner(g, to);
  *has_edge = 1;
  return 0;
}

/* Removes planes without an edge. Returns how many are left. */
static int32_t drop_unused(hull_plane *planes, const uint8_t *used, int32_t count) {
  int32_t kept = 0;
  for (int32_t n = 0; n < count; n++) {
    if (used[n]) {
      planes[kept++] = planes[n];
    }
  }
  return kept;
}

/* Finds planes and edges of data without a fault in its numbers; `edges` may be NULL. Returns a fault, or 0. */
CLOTH_SEPARATE int find_hull(const cloth_hull_data *data, cloth_geometry *g, hull_plane *planes, hull_edge *edges) {
  uint8_t used[CLOTH_HULL_PLANE_LIMIT];
  fill_zero(used, sizeof used);
  const int32_t count = copy_planes(data, planes);
  g->counts[2] = 3 * data->planes; /* room for edges */
  float largest = 0.0f;
  for (int32_t n = 0; n < count; n++) {
    largest = maximum(absolute(planes[n].offset), largest);
  }
  g->low = vector(HULL_ENDLESS, HULL_ENDLESS, HULL_ENDLESS);
  g->high = vector(-HULL_ENDLESS, -HULL_ENDLESS, -HULL_ENDLESS);
  for (int32_t a = 0; a < count; a++) {
    for (int32_t b = a + 1; b < count; b++) {
      line_part line;
      if (meet_planes(&planes[a], &planes[b], &line)) {
        int has_edge = 0;
        cut_by_others(&line, planes, count, a, b, HULL_TOLERANCE * largest);
        const int fault = add_edge(g, edges, &line, &has_edge);
        if (fault) {
          return fault;
        }
        used[a] = used[a] || has_edge;
        used[b] = used[b] || has_edge;
      }
    }
  }
  g->counts[0] = drop_unused(planes, used, count);
  if (g->counts[0] < 4 || g->counts[1] < 6) {
    return GEOMETRY_FAULT(HULL_EMPTY);
  }
  const float reach = maximum(vector_length(g->low), vector_length(g->high));
  g->tolerance = maximum(HULL_TOLERANCE * reach, 2.0f * STATE_QUANTUM);
  g->elements = g->counts[0] + g->counts[1];
  return 0;
}

/* Builds a hull from data without a fault in its numbers. Returns a fault, or 0. */
static int build_hull(const cloth_hull_data *data, cloth_geometry *g) {
  return find_hull(data, g, (hull_plane *)(void *)((char *)(void *)g + g->data),
                   (hull_edge *)(void *)((char *)(void *)g + g->edges));
}

#if WITH_NAMES

/* The fault of planes that enclose nothing, or not all sides; 0 without. */
static int find_hull_fault(const cloth_hull_data *data) {
  cloth_geometry g;
  hull_plane planes[CLOTH_HULL_PLANE_LIMIT];
  fill_zero(&g, sizeof g);
  return find_hull(data, &g, planes, NULL);
}

#endif

#endif

/// Building meshes ///

/*
 * Sorts triangles along a Morton curve through the box around their vertices, and builds the tree above them level by
 * level. In: vertices and indices that are in range. Out: the geometry. The keys of the sort lie where the nodes will
 * be, which take more room.
 */

#if WITH_MESH

/* A triangle's place along the curve, and its number. */
typedef struct mesh_key {
  uint32_t code, index;
} mesh_key;

/* Bits of a code along each axis. */
#define MORTON_BITS 10

/* Nodes of a level over `children`. */
static int32_t nodes_over(int32_t children) {
  return (children + MESH_CHILDREN - 1) / MESH_CHILDREN;
}

/* Sets where the parts of a mesh lie. Returns its size [bytes]. */
static uint32_t layout_mesh(int32_t triangles, cloth_geometry *g) {
  uint32_t end = GEOMETRY_HEAD + (uint32_t)triangles * (uint32_t)sizeof(surface_triangle);
  end = (end + 31u) & ~31u; /* loads of lanes then cross no cache line */
  g->data = GEOMETRY_HEAD;
  g->counts[0] = triangles;
  g->counts[1] = 0;
  for (int32_t nodes = triangles; nodes > 1 || g->counts[1] == 0;) {
    nodes = nodes_over(nodes);
    g->levels[g->counts[1]++] = end;
    end += (uint32_t)nodes * (uint32_t)sizeof(mesh_node);
  }
  return end;
}

/* Spreads the lowest 10 bits, two zeros between any two. */
static uint32_t spread_bits(uint32_t bits) {
  uint32_t spread = 0;
  for (uint32_t n = 0; n < MORTON_BITS; n++) {
    spread |= (bits >> n & 1u) << (3u * n);
  }
  return spread;
}

/* Cell of a coordinate in a range, 0..1023. */
static uint32_t curve_cell(float value, float low, float high) {
  const float cells = (float)(1 << MORTON_BITS);
  const float cell = high > low ? (value - low) * (cells / (high - low)) : 0.0f;
  return (uint32_t)minimum(maximum(cell, 0.0f), cells - 1.0f);
}

static cloth_vector corner_of_mesh(const cloth_mesh_data *data, int32_t triangle_number, int32_t corner) {
  return vector_flush(data->vertices[data->indices[3 * triangle_number + corner]], STATE_QUANTUM);
}

static uint32_t curve_code(const cloth_mesh_data *data, const cloth_geometry *g, int32_t number) {
  cloth_vector sum = vector_add(corner_of_mesh(data, number, 0), corner_of_mesh(data, number, 1));
  const cloth_vector p = vector_scale(vector_add(sum, corner_of_mesh(data, number, 2)), 1.0f / 3.0f);
  return spread_bits(curve_cell(p.x, g->low.x, g->high.x)) | spread_bits(curve_cell(p.y, g->low.y, g->high.y)) << 1 |
         spread_bits(curve_cell(p.z, g->low.z, g->high.z)) << 2;
}

static int is_key_less(const mesh_key *a, const mesh_key *b) {
  return a->code < b->code || (a->code == b->code && a->index < b->index);
}

/* Moves the key at `root` down in a heap of `count` keys, whose largest is on top. */
static void sift_down(mesh_key *keys, int32_t root, int32_t count) {
  const mesh_key moved = keys[root];
  while (2 * root + 1 < count) {
    int32_t child = 2 * root + 1;
    child += child + 1 < count && is_key_less(&keys[child], &keys[child + 1]);
    if (!is_key_less(&moved, &keys[child])) {
      break;
    }
    keys[root] = keys[child];
    root = child;
  }
  keys[root] = moved;
}

/* Heap sort: in place, and n log n whatever the order. */
static void sort_keys(mesh_key *keys, int32_t count) {
  for (int32_t root = count / 2 - 1; root >= 0; root--) {
    sift_down(keys, root, count);
  }
  for (int32_t end = count - 1; end > 0; end--) {
    const mesh_key largest = keys[0];
    keys[0] = keys[end];
    keys[end] = largest;
    sift_down(keys, 0, end);
  }
}

/* Sets the box of a child; `low` above `high` for none. */
static void set_child(mesh_node *node, int32_t child, cloth_vector low, cloth_vector high) {
  node->low[0][child] = low.x;
  node->low[1][child] = low.y;
  node->low[2][child] = low.z;
  node->high[0][child] = high.x;
  node->high[1][child] = high.y;
  node->high[2][child] = high.z;
}

/* The coordinates of the corners of a triangle: the least (sign 1), or the largest (sign -1). */
static cloth_vector triangle_extreme(const surface_triangle *t, float sign) {
  const cloth_vector a = t->corner, b = vector_add(a, t->edge[0]), c = vector_add(a, t->edge[1]);
  const cloth_vector d = vector(sign * minimum(sign * a.x, minimum(sign * b.x, sign * c.x)),
                                sign * minimum(sign * a.y, minimum(sign * b.y, sign * c.y)),
                                sign * minimum(sign * a.z, minimum(sign * b.z, sign * c.z)));
  return vector_flush(d, STATE_QUANTUM);
}

/* The least low or largest high coordinate of all children of a node, as triangle_extreme(). */
static float node_extreme(const float children[MESH_CHILDREN], float sign) {
  float least = sign * children[0];
  for (int32_t n = 1; n < MESH_CHILDREN; n++) {
    least = minimum(sign * children[n], least);
  }
  return flush_small(sign * least, STATE_QUANTUM);
}

/* Beyond every coordinate [m]. */
#define MESH_BEYOND 1.0e18f

/* Sets the boxes of the nodes of a level. */
static void build_level(cloth_geometry *g, int32_t level, int32_t children) {
  char *start = (char *)(void *)g;
  mesh_node *nodes = (mesh_node *)(void *)(start + g->levels[level]);
  const mesh_node *below = (const mesh_node *)(void *)(start + g->levels[level > 0 ? level - 1 : 0]);
  const surface_triangle *triangles = (const surface_triangle *)(void *)(start + g->data);
  for (int32_t n = 0; n < nodes_over(children) * MESH_CHILDREN; n++) {
    cloth_vector low = vector(MESH_BEYOND, MESH_BEYOND, MESH_BEYOND), high = vector_scale(low, -1.0f);
    if (n < children && level == 0) {
      low = triangle_extreme(&triangles[n], 1.0f);
      high = triangle_extreme(&triangles[n], -1.0f);
    } else if (n < children) {
      const mesh_node *node = &below[n];
      low =
          vector(node_extreme(node->low[0], 1.0f), node_extreme(node->low[1], 1.0f), node_extreme(node->low[2], 1.0f));
      high = vector(node_extreme(node->high[0], -1.0f), node_extreme(node->high[1], -1.0f),
                    node_extreme(node->high[2], -1.0f));
    }
    set_child(&nodes[n / MESH_CHILDREN], n % MESH_CHILDREN, low, high);
  }
}

/* The box around all vertices of triangles. */
static void measure_mesh(const cloth_mesh_data *data, cloth_geometry *g) {
  g->low = vector(MESH_BEYOND, MESH_BEYOND, MESH_BEYOND);
  g->high = vector(-MESH_BEYOND, -MESH_BEYOND, -MESH_BEYOND);
  for (int32_t n = 0; n < 3 * data->triangle_count; n++) {
    const cloth_vector p = corner_of_mesh(data, n / 3, n % 3);
    g->low = vector(minimum(p.x, g->low.x), minimum(p.y, g->low.y), minimum(p.z, g->low.z));
    g->high = vector(maximum(p.x, g->high.x), maximum(p.y, g->high.y), maximum(p.z, g->high.z));
  }
}

/* Builds a mesh from data without a fault. */
CLOTH_SEPARATE void build_mesh(const cloth_mesh_data *data, cloth_geometry *g) {
  char *start = (char *)(void *)g;
  surface_triangle *triangles = (surface_triangle *)(void *)(start + g->data);
  mesh_key *keys = (mesh_key *)(void *)(start + g->levels[0]);
  measure_mesh(data, g);
  for (int32_t n = 0; n < data->triangle_count; n++) {
    keys[n].code = curve_code(data, g, n);
    keys[n].index = (uint32_t)n;
  }
  sort_keys(keys, data->triangle_count);
  for (int32_t n = 0; n < data->triangle_count; n++) {
    const int32_t from = (int32_t)keys[n].index;
    make_triangle(&triangles[n], corner_of_mesh(data, from, 0), corner_of_mesh(data, from, 1),
                  corner_of_mesh(data, from, 2));
  }
  int32_t children = data->triangle_count;
  for (int32_t level = 0; level < g->counts[1]; level++) {
    build_level(g, level, children);
    children = nodes_over(children);
  }
  g->counts[2] = data->one_sided;
  g->elements = data->triangle_count;
}

/* The first fault of vertices and triangles; 0 for none. */
static int find_mesh_fault(const cloth_mesh_data *data) {
  for (int32_t n = 0; n < data->vertex_count; n++) {
    if (!vector_in_range(data->vertices[n], GEOMETRY_EXTENT)) {
      return GEOMETRY_FAULT(VERTEX);
    }
  }
  for (int32_t n = 0; n < 3 * data->triangle_count; n++) {
    if (data->indices[n] >= (uint32_t)data->vertex_count) {
      return GEOMETRY_FAULT(INDEX);
    }
  }
  for (int32_t n = 0; n < data->triangle_count; n++) {
    surface_triangle t;
    if (!make_triangle(&t, corner_of_mesh(data, n, 0), corner_of_mesh(data, n, 1), corner_of_mesh(data, n, 2))) {
      return GEOMETRY_FAULT(TRIANGLE);
    }
  }
  return 0;
}

#endif

/// Building geometries ///

/*
 * Checks the data of a geometry, lays it out in the caller's memory and hashes it. In: the caller's data. Out: a
 * geometry in the caller's memory. No cloth is read or written.
 */

#if WITH_COLLIDERS

cloth_geometry_data cloth_geometry_data_default(int32_t shape) {
  cloth_geometry_data data;
  fill_zero(&data, sizeof data);
  data.shape = shape;
  return data;
}

#endif

#if WITH_GEOMETRY

static int is_count(int32_t count, int32_t low, int32_t high) {
  return count >= low && count <= high;
}

/* Are there as many samples along each axis as there may be, and together? */
static int are_samples(int32_t x, int32_t y, int32_t z, int32_t high) {
  return is_count(x, 2, high) && is_count(y, 2, high) && z >= 1 && z <= high &&
         (uint64_t)(uint32_t)x * (uint32_t)y * (uint32_t)z <= CLOTH_SAMPLE_LIMIT;
}

/* Most samples along an axis of a height field, and of a distance grid. */
#define FIELD_SIDE 4096
#define GRID_SIDE 1024

/* The first fault of a shape, of its counts and of its pointers. */
static int find_count_fault(const cloth_geometry_data *d) {
  switch (d->shape) {
  case CLOTH_SHAPE_HULL:
    if (!is_count(d->hull.planes, 4, CLOTH_HULL_PLANE_LIMIT)) {
      return GEOMETRY_FAULT(PLANES);
    }
    return d->hull.normals && d->hull.offsets ? 0 : GEOMETRY_FAULT(ARRAY);
  case CLOTH_SHAPE_HEIGHT_FIELD:
    if (!are_samples(d->height_field.columns, d->height_field.rows, 1, FIELD_SIDE)) {
      return GEOMETRY_FAULT(FIELD_COUNT);
    }
    return d->height_field.heights ? 0 : GEOMETRY_FAULT(ARRAY);
  case CLOTH_SHAPE_MESH:
    if (!is_count(d->mesh.triangle_count, 1, CLOTH_TRIANGLE_LIMIT) ||
        !is_count(d->mesh.vertex_count, 3, 3 * CLOTH_TRIANGLE_LIMIT)) {
      return GEOMETRY_FAULT(MESH_COUNT);
    }
    return d->mesh.vertices && d->mesh.indices ? 0 : GEOMETRY_FAULT(ARRAY);
  case CLOTH_SHAPE_DISTANCE_GRID:
    if (!are_samples(d->distance_grid.count_x, d->distance_grid.count_y, d->distance_grid.count_z, GRID_SIDE) ||
        d->distance_grid.count_z < 2) {
      return GEOMETRY_FAULT(GRID_COUNT);
    }
    return d->distance_grid.distances ? 0 : GEOMETRY_FAULT(ARRAY);
  default:
    return GEOMETRY_FAULT(SHAPE);
  }
}

/* The fault of a shape that this build leaves out; 0 for none. */
static int find_shape_left_out(int32_t shape) {
  const int has = shape == CLOTH_SHAPE_HULL           ? WITH_HULL
                  : shape == CLOTH_SHAPE_HEIGHT_FIELD ? WITH_HEIGHT_FIELD
                  : shape == CLOTH_SHAPE_MESH         ? WITH_MESH
                                                      : WITH_DISTANCE_GRID;
  return has ? 0 : GEOMETRY_FAULT(LEFT_OUT);
}

static int find_layout_fault(const cloth_geometry_data *data) {
  if (!data) {
    return GEOMETRY_FAULT(POINTER);
  }
  const int fault = find_count_fault(data);
  return fault ? fault : find_shape_left_out(data->shape);
}

#if WITH_HULL || WITH_HEIGHT_FIELD || WITH_DISTANCE_GRID

/* Are all floats of an array within +-limit? */
static int are_numbers_within(const float *values, int32_t count, float limit) {
  for (int32_t n = 0; n < count; n++) {
    if (!in_range(values[n], negate(limit), limit)) {
      return 0;
    }
  }
  return 1;
}

#endif

#if WITH_HEIGHT_FIELD || WITH_DISTANCE_GRID
/* Ranges of the spacing of samples [m]. */
#define MIN_SAMPLE_SPACING 1.0e-3f
#define MAX_SAMPLE_SPACING 1.0e3f

static int is_spacing(float spacing) {
  return in_range(spacing, MIN_SAMPLE_SPACING, MAX_SAMPLE_SPACING);
}
#endif

#if WITH_HULL
static int find_plane_fault(const cloth_hull_data *d) {
  for (int32_t n = 0; n < d->planes; n++) {
    const cloth_vector a = d->normals[n];
    if (!vector_in_range(a, 2.0f) || !in_range(vector_length(a), 0.999f, 1.001f)) {
      return GEOMETRY_FAULT(NORMAL);
    }
  }
  return are_numbers_within(d->offsets, d->planes, GEOMETRY_EXTENT) ? 0 : GEOMETRY_FAULT(OFFSET);
}
#endif

#if WITH_HEIGHT_FIELD
static int find_height_fault(const cloth_height_data *d) {
  if (!is_spacing(d->spacing_x) || !is_spacing(d->spacing_z)) {
    return GEOMETRY_FAULT(FIELD_SPACING);
  }
  return are_numbers_within(d->heights, d->columns * d->rows, GEOMETRY_EXTENT) ? 0 : GEOMETRY_FAULT(HEIGHT);
}
#endif

#if WITH_DISTANCE_GRID

/* Largest difference of neighbouring samples, in spacings. */
#define GRID_MAX_DIFFERENCE 1.01f

/* Is no difference between samples that lie `next` apart along an axis more than `most`? */
static int are_differences(const cloth_distance_data *d, int32_t axis, float most) {
  const int32_t counts[3] = {d->count_x, d->count_y, d->count_z};
  const int32_t next[3] = {1, d->count_x, d->count_x * d->count_y};
  for (int32_t n = 0; n < counts[0] * counts[1] * counts[2]; n++) {
    if (n / next[axis] % counts[axis] + 1 < counts[axis] &&
        absolute(d->distances[n + next[axis]] - d->distances[n]) > most) {
      return 0;
    }
  }
  return 1;
}

static int find_distance_fault(const cloth_distance_data *d) {
  const float most = GRID_MAX_DIFFERENCE * d->spacing;
  if (!is_spacing(d->spacing)) {
    return GEOMETRY_FAULT(GRID_SPACING);
  }
  if (!vector_in_range(d->low, GEOMETRY_EXTENT)) {
    return GEOMETRY_FAULT(GRID_LOW);
  }
  if (!are_numbers_within(d->distances, d->count_x * d->count_y * d->count_z, GEOMETRY_EXTENT)) {
    return GEOMETRY_FAULT(DISTANCE);
  }
  return are_differences(d, 0, most) && are_differences(d, 1, most) && are_differences(d, 2, most)
             ? 0
             : GEOMETRY_FAULT(NO_DISTANCES);
}

#endif

/* The first fault of what counts promise. */
static int find_data_fault(const cloth_geometry_data *d) {
  switch (d->shape) {
#if WITH_HULL
  case CLOTH_SHAPE_HULL:
    return find_plane_fault(&d->hull);
#endif
#if WITH_HEIGHT_FIELD
  case CLOTH_SHAPE_HEIGHT_FIELD:
    return find_height_fault(&d->height_field);
#endif
#if WITH_MESH
  case CLOTH_SHAPE_MESH:
    if ((uint32_t)d->mesh.one_sided > 1u) {
      return GEOMETRY_FAULT(ONE_SIDED);
    }
    return find_mesh_fault(&d->mesh);
#endif
#if WITH_DISTANCE_GRID
  case CLOTH_SHAPE_DISTANCE_GRID:
    return find_distance_fault(&d->distance_grid);
#endif
  default:
    return 0;
  }
}

/* Sets where the parts of a geometry lie. Returns its size [bytes]. */
static uint32_t layout_geometry(const cloth_geometry_data *d, cloth_geometry *g) {
  fill_zero(g, sizeof *g);
  g->shape = d->shape;
  g->data = GEOMETRY_HEAD;
  switch (d->shape) {
  case CLOTH_SHAPE_HULL:
    g->edges = g->data + (uint32_t)d->hull.planes * (uint32_t)sizeof(hull_plane);
    return g->edges + 3u * (uint32_t)d->hull.planes * (uint32_t)sizeof(hull_edge);
#if WITH_MESH
  case CLOTH_SHAPE_MESH:
    return layout_mesh(d->mesh.triangle_count, g);
#endif
  case CLOTH_SHAPE_HEIGHT_FIELD:
    return g->data + 4u * (uint32_t)(d->height_field.columns * d->height_field.rows);
  default:
    return g->data + 4u * (uint32_t)(d->distance_grid.count_x * d->distance_grid.count_y * d->distance_grid.count_z);
  }
}

static void hash_floats(hasher *h, const float *values, int32_t count) {
  for (int32_t n = 0; n < count; n++) {
    hash_word(h, float_to_bits(flush_small(values[n], STATE_QUANTUM)).bits);
  }
}

static void hash_vectors(hasher *h, const cloth_vector *values, int32_t count) {
  for (int32_t n = 0; n < count; n++) {
    const float v[3] = {values[n].x, values[n].y, values[n].z};
    hash_floats(h, v, 3);
  }
}

/* Hashes what a geometry is made of: equal data have equal hashes on every machine. */
static void hash_geometry(const cloth_geometry_data *d, cloth_geometry *g) {
  hasher h;
  hash_start(&h);
  hash_word(&h, CLOTH_NUMERICS_VERSION);
  hash_word(&h, (uint32_t)d->shape);
  if (d->shape == CLOTH_SHAPE_HULL) {
    hash_vectors(&h, d->hull.normals, d->hull.planes);
    hash_floats(&h, d->hull.offsets, d->hull.planes);
  } else if (d->shape == CLOTH_SHAPE_MESH) {
    hash_word(&h, (uint32_t)d->mesh.one_sided);
    hash_vectors(&h, d->mesh.vertices, d->mesh.vertex_count);
    for (int32_t n = 0; n < 3 * d->mesh.triangle_count; n++) {
      hash_word(&h, d->mesh.indices[n]);
    }
  } else {
    const int32_t count = g->counts[0] * g->counts[1] * (d->shape == CLOTH_SHAPE_HEIGHT_FIELD ? 1 : g->counts[2]);
    hash_floats(&h, g->spacing, 2);
    hash_vectors(&h, &g->low, 1);
    hash_words(&h, (const any_word *)(const void *)g->counts, 3);
    hash_words(&h, (const any_word *)geometry_data(g, g->data), count);
  }
  const uint64_t hash = hash_end(&h);
  g->hash[0] = (uint32_t)hash;
  g->hash[1] = (uint32_t)(hash >> 32);
}

/* Copies samples, flushed. */
static void copy_samples(cloth_geometry *g, const float *from, int32_t count) {
  float *to = (float *)(void *)((char *)(void *)g + g->data);
  for (int32_t n = 0; n < count; n++) {
    to[n] = flush_small(from[n], STATE_QUANTUM);
  }
  g->elements = count;
}

static void build_field(const cloth_height_data *d, cloth_geometry *g) {
  const int32_t count = d->columns * d->rows;
  float low = d->heights[0], high = low;
  for (int32_t n = 1; n < count; n++) {
    low = minimum(low, d->heights[n]);
    high = maximum(high, d->heights[n]);
  }
  g->counts[0] = d->columns;
  g->counts[1] = d->rows;
  g->spacing[0] = d->spacing_x;
  g->spacing[1] = d->spacing_z;
  g->low = vector(0.0f, -CLOTH_ANY_DISTANCE, 0.0f);
  g->high = vector((float)(d->columns - 1) * d->spacing_x, high, (float)(d->rows - 1) * d->spacing_z);
  g->tolerance = low;
  copy_samples(g, d->heights, count);
}

static void build_grid(const cloth_distance_data *d, cloth_geometry *g) {
  const cloth_vector extent = vector((float)(d->count_x - 1) * d->spacing, (float)(d->count_y - 1) * d->spacing,
                                     (float)(d->count_z - 1) * d->spacing);
  g->counts[0] = d->count_x;
  g->counts[1] = d->count_y;
  g->counts[2] = d->count_z;
  g->spacing[0] = g->spacing[1] = d->spacing;
  g->low = vector_flush(d->low, STATE_QUANTUM);
  g->high = vector_add(g->low, extent);
  copy_samples(g, d->distances, d->count_x * d->count_y * d->count_z);
}

/* Builds a geometry from data without a fault in its numbers. Returns a fault of a hull's planes together, or 0. */
static int build_shape(const cloth_geometry_data *d, cloth_geometry *g) {
  switch (d->shape) {
#if WITH_HULL
  case CLOTH_SHAPE_HULL:
    return build_hull(&d->hull, g);
#endif
#if WITH_MESH
  case CLOTH_SHAPE_MESH:
    build_mesh(&d->mesh, g);
    return 0;
#endif
  case CLOTH_SHAPE_HEIGHT_FIELD:
    build_field(&d->height_field, g);
    return 0;
  default:
    build_grid(&d->distance_grid, g);
    return 0;
  }
}

static int geometry_error(int fault) {
  return fault ? geometry_fault_errors[fault - 1] : CLOTH_OK;
}

int cloth_geometry_bytes(const cloth_geometry_data *data, size_t *bytes) {
  const int fault = find_layout_fault(data);
  if (fault || !bytes) {
    return fault ? geometry_error(fault) : CLOTH_ERROR_NULL;
  }
  cloth_geometry g;
  *bytes = layout_geometry(data, &g);
  return CLOTH_OK;
}

int cloth_build_geometry(const cloth_geometry_data *data, void *memory, size_t bytes, const cloth_geometry **out) {
  int fault = find_layout_fault(data);
  fault = fault ? fault : find_data_fault(data);
  if (fault || !memory || !out) {
    return fault ? geometry_error(fault) : CLOTH_ERROR_NULL;
  }
  cloth_geometry head;
  const uint32_t needed = layout_geometry(data, &head);
  if ((uintptr_t)memory % CLOTH_ALIGNMENT != 0 || bytes < needed) {
    return CLOTH_ERROR_ARENA;
  }
  cloth_geometry *g = (cloth_geometry *)memory;
  fill_zero(memory, GEOMETRY_HEAD);
  *g = head;
  fault = build_shape(data, g);
  if (fault) {
    fill_zero(memory, GEOMETRY_HEAD);
    return geometry_error(fault);
  }
  hash_geometry(data, g);
  g->magic = GEOMETRY_MAGIC;
  *out = g;
  return CLOTH_OK;
}

int cloth_collider_set_geometry(cloth_collider *collider, const cloth_geometry *geometry, int32_t place) {
  if (!collider || !geometry) {
    return CLOTH_ERROR_NULL;
  }
  if (!is_geometry(geometry)) {
    return CLOTH_ERROR_GEOMETRY;
  }
  if (place < 0 || place >= CLOTH_GEOMETRY_LIMIT) {
    return CLOTH_ERROR_RANGE;
  }
  collider->shape = geometry->shape;
  collider->geometry.place = place;
  collider->geometry.elements = geometry->elements;
  collider->geometry.hash[0] = geometry->hash[0];
  collider->geometry.hash[1] = geometry->hash[1];
  if (geometry->shape == CLOTH_SHAPE_HULL) {
    const cloth_vector extent = vector_subtract(geometry->high, geometry->low);
    collider->half_extents = vector_flush(vector_scale(extent, 0.5f), STATE_QUANTUM);
  }
  return CLOTH_OK;
}

#endif

/// Surroundings ///

/*
 * Steps with geometries and with bodies that cloths share. In: the caller's tables, checked first. Out: what a step
 * changes; reactions of the bodies, in the caller's table. Scratch: own.shared_bodies and own.shared_places hold the
 * bodies of the step, which are those near the cloth. Nothing of the tables is kept but a hash of these bodies.
 */

#if WITH_COLLIDERS

/* Are the tables what cloth.h says, but for what they hold? */
static int check_tables(const cloth *c, const cloth_surroundings *around) {
  if (around->geometry_count < 0 || around->geometry_count > CLOTH_GEOMETRY_LIMIT || around->body_count < 0 ||
      around->body_count > CLOTH_SHARED_BODY_LIMIT || !are_metres_within(around->origin, CLOTH_ORIGIN_LIMIT)) {
    return CLOTH_ERROR_RANGE;
  }
  if ((around->geometry_count > 0 && !around->geometries) || (around->body_count > 0 && !around->bodies)) {
    return CLOTH_ERROR_NULL;
  }
  return around->body_count == 0 || c->settings.capacity.max_shared_bodies > 0 ? CLOTH_OK : CLOTH_ERROR_STATE;
}

static int check_shared_body(const cloth *c, const cloth_surroundings *around, const cloth_shared_body *body) {
  int error = check_collider(&body->collider);
  error = error ? error : check_pose(&body->previous);
  if (error || !has_geometry(&body->collider)) {
    return error;
  }
  const int32_t capacity =
      body->collider.shape == CLOTH_SHAPE_MESH ? c->settings.capacity.meshes : c->settings.capacity.geometry;
  if (capacity == 0) {
    return CLOTH_ERROR_STATE;
  }
#if WITH_GEOMETRY
  return has_its_geometry(around, &body->collider) ? CLOTH_OK : CLOTH_ERROR_GEOMETRY;
#else
  (void)around;
  return CLOTH_OK;
#endif
}

static int check_surroundings(const cloth *c, const cloth_surroundings *around) {
  int error = around ? check_tables(c, around) : CLOTH_OK;
#if WITH_GEOMETRY
  error = error ? error : check_geometries(c, around);
#endif
  for (int32_t n = 0; around && n < around->body_count && !error; n++) {
    error = check_shared_body(c, around, &around->bodies[n]);
  }
  return error;
}

#if WITH_SHARED_BODIES

static void hold_point(position_box *box, cloth_vector p, float reach) {
  box->low =
      vector(minimum(p.x - reach, box->low.x), minimum(p.y - reach, box->low.y), minimum(p.z - reach, box->low.z));
  box->high =
      vector(maximum(p.x + reach, box->high.x), maximum(p.y + reach, box->high.y), maximum(p.z + reach, box->high.z));
}

static int do_boxes_overlap(const position_box *a, const position_box *b) {
  return a->low.x < b->high.x && b->low.x < a->high.x && a->low.y < b->high.y && b->low.y < a->high.y &&
         a->low.z < b->high.z && b->low.z < a->high.z;
}

/* Where the cloth may be in a step: the box around its particles and around where their velocities lead, and as far
   again beyond it as the fastest goes, as forces change velocities. */
static position_box box_of_cloth(const cloth *c, float dt) {
  position_box box = box_around(c);
  float fastest = 0.0f;
  for (int32_t i = 0; i < c->count; i++) {
    const cloth_vector p = vector_load(vectors_at(c, c->state.position), i);
    const cloth_vector way = vector_scale(vector_flush_work(starting_velocity(c, i, 1.0f / dt)), dt);
    hold_point(&box, vector_add(p, way), 0.0f);
    fastest = maximum(maximum(absolute(way.x), maximum(absolute(way.y), absolute(way.z))), fastest);
  }
  const float fall = vector_length(vector_flush_work(inputs_of(c)->gravity)) * dt * dt;
  const float spacing = maximum(c->grid.spacing_warp, c->grid.spacing_weft);
  const float beyond = c->settings.contact.thickness + fastest + fall + spacing;
  hold_point(&box, box.low, beyond);
  hold_point(&box, box.high, beyond);
  return box;
}

/* Is the ground of a height field near the cloth? It is endless below, so the sides count. */
static int is_field_near(const collider_slot *slot, const cloth_geometry *g, const position_box *box) {
  const cloth_vector half = vector_scale(vector_subtract(box->high, box->low), 0.5f);
  const cloth_vector way = vector_subtract(slot->body.pose.position, slot->previous.position);
  const cloth_vector p = to_local(&slot->body.pose, vector_add(box->low, half));
  const float reach = vector_length(half) + vector_length(vector_flush_work(way));
  const int turns = !are_equal(&slot->body.pose.rotation, &slot->previous.rotation, sizeof(cloth_rotation));
  return turns || (p.x > g->low.x - reach && p.x < g->high.x + reach && p.z > g->low.z - reach &&
                   p.z < g->high.z + reach && p.y < g->high.y + reach);
}

/* Is a body that moves from slot->previous to its pose near the cloth? */
static int is_body_near(const cloth *c, const collider_slot *slot, const position_box *box) {
  const cloth_geometry *g = geometry_of(c, &slot->body);
  if (slot->body.shape == CLOTH_SHAPE_HEIGHT_FIELD) {
    return is_field_near(slot, g, box);
  }
  const float reach = body_reach(&slot->body, g);
  position_box swept = {slot->body.pose.position, slot->body.pose.position};
  hold_point(&swept, slot->body.pose.position, reach);
  hold_point(&swept, slot->previous.position, reach);
  return slot->body.shape == CLOTH_SHAPE_PLANE || do_boxes_overlap(&swept, box);
}

/* A body as a step uses it, relative to the origin of the table. */
static collider_slot slot_of_body(const cloth_shared_body *body) {
  collider_slot slot = stored_collider(&body->collider);
  slot.previous = normalised_pose(&body->previous);
  return slot;
}

/* Puts a body into the cloth's frame. Returns 0 if it is farther from the origin of the cloth than positions may be. */
static int place_body(const cloth *c, const cloth_surroundings *around, collider_slot *slot) {
  const cloth_metres here = inputs_of(c)->origin, there = around->origin;
  const cloth_vector way = vector((float)(there.x - here.x), (float)(there.y - here.y), (float)(there.z - here.z));
  slot->body.pose.position = vector_add(slot->body.pose.position, way);
  slot->previous.position = vector_add(slot->previous.position, way);
  return vector_in_range(slot->body.pose.position, CLOTH_POSITION_LIMIT) &&
         vector_in_range(slot->previous.position, CLOTH_POSITION_LIMIT);
}

/* Takes the bodies near the cloth into the step. Returns how many there was no room for. */
CLOTH_SEPARATE int32_t choose_bodies(const cloth *c, float dt, const cloth_surroundings *around) {
  workspace *w = workspace_of(c);
  collider_slot *slots = (collider_slot *)at(c, c->own.shared_bodies);
  int32_t *places = (int32_t *)at(c, c->own.shared_places);
  int32_t left_out = 0, meshes = count_meshes(c, inputs_of(c)->collider_end);
  const position_box box = box_of_cloth(c, dt);
  for (int32_t n = 0; n < around->body_count; n++) {
    collider_slot slot = slot_of_body(&around->bodies[n]);
    if (!place_body(c, around, &slot) || !is_body_near(c, &slot, &box)) {
      continue;
    }
    const int is_mesh = slot.body.shape == CLOTH_SHAPE_MESH;
    if (w->shared_bodies == c->settings.capacity.max_shared_bodies ||
        (is_mesh && meshes == c->settings.capacity.meshes)) {
      left_out++;
      continue;
    }
    meshes += is_mesh;
    slots[w->shared_bodies] = slot;
    places[w->shared_bodies++] = n;
  }
  return left_out;
}

/* Hashes where a position is in the world, whatever origin it is told from: whole metres and what is above them. */
static void hash_place(hasher *h, float position, int32_t origin) {
  const int32_t whole = whole_below(position);
  float_bits rest;
  rest.value = flush_small(position - (float)whole, STATE_QUANTUM);
  hash_word(h, (uint32_t)(origin + whole));
  hash_word(h, rest.bits);
}

static void hash_position(hasher *h, cloth_vector *position, cloth_metres origin) {
  hash_place(h, position->x, origin.x);
  hash_place(h, position->y, origin.y);
  hash_place(h, position->z, origin.z);
  *position = vector(0.0f, 0.0f, 0.0f);
}

/* Wakes a cloth near which other bodies are than in the step before. */
static void compare_bodies(const cloth *c, const cloth_surroundings *around) {
  const int32_t *places = (const int32_t *)at(c, c->own.shared_places);
  const int32_t bodies = workspace_of(c)->shared_bodies;
  uint32_t words[2] = {0, 0};
  if (bodies) {
    hasher h;
    hash_start(&h);
    for (int32_t n = 0; n < bodies; n++) {
      collider_slot slot = slot_of_body(&around->bodies[places[n]]);
      hash_position(&h, &slot.body.pose.position, around->origin);
      hash_position(&h, &slot.previous.position, around->origin);
      hash_words(&h, (const any_word *)(const void *)&slot, (int32_t)(sizeof slot / sizeof(uint32_t)));
    }
    const uint64_t hash = hash_end(&h);
    words[0] = (uint32_t)hash;
    words[1] = (uint32_t)(hash >> 32);
  }
  set_input(c, inputs_of(c)->shared_hash, words, sizeof words);
}

/* Adds what the cloth did to the bodies of the step to the caller's reactions. */
static void report_reactions(const cloth *c, const cloth_surroundings *around) {
  const int32_t *places = (const int32_t *)at(c, c->own.shared_places);
  for (int32_t n = 0; around->reactions && n < workspace_of(c)->shared_bodies; n++) {
    const cloth_reaction *from = &reactions_of(c)[c->settings.capacity.max_colliders + n];
    cloth_reaction *to = &around->reactions[places[n]];
    to->impulse = vector_add(to->impulse, from->impulse);
    to->torque = vector_add(to->torque, from->torque);
  }
}

#endif

/* A step with surroundings that have been checked. */
static int step_with(const cloth *c, float dt, const cloth_surroundings *around) {
  set_surroundings(c, around);
  workspace_of(c)->shared_bodies = 0;
#if WITH_MESH
  forget_triangles(c);
#endif
#if WITH_SHARED_BODIES
  const int has_bodies = around && around->body_count > 0;
  const int32_t left_out = has_bodies ? choose_bodies(c, dt, around) : 0;
  if (c->settings.capacity.max_shared_bodies > 0) {
    compare_bodies(c, around);
  }
  const int result = step(c, dt);
  if (has_bodies) {
    add_work(c, (uint32_t)around->body_count, COST_SHARED_BODY);
    add_work(c, (uint32_t)c->count, COST_SHARED_BOUNDS);
    statistics_of(c)->overflows += left_out;
    report_reactions(c, around);
    workspace_of(c)->shared_bodies = 0;
  }
#else
  const int result = step(c, dt);
#endif
  set_surroundings(c, NULL);
  return result;
}

#else

static int step_with(const cloth *c, float dt, const cloth_surroundings *around) {
  (void)around;
  return step(c, dt);
}

#endif

/// Calls that step ///

/*
 * A step, with or without surroundings, a deadline, or the effort of another step. In: the caller's arguments, checked
 * first. Out: what a step changes, and the effort. Scratch: that of a step.
 */

static int check_step_with(const cloth *c, float dt, const cloth_surroundings *around) {
  int error = check_step(c, dt);
#if WITH_COLLIDERS
  error = error ? error : check_surroundings(c, around);
#else
  (void)around;
#endif
  return error;
}

int cloth_step_with(cloth *c, float dt, const cloth_surroundings *around) {
  int error = check_step_with(c, dt, around);
  if (error) {
    return error;
  }
  allow_refinements(c);
  return step_with(c, dt, around);
}

int cloth_step(cloth *c, float dt) {
  return cloth_step_with(c, dt, NULL);
}

#if WITH_PLANNING

int cloth_step_until_with(cloth *c, float dt, const cloth_surroundings *around, uint32_t ticks, cloth_effort *effort) {
  uint32_t start = CLOTH_TICKS();
  int error = check_step_with(c, dt, around);
  if (error || !effort) {
    return error ? error : CLOTH_ERROR_NULL;
  }
  if (c->settings.capacity.fixed_work) {
    return CLOTH_ERROR_STATE;
  }
  workspace *w = workspace_of(c);
  allow_refinements(c);
  w->has_deadline = ticks != UINT32_MAX;
  w->start = start;
  w->ticks = ticks;
  int result = step_with(c, dt, around);
  effort->refinements = w->refinements;
  effort->cut_short = w->is_cut;
  return result;
}

int cloth_step_until(cloth *c, float dt, uint32_t ticks, cloth_effort *effort) {
  return cloth_step_until_with(c, dt, NULL, ticks, effort);
}

int cloth_step_again_with(cloth *c, float dt, const cloth_surroundings *around, const cloth_effort *effort) {
  int error = check_step_with(c, dt, around);
  if (error || !effort) {
    return error ? error : CLOTH_ERROR_NULL;
  }
  if (c->settings.capacity.fixed_work) {
    return CLOTH_ERROR_STATE;
  }
  if (effort->refinements < 0 || (uint32_t)effort->cut_short > 1u) {
    return CLOTH_ERROR_RANGE;
  }
  workspace *w = workspace_of(c);
  allow_refinements(c);
  w->is_cut = effort->cut_short;
  w->max_refinements = effort->refinements;
  return step_with(c, dt, around);
}

int cloth_step_again(cloth *c, float dt, const cloth_effort *effort) {
  return cloth_step_again_with(c, dt, NULL, effort);
}

#endif

/// Output ///

/*
 * What a program reads to draw a cloth. In: positions, velocities and grid. Out: views, vectors, vertices and triangle
 * indices in the caller's memory. Nothing of the arena is written.
 */

static cloth_vector_view view_of(const cloth *c, uint32_t offset) {
  vector_array p = vectors_at(c, offset);
  cloth_vector_view view;
  view.x = p.x;
  view.y = p.y;
  view.z = p.z;
  view.count = c->count;
  return view;
}

int cloth_get_positions(const cloth *c, cloth_vector_view *view) {
  int error = check_call(c, view);
  if (error) {
    return error;
  }
  *view = view_of(c, c->state.position);
  return CLOTH_OK;
}

int cloth_get_velocities(const cloth *c, cloth_vector_view *view) {
  int error = check_call(c, view);
  if (error) {
    return error;
  }
  *view = view_of(c, c->state.velocity);
  return CLOTH_OK;
}

/* Unit normals of the cloth at particles of a row, from a column on: the directions of the sums of the area vectors
   around them. Where one is below MIN_NORMAL of a cell's area the cloth has collapsed, and the normal is the world's y
   axis. Areas are divided by that of a cell before they are squared, so that fine grids do not underflow. */
#define MIN_NORMAL 1.0e-6f

CLOTH_INLINE lanes3 unit_normals(const cloth *c, const row_neighbours *near, vector_array x, int32_t column) {
  const lanes inverse_area = lanes_splat(1.0f / (c->grid.spacing_warp * c->grid.spacing_weft));
  const lanes3 areas = lanes3_scale(lanes3_flush(area_vectors(near, x, column)), inverse_area);
  const lanes length = lanes3_length(areas), least = lanes_splat(MIN_NORMAL);
  const lanes inverse = lanes_divide(lanes_splat(1.0f), lanes_maximum(length, least));
  const lanes3 up = lanes3_splat(vector(0.0f, 1.0f, 0.0f));
  return lanes3_select(lanes_less(least, length), lanes3_scale(areas, inverse), up);
}

static cloth_vector unit_normal(const cloth *c, int32_t column, int32_t row) {
  const vector_array x = vectors_at(c, c->state.position);
  const row_neighbours near = row_neighbours_at(c, x, row);
  return lanes3_first(unit_normals(c, &near, x, column));
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
  *velocity = current_velocity(c, particle);
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

#if WITH_VERTICES

/* Writes the attributes of one vertex. Vertex number `columns` of a row of a tube is that of column 0 with u = 1. */
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

int cloth_get_index_count(const cloth *c) {
  int error = check_cloth(c);
  return error ? error : 6 * cells_along_warp(c) * (c->grid.rows - 1);
}

/* Vertex of one of the six corners of a cell's two triangles, counter-clockwise seen from the side of the normal. */
static int32_t cell_corner(const cloth *c, int32_t cell, int32_t corner) {
  CLOTH_CONSTANT static const uint8_t right[6] = {0, 1, 1, 0, 1, 0};
  CLOTH_CONSTANT static const uint8_t below[6] = {0, 0, 1, 0, 1, 1};
  int32_t cells = cells_along_warp(c);
  int32_t column = cell % cells + right[corner];
  int32_t row = cell / cells + below[corner];
  return row * row_vertices(c) + column;
}

/* Writes indices of 2 bytes if `max`, the largest index, is UINT16_MAX, else of 4 bytes. */
static int write_indices(const cloth *c, uint32_t first_vertex, void *indices, size_t count, uint32_t max) {
  int error = check_call(c, indices);
  if (error) {
    return error;
  }
  int32_t cells = cells_along_warp(c) * (c->grid.rows - 1);
  if (count < 6 * (size_t)cells) {
    return CLOTH_ERROR_BUFFER;
  }
  if ((uint32_t)(row_vertices(c) * c->grid.rows - 1) > max - first_vertex) {
    return CLOTH_ERROR_BUFFER;
  }
  for (int32_t i = 0; i < 6 * cells; i++) {
    uint32_t vertex = first_vertex + (uint32_t)cell_corner(c, i / 6, i % 6);
    if (max == UINT16_MAX) {
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

int cloth_get_bounds(const cloth *c, cloth_vector *low, cloth_vector *high) {
  int error = check_cloth(c);
  if (error) {
    return error;
  }
  if (!low || !high) {
    return CLOTH_ERROR_NULL;
  }
  const position_box box = box_around(c);
  *low = box.low;
  *high = box.high;
  return CLOTH_OK;
}

/// Skinned meshes ///

/*
 * A mesh of any triangles follows cloths: cloth_bind() finds the place of each of its vertices in a cell once,
 * cloth_skin() computes the vertices from the particles every frame. A cell is a bilinear patch S(u, v) with unit
 * normals n(u, v) blended from those of its corners, so that a skinned mesh is smooth where cells meet. A vertex lies
 * at S(u, v) + height n(u, v); its normal and tangent are kept in the frame of the patch there.
 *
 * In: positions, grid, vertices of the caller. Out: bindings and vertices in the caller's memory. Scratch: residual
 * holds the unit normals of the particles.
 */

#if WITH_SKIN

/* A binding in 16 bytes, see cloth_binding: u and v are unsigned, in units of 1 / SKIN_PLACE_UNITS of a cell, from
   SKIN_PLACE_FIRST on; the height is in units of the grid's mean spacing over SKIN_HEIGHT_UNITS. */
#define SKIN_PLACE_UNITS 16384.0f
#define SKIN_PLACE_FIRST (-1.5f)
#define SKIN_PLACE_MOST 65535.0f
#define SKIN_HEIGHT_UNITS 1024.0f
#define SKIN_HEIGHT_MOST 32767.0f
/* The normal is the projection of its direction onto an octahedron, unfolded to a square of this half side (Meyer et
   al., "On floating-point normal vectors", 2010). */
#define SKIN_NORMAL_UNITS 32767.0f
/* The tangent is the place on the outline of a square around the normal, in units of a quarter over this. */
#define SKIN_TANGENT_UNITS 64.0f
#define SKIN_WEIGHT_MOST 255.0f
/* The column also holds the sign of the bitangent, the row the number of the cloth. */
#define SKIN_MIRRORED 0x8000u
#define SKIN_COLUMN_MASK 0x7fffu
#define SKIN_ROW_MASK 0x03ffu
#define SKIN_CLOTH_SHIFT 10

/* The cells of a block of vertices, one a lane: positions [m] and unit normals at their corners, the corner after the
   first along the warp, then counter-clockwise. */
typedef struct skin_patch {
  lanes3 corner[4], normal[4];
} skin_patch;

/* A place on a patch: its position, the derivatives by u and v, and a frame of three unit vectors. */
typedef struct skin_frame {
  lanes3 place, along_u, along_v;
  lanes3 tangent, bitangent, normal;
} skin_frame;

/* Root of the area of a cell at rest [m]. */
static float mean_spacing(const cloth *c) {
  return square_root(c->grid.spacing_warp * c->grid.spacing_weft);
}

/* a, scaled to unit length, or `otherwise` where it is too short to have a direction. */
CLOTH_INLINE lanes3 unit_lanes(lanes3 a, lanes3 otherwise) {
  const lanes length = lanes3_length(a);
  const lanes_mask usable = lanes_less(lanes_splat(DIRECTION_MIN_LENGTH), length);
  const lanes inverse = lanes_divide(lanes_splat(1.0f), lanes_maximum(length, lanes_splat(DIRECTION_MIN_LENGTH)));
  return lanes3_flush(lanes3_select(usable, lanes3_scale(a, inverse), otherwise));
}

/* The bilinear blend of four vectors, in the order of a patch's corners, and its derivatives by u and v. */
CLOTH_INLINE lanes3 blend_corners(const lanes3 *q, lanes u, lanes v, lanes3 *along_u, lanes3 *along_v) {
  const lanes3 above = lanes3_subtract(q[1], q[0]), below = lanes3_subtract(q[2], q[3]);
  const lanes3 left = lanes3_subtract(q[3], q[0]), right = lanes3_subtract(q[2], q[1]);
  *along_u = lanes3_flush(lanes3_add_scaled(above, lanes3_subtract(below, above), v));
  *along_v = lanes3_flush(lanes3_add_scaled(left, lanes3_subtract(right, left), u));
  return lanes3_add_scaled(lanes3_add_scaled(q[0], above, u), *along_v, v);
}

CLOTH_INLINE skin_frame frame_of_patch(const skin_patch *patch, lanes u, lanes v) {
  const lanes3 up = lanes3_splat(vector(0.0f, 1.0f, 0.0f)), ahead = lanes3_splat(vector(1.0f, 0.0f, 0.0f));
  skin_frame f;
  lanes3 unused[2];
  f.place = blend_corners(patch->corner, u, v, &f.along_u, &f.along_v);
  f.normal = unit_lanes(lanes3_flush(blend_corners(patch->normal, u, v, &unused[0], &unused[1])), up);
  const lanes height = lanes_flush(lanes_negate(lanes3_dot(f.along_u, f.normal)));
  f.tangent = unit_lanes(lanes3_add_scaled(f.along_u, f.normal, height), ahead);
  f.bitangent = lanes3_flush(lanes3_cross(f.normal, f.tangent));
  return f;
}

/* Two unit vectors perpendicular to a unit vector and to each other (Duff et al., "Building an orthonormal basis,
   revisited", 2017). */
CLOTH_INLINE void basis_around(lanes3 normal, lanes3 *first, lanes3 *second) {
  const lanes one = lanes_splat(1.0f), sign = lanes_sign(normal.z);
  const lanes a = lanes_negate(lanes_divide(one, lanes_add(sign, normal.z)));
  const lanes b = lanes_multiply(lanes_flush(lanes_multiply(normal.x, normal.y)), a);
  const lanes xx = lanes_flush(lanes_multiply(normal.x, normal.x));
  const lanes yy = lanes_flush(lanes_multiply(normal.y, normal.y));
  *first = lanes3_flush(lanes3_of(lanes_add(one, lanes_multiply(sign, lanes_multiply(xx, a))), lanes_multiply(sign, b),
                                  lanes_negate(lanes_multiply(sign, normal.x))));
  *second = lanes3_flush(lanes3_of(b, lanes_add(sign, lanes_multiply(yy, a)), lanes_negate(normal.y)));
}

/* Writes the particles at the corners of a cell. */
static void cell_particles(const cloth *c, int32_t column, int32_t row, int32_t particles[4]) {
  const int32_t next = column + 1 < c->grid.columns ? column + 1 : 0; /* 0 behind the last column of a tube */
  particles[0] = row * c->grid.columns + column;
  particles[1] = row * c->grid.columns + next;
  particles[2] = particles[1] + c->grid.columns;
  particles[3] = particles[0] + c->grid.columns;
}

/* What a block of vertices reads: positions and normals of four corners, then what their bindings hold, in its units.
 */
enum { SKIN_U = 24, SKIN_V, SKIN_HEIGHT, SKIN_NORMAL_X, SKIN_NORMAL_Y, SKIN_TANGENT, SKIN_WEIGHT, SKIN_VALUES };

/* Vertices of one cloth that are computed together. */
typedef struct skin_block {
  int32_t count;
  int32_t vertex[CLOTH_LANES];
  float value[SKIN_VALUES][CLOTH_LANES];
} skin_block;

/* A vertex as cloth_skin() computes it. */
typedef struct skinned_lanes {
  lanes3 position, normal, tangent;
} skinned_lanes;

static vector_array particle_normals(const cloth *c) {
  return vectors_at(c, c->scratch.residual);
}

static void compute_particle_normals(const cloth *c) {
  const vector_array x = vectors_at(c, c->state.position), to = particle_normals(c);
  for (int32_t row = 0; row < c->grid.rows; row++) {
    const row_neighbours near = row_neighbours_at(c, x, row);
    for (int32_t column = 0; column < c->grid.columns; column += CLOTH_LANES) {
      lanes3_store(to, near.first + column, unit_normals(c, &near, x, column), c->grid.columns - column);
    }
  }
}

/* 1 if a vertex is bound to the cloth of this number. */
static int is_bound_to(const cloth_binding *b, int32_t number) {
  return b->weight > 0 && b->row >> SKIN_CLOTH_SHIFT == number;
}

/* The cloth that vertices are gathered from. */
typedef struct skin_source {
  const cloth *c;
  vector_array position, normal; /* of its particles */
  float height_unit;             /* [m] */
} skin_source;

/* Adds a vertex to a block: copies its corners and the numbers of its binding. */
CLOTH_INLINE void gather_vertex(const skin_source *s, skin_block *block, const cloth_binding *b, int32_t vertex) {
  const int32_t lane = block->count++;
  int32_t particles[4];
  cell_particles(s->c, b->column & SKIN_COLUMN_MASK, b->row & SKIN_ROW_MASK, particles);
  block->vertex[lane] = vertex;
  for (int32_t corner = 0; corner < 4; corner++) {
    const int32_t p = particles[corner];
    float(*to)[CLOTH_LANES] = block->value + 6 * corner;
    to[0][lane] = s->position.x[p];
    to[1][lane] = s->position.y[p];
    to[2][lane] = s->position.z[p];
    to[3][lane] = s->normal.x[p];
    to[4][lane] = s->normal.y[p];
    to[5][lane] = s->normal.z[p];
  }
  block->value[SKIN_U][lane] = (float)b->u;
  block->value[SKIN_V][lane] = (float)b->v;
  block->value[SKIN_HEIGHT][lane] = (float)b->height;
  block->value[SKIN_NORMAL_X][lane] = (float)b->normal[0];
  block->value[SKIN_NORMAL_Y][lane] = (float)b->normal[1];
  block->value[SKIN_TANGENT][lane] = (float)b->tangent;
  block->value[SKIN_WEIGHT][lane] = (float)b->weight;
}

static lanes3 block_vector(const skin_block *block, int32_t first) {
  return lanes3_of(lanes_load(block->value[first]), lanes_load(block->value[first + 1]),
                   lanes_load(block->value[first + 2]));
}

/* The direction whose unfolded projection onto an octahedron is (x, y). */
CLOTH_INLINE lanes3 decode_normal(lanes x, lanes y) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  const lanes z = lanes_subtract(lanes_subtract(one, lanes_absolute(x)), lanes_absolute(y));
  const lanes fold = lanes_maximum(lanes_negate(z), zero);
  x = lanes_subtract(x, lanes_multiply(lanes_sign(x), fold));
  y = lanes_subtract(y, lanes_multiply(lanes_sign(y), fold));
  return unit_lanes(lanes3_of(x, y, z), lanes3_splat(vector(0.0f, 0.0f, 1.0f)));
}

/* The unit vector perpendicular to a normal at a place 0..4 on the outline of the square around it. */
CLOTH_INLINE lanes3 decode_tangent(lanes3 normal, lanes place) {
  const lanes one = lanes_splat(1.0f), from_half = lanes_subtract(place, lanes_splat(2.0f));
  const lanes x = lanes_subtract(lanes_absolute(from_half), one);
  const lanes y = lanes_multiply(lanes_sign(lanes_negate(from_half)), lanes_subtract(one, lanes_absolute(x)));
  lanes3 first, second;
  basis_around(normal, &first, &second);
  return unit_lanes(lanes3_add_scaled(lanes3_scale(first, x), second, y), first);
}

/* A vector of the frame's coordinates, in the world's. */
CLOTH_INLINE lanes3 from_frame(const skin_frame *f, lanes3 a) {
  return lanes3_flush(
      lanes3_add_scaled(lanes3_add_scaled(lanes3_scale(f->tangent, a.x), f->bitangent, a.y), f->normal, a.z));
}

/* A number of the bindings of a block, times a unit. */
CLOTH_INLINE lanes block_number(const skin_block *block, int32_t number, float unit) {
  return lanes_multiply(lanes_load(block->value[number]), lanes_splat(unit));
}

CLOTH_HOT CLOTH_SEPARATE skinned_lanes skin_vertices(const skin_block *block, float height_unit, int has_tangents) {
  skin_patch patch;
  for (int32_t corner = 0; corner < 4; corner++) {
    patch.corner[corner] = block_vector(block, 6 * corner);
    patch.normal[corner] = block_vector(block, 6 * corner + 3);
  }
  const lanes first = lanes_splat(SKIN_PLACE_FIRST);
  const lanes u = lanes_add(block_number(block, SKIN_U, 1.0f / SKIN_PLACE_UNITS), first);
  const lanes v = lanes_add(block_number(block, SKIN_V, 1.0f / SKIN_PLACE_UNITS), first);
  const skin_frame f = frame_of_patch(&patch, u, v);
  const lanes3 normal = decode_normal(block_number(block, SKIN_NORMAL_X, 1.0f / SKIN_NORMAL_UNITS),
                                      block_number(block, SKIN_NORMAL_Y, 1.0f / SKIN_NORMAL_UNITS));
  skinned_lanes out;
  out.position = lanes3_add_scaled(f.place, f.normal, block_number(block, SKIN_HEIGHT, height_unit));
  out.normal = from_frame(&f, normal);
  out.tangent = out.normal;
  if (has_tangents) {
    out.tangent = from_frame(&f, decode_tangent(normal, block_number(block, SKIN_TANGENT, 1.0f / SKIN_TANGENT_UNITS)));
  }
  return out;
}

/* What cloth_skin() works on. */
typedef struct skin_job {
  const cloth_binding *bindings;
  const cloth_skin_layout *layout;
  const uint8_t *animated; /* or NULL */
  uint8_t *vertices;
} skin_job;

/* Where an attribute of a vertex lies in a mesh [bytes]. */
CLOTH_INLINE size_t attribute_place(const skin_job *job, int32_t vertex, int32_t offset) {
  return (size_t)vertex * (size_t)job->layout->stride + (size_t)offset;
}

/* Vectors of the cloth and of the animated mesh, blended by the weights of the bindings; directions of unit length. */
static lanes3 blend_with_animated(const skin_job *job, const skin_block *block, int32_t offset, lanes3 a,
                                  int is_direction) {
  float from[3][CLOTH_LANES] = {{0.0f}};
  for (int32_t lane = 0; lane < block->count; lane++) {
    cloth_vector v;
    copy_floats(&v, job->animated + attribute_place(job, block->vertex[lane], offset), 3);
    from[0][lane] = v.x;
    from[1][lane] = v.y;
    from[2][lane] = v.z;
  }
  const lanes3 animated = lanes3_of(lanes_load(from[0]), lanes_load(from[1]), lanes_load(from[2]));
  const lanes weight = block_number(block, SKIN_WEIGHT, 1.0f / SKIN_WEIGHT_MOST);
  lanes3 sum = lanes3_add_scaled(animated, lanes3_subtract(a, animated), weight);
  if (is_direction) {
    sum = unit_lanes(sum, a);
  }
  return lanes3_select(lanes_less(lanes_load(block->value[SKIN_WEIGHT]), lanes_splat(SKIN_WEIGHT_MOST)), sum, a);
}

/* Writes an attribute of the vertices of a block, a position or a direction. */
static void write_attribute(const skin_job *job, const skin_block *block, int32_t offset, lanes3 a, int is_direction) {
  if (offset == CLOTH_ATTRIBUTE_NONE) {
    return;
  }
  if (job->animated) {
    a = blend_with_animated(job, block, offset, a, is_direction);
  }
  float value[3][CLOTH_LANES];
  lanes_store(value[0], a.x);
  lanes_store(value[1], a.y);
  lanes_store(value[2], a.z);
  for (int32_t lane = 0; lane < block->count; lane++) {
    /* One by one: together they would be read from memory before the three stores are there. */
    uint8_t *to = job->vertices + attribute_place(job, block->vertex[lane], offset);
    copy_floats(to, &value[0][lane], 1);
    copy_floats(to + sizeof(float), &value[1][lane], 1);
    copy_floats(to + 2 * sizeof(float), &value[2][lane], 1);
  }
}

/* Writes the signs of the bitangents of the vertices of a block. */
static void write_signs(const skin_job *job, const skin_block *block) {
  for (int32_t lane = 0; lane < block->count; lane++) {
    const int32_t vertex = block->vertex[lane];
    const float sign = job->bindings[vertex].column & SKIN_MIRRORED ? -1.0f : 1.0f;
    const size_t place = attribute_place(job, vertex, job->layout->tangent_offset);
    copy_floats(job->vertices + place + 3 * sizeof(float), &sign, 1);
  }
}

/* Copies a vertex that is not bound from the animated mesh. */
static void copy_animated(const skin_job *job, int32_t vertex) {
  const cloth_skin_layout *layout = job->layout;
  const int32_t offsets[3] = {layout->position_offset, layout->normal_offset, layout->tangent_offset};
  for (int32_t i = 0; i < 3; i++) {
    if (offsets[i] != CLOTH_ATTRIBUTE_NONE) {
      const size_t place = attribute_place(job, vertex, offsets[i]);
      copy_floats(job->vertices + place, job->animated + place, i < 2 ? 3 : 4);
    }
  }
}

/* Computes and writes the vertices of a block, and empties it. */
static void finish_block(const skin_job *job, const skin_source *source, skin_block *block) {
  const cloth_skin_layout *layout = job->layout;
  const int has_tangents = layout->tangent_offset != CLOTH_ATTRIBUTE_NONE;
  const skinned_lanes out = skin_vertices(block, source->height_unit, has_tangents);
  write_attribute(job, block, layout->position_offset, out.position, 0);
  write_attribute(job, block, layout->normal_offset, out.normal, 1);
  write_attribute(job, block, layout->tangent_offset, out.tangent, 1);
  if (has_tangents) {
    write_signs(job, block);
  }
  block->count = 0;
}

/* Skins the vertices that are bound to cloth `number`. */
static void skin_cloth(const cloth *c, int32_t number, const skin_job *job) {
  const skin_source source = {c, vectors_at(c, c->state.position), particle_normals(c),
                              mean_spacing(c) * (1.0f / SKIN_HEIGHT_UNITS)};
  skin_block block;
  fill_zero(&block, sizeof block);
  compute_particle_normals(c);
  for (int32_t v = 0; v < job->layout->count; v++) {
    const cloth_binding *b = &job->bindings[v];
    if (is_bound_to(b, number)) {
      gather_vertex(&source, &block, b, v);
      if (block.count == CLOTH_LANES) {
        finish_block(job, &source, &block);
      }
    }
  }
  if (block.count > 0) {
    finish_block(job, &source, &block);
  }
}

static int check_skin_layout(const cloth_skin_layout *layout) {
  const int fits = layout->stride >= 1 && layout->stride <= MAX_VERTEX_BYTES && layout->count >= 0 &&
                   layout->count <= CLOTH_BINDING_LIMIT && layout->position_offset != CLOTH_ATTRIBUTE_NONE &&
                   attribute_fits(layout->position_offset, 3, layout->stride) &&
                   attribute_fits(layout->normal_offset, 3, layout->stride) &&
                   attribute_fits(layout->tangent_offset, 4, layout->stride);
  return fits ? CLOTH_OK : CLOTH_ERROR_BUFFER;
}

/* Are there cloths, and are they ready? */
static int check_skinned_cloths(const cloth *const *cloths, int32_t count) {
  if (!cloths) {
    return CLOTH_ERROR_NULL;
  }
  if (count < 1 || count > CLOTH_BINDING_CLOTHS) {
    return CLOTH_ERROR_RANGE;
  }
  for (int32_t i = 0; i < count; i++) {
    const int error = check_cloth(cloths[i]);
    if (error || !cloths[i]->has_scratch) {
      return error ? error : CLOTH_ERROR_STATE;
    }
  }
  return CLOTH_OK;
}

/* Does a binding name a cell that there is? One of weight 0 names none. */
static int is_binding(const cloth *const *cloths, int32_t count, const cloth_binding *b) {
  const int32_t number = b->row >> SKIN_CLOTH_SHIFT;
  if (b->weight == 0) {
    return 1;
  }
  return number < count && (int32_t)(b->column & SKIN_COLUMN_MASK) < cells_along_warp(cloths[number]) &&
         (int32_t)(b->row & SKIN_ROW_MASK) < cloths[number]->grid.rows - 1;
}

int cloth_skin(cloth *const *cloths, int32_t count, const cloth_binding *bindings, const cloth_skin_layout *layout,
               const void *animated, void *vertices) {
  const cloth *const *all = (const cloth *const *)cloths;
  if (!bindings || !layout || !vertices) {
    return CLOTH_ERROR_NULL;
  }
  int error = check_skinned_cloths(all, count);
  error = error ? error : check_skin_layout(layout);
  if (error) {
    return error;
  }
  for (int32_t i = 0; i < layout->count; i++) {
    if (!is_binding(all, count, &bindings[i])) {
      return CLOTH_ERROR_INDEX;
    }
  }
  const skin_job job = {bindings, layout, (const uint8_t *)animated, (uint8_t *)vertices};
  for (int32_t i = 0; animated && i < layout->count; i++) {
    if (bindings[i].weight == 0) {
      copy_animated(&job, i);
    }
  }
  for (int32_t number = 0; number < count; number++) {
    skin_cloth(all[number], number, &job);
  }
  return CLOTH_OK;
}

#endif

/// Binding a mesh ///

/*
 * cloth_bind(): first the nearest cell of each vertex, by the distance to its two triangles; then, cloth by cloth, the
 * place on the bilinear patch whose normal passes through the vertex, by Newton's steps that may lead to neighbouring
 * cells. Lengths are divided by the root of the area of a cell, so that the smallest cells do not underflow.
 *
 * In: positions, grid, vertices of the caller. Out: bindings in the caller's memory. Scratch: residual holds the unit
 * normals of the particles.
 */

#if WITH_SKIN

/* Newton's steps to the foot of a vertex on a patch. From the nearest point of the triangles five are enough for the
   resolution of a binding; more where the way leads through cells. */
#define BIND_STEPS 16
/* Farthest that a vertex may be from its cloth [cells]: less than the largest height that a binding holds. */
#define BIND_MOST_CELLS 30.0f
/* Farthest that the place found may be from the vertex [cells]. It is farther for a vertex beyond a border by more than
   a binding's coordinates hold; it is not bound. */
#define BIND_TOLERANCE 0.05f
/* Lengths below it are 0 [cells]. The product of two squares of larger ones, times MIN_DETERMINANT, is no subnormal
   number. */
#define CELL_QUANTUM 9.5367431640625e-7f
/* Squared sine of the angle between two edges below which they have no plane. */
#define MIN_DETERMINANT 1.0e-6f

/* A vector in cells. */
static cloth_vector in_cells(const cloth *c, cloth_vector a) {
  return vector_flush(vector_scale(a, 1.0f / mean_spacing(c)), CELL_QUANTUM);
}

static float clamped(float value, float low, float high) {
  return minimum(maximum(value, low), high);
}

/* A point of a triangle: its squared distance from the origin [cells^2], and its coordinates along the edges from the
   first corner. */
typedef struct triangle_point {
  float squared, along_second, along_third;
} triangle_point;

/* The share of an edge that starts at `a` where it is nearest to the origin. */
static float nearest_on_edge(cloth_vector a, cloth_vector edge) {
  const float squared = vector_dot(edge, edge);
  return squared > 0.0f ? clamped(negate(vector_dot(a, edge)) / squared, 0.0f, 1.0f) : 0.0f;
}

/* Takes a point of the triangle with a first corner and two edges if it is nearer than the one found so far. */
static void try_point(triangle_point *best, const cloth_vector triangle[3], float s, float t) {
  const cloth_vector along = vector_add_scaled(triangle[0], triangle[1], s);
  const cloth_vector to = vector_flush(vector_add_scaled(along, triangle[2], t), CELL_QUANTUM);
  const float squared = vector_dot(to, to);
  if (squared < best->squared) {
    best->squared = squared;
    best->along_second = s;
    best->along_third = t;
  }
}

/* The point of the triangle a, b, c that is nearest to the origin: inside, or on an edge. */
static triangle_point nearest_on_triangle(cloth_vector a, cloth_vector b, cloth_vector c, float farthest) {
  const cloth_vector second = vector_flush(vector_subtract(b, a), CELL_QUANTUM);
  const cloth_vector third = vector_flush(vector_subtract(c, a), CELL_QUANTUM);
  const cloth_vector opposite = vector_flush(vector_subtract(c, b), CELL_QUANTUM);
  const cloth_vector triangle[3] = {a, second, third};
  const float ss = vector_dot(second, second), st = vector_dot(second, third), tt = vector_dot(third, third);
  const float sa = vector_dot(second, a), ta = vector_dot(third, a), determinant = ss * tt - st * st;
  triangle_point best = {farthest, 0.0f, 0.0f};
  if (determinant > MIN_DETERMINANT * ss * tt) {
    const float s = (st * ta - tt * sa) / determinant, t = (st * sa - ss * ta) / determinant;
    if (s >= 0.0f && t >= 0.0f && s + t <= 1.0f) {
      try_point(&best, triangle, s, t);
      return best;
    }
  }
  const float share = nearest_on_edge(b, opposite);
  try_point(&best, triangle, nearest_on_edge(a, second), 0.0f);
  try_point(&best, triangle, 0.0f, nearest_on_edge(a, third));
  try_point(&best, triangle, 1.0f - share, share);
  return best;
}

/* A place on a cloth, and its squared distance from a vertex [cells^2]. */
typedef struct bound_place {
  int32_t column, row;
  float u, v;
  float squared;
} bound_place;

/* Squared distance from the origin to the interval of four numbers. */
static float squared_gap(float a, float b, float c, float d) {
  const float low = minimum(minimum(a, b), minimum(c, d)), high = maximum(maximum(a, b), maximum(c, d));
  const float gap = maximum(maximum(low, negate(high)), 0.0f);
  return gap * gap;
}

/* Takes the nearest point of a cell as the place of a vertex if it is nearer than the one found so far. */
static void try_cell(const cloth *c, bound_place *best, int32_t column, int32_t row, cloth_vector vertex) {
  const vector_array x = vectors_at(c, c->state.position);
  int32_t particles[4];
  cloth_vector q[4];
  cell_particles(c, column, row, particles);
  for (int32_t corner = 0; corner < 4; corner++) {
    q[corner] = in_cells(c, vector_subtract(vector_load(x, particles[corner]), vertex));
  }
  const float gap = squared_gap(q[0].x, q[1].x, q[2].x, q[3].x) + squared_gap(q[0].y, q[1].y, q[2].y, q[3].y) +
                    squared_gap(q[0].z, q[1].z, q[2].z, q[3].z);
  if (gap >= best->squared) {
    return;
  }
  const triangle_point above = nearest_on_triangle(q[0], q[1], q[2], best->squared);
  const triangle_point below = nearest_on_triangle(q[0], q[2], q[3], above.squared);
  if (below.squared < above.squared) {
    const bound_place found = {column, row, below.along_second, below.along_second + below.along_third, below.squared};
    *best = found;
  } else if (above.squared < best->squared) {
    const bound_place found = {column, row, above.along_second + above.along_third, above.along_third, above.squared};
    *best = found;
  }
}

/* The place of a cloth nearest to a vertex, of those nearer than the root of `farthest` [cells^2]. */
static bound_place search_cloth(const cloth *c, cloth_vector vertex, float farthest) {
  bound_place best = {0, 0, 0.0f, 0.0f, farthest};
  for (int32_t row = 0; row < c->grid.rows - 1; row++) {
    for (int32_t column = 0; column < cells_along_warp(c); column++) {
      try_cell(c, &best, column, row, vertex);
    }
  }
  return best;
}

/* A frame of a patch as vectors, in metres. */
typedef struct bind_frame {
  cloth_vector place, along_u, along_v, tangent, bitangent, normal;
} bind_frame;

/* The frame at a place of a cell, computed as cloth_skin() does, with the same vertex in all lanes. */
static bind_frame frame_of_place(const cloth *c, const bound_place *place) {
  int32_t particles[4];
  skin_patch patch;
  cell_particles(c, place->column, place->row, particles);
  for (int32_t corner = 0; corner < 4; corner++) {
    patch.corner[corner] = lanes3_splat(vector_load(vectors_at(c, c->state.position), particles[corner]));
    patch.normal[corner] = lanes3_splat(vector_load(particle_normals(c), particles[corner]));
  }
  const skin_frame f = frame_of_patch(&patch, lanes_splat(place->u), lanes_splat(place->v));
  const bind_frame frame = {lanes3_first(f.place),   lanes3_first(f.along_u),   lanes3_first(f.along_v),
                            lanes3_first(f.tangent), lanes3_first(f.bitangent), lanes3_first(f.normal)};
  return frame;
}

/* A vertex as seen from a place: its height along the normal, and what remains beside it [cells]. */
typedef struct seen_vertex {
  cloth_vector beside;
  float height;
} seen_vertex;

static seen_vertex vertex_seen_from(const cloth *c, const bind_frame *f, cloth_vector vertex) {
  const cloth_vector from = in_cells(c, vector_subtract(vertex, f->place));
  seen_vertex seen;
  seen.height = flush_small(vector_dot(from, f->normal), CELL_QUANTUM);
  seen.beside = vector_flush(vector_add_scaled(from, f->normal, negate(seen.height)), CELL_QUANTUM);
  return seen;
}

/* Moves a coordinate that has left its cell to the neighbouring one, if there is one; else keeps it near the border. */
static void enter_cell(float *coordinate, int32_t *cell, int32_t cells, int is_ring) {
  const int32_t step = *coordinate < 0.0f ? -1 : *coordinate > 1.0f ? 1 : 0;
  const int32_t next = *cell + step;
  if (step != 0 && (is_ring || (next >= 0 && next < cells))) {
    *cell = next < 0 ? cells - 1 : next >= cells ? 0 : next;
    *coordinate = clamped(*coordinate - (float)step, 0.0f, 1.0f);
  } else {
    *coordinate = clamped(*coordinate, SKIN_PLACE_FIRST, 1.0f - SKIN_PLACE_FIRST);
  }
}

/* Moves a place to where its normal passes through the vertex. Each step solves for the two shifts on the patch in its
   tangent plane. */
static void refine_place(const cloth *c, bound_place *place, cloth_vector vertex) {
  for (int32_t step = 0; step < BIND_STEPS; step++) {
    const bind_frame f = frame_of_place(c, place);
    const cloth_vector beside = vertex_seen_from(c, &f, vertex).beside;
    const cloth_vector u = in_cells(c, f.along_u), v = in_cells(c, f.along_v);
    const float uu = vector_dot(u, u), uv = vector_dot(u, v), vv = vector_dot(v, v), determinant = uu * vv - uv * uv;
    if (!(determinant > MIN_DETERMINANT * uu * vv)) {
      return;
    }
    const float ru = vector_dot(beside, u), rv = vector_dot(beside, v);
    place->u += clamped((ru * vv - rv * uv) / determinant, -1.0f, 1.0f);
    place->v += clamped((rv * uu - ru * uv) / determinant, -1.0f, 1.0f);
    enter_cell(&place->u, &place->column, cells_along_warp(c), is_wrapped(c));
    enter_cell(&place->v, &place->row, c->grid.rows - 1, 0);
  }
}

/* A number in units, rounded to a whole one. */
static int32_t in_units(float value, float units, float least, float most) {
  const float scaled = clamped(value * units, least, most) + 65536.5f; /* positive, so that the cast rounds down */
  return (int32_t)scaled - 65536;
}

/* Writes the projection of a vector onto an octahedron, unfolded. */
static void encode_normal(cloth_binding *b, cloth_vector n) {
  const float size = maximum(absolute(n.x) + absolute(n.y) + absolute(n.z), DIRECTION_MIN_LENGTH);
  float x = n.x / size, y = n.y / size;
  if (n.z < 0.0f) {
    const float folded = (1.0f - absolute(y)) * (x < 0.0f ? -1.0f : 1.0f);
    y = (1.0f - absolute(x)) * (y < 0.0f ? -1.0f : 1.0f);
    x = folded;
  }
  b->normal[0] = (int16_t)in_units(x, SKIN_NORMAL_UNITS, -SKIN_NORMAL_UNITS, SKIN_NORMAL_UNITS);
  b->normal[1] = (int16_t)in_units(y, SKIN_NORMAL_UNITS, -SKIN_NORMAL_UNITS, SKIN_NORMAL_UNITS);
}

/* Writes the place of a tangent on the outline of the square around the normal that the binding holds. */
static void encode_tangent(cloth_binding *b, cloth_vector tangent) {
  const lanes3 normal = decode_normal(lanes_splat((float)b->normal[0] * (1.0f / SKIN_NORMAL_UNITS)),
                                      lanes_splat((float)b->normal[1] * (1.0f / SKIN_NORMAL_UNITS)));
  lanes3 first, second;
  basis_around(normal, &first, &second);
  const float x = vector_dot(tangent, lanes3_first(first)), y = vector_dot(tangent, lanes3_first(second));
  const float size = maximum(absolute(x) + absolute(y), DIRECTION_MIN_LENGTH);
  const float place = y < 0.0f ? 3.0f + x / size : 1.0f - x / size;
  b->tangent = (uint8_t)((uint32_t)in_units(place, SKIN_TANGENT_UNITS, 0.0f, 4.0f * SKIN_TANGENT_UNITS) & 0xffu);
}

/* The weight of a vertex at a distance from the cloth [m], 0..SKIN_WEIGHT_MOST. */
static uint8_t weight_at(const cloth_bind_reach *reach, float distance) {
  const float span = maximum(reach->none - reach->full, STATE_QUANTUM);
  const float share = distance <= reach->full ? 1.0f : (reach->none - distance) / span;
  return (uint8_t)in_units(share, SKIN_WEIGHT_MOST, 0.0f, SKIN_WEIGHT_MOST);
}

/* A vertex as the caller has it; what its layout leaves out is 0. */
typedef struct mesh_vertex {
  cloth_vector position, normal, tangent;
  float handedness;
} mesh_vertex;

static mesh_vertex read_vertex(const cloth_skin_layout *layout, const void *vertices, int32_t i) {
  const uint8_t *from = (const uint8_t *)vertices + (size_t)i * (size_t)layout->stride;
  mesh_vertex vertex;
  fill_zero(&vertex, sizeof vertex);
  copy_floats(&vertex.position, from + layout->position_offset, 3);
  if (layout->normal_offset != CLOTH_ATTRIBUTE_NONE) {
    copy_floats(&vertex.normal, from + layout->normal_offset, 3);
  }
  if (layout->tangent_offset != CLOTH_ATTRIBUTE_NONE) {
    copy_floats(&vertex.tangent, from + layout->tangent_offset, 3);
    copy_floats(&vertex.handedness, from + layout->tangent_offset + 3 * sizeof(float), 1);
  }
  return vertex;
}

/* Writes a place into a binding, whose weight is left alone. */
static void encode_place(cloth_binding *b, const bound_place *place, int32_t number, float height) {
  b->column = (uint16_t)place->column;
  b->row = (uint16_t)((uint32_t)place->row | (uint32_t)number << SKIN_CLOTH_SHIFT);
  b->u = (uint16_t)in_units(place->u - SKIN_PLACE_FIRST, SKIN_PLACE_UNITS, 0.0f, SKIN_PLACE_MOST);
  b->v = (uint16_t)in_units(place->v - SKIN_PLACE_FIRST, SKIN_PLACE_UNITS, 0.0f, SKIN_PLACE_MOST);
  b->height = (int16_t)in_units(height, SKIN_HEIGHT_UNITS, -SKIN_HEIGHT_MOST, SKIN_HEIGHT_MOST);
}

/* First pass: the cell of a vertex, the nearest point of its triangles, and the weight, which is 0 without a cell. */
static void find_cell(const cloth *const *cloths, int32_t count, const cloth_bind_reach *reach, cloth_vector vertex,
                      cloth_binding *b) {
  float nearest = reach->none;
  fill_zero(b, sizeof *b);
  for (int32_t number = 0; number < count; number++) {
    const float spacing = mean_spacing(cloths[number]);
    const float cells = minimum(nearest / spacing, BIND_MOST_CELLS), farthest = cells * cells;
    const bound_place place = search_cloth(cloths[number], vertex, farthest);
    if (place.squared < farthest) {
      nearest = square_root(place.squared) * spacing;
      encode_place(b, &place, number, 0.0f);
      b->weight = weight_at(reach, nearest);
    }
  }
}

static cloth_vector in_frame(const bind_frame *f, cloth_vector a) {
  return vector_flush_work(vector(vector_dot(a, f->tangent), vector_dot(a, f->bitangent), vector_dot(a, f->normal)));
}

/* A coordinate of a binding, in cells. */
static float place_of_units(uint16_t units) {
  return (float)units * (1.0f / SKIN_PLACE_UNITS) + SKIN_PLACE_FIRST;
}

/* Second pass: the place of a vertex on the patch, and its directions there. A vertex that the patch cannot hold is not
   bound. */
static void bind_to_patch(const cloth *c, int32_t number, const mesh_vertex *vertex, cloth_binding *b) {
  bound_place place = {b->column, (int32_t)(b->row & SKIN_ROW_MASK), place_of_units(b->u), place_of_units(b->v), 0.0f};
  refine_place(c, &place, vertex->position);
  const bind_frame f = frame_of_place(c, &place);
  const seen_vertex seen = vertex_seen_from(c, &f, vertex->position);
  const uint8_t weight = b->weight;
  fill_zero(b, sizeof *b);
  if (vector_length(seen.beside) > BIND_TOLERANCE || absolute(seen.height) > BIND_MOST_CELLS) {
    return;
  }
  encode_place(b, &place, number, seen.height);
  encode_normal(b, in_frame(&f, unit_or_zero(vertex->normal)));
  encode_tangent(b, in_frame(&f, unit_or_zero(vertex->tangent)));
  b->column = (uint16_t)(b->column | (vertex->handedness < 0.0f ? SKIN_MIRRORED : 0u));
  b->weight = weight;
}

static int check_mesh(const cloth_skin_layout *layout, const void *vertices) {
  for (int32_t i = 0; i < layout->count; i++) {
    const mesh_vertex v = read_vertex(layout, vertices, i);
    if (!vector_in_range(v.position, CLOTH_POSITION_LIMIT) || !vector_in_range(v.normal, ATTRIBUTE_LIMIT) ||
        !vector_in_range(v.tangent, ATTRIBUTE_LIMIT) || !is_finite(v.handedness)) {
      return CLOTH_ERROR_RANGE;
    }
  }
  return CLOTH_OK;
}

static int check_reach(const cloth_bind_reach *reach) {
  const int fits = in_range(reach->full, 0.0f, CLOTH_ANY_DISTANCE) && in_range(reach->none, 0.0f, CLOTH_ANY_DISTANCE);
  return fits && reach->none >= reach->full && reach->none > 0.0f ? CLOTH_OK : CLOTH_ERROR_RANGE;
}

int cloth_bind(cloth *const *cloths, int32_t count, const cloth_skin_layout *layout, const void *vertices,
               const cloth_bind_reach *reach, cloth_binding *bindings) {
  const cloth *const *all = (const cloth *const *)cloths;
  if (!layout || !vertices || !reach || !bindings) {
    return CLOTH_ERROR_NULL;
  }
  int error = check_skinned_cloths(all, count);
  error = error ? error : check_skin_layout(layout);
  error = error ? error : check_reach(reach);
  error = error ? error : check_mesh(layout, vertices);
  if (error) {
    return error;
  }
  int32_t bound = 0;
  for (int32_t i = 0; i < layout->count; i++) {
    find_cell(all, count, reach, read_vertex(layout, vertices, i).position, &bindings[i]);
  }
  for (int32_t number = 0; number < count; number++) {
    compute_particle_normals(all[number]);
    for (int32_t i = 0; i < layout->count; i++) {
      if (is_bound_to(&bindings[i], number)) {
        const mesh_vertex vertex = read_vertex(layout, vertices, i);
        bind_to_patch(all[number], number, &vertex, &bindings[i]);
        bound += bindings[i].weight > 0;
      }
    }
  }
  return bound;
}

#endif

/// State ///

/*
 * The hash of a state. In: the state span of the arena. Scratch is not used.
 *
 * The state consists of words of 4 bytes, floats and integers, except for the freedoms at its start, which are bytes
 * and are hashed as little-endian words. So the hash is the same on machines of either byte order.
 */
static uint32_t little_endian_word(const uint8_t *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static int32_t freedom_words(const cloth *c) {
  return (c->count + 3) / 4;
}

/* Words of the state from the colliders, which follow the freedoms, to its end. */
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

/// Portable image ///

#if WITH_IMAGE || WITH_SAVE_CHECKS

/*
 * Portable images. In and out: the state span of the arena, and the caller's bytes. Scratch is not used.
 *
 * An image is a header, then the state word by word, all little-endian. cloth_read_image() checks everything before it
 * writes: header, hash, and then every value against what calls and steps can produce, so that a step of an accepted
 * image stays in bounds whatever made it. check_image_...() return 1 for valid content. Some of them also check saves,
 * see saves.h.
 */

/* Words of the header. */
enum {
  IMAGE_MAGIC,
  IMAGE_STATE_VERSION,
  IMAGE_NUMERICS_VERSION,
  IMAGE_BYTES,
  IMAGE_COLUMNS,
  IMAGE_ROWS,
  IMAGE_COLLIDERS,
  IMAGE_CONFINED,
  IMAGE_OPTIONS,                 /* IMAGE_HAS_... */
  IMAGE_CONFIG,                  /* hash of the config, low word first */
  IMAGE_HASH = IMAGE_CONFIG + 2, /* of the state, low word first */
  IMAGE_HEADER_WORDS = IMAGE_HEADER_BYTES / 4
};

/* Bits of IMAGE_OPTIONS. */
#define IMAGE_HAS_WARM_START 1u
#define IMAGE_HAS_CONTACTS 2u /* in the solver */

/* Range of the length of a unit vector: floats round it, and a moving frame rotates it many times. */
#define UNIT_LENGTH_MIN 0.999f
#define UNIT_LENGTH_MAX 1.001f
/* Largest component of an earlier velocity over CLOTH_SPEED_LIMIT. A vector that confinement or a moving frame rotates
   can have the length of the diagonal of a cube, sqrt(3), along one axis, and some rounding. */
#define CONFINED_SPEED_FACTOR 1.9f
/* Bound on a warm start: solutions have no bound of their own, but are finite. */
#define WARM_START_LIMIT 1.0e30f

#if WITH_IMAGE

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
  header[IMAGE_OPTIONS] =
      (c->state.warm_start ? IMAGE_HAS_WARM_START : 0u) | (c->state.contacts ? IMAGE_HAS_CONTACTS : 0u);
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

#endif

static void read_words(any_word *words, const uint8_t *from, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    words[i] = little_endian_word(from + 4 * i);
  }
}

#if WITH_IMAGE

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

/* The error of a header that does not belong to an image of a cloth like this one, or CLOTH_OK. */
static int check_image_header(const cloth *c, const uint32_t header[IMAGE_HEADER_WORDS], size_t bytes) {
  uint32_t expected[IMAGE_HEADER_WORDS];
  describe_image(c, expected);
  for (int32_t i = IMAGE_MAGIC; i < IMAGE_BYTES; i++) {
    if (header[i] != expected[i]) {
      return CLOTH_ERROR_IMAGE_VERSION;
    }
  }
  for (int32_t i = IMAGE_BYTES; i < IMAGE_HASH; i++) {
    if (header[i] != expected[i]) {
      return CLOTH_ERROR_IMAGE_CONFIG;
    }
  }
  return bytes < header[IMAGE_BYTES] ? CLOTH_ERROR_IMAGE_DAMAGED : CLOTH_OK;
}

static uint64_t hash_image(const uint8_t *body, uint32_t bytes) {
  hasher h;
  hash_start(&h);
  for (uint32_t i = 0; i < bytes; i += 4) {
    hash_word(&h, little_endian_word(body + i));
  }
  return hash_end(&h);
}

#endif

/* Is a word +0, or a finite float of at least 2^-40 in magnitude, as all floats of a state are? */
static int is_state_float(uint32_t word) {
  uint32_t exponent = (word >> 23) & 255u;
  return word == 0 || (exponent >= 127u - 40u && exponent < 255u);
}

/* The state in an image or a save, read at the offsets that its parts have in the cloth. */
typedef struct image_view {
  const cloth *c;
  const uint8_t *state;
  int32_t is_save; /* 1: its words are those of this machine, 0: they are little-endian */
} image_view;

static void read_view_words(const image_view *view, any_word *words, const uint8_t *from, int32_t count) {
  if (view->is_save) {
    copy_memory(words, from, 4 * (size_t)count);
  } else {
    read_words(words, from, count);
  }
}

static int are_state_floats(const image_view *view, const uint8_t *from, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    any_word word;
    read_view_words(view, &word, from + 4 * i, 1);
    if (!is_state_float(word)) {
      return 0;
    }
  }
  return 1;
}

/* Reads eight bytes at a time: a sleeping cloth has many zeros. */
static int is_zero(const uint8_t *from, size_t bytes) {
  size_t i = 0;
  for (; i + 8 <= bytes; i += 8) {
    uint64_t eight;
    copy_memory(&eight, from + i, sizeof eight);
    if (eight) {
      return 0;
    }
  }
  for (; i < bytes; i++) {
    if (from[i]) {
      return 0;
    }
  }
  return 1;
}

static const uint8_t *image_at(const image_view *view, uint32_t offset) {
  return view->state + (offset - view->c->state.freedom);
}

static int is_freedom(uint8_t freedom) {
  return freedom <= FREEDOM_MASK || freedom == (FREEDOM_PINNED | PIN_MOVING) ||
         freedom == (FREEDOM_PINNED | PIN_ARRIVED);
}

/* Are the gusts of inputs as cloth_set_gusts() sets them? */
static int are_image_gusts(const cloth_inputs *inputs) {
  cloth_vector strength = inputs->gust_strength;
  if (inputs->gust_period == 0.0f) {
    return strength.x == 0.0f && strength.y == 0.0f && strength.z == 0.0f && inputs->gust_seed == 0 &&
           inputs->gust_phase[0] == 0 && inputs->gust_phase[1] == 0;
  }
#if WITH_AIR
  return are_gusts(strength, inputs->gust_period);
#else
  return 0;
#endif
}

/* May the zero of positions lie there? */
static int is_image_origin(cloth_metres origin) {
#if WITH_ORIGIN
  return are_metres_within(origin, CLOTH_ORIGIN_LIMIT);
#else
  return origin.x == 0 && origin.y == 0 && origin.z == 0;
#endif
}

static int check_image_inputs(const image_view *view, cloth_inputs *inputs) {
  const uint8_t *from = image_at(view, view->c->state.inputs);
  read_view_words(view, (any_word *)inputs, from, (int32_t)(sizeof(cloth_inputs) / 4));
  const int32_t floats = (int32_t)((sizeof(cloth_inputs) - offsetof(cloth_inputs, last_substep)) / 4);
  const int32_t most_targets = view->c->state.targets ? TARGETS_MOVING : TARGETS_NONE;
  return are_state_floats(view, from + offsetof(cloth_inputs, last_substep), floats) && inputs->collider_end >= 0 &&
         is_image_origin(inputs->origin) && inputs->collider_end <= view->c->settings.capacity.max_colliders &&
         inputs->confined_count >= 0 && inputs->confined_count <= view->c->settings.capacity.max_confined &&
         inputs->tethers_chosen >= 0 &&
         inputs->tethers_chosen <= (view->c->state.tethers ? TETHERS_SET : TETHERS_STALE) &&
         inputs->targets >= TARGETS_NONE && inputs->targets <= most_targets && are_image_gusts(inputs) &&
         in_range(inputs->last_substep, 0.0f, 1.0f) && vector_in_range(inputs->gravity, GRAVITY_LIMIT) &&
         vector_in_range(inputs->wind, WIND_LIMIT) && !check_fabric(&inputs->fabric);
}

/* Returns 1 for a collider slot in use, 0 for a free slot, -1 for invalid content. */
static int check_image_slot(const image_view *view, int32_t index) {
  const uint8_t *from = image_at(view, view->c->state.colliders + (uint32_t)index * (uint32_t)sizeof(collider_slot));
  if (is_zero(from, sizeof(collider_slot))) {
    return 0;
  }
#if WITH_COLLIDERS
  collider_slot slot;
  read_view_words(view, (any_word *)&slot, from, (int32_t)(sizeof slot / 4));
  if (!are_state_floats(view, from + 24, (int32_t)(sizeof slot / 4) - 6) || check_collider(&slot.body) ||
      check_pose(&slot.previous)) {
    return -1;
  }
  /* Storing the collider again must give the same slot. Poses are excepted: normalising a rotation again may change its
     last bit. */
  collider_slot stored = stored_collider(&slot.body);
  stored.body.pose = slot.body.pose;
  stored.previous = slot.previous;
  if (are_equal(&stored, &slot, sizeof slot)) {
    return 1;
  }
#endif
  return -1;
}

/* The shape of a collider. */
static any_word image_shape(const image_view *view, int32_t index) {
  any_word shape;
  const uint8_t *slot = image_at(view, view->c->state.colliders + (uint32_t)index * (uint32_t)sizeof(collider_slot));
  read_view_words(view, &shape, slot + offsetof(collider_slot, body), 1);
  return shape;
}

static int check_image_colliders(const image_view *view, const cloth_inputs *inputs) {
  int32_t end = 0, meshes = 0;
  for (int32_t index = 0; index < view->c->settings.capacity.max_colliders; index++) {
    int used = check_image_slot(view, index);
    if (used < 0) {
      return 0;
    }
    end = used ? index + 1 : end;
    if (used) {
      const any_word shape = image_shape(view, index);
      const int is_mesh = shape == CLOTH_SHAPE_MESH;
      meshes += is_mesh;
      if (shape >= CLOTH_SHAPE_HULL && !is_mesh && !view->c->settings.capacity.geometry) {
        return 0;
      }
    }
  }
  return end == inputs->collider_end && meshes <= view->c->settings.capacity.meshes;
}

static int is_image_unit(cloth_vector a) {
  return vector_in_range(a, UNIT_LENGTH_MAX) && in_range(vector_length(a), UNIT_LENGTH_MIN, UNIT_LENGTH_MAX);
}

static int check_image_confinement(const image_view *view, int32_t index, int32_t particle, uint8_t freedom) {
  const uint8_t *from = image_at(view, view->c->state.confined) + (size_t)index * sizeof(confinement);
  confinement held;
  read_view_words(view, (any_word *)&held, from, (int32_t)(sizeof held / 4));
  return held.particle == particle && held.freedom == freedom && are_state_floats(view, from + 8, 6) &&
         is_image_unit(held.direction) && vector_in_range(held.anchor, CLOTH_POSITION_LIMIT);
}

/* Are the next four of `left` particles free? Most are, which saves looking at each. */
static int are_four_free(const uint8_t *freedom, int32_t left) {
  uint32_t four = 0;
  if (left >= 4) {
    copy_memory(&four, freedom, sizeof four);
  }
  return four == 0x01010101u * FREEDOM_FREE;
}

/* Are freedoms valid, are the confined particles those of the list, in ascending order, and is the rest of the list 0?
 */
static int check_image_confined(const image_view *view, const cloth_inputs *inputs) {
  const cloth *c = view->c;
  const uint8_t *freedom = image_at(view, c->state.freedom);
  int32_t listed = 0;
  for (int32_t i = 0; i < c->count; i++) {
    if (are_four_free(freedom + i, c->count - i)) {
      i += 3;
      continue;
    }
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

#if WITH_BODIES

/* Is a collider that may have mass in a slot: one that is convex? */
static int may_have_mass(const image_view *view, int32_t index) {
  return check_image_slot(view, index) == 1 && (!WITH_CONCAVE || image_shape(view, index) < CLOTH_SHAPE_HEIGHT_FIELD);
}

/* The bodies are of convex colliders that exist, each of another one, and what follows them in the list is 0. */
static int check_image_bodies(const image_view *view, const cloth_inputs *inputs) {
  const uint8_t *from = image_at(view, view->c->state.bodies);
  const int32_t words = (int32_t)(sizeof(rigid_body) / 4), most = view->c->settings.capacity.max_bodies;
  uint64_t seen = 0;
  for (int32_t n = 0; n < inputs->body_count; n++, from += sizeof(rigid_body)) {
    rigid_body b;
    read_view_words(view, (any_word *)&b, from, words);
    if (b.collider < 0 || b.collider >= view->c->settings.capacity.max_colliders || (seen >> b.collider & 1u) ||
        !may_have_mass(view, b.collider) || !are_state_floats(view, from + 4, words - 1)) {
      return 0;
    }
    const cloth_body body = {b.mass, b.inertia, b.velocity, b.spin, b.gravity};
    if (check_body(&body)) {
      return 0;
    }
    seen |= UINT64_C(1) << b.collider;
  }
  return is_zero(from, (size_t)(most - inputs->body_count) * sizeof(rigid_body));
}

/* Is a particle attached once only, among the first `count` attachments? */
static int is_attached_before(const image_view *view, int32_t count, int32_t particle) {
  const uint8_t *from = image_at(view, view->c->state.attachments);
  for (int32_t n = 0; n < count; n++, from += sizeof(attachment)) {
    any_word other;
    read_view_words(view, &other, from, 1);
    if ((int32_t)other == particle) {
      return 1;
    }
  }
  return 0;
}

/* Attached particles are pins, each attached once, to colliders that exist, and what follows them in the list is 0. */
static int check_image_attachments(const image_view *view, const cloth_inputs *inputs) {
  const cloth *c = view->c;
  const uint8_t *from = image_at(view, c->state.attachments), *freedom = image_at(view, c->state.freedom);
  for (int32_t n = 0; n < inputs->attachment_count; n++, from += sizeof(attachment)) {
    attachment a;
    read_view_words(view, (any_word *)&a, from, (int32_t)(sizeof a / 4));
    if (a.particle < 0 || a.particle >= c->count || freedom[a.particle] != FREEDOM_PINNED ||
        is_attached_before(view, n, a.particle) || a.collider < 0 || a.collider >= c->settings.capacity.max_colliders ||
        check_image_slot(view, a.collider) != 1 || !are_state_floats(view, from + 8, 3) ||
        !vector_in_range(a.point, CLOTH_POSITION_LIMIT)) {
      return 0;
    }
  }
  return is_zero(from, (size_t)(c->settings.capacity.max_attachments - inputs->attachment_count) * sizeof(attachment));
}

#endif

/* Are bodies, attachments and reactions at rest possible? */
static int check_image_coupling(const image_view *view, const cloth_inputs *inputs) {
  const cloth *c = view->c;
  if (inputs->body_count < 0 || inputs->body_count > c->settings.capacity.max_bodies || inputs->attachment_count < 0 ||
      inputs->attachment_count > c->settings.capacity.max_attachments ||
      (c->state.resting && !are_state_floats(view, image_at(view, c->state.resting), report_count(c)))) {
    return 0;
  }
#if WITH_BODIES
  return check_image_bodies(view, inputs) && check_image_attachments(view, inputs);
#else
  return 1;
#endif
}

#if WITH_IMAGE

/* Are the components of a vector array within +-limit, and is its padding 0? */
static int check_image_vectors(const image_view *view, uint32_t offset, float limit) {
  const cloth *c = view->c;
  for (int32_t component = 0; component < 3; component++) {
    const uint8_t *from = image_at(view, offset) + (size_t)(component * c->stride) * sizeof(float);
    for (int32_t i = 0; i < c->count; i++) {
      float_bits b;
      b.bits = little_endian_word(from + 4 * i);
      if (!is_state_float(b.bits) || !in_range(b.value, negate(limit), limit)) {
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

#endif

/* Is a rest time possible? A sleeping cloth has a sleep speed, and all its velocities are 0. */
static int check_image_sleep(const image_view *view, float rest_time) {
  const cloth *c = view->c;
  if (rest_time == ASLEEP) {
    return c->settings.sleep.speed > 0.0f &&
           is_zero(image_at(view, c->state.velocity), 3 * (size_t)c->stride * sizeof(float));
  }
  return rest_time == 0.0f || (c->settings.sleep.speed > 0.0f && in_range(rest_time, 0.0f, c->settings.sleep.time));
}

#if WITH_IMAGE

/* Do tethers lead nowhere or to particles, which are pinned once tethers have been chosen or set? */
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

/* Is the velocity history in range? The x components of its first vectors may have the mark of an invalid history. */
static int check_image_history(const image_view *view) {
  const cloth *c = view->c;
  const uint8_t *from = image_at(view, c->state.velocity_history);
  for (int32_t i = 0; i < 6 * c->stride; i++) {
    float_bits b;
    b.bits = little_endian_word(from + 4 * i);
    int is_forgotten = i < c->count && b.value == HISTORY_INVALID;
    int is_pad = i % c->stride >= c->count;
    float limit =
        is_pad ? 0.0f
               : CONFINED_SPEED_FACTOR * CLOTH_SPEED_LIMIT; /* confining a particle to a line may rotate its velocity */
    if (!is_forgotten && !(is_state_float(b.bits) && in_range(b.value, negate(limit), limit))) {
      return 0;
    }
  }
  return 1;
}

#endif

/* Are the bytes that align vector arrays 0? */
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

#if WITH_IMAGE

/* Are two vector arrays of the targets equal? */
static int are_same_targets(const image_view *view, int32_t which, int32_t other) {
  const size_t bytes = 3 * (size_t)view->c->stride * sizeof(float);
  const uint8_t *targets = image_at(view, view->c->state.targets);
  return are_equal(targets + (size_t)which * bytes, targets + (size_t)other * bytes, bytes);
}

static cloth_vector image_vector(const image_view *view, uint32_t offset, int32_t particle) {
  const uint8_t *from = image_at(view, offset) + 4 * (size_t)particle;
  const size_t component = (size_t)view->c->stride * sizeof(float);
  float_bits a[3];
  for (int32_t n = 0; n < 3; n++) {
    a[n].bits = little_endian_word(from + (size_t)n * component);
  }
  return vector(a[0].value, a[1].value, a[2].value);
}

/* Is a normal 0, which is no backstop, or of unit length? */
static int is_image_normal(cloth_vector normal) {
  return vector_length(normal) == 0.0f || is_image_unit(normal);
}

/* Are motion constraints, targets and normals in range? Targets at rest have equal positions before and after, targets
   that were never set are 0. */
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
  return (targets == TARGETS_MOVING || (are_same_targets(view, TARGET_POSITION, TARGET_POSITION_BEFORE) &&
                                        are_same_targets(view, TARGET_NORMAL, TARGET_NORMAL_BEFORE))) &&
         (targets != TARGETS_NONE || is_zero(places, (TARGET_VECTORS - 1) * (size_t)vector_bytes));
}

static int check_image_content(const image_view *view) {
  const cloth *c = view->c;
  cloth_inputs inputs;
  return check_image_inputs(view, &inputs) && check_image_colliders(view, &inputs) &&
         check_image_confined(view, &inputs) && check_image_coupling(view, &inputs) && check_image_gaps(view) &&
         check_image_vectors(view, c->state.position, CLOTH_POSITION_LIMIT) &&
         check_image_vectors(view, c->state.velocity, CLOTH_SPEED_LIMIT) && check_image_sleep(view, inputs.rest_time) &&
         (!c->state.tethers || check_image_tethers(view, &inputs)) &&
         (!c->state.velocity_history || check_image_history(view)) &&
         (!c->state.warm_start || check_image_vectors(view, c->state.warm_start, WARM_START_LIMIT)) &&
         (!c->state.contacts || check_image_contacts(view)) &&
         (!c->state.targets || check_image_targets(view, inputs.targets));
}

int cloth_read_image(cloth *c, const void *image, size_t bytes) {
  int error = check_call(c, image);
  if (error) {
    return error;
  }
  if (bytes < IMAGE_HEADER_BYTES) {
    return CLOTH_ERROR_IMAGE_DAMAGED;
  }
  uint32_t header[IMAGE_HEADER_WORDS];
  const uint8_t *from = (const uint8_t *)image;
  read_words(header, from, IMAGE_HEADER_WORDS);
  error = check_image_header(c, header, bytes);
  if (error) {
    return error;
  }
  image_view view = {c, from + IMAGE_HEADER_BYTES, 0};
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

#endif

/// Saves ///

/*
 * Saves for rollback: a header, then a copy of the state. In and out: the state span of the arena, and the caller's
 * bytes, of any alignment. Scratch is not used.
 *
 * cloth_load() checks before it writes: the header, and then the content, so that a step from any bytes stays in
 * bounds, finite and within what the assertions of a step promise. Inputs, colliders, confinements and freedoms are
 * checked as those of images are (image.h). The arrays, which are nearly all of a save, are checked for what safety
 * needs and no more: the range of every float, and every index. There is no checksum: to hash a save takes several
 * times as long as to copy it, and whoever changes bytes on purpose can hash them, too.
 */

int cloth_save(const cloth *c, void *buffer, size_t bytes) {
  int error = check_call(c, buffer);
  if (error) {
    return error;
  }
  if (bytes < SAVE_HEADER_BYTES + c->state_bytes) {
    return CLOTH_ERROR_BUFFER;
  }
  copy_memory(buffer, c, SAVE_HEADER_BYTES);
  copy_memory((uint8_t *)buffer + SAVE_HEADER_BYTES, at(c, c->state.freedom), c->state_bytes);
  return CLOTH_OK;
}

#if WITH_SAVE_CHECKS

/* The next float above a positive one. */
static float next_above(float value) {
  float_bits b = float_to_bits(value);
  b.bits++;
  return b.value;
}

/* The lanes of a block of floats of any alignment that are nearer to 0 than `beyond`; none that is no number. */
CLOTH_INLINE lanes_mask are_below(const uint8_t *from, lanes beyond) {
  float block[CLOTH_LANES];
  copy_memory(block, from, sizeof block);
  return lanes_less(lanes_absolute(lanes_load(block)), beyond);
}

/* Are all floats within +-limit? Infinity and what is no number are not. */
CLOTH_HOT CLOTH_SEPARATE int are_within(const uint8_t *from, int32_t count, float limit) {
  enum { BLOCK = CLOTH_LANES * (int32_t)sizeof(float), AT_ONCE = 4 * CLOTH_LANES };
  const lanes beyond = lanes_splat(next_above(limit));
  const lanes one = lanes_splat(1.0f);
  const uint8_t *end = from + (count - count % AT_ONCE) * (int32_t)sizeof(float);
  lanes_mask within = lanes_first(CLOTH_LANES);
  for (; from < end; from += 4 * BLOCK) {
    const lanes_mask first = lanes_both(are_below(from, beyond), are_below(from + BLOCK, beyond));
    const lanes_mask last = lanes_both(are_below(from + 2 * BLOCK, beyond), are_below(from + 3 * BLOCK, beyond));
    within = lanes_both(within, lanes_both(first, last));
  }
  for (int32_t i = 0; i < count % AT_ONCE; i++) {
    float value;
    copy_memory(&value, from + i * (int32_t)sizeof(float), sizeof value);
    within = lanes_both(within, lanes_less(lanes_absolute(lanes_splat(value)), beyond));
  }
  return !lanes_any(lanes_less(lanes_keep(within, one), one));
}

/* Are the floats of all vector arrays in range, those of the pads between their components included? */
static int check_save_vectors(const image_view *view) {
  const cloth *c = view->c;
  const state_offsets *state = &c->state;
  const int32_t one = 3 * c->stride;
  const uint32_t bytes = (uint32_t)one * (uint32_t)sizeof(float);
  const uint32_t offsets[] = {state->position, state->velocity,        state->velocity_history,   state->warm_start,
                              state->targets,  state->targets + bytes, state->targets + 3 * bytes};
  const int32_t vectors[] = {1, 1, 2, 1, 1, 2, 2};
  const float limits[] = {CLOTH_POSITION_LIMIT, CLOTH_SPEED_LIMIT,    HISTORY_INVALID, WARM_START_LIMIT,
                          CLOTH_ANY_DISTANCE,   CLOTH_POSITION_LIMIT, UNIT_LENGTH_MAX};
  const int32_t arrays = state->targets ? 7 : 4;
  for (int32_t i = 0; i < arrays; i++) {
    if (offsets[i] && !are_within(image_at(view, offsets[i]), vectors[i] * one, limits[i])) {
      return 0;
    }
  }
  return 1;
}

/* The larger of a number and an anchor plus 1. */
CLOTH_INLINE uint32_t with_anchor(uint32_t highest, const uint8_t *from) {
  uint32_t anchor;
  copy_memory(&anchor, from, sizeof anchor);
  return anchor + 1u > highest ? anchor + 1u : highest;
}

/* Is the anchor of every tether a particle, or -1? */
CLOTH_HOT CLOTH_SEPARATE int check_save_tethers(const image_view *view) {
  const cloth *c = view->c;
  const uint8_t *from = image_at(view, c->state.tethers);
  const int32_t tethers = c->state.tethers ? c->settings.tethers.count * c->count : 0;
  uint32_t even = 0, odd = 0; /* the highest anchor, plus 1, of every other word */
  int32_t i = 0;
  for (; i + 4 <= tethers; i += 4, from += 16) {
    even = with_anchor(with_anchor(even, from), from + 8);
    odd = with_anchor(with_anchor(odd, from + 4), from + 12);
  }
  for (; i < tethers; i++, from += 4) {
    even = with_anchor(even, from);
  }
  return even <= (uint32_t)c->count && odd <= (uint32_t)c->count;
}

/* Is every contact of the solver with a collider that there is? */
static int check_save_contacts(const image_view *view) {
  const cloth *c = view->c;
  const uint8_t *from = image_at(view, c->state.contacts);
  for (int32_t i = 0; c->state.contacts && i < c->count; i++) {
    uint32_t word, used = 0;
    copy_memory(&word, from + 4 * (size_t)i, sizeof word);
    if (word == CONTACT_NONE) {
      continue;
    }
    const uint32_t index = (uint32_t)CONTACT_COLLIDER(word);
    if (index < (uint32_t)c->settings.capacity.max_colliders) {
      copy_memory(&used, image_at(view, c->state.colliders) + index * sizeof(collider_slot), sizeof used);
    }
    if (!used || CONTACT_DWELL(word) > SLIDE_DWELL || CONTACT_KIND(word) == CONTACT_NONE) {
      return 0;
    }
  }
  return 1;
}

static int check_save_content(const cloth *c, const uint8_t *state) {
  const image_view view = {c, state, 1};
  cloth_inputs inputs;
  return check_image_inputs(&view, &inputs) && check_image_colliders(&view, &inputs) &&
         check_image_confined(&view, &inputs) && check_image_coupling(&view, &inputs) && check_image_gaps(&view) &&
         check_save_vectors(&view) && check_image_sleep(&view, inputs.rest_time) && check_save_tethers(&view) &&
         check_save_contacts(&view);
}

#else

static int check_save_content(const cloth *c, const uint8_t *state) {
  (void)c;
  (void)state;
  return 1;
}

#endif

int cloth_load(cloth *c, const void *buffer, size_t bytes) {
  int error = check_call(c, buffer);
  if (error) {
    return error;
  }
  if (bytes < SAVE_HEADER_BYTES) {
    return CLOTH_ERROR_IMAGE_DAMAGED;
  }
  const uint8_t *from = (const uint8_t *)buffer;
  for (int32_t i = SAVE_MAGIC; i < SAVE_WORDS; i++, from += 4) {
    uint32_t word;
    copy_memory(&word, from, sizeof word);
    if (word != words_at(c, 0)[i]) {
      return i < SAVE_BYTES ? CLOTH_ERROR_IMAGE_VERSION : CLOTH_ERROR_IMAGE_CONFIG;
    }
  }
  if (bytes < SAVE_HEADER_BYTES + c->state_bytes) {
    return CLOTH_ERROR_IMAGE_DAMAGED;
  }
  if (!check_save_content(c, from)) {
    return CLOTH_ERROR_IMAGE_CONTENT;
  }
  copy_memory(at(c, c->state.freedom), from, c->state_bytes);
  return CLOTH_OK;
}

/// Queries ///

/*
 * A ray against the cloth, and the nearest point of the cloth. In: positions and grid. Out: a point of the surface, in
 * the caller's memory. Nothing of the arena is written.
 *
 * Both queries are one: how far along a ray, from 0 to its length, does something come within a radius of the surface?
 * For the nearest point the ray has no length, and the radius is the distance of the nearest particle. Positions are
 * taken into the axes of the query: relative to its origin, with the ray along the third axis. So the distance of the
 * ray from a point is that of two coordinates, whatever the distance from the origin. A cell whose box in these axes is
 * farther from the ray than the radius is left out, for a block of lanes at a time; the triangles of the others are
 * tested one by one, by closed forms. The results are the same for any number of lanes: what is left out depends on the
 * cell alone, and of equal distances the first triangle wins.
 */

#if WITH_QUERIES

/* Squared lengths and products of lengths below this count as 0: 2^-50 m^2. A product of two is at least 2^-100, and
   two of these differ by 0 or by at least 2^-123. */
#define QUERY_QUANTUM 8.8817841970012523e-16f
/* A triangle whose doubled area, seen along a thin ray, is below this is not hit: 2^-60 m^2. */
#define MIN_SEEN_AREA 8.6736173798840355e-19f
/* A triangle whose sum of products in nearest_weights() is below this is taken for a line: 2^-80 m^4. */
#define MIN_TRIANGLE 8.2718061255302767e-25f
/* Factor of the squared radius of the test that leaves cells out, against roundings of the tests that follow. */
#define RADIUS_SLACK 1.0001f

/* A query, and what it has found. */
typedef struct surface_query {
  const cloth *c;
  vector_array x;
  cloth_vector origin;  /* [m] */
  cloth_vector axis[3]; /* unit vectors of a right-handed system, the third along the ray */
  float length;         /* of the ray [m] */
  float radius;         /* of the surface, 0 for a thin ray [m] */
  int32_t is_ray;       /* 0: the nearest point */
  int32_t triangle;     /* the best so far; -1: none */
  float best;           /* distance along the ray [m], or squared distance of the nearest point [m^2] */
  float weight[3];      /* of the corners */
} surface_query;

/* A position in the axes of the query. Positions differ by 0 or by at least 2^-53, so that their products with
   components of axes are not subnormal. The lanes below do the same. */
static cloth_vector to_query(const surface_query *s, int32_t particle) {
  const cloth_vector p = vector_subtract(vector_load(s->x, particle), s->origin);
  return vector_flush(vector(vector_dot(p, s->axis[0]), vector_dot(p, s->axis[1]), vector_dot(p, s->axis[2])),
                      STATE_QUANTUM);
}

CLOTH_INLINE lanes3 to_query_lanes(const surface_query *s, int32_t particle) {
  const lanes3 p = lanes3_subtract(lanes3_load(s->x, particle), lanes3_splat(s->origin));
  return lanes3_flush_below(lanes3_of(lanes3_dot(p, lanes3_splat(s->axis[0])), lanes3_dot(p, lanes3_splat(s->axis[1])),
                                      lanes3_dot(p, lanes3_splat(s->axis[2]))),
                            STATE_QUANTUM);
}

/// A point of a triangle ///

static float query_dot(cloth_vector a, cloth_vector b) {
  return flush_small(vector_dot(a, b), QUERY_QUANTUM);
}

/* a / b for 0 <= a <= b; 0 if b is 0. */
static float share_of(float a, float b) {
  return b > 0.0f ? minimum(a / b, 1.0f) : 0.0f;
}

/* Where a point lies: q are the corners relative to it, `along` and `across` their distances along the first and the
   second edge from corner 0. */
typedef struct triangle_regions {
  float along[3], across[3];
  float opposite[3]; /* share of each corner, if the nearest point is inside, times their sum */
} triangle_regions;

static triangle_regions regions_of(const cloth_vector q[3]) {
  const cloth_vector first = vector_flush(vector_subtract(q[1], q[0]), STATE_QUANTUM);
  const cloth_vector second = vector_flush(vector_subtract(q[2], q[0]), STATE_QUANTUM);
  triangle_regions r;
  for (int32_t n = 0; n < 3; n++) {
    r.along[n] = negate(query_dot(first, q[n]));
    r.across[n] = negate(query_dot(second, q[n]));
  }
  r.opposite[0] = r.along[1] * r.across[2] - r.along[2] * r.across[1];
  r.opposite[1] = r.along[2] * r.across[0] - r.along[0] * r.across[2];
  r.opposite[2] = r.along[0] * r.across[1] - r.along[1] * r.across[0];
  return r;
}

static void set_weights(float weight[3], float second, float third) {
  weight[0] = maximum((1.0f - second) - third, 0.0f);
  weight[1] = second;
  weight[2] = third;
}

/* Barycentric weights of the point of a triangle that is nearest to the origin of its corners q (Ericson, "Real-Time
   Collision Detection", 2005, section 5.1.5): by the regions of the three corners, the three edges, and the inside. */
static void nearest_weights(const cloth_vector q[3], float weight[3]) {
  const triangle_regions r = regions_of(q);
  const float to_third = r.across[1] - r.along[1], to_second = r.along[2] - r.across[2];
  const float sum = r.opposite[0] + r.opposite[1] + r.opposite[2];
  if (r.along[0] <= 0.0f && r.across[0] <= 0.0f) {
    set_weights(weight, 0.0f, 0.0f);
  } else if (r.along[1] >= 0.0f && r.across[1] <= r.along[1]) {
    set_weights(weight, 1.0f, 0.0f);
  } else if (r.opposite[2] <= 0.0f && r.along[0] >= 0.0f && r.along[1] <= 0.0f) {
    set_weights(weight, share_of(r.along[0], r.along[0] - r.along[1]), 0.0f);
  } else if (r.across[2] >= 0.0f && r.along[2] <= r.across[2]) {
    set_weights(weight, 0.0f, 1.0f);
  } else if (r.opposite[1] <= 0.0f && r.across[0] >= 0.0f && r.across[2] <= 0.0f) {
    set_weights(weight, 0.0f, share_of(r.across[0], r.across[0] - r.across[2]));
  } else if (!(sum > MIN_TRIANGLE) || (r.opposite[0] <= 0.0f && to_third >= 0.0f && to_second >= 0.0f)) {
    const float third = share_of(maximum(to_third, 0.0f), maximum(to_third, 0.0f) + maximum(to_second, 0.0f));
    set_weights(weight, 1.0f - third, third);
  } else {
    const float least = sum * WORK_QUANTUM;
    set_weights(weight, share_of(flush_small(r.opposite[1], least), sum),
                share_of(flush_small(r.opposite[2], least), sum));
  }
}

/* The point of a triangle with given weights. */
static cloth_vector weighted_point(const cloth_vector q[3], const float weight[3]) {
  const cloth_vector first = vector_scale(vector_subtract(q[1], q[0]), weight[1]);
  const cloth_vector second = vector_scale(vector_subtract(q[2], q[0]), weight[2]);
  return vector_flush(vector_add(q[0], vector_add(first, second)), STATE_QUANTUM);
}

/* Squared distance of a triangle from the origin of its corners [m^2], with the weights of the nearest point. */
static float squared_distance_to_triangle(const cloth_vector q[3], float weight[3]) {
  nearest_weights(q, weight);
  const cloth_vector p = weighted_point(q, weight);
  return vector_dot(p, p);
}

/// A ray against a triangle ///

/* Where a thin ray hits a triangle: the distance in *along. The products of an edge are the same numbers for both of
   its triangles, but for the sign, so that no ray passes between two triangles (Woop, Benthin and Wald, "Watertight
   Ray/Triangle Intersection", 2013). Returns 1 if it hits. */
static int hit_thin(const cloth_vector q[3], float weight[3], float *along) {
  float side[3] = {q[1].x * q[2].y - q[1].y * q[2].x, q[2].x * q[0].y - q[2].y * q[0].x,
                   q[0].x * q[1].y - q[0].y * q[1].x};
  const float least = minimum(side[0], minimum(side[1], side[2]));
  const float most = maximum(side[0], maximum(side[1], side[2]));
  float sum = (side[0] + side[1]) + side[2];
  const int is_turned = sum < 0.0f;
  sum = is_turned ? negate(sum) : sum;
  if ((least < 0.0f && most > 0.0f) || sum < MIN_SEEN_AREA) {
    return 0;
  }
  for (int32_t n = 0; n < 3; n++) {
    weight[n] = share_of(flush_small(is_turned ? negate(side[n]) : side[n], sum * WORK_QUANTUM), sum);
  }
  *along = (weight[0] * q[0].z + weight[1] * q[1].z) + weight[2] * q[2].z;
  return 1;
}

/* No hit. */
#define NO_HIT 1.0e30f

/* Where the ray comes within `radius` of a corner, or NO_HIT. */
static float enter_corner(cloth_vector q, float radius) {
  const float left = radius * radius - (q.x * q.x + q.y * q.y);
  return left >= 0.0f ? q.z - square_root(flush_small(left, QUERY_QUANTUM)) : NO_HIT;
}

/* Where the ray comes within `radius` of an edge, between its ends, or NO_HIT. `seen` is the squared length of the edge
   as seen along the ray, and `apart` times its root the distance between the two lines. */
static float enter_edge(cloth_vector from, cloth_vector to, float radius) {
  const cloth_vector edge = vector_flush(vector_subtract(to, from), STATE_QUANTUM);
  const float seen = flush_small(edge.x * edge.x + edge.y * edge.y, QUERY_QUANTUM);
  const float squared = query_dot(edge, edge);
  const float apart = flush_small(from.x * edge.y - from.y * edge.x, QUERY_QUANTUM);
  const float left = flush_small(radius * radius * seen - apart * apart, QUERY_QUANTUM * QUERY_QUANTUM);
  if (!(seen > 0.0f) || left < 0.0f) {
    return NO_HIT;
  }
  const float start = flush_small(from.x * edge.x + from.y * edge.y, QUERY_QUANTUM);
  const float depth = square_root(squared) * square_root(left);
  const float along =
      flush_small((negate(start * edge.z) - depth) / seen, STATE_QUANTUM); /* from the height of `from` */
  const float share = along * edge.z - start;                              /* of the edge, times its squared length */
  return share >= 0.0f && share <= squared ? from.z + along : NO_HIT;
}

/* Where the ray comes within `radius` of the plane of a triangle, if that is beside the triangle, or NO_HIT. */
static float enter_face(const cloth_vector q[3], float radius) {
  const cloth_vector first = unit_or_zero(vector_subtract(q[1], q[0]));
  const cloth_vector second = unit_or_zero(vector_subtract(q[2], q[0]));
  const cloth_vector normal = unit_or_zero(vector_cross(first, second));
  const float slope = normal.z < 0.0f ? negate(normal.z) : normal.z;
  if (slope < WORK_QUANTUM) {
    return NO_HIT;
  }
  const float offset = flush_small(normal.x * q[0].x + normal.y * q[0].y, STATE_QUANTUM);
  const float height = ((normal.z < 0.0f ? negate(offset) : offset) - radius) / slope; /* from that of corner 0 */
  const float kept = normal.z < 0.0f ? radius : negate(radius);                        /* distance from the plane */
  const cloth_vector at = vector(negate(normal.x * kept), negate(normal.y * kept), q[0].z + height - normal.z * kept);
  for (int32_t n = 0; n < 3; n++) {
    const cloth_vector edge = vector_flush(vector_subtract(q[(n + 1) % 3], q[n]), STATE_QUANTUM);
    const cloth_vector to = vector_flush(vector_subtract(at, q[n]), STATE_QUANTUM);
    if (vector_dot(vector_flush(vector_cross(edge, to), QUERY_QUANTUM), normal) < 0.0f) {
      return NO_HIT;
    }
  }
  return q[0].z + height;
}

/* Where a ray comes within `radius` of a triangle: the surface around it consists of its face, moved to both sides,
   three cylinders and three spheres, and is convex. Returns 1 if it does; the distance is 0 if it starts there. */
static int hit_thick(const cloth_vector q[3], float radius, float weight[3], float *along) {
  float entry = enter_face(q, radius);
  for (int32_t n = 0; n < 3; n++) {
    entry = minimum(enter_corner(q[n], radius), entry);
    entry = minimum(enter_edge(q[n], q[(n + 1) % 3], radius), entry);
  }
  if (entry < 0.0f) {
    *along = 0.0f;
    return squared_distance_to_triangle(q, weight) <= radius * radius;
  }
  if (!(entry < NO_HIT)) {
    return 0;
  }
  cloth_vector near[3];
  for (int32_t n = 0; n < 3; n++) {
    near[n] = vector_flush(vector(q[n].x, q[n].y, q[n].z - entry), STATE_QUANTUM);
  }
  nearest_weights(near, weight);
  *along = entry;
  return 1;
}

/// The search ///

/* Particles at the corners of a triangle, numbered as cloth_write_indices16() writes triangles. */
static void triangle_corners(const cloth *c, int32_t triangle, int32_t particle[3]) {
  const int32_t cells = cells_along_warp(c), cell = triangle / 2;
  const int32_t column = cell % cells, first = cell / cells * c->grid.columns;
  const int32_t beside = column + 1 < c->grid.columns ? column + 1 : 0, below = first + c->grid.columns;
  particle[0] = first + column;
  particle[1] = triangle % 2 ? below + beside : first + beside;
  particle[2] = triangle % 2 ? below + column : below + beside;
}

static void test_triangle(surface_query *s, int32_t triangle) {
  int32_t particle[3];
  cloth_vector q[3];
  float weight[3], found = 0.0f;
  triangle_corners(s->c, triangle, particle);
  for (int32_t n = 0; n < 3; n++) {
    q[n] = to_query(s, particle[n]);
  }
  if (!s->is_ray) {
    found = squared_distance_to_triangle(q, weight);
  } else if (!(s->radius > 0.0f ? hit_thick(q, s->radius, weight, &found) : hit_thin(q, weight, &found)) ||
             !(found >= 0.0f && found <= s->length)) {
    return;
  }
  if (s->triangle < 0 || found < s->best || (found == s->best && triangle < s->triangle)) {
    s->triangle = triangle;
    s->best = found;
    copy_memory(s->weight, weight, sizeof weight);
  }
}

/* The box around two neighbours of a row, in the axes of the query: its low corner, and minus its high one. */
typedef struct query_box {
  lanes3 low, below_high;
} query_box;

CLOTH_INLINE query_box box_of_pair(const surface_query *s, int32_t i) {
  const lanes3 none = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  const lanes3 left = to_query_lanes(s, i), right = to_query_lanes(s, i + 1);
  query_box box;
  box.low = lanes3_minimum(left, right);
  box.below_high = lanes3_minimum(lanes3_subtract(none, left), lanes3_subtract(none, right));
  return box;
}

/* Which cells between two pairs have a box within the squared radius of the ray. */
CLOTH_INLINE lanes_mask are_cells_near(const surface_query *s, const query_box *a, const query_box *b,
                                       float squared_radius) {
  const lanes3 low = lanes3_minimum(a->low, b->low), below_high = lanes3_minimum(a->below_high, b->below_high);
  const lanes zero = lanes_splat(0.0f);
  const lanes x = lanes_maximum(lanes_maximum(low.x, below_high.x), zero);
  const lanes y = lanes_maximum(lanes_maximum(low.y, below_high.y), zero);
  const lanes beyond = lanes_flush_below(lanes_subtract(low.z, lanes_splat(s->length)), STATE_QUANTUM);
  const lanes z = lanes_maximum(lanes_maximum(beyond, below_high.z), zero);
  const lanes squared = lanes3_dot(lanes3_of(x, y, z), lanes3_of(x, y, z));
  return lanes_less(squared, lanes_splat(squared_radius));
}

/* Tests the triangles of the chosen cells of a block, the first of which is number `cell`. */
static void test_cells(surface_query *s, int32_t cell, lanes_mask chosen) {
  float is_chosen[CLOTH_LANES];
  lanes_store(is_chosen, lanes_keep(chosen, lanes_splat(1.0f)));
  for (int32_t n = 0; n < CLOTH_LANES; n++) {
    if (is_chosen[n] > 0.0f) {
      test_triangle(s, 2 * (cell + n));
      test_triangle(s, 2 * (cell + n) + 1);
    }
  }
}

/* Tests the triangles of all cells that the ray comes near: a block of columns after the other, so that each row of a
   block is taken into the axes of the query once. */
CLOTH_HOT CLOTH_SEPARATE void search_cells(surface_query *s) {
  const cloth *c = s->c;
  const int32_t cells = cells_along_warp(c), columns = c->grid.columns, sheet = columns - 1; /* without the seam */
  const float squared_radius = maximum(s->radius * s->radius * RADIUS_SLACK, QUERY_QUANTUM * QUERY_QUANTUM);
  for (int32_t column = 0; column < sheet; column += CLOTH_LANES) {
    query_box above = box_of_pair(s, column);
    for (int32_t row = 0; row < c->grid.rows - 1; row++) {
      const query_box below = box_of_pair(s, (row + 1) * columns + column);
      lanes_mask near = are_cells_near(s, &above, &below, squared_radius);
      near = lanes_both(near, lanes_first(sheet - column));
      if (lanes_any(near)) {
        test_cells(s, row * cells + column, near);
      }
      above = below;
    }
  }
  for (int32_t row = 0; cells > sheet && row < c->grid.rows - 1; row++) { /* the seam of a tube */
    test_cells(s, row * cells + sheet, lanes_first(1));
  }
}

/* Squared distance of the nearest particle from the origin of the query [m^2]. */
CLOTH_HOT CLOTH_SEPARATE float nearest_particle(const surface_query *s) {
  lanes least = lanes_splat(NO_HIT);
  for (int32_t i = 0; i < s->c->count; i += CLOTH_LANES) {
    const lanes3 q = to_query_lanes(s, i);
    const lanes squared = lanes_select(lanes_first(s->c->count - i), lanes3_dot(q, q), least);
    least = lanes_minimum(squared, least);
  }
  float values[CLOTH_LANES];
  lanes_store(values, least);
  for (int32_t n = 1; n < CLOTH_LANES; n++) {
    values[0] = minimum(values[n], values[0]);
  }
  return values[0];
}

/* Area of a triangle over that of a cell at rest below which it has no normal of its own. */
#define MIN_TRIANGLE_NORMAL 1.0e-6f

static cloth_vector triangle_normal(const cloth *c, const cloth_vector p[3]) {
  const cloth_vector first = vector_subtract(p[1], p[0]), second = vector_subtract(p[2], p[0]);
  const cloth_vector area = vector_flush_work(vector_cross(first, second));
  const cloth_vector a = vector_scale(area, 1.0f / (c->grid.spacing_warp * c->grid.spacing_weft));
  const float length = vector_length(a);
  return length > MIN_TRIANGLE_NORMAL ? vector_flush_work(vector_scale(a, 1.0f / length)) : vector(0.0f, 1.0f, 0.0f);
}

/* Writes what the query has found. Returns 1, or 0 if that is nothing. */
static int report_point(const surface_query *s, cloth_surface_point *point) {
  if (s->triangle < 0) {
    return 0;
  }
  cloth_vector p[3];
  point->triangle = s->triangle;
  triangle_corners(s->c, s->triangle, point->particle);
  copy_memory(point->weight, s->weight, sizeof s->weight);
  for (int32_t n = 0; n < 3; n++) {
    p[n] = vector_load(s->x, point->particle[n]);
  }
  point->position = weighted_point(p, s->weight);
  point->normal = triangle_normal(s->c, p);
  point->distance = s->is_ray ? s->best : square_root(s->best);
  const cloth_vector from = s->is_ray ? vector_scale(s->axis[2], -1.0f) : vector_subtract(s->origin, point->position);
  point->side = vector_dot(vector_flush_work(from), point->normal) < 0.0f ? -1 : 1;
  return 1;
}

/* The third axis is that of the ray, of unit length; the first is perpendicular to it and to the axis of the world that
   it leans to least. */
static void set_query_axes(surface_query *s, cloth_vector ray) {
  const float x = ray.x * ray.x, y = ray.y * ray.y, z = ray.z * ray.z;
  const int is_x = x <= y && x <= z, is_y = !is_x && y <= z;
  const cloth_vector other = vector(is_x ? 1.0f : 0.0f, is_y ? 1.0f : 0.0f, is_x || is_y ? 0.0f : 1.0f);
  s->axis[0] = unit_or_zero(vector_cross(other, ray));
  s->axis[1] = vector_flush_work(vector_cross(ray, s->axis[0]));
  s->axis[2] = ray;
}

int cloth_cast_ray(const cloth *c, const cloth_ray *ray, cloth_surface_point *point) {
  int error = check_call(c, ray);
  if (error || !point) {
    return error ? error : CLOTH_ERROR_NULL;
  }
  const cloth_vector direction =
      vector_in_range(ray->direction, 1.0e10f) ? unit_or_zero(ray->direction) : vector(0.0f, 0.0f, 0.0f);
  if (!vector_in_range(ray->origin, CLOTH_POSITION_LIMIT) || vector_length(direction) == 0.0f ||
      !in_range(ray->max_distance, 0.0f, CLOTH_ANY_DISTANCE) || !in_range(ray->thickness, 0.0f, 1.0f)) {
    return CLOTH_ERROR_RANGE;
  }
  surface_query s;
  fill_zero(&s, sizeof s);
  s.c = c;
  s.x = vectors_at(c, c->state.position);
  s.origin = vector_flush(ray->origin, STATE_QUANTUM);
  set_query_axes(&s, direction);
  s.length = flush_small(ray->max_distance, STATE_QUANTUM);
  s.radius = flush_small(ray->thickness, 1.0e-6f);
  s.is_ray = 1;
  s.triangle = -1;
  search_cells(&s);
  return report_point(&s, point);
}

int cloth_find_nearest(const cloth *c, cloth_vector from, float max_distance, cloth_surface_point *point) {
  int error = check_call(c, point);
  if (error) {
    return error;
  }
  if (!vector_in_range(from, CLOTH_POSITION_LIMIT) || !in_range(max_distance, 0.0f, CLOTH_ANY_DISTANCE)) {
    return CLOTH_ERROR_RANGE;
  }
  surface_query s;
  fill_zero(&s, sizeof s);
  s.c = c;
  s.x = vectors_at(c, c->state.position);
  s.origin = vector_flush(from, STATE_QUANTUM);
  s.axis[0].x = s.axis[1].y = s.axis[2].z = 1.0f;
  s.triangle = -1;
  max_distance = flush_small(max_distance, STATE_QUANTUM);
  s.radius = minimum(square_root(nearest_particle(&s)), max_distance);
  search_cells(&s);
  if (s.best > max_distance * max_distance) {
    s.triangle = -1;
  }
  return report_point(&s, point);
}

#endif

/// Measures ///

/*
 * Strain and energies, computed when a program asks. In: positions, velocities, freedoms and fabric. Out:
 * cloth_measures. Nothing of the arena is written.
 */

#if WITH_MEASURE

/* Sums over springs, in partial sums by column as all sums over the grid. */
typedef struct spring_sums {
  lanes_sum energy;
  lanes_sum squared_strain;
  float largest;
} spring_sums;

static float particle_scale(const cloth *c, int32_t i, int32_t j) {
  return lanes_first_value(spring_scale(c, (spring_block){i, j, 1}, 1));
}

/* The two particles of a spring. */
typedef struct particle_pair {
  int32_t i, j;
} particle_pair;

/* The particles of the spring of direction d that belongs to a column of a row. */
static particle_pair spring_particles(const cloth *c, int32_t d, int32_t row, int32_t column) {
  int32_t place = row * c->grid.columns + column;
  particle_pair ends = {place + spring_start(d), place + spring_end(c, d)};
  int32_t over = is_wrapped(c) && column + 1 >= c->grid.columns ? c->grid.columns : 0;
  ends.i -= d == ANTIDIAGONAL ? over : 0;
  ends.j -= d == WARP || d == DIAGONAL ? over : 0;
  return ends;
}

/* Number of springs of direction d that belong to a row. */
static int32_t row_springs(const cloth *c, int32_t d, int32_t row) {
  int32_t springs = springs_left(d, offset_below(c, row), c->grid.columns);
  return is_wrapped(c) && springs > 0 ? c->grid.columns : springs;
}

static void measure_springs(const cloth *c, int32_t d, spring_sums *sums) {
  vector_array x = vectors_at(c, c->state.position);
  const uint8_t *freedom = freedom_of(c);
  float rest = direction_rest(c, d);
  float stiffness = direction_stiffness(c, d);
  for (int32_t row = 0; row < c->grid.rows; row++) {
    for (int32_t column = 0; column < row_springs(c, d, row); column++) {
      const particle_pair ends = spring_particles(c, d, row, column);
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

static float squared_bend(cloth_vector a, cloth_vector b, cloth_vector c) {
  const cloth_vector d = vector_flush(vector_subtract(vector_subtract(c, b), vector_subtract(b, a)), STATE_QUANTUM);
  return vector_dot(d, d);
}

/* Particle at a column, which may lie around the seam of a tube; -1 beyond a border. */
static int32_t particle_or_none(const cloth *c, int32_t column, int32_t row) {
  if (is_wrapped(c)) {
    column = column < 0 ? column + c->grid.columns : column >= c->grid.columns ? column - c->grid.columns : column;
  }
  const int inside = column >= 0 && column < c->grid.columns && row >= 0 && row < c->grid.rows;
  return inside ? row * c->grid.columns + column : -1;
}

/* Energies of the hinges of a particle over their stiffness, by B' / 2: along the warp, or along the weft. */
static float hinge_square(const cloth *c, int32_t column, int32_t row, int32_t direction) {
  const vector_array x = vectors_at(c, c->state.position);
  const int32_t along = direction == WARP, down = direction == WEFT;
  const int32_t before = particle_or_none(c, column - along, row - down);
  const int32_t at = particle_or_none(c, column, row), after = particle_or_none(c, column + along, row + down);
  if (before < 0 || after < 0) {
    return 0.0f;
  }
  const float clamp = is_pinned(c, at) && is_pinned(c, before) != is_pinned(c, after) ? 2.0f : 1.0f;
  return clamp * particle_scale(c, at, at) *
         squared_bend(vector_load(x, before), vector_load(x, at), vector_load(x, after));
}

/* Square of the twist of the cell that begins at a particle. */
static float twist_square(const cloth *c, int32_t column, int32_t row) {
  const vector_array x = vectors_at(c, c->state.position);
  const int32_t i = particle_or_none(c, column, row), right = particle_or_none(c, column + 1, row);
  const int32_t below = particle_or_none(c, column, row + 1), across = particle_or_none(c, column + 1, row + 1);
  if (right < 0 || below < 0) {
    return 0.0f;
  }
  const cloth_vector first = vector_subtract(vector_load(x, right), vector_load(x, i));
  const cloth_vector second = vector_subtract(vector_load(x, across), vector_load(x, below));
  const cloth_vector twist = vector_flush(vector_subtract(second, first), STATE_QUANTUM);
  return 0.5f * (particle_scale(c, i, across) + particle_scale(c, right, below)) * vector_dot(twist, twist);
}

/* Adds the energy of bending, of the rigidity with which the cloth bends. */
static void measure_bend(const cloth *c, spring_sums *sums) {
  float ratio;
  const float u = c->grid.spacing_warp, v = c->grid.spacing_weft, half = 0.5f * bend_rigidity(c, &ratio);
  const float warp = half * (v / u) / (u * u), weft = half * (u / v) / (v * v), twist = 2.0f * half / (u * v);
  for (int32_t row = 0; row < c->grid.rows; row++) {
    for (int32_t column = 0; column < c->grid.columns; column++) {
      float energy = warp * hinge_square(c, column, row, WARP) + weft * hinge_square(c, column, row, WEFT);
      lanes_sum_add_value(&sums->energy, column, energy + twist * twist_square(c, column, row));
    }
  }
}

static void measure_motion(const cloth *c, cloth_measures *measures) {
  vector_array x = vectors_at(c, c->state.position);
  cloth_vector g = inputs_of(c)->gravity;
  lanes_sum kinetic = {{0.0f}};
  lanes_sum height = {{0.0f}};
  for (int32_t i = 0; i < c->count; i++) {
    float mass = mass_ratio_at(c, i);
    cloth_vector velocity = current_velocity(c, i);
    lanes_sum_add_value(&kinetic, i, mass * vector_dot(velocity, velocity));
    lanes_sum_add_value(&height, i, mass * vector_dot(g, vector_load(x, i)));
  }
  float mass = reference_mass(c);
  measures->kinetic_energy = 0.5f * mass * lanes_sum_total(&kinetic);
  measures->potential_energy = negate(mass * lanes_sum_total(&height));
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
  }
  measure_bend(c, &sums);
  int32_t springs = cells_along_warp(c) * c->grid.rows + c->grid.columns * (c->grid.rows - 1);
  measures->max_stretch = sums.largest;
  measures->rms_stretch = square_root(lanes_sum_total(&sums.squared_strain) / (float)springs);
  measures->elastic_energy = lanes_sum_total(&sums.energy);
  measure_motion(c, measures);
  return CLOTH_OK;
}

#endif

/// Names and explanations ///

/*
 * Names of errors, and explanations of faults in words. In: an error, a config, a fabric or a collider. Out: constant
 * texts, or the caller's buffer.
 */

#if WITH_NAMES

/* Texts one after the other, each ended by a 0: tables of pointers would need relocation at start-up. */
CLOTH_CONSTANT static const char result_names[] =
    "OK\0NULL\0CONFIG\0RANGE\0CONFLICT\0LEFT_OUT\0ARENA\0NOT_A_CLOTH\0INDEX\0STATE\0FULL\0BUFFER\0UNSTABLE\0"
    "NO_PLAN\0IMAGE_VERSION\0IMAGE_CONFIG\0IMAGE_DAMAGED\0IMAGE_CONTENT\0CONTRACTION\0ROUNDING\0"
    "EXCESS_PRECISION\0SQUARE_ROOT\0LANES\0GEOMETRY\0";

#define TEXT_OF(value) #value
#define TEXT(value) TEXT_OF(value)
#define RANGE_TEXT(field, low, high, unit) #field ": " TEXT(low) ".." TEXT(high) unit "\0"
#define FAULT_TEXT(name, error, text) text "\0"
CLOTH_CONSTANT static const char fabric_texts[] = "ok\0" FABRIC_RANGES(RANGE_TEXT);
CLOTH_CONSTANT static const char config_texts[] =
    "ok\0" CONFIG_INTEGERS(RANGE_TEXT) CONFIG_FLOATS(RANGE_TEXT) CONFIG_FAULTS(FAULT_TEXT);
#if WITH_COLLIDERS
CLOTH_CONSTANT static const char collider_texts[] = "ok\0" COLLIDER_FAULTS(FAULT_TEXT);
#endif
#if WITH_GEOMETRY
CLOTH_CONSTANT static const char geometry_texts[] = "ok\0" GEOMETRY_FAULTS(FAULT_TEXT);
#endif

/* Text number `number`, counted from 0. */
static const char *find_text(const char *texts, int number) {
  for (; number > 0 && *texts; number--) {
    while (*texts++) {
    }
  }
  return texts;
}

const char *cloth_result_name(int result) {
  const char *name = find_text(result_names, result < 0 && result >= CLOTH_ERROR_GEOMETRY ? -result : 0);
  return result >= CLOTH_ERROR_GEOMETRY ? name : "unknown";
}

static int is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

/* Number of letters at `text` that C needs and a reader does not: the suffix f after a digit, and .0 after a digit
   before a suffix or an exponent. `before` is the letter before them. */
static int mark_letters(const char *text, char before) {
  if (!is_digit(before)) {
    return 0;
  }
  if (text[0] == '.' && text[1] == '0' && (text[2] == 'f' || text[2] == 'e')) {
    return 2;
  }
  return text[0] == 'f';
}

/* Appends a text without the marks of C to the `used` letters of a buffer of `bytes` bytes and ends it with a 0. What
   does not fit is dropped. Returns the letters used then. */
static size_t append_text(char *to, size_t bytes, size_t used, const char *text) {
  char before = 0;
  while (*text && used + 1 < bytes) {
    int marks = mark_letters(text, before);
    before = marks ? '0' : *text;
    if (marks) {
      text += marks;
    } else {
      to[used++] = *text++;
    }
  }
  if (bytes > 0) {
    to[used] = 0;
  }
  return used;
}

int cloth_config_explain(const cloth_config *config, char *text, size_t bytes) {
  if (!text) {
    return CLOTH_ERROR_NULL;
  }
  int fault = find_config_fault(config);
  if (fault > CONFIG_FABRIC) {
    size_t used = append_text(text, bytes, 0, "fabric.");
    append_text(text, bytes, used, find_text(fabric_texts, fault - CONFIG_FABRIC));
  } else {
    append_text(text, bytes, 0, find_text(config_texts, fault));
  }
  return config_error(fault);
}

int cloth_fabric_explain(const cloth_fabric *fabric, char *text, size_t bytes) {
  if (!text) {
    return CLOTH_ERROR_NULL;
  }
  int fault = fabric ? find_fabric_fault(fabric) : 0;
  append_text(text, bytes, 0, fabric ? find_text(fabric_texts, fault) : "fabric: NULL");
  if (!fabric) {
    return CLOTH_ERROR_NULL;
  }
  return fault ? CLOTH_ERROR_RANGE : CLOTH_OK;
}

#if WITH_COLLIDERS

int cloth_collider_explain(const cloth_collider *collider, char *text, size_t bytes) {
  if (!text) {
    return CLOTH_ERROR_NULL;
  }
  int fault = find_collider_fault(collider);
  append_text(text, bytes, 0, find_text(collider_texts, fault));
  return collider_error(fault);
}

#endif

#if WITH_GEOMETRY

/* The first fault of data. */
static int find_geometry_fault(const cloth_geometry_data *data) {
  int fault = find_layout_fault(data);
  fault = fault ? fault : find_data_fault(data);
#if WITH_HULL
  fault = !fault && data->shape == CLOTH_SHAPE_HULL ? find_hull_fault(&data->hull) : fault;
#endif
  return fault;
}

int cloth_geometry_explain(const cloth_geometry_data *data, char *text, size_t bytes) {
  if (!text) {
    return CLOTH_ERROR_NULL;
  }
  int fault = find_geometry_fault(data);
  append_text(text, bytes, 0, find_text(geometry_texts, fault));
  return geometry_error(fault);
}

#endif

#endif

