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

/* What an option adds must be its share a particle, give or take the rounding to the alignment and the at most 95
   floats by which planes keep away from multiples of 2 KB. */
static void expect_addition(const cloth_config *with, size_t without, size_t share, const char *name) {
  size_t particles = (size_t)with->columns * (size_t)with->rows;
  size_t total = memory_of(with).total_bytes;
  size_t marks = 2 * (size_t)with->rows * (((size_t)with->columns + 7) / 8); /* of tethers */
  size_t buffers = 12 * (size_t)with->columns, axes = with->tethers.count > 0 ? 56 * (size_t)with->max_colliders : 0;
  size_t pads = share * (particles < 512 ? 0 : 95) + marks + (axes > buffers ? axes - buffers : 0);
  CHECK(total + 4 * CLOTH_ALIGNMENT >= without + share * particles, "%s: only %zu bytes more", name, total - without);
  CHECK(total <= without + share * particles + 6 * CLOTH_ALIGNMENT + pads, "%s adds %g bytes a particle", name,
        (double)(total - without) / (double)particles);
}

/* Planes of transposed rows, without and with sums of displacements. */
enum { PLANES = 7, PLANES_WITH_SUMS = 10 };

/* What so many planes take beyond the 12 bytes of each particle that they are in place of. */
static size_t row_bytes(const cloth_config *config, size_t planes) {
  size_t bytes = 32 * planes * (((size_t)config->columns + 7) / 8 * 8);
  size_t instead = 12 * (size_t)config->columns * (size_t)config->rows;
  return bytes > instead ? bytes - instead : 0;
}

/* What a grid takes besides its particles: work space for lines along the longer side; transposed rows; what columns
   and rows take; marks of tethers. */
static size_t line_bytes(const cloth_config *config) {
  size_t columns = (size_t)config->columns, rows = (size_t)config->rows;
  size_t marks = (size_t)config->tethers.count * rows * ((columns + 7) / 8);
  return 224 * (columns > rows ? columns : rows) + row_bytes(config, PLANES_WITH_SUMS) + 32 * (columns + rows) + marks;
}

static void expect_bytes(const cloth_config *config, size_t share, const char *name) {
  size_t particles = (size_t)config->columns * (size_t)config->rows;
  size_t pads = particles < 464 ? 0 : 95 * share;
  cloth_memory memory = memory_of(config);
  expect_spans(&memory);
  size_t most = share * particles + line_bytes(config) + pads + 4352, least = share * particles + 3072;
  CHECK(memory.total_bytes <= most && memory.total_bytes >= least, "%d x %d %s: %zu bytes, not %zu to %zu",
        config->columns, config->rows, name, memory.total_bytes, least, most);
}

static void test_memory_of_grid(int columns, int rows, const float *map) {
  cloth_config config = cloth_config_default();
  config.columns = columns;
  config.rows = rows;
  use_projection(&config);
  expect_bytes(&config, 109, "in three tiers");
  cloth_config option = config;
  option.tethers.count = 0;
  cloth_memory memory = memory_of(&option);
  option.tethers.count = 1;
  expect_addition(&option, memory.total_bytes, 4, "one tether");
  option.tethers.count = 2;
  expect_addition(&option, memory.total_bytes, 8, "two tethers");
  option = config;
  option.integration.bdf2_blend = 0.0f;
  memory = memory_of(&option);
  option.integration.bdf2_blend = 0.1f;
  expect_addition(&option, memory.total_bytes, 28, "extrapolation");
  memory = memory_of(&config);
  option = config;
  CHECK(memory_of(&option).total_bytes == memory.total_bytes, "a warm start without a solver takes memory");
  option = config;
  CHECK(memory_of(&option).total_bytes == memory.total_bytes, "a solver that never solves takes memory");
  use_two_tiers(&config);
  expect_bytes(&config, 165, "in two tiers");
  memory = memory_of(&config);
  option = config;
  option.substeps = 3;
  expect_addition(&option, memory.total_bytes, 8, "projected springs in few substeps");
  option.substeps = 4;
  const size_t rows_of_sums = row_bytes(&option, PLANES_WITH_SUMS) - row_bytes(&option, PLANES);
  expect_addition(&option, memory.total_bytes + rows_of_sums, 20, "projected springs");
  option = config;
  expect_addition(&option, memory.total_bytes, 12, "warm start");
  option = config;
  option.grid.mass_map = map;
  expect_addition(&option, memory.total_bytes, 4, "mass map");
  option = config;
  option.grid.stiffness_map = map;
  expect_addition(&option, memory.total_bytes, 4, "stiffness map");
  option = config;
  expect_addition(&option, memory.total_bytes, 16, "solver contact");
  option = config;
  option.integration.method = CLOTH_INTEGRATION_EXPLICIT_ONLY;
  expect_bytes(&option, 53, "explicit only");
}

static void test_memory(void) {
  static const int sizes[] = {8, 9, 13, 16, 17, 31, 32, 33, 47, 64, 65, 100, 127, 128, 129, 200, 255, 256};
  const int count = (int)(sizeof sizes / sizeof sizes[0]);
  float *map = (float *)malloc(256 * 256 * sizeof *map);
  if (map == NULL)
    return;
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
