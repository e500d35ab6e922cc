#pragma once
#include "../access.h"
#include "../base/rows.h"
#include "../compiler.h"
#include "../lanes.h"
#include "../scalar.h"
#include "../step/momentum.h"
#include "../step/predict.h"
#include "../terms/confined.h"
#include "../types.h"
#include "arrays.h"
#include "passes.h"
#include "product.h"

/// The solve ///

/*
 * A y = b by preconditioned conjugate gradients from zero, with a fixed number of iterations (Boxerman 2003 section
 * 4.4.4; Shewchuk 1994):
 *
 *   r = b
 *   z = P r, beta = r . z over that of the iteration before, p = z + beta p
 *   q = A p, alpha = r . z / p . q
 *   y += alpha p, r -= alpha q
 *
 * The last product with alpha goes into the new places at once: accept() takes y + alpha p. With a tolerance the
 * iterations end when sqrt(r . z) has fallen to that share of the first.
 *
 * In: residual = b, springs, their sums, diagonal. Out: solution, direction, w->last_step. Scratch: product, inverse,
 * levels.
 */

/* The direction back along the prediction, p = x_n - x. */
CLOTH_SEPARATE void turn_back(const cloth *c, const substep_terms *t) {
  const solve_arrays arrays = arrays_of(c), *a = &arrays;
  const prediction_terms terms = prediction_of(c, t);
  for (int32_t row = 0; row < a->rows; row++) {
    float *p = near_row(a->direction, a->pitch, row);
    const float *diagonal = a->diagonal + row * a->pitch;
    for (int32_t i = 0; i < a->columns; i += CLOTH_LANES) {
      const lanes_mask moves = lanes_less(lanes_splat(0.0f), lanes_load(diagonal + i));
      const lanes3 way = predicted_way(&terms, row * a->columns + i, moves, terms.reach);
      const lanes3 none = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
      near_store(p, a->plane, i, lanes3_keep(moves, lanes3_subtract(none, way)));
    }
    if (a->is_ring) {
      close_ring(p, a->plane, a->columns);
    }
  }
}

/* Least value that a sum is divided by: smaller ones are those of a residual of rounding. 2^-100. */
#define LEAST_SUM 7.888609052210118e-31f

/* Share of the first residual, as sqrt(r . z), that floats resolve: further iterations would only follow roundings. */
#define LEAST_TOLERANCE 1.0e-5f

/* a / b, or 0 where that says nothing. */
static float step_ratio(float a, float b) {
  return a > LEAST_SUM && b > LEAST_SUM ? a / b : 0.0f;
}

/* r . p */
CLOTH_SEPARATE float residual_along(const cloth *c) {
  const solve_arrays arrays = arrays_of(c), *a = &arrays;
  row_sum sum = row_sum_start();
  lanes_sum parts;
  for (int32_t row = 0; row < a->rows; row++) {
    const float *p = near_row(a->direction, a->pitch, row), *r = a->residual + 3 * row * a->pitch;
    for (int32_t i = 0; i < a->columns; i += CLOTH_LANES) {
      row_sum_add(&sum, i, lanes3_dot(own_load(r, i), near_load(p, a->plane, i)));
    }
  }
  row_sum_store(parts.partial, &sum);
  return lanes_sum_total(&parts);
}

/* The product with the direction, of confined particles what they may do. Returns p . q. */
static float multiply_direction(const cloth *c, const substep_terms *t) {
  const float sum = multiply(c, t);
  confine_own(c, floats_at(c, c->scratch.product));
  return sum;
}

/* Sums of a block row by row with the direction back along the prediction, p_0 = x_n - x: adds `share` p_0 to the
   direction, and returns the sum of p_0 . a for an own array. */
CLOTH_SEPARATE float mix_back(const cloth *c, const substep_terms *t, const float *with, float share) {
  const solve_arrays arrays = arrays_of(c), *a = &arrays;
  const prediction_terms terms = prediction_of(c, t);
  const lanes factor = lanes_splat(share);
  const lanes3 none = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  row_sum sum = row_sum_start();
  lanes_sum parts;
  for (int32_t row = 0; row < a->rows; row++) {
    float *p = near_row(a->direction, a->pitch, row);
    const float *diagonal = a->diagonal + row * a->pitch, *other = with + 3 * row * a->pitch;
    for (int32_t i = 0; i < a->columns; i += CLOTH_LANES) {
      const lanes_mask moves = lanes_less(lanes_splat(0.0f), lanes_load(diagonal + i));
      const lanes3 way = predicted_way(&terms, row * a->columns + i, moves, terms.reach);
      const lanes3 back = lanes3_keep(moves, lanes3_subtract(none, way));
      row_sum_add(&sum, i, lanes3_dot(back, own_load(other, i)));
      const lanes3 mixed = lanes3_add_scaled(near_load(p, a->plane, i), back, factor);
      near_store(p, a->plane, i, lanes3_quantise(mixed, WORK_ROUNDER));
    }
    if (a->is_ring) {
      close_ring(p, a->plane, a->columns);
    }
  }
  row_sum_store(parts.partial, &sum);
  return lanes_sum_total(&parts);
}

/* Iterations that a deadline leaves of a solve. */
#define CUT_ITERATIONS 3

/* What a solve carries from iteration to iteration. */
typedef struct iteration_sums {
  float along;    /* r . p of the direction */
  float beta;     /* share of the last direction in the next */
  float residual; /* r . z */
} iteration_sums;

/* The first direction leads back along the prediction, p_0 = x_n - x, by an exact line search clamped to what lies
   between, so that the result is never worse, in the quadratic model, than standing still; the second, z, is made
   conjugate to it. Stiff cloth drives itself otherwise: turned springs are too long where the solve begins, and what
   few iterations leave of that energy stays. Returns the sums of the second direction, which has been made. */
static iteration_sums step_back(const cloth *c, const substep_terms *t, int32_t has_solution) {
  const float *product = floats_at(c, c->scratch.product);
  iteration_sums s = {0.0f, 0.0f, 0.0f};
  turn_back(c, t);
  const float along = residual_along(c), most = multiply_direction(c, t);
  const float step = minimum(step_ratio(along, most), 1.0f);
  s.residual = advance(c, step, !has_solution);
  turn_direction(c, 0.0f, 0);
  confine_direction(c);
  (void)multiply_direction(c, t);
  const float common = mix_back(c, t, product, 0.0f);
  const float share = most > LEAST_SUM && step > 0.0f ? negate(common / most) : 0.0f;
  (void)mix_back(c, t, product, share);
  confine_direction(c);
  s.along = residual_along(c);
  s.beta = negate(share) * (along - step * most); /* taken from r . z when the next direction is made */
  return s;
}

/* Solves A y = b. Returns the iterations done, and tells whether the solution holds more than the last step:
   afterwards it is y + w->last_step p, or that last part alone. */
static int32_t solve(const cloth *c, const substep_terms *t, int32_t *has_solution) {
  workspace *w = workspace_of(c);
  const float tolerance = maximum(c->settings.solver.tolerance, LEAST_TOLERANCE), least = tolerance * tolerance;
  const int32_t is_free = is_free_piece(c), fixed_work = c->settings.capacity.fixed_work;
  const cloth_vector common = is_free ? take_common_motion(c) : vector(0.0f, 0.0f, 0.0f);
  confine_own(c, floats_at(c, c->scratch.residual));
  const float residual = precondition_first(c, t);
  *has_solution = 0;
  if (is_free) {
    start_at(c, common);
    *has_solution = 1;
  }
  iteration_sums s = {residual, 0.0f, residual};
  if (t->goes_back) {
    s = step_back(c, t, *has_solution);
    *has_solution = 1;
  }
  const float start = s.residual;
  int32_t is_done = 0; /* with fixed work further iterations then change nothing */
  for (int32_t iteration = 1;; iteration++) {
    if (iteration > 1 || !t->goes_back) {
      turn_direction(c, s.beta, iteration > 1);
      confine_direction(c);
    }
    const float most = multiply_direction(c, t);
    w->last_step = is_done ? 0.0f : step_ratio(s.along, most);
    is_done |= !(s.residual > least * start);
    if (iteration == t->iterations || (is_done && !fixed_work) || (iteration >= CUT_ITERATIONS && !may_refine(c))) {
      return iteration;
    }
    const float before = s.along, lost = iteration == 1 && t->goes_back ? s.beta : 0.0f;
    s.residual = s.along = advance(c, w->last_step, !*has_solution);
    *has_solution = 1;
    s.beta = step_ratio(s.residual - lost, before);
  }
}
