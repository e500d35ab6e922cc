#pragma once
#include "access.h"
#include "air.h"
#include "attachments.h"
#include "bearing.h"
#include "bodies.h"
#include "compiler.h"
#include "confinement.h"
#include "contact.h"
#include "contact_cells.h"
#include "contact_lines.h"
#include "contact_push.h"
#include "costs.h"
#include "forces.h"
#include "gaps.h"
#include "gathers.h"
#include "implicit.h"
#include "left_over.h"
#include "lines.h"
#include "motion.h"
#include "origin.h"
#include "overstretched.h"
#include "pin_reactions.h"
#include "plan.h"
#include "projection.h"
#include "scalar.h"
#include "self_contact.h"
#include "self_gather.h"
#include "sleep.h"
#include "solver_contact.h"
#include "statistics.h"
#include "step_origin.h"
#include "strain_limit.h"
#include "targets.h"
#include "tear.h"
#include "tether_pull.h"
#include "tethers.h"
#include "twist_solve.h"
#include "types.h"
#include "uniform.h"
#include "work.h"

#if CLOTH_ONE_EQUATION
#include "solve/arrays.h"
#include "step/coefficients.h"
#include "step/prepare.h"
#include "step/substep.h"
#include "step/work.h"
#endif

/// Stepping ///

/*
 * What a step and a substep do, in order: this part only calls the others. A step is prepare_step(), substep() as often
 * as the plan says, then finish_motions(), gusts and sleep. substep() has five stages; the comment before each call
 * names the part, src/NAME.h, that does it; bodies and attached particles move before, between and after them.
 * In: the state, the settings, dt. Out: the state and the statistics.
 * Scratch: stage 1 uses all of it, with the forces in scratch.residual. From predict_positions() at its end on, or with
 * a BDF2 prediction from its beginning, scratch.product holds the predicted positions, which stages 2 to 5 move and
 * accept. Stage 2 keeps transposed rows in scratch.residual and obstacle capsules in scratch.row_buffers.
 */

#if !CLOTH_ONE_EQUATION

/* Stage 1, with forces. Returns the number of particles that contacts of the solver hold. */
CLOTH_SEPARATE int32_t add_forces(const cloth *c, const step_plan *plan, int32_t index) {
  /* 1a. Velocity changes of the forces, and the operator: forces (springs, seam, air). */
  evaluate_forces(c, plan, vectors_at(c, c->scratch.residual));
  end_stage(c, CLOTH_STAGE_FORCES, index, c->scratch.residual);

  /* 1b. Contacts that are constraints of the solve: solver_contact. */
  int32_t contacts = has_solver_contacts(c) ? find_solver_contacts(c, plan, index) : 0;

  left_over rest = no_left_over();
  /* 1c. The solve: implicit (operator, preconditioner, multilevel, conjugate_gradient). Without one: motion. */
  if (WITH_SOLVER && (plan->solves || contacts)) {
    add_work(c, plan->solves ? 0u : 1u, (uint32_t)c->count * solve_cost(c, plan));
#if WITH_BODIES
    loosen_attached(c, plan, 1);
#endif
    add_implicit_change(c, plan, index, contacts);
    rest = takes_left_over(c) ? sum_left_over(c) : rest;
#if WITH_BODIES
    loosen_attached(c, plan, 0);
    if (notes_pins(c)) {
      note_confined_residuals(c, &rest);
    }
#endif
  } else {
    add_explicit_change(c);
  }

#if WITH_BODIES
  if (notes_pins(c)) {
    note_residuals(c, &rest);
  }
#endif

  /* 1d. Friction and release of those contacts: solver_contact. */
  if (WITH_CONTACT_SOLVER && contacts) {
    resolve_contacts(c, plan, index, &rest, statistics_of(c));
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
#if WITH_BODIES
  if (only_body_forces && notes_pins(c)) {
    note_body_forces(c, plan);
  }
#endif
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

#if WITH_PROJECTION

/* Pulls the tethers of all slots, and notes what they do to pins. */
static void pull_all_tethers(const cloth *c) {
  workspace_of(c)->obstacles = find_obstacles(c);
  for (int32_t slot = 0; slot < c->settings.tethers.count; slot++) {
#if WITH_BODIES
    keep_before_tethers(c);
#endif
    pull_tethers(c, slot);
#if WITH_BODIES
    note_tethers(c, slot);
#endif
  }
}

#endif

#if WITH_LIMITS

/* Limits strain in the sweeps of the settings. A step with a deadline may leave out all but the first. */
static void limit_strains(const cloth *c, const step_plan *plan) {
  for (int32_t sweep = 0; sweep < c->settings.strain_limit.sweeps; sweep++) {
    if (sweep > 0 && !may_refine(c)) {
      uint32_t sweeps_left = (uint32_t)(c->settings.strain_limit.sweeps - sweep);
      refund_work(c, (uint64_t)sweeps_left * (uint32_t)c->count, strain_limit_cost(c));
      break;
    }
    limit_strain(c, plan);
  }
}

#endif

/* 1 if a substep has a stage 2. */
static int has_lengths(const cloth *c, const step_plan *plan) {
  return (WITH_LIMITS && c->settings.strain_limit.sweeps > 0) || plan->bends || (WITH_PROJECTION && plan->projects);
}

/* What precedes stage 2 of substep `index`. */
static void prepare_lengths(const cloth *c, const step_plan *plan, int32_t index) {
  if (!has_lengths(c, plan)) {
    return;
  }
  start_sums(c, plan);
  /* Particles that are at their targets are pins to what follows: targets. */
#if WITH_TARGETS && WITH_PROJECTION
  if (plan->led > 0) {
    lead_particles(c, plan, index);
  }
#endif
  (void)index;

  /* Particles that bodies lie on: bearing. */
  find_bearing(c, plan);
}

/* Stage 2. */
CLOTH_SEPARATE void enforce_lengths(const cloth *c, const step_plan *plan, int32_t contacts) {
  /* 2a. Bending and projected springs: projection (lines, stretch_solve, bend_explicit, bend_solve, twist_solve).
     Bodies that lie on the cloth: bearing. Where the solve has done all but bending its contacts hold. */
  const int32_t holds = WITH_CONTACT_SOLVER && contacts && !plan->projects;
  if (holds) {
    hold_contacts(c, 1);
  }
  share_bearing(c, plan);
#if WITH_BODIES
  loosen_attached(c, plan, 1);
#endif
  solve_lines(c, plan);
  deliver_bearing(c, plan);
  if (holds) {
    hold_contacts(c, 0);
  }

#if WITH_PROJECTION
  /* 2b. Tethers: tether_pull. */
  if (plan->projects && plan->tethered) {
    pull_all_tethers(c);
  }

  /* 2c. Springs of rows and columns that all these have stretched: overstretched. Not with gathers: stitches hold
     gathered springs short and stretch others, which would never come to rest. */
  if (solves_again(c, plan) && !has_gathers(c)) {
    solve_overstretched_lines(c, plan);
  }
#endif

#if WITH_LIMITS
  /* 2d. Strain limiting: strain_limit. */
  limit_strains(c, plan);
#endif

#if WITH_BODIES
  loosen_attached(c, plan, 0);
#endif
}

#if WITH_CONTACT_LINES

/* Stage 3, after contact: solves lines over contacts again, and what then lies in colliders is moved out. Contacts are
   not counted twice. */
CLOTH_SEPARATE void resolve_contact_lines(const cloth *c, const step_plan *plan, int32_t index) {
  workspace *w = workspace_of(c);
  if (w->statistics.contacts == 0 && w->statistics.cell_contacts == 0 && !c->settings.capacity.fixed_work) {
    return;
  }
  w->skips_contact = !solve_contact_lines(c, plan, index);
  if (!w->skips_contact || c->settings.capacity.fixed_work) {
    const int32_t contacts = w->statistics.contacts, sticking = w->statistics.contacts_sticking;
    project_contacts(c, plan, index, &w->statistics);
    w->statistics.contacts = contacts;
    w->statistics.contacts_sticking = sticking;
    if (!w->skips_contact && !c->self) {
      slow_all_held(c, plan, index);
    }
#if WITH_CELL_CONTACT
    if (!w->skips_contact) {
      project_cells(c, plan, index, 1);
    }
#endif
  }
  w->skips_contact = 0;
  if (index == plan->substeps - 1) {
    forget_contacts(c);
    add_varying_work(c, (uint32_t)c->count, COST_TORN);
  }
}

#endif

/* Stage 3 without the solver's contacts. */
static void resolve_projected(const cloth *c, const step_plan *plan, int32_t index, cloth_statistics *counts) {
  workspace_of(c)->frees = workspace_of(c)->tears = 0;
  project_contacts(c, plan, index, counts);
#if WITH_CELL_CONTACT
  project_cells(c, plan, index, 0);
#endif
#if WITH_CONTACT_LINES
  if (solves_contact_lines(c, plan)) {
    resolve_contact_lines(c, plan, index);
  }
#endif
  if (has_contact_pushes(c)) {
    forget_pushes(c);
  }
}

/* Stage 1 of substep `index`: new velocities, and predicted positions. Returns what add_forces() does. */
static int32_t advance_substep(const cloth *c, const step_plan *plan, int32_t index) {
  cloth_statistics *counts = statistics_of(c);
  counts->contacts = 0;
  counts->contacts_sticking = 0;

  /* 1. New velocities and predicted positions: attachments, confinement, motion, forces, solver_contact, implicit. */
  start_moving(c, plan);
  confine_vectors(c, c->state.velocity, 0);
  int32_t contacts = advance_velocities(c, plan, index);
  end_stage(c, CLOTH_STAGE_VELOCITIES, index, c->state.velocity);
  return contacts;
}

/* Stage 2 of substep `index`, after prepare_lengths(): particles are then where they would be without contact.
   `contacts`: of advance_substep(). */
static void hold_lengths(const cloth *c, const step_plan *plan, int32_t index, int32_t contacts) {
  cloth_statistics *counts = statistics_of(c);

  /* 2. Lengths of springs and tethers: projection, tether_pull, strain_limit. Velocities from the moved positions, and
     the limit on speed: motion. */
  if (has_lengths(c, plan)) {
    enforce_lengths(c, plan, contacts);
    update_velocities_from_positions(c, plan, counts);
  } else {
    settle_velocities(c, plan, counts);
  }
  end_stage(c, CLOTH_STAGE_LIMITS, index, c->state.velocity);
  move_by_attached(c, plan);
}

/* Stages 1 and 2. Returns what add_forces() does. */
CLOTH_SEPARATE int32_t predict_substep(const cloth *c, const step_plan *plan, int32_t index) {
  const int32_t contacts = advance_substep(c, plan, index);
  prepare_lengths(c, plan, index);
  hold_lengths(c, plan, index, contacts);
  return contacts;
}

/* Stage 3 of substep `index`, after contact of the sheet with itself. `contacts`: of advance_substep(). */
static void meet_colliders(const cloth *c, const step_plan *plan, int32_t index, int32_t contacts) {
  cloth_statistics *counts = statistics_of(c);

  /* 3. Contacts: those of the solver take back their push (solver_contact), the others are projected (contact). */
  if (WITH_CONTACT_SOLVER && contacts) {
    remove_push_velocities(c, plan, index);
  }
  if (WITH_COLLIDERS) {
    resolve_projected(c, plan, index, counts);
  }
}

/* What follows contact, and stage 4. */
static void leave_colliders(const cloth *c, const step_plan *plan, int32_t index) {
  finish_moving(c, plan);
  stop_reversals(c, plan);

  /* 4. Motion constraints to animated targets: targets. */
#if WITH_TARGETS
  if (inputs_of(c)->targets != TARGETS_NONE) {
    constrain_to_targets(c, plan, index);
  }
#endif
  end_stage(c, CLOTH_STAGE_CONTACTS, index, c->scratch.product);
}

/* Stage 5 of substep `index`. */
static void accept_substep(const cloth *c, int32_t index) {
  /* 5. The new positions and velocities, accepted or recovered: confinement, motion. */
  confine_vectors(c, c->state.velocity, 0);
  confine_vectors(c, c->scratch.product, 1);
  accept_particles(c, statistics_of(c));
#if WITH_TEARING
  if (can_tear(c)) {
    tear_threads(c, &workspace_of(c)->plan);
  }
#endif
  end_stage(c, CLOTH_STAGE_POSITIONS, index, c->state.position);
}

/* Stages 3 to 5. */
CLOTH_SEPARATE void finish_substep(const cloth *c, const step_plan *plan, int32_t index, int32_t contacts) {
  meet_colliders(c, plan, index, contacts);
  leave_colliders(c, plan, index);
  accept_substep(c, index);
}

/* Substep `index` of a step, plan->h seconds long. Before stage 1 candidates of self-contact are gathered
   (self_gather), and contact of the sheet with itself is what stage 3 begins with (self_contact). */
CLOTH_SEPARATE void substep(const cloth *c, const step_plan *plan, int32_t index) {
  CLOTH_ASSERT(index < plan->substeps && plan->substeps <= CLOTH_SUBSTEP_LIMIT);
  gather_with_self(c, plan, index);
  const int32_t contacts = predict_substep(c, plan, index);
  collide_with_self(c, plan, index);
  finish_substep(c, plan, index, contacts);
}

/* What precedes the substeps: the plan, mobilities and uniform lines, the planned work, tethers and constraints. */
static void prepare_step(const cloth *c, float dt, int32_t substeps) {
  workspace *w = workspace_of(c);
  w->least_iterations = 0;
  w->gathers[0] = w->gathers[1] = 0u;
  plan_step_in(c, dt, substeps, &w->plan);
  plan_hinges(c, &w->plan);
  clear_pads(c);
  prepare_particles(c, dt);
  w->plan.is_calm = is_calm(c);
#if WITH_TARGETS && WITH_PROJECTION
  if (has_led_particles(c, &w->plan)) {
    w->plan.led = hold_led_particles(c);
  }
#endif
  w->plan.is_free = !w->plan.led && is_free_cloth(c);
  int32_t uniform = find_uniform_lines(c);
  reset_statistics(c, &w->plan);
  reset_self(c);
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
  if (w->plan.tethered && w->plan.projects) {
    let_out_tethers(c, &w->plan);
  }
#endif
  if (has_bend_lines(&w->plan)) {
    plan_bend_lines(c, &w->plan);
  }
}

#else

/* What precedes the substeps: the plan, pins that begin or end a move, the scratch. */
static void prepare_step(const cloth *c, float dt, int32_t substeps) {
  workspace *w = workspace_of(c);
  plan_step_in(c, dt, substeps, &w->plan);
  fill_zero(at(c, c->state.end), LANE_PAD * sizeof(float));
  start_pins(c, 1.0f / dt);
  prepare_scratch(c);
  reset_statistics(c, &w->plan);
  statistics_of(c)->substeps = 0; /* counted as they are done */
  reset_self(c);
  charge_step(c, &w->plan);
#if WITH_PROJECTION
  if (will_choose_tethers(c)) {
    choose_tethers(c);
  }
#endif
}

/* Before a substep of a step with a deadline: if time is up, as few substeps as may be do what is left of the step. */
static void shorten_step(const cloth *c, step_plan *plan, int32_t index) {
  const int32_t left = plan->substeps - index;
  if (left < 2 || plan->stride > 1 || !may_shorten(c) || may_refine(c)) {
    return;
  }
  plan->stride = longest_stride(plan->h, left);
  if (plan->stride > 1) {
    const solve_arrays arrays = arrays_of(c);
    plan->h *= (float)plan->stride;
    plan->inverse_h = 1.0f / plan->h;
    set_terms(c, plan->h, plan->substeps, &plan->terms);
    fill_coefficient_rows(&arrays, &plan->terms);
  }
}

/* The substeps of a step. */
static void do_substeps(const cloth *c, step_plan *plan) {
  plan->stride = 1;
  for (int32_t index = 0; index < plan->substeps; index += plan->stride) {
    shorten_step(c, plan, index);
    plan->index = index + plan->stride - 1;
    substep(c, plan);
  }
}

#endif

/* Lets the origin of a cloth that has strayed from it follow. Returns the box around the particles. */
static position_box follow_to_box(const cloth *c) {
  workspace *w = workspace_of(c);
  position_box box = box_around(c);
#if WITH_ORIGIN
  w->statistics.origin_shift = follow_cloth(c, &box);
  const cloth_metres shift = w->statistics.origin_shift;
  w->plan.notes |= shift.x || shift.y || shift.z ? CLOTH_NOTE_ORIGIN_MOVED : 0;
  move_shared_bodies(c, shift);
#else
  (void)w;
#endif
  return box;
}

/* Begins the substeps of a step that has been prepared, at an origin (step_origin.h). */
static void start_substeps(const cloth *c, const position_box *box, cloth_vector origin) {
  workspace *w = workspace_of(c);
  w->plan.notes |= set_step_origin(c, box, origin) ? CLOTH_NOTE_FAR : 0;
  move_by_step_origin(c, -1.0f);
  w->tick = CLOTH_TICKS();
  w->skips_contact = 0;
  w->body.index = -1; /* no collider's motion is known yet */
#if CLOTH_ONE_EQUATION
  const solve_arrays arrays = arrays_of(c);
  fill_coefficient_rows(&arrays, &w->plan.terms);
#else
  forget_bearing(c);
#endif
}

/* Charges what the substeps have counted, and sets the notes of the step. Returns the notes. */
static int finish_statistics(const cloth *c, const step_plan *plan) {
  cloth_statistics *counts = statistics_of(c);
#if !CLOTH_ONE_EQUATION
  const uint32_t products = (uint32_t)(counts->iterations + counts->substeps_capped); /* see bound_energy() */
  add_varying_work(c, (uint64_t)products * (uint32_t)c->count, iteration_cost(c, plan));
  add_varying_work(c, (uint32_t)counts->particles_limited + (uint32_t)counts->particles_recovered, COST_RECOVER);
#endif
  counts->notes = plan->notes;
  counts->notes |= counts->particles_limited ? CLOTH_NOTE_SPEED_LIMITED : 0;
  counts->notes |= counts->particles_recovered ? CLOTH_NOTE_RECOVERED : 0;
  counts->notes |= self_notes(c);
  return counts->notes;
}

/* What follows the substeps. `may_sleep`: a cloth at rest may fall asleep. Returns the notes of the step. */
static int finish_step(const cloth *c, float dt, int may_sleep) {
  workspace *w = workspace_of(c);
  leave_step_origin(c);
#if WITH_TEARING
  if (can_tear(c)) {
    finish_tears(c, dt);
  }
#endif
  finish_motions(c);
#if !CLOTH_ONE_EQUATION
  inputs_of(c)->last_substep = w->plan.h;
#endif
#if WITH_AIR
  advance_gusts(inputs_of(c), dt);
#endif
#if WITH_SLEEP
  update_sleep(c, dt, may_sleep);
#endif
  (void)dt;
  (void)may_sleep;
  return finish_statistics(c, &w->plan);
}

/* What precedes the first substep. */
static void begin_step(const cloth *c, float dt) {
#if WITH_BODIES
  clear_body_shares(c);
#endif
  prepare_step(c, dt, choose_substeps(c, dt));
  const position_box box = follow_to_box(c);
  start_substeps(c, &box, step_origin_for(&box));
}

/* A step with as many refinements as the workspace allows. Returns its notes. */
static int step(const cloth *c, float dt) {
#if WITH_SLEEP
  if (is_asleep(c)) {
    return step_asleep(c, dt);
  }
#endif
  begin_step(c, dt);
  workspace *w = workspace_of(c);
#if CLOTH_ONE_EQUATION
  do_substeps(c, &w->plan);
#else
  for (int32_t index = 0; index < w->plan.substeps; index++) {
    w->plan.index = index;
    substep(c, &w->plan, index);
  }
#endif
  return finish_step(c, dt, 1);
}

/* Lets the next step do all its optional work (refinements), without a deadline. */
static void allow_refinements(const cloth *c) {
  workspace *w = workspace_of(c);
  w->has_deadline = 0;
  w->is_cut = 0;
  w->refinements = 0;
}
