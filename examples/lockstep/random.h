/*
 * SplitMix64: the same sequence for the same seed everywhere. For bots and the simulated network; the cloth needs none.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LOCKSTEP_RANDOM_H
#define LOCKSTEP_RANDOM_H

#include <stdint.h>

typedef struct random_source {
  uint64_t state;
} random_source;

static inline uint64_t random_bits(random_source *source) {
  source->state += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t z = source->state;
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* Evenly from 0 to below - 1. */
static inline int random_below(random_source *source, int below) {
  return (int)(random_bits(source) % (uint64_t)below);
}

static inline int random_percent(random_source *source, int percent) {
  return random_below(source, 100) < percent;
}

#endif /* LOCKSTEP_RANDOM_H */
