/* SPDX-License-Identifier: MIT */
#include "tee.h"
#include "pose.h"

#include <stddef.h>
#include <string.h>

static const shirt_cut cut = {.columns = 15, .rows = 14, .armhole = 7, .neck = 4, .sleeve_rows = 6};
static const float cloth_distance = 0.009f; /* of the shirt from itself; the cape asks for more [m] */
static const float bind_reach = 0.02f;      /* [m] */

/* Limbs by their order in figure.c: head and legs; of a sleeve also the hips and the other arm. */
static const uint32_t out_of_reach[SHIRT_PANELS] = {0x07f0, 0x07f0, 0x1ff2, 0x67f2};
static const cloth_inertia inertia = {.linear = 0.3f, .angular = 0.5f, .centrifugal = 0.5f};

float tee_spacing(void) {
  return shirt_spacing(&cut);
}

static void set_up(cloth_config *config) {
  config->integration.velocity_damping = 1;
  config->substeps = 4;
  config->integration.bdf2_blend = 0.6f;
  config->thickness = 0.014f;
  config->max_colliders = FIGURE_LIMBS;
  config->capacity.max_confined = 0;
  config->self_thickness = cloth_distance;
  config->self_friction = 0.1f;
  config->self.gathers = 0;
  config->tethers.count = 0;
}

static int open_panel(tee *t, int which, store *memory, const walker *w, const limb *limbs, shirt_panel *panel) {
  static const char *const names[SHIRT_PANELS] = {"shirt, front", "shirt, back", "sleeve, left", "sleeve, right"};
  cloth_config config = cloth_config_default();
  piece *p = &t->panels[which];
  cloth_blend *kept = &t->kept[which];
  p->name = names[which];
  shirt_describe(&cut, which, limbs, panel, &config);
  set_up(&config);
  for (int32_t i = 0; i < config.columns * config.rows; i++)
    panel->places[i] = point_within(&w->root, panel->places[i]);
  int result = piece_reserve(p, memory, &config);
  if (result >= 0) result = piece_make(p, &config);
  kept->count = config.columns * config.rows;
  kept->positions = store_take(memory, (size_t)kept->count * sizeof *kept->positions);
  if (result >= 0) result = cloth_keep_positions(p->sheet, kept);
  t->wearer[which].left_out = out_of_reach[which];
  return result < 0 ? result : touch_begin(&t->wearer[which], p->sheet, w);
}

static cloth_group group_of(const tee *t, cloth **sheets) {
  cloth_group group = cloth_group_default();
  for (int i = 0; i < SHIRT_PANELS; i++)
    sheets[i] = t->panels[i].sheet;
  group.cloths = sheets;
  group.count = SHIRT_PANELS;
  group.seams = t->seams;
  group.seam_count = SHIRT_SEAMS;
  return group;
}

static cloth_skin_layout layout_of(const tee *t) {
  const cloth_skin_layout layout = {t->vertex_count, sizeof(render_vertex), offsetof(render_vertex, position),
                                    offsetof(render_vertex, normal), CLOTH_ATTRIBUTE_NONE};
  return layout;
}

/* In a game the mesh comes from an artist; this one is made of the panels. */
static int open_mesh(tee *t, store *memory, const shirt_panel *panels) {
  static const cloth_bind_reach reach = {bind_reach, bind_reach};
  const int32_t limit = shirt_vertex_limit(&cut);
  cloth *sheets[SHIRT_PANELS];
  const cloth_group group = group_of(t, sheets);
  t->index_count = shirt_index_count(&cut);
  t->start = store_take(memory, (size_t)limit * sizeof *t->start);
  t->indices = store_take(memory, (size_t)t->index_count * sizeof *t->indices);
  t->bindings = store_take(memory, (size_t)limit * sizeof *t->bindings);
  if (!t->start || !t->indices || !t->bindings || limit > TEE_VERTICES_MOST) return CLOTH_ERROR_ARENA;
  t->vertex_count = shirt_mesh(&cut, panels, t->start, t->indices);
  const cloth_skin_layout layout = layout_of(t);
  return cloth_bind_group(&group, &layout, t->start, &reach, t->bindings);
}

int tee_open(tee *t, store *memory, const walker *w) {
  shirt_panel panels[SHIRT_PANELS];
  limb limbs[FIGURE_LIMBS];
  int result = CLOTH_OK;
  walker_limbs(w, limbs);
  shirt_sew(&cut, 0, t->seams);
  for (int i = 0; i < SHIRT_PANELS && result >= 0; i++)
    result = open_panel(t, i, memory, w, limbs, &panels[i]);
  return result < 0 ? result : open_mesh(t, memory, panels);
}

static int move_panel(tee *t, int which, const walker *w, const cloth_pose *from, const cloth_inertia *how, float dt) {
  cloth *sheet = t->panels[which].sheet;
  return cloth_move_frame(sheet, from, &w->root, how, dt, touch_mask(&t->wearer[which]));
}

int tee_move(tee *t, const walker *w, float dt) {
  int result = CLOTH_OK;
  for (int i = 0; i < SHIRT_PANELS && result >= 0; i++) {
    result = cloth_keep_positions(t->panels[i].sheet, &t->kept[i]);
    if (result >= 0) result = move_panel(t, i, w, &w->root_before, &inertia, dt);
    if (result >= 0) result = touch_move(&t->wearer[i], t->panels[i].sheet, w);
  }
  return result;
}

int tee_teleport(tee *t, const walker *w, const cloth_pose *from, float dt) {
  int result = CLOTH_OK;
  for (int i = 0; i < SHIRT_PANELS && result >= 0; i++) {
    result = move_panel(t, i, w, from, NULL, dt);
    if (result >= 0) result = piece_snap(&t->panels[i]);
  }
  return result;
}

int tee_blend(const tee *t, float share, render_vertex *vertices) {
  cloth *sheets[SHIRT_PANELS];
  cloth_blend blends[SHIRT_PANELS];
  const cloth_group group = group_of(t, sheets);
  const cloth_skin_layout layout = layout_of(t);
  memcpy(vertices, t->start, (size_t)t->vertex_count * sizeof *vertices);
  for (int i = 0; i < SHIRT_PANELS; i++) {
    blends[i] = t->kept[i];
    blends[i].fraction = share;
  }
  return cloth_skin_group(&group, blends, t->bindings, &layout, NULL, vertices);
}
