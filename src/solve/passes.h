#pragma once
#include "../terms/plate.h"
#include "coarsest.h"
#include "levels.h"
#include "strips.h"
#include "transfer.h"

/// Passes of the solve ///

/*
 * The passes over all particles that an iteration of conjugate gradients consists of, see solve.h: the preconditioner's
 * blocks, the direction, the step along it. Sums go row by row, see base/rows.h.
 *
 * The preconditioner P: the levels of levels.h; or blocks of 3 x 3 alone, their diagonals, or nothing, for the tables
 * of the thesis (eq. 5.4).
 *
 * In and out: direction, solution, residual, product, inverse, as each pass says. Scratch: levels, transfer rows.
 */

/* The part of the plate on the diagonal of a block of particles, from the weights of its column and row. */
CLOTH_INLINE lanes plate_on_block(const solve_arrays *a, int32_t i, lanes across, lanes twist) {
  const float *weights = OWN(a->coefficients, COEFFICIENT_FLOATS, i, 0);
  const lanes along = lanes_load(weights + ROW_HINGES * CLOTH_LANES);
  const lanes corners = lanes_load(weights + ROW_TWISTS * CLOTH_LANES);
  return lanes_add(lanes_add(along, across), lanes_multiply(corners, twist));
}

/* A block of the preconditioner of the cloth's choice. */
CLOTH_INLINE symmetric chosen_inverse(int32_t preconditioner, symmetric m, lanes least) {
  const lanes zero = lanes_splat(0.0f);
  if (preconditioner == CLOTH_PRECONDITIONER_NONE) { return symmetric_identity(lanes_splat(1.0f)); }
  if (preconditioner == CLOTH_PRECONDITIONER_DIAGONAL) { m.xy = m.xz = m.yz = zero; }
  return symmetric_inverse(m, least);
}

/* Inverts the blocks of a row of particles, and applies them to the residual. `is_plain`: it has neither factors, air
   nor ground, and whole blocks; a constant. Returns its sum of r . z. */
CLOTH_INLINE row_sum invert_row(const cloth *c, const solve_arrays *a, const substep_terms *t, int32_t row,
                                int32_t is_plain) {
  const float viscous = 1.0f + t->viscosity, bends = t->bends && t->plate_implicit ? viscous : 0.0f;
  const lanes across = lanes_splat(bends * t->hinge[WEFT] * hinges_on_element(row, a->rows, 0));
  const lanes twist = lanes_splat(bends * t->twist * cells_at_element(row, a->rows, 0));
  const int32_t columns = a->columns, first = row * a->pitch, is_bent = bends > 0.0f;
  const int32_t kind = is_plain ? CLOTH_PRECONDITIONER_BLOCK : c->settings.solver.preconditioner;
  const lanes one = lanes_splat(1.0f), zero = lanes_splat(0.0f);
  const float *ground = is_plain ? NULL : ground_of_row(a, row);
  row_sum sum = row_sum_start();
  for (int32_t i = 0; i < columns; i += CLOTH_LANES) {
    const int32_t place = first + i;
    const lanes held = lanes_load(a->diagonal + place);
    const lanes_mask moves = lanes_less(zero, held);
    const lanes own = lanes_select(moves, held, one);
    symmetric m = own_block(a->inverse, place);
    lanes added = is_bent ? lanes_add(own, plate_on_block(a, i, across, twist)) : own;
    if (!is_plain && a->factors && is_bent) {
      const lanes plate = lanes_load(OWN(a->factors, FACTOR_FLOATS, place, FACTOR_PLATE));
      added = lanes_add(own, lanes_multiply(plate, lanes_splat(bends * t->twist)));
    }
    if (!is_plain && a->air) {
      const lanes3 w = own_load(a->air, place);
      symmetric_add_outer(&m, w, w, added);
    } else {
      m = symmetric_add_scalar(m, added);
    }
    m = ground ? symmetric_add(m, own_block(ground, i)) : m;
    const symmetric inverse = symmetric_quantise(chosen_inverse(kind, symmetric_quantise(m), own));
    own_block_store(a->inverse, place, inverse);
    const lanes3 r = own_load(a->residual, place), z = symmetric_apply(inverse, r);
    own_store(a->product, place, z);
    row_sum_add(&sum, i, lanes3_dot(r, z));
  }
  return sum;
}

CLOTH_HOT CLOTH_SEPARATE void invert_strip(const cloth *c, stage_piece *p) {
  const substep_terms *t = (const substep_terms *)p->what;
  const solve_arrays arrays = *arrays_of(c), *a = &arrays;
  const int32_t has_blocks = c->settings.solver.preconditioner == CLOTH_PRECONDITIONER_MULTILEVEL;
  const int32_t is_plain = HAS_PLAIN_ROWS && has_blocks && !a->factors && !a->air;
  for (int32_t row = p->first; row < p->end; row++) {
    const row_sum sum = is_plain && !ground_of_row(a, row) ? invert_row(c, a, t, row, 1) : invert_row(c, a, t, row, 0);
    row_sum_store(a->sums + LANES_SUMS * row, &sum);
  }
}

/* Adds what the coarse levels give to z = D^-1 r of the particles. Returns r . z. */
CLOTH_ONCE float add_levels(const cloth *c) {
  lanes_sum start = {{0.0f}};
  if (uses_levels(c)) {
    start = apply_levels(c);
    if (is_in_pieces(c)) { interpolate_pieces(c, 0); }
    if (is_wrapped(c)) {
      const grid_level *l = workspace_of(c)->levels;
      const level_pair pair = pair_of(c, 0);
      close_coarse(&pair, level_correction(c, l), l->plane);
    }
  }
  return sum_of_rows(c, start);
}

/* Finishes the preconditioner and applies it for the first time. Returns r . z. */
CLOTH_ONCE float precondition_first(const cloth *c, const substep_terms *t) {
  if (uses_levels(c)) { build_levels(c, arrays_of(c), t); }
  run_strips(c, invert_strip, t);
  return add_levels(c);
}

/* The corrections of the first coarse level, which are spread over the rows of particles. */
typedef struct correction_rows {
  level_pair pair;
  float *from; /* NULL without, and of cloth in pieces, whose product has them already */
  ptrdiff_t plane;
} correction_rows;

static correction_rows correction_rows_of(const cloth *c, const stage_piece *piece) {
  const grid_level *l = workspace_of(c)->levels;
  correction_rows r;
  fill_zero(&r, sizeof r);
  if (uses_levels(c) && !is_in_pieces(c)) {
    r.pair = pair_of_piece(c, 0, piece);
    r.from = level_correction(c, l);
    r.plane = l->plane;
  }
  return r;
}

/* Spreads them over a row of a strip from `first` on. Returns 0 without, 1 on a coarse row, 2 between two. */
CLOTH_INLINE int32_t correct_row(const correction_rows *r, int32_t row, int32_t first, spread_row *spread) {
  if (!r->from) { return 0; }
  *spread = spread_over(&r->pair, r->from, r->plane, row, first);
  return spread->above == spread->below ? 1 : 2;
}

/* What a row of the new direction is made from. */
typedef struct direction_row {
  float *p;
  const float *z, *diagonal;
  spread_row spread;
  ptrdiff_t plane;
  lanes beta;
  int32_t columns;
} direction_row;

/* p = z + beta p of a row. `levels`: what correct_row() returns; `again`: 1 if there is a direction before; constants.
 */
CLOTH_INLINE void turn_row(const direction_row *r, int32_t levels, int32_t again) {
  const direction_row d = *r; /* the stores of lanes may alias it */
  for (int32_t i = 0; i < d.columns; i += CLOTH_LANES) {
    lanes3 z = own_load(d.z, i);
    if (levels) {
      const lanes_mask moves = lanes_less(lanes_splat(0.0f), lanes_load(d.diagonal + i));
      if (is_skipped(moves)) {
        near_store(d.p, d.plane, i, lanes3_splat(vector(0.0f, 0.0f, 0.0f)));
        continue;
      }
      z = lanes3_keep(moves, lanes3_add(z, spread_at(&d.spread, levels - 1, i)));
    }
    z = again ? lanes3_add_scaled(z, near_load(d.p, d.plane, i), d.beta) : z;
    near_store(d.p, d.plane, i, lanes3_quantise(z, WORK_ROUNDER));
  }
}

/* What a pass of the solve multiplies with: beta or alpha, and 1 if there is a direction or a solution before. */
typedef struct pass_step {
  float length;
  int32_t again, keeps;
} pass_step;

/* The new direction of a strip, p = z + beta p; z alone if not `again`, a constant. */
CLOTH_INLINE void turn_rows(const cloth *c, const stage_piece *piece, float beta, int32_t again) {
  const solve_arrays arrays = *arrays_of(c), *a = &arrays;
  const correction_rows rows = correction_rows_of(c, piece);
  direction_row r = {.plane = a->plane, .beta = lanes_splat(beta), .columns = a->columns};
  for (int32_t row = piece->first; row < piece->end; row++) {
    r.p = near_row(a->direction, a->pitch, row);
    r.z = a->product + 3 * row * a->pitch;
    r.diagonal = a->diagonal + row * a->pitch;
    const int32_t levels = correct_row(&rows, row, piece->first, &r.spread);
    if (levels == 0) {
      turn_row(&r, 0, again);
    } else if (levels == 1) {
      turn_row(&r, 1, again);
    } else {
      turn_row(&r, 2, again);
    }
  }
}

CLOTH_HOT CLOTH_SEPARATE void turn_strip(const cloth *c, stage_piece *p) {
  const pass_step *s = (const pass_step *)p->what;
  if (s->again) {
    turn_rows(c, p, s->length, 1);
  } else {
    turn_rows(c, p, s->length, 0);
  }
}

/* The new direction. `again`: 1 if there is a direction before. */
CLOTH_ONCE void turn_direction(const cloth *c, float beta, int32_t again) {
  const pass_step s = {beta, again, 0};
  run_strips(c, turn_strip, &s);
  close_rows(c, near_array(c, c->scratch.direction));
}

/* y += alpha p, r -= alpha q, and z = D^-1 r, of a row. `first`: y is 0 so far; `keeps`: q stays where z would be;
   constants. Returns its sum of r . z. */
CLOTH_INLINE row_sum advance_row(const solve_arrays *a, int32_t row, lanes alpha, int32_t first, int32_t keeps) {
  const int32_t columns = a->columns, start = row * a->pitch;
  const ptrdiff_t plane = a->plane;
  const float *p = near_row(a->direction, a->pitch, row), *inverse = a->inverse;
  float *solution = a->solution, *residual = a->residual, *product = a->product;
  row_sum sum = row_sum_start();
  for (int32_t i = 0; i < columns; i += CLOTH_LANES) {
    const int32_t place = start + i;
    const lanes3 step = lanes3_scale(near_load(p, plane, i), alpha);
    own_store(solution, place, first ? step : lanes3_add(own_load(solution, place), step));
    const lanes3 change = lanes3_scale(own_load(product, place), alpha);
    const lanes3 r = lanes3_quantise(lanes3_subtract(own_load(residual, place), change), WORK_ROUNDER);
    own_store(residual, place, r);
    const lanes3 z = symmetric_apply(own_block(inverse, place), r);
    if (!keeps) { own_store(product, place, z); }
    row_sum_add(&sum, i, lanes3_dot(r, z));
  }
  return sum;
}

CLOTH_HOT CLOTH_SEPARATE void advance_strip(const cloth *c, stage_piece *p) {
  const pass_step *s = (const pass_step *)p->what;
  const solve_arrays arrays = *arrays_of(c), *a = &arrays;
  const lanes step = lanes_splat(s->length);
  for (int32_t row = p->first; row < p->end; row++) {
    const row_sum sum = s->keeps   ? advance_row(a, row, step, !s->again, 1)
                        : s->again ? advance_row(a, row, step, 0, 0)
                                   : advance_row(a, row, step, 1, 0);
    row_sum_store(a->sums + LANES_SUMS * row, &sum);
  }
}

/* y += alpha p, r -= alpha q, z = P r. `keeps`: the product stays, see conjugate(). Returns r . z. */
CLOTH_ONCE float advance(const cloth *c, float alpha, int32_t first, int32_t keeps) {
  const pass_step s = {alpha, !first, keeps};
  run_strips(c, advance_strip, &s);
  return add_levels(c);
}

/* z . q of a row, with z = D^-1 r and what the coarse levels give, and D^-1 r in place of q. `levels`: as turn_row().
 */
CLOTH_INLINE row_sum conjugate_row(const solve_arrays *a, int32_t row, const spread_row *spread, int32_t levels) {
  row_sum sum = row_sum_start();
  for (int32_t i = 0; i < a->columns; i += CLOTH_LANES) {
    const int32_t place = row * a->pitch + i;
    const lanes3 own = symmetric_apply(own_block(a->inverse, place), own_load(a->residual, place));
    const lanes3 z = levels ? lanes3_add(own, spread_at(spread, levels - 1, i)) : own;
    const lanes_mask moves = lanes_less(lanes_splat(0.0f), lanes_load(a->diagonal + place));
    row_sum_add(&sum, i, lanes3_dot(lanes3_keep(moves, lanes3_flush(z)), own_load(a->product, place)));
    own_store(a->product, place, own);
  }
  return sum;
}

CLOTH_SEPARATE void conjugate_strip(const cloth *c, stage_piece *piece) {
  const solve_arrays arrays = *arrays_of(c), *a = &arrays;
  const correction_rows rows = correction_rows_of(c, piece);
  spread_row spread;
  fill_zero(&spread, sizeof spread);
  for (int32_t row = piece->first; row < piece->end; row++) {
    const int32_t levels = correct_row(&rows, row, piece->first, &spread);
    const row_sum sum = conjugate_row(a, row, &spread, levels);
    row_sum_store(a->sums + LANES_SUMS * row, &sum);
  }
}

/* After an advance() that has kept the product q: z . q, with z = P r. The product becomes D^-1 r, as ever. */
CLOTH_ONCE float conjugate(const cloth *c) {
  return sum_strips(c, conjugate_strip, NULL);
}

CLOTH_HOT CLOTH_SEPARATE void solve_strip(const cloth *c, stage_piece *p) {
  const solve_arrays arrays = *arrays_of(c), *a = &arrays;
  const int32_t columns = a->columns;
  const lanes one = lanes_splat(1.0f), zero = lanes_splat(0.0f);
  for (int32_t row = p->first; row < p->end; row++) {
    for (int32_t i = 0; i < columns; i += CLOTH_LANES) {
      const int32_t place = row * a->pitch + i;
      const lanes held = lanes_load(a->diagonal + place), own = lanes_select(lanes_less(zero, held), held, one);
      const lanes3 b = own_load(a->residual, place);
      lanes3 y = lanes3_scale(b, lanes_divide(one, own));
      if (a->air || a->ground) {
        symmetric m = a->ground ? own_block(a->ground, place) : symmetric_identity(zero);
        const lanes3 w = a->air ? own_load(a->air, place) : lanes3_of(zero, zero, zero);
        symmetric_add_outer(&m, w, w, own);
        y = symmetric_apply(symmetric_quantise(symmetric_inverse(m, own)), b);
      }
      own_store(a->solution, place, y);
    }
  }
}

/* Solves an operator without springs and plate, of blocks on its diagonal alone: y = D^-1 b. */
CLOTH_ONCE void solve_alone(const cloth *c) {
  run_strips(c, solve_strip, NULL);
  workspace_of(c)->last_step = 0.0f;
}
