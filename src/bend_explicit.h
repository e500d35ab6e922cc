#pragma once
#include "access.h"
#include "compiler.h"
#include "lanes.h"
#include "layout.h"
#include "lines.h"
#include "scalar.h"
#include "types.h"

/// Explicit bending ///

/*
 * Bending by forces at the predicted positions, for cloth so pliable on its grid that this is stable: the hinges and
 * twists of bend_solve.h all at once, so that nothing is lost between the directions. Together they are the stencil of
 * a plate, 13 particles on five rows. Evaluated at the prediction it damps what the grid cannot resolve, as backward
 * Euler does.
 *
 * Edges: values beyond them continue the sheet straight on. Hinges at an edge and beyond are then 0, as they must be,
 * but the twist of each cell beyond the edge is that of the cell inside; their forces are taken back. Factors of single
 * hinges, by a stiffness map, by gaps or at the border of a clamp, have no place in the stencil: such cloth, and cloth
 * whose contacts the solver holds, is solved along lines.
 *
 * Row by row, each component of the positions for itself; rows are read into a ring of five before they move.
 *
 * In: the plan's bending, the predicted positions, those at the start of the substep, scratch.mobility. Out: the
 * predicted positions. Scratch: residual, the ring.
 */

/* Rows of the ring. */
#define STENCIL_ROWS 5
/* Values before and after a row in the ring that the stencil reads. */
#define STENCIL_REACH 2

/* Rows around the one that moves, by their place in bend_rows.around. */
enum { ROW_TOP, ROW_ABOVE, ROW_HERE, ROW_BELOW, ROW_BOTTOM };

typedef struct bend_rows {
  const float *mobility;
  float *x;                    /* a component of the predicted positions */
  float *displacement;         /* the same of displacement_of(), or NULL */
  const float *old;            /* the same at the start of the substep */
  float *around[STENCIL_ROWS]; /* rows of values, from the second above the row that moves to the second below */
  int32_t columns, rows, is_wrapped;
  float warp, weft, twist; /* stiffness */
  float shift;             /* share of the old positions that is subtracted */
} bend_rows;

/* Sets the values before and after a row: on a tube those at the other end, else the row is continued straight on. */
static void continue_row(const bend_rows *b, float *values) {
  float *end = values + b->columns;
  for (int32_t n = 0; n < STENCIL_REACH; n++) {
    values[-1 - n] = b->is_wrapped ? end[-1 - n] : values[-n] + (values[-n] - values[1 - n]);
    end[n] = b->is_wrapped ? values[n] : end[n - 1] + (end[n - 1] - end[n - 2]);
  }
}

/* Reads a row of positions, less the share of the old ones, to a place around the row that moves. */
CLOTH_HOT CLOTH_SEPARATE void read_values(const bend_rows *b, int32_t row, int32_t place) {
  float *to = b->around[place];
  const float *x = b->x + row * b->columns, *old = b->old + row * b->columns;
  const lanes shift = lanes_splat(b->shift);
  const int32_t columns = b->columns, is_viscous = b->shift > 0.0f;
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    lanes value = lanes_load(x + column);
    if (is_viscous) {
      value = lanes_subtract(value, lanes_multiply(lanes_load(old + column), shift));
      value = lanes_quantise(value, WORK_ROUNDER);
    }
    lanes_store(to + column, value);
  }
  continue_row(b, to);
}

/* Sets a row beyond the first or the last to what continues the two rows before it straight on; `step` leads to it. */
static void continue_values(const bend_rows *b, int32_t place, int32_t step) {
  float *to = b->around[place];
  const float *near = b->around[place - step], *far = b->around[place - 2 * step];
  for (int32_t column = -STENCIL_REACH; column < b->columns + STENCIL_REACH; column += CLOTH_LANES) {
    const lanes x = lanes_load(near + column);
    lanes_store(to + column, lanes_add(x, lanes_subtract(x, lanes_load(far + column))));
  }
}

/* By how much the middle exceeds two values, summed. Memory as the subtrahend saves an instruction on some machines. */
CLOTH_INLINE lanes excess_over(lanes middle, const float *before, const float *after) {
  return lanes_add(lanes_subtract(middle, lanes_load(before)), lanes_subtract(middle, lanes_load(after)));
}

/* Moves a block of particles from `i` on, of which `left` exist, back along the component, and with `sums` the sums. */
CLOTH_INLINE void move_back(float *x, float *sum, int sums, int32_t i, int32_t left, lanes way) {
  lanes_store_first(x + i, lanes_subtract(lanes_load(x + i), way), left);
  if (sums) {
    lanes_store_first(sum + i, lanes_subtract(lanes_load(sum + i), way), left);
  }
}

/* The sums of the displacements of a row, or NULL. */
CLOTH_INLINE float *sums_of_row(const bend_rows *b, int32_t row) {
  return WITH_PROJECTION && b->displacement ? b->displacement + row * b->columns : NULL;
}

/* Moves one particle back. */
static void move_one_back(const bend_rows *b, int32_t i, float way) {
  b->x[i] -= way;
  if (WITH_PROJECTION && b->displacement) {
    b->displacement[i] -= way;
  }
}

/* Moves the particles of a row by the stencil. `sums`, a constant: there are sums. */
CLOTH_INLINE void bend_row(const bend_rows *b, int sums, int32_t row) {
  const float *top = b->around[ROW_TOP], *above = b->around[ROW_ABOVE], *here = b->around[ROW_HERE],
              *below = b->around[ROW_BELOW], *bottom = b->around[ROW_BOTTOM];
  const float *mobility = b->mobility + row * b->columns;
  float *const to = b->x + row * b->columns, *const sum = sums_of_row(b, row);
  const lanes warp = lanes_splat(b->warp), weft = lanes_splat(b->weft), twist = lanes_splat(b->twist);
  const lanes near_warp = lanes_splat(4.0f * b->warp + 2.0f * b->twist);
  const lanes near_weft = lanes_splat(4.0f * b->weft + 2.0f * b->twist);
  EACH_BLOCK(i, left, b->columns, {
    const lanes x = lanes_load(here + i);
    const lanes corners =
        lanes_add(excess_over(x, above + i - 1, above + i + 1), excess_over(x, below + i - 1, below + i + 1));
    lanes force = lanes_multiply(excess_over(x, here + i - 1, here + i + 1), near_warp);
    force = lanes_add(force, lanes_multiply(excess_over(x, above + i, below + i), near_weft));
    force = lanes_subtract(force, lanes_multiply(excess_over(x, here + i - 2, here + i + 2), warp));
    force = lanes_subtract(force, lanes_multiply(excess_over(x, top + i, bottom + i), weft));
    force = lanes_subtract(force, lanes_multiply(corners, twist));
    force = lanes_quantise(lanes_multiply(force, lanes_load(mobility + i)), WORK_ROUNDER);
    move_back(to, sum, sums, i, left, force);
  });
}

CLOTH_HOT CLOTH_SEPARATE void move_by_bending(const bend_rows *b, int32_t row) {
  if (WITH_PROJECTION && b->displacement) {
    bend_row(b, 1, row);
  } else {
    bend_row(b, 0, row);
  }
}

/* Takes back the forces of the twists above the first row (step 1) or below the last row (step -1): those of the cells
   on the other side of the row. */
static void move_by_edge_twist(const bend_rows *b, int32_t row, int32_t step) {
  const float *here = b->around[ROW_HERE], *inside = b->around[ROW_HERE + step];
  const float *mobility = b->mobility + row * b->columns;
  float *const to = b->x + row * b->columns, *const sum = sums_of_row(b, row);
  const lanes twist = lanes_splat(b->twist);
  EACH_BLOCK(i, left, b->columns, {
    const lanes change = lanes_subtract(excess_over(lanes_load(inside + i), inside + i - 1, inside + i + 1),
                                        excess_over(lanes_load(here + i), here + i - 1, here + i + 1));
    const lanes force = lanes_multiply(lanes_multiply(change, twist), lanes_load(mobility + i));
    move_back(to, sum, WITH_PROJECTION && sum, i, left, lanes_negate(lanes_quantise(force, WORK_ROUNDER)));
  });
}

/* Twist of the cell between a row and the next, and column `edge` and the column `inside` beside it, less that of the
   cell before, *before, which it replaces; 0 below the last row. */
CLOTH_INLINE float change_of_edge_twist(const bend_rows *b, int32_t row, int32_t edge, int32_t inside, float *before) {
  const float *upper = b->around[ROW_HERE], *lower = b->around[ROW_BELOW];
  const float twist = row + 1 < b->rows ? (lower[inside] - lower[edge]) - (upper[inside] - upper[edge]) : 0.0f;
  const float change = twist - *before;
  *before = twist;
  return change;
}

/* Takes back the forces of the twists beyond the ends of a row. `before`: the twists of the cells above, at both ends.
 */
static void move_by_end_twists(const bend_rows *b, int32_t row, float before[2]) {
  const int32_t first = row * b->columns, last = b->columns - 1;
  const float left = change_of_edge_twist(b, row, 0, 1, &before[0]);
  const float right = change_of_edge_twist(b, row, last, last - 1, &before[1]);
  move_one_back(b, first, flush_small(left * b->twist * b->mobility[first], WORK_QUANTUM));
  move_one_back(b, first + last, flush_small(right * b->twist * b->mobility[first + last], WORK_QUANTUM));
}

/* Moves on to the next row: the ring turns by one. */
CLOTH_INLINE void turn_ring(bend_rows *b) {
  float *first = b->around[0];
  for (int32_t n = 0; n + 1 < STENCIL_ROWS; n++) {
    b->around[n] = b->around[n + 1];
  }
  b->around[STENCIL_ROWS - 1] = first;
}

/* Bends a component of the positions. */
static void bend_component(bend_rows *b) {
  const int32_t last = b->rows - 1;
  float twists[2] = {0.0f, 0.0f};
  read_values(b, 0, ROW_HERE);
  read_values(b, 1, ROW_BELOW);
  continue_values(b, ROW_ABOVE, -1);
  continue_values(b, ROW_TOP, -1);
  for (int32_t row = 0; row <= last; row++) {
    if (row + 2 <= last) {
      read_values(b, row + 2, ROW_BOTTOM);
    } else {
      continue_values(b, ROW_BOTTOM, 1);
    }
    move_by_bending(b, row);
    if (row == 0 || row == last) {
      move_by_edge_twist(b, row, row == 0 ? 1 : -1);
    }
    if (!b->is_wrapped) {
      move_by_end_twists(b, row, twists);
    }
    turn_ring(b);
  }
}

/* Bends the cloth by forces. */
static void bend_explicitly(const cloth *c, const step_plan *plan) {
  const vector_array x = predicted_of(c), old = vectors_at(c, c->state.position);
  const int32_t width = in_line_blocks(c->grid.columns) + 2 * LINE_BLOCK;
  float *const ring = floats_at(c, c->scratch.residual);
  const vector_array moved = displacement_of(c, plan);
  float *const components[3] = {x.x, x.y, x.z};
  float *const displacements[3] = {moved.x, moved.y, moved.z};
  const float *const old_components[3] = {old.x, old.y, old.z};
  bend_rows b = {.mobility = floats_at(c, c->scratch.mobility),
                 .columns = c->grid.columns,
                 .rows = c->grid.rows,
                 .is_wrapped = is_wrapped(c),
                 .warp = plan->bend.stiffness[WARP],
                 .weft = plan->bend.stiffness[WEFT],
                 .twist = plan->bend.twist,
                 .shift = plan->bend.shift};
  fill_zero(ring, (size_t)(STENCIL_ROWS * width) * sizeof(float));
  for (int32_t n = 0; n < STENCIL_ROWS; n++) {
    b.around[n] = ring + n * width + LINE_BLOCK;
  }
  for (int32_t n = 0; n < 3; n++) {
    b.x = components[n];
    b.old = old_components[n];
    b.displacement = displacements[n];
    bend_component(&b);
  }
}
