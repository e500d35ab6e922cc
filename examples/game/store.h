/*
 * A level's memory: pieces are taken from its front and all given back together. No cloth needs a heap.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GAME_STORE_H
#define GAME_STORE_H

#include "cloth.h"

typedef struct store {
  unsigned char *bytes; /* aligned to CLOTH_ALIGNMENT */
  size_t size, used;
  void *scratch; /* for all cloth in turn: what a step needs while it lasts */
  size_t scratch_bytes;
} store;

/* Returns memory aligned to CLOTH_ALIGNMENT, or NULL if there is not enough left. */
static inline void *store_take(store *s, size_t bytes) {
  size_t rounded = (bytes + CLOTH_ALIGNMENT - 1) / CLOTH_ALIGNMENT * CLOTH_ALIGNMENT;
  if (rounded > s->size - s->used) return NULL;
  s->used += rounded;
  return s->bytes + s->used - rounded;
}

#endif /* GAME_STORE_H */
