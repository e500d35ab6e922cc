#pragma once
#include "compiler.h"

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
  COST_STEP = 7500,    /* once: the plan, the pads, the statistics */
  COST_FOLLOW = 400,   /* per particle, where a step moves the origin in the world, ... */
  COST_CARRIED = 200,  /* ... and in addition with targets */
  COST_CHOOSE = 412,   /* per particle, when tethers are chosen, ... */
  COST_PROPOSE = 1200, /* ... and in addition per tether slot */
  /* A substep */
  COST_PATH = 20,    /* per row and column between a particle and its anchor, where there are gaps */
  COST_GAUGE = 300,  /* ... and those of a line of which one may be too long, */
  COST_GAPS = 400,   /* ... and where threads break: what is absent now */
  COST_RECORD = 350, /* per contact that is recorded */
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
  COST_WAKE = 400,            /* per place of a candidate, twice a step, where a cloth of a group sleeps */
  /* Geometry */
  COST_MESH_NODE = 340,    /* per node of a mesh's tree */
  COST_FIELD_TEST = 110,   /* per cell of a height field that may be near, ... */
  COST_SHARED_BODY = 420,  /* per step and shared body of the table */
  COST_SHARED_BOUNDS = 60, /* per step and particle: where the cloth is, for a choice of shared bodies */
};

/* Most nodes that a walk through a mesh looks into, and most triangles that it returns. Long paths over small triangles
   reach them, which statistics.overflows counts. */
#define MESH_WALK_NODES 64
#define MESH_WALK_TRIANGLES 128

#if WITH_COLLIDERS

/* 1 for shapes whose distance is not convex: contact looks for surfaces along the path of each particle. */
static int is_concave(const cloth_collider *body) {
  return WITH_CONCAVE && body->shape >= CLOTH_SHAPE_HEIGHT_FIELD;
}

#endif
