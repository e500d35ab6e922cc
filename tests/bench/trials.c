/* SPDX-License-Identifier: MIT */
#include "trials.h"

#include <math.h>

double metric_of(const figures *f, metric what) {
  return 100 * (what == METRIC_MOST ? f->stretch_most : f->stretch_p99);
}

int quality_is_equal(const trial *t, const trial *baseline) {
  const figures *f = &t->result, *b = &baseline->result;
  return !f->broken && bending_is_true(&t->fabric) && elongation_is_true(&t->fabric) && fabs(f->area - 1) <= 0.02 &&
         f->roughness <= 1.25 * b->roughness && f->kinetic_mean >= 0.9 * baseline->kinetic_wanted;
}

int trials_by_time(const trial_list *list, const solver *with, const trial *match, const trial **out) {
  int count = 0;
  for (int i = 0; i < list->count; i++) {
    const trial *t = &list->trials[i];
    if (t->with != with || t->result.broken || !bending_is_true(&t->fabric)) continue;
    if (match && !quality_is_equal(t, match)) continue;
    int k = count++;
    for (; k > 0 && out[k - 1]->result.us_median > t->result.us_median; k--)
      out[k] = out[k - 1];
    out[k] = t;
  }
  return count;
}

const trial *first_at_level(const trial_list *list, const solver *with, metric what, double percent,
                            const trial *match) {
  const trial *sorted[TRIAL_LIMIT];
  int count = trials_by_time(list, with, match, sorted);
  for (int i = 0; i < count; i++)
    if (metric_of(&sorted[i]->result, what) <= percent) return sorted[i];
  return NULL;
}

/* The time between two trials, of which the first is above the level and the second is not. */
static double time_between(const figures *above, const figures *at, metric what, double percent) {
  double high = log(metric_of(above, what)), low = log(fmax(metric_of(at, what), 1e-6));
  double share = (high - log(percent)) / (high - low);
  return exp(log(above->us_median) + share * (log(at->us_median) - log(above->us_median)));
}

double time_at_level(const trial_list *list, const solver *with, metric what, double percent, const trial *match) {
  const trial *sorted[TRIAL_LIMIT];
  int count = trials_by_time(list, with, match, sorted);
  for (int i = 0; i < count; i++) {
    if (metric_of(&sorted[i]->result, what) > percent) continue;
    return i == 0 ? sorted[i]->result.us_median
                  : time_between(&sorted[i - 1]->result, &sorted[i]->result, what, percent);
  }
  return HUGE_VAL;
}
