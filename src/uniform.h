#pragma once
#include "access.h"
#include "compiler.h"
#include "lanes.h"
#include "types.h"

/// Uniform runs ///

/* The longest piece of a row in which everything has mobility and stiffness 1. */
static uniform_run uniform_run_of_row(const cloth *c, int32_t row) {
  return ((const uniform_run *)at(c, c->scratch.uniform_runs))[row];
}

/* The longest piece of a block of columns in which that is so. */
static uniform_run *uniform_run_of_columns(const cloth *c, int32_t column) {
  return (uniform_run *)at(c, c->scratch.uniform_runs) + c->grid.rows + column / LINE_BLOCK;
}

#if WITH_PROJECTION || CLOTH_LANES > 1
/* The part of it that two pieces have in common, the second `shift` columns further right. */
static uniform_run uniform_overlap(uniform_run a, uniform_run b, int32_t shift) {
  int32_t from = b.from - shift;
  int32_t to = b.to - shift;
  a.from = (int16_t)(from > a.from ? from : a.from);
  a.to = (int16_t)(to < a.to ? to : a.to);
  return a;
}
#endif

/*
 * The work of a step is a part that its plan and pins decide, reckoned in advance, and what the kernels count as it
 * comes: iterations, particles near colliders and touching them, traced paths, taut tethers, particles held by the
 * solver. A bound takes the most of the latter that there can be.
 */

/* Particles of mobility 1 that the longest pieces of their rows hold, as find_uniform_runs() finds them. */
static int32_t count_uniform_particles(const cloth *c) {
  int32_t uniform = 0;
  for (int32_t row = 0; row < c->grid.rows && !c->constant.stiffness_map; row++) {
    int32_t longest = 0;
    int32_t length = 0;
    for (int32_t i = row * c->grid.columns; i < (row + 1) * c->grid.columns; i++) {
      length = is_pinned(c, i) || mass_ratio_at(c, i) != 1.0f ? 0 : length + 1;
      longest = length > longest ? length : longest;
    }
    uniform += longest;
  }
  return uniform;
}

/* The longest piece of a row, or of a block of columns, in which particles have mobility 1 and springs the same
   stiffness. */
static uniform_run longest_uniform_run(const cloth *c, int32_t first, int32_t length, int32_t along, int32_t side) {
  const float *mobility = floats_at(c, c->scratch.mobility) + first;
  uniform_run longest = {0, 0};
  int32_t from = 0;
  for (int32_t n = 0; n < length && !c->constant.stiffness_map; n++) {
    for (int32_t k = 0; k < side; k++) {
      from = mobility[n * along + k] == 1.0f ? from : n + 1;
    }
    if (n + 1 - from > longest.to - longest.from) {
      longest.from = (int16_t)from;
      longest.to = (int16_t)(n + 1);
    }
  }
  return longest;
}

/* Have all particles of some rows of a block of columns mobility 1? */
static int are_uniform(const cloth *c, int32_t first, int32_t rows, int32_t columns) {
  lanes one = lanes_splat(1.0f);
  lanes worst = lanes_splat(0.0f);
  for (int32_t row = 0; row < rows; row++) {
    const float *mobility = floats_at(c, c->scratch.mobility) + first + row * c->grid.columns;
    for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
      lanes off = lanes_absolute(lanes_subtract(lanes_load(mobility + column), one));
      worst = lanes_maximum(worst, lanes_keep(lanes_first(columns - column), off));
    }
  }
  return !c->constant.stiffness_map && !lanes_any(lanes_less(lanes_splat(0.0f), worst));
}

/* Most lines are plain from end to end, which is quick to see. */
CLOTH_SEPARATE void find_uniform_runs(const cloth *c) {
  uniform_run whole_row = {0, (int16_t)c->grid.columns}, whole_column = {0, (int16_t)c->grid.rows};
  for (int32_t row = 0; row < c->grid.rows; row++) {
    int32_t first = row * c->grid.columns;
    uniform_run *piece = &((uniform_run *)at(c, c->scratch.uniform_runs))[row];
    *piece =
        are_uniform(c, first, 1, c->grid.columns) ? whole_row : longest_uniform_run(c, first, c->grid.columns, 1, 1);
  }
  for (int32_t column = 0; column < c->grid.columns; column += LINE_BLOCK) {
    int32_t side = c->grid.columns - column < LINE_BLOCK ? c->grid.columns - column : LINE_BLOCK;
    uniform_run *piece = uniform_run_of_columns(c, column);
    *piece = are_uniform(c, column, c->grid.rows, side)
                 ? whole_column
                 : longest_uniform_run(c, column, c->grid.rows, c->grid.columns, side);
  }
}
