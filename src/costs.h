#pragma once
#include "access.h"
#include "compiler.h"

/// Costs ///

/*
 * What things cost, in instructions of the build that cloth.h names, measured by tests/work.c and rounded up: each for
 * a particle in a substep, unless said otherwise. Whoever changes a kernel measures its price again.
 */
enum {
  PRICE_STEP = 6000,   /* a step: its plan, pads, statistics */
  PRICE_CALL = 600,    /* a substep, whatever the grid */
  PRICE_ROW = 120,     /* a row, in a substep */
  PRICE_PREPARE = 60,  /* a particle, in a step */
  PRICE_MARK = 40,     /* a particle and a slot of tethers, in a step */
  PRICE_CHOOSE = 300,  /* tethers: a particle, when they are chosen ... */
  PRICE_OFFERS = 1200, /* ... and each of its tethers */
  PRICE_PREDICT = 80,
  PRICE_HISTORY = 60,
  PRICE_BODY_FORCES = 30,
  PRICE_AIR = 345,
  PRICE_SPRINGS = 640, /* forces and operator of its stretch and shear springs */
  PRICE_BENDS = 600,
  PRICE_CHANGE = 85, /* new velocities and the prediction, after forces */
  PRICE_PRECONDITIONER = 450,
  PRICE_BEND_BLOCKS = 310,
  PRICE_SOLVE = 200, /* around the iterations */
  PRICE_WARM = 420,  /* beside the operator */
  PRICE_ITERATION = 230,
  PRICE_PAIR = 65, /* of an iteration: for stretch springs, and for shear springs */
  PRICE_BEND_PAIR = 225,
  PRICE_SEAM = 330, /* a spring across the seam of a wrapped sheet: its force, ... */
  PRICE_SEAM_BLOCKS = 190,
  PRICE_SEAM_PAIR = 170,  /* ... in an iteration, ... */
  PRICE_SEAM_SHEAR = 280, /* ... or projected */
  PRICE_RING = 20,        /* a projected spring around it, beside that of a row */
  PRICE_PLAIN = 64,       /* a projected spring in a plain piece of a row */
  PRICE_GENERAL = 165,    /* another one, or of a strain limit */
  PRICE_RUN = 62,         /* a run of springs */
  PRICE_SETTLE = 75,
  PRICE_TETHER = 85,
  PRICE_TAUT = 60,       /* a tether that pulls ... */
  PRICE_PASSED = 100,    /* ... and for each collider that might be in its way ... */
  PRICE_UNBLOCKED = 420, /* ... if it is near */
  PRICE_NEAR = 103,      /* is it near a collider? */
  PRICE_RESPOND = 350,   /* one that touches */
  PRICE_BODY = 1500,     /* a collider */
  PRICE_TRACE = 45,      /* a step on a traced path, beside the distance */
  PRICE_TRACED = 150,    /* a path */
  PRICE_TARGET = 400,    /* a particle held to its target, and out of its backstop */
  PRICE_ACCEPT = 112,
  PRICE_RECOVER = 220,   /* a particle that is slowed or put back */
  PRICE_CONFINED = 1600, /* a confined particle */
  PRICE_SEEK = 560,      /* contact in the solver: a particle and a collider ... */
  PRICE_SEEK_MORE = 700, /* ... of several: their motions are made anew */
  PRICE_HELD = 2600      /* a particle held so */
};

/* Of a sweep of strain limiting, a particle. */
static uint32_t sweep_price(const cloth *c) {
  return 2 * PRICE_GENERAL + PRICE_RUN + (is_wrapped(c) ? PRICE_RING : 0u);
}

/* Distance of a point from the surface, by shape. */
CLOTH_CONSTANT static const uint8_t distance_prices[] = {20, 60, 150, 140, 200};

/* Steps along a traced path. One that has not arrived after so many grazes the surface, each step coming four times as
   near to it, or meets it there but for a rounding; it counts as a hit. */
#define TRACE_STEPS 4
/* A traced point this close to the margin touches [m]. */
#define TRACE_CONTACT 1.0e-5f
/* The next float after it. */
#define TRACE_CLEAR 1.0000001e-5f

/* A traced path. */
static uint32_t trace_price(const cloth_collider *body) {
  return PRICE_TRACED + TRACE_STEPS * ((uint32_t)PRICE_TRACE + distance_prices[body->shape]);
}

/* A particle near a collider: the distances of both ends of its way. */
static uint32_t near_price(const cloth_collider *body) {
  return 240u + 2u * distance_prices[body->shape];
}
