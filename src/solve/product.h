#pragma once
#include "../terms/plate.h"
#include "../terms/springs.h"
#include "strips.h"

/// The operator ///

/*
 * q = A p: the product of the operator with the direction of an iteration, row by row. Springs bring a force to both of
 * their particles; what they bring to the row below waits in row buffers. Pins have q = 0.
 *
 * In: direction, place, springs, diagonal, air, ground. Out: product, and the partial sums of p . q of each row.
 * Scratch: row buffers.
 */

/* The three directions of springs that lead to the row below. */
#define DOWNWARDS (DIRECTIONS - 1)

/* From a particle to the one below at the other end of a spring of a direction, in columns. */
CLOTH_INLINE int32_t column_step(int32_t direction) {
  return direction == DIAGONAL ? 1 : direction == ANTIDIAGONAL ? -1 : 0;
}

/* From the other ends of a block of springs of direction d to their starts, of near rows: `below` is the next one. */
CLOTH_INLINE lanes3 along_springs(const float *row, const float *below, ptrdiff_t plane, int32_t d, int32_t i) {
  const float *end = d == WARP ? row : below;
  return lanes3_subtract(near_load(row, plane, i), near_load(end, plane, i + (d == WARP ? 1 : column_step(d))));
}

/* What the springs from the row above bring to a block: 0 for the first row. */
CLOTH_INLINE lanes3 forces_from_above(const force_rows *above, ptrdiff_t buffer, int32_t i) {
  const lanes3 weft = force_load(force_row(above, WEFT), buffer, i);
  const lanes3 diagonal = force_load(force_row(above, DIAGONAL), buffer, i - 1);
  const lanes3 antidiagonal = force_load(force_row(above, ANTIDIAGONAL), buffer, i + 1);
  return lanes3_add(lanes3_add(weft, diagonal), antidiagonal);
}

/* The forces of springs on a block of particles: what they bring to others less what the row above and the particle on
   the left bring. `is_last`: there is no row below; a constant. */
CLOTH_INLINE lanes3 forces_of_springs(const force_rows *above, const force_rows *brought, ptrdiff_t buffer, int32_t i,
                                      int32_t is_last) {
  const lanes3 left = force_load(force_row(brought, WARP), buffer, i - 1);
  const lanes3 right = force_load(force_row(brought, WARP), buffer, i);
  lanes3 sum = lanes3_subtract(right, lanes3_add(forces_from_above(above, buffer, i), left));
  if (!is_last) {
    sum = lanes3_add(sum, force_load(force_row(brought, WEFT), buffer, i));
    sum = lanes3_add(sum, force_load(force_row(brought, DIAGONAL), buffer, i));
    sum = lanes3_add(sum, force_load(force_row(brought, ANTIDIAGONAL), buffer, i));
  }
  return sum;
}

/* What a row's product takes: a local variable of the pass, so that the stores of lanes cannot alias it. */
typedef struct product_row {
  const float *x, *x_below, *p, *p_below, *springs;
  const float *diagonal, *air, *ground; /* NULL without */
  force_rows above, brought;            /* forces of springs of the row above, and of the row's own */
  float *q;
  ptrdiff_t plane, buffer;
  int32_t columns, bends;
  lanes plate; /* factor of the forces of the plate */
} product_row;

/* Row `row`. `bends`: the product holds the forces of the plate, over `plate`. */
CLOTH_INLINE product_row product_row_of(const solve_arrays *a, int32_t row, int32_t bends, float plate) {
  const ptrdiff_t first = row * (ptrdiff_t)a->pitch, next = a->pitch; /* nothing is read below the last row */
  return (product_row){.x = a->place + NEAR_STEP * first,
                       .x_below = a->place + NEAR_STEP * (first + next),
                       .p = a->direction + NEAR_STEP * first,
                       .p_below = a->direction + NEAR_STEP * (first + next),
                       .springs = a->springs + SPRING_FLOATS * first,
                       .diagonal = a->diagonal + first,
                       .bends = bends,
                       .plate = lanes_splat(plate),
                       .air = a->air ? a->air + 3 * first : NULL,
                       .ground = ground_of_row(a, row),
                       .above = forces_of_row(a, row - 1),
                       .brought = forces_of_row(a, row),
                       .q = a->product + 3 * first,
                       .plane = a->plane,
                       .buffer = a->buffer,
                       .columns = a->columns};
}

CLOTH_INLINE void next_product_row(const solve_arrays *a, product_row *r, int32_t row) {
  const ptrdiff_t pitch = a->pitch;
  r->x = r->x_below;
  r->x_below += NEAR_STEP * pitch;
  r->p = r->p_below;
  r->p_below += NEAR_STEP * pitch;
  r->springs += SPRING_FLOATS * pitch;
  r->diagonal += pitch;
  r->air = r->air ? r->air + 3 * pitch : NULL;
  r->ground = row < a->rows ? ground_of_row(a, row) : NULL;
  r->q += 3 * pitch;
  const force_rows brought = r->brought;
  r->brought = r->above;
  r->above = brought;
}

/* The forces of a block of springs of direction d on their other ends: kept for these, and returned. */
CLOTH_INLINE lanes3 multiply_springs(const product_row *r, int32_t d, int32_t i, lanes3 x, lanes3 p) {
  const int32_t step = d == WARP ? 1 : column_step(d);
  const lanes3 apart = lanes3_subtract(x, near_load(d == WARP ? r->x : r->x_below, r->plane, i + step));
  const lanes3 moved = lanes3_subtract(p, near_load(d == WARP ? r->p : r->p_below, r->plane, i + step));
  const lanes across = lanes_load(OWN(r->springs, SPRING_FLOATS, i, SPRING_ACROSS(d)));
  const lanes along = lanes_load(OWN(r->springs, SPRING_FLOATS, i, SPRING_ALONG(d)));
  const lanes3 force = spring_product(across, along, apart, moved);
  force_store(force_row(&r->brought, d), r->buffer, i, force);
  return force;
}

/* Multiplies the springs that start in a block of particles, and returns the forces of all springs on them. `is_last`:
   a constant. */
CLOTH_INLINE lanes3 product_of_springs(const product_row *r, int32_t i, lanes3 p, int32_t is_last) {
  const lanes3 x = near_load(r->x, r->plane, i), right = multiply_springs(r, WARP, i, x, p);
  const lanes3 left = force_load(force_row(&r->brought, WARP), r->buffer, i - 1);
  lanes3 sum = lanes3_subtract(right, lanes3_add(forces_from_above(&r->above, r->buffer, i), left));
  if (!is_last) {
    sum = lanes3_add(sum, multiply_springs(r, WEFT, i, x, p));
    sum = lanes3_add(sum, multiply_springs(r, DIAGONAL, i, x, p));
    sum = lanes3_add(sum, multiply_springs(r, ANTIDIAGONAL, i, x, p));
  }
  return sum;
}

/* The blocks of a block of particles on their own: mass, air, ground; and the plate. */
CLOTH_INLINE lanes3 own_product(const product_row *r, int32_t i, lanes3 p, lanes held) {
  lanes3 q = lanes3_scale(p, held);
  if (r->bends) { q = lanes3_add_scaled(q, own_load(r->q, i), r->plate); }
  if (r->air) {
    const lanes3 w = own_load(r->air, i);
    q = lanes3_add_scaled(q, w, lanes3_dot(w, p));
  }
  return r->ground ? lanes3_add(q, symmetric_apply(own_block(r->ground, i), p)) : q;
}

/* Puts what springs bring over the seam of a tube beside a row: that of the row itself, and those of the row above. */
CLOTH_INLINE void multiply_seam(const product_row *row) {
  const product_row r = *row;
  const int32_t last = r.columns - 1, i = (int32_t)((uint32_t)last / CLOTH_LANES * CLOTH_LANES);
  (void)multiply_springs(&r, WARP, i, near_load(r.x, r.plane, i), near_load(r.p, r.plane, i));
  force_copy(force_row(&r.brought, WARP), r.buffer, last, -1);
  close_forces(&r.above, r.buffer, r.columns, WEFT);
}

/* The product of a row. `is_last`: there is no row below; `is_plain`: it bends, and has neither air nor ground;
   constants. Returns its sum of p . q. */
CLOTH_INLINE row_sum multiply_row(const product_row *row, int32_t is_last, int32_t is_plain) {
  product_row copy = *row, *r = &copy;
  row_sum sum = row_sum_start();
  if (is_plain) {
    copy.air = copy.ground = NULL;
    copy.bends = 1;
  }
  for (int32_t i = 0; PRODUCT_LOOPS == 2 && i < r->columns; i += CLOTH_LANES) {
    (void)product_of_springs(r, i, near_load(r->p, r->plane, i), is_last);
  }
  for (int32_t i = 0; i < r->columns; i += CLOTH_LANES) {
    const lanes3 p = near_load(r->p, r->plane, i);
    lanes3 springs = p;
    if (PRODUCT_LOOPS == 1) { springs = product_of_springs(r, i, p, is_last); }
    const lanes held = lanes_load(r->diagonal + i);
    const lanes_mask moves = lanes_less(lanes_splat(0.0f), held);
    if (is_skipped(moves)) {
      own_store(r->q, i, lanes3_splat(vector(0.0f, 0.0f, 0.0f)));
      continue;
    }
    if (PRODUCT_LOOPS == 2) { springs = forces_of_springs(&r->above, &r->brought, r->buffer, i, is_last); }
    const lanes3 q = lanes3_keep(moves, lanes3_add(own_product(r, i, p, held), springs));
    own_store(r->q, i, q);
    row_sum_add(&sum, i, lanes3_dot(p, q));
  }
  return sum;
}

/* The forces that the springs of a row bring to the row below, which begins a strip. */
CLOTH_SEPARATE void multiply_springs_above(const solve_arrays *a, int32_t row) {
  const product_row above = product_row_of(a, row, 0, 0.0f);
  for (int32_t i = 0; i < above.columns; i += CLOTH_LANES) {
    const lanes3 x = near_load(above.x, above.plane, i), p = near_load(above.p, above.plane, i);
    CLOTH_UNROLL
    for (int32_t d = WEFT; d < DIRECTIONS; d++) {
      (void)multiply_springs(&above, d, i, x, p);
    }
  }
}

/* The forces of the plate on a strip, in `product`. */
CLOTH_ONCE void bend_direction(const solve_arrays *a, const substep_terms *t, const stage_piece *p) {
  const plate_rows plate = plate_of(a, t, a->direction, a->product, 1.0f + t->viscosity);
  bend_plate(&plate, p->first, p->end);
}

CLOTH_HOT CLOTH_SEPARATE void multiply_strip(const cloth *c, stage_piece *p) {
  const substep_terms *t = (const substep_terms *)p->what;
  const solve_arrays arrays = arrays_of_piece(c, p), *a = &arrays;
  const int32_t bends = t->bends && t->plate_implicit, last = a->rows - 1;
  product_row r = product_row_of(a, p->first, bends, plate_scale(a, t, 1.0f + t->viscosity));
  if (WITH_WORKERS && p->first > 0) {
    multiply_springs_above(a, p->first - 1);
  } else {
    clear_forces(a, -1);
  }
  if (bends) { bend_direction(a, t, p); }
  for (int32_t row = p->first; row < p->end; row++) {
    if (a->is_ring) { multiply_seam(&r); }
    const row_sum sum = row == last                                      ? multiply_row(&r, 1, 0)
                        : HAS_PLAIN_ROWS && bends && !r.air && !r.ground ? multiply_row(&r, 0, 1)
                                                                         : multiply_row(&r, 0, 0);
    row_sum_store(a->sums + LANES_SUMS * row, &sum);
    next_product_row(a, &r, row + 1);
  }
}

/* q = A p. Returns p . q. */
CLOTH_ONCE float multiply(const cloth *c, const substep_terms *t) {
  return sum_strips(c, multiply_strip, t);
}

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
CLOTH_INLINE lanes square_of_springs(const product_row *r, int32_t d, int32_t i) {
  const lanes3 apart = along_springs(r->x, r->x_below, r->plane, d, i);
  const lanes3 moved = along_springs(r->p, r->p_below, r->plane, d, i);
  const lanes across = lanes_load(OWN(r->springs, SPRING_FLOATS, i, SPRING_ACROSS(d)));
  const lanes along = lanes_load(OWN(r->springs, SPRING_FLOATS, i, SPRING_ALONG(d)));
  const lanes way = lanes_flush_below(lanes3_dot(apart, moved), LEAST_LENGTHENING);
  return lanes_add(lanes_multiply(across, lanes3_dot(moved, moved)), lanes_multiply(along, lanes_multiply(way, way)));
}

/* Adds springs and the blocks of particles of a row. `is_last`: there is no row below; `is_plain`: it has neither air
   nor ground; constants. */
CLOTH_INLINE void add_squares_of_row(const product_row *row, row_sum *sum, int32_t is_last, int32_t is_plain) {
  product_row copy = *row, *r = &copy;
  if (is_plain) { copy.air = copy.ground = NULL; }
  for (int32_t i = 0; i < r->columns; i += CLOTH_LANES) {
    const lanes3 p = near_load(r->p, r->plane, i);
    lanes square = lanes_multiply(lanes_load(r->diagonal + i), lanes3_dot(p, p));
    square = lanes_add(square, square_of_springs(r, WARP, i));
    if (!is_last) {
      square = lanes_add(square, square_of_springs(r, WEFT, i));
      square = lanes_add(square, square_of_springs(r, DIAGONAL, i));
      square = lanes_add(square, square_of_springs(r, ANTIDIAGONAL, i));
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

CLOTH_INLINE plate_squares plate_squares_of(const solve_arrays *a, const substep_terms *t, int32_t row) {
  const int32_t next = NEAR_STEP * a->pitch, is_first = row == 0, is_last = row + 1 == a->rows;
  const float *p = a->direction + row * next;
  return (plate_squares){.above = is_first ? p : p - next,
                         .here = p,
                         .below = is_last ? p : p + next,
                         .border = is_first  ? p + next
                                   : is_last ? p - next
                                             : NULL,
                         .ratio = lanes_splat(t->hinge_ratio),
                         .centre = lanes_splat(-2.0f * (1.0f + t->hinge_ratio)),
                         .factor = lanes_splat(plate_scale(a, t, 1.0f + t->viscosity)),
                         .squared_ratio = t->hinge_ratio * t->hinge_ratio};
}

/* Adds the plate's part of row `row` where hinges and cells differ, see terms/hinges.h. */
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

CLOTH_HOT CLOTH_SEPARATE void square_strip(const cloth *c, stage_piece *p) {
  const substep_terms *t = (const substep_terms *)p->what;
  const solve_arrays arrays = *arrays_of(c), *a = &arrays;
  const int32_t bends = t->bends && t->plate_implicit, last = a->rows - 1;
  const plate_rows plate = plate_of(a, t, a->direction, a->product, 1.0f + t->viscosity);
  for (int32_t row = p->first; row < p->end; row++) {
    const product_row r = product_row_of(a, row, 0, 0.0f);
    row_sum sum = row_sum_start();
    if (row == last) {
      add_squares_of_row(&r, &sum, 1, 0);
    } else if (HAS_PLAIN_ROWS && !r.air && !r.ground) {
      add_squares_of_row(&r, &sum, 0, 1);
    } else {
      add_squares_of_row(&r, &sum, 0, 0);
    }
    if (bends && a->factors) {
      add_hinge_squares(&plate, row, &sum);
    } else if (bends) {
      const plate_squares s = plate_squares_of(a, t, row);
      add_plate_squares(a, &s, &sum);
    }
    row_sum_store(a->sums + LANES_SUMS * row, &sum);
  }
}

/* p . A p of all particles. */
CLOTH_ONCE float square_direction(const cloth *c, const substep_terms *t) {
  return sum_strips(c, square_strip, t);
}
