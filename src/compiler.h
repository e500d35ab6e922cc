#pragma once
#include "../cloth.h"

/// Compiler guards ///

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || defined(_M_FP_FAST) ||        \
    defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__)
#error "cloth: compile without -ffast-math or parts of it; they break the same bits on every machine"
#endif
/* 16: half-precision numbers are evaluated as such, and floats as floats. */
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16
#error "cloth: float expressions must be evaluated as float (x86: -msse2 -mfpmath=sse; s390x: -std=gnu99)"
#endif
#if defined(_MSC_VER) && !defined(__clang__) && defined(_M_IX86_FP) && _M_IX86_FP < 2
#error "cloth: float expressions must be evaluated as float (/arch:SSE2)"
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
#pragma float_control(precise, on)
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

#ifdef CLOTH_NO_SELF_TEST /* cloth_self_test() */
#define WITH_SELF_TEST 0
#else
#define WITH_SELF_TEST 1
#endif

#ifdef CLOTH_NO_NAMES /* names of results */
#define WITH_NAMES 0
#else
#define WITH_NAMES 1
#endif

/* For the operations that everything is built from: a call each would cost more than what it does. */
#if (defined(__GNUC__) || defined(__clang__)) && !defined(__OPTIMIZE_SIZE__)
#define CLOTH_INLINE static inline __attribute__((always_inline))
#elif defined(_MSC_VER) && !defined(__clang__)
#define CLOTH_INLINE static __forceinline
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
#elif defined(_MSC_VER)
#define CLOTH_SEPARATE static __declspec(noinline)
#else
#define CLOTH_SEPARATE static
#endif
