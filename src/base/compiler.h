#pragma once
#include "../../cloth.h"

/// Compiler guards ///

/* What the compiler must not do (fast math, contraction, excess precision), the hooks of a port, the switches that
   leave parts out, and attributes of functions. */

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
/* Clang defines no macro for single parts of -ffast-math: float_control revokes them where it is known, and
   cloth_self_test() finds them elsewhere. It stands before the pragma against contraction, which it would revoke. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wignored-pragmas"
#pragma float_control(precise, on)
#pragma clang diagnostic pop
#if __clang_major__ >= 11 /* this one is there on every target */
#pragma clang fp reassociate(off)
#endif
#pragma clang fp contract(off)
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off", "no-tree-vectorize")
/* What a neighbour has been loaded for is not kept for the next column: kernels have no registers left for it, and a
   load is an operand where a spill and its reload are two instructions (3 % of a step without lanes). */
#pragma GCC optimize("no-tree-pre")
#if defined(__OPTIMIZE_SIZE__)
/* These passes enlarge loops over a few floats: without them the code is 5 % smaller on Cortex-M (make size). */
#pragma GCC optimize("no-tree-forwprop", "no-tree-loop-distribute-patterns", "no-tree-loop-im")
#pragma GCC optimize("no-move-loop-invariants", "no-if-conversion", "no-schedule-insns2")
#endif
#elif defined(_MSC_VER)
#pragma float_control(precise, on)
#pragma fp_contract(off)
#endif

/* CLOTH_PORT names a header that defines hooks below, as -DCLOTH_PORT='"my_port.h"'; see port/cloth_port.h. */
#if defined(CLOTH_PORT)
#include CLOTH_PORT
#endif

/* CLOTH_ASSERT(condition): checks an invariant of the library; a failure is a defect of the library. */
#ifndef CLOTH_ASSERT
#define CLOTH_ASSERT(condition) ((void)0)
#endif
/* CLOTH_TICKS(): the port's timer, 32 bits that wrap, for statistics and the deadline of cloth_step_until(). */
#ifndef CLOTH_TICKS
#define CLOTH_TICKS() 0u
#endif
/* CLOTH_HOT stands before functions that run for every particle, CLOTH_CONSTANT before tables, for sections of
   ports. */
#ifndef CLOTH_HOT
#define CLOTH_HOT
#endif
#ifndef CLOTH_CONSTANT
#define CLOTH_CONSTANT
#endif

/* Fails to compile unless a condition on the layout of types holds. NAME appears in the compiler's message. */
#define LAYOUT_CONTRACT(name, condition) typedef char layout_##name[(condition) ? 1 : -1]

/* Switches. CLOTH_NO_NAME leaves the code of NAME out of the build: a config that needs it is refused with
   CLOTH_ERROR_LEFT_OUT, and functions that serve nothing else are not defined. Inside, WITH_NAME is 1 or 0. */
#ifdef CLOTH_NO_SOLVER /* implicit integration: without it only CLOTH_INTEGRATION_EXPLICIT_ONLY */
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
#define WITH_SURFACES (WITH_HEIGHT_FIELD || WITH_MESH) /* of triangles */
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
#ifdef CLOTH_NO_TETHERS /* tethers */
#define WITH_TETHERS 0
#else
#define WITH_TETHERS 1
#endif
/* Contact of a cloth with itself and with other cloths: see also CLOTH_NO_GROUPS. */
#if defined(CLOTH_NO_SELF) || (defined(CLOTH_NO_SELF_TRIANGLES) && defined(CLOTH_NO_SELF_SPHERES))
#define WITH_SELF 0
#else
#define WITH_SELF 1
#endif
#if defined(CLOTH_NO_SELF_TRIANGLES) || !WITH_SELF /* of particles with triangles */
#define WITH_SELF_TRIANGLES 0
#else
#define WITH_SELF_TRIANGLES 1
#endif
#if defined(CLOTH_NO_SELF_SPHERES) || !WITH_SELF /* of particles with particles */
#define WITH_SELF_SPHERES 0
#else
#define WITH_SELF_SPHERES 1
#endif
#if defined(CLOTH_NO_GROUPS) || !WITH_SELF /* cloths that are stepped together and feel each other */
#define WITH_GROUPS 0
#else
#define WITH_GROUPS 1
#endif
#if defined(CLOTH_NO_SEAMS) || !WITH_GROUPS /* seams between the cloths of a group */
#define WITH_SEAMS 0
#else
#define WITH_SEAMS 1
#endif
#ifdef CLOTH_NO_SLEEP /* sleep */
#define WITH_SLEEP 0
#else
#define WITH_SLEEP 1
#endif
#ifdef CLOTH_NO_SETTLE /* cloth_settle() */
#define WITH_SETTLE 0
#else
#define WITH_SETTLE 1
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
#if defined(CLOTH_NO_BODIES) || !WITH_COLLIDERS /* colliders with mass, attachments and reactions of pins */
#define WITH_BODIES 0
#else
#define WITH_BODIES 1
#endif
/* Bodies that are common to several cloths of a group. */
#define WITH_COMMON_BODIES (WITH_BODIES && WITH_GROUPS)
#ifdef CLOTH_NO_WRAP /* tubes */
#define WITH_WRAP 0
#else
#define WITH_WRAP 1
#endif
#ifdef CLOTH_NO_MASK /* masks of cells */
#define WITH_MASK 0
#else
#define WITH_MASK 1
#endif
#ifdef CLOTH_NO_TEARING /* threads that break, and cuts */
#define WITH_TEARING 0
#else
#define WITH_TEARING 1
#endif
#ifdef CLOTH_NO_REST_SHAPE /* pre-shaped pieces */
#define WITH_REST_SHAPE 0
#else
#define WITH_REST_SHAPE 1
#endif
#define WITH_GAPS (WITH_MASK || WITH_TEARING || WITH_REST_SHAPE)
#ifdef CLOTH_NO_PLANNING /* work, its bounds, plans and deadlines */
#define WITH_PLANNING 0
#else
#define WITH_PLANNING 1
#endif
#if defined(CLOTH_NO_WORKERS) || !WITH_COLLIDERS /* pieces of a step on several threads */
#define WITH_WORKERS 0
#else
#define WITH_WORKERS 1
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
#if defined(CLOTH_NO_BLEND) || !(WITH_VERTICES || WITH_SKIN) /* output between two states */
#define WITH_BLEND 0
#else
#define WITH_BLEND 1
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

/* Where parts are left out nothing calls some helpers; of the whole library a warning tells where none does. */
#define WITH_EVERYTHING                                                                                                \
  (WITH_SOLVER && WITH_MULTILEVEL && WITH_COLLIDERS && WITH_HULL && WITH_HEIGHT_FIELD && WITH_MESH &&                  \
   WITH_DISTANCE_GRID && WITH_SHARED_BODIES && WITH_CONFINED && WITH_AIR && WITH_TETHERS && WITH_SELF &&               \
   WITH_SELF_TRIANGLES && WITH_SELF_SPHERES && WITH_GROUPS && WITH_SEAMS && WITH_SLEEP && WITH_SETTLE &&               \
   WITH_TARGETS && WITH_MOVE_FRAME && WITH_ORIGIN && WITH_BODIES && WITH_WRAP && WITH_MASK && WITH_TEARING &&          \
   WITH_REST_SHAPE && WITH_PLANNING && WITH_WORKERS && WITH_FABRICS && WITH_VERTICES && WITH_SKIN && WITH_BLEND &&     \
   WITH_MEASURE && WITH_IMAGE && WITH_QUERIES && WITH_CONTACT_RECORD && WITH_SAVE_CHECKS && WITH_SELF_TEST &&          \
   WITH_NAMES)
#if !WITH_EVERYTHING && (defined(__GNUC__) || defined(__clang__))
#pragma GCC diagnostic ignored "-Wunused-function"
#endif

/* Functions of a few instructions: always inlined where speed is asked for; not at -O0, nor by GCC with a sanitizer,
   where that only takes longer to compile. */
#if (defined(__GNUC__) || defined(__clang__)) && defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__) &&               \
    !defined(__SANITIZE_ADDRESS__)
#define CLOTH_INLINE static inline __attribute__((always_inline))
#elif defined(_MSC_VER) && !defined(__clang__)
#define CLOTH_INLINE static __forceinline
#else
#define CLOTH_INLINE static inline
#endif

/* Before a loop over an array of vectors with a small, constant number of rounds: GCC else keeps it in memory. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8 && !defined(__OPTIMIZE_SIZE__)
#define CLOTH_UNROLL _Pragma("GCC unroll 24")
#else
#define CLOTH_UNROLL
#endif

/* Functions that are handed functions to call: always inlined, so that calls are direct and the stack has a bound. */
#if defined(__GNUC__) || defined(__clang__)
#define CLOTH_DIRECT static inline __attribute__((always_inline))
#else
#define CLOTH_DIRECT CLOTH_INLINE
#endif

/* Functions called from many places: never inlined where size is asked for. */
#if (defined(__GNUC__) || defined(__clang__)) && defined(__OPTIMIZE_SIZE__)
#define CLOTH_ONCE static __attribute__((noinline))
#else
#define CLOTH_ONCE static
#endif

/* Parts of kernels that stand in them several times: inlined unless size is asked for. GAP_VERSIONS: 1 if cloth with
   gaps has loops of its own, as a call in a loop costs vector registers. */
#if (defined(__GNUC__) || defined(__clang__)) && defined(__OPTIMIZE_SIZE__)
#define CLOTH_REPEATED static __attribute__((noinline))
#define GAP_VERSIONS 0
#else
#define CLOTH_REPEATED CLOTH_INLINE
#define GAP_VERSIONS WITH_GAPS
#endif

/* Stages of a step: never inlined, so that their stack frames do not add up in the caller. */
#if defined(__GNUC__) || defined(__clang__)
#define CLOTH_SEPARATE static __attribute__((noinline))
#elif defined(_MSC_VER)
#define CLOTH_SEPARATE static __declspec(noinline)
#else
#define CLOTH_SEPARATE static
#endif
