#pragma once
#include "../base/compiler.h"
#include "../base/rigid.h"
#include "../base/rows.h"
#include "../base/scalar.h"
#include "../cloth/access.h"
#include "../cloth/arrays.h"
#include "../cloth/types.h"
#include "body.h"
#include "cell_memory.h"

/// Edges that cells share ///

/*
 * Both triangles at an edge may touch a ball, one of them with a point of that edge, while the ball is nearer to the
 * other, or both with the same point. One place of the sheet would press twice, and a ball on flat cloth would roll off
 * every edge. So the one whose point is farther yields to the other, and leaves what it remembers to that, if it begins
 * just then: what rolls goes on from triangle to triangle with the force that it had. What presses is the nearer of
 * both, so nothing opens. What is not a ball may rest along a line on both: it presses twice.
 *
 * In and out: touches of cells with a collider. Scratch: none.
 */

#if WITH_COLLIDERS

/* Points with less weight at a corner are on the edge that is opposite to it. */
#define EDGE_WEIGHT 1.0e-3f
/* The corner that is opposite to the edge that has the point of a touch; -1: there is none. */
static int32_t corner_beyond_edge(const cell_touch *e) {
  for (int32_t n = 0; n < 3; n++) {
    if (e->weight[n] < EDGE_WEIGHT) { return n; }
  }
  return -1;
}

/* The key of the triangle on the other side of an edge, which is opposite to a corner; it may be of no triangle. */
static uint32_t key_across_edge(const cloth *c, const cell_touch *e, int32_t corner) {
  const int32_t second = (int32_t)(e->key & 1u), columns = c->grid.columns;
  int32_t row, column;
  cell_of_key(c, e->key, &row, &column);
  if (corner == (second ? 2 : 0)) { column += second ? -1 : 1; }
  if (corner == (second ? 0 : 2)) { row += second ? 1 : -1; }
  column = column < 0 ? columns - 1 : column == columns ? 0 : column;
  return cell_key(c, e->collider, row < 0 ? c->grid.rows - 1 : row, column, !second);
}

/* The touch of a key, among those in ascending order; NULL if there is none. */
static cell_touch *touch_of_key(cell_touch *first, int32_t count, uint32_t key) {
  int32_t from = 0, to = count;
  while (from < to) {
    const int32_t middle = (from + to) / 2;
    if (first[middle].key < key) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from < count && first[from].key == key ? &first[from] : NULL;
}

/* Where the point of a touch is linearised. */
static cloth_vector place_of_cell(const solve_arrays *a, const cell_touch *e) {
  cloth_vector place = vector(0.0f, 0.0f, 0.0f);
  for (int32_t n = 0; n < 3; n++) {
    place = vector_add_scaled(place, near_vector(near_row(a->place, a->pitch, 0), a->plane, e->place[n]), e->weight[n]);
  }
  return vector_flush(place, STATE_QUANTUM);
}

/* What one touch remembers goes over to another one, which begins: as far from its anchor. */
static void leave_memory(const solve_arrays *a, const touched_body *b, const cell_touch *from, cell_touch *to) {
  if (to->known || !from->known) { return; }
  const cloth_vector way = vector_flush(vector_subtract(place_of_cell(a, to), place_of_cell(a, from)), STATE_QUANTUM);
  const cloth_vector shift = vector_flush(rotate(rotation_conjugate(b->end.rotation), way), STATE_QUANTUM);
  const float out = flush_small(vector_dot(from->offset, to->normal), WORK_QUANTUM);
  to->known = 1;
  to->slides = from->slides;
  to->last = from->last;
  to->anchor = vector_flush(vector_add(from->anchor, shift), STATE_QUANTUM);
  to->offset = vector_flush_work(vector_add_scaled(from->offset, to->normal, negate(out)));
}

/* Touches of a collider, from one on, yield where the triangle across their edge is nearer. */
CLOTH_SEPARATE void yield_edges(const cloth *c, const solve_arrays *a, const touched_body *b, int32_t first) {
  workspace *w = workspace_of(c);
  cell_touch *list = cell_touches_of(c) + first;
  const int32_t count = w->cells - first;
  int32_t left = 0;
  for (int32_t n = 0; n < count; n++) {
    cell_touch *e = &list[n];
    const int32_t corner = corner_beyond_edge(e);
    cell_touch *other = corner < 0 ? NULL : touch_of_key(list, count, key_across_edge(c, e, corner));
    const int yields = other && (other->gap < e->gap || (other->gap == e->gap && n < (int32_t)(other - list)));
    if (yields) { leave_memory(a, b, e, other); }
    e->collider = yields ? -1 : e->collider;
  }
  for (int32_t n = 0; n < count; n++) {
    if (list[n].collider >= 0) { list[left++] = list[n]; }
  }
  w->cells = first + left;
}

#endif
