#pragma once
#include "access.h"
#include "compiler.h"
#include "conjugate_gradient.h"
#include "lanes.h"
#include "layout.h"
#include "multilevel.h"
#include "preconditioner.h"
#include "scalar.h"
#include "statistics.h"
#include "types.h"

/// Implicit solve ///

/*
 * Velocity changes of a substep by backward Euler, one linear solve (thesis chapters 3 and 5): chooses and builds the
 * preconditioner, imposes prescribed changes z of contacts, solves, and adds the solution to the velocities.
 *
 * In: the plan, scratch.residual (b) and the operator from evaluate_forces(); with contacts of the solver,
 * scratch.direction (z) and scratch.contact_normal from find_solver_contacts(). Out: state.velocity, state.warm_start,
 * statistics; scratch.residual, from which resolve_contacts() reads the constraint forces. Scratch: solution,
 * direction, product, inverse, row_buffers, with the multilevel preconditioner share, nodes and coarse_lines.
 */

/* Builds the preconditioner from the operator. Few particles are constrained; before the inversion their blocks C
   become S C S + c (I - S), after it they are projected by S. */
CLOTH_SEPARATE void build_preconditioner(const cloth *c, const step_plan *plan, int multilevel) {
  set_diagonal_blocks(c, plan);
#if WITH_WRAP
  if (is_wrapped(c)) {
    add_seam_blocks(c, plan);
  }
#endif
#if WITH_MULTILEVEL
  if (multilevel) {
    set_shares(c);
    build_nodes(c);
  }
#endif
  (void)multilevel;
  for_each_constrained(c, constrain_block);
  invert_blocks(c);
  for_each_constrained(c, project_block);
  clear_sticking_blocks(c);
}

static void record_solve(const cloth *c, int32_t substep, solve_result result) {
  cloth_statistics *s = statistics_of(c);
  ((uint16_t *)at(c, c->own.iterations))[substep] = (uint16_t)result.iterations;
  s->iterations += result.iterations;
  s->iterations_most = result.iterations > s->iterations_most ? result.iterations : s->iterations_most;
  s->substeps_capped += result.capped;
  s->residual = maximum(s->residual, result.residual);
}

/* Keeps the solution as the next start, or 0 if the solve was cut short: each substep would add again what the last one
   left unsolved, until the cloth oscillates out of control. */
static void store_warm_start(const cloth *c, int capped) {
  vector_array x = vectors_at(c, c->scratch.solution);
  for (int32_t i = 0; c->state.warm_start && i < c->count; i++) {
    cloth_vector change = vector_load(x, i);
    int is_kept = !capped && vector_is_finite(change);
    vector_store(vectors_at(c, c->state.warm_start), i, is_kept ? change : vector(0.0f, 0.0f, 0.0f));
  }
}

static void add_solution(const cloth *c) {
  vector_array v = vectors_at(c, c->state.velocity);
  const int32_t count = c->count;
  for (int32_t i = 0; i < count; i += CLOTH_LANES) {
    lanes3 change = lanes3_load(vectors_at(c, c->scratch.solution), i);
    lanes3_store(v, i, lanes3_add(lanes3_load(v, i), change), count - i);
  }
}

#if WITH_MULTILEVEL

/* Largest kappa of the families that are solved for: about the square of the distance, in cells, over which a force
   acts within a substep. */
static float implicit_kappa(const step_plan *plan) {
  float kappa = plan->bend_mode == CLOTH_MODE_IMPLICIT ? plan->bend_kappa : 0.0f;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    kappa = maximum(kappa, plan->spring[d].mode >= CLOTH_MODE_IMPLICIT ? plan->spring[d].kappa : 0.0f);
  }
  return kappa;
}

/* Coarser grids add half an iteration's cost to each iteration, and two iterations' for building them. They pay where
   forces act as far as half the distance of the first grid's nodes (kappa 4: two cells), where the cap leaves
   iterations enough, and where at most half of the particles have contacts. Below these values the block preconditioner
   gets further in the same time. */
#define MULTILEVEL_KAPPA 4.0f
#define MULTILEVEL_ITERATIONS 6

static int multilevel_pays(const cloth *c, const step_plan *plan, int32_t contacts) {
  int32_t side = c->grid.columns > c->grid.rows ? c->grid.columns : c->grid.rows;
  return side > COARSENING && c->settings.solver.max_iterations >= MULTILEVEL_ITERATIONS && 2 * contacts <= c->count &&
         implicit_kappa(plan) >= MULTILEVEL_KAPPA;
}

#endif

static int uses_multilevel(const cloth *c, const step_plan *plan, int32_t contacts) {
#if WITH_MULTILEVEL
  if (c->settings.solver.preconditioner == CLOTH_PRECONDITIONER_AUTOMATIC) {
    return multilevel_pays(c, plan, contacts);
  }
#endif
  (void)plan;
  (void)contacts;
  return WITH_MULTILEVEL && c->settings.solver.preconditioner == CLOTH_PRECONDITIONER_MULTILEVEL;
}

/* Solves for the velocity changes of a substep and adds them to the velocities. With contacts the first product takes A
   z from the residual and makes z the start of the solution. */
CLOTH_SEPARATE void add_implicit_change(const cloth *c, const step_plan *plan, int32_t substep, int32_t contacts) {
  fill_vectors(c, vectors_at(c, c->scratch.solution), 0.0f);
  int multilevel = uses_multilevel(c, plan, contacts);
  build_preconditioner(c, plan, multilevel);
  if (contacts) {
    apply_operator(c, plan);
    advance_and_precondition(c, 1.0f);
  }
  end_stage(c, CLOTH_STAGE_PRECONDITIONER, substep, c->scratch.inverse);
  solve_result result = solve(c, plan, multilevel);
  record_solve(c, substep, result);
  end_stage(c, CLOTH_STAGE_SOLVE, substep, c->scratch.solution);
  add_solution(c);
  store_warm_start(c, result.capped);
}
