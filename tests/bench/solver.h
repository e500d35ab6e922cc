/*
 * What the benchmark wants of a solver.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_SOLVER_H
#define BENCH_SOLVER_H

#include "scenes.h"

#include <stddef.h>

enum { SETTING_OVERRIDES = 24 };

/* How much work a solver is to do, and "key=value" texts that change more of its configuration. */
typedef struct setting {
  int substeps;
  const char *overrides[SETTING_OVERRIDES];
  int override_count;
} setting;

typedef struct solver {
  const char *name;
  void *(*open)(const bench_scene *scene, const setting *how); /* ends the program if that cannot be */
  int (*step)(void *state, int frame); /* advances by frame `frame`, 0 the first; 0: it failed */
  void (*read)(const void *state, float *positions);
  size_t (*bytes)(const void *state); /* of memory it works in */
  void (*close)(void *state);
} solver;

extern const solver solver_cloth;       /* this library */
extern const solver solver_xpbd_color8; /* the baseline */

#endif
