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
   load is an operand where a spill and its reload are two instructions (3 % of a step without lanes). Nor are loops
   split: each of the parts loads and counts for itself (2 % of a step on Cortex-M7). */
#pragma GCC optimize("no-tree-pre", "no-tree-loop-distribution")
#if defined(__OPTIMIZE_SIZE__)
/* These passes enlarge loops over a few floats, or copy ends of functions: without them the code is 6 % smaller on
   Cortex-M (make size). */
#pragma GCC optimize("no-tree-forwprop", "no-tree-loop-distribute-patterns", "no-tree-loop-im")
#pragma GCC optimize("no-move-loop-invariants", "no-if-conversion", "no-schedule-insns2")
#pragma GCC optimize("no-tree-dominator-opts", "no-tree-scev-cprop", "no-tree-tail-merge")
#if defined(__arm__) /* elsewhere with these it is larger */
#pragma GCC optimize("no-ssa-phiopt", "no-caller-saves", "no-shrink-wrap", "no-reorder-blocks")
#endif
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

/* Switches. CLOTH_NO_NAME, defined as nothing or as 1, leaves the code of NAME out of the build: a config that needs it
   is refused with CLOTH_ERROR_LEFT_OUT, and functions that serve nothing else are not defined. Inside, WITH_NAME is 1
   or 0. A static function that nothing calls then is not compiled: it needs no #if. */

/* 0 if a macro is defined as nothing or as 1, else 1: of the two only names that it makes of these have a comma. */
#define IS_IN(no_name) IS_IN_(no_name)
#define IS_IN_(value) IS_IN_OF(LEFT_OUT_##value)
#define IS_IN_OF(comma) SECOND_OF(comma 0, 1, )
#define LEFT_OUT_ ,
#define LEFT_OUT_1 ,
#define SECOND_OF(first, second, ...) second
/* Of two numbers 0 or 1: 1 if both are, and 1 if one is. */
#define BOTH(a, b) BOTH_(a, b)
#define BOTH_(a, b) BOTH_##a(b)
#define BOTH_0(b) 0
#define BOTH_1(b) b
#define EITHER(a, b) EITHER_(a, b)
#define EITHER_(a, b) EITHER_##a(b)
#define EITHER_0(b) b
#define EITHER_1(b) 1

#define WITH_SOLVER IS_IN(CLOTH_NO_SOLVER) /* implicit integration; else only CLOTH_INTEGRATION_EXPLICIT_ONLY */
#define WITH_MULTILEVEL BOTH(WITH_SOLVER, IS_IN(CLOTH_NO_MULTILEVEL))        /* the multilevel preconditioner */
#define WITH_COLLIDERS IS_IN(CLOTH_NO_COLLIDERS)                             /* colliders, contact, moving frames */
#define WITH_HULL BOTH(WITH_COLLIDERS, IS_IN(CLOTH_NO_HULL))                 /* colliders that are convex hulls, ... */
#define WITH_HEIGHT_FIELD BOTH(WITH_COLLIDERS, IS_IN(CLOTH_NO_HEIGHT_FIELD)) /* ... height fields, ... */
#define WITH_MESH BOTH(WITH_COLLIDERS, IS_IN(CLOTH_NO_MESH))                 /* ... triangle meshes, ... */
#define WITH_DISTANCE_GRID BOTH(WITH_COLLIDERS, IS_IN(CLOTH_NO_DISTANCE_GRID)) /* ... grids of signed distances */
#define WITH_SHARED_BODIES BOTH(WITH_COLLIDERS, IS_IN(CLOTH_NO_SHARED_BODIES)) /* bodies that cloths share */
#define WITH_SURFACES EITHER(WITH_HEIGHT_FIELD, WITH_MESH)                     /* of triangles */
#define WITH_CONCAVE EITHER(WITH_SURFACES, WITH_DISTANCE_GRID)
#define WITH_GEOMETRY EITHER(WITH_HULL, WITH_CONCAVE)
#define WITH_CONFINED IS_IN(CLOTH_NO_CONFINED) /* particles confined to lines and planes */
#define WITH_AIR IS_IN(CLOTH_NO_AIR)           /* drag, lift and gusts */
#define WITH_TETHERS IS_IN(CLOTH_NO_TETHERS)
/* Contact of a cloth with itself and with other cloths, of particles with triangles and with particles. */
#define WITH_SELF BOTH(IS_IN(CLOTH_NO_SELF), EITHER(IS_IN(CLOTH_NO_SELF_TRIANGLES), IS_IN(CLOTH_NO_SELF_SPHERES)))
#define WITH_SELF_TRIANGLES BOTH(WITH_SELF, IS_IN(CLOTH_NO_SELF_TRIANGLES))
#define WITH_SELF_SPHERES BOTH(WITH_SELF, IS_IN(CLOTH_NO_SELF_SPHERES))
#define WITH_GROUPS BOTH(WITH_SELF, IS_IN(CLOTH_NO_GROUPS)) /* cloths that are stepped together and feel each other */
#define WITH_SEAMS BOTH(WITH_GROUPS, IS_IN(CLOTH_NO_SEAMS)) /* seams between the cloths of a group */
#define WITH_SLEEP IS_IN(CLOTH_NO_SLEEP)
#define WITH_SETTLE IS_IN(CLOTH_NO_SETTLE)                               /* cloth_settle() */
#define WITH_TARGETS IS_IN(CLOTH_NO_TARGETS)                             /* motion constraints to animated targets */
#define WITH_MOVE_FRAME BOTH(WITH_COLLIDERS, IS_IN(CLOTH_NO_MOVE_FRAME)) /* poses are checked as of colliders */
#define WITH_ORIGIN IS_IN(CLOTH_NO_ORIGIN)                               /* origins in the world */
#define WITH_BODIES                                                                                                    \
  BOTH(WITH_COLLIDERS, IS_IN(CLOTH_NO_BODIES))          /* colliders with mass, attachments, reactions of pins */
#define WITH_COMMON_BODIES (WITH_BODIES && WITH_GROUPS) /* bodies that are common to several cloths of a group */
#define WITH_WRAP IS_IN(CLOTH_NO_WRAP)                  /* tubes */
#define WITH_MASK IS_IN(CLOTH_NO_MASK)                  /* masks of cells */
#define WITH_TEARING IS_IN(CLOTH_NO_TEARING)            /* threads that break, and cuts */
#define WITH_REST_SHAPE IS_IN(CLOTH_NO_REST_SHAPE)      /* pre-shaped pieces */
#define WITH_GAPS (WITH_MASK || WITH_TEARING || WITH_REST_SHAPE)
#define WITH_PLANNING IS_IN(CLOTH_NO_PLANNING)                             /* work, its bounds, plans and deadlines */
#define WITH_WORKERS BOTH(WITH_COLLIDERS, IS_IN(CLOTH_NO_WORKERS))         /* pieces of a step on several threads */
#define WITH_FABRICS IS_IN(CLOTH_NO_FABRICS)                               /* presets of fabrics */
#define WITH_VERTICES IS_IN(CLOTH_NO_VERTICES)                             /* interleaved vertices and indices */
#define WITH_SKIN IS_IN(CLOTH_NO_SKIN)                                     /* meshes that follow cloths */
#define WITH_BLEND (IS_IN(CLOTH_NO_BLEND) && (WITH_VERTICES || WITH_SKIN)) /* output between two states */
#define WITH_MEASURE IS_IN(CLOTH_NO_MEASURE)                               /* cloth_measure() */
#define WITH_IMAGE IS_IN(CLOTH_NO_IMAGE)                                   /* portable images */
#define WITH_QUERIES IS_IN(CLOTH_NO_QUERIES) /* rays, nearest points, and the list of contacts */
#define WITH_CONTACT_RECORD BOTH(WITH_QUERIES, WITH_COLLIDERS)
#define WITH_SAVE_CHECKS IS_IN(CLOTH_NO_SAVE_CHECKS) /* without it cloth_load() trusts what follows the header */
#define WITH_SELF_TEST IS_IN(CLOTH_NO_SELF_TEST)     /* cloth_self_test() */
#define WITH_NAMES IS_IN(CLOTH_NO_NAMES)             /* names of results, and explanations */

/* Where parts are left out nothing calls some helpers, nor reads some parameters; of the whole library a warning tells
   where none does. */
#define WITH_EVERYTHING                                                                                                \
  (WITH_MULTILEVEL && WITH_HULL && WITH_HEIGHT_FIELD && WITH_MESH && WITH_DISTANCE_GRID && WITH_SHARED_BODIES &&       \
   WITH_CONFINED && WITH_AIR && WITH_TETHERS && WITH_SELF_TRIANGLES && WITH_SELF_SPHERES && WITH_SEAMS &&              \
   WITH_SLEEP && WITH_SETTLE && WITH_TARGETS && WITH_MOVE_FRAME && WITH_ORIGIN && WITH_BODIES && WITH_WRAP &&          \
   WITH_MASK && WITH_TEARING && WITH_REST_SHAPE && WITH_PLANNING && WITH_WORKERS && WITH_FABRICS && WITH_VERTICES &&   \
   WITH_SKIN && WITH_BLEND && WITH_MEASURE && WITH_IMAGE && WITH_QUERIES && WITH_SAVE_CHECKS && WITH_SELF_TEST &&      \
   WITH_NAMES)
#if !WITH_EVERYTHING && (defined(__GNUC__) || defined(__clang__))
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#endif

/* CLOTH_SEPARATE: stages of a step, never inlined, so that their stack frames do not add up in the caller.
   CLOTH_DIRECT: functions that are handed functions to call, always inlined, so that calls are direct and the stack has
   a bound. */
#if defined(__GNUC__) || defined(__clang__)
#define CLOTH_SEPARATE static __attribute__((noinline))
#define CLOTH_DIRECT static inline __attribute__((always_inline))
#elif defined(_MSC_VER)
#define CLOTH_SEPARATE static __declspec(noinline)
#define CLOTH_DIRECT static __forceinline
#else
#define CLOTH_SEPARATE static
#define CLOTH_DIRECT static inline
#endif

/* Functions of a few instructions: always inlined where speed is asked for; not at -O0, nor by GCC with a sanitizer,
   where that only takes longer to compile. */
#if (defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__) && !defined(__SANITIZE_ADDRESS__)) ||                        \
    (defined(_MSC_VER) && !defined(__clang__))
#define CLOTH_INLINE CLOTH_DIRECT
#else
#define CLOTH_INLINE static inline
#endif

/* CLOTH_ONCE: functions called from many places, CLOTH_REPEATED: parts of kernels that stand in them several times.
   Where size is asked for they are never inlined. */
#if defined(__OPTIMIZE_SIZE__)
#define CLOTH_ONCE CLOTH_SEPARATE
#define CLOTH_REPEATED CLOTH_SEPARATE
#else
#define CLOTH_ONCE static
#define CLOTH_REPEATED CLOTH_INLINE
#endif

/* Before a loop over an array of vectors with a small, constant number of rounds: GCC else keeps it in memory. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8 && !defined(__OPTIMIZE_SIZE__)
#define CLOTH_UNROLL _Pragma("GCC unroll 24")
#else
#define CLOTH_UNROLL
#endif
