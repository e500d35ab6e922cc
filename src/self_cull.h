#pragma once
#include "compiler.h"
#include "lanes.h"
#include "scalar.h"
#include "self_tree.h"
#include "self_untangle.h"
#include "types.h"

/// Culling of candidates ///

#if WITH_SELF

/*
 * Which pairs of a particle and a cell are worth keeping, of those whose boxes come near each other. Boxes along the
 * axes of the world hold a lot of room that a cell slanted against them does not. Hence three more axes: the normal of
 * the cell, along which contact reaches as far as the thickness, and its two directions, beyond which it ends at the
 * rim of the cell. Particle and cell that move straight from where they are now to where they will be do not meet if
 * the particle is beyond the cell on the same side of one of the axes both now and then.
 *
 * In: positions, velocities. Out: the verdict. Scratch: none.
 */

/* Distance beyond the rim of a cell up to which a particle is a candidate, over the spacing, plus the skin of the
   gather. */
#ifndef SELF_RIM
#define SELF_RIM 0.05f
#endif

/* Way of a particle against a cell up to which both count as moving straight, over the spacing. */
#ifndef SELF_STRAIGHT
#define SELF_STRAIGHT 0.5f
#endif

CLOTH_INLINE lanes3 lanes3_pick(vector_array from, const uint16_t *index, int32_t offset) {
  return lanes3_of(lanes_pick(from.x + offset, index), lanes_pick(from.y + offset, index),
                   lanes_pick(from.z + offset, index));
}

/* Pairs of a particle and a cell, and how far they look ahead. */
typedef struct self_pairs {
  const self_body *a, *b;    /* of the particles, of the cells */
  float time;                /* that the pairs look ahead [s] */
  float along_normal, aside; /* distances beyond which nothing touches [m] */
  uint16_t particle[SELF_BATCH], cell[SELF_BATCH];
} self_pairs;

/* The corners of the cell, relative to the particle, now and ahead. */
typedef struct self_corners {
  lanes3 now[4], ahead[4];
} self_corners;

/* The numbers of the second corners of cells; they are followed by those of the third one row on. */
CLOTH_INLINE void find_second_corners(const self_body *b, const uint16_t *cell, uint16_t second[CLOTH_LANES]) {
  for (int32_t n = 0; n < CLOTH_LANES; n++) {
    const int32_t is_last = b->is_wrapped && cell[n] % b->columns == b->columns - 1;
    second[n] = (uint16_t)(cell[n] + (is_last ? 1 - b->columns : 1));
  }
}

CLOTH_INLINE void find_relative_corners(const self_pairs *p, int32_t first, self_corners *c) {
  const uint16_t *particle = p->particle + first, *cell = p->cell + first;
  uint16_t second[CLOTH_LANES];
  find_second_corners(p->b, cell, second);
  const lanes3 place = lanes3_pick(p->a->start, particle, 0), speed = lanes3_pick(p->a->velocity, particle, 0);
  const lanes time = lanes_splat(p->time);
  for (int32_t k = 0; k < 4; k++) {
    const uint16_t *corner = k == 0 || k == 3 ? cell : second;
    const int32_t offset = k < 2 ? 0 : p->b->columns;
    const lanes3 faster = lanes3_subtract(lanes3_pick(p->b->velocity, corner, offset), speed);
    c->now[k] = lanes3_exact_difference(lanes3_pick(p->b->start, corner, offset), place);
    c->ahead[k] = lanes3_quantise(lanes3_add_scaled(c->now[k], faster, time), STATE_ROUNDER);
  }
}

/* Least and greatest place of four points along an axis, times its length. */
typedef struct point_range {
  lanes low, high;
} point_range;

CLOTH_INLINE point_range range_along(lanes3 axis, const lanes3 p[4]) {
  const lanes a = lanes3_dot(axis, p[0]), b = lanes3_dot(axis, p[1]);
  const lanes c = lanes3_dot(axis, p[2]), d = lanes3_dot(axis, p[3]);
  point_range range;
  range.low = lanes_minimum(lanes_minimum(a, b), lanes_minimum(c, d));
  range.high = lanes_maximum(lanes_maximum(a, b), lanes_maximum(c, d));
  return range;
}

/* How far four points are on one side of the origin along an axis now and ahead, over its length, less than 0 if they
   are not. */
CLOTH_INLINE lanes gap_along(lanes3 axis, const self_corners *c) {
  const point_range now = range_along(axis, c->now), ahead = range_along(axis, c->ahead);
  return lanes_maximum(lanes_minimum(now.low, ahead.low), lanes_negate(lanes_maximum(now.high, ahead.high)));
}

/* Which lanes are apart by more than a distance along an axis. */
CLOTH_REPEATED lanes_mask are_beyond(lanes3 axis, const self_corners *c, float distance) {
  const lanes length = lanes_square_root(lanes3_dot(axis, axis));
  return lanes_less(lanes_multiply(length, lanes_splat(distance)), gap_along(axis, c));
}

/* Which pairs move against each other by less than SELF_STRAIGHT spacings. The others will not go straight on where
   they meet something: whether their boxes come near decides alone. */
CLOTH_INLINE lanes_mask go_straight(const self_pairs *p, const self_corners *c) {
  const lanes3 way = lanes3_subtract(c->ahead[0], c->now[0]);
  const float spacing = minimum(p->a->spacing, p->b->spacing);
  return lanes_less(lanes3_dot(way, way), lanes_splat(SELF_STRAIGHT * SELF_STRAIGHT * spacing * spacing));
}

/* Finds which of SELF_BATCH pairs may touch, a bit each. */
CLOTH_HOT CLOTH_SEPARATE uint32_t find_close_pairs(const self_pairs *p) {
  uint32_t far = 0;
  for (int32_t first = 0; first < SELF_BATCH; first += CLOTH_LANES) {
    self_corners c;
    find_relative_corners(p, first, &c);
    const lanes3 *q = c.now;
    const lanes3 normal = lanes3_cross(lanes3_subtract(q[2], q[0]), lanes3_subtract(q[3], q[1]));
    const lanes3 row = lanes3_add(lanes3_subtract(q[1], q[0]), lanes3_subtract(q[2], q[3]));
    const lanes3 column = lanes3_add(lanes3_subtract(q[3], q[0]), lanes3_subtract(q[2], q[1]));
    const uint32_t bits = lanes_bits(are_beyond(normal, &c, p->along_normal)) |
                          lanes_bits(are_beyond(row, &c, p->aside)) | lanes_bits(are_beyond(column, &c, p->aside));
    far |= (bits & lanes_bits(go_straight(p, &c))) << first;
  }
  return ~far & ((1u << SELF_BATCH) - 1u);
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
