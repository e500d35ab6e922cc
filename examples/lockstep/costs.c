/* SPDX-License-Identifier: MIT */
#include "callbacks.h"
#include "examine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BACK = 8, ROLLBACKS = 15, WARM_UP = 60, PLANS = 6 };
static const double goal_ms = 4.0;
static const float frame_time = 1.0f / 60.0f;

/* What is measured: a curtain that swings by two corners. */
typedef struct candidate {
  const char *name;
  int32_t size;     /* columns and rows */
  int32_t substeps; /* 0: the default */
  int is_planned;   /* 1: cloth_plan() chooses for the goal */
} candidate;

static const candidate candidates[] = {
    {"default", 16, 0, 0},    {"8 substeps", 16, 8, 0}, {"4 substeps", 16, 4, 0},
    {"planned", 16, 0, 1},    {"default", 32, 0, 0},    {"8 substeps", 32, 8, 0},
    {"4 substeps", 32, 4, 0}, {"planned", 32, 0, 1},    {"planned", 48, 0, 1},
};

typedef struct costs {
  double save_us, load_us, frame_us, rollback_ms;
  int32_t substeps;
  int32_t saved_bytes;
} costs;

/* Of the processor, as other programs are to make no difference. */
static double microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median_of(double *values, size_t count) {
  qsort(values, count, sizeof *values, compare_numbers);
  return values[count / 2];
}

/* One rollback: the state of eight frames ago, and eight frames with a save before each, as the session does. */
static int roll_back(const cloth_world *world, unsigned char *states, size_t bytes, double times[3]) {
  double start = microseconds(), loaded, saved = 0;
  if (!world_read(world, states, bytes)) return 0;
  loaded = microseconds();
  for (int frame = 0; frame < BACK; frame++) {
    if (cloth_step(world->cloths[0], frame_time) < 0) return 0;
    double before = microseconds();
    if (!world_write(world, states + (size_t)(frame + 1) * bytes, NULL)) return 0;
    saved += microseconds() - before;
  }
  times[0] = loaded - start;
  times[1] = saved / BACK;
  times[2] = microseconds() - start;
  return 1;
}

static int measure_world(const cloth_world *world, unsigned char *states, size_t bytes, costs *found) {
  double loads[ROLLBACKS], saves[ROLLBACKS], all[ROLLBACKS], times[3];
  for (int frame = 0; frame < WARM_UP; frame++)
    if (cloth_step(world->cloths[0], frame_time) < 0) return 0;
  if (!world_write(world, states, NULL)) return 0;
  for (int n = 0; n < ROLLBACKS; n++) {
    if (!roll_back(world, states, bytes, times)) return 0;
    loads[n] = times[0];
    saves[n] = times[1];
    all[n] = times[2];
  }
  found->load_us = median_of(loads, ROLLBACKS);
  found->save_us = median_of(saves, ROLLBACKS);
  found->rollback_ms = 1e-3 * median_of(all, ROLLBACKS);
  found->frame_us = (1e3 * found->rollback_ms - found->load_us) / BACK - found->save_us;
  return 1;
}

/* Measures a cloth of this config that hangs by two corners. */
static int measure(const cloth_config *config, costs *found) {
  cloth_memory memory;
  void *arena = NULL;
  cloth *sheet = NULL;
  if (cloth_memory_needed(config, &memory) < 0 || posix_memalign(&arena, CLOTH_ALIGNMENT, memory.total_bytes) != 0)
    return 0;
  cloth_world world = {&sheet, 1};
  unsigned char *states = malloc((BACK + 1) * memory.saved_bytes);
  int done = states && cloth_init(config, arena, memory.total_bytes, &sheet) >= 0 && cloth_pin(sheet, 0) >= 0 &&
             cloth_pin(sheet, config->columns - 1) >= 0 && measure_world(&world, states, memory.saved_bytes, found);
  found->substeps = config->substeps;
  found->saved_bytes = (int32_t)memory.saved_bytes;
  free(states);
  free(arena);
  return done;
}

/* Settings for the goal: what the default takes tells how much work this machine does in a millisecond. Lanes speed up
   some of the work more than other, so that a plan may take longer than its work tells: it is measured, and made again
   with less work where it does. */
static int plan(cloth_config *config) {
  costs now;
  uint64_t bound = 0;
  cloth_forecast forecast;
  cloth_config planned;
  if (!measure(config, &now) || cloth_config_work_bound(config, frame_time, &bound) < 0) return 0;
  double work = (double)bound * (1e3 * goal_ms / BACK - now.save_us) / now.frame_us;
  for (int n = 0; n < PLANS; n++) {
    work *= 0.9;
    if (!(work > 0) || cloth_plan(config, frame_time, (uint64_t)work, 0, &planned, &forecast) < 0 ||
        !measure(&planned, &now))
      return 0;
    if (now.rollback_ms <= 0.9 * goal_ms) {
      *config = planned;
      return 1;
    }
    work *= now.rollback_ms > goal_ms ? goal_ms / now.rollback_ms : 1;
  }
  return 0;
}

static int print_costs_of(const candidate *one) {
  cloth_config config = cloth_config_default();
  costs found;
  config.columns = config.rows = one->size;
  config.max_colliders = 0;
  config.substeps = one->substeps ? one->substeps : config.substeps;
  if (one->is_planned && !plan(&config)) {
    printf("%-12s %2d x %2d: no settings take so little on this machine  missed\n", one->name, (int)one->size,
           (int)one->size);
    return 1;
  }
  if (!measure(&config, &found)) {
    printf("%-12s %2d x %2d: cannot be measured\n", one->name, (int)one->size, (int)one->size);
    return 0;
  }
  const char *verdict = !one->is_planned ? "" : found.rollback_ms <= goal_ms ? "ok" : "missed";
  printf("%-12s %2d x %2d %9d %9d %10.1f %10.1f %10.0f %12.2f  %s\n", one->name, (int)one->size, (int)one->size,
         (int)found.substeps, (int)found.saved_bytes, found.save_us, found.load_us, found.frame_us, found.rollback_ms,
         verdict);
  return 1;
}

int print_costs(void) {
  int good = 1;
  printf("A rollback of %d frames, with a save after each; medians of %d, processor time.\n", BACK, ROLLBACKS);
  printf("Goal of planned settings: %g ms.\n\n", goal_ms);
  printf("%-12s %7s %9s %9s %10s %10s %10s %12s\n", "settings", "grid", "substeps", "bytes", "save us", "load us",
         "frame us", "rollback ms");
  for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++)
    good &= print_costs_of(&candidates[i]);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
