/*
 * A flag in gusty wind, of as many particles as can be seen from where the camera is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GAME_FLAG_H
#define GAME_FLAG_H

#include "piece.h"

enum { FLAG_COLUMNS_MOST = 31, FLAG_ROWS_MOST = 21, FLAG_LEVELS = 3 };

typedef struct flag {
  piece cloth;
  int level;    /* 0 is the finest */
  int switches; /* of the level, so far */
  float time;   /* of all steps [s] */
  float jump;   /* how far a switch has moved a point of the outline at most [m] */
  float angle;  /* the same as seen by the camera [rad] */
} flag;

extern const cloth_vector flag_place; /* the top of the flag at its pole [m] */

int flag_open(flag *f, store *memory);

/* Takes the level for a camera, and a step. Returns what cloth_step() does. */
int flag_step(flag *f, cloth_vector eye, float dt);

#endif /* GAME_FLAG_H */
