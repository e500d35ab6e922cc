#pragma once
#include "../equation.h"

/// Nonlinear conjugate gradients ///

/*
 * SimCloth3's solver, with the velocities alone as unknowns (positions follow from them), in the inner product of the
 * masses, and safeguarded: Polak and Ribiere's factor, at least 0; the secant along the direction, from the length of
 * the last step; at most four times that length; steepest descent where the direction does not descend. One evaluation
 * an iteration: the residual moves with the secant, and is evaluated anew in every eighth iteration.
 */

/* Share of the first slope that the change of slope has to have. */
#define LEAST_CURVATURE 1.0e-6f
/* Most times the trial step's length. */
#define LONGEST_STEP 4.0f
/* The residual is evaluated anew after so many iterations. */
#define REFRESH 8
/* Growth of the squared residual at which the solve has failed. */
#define DIVERGED 1.0e4f

/* FIELD_PRODUCT = M^-1 residual. Returns their product. */
static float weigh_residual(const method_work *w) {
  for (int32_t i = 0; i < w->c->count; i += CLOTH_LANES) {
    const lanes3 r = lanes3_load(field(w, FIELD_RESIDUAL), i);
    const lanes3 z = lanes3_quantise(along_supports(w, i, lanes3_scale(r, lanes_load(w->mobility + i))), WORK_ROUNDER);
    lanes3_store(field(w, FIELD_PRODUCT), i, z, w->c->count - i);
  }
  return field_product(w, FIELD_RESIDUAL, FIELD_PRODUCT);
}

/* v' += t times the direction */
static void step_along_direction(const method_work *w, float t) {
  add_scaled(w, FIELD_RATE, FIELD_DIRECTION, t, FIELD_RATE);
  find_places(w);
}

/* Finds how far to go from the slope `start`, evaluating once at `trial`. Leaves the residual there; FIELD_LEFT_OVER
   has that of the start. */
static float secant_step(method_work *w, float start, float *trial) {
  copy_field(w, field(w, FIELD_RESIDUAL), field(w, FIELD_LEFT_OVER));
  step_along_direction(w, *trial);
  find_residual(w, 0);
  const float end = field_product(w, FIELD_DIRECTION, FIELD_RESIDUAL);
  if (!(start - end > LEAST_CURVATURE * start)) { return 2.0f * *trial; }
  return minimum(start / (start - end), LONGEST_STEP) * *trial;
}

/* One iteration. `length` is that of the last step. */
static void nonlinear_iteration(method_work *w, int32_t n, float slope, float *length) {
  float trial = *length;
  const float step = flush_small(secant_step(w, slope, &trial), WORK_QUANTUM);
  step_along_direction(w, step - trial);
  if (n % REFRESH == REFRESH - 1) {
    find_residual(w, 0);
  } else {
    const float ratio = step / trial;
    add_scaled(w, FIELD_RESIDUAL, FIELD_LEFT_OVER, -1.0f, FIELD_RESIDUAL);
    add_scaled(w, FIELD_LEFT_OVER, FIELD_RESIDUAL, ratio, FIELD_RESIDUAL);
  }
  *length = step > STATE_QUANTUM ? step : trial;
}

/* The first trial: 1 over a bound of the largest eigenvalue of the equation, from the stability numbers. A longer one
   would leave the range in which the laws are nearly linear. */
static float first_length(const method_work *w) {
  float eigenvalue = 1.0f;
  for (int32_t n = 0; n < w->family_count; n++) {
    eigenvalue += w->family[n].is_implicit ? 4.0f * w->family[n].kappa : 0.0f;
  }
  return 1.0f / eigenvalue;
}

/* Starts at the positions at the start of the substep. Returns the product of the residual, as start_in_flight(). */
static float start_from_rest(method_work *w) {
  start_at_rest(w);
  find_residual(w, 0);
  return weigh_residual(w);
}

/* Starts where the sheet goes without implicit forces. What is left there are the forces of elements, which add up to
   0: no iterate changes the momentum of the sheet. On the way from the positions at the start of the substep a solve
   that ends at its tolerance would leave a share of the velocity of the whole sheet. Returns the product of the
   residual. */
static float start_in_flight(method_work *w) {
  copy_field(w, field(w, FIELD_TARGET), field(w, FIELD_RATE));
  find_places(w);
  find_residual(w, 0);
  return weigh_residual(w);
}

/* Iterates from where the solve has started, with the product of its residual, until that is at most `goal`, or has
   left what `limit` allows. Returns the product at the end. */
static float iterate(method_work *w, float product, float goal, float limit) {
  float length = first_length(w);
  copy_field(w, field(w, FIELD_PRODUCT), field(w, FIELD_DIRECTION));
  for (int32_t n = 0; n < w->method->iterations && product > goal && product < limit; n++) {
    float slope = field_product(w, FIELD_DIRECTION, FIELD_RESIDUAL);
    if (!(slope > 0.0f)) {
      copy_field(w, field(w, FIELD_PRODUCT), field(w, FIELD_DIRECTION));
      slope = product;
    }
    nonlinear_iteration(w, n, slope, &length);
    /* Polak and Ribiere: (z.r - z.r before) / (z before . r before). FIELD_PRODUCT still has the earlier z. */
    const float crossed = field_product(w, FIELD_PRODUCT, FIELD_RESIDUAL);
    const float next = weigh_residual(w);
    const float factor = maximum((next - crossed) / product, 0.0f);
    add_scaled(w, FIELD_PRODUCT, FIELD_DIRECTION, flush_small(factor, WORK_QUANTUM), FIELD_DIRECTION);
    product = next;
    w->report->iterations++;
  }
  return product;
}

/* The residual in flight may be thousands of times that at rest, where springs resist the motion: a solve
   fails by what it adds to the larger of both. */
static float solve_from_flight(method_work *w, float first, float goal) {
  const float product = start_in_flight(w);
  return is_finite(product) ? iterate(w, product, goal, DIVERGED * maximum(first, product))
                            : iterate(w, start_from_rest(w), goal, DIVERGED * first);
}

/* The tolerance is that of the residual at the positions at the start of the substep. STATIC, with steps of seconds,
   starts there, too, as does a solve whose residual in flight is beyond floats. A solve that has failed, with a
   residual much larger than there, leaves the sheet there. */
static void solve_by_nonlinear_gradients(method_work *w) {
  const float first = start_from_rest(w), goal = first * w->method->tolerance * w->method->tolerance;
  float product = first;
  if (first > 0.0f && is_finite(first)) {
    const int is_static = w->method->scheme == CLOTH_SCHEME_STATIC;
    product = is_static ? iterate(w, first, goal, DIVERGED * first) : solve_from_flight(w, first, goal);
  }
  const int has_failed = !is_finite(product) || product > DIVERGED * first;
  if (has_failed) {
    start_at_rest(w);
    product = first;
  }
  w->report->capped += has_failed || product > goal;
  w->report->residual = has_failed ? 1.0f : first > 0.0f ? square_root(product / first) : 0.0f;
}
