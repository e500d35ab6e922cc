#pragma once
#include "../compiler.h"
#include "../lanes.h"
#include "../scalar.h"
#include "../solve/members.h"
#include "../types.h"
#include "features.h"
#include "leaves.h"
#include "nearest.h"
#include "through.h"
#include "tree.h"
#include "untangle.h"

/// Candidates of contact of cloth with cloth ///

#if WITH_SELF

/*
 * Which features of two cells may touch until candidates are looked for again: each particle with the triangles of the
 * other cell, and each edge with its edges; or, of spheres, the two particles. Pairs of cells wait until there are
 * SELF_BATCH of them, whatever the lanes, as a full list ends a search. Kept is what comes nearer now than the
 * thickness, a skin, and FASTER_WAY times the largest way of corners relative to each other. Features that share a
 * particle, or particles that are sewn together, do not touch.
 *
 * Pairs of particles and triangles fill the list of candidates from the front, pairs of edges from the back, each in
 * the order in which the cells are visited.
 *
 * In: positions, velocities. Out: candidates. Scratch: none.
 */

/* How two cloths of a group touch each other, or one touches itself. */
typedef struct self_pair {
  float thickness; /* distance that they keep [m]; 0: they pass through each other */
  float friction;
  int32_t untangles; /* 1: contact is released where they are tangled */
  int32_t is_round;  /* 1: particles touch particles; 0: triangles */
} self_pair;

/* Labels of a particle that is sewn: of the particles that it is one with, and of those that it lies between; -1: none.
 */
#define SEWN_LABELS 3

/* Which particles of a group are sewn together: neither of two that have a label in common touches a triangle of the
   other, nor passes through one. */
typedef struct sewn_labels {
  int32_t first[CLOTH_GROUP_LIMIT]; /* of each cloth: where its particles begin in `number` */
  int32_t *number;                  /* of each particle of the group: its number among the sewn ones, or -1 */
  int32_t (*label)[SEWN_LABELS];    /* of each sewn particle */
} sewn_labels;

/* Cloths that feel each other, or one that feels itself, and the room for what is found. */
struct self_group {
  self_body *bodies;
  int32_t count;
  const self_pair *pairs; /* of cloths a and b at a * count + b; NULL for a single cloth */
  int32_t *candidates;    /* of each cloth, found by the last gather; NULL for a single cloth */
  int32_t *touching;      /* and those that press in the last part */
  pair_key *keys;         /* candidates */
  pair_element *elements; /* what touches in a part, see pairs.h */
  self_intersection *intersections;
  self_visit *visits;
  int32_t max_candidates, max_elements, max_intersections, max_visits, max_leaf_visits;
  self_workspace *found;
  const sewn_labels *sewn; /* NULL without seams */
};

/* Cells of pairs that wait. */
typedef struct cell_queue {
  int32_t count, a, b; /* the cloths of the first and of the second cells */
  int32_t corner[2][4][SELF_BATCH];
  uint32_t has[2][SELF_BATCH]; /* which kinds of features there are, a bit each */
  float place[2][4][3][SELF_BATCH], way[2][4][3][SELF_BATCH];
} cell_queue;

/* A gather under way. */
typedef struct self_search {
  const self_group *group;
  float ahead;                       /* time that it looks ahead [s] */
  float near;                        /* share of what is beyond the thickness that it looks for */
  float thickness;                   /* of the two cloths under way, ... */
  float skin;                        /* ... how far beyond it looks at least, ... */
  float reach;                       /* ... both together [m] ... */
  int32_t is_round;                  /* ... and 1 if they touch as spheres */
  uint16_t meets[CLOTH_GROUP_LIMIT]; /* of each cloth: which others it has candidates with, a bit each */
  float fastest;                     /* largest way of candidates relative to each other [m] */
  cell_queue queue;
  self_crossings crossings[2];
  int32_t crossing_count[2];
  self_leaf leaf[2]; /* of the last visit to leaves */
  int32_t faces, edges, cells, dropped, intersections, visits, leaf_visits, crossed, is_full;
  int32_t has_sewn; /* 1: particles are sewn, or were and have not come apart since */
  int32_t is_last;  /* 1: what there is no room for is left out; 0: the attempt ends there */
} self_search;

/* How cloths a and b of a group touch. */
static self_pair pair_between(const self_group *g, int32_t a, int32_t b) {
  if (g->pairs) {
    return g->pairs[a * g->count + b];
  }
  const self_settings *settings = self_settings_of(g->bodies[0].c);
  const self_pair pair = {settings->thickness, settings->friction, settings->untangle,
                          settings->shape == CLOTH_SELF_SPHERES};
  return pair;
}

/* The number of the lowest bit of 32: that bit times this constant has the entry to read in its highest five bits, any
   five successive ones of which differ from all others (de Bruijn). */
#define FIRST_BIT_FACTOR 0x077cb531u
CLOTH_CONSTANT static const uint8_t first_bits[32] = {0,  1,  28, 2,  29, 14, 24, 3, 30, 22, 20, 15, 25, 17, 4,  8,
                                                      31, 27, 13, 23, 21, 19, 16, 7, 26, 12, 18, 6,  11, 5,  10, 9};

/* The number of the lowest bit that is set, of one or more. */
CLOTH_INLINE int32_t first_bit(uint32_t bits) {
  return first_bits[(bits & (0u - bits)) * FIRST_BIT_FACTOR >> 27];
}

/// Particles that are sewn ///

#if WITH_SEAMS

/* 1 if a particle of cloth a and one of cloth b are sewn together. */
static int are_sewn(const sewn_labels *sewn, int32_t a, int32_t particle, int32_t b, int32_t other) {
  const int32_t p = sewn->number[sewn->first[a] + particle], q = sewn->number[sewn->first[b] + other];
  for (int32_t n = 0; p >= 0 && q >= 0 && n < SEWN_LABELS; n++) {
    for (int32_t k = 0; k < SEWN_LABELS; k++) {
      if (sewn->label[p][n] >= 0 && sewn->label[p][n] == sewn->label[q][k]) {
        return 1;
      }
    }
  }
  return 0;
}

/*
 * Where a seam is opened, all is closer together than the thickness, and which side of what it is on is rounding. So
 * particles that were sewn go on not to touch triangles with a corner that was, whichever, and so do edges with an end
 * each, until a gather finds them the thickness apart from all of these. SELF_SEWN of their ages says so. While there
 * are such particles, `moved` of those that a gather has found near is 1, from the gather to the end of it.
 */

/* 1 if a particle of cloth a and one of cloth b were sewn, and one of them is not any more. */
static int were_sewn_together(const self_group *g, int32_t a, int32_t particle, int32_t b, int32_t other) {
  const sewn_labels *sewn = g->sewn;
  return (g->bodies[a].ages[particle] & g->bodies[b].ages[other] & SELF_SEWN) &&
         !(sewn && sewn->number[sewn->first[a] + particle] >= 0 && sewn->number[sewn->first[b] + other] >= 0);
}

CLOTH_INLINE void note_near(const self_body *b, int32_t particle) {
  b->moved[particle] = 1;
}

#endif

/// Pairs of features ///

/* A feature of a cell that waits, and its corners among the cell's. */
CLOTH_INLINE int32_t corner_particle(const cell_queue *q, int32_t side, int32_t kind, int32_t n, int32_t lane) {
  return q->corner[side][feature_corner[kind][n]][lane];
}

/* 1 if two features have a particle in common, or particles that are sewn together, or were. */
static int are_joined_features(const self_search *s, const int32_t kind[2], int32_t lane) {
  const cell_queue *q = &s->queue;
  for (int32_t n = 0; n < feature_corners[kind[0]]; n++) {
    for (int32_t k = 0; k < feature_corners[kind[1]]; k++) {
      const int32_t i = corner_particle(q, 0, kind[0], n, lane), j = corner_particle(q, 1, kind[1], k, lane);
      if (q->a == q->b && i == j) {
        return 1;
      }
#if WITH_SEAMS
      if (s->has_sewn && s->group->sewn && are_sewn(s->group->sewn, q->a, i, q->b, j)) {
        return 1;
      }
      if (s->has_sewn && were_sewn_together(s->group, q->a, i, q->b, j)) {
        note_near(&s->group->bodies[q->a], i);
        note_near(&s->group->bodies[q->b], j);
        return 1;
      }
#endif
    }
  }
  return 0;
}

/* 1 if two cells that wait share a corner, or may be sewn together. */
static int are_near_cells(const self_search *s, int32_t lane) {
  const cell_queue *q = &s->queue;
  if (s->has_sewn) {
    return 1;
  }
  for (int32_t n = 0; q->a == q->b && n < 4; n++) {
    for (int32_t k = 0; k < 4; k++) {
      if (q->corner[0][n][lane] == q->corner[1][k][lane]) {
        return 1;
      }
    }
  }
  return 0;
}

/* The feature of a kind of a cell that waits. */
static uint32_t waiting_feature(const self_search *s, int32_t side, int32_t kind, int32_t lane) {
  const cell_queue *q = &s->queue;
  const int32_t number = side ? q->b : q->a, first = q->corner[side][0][lane];
  const self_body *b = &s->group->bodies[number];
  const int32_t row = first / b->columns, column = first - row * b->columns;
  const uint32_t cell = feature_of(number, b->is_wrapped && column + 1 == b->columns, row, column);
  return feature_with_kind(cell, kind);
}

/* Adds a pair of features, the one of the side `first` first. */
static void add_candidate(self_search *s, const int32_t kind[2], int32_t first, int32_t lane) {
  const self_group *g = s->group;
  if (s->faces + s->edges == g->max_candidates) {
    s->is_full = 1;
    s->dropped++;
    return;
  }
  const pair_key key = {waiting_feature(s, first, kind[first], lane),
                        waiting_feature(s, 1 - first, kind[1 - first], lane)};
  const int32_t is_edge = kind[0] >= FEATURE_WARP;
  g->keys[is_edge ? g->max_candidates - 1 - s->edges : s->faces] = key;
  s->faces += !is_edge;
  s->edges += is_edge;
  s->meets[s->queue.a] |= (uint16_t)(1u << s->queue.b);
  s->meets[s->queue.b] |= (uint16_t)(1u << s->queue.a);
  if (g->candidates) {
    g->candidates[s->queue.a]++;
    g->candidates[s->queue.b] += s->queue.a != s->queue.b;
  }
}

/// The test ///

/* The cells that wait, in lanes: relative to the first corner of the first one. */
typedef struct cell_lanes {
  lanes3 corner[2][4], way[2][4];
  lanes reach; /* [m] */
  lanes slack; /* shares of an edge beyond its ends */
} cell_lanes;

/* Times the largest way of corners relative to each other that candidates may be farther apart: they do not turn that
   fast. */
#define FASTER_WAY 1.2f
/* Shares of an edge by which the nearest point of another may lie beyond its end. */
#define EDGE_SLACK 0.15f

/* Loads a vector of the cells that wait, from number `k` on. */
CLOTH_INLINE lanes3 waiting_vector(float from[3][SELF_BATCH], int32_t k) {
  return lanes3_of(lanes_load(from[0] + k), lanes_load(from[1] + k), lanes_load(from[2] + k));
}

/* The square of the largest way of a corner of the first cell relative to one of the second. */
CLOTH_INLINE lanes largest_square_way(const cell_lanes *c) {
  lanes most = lanes_splat(0.0f);
  for (int32_t n = 0; n < 4; n++) {
    for (int32_t k = 0; k < 4; k++) {
      const lanes3 way = lanes3_subtract(c->way[0][n], c->way[1][k]);
      most = lanes_maximum(lanes3_dot(way, way), most);
    }
  }
  return most;
}

/* Loads the cells that wait from number `k` on. Returns the largest ways of corners relative to each other [m]. */
CLOTH_SEPARATE lanes load_cells(self_search *s, int32_t k, cell_lanes *c) {
  cell_queue *q = &s->queue;
  const float spacing = minimum(s->group->bodies[q->a].spacing, s->group->bodies[q->b].spacing);
  const lanes3 origin = waiting_vector(q->place[0][0], k);
  for (int32_t side = 0; side < 2; side++) {
    for (int32_t n = 0; n < 4; n++) {
      const lanes3 place = waiting_vector(q->place[side][n], k);
      c->corner[side][n] = lanes3_exact_difference(place, origin);
      c->way[side][n] = lanes3_quantise(waiting_vector(q->way[side][n], k), STATE_ROUNDER);
    }
  }
  const lanes way = lanes_square_root(largest_square_way(c)), near = lanes_splat(s->near);
  const lanes beyond = lanes_add(lanes_splat(s->skin), lanes_multiply(way, lanes_splat(FASTER_WAY)));
  c->reach = lanes_add(lanes_splat(s->thickness), lanes_multiply(beyond, near));
  c->slack = lanes_multiply(lanes_add(lanes_splat(EDGE_SLACK), lanes_divide(way, lanes_splat(spacing))), near);
  return way;
}

/* Which lanes have a square of a distance within the reach. */
CLOTH_INLINE lanes_mask is_in_reach(const cell_lanes *c, lanes square) {
  return lanes_less(square, lanes_multiply(c->reach, c->reach));
}

/* Which first corners of side `side` come near a triangle of the other cell. */
CLOTH_SEPARATE uint32_t faces_near(const cell_lanes *c, int32_t side, int32_t triangle) {
  const lanes3 *corner = c->corner[1 - side];
  const lanes3 p = lanes3_subtract(c->corner[side][0], corner[0]);
  const int8_t *later = feature_corner[triangle];
  const triangle_place t = place_over_triangle(p, lanes3_subtract(corner[later[1]], corner[0]),
                                               lanes3_subtract(corner[later[2]], corner[0]));
  const lanes apart = lanes3_dot(t.apart, t.apart);
  return lanes_bits(is_in_reach(c, lanes_select(t.inside, lanes_multiply(t.height, t.height), apart)));
}

/* Which edges of two kinds come near each other. */
CLOTH_SEPARATE uint32_t edges_near(const cell_lanes *c, int32_t kind, int32_t other) {
  const lanes3 *first = c->corner[0], *second = c->corner[1];
  const lanes3 a = lanes3_subtract(first[feature_corner[kind][1]], first[0]);
  const lanes3 b = lanes3_subtract(second[feature_corner[other][1]], second[0]);
  const edge_places e = places_on_edges(lanes3_subtract(first[0], second[0]), a, b);
  const lanes least = lanes_negate(c->slack), most = lanes_add(c->slack, lanes_splat(1.0f));
  lanes_mask near = is_in_reach(c, lanes3_dot(e.within_apart, e.within_apart));
  near = lanes_both(near, lanes_less(least, lanes_minimum(e.first, e.second)));
  near = lanes_both(near, lanes_less(lanes_maximum(e.first, e.second), most));
  return lanes_bits(near);
}

/* Which first corners come near each other. */
CLOTH_INLINE uint32_t points_near_each_other(const cell_lanes *c) {
  const lanes3 apart = lanes3_subtract(c->corner[0][0], c->corner[1][0]);
  return lanes_bits(is_in_reach(c, lanes3_dot(apart, apart)));
}

/* Pairs of kinds of features, which side is first, and which lanes are near. */
enum { PAIR_KINDS = 13 };
CLOTH_CONSTANT static const int8_t pair_kinds[PAIR_KINDS][3] = {
    {FEATURE_PARTICLE, FEATURE_UPPER, 0}, {FEATURE_PARTICLE, FEATURE_LOWER, 0}, {FEATURE_UPPER, FEATURE_PARTICLE, 1},
    {FEATURE_LOWER, FEATURE_PARTICLE, 1}, {FEATURE_WARP, FEATURE_WARP, 0},      {FEATURE_WARP, FEATURE_WEFT, 0},
    {FEATURE_WARP, FEATURE_ACROSS, 0},    {FEATURE_WEFT, FEATURE_WARP, 0},      {FEATURE_WEFT, FEATURE_WEFT, 0},
    {FEATURE_WEFT, FEATURE_ACROSS, 0},    {FEATURE_ACROSS, FEATURE_WARP, 0},    {FEATURE_ACROSS, FEATURE_WEFT, 0},
    {FEATURE_ACROSS, FEATURE_ACROSS, 0}};

/* Adds what is near of the pair of cells in a lane. Returns 1 if something is. */
static int add_near_features(self_search *s, const uint32_t near[PAIR_KINDS], int32_t lane) {
  const cell_queue *q = &s->queue;
  const int32_t may_be_joined = are_near_cells(s, lane);
  int any = 0;
  for (int32_t n = 0; n < PAIR_KINDS; n++) {
    const int32_t kind[2] = {pair_kinds[n][0], pair_kinds[n][1]};
    const uint32_t exist = q->has[0][lane] >> kind[0] & q->has[1][lane] >> kind[1] & 1u;
    if ((near[n] >> lane & exist) && !(may_be_joined && are_joined_features(s, kind, lane))) {
      add_candidate(s, kind, pair_kinds[n][2], lane);
      any = 1;
    }
  }
  return any;
}

/* Adds the particles of a pair of cells in a lane, if they are not neighbours. Returns 1 if it did. */
static int add_near_spheres(self_search *s, uint32_t near, int32_t lane) {
  const int32_t kind[2] = {FEATURE_PARTICLE, FEATURE_PARTICLE};
  if (!(near >> lane & 1u)) {
    return 0;
  }
#if WITH_SEAMS
  if (s->has_sewn && are_joined_features(s, kind, lane)) {
    return 0;
  }
#endif
  add_candidate(s, kind, 0, lane);
  return 1;
}

/* Which of the pairs of cells that wait, from number `k` on, are near with which features, bits beside those before. */
CLOTH_SEPARATE void test_lanes(self_search *s, int32_t k, uint32_t near[PAIR_KINDS], float ways[SELF_BATCH]) {
  cell_lanes c;
  lanes_store(ways + k, load_cells(s, k, &c));
  if (WITH_SELF_SPHERES && s->is_round) {
    near[0] |= points_near_each_other(&c) << k;
    return;
  }
  for (int32_t n = 0; n < PAIR_KINDS; n++) {
    const uint32_t bits = n < 2   ? faces_near(&c, 0, pair_kinds[n][1])
                          : n < 4 ? faces_near(&c, 1, pair_kinds[n][0])
                                  : edges_near(&c, pair_kinds[n][0], pair_kinds[n][1]);
    near[n] |= bits << k;
  }
}

/* Makes candidates of what is near in the pairs of cells that wait. */
CLOTH_HOT CLOTH_SEPARATE void test_waiting(self_search *s) {
  uint32_t near[PAIR_KINDS] = {0};
  float ways[SELF_BATCH];
  const int32_t count = s->queue.count;
  for (int32_t k = 0; k < count; k += CLOTH_LANES) {
    test_lanes(s, k, near, ways);
  }
  for (int32_t n = 0; n < count; n++) {
    const int any = s->is_round ? add_near_spheres(s, near[0], n) : add_near_features(s, near, n);
    s->fastest = any ? maximum(ways[n], s->fastest) : s->fastest;
  }
  s->cells += count;
  s->queue.count = 0;
}

/* A cell of a leaf of one side waits in a lane. */
static void put_cell(self_search *s, int32_t side, const self_leaf *leaf, int32_t cell) {
  cell_queue *q = &s->queue;
  const int32_t lane = q->count, row = leaf->row + (cell >> 1), column = leaf->column + (cell & 1);
  const self_body *b = &s->group->bodies[side ? q->b : q->a];
  int32_t corner[4];
  find_corners(b, row, column, corner);
  uint32_t has = (leaf->particles >> cell & 1u) << FEATURE_PARTICLE;
  has |= leaf->cells >> cell & 1u ? 1u << FEATURE_UPPER | 1u << FEATURE_LOWER : 0u;
  for (int32_t edge = 0; edge < SELF_EDGES && !s->is_round; edge++) {
    has |= has_edge(b, row, column, edge) ? 1u << (FEATURE_WARP + edge) : 0u;
  }
  q->has[side][lane] = has;
  for (int32_t n = 0; n < 4; n++) {
    const cloth_vector place = vector_load(b->start, corner[n]);
    const cloth_vector way = vector_scale(vector_load(b->velocity, corner[n]), s->ahead);
    q->corner[side][n][lane] = corner[n];
    q->place[side][n][0][lane] = place.x;
    q->place[side][n][1][lane] = place.y;
    q->place[side][n][2][lane] = place.z;
    q->way[side][n][0][lane] = way.x;
    q->way[side][n][1][lane] = way.y;
    q->way[side][n][2][lane] = way.z;
  }
}

/* Two cells wait: one of a leaf of the first cloth, one of a leaf of the second. */
static void add_cells(self_search *s, const self_leaf *first, int32_t i, const self_leaf *second, int32_t j) {
  put_cell(s, 0, first, i);
  put_cell(s, 1, second, j);
  s->queue.count++;
  if (s->queue.count == SELF_BATCH) {
    test_waiting(s);
  }
}

/* Nothing of cloths a and b waits yet. */
static void clear_waiting(self_search *s, int32_t a, int32_t b) {
  for (int32_t n = 0; n < 2; n++) {
    s->crossing_count[n] = 0;
    s->crossings[n].a = &s->group->bodies[n ? b : a];
    s->crossings[n].b = &s->group->bodies[n ? a : b];
    s->leaf[n].number = -1;
  }
  fill_zero(&s->queue, sizeof s->queue);
  s->queue.a = a;
  s->queue.b = b;
}

#endif
