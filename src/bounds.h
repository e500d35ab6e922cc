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

/* The number of colliders but planes. */
static int32_t count_bodies(const cloth *c) {
  int32_t bodies = 0;
  for (int32_t index = 0; index < collider_end(c); index++) {
    bodies += is_collider(c, index) && slot_at(c, index)->body.shape != CLOTH_SHAPE_PLANE;
  }
  return bodies;
}

/* Does a substep find bounds? `bodies` is the number of colliders but planes, which are never far away. Residual, with
   3 floats per particle, has room for the bounds of grids of this size. With fixed work nothing is skipped. */
static int uses_bounds(const cloth *c, int32_t bodies) {
  return bodies >= BOUND_COLLIDERS && c->count >= BOUND_MIN_COUNT && !c->settings.capacity.fixed_work;
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

/* Finds the bounds of a block. Positions that are no numbers do not count: they are near no collider. */
CLOTH_HOT CLOTH_SEPARATE void find_block_bounds(const cloth *c, int32_t block) {
  const vector_array from = vectors_at(c, c->state.position), to = predicted_of(c);
  const int32_t first = block * BOUND_BLOCK, left = c->count - first;
  const lanes zero = lanes_splat(0.0f), beyond = lanes_splat(BOUND_BEYOND);
  const lanes3 none = lanes3_of(zero, zero, zero);
  lanes3 low = lanes3_of(beyond, beyond, beyond), below_high = low;
  lanes displacement = zero;
  for (int32_t n = 0; n < BOUND_BLOCK && n < left; n += CLOTH_LANES) {
    lanes_mask exists = lanes_first(left - n);
    lanes3 p = lanes3_load(to, first + n);
    lanes3 d = lanes3_flush(lanes3_subtract(p, lanes3_load(from, first + n)));
    low = lanes3_select(exists, lanes3_minimum(p, low), low);
    below_high = lanes3_select(exists, lanes3_minimum(lanes3_subtract(none, p), below_high), below_high);
    lanes below_squared = lanes_subtract(zero, lanes3_dot(d, d));
    displacement = lanes_select(exists, lanes_minimum(below_squared, displacement), displacement);
  }
  lanes values[BOUNDS] = {low.x, low.y, low.z, below_high.x, below_high.y, below_high.z, displacement, zero};
  float least[BOUNDS];
  store_least_lanes(least, values);
  for (int32_t kind = 0; kind <= BOUND_DISPLACEMENT; kind++) {
    bounds_of(c, kind)[block] = least[kind];
  }
}

static void find_bounds_of_piece(const cloth *c, const step_plan *plan, stage_piece *p) {
  (void)plan;
  for (int32_t block = p->first; block < p->end; block++) {
    find_block_bounds(c, block);
  }
}

/* Finds the bounds of all blocks. */
static void find_bounds(const cloth *c) {
  run_pieces(c, NULL, find_bounds_of_piece, NULL, bound_blocks(c), LINE_BLOCK);
}

/* Lets a block count as near every collider, after its particles have been moved. */
static void drop_bounds(const cloth *c, int32_t block) {
  bounds_of(c, BOUND_DISPLACEMENT)[block] = -BOUND_BEYOND;
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
