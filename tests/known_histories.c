/* Histories of random calls of every public function, as the fuzzer plays them but without twins, and the hashes of all
   that the calls returned: one of what is the same on every machine, one of what differs with lanes and pointers (work
   done, memory of groups). Whatever is computed otherwise than before changes one. Whoever changes that on purpose puts
   new hashes there in the same change:

       build/tests/known_histories --renew tests/known_histories.h

   SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200112L /* posix_memalign() */
#include "known_histories.h"
#include "check.h"
#include "flushed.h"
#include "fuzz_history.h"

enum {
  BLOCK_COUNT = 16,
  BLOCK_HISTORIES = 50,
  HISTORY_BYTES = 600, /* some 60 operations */
};
#define HISTORY_WORK 8000000u /* see WORK_OF_PARTICLE: many short histories differ more than few long ones */

/* The hashes after a block of histories. */
static known_history play_block(int number) {
  unsigned char bytes[HISTORY_BYTES];
  known_history hashes = {0, 0};
  all_build = 0;
  for (int n = 0; n < BLOCK_HISTORIES; n++) {
    history_number = (long long)number * BLOCK_HISTORIES + n;
    random_bytes((uint64_t)history_number + 1, bytes, sizeof bytes);
    const uint64_t output = play(bytes, sizeof bytes, 0, HISTORY_WORK);
    hashes.output = folded(folded(hashes.output, (uint32_t)output), (uint32_t)(output >> 32));
  }
  hashes.build = all_build;
  return hashes;
}

/* Plays all blocks, then writes their hashes as a header. */
static int write_known(const char *name) {
  known_history all[BLOCK_COUNT];
  for (int n = 0; n < BLOCK_COUNT; n++)
    all[n] = play_block(n);
  FILE *file = fopen(name, "w");
  if (file == NULL) return 2;
  fprintf(file, "/* Written by known_histories.c. SPDX-License-Identifier: MIT */\n"
                "#ifndef KNOWN_HISTORIES_H\n#define KNOWN_HISTORIES_H\n\n#include <stdint.h>\n\n"
                "/* Of a block of histories: what every machine returns, and what depends on lanes and pointers. */\n"
                "typedef struct known_history {\n  uint64_t output, build;\n} known_history;\n\n"
                "static const known_history known_histories[] = {\n");
  for (int n = 0; n < BLOCK_COUNT; n++) {
    const uint64_t output = all[n].output, build = all[n].build;
    fprintf(file, "    {UINT64_C(0x%08lx%08lx), UINT64_C(0x%08lx%08lx)},\n", (unsigned long)(output >> 32),
            (unsigned long)(output & 0xffffffffu), (unsigned long)(build >> 32), (unsigned long)(build & 0xffffffffu));
  }
  fprintf(file, "};\n\n#endif /* KNOWN_HISTORIES_H */\n");
  return fclose(file) == 0 ? 0 : 2;
}

/* The hashes of work are those of 4 lanes and pointers of 64 bits. */
#if defined(__x86_64__) && !defined(__AVX2__) && !defined(CLOTH_SCALAR)
#define KNOWS_BUILD 1
#else
#define KNOWS_BUILD 0
#endif

static int played;

static const char *block_name(int number) {
  static char name[16];
  snprintf(name, sizeof name, "%d", number);
  return name;
}

static void select_block(int number) {
  played = number;
}

static const test_cases blocks_of_histories = {0, BLOCK_COUNT, block_name, select_block};

static void test_block(void) {
  const int count = (int)(sizeof known_histories / sizeof known_histories[0]);
  const known_history known = played < count ? known_histories[played] : (known_history){0, 0};
  const known_history is = play_block(played);
  CHECK(count == BLOCK_COUNT, "hashes of %d blocks", count);
  CHECK(is.output == known.output, "block %d: what calls returned is not known", played);
  CHECK(!KNOWS_BUILD || is.build == known.build, "block %d: the work is not the known one", played);
}

static const test tests[] = {
    TEST_EACH(blocks_of_histories, block),
};

/* known_histories flushed ...: on x86 with subnormal numbers taken, and returned, as 0. Some inputs are subnormal. */
int main(int count, char **arguments) {
  fill_maps();
  take_flushed(&count, &arguments);
  if (count == 3 && strcmp(arguments[1], "--renew") == 0) return write_known(arguments[2]);
  return RUN_TESTS(count, arguments, tests);
}
