#pragma once
#include "access.h"
#include "attached_solve.h"
#include "compiler.h"
#include "conjugate_gradient.h"
#include "lanes.h"
#include "layout.h"
#include "left_over.h"
#include "multilevel.h"
#include "pin_reactions.h"
#include "preconditioner.h"
#include "scalar.h"
#include "statistics.h"
#include "types.h"

/// Implicit solve ///

/*
 * Solves A y = b for the velocity changes y of a substep and adds them to the velocities: semi-implicit backward Euler
 * with a single Newton step. Contacts of the solver prescribe changes z, which the solve starts from.
 * In: scratch.residual (b), operator_blocks and seam (A), mobility, the constraints of particles; with
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
#if WITH_BODIES
  add_attached_blocks(c);
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

/* Sum of the vectors of all particles. */
static cloth_vector sum_of_vectors(const cloth *c, vector_array a) {
  lanes_sum x = {{0.0f}}, y = {{0.0f}}, z = {{0.0f}};
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    const lanes3 block = lanes3_load(a, i);
    const int32_t left = c->count - i;
    lanes_sum_add(&x, i, lanes_within(block.x, left));
    lanes_sum_add(&y, i, lanes_within(block.y, left));
    lanes_sum_add(&z, i, lanes_within(block.z, left));
  }
  return vector(lanes_sum_total(&x), lanes_sum_total(&y), lanes_sum_total(&z));
}

static float sum_of_mass_ratios(const cloth *c) {
  lanes_sum sum = {{0.0f}};
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    lanes_sum_add(&sum, i, lanes_within(mass_ratio_lanes(c, i), c->count - i));
  }
  return lanes_sum_total(&sum);
}

static cloth_vector vector_quantise_work(cloth_vector a) {
  return vector(quantise(a.x, WORK_ROUNDER), quantise(a.y, WORK_ROUNDER), quantise(a.z, WORK_ROUNDER));
}

/* What holds particles in the solve: how many are held, by pins, confinements and contacts, and their mean velocity
   [m/s]. */
typedef struct held_particles {
  int32_t count;
  cloth_vector velocity;
} held_particles;

static held_particles find_held(const cloth *c) {
  held_particles held = {0, {0.0f, 0.0f, 0.0f}};
  for (int32_t i = 0; i < c->count; i++) {
    if (!is_unheld(c, i)) {
      held.velocity = vector_add(held.velocity, vector_load(vectors_at(c, c->state.velocity), i));
      held.count++;
    }
  }
  if (held.count > 0) {
    held.velocity = vector_quantise_work(vector_scale(held.velocity, 1.0f / (float)held.count));
  }
  return held;
}

/* Gives a cloth that nothing holds the momentum that the solve has left over: springs act in pairs, so the sum of the
   residual is that of a uniform velocity change still to come. It makes the sum 0. */
CLOTH_SEPARATE void keep_momentum(const cloth *c) {
  const vector_array y = vectors_at(c, c->scratch.solution), r = vectors_at(c, c->scratch.residual);
  const cloth_vector mean = vector_scale(sum_of_vectors(c, r), 1.0f / sum_of_mass_ratios(c));
  const lanes3 change = lanes3_splat(vector_quantise_work(mean));
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    const int32_t left = c->count - i;
    lanes3 residual = lanes3_subtract(lanes3_load(r, i), lanes3_scale(change, mass_ratio_lanes(c, i)));
    lanes3_store(y, i, lanes3_add(lanes3_load(y, i), change), left);
    lanes3_store(r, i, lanes3_quantise(residual, WORK_ROUNDER), left);
  }
}

/* Sets the direction to the new velocities of the particles that nothing holds, relative to `base`; 0 for others. */
static void set_direction_to_motion(const cloth *c, cloth_vector base) {
  const vector_array v = vectors_at(c, c->state.velocity), y = vectors_at(c, c->scratch.solution);
  for (int32_t i = 0; i < c->count; i++) {
    cloth_vector motion = vector_subtract(vector_add(vector_load(v, i), vector_load(y, i)), base);
    motion = is_unheld(c, i) ? vector_quantise_work(motion) : vector(0.0f, 0.0f, 0.0f);
    vector_store(vectors_at(c, c->scratch.direction), i, motion);
  }
}

/*
 * Bounds the energy of a solve that was cut short. For linear springs and new velocities w = v + y, with the residual r
 * = b - A y, the substep changes the energy, over m0, by
 *
 *     -1/2 |w - v|^2 - 1/2 h^2 w.Kw - r.w.
 *
 * Only the last term can be a gain. So w is scaled by s = 1 + r.w / w.Aw, after which r.w is 0: the step along w that
 * conjugate gradient would make. Velocities count relative to those of the particles that are held, or to the mean
 * velocity of the cloth. With `acts` 0 the same work changes nothing, for fixed work.
 */
CLOTH_SEPARATE void bound_energy(const cloth *c, const step_plan *plan, const held_particles *held, int acts) {
  cloth_vector base = held->velocity;
  if (held->count == 0) {
    const vector_array v = vectors_at(c, c->state.velocity), y = vectors_at(c, c->scratch.solution);
    base = vector_add(sum_of_vectors(c, v), sum_of_vectors(c, y));
    base = vector_quantise_work(vector_scale(base, 1.0f / (float)c->count));
  }
  set_direction_to_motion(c, base);
  const float curvature = apply_operator(c, plan);
  const float slope = dot_product(c, vectors_at(c, c->scratch.direction), vectors_at(c, c->scratch.residual));
  if (!is_usable(curvature) || !is_finite(slope)) {
    return;
  }
  float step = minimum(maximum(slope / curvature, -1.0f), 1.0f);
  advance_and_precondition(c, acts ? flush_small(step, MIN_STEP) : 0.0f);
}

/* Makes a solve that may have been cut short keep the momentum of a free cloth and add no energy. */
static void settle_solution(const cloth *c, const step_plan *plan, solve_result result) {
  const held_particles held = find_held(c);
  if (held.count == 0) {
    keep_momentum(c);
  }
  if (result.capped || c->settings.capacity.fixed_work) {
    bound_energy(c, plan, &held, result.capped);
  }
  if (result.capped) {
    quantise_solution(c);
  }
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
  float kappa = 0.0f;
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

/* Solves for velocity changes from the residual and adds them to the velocities. Returns 1 if it was cut short. */
static int solve_and_add(const cloth *c, const step_plan *plan, int32_t substep, int multilevel) {
  const solve_result result = solve(c, plan, multilevel);
  settle_solution(c, plan, result);
  record_solve(c, substep, result);
  end_stage(c, CLOTH_STAGE_SOLVE, substep, c->scratch.solution);
  add_solution(c);
  return result.capped;
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
  const int is_capped = solve_and_add(c, plan, substep, multilevel);
#if WITH_BODIES
  add_attached_solution(c);
#endif
  store_warm_start(c, is_capped);
}

#if WITH_SEAMS && WITH_SOLVER

/* Adds to the velocities what impulses, in the residual, change of them, with the operator and the preconditioner of
   add_implicit_change(). Contacts of the solver may have decided against the multilevel one there. */
CLOTH_SEPARATE void add_change_by_impulses(const cloth *c, const step_plan *plan, int32_t substep) {
  fill_vectors(c, vectors_at(c, c->scratch.solution), 0.0f);
  (void)solve_and_add(c, plan, substep, !has_solver_contacts(c) && uses_multilevel(c, plan, 0));
#if WITH_BODIES
  if (notes_pins(c)) {
    const left_over rest = sum_left_over(c);
    note_residuals(c, &rest);
  }
#endif
}

#endif
