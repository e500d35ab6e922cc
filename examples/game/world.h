/*
 * All that is in the game, and a step of it. Nothing here depends on the time of a frame: the same controls give the
 * same bits on any machine.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GAME_WORLD_H
#define GAME_WORLD_H

#include "cape.h"
#include "curtain.h"
#include "flag.h"
#include "skirt.h"
#include "tee.h"

enum { WORLD_MEMORY = 4 << 23, WORLD_GRIDS = 3 + CURTAIN_PANELS, WORLD_PIECES = WORLD_GRIDS + SHIRT_PANELS };

typedef struct world {
  _Alignas(CLOTH_ALIGNMENT) unsigned char bytes[WORLD_MEMORY];
  store memory;
  walker hero;
  cape cape;
  skirt skirt;
  tee tee;
  curtain curtain;
  flag flag;
  piece_group cloths; /* the cape, and what it touches: shirt, skirt and curtain */
  cloth_group_pair exceptions[(SHIRT_PANELS + 1) * CURTAIN_PANELS];
  cloth_vector eye, eye_before; /* of the camera that follows the hero, after this step and the one before */
  int32_t steps;
} world;

extern const float world_step_time; /* [s] */

/* Make the start, and take a step. Return CLOTH_OK or what cloth_step() says. */
int world_open(world *w);
int world_step(world *w, const controls *asked);

/* The pieces of cloth by number, 0 to WORLD_PIECES - 1: the cape comes first, and from WORLD_GRIDS on the panels of the
   shirt, which are not drawn as they are. */
const piece *world_piece(const world *w, int which);

/* The capsules that a piece is to keep clear of, FIGURE_LIMBS of them, or NULL if none are near. */
const cloth_collider *world_bodies_near(const world *w, int which);

/* Goes on with a hash of all the cloth as it is. Returns CLOTH_OK or an error. */
int world_hash(const world *w, uint64_t *hash);

#endif /* GAME_WORLD_H */
