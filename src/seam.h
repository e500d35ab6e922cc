#pragma once
#include "access.h"
#include "compiler.h"
#include "lanes.h"
#include "layout.h"
#include "types.h"

/// Seam of a tube ///

#if WITH_WRAP

/*
 * The seam of a wrapped sheet: springs from its last columns to its first. What works on rows knows nothing of them.
 * They form lines along the seam, one for each direction and, of bend springs, for each of the two columns where they
 * start. Lanes take a line row by row; no two springs of a line have an end in common. For the solver all of them are
 * kept as w and beta, as the operator keeps springs, bend springs too.
 */
typedef struct seam_line {
  int32_t direction, is_bend;
  int32_t mode;     /* how its springs act by forces, a cloth_mode */
  int32_t from, to; /* particles: the ends of the first row's spring */
  int32_t rows;     /* how many have one */
  float *blocks;    /* w and beta, every seam_rows() floats */
} seam_line;

static seam_line seam_line_at(const cloth *c, const step_plan *plan, int32_t number) {
  CLOTH_CONSTANT static const uint8_t directions[SEAM_SPRINGS] = {WARP, DIAGONAL, ANTIDIAGONAL};
  int32_t reach = number < SEAM_SPRINGS ? 1 : 2;
  int32_t right = number < 2 * SEAM_SPRINGS ? 0 : 1;
  int32_t left = c->grid.columns - reach + right;
  seam_line line;
  line.direction = directions[number % SEAM_SPRINGS];
  line.is_bend = reach == 2;
  line.mode = line.is_bend ? plan->bend_mode : plan->spring[line.direction].mode;
  int32_t below = line.direction == WARP ? 0 : reach;
  line.rows = c->grid.rows - below;
  line.from = line.direction == ANTIDIAGONAL ? right : left;
  line.to = below * c->grid.columns + (line.direction == ANTIDIAGONAL ? left : right);
  line.blocks = floats_at(c, c->scratch.seam) + number * OPERATOR_FLOATS * seam_rows(c);
  return line;
}

/* From the start of springs to their end, `count` of them from a row on. */
CLOTH_INLINE lanes3 seam_difference(const cloth *c, const seam_line *line, vector_array of, int32_t row,
                                    int32_t count) {
  const int32_t next = c->grid.columns, first = row * next;
  return lanes3_subtract(lanes3_gather(of, line->to + first, next, count),
                         lanes3_gather(of, line->from + first, next, count));
}

/* Adds what springs do to the ends where they start, and takes it away at the others. */
CLOTH_SEPARATE void add_seam_pulls(const cloth *c, const seam_line *line, vector_array to, int32_t row, lanes3 pull,
                                   int32_t count) {
  const int32_t next = c->grid.columns, first = row * next;
  lanes3_scatter_add(to, line->from + first, next, pull, count);
  lanes3_scatter_add(to, line->to + first, next, lanes3_negate(pull), count);
}

#endif
