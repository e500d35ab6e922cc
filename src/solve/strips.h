#pragma once
#include "../cloth/pieces.h"
#include "levels.h"
#include "transfer.h"

/// Strips of rows ///

/*
 * A pass over the rows of the grid runs in pieces, strips of whole rows (pieces.h). Sums go row by row (base/rows.h),
 * and what a row takes from the row above, a strip computes again for its first row in row buffers of its own: so the
 * bits do not depend on the strips.
 *
 * In: the pass. Out: what it does. Scratch: row buffers and a transfer row for each piece.
 */

/* The arrays of a cloth with the row buffers of a piece. */
static solve_arrays arrays_of_piece(const cloth *c, const stage_piece *p) {
  solve_arrays a = *arrays_of(c);
  a.buffers = p->work;
  return a;
}

/* Two levels beside each other with the transfer row of a piece. */
static level_pair pair_of_piece(const cloth *c, int32_t number, const stage_piece *p) {
  level_pair pair = pair_of(c, number);
  pair.row = p->rows + TRANSFER_PAD;
  return pair;
}

/* In how many pieces passes of a step may run. */
static int32_t strips_of(const cloth *c) {
  return WITH_WORKERS && c->pieces && workers_of(c) ? c->pieces : 1;
}

/* Levels of fewer nodes are not shared out: handing them over would cost more than it saves. */
#define LEVEL_NODES 2048

/* Runs a pass over all rows of a level of so many. */
CLOTH_DIRECT void run_level_strips(const cloth *c, piece_stage *pass, const void *what, const grid_level *l) {
  const int32_t is_small = l->columns * l->rows < LEVEL_NODES;
  run_pieces(c, pass, what, l->rows, is_small ? l->rows : strip_rows(l->columns));
}

/* Runs a pass over all rows. Returns what it has counted. */
CLOTH_DIRECT piece_counts run_strips(const cloth *c, piece_stage *pass, const void *what) {
  return run_pieces(c, pass, what, c->grid.rows, strip_rows(c->grid.columns));
}

/* The sum over all rows, from the partial sums that a pass has stored, and of what `start` holds. */
static float sum_of_rows(const cloth *c, lanes_sum start) {
  return rows_total(floats_at(c, c->scratch.sums), c->grid.rows, LANES_SUMS, start);
}

/* Runs a pass over all rows that stores a sum of each. Returns that over all. */
CLOTH_DIRECT float sum_strips(const cloth *c, piece_stage *pass, const void *what) {
  const lanes_sum none = {{0.0f}};
  run_strips(c, pass, what);
  return sum_of_rows(c, none);
}
