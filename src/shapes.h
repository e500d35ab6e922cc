#pragma once
#include "compiler.h"
#include "lanes.h"
#include "rigid.h"
#include "scalar.h"

/// Collider shapes ///

/* The distance functions give the distance of local points from the surface, negative inside, and the unit direction
   in which it grows. All are exact outside, which makes them safe bounds for sphere tracing. */

CLOTH_INLINE lanes distance_to_sphere(lanes3 p, lanes radius, lanes3 *normal) {
  lanes length = lanes3_length(p);
  lanes least = lanes_splat(1.0e-9f);
  lanes3 outward = lanes3_scale(p, lanes_divide(lanes_splat(1.0f), lanes_maximum(length, least)));
  *normal = lanes3_select(lanes_less(least, length), outward, lanes3_splat(vector(0.0f, 1.0f, 0.0f)));
  return lanes_subtract(length, radius);
}

/* Two spheres and the cone that touches both. In the plane through the axis the cone is a line whose normal leans by
   sin = (r0 - r1) / length towards the axis. */
CLOTH_INLINE lanes distance_to_capsule(const cloth_collider *body, lanes3 p, lanes3 *normal) {
  float length = 2.0f * body->half_height;
  float lean = (body->radius - body->radius_top) / length;
  float slope = square_root(maximum(1.0f - lean * lean, 1.0e-6f));
  lanes zero = lanes_splat(0.0f);
  lanes sine = lanes_splat(lean);
  lanes cosine = lanes_splat(slope);
  lanes out = lanes3_length(lanes3_of(p.x, zero, p.z));
  lanes up = lanes_add(p.y, lanes_splat(body->half_height));
  lanes along = lanes_subtract(lanes_multiply(up, cosine), lanes_multiply(out, sine));
  lanes_mask low = lanes_less(along, zero);
  lanes_mask high = lanes_less(lanes_splat(length * slope), along);
  lanes3 round_normal;
  lanes from = lanes_select(low, up, lanes_subtract(up, lanes_splat(length)));
  lanes radius = lanes_select(low, lanes_splat(body->radius), lanes_splat(body->radius_top));
  lanes round = distance_to_sphere(lanes3_of(p.x, from, p.z), radius, &round_normal);
  lanes least = lanes_splat(1.0e-9f);
  lanes outward = lanes_divide(cosine, lanes_maximum(out, least));
  lanes_mask aside = lanes_less(least, out);
  lanes3 cone_normal = lanes3_of(lanes_select(aside, lanes_multiply(p.x, outward), cosine), sine,
                                 lanes_keep(aside, lanes_multiply(p.z, outward)));
  lanes cone = lanes_add(lanes_multiply(out, cosine), lanes_multiply(up, sine));
  cone = lanes_subtract(cone, lanes_splat(body->radius));
  *normal = lanes3_select(low, round_normal, lanes3_select(high, round_normal, cone_normal));
  return lanes_select(low, round, lanes_select(high, round, cone));
}

CLOTH_INLINE lanes distance_to_box(cloth_vector half, lanes3 p, lanes3 *normal) {
  lanes zero = lanes_splat(0.0f);
  lanes3 side = lanes3_of(signed_one(p.x), signed_one(p.y), signed_one(p.z));
  lanes3 q = lanes3_of(lanes_multiply(p.x, side.x), lanes_multiply(p.y, side.y), lanes_multiply(p.z, side.z));
  q = lanes3_subtract(q, lanes3_splat(half));
  lanes deepest = lanes_maximum(q.x, lanes_maximum(q.y, q.z));
  lanes3 beyond = lanes3_of(lanes_maximum(q.x, zero), lanes_maximum(q.y, zero), lanes_maximum(q.z, zero));
  lanes3 corner;
  lanes outside = distance_to_sphere(beyond, zero, &corner);
  lanes_mask not_x = lanes_less(q.x, lanes_maximum(q.y, q.z));
  lanes_mask not_y = lanes_less(q.y, q.z);
  lanes one = lanes_splat(1.0f);
  lanes3 face = lanes3_of(lanes_select(not_x, zero, one), lanes_keep(not_x, lanes_select(not_y, zero, one)),
                          lanes_keep(not_x, lanes_keep(not_y, one)));
  lanes_mask is_outside = lanes_less(lanes_splat(STATE_QUANTUM), deepest);
  lanes3 outward = lanes3_select(is_outside, corner, face);
  *normal = lanes3_of(lanes_multiply(outward.x, side.x), lanes_multiply(outward.y, side.y),
                      lanes_multiply(outward.z, side.z));
  return lanes_select(is_outside, outside, deepest);
}

/* A rectangle turned about the axis. */
CLOTH_INLINE lanes distance_to_cylinder(const cloth_collider *body, lanes3 p, lanes3 *normal) {
  lanes zero = lanes_splat(0.0f);
  lanes out = lanes3_length(lanes3_of(p.x, zero, p.z));
  lanes3 flat;
  cloth_vector half = vector(body->radius, body->half_height, 1.0e4f);
  lanes distance = distance_to_box(half, lanes3_of(out, p.y, zero), &flat);
  lanes least = lanes_splat(1.0e-9f);
  lanes_mask aside = lanes_less(least, out);
  lanes inverse = lanes_divide(flat.x, lanes_maximum(out, least));
  *normal = lanes3_of(lanes_select(aside, lanes_multiply(p.x, inverse), flat.x), flat.y,
                      lanes_keep(aside, lanes_multiply(p.z, inverse)));
  return distance;
}

CLOTH_ONCE lanes distance_to_body(const cloth_collider *body, lanes3 p, lanes3 *normal) {
  switch (body->shape) {
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

/* The same for one point. */
CLOTH_SEPARATE float distance_of_point(const cloth_collider *body, cloth_vector p, cloth_vector *normal) {
  lanes3 outward;
  float distance = lanes_first_value(distance_to_body(body, lanes3_splat(p), &outward));
  *normal = vector(lanes_first_value(outward.x), lanes_first_value(outward.y), lanes_first_value(outward.z));
  return distance;
}

/* The capsule around a body, its axis turned as the body is. Returns its radius. */
static float capsule_around(const cloth_collider *body, cloth_rotation rotation, cloth_vector *from,
                            cloth_vector *along) {
  float reach = maximum(body->radius, body->radius_top);
  cloth_vector half = vector(0.0f, body->half_height, 0.0f);
  if (body->shape == CLOTH_SHAPE_BOX) {
    cloth_vector h = body->half_extents;
    int is_x = h.x >= h.y && h.x >= h.z;
    int is_y = !is_x && h.y >= h.z;
    half = vector(is_x ? h.x : 0.0f, is_y ? h.y : 0.0f, is_x || is_y ? 0.0f : h.z);
    reach = vector_length(vector_subtract(h, half));
  }
  half = rotate(rotation, half);
  *from = vector_scale(half, -1.0f);
  *along = vector_flush(vector_scale(half, 2.0f), STATE_QUANTUM);
  return reach;
}

/* Farthest a collider's surface lies from its position. */
static float body_reach(const cloth_collider *body) {
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
    return 1.0e9f; /* a plane is never far */
  }
}
