#pragma once
#include "../methods.h"

/// Continuous collision without a false negative ///

/*
 * Whether a point and a triangle, or two edges, touch while their corners move evenly along straight lines. The time is
 * bisected: if one fixed axis has all of the one on one side and all of the other on the other side at both ends of an
 * interval, it has so in between, as the places along the axis are linear in time. So an interval without such an axis
 * is halved, and one that cannot be halved further is a touch. Which axes are tried changes the speed and the number of
 * touches that are none, but no touch is missed: the test of an axis allows for its own rounding. No roots, no division
 * that decides, no stack.
 *
 * With d_k the differences of the corners of the one and of the other, d_k(0) and d_k(1), an axis a separates from t =
 * l to t = r if for each of them, at both ends,
 *
 *     (1 - t) a.d_k(0) + t a.d_k(1) > 10 u ((1 - t) |a|.|d_k(0)| + t |a|.|d_k(1)|) + 1e-30,    u = 2^-24,
 *
 * with |a|.|d| the sum of the absolute products. Ends of intervals are k / 2^level: exact.
 */

/* Deepest level of the bisection, and most intervals that are looked at: beyond, the pair touches where it has got to.
 */
#define CCD_LEVELS 10
#define CCD_INTERVALS 32
/* Bounds of the errors over the sums of absolute values: of places along an axis, and of the volume. */
#define CCD_AXIS_ERROR (10.0f / 16777216.0f)
#define CCD_VOLUME_ERROR (16.0f / 16777216.0f)
#define CCD_LEAST 1.0e-30f

/* A point (corner 0) and a triangle (1 to 3), or an edge (0, 1) and an edge (2, 3), when the motion starts and ends. */
typedef struct moving_pair {
  cloth_vector start[4], end[4]; /* [m] */
  int32_t is_edges;              /* 0: point and triangle, 1: two edges */
} moving_pair;

/* The differences of the corners. */
typedef struct pair_differences {
  cloth_vector at_start[4], at_end[4];
  int32_t count; /* 3 of a point and a triangle, 4 of two edges */
} pair_differences;

static pair_differences differences_of(const moving_pair *p) {
  pair_differences d;
  d.count = p->is_edges ? 4 : 3;
  for (int32_t k = 0; k < d.count; k++) {
    const int32_t one = p->is_edges ? k & 1 : 0, other = p->is_edges ? 2 + (k >> 1) : 1 + k;
    d.at_start[k] = vector_subtract(p->start[one], p->start[other]);
    d.at_end[k] = vector_subtract(p->end[one], p->end[other]);
  }
  return d;
}

/* Products of the absolute components. */
static float absolute_dot(cloth_vector a, cloth_vector b) {
  return absolute(a.x * b.x) + absolute(a.y * b.y) + absolute(a.z * b.z);
}

/* A volume, six times that of the tetrahedron of three differences, and the sum of the absolute values of its terms. */
typedef struct volume {
  float value, size;
} volume;

static void add_volume(volume *to, cloth_vector a, cloth_vector b, cloth_vector c) {
  const cloth_vector size = {absolute(a.y * b.z) + absolute(a.z * b.y), absolute(a.z * b.x) + absolute(a.x * b.z),
                             absolute(a.x * b.y) + absolute(a.y * b.x)};
  to->value += vector_dot(vector_cross(a, b), c);
  to->size += absolute_dot(size, c);
}

/* 1 if the four corners are never in one plane: all Bernstein coefficients of the cubic, times 1, 3, 3, 1, have one
   sign beyond their errors. Of two edges the first three differences span the volume. */
static int is_never_coplanar(const pair_differences *d) {
  int32_t positive = 0, negative = 0;
  for (int32_t ends = 0; ends < 4; ends++) {
    volume v = {0.0f, 0.0f};
    for (int32_t which = 0; which < 8; which++) {
      if ((which & 1) + (which >> 1 & 1) + (which >> 2) == ends) {
        add_volume(&v, which & 1 ? d->at_end[0] : d->at_start[0], which & 2 ? d->at_end[1] : d->at_start[1],
                   which & 4 ? d->at_end[2] : d->at_start[2]);
      }
    }
    const float error = CCD_VOLUME_ERROR * v.size + CCD_LEAST;
    positive += v.value > error;
    negative += v.value < negate(error);
  }
  return positive == 4 || negative == 4;
}

/* 1 if an axis separates the pair from the one time to the other. */
static int is_separated(const pair_differences *d, cloth_vector axis, float from, float to) {
  for (int32_t k = 0; k < d->count; k++) {
    const float start = vector_dot(axis, d->at_start[k]), end = vector_dot(axis, d->at_end[k]);
    const float start_size = absolute_dot(axis, d->at_start[k]), end_size = absolute_dot(axis, d->at_end[k]);
    for (int32_t side = 0; side < 2; side++) {
      const float t = side ? to : from, rest = 1.0f - t;
      if (!(rest * start + t * end > CCD_AXIS_ERROR * (rest * start_size + t * end_size) + CCD_LEAST)) { return 0; }
    }
  }
  return 1;
}

/* The same for an axis of either direction: that in which the differences lie, on the whole. */
static int is_separated_either_way(const pair_differences *d, cloth_vector axis, float from, float to) {
  float sum = 0.0f;
  const float t = 0.5f * (from + to);
  for (int32_t k = 0; k < d->count; k++) {
    sum += (1.0f - t) * vector_dot(axis, d->at_start[k]) + t * vector_dot(axis, d->at_end[k]);
  }
  return is_separated(d, sum < 0.0f ? vector_scale(axis, -1.0f) : axis, from, to);
}

/* A share of a whole, within 0 to 1. */
static float clamped_share(float part, float whole) {
  return whole > 0.0f ? minimum(maximum(part / whole, 0.0f), 1.0f) : 0.0f;
}

/* The shortest vector to the origin from the segment between two points. */
static cloth_vector nearest_of_segment(cloth_vector a, cloth_vector b) {
  const cloth_vector way = vector_subtract(b, a);
  return vector_add_scaled(a, way, clamped_share(negate(vector_dot(a, way)), vector_dot(way, way)));
}

/* Axes of the borders of what the differences span (a triangle; of edges a parallelogram): the shortest vector to each
   border, and the normal of the border within the plane. `ring`: the corners in order around it. */
static int is_separated_by_borders(const pair_differences *d, const cloth_vector *middle, const int32_t *ring,
                                   cloth_vector normal, float from, float to) {
  cloth_vector nearest = middle[ring[0]];
  float least = vector_dot(nearest, nearest);
  for (int32_t k = 0; k < d->count; k++) {
    const cloth_vector a = middle[ring[k]], b = middle[ring[(k + 1) % d->count]];
    const cloth_vector candidate = nearest_of_segment(a, b);
    const float square = vector_dot(candidate, candidate);
    if (square < least) {
      nearest = candidate;
      least = square;
    }
  }
  if (is_separated(d, nearest, from, to)) { return 1; }
  for (int32_t k = 0; k < d->count; k++) {
    const cloth_vector border = vector_subtract(middle[ring[(k + 1) % d->count]], middle[ring[k]]);
    if (is_separated_either_way(d, vector_cross(normal, border), from, to)) { return 1; }
  }
  return 0;
}

/* 1 if one of the axes that suit the middle of an interval separates the pair during all of it. */
static int has_separating_axis(const pair_differences *d, float from, float to) {
  static const int32_t triangle_ring[4] = {0, 1, 2, 0}, edges_ring[4] = {0, 1, 3, 2};
  const float t = 0.5f * (from + to);
  /* All four are set, as compilers calculate with those that are not when they pack what is into lanes. */
  cloth_vector middle[4] = {{0.0f, 0.0f, 0.0f}};
  for (int32_t k = 0; k < d->count; k++) {
    middle[k] = vector_add_scaled(vector_scale(d->at_start[k], 1.0f - t), d->at_end[k], t);
  }
  const cloth_vector normal =
      vector_cross(vector_subtract(middle[1], middle[0]), vector_subtract(middle[2], middle[0]));
  return is_separated_either_way(d, normal, from, to) ||
         is_separated_by_borders(d, middle, d->count == 4 ? edges_ring : triangle_ring, normal, from, to);
}

/* 1 if the pair touches, within rounding, where the motion starts. */
static int touches_at_start(const moving_pair *p) {
  const pair_differences d = differences_of(p);
  return !has_separating_axis(&d, 0.0f, 0.0f);
}

/* 1 if the pair touches, within rounding, where the motion ends: what touches_at_start() says of a motion that starts
   there, to the bit. */
static int touches_at_end(const moving_pair *p) {
  const pair_differences d = differences_of(p);
  return !has_separating_axis(&d, 1.0f, 1.0f);
}

/* Whether the pair touches during its motion. Writes a time to *time, from 0 for the start to 1 for the end, that is no
   later than the first touch. What touches as it starts has time 0. */
static int find_first_touch(const moving_pair *p, float *time) {
  const pair_differences d = differences_of(p);
  *time = 0.0f;
  if (is_never_coplanar(&d)) { return 0; }
  if (touches_at_start(p)) { /* the bisection would end there as well */
    return 1;
  }
  int32_t k = 0, level = 0;
  for (int32_t n = 0; n < CCD_INTERVALS; n++) {
    const float length = 1.0f / (float)(1 << level);
    *time = (float)k * length;
    if (has_separating_axis(&d, *time, *time + length)) {
      k++;
      while (level > 0 && k % 2 == 0) {
        k /= 2;
        level--;
      }
      if (level == 0) { return 0; }
    } else if (level == CCD_LEVELS) {
      return 1;
    } else {
      level++;
      k *= 2;
    }
  }
  *time = (float)k / (float)(1 << level);
  return 1;
}
