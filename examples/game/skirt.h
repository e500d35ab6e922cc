/*
 * A skirt at the walker's waist: a tube of cloth.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GAME_SKIRT_H
#define GAME_SKIRT_H

#include "piece.h"
#include "touch.h"

enum { SKIRT_COLUMNS = 30, SKIRT_ROWS = 12 };

typedef struct skirt {
  piece cloth;
  touch wearer;
  cloth_vector waist[SKIRT_COLUMNS]; /* from the middle of the hips */
} skirt;

/* Put it on, move it with the walker's step before its own, and take it along when the walker teleports from a pose.
   Return what cloth_step() and the like do. */
int skirt_open(skirt *s, store *memory, const walker *w);
int skirt_move(skirt *s, const walker *w, float dt);
int skirt_teleport(skirt *s, const walker *w, const cloth_pose *from, float dt);

#endif /* GAME_SKIRT_H */
