#pragma once
#include "../access.h"
#include "../bodies/coupling.h"
#include "../bodies/unknown.h"
#include "../compiler.h"
#include "../contact/law.h"
#include "../contact/press.h"
#include "../scalar.h"
#include "../step/momentum.h"
#include "../terms/confined.h"
#include "../types.h"
#include "energy.h"
#include "labels.h"
#include "passes.h"
#include "product.h"

/// The solve ///

/*
 * A y = b by preconditioned conjugate gradients from zero, with a bounded number of iterations (Boxerman 2003 section
 * 4.4.4; Shewchuk 1994):
 *
 *   r = b
 *   z = P r, beta = r . z over that of the iteration before, p = z + beta p
 *   q = A p, alpha = r . z / p . q
 *   y += alpha p, r -= alpha q
 *
 * The last alpha p goes into the new places at once, accept() takes y + alpha p, and q is not formed, see energy.h.
 * With a tolerance the iterations end when sqrt(r . z) has fallen to that share of the first, or when only roundings
 * are left, which would feed each other. Without, after t->iterations of them, the solve goes on up to
 * t->most_iterations while the last one has still changed the potential, by alpha r . z / 2, by more than
 * UNFINISHED_SHARE of the kinetic energy of the prediction and of a substep's free fall: what is left over otherwise
 * holds the cloth up in the air. Cloth at rest changes nothing.
 *
 * In: residual = b, springs, their sums, diagonal. Out: solution, direction, w->last_step. Scratch: product, inverse,
 * levels.
 */

/* Least value that a sum is divided by: smaller ones are those of a residual of rounding. 2^-100. */
#define LEAST_SUM 7.888609052210118e-31f

/* Share of the first residual, as sqrt(r . z), that floats resolve: further iterations would only follow roundings. */
#define LEAST_TOLERANCE 1.0e-5f

/* r . z of a solve that comes nearer rises by less than 10 times above its least (S1, all fabrics). Where only
   roundings are left it rises without end; by so many times it has done so. */
#define LOST_RISE 1.0e3f

/* Share of the kinetic energy of the prediction and of a free fall. */
#define UNFINISHED_SHARE 5.0e-4f

/* a / b, or 0 where that says nothing. */
static float step_ratio(float a, float b) {
  return a > LEAST_SUM && b > LEAST_SUM ? a / b : 0.0f;
}

/* By how much the last iteration of a finished solve may change the potential: the mean mass ratio is 1. */
CLOTH_ONCE float finished_change(const cloth *c, const substep_terms *t) {
  const cloth_vector fall = vector_flush_work(vector_scale(inputs_of(c)->gravity, t->h * t->h));
  const float fall_energy = 0.5f * t->share * (float)c->count * vector_dot(fall, fall);
  return UNFINISHED_SHARE * (workspace_of(c)->kinetic + fall_energy);
}

/* The product with the direction, of confined particles what they may do; not if it is the last one. Returns p . q. */
static float multiply_direction(const cloth *c, const substep_terms *t, int32_t is_last) {
  if (is_last) {
    return square_direction(c, t) + multiply_bodies(c, t, 1);
  }
  const float sum = multiply(c, t) + multiply_bodies(c, t, 0);
  confine_own(c, floats_at(c, c->scratch.product));
  return sum;
}

/* Iterations that a deadline leaves of a solve. */
#define CUT_ITERATIONS 3

/* The new direction's share of the last one where the operator has changed since: it is made conjugate to that one,
   beta = - z . q / p . q; for cloth in pieces from r . z as ever. */
static float turned_share(const cloth *c, float most, float beta) {
#if WITH_COLLIDERS
  if (!is_in_pieces(c)) {
    const float with_old = conjugate(c);
    return most > LEAST_SUM ? negate(with_old / most) : 0.0f;
  }
#endif
  (void)c;
  (void)most;
  return beta;
}

/* Lets contacts go before the second iteration, where particles are fast, and before the last one everywhere, see
   contact/press.h. Returns what has changed. */
CLOTH_ONCE solve_change release(const cloth *c, const substep_terms *t, int32_t iteration, int32_t has_solution) {
  const solve_change none = {0.0f, 0.0f, 0};
#if WITH_COLLIDERS
  const int32_t is_last = iteration == t->iterations - 1;
  if (workspace_of(c)->touches > 0 && (iteration == 1 || is_last)) {
    return release_contacts(c, workspace_of(c)->last_step, has_solution, is_last);
  }
#endif
  (void)c;
  (void)t;
  (void)iteration;
  (void)has_solution;
  return none;
}

/* Solves A y = b. Returns the iterations done, and tells whether the solution holds more than the last step:
   afterwards it is y + w->last_step p, or that last part alone. */
CLOTH_ONCE int32_t solve(const cloth *c, const substep_terms *t, int32_t *has_solution) {
  workspace *w = workspace_of(c);
  const float tolerance = maximum(c->settings.solver.tolerance, LEAST_TOLERANCE);
  const int32_t fixed_work = c->settings.capacity.fixed_work;
  free_pieces pieces = free_pieces_of(c);
  take_common_motions(c, &pieces);
  start_coupling(c, t);
  confine_own(c, floats_at(c, c->scratch.residual));
  const float residual = precondition_first(c, t);
  *has_solution = pieces.count > 0;
  start_at_common_motions(c, &pieces);
  const float finished = finished_change(c, t);
  const int32_t meets = w->touches > 0 || body_count_of(c) > 0;
  const int32_t end = meets ? t->iterations : t->most_iterations; /* friction is bounded before the last one */
  int32_t is_done = 0; /* with fixed work further iterations then change nothing */
  const float solved = tolerance * tolerance * residual;
  float along = residual, beta = 0.0f; /* r . z, and over that of the iteration before */
  float least = residual;              /* the least r . z so far */
  const solve_change nothing_changed = {0.0f, 0.0f, 0};
  for (int32_t iteration = 1;; iteration++) {
    const int32_t was_done = is_done;
    least = minimum(least, along);
    is_done |= !(along > solved) || along > LOST_RISE * least;
    const int32_t is_last =
        iteration == end || (is_done && !fixed_work) || (iteration >= CUT_ITERATIONS && !may_refine(c));
    turn_direction(c, beta, iteration > 1);
    confine_direction(c);
    const float most = multiply_direction(c, t, is_last || is_done);
    w->last_step = was_done ? 0.0f : step_ratio(along, most);
    advance_bodies(c, w->last_step);
    w->unsolved = was_done ? w->unsolved : 0.5f * w->last_step * along;
    is_done |= iteration >= t->iterations && !(w->unsolved > finished);
    if (is_last || (is_done && !fixed_work)) {
      return iteration;
    }
    const float before = along;
    const solve_change change = is_done ? nothing_changed : release(c, t, iteration, *has_solution);
    along = advance(c, w->last_step, !*has_solution, change.changed && !is_in_pieces(c));
    *has_solution = 1;
    beta = step_ratio(along, before);
    if (change.changed) {
      beta = turned_share(c, most + change.most, beta);
      along += beta * change.along;
    }
  }
}
