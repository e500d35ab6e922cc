/*
 * The game that all machines simulate: a sheet held by two to four of its corners, one by each player, who moves his
 * hand, pushes a ball against the cloth, blows, kicks and lets go. Players 0 and 1 hold the upper corners and have
 * their balls in front of the sheet, players 2 and 3 the lower ones and have their balls behind it.
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
  int players;                  /* PLAYERS_LEAST to PLAYERS_MOST */
  int32_t corner[PLAYERS_MOST]; /* the particle in each player's hand */
  int32_t ball[PLAYERS_MOST];   /* each player's collider */
  int32_t middle;               /* the particle that is kicked */
} game;

/* Makes the start for PLAYERS_LEAST to PLAYERS_MOST players. Returns CLOTH_OK or an error. */
int game_open(game *g, int columns, int rows, int players);
void game_close(game *g);

/* Plays a frame with the inputs of all players, in their order. Returns a negative cloth_error on failure. */
int game_advance(game *g, const input *inputs);

/* A small kick that no input tells of, as a bug would cause it. */
int game_corrupt(game *g);

/* Writes the hash of the start's portable image to *hash. Returns CLOTH_OK or an error. */
int game_image_hash(const game *g, uint64_t *hash);

#endif /* LOCKSTEP_GAME_H */
