/*
 * Steps of one length from frames of any length.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GAME_CLOCK_H
#define GAME_CLOCK_H

#include <stdint.h>

enum {
  CLOCK_STEP = 16667,  /* [us] */
  CLOCK_STEPS_MOST = 4 /* in one frame: a game that cannot keep up slows down, or it would fall ever further behind */
};

typedef struct game_clock {
  int32_t owed;    /* time that has passed and is not simulated yet [us] */
  int32_t dropped; /* steps that were given up for the cap */
} game_clock;

/* Takes in a frame's time [us]. Returns how many steps to take now. */
static inline int clock_frame(game_clock *c, int32_t frame_time) {
  c->owed += frame_time;
  int32_t steps = c->owed / CLOCK_STEP;
  c->owed -= steps * CLOCK_STEP;
  if (steps <= CLOCK_STEPS_MOST) return steps;
  c->dropped += steps - CLOCK_STEPS_MOST;
  return CLOCK_STEPS_MOST;
}

/* How far the picture is on its way from the last state but one to the last, 0..1. */
static inline float clock_share(const game_clock *c) {
  return (float)c->owed / (float)CLOCK_STEP;
}

#endif /* GAME_CLOCK_H */
