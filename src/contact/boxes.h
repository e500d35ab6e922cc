#pragma once
#include "../base/compiler.h"
#include "../base/rigid.h"
#include "../base/scalar.h"
#include "../cloth/types.h"
#include "body.h"

/// Boxes ///

/* Boxes along the axes, of particles and of colliders [m]. */

#if WITH_COLLIDERS

/* Beyond every coordinate [m]. */
#define BEYOND_ALL 1.0e18f

/* A box around nothing. */
static position_box empty_box(void) {
  const position_box none = {vector(BEYOND_ALL, BEYOND_ALL, BEYOND_ALL), vector(-BEYOND_ALL, -BEYOND_ALL, -BEYOND_ALL)};
  return none;
}

static position_box box_around_both(const position_box *a, const position_box *b) {
  const position_box both = {
      vector(minimum(a->low.x, b->low.x), minimum(a->low.y, b->low.y), minimum(a->low.z, b->low.z)),
      vector(maximum(a->high.x, b->high.x), maximum(a->high.y, b->high.y), maximum(a->high.z, b->high.z))};
  return both;
}

/* Widens *half by what a side of a box reaches along each axis. */
static void widen_by_side(const cloth_pose *pose, cloth_vector side, float length, cloth_vector *half) {
  if (length > 0.0f) { /* solids that are rounded about a line or a point have few */
    const cloth_vector v = rotate(pose->rotation, vector_scale(side, length));
    *half = vector_add(*half, vector(absolute(v.x), absolute(v.y), absolute(v.z)));
  }
}

/* The box in world axes around one at a pose. */
static position_box box_at_pose(const position_box *own, const cloth_pose *pose) {
  const cloth_vector half = vector_scale(vector_subtract(own->high, own->low), 0.5f);
  const cloth_vector middle = to_world(pose, vector_add(own->low, half));
  cloth_vector most = vector(0.0f, 0.0f, 0.0f);
  widen_by_side(pose, vector(1.0f, 0.0f, 0.0f), half.x, &most);
  widen_by_side(pose, vector(0.0f, 1.0f, 0.0f), half.y, &most);
  widen_by_side(pose, vector(0.0f, 0.0f, 1.0f), half.z, &most);
  const position_box box = {vector_subtract(middle, most), vector_add(middle, most)};
  return box;
}

/* A box and what is so far from it. */
static position_box box_beyond(const position_box *box, float far) {
  const cloth_vector around = vector(far, far, far);
  const position_box wide = {vector_subtract(box->low, around), vector_add(box->high, around)};
  return wide;
}

static int do_boxes_meet(const position_box *a, const position_box *b) {
  return a->low.x < b->high.x && b->low.x < a->high.x && a->low.y < b->high.y && b->low.y < a->high.y &&
         a->low.z < b->high.z && b->low.z < a->high.z;
}

/* How far a coordinate is outside of a range. */
static float outside_range(float low, float high, float a) {
  return maximum(maximum(low - a, a - high), 0.0f);
}

/* The squared distance of a point from a box. */
static float box_distance_squared(const position_box *box, cloth_vector p) {
  const cloth_vector off =
      vector(outside_range(box->low.x, box->high.x, p.x), outside_range(box->low.y, box->high.y, p.y),
             outside_range(box->low.z, box->high.z, p.z));
  const cloth_vector away = vector_flush_work(off);
  return vector_dot(away, away);
}

/* The box around a solid at the end of a substep: around what it is rounded about, and as far again as that goes. */
static position_box box_of_body(const touched_body *b) {
  const cloth_collider *s = b->shape;
  const cloth_vector beyond = vector(BEYOND_ALL, BEYOND_ALL, BEYOND_ALL);
  cloth_vector half = vector(0.0f, 0.0f, 0.0f);
  float round = 0.0f;
  if (b->geometry) {
    const position_box own = {b->geometry->low, b->geometry->high};
    return box_at_pose(&own, &b->end);
  }
  switch (s->shape) {
  case CLOTH_SHAPE_SPHERE:
    round = s->radius;
    break;
  case CLOTH_SHAPE_CAPSULE:
    half.y = s->half_height;
    round = maximum(s->radius, s->radius_top);
    break;
  case CLOTH_SHAPE_BOX:
    half = s->half_extents;
    break;
  case CLOTH_SHAPE_CYLINDER:
    half = vector(s->radius, s->half_height, s->radius);
    break;
  default: {
    const position_box all = {vector_subtract(vector(0.0f, 0.0f, 0.0f), beyond), beyond};
    return all;
  }
  }
  const position_box own = {vector_subtract(vector(0.0f, 0.0f, 0.0f), half), half};
  const position_box core = box_at_pose(&own, &b->end);
  return box_beyond(&core, round);
}

#endif
