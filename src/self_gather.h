#pragma once
#include "access.h"
#include "compiler.h"
#include "costs.h"
#include "layout.h"
#include "scalar.h"
#include "self_ages.h"
#include "self_batches.h"
#include "self_crossings.h"
#include "self_cull.h"
#include "self_folds.h"
#include "self_leaves.h"
#include "self_rims.h"
#include "self_spheres.h"
#include "self_tree.h"
#include "self_watch.h"
#include "types.h"

/// Candidates of self-contact ///

#if WITH_SELF

/*
 * Finds which particles may touch which cells until candidates are looked for again, and which edges pass through
 * triangles now. Pairs of nodes of the trees are visited from the roots down, with a stack in place of recursion; what
 * is apart, or flat together, is left out. The order follows from comparisons alone.
 *
 * Candidates are put into batches of SELF_BATCH that share no particle, so that contact can treat a batch at once, or
 * one after the other, with the same result. A candidate goes to the earliest of the last SELF_OPEN batches that has
 * room and none of its particles.
 *
 * Where there is no room for all candidates, they are looked for again with less foresight, and once more with none;
 * only what is too much even then is left out. The number of visits is bounded in the same way.
 *
 * In: positions, velocities, ages. Out: batches, intersections, ages, statistics. Scratch: nodes, visits;
 * scratch.residual, a word per particle; scratch.solution, leaves.
 */

/* Which cells of a leaf have the particle (row, column) of the same cloth for a corner: bits. They do not touch it. */
CLOTH_INLINE uint32_t cells_around(const self_body *b, const self_leaf *leaf, int32_t row, int32_t column) {
  const int32_t down = row - leaf->row;
  int32_t right = column - leaf->column;
  right += b->is_wrapped && right < 0 ? b->columns : 0;
  const uint32_t of_row = down >= 0 && down < 3 ? 0xcf3u >> 4 * down : 0u;       /* the first, both, the second row */
  const uint32_t of_column = right >= 0 && right < 3 ? 0xaf5u >> 4 * right : 0u; /* and column */
  return of_row & of_column & 15u;
}

/* The boxes around a leaf. */
CLOTH_INLINE const self_boxes *leaf_boxes(const self_body *b, int32_t number) {
  return &b->level[0].nodes[number].boxes;
}

/* 1 if two boxes have a point in common now. */
CLOTH_INLINE int do_meet(const self_boxes *a, const self_boxes *b) {
  const float *x = a->value, *y = b->value;
  return !(x[0] + y[3] > 0.0f || x[1] + y[4] > 0.0f || x[2] + y[5] > 0.0f || y[0] + x[3] > 0.0f || y[1] + x[4] > 0.0f ||
           y[2] + x[5] > 0.0f);
}

/* Two leaves of cloths a and b, which may be the same, and whether they are so close in one grid that there are
   neighbours among their cells. */
typedef struct leaf_pair {
  int32_t a, b;
  const self_leaf *first, *second;
  int32_t has_neighbours;
} leaf_pair;

/* Pairs of a particle of the first leaf, of those that `near` has a bit for, and a cell of the second that may come
   near. */
static void pair_particles(self_search *s, const leaf_pair *p, uint32_t near) {
  const self_body *a = &s->group->bodies[p->a], *b = &s->group->bodies[p->b];
  const self_leaf *from = p->first, *to = p->second;
  const int32_t first = to->first, below = b->columns;
  for (; near; near &= near - 1u) {
    const int32_t i = first_bit(near);
    const leaf_range *range = from->range;
    const float place[SELF_PLACES] = {range[0].point[i], range[1].point[i], range[2].point[i],
                                      range[3].point[i], range[4].point[i], range[5].point[i]};
    uint32_t bits = cells_near(to, place, place, s->reach);
    if (bits && p->has_neighbours) {
      bits &= ~cells_around(a, to, from->row + (i >> 1), from->column + (i & 1));
    }
    const int32_t particle = leaf_particle(a, from, i);
    for (; bits; bits &= bits - 1u) {
      const int32_t cell = first_bit(bits);
      add_pair(s, p->a, p->b, particle, first + (cell & 1) + (cell & 2 ? below : 0));
    }
  }
}

/* Which cells of a leaf are in the columns beside that which is `columns` behind its first one, or in that: bits. */
CLOTH_INLINE uint32_t cells_beside(int32_t columns) {
  return columns >= -1 && columns < 3 ? 0xaff5u >> 4 * (columns + 1) & 15u : 0u; /* the first, both, both, the second */
}

/* Which cells of the second leaf share a particle with cell i of the first: bits. */
static uint32_t adjoining_cells(const self_body *b, const leaf_pair *p, int32_t i) {
  const int32_t rows = p->first->row + (i >> 1) - p->second->row;
  const int32_t columns = p->first->column + (i & 1) - p->second->column;
  const uint32_t of_row = rows >= -1 && rows < 3 ? 0xcff3u >> 4 * (rows + 1) : 0u; /* the same for rows */
  uint32_t of_column = cells_beside(columns);
  if (b->is_wrapped) {
    of_column |= cells_beside(columns - b->columns) | cells_beside(columns + b->columns);
  }
  return of_row & of_column;
}

/* Pairs of cells of two leaves, or of one, whose boxes have a point in common. Not those that share a particle and have
   normals less than 90 degrees apart: they do not pass through each other. */
static void pair_cells(self_search *s, const leaf_pair *p) {
  const self_body *a = &s->group->bodies[p->a], *b = &s->group->bodies[p->b];
  const uint32_t meeting =
      p->first == p->second ? p->first->particles : cells_meeting(p->first, leaf_boxes(b, p->second->number));
  for (int32_t i = 0; meeting >> i; i++) {
    const uint32_t across = meeting >> i & 1u ? cells_across(p->second, p->first, i) : 0u;
    uint32_t bits = p->first == p->second ? across & ~((2u << i) - 1u) : across;
    if (bits && p->has_neighbours) {
      bits &= ~(adjoining_cells(a, p, i) & cells_facing(p->second, p->first, i));
    }
    const int32_t cell = leaf_particle(a, p->first, i), is_cell = (int32_t)(p->first->cells >> i & 1u);
    for (; bits; bits &= bits - 1u) {
      const int32_t j = first_bit(bits), other = leaf_particle(b, p->second, j);
      if (p->second->cells >> j & 1u) {
        add_crossing(s, p->a, p->b, cell, other);
      }
      if (is_cell) {
        add_crossing(s, p->b, p->a, other, cell);
      }
    }
  }
}

/* Pairs of a particle of the first leaf and one of the second that may come near, each once. Of two particles of one
   cloth the first is that with the higher number: the last one of a cloth is the other one of none. */
static void pair_spheres(self_search *s, const leaf_pair *p) {
  const self_body *a = &s->group->bodies[p->a], *b = &s->group->bodies[p->b];
  for (int32_t i = 0; i < SELF_CELLS && p->first->particles >> i; i++) {
    uint32_t bits = p->first->particles >> i & 1u ? points_near(p->second, p->first, i, s->reach) : 0u;
    bits = p->first == p->second ? bits & ((1u << i) - 1u) : bits;
    if (bits && p->has_neighbours) {
      bits &= ~adjoining_cells(a, p, i);
    }
    const int32_t particle = leaf_particle(a, p->first, i);
    for (int32_t j = 0; bits >> j; j++) {
      if (bits >> j & 1u) {
        const int32_t other = leaf_particle(b, p->second, j);
        const int is_turned = p->a == p->b && other > particle;
        add_pair(s, p->a, p->b, is_turned ? other : particle, is_turned ? particle : other);
      }
    }
  }
}

/* 1 if leaves have neighbours among their cells: they are the same, or side by side. */
CLOTH_INLINE int are_side_by_side(const self_body *b, const self_leaf *first, const self_leaf *second) {
  const int32_t rows = first->row - second->row, columns = (first->column - second->column) / 2;
  const int32_t round = b->is_wrapped ? b->level[0].columns - 1 : CLOTH_GRID_LIMIT;
  return rows >= -2 && rows <= 2 && ((columns >= -1 && columns <= 1) || columns == round || columns == -round);
}

CLOTH_SEPARATE void make_leaf(const self_search *s, const self_body *b, int32_t number, self_leaf *leaf) {
  if (WITH_SELF_SPHERES && s->is_round) {
    find_points(b, number, s->ahead, leaf);
  } else if (WITH_SELF_TRIANGLES) {
    find_leaf(b, number, s->ahead, leaf);
    leaf->may_have_rims = may_have_rims(b, leaf);
  }
}

/* Makes the leaf of a visit, unless it has been kept. It is kept where its cloth has room for it, but not in place of
   the `other` one of the visit: then, and without room, as number `which` of the search. */
CLOTH_INLINE const self_leaf *find_visited(self_search *s, const self_body *b, int32_t number, int32_t which,
                                           const self_leaf *other) {
  const int32_t columns = b->level[0].columns, row = number / columns;
  self_leaf *kept = b->kept_leaves > 0 ? kept_leaf(b, row, number - row * columns) : &s->leaf[which];
  self_leaf *leaf = kept != other ? kept : &s->leaf[which];
  if (leaf->number != number) {
    make_leaf(s, b, number, leaf);
  }
  return leaf;
}

/* Pairs of particles and cells, of cells, and of rims, of two leaves or of one. What is apart from the boxes of the
   other leaf is apart from each of its cells; rims may cross far from all particles. */
static void pair_triangles(self_search *s, const leaf_pair *p) {
  const self_boxes *boxes = leaf_boxes(&s->group->bodies[p->a], p->first->number);
  const self_boxes *others = leaf_boxes(&s->group->bodies[p->b], p->second->number);
  const leaf_pair turned = {p->b, p->a, p->second, p->first, p->has_neighbours};
  const int is_same = p->first == p->second, meet = do_meet(boxes, others);
  const uint32_t near = is_same ? p->first->particles : particles_near(p->first, others, s->reach);
  const uint32_t turned_near = is_same ? 0u : particles_near(p->second, boxes, s->reach);
  const int have_rims = !is_same && p->first->may_have_rims && p->second->may_have_rims;
  if (!(near || turned_near || meet || have_rims) || (p->has_neighbours && are_gentle(p->first, p->second))) {
    return;
  }
  pair_particles(s, p, near);
  pair_particles(s, &turned, turned_near);
  if (meet) {
    pair_cells(s, p);
  }
  if (have_rims) {
    pair_rims(s, p->a, p->b, p->first, p->second);
  }
}

/* Two leaves, of the same cloth or of two, or one leaf and itself. */
static void visit_leaves(self_search *s, const self_visit *v) {
  const self_body *a = &s->group->bodies[v->body_a], *b = &s->group->bodies[v->body_b];
  const int is_same = a == b && v->a == v->b;
  const self_leaf *first = find_visited(s, a, v->a, 0, NULL);
  const self_leaf *second = is_same ? first : find_visited(s, b, v->b, 1, first);
  const leaf_pair p = {v->body_a, v->body_b, first, second, a == b && are_side_by_side(a, first, second)};
  if (WITH_SELF_SPHERES && s->is_round) {
    s->round_visits++;
    pair_spheres(s, &p);
  } else if (WITH_SELF_TRIANGLES) {
    pair_triangles(s, &p);
  }
}

/* Most children of a pair of nodes. */
#define SELF_CHILD_PAIRS 16

/* The children of a node, or the node itself where only the other one of a pair is replaced by its children: numbers in
   their level, and places among the four, row by row. */
typedef struct node_list {
  const self_node *level;
  int32_t number[4], place[4];
  int32_t row, column; /* of the first child */
  int32_t count;
} node_list;

CLOTH_INLINE void list_nodes(const self_body *b, int32_t level, int32_t number, int splits, node_list *list) {
  const self_level *here = &b->level[level];
  list->level = here->nodes;
  list->number[0] = number;
  list->place[0] = list->row = list->column = 0;
  list->count = 1;
  if (!splits) {
    return;
  }
  const self_level *below = here - 1;
  const int32_t row = number / here->columns, column = 2 * (number - row * here->columns);
  const int32_t first = 2 * row * below->columns + column, is_wide = column + 1 < below->columns;
  list->level = below->nodes;
  list->number[0] = first;
  list->row = 2 * row;
  list->column = column;
  if (is_wide) {
    list->number[1] = first + 1;
    list->place[1] = 1;
    list->count = 2;
  }
  if (2 * row + 1 < below->rows) {
    const int32_t third = list->count;
    list->number[third] = first + below->columns;
    list->place[third] = 2;
    list->number[3] = first + below->columns + 1;
    list->place[3] = 3;
    list->count = third + 1 + is_wide;
  }
}

/* 1 if children of two nodes of a sheet may be side by side: these nodes are. */
CLOTH_INLINE int are_close_parents(const node_list *a, const node_list *b) {
  const int32_t rows = a->row - b->row, columns = a->column - b->column;
  return rows >= -2 && rows <= 2 && columns >= -2 && columns <= 2;
}

/* 1 if nodes i and j of one cloth and one level are the same or side by side; `round`: the number of columns between
   two that are side by side round a tube. */
CLOTH_INLINE int are_beside(const node_list *a, int32_t i, const node_list *b, int32_t j, int32_t round) {
  const int32_t rows = a->row - b->row + (a->place[i] >> 1) - (b->place[j] >> 1);
  const int32_t apart = a->column - b->column + (a->place[i] & 1) - (b->place[j] & 1);
  return rows >= -1 && rows <= 1 && ((apart >= -1 && apart <= 1) || apart == round || apart == -round);
}

/* Replaces a visit by those of its children that lead somewhere: not by nodes that are apart, nor by nodes side by side
   that are flat together. Returns the new height of the stack. */
static int32_t push_children(self_search *s, const self_visit *v, int32_t height) {
  const self_body *a = &s->group->bodies[v->body_a], *b = &s->group->bodies[v->body_b];
  const int is_same = a == b && v->a == v->b;
  const int splits_a = v->level_a >= v->level_b, splits_b = v->level_b >= v->level_a;
  node_list of_a, of_b;
  list_nodes(a, v->level_a, v->a, splits_a, &of_a);
  list_nodes(b, v->level_b, v->b, splits_b, &of_b);
  /* Round a tube the last column is beside the first; elsewhere none is so far from another. */
  const int32_t round = a == b && a->is_wrapped ? a->level[v->level_a - 1].columns - 1 : CLOTH_GRID_LIMIT;
  const int may_be_beside = a == b && (a->is_wrapped || are_close_parents(&of_a, &of_b));
  const float reach = s->reach;
  self_visit next = {0, 0, (uint8_t)(v->level_a - splits_a), (uint8_t)(v->level_b - splits_b), v->body_a, v->body_b};
  s->visits += is_same ? of_a.count * (of_a.count + 1) / 2 : of_a.count * of_b.count;
  for (int32_t i = 0; i < of_a.count; i++) {
    const self_node *node = &of_a.level[of_a.number[i]];
    next.a = (uint16_t)of_a.number[i];
    for (int32_t j = is_same ? i : 0; j < of_b.count; j++) {
      const self_node *other = &of_b.level[of_b.number[j]];
      if (may_be_beside && are_beside(&of_a, i, &of_b, j, round) ? are_flat(node, other)
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

/* Visits the trees of two cloths, or the tree of one twice. */
static void visit_pair(self_search *s, int32_t a, int32_t b) {
  const self_group *g = s->group;
  self_visit *visits = g->visits;
  int32_t height = 1;
  visits[0].a = visits[0].b = 0;
  visits[0].level_a = (uint8_t)(g->bodies[a].levels - 1);
  visits[0].level_b = (uint8_t)(g->bodies[b].levels - 1);
  visits[0].body_a = (uint8_t)a;
  visits[0].body_b = (uint8_t)b;
  while (height > 0 && (s->is_last || !s->is_full)) {
    const self_visit v = visits[--height];
    const int is_leaf = v.level_a == 0 && v.level_b == 0;
    if (is_leaf ? s->leaf_visits == g->max_leaf_visits : s->visits + SELF_CHILD_PAIRS > g->max_visits) {
      s->is_full = 1;
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

/* 1 if a candidate stays tangled: its particle and two corners or more. */
static int is_tangled(const self_body *a, const self_body *b, int32_t particle, int32_t cell) {
  int32_t involved[5], tangled = 0;
  find_involved(b, 0, particle, cell, involved);
  for (int32_t i = 1; i < 5; i++) {
    tangled += is_tangled_age(b->ages[involved[i]]);
  }
  return is_tangled_age(a->ages[particle]) && tangled >= 2;
}

/* Takes candidates that stay tangled out of their batches, so that contact does not hold them where they are. */
static void release_tangled(const self_group *g) {
  for (int32_t n = 0; n < g->found->batches; n++) {
    const uint32_t tag = g->tags ? g->tags[n] : 0u;
    const self_body *a = &g->bodies[tag >> 8], *b = &g->bodies[tag & 255u];
    self_batch *batch = &g->batches[n];
    const self_batch old = *batch;
    if (!pair_between(g, (int32_t)(tag >> 8), (int32_t)(tag & 255u)).untangles) {
      continue;
    }
    const int32_t count = candidates_of(b, 0, &old);
    int32_t kept = 0;
    set_candidates(batch, 0, SELF_BATCH, 0, b->count - 1);
    for (int32_t k = 0; k < count; k++) {
      if (!is_tangled(a, b, old.particle[k], old.cell[k])) {
        set_candidates(batch, kept, kept == 0 ? SELF_BATCH : kept + 1, old.particle[k], old.cell[k]);
        kept++;
      }
    }
  }
}

/* How far a gather and its repetitions look ahead: share of the time, and distance over the spacing. */
CLOTH_CONSTANT static const float attempt_shares[SELF_ATTEMPTS] = {1.0f, 0.3f, 0.0f};
CLOTH_CONSTANT static const float attempt_skins[SELF_ATTEMPTS] = {0.1f, 0.05f, 0.0f};

/* No leaf of a group is kept yet. */
static void forget_all_leaves(const self_group *g) {
  for (int32_t n = 0; n < g->count; n++) {
    forget_leaves(&g->bodies[n]);
  }
}

/* One attempt at all candidates for `time` seconds; after the last one what has no room is left out. */
static void search_group(const self_group *g, float time, int32_t attempt, int is_last, self_search *s) {
  fill_zero(s, sizeof *s);
  s->group = g;
  s->ahead = time * attempt_shares[attempt];
  s->is_last = is_last;
  s->has_sewn = g->sewn || g->found->opened;
  if (g->candidates) {
    fill_zero(g->candidates, (size_t)g->count * sizeof(int32_t));
  }
  for (int32_t a = 0; a < g->count; a++) {
    const self_body *b = &g->bodies[a];
    fill_zero(b->taken, (size_t)b->count * sizeof(uint32_t));
    build_tree(b, s->ahead);
  }
  forget_all_leaves(g);
  for (int32_t a = 0; a < g->count; a++) {
    for (int32_t b = a; b < g->count; b++) {
      const float spacing = minimum(g->bodies[a].spacing, g->bodies[b].spacing);
      const self_pair pair = pair_between(g, a, b);
      const float thickness = pair.thickness;
      if (!(thickness > 0.0f)) {
        continue;
      }
      if (s->is_round != pair.is_round) {
        forget_all_leaves(g);
      }
      s->is_round = pair.is_round;
      s->reach = thickness + attempt_skins[attempt] * spacing;
      clear_waiting(s, a, b, s->reach, (SELF_RIM + attempt_skins[attempt]) * spacing);
      visit_pair(s, a, b);
      add_waiting(s, a, b, 0);
      add_waiting(s, b, a, 1);
      if (WITH_SELF_TRIANGLES) {
        find_intersections(s, a, b, 0);
        find_intersections(s, b, a, 1);
      }
    }
  }
}

/* Charges the work of an attempt. In fixed-work mode its maximum was already charged. Returns it. */
static uint64_t charge_attempt(const self_group *g, const self_search *s) {
  const uint64_t work =
      (uint64_t)(uint32_t)s->visits * COST_SELF_VISIT +
      (uint64_t)(uint32_t)(s->leaf_visits - s->round_visits) * COST_SELF_LEAVES +
      (uint64_t)(uint32_t)s->round_visits * COST_SPHERE_LEAVES + (uint64_t)(uint32_t)s->tested * COST_SELF_TEST +
      (uint64_t)(uint32_t)s->tested_spheres * COST_SPHERE_TEST +
      (uint64_t)(uint32_t)(s->pairs - s->dropped) * COST_SELF_FOUND + (uint64_t)(uint32_t)s->crossed * COST_SELF_CROSS +
      (uint64_t)(uint32_t)s->edges_tested * COST_RIM_TEST;
  uint64_t boxes = 0;
  for (int32_t n = 0; n < g->count; n++) {
    add_varying_work(g->bodies[n].c, (uint32_t)g->bodies[n].count, COST_SELF_BOXES);
    boxes += (uint64_t)(uint32_t)g->bodies[n].count * COST_SELF_BOXES;
  }
  add_varying_work(g->bodies[0].c, work, 1);
  return work + boxes;
}

/* Notes what the substeps until the next search need. Returns its work. */
static uint64_t note_motion(const self_group *g, float time) {
  uint64_t work = 0;
  for (int32_t n = 0; n < g->count; n++) {
    const self_body *b = &g->bodies[n];
    const self_pair pair = pair_between(g, n, n);
    if (WITH_SELF_TRIANGLES && pair.thickness > 0.0f && !pair.is_round) {
      note_folds(b, pair.thickness, time);
    }
    note_velocities(b);
    add_varying_work(b->c, (uint32_t)b->count, COST_SELF_NOTE);
    work += (uint64_t)(uint32_t)b->count * COST_SELF_NOTE;
  }
  return work;
}

/* All attempts to find the candidates of the next `time` seconds. Returns 1 if one has met an intersection. */
static int search_repeatedly(const self_group *g, float time, uint64_t budget, self_search *s) {
  cloth_self_statistics *counts = &g->found->statistics;
  int crossed = 0, is_last = 0;
  uint64_t spent = spent_on_searches(g);
  for (int32_t attempt = 0; !is_last && (attempt == 0 || s->is_full); attempt++) {
    is_last = attempt == SELF_ATTEMPTS - 1 || spent + 2u * g->most_work > budget;
    search_group(g, time, is_last && attempt > 0 ? SELF_ATTEMPTS - 1 : attempt, is_last, s);
    counts->gathers++;
    counts->visits += s->visits;
    spent += charge_attempt(g, s);
    crossed |= s->intersections > 0;
  }
  keep_spent(g, spent + note_motion(g, time) + (uint64_t)(uint32_t)s->batches * (SELF_BATCH * COST_SELF_RELEASE));
  return crossed;
}

/* Looks for the candidates of the next `time` seconds; `is_first` in the first substep of a step. What the step has
   spent on searches stays within `budget`. */
CLOTH_SEPARATE void gather_candidates(const self_group *g, float time, uint64_t budget, int is_first, int untangle) {
  cloth_self_statistics *counts = &g->found->statistics;
  self_search s;
  if (is_first) {
    g->found->opened = WITH_SEAMS && find_sewn(g);
  }
  const int crossed = search_repeatedly(g, time, budget, &s);
  const int32_t kept = s.intersections < g->max_intersections ? s.intersections : g->max_intersections;
  g->found->batches = s.batches;
  g->found->edge_blocks = s.edge_blocks;
  g->found->intersections = kept;
  counts->pairs = s.pairs - s.dropped;
  counts->pairs_dropped += s.dropped;
  if (is_first) {
    counts->intersections = s.intersections;
    update_ages(g, crossed || g->found->opened, s.dropped == 0 && !s.is_full);
    counts->tangled = crossed ? count_tangled(g) : 0;
  } else if (crossed) {
    clear_age_marks(g);
  }
  if (WITH_SELF_TRIANGLES && untangle && counts->tangled > 0) {
    release_tangled(g);
    add_varying_work(g->bodies[0].c, (uint32_t)s.batches * SELF_BATCH, COST_SELF_RELEASE);
  }
}

/* A cloth that feels itself, as a group of its own. */
static self_group self_group_of(const cloth *c, self_body *body) {
  const self_settings *settings = self_settings_of(c);
  const self_layout layout = self_layout_of(c->count, c->grid.columns, settings->pairs, settings->shape);
  const uintptr_t end = c->shared_bytes ? c->scratch.solution + c->shared_bytes : c->total_bytes;
  char *room = (char *)at(c, end - layout.bytes);
  const self_group g = {.bodies = body,
                        .count = 1,
                        .batches = (self_batch *)(void *)(room + layout.batches),
                        .near = (uint8_t *)at(c, c->scratch.residual),
                        .intersections = (self_intersection *)(void *)(room + layout.intersections),
                        .visits = (self_visit *)(void *)(room + layout.visits),
                        .max_batches = layout.max_batches,
                        .max_intersections = layout.max_intersections,
                        .max_visits = layout.max_visits,
                        .max_leaf_visits = layout.max_leaf_visits,
                        .most_work = max_attempt_work(&layout, (uint32_t)c->count, settings->shape),
                        .found = self_workspace_of(c)};
  self_body_of(c, (self_node *)(void *)(room + layout.nodes), body);
  return g;
}

/* The first of the substeps from `first` on at which one of `count` searches in a step of so many is due; the number of
   substeps if none is. */
static int32_t next_due(int32_t first, int32_t count, int32_t substeps) {
  int32_t index = first;
  while (index < substeps && index * count % substeps >= count) {
    index++;
  }
  return index;
}

/* Looks for candidates, before a substep, if one of the `wanted` searches of the step is due in it, or if cloth has
   strayed from where the last search has seen it go. Returns 1 if it has. A substep that does what several were to do
   counts for all of them. */
static int gather_if_due(const self_group *g, const step_plan *plan, int32_t wanted, int untangle) {
  const int32_t gathers = wanted < plan->substeps ? wanted : plan->substeps, watches = SELF_WATCHES * gathers;
  const int32_t first = plan->index + 1 - plan->stride, number = first * gathers / plan->substeps;
  const uint64_t budget = (uint64_t)(uint32_t)((number + 1) * SELF_ATTEMPTS) * g->most_work;
  const int32_t until = next_due(plan->index + 1, gathers, plan->substeps);
  const float time = plan->h * (float)(until - first) / (float)plan->stride;
  if (next_due(first, gathers, plan->substeps) > plan->index) {
    if (next_due(first, watches, plan->substeps) > plan->index || spent_on_searches(g) + g->most_work > budget ||
        !has_strayed(g, time)) {
      return 0;
    }
  }
  gather_candidates(g, time, budget, first == 0, untangle);
  return 1;
}

/* Sets the statistics to 0, before a step. */
static void reset_self(const cloth *c) {
  if (c->self) {
    fill_zero(self_workspace_of(c), sizeof(self_workspace));
  }
}

/* The notes of a step about self-contact. */
static int self_notes(const cloth *c) {
  if (!c->self) {
    return 0;
  }
  const cloth_self_statistics *counts = &self_workspace_of(c)->statistics;
  return (counts->pairs_dropped ? CLOTH_NOTE_PAIRS_DROPPED : 0) | (counts->tangled ? CLOTH_NOTE_TANGLED : 0);
}

int cloth_get_self_statistics(const cloth *c, cloth_self_statistics *statistics) {
  int error = check_call(c, statistics);
  if (error) {
    return error;
  }
  if (!c->self) {
    return CLOTH_ERROR_STATE;
  }
  *statistics = self_workspace_of(c)->statistics;
  return CLOTH_OK;
}

#else

static void reset_self(const cloth *c) {
  (void)c;
}

static int self_notes(const cloth *c) {
  (void)c;
  return 0;
}

#endif
