/*
 * The walker's capsules in a cloth that it may touch.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GAME_TOUCH_H
#define GAME_TOUCH_H

#include "walker.h"

typedef struct touch {
  uint32_t left_out;             /* limbs that the cloth is never near, a bit each; set before */
  int32_t indices[FIGURE_LIMBS]; /* in the cloth */
  int is_on;
} touch;

/* Adds the capsules where they are, or removes them. Doing again what was done is nothing. Return CLOTH_OK or an error.
 */
int touch_begin(touch *t, cloth *sheet, const walker *w);
int touch_end(touch *t, cloth *sheet);

/* Moves the capsules to where they are after this step. Returns CLOTH_OK or an error. */
int touch_move(const touch *t, cloth *sheet, const walker *w);

/* The capsules as cloth_move_frame() wants them named. */
uint64_t touch_mask(const touch *t);

#endif /* GAME_TOUCH_H */
