/* SPDX-License-Identifier: MIT */
#include "scenes.h"

#include <stdint.h>
#include <stdlib.h>

static const float sphere_radius = 0.25f, drop_height = 0.1f;

static void describe_hang(scene *s) {
  s->name = "hang";
  s->pins = SCENE_PINS_CORNERS;
  s->config.integration.velocity_damping = 0.1f;
}

static void describe_rest(scene *s) {
  describe_hang(s);
  s->name = "rest";
  s->config.integration.velocity_damping = 3;
  s->frames = 300;
}

static void describe_drape(scene *s) {
  s->name = "drape";
  s->config.thickness = 0.01f;
  s->config.origin.y = sphere_radius + s->config.thickness + drop_height;
  cloth_collider *sphere = &s->colliders[s->collider_count++];
  *sphere = cloth_collider_default();
  sphere->radius = sphere_radius;
  sphere->pose.position = (cloth_vector){0.5f, 0, 0.5f};
  sphere->static_friction = 0.5f;
  sphere->kinetic_friction = 0.5f;
}

static void describe_flag(scene *s) {
  const float speed = 8, cos_15 = 0.9659258f, sin_15 = 0.2588190f;
  s->name = "flag";
  s->pins = SCENE_PINS_COLUMN;
  s->frames = 300;
  s->config.origin = (cloth_vector){0, 1, 0};
  s->config.edge_weft = (cloth_vector){0, -1, 0};
  s->config.wind = (cloth_vector){speed * cos_15, 0, speed * sin_15};
  s->config.air.density = 1.2f;
  s->config.air.drag = 1;
  s->config.air.lift = 1;
  s->config.air.normal_drag = 0;
}

scene scene_describe(scene_kind kind, int n) {
  static void (*const describe[SCENE_KIND_COUNT])(scene *) = {describe_hang, describe_rest, describe_drape,
                                                              describe_flag};
  scene s = {0};
  s.frames = 180;
  s.frame_time = 1.0f / 60.0f;
  s.config = cloth_config_default();
  s.config.columns = n;
  s.config.rows = n;
  s.config.edge_warp = (cloth_vector){1, 0, 0};
  s.config.edge_weft = (cloth_vector){0, 0, 1};
  s.config.fabric.density = 0.2f;
  s.config.air.density = 0; /* but for the flag: the sheets that tests/quality.c compares with feel no air */
  describe[kind](&s);
  return s;
}

void scene_add_floor(scene *description, float height) {
  cloth_collider *ground = &description->colliders[description->collider_count++];
  *ground = cloth_collider_default();
  ground->shape = CLOTH_SHAPE_PLANE;
  ground->pose.position = (cloth_vector){0, height, 0};
}

static int pin_at(cloth *sheet, int column, int row) {
  int particle = cloth_particle_at(sheet, column, row);
  return particle < 0 ? particle : cloth_pin(sheet, particle);
}

static int pin_corners(cloth *sheet, int columns) {
  int result = pin_at(sheet, 0, 0);
  return result < 0 ? result : pin_at(sheet, columns - 1, 0);
}

static int pin_row(cloth *sheet, int columns) {
  int result = CLOTH_OK;
  for (int column = 0; column < columns && result >= 0; column++)
    result = pin_at(sheet, column, 0);
  return result;
}

static int pin_column(cloth *sheet, int rows) {
  int result = CLOTH_OK;
  for (int row = 0; row < rows && result >= 0; row++)
    result = pin_at(sheet, 0, row);
  return result;
}

static int set_pins(const scene *description, cloth *sheet) {
  if (description->pins == SCENE_PINS_CORNERS) return pin_corners(sheet, description->config.columns);
  if (description->pins == SCENE_PINS_ROW) return pin_row(sheet, description->config.columns);
  if (description->pins == SCENE_PINS_COLUMN) return pin_column(sheet, description->config.rows);
  return CLOTH_OK;
}

static int add_colliders(const scene *description, cloth *sheet) {
  int result = CLOTH_OK;
  for (int i = 0; i < description->collider_count && result >= 0; i++)
    result = cloth_add_collider(sheet, &description->colliders[i]);
  return result;
}

int scene_build(const scene *description, void *arena, size_t bytes, cloth **sheet) {
  int result = cloth_init(&description->config, arena, bytes, sheet);
  if (result >= 0) result = set_pins(description, *sheet);
  if (result >= 0) result = add_colliders(description, *sheet);
  return result < 0 ? result : CLOTH_OK;
}

static void *align_up(void *block) {
  uintptr_t address = (uintptr_t)block;
  size_t past = (size_t)(address % CLOTH_ALIGNMENT);
  return (char *)block + (past ? CLOTH_ALIGNMENT - past : 0);
}

int scene_open(const scene *description, scene_instance *instance) {
  cloth_memory memory;
  int result = cloth_memory_needed(&description->config, &memory);
  *instance = (scene_instance){NULL, 0, NULL};
  if (result < 0) return result;
  instance->block = malloc(memory.total_bytes + CLOTH_ALIGNMENT);
  if (!instance->block) return CLOTH_ERROR_ARENA;
  instance->bytes = memory.total_bytes;
  result = scene_build(description, align_up(instance->block), instance->bytes, &instance->sheet);
  if (result < 0) scene_close(instance);
  return result;
}

void scene_close(scene_instance *instance) {
  free(instance->block);
  *instance = (scene_instance){NULL, 0, NULL};
}
