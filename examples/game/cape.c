/* SPDX-License-Identifier: MIT */
#include "cape.h"
#include "meander.h"
#include "pose.h"

#include <stddef.h>

const float cape_length = 1.12f;

/* A cape that feels all of its wearer's motion flies like a flag, and one that feels nothing hangs like a bell. */
static const cloth_inertia inertia = {.linear = 0.5f, .angular = 0.5f, .centrifugal = 0.5f};

/* Near the shoulders a cape keeps to them, or it would fly over the head; further down it is free. */
static const float leeway_slope = 0.8f; /* metres for each metre down */
static const float held_length = 0.5f;  /* [m] */

/* It does not get into the back either, however fast that moves: a ball behind each particle's place on the skin. */
static const float backstop_distance = 0.1f, backstop_radius = 0.3f; /* [m] */

static const cloth_vector breeze = {0.3f, 0, 0.8f}; /* [m/s] */
static const cloth_gusts gusts = {.strength = {0.5f, 0, 0.5f}, .period = 2, .seed = 3};

/* It keeps off itself, and off the skirt and the curtain, which it touches in a group (world.c). It is put on
   leaning back, off the skirt, and let down within a second: cloth that starts inside other cloth has to find its way
   out. */
static const float cloth_distance = 0.016f; /* [m] */
static const float start_lean = 0.35f;      /* metres back for each metre down, at the start ... */
static const float lean_rate = 0.35f;       /* ... and less of it in a second */

static cloth_config describe(const cloth_vector *positions) {
  cloth_config config = cloth_config_default();
  config.columns = CAPE_COLUMNS;
  config.rows = CAPE_ROWS;
  config.edge_warp = vector(meander_length(CAPE_COLUMNS, positions), 0, 0);
  config.edge_weft = vector(0, -cape_length, 0);
  config.grid.positions = positions;
  cloth_fabric_preset(CLOTH_FABRIC_WOOL, &config.fabric);
  config.wind = breeze;
  config.capacity.targets = 1;
  config.integration.velocity_damping = 0.5f;
  config.substeps = 4;
  config.integration.bdf2_blend = 0.6f;
  config.thickness = 0.015f;
  config.max_colliders = FIGURE_LIMBS;
  config.capacity.max_confined = 0;
  config.self_thickness = cloth_distance;
  config.self_friction = 0.1f;
  config.tethers.count = 1; /* the one straight up: a second one leads across the folds */
  return config;
}

static void lay_collar(cape *c) {
  static const meander edge = {
      .origin = {-0.07f, 0.075f, -0.27f}, .width = 1.35f, .turn = 0.23f, .swing = 0.26f, .folds = 7};
  meander_lay(&edge, CAPE_COLUMNS, c->collar);
}

static float length_down(int32_t row) {
  return cape_length * (float)row / (float)(CAPE_ROWS - 1);
}

/* The skin hangs from the collar and turns with the shoulders; its normals point away from the spine. Where it leans
   back it is turned as a whole, its collar higher behind. */
static void lay_skin(cape *c, const walker *w) {
  const float along = 1.0f / length(vector(1, c->lean, 0)), back = c->lean * along;
  for (int32_t i = 0; i < CAPE_PARTICLES; i++) {
    cloth_vector collar = c->collar[i % CAPE_COLUMNS];
    float down = length_down(i / CAPE_COLUMNS);
    cloth_vector place = vector(along * collar.x - back * down, collar.y - back * collar.x - along * down, collar.z);
    cloth_vector away = plus(place, vector(collar.x, 0, collar.z));
    c->skin[i].position = walker_from_shoulders(w, place);
    c->skin[i].normal = minus(walker_from_shoulders(w, away), c->skin[i].position);
  }
}

float cape_leeway(int32_t row) {
  float down = length_down(row);
  return down < held_length ? leeway_slope * down : CLOTH_ANY_DISTANCE;
}

static int hold_row(cape *c, int32_t row) {
  int is_held = cape_leeway(row) < CLOTH_ANY_DISTANCE;
  const cloth_motion_constraint constraint = {.max_distance = cape_leeway(row),
                                              .backstop_distance = backstop_distance,
                                              .backstop_radius = is_held ? backstop_radius : 0};
  int result = CLOTH_OK;
  for (int32_t i = 0; i < CAPE_COLUMNS && result >= 0; i++)
    result = cloth_set_motion_constraint(c->cloth.sheet, row * CAPE_COLUMNS + i, &constraint);
  return result;
}

static int hold_rows(cape *c) {
  int result = CLOTH_OK;
  for (int32_t row = 1; row < CAPE_ROWS && result >= 0; row++)
    result = hold_row(c, row);
  return result;
}

static int pin_collar(cape *c) {
  int result = CLOTH_OK;
  for (int32_t i = 0; i < CAPE_COLUMNS && result >= 0; i++)
    result = cloth_pin(c->cloth.sheet, i);
  return result;
}

int cape_open(cape *c, store *memory, const walker *w) {
  cloth_vector positions[CAPE_PARTICLES];
  c->cloth.name = "cape";
  lay_collar(c);
  c->lean = start_lean;
  lay_skin(c, w);
  for (int32_t i = 0; i < CAPE_PARTICLES; i++)
    positions[i] = c->skin[i].position;
  cloth_config config = describe(positions);
  int result = piece_reserve(&c->cloth, memory, &config);
  if (result >= 0) result = piece_make(&c->cloth, &config);
  if (result >= 0) result = pin_collar(c);
  if (result >= 0) result = hold_rows(c);
  if (result >= 0) result = cloth_set_gusts(c->cloth.sheet, &gusts);
  return result < 0 ? result : touch_begin(&c->wearer, c->cloth.sheet, w);
}

static int move_collar(cape *c) {
  int result = CLOTH_OK;
  for (int32_t i = 0; i < CAPE_COLUMNS && result >= 0; i++)
    result = cloth_move_pin(c->cloth.sheet, i, c->skin[i].position);
  return result;
}

static int move_skin(cape *c, const walker *w) {
  static const cloth_vertex_layout layout = {sizeof(render_vertex), offsetof(render_vertex, position),
                                             offsetof(render_vertex, normal), CLOTH_ATTRIBUTE_NONE};
  lay_skin(c, w);
  return cloth_move_targets(c->cloth.sheet, &layout, c->skin, sizeof c->skin);
}

int cape_move(cape *c, const walker *w, float dt) {
  c->lean = c->lean > lean_rate * dt ? c->lean - lean_rate * dt : 0;
  cloth *sheet = c->cloth.sheet;
  int result = cloth_move_frame(sheet, &w->root_before, &w->root, &inertia, dt, touch_mask(&c->wearer));
  if (result >= 0) result = move_skin(c, w);
  if (result >= 0) result = move_collar(c);
  return result < 0 ? result : touch_move(&c->wearer, sheet, w);
}

int cape_teleport(cape *c, const walker *w, const cloth_pose *from, float dt) {
  int result = cloth_move_frame(c->cloth.sheet, from, &w->root, NULL, dt, touch_mask(&c->wearer));
  return result < 0 ? result : piece_snap(&c->cloth);
}
