/* SPDX-License-Identifier: MIT */
#include "skirt.h"
#include "meander.h"
#include "pose.h"

static const float skirt_length = 0.46f, waist_height = 0.1f; /* above the hips [m] */
static const float cloth_distance = 0.016f;                   /* from the cape and the curtain [m] */
static const cloth_inertia inertia = {.linear = 0.3f, .angular = 0.5f, .centrifugal = 0.5f};

static cloth_config describe(const cloth_vector *positions, float width) {
  cloth_config config = cloth_config_default();
  config.columns = SKIRT_COLUMNS;
  config.rows = SKIRT_ROWS;
  config.grid.wrap = 1;
  config.edge_warp = vector(width, 0, 0);
  config.edge_weft = vector(0, -skirt_length, 0);
  config.grid.positions = positions;
  cloth_fabric_preset(CLOTH_FABRIC_COTTON, &config.fabric);
  config.integration.velocity_damping = 1;
  config.substeps = 4;
  config.integration.bdf2_blend = 0.6f;
  config.max_colliders = FIGURE_LIMBS;
  config.capacity.max_confined = 0;
  config.self_thickness = cloth_distance;
  config.self_friction = 0.1f;
  config.self.gathers = 0;
  config.tethers.count = 0;
  return config;
}

/* A ring in folds, whose end meets its start; it is moved so that the hips are in its middle. Returns how long it is
   from particle to particle. */
static float lay_waist(skirt *s) {
  static const meander edge = {.width = 1.3f, .turn = 1, .swing = 0.13f, .folds = 7};
  cloth_vector line[SKIRT_COLUMNS + 1], sum = {0, 0, 0};
  meander_lay(&edge, SKIRT_COLUMNS + 1, line);
  for (int32_t i = 0; i < SKIRT_COLUMNS; i++)
    sum = plus(sum, line[i]);
  cloth_vector middle = minus(times(1.0f / SKIRT_COLUMNS, sum), vector(0, waist_height, 0));
  for (int32_t i = 0; i < SKIRT_COLUMNS; i++)
    s->waist[i] = minus(line[i], middle);
  return meander_length(SKIRT_COLUMNS + 1, line);
}

static void lay_cloth(const skirt *s, const walker *w, cloth_vector *positions) {
  for (int32_t i = 0; i < SKIRT_COLUMNS * SKIRT_ROWS; i++) {
    float down = skirt_length * (float)(i / SKIRT_COLUMNS) / (float)(SKIRT_ROWS - 1);
    positions[i] = walker_from_hips(w, minus(s->waist[i % SKIRT_COLUMNS], vector(0, down, 0)));
  }
}

static int pin_waist(skirt *s) {
  int result = CLOTH_OK;
  for (int32_t i = 0; i < SKIRT_COLUMNS && result >= 0; i++)
    result = cloth_pin(s->cloth.sheet, i);
  return result;
}

int skirt_open(skirt *s, store *memory, const walker *w) {
  cloth_vector positions[SKIRT_COLUMNS * SKIRT_ROWS];
  s->cloth.name = "skirt";
  float width = lay_waist(s);
  lay_cloth(s, w, positions);
  cloth_config config = describe(positions, width);
  int result = piece_reserve(&s->cloth, memory, &config);
  if (result >= 0) result = piece_make(&s->cloth, &config);
  if (result >= 0) result = pin_waist(s);
  return result < 0 ? result : touch_begin(&s->wearer, s->cloth.sheet, w);
}

static int move_waist(skirt *s, const walker *w) {
  int result = CLOTH_OK;
  for (int32_t i = 0; i < SKIRT_COLUMNS && result >= 0; i++)
    result = cloth_move_pin(s->cloth.sheet, i, walker_from_hips(w, s->waist[i]));
  return result;
}

int skirt_move(skirt *s, const walker *w, float dt) {
  cloth *sheet = s->cloth.sheet;
  int result = cloth_move_frame(sheet, &w->root_before, &w->root, &inertia, dt, touch_mask(&s->wearer));
  if (result >= 0) result = move_waist(s, w);
  return result < 0 ? result : touch_move(&s->wearer, sheet, w);
}

int skirt_teleport(skirt *s, const walker *w, const cloth_pose *from, float dt) {
  int result = cloth_move_frame(s->cloth.sheet, from, &w->root, NULL, dt, touch_mask(&s->wearer));
  return result < 0 ? result : piece_snap(&s->cloth);
}
