/* A small writer of PNG and animated PNG (APNG): 8-bit RGB, libc only. SPDX-License-Identifier: MIT */
#ifndef PNG_H
#define PNG_H

#include <stdint.h>
#include <stdio.h>

/* Writes width x height pixels of 3 bytes, top row first, to a file. Returns 0, or -1 if memory or disk ran out. */
int png_write(const char *path, int width, int height, const uint8_t *rgb);

/* An animation while it is written. */
typedef struct png_animation {
  FILE *file;
  int width, height;
  int frames_per_second;
  int written;      /* frames */
  uint32_t number;  /* of the next chunk of the animation */
  uint8_t *current; /* the frame written last */
  int failed;       /* 1: memory ran out */
} png_animation;

/* Begins an animation of `frames` frames, which repeats for ever. Returns 0, or -1 if memory or disk ran out. */
int png_animation_begin(png_animation *a, const char *path, int width, int height, int frames);

/* Writes the next frame: width x height pixels of 3 bytes. Of all frames but the first only the rectangle that differs
   from the frame before is stored. A failure shows when the animation ends. */
void png_animation_add(png_animation *a, const uint8_t *rgb);

/* Ends the animation after as many frames as it was begun with. Returns 0, or -1 if memory or disk ran out. */
int png_animation_end(png_animation *a);

#endif /* PNG_H */
