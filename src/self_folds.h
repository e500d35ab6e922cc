#pragma once
#include "compiler.h"
#include "gaps.h"
#include "lanes.h"
#include "scalar.h"
#include "self_tree.h"
#include "self_untangle.h"
#include "types.h"

/// Folds ///

#if WITH_SELF

/*
 * How tightly a sheet folds. In a fold one cell wide the edges and diagonals of neighbouring cells can pass each other
 * although no particle is inside the thickness of a triangle: between the crest and the next particles two layers are
 * half as far apart as those particles. Cloth of thickness T does not fold so: half a spacing from the crest its layers
 * are T apart, so that the particles before and after the crest are 2 T apart. Two particles of a row, a column or a
 * diagonal with one between them are therefore kept SELF_FOLD T apart.
 *
 * In: positions at the start of the substep, predicted positions, velocities, mobilities. Out: predicted positions,
 * velocities, the velocity history of what was moved. Scratch: none.
 */

/* Least distance of two particles of a row, a column or a diagonal with one between them, over the thickness. */
#define SELF_FOLD 2.0f

/* What stays the same while the folds of a cloth are opened. */
typedef struct fold_context {
  const self_body *b;
  float least, inverse_h;
} fold_context;

/* Particles of blocks that may have folds, pairs of them that were looked at one by one, and those that were moved
 * apart. */
typedef struct fold_tally {
  int32_t noted, looked_at, opened;
} fold_tally;

/* Is there cloth between two particles of a row, a column or a diagonal, in j's row or below it, with one between
   them? On diagonals: the cells that hold it. */
static int is_cloth_between(const self_body *b, int32_t i, int32_t j) {
  const int32_t row = i / b->columns, column = i - row * b->columns;
  const int32_t next = column + 1 < b->columns ? column + 1 : 0, before = (column > 0 ? column : b->columns) - 1;
  if (row == j / b->columns) {
    return !is_gap(b->c, row * b->columns + next, GAP_HINGE_WARP);
  }
  if (column == j % b->columns) {
    return !is_gap(b->c, i + b->columns, GAP_HINGE_WEFT);
  }
  const int goes_on = (j % b->columns - column + b->columns) % b->columns == 2 % b->columns;
  const int32_t first = row * b->columns + (goes_on ? column : before);
  const int32_t second = (row + 1) * b->columns + (goes_on ? next : (before > 0 ? before : b->columns) - 1);
  return !is_gap(b->c, first, GAP_CELL) && !is_gap(b->c, second, GAP_CELL);
}

/* Moves particles i and j apart if they are too close, along their connection, or along that at the start of the
   substep if it has turned round since. As in self_contact.h, velocities take on only what the two have closed in the
   substep. */
static void open_fold(const fold_context *f, int32_t i, int32_t j, fold_tally *tally) {
  const self_body *b = f->b;
  const cloth_vector d = exact_difference(vector_load(b->place, j), vector_load(b->place, i));
  if (!(vector_dot(d, d) < f->least * f->least) || is_gap(b->c, i, GAP_PARTICLE) || !is_cloth_between(b, i, j)) {
    return;
  }
  const cloth_vector before = exact_difference(vector_load(b->start, j), vector_load(b->start, i));
  const cloth_vector n = self_unit(vector_dot(d, before) < 0.0f ? before : d);
  const float first = b->mobility[i], second = b->mobility[j];
  if (!(first + second > 0.0f)) {
    return;
  }
  const float push = quantise(f->least - vector_dot(d, n), WORK_ROUNDER);
  const float closed = quantise(vector_dot(before, n) - vector_dot(d, n), WORK_ROUNDER);
  const float stopped = minimum(push, maximum(closed, 0.0f)) * f->inverse_h;
  const float share[2] = {negate(first / (first + second)), second / (first + second)};
  const int32_t particle[2] = {i, j};
  for (int32_t k = 0; k < 2; k++) {
    if (share[k] < 0.0f || share[k] > 0.0f) {
      const int32_t p = particle[k];
      vector_store(b->place, p, vector_add_scaled(vector_load(b->place, p), n, push * share[k]));
      note_moved(b, p);
      vector_store(b->velocity, p, vector_add_scaled(vector_load(b->velocity, p), n, stopped * share[k]));
    }
  }
  tally->opened++;
}

/* Distance beyond that at which folds are opened, over the spacing, from which on they are looked at in a step. */
#define SELF_FOLD_SKIN 0.25f
/* Bits of a block of SELF_BATCH particles: it may have folds along the rows, the columns, and the diagonals. */
#define FOLDS_OF_ROWS 1u
#define FOLDS_OF_COLUMNS 2u
#define FOLDS_OF_DIAGONALS 4u
#define FOLDS_OF_ANTIDIAGONALS 8u

/* Which blocks of particles may have folds towards the particles `apart` numbers on in the next `time` seconds: pairs
   that come closer than `least` if they keep their velocities. */
CLOTH_REPEATED void note_folds_along(const self_body *b, int32_t apart, float least, float time, uint8_t bit) {
  const int32_t end = b->count - apart;
  for (int32_t i = 0; i < end; i += SELF_BATCH) {
    uint32_t close = 0;
    for (int32_t k = i; k < i + SELF_BATCH && k < end; k += CLOTH_LANES) {
      const lanes3 d = lanes3_exact_difference(lanes3_load(b->start, k + apart), lanes3_load(b->start, k));
      const lanes3 v = lanes3_exact_difference(lanes3_load(b->velocity, k + apart), lanes3_load(b->velocity, k));
      const lanes way = lanes_multiply(lanes_square_root(lanes3_dot(v, v)), lanes_splat(time));
      const lanes reach = lanes_add(way, lanes_splat(least));
      close |= lanes_bits(lanes_both(lanes_less(lanes3_dot(d, d), lanes_multiply(reach, reach)), lanes_first(end - k)));
    }
    b->folds[i / SELF_BATCH] |= close ? bit : 0u;
  }
}

/* Notes which blocks of particles of a cloth may have folds in the next `time` seconds. */
CLOTH_HOT CLOTH_SEPARATE void note_folds(const self_body *b, float thickness, float time) {
  const float least = SELF_FOLD * thickness + SELF_FOLD_SKIN * b->spacing;
  fill_zero(b->folds, (size_t)(b->count / SELF_BATCH + 1));
  note_folds_along(b, 2, least, time, FOLDS_OF_ROWS);
  note_folds_along(b, 2 * b->columns, least, time, FOLDS_OF_COLUMNS);
  note_folds_along(b, 2 * b->columns + 2, least, time, FOLDS_OF_DIAGONALS);
  note_folds_along(b, 2 * b->columns - 2, least, time, FOLDS_OF_ANTIDIAGONALS);
}

/* 1 if one of SELF_BATCH particles from i on may be too close to that `apart` numbers on, which need not be in its row.
   Out of reach of both, the lanes of the last block are read from the pad of the array and do not count. */
CLOTH_INLINE int may_have_folds(const fold_context *f, int32_t i, int32_t apart, int32_t end) {
  for (int32_t first = i; first < i + SELF_BATCH && first < end; first += CLOTH_LANES) {
    const lanes3 d = lanes3_exact_difference(lanes3_load(f->b->place, first + apart), lanes3_load(f->b->place, first));
    const lanes_mask close = lanes_less(lanes3_dot(d, d), lanes_splat(f->least * f->least));
    if (lanes_any(lanes_both(close, lanes_first(end - first)))) {
      return 1;
    }
  }
  return 0;
}

/* Opens what is folded too tightly between particles and those `rows` below and `columns` further. Blocks in which
   nothing is too close are skipped, which changes nothing. */
CLOTH_HOT CLOTH_SEPARATE void open_folds_along(const fold_context *f, int32_t rows, int32_t columns, uint8_t bit,
                                               fold_tally *tally) {
  const self_body *b = f->b;
  const int32_t apart = rows * b->columns + columns, end = b->count - apart;
  for (int32_t i = 0; i < end; i += SELF_BATCH) {
    if (!(b->folds[i / SELF_BATCH] & bit)) {
      continue;
    }
    tally->noted += SELF_BATCH;
    if (may_have_folds(f, i, apart, end)) {
      for (int32_t k = i; k < i + SELF_BATCH && k < end; k++) {
        const int32_t column = k % b->columns + columns;
        if (column >= 0 && column < b->columns) {
          open_fold(f, k, k + apart, tally);
        }
      }
      tally->looked_at += SELF_BATCH;
    }
  }
}

/* Opens the folds along rows and diagonals that lead around a tube. */
static void open_folds_around(const fold_context *f, fold_tally *tally) {
  const self_body *b = f->b;
  for (int32_t row = 0; row < b->rows; row++) {
    const int32_t first = row * b->columns, last = first + b->columns - 1, down = 2 * b->columns;
    open_fold(f, last - 1, first, tally);
    open_fold(f, last, first + 1, tally);
    tally->looked_at += 2;
    if (row + 2 < b->rows) {
      open_fold(f, last - 1, first + down, tally);
      open_fold(f, last, first + 1 + down, tally);
      open_fold(f, first, last - 1 + down, tally);
      open_fold(f, first + 1, last + down, tally);
      tally->looked_at += 4;
    }
  }
}

/* Opens what is folded too tightly in a cloth. */
static fold_tally open_folds(const self_body *b, float thickness, float inverse_h) {
  const fold_context f = {b, SELF_FOLD * thickness, inverse_h};
  fold_tally tally = {0, 0, 0};
  if (b->columns > 2) {
    open_folds_along(&f, 0, 2, FOLDS_OF_ROWS, &tally);
  }
  if (b->is_wrapped) {
    open_folds_around(&f, &tally);
  }
  if (b->rows > 2) {
    open_folds_along(&f, 2, 0, FOLDS_OF_COLUMNS, &tally);
  }
  if (b->rows > 2 && b->columns > 2) {
    open_folds_along(&f, 2, 2, FOLDS_OF_DIAGONALS, &tally);
    open_folds_along(&f, 2, -2, FOLDS_OF_ANTIDIAGONALS, &tally);
  }
  return tally;
}

#endif
