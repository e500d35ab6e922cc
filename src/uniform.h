#pragma once
#include "access.h"
#include "compiler.h"
#include "gaps.h"
#include "lanes.h"
#include "types.h"

/// Uniform lines ///

/*
 * A line is uniform if every particle on it has mobility 1 (it is free and of the reference mass) and every spring has
 * stiffness factor 1. Where all lines of a bundle are uniform, bending takes the factors that plan_bend_lines()
 * computes once a step, with the same bits. In: pins, mass and stiffness maps; scratch.mobility, which
 * prepare_particles() has set. Out: scratch.uniform_lines, a byte of flags for each row, then one for each block of
 * LINE_BLOCK columns. Scratch: no other.
 */

#define LINES_UNIFORM 1 /* all particles and springs are */
#define LINES_PINNED 2  /* a particle of mobility 0 is among them */
#define LINES_TWICE 4   /* two or more are: strain limits may contradict them */

/* The flags of the rows. */
static uint8_t *line_flags_of_rows(const cloth *c) {
  return (uint8_t *)at(c, c->scratch.uniform_lines);
}

/* Those of the block that holds a column. */
static uint8_t *line_flags_of_columns(const cloth *c, int32_t column) {
  return line_flags_of_rows(c) + c->grid.rows + column / LINE_BLOCK;
}

/* 1 if lines may be uniform at all. */
static int may_be_uniform(const cloth *c) {
  return !c->constant.stiffness_map && !has_gaps(c) && !has_solver_contacts(c);
}

#if WITH_PLANNING

/* Does prepare_step() give a particle mobility 1? Does not read the mobility, so that bounds of work can be
   computed between steps, when the scratch holds anything. */
static int has_unit_mobility(const cloth *c, int32_t particle) {
  const int may_be_led = inputs_of(c)->targets != TARGETS_NONE && target_vectors(c, TARGET_LIMIT).x[particle] == 0.0f;
  return !is_pinned(c, particle) && !may_be_led && mass_ratio_at(c, particle) == 1.0f;
}

/* What find_uniform_lines() would return, between steps. */
static int32_t count_uniform_particles(const cloth *c) {
  int32_t count = 0;
  for (int32_t i = 0; i < c->count && may_be_uniform(c); i++) {
    count += has_unit_mobility(c, i);
  }
  return count;
}

#endif

/* The first particle from one on whose mobility is not 1; `count` if there is none. */
CLOTH_INLINE int32_t next_varied(const float *mobility, int32_t i, int32_t count) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  while (i + CLOTH_LANES <= count) {
    const lanes deviation = lanes_absolute(lanes_subtract(lanes_load(mobility + i), one));
    if (lanes_any(lanes_less(zero, deviation))) {
      break;
    }
    i += CLOTH_LANES;
  }
  while (i < count && mobility[i] == 1.0f) {
    i++;
  }
  return i;
}

/* Flags of `count` particles of a block, one of which has not mobility 1. Adds the number of those that have to
 *total. */
static uint8_t flags_of_block(const float *mobility, int32_t count, int32_t *total) {
  int32_t pins = 0, unit = 0;
  for (int32_t n = 0; n < count; n++) {
    pins += mobility[n] == 0.0f;
    unit += mobility[n] == 1.0f;
  }
  *total += unit;
  return (uint8_t)((pins > 0 ? LINES_PINNED : 0) | (pins > 1 ? LINES_TWICE : 0));
}

/* Flags of lines with those of more particles. */
static uint8_t joined_flags(uint8_t a, uint8_t b) {
  return (uint8_t)((a & b & LINES_UNIFORM) | ((a | b) & (LINES_PINNED | LINES_TWICE)) |
                   (a & b & LINES_PINNED ? LINES_TWICE : 0));
}

/* Finds the uniform lines. Returns the number of particles of mobility 1; 0 if no line may be uniform. */
CLOTH_SEPARATE int32_t find_uniform_lines(const cloth *c) {
  const float *mobility = floats_at(c, c->scratch.mobility);
  const int32_t columns = c->grid.columns, rows = c->grid.rows, count = c->count, may_be = may_be_uniform(c);
  const int32_t lines = rows + (columns + LINE_BLOCK - 1) / LINE_BLOCK;
  uint8_t *flags = line_flags_of_rows(c);
  int32_t total = count;
  for (int32_t n = 0; n < lines; n++) {
    flags[n] = (uint8_t)(may_be ? LINES_UNIFORM : 0);
  }
  for (int32_t i = next_varied(mobility, 0, count); i < count; i = next_varied(mobility, i, count)) {
    const int32_t row = i / columns, column = (i - row * columns) / LINE_BLOCK * LINE_BLOCK;
    const int32_t first = row * columns + column, left = columns - column;
    const int32_t block = left < LINE_BLOCK ? left : LINE_BLOCK;
    const uint8_t varied = flags_of_block(mobility + first, block, &total);
    uint8_t *of_columns = line_flags_of_columns(c, column);
    *of_columns = joined_flags(*of_columns, varied);
    flags[row] = joined_flags(flags[row], varied);
    total -= block;
    i = first + block;
  }
  return may_be ? total : 0;
}
