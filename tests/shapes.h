/* Colliders of every shape, and the distance of a cloth from them in double precision. SPDX-License-Identifier: MIT */
#ifndef SHAPES_H
#define SHAPES_H

#include "support.h"

/// Signed distances of the shapes ///

static inline point turned_back(cloth_rotation q, point p) {
  point axis = {-(double)q.x, -(double)q.y, -(double)q.z};
  point twice = point_scaled(point_cross(axis, p), 2.0);
  return point_sum(p, point_sum(point_scaled(twice, (double)q.w), point_cross(axis, twice)));
}

/* Two spheres and their common tangent cone: the distance to a disc rolling along the axis is least where its slope
   is that of the cone. */
static inline double capsule_distance(const cloth_collider *c, point p) {
  double half = (double)c->half_height, low = (double)c->radius, high = (double)c->radius_top;
  double radial = sqrt(p.x * p.x + p.z * p.z), slope = (low - high) / (2.0 * half);
  double along = p.y - radial * slope / sqrt(1.0 - slope * slope);
  along = along < -half ? -half : along > half ? half : along;
  double radius = low + (high - low) * (along + half) / (2.0 * half);
  return hypot(radial, p.y - along) - radius;
}

static inline double box_distance(point half, point p) {
  double x = fabs(p.x) - half.x, y = fabs(p.y) - half.y, z = fabs(p.z) - half.z;
  double outside = sqrt(fmax(x, 0.0) * fmax(x, 0.0) + fmax(y, 0.0) * fmax(y, 0.0) + fmax(z, 0.0) * fmax(z, 0.0));
  return outside + fmin(fmax(x, fmax(y, z)), 0.0);
}

static inline double cylinder_distance(const cloth_collider *c, point p) {
  double radial = hypot(p.x, p.z) - (double)c->radius, end = fabs(p.y) - (double)c->half_height;
  return hypot(fmax(radial, 0.0), fmax(end, 0.0)) + fmin(fmax(radial, end), 0.0);
}

static inline double distance_to(const cloth_collider *c, point world) {
  point p = turned_back(c->pose.rotation, point_difference(world, point_of(c->pose.position)));
  switch (c->shape) {
  case CLOTH_SHAPE_PLANE:
    return p.y;
  case CLOTH_SHAPE_SPHERE:
    return point_length(p) - (double)c->radius;
  case CLOTH_SHAPE_CAPSULE:
    return capsule_distance(c, p);
  case CLOTH_SHAPE_BOX:
    return box_distance(point_of(c->half_extents), p);
  default:
    return cylinder_distance(c, p);
  }
}

static inline double least_distance(const fixture *s, const cloth_collider *c) {
  double least = HUGE_VAL;
  for (int i = 0; i < s->count; i++)
    least = fmin(least, distance_to(c, position_of(s->sheet, i)));
  return least;
}

static inline cloth_collider shape_at(int32_t shape, double height, cloth_rotation rotation) {
  cloth_collider c = cloth_collider_default();
  c.shape = (int32_t)shape;
  c.pose.position = vector_at(0.0, height, 0.0);
  c.pose.rotation = rotation;
  c.radius = 0.25f;
  c.radius_top = 0.15f;
  c.half_height = 0.3f;
  c.half_extents = vector_at(0.2, 0.15, 0.25);
  c.static_friction = c.kinetic_friction = 1.0f;
  return c;
}

#endif /* SHAPES_H */
