#pragma once
#include "access.h"
#include "compiler.h"
#include "config.h"
#include "costs.h"
#include "fabric.h"
#include "init.h"
#include "layout.h"
#include "plan.h"
#include "projection.h"
#include "scalar.h"
#include "types.h"
#include "uniform.h"

/// Work ///

/* How many lines of springs across the seam act by forces, at least in a mode. */
static uint32_t active_seam_lines(const cloth *c, const step_plan *plan, int32_t mode) {
  uint32_t lines = plan->bend_mode >= mode ? SEAM_BENDS : 0;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    lines += d != WEFT && plan->spring[d].mode >= mode;
  }
  return is_wrapped(c) ? lines : 0;
}

/* Of what costs so much a row, a particle. */
static uint32_t share_of_row(const cloth *c, uint32_t price) {
  uint32_t columns = (uint32_t)c->grid.columns;
  return (price + columns - 1u) / columns;
}

/* Of an iteration of the solver, a particle. */
static uint32_t iteration_cost(const cloth *c, const step_plan *plan) {
  uint32_t seam = active_seam_lines(c, plan, CLOTH_MODE_IMPLICIT) * COST_SEAM_PAIR;
  int stretch = plan->spring[WARP].mode >= CLOTH_MODE_IMPLICIT || plan->spring[WEFT].mode >= CLOTH_MODE_IMPLICIT;
  int shear = plan->spring[DIAGONAL].mode >= CLOTH_MODE_IMPLICIT;
  return (uint32_t)(COST_ITERATION + (stretch ? COST_PAIR : 0) + (shear ? COST_PAIR : 0) +
                    (plan->bend_mode == CLOTH_MODE_IMPLICIT ? COST_BEND_PAIR : 0)) +
         share_of_row(c, seam);
}

/* Of a solve, a particle, without the iterations. */
static uint32_t solve_cost(const cloth *c, const step_plan *plan) {
  uint32_t seam = active_seam_lines(c, plan, CLOTH_MODE_IMPLICIT) * COST_SEAM_BLOCKS;
  return (uint32_t)(COST_PRECONDITIONER + COST_SOLVE + (c->state.warm_start ? COST_WARM : 0) +
                    (plan->bend_mode == CLOTH_MODE_IMPLICIT ? COST_BEND_BLOCKS : 0)) +
         (c->state.warm_start || has_solver_contacts(c) ? iteration_cost(c, plan) : 0u) + share_of_row(c, seam);
}

/* Of the forces, a particle. */
static uint32_t forces_cost(const cloth *c, const step_plan *plan) {
  uint32_t seam = active_seam_lines(c, plan, CLOTH_MODE_EXPLICIT) * COST_SEAM;
  return (uint32_t)(COST_BODY_FORCES + COST_CHANGE + (has_air(c) ? COST_AIR : 0) +
                    (plan->springs || plan->solves ? COST_SPRINGS : 0) +
                    (plan->bend_mode != CLOTH_MODE_OFF ? COST_BENDS : 0)) +
         (plan->solves ? solve_cost(c, plan) : 0u) + share_of_row(c, seam);
}

/* Of all that every substep does to a particle, however things are. */
static uint32_t particle_cost(const cloth *c, const step_plan *plan, int32_t tethers) {
  uint32_t price = COST_PREDICT + COST_ACCEPT + (c->state.velocity_history ? COST_HISTORY : 0);
  if (plan->forces || has_solver_contacts(c) || !WITH_PROJECTION) {
    price += forces_cost(c, plan);
  }
  if (c->settings.strain_limit.sweeps > 0 || plan->projects) {
    price += COST_SETTLE + (plan->projects ? (uint32_t)tethers * COST_TETHER : 0u);
  }
  price += inputs_of(c)->targets != TARGETS_NONE ? COST_TARGET : 0u;
  return price + (uint32_t)c->settings.strain_limit.sweeps * sweep_cost(c);
}

/* What lies outside a cloth: how many bodies of which shapes, and what is confined. */
typedef struct surroundings {
  int32_t uniform, confined, bodies, tethers;
  uint32_t nearness; /* price of a particle that touches all of them at once */
  uint32_t blocks;
} surroundings;

static void add_body(surroundings *around, const cloth_collider *body) {
  around->bodies++;
  around->nearness += near_cost(body) + trace_cost(body) + COST_RESPOND;
  around->blocks += body->shape != CLOTH_SHAPE_PLANE;
}

static int has_pins(const cloth *c) {
  for (int32_t i = 0; i < c->count; i++) {
    if (is_pinned(c, i)) {
      return 1;
    }
  }
  return 0;
}

static surroundings survey_surroundings(const cloth *c) {
  surroundings around;
  fill_zero(&around, sizeof around);
  around.uniform = count_uniform_particles(c);
  around.confined = inputs_of(c)->confined_count;
  around.tethers = has_pins(c) ? c->settings.tethers.count : 0;
  for (int32_t index = 0; WITH_COLLIDERS && index < inputs_of(c)->collider_end; index++) {
    if (colliders_of(c)[index].used) {
      add_body(&around, &colliders_of(c)[index].body);
    }
  }
  return around;
}

/* The most that tethers, contacts and iterations can cost a particle in a substep. Fixed work is this at all times. */
static uint64_t max_varying_cost(const cloth *c, const step_plan *plan, const surroundings *around) {
  uint64_t price = COST_RECOVER + around->nearness;
  if (plan->projects) {
    price += (uint32_t)around->tethers * (COST_TAUT + around->blocks * (COST_PASSED + COST_UNBLOCKED));
  }
  if (plan->solves || (has_solver_contacts(c) && around->bodies > 0)) {
    price += (uint64_t)(uint32_t)c->settings.solver.max_iterations * iteration_cost(c, plan);
  }
  return price;
}

/* What a step does however things are. */
static uint64_t planned_work(const cloth *c, const step_plan *plan, const surroundings *around) {
  uint64_t price = particle_cost(c, plan, around->tethers) + (uint32_t)around->bodies * COST_NEAR;
  price += c->settings.capacity.fixed_work ? max_varying_cost(c, plan, around) : 0u;
  if (has_solver_contacts(c)) {
    price += (uint32_t)around->bodies * (COST_SEEK + (around->bodies > 1 ? COST_SEEK_MORE : 0u));
  }
  uint64_t work = price * (uint32_t)c->count;
#if WITH_PROJECTION
  work += plan->projects ? projection_cost(c, plan, around->uniform) : 0u;
#endif
  work += COST_CALL + (uint32_t)c->grid.rows * COST_ROW + (uint32_t)around->confined * COST_CONFINED +
          (uint32_t)around->bodies * COST_BODY;
  work = work * (uint32_t)plan->substeps + COST_STEP +
         (uint64_t)(uint32_t)c->count * (COST_PREPARE + (uint32_t)c->settings.tethers.count * COST_MARK);
  if (will_choose_tethers(c)) {
    uint32_t rounds = is_wrapped(c) ? 3 : 1; /* two, and shorter ways to look for */
    work += (uint64_t)(uint32_t)c->count * rounds * (COST_CHOOSE + (uint32_t)c->settings.tethers.count * COST_OFFERS);
  }
  return work;
}

/* Do the moves of all pins stay below the speed limit in a step of dt seconds? */
static int are_moves_in_range(const cloth *c, float dt) {
  const float inverse_dt = 1.0f / dt;
  int have_moves = (union_of_freedom_flags(c) & PIN_MOVING) != 0;
  for (int32_t i = 0; have_moves && i < c->count; i++) {
    if (!vector_in_range(starting_velocity(c, i, inverse_dt), CLOTH_SPEED_LIMIT)) {
      return 0;
    }
  }
  return 1;
}

/* Can a step of dt be made? A sleeping cloth has no moves, and its step looks at no particle. */
static int check_step(const cloth *c, float dt) {
  int error = check_cloth(c);
  if (error) {
    return error;
  }
  if (!in_range(dt, 1.0e-6f, 1.0f)) {
    return CLOTH_ERROR_RANGE;
  }
  if (!c->has_scratch) {
    return CLOTH_ERROR_STATE;
  }
  if (!(WITH_SLEEP && is_asleep(c)) && !are_moves_in_range(c, dt)) {
    return CLOTH_ERROR_RANGE;
  }
  return is_refused(c, dt) ? CLOTH_ERROR_UNSTABLE : CLOTH_OK;
}

#if WITH_PLANNING

/* The most that a step can count beside. */
static uint64_t max_varying_work(const cloth *c, const step_plan *plan, const surroundings *around) {
  uint64_t price = c->settings.capacity.fixed_work ? 0u : max_varying_cost(c, plan, around);
  if (has_solver_contacts(c) && around->bodies > 0) {
    price += COST_HELD + (plan->solves ? 0u : solve_cost(c, plan));
  }
  return price * (uint32_t)c->count * (uint32_t)plan->substeps;
}

int cloth_get_work_bound(const cloth *c, float dt, uint64_t *work) {
  int error = check_step(c, dt);
  if (error) {
    return error;
  }
  if (!work) {
    return CLOTH_ERROR_NULL;
  }
  if (WITH_SLEEP && is_asleep(c)) {
    *work = COST_STEP;
    return CLOTH_OK;
  }
  step_plan *plan = &workspace_of(c)->plan; /* a step makes its own */
  surroundings around = survey_surroundings(c);
  plan_step(c, dt, plan);
  *work = planned_work(c, plan, &around) + max_varying_work(c, plan, &around);
  return CLOTH_OK;
}

/* A cloth of which nothing is there but what plans are made of. */
typedef struct config_model {
  cloth c;
  cloth_inputs inputs;
  step_plan plan;
} config_model;

static void model_from_config(config_model *paper, const cloth_config *config) {
  cloth *c = &paper->c;
  fill_zero(paper, sizeof *paper);
  compute_layout(c, config);
  measure_grid(c, config);
  copy_settings(c, config);
  measure_map(config->grid.mass_map, c->count, &c->settings.factors.min_mass_ratio,
              &c->settings.factors.max_mass_ratio);
  measure_map(config->grid.stiffness_map, c->count, &c->settings.factors.min_stiffness,
              &c->settings.factors.max_stiffness);
  c->state.inputs = offsetof(config_model, inputs);
  c->settings.integration.max_substeps =
      c->settings.integration.substeps > 0 ? c->settings.integration.substeps : c->settings.integration.max_substeps;
  set_fabric(c, &config->fabric);
  paper->inputs.targets = config->capacity.targets ? TARGETS_MOVING : TARGETS_NONE;
}

/* The dearest surroundings of a cloth of this config. */
static surroundings worst_surroundings(const cloth_config *config) {
  surroundings around;
  cloth_collider dearest;
  fill_zero(&around, sizeof around);
  fill_zero(&dearest, sizeof dearest);
  dearest.shape = CLOTH_SHAPE_CYLINDER;
  around.confined = config->capacity.max_confined;
  around.tethers = config->tethers.count;
  for (int32_t n = 0; WITH_COLLIDERS && n < config->max_colliders; n++) {
    add_body(&around, &dearest);
  }
  return around;
}

/* With substeps that a step would choose, any number of them may come: each makes another plan. */
CLOTH_SEPARATE uint64_t max_work(config_model *paper, const surroundings *around, float dt) {
  uint64_t most = 0;
  cloth *c = &paper->c;
  for (int32_t n = c->settings.integration.substeps > 0 ? c->settings.integration.substeps : 1;
       n <= c->settings.integration.max_substeps; n++) {
    c->settings.integration.substeps = n;
    plan_step(c, dt, &paper->plan);
    uint64_t work = planned_work(c, &paper->plan, around) + max_varying_work(c, &paper->plan, around);
    most = work > most ? work : most;
  }
  return most;
}

int cloth_config_work_bound(const cloth_config *config, float dt, uint64_t *work) {
  int error = check_config(config);
  if (error) {
    return error;
  }
  if (!work) {
    return CLOTH_ERROR_NULL;
  }
  if (!in_range(dt, 1.0e-6f, 1.0f)) {
    return CLOTH_ERROR_RANGE;
  }
  config_model paper;
  surroundings around = worst_surroundings(config);
  model_from_config(&paper, config);
  *work = max_work(&paper, &around, dt);
  return CLOTH_OK;
}

#endif
