#pragma once
#include "../access.h"
#include "../block3.h"
#include "../bodies/attached.h"
#include "../bodies/coupling.h"
#include "../bodies/motion.h"
#include "../compiler.h"
#include "../confinement.h"
#include "../contact/body.h"
#include "../contact/press.h"
#include "../contact/result.h"
#include "../contact/runaway.h"
#include "../contact/search.h"
#include "../contact/surface.h"
#include "../gaps.h"
#include "../lanes.h"
#include "../pin_reactions.h"
#include "../scalar.h"
#include "../self_contact.h"
#include "../self_state.h"
#include "../solve/arrays.h"
#include "../solve/passes.h"
#include "../solve/solve.h"
#include "../tear.h"
#include "../terms/bounds.h"
#include "../terms/clamps.h"
#include "../types.h"
#include "accept.h"
#include "coefficients.h"
#include "guard.h"
#include "linearise.h"
#include "momentum.h"
#include "predict.h"
#include "prepare.h"
#include "reactions.h"
#include "stages.h"
#include "work.h"

/// A substep ///

/* Counts a substep that is done, and its iterations. `is_whole`: it was not divided; the next one's prediction reaches
   as far as the last whole one. */
CLOTH_ONCE void count_substep(const cloth *c, float h, int32_t iterations, int32_t is_whole) {
  cloth_statistics *s = statistics_of(c);
  cloth_inputs *inputs = inputs_of(c);
  const float off = h - inputs->last_substep;
  const int32_t is_equal = is_whole && off <= EQUAL_SHARE * h && off >= -EQUAL_SHARE * h;
  s->iterations += iterations;
  s->max_substep_iterations = iterations > s->max_substep_iterations ? iterations : s->max_substep_iterations;
  ((uint16_t *)at(c, c->own.iterations))[s->substeps++] = (uint16_t)iterations;
  inputs->equal_substeps = is_equal ? inputs->equal_substeps + (inputs->equal_substeps < MOST_EQUAL_SUBSTEPS) : 0;
  inputs->last_substep = is_whole ? h : inputs->last_substep;
}

/* Takes what terms have added in the substep before out of the diagonal. */
CLOTH_ONCE void start_diagonal(const cloth *c, const substep_terms *t) {
  workspace *w = workspace_of(c);
  if (w->diagonal_changed) {
    const solve_arrays arrays = arrays_of(c);
    fill_diagonal(c, &arrays);
    w->diagonal_changed = 0;
  }
#if WITH_TARGETS
  if (inputs_of(c)->targets != TARGETS_NONE) {
    w->diagonal_changed = 1;
    lead_particles(c, t);
  }
#endif
  (void)t;
}

/* Terms of few particles, after the springs, the plate and the air of all. */
CLOTH_ONCE void add_terms(const cloth *c, substep_terms *t) {
  workspace *w = workspace_of(c);
  w->diagonal_changed = has_air(c) && c->settings.air.drag > 0.0f;
  w->diagonal_changed |= add_clamps(c, t);
  w->has_ground = w->touches > 0 || has_bounds(c);
  if (w->has_ground) {
    clear_floats(floats_at(c, c->scratch.ground), SYMMETRIC_FLOATS * pitch_of(c) * c->grid.rows);
  }
  if (has_bounds(c)) {
    add_bounds(c, t);
    w->diagonal_changed = 1;
  }
#if WITH_COLLIDERS
  if (w->touches > 0) {
    w->coarsest_is_kept = t->keeps_coarsest = 0; /* contacts are others in every substep */
    add_contacts(c, t);
  }
#endif
#if WITH_BODIES
  if (add_body_springs(c, t)) {
    w->coarsest_is_kept = t->keeps_coarsest = 0;
    w->diagonal_changed = 1;
  }
#endif
}

/* Where the scale of the springs has changed. */
CLOTH_ONCE void change_scale(const cloth *c, const substep_terms *t) {
  const solve_arrays arrays = arrays_of(c);
  fill_coefficient_rows(&arrays, t);
  workspace_of(c)->coarsest_is_kept = 0;
}

/* Begins a part of a substep: its coefficients, the prediction, and what it touches. Returns 1 if it is too long. */
CLOTH_ONCE int32_t start_part(const cloth *c, step_plan *plan, float done, float length) {
  substep_terms *t = &plan->terms;
  const float scale = t->scale, whole = (float)plan->stride / (float)plan->substeps;
  const float end = (float)(plan->index + 1) / (float)plan->substeps;
  plan->notes |= set_terms(c, length < 1.0f ? length * plan->h : plan->h, plan->substeps, t);
  t->from = end - (1.0f - done) * whole;
  t->until = done + length < 1.0f ? end - (1.0f - done - length) * whole : end;
  if (t->scale != scale) {
    change_scale(c, t);
  }
  start_diagonal(c, t);
#if WITH_BODIES
  lead_attached_particles(c, t);
  predict_bodies(c, t);
#endif
  predict_places(c, t);
#if WITH_COLLIDERS
  int32_t is_deep = c->scratch.touches ? find_touches(c, t) : 0;
#if WITH_SURFACES
  is_deep |= count_surfaces(c) > 0 ? find_surface_touches(c, t) : 0;
#endif
  return is_deep;
#else
  return 0;
#endif
}

#if WITH_COLLIDERS

/* What contacts leave behind once the new positions have been accepted. */
static void end_contacts(const cloth *c, const substep_terms *t, int32_t has_solution) {
#if WITH_SURFACES
  guard_surfaces(c, t);
  const int32_t moved_out = workspace_of(c)->moved_out;
#endif
  if (workspace_of(c)->touches > 0) {
    finish_contacts(c, t, has_solution);
  } else {
    remember_nothing(c);
  }
  if (workspace_of(c)->searched > 0) {
    catch_runaways(c, t, has_solution);
  }
#if WITH_SURFACES
  if (workspace_of(c)->moved_out != moved_out) { /* out of a solid, perhaps through a surface */
    guard_surfaces(c, t);
  }
#endif
}

#endif

/* Solves a part of a substep. Returns the iterations done. */
CLOTH_ONCE int32_t solve_part(const cloth *c, substep_terms *t) {
  int32_t has_solution = 1, iterations = 0, shortenings = -1;
  linearise(c, t);
  add_terms(c, t);
#if WITH_BODIES
  const cloth_vector noted = notes_pins(c) ? note_forces(c, t) : vector(0.0f, 0.0f, 0.0f);
#endif
  end_stage(c, CLOTH_STAGE_FORCES, 1);
  if (WITH_SOLVER && t->solves) {
    iterations = solve(c, t, &has_solution);
  } else {
    start_coupling(c, t);
    solve_alone(c);
    follow_particles(c, t);
  }
  end_stage(c, CLOTH_STAGE_SOLVE, has_solution);
#if WITH_BODIES
  if (notes_pins(c)) {
    note_solution(c, t, has_solution);
    note_bodies(c, t, has_solution);
  }
#endif
  has_solution = restore_momentum(c, t, has_solution);
  if (has_guard(c, t)) {
    shortenings = guard_energy(c, t, has_solution);
    workspace_of(c)->energy_guarded += shortenings > 0 ? shortenings : 0;
    has_solution |= shortenings >= 0;
  }
#if WITH_BODIES
  if (notes_pins(c)) {
    has_solution = share_rest(c, t, noted, has_solution);
  }
#endif
  end_stage(c, CLOTH_STAGE_GUARDS, has_solution);
  keep_start(c);
  accept(c, t, has_solution);
#if WITH_BODIES
  accept_bodies(c, t);
  report_attachments(c);
#endif
#if WITH_COLLIDERS
  if (c->scratch.touches) {
    end_contacts(c, t, has_solution);
  }
#endif
  workspace_of(c)->parts++;
  charge_substep(c, t, iterations, shortenings);
  return iterations;
}

/* Puts confined particles where they may be. */
static void confine_particles(const cloth *c) {
  confine_vectors(c, c->state.velocity, 0);
  confine_vectors(c, c->state.position, 1);
}

/* What follows the parts of a substep: absent particles follow, threads break, and it is counted. `is_whole`: it was
   not divided. */
CLOTH_ONCE void end_substep(const cloth *c, step_plan *plan, int32_t iterations, int32_t is_whole) {
#if WITH_GAPS
  if (has_gaps(c)) {
    place_absent_particles(c, vectors_at(c, c->state.position));
  }
#endif
#if WITH_TEARING
  if (can_tear(c)) {
    const int32_t torn = statistics_of(c)->threads_torn;
    tear_threads(c, plan);
    if (statistics_of(c)->threads_torn != torn) {
      describe_links(c);
    }
  }
#endif
  count_substep(c, plan->h, iterations, is_whole);
}

/*
 * One incremental potential, linearised once where the prediction leads, and solved for the displacement y from there:
 *
 *   Phi(x) = 1 / (2 h^2) |x - x*|^2_M + springs + plate + air + contacts + further terms - M g . x,  x* = x_n + h f v
 *
 * At rest v = 0, so x* = x_n, the forces balance and y = 0, whatever the iterations: what rests stays at rest.
 *
 * Where contact is deep, or cloth may touch cloth, the substep is taken in two parts, and each of these in two, before
 * anything is solved.
 */
CLOTH_SEPARATE void substep(const cloth *c, step_plan *plan) {
  const float shortest = 1.0f / (float)c->settings.integration.max_parts;
  const float longest = gather_with_self(c, plan, shortest);
  float done = 0.0f, length = longest;
  int32_t iterations = 0;
  while (done < 1.0f) {
    if (start_part(c, plan, done, length) && length > shortest) {
      length *= 0.5f;
      continue;
    }
    end_stage(c, CLOTH_STAGE_PREDICTION, 1);
    iterations += solve_part(c, &plan->terms);
    collide_with_self(c, plan);
    confine_particles(c);
    end_stage(c, CLOTH_STAGE_ACCEPTANCE, 1);
    done += length;
    length = done == 0.5f ? minimum(0.5f, longest) : length; /* the first half is done: the other is tried as a whole */
  }
  end_substep(c, plan, iterations, length == 1.0f);
}
