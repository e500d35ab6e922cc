/* Saves with words changed at random behind a header that fits: each is refused, says why and changes nothing, or is
   loaded and the cloth lives on in bounds and with finite numbers, and what it saves then is accepted.

       save_mutations [tries with each config]           (default 700)

   SPDX-License-Identifier: MIT */
#include "mutations.h"

enum { SAVE_HEADER_BYTES = 20 };

/* Tries with each config. */
static int tries;

/* The save that holds the state of an image: freedoms as bytes, then words as this machine has them. */
static void put_state(unsigned char *save, const image_fixture *t, const unsigned char *image) {
  const size_t first = t->at.first[REGION_FREEDOM], words = t->at.first[REGION_COLLIDERS];
  memcpy(save + SAVE_HEADER_BYTES, image + 4 * first, 4 * (words - first));
  for (size_t word = words; word < t->at.first[REGION_COUNT]; word++) {
    uint32_t bits = get_word(image, word);
    memcpy(save + SAVE_HEADER_BYTES + 4 * (word - HEADER_WORDS), &bits, sizeof bits);
  }
}

/* Saves and loads. */
static int is_reloaded(fixture *s) {
  unsigned char *save = copy_bytes(s->arena, s->memory.saved_bytes);
  int result = cloth_save(s->sheet, save, s->memory.saved_bytes);
  result = result == CLOTH_OK ? cloth_load(s->sheet, save, s->memory.saved_bytes) : result;
  free(save);
  return result == CLOTH_OK;
}

static int lives_on(image_fixture *t) {
  fixture *s = &t->s;
  for (int frame = 0; frame < 3; frame++) {
    if (!steps_on(s)) return 0;
  }
  read_everything(s);
  if (!is_reloaded(s)) return 0;
  use_everything(s, &t->at);
  return is_reloaded(s) && steps_on(s);
}

/* Loads a save from a buffer of exactly its bytes that starts at an odd address. */
static int load_from_odd_address(fixture *s, const unsigned char *save) {
  const size_t bytes = s->memory.saved_bytes;
  unsigned char *odd = malloc(bytes + 1);
  if (odd == NULL) return CLOTH_ERROR_NULL;
  memcpy(odd + 1, save, bytes);
  int result = cloth_load(s->sheet, odd + 1, bytes);
  free(odd);
  return result;
}

/* One changed save, three of four with one change. Returns 1 if it was accepted. */
static int try_mutation(image_fixture *t, random_source *random, unsigned char *save, const char *name, int number) {
  mutate(random, t, random_int(random, 0, 3) > 0 ? 1 : random_int(random, 2, 4));
  put_state(save, t, t->trial);
  unsigned char *mutated = copy_bytes(t->trial, t->bytes);
  int result = load_from_odd_address(&t->s, save), good = 1;
  if (result == CLOTH_OK)
    good = lives_on(t);
  else
    CHECK(result == CLOTH_ERROR_IMAGE_CONTENT && is_untouched(t), "%s, save %d: %s", name, number,
          cloth_result_name(result));
  CHECK(good, "%s, save %d was accepted and did not live on", name, number);
  CHECK(guards_intact(t->s.arena, t->s.memory.total_bytes), "%s, save %d: wrote outside", name, number);
  if (!good) tell_mutation(t, mutated);
  free(mutated);
  put_back(t);
  return result == CLOTH_OK;
}

static void test_mutations(void) {
  const named_config *v = &state_configs[tested_config_number];
  cloth_config config = v->config();
  image_fixture t = image_fixture_make(&config);
  unsigned char *save = copy_bytes(t.image, t.s.memory.saved_bytes);
  CHECK(cloth_save(t.s.sheet, save, t.s.memory.saved_bytes) == CLOTH_OK, "a save");
  unsigned char *made = copy_bytes(save, t.s.memory.saved_bytes);
  put_state(made, &t, t.image);
  CHECK(memcmp(made, save, t.s.memory.saved_bytes) == 0, "a save from the words of the image is another one");
  random_source random = {300 + (uint64_t)tested_config_number};
  int accepted = 0;
  for (int i = 0; i < tries; i++)
    accepted += try_mutation(&t, &random, save, v->name, i);
  CHECK(accepted > tries / 20 && accepted < tries - tries / 20, "%s: %d of %d saves accepted", v->name, accepted,
        tries);
  free(made);
  free(save);
  image_fixture_free(&t);
}

static const test tests[] = {
    TEST_EACH(every_config, mutations),
};

int main(int count, char **arguments) {
  fill_maps();
  tries = tries_of(&count, arguments, 700);
  return RUN_TESTS(count, arguments, tests);
}
