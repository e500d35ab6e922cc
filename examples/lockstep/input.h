/*
 * What a player does in a frame, as the bytes that travel: integers, so that all machines make the same floats of
 * them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LOCKSTEP_INPUT_H
#define LOCKSTEP_INPUT_H

#include <stdint.h>

enum { PLAYERS_LEAST = 2, PLAYERS_MOST = 4 };

/* Which byte is what. The sticks go from 0 to 255 with INPUT_CENTRE in the middle. */
enum { INPUT_HAND_ACROSS, INPUT_HAND_UP, INPUT_BALL, INPUT_BLOW, INPUT_BUTTONS, INPUT_BYTES };
enum { INPUT_STICKS = INPUT_BUTTONS, INPUT_CENTRE = 128 };
enum { BUTTON_LET_GO = 1, BUTTON_KICK = 2 };

typedef struct input {
  uint8_t bytes[INPUT_BYTES];
} input;

/* Sticks centred, no button pressed. */
static const input input_neutral = {{INPUT_CENTRE, INPUT_CENTRE, INPUT_CENTRE, INPUT_CENTRE, 0}};

#endif /* LOCKSTEP_INPUT_H */
