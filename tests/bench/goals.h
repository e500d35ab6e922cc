/*
 * How much work the solvers are given for a scene, and what ratio of times this library is to reach.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_GOALS_H
#define BENCH_GOALS_H

#include "trials.h"

enum { ROW_LIMIT = 11 };

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* The substeps of a frame that a solver is given for a scene of a size, ended by 0. */
typedef struct budget {
  bench_kind kind;
  int n;
  int substeps[ROW_LIMIT + 1];
} budget;

/* What a solver is given for a scene: the budget of the scene of the tables that is most like it. */
const budget *budget_of(const solver *with, const bench_scene *s);

typedef struct level {
  metric what;
  double percent;
} level;

typedef struct goal {
  bench_kind kind;
  int n;
  level ours, baseline;
  double ratio; /* of the times, at most */
} goal;

extern const goal goals[];
extern const int goal_count;

static const double unseen_ratio = 0.5; /* goal of every scene that nothing was tuned on: less than this */

#endif
