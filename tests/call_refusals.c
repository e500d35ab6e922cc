/* Calls that are refused, and that a refusal changes nothing: cloths, pointers, particles, inputs, colliders, outputs,
   presets, and the names of errors. SPDX-License-Identifier: MIT */
#include "refusals.h"

/// Refusals: the calls ///

static const cloth_pose pose_here = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};

/* Calls every function that takes a cloth, with arguments that a cloth would accept. */
static void expect_sheet_refused(guarded_fixture *f, cloth *sheet, int error) {
  cloth_collider ball = cloth_collider_default();
  cloth_fabric fabric = cloth_config_default().fabric;
  cloth_vector one = vector_at(1.0, 1.0, 1.0);
  cloth_gusts gusts = {one, 1.0f, 0.0f, 0};
  cloth_metres origin;
  const cloth_cut_line cut = {0.0f, 0.0f, 1.0f, 1.0f};
  REFUSED(f, cloth_set_gusts(sheet, &gusts), error);
  REFUSED(f, cloth_get_wind(sheet, &f->out.a), error);
  REFUSED(f, cloth_get_vertex_count(sheet), error);
  REFUSED(f, cloth_recentre(&sheet, 1, &origin), error);
  REFUSED(f, cloth_cut(sheet, &cut), error);
  REFUSED(f, cloth_move_frame(sheet, &pose_here, &pose_here, NULL, FRAME, 0), error);
  REFUSED(f, cloth_get_memory(sheet, &f->out.memory), error);
  REFUSED(f, cloth_step(sheet, FRAME), error);
  REFUSED(f, cloth_set_gravity(sheet, one), error);
  REFUSED(f, cloth_set_wind(sheet, one), error);
  REFUSED(f, cloth_set_fabric(sheet, &fabric), error);
  REFUSED(f, cloth_particle_at(sheet, 0, 0), error);
  REFUSED(f, cloth_pin(sheet, 0), error);
  REFUSED(f, cloth_set_pin_velocity(sheet, 0, one), error);
  REFUSED(f, cloth_move_pin(sheet, 0, one), error);
  REFUSED(f, cloth_confine_to_line(sheet, 0, one), error);
  REFUSED(f, cloth_confine_to_plane(sheet, 0, one), error);
  REFUSED(f, cloth_release(sheet, 0), error);
  REFUSED(f, cloth_set_tether(sheet, 0, 0, -1), error);
  REFUSED(f, cloth_get_tether(sheet, 0, 0, &f->out.pin), error);
  REFUSED(f, cloth_reset_tethers(sheet), error);
  REFUSED(f, cloth_get_freedom(sheet, 0), error);
  REFUSED(f, cloth_set_particle(sheet, 0, one, one), error);
  REFUSED(f, cloth_apply_impulse(sheet, 0, one), error);
  REFUSED(f, cloth_add_collider(sheet, &ball), error);
  REFUSED(f, cloth_set_collider(sheet, 0, &ball), error);
  REFUSED(f, cloth_move_collider(sheet, 0, &pose_here, &pose_here), error);
  REFUSED(f, cloth_remove_collider(sheet, 0), error);
  REFUSED(f, cloth_get_collider_reaction(sheet, 0, &f->out.reaction), error);
  REFUSED(f, cloth_get_positions(sheet, &f->out.range), error);
  REFUSED(f, cloth_get_velocities(sheet, &f->out.range), error);
  REFUSED(f, cloth_get_position(sheet, 0, &f->out.a), error);
  REFUSED(f, cloth_get_velocity(sheet, 0, &f->out.a), error);
  REFUSED(f, cloth_get_normal(sheet, 0, &f->out.a), error);
  REFUSED(f, cloth_write_vertices(sheet, &layout_usual, f->out.vertices, sizeof f->out.vertices), error);
  REFUSED(f, cloth_get_index_count(sheet), error);
  REFUSED(f, cloth_write_indices16(sheet, 0, f->out.indices16, 96), error);
  REFUSED(f, cloth_write_indices32(sheet, 0, f->out.indices32, 96), error);
  REFUSED(f, cloth_get_bounds(sheet, &f->out.a, &f->out.b), error);
  REFUSED(f, cloth_get_statistics(sheet, &f->out.statistics), error);
  REFUSED(f, cloth_get_substep_iterations(sheet, 0), error);
  REFUSED(f, cloth_measure(sheet, &f->out.measures), error);
}

static cloth_config four_by_four(void) {
  cloth_config config = tested_config();
  config.columns = 4;
  config.rows = 4;
  config.max_colliders = 2;
  config.capacity.max_confined = 2;
  return config;
}

static void test_sheet_refusals(void) {
  cloth_config config = four_by_four();
  guarded_fixture f = guarded_make(&config);
  expect_sheet_refused(&f, NULL, CLOTH_ERROR_NULL);
  const unsigned char fillings[] = {0x00, 0xff, 0x5a};
  for (size_t i = 0; i < sizeof fillings; i++) {
    memset(f.s.arena, fillings[i], f.s.memory.total_bytes);
    guarded_settle(&f);
    expect_sheet_refused(&f, (cloth *)(void *)f.s.arena, CLOTH_ERROR_NOT_A_CLOTH);
  }
  guarded_free(&f);
}

static void test_null_refusals(void) {
  cloth_config config = four_by_four();
  guarded_fixture f = guarded_make(&config);
  cloth *sheet = f.s.sheet;
  cloth_collider ball = cloth_collider_default();
  CHECK(cloth_add_collider(sheet, &ball) == 0, "no collider");
  guarded_settle(&f);
  REFUSED(&f, cloth_fabric_preset(CLOTH_FABRIC_WOOL, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_config_use_imex(NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_get_memory(sheet, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_set_fabric(sheet, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_add_collider(sheet, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_set_collider(sheet, 0, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_move_collider(sheet, 0, NULL, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_get_collider_reaction(sheet, 0, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_get_positions(sheet, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_get_velocities(sheet, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_get_position(sheet, 0, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_get_velocity(sheet, 0, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_get_normal(sheet, 0, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_write_vertices(sheet, NULL, f.out.vertices, sizeof f.out.vertices), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_write_vertices(sheet, &layout_usual, NULL, sizeof f.out.vertices), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_write_indices16(sheet, 0, NULL, 96), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_write_indices32(sheet, 0, NULL, 96), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_get_bounds(sheet, NULL, &f.out.b), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_get_bounds(sheet, &f.out.a, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_get_statistics(sheet, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_measure(sheet, NULL), CLOTH_ERROR_NULL);
  guarded_free(&f);
}

static void expect_particle_refused(guarded_fixture *f, int32_t particle) {
  cloth *sheet = f->s.sheet;
  cloth_vector one = vector_at(1.0, 1.0, 1.0);
  REFUSED(f, cloth_pin(sheet, particle), CLOTH_ERROR_INDEX);
  REFUSED(f, cloth_set_pin_velocity(sheet, particle, one), CLOTH_ERROR_INDEX);
  REFUSED(f, cloth_move_pin(sheet, particle, one), CLOTH_ERROR_INDEX);
  REFUSED(f, cloth_confine_to_line(sheet, particle, one), CLOTH_ERROR_INDEX);
  REFUSED(f, cloth_confine_to_plane(sheet, particle, one), CLOTH_ERROR_INDEX);
  REFUSED(f, cloth_release(sheet, particle), CLOTH_ERROR_INDEX);
  REFUSED(f, cloth_get_freedom(sheet, particle), CLOTH_ERROR_INDEX);
  REFUSED(f, cloth_set_particle(sheet, particle, one, one), CLOTH_ERROR_INDEX);
  REFUSED(f, cloth_apply_impulse(sheet, particle, one), CLOTH_ERROR_INDEX);
  REFUSED(f, cloth_get_position(sheet, particle, &f->out.a), CLOTH_ERROR_INDEX);
  REFUSED(f, cloth_get_velocity(sheet, particle, &f->out.a), CLOTH_ERROR_INDEX);
  REFUSED(f, cloth_get_normal(sheet, particle, &f->out.a), CLOTH_ERROR_INDEX);
}

static void test_particle_refusals(void) {
  cloth_config config = four_by_four();
  guarded_fixture f = guarded_make(&config);
  const int32_t bad[] = {-1, 16, INT32_MIN, INT32_MAX};
  for (int i = 0; i < 4; i++) {
    expect_particle_refused(&f, bad[i]);
    REFUSED(&f, cloth_particle_at(f.s.sheet, bad[i], 0), CLOTH_ERROR_INDEX);
    REFUSED(&f, cloth_particle_at(f.s.sheet, 0, bad[i]), CLOTH_ERROR_INDEX);
  }
  REFUSED(&f, cloth_particle_at(f.s.sheet, 4, 0), CLOTH_ERROR_INDEX);
  REFUSED(&f, cloth_particle_at(f.s.sheet, 0, 4), CLOTH_ERROR_INDEX);
  CHECK(cloth_particle_at(f.s.sheet, 3, 2) == 11, "particle_at(3, 2) is %d", cloth_particle_at(f.s.sheet, 3, 2));
  guarded_free(&f);
}

static void expect_vector_refused(guarded_fixture *f, int32_t pinned, int32_t loose, cloth_vector bad) {
  cloth *sheet = f->s.sheet;
  cloth_vector zero = vector_at(0.0, 0.0, 0.0);
  REFUSED(f, cloth_set_pin_velocity(sheet, pinned, bad), CLOTH_ERROR_RANGE);
  REFUSED(f, cloth_move_pin(sheet, pinned, bad), CLOTH_ERROR_RANGE);
  REFUSED(f, cloth_set_particle(sheet, loose, bad, zero), CLOTH_ERROR_RANGE);
  REFUSED(f, cloth_set_particle(sheet, loose, zero, bad), CLOTH_ERROR_RANGE);
  REFUSED(f, cloth_apply_impulse(sheet, loose, bad), CLOTH_ERROR_RANGE);
}

static void test_input_refusals(void) {
  cloth_config config = four_by_four();
  guarded_fixture f = guarded_make(&config);
  cloth *sheet = f.s.sheet;
  cloth_pin(sheet, 0);
  guarded_settle(&f);
  const float bad_steps[] = {0.0f, -FRAME, 0.99e-6f, 1.01f, NAN, INFINITY, -INFINITY};
  for (size_t i = 0; i < sizeof bad_steps / sizeof bad_steps[0]; i++) {
    REFUSED(&f, cloth_step(sheet, bad_steps[i]), CLOTH_ERROR_RANGE);
  }
  REFUSED(&f, cloth_set_pin_velocity(sheet, 1, vector_at(1.0, 0.0, 0.0)), CLOTH_ERROR_STATE);
  REFUSED(&f, cloth_move_pin(sheet, 1, vector_at(1.0, 0.0, 0.0)), CLOTH_ERROR_STATE);
  const float bad[] = {NAN, INFINITY, -INFINITY, 1e30f, -1e30f};
  for (int axis = 0; axis < 3; axis++) {
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
      expect_vector_refused(&f, 0, 1, on_axis(axis, bad[i]));
    for (int i = 0; i < 3; i++) {
      REFUSED(&f, cloth_confine_to_line(sheet, 1, on_axis(axis, bad[i])), CLOTH_ERROR_RANGE);
      REFUSED(&f, cloth_confine_to_plane(sheet, 1, on_axis(axis, bad[i])), CLOTH_ERROR_RANGE);
    }
  }
  REFUSED(&f, cloth_move_pin(sheet, 0, vector_at(1.01e5, 0.0, 0.0)), CLOTH_ERROR_RANGE);
  cloth_set_particle(sheet, 0, vector_at(0.0, 0.75e5, 0.0), vector_at(0.0, 0.0, 0.0));
  guarded_settle(&f); /* no step is long enough for this way */
  REFUSED(&f, cloth_move_pin(sheet, 0, vector_at(0.0, -0.75e5, 0.0)), CLOTH_ERROR_RANGE);
  REFUSED(&f, cloth_set_particle(sheet, 1, vector_at(0.0, -1.01e5, 0.0), vector_at(0.0, 0.0, 0.0)), CLOTH_ERROR_RANGE);
  REFUSED(&f, cloth_confine_to_line(sheet, 1, vector_at(0.0, 0.0, 0.0)), CLOTH_ERROR_RANGE);
  REFUSED(&f, cloth_confine_to_plane(sheet, 1, vector_at(0.0, 0.0, 0.0)), CLOTH_ERROR_RANGE);
  guarded_free(&f);
}

static void test_capacity_refusals(void) {
  cloth_config config = four_by_four();
  guarded_fixture f = guarded_make(&config);
  cloth *sheet = f.s.sheet;
  cloth_collider ball = cloth_collider_default();
  CHECK(cloth_confine_to_line(sheet, 1, vector_at(1.0, 0.0, 0.0)) == CLOTH_OK, "no line");
  CHECK(cloth_confine_to_plane(sheet, 2, vector_at(1.0, 0.0, 0.0)) == CLOTH_OK, "no plane");
  CHECK(cloth_add_collider(sheet, &ball) == 0, "first collider");
  CHECK(cloth_add_collider(sheet, &ball) == 1, "second collider");
  guarded_settle(&f);
  REFUSED(&f, cloth_confine_to_line(sheet, 3, vector_at(1.0, 0.0, 0.0)), CLOTH_ERROR_FULL);
  REFUSED(&f, cloth_confine_to_plane(sheet, 3, vector_at(1.0, 0.0, 0.0)), CLOTH_ERROR_FULL);
  REFUSED(&f, cloth_add_collider(sheet, &ball), CLOTH_ERROR_FULL);
  /* A confined particle may change over even when there is no room for another. */
  CHECK(cloth_confine_to_plane(sheet, 1, vector_at(0.0, 0.0, 2.0)) == CLOTH_OK, "line to plane");
  CHECK(cloth_get_freedom(sheet, 1) == 2, "freedom %d", cloth_get_freedom(sheet, 1));
  CHECK(cloth_confine_to_line(sheet, 2, vector_at(0.0, 0.0, 2.0)) == CLOTH_OK, "plane to line");
  CHECK(cloth_get_freedom(sheet, 2) == 1, "freedom %d", cloth_get_freedom(sheet, 2));
  /* Room comes back by releasing, pinning and removing. */
  CHECK(cloth_release(sheet, 1) == CLOTH_OK && cloth_get_freedom(sheet, 1) == 3, "release");
  CHECK(cloth_confine_to_line(sheet, 3, vector_at(1.0, 0.0, 0.0)) == CLOTH_OK, "no room after release");
  CHECK(cloth_pin(sheet, 2) == CLOTH_OK && cloth_get_freedom(sheet, 2) == 0, "pin");
  CHECK(cloth_confine_to_line(sheet, 4, vector_at(1.0, 0.0, 0.0)) == CLOTH_OK, "no room after pinning");
  CHECK(cloth_remove_collider(sheet, 0) == CLOTH_OK, "remove");
  CHECK(cloth_add_collider(sheet, &ball) == 0, "the index freed was not given again");
  guarded_free(&f);
}

/// Refusals: colliders ///

typedef struct collider_case {
  const char *name;
  cloth_collider collider;
  int error;
} collider_case;

static void expect_collider_refused(guarded_fixture *f, const cloth_collider *bad, int error, const char *name) {
  int added = cloth_add_collider(f->s.sheet, bad);
  CHECK(added == error, "%s: cloth_add_collider gave %s", name, cloth_result_name(added));
  int set = cloth_set_collider(f->s.sheet, 0, bad);
  CHECK(set == error, "%s: cloth_set_collider gave %s", name, cloth_result_name(set));
  expect_untouched(f, name);
}

/* A refused collider is explained with a text that begins so. */
static void expect_collider_explained(const cloth_collider *bad, int error, const char *beginning) {
  char text[128];
  int explained = cloth_collider_explain(bad, text, sizeof text);
  CHECK(explained == error && strncmp(text, beginning, strlen(beginning)) == 0, "%s: \"%s\" instead of \"%s\"",
        cloth_result_name(explained), text, beginning);
}

/* Each length that a shape uses, with each value that is out of range. */
static void test_collider_lengths(guarded_fixture *f) {
  static const struct {
    int32_t shape;
    size_t offset;
    const char *name, *text;
  } lengths[] = {
      {CLOTH_SHAPE_SPHERE, offsetof(cloth_collider, radius), "sphere radius", "radius: 1e-3..1e4 m"},
      {CLOTH_SHAPE_CAPSULE, offsetof(cloth_collider, radius), "capsule radius", "radius: 1e-3..1e4 m"},
      {CLOTH_SHAPE_CAPSULE, offsetof(cloth_collider, radius_top), "capsule radius_top", "radius_top: 1e-3..1e4 m"},
      {CLOTH_SHAPE_CAPSULE, offsetof(cloth_collider, half_height), "capsule half_height", "half_height: 1e-3..1e4 m"},
      {CLOTH_SHAPE_BOX, offsetof(cloth_collider, half_extents.x), "box half_extents.x", "half_extents: 1e-3..1e4 m"},
      {CLOTH_SHAPE_BOX, offsetof(cloth_collider, half_extents.y), "box half_extents.y", "half_extents: 1e-3..1e4 m"},
      {CLOTH_SHAPE_BOX, offsetof(cloth_collider, half_extents.z), "box half_extents.z", "half_extents: 1e-3..1e4 m"},
      {CLOTH_SHAPE_CYLINDER, offsetof(cloth_collider, radius), "cylinder radius", "radius: 1e-3..1e4 m"},
      {CLOTH_SHAPE_CYLINDER, offsetof(cloth_collider, half_height), "cylinder half_height", "half_height: 1e-3..1e4 m"},
  };
  const float bad[] = {0.0f, -0.2f, 0.99e-3f, 1.01e4f, NAN, INFINITY};
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
      cloth_collider c = collider_of(lengths[i].shape);
      memcpy((unsigned char *)&c + lengths[i].offset, &bad[k], sizeof bad[k]);
      expect_collider_refused(f, &c, CLOTH_ERROR_RANGE, lengths[i].name);
      expect_collider_explained(&c, CLOTH_ERROR_RANGE, lengths[i].text);
    }
  }
}

static void test_collider_shapes(guarded_fixture *f) {
  cloth_collider c = collider_of(CLOTH_SHAPE_SPHERE);
  const int32_t unknown[] = {-1, CLOTH_SHAPE_DISTANCE_GRID + 1, INT32_MAX};
  for (int i = 0; i < 3; i++) {
    memcpy(&c.shape, &unknown[i], sizeof unknown[i]);
    expect_collider_refused(f, &c, CLOTH_ERROR_RANGE, "unknown shape");
    expect_collider_explained(&c, CLOTH_ERROR_RANGE, "shape: CLOTH_SHAPE_PLANE..CLOTH_SHAPE_DISTANCE_GRID");
  }
  c = collider_of(CLOTH_SHAPE_CAPSULE);
  c.half_height = 0.04f; /* the lower sphere, 0.1 m wider, swallows the upper one 0.08 m away */
  expect_collider_refused(f, &c, CLOTH_ERROR_CONFLICT, "capsule of nested spheres");
  expect_collider_explained(&c, CLOTH_ERROR_CONFLICT, "radius, radius_top, half_height: ");
}

/* Positions, rotations and frictions, which moving refuses too where it takes them. */
static void test_collider_poses(guarded_fixture *f) {
  const float bad_places[] = {NAN, INFINITY, 1e30f};
  for (int i = 0; i < 3; i++) {
    cloth_collider c = collider_of(CLOTH_SHAPE_BOX);
    c.pose.position.z = bad_places[i];
    expect_collider_refused(f, &c, CLOTH_ERROR_RANGE, "position");
    expect_collider_explained(&c, CLOTH_ERROR_RANGE, "pose.position: -1e5..1e5 m");
    REFUSED(f, cloth_move_collider(f->s.sheet, 0, NULL, &c.pose), CLOTH_ERROR_RANGE);
    REFUSED(f, cloth_move_collider(f->s.sheet, 0, &c.pose, &pose_here), CLOTH_ERROR_RANGE);
  }
  const cloth_rotation bad_turns[] = {
      {0.0f, 0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.002f},   {0.0f, 0.0f, 0.0f, 0.998f}, {1.0f, 0.0f, 0.0f, 1.0f},
      {NAN, 0.0f, 0.0f, 1.0f},  {0.0f, 0.0f, INFINITY, 1.0f}, {0.0f, 1e30f, 0.0f, 1.0f}};
  for (size_t i = 0; i < sizeof bad_turns / sizeof bad_turns[0]; i++) {
    cloth_collider c = collider_of(CLOTH_SHAPE_BOX);
    c.pose.rotation = bad_turns[i];
    expect_collider_refused(f, &c, CLOTH_ERROR_RANGE, "rotation");
    expect_collider_explained(&c, CLOTH_ERROR_RANGE, "pose.rotation: ");
    REFUSED(f, cloth_move_collider(f->s.sheet, 0, NULL, &c.pose), CLOTH_ERROR_RANGE);
    REFUSED(f, cloth_move_collider(f->s.sheet, 0, &c.pose, &pose_here), CLOTH_ERROR_RANGE);
  }
  static const struct {
    float kinds[2]; /* static and kinetic */
    int error;
    const char *text;
  } frictions[] = {{{-0.1f, -0.1f}, CLOTH_ERROR_RANGE, "static_friction: 0..10"},
                   {{10.01f, 0.5f}, CLOTH_ERROR_RANGE, "static_friction: 0..10"},
                   {{NAN, 0.5f}, CLOTH_ERROR_RANGE, "static_friction: 0..10"},
                   {{INFINITY, 0.5f}, CLOTH_ERROR_RANGE, "static_friction: 0..10"},
                   {{0.5f, -0.1f}, CLOTH_ERROR_RANGE, "kinetic_friction: 0..10"},
                   {{0.5f, NAN}, CLOTH_ERROR_RANGE, "kinetic_friction: 0..10"},
                   {{0.5f, 0.51f}, CLOTH_ERROR_CONFLICT, "kinetic_friction, static_friction: "}};
  for (size_t i = 0; i < sizeof frictions / sizeof frictions[0]; i++) {
    cloth_collider c = collider_of(CLOTH_SHAPE_BOX);
    c.static_friction = frictions[i].kinds[0];
    c.kinetic_friction = frictions[i].kinds[1];
    expect_collider_refused(f, &c, frictions[i].error, "friction");
    expect_collider_explained(&c, frictions[i].error, frictions[i].text);
  }
}

static void expect_collider_index_refused(guarded_fixture *f, int32_t index) {
  cloth_collider c = cloth_collider_default();
  REFUSED(f, cloth_set_collider(f->s.sheet, index, &c), CLOTH_ERROR_INDEX);
  REFUSED(f, cloth_move_collider(f->s.sheet, index, NULL, &pose_here), CLOTH_ERROR_INDEX);
  REFUSED(f, cloth_remove_collider(f->s.sheet, index), CLOTH_ERROR_INDEX);
  REFUSED(f, cloth_get_collider_reaction(f->s.sheet, index, &f->out.reaction), CLOTH_ERROR_INDEX);
}

static void test_collider_refusals(void) {
  cloth_config config = four_by_four();
  guarded_fixture f = guarded_make(&config);
  cloth_collider c = collider_of(CLOTH_SHAPE_BOX);
  cloth_add_collider(f.s.sheet, &c);
  guarded_settle(&f);
  test_collider_lengths(&f);
  test_collider_shapes(&f);
  test_collider_poses(&f);
  const int32_t bad[] = {-1, 1, 2, INT32_MIN, INT32_MAX}; /* 1 is free, 2 is no index at all */
  for (int i = 0; i < 5; i++)
    expect_collider_index_refused(&f, bad[i]);
  cloth_remove_collider(f.s.sheet, 0);
  guarded_settle(&f);
  expect_collider_index_refused(&f, 0);
  guarded_free(&f);
}

static void test_collider_ends(void) {
  cloth_config config = four_by_four();
  guarded_fixture f = guarded_make(&config);
  cloth_collider c = collider_of(CLOTH_SHAPE_SPHERE);
  int index = cloth_add_collider(f.s.sheet, &c);
  for (int shape = CLOTH_SHAPE_PLANE; shape <= CLOTH_SHAPE_CYLINDER; shape++) {
    c = collider_of(shape);
    c.static_friction = 10.0f;
    c.kinetic_friction = 0.0f;
    CHECK(cloth_set_collider(f.s.sheet, index, &c) == CLOTH_OK, "shape %d", shape);
    c.radius = c.radius_top = c.half_height = 1e4f;
    c.half_extents = vector_at(1e4, 1e-3, 1.0);
    c.pose.rotation.w = 1.0009f;
    CHECK(cloth_set_collider(f.s.sheet, index, &c) == CLOTH_OK, "largest of shape %d", shape);
    c.radius = c.radius_top = c.half_height = 1e-3f;
    c.pose.rotation.w = 0.9991f;
    CHECK(cloth_set_collider(f.s.sheet, index, &c) == CLOTH_OK, "smallest of shape %d", shape);
  }
  c.static_friction = c.kinetic_friction = 0.0f;
  CHECK(cloth_set_collider(f.s.sheet, index, &c) == CLOTH_OK, "without friction");
  /* The lengths a shape does not use are not looked at. */
  c = collider_of(CLOTH_SHAPE_SPHERE);
  c.radius_top = NAN;
  c.half_height = -1.0f;
  c.half_extents = vector_at(0.0, 0.0, 0.0);
  CHECK(cloth_set_collider(f.s.sheet, index, &c) == CLOTH_OK, "unused lengths");
  CHECK(cloth_step(f.s.sheet, FRAME) >= CLOTH_OK && all_finite(f.s.sheet), "step");
  guarded_free(&f);
}

/// Refusals: outputs, presets and names ///

static void expect_layout_refused(guarded_fixture *f, cloth_vertex_layout layout) {
  int result = cloth_write_vertices(f->s.sheet, &layout, f->out.vertices, sizeof f->out.vertices);
  CHECK(result == CLOTH_ERROR_BUFFER && guarded_untouched(f), "layout %d %d %d %d: %s", layout.stride,
        layout.position_offset, layout.normal_offset, layout.texcoord_offset, cloth_result_name(result));
}

static void test_output_refusals(void) {
  cloth_config config = four_by_four();
  guarded_fixture f = guarded_make(&config);
  cloth *sheet = f.s.sheet;
  const cloth_vertex_layout bad[] = {
      {0, 0, -1, -1},         {-32, 0, 12, 24},        {11, 0, -1, -1},  {32, 21, -1, -1},
      {32, 0, 21, -1},        {32, 0, -1, 25},         {32, -2, 12, 24}, {32, 0, -12, 24},
      {32, 0, 12, INT32_MIN}, {32, INT32_MAX, 12, 24}, {32, 0, 32, -1},  {INT32_MAX, 0, 12, 24},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    expect_layout_refused(&f, bad[i]);
  REFUSED(&f, cloth_write_vertices(sheet, &layout_usual, f.out.vertices, 0), CLOTH_ERROR_BUFFER);
  REFUSED(&f, cloth_write_vertices(sheet, &layout_usual, f.out.vertices, 15 * 32 + 31), CLOTH_ERROR_BUFFER);
  size_t indices = (size_t)cloth_get_index_count(sheet);
  CHECK(indices == 54, "%d indices", (int)indices);
  REFUSED(&f, cloth_write_indices16(sheet, 0, f.out.indices16, indices - 1), CLOTH_ERROR_BUFFER);
  REFUSED(&f, cloth_write_indices32(sheet, 0, f.out.indices32, indices - 1), CLOTH_ERROR_BUFFER);
  REFUSED(&f, cloth_write_indices16(sheet, 0, f.out.indices16, 0), CLOTH_ERROR_BUFFER);
  REFUSED(&f, cloth_write_indices16(sheet, 65521, f.out.indices16, 96), CLOTH_ERROR_BUFFER);
  CHECK(cloth_write_indices16(sheet, 65520, f.out.indices16, 96) == CLOTH_OK, "the last vertex is 65535");
  CHECK(cloth_get_substep_iterations(sheet, -1) < 0, "substep -1");
  CHECK(cloth_get_substep_iterations(sheet, INT32_MAX) < 0, "substep INT32_MAX");
  guarded_free(&f);
}

static void test_wide_indices(void) {
  cloth_config config = cloth_config_default();
  config.columns = 257;
  config.rows = 256;
  guarded_fixture f = guarded_make(&config);
  int count = cloth_get_index_count(f.s.sheet);
  CHECK(count == 6 * 256 * 255, "%d indices", count);
  uint16_t *narrow = (uint16_t *)malloc((size_t)count * sizeof *narrow);
  uint32_t *wide = (uint32_t *)malloc((size_t)count * sizeof *wide);
  if (narrow != NULL && wide != NULL) {
    memset(narrow, 0xa5, (size_t)count * sizeof *narrow);
    REFUSED(&f, cloth_write_indices16(f.s.sheet, 0, narrow, (size_t)count), CLOTH_ERROR_BUFFER);
    CHECK(narrow[0] == 0xa5a5 && narrow[count - 1] == 0xa5a5, "indices were written");
    CHECK(cloth_write_indices32(f.s.sheet, 100000, wide, (size_t)count) == CLOTH_OK, "wide indices refused");
    uint32_t largest = 0;
    for (int i = 0; i < count; i++)
      largest = wide[i] > largest ? wide[i] : largest;
    CHECK(largest == 100000u + 257u * 256u - 1u, "largest index %u", (unsigned)largest);
  }
  free(narrow);
  free(wide);
  guarded_free(&f);
}

static void test_preset_refusals(void) {
  cloth_config config = four_by_four();
  guarded_fixture f = guarded_make(&config);
  const int32_t unknown[] = {-1, CLOTH_FABRIC_COUNT, INT32_MAX};
  for (int i = 0; i < 3; i++) {
    cloth_fabric_kind kind;
    memcpy(&kind, &unknown[i], sizeof kind);
    REFUSED(&f, cloth_fabric_preset(kind, &f.out.fabric), CLOTH_ERROR_RANGE);
  }
  guarded_free(&f);
}

/* An explicit-only cloth that would be unstable refuses to step and stays as it was. */
static void test_unstable_refusal(void) {
  cloth_config config = four_by_four();
  config.integration.method = CLOTH_INTEGRATION_EXPLICIT_ONLY;
  config.fabric.stretch_warp = config.fabric.stretch_weft = 1e6f;
  guarded_fixture f = guarded_make(&config);
  REFUSED(&f, cloth_step(f.s.sheet, FRAME), CLOTH_ERROR_UNSTABLE);
  cloth_fabric soft = config.fabric;
  soft.stretch_warp = soft.stretch_weft = soft.shear = 1.0f;
  CHECK(cloth_set_fabric(f.s.sheet, &soft) == CLOTH_OK, "softer fabric");
  int result = cloth_step(f.s.sheet, FRAME);
  CHECK(result >= CLOTH_OK, "the softer cloth gave %s", cloth_result_name(result));
  guarded_free(&f);
}

#define NAMED(error)                                                                                                   \
  { error, #error }

/* The effort of a step that is repeated, and what a moving frame carries along. */
static void test_effort_and_frame_refusals(void) {
  cloth_config config = four_by_four();
  guarded_fixture f = guarded_make(&config);
  const cloth_effort wrong[] = {{-1, 0}, {INT32_MIN, 1}, {1, 2}, {1, -1}}, right = {0, 0};
  for (int i = 0; i < 4; i++)
    REFUSED(&f, cloth_step_again(f.s.sheet, FRAME, &wrong[i]), CLOTH_ERROR_RANGE);
  REFUSED(&f, cloth_step_again(f.s.sheet, FRAME, NULL), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_step_again(f.s.sheet, NAN, &right), CLOTH_ERROR_RANGE);
  for (int i = 0; i < 6; i++) {
    cloth_inertia inertia = {0.5f, 0.5f, 0.5f};
    float *const fields[3] = {&inertia.linear, &inertia.angular, &inertia.centrifugal};
    *fields[i / 2] = i % 2 ? 1.01f : -0.01f;
    REFUSED(&f, cloth_move_frame(f.s.sheet, &pose_here, &pose_here, &inertia, FRAME, 0), CLOTH_ERROR_RANGE);
  }
  REFUSED(&f, cloth_move_frame(f.s.sheet, NULL, &pose_here, NULL, FRAME, 0), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_move_frame(f.s.sheet, &pose_here, NULL, NULL, FRAME, 0), CLOTH_ERROR_NULL);
  CHECK(cloth_body_default(NULL, 1.0f).mass == 1.0f, "a body like no collider");
  CHECK(cloth_step_again(f.s.sheet, FRAME, &right) >= 0, "a step again");
  guarded_free(&f);
  config.capacity.fixed_work = 1;
  f = guarded_make(&config);
  REFUSED(&f, cloth_step_again(f.s.sheet, FRAME, &right), CLOTH_ERROR_STATE);
  guarded_free(&f);
}

static void test_target_refusals(void) {
  cloth_config config = four_by_four();
  config.capacity.targets = 1;
  guarded_fixture f = guarded_make(&config);
  const cloth_vertex_layout layout = {24, 0, 12, CLOTH_ATTRIBUTE_NONE};
  cloth_vector vertices[32];
  for (int i = 0; i < 32; i++)
    vertices[i] = vector_at(0.0, i % 2, 0.0);
  REFUSED(&f, cloth_set_targets(f.s.sheet, &layout, NULL, sizeof vertices), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_move_targets(f.s.sheet, &layout, NULL, sizeof vertices), CLOTH_ERROR_NULL);
  REFUSED(&f, cloth_move_targets(f.s.sheet, &layout, vertices, sizeof vertices - 1), CLOTH_ERROR_BUFFER);
  REFUSED(&f, cloth_move_targets(NULL, &layout, vertices, sizeof vertices), CLOTH_ERROR_NULL);
  for (int i = 30; i < 32; i++) {
    const cloth_vector good = vertices[i];
    vertices[i].z = NAN;
    REFUSED(&f, cloth_set_targets(f.s.sheet, &layout, vertices, sizeof vertices), CLOTH_ERROR_RANGE);
    REFUSED(&f, cloth_move_targets(f.s.sheet, &layout, vertices, sizeof vertices), CLOTH_ERROR_RANGE);
    vertices[i] = good;
  }
  CHECK(cloth_set_targets(f.s.sheet, &layout, vertices, sizeof vertices) == CLOTH_OK, "targets");
  guarded_free(&f);
}

static void test_names(void) {
  static const struct {
    int error;
    const char *name;
  } names[] = {
      NAMED(CLOTH_OK),
      NAMED(CLOTH_ERROR_NULL),
      NAMED(CLOTH_ERROR_CONFIG),
      NAMED(CLOTH_ERROR_RANGE),
      NAMED(CLOTH_ERROR_CONFLICT),
      NAMED(CLOTH_ERROR_LEFT_OUT),
      NAMED(CLOTH_ERROR_ARENA),
      NAMED(CLOTH_ERROR_NOT_A_CLOTH),
      NAMED(CLOTH_ERROR_INDEX),
      NAMED(CLOTH_ERROR_STATE),
      NAMED(CLOTH_ERROR_FULL),
      NAMED(CLOTH_ERROR_BUFFER),
      NAMED(CLOTH_ERROR_UNSTABLE),
      NAMED(CLOTH_ERROR_NO_PLAN),
      NAMED(CLOTH_ERROR_IMAGE_VERSION),
      NAMED(CLOTH_ERROR_IMAGE_CONFIG),
      NAMED(CLOTH_ERROR_IMAGE_DAMAGED),
      NAMED(CLOTH_ERROR_IMAGE_CONTENT),
      NAMED(CLOTH_ERROR_CONTRACTION),
      NAMED(CLOTH_ERROR_ROUNDING),
      NAMED(CLOTH_ERROR_EXCESS_PRECISION),
      NAMED(CLOTH_ERROR_SQUARE_ROOT),
      NAMED(CLOTH_ERROR_LANES),
      NAMED(CLOTH_ERROR_GEOMETRY),
  };
  const size_t prefix = sizeof "CLOTH_ERROR_" - 1;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    CHECK(names[i].error == -(int)i, "%s is %d", names[i].name, names[i].error);
    const char *bare = i == 0 ? "OK" : names[i].name + prefix;
    CHECK(strcmp(cloth_result_name(names[i].error), bare) == 0, "%d is called %s", names[i].error,
          cloth_result_name(names[i].error));
  }
  CHECK(strcmp(cloth_result_name(13), "OK") == 0, "notes are called %s", cloth_result_name(13));
  const int unknown[] = {CLOTH_ERROR_GEOMETRY - 1, -57, INT32_MIN};
  for (int i = 0; i < 3; i++)
    CHECK(strcmp(cloth_result_name(unknown[i]), "unknown") == 0, "%d is called %s", unknown[i],
          cloth_result_name(unknown[i]));
}

static const test tests[] = {
    TEST(names),
    TEST(effort_and_frame_refusals),
    TEST(target_refusals),
    TEST(wide_indices),
    TEST(preset_refusals),
    TEST(unstable_refusal),
    TEST_EACH(both_schemes, sheet_refusals),
    TEST_EACH(both_schemes, null_refusals),
    TEST_EACH(both_schemes, particle_refusals),
    TEST_EACH(both_schemes, input_refusals),
    TEST_EACH(both_schemes, capacity_refusals),
    TEST_EACH(both_schemes, collider_refusals),
    TEST_EACH(both_schemes, collider_ends),
    TEST_EACH(both_schemes, output_refusals),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
