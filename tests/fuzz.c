/*
 * A fuzzer of every public function: bytes become a history of calls, of one to three cloths, their colliders, bodies
 * and geometries. Whatever the calls are,
 *   - no byte outside of memory that was handed over is touched (sanitizers, or bytes around it),
 *   - a call that is refused, or that asks, leaves every state as it is,
 *   - results are finite and within their limits, and work is within its bound,
 *   - a twin that takes over from a save or an image in the middle of the history, in other memory with other bytes in
 *     it, and whose steps are shared out to workers where the cloths have memory for that, returns the same and comes
 * to the same states.
 *
 *   fuzz FILE...           replays histories; prints how many, the calls of each function, one hash of what differs
 * with the lanes and pointers of a build (work done, memory of groups), and one of all else that they returned, which
 * is the same on every machine fuzz --known HASHES FILE... the same, and writes a hash after each history to a file, or
 * if there is that file ends at the first history that has another one fuzz --random SEED N   plays N random histories
 *
 * With -DWITH_LIBFUZZER it is a target of libFuzzer, which finds histories that reach code that others have not. See
 * fuzz.sh (make fuzz) and corpus.sh. SPDX-License-Identifier: MIT
 */
#include "fuzz_history.h"

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t count);
int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t count) {
  fill_maps();
  history_number++;
  play(bytes, count, 1, MOST_WORK);
  return 0;
}

/// Replay ///

#ifndef WITH_LIBFUZZER
static uint64_t all_output;
static uint32_t all_histories;

static void replay(const unsigned char *bytes, size_t count) {
  history_number++;
  const uint64_t output = play(bytes, count, 1, MOST_WORK);
  all_output = folded(folded(all_output, (uint32_t)output), (uint32_t)(output >> 32));
  all_histories++;
}

/* Hashes after each history, to be written or to be as they are. */
static FILE *known_hashes;
static int writes_known;

static void open_known(const char *name) {
  known_hashes = fopen(name, "r");
  writes_known = known_hashes == NULL;
  known_hashes = writes_known ? fopen(name, "w") : known_hashes;
  if (known_hashes == NULL) {
    printf("cannot write %s\n", name);
    exit(2);
  }
}

static void compare_known(void) {
  const uint64_t both = all_output ^ all_build;
  const unsigned long high = (unsigned long)(both >> 32), low = (unsigned long)(both & 0xffffffffu);
  unsigned long known[2];
  if (writes_known) {
    fprintf(known_hashes, "%08lx %08lx\n", high, low);
  } else if (fscanf(known_hashes, "%lx %lx", &known[0], &known[1]) != 2 || known[0] != high || known[1] != low) {
    found("a hash that differs");
  }
}

static void replay_file(const char *name) {
  static unsigned char bytes[65536];
  FILE *file = fopen(name, "rb");
  if (file == NULL) {
    printf("cannot read %s\n", name);
    exit(2);
  }
  const size_t count = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  /* In memory of its exact size, too. */
  unsigned char *copy = (unsigned char *)malloc(count ? count : 1);
  memcpy(copy, bytes, count);
  replay(copy, count);
  free(copy);
  if (known_hashes != NULL) { compare_known(); }
}

static void replay_random(uint64_t seed, int count) {
  unsigned char bytes[600];
  for (int n = 0; n < count; n++) {
    random_bytes(seed + (uint64_t)n, bytes, sizeof bytes);
    const uint64_t before = all_output;
    all_output = 0;
    history_number = (long long)seed + n - 1;
    replay(bytes, sizeof bytes);
    if (getenv("FUZZ_VERBOSE")) {
      printf("%lld %08lx%08lx\n", history_number, (unsigned long)(all_output >> 32),
             (unsigned long)(all_output & 0xffffffffu));
    }
    all_output = folded(before, (uint32_t)(all_output >> 32) ^ (uint32_t)all_output);
  }
}

int main(int count, char **arguments) {
  uint64_t calls = 0;
  int missed = 0;
  fill_maps();
  if (count == 4 && strcmp(arguments[1], "--random") == 0) {
    replay_random((uint64_t)atoll(arguments[2]), atoi(arguments[3]));
  } else {
    const int first = count > 2 && strcmp(arguments[1], "--known") == 0 ? 3 : 1;
    if (first > 1) { open_known(arguments[2]); }
    for (int n = first; n < count; n++) {
      replay_file(arguments[n]);
    }
  }
  for (int n = 0; n < FUNCTION_COUNT; n++) {
    calls += total_calls[n];
    if (total_calls[n] == 0 || total_successes[n] == 0) {
      printf("%s: %s\n", function_names[n], total_calls[n] == 0 ? "never called" : "never ends well");
      missed++;
    }
  }
  if (total_pieces == 0) { printf("no piece of a step was run by workers\n"); }
  printf("%lu histories, %lu calls, %d of %d functions\n", (unsigned long)all_histories, (unsigned long)calls,
         FUNCTION_COUNT - missed, FUNCTION_COUNT);
  printf("build %08lx%08lx\n", (unsigned long)(all_build >> 32), (unsigned long)(all_build & 0xffffffffu));
  printf("hash %08lx%08lx\n", (unsigned long)(all_output >> 32), (unsigned long)(all_output & 0xffffffffu));
  return missed > 0 || total_pieces == 0;
}
#endif
