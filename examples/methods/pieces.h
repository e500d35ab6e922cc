#pragma once
#include "memory.h"

/// Pieces ///

/*
 * Stages that go over all particles in ranges of rows, which the caller's workers may run at the same time. What a
 * stage computes for a particle does not depend on the ranges, so the bits are the same for any number of pieces and
 * in any order. Sums are not stages: stages leave their terms in a float per particle, which the caller adds up.
 */

/* Rows of particles of a piece, with lines of its own for the pulls of a row of elements. */
typedef struct row_range {
  int32_t first, end;
  float *lines;
} row_range;

typedef void row_stage(const method_work *w, const void *what, const row_range *rows);

/* What the pieces of a stage share. */
typedef struct row_job {
  const method_work *w;
  row_stage *stage;
  const void *what;
} row_job;

/* Pieces of a stage: none without workers, and never more than rows. */
static int32_t pieces_of(const method_work *w) {
  const int32_t pieces = w->method->workers ? w->method->pieces : 0;
  return pieces < w->c->grid.rows ? pieces : w->c->grid.rows;
}

static void run_rows_of_piece(void *context, int32_t number) {
  const row_job *job = (const row_job *)context;
  const int32_t pieces = pieces_of(job->w), rows = job->w->c->grid.rows;
  if (number >= 0 && number < pieces) {
    const row_range range = {number * rows / pieces, (number + 1) * rows / pieces,
                             job->w->floats + job->w->rows + number * line_floats(job->w)};
    job->stage(job->w, job->what, &range);
  }
}

/* Runs a stage over all rows. */
static void run_rows(const method_work *w, row_stage *stage, const void *what) {
  if (pieces_of(w) > 1) {
    row_job job = {w, stage, what};
    w->method->workers->run(w->method->workers->context, run_rows_of_piece, &job, pieces_of(w));
  } else {
    const row_range all = {0, w->c->grid.rows, w->floats + w->rows};
    stage(w, what, &all);
  }
}

/* A statement for each block of the particles of a range, as EACH_BLOCK(). */
#define EACH_BLOCK_OF_ROWS(i, left, w, range, statement)                                                               \
  EACH_BLOCK_OF(i, left, (range)->first *(w)->c->grid.columns, (range)->end *(w)->c->grid.columns, statement)

/* A float per particle, for the terms of a sum. */
static float *terms_of(const method_work *w) {
  return w->floats + w->terms;
}

/* The sum of the terms. */
static float sum_of_terms(const method_work *w) {
  lanes_sum sum = {{0.0f}};
  for (int32_t i = 0; i < w->c->count; i += CLOTH_LANES) {
    lanes_sum_add(&sum, i, lanes_within(lanes_load(terms_of(w) + i), w->c->count - i));
  }
  return lanes_sum_total(&sum);
}
