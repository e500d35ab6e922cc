/* Images changed at random, with a hash that fits: each is refused and changes nothing, or is accepted and the cloth
   lives on with finite numbers.

       image_mutations [tries with each config]           (default 700)

   SPDX-License-Identifier: MIT */
#include "mutations.h"

/* Tries with each config. */
static int tries;

/* What an image was accepted for: frames that stay finite, calls, and an image that is accepted again. */
static int lives_on(image_fixture *t) {
  fixture *s = &t->s;
  for (int frame = 0; frame < 3; frame++) {
    if (!steps_on(s)) return 0;
  }
  read_everything(s);
  cloth_write_image(s->sheet, t->trial, t->bytes);
  if (cloth_read_image(s->sheet, t->trial, t->bytes) != CLOTH_OK) return 0;
  use_everything(s, &t->at);
  cloth_write_image(s->sheet, t->trial, t->bytes);
  if (cloth_read_image(s->sheet, t->trial, t->bytes) != CLOTH_OK) return 0;
  return steps_on(s);
}

/* One mutated image. Returns 1 if it was accepted. */
static int try_mutation(image_fixture *t, random_source *random, const char *name, int number) {
  mutate(random, t, random_int(random, 1, 4));
  seal(t->trial, t->bytes);
  unsigned char *mutated = copy_bytes(t->trial, t->bytes);
  int result = cloth_read_image(t->s.sheet, t->trial, t->bytes);
  int accepted = result == CLOTH_OK, good = accepted;
  if (accepted)
    good = lives_on(t);
  else
    CHECK(result == CLOTH_ERROR_IMAGE_CONTENT && is_untouched(t), "%s, mutation %d: %s", name, number,
          cloth_result_name(result));
  CHECK(good || !accepted, "%s, mutation %d was accepted and did not live on", name, number);
  CHECK(guards_intact(t->s.arena, t->s.memory.total_bytes), "%s, mutation %d: wrote outside", name, number);
  if (accepted && !good) tell_mutation(t, mutated);
  free(mutated);
  put_back(t);
  return accepted;
}

static void test_mutations(void) {
  const named_config *v = &state_configs[tested_config_number];
  const uint64_t seed = 100 + (uint64_t)tested_config_number;
  cloth_config config = v->config();
  image_fixture t = image_fixture_make(&config);
  random_source random = {seed};
  int accepted = 0;
  for (int i = 0; i < tries; i++)
    accepted += try_mutation(&t, &random, v->name, i);
  CHECK(accepted > tries / 20 && accepted < tries - tries / 20, "%s: %d of %d mutations accepted", v->name, accepted,
        tries);
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
