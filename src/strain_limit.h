#pragma once
#include "access.h"
#include "compiler.h"
#include "costs.h"
#include "gaps.h"
#include "lanes.h"
#include "lines.h"
#include "pieces.h"
#include "pin_reactions.h"
#include "rest_lengths.h"
#include "scalar.h"
#include "stiffness.h"
#include "types.h"
#include "uniform.h"

/// Strain limiting ///

/*
 * Strain limiting (Provot 1995): stretch springs outside a range of lengths are brought back to it, without compliance.
 * Both ends p and q of a spring move by
 *     x_p += w_p g (l^2 - L^2) / (l^2 + L^2) d,   x_q -= w_q g (l^2 - L^2) / (l^2 + L^2) d,   d = x_q - x_p, l = |d|,
 * with the nearest length L of the range, the mobilities w and the gain g = 1 / (w_p + w_q), exact to first order in
 * l - L, without a square root. Lines are taken one bundle at a time, their springs in red-black order: no two springs
 * of a colour share a particle. Pins that are farther apart than the line between them may reach contradict the limit:
 * then it gives way along that line, up to the strain that they share evenly.
 * In: the settings, scratch.mobility. Out: the predicted positions, in scratch.product. Scratch: residual.
 */

#if WITH_LIMITS

/* Least denominator of a gain. Only springs between two pins fall below it: their gain must be finite, so that the
   pins' mobilities, which are 0, make the displacements 0 and not NaN. */
#define MIN_GAIN_DENOMINATOR 1.0e-6f
/* Least l^2 + L^2 [m^2]. It is 0 only where strain limiting lets springs collapse (low = 0) and both ends coincide;
   without the bound their displacement would be NaN. */
#define MIN_SQUARE_SUM 1.0e-20f

/* Displacements of both ends of a block of springs towards each other. */
typedef struct end_displacements {
  lanes3 from, to;
} end_displacements;

/* A range for the lengths of the springs of several lines. */
typedef struct line_range {
  float low;
  lanes high;               /* squared [m^2]; of each line */
  const cloth *noted;       /* whose pins note what the range does, or NULL */
  const cloth *gapped;      /* where the grid has gaps; else NULL */
  const line_bundle *lines; /* the original of the bundle, whose address may be taken */
} line_range;

/* Displacement of one end, between squared lengths: d times its share. Rounded to multiples of 2^-40, so that it is 0
   or far above what could make the products of the next spring subnormal. */
CLOTH_INLINE end_displacements limit_displacements(lanes low, lanes high, lanes mobility, lanes other, lanes3 d) {
  const lanes squared = lanes3_dot(d, d);
  const lanes bound = lanes_minimum(lanes_maximum(squared, low), high);
  const lanes weights = lanes_maximum(lanes_add(mobility, other), lanes_splat(MIN_GAIN_DENOMINATOR));
  const lanes sum = lanes_maximum(lanes_add(squared, bound), lanes_splat(MIN_SQUARE_SUM));
  const lanes gain = lanes_divide(lanes_splat(1.0f), weights);
  const lanes share = lanes_divide(lanes_multiply(gain, lanes_subtract(squared, bound)), sum);
  end_displacements moved = {lanes3_quantise(lanes3_scale(d, lanes_multiply(share, mobility)), WORK_ROUNDER),
                             lanes3_quantise(lanes3_scale(d, lanes_multiply(share, other)), WORK_ROUNDER)};
  return moved;
}

#if WITH_GAPS

/* The same of a grid with gaps: springs that it does not have move nothing. */
CLOTH_INLINE end_displacements limit_at_gaps(const line_range *range, int32_t element, lanes mobility, lanes other,
                                             lanes3 d) {
  lanes low = lanes_splat(range->low), high = range->high;
#if WITH_REST_SHAPE
  if (has_rest_shape(range->gapped)) {
    const lanes rest = line_rest(range->gapped, range->lines, element), square = lanes_multiply(rest, rest);
    low = lanes_multiply(low, square);
    high = lanes_multiply(high, square);
  }
#endif
  end_displacements moved = limit_displacements(low, high, mobility, other, d);
  const lanes_mask present = line_springs(range->gapped, range->lines, element);
  moved.from = lanes3_keep(present, moved.from);
  moved.to = lanes3_keep(present, moved.to);
  return moved;
}

#endif

/* Displacements of the ends of the springs from an element on. */
CLOTH_INLINE end_displacements limit_springs(const line_range *range, int32_t element, lanes mobility, lanes other,
                                             lanes3 d) {
#if WITH_GAPS
  if (range->gapped) {
    return limit_at_gaps(range, element, mobility, other, d);
  }
#endif
  (void)element;
  return limit_displacements(lanes_splat(range->low), range->high, mobility, other, d);
}

#if WITH_BODIES

/* Notes what a spring of each line does to pins at its ends: the opposite of what it does to the other end. `moved`:
   the displacements of both ends, of which `share` counts. */
CLOTH_SEPARATE void note_limits(const line_range *range, const line_bundle *b, int32_t element, int32_t other,
                                const end_displacements *moved, float share) {
  float values[6][CLOTH_LANES];
  const vector_array from = {values[0], values[1], values[2]}, to = {values[3], values[4], values[5]};
  lanes3_store(from, 0, lanes3_scale(moved->from, lanes_splat(share)), CLOTH_LANES);
  lanes3_store(to, 0, lanes3_scale(moved->to, lanes_splat(share)), CLOTH_LANES);
  for (int32_t lane = 0; lane < b->count; lane++) {
    const int32_t i = b->first + element * b->along + lane * b->across;
    const int32_t j = b->first + other * b->along + lane * b->across;
    const int held_i = is_pinned(range->noted, i), held_j = is_pinned(range->noted, j);
    const float at_i = b->mobility[element * b->next + lane], at_j = b->mobility[other * b->next + lane];
    if (held_i && at_j > 0.0f) {
      note_displacement(range->noted, i, vector_scale(vector_load(to, lane), 1.0f / at_j));
    }
    if (held_j && at_i > 0.0f) {
      note_displacement(range->noted, j, vector_scale(vector_load(from, lane), -1.0f / at_i));
    }
  }
}

#endif

/* Limits the springs from an element to the next, of all lines. */
CLOTH_INLINE void limit_link(const line_range *range, const line_bundle *b, int32_t element) {
  const int32_t i = element * b->next, j = i + b->next;
  const lanes3 from = lanes3_load(b->x, i), to = lanes3_load(b->x, j);
  const end_displacements moved = limit_springs(range, element, lanes_load(b->mobility + i),
                                                lanes_load(b->mobility + j), lanes3_subtract(to, from));
#if WITH_BODIES
  if (range->noted) {
    const end_displacements noted = moved; /* only the copy has an address, so that `moved` stays in registers */
    note_limits(range, b, element, element + 1, &noted, 1.0f);
  }
#endif
  move_block(b->x, sums_of_bundle(b), i, b->count, moved.from);
  move_block(b->x, sums_of_bundle(b), j, b->count, lanes3_negate(moved.to));
}

#if WITH_WRAP

/*
 * Gauss-Seidel round a tube would leave a visible trace at the column where it starts. So rings use Jacobi: all springs
 * see the same positions, and each particle moves by this share of the sum of both its springs' corrections.
 */
#define RING_SHARE 0.5f

/* Limits all springs of rings, spring after spring, starting with the one that ends at element 0. That one is evaluated
   again at the end: each particle needs the corrections of the spring before and after it. */
CLOTH_INLINE void limit_ring(const line_range *range, const line_bundle *b) {
  const lanes3 start = lanes3_load(b->x, 0);
  int32_t element = b->length - 1;
  lanes3 here = lanes3_load(b->x, element * b->next);
  lanes3 before = here; /* correction of `here` by the spring that ends there */
  for (int32_t n = 0; n <= b->length; n++) {
    const int32_t other = element + 1 < b->length ? element + 1 : 0;
    const lanes3 there = other == 0 ? start : lanes3_load(b->x, other * b->next);
    const end_displacements moved =
        limit_springs(range, element, lanes_load(b->mobility + element * b->next),
                      lanes_load(b->mobility + other * b->next), lanes3_subtract(there, here));
#if WITH_BODIES
    if (range->noted && n > 0) {
      note_limits(range, b, element, other, &moved, RING_SHARE);
    }
#endif
    if (n > 0) {
      lanes3 sum = lanes3_scale(lanes3_subtract(moved.from, before), lanes_splat(RING_SHARE));
      move_block(b->x, sums_of_bundle(b), element * b->next, b->count, lanes3_quantise(sum, WORK_ROUNDER));
    }
    before = moved.to;
    here = there;
    element = other;
  }
}

#endif

/* Has a line of a bundle two pins or more? Lanes without a line may count as pinned. */
CLOTH_INLINE int has_two_pins(const line_bundle *b) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  lanes pins = zero;
  for (int32_t n = 0; n < b->length; n++) {
    pins = lanes_add(pins, lanes_drop(lanes_less(zero, lanes_load(b->mobility + n * b->next)), one));
  }
  return lanes_any(lanes_less(one, pins));
}

/* Least square of a number of springs, of which there may be less than one where rest lengths differ. */
#define LEAST_SPRINGS_SQUARED 0.0625f

/* Squared length that springs may have between the pins of each line, if those n springs apart are farther apart than n
   times the limit: the n-th part of the distance, squared. The largest over the line. */
CLOTH_SEPARATE lanes reach_of_pins(const distance_range *range, const line_bundle *b) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  const int32_t end = b->is_ring ? 2 * b->length : b->length;
  lanes high = lanes_splat(range->high), springs = zero; /* since the last pin; 0 before the first */
  lanes3 pin = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  for (int32_t n = 0; n < end; n++) {
    const int32_t i = (n < b->length ? n : n - b->length) * b->next;
    const lanes pinned =
        lanes_drop(lanes_less(zero, lanes_load(b->mobility + i)), lanes_keep(lanes_first(b->count), one));
    const lanes_mask is_pin = lanes_less(zero, pinned);
    const lanes_mask is_second = lanes_both(is_pin, lanes_less(zero, springs));
    if (lanes_any(is_pin)) {
      const lanes3 x = lanes3_keep(is_pin, lanes3_load(b->x, i));
      const lanes3 apart = lanes3_flush_below(lanes3_keep(is_second, lanes3_subtract(x, pin)), STATE_QUANTUM);
      const lanes squared_count = lanes_maximum(lanes_multiply(springs, springs), lanes_splat(LEAST_SPRINGS_SQUARED));
      high = lanes_maximum(high, lanes_divide(lanes3_dot(apart, apart), squared_count));
      pin = lanes3_select(is_pin, x, pin);
      springs = lanes_drop(is_pin, springs);
    }
    lanes follows = lanes_select(lanes_less(zero, springs), one, pinned);
#if WITH_REST_SHAPE
    if (range->gapped && has_rest_shape(range->gapped)) { /* as many as rest lengths */
      follows = lanes_multiply(follows, line_rest(range->gapped, b, n < b->length ? n : n - b->length));
    }
#endif
    springs = lanes_add(springs, follows);
#if WITH_GAPS
    if (range->gapped) { /* nothing joins what lies beyond a gap */
      springs = lanes_keep(line_springs(range->gapped, b, n < b->length ? n : n - b->length), springs);
    }
#endif
  }
  return high;
}

/* Limits all springs of a bundle: first those that begin at even elements (the red ones), then the others. */
CLOTH_HOT CLOTH_SEPARATE void limit_lines(const distance_range *limit, const line_bundle *bundle) {
  const line_bundle b = *bundle;
  const lanes high = (b.flags & LINES_TWICE) && has_two_pins(&b) ? reach_of_pins(limit, &b) : lanes_splat(limit->high);
  const line_range range = {limit->low, high, limit->noted, limit->gapped, bundle};
#if WITH_WRAP
  if (b.is_ring) {
    limit_ring(&range, &b);
    return;
  }
#endif
  for (int32_t first = 0; first < 2; first++) {
    for (int32_t element = first; element + 1 < b.length; element += 2) {
      limit_link(&range, &b, element);
    }
  }
}

static distance_range strain_range(const cloth *c, int32_t direction) {
  const float rest = direction_rest(c, direction);
  const float low = rest * (1.0f - c->settings.strain_limit.max_compression);
  const float high = rest * (1.0f + c->settings.strain_limit.max_extension);
  distance_range range = {low * low, high * high, notes_pins(c) ? c : NULL, gapped_cloth(c)};
  return range;
}

static void limit_rows(const cloth *c, const step_plan *plan, stage_piece *p) {
  const distance_range warp = strain_range(c, WARP);
  for (int32_t row = p->first; row < p->end; row += CLOTH_LANES) {
    line_bundle b = bundle_of_rows(c, p, predicted_of(c), row);
    sum_rows(c, plan, &b);
    limit_lines(&warp, &b);
    return_rows(c, &b);
  }
}

static void limit_columns(const cloth *c, const step_plan *plan, stage_piece *p) {
  const distance_range weft = strain_range(c, WEFT);
  for (int32_t column = p->first; column < p->end; column += CLOTH_LANES) {
    line_bundle b = bundle_of_columns(c, p, predicted_of(c), column);
    b.sums = sums_from_predicted(c, plan);
    limit_lines(&weft, &b);
  }
}

/* One sweep of strain limiting: brings the stretch springs back to strains between -max_compression and
   max_extension. */
static void limit_strain(const cloth *c, const step_plan *plan) {
  run_pieces(c, plan, limit_rows, NULL, c->grid.rows, LINE_BLOCK);
  run_pieces(c, plan, limit_columns, NULL, c->grid.columns, LINE_BLOCK);
}

#endif

/* Cost per particle of a sweep of strain limiting: two springs, and a line, as rows and columns together are no more
   than the particles. */
static uint32_t strain_limit_cost(const cloth *c) {
  return 2 * COST_LIMIT + COST_LIMIT_LINE + (is_wrapped(c) ? COST_LIMIT_RING : 0u);
}
