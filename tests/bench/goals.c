/* SPDX-License-Identifier: MIT */
#include "goals.h"

#include <stdlib.h>

/// Budgets ///

static const budget cloth_budgets[] = {
    {BENCH_HANG, 16, {1, 2, 3, 4, 6}},
    {BENCH_HANG, 32, {1, 2, 3, 4, 6}},
    {BENCH_HANG, 64, {1, 2, 3, 4, 5, 6}},
    {BENCH_REST, 16, {1, 2, 3, 4}},
    {BENCH_REST, 32, {1, 2, 3, 4}},
    {BENCH_REST, 64, {1, 2, 3, 4, 5}},
    {BENCH_DRAPE, 16, {1, 2, 3, 4, 5, 6, 8, 12, 16, 20, 24}},
    {BENCH_DRAPE, 32, {2, 3, 4, 5, 6, 8, 10, 12, 16}},
    {BENCH_DRAPE, 64, {3, 4, 5, 6, 8, 12, 20, 40, 48}},
    {BENCH_FLAG, 16, {1, 2, 3, 4, 6}},
    {BENCH_FLAG, 32, {1, 2, 3, 4, 6, 8}},
    {BENCH_FLAG, 64, {2, 3, 4, 6, 8, 12}},
};

/* On both sides of each goal's level, and one far below. */
static const budget xpbd_budgets[] = {
    {BENCH_HANG, 16, {8, 10, 12, 14, 16, 18, 24, 56}},
    {BENCH_HANG, 32, {14, 24, 28, 34, 36, 40, 64}},
    {BENCH_HANG, 64, {20, 48, 64, 68, 72, 80, 104, 112, 120, 128}},
    {BENCH_REST, 16, {8, 14, 16, 18, 40}},
    {BENCH_REST, 32, {14, 20, 44, 48, 50, 80}},
    {BENCH_REST, 64, {28, 56, 60, 64, 80, 128, 136, 144, 160}},
    {BENCH_DRAPE, 16, {8, 20, 28, 34, 40, 48, 56, 64, 72}},
    {BENCH_DRAPE, 32, {14, 28, 30, 34, 48, 72, 80, 88, 96}},
    {BENCH_DRAPE, 64, {20, 40, 44, 48, 112, 176, 192, 208, 240}},
    {BENCH_FLAG, 16, {10, 20, 22, 24, 40}},
    {BENCH_FLAG, 32, {10, 20, 40, 44, 48, 64}},
    {BENCH_FLAG, 64, {20, 64, 80, 84, 88}},
};

/* The scene of the tables that is most like this one. */
static bench_kind kind_like(bench_kind kind) {
  return kind == BENCH_MOVING_PIN ? BENCH_HANG : kind == BENCH_CAPSULE ? BENCH_DRAPE : kind;
}

/* The budget of the scene of the nearest size; of two equally near the smaller's. */
static const budget *find_budget(const budget *budgets, int count, bench_kind kind, int n) {
  const budget *best = NULL;
  for (int i = 0; i < count; i++)
    if (budgets[i].kind == kind_like(kind) && (!best || abs(budgets[i].n - n) < abs(best->n - n))) best = &budgets[i];
  return best;
}

const budget *budget_of(const solver *with, const bench_scene *s) {
  int n = s->columns > s->rows ? s->columns : s->rows;
  if (with == &solver_cloth) return find_budget(cloth_budgets, COUNT(cloth_budgets), s->kind, n);
  return find_budget(xpbd_budgets, COUNT(xpbd_budgets), s->kind, n);
}

/// Goals ///

const goal goals[] = {
    {BENCH_REST, 16, {METRIC_MOST, 1}, {METRIC_MOST, 1}, 0.10},
    {BENCH_REST, 32, {METRIC_MOST, 1}, {METRIC_MOST, 1}, 0.06},
    {BENCH_REST, 64, {METRIC_MOST, 1}, {METRIC_MOST, 1}, 0.04},
    {BENCH_HANG, 16, {METRIC_MOST, 5}, {METRIC_MOST, 5}, 0.18},
    {BENCH_HANG, 32, {METRIC_MOST, 5}, {METRIC_MOST, 5}, 0.07},
    {BENCH_HANG, 64, {METRIC_MOST, 5}, {METRIC_MOST, 5}, 0.06},
    {BENCH_HANG, 16, {METRIC_P99, 1}, {METRIC_P99, 1}, 0.25},
    {BENCH_HANG, 32, {METRIC_P99, 1}, {METRIC_P99, 1}, 0.12},
    {BENCH_HANG, 64, {METRIC_P99, 1}, {METRIC_P99, 1}, 0.06},
    {BENCH_DRAPE, 16, {METRIC_P99, 1}, {METRIC_P99, 1}, 0.30},
    {BENCH_DRAPE, 32, {METRIC_P99, 2}, {METRIC_P99, 2}, 0.20},
    {BENCH_DRAPE, 64, {METRIC_P99, 2}, {METRIC_P99, 2}, 0.12},
    {BENCH_DRAPE, 16, {METRIC_MOST, 5}, {METRIC_MOST, 5}, 0.40},
    {BENCH_DRAPE, 32, {METRIC_MOST, 5}, {METRIC_MOST, 5}, 0.25},
    {BENCH_DRAPE, 64, {METRIC_MOST, 5}, {METRIC_MOST, 5}, 0.15},
    {BENCH_FLAG, 16, {METRIC_P99, 2}, {METRIC_P99, 2}, 0.12},
    {BENCH_FLAG, 32, {METRIC_P99, 2}, {METRIC_P99, 2}, 0.07},
    {BENCH_FLAG, 64, {METRIC_P99, 2}, {METRIC_P99, 2}, 0.06},
};

const int goal_count = COUNT(goals);
