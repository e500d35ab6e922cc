/*
 * Two panels of a curtain on a rod, to walk through. They sleep while nobody is near.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GAME_CURTAIN_H
#define GAME_CURTAIN_H

#include "piece.h"
#include "touch.h"

enum { CURTAIN_PANELS = 2, CURTAIN_COLUMNS = 29, CURTAIN_ROWS = 39 };

typedef struct curtain {
  piece panels[CURTAIN_PANELS];
  touch visitor[CURTAIN_PANELS];
} curtain;

extern const cloth_vector curtain_place; /* the middle of its rod [m], which lies along z */

int curtain_open(curtain *c, store *memory);

/* Moves what is in its reach, before its step. */
int curtain_move(curtain *c, const walker *w);

/* The walker has gone: it leaves the curtain at once. */
int curtain_leave(curtain *c);

#endif /* GAME_CURTAIN_H */
