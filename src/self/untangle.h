#pragma once
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/scalar.h"
#include "../cloth/gaps.h"
#include "../contact/triangle_place.h"
#include "tree.h"

/// Edges through triangles ///

#if WITH_SELF

/* Where an edge passes through a triangle: the test, for the search of pairs and for contour.h. In and out: arguments
   alone. */

/* Edges that a cell owns, from its first particle: along the row, along the column, across the cell. */
enum { SELF_EDGE_ROW, SELF_EDGE_COLUMN, SELF_EDGE_ACROSS, SELF_EDGES };

/* A cloth in a group and a particle of it, in one number; the lowest bits say which edge or triangle of its cell. */
#define SELF_BODY_SHIFT 20

CLOTH_INLINE uint32_t self_number(int32_t body, int32_t value) {
  return (uint32_t)body << SELF_BODY_SHIFT | (uint32_t)value;
}

CLOTH_INLINE int32_t number_body(uint32_t number) {
  return (int32_t)(number >> SELF_BODY_SHIFT);
}

CLOTH_INLINE int32_t number_value(uint32_t number) {
  return (int32_t)(number & ((1u << SELF_BODY_SHIFT) - 1u));
}

/* 1 if an edge of a cell exists. */
static int has_edge(const self_body *b, int32_t row, int32_t column, int32_t edge) {
  if (edge == SELF_EDGE_ACROSS) { return has_cell(b, row, column); }
  if (is_gap(b->c, row * b->columns + column, edge == SELF_EDGE_ROW ? GAP_WARP : GAP_WEFT)) { return 0; }
  return edge == SELF_EDGE_COLUMN ? row + 1 < b->rows : b->is_wrapped || column + 1 < b->columns;
}

/* The corner of the cell that each of its edges leads to, and those after the first of each of its two triangles. */
CLOTH_CONSTANT static const int8_t edge_corner[SELF_EDGES] = {1, 3, 2};
CLOTH_CONSTANT static const int8_t later_corners[2][2] = {{1, 2}, {2, 3}};

/* Where edges pass through triangles, in lanes. */
typedef struct edge_passes {
  uint32_t through;           /* a bit for each lane; without one the rest is not set */
  lanes share, second, third; /* along the edge; of the corners after the first */
  lanes3 normal;              /* of the triangle, of any length */
} edge_passes;

/* Edges from `from` to `to` and triangles with corners at the origin, b and c. */
CLOTH_REPEATED edge_passes pass_through(lanes3 from, lanes3 to, lanes3 b, lanes3 c) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f), quantum = lanes_splat(WORK_QUANTUM * WORK_QUANTUM);
  edge_passes e;
  e.normal = lanes3_cross(b, c);
  const lanes before = lanes_flush_below(lanes3_dot(from, e.normal), WORK_QUANTUM * WORK_QUANTUM);
  const lanes after = lanes_flush_below(lanes3_dot(to, e.normal), WORK_QUANTUM * WORK_QUANTUM);
  e.through = lanes_bits(lanes_less(before, zero)) ^ lanes_bits(lanes_less(after, zero));
  if (!e.through) { return e; }
  const lanes fall = lanes_subtract(before, after);
  const lanes_mask is_steep = lanes_less(lanes_multiply(quantum, lanes_splat(0.5f)), lanes_absolute(fall));
  const lanes share = lanes_divide(lanes_keep(is_steep, before), lanes_select(is_steep, fall, one));
  e.share = lanes_flush_below(share, LEAST_WEIGHT);
  const lanes3 p = lanes3_quantise(lanes3_add_scaled(from, lanes3_subtract(to, from), e.share), STATE_ROUNDER);
  const lanes square = lanes3_dot(e.normal, e.normal), divisor = lanes_select(lanes_less(zero, square), square, one);
  const lanes second = lanes3_dot(lanes3_cross(p, c), e.normal), third = lanes3_dot(lanes3_cross(b, p), e.normal);
  e.through &= ~(lanes_bits(lanes_less(second, zero)) | lanes_bits(lanes_less(third, zero)) |
                 lanes_bits(lanes_less(square, lanes_add(second, third))));
  e.second = lanes_flush_below(lanes_divide(second, divisor), LEAST_WEIGHT);
  e.third = lanes_flush_below(lanes_divide(third, divisor), LEAST_WEIGHT);
  return e;
}

/* A vector of unit length, of components that are 0 or no less than WORK_QUANTUM; 0 for one too short. */
static cloth_vector self_unit(cloth_vector a) {
  const float square = vector_dot(a, a);
  if (!(square > 1.0e-28f && is_finite(square))) { return vector(0.0f, 0.0f, 0.0f); }
  return vector_flush_work(vector_scale(a, 1.0f / square_root(square)));
}

/* Two ends of an edge, then three corners of a triangle, and the weights of the five where they meet. */
typedef struct self_meeting {
  int32_t particle[5];
  float weight[5];
  cloth_vector normal; /* of the triangle, of any length */
} self_meeting;

#endif
