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
#include "fuzz_calls.h"

/// One history ///

static int make_cloth(world *w, int number) {
  char text[128];
  cloth_memory *memory = &w->memories[number];
  cloth_config *config = &w->configs[number];
  cloth *made = NULL;
  *config = config_of(w, number);
  const int explained = ASK(w, cloth_config_explain, config, text, sizeof text);
  const int needed = ASK(w, cloth_memory_needed, config, memory);
  need(explained == needed, "a config is explained to be what it is not");
  fold_text(w, text);
  if (needed != CLOTH_OK) {
    return 0;
  }
  need(memory->total_bytes < 4000000, "a small cloth that needs much memory");
  fold_wide(w, memory->image_bytes);
  fold_wide(w, memory->total_bytes + memory->saved_bytes);
  fold_wide(w, memory->state_offset + memory->state_bytes);
  fold_wide(w, memory->scratch_offset + memory->scratch_bytes + memory->shared_bytes);
  uint64_t bound = 0;
  const int bounded = ASK(w, cloth_config_work_bound, config, 0.0166666675f, &bound);
  w->config_bound[number] = bounded == CLOTH_OK ? bound : 0;
  fold_wide(w, bound);
  void *arena = memory_of(memory->total_bytes, w->filling);
  need(CALL(w, cloth_init, config, arena, memory->total_bytes, &made) == CLOTH_OK, "a config that was no config");
  w->cloths[w->count++] = made;
  w->hashes[number] = hash_now(made);
  if (memory->shared_bytes > 0) {
    CALL(w, cloth_set_scratch, made, memory_of(memory->shared_bytes, w->filling), memory->shared_bytes);
  }
  return 1;
}

/* The same cloths in other memory, with the state of a save or of an image. Where there is memory for pieces of steps,
   there is for another number of them, and workers. */
static void take_over(world *twin, const world *w, int by_image) {
  twin->workers = &backwards;
  for (int n = 0; n < w->count; n++) {
    const size_t bytes = by_image ? w->memories[n].image_bytes : w->memories[n].saved_bytes;
    void *buffer = memory_of(bytes, 0x33);
    const int written =
        by_image ? cloth_write_image(w->cloths[n], buffer, bytes) : cloth_save(w->cloths[n], buffer, bytes);
    cloth *made = NULL;
    cloth_memory *memory = &twin->memories[n];
    if (w->configs[n].capacity.workers > 0) {
      twin->configs[n].capacity.workers = 6 - w->configs[n].capacity.workers;
    }
    /* Maps and start positions are where they were. */
    need(written == CLOTH_OK && cloth_memory_needed(&twin->configs[n], memory) == CLOTH_OK &&
             cloth_init(&twin->configs[n], memory_of(memory->total_bytes, 0x5a), memory->total_bytes, &made) ==
                 CLOTH_OK,
         "a twin could not be made");
    need(memory->saved_bytes == w->memories[n].saved_bytes && memory->image_bytes == w->memories[n].image_bytes,
         "saves of another size for another number of pieces");
    if (memory->shared_bytes > 0) {
      need(cloth_set_scratch(made, memory_of(memory->shared_bytes, 0x5a), memory->shared_bytes) == CLOTH_OK,
           "scratch of a twin was refused");
    }
    const int read = by_image ? cloth_read_image(made, buffer, bytes) : cloth_load(made, buffer, bytes);
    if (read != CLOTH_OK) {
      printf("%s\n", cloth_result_name(read));
    }
    need(read == CLOTH_OK, by_image ? "an image could not be read" : "a save could not be loaded");
    total_calls[by_image ? CALLED_cloth_write_image : CALLED_cloth_save]++;
    total_calls[by_image ? CALLED_cloth_read_image : CALLED_cloth_load]++;
    total_successes[by_image ? CALLED_cloth_write_image : CALLED_cloth_save]++;
    total_successes[by_image ? CALLED_cloth_read_image : CALLED_cloth_load]++;
    twin->cloths[n] = made;
    need(hash_now(made) == w->hashes[n], by_image ? "an image of another state" : "a save of another state");
  }
  twin->filling = 0x5a;
}

static void do_operation(world *w) {
  operation *chosen = operations[byte_of(w) % OPERATIONS];
  const uint32_t mode = byte_of(w);
  w->in.is_wild = mode >= 216;
  chosen(w, (int)(mode % (uint32_t)w->count));
}

static uint64_t all_build;

static uint64_t play(const unsigned char *bytes, size_t count) {
  static world w, twin; /* large */
  static uint64_t digests[MOST_CALLS];
  memset(&w, 0, sizeof w);
  w.in.bytes = bytes;
  w.in.count = count;
  w.filling = 0xa5;
  operation_number = -1;
  known_geometries(&w);
  const uint32_t kind = byte_of(&w);
  const int cloths = kind % 8 < 4 ? 1 : kind % 8 < 7 ? 2 : 3;
  const int turn = (int)(kind >> 3) % 16; /* when the twin takes over */
  int has_twin = 0, last = 0;
  for (int n = 0; n < cloths && make_cloth(&w, n); n++) {
  }
  for (int n = 0;
       w.count > 0 && n < MOST_CALLS && w.in.at < w.in.count && w.work < MOST_WORK && block_count < MOST_BLOCKS - 60;
       n++) {
    operation_number = n;
    if (n == turn) {
      twin = w;
      take_over(&twin, &w, (kind >> 7) & 1);
      has_twin = 1;
    }
    do_operation(&w);
    digests[n] = w.digest;
    last = n + 1;
  }
  for (int n = turn; has_twin && n < last && block_count < MOST_BLOCKS - 8; n++) {
    operation_number = n;
    do_operation(&twin);
    if (twin.digest != digests[n]) {
      found("a twin that differs");
    }
  }
  free_memory();
  all_build = folded(folded(all_build, (uint32_t)w.build), (uint32_t)(w.build >> 32));
  return w.output;
}

static void fill_maps(void) {
  for (int n = 0; n < MOST_SIDE * MOST_SIDE; n++) {
    mass_map[n] = 0.5f + 0.125f * (float)(n % 7);
    stiffness_map[n] = 0.25f * (float)(n % 5);
    cell_mask[n] = n % 7 != 3;
  }
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t count);
int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t count) {
  fill_maps();
  history_number++;
  play(bytes, count);
  return 0;
}

/// Replay ///

#ifndef WITH_LIBFUZZER
static uint64_t all_output;
static uint32_t all_histories;

static void replay(const unsigned char *bytes, size_t count) {
  history_number++;
  const uint64_t output = play(bytes, count);
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
  if (known_hashes != NULL) {
    compare_known();
  }
}

static void replay_random(uint64_t seed, int count) {
  unsigned char bytes[600];
  for (int n = 0; n < count; n++) {
    uint64_t state = (seed + (uint64_t)n) * UINT64_C(0x9e3779b97f4a7c15) + 77;
    for (size_t i = 0; i < sizeof bytes; i++) {
      state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      bytes[i] = (unsigned char)(state >> 56);
    }
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
    if (first > 1) {
      open_known(arguments[2]);
    }
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
  if (total_pieces == 0) {
    printf("no piece of a step was run by workers\n");
  }
  printf("%lu histories, %lu calls, %d of %d functions\n", (unsigned long)all_histories, (unsigned long)calls,
         FUNCTION_COUNT - missed, FUNCTION_COUNT);
  printf("build %08lx%08lx\n", (unsigned long)(all_build >> 32), (unsigned long)(all_build & 0xffffffffu));
  printf("hash %08lx%08lx\n", (unsigned long)(all_output >> 32), (unsigned long)(all_output & 0xffffffffu));
  return missed > 0 || total_pieces == 0;
}
#endif
