#pragma once
#include "../base/block3.h"
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/rows.h"
#include "../base/scalar.h"
#include "../cloth/arrays.h"
#include "../cloth/pieces.h"
#include "../cloth/types.h"
#include "../terms/plate.h"
#include "product.h"
#include "strips.h"

/// The energy of a direction ///

/*
 * p . A p without A p, of which the last iteration of a solve wants nothing else: every term is a sum of squares.
 *
 *   springs  a |p_1 - p_0|^2 + c / l^2 (d . (p_1 - p_0))^2
 *   plate    a^2 (|(D_u + b / a D_v) p|^2 - |E_u p|^2 - b^2 / a^2 |E_v p|^2), see terms/plate.h; or, with factors,
 *            its energy as it stands there
 *   others   mass, (w . p)^2 of the air, p . G p of further blocks
 *
 * In: direction, place, springs, diagonal, air, ground. Out: the partial sums of each row. Scratch: none.
 */

/* Below these d . (p_1 - p_0) counts as 0, 2^-50 [m^2]; w . p and G p, 2^-63; and what a plate bends by, 2^-43 [m].
   Where vectors nearly cancel, or springs are soft, the square might be subnormal. */
#define LEAST_LENGTHENING 8.881784197001252e-16f
#define LEAST_BLOW 1.0842021724855044e-19f
#define LEAST_BEND 1.1368683772161603e-13f

/* |a|^2, or 0 where that times a coefficient, however small, might be subnormal. */
CLOTH_INLINE lanes squared_move(lanes3 a) {
  const lanes square = lanes3_dot(a, a);
  return lanes_drop(lanes_less(square, lanes_splat(LEAST_SHARE)), square);
}

/* Twice the energy of a block of springs of direction d. */
CLOTH_INLINE lanes square_of_springs(const product_row *r, int32_t d, int32_t i, lanes3 x, lanes3 p) {
  const int32_t step = d == WARP ? 1 : column_step(d);
  const lanes3 apart = lanes3_subtract(x, near_load(d == WARP ? r->x : r->x_below, r->plane, i + step));
  const lanes3 moved = lanes3_subtract(p, near_load(d == WARP ? r->p : r->p_below, r->plane, i + step));
  const lanes across = lanes_load(OWN(r->springs, SPRING_FLOATS, i, SPRING_ACROSS(d)));
  const lanes along = lanes_load(OWN(r->springs, SPRING_FLOATS, i, SPRING_ALONG(d)));
  const lanes way = lanes_flush_below(lanes3_dot(apart, moved), LEAST_LENGTHENING);
  return lanes_add(lanes_multiply(across, lanes3_dot(moved, moved)), lanes_multiply(along, lanes_multiply(way, way)));
}

/* Adds springs and the blocks of particles of a row. `is_last`: there is no row below; a constant. */
CLOTH_INLINE void add_squares_of_row(const product_row *r, row_sum *sum, int32_t is_last) {
  for (int32_t i = 0; i < r->columns; i += CLOTH_LANES) {
    const lanes3 x = near_load(r->x, r->plane, i), p = near_load(r->p, r->plane, i);
    lanes square = lanes_multiply(lanes_load(r->diagonal + i), lanes3_dot(p, p));
    square = lanes_add(square, square_of_springs(r, WARP, i, x, p));
    if (!is_last) {
      square = lanes_add(square, square_of_springs(r, WEFT, i, x, p));
      square = lanes_add(square, square_of_springs(r, DIAGONAL, i, x, p));
      square = lanes_add(square, square_of_springs(r, ANTIDIAGONAL, i, x, p));
    }
    if (r->air) {
      const lanes across = lanes_flush_below(lanes3_dot(own_load(r->air, i), p), LEAST_BLOW);
      square = lanes_add(square, lanes_multiply(across, across));
    }
    if (r->ground) {
      const lanes3 product = lanes3_flush_below(symmetric_apply(own_block(r->ground, i), p), LEAST_BLOW);
      square = lanes_add(square, lanes3_dot(p, product));
    }
    row_sum_add(sum, i, square); /* 0 behind the last column, as all blocks are there */
  }
}

/* Rows of a direction around one, and the plate. */
typedef struct plate_squares {
  const float *above, *here, *below; /* near rows: the row itself where there is none */
  const float *border;               /* the row beside one at the border; NULL for others */
  lanes ratio, centre, factor;
  float squared_ratio;
} plate_squares;

/* The square of the difference of two places of a row, of which E_u has one at each end. */
static float squared_difference(const float *row, ptrdiff_t plane, int32_t i, int32_t j) {
  const cloth_vector d = vector_subtract(near_vector(row, plane, i), near_vector(row, plane, j));
  return flush_small(vector_dot(d, d), LEAST_SHARE);
}

/* Adds the plate's part of a row. */
CLOTH_INLINE void add_plate_squares(const solve_arrays *a, const plate_squares *rows, row_sum *sum) {
  const plate_squares s = *rows;
  const ptrdiff_t plane = a->plane;
  const int32_t columns = a->columns, is_open = !a->is_ring;
  EACH_ROW_BLOCK(i, ends, columns, {
    const lanes3 here = near_load(s.here, plane, i);
    lanes3 left = near_load(s.here, plane, i - 1);
    lanes3 right = near_load(s.here, plane, i + 1);
    if (is_open && (ends & ROW_FIRST)) { left = lanes3_select(lanes_first(1 - i), here, left); }
    if (is_open && (ends & ROW_LAST)) { right = lanes3_select(lanes_first(columns - 1 - i), right, here); }
    const lanes3 over = lanes3_add(near_load(s.above, plane, i), near_load(s.below, plane, i));
    const lanes3 around = lanes3_add_scaled(lanes3_add(left, right), over, s.ratio);
    const lanes3 bend = lanes3_flush_below(lanes3_add_scaled(around, here, s.centre), LEAST_BEND);
    const lanes square = lanes_multiply(lanes3_dot(bend, bend), s.factor);
    row_sum_add(sum, i, ends ? lanes_within(square, columns - i) : square);
  });
  if (is_open) {
    const float free =
        squared_difference(s.here, plane, 1, 0) + squared_difference(s.here, plane, columns - 2, columns - 1);
    row_sum_add(sum, 0, lanes_within(lanes_multiply(lanes_splat(negate(free)), s.factor), 1));
  }
  const lanes weight = lanes_multiply(lanes_splat(negate(s.squared_ratio)), s.factor);
  for (int32_t i = 0; s.border && i < columns; i += CLOTH_LANES) {
    const lanes3 d = lanes3_subtract(near_load(s.border, plane, i), near_load(s.here, plane, i));
    row_sum_add(sum, i, lanes_within(lanes_multiply(weight, squared_move(d)), columns - i));
  }
}

/* The plate around row `row`. */
CLOTH_INLINE plate_squares plate_squares_of(const solve_arrays *a, const substep_terms *t, int32_t row) {
  const int32_t next = NEAR_STEP * a->pitch, is_first = row == 0, is_last = row + 1 == a->rows;
  const float *p = a->direction + row * next;
  const plate_squares s = {.above = is_first ? p : p - next,
                           .here = p,
                           .below = is_last ? p : p + next,
                           .border = is_first  ? p + next
                                     : is_last ? p - next
                                               : NULL,
                           .ratio = lanes_splat(t->hinge_ratio),
                           .centre = lanes_splat(-2.0f * (1.0f + t->hinge_ratio)),
                           .factor = lanes_splat(plate_scale(a, t, 1.0f + t->viscosity)),
                           .squared_ratio = t->hinge_ratio * t->hinge_ratio};
  return s;
}

/* Adds the plate's part of row `row` where hinges and cells differ, see terms/plate.h. */
CLOTH_INLINE void add_hinge_squares(const plate_rows *p, int32_t row, row_sum *sum) {
  const hinge_row r = hinge_row_of(p, row);
  const int32_t columns = p->a->columns;
  for (int32_t i = 0; i < columns; i += CLOTH_LANES) {
    const hinge_block h = hinges_at(&r, i);
    lanes square = lanes_multiply(h.of_warp, squared_move(h.warp));
    square = lanes_add(square, lanes_multiply(h.of_weft, squared_move(h.weft)));
    square = lanes_add(square, lanes_multiply(h.of_twist, squared_move(h.twist)));
    row_sum_add(sum, i, lanes_within(square, columns - i));
  }
}

/* Squares of a strip. */
CLOTH_HOT CLOTH_SEPARATE void square_strip(const cloth *c, const step_plan *plan, stage_piece *p) {
  const substep_terms *t = (const substep_terms *)p->what;
  const solve_arrays arrays = arrays_of(c), *a = &arrays;
  const int32_t bends = t->bends && t->plate_implicit, last = a->rows - 1;
  const plate_rows plate = plate_of(a, t, a->direction, a->product, 1.0f + t->viscosity);
  product_row r = product_row_of(a, p->first, 0, 0.0f);
  for (int32_t row = p->first; row < p->end; row++) {
    row_sum sum = row_sum_start();
    if (row < last) {
      add_squares_of_row(&r, &sum, 0);
    } else {
      add_squares_of_row(&r, &sum, 1);
    }
    if (bends && a->factors) {
      add_hinge_squares(&plate, row, &sum);
    } else if (bends) {
      const plate_squares s = plate_squares_of(a, t, row);
      add_plate_squares(a, &s, &sum);
    }
    row_sum_store(a->sums + LANES_SUMS * row, &sum);
    next_product_row(a, &r, row + 1);
  }
  (void)plan;
}

/* p . A p of all particles. */
CLOTH_ONCE float square_direction(const cloth *c, const substep_terms *t) {
  const lanes_sum none = {{0.0f}};
  run_strips(c, square_strip, t);
  return sum_of_rows(c, none);
}
