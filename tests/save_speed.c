/*
 * What saving costs: bytes a particle, which are checked, and the time of cloth_save() and cloth_load() over that of
 * memcpy of as many bytes, which is printed and not checked.
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 199309L /* clock_gettime() */
#include "image_words.h"

#include <stdio.h>
#include <time.h>

enum { SMALLEST = 2, LARGEST = 64, ROUNDS = 101, CALLS = 200 };
enum { PLAIN_BYTES = 93, LARGEST_BYTES = 185, BYTES_BESIDE = 2560 }; /* of a particle, and beside them */

static cloth_config plain_config(int n) {
  return square_config(n, 0.0);
}

/* Everything that adds to the state of a particle. */
static cloth_config largest_config(int n) {
  cloth_config config = plain_config(n);
  config.integration.bdf2_blend = 0.5f;
  config.tethers.count = 2;
  config.capacity.targets = 1;
  return config;
}

/// Bytes ///

static void check_bytes(const char *name, const cloth_config *config, size_t share) {
  cloth_memory memory;
  const size_t particles = (size_t)plane_stride(config->columns * config->rows);
  int result = cloth_memory_needed(config, &memory);
  CHECK(result == CLOTH_OK, "cloth_memory_needed: %s", cloth_result_name(result));
  CHECK(memory.saved_bytes <= share * particles + BYTES_BESIDE, "%s, %zu particles: %zu bytes", name, particles,
        memory.saved_bytes);
}

static void test_bytes(void) {
  for (int n = SMALLEST; n <= LARGEST; n++) {
    cloth_config plain = plain_config(n), largest = largest_config(n);
    check_bytes("default", &plain, PLAIN_BYTES);
    check_bytes("everything", &largest, LARGEST_BYTES);
  }
}

/// Time ///

typedef struct work {
  cloth *sheet;
  unsigned char *state, *buffer;
  size_t bytes; /* of the buffer */
} work;

static void copy_state(const work *w) {
  memcpy(w->buffer, w->state, w->bytes);
}

static void save_state(const work *w) {
  cloth_save(w->sheet, w->buffer, w->bytes);
}

static void load_state(const work *w) {
  cloth_load(w->sheet, w->buffer, w->bytes);
}

static double nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/* A call's time. The compiler is kept from leaving out a copy that the next one overwrites. */
static double time_of(void (*call)(const work *), const work *w) {
  double start = nanoseconds();
  for (int i = 0; i < CALLS; i++) {
    call(w);
    __asm__ volatile("" ::: "memory");
  }
  return (nanoseconds() - start) / CALLS;
}

static int compare_doubles(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static double median(double *values) {
  qsort(values, ROUNDS, sizeof *values, compare_doubles);
  return values[ROUNDS / 2];
}

/* In turns, so that what slows the machine down slows all of them down. The state is as long as what is saved, but for
   a few words, and lies before the scratch span: as many bytes may be read from it. */
static void print_time(const char *name, const cloth_config *config) {
  double copy[ROUNDS], save[ROUNDS], load[ROUNDS];
  fixture s = fixture_make(config);
  work w = {s.sheet, fixture_state(&s), malloc(s.memory.saved_bytes), s.memory.saved_bytes};
  cloth_save(w.sheet, w.buffer, w.bytes);
  for (int i = 0; i < ROUNDS; i++) {
    load[i] = time_of(load_state, &w);
    save[i] = time_of(save_state, &w);
    copy[i] = time_of(copy_state, &w);
    cloth_save(w.sheet, w.buffer, w.bytes);
  }
  double copied = median(copy), saved = median(save), loaded = median(load);
  printf("%2d x %-2d %-8s %7zu %6.1f %9.0f %9.0f %9.0f %8.2f %8.2f\n", s.columns, s.rows, name, w.bytes,
         (double)w.bytes / s.count, copied, saved, loaded, saved / copied, loaded / copied);
  free(w.buffer);
  fixture_free(&s);
}

static void print_times(void) {
  printf("grid    config     bytes  each memcpy ns   save ns   load ns     save     load   over memcpy\n");
  for (int n = 16; n <= LARGEST; n *= 2) {
    cloth_config plain = plain_config(n), largest = largest_config(n);
    print_time("default", &plain);
    print_time("largest", &largest);
  }
}

static const test tests[] = {
    TEST(bytes),
};

int main(int count, char **arguments) {
  if (count < 2)
    print_times();
  return RUN_TESTS(count, arguments, tests);
}
