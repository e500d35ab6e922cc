/* SPDX-License-Identifier: MIT */
#include "curtain.h"
#include "meander.h"
#include "pose.h"

const cloth_vector curtain_place = {4, 2.2f, 0};
static const float panel_height = 1.9f;     /* [m] */
static const float cloth_distance = 0.016f; /* of the panels from each other and from what the walker wears [m] */
static const float reach = 0.9f;            /* of a walker, from the middle of its feet [m] */

static cloth_config describe(const cloth_vector *positions) {
  cloth_config config = cloth_config_default();
  config.columns = CURTAIN_COLUMNS;
  config.rows = CURTAIN_ROWS;
  config.edge_warp = vector(meander_length(CURTAIN_COLUMNS, positions), 0, 0);
  config.edge_weft = vector(0, -panel_height, 0);
  config.grid.positions = positions;
  cloth_fabric_preset(CLOTH_FABRIC_COTTON, &config.fabric);
  config.integration.velocity_damping = 1;
  config.substeps = 4;
  config.integration.bdf2_blend = 0.6f;
  config.thickness = 0.03f;
  config.max_colliders = FIGURE_LIMBS;
  config.capacity.max_confined = 0;
  config.self_thickness = cloth_distance;
  config.self_friction = 0.1f;
  config.self.gathers = 0;
  config.sleep.speed = 0.05f;
  return config;
}

/* One panel hangs to either side of the middle, its first column there. */
static void lay_panel(cloth_vector *positions, float side) {
  static const meander edge = {.width = 1.4f, .swing = 0.17f, .folds = 4};
  cloth_vector line[CURTAIN_COLUMNS];
  meander_lay(&edge, CURTAIN_COLUMNS, line);
  for (int32_t i = 0; i < CURTAIN_COLUMNS * CURTAIN_ROWS; i++) {
    cloth_vector at = line[i % CURTAIN_COLUMNS];
    float down = panel_height * (float)(i / CURTAIN_COLUMNS) / (float)(CURTAIN_ROWS - 1);
    positions[i] = plus(curtain_place, vector(at.z, -down, side * (at.x + 0.02f)));
  }
}

static int open_panel(piece *p, store *memory, float side) {
  cloth_vector positions[CURTAIN_COLUMNS * CURTAIN_ROWS];
  lay_panel(positions, side);
  cloth_config config = describe(positions);
  p->name = side < 0 ? "curtain, left" : "curtain, right";
  int result = piece_reserve(p, memory, &config);
  if (result >= 0) result = piece_make(p, &config);
  for (int32_t i = 0; i < CURTAIN_COLUMNS && result >= 0; i++)
    result = cloth_pin(p->sheet, i);
  return result;
}

int curtain_open(curtain *c, store *memory) {
  int result = open_panel(&c->panels[0], memory, -1);
  return result < 0 ? result : open_panel(&c->panels[1], memory, 1);
}

/* The game's broad phase: a walker out of reach is no collider of the panel, and its steps do not wake it. */
static int is_in_reach(const piece *p, const walker *w) {
  cloth_vector low, high;
  if (cloth_get_bounds(p->sheet, &low, &high) < 0) return 0;
  return w->place.x > low.x - reach && w->place.x < high.x + reach && w->place.z > low.z - reach &&
         w->place.z < high.z + reach;
}

static int move_panel(piece *p, touch *visitor, const walker *w) {
  int result = is_in_reach(p, w) ? touch_begin(visitor, p->sheet, w) : touch_end(visitor, p->sheet);
  return result < 0 ? result : touch_move(visitor, p->sheet, w);
}

int curtain_move(curtain *c, const walker *w) {
  int result = CLOTH_OK;
  for (int i = 0; i < CURTAIN_PANELS && result >= 0; i++)
    result = move_panel(&c->panels[i], &c->visitor[i], w);
  return result;
}

int curtain_leave(curtain *c) {
  int result = CLOTH_OK;
  for (int i = 0; i < CURTAIN_PANELS && result >= 0; i++)
    result = touch_end(&c->visitor[i], c->panels[i].sheet);
  return result;
}
