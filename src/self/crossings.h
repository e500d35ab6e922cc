#pragma once
#include "../compiler.h"
#include "../lanes.h"
#include "../scalar.h"
#include "../solve/members.h"
#include "../triangle_place.h"
#include "../types.h"
#include "candidates.h"
#include "nearest.h"
#include "tree.h"
#include "untangle.h"

/// Cells that pass through each other ///

#if WITH_SELF

/* Which edges pass through triangles now, SELF_BATCH pairs of cells at a time. In: positions, ages. Out: intersections,
   marks in ages. */

/* Places of the corners of the pairs of cells from `first` on, relative to the first corner of the second cells. */
CLOTH_INLINE void find_crossing_places(const self_group *g, const cell_queue *q, int32_t first, lanes3 point[4],
                                       lanes3 corner[4]) {
  const vector_array from = g->bodies[q->cloth[0]].start, to = g->bodies[q->cloth[1]].start;
  const lanes3 origin = lanes3_pick(to, q->corner[1][0] + first);
  for (int32_t k = 0; k < 4; k++) {
    point[k] = lanes3_exact_difference(lanes3_pick(from, q->corner[0][k] + first), origin);
    corner[k] = lanes3_exact_difference(lanes3_pick(to, q->corner[1][k] + first), origin);
  }
}

/* Pairs of one of the three edges of a cell and one of the two triangles of another: 2 * edge + triangle. */
#define SELF_CROSSINGS 6

/* Which edges pass through a triangle with corners at the origin, b and c: find_meeting() in lanes, the same. */
CLOTH_REPEATED uint32_t edges_through(lanes3 from, lanes3 to, lanes3 b, lanes3 c) {
  const lanes zero = lanes_splat(0.0f), quantum = lanes_splat(WORK_QUANTUM * WORK_QUANTUM);
  const lanes3 normal = lanes3_cross(b, c);
  const lanes before = lanes_flush_below(lanes3_dot(from, normal), WORK_QUANTUM * WORK_QUANTUM);
  const lanes after = lanes_flush_below(lanes3_dot(to, normal), WORK_QUANTUM * WORK_QUANTUM);
  const uint32_t bits = lanes_bits(lanes_less(before, zero)) ^ lanes_bits(lanes_less(after, zero));
  if (!bits) { return 0u; }
  const lanes fall = lanes_subtract(before, after);
  const lanes_mask is_steep = lanes_less(lanes_multiply(quantum, lanes_splat(0.5f)), lanes_absolute(fall));
  const lanes share = lanes_divide(lanes_keep(is_steep, before), lanes_select(is_steep, fall, lanes_splat(1.0f)));
  const lanes flushed = lanes_flush_below(share, LEAST_WEIGHT);
  const lanes3 p = lanes3_quantise(lanes3_add_scaled(from, lanes3_subtract(to, from), flushed), STATE_ROUNDER);
  const lanes square = lanes3_dot(normal, normal);
  const lanes second = lanes3_dot(lanes3_cross(p, c), normal), third = lanes3_dot(lanes3_cross(b, p), normal);
  const uint32_t outside = lanes_bits(lanes_less(second, zero)) | lanes_bits(lanes_less(third, zero)) |
                           lanes_bits(lanes_less(square, lanes_add(second, third)));
  return bits & ~outside;
}

/* Finds which of SELF_BATCH pairs have an edge through a triangle, a bit each, for every edge and triangle. */
CLOTH_HOT CLOTH_SEPARATE void find_crossings(const self_group *g, const cell_queue *q,
                                             uint32_t crossing[SELF_CROSSINGS]) {
  for (int32_t which = 0; which < SELF_CROSSINGS; which++) {
    crossing[which] = 0;
  }
  for (int32_t first = 0; first < SELF_BATCH; first += CLOTH_LANES) {
    lanes3 point[4], corner[4];
    find_crossing_places(g, q, first, point, corner);
    for (int32_t which = 0; which < SELF_CROSSINGS; which++) {
      const int8_t *later = later_corners[which & 1];
      const uint32_t bits = edges_through(point[0], point[edge_corner[which >> 1]], corner[later[0]], corner[later[1]]);
      crossing[which] |= bits << first;
    }
  }
}

/* 1 if an end of an edge of cloth a is sewn to a corner of a triangle of cloth b. */
static int is_sewn_meeting(const self_group *g, int32_t a, int32_t b, const self_meeting *m) {
#if WITH_SEAMS
  for (int32_t n = 0; g->sewn && n < 2; n++) {
    for (int32_t k = 2; k < 5; k++) {
      if (are_sewn(g->sewn, a, m->particle[n], b, m->particle[k])) { return 1; }
    }
  }
#endif
  (void)g;
  (void)a;
  (void)b;
  (void)m;
  return 0;
}

/* 1 if an end of an edge of cloth a and a corner of cloth b were sewn and are not any more: notes them as near. */
CLOTH_SEPARATE int was_sewn_meeting(const self_group *g, int32_t a, int32_t b, const self_meeting *m) {
  int were_sewn = 0;
#if WITH_SEAMS
  for (int32_t n = 0; n < 6; n++) {
    were_sewn |= were_sewn_together(g, a, m->particle[n / 3], b, m->particle[2 + n % 3]);
  }
  for (int32_t n = 0; were_sewn && n < 5; n++) {
    note_near(&g->bodies[n < 2 ? a : b], m->particle[n]);
  }
#endif
  (void)g;
  (void)a;
  (void)b;
  (void)m;
  return were_sewn;
}

/* Notes that an edge of cloth a passes through a triangle of cloth b, if it does: `which` of pair n that waits. */
static void note_meeting(self_search *s, const cell_queue *q, int32_t n, int32_t which) {
  const self_group *g = s->group;
  const int32_t a = q->cloth[0], b = q->cloth[1], end = which >> 1, t = which & 1;
  const self_body *from = &g->bodies[a], *to = &g->bodies[b];
  self_meeting m = {.particle = {q->corner[0][0][n], q->corner[0][edge_corner[end]][n], q->corner[1][0][n],
                                 q->corner[1][later_corners[t][0]][n], q->corner[1][later_corners[t][1]][n]}};
  if (a == b && have_common(&m)) { return; }
  const int32_t edge = m.particle[0], row = edge / from->columns;
  if (!has_edge(from, row, edge - row * from->columns, end) || is_sewn_meeting(g, a, b, &m) ||
      !find_meeting(from->start, to->start, &m) || was_sewn_meeting(g, a, b, &m)) {
    return;
  }
  for (int32_t k = 0; k < 5; k++) {
    (k < 2 ? from : to)->ages[m.particle[k]] |= SELF_AGE_MARK;
  }
  if (s->intersections < g->max_intersections) {
    g->intersections[s->intersections].edge = self_number(a, 4 * edge + end);
    g->intersections[s->intersections].triangle = self_number(b, 2 * m.particle[2] + t);
  }
  s->intersections++;
}

/* Finds which edges of the cells that wait pass through triangles of the others. */
static void find_intersections(self_search *s, cell_queue *q) {
  uint32_t bits[SELF_CROSSINGS];
  const int32_t count = q->count;
  q->count = 0;
  s->crossed += count;
  if (count == 0) { return; }
  find_crossings(s->group, q, bits);
  for (int32_t which = 0; which < SELF_CROSSINGS; which++) {
    for (uint32_t left = bits[which] & ((1u << count) - 1u); left; left &= left - 1u) {
      note_meeting(s, q, first_bit(left), which);
    }
  }
}

/* A cell of cloth a, with its edges, and one of cloth b, with its triangles, wait for others. */
static void add_crossing(self_search *s, int32_t a, int32_t b, int32_t edges, int32_t cell) {
  cell_queue *q = &s->crossings[a > b];
  const self_body *first = &s->group->bodies[a], *second = &s->group->bodies[b];
  put_corners(first, q, 0, edges / first->columns, edges % first->columns);
  put_corners(second, q, 1, cell / second->columns, cell % second->columns);
  if (++q->count == SELF_BATCH) { find_intersections(s, q); }
}

#endif
