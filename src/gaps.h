#pragma once
#include "access.h"
#include "compiler.h"
#include "lanes.h"
#include "scalar.h"
#include "types.h"

/// Gaps ///

/*
 * Where a grid has no material: absent cells of a mask. A byte per particle tells which of the springs, hinges and the
 * cell that belong to it are absent. Bits of what no grid of this size has, as a spring beyond the last column, are 0.
 *
 * A spring along warp or weft is there where a cell beside it is. A hinge is there where both of its springs are, and
 * two neighbouring cells on one side of it. Diagonals, twist and triangles are there where their cell is. A particle
 * without a cell is absent: it counts as pinned, has no mass, touches nothing, and lies where a particle beside it in
 * its row is.
 *
 * In: the cells of the config. Out: the bytes, constants of the arena. Scratch: none.
 */

#if WITH_GAPS

#define GAP_WARP 1u        /* the spring to the next particle of the row */
#define GAP_WEFT 2u        /* the spring to the next particle of the column */
#define GAP_CELL 4u        /* the cell between both */
#define GAP_HINGE_WARP 8u  /* the hinge at the particle, along its row */
#define GAP_HINGE_WEFT 16u /* the same along its column */
#define GAP_PARTICLE 32u   /* the particle */

CLOTH_INLINE gap_summary *gap_summary_of(const cloth *c) {
  return (gap_summary *)at(c, c->gaps);
}

/* A byte per particle. Only where c->gaps is not 0. */
CLOTH_INLINE uint8_t *gaps_of(const cloth *c) {
  return (uint8_t *)(gap_summary_of(c) + 1);
}

/* 1 if something is absent. */
CLOTH_INLINE int has_gaps(const cloth *c) {
  return c->gaps != 0;
}

/* Are any of these bits set at a particle? */
CLOTH_INLINE int is_gap(const cloth *c, int32_t particle, uint32_t bits) {
  return has_gaps(c) && (gaps_of(c)[particle] & bits) != 0;
}

/* Which of `count` particles, from one on and `next` apart, have none of these bits; lanes behind them count as such.
 */
CLOTH_SEPARATE lanes_mask without_gap(const cloth *c, int32_t first, int32_t next, int32_t count, uint32_t bits) {
  const uint8_t *gaps = gaps_of(c);
  float whole[CLOTH_LANES];
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    whole[lane] = lane < count && (gaps[first + lane * next] & bits) ? 0.0f : 1.0f;
  }
  return lanes_less(lanes_splat(0.5f), lanes_load(whole));
}

/* The bits of the springs of a direction at the particle that keeps_spring() tells. */
CLOTH_INLINE uint32_t spring_gap(int32_t direction) {
  return direction == WARP ? GAP_WARP : direction == WEFT ? GAP_WEFT : GAP_CELL;
}

/* Is there material in a cell? Beyond the grid there is none. */
static int is_cell_present(const cloth *c, int32_t column, int32_t row) {
  const int32_t columns = c->grid.columns;
  if (is_wrapped(c)) {
    column += column < 0 ? columns : column >= columns ? -columns : 0;
  }
  if (column < 0 || column >= cells_along_warp(c) || row < 0 || row + 1 >= c->grid.rows) {
    return 0;
  }
  return (gaps_of(c)[row * columns + column] & GAP_CELL) == 0;
}

/* The byte of a particle, from which cells are present. */
static uint8_t gaps_at(const cloth *c, int32_t column, int32_t row) {
  const int above_left = is_cell_present(c, column - 1, row - 1), above_right = is_cell_present(c, column, row - 1);
  const int below_left = is_cell_present(c, column - 1, row), below_right = is_cell_present(c, column, row);
  const int has_right = is_wrapped(c) || column + 1 < c->grid.columns, has_left = is_wrapped(c) || column > 0;
  const int has_below = row + 1 < c->grid.rows, has_above = row > 0;
  const int along_warp = (above_left && above_right) || (below_left && below_right);
  const int along_weft = (above_left && below_left) || (above_right && below_right);
  uint32_t bits = gaps_of(c)[row * c->grid.columns + column] & GAP_CELL;
  bits |= has_right && !(above_right || below_right) ? GAP_WARP : 0u;
  bits |= has_below && !(below_left || below_right) ? GAP_WEFT : 0u;
  bits |= has_left && has_right && !along_warp ? GAP_HINGE_WARP : 0u;
  bits |= has_above && has_below && !along_weft ? GAP_HINGE_WEFT : 0u;
  bits |= !(above_left || above_right || below_left || below_right) ? GAP_PARTICLE : 0u;
  return (uint8_t)bits;
}

/* Sets the bytes of a cloth with a mask of cells. */
static void set_gaps(const cloth *c, const uint8_t *mask) {
  const int32_t columns = c->grid.columns, cells = cells_along_warp(c);
  for (int32_t i = 0; i < cells * (c->grid.rows - 1); i++) {
    const int32_t row = i / cells;
    gaps_of(c)[row * columns + (i - row * cells)] = (uint8_t)(mask[i] ? 0u : GAP_CELL);
  }
  for (int32_t i = 0; i < c->count; i++) {
    const int32_t row = i / columns;
    gaps_of(c)[i] = gaps_at(c, i - row * columns, row);
  }
}

/* The first of the particles that are known to hang together with one. */
static int32_t first_of_piece(int32_t *label, int32_t particle) {
  while (label[particle] != particle) {
    label[particle] = label[label[particle]];
    particle = label[particle];
  }
  return particle;
}

static void join_pieces(int32_t *label, int32_t i, int32_t j) {
  const int32_t a = first_of_piece(label, i), b = first_of_piece(label, j);
  label[a > b ? a : b] = a > b ? b : a;
}

/* Counts the pieces of the cloth, with `label`, a word per particle, which are 0 before and after. */
static void count_pieces(const cloth *c, int32_t *label) {
  const int32_t columns = c->grid.columns;
  gap_summary *s = gap_summary_of(c);
  s->pieces = 0;
  for (int32_t i = 0; i < c->count; i++) {
    const int32_t row = i / columns, column = i - row * columns;
    label[i] = i;
    if (column > 0 && !is_gap(c, i - 1, GAP_WARP)) {
      join_pieces(label, i - 1, i);
    }
    if (is_wrapped(c) && column + 1 == columns && !is_gap(c, i, GAP_WARP)) {
      join_pieces(label, i - column, i);
    }
    if (row > 0 && !is_gap(c, i - columns, GAP_WEFT)) {
      join_pieces(label, i - columns, i);
    }
  }
  for (int32_t i = 0; i < c->count; i++) {
    s->pieces += label[i] == i && !is_gap(c, i, GAP_PARTICLE);
  }
  fill_zero(label, (size_t)c->count * sizeof(int32_t));
}

/* Copies the vector of a particle to another one of the array. */
CLOTH_INLINE void copy_vector(vector_array x, int32_t from, int32_t to) {
  vector_store(x, to, vector_load(x, from));
}

/* Puts the absent particles of a row where its nearest present ones before them are, or the first one. Returns 0 if
   it has none. */
static int place_absent_of_row(const cloth *c, vector_array x, int32_t row) {
  const int32_t first = row * c->grid.columns, end = first + c->grid.columns;
  int32_t near = first;
  while (near < end && is_gap(c, near, GAP_PARTICLE)) {
    near++;
  }
  for (int32_t i = first; i < end && near < end; i++) {
    if (is_gap(c, i, GAP_PARTICLE)) {
      copy_vector(x, near, i);
    } else {
      near = i;
    }
  }
  return near < end;
}

/* Puts absent particles beside present ones, so that boxes around particles are boxes around the cloth, and nothing
   stays behind when it goes far. A row without present particles gets the places of the row before it. */
CLOTH_SEPARATE void place_absent_particles(const cloth *c, vector_array x) {
  const int32_t columns = c->grid.columns;
  int32_t placed = -1; /* the last row that has places */
  for (int32_t row = 0; row < c->grid.rows; row++) {
    if (place_absent_of_row(c, x, row)) {
      for (int32_t i = row * columns - 1; placed < 0 && i >= 0; i--) {
        copy_vector(x, i + columns, i);
      }
      placed = row;
    } else {
      for (int32_t i = row * columns; placed >= 0 && i < (row + 1) * columns; i++) {
        copy_vector(x, i - columns, i);
      }
    }
  }
}

/* Pins the absent particles of a new cloth. */
static void hold_absent_particles(const cloth *c) {
  for (int32_t i = 0; i < c->count; i++) {
    freedom_of(c)[i] = is_gap(c, i, GAP_PARTICLE) ? FREEDOM_PINNED : freedom_of(c)[i];
  }
  place_absent_particles(c, vectors_at(c, c->state.position));
}

#else

#define GAP_WARP 0u
#define GAP_WEFT 0u
#define GAP_CELL 0u
#define GAP_HINGE_WARP 0u
#define GAP_HINGE_WEFT 0u
#define GAP_PARTICLE 0u

CLOTH_INLINE int is_gap(const cloth *c, int32_t particle, uint32_t bits) {
  (void)c;
  (void)particle;
  (void)bits;
  return 0;
}

#define spring_gap(direction) 0u
#define has_gaps(c) 0

#endif

/* The check of a call that changes a particle, which has a cell. */
static int check_present(const cloth *c, int32_t particle) {
  const int error = check_particle(c, particle);
  return !error && is_gap(c, particle, GAP_PARTICLE) ? CLOTH_ERROR_STATE : error;
}
