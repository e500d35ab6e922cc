#pragma once
#include "../cloth/access.h"

/// Where points lie to triangles ///

/* The nearest points of triangles, one in each lane. Places are multiples of 2^-30 m, see STATE_ROUNDER, so that no
   product is subnormal. */

/* Smallest weight of a particle that is not 0. */
#define LEAST_WEIGHT 1.0e-6f

/* Least square of a triangle's normal [m^4], and of an edge [m^2]. */
#define LEAST_NORMAL_SQUARE 1.0e-24f
#define LEAST_EDGE_SQUARE 1.0e-16f

/* A share of an edge or a triangle, not so small that its product with a place were subnormal. */
CLOTH_INLINE lanes share_within(lanes a) {
  a = lanes_minimum(lanes_maximum(a, lanes_splat(0.0f)), lanes_splat(1.0f));
  return lanes_flush_below(a, LEAST_WEIGHT);
}

/* Where a point lies to a triangle. */
typedef struct triangle_place {
  lanes_mask inside;   /* over or under the face */
  lanes second, third; /* shares of the corners after the first in the nearest point ... */
  lanes foot[2];       /* ... and in the foot on the plane, not between 0 and 1 where that is outside */
  lanes3 apart;        /* from the nearest point */
  lanes3 normal;       /* of the triangle, of any length ... */
  lanes length;        /* ... which is this; 1 where there is none */
  lanes height;        /* above the plane of the triangle */
} triangle_place;

/* The nearest point of the edge from the origin along `edge` to p: its share. */
CLOTH_INLINE lanes share_along(lanes3 p, lanes3 edge) {
  const lanes square = lanes_maximum(lanes3_dot(edge, edge), lanes_splat(LEAST_EDGE_SQUARE));
  return share_within(lanes_divide(lanes3_dot(p, edge), square));
}

/* Takes another nearest point if it is nearer. */
CLOTH_INLINE lanes take_nearer(triangle_place *t, lanes nearest, lanes3 apart, lanes second, lanes third) {
  const lanes square = lanes3_dot(apart, apart);
  const lanes_mask nearer = lanes_less(square, nearest);
  t->apart = lanes3_select(nearer, apart, t->apart);
  t->second = lanes_select(nearer, second, t->second);
  t->third = lanes_select(nearer, third, t->third);
  return lanes_select(nearer, square, nearest);
}

/* Where p lies to the triangle with a corner at the origin and the edges a and b from there. */
CLOTH_SEPARATE triangle_place place_over_triangle(lanes3 p, lanes3 a, lanes3 b) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  triangle_place t;
  t.normal = lanes3_cross(a, b);
  const lanes square = lanes3_dot(t.normal, t.normal);
  const lanes_mask exists = lanes_less(lanes_splat(LEAST_NORMAL_SQUARE), square);
  t.length = lanes_square_root(lanes_select(exists, square, one));
  t.height = lanes_keep(exists, lanes_quantise(lanes_divide(lanes3_dot(p, t.normal), t.length), STATE_ROUNDER));
  /* outside: the nearest of the three edges */
  const lanes along = share_along(p, a);
  t.apart = lanes3_quantise(lanes3_add_scaled(p, a, lanes_negate(along)), STATE_ROUNDER);
  t.second = along;
  t.third = zero;
  lanes nearest = lanes3_dot(t.apart, t.apart);
  const lanes beside = share_along(p, b);
  const lanes3 from_b = lanes3_quantise(lanes3_add_scaled(p, b, lanes_negate(beside)), STATE_ROUNDER);
  nearest = take_nearer(&t, nearest, from_b, zero, beside);
  const lanes3 edge = lanes3_subtract(b, a), from = lanes3_subtract(p, a);
  const lanes across = share_along(from, edge);
  const lanes3 from_edge = lanes3_quantise(lanes3_add_scaled(from, edge, lanes_negate(across)), STATE_ROUNDER);
  (void)take_nearer(&t, nearest, from_edge, lanes_subtract(one, across), across);
  /* inside: the foot on the plane */
  const lanes inverse = lanes_divide(one, lanes_select(exists, square, one));
  const lanes second = t.foot[0] = lanes_multiply(lanes3_dot(lanes3_cross(p, b), t.normal), inverse);
  const lanes third = t.foot[1] = lanes_multiply(lanes3_dot(lanes3_cross(a, p), t.normal), inverse);
  t.inside = lanes_both(exists, lanes_less(zero, lanes_minimum(second, third)));
  t.inside = lanes_both(t.inside, lanes_less(lanes_add(second, third), one));
  t.second = lanes_select(t.inside, lanes_flush_below(second, LEAST_WEIGHT), t.second);
  t.third = lanes_select(t.inside, lanes_flush_below(third, LEAST_WEIGHT), t.third);
  return t;
}

/// A point of a triangle ///

/* The triangles of a cloth, and the point of one that is nearest to another point. */

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
