#pragma once
#include "compiler.h"
#include "gaps.h"
#include "lanes.h"
#include "scalar.h"
#include "self_batches.h"
#include "self_cull.h"
#include "self_leaves.h"
#include "self_tree.h"
#include "self_untangle.h"
#include "types.h"

/// Contact of edges ///

#if WITH_SELF

/*
 * Where a sheet ends there is no triangle beside the last one: an edge of a rim can pass another edge between their
 * particles, although each of these keeps its distance from all triangles. So edges of rims keep the thickness from
 * each other: of the grid, of holes and of tears, within a cloth and between cloths. Two edges are
 * moved apart where they are closest, along their connection, or against it if they have passed each other in the
 * substep. The law is that of particles and triangles, see respond_along().
 *
 * Pairs of edges are found with the candidates, and share their room: blocks of SELF_BATCH pairs, two batches each, lie
 * at the end of it, the last block first. They are treated one by one, as there are few.
 *
 * In: positions at the start of the substep, predicted positions, velocities, mobilities, ages. Out: pairs; predicted
 * positions, velocities, the velocity history of what was moved. Scratch: none.
 */

/* Two edges: the ends of the first, then of the second, with their cloths. */
typedef struct edge_pair {
  const self_body *body[4];
  int32_t particle[4];
} edge_pair;

/* The second end of an edge of the cell of a particle. */
static int32_t edge_end(const self_body *b, int32_t particle, int32_t edge) {
  int32_t corner[4];
  const int32_t row = particle / b->columns;
  find_corners(b, row, particle - row * b->columns, corner);
  return corner[edge_corner[edge]];
}

/* 1 if an edge of a cell exists and has cloth on one side only, or on none. */
CLOTH_INLINE int is_rim(const self_body *b, int32_t row, int32_t column, int32_t edge) {
  const int32_t particle = row * b->columns + column;
  int32_t third[2];
  if (edge == SELF_EDGE_ACROSS || !has_edge(b, row, column, edge)) {
    return 0;
  }
  if (has_gaps(b->c)) {
    return find_faces(b, 4 * particle + edge, third) < 2;
  }
  return edge == SELF_EDGE_ROW ? row == 0 || row + 1 == b->rows
                               : !b->is_wrapped && (column == 0 || column + 1 == b->columns);
}

/* 1 if there may be rims among the edges that a leaf owns: it is at the border of the grid, or one of its cells, or of
   those above and before them, is absent. */
static int may_have_rims(const self_body *b, const self_leaf *leaf) {
  if (leaf->row == 0 || leaf->row + 2 >= b->rows - 1 ||
      (!b->is_wrapped && (leaf->column == 0 || leaf->column + 2 >= b->columns - 1))) {
    return 1;
  }
  const int32_t before = leaf->column > 0 ? -1 : b->columns - 1;
  int is_open = leaf->has_gap;
  for (int32_t n = 0; n < 2 && has_gaps(b->c); n++) {
    is_open |= is_gap(b->c, leaf->first - b->columns + n, GAP_CELL);
    is_open |= is_gap(b->c, leaf->first + n * b->columns + before, GAP_CELL);
  }
  return is_open;
}

/* Boxes around an edge. */
static void find_edge_boxes(const self_body *b, const int32_t end[2], float ahead, self_boxes *box) {
  self_boxes other;
  start_boxes(box, vector_load(b->start, end[0]), place_ahead(b, end[0], ahead));
  start_boxes(&other, vector_load(b->start, end[1]), place_ahead(b, end[1], ahead));
  join_boxes(box, &other);
}

/* 1 if an edge of a pair is no rim of the group, as both of its ends are sewn to something, or if an end of the first
   edge, of cloth a, is sewn to one of the second, of cloth b. */
static int are_sewn_edges(const self_group *g, int32_t a, int32_t b, const int32_t particle[4]) {
#if WITH_SEAMS
  if (!g->sewn) {
    return 0;
  }
  const int32_t *first = g->sewn->number + g->sewn->first[a], *second = g->sewn->number + g->sewn->first[b];
  if ((first[particle[0]] >= 0 && first[particle[1]] >= 0) || (second[particle[2]] >= 0 && second[particle[3]] >= 0)) {
    return 1;
  }
  for (int32_t n = 0; n < 4; n++) {
    if (are_sewn(g->sewn, a, particle[n >> 1], b, particle[2 + (n & 1)])) {
      return 1;
    }
  }
#else
  (void)g;
  (void)a;
  (void)b;
  (void)particle;
#endif
  return 0;
}

/* Share of the product of two squared lengths below which edges count as parallel, sine squared. */
#define EDGE_PARALLEL 1.0e-4f

/* Which pairs of edges, d and e, whose first ends are r apart, are closer than a distance; see find_closest(). */
CLOTH_REPEATED lanes_mask are_closer(lanes3 d, lanes3 e, lanes3 r, float distance) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f), least = lanes_splat(1.0e-14f);
  const lanes x = lanes_maximum(lanes3_dot(d, d), least), y = lanes_maximum(lanes3_dot(e, e), least);
  const lanes across = lanes3_dot(d, e), c = lanes3_dot(d, r), f = lanes3_dot(e, r), product = lanes_multiply(x, y);
  const lanes sine = lanes_subtract(product, lanes_multiply(across, across));
  const lanes_mask skew = lanes_less(lanes_multiply(lanes_splat(EDGE_PARALLEL), product), sine);
  const lanes raw =
      lanes_divide(lanes_subtract(lanes_multiply(across, f), lanes_multiply(c, y)), lanes_select(skew, sine, one));
  lanes s = lanes_select(skew, lanes_minimum(lanes_maximum(raw, zero), one), lanes_splat(0.5f));
  s = lanes_keep(lanes_less(lanes_splat(SELF_LEAST_WEIGHT), s), s);
  lanes t = lanes_divide(lanes_add(lanes_multiply(across, s), f), y);
  t = lanes_minimum(lanes_maximum(t, zero), one);
  t = lanes_keep(lanes_less(lanes_splat(SELF_LEAST_WEIGHT), t), t);
  s = lanes_divide(lanes_subtract(lanes_multiply(across, t), c), x);
  s = lanes_minimum(lanes_maximum(s, zero), one);
  s = lanes_keep(lanes_less(lanes_splat(SELF_LEAST_WEIGHT), s), s);
  lanes3 now = lanes3_add_scaled(lanes3_add_scaled(r, d, s), e, lanes_negate(t));
  now = lanes3_quantise(now, STATE_ROUNDER);
  return lanes_less(lanes3_dot(now, now), lanes_splat(distance * distance));
}

#if WITH_SEAMS

/* 1 if two edges of cloths a and b are nearer than a distance as a substep starts. */
static int are_edges_near(const self_body *a, const self_body *b, const int32_t particle[4], float distance) {
  const cloth_vector from = vector_load(a->start, particle[0]), other = vector_load(b->start, particle[2]);
  const lanes3 d = lanes3_splat(exact_difference(vector_load(a->start, particle[1]), from));
  const lanes3 e = lanes3_splat(exact_difference(vector_load(b->start, particle[3]), other));
  return lanes_bits(are_closer(d, e, lanes3_splat(exact_difference(from, other)), distance)) != 0;
}

#endif

/* 1 if two edges of cloths a and b were sewn, and one of them is not any more. Keeps that in mind if they are near. */
CLOTH_SEPARATE int were_sewn_edges(const self_group *g, int32_t a, int32_t b, const int32_t particle[4]) {
#if WITH_SEAMS
  int were_sewn = 0;
  for (int32_t n = 0; n < 4; n++) {
    were_sewn |= were_sewn_together(g, a, particle[n >> 1], b, particle[2 + (n & 1)]);
  }
  if (!were_sewn) {
    return 0;
  }
  const int is_near = are_edges_near(&g->bodies[a], &g->bodies[b], particle, pair_between(g, a, b).thickness);
  for (int32_t n = 0; n < 4 && is_near; n++) {
    note_near(&g->bodies[n < 2 ? a : b], particle[n]);
  }
  return 1;
#else
  (void)g;
  (void)a;
  (void)b;
  (void)particle;
  return 0;
#endif
}

/* Where block n of pairs of edges starts: the first edges are in that batch, the second ones in the next. */
CLOTH_INLINE int32_t edge_block(const self_group *g, int32_t n) {
  return g->max_batches - 2 * (n + 1);
}

/* The block in which there is room for another pair of edges of two cloths, or -1. */
static int32_t open_edge_block(self_search *s, uint32_t tag) {
  const self_group *g = s->group;
  if (s->edge_blocks > 0 && s->edges_filled < SELF_BATCH && s->edge_tag == tag) {
    return edge_block(g, s->edge_blocks - 1);
  }
  if (s->is_full || s->batches + 2 * (s->edge_blocks + 1) > g->max_batches) {
    s->is_full = 1;
    return -1;
  }
  const int32_t block = edge_block(g, s->edge_blocks++);
  fill_zero(&g->batches[block], 2 * sizeof(self_batch));
  if (g->tags) {
    g->tags[block] = (uint16_t)tag;
  }
  s->edges_filled = 0;
  s->edge_tag = tag;
  return block;
}

static void add_edge_pair(self_search *s, int32_t a, int32_t b, const int32_t particle[4]) {
  const uint32_t tag = (uint32_t)a << 8 | (uint32_t)b;
  const int32_t block = open_edge_block(s, tag);
  s->pairs++;
  if (block < 0) {
    s->dropped++;
    return;
  }
  self_batch *batch = &s->group->batches[block];
  const int32_t n = s->edges_filled++;
  batch[0].particle[n] = (uint16_t)particle[0];
  batch[0].cell[n] = (uint16_t)particle[1];
  batch[1].particle[n] = (uint16_t)particle[2];
  batch[1].cell[n] = (uint16_t)particle[3];
  if (s->group->candidates) {
    count_both(s->group->candidates, tag, 1);
  }
}

/* Which places of a leaf own edges that may come near a rim with these boxes: bits. */
static uint32_t edges_near(const self_leaf *leaf, const self_boxes *box, float reach) {
  const float *v = box->value;
  const float low[SELF_PLACES] = {v[0], v[1], v[2], v[6], v[7], v[8]};
  const float high[SELF_PLACES] = {negate(v[3]), negate(v[4]),  negate(v[5]),
                                   negate(v[9]), negate(v[10]), negate(v[11])};
  return places_near(leaf, low, high, reach);
}

/* 1 if an edge of a rim of cloth a makes no pair with an edge of cloth b: they share a particle, or are sewn. Edges
   that share none are more than half a spacing apart at rest, so that contact leaves them alone there. */
static int is_no_pair(const self_group *g, int32_t a, int32_t b, const int32_t particle[4]) {
  for (int32_t k = 0; k < 4 && a == b; k++) {
    if (particle[k >> 1] == particle[2 + (k & 1)]) {
      return 1;
    }
  }
  return are_sewn_edges(g, a, b, particle) || were_sewn_edges(g, a, b, particle);
}

/* Pairs of an edge of a rim of cloth a and those of the rims in a leaf of cloth b. */
static void pair_rim(self_search *s, int32_t a, int32_t b, const int32_t rim[2], const self_leaf *leaf) {
  const self_body *first = &s->group->bodies[a], *second = &s->group->bodies[b];
  self_boxes box, other;
  find_edge_boxes(first, rim, s->ahead, &box);
  s->edges_tested++;
  if (are_apart(&box, &second->level[0].nodes[leaf->number].boxes, s->reach)) {
    return;
  }
  const uint32_t near = edges_near(leaf, &box, s->reach);
  for (int32_t n = 0; near >> (n >> 1); n++) {
    const int32_t cell = n >> 1, edge = n & 1, row = leaf->row + (cell >> 1);
    const int32_t from = leaf_particle(second, leaf, cell), column = leaf->column + (cell & 1);
    if (!(near >> cell & 1u) || !is_rim(second, row, column, edge)) {
      continue;
    }
    const int32_t particle[4] = {rim[0], rim[1], from, edge_end(second, from, edge)};
    s->edges_tested++;
    find_edge_boxes(second, particle + 2, s->ahead, &other);
    if (!are_apart(&box, &other, s->reach) && !is_no_pair(s->group, a, b, particle)) {
      add_edge_pair(s, a, b, particle);
    }
  }
}

/* Pairs of edges of the rims in a leaf of cloth a and in a leaf of cloth b. */
static void pair_rims(self_search *s, int32_t a, int32_t b, const self_leaf *first, const self_leaf *second) {
  const self_body *body = &s->group->bodies[a];
  for (int32_t n = 0; n < 2 * SELF_CELLS; n++) {
    const int32_t edge = n & 1, cell = n >> 1;
    if ((first->particles >> cell & 1u) && is_rim(body, first->row + (cell >> 1), first->column + (cell & 1), edge)) {
      const int32_t from = leaf_particle(body, first, cell), rim[2] = {from, edge_end(body, from, edge)};
      pair_rim(s, a, b, rim, second);
    }
  }
}

/* Square of the way that two edges move against each other in a substep, over the thickness, from which on they are
   left to the particles: the points where they are closest now say too little about where they were. */
#define EDGE_FASTEST 1.0f

static float unit_share(float value) {
  return flush_small(minimum(maximum(value, 0.0f), 1.0f), SELF_LEAST_WEIGHT);
}

/* Where two edges are closest: shares along them, from 0 to 1. 0 if one of them has no length. */
static int find_closest(const edge_pair *p, float *first, float *second) {
  const int32_t *i = p->particle;
  const cloth_vector from = vector_load(p->body[0]->place, i[0]), other = vector_load(p->body[2]->place, i[2]);
  const cloth_vector d = exact_difference(vector_load(p->body[1]->place, i[1]), from);
  const cloth_vector e = exact_difference(vector_load(p->body[3]->place, i[3]), other);
  const cloth_vector r = exact_difference(from, other);
  const float a = vector_dot(d, d), b = vector_dot(d, e), c = vector_dot(d, r), f = vector_dot(e, r);
  const float square = vector_dot(e, e), product = a * square;
  if (!(a > 1.0e-14f && square > 1.0e-14f && is_finite(product))) {
    return 0;
  }
  const float sine = product - b * b;
  *first = sine > EDGE_PARALLEL * product ? unit_share((b * f - c * square) / sine) : 0.5f;
  const float share = (b * *first + f) / square;
  *second = unit_share(share);
  if (share < 0.0f || share > 1.0f) {
    *first = unit_share((b * *second - c) / a);
  }
  return 1;
}

/* Which of the pairs of a block from `first` on are closer than the thickness, a bit each. */
CLOTH_INLINE uint32_t find_close_edges(const self_body *a, const self_body *b, const self_batch *batch, int32_t first,
                                       float thickness) {
  const lanes3 from = lanes3_pick(a->place, batch[0].particle + first, 0);
  const lanes3 other = lanes3_pick(b->place, batch[1].particle + first, 0);
  const lanes3 d = lanes3_exact_difference(lanes3_pick(a->place, batch[0].cell + first, 0), from);
  const lanes3 e = lanes3_exact_difference(lanes3_pick(b->place, batch[1].cell + first, 0), other);
  return lanes_bits(are_closer(d, e, lanes3_exact_difference(from, other), thickness)) << first;
}

/* Connection of the points of two edges that `weight` says, in multiples of 2^-30 m. */
static cloth_vector find_connection(const edge_pair *p, const float weight[4], int at_start) {
  const self_body *const *body = p->body;
  const cloth_vector from = vector_load(at_start ? body[0]->start : body[0]->place, p->particle[0]);
  cloth_vector sum = vector(0.0f, 0.0f, 0.0f);
  for (int32_t n = 1; n < 4; n++) {
    const cloth_vector at = vector_load(at_start ? body[n]->start : body[n]->place, p->particle[n]);
    sum = vector_add_scaled(sum, exact_difference(at, from), weight[n]);
  }
  return vector(quantise(sum.x, STATE_ROUNDER), quantise(sum.y, STATE_ROUNDER), quantise(sum.z, STATE_ROUNDER));
}

/* How much of a push and of a slip two edges take on: respond_along() for one pair. */
static void find_edge_response(cloth_vector m, cloth_vector n, float push, float friction, cloth_vector response[2]) {
  const float approach = quantise(vector_dot(m, n), WORK_ROUNDER);
  const float stopped = minimum(push, maximum(negate(approach), 0.0f));
  cloth_vector slip = vector_add_scaled(m, n, negate(approach));
  slip = vector(quantise(slip.x, STATE_ROUNDER), quantise(slip.y, STATE_ROUNDER), quantise(slip.z, STATE_ROUNDER));
  const float length = maximum(square_root(vector_dot(slip, slip)), STATE_QUANTUM);
  const float grip = negate(flush_small(minimum(friction * stopped / length, 1.0f), WORK_QUANTUM));
  response[0] = vector_flush_work(vector_add_scaled(vector_scale(n, push), slip, grip));
  response[1] = vector_flush_work(vector_add_scaled(vector_scale(n, stopped), slip, grip));
}

/* Moves two edges apart by their weights and mobilities. Returns 0 if neither can be moved. */
static int move_edges(const edge_pair *p, const float weight[4], const cloth_vector response[2], float inverse_h) {
  float sum = 0.0f;
  for (int32_t n = 0; n < 4; n++) {
    sum += weight[n] * weight[n] * p->body[n]->mobility[p->particle[n]];
  }
  if (!(sum > 1.0e-6f)) {
    return 0;
  }
  for (int32_t n = 0; n < 4; n++) {
    const self_body *b = p->body[n];
    const int32_t i = p->particle[n];
    const float share = weight[n] * b->mobility[i] / sum;
    if (share < 0.0f || share > 0.0f) {
      note_moved(b, i);
      vector_store(b->place, i, vector_add_scaled(vector_load(b->place, i), response[0], share));
      vector_store(b->velocity, i, vector_add_scaled(vector_load(b->velocity, i), response[1], share * inverse_h));
    }
  }
  return 1;
}

/* 1 if two particles or more of two edges are tangled. */
static int are_tangled_edges(const edge_pair *p) {
  int32_t tangled = 0;
  for (int32_t n = 0; n < 4; n++) {
    tangled += is_tangled_age(p->body[n]->ages[p->particle[n]]);
  }
  return tangled >= 2;
}

/* Moves two edges apart if they are too close or have passed each other. Returns 1 if it has, 2 if they had passed. */
static int part_edges(const edge_pair *p, const self_pair *law, float inverse_h) {
  float first, second;
  if (!find_closest(p, &first, &second)) {
    return 0;
  }
  const float weight[4] = {1.0f - first, first, second - 1.0f, negate(second)};
  const float square = law->thickness * law->thickness;
  const cloth_vector now = find_connection(p, weight, 0);
  if (!(vector_dot(now, now) < square) || (law->untangles && are_tangled_edges(p))) {
    return 0;
  }
  const cloth_vector before = find_connection(p, weight, 1), m = vector_subtract(now, before);
  if (vector_dot(m, m) > EDGE_FASTEST * square) {
    return 0;
  }
  const int is_inside = first > 0.0f && first < 1.0f && second > 0.0f && second < 1.0f;
  const int passed = is_inside && vector_dot(now, before) < 0.0f;
  const cloth_vector n = self_unit(passed ? vector_scale(now, -1.0f) : now);
  const float push = quantise(law->thickness - vector_dot(now, n), WORK_ROUNDER);
  cloth_vector response[2];
  find_edge_response(m, n, push, law->friction, response);
  return push > 0.0f && move_edges(p, weight, response, inverse_h) ? 1 + passed : 0;
}

#endif
