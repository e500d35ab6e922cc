#pragma once
#include "../compiler.h"
#include "../lanes.h"
#include "../scalar.h"
#include "../types.h"
#include "tree.h"
#include "untangle.h"

/// Edges through triangles ///

#if WITH_SELF

/*
 * Which edges of a cell pass through triangles of another one now, in lanes.
 *
 * In: positions. Out: the verdict. Scratch: none.
 */

CLOTH_INLINE lanes3 lanes3_pick(vector_array from, const uint16_t *index, int32_t offset) {
  return lanes3_of(lanes_pick(from.x + offset, index), lanes_pick(from.y + offset, index),
                   lanes_pick(from.z + offset, index));
}

/* Pairs of a cell with its edges and a cell with its triangles: their corners. */
typedef struct self_crossings {
  const self_body *a, *b; /* of the edges, of the triangles */
  uint16_t edge[4][SELF_BATCH], cell[4][SELF_BATCH];
} self_crossings;

/* Places of the corners of the pairs of cells from `first` on, relative to the first corner of the second cells. */
CLOTH_INLINE void find_crossing_places(const self_crossings *c, int32_t first, lanes3 point[4], lanes3 corner[4]) {
  const lanes3 origin = lanes3_pick(c->b->start, c->cell[0] + first, 0);
  const lanes zero = lanes_splat(0.0f);
  corner[0] = lanes3_of(zero, zero, zero);
  point[0] = lanes3_exact_difference(lanes3_pick(c->a->start, c->edge[0] + first, 0), origin);
  for (int32_t k = 1; k < 4; k++) {
    point[k] = lanes3_exact_difference(lanes3_pick(c->a->start, c->edge[k] + first, 0), origin);
    corner[k] = lanes3_exact_difference(lanes3_pick(c->b->start, c->cell[k] + first, 0), origin);
  }
}

/* Pairs of one of the three edges of a cell and one of the two triangles of another: 2 * edge + triangle. */
#define SELF_CROSSINGS 6

/* Which edges, from `from` to `to`, pass through a triangle with corners at the origin, b and c: find_meeting() in
   lanes, with the same result. */
CLOTH_REPEATED uint32_t edges_through(lanes3 from, lanes3 to, lanes3 b, lanes3 c) {
  const lanes zero = lanes_splat(0.0f), quantum = lanes_splat(WORK_QUANTUM * WORK_QUANTUM);
  const lanes3 normal = lanes3_cross(b, c);
  const lanes before = lanes_flush_below(lanes3_dot(from, normal), WORK_QUANTUM * WORK_QUANTUM);
  const lanes after = lanes_flush_below(lanes3_dot(to, normal), WORK_QUANTUM * WORK_QUANTUM);
  const uint32_t bits = lanes_bits(lanes_less(before, zero)) ^ lanes_bits(lanes_less(after, zero));
  if (!bits) {
    return 0u;
  }
  const lanes fall = lanes_subtract(before, after);
  const lanes_mask is_steep = lanes_less(lanes_multiply(quantum, lanes_splat(0.5f)), lanes_absolute(fall));
  const lanes share = lanes_divide(lanes_keep(is_steep, before), lanes_select(is_steep, fall, lanes_splat(1.0f)));
  const lanes flushed = lanes_flush_below(share, SELF_LEAST_WEIGHT);
  const lanes3 p = lanes3_quantise(lanes3_add_scaled(from, lanes3_subtract(to, from), flushed), STATE_ROUNDER);
  const lanes square = lanes3_dot(normal, normal);
  const lanes second = lanes3_dot(lanes3_cross(p, c), normal), third = lanes3_dot(lanes3_cross(b, p), normal);
  const uint32_t outside = lanes_bits(lanes_less(second, zero)) | lanes_bits(lanes_less(third, zero)) |
                           lanes_bits(lanes_less(square, lanes_add(second, third)));
  return bits & ~outside;
}

/* Finds which of SELF_BATCH pairs have an edge that passes through a triangle, a bit each, for every edge and
   triangle. */
CLOTH_HOT CLOTH_SEPARATE void find_crossings(const self_crossings *c, uint32_t crossing[SELF_CROSSINGS]) {
  for (int32_t which = 0; which < SELF_CROSSINGS; which++) {
    crossing[which] = 0;
  }
  for (int32_t first = 0; first < SELF_BATCH; first += CLOTH_LANES) {
    lanes3 point[4], corner[4];
    find_crossing_places(c, first, point, corner);
    for (int32_t which = 0; which < SELF_CROSSINGS; which++) {
      const int8_t *later = later_corners[which & 1];
      const uint32_t bits = edges_through(point[0], point[edge_corner[which >> 1]], corner[later[0]], corner[later[1]]);
      crossing[which] |= bits << first;
    }
  }
}

#endif
