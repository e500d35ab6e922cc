#pragma once
#include "components.h"

/// Newton's method ///

/*
 * One iteration from the positions at the start of the substep is the linear form of Baraff and Witkin. More iterations
 * solve the equation itself: each shortens its step until the slope along it has fallen enough. Only slopes are
 * compared: in floats the energy stalls before the residual does, and residuals may rise on the way.
 */

/* Relative residual below which there is nothing left to do. */
#define NEWTON_TOLERANCE 1.0e-7f
/* A step is long enough if the slope at its end is at most this share of that at its start, backwards. */
#define SLOPE_SHARE 0.5f
/* Least factor of a shortened step. */
#define LEAST_CUT 0.1f

static void solve_linear(method_work *w) {
  build_blocks(w);
  if (w->method->solver == CLOTH_SOLVER_COMPONENTS) {
    solve_by_components(w);
  } else {
    solve_by_gradients(w);
  }
}

/* v' += t times the solution */
static void step_along_solution(const method_work *w, float t) {
  add_scaled(w, FIELD_RATE, FIELD_SOLUTION, t, FIELD_RATE);
  find_places(w);
}

/* A place along the solution, in parts of it, and the slope there: positive where the end lies farther. */
typedef struct search_point {
  float t, slope;
} search_point;

/* Moves the end of a step along the solution from `from` to t. Leaves the residual there. */
static search_point search_at(method_work *w, float from, float t) {
  step_along_solution(w, t - from);
  find_residual(w, 0);
  const search_point at = {t, field_product(w, FIELD_SOLUTION, FIELD_RESIDUAL)};
  return at;
}

/* 1 if a step along the solution may end there. A shortened step of a static drape must not stop far before the end,
   either: its steps of time are long, and what holds it back is little. */
static int is_long_enough(const method_work *w, search_point at, float start) {
  const float enough = SLOPE_SHARE * start;
  const int is_near = w->method->scheme == CLOTH_SCHEME_STATIC && at.t < 1.0f && at.slope > enough;
  return at.slope >= negate(enough) && !is_near;
}

/* Steps along the solution. Where the whole step goes too far, looks for the end by the regula falsi between the last
   point that is too near and the last that is too far. Leaves the residual of the new iterate. */
static void search_along_solution(method_work *w) {
  const float start = field_product(w, FIELD_SOLUTION, FIELD_RESIDUAL);
  search_point near = {0.0f, start}, far = near, at = search_at(w, 0.0f, 1.0f);
  for (int32_t cut = 0; cut < CLOTH_METHOD_CUTS && start > 0.0f && !is_long_enough(w, at, start); cut++) {
    *(at.slope < 0.0f ? &far : &near) = at;
    const float share = maximum(LEAST_CUT, near.slope / (near.slope - far.slope));
    at = search_at(w, at.t, near.t + share * (far.t - near.t));
    w->report->cuts++;
  }
}

/* The first solve starts with the velocity at the start of the substep, if not in flight. */
static void start_with_velocity(const method_work *w) {
  for (int32_t i = 0; i < w->c->count; i += CLOTH_LANES) {
    const lanes3 change = lanes3_subtract(lanes3_load(w->v, i), lanes3_load(field(w, FIELD_RATE), i));
    lanes3_store(field(w, FIELD_SOLUTION), i, lanes3_quantise(change, WORK_ROUNDER), w->c->count - i);
  }
}

static void solve_by_newton(method_work *w) {
  start_at_rest(w);
  find_residual(w, 1);
  const float first = field_product(w, FIELD_RESIDUAL, FIELD_RESIDUAL);
  float left = first;
  for (int32_t n = 0; n < w->method->newton; n++) {
    w->report->newton++;
    if (n == 0) {
      start_with_velocity(w);
      prescribe_solution(w);
    } else {
      fill_vectors(w->c, field(w, FIELD_SOLUTION), 0.0f);
    }
    solve_linear(w);
    if (w->method->newton == 1) {
      step_along_solution(w, 1.0f);
      return;
    }
    search_along_solution(w);
    left = field_product(w, FIELD_RESIDUAL, FIELD_RESIDUAL);
    if (!(left > first * NEWTON_TOLERANCE * NEWTON_TOLERANCE) || n + 1 == w->method->newton) { break; }
    find_residual(w, 1); /* with tangents */
  }
  w->report->residual = first > 0.0f ? square_root(left) / square_root(first) : 0.0f;
}
