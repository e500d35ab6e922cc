/* Cloths for tests of saves, images and hashes: a config for everything that a state can hold, a scripted life that
   uses it, and a cloth that must stay as it is while what is wrong is refused. SPDX-License-Identifier: MIT */
#ifndef SAVED_CLOTHS_H
#define SAVED_CLOTHS_H

#include "image_words.h"

/// Configs ///

#define MAP_LIMIT 512

static float mass_map[MAP_LIMIT], stiffness_map[MAP_LIMIT];

/* All values are exact, so that every build computes them. */
static inline void fill_maps(void) {
  for (int i = 0; i < MAP_LIMIT; i++) {
    mass_map[i] = 0.5f + 0.25f * (float)(i % 4);
    stiffness_map[i] = 0.75f + 0.25f * (float)(i % 3);
  }
}

/* 15 particles: the last word of the freedoms has a byte to spare. */
static inline cloth_config implicit_config(void) {
  cloth_config config = cloth_config_default();
  use_projection(&config);
  config.columns = 5;
  config.rows = 3;
  config.origin = vector_at(-0.5, 0.5, -0.5);
  config.air.drag = 0.5f;
  config.substeps = 4;
  config.max_colliders = 4;
  config.capacity.max_confined = 3;
  config.world.origin.x = 100000;
  config.world.origin.z = -7;
  return config;
}

static inline cloth_config plain_config(void) {
  cloth_config config = implicit_config();
  use_two_tiers(&config);
  config.substeps = 4;
  return config;
}

/* Iterations until a tolerance, without levels. */
static inline cloth_config tolerance_config(void) {
  cloth_config config = plain_config();
  config.solver.preconditioner = CLOTH_PRECONDITIONER_BLOCK;
  config.solver.tolerance = 0.01f;
  config.solver.max_iterations = 20;
  return config;
}

static inline cloth_config map_config(void) {
  cloth_config config = plain_config();
  config.grid.mass_map = mass_map;
  config.grid.stiffness_map = stiffness_map;
  return config;
}

/* Maps, air, a strain limit, some terms explicit, second order, tethers. */
static inline cloth_config full_config(void) {
  cloth_config config = implicit_config();
  config.grid.mass_map = mass_map;
  config.grid.stiffness_map = stiffness_map;
  config.integration.explicit_threshold = 0.2f;
  config.strain_limit.max_extension = 0.03f;
  config.air.lift = 0.5f;
  config.air.normal_drag = 0.25f;
  return config;
}

/* Soft springs, some of which are explicit. */
static inline cloth_config soft_map_config(void) {
  cloth_config config = implicit_config();
  config.integration.explicit_threshold = 1.0f;
  config.columns = 9;
  config.rows = 7;
  config.grid.mass_map = mass_map;
  config.grid.stiffness_map = stiffness_map;
  config.fabric.shear_compression = 0.5f;
  config.fabric.stretch_warp = 20.0f;
  config.fabric.stretch_weft = 40.0f;
  config.fabric.shear = 10.0f;
  return config;
}

static inline cloth_config one_tether_config(void) {
  cloth_config config = implicit_config();
  config.integration.bdf2_blend = 0.0f;
  config.tethers.count = 1;
  config.tethers.scale = 1.125f;
  return config;
}

/* The second-order prediction, although nothing is implicit. */
static inline cloth_config soft_config(void) {
  cloth_config config = implicit_config();
  config.integration.method = CLOTH_INTEGRATION_EXPLICIT_ONLY;
  config.fabric.stretch_warp = config.fabric.stretch_weft = 100.0f;
  config.fabric.shear = 50.0f;
  config.tethers.count = 0;
  config.substeps = 32;
  return config;
}

/* As many particles as make planes keep apart. */
static inline cloth_config pads_config(void) {
  cloth_config config = implicit_config();
  config.columns = 32;
  config.rows = 16;
  config.integration.bdf2_blend = 0.5f;
  return config;
}

/* Two coarser grids. */
static inline cloth_config multilevel_config(void) {
  cloth_config config = plain_config();
  config.columns = 21;
  config.rows = 6;
  config.iterations = 9;
  return config;
}

static inline cloth_config diagonal_config(void) {
  cloth_config config = full_config();
  config.columns = 9;
  config.rows = 7;
  config.solver.preconditioner = CLOTH_PRECONDITIONER_DIAGONAL;
  return config;
}

static inline cloth_config explicit_config(void) {
  cloth_config config = plain_config();
  config.integration.method = CLOTH_INTEGRATION_EXPLICIT_ONLY;
  config.fabric.stretch_warp = 100.0f;
  config.fabric.stretch_weft = 100.0f;
  config.fabric.shear = 50.0f;
  config.substeps = 32;
  return config;
}

/* Settings of a solver that there is none of. */
static inline cloth_config explicit_full_config(void) {
  cloth_config config = explicit_config();
  config.solver.preconditioner = CLOTH_PRECONDITIONER_BLOCK;
  config.solver.tolerance = 0.01f;
  config.iterations = 30;
  return config;
}

static inline cloth_config automatic_config(void) {
  cloth_config config = full_config();
  config.integration.method = CLOTH_INTEGRATION_IMPLICIT;
  config.substeps = 0;
  config.integration.max_substeps = 6;
  return config;
}

/* No colliders, nothing confined. */
static inline cloth_config bare_config(void) {
  cloth_config config = plain_config();
  config.columns = 4;
  config.rows = 4;
  config.max_colliders = 0;
  config.capacity.max_confined = 0;
  return config;
}

/* Led by targets, in gusts. */
static inline cloth_config targets_config(void) {
  cloth_config config = implicit_config();
  config.capacity.targets = 1;
  config.air.drag = 1.0f;
  return config;
}

/* Tubes: with everything that takes room, or with a strain limit. */
static inline cloth_config tube_config(void) {
  cloth_config config = full_config();
  config.grid.wrap = 1;
  return config;
}

static inline cloth_config limited_tube_config(void) {
  cloth_config config = implicit_config();
  config.grid.wrap = 1;
  config.columns = 9;
  config.rows = 7;
  config.strain_limit.max_extension = 0.1f;
  return config;
}

typedef struct named_config {
  const char *name;
  cloth_config (*config)(void);
} named_config;

static const named_config state_configs[] = {
    {"plain", plain_config},
    {"tolerance", tolerance_config},
    {"maps", map_config},
    {"everything", full_config},
    {"explicit only", explicit_config},
    {"explicit only, everything", explicit_full_config},
    {"automatic substeps", automatic_config},
    {"no capacities", bare_config},
    {"implicit", implicit_config},
    {"soft, maps", soft_map_config},
    {"one tether", one_tether_config},
    {"explicit, second order", soft_config},
    {"planes with pads", pads_config},
    {"multilevel", multilevel_config},
    {"diagonal preconditioner", diagonal_config},
    {"targets and gusts", targets_config},
    {"tube", tube_config},
    {"limited tube", limited_tube_config},
};

#define STATE_CONFIG_COUNT ((int)(sizeof state_configs / sizeof state_configs[0]))

/* The config of state_configs that a test runs with. */
static int tested_config_number;

static inline const char *config_name(int number) {
  return state_configs[number].name;
}

static inline void select_config(int number) {
  tested_config_number = number;
}

static const test_cases every_config = {0, STATE_CONFIG_COUNT, config_name, select_config};

/// A life ///

static inline cloth_collider ball_collider(void) {
  cloth_collider ball = cloth_collider_default();
  ball.pose.position = vector_at(0.0, 0.25, 0.0);
  return ball;
}

static inline cloth_collider box_collider(void) {
  cloth_collider box = cloth_collider_default();
  box.shape = CLOTH_SHAPE_BOX;
  box.half_extents = vector_at(0.25, 0.125, 0.5);
  box.pose.position = vector_at(0.5, 0.25, 0.0);
  return box;
}

static inline cloth_collider capsule_collider(void) {
  cloth_collider capsule = cloth_collider_default();
  capsule.shape = CLOTH_SHAPE_CAPSULE;
  capsule.radius = 0.125f;
  capsule.radius_top = 0.0625f;
  capsule.half_height = 0.25f;
  capsule.pose.position = vector_at(-0.5, 0.25, 0.25);
  return capsule;
}

/* Calls that use whatever the config has room for. Their results do not matter: what is full or refused is so in every
   cloth of the same state. */
static inline void live_start(cloth *sheet) {
  cloth_collider ball = ball_collider(), box = box_collider(), capsule = capsule_collider();
  cloth_add_collider(sheet, &ball);
  cloth_add_collider(sheet, &box);
  cloth_add_collider(sheet, &capsule);
  cloth_pin(sheet, 0);
  cloth_pin(sheet, 4);
  cloth_set_pin_velocity(sheet, 4, vector_at(0.0, 0.125, 0.25));
  cloth_confine_to_line(sheet, 2, vector_at(0.0, 2.0, 0.0));
  cloth_confine_to_plane(sheet, 7, vector_at(1.0, 1.0, 0.0));
  cloth_set_wind(sheet, vector_at(2.0, 0.0, 1.0));
  cloth_vector_view x;
  cloth_get_positions(sheet, &x);
  const cloth_motion_constraint constraint = {0.125f, 0.03125f, 0.5f, 0.0f};
  for (int i = 0; i < x.count; i += 2) {
    if (cloth_set_motion_constraint(sheet, i, &constraint) != CLOTH_OK)
      return; /* a cloth without targets goes without gusts, too */
  }
  const cloth_gusts gusts = {{2.0f, 0.5f, 1.0f}, 0.75f, 0.5f, 11};
  cloth_set_gusts(sheet, &gusts);
}

/* Has all targets move towards a swaying plane. */
static inline void live_targets(cloth *sheet, double swing) {
  enum { MOST = 16 * 16 };
  cloth_vector vertices[2 * MOST];
  cloth_vector_view x;
  cloth_get_positions(sheet, &x);
  for (int i = 0; i < x.count && i < MOST; i++) {
    vertices[2 * i] = vector_at(-0.5 + 0.25 * (i % 5), 0.5 + swing, -0.5 + 0.25 * (i / 5));
    vertices[2 * i + 1] = vector_at(swing, 1.0, 0.0);
  }
  const cloth_vertex_layout layout = {2 * sizeof(cloth_vector), 0, sizeof(cloth_vector), CLOTH_ATTRIBUTE_NONE};
  cloth_move_targets(sheet, &layout, vertices, sizeof vertices);
}

/* A step with the origin moved. Returns what the step does. */
static inline int live_elsewhere(cloth *sheet) {
  cloth_metres origin, moved;
  cloth_get_origin(sheet, &origin);
  moved = origin;
  moved.x += 3;
  moved.y -= 16;
  cloth_set_origin(&sheet, 1, moved);
  int result = cloth_step(sheet, FRAME);
  cloth_set_origin(&sheet, 1, origin);
  return result;
}

/* One frame with calls before it. Returns what the step does. */
static inline int live_frame(cloth *sheet, int frame) {
  double swing = frame % 8 < 4 ? 0.0625 : -0.0625;
  if (frame % 4 == 1) cloth_move_pin(sheet, 0, vector_at(-0.5, 0.5 + swing, -0.5));
  if (frame % 5 == 2) {
    cloth_pose pose = {vector_at(0.0, 0.25, swing), rotation_none()};
    cloth_move_collider(sheet, 0, NULL, &pose);
  }
  if (frame % 16 == 7) cloth_release(sheet, 2);
  if (frame % 16 == 11) cloth_confine_to_line(sheet, 2, vector_at(0.0, 1.0, 0.5));
  if (frame % 16 == 9) cloth_apply_impulse(sheet, 9, vector_at(0.0, 0.001, 0.0));
  if (frame % 3 == 1) live_targets(sheet, swing);
  return frame % 4 == 2 ? live_elsewhere(sheet) : cloth_step(sheet, FRAME);
}

static inline void live(cloth *sheet, int from, int to) {
  for (int frame = from; frame < to; frame++) {
    int result = live_frame(sheet, frame);
    CHECK(result >= 0, "frame %d: %s", frame, cloth_result_name(result));
  }
}

/* A cloth in the middle of its life. */
static inline fixture living(const cloth_config *config) {
  fixture s = fixture_make(config);
  live_start(s.sheet);
  live(s.sheet, 0, 12);
  return s;
}

/* A cloth with its image, and its arena as it was, which every refusal must leave alone. */
typedef struct image_fixture {
  fixture s;
  image_map at;
  unsigned char *before;
  unsigned char *image;
  unsigned char *trial; /* the image with something changed */
  size_t bytes;
} image_fixture;

static inline image_fixture image_fixture_make(const cloth_config *config) {
  image_fixture t;
  t.s = living(config);
  t.at = map_of(config);
  t.bytes = t.s.memory.image_bytes;
  t.before = copy_bytes(t.s.arena, t.s.memory.total_bytes);
  t.image = copy_bytes(t.s.arena, t.bytes);
  int result = cloth_write_image(t.s.sheet, t.image, t.bytes);
  CHECK(result == CLOTH_OK, "cloth_write_image: %s", cloth_result_name(result));
  CHECK(4 * t.at.first[REGION_COUNT] == t.bytes, "%d words in an image of %d bytes", (int)t.at.first[REGION_COUNT],
        (int)t.bytes);
  t.trial = copy_bytes(t.image, t.bytes);
  return t;
}

static inline void image_fixture_free(image_fixture *t) {
  free(t->before);
  free(t->image);
  free(t->trial);
  fixture_free(&t->s);
}

static inline int is_untouched(const image_fixture *t) {
  return memcmp(t->s.arena, t->before, t->s.memory.total_bytes) == 0;
}

static inline void put_back(image_fixture *t) {
  memcpy(t->s.arena, t->before, t->s.memory.total_bytes);
}

static inline void expect_refusal(image_fixture *t, int result, int error, const char *what) {
  CHECK(result == error, "%s gave %s instead of %s", what, cloth_result_name(result), cloth_result_name(error));
  CHECK(is_untouched(t), "%s changed the arena", what);
  put_back(t);
}

#define REFUSED(fixture, call, error) expect_refusal((fixture), (call), (error), #call)

/* A cloth of the same config that has lived differently, in an arena that lies differently. */
static inline fixture stranger(const cloth_config *config, size_t shift) {
  fixture s = fixture_make(config);
  free(s.allocation);
  s.arena = guarded_buffer(s.memory.total_bytes, shift, &s.allocation);
  memset(s.arena, 0x3e, s.memory.total_bytes);
  int result = cloth_init(config, s.arena, s.memory.total_bytes, &s.sheet);
  CHECK(result == CLOTH_OK, "cloth_init: %s", cloth_result_name(result));
  cloth_collider capsule = capsule_collider();
  for (int i = 0; i < config->max_colliders; i++)
    cloth_add_collider(s.sheet, &capsule);
  for (int i = 0; i < config->capacity.max_confined; i++)
    cloth_confine_to_plane(s.sheet, 5 + i, vector_at(0.0, 0.0, 1.0));
  cloth_pin(s.sheet, 3);
  run_steps(s.sheet, 3, FRAME);
  return s;
}

#endif /* SAVED_CLOTHS_H */
