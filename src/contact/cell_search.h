#pragma once
#include "body.h"
#include "cell_memory.h"
#include "cell_nearest.h"
#include "search.h"
#include "touch.h"

/// Search for cells that touch ///

/*
 * Particles alone let what is small or sharp through their cells: a sheet that is pulled over the edge of a box hooks
 * it. So a triangle of a cell touches a solid, too, at the point of it that is nearest to the solid; but only where the
 * solid stands out between the particles, which a flat sheet on a flat top, or one over what is large against its
 * cells, does not see:
 *
 *   sag = sum w_j phi_j - phi(p) >= LEAST_SAG T, phi the distance from the solid
 *
 * A point is kept as long as none is much nearer, and it stands out at all: chosen anew each time, points wander with
 * every small motion, and nothing rests. A touch begins only where the point and all corners of the triangle are
 * outside: cells that are born in a solid would throw a sheet off it. The law begins at CELL_REACH of the thickness, as
 * particles that lie on something flat are farther out.
 *
 * Both triangles of a cell have the diagonal from its first corner. What is too far, or flat, is left out in stages,
 * each from a bound that holds for any convex solid:
 *
 *   by distance   a solid of which each point lies in a ball of radius R within it: (phi(p) + R)^2 is no less than
 *                 sum w_j (phi_j + R)^2 - sum_{i<j} w_i w_j |x_i - x_j|^2, and the last sum no more than a third of the
 *                 longest edge squared. So a corner is near, as the search for particles has found, or nothing touches.
 *   by turn       phi_j >= phi_i + n_i . (x_j - x_i), so that sag <= sum_{i<j} w_i w_j (n_i - n_j) . (x_i - x_j).
 *   by a plane    phi(y) >= phi(p) + n . (y - p) at its middle, and at each place of the descent.
 *
 * What is left descends to its nearest point, see contact/cell_nearest.h.
 *
 * In: position, place, diagonal, colliders, memory of cells. Out: touches of particles and of cells. Scratch:
 * ground.
 */

/* Least sag with which a touch begins, at its point and amid its triangle, and with which it is kept [T]. */
#define LEAST_SAG 0.25f
#define CELL_SAG 0.05f
/* Most places that are charged for the way of a point that is followed. */
#define CELL_FOLLOWED 4

/* What the search of cells takes beside that of the particles of a collider. */
typedef struct cell_search {
  touch_search *s;
  uint32_t cursor;             /* in the memory */
  int32_t tried;               /* triangles, of all colliders */
  int32_t first_row, end_row;  /* of cells that are looked at */
  corner_row *row;             /* two, by the parity of the row */
  int32_t block;               /* first column */
  int32_t left, behind, cells; /* corners of a row; the column behind them, -1: none; cells of a row */
  cell_batch batch;
} cell_search;

/* Round colliders are large if the arc over a diagonal of a cell rises by less than so many thicknesses: particles that
   are as far as the law is thick keep the middle of a flat cell out of its own law, which begins at CELL_REACH; bodies
   with mass, if they keep it outside at all. With that of colliders two balls of S7 ring on on 17 x 17 with 4 substeps,
   at .03 and .12 m/s. */
#define LARGE_SAG (1.0f - CELL_REACH)
#define LARGE_BODY_SAG 1.0f

/* 1 for colliders that cells touch: solids that are not so large that particles alone keep them out. */
static int is_met_by_cells(const cloth *c, const touched_body *b, float thickness) {
  const float longest = maximum(c->grid.diagonal, c->grid.antidiagonal);
  const float share = b->unknown ? LARGE_BODY_SAG : LARGE_SAG;
  const int is_large = longest * longest < 8.0f * share * thickness * round_radius(b->shape);
  return b->shape->shape != CLOTH_SHAPE_PLANE && !is_concave(b->shape) && !is_large;
}

/* The longest edge of the triangles of a cloth, where it is linearised, squared. */
CLOTH_SEPARATE float longest_edge_squared(const solve_arrays *a) {
  lanes most = lanes_splat(0.0f);
  for (int32_t row = 0; row < a->rows; row++) { /* nothing is below the last: its edges down are its own */
    const float *here = near_row(a->place, a->pitch, row);
    const float *under = near_row(a->place, a->pitch, smaller_of(row + 1, a->rows - 1));
    EACH_BLOCK(i, left, a->columns, {
      const lanes3 x = near_load(here, a->plane, i);
      const lanes3 right = lanes3_subtract(near_load(here, a->plane, i + 1), x);
      const lanes3 down = lanes3_subtract(near_load(under, a->plane, i), x);
      const lanes3 diagonal = lanes3_subtract(near_load(under, a->plane, i + 1), x);
      const lanes beside = lanes_maximum(lanes3_dot(right, right), lanes3_dot(diagonal, diagonal));
      most = lanes_maximum(lanes_keep(lanes_first(left), lanes3_dot(down, down)), most);
      most = lanes_maximum(lanes_keep(lanes_first(a->columns - i - !a->is_ring), beside), most);
    });
  }
  return lanes_largest(most, 0.0f);
}

/* How near to a collider, beside its way, a corner of a triangle must be that touches it. */
static float nearest_corner(const touched_body *b, float thickness, float edge_squared) {
  const float radius = round_radius(b->shape), far = CELL_FARTHEST * thickness + radius;
  return BOX_SLACK * square_root(far * far + edge_squared * (1.0f / 3.0f)) - radius;
}

/* Begins a block of cells: it has so many corners of a row, and one more behind them. Behind the last column of a tube
   the first one follows. */
static void open_block(cell_search *s, int32_t block) {
  const solve_arrays *a = s->s->a;
  const int32_t next = block + TOUCH_LANES;
  s->block = block;
  s->left = smaller_of(a->columns - block, TOUCH_LANES);
  s->behind = next < a->columns ? next : a->is_ring ? 0 : -1;
  s->cells = smaller_of(cells_along_warp(s->s->c) - block, TOUCH_LANES);
  s->row[0].row = s->row[1].row = -1;
}

/* Which corners of a row beside the present block are near, as bits. */
CLOTH_INLINE uint32_t near_corners(const cell_search *s, int32_t row) {
  const uint32_t *near = s->s->boxes.near + row * s->s->boxes.along;
  const uint32_t own = near[s->block / TOUCH_LANES] & ((1u << s->left) - 1u);
  return s->behind < 0 ? own : own | (near[s->behind / TOUCH_LANES] & 1u) << s->left;
}

/* A block of particles of a row, as corners from `k` on. */
CLOTH_INLINE void place_corners(const touch_search *s, corner_row *r, int32_t i, int32_t k) {
  const lanes3 place = near_load(near_row(s->a->place, s->a->pitch, r->row), s->a->plane, i);
  const lanes3 x = lanes_to_local(&s->b->start, lanes3_load(s->x, r->row * s->a->columns + i));
  const lanes3 to = lanes_to_local(&s->b->end, place);
  const lanes3 way = lanes3_flush_below(lanes3_subtract(to, x), STATE_QUANTUM);
  lanes3 normal;
  lanes_store(&r->distance[k], distances_to(s->b, &x, &normal));
  lanes_store(&r->way_squared[k], lanes3_dot(way, way));
  lanes3_store(VECTORS_OF(r->to), k, to, CLOTH_LANES);
  lanes3_store(VECTORS_OF(r->from), k, x, CLOTH_LANES);
  lanes3_store(VECTORS_OF(r->normal), k, normal, CLOTH_LANES);
}

/* The particles of a row beside the present block, of which `wanted` are read. */
CLOTH_SEPARATE const corner_row *block_corners(cell_search *s, int32_t row, uint32_t wanted) {
  corner_row *r = &s->row[row & 1];
  if (r->row != row) {
    r->row = row;
    r->placed = 0;
  }
  for (int32_t k = 0; k <= s->left; k += CLOTH_LANES) {
    const uint32_t group = ((1u << CLOTH_LANES) - 1u) << k;
    if (!(wanted & ~r->placed & group)) { continue; }
    if (k < s->left) { place_corners(s->s, r, s->block + k, k); }
    if (s->behind >= 0 && s->left < k + CLOTH_LANES) { place_corners(s->s, r, s->behind, s->left); }
    r->placed |= group;
  }
  return r;
}

/* Corners of triangles in lanes. */
typedef struct corner_block {
  lanes3 from, normal;
  lanes distance, way_squared;
} corner_block;

CLOTH_INLINE corner_block corners_at(const corner_row *r, int32_t k) {
  return (corner_block){lanes3_load(VECTORS_OF(r->from), k), lanes3_load(VECTORS_OF(r->normal), k),
                        lanes_load(&r->distance[k]), lanes_load(&r->way_squared[k])};
}

/* (n_i - n_j) . (x_i - x_j): no less than what phi_j is above the plane at corner i. */
CLOTH_INLINE lanes turn_between(const corner_block *a, const corner_block *b) {
  const lanes3 turned = lanes3_flush(lanes3_subtract(a->normal, b->normal));
  return lanes3_dot(turned, lanes3_flush_below(lanes3_subtract(a->from, b->from), STATE_QUANTUM));
}

/* Which triangles may begin to touch: by how far the surface turns from corner to corner, then by the distance of their
   middle. The sag is no more than the second largest of the three turns, and a third of the largest. */
CLOTH_INLINE lanes_mask may_triangles_touch(const cell_search *s, const corner_block *a, const corner_block *b,
                                            const corner_block *c) {
  const lanes least = lanes_splat(LEAST_SAG * s->s->thickness);
  const lanes way_squared = lanes_maximum(a->way_squared, lanes_maximum(b->way_squared, c->way_squared));
  const lanes most = farthest_touch(s->s, way_squared);
  const lanes third = lanes_splat(1.0f / 3.0f);
  const lanes ab = turn_between(a, b), ac = turn_between(a, c), bc = turn_between(b, c);
  const lanes high = lanes_maximum(ab, ac), low = lanes_minimum(ab, ac);
  const lanes second = lanes_maximum(low, lanes_minimum(high, bc)), largest = lanes_maximum(high, bc);
  const lanes sag = lanes_minimum(second, lanes_multiply(largest, lanes_splat(BOX_SLACK / 3.0f)));
  const lanes nearest = lanes_minimum(a->distance, lanes_minimum(b->distance, c->distance));
  const lanes_mask is_outside = lanes_both(lanes_less(lanes_splat(0.0f), nearest), lanes_less(least, sag));
  const lanes_mask may = lanes_both(is_outside, lanes_less(lanes_subtract(nearest, sag), most));
  if (!lanes_any(may)) { return may; }
  const lanes3 middle = lanes3_scale(lanes3_add(lanes3_add(a->from, b->from), c->from), third);
  const lanes3 at = lanes3_flush_below(middle, STATE_QUANTUM), corner[3] = {a->from, b->from, c->from};
  lanes3 normal;
  const lanes distance = distances_to(s->s->b, &at, &normal);
  const lanes mean = lanes_multiply(lanes_add(lanes_add(a->distance, b->distance), c->distance), third);
  const lanes_mask stands_out = lanes_less(least, lanes_subtract(mean, distance));
  return lanes_both(may, lanes_both(stands_out, lanes_less(least_distance(distance, normal, at, corner), most)));
}

/* The first entry of the memory from a key on; NULL if there is none. */
static const cell_memory *memory_from(cell_search *s, uint32_t key) {
  const cell_memory *entry = cell_memories_of(s->s->c);
  const uint32_t count = *cells_remembered(s->s->c);
  while (s->cursor < count && entry[s->cursor].key < key) {
    s->cursor++;
  }
  return s->cursor < count ? &entry[s->cursor] : NULL;
}

static int may_touch(const touch_search *s, const cell_triangle *t) {
  float sag = negate(t->nearest), least = t->distance[0];
  if (!(t->nearest < FAR_GAP)) { return 0; }
  for (int32_t n = 0; n < 3; n++) {
    sag += t->weight[n] * t->distance[n];
    least = minimum(least, t->distance[n]);
  }
  return t->memory ? !(sag < CELL_SAG * s->thickness)
                   : !(sag < LEAST_SAG * s->thickness) && t->is_outside && least > 0.0f;
}

/* Where the law begins at the point of a triangle: nearer, near buried pins. */
static float reach_of_cell(const touch_search *s, const int32_t place[3], const float weight[3]) {
  float reach = 0.0f;
  for (int32_t n = 0; n < 3; n++) {
    reach += weight[n] * (s->b->is_buried ? s->reach[place[n]] : s->thickness);
  }
  return CELL_REACH * reach;
}

/* Fills in the gap and the normal of a touch whose point goes from `from` to `to`. Returns 0 if it is too far. From
   outside, where the way comes near, the gap is that from the plane which is tangent there. From inside, where a solid
   has several faces as near as each other, that along the normal of the triangle: in that alone a point that is nearest
   can leave. */
static int find_cell_gap(touch_search *s, cell_touch *e, const cell_triangle *t, cloth_vector from, cloth_vector to) {
  touch_way w = {.from = lanes3_splat(from), .to = lanes3_splat(to)};
  complete_way(&w);
  lanes3 normal;
  const int has_mass = s->b->unknown != NULL, is_inside = has_mass && !(t->nearest > 0.0f) && e->reach > 0.0f;
  lanes gap = distances_to(s->b, is_inside ? &w.from : &w.to, &normal);
  const lanes_mask one = lanes_first(1), all = lanes_first(CLOTH_LANES);
  const lanes thickness = lanes_splat(s->thickness);
  e->way = lanes_first_value(w.length);
  const float most = e->reach + CELL_SLACK * s->thickness;
  const int is_near = has_mass && lanes_first_value(gap) < NEAR_SHARE * s->thickness;
  const int comes_near = is_near || e->way > LONG_WAY * s->thickness;
  if (is_inside) {
    const cloth_vector n = across_cell(s, t, from, lanes3_first(normal));
    const float out = flush_work(vector_dot(n, lanes3_first(w.along)));
    normal = lanes3_splat(n);
    gap = lanes_add(gap, lanes_splat(out));
    workspace_of(s->c)->cell_searches += s->b->searches * CELL_FOLLOWED;
  } else if (comes_near && e->way > 0.0f && e->reach > 0.0f && lanes_first_value(gap) < most + e->way) {
    const int32_t places = follow_ways(s->b, &w, one, thickness, &gap, &normal);
    workspace_of(s->c)->cell_searches += s->b->searches * (places < CELL_FOLLOWED ? places : CELL_FOLLOWED);
  }
  e->gap = lanes_first_value(gap);
  if (!(e->gap < most + FARTHER * e->way)) { return 0; }
  e->reach = lanes_first_value(bounded_reach(s, &w, all, gap, lanes_splat(e->reach)));
  e->normal = vector_flush_work(rotate(s->b->end.rotation, lanes3_first(normal)));
  return 1;
}

/* The anchor of a touch: where its point is held, in the axes of the collider. */
static cloth_vector anchor_of_cell(const cell_triangle *t, cloth_vector from) {
  float before[3];
  if (!t->memory) { return from; }
  start_weights(t->memory, before);
  const cloth_vector shift = vector_subtract(from, point_of_cell(t->from, before));
  return vector_flush_state(vector_add(t->memory->anchor, shift));
}

/* Adds the touch of a triangle, if it touches. */
CLOTH_SEPARATE void add_triangle(cell_search *search, cell_triangle *t) {
  touch_search *s = search->s;
  workspace *w = workspace_of(s->c);
  const cell_memory *m = t->memory;
  if (!may_touch(s, t)) { return; }
  if (w->cells == (int32_t)s->c->state.max_cells) {
    w->statistics.overflows++;
    return;
  }
  cell_touch *e = cell_touches_of(s->c) + w->cells;
  int32_t moves = s->b->unknown != NULL;
  fill_zero(e, sizeof *e);
  for (int32_t n = 0; n < 3; n++) {
    e->place[n] = t->row[n] * s->a->pitch + t->column[n];
    e->weight[n] = t->weight[n];
    moves |= t->weight[n] > 0.0f && *own_at(s->a->diagonal, 1, e->place[n], 0) > 0.0f;
  }
  const cloth_vector from = point_of_cell(t->from, t->weight), to = point_of_cell(t->to, t->weight);
  e->reach = reach_of_cell(s, e->place, t->weight);
  if (!moves || !find_cell_gap(s, e, t, from, to)) { return; }
  e->key = t->key;
  e->collider = (int16_t)s->b->collider;
  e->known = m != NULL;
  e->anchor = anchor_of_cell(t, from);
  if (m) {
    e->slides = (uint8_t)m->slides;
    e->before.last = m->force;
  }
  const cloth_vector off = vector_flush_state(vector_subtract(to, e->anchor));
  const cloth_vector way = vector_flush_work(rotate(s->b->end.rotation, off));
  e->offset = vector_flush_work(vector_add_scaled(way, e->normal, negate(flush_work(vector_dot(way, e->normal)))));
  const int is_fast_body = s->b->unknown && e->way > LONG_WAY * s->thickness; /* shorter parts damp slow ones less */
  w->cells++;
  s->is_deep |= e->gap < e->reach - (is_fast_body ? CELL_REACH : 1.0f) * s->thickness; /* inside at all, or by T / 2 */
}

static void add_waiting_triangles(cell_search *s) {
  cell_batch *b = &s->batch;
  if (b->count == 0) { return; }
  choose_points(s->s, b);
  if (s->s->b->unknown) { choose_points_at_end(s->s, b); }
  for (int32_t n = 0; n < b->count; n++) {
    add_triangle(s, &b->triangle[n]);
  }
  b->count = 0;
}

/* A triangle of the present block waits for others. */
static void take_triangle(cell_search *s, int32_t row, int32_t lane, int32_t second) {
  const touch_search *in = s->s;
  const int32_t column = s->block + lane, next = column + 1 < in->a->columns ? column + 1 : 0;
  const int32_t below[3] = {0, second, 1}, right[3] = {0, !second, 1};
  const uint32_t key = cell_key(in->c, in->b->collider, row, column, second);
  if (s->tried >= most_cells_tried(in->c)) {
    workspace_of(in->c)->statistics.overflows++;
    return;
  }
  s->tried++;
  workspace_of(in->c)->cell_searches++;
  cell_triangle *t = &s->batch.triangle[s->batch.count++];
  t->key = key;
  const cell_memory *m = memory_from(s, key);
  t->memory = m && m->key == key ? m : NULL;
  start_weights(t->memory, t->weight);
  t->way_squared = 0.0f;
  for (int32_t n = 0; n < 3; n++) {
    const corner_row *r = &s->row[(row + below[n]) & 1];
    const int32_t k = lane + right[n];
    t->row[n] = row + below[n];
    t->column[n] = right[n] ? next : column;
    t->from[n] = vector_load(VECTORS_OF(r->from), k);
    t->to[n] = vector_load(VECTORS_OF(r->to), k);
    t->distance[n] = r->distance[k];
    t->way_squared = maximum(r->way_squared[k], t->way_squared);
  }
  if (s->batch.count == CLOTH_LANES) { add_waiting_triangles(s); }
}

/* The first and the second triangles of a row of the present block that are remembered, as bits of their cells. */
static void find_remembered(cell_search *s, int32_t row, uint32_t triangles[2]) {
  triangles[0] = triangles[1] = 0;
  if (s->cursor == *cells_remembered(s->s->c)) { return; }
  const uint32_t first = cell_key(s->s->c, s->s->b->collider, row, s->block, 0);
  const cell_memory *end = cell_memories_of(s->s->c) + *cells_remembered(s->s->c);
  for (const cell_memory *m = memory_from(s, first); m && m < end && m->key - first < 2 * TOUCH_LANES; m++) {
    triangles[(m->key - first) % 2] |= 1u << (m->key - first) / 2;
  }
}

/* Leaves those among the first and the second triangles of a row of the present block that may begin to touch. */
CLOTH_SEPARATE void choose_triangles(cell_search *s, const corner_row *above, const corner_row *under,
                                     uint32_t triangles[2]) {
  for (int32_t second = 0; second < 2; second++) {
    uint32_t may = 0;
    for (int32_t k = 0; k < TOUCH_LANES; k += CLOTH_LANES) {
      if (!(triangles[second] >> k & ((1u << CLOTH_LANES) - 1u))) { continue; }
      const corner_block a = corners_at(above, k), c = corners_at(under, k + 1);
      const corner_block b = second ? corners_at(under, k) : corners_at(above, k + 1);
      may |= lanes_bits(may_triangles_touch(s, &a, &b, &c)) << k;
    }
    triangles[second] &= may;
  }
}

/* Searches, as those of particles, that a cell is charged for. */
#define SEARCHES_OF_CELL 2

/* The triangles of a row of the present block: of those with a corner that is near, and those that are remembered. */
CLOTH_SEPARATE void find_cells_of_row(cell_search *s, int32_t row, uint32_t triangles[2], const uint32_t kept[2]) {
  const uint32_t any = triangles[0] | triangles[1] | kept[0] | kept[1], wanted = any | any << 1;
  const corner_row *above = block_corners(s, row, wanted), *under = block_corners(s, row + 1, wanted);
  workspace_of(s->s->c)->searched += s->s->b->searches * SEARCHES_OF_CELL * s->cells;
  choose_triangles(s, above, under, triangles);
  for (uint32_t bits = any; bits; bits &= bits - 1u) {
    const int32_t lane = first_bit(bits);
    if (is_gap(s->s->c, row * s->s->a->columns + s->block + lane, GAP_CELL)) { continue; }
    for (int32_t second = 0; second < 2; second++) {
      if ((triangles[second] | kept[second]) >> lane & 1u) { take_triangle(s, row, lane, second); }
    }
  }
}

/* Sets which rows of cells have corners that are near, or triangles that are remembered. */
static void find_rows_of_cells(cell_search *s) {
  const cell_memory *m = cell_memories_of(s->s->c) + s->cursor;
  const cell_memory *end = cell_memories_of(s->s->c) + *cells_remembered(s->s->c);
  s->first_row = larger_of(s->s->first_near - 1, 0);
  s->end_row = smaller_of(s->s->last_near + 1, s->s->a->rows - 1);
  for (; m < end && collider_of_key(m->key) <= s->s->b->collider; m++) {
    int32_t row, column;
    cell_of_key(s->s->c, m->key, &row, &column);
    if (collider_of_key(m->key) == s->s->b->collider) {
      s->first_row = smaller_of(row, s->first_row);
      s->end_row = larger_of(row + 1, s->end_row);
    }
  }
}

/* Finds the touches of cells with the collider whose particles have been compared. */
CLOTH_SEPARATE void find_cells_of(cell_search *s) {
  find_rows_of_cells(s);
  for (int32_t block = 0; s->first_row < s->end_row && block < cells_along_warp(s->s->c); block += TOUCH_LANES) {
    open_block(s, block);
    uint32_t above, under = near_corners(s, s->first_row);
    for (int32_t row = s->first_row; row < s->end_row; row++) {
      const uint32_t all = (1u << s->cells) - 1u;
      uint32_t kept[2];
      find_remembered(s, row, kept);
      above = under;
      under = near_corners(s, row + 1);
      if (!(above | under | kept[0] | kept[1])) { continue; }
      uint32_t near[2] = {(above | above >> 1 | under >> 1) & all, (above | under | under >> 1) & all};
      find_cells_of_row(s, row, near, kept);
    }
  }
  add_waiting_triangles(s);
}

/* What the search of all colliders but surfaces takes, in the room between passes. */
typedef struct solid_search {
  touch_search s;
  cell_search cells;
  touched_body body;
  float edge_squared;    /* of the longest edge of a cell [m^2]; below 0: not known */
  corner_row corners[2]; /* used once that is known */
} solid_search;

LAYOUT_CONTRACT(solid_search_has_room, sizeof(solid_search) <= ROOM_BYTES);

CLOTH_ONCE solid_search *start_solids(const cloth *c, const substep_terms *t) {
  solid_search *search = (solid_search *)room_between_passes(c);
  clear_room(c, offsetof(solid_search, corners));
  start_search(c, &search->s, &search->body);
  search->edge_squared = -1.0f;
  search->cells.s = &search->s;
  search->cells.row = search->corners;
  search->s.push = c->settings.integration.max_push_speed * t->h;
  return search;
}

CLOTH_ONCE void find_touches_of_solid(solid_search *search, const position_box *held) {
  touch_search *s = &search->s;
  const float thickness = s->thickness;
  const int has_cells = is_met_by_cells(s->c, s->b, thickness);
  search->body.is_buried = s->b->unknown ? 0 : find_reach(s->c, s->b, held); /* a body is held by its pins */
  s->beyond = 2.0f * thickness;
  s->beside = -FAR_GAP;
  if (has_cells) {
    if (search->edge_squared < 0.0f) {
      search->edge_squared = longest_edge_squared(s->a);
      fill_zero(search->corners, sizeof search->corners); /* lanes are loaded that hold no corner */
    }
    s->beside = nearest_corner(s->b, thickness, search->edge_squared);
    s->beyond = maximum(s->beside, s->beyond);
  }
  find_touches_of(s);
  leave_attached(s->c, s->a, s->b->collider);
  if (has_cells) {
    const int32_t first = workspace_of(s->c)->cells;
    find_cells_of(&search->cells);
    if (s->b->unknown && s->b->shape->shape == CLOTH_SHAPE_SPHERE) { yield_edges(s->c, s->a, s->b, first); }
  }
}

/* Finds the touches of particles and cells with all colliders but surfaces in a substep. Returns 1 if one would
   be farther inside than the law is thick. */
CLOTH_SEPARATE int32_t find_touches(const cloth *c, const substep_terms *t, const touch_bounds *bounds) {
  const float thickness = contact_thickness(c);
  solid_search *search = start_solids(c, t);
  for (int32_t index = 0; index < collider_end(c); index++) {
    if (!is_solid_at(c, index) || !is_ball_near(c, index, &bounds->all, thickness)) { continue; }
    workspace_of(c)->may_run_away = 1;
    take_touched_body(c, t, index, &search->body);
    if (is_plane_near(&search->body, &bounds->all, thickness)) { find_touches_of_solid(search, &bounds->held); }
  }
  const int32_t is_deep = search->s.is_deep;
  clear_room(c, search->edge_squared < 0.0f ? offsetof(solid_search, corners) : sizeof *search);
  return is_deep;
}
