/*
 * cloth - cloth simulation in one header and one source file.
 *
 *     CLOTH_ALIGNED static unsigned char arena[1 << 20];
 *
 *     cloth_config config = cloth_config_default();
 *     config.columns = 48;
 *     cloth *c;
 *     cloth_init(&config, arena, sizeof arena, &c);
 *     cloth_pin(c, cloth_particle_at(c, 0, 0));
 *     cloth_step(c, 1.0f / 60.0f);                                   // once per frame
 *     cloth_write_vertices(c, &layout, vertices, sizeof vertices);
 *
 * A cloth is a sheet or a tube of columns x rows particles on a regular grid, joined by stretch and shear springs,
 * which bends like a thin plate. All that acts on it in a substep is one equation, linearised once and solved by a few
 * conjugate gradients. The library allocates nothing, calls no C library, keeps no writable static data and does
 * bounded work. Equal calls give equal bits with every compiler and machine. docs/guide.md explains, docs/design.md
 * says why.
 *
 * Units      SI: metres, seconds, kilograms, newtons, radians. [1] marks a pure number.
 * Axes       Right-handed. "Up" is the direction opposite to gravity.
 * Particles  Index = row * columns + column. Columns follow each other along the warp (config.edge_warp), rows along
 *            the weft (config.edge_weft).
 * Winding    Triangles are counter-clockwise, and normals point, to the side of cross(edge_warp, edge_weft).
 * Results    Functions that return int return CLOTH_OK (0) or a positive value on success and a negative cloth_error on
 *            failure. A call that fails changes nothing. Comments name errors without the prefix CLOTH_ERROR_ and leave
 *            out two: NULL for a required pointer that is NULL, and NOT_A_CLOTH.
 * Threads    There is no shared state. One cloth is used on one thread at a time; cloths that share scratch are, too.
 * Building   Compile cloth.c with -ffp-contract=off and never with -ffast-math. CLOTH_PORT names a header of hooks:
 *            timer, assertion, trace, memory sections. CLOTH_NO_SOLVER, _MULTILEVEL, _TETHERS, _COLLIDERS, _AIR,
 *            _BODIES, _CONFINED, _TARGETS, _MOVE_FRAME, _ORIGIN, _WRAP, _MASK, _REST_SHAPE, _TEARING, _MEASURE,
 *            _IMAGE, _VERTICES, _SKIN, _BLEND, _QUERIES, _FABRICS, _NAMES, _SELF, _SELF_TRIANGLES, _SELF_SPHERES,
 *            _GROUPS, _SEAMS, _SELF_TEST, _SETTLE, _SLEEP, _PLANNING, _SAVE_CHECKS, _HULL, _HEIGHT_FIELD, _MESH,
 *            _DISTANCE_GRID, _WORKERS and _SHARED_BODIES leave parts out: their functions are not defined, a config
 *            that needs them is refused with LEFT_OUT, and the default config does not need them.
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
#define CLOTH_VERSION_MINOR 2
#define CLOTH_VERSION_PATCH 0
#define CLOTH_STATE_VERSION 15        /* of the layout of saves and images */
#define CLOTH_NUMERICS_VERSION 32     /* of the arithmetic: builds of one number compute the same bits */
#define CLOTH_IMAGE_MAGIC 0x48544c43u /* first word of a portable image, "CLTH" as bytes */

#define CLOTH_ALIGNMENT 32            /* alignment of an arena [bytes], a power of two */
#define CLOTH_GRID_LIMIT 1024         /* most columns, and most rows */
#define CLOTH_SUBSTEP_LIMIT 1024      /* most substeps of a step */
#define CLOTH_ITERATION_LIMIT 4096    /* most solver iterations of a substep */
#define CLOTH_COLLIDER_LIMIT 64       /* most colliders of a cloth */
#define CLOTH_GEOMETRY_LIMIT 1024     /* most geometries of a step */
#define CLOTH_SHARED_BODY_LIMIT 1024  /* most bodies of a table that cloths share */
#define CLOTH_HULL_PLANE_LIMIT 64     /* most planes of a hull */
#define CLOTH_TRIANGLE_LIMIT 1000000  /* most triangles of a mesh */
#define CLOTH_SAMPLE_LIMIT 4194304    /* most samples of a height field or distance grid */
#define CLOTH_GROUP_LIMIT 16          /* most cloths of a group */
#define CLOTH_GROUP_BODY_LIMIT 64     /* most bodies that cloths of a group have in common */
#define CLOTH_SEAM_LIMIT 64           /* most seams of a group */
#define CLOTH_STITCH_LIMIT 16384      /* most particles of the longer sides of all seams of a group */
#define CLOTH_WORKER_LIMIT 64         /* most pieces of a stage of a step, see cloth_workers */
#define CLOTH_POSITION_LIMIT 1.0e5f   /* largest |coordinate| of a position, relative to the origin of its cloth [m] */
#define CLOTH_ORIGIN_LIMIT 1000000000 /* largest |coordinate| of the origin of a cloth in the world [m] */
#define CLOTH_SPEED_LIMIT 1.0e5f      /* largest |component| of a velocity that a caller sets [m/s] */
#define CLOTH_ANY_DISTANCE 1.0e6f     /* a max_distance that no particle reaches [m] */
#define CLOTH_AUTOMATIC 0             /* value of a setting that cloth then chooses by itself */

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

/// Basic types ///

/* A cloth lies at the start of its arena: (cloth *)arena. It holds no pointers: between calls the arena may be moved
   with memcpy. */
typedef struct cloth cloth;

typedef struct cloth_vector {
  float x, y, z;
} cloth_vector;

/* A place or a way in the world in whole metres. */
typedef struct cloth_metres {
  int32_t x, y, z;
} cloth_metres;

/* Unit quaternion, to 1e-3; w is the real part. */
typedef struct cloth_rotation {
  float x, y, z, w;
} cloth_rotation;

/* Position [m] relative to the origin of the cloth, each axis within CLOTH_POSITION_LIMIT, and orientation. */
typedef struct cloth_pose {
  cloth_vector position;
  cloth_rotation rotation;
} cloth_pose;

/* One vector per particle: particle i is x[i], y[i], z[i]. Valid until the arena moves. */
typedef struct cloth_vector_view {
  const float *x, *y, *z;
  int32_t count;
} cloth_vector_view;

/// Fabric ///

/* What the cloth is made of, whatever the grid. Bending has the energy bend / 2 (x_uu^2 + x_vv^2 + 2 x_uv^2) per area,
   with u along the warp and v along the weft. */
typedef struct cloth_fabric {
  float density;           /* mass per area [kg/m^2]; 0.001..1000; default 0.2 */
  float stretch_warp;      /* stiffness along the warp, a row of particles [N/m]; 0..1e7; default 1000 */
  float stretch_weft;      /* stiffness along the weft, a column of particles [N/m]; 0..1e7; default 1000 */
  float shear;             /* shear modulus, the stiffness of diagonal springs [N/m]; 0..1e7; default 700 */
  float bend;              /* bending rigidity [N m]; 0..10; default 1e-5 */
  float compression;       /* share of the stretch stiffness that resists shortening; 0..1; default 1 */
  float shear_compression; /* the same of shear; 0..1; default 1; 0 halves the shear modulus */
  float stretch_damping;   /* damping along a stretch spring [N s/m]; 0..1e4; default 0.05 */
  float shear_damping;     /* damping along a shear spring [N s/m]; 0..1e4; default 0.05 */
  float bend_damping;      /* viscosity of bending over its rigidity, a time [s]; 0..10; default 0.001 */
} cloth_fabric;

/* Fabrics. docs/fabrics.md has the sources of their values. */
typedef enum cloth_fabric_kind {
  CLOTH_FABRIC_SILK,      /* habutae, 60 g/m^2 */
  CLOTH_FABRIC_COTTON,    /* plain weave, 150 g/m^2 */
  CLOTH_FABRIC_WOOL,      /* worsted, 235 g/m^2 */
  CLOTH_FABRIC_DENIM,     /* 380 g/m^2 */
  CLOTH_FABRIC_POLYESTER, /* faille, 165 g/m^2 */
  CLOTH_FABRIC_SATIN,     /* silk charmeuse, 83 g/m^2 */
  CLOTH_FABRIC_LINEN,     /* 180 g/m^2 */
  CLOTH_FABRIC_JERSEY,    /* single knit, which stretches, 180 g/m^2 */
  CLOTH_FABRIC_FELT,      /* 1 mm, 250 g/m^2 */
  CLOTH_FABRIC_LEATHER,   /* garment leather, 500 g/m^2 */
  CLOTH_FABRIC_CANVAS,    /* duck, 294 g/m^2 */
  CLOTH_FABRIC_RUBBER,    /* latex sheet of 0.25 mm */
  CLOTH_FABRIC_PAPER,     /* office paper, 80 g/m^2; it does not crease */
  CLOTH_FABRIC_COUNT
} cloth_fabric_kind;

/* Writes a preset to *fabric. Returns CLOTH_OK, or RANGE for an unknown kind. */
CLOTH_API int cloth_fabric_preset(cloth_fabric_kind kind, cloth_fabric *fabric);

/// Configuration ///

/* The usual settings are at the top of cloth_config, at the end of this section. docs/sizes.md has what each takes of
   memory. */

/* Shape of the grid, its start, and maps of columns * rows elements, which cloth_init() alone reads. */
typedef struct cloth_config_grid {
  int32_t wrap;             /* 1: a tube around an axis along edge_weft, normals outward, of at least 3 columns, with
                               edges perpendicular to 1e-3; 0..1; default 0 */
  float min_bending_length; /* c of the rigidity B' = bend + c^3 w h^3 with which the cloth bends [cells]: w is its
                               weight per area at 9.81 m/s^2, h the root of a cell's area. Keeps folds of limp fabric as
                               wide as the grid resolves; 0..16; default 1; see statistics.bend_ratio */
  float imperfection; /* largest random displacement of a start position along the normal, over the shorter spacing [1],
                         so that compressed plane sheets fold; not of grid.positions; 0..0.1; default 1e-4 */
  uint32_t seed;      /* of these displacements; any number; default 0 */
  const cloth_vector *positions; /* start positions [m]; default NULL: the plane or tube of origin and edges */
  const float *mass_map;         /* factors on masses of particles; 0.01..100; default NULL: 1 */
  const float *stiffness_map;    /* factors on stiffness at particles, of which a spring takes the mean of its ends;
                                    0..100; default NULL: 1 */
  const uint8_t *cell_mask; /* which cells there are, row after row, (columns - 1) * (rows - 1) of a sheet, columns *
                               (rows - 1) of a tube; 0 leaves out, 1 keeps, with a 1 somewhere; default NULL: all. A
                               stretch spring is there where a cell beside it is. A particle without a cell is absent:
                               it counts as pinned, and calls that would change it return STATE */
  const cloth_vector *rest_positions; /* where particles are when nothing is strained [m], for pre-shaped pieces; each
                                         axis within CLOTH_POSITION_LIMIT; default NULL: the rectangle of the edges. It
                                         bends from flat. Without grid.positions the cloth starts here exactly, whatever
                                         config.origin. CONFLICT: a spring shorter than 0.25 or longer than 4 times the
                                         mean of its direction, or than 1e-4 or 100 m; a cell of less than 0.1 of the
                                         product of its mean sides */
} cloth_config_grid;

/* Forces of the air on each cell, by the wind relative to the cloth, also in still air. */
typedef struct cloth_config_air {
  float density;     /* density of the air [kg/m^3]; 0..100, where 0 is no air; default 1.2 */
  float drag;        /* drag coefficient [1]; 0..100; default 0 */
  float lift;        /* lift coefficient, perpendicular to the relative wind [1]; 0..100; default 0 */
  float normal_drag; /* coefficient c of 1/2 rho c A |v| (n.v) n, along the normal [1]; 0..100; default 1.2, that of a
                        square plate broadside */
} cloth_config_air;

/* Which terms of the equation are implicit, part of its operator, and which explicit, acting by their forces alone.
   kappa = (h/m)(h ks + 2 kd) of a spring of stiffness ks and damping kd, with substeps of h and particles of mass m.
   The bound of a term is 4 kappa of stretch, 8 of shear, 64 of a hinge; explicit terms are stable together below 4/3.
 */
typedef enum cloth_integration {
  CLOTH_INTEGRATION_ADAPTIVE,     /* the softest explicit, while the sum of their bounds is within explicit_threshold */
  CLOTH_INTEGRATION_IMPLICIT,     /* all implicit: backward Euler */
  CLOTH_INTEGRATION_EXPLICIT,     /* all explicit; implicit where that is unstable, which a note tells */
  CLOTH_INTEGRATION_EXPLICIT_ONLY /* all explicit, without memory for a solver; UNSTABLE where that is unstable */
} cloth_integration;

typedef struct cloth_config_integration {
  int32_t method;           /* a cloth_integration; default CLOTH_INTEGRATION_ADAPTIVE */
  float explicit_threshold; /* sum of the bounds of the terms that stay explicit; 0..1.3; default 1 */
  float bdf2_blend;         /* share of second-order backward differences in predictions; 0..1; default 0 */
  int32_t max_substeps;     /* cap on automatic substeps; 1..CLOTH_SUBSTEP_LIMIT; default 64 */
  float max_speed;          /* of a particle that neither contact, target nor body moves [m/s]; 0.1..1e4; default 300 */
  float velocity_damping;   /* rate at which velocities decay [1/s]; 0..100; default 0.1 */
  float rest_drag;          /* deceleration of slow particles that brings cloth to rest, d / (1 + (v / rest_speed)^2)
                               [m/s^2]; 0..100; default 0.05 */
  float rest_speed;         /* speed v at which half of that is left [m/s]; 0.001..100; default 0.5 */
  float max_push_speed;     /* largest speed at which what begins a substep deep in a collider is pushed out, and what
                               is 5 mm beyond a tether pulled in [m/s]; 0.1..1e4; default 3 */
  int32_t max_parts;        /* most parts of a substep, where a particle would come out deeper in a collider than the
                               thickness, or cloth pass half a spacing of other cloth; 1, 2 or 4; default 4 */
} cloth_config_integration;

/* Tethers keep particles within a distance of pins, which begins to act there and grows softly over 5 mm. */
typedef struct cloth_config_tethers {
  int32_t count; /* tethers of a particle; 0..2; default 0 */
  float scale;   /* their length over the distance at rest [1]; 0.5..10; default 1.0015 */
} cloth_config_tethers;

typedef enum cloth_preconditioner {
  CLOTH_PRECONDITIONER_BLOCK,     /* 3 x 3 blocks of the diagonal */
  CLOTH_PRECONDITIONER_DIAGONAL,  /* the diagonal */
  CLOTH_PRECONDITIONER_NONE,      /* none */
  CLOTH_PRECONDITIONER_MULTILEVEL /* blocks, and corrections from levels of half the columns and half the rows each */
} cloth_preconditioner;

/* Conjugate gradients for implicit terms. */
typedef struct cloth_config_solver {
  int32_t preconditioner; /* a cloth_preconditioner; default CLOTH_PRECONDITIONER_MULTILEVEL, or BLOCK without it */
  int32_t max_iterations; /* of a substep, with a tolerance above 0; 1..CLOTH_ITERATION_LIMIT; default 80 */
  float tolerance;        /* sqrt(r . P^-1 r) to stop at, over that of the start; 0..0.5; default 0: as many iterations
                             as `iterations` says */
} cloth_config_solver;

/* Springs along warp and weft that are stiffer above a strain. */
typedef struct cloth_config_strain_limit {
  float max_extension; /* strain above which a spring is stiffer [1]; 0..10; default 0: no limit */
  float stiffness;     /* stiffness there over that of the fabric [1]; 1..1000; default 50 */
} cloth_config_strain_limit;

/* What of a cloth touches the cloth itself. */
typedef enum cloth_self_shape {
  CLOTH_SELF_TRIANGLES, /* particles touch triangles and edges touch edges */
  CLOTH_SELF_SPHERES    /* particles touch particles two or more away in the grid: cheaper, for boards; nothing takes
                           apart what is tangled */
} cloth_self_shape;

/* How a cloth with a self_thickness feels itself. */
typedef struct cloth_config_self {
  int32_t pairs;    /* room for pairs of features that may touch in a step, per particle; the nearest are kept, see
                       CLOTH_NOTE_PAIRS_DROPPED; 1..32; default 24, which layers that lie particle on particle need */
  int32_t gathers;  /* 1 or more: the sheet feels itself; 0: only the other cloths of a group; 0..CLOTH_SUBSTEP_LIMIT;
                       default 1 */
  int32_t untangle; /* 1: contact is released where the sheet has passed through itself for three steps, or from birth,
                       so that it comes apart; 0: it contracts there, which suits wraps between pins; 0..1; default 1;
                       not for spheres */
  int32_t shape;    /* a cloth_self_shape; default CLOTH_SELF_TRIANGLES; spheres between cloths where both have them */
} cloth_config_self;

/* When a cloth at rest falls asleep, see cloth_wake(). */
typedef struct cloth_config_sleep {
  float speed; /* speed of a particle [m/s] that is rest; 0..10, where 0 is never; default 0 */
  float time;  /* how long all particles have to rest [s]; 0..60; default 0.5 */
} cloth_config_sleep;

/* Threads, the springs along warp and weft, that tear or that cloth_cut() cuts. A tear runs through the middle of
   cells, which lose shear, bending, contact and triangles. */
typedef struct cloth_config_tearing {
  int32_t max_breaks; /* most threads that break in a step, others later; 0..65535; default 0: no tears and no cuts */
  float strain;       /* strain at which a thread breaks [1]; 0: never; 0..100; default 0 */
  float pin_force;    /* mean force of the cloth over a step at which a pin lets go [N]; 0: never; 0..1e9; default 0 */
  int32_t max_torn_cells; /* most torn cells that are drawn in pieces, others not at all; 0..65535; default 256 */
  const float *map;       /* factors on the strain at particles, of which a thread takes the mean of its ends;
                             0.01..100; default NULL: 1 */
} cloth_config_tearing;

/* Where in the world the cloth is, see cloth_get_origin(). */
typedef struct cloth_config_world {
  cloth_metres origin;     /* of all positions [m]; each axis within CLOTH_ORIGIN_LIMIT; default 0 */
  float recentre_distance; /* distance on an axis of the cloth's middle from the origin at which a step moves the origin
                              there [m], see CLOTH_NOTE_ORIGIN_MOVED; 0..1e4, where 0 is never; default 0 */
} cloth_config_world;

/* Memory, and work, for what may come. */
typedef struct cloth_config_capacity {
  int32_t max_confined;      /* particles confined to lines or planes at once; 0..65535; default 8 */
  int32_t max_bodies;        /* colliders with mass at once; 0..CLOTH_COLLIDER_LIMIT; default 0 */
  int32_t max_attachments;   /* particles attached to colliders at once; 0..65535; default 0 */
  int32_t pin_reactions;     /* 1: memory for cloth_get_pin_reaction(); 0..1; default 0 */
  int32_t targets;           /* 1: memory for cloth_move_targets(); 0..1; default 0 */
  int32_t shared_scratch;    /* 1: scratch lies outside the arena, see cloth_set_scratch(); 0..1; default 0 */
  int32_t max_contacts;      /* contacts of a step that cloth_get_contacts() can list; 0..1e6; default 0 */
  int32_t fixed_work;        /* 1: every step does the work of its bound; excludes sleep, tearing, geometry, meshes and
                                shared bodies; 0..1; default 0 */
  int32_t geometry;          /* 1: colliders may be hulls, height fields and distance grids; 0..1; default 0 */
  int32_t meshes;            /* most mesh colliders at once, of the cloth and of a table; 0..16; default 0 */
  int32_t max_shared_bodies; /* most bodies of a table near the cloth in a step; 0..64; default 0 */
  int32_t workers;           /* most pieces in which a stage is handed to cloth_workers; 0..CLOTH_WORKER_LIMIT; default
                                0. Any number but 0 gives the same bits; with 0 sums of reactions may differ */
} cloth_config_capacity;

/* All that is fixed for the life of a cloth. Start from cloth_config_default(). */
typedef struct cloth_config {
  uint32_t cookie; /* set by cloth_config_default() */

  /* Usual settings */
  int32_t columns;        /* particles along the warp; 2..CLOTH_GRID_LIMIT; default 32 */
  int32_t rows;           /* particles along the weft; 2..CLOTH_GRID_LIMIT; default 32 */
  cloth_vector origin;    /* position of particle (0, 0) [m]; default 0; see world.origin */
  cloth_vector edge_warp; /* from particle (0, 0) to (columns - 1, 0), or once around a tube [m]; columns are 1e-4..100
                             m apart; default (1, 0, 0) */
  cloth_vector edge_weft; /* from particle (0, 0) to (0, rows - 1) [m]; rows are 1e-4..100 m apart; the sine of the
                             angle to edge_warp is at least 0.1; default (0, 0, 1) */
  cloth_fabric fabric;    /* see cloth_set_fabric() */
  cloth_vector gravity;   /* [m/s^2]; each axis -1e4..1e4; default (0, -9.81, 0); see cloth_set_gravity() */
  cloth_vector wind;      /* velocity of the air [m/s]; each axis -1000..1000; default 0; see cloth_set_wind() */
  int32_t substeps;       /* of a step, of at most 1/60 s each; more are livelier; 1..CLOTH_SUBSTEP_LIMIT, or
                             CLOTH_AUTOMATIC: by speed, without a solver by stiffness; default 2 */
  int32_t iterations;     /* of the solve of a substep, without a tolerance; fewer are less lively, never less at rest;
                             1..CLOTH_ITERATION_LIMIT, or CLOTH_AUTOMATIC: by the stiffness; default CLOTH_AUTOMATIC */
  float thickness;        /* distance that particles keep from colliders [m]; 0..1; default 0.01 */
  int32_t max_colliders;  /* 0..CLOTH_COLLIDER_LIMIT; default 16 */
  float self_thickness;   /* distance that the sheet keeps from itself [m]; 0: none; up to half of the shorter spacing,
                             as spheres up to all of it; of up to 65,536 particles; default 0 */
  float self_friction;    /* coefficient of friction of the sheet with itself [1]; 0..10; default 0.3 */

  /* Advanced settings */
  cloth_config_grid grid;
  cloth_config_air air;
  cloth_config_integration integration;
  cloth_config_tethers tethers;
  cloth_config_solver solver;
  cloth_config_strain_limit strain_limit;
  cloth_config_self self;
  cloth_config_sleep sleep;
  cloth_config_tearing tearing;
  cloth_config_world world;
  cloth_config_capacity capacity;
} cloth_config;

/* Returns a config with every default named above, with what the build leaves out off. */
CLOTH_API cloth_config cloth_config_default(void);

/* Sets the adaptive implicit-explicit scheme nearest to that of Boxerman's thesis (2003): method ADAPTIVE with
   explicit_threshold 0.8, bdf2_blend 0, 16 substeps, no tethers or strain limit, MULTILEVEL (or BLOCK) with 32
   iterations to a tolerance of 1e-3. Returns CLOTH_OK, or CONFIG. Absent with CLOTH_NO_SOLVER. */
CLOTH_API int cloth_config_use_imex(cloth_config *config);

/* Say in words what is wrong with a config or a fabric, as "fabric.bend: 0..10 N m", or "ok", cut to `bytes` bytes with
   the terminating 0; 128 are enough. Return what cloth_init() or cloth_set_fabric() would: CLOTH_OK, CONFIG, RANGE,
   CONFLICT, LEFT_OUT. */
CLOTH_API int cloth_config_explain(const cloth_config *config, char *text, size_t bytes);
CLOTH_API int cloth_fabric_explain(const cloth_fabric *fabric, char *text, size_t bytes);

/// Memory ///

/* The arena holds three contiguous spans in this order. Scratch is padded to whole lanes, so that its size differs
   between builds; the others do not. */
typedef struct cloth_memory {
  size_t total_bytes;                     /* exact size of the arena */
  size_t constant_offset, constant_bytes; /* written by cloth_init() only */
  size_t state_offset, state_bytes;       /* all that the next step depends on */
  size_t scratch_offset, scratch_bytes;   /* work space, and statistics of the last step */
  size_t saved_bytes;                     /* what cloth_save() writes */
  size_t image_bytes;                     /* what cloth_write_image() writes */
  size_t shared_bytes;                    /* what cloth_set_scratch() needs; 0 without capacity.shared_scratch */
} cloth_memory;

/* Writes what a cloth of this config needs to *memory. Returns CLOTH_OK, or CONFIG, RANGE, CONFLICT or LEFT_OUT. */
CLOTH_API int cloth_memory_needed(const cloth_config *config, cloth_memory *memory);

/* Makes a cloth in an arena of `bytes` bytes, aligned to CLOTH_ALIGNMENT, and writes its address to *out. Keeps nothing
   of the config. Returns CLOTH_OK, what cloth_memory_needed() returns, or ARENA: too small or not aligned. */
CLOTH_API int cloth_init(const cloth_config *config, void *arena, size_t bytes, cloth **out);

/* Writes where the spans of a cloth lie to *memory. Returns CLOTH_OK. */
CLOTH_API int cloth_get_memory(const cloth *c, cloth_memory *memory);

/* Gives a cloth with capacity.shared_scratch its scratch: `bytes` bytes outside the arena, aligned to CLOTH_ALIGNMENT,
   before the first step and when either has moved. Cloths may share it. Returns CLOTH_OK; STATE without shared_scratch;
   ARENA: too small, not aligned, or inside the arena. */
CLOTH_API int cloth_set_scratch(cloth *c, void *scratch, size_t bytes);

/// Stepping ///

/* What happened in a step, added up in the result of cloth_step() and in cloth_statistics.notes. */
typedef enum cloth_note {
  CLOTH_NOTE_MADE_IMPLICIT = 1, /* springs forced to be explicit were unstable and were integrated implicitly */
  CLOTH_NOTE_SPEED_LIMITED = 4, /* a particle was slowed to integration.max_speed */
  CLOTH_NOTE_RECOVERED = 8,     /* a particle's motion was not finite or out of range: it was put back, at rest */
  CLOTH_NOTE_FLUSHES = 16,      /* from cloth_self_test() only: subnormal numbers become 0; results are the same */
  CLOTH_NOTE_FAR = 32,          /* a coordinate is over 32768 times the shorter spacing: floats there are coarse and the
                                   cloth trembles, see cloth_set_origin() */
  CLOTH_NOTE_ORIGIN_MOVED = 64, /* the step moved the origin, see config.world.recentre_distance */
  CLOTH_NOTE_PAIRS_DROPPED = 512, /* there was no room for all candidates of self-contact, see self.pairs */
  CLOTH_NOTE_TEARS_WAIT = 4096,   /* more threads were strained beyond their limit than tearing.max_breaks */
  CLOTH_NOTE_TORN_HIDDEN = 8192,  /* more cells are torn than tearing.max_torn_cells */
  CLOTH_NOTE_TANGLED = 1024       /* the sheet passes through itself or another cloth, see cloth_self_statistics */
} cloth_note;

/* Advances by dt seconds, 1e-6..1. Colliders, targets and pins reach the ends of their motions. Returns CLOTH_OK or a
   sum of cloth_note; RANGE: dt, or a pin that dt makes faster than CLOTH_SPEED_LIMIT; STATE: shared scratch is missing;
   UNSTABLE: with CLOTH_INTEGRATION_EXPLICIT_ONLY; GEOMETRY: a collider needs cloth_step_with(). */
CLOTH_API int cloth_step(cloth *c, float dt);

struct cloth_surroundings;

/* Steps with geometries, and with bodies that cloths share, see "Geometry"; NULL: without. Returns what cloth_step()
   does; GEOMETRY: a collider's geometry is not at its place, or another; RANGE: the surroundings, or a body; STATE:
   bodies without capacity.max_shared_bodies; NULL: workers without `run`. */
CLOTH_API int cloth_step_with(cloth *c, float dt, const struct cloth_surroundings *around);

/* Most steps that a call of cloth_settle() may make. */
#define CLOTH_SETTLE_LIMIT 100000

/* What cloth_settle() did. */
typedef struct cloth_settle_report {
  int32_t settled;  /* 1: no particle was faster than 0.75 `speed` for three seconds; 0: `max_steps` were too few */
  int32_t steps;    /* steps made, coarse ones included */
  int32_t substeps; /* their substeps */
  int32_t stops;    /* how often the cloth was stopped */
  float speed;      /* of the fastest particle at the end of the last step, or before a stop in it [m/s] */
  uint32_t work[2]; /* work done, see cloth_get_work_bound(): low and high word; 0 without planning */
} cloth_settle_report;

/* Brings a cloth to the rest of steps of dt [s], 1e-6..1, by stopping it whenever its kinetic energy has passed a
   maximum, until no particle is faster than 0.75 `speed` [m/s], 1e-4..10, for three seconds, in at most `max_steps`,
   1..CLOTH_SETTLE_LIMIT: 0.01 and 900 of 1/60 s suit most. Moves for the next step are made first; pins stop. No time
   passes, statistics and reactions stay. Groups are unknown to it. `report` may be NULL. Returns CLOTH_OK or a sum of
   cloth_note; what cloth_step_with() does; RANGE: speed, max_steps. Absent with CLOTH_NO_SETTLE. */
CLOTH_API int cloth_settle(cloth *c, float dt, float speed, int32_t max_steps, cloth_settle_report *report);
CLOTH_API int cloth_settle_with(cloth *c, float dt, const struct cloth_surroundings *around, float speed,
                                int32_t max_steps, cloth_settle_report *report);

/* Writes the most work that cloth_settle() can do now. Returns what cloth_get_work_bound() does; RANGE: max_steps.
   Absent with CLOTH_NO_SETTLE or CLOTH_NO_PLANNING. */
CLOTH_API int cloth_get_settle_bound(const cloth *c, float dt, int32_t max_steps, uint64_t *work);

/// Drawing ///

/* View the positions [m] or velocities [m/s] of all particles. The velocity of a pin between cloth_move_pin() and its
   step is its displacement [m]. Return CLOTH_OK. */
CLOTH_API int cloth_get_positions(const cloth *c, cloth_vector_view *view);
CLOTH_API int cloth_get_velocities(const cloth *c, cloth_vector_view *view);

/* Write the position [m], velocity [m/s] or unit normal of one particle. Return CLOTH_OK, or INDEX. */
CLOTH_API int cloth_get_position(const cloth *c, int32_t particle, cloth_vector *position);
CLOTH_API int cloth_get_velocity(const cloth *c, int32_t particle, cloth_vector *velocity);
CLOTH_API int cloth_get_normal(const cloth *c, int32_t particle, cloth_vector *normal);

/* Writes the corners of the axis-aligned box around all particles [m]. Returns CLOTH_OK. */
CLOTH_API int cloth_get_bounds(const cloth *c, cloth_vector *low, cloth_vector *high);

#define CLOTH_ATTRIBUTE_NONE (-1) /* offset of an attribute that vertices do not have */

/* Interleaved vertices: byte offsets of their attributes, or CLOTH_ATTRIBUTE_NONE. Other bytes are left alone. */
typedef struct cloth_vertex_layout {
  int32_t stride;          /* from one vertex to the next [bytes]; 1..65536 */
  int32_t position_offset; /* 3 floats [m] */
  int32_t normal_offset;   /* 3 floats, of unit length */
  int32_t texcoord_offset; /* 2 floats: u = column / (columns - 1), on a tube column / columns; v = row / (rows - 1) */
} cloth_vertex_layout;

/* Returns the number of vertices: columns * rows, of a tube (columns + 1) * rows, and of a cloth that may tear
   12 tearing.max_torn_cells more. */
CLOTH_API int cloth_get_vertex_count(const cloth *c);

/* Writes the vertices to a buffer of `bytes` bytes and any alignment, row by row; on a tube the last of a row repeats
   the first with u = 1. Vertices of torn cells follow, then copies of vertex 0. Returns CLOTH_OK, or BUFFER: too small,
   or the layout does not fit. */
CLOTH_API int cloth_write_vertices(const cloth *c, const cloth_vertex_layout *layout, void *vertices, size_t bytes);

/* Return the number of triangle indices: 6 a cell; of a torn cell that is drawn 24, at the end, and of others none; at
   most 18 tearing.max_torn_cells more than of the whole cloth. Write the indices, each plus `first_vertex`, to an array
   of `count` elements: CLOTH_OK, or BUFFER: too few, or too narrow for an index. */
CLOTH_API int cloth_get_index_count(const cloth *c);
CLOTH_API int cloth_write_indices16(const cloth *c, uint16_t first_vertex, uint16_t *indices, size_t count);
CLOTH_API int cloth_write_indices32(const cloth *c, uint32_t first_vertex, uint32_t *indices, size_t count);

/// Cuts ///

/* A straight cut from one point to another, in columns and rows of the grid [cells]; each -1024..1024. */
typedef struct cloth_cut_line {
  float column, row;
  float end_column, end_row;
} cloth_cut_line;

/* Cuts every thread that the line crosses; a particle on it counts to the side of smaller columns, on a cut along a row
   of smaller rows. Wakes the cloth. Returns the number of threads; RANGE; STATE: tearing.max_breaks is 0. Absent with
   CLOTH_NO_TEARING. */
CLOTH_API int cloth_cut(cloth *c, const cloth_cut_line *cut);

/// Skinned meshes ///

#define CLOTH_BINDING_LIMIT 1048576 /* most vertices of a skinned mesh */
#define CLOTH_BINDING_CLOTHS 64     /* most cloths that one mesh follows */

/* Where a vertex lies on a cloth, which cloth_bind() writes and cloth_skin() reads. It holds no pointers, and serves
   every cloth of the same columns, rows and wrap. Only `weight` is meant to be changed. */
typedef struct cloth_binding {
  uint16_t column; /* of the cell, below 1024; the highest bit is set for a bitangent against cross(normal, tangent) */
  uint16_t row;    /* of the cell, in the lowest 10 bits; above them the number of the cloth */
  uint16_t u, v;   /* place in the cell along warp and weft, in units of 1 / 16384 of it, from -1.5 cells on */
  int16_t height;  /* distance from the cloth along its normal, in 1 / 1024 of the root of a cell's area at rest */
  int16_t normal[2]; /* unit normal in the frame of the cloth: its projection onto an octahedron, unfolded */
  uint8_t tangent;   /* direction of the tangent around the normal */
  uint8_t weight;    /* share of the cloth in the vertex, 255 for all of it; 0: not bound */
} cloth_binding;

/* Vertices of a mesh: byte offsets of attributes, or CLOTH_ATTRIBUTE_NONE. Other bytes are left alone. */
typedef struct cloth_skin_layout {
  int32_t count;           /* vertices; 0..CLOTH_BINDING_LIMIT */
  int32_t stride;          /* from one vertex to the next [bytes]; 1..65536 */
  int32_t position_offset; /* 3 floats [m]; required */
  int32_t normal_offset;   /* 3 floats; read with any length from 1e-5 to 1e6, written with length 1 */
  int32_t tangent_offset;  /* 4 floats: as the normal, then the sign of the bitangent, 1 or -1 */
} cloth_skin_layout;

/* How far from the cloth's triangles a vertex belongs to it [m]. Vertices farther than 30 cells, or more than 1.5 cells
   beyond a border, an absent or a torn cell, are not bound. */
typedef struct cloth_bind_reach {
  float full; /* up to here a vertex has weight 255; 0..CLOTH_ANY_DISTANCE */
  float none; /* from here on 0, between them in proportion; full..CLOTH_ANY_DISTANCE, above 0 */
} cloth_bind_reach;

/* Finds for each vertex of a mesh its place on the nearest of `count` cloths as they are now, relative to that cloth's
   origin, and writes layout->count bindings. Call it once, in a smooth pose: beside sharp folds vertices may have no
   place. A mesh does not tear. Time is vertices times cells. Returns the number of vertices bound, or RANGE: count,
   reach or a vertex; BUFFER: the layout does not fit; STATE: no scratch memory. Absent with CLOTH_NO_SKIN. */
CLOTH_API int cloth_bind(cloth *const *cloths, int32_t count, const cloth_skin_layout *layout, const void *vertices,
                         const cloth_bind_reach *reach, cloth_binding *bindings);

/* Writes the vertices of a mesh as its cloths are now, in the order of cloth_bind(). `animated` is the same mesh
   without cloth, which is blended in by the weights, and may be `vertices`; NULL: bound vertices follow their cloth
   wholly, others are left alone. Uses scratch. Returns CLOTH_OK; INDEX: a binding of a cell that is not there; RANGE,
   BUFFER or STATE as cloth_bind(). Absent with CLOTH_NO_SKIN. */
CLOTH_API int cloth_skin(cloth *const *cloths, int32_t count, const cloth_binding *bindings,
                         const cloth_skin_layout *layout, const void *animated, void *vertices);

/// Output between two states ///

/* Positions that cloth_keep_positions() has copied, from which output leads to those of now: for frames between two
   steps of a fixed dt. */
typedef struct cloth_blend {
  cloth_vector *positions; /* memory of the caller for `count` positions [m] */
  int32_t count;           /* particles of the cloth */
  cloth_metres origin;     /* of the cloth when they were copied [m] */
  float fraction;          /* of the way to the positions of now; 0..1 */
} cloth_blend;

/* Copies the positions of all particles, and the origin, to *blend, of which the rest is the caller's. Returns
   CLOTH_OK, or BUFFER: another count. These functions are absent with CLOTH_NO_BLEND. */
CLOTH_API int cloth_keep_positions(const cloth *c, cloth_blend *blend);

/* cloth_write_vertices() and cloth_skin() of cloths whose particles are `fraction` of the way in a straight line from
   the kept positions to those of now, to the bit at both ends, relative to the origins of now, and torn as now.
   `blends`: one for each cloth. They use scratch. Return what those do; NULL: positions; BUFFER: another count; RANGE:
   a fraction, an origin, or a position; STATE: no scratch memory. */
CLOTH_API int cloth_write_blended_vertices(cloth *c, const cloth_blend *blend, const cloth_vertex_layout *layout,
                                           void *vertices, size_t bytes);
CLOTH_API int cloth_skin_blended(cloth *const *cloths, int32_t count, const cloth_blend *blends,
                                 const cloth_binding *bindings, const cloth_skin_layout *layout, const void *animated,
                                 void *vertices);

/// Queries ///

/* A ray, straight from its origin. */
typedef struct cloth_ray {
  cloth_vector origin;    /* [m]; each axis within CLOTH_POSITION_LIMIT */
  cloth_vector direction; /* of any length from 1e-6, each axis within 1e10 */
  float max_distance;     /* length of the ray [m]; 0..CLOTH_ANY_DISTANCE */
  float thickness;        /* distance from the surface that counts as cloth [m]; 0..1; below 1e-6 as 0 */
} cloth_ray;

/* A point of the surface, which consists of the triangles that cloth_write_indices16() writes. */
typedef struct cloth_surface_point {
  int32_t triangle;      /* its corners are the indices 3 triangle to 3 triangle + 2 */
  int32_t particle[3];   /* the particles at its corners */
  float weight[3];       /* barycentric weights of the corners: each 0..1, together 1 to rounding */
  cloth_vector position; /* of the point [m] */
  cloth_vector normal;   /* of the triangle, of unit length; the y axis where it has collapsed */
  int32_t side;          /* 1 if the ray comes from, or the asking point lies on, the side of the normal, else -1 */
  float distance;        /* along the ray to where it meets the cloth, or from the asking point [m] */
} cloth_surface_point;

/* Find where a ray first comes within its thickness of the cloth; or the point of the cloth nearest to `from`, within
   max_distance [m], 0..CLOTH_ANY_DISTANCE. Work is in proportion to the triangles. Return 1 and write *point; 0 if
   there is none; RANGE. Absent with CLOTH_NO_QUERIES. */
CLOTH_API int cloth_cast_ray(const cloth *c, const cloth_ray *ray, cloth_surface_point *point);
CLOTH_API int cloth_find_nearest(const cloth *c, cloth_vector from, float max_distance, cloth_surface_point *point);

/// Particles and pins ///

/* Returns the index of the particle in a column and a row, or INDEX. */
CLOTH_API int cloth_particle_at(const cloth *c, int32_t column, int32_t row);

/* Fixes a particle where it is. Returns CLOTH_OK, or INDEX. */
CLOTH_API int cloth_pin(cloth *c, int32_t particle);

/* Moves a pinned particle in a straight line to `target` [m] during the next step, to rest there. Returns CLOTH_OK;
   INDEX; STATE: not pinned, or attached; RANGE: target, or a displacement of more than 1e5 m. */
CLOTH_API int cloth_move_pin(cloth *c, int32_t particle, cloth_vector target);

/* Moves a pinned particle with a velocity [m/s], each axis within CLOTH_SPEED_LIMIT, until changed. Returns CLOTH_OK;
   INDEX; STATE: not pinned, or attached; RANGE. */
CLOTH_API int cloth_set_pin_velocity(cloth *c, int32_t particle, cloth_vector velocity);

/* Frees a pinned or confined particle with its velocity. Drops a move not yet made. Returns CLOTH_OK, or INDEX. */
CLOTH_API int cloth_release(cloth *c, int32_t particle);

/* Puts a particle to a position [m] with a velocity [m/s], each axis within CLOTH_SPEED_LIMIT, with which a pinned one
   goes on. Returns CLOTH_OK, INDEX, or RANGE. */
CLOTH_API int cloth_set_particle(cloth *c, int32_t particle, cloth_vector position, cloth_vector velocity);

/* Adds an impulse [N s] to a particle; a pinned one takes none. Returns CLOTH_OK; INDEX; RANGE: not finite, or an axis
   of the velocity would pass CLOTH_SPEED_LIMIT. */
CLOTH_API int cloth_apply_impulse(cloth *c, int32_t particle, cloth_vector impulse);

/// Colliders ///

/* Axes are local: a plane's normal, and the axis of capsule and cylinder, are local y. */
typedef enum cloth_shape {
  CLOTH_SHAPE_PLANE,    /* the solid side is y <= 0 */
  CLOTH_SHAPE_SPHERE,   /* radius */
  CLOTH_SHAPE_CAPSULE,  /* spheres of `radius` at y = -half_height and `radius_top` at y = half_height, neither in the
                           other, and the cone that touches both */
  CLOTH_SHAPE_BOX,      /* half_extents */
  CLOTH_SHAPE_CYLINDER, /* radius, flat ends at y = -half_height and half_height */
  /* Shapes with geometry, see "Geometry": */
  CLOTH_SHAPE_HULL,         /* convex solid between planes */
  CLOTH_SHAPE_HEIGHT_FIELD, /* ground below a grid of heights */
  CLOTH_SHAPE_MESH,         /* triangles */
  CLOTH_SHAPE_DISTANCE_GRID /* solid where a grid of signed distances is negative */
} cloth_shape;

/* Which geometry a collider has. cloth_collider_set_geometry() writes it; all 0 for shapes without geometry. */
typedef struct cloth_geometry_key {
  int32_t place;    /* of the geometry in cloth_surroundings.geometries; 0..CLOTH_GEOMETRY_LIMIT - 1 */
  int32_t elements; /* its size: planes and edges of a hull, samples, or triangles */
  uint32_t hash[2]; /* of its data, low word first */
} cloth_geometry_key;

typedef struct cloth_collider {
  int32_t shape;               /* a cloth_shape; default CLOTH_SHAPE_SPHERE */
  cloth_geometry_key geometry; /* of hull, height field, mesh and distance grid; default all 0: none */
  cloth_pose pose;             /* default: at the origin, not rotated */
  float radius;                /* of sphere, capsule and cylinder [m]; 1e-3..1e4; default 0.25 */
  float radius_top;            /* of capsule [m]; 1e-3..1e4; default 0.25 */
  float half_height;           /* of capsule and cylinder [m]; 1e-3..1e4; default 0.25 */
  cloth_vector half_extents;   /* of box [m]; each 1e-3..1e4; default 0.25 */
  float static_friction;       /* Coulomb coefficient [1]; 0..10; default 0.5 */
  float kinetic_friction;      /* Coulomb coefficient [1]; 0..static_friction; default 0.5 */
} cloth_collider;

/* What contact, friction and attached particles gave a collider in the last step, and while asleep. */
typedef struct cloth_reaction {
  cloth_vector impulse; /* [N s] */
  cloth_vector torque;  /* angular impulse about the collider's position at the end of the step, of a collider with mass
                           of each substep [N m s] */
} cloth_reaction;

/* Returns a collider with every default named above. */
CLOTH_API cloth_collider cloth_collider_default(void);

/* Says in words what is wrong with a collider, as cloth_config_explain() does. Returns CLOTH_OK; RANGE; CONFLICT;
   GEOMETRY: a shape with geometry without a key; LEFT_OUT: a shape that the build has not. */
CLOTH_API int cloth_collider_explain(const cloth_collider *collider, char *text, size_t bytes);

/* Adds a collider at rest. Returns its index, 0 or above, which it keeps until removed; RANGE; CONFLICT; FULL, also for
   a mesh beyond capacity.meshes; STATE: without capacity.geometry; GEOMETRY: without a key; LEFT_OUT: a shape that the
   build has not. */
CLOTH_API int cloth_add_collider(cloth *c, const cloth_collider *collider);

/* Replaces a collider by one at rest, as a teleport; removes one. Return CLOTH_OK, INDEX, or what cloth_add_collider()
   does. */
CLOTH_API int cloth_set_collider(cloth *c, int32_t index, const cloth_collider *collider);
CLOTH_API int cloth_remove_collider(cloth *c, int32_t index);

/* Moves a collider from `previous` (NULL: where it is) to `current` during the next step, evenly, to rest there. Its
   surface velocity enters friction. Returns CLOTH_OK, INDEX, or RANGE. */
CLOTH_API int cloth_move_collider(cloth *c, int32_t index, const cloth_pose *previous, const cloth_pose *current);

/* Writes what the cloth did to a collider in the last step. Returns CLOTH_OK, or INDEX. */
CLOTH_API int cloth_get_collider_reaction(const cloth *c, int32_t index, cloth_reaction *reaction);

/* A contact: a particle and a collider that touched in the last step, or a collider that stood out between particles
   and a point of the cloth there: the nearest of the particles stands for it. */
typedef struct cloth_contact {
  int32_t particle;      /* index of the particle */
  int32_t collider;      /* index of the collider */
  int32_t is_touching;   /* 1 if they touched in the last substep as well, 0 if they came apart before */
  cloth_vector position; /* of the particle or the point when they last touched, about the thickness away from the
                            surface, or half of it [m] */
  cloth_vector normal;   /* of the surface there, out of the collider; of unit length */
  cloth_vector impulse;  /* that the particle received from the collider during the step [N s] */
} cloth_contact;

/* Writes the contacts of the last step, at most `count`, in ascending order of particles; statistics.contacts_dropped
   has those without room. `contacts` may be NULL if `count` is 0. Returns the number of contacts recorded; RANGE:
   `count` below 0; STATE: capacity.max_contacts is 0. Absent with CLOTH_NO_QUERIES or CLOTH_NO_COLLIDERS. */
CLOTH_API int cloth_get_contacts(const cloth *c, cloth_contact *contacts, int32_t count);

/// Bodies ///

/*
 * A collider with mass, which cloth and gravity alone move, within the substeps. To couple a body of an engine:
 *
 *     cloth_move_collider(c, index, &pose, &pose);      // where the engine has the body, as its step begins
 *     body.velocity = velocity; body.spin = spin;       // and how it moves there, before the engine adds gravity
 *     cloth_set_body(c, index, &body);
 *     cloth_step(c, dt);
 *     cloth_get_body(c, index, &body, &pose);           // where cloth and gravity have brought it
 *
 * An engine that resolves contacts of its own gets the velocity (pose - pose before) / dt for its step, without gravity
 * for this body, and then adds to what it has made of it the difference from there to body.velocity; so with spin.
 */
typedef struct cloth_body {
  float mass;            /* [kg]; 1e-6..1e9 */
  cloth_vector inertia;  /* principal moments about the collider's axes [kg m^2]; each 1e-9..1e12, or all 0: no torque
                            turns it */
  cloth_vector velocity; /* of the collider's position, the centre of mass [m/s]; each within CLOTH_SPEED_LIMIT */
  cloth_vector spin;     /* angular velocity in world axes [rad/s]; each within 1e4 */
  float gravity;         /* share of the cloth's gravity that acts on it [1]; 0..1 */
} cloth_body;

/* Returns a body at rest, with gravity 1 and the inertia of a uniform solid in the shape of a collider: of a tapered
   capsule that of the mean radius, of a plane 0. */
CLOTH_API cloth_body cloth_body_default(const cloth_collider *collider, float mass);

/* Gives a collider mass and motion from the next step on; with NULL it goes where the caller moves it. Returns
   CLOTH_OK; INDEX; RANGE; FULL: more than capacity.max_bodies; CONFLICT: a height field, mesh or distance grid. Bodies
   are absent with CLOTH_NO_BODIES or CLOTH_NO_COLLIDERS. */
CLOTH_API int cloth_set_body(cloth *c, int32_t collider, const cloth_body *body);

/* Writes mass and motion of a collider, and its pose. Returns CLOTH_OK; INDEX; STATE: it has no mass. */
CLOTH_API int cloth_get_body(const cloth *c, int32_t collider, cloth_body *body, cloth_pose *pose);

/* Pins a particle to the point of a collider where it is, or to `point` in the collider's axes [m], where the next step
   moves it. It pulls on the collider. cloth_release() and other calls for pins end this, and cloth_remove_collider().
   Returns CLOTH_OK; INDEX; RANGE: point; FULL: more than capacity.max_attachments. */
CLOTH_API int cloth_attach(cloth *c, int32_t particle, int32_t collider, const cloth_vector *point);

/* Writes the impulse [N s] that the cloth, with the particle's weight, gave in the last step to what holds a pinned or
   confined particle. Returns CLOTH_OK; INDEX; STATE without capacity.pin_reactions, or if the particle is free. */
CLOTH_API int cloth_get_pin_reaction(const cloth *c, int32_t particle, cloth_vector *impulse);

/// Geometry ///

/* Data of hulls, height fields, meshes and distance grids in memory of the caller, which colliders name by a place in
   the table of cloth_step_with() and by a hash. Any cloths on any threads may read it. It holds no pointers. Absent
   with CLOTH_NO_COLLIDERS. */
typedef struct cloth_geometry cloth_geometry;

/* A convex solid: all points p with normals[i] . p <= offsets[i]. Edges and corners are round, as those of boxes. */
typedef struct cloth_hull_data {
  const cloth_vector *normals; /* of length 1, to 1e-3 */
  const float *offsets;        /* [m]; -1e4..1e4 */
  int32_t planes;              /* 4..CLOTH_HULL_PLANE_LIMIT */
} cloth_hull_data;

/* Ground under a grid of heights above local y = 0: sample (column, row) lies at x = column * spacing_x, z = row *
   spacing_z. A cell is two triangles that share the diagonal from (column + 1, row) to (column, row + 1). All below is
   solid. There is nothing beyond the sides. */
typedef struct cloth_height_data {
  const float *heights;       /* rows * columns, row by row [m]; each -1e4..1e4 */
  int32_t columns, rows;      /* each 2..4096, together at most CLOTH_SAMPLE_LIMIT */
  float spacing_x, spacing_z; /* [m]; each 1e-3..1e3 */
} cloth_height_data;

/* Triangles. With one_sided 0 a particle stays on the side on which a substep finds it: for open meshes and level
   geometry. With 1 only the side from which a triangle is counter-clockwise is surface, and what is less than the
   thickness deep is brought out: for closed meshes. The distance kept is at least 0.5 mm. */
typedef struct cloth_mesh_data {
  const cloth_vector *vertices; /* [m]; each axis -1e4..1e4 */
  int32_t vertex_count;         /* 3..3 * CLOTH_TRIANGLE_LIMIT */
  const uint32_t *indices;      /* three for each triangle */
  int32_t triangle_count;       /* 1..CLOTH_TRIANGLE_LIMIT */
  int32_t one_sided;            /* 0..1; default 0 */
} cloth_mesh_data;

/* Signed distances [m], negative in the solid, at (i, j, k) * spacing from the corner `low`, trilinear between them.
   Neighbours differ by at most 1.01 spacings. Solid ends where the grid does. */
typedef struct cloth_distance_data {
  const float *distances;            /* x fastest, then y, then z; each -1e4..1e4 */
  int32_t count_x, count_y, count_z; /* samples; each 2..1024, together at most CLOTH_SAMPLE_LIMIT */
  float spacing;                     /* [m]; 1e-3..1e3 */
  cloth_vector low;                  /* local position of sample (0, 0, 0) [m]; each axis -1e4..1e4 */
} cloth_distance_data;

/* What a geometry is made of: `shape`, and the data of that shape. */
typedef struct cloth_geometry_data {
  int32_t shape; /* CLOTH_SHAPE_HULL, CLOTH_SHAPE_HEIGHT_FIELD, CLOTH_SHAPE_MESH or CLOTH_SHAPE_DISTANCE_GRID */
  cloth_hull_data hull;
  cloth_height_data height_field;
  cloth_mesh_data mesh;
  cloth_distance_data distance_grid;
} cloth_geometry_data;

/* Returns data of a shape, all else 0. */
CLOTH_API cloth_geometry_data cloth_geometry_data_default(int32_t shape);

/* Writes how many bytes a geometry takes, by its counts. Returns CLOTH_OK; RANGE: a shape or a count; NULL; LEFT_OUT:
   the shape. */
CLOTH_API int cloth_geometry_bytes(const cloth_geometry_data *data, size_t *bytes);

/* Builds a geometry in `bytes` bytes of the caller's memory, aligned to CLOTH_ALIGNMENT, in a time of n log n for n
   triangles, of the cube of the planes for a hull. Returns CLOTH_OK; what cloth_geometry_bytes() returns; RANGE: a
   number, an index, or distances that are none; CONFLICT: a triangle of less than 1e-8 m^2 or thinner than 1e-5 m, or
   planes that enclose nothing, or not all sides; ARENA: too small or not aligned. */
CLOTH_API int cloth_build_geometry(const cloth_geometry_data *data, void *memory, size_t bytes,
                                   const cloth_geometry **out);

/* Says in words what is wrong with data, as cloth_config_explain() does. Returns what cloth_build_geometry() does, but
   for ARENA. */
CLOTH_API int cloth_geometry_explain(const cloth_geometry_data *data, char *text, size_t bytes);

/* Gives a collider the shape and key of a geometry that will be at a place in the table of every step. Returns
   CLOTH_OK; GEOMETRY: not one; RANGE: place. */
CLOTH_API int cloth_collider_set_geometry(cloth_collider *collider, const cloth_geometry *geometry, int32_t place);

/* A body of a table that cloths share, which moves from `previous` to collider.pose during the next step. */
typedef struct cloth_shared_body {
  cloth_collider collider;
  cloth_pose previous;
} cloth_shared_body;

/* What hands the pieces of a stage to threads: `run` calls piece(job, n) once for each n of 0..count - 1, in any order
   and on any threads, and returns when all have returned. What a piece has written must be seen by the caller and by
   all later pieces. A step calls it 3 to 12 times a substep. */
typedef void (*cloth_piece)(void *job, int32_t number);
typedef struct cloth_workers {
  void (*run)(void *context, cloth_piece piece, void *job, int32_t count);
  void *context; /* the first argument of `run` */
} cloth_workers;

/* What is around the cloths of a world in a step. A cloth takes the bodies that come near it, in the order of the
   table; those beyond capacity.max_shared_bodies are counted in statistics.overflows. cloth_get_contacts() numbers them
   from max_colliders on. They are no state; a sleeping cloth wakes when those near it change. */
typedef struct cloth_surroundings {
  const cloth_geometry *const *geometries; /* table of geometries; NULL at places that no collider names */
  int32_t geometry_count;                  /* 0..CLOTH_GEOMETRY_LIMIT */
  const cloth_shared_body *bodies;         /* table of bodies */
  int32_t body_count;                      /* 0..CLOTH_SHARED_BODY_LIMIT */
  cloth_reaction *reactions;    /* NULL, or one for each body, to which what this cloth does to it is added */
  cloth_metres origin;          /* of the bodies' positions in the world [m]; each axis within CLOTH_ORIGIN_LIMIT */
  const cloth_workers *workers; /* for cloths with capacity.workers; or NULL: the calling thread does all */
} cloth_surroundings;

/// Gravity, wind and fabric ///

/* A wind that comes and goes, added to the mean wind, equal all over the cloth. */
typedef struct cloth_gusts {
  cloth_vector strength; /* largest change of the wind along each axis, either way [m/s]; each 0..1000 */
  float period;          /* mean time from one gust to the next [s]; 0.02..1000 */
  float start;           /* time in the sequence to begin at [s]; 0..1e6 */
  uint32_t seed;         /* cloths of equal seed, period and time are in the same wind */
} cloth_gusts;

/* Change what acts on the cloth from the next step on. NULL ends the gusts; with the seed and period that are set they
   go on, otherwise they begin at `start`. Return CLOTH_OK, or RANGE. cloth_set_gusts() is absent with CLOTH_NO_AIR. */
CLOTH_API int cloth_set_gravity(cloth *c, cloth_vector gravity);
CLOTH_API int cloth_set_wind(cloth *c, cloth_vector wind);
CLOTH_API int cloth_set_gusts(cloth *c, const cloth_gusts *gusts);
CLOTH_API int cloth_set_fabric(cloth *c, const cloth_fabric *fabric);

/* Writes the wind of the next step, the gust at its beginning included [m/s]. Returns CLOTH_OK. */
CLOTH_API int cloth_get_wind(const cloth *c, cloth_vector *wind);

/// Confinements ///

/* Confine a particle to a line, or to a plane of this normal, through its position, in place of a pin or confinement.
   Drop a move not yet made. Return CLOTH_OK; INDEX; RANGE: shorter than 1e-6, or a component that is not within 1e10;
   FULL. */
CLOTH_API int cloth_confine_to_line(cloth *c, int32_t particle, cloth_vector direction);
CLOTH_API int cloth_confine_to_plane(cloth *c, int32_t particle, cloth_vector normal);

/* Returns the degrees of freedom of a particle: 0 pinned, 1 on a line, 2 in a plane, 3 free; or INDEX. */
CLOTH_API int cloth_get_freedom(const cloth *c, int32_t particle);

/// Tethers ///

/* Tethers are chosen when pins come or go, unless cloth_set_tether() has set one; until cloth_reset_tethers(). They tie
   a particle to a pinned one, or to none (-1), by its tether `slot`, 0 or 1. Return CLOTH_OK; INDEX; STATE: no tethers
   in the config, an absent particle, a `pin` that is not pinned, or no scratch. Absent with CLOTH_NO_TETHERS. */
CLOTH_API int cloth_set_tether(cloth *c, int32_t particle, int32_t slot, int32_t pin);
CLOTH_API int cloth_get_tether(const cloth *c, int32_t particle, int32_t slot, int32_t *pin);
CLOTH_API int cloth_reset_tethers(cloth *c);

/// Targets and motion constraints ///

/* A target is where an animation without cloth has a particle. A motion constraint keeps the particle within
   max_distance of it, and out of a sphere whose surface is backstop_distance behind it, against its normal, by forces
   that grow softly. With max_distance 0 particles go where their targets go, as pins do. */
typedef struct cloth_motion_constraint {
  float max_distance;      /* [m]; 0..CLOTH_ANY_DISTANCE; default CLOTH_ANY_DISTANCE: no limit */
  float backstop_distance; /* [m]; 0..1e4; default 0 */
  float backstop_radius;   /* [m]; 0..1e4; default 0: no backstop */
  float drive;             /* stiffness of a spring from the particle to its target [N/m]; 0..1e6; default 0: none */
} cloth_motion_constraint;

/* Returns a constraint that leaves a particle free, as all particles start. */
CLOTH_API cloth_motion_constraint cloth_motion_constraint_default(void);

/* Sets the motion constraint of a particle. Returns CLOTH_OK; INDEX; STATE without capacity.targets, or for an absent
   particle; RANGE. */
CLOTH_API int cloth_set_motion_constraint(cloth *c, int32_t particle, const cloth_motion_constraint *constraint);

/* Read the targets of all particles from vertices as cloth_write_vertices() writes them: positions [m], and normals of
   length 1e-5..1e6, without which there is no backstop. Targets move there during the next step, or are set there, as
   by the first call. Return CLOTH_OK; STATE without capacity.targets; BUFFER: too small, or an unfit layout; RANGE. */
CLOTH_API int cloth_move_targets(cloth *c, const cloth_vertex_layout *layout, const void *vertices, size_t bytes);
CLOTH_API int cloth_set_targets(cloth *c, const cloth_vertex_layout *layout, const void *vertices, size_t bytes);

/// Moving frames ///

/* Share of a frame's motion that the cloth feels [1], each 0..1: of the translation, of the rotation, and of the
   centrifugal force of the rotation that it does not feel. */
typedef struct cloth_inertia {
  float linear, angular, centrifugal;
} cloth_inertia;

/* Takes the cloth along with a frame that moves between two poses: all that has a position or velocity, and the
   colliders of which bit i is set in `colliders`. `inertia` NULL: 0 for all, as for a teleport. dt is the next step's.
   Call it before pins, targets and colliders are moved for that. Returns CLOTH_OK, or RANGE: a pose, dt, an inertia, or
   something beyond CLOTH_POSITION_LIMIT. Absent with CLOTH_NO_COLLIDERS or CLOTH_NO_MOVE_FRAME. */
CLOTH_API int cloth_move_frame(cloth *c, const cloth_pose *from, const cloth_pose *to, const cloth_inertia *inertia,
                               float dt, uint64_t colliders);

/// Far from home ///

/* All positions of a cloth are relative to its origin, a whole metre of the world. Farther than 1 km from it floats are
   coarse for a cloth of 1 m: move it along by config.world or cloth_recentre(), which is no motion and wakes nothing.
   Absent with CLOTH_NO_ORIGIN. */

/* Writes where the origin of a cloth is in the world. Returns CLOTH_OK. */
CLOTH_API int cloth_get_origin(const cloth *c, cloth_metres *origin);

/* Moves the origins of `count` cloths, 1 or more, to one place; all stays where it is in the world. Returns CLOTH_OK;
   RANGE: count; a place beyond CLOTH_ORIGIN_LIMIT; or something that would be beyond CLOTH_POSITION_LIMIT from it. An
   error moves none of them. */
CLOTH_API int cloth_set_origin(cloth *const *cloths, int32_t count, cloth_metres origin);

/* Moves the origins of `count` cloths to the whole metre nearest to the middle of the box around all of their
   particles, and writes it to *origin unless that is NULL. Returns what cloth_set_origin() does. */
CLOTH_API int cloth_recentre(cloth *const *cloths, int32_t count, cloth_metres *origin);

/* Writes the way from the origin of one cloth to that of another [m]: what is at p relative to `to` is at p + *offset
   relative to `from`. Returns CLOTH_OK, or RANGE: they are more than 2^24 m apart on an axis. */
CLOTH_API int cloth_get_origin_offset(const cloth *from, const cloth *to, cloth_vector *offset);

/// Sleep ///

/* A cloth with sleep.speed falls asleep at the end of a step when no particle, body or pin was faster for sleep.time.
   Its velocities become 0; steps move nothing, and reactions are those of rest. A call that changes what acts on it
   wakes it, as cloth_wake() does, which returns CLOTH_OK. Gusts keep it awake. cloth_is_asleep() returns 1 or 0. */
CLOTH_API int cloth_wake(cloth *c);
CLOTH_API int cloth_is_asleep(const cloth *c);

/// State ///

/* A step is a function of state, config and dt. The state has a constant size and holds all inputs. */

/* Copies the state, with versions and config hash, to a buffer of cloth_memory.saved_bytes and any alignment: for
   rollback in the same build on the same kind of machine. Returns CLOTH_OK, or BUFFER: too small, or in the arena. */
CLOTH_API int cloth_save(const cloth *c, void *buffer, size_t bytes);

/* Restores what cloth_save() wrote, in a cloth of the same settings and maps, after checking every value, unless with
   CLOTH_NO_SAVE_CHECKS; there is no checksum. Returns CLOTH_OK; IMAGE_VERSION: not a save, or of another version;
   IMAGE_CONFIG: of another config; IMAGE_DAMAGED: cut short; IMAGE_CONTENT: a value that no cloth can have. */
CLOTH_API int cloth_load(cloth *c, const void *buffer, size_t bytes);

/* Writes the state as an image for files and other machines: cloth_memory.image_bytes of any alignment, little-endian.
   Returns CLOTH_OK, or BUFFER: too small, or in the arena. */
CLOTH_API int cloth_write_image(const cloth *c, void *image, size_t bytes);

/* Restores an image, after checking all of it: bytes from anywhere are safe. Returns CLOTH_OK; IMAGE_VERSION: not an
   image, or of another version; IMAGE_CONFIG: of another config; IMAGE_DAMAGED: cut short, or not what its hash says;
   IMAGE_CONTENT: a value that no cloth can have. */
CLOTH_API int cloth_read_image(cloth *c, const void *image, size_t bytes);

/* cloth_hash() writes a hash of the state, the same on every machine, and returns CLOTH_OK. cloth_hash_fold() returns a
   hash folded to 32 bits. */
CLOTH_API int cloth_hash(const cloth *c, uint64_t *hash);
CLOTH_API uint32_t cloth_hash_fold(uint64_t hash);

/// Deadlines and work ///

/* How far a step was refined, which repeats it to the bit on any machine. Absent with CLOTH_NO_PLANNING, as deadlines
   and bounds of work are. */
typedef struct cloth_effort {
  int32_t refinements; /* iterations of the solves beyond the first 3 of each; 0 or more */
  int32_t cut_short;   /* 1 if the deadline left out others; 0..1 */
} cloth_effort;

/* Steps, and after `ticks` ticks of the port's CLOTH_TICKS() does at most 3 iterations a solve; 0 refines nothing,
   UINT32_MAX is no deadline. Returns what cloth_step() does, and STATE with capacity.fixed_work. */
CLOTH_API int cloth_step_until(cloth *c, float dt, uint32_t ticks, cloth_effort *effort);

/* Steps with an effort that cloth_step_until() wrote. Returns what that does, and RANGE: the effort. */
CLOTH_API int cloth_step_again(cloth *c, float dt, const cloth_effort *effort);

/* The same with surroundings, NULL for none. Return also what cloth_step_with() does. */
CLOTH_API int cloth_step_until_with(cloth *c, float dt, const cloth_surroundings *around, uint32_t ticks,
                                    cloth_effort *effort);
CLOTH_API int cloth_step_again_with(cloth *c, float dt, const cloth_surroundings *around, const cloth_effort *effort);

/* Writes the most work that cloth_step(c, dt) can do now, the same on every machine; a unit is about an instruction of
   the scalar build on x86-64. Returns CLOTH_OK, or what cloth_step() would: RANGE, STATE, UNSTABLE. */
CLOTH_API int cloth_get_work_bound(const cloth *c, float dt, uint64_t *work);

/* Writes the most work of a step of dt in any cloth of this config and its fabric, with max_colliders of the most
   expensive shape and every particle at every one of them. Returns CLOTH_OK, an error of the config, or RANGE: dt. */
CLOTH_API int cloth_config_work_bound(const cloth_config *config, float dt, uint64_t *work);

/// Groups ///

/* Cloths that feel each other are stepped together, solved as one where they may touch, by the law of self-contact.
   Memory, state and hashes are each cloth's own; a step is a function of the states, the configs, dt and the group, in
   its order. Every cloth has a self_thickness. All take the largest number of substeps of one. cloth_recentre() them
   together. Seams join particles of two cloths, or of one: they are exactly at one place after every substep, where
   pins stay, and nothing touches a triangle with a sewn corner. Momentum is kept. Cloths sewn together sleep and wake
   together; a sleeping cloth wakes when an awake one comes, moves beside it or leaves. */

/* Two cloths of a group that touch in another way than their configs say. */
typedef struct cloth_group_pair {
  int32_t a, b;    /* their places in the group, in any order, not equal */
  float thickness; /* distance that they keep [m]; 0: they pass through each other; 0..1 */
  float friction;  /* coefficient of friction between them [1]; 0..10 */
} cloth_group_pair;

/* A side of a seam: particles of one cloth in their order along the seam. */
typedef struct cloth_seam_side {
  int32_t cloth;            /* its place in the group */
  int32_t first, next;      /* the first particle, and from each to the next: 1 along a row, the number of columns along
                               a column, negative for the other way */
  int32_t count;            /* 1..particles of the cloth */
  const int32_t *particles; /* NULL, or `count` particles in place of those that first and next tell */
} cloth_seam_side;

/* A seam between two sides, of two cloths or of one. Where one has more particles it is gathered: its particle n of N
   is joined to the point at n (M - 1) / (N - 1) of the other's M; where it is longer at rest, too, its springs resist
   stretching only. Absent particles are not joined. */
typedef struct cloth_seam {
  cloth_seam_side a, b;
  float stiffening; /* stiffness against folding along the seam, over that of uncut cloth, less 1 [1]; -1: it folds
                       freely; -1..100; default 0. No effect on gathers, single stitches, and off borders */
} cloth_seam;

/* A body with mass that several cloths touch, each as a collider of its own, of one shape and size, with
   cloth_set_body() in each. Its motion is that of the first cloth that has it: set it there. All cloths act on it at
   once. Cloths with a common body sleep and wake together. */
typedef struct cloth_group_body {
  int32_t colliders[CLOTH_GROUP_LIMIT]; /* of each cloth, in the order of the group; -1: it does not touch the body */
} cloth_group_body;

/* Cloths that are stepped together. Start from cloth_group_default(). Nothing of it is kept. */
typedef struct cloth_group {
  uint32_t cookie;         /* set by cloth_group_default() */
  int32_t count;           /* of the cloths; 1..CLOTH_GROUP_LIMIT; default 0 */
  cloth *const *cloths;    /* each once. Of two the larger self_thickness and self_friction count, and self.untangle of
                              both */
  int32_t pairs;           /* room for candidates between cloths, per particle; 1..32; default 24 */
  int32_t exception_count; /* 0..120; default 0 */
  const cloth_group_pair *exceptions; /* pairs that touch in another way; of equal ones the last counts */
  const cloth_surroundings *around;   /* of all of them, or NULL, the default. Reactions are sums over the cloths */
  int32_t seam_count;                 /* 0..CLOTH_SEAM_LIMIT; default 0; 0 with CLOTH_NO_SEAMS */
  const cloth_seam *seams;            /* or NULL. No two of their particles are joined twice */
  int32_t body_count;                 /* 0..CLOTH_GROUP_BODY_LIMIT; default 0; 0 with CLOTH_NO_BODIES */
  const cloth_group_body *bodies;     /* or NULL. No two of them are one collider */
  float seam_speed; /* speed at which sides that are apart are pulled together [m/s]; 1e-3..1000; default 1 */
} cloth_group;

/* Returns a group with every default named above. */
CLOTH_API cloth_group cloth_group_default(void);

/* Writes how much memory a step of a group needs beside that of the cloths; groups may share it. Returns CLOTH_OK;
   CONFIG: not made by cloth_group_default(); RANGE: a count, `pairs`, a thickness, a friction, seam_speed, or
   stiffening; INDEX: an exception, a cloth or particle of a seam, or a collider of a body; CONFLICT: a cloth twice, a
   collider that is two bodies, colliders of a body that differ in shape or size, a particle joined to itself, or (found
   by this function alone) two joined twice; NULL: no seams or bodies; STATE: a cloth without self_thickness, or a
   collider of a body without mass; LEFT_OUT: seams or bodies in a build without; an error of a cloth. Groups are absent
   with CLOTH_NO_SELF or CLOTH_NO_GROUPS. */
CLOTH_API int cloth_group_bytes(const cloth_group *group, size_t *bytes);

/* Writes the largest gap of a seam as the cloths are now [m]: the distance of a particle from what it is joined to; 0
   where nothing is joined. Returns CLOTH_OK, what cloth_group_bytes() does, or INDEX. Absent with CLOTH_NO_SEAMS. */
CLOTH_API int cloth_group_seam_gap(const cloth_group *group, int32_t seam, float *gap);

/* cloth_bind() and cloth_skin(), or with `blends` cloth_skin_blended(), of one mesh over the cloths of a group, smooth
   over seams along borders, up to 120 degrees between panels. `blends` may be NULL. Return what these do and what
   cloth_group_bytes() returns but for a particle joined twice; STATE: two cloths share scratch; LEFT_OUT: blends with
   CLOTH_NO_BLEND. Absent with CLOTH_NO_SKIN or CLOTH_NO_SEAMS. */
CLOTH_API int cloth_bind_group(const cloth_group *group, const cloth_skin_layout *layout, const void *vertices,
                               const cloth_bind_reach *reach, cloth_binding *bindings);
CLOTH_API int cloth_skin_group(const cloth_group *group, const cloth_blend *blends, const cloth_binding *bindings,
                               const cloth_skin_layout *layout, const void *animated, void *vertices);

/* cloth_write_vertices(), or with `blends` cloth_write_blended_vertices(), of all cloths of a group in their order,
   with normals as above. Write the indices of a cloth with the vertices before it as `first_vertex`. Returns what these
   do and what cloth_bind_group() does; BUFFER: too small for all; STATE: also without scratch. Absent where the two
   above are, and with CLOTH_NO_VERTICES. */
CLOTH_API int cloth_write_group_vertices(const cloth_group *group, const cloth_blend *blends,
                                         const cloth_vertex_layout *layout, void *vertices, size_t bytes);

/* Steps all cloths of a group by dt seconds, with `bytes` bytes of memory aligned to CLOTH_ALIGNMENT. Returns CLOTH_OK
   or the sum of the notes of all; what cloth_group_bytes() returns; what cloth_step_with() returns for one of the
   cloths; CONFLICT: more substeps than a cloth has room for, the larger of `substeps` and integration.max_substeps;
   STATE: two cloths share scratch; RANGE: origins more than 2e5 m apart; ARENA: memory too small, not aligned, or part
   of a cloth. An error steps none. */
CLOTH_API int cloth_step_together(const cloth_group *group, float dt, void *memory, size_t bytes);

/* The calls of "Deadlines and work" for a group: with a deadline for all, and the efforts of all cloths in their order.
   Return what cloth_step_together() does, NULL without efforts; STATE with capacity.fixed_work of one; RANGE: an
   effort. */
CLOTH_API int cloth_step_together_until(const cloth_group *group, float dt, void *memory, size_t bytes, uint32_t ticks,
                                        cloth_effort *efforts);
CLOTH_API int cloth_step_together_again(const cloth_group *group, float dt, void *memory, size_t bytes,
                                        const cloth_effort *efforts);

/* Writes the most work that cloth_step_together() can do now, all cloths together. Returns CLOTH_OK, or what
   cloth_step_together() would but for ARENA. */
CLOTH_API int cloth_group_work_bound(const cloth_group *group, float dt, uint64_t *work);

/// Planning ///

/* What a config is expected to do. */
typedef struct cloth_forecast {
  uint64_t work; /* cloth_config_work_bound() */
  float stretch; /* mean largest strain of a sheet that swings by two corners [1]; to a factor of two */
} cloth_forecast;

/* Chooses substeps and iterations: with `stretch` 0 the plan of least stretch whose steps of dt do at most `work`, else
   the plan of least work that stretches at most `stretch` [1], 0..1e6, with at most `work` unless that is 0. *planned
   may be *config; solver.tolerance becomes 0. Returns CLOTH_OK; NO_PLAN; an error of the config; RANGE: dt, `stretch`,
   or neither goal. Absent with CLOTH_NO_PLANNING. */
CLOTH_API int cloth_plan(const cloth_config *config, float dt, uint64_t work, float stretch, cloth_config *planned,
                         cloth_forecast *forecast);

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
  CLOTH_MODE_EXPLICIT, /* by its force alone */
  CLOTH_MODE_IMPLICIT  /* part of the operator: backward Euler */
} cloth_mode;

/* The stages of a step, for ticks and traces. */
typedef enum cloth_stage {
  CLOTH_STAGE_PREDICTION, /* coefficients, predicted places, bodies; what may touch colliders */
  CLOTH_STAGE_FORCES,     /* forces and blocks of all terms */
  CLOTH_STAGE_SOLVE,      /* conjugate gradients */
  CLOTH_STAGE_GUARDS,     /* reactions of pins, momentum, energy */
  CLOTH_STAGE_ACCEPTANCE, /* new positions and velocities, bodies, what contacts leave behind, tears */
  CLOTH_STAGE_COUNT
} cloth_stage;

/* What the last step did. */
typedef struct cloth_statistics {
  int32_t notes;                    /* sum of cloth_note */
  int32_t substeps;                 /* substeps taken */
  int32_t asleep;                   /* 1 if the cloth was asleep and nothing was done */
  float kappa[CLOTH_FAMILY_COUNT];  /* largest stability number of each family; bend: h^2/m times a hinge's stiffness */
  int32_t mode[CLOTH_FAMILY_COUNT]; /* how each family was integrated in the first substep, a cloth_mode */
  int32_t iterations;               /* solver iterations of all substeps */
  int32_t max_substep_iterations;   /* solver iterations of the substep that took most */
  float bend_ratio;                 /* B' / bend, see grid.min_bending_length; 0 if bend is 0 */
  int32_t contacts;                 /* particles in contact with a collider, or several, at the end of the step; those
                                       that stand for a point between them that is, included */
  int32_t contacts_sticking;        /* particles in contact that static friction of a collider holds */
  int32_t contacts_dropped;         /* times that capacity.max_contacts had no room for a contact; 0 if it is 0 */
  int32_t particles_limited;        /* times that a particle was slowed to integration.max_speed */
  int32_t particles_recovered;      /* times that a particle was put back, see CLOTH_NOTE_RECOVERED */
  int32_t threads_torn, pins_torn;  /* threads and pins that have torn in the step */
  int32_t overflows;                /* searches that ended at their bound: contacts may have been missed */
  cloth_metres origin_shift;        /* by how much the step moved the origin [m]: subtract it from what you keep */
  uint32_t work[2];                 /* work done, see cloth_get_work_bound(): low and high word; 0 without planning */
  uint32_t ticks[CLOTH_STAGE_COUNT]; /* ticks of the port's timer in each stage; 0 without a timer */
} cloth_statistics;

/* cloth_get_statistics() writes the statistics of the last step and returns CLOTH_OK. cloth_get_substep_iterations()
   returns the solver iterations of one of its substeps, or INDEX. */
CLOTH_API int cloth_get_statistics(const cloth *c, cloth_statistics *statistics);
CLOTH_API int cloth_get_substep_iterations(const cloth *c, int32_t substep);

/* What the last step did about contact of the sheet with itself and with its group, of which gathers, visits and
   pairs_dropped are sums. Zero for a cloth that sleeps. */
typedef struct cloth_self_statistics {
  int32_t gathers;       /* how often candidates were looked for, again included */
  int32_t visits;        /* pairs of boxes that were compared */
  int32_t pairs;         /* candidates of the last gather ... */
  int32_t pairs_dropped; /* ... and those of all gathers for which there was no room */
  int32_t contacts;      /* pairs that pressed in the last part of the last substep */
  int32_t intersections; /* edges found to pass through triangles at the start of the step */
  int32_t tangled;       /* particles of such edges and triangles for three steps or more, or from birth */
} cloth_self_statistics;

/* Writes the statistics of self-contact. Returns CLOTH_OK, or STATE without self_thickness. Absent with
   CLOTH_NO_SELF. */
CLOTH_API int cloth_get_self_statistics(const cloth *c, cloth_self_statistics *statistics);

/* What takes a pass over the springs to compute. */
typedef struct cloth_measures {
  float max_stretch;      /* largest strain of a stretch spring that is not between two pins [1]; 0 without one */
  float rms_stretch;      /* root mean square of the strain of all stretch springs, slack ones counting as 0 [1] */
  float kinetic_energy;   /* [J] */
  float elastic_energy;   /* of stretch and shear springs, and of bending with B' [J] */
  float potential_energy; /* in gravity, 0 at the origin of the cloth [J] */
} cloth_measures;

/* Measures the cloth as it is now. Returns CLOTH_OK. */
CLOTH_API int cloth_measure(const cloth *c, cloth_measures *measures);

/* Checks at start-up that this build computes the known bits on this machine. Returns CLOTH_OK or CLOTH_NOTE_FLUSHES;
   CONTRACTION, ROUNDING, EXCESS_PRECISION, SQUARE_ROOT, or LANES. */
CLOTH_API int cloth_self_test(void);

/// Errors ///

typedef enum cloth_error {
  CLOTH_OK = 0,
  CLOTH_ERROR_NULL = -1,              /* a required pointer is NULL */
  CLOTH_ERROR_CONFIG = -2,            /* the config was not made by this version's cloth_config_default() */
  CLOTH_ERROR_RANGE = -3,             /* a number, vector, rotation or choice is not finite or outside its range */
  CLOTH_ERROR_CONFLICT = -4,          /* settings exclude each other */
  CLOTH_ERROR_LEFT_OUT = -5,          /* the config needs what the build leaves out by a CLOTH_NO_... switch */
  CLOTH_ERROR_ARENA = -6,             /* an arena, or scratch, is too small, not aligned, or overlaps */
  CLOTH_ERROR_NOT_A_CLOTH = -7,       /* the pointer is not that of an initialised cloth */
  CLOTH_ERROR_INDEX = -8,             /* no such particle, collider, tether or substep */
  CLOTH_ERROR_STATE = -9,             /* the cloth, by its config or as it is now, does not allow the call */
  CLOTH_ERROR_FULL = -10,             /* no memory for another collider or confinement */
  CLOTH_ERROR_BUFFER = -11,           /* a caller's buffer is too small, or its layout does not fit */
  CLOTH_ERROR_UNSTABLE = -12,         /* explicit integration alone would be unstable */
  CLOTH_ERROR_NO_PLAN = -13,          /* no plan meets the goal */
  CLOTH_ERROR_IMAGE_VERSION = -14,    /* not a save or image, or of another version */
  CLOTH_ERROR_IMAGE_CONFIG = -15,     /* a save or image of another config */
  CLOTH_ERROR_IMAGE_DAMAGED = -16,    /* a save or image cut short, or an image whose hash is wrong */
  CLOTH_ERROR_IMAGE_CONTENT = -17,    /* a save or an image with a value that no cloth can have */
  CLOTH_ERROR_CONTRACTION = -18,      /* self-test: a * b + c is rounded once instead of twice */
  CLOTH_ERROR_ROUNDING = -19,         /* self-test: results are not rounded to nearest, ties to even */
  CLOTH_ERROR_EXCESS_PRECISION = -20, /* self-test: float expressions are not evaluated as floats, as written */
  CLOTH_ERROR_SQUARE_ROOT = -21,      /* self-test: square roots are not correctly rounded */
  CLOTH_ERROR_LANES = -22,            /* self-test: a vector operation differs from its scalar reference */
  CLOTH_ERROR_GEOMETRY = -23          /* not a geometry, or not the one that a collider names */
} cloth_error;

/* Returns the name of a cloth_error without its prefix, as "RANGE"; "OK" for 0 and above, "unknown" for others. */
CLOTH_API const char *cloth_result_name(int result);

#ifdef __cplusplus
}
#endif

#endif /* CLOTH_H */
