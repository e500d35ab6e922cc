#pragma once
#include "access.h"
#include "air.h"
#include "compiler.h"
#include "confinement.h"
#include "contact.h"
#include "costs.h"
#include "forces.h"
#include "implicit.h"
#include "lines.h"
#include "motion.h"
#include "plan.h"
#include "projection.h"
#include "sleep.h"
#include "solver_contact.h"
#include "statistics.h"
#include "targets.h"
#include "tether_pull.h"
#include "tethers.h"
#include "types.h"
#include "uniform.h"
#include "work.h"

/// Stepping ///

static void finish_motions(const cloth *c) {
  for (int32_t index = 0; index < inputs_of(c)->collider_end; index++) {
    collider_slot *slot = &colliders_of(c)[index];
    slot->previous = slot->body.pose;
  }
#if WITH_TARGETS
  if (inputs_of(c)->targets == TARGETS_MOVING) {
    settle_targets(c);
  }
#endif
}

/* Projected springs, tethers and strain limits. */
CLOTH_SEPARATE void enforce_lengths(const cloth *c, const step_plan *plan) {
#if WITH_PROJECTION
  if (plan->projects) {
    project_springs(c, plan);
  }
  if (plan->projects && plan->tethered) {
    workspace_of(c)->obstacles = find_obstacles(c);
    for (int32_t slot = 0; slot < c->settings.tethers.count; slot++) {
      pull_tethers(c, slot);
    }
  }
#endif
  for (int32_t sweep = 0; WITH_LIMITS && sweep < c->settings.strain_limit.sweeps; sweep++) {
    if (sweep > 0 && !may_refine(c)) {
      refund_work(c, (uint64_t)(uint32_t)(c->settings.strain_limit.sweeps - sweep) * (uint32_t)c->count, sweep_cost(c));
      break;
    }
    limit_strain(c, predicted_of(c));
  }
  update_velocities_from_positions(c, plan);
}

/* Forces, explicit and implicit, and the velocity changes that they bring. Returns how many particles are held by
   contacts of the solver. */
CLOTH_SEPARATE int32_t add_forces(const cloth *c, const step_plan *plan, int32_t index) {
  evaluate_forces(c, plan, vectors_at(c, c->scratch.residual));
  end_stage(c, CLOTH_STAGE_FORCES, index, c->scratch.residual);
  int32_t contacts = has_solver_contacts(c) ? find_solver_contacts(c, plan, index) : 0;
  if (WITH_SOLVER && (plan->solves || contacts)) {
    add_work(c, plan->solves ? 0u : 1u, (uint32_t)c->count * solve_cost(c, plan));
    add_implicit_change(c, plan, index, contacts);
  } else {
    add_explicit_change(c);
  }
  if (WITH_CONTACT_SOLVER && contacts) {
    resolve_contacts(c, plan, index, statistics_of(c));
  }
  return contacts;
}

/* New velocities and the prediction. Returns what add_forces() does. */
static int32_t advance_velocities(const cloth *c, const step_plan *plan, int32_t index) {
  int32_t contacts = 0;
#if WITH_PROJECTION
  int only_body_forces = !plan->forces && !has_solver_contacts(c);
  if (c->state.velocity_history || only_body_forces) {
    predict(c, plan, only_body_forces);
  }
  if (!only_body_forces) {
    contacts = add_forces(c, plan, index);
  }
  if (only_body_forces && inputs_of(c)->confined_count == 0) {
    return 0;
  }
#else
  contacts = add_forces(c, plan, index);
#endif
  confine_vectors(c, c->state.velocity, 0);
  predict_positions(c, plan);
  return contacts;
}

CLOTH_SEPARATE void substep(const cloth *c, const step_plan *plan, int32_t index) {
  CLOTH_ASSERT(index < plan->substeps && plan->substeps <= CLOTH_SUBSTEP_LIMIT);
  cloth_statistics *counts = statistics_of(c);
  counts->contacts = 0;
  counts->contacts_sticking = 0;
  confine_vectors(c, c->state.velocity, 0);
  int32_t contacts = advance_velocities(c, plan, index);
  end_stage(c, CLOTH_STAGE_VELOCITIES, index, c->state.velocity);
  if ((WITH_LIMITS && c->settings.strain_limit.sweeps > 0) || (WITH_PROJECTION && plan->projects)) {
    enforce_lengths(c, plan);
  }
  end_stage(c, CLOTH_STAGE_LIMITS, index, c->state.velocity);
  if (WITH_CONTACT_SOLVER && contacts) {
    remove_push_velocities(c, plan, index);
  }
  if (WITH_COLLIDERS) {
    project_contacts(c, plan, index, counts);
  }
#if WITH_TARGETS
  if (inputs_of(c)->targets != TARGETS_NONE) {
    constrain_to_targets(c, plan, index);
  }
#endif
  end_stage(c, CLOTH_STAGE_CONTACTS, index, c->scratch.product);
  confine_vectors(c, c->state.velocity, 0);
  confine_vectors(c, c->scratch.product, 1);
  accept_particles(c, plan, counts);
  end_stage(c, CLOTH_STAGE_POSITIONS, index, c->state.position);
}

/* What goes before the substeps. */
static void prepare_step(const cloth *c, float dt) {
  workspace *w = workspace_of(c);
  plan_step(c, dt, &w->plan);
  clear_pads(c);
  prepare_particles(c, dt);
  find_uniform_runs(c);
  reset_statistics(c, &w->plan);
  if (WITH_PLANNING) {
    surroundings around = survey_surroundings(c);
    w->uniform = around.uniform;
    add_work(c, planned_work(c, &w->plan, &around), 1);
  }
#if WITH_PROJECTION
  if (will_choose_tethers(c)) {
    choose_tethers(c);
  }
  w->plan.tethered = c->state.tethers ? mark_tethers(c) : 0;
  if (w->plan.projects) {
    plan_projection(c, &w->plan);
  }
#endif
}

/* What has to be known of all substeps. Returns the notes. */
static int finish_statistics(const cloth *c, const step_plan *plan) {
  cloth_statistics *counts = statistics_of(c);
  add_varying_work(c, (uint64_t)(uint32_t)counts->iterations * (uint32_t)c->count, iteration_cost(c, plan));
  add_varying_work(c, (uint32_t)counts->particles_limited + (uint32_t)counts->particles_recovered, COST_RECOVER);
  counts->notes = plan->notes;
  counts->notes |= counts->particles_limited ? CLOTH_NOTE_SPEED_LIMITED : 0;
  counts->notes |= counts->particles_recovered ? CLOTH_NOTE_RECOVERED : 0;
  return counts->notes;
}

/* A step with as many refinements as the workspace says. */
static int step(const cloth *c, float dt) {
#if WITH_SLEEP
  if (is_asleep(c)) {
    return step_asleep(c);
  }
#endif
  prepare_step(c, dt);
  workspace *w = workspace_of(c);
  w->tick = CLOTH_TICKS();
  w->body.index = -1;
  for (int32_t index = 0; index < w->plan.substeps; index++) {
    substep(c, &w->plan, index);
  }
  finish_motions(c);
  inputs_of(c)->last_substep = w->plan.h;
#if WITH_AIR
  advance_gusts(inputs_of(c), dt);
#endif
#if WITH_SLEEP
  update_sleep(c, dt);
#endif
  return finish_statistics(c, &w->plan);
}

/* Lets a step refine without end. */
static void allow_refinements(const cloth *c) {
  workspace *w = workspace_of(c);
  w->timed = 0;
  w->is_cut = 0;
  w->refinements = 0;
}

int cloth_step(cloth *c, float dt) {
  int error = check_step(c, dt);
  if (error) {
    return error;
  }
  allow_refinements(c);
  return step(c, dt);
}

#if WITH_PLANNING

int cloth_step_until(cloth *c, float dt, uint32_t ticks, cloth_effort *effort) {
  uint32_t start = CLOTH_TICKS();
  int error = check_step(c, dt);
  if (error || !effort) {
    return error ? error : CLOTH_ERROR_NULL;
  }
  if (c->settings.capacity.fixed_work) {
    return CLOTH_ERROR_STATE;
  }
  workspace *w = workspace_of(c);
  allow_refinements(c);
  w->timed = ticks != UINT32_MAX;
  w->start = start;
  w->ticks = ticks;
  int result = step(c, dt);
  effort->refinements = w->refinements;
  effort->cut_short = w->is_cut;
  return result;
}

int cloth_step_again(cloth *c, float dt, const cloth_effort *effort) {
  int error = check_step(c, dt);
  if (error || !effort) {
    return error ? error : CLOTH_ERROR_NULL;
  }
  if (c->settings.capacity.fixed_work) {
    return CLOTH_ERROR_STATE;
  }
  if (effort->refinements < 0 || (uint32_t)effort->cut_short > 1u) {
    return CLOTH_ERROR_RANGE;
  }
  workspace *w = workspace_of(c);
  allow_refinements(c);
  w->is_cut = effort->cut_short;
  w->max_refinements = effort->refinements;
  return step(c, dt);
}

#endif
