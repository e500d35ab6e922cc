#pragma once
#include "access.h"
#include "compiler.h"
#include "lanes.h"
#include "pieces.h"
#include "types.h"

/// Bounds of blocks ///

/*
 * Boxes around the paths' ends of blocks of successive particles, most of one or two rows, and the longest path of each
 * block. Contact tests them against a collider before it tests the particles, so that colliders far away cost little.
 * In: positions at the start of the substep (state), predicted positions, the colliders' shapes. Out and scratch: the
 * bounds, in scratch.residual.
 */

/* Particles of a block. Smaller blocks have tighter boxes, but there are more of them to test. */
#define BOUND_BLOCK 64
/* Bounds pay from this number of colliders on: finding them costs about as much as testing all particles against one or
   two colliders. */
#define BOUND_COLLIDERS 4
/* With fewer particles [1] there is no room for the bounds. */
#define BOUND_MIN_COUNT 64

/* What bounds consist of: the least values over the particles of a block. A minimum rounds nothing, so that it is the
   same in any order and for any width of lanes. */
enum {
  BOUND_LOW,              /* 3: coordinates of the predicted positions [m] */
  BOUND_BELOW_HIGH = 3,   /* 3: minus these coordinates [m] */
  BOUND_DISPLACEMENT = 6, /* minus the squared displacements in the substep [m^2] */
  BOUNDS = 8              /* with one unused, as blocks of lanes are transposed */
};

static int32_t bound_blocks(const cloth *c) {
  return (c->count + BOUND_BLOCK - 1) / BOUND_BLOCK;
}

/* The least values of one kind, for all blocks. */
CLOTH_INLINE float *bounds_of(const cloth *c, int32_t kind) {
  return floats_at(c, c->scratch.residual) + kind * (bound_blocks(c) + LANE_PAD);
}

/* Beyond every coordinate, and still with a square. */
#define BOUND_BEYOND 1.0e18f

/* Stores, for each of eight blocks of lanes, the least of its lanes. */
CLOTH_INLINE void store_least_lanes(float *least, lanes values[BOUNDS]) {
  for (int32_t n = 0; n < BOUNDS; n += CLOTH_LANES) {
    lanes_transpose(values + n);
    lanes result = values[n];
    for (int32_t lane = 1; lane < CLOTH_LANES; lane++) {
      result = lanes_minimum(values[n + lane], result);
    }
    lanes_store(least + n, result);
  }
}

/* How far a coordinate is outside of the boxes of some blocks. */
CLOTH_INLINE lanes outside(const cloth *c, int32_t block, int32_t axis, float value) {
  lanes below = lanes_subtract(lanes_load(bounds_of(c, BOUND_LOW + axis) + block), lanes_splat(value));
  lanes above = lanes_add(lanes_load(bounds_of(c, BOUND_BELOW_HIGH + axis) + block), lanes_splat(value));
  return lanes_maximum(lanes_maximum(below, above), lanes_splat(0.0f));
}

/* Squared distances of a point from the boxes of the blocks from `block` on [m^2]. No particle of a block is nearer,
   even as the cull tests round: rounding keeps the order of numbers. */
CLOTH_INLINE lanes squared_distance_to_blocks(const cloth *c, int32_t block, cloth_vector p) {
  lanes3 d = lanes3_of(outside(c, block, 0, p.x), outside(c, block, 1, p.y), outside(c, block, 2, p.z));
  return lanes3_dot(d, d);
}
