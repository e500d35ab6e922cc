/* SPDX-License-Identifier: MIT */
#include "flag.h"
#include "pose.h"

enum { PARTICLES_MOST = FLAG_COLUMNS_MOST * FLAG_ROWS_MOST, OUTLINE_SAMPLES = 64 };

const cloth_vector flag_place = {2, 3.2f, -2.2f};
static const float width = 1.8f, height = 1.2f; /* [m] */
static const cloth_vector wind = {6, 0, 0.8f};  /* [m/s] */

typedef struct flag_level {
  int32_t columns, rows, substeps;
  float farthest; /* from the camera [m] */
} flag_level;

static const flag_level levels[FLAG_LEVELS] = {
    {FLAG_COLUMNS_MOST, FLAG_ROWS_MOST, 8, 7.5f}, {16, 11, 6, 13}, {10, 7, 4, 1e9f}};
static const float hysteresis = 1; /* [m], so that a camera at the border does not switch to and fro */

/* A grid of places and velocities, to read between its particles. */
typedef struct motion {
  int32_t columns, rows;
  cloth_vector positions[PARTICLES_MOST], velocities[PARTICLES_MOST];
} motion;

/// Levels of detail ///

static cloth_config describe(int level, const cloth_vector *positions) {
  cloth_config config = cloth_config_default();
  config.columns = levels[level].columns;
  config.rows = levels[level].rows;
  config.origin = flag_place;
  config.edge_warp = vector(width, 0, 0);
  config.edge_weft = vector(0, -height, 0);
  config.grid.positions = positions;
  config.wind = wind;
  cloth_fabric_preset(CLOTH_FABRIC_POLYESTER, &config.fabric);
  config.substeps = levels[level].substeps;
  config.integration.bdf2_blend = 0.8f;
  config.max_colliders = 0;
  config.capacity.max_confined = 0;
  config.capacity.shared_scratch = 1;
  return config;
}

/* The gusts of a new cloth go on where those of the one before it were. */
static int set_gusts(const flag *f) {
  const cloth_gusts gusts = {.strength = {2.5f, 0.5f, 2.0f}, .period = 1.5f, .start = f->time, .seed = 1};
  return cloth_set_gusts(f->cloth.sheet, &gusts);
}

static int make(flag *f, int level, const cloth_vector *positions) {
  cloth_config config = describe(level, positions);
  int result = piece_make(&f->cloth, &config);
  for (int32_t row = 0; row < config.rows && result >= 0; row++)
    result = cloth_pin(f->cloth.sheet, row * config.columns);
  f->level = level;
  return result < 0 ? result : set_gusts(f);
}

static void note_motion(const piece *p, motion *m) {
  m->columns = p->columns;
  m->rows = p->rows;
  for (int32_t i = 0; i < m->columns * m->rows; i++) {
    cloth_get_position(p->sheet, i, &m->positions[i]);
    cloth_get_velocity(p->sheet, i, &m->velocities[i]);
  }
}

/* A value at a place on the cloth, u along its columns and v along its rows, 0..1. */
static cloth_vector sample(const motion *m, const cloth_vector *values, float u, float v) {
  float x = u * (float)(m->columns - 1), y = v * (float)(m->rows - 1);
  int32_t column = (int32_t)x, row = (int32_t)y;
  column -= column == m->columns - 1;
  row -= row == m->rows - 1;
  const cloth_vector *corner = values + row * m->columns + column;
  cloth_vector above = mixed(corner[0], corner[1], x - (float)column);
  cloth_vector below = mixed(corner[m->columns], corner[m->columns + 1], x - (float)column);
  return mixed(above, below, y - (float)row);
}

static void resample(const motion *from, motion *to) {
  for (int32_t i = 0; i < to->columns * to->rows; i++) {
    float u = (float)(i % to->columns) / (float)(to->columns - 1);
    float v = (float)(i / to->columns) / (float)(to->rows - 1);
    to->positions[i] = sample(from, from->positions, u, v);
    to->velocities[i] = sample(from, from->velocities, u, v);
  }
}

static float distance_at(const motion *a, const motion *b, float u, float v) {
  return length(minus(sample(a, a->positions, u, v), sample(b, b->positions, u, v)));
}

static float larger(float a, float b) {
  return a > b ? a : b;
}

/* How far the outline of one is from that of the other. */
static float outline_distance(const motion *a, const motion *b) {
  float most = 0;
  for (int i = 0; i <= OUTLINE_SAMPLES; i++) {
    float along = (float)i / OUTLINE_SAMPLES;
    most = larger(most, larger(distance_at(a, b, along, 0), distance_at(a, b, along, 1)));
    most = larger(most, larger(distance_at(a, b, 0, along), distance_at(a, b, 1, along)));
  }
  return most;
}

static int switch_level(flag *f, int level, float distance) {
  motion old, new = {.columns = levels[level].columns, .rows = levels[level].rows};
  note_motion(&f->cloth, &old);
  resample(&old, &new);
  float jump = outline_distance(&old, &new);
  f->jump = larger(f->jump, jump);
  f->angle = larger(f->angle, jump / distance);
  f->switches++;
  int result = make(f, level, new.positions);
  int32_t count = new.columns *new.rows;
  for (int32_t i = 0; i < count && result >= 0; i++)
    if (i % new.columns > 0) result = cloth_set_particle(f->cloth.sheet, i, new.positions[i], new.velocities[i]);
  return result;
}

static int level_for(const flag *f, float distance) {
  int level = 0;
  while (distance > levels[level].farthest + (level < f->level ? -hysteresis : hysteresis))
    level++;
  return level;
}

/// Steps ///

int flag_open(flag *f, store *memory) {
  cloth_config config = describe(0, NULL);
  f->cloth.name = "flag";
  int result = piece_reserve(&f->cloth, memory, &config);
  return result < 0 ? result : make(f, 0, NULL);
}

int flag_step(flag *f, cloth_vector eye, float dt) {
  float distance = length(minus(eye, flag_place));
  int level = level_for(f, distance);
  int result = level == f->level ? CLOTH_OK : switch_level(f, level, distance);
  f->time += dt;
  return result < 0 ? result : piece_step(&f->cloth, dt);
}
