#pragma once
#include "geometry.h"

/// Convex hulls ///

/* Signed distance of points from a convex solid, in local axes: the largest distance from a plane, inside and where the
   nearest point lies in a face; else that of the nearest edge. */

/* A plane: points p with normal . p <= offset are behind it. */
typedef struct hull_plane {
  cloth_vector normal; /* unit length */
  float offset;        /* [m] */
} hull_plane;

typedef struct hull_edge {
  cloth_vector from, along; /* [m] */
  float inverse_squared;    /* of the length of `along` [1/m^2] */
} hull_edge;

/* Distances and directions of a block of points from the nearest edge. */
static lanes distance_to_edges(const cloth_geometry *g, lanes3 p, lanes3 *normal) {
  const hull_edge *edges = (const hull_edge *)geometry_data(g, g->edges);
  lanes least = lanes_splat(BEYOND_ALL);
  lanes3 nearest = p;
  for (int32_t n = 0; n < g->counts[1]; n++) {
    const lanes3 along = lanes3_splat(edges[n].along);
    lanes3 from = lanes3_flush_below(lanes3_subtract(p, lanes3_splat(edges[n].from)), STATE_QUANTUM);
    lanes share = lanes_flush(lanes_multiply(lanes3_dot(from, along), lanes_splat(edges[n].inverse_squared)));
    share = lanes_minimum(lanes_maximum(share, lanes_splat(0.0f)), lanes_splat(1.0f));
    from = lanes3_flush_below(lanes3_subtract(from, lanes3_scale(along, share)), STATE_QUANTUM);
    const lanes squared = lanes3_dot(from, from);
    const lanes_mask nearer = lanes_less(squared, least);
    least = lanes_select(nearer, squared, least);
    nearest = lanes3_select(nearer, from, nearest);
  }
  const lanes distance = lanes_square_root(least);
  const lanes divisor = lanes_maximum(distance, lanes_splat(STATE_QUANTUM));
  *normal = lanes3_scale(nearest, lanes_divide(lanes_splat(1.0f), divisor));
  return distance;
}

static lanes distance_to_hull(const cloth_geometry *g, lanes3 p, lanes3 *normal) {
  const hull_plane *planes = (const hull_plane *)geometry_data(g, g->data);
  lanes largest = lanes_splat(-BEYOND_ALL);
  lanes3 outward = p;
  for (int32_t n = 0; n < g->counts[0]; n++) {
    const lanes3 direction = lanes3_splat(planes[n].normal);
    const lanes distance = lanes_subtract(lanes3_dot(p, direction), lanes_splat(planes[n].offset));
    const lanes_mask larger = lanes_less(largest, distance);
    largest = lanes_select(larger, distance, largest);
    outward = lanes3_select(larger, direction, outward);
  }
  *normal = outward;
  largest = lanes_flush_below(largest, STATE_QUANTUM);
  /* The nearest point of the plane: is it in the solid? A point in or at the solid needs no other. */
  const lanes3 foot = lanes3_flush_below(lanes3_subtract(p, lanes3_scale(outward, largest)), STATE_QUANTUM);
  lanes beyond = lanes_splat(-BEYOND_ALL);
  for (int32_t n = 0; n < g->counts[0]; n++) {
    const lanes distance = lanes3_dot(foot, lanes3_splat(planes[n].normal));
    beyond = lanes_maximum(lanes_subtract(distance, lanes_splat(planes[n].offset)), beyond);
  }
  const lanes tolerance = lanes_splat(g->tolerance);
  const lanes_mask off_face = lanes_both(lanes_less(tolerance, beyond), lanes_less(tolerance, largest));
  if (!lanes_any(off_face)) { return largest; }
  lanes3 from_edge;
  const lanes distance = distance_to_edges(g, p, &from_edge);
  *normal = lanes3_select(off_face, from_edge, outward);
  return lanes_select(off_face, distance, largest);
}

/// Grids of signed distances ///

/* Contact of a path with a solid whose signed distances lie on a grid, trilinear between samples; the unit gradient is
   the normal. A path goes on by the distance until it is close to the surface or at its end. */

/* Least length of a gradient that has a direction [1]. */
#define GRID_MIN_GRADIENT 1.0e-3f

/* The samples at the corners of a cell, x first, and the place in the cell, 0..1. */
typedef struct grid_cell {
  float d[8];
  cloth_vector place;
} grid_cell;

/* Splits a coordinate over the spacing into a cell and the place in it. */
static int32_t split_coordinate(float position, int32_t samples, float *place) {
  position = maximum(position, 0.0f);
  const int32_t cell = position < (float)(samples - 1) ? (int32_t)position : samples - 2;
  *place = flush_work(minimum(position - (float)cell, 1.0f));
  return cell;
}

/* The cell of a point relative to the low corner, or the nearest one. */
static void find_grid_cell(const cloth_geometry *g, cloth_vector p, grid_cell *cell) {
  const float scale = 1.0f / g->spacing[0];
  const float *samples = (const float *)geometry_data(g, g->data);
  const int32_t next[2] = {g->counts[0], g->counts[0] * g->counts[1]};
  int32_t first = split_coordinate(p.x * scale, g->counts[0], &cell->place.x);
  first += split_coordinate(p.y * scale, g->counts[1], &cell->place.y) * next[0];
  first += split_coordinate(p.z * scale, g->counts[2], &cell->place.z) * next[1];
  for (int32_t n = 0; n < 8; n++) {
    cell->d[n] = samples[first + (n & 1) + (n >> 1 & 1) * next[0] + (n >> 2) * next[1]];
  }
}

static float between(float a, float b, float t) {
  return a + flush_small(b - a, STATE_QUANTUM) * t;
}

/* The distance in a cell, and its gradient times the spacing. */
static float interpolate_cell(const grid_cell *cell, cloth_vector *gradient) {
  const float *d = cell->d;
  const cloth_vector t = cell->place;
  const float low[2] = {between(d[0], d[1], t.x), between(d[2], d[3], t.x)};
  const float high[2] = {between(d[4], d[5], t.x), between(d[6], d[7], t.x)};
  const float front = between(low[0], low[1], t.y), back = between(high[0], high[1], t.y);
  gradient->x = between(between(d[1] - d[0], d[3] - d[2], t.y), between(d[5] - d[4], d[7] - d[6], t.y), t.z);
  gradient->y = between(low[1] - low[0], high[1] - high[0], t.z);
  gradient->z = back - front;
  return between(front, back, t.z);
}

/* The distance at a point in local axes, and the normal; outside of the grid a lower bound of the distance. */
static float distance_in_grid(const cloth_geometry *g, cloth_vector point, cloth_vector *normal) {
  const cloth_vector p = vector_flush_state(vector_subtract(point, g->box.low));
  const cloth_vector high = vector_subtract(g->box.high, g->box.low);
  const cloth_vector within = vector_minimum(vector_maximum(p, vector(0.0f, 0.0f, 0.0f)), high);
  const float outside = vector_length(vector_subtract(p, within));
  grid_cell cell;
  find_grid_cell(g, p, &cell);
  cloth_vector gradient;
  const float inside = interpolate_cell(&cell, &gradient);
  gradient = vector_flush_state(vector_scale(gradient, 1.0f / g->spacing[0]));
  const float length = vector_length(gradient);
  *normal = length > GRID_MIN_GRADIENT ? vector_scale_work(gradient, 1.0f / length) : vector(0.0f, 1.0f, 0.0f);
  return outside > 0.0f ? maximum(outside, inside - outside) : inside;
}

/// Collider shapes ///

/* Signed distances of points from the surfaces of colliders, in local axes [m], with the unit direction in which they
   grow, exact outside; and bounds of their shapes. `g` is the geometry of the collider, or NULL. */

/* A point closer than this to a centre or an axis [m] has no direction from it and gets a fixed normal. Just above
   STATE_QUANTUM, the smallest length that lanes3_length() gives beside 0; a length of 0 would be divided by. */
#define NORMAL_MIN_LENGTH 1.0e-9f

CLOTH_INLINE lanes distance_to_sphere(lanes3 p, lanes radius, lanes3 *normal) {
  lanes length = lanes3_length(p);
  lanes min_length = lanes_splat(NORMAL_MIN_LENGTH);
  lanes3 outward = lanes3_scale(p, lanes_divide(lanes_splat(1.0f), lanes_maximum(length, min_length)));
  *normal = lanes3_select(lanes_less(min_length, length), outward, lanes3_splat(vector(0.0f, 1.0f, 0.0f)));
  return lanes_subtract(length, radius);
}

/* A normal of a solid of revolution about the y axis at points so far from that: from its part away from the axis,
   which on the axis is along x, and its part along y. */
CLOTH_INLINE lanes3 normal_about_axis(lanes3 p, lanes radial, lanes away, lanes y) {
  const lanes min_length = lanes_splat(NORMAL_MIN_LENGTH),
              outward = lanes_divide(away, lanes_maximum(radial, min_length));
  const lanes_mask off_axis = lanes_less(min_length, radial);
  return lanes3_of(lanes_select(off_axis, lanes_multiply(p.x, outward), away), y,
                   lanes_keep(off_axis, lanes_multiply(p.z, outward)));
}

/* Lower bound of the squared cosine of a capsule's lean; find_shape_fault() admits 0.0019 and more. */
#define CAPSULE_MIN_COSINE_SQUARED 1.0e-6f

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
  lanes3 cone_normal = normal_about_axis(p, radial, cosine, sine);
  lanes cone = lanes_add(lanes_multiply(radial, cosine), lanes_multiply(height, sine));
  cone = lanes_subtract(cone, lanes_splat(body->radius));
  *normal = cone_normal;
  if (!lanes_any(low) && !lanes_any(high)) { return cone; }
  lanes3 sphere_normal;
  lanes from_centre = lanes_select(low, height, lanes_subtract(height, lanes_splat(length)));
  lanes radius = lanes_select(low, lanes_splat(body->radius), lanes_splat(body->radius_top));
  lanes sphere = distance_to_sphere(lanes3_of(p.x, from_centre, p.z), radius, &sphere_normal);
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

/* Half the third side of the box for a cylinder's cross-section [m]: so large that its faces are never the nearest. */
#define CYLINDER_HALF_DEPTH 1.0e4f

/* The solid that a rectangle sweeps about the y axis: a box in (distance from the axis, y) that is long in z. */
CLOTH_INLINE lanes distance_to_cylinder(const cloth_collider *body, lanes3 p, lanes3 *normal) {
  lanes zero = lanes_splat(0.0f);
  lanes radial = lanes3_length(lanes3_of(p.x, zero, p.z));
  lanes3 flat_normal;
  cloth_vector half = vector(body->radius, body->half_height, CYLINDER_HALF_DEPTH);
  lanes distance = distance_to_box(half, lanes3_of(radial, p.y, zero), &flat_normal);
  *normal = normal_about_axis(p, radial, flat_normal.x, flat_normal.y);
  return distance;
}

/* Distances of a block of local points from a collider of any shape but those with is_concave(). */
CLOTH_ONCE lanes distance_to_body(const cloth_collider *body, const cloth_geometry *g, lanes3 p, lanes3 *normal) {
  if (is_hull(body->shape)) { return distance_to_hull(g, p, normal); }
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

/* Distance of one local point, with the bits that a lane of distance_to_body() has; also from a distance grid. */
CLOTH_SEPARATE float distance_of_point(const cloth_collider *body, const cloth_geometry *g, cloth_vector p,
                                       cloth_vector *normal) {
  if (is_distance_grid(body->shape)) { return distance_in_grid(g, p, normal); }
  lanes3 outward;
  float distance = lanes_first_value(distance_to_body(body, g, lanes3_splat(p), &outward));
  *normal = vector(lanes_first_value(outward.x), lanes_first_value(outward.y), lanes_first_value(outward.z));
  return distance;
}

/* The reach of a plane [m]: farther than any particle can be from it, so that it is always near. */
#define PLANE_REACH 1.0e9f

/* Largest distance of a stored collider's surface from its position [m], or a little more: the dimensions that its
   shape is without are 0. */
static float body_reach(const cloth_collider *body, const cloth_geometry *g) {
  if (body->shape == CLOTH_SHAPE_PLANE || is_height_field(body->shape)) { return PLANE_REACH; }
  if (g) { return vector_length(vector_maximum(vector_subtract(vector(0.0f, 0.0f, 0.0f), g->box.low), g->box.high)); }
  if (body->shape == CLOTH_SHAPE_BOX) { return vector_length(body->half_extents); }
  return body->half_height + maximum(body->radius, body->radius_top);
}
