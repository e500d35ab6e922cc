#pragma once
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/scalar.h"
#include "geometry.h"

/// Convex hulls ///

/* Signed distance of points from a convex solid, in local axes: the largest distance from a plane, inside and where the
   nearest point lies in a face; else that of the nearest edge. */

/* A plane: points p with normal . p <= offset are behind it. */
typedef struct hull_plane {
  cloth_vector normal; /* unit length */
  float offset;        /* [m] */
} hull_plane;

/* An edge between two corners. */
typedef struct hull_edge {
  cloth_vector from, along; /* [m] */
  float inverse_squared;    /* of the length of `along` [1/m^2] */
} hull_edge;

#if WITH_HULL

/* Beyond every distance, and still with a square. */
#define HULL_BEYOND 1.0e18f

/* Distances and directions of a block of points from the nearest edge. */
static lanes distance_to_edges(const cloth_geometry *g, lanes3 p, lanes3 *normal) {
  const hull_edge *edges = (const hull_edge *)geometry_data(g, g->edges);
  lanes least = lanes_splat(HULL_BEYOND);
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
  lanes largest = lanes_splat(-HULL_BEYOND);
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
  lanes beyond = lanes_splat(-HULL_BEYOND);
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

#endif
