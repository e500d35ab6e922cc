#pragma once
#include "../base/compiler.h"

/// The cloth in its arena ///

/*
 * The structs and arrays that lie in a cloth's arena, and the owners of its scratch. The arena holds, in this order:
 * struct cloth; the constants (maps); the state, which is saved, loaded and hashed; the cloth's own scratch, some of
 * which callers read after a step; and the scratch that other cloths may share, of which nothing outlasts a step.
 * Arrays are found by byte offsets from the arena's start (access.h), so an arena can be copied and moved.
 *
 * Scratch that cloths may share belongs to the substep: arrays.h has the table of its arrays. Between substeps contact
 * of cloth with cloth takes arrays that the solve has left (self/tree.h), and so does tearing, residual. Kernels load
 * lanes past the end of arrays: prepare_scratch() clears the floats that they multiply there.
 */

#define CLOTH_MAGIC 0x68746f6cu  /* "loth", little-endian */
#define CLOTH_COOKIE 0xc10471e6u /* proves that a config was made by cloth_config_default() */

/* Directions of springs. A spring is stored at the first particle (row, column) of the cell whose upper edge (WARP),
   left edge (WEFT) or diagonal it is; an antidiagonal leads from (row, column + 1) to (row + 1, column). */
enum { WARP, WEFT, DIAGONAL, ANTIDIAGONAL, DIRECTIONS };

/* Tethers: pins came or went since they were chosen; they were chosen for the present pins; the caller has set some. */
enum { TETHERS_STALE, TETHERS_CHOSEN, TETHERS_SET };
/* Targets: there are none yet; they rest; they move during the next step. */
enum { TARGETS_NONE, TARGETS_STILL, TARGETS_MOVING };
/* The vectors that each particle keeps for its target. LIMIT is the motion constraint: max_distance, backstop_distance
   and backstop_radius. POSITION and NORMAL are those at the end of the next step, ..._BEFORE those at its start.
   MOTIONS: how many these are. */
enum { TARGET_LIMIT, TARGET_POSITION, TARGET_POSITION_BEFORE, TARGET_NORMAL, TARGET_NORMAL_BEFORE, TARGET_MOTIONS };
enum { TARGET_DRIVE = TARGET_MOTIONS, TARGET_VECTORS }; /* its x component: the stiffness of the drive [N/m] */
/* Maximum of tethers of a particle. */
#define TETHERS 2
/* Padding [floats] after the last array of each kind: kernels may load up to LANE_PAD floats past a row's end, and
   never store there. Other arrays follow each other at the same offsets for every lane width. */
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

/* What the caller may change between steps, beside particles and lists. Words; from last_substep on floats. */
typedef struct cloth_inputs {
  int32_t collider_end; /* one past the last slot in use */
  int32_t confined_count;
  int32_t tethers_chosen;    /* TETHERS_STALE ... */
  int32_t targets;           /* TARGETS_NONE ... */
  int32_t body_count;        /* colliders with mass */
  int32_t attachment_count;  /* particles that are attached to colliders, and ... */
  int32_t attachments_taken; /* ... how many of these, the first in the list, have given bodies their momentum */
  uint32_t gust_seed;
  uint32_t around_hash[2]; /* of the shared bodies near the cloth and of its links in the last step; 0: none */
  uint32_t gust_phase[2];  /* time in the gusts when the next step begins: whole periods, and 2^-32ths of one */
  cloth_metres origin;     /* where in the world the zero of all positions lies [m] */
  int32_t equal_substeps;  /* how many of the last substeps were as long as the last one; 0 before the first */
  float last_substep;      /* length of the last substep [s]; 0 before the first */
  cloth_vector gravity;
  cloth_vector wind;
  cloth_vector gust_strength;
  float gust_period; /* [s]; 0 without gusts */
  cloth_fabric fabric;
  float rest_time; /* how long every particle has been slower than the sleep speed [s]; ASLEEP for a sleeping cloth */
} cloth_inputs;

#define ASLEEP (-1.0f)
/* Substeps of equal length are counted so far. */
#define MOST_EQUAL_SUBSTEPS 2

/* A family of springs in a substep of the one equation, see terms/springs.h. */
typedef struct spring_terms {
  float rest;        /* rest length L [m] */
  float stiffness;   /* k' = s h^2 k / m0 [1] */
  float damping;     /* c' = s h kd / m0 [1] */
  float compression; /* share of k' that acts on a spring shorter than L */
  int32_t implicit;  /* 1: its block is part of the operator; 0: force only, see step/coefficients.h */
} spring_terms;

/* Coefficients of a substep: all is over the reference mass m0 and times s h^2, so unknowns are displacements [m]. */
typedef struct substep_terms {
  float h, inverse_h; /* length of the substep [s], and its inverse */
  float share;        /* s = 1 - 5 w / 9 with w, the share of BDF2 in the prediction */
  float blend;        /* w */
  float scale;        /* s h^2 / m0 [m/N] */
  float from, until;  /* where it begins and ends, in shares of its step */
  spring_terms spring[DIRECTIONS];
  float limit, limit_stiffness;  /* strain from which warp and weft are stiffer, 0: none; over the spring's own */
  float hinge[2];                /* kappa of hinges along warp and weft: s h^2 / m0 B' / side^2 (other side / side) */
  float twist;                   /* kappa_2 of cells: 2 s h^2 / m0 B' / (u v) */
  int32_t keeps_coarsest;        /* 1: substeps share the factors of the coarsest level, see solve/coarsest.h */
  float hinge_ratio;             /* the root of kappa along weft over that along warp: u^2 / v^2 */
  float bend_ratio, viscosity;   /* B' / B, 0 if B is 0; time constant of the plate's viscosity over h */
  int32_t plate_implicit, bends; /* 1 if its block is part of the operator; 1 if the cloth resists bending */
  int32_t solves;                /* 1 if any block is part of the operator */
  int32_t iterations, most_iterations; /* of the solve, and where those leave something */
  int32_t rounds;             /* most times that a solve does its iterations where something touches the cloth */
  float drag;                 /* 1 / (1 + velocity_damping h) */
  float dry_drag, rest_speed; /* the dry drag's change of speed [m/s]; 1 / speed^2 where half is left [s^2/m^2] */
} substep_terms;

/* What a step does, decided by plan_step() before the first substep. */
typedef struct step_plan {
  float dt;           /* of the step [s] */
  float h, inverse_h; /* length of a substep [s], and its inverse */
  int32_t substeps;
  int32_t index;  /* of the present substep */
  int32_t notes;  /* CLOTH_NOTE_... flags for the result */
  int32_t stride; /* substeps of the plan that the present one does at once; `index` is the last of them */
  substep_terms terms;
} step_plan;

/* Largest number of coarse levels: CLOTH_GRID_LIMIT, 1024, leads to sides of 513, 257, 129, 65, 33, 17, 9, 5, 3, 2. */
#define MAX_LEVELS 16

/* A coarse level of the preconditioner, see solve/levels.h. Offsets are floats from the start of scratch.levels. */
typedef struct grid_level {
  int32_t columns, rows, pitch, plane;
  int32_t residual, correction, inverse;
  int32_t is_ring;  /* 1: a tube */
  int32_t transfer; /* how it hangs on the finer level along the columns: TRANSFER_... */
  float share;      /* of the finer level's sums of springs */
} grid_level;

/* Whether pairs touch, and some of them cloth that is not solved now, as it sleeps. */
enum { PAIRS_NONE, PAIRS_TOUCH, PAIRS_HOLD };

/* The arrays of the solve, see arrays.h, and the shape of their rows. Passes copy it, as the stores of lanes may alias
   it. */
typedef struct solve_arrays {
  int32_t columns, rows, pitch, is_ring;
  ptrdiff_t plane, buffer; /* of near arrays and of row buffers */
  float *place, *direction, *solution, *turn, *product, *bent, *residual, *springs, *inverse, *diagonal;
  float *air, *ground, *factors; /* NULL without */
  uint32_t *ground_rows;         /* of each row: 1 if it has further blocks; behind these */
  float *buffers, *coefficients, *sums;
} solve_arrays;

/* The variables of a step, at the start of the scratch. */
typedef struct workspace {
  cloth_statistics statistics;
  step_plan plan;
  solve_arrays arrays;
  cloth_vector origin;      /* of positions within the step, relative to the cloth's origin [m]: see step_origin.h */
  float origin_reach;       /* largest |coordinate| of that origin [m] */
  uint32_t surroundings[2]; /* address of the caller's cloth_surroundings during a step, low word first; else 0 */
  int32_t shared_bodies;    /* shared bodies that take part in the step, in own.shared_bodies; each step sets it */
  uint32_t tick;            /* CLOTH_TICKS() when the last stage ended */
  uint32_t start;           /* tick when a step with a deadline began */
  uint32_t ticks;           /* ticks from there to the deadline */
  int32_t has_deadline;     /* 1 for a step with a deadline */
  int32_t is_cut;           /* 1 if the step may do max_refinements of optional work; 0: without limit */
  int32_t refinements;      /* pieces of optional work done so far */
  int32_t max_refinements;
  int32_t level_count, pins, pins_end; /* coarse levels; pinned particles, and one more than the last */
  int32_t coarsest; /* offset of the matrix of the coarsest level, in floats from the start of scratch.levels */
  grid_level levels[MAX_LEVELS];
  int32_t pieces;                       /* of the cloth, that nothing joins; 0 where it has no gaps */
  int32_t diagonal_changed, has_ground; /* 1: the last terms have added to scratch.diagonal; to scratch.ground */
  int32_t coarsest_is_kept;             /* 1: the next solve takes the factors of the coarsest level as they are */
  float kinetic;                        /* of the prediction of a substep */
  float unsolved;                       /* by how much the last iteration of its solve has changed the potential */
  int32_t energy_guarded; /* times that the ways of a substep were shortened because the energy had risen */
  float last_step;        /* length of the last iteration's step along its direction, see solve/solve.h */
  int32_t touches, searched, moved_out, parts, remembers; /* of contact, see contact/result.h */
  int32_t searched_before;                                /* for parts that were too long, since work was charged */
  int32_t may_run_away; /* 1: a solid is so near in the part that neighbours may pull particles into it: result.h */
  int32_t predictions;  /* of contacts with tethers, motion constraints and backstops in the part, see terms/bounds.h */
  int32_t cells, cell_searches; /* triangles that touch colliders in the part; that were looked at for that */
  int32_t has_pairs;            /* whether pairs of cloth and cloth touch in the part, see self/equation.h */
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
    float min_bending_length, explicit_threshold, bdf2_blend;
    int32_t substeps, max_substeps;
    float max_speed, velocity_damping;
    float rest_drag, rest_speed, max_push_speed;
    int32_t iterations, max_parts;
  } integration;
  cloth_config_tethers tethers;
  cloth_config_solver solver;
  cloth_config_strain_limit strain_limit;
  struct {
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

/* Self-contact, of which a cloth without it has nothing in its arena. The self_settings are the first of the constants,
   ages follow the freedoms of the state, the self_workspace the workspace. Boxes, candidates, intersections and visits
   are the end of the scratch that cloths may share; self/tree.h finds them. */
typedef struct self_settings {
  float thickness;  /* distance of the sheet to itself [m] */
  float friction;   /* coefficient of friction [1] */
  int32_t pairs;    /* room for candidates per particle */
  int32_t gathers;  /* most per step */
  int32_t untangle; /* 1: contact is released where the sheet stays tangled */
  int32_t shape;    /* a cloth_self_shape */
} self_settings;

/* Boxes around particles where they are, and where they will be if they keep their velocities [m], then around the
   edges along the warp and along the weft, at both times: for each of the four the least x, y, z and -x, -y, -z. All
   are minima, so that lanes can join two boxes. */
#define SELF_PLACE_FLOATS 12
#define SELF_BOX_FLOATS (2 * SELF_PLACE_FLOATS)
typedef struct self_boxes {
  float value[SELF_BOX_FLOATS];
} self_boxes;

/* What a mask leaves of a grid, and how it tears. Bytes of the mask, as in gaps.h, follow it. */
typedef struct gap_summary {
  int32_t cells, particles; /* that there are, and that belong to one */
  int32_t pieces;           /* parts of the cloth before it tears that nothing joins */
  int32_t kind;             /* GAPS_MASKED, GAPS_SHAPED, both or 0 */
  uint32_t tears;           /* byte offset from the start of the arena to the bytes of a cloth that may tear, in its
                               state; 0: it may not */
  uint32_t tear_map;        /* byte offset to the factors on the strain; 0: none */
  float tear_strain, pin_force;
  float least_factor; /* of the map */
  int32_t max_breaks, max_torn_cells;
} gap_summary;

/* A node of the tree of boxes. */
typedef struct self_node {
  self_boxes boxes;
  int32_t is_flat; /* 1: it does not touch itself, nor any of the nodes beside, below and across it another */
} self_node;

/* Pairs of cells that wait for each other: the largest CLOTH_LANES there is. */
#define SELF_BATCH 8

/* Two features of cloth that may touch, or an edge and the triangle that it passes through, see self/features.h. */
typedef struct pair_key {
  uint32_t first, second;
} pair_key;

/* What a pair that presses keeps, see self/memory.h. */
typedef struct pair_memory {
  pair_key key;
  cloth_vector force; /* on the first feature [N] */
} pair_memory;

/* Words before the first of a cloth: how many there are. */
#define PAIR_MEMORY_HEAD 2

/* Two cells, of one cloth or of two, and which of their features may touch, the candidates: see self/features.h. */
typedef struct cell_pair {
  uint32_t first, second;
} cell_pair;

/* What a triangle that touches a collider keeps, see contact/cell_memory.h. */
typedef struct cell_memory {
  uint32_t key, slides; /* slides: 1 with kinetic friction */
  float weight[2];      /* of the second and the third corner */
  cloth_vector force, anchor;
} cell_memory;

/* How an element of several particles presses: lambda, k and k_t; all 0 where it does not. */
typedef struct element_law {
  float force, along, across;
} element_law;

/* A pair that touches in a part of a substep, see self/pairs.h and self/equation.h. */
typedef struct pair_element {
  uint32_t candidate;  /* its pair of cells, and which of their features it is of */
  float share[2];      /* where the nearest points lie: what its weights follow from */
  float part;          /* of the stiffness of pairs that it has */
  cloth_vector normal; /* towards the first feature */
  cloth_vector offset; /* way along the surface that friction resists [m] */
  union {
    cloth_vector last; /* its force in the part before [N] ... */
    element_law law;   /* ... until it has a law */
  } press;
  float gap; /* where it is linearised, then where the solution leads [m] */
} pair_element;

/* A pair of nodes to be visited, each by its number in a level of the tree. */
typedef struct self_visit {
  uint16_t a, b;
  uint8_t level_a, level_b;
  uint8_t body_a, body_b; /* 0 within one cloth */
} self_visit;

/* What outlasts a gather. */
typedef struct self_workspace {
  cloth_self_statistics statistics;
  int32_t cells, candidates;           /* pairs of cells, and of features that may touch */
  int32_t elements;                    /* pairs that touch in the present part */
  int32_t attempt;                     /* at which gathers of parts of the step have found room */
  int32_t doubtful;                    /* pairs of the present part that may have passed each other */
  int32_t is_crowded;                  /* 1: there was no room for all candidates of the step */
  int32_t has_ages;                    /* 1: the step has found what is tangled */
  int32_t intersections;               /* how many there are */
  float fastest;                       /* largest speed of candidates relative to each other [m/s] ... */
  float fastest_of[CLOTH_GROUP_LIMIT]; /* ... and of those of each cloth */
  int32_t opened;                      /* 1: there are particles that were sewn, see self/candidates.h */
  uint16_t meets[CLOTH_GROUP_LIMIT];   /* of each cloth: which others it has candidates with, a bit each */
} self_workspace;

/* A box along the axes [m]. */
typedef struct position_box {
  cloth_vector low, high;
} position_box;

/* Most leaves that are listed for a block of particles. */
#define MOST_LEAVES 64

/* Leaves near a block of particles, in the order of the tree, and their boxes [m]. */
typedef struct mesh_leaves {
  float low[3][MOST_LEAVES], high[3][MOST_LEAVES];
  int32_t leaf[MOST_LEAVES];
  position_box box; /* around all */
  int32_t count;
  int32_t overflows; /* 1: there are more */
  uint32_t work;     /* see costs.h */
} mesh_leaves;

/* Byte offsets from the start of the arena to scratch that cloths may share, on either side of it, modulo the size of
   an address. 0 for arrays that the config does without. arrays.h has the table of most of them. */
typedef struct scratch_offsets {
  uintptr_t solution, direction, place, product, residual, diagonal, air, factors, labels, touches, bodies, cells;
  uintptr_t ground, row_buffers, transfer, coefficients, sums, operator_blocks, inverse, levels;
} scratch_offsets;

#define SCRATCH_PARTS (sizeof(scratch_offsets) / sizeof(uintptr_t))

/* Byte offsets from the start of the arena to the scratch that is never shared; 0 for what the config does without.
   Callers read the reports among it, which a step clears when it begins. */
typedef struct own_offsets {
  uint32_t workspace;     /* plan, statistics and variables of the step */
  uint32_t iterations;    /* of each substep */
  uint32_t reactions;     /* impulses on each collider, then on each shared body */
  uint32_t shared_bodies; /* near the cloth, as collider slots; of no bytes in a config without */
  uint32_t shared_places; /* their places in the caller's table */
  uint32_t contact_record;
  uint32_t pin_reactions; /* impulses on pins */
  uint32_t attached;      /* what attachments have passed on of these to colliders */
} own_offsets;

/* Byte offsets from the start of the arena to the constants; 0: no map. */
typedef struct constant_offsets {
  uint32_t mass_ratio, stiffness_map;
} constant_offsets;

/* Byte offsets from the start of the arena to the parts of the state, from `freedom` up to `end`. */
typedef struct state_offsets {
  uint32_t freedom, colliders, confined, inputs, position, velocity;
  uint32_t bodies, attachments, resting;
  uint32_t tethers, velocity_history, targets; /* 0 for what the config does without */
  uint32_t touching, max_touches;              /* memory of contact; room for touches, see contact/touch.h */
  uint32_t cells, max_cells;                   /* memory of cells that touch, and its room: contact/cell_memory.h */
  uint32_t pairs;                              /* memory of pairs, see self/memory.h; 0 without self-contact */
  uint32_t end;
} state_offsets;

/* An entry of the contact record; contact.is_touching is the substep of the last touch, from 0, or -1. */
typedef struct contact_entry {
  cloth_contact contact;
  int32_t next; /* the particle's next entry, see contact_record.h */
} contact_entry;

/* The versions of library, state and numerics in one word: 4 bits, then 7 bits each. */
#define SAVE_VERSIONS                                                                                                  \
  ((uint32_t)CLOTH_VERSION_MAJOR << 28 | (uint32_t)CLOTH_VERSION_MINOR << 21 | (uint32_t)CLOTH_VERSION_PATCH << 14 |   \
   (uint32_t)CLOTH_STATE_VERSION << 7 | (uint32_t)CLOTH_NUMERICS_VERSION)

/* Words of the header of a save: the first members of struct cloth. The first tells the byte order. */
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
  uint16_t has_scratch;  /* 0 if the scratch is to be shared and cloth_set_scratch() has not been called yet */
  uint16_t pieces;       /* of a stage at most, see pieces.h; 0: stages do not run in pieces */
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
  uint32_t self; /* byte offset from the start of the arena to the self_settings; 0: the sheet passes through itself */
  uint32_t gaps; /* byte offset from the start of the arena to the gap_summary; 0: a grid without gaps. */
};

/* Bytes before the state in a save and in an image. */
#define SAVE_HEADER_BYTES (4u * SAVE_WORDS)
#define IMAGE_HEADER_BYTES 48u

/* Largest component of a body's angular velocity [rad/s]. */
#define MAX_SPIN 1.0e4f

/* Marks a velocity history as meaningless, at the start, after a contact, or when the caller has set the velocity: the
   x component of the velocity before the last [m/s] is more than any free particle's. */
#define HISTORY_INVALID 2.0e5f

/* What other parts rely on in the layout of these types. */
LAYOUT_CONTRACT(save_header_is_first, offsetof(cloth, config_hash) == SAVE_CONFIG * sizeof(uint32_t));
/* The versions fit into SAVE_VERSIONS. */
LAYOUT_CONTRACT(major_version_has_room, CLOTH_VERSION_MAJOR < 16);
LAYOUT_CONTRACT(versions_have_room, CLOTH_VERSION_MINOR < 128 && CLOTH_VERSION_PATCH < 128 &&
                                        CLOTH_STATE_VERSION < 128 && CLOTH_NUMERICS_VERSION < 128);
/* Grid and settings are hashed word by word: padding bytes would be hashed, too. */
LAYOUT_CONTRACT(grid_has_no_gaps, sizeof(grid_shape) == 8 * sizeof(uint32_t));
#define SETTINGS_WORDS 41
#define SCRATCH_OFFSETS 20
#define INPUT_WHOLE_WORDS 16
LAYOUT_CONTRACT(settings_have_no_gaps, sizeof(cloth_settings) == SETTINGS_WORDS * sizeof(uint32_t));
LAYOUT_CONTRACT(self_settings_are_words, sizeof(self_settings) == 6 * sizeof(uint32_t));
LAYOUT_CONTRACT(self_node_has_no_gaps, sizeof(self_node) == 100);
LAYOUT_CONTRACT(pair_memory_has_no_gaps, sizeof(pair_memory) == 20);
LAYOUT_CONTRACT(cell_memory_has_no_gaps, sizeof(cell_memory) == 40);
/* State is saved and hashed as words, and read from images as words. */
LAYOUT_CONTRACT(inputs_are_words,
                sizeof(cloth_inputs) == (INPUT_WHOLE_WORDS + 3 * 3 + 1 + 1 + 1 + 10) * sizeof(uint32_t));
LAYOUT_CONTRACT(collider_slots_are_words, sizeof(collider_slot) == (1 + 1 + 4 + 7 + 3 + 3 + 2 + 7) * sizeof(uint32_t));
LAYOUT_CONTRACT(confinements_are_words, sizeof(confinement) == 8 * sizeof(uint32_t));
LAYOUT_CONTRACT(bodies_are_words, sizeof(rigid_body) == 12 * sizeof(uint32_t));
LAYOUT_CONTRACT(attachments_are_words, sizeof(attachment) == 5 * sizeof(uint32_t));
/* From last_substep on the inputs are floats, which images check as one run. */
LAYOUT_CONTRACT(inputs_end_with_floats, offsetof(cloth_inputs, last_substep) == INPUT_WHOLE_WORDS * sizeof(uint32_t));
/* flush_floats() takes a fabric, and a quaternion, as an array of floats. */
LAYOUT_CONTRACT(fabric_is_floats, sizeof(cloth_fabric) == 10 * sizeof(float));
LAYOUT_CONTRACT(rotation_is_floats, sizeof(cloth_rotation) == 4 * sizeof(float));
LAYOUT_CONTRACT(vector_is_floats, sizeof(cloth_vector) == 3 * sizeof(float));
/* The struct has the same size in every build: see `pads`. */
LAYOUT_CONTRACT(cloth_size, sizeof(cloth) == (10 + 2 * SCRATCH_OFFSETS + 2 + 16 + 2 + 8 + 8 + SETTINGS_WORDS + 3) *
                                                 sizeof(uint32_t));
