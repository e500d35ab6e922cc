#pragma once
#include "../base/compiler.h"
#include "../base/hash.h"
#include "access.h"

/// State ///

/* The hash of a state, which consists of words of 4 bytes, but for freedoms and ages at its start: bytes, hashed as
   little-endian words. So it is the same for either byte order. */
static uint32_t little_endian_word(const uint8_t *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Words of the freedoms, and of the ages of self-contact that follow them. */
static int32_t freedom_words(const cloth *c) {
  return (int32_t)((c->state.colliders - c->state.freedom) / 4u);
}

/* Words of the state from the colliders, which follow the freedoms, to its end. */
static int32_t state_words(const cloth *c) {
  return (int32_t)((c->state.end - c->state.colliders) / 4u);
}

static const any_word *words_at(const cloth *c, uint32_t offset) {
  return (const any_word *)at(c, offset);
}

static uint64_t hash_state(const cloth *c) {
  hasher h;
  hash_start(&h);
  for (int32_t i = 0; i < freedom_words(c); i++) {
    hash_word(&h, little_endian_word(freedom_of(c) + 4 * i));
  }
  hash_words(&h, words_at(c, c->state.colliders), state_words(c));
  return hash_end(&h);
}

int cloth_hash(const cloth *c, uint64_t *hash) {
  int error = check_call(c, hash);
  if (error) { return error; }
  *hash = hash_state(c);
  return CLOTH_OK;
}

uint32_t cloth_hash_fold(uint64_t hash) {
  return (uint32_t)hash ^ (uint32_t)(hash >> 32);
}
