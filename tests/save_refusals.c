/* Saves and images that are refused, and that a refusal changes nothing: wrong pointers, short buffers, any flipped
   bit, another config. Content that no cloth can have: image_content.c. SPDX-License-Identifier: MIT */
#include "saved_cloths.h"

/// Refusals: pointers and sizes ///

/* Where outputs go that may not be written. */
typedef struct untouched {
  unsigned char *bytes, *before;
  size_t count;
} untouched;

static void expect_unwritten(const untouched *u, const char *what) {
  CHECK(memcmp(u->bytes, u->before, u->count) == 0, "%s: an output was written", what);
}

static void test_pointer_refusals(void) {
  cloth_config config = full_config();
  image_fixture t = image_fixture_make(&config);
  size_t saved = t.s.memory.saved_bytes;
  untouched u = {copy_bytes(t.image, t.bytes), copy_bytes(t.image, t.bytes), t.bytes};
  uint64_t hash = 77;
  unsigned char *allocation, *zeros = guarded_buffer(t.s.memory.total_bytes, 0, &allocation);
  memset(zeros, 0, t.s.memory.total_bytes);
  cloth *none = NULL, *others[] = {(cloth *)(void *)zeros, (cloth *)(void *)(t.s.arena + 1)};
  REFUSED(&t, cloth_save(none, u.bytes, saved), CLOTH_ERROR_NULL);
  REFUSED(&t, cloth_load(none, u.bytes, saved), CLOTH_ERROR_NULL);
  REFUSED(&t, cloth_write_image(none, u.bytes, t.bytes), CLOTH_ERROR_NULL);
  REFUSED(&t, cloth_read_image(none, u.bytes, t.bytes), CLOTH_ERROR_NULL);
  REFUSED(&t, cloth_hash(none, &hash), CLOTH_ERROR_NULL);
  REFUSED(&t, cloth_save(t.s.sheet, NULL, saved), CLOTH_ERROR_NULL);
  REFUSED(&t, cloth_load(t.s.sheet, NULL, saved), CLOTH_ERROR_NULL);
  REFUSED(&t, cloth_write_image(t.s.sheet, NULL, t.bytes), CLOTH_ERROR_NULL);
  REFUSED(&t, cloth_read_image(t.s.sheet, NULL, t.bytes), CLOTH_ERROR_NULL);
  REFUSED(&t, cloth_hash(t.s.sheet, NULL), CLOTH_ERROR_NULL);
  for (int i = 0; i < 2; i++) {
    REFUSED(&t, cloth_save(others[i], u.bytes, saved), CLOTH_ERROR_NOT_A_CLOTH);
    REFUSED(&t, cloth_load(others[i], u.bytes, saved), CLOTH_ERROR_NOT_A_CLOTH);
    REFUSED(&t, cloth_write_image(others[i], u.bytes, t.bytes), CLOTH_ERROR_NOT_A_CLOTH);
    REFUSED(&t, cloth_read_image(others[i], u.bytes, t.bytes), CLOTH_ERROR_NOT_A_CLOTH);
    REFUSED(&t, cloth_hash(others[i], &hash), CLOTH_ERROR_NOT_A_CLOTH);
  }
  expect_unwritten(&u, "refused for a pointer");
  CHECK(hash == 77, "a refused hash was written");
  free(allocation);
  free(u.bytes);
  free(u.before);
  image_fixture_free(&t);
}

/* Buffers of exactly the bytes told, so that reading or writing further is seen by the sanitizers. */
static void test_short_buffers(void) {
  cloth_config config = full_config();
  image_fixture t = image_fixture_make(&config);
  size_t saved = t.s.memory.saved_bytes;
  unsigned char *save = copy_bytes(t.image, saved);
  CHECK(cloth_save(t.s.sheet, save, saved) == CLOTH_OK, "a save");
  const size_t save_sizes[] = {0, 1, 19, 20, 21, saved / 2, saved - 1};
  for (size_t i = 0; i < sizeof save_sizes / sizeof save_sizes[0]; i++) {
    unsigned char *part = copy_bytes(save, save_sizes[i] + 1);
    untouched u = {part, copy_bytes(part, save_sizes[i] + 1), save_sizes[i] + 1};
    REFUSED(&t, cloth_save(t.s.sheet, part, save_sizes[i]), CLOTH_ERROR_BUFFER);
    REFUSED(&t, cloth_load(t.s.sheet, part, save_sizes[i]), CLOTH_ERROR_IMAGE_DAMAGED);
    expect_unwritten(&u, "a short save");
    free(part);
    free(u.before);
  }
  const size_t image_sizes[] = {0, 1, 47, 48, 49, t.bytes / 2, t.bytes - 1};
  for (size_t i = 0; i < sizeof image_sizes / sizeof image_sizes[0]; i++) {
    unsigned char *part = copy_bytes(t.image, image_sizes[i] + 1);
    untouched u = {part, copy_bytes(part, image_sizes[i] + 1), image_sizes[i] + 1};
    REFUSED(&t, cloth_write_image(t.s.sheet, part, image_sizes[i]), CLOTH_ERROR_BUFFER);
    REFUSED(&t, cloth_read_image(t.s.sheet, part, image_sizes[i]), CLOTH_ERROR_IMAGE_DAMAGED);
    expect_unwritten(&u, "a short image");
    free(part);
    free(u.before);
  }
  free(save);
  image_fixture_free(&t);
}

/* Buffers that begin in the arena, or end there: nothing is written over the cloth. */
static void test_buffers_in_the_arena(void) {
  cloth_config config = full_config();
  image_fixture t = image_fixture_make(&config);
  const size_t arena = t.s.memory.total_bytes, saved = t.s.memory.saved_bytes, bytes = t.bytes;
  unsigned char *arrays = malloc(bytes + arena + bytes + 2 * CLOTH_ALIGNMENT);
  unsigned char *start = arrays + CLOTH_ALIGNMENT - (uintptr_t)arrays % CLOTH_ALIGNMENT;
  start += (bytes + CLOTH_ALIGNMENT - 1) / CLOTH_ALIGNMENT * CLOTH_ALIGNMENT;
  cloth *sheet = NULL;
  CHECK(cloth_init(&config, start, arena, &sheet) >= CLOTH_OK, "no cloth");
  unsigned char *before = copy_bytes(start, arena);
  unsigned char *const inside[] = {start, start + arena / 2, start + arena - 1, start + 1 - saved};
  for (size_t i = 0; i < sizeof inside / sizeof inside[0]; i++) {
    CHECK(cloth_save(sheet, inside[i], saved) == CLOTH_ERROR_BUFFER, "a save in the arena, %d", (int)i);
    CHECK(cloth_write_image(sheet, inside[i], bytes) == CLOTH_ERROR_BUFFER, "an image in the arena, %d", (int)i);
  }
  CHECK(memcmp(start, before, arena) == 0, "the arena has changed");
  CHECK(cloth_save(sheet, start - saved, saved) == CLOTH_OK, "a save before the arena");
  CHECK(cloth_write_image(sheet, start + arena, bytes) == CLOTH_OK, "an image behind the arena");
  CHECK(memcmp(start, before, arena) == 0, "the arena has changed");
  free(before);
  free(arrays);
  image_fixture_free(&t);
}

/// Refusals: damage ///

/* The result a changed word of an image has, its hash left as it was. */
static int result_of_damage(size_t word) {
  if (word == WORD_MAGIC || word == WORD_STATE_VERSION || word == WORD_NUMERICS_VERSION)
    return CLOTH_ERROR_IMAGE_VERSION;
  return word < WORD_HASH ? CLOTH_ERROR_IMAGE_CONFIG : CLOTH_ERROR_IMAGE_DAMAGED;
}

/* Every bit of a word: refused for the right reason, nothing touched. Which error a word without a meaning has is not
   said. */
static void expect_word_guarded(image_fixture *t, size_t word, const char *name) {
  int expected = result_of_damage(word), wrong = 0, touched = 0, example = expected;
  for (int bit = 0; bit < 32; bit++) {
    set_word(t->trial, word, get_word(t->image, word) ^ (UINT32_C(1) << bit));
    int result = cloth_read_image(t->s.sheet, t->trial, t->bytes);
    int right = result == expected;
    wrong += !right;
    example = right ? example : result;
    touched += !is_untouched(t);
    put_back(t);
  }
  set_word(t->trial, word, get_word(t->image, word));
  CHECK(wrong == 0, "%s, word %d: %d of 32 flipped bits gave the like of %s instead of %s", name, (int)word, wrong,
        cloth_result_name(example), cloth_result_name(expected));
  CHECK(touched == 0, "%s, word %d: %d of 32 flipped bits changed the arena", name, (int)word, touched);
}

static cloth_config tiny_config(cloth_config config) {
  config.columns = 2;
  config.rows = 2;
  config.max_colliders = 1;
  config.capacity.max_confined = 1;
  return config;
}

static void expect_every_bit_guarded(const char *name, cloth_config config) {
  config = tiny_config(config);
  image_fixture t = image_fixture_make(&config);
  for (size_t word = 0; word < t.at.first[REGION_COUNT]; word++)
    expect_word_guarded(&t, word, name);
  CHECK(cloth_read_image(t.s.sheet, t.trial, t.bytes) == CLOTH_OK, "the image as it was");
  image_fixture_free(&t);
}

static void test_every_bit(void) {
  expect_every_bit_guarded("plain", plain_config());
  expect_every_bit_guarded("implicit", implicit_config());
  expect_every_bit_guarded("everything", full_config());
}

static void test_save_header(void) {
  cloth_config config = plain_config();
  image_fixture t = image_fixture_make(&config);
  size_t saved = t.s.memory.saved_bytes;
  unsigned char *save = copy_bytes(t.image, saved);
  CHECK(cloth_save(t.s.sheet, save, saved) == CLOTH_OK, "a save");
  static const int errors[] = {CLOTH_ERROR_IMAGE_VERSION, CLOTH_ERROR_IMAGE_VERSION, CLOTH_ERROR_IMAGE_CONFIG,
                               CLOTH_ERROR_IMAGE_CONFIG, CLOTH_ERROR_IMAGE_CONFIG};
  uint32_t versions, expected = CLOTH_VERSION_MAJOR << 28 | CLOTH_VERSION_MINOR << 21 | CLOTH_VERSION_PATCH << 14;
  expected |= CLOTH_STATE_VERSION << 7 | CLOTH_NUMERICS_VERSION;
  memcpy(&versions, save + 4, sizeof versions);
  CHECK(versions == expected, "versions 0x%08x, not 0x%08x", (unsigned)versions, (unsigned)expected);
  for (size_t bit = 0; bit < 8 * 20; bit++) {
    save[bit / 8] ^= (unsigned char)(1 << bit % 8);
    REFUSED(&t, cloth_load(t.s.sheet, save, saved), errors[bit / 32]);
    save[bit / 8] ^= (unsigned char)(1 << bit % 8);
  }
  REFUSED(&t, cloth_load(t.s.sheet, t.image, t.bytes), CLOTH_ERROR_IMAGE_VERSION);
  REFUSED(&t, cloth_read_image(t.s.sheet, save, saved), CLOTH_ERROR_IMAGE_VERSION);
  CHECK(cloth_load(t.s.sheet, save, saved) == CLOTH_OK && is_untouched(&t), "the save as it was");
  free(save);
  image_fixture_free(&t);
}

/// Refusals: another config ///

/* A save and an image of a cloth of another config are refused by the fixture. */
static void expect_foreign(image_fixture *t, const cloth_config *config, const char *what) {
  fixture other = fixture_make(config);
  size_t saved = other.memory.saved_bytes, bytes = other.memory.image_bytes;
  unsigned char *save = copy_bytes(other.arena, saved), *image = copy_bytes(other.arena, bytes);
  CHECK(cloth_save(other.sheet, save, saved) == CLOTH_OK, "%s: save", what);
  CHECK(cloth_write_image(other.sheet, image, bytes) == CLOTH_OK, "%s: image", what);
  expect_refusal(t, cloth_load(t->s.sheet, save, saved), CLOTH_ERROR_IMAGE_CONFIG, what);
  expect_refusal(t, cloth_read_image(t->s.sheet, image, bytes), CLOTH_ERROR_IMAGE_CONFIG, what);
  free(save);
  free(image);
  fixture_free(&other);
}

#define OTHER_CONFIG(fixture, change)                                                                                  \
  do {                                                                                                                 \
    cloth_config other = full_config();                                                                                \
    other.change;                                                                                                      \
    expect_foreign((fixture), &other, #change);                                                                        \
  } while (0)

static void test_other_settings(void) {
  cloth_config config = full_config();
  image_fixture t = image_fixture_make(&config);
  OTHER_CONFIG(&t, substeps = 5);
  OTHER_CONFIG(&t, integration.max_substeps = 17);
  OTHER_CONFIG(&t, solver.max_iterations = 21);
  OTHER_CONFIG(&t, solver.tolerance = 2.0e-3f);
  OTHER_CONFIG(&t, solver.preconditioner = CLOTH_PRECONDITIONER_NONE);
  OTHER_CONFIG(&t, integration.method = CLOTH_INTEGRATION_IMPLICIT);
  OTHER_CONFIG(&t, integration.explicit_threshold = 0.1f);
  OTHER_CONFIG(&t, integration.max_speed = 299.0f);
  OTHER_CONFIG(&t, integration.velocity_damping = 0.2f);
  OTHER_CONFIG(&t, air.density = 1.1f);
  OTHER_CONFIG(&t, air.drag = 0.25f);
  OTHER_CONFIG(&t, air.lift = 0.25f);
  OTHER_CONFIG(&t, air.normal_drag = 0.5f);
  OTHER_CONFIG(&t, integration.rest_drag = 0.01f);
  OTHER_CONFIG(&t, integration.rest_speed = 0.3f);
  OTHER_CONFIG(&t, integration.max_push_speed = 2.0f);
  OTHER_CONFIG(&t, integration.max_parts = 2);
  OTHER_CONFIG(&t, integration.bdf2_blend = 0.5f);
  OTHER_CONFIG(&t, tethers.scale = 1.5f);
  OTHER_CONFIG(&t, iterations = 11);
  OTHER_CONFIG(&t, strain_limit.max_extension = 0.007f);
  OTHER_CONFIG(&t, strain_limit.stiffness = 20.0f);
  OTHER_CONFIG(&t, thickness = 0.02f);
  OTHER_CONFIG(&t, grid.wrap = 1);
  OTHER_CONFIG(&t, grid.min_bending_length = 2.0f);
  OTHER_CONFIG(&t, edge_warp.x = 1.5f);
  OTHER_CONFIG(&t, edge_weft.z = 1.5f);
  OTHER_CONFIG(&t, grid.mass_map = NULL);
  OTHER_CONFIG(&t, grid.stiffness_map = NULL);
  OTHER_CONFIG(&t, columns = 4);
  OTHER_CONFIG(&t, rows = 4);
  OTHER_CONFIG(&t, max_colliders = 3);
  OTHER_CONFIG(&t, capacity.max_confined = 4);
  OTHER_CONFIG(&t, integration.bdf2_blend = 0.0f);
  OTHER_CONFIG(&t, tethers.count = 1);
  OTHER_CONFIG(&t, tethers.count = 0);
  image_fixture_free(&t);
}

/* One value of a map tells two configs apart; as many particles in another shape are another grid. */
static void test_other_maps_and_shape(void) {
  cloth_config config = full_config();
  image_fixture t = image_fixture_make(&config);
  float map[MAP_LIMIT];
  memcpy(map, mass_map, sizeof map);
  map[14] += 0.25f;
  OTHER_CONFIG(&t, grid.mass_map = map);
  memcpy(map, stiffness_map, sizeof map);
  map[3] += 0.25f;
  OTHER_CONFIG(&t, grid.stiffness_map = map);
  config.columns = 3;
  config.rows = 5;
  expect_foreign(&t, &config, "3 x 5 for 5 x 3");
  image_fixture_free(&t);
}

/* Gravity, wind, fabric and places are of the state: configs that differ in them exchange it. */
static void test_inputs_are_state(void) {
  cloth_config config = full_config();
  image_fixture t = image_fixture_make(&config);
  config.gravity = vector_at(1.0, 2.0, 3.0);
  config.wind = vector_at(3.0, 2.0, 1.0);
  config.origin = vector_at(5.0, 5.0, 5.0);
  config.fabric.stretch_warp = 500.0f;
  config.fabric.bend = 1e-4f;
  fixture other = fixture_make(&config);
  CHECK(cloth_read_image(other.sheet, t.image, t.bytes) == CLOTH_OK, "an image");
  CHECK(same_state(&t.s, &other), "the states differ");
  fixture_free(&other);
  image_fixture_free(&t);
}

static const test tests[] = {
    TEST(pointer_refusals), TEST(short_buffers),  TEST(buffers_in_the_arena), TEST(every_bit),
    TEST(save_header),      TEST(other_settings), TEST(other_maps_and_shape), TEST(inputs_are_state),
};

int main(int count, char **arguments) {
  fill_maps();
  return RUN_TESTS(count, arguments, tests);
}
