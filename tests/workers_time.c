/* Times a step of large cloths on one thread and on more: a sheet over a sphere, in milliseconds a step, for each
   number of threads, and how many times as fast that is. SPDX-License-Identifier: MIT */
#include "piece_threads.h"

#include <stdio.h>
#include <time.h>

#define FRAMES 30
#define ROUNDS 3

static void run(void *context, cloth_piece piece, void *job, int32_t count) {
  run_by_threads((jobs *)context, piece, job, count);
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Least time of a step over some rounds [s]. */
static double time_of(int side, int threads, uint64_t *hash) {
  cloth_config config = cloth_config_default();
  cloth_memory memory;
  cloth *c = NULL;
  config.columns = config.rows = side;
  config.substeps = 8;
  config.capacity.workers = threads > 1 ? 4 * threads : 1;
  cloth_memory_needed(&config, &memory);
  double least = 1e9;
  for (int round = 0; round < ROUNDS; round++) {
    jobs *j = jobs_open(threads);
    const cloth_workers workers = {run, j};
    const cloth_surroundings around = {.workers = threads > 1 ? &workers : NULL};
    unsigned char *allocation = (unsigned char *)malloc(memory.total_bytes + CLOTH_ALIGNMENT);
    if (!j || !allocation) exit(1);
    unsigned char *arena = allocation + (CLOTH_ALIGNMENT - (uintptr_t)allocation % CLOTH_ALIGNMENT);
    if (cloth_init(&config, arena, memory.total_bytes, &c) != CLOTH_OK) exit(1);
    cloth_collider ball = cloth_collider_default();
    ball.pose.position.x = ball.pose.position.z = 0.5f;
    ball.pose.position.y = -0.3f;
    cloth_add_collider(c, &ball);
    cloth_pin(c, 0);
    cloth_pin(c, side - 1);
    const double start = seconds_now();
    for (int frame = 0; frame < FRAMES; frame++)
      cloth_step_with(c, 1.0f / 60.0f, &around);
    const double taken = (seconds_now() - start) / FRAMES;
    least = taken < least ? taken : least;
    cloth_hash(c, hash);
    free(allocation);
    jobs_close(j);
  }
  return least;
}

int main(void) {
  printf("cloth       threads    ms a step    times as fast    hash                bits\n");
  int differs = 0;
  for (int side = 128; side <= 256; side *= 2) {
    uint64_t first = 0;
    double alone = 0.0;
    for (int threads = 1; threads <= 2; threads++) {
      uint64_t hash = 0;
      const double taken = time_of(side, threads, &hash);
      alone = threads == 1 ? taken : alone;
      first = threads == 1 ? hash : first;
      printf("%3d x %3d   %7d   %10.2f   %14.2f    %016llx    %s\n", side, side, threads, 1e3 * taken, alone / taken,
             (unsigned long long)hash, hash == first ? "ok" : "missed");
      differs |= hash != first;
    }
  }
  return differs;
}
