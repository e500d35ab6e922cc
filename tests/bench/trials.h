/*
 * Settings that were run, and the time at which a level of quality is reached.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_TRIALS_H
#define BENCH_TRIALS_H

#include "material.h"
#include "measures.h"

enum { TRIAL_LIMIT = 32 };

typedef enum metric { METRIC_MOST, METRIC_P99 } metric; /* of stretch */

typedef struct trial {
  const solver *with;
  setting how;
  figures result;
  material fabric;
  double kinetic_wanted; /* of what is to be of its quality: mean kinetic energy [mJ] */
} trial;

/* All that was run of one scene and size. */
typedef struct trial_list {
  const bench_scene *scene;
  trial trials[TRIAL_LIMIT];
  int count;
} trial_list;

/* Returns a metric in percent. */
double metric_of(const figures *f, metric what);

/* Whether a trial may stand beside the baseline's: bending and elongation true, area within 2 % of that at rest,
   roughness at most 1.25 times the baseline's, mean kinetic energy at least 0.9 times what its trial wants. The
   baseline's trial itself has true bending; no number of substeps that was tried gives it true elongation. */
int quality_is_equal(const trial *t, const trial *baseline);

/* Writes the trials of one solver with true bending in the order of their times, leaving out those not equal to `match`
   if there is one, and returns their number. */
int trials_by_time(const trial_list *list, const solver *with, const trial *match, const trial **out);

/* Returns the fastest trial of a solver at or below a level of stretch, or NULL. */
const trial *first_at_level(const trial_list *list, const solver *with, metric what, double percent,
                            const trial *match);

/* Returns the time of a frame [us] at which a solver reaches a level, interpolated in logarithms between the trials
   around it, or HUGE_VAL. Nothing is extrapolated. */
double time_at_level(const trial_list *list, const solver *with, metric what, double percent, const trial *match);

#endif
