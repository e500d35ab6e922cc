/* SPDX-License-Identifier: MIT */
#include "person.h"
#include "game/pose.h"
#include "meander.h"

static const float cape_length = 1.05f; /* [m] */

/* Of the collar: from one shoulder around the back to the other, without folds, so that every grid has the same line.
 */
static const meander collar_line = {.origin = {-0.02f, 0.05f, -0.2f}, .width = 0.48f, .turn = 0.3f};

typedef struct person_level {
  int32_t columns, rows, substeps;
  float farthest;  /* from the eye [m] */
  uint32_t bodies; /* limbs that the cape feels: a bit for each */
} person_level;

/* All limbs; trunk, shoulders, legs and upper arms; trunk and thighs. */
static const person_level levels[PERSON_LEVELS] = {
    {PERSON_COLUMNS_MOST, PERSON_ROWS_MOST, 10, 8, 0x7fff}, {12, 20, 6, 18, 0x2b67}, {7, 11, 4, 45, 0x0123}};
static const float hysteresis = 1; /* [m], so that nobody at a border switches to and fro */

/// Where it is ///

/* In turns around its circle. */
static float angle_at(const person *p, float time) {
  return p->stands ? p->start : p->start + time * figure_speed / (6.2831853f * p->radius);
}

cloth_vector person_place(const person *p, float time) {
  const float angle = angle_at(p, time);
  return plus(p->middle, vector(p->radius * cosine(angle), 0, -p->radius * wave(angle)));
}

/* A figure walks towards its own +x: along the circle. */
static cloth_pose root_at(const person *p, float time) {
  return (cloth_pose){person_place(p, time), heading_rotation(angle_at(p, time) + 0.25f)};
}

static figure_stance stance_at(const person *p, float time) {
  const float phase = p->start + time * figure_strides;
  return (figure_stance){.phase = p->stands ? 0 : phase, .stride = p->stands ? 0.0f : 1.0f};
}

void person_limbs(const person *p, float time, limb limbs[FIGURE_LIMBS]) {
  const cloth_pose root = root_at(p, time);
  const figure_stance stance = stance_at(p, time);
  figure_limbs(&stance, limbs);
  for (int i = 0; i < FIGURE_LIMBS; i++) {
    limbs[i].low = point_within(&root, limbs[i].low);
    limbs[i].high = point_within(&root, limbs[i].high);
  }
}

/* Of the upper edge of the cape. */
static void collar_at(const person *p, float time, cloth_vector *line) {
  const cloth_pose root = root_at(p, time);
  const figure_stance stance = stance_at(p, time);
  const figure_shoulders shoulders = figure_shoulders_at(&stance);
  for (int i = 0; i < p->columns; i++)
    line[i] = point_within(&root, figure_from_shoulders(&shoulders, p->collar[i]));
}

/// Its cape ///

static cloth_config describe(int level, const cloth_vector *positions) {
  cloth_config config = cloth_config_default();
  config.columns = levels[level].columns;
  config.rows = levels[level].rows;
  config.edge_warp = vector(collar_line.width, 0, 0);
  config.edge_weft = vector(0, -cape_length, 0);
  config.grid.positions = positions;
  cloth_fabric_preset(CLOTH_FABRIC_WOOL, &config.fabric);
  config.substeps = levels[level].substeps;
  config.max_colliders = FIGURE_LIMBS;
  config.sleep.speed = 0.05f;
  config.integration.velocity_damping = 0.5f;
  config.capacity.max_confined = 0;
  config.capacity.shared_scratch = 1;
  return config;
}

int person_memory(cloth_memory *memory) {
  const cloth_config config = describe(0, NULL);
  return cloth_memory_needed(&config, memory);
}

static int add_bodies(person *p, float time) {
  limb limbs[FIGURE_LIMBS];
  int result = CLOTH_OK;
  person_limbs(p, time, limbs);
  for (int i = 0; i < FIGURE_LIMBS && result >= 0; i++) {
    p->bodies[i] = -1;
    if (levels[p->level].bodies >> i & 1) {
      const cloth_collider body = limb_collider(&limbs[i]);
      result = p->bodies[i] = cloth_add_collider(p->sheet, &body);
    }
  }
  return result;
}

/* Makes the cape of a level, with particles at these positions, in the place of the one there was. */
static int make(person *p, int level, const cloth_vector *positions, float time, void *scratch, size_t scratch_bytes) {
  const cloth_config config = describe(level, positions);
  int result = cloth_init(&config, p->arena, p->arena_bytes, &p->sheet);
  if (result >= 0) result = cloth_set_scratch(p->sheet, scratch, scratch_bytes);
  for (int32_t i = 0; i < config.columns && result >= 0; i++)
    result = cloth_pin(p->sheet, i);
  return result < 0 ? result : add_bodies(p, time);
}

static void take_grid(person *p, int level) {
  p->level = level;
  p->columns = levels[level].columns;
  p->rows = levels[level].rows;
  meander_lay(&collar_line, p->columns, p->collar);
}

int person_open(person *p, void *scratch, size_t scratch_bytes) {
  cloth_vector line[PERSON_COLUMNS_MOST], positions[PERSON_PARTICLES_MOST];
  take_grid(p, 0);
  collar_at(p, 0, line);
  for (int i = 0; i < p->columns * p->rows; i++) {
    const float down = cape_length * (float)(i / p->columns) / (float)(p->rows - 1);
    positions[i] = minus(line[i % p->columns], vector(0, down, 0));
  }
  return make(p, 0, positions, 0, scratch, scratch_bytes);
}

/// Levels of detail ///

/* A value between the particles of a grid, u along its columns and v along its rows, 0..1. */
static cloth_vector sample(const person *p, const cloth_vector *values, float u, float v) {
  const float x = u * (float)(p->columns - 1), y = v * (float)(p->rows - 1);
  const int column = x < (float)(p->columns - 2) ? (int)x : p->columns - 2;
  const int row = y < (float)(p->rows - 2) ? (int)y : p->rows - 2;
  const cloth_vector *corner = values + row * p->columns + column, *below = corner + p->columns;
  return mixed(mixed(corner[0], corner[1], x - (float)column), mixed(below[0], below[1], x - (float)column),
               y - (float)row);
}

/* Puts a cape of another grid in the place of this one: its shape and its motion, read between the particles. */
static int switch_level(person *p, int level, float time, void *scratch, size_t scratch_bytes) {
  cloth_vector places[PERSON_PARTICLES_MOST], motions[PERSON_PARTICLES_MOST];
  cloth_vector new_places[PERSON_PARTICLES_MOST], new_motions[PERSON_PARTICLES_MOST];
  const int columns = levels[level].columns, count = columns * levels[level].rows;
  for (int i = 0; i < p->columns * p->rows; i++) {
    cloth_get_position(p->sheet, i, &places[i]);
    cloth_get_velocity(p->sheet, i, &motions[i]);
  }
  for (int i = 0; i < count; i++) {
    const float u = (float)(i % columns) / (float)(columns - 1);
    const float v = (float)(i / columns) / (float)(levels[level].rows - 1);
    new_places[i] = sample(p, places, u, v);
    new_motions[i] = sample(p, motions, u, v);
  }
  take_grid(p, level);
  p->switches++;
  int result = make(p, level, new_places, time, scratch, scratch_bytes);
  for (int i = columns; i < count && result >= 0; i++)
    result = cloth_set_particle(p->sheet, i, new_places[i], new_motions[i]);
  return result;
}

static int level_for(const person *p, float distance) {
  int level = 0;
  while (level < PERSON_OUT_OF_SIGHT &&
         distance > levels[level].farthest + (level < p->level ? -hysteresis : hysteresis))
    level++;
  return level;
}

/// Steps ///

static int move(person *p, float time) {
  cloth_vector line[PERSON_COLUMNS_MOST];
  limb limbs[FIGURE_LIMBS];
  int result = CLOTH_OK;
  collar_at(p, time, line);
  person_limbs(p, time, limbs);
  for (int i = 0; i < p->columns && result >= 0; i++)
    result = cloth_move_pin(p->sheet, i, line[i]);
  for (int i = 0; i < FIGURE_LIMBS && result >= 0; i++)
    if (p->bodies[i] >= 0) {
      const cloth_pose pose = limb_pose(&limbs[i]);
      result = cloth_move_collider(p->sheet, p->bodies[i], NULL, &pose);
    }
  return result;
}

/* A cape that was out of sight comes back as its wearer's pose has it. */
static int take_along(person *p, float from, float to, float dt) {
  const cloth_pose before = root_at(p, from), after = root_at(p, to);
  return cloth_move_frame(p->sheet, &before, &after, NULL, dt, (UINT64_C(1) << FIGURE_LIMBS) - 1);
}

int person_step(person *p, float time, float dt, cloth_vector eye, void *scratch, size_t scratch_bytes) {
  const int level = level_for(p, length(minus(person_place(p, time), eye)));
  int result = cloth_set_scratch(p->sheet, scratch, scratch_bytes);
  p->is_seen = level < PERSON_OUT_OF_SIGHT;
  if (result >= 0 && !p->is_seen) return take_along(p, time - dt, time, dt);
  if (result >= 0 && level != p->level) result = switch_level(p, level, time - dt, scratch, scratch_bytes);
  if (result >= 0) result = move(p, time);
  return result < 0 ? result : cloth_step(p->sheet, dt);
}
