#pragma once
#include "../cloth/gaps.h"

/// Queries ///

/* A ray against the cloth, and its nearest point: how far along a ray does something come within a radius of the
   surface? For the nearest point the ray has no length. Positions are in axes of the query, the ray along the third;
   cells whose box is farther than the radius are left out in lanes, the triangles of others tested by closed forms. Of
   equal distances the first triangle wins. */

#if WITH_QUERIES

/// A point of a triangle ///

/* Squared lengths and products of lengths below this count as 0: 2^-50 m^2. A product of two is at least 2^-100, and
   two of these differ by 0 or by at least 2^-123. */
#define QUERY_QUANTUM 8.8817841970012523e-16f
/* A triangle whose sum of products in nearest_weights() is below this is taken for a line: 2^-80 m^4. */
#define MIN_TRIANGLE 8.2718061255302767e-25f

static float query_dot(cloth_vector a, cloth_vector b) {
  return flush_small(vector_dot(a, b), QUERY_QUANTUM);
}

/* a / b for 0 <= a <= b; 0 if b is 0. */
static float share_of(float a, float b) {
  return b > 0.0f ? minimum(a / b, 1.0f) : 0.0f;
}

/* Where a point lies: q, the corners relative to it, `along` and `across` their distances along both edges. */
typedef struct triangle_regions {
  float along[3], across[3];
  float opposite[3]; /* share of each corner, if the nearest point is inside, times their sum */
} triangle_regions;

static triangle_regions regions_of(const cloth_vector q[3]) {
  const cloth_vector first = vector_flush_state(vector_subtract(q[1], q[0]));
  const cloth_vector second = vector_flush_state(vector_subtract(q[2], q[0]));
  triangle_regions r;
  for (int32_t n = 0; n < 3; n++) {
    r.along[n] = negate(query_dot(first, q[n]));
    r.across[n] = negate(query_dot(second, q[n]));
  }
  r.opposite[0] = r.along[1] * r.across[2] - r.along[2] * r.across[1];
  r.opposite[1] = r.along[2] * r.across[0] - r.along[0] * r.across[2];
  r.opposite[2] = r.along[0] * r.across[1] - r.along[1] * r.across[0];
  return r;
}

static void set_weights(float weight[3], float second, float third) {
  weight[0] = maximum((1.0f - second) - third, 0.0f);
  weight[1] = second;
  weight[2] = third;
}

/* Barycentric weights of the point of a triangle that is nearest to the origin of its corners q (Ericson, "Real-Time
   Collision Detection", 2005, section 5.1.5): by the regions of the three corners, the three edges, and the inside. */
static void nearest_weights(const cloth_vector q[3], float weight[3]) {
  const triangle_regions r = regions_of(q);
  const float to_third = r.across[1] - r.along[1], to_second = r.along[2] - r.across[2];
  const float sum = r.opposite[0] + r.opposite[1] + r.opposite[2];
  if (r.along[0] <= 0.0f && r.across[0] <= 0.0f) {
    set_weights(weight, 0.0f, 0.0f);
  } else if (r.along[1] >= 0.0f && r.across[1] <= r.along[1]) {
    set_weights(weight, 1.0f, 0.0f);
  } else if (r.opposite[2] <= 0.0f && r.along[0] >= 0.0f && r.along[1] <= 0.0f) {
    set_weights(weight, share_of(r.along[0], r.along[0] - r.along[1]), 0.0f);
  } else if (r.across[2] >= 0.0f && r.along[2] <= r.across[2]) {
    set_weights(weight, 0.0f, 1.0f);
  } else if (r.opposite[1] <= 0.0f && r.across[0] >= 0.0f && r.across[2] <= 0.0f) {
    set_weights(weight, 0.0f, share_of(r.across[0], r.across[0] - r.across[2]));
  } else if (!(sum > MIN_TRIANGLE) || (r.opposite[0] <= 0.0f && to_third >= 0.0f && to_second >= 0.0f)) {
    const float third = share_of(maximum(to_third, 0.0f), maximum(to_third, 0.0f) + maximum(to_second, 0.0f));
    set_weights(weight, 1.0f - third, third);
  } else {
    const float least = sum * WORK_QUANTUM;
    set_weights(weight, share_of(flush_small(r.opposite[1], least), sum),
                share_of(flush_small(r.opposite[2], least), sum));
  }
}

static cloth_vector weighted_point(const cloth_vector q[3], const float weight[3]) {
  const cloth_vector first = vector_scale(vector_subtract(q[1], q[0]), weight[1]);
  const cloth_vector second = vector_scale(vector_subtract(q[2], q[0]), weight[2]);
  return vector_flush_state(vector_add(q[0], vector_add(first, second)));
}

/* Particles at the corners of a triangle, numbered as cloth_write_indices16() writes triangles. */
static void triangle_corners(const cloth *c, int32_t triangle, int32_t particle[3]) {
  const int32_t cells = cells_along_warp(c), cell = triangle / 2;
  const int32_t column = cell % cells, first = cell / cells * c->grid.columns;
  const int32_t beside = column + 1 < c->grid.columns ? column + 1 : 0, below = first + c->grid.columns;
  particle[0] = first + column;
  particle[1] = triangle % 2 ? below + beside : first + beside;
  particle[2] = triangle % 2 ? below + column : below + beside;
}

/// Places in a query ///

/* A triangle whose doubled area, seen along a thin ray, is below this is not hit: 2^-60 m^2. */
#define MIN_SEEN_AREA 8.6736173798840355e-19f
/* Factor of the squared radius of the test that leaves cells out, against roundings of the tests that follow. */
#define RADIUS_SLACK 1.0001f

typedef struct surface_query {
  const cloth *c;
  vector_array x;
  cloth_vector origin;  /* [m] */
  cloth_vector axis[3]; /* unit vectors of a right-handed system, the third along the ray */
  float length;         /* of the ray [m] */
  float radius;         /* of the surface, 0 for a thin ray [m] */
  int32_t is_ray;       /* 0: the nearest point */
  int32_t triangle;     /* the best so far; -1: none */
  float best;           /* distance along the ray [m], or squared distance of the nearest point [m^2] */
  float weight[3];      /* of the corners */
} surface_query;

/* A position in the axes of the query. Positions differ by 0 or 2^-53 at least, so no product is subnormal. */
static cloth_vector to_query(const surface_query *s, int32_t particle) {
  const cloth_vector p = vector_subtract(vector_load(s->x, particle), s->origin);
  return vector_flush_state(vector(vector_dot(p, s->axis[0]), vector_dot(p, s->axis[1]), vector_dot(p, s->axis[2])));
}

CLOTH_INLINE lanes3 to_query_lanes(const surface_query *s, int32_t particle) {
  const lanes3 p = lanes3_subtract(lanes3_load(s->x, particle), lanes3_splat(s->origin));
  return lanes3_flush_below(lanes3_of(lanes3_dot(p, lanes3_splat(s->axis[0])), lanes3_dot(p, lanes3_splat(s->axis[1])),
                                      lanes3_dot(p, lanes3_splat(s->axis[2]))),
                            STATE_QUANTUM);
}

/* Squared distance of a triangle from the origin of its corners [m^2], with the weights of the nearest point. */
static float squared_distance_to_triangle(const cloth_vector q[3], float weight[3]) {
  nearest_weights(q, weight);
  const cloth_vector p = weighted_point(q, weight);
  return vector_dot(p, p);
}

/// A ray against a triangle ///

/* Where a thin ray hits a triangle: the distance in *along. The products of an edge are the same for both of its
   triangles, so that no ray passes between them (Woop, Benthin and Wald 2013). Returns 1 if it hits. */
static int hit_thin(const cloth_vector q[3], float weight[3], float *along) {
  float side[3] = {q[1].x * q[2].y - q[1].y * q[2].x, q[2].x * q[0].y - q[2].y * q[0].x,
                   q[0].x * q[1].y - q[0].y * q[1].x};
  const float least = minimum(side[0], minimum(side[1], side[2]));
  const float most = maximum(side[0], maximum(side[1], side[2]));
  float sum = (side[0] + side[1]) + side[2];
  const int is_turned = sum < 0.0f;
  sum = is_turned ? negate(sum) : sum;
  if ((least < 0.0f && most > 0.0f) || sum < MIN_SEEN_AREA) { return 0; }
  for (int32_t n = 0; n < 3; n++) {
    weight[n] = share_of(flush_small(is_turned ? negate(side[n]) : side[n], sum * WORK_QUANTUM), sum);
  }
  *along = (weight[0] * q[0].z + weight[1] * q[1].z) + weight[2] * q[2].z;
  return 1;
}

#define NO_HIT 1.0e30f

static float enter_corner(cloth_vector q, float radius) {
  const float left = radius * radius - (q.x * q.x + q.y * q.y);
  return left >= 0.0f ? q.z - square_root(flush_small(left, QUERY_QUANTUM)) : NO_HIT;
}

/* Where the ray comes within `radius` of an edge, between its ends, or NO_HIT. `seen` is the squared length of the edge
   as seen along the ray, and `apart` times its root the distance between the two lines. */
static float enter_edge(cloth_vector from, cloth_vector to, float radius) {
  const cloth_vector edge = vector_flush_state(vector_subtract(to, from));
  const float seen = flush_small(edge.x * edge.x + edge.y * edge.y, QUERY_QUANTUM);
  const float squared = query_dot(edge, edge);
  const float apart = flush_small(from.x * edge.y - from.y * edge.x, QUERY_QUANTUM);
  const float left = flush_small(radius * radius * seen - apart * apart, QUERY_QUANTUM * QUERY_QUANTUM);
  if (!(seen > 0.0f) || left < 0.0f) { return NO_HIT; }
  const float start = flush_small(from.x * edge.x + from.y * edge.y, QUERY_QUANTUM);
  const float depth = square_root(squared) * square_root(left);
  const float along =
      flush_small((negate(start * edge.z) - depth) / seen, STATE_QUANTUM); /* from the height of `from` */
  const float share = along * edge.z - start;                              /* of the edge, times its squared length */
  return share >= 0.0f && share <= squared ? from.z + along : NO_HIT;
}

/* Where the ray comes within `radius` of the plane of a triangle, if that is beside the triangle, or NO_HIT. */
static float enter_face(const cloth_vector q[3], float radius) {
  const cloth_vector first = unit_or_zero(vector_subtract(q[1], q[0]));
  const cloth_vector second = unit_or_zero(vector_subtract(q[2], q[0]));
  const cloth_vector normal = unit_or_zero(vector_cross(first, second));
  const float slope = normal.z < 0.0f ? negate(normal.z) : normal.z;
  if (slope < WORK_QUANTUM) { return NO_HIT; }
  const float offset = flush_small(normal.x * q[0].x + normal.y * q[0].y, STATE_QUANTUM);
  const float height = ((normal.z < 0.0f ? negate(offset) : offset) - radius) / slope; /* from that of corner 0 */
  const float kept = normal.z < 0.0f ? radius : negate(radius);                        /* distance from the plane */
  const cloth_vector at = vector(negate(normal.x * kept), negate(normal.y * kept), q[0].z + height - normal.z * kept);
  for (int32_t n = 0; n < 3; n++) {
    const cloth_vector edge = vector_flush_state(vector_subtract(q[(n + 1) % 3], q[n]));
    const cloth_vector to = vector_flush_state(vector_subtract(at, q[n]));
    if (vector_dot(vector_flush(vector_cross(edge, to), QUERY_QUANTUM), normal) < 0.0f) { return NO_HIT; }
  }
  return q[0].z + height;
}

/* Where a ray comes within `radius` of a triangle: the surface around it consists of its face, moved to both sides,
   three cylinders and three spheres, and is convex. Returns 1 if it does; the distance is 0 if it starts there. */
static int hit_thick(const cloth_vector q[3], float radius, float weight[3], float *along) {
  float entry = enter_face(q, radius);
  for (int32_t n = 0; n < 3; n++) {
    entry = minimum(enter_corner(q[n], radius), entry);
    entry = minimum(enter_edge(q[n], q[(n + 1) % 3], radius), entry);
  }
  if (entry < 0.0f) {
    *along = 0.0f;
    return squared_distance_to_triangle(q, weight) <= radius * radius;
  }
  if (!(entry < NO_HIT)) { return 0; }
  cloth_vector near[3];
  for (int32_t n = 0; n < 3; n++) {
    near[n] = vector_flush_state(vector(q[n].x, q[n].y, q[n].z - entry));
  }
  nearest_weights(near, weight);
  *along = entry;
  return 1;
}

/// The search ///

static void test_triangle(surface_query *s, int32_t triangle) {
  int32_t particle[3];
  cloth_vector q[3];
  float weight[3], found = 0.0f;
  triangle_corners(s->c, triangle, particle);
  for (int32_t n = 0; n < 3; n++) {
    q[n] = to_query(s, particle[n]);
  }
  if (!s->is_ray) {
    found = squared_distance_to_triangle(q, weight);
  } else if (!(s->radius > 0.0f ? hit_thick(q, s->radius, weight, &found) : hit_thin(q, weight, &found)) ||
             !(found >= 0.0f && found <= s->length)) {
    return;
  }
  if (s->triangle < 0 || found < s->best || (found == s->best && triangle < s->triangle)) {
    s->triangle = triangle;
    s->best = found;
    copy_memory(s->weight, weight, sizeof weight);
  }
}

/* The box around two neighbours of a row, in the axes of the query: its low corner, and minus its high one. */
typedef struct query_box {
  lanes3 low, below_high;
} query_box;

CLOTH_INLINE query_box box_of_pair(const surface_query *s, int32_t i) {
  const lanes3 none = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  const lanes3 left = to_query_lanes(s, i), right = to_query_lanes(s, i + 1);
  query_box box;
  box.low = lanes3_minimum(left, right);
  box.below_high = lanes3_minimum(lanes3_subtract(none, left), lanes3_subtract(none, right));
  return box;
}

/* Which cells between two pairs have a box within the squared radius of the ray. */
CLOTH_INLINE lanes_mask are_cells_near(const surface_query *s, const query_box *a, const query_box *b,
                                       float squared_radius) {
  const lanes3 low = lanes3_minimum(a->low, b->low), below_high = lanes3_minimum(a->below_high, b->below_high);
  const lanes zero = lanes_splat(0.0f);
  const lanes x = lanes_maximum(lanes_maximum(low.x, below_high.x), zero);
  const lanes y = lanes_maximum(lanes_maximum(low.y, below_high.y), zero);
  const lanes beyond = lanes_flush_below(lanes_subtract(low.z, lanes_splat(s->length)), STATE_QUANTUM);
  const lanes z = lanes_maximum(lanes_maximum(beyond, below_high.z), zero);
  const lanes squared = lanes3_dot(lanes3_of(x, y, z), lanes3_of(x, y, z));
  return lanes_less(squared, lanes_splat(squared_radius));
}

/* Tests the triangles of the chosen cells of a block, the first of which is number `cell`. */
static void test_cells(surface_query *s, int32_t cell, lanes_mask chosen) {
  const uint32_t bits = lanes_bits(chosen);
  for (int32_t n = 0; bits >> n; n++) {
    if ((bits >> n & 1u) && !is_gap(s->c, first_of_cell(s->c, cell + n), GAP_CELL)) {
      test_triangle(s, 2 * (cell + n));
      test_triangle(s, 2 * (cell + n) + 1);
    }
  }
}

/* Tests the triangles of all cells that the ray comes near, a block of columns after the other. */
CLOTH_HOT CLOTH_SEPARATE void search_cells(surface_query *s) {
  const cloth *c = s->c;
  const int32_t cells = cells_along_warp(c), columns = c->grid.columns, sheet = columns - 1; /* without the seam */
  const float squared_radius = maximum(s->radius * s->radius * RADIUS_SLACK, QUERY_QUANTUM * QUERY_QUANTUM);
  for (int32_t column = 0; column < sheet; column += CLOTH_LANES) {
    query_box above = box_of_pair(s, column);
    for (int32_t row = 0; row < c->grid.rows - 1; row++) {
      const query_box below = box_of_pair(s, (row + 1) * columns + column);
      lanes_mask near = are_cells_near(s, &above, &below, squared_radius);
      near = lanes_both(near, lanes_first(sheet - column));
      if (lanes_any(near)) { test_cells(s, row * cells + column, near); }
      above = below;
    }
  }
  for (int32_t row = 0; cells > sheet && row < c->grid.rows - 1; row++) { /* the seam of a tube */
    test_cells(s, row * cells + sheet, lanes_first(1));
  }
}

/* Squared distance of the nearest particle from the origin of the query [m^2]. */
CLOTH_HOT CLOTH_SEPARATE float nearest_particle(const surface_query *s) {
  lanes least = lanes_splat(NO_HIT);
  for (int32_t i = 0; i < s->c->count; i += CLOTH_LANES) {
    const lanes3 q = to_query_lanes(s, i);
    const lanes squared = lanes_select(lanes_first(s->c->count - i), lanes3_dot(q, q), least);
    least = lanes_minimum(squared, least);
  }
  return lanes_least(least);
}

/* How many cells before one, row after row, are absent. */
static int32_t absent_cells_before(const cloth *c, int32_t cell) {
  int32_t absent = 0;
  for (int32_t n = 0; has_gaps(c) && n < cell; n++) {
    absent += is_gap(c, first_of_cell(c, n), GAP_CELL);
  }
  return absent;
}

/* Area of a triangle over that of a cell at rest below which it has no normal of its own. */
#define MIN_TRIANGLE_NORMAL 1.0e-6f

static cloth_vector triangle_normal(const cloth *c, const cloth_vector p[3]) {
  const cloth_vector first = vector_subtract(p[1], p[0]), second = vector_subtract(p[2], p[0]);
  const cloth_vector area = vector_flush_work(vector_cross(first, second));
  const cloth_vector a = vector_scale(area, 1.0f / (c->grid.spacing_warp * c->grid.spacing_weft));
  const float length = vector_length(a);
  return length > MIN_TRIANGLE_NORMAL ? vector_scale_work(a, 1.0f / length) : vector(0.0f, 1.0f, 0.0f);
}

/* Writes what the query has found. Returns 1, or 0 if that is nothing. */
static int report_point(const surface_query *s, cloth_surface_point *point) {
  if (s->triangle < 0) { return 0; }
  cloth_vector p[3];
  point->triangle = s->triangle - 2 * absent_cells_before(s->c, s->triangle / 2);
  triangle_corners(s->c, s->triangle, point->particle);
  copy_memory(point->weight, s->weight, sizeof s->weight);
  for (int32_t n = 0; n < 3; n++) {
    p[n] = vector_load(s->x, point->particle[n]);
  }
  point->position = weighted_point(p, s->weight);
  point->normal = triangle_normal(s->c, p);
  point->distance = s->is_ray ? s->best : square_root(s->best);
  const cloth_vector from = s->is_ray ? vector_scale(s->axis[2], -1.0f) : vector_subtract(s->origin, point->position);
  point->side = vector_dot(vector_flush_work(from), point->normal) < 0.0f ? -1 : 1;
  return 1;
}

/* A query from a place, with the axes of the world. */
static surface_query query_from(const cloth *c, cloth_vector from) {
  surface_query s = {.c = c, .x = vectors_at(c, c->state.position), .triangle = -1};
  s.origin = vector_flush_state(from);
  s.axis[0].x = s.axis[1].y = s.axis[2].z = 1.0f;
  return s;
}

/* The third axis is that of the ray; the first is perpendicular to it and the axis of the world it leans to least. */
static void set_query_axes(surface_query *s, cloth_vector ray) {
  const float x = ray.x * ray.x, y = ray.y * ray.y, z = ray.z * ray.z;
  const int is_x = x <= y && x <= z, is_y = !is_x && y <= z;
  const cloth_vector other = vector(is_x ? 1.0f : 0.0f, is_y ? 1.0f : 0.0f, is_x || is_y ? 0.0f : 1.0f);
  s->axis[0] = unit_or_zero(vector_cross(other, ray));
  s->axis[1] = vector_flush_work(vector_cross(ray, s->axis[0]));
  s->axis[2] = ray;
}

int cloth_cast_ray(const cloth *c, const cloth_ray *ray, cloth_surface_point *point) {
  RETURN_IF_ERROR(check_call(c, ray));
  if (!point) { return CLOTH_ERROR_NULL; }
  const cloth_vector direction =
      vector_in_range(ray->direction, 1.0e10f) ? unit_or_zero(ray->direction) : vector(0.0f, 0.0f, 0.0f);
  if (!vector_in_range(ray->origin, CLOTH_POSITION_LIMIT) || vector_length(direction) == 0.0f ||
      !in_range(ray->max_distance, 0.0f, CLOTH_ANY_DISTANCE) || !in_range(ray->thickness, 0.0f, 1.0f)) {
    return CLOTH_ERROR_RANGE;
  }
  surface_query s = query_from(c, ray->origin);
  set_query_axes(&s, direction);
  s.length = flush_small(ray->max_distance, STATE_QUANTUM);
  s.radius = flush_small(ray->thickness, 1.0e-6f);
  s.is_ray = 1;
  search_cells(&s);
  return report_point(&s, point);
}

int cloth_find_nearest(const cloth *c, cloth_vector from, float max_distance, cloth_surface_point *point) {
  RETURN_IF_ERROR(check_call(c, point));
  if (!vector_in_range(from, CLOTH_POSITION_LIMIT) || !in_range(max_distance, 0.0f, CLOTH_ANY_DISTANCE)) {
    return CLOTH_ERROR_RANGE;
  }
  surface_query s = query_from(c, from);
  max_distance = flush_small(max_distance, STATE_QUANTUM);
  s.radius = minimum(square_root(nearest_particle(&s)), max_distance);
  search_cells(&s);
  if (s.best > max_distance * max_distance) { s.triangle = -1; }
  return report_point(&s, point);
}

#endif
