#pragma once
#include "compiler.h"

/// Hash ///

/* 64 bits over a sequence of 32-bit words, as numbers, so that byte order does not count. Four streams take the words
   in turn, and are mixed at the end. hash_mix() is also the source of random numbers. */

/* A 32-bit word of memory, whatever type was stored there. */
#if defined(__GNUC__) || defined(__clang__)
typedef uint32_t __attribute__((may_alias)) any_word;
#else
typedef uint32_t any_word;
#endif

#define HASH_STREAMS 4
#define HASH_FACTOR 0x9e3779b97f4a7c15u /* odd, 2^64 over the golden ratio */

typedef struct hasher {
  uint64_t stream[HASH_STREAMS];
  uint32_t words; /* how many were hashed */
} hasher;

/* One step of a stream: the high bits of the product are folded into the low ones, which the next product spreads. */
static uint64_t hash_mix(uint64_t stream, uint32_t word) {
  uint64_t mixed = (stream ^ word) * HASH_FACTOR;
  return mixed ^ (mixed >> 29);
}

/* A random number in -1..1, a multiple of 2^-23, from the upper bits of a hash. */
static float hash_to_noise(uint64_t mixed) {
  return (float)((int32_t)(mixed >> 40) - 0x800000) * (1.0f / 8388608.0f);
}

static void hash_start(hasher *h) {
  for (uint32_t i = 0; i < HASH_STREAMS; i++) {
    h->stream[i] = i;
  }
  h->words = 0;
}

static void hash_word(hasher *h, uint32_t word) {
  uint32_t next = h->words++ % HASH_STREAMS;
  h->stream[next] = hash_mix(h->stream[next], word);
}

CLOTH_HOT static void hash_words(hasher *h, const any_word *words, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    hash_word(h, words[i]);
  }
}

/* The hash of all words so far, which includes their number. */
static uint64_t hash_end(const hasher *h) {
  uint64_t hash = h->words;
  for (uint32_t i = 0; i < HASH_STREAMS; i++) {
    hash = hash_mix(hash ^ h->stream[i], (uint32_t)(h->stream[i] >> 32));
  }
  return hash;
}
