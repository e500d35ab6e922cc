#pragma once
#include "access.h"
#include "compiler.h"
#include "lanes.h"
#include "layout.h"
#include "types.h"

/// Seam of a tube ///

/*
 * The seam of a wrapped sheet: springs from its last column to its first, which the kernels of rows leave out. They
 * form lines along the seam, one for each direction but the weft. Lanes take a line row by row; no two springs of a
 * line share a particle.
 *
 * In: c->grid, the plan's modes. Out: forces, added to a vector array. Scratch: seam, a run of seam_rows() floats for
 * each of w (3) and beta of a line's implicit springs.
 */

#if WITH_WRAP

typedef struct seam_line {
  int32_t direction;
  int32_t mode;     /* how its springs act by forces, a cloth_mode */
  int32_t from, to; /* particles: start and end of the first row's spring */
  int32_t rows;     /* rows that have a spring */
  float *blocks;    /* w and beta, seam_rows() floats each */
} seam_line;

static seam_line seam_line_at(const cloth *c, const step_plan *plan, int32_t number) {
  CLOTH_CONSTANT static const uint8_t directions[SEAM_SPRINGS] = {WARP, DIAGONAL, ANTIDIAGONAL};
  const int32_t last_column = c->grid.columns - 1;
  seam_line line;
  line.direction = directions[number];
  line.mode = plan->spring[line.direction].mode;
  const int32_t below = line.direction == WARP ? 0 : 1;
  line.rows = c->grid.rows - below;
  line.from = line.direction == ANTIDIAGONAL ? 0 : last_column;
  line.to = below * c->grid.columns + (line.direction == ANTIDIAGONAL ? last_column : 0);
  line.blocks = floats_at(c, c->scratch.seam) + number * OPERATOR_FLOATS * seam_rows(c);
  return line;
}

/* Vectors at the ends minus vectors at the starts of a line's springs, `count` of them from a row on. */
CLOTH_INLINE lanes3 seam_difference(const cloth *c, const seam_line *line, vector_array of, int32_t row,
                                    int32_t count) {
  const int32_t next = c->grid.columns, first = row * next;
  return lanes3_subtract(lanes3_gather(of, line->to + first, next, count),
                         lanes3_gather(of, line->from + first, next, count));
}

/* Adds forces `pull` to the particles where a line's springs start, and subtracts them where the springs end. */
CLOTH_SEPARATE void add_seam_pulls(const cloth *c, const seam_line *line, vector_array to, int32_t row, lanes3 pull,
                                   int32_t count) {
  const int32_t next = c->grid.columns, first = row * next;
  lanes3_scatter_add(to, line->from + first, next, pull, count);
  lanes3_scatter_add(to, line->to + first, next, lanes3_negate(pull), count);
}

#endif
