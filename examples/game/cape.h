/*
 * A cape at the walker's shoulders.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GAME_CAPE_H
#define GAME_CAPE_H

#include "piece.h"
#include "touch.h"

enum { CAPE_COLUMNS = 36, CAPE_ROWS = 32, CAPE_PARTICLES = CAPE_COLUMNS * CAPE_ROWS };

typedef struct cape {
  piece cloth;
  touch wearer;
  float lean;                         /* metres back for each metre down */
  cloth_vector collar[CAPE_COLUMNS];  /* from the middle of the shoulders while they do not turn */
  render_vertex skin[CAPE_PARTICLES]; /* as the wearer's animation alone would have the cape */
} cape;

extern const float cape_length; /* [m] */

/* How far a particle of a row may be from where the skin has it [m]. */
float cape_leeway(int32_t row);

/* Hang it on, move it with the walker's step before its own, and take it along when the walker teleports from a pose.
   Return what cloth_step() and the like do. */
int cape_open(cape *c, store *memory, const walker *w);
int cape_move(cape *c, const walker *w, float dt);
int cape_teleport(cape *c, const walker *w, const cloth_pose *from, float dt);

#endif /* GAME_CAPE_H */
