/* The arena: instances side by side, garbage in it, moving it, saving and replaying, and how many bytes it takes.
   SPDX-License-Identifier: MIT */
#include "script.h"

static void test_instances(void) {
  fixture alone = script_fixture();
  script_run(alone.sheet, 0, 40);
  fixture left = script_fixture(), right = script_fixture();
  for (int frame = 0; frame < 40; frame++) {
    script_step(left.sheet, frame);
    if (frame % 3 != 0) /* the neighbour runs behind, so that it is doing something else */
      script_step(right.sheet, frame - frame / 3 - 1);
  }
  CHECK(same_state(&alone, &left), "a neighbour changed the result");
  fixture_free(&alone);
  fixture_free(&left);
  fixture_free(&right);
}

/* Garbage left in the arena, and its place, must not matter: every byte but the padding is the same. */
static void test_fresh_arena(void) {
  cloth_config config = script_config();
  fixture s = fixture_make(&config);
  unsigned char *first = copy_bytes(s.arena, s.memory.total_bytes);
  memset(s.arena, 0x11, s.memory.total_bytes);
  CHECK(cloth_init(&config, s.arena, s.memory.total_bytes, &s.sheet) == CLOTH_OK, "init again");
  CHECK((void *)s.sheet == (void *)s.arena, "the cloth is not at the start of its arena");
  size_t state = s.memory.state_offset;
  CHECK(memcmp(first, s.arena, s.memory.constant_bytes) == 0, "garbage shows in the constant span");
  CHECK(memcmp(first + state, s.arena + state, s.memory.state_bytes) == 0, "garbage shows in the state span");
  free(first);
  fixture_free(&s);
}

static void test_moved_arena(void) {
  fixture still = script_fixture(), moved = script_fixture();
  script_run(still.sheet, 0, 40);
  script_run(moved.sheet, 0, 20);
  unsigned char *allocation;
  unsigned char *target = guarded_buffer(moved.memory.total_bytes, 3, &allocation);
  memcpy(target, moved.arena, moved.memory.total_bytes);
  memset(moved.arena, 0xff, moved.memory.total_bytes);
  script_run((cloth *)(void *)target, 20, 40);
  CHECK(memcmp(target + moved.memory.state_offset, fixture_state(&still), still.memory.state_bytes) == 0,
        "the moved cloth went elsewhere");
  CHECK(guards_intact(target, moved.memory.total_bytes), "bytes outside the moved arena were written");
  cloth_vector_view range;
  cloth_get_positions((cloth *)(void *)target, &range);
  const unsigned char *x = (const unsigned char *)range.x;
  CHECK(x >= target && x < target + moved.memory.total_bytes, "positions lie outside the moved arena");
  free(allocation);
  fixture_free(&still);
  fixture_free(&moved);
}

static void test_replay(void) {
  fixture s = script_fixture();
  script_run(s.sheet, 0, 20);
  unsigned char *saved = copy_bytes(fixture_state(&s), s.memory.state_bytes);
  script_run(s.sheet, 20, 45);
  unsigned char *end = copy_bytes(fixture_state(&s), s.memory.state_bytes);
  CHECK(memcmp(saved, end, s.memory.state_bytes) != 0, "nothing happened");
  memcpy(fixture_state(&s), saved, s.memory.state_bytes);
  script_run(s.sheet, 20, 45);
  CHECK(memcmp(fixture_state(&s), end, s.memory.state_bytes) == 0, "the replay went elsewhere");

  fixture fresh = script_fixture();
  memcpy(fixture_state(&fresh), saved, s.memory.state_bytes);
  script_run(fresh.sheet, 20, 45);
  CHECK(memcmp(fixture_state(&fresh), end, s.memory.state_bytes) == 0, "the second cloth went elsewhere");

  cloth_config config = script_config();
  fixture bare = fixture_make(&config); /* without the script's start: pins and colliders come with the state */
  memcpy(fixture_state(&bare), saved, s.memory.state_bytes);
  script_run(bare.sheet, 20, 45);
  CHECK(memcmp(fixture_state(&bare), end, s.memory.state_bytes) == 0, "the bare cloth went elsewhere");
  free(saved);
  free(end);
  fixture_free(&s);
  fixture_free(&fresh);
  fixture_free(&bare);
}

/* A sheet that has lain on a plane, and its state in a cloth that has not: what contact has left in scratch must not
   show where targets hold particles. */
static void test_scratch_of_contact(void) {
  enum { SIDE = 16 };
  static cloth_vector places[SIDE * SIDE];
  const cloth_vertex_layout layout = {sizeof places[0], 0, -1, -1};
  cloth_motion_constraint near = cloth_motion_constraint_default();
  cloth_config config = cloth_config_default();
  config.columns = config.rows = SIDE;
  config.capacity.targets = 1;
  fixture s = fixture_make(&config), fresh = fixture_make(&config);
  cloth_collider ground = cloth_collider_default();
  ground.shape = CLOTH_SHAPE_PLANE;
  ground.pose.position.y = -0.005f;
  const int plane = cloth_add_collider(s.sheet, &ground);
  for (int step = 0; step < 30; step++)
    cloth_step(s.sheet, 1.0f / 60.0f);
  CHECK(cloth_remove_collider(s.sheet, plane) == CLOTH_OK, "cloth_remove_collider");
  for (int i = 0; i < SIDE * SIDE; i++)
    places[i] = vector_at((i % SIDE) / (SIDE - 1.0), 0.0, (i / SIDE) / (SIDE - 1.0));
  CHECK(cloth_set_targets(s.sheet, &layout, places, sizeof places) == CLOTH_OK, "cloth_set_targets");
  near.max_distance = 0.02f;
  for (int i = 0; i < SIDE * SIDE; i += 5)
    CHECK(cloth_set_motion_constraint(s.sheet, i, &near) == CLOTH_OK, "cloth_set_motion_constraint");
  memcpy(fixture_state(&fresh), fixture_state(&s), s.memory.state_bytes);
  for (int step = 0; step < 10; step++) {
    cloth_step(s.sheet, 1.0f / 60.0f);
    cloth_step(fresh.sheet, 1.0f / 60.0f);
  }
  CHECK(memcmp(fixture_state(&s), fixture_state(&fresh), s.memory.state_bytes) == 0, "scratch shows");
  fixture_free(&s);
  fixture_free(&fresh);
}

/// Memory ///

static cloth_memory memory_of(const cloth_config *config) {
  cloth_memory memory;
  memset(&memory, 0, sizeof memory);
  int result = cloth_memory_needed(config, &memory);
  CHECK(result == CLOTH_OK, "%d x %d: %s", config->columns, config->rows, cloth_result_name(result));
  return memory;
}

static void expect_spans(const cloth_memory *m) {
  CHECK(m->constant_offset == 0, "constants at %zu", m->constant_offset);
  CHECK(m->state_offset >= m->constant_offset + m->constant_bytes, "state overlaps constants");
  CHECK(m->scratch_offset >= m->state_offset + m->state_bytes, "scratch overlaps state");
  CHECK(m->total_bytes >= m->scratch_offset + m->scratch_bytes, "scratch passes the end");
  size_t spans = m->constant_bytes + m->state_bytes + m->scratch_bytes;
  CHECK(m->total_bytes - spans < 3 * CLOTH_ALIGNMENT, "%zu bytes lost between spans", m->total_bytes - spans);
}

/* Rows of scratch are padded to whole blocks of lanes, with some on either side. */
static size_t places_of(const cloth_config *config) {
  return ((size_t)config->columns + 16) * (size_t)config->rows;
}

/* What an option adds must be its share a particle, give or take the rounding to the alignment, the padding of rows and
   the at most 95 floats by which planes keep away from multiples of 2 KB. */
static void expect_addition(const cloth_config *with, size_t without, size_t share, const char *name) {
  const size_t particles = (size_t)with->columns * (size_t)with->rows, total = memory_of(with).total_bytes;
  const size_t most = share * (places_of(with) + (particles < 464 ? 0 : 95)) + 6 * CLOTH_ALIGNMENT;
  CHECK(total + 4 * CLOTH_ALIGNMENT >= without + share * particles, "%s: only %zu bytes more", name, total - without);
  CHECK(total <= without + most, "%s adds %g bytes a particle", name, (double)(total - without) / (double)particles);
}

/* All bytes: those of each particle, of each row and column, and the rest. */
static void expect_bytes(const cloth_config *config, size_t share, const char *name) {
  const size_t particles = (size_t)config->columns * (size_t)config->rows;
  const cloth_memory memory = memory_of(config);
  const size_t lines = (size_t)config->columns + (size_t)config->rows;
  const size_t most = share * (places_of(config) + (particles < 464 ? 0 : 95)) + 430 * lines + 12288;
  expect_spans(&memory);
  CHECK(memory.total_bytes <= most && memory.total_bytes >= (share - 6) * particles,
        "%d x %d %s: %zu bytes, not %zu to %zu", config->columns, config->rows, name, memory.total_bytes,
        (share - 6) * particles, most);
}

/* Options that take memory for each particle. */
static void test_options_of_grid(const cloth_config *config, const float *map) {
  const size_t plain = memory_of(config).total_bytes;
  cloth_config option = *config;
  option.tethers.count = 1;
  expect_addition(&option, plain, 4, "one tether");
  option.tethers.count = 2;
  expect_addition(&option, plain, 8, "two tethers");
  option = *config;
  option.integration.bdf2_blend = 0.1f;
  expect_addition(&option, plain, 12, "extrapolation");
  option = *config;
  option.grid.mass_map = map;
  expect_addition(&option, plain, 4, "mass map");
  option = *config;
  option.grid.stiffness_map = map;
  expect_addition(&option, plain, 52, "stiffness map");
  option = *config;
  option.capacity.targets = 1;
  expect_addition(&option, plain, 72, "targets");
  option = *config;
  option.capacity.pin_reactions = 1;
  expect_addition(&option, plain, 12, "reactions of pins");
}

static void test_memory_of_grid(int columns, int rows, const float *map) {
  cloth_config config = cloth_config_default();
  config.columns = columns;
  config.rows = rows;
  expect_bytes(&config, 383, "by default");
  test_options_of_grid(&config, map);
  cloth_config option = config;
  option.max_colliders = 0;
  expect_bytes(&option, 190, "without colliders");
  option = config;
  option.integration.method = CLOTH_INTEGRATION_EXPLICIT_ONLY;
  expect_bytes(&option, 296, "explicit only");
}

static void test_memory(void) {
  static const int sizes[] = {8, 9, 13, 16, 17, 31, 32, 33, 47, 64, 65, 100, 127, 128, 129, 200, 255, 256};
  const int count = (int)(sizeof sizes / sizeof sizes[0]);
  float *map = (float *)malloc(256 * 256 * sizeof *map);
  if (map == NULL) return;
  for (int i = 0; i < 256 * 256; i++)
    map[i] = 1.0f;
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < count; k++)
      test_memory_of_grid(sizes[i], sizes[k], map);
  }
  free(map);
}

/* Capacities cost what the header says, and the cloth reports the spans that were asked for. */
static void test_memory_capacities(void) {
  cloth_config config = cloth_config_default();
  fixture s = fixture_make(&config);
  cloth_memory spans;
  memset(&spans, 0, sizeof spans);
  CHECK(cloth_get_memory(s.sheet, &spans) == CLOTH_OK, "no spans");
  CHECK(memcmp(&spans, &s.memory, sizeof spans) == 0, "spans differ from what was asked for");
  size_t total = s.memory.total_bytes, slack = 4 * CLOTH_ALIGNMENT;
  config.max_colliders = 64;
  CHECK(memory_of(&config).total_bytes <= total + 48 * (136 + 56) + slack, "colliders cost more than 192 bytes each");
  config.max_colliders = 16;
  config.capacity.max_confined = 1008;
  CHECK(memory_of(&config).total_bytes <= total + 1000 * 32 + slack, "confined particles cost more than 32 bytes each");
  config.capacity.max_confined = 8;
  config.capacity.meshes = 3;
  CHECK(memory_of(&config).total_bytes <= total + 3 * 60 * (size_t)s.count + slack,
        "meshes cost more than 60 bytes per particle");
  config.capacity.meshes = 0;
  config.capacity.max_shared_bodies = 10;
  CHECK(memory_of(&config).total_bytes <= total + 10 * (140 + 56) + slack, "bodies cost more than 196 bytes each");
  config.capacity.max_shared_bodies = 0;
  config.integration.max_substeps = 1008;
  CHECK(memory_of(&config).total_bytes <= total + 1000 * 2 + slack, "substeps cost more than 2 bytes each");
  fixture_free(&s);
}

static const test tests[] = {
    TEST(scratch_of_contact),
    TEST(memory),
    TEST(memory_capacities),
    TEST_EACH(both_schemes, instances),
    TEST_EACH(both_schemes, fresh_arena),
    TEST_EACH(both_schemes, moved_arena),
    TEST_EACH(both_schemes, replay),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
