#pragma once
#include "layout.h"

/// Pieces ///

/* A stage whose items do not depend on each other runs in pieces, each a range of items, which the caller's workers run
   at the same time; without capacity.workers it is one piece. The bits are the same for any number and order. Lanes may
   load particles beside a piece, and discard them. Scratch: row buffers and transfer rows for each piece. */

typedef struct piece_counts {
  int32_t limited, recovered; /* particles, see cloth_statistics */
} piece_counts;

typedef struct stage_piece {
  const void *what;    /* of the stage */
  int32_t first, end;  /* items */
  float *work, *rows;  /* its row buffers and transfer rows */
  piece_counts counts; /* 0 at first */
} stage_piece;

typedef void piece_stage(const cloth *c, stage_piece *p);

/* Where the parts of piece `number` are. */
CLOTH_INLINE float *work_of_piece(const cloth *c, int32_t number) {
  return floats_at(c, c->scratch.row_buffers) + number * piece_floats(pitch_of(c), c->scratch.factors != 0);
}

CLOTH_INLINE float *rows_of_piece(const cloth *c, int32_t number) {
  return floats_at(c, c->scratch.transfer) + number * transfer_floats(pitch_of(c));
}

/* All items of a stage as one piece. */
CLOTH_REPEATED stage_piece whole_piece(const cloth *c, const void *what, int32_t items) {
  return (stage_piece){.what = what, .end = items, .work = work_of_piece(c, 0), .rows = rows_of_piece(c, 0)};
}

typedef struct piece_job {
  const cloth *c;
  piece_stage *stage;
  const void *what;
  int32_t blocks, grain, items, pieces;
} piece_job;

/* What the pieces of the stage have counted, behind the work of all of them. */
static piece_counts *counts_of_pieces(const cloth *c) {
  return (piece_counts *)(void *)work_of_piece(c, c->pieces);
}

LAYOUT_CONTRACT(piece_counts_have_room, sizeof(piece_counts) == COUNT_FLOATS * sizeof(float));

/* The caller's workers in this step, or NULL. */
static const cloth_workers *workers_of(const cloth *c) {
  const cloth_surroundings *around = surroundings_of(c);
  return around ? around->workers : NULL;
}

static void run_piece(void *context, int32_t number) {
  piece_job *job = (piece_job *)context;
  if (number < 0 || number >= job->pieces) { return; }
  stage_piece p = whole_piece(job->c, job->what, job->items);
  p.first = number * job->blocks / job->pieces * job->grain;
  p.end = smaller_of((number + 1) * job->blocks / job->pieces * job->grain, job->items);
  p.work = work_of_piece(job->c, number);
  p.rows = rows_of_piece(job->c, number);
  job->stage(job->c, &p);
  counts_of_pieces(job->c)[number] = p.counts;
}

CLOTH_SEPARATE piece_counts share_out(const cloth *c, piece_stage *stage, const void *what, int32_t items,
                                      int32_t grain) {
  const cloth_workers *workers = workers_of(c);
  piece_counts sum = {0, 0};
  piece_job job = {.c = c, .stage = stage, .what = what, .grain = grain, .items = items};
  job.blocks = (items + grain - 1) / grain;
  job.pieces = workers && job.blocks > 1 ? smaller_of(job.blocks, c->pieces) : 1;
  if (job.pieces < 2) {
    run_piece(&job, 0);
  } else {
    workers->run(workers->context, run_piece, &job, job.pieces);
  }
  for (int32_t number = 0; number < job.pieces; number++) {
    sum.limited += counts_of_pieces(c)[number].limited;
    sum.recovered += counts_of_pieces(c)[number].recovered;
  }
  return sum;
}

/* Runs a stage, in pieces of multiples of `grain` items but for the last. Returns what these have counted. */
CLOTH_DIRECT piece_counts run_pieces(const cloth *c, piece_stage *stage, const void *what, int32_t items,
                                     int32_t grain) {
  if (WITH_WORKERS && c->pieces) { return share_out(c, stage, what, items, grain); }
  stage_piece p = whole_piece(c, what, items);
  stage(c, &p);
  return p.counts;
}
