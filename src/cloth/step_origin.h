#pragma once
#include "access.h"
#include "costs.h"

/// The origin of a step ///

/*
 * Inside a step positions are relative to a point near the cloth, workspace.origin, as floats far from zero are coarse
 * and their rounding would add up to trembling: particles are moved when a step begins and moved back when it ends.
 * Whatever else holds a position is taken relative to the same point where it is read.
 *
 * The point is whole metres from the origin of the cloth, and no farther from zero, on each axis, than twice the
 * nearest particle. So moving there is exact, and what does not move in the step is afterwards where it was, to the
 * bit.
 */

/* The largest whole number that is not above a coordinate. */
static int32_t whole_below(float a) {
  const int32_t whole = (int32_t)a;
  return (float)whole > a ? whole - 1 : whole;
}

/* 1 if no component is larger than `limit`. */
static int are_metres_within(cloth_metres a, int32_t limit) {
  return a.x >= -limit && a.x <= limit && a.y >= -limit && a.y <= limit && a.z >= -limit && a.z <= limit;
}

/* The way from the origin of one cloth to that of another [m]. */
static cloth_vector way_between(const cloth *from, const cloth *to) {
  const cloth_metres a = inputs_of(from)->origin, b = inputs_of(to)->origin;
  return vector((float)(b.x - a.x), (float)(b.y - a.y), (float)(b.z - a.z));
}

/* The least and the largest of the components of lanes, whatever their order. */
CLOTH_INLINE void widen_range(lanes low, lanes high, float *least, float *largest) {
  float lows[CLOTH_LANES], highs[CLOTH_LANES];
  lanes_store(lows, low);
  lanes_store(highs, high);
  *least = lows[0];
  *largest = highs[0];
  for (int32_t lane = 1; lane < CLOTH_LANES; lane++) {
    *least = minimum(lows[lane], *least);
    *largest = maximum(highs[lane], *largest);
  }
}

CLOTH_INLINE position_box box_of_lanes(lanes3 low, lanes3 high) {
  position_box box;
  widen_range(low.x, high.x, &box.low.x, &box.high.x);
  widen_range(low.y, high.y, &box.low.y, &box.high.y);
  widen_range(low.z, high.z, &box.low.z, &box.high.z);
  return box;
}

CLOTH_SEPARATE position_box box_around(const cloth *c) {
  const vector_array x = vectors_at(c, c->state.position);
  const lanes3 first = lanes3_splat(vector_load(x, 0));
  lanes3 low = first, high = first;
  EACH_BLOCK(i, left, c->count, {
    const lanes3 p = lanes3_select(lanes_first(left), lanes3_load(x, i), first);
    low = lanes3_minimum(p, low);
    high = lanes3_maximum(p, high);
  });
  return box_of_lanes(low, high);
}

/* A whole metre near the middle of a range, no farther from zero than twice its nearer end; 0 if it reaches zero. */
static float step_origin_of(float low, float high) {
  const float nearest = maximum(low, negate(high));
  const float middle = 0.5f * (low + high);
  const float whole = (float)(int32_t)minimum(maximum(middle, negate(middle)), 2.0f * nearest);
  if (!(nearest > 0.0f)) { return 0.0f; }
  return low > 0.0f ? whole : negate(whole);
}

/* Times the shorter rest length of its cells from which on a cloth is far: floats are coarser than a 512th of a
   cell. */
#define FAR_CELLS 32768.0f

static cloth_vector step_origin_for(const position_box *box) {
  return vector(step_origin_of(box->low.x, box->high.x), step_origin_of(box->low.y, box->high.y),
                step_origin_of(box->low.z, box->high.z));
}

static float largest_magnitude(cloth_vector a) {
  return maximum(absolute(a.x), maximum(absolute(a.y), absolute(a.z)));
}

/* Sets the origin of a step of a cloth in this box. Returns 1 if the cloth is far from its origin. */
static int set_step_origin(const cloth *c, const position_box *box, cloth_vector there) {
  const float farthest = maximum(largest_magnitude(box->low), largest_magnitude(box->high));
  workspace_of(c)->origin = there;
  workspace_of(c)->origin_reach = largest_magnitude(there);
  return farthest > FAR_CELLS * minimum(c->grid.spacing_warp, c->grid.spacing_weft);
}

/* Moves the particles by the origin of the step: towards it with a `sign` of -1, and back with 1. */
CLOTH_SEPARATE void move_by_step_origin(const cloth *c, float sign) {
  const vector_array x = vectors_at(c, c->state.position);
  const workspace *w = workspace_of(c);
  if (w->origin_reach > 0.0f) {
    const lanes3 d = lanes3_splat(vector_scale(w->origin, sign));
    EACH_BLOCK(i, left, c->count, lanes3_store(x, i, lanes3_add(lanes3_load(x, i), d), left));
  }
}

/* Ends a step: moves the particles back. What is read outside of a step is relative to the origin of the cloth. */
static void leave_step_origin(const cloth *c) {
  move_by_step_origin(c, 1.0f);
  workspace_of(c)->origin = vector(0.0f, 0.0f, 0.0f);
  workspace_of(c)->origin_reach = 0.0f;
}

/* Cost per particle of moving the origin in the world. */
static uint32_t follow_cost(const cloth *c) {
  return inputs_of(c)->targets == TARGETS_NONE ? COST_FOLLOW : COST_FOLLOW + COST_CARRIED;
}

static cloth_vector place_in_step(const cloth *c, cloth_vector position) {
  return vector_subtract(position, workspace_of(c)->origin);
}

static cloth_pose pose_in_step(const cloth *c, const cloth_pose *pose) {
  cloth_pose placed = *pose;
  placed.position = place_in_step(c, pose->position);
  return placed;
}

/* Is a position of the step within the range of positions of the cloth? Not if it is NaN. */
static int is_step_place(const cloth *c, cloth_vector position) {
  return vector_in_range(vector_add(position, workspace_of(c)->origin), CLOTH_POSITION_LIMIT);
}
