/*
 * The scene of the board example: a flag of 12 x 12 particles in gusts of wind, and a picture of it in letters. The
 * same source for the boards and for the host that they are compared with.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FLAG_H
#define FLAG_H

#include "cloth.h"

enum {
  FLAG_SIDE = 12,
  FLAG_ARENA_BYTES = 45056, /* at least what cloth_memory_needed() says, which goes with the lanes of the build */
  FLAG_PICTURE_COLUMNS = 72,
  FLAG_PICTURE_ROWS = 22
};
#define FLAG_FRAME_SECONDS (1.0f / 60.0f)

/* Lines of text, each with its end. */
typedef struct flag_picture {
  char lines[FLAG_PICTURE_ROWS][FLAG_PICTURE_COLUMNS + 2];
} flag_picture;

/* Returns how the flag is made and simulated. */
cloth_config flag_config(void);

/* Makes the flag on its pole in an arena aligned to CLOTH_ALIGNMENT. Returns CLOTH_OK or an error. */
int flag_build(void *arena, size_t bytes, cloth **sheet);

/* Sets the wind of a frame, which depends on its number alone. */
void flag_set_wind(cloth *sheet, int frame);

/* Draws the flag as seen across the wind. */
void flag_draw(const cloth *sheet, flag_picture *picture);

#endif
