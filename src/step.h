#pragma once
#include "access.h"
#include "air.h"
#include "bend_solve.h"
#include "compiler.h"
#include "confinement.h"
#include "contact.h"
#include "contact_push.h"
#include "costs.h"
#include "forces.h"
#include "geometry.h"
#include "implicit.h"
#include "motion.h"
#include "plan.h"
#include "projection.h"
#include "sleep.h"
#include "solver_contact.h"
#include "statistics.h"
#include "strain_limit.h"
#include "targets.h"
#include "tether_pull.h"
#include "tethers.h"
#include "types.h"
#include "uniform.h"
#include "work.h"

/// Stepping ///

/*
 * What a step and a substep do, in order: this part only calls the others. A step is prepare_step(), substep() as often
 * as the plan says, then finish_motions(), gusts and sleep. substep() has five stages; the comment before each call
 * names the part, src/NAME.h, that does it.
 * In: the state, the settings, dt. Out: the state and the statistics.
 * Scratch: stage 1 uses all of it, with the forces in scratch.residual. From predict_positions() at its end on, or with
 * a BDF2 prediction from its beginning, scratch.product holds the predicted positions, which stages 2 to 5 move and
 * accept. Stage 2 keeps transposed rows in scratch.residual and obstacle capsules in scratch.row_buffers.
 */

/* Stage 1, with forces. Returns the number of particles that contacts of the solver hold. */
CLOTH_SEPARATE int32_t add_forces(const cloth *c, const step_plan *plan, int32_t index) {
  /* 1a. Velocity changes of the forces, and the operator: forces (springs, bend, seam, air). */
  evaluate_forces(c, plan, vectors_at(c, c->scratch.residual));
  end_stage(c, CLOTH_STAGE_FORCES, index, c->scratch.residual);

  /* 1b. Contacts that are constraints of the solve: solver_contact. */
  int32_t contacts = has_solver_contacts(c) ? find_solver_contacts(c, plan, index) : 0;

  /* 1c. The solve: implicit (operator, preconditioner, multilevel, conjugate_gradient). Without one: motion. */
  if (WITH_SOLVER && (plan->solves || contacts)) {
    add_work(c, plan->solves ? 0u : 1u, (uint32_t)c->count * solve_cost(c, plan));
    add_implicit_change(c, plan, index, contacts);
  } else {
    add_explicit_change(c);
  }

  /* 1d. Friction and release of those contacts: solver_contact. */
  if (WITH_CONTACT_SOLVER && contacts) {
    resolve_contacts(c, plan, index, statistics_of(c));
  }
  return contacts;
}

/* Stage 1. Where only gravity, velocity damping and air act, the prediction does all of it in one pass, unless
   particles are confined. Returns what add_forces() does. */
static int32_t advance_velocities(const cloth *c, const step_plan *plan, int32_t index) {
  int32_t contacts = 0;
#if WITH_PROJECTION
  /* BDF2 prediction: motion. */
  int only_body_forces = !plan->forces && !has_solver_contacts(c);
  if (only_body_forces && has_air(c)) {
    predict_in_air(c, plan);
  } else if (c->state.velocity_history || only_body_forces) {
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

  /* 1e. Prediction of the positions: confinement, motion. */
  confine_vectors(c, c->state.velocity, 0);
  predict_positions(c, plan);
  return contacts;
}

/* Stage 2. A step with a deadline may leave out all sweeps of strain limiting but the first. */
CLOTH_SEPARATE void enforce_lengths(const cloth *c, const step_plan *plan, int32_t contacts) {
  /* 2a. Bending and projected springs: projection (lines, stretch_solve, bend_solve). Where the solve has done all but
     bending, its contacts hold: solver_contact. */
  const int32_t holds = WITH_CONTACT_SOLVER && contacts && !plan->projects;
  if (holds) {
    hold_contacts(c, 1);
  }
  solve_lines(c, plan);
  if (holds) {
    hold_contacts(c, 0);
  }

#if WITH_PROJECTION
  /* 2b. Tethers: tether_pull. */
  if (plan->projects && plan->tethered) {
    workspace_of(c)->obstacles = find_obstacles(c);
    for (int32_t slot = 0; slot < c->settings.tethers.count; slot++) {
      pull_tethers(c, slot);
    }
  }
#endif

#if WITH_LIMITS
  /* 2c. Strain limiting: strain_limit. */
  for (int32_t sweep = 0; sweep < c->settings.strain_limit.sweeps; sweep++) {
    if (sweep > 0 && !may_refine(c)) {
      uint32_t sweeps_left = (uint32_t)(c->settings.strain_limit.sweeps - sweep);
      refund_work(c, (uint64_t)sweeps_left * (uint32_t)c->count, strain_limit_cost(c));
      break;
    }
    limit_strain(c, predicted_of(c));
  }
#endif

  /* 2d. Velocities from the moved positions: motion. */
  update_velocities_from_positions(c, plan);
}

/* Substep `index` of a step, plan->h seconds long. */
CLOTH_SEPARATE void substep(const cloth *c, const step_plan *plan, int32_t index) {
  CLOTH_ASSERT(index < plan->substeps && plan->substeps <= CLOTH_SUBSTEP_LIMIT);
  cloth_statistics *counts = statistics_of(c);
  counts->contacts = 0;
  counts->contacts_sticking = 0;

  /* 1. New velocities and predicted positions: confinement, motion, forces, solver_contact, implicit. */
  confine_vectors(c, c->state.velocity, 0);
  int32_t contacts = advance_velocities(c, plan, index);
  end_stage(c, CLOTH_STAGE_VELOCITIES, index, c->state.velocity);

  /* 2. Lengths of springs and tethers: projection, tether_pull, strain_limit, motion. */
  if ((WITH_LIMITS && c->settings.strain_limit.sweeps > 0) || plan->bends || (WITH_PROJECTION && plan->projects)) {
    enforce_lengths(c, plan, contacts);
  }
  end_stage(c, CLOTH_STAGE_LIMITS, index, c->state.velocity);

  /* 3. Contacts: those of the solver take back their push (solver_contact), the others are projected (contact). */
  if (WITH_CONTACT_SOLVER && contacts) {
    remove_push_velocities(c, plan, index);
  }
  if (WITH_COLLIDERS) {
    if (has_contact_pushes(c)) {
      withdraw_pushes(c, plan);
    }
    project_contacts(c, plan, index, counts);
    if (has_contact_pushes(c)) {
      forget_pushes(c);
    }
  }

  /* 4. Motion constraints to animated targets: targets. */
#if WITH_TARGETS
  if (inputs_of(c)->targets != TARGETS_NONE) {
    constrain_to_targets(c, plan, index);
  }
#endif
  end_stage(c, CLOTH_STAGE_CONTACTS, index, c->scratch.product);

  /* 5. The new positions and velocities, accepted or recovered: confinement, motion. */
  confine_vectors(c, c->state.velocity, 0);
  confine_vectors(c, c->scratch.product, 1);
  accept_particles(c, plan, counts);
  end_stage(c, CLOTH_STAGE_POSITIONS, index, c->state.position);
}

/* What precedes the substeps: the plan, mobilities and uniform lines, the planned work, tethers and constraints. */
static void prepare_step(const cloth *c, float dt) {
  workspace *w = workspace_of(c);
  plan_step(c, dt, &w->plan);
  plan_hinges(c, &w->plan);
  clear_pads(c);
  prepare_particles(c, dt);
  w->plan.is_free = is_free_cloth(c);
  int32_t uniform = find_uniform_lines(c);
  reset_statistics(c, &w->plan);
  if (WITH_PLANNING) {
    scene_summary scene = summarise_scene(c, uniform);
    w->uniform = uniform;
    add_work(c, planned_work(c, &w->plan, &scene), 1);
  }
#if WITH_PROJECTION
  if (will_choose_tethers(c)) {
    choose_tethers(c);
  }
  w->plan.tethered = c->state.tethers ? mark_tethers(c) : 0;
#endif
  if (has_bend_lines(&w->plan)) {
    plan_bend_lines(c, &w->plan);
  }
}

/* Charges what the substeps have counted, and sets the notes of the step. Returns the notes. */
static int finish_statistics(const cloth *c, const step_plan *plan) {
  cloth_statistics *counts = statistics_of(c);
  const uint32_t products = (uint32_t)(counts->iterations + counts->substeps_capped); /* see bound_energy() */
  add_varying_work(c, (uint64_t)products * (uint32_t)c->count, iteration_cost(c, plan));
  add_varying_work(c, (uint32_t)counts->particles_limited + (uint32_t)counts->particles_recovered, COST_RECOVER);
  counts->notes = plan->notes;
  counts->notes |= counts->particles_limited ? CLOTH_NOTE_SPEED_LIMITED : 0;
  counts->notes |= counts->particles_recovered ? CLOTH_NOTE_RECOVERED : 0;
  return counts->notes;
}

/* A step with as many refinements as the workspace allows. Returns its notes. */
static int step(const cloth *c, float dt) {
#if WITH_SLEEP
  if (is_asleep(c)) {
    return step_asleep(c);
  }
#endif
  prepare_step(c, dt);
  workspace *w = workspace_of(c);
  w->tick = CLOTH_TICKS();
  w->body.index = -1; /* no collider's motion is known yet */
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

/* Lets the next step do all its optional work (refinements), without a deadline. */
static void allow_refinements(const cloth *c) {
  workspace *w = workspace_of(c);
  w->has_deadline = 0;
  w->is_cut = 0;
  w->refinements = 0;
}

/* check_step() for a step without surroundings. */
static int check_step_alone(const cloth *c, float dt) {
  int error = check_step(c, dt);
#if WITH_GEOMETRY
  error = error ? error : check_geometries(c, NULL);
#endif
  return error;
}

/* Begins a step without shared bodies; wakes a cloth that had some near it in the step before. */
static void forget_bodies(const cloth *c) {
  const uint32_t none[2] = {0, 0};
  workspace_of(c)->shared_bodies = 0;
  if (WITH_SHARED_BODIES) {
    set_input(c, inputs_of(c)->shared_hash, none, sizeof none);
  }
}

int cloth_step(cloth *c, float dt) {
  int error = check_step_alone(c, dt);
  if (error) {
    return error;
  }
  allow_refinements(c);
  forget_bodies(c);
  return step(c, dt);
}

#if WITH_PLANNING

int cloth_step_until(cloth *c, float dt, uint32_t ticks, cloth_effort *effort) {
  uint32_t start = CLOTH_TICKS();
  int error = check_step_alone(c, dt);
  if (error || !effort) {
    return error ? error : CLOTH_ERROR_NULL;
  }
  if (c->settings.capacity.fixed_work) {
    return CLOTH_ERROR_STATE;
  }
  workspace *w = workspace_of(c);
  allow_refinements(c);
  w->has_deadline = ticks != UINT32_MAX;
  w->start = start;
  w->ticks = ticks;
  forget_bodies(c);
  int result = step(c, dt);
  effort->refinements = w->refinements;
  effort->cut_short = w->is_cut;
  return result;
}

int cloth_step_again(cloth *c, float dt, const cloth_effort *effort) {
  int error = check_step_alone(c, dt);
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
  forget_bodies(c);
  return step(c, dt);
}

#endif
