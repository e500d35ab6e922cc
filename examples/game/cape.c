/* SPDX-License-Identifier: MIT */
#include "cape.h"
#include "meander.h"
#include "pose.h"

const float cape_length = 1.12f;

/* A cape that feels all of its wearer's motion flies like a flag, and one that feels nothing hangs like a bell. */
static const cloth_inertia inertia = {.linear = 0.5f, .angular = 0.5f, .centrifugal = 0.5f};

static cloth_config describe(const cloth_vector *positions) {
  cloth_config config = cloth_config_default();
  config.columns = CAPE_COLUMNS;
  config.rows = CAPE_ROWS;
  config.edge_warp = vector(meander_length(CAPE_COLUMNS, positions), 0, 0);
  config.edge_weft = vector(0, -cape_length, 0);
  config.positions = positions;
  cloth_fabric_preset(CLOTH_FABRIC_WOOL, &config.fabric);
  config.drag = config.lift = 1;
  config.velocity_damping = 0.5f;
  config.substeps = 10;
  config.fine_sweeps = 2;
  config.extrapolation = 0.6f;
  config.fold_stiffness = 40;
  config.thickness = 0.015f;
  config.max_colliders = FIGURE_LIMBS;
  config.max_confined = 0;
  return config;
}

static void lay_collar(cape *c) {
  static const meander edge = {
      .origin = {-0.05f, 0.06f, -0.27f}, .width = 1.35f, .turn = 0.23f, .swing = 0.26f, .folds = 7};
  meander_lay(&edge, CAPE_COLUMNS, c->collar);
}

static void lay_cloth(const cape *c, const walker *w, cloth_vector *positions) {
  for (int32_t i = 0; i < CAPE_COLUMNS * CAPE_ROWS; i++) {
    float down = cape_length * (float)(i / CAPE_COLUMNS) / (float)(CAPE_ROWS - 1);
    positions[i] = plus(walker_from_shoulders(w, c->collar[i % CAPE_COLUMNS]), vector(0, -down, 0));
  }
}

static int pin_collar(cape *c) {
  int result = CLOTH_OK;
  for (int32_t i = 0; i < CAPE_COLUMNS && result >= 0; i++)
    result = cloth_pin(c->cloth.sheet, i);
  return result;
}

int cape_open(cape *c, store *memory, const walker *w) {
  cloth_vector positions[CAPE_COLUMNS * CAPE_ROWS];
  c->cloth.name = "cape";
  lay_collar(c);
  lay_cloth(c, w, positions);
  cloth_config config = describe(positions);
  int result = piece_reserve(&c->cloth, memory, &config);
  if (result >= 0)
    result = piece_make(&c->cloth, &config);
  if (result >= 0)
    result = pin_collar(c);
  return result < 0 ? result : touch_begin(&c->wearer, c->cloth.sheet, w);
}

static int move_collar(cape *c, const walker *w, float dt) {
  int result = CLOTH_OK;
  for (int32_t i = 0; i < CAPE_COLUMNS && result >= 0; i++)
    result = cloth_set_pin_target(c->cloth.sheet, i, walker_from_shoulders(w, c->collar[i]), dt);
  return result;
}

int cape_step(cape *c, const walker *w, cloth_vector wind, float dt) {
  cloth *sheet = c->cloth.sheet;
  int result = cloth_carry(sheet, &w->root_before, &w->root, &inertia, dt, touch_mask(&c->wearer));
  if (result >= 0)
    result = cloth_set_wind(sheet, wind);
  if (result >= 0)
    result = move_collar(c, w, dt);
  if (result >= 0)
    result = touch_move(&c->wearer, sheet, w);
  return result < 0 ? result : piece_step(&c->cloth, dt);
}

int cape_teleport(cape *c, const walker *w, const cloth_pose *from, float dt) {
  int result = cloth_carry(c->cloth.sheet, from, &w->root, NULL, dt, touch_mask(&c->wearer));
  return result < 0 ? result : piece_snap(&c->cloth);
}
