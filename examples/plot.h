/* Line plots on stacked panels. SPDX-License-Identifier: MIT */
#ifndef PLOT_H
#define PLOT_H

#include "image.h"

typedef struct plot_curve {
  const char *name;
  const float *values; /* one a sample */
  uint32_t colour;
} plot_curve;

enum { PLOT_CURVE_LIMIT = 4 };

typedef struct plot_panel {
  const char *title;
  plot_curve curves[PLOT_CURVE_LIMIT];
  int curve_count;
} plot_panel;

typedef struct plot {
  const char *title;
  const char *x_label;
  float x_step; /* from one sample to the next */
  int samples;
  const plot_panel *panels; /* from top to bottom */
  int panel_count;
} plot;

/* Draws a plot over the whole image. */
void plot_draw(image *picture, const plot *what);

#endif /* PLOT_H */
