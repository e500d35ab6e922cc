#pragma once
#include "../compiler.h"
#include "../lanes.h"
#include "../scalar.h"
#include "../triangle_place.h"

/// Nearest points ///

#if WITH_SELF

/* The nearest points of two edges, in lanes, as triangle_place.h has those of points and triangles. */

/* Vectors of particles of which there is an index. */
CLOTH_INLINE lanes3 lanes3_pick(vector_array from, const uint16_t *index) {
  return lanes3_of(lanes_pick(from.x, index), lanes_pick(from.y, index), lanes_pick(from.z, index));
}

/* Nearest points of two edges: along each its share, on the lines and on the edges themselves. */
typedef struct edge_places {
  lanes_mask cross;           /* the edges are not parallel */
  lanes first, second;        /* on the lines */
  lanes within, other_within; /* on the edges */
  lanes3 apart, within_apart; /* from the second to the first */
} edge_places;

/* Least square of the sine between edges that are not parallel. */
#define LEAST_SINE_SQUARE 1.0e-3f

/* Of the edge from `from` along a and that from the origin along b. */
CLOTH_SEPARATE edge_places places_on_edges(lanes3 from, lanes3 a, lanes3 b) {
  const lanes least = lanes_splat(LEAST_EDGE_SQUARE);
  const lanes aa = lanes_maximum(lanes3_dot(a, a), least), bb = lanes_maximum(lanes3_dot(b, b), least);
  const lanes ab = lanes3_dot(a, b), af = lanes3_dot(a, from), bf = lanes3_dot(b, from);
  const lanes both = lanes_multiply(aa, bb), rest = lanes_subtract(both, lanes_multiply(ab, ab));
  edge_places e;
  e.cross = lanes_less(lanes_multiply(both, lanes_splat(LEAST_SINE_SQUARE)), rest);
  const lanes divisor = lanes_select(e.cross, rest, both);
  e.first = lanes_divide(lanes_subtract(lanes_multiply(ab, bf), lanes_multiply(af, bb)), divisor);
  e.second = lanes_divide(lanes_subtract(lanes_multiply(aa, bf), lanes_multiply(ab, af)), divisor);
  e.first = lanes_flush_below(lanes_keep(e.cross, e.first), LEAST_WEIGHT);
  e.second = lanes_flush_below(lanes_keep(e.cross, e.second), LEAST_WEIGHT);
  e.apart = lanes3_add_scaled(lanes3_add_scaled(from, a, e.first), b, lanes_negate(e.second));
  e.apart = lanes3_quantise(e.apart, STATE_ROUNDER);
  e.within = share_within(e.first);
  e.other_within = share_within(lanes_divide(lanes_add(lanes_multiply(ab, e.within), bf), bb));
  e.within = share_within(lanes_divide(lanes_subtract(lanes_multiply(ab, e.other_within), af), aa));
  e.within_apart = lanes3_add_scaled(lanes3_add_scaled(from, a, e.within), b, lanes_negate(e.other_within));
  e.within_apart = lanes3_quantise(e.within_apart, STATE_ROUNDER);
  return e;
}

#endif
