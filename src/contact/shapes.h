#pragma once
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/scalar.h"
#include "shape_grid.h"
#include "shape_hull.h"

/// Collider shapes ///

/* Signed distances of points from the surfaces of colliders, in local axes [m], with the unit direction in which they
   grow, exact outside; and bounds of their shapes. `g` is the geometry of the collider, or NULL. */

/* A point closer than this to a centre or an axis [m] has no direction from it and gets a fixed normal. Just above
   STATE_QUANTUM, the smallest length that lanes3_length() gives beside 0; a length of 0 would be divided by. */
#define NORMAL_MIN_LENGTH 1.0e-9f

#if WITH_COLLIDERS

CLOTH_INLINE lanes distance_to_sphere(lanes3 p, lanes radius, lanes3 *normal) {
  lanes length = lanes3_length(p);
  lanes min_length = lanes_splat(NORMAL_MIN_LENGTH);
  lanes3 outward = lanes3_scale(p, lanes_divide(lanes_splat(1.0f), lanes_maximum(length, min_length)));
  *normal = lanes3_select(lanes_less(min_length, length), outward, lanes3_splat(vector(0.0f, 1.0f, 0.0f)));
  return lanes_subtract(length, radius);
}

#endif

/* Lower bound of the squared cosine of a capsule's lean; find_shape_fault() admits 0.0019 and more. */
#define CAPSULE_MIN_COSINE_SQUARED 1.0e-6f

#if WITH_COLLIDERS

/* Two spheres and the cone that touches both: in the plane through axis and point a line whose normal leans by sine =
   (r0 - r1) / length towards the upper sphere. A point beyond it is nearest to a sphere. */
CLOTH_INLINE lanes distance_to_capsule(const cloth_collider *body, lanes3 p, lanes3 *normal) {
  float length = 2.0f * body->half_height;
  float lean = (body->radius - body->radius_top) / length;
  float slope = square_root(maximum(1.0f - lean * lean, CAPSULE_MIN_COSINE_SQUARED));
  lanes zero = lanes_splat(0.0f);
  lanes sine = lanes_splat(lean);
  lanes cosine = lanes_splat(slope);
  lanes radial = lanes3_length(lanes3_of(p.x, zero, p.z));       /* from the axis */
  lanes height = lanes_add(p.y, lanes_splat(body->half_height)); /* above the centre of the lower sphere */
  lanes along = lanes_subtract(lanes_multiply(height, cosine), lanes_multiply(radial, sine)); /* the line */
  lanes_mask low = lanes_less(along, zero);
  lanes_mask high = lanes_less(lanes_splat(length * slope), along);
  lanes3 sphere_normal;
  lanes from_centre = lanes_select(low, height, lanes_subtract(height, lanes_splat(length)));
  lanes radius = lanes_select(low, lanes_splat(body->radius), lanes_splat(body->radius_top));
  lanes sphere = distance_to_sphere(lanes3_of(p.x, from_centre, p.z), radius, &sphere_normal);
  lanes min_length = lanes_splat(NORMAL_MIN_LENGTH);
  lanes outward = lanes_divide(cosine, lanes_maximum(radial, min_length));
  lanes_mask off_axis = lanes_less(min_length, radial);
  lanes3 cone_normal = lanes3_of(lanes_select(off_axis, lanes_multiply(p.x, outward), cosine), sine,
                                 lanes_keep(off_axis, lanes_multiply(p.z, outward)));
  lanes cone = lanes_add(lanes_multiply(radial, cosine), lanes_multiply(height, sine));
  cone = lanes_subtract(cone, lanes_splat(body->radius));
  *normal = lanes3_select(low, sphere_normal, lanes3_select(high, sphere_normal, cone_normal));
  return lanes_select(low, sphere, lanes_select(high, sphere, cone));
}

/* The distance is that of |p|, with `excess` how far that is beyond the faces: outside the length of the positive ones,
   inside the largest. */
CLOTH_INLINE lanes distance_to_box(cloth_vector half, lanes3 p, lanes3 *normal) {
  lanes zero = lanes_splat(0.0f);
  lanes3 sign = lanes3_of(lanes_sign(p.x), lanes_sign(p.y), lanes_sign(p.z));
  lanes3 excess = lanes3_of(lanes_multiply(p.x, sign.x), lanes_multiply(p.y, sign.y), lanes_multiply(p.z, sign.z));
  excess = lanes3_subtract(excess, lanes3_splat(half));
  lanes largest = lanes_maximum(excess.x, lanes_maximum(excess.y, excess.z));
  lanes3 beyond =
      lanes3_of(lanes_maximum(excess.x, zero), lanes_maximum(excess.y, zero), lanes_maximum(excess.z, zero));
  lanes3 outside_normal;
  lanes outside = distance_to_sphere(beyond, zero, &outside_normal);
  lanes_mask not_x = lanes_less(excess.x, lanes_maximum(excess.y, excess.z));
  lanes_mask not_y = lanes_less(excess.y, excess.z);
  lanes one = lanes_splat(1.0f);
  lanes3 face_normal = lanes3_of(lanes_select(not_x, zero, one), lanes_keep(not_x, lanes_select(not_y, zero, one)),
                                 lanes_keep(not_x, lanes_keep(not_y, one)));
  lanes_mask is_outside = lanes_less(lanes_splat(STATE_QUANTUM), largest);
  lanes3 outward = lanes3_select(is_outside, outside_normal, face_normal);
  *normal = lanes3_of(lanes_multiply(outward.x, sign.x), lanes_multiply(outward.y, sign.y),
                      lanes_multiply(outward.z, sign.z));
  return lanes_select(is_outside, outside, largest);
}

#endif

/* Half the third side of the box for a cylinder's cross-section [m]: so large that its faces are never the nearest. */
#define CYLINDER_HALF_DEPTH 1.0e4f

#if WITH_COLLIDERS

/* The solid that a rectangle sweeps about the y axis: a box in (distance from the axis, y) that is long in z. */
CLOTH_INLINE lanes distance_to_cylinder(const cloth_collider *body, lanes3 p, lanes3 *normal) {
  lanes zero = lanes_splat(0.0f);
  lanes radial = lanes3_length(lanes3_of(p.x, zero, p.z));
  lanes3 flat_normal;
  cloth_vector half = vector(body->radius, body->half_height, CYLINDER_HALF_DEPTH);
  lanes distance = distance_to_box(half, lanes3_of(radial, p.y, zero), &flat_normal);
  lanes min_length = lanes_splat(NORMAL_MIN_LENGTH);
  lanes_mask off_axis = lanes_less(min_length, radial);
  lanes outward = lanes_divide(flat_normal.x, lanes_maximum(radial, min_length));
  *normal = lanes3_of(lanes_select(off_axis, lanes_multiply(p.x, outward), flat_normal.x), flat_normal.y,
                      lanes_keep(off_axis, lanes_multiply(p.z, outward)));
  return distance;
}

/* Distances of a block of local points from a collider of any shape but those with is_concave(). */
CLOTH_ONCE lanes distance_to_body(const cloth_collider *body, const cloth_geometry *g, lanes3 p, lanes3 *normal) {
  (void)g;
  switch (body->shape) {
#if WITH_HULL
  case CLOTH_SHAPE_HULL:
    return distance_to_hull(g, p, normal);
#endif
  case CLOTH_SHAPE_PLANE:
    *normal = lanes3_splat(vector(0.0f, 1.0f, 0.0f));
    return p.y;
  case CLOTH_SHAPE_SPHERE:
    return distance_to_sphere(p, lanes_splat(body->radius), normal);
  case CLOTH_SHAPE_CAPSULE:
    return distance_to_capsule(body, p, normal);
  case CLOTH_SHAPE_BOX:
    return distance_to_box(body->half_extents, p, normal);
  default:
    return distance_to_cylinder(body, p, normal);
  }
}

#endif

#if WITH_COLLIDERS

/* Distance of one local point, with the bits that a lane of distance_to_body() has; also from a distance grid. */
CLOTH_SEPARATE float distance_of_point(const cloth_collider *body, const cloth_geometry *g, cloth_vector p,
                                       cloth_vector *normal) {
#if WITH_DISTANCE_GRID
  if (body->shape == CLOTH_SHAPE_DISTANCE_GRID) { return distance_in_grid(g, p, normal); }
#endif
  lanes3 outward;
  float distance = lanes_first_value(distance_to_body(body, g, lanes3_splat(p), &outward));
  *normal = vector(lanes_first_value(outward.x), lanes_first_value(outward.y), lanes_first_value(outward.z));
  return distance;
}

#endif

/* The reach of a plane [m]: farther than any particle can be from it, so that it is always near. */
#define PLANE_REACH 1.0e9f

#if WITH_COLLIDERS

/* Largest distance of a collider's surface from its position [m], or a little more. */
static float body_reach(const cloth_collider *body, const cloth_geometry *g) {
  if (g) {
    const cloth_vector low = vector_subtract(vector(0.0f, 0.0f, 0.0f), g->low);
    return body->shape == CLOTH_SHAPE_HEIGHT_FIELD
               ? PLANE_REACH
               : vector_length(vector(maximum(low.x, g->high.x), maximum(low.y, g->high.y), maximum(low.z, g->high.z)));
  }
  switch (body->shape) {
  case CLOTH_SHAPE_SPHERE:
    return body->radius;
  case CLOTH_SHAPE_CAPSULE:
    return body->half_height + maximum(body->radius, body->radius_top);
  case CLOTH_SHAPE_BOX:
    return vector_length(body->half_extents);
  case CLOTH_SHAPE_CYLINDER:
    return body->half_height + body->radius;
  default:
    return PLANE_REACH;
  }
}

#endif
