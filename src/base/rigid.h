#pragma once
#include "lanes.h"

/// Rotations and poses ///

/* Unit quaternions and rigid poses, one or in lanes. Factors of products are flushed before (WORK_QUANTUM). */

static cloth_rotation rotation_conjugate(cloth_rotation q) {
  return (cloth_rotation){negate(q.x), negate(q.y), negate(q.z), q.w};
}

static float rotation_dot(cloth_rotation a, cloth_rotation b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

/* Rotates v: v + 2 w (u x v) + 2 u x (u x v), where u is the vector part of q. */
static cloth_vector rotate(cloth_rotation q, cloth_vector v) {
  cloth_vector u = vector(q.x, q.y, q.z);
  v = vector_flush_work(v);
  cloth_vector t = vector_scale_work(vector_cross(u, v), 2.0f);
  return vector_add(vector_add_scaled(v, t, q.w), vector_cross(u, t));
}

static cloth_rotation rotation_flush(cloth_rotation q) {
  flush_floats(&q.x, 4);
  return q;
}

/* Lower bound of the squared length that a quaternion, of 0.5 and more, is divided by: keeps that of 0 finite. */
#define ROTATION_MIN_SQUARED 1.0e-12f

/* Scales q to unit length. Flushed before it is squared, and again after it is scaled. */
static cloth_rotation rotation_normalised(cloth_rotation q) {
  q = rotation_flush(q);
  const float scale = 1.0f / square_root(maximum(rotation_dot(q, q), ROTATION_MIN_SQUARED));
  return rotation_flush((cloth_rotation){q.x * scale, q.y * scale, q.z * scale, q.w * scale});
}

/* Interpolates from a (t = 0) to b (t = 1) the short way round: linearly, then normalised. */
static cloth_rotation rotation_between(cloth_rotation a, cloth_rotation b, float t) {
  const float sign = rotation_dot(a, b) < 0.0f ? -1.0f : 1.0f;
  cloth_rotation q;
  q.x = a.x + (sign * b.x - a.x) * t;
  q.y = a.y + (sign * b.y - a.y) * t;
  q.z = a.z + (sign * b.z - a.z) * t;
  q.w = a.w + (sign * b.w - a.w) * t;
  return rotation_normalised(q);
}

/* Interpolates from a (t = 0) to b (t = 1); b itself, to the bit, at the end. */
static cloth_pose pose_between(const cloth_pose *a, const cloth_pose *b, float t) {
  if (t == 1.0f) { return *b; }
  const cloth_vector between = vector_add_scaled(a->position, vector_subtract(b->position, a->position), t);
  return (cloth_pose){vector_flush_state(between), rotation_between(a->rotation, b->rotation, t)};
}

static cloth_vector to_local(const cloth_pose *pose, cloth_vector p) {
  cloth_vector from = vector_flush_state(vector_subtract(p, pose->position));
  return vector_flush_state(rotate(rotation_conjugate(pose->rotation), from));
}

static cloth_vector to_world(const cloth_pose *pose, cloth_vector p) {
  return vector_add(pose->position, rotate(pose->rotation, p));
}

CLOTH_INLINE lanes3 lanes3_rotate(cloth_rotation q, lanes3 v) {
  lanes3 u = lanes3_splat(vector(q.x, q.y, q.z));
  v = lanes3_flush(v);
  lanes3 t = lanes3_flush(lanes3_scale(lanes3_cross(u, v), lanes_splat(2.0f)));
  return lanes3_add(lanes3_add_scaled(v, t, lanes_splat(q.w)), lanes3_cross(u, t));
}

/* Range of the components of a rotation, whose squares stay finite, and of its squared length, 1 within 1e-3. */
#define ROTATION_LIMIT 2.0f
#define ROTATION_SQUARED_LOW 0.998f
#define ROTATION_SQUARED_HIGH 1.002f

static int is_unit_rotation(cloth_rotation q) {
  if (!vector_in_range(vector(q.x, q.y, q.z), ROTATION_LIMIT) || !in_range(q.w, -ROTATION_LIMIT, ROTATION_LIMIT)) {
    return 0;
  }
  q = rotation_flush(q);
  return in_range(rotation_dot(q, q), ROTATION_SQUARED_LOW, ROTATION_SQUARED_HIGH);
}

/* CLOTH_OK for a pose within the position limit with a unit quaternion, else CLOTH_ERROR_RANGE. */
static int check_pose(const cloth_pose *pose) {
  int is_pose = vector_in_range(pose->position, CLOTH_POSITION_LIMIT) && is_unit_rotation(pose->rotation);
  return is_pose ? CLOTH_OK : CLOTH_ERROR_RANGE;
}

static cloth_pose normalised_pose(const cloth_pose *pose) {
  return (cloth_pose){vector_flush_state(pose->position), rotation_normalised(pose->rotation)};
}

/* The rotation b, then the rotation a. */
static cloth_rotation rotation_product(cloth_rotation a, cloth_rotation b) {
  cloth_rotation q;
  q.x = a.w * b.x + a.x * b.w + (a.y * b.z - a.z * b.y);
  q.y = a.w * b.y + a.y * b.w + (a.z * b.x - a.x * b.z);
  q.z = a.w * b.z + a.z * b.w + (a.x * b.y - a.y * b.x);
  q.w = a.w * b.w - (a.x * b.x + a.y * b.y + a.z * b.z);
  return rotation_normalised(q);
}

/* The rotation by half the angle of q, about the same axis. q.w is 0 or more: q turns by no more than half a turn. */
static cloth_rotation half_rotation(cloth_rotation q) {
  float w = square_root(0.5f * (1.0f + q.w));
  float share = 0.5f / w;
  return (cloth_rotation){q.x * share, q.y * share, q.z * share, w};
}
