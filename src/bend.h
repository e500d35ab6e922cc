#pragma once
#include "access.h"
#include "compiler.h"
#include "lanes.h"
#include "scalar.h"
#include "springs.h"
#include "stiffness.h"
#include "types.h"

/// Bend springs ///

/*
 * Bend springs by forces: springs two cells long that push their ends apart when bent, with Choi and Ko's buckling
 * curve (Choi and Ko 2002), a linear part near the rest length and the fold stiffness as minimum. Their matrix block is
 * slope d d^T, d being the vector along the spring.
 *
 * In: plan->bend, plan->bend_mode, the stiffness map; positions and velocities come from the caller. Out: velocity
 * changes (returned). Scratch: bend_slopes, count floats per direction, holds the slopes of implicit bend springs;
 * row_buffers 1 and 2 carry forces from a row to the row after the next.
 */

/* A bend spring along d: its velocity change is `pull` d (negative pushes apart), that of its damping `damping` (d.v)
   d, and its matrix block `slope` d d^T, damping included. All are 0 for l >= L. */
typedef struct bend_result {
  lanes pull;
  lanes damping;
  lanes slope;
} bend_result;

/* `scale`: the springs' stiffness factors, 0 for lanes without a spring. The part of the Jacobian across d is dropped:
   it is negative and would make the matrix indefinite. */
CLOTH_INLINE bend_result bend_force(const bend_family *b, spring_length l, lanes scale) {
  lanes zero = lanes_splat(0.0f);
  lanes rest = lanes_splat(b->rest);
  lanes length = l.length, inverse = l.inverse;
  lanes_mask bent = lanes_less(length, rest);
  lanes s = lanes_multiply(length, lanes_splat(b->inverse_rest));
  lanes elongation = lanes_subtract(length, rest);
  lanes curve_pull = lanes_multiply(lanes_splat(b->curve), bend_curve(s));
  curve_pull = lanes_maximum(curve_pull, lanes_splat(negate(b->max_push)));
  lanes line_pull = lanes_multiply(lanes_splat(b->linear), elongation);
  lanes_mask linear = lanes_less(curve_pull, line_pull);
  lanes curve_slope = lanes_multiply(lanes_splat(b->curve_slope), bend_curve_slope(s));
  lanes slope = lanes_select(linear, lanes_splat(b->linear_slope), curve_slope);
  lanes pull = lanes_select(linear, line_pull, curve_pull);
  lanes fold_pull = lanes_multiply(lanes_splat(b->fold), elongation);
  lanes_mask folds = lanes_less(fold_pull, pull);
  slope = lanes_minimum(lanes_select(folds, lanes_splat(b->fold_slope), slope), lanes_splat(KAPPA_LIMIT));
  pull = lanes_select(folds, fold_pull, pull);
  /* Factor of all results, 0 for a spring that is not bent. One `inverse` turns a force into a multiple of d, the
     second the product d d^T into u u^T. */
  lanes share = lanes_select(bent, lanes_multiply(scale, inverse), zero);
  lanes over_square = lanes_multiply(share, inverse);
  bend_result result;
  result.pull = lanes_quantise(lanes_multiply(pull, share), WORK_ROUNDER);
  result.damping = lanes_quantise(lanes_multiply(lanes_splat(b->damping), over_square), WORK_ROUNDER);
  slope = lanes_add(slope, lanes_splat(b->damping));
  result.slope = lanes_quantise(lanes_multiply(slope, over_square), WORK_ROUNDER);
  return result;
}

/* Vector along a bend spring, from start to end [m]. Rounded to multiples of 2^-40: its products with slopes, rounded
   alike, and with itself are multiples of 2^-80 and not subnormal. */
CLOTH_INLINE lanes3 bend_span(const cell_corners *x, int32_t direction) {
  return lanes3_quantise(corner_difference(x, direction), WORK_ROUNDER);
}

/* Slopes of the implicit bend springs of a direction, one per cell. */
CLOTH_INLINE float *bend_slopes_of(const cloth *c, int32_t direction) {
  return floats_at(c, c->scratch.bend_slopes) + direction * c->count;
}

/* Returns the velocity changes at the starts of bend springs; `s->x` is a bend_span(). Implicit ones store their
   slopes, and add slope (d.v) d where explicit ones add damping (d.v) d. */
CLOTH_INLINE lanes3 bend_pull(const spring_context *s) {
  bend_result r = bend_force(&s->plan->bend[s->direction], s->length, spring_scale(s->c, s->ends, s->count));
  lanes slope = r.damping;
  if (WITH_SOLVER && s->plan->bend_mode == CLOTH_MODE_IMPLICIT) {
    slope = r.slope;
    lanes_store_first(s->stored, slope, s->left);
  }
  lanes along = lanes_quantise(lanes3_dot(s->x, s->v), WORK_ROUNDER);
  return lanes3_scale(s->x, lanes_quantise(lanes_add(r.pull, lanes_multiply(slope, along)), WORK_ROUNDER));
}

/* Row buffer that a row of bend springs reads and then fills for the row after the next. Even and odd rows have one
   each. */
static vector_array bend_buffer(const cloth *c, int32_t row) {
  return row_buffer(c, 1 + (row & 1));
}
