/* The hash of a state: every bit counts, nothing else does, equal states have equal hashes. The hashes that every build
   must reach: golden.c. SPDX-License-Identifier: MIT */
#include "saved_cloths.h"

/* Any bit of any word of the state changes the hash; nothing else does. */
static void test_hash_of_words(void) {
  const named_config *v = &state_configs[tested_config_number];
  const uint64_t seed = 200 + (uint64_t)tested_config_number;
  cloth_config config = v->config();
  fixture s = living(&config);
  random_source random = {seed};
  uint64_t hash = hash_of(s.sheet);
  for (size_t word = 0; word < s.memory.state_bytes / 4; word++) {
    int bit = random_int(&random, 0, 31);
    unsigned char *byte = fixture_state(&s) + 4 * word + bit / 8;
    *byte ^= (unsigned char)(1 << bit % 8);
    CHECK(hash_of(s.sheet) != hash, "%s: bit %d of word %d does not count", v->name, bit, (int)word);
    *byte ^= (unsigned char)(1 << bit % 8);
  }
  CHECK(hash_of(s.sheet) == hash, "%s: the hash of the same state", v->name);
  CHECK(s.memory.state_bytes % 4 == 0, "%s: the state is not made of words", v->name);
  memset(s.arena + s.memory.scratch_offset, 0xa9, s.memory.scratch_bytes);
  CHECK(hash_of(s.sheet) == hash, "%s: the hash depends on the scratch span", v->name);
  size_t bytes = s.memory.image_bytes;
  unsigned char *image = copy_bytes(s.arena, bytes);
  cloth_write_image(s.sheet, image, bytes);
  uint64_t expected = hash_of_words(image + 4 * HEADER_WORDS, bytes / 4 - HEADER_WORDS);
  CHECK(hash == expected, "%s: not the hash of the image's words", v->name);
  uint64_t written = (uint64_t)get_word(image, WORD_HASH) | (uint64_t)get_word(image, WORD_HASH + 1) << 32;
  CHECK(hash == written, "%s: the image has another hash", v->name);
  free(image);
  fixture_free(&s);
}

/* Equal states have equal hashes, wherever they lie and whatever the config does with them. */
static void test_equal_hashes(void) {
  cloth_config config = plain_config();
  fixture a = living(&config);
  config.solver.tolerance = 0.1f;
  fixture b = stranger(&config, 3);
  memcpy(fixture_state(&b), fixture_state(&a), a.memory.state_bytes);
  CHECK(hash_of(a.sheet) == hash_of(b.sheet), "equal states, other hashes");
  cloth_set_wind(b.sheet, vector_at(2.0, 0.0, 1.125));
  CHECK(hash_of(a.sheet) != hash_of(b.sheet), "other winds, equal hashes");
  cloth_set_wind(b.sheet, vector_at(2.0, 0.0, 1.0));
  CHECK(hash_of(a.sheet) == hash_of(b.sheet), "equal winds, other hashes");
  cloth_pin(b.sheet, 14);
  CHECK(hash_of(a.sheet) != hash_of(b.sheet), "another pin, equal hashes");
  fixture_free(&a);
  fixture_free(&b);
}

static void test_hash_fold(void) {
  CHECK(cloth_hash_fold(0) == 0, "fold of 0");
  CHECK(cloth_hash_fold(UINT64_C(0x0000000100000002)) == 3, "fold of 2^32 + 2");
  CHECK(cloth_hash_fold(UINT64_C(0xffffffff00000000)) == 0xffffffffu, "fold of the upper half");
  CHECK(cloth_hash_fold(UINT64_C(0xffffffffffffffff)) == 0, "fold of all bits");
  CHECK(cloth_hash_fold(UINT64_C(0x123456789abcdef0)) == 0x88888888u, "fold of the digits");
  for (int bit = 0; bit < 64; bit++)
    CHECK(cloth_hash_fold(UINT64_C(1) << bit) == UINT32_C(1) << bit % 32, "fold of 2^%d", bit);
}

static const test tests[] = {
    TEST_EACH(every_config, hash_of_words),
    TEST(equal_hashes),
    TEST(hash_fold),
};

int main(int count, char **arguments) {
  fill_maps();
  return RUN_TESTS(count, arguments, tests);
}
