#pragma once
#include "../cloth/costs.h"
#include "candidates.h"
#include "memory.h"
#include "tree.h"

/// Candidates of self-contact ///

/* Finds which cells may touch until candidates are looked for again, and which edges pass through triangles now.
   Pairs of nodes of the trees are visited from the roots down, with a stack; what is apart, or flat together, is
   left out. Where there is no room for all, they are looked for again with less reach, so that the nearest are kept.
   In: positions, velocities, ages. Out: candidates, intersections, ages, memory. Scratch: nodes, visits;
   residual. */

/* Which cells of a leaf are in the columns beside that which is `columns` behind its first one, or in that: bits. */
CLOTH_INLINE uint32_t cells_beside(int32_t columns) {
  return columns >= -1 && columns < 3 ? 0xaff5u >> 4 * (columns + 1) & 15u : 0u; /* the first, both, both, the second */
}

/* Which cells of the second leaf share a particle with cell i of the first: bits. */
static uint32_t adjoining_cells(const self_body *b, const self_leaf *first, int32_t i, const self_leaf *second) {
  const int32_t rows = first->row + (i >> 1) - second->row, columns = first->column + (i & 1) - second->column;
  const uint32_t of_row = rows >= -1 && rows < 3 ? 0xcff3u >> 4 * (rows + 1) : 0u; /* the same for rows */
  uint32_t of_column = cells_beside(columns);
  if (b->is_wrapped) { of_column |= cells_beside(columns - b->columns) | cells_beside(columns + b->columns); }
  return of_row & of_column;
}

/* Pairs of cells of two leaves, or of one, that may come near; of spheres not neighbours in the grid. Neighbours whose
   normals are less than 90 degrees apart do not pass through each other. */
static void pair_near_cells(self_search *s, const self_body *a, const self_leaf *first, const self_leaf *second,
                            int has_neighbours) {
  for (int32_t i = 0; i < SELF_CELLS && first->particles >> i; i++) {
    if (!(first->particles >> i & 1u)) { continue; }
    const leaf_range *range = first->range;
    const float low[SELF_PLACES] = {range[0].low[i], range[1].low[i], range[2].low[i],
                                    range[3].low[i], range[4].low[i], range[5].low[i]};
    const float high[SELF_PLACES] = {range[0].high[i], range[1].high[i], range[2].high[i],
                                     range[3].high[i], range[4].high[i], range[5].high[i]};
    uint32_t bits = places_near(second, low, high, s->reach);
    bits = first == second ? bits & ~((2u << i) - 1u) : bits;
    uint32_t adjoining = bits && has_neighbours ? adjoining_cells(a, first, i, second) : 0u;
    if (s->is_round) { bits &= ~adjoining; }
    if (bits & adjoining) { adjoining &= cells_facing(second, first, i); }
    for (; bits; bits &= bits - 1u) {
      const int32_t j = first_bit(bits);
      add_cells(s, first, i, second, j, ~adjoining >> j & 1u);
    }
  }
}

/* How many columns apart nodes of a level are side by side round a tube; elsewhere none are. */
CLOTH_INLINE int32_t columns_round(const self_body *b, int32_t level) {
  return b->is_wrapped ? b->level[level].columns - 1 : CLOTH_GRID_LIMIT;
}

/* 1 if nodes of a level that are so many rows and columns apart are the same or side by side. */
CLOTH_INLINE int are_beside(int32_t rows, int32_t columns, int32_t round) {
  return rows >= -1 && rows <= 1 && ((columns >= -1 && columns <= 1) || columns == round || columns == -round);
}

/* Two leaves, of the same cloth or of two, or one leaf and itself. */
static void visit_leaves(self_search *s, const self_visit *v) {
  const self_body *a = &s->group->bodies[v->body_a], *b = &s->group->bodies[v->body_b];
  self_leaf *first = &s->leaf[0], *second = a == b && v->a == v->b ? first : &s->leaf[1];
  if (first->number != v->a) { find_leaf(a, v->a, s->ahead, first); }
  if (second->number != v->b) { find_leaf(b, v->b, s->ahead, second); }
  const int32_t rows = (first->row - second->row) / 2, columns = (first->column - second->column) / 2;
  pair_near_cells(s, a, first, second, a == b && are_beside(rows, columns, columns_round(a, 0)));
}

/* Most children of a pair of nodes. */
#define SELF_CHILD_PAIRS 16

/* Replaces a visit by children that are neither apart nor, side by side, flat together. Returns the stack's height. */
static int32_t push_children(self_search *s, const self_visit *v, int32_t height) {
  const self_body *a = &s->group->bodies[v->body_a], *b = &s->group->bodies[v->body_b];
  const int is_same = a == b && v->a == v->b;
  const int splits_a = v->level_a >= v->level_b, splits_b = v->level_b >= v->level_a;
  node_list of_a, of_b;
  list_nodes(a, v->level_a, v->a, splits_a, &of_a);
  list_nodes(b, v->level_b, v->b, splits_b, &of_b);
  const int32_t round = a == b ? columns_round(a, v->level_a - 1) : 0;
  const float reach = s->reach;
  self_visit next = {0, 0, (uint8_t)(v->level_a - splits_a), (uint8_t)(v->level_b - splits_b), v->body_a, v->body_b};
  s->visits += is_same ? of_a.count * (of_a.count + 1) / 2 : of_a.count * of_b.count;
  for (int32_t i = 0; i < of_a.count; i++) {
    const self_node *node = &of_a.level[of_a.number[i]];
    next.a = (uint16_t)of_a.number[i];
    for (int32_t j = is_same ? i : 0; j < of_b.count; j++) {
      const self_node *other = &of_b.level[of_b.number[j]];
      const int32_t rows = of_a.row[i] - of_b.row[j], columns = of_a.column[i] - of_b.column[j];
      if (a == b && are_beside(rows, columns, round) ? are_flat(a, &a->level[next.level_a], &of_a, i, &of_b, j)
                                                     : are_apart(&node->boxes, &other->boxes, reach)) {
        continue;
      }
      CLOTH_ASSERT(height < SELF_VISITS);
      next.b = (uint16_t)of_b.number[j];
      s->group->visits[height++] = next;
    }
  }
  return height;
}

CLOTH_INLINE int is_spent(const self_search *s, int is_leaf) {
  const self_group *g = s->group;
  return is_leaf ? s->leaf_visits == g->room.max_leaf_visits ||
                       s->cells + s->queue.count + SELF_LEAF_PAIRS > g->room.max_tests
                 : s->visits + SELF_CHILD_PAIRS > g->room.max_visits;
}

/* Visits the trees of two cloths, or the tree of one twice. */
static void visit_pair(self_search *s, int32_t a, int32_t b) {
  const self_group *g = s->group;
  self_visit *visits = g->visits;
  const uint8_t top_a = (uint8_t)(g->bodies[a].levels - 1), top_b = (uint8_t)(g->bodies[b].levels - 1);
  const self_visit roots = {0, 0, top_a, top_b, (uint8_t)a, (uint8_t)b};
  int32_t height = 1;
  visits[0] = roots;
  while (height > 0 && (s->is_last || !s->is_full)) {
    const self_visit v = visits[--height];
    const int is_leaf = v.level_a == 0 && v.level_b == 0;
    if (is_spent(s, is_leaf)) {
      s->is_full = s->is_spent = 1;
      s->dropped++;
      return;
    }
    if (is_leaf) {
      s->leaf_visits++;
      visit_leaves(s, &v);
    } else {
      height = push_children(s, &v, height);
    }
  }
}

/* Distance beyond the thickness within which candidates are kept, over the spacing. */
#define SELF_SKIN 0.1f
/* Which share of what is beyond the thickness each attempt looks for: pairs that press are left out last. */
CLOTH_CONSTANT static const float attempt_shares[SELF_ATTEMPTS] = {1.0f, 0.6f, 0.3f, 0.1f, 0.0f};

/* Most of a distance at rest that flat cloth is asked to keep: what is nearer than the reach at rest, in cells that
   lean, would else press itself where it lies flat. */
#define MOST_OF_FLAT 0.9f

/* How much of a distance at rest flat cloth has to keep, so that none of its features come nearer than the reach: those
   without a common particle are at least as far apart as edges across a cell, and as a corner is from the diagonal
   between its neighbours; spheres of no neighbours twice as far as edges. */
static float least_of_flat(const self_group *g, int32_t n) {
  const self_body *b = &g->bodies[n];
  const grid_shape *s = &b->c->grid;
  const self_pair *pair = pair_between(g, n, n);
  const float height = 0.5f / b->per_weft, area = s->spacing_warp * height, across = area / s->spacing_weft;
  const float corner = area / maximum(s->diagonal, s->antidiagonal), edge = minimum(height, across);
  const float nearest = pair->is_round ? 2.0f * edge : minimum(corner, edge);
  return minimum((pair->thickness + SELF_SKIN * b->spacing) / nearest, MOST_OF_FLAT);
}

/* One attempt at all candidates for `time` seconds, within the share `near` of what is beyond the thickness. */
static void search_group(const self_group *g, float time, float near, int32_t is_last, self_search *s) {
  fill_zero(s, sizeof *s);
  s->group = g;
  s->ahead = time;
  s->near = near;
  s->is_last = is_last;
  s->has_sewn = g->sewn || g->found->opened;
  fill_zero(g->candidates, (size_t)g->count * sizeof(int32_t));
  for (int32_t a = 0; a < g->count; a++) {
    build_tree(&g->bodies[a], s->ahead, least_of_flat(g, a));
  }
  for (int32_t a = 0; a < g->count; a++) {
    for (int32_t b = a; b < g->count; b++) {
      const float spacing = minimum(g->bodies[a].spacing, g->bodies[b].spacing);
      const self_pair *pair = pair_between(g, a, b);
      if (!(pair->thickness > 0.0f)) { continue; }
      s->is_round = pair->is_round;
      s->thickness = pair->thickness;
      s->skin = SELF_SKIN * spacing;
      s->reach = s->thickness + s->skin;
      fill_zero(&s->queue, sizeof s->queue);
      s->queue.cloth[0] = a;
      s->queue.cloth[1] = b;
      s->leaf[0].number = s->leaf[1].number = -1;
      visit_pair(s, a, b);
      test_waiting(s);
    }
  }
}

/* The work of an attempt that has found so much, but for its boxes. */
static uint64_t attempt_work(int32_t visits, int32_t leaf_visits, int32_t cells, int32_t candidates) {
  return (uint64_t)(uint32_t)visits * COST_SELF_VISIT + (uint64_t)(uint32_t)leaf_visits * COST_SELF_LEAVES +
         (uint64_t)(uint32_t)cells * COST_SELF_CELLS + (uint64_t)(uint32_t)candidates * COST_SELF_FOUND;
}

/* Charges the work of an attempt. In fixed-work mode its maximum was already charged. */
static void charge_attempt(const self_group *g, const self_search *s) {
  for (int32_t n = 0; n < g->count; n++) {
    add_varying_work(g->bodies[n].c, (uint32_t)g->bodies[n].count, COST_SELF_BOXES);
  }
  add_varying_work(g->bodies[0].c, attempt_work(s->visits, s->leaf_visits, s->cells, s->candidates), 1);
}

/* Ways of candidates relative to each other in a step, over the spacing, from which on they are looked for again in
   every part of a substep, as they do not go straight on; and in a part, which is divided where they are more. */
#define FAST_STEP 2.0f
#define FAST_PART 0.5f

static float shortest_spacing_of(const self_group *g) {
  float spacing = g->bodies[0].spacing;
  for (int32_t n = 1; n < g->count; n++) {
    spacing = minimum(g->bodies[n].spacing, spacing);
  }
  return spacing;
}

/* All attempts to find the candidates of the next `time` seconds, from number `attempt` on, which then is that of the
   last one. `may_stop`: the first is enough where candidates are fast. Returns 1 if there was room for all of the
   first. */
static int search_repeatedly(const self_group *g, float time, int may_stop, int32_t *attempt) {
  cloth_self_statistics *counts = &g->found->statistics;
  self_search *s = g->search;
  const float fast = FAST_PART * shortest_spacing_of(g);
  int is_whole = 1;
  for (;; ++*attempt) {
    const int32_t is_last = *attempt == SELF_ATTEMPTS - 1;
    search_group(g, time, attempt_shares[*attempt], is_last, s);
    counts->gathers++;
    counts->visits += s->visits;
    charge_attempt(g, s);
    is_whole &= !s->is_full;
    if (!s->is_full || s->is_spent || is_last || (may_stop && s->fastest > fast)) { return is_whole; }
  }
}

/* What the first gather of a step says about intersections: how long particles have been part of some. */
static void note_intersections(const self_group *g, const self_search *s) {
  cloth_self_statistics *counts = &g->found->statistics;
  const int crossed = s->intersections > 0;
  counts->intersections = s->intersections;
  update_ages(g, crossed || g->found->opened, s->dropped == 0 && !s->is_full);
  counts->tangled = 0;
  for (int32_t n = 0; crossed && n < g->count; n++) {
    counts->tangled += count_tangled(&g->bodies[n]);
  }
  g->found->has_ages = 1;
}

/* Looks for the candidates of the next `time` seconds. `is_step`: of a whole step. */
CLOTH_SEPARATE void gather_candidates(const self_group *g, float time, int is_step) {
  cloth_self_statistics *counts = &g->found->statistics;
  self_search *s = g->search;
  if (is_step) {
    g->found->opened = WITH_SEAMS && find_sewn(g);
    g->found->has_ages = 0;
  }
  int32_t first = 0;
  const int is_whole = search_repeatedly(g, time, is_step, is_step ? &first : &g->found->attempt);
  g->found->cells = s->found;
  g->found->candidates = s->candidates;
  if (is_step) {
    g->found->fastest = s->fastest / time;
    for (int32_t n = 0; n < g->count; n++) {
      g->found->fastest_of[n] = s->fastest_of[n] / time;
    }
    g->found->is_crowded = !is_whole;
  }
  g->found->intersections = s->intersections < g->room.max_intersections ? s->intersections : g->room.max_intersections;
  copy_memory(g->found->meets, s->meets, sizeof s->meets);
  counts->pairs = s->candidates;
  counts->pairs_dropped += is_step && s->is_full ? 0 : s->dropped;
  if (!g->found->has_ages && (!s->is_full || !is_step)) {
    note_intersections(g, s);
  } else if (s->intersections > 0) {
    clear_age_marks(g);
  }
  sort_memories(g); /* in place of the search */
}

static void place_contact(self_group *g, char *room, const self_layout *l) {
  g->cells = (cell_pair *)(void *)(room + l->cells);
  g->elements = (pair_element *)(void *)(room + l->elements);
  g->intersections = (pair_key *)(void *)(room + l->intersections);
  g->visits = (self_visit *)(void *)(room + l->visits);
  g->search = (self_search *)(void *)(room + l->search);
  g->room = *l;
}

/* A cloth that feels itself, as a group of its own, in its scratch. */
typedef struct single_group {
  self_group group;
  self_body body;
  self_pair pair;
  int32_t candidates, touching;
} single_group;

LAYOUT_CONTRACT(single_group_fits_into_its_room, sizeof(single_group) <= SELF_GROUP_BYTES);

/* Makes the group of a cloth that feels itself, which lasts for a step; NULL of another. */
CLOTH_SEPARATE const self_group *self_group_of(const cloth *c) {
  if (!WITH_SELF || !feels_itself(c)) { return NULL; }
  const self_settings *settings = self_settings_of(c);
  const self_layout layout = self_layout_of(c->count, c->grid.columns, settings->pairs, settings->shape);
  const self_pair pair = {settings->thickness, settings->friction, settings->untangle,
                          settings->shape == CLOTH_SELF_SPHERES};
  const uintptr_t end = c->shared_bytes ? c->scratch.solution + c->shared_bytes : c->total_bytes;
  char *room = (char *)at(c, end - layout.bytes);
  single_group *single = (single_group *)(void *)room;
  self_group *g = &single->group;
  fill_zero(single, sizeof *single);
  g->bodies = &single->body;
  g->count = 1;
  g->found = self_workspace_of(c);
  single->pair = pair;
  g->pairs = &single->pair;
  g->candidates = &single->candidates;
  g->touching = &single->touching;
  place_contact(g, room, &layout);
  self_body_of(c, (self_node *)(void *)(room + layout.nodes), g->bodies);
  return g;
}

/* The longest part of a substep of h seconds, a share, in which fast cloth does not pass cloth: 1, 1/2, or 1/4. */
static float longest_part(const self_group *g, float h, float shortest) {
  const float way = g->found->fastest * h, most = FAST_PART * shortest_spacing_of(g);
  float length = 1.0f;
  while (length > shortest && length * way > most) {
    length *= 0.5f;
  }
  return length;
}

/* Sets the statistics to 0, before a step. */
static void reset_self(const cloth *c) {
  if (WITH_SELF && c->self) { fill_zero(self_workspace_of(c), sizeof(self_workspace)); }
}

static int self_notes(const cloth *c) {
  if (!WITH_SELF || !c->self) { return 0; }
  const cloth_self_statistics *counts = &self_workspace_of(c)->statistics;
  return (counts->pairs_dropped ? CLOTH_NOTE_PAIRS_DROPPED : 0) | (counts->tangled ? CLOTH_NOTE_TANGLED : 0);
}

#if WITH_SELF

int cloth_get_self_statistics(const cloth *c, cloth_self_statistics *statistics) {
  RETURN_IF_ERROR(check_call(c, statistics));
  if (!c->self) { return CLOTH_ERROR_STATE; }
  *statistics = self_workspace_of(c)->statistics;
  return CLOTH_OK;
}

#endif

/// Work of contact of cloth with cloth ///

/* What bounds the work of contact in a step. */
typedef struct contact_bounds {
  uint64_t particles;
  int32_t substeps, parts, iterations; /* parts: of a substep; iterations: of a part */
} contact_bounds;

/* Most work of contact in a step: every part looks for candidates, visits, tests and finds as many as there is room
   for; gathers look again as often as may be; in every part as many touch as there is room for, twice. */
static uint64_t max_contact_work(const self_layout *l, const contact_bounds *b) {
  const uint64_t parts = (uint64_t)(uint32_t)b->parts * (uint32_t)b->substeps;
  const uint64_t attempts = 2u * SELF_ATTEMPTS - 1u + parts;
  const uint64_t attempt =
      b->particles * COST_SELF_BOXES + attempt_work(l->max_visits, l->max_leaf_visits, l->max_tests, l->max_candidates);
  const uint64_t candidates = (uint32_t)l->max_candidates, elements = (uint32_t)l->max_elements;
  const uint64_t part = 2u * candidates * COST_PAIR_SHAPE +
                        elements * (COST_PAIR_LAW + (uint64_t)(uint32_t)b->iterations * COST_PAIR_PRODUCT) +
                        (uint64_t)(uint32_t)l->max_intersections * COST_SELF_CONTOUR;
  return attempts * attempt + b->particles * COST_SELF_SLOWED + part * parts;
}
