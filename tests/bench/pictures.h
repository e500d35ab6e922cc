/*
 * Pictures of the benchmark: time against stretch, and the sheets that were compared.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_PICTURES_H
#define BENCH_PICTURES_H

#include "trials.h"

/* Draws the curves of one scene at several sizes to DIRECTORY/NAME.png. */
void draw_curves(const char *directory, const char *name, const trial_list *const *lists, int count);

/* Draws the final frames of ours and the baseline's at the same quality to DIRECTORY/NAME_sheets.png. */
void draw_sheets(const char *directory, const char *name, const trial_list *list);

#endif
