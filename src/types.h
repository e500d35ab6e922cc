#pragma once

/// The cloth in its arena ///

#define CLOTH_MAGIC 0x68746f6cu  /* "loth", little-endian */
#define CLOTH_COOKIE 0xc10471e6u /* proves that a config was made by cloth_config_default() */

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
#define PIN_MOVING 4u  /* the displacement [m] of the next step is stored in place of the velocity */
#define PIN_ARRIVED 8u /* the velocity was that of one step, and becomes 0 when the next one starts */

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

/* The settings that a step reads: the groups of cloth_config, and its usual settings where they belong. */
typedef struct cloth_settings {
  cloth_config_air air;
  struct {
    int32_t method, bend_method;
    float explicit_threshold, projection_threshold, bdf2_blend;
    int32_t substeps, max_substeps;
    float max_speed, velocity_damping;
  } integration;
  cloth_config_projection projection;
  cloth_config_tethers tethers;
  cloth_config_solver solver;
  cloth_config_strain_limit strain_limit;
  struct {
    int32_t mode;
    float thickness;
  } contact;
  cloth_config_sleep sleep;
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
