/* One history of the fuzzer: its cloths, its operations, and the twin that takes over. See fuzz.c.
   SPDX-License-Identifier: MIT */
#ifndef FUZZ_HISTORY_H
#define FUZZ_HISTORY_H

#include "fuzz_calls.h"

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
  if (needed != CLOTH_OK) { return 0; }
  need(memory->total_bytes < 4000000, "a small cloth that needs much memory");
  fold_wide(w, memory->image_bytes);
  fold_wide(w, memory->saved_bytes);
  fold_wide(w, memory->state_offset + memory->state_bytes);
  fold_build(w, memory->total_bytes); /* scratch has rows of whole lanes */
  fold_build(w, memory->scratch_offset + memory->scratch_bytes + memory->shared_bytes);
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
    if (w->configs[n].capacity.workers > 0) { twin->configs[n].capacity.workers = 6 - w->configs[n].capacity.workers; }
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
    if (read != CLOTH_OK) { printf("%s\n", cloth_result_name(read)); }
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

/* Plays a history, with a twin if `has_twins`, until so much work is done. Returns the hash of what its calls returned.
 */
static uint64_t play(const unsigned char *bytes, size_t count, int has_twins, uint64_t most_work) {
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
  for (int n = 0; n < cloths && make_cloth(&w, n); n++) {}
  for (int n = 0;
       w.count > 0 && n < MOST_CALLS && w.in.at < w.in.count && w.work < most_work && block_count < MOST_BLOCKS - 60;
       n++) {
    operation_number = n;
    if (has_twins && n == turn) {
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
    if (twin.digest != digests[n]) { found("a twin that differs"); }
  }
  free_memory();
  all_build = folded(folded(all_build, (uint32_t)w.build), (uint32_t)(w.build >> 32));
  return w.output;
}

/* Bytes of the random history of a number. */
static void random_bytes(uint64_t number, unsigned char *bytes, size_t count) {
  uint64_t state = number * UINT64_C(0x9e3779b97f4a7c15) + 77;
  for (size_t i = 0; i < count; i++) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    bytes[i] = (unsigned char)(state >> 56);
  }
}

static void fill_maps(void) {
  for (int n = 0; n < MOST_SIDE * MOST_SIDE; n++) {
    mass_map[n] = 0.5f + 0.125f * (float)(n % 7);
    stiffness_map[n] = 0.25f * (float)(n % 5);
    cell_mask[n] = n % 7 != 3;
  }
}

#endif /* FUZZ_HISTORY_H */
