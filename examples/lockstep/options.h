/*
 * The arguments of the program.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LOCKSTEP_OPTIONS_H
#define LOCKSTEP_OPTIONS_H

#include "input.h"

typedef struct options {
  int player;
  int players;             /* in the game: PLAYERS_LEAST to PLAYERS_MOST */
  int ports[PLAYERS_MOST]; /* by player */
  int back;                /* of "sync" */
  int frames, loss, delay, reorder, flip, seed;
  int columns, rows;
  int fps, timeout;
  int corrupt;           /* frame; -1 for none */
  const char *dump;      /* NULL for none */
  const char *images[2]; /* of "compare" */
  char fault[128];       /* which argument is wrong, and how; "" if none is */
} options;

typedef enum command { COMMAND_NONE, COMMAND_PLAY, COMMAND_SYNC, COMMAND_COMPARE, COMMAND_COSTS } command;

/* Reads the arguments of main(). Returns COMMAND_NONE if they are wrong, and tells in o->fault which. */
command options_read(options *o, int count, char **arguments);

#endif /* LOCKSTEP_OPTIONS_H */
