/*
 * Rotations and poses for what moves in the game, of correctly rounded operations alone, as in motion.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GAME_POSE_H
#define GAME_POSE_H

#include "motion.h"

static inline cloth_vector cross(cloth_vector a, cloth_vector b) {
  return vector(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline cloth_vector mixed(cloth_vector a, cloth_vector b, float share) {
  return plus(a, times(share, minus(b, a)));
}

/* Turns a vector by a rotation. */
static inline cloth_vector turned(cloth_rotation r, cloth_vector a) {
  cloth_vector axis = vector(r.x, r.y, r.z);
  cloth_vector once = plus(cross(axis, a), times(r.w, a));
  return plus(a, times(2, cross(axis, once)));
}

/* Turns a vector back. */
static inline cloth_vector turned_back(cloth_rotation r, cloth_vector a) {
  return turned((cloth_rotation){-r.x, -r.y, -r.z, r.w}, a);
}

static inline cloth_rotation unit_rotation(cloth_rotation r) {
  float size = root(r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w);
  return (cloth_rotation){r.x / size, r.y / size, r.z / size, r.w / size};
}

/* First `b`, then `a`. */
static inline cloth_rotation rotation_product(cloth_rotation a, cloth_rotation b) {
  cloth_vector i = vector(a.x, a.y, a.z), j = vector(b.x, b.y, b.z);
  cloth_vector v = plus(plus(times(a.w, j), times(b.w, i)), cross(i, j));
  return unit_rotation((cloth_rotation){v.x, v.y, v.z, a.w * b.w - dot(i, j)});
}

/* About the vertical, in turns from +x towards -z. */
static inline cloth_rotation heading_rotation(float turns) {
  return unit_rotation((cloth_rotation){0, wave(0.5f * turns), 0, cosine(0.5f * turns)});
}

/* Where something is in the world whose place is known within a frame. */
static inline cloth_vector point_within(const cloth_pose *frame, cloth_vector point) {
  return plus(frame->position, turned(frame->rotation, point));
}

static inline cloth_pose pose_within(const cloth_pose *frame, const cloth_pose *pose) {
  return (cloth_pose){point_within(frame, pose->position), rotation_product(frame->rotation, pose->rotation)};
}

/* Between two poses that are near to each other. */
static inline cloth_pose pose_between(const cloth_pose *a, const cloth_pose *b, float share) {
  cloth_rotation p = a->rotation, q = b->rotation;
  float sign = p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w < 0 ? -share : share, rest = 1 - share;
  cloth_rotation r = {rest * p.x + sign * q.x, rest * p.y + sign * q.y, rest * p.z + sign * q.z,
                      rest * p.w + sign * q.w};
  return (cloth_pose){mixed(a->position, b->position, share), unit_rotation(r)};
}

#endif /* GAME_POSE_H */
