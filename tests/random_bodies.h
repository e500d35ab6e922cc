/* Bodies that random cloths meet: colliders of every shape, how they move, how far cloth is from them, and the energy
   of contact, in double precision. Include after support.h. SPDX-License-Identifier: MIT */
#ifndef RANDOM_BODIES_H
#define RANDOM_BODIES_H

#include "geometries.h"
#include "random_numbers.h"
#include "shapes.h"

enum { MOST_BODIES = 3, MOST_PLANES = 7 };

/* Shapes: those of cloth_shape without meshes and height fields, whose triangles the step does not touch yet. */
enum { BODY_SPHERE, BODY_CAPSULE, BODY_TAPERED, BODY_BOX, BODY_PLANE, BODY_CYLINDER, BODY_HULL, BODY_GRID, BODY_KINDS };

/* Motions. BODY_WITH_PINS: as pins that go straight; BODY_PASSES: through where it is drawn, fast; BODY_JUMPS: in one
   frame; BODY_TELEPORTS: between two frames. A body with mass would be a motion of its own. */
enum { BODY_RESTS, BODY_DRIFTS, BODY_WITH_PINS, BODY_PASSES, BODY_SHAKES, BODY_JUMPS, BODY_TELEPORTS, BODY_MOTIONS };

typedef struct random_body {
  cloth_collider collider; /* where it is at the beginning */
  int kind, motion, is_floor;
  built geometry;             /* of hulls and grids */
  point place;                /* where its motion leads, or begins [m] */
  point way, speed;           /* of jumps and shakes [m]; of drifts and passages [m/s] */
  point spin;                 /* [rad/s] */
  double when;                /* it passes its place, or jumps [s] */
  double period;              /* of shakes [s] */
  float offsets[MOST_PLANES]; /* of hulls */
} random_body;

/* Where a body is in a world that is played. */
typedef struct body_state {
  cloth_pose pose;
  int has_jumped;
} body_state;

/// Drawing ///

static const cloth_vector hull_normals[MOST_PLANES] = {{0.6f, 0.8f, 0.0f},  {-1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f},
                                                       {0.0f, -1.0f, 0.0f}, {0.0f, 0.0f, 1.0f},  {0.0f, 0.0f, -1.0f},
                                                       {0.0f, 0.28f, 0.96f}};

/* Of 1 m; two balls that overlap, and a ring. */
static double balls_distance(double x, double y, double z) {
  const double a = sqrt((x - 0.3) * (x - 0.3) + y * y + z * z), b = sqrt((x + 0.3) * (x + 0.3) + y * y + z * z);
  return (a < b ? a : b) - 0.5;
}

static double ring_distance(double x, double y, double z) {
  const double around = sqrt(x * x + z * z) - 0.7;
  return sqrt(around * around + y * y) - 0.3;
}

static built build_hull_of(random_body *b, random_source *random, double size) {
  built hull = {cloth_geometry_data_default(CLOTH_SHAPE_HULL), NULL, NULL, NULL, 0, {NULL, NULL}};
  for (int n = 0; n < MOST_PLANES; n++)
    b->offsets[n] = (float)(size * random_real(random, 0.5, 1.0));
  hull.data.hull.normals = hull_normals;
  hull.data.hull.offsets = b->offsets;
  hull.data.hull.planes = MOST_PLANES;
  build(&hull);
  return hull;
}

static built build_scaled_grid(int is_ring, double size) {
  built grid = {cloth_geometry_data_default(CLOTH_SHAPE_DISTANCE_GRID), NULL, NULL, NULL, 0, {NULL, NULL}};
  const int samples = 15;
  const double spacing = 3.0 / (samples - 1);
  float *distances = (float *)array_of((size_t)(samples * samples * samples), sizeof *distances);
  for (int n = 0; n < samples * samples * samples; n++) {
    const double x = -1.5 + n % samples * spacing, y = -1.5 + n / samples % samples * spacing,
                 z = -1.5 + n / (samples * samples) * spacing;
    distances[n] = (float)(size * (is_ring ? ring_distance(x, y, z) : balls_distance(x, y, z)));
  }
  grid.data.distance_grid.distances = distances;
  grid.data.distance_grid.count_x = grid.data.distance_grid.count_y = grid.data.distance_grid.count_z = samples;
  grid.data.distance_grid.spacing = (float)(size * spacing);
  grid.data.distance_grid.low = vector_at(-1.5 * size, -1.5 * size, -1.5 * size);
  grid.arrays[0] = distances;
  build(&grid);
  return grid;
}

/* A body of about `size`. */
static void draw_shape(random_body *b, random_source *random, double size) {
  static const int32_t shapes[BODY_KINDS] = {CLOTH_SHAPE_SPHERE, CLOTH_SHAPE_CAPSULE, CLOTH_SHAPE_CAPSULE,
                                             CLOTH_SHAPE_BOX,    CLOTH_SHAPE_PLANE,   CLOTH_SHAPE_CYLINDER};
  cloth_collider *c = &b->collider;
  const double radius = size * random_real(random, 0.3, 1.0), top = radius * random_real(random, 0.3, 1.0);
  const double half = radius * random_real(random, 0.8, 2.0), flat = size * random_real(random, 0.05, 1.0);
  *c = cloth_collider_default();
  if (b->kind < BODY_HULL) c->shape = shapes[b->kind];
  c->radius = (float)radius;
  c->radius_top = (float)(b->kind == BODY_TAPERED ? top : radius);
  c->half_height = (float)half;
  c->half_extents = vector_at(radius, flat, half);
  const int is_ring = chance(random, 50);
  if (b->kind == BODY_HULL)
    b->geometry = build_hull_of(b, random, size);
  else if (b->kind == BODY_GRID)
    b->geometry = build_scaled_grid(is_ring, 0.6 * size);
}

/* Half of the bodies have friction .5 or less, a tenth none; of a third it is larger before they slide. */
static void draw_friction(cloth_collider *c, random_source *random) {
  const double wide = random_real(random, 0.0, 2.0), usual = random_real(random, 0.1, 0.5);
  const double more = random_real(random, 1.0, 1.8);
  const int kind = random_int(random, 1, 10), differs = chance(random, 33);
  c->kinetic_friction = (float)(kind == 1 ? 0.0 : kind <= 6 ? usual : wide);
  c->static_friction = differs ? (float)((double)c->kinetic_friction * more) : c->kinetic_friction;
}

static cloth_rotation rotation_by(point half_turn) {
  const double norm = 1.0 / sqrt(1.0 + point_dot(half_turn, half_turn));
  const cloth_rotation q = {(float)(half_turn.x * norm), (float)(half_turn.y * norm), (float)(half_turn.z * norm),
                            (float)norm};
  return q;
}

/* The motion of a body with surface speeds up to 20 m/s. `most`: its jumps [m]. */
static void draw_body_motion(random_body *b, random_source *random, double size, double most) {
  static const int kinds[] = {BODY_RESTS,  BODY_RESTS,  BODY_RESTS, BODY_DRIFTS,    BODY_DRIFTS, BODY_WITH_PINS,
                              BODY_PASSES, BODY_SHAKES, BODY_JUMPS, BODY_TELEPORTS, BODY_PASSES};
  const int is_flat = b->kind == BODY_PLANE;
  b->motion = kinds[random_int(random, 0, is_flat ? 5 : 10)];
  const double slow = random_log(random, 0.05, 2.0), fast = random_log(random, 1.0, 20.0);
  const point unit = random_point(random, 0.577);
  const double speed = b->motion == BODY_DRIFTS ? slow : fast;
  b->speed = point_scaled(unit, speed);
  b->way = random_point(random, b->motion == BODY_SHAKES ? 0.2 * size : 0.577 * smaller(1.0, most));
  b->when = random_real(random, 0.3, 2.7);
  b->period = 4.0 * point_length(b->way) / speed;
  const double rate = smaller(20.0, random_log(random, 0.5, 20.0) / larger(size, 0.1));
  b->spin = chance(random, is_flat ? 0 : 30) ? random_point(random, 0.577 * rate) : (point){0.0, 0.0, 0.0};
}

/* A body in or beside a cloth of this size, one of whose particles is at `at`; the first may be the floor below
   `lowest`. */
static void draw_body(random_body *b, random_source *random, double size, point at, double lowest, int may_be_floor) {
  memset(b, 0, sizeof *b);
  b->kind = random_int(random, 0, BODY_KINDS - 1);
  b->is_floor = may_be_floor && chance(random, 30);
  b->kind = b->is_floor ? BODY_PLANE : b->kind;
  const double reach = size * random_log(random, 0.04, 0.5);
  draw_shape(b, random, reach);
  draw_friction(&b->collider, random);
  draw_body_motion(b, random, reach, size);
  const point tilt = random_point(random, 1.0), off = random_point(random, chance(random, 60) ? 0.7 : 2.0);
  const point slope = random_point(random, 0.15);
  b->place = point_sum(at, point_scaled(off, reach));
  b->collider.pose.rotation = rotation_by(tilt);
  if (b->kind == BODY_PLANE) b->place.y = smaller(b->place.y, lowest) - 0.1 * size * random_real(random, 0.0, 1.0);
  if (b->kind == BODY_PLANE) b->collider.pose.rotation = rotation_by(b->is_floor ? (point){0.0, 0.0, 0.0} : slope);
  b->motion = b->is_floor ? BODY_RESTS : b->motion;
  const point start = b->motion == BODY_PASSES ? point_scaled(b->speed, -b->when) : (point){0.0, 0.0, 0.0};
  b->collider.pose.position = vector_of(point_sum(b->place, start));
}

static void free_body(random_body *b) {
  if (b->kind == BODY_HULL || b->kind == BODY_GRID) free_built(&b->geometry);
}

/// Motion ///

/* Position of a body at a time; `moved`: how far pins that go straight have gone. */
static point body_position(const random_body *b, double time, point moved) {
  switch (b->motion) {
  case BODY_DRIFTS:
    return point_sum(b->place, point_scaled(b->speed, time));
  case BODY_WITH_PINS:
    return point_sum(b->place, moved);
  case BODY_PASSES:
    return point_sum(b->place, point_scaled(b->speed, time - b->when));
  case BODY_JUMPS:
  case BODY_TELEPORTS:
    return time >= b->when ? point_sum(b->place, b->way) : b->place;
  case BODY_SHAKES: {
    const double phase = b->period > 0.0 ? time / b->period : 0.0, part = phase - (double)(int)phase;
    const double off = part < 0.25 ? 4.0 * part : part < 0.75 ? 2.0 - 4.0 * part : 4.0 * part - 4.0;
    return point_sum(b->place, point_scaled(b->way, off));
  }
  default:
    return b->place;
  }
}

/* A rotation that goes on by a spin for a time. */
static cloth_rotation spun(cloth_rotation q, point spin, double time) {
  const point h = point_scaled(spin, 0.5 * time), v = {(double)q.x, (double)q.y, (double)q.z};
  const double w = (double)q.w;
  const point to = point_sum(point_sum(v, point_scaled(h, w)), point_cross(h, v));
  const double real = w - point_dot(h, v), norm = 1.0 / sqrt(real * real + point_dot(to, to));
  const cloth_rotation r = {(float)(to.x * norm), (float)(to.y * norm), (float)(to.z * norm), (float)(real * norm)};
  return r;
}

/// Distances ///

/* Distance between samples of a grid, trilinear; far away outside of it. */
static double grid_distance(const cloth_distance_data *g, point p) {
  const double spacing = (double)g->spacing;
  const double x = (p.x - (double)g->low.x) / spacing, y = (p.y - (double)g->low.y) / spacing,
               z = (p.z - (double)g->low.z) / spacing;
  if (!(x >= 0.0 && y >= 0.0 && z >= 0.0 && x < g->count_x - 1 && y < g->count_y - 1 && z < g->count_z - 1))
    return HUGE_VAL;
  const int i = (int)x, j = (int)y, k = (int)z;
  double sum = 0.0;
  for (int n = 0; n < 8; n++) {
    const int a = i + n % 2, b = j + n / 2 % 2, c = k + n / 4;
    const double weight = (n % 2 ? x - i : i + 1 - x) * (n / 2 % 2 ? y - j : j + 1 - y) * (n / 4 ? z - k : k + 1 - z);
    sum += weight * (double)g->distances[a + g->count_x * (b + g->count_y * c)];
  }
  return sum;
}

/* How far p is beyond a plane of a hull. */
static double beyond_plane(const cloth_hull_data *h, int n, point p) {
  return point_dot(point_of(h->normals[n]), p) - (double)h->offsets[n];
}

static int is_in_hull(const cloth_hull_data *h, point p) {
  for (int n = 0; n < h->planes; n++) {
    if (beyond_plane(h, n, p) > 1e-9) return 0;
  }
  return 1;
}

/* Moves p to the nearest point of two planes. */
static point to_edge(const cloth_hull_data *h, int i, int j, point p) {
  const point a = point_of(h->normals[i]), b = point_of(h->normals[j]);
  const double aa = point_dot(a, a), bb = point_dot(b, b), ab = point_dot(a, b), det = aa * bb - ab * ab;
  const double s = beyond_plane(h, i, p), t = beyond_plane(h, j, p);
  if (det < 1e-9) return p;
  return point_difference(
      p, point_sum(point_scaled(a, (s * bb - t * ab) / det), point_scaled(b, (t * aa - s * ab) / det)));
}

/* The corner of three planes, or p. */
static point to_corner(const cloth_hull_data *h, int i, int j, int k, point p) {
  const point a = point_of(h->normals[i]), b = point_of(h->normals[j]), c = point_of(h->normals[k]);
  const double det = point_dot(a, point_cross(b, c));
  if (fabs(det) < 1e-9) return p;
  const point sum = point_sum(point_sum(point_scaled(point_cross(b, c), (double)h->offsets[i]),
                                        point_scaled(point_cross(c, a), (double)h->offsets[j])),
                              point_scaled(point_cross(a, b), (double)h->offsets[k]));
  return point_scaled(sum, 1.0 / det);
}

/* Outside the nearest point lies on a plane, an edge or a corner, whichever is nearest of those on the hull. */
static double hull_distance(const cloth_hull_data *h, point p, double near) {
  double most = -HUGE_VAL, least = HUGE_VAL;
  for (int n = 0; n < h->planes; n++)
    most = larger(most, beyond_plane(h, n, p));
  if (most <= 0.0 || most > near) return most;
  for (int i = 0; i < h->planes; i++) {
    for (int j = i; j < h->planes; j++) {
      for (int k = j; k < h->planes; k++) {
        const point face = point_difference(p, point_scaled(point_of(h->normals[i]), beyond_plane(h, i, p)));
        const point at = i == k ? face : j == k ? to_edge(h, i, j, p) : i < j ? to_corner(h, i, j, k, p) : p;
        least = is_in_hull(h, at) ? smaller(least, point_distance(at, p)) : least;
      }
    }
  }
  return least;
}

/* Signed distance of a place from a body at a pose; exact up to `near`, beyond that no more than it is. */
static double body_distance(const random_body *b, const cloth_pose *pose, point at, double near) {
  cloth_collider c = b->collider;
  c.pose = *pose;
  if (b->kind != BODY_HULL && b->kind != BODY_GRID) return distance_to(&c, at);
  const point p = turned_back(pose->rotation, point_difference(at, point_of(pose->position)));
  return b->kind == BODY_HULL ? hull_distance(&b->geometry.data.hull, p, near)
                              : grid_distance(&b->geometry.data.distance_grid, p);
}

/* The normal of a body there. */
static point body_normal(const random_body *b, const cloth_pose *pose, point at, double near) {
  const double step = 1e-4 * near;
  point n = {0.0, 0.0, 0.0};
  for (int axis = 0; axis < 3; axis++) {
    const point way = {axis == 0 ? step : 0.0, axis == 1 ? step : 0.0, axis == 2 ? step : 0.0};
    const double rise =
        body_distance(b, pose, point_sum(at, way), near) - body_distance(b, pose, point_difference(at, way), near);
    n = point_sum(n, point_scaled(way, rise));
  }
  const double length = point_length(n);
  return point_scaled(n, length > 0.0 ? 1.0 / length : 0.0);
}

/// The law of contact ///

/* Force over k T at a depth of q thicknesses, and energy over k T^2. */
static double law_force_at(double q) {
  const double in = q < 2.0 ? larger(q, 0.0) : 2.0, slope = 2.0 * in + 12.0 * in * in;
  return in * in * (1.0 + 4.0 * in) + slope * larger(q - 2.0, 0.0);
}

static double law_energy_at(double q) {
  const double in = q < 2.0 ? larger(q, 0.0) : 2.0, over = larger(q - 2.0, 0.0);
  const double slope = 2.0 * in + 12.0 * in * in;
  return in * in * in * (1.0 / 3.0 + in) + over * (in * in * (1.0 + 4.0 * in) + 0.5 * slope * over);
}

#endif /* RANDOM_BODIES_H */
