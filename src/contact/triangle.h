#pragma once
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/scalar.h"

/// Triangles ///

/* Triangles, as contact with meshes and height fields needs them, one in each lane. */

#if WITH_MESH || WITH_HEIGHT_FIELD

/* Floats of a triangle with its counter-clockwise normal. All but the first corner are relative to that. */
enum {
  TRIANGLE_CORNER,                          /* [m] */
  TRIANGLE_NORMAL = TRIANGLE_CORNER + 3,    /* unit length */
  TRIANGLE_EDGES = TRIANGLE_NORMAL + 3,     /* to the second and to the third corner [m] */
  TRIANGLE_OUTWARD = TRIANGLE_EDGES + 6,    /* unit normals of the edges in the plane, from the first edge on */
  TRIANGLE_FAR_SIDE = TRIANGLE_OUTWARD + 9, /* distance of the second edge from the corner, along its normal [m] */
  TRIANGLE_INVERSE = TRIANGLE_FAR_SIDE + 1, /* inverse squared lengths of the edges [1/m^2] */
  TRIANGLE_FLOATS = TRIANGLE_INVERSE + 3
};

/* CLOTH_LANES triangles in memory: float number n of the first is at value[n * stride]. */
typedef struct triangle_lanes {
  const float *value;
  int32_t stride;
} triangle_lanes;

/* Smallest double area [m^2] and height [m] of a triangle that has a normal beyond the rounding of corners. */
#define TRIANGLE_MIN_AREA 2.0e-8f
#define TRIANGLE_MIN_HEIGHT 1.0e-5f

CLOTH_INLINE lanes triangle_float(const triangle_lanes *t, int32_t n) {
  return lanes_load(t->value + n * t->stride);
}

CLOTH_INLINE lanes3 triangle_vector(const triangle_lanes *t, int32_t n) {
  return lanes3_of(triangle_float(t, n), triangle_float(t, n + 1), triangle_float(t, n + 2));
}

CLOTH_INLINE void store_vector(float *to, int32_t stride, int32_t n, lanes3 a) {
  lanes_store(to + n * stride, a.x);
  lanes_store(to + (n + 1) * stride, a.y);
  lanes_store(to + (n + 2) * stride, a.z);
}

/* The direction in the plane that leads out of an edge. */
CLOTH_INLINE lanes3 edge_normal(lanes3 along, lanes3 normal, lanes inverse_squared) {
  const lanes3 across = lanes3_flush(lanes3_cross(along, normal));
  return lanes3_flush(lanes3_scale(across, lanes_square_root(inverse_squared)));
}

/* Stores triangles of three corners without fractions below STATE_QUANTUM. Returns which are not degenerate. */
CLOTH_SEPARATE lanes_mask make_triangles(float *to, int32_t stride, const lanes3 corner[3]) {
  const lanes one = lanes_splat(1.0f), zero = lanes_splat(0.0f);
  const lanes3 sides[3] = {lanes3_flush_below(lanes3_subtract(corner[1], corner[0]), STATE_QUANTUM),
                           lanes3_flush_below(lanes3_subtract(corner[2], corner[1]), STATE_QUANTUM),
                           lanes3_flush_below(lanes3_subtract(corner[2], corner[0]), STATE_QUANTUM)};
  const lanes3 area = lanes3_flush(lanes3_cross(sides[0], sides[2]));
  const lanes twice = lanes3_length(area);
  lanes squares[3], longest = zero;
  for (int32_t n = 0; n < 3; n++) {
    squares[n] = lanes3_dot(sides[n], sides[n]);
    longest = lanes_maximum(squares[n], longest);
  }
  const lanes least = lanes_maximum(lanes_splat(TRIANGLE_MIN_AREA),
                                    lanes_multiply(lanes_splat(TRIANGLE_MIN_HEIGHT), lanes_square_root(longest)));
  const lanes_mask is_small = lanes_less(twice, least);
  const lanes3 normal = lanes3_flush(lanes3_scale(area, lanes_divide(one, lanes_select(is_small, one, twice))));
  store_vector(to, stride, TRIANGLE_CORNER, corner[0]);
  store_vector(to, stride, TRIANGLE_NORMAL, normal);
  store_vector(to, stride, TRIANGLE_EDGES, sides[0]);
  store_vector(to, stride, TRIANGLE_EDGES + 3, sides[2]);
  for (int32_t n = 0; n < 3; n++) {
    const lanes inverse = lanes_divide(one, lanes_select(is_small, one, squares[n]));
    const lanes3 along = n == 2 ? lanes3_subtract(lanes3_of(zero, zero, zero), sides[2]) : sides[n];
    const lanes3 outward = edge_normal(along, normal, inverse);
    lanes_store(to + (TRIANGLE_INVERSE + n) * stride, inverse);
    store_vector(to, stride, TRIANGLE_OUTWARD + 3 * n, outward);
    if (n == 1) {
      lanes_store(to + TRIANGLE_FAR_SIDE * stride, lanes_flush_below(lanes3_dot(outward, sides[0]), STATE_QUANTUM));
    }
  }
  return lanes_less(zero, lanes_drop(is_small, one));
}

#endif
