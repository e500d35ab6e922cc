/*
 * A player who now and then moves one of his sticks or presses or releases a button.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LOCKSTEP_BOT_H
#define LOCKSTEP_BOT_H

#include "input.h"
#include "random.h"

typedef struct bot {
  random_source random;
  input input; /* what he does now */
} bot;

/* Each player of a seed has a sequence of his own, and none is that of a link (link_seed_of()). */
static inline bot bot_of(int seed, int player) {
  bot b = {{(uint64_t)seed * 2 * PLAYERS_MOST + PLAYERS_MOST + (uint64_t)player}, input_neutral};
  return b;
}

/* What he does in the next frame. */
static inline const input *bot_plays(bot *b) {
  uint8_t *bytes = b->input.bytes;
  if (random_percent(&b->random, 15)) {
    uint8_t *stick = &bytes[random_below(&b->random, INPUT_STICKS)];
    int moved = *stick + random_below(&b->random, 81) - 40;
    *stick = (uint8_t)(moved < 0 ? 0 : moved > UINT8_MAX ? UINT8_MAX : moved);
  }
  if (random_percent(&b->random, 3))
    bytes[INPUT_BUTTONS] = (uint8_t)(random_percent(&b->random, 70) ? 0 : 1 << random_below(&b->random, 2));
  return &b->input;
}

#endif /* LOCKSTEP_BOT_H */
