#pragma once
#include "candidates.h"
#include "features.h"
#include "tree.h"

/// Ages of particles ///

/* What contact keeps of each particle from step to step, a byte: for how many steps it has been part of an
   intersection, up to SELF_OLDEST, halved with every step that it is not once it is tangled, and SELF_SEWN. The first
   gather of a step sets them. Scratch: `moved` of the bodies, a byte per particle. */

/* SELF_SEWN if a particle of a cloth was sewn and still is, or may be near others that were: all that a gather which
   has left something out has not found apart. */
static int32_t sewn_bit(const self_group *g, int32_t n, int32_t particle, int all_found) {
  const self_body *b = &g->bodies[n];
  const int stays_sewn = b->moved[particle] || !all_found || is_sewn(g->sewn, n, particle);
  return stays_sewn ? b->ages[particle] & SELF_SEWN : 0;
}

/* Sets the ages of all particles: one more for those of an intersection, half for others that are tangled, so that
   pairs beside a contour that goes to and fro do not press in turn; those of a cloth that sleeps stay. `changes`: there
   are intersections, or particles that were sewn. */
static void update_ages(const self_group *g, int changes, int all_found) {
  for (int32_t n = 0; n < g->count; n++) {
    const self_body *b = &g->bodies[n];
    if (!changes && !b->is_still) { fill_zero(b->ages, (size_t)b->count); }
    for (int32_t i = 0; changes && i < b->count; i++) {
      const int32_t age = b->ages[i] & SELF_OLDEST, older = age + (age < SELF_OLDEST);
      const int32_t younger = age < SELF_TANGLED_AGE ? 0 : age / 2;
      b->ages[i] = b->is_still
                       ? (uint8_t)(b->ages[i] & ~SELF_AGE_MARK)
                       : (uint8_t)((b->ages[i] & SELF_AGE_MARK ? older : younger) | sewn_bit(g, n, i, all_found));
    }
  }
}

/* Prepares the notes of a gather for particles that are sewn, or were. Returns 1 if there are any. */
static int find_sewn(const self_group *g) {
  uint32_t ages = 0;
  for (int32_t n = 0; n < g->count; n++) {
    for (int32_t i = 0; i < g->bodies[n].count; i++) {
      ages |= g->bodies[n].ages[i];
    }
  }
  for (int32_t n = 0; n < g->count && (ages & SELF_SEWN); n++) {
    fill_zero(g->bodies[n].moved, (size_t)g->bodies[n].count);
  }
  return (ages & SELF_SEWN) != 0;
}

/* Takes the marks of a gather that has not set ages from them. */
static void clear_age_marks(const self_group *g) {
  for (const self_body *b = g->bodies; b < g->bodies + g->count; b++) {
    for (int32_t i = 0; i < b->count; i++) {
      b->ages[i] &= (uint8_t)~SELF_AGE_MARK;
    }
  }
}

static int32_t count_tangled(const self_body *b) {
  int32_t count = 0;
  for (int32_t i = 0; i < b->count; i++) {
    count += (b->ages[i] & SELF_OLDEST) >= SELF_TANGLED_AGE;
  }
  return count;
}

/// Memory of pairs ///

/* What pairs that press keep from one substep to the next, in the order of the candidates, in the state of the cloth of
   their first feature, or of their second where that sleeps or has no more room. */

static pair_memories memories_of(const cloth *c) {
  uint32_t *words = (uint32_t *)at(c, c->state.pairs);
  return (pair_memories){words, (pair_memory *)(void *)(words + PAIR_MEMORY_HEAD),
                         memories_for(c->count, self_settings_of(c)->pairs)};
}

CLOTH_INLINE int are_same_pairs(pair_key a, pair_key b) {
  return a.first == b.first && a.second == b.second;
}

static void forget_pairs(const cloth *c) {
  if (c->self) {
    const pair_memories m = memories_of(c);
    fill_zero(m.count, (size_t)PAIR_MEMORY_HEAD * sizeof(uint32_t) + (size_t)m.most * sizeof(pair_memory));
  }
}

/* A table of all entries of a group in the memory of the elements: copies, and where each key is. */
typedef struct memory_table {
  pair_memory *copy;
  int32_t *number; /* one more than that of the copy at each place; 0: none */
  uint32_t places; /* a power of two */
} memory_table;

/* The place of the entry of a pair in a table, or the free one where it would be. */
static uint32_t place_in_table(const memory_table *t, pair_key key) {
  uint32_t place = (key.first * 0x9e3779b1u + key.second * 0x85ebca77u) >> 7 & (t->places - 1u);
  while (t->number[place] && !are_same_pairs(t->copy[t->number[place] - 1].key, key)) {
    place = (place + 1u) & (t->places - 1u);
  }
  return place;
}

/* Copies all entries into a table, and forgets them. */
static memory_table table_of_memories(const self_group *g) {
  memory_table t = {(pair_memory *)(void *)g->elements, NULL, 1u};
  int32_t count = 0;
  for (int32_t n = 0; n < g->count; n++) {
    const pair_memories m = memories_of(g->bodies[n].c);
    for (uint32_t k = 0; k < *m.count && !g->bodies[n].is_still; k++) {
      t.copy[count++] = m.entry[k];
    }
    if (!g->bodies[n].is_still) { forget_pairs(g->bodies[n].c); }
  }
  while (t.places < 2u * (uint32_t)count) {
    t.places *= 2u;
  }
  t.number = (int32_t *)(void *)(t.copy + count);
  fill_zero(t.number, t.places * sizeof(int32_t));
  for (int32_t n = 0; n < count; n++) {
    int32_t *number = &t.number[place_in_table(&t, t.copy[n].key)];
    *number = *number ? *number : n + 1; /* two cloths may remember a pair, one of which slept: the first one counts */
  }
  return t;
}

/* The kinds of features of the candidates of a pair of cells that come in their turn: those of edges, or the others. */
CLOTH_INLINE uint32_t kinds_in_turn(const self_group *g, int32_t pair, int32_t is_edge) {
  const cell_pair cells = g->cells[pair];
  const uint32_t kinds = cells.first >> CELL_BITS | cells.second >> CELL_BITS << CELL_KINDS;
  return is_edge ? kinds & PAIRS_OF_EDGES : kinds & ~PAIRS_OF_EDGES;
}

/* Runs statements for each candidate `c` of a group, in order. */
#define EACH_CANDIDATE(g, c, ...)                                                                                      \
  for (int32_t c##_turn = 0; c##_turn < 2; c##_turn++) {                                                               \
    for (int32_t c##_pair = 0; c##_pair < (g)->found->cells; c##_pair++) {                                             \
      for (uint32_t c##_left = kinds_in_turn(g, c##_pair, c##_turn); c##_left; c##_left &= c##_left - 1u) {            \
        const uint32_t c = (uint32_t)c##_pair << PAIR_KIND_BITS | (uint32_t)first_bit(c##_left);                       \
        __VA_ARGS__;                                                                                                   \
      }                                                                                                                \
    }                                                                                                                  \
  }

/* Adds an entry, if either cloth has room. */
static void remember_pair(const self_group *g, const pair_memory *entry) {
  const uint32_t features[2] = {entry->key.first, entry->key.second};
  for (int32_t n = 0; n < 2; n++) {
    const self_body *b = &g->bodies[feature_cloth(features[n])];
    const pair_memories m = memories_of(b->c);
    if (!b->is_still && *m.count < (uint32_t)m.most) {
      m.entry[(*m.count)++] = *entry;
      return;
    }
  }
}

/* Puts the entries into the order of the candidates after a gather. What is no candidate any more is forgotten. */
CLOTH_SEPARATE void sort_memories(const self_group *g) {
  const memory_table t = table_of_memories(g);
  if (t.places == 1u) { return; }
  EACH_CANDIDATE(g, candidate, {
    const int32_t number = t.number[place_in_table(&t, key_of_candidate(g->cells, candidate))];
    if (number) { remember_pair(g, &t.copy[number - 1]); }
  });
}
