#pragma once
#include "../compiler.h"
#include "../solve/members.h"
#include "../types.h"
#include "candidates.h"
#include "through.h"
#include "tree.h"
#include "untangle.h"

/// Cells that pass through each other ///

#if WITH_SELF

/*
 * Which edges pass through triangles now. The edges of a cell wait against the triangles of another one whose box meets
 * its own, and are compared SELF_BATCH pairs at a time.
 *
 * In: positions, ages. Out: intersections, marks in ages. Scratch: none.
 */

/* 1 if an end of an edge of cloth a is sewn to a corner of a triangle of cloth b. */
static int is_sewn_meeting(const self_group *g, int32_t a, int32_t b, const self_meeting *m) {
#if WITH_SEAMS
  for (int32_t n = 0; g->sewn && n < 2; n++) {
    for (int32_t k = 2; k < 5; k++) {
      if (are_sewn(g->sewn, a, m->particle[n], b, m->particle[k])) {
        return 1;
      }
    }
  }
#endif
  (void)g;
  (void)a;
  (void)b;
  (void)m;
  return 0;
}

/* 1 if an end of an edge of cloth a and a corner of a triangle of cloth b were sewn, and one of them is not any more.
   Notes that they are near. */
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

/* Notes that an edge of a cell of cloth a passes through a triangle of a cell of cloth b, if it does: edge and triangle
   `which` of pair n of those that wait. */
static void note_meeting(self_search *s, int32_t a, int32_t b, int32_t n, int32_t which) {
  const self_group *g = s->group;
  const self_body *from = &g->bodies[a], *to = &g->bodies[b];
  const self_crossings *c = &s->crossings[a > b];
  const int32_t end = which >> 1, t = which & 1;
  self_meeting m = {.particle = {c->edge[0][n], c->edge[edge_corner[end]][n], c->cell[0][n],
                                 c->cell[later_corners[t][0]][n], c->cell[later_corners[t][1]][n]}};
  if (a == b && have_common(&m)) {
    return;
  }
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

/* Finds which edges of the cells that wait, of cloth a, pass through triangles of those of cloth b. */
static void find_intersections(self_search *s, int32_t a, int32_t b, int32_t queue) {
  self_crossings *c = &s->crossings[queue];
  uint32_t bits[SELF_CROSSINGS];
  const int32_t count = s->crossing_count[queue];
  s->crossing_count[queue] = 0;
  s->crossed += count;
  if (count == 0) {
    return;
  }
  for (int32_t n = count; n < SELF_BATCH; n++) {
    for (int32_t k = 0; k < 4; k++) {
      c->edge[k][n] = c->edge[k][0];
      c->cell[k][n] = c->cell[k][0];
    }
  }
  find_crossings(c, bits);
  for (int32_t which = 0; which < SELF_CROSSINGS; which++) {
    for (uint32_t left = bits[which] & ((1u << count) - 1u); left; left &= left - 1u) {
      note_meeting(s, a, b, first_bit(left), which);
    }
  }
}

/* A cell of cloth a, with its edges, and one of cloth b, with its triangles, wait for others. */
static void add_crossing(self_search *s, int32_t a, int32_t b, int32_t edges, int32_t cell) {
  const int32_t queue = a > b;
  self_crossings *c = &s->crossings[queue];
  const int32_t n = s->crossing_count[queue]++;
  int32_t from[4], to[4];
  const self_body *first = &s->group->bodies[a], *second = &s->group->bodies[b];
  find_corners(first, edges / first->columns, edges % first->columns, from);
  find_corners(second, cell / second->columns, cell % second->columns, to);
  for (int32_t k = 0; k < 4; k++) {
    c->edge[k][n] = (uint16_t)from[k];
    c->cell[k][n] = (uint16_t)to[k];
  }
  if (n + 1 == SELF_BATCH) {
    find_intersections(s, a, b, queue);
  }
}

#endif
