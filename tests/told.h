/* What is told of a cloth, by known_scenes.c: two hashes, of results and of the work that was done; and cloths to be
   told of. SPDX-License-Identifier: MIT */
#ifndef TOLD_H
#define TOLD_H

#include "support.h"

#define VERSION_BYTES 12 /* of an image, at its beginning: they rise without a change of what is computed */

enum { MOST_PARTICLES = 4400 };

/// What is told ///

static uint64_t told, worked; /* of the scene that runs */

static void fold(uint64_t *hash, uint32_t word) {
  *hash = (*hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  *hash ^= *hash >> 29;
}

static void tell(uint32_t word) {
  fold(&told, word);
}

static void tell_wide(uint64_t value) {
  tell((uint32_t)value);
  tell((uint32_t)(value >> 32));
}

/* Of 32 bits each, whatever they are, without gaps. */
static void tell_words(const void *words, size_t bytes) {
  for (size_t n = 0; n + 4 <= bytes; n += 4) {
    uint32_t word;
    memcpy(&word, (const unsigned char *)words + n, sizeof word);
    tell(word);
  }
}

static int checked(int result, const char *call) {
  CHECK(result >= 0, "%s: %s", call, cloth_result_name(result));
  tell((uint32_t)result);
  return result;
}
#define DONE(call) checked((call), #call)

/* Work differs with the width of lanes, and ticks between machines. */
static void tell_work(const uint32_t work[2]) {
  fold(&worked, work[0]);
  fold(&worked, work[1]);
}

static void tell_statistics(const cloth *sheet) {
  cloth_statistics s = read_statistics(sheet);
  tell_work(s.work);
  memset(s.work, 0, sizeof s.work);
  memset(s.ticks, 0, sizeof s.ticks);
  tell_words(&s, sizeof s);
  cloth_self_statistics self;
  if (cloth_get_self_statistics(sheet, &self) == CLOTH_OK) tell_words(&self, sizeof self);
  uint64_t bound = 0;
  DONE(cloth_get_work_bound(sheet, FRAME, &bound));
  tell_wide(bound);
}

static void tell_drawing(const cloth *sheet) {
  static float vertices[8 * 3 * MOST_PARTICLES];
  static uint32_t indices[18 * MOST_PARTICLES];
  const int count = cloth_get_vertex_count(sheet), corners = cloth_get_index_count(sheet);
  CHECK(count <= 3 * MOST_PARTICLES && corners <= 18 * MOST_PARTICLES, "%d vertices, %d indices", count, corners);
  DONE(cloth_write_vertices(sheet, &layout_usual, vertices, sizeof vertices));
  DONE(cloth_write_indices32(sheet, 3, indices, sizeof indices / sizeof indices[0]));
  tell_words(vertices, (size_t)count * 32);
  tell_words(indices, (size_t)corners * 4);
}

static void tell_point(int result, const cloth_surface_point *found) {
  tell((uint32_t)result);
  if (result == 1) tell_words(found, sizeof *found);
}

/* Rays through the box of the cloth, thin and thick, and points nearest to places in and around it. */
static void tell_queries(const cloth *sheet) {
  cloth_vector low, high;
  cloth_surface_point found;
  DONE(cloth_get_bounds(sheet, &low, &high));
  tell_words(&low, sizeof low);
  tell_words(&high, sizeof high);
  for (int n = 0; n < 12; n++) {
    const double u = n % 4 / 3.0, v = n / 4 / 2.0;
    cloth_vector from = low, to = high;
    from.x += (high.x - low.x) * (float)u;
    from.z += (high.z - low.z) * (float)v;
    to.x -= (high.x - low.x) * (float)(0.75 * v);
    const cloth_ray ray = {from, {to.x - from.x + 0.01f, to.y - from.y, to.z - from.z}, 3.0f, n % 3 ? 0.0f : 0.03f};
    tell_point(cloth_cast_ray(sheet, &ray, &found), &found);
    from.y = n % 2 ? low.y - 0.125f : 0.5f * (low.y + high.y);
    tell_point(cloth_find_nearest(sheet, from, n % 5 ? CLOTH_ANY_DISTANCE : 0.125f, &found), &found);
  }
}

static void tell_forces(const cloth *sheet) {
  cloth_contact contacts[64];
  cloth_reaction reaction;
  cloth_body body;
  cloth_pose pose;
  cloth_vector_view x;
  cloth_vector impulse;
  const int count = cloth_get_contacts(sheet, contacts, 64);
  tell((uint32_t)count);
  for (int n = 0; n < count && n < 64; n++)
    tell_words(&contacts[n], sizeof contacts[n]);
  for (int n = 0; n < 8; n++) {
    if (cloth_get_collider_reaction(sheet, n, &reaction) == CLOTH_OK) tell_words(&reaction, sizeof reaction);
    if (cloth_get_body(sheet, n, &body, &pose) == CLOTH_OK) {
      tell_words(&body, sizeof body);
      tell_words(&pose, sizeof pose);
    }
  }
  cloth_get_positions(sheet, &x);
  for (int i = 0; i < x.count; i++) {
    int32_t pins[2] = {-2, -2};
    cloth_get_tether(sheet, i, 0, &pins[0]);
    cloth_get_tether(sheet, i, 1, &pins[1]);
    tell_words(pins, sizeof pins);
    if (cloth_get_pin_reaction(sheet, i, &impulse) == CLOTH_OK) tell_words(&impulse, sizeof impulse);
  }
}

static void tell_measures(const cloth *sheet) {
  cloth_measures measures;
  cloth_vector wind;
  DONE(cloth_measure(sheet, &measures));
  tell_words(&measures, sizeof measures);
  DONE(cloth_get_wind(sheet, &wind));
  tell_words(&wind, sizeof wind);
}

static void tell_state(const cloth *sheet) {
  tell_wide(read_hash(sheet));
  tell_statistics(sheet);
}

/* The state as others have it, who must be able to go on with it. */
static void tell_saves(cloth *sheet) {
  static unsigned char image[400 * MOST_PARTICLES];
  cloth_memory memory;
  DONE(cloth_get_memory(sheet, &memory));
  CHECK(memory.image_bytes <= sizeof image && memory.saved_bytes <= sizeof image, "%d bytes", (int)memory.image_bytes);
  tell_wide(memory.state_bytes);
  fold(&worked, (uint32_t)memory.total_bytes); /* scratch has rows of whole lanes */
  DONE(cloth_write_image(sheet, image, memory.image_bytes));
  tell_words(image + VERSION_BYTES, memory.image_bytes - VERSION_BYTES);
  DONE(cloth_read_image(sheet, image, memory.image_bytes));
  DONE(cloth_save(sheet, image, memory.saved_bytes));
  DONE(cloth_load(sheet, image, memory.saved_bytes));
  tell_wide(read_hash(sheet));
}

static void tell_all(cloth *sheet) {
  tell_state(sheet);
  tell_measures(sheet);
  tell_drawing(sheet);
  tell_queries(sheet);
  tell_forces(sheet);
  tell_saves(sheet);
}

/// Cloths ///

/* A level sheet of `spacing` around the middle. */
static cloth_config sheet_of(int columns, int rows, double spacing, double height) {
  cloth_config config = cloth_config_default();
  config.columns = columns;
  config.rows = rows;
  config.edge_warp = vector_at(spacing * (columns - 1), 0, 0);
  config.edge_weft = vector_at(0, 0, spacing * (rows - 1));
  config.origin = vector_at(-0.5 * spacing * (columns - 1), height, -0.5 * spacing * (rows - 1));
  config.substeps = 4;
  config.max_colliders = 8;
  config.capacity.max_contacts = 64;
  config.capacity.pin_reactions = 1;
  config.tearing.max_torn_cells = 30;
  return config;
}

static const cloth_rotation turns[6] = {{0.0f, 0.0f, 0.0f, 1.0f},   {0.6f, 0.0f, 0.0f, 0.8f},
                                        {0.0f, 0.28f, 0.0f, 0.96f}, {0.0f, 0.0f, -0.6f, 0.8f},
                                        {0.5f, 0.5f, 0.5f, 0.5f},   {0.28f, 0.0f, 0.96f, 0.0f}};

static void pin_corners(const fixture *s) {
  DONE(cloth_pin(s->sheet, 0));
  DONE(cloth_pin(s->sheet, s->columns - 1));
}

/* All particles get a velocity, which differs from one to the next. */
static void throw_all(const fixture *s, double x, double y, double z) {
  for (int i = 0; i < s->count; i++) {
    if (cloth_get_freedom(s->sheet, i) == 3)
      cloth_set_particle(s->sheet, i, vector_of(position_of(s->sheet, i)),
                         vector_at(x + 0.125 * (i % 3), y - 0.25 * (i % 5), z - 0.125 * (i % 7)));
  }
}

static void step_told(const fixture *s, const cloth_surroundings *around) {
  DONE(cloth_step_with(s->sheet, FRAME, around));
  tell_state(s->sheet);
}

#endif /* TOLD_H */
