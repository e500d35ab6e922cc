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
static void find_left_over(method_work *w) {
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

/* The r.z at which the solve of some particles ends, with `product` at its start: that of the tolerance, or where
   rounding begins, as in the library's own. Beyond that directions are no longer conjugate, and r.z grows again: a
   solve that goes on throws particles of a sheet at rest off. */
static float goal_of(const method_work *w, float product, int32_t particles) {
  return maximum(product * w->method->tolerance * w->method->tolerance, SOLVED_PER_PARTICLE * (float)particles);
}

/* Solves to the tolerance, from FIELD_SOLUTION on. */
static void solve_by_gradients(method_work *w) {
  find_left_over(w);
  precondition_left_over(w);
  float product = sum_of_terms(w);
  const float goal = goal_of(w, product, w->c->count);
  copy_field(w, field(w, FIELD_PRODUCT), field(w, FIELD_DIRECTION));
  int32_t iterations = 0;
  while (product > goal && iterations < w->method->iterations) {
    apply_tangents(w, field(w, FIELD_DIRECTION), field(w, FIELD_PRODUCT));
    const float curvature = sum_of_terms(w);
    if (!(curvature > LEAST_PRODUCT)) {
      break;
    }
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
