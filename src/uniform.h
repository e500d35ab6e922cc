#pragma once
#include "access.h"
#include "compiler.h"
#include "lanes.h"
#include "types.h"

/// Uniform runs ///

/*
 * A uniform run is a piece of a line in which every particle has mobility 1 (it is free and of the reference mass) and
 * every spring has stiffness factor 1. Where all lines of a bundle are uniform from end to end, bending takes the
 * factors that plan_bend_lines() computes once a step, with the same bits. Every row has one run, its longest; so has
 * every block of LINE_BLOCK columns. In: pins, mass and stiffness maps; scratch.mobility, which prepare_particles() has
 * set. Out: scratch.uniform_runs, one for each row, then one for each block of columns. Scratch: no other.
 */

static uniform_run *uniform_runs_of(const cloth *c) {
  return (uniform_run *)at(c, c->scratch.uniform_runs);
}

/* The run of a row, in columns. */
static uniform_run uniform_run_of_row(const cloth *c, int32_t row) {
  return uniform_runs_of(c)[row];
}

/* The run, in rows, of the block of columns that holds a column: all LINE_BLOCK columns are uniform there. */
static uniform_run *uniform_run_of_columns(const cloth *c, int32_t column) {
  return uniform_runs_of(c) + c->grid.rows + column / LINE_BLOCK;
}

/* Does prepare_particles() give a particle mobility 1? Does not read the mobility, so that bounds of work can be
   computed between steps, when the scratch holds anything. */
static int has_unit_mobility(const cloth *c, int32_t particle) {
  return !is_pinned(c, particle) && mass_ratio_at(c, particle) == 1.0f;
}

/* The longest uniform run of a line, the first of several of that length; empty if there is none. The line has `length`
   elements; element n is made of `side` particles next to each other in a row, from `first + n * along` on: one for a
   row, a row of a block of columns for the others. */
static uniform_run longest_uniform_run(const cloth *c, int32_t first, int32_t length, int32_t along, int32_t side) {
  uniform_run longest = {0, 0};
  int32_t from = 0;
  for (int32_t n = 0; n < length && !c->constant.stiffness_map && !has_solver_contacts(c); n++) {
    for (int32_t s = 0; s < side; s++) {
      from = has_unit_mobility(c, first + n * along + s) ? from : n + 1;
    }
    if (n + 1 - from > longest.to - longest.from) {
      longest.from = (int16_t)from;
      longest.to = (int16_t)(n + 1);
    }
  }
  return longest;
}

static uniform_run longest_uniform_run_of_row(const cloth *c, int32_t row) {
  return longest_uniform_run(c, row * c->grid.columns, c->grid.columns, 1, 1);
}

#if WITH_PLANNING
/* What find_uniform_runs() would return, between steps. */
static int32_t count_uniform_particles(const cloth *c) {
  int32_t count = 0;
  for (int32_t row = 0; row < c->grid.rows; row++) {
    uniform_run run = longest_uniform_run_of_row(c, row);
    count += run.to - run.from;
  }
  return count;
}
#endif

/* Are the first `columns` particles of `rows` rows uniform, from particle `first` on? The whole lines that most sheets
   consist of are recognised at a few instructions per block of lanes. */
static int are_uniform(const cloth *c, int32_t first, int32_t rows, int32_t columns) {
  lanes one = lanes_splat(1.0f);
  lanes max_deviation = lanes_splat(0.0f);
  for (int32_t row = 0; row < rows; row++) {
    const float *mobility = floats_at(c, c->scratch.mobility) + first + row * c->grid.columns;
    for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
      lanes deviation = lanes_absolute(lanes_subtract(lanes_load(mobility + column), one));
      max_deviation = lanes_maximum(max_deviation, lanes_keep(lanes_first(columns - column), deviation));
    }
  }
  return !c->constant.stiffness_map && !has_solver_contacts(c) &&
         !lanes_any(lanes_less(lanes_splat(0.0f), max_deviation));
}

/* Finds the runs of all rows and of all blocks of columns. Returns the number of particles in the runs of the rows. */
CLOTH_SEPARATE int32_t find_uniform_runs(const cloth *c) {
  int32_t count = 0;
  const uniform_run whole_row = {0, (int16_t)c->grid.columns}, whole_column = {0, (int16_t)c->grid.rows};
  for (int32_t row = 0; row < c->grid.rows; row++) {
    int is_whole = are_uniform(c, row * c->grid.columns, 1, c->grid.columns);
    uniform_run run = is_whole ? whole_row : longest_uniform_run_of_row(c, row);
    uniform_runs_of(c)[row] = run;
    count += run.to - run.from;
  }
  for (int32_t column = 0; column < c->grid.columns; column += LINE_BLOCK) {
    int32_t side = c->grid.columns - column < LINE_BLOCK ? c->grid.columns - column : LINE_BLOCK;
    int is_whole = are_uniform(c, column, c->grid.rows, side);
    *uniform_run_of_columns(c, column) =
        is_whole ? whole_column : longest_uniform_run(c, column, c->grid.rows, c->grid.columns, side);
  }
  return count;
}
