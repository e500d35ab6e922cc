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
static uint32_t iteration_price(const cloth *c, const step_plan *plan) {
  uint32_t seam = active_seam_lines(c, plan, CLOTH_MODE_IMPLICIT) * PRICE_SEAM_PAIR;
  int stretch = plan->spring[WARP].mode >= CLOTH_MODE_IMPLICIT || plan->spring[WEFT].mode >= CLOTH_MODE_IMPLICIT;
  int shear = plan->spring[DIAGONAL].mode >= CLOTH_MODE_IMPLICIT;
  return (uint32_t)(PRICE_ITERATION + (stretch ? PRICE_PAIR : 0) + (shear ? PRICE_PAIR : 0) +
                    (plan->bend_mode == CLOTH_MODE_IMPLICIT ? PRICE_BEND_PAIR : 0)) +
         share_of_row(c, seam);
}

/* Of a solve, a particle, without the iterations. */
static uint32_t solve_price(const cloth *c, const step_plan *plan) {
  uint32_t seam = active_seam_lines(c, plan, CLOTH_MODE_IMPLICIT) * PRICE_SEAM_BLOCKS;
  return (uint32_t)(PRICE_PRECONDITIONER + PRICE_SOLVE + (c->state.warm_start ? PRICE_WARM : 0) +
                    (plan->bend_mode == CLOTH_MODE_IMPLICIT ? PRICE_BEND_BLOCKS : 0)) +
         (c->state.warm_start || has_solver_contacts(c) ? iteration_price(c, plan) : 0u) + share_of_row(c, seam);
}

/* Of the forces, a particle. */
static uint32_t forces_price(const cloth *c, const step_plan *plan) {
  uint32_t seam = active_seam_lines(c, plan, CLOTH_MODE_EXPLICIT) * PRICE_SEAM;
  return (uint32_t)(PRICE_BODY_FORCES + PRICE_CHANGE + (has_air(c) ? PRICE_AIR : 0) +
                    (plan->springs || plan->solves ? PRICE_SPRINGS : 0) +
                    (plan->bend_mode != CLOTH_MODE_OFF ? PRICE_BENDS : 0)) +
         (plan->solves ? solve_price(c, plan) : 0u) + share_of_row(c, seam);
}

/* Of all that every substep does to a particle, however things are. */
static uint32_t particle_price(const cloth *c, const step_plan *plan, int32_t tethers) {
  uint32_t price = PRICE_PREDICT + PRICE_ACCEPT + (c->state.velocity_history ? PRICE_HISTORY : 0);
  if (plan->forces || has_solver_contacts(c) || !WITH_PROJECTION) {
    price += forces_price(c, plan);
  }
  if (c->settings.strain_limit.sweeps > 0 || plan->projects) {
    price += PRICE_SETTLE + (plan->projects ? (uint32_t)tethers * PRICE_TETHER : 0u);
  }
  price += inputs_of(c)->targets != TARGETS_NONE ? PRICE_TARGET : 0u;
  return price + (uint32_t)c->settings.strain_limit.sweeps * sweep_price(c);
}

/* What lies outside a cloth: how many bodies of which shapes, and what is confined. */
typedef struct work_around {
  int32_t plain, confined, bodies, tethers;
  uint32_t nearness; /* price of a particle that touches all of them at once */
  uint32_t blocks;
} work_around;

static void add_body(work_around *around, const cloth_collider *body) {
  around->bodies++;
  around->nearness += near_price(body) + trace_price(body) + PRICE_RESPOND;
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

static work_around look_around(const cloth *c) {
  work_around around;
  fill_zero(&around, sizeof around);
  around.plain = plain_particles(c);
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
static uint64_t varying_price(const cloth *c, const step_plan *plan, const work_around *around) {
  uint64_t price = PRICE_RECOVER + around->nearness;
  if (plan->projects) {
    price += (uint32_t)around->tethers * (PRICE_TAUT + around->blocks * (PRICE_PASSED + PRICE_UNBLOCKED));
  }
  if (plan->solves || (has_solver_contacts(c) && around->bodies > 0)) {
    price += (uint64_t)(uint32_t)c->settings.solver.max_iterations * iteration_price(c, plan);
  }
  return price;
}

/* What a step does however things are. */
static uint64_t planned_work(const cloth *c, const step_plan *plan, const work_around *around) {
  uint64_t price = particle_price(c, plan, around->tethers) + (uint32_t)around->bodies * PRICE_NEAR;
  price += c->settings.capacity.fixed_work ? varying_price(c, plan, around) : 0u;
  if (has_solver_contacts(c)) {
    price += (uint32_t)around->bodies * (PRICE_SEEK + (around->bodies > 1 ? PRICE_SEEK_MORE : 0u));
  }
  uint64_t work = price * (uint32_t)c->count;
#if WITH_PROJECTION
  work += plan->projects ? projection_work(c, plan, around->plain) : 0u;
#endif
  work += PRICE_CALL + (uint32_t)c->grid.rows * PRICE_ROW + (uint32_t)around->confined * PRICE_CONFINED +
          (uint32_t)around->bodies * PRICE_BODY;
  work = work * (uint32_t)plan->substeps + PRICE_STEP +
         (uint64_t)(uint32_t)c->count * (PRICE_PREPARE + (uint32_t)c->settings.tethers.count * PRICE_MARK);
  if (chooses_tethers(c)) {
    uint32_t rounds = is_wrapped(c) ? 3 : 1; /* two, and shorter ways to look for */
    work += (uint64_t)(uint32_t)c->count * rounds * (PRICE_CHOOSE + (uint32_t)c->settings.tethers.count * PRICE_OFFERS);
  }
  return work;
}

/* Can a step of dt be made? */
static int check_step(const cloth *c, float dt) {
  int error = check_cloth(c);
  if (error) {
    return error;
  }
  if (!in_range(dt, 1.0e-6f, 1.0f)) {
    return CLOTH_ERROR_TIME_STEP;
  }
  if (!c->has_scratch) {
    return CLOTH_ERROR_SCRATCH;
  }
  return is_refused(c, dt) ? CLOTH_ERROR_UNSTABLE : CLOTH_OK;
}

#if WITH_PLANNING

/* The most that a step can count beside. */
static uint64_t most_counted(const cloth *c, const step_plan *plan, const work_around *around) {
  uint64_t price = c->settings.capacity.fixed_work ? 0u : varying_price(c, plan, around);
  if (has_solver_contacts(c) && around->bodies > 0) {
    price += PRICE_HELD + (plan->solves ? 0u : solve_price(c, plan));
  }
  return price * (uint32_t)c->count * (uint32_t)plan->substeps;
}

int cloth_work_bound(const cloth *sheet, float dt, uint64_t *work) {
  int error = check_step(sheet, dt);
  if (error) {
    return error;
  }
  if (!work) {
    return CLOTH_ERROR_NULL;
  }
  if (WITH_SLEEP && is_asleep(sheet)) {
    *work = PRICE_STEP;
    return CLOTH_OK;
  }
  step_plan *plan = &workspace_of(sheet)->plan; /* a step makes its own */
  work_around around = look_around(sheet);
  plan_step(sheet, dt, plan);
  *work = planned_work(sheet, plan, &around) + most_counted(sheet, plan, &around);
  return CLOTH_OK;
}

/* A cloth of which nothing is there but what plans are made of. */
typedef struct paper_cloth {
  cloth c;
  cloth_inputs inputs;
  step_plan plan;
} paper_cloth;

static void draw_paper_cloth(paper_cloth *paper, const cloth_config *config) {
  cloth *c = &paper->c;
  fill_zero(paper, sizeof *paper);
  lay_out(c, config);
  measure_grid(c, config);
  copy_settings(c, config);
  measure_map(config->mass_map, c->count, &c->settings.factors.min_mass_ratio, &c->settings.factors.max_mass_ratio);
  measure_map(config->stiffness_map, c->count, &c->settings.factors.min_stiffness, &c->settings.factors.max_stiffness);
  c->state.inputs = offsetof(paper_cloth, inputs);
  c->settings.integration.max_substeps =
      c->settings.integration.substeps > 0 ? c->settings.integration.substeps : c->settings.integration.max_substeps;
  set_fabric(c, &config->fabric);
  paper->inputs.targets = config->targets ? TARGETS_MOVING : TARGETS_NONE;
}

/* The dearest surroundings of a cloth of this config. */
static work_around worst_around(const cloth_config *config) {
  work_around around;
  cloth_collider dearest;
  fill_zero(&around, sizeof around);
  fill_zero(&dearest, sizeof dearest);
  dearest.shape = CLOTH_SHAPE_CYLINDER;
  around.confined = config->max_confined;
  around.tethers = config->tethers;
  for (int32_t n = 0; WITH_COLLIDERS && n < config->max_colliders; n++) {
    add_body(&around, &dearest);
  }
  return around;
}

/* With substeps that a step would choose, any number of them may come: each makes another plan. */
CLOTH_SEPARATE uint64_t worst_work(paper_cloth *paper, const work_around *around, float dt) {
  uint64_t most = 0;
  cloth *c = &paper->c;
  for (int32_t n = c->settings.integration.substeps > 0 ? c->settings.integration.substeps : 1;
       n <= c->settings.integration.max_substeps; n++) {
    c->settings.integration.substeps = n;
    plan_step(c, dt, &paper->plan);
    uint64_t work = planned_work(c, &paper->plan, around) + most_counted(c, &paper->plan, around);
    most = work > most ? work : most;
  }
  return most;
}

int cloth_work_bound_of(const cloth_config *config, float dt, uint64_t *work) {
  int error = check_config(config);
  if (error) {
    return error;
  }
  if (!work) {
    return CLOTH_ERROR_NULL;
  }
  if (!in_range(dt, 1.0e-6f, 1.0f)) {
    return CLOTH_ERROR_TIME_STEP;
  }
  paper_cloth paper;
  work_around around = worst_around(config);
  draw_paper_cloth(&paper, config);
  *work = worst_work(&paper, &around, dt);
  return CLOTH_OK;
}

#endif
