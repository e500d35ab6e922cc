/* SPDX-License-Identifier: MIT */
#include "plot.h"

#include <math.h>
#include <stdio.h>

enum { TEXT_SCALE = 2, LEFT_MARGIN = 110, RIGHT_MARGIN = 30, TOP_MARGIN = 50, BOTTOM_MARGIN = 60, PANEL_HEAD = 34 };

static const uint32_t ink = 0x303438, grid = 0xe2e4e8, frame_colour = 0xa0a4aa;

typedef struct axis {
  float low, high; /* values at the ends */
  float tick;      /* between ticks */
} axis;

/* The smallest of 1, 2, 5 times a power of ten that parts the span in no more than `most` steps. */
static float nice_step(float span, int most) {
  float step = powf(10, floorf(log10f(span / (float)most)));
  static const float factors[] = {1, 2, 5};
  for (int i = 0; i < 3; i++)
    if (span <= step * factors[i] * (float)most) return step * factors[i];
  return step * 10;
}

static axis axis_from(float low, float high, int most_ticks) {
  axis result = {low, high, 1};
  if (high - low < 1e-9f) result.high = high = low + 1;
  result.tick = nice_step(high - low, most_ticks);
  return result;
}

/* The values of all curves with zero in view, out to whole ticks. */
static axis value_axis(const plot_panel *panel, int samples) {
  float low = 0, high = 0;
  for (int c = 0; c < panel->curve_count; c++)
    for (int i = 0; i < samples; i++) {
      low = fminf(low, panel->curves[c].values[i]);
      high = fmaxf(high, panel->curves[c].values[i]);
    }
  axis result = axis_from(low, high, 5);
  result.low = floorf(result.low / result.tick) * result.tick;
  result.high = ceilf(result.high / result.tick) * result.tick;
  return result;
}

static float place_on(const axis *a, float value, float from, float to) {
  return from + (to - from) * (value - a->low) / (a->high - a->low);
}

static int last_tick(const axis *a) {
  return (int)floorf(a->high / a->tick + 0.001f);
}

static int first_tick(const axis *a) {
  return (int)ceilf(a->low / a->tick - 0.001f);
}

static void draw_value_axis(image *picture, const axis *a, rectangle area) {
  char label[32];
  for (int i = first_tick(a); i <= last_tick(a); i++) {
    float value = (float)i * a->tick;
    float y = floorf(place_on(a, value, (float)(area.y + area.height), (float)area.y)) + 0.5f;
    image_line(picture, (float)area.x, y, (float)(area.x + area.width), y, 1, i == 0 ? frame_colour : grid);
    snprintf(label, sizeof label, "%g", (double)value);
    image_text(picture, area.x - 10 - text_width(TEXT_SCALE, label), (int)y - TEXT_HEIGHT, TEXT_SCALE, ink, label);
  }
}

static void draw_time_axis(image *picture, const axis *a, rectangle area, int labelled) {
  char label[32];
  for (int i = first_tick(a); i <= last_tick(a); i++) {
    float value = (float)i * a->tick;
    float x = floorf(place_on(a, value, (float)area.x, (float)(area.x + area.width))) + 0.5f;
    image_line(picture, x, (float)area.y, x, (float)(area.y + area.height), 1, grid);
    snprintf(label, sizeof label, "%g", (double)value);
    if (labelled)
      image_text(picture, (int)x - text_width(TEXT_SCALE, label) / 2, area.y + area.height + 10, TEXT_SCALE, ink,
                 label);
  }
}

static void draw_border(image *picture, rectangle area) {
  float left = (float)area.x + 0.5f, right = left + (float)area.width;
  float top = (float)area.y + 0.5f, bottom = top + (float)area.height;
  image_line(picture, left, top, right, top, 1, frame_colour);
  image_line(picture, left, bottom, right, bottom, 1, frame_colour);
  image_line(picture, left, top, left, bottom, 1, frame_colour);
  image_line(picture, right, top, right, bottom, 1, frame_colour);
}

static void draw_curve(image *picture, const plot_curve *curve, const plot *what, const axis *x_axis,
                       const axis *y_axis, rectangle area) {
  float left = (float)area.x, right = (float)(area.x + area.width);
  float top = (float)area.y, bottom = (float)(area.y + area.height);
  for (int i = 1; i < what->samples; i++) {
    float x0 = place_on(x_axis, (float)(i - 1) * what->x_step, left, right);
    float x1 = place_on(x_axis, (float)i * what->x_step, left, right);
    float y0 = place_on(y_axis, curve->values[i - 1], bottom, top);
    float y1 = place_on(y_axis, curve->values[i], bottom, top);
    image_line(picture, x0, y0, x1, y1, 2, curve->colour);
  }
}

/* The panel's title on the left and its legend on the right, above the frame. */
static void draw_panel_head(image *picture, const plot_panel *panel, rectangle area) {
  int y = area.y - 22, x = area.x + area.width;
  image_text(picture, area.x, y, TEXT_SCALE, ink, panel->title);
  for (int c = panel->curve_count - 1; c >= 0; c--) {
    const plot_curve *curve = &panel->curves[c];
    x -= text_width(TEXT_SCALE, curve->name);
    image_text(picture, x, y, TEXT_SCALE, ink, curve->name);
    image_fill(picture, (rectangle){x - 34, y + 5, 24, 4}, curve->colour);
    x -= 60;
  }
}

void plot_draw(image *picture, const plot *what) {
  int height = (picture->height - TOP_MARGIN - BOTTOM_MARGIN) / what->panel_count;
  axis x_axis = axis_from(0, what->x_step * (float)(what->samples - 1), 12);
  image_text(picture, LEFT_MARGIN, 16, TEXT_SCALE, ink, what->title);
  for (int p = 0; p < what->panel_count; p++) {
    const plot_panel *panel = &what->panels[p];
    rectangle area = {LEFT_MARGIN, TOP_MARGIN + p * height + PANEL_HEAD, picture->width - LEFT_MARGIN - RIGHT_MARGIN,
                      height - PANEL_HEAD - 10};
    axis y_axis = value_axis(panel, what->samples);
    draw_time_axis(picture, &x_axis, area, p == what->panel_count - 1);
    draw_value_axis(picture, &y_axis, area);
    draw_border(picture, area);
    draw_panel_head(picture, panel, area);
    for (int c = 0; c < panel->curve_count; c++)
      draw_curve(picture, &panel->curves[c], what, &x_axis, &y_axis, area);
  }
  image_text(picture, (picture->width - text_width(TEXT_SCALE, what->x_label)) / 2, picture->height - 26, TEXT_SCALE,
             ink, what->x_label);
}
