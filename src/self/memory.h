#pragma once
#include "../base/compiler.h"
#include "../base/scalar.h"
#include "../cloth/access.h"
#include "../cloth/layout.h"
#include "../cloth/members.h"
#include "../cloth/types.h"
#include "features.h"
#include "tree.h"

/// Memory of pairs ///

#if WITH_SELF

/* What pairs that press keep from one substep to the next, in the order of the candidates, in the state of the cloth of
   their first feature, or of their second where that sleeps or has no more room. */

static pair_memories memories_of(const cloth *c) {
  uint32_t *words = (uint32_t *)at(c, c->state.pairs);
  const pair_memories m = {words, (pair_memory *)(void *)(words + PAIR_MEMORY_HEAD),
                           memories_for(c->count, self_settings_of(c)->pairs)};
  return m;
}

CLOTH_INLINE int are_same_pairs(pair_key a, pair_key b) {
  return a.first == b.first && a.second == b.second;
}

/* Forgets all pairs of a cloth. */
static void forget_pairs(const cloth *c) {
  if (c->self) {
    const pair_memories m = memories_of(c);
    fill_zero(m.count, (size_t)PAIR_MEMORY_HEAD * sizeof(uint32_t) + (size_t)m.most * sizeof(pair_memory));
  }
}

/* Where an entry of a table of so many places, a power of two, is looked for first. */
CLOTH_INLINE uint32_t table_place(pair_key key, uint32_t places) {
  return (key.first * 0x9e3779b1u + key.second * 0x85ebca77u) >> 7 & (places - 1u);
}

/* A table of all entries of a group in the memory of the elements: copies, and where each key is. */
typedef struct memory_table {
  pair_memory *copy;
  int32_t *number; /* one more than that of the copy at each place; 0: none */
  uint32_t places;
} memory_table;

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
    uint32_t place = table_place(t.copy[n].key, t.places);
    while (t.number[place]) {
      place = (place + 1u) & (t.places - 1u);
    }
    t.number[place] = n + 1;
  }
  return t;
}

/* The entry of a pair, or NULL. */
static const pair_memory *find_in_table(const memory_table *t, pair_key key) {
  for (uint32_t place = table_place(key, t->places); t->number[place]; place = (place + 1u) & (t->places - 1u)) {
    const pair_memory *m = &t->copy[t->number[place] - 1];
    if (are_same_pairs(m->key, key)) { return m; }
  }
  return NULL;
}

/* The kinds of features of the candidates of a pair of cells that come in their turn: those of edges, or the others. */
CLOTH_INLINE uint32_t kinds_in_turn(const self_group *g, int32_t pair, int32_t is_edge) {
  const uint32_t kinds = kinds_of_pair(g->cells[pair]);
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

/* Clears the entries behind the last one that the part before had. */
static void clear_old_pairs(const self_body *b) {
  const pair_memories m = memories_of(b->c);
  if (*m.count < b->remembers) { fill_zero(m.entry + *m.count, (b->remembers - *m.count) * sizeof(pair_memory)); }
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
    const pair_memory *m = find_in_table(&t, key_of_candidate(g->cells, candidate));
    if (m) { remember_pair(g, m); }
  });
}

#endif
