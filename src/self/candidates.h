#pragma once
#include "../cloth/members.h"
#include "../contact/triangle_place.h"
#include "features.h"
#include "tree.h"

/// Candidates of contact of cloth with cloth ///

/* Which features of two cells may touch until candidates are looked for again: what comes nearer now than the
   thickness, a skin, and FASTER_WAY times the largest way of corners relative to each other. Pairs of cells wait until
   there are SELF_BATCH of them, whatever the lanes. Features that share a particle, or sewn ones, do not touch. In:
   positions, velocities, ages. Out: candidates, intersections, marks in ages. */

/* How two cloths of a group touch each other, or one touches itself. */
typedef struct self_pair {
  float thickness; /* distance that they keep [m]; 0: they pass through each other */
  float friction;
  int32_t untangles; /* 1: contact is released where they are tangled */
  int32_t is_round;  /* 1: particles touch particles; 0: triangles */
} self_pair;

/* Labels of a sewn particle: of those that it is one with, and that it lies between; -1: none. */
#define SEWN_LABELS 3

/* Which particles are sewn: of two with a label in common neither touches, nor passes, a triangle of the other. */
typedef struct sewn_labels {
  int32_t first[CLOTH_GROUP_LIMIT]; /* of each cloth: where its particles begin in `number` */
  int32_t *number;                  /* of each particle of the group: its number among the sewn ones, or -1 */
  int32_t (*label)[SEWN_LABELS];    /* of each sewn particle */
} sewn_labels;

typedef struct self_search self_search;

/* Cloths that feel each other, or one that feels itself, and the room for what is found. */
struct self_group {
  self_body *bodies;
  int32_t count;
  const self_pair *pairs;  /* of cloths a and b at a * count + b */
  int32_t *candidates;     /* of each cloth, found by the last gather */
  int32_t *touching;       /* and those that press in the last part */
  cell_pair *cells;        /* candidates */
  pair_element *elements;  /* what touches in a part, see pairs.h */
  pair_key *intersections; /* an edge and a triangle each */
  self_visit *visits;
  self_search *search; /* this and visits, nodes: during a gather, in the memory of the elements */
  self_layout room;    /* how much of each there may be */
  self_workspace *found;
  const sewn_labels *sewn; /* NULL without seams */
};

/* Pairs of cells that wait: the cloths of the first and of the second cells, and the particles at their corners. */
typedef struct cell_queue {
  int32_t cloth[2], count;
  uint16_t corner[2][4][SELF_BATCH];
  uint16_t has[2][SELF_BATCH]; /* which kinds of features there are, a bit each */
  uint32_t may_cross;          /* which pairs may pass through each other, a bit each */
} cell_queue;

/* A gather under way. */
struct self_search {
  const self_group *group;
  float ahead;                         /* time that it looks ahead [s] */
  float near;                          /* share of what is beyond the thickness that it looks for */
  float thickness;                     /* of the two cloths under way, ... */
  float skin;                          /* ... how far beyond it looks at least, ... */
  float reach;                         /* ... both together [m] ... */
  int32_t is_round;                    /* ... and 1 if they touch as spheres */
  uint16_t meets[CLOTH_GROUP_LIMIT];   /* of each cloth: which others it has candidates with, a bit each */
  float fastest;                       /* largest way of candidates relative to each other [m] ... */
  float fastest_of[CLOTH_GROUP_LIMIT]; /* ... and of those of each cloth */
  cell_queue queue;
  self_leaf leaf[2]; /* of the last visit to leaves */
  int32_t found, candidates, cells, dropped, intersections, visits, leaf_visits, is_full;
  int32_t has_sewn; /* 1: particles are sewn, or were and have not come apart since */
  int32_t is_spent; /* 1: as much has been visited, or tested, as may be */
  int32_t is_last;  /* 1: what there is no room for is left out; 0: the attempt ends there */
};

LAYOUT_CONTRACT(search_fits_into_its_room, sizeof(self_search) <= SELF_SEARCH_BYTES);

/* How cloths a and b of a group touch. */
CLOTH_INLINE const self_pair *pair_between(const self_group *g, int32_t a, int32_t b) {
  return &g->pairs[a * g->count + b];
}

/// Particles that are sewn ///

CLOTH_INLINE int is_sewn(const sewn_labels *sewn, int32_t n, int32_t particle) {
  return sewn && sewn->number[sewn->first[n] + particle] >= 0;
}

static int are_sewn(const sewn_labels *sewn, int32_t a, int32_t particle, int32_t b, int32_t other) {
  if (!is_sewn(sewn, a, particle) || !is_sewn(sewn, b, other)) { return 0; }
  const int32_t *of_one = sewn->label[sewn->number[sewn->first[a] + particle]];
  const int32_t *of_other = sewn->label[sewn->number[sewn->first[b] + other]];
  for (int32_t n = 0; n < SEWN_LABELS * SEWN_LABELS; n++) {
    const int32_t label = of_one[n / SEWN_LABELS];
    if (label >= 0 && label == of_other[n % SEWN_LABELS]) { return 1; }
  }
  return 0;
}

/* 1 if a particle of cloth a and one of cloth b are sewn together, or were. Where a seam is opened, which side of what
   anything is on is rounding. So particles that were sewn, SELF_SEWN, go on not to touch triangles with a corner that
   was, nor their edges each other, until a gather finds them the thickness apart: here it notes that they are near. */
static int stay_sewn(const self_group *g, int32_t a, int32_t particle, int32_t b, int32_t other) {
  const self_body *first = &g->bodies[a], *second = &g->bodies[b];
  if (are_sewn(g->sewn, a, particle, b, other)) { return 1; }
  if (!(first->ages[particle] & second->ages[other] & SELF_SEWN) ||
      (is_sewn(g->sewn, a, particle) && is_sewn(g->sewn, b, other))) {
    return 0;
  }
  first->moved[particle] = second->moved[other] = 1;
  return 1;
}

/// Pairs of features ///

/* 1 if a particle of cloth a and one of cloth b are one, or sewn together, or were. */
static int are_joined_particles(const self_search *s, int32_t a, int32_t i, int32_t b, int32_t j) {
  return (a == b && i == j) || (WITH_SEAMS && s->has_sewn && stay_sewn(s->group, a, i, b, j));
}

/* Which of some pairs of kinds of features of the cells in a lane have joined particles, a bit each. */
static uint32_t find_joined(const self_search *s, uint32_t kinds, int32_t lane) {
  const cell_queue *q = &s->queue;
  uint32_t joined = 0;
  for (int32_t n = 0; n < 4; n++) {
    for (int32_t k = 0; k < 4; k++) {
      const uint32_t with = pairs_with_corners[n][k];
      const int32_t i = q->corner[0][n][lane], j = q->corner[1][k][lane];
      if ((kinds & with) && are_joined_particles(s, q->cloth[0], i, q->cloth[1], j)) { joined |= with; }
    }
  }
  return joined;
}

static uint32_t waiting_cell(const self_search *s, int32_t side, int32_t lane) {
  const int32_t number = s->queue.cloth[side], first = s->queue.corner[side][0][lane];
  const self_body *b = &s->group->bodies[number];
  const int32_t row = first / b->columns, column = first - row * b->columns;
  return cell_of(number, b->is_wrapped && column + 1 == b->columns, row, column);
}

/* Adds candidates of the pair of cells in a lane: pairs of kinds of features, a bit each. */
static void add_candidates(self_search *s, uint32_t kinds, int32_t lane) {
  const self_group *g = s->group;
  const int32_t a = s->queue.cloth[0], b = s->queue.cloth[1];
  int32_t count = 0;
  for (uint32_t left = kinds; left; left &= left - 1u) {
    const int has_room = s->found < g->room.max_cells && s->candidates + count < g->room.max_candidates;
    kinds &= has_room ? ~0u : ~(left & (0u - left));
    count += has_room;
    s->dropped += !has_room;
    s->is_full |= !has_room;
  }
  if (count == 0) { return; }
  const cell_pair pair = {waiting_cell(s, 0, lane) | kinds << CELL_BITS,
                          waiting_cell(s, 1, lane) | kinds >> CELL_KINDS << CELL_BITS};
  g->cells[s->found++] = pair;
  s->candidates += count;
  s->meets[a] |= (uint16_t)(1u << b);
  s->meets[b] |= (uint16_t)(1u << a);
  g->candidates[a] += count;
  g->candidates[b] += a != b ? count : 0;
}

/// Nearest points of edges ///

/* Vectors of particles of which there is an index. */
CLOTH_INLINE lanes3 lanes3_pick(vector_array from, const uint16_t *index) {
  return lanes3_of(lanes_pick(from.x, index), lanes_pick(from.y, index), lanes_pick(from.z, index));
}

/* Nearest points of two edges: along each its share, on the lines and on the edges themselves. */
typedef struct edge_places {
  lanes_mask cross;           /* the edges are not parallel: ... */
  lanes sine_square;          /* ... of the angle between them */
  lanes first, second;        /* on the lines */
  lanes within, other_within; /* on the edges */
  lanes3 apart, within_apart; /* from the second to the first */
} edge_places;

/* Least square of the sine between edges that are not parallel. */
#define LEAST_SINE_SQUARE 1.0e-3f

/* Of the edge from `from` along a and that from the origin along b. */
CLOTH_SEPARATE edge_places places_on_edges(lanes3 from, lanes3 a, lanes3 b) {
  const lanes least = lanes_splat(LEAST_EDGE_SQUARE);
  const lanes aa = lanes_maximum(lanes3_dot(a, a), least), bb = lanes_maximum(lanes3_dot(b, b), least);
  const lanes ab = lanes3_dot(a, b), af = lanes3_dot(a, from), bf = lanes3_dot(b, from);
  const lanes both = lanes_multiply(aa, bb), rest = lanes_subtract(both, lanes_multiply(ab, ab));
  edge_places e;
  e.cross = lanes_less(lanes_multiply(both, lanes_splat(LEAST_SINE_SQUARE)), rest);
  const lanes divisor = lanes_select(e.cross, rest, both);
  e.sine_square = lanes_divide(rest, both);
  e.first = lanes_divide(lanes_subtract(lanes_multiply(ab, bf), lanes_multiply(af, bb)), divisor);
  e.second = lanes_divide(lanes_subtract(lanes_multiply(aa, bf), lanes_multiply(ab, af)), divisor);
  e.first = lanes_flush_below(lanes_keep(e.cross, e.first), LEAST_WEIGHT);
  e.second = lanes_flush_below(lanes_keep(e.cross, e.second), LEAST_WEIGHT);
  e.apart = lanes3_add_scaled(lanes3_add_scaled(from, a, e.first), b, lanes_negate(e.second));
  e.apart = lanes3_quantise(e.apart, STATE_ROUNDER);
  e.within = share_within(e.first);
  e.other_within = share_within(lanes_divide(lanes_add(lanes_multiply(ab, e.within), bf), bb));
  e.within = share_within(lanes_divide(lanes_subtract(lanes_multiply(ab, e.other_within), af), aa));
  e.within_apart = lanes3_add_scaled(lanes3_add_scaled(from, a, e.within), b, lanes_negate(e.other_within));
  e.within_apart = lanes3_quantise(e.within_apart, STATE_ROUNDER);
  return e;
}

/// The test ///

/* The cells that wait, in lanes: relative to the first corner of the first one. */
typedef struct cell_lanes {
  lanes3 corner[2][4], way[2][4];
  lanes reach; /* [m] */
  lanes slack; /* shares of an edge beyond its ends */
} cell_lanes;

/* Times the largest way of corners relative to each other that candidates may be farther apart. */
#define FASTER_WAY 1.2f
/* Shares of an edge by which the nearest point of another may lie beyond its end. */
#define EDGE_SLACK 0.15f

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
CLOTH_SEPARATE lanes load_cells(const self_search *s, int32_t k, cell_lanes *c) {
  const cell_queue *q = &s->queue;
  const self_body *body[2] = {&s->group->bodies[q->cloth[0]], &s->group->bodies[q->cloth[1]]};
  const lanes3 origin = lanes3_pick(body[0]->start, q->corner[0][0] + k);
  for (int32_t side = 0; side < 2; side++) {
    for (int32_t n = 0; n < 4; n++) {
      const uint16_t *corner = q->corner[side][n] + k;
      c->corner[side][n] =
          lanes3_quantise(lanes3_subtract(lanes3_pick(body[side]->start, corner), origin), STATE_ROUNDER);
      const lanes3 way = lanes3_scale(lanes3_pick(body[side]->velocity, corner), lanes_splat(s->ahead));
      c->way[side][n] = lanes3_quantise(way, STATE_ROUNDER);
    }
  }
  const lanes way = lanes_square_root(largest_square_way(c)), near = lanes_splat(s->near);
  const lanes beyond = lanes_add(lanes_splat(s->skin), lanes_multiply(way, lanes_splat(FASTER_WAY)));
  const float spacing = minimum(body[0]->spacing, body[1]->spacing);
  c->reach = lanes_add(lanes_splat(s->thickness), lanes_multiply(beyond, near));
  c->slack = lanes_multiply(lanes_add(lanes_splat(EDGE_SLACK), lanes_divide(way, lanes_splat(spacing))), near);
  return way;
}

CLOTH_INLINE lanes_mask is_in_reach(const cell_lanes *c, lanes square) {
  return lanes_less(square, lanes_multiply(c->reach, c->reach));
}

/* Which first corners of side `side` come near a triangle of the other cell. */
CLOTH_SEPARATE uint32_t faces_near(const cell_lanes *c, int32_t side, int32_t triangle) {
  const lanes3 *corner = c->corner[1 - side];
  const lanes3 p = lanes3_subtract(c->corner[side][0], corner[0]);
  const int8_t *later = later_corners[triangle - FEATURE_UPPER];
  const triangle_place t = place_over_triangle(p, lanes3_subtract(corner[later[0]], corner[0]),
                                               lanes3_subtract(corner[later[1]], corner[0]));
  const lanes apart = lanes3_dot(t.apart, t.apart);
  return lanes_bits(is_in_reach(c, lanes_select(t.inside, lanes_multiply(t.height, t.height), apart)));
}

CLOTH_SEPARATE uint32_t edges_near(const cell_lanes *c, int32_t kind, int32_t other) {
  const lanes3 *first = c->corner[0], *second = c->corner[1];
  const lanes3 a = lanes3_subtract(first[edge_corner[kind - FEATURE_WARP]], first[0]);
  const lanes3 b = lanes3_subtract(second[edge_corner[other - FEATURE_WARP]], second[0]);
  const edge_places e = places_on_edges(lanes3_subtract(first[0], second[0]), a, b);
  const lanes least = lanes_negate(c->slack), most = lanes_add(c->slack, lanes_splat(1.0f));
  lanes_mask near = is_in_reach(c, lanes3_dot(e.within_apart, e.within_apart));
  near = lanes_both(near, lanes_less(least, lanes_minimum(e.first, e.second)));
  near = lanes_both(near, lanes_less(lanes_maximum(e.first, e.second), most));
  return lanes_bits(near);
}

/* Adds what is near of the pair of cells in a lane. Returns 1 if something is. */
static int add_near_features(self_search *s, const uint32_t near[PAIR_KINDS], int32_t lane) {
  const cell_queue *q = &s->queue;
  uint32_t kinds = 0;
  for (int32_t n = 0; n < PAIR_KINDS; n++) {
    const uint32_t exist =
        (uint32_t)q->has[0][lane] >> pair_kinds[n][0] & (uint32_t)q->has[1][lane] >> pair_kinds[n][1];
    kinds |= (near[n] >> lane & exist & 1u) << n;
  }
  if (kinds && (s->has_sewn || q->cloth[0] == q->cloth[1])) { kinds &= ~find_joined(s, kinds, lane); }
  add_candidates(s, kinds, lane);
  return kinds != 0;
}

/// Edges through triangles ///

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

/* Pairs of one of the three edges of a cell and one of the two triangles of another: 2 * edge + triangle. */
#define SELF_CROSSINGS 6

/* 1 if the boxes of some pairs of cells have a point in common. */
CLOTH_SEPARATE int do_cells_meet(const cell_lanes *c) {
  lanes3 low[2], high[2];
  for (int32_t side = 0; side < 2; side++) {
    const lanes3 *p = c->corner[side];
    low[side] = lanes3_minimum(lanes3_minimum(p[0], p[1]), lanes3_minimum(p[2], p[3]));
    high[side] = lanes3_maximum(lanes3_maximum(p[0], p[1]), lanes3_maximum(p[2], p[3]));
  }
  const lanes3 gap = lanes3_maximum(lanes3_subtract(low[0], high[1]), lanes3_subtract(low[1], high[0]));
  return lanes_any(lanes_less(lanes_maximum(gap.x, lanes_maximum(gap.y, gap.z)), lanes_splat(STATE_QUANTUM)));
}

/* Which edges of the cells of side `side` pass through triangles of the others, from pair `k` on: bits beside those
   before. Returns the bits of all. */
CLOTH_SEPARATE uint32_t find_crossings(const cell_lanes *c, int32_t side, int32_t k,
                                       uint32_t crossing[SELF_CROSSINGS]) {
  const lanes3 *edges = c->corner[side], *corner = c->corner[1 - side];
  lanes3 point[4];
  uint32_t found = 0;
  for (int32_t n = 0; n < 4; n++) {
    point[n] = lanes3_subtract(edges[n], corner[0]);
  }
  for (int32_t which = 0; which < SELF_CROSSINGS; which++) {
    const int8_t *later = later_corners[which & 1];
    const lanes3 b = lanes3_subtract(corner[later[0]], corner[0]), d = lanes3_subtract(corner[later[1]], corner[0]);
    found |= crossing[which] |= pass_through(point[0], point[edge_corner[which >> 1]], b, d).through << k;
  }
  return found;
}

/* Which of the pairs of cells that wait, from number `k` on, are near with which features, and which edges pass through
   triangles, bits beside those before. Returns the bits of all. */
CLOTH_SEPARATE uint32_t test_lanes(self_search *s, int32_t k, uint32_t near[PAIR_KINDS],
                                   uint32_t crossing[2 * SELF_CROSSINGS], float ways[SELF_BATCH]) {
  cell_lanes c;
  uint32_t found = 0;
  lanes_store(ways + k, load_cells(s, k, &c));
  if (WITH_SELF_SPHERES && s->is_round) {
    const lanes3 apart = lanes3_subtract(c.corner[0][0], c.corner[1][0]);
    return near[PAIR_OF_PARTICLES] |= lanes_bits(is_in_reach(&c, lanes3_dot(apart, apart))) << k;
  }
  for (int32_t n = 0; n < PAIR_OF_PARTICLES; n++) {
    const uint32_t bits = n < 2   ? faces_near(&c, 0, pair_kinds[n][1])
                          : n < 4 ? faces_near(&c, 1, pair_kinds[n][0])
                                  : edges_near(&c, pair_kinds[n][0], pair_kinds[n][1]);
    found |= near[n] |= bits << k;
  }
  if (WITH_SELF_TRIANGLES && s->queue.may_cross >> k && do_cells_meet(&c)) {
    found |= (find_crossings(&c, 0, k, crossing) | find_crossings(&c, 1, k, crossing + SELF_CROSSINGS));
  }
  return found;
}

CLOTH_INLINE void note_way(self_search *s, float way) {
  s->fastest = maximum(way, s->fastest);
  for (int32_t side = 0; side < 2; side++) {
    float *of_cloth = &s->fastest_of[s->queue.cloth[side]];
    *of_cloth = maximum(way, *of_cloth);
  }
}

/* 1 if an end of the edge and a corner of the triangle are one, or sewn together, or were. */
static int is_joined_meeting(const self_search *s, int32_t a, int32_t b, const uint16_t particle[5]) {
  int is = 0;
  for (int32_t n = 0; n < 6; n++) {
    is |= are_joined_particles(s, a, particle[n / 3], b, particle[2 + n % 3]);
  }
  return is;
}

/* Notes that an edge of a cell in a lane passes through a triangle of the other, if there are such: of edges of the
   second cells, `which` is SELF_CROSSINGS more. */
CLOTH_SEPARATE void note_crossing(self_search *s, int32_t which, int32_t lane) {
  const self_group *g = s->group;
  const cell_queue *q = &s->queue;
  const int32_t side = which >= SELF_CROSSINGS, edge = which % SELF_CROSSINGS >> 1, t = which & 1;
  const int32_t a = q->cloth[side], b = q->cloth[1 - side];
  const uint16_t(*ends)[SELF_BATCH] = q->corner[side], (*corner)[SELF_BATCH] = q->corner[1 - side];
  const uint16_t particle[5] = {ends[0][lane], ends[edge_corner[edge]][lane], corner[0][lane],
                                corner[later_corners[t][0]][lane], corner[later_corners[t][1]][lane]};
  const uint32_t exist = (uint32_t)q->has[side][lane] >> (FEATURE_WARP + edge) &
                         (uint32_t)q->has[1 - side][lane] >> (FEATURE_UPPER + t) & 1u;
  if (!exist || is_joined_meeting(s, a, b, particle)) { return; }
  for (int32_t k = 0; k < 5; k++) {
    g->bodies[k < 2 ? a : b].ages[particle[k]] |= SELF_AGE_MARK;
  }
  if (s->intersections < g->room.max_intersections) {
    g->intersections[s->intersections].first = feature_of(waiting_cell(s, side, lane), FEATURE_WARP + edge);
    g->intersections[s->intersections].second = feature_of(waiting_cell(s, 1 - side, lane), FEATURE_UPPER + t);
  }
  s->intersections++;
}

/* Makes candidates of what is near in the pairs of cells that wait, and finds which edges pass through triangles. */
CLOTH_HOT CLOTH_SEPARATE void test_waiting(self_search *s) {
  uint32_t near[PAIR_KINDS] = {0}, crossing[2 * SELF_CROSSINGS] = {0}, found = 0;
  float ways[SELF_BATCH];
  const int32_t count = s->queue.count;
  for (int32_t k = 0; k < count; k += CLOTH_LANES) {
    found |= test_lanes(s, k, near, crossing, ways);
  }
  for (found &= (1u << count) - 1u; found; found &= found - 1u) {
    const int32_t n = first_bit(found);
    if (add_near_features(s, near, n)) { note_way(s, ways[n]); }
    for (int32_t which = 0; (s->queue.may_cross >> n & 1u) && which < 2 * SELF_CROSSINGS; which++) {
      if (crossing[which] >> n & 1u) { note_crossing(s, which, n); }
    }
  }
  s->cells += count;
  s->queue.may_cross = 0;
  s->queue.count = 0;
}

/* Which edges there are at a particle (row, column) that is the first of no cell, a bit each. */
static uint32_t edges_at_end(const self_body *b, int32_t row, int32_t column) {
  const int32_t i = row * b->columns + column;
  const uint32_t warp = !is_gap(b->c, i, GAP_WARP) && (b->is_wrapped || column + 1 < b->columns);
  const uint32_t weft = !is_gap(b->c, i, GAP_WEFT) && row + 1 < b->rows;
  return warp << FEATURE_WARP | weft << FEATURE_WEFT;
}

static void put_cell(self_search *s, int32_t side, const self_leaf *leaf, int32_t cell) {
  cell_queue *q = &s->queue;
  const int32_t row = leaf->row + (cell >> 1), column = leaf->column + (cell & 1);
  const self_body *b = &s->group->bodies[q->cloth[side]];
  int32_t corner[4];
  find_corners(b, row, column, corner);
  for (int32_t n = 0; n < 4; n++) {
    q->corner[side][n][q->count] = (uint16_t)corner[n];
  }
  uint32_t has = leaf->cells >> cell & 1u ? ALL_FEATURES : edges_at_end(b, row, column);
  has |= (leaf->particles >> cell & 1u) << FEATURE_PARTICLE;
  q->has[side][q->count] = (uint16_t)has;
}

/* Two cells wait: one of a leaf of the first cloth, one of a leaf of the second. */
static void add_cells(self_search *s, const self_leaf *first, int32_t i, const self_leaf *second, int32_t j,
                      uint32_t may_cross) {
  put_cell(s, 0, first, i);
  put_cell(s, 1, second, j);
  s->queue.may_cross |= may_cross << s->queue.count;
  if (++s->queue.count == SELF_BATCH) { test_waiting(s); }
}
