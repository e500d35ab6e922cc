/*
 * Which tier each spring of stretch and shear was in: that of its family, which the statistics tell, or none if it is
 * slack.
 *
 * SPDX-License-Identifier: MIT
 */
#include "motion.h"
#include "stage.h"

static int is_slack(const stage *s, const cloth_vector_view *x, int32_t i, int32_t j, float rest) {
  if (s->fabric.compression > 0) return 0;
  return length(vector(x->x[i] - x->x[j], x->y[i] - x->y[j], x->z[i] - x->z[j])) < rest;
}

static void note_spring(stage_springs *springs, stage_tier tier, int32_t i, int32_t j) {
  uint16_t *ends = springs->ends[tier] + 2 * springs->count[tier]++;
  ends[0] = (uint16_t)i;
  ends[1] = (uint16_t)j;
}

/* All springs of a family that lead by so many columns and rows. */
static void sort_direction(const stage *s, int32_t family, int32_t columns, int32_t rows, stage_springs *springs) {
  int32_t first = columns < 0 ? 1 : 0, end = columns > 0 ? s->columns - 1 : s->columns;
  cloth_statistics statistics;
  cloth_vector_view x;
  cloth_get_statistics(s->sheet, &statistics);
  cloth_get_positions(s->sheet, &x);
  const stage_tier tier = statistics.mode[family] == CLOTH_MODE_EXPLICIT ? STAGE_TIER_EXPLICIT : STAGE_TIER_IMPLICIT;
  float rest = s->spacing * root((float)(columns * columns + rows * rows));
  for (int32_t row = 0; row + rows < s->rows; row++)
    for (int32_t column = first; column < end; column++) {
      int32_t i = row * s->columns + column, j = i + rows * s->columns + columns;
      note_spring(springs, is_slack(s, &x, i, j, rest) ? STAGE_TIER_INACTIVE : tier, i, j);
    }
}

void stage_sort_springs(const stage *s, stage_springs *springs) {
  for (int32_t tier = 0; tier < STAGE_TIER_COUNT; tier++)
    springs->count[tier] = 0;
  sort_direction(s, CLOTH_FAMILY_STRETCH_WARP, 1, 0, springs);
  sort_direction(s, CLOTH_FAMILY_STRETCH_WEFT, 0, 1, springs);
  sort_direction(s, CLOTH_FAMILY_SHEAR, 1, 1, springs);
  sort_direction(s, CLOTH_FAMILY_SHEAR, -1, 1, springs);
}
