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
 * Solves A y = b for the velocity changes y of a substep and adds them to the velocities: semi-implicit backward Euler
 * with a single Newton step. Contacts of the solver prescribe changes z, which the solve starts from.
 * In: scratch.residual (b), operator_blocks, bend_slopes and seam (A), mobility, the constraints of particles; with
 * contacts scratch.direction (z) and contact_normal; state.warm_start (the last solution).
 * Out: state.velocity, state.warm_start, the statistics, scratch.residual (b - A y, the constraint forces).
 * Scratch: inverse, solution (y), direction, product, row_buffers; with multilevel share, nodes and coarse_lines.
 */

/* Makes the preconditioner from the operator. The diagonal blocks of constrained particles are changed before all
   blocks are inverted, and their inverses projected afterwards. The nodes of the coarser grids are summed up from the
   unconstrained blocks, so they come first. */
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

/* Adds a solve to the statistics of the step. */
static void record_solve(const cloth *c, int32_t substep, solve_result result) {
  cloth_statistics *s = statistics_of(c);
  ((uint16_t *)at(c, c->own.iterations))[substep] = (uint16_t)result.iterations;
  s->iterations += result.iterations;
  s->max_substep_iterations =
      result.iterations > s->max_substep_iterations ? result.iterations : s->max_substep_iterations;
  s->substeps_capped += result.capped;
  s->residual = maximum(s->residual, result.residual);
}

/* Stores the solution as the start of the next solve. After a solve that was cut short it stores 0, as the error of
   that solution would be added again in each substep and drive growing oscillations. For a particle whose change is not
   finite it stores 0, too. */
static void store_warm_start(const cloth *c, int capped) {
  vector_array y = vectors_at(c, c->scratch.solution);
  for (int32_t i = 0; c->state.warm_start && i < c->count; i++) {
    cloth_vector change = vector_load(y, i);
    int is_kept = !capped && vector_is_finite(change);
    vector_store(vectors_at(c, c->state.warm_start), i, is_kept ? change : vector(0.0f, 0.0f, 0.0f));
  }
}

/* velocity += solution */
static void add_solution(const cloth *c) {
  vector_array v = vectors_at(c, c->state.velocity);
  const int32_t count = c->count;
  for (int32_t i = 0; i < count; i += CLOTH_LANES) {
    lanes3 change = lanes3_load(vectors_at(c, c->scratch.solution), i);
    lanes3_store(v, i, lanes3_add(lanes3_load(v, i), change), count - i);
  }
}

#if WITH_MULTILEVEL

/* Largest kappa of the implicit springs. A pull travels about the square root of kappa cells in a substep. */
static float implicit_kappa(const step_plan *plan) {
  float kappa = plan->bend_mode == CLOTH_MODE_IMPLICIT ? plan->bend_kappa : 0.0f;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    kappa = maximum(kappa, plan->spring[d].mode >= CLOTH_MODE_IMPLICIT ? plan->spring[d].kappa : 0.0f);
  }
  return kappa;
}

/* Coarser grids make an iteration cost half as much again and take about two iterations to build. They pay where a pull
   travels at least half the distance between the nodes of the first coarse grid, COARSENING / 2 = 2 cells, so kappa is
   at least 2^2; where the cap allows enough iterations to earn back the building; and where contacts hold at most half
   of the particles, as held ones take no part. Otherwise the block preconditioner gets further in the same time. */
#define MULTILEVEL_KAPPA 4.0f
#define MULTILEVEL_ITERATIONS 6

/* Does the automatic choice take the multilevel preconditioner? */
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

/* Solves for the velocity changes of a substep and adds them to the velocities. With contacts, of which there are
   `contacts`, the solve starts from solution = z and residual = b - A z. */
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
