#pragma once
#include "compiler.h"
#include "costs.h"
#include "geometry.h"
#include "scalar.h"
#include "shape_hull.h"
#include "shapes.h"
#include "triangle_point.h"

/// Cores of colliders ///

/*
 * The points of a triangle and of a collider that are nearest to each other, for contact of cells. A collider is taken
 * for all balls whose centres lie in its core: the centre of a sphere, the axis of a capsule, and for shapes with edges
 * a smaller box, cylinder or hull, so that edges and corners are round. From a point of the core the nearest point of
 * the triangle is found, from there the nearest point of the core, and so on (alternating projections; Cheney and
 * Goldstein, "Proximity Maps for Convex Sets", 1959).
 *
 * In: colliders, corners of triangles in a collider's axes. Out: what the functions return. Reads no positions, and
 * writes no cloth.
 */

#if WITH_CELL_CONTACT

/* How much smaller the balls of a collider are, over the thickness; at most half their radius [1]. With less, cloth
   that is as fine as most and hardly stretched would have contacts of cells. */
#define CELL_SAG 0.5f
/* How much smaller they are at least, over the radius [1]. With less, balls with mass tremble on cloth whose cells are
   about as large as they are. */
#define CELL_INSET 0.12f
/* Radius of edges and corners, over half the least extent of the shape [1]. With less, cells that are small beside a
   box have contacts of cells; with more, corners stick out between particles. */
#define CELL_ROUNDING 0.25f
/* Steps towards the nearest points of a triangle and the axis of a capsule. */
#define CELL_AXIS_STEPS 3
/* A triangle that is this near to the core of a shape with edges, over the radius [1], goes through it: where it is
   nearest is unknown, and the collider is left along the line from its centre to the triangle. */
#define CELL_THROUGH 0.25f

/* A collider as contact of cells takes it. */
typedef struct cell_core {
  const cloth_collider *body;
  const cloth_geometry *geometry; /* of a hull, else NULL */
  cloth_vector centre;            /* of the core [m] */
  cloth_vector half;          /* half extents of the core of a box; radius and half height of that of a cylinder [m] */
  float scale, inverse_scale; /* of the core of a hull, over the hull, and its inverse [1] */
  float radius;               /* of the balls, the least of a capsule's [m] */
  float inset;                /* by which balls are smaller [m] */
  float wide;                 /* least square of the longest edge of a triangle that takes part [m^2] */
} cell_core;

/* Where a triangle is nearest to a collider, and touches it. */
typedef struct cell_point {
  float weight[3];     /* of the corners */
  cloth_vector core;   /* centre of the ball that is nearest to the triangle [m] */
  cloth_vector normal; /* unit length, from the collider to the triangle; 0: the triangle goes through `core` */
  float radius;        /* of the ball [m] */
  float distance;      /* from the collider [m] */
  int is_through;      /* 1: the triangle goes through the core, see leave_from_centre() */
} cell_point;

/* 1 for a box, a cylinder or a hull. Builds without bodies with mass keep no cells out of these. */
static int has_edges(const cloth_collider *body) {
  return WITH_BODIES && !is_round(body);
}

/* Half the least extent of a collider, or of a hull the least distance of its planes from the core's centre [m]. */
static float least_half(const cell_core *k) {
  const cloth_collider *body = k->body;
  switch (body->shape) {
#if WITH_HULL
  case CLOTH_SHAPE_HULL: {
    const hull_plane *planes = (const hull_plane *)geometry_data(k->geometry, k->geometry->data);
    float least = PLANE_REACH;
    for (int32_t n = 0; n < k->geometry->counts[0]; n++) {
      least = minimum(least, planes[n].offset - vector_dot(planes[n].normal, k->centre));
    }
    return maximum(flush_small(least, STATE_QUANTUM), 0.0f);
  }
#endif
  case CLOTH_SHAPE_BOX:
    return minimum(body->half_extents.x, minimum(body->half_extents.y, body->half_extents.z));
  case CLOTH_SHAPE_CYLINDER:
    return minimum(body->radius, body->half_height);
  case CLOTH_SHAPE_CAPSULE:
    return minimum(body->radius, body->radius_top);
  default:
    return body->radius;
  }
}

#if WITH_HULL

/* The mean of the ends of all edges of a hull, which lies inside. */
static cloth_vector hull_centre(const cloth_geometry *g) {
  const hull_edge *edges = (const hull_edge *)geometry_data(g, g->edges);
  cloth_vector sum = {0.0f, 0.0f, 0.0f};
  for (int32_t n = 0; n < g->counts[1]; n++) {
    sum = vector_add(sum, vector_add_scaled(edges[n].from, edges[n].along, 0.5f));
  }
  return vector_flush(vector_scale(sum, 1.0f / (float)g->counts[1]), STATE_QUANTUM);
}

#endif

/* The least square of the longest edge of a triangle that takes part [m^2]. The corners of a triangle are the thickness
   t away from the collider. Beside a ball of radius r it comes as near as r - i, i being the inset, if its longest edge
   is 2 sqrt((t + i) (2 r + t - i)); over the corner of a box, whose three faces have all the same distance from the
   triangle's corners, if it is sqrt(2) (t + a) with a = (t + 3 r - sqrt(3) (r - i)) / 2. */
static float wide_square(const cell_core *k, float thickness) {
  if (!has_edges(k->body)) {
    return 4.0f * (thickness + k->inset) * (2.0f * k->radius + thickness - k->inset);
  }
  const float root3 = 1.7320508f;
  const float beside = 0.5f * (thickness + 3.0f * k->radius - root3 * (k->radius - k->inset));
  return 2.0f * (thickness + beside) * (thickness + beside);
}

static cell_core core_of(const cloth *c, const cloth_collider *body) {
  const float thickness = c->settings.contact.thickness;
  cell_core k;
  fill_zero(&k, sizeof k);
  k.body = body;
  k.geometry = geometry_of(c, body);
#if WITH_HULL
  if (k.geometry) {
    k.centre = hull_centre(k.geometry);
  }
#endif
  const float half = least_half(&k);
  k.radius = has_edges(body) ? CELL_ROUNDING * half : half;
  k.inset = minimum(maximum(CELL_SAG * thickness, CELL_INSET * k.radius), 0.5f * k.radius);
  k.scale = 1.0f - CELL_ROUNDING;
  k.inverse_scale = 1.0f / k.scale;
  if (body->shape == CLOTH_SHAPE_BOX) {
    k.half = vector_subtract(body->half_extents, vector(k.radius, k.radius, k.radius));
  } else if (body->shape == CLOTH_SHAPE_CYLINDER) {
    k.half = vector(body->radius - k.radius, body->half_height - k.radius, 0.0f);
  }
  k.wide = wide_square(&k, thickness);
  return k;
}

#if WITH_BODIES

/* Keeps `a` within -most and most. */
static float within(float a, float most) {
  return maximum(minimum(a, most), negate(most));
}

/* The point of the core of a shape with edges that is nearest to `p`. */
static cloth_vector nearest_in_core(const cell_core *k, cloth_vector p) {
  const cloth_vector h = k->half;
#if WITH_HULL
  if (k->geometry) {
    cloth_vector normal;
    const cloth_vector from = vector_flush(vector_subtract(p, k->centre), STATE_QUANTUM);
    const cloth_vector whole = vector_flush(vector_add_scaled(k->centre, from, k->inverse_scale), STATE_QUANTUM);
    const float distance = maximum(distance_of_point(k->body, k->geometry, whole, &normal), 0.0f);
    return vector_flush(vector_add_scaled(p, vector_flush_work(normal), negate(distance * k->scale)), STATE_QUANTUM);
  }
#endif
  if (k->body->shape == CLOTH_SHAPE_BOX) {
    return vector(within(p.x, h.x), within(p.y, h.y), within(p.z, h.z));
  }
  const float radial = vector_length(vector(p.x, 0.0f, p.z));
  const float share = radial > h.x ? h.x / radial : 1.0f;
  return vector_flush(vector(p.x * share, within(p.y, h.y), p.z * share), STATE_QUANTUM);
}

/* The point of the core of a shape with edges that reaches farthest along a vector. */
static cloth_vector farthest_of_core(const cell_core *k, cloth_vector along) {
  const cloth_vector h = k->half;
#if WITH_HULL
  if (k->geometry) {
    const hull_edge *edges = (const hull_edge *)geometry_data(k->geometry, k->geometry->edges);
    cloth_vector farthest = edges[0].from;
    for (int32_t n = 0; n < 2 * k->geometry->counts[1]; n++) {
      const hull_edge *e = &edges[n / 2];
      const cloth_vector p = n % 2 ? vector_flush(vector_add(e->from, e->along), STATE_QUANTUM) : e->from;
      const cloth_vector ahead = vector_flush(vector_subtract(p, farthest), STATE_QUANTUM);
      farthest = vector_dot(along, ahead) > 0.0f ? p : farthest;
    }
    const cloth_vector from = vector_flush(vector_subtract(farthest, k->centre), STATE_QUANTUM);
    return vector_flush(vector_add_scaled(k->centre, from, k->scale), STATE_QUANTUM);
  }
#endif
  const float y = along.y < 0.0f ? negate(h.y) : h.y;
  if (k->body->shape == CLOTH_SHAPE_BOX) {
    return vector(along.x < 0.0f ? negate(h.x) : h.x, y, along.z < 0.0f ? negate(h.z) : h.z);
  }
  const float radial = vector_length(vector(along.x, 0.0f, along.z));
  const float share = radial > NORMAL_MIN_LENGTH ? h.x / radial : 0.0f;
  return vector_flush(vector(along.x * share, y, along.z * share), STATE_QUANTUM);
}

#else

static cloth_vector nearest_in_core(const cell_core *k, cloth_vector p) {
  (void)k;
  return p;
}

static cloth_vector farthest_of_core(const cell_core *k, cloth_vector along) {
  (void)k;
  return along;
}

#endif

/* The point of the core that is nearest to `p`. Returns the radius of the ball about it [m]. A capsule is made of balls
   along its axis; the normals of its cone lean by sine = (r0 - r1) / length. */
static float nearest_ball(const cell_core *k, cloth_vector p, cloth_vector *centre) {
  const cloth_collider *body = k->body;
  if (has_edges(body)) {
    *centre = nearest_in_core(k, p);
    return k->radius;
  }
  *centre = vector(0.0f, 0.0f, 0.0f);
  if (body->shape == CLOTH_SHAPE_SPHERE) {
    return body->radius;
  }
  const float length = 2.0f * body->half_height, lean = (body->radius - body->radius_top) / length;
  const float slope = square_root(maximum(1.0f - lean * lean, CAPSULE_MIN_COSINE_SQUARED));
  const float radial = vector_length(vector(p.x, 0.0f, p.z));
  const float y = flush_small(p.y - radial * (lean / slope), STATE_QUANTUM);
  centre->y = maximum(minimum(y, body->half_height), negate(body->half_height));
  return body->radius + (body->radius_top - body->radius) * ((centre->y + body->half_height) / length);
}

/* The point of a capsule's axis where it passes a plane, or its end that is nearest to the plane. */
static cloth_vector axis_at_plane(const cloth_collider *body, cloth_vector normal, float height) {
  const float half = body->half_height, most = half * absolute(normal.y);
  if (most > absolute(height)) {
    return vector(0.0f, flush_small(height / normal.y, STATE_QUANTUM), 0.0f);
  }
  const int is_up = (height > 0.0f) == (normal.y > 0.0f);
  return vector(0.0f, is_up ? half : negate(half), 0.0f);
}

/* Where the search for the nearest points begins: the point of the core that is nearest to the plane of a triangle. */
static cloth_vector core_at_plane(const cell_core *k, const cloth_vector corner[3]) {
  const cloth_vector first = vector_flush(vector_subtract(corner[1], corner[0]), STATE_QUANTUM);
  const cloth_vector second = vector_flush(vector_subtract(corner[2], corner[0]), STATE_QUANTUM);
  const cloth_vector normal = vector_flush_work(vector_cross(first, second));
  const cloth_vector from = vector_flush(vector_subtract(corner[0], k->centre), STATE_QUANTUM);
  const float height = flush_small(vector_dot(normal, from), WORK_QUANTUM);
  if (k->body->shape == CLOTH_SHAPE_CAPSULE) {
    return axis_at_plane(k->body, normal, height);
  }
  return farthest_of_core(k, height < 0.0f ? vector_scale(normal, -1.0f) : normal);
}

/* The vector from a point to the nearest point of a triangle, whose weights are noted. */
static cloth_vector way_to_triangle(cloth_vector from, const cloth_vector corner[3], float weight[3]) {
  cloth_vector q[3];
  for (int32_t n = 0; n < 3; n++) {
    q[n] = vector_flush(vector_subtract(corner[n], from), STATE_QUANTUM);
  }
  nearest_weights(q, weight);
  return weighted_point(q, weight);
}

/* Lets a triangle that goes through the core of a shape with edges leave it along the line from the centre: the ball
   about the centre reaches as far as the shape does there. Returns the vector from the centre to the triangle. */
static cloth_vector leave_from_centre(const cell_core *k, const cloth_vector corner[3], cell_point *point) {
  const cloth_vector way = way_to_triangle(k->centre, corner, point->weight);
  const float length = vector_length(way);
  point->core = k->centre;
  if (length > NORMAL_MIN_LENGTH) {
    const cloth_vector along = vector_flush_work(vector_scale(way, 1.0f / length));
    const cloth_vector far = vector_flush(vector_subtract(farthest_of_core(k, along), k->centre), STATE_QUANTUM);
    point->radius += maximum(flush_small(vector_dot(far, along), STATE_QUANTUM), 0.0f);
  }
  return way;
}

/* The points of a triangle and the core of a collider that are nearest to each other. */
static void find_nearest(const cell_core *k, const cloth_vector corner[3], cell_point *point) {
  const int is_sphere = k->body->shape == CLOTH_SHAPE_SPHERE;
  const int32_t steps = is_sphere ? 1 : has_edges(k->body) ? CELL_EDGE_STEPS : CELL_AXIS_STEPS;
  cloth_vector way = {0.0f, 0.0f, 0.0f};
  point->radius = has_edges(k->body) ? k->radius : k->body->radius;
  point->core = is_sphere ? way : core_at_plane(k, corner);
  for (int32_t step = 0; step < steps; step++) {
    if (step > 0) {
      point->radius = nearest_ball(k, vector_add(point->core, way), &point->core);
    }
    way = way_to_triangle(point->core, corner, point->weight);
  }
  float length = vector_length(way);
  point->is_through = has_edges(k->body) && length < CELL_THROUGH * point->radius;
  if (point->is_through) {
    way = leave_from_centre(k, corner, point);
    length = vector_length(way);
  }
  point->radius -= k->inset;
  point->distance = length - point->radius;
  point->normal = vector(0.0f, 0.0f, 0.0f);
  if (length > NORMAL_MIN_LENGTH) {
    point->normal = vector_flush_work(vector_scale(way, 1.0f / length));
  }
}

#endif
