#pragma once
#include "access.h"
#include "bend_solve.h"
#include "compiler.h"
#include "gaps.h"
#include "lanes.h"
#include "layout.h"
#include "lines.h"
#include "pieces.h"
#include "rest_lengths.h"
#include "scalar.h"
#include "types.h"
#include "uniform.h"

/// The twist of cells ///

/*
 * The solve of the twist between neighbouring columns, see bend_solve.h. In: the plan of bending, predicted positions,
 * those at the start of the substep, scratch.mobility, the stiffness map. Out: the predicted positions. Scratch:
 * line_work, own.line_factors; residual, the impulses of the twist.
 */

/* What the twist between a block of columns and the next columns needs. */
typedef struct twist_columns {
  const cloth *gapped;                       /* of gapped_cloth() */
  vector_array x, old, change, displacement; /* the last of displacement_of() */
  int32_t column, columns, rows;
  int32_t is_wrapped;
  float kappa, shift;
  const float *uniform, *map, *mobility;
  float *work;
} twist_columns;

/* Lanes from a column on of a row whose first particle is `row`, around the seam of a tube. What lies beyond a sheet's
   border is of another row. */
CLOTH_INLINE lanes row_values(const twist_columns *t, const float *from, int32_t row, int32_t column) {
  lanes a = lanes_load(from + row + column);
  if (WITH_WRAP && t->is_wrapped && column + CLOTH_LANES > t->columns) {
    a = lanes_select(lanes_first(t->columns - column), a, lanes_load(from + row + column - t->columns));
  }
  return a;
}

CLOTH_INLINE lanes3 row_vectors_at(const twist_columns *t, vector_array from, int32_t row, int32_t column) {
  return lanes3_of(row_values(t, from.x, row, column), row_values(t, from.y, row, column),
                   row_values(t, from.z, row, column));
}

/* Difference of the columns after and at the block, in a row, of x - s x_old. */
CLOTH_INLINE lanes3 column_difference(const twist_columns *t, int32_t row) {
  const int32_t i = row * t->columns;
  lanes3 d = lanes3_subtract(row_vectors_at(t, t->x, i, t->column + 1), lanes3_load(t->x, i + t->column));
  if (t->shift > 0.0f) {
    lanes3 old = lanes3_subtract(row_vectors_at(t, t->old, i, t->column + 1), lanes3_load(t->old, i + t->column));
    d = lanes3_quantise(lanes3_subtract(d, lanes3_scale(old, lanes_splat(t->shift))), WORK_ROUNDER);
  }
  return d;
}

/* Stiffness of the cells between a row and the next, over the family's. */
CLOTH_INLINE lanes cell_factor(const twist_columns *t, int32_t row) {
  const int32_t i = row * t->columns, j = i + t->columns;
  lanes factor = lanes_splat(1.0f);
  if (t->map) {
    lanes upper = lanes_add(lanes_load(t->map + i + t->column), row_values(t, t->map, i, t->column + 1));
    lanes lower = lanes_add(lanes_load(t->map + j + t->column), row_values(t, t->map, j, t->column + 1));
    factor = lanes_multiply(lanes_add(upper, lower), lanes_splat(0.25f));
  }
#if WITH_GAPS
  if (t->gapped) {
    factor = lanes_keep(without_gap(t->gapped, i + t->column, 1, t->columns - t->column, GAP_CELL), factor);
#if WITH_REST_SHAPE
    if (has_rest_shape(t->gapped)) {
      factor = lanes_multiply(factor, lanes_load(rest_array(t->gapped, REST_TWIST) + i + t->column));
    }
#endif
  }
#endif
  return factor;
}

/* Sum of the mobilities of both particles. */
CLOTH_INLINE lanes pair_mobility(const twist_columns *t, int32_t row) {
  const int32_t i = row * t->columns;
  return lanes_add(lanes_load(t->mobility + i + t->column), row_values(t, t->mobility, i, t->column + 1));
}

/* Blocks of lanes of an element in line_work: half-solved changes, and the factor of the change after. */
enum { TWIST_X, TWIST_Y, TWIST_Z, TWIST_FACTOR };

/* The tridiagonal elimination of a pair of columns: g = w / (1 + w (k_before (1 - f_before) + k_after)), f = g k_after,
   with the sum of mobilities w and the stiffnesses k of the cells before and after. Returns g. */
CLOTH_INLINE lanes factor_twist(lanes w, lanes before, lanes after, lanes *f) {
  lanes k = lanes_add(lanes_multiply(before, lanes_subtract(lanes_splat(1.0f), *f)), after);
  lanes g = lanes_divide(w, lanes_add(lanes_splat(1.0f), lanes_multiply(w, k)));
  *f = lanes_multiply(g, after);
  return g;
}

/* Writes g and f of a row of uniform columns. *f is that of the row before. */
CLOTH_INLINE void factor_uniform_twist(float *factors, int32_t row, int32_t rows, float kappa, lanes *f) {
  const lanes g = factor_twist(lanes_splat(2.0f), lanes_splat(row > 0 ? kappa : 0.0f),
                               lanes_splat(row + 1 < rows ? kappa : 0.0f), f);
  factors[2 * row] = lanes_first_value(g);
  factors[2 * row + 1] = lanes_first_value(*f);
}

/* Solves the twist between a block of columns and the columns after each: the changes of their differences. */
CLOTH_INLINE void solve_twist(const twist_columns *t, int uniform) {
  const lanes zero = lanes_splat(0.0f), kappa = lanes_splat(t->kappa);
  const lanes3 none = lanes3_of(zero, zero, zero);
  lanes3 y = none, here = column_difference(t, 0), twist_before = none;
  lanes stiffness_before = zero, f = zero;
  for (int32_t row = 0; row < t->rows; row++) {
    float *slot = t->work + row * (LINE_SLOT * CLOTH_LANES);
    const int32_t goes_on = row + 1 < t->rows;
    const lanes3 after = goes_on ? column_difference(t, row + 1) : here;
    lanes stiffness = goes_on ? kappa : zero;
    if (!uniform && (t->map || (WITH_GAPS && t->gapped)) && goes_on) {
      stiffness = lanes_quantise(lanes_multiply(kappa, cell_factor(t, row)), WORK_ROUNDER);
    }
    const lanes3 twist = lanes3_scale(lanes3_subtract(after, here), stiffness);
    const lanes3 force = lanes3_add(lanes3_subtract(twist, twist_before), lanes3_scale(y, stiffness_before));
    lanes g;
    if (uniform) {
      g = lanes_splat(t->uniform[2 * row]);
      f = lanes_splat(t->uniform[2 * row + 1]);
    } else {
      g = factor_twist(pair_mobility(t, row), stiffness_before, stiffness, &f);
    }
    y = lanes3_quantise(lanes3_scale(force, g), WORK_ROUNDER);
    bend_slot_store(slot, y);
    lanes_store(slot + TWIST_FACTOR * CLOTH_LANES, f);
    here = after;
    twist_before = twist;
    stiffness_before = stiffness;
  }
  const int32_t count = t->columns - t->column;
  const lanes one = lanes_splat(1.0f);
  lanes3 moved = none;
  for (int32_t row = t->rows - 1; row >= 0; row--) {
    const float *slot = t->work + row * (LINE_SLOT * CLOTH_LANES);
    moved = lanes3_scale(moved, lanes_load(slot + TWIST_FACTOR * CLOTH_LANES));
    moved = lanes3_quantise(lanes3_add(bend_slot_load(slot), moved), WORK_ROUNDER);
    lanes3 impulse = lanes3_scale(moved, lanes_splat(0.5f));
    if (!uniform) {
      const lanes w = pair_mobility(t, row);
      const lanes_mask moves = lanes_less(zero, w);
      impulse = lanes3_keep(moves, lanes3_scale(moved, lanes_divide(one, lanes_select(moves, w, one))));
    }
    lanes3_store(t->change, row * t->columns + t->column, impulse, count);
  }
}

/* The kernels work on copies, which their stores cannot alias. */
CLOTH_SEPARATE void solve_uniform_twist(const twist_columns *t) {
  const twist_columns copy = *t;
  solve_twist(&copy, 1);
}

/* Where pins or masses differ. */
CLOTH_SEPARATE void solve_varied_twist(const twist_columns *t) {
  twist_columns copy = *t;
  copy.map = NULL;
  copy.gapped = NULL;
  solve_twist(&copy, 0);
}

/* Where the stiffness of cells does, too. */
CLOTH_SEPARATE void solve_general_twist(const twist_columns *t) {
  const twist_columns copy = *t;
  solve_twist(&copy, 0);
}

/* The impulses of the pairs before a block of columns of a row: 0 before the first column of a sheet. */
CLOTH_INLINE lanes impulse_before(const twist_columns *t, const float *impulses, int32_t row, int32_t column) {
  lanes before = lanes_load(impulses + row + column - 1);
  if (column == 0) {
    const float around = t->is_wrapped ? impulses[row + t->columns - 1] : 0.0f;
    before = lanes_select(lanes_first(1), lanes_splat(around), before);
  }
  return before;
}

/* Moves the particles of a block of columns of a row by the mean of what the pairs before and after make of them. */
CLOTH_INLINE void move_by_twist(const twist_columns *t, int32_t row, int32_t column) {
  const int32_t i = row + column, left = t->columns - column;
  const lanes half = lanes_multiply(lanes_load(t->mobility + i), lanes_splat(0.5f));
  lanes3 after = lanes3_load(t->change, i);
  if (!t->is_wrapped && left <= CLOTH_LANES) {
    after = lanes3_keep(lanes_first(left - 1), after);
  }
  const lanes3 before =
      lanes3_of(impulse_before(t, t->change.x, row, column), impulse_before(t, t->change.y, row, column),
                impulse_before(t, t->change.z, row, column));
  const lanes3 moved = lanes3_quantise(lanes3_scale(lanes3_subtract(before, after), half), WORK_ROUNDER);
  move_block(t->x, t->displacement, i, left, moved);
}

/* Are a block of columns, and the columns after each, uniform? */
static int are_pairs_uniform(const cloth *c, int32_t column) {
  const int32_t last = column + CLOTH_LANES < c->grid.columns ? column + CLOTH_LANES : 0;
  return *line_flags_of_columns(c, column) & *line_flags_of_columns(c, last) & LINES_UNIFORM;
}

static twist_columns twist_columns_of(const cloth *c, const step_plan *plan, const stage_piece *p) {
  const twist_columns t = {.gapped = gapped_cloth(c),
                           .x = predicted_of(c),
                           .displacement = displacement_of(c, plan),
                           .old = vectors_at(c, c->state.position),
                           .change = vectors_at(c, c->scratch.residual),
                           .columns = c->grid.columns,
                           .rows = c->grid.rows,
                           .is_wrapped = is_wrapped(c),
                           .kappa = 2.0f * plan->bend.twist,
                           .shift = plan->bend.shift,
                           .uniform = twist_factors_of(c),
                           .map = c->constant.stiffness_map ? floats_at(c, c->constant.stiffness_map) : NULL,
                           .mobility = floats_at(c, c->scratch.mobility),
                           .work = p->work};
  return t;
}

/* Solves the twist of the cells of columns. */
CLOTH_HOT CLOTH_SEPARATE void solve_twist_of_columns(const cloth *c, const step_plan *plan, stage_piece *p) {
  twist_columns t = twist_columns_of(c, plan, p);
  for (t.column = p->first; t.column < p->end; t.column += CLOTH_LANES) {
    if (are_pairs_uniform(c, t.column)) {
      solve_uniform_twist(&t);
    } else if (!t.map && !t.gapped) {
      solve_varied_twist(&t);
    } else {
      solve_general_twist(&t);
    }
  }
}

/* Moves the particles of rows by what the twist has left. */
CLOTH_HOT CLOTH_SEPARATE void move_rows_by_twist(const cloth *c, const step_plan *plan, stage_piece *p) {
  const twist_columns t = twist_columns_of(c, plan, p);
  for (int32_t row = p->first * t.columns; row < p->end * t.columns; row += t.columns) {
    for (int32_t column = 0; column < t.columns; column += CLOTH_LANES) {
      move_by_twist(&t, row, column);
    }
  }
}

/* Solves the twist of all cells. */
static void solve_twists(const cloth *c, const step_plan *plan) {
  run_pieces(c, plan, solve_twist_of_columns, NULL, c->grid.columns, LINE_BLOCK);
  run_pieces(c, plan, move_rows_by_twist, NULL, c->grid.rows, LINE_BLOCK);
}

/* Writes the factors of uniform lines and, unless `of_twist` is NULL, those of the twist of as many rows. Each element
   waits for a quotient of the one before, so that both side by side take no longer than one of them. */
static void factor_uniform_lines(float *of_lines, int32_t length, float kappa, float *of_twist, float twist) {
  bend_elimination n = start_elimination();
  lanes f = lanes_splat(0.0f);
  for (int32_t i = 0; i < length; i++) {
    factor_uniform_element(of_lines, i, length, kappa, &n);
    if (of_twist) {
      factor_uniform_twist(of_twist, i, length, twist, &f);
    }
  }
}

/* 1 if one of so many flags of lines says that they are uniform. */
static int has_uniform(const uint8_t *flags, int32_t count) {
  int32_t n = 0;
  while (n < count && !(flags[n] & LINES_UNIFORM)) {
    n++;
  }
  return n < count;
}

/* Computes once a step what all uniform lines share, of the directions that have some. */
CLOTH_SEPARATE void plan_bend_lines(const cloth *c, const step_plan *plan) {
  const int32_t rows = c->grid.rows, columns = c->grid.columns;
  const float weft = plan->bend.stiffness[WEFT], warp = plan->bend.stiffness[WARP];
  const int has_columns = has_uniform(line_flags_of_columns(c, 0), in_line_blocks(columns) / LINE_BLOCK);
  float *of_columns = bend_factors_of(c, WEFT), *of_rows = bend_factors_of(c, WARP);
  if (has_columns) {
    factor_uniform_lines(of_columns, rows, weft, twist_factors_of(c), 2.0f * plan->bend.twist);
  }
  if (has_columns && columns == rows && warp == weft) {
    copy_memory(of_rows, of_columns, (size_t)(BEND_FACTOR_FLOATS * rows) * sizeof(float));
  } else if (has_uniform(line_flags_of_rows(c), rows)) {
    factor_uniform_lines(of_rows, columns, warp, NULL, 0.0f);
  }
}
