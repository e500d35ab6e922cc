/* Pieces of a step on the threads of examples/crowd. SPDX-License-Identifier: MIT */
#ifndef PIECE_THREADS_H
#define PIECE_THREADS_H

#include "../examples/crowd/jobs.c"
#include "cloth.h"

typedef struct handed_out {
  cloth_piece piece;
  void *job;
} handed_out;

static void run_range(void *context, int first, int last, int worker) {
  const handed_out *h = (const handed_out *)context;
  (void)worker;
  for (int n = first; n < last; n++)
    h->piece(h->job, n);
}

/* Runs `count` pieces, and returns when all are done. */
static void run_by_threads(jobs *threads, cloth_piece piece, void *job, int32_t count) {
  handed_out h = {piece, job};
  jobs_run(threads, run_range, &h, count, 1);
}

#endif /* PIECE_THREADS_H */
