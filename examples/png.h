/* A small PNG writer: 8-bit RGB, libc only. SPDX-License-Identifier: MIT */
#ifndef PNG_H
#define PNG_H

#include <stdint.h>

/* Writes width x height pixels of 3 bytes, top row first, to a file. Returns 0, or -1 if memory or disk ran out. */
int png_write(const char *path, int width, int height, const uint8_t *rgb);

#endif /* PNG_H */
