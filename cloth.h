/*
 * cloth - cloth simulation in one header and one source file.
 *
 * A sheet of columns x rows particles on a regular grid, held together by
 * stretch, shear and bend springs (Choi and Ko 2002). Each family of springs is
 * integrated explicitly or implicitly as its own stability number says, and the
 * implicit part is solved by a modified preconditioned conjugate gradient with a
 * hard iteration cap (Boxerman, "Speeding Up Cloth Simulation", UBC 2003; called
 * "the thesis" below).
 *
 * The library allocates nothing, keeps no writable static data, calls nothing but
 * the memcpy, memset and memmove that compilers put in by themselves, and does a
 * bounded amount of work in every step. In short:
 *
 *     cloth_config config = cloth_config_default();
 *     cloth_memory memory;
 *     cloth_memory_needed(&config, &memory);          // bytes of the arena
 *     cloth *sheet;
 *     cloth_init(&config, arena, memory.total_bytes, &sheet);
 *     cloth_pin(sheet, cloth_particle_at(sheet, 0, 0));
 *     cloth_step(sheet, 1.0f / 60.0f);                // once a frame
 *     cloth_write_vertices(sheet, &layout, vertices, sizeof vertices);
 *
 * Conventions
 *   Units      SI: metres, seconds, kilograms, newtons, radians.
 *   Axes       Right-handed; "up" is whatever gravity points away from.
 *   Particles  Index = row * columns + column. Columns run along the warp
 *              threads (config.edge_warp), rows along the weft (config.edge_weft).
 *   Winding    Triangles are counter-clockwise seen from the side to which
 *              cross(edge_warp, edge_weft) points; normals point to that side.
 *   Results    Functions returning int give CLOTH_OK (0) or a positive value on
 *              success and a negative cloth_error on failure. A call that fails
 *              changes nothing.
 *   Building   cloth.c alone is complete. With port/ beside it, it takes the lanes of the machine's vector unit by
 *              itself; -DCLOTH_PORT='"my_port.h"' names a header of hooks to take instead: timer, assert, trace,
 *              places in memory (port/cloth_port.h tells). Always -ffp-contract=off, never -ffast-math.
 *              CLOTH_NO_SOLVER, _MULTILEVEL, _PROJECTION, _COLLIDERS, _CONTACT_SOLVER, _AIR, _LIMITS, _CONFINED,
 *              _TARGETS, _MOVE_FRAME, _WRAP, _MEASURE, _IMAGE, _VERTICES, _FABRICS, _NAMES, _SELF_TEST, _SLEEP, _PLANNING
 *              leave parts out of cloth.c: a config that asks for them is refused, the defaults do not ask, and
 *              functions that serve nothing else are not there.
 *   Threads    A cloth holds no shared state: different cloths may be used on
 *              different threads, one cloth by one thread at a time. Cloths
 *              that share scratch are on one thread.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLOTH_H
#define CLOTH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Version and limits ///

#define CLOTH_VERSION_MAJOR 0
#define CLOTH_VERSION_MINOR 1
#define CLOTH_VERSION_PATCH 0

/* Version of the portable image's layout. */
#define CLOTH_STATE_VERSION 4
/* Version of the arithmetic: two builds with the same number give the same bits. */
#define CLOTH_NUMERICS_VERSION 4
/* First word of a portable image, "CLTH" as its bytes. */
#define CLOTH_IMAGE_MAGIC 0x48544c43u

/* Alignment of the arena in bytes, a power of two. */
#define CLOTH_ALIGNMENT 32
/* Largest number of columns and of rows. */
#define CLOTH_GRID_LIMIT 1024
/* Largest number of substeps in one step. */
#define CLOTH_SUBSTEP_LIMIT 1024
/* Largest iteration cap of the conjugate gradient. */
#define CLOTH_ITERATION_LIMIT 4096
/* Largest number of colliders a cloth can be configured for. */
#define CLOTH_COLLIDER_LIMIT 64
/* Largest number of strain-limiting sweeps a substep. */
#define CLOTH_SWEEP_LIMIT 64
/* Largest span of the projected springs, in cells. */
#define CLOTH_SPAN_LIMIT 64
/* A threshold that no kappa passes. */
#define CLOTH_KAPPA_NEVER 1.0e30f
/* Largest |coordinate| of a position [m]; beyond it a float cannot resolve cloth. */
#define CLOTH_POSITION_LIMIT 1.0e5f
/* A max_distance that no particle reaches [m]. */
#define CLOTH_ANY_DISTANCE 1.0e6f

/* Begins the declaration of an arena, in C and in C++: CLOTH_ALIGNED static unsigned char arena[65536]; */
#ifndef CLOTH_ALIGNED
#if defined(__GNUC__) || defined(__clang__)
#define CLOTH_ALIGNED __attribute__((aligned(CLOTH_ALIGNMENT)))
#elif defined(_MSC_VER)
#define CLOTH_ALIGNED __declspec(align(CLOTH_ALIGNMENT))
#elif defined(__cplusplus)
#define CLOTH_ALIGNED alignas(CLOTH_ALIGNMENT)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define CLOTH_ALIGNED _Alignas(CLOTH_ALIGNMENT)
#endif
#endif

/* Before every function. CLOTH_SHARED is defined where cloth is a shared library: with CLOTH_BUILD while cloth.c is
   compiled, without it in programs that use the library. The packages in port/packaging do so. */
#ifndef CLOTH_API
#if defined(CLOTH_SHARED) && (defined(_WIN32) || defined(__CYGWIN__))
#ifdef CLOTH_BUILD
#define CLOTH_API __declspec(dllexport)
#else
#define CLOTH_API __declspec(dllimport)
#endif
#elif defined(CLOTH_SHARED) && (defined(__GNUC__) || defined(__clang__))
#define CLOTH_API __attribute__((visibility("default")))
#else
#define CLOTH_API
#endif
#endif

/// Results ///

/* Every failure has its own negative code; cloth_result_name() spells it. */
typedef enum cloth_error {
  CLOTH_OK = 0,
  CLOTH_ERROR_NULL = -1,             /* a required pointer is NULL */
  CLOTH_ERROR_CONFIG = -2,           /* config not made by cloth_config_default() */
  CLOTH_ERROR_GRID = -3,             /* columns, rows or wrap outside its range, or fewer than 5 columns to wrap */
  CLOTH_ERROR_PLACEMENT = -4,        /* edge vector or given position not finite, zero or out of range, or edges lean */
  CLOTH_ERROR_DENSITY = -5,          /* density outside its range */
  CLOTH_ERROR_STIFFNESS = -6,        /* stretch, shear, bend or compression outside its range */
  CLOTH_ERROR_DAMPING = -7,          /* a damping outside its range */
  CLOTH_ERROR_AIR = -8,              /* air density, drag or lift outside its range */
  CLOTH_ERROR_GRAVITY = -9,          /* gravity not finite or above 1e4 m/s^2 */
  CLOTH_ERROR_WIND = -10,            /* wind not finite or above 1e3 m/s */
  CLOTH_ERROR_INTEGRATION = -11,     /* integration is no cloth_integration, or a threshold outside its range */
  CLOTH_ERROR_SUBSTEPS = -12,        /* substeps or max_substeps outside its range; no such substep */
  CLOTH_ERROR_SOLVER = -13,          /* preconditioner or warm_start is not one of its values */
  CLOTH_ERROR_ITERATIONS = -14,      /* max_iterations outside 1..CLOTH_ITERATION_LIMIT */
  CLOTH_ERROR_TOLERANCE = -15,       /* tolerance outside its range */
  CLOTH_ERROR_STRAIN_LIMIT = -16,    /* sweeps or a strain limit outside its range */
  CLOTH_ERROR_CONTACT = -17,         /* contact mode or thickness outside its range */
  CLOTH_ERROR_FRICTION = -18,        /* a friction coefficient outside 0..10, or kinetic above static */
  CLOTH_ERROR_CAPACITY = -19,        /* a capacity in the config outside its range */
  CLOTH_ERROR_MAX_SPEED = -20,       /* speed limit outside its range */
  CLOTH_ERROR_MAP = -21,             /* a map value outside its range */
  CLOTH_ERROR_ARENA_ALIGNMENT = -22, /* arena not aligned to CLOTH_ALIGNMENT */
  CLOTH_ERROR_ARENA_SIZE = -23,      /* arena smaller than cloth_memory_needed() says */
  CLOTH_ERROR_NOT_A_CLOTH = -24,     /* the pointer does not point to an initialised cloth */
  CLOTH_ERROR_TIME_STEP = -25,       /* dt not finite or outside 1e-6..1 s */
  CLOTH_ERROR_PARTICLE = -26,        /* no such particle */
  CLOTH_ERROR_NOT_PINNED = -27,      /* the particle is not pinned */
  CLOTH_ERROR_VECTOR = -28,          /* a position, velocity or impulse not finite or out of range */
  CLOTH_ERROR_DIRECTION = -29,       /* a direction of zero or non-finite length */
  CLOTH_ERROR_FULL = -30,            /* no room left for another collider or confined particle */
  CLOTH_ERROR_COLLIDER = -31,        /* no such collider */
  CLOTH_ERROR_SHAPE = -32,           /* collider shape unknown, or its dimensions out of range */
  CLOTH_ERROR_ROTATION = -33,        /* rotation not a unit quaternion (within 1e-3) */
  CLOTH_ERROR_BUFFER = -34,          /* output buffer too small, or layout does not fit its stride */
  CLOTH_ERROR_INDEX_WIDTH = -35,     /* the vertices do not fit 16-bit indices */
  CLOTH_ERROR_UNSTABLE = -36,        /* explicit-only cloth would be unstable at max_substeps: step refused */
  CLOTH_ERROR_LEFT_OUT = -37,        /* the build has left out what this asks for, by a CLOTH_NO_... switch */
  CLOTH_ERROR_IMAGE_MAGIC = -38,     /* not an image: the first word is not CLOTH_IMAGE_MAGIC */
  CLOTH_ERROR_IMAGE_VERSION = -39,   /* an image of another CLOTH_STATE_VERSION */
  CLOTH_ERROR_IMAGE_NUMERICS = -40,  /* an image of another CLOTH_NUMERICS_VERSION: it would go on differently */
  CLOTH_ERROR_IMAGE_CONFIG = -41,    /* a save or image of a cloth with another config */
  CLOTH_ERROR_IMAGE_SIZE = -42,      /* a save or image with another size or other counts than this cloth's */
  CLOTH_ERROR_IMAGE_DAMAGED = -43,   /* the image's hash does not match its content */
  CLOTH_ERROR_IMAGE_CONTENT = -44,   /* the image holds a value that no cloth can have */
  CLOTH_ERROR_CONTRACTION = -45,     /* self-test: a * b + c is rounded once instead of twice */
  CLOTH_ERROR_ROUNDING = -46,        /* self-test: results are not rounded to nearest, ties to even */
  CLOTH_ERROR_EXCESS = -47,          /* self-test: float expressions are not evaluated as written, as floats */
  CLOTH_ERROR_SQUARE_ROOT = -48,     /* self-test: square roots are not correctly rounded */
  CLOTH_ERROR_LANES = -49,           /* self-test: a lane operation differs from the scalar reference */
  CLOTH_ERROR_PROJECTION = -50,      /* spans, extrapolation or tethers outside their range; no such tether */
  CLOTH_ERROR_SLEEP = -51,           /* sleep_speed or sleep_time outside its range */
  CLOTH_ERROR_WORK = -52,            /* fixed_work not 0 or 1, or with sleep or contact in the solver; no such effort */
  CLOTH_ERROR_PLAN = -53,            /* no plan meets the goal, or none was given */
  CLOTH_ERROR_INERTIA = -54,         /* an inertia outside 0..1 */
  CLOTH_ERROR_TARGETS = -55,         /* targets not 0 or 1, a motion constraint outside its range, or no room for one */
  CLOTH_ERROR_SCRATCH = -56          /* shared_scratch not 0 or 1; scratch that is too small, not aligned, not asked
                                        for, or not yet given */
} cloth_error;

/* What cloth_step() adds up in its positive result; also in cloth_statistics.notes. */
typedef enum cloth_note {
  /* A family forced to be explicit was unstable at the substep cap and was integrated implicitly. */
  CLOTH_NOTE_MADE_IMPLICIT = 1,
  /* The fabric's bend springs were softened near their rest length to keep the explicit step stable. */
  CLOTH_NOTE_BEND_SOFTENED = 2,
  /* A particle passed config.max_speed and was slowed to it. */
  CLOTH_NOTE_SPEED_LIMITED = 4,
  /* A particle's motion was not finite or left the position limit: it was put back where the substep began, at rest. */
  CLOTH_NOTE_RECOVERED = 8,
  /* Only from cloth_self_test(): this machine flushes subnormal numbers to zero. The results do not depend on it. */
  CLOTH_NOTE_FLUSHES = 16
} cloth_note;

/// Basic types ///

typedef struct cloth_vector {
  float x, y, z;
} cloth_vector;

/* Unit quaternion, w the real part. */
typedef struct cloth_rotation {
  float x, y, z, w;
} cloth_rotation;

/* Position [m] and orientation of a rigid body. */
typedef struct cloth_pose {
  cloth_vector position;
  cloth_rotation rotation;
} cloth_pose;

/* A cloth lives at the start of its arena: (cloth *)arena. It holds no pointers, so the whole arena may be
   moved with memcpy at any time between calls; go on with the new address. */
typedef struct cloth cloth;

/* Marks an attribute that vertices do not have, or that cloth_write_vertices() shall leave alone. */
#define CLOTH_ATTRIBUTE_NONE (-1)

/* Where the attributes of a vertex lie in the caller's interleaved buffer: byte offsets into a vertex, or
   CLOTH_ATTRIBUTE_NONE. All are floats: position and normal 3 each, texcoord 2. Bytes between are left alone. */
typedef struct cloth_vertex_layout {
  int32_t stride;          /* bytes from one vertex to the next; 1..65536 */
  int32_t position_offset; /* [m] */
  int32_t normal_offset;   /* unit length */
  int32_t texcoord_offset; /* u = column / (columns - 1), round a tube column / columns; v = row / (rows - 1) */
} cloth_vertex_layout;

/// Fabric ///

/*
 * What the sheet is made of. All constants are those of the fabric and do not depend on the grid.
 *
 * The spring constants follow: stretch springs have the stiffness stretch_* on square cells, and times
 * (weft spacing / warp spacing) or its inverse on rectangular ones; the Choi-Ko bend springs of rest length L get
 * f = (4 k / L^2) G(l / L) with k = (4/9) bend * spacing on the axes and k / sqrt(2) on the diagonals, which
 * makes the sheet's bending rigidity isotropic and equal to `bend`.
 */
typedef struct cloth_fabric {
  float density;         /* mass per area [kg/m^2]; 0.001..1000; default 0.2 */
  float stretch_warp;    /* stretch stiffness along a row of particles [N/m]; 0..1e7; default 1000 */
  float stretch_weft;    /* stretch stiffness along a column of particles [N/m]; 0..1e7; default 1000 */
  float shear;           /* stiffness of the diagonal springs [N/m], twice the shear modulus; 0..1e7; default 700 */
  float bend;            /* bending rigidity [N m]; 0..10; default 1e-5 */
  float bend_transition; /* strain up to which a bend spring is linear before it follows the buckling curve; 1e-6..0.5;
                            default 0.05. Smaller is truer for gentle curves and stiffer to integrate. */
  float compression;     /* share of the stretch stiffness that also resists shortening; 0..1; default 1. With
                            0 springs go slack and the cloth gathers without resistance, as Choi and Ko propose */
  float shear_compression; /* share of the shear stiffness that also resists shortening of the diagonals; 0..1;
                              default 1. With 0 folds are rougher, and stretch goes away in fewer substeps. */
  float stretch_damping;   /* projected damping of a stretch spring [N s/m]; 0..1e4; default 0.05 */
  float shear_damping;     /* projected damping of a shear spring [N s/m]; 0..1e4; default 0.05 */
  float bend_damping;      /* projected damping of a bend spring while it is bent [N s/m]; 0..1e4; default 0.2 */
} cloth_fabric;

/* Fabrics measured by others; sources stand beside their values in cloth.c. */
typedef enum cloth_fabric_kind {
  CLOTH_FABRIC_SILK,
  CLOTH_FABRIC_COTTON,
  CLOTH_FABRIC_WOOL,
  CLOTH_FABRIC_DENIM,
  CLOTH_FABRIC_POLYESTER
} cloth_fabric_kind;

/* Writes a preset to *fabric. Returns CLOTH_OK, CLOTH_ERROR_NULL, or CLOTH_ERROR_STIFFNESS for an unknown kind. */
int cloth_fabric_preset(cloth_fabric_kind kind, cloth_fabric *fabric);

/// Configuration ///

/* How the springs are integrated (thesis chapter 4). */
typedef enum cloth_integration {
  /* Each family by its stability number kappa = (k/m)(k ks + 2 kd), k the substep, decided anew in every step: explicit
     (forward-backward Euler) up to config.explicit_threshold, implicit (backward Euler, solved by conjugate gradients)
     between the thresholds, and projected above config.projection_threshold. Per spring where maps vary. Beside
     projected springs those are projected, too, whose kappa is more than a quarter of config.max_iterations: a solve
     cut shorter than that makes noise there. */
  CLOTH_INTEGRATION_ADAPTIVE,
  /* Stretch and shear implicit whatever their kappa. */
  CLOTH_INTEGRATION_IMPLICIT,
  /* Stretch and shear explicit; a family that would be unstable is made implicit and the step says so. */
  CLOTH_INTEGRATION_EXPLICIT,
  /* Explicit, and the arena has no room for a solver: warm_start and CLOTH_CONTACT_SOLVER have no effect. An unstable
     step is refused: CLOTH_ERROR_UNSTABLE. */
  CLOTH_INTEGRATION_EXPLICIT_ONLY
} cloth_integration;

/* How the bend springs are integrated. */
typedef enum cloth_bend_integration {
  /* Explicit while the bend springs are stable so; when they are stiffer projected above the threshold, or if the cloth
     has no solver, and implicit below it. Projected bend springs are linear and lie along the axes alone. Adds 16 bytes
     per particle to a cloth with a solver, and is the same as CLOTH_BEND_EXPLICIT with
     CLOTH_INTEGRATION_EXPLICIT_ONLY. */
  CLOTH_BEND_ADAPTIVE,
  /* Explicit always, the slope near rest length softened where it must be (thesis section 4.4). */
  CLOTH_BEND_EXPLICIT
} cloth_bend_integration;

typedef enum cloth_preconditioner {
  CLOTH_PRECONDITIONER_BLOCK,    /* constrained 3x3 diagonal blocks, P = S C + (I - S) (thesis eq. 5.4) */
  CLOTH_PRECONDITIONER_DIAGONAL, /* constrained point Jacobi */
  CLOTH_PRECONDITIONER_NONE,
  /* The blocks and, on top, corrections from coarser grids, each of a quarter of the columns and rows of the one
     before: the iterations hardly grow with the grid, and each costs half as much again. Adds 8 bytes per particle,
     more on small grids. */
  CLOTH_PRECONDITIONER_MULTILEVEL,
  /* Substep by substep whichever of block and multilevel is expected to get further in the time: by the grid, the kappa
     of what is implicit, the iteration cap and the particles held by contacts of the solver. Room as for multilevel. */
  CLOTH_PRECONDITIONER_AUTOMATIC
} cloth_preconditioner;

typedef enum cloth_contact_mode {
  /* Particles are projected out of colliders after the solve, with Coulomb impulses. Works with a solve cut short. */
  CLOTH_CONTACT_PROJECTION,
  /* Contacts are constraints of the solve, friction comes from its residual, attractive contacts are released
     (thesis section 3.4.2). Wants a nearly converged solve. Adds 16 bytes per particle. */
  CLOTH_CONTACT_SOLVER
} cloth_contact_mode;

/* Gusts: a wind that comes and goes, added to the mean one, even over the cloth. The sequence follows from the seed,
   the period, the start and the dt of the steps since alone, with the same bits on every machine. */
typedef struct cloth_gusts {
  cloth_vector strength; /* the most it adds along each axis, either way [m/s]; each 0..1000 */
  float period;          /* from one gust to the next, on average [s]; 0.02..1000 */
  float start;           /* how far into the sequence to begin [s]; 0..1e6 */
  uint32_t seed;         /* cloths of the same seed, period and time are in the same wind */
} cloth_gusts;

/* Everything fixed for the life of a cloth. Start from cloth_config_default(). */
typedef struct cloth_config {
  uint32_t cookie; /* set by cloth_config_default(); proves that it was called */

  /* Grid */
  int32_t columns;        /* particles along the warp; 2..CLOTH_GRID_LIMIT; default 32 */
  int32_t rows;           /* particles along the weft; 2..CLOTH_GRID_LIMIT; default 32 */
  cloth_vector origin;    /* position of particle (0, 0) [m]; default 0 */
  cloth_vector edge_warp; /* from particle (0, 0) to (columns - 1, 0), or with `wrap` all the way round [m]; its length
                             fixes the rest spacing of the columns, 1e-4..100 m between neighbours; default (1, 0, 0) */
  cloth_vector edge_weft; /* from particle (0, 0) to (0, rows - 1) [m]; likewise for rows; need not be perpendicular to
                             the other, but at least 6 degrees from parallel; default (0, 0, 1) */
  int32_t wrap; /* 1 makes a tube, for skirts and sleeves: column 0 follows the last column, and all springs go round.
                   There are at least 5 columns, and the edges are perpendicular to 1e-3. Rows start as regular polygons
                   around an axis along edge_weft, particle (0, 0) at the origin with edge_warp as its tangent, normals
                   pointing outward. Springs around the tube hold half as firmly as along a sheet when projected. Adds
                   144 bytes per row, of which there count whole eights, to a cloth with a solver; 0..1; default 0 */
  const cloth_vector *positions; /* columns * rows start positions [m], or NULL for the plane, or tube, of origin and
                                    edges; read by cloth_init() only, rest lengths stay those of the edges */

  /* Material */
  cloth_fabric fabric;        /* see cloth_fabric */
  const float *mass_map;      /* columns * rows factors on a particle's mass, 0.01..100, or NULL; read by
                                 cloth_init() only. Adds 4 bytes per particle. */
  const float *stiffness_map; /* columns * rows factors on the stretch, shear and bend springs that meet at a particle
                                 (a spring takes the mean of its ends), 0..100, or NULL; read by cloth_init() only.
                                 Adds 4 bytes per particle. */
  float velocity_damping;     /* drag on the velocity itself [1/s]; 0..100; default 0.1 */

  /* Surroundings */
  cloth_vector gravity; /* [m/s^2]; default (0, -9.81, 0); changed by cloth_set_gravity() */
  cloth_vector wind;    /* velocity of the air [m/s]; default 0; changed by cloth_set_wind() */
  float air_density;    /* [kg/m^3]; 0..100; default 1.2 */
  float drag;           /* drag coefficient against the relative wind (thesis eq. 3.17); 0..100; default 0 */
  float lift;           /* lift coefficient, perpendicular to the relative wind; 0..100; default 0 */
  float normal_drag; /* coefficient of a force along the normal, 1/2 rho c A |v| (n.v) n: wind that is turned aside by
                        the cloth and leaves it without friction; 0..100; default 0 */

  /* Time */
  cloth_integration integration;           /* default CLOTH_INTEGRATION_ADAPTIVE */
  cloth_bend_integration bend_integration; /* default CLOTH_BEND_ADAPTIVE */
  float fold_stiffness; /* least linear stiffness of bend springs [N/m], a quarter of it on diagonals, at most a fifth
                           of the stretch stiffness; 0..1e6; default 200. Keeps folds wider than a cell, which the grid
                           cannot resolve, however limp the fabric. */
  float explicit_threshold;   /* kappa up to which a spring is explicit; 0..0.5; default 0.2 */
  float projection_threshold; /* kappa above which a spring is projected; 0..1e30; default 0.2. CLOTH_KAPPA_NEVER is the
                                 thesis's scheme. Up to explicit_threshold nothing is ever implicit: the arena then has
                                 no room for a solver, as with CLOTH_INTEGRATION_EXPLICIT_ONLY. Below
                                 CLOTH_KAPPA_NEVER it adds 0.2 to 0.7 KB to the fixed size. */
  float
      extrapolation; /* share of the second-order backward formula (BDF2) in the prediction of a substep, the rest
                        being backward Euler; 0..1; default 0.5. Keeps motion alive that backward Euler damps away: with
                        few substeps take 0.8, with 20 and more less, or slack sheets fold finely.
                        Above 0 it adds 24 bytes per particle. */
  int32_t substeps;  /* substeps of a step, 1..CLOTH_SUBSTEP_LIMIT; 0 chooses them from kappa and speed; default 28 */
  int32_t max_substeps; /* cap on the substeps when they are chosen; 1..CLOTH_SUBSTEP_LIMIT; default 28.
                           The larger of both adds 2 bytes each to the fixed size. */
  float max_speed;      /* fastest a particle may move [m/s]; 0.1..1e4; default 300 */

  /* Solver */
  cloth_preconditioner preconditioner; /* default CLOTH_PRECONDITIONER_BLOCK */
  int32_t max_iterations;              /* iteration cap of a substep; 1..CLOTH_ITERATION_LIMIT; default 4 */
  float tolerance;    /* relative residual in the inverse preconditioner's norm at which iteration stops; 1e-4..0.5
                         (a float cannot do better, thesis eq. in section 5.3.1 notwithstanding); default 1e-3 */
  int32_t warm_start; /* 1 starts from the last velocity change if that was solved to the tolerance, scaled by a line
                         search; 0 from zero; default 0.
                         Adds 12 bytes per particle. */

  /* Projection: one sweep a substep over the projected springs, from the coarsest span to single cells */
  int32_t spans; /* largest span, in cells: stretch springs that join particles so many cells apart and halves of it act
                    as limits; a power of two, 1..CLOTH_SPAN_LIMIT; 0 takes an eighth of the smaller side; default 0 */
  int32_t fine_sweeps; /* further sweeps over the projected stretch springs of one cell; 0..CLOTH_SWEEP_LIMIT;
                          default 3 */
  int32_t tethers;    /* longest ways to pinned particles that hold a particle, with projected springs; 0..2; default 2.
                         Adds 4 bytes each per particle, and on narrow sheets up to 52 per collider. */
  float tether_scale; /* length of a tether over its rest length; 0.5..10; default 1.0015. A sheet stretched out between
                         pins may not sag at all with 1, and never comes to rest; below 1 it is torn. */

  /* Animation */
  int32_t targets; /* 1 has room for a target of each particle, see cloth_move_targets(); 0..1; default 0. Adds 60 bytes
                      per particle. */

  /* Strain limiting (Provot 1995) */
  int32_t limit_sweeps;    /* sweeps over the stretch springs after each substep; 0..CLOTH_SWEEP_LIMIT; default 0 */
  float limit_extension;   /* strain above which a spring is shortened; 0..10; default 0.006 */
  float limit_compression; /* strain below which it is lengthened; 0..1, 1 leaves compression free; default 1 */

  /* Contact */
  cloth_contact_mode contact_mode; /* default CLOTH_CONTACT_PROJECTION */
  float thickness;                 /* distance kept from colliders [m]; 0..1; default 0.01 */
  int32_t max_colliders;           /* 0..CLOTH_COLLIDER_LIMIT; default 16. Adds 120 bytes each to the fixed size. */
  int32_t max_confined;            /* particles confined to a line or plane at once, 0..65535; default 8. Adds 32
                                      bytes each to the fixed size. */

  /* Sleep: a cloth that has come to rest costs next to nothing, see cloth_wake() */
  float sleep_speed; /* a cloth falls asleep when no particle was faster than this [m/s] and no pin moved at the end of
                        any step for sleep_time; 0..10; 0 never sleeps; default 0 */
  float sleep_time;  /* [s] of the steps' dt; 0..60; default 0.5 */

  /* Time */
  int32_t fixed_work; /* 1 lets every step do the same work whatever moves where, with the same results to the bit if
                         substeps are set; see cloth_work_bound(). Not with sleep or CLOTH_CONTACT_SOLVER; 0..1; default
                         0 */

  /* Memory */
  int32_t shared_scratch; /* 1 leaves out of the arena what a step needs while it lasts, see cloth_set_scratch(); 0..1;
                             default 0 */
} cloth_config;

/* Returns a config with every default named above. */
cloth_config cloth_config_default(void);

/// Memory ///

/*
 * The arena has three contiguous spans, in this order. To save a cloth copy the state span; to restore it copy it
 * back into the same cloth or into one initialised with the same config.
 *
 * Per particle: by default 57 bytes of state, of which extrapolation takes 24 and tethers take 8, and 32 of scratch, of
 * which extrapolation takes 4. A solver takes 128 of scratch more, of which adaptive bending is 16. From 464 particles
 * on up to 1.2 KB for each vector, which keeps caches from thrashing. The options that add to it say so in
 * cloth_config. Beside that 48 bytes per column, and 3.7 to 4.5 KB with the default capacities. It is the same for
 * every build of the library.
 */
typedef struct cloth_memory {
  size_t total_bytes;     /* exact size of the arena */
  size_t constant_offset; /* written by cloth_init() only */
  size_t constant_bytes;
  size_t state_offset; /* all that the next step depends on */
  size_t state_bytes;
  size_t scratch_offset; /* work space and the last step's statistics */
  size_t scratch_bytes;
  size_t saved_bytes;  /* what cloth_save() writes */
  size_t image_bytes;  /* what cloth_write_image() writes */
  size_t shared_bytes; /* what cloth_set_scratch() must be given; 0 without config.shared_scratch */
} cloth_memory;

/* Writes to *memory what a cloth of this config needs. Returns CLOTH_OK or the config's first error. */
int cloth_memory_needed(const cloth_config *config, cloth_memory *memory);

/* Makes a cloth in the caller's arena of `bytes` bytes, aligned to CLOTH_ALIGNMENT, and writes its address, equal to
   the arena's, to *out. Nothing of the config is retained. Returns CLOTH_OK or an error; then neither the arena nor
   *out is touched. */
int cloth_init(const cloth_config *config, void *arena, size_t bytes, cloth **out);

/* Gives a cloth with config.shared_scratch its work space: `bytes` bytes aligned to CLOTH_ALIGNMENT, at least
   cloth_memory.shared_bytes, outside its arena. Nothing is kept there from one call to the next, so that any number of
   cloths that take turns may be given the same; statistics and reactions lie in the arena. To be called before the
   first step, and again when either has moved. Returns CLOTH_OK, CLOTH_ERROR_SCRATCH, ... */
int cloth_set_scratch(cloth *sheet, void *scratch, size_t bytes);

/* Writes where the spans of this cloth lie to *memory. Returns CLOTH_OK or an error. */
int cloth_memory_spans(const cloth *sheet, cloth_memory *memory);

/// Stepping ///

/*
 * Advances by dt seconds, 1e-6..1. Colliders reach the ends of their prescribed motions exactly, pins to the rounding
 * of their substeps. Positions are floats: a motion of less than half a unit in the last place of a coordinate in a
 * substep (6e-8 m at 1 m from the origin) is lost, so keep substeps long enough for the slowest motion that matters.
 * Returns CLOTH_OK, a positive sum of cloth_note, or CLOTH_ERROR_TIME_STEP, CLOTH_ERROR_UNSTABLE, ...; after an error
 * nothing has moved.
 *
 * Recovery: should a particle's motion in a substep not be finite, or leave CLOTH_POSITION_LIMIT, the particle is put
 * back to where the substep began with zero velocity; should it be faster than max_speed, it is slowed to that.
 */
int cloth_step(cloth *sheet, float dt);

/*
 * Deadlines. A step can be told to stop refining at a time: from then on its substeps do one iteration of a solve, one
 * sweep of strain limiting, of the projected springs those that span a cell, or two where bend springs are among them,
 * and all else as ever. So it goes on for a while after the deadline, and its result depends on the machine. What it
 * did is reported, and reproduces it to the bit anywhere. Nothing but this looks at the time.
 */
typedef struct cloth_effort {
  int32_t refinements; /* iterations, sweeps and spans that were done beyond the least */
  int32_t cut_short;   /* 1 if the deadline left out others, else 0 */
} cloth_effort;

/* Steps as cloth_step() does, but refines no more when `ticks` ticks of the port's CLOTH_TICKS() have passed since the
   call; 0 refines nothing, and without a timer nothing else is ever cut short. UINT32_MAX is no deadline. Writes to
   *effort what it did. Returns what cloth_step() does, or CLOTH_ERROR_WORK for a cloth of fixed work. */
int cloth_step_until(cloth *sheet, float dt, uint32_t ticks, cloth_effort *effort);

/* Steps as a cloth_step_until() did that reported this effort, without a timer. Returns what that does. */
int cloth_step_again(cloth *sheet, float dt, const cloth_effort *effort);

/*
 * Work. A unit is an instruction that a Cortex-M7 executes for one lane of plain C, compiled by GCC 12 at -O2, as a
 * table in cloth.c counts them: the same number on every machine. cloth_statistics.work adds up what a step has done,
 * with the iterations, contacts, traced ways and taut tethers there were. Real instructions of that build are at
 * most 1.05 times the units counted, and 1.05 times the bound (measured; tests/work.sh); other builds differ by a
 * factor of their own.
 *
 * With config.fixed_work a step always does what its bound says: solves go on idly to max_iterations, every particle is
 * met with every collider and its way traced, every tether is pulled, tethers are chosen anew, and substeps that a step
 * would choose are max_substeps. What it does then depends on the config, the pins and the colliders alone; the longest
 * step took 1.01 times the mean (measured likewise).
 */

/* Writes to *work the most work that cloth_step(sheet, dt) can do, called now: with the pins, colliders and velocities
   as they are. Returns CLOTH_OK, or what the step would return: CLOTH_ERROR_TIME_STEP, CLOTH_ERROR_UNSTABLE, ... */
int cloth_work_bound(const cloth *sheet, float dt, uint64_t *work);

/* Writes to *work the most work that a step of dt can do in any cloth of this config that keeps its fabric, whatever
   its pins and velocities are, with as many colliders as there is room for, of the dearest shape, and every particle at
   every one of them. So leave room for no more than will be there. Returns CLOTH_OK or an error. */
int cloth_work_bound_of(const cloth_config *config, float dt, uint64_t *work);

/* What a config can be expected to do. */
typedef struct cloth_forecast {
  uint64_t work; /* cloth_work_bound_of() */
  float stretch; /* largest strain of a spring while a sheet swings by two corners; 0.01 is 1 %; to a factor of two, of
                    four where it hangs more than twice as long as it is wide */
} cloth_forecast;

/*
 * Plans how to simulate: takes a config and sets the tiers, substeps, spans, tethers, extrapolation, fine sweeps and
 * sweeps of strain limiting, in three tiers always. The rest stays: leave room for no more colliders than will be
 * there, and set limit_extension, below which sweeps do not go. Without a `stretch`, the plan with the least stretch
 * whose bound of work for a step of dt is at most `work`; with one, the plan of least work that is expected to stretch
 * no more, within `work` unless that is 0. Writes to *planned, which may be *config, and what to expect to *forecast.
 * Returns CLOTH_OK, CLOTH_ERROR_PLAN if nothing meets that, or an error of the config.
 */
int cloth_plan(const cloth_config *config, float dt, uint64_t work, float stretch, cloth_config *planned,
               cloth_forecast *forecast);

/// State ///

/*
 * A step is a function of the state, the config and dt alone, with the same bits from every compiler, optimisation
 * level and machine. The state has a constant size from cloth_init() on and holds all inputs: pins, colliders, wind,
 * fabric. So two machines that start from the same config and make the same calls stay equal, and a cloth that loads
 * an earlier state goes on as it did the first time.
 */

/* Copies the state into `buffer`, cloth_memory.saved_bytes of any alignment, at the speed of memcpy. For the same build
   on the same kind of machine, as rollback needs it. Returns CLOTH_OK, CLOTH_ERROR_BUFFER if `bytes` is too small, ...
 */
int cloth_save(const cloth *sheet, void *buffer, size_t bytes);

/* Puts back what cloth_save() wrote, into the same cloth or one of the same config; its fabric, gravity, wind and
   places need not agree, they come with the state. Statistics and reactions stay those of the last step. Who wrote the
   save is checked, its content is trusted. Returns CLOTH_OK, CLOTH_ERROR_IMAGE_CONFIG, CLOTH_ERROR_IMAGE_SIZE, ... */
int cloth_load(cloth *sheet, const void *buffer, size_t bytes);

/* Writes the state as an image for any machine: cloth_memory.image_bytes of any alignment, little-endian everywhere,
   with a header of magic, versions, config hash and counts. For files and for sending to another machine. Returns
   CLOTH_OK, CLOTH_ERROR_BUFFER if `bytes` is too small, ... */
int cloth_write_image(const cloth *sheet, void *image, size_t bytes);

/* Takes over the state of an image. All of it is checked first: an image from anywhere is safe to pass. Returns
   CLOTH_OK or a CLOTH_ERROR_IMAGE_... that names the reason. */
int cloth_read_image(cloth *sheet, const void *image, size_t bytes);

/* Writes a 64-bit hash of the state to *hash: equal on every machine for equal states. Returns CLOTH_OK or an error. */
int cloth_hash(const cloth *sheet, uint64_t *hash);

/* Returns a hash in 32 bits, for protocols with room for no more. */
uint32_t cloth_hash_fold(uint64_t hash);

/* Checks at start-up that this build on this machine computes the known bits. Returns CLOTH_OK or the
   CLOTH_ERROR_CONTRACTION ... CLOTH_ERROR_LANES that names what is wrong; CLOTH_NOTE_FLUSHES if numbers below 2^-126
   are flushed to zero, which the library is made not to notice. */
int cloth_self_test(void);

/// Inputs ///

/* Change what acts on the cloth from the next step on. Return CLOTH_OK or an error. */
int cloth_set_gravity(cloth *sheet, cloth_vector gravity);
int cloth_set_wind(cloth *sheet, cloth_vector wind);
int cloth_set_gusts(cloth *sheet, const cloth_gusts *gusts); /* NULL: none. Of the same seed and period they go on. */
int cloth_set_fabric(cloth *sheet, const cloth_fabric *fabric);

/* Writes the wind of the next step, gusts included, to *wind [m/s]. A step's gust is that of its beginning. Returns
   CLOTH_OK or an error. */
int cloth_get_wind(const cloth *sheet, cloth_vector *wind);

/* Returns the index of the particle in a column and a row, or CLOTH_ERROR_PARTICLE and the like. */
int cloth_particle_at(const cloth *sheet, int32_t column, int32_t row);

/* Holds a particle where it is: no degree of freedom (thesis eq. 5.1, ndof 0). Returns CLOTH_OK or an error. */
int cloth_pin(cloth *sheet, int32_t particle);

/* Moves a pinned particle with this velocity [m/s] until told otherwise. Returns CLOTH_OK or an error. */
int cloth_set_pin_velocity(cloth *sheet, int32_t particle, cloth_vector velocity);

/* Carries a pinned particle in a straight line to `target` [m] during the next step, which is to be of dt seconds, and
   holds it there afterwards. Reaches the target to half a unit in the last place a substep. Returns CLOTH_OK or an
   error. */
int cloth_set_pin_target(cloth *sheet, int32_t particle, cloth_vector target, float dt);

/* Lets a particle move only along a line through its place (ndof 1), or only in the plane through its place with this
   normal (ndof 2). A particle that was pinned or confined before changes over. Return CLOTH_OK or an error. */
int cloth_confine_to_line(cloth *sheet, int32_t particle, cloth_vector direction);
int cloth_confine_to_plane(cloth *sheet, int32_t particle, cloth_vector normal);

/* Undoes a pin or confinement; the particle goes on with the velocity it had. A free particle stays free. Returns
   CLOTH_OK or an error. */
int cloth_release(cloth *sheet, int32_t particle);

/*
 * Tethers, for a config with `tethers` above 0. By themselves they are chosen before the first step, and again when
 * pins come or go. From the first call of cloth_set_tether() on they stay as they are but for what is set, and those to
 * a particle that is released go; until cloth_choose_tethers() has them chosen again.
 *
 * cloth_set_tether() holds a particle to a pinned one, or to none (-1), in place of its tether of a slot, 0 or 1. Its
 * length is the rest distance times tether_scale. cloth_get_tether() writes where a tether leads to *pin: -1 if
 * nowhere, or if the next step chooses anew. All return CLOTH_OK or an error: CLOTH_ERROR_PROJECTION if there is no
 * such slot, CLOTH_ERROR_NOT_PINNED if the other end is free.
 */
int cloth_set_tether(cloth *sheet, int32_t particle, int32_t slot, int32_t pin);
int cloth_get_tether(const cloth *sheet, int32_t particle, int32_t slot, int32_t *pin);
int cloth_choose_tethers(cloth *sheet);

/* Returns the degrees of freedom of a particle, 0 to 3, or an error. */
int cloth_freedom(const cloth *sheet, int32_t particle);

/* Puts one particle somewhere with a velocity, with which a pinned one then moves. Returns CLOTH_OK or an error. */
int cloth_set_particle(cloth *sheet, int32_t particle, cloth_vector position, cloth_vector velocity);

/* Kicks one particle with an impulse [N s]; a pinned one does not feel one that is in range. Returns CLOTH_OK or an
 * error. */
int cloth_apply_impulse(cloth *sheet, int32_t particle, cloth_vector impulse);

/*
 * Sleep, for a config with a sleep_speed. When a cloth falls asleep, at the end of a step, all its velocities become 0
 * and what it remembers of earlier ones is forgotten; its places stay. A step of a sleeping cloth checks dt, does the
 * same small work whatever the cloth's size, and moves nothing: the statistics say `asleep` and are 0 otherwise, and
 * the reactions of its colliders are 0, so that a body it weighs on should not be left to dynamics.
 *
 * A change of anything that may act on the cloth wakes it, and starts sleep_time anew if it is awake: gravity, wind,
 * gusts or fabric of another value, a particle pinned, released, confined, told to move, put elsewhere or kicked, a
 * collider added, removed, replaced or moved, a motion constraint or target changed, the cloth carried. A call that
 * leaves all as it is does not, such as setting the wind it has, or moving a collider to its pose, nor does another dt.
 * Gusts that blow on a cloth keep it awake, others stand still while it sleeps. Being asleep is part of the state.
 */

/* Wakes a cloth. One that is awake will not fall asleep for another sleep_time. Returns CLOTH_OK or an error. */
int cloth_wake(cloth *sheet);

/* Returns 1 if a cloth is asleep, 0 if not, or an error. */
int cloth_is_asleep(const cloth *sheet);

/// Colliders ///

/* Local axes: the plane's normal, and the axes of capsule and cylinder, are local y. Size limits: every length
   1e-3..1e4 m. */
typedef enum cloth_shape {
  CLOTH_SHAPE_PLANE,   /* the solid side is y <= 0 */
  CLOTH_SHAPE_SPHERE,  /* radius */
  CLOTH_SHAPE_CAPSULE, /* spheres of `radius` at y = -half_height and `radius_top` at y = half_height, and the cone
                          that touches both; neither sphere may swallow the other */
  CLOTH_SHAPE_BOX,     /* half_extents */
  CLOTH_SHAPE_CYLINDER /* radius, flat ends at y = -half_height and half_height */
} cloth_shape;

typedef struct cloth_collider {
  int32_t shape;             /* a cloth_shape; default CLOTH_SHAPE_SPHERE */
  cloth_pose pose;           /* where it is now */
  float radius;              /* [m] sphere, capsule, cylinder */
  float radius_top;          /* [m] capsule */
  float half_height;         /* [m] capsule, cylinder */
  cloth_vector half_extents; /* [m] box */
  float static_friction;     /* 0..10; default 0.5 */
  float kinetic_friction;    /* 0..static_friction; default 0.5 */
} cloth_collider;

/* What the cloth did to a collider in the last step. */
typedef struct cloth_reaction {
  cloth_vector impulse; /* [N s] */
  cloth_vector torque;  /* angular impulse about the collider's position at the end of the step [N m s] */
} cloth_reaction;

/* Returns a sphere of radius 0.25 m at the origin with the default friction. */
cloth_collider cloth_collider_default(void);

/* Adds a collider at rest. Returns its index, 0 or above, which stays its own until removed, or an error. */
int cloth_add_collider(cloth *sheet, const cloth_collider *collider);

/* Replaces a collider, at rest in its new pose: a teleport. Returns CLOTH_OK or an error. */
int cloth_set_collider(cloth *sheet, int32_t index, const cloth_collider *collider);

/* Moves a collider from `previous` (NULL: where it is) to `current` during the next step, evenly over its substeps;
   it then rests there. Its surface velocity enters friction. Returns CLOTH_OK or an error. */
int cloth_move_collider(cloth *sheet, int32_t index, const cloth_pose *previous, const cloth_pose *current);

/* Removes a collider. Returns CLOTH_OK or an error. */
int cloth_remove_collider(cloth *sheet, int32_t index);

/* Writes to *reaction what the cloth did to a collider in the last step, for two-way coupling. Returns CLOTH_OK or an
   error. */
int cloth_collider_reaction(const cloth *sheet, int32_t index, cloth_reaction *reaction);

/// Animation ///

/*
 * A cape should not feel all of what its wearer's animation does. cloth_carry() takes the cloth along with a frame that
 * goes from one pose to another before the next step: particles with their velocities, pins, targets, what confines
 * particles, and the colliders whose bits are set in `colliders` (bit i for collider i), which stand where they were
 * carried until they are moved. Call it before targets of pins and poses of colliders are set for that step.
 *
 * How much of the motion the cloth feels all the same is its inertia, each 0..1: of the frame's translation, of its
 * rotation, and of the centrifugal force of the rotation it is carried through. With 1 and 1 nothing is carried: that
 * is the world as it is. NULL is 0 for all: the cloth feels nothing, as for a teleport, or for a shift of the origin,
 * where all colliders go along. `dt` is the next step's, and matters to the centrifugal force alone.
 *
 * Returns CLOTH_OK; or CLOTH_ERROR_NULL, _VECTOR or _ROTATION for a pose, _VECTOR also if a particle, target or
 * collider would leave the position limit, CLOTH_ERROR_TIME_STEP, or CLOTH_ERROR_INERTIA, and then nothing has moved.
 * Goes with colliders: CLOTH_NO_COLLIDERS leaves it out.
 */
typedef struct cloth_inertia {
  float linear, angular, centrifugal;
} cloth_inertia;

int cloth_carry(cloth *sheet, const cloth_pose *from, const cloth_pose *to, const cloth_inertia *inertia, float dt,
                uint64_t colliders);

/*
 * Targets: where an animation without cloth would have the particles, as the skinned vertices of a garment. A motion
 * constraint keeps a particle within max_distance of its target, and out of its backstop: a sphere behind the target,
 * whose surface is backstop_distance away against the target's normal. Both hold exactly at the end of each step,
 * before contact and all else but pins, confinements, config.max_speed and recovery; the target itself is always
 * allowed.
 */
typedef struct cloth_motion_constraint {
  float max_distance;      /* [m]; 0..CLOTH_ANY_DISTANCE; default CLOTH_ANY_DISTANCE, which is no limit */
  float backstop_distance; /* [m]; 0..1e4; default 0 */
  float backstop_radius;   /* [m]; 0..1e4; default 0, which is no backstop */
} cloth_motion_constraint;

/* Returns a constraint that leaves a particle free, as all are at first. */
cloth_motion_constraint cloth_motion_constraint_default(void);

/* Sets how a particle is held to its target. Returns CLOTH_OK, CLOTH_ERROR_TARGETS, ... */
int cloth_set_motion_constraint(cloth *sheet, int32_t particle, const cloth_motion_constraint *constraint);

/*
 * Take the targets of all particles from vertices laid out as cloth_write_vertices() writes them: positions [m] and
 * normals (of any length from 1e-5 to 1e6; without them, or with one of 0, there is no backstop), of any alignment.
 * cloth_move_targets() has targets move there during the next step, in straight lines from where they were at the end
 * of the last, to rest there. cloth_set_targets() has them there at once, as does the first call of either; until then
 * no particle is held. Return CLOTH_OK, CLOTH_ERROR_TARGETS without config.targets, CLOTH_ERROR_BUFFER for a layout
 * that does not fit or has no positions, CLOTH_ERROR_VECTOR, ...
 */
int cloth_move_targets(cloth *sheet, const cloth_vertex_layout *layout, const void *vertices, size_t bytes);
int cloth_set_targets(cloth *sheet, const cloth_vertex_layout *layout, const void *vertices, size_t bytes);

/// Results ///

/* One vector per particle as three arrays, valid until the arena moves. Particle i is x[i], y[i], z[i]. */
typedef struct cloth_range {
  const float *x, *y, *z;
  int32_t count;
} cloth_range;

/* Write where the positions [m] or velocities [m/s] lie to *range. Return CLOTH_OK or an error. */
int cloth_positions(const cloth *sheet, cloth_range *range);
int cloth_velocities(const cloth *sheet, cloth_range *range);

/* One particle's position [m], velocity [m/s] and unit normal. Return CLOTH_OK or an error. */
int cloth_get_position(const cloth *sheet, int32_t particle, cloth_vector *position);
int cloth_get_velocity(const cloth *sheet, int32_t particle, cloth_vector *velocity);
int cloth_get_normal(const cloth *sheet, int32_t particle, cloth_vector *normal);

/* Writes columns * rows vertices to `vertices`, a buffer of `bytes` bytes of any alignment. With config.wrap there are
   (columns + 1) * rows: the last of a row is the first again, with u = 1, so that a texture goes all the way round.
   Returns CLOTH_OK or an error. */
int cloth_write_vertices(const cloth *sheet, const cloth_vertex_layout *layout, void *vertices, size_t bytes);

/* Returns the number of triangle indices, 6 (columns - 1)(rows - 1) or with config.wrap 6 columns (rows - 1), or an
   error. */
int cloth_index_count(const cloth *sheet);

/* Writes the triangle indices, `count` of which fit, each plus `first_vertex`. Return CLOTH_OK or an error. */
int cloth_write_indices16(const cloth *sheet, uint16_t first_vertex, uint16_t *indices, size_t count);
int cloth_write_indices32(const cloth *sheet, uint32_t first_vertex, uint32_t *indices, size_t count);

/* Writes the corners of the axis-aligned box around all particles to *low and *high [m]. Returns CLOTH_OK or an
   error. */
int cloth_bounds(const cloth *sheet, cloth_vector *low, cloth_vector *high);

/// Statistics ///

typedef enum cloth_family {
  CLOTH_FAMILY_STRETCH_WARP,
  CLOTH_FAMILY_STRETCH_WEFT,
  CLOTH_FAMILY_SHEAR,
  CLOTH_FAMILY_BEND,
  CLOTH_FAMILY_COUNT
} cloth_family;

typedef enum cloth_mode {
  CLOTH_MODE_OFF,      /* stiffness and damping are zero */
  CLOTH_MODE_EXPLICIT, /* forward-backward Euler */
  CLOTH_MODE_IMPLICIT, /* backward Euler */
  CLOTH_MODE_MIXED,    /* spring by spring, where maps vary */
  CLOTH_MODE_PROJECTED /* projected onto its length after the prediction */
} cloth_mode;

/* The stages of a step, for ticks and traces. */
typedef enum cloth_stage {
  CLOTH_STAGE_FORCES,         /* forces and Jacobians of all springs, air and gravity */
  CLOTH_STAGE_PRECONDITIONER, /* its blocks, and contacts as constraints */
  CLOTH_STAGE_SOLVE,          /* conjugate gradient */
  CLOTH_STAGE_VELOCITIES,     /* friction of solver contacts, new velocities, predicted positions */
  CLOTH_STAGE_LIMITS,         /* projected springs, tethers and strain limiting */
  CLOTH_STAGE_CONTACTS,       /* contact by projection */
  CLOTH_STAGE_POSITIONS,      /* confinement, guards, new positions */
  CLOTH_STAGE_COUNT
} cloth_stage;

/* What the last step did; free to read. */
typedef struct cloth_statistics {
  int32_t notes;                     /* sum of cloth_note */
  int32_t substeps;                  /* substeps taken */
  int32_t asleep;                    /* 1 if the cloth was asleep and nothing was done */
  float kappa[CLOTH_FAMILY_COUNT];   /* stability number of each family, the largest where maps vary; bend without
                                        its damping */
  int32_t mode[CLOTH_FAMILY_COUNT];  /* how each family was integrated, a cloth_mode */
  int32_t iterations;                /* conjugate gradient iterations of all substeps */
  int32_t iterations_most;           /* of the substep that took the most */
  int32_t substeps_capped;           /* substeps that ended at the iteration cap */
  float residual;                    /* largest relative residual a substep ended with */
  int32_t contacts;                  /* particles touching a collider at the end of the step */
  int32_t contacts_sticking;         /* of these, held by static friction */
  int32_t particles_limited;         /* times a particle was slowed to max_speed */
  int32_t particles_recovered;       /* times a particle was put back */
  uint32_t work[2];                  /* what was done, in the units of cloth_work_bound(): low word, high word; 0 with
                                        CLOTH_NO_PLANNING */
  uint32_t ticks[CLOTH_STAGE_COUNT]; /* of the port's timer, by stage; 0 without a timer */
} cloth_statistics;

/* Writes the statistics of the last step to *statistics. Returns CLOTH_OK or an error. */
int cloth_get_statistics(const cloth *sheet, cloth_statistics *statistics);

/* Returns the conjugate gradient iterations of one substep of the last step, or an error. */
int cloth_substep_iterations(const cloth *sheet, int32_t substep);

/* What costs a pass over the springs to know; computed when asked for. */
typedef struct cloth_measures {
  float stretch_largest;  /* largest strain of a stretch spring, not between two pins; 0.01 is 1 % */
  float stretch_rms;      /* root mean square over the stretched springs' strain, slack ones counting as 0 */
  float kinetic_energy;   /* [J] */
  float elastic_energy;   /* of stretch, shear and bend springs [J] */
  float potential_energy; /* in gravity, zero at the origin of the world [J] */
} cloth_measures;

/* Measures the cloth as it is now into *measures. Returns CLOTH_OK or an error. */
int cloth_measure(const cloth *sheet, cloth_measures *measures);

/* Returns the name of a cloth_error without its prefix, as "GRID" for CLOTH_ERROR_GRID; "OK" for 0 and positive values,
   "unknown" for others. */
const char *cloth_result_name(int result);

#ifdef __cplusplus
}
#endif

#endif /* CLOTH_H */
