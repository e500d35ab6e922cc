#pragma once
#include "access.h"
#include "compiler.h"
#include "lanes.h"
#include "scalar.h"
#include "springs.h"
#include "stiffness.h"
#include "types.h"

/// Bend springs ///

/* A bend spring along d: its velocity change is `pull` d (negative pushes apart), its damping's `damping` (d.v) d, and
   its matrix block `slope` d d^T, damping included. All are 0 for l >= L. */
typedef struct bend_result {
  lanes pull;
  lanes damping;
  lanes slope;
} bend_result;

/* `scale` is the spring's stiffness factor. The part of the Jacobian across d is dropped: it is negative. */
CLOTH_INLINE bend_result bend_force(const bend_family *b, spring_length l, lanes scale) {
  lanes zero = lanes_splat(0.0f);
  lanes rest = lanes_splat(b->rest);
  lanes length = l.length, inverse = l.inverse;
  lanes_mask bent = lanes_less(length, rest);
  lanes s = lanes_multiply(length, lanes_splat(b->inverse_rest));
  lanes elongation = lanes_subtract(length, rest);
  lanes on_curve = lanes_multiply(lanes_splat(b->curve), bend_curve(s));
  on_curve = lanes_maximum(on_curve, lanes_splat(0.0f - b->most));
  lanes on_line = lanes_multiply(lanes_splat(b->linear), elongation);
  lanes_mask linear = lanes_less(on_curve, on_line);
  lanes curve_slope = lanes_multiply(lanes_splat(b->curve_slope), bend_curve_slope(s));
  lanes slope = lanes_select(linear, lanes_splat(b->linear_slope), curve_slope);
  lanes pull = lanes_select(linear, on_line, on_curve);
  lanes folding = lanes_multiply(lanes_splat(b->fold), elongation);
  lanes_mask folds = lanes_less(folding, pull);
  slope = lanes_minimum(lanes_select(folds, lanes_splat(b->fold_slope), slope), lanes_splat(KAPPA_LIMIT));
  pull = lanes_select(folds, folding, pull);
  /* By which all is multiplied: of a slack spring nothing is left. */
  lanes share = lanes_select(bent, lanes_multiply(scale, inverse), zero);
  lanes over_square = lanes_multiply(share, inverse);
  bend_result result;
  result.pull = lanes_quantise(lanes_multiply(pull, share), WORK_ROUNDER);
  result.damping = lanes_quantise(lanes_multiply(lanes_splat(b->damping), over_square), WORK_ROUNDER);
  slope = lanes_add(slope, lanes_splat(b->damping));
  result.slope = lanes_quantise(lanes_multiply(slope, over_square), WORK_ROUNDER);
  return result;
}

/* Along a bend spring from its start to its end. Rounded, so that it can be multiplied by itself and a slope. */
CLOTH_INLINE lanes3 bend_span(const cell_corners *x, int32_t direction) {
  return lanes3_quantise(corner_difference(x, direction), WORK_ROUNDER);
}

CLOTH_INLINE float *bend_slopes_of(const cloth *c, int32_t direction) {
  return floats_at(c, c->scratch.bend_slopes) + direction * c->count;
}

/* Velocity changes at the starts of bend springs. Stores the slopes if they are implicit; those add slope (d.v) d. */
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

/* What a row of bend springs leaves for the row after the next takes turns with what the row between leaves. */
static vector_array bend_buffer(const cloth *c, int32_t row) {
  return row_buffer(c, 1 + (row & 1));
}
