/*
 * A player without hands: what it asks for, by the step.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GAME_SCRIPT_H
#define GAME_SCRIPT_H

#include "walker.h"

enum { SCRIPT_STEPS = 1320 };

/* The steps in which it teleports, away and back. */
enum { SCRIPT_LEAP = 930, SCRIPT_RETURN = 1080 };

controls script_controls(int step);

#endif /* GAME_SCRIPT_H */
