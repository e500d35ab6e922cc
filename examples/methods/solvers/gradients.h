#pragma once
#include "../contact/held.h"

/// Preconditioned conjugate gradients ///

/*
 * The linear equation A y = b of a Newton iteration: A = M + tangents, b = FIELD_RESIDUAL, y = FIELD_SOLUTION, by the
 * modified conjugate gradients of Baraff and Witkin (1998) with the block preconditioner of thesis eq. 5.4: the blocks
 * of pinned particles are 0, so that no direction moves them.
 */

/* Smallest curvature that counts. */
#define LEAST_PRODUCT 1.0e-30f

/* FIELD_LEFT_OVER = b - A y, with y as it stands. */
static void find_left_over(const method_work *w) {
  apply_tangents(w, field(w, FIELD_SOLUTION), field(w, FIELD_PRODUCT));
  add_scaled(w, FIELD_RESIDUAL, FIELD_PRODUCT, -1.0f, FIELD_LEFT_OVER);
}

static void precondition_rows(const method_work *w, const void *what, const row_range *range) {
  (void)what;
  EACH_BLOCK_OF_ROWS(i, left, w, range, {
    const lanes3 r = along_supports(w, i, without_held_parts(w, i, lanes3_load(field(w, FIELD_LEFT_OVER), i)));
    const lanes3 z = lanes3_quantise(along_supports(w, i, symmetric_apply(block_at(w, i), r)), WORK_ROUNDER);
    lanes3_store(field(w, FIELD_PRODUCT), i, z, left);
    lanes_store_first(terms_of(w) + i, lanes3_dot(r, z), left);
  });
}

/* FIELD_PRODUCT = z = P^-1 r. Leaves the terms of r . z. */
static void precondition_left_over(const method_work *w) {
  run_rows(w, precondition_rows, NULL);
}

/* r.z of a particle at which rounding to WORK_QUANTUM dominates: about (1e-8 m/s)^2. Below it a residual is rounding
   error, and gives a meaningless direction. */
#define SOLVED_PER_PARTICLE 1.0e-16f

/* The r.z at which the solve of some particles ends, with `product` at its start: that of the tolerance, or where
   rounding begins. Beyond that directions are no longer conjugate, and r.z grows again: a
   solve that goes on throws particles of a sheet at rest off. */
static float goal_of(const method_work *w, float product, int32_t particles) {
  return maximum(product * w->method->tolerance * w->method->tolerance, SOLVED_PER_PARTICLE * (float)particles);
}

/* A solve of a sheet in flight starts with the velocities s, which it has without implicit forces, if that leaves less
   than this share of the r.z of the velocities before. Where forces act on the whole sheet, as in contact by
   projection, which the equation does not see, s leaves as much, and the solve takes more iterations from there. */
#define FLIGHT_SHARE 0.9f

/* 1 if nothing of the sheet is held, by pins or by contact in the solver. Held sheets start with the velocities before,
   as in the documents, and STATIC has no motion. */
static int is_in_flight(const method_work *w) {
  int flies = w->method->scheme != CLOTH_SCHEME_STATIC && w->held == 0;
  for (int32_t i = 0; i < w->c->count && flies; i++) {
    flies = w->mobility[i] > 0.0f;
  }
  return flies;
}

/* FIELD_DIRECTION = from the velocities that the solution leads to, v' + y, to s */
static void point_to_flight(const method_work *w) {
  for (int32_t i = 0; i < w->c->count; i += CLOTH_LANES) {
    const lanes3 rate = lanes3_load(field(w, FIELD_RATE), i), y = lanes3_load(field(w, FIELD_SOLUTION), i);
    const lanes3 way = lanes3_subtract(lanes3_load(field(w, FIELD_TARGET), i), lanes3_add(rate, y));
    lanes3_store(field(w, FIELD_DIRECTION), i, lanes3_quantise(way, WORK_ROUNDER), w->c->count - i);
  }
}

/* Leaves the terms that r.z would have with a start in flight. */
static void look_at_flight(const method_work *w) {
  point_to_flight(w);
  apply_tangents(w, field(w, FIELD_DIRECTION), field(w, FIELD_PRODUCT));
  add_scaled(w, FIELD_LEFT_OVER, FIELD_PRODUCT, -1.0f, FIELD_LEFT_OVER);
  precondition_left_over(w);
}

/* Starts in flight if that leaves less than `product`. Returns the r.z at the start. */
static float choose_start(const method_work *w, float product) {
  if (!is_in_flight(w)) { return product; }
  look_at_flight(w);
  if (sum_of_terms(w) < FLIGHT_SHARE * product) {
    add_scaled(w, FIELD_SOLUTION, FIELD_DIRECTION, 1.0f, FIELD_SOLUTION);
  }
  find_left_over(w);
  precondition_left_over(w);
  return sum_of_terms(w);
}

/* Solves to the tolerance of a start with FIELD_SOLUTION, from there or from flight. */
static void solve_by_gradients(method_work *w) {
  find_left_over(w);
  precondition_left_over(w);
  float product = sum_of_terms(w);
  const float goal = goal_of(w, product, w->c->count);
  product = choose_start(w, product);
  copy_field(w, field(w, FIELD_PRODUCT), field(w, FIELD_DIRECTION));
  int32_t iterations = 0;
  while (product > goal && iterations < w->method->iterations) {
    apply_tangents(w, field(w, FIELD_DIRECTION), field(w, FIELD_PRODUCT));
    const float curvature = sum_of_terms(w);
    if (!(curvature > LEAST_PRODUCT)) { break; }
    const float step = product / curvature;
    add_scaled(w, FIELD_SOLUTION, FIELD_DIRECTION, step, FIELD_SOLUTION);
    add_scaled(w, FIELD_LEFT_OVER, FIELD_PRODUCT, negate(step), FIELD_LEFT_OVER);
    precondition_left_over(w);
    const float next = sum_of_terms(w);
    add_scaled(w, FIELD_PRODUCT, FIELD_DIRECTION, flush_small(next / product, WORK_QUANTUM), FIELD_DIRECTION);
    product = next;
    iterations++;
  }
  w->report->iterations += iterations;
  w->report->capped += product > goal;
  w->report->row_vectors += iterations * w->c->count;
}
