#pragma once
#include "../base/compiler.h"

/// Costs ///

/* What each piece of a step costs, in units of work, rounded up; kernels whose work depends on the state add theirs as
   they run. tests/work_calibration.sh measures, and says how to correct a figure. */

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
  COST_SELF_BOXES = 800,    /* per particle and gather: the tree; ages */
  COST_SELF_VISIT = 290,    /* per pair of nodes ... */
  COST_SELF_LEAVES = 4500,  /* ... and in addition per pair of leaves */
  COST_SELF_CELLS = 6000,   /* per pair of cells whose boxes come near: features, edges in triangles ... */
  COST_SELF_FOUND = 2000,   /* ... and in addition per candidate: its place, its memory */
  COST_SELF_CONTOUR = 1000, /* per intersection and part */
  COST_SELF_SLOWED = 200,   /* per particle and step in which cloth is too fast for pairs */
  COST_PAIR_SHAPE = 1000,   /* per candidate and part of a substep: how near it is ... */
  COST_PAIR_LAW = 6600,     /* ... in addition per pair that may touch: its law, force, blocks, memory ... */
  COST_PAIR_PRODUCT = 700,  /* ... and per iteration */
  COST_GROUP = 40,          /* per particle and substep of a group of cloths */
  COST_WAKE = 400,          /* per place of a candidate, twice a step, where a cloth of a group sleeps */
  /* Geometry */
  COST_MESH_NODE = 420,      /* per node of a mesh's tree, ... */
  COST_MESH_LEAF = 50,       /* ... per leaf that is found, and per one that a particle is compared with */
  COST_CHUNK = 1100,         /* per particle and chunk of triangles that is measured, ... */
  COST_CHUNK_NEAREST = 2200, /* ... of which the nearest is taken, or what a way passes, ... */
  COST_CHUNK_RISES = 600,    /* ... or of which those that rise are, ... */
  COST_CHUNK_MADE = 3700,    /* ... and in addition each time of a height field, */
  COST_FIELD_TEST = 110,     /* per cell of a height field that may be near, ... */
  COST_SHARED_BODY = 420,    /* per step and shared body of the table */
  COST_SHARED_BOUNDS = 60,   /* per step and particle: where the cloth is, for a choice of shared bodies */
};

/* Most nodes that a walk through a mesh looks into; statistics.overflows counts those that reach it. */
#define MESH_WALK_NODES 64

/* 1 for shapes whose distance is not convex: contact looks for surfaces along the path of each particle. */
static int is_concave(const cloth_collider *body) {
  return WITH_CONCAVE && body->shape >= CLOTH_SHAPE_HEIGHT_FIELD;
}
