/* SPDX-License-Identifier: MIT */
#include "flag.h"

static const float width = 1.2f, height = 0.8f;

/*
 * The library's defaults, of which two substeps are the most that a Cortex-M7 of 480 MHz is sure to finish within a
 * sixtieth of a second, 8,000,000 cycles: cloth_config_work_bound() gives 3.8 million instructions, of two cycles each
 * to be on the safe side. What a step really takes is half the bound.
 */
cloth_config flag_config(void) {
  cloth_config config = cloth_config_default();
  config.columns = FLAG_SIDE;
  config.rows = FLAG_SIDE;
  config.edge_warp = (cloth_vector){width, 0, 0};
  config.edge_weft = (cloth_vector){0, -height, 0};
  config.integration.max_substeps = config.substeps;
  config.max_colliders = 0; /* bytes for what never comes */
  config.capacity.max_confined = 0;
  return config;
}

int flag_build(void *arena, size_t bytes, cloth **sheet) {
  cloth_config config = flag_config();
  int result = cloth_init(&config, arena, bytes, sheet);
  for (int row = 0; row < FLAG_SIDE && result >= CLOTH_OK; row++)
    result = cloth_pin(*sheet, cloth_particle_at(*sheet, 0, row));
  return result;
}

/* Like a sine, of period 1, without a library. */
static float wave(float time) {
  float phase = time - (float)(int)time;
  return phase < 0.5f ? 16.0f * phase * (0.5f - phase) : 16.0f * (phase - 0.5f) * (phase - 1.0f);
}

void flag_set_wind(cloth *sheet, int frame) {
  float time = (float)frame * FLAG_FRAME_SECONDS;
  float speed = 8.0f + 2.0f * wave(0.4f * time);
  float aside = 0.25f * wave(0.3f * time);
  cloth_set_wind(sheet, (cloth_vector){speed, 0, speed * aside});
}

/// Picture ///

static void clear(flag_picture *picture) {
  for (int row = 0; row < FLAG_PICTURE_ROWS; row++) {
    char *line = picture->lines[row];
    for (int column = 0; column < FLAG_PICTURE_COLUMNS; column++)
      line[column] = column == 0 ? '|' : ' ';
    line[FLAG_PICTURE_COLUMNS] = '\n';
    line[FLAG_PICTURE_COLUMNS + 1] = '\0';
  }
}

/* Room for the flag and a twentieth of a metre around it, the pole at the left. */
static void put(flag_picture *picture, float x, float y, char letter) {
  int column = 1 + (int)(x * ((float)(FLAG_PICTURE_COLUMNS - 2) / (width + 0.05f)));
  int row = (int)((0.05f - y) * ((float)FLAG_PICTURE_ROWS / (height + 0.1f)));
  if (x >= 0.0f && column < FLAG_PICTURE_COLUMNS && y <= 0.05f && row >= 0 && row < FLAG_PICTURE_ROWS)
    picture->lines[row][column] = letter;
}

/* The more a cell faces downwind, the darker. */
static char shade(float towards, float length) {
  static const char letters[] = ".:-=+*#%@";
  int last = (int)sizeof letters - 2;
  int index = (int)(4.5f + 9.0f * towards / length);
  return letters[index < 0 ? 0 : index > last ? last : index];
}

static void draw_cell(const cloth_vector_view *p, int at, flag_picture *picture) {
  enum { ACROSS = 6, DOWN = 3 };
  int right = at + 1, below = at + FLAG_SIDE;
  char letter = shade(p->z[right] - p->z[at], width / (float)(FLAG_SIDE - 1));
  for (int i = 0; i < ACROSS * DOWN; i++) {
    float u = (float)(i % ACROSS) / (float)ACROSS, v = (float)(i / ACROSS) / (float)DOWN;
    float x = p->x[at] + u * (p->x[right] - p->x[at]) + v * (p->x[below] - p->x[at]);
    float y = p->y[at] + u * (p->y[right] - p->y[at]) + v * (p->y[below] - p->y[at]);
    put(picture, x, y, letter);
  }
}

/* From the pole outwards: what is drawn later hides what was drawn before. */
void flag_draw(const cloth *sheet, flag_picture *picture) {
  cloth_vector_view p;
  clear(picture);
  if (cloth_get_positions(sheet, &p) != CLOTH_OK) return;
  for (int column = 0; column < FLAG_SIDE - 1; column++) {
    for (int row = 0; row < FLAG_SIDE - 1; row++)
      draw_cell(&p, row * FLAG_SIDE + column, picture);
  }
}
