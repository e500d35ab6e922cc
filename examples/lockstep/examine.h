/*
 * What helps to find where two machines, or two runs on one, part: a test that plays every frame again, a dump of a
 * state, and the first difference of two dumps.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LOCKSTEP_EXAMINE_H
#define LOCKSTEP_EXAMINE_H

#include "game.h"

#include <stdint.h>

enum { SYNC_FRAMES_LIMIT = 60 };

typedef struct sync_options {
  int columns, rows;
  int players;      /* PLAYERS_LEAST to PLAYERS_MOST */
  int frames;       /* to play */
  int back;         /* frames that are played again after each; 1..SYNC_FRAMES_LIMIT */
  int seed;         /* of the bots */
  int corrupt;      /* frame at which the state is disturbed when it is played first; below 0 for none */
  const char *dump; /* file for the state that differs, as text; or NULL */
} sync_options;

/* Plays a game of bots; after every frame goes back `back` frames, plays them again, and compares the hash with
   that of the first time. Says where they part, by the first field that differs. Returns EXIT_SUCCESS or EXIT_FAILURE.
 */
int sync_test(const sync_options *options);

/* Prints what a rollback of eight frames takes, with a save before each, for some settings and for those that
   cloth_plan() finds for four milliseconds. Returns EXIT_SUCCESS, or EXIT_FAILURE if a call failed. */
int print_costs(void);

/* Writes the portable image of the game's state to a file. Returns 1, or 0 if that failed. */
int write_dump(const game *g, const char *name);

/* What a dump is of: the image says neither. */
typedef struct dump_game {
  int columns, rows, players;
} dump_game;

/* Prints the first difference of two dumps of such games. Returns EXIT_SUCCESS if there is none, else EXIT_FAILURE. */
int compare_dumps(const char *first, const char *second, const dump_game *of);

#endif /* LOCKSTEP_EXAMINE_H */
