#pragma once
#include "../base/lanes.h"

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
