/* An RGB image to draw lines and text on. SPDX-License-Identifier: MIT */
#ifndef IMAGE_H
#define IMAGE_H

#include <stdint.h>

typedef struct image {
  int width, height;
  uint8_t *rgb; /* 3 bytes a pixel, top row first */
} image;

typedef struct rectangle {
  int x, y, width, height; /* [px], from the top left corner */
} rectangle;

enum { TEXT_ADVANCE = 6, TEXT_HEIGHT = 7 }; /* of a character at scale 1 [px] */

/* Colours are 0xRRGGBB. */

/* Allocates an image of one colour. Returns 0, or -1 if there is no memory. */
int image_create(image *picture, int width, int height, uint32_t colour);
void image_destroy(image *picture);

/* Everything drawn is clipped to the image. */
void image_fill(image *picture, rectangle area, uint32_t colour);
void image_line(image *picture, float x0, float y0, float x1, float y1, float width, uint32_t colour);

/* Draws ASCII text with its top left corner at (x, y), each dot of the font `scale` pixels wide. */
void image_text(image *picture, int x, int y, int scale, uint32_t colour, const char *text);
int text_width(int scale, const char *text);

#endif /* IMAGE_H */
