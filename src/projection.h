#pragma once
#include "access.h"
#include "bearing_solve.h"
#include "bend_explicit.h"
#include "bend_solve.h"
#include "compiler.h"
#include "gaps.h"
#include "gathers.h"
#include "lanes.h"
#include "lines.h"
#include "pieces.h"
#include "pin_hinges.h"
#include "pin_reactions.h"
#include "plan.h"
#include "rest_lengths.h"
#include "scalar.h"
#include "stretch_solve.h"
#include "twist_solve.h"
#include "types.h"

/// Line solves of a substep ///

/*
 * The order in which a substep solves along lines, after the prediction: shear on diagonals, then on antidiagonals; the
 * twist; hinges and stretch of rows; hinges and stretch of columns. Every family acts exactly once, with its own
 * compliance, so that stiffness does not depend on the number of substeps; overstretched.h solves single lines again.
 * Where bending acts by forces (bend_explicit.h) it comes first. What is solved last is satisfied best.
 *
 * In: the plan, the predicted positions, scratch.mobility, scratch.uniform_lines, the maps.
 * Out: the predicted positions, in scratch.product; scratch.longest.
 * Scratch: residual (twist, transposed rows), line_work.
 */

#if WITH_PROJECTION

/* The longest lengths of the springs of rows or of columns, each at the particle that it starts from; or NULL if they
   are not noted. */
static float *longest_of(const cloth *c, int32_t d) {
  return c->scratch.longest ? floats_at(c, c->scratch.longest) + d * c->stride : NULL;
}

#if WITH_BEARING

/* Notes that the springs of a bundle may have any length. */
static void forget_longest(const stretch_lines *l) {
  for (int32_t element = 0; element < l->b.length; element++) {
    float *to = l->longest + element * l->b.next;
    for (int32_t lane = 0; lane < l->b.count; lane++) {
      to[lane] = UNLIMITED_LENGTH;
    }
  }
}

#endif

/* The solve of a family's springs, without its bundle. Returns 0 if the family is not projected. */
static int stretch_lines_of(const cloth *c, const step_plan *plan, int32_t d, stretch_lines *l) {
  const spring_family *s = &plan->spring[d];
  const float rest_squared = s->rest * s->rest;
  float_bits rounder = float_to_bits(rest_squared);
  rounder.bits &= 0x7f800000u; /* the power of two at or below it */
  fill_zero(l, sizeof *l);
  l->c = c;
  l->inverse_squared_rest = 1.0f / rest_squared;
  l->least_square = MIN_SQUARED_RATIO * rest_squared;
  l->coupling_rounder = STATE_ROUNDER * rounder.value;
  l->compliance_above = s->compliance[0];
  l->compliance_below = s->compliance[1];
  l->damping_share = s->damping_share;
  l->old = vectors_at(c, c->state.position);
  l->has_maps = c->constant.stiffness_map || has_gaps(c) || (d <= WEFT && has_gathers(c));
  if (has_rest_shape(c)) {
    l->is_shaped = 1;
    l->shaped_damping = l->damping_share;
    l->damping_share = 0.0f;
  }
  if (s->projected == PROJECTED_SOME) {
    l->has_maps = 1;
    l->kappa = s->kappa;
    l->above = plan->projected_above;
  }
  l->is_special = l->has_maps || l->damping_share > 0.0f;
#if WITH_BEARING
  l->bears = is_bearing(c, BEARS_PARTS);
#endif
  return s->projected != PROJECTED_NONE;
}

CLOTH_HOT CLOTH_SEPARATE void solve_straight_stretch(const stretch_lines *l) {
  stretch_lines copy = *l;
  copy.b.is_ring = 0;
  copy.is_shaped &= !GAP_VERSIONS;
  solve_open_stretch(&copy, 0);
}

CLOTH_HOT CLOTH_SEPARATE void solve_diagonal_stretch(const stretch_lines *l) {
  stretch_lines copy = *l;
  copy.b.slant = 1;
  copy.is_shaped &= !GAP_VERSIONS;
  solve_open_stretch(&copy, 1);
}

CLOTH_HOT CLOTH_SEPARATE void solve_antidiagonal_stretch(const stretch_lines *l) {
  stretch_lines copy = *l;
  copy.b.slant = -1;
  copy.is_shaped &= !GAP_VERSIONS;
  solve_open_stretch(&copy, -1);
}

#if WITH_REST_SHAPE && GAP_VERSIONS

/* Open lines of a shaped piece: those without pay nothing for it. */
CLOTH_SEPARATE void solve_shaped_stretch(const stretch_lines *l) {
  stretch_lines copy = *l;
  copy.is_shaped = 1;
  solve_open_stretch(&copy, l->b.slant);
}

#endif

/* Solves the springs of a bundle of rows, columns (slant 0) or diagonals, of which it makes l. */
static void solve_stretch(stretch_lines *l, const line_bundle *b) {
  l->b = *b;
  l->work = b->piece->work;
  l->original = l;
  if (WITH_WRAP && b->slant == 0 && b->is_ring) {
#if WITH_WRAP
    solve_ring_stretch(l);
#endif
#if WITH_BEARING
  } else if (l->bears && is_bearing_bundle(l->c, b)) {
    solve_bearing_stretch(l);
    if (l->longest) {
      forget_longest(l);
    }
#endif
#if WITH_REST_SHAPE && GAP_VERSIONS
  } else if (l->is_shaped) {
    solve_shaped_stretch(l);
#endif
  } else if (b->slant > 0) {
    solve_diagonal_stretch(l);
  } else if (b->slant < 0) {
    solve_antidiagonal_stretch(l);
  } else {
    solve_straight_stretch(l);
  }
#if WITH_BODIES
  if (notes_pins(l->c)) {
    note_tensions(l);
  }
#endif
}

/* Solves the shear springs of a direction, an int32_t that p->what points to. */
static void solve_shear_piece(const cloth *c, const step_plan *plan, stage_piece *p) {
  const int32_t direction = *(const int32_t *)p->what;
  stretch_lines l;
  if (!stretch_lines_of(c, plan, direction, &l)) {
    return;
  }
  for (int32_t column = p->first; column < p->end; column += CLOTH_LANES) {
    line_bundle b = bundle_of_diagonals(c, p, predicted_of(c), column, direction == DIAGONAL ? 1 : -1);
    b.sums = sums_from_predicted(c, plan);
    solve_stretch(&l, &b);
  }
}

/* Solves the shear springs of one direction. */
static void solve_shear(const cloth *c, const step_plan *plan, int32_t direction) {
  if (plan->spring[direction].projected != PROJECTED_NONE) {
    run_pieces(c, plan, solve_shear_piece, &direction, c->grid.columns, LINE_BLOCK);
  }
}

#endif

/* Positions at the start of the substep, laid out like those of a bundle of rows: transposed if something reads them.
 */
static vector_array old_rows(const cloth *c, const line_bundle *b, int is_read) {
  const vector_array old = vectors_at(c, c->state.position);
  vector_array rows = {old.x + b->first, old.y + b->first, old.z + b->first};
#if CLOTH_LANES > 1
  rows = row_vectors(c, b->piece->rows, ROW_OLD_X);
  if (is_read) {
    transpose_vectors(c, old, b->first, b->count, rows);
  }
#endif
  (void)is_read;
  return rows;
}

#if WITH_PROJECTION

/* Where the solve of a bundle of rows notes longest lengths: transposed, in place of mobilities, each of which has been
   read when the spring behind its particle is noted. */
static float *longest_of_rows(const cloth *c, const line_bundle *b) {
  float *longest = longest_of(c, WARP);
#if CLOTH_LANES > 1
  return longest ? row_plane(c, b->piece->rows, ROW_MOBILITY) : NULL;
#else
  return longest ? longest + b->first : NULL;
#endif
}

/* Copies them back. */
static void return_longest(const cloth *c, const line_bundle *b) {
#if CLOTH_LANES > 1
  if (c->scratch.longest) {
    const float *side = row_plane(c, b->piece->rows, ROW_MOBILITY);
    transpose_rows_back(longest_of(c, WARP) + b->first, c->grid.columns, b->count, side);
  }
#else
  (void)c;
  (void)b;
#endif
}

#endif

static void solve_row_piece(const cloth *c, const step_plan *plan, stage_piece *p) {
  const vector_array x = predicted_of(c);
  const int bends = has_bend_lines(plan);
  int is_damped = bends && plan->bend.shift > 0.0f;
#if WITH_PROJECTION
  stretch_lines l;
  const int stretches = stretch_lines_of(c, plan, WARP, &l);
  is_damped |= stretches && (l.damping_share > 0.0f || l.shaped_damping > 0.0f);
#endif
  for (int32_t row = p->first; row < p->end; row += CLOTH_LANES) {
    line_bundle b = bundle_of_rows(c, p, x, row);
    sum_rows(c, plan, &b);
    const vector_array old = old_rows(c, &b, is_damped);
    if (bends) {
      solve_bend(c, plan, WARP, &b, old);
#if WITH_BODIES
      note_hinges(c, plan, WARP, &b, old);
#endif
    }
#if WITH_PROJECTION
    if (stretches) {
      l.old = old;
      l.longest = longest_of_rows(c, &b);
      solve_stretch(&l, &b);
      return_longest(c, &b);
    }
#endif
    return_rows(c, &b);
  }
}

/* Solves bending and stretch of rows. */
static void solve_rows(const cloth *c, const step_plan *plan) {
  run_pieces(c, plan, solve_row_piece, NULL, c->grid.rows, LINE_BLOCK);
}

static void solve_column_piece(const cloth *c, const step_plan *plan, stage_piece *p) {
  const vector_array old = vectors_at(c, c->state.position);
#if WITH_PROJECTION
  stretch_lines l;
  const int stretches = stretch_lines_of(c, plan, WEFT, &l);
  float *longest = longest_of(c, WEFT);
#endif
  for (int32_t column = p->first; column < p->end; column += CLOTH_LANES) {
    line_bundle b = bundle_of_columns(c, p, predicted_of(c), column);
    b.sums = sums_from_predicted(c, plan);
    const vector_array first = {old.x + column, old.y + column, old.z + column};
    if (has_bend_lines(plan)) {
      solve_bend(c, plan, WEFT, &b, first);
#if WITH_BODIES
      note_hinges(c, plan, WEFT, &b, first);
#endif
    }
#if WITH_PROJECTION
    if (stretches) {
      l.old = first;
      l.longest = longest ? longest + column : NULL;
      solve_stretch(&l, &b);
    }
#endif
  }
}

/* Solves bending and stretch of columns. */
static void solve_columns(const cloth *c, const step_plan *plan) {
  run_pieces(c, plan, solve_column_piece, NULL, c->grid.columns, LINE_BLOCK);
}

/* Solves everything that acts along lines on the predicted positions. */
CLOTH_SEPARATE void solve_lines(const cloth *c, const step_plan *plan) {
  if (has_stencil(plan)) {
#if WITH_BODIES
    if (notes_pins(c)) {
      note_bending(c, plan);
    }
#endif
    bend_explicitly(c, plan);
  }
#if WITH_PROJECTION
  solve_shear(c, plan, DIAGONAL);
  solve_shear(c, plan, ANTIDIAGONAL);
#endif
  if (has_bend_lines(plan)) {
    solve_twists(c, plan);
#if WITH_BODIES
    if (notes_pins(c)) {
      note_bending(c, plan);
    }
#endif
  }
  if (has_bend_lines(plan) || plan->projects) {
    solve_rows(c, plan);
    solve_columns(c, plan);
  }
}
