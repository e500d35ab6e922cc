#pragma once
#include "compiler.h"
#include "lanes.h"
#include "scalar.h"
#include "self_cull.h"
#include "self_leaves.h"
#include "self_spheres.h"
#include "self_tree.h"
#include "self_untangle.h"
#include "triangle_point.h"
#include "types.h"

/// Batches of candidates ///

#if WITH_SELF

/*
 * Cloths that feel each other, a gather under way, and the batches into which it puts the candidates that it finds.
 * Those of a batch share no particle. A candidate goes to the earliest of the last SELF_OPEN batches that has room and
 * none of its particles. Pairs of a particle and a cell wait for their verdict (self_cull.h) until there are
 * SELF_BATCH of them.
 *
 * In: positions, velocities. Out: batches. Scratch: scratch.residual, a word per particle.
 */

/* Batches that are open: as many as an uint32_t has bits. */
#define SELF_OPEN 32

/* How two cloths of a group touch each other, or one touches itself. */
typedef struct self_pair {
  float thickness; /* distance that they keep [m]; 0: they pass through each other */
  float friction;
  int32_t untangles; /* 1: contact is released where they stay tangled */
  int32_t is_round;  /* 1: particles touch particles, see self_spheres.h; 0: triangles */
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
typedef struct self_group {
  self_body *bodies;
  int32_t count;
  self_batch *batches;
  uint16_t *tags;         /* of each batch: the cloths of its particles and cells; NULL for a single cloth */
  const self_pair *pairs; /* of cloths a and b at a * count + b; NULL for a single cloth */
  int32_t *candidates;    /* of each cloth, found by the last gather; NULL for a single cloth */
  int32_t *touching;      /* and those that touched in the last sweep */
  uint8_t *near;          /* of each batch: 1 if the first sweep of the substep has found a particle near a cell */
  self_intersection *intersections;
  self_visit *visits;
  int32_t max_batches, max_intersections, max_visits, max_leaf_visits;
  uint64_t most_work; /* of an attempt to find all candidates */
  self_workspace *found;
  const sewn_labels *sewn; /* NULL without seams */
} self_group;

/* A gather under way. */
typedef struct self_search {
  const self_group *group;
  float skin, ahead;     /* distance beyond the thickness [m], and time [s], that it looks ahead */
  float reach;           /* of the two cloths under way [m] ... */
  int32_t is_round;      /* ... and 1 if they touch as spheres */
  self_pairs waiting[2]; /* for their verdict: particles of the first cloth of those, and of the second */
  self_crossings crossings[2];
  int32_t waiting_count[2], crossing_count[2];
  self_leaf leaf[2];                 /* of the last visit to leaves */
  int32_t edge_blocks, edges_filled; /* of pairs of edges, and how full the last is, see self_rims.h ... */
  uint32_t edge_tag;                 /* ... and its cloths */
  int32_t edges_tested;
  int32_t first_open, batches;
  uint8_t filled[SELF_OPEN]; /* how full each open batch is, at its number modulo SELF_OPEN */
  uint32_t full;             /* which of them have no room left, a bit each at the same number */
  int32_t tested, tested_spheres, round_visits, pairs, dropped, intersections, visits, leaf_visits, crossed, is_full;
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

/* Adds to the counts of the two cloths of a tag, or the one. */
static void count_both(int32_t *counts, uint32_t tag, int32_t more) {
  counts[tag >> 8] += more;
  counts[tag & 255u] += (tag >> 8) != (tag & 255u) ? more : 0;
}

/* Sets the candidates from `first` to `end` - 1 of a batch. */
static void set_candidates(self_batch *batch, int32_t first, int32_t end, int32_t particle, int32_t cell) {
  for (int32_t n = first; n < end; n++) {
    batch->particle[n] = (uint16_t)particle;
    batch->cell[n] = (uint16_t)cell;
  }
}

/* How many candidates a batch has, which are its first. The others repeat the first. A batch of triangles may have
   none: its cell is the last particle of the cloth, which has no cell. */
CLOTH_INLINE int32_t candidates_of(const self_body *cells, int is_round, const self_batch *batch) {
  int32_t count = SELF_BATCH;
  while (count > 1 && batch->cell[count - 1] == batch->cell[0] && batch->particle[count - 1] == batch->particle[0]) {
    count--;
  }
  return count > 1 || is_round || batch->cell[0] != cells->count - 1 ? count : 0;
}

/* The particles of a candidate: the particle, and the corners of the cell; or the other particle, four times. */
static void find_involved(const self_body *cells, int is_round, int32_t particle, int32_t cell, int32_t involved[5]) {
  const int32_t row = cell / cells->columns;
  involved[0] = particle;
  if (is_round) {
    involved[1] = involved[2] = involved[3] = involved[4] = cell;
    return;
  }
  find_corners(cells, row, cell - row * cells->columns, involved + 1);
}

#if WITH_GROUPS && (WITH_SLEEP || WITH_SEAMS)

/* Is a particle of cloth a on no axis farther than `reach` from the box around the corners of a cell of cloth b? */
static int is_candidate_near(const self_body *a, const self_body *b, const int32_t involved[5], float reach) {
  const cloth_vector p = vector_load(a->start, involved[0]);
  cloth_vector low = vector_load(b->start, involved[1]), high = low;
  for (int32_t n = 2; n < 5; n++) {
    const cloth_vector q = vector_load(b->start, involved[n]);
    low = vector(minimum(q.x, low.x), minimum(q.y, low.y), minimum(q.z, low.z));
    high = vector(maximum(q.x, high.x), maximum(q.y, high.y), maximum(q.z, high.z));
  }
  return p.x > low.x - reach && p.y > low.y - reach && p.z > low.z - reach && p.x < high.x + reach &&
         p.y < high.y + reach && p.z < high.z + reach;
}

#endif

static void mark_candidate(const self_body *a, const self_body *b, const int32_t involved[5], uint32_t bit) {
  a->taken[involved[0]] |= bit;
  for (int32_t n = 1; n < 5; n++) {
    b->taken[involved[n]] |= bit;
  }
}

/* Ends an open batch: its bit may stand for another one. */
static void close_batch(self_search *s, int32_t batch) {
  const self_group *g = s->group;
  const uint32_t bit = 1u << (batch & (SELF_OPEN - 1));
  const uint32_t tag = g->tags ? g->tags[batch] : 0u;
  const self_body *a = &g->bodies[tag >> 8], *b = &g->bodies[tag & 255u];
  const int is_round = pair_between(g, (int32_t)(tag >> 8), (int32_t)(tag & 255u)).is_round;
  for (int32_t n = 0; n < s->filled[batch & (SELF_OPEN - 1)]; n++) {
    int32_t involved[5];
    find_involved(b, is_round, g->batches[batch].particle[n], g->batches[batch].cell[n], involved);
    a->taken[involved[0]] &= ~bit;
    for (int32_t k = 1; k < 5; k++) {
      b->taken[involved[k]] &= ~bit;
    }
  }
}

/* Opens another batch. Returns 0 if there is no room for one. */
static int open_batch(self_search *s, uint32_t tag) {
  const self_group *g = s->group;
  if (s->batches + 2 * s->edge_blocks >= g->max_batches) {
    s->is_full = 1;
    return 0;
  }
  if (s->batches - s->first_open == SELF_OPEN) {
    close_batch(s, s->first_open++);
  }
  if (g->tags) {
    g->tags[s->batches] = (uint16_t)tag;
  }
  s->filled[s->batches & (SELF_OPEN - 1)] = 0;
  s->full &= ~(1u << (s->batches & (SELF_OPEN - 1)));
  s->batches++;
  return 1;
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

/* The earliest open batch of a tag that has room and none of the particles that are in the batches `taken`, or the
   number of the next one. */
CLOTH_INLINE int32_t find_batch(const self_search *s, uint32_t taken, uint32_t tag) {
  const uint32_t first = (uint32_t)s->first_open & (SELF_OPEN - 1), used = taken | s->full;
  const int32_t open = s->batches - s->first_open;
  uint32_t left = ~(first ? used >> first | used << (SELF_OPEN - first) : used);
  left &= open < SELF_OPEN ? (1u << open) - 1u : ~0u;
  const uint16_t *tags = s->group->tags;
  while (left && tags && tags[s->first_open + first_bit(left)] != tag) {
    left &= left - 1u;
  }
  return left ? s->first_open + first_bit(left) : s->batches;
}

/* Puts a candidate of cloths a and b into a batch. */
static void add_candidate(self_search *s, int32_t a, int32_t b, int32_t particle, int32_t cell) {
  const self_group *g = s->group;
  const self_body *particles = &g->bodies[a], *cells = &g->bodies[b];
  const uint32_t tag = (uint32_t)a << 8 | (uint32_t)b;
  int32_t involved[5];
  s->pairs++;
  if (s->is_full) {
    s->dropped++;
    return;
  }
  find_involved(cells, s->is_round, particle, cell, involved);
  uint32_t taken = particles->taken[particle];
  for (int32_t n = 1; n < 5; n++) {
    taken |= cells->taken[involved[n]];
  }
  const int32_t batch = find_batch(s, taken, tag);
  if (batch == s->batches && !open_batch(s, tag)) {
    s->dropped++;
    return;
  }
  const uint32_t bit = 1u << (batch & (SELF_OPEN - 1));
  const int32_t place = s->filled[batch & (SELF_OPEN - 1)]++;
  s->full |= place + 1 == SELF_BATCH ? bit : 0u;
  set_candidates(&g->batches[batch], place, place == 0 ? SELF_BATCH : place + 1, particle, cell);
  if (g->candidates) {
    count_both(g->candidates, tag, 1);
  }
  mark_candidate(particles, cells, involved, bit);
}

/* Makes candidates of those of the pairs that wait, of cloths a and b, that may touch. */
static void add_waiting(self_search *s, int32_t a, int32_t b, int32_t queue) {
  self_pairs *p = &s->waiting[queue];
  const int32_t count = s->waiting_count[queue];
  for (int32_t n = count; n < SELF_BATCH; n++) {
    p->particle[n] = p->particle[0];
    p->cell[n] = p->cell[0];
  }
  uint32_t bits = 0;
  if (WITH_SELF_SPHERES && s->is_round) {
    bits = count > 0 ? find_close_spheres(p) : 0u;
    s->tested_spheres += count;
  } else if (WITH_SELF_TRIANGLES) {
    bits = count > 0 ? find_close_pairs(p) : 0u;
    s->tested += count;
  }
  for (int32_t n = 0; n < count; n++) {
    if (bits >> n & 1u) {
      add_candidate(s, a, b, p->particle[n], p->cell[n]);
    }
  }
  s->waiting_count[queue] = 0;
}

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

/* 1 if a particle of cloth a is sewn to a corner of a cell of cloth b. */
static int is_sewn_to_cell(const self_group *g, int32_t a, int32_t b, int32_t particle, int32_t cell) {
  int32_t involved[5];
  if (!g->sewn || g->sewn->number[g->sewn->first[a] + particle] < 0) {
    return 0;
  }
  find_involved(&g->bodies[b], pair_between(g, a, b).is_round, particle, cell, involved);
  for (int32_t n = 1; n < 5; n++) {
    if (are_sewn(g->sewn, a, particle, b, involved[n])) {
      return 1;
    }
  }
  return 0;
}

/*
 * Where a seam is opened, all is closer together than the thickness, and which side of what it is on is rounding. So
 * particles that were sewn go on not to touch triangles with a corner that was, whichever, and so do edges of rims with
 * an end each, until a gather finds them the thickness apart from all of these. SELF_SEWN of their ages says so. While
 * there are such particles, `moved` of those that a gather has found near is 1, from the gather to the end of it.
 */

/* 1 if a particle of cloth a and one of cloth b were sewn, and one of them is not any more. */
static int were_sewn_together(const self_group *g, int32_t a, int32_t particle, int32_t b, int32_t other) {
  const sewn_labels *sewn = g->sewn;
  return (g->bodies[a].ages[particle] & g->bodies[b].ages[other] & SELF_SEWN) &&
         !(sewn && sewn->number[sewn->first[a] + particle] >= 0 && sewn->number[sewn->first[b] + other] >= 0);
}

/* 1 if a particle of cloth a is nearer than `reach` to one of the triangles of a cell of cloth b. */
static int is_cell_near(const self_body *a, const self_body *b, const int32_t involved[5], float reach) {
  int is_near = 0;
  if (!is_candidate_near(a, b, involved, reach)) {
    return 0;
  }
  for (int32_t t = 0; t < 2; t++) {
    const int32_t corner[3] = {0, later_corners[t][0], later_corners[t][1]};
    cloth_vector q[3];
    float weight[3];
    for (int32_t n = 0; n < 3; n++) {
      q[n] = exact_difference(vector_load(b->start, involved[1 + corner[n]]), vector_load(a->start, involved[0]));
    }
    nearest_weights(q, weight);
    const cloth_vector way = weighted_point(q, weight);
    is_near |= vector_dot(way, way) < reach * reach;
  }
  return is_near;
}

CLOTH_INLINE void note_near(const self_body *b, int32_t particle) {
  b->moved[particle] = 1;
}

/* 1 if a particle of cloth a and a corner of a cell of cloth b were sewn, and one of them is not any more. Notes
   whether they are near. */
CLOTH_SEPARATE int was_sewn_to_cell(const self_group *g, int32_t a, int32_t b, int32_t particle, int32_t cell) {
  const self_body *from = &g->bodies[a], *to = &g->bodies[b];
  int32_t involved[5], were_sewn = 0;
  if (!(from->ages[particle] & SELF_SEWN)) {
    return 0;
  }
  const self_pair pair = pair_between(g, a, b);
  find_involved(to, pair.is_round, particle, cell, involved);
  for (int32_t n = 1; n < 5; n++) {
    were_sewn |= were_sewn_together(g, a, particle, b, involved[n]);
  }
  if (were_sewn && is_cell_near(from, to, involved, pair.thickness)) {
    note_near(from, particle);
    for (int32_t n = 1; n < 5; n++) {
      note_near(to, involved[n]);
    }
  }
  return were_sewn;
}

#endif

/* A pair of a particle of cloth a and a cell of cloth b waits for others. */
static void add_pair(self_search *s, int32_t a, int32_t b, int32_t particle, int32_t cell) {
#if WITH_SEAMS
  if (s->has_sewn &&
      (is_sewn_to_cell(s->group, a, b, particle, cell) || was_sewn_to_cell(s->group, a, b, particle, cell))) {
    return;
  }
#endif
  const int32_t queue = a > b;
  self_pairs *p = &s->waiting[queue];
  const int32_t n = s->waiting_count[queue]++;
  p->particle[n] = (uint16_t)particle;
  p->cell[n] = (uint16_t)cell;
  if (n + 1 == SELF_BATCH) {
    add_waiting(s, a, b, queue);
  }
}

/* No pairs of cloths a and b wait yet. */
static void clear_waiting(self_search *s, int32_t a, int32_t b, float along_normal, float aside) {
  for (int32_t queue = 0; queue < 2; queue++) {
    self_pairs *p = &s->waiting[queue];
    p->a = &s->group->bodies[queue ? b : a];
    p->b = &s->group->bodies[queue ? a : b];
    p->time = s->ahead;
    p->along_normal = along_normal;
    p->aside = aside;
    s->waiting_count[queue] = s->crossing_count[queue] = 0;
    s->crossings[queue].a = p->a;
    s->crossings[queue].b = p->b;
    s->leaf[queue].number = -1;
  }
}

#endif
