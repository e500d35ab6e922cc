#pragma once
#include "compiler.h"
#include "types.h"

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
  COST_CALM = 24,          /* per particle where contact has pushes: is the cloth calm? */
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
  COST_ABSENT = 60,     /* per particle of a grid with gaps: places of absent particles */
  COST_PATH = 20,       /* per row and column between a particle and its anchor, where there are gaps */
  COST_TEAR = 60,       /* per particle of a cloth that may tear: lengths of its threads, ... */
  COST_GAUGE = 300,     /* ... and those of a line of which one may be too long, */
  COST_GAPS = 400,      /* ... and where threads break: what is absent now */
  COST_SETTLE = 96,     /* kinetic energy, largest speed and a stop, on the way to rest */
  COST_NUDGE = 300,     /* small velocities at random, on the way to rest */
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
  COST_LEFT_OVER = 100,   /* what the solve leaves over, for reactions */
  COST_WARM = 420,        /* warm start, without its application of the operator */
  COST_ITERATION = 230,   /* an iteration, without its springs */
  COST_PAIR = 65,         /* stretch springs in an iteration; shear springs as well */
  COST_SEAM_PAIR = 170,   /* per spring across the seam, in an iteration */
  /* Projection and strain limiting */
  COST_STRETCH = 190,        /* per spring solved along a line */
  COST_LINE = 700,           /* per line of springs */
  COST_DAMPED = 30,          /* per spring with damping, in addition */
  COST_MAPPED = 128,         /* per spring whose stiffness maps change, in addition */
  COST_STRETCH_RING = 115,   /* per particle of a ring, in addition */
  COST_LONGEST = 32,         /* per spring of a row or column, in addition, for its longest length */
  COST_LENGTHS = 92,         /* per particle and search for lines that are too long ... */
  COST_LINE_AGAIN = 270,     /* ... in addition per particle of a line that is solved again, ... */
  COST_RING_AGAIN = 220,     /* ... and per particle of a ring of these */
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
  COST_PUSHES = 50,          /* pushes of contacts: the prediction, and before and after contact */
  COST_FREE = 130,           /* momenta of a cloth that nothing holds */
  COST_UPDATE = 105,         /* velocities from the moved positions */
  COST_SUMS = 150,           /* sums of displacements, ... */
  COST_SUMS_LIMIT = 84,      /* ... and in addition for each sweep of a strain limit */
  /* Tethers */
  COST_TETHER = 85,        /* per tether slot */
  COST_TAUT = 60,          /* per tether that pulls, ... */
  COST_BOX_TEST = 100,     /* ... in addition per obstacle, ... */
  COST_SEGMENT_TEST = 500, /* ... in addition per obstacle whose box it enters, ... */
  COST_PATH_TEST = 600,    /* ... and in addition per obstacle whose capsule it enters */
  /* Contact by projection */
  COST_COLLIDER = 2050,      /* per collider */
  COST_BOUND = 60,           /* per particle, where a substep finds bounds */
  COST_BLOCK = 60,           /* per block of bounds and collider */
  COST_NEAR = 112,           /* per particle and collider: is the particle near the collider's path? */
  COST_COLLIDE = 448,        /* per particle near a collider: contact search without its two distances */
  COST_TRACED = 1340,        /* per traced path ... */
  COST_TRACE = 45,           /* ... and in addition per step on it, without its distance */
  COST_RESPOND = 1145,       /* per particle that touches a collider ... */
  COST_LINKS = 900,          /* ... and in addition, where it presses against it, for its links */
  COST_TORN = 60,            /* per particle, where contact lines are looked for, and once a step, ... */
  COST_HELD_LINE = 850,      /* ... and in addition per particle of a bundle that is solved again, ... */
  COST_AGAIN = 150,          /* ... per particle, before contact again, ... */
  COST_PULLS = 90,           /* ... and per particle and collider, for its reaction */
  COST_SLOW = 60,            /* ... and the same, where that ends velocities */
  COST_RECORD = 350,         /* per contact that is recorded */
  COST_WIDEST = 75,          /* per particle, where the longest edge is looked for, ... */
  COST_CELL = 420,           /* ... in addition per particle and collider near the cloth, where cells are wide, ... */
  COST_CELL_PLANE = 200,     /* ... for shapes with edges, per cell near it and each of four planes, ... */
  COST_CELL_TRIANGLE = 4500, /* ... per triangle of these that is near, ... */
  COST_CELL_TRACE = 1600,    /* ... per step along its path ... */
  COST_CELL_CORNER = 1900,   /* ... and per corner of one that touches */
  /* Contact of the sheet with itself */
  COST_SELF_BOXES = 800,      /* per particle and gather: the tree; ages */
  COST_SELF_VISIT = 290,      /* per pair of nodes ... */
  COST_SELF_LEAVES = 4900,    /* ... and in addition per pair of leaves */
  COST_SELF_CROSS = 1000,     /* per pair of cells whose edges and triangles are compared */
  COST_SELF_TEST = 900,       /* per pair of a particle and a cell whose boxes come near ... */
  COST_SELF_FOUND = 400,      /* ... and in addition per candidate: its place, its marks */
  COST_SELF_RELEASE = 90,     /* per place of a candidate and gather, where the sheet stays tangled */
  COST_SELF_CANDIDATE = 150,  /* per place of a candidate and pass ... */
  COST_SELF_NEAR = 310,       /* ... in addition per candidate that is over its triangle ... */
  COST_SELF_TOUCH = 570,      /* ... and per triangle that it touches */
  COST_SELF_WATCH = 10,       /* per particle, where velocities are compared with those of the last gather */
  COST_SELF_NOTE = 330,       /* per particle and gather: velocities; which folds may be tight? ... */
  COST_SELF_FOLD = 2,         /* ... in addition per particle and sweep: has the gather noted one? ... */
  COST_SELF_NOTED = 42,       /* ... in addition per particle and direction that the gather has noted ... */
  COST_SELF_LOOK = 66,        /* ... in addition per pair of particles that may be too close ... */
  COST_SELF_OPEN = 520,       /* ... and per pair that is moved apart */
  COST_SELF_STATE = 120,      /* per particle and part of a substep: starts, mobilities, what has been moved */
  COST_SELF_CONTOUR = 1000,   /* per intersection and substep */
  COST_RIM_TEST = 390,        /* per edge of a rim and edge of another that are compared ... */
  COST_RIM_PAIR = 250,        /* ... in addition per place of a pair of edges and sweep ... */
  COST_RIM_NEAR = 420,        /* ... in addition per pair that is close ... */
  COST_RIM_TOUCH = 900,       /* ... and per pair that is moved apart */
  COST_SPHERE_LEAVES = 1500,  /* per pair of leaves, of a cloth whose particles touch particles ... */
  COST_SPHERE_TEST = 230,     /* ... per pair of particles whose boxes come near, ... */
  COST_SPHERE_CANDIDATE = 50, /* ... per place of such a candidate and sweep ... */
  COST_SPHERE_TOUCH = 330,    /* ... and per pair of particles that touch */
  COST_GROUP = 40,            /* per particle and substep of a group of cloths */
  COST_COMMON_BODY = 6000,    /* per body that cloths of a group have in common, cloth and substep */
  COST_COMMON_ATTACHED = 500, /* ... and per particle attached there */
  COST_STITCH = 330,          /* per stitch of a seam and pass over the stitches */
  COST_FOLD = 1500,           /* per fold of a seam and substep ... */
  COST_FOLD_LINES = 6000,     /* ... and once a step: the lines on both sides of it */
  COST_SEWN = 340,            /* per sewn particle and substep ... */
  COST_RESPONSE = 7600,       /* ... and once a step: lines around it */
  COST_TURN = 130,            /* per particle of cloths that an open seam joins and sum over them, two in a substep */
  COST_WAKE = 400,            /* per place of a candidate, twice a step, where a cloth of a group sleeps */
  /* Geometry */
  COST_HULL = 60,          /* per plane and edge of a hull, for one distance */
  COST_CONCAVE = 830,      /* per particle near a concave shape, without its search */
  COST_MESH_NODE = 340,    /* per node of a mesh's tree */
  COST_TRIANGLE = 330,     /* per triangle of a mesh */
  COST_FIELD_PIECE = 300,  /* per piece of a path over a height field */
  COST_FIELD_TEST = 110,   /* per cell of a height field that may be near, ... */
  COST_FIELD_CELL = 1370,  /* ... and in addition per cell that is */
  COST_GRID = 700,         /* per distance in a distance grid */
  COST_SHARED_BODY = 420,  /* per step and shared body of the table */
  COST_SHARED_BOUNDS = 60, /* per step and particle: where the cloth is, for a choice of shared bodies */
  /* Bodies, attachments and reactions of pins */
  COST_BODY = 7000,         /* per body; 1500 where its moments of inertia are equal */
  COST_ATTACHED = 5000,     /* per attachment */
  COST_NOTED = 260,         /* per particle, where impulses on pins are noted, ... */
  COST_NOTED_PIN = 9000,    /* ... and in addition per pin */
  COST_SHARED = 1500,       /* per particle that touches a body, in addition */
  COST_BEARING_NEAR = 80,   /* per particle and body: may it bear the body? ... */
  COST_BEARING = 900,       /* ... in addition per particle that may, without its two distances, ... */
  COST_BEARING_PART = 2600, /* ... and per particle that does; ... */
  COST_BEARING_LINE = 860,  /* ... per spring of the lines that bear a body */
  /* Contact in the solver */
  COST_SEEK = 660,      /* per particle and collider ... */
  COST_SEEK_MORE = 700, /* ... in addition, of several colliders, whose motions are computed anew for each particle */
  COST_HELD = 2750      /* per particle held by a contact */
};

/* Maximum number of Newton steps along a traced path. A path that has not arrived by then grazes the surface, where
   each step only quarters the distance, or ends at it up to a rounding; both count as hits. More steps make paths that
   pass close by more exact and raise trace_cost() in proportion. */
#define TRACE_STEPS 4
/* A traced point no farther than this outside the margin touches [m]. Larger values push particles out that only come
   near; smaller ones are below the rounding of positions some 100 m from the origin. */
#define TRACE_CONTACT 1.0e-5f
/* Most triangles of cells that are tested against a collider in a pass of contact; what is beyond is counted in
   statistics.overflows. */
#define CELL_TRIANGLES 128
/* Steps along the path of a triangle. One that has not arrived by then grazes the surface. */
#define CELL_TRACE_STEPS 16
/* Steps towards the nearest points of a triangle and the core of a shape with edges. */
#define CELL_EDGE_STEPS 6
/* Most planes and edges of a hull that cells are kept out of: each step takes time in proportion, and hulls of more are
   round enough for contact of particles. A dodecahedron has 42. */
#define CELL_HULL_ELEMENTS 48
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

/* 1 for shapes whose distance is not convex: contact looks for surfaces along the path of each particle. */
static int is_concave(const cloth_collider *body) {
  return WITH_CONCAVE && body->shape >= CLOTH_SHAPE_HEIGHT_FIELD;
}

#if WITH_MESH || WITH_PLANNING
/* Work of walks in a step after which a particle starts no more. */
static uint32_t mesh_walk_limit(int32_t substeps) {
  return MESH_WALKS_STEP + (uint32_t)substeps * MESH_WALKS_SUBSTEP;
}
#endif

#if WITH_PLANNING
#endif
