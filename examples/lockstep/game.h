/*
 * The game that both machines simulate: a sheet held by its upper corners, one by each player, who moves his hand,
 * pushes a ball against the cloth, blows, kicks and lets go.
 *
 * The game has no state beside the cloth. One that has saves it next to the cloth's.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LOCKSTEP_GAME_H
#define LOCKSTEP_GAME_H

#include "cloth.h"
#include "input.h"

#include <stddef.h>
#include <stdint.h>

typedef struct game {
  void *arena;
  cloth *sheet;
  cloth_memory memory;
  int32_t corner[PLAYERS]; /* the particle in each player's hand */
  int32_t ball[PLAYERS];   /* each player's collider */
  int32_t middle;          /* the particle that is kicked */
} game;

/* Makes the start. Returns CLOTH_OK or an error. */
int game_open(game *g, int columns, int rows);
void game_close(game *g);

/* Plays a frame with the inputs of all players. Returns a negative cloth_error on failure. */
int game_advance(game *g, const input inputs[PLAYERS]);

/* A small kick that no input tells of, as a bug would cause it. */
int game_corrupt(game *g);

/* Writes the hash of the start's portable image to *hash. Returns CLOTH_OK or an error. */
int game_image_hash(const game *g, uint64_t *hash);

#endif /* LOCKSTEP_GAME_H */
