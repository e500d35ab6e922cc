/* What a save or an image brings back goes on bit for bit, in another arena too; and how many bytes they take.
   SPDX-License-Identifier: MIT */
#include "saved_cloths.h"

/// Exchange ///

enum { FUTURE = 50 };

static void expect_future(fixture *s, const uint64_t *hashes, const char *name, const char *how) {
  int different = 0;
  for (int i = 0; i < FUTURE; i++) {
    live_frame(s->sheet, 12 + i);
    different += hash_of(s->sheet) != hashes[i];
  }
  CHECK(different == 0, "%s: %d of %d frames differ after %s", name, different, (int)FUTURE, how);
}

/* A buffer of exactly `bytes` bytes at an address that is `odd` above a multiple of 32. */
static unsigned char *odd_buffer(size_t bytes, size_t odd, unsigned char **allocation) {
  unsigned char *buffer = guarded_buffer(bytes + odd, 0, allocation) + odd;
  memset(buffer, 0x99, bytes);
  return buffer;
}

/* Writes, checks that no byte around was touched, and reads into a stranger; by image or by save. */
static void expect_exchange(const fixture *from, const cloth_config *config, const uint64_t *hashes, int by_image,
                            size_t odd, const char *name) {
  const char *how = by_image ? "an image" : "a save";
  size_t bytes = by_image ? from->memory.image_bytes : from->memory.saved_bytes;
  unsigned char *allocation, *buffer = odd_buffer(bytes, odd, &allocation);
  int result = by_image ? cloth_write_image(from->sheet, buffer, bytes) : cloth_save(from->sheet, buffer, bytes);
  CHECK(result == CLOTH_OK, "%s: writing %s: %s", name, how, cloth_result_name(result));
  CHECK(guards_intact(buffer - odd, bytes + odd), "%s: %s overran its buffer", name, how);
  unsigned char *copy = copy_bytes(buffer, bytes);
  fixture other = stranger(config, 1 + odd % 3);
  result = by_image ? cloth_read_image(other.sheet, buffer, bytes) : cloth_load(other.sheet, buffer, bytes);
  CHECK(result == CLOTH_OK, "%s: reading %s: %s", name, how, cloth_result_name(result));
  CHECK(same_state(from, &other), "%s: another state after %s", name, how);
  CHECK(memcmp(copy, buffer, bytes) == 0, "%s: reading changed %s", name, how);
  CHECK(hash_of(from->sheet) == hash_of(other.sheet), "%s: another hash after %s", name, how);
  result = by_image ? cloth_write_image(other.sheet, buffer, bytes) : cloth_save(other.sheet, buffer, bytes);
  CHECK(result == CLOTH_OK && memcmp(copy, buffer, bytes) == 0, "%s: %s of what came from it differs", name, how);
  expect_future(&other, hashes, name, how);
  free(copy);
  free(allocation);
  fixture_free(&other);
}

static void test_exchange(void) {
  const named_config *v = &state_configs[tested_config_number];
  cloth_config config = v->config();
  fixture s = living(&config);
  unsigned char *now = copy_bytes(s.arena, s.memory.total_bytes);
  unsigned char *save = copy_bytes(s.arena, s.memory.saved_bytes), *image = copy_bytes(s.arena, s.memory.image_bytes);
  CHECK(cloth_save(s.sheet, save, s.memory.saved_bytes) == CLOTH_OK, "%s: save", v->name);
  CHECK(cloth_write_image(s.sheet, image, s.memory.image_bytes) == CLOTH_OK, "%s: image", v->name);
  CHECK(memcmp(now, s.arena, s.memory.total_bytes) == 0, "%s: writing changed the arena", v->name);
  uint64_t hashes[FUTURE];
  for (int i = 0; i < FUTURE; i++) {
    int result = live_frame(s.sheet, 12 + i);
    CHECK(result >= 0, "%s: frame %d: %s", v->name, i, cloth_result_name(result));
    hashes[i] = hash_of(s.sheet);
  }
  CHECK(cloth_load(s.sheet, save, s.memory.saved_bytes) == CLOTH_OK, "%s: load", v->name);
  CHECK(memcmp(now + s.memory.state_offset, fixture_state(&s), s.memory.state_bytes) == 0, "%s: loaded", v->name);
  expect_future(&s, hashes, v->name, "a save of its own");
  CHECK(cloth_read_image(s.sheet, image, s.memory.image_bytes) == CLOTH_OK, "%s: read", v->name);
  CHECK(memcmp(now + s.memory.state_offset, fixture_state(&s), s.memory.state_bytes) == 0, "%s: read", v->name);
  for (size_t odd = 0; odd < 4; odd++) {
    expect_exchange(&s, &config, hashes, 0, odd, v->name);
    expect_exchange(&s, &config, hashes, 1, odd, v->name);
  }
  expect_future(&s, hashes, v->name, "an image of its own");
  free(now);
  free(save);
  free(image);
  fixture_free(&s);
}

/* Longer buffers are as good; a state may be written at any moment, so right after cloth_init(), too. */
static void test_fresh_exchange(void) {
  const named_config *v = &state_configs[tested_config_number];
  cloth_config config = v->config();
  fixture a = fixture_make(&config), b = stranger(&config, 2);
  size_t bytes = a.memory.image_bytes + 9;
  unsigned char *buffer = copy_bytes(a.arena, bytes);
  CHECK(cloth_write_image(a.sheet, buffer, bytes) == CLOTH_OK, "%s: image", v->name);
  CHECK(cloth_read_image(b.sheet, buffer, bytes) == CLOTH_OK && same_state(&a, &b), "%s: fresh image", v->name);
  run_steps(b.sheet, 1, FRAME);
  CHECK(cloth_save(a.sheet, buffer, bytes) == CLOTH_OK, "%s: save", v->name);
  CHECK(cloth_load(b.sheet, buffer, bytes) == CLOTH_OK && same_state(&a, &b), "%s: fresh save", v->name);
  free(buffer);
  fixture_free(&a);
  fixture_free(&b);
}

/* The image of any state can be read, also of one between a removed collider and the next step. */
static void test_image_after_removal(void) {
  cloth_config config = plain_config();
  fixture s = fixture_make(&config);
  image_map at = map_of(&config);
  cloth_collider ball = ball_collider();
  int index = cloth_add_collider(s.sheet, &ball);
  unsigned char *image = copy_bytes(s.arena, s.memory.image_bytes);
  int contacts = 0;
  for (int frame = 0; frame < 60 && contacts == 0; frame++) {
    cloth_step(s.sheet, FRAME);
    cloth_write_image(s.sheet, image, s.memory.image_bytes);
    for (size_t word = at.first[REGION_TOUCHES]; word < at.first[REGION_TOUCHES + 1]; word++)
      contacts += get_word(image, word) != 0;
  }
  CHECK(contacts > 0, "the cloth never touched the ball");
  cloth_remove_collider(s.sheet, index);
  cloth_write_image(s.sheet, image, s.memory.image_bytes);
  int result = cloth_read_image(s.sheet, image, s.memory.image_bytes);
  CHECK(result == CLOTH_OK, "a cloth refuses its own image after its collider was removed: %s",
        cloth_result_name(result));
  free(image);
  fixture_free(&s);
}

/// Sizes ///

static void expect_spans(const fixture *s, const char *call) {
  cloth_memory now;
  memset(&now, 0x77, sizeof now);
  int result = cloth_get_memory(s->sheet, &now);
  CHECK(result == CLOTH_OK && memcmp(&now, &s->memory, sizeof now) == 0, "%s changed the spans", call);
}

#define KEEPS_SPANS(s, call)                                                                                           \
  do {                                                                                                                 \
    (void)(call);                                                                                                      \
    expect_spans((s), #call);                                                                                          \
  } while (0)

static void test_constant_size(void) {
  const named_config *v = &state_configs[tested_config_number];
  cloth_config config = v->config();
  fixture s = fixture_make(&config);
  cloth_collider ball = ball_collider(), box = box_collider();
  cloth_pose pose = {vector_at(1.0, 2.0, 3.0), rotation_none()};
  expect_spans(&s, "cloth_init()");
  for (int i = 0; i < 6; i++)
    KEEPS_SPANS(&s, cloth_add_collider(s.sheet, &ball));
  KEEPS_SPANS(&s, cloth_set_collider(s.sheet, 1, &box));
  KEEPS_SPANS(&s, cloth_move_collider(s.sheet, 1, NULL, &pose));
  for (int i = 0; i < s.count; i++)
    KEEPS_SPANS(&s, cloth_confine_to_line(s.sheet, i, vector_at(0.0, 1.0, 0.0)));
  for (int i = 0; i < s.count; i += 2)
    KEEPS_SPANS(&s, cloth_pin(s.sheet, i));
  KEEPS_SPANS(&s, cloth_move_pin(s.sheet, 0, vector_at(0.0, 1.0, 0.0)));
  KEEPS_SPANS(&s, cloth_set_fabric(s.sheet, &config.fabric));
  KEEPS_SPANS(&s, cloth_set_wind(s.sheet, vector_at(1.0, 0.0, 0.0)));
  KEEPS_SPANS(&s, cloth_set_gravity(s.sheet, vector_at(1.0, 0.0, 0.0)));
  KEEPS_SPANS(&s, cloth_step(s.sheet, FRAME));
  KEEPS_SPANS(&s, cloth_step(s.sheet, 1.0f));
  KEEPS_SPANS(&s, cloth_remove_collider(s.sheet, 0));
  for (int i = 0; i < s.count; i++)
    KEEPS_SPANS(&s, cloth_release(s.sheet, i));
  KEEPS_SPANS(&s, cloth_step(s.sheet, FRAME));
  fixture_free(&s);
}

static void expect_sizes(const cloth_config *config, size_t share, const char *options) {
  cloth_memory m;
  int result = cloth_memory_needed(config, &m);
  CHECK(result == CLOTH_OK, "cloth_memory_needed: %s", cloth_result_name(result));
  size_t lines = (size_t)(config->columns + config->rows); /* of which each has room for touches of cells */
  size_t most = share * (size_t)plane_stride(config->columns * config->rows) + 36 * lines + 6144;
  CHECK(m.saved_bytes <= most, "%d x %d%s: a save of %d bytes, at most %d", config->columns, config->rows, options,
        (int)m.saved_bytes, (int)most);
  CHECK(m.saved_bytes > m.state_bytes && m.image_bytes == 4 * map_of(config).first[REGION_COUNT],
        "%d x %d%s: a state of %d bytes, a save of %d, an image of %d", config->columns, config->rows, options,
        (int)m.state_bytes, (int)m.saved_bytes, (int)m.image_bytes);
  CHECK(m.image_bytes == m.state_bytes + 48 && m.saved_bytes == m.state_bytes + 20, "%d x %d%s: headers",
        config->columns, config->rows, options);
}

static void test_saved_bytes(void) {
  static const int sides[] = {2, 3, 4, 5, 7, 8, 13, 16, 24, 31, 32, 48, 63, 64};
  int side_count = (int)(sizeof sides / sizeof sides[0]);
  for (int i = 0; i < side_count * side_count; i++) {
    cloth_config config = cloth_config_default();
    config.columns = sides[i % side_count];
    config.rows = sides[i / side_count];
    config.max_colliders = 0;
    expect_sizes(&config, 37, " without colliders");
    config.max_colliders = 16;
    expect_sizes(&config, 98, "");
    config.integration.bdf2_blend = 0.5f;
    expect_sizes(&config, 110, " of second order");
    config.tethers.count = 2;
    expect_sizes(&config, 118, " of second order with tethers");
    config.capacity.targets = 1;
    expect_sizes(&config, 190, " with everything");
  }
}

static const test tests[] = {
    TEST_EACH(every_config, exchange),
    TEST_EACH(every_config, fresh_exchange),
    TEST(image_after_removal),
    TEST_EACH(every_config, constant_size),
    TEST(saved_bytes),
};

int main(int count, char **arguments) {
  fill_maps();
  return RUN_TESTS(count, arguments, tests);
}
