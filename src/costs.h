#pragma once
#include "access.h"
#include "compiler.h"

/// Costs ///

/*
 * What things cost, in instructions of the build that cloth.h names, measured by tests/work.c and rounded up: each for
 * a particle in a substep, unless said otherwise. Whoever changes a kernel measures its price again.
 */
enum {
  COST_STEP = 6000,   /* a step: its plan, pads, statistics */
  COST_CALL = 600,    /* a substep, whatever the grid */
  COST_ROW = 120,     /* a row, in a substep */
  COST_PREPARE = 60,  /* a particle, in a step */
  COST_MARK = 40,     /* a particle and a slot of tethers, in a step */
  COST_CHOOSE = 300,  /* tethers: a particle, when they are chosen ... */
  COST_OFFERS = 1200, /* ... and each of its tethers */
  COST_PREDICT = 80,
  COST_HISTORY = 60,
  COST_BODY_FORCES = 30,
  COST_AIR = 345,
  COST_SPRINGS = 640, /* forces and operator of its stretch and shear springs */
  COST_BENDS = 600,
  COST_CHANGE = 85, /* new velocities and the prediction, after forces */
  COST_PRECONDITIONER = 450,
  COST_BEND_BLOCKS = 310,
  COST_SOLVE = 200, /* around the iterations */
  COST_WARM = 420,  /* beside the operator */
  COST_ITERATION = 230,
  COST_PAIR = 65, /* of an iteration: for stretch springs, and for shear springs */
  COST_BEND_PAIR = 225,
  COST_SEAM = 330, /* a spring across the seam of a wrapped sheet: its force, ... */
  COST_SEAM_BLOCKS = 190,
  COST_SEAM_PAIR = 170,  /* ... in an iteration, ... */
  COST_SEAM_SHEAR = 280, /* ... or projected */
  COST_RING = 20,        /* a projected spring around it, beside that of a row */
  COST_PLAIN = 64,       /* a projected spring in a plain piece of a row */
  COST_GENERAL = 165,    /* another one, or of a strain limit */
  COST_RUN = 62,         /* a run of springs */
  COST_SETTLE = 75,
  COST_TETHER = 85,
  COST_TAUT = 60,       /* a tether that pulls ... */
  COST_PASSED = 100,    /* ... and for each collider that might be in its way ... */
  COST_UNBLOCKED = 420, /* ... if it is near */
  COST_NEAR = 103,      /* is it near a collider? */
  COST_RESPOND = 350,   /* one that touches */
  COST_BODY = 1500,     /* a collider */
  COST_TRACE = 45,      /* a step on a traced path, beside the distance */
  COST_TRACED = 150,    /* a path */
  COST_TARGET = 400,    /* a particle held to its target, and out of its backstop */
  COST_ACCEPT = 112,
  COST_RECOVER = 220,   /* a particle that is slowed or put back */
  COST_CONFINED = 1600, /* a confined particle */
  COST_SEEK = 560,      /* contact in the solver: a particle and a collider ... */
  COST_SEEK_MORE = 700, /* ... of several: their motions are made anew */
  COST_HELD = 2600      /* a particle held so */
};

/* Of a sweep of strain limiting, a particle. */
static uint32_t sweep_cost(const cloth *c) {
  return 2 * COST_GENERAL + COST_RUN + (is_wrapped(c) ? COST_RING : 0u);
}

/* Distance of a point from the surface, by shape. */
CLOTH_CONSTANT static const uint8_t distance_costs[] = {20, 60, 150, 140, 200};

/* Steps along a traced path. One that has not arrived after so many grazes the surface, each step coming four times as
   near to it, or meets it there but for a rounding; it counts as a hit. */
#define TRACE_STEPS 4
/* A traced point this close to the margin touches [m]. */
#define TRACE_CONTACT 1.0e-5f
/* The next float after it. */
#define TRACE_CLEARANCE 1.0000001e-5f

/* A traced path. */
static uint32_t trace_cost(const cloth_collider *body) {
  return COST_TRACED + TRACE_STEPS * ((uint32_t)COST_TRACE + distance_costs[body->shape]);
}

/* A particle near a collider: the distances of both ends of its way. */
static uint32_t near_cost(const cloth_collider *body) {
  return 240u + 2u * distance_costs[body->shape];
}
