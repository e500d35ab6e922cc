/*
 * cloth: cloth simulation in C, one header and one source file. A cape that follows a walking figure:
 *
 *     #include "cloth.h"
 *     CLOTH_ALIGNED static unsigned char arena[1 << 20];     // cloth_memory_needed() tells the exact size
 *
 *     int main(void) {
 *       cloth_config config = cloth_config_default();        // 32 x 32 particles, 1 m x 1 m, level
 *       cloth_fabric_preset(CLOTH_FABRIC_WOOL, &config.fabric);
 *       cloth *cape;
 *       if (cloth_init(&config, arena, sizeof arena, &cape) < 0) return 1;
 *       cloth_collider back = cloth_collider_default();      // a sphere, radius 0.25 m
 *       cloth_vector start = {0.5f, -0.4f, -0.3f}, walk = {0.0f, 0.0f, -1.0f};
 *       back.pose.position = start;
 *       int body = cloth_add_collider(cape, &back);
 *       for (int column = 0; column < config.columns; column++) {
 *         int particle = cloth_particle_at(cape, column, 0); // row 0 is held and moves at 1 m/s
 *         cloth_pin(cape, particle);
 *         cloth_set_pin_velocity(cape, particle, walk);
 *       }
 *       for (int frame = 0; frame < 240; frame++) {
 *         back.pose.position.z -= 1.0f / 60.0f;              // where it is as the frame ends
 *         cloth_move_collider(cape, body, NULL, &back.pose);
 *         cloth_step(cape, 1.0f / 60.0f);
 *         cloth_vector_view at;
 *         cloth_get_positions(cape, &at);                    // draw at.x[i], at.y[i], at.z[i]
 *       }
 *     }
 *
 * Compile cloth.c with -ffp-contract=off, never with -ffast-math. It needs no heap and no C library. Work is bounded;
 * equal calls give equal bits on every machine. docs/guide.md explains, docs/reference.md has more details.
 *
 * Cloth      A sheet or tube of particles: stretch and shear springs, and the bending of a thin plate.
 * Particles  Index = row * columns + column. Columns follow the warp (config.edge_warp), rows the weft (edge_weft).
 *            Triangles are counter-clockwise from the side of cross(edge_warp, edge_weft), where normals point.
 * Comments   Meaning [SI unit] lowest..highest, default: "mass per area [kg/m^2] 0.001..1000, 0.2". A pure number has
 *            no unit.
 * Vectors    Right-handed; ranges are of each axis. Positions are within CLOTH_POSITION_LIMIT, velocities within
 *            CLOTH_SPEED_LIMIT.
 * Results    An int is CLOTH_OK (0), a positive value where stated, or a negative cloth_error; then nothing has
 *            changed. Not repeated at functions: NULL, NOT_A_CLOTH, RANGE, INDEX, BUFFER, ARENA, FULL, LEFT_OUT (see
 *            "Errors"), and STATE where the config has no capacity for a call, or shared scratch is missing.
 * Threads    A cloth, or cloths that share scratch memory, on one thread at a time.
 * Switches   CLOTH_NO_SOLVER and others leave parts out: docs/reference.md. CLOTH_PORT names a header of hooks: port/.
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

/// Version and build ///

#define CLOTH_VERSION_MAJOR 0
#define CLOTH_VERSION_MINOR 2
#define CLOTH_VERSION_PATCH 0
#define CLOTH_STATE_VERSION 15        // of saves and images
#define CLOTH_NUMERICS_VERSION 35     // builds of one number compute the same bits
#define CLOTH_IMAGE_MAGIC 0x48544c43u // first word of an image, "CLTH"
#define CLOTH_ALIGNMENT 32            // of arenas and other memory [bytes]

// Aligns an arena, as above.
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

// Define CLOTH_SHARED to use a shared library, and CLOTH_BUILD, too, to make it.
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

/// Types and limits ///

// Lies at the start of its arena, without pointers: move the arena with memcpy between calls.
typedef struct cloth cloth;

typedef struct cloth_vector {
  float x, y, z;
} cloth_vector;

// A place or distance in the world in whole metres.
typedef struct cloth_metres {
  int32_t x, y, z;
} cloth_metres;

// Unit quaternion, to 1e-3; w is the real part.
typedef struct cloth_rotation {
  float x, y, z, w;
} cloth_rotation;

typedef struct cloth_pose {
  cloth_vector position; // [m]
  cloth_rotation rotation;
} cloth_pose;

// A vector for each particle. Valid until the arena moves.
typedef struct cloth_vector_view {
  const float *x, *y, *z;
  int32_t count;
} cloth_vector_view;

#define CLOTH_GRID_LIMIT 1024         // most columns, and most rows
#define CLOTH_SUBSTEP_LIMIT 1024      // most substeps of a step
#define CLOTH_ITERATION_LIMIT 4096    // most solver iterations of a substep
#define CLOTH_COLLIDER_LIMIT 64       // most colliders of a cloth
#define CLOTH_WORKER_LIMIT 64         // most pieces of a stage for cloth_workers
#define CLOTH_POSITION_LIMIT 1.0e5f   // largest |coordinate| [m]
#define CLOTH_ORIGIN_LIMIT 1000000000 // of an origin in the world [m]
#define CLOTH_SPEED_LIMIT 1.0e5f      // largest |component| of a velocity that you set [m/s]
#define CLOTH_ANY_DISTANCE 1.0e6f     // no limit [m]
#define CLOTH_AUTOMATIC 0             // the library chooses

/// Fabric ///

// Constants of the material; n threads are as stiff as n cells are wide.
// Bending energy per area: bend/2 (x_uu^2 + x_vv^2 + 2 x_uv^2).
typedef struct cloth_fabric {
  float density;           // mass per area [kg/m^2] 0.001..1000, 0.2
  float stretch_warp;      // stiffness along the warp [N/m] 0..1e7, 1000
  float stretch_weft;      // stiffness along the weft [N/m] 0..1e7, 1000
  float shear;             // shear modulus [N/m] 0..1e7, 700
  float bend;              // bending rigidity [N m] 0..10, 1e-5
  float compression;       // share of stretch that resists shortening, 0..1, 1
  float shear_compression; // the same of shear, 0..1, 1; 0 halves the modulus
  float stretch_damping;   // along a stretch spring [N s/m] 0..1e4, 0.05
  float shear_damping;     // along a shear spring [N s/m] 0..1e4, 0.05
  float bend_damping;      // viscosity of bending over bend [s] 0..10, 0.001
} cloth_fabric;

// Presets. docs/fabrics.md has their values and sources.
typedef enum cloth_fabric_kind {
  CLOTH_FABRIC_SILK,
  CLOTH_FABRIC_COTTON,
  CLOTH_FABRIC_WOOL,
  CLOTH_FABRIC_DENIM,
  CLOTH_FABRIC_POLYESTER,
  CLOTH_FABRIC_SATIN,
  CLOTH_FABRIC_LINEN,
  CLOTH_FABRIC_JERSEY,
  CLOTH_FABRIC_FELT,
  CLOTH_FABRIC_LEATHER,
  CLOTH_FABRIC_CANVAS,
  CLOTH_FABRIC_RUBBER,
  CLOTH_FABRIC_PAPER,
  CLOTH_FABRIC_COUNT
} cloth_fabric_kind;
CLOTH_API int cloth_fabric_preset(cloth_fabric_kind kind, cloth_fabric *fabric);

/// Configuration ///

// The usual settings are in cloth_config, below the advanced ones. Arrays are read by cloth_init() alone.

typedef struct cloth_config_grid {
  int32_t wrap;                  // 1: a tube around edge_weft, of 3 columns or more; 0..1, 0
  float min_bending_length;      // c of the rigidity bend + c^3 w h^3 (docs/design.md) [cells] 0..16, 1
  float imperfection;            // random start displacement along the normal, over the shorter spacing, 0..0.1, 1e-4
  uint32_t seed;                 // of imperfection, 0
  const cloth_vector *positions; // start [m], NULL: by origin and edges
  const float *mass_map;         // factors on mass of each particle, 0.01..100, NULL: 1
  const float *stiffness_map;    // factors on stiffness, of a spring the mean of its ends, 0..100, NULL: 1
  const uint8_t *cell_mask; // 1: a cell, 0: none; rows of columns - 1, of a tube columns; NULL: all. A particle without
                            // a cell is absent: to change it is STATE
  const cloth_vector *rest_positions; // shape without strain [m], NULL: by the edges; CONFLICT: docs/reference.md
} cloth_config_grid;

// Forces of the air on cells, by the wind v relative to the cloth.
typedef struct cloth_config_air {
  float density;     // [kg/m^3] 0..100, 1.2; 0: no air
  float drag;        // coefficient along v, 0..100, 0
  float lift;        // coefficient perpendicular to v, 0..100, 0
  float normal_drag; // c of c density/2 A |v| (n.v) n, along the normal n, 0..100, 1.2
} cloth_config_air;

// Terms are implicit (backward Euler) or explicit (forces alone): docs/guide.md, "Kappa".
typedef enum cloth_integration {
  CLOTH_INTEGRATION_ADAPTIVE,     // the softest explicit, up to explicit_threshold
  CLOTH_INTEGRATION_IMPLICIT,     // all implicit
  CLOTH_INTEGRATION_EXPLICIT,     // all explicit; implicit where unstable
  CLOTH_INTEGRATION_EXPLICIT_ONLY // all explicit, no memory for a solver; a step may be UNSTABLE
} cloth_integration;

typedef struct cloth_config_integration {
  int32_t method;           // a cloth_integration, CLOTH_INTEGRATION_ADAPTIVE
  float explicit_threshold; // sum of stability bounds of explicit terms, 0..1.3, 1
  float bdf2_blend;         // share of second-order backward differences, 0..1, 0
  int32_t max_substeps;     // most automatic substeps, 1..CLOTH_SUBSTEP_LIMIT, 64
  float max_speed;          // of particles that no contact, target or body moves [m/s] 0.1..1e4, 300
  float velocity_damping;   // decay of velocities [1/s] 0..100, 0.1
  float rest_drag;          // d of the deceleration d / (1 + (v / rest_speed)^2) [m/s^2] 0..100, 0.05
  float rest_speed;         // [m/s] 0.001..100, 0.5
  float max_push_speed;     // out of colliders, into tethers and motion constraints [m/s] 0.1..1e4, 3
  int32_t max_parts;        // most parts of a substep, for fast contact, 1..4 but not 3, 4
} cloth_config_integration;

// Keep particles within a distance of pins, softly over 5 mm.
typedef struct cloth_config_tethers {
  int32_t count; // of a particle, 0..2, 0
  float scale;   // length over the distance at rest, 0.5..10, 1.0015
} cloth_config_tethers;

typedef enum cloth_preconditioner {
  CLOTH_PRECONDITIONER_BLOCK, // 3 x 3 blocks of the diagonal
  CLOTH_PRECONDITIONER_DIAGONAL,
  CLOTH_PRECONDITIONER_NONE,
  CLOTH_PRECONDITIONER_MULTILEVEL // blocks, and coarser grids
} cloth_preconditioner;

// Conjugate gradients.
typedef struct cloth_config_solver {
  int32_t preconditioner; // a cloth_preconditioner, CLOTH_PRECONDITIONER_MULTILEVEL
  int32_t max_iterations; // of a substep, with a tolerance, 1..CLOTH_ITERATION_LIMIT, 80
  float tolerance;        // sqrt(r . P^-1 r) to stop at, over the first, 0..0.5, 0: off
} cloth_config_solver;

// Threads, the springs along warp and weft, are stiffer above a strain.
typedef struct cloth_config_strain_limit {
  float max_extension; // that strain, 0..10, 0: no limit
  float stiffness;     // stiffness above it over the fabric's, 1..1000, 50
} cloth_config_strain_limit;

typedef enum cloth_self_shape {
  CLOTH_SELF_TRIANGLES, // particles touch triangles, edges touch edges
  CLOTH_SELF_SPHERES    // particles touch particles: cheaper, never untangled
} cloth_self_shape;

// Contact of a cloth with itself.
typedef struct cloth_config_self {
  int32_t pairs;    // room for the nearest candidates, a particle, 1..32, 24
  int32_t gathers;  // 0: it touches only other cloths of its group; 0..CLOTH_SUBSTEP_LIMIT, 1
  int32_t untangle; // 1: cloth that passes through itself comes apart; 0: contracts; 0..1, 1
  int32_t shape;    // a cloth_self_shape, CLOTH_SELF_TRIANGLES; spheres between cloths if both have them
} cloth_config_self;

typedef struct cloth_config_sleep {
  float speed; // at which a particle counts as resting [m/s] 0..10, 0: never
  float time;  // that all have to rest [s] 0..60, 0.5
} cloth_config_sleep;

// When threads break. Tears run through the middle of cells.
typedef struct cloth_config_tearing {
  int32_t max_breaks;     // most in a step, 0..65535, 0: no tears, no cuts, no strain and pin_force
  float strain;           // at which a thread breaks, 0..100, 0: never
  float pin_force;        // mean over a step at which a pin lets go [N] 0..1e9, 0: never
  int32_t max_torn_cells; // most that are drawn, 0..65535, 256
  const float *map;       // factors on strain, of a thread the mean of its ends, 0.01..100, NULL: 1
} cloth_config_tearing;

typedef struct cloth_config_world {
  cloth_metres origin;     // of all positions, within CLOTH_ORIGIN_LIMIT, 0
  float recentre_distance; // from the cloth's middle on an axis, at which a step moves the origin [m] 0..1e4, 0: never
} cloth_config_world;

// Memory for what may come.
typedef struct cloth_config_capacity {
  int32_t max_confined;    // particles on lines and planes, 0..65535, 8
  int32_t max_bodies;      // colliders with mass, 0..CLOTH_COLLIDER_LIMIT, 0
  int32_t max_attachments; // particles attached to colliders, 0..65535, 0
  int32_t pin_reactions;   // 1: for cloth_get_pin_reaction(); 0..1, 0
  int32_t targets;         // 1: for "Targets"; 0..1, 0
  int32_t shared_scratch;  // 1: for cloth_set_scratch(); 0..1, 0
  int32_t max_contacts;    // for cloth_get_contacts(), 0..1e6, 0
  int32_t fixed_work;      // 1: every step does the work of its bound; 0..1, 0. CONFLICT with sleep, tearing, geometry
  int32_t geometry;        // 1: for hulls, height fields and distance grids; 0..1, 0
  int32_t meshes;          // mesh colliders, shared ones included, 0..16, 0
  int32_t max_shared_bodies; // near the cloth in a step, 0..64, 0
  int32_t workers;           // pieces for cloth_workers, 0..CLOTH_WORKER_LIMIT, 0; all but 0 give equal bits
} cloth_config_capacity;

// Fixed for the life of a cloth. Start from cloth_config_default().
typedef struct cloth_config {
  uint32_t cookie; // set by cloth_config_default()

  // Usual settings
  int32_t columns;        // particles along the warp, 2..CLOTH_GRID_LIMIT, 32
  int32_t rows;           // particles along the weft, 2..CLOTH_GRID_LIMIT, 32
  cloth_vector origin;    // position of particle (0, 0) [m], 0
  cloth_vector edge_warp; // from there to (columns - 1, 0), of a tube once around [m], (1, 0, 0)
  cloth_vector edge_weft; // from there to (0, rows - 1) [m], (0, 0, 1); spacings 1e-4..100 m; see docs/reference.md
  cloth_fabric fabric;
  cloth_vector gravity;  // [m/s^2] -1e4..1e4, (0, -9.81, 0)
  cloth_vector wind;     // [m/s] -1000..1000, 0
  int32_t substeps;      // more are livelier, each is 1/60 s at most, 1..CLOTH_SUBSTEP_LIMIT or CLOTH_AUTOMATIC, 2
  int32_t iterations;    // of the solver in a substep, 1..CLOTH_ITERATION_LIMIT, CLOTH_AUTOMATIC
  float thickness;       // distance kept from colliders [m] 0..1, 0.01
  int32_t max_colliders; // 0..CLOTH_COLLIDER_LIMIT, 16
  float self_thickness;  // distance kept from itself [m] up to half the shorter spacing, 0: passes through itself
  float self_friction;   // Coulomb coefficient with itself, 0..10, 0.3

  // Advanced settings
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

// What the build leaves out is off.
CLOTH_API cloth_config cloth_config_default(void);
// The adaptive scheme nearest to that of Boxerman's thesis (2003): docs/guide.md, "Kappa".
CLOTH_API int cloth_config_use_imex(cloth_config *config);
// Say what is wrong, as "fabric.bend: 0..10 N m", or "ok" (128 bytes); errors of cloth_init() or cloth_set_fabric().
CLOTH_API int cloth_config_explain(const cloth_config *config, char *text, size_t bytes);
CLOTH_API int cloth_fabric_explain(const cloth_fabric *fabric, char *text, size_t bytes);

/// Memory ///

// The arena has three spans in this order. Only the size of scratch differs between builds.
typedef struct cloth_memory {
  size_t total_bytes;                     // exact size of the arena
  size_t constant_offset, constant_bytes; // written by cloth_init() alone
  size_t state_offset, state_bytes;       // all that the next step depends on
  size_t scratch_offset, scratch_bytes;   // work space, statistics
  size_t saved_bytes;                     // for cloth_save()
  size_t image_bytes;                     // for cloth_write_image()
  size_t shared_bytes;                    // for cloth_set_scratch()
} cloth_memory;
CLOTH_API int cloth_memory_needed(const cloth_config *config, cloth_memory *memory);
// Makes a cloth in an arena of `bytes` bytes and writes its address to *out. CONFIG, CONFLICT.
CLOTH_API int cloth_init(const cloth_config *config, void *arena, size_t bytes, cloth **out);
CLOTH_API int cloth_get_memory(const cloth *c, cloth_memory *memory);
// Gives scratch outside the arena, which cloths may share, before the first step and after either has moved.
CLOTH_API int cloth_set_scratch(cloth *c, void *scratch, size_t bytes);

/// Stepping ///

typedef enum cloth_note {
  CLOTH_NOTE_MADE_IMPLICIT = 1,   // what should be explicit was unstable
  CLOTH_NOTE_SPEED_LIMITED = 4,   // a particle was slowed to integration.max_speed
  CLOTH_NOTE_RECOVERED = 8,       // a particle out of range or not finite was put back, at rest
  CLOTH_NOTE_FLUSHES = 16,        // of cloth_self_test(): subnormal numbers become 0, results are the same
  CLOTH_NOTE_FAR = 32,            // a coordinate is over 32768 spacings, so the cloth trembles: see "Origin"
  CLOTH_NOTE_ORIGIN_MOVED = 64,   // by world.recentre_distance
  CLOTH_NOTE_PAIRS_DROPPED = 512, // self.pairs had no room for all
  CLOTH_NOTE_TEARS_WAIT = 4096,   // more than tearing.max_breaks
  CLOTH_NOTE_TORN_HIDDEN = 8192,  // more than tearing.max_torn_cells
  CLOTH_NOTE_TANGLED = 1024       // the sheet passes through itself or another cloth
} cloth_note;

// Advances by dt [s] 1e-6..1. Returns CLOTH_OK or a sum of cloth_note. RANGE: also a pin too fast for dt.
// UNSTABLE. GEOMETRY: a collider needs cloth_step_with().
CLOTH_API int cloth_step(cloth *c, float dt);

/// Reading and drawing ///

// Positions [m], velocities [m/s], unit normals. The velocity of a pin after cloth_move_pin() is its way [m].
CLOTH_API int cloth_get_positions(const cloth *c, cloth_vector_view *view);
CLOTH_API int cloth_get_velocities(const cloth *c, cloth_vector_view *view);
CLOTH_API int cloth_get_position(const cloth *c, int32_t particle, cloth_vector *position);
CLOTH_API int cloth_get_velocity(const cloth *c, int32_t particle, cloth_vector *velocity);
CLOTH_API int cloth_get_normal(const cloth *c, int32_t particle, cloth_vector *normal);
// The axis-aligned box around all particles [m].
CLOTH_API int cloth_get_bounds(const cloth *c, cloth_vector *low, cloth_vector *high);

#define CLOTH_ATTRIBUTE_NONE (-1) // offset of an attribute that is not there

// Interleaved vertices, with byte offsets of attributes. Other bytes are left alone.
typedef struct cloth_vertex_layout {
  int32_t stride;          // [bytes] 1..65536
  int32_t position_offset; // 3 floats [m]
  int32_t normal_offset;   // 3 floats, unit length
  int32_t texcoord_offset; // 2 floats: column / (columns - 1), of a tube column / columns; row / (rows - 1)
} cloth_vertex_layout;

// Returns columns * rows, of a tube (columns + 1) * rows; with tearing 12 tearing.max_torn_cells more.
CLOTH_API int cloth_get_vertex_count(const cloth *c);
// Writes row by row, to any alignment. Rows of a tube end with their first vertex again, u = 1. Torn cells follow.
CLOTH_API int cloth_write_vertices(const cloth *c, const cloth_vertex_layout *layout, void *vertices, size_t bytes);
// Return the number of triangle indices, 6 a cell and up to 18 a torn one more; write them, each plus `first_vertex`.
CLOTH_API int cloth_get_index_count(const cloth *c);
CLOTH_API int cloth_write_indices16(const cloth *c, uint16_t first_vertex, uint16_t *indices, size_t count);
CLOTH_API int cloth_write_indices32(const cloth *c, uint32_t first_vertex, uint32_t *indices, size_t count);

/// Pins ///

// Returns the index of a particle.
CLOTH_API int cloth_particle_at(const cloth *c, int32_t column, int32_t row);
// Holds a particle where it is.
CLOTH_API int cloth_pin(cloth *c, int32_t particle);
// Move a pin to `target` [m], up to 1e5 m away, in the next step, to rest there; or with a velocity [m/s] from now on.
// STATE: not pinned, or attached.
CLOTH_API int cloth_move_pin(cloth *c, int32_t particle, cloth_vector target);
CLOTH_API int cloth_set_pin_velocity(cloth *c, int32_t particle, cloth_vector velocity);
// Frees a pinned or confined particle with its velocity; drops a move not yet made.
CLOTH_API int cloth_release(cloth *c, int32_t particle);
// Sets position [m] and velocity [m/s], with which a pin goes on.
CLOTH_API int cloth_set_particle(cloth *c, int32_t particle, cloth_vector position, cloth_vector velocity);
// Adds an impulse [N s]; pins take none. RANGE: also a velocity beyond CLOTH_SPEED_LIMIT.
CLOTH_API int cloth_apply_impulse(cloth *c, int32_t particle, cloth_vector impulse);
// Impulse [N s] of the last step on what holds a particle. STATE: also if it is free.
CLOTH_API int cloth_get_pin_reaction(const cloth *c, int32_t particle, cloth_vector *impulse);

/// Colliders ///

// What each takes of a collider, in local axes.
typedef enum cloth_shape {
  CLOTH_SHAPE_PLANE,        // solid at y <= 0
  CLOTH_SHAPE_SPHERE,       // radius
  CLOTH_SHAPE_CAPSULE,      // radius at y = -half_height, radius_top at half_height; neither sphere in the other
  CLOTH_SHAPE_BOX,          // half_extents
  CLOTH_SHAPE_CYLINDER,     // radius, from y = -half_height to half_height
  CLOTH_SHAPE_HULL,         // convex, between planes; from here on see "Geometry"
  CLOTH_SHAPE_HEIGHT_FIELD, // ground below a grid of heights
  CLOTH_SHAPE_MESH,         // triangles
  CLOTH_SHAPE_DISTANCE_GRID // solid where signed distances are negative
} cloth_shape;

// Written by cloth_collider_set_geometry().
typedef struct cloth_geometry_key {
  int32_t place;    // in cloth_surroundings.geometries, 0..CLOTH_GEOMETRY_LIMIT - 1
  int32_t elements; // planes and edges, samples, or triangles
  uint32_t hash[2]; // low word first
} cloth_geometry_key;

typedef struct cloth_collider {
  int32_t shape;               // a cloth_shape, CLOTH_SHAPE_SPHERE
  cloth_geometry_key geometry; // 0: none
  cloth_pose pose;             // at the origin, not rotated
  float radius;                // [m] 1e-3..1e4, 0.25
  float radius_top;            // [m] 1e-3..1e4, 0.25
  float half_height;           // [m] 1e-3..1e4, 0.25
  cloth_vector half_extents;   // [m] 1e-3..1e4, 0.25
  float static_friction;       // Coulomb coefficient, 0..10, 0.5
  float kinetic_friction;      // Coulomb coefficient, 0..static_friction, 0.5
} cloth_collider;

// What the cloth did to a collider in the last step.
typedef struct cloth_reaction {
  cloth_vector impulse; // [N s]
  cloth_vector torque;  // angular impulse about its position [N m s]
} cloth_reaction;
CLOTH_API cloth_collider cloth_collider_default(void);
// As cloth_config_explain(), for cloth_add_collider().
CLOTH_API int cloth_collider_explain(const cloth_collider *collider, char *text, size_t bytes);
// Returns its index, 0 or above, which it keeps. CONFLICT. GEOMETRY: no key.
CLOTH_API int cloth_add_collider(cloth *c, const cloth_collider *collider);
// Replaces a collider, as a teleport. Errors as above.
CLOTH_API int cloth_set_collider(cloth *c, int32_t index, const cloth_collider *collider);
CLOTH_API int cloth_remove_collider(cloth *c, int32_t index);
// Moves it from `previous` (NULL: where it is) to `current` in the next step, to rest there.
CLOTH_API int cloth_move_collider(cloth *c, int32_t index, const cloth_pose *previous, const cloth_pose *current);
CLOTH_API int cloth_get_collider_reaction(const cloth *c, int32_t index, cloth_reaction *reaction);

// A particle and a collider that touched in the last step. It may stand for a point beside it.
typedef struct cloth_contact {
  int32_t particle;
  int32_t collider;
  int32_t is_touching;   // 1: also in the last substep; 0..1
  cloth_vector position; // of the particle or point when they last touched [m]
  cloth_vector normal;   // out of the collider there, unit length
  cloth_vector impulse;  // on the particle during the step [N s]
} cloth_contact;

// Writes up to `count`, in the order of particles. Returns how many there were.
CLOTH_API int cloth_get_contacts(const cloth *c, cloth_contact *contacts, int32_t count);

/// Gravity, wind and fabric ///

// A change of the wind with time, equal all over the cloth.
typedef struct cloth_gusts {
  cloth_vector strength; // largest change either way [m/s] 0..1000
  float period;          // mean time between gusts [s] 0.02..1000
  float start;           // time in the sequence to begin at [s] 0..1e6
  uint32_t seed;         // equal seed, period and time: equal wind
} cloth_gusts;

// Act from the next step on. Gusts NULL: none; with equal seed and period they go on, others begin at `start`.
CLOTH_API int cloth_set_gravity(cloth *c, cloth_vector gravity);
CLOTH_API int cloth_set_wind(cloth *c, cloth_vector wind);
CLOTH_API int cloth_set_gusts(cloth *c, const cloth_gusts *gusts);
CLOTH_API int cloth_set_fabric(cloth *c, const cloth_fabric *fabric);
// The wind as the next step begins, gusts included [m/s].
CLOTH_API int cloth_get_wind(const cloth *c, cloth_vector *wind);

/// Confinements and tethers ///

// Confine to a line or plane through the position, in place of a pin. Vectors of any length from 1e-6.
CLOTH_API int cloth_confine_to_line(cloth *c, int32_t particle, cloth_vector direction);
CLOTH_API int cloth_confine_to_plane(cloth *c, int32_t particle, cloth_vector normal);
// Returns degrees of freedom: 0 pinned, 1 on a line, 2 in a plane, 3 free.
CLOTH_API int cloth_get_freedom(const cloth *c, int32_t particle);
// Set or read the pin (-1: none) of a particle's tether `slot`, 0 or 1. The library chooses until you set one, and
// after cloth_reset_tethers(). STATE: not pinned, or absent.
CLOTH_API int cloth_set_tether(cloth *c, int32_t particle, int32_t slot, int32_t pin);
CLOTH_API int cloth_get_tether(const cloth *c, int32_t particle, int32_t slot, int32_t *pin);
CLOTH_API int cloth_reset_tethers(cloth *c);

/// Targets ///

// A target is where an animation without cloth has a particle. A backstop is a sphere behind it, against its normal.
typedef struct cloth_motion_constraint {
  float max_distance; // from the target [m] 0..CLOTH_ANY_DISTANCE, CLOTH_ANY_DISTANCE; 0: goes where the target goes
  float backstop_distance; // of its surface from the target [m] 0..1e4, 0
  float backstop_radius;   // [m] 0..1e4, 0: no backstop
  float drive;             // stiffness of a spring to the target [N/m] 0..1e6, 0: none
} cloth_motion_constraint;
CLOTH_API cloth_motion_constraint cloth_motion_constraint_default(void);
CLOTH_API int cloth_set_motion_constraint(cloth *c, int32_t particle, const cloth_motion_constraint *constraint);
// Targets move in the next step, or are set, to vertices as cloth_write_vertices() writes them; without normals there
// are no backstops.
CLOTH_API int cloth_move_targets(cloth *c, const cloth_vertex_layout *layout, const void *vertices, size_t bytes);
CLOTH_API int cloth_set_targets(cloth *c, const cloth_vertex_layout *layout, const void *vertices, size_t bytes);

/// Origin and moving frames ///

// Positions are relative to the cloth's origin, a whole metre of the world, best within 1 km of it.
CLOTH_API int cloth_get_origin(const cloth *c, cloth_metres *origin);
// Move the origins, not the cloths, to a place, or to the middle of all, which is written unless `origin` is NULL.
CLOTH_API int cloth_set_origin(cloth *const *cloths, int32_t count, cloth_metres origin);
CLOTH_API int cloth_recentre(cloth *const *cloths, int32_t count, cloth_metres *origin);
// What is at p from the origin of `to` is at p + *offset [m] from that of `from`. RANGE: over 2^24 m.
CLOTH_API int cloth_get_origin_offset(const cloth *from, const cloth *to, cloth_vector *offset);

// Shares of a frame's motion that the cloth feels; `centrifugal`: of the rotation that it does not feel, 0..1.
typedef struct cloth_inertia {
  float linear, angular, centrifugal;
} cloth_inertia;

// Takes the cloth, and colliders whose bit is set, along with a frame, for a step of dt. Move pins, targets and
// colliders afterwards. `inertia` NULL: a teleport.
CLOTH_API int cloth_move_frame(cloth *c, const cloth_pose *from, const cloth_pose *to, const cloth_inertia *inertia,
                               float dt, uint64_t colliders);

/// State ///

// A step is a function of state, config and dt. cloth_memory has the sizes. To load or read needs an equal config:
// IMAGE_VERSION, IMAGE_CONFIG, IMAGE_DAMAGED, IMAGE_CONTENT. Save and load: for rollback in the same build.
CLOTH_API int cloth_save(const cloth *c, void *buffer, size_t bytes);
CLOTH_API int cloth_load(cloth *c, const void *buffer, size_t bytes);
// For files and other machines, with a hash: bytes from anywhere are safe.
CLOTH_API int cloth_write_image(const cloth *c, void *image, size_t bytes);
CLOTH_API int cloth_read_image(cloth *c, const void *image, size_t bytes);
// A hash of the state, the same on every machine; cloth_hash_fold() makes 32 bits of it.
CLOTH_API int cloth_hash(const cloth *c, uint64_t *hash);
CLOTH_API uint32_t cloth_hash_fold(uint64_t hash);

/// Cuts ///

// A straight line in columns and rows [cells] -1024..1024.
typedef struct cloth_cut_line {
  float column, row, end_column, end_row;
} cloth_cut_line;

// Returns the number of threads cut. STATE: tearing.max_breaks is 0.
CLOTH_API int cloth_cut(cloth *c, const cloth_cut_line *cut);

/// Queries ///

typedef struct cloth_ray {
  cloth_vector origin;    // [m]
  cloth_vector direction; // of length 1e-6 or more, components within 1e10
  float max_distance;     // [m] 0..CLOTH_ANY_DISTANCE
  float thickness;        // distance that counts as cloth [m] 0..1; below 1e-6 as 0
} cloth_ray;

// A point on the triangles that cloth_write_indices16() writes.
typedef struct cloth_surface_point {
  int32_t triangle;      // its indices begin at 3 * triangle
  int32_t particle[3];   // at its corners
  float weight[3];       // barycentric, 0..1, sum 1
  cloth_vector position; // [m]
  cloth_vector normal;   // of the triangle, unit length; y if collapsed
  int32_t side;          // 1: the ray or `from` comes from the side of the normal, else -1
  float distance;        // along the ray, or from `from` [m]
} cloth_surface_point;

// First point on a ray, or nearest to `from` within max_distance [m] 0..CLOTH_ANY_DISTANCE. Return 1, or 0 for none.
CLOTH_API int cloth_cast_ray(const cloth *c, const cloth_ray *ray, cloth_surface_point *point);
CLOTH_API int cloth_find_nearest(const cloth *c, cloth_vector from, float max_distance, cloth_surface_point *point);

/// Skinned meshes ///

#define CLOTH_BINDING_LIMIT 1048576 // most vertices of a mesh
#define CLOTH_BINDING_CLOTHS 64     // most cloths that it follows

// Place of a vertex on a cloth. docs/reference.md has the fields.
typedef struct cloth_binding {
  uint16_t column, row; // of the cell
  uint16_t u, v;        // in the cell
  int16_t height;       // along the normal
  int16_t normal[2];
  uint8_t tangent;
  uint8_t weight; // share of the cloth, 255: all, 0: not bound; the only one to change
} cloth_binding;

// As cloth_vertex_layout.
typedef struct cloth_skin_layout {
  int32_t count;           // vertices, 0..CLOTH_BINDING_LIMIT
  int32_t stride;          // [bytes] 1..65536
  int32_t position_offset; // 3 floats [m]; required
  int32_t normal_offset;   // 3 floats, read with length 1e-5..1e6
  int32_t tangent_offset;  // 4 floats: as the normal, then the sign of the bitangent, 1 or -1
} cloth_skin_layout;

// Distance of a vertex from the cloth [m]; between the two in proportion.
typedef struct cloth_bind_reach {
  float full; // up to here weight 255, 0..CLOTH_ANY_DISTANCE
  float none; // from here on 0, full..CLOTH_ANY_DISTANCE, above 0
} cloth_bind_reach;

// Binds vertices to the nearest of `count` cloths as they are now: once, in a smooth pose. Returns how many were bound.
CLOTH_API int cloth_bind(cloth *const *cloths, int32_t count, const cloth_skin_layout *layout, const void *vertices,
                         const cloth_bind_reach *reach, cloth_binding *bindings);
// Writes the mesh as its cloths are now. `animated`: the mesh without cloth, blended in by weights, or NULL.
CLOTH_API int cloth_skin(cloth *const *cloths, int32_t count, const cloth_binding *bindings,
                         const cloth_skin_layout *layout, const void *animated, void *vertices);

/// Output between two states ///

// What cloth_keep_positions() copies, to draw between two steps.
typedef struct cloth_blend {
  cloth_vector *positions; // memory of yours for `count` positions [m]
  int32_t count;           // particles of the cloth
  cloth_metres origin;     // of the cloth then
  float fraction;          // of the way to now, 0..1
} cloth_blend;

// Copies positions and origin. BUFFER: another count.
CLOTH_API int cloth_keep_positions(const cloth *c, cloth_blend *blend);
// As cloth_write_vertices() and cloth_skin(); a blend for each cloth.
CLOTH_API int cloth_write_blended_vertices(cloth *c, const cloth_blend *blend, const cloth_vertex_layout *layout,
                                           void *vertices, size_t bytes);
CLOTH_API int cloth_skin_blended(cloth *const *cloths, int32_t count, const cloth_blend *blends,
                                 const cloth_binding *bindings, const cloth_skin_layout *layout, const void *animated,
                                 void *vertices);

/// Bodies ///

// A collider with mass, which cloth and gravity move. docs/guide.md couples it with an engine.
typedef struct cloth_body {
  float mass;            // [kg] 1e-6..1e9
  cloth_vector inertia;  // principal moments in the collider's axes [kg m^2] 1e-9..1e12, or all 0: does not turn
  cloth_vector velocity; // of the collider's position, the centre of mass [m/s]
  cloth_vector spin;     // angular velocity in world axes [rad/s] within 1e4
  float gravity;         // share of the cloth's, 0..1
} cloth_body;

// At rest, gravity 1, inertia of a uniform solid.
CLOTH_API cloth_body cloth_body_default(const cloth_collider *collider, float mass);
// NULL: without mass. CONFLICT: a height field, mesh or distance grid.
CLOTH_API int cloth_set_body(cloth *c, int32_t collider, const cloth_body *body);
// STATE: without mass.
CLOTH_API int cloth_get_body(const cloth *c, int32_t collider, cloth_body *body, cloth_pose *pose);
// Pins a particle to a collider at `point` in its axes [m], NULL: where it is. cloth_release() ends it.
CLOTH_API int cloth_attach(cloth *c, int32_t particle, int32_t collider, const cloth_vector *point);

/// Geometry ///

#define CLOTH_GEOMETRY_LIMIT 1024    // most geometries of a step
#define CLOTH_SHARED_BODY_LIMIT 1024 // most bodies that cloths share
#define CLOTH_HULL_PLANE_LIMIT 64    // most planes of a hull
#define CLOTH_TRIANGLE_LIMIT 1000000 // most triangles of a mesh
#define CLOTH_SAMPLE_LIMIT 4194304   // most samples of a height field or distance grid

// In memory of yours, without pointers, for any cloths on any threads.
typedef struct cloth_geometry cloth_geometry;

// All p with normals[i] . p <= offsets[i].
typedef struct cloth_hull_data {
  const cloth_vector *normals; // unit length, to 1e-3
  const float *offsets;        // [m] -1e4..1e4
  int32_t planes;              // 4..CLOTH_HULL_PLANE_LIMIT
} cloth_hull_data;

// Solid below samples at x = column * spacing_x, z = row * spacing_z; nothing beyond the sides.
typedef struct cloth_height_data {
  const float *heights;       // along y, row by row [m] -1e4..1e4
  int32_t columns, rows;      // 2..4096, together up to CLOTH_SAMPLE_LIMIT
  float spacing_x, spacing_z; // [m] 1e-3..1e3
} cloth_height_data;

typedef struct cloth_mesh_data {
  const cloth_vector *vertices; // [m] -1e4..1e4
  int32_t vertex_count;         // 3..3 * CLOTH_TRIANGLE_LIMIT
  const uint32_t *indices;      // three a triangle
  int32_t triangle_count;       // 1..CLOTH_TRIANGLE_LIMIT
  int32_t one_sided;            // 1: only counter-clockwise sides, for closed meshes; 0: both, for open ones; 0..1, 0
} cloth_mesh_data;

// Negative in the solid, trilinear between samples, at most 1.01 spacings apart.
typedef struct cloth_distance_data {
  const float *distances;            // x fastest, then y, then z [m] -1e4..1e4
  int32_t count_x, count_y, count_z; // 2..1024, together up to CLOTH_SAMPLE_LIMIT
  float spacing;                     // [m] 1e-3..1e3
  cloth_vector low;                  // local position of sample (0, 0, 0) [m] -1e4..1e4
} cloth_distance_data;

// A shape, and the data of that shape.
typedef struct cloth_geometry_data {
  int32_t shape; // a cloth_shape with geometry
  cloth_hull_data hull;
  cloth_height_data height_field;
  cloth_mesh_data mesh;
  cloth_distance_data distance_grid;
} cloth_geometry_data;
CLOTH_API cloth_geometry_data cloth_geometry_data_default(int32_t shape);
CLOTH_API int cloth_geometry_bytes(const cloth_geometry_data *data, size_t *bytes);
// CONFLICT: a degenerate triangle, planes that enclose no solid.
CLOTH_API int cloth_build_geometry(const cloth_geometry_data *data, void *memory, size_t bytes,
                                   const cloth_geometry **out);
// As cloth_config_explain(), for cloth_build_geometry().
CLOTH_API int cloth_geometry_explain(const cloth_geometry_data *data, char *text, size_t bytes);
// Sets shape and key for a geometry at this place in the table of every step. GEOMETRY.
CLOTH_API int cloth_collider_set_geometry(cloth_collider *collider, const cloth_geometry *geometry, int32_t place);

// Moves from `previous` to collider.pose in the next step.
typedef struct cloth_shared_body {
  cloth_collider collider;
  cloth_pose previous;
} cloth_shared_body;

// Threads of yours: `run` calls piece(job, n) for n = 0..count - 1, in any order, and returns when all have ended and
// their writes are seen.
typedef void (*cloth_piece)(void *job, int32_t number);
typedef struct cloth_workers {
  void (*run)(void *context, cloth_piece piece, void *job, int32_t count);
  void *context; // first argument of `run`
} cloth_workers;

// Around cloths in a step. A cloth takes up to capacity.max_shared_bodies bodies near it, in this order;
// cloth_contact numbers them from max_colliders on.
typedef struct cloth_surroundings {
  const cloth_geometry *const *geometries; // NULL at places that no collider names
  int32_t geometry_count;                  // 0..CLOTH_GEOMETRY_LIMIT
  const cloth_shared_body *bodies;
  int32_t body_count;           // 0..CLOTH_SHARED_BODY_LIMIT
  cloth_reaction *reactions;    // NULL, or one a body, to which the cloth adds
  cloth_metres origin;          // of the bodies, within CLOTH_ORIGIN_LIMIT
  const cloth_workers *workers; // with capacity.workers, or NULL
} cloth_surroundings;

// As cloth_step(). GEOMETRY: a collider's geometry is not at its place.
CLOTH_API int cloth_step_with(cloth *c, float dt, const struct cloth_surroundings *around);

/// Sleep and rest ///

// With sleep.speed a cloth sleeps when nothing was faster for sleep.time. Calls that change what acts on it wake it.
// cloth_is_asleep() returns 1 or 0.
CLOTH_API int cloth_wake(cloth *c);
CLOTH_API int cloth_is_asleep(const cloth *c);

#define CLOTH_SETTLE_LIMIT 100000 // most steps of a call

typedef struct cloth_settle_report {
  int32_t settled;         // 1: no particle was faster than 0.75 `speed` for three seconds; 0..1
  int32_t steps, substeps; // made
  int32_t stops;           // of the whole cloth
  float speed;             // of the fastest particle, last or before a stop [m/s]
  uint32_t work[2];        // as in cloth_statistics
} cloth_settle_report;

// Bring a cloth to rest by kinetic damping (Barnes 1999), slower than `speed` [m/s] 1e-4..10, in up to `max_steps`,
// 1..CLOTH_SETTLE_LIMIT; 0.01 and 900 suit steps of 1/60 s. Pins stop. `report` may be NULL.
CLOTH_API int cloth_settle(cloth *c, float dt, float speed, int32_t max_steps, cloth_settle_report *report);
CLOTH_API int cloth_settle_with(cloth *c, float dt, const struct cloth_surroundings *around, float speed,
                                int32_t max_steps, cloth_settle_report *report);
CLOTH_API int cloth_get_settle_bound(const cloth *c, float dt, int32_t max_steps, uint64_t *work);

/// Work, deadlines and plans ///

// How far a step was refined, which repeats it to the bit on any machine.
typedef struct cloth_effort {
  int32_t refinements; // solver iterations beyond 3 of each solve, 0 or more
  int32_t cut_short;   // 1: the deadline left out others; 0..1
} cloth_effort;

// Steps; after `ticks` of the port's CLOTH_TICKS(), UINT32_MAX: never, with 3 iterations a solve. cloth_step_again()
// repeats such a step. STATE: capacity.fixed_work.
CLOTH_API int cloth_step_until(cloth *c, float dt, uint32_t ticks, cloth_effort *effort);
CLOTH_API int cloth_step_again(cloth *c, float dt, const cloth_effort *effort);
CLOTH_API int cloth_step_until_with(cloth *c, float dt, const cloth_surroundings *around, uint32_t ticks,
                                    cloth_effort *effort);
CLOTH_API int cloth_step_again_with(cloth *c, float dt, const cloth_surroundings *around, const cloth_effort *effort);
// The most work of the next step, or of any cloth of a config, in about instructions, the same on every machine.
CLOTH_API int cloth_get_work_bound(const cloth *c, float dt, uint64_t *work);
CLOTH_API int cloth_config_work_bound(const cloth_config *config, float dt, uint64_t *work);

typedef struct cloth_forecast {
  uint64_t work; // cloth_config_work_bound()
  float stretch; // mean largest strain of a sheet swinging by two corners, to a factor of two
} cloth_forecast;

// Chooses substeps and iterations for least stretch within `work`, or, if `stretch` (0..1e6) is not 0, for least work
// within it, and within `work` unless 0. NO_PLAN.
CLOTH_API int cloth_plan(const cloth_config *config, float dt, uint64_t work, float stretch, cloth_config *planned,
                         cloth_forecast *forecast);

/// Groups ///

// Cloths with self_thickness that touch each other. They are stepped together, with the most substeps of one, in order.
#define CLOTH_GROUP_LIMIT 16      // most cloths of a group
#define CLOTH_GROUP_BODY_LIMIT 64 // most bodies that they have in common
#define CLOTH_SEAM_LIMIT 64       // most seams
#define CLOTH_STITCH_LIMIT 16384  // most particles of the longer sides of all seams

// Two cloths that touch in another way than their configs say.
typedef struct cloth_group_pair {
  int32_t a, b;    // places in the group, not equal
  float thickness; // [m] 0..1, 0: they pass
  float friction;  // Coulomb coefficient, 0..10
} cloth_group_pair;

// Particles along a seam.
typedef struct cloth_seam_side {
  int32_t cloth;       // place in the group
  int32_t first, next; // first particle, and from each to the next: 1 along a row, columns along a column, or negative
  int32_t count;       // 1..particles of the cloth
  const int32_t *particles; // NULL, or `count` instead of first and next
} cloth_seam_side;

// Joins two sides, of two cloths or one. Where one has more particles, N, its particle n is joined to the point at
// n (M - 1) / (N - 1) of the other's M.
typedef struct cloth_seam {
  cloth_seam_side a, b;
  float stiffening; // stiffness against folding over that of uncut cloth, less 1, -1..100, 0; -1: free
} cloth_seam;

// A body with mass that is a collider of several cloths. The first of them says how it moves.
typedef struct cloth_group_body {
  int32_t colliders[CLOTH_GROUP_LIMIT]; // of each cloth, in the order of the group; -1: none
} cloth_group_body;

// Start from cloth_group_default(). Nothing is kept.
typedef struct cloth_group {
  uint32_t cookie;                    // set by cloth_group_default()
  int32_t count;                      // cloths, 1..CLOTH_GROUP_LIMIT, 0
  cloth *const *cloths;               // each once; of two the larger self_thickness and self_friction count
  int32_t pairs;                      // room for candidates between cloths, per particle, 1..32, 24
  int32_t exception_count;            // 0..120, 0
  const cloth_group_pair *exceptions; // of equal ones the last counts
  const cloth_surroundings *around;   // or NULL
  int32_t seam_count;                 // 0..CLOTH_SEAM_LIMIT, 0
  const cloth_seam *seams;            // join no two particles twice
  int32_t body_count;                 // 0..CLOTH_GROUP_BODY_LIMIT, 0
  const cloth_group_body *bodies;     // no two are one collider
  float seam_speed;                   // at which sides that are apart are pulled together [m/s] 1e-3..1000, 1
} cloth_group;
CLOTH_API cloth_group cloth_group_default(void);
// Memory of a step, which groups may share. Errors of all calls with groups: docs/reference.md.
CLOTH_API int cloth_group_bytes(const cloth_group *group, size_t *bytes);
// Steps all cloths by dt [s], or none, in place of cloth_step() for each. Returns a sum of cloth_note.
CLOTH_API int cloth_step_together(const cloth_group *group, float dt, void *memory, size_t bytes);
// As cloth_step_until() and cloth_step_again(), with an effort for each cloth.
CLOTH_API int cloth_step_together_until(const cloth_group *group, float dt, void *memory, size_t bytes, uint32_t ticks,
                                        cloth_effort *efforts);
CLOTH_API int cloth_step_together_again(const cloth_group *group, float dt, void *memory, size_t bytes,
                                        const cloth_effort *efforts);
CLOTH_API int cloth_group_work_bound(const cloth_group *group, float dt, uint64_t *work);
// Largest distance of a particle from what it is joined to, now [m].
CLOTH_API int cloth_group_seam_gap(const cloth_group *group, int32_t seam, float *gap);
// cloth_bind(), cloth_skin() and cloth_write_vertices() for all cloths in order, smooth over seams up to 120 degrees.
// `blends`: one for each cloth, or NULL.
CLOTH_API int cloth_bind_group(const cloth_group *group, const cloth_skin_layout *layout, const void *vertices,
                               const cloth_bind_reach *reach, cloth_binding *bindings);
CLOTH_API int cloth_skin_group(const cloth_group *group, const cloth_blend *blends, const cloth_binding *bindings,
                               const cloth_skin_layout *layout, const void *animated, void *vertices);
CLOTH_API int cloth_write_group_vertices(const cloth_group *group, const cloth_blend *blends,
                                         const cloth_vertex_layout *layout, void *vertices, size_t bytes);

/// Statistics ///

typedef enum cloth_family {
  CLOTH_FAMILY_STRETCH_WARP,
  CLOTH_FAMILY_STRETCH_WEFT,
  CLOTH_FAMILY_SHEAR,
  CLOTH_FAMILY_BEND,
  CLOTH_FAMILY_COUNT
} cloth_family;

typedef enum cloth_mode {
  CLOTH_MODE_OFF, // no stiffness, no damping
  CLOTH_MODE_EXPLICIT,
  CLOTH_MODE_IMPLICIT
} cloth_mode;

// Of a step.
typedef enum cloth_stage {
  CLOTH_STAGE_PREDICTION, // coefficients, predicted places, bodies, contact candidates
  CLOTH_STAGE_FORCES,     // forces and blocks
  CLOTH_STAGE_SOLVE,      // conjugate gradients
  CLOTH_STAGE_GUARDS,     // reactions of pins, momentum, energy
  CLOTH_STAGE_ACCEPTANCE, // new positions and velocities, contacts, tears
  CLOTH_STAGE_COUNT
} cloth_stage;

// The last step, all substeps together.
typedef struct cloth_statistics {
  int32_t notes; // sum of cloth_note
  int32_t substeps;
  int32_t asleep;                   // 1: nothing was done; 0..1
  float kappa[CLOTH_FAMILY_COUNT];  // largest stability number; bend: h^2/m times a hinge's stiffness
  int32_t mode[CLOTH_FAMILY_COUNT]; // a cloth_mode, in the first substep
  int32_t iterations;               // of the solver
  int32_t max_substep_iterations;   // of the substep that took most
  float bend_ratio;                 // rigidity by grid.min_bending_length over bend; 0 if bend is 0
  int32_t contacts;                 // particles that touch colliders at the end, as cloth_contact
  int32_t contacts_sticking;        // of these held by static friction
  int32_t contacts_dropped;         // beyond capacity.max_contacts
  int32_t particles_limited;        // slowed to integration.max_speed
  int32_t particles_recovered;      // put back, see CLOTH_NOTE_RECOVERED
  int32_t threads_torn, pins_torn;
  int32_t overflows;                 // searches cut short: contacts may have been missed
  cloth_metres origin_shift;         // of the step: subtract it from what you keep
  uint32_t work[2];                  // done, low and high word, see cloth_get_work_bound()
  uint32_t ticks[CLOTH_STAGE_COUNT]; // of the port's timer, or 0
} cloth_statistics;
CLOTH_API int cloth_get_statistics(const cloth *c, cloth_statistics *statistics);
// Returns the solver iterations of a substep.
CLOTH_API int cloth_get_substep_iterations(const cloth *c, int32_t substep);

// Contact with itself and its group in the last step; 0 while asleep.
typedef struct cloth_self_statistics {
  int32_t gathers;       // searches for candidates
  int32_t visits;        // pairs of boxes compared
  int32_t pairs;         // candidates of the last search
  int32_t pairs_dropped; // without room, in all searches
  int32_t contacts;      // pairs that press at the end
  int32_t intersections; // edges through triangles at the start
  int32_t tangled;       // particles of these for three steps, or from birth
} cloth_self_statistics;
// STATE: self_thickness is 0.
CLOTH_API int cloth_get_self_statistics(const cloth *c, cloth_self_statistics *statistics);

typedef struct cloth_measures {
  float max_stretch;      // largest strain of a stretch spring not between two pins; 0 without one
  float rms_stretch;      // root mean square of all, slack ones as 0
  float kinetic_energy;   // [J]
  float elastic_energy;   // of stretch, shear and bending [J]
  float potential_energy; // in gravity, 0 at the origin [J]
} cloth_measures;
CLOTH_API int cloth_measure(const cloth *c, cloth_measures *measures);
// Whether this build computes the known bits: CLOTH_OK or CLOTH_NOTE_FLUSHES, or an error of arithmetic, -18 to -22.
CLOTH_API int cloth_self_test(void);

/// Errors ///

typedef enum cloth_error {
  CLOTH_OK = 0,
  CLOTH_ERROR_NULL = -1,              // a required pointer is NULL
  CLOTH_ERROR_CONFIG = -2,            // not made by this version's cloth_config_default() or cloth_group_default()
  CLOTH_ERROR_RANGE = -3,             // a value is not finite or outside its range
  CLOTH_ERROR_CONFLICT = -4,          // settings or data exclude each other
  CLOTH_ERROR_LEFT_OUT = -5,          // a CLOTH_NO_... switch leaves out what this needs
  CLOTH_ERROR_ARENA = -6,             // memory is too small, not aligned to CLOTH_ALIGNMENT, or overlaps
  CLOTH_ERROR_NOT_A_CLOTH = -7,       // not an initialised cloth
  CLOTH_ERROR_INDEX = -8,             // no such particle, collider, tether, substep, seam or cell
  CLOTH_ERROR_STATE = -9,             // the cloth does not allow the call, by its config or as it is now
  CLOTH_ERROR_FULL = -10,             // no room by max_colliders or capacity
  CLOTH_ERROR_BUFFER = -11,           // a buffer or its elements are too small, or its layout does not fit
  CLOTH_ERROR_UNSTABLE = -12,         // explicit integration alone would be unstable
  CLOTH_ERROR_NO_PLAN = -13,          // no plan meets the goal
  CLOTH_ERROR_IMAGE_VERSION = -14,    // not a save or image, or of another version
  CLOTH_ERROR_IMAGE_CONFIG = -15,     // of another config
  CLOTH_ERROR_IMAGE_DAMAGED = -16,    // cut short, or not as the hash of an image says
  CLOTH_ERROR_IMAGE_CONTENT = -17,    // a value that no cloth can have
  CLOTH_ERROR_CONTRACTION = -18,      // a * b + c is rounded once, not twice
  CLOTH_ERROR_ROUNDING = -19,         // not to nearest, ties to even
  CLOTH_ERROR_EXCESS_PRECISION = -20, // floats are not evaluated as floats
  CLOTH_ERROR_SQUARE_ROOT = -21,      // not correctly rounded
  CLOTH_ERROR_LANES = -22,            // a vector operation differs from its scalar reference
  CLOTH_ERROR_GEOMETRY = -23          // not a geometry, or not the one that a collider names
} cloth_error;

// Without the prefix, as "RANGE"; "OK" for 0 and above, "unknown" for others.
CLOTH_API const char *cloth_result_name(int result);

#ifdef __cplusplus
}
#endif

#endif
