#pragma once
#include "access.h"
#include "bodies.h"
#include "compiler.h"
#include "contact_push.h"
#include "gaps.h"
#include "lanes.h"
#include "scalar.h"
#include "stiffness.h"
#include "types.h"
#if CLOTH_ONE_EQUATION
#include "step/coefficients.h"
#endif

/// Plan of a step ///

/*
 * What a step fixes before its first substep: the number of substeps, every coefficient that depends on the substep h,
 * and for each family of springs, by kappa = (h/m) (h ks + 2 kd) (thesis eq. 4.8), whether it is explicit, solved for
 * or projected, and the share of extrapolation.
 *
 * In: dt, c->grid, c->settings, inputs.fabric, inputs.last_substep, state.velocity (the fastest particle). Out: a
 * step_plan, in a step the workspace's. Scratch: none; the offset of operator_blocks tells whether the cloth has
 * a solver.
 */

/* A coefficient clamped to `limit`, or 0 if it is below WORK_QUANTUM. */
static float limited_coefficient(float value, float limit) {
  return flush_small(minimum(value, limit), WORK_QUANTUM);
}

/* Largest kappa of a spring that is solved for, over the square of the cap on iterations: the conjugate gradient
   resolves a condition number of the order of its iterations squared. Stiffness beyond that would turn into noise and
   is left to the strain limits. */
#define SOLVABLE_KAPPA 64.0f

static float solvable_kappa(const cloth *c) {
  float iterations = (float)c->settings.solver.max_iterations;
  return minimum(SOLVABLE_KAPPA * iterations * iterations, KAPPA_LIMIT);
}

/* Coefficients of a family of stretch or shear springs for a substep of h, its mode not chosen yet. Not inlined: clang
   would vectorise the divisions over directions and divide whatever lies in unused lanes, which raises flags. */
CLOTH_SEPARATE spring_family plan_spring(const cloth *c, float h, int32_t d) {
  float per_mass = h / reference_mass(c);
  spring_family s;
  s.rest = direction_rest(c, d);
  s.stiffness = limited_coefficient(h * (per_mass * direction_stiffness(c, d)), KAPPA_LIMIT);
  s.damping = limited_coefficient(per_mass * direction_damping(c, d), DAMPING_LIMIT);
  s.force = s.stiffness * (1.0f / h);
  s.compression = d <= WEFT ? inputs_of(c)->fabric.compression : inputs_of(c)->fabric.shear_compression;
  s.kappa = s.stiffness + 2.0f * s.damping;
  s.mode = CLOTH_MODE_OFF;
  s.projected = PROJECTED_NONE;
  return s;
}

/* Kappa above which springs are projected by configuration: only CLOTH_INTEGRATION_ADAPTIVE projects. */
static float projection_threshold(const cloth *c) {
  return c->settings.integration.method == CLOTH_INTEGRATION_ADAPTIVE
             ? maximum(c->settings.integration.explicit_threshold, c->settings.integration.projection_threshold)
             : CLOTH_KAPPA_NEVER;
}

/* Largest kappa of springs that are solved for beside projected ones, for each iteration of the cap. Projection moves
   particles without regard to springs that are solved for, so that every solve starts far from its solution; what a
   capped solve leaves over is noise that the following substeps amplify. At 2.25 (a drape of 64 x 64, folds of kappa 9,
   4 iterations) sheets diverged; the smaller sheets of tests/stability.c do not show it. */
#define RESOLVED_KAPPA 0.25f

/* Kappa above which springs are projected in this step: as configured, or less if some spring is projected, so that
   those that a capped solve cannot resolve beside it are projected, too. */
static float projected_above(const cloth *c, const step_plan *plan) {
  float threshold = projection_threshold(c);
  float max_kappa = 0.0f;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    max_kappa = maximum(max_kappa, plan->spring[d].kappa);
  }
  if (!(max_kappa * max_kappa_factor(c) > threshold)) {
    return threshold;
  }
  return minimum(threshold, maximum(c->settings.integration.explicit_threshold,
                                    RESOLVED_KAPPA * (float)c->settings.solver.max_iterations));
}

/* PROJECTED_NONE, PROJECTED_ALL, or PROJECTED_SOME where maps put single springs on either side of the threshold. */
static int32_t projected_by_kappa(const cloth *c, float kappa, float threshold) {
  if (!WITH_PROJECTION || !(kappa * max_kappa_factor(c) > threshold)) {
    return PROJECTED_NONE;
  }
  return kappa * min_kappa_factor(c) > threshold ? PROJECTED_ALL : PROJECTED_SOME;
}

/* Factor of the largest kappa of a particle: by the maps, and where a light body gives way to its springs. */
static float explicit_kappa_factor(const cloth *c) {
  return max_kappa_factor(c) * largest_attached_mobility(c);
}

/* Mode of a family by its kappa: mixed where maps put single springs on either side of the explicit threshold. */
static int32_t mode_by_kappa(const cloth *c, float kappa) {
  if (kappa == 0.0f) {
    return CLOTH_MODE_OFF;
  }
  if (!c->scratch.operator_blocks || kappa * explicit_kappa_factor(c) <= c->settings.integration.explicit_threshold) {
    return CLOTH_MODE_EXPLICIT;
  }
  const int is_above = kappa * min_kappa_factor(c) > c->settings.integration.explicit_threshold;
  return is_above || largest_attached_mobility(c) > 1.0f ? CLOTH_MODE_IMPLICIT : CLOTH_MODE_MIXED;
}

/* 1 if a family may be forced to be explicit: its stiffest spring is stable then. */
static int is_stable_explicit(const cloth *c, const spring_family *s) {
  return s->kappa * explicit_kappa_factor(c) <= maximum(EXPLICIT_LIMIT, c->settings.integration.explicit_threshold);
}

/* Chooses how a family acts. One that is to be explicit but would be unstable is made implicit, and noted. */
static void choose_mode(const cloth *c, step_plan *plan, spring_family *s) {
  s->projected = projected_by_kappa(c, s->kappa, plan->projected_above);
  s->mode = s->projected == PROJECTED_ALL ? CLOTH_MODE_OFF : mode_by_kappa(c, s->kappa);
  if (s->projected != PROJECTED_ALL && s->stiffness > solvable_kappa(c)) {
    s->stiffness = solvable_kappa(c);
    s->force = s->stiffness * plan->inverse_h;
  }
  if (!WITH_SOLVER || s->mode == CLOTH_MODE_OFF || c->settings.integration.method == CLOTH_INTEGRATION_ADAPTIVE) {
    return;
  }
  s->mode = CLOTH_MODE_IMPLICIT;
  if (c->settings.integration.method == CLOTH_INTEGRATION_IMPLICIT) {
    return;
  }
  if (is_stable_explicit(c, s)) {
    s->mode = CLOTH_MODE_EXPLICIT;
    return;
  }
  plan->notes |= CLOTH_NOTE_MADE_IMPLICIT;
}

/* Share of a force that acts in the substep in which it is evaluated, 4/9 with BDF2 alone and 1 without; the velocities
   extrapolated from it bring the rest in later substeps. */
static float force_share(const step_plan *plan) {
  return 1.0f - plan->extrapolation * (5.0f / 9.0f);
}

/* Largest stiffness of a hinge, viscosity included. The elimination of a line cancels all but the masses, 1, of pivots
   of 6 of it: at 1e4 that leaves 11 bits. Stiffer lines would lose momentum, and gain energy in contact. */
#define BEND_KAPPA_LIMIT 1.0e4f
/* The same beside springs that are solved for. Bending that is solved after a solve cut short feeds on what is left
   over there: with 1e4, 4 of the 1,000 sets of tests/stability.c gain more than 50 times their weight times their size.
 */
#define SOLVED_BEND_KAPPA_LIMIT 64.0f

/* Largest product of the stiffness of bending and of the largest eigenvalue of hinges and twists, 16 of each, at which
   bending is explicit. At the predicted positions a mode is stable up to about 1, whatever the share of BDF2. */
#define EXPLICIT_BEND_LIMIT 0.9f

/* Bending. What exceeds the limit is taken from the viscosity first. */
static void plan_bend(const cloth *c, step_plan *plan) {
  const float u = c->grid.spacing_warp, v = c->grid.spacing_weft;
  bend_plan *b = &plan->bend;
  const float rigidity = bend_rigidity(c, &b->ratio);
  const float per_mass = plan->h * (plan->h / reference_mass(c));
  const float warp = per_mass * (rigidity * (v / u) / (u * u)), weft = per_mass * (rigidity * (u / v) / (v * v));
  b->kappa = maximum(warp, weft);
  const float limit = plan->solves ? SOLVED_BEND_KAPPA_LIMIT : BEND_KAPPA_LIMIT;
  const float elastic = maximum(b->kappa * force_share(plan), WORK_QUANTUM);
  const float most = maximum(limit / elastic - 1.0f, 0.0f);
  const float wanted = inputs_of(c)->fabric.bend_damping * plan->inverse_h, viscosity = minimum(wanted, most);
  const float share = force_share(plan) * (1.0f + viscosity);
  if (elastic > limit || wanted > most) {
    plan->notes |= CLOTH_NOTE_BEND_LIMITED;
  }
  b->stiffness[WARP] = limited_coefficient(warp * share, limit);
  b->stiffness[WEFT] = limited_coefficient(weft * share, limit);
  b->twist = 2.0f * square_root(b->stiffness[WARP]) * square_root(b->stiffness[WEFT]);
  b->shift = flush_small(viscosity / (1.0f + viscosity), WORK_QUANTUM);
  const float largest = 16.0f * (b->stiffness[WARP] + b->stiffness[WEFT] + b->twist) * max_kappa_factor(c);
  b->has_equal_hinges = 1;
  b->is_explicit = largest <= EXPLICIT_BEND_LIMIT;
  plan->bends = b->stiffness[WARP] > 0.0f || b->stiffness[WEFT] > 0.0f;
}

/* Compliances of a projected family. The BDF2 prediction brings the rest of a force in later substeps. */
static void plan_compliance(const step_plan *plan, spring_family *s) {
  const float stiffness = s->stiffness + s->damping;
  s->compliance[0] = 1.0f / maximum(force_share(plan) * stiffness, WORK_QUANTUM);
  s->compliance[0] = minimum(maximum(s->compliance[0], MIN_COMPLIANCE), COMPLIANCE_ABSENT);
  s->compliance[1] = minimum(s->compliance[0] / maximum(s->compression, WORK_QUANTUM), COMPLIANCE_ABSENT);
  s->damping_share = stiffness > 0.0f ? flush_small(s->damping / stiffness, WORK_QUANTUM) : 0.0f;
}

/* Largest of the squares of the particles' velocities, as they are stored [m^2/s^2]. */
static float max_squared_speed(const cloth *c) {
  const vector_array velocity = vectors_at(c, c->state.velocity);
  lanes most = lanes_splat(0.0f);
  EACH_BLOCK(i, left, c->count, {
    const lanes3 v = lanes3_keep(lanes_first(left), lanes3_load(velocity, i));
    most = lanes_maximum(lanes3_dot(v, v), most);
  });
  return lanes_largest(most, 0.0f);
}

/* 1 if particles may have pushes and all of them are calm at the start of a step. */
static int is_calm(const cloth *c) {
  return has_contact_pushes(c) && max_squared_speed(c) < CALM_SPEED * CALM_SPEED;
}

/* Speed of the fastest particle as a step of dt seconds starts [m/s]. */
static float max_particle_speed(const cloth *c, float dt) {
  const float inverse_dt = 1.0f / dt;
  float max_squared = 0.0f;
  if (!(freedom_of_some(c) & PIN_MOVING)) {
    return square_root(max_squared_speed(c));
  }
  for (int32_t i = 0; i < c->count; i++) {
    cloth_vector velocity = starting_velocity(c, i, inverse_dt);
    max_squared = maximum(max_squared, vector_dot(velocity, velocity));
  }
  return square_root(max_squared);
}

/* Substeps n that bring the kappa of a direction down to `target`, not rounded: the root of
   (dt/n)^2 ks/m + 2 (dt/n) kd/m = target, for the spring with the largest kappa by the maps. */
static float substeps_for_kappa(const cloth *c, float dt, int32_t direction, float target) {
  float per_mass = dt * max_kappa_factor(c) / reference_mass(c);
  float a = dt * (per_mass * direction_stiffness(c, direction));
  float b = 2.0f * per_mass * direction_damping(c, direction);
  if (c->settings.integration.method <= CLOTH_INTEGRATION_IMPLICIT) {
    b = 0.0f; /* implicit damping is stable in steps of any length */
  }
  return (b + square_root(b * b + 4.0f * a * target)) / (2.0f * target);
}

#if CLOTH_ONE_EQUATION

/* Substeps of a step: as configured or, automatically, so many that no particle moves further than a share of a cell
   in one; more where one would be longer than LONGEST_SUBSTEP, up to the cap. A cloth without an operator needs as many
   as its stiffness demands. */
static int32_t choose_equation_substeps(const cloth *c, float dt, int at_rest) {
  const int32_t wanted = c->settings.integration.substeps, cap = c->settings.integration.max_substeps;
  const float least = dt / LONGEST_SUBSTEP - EQUAL_SHARE;
  if (wanted > 0) {
    return ceiling_within(maximum(least, (float)wanted), wanted > cap ? wanted : cap);
  }
  if (c->settings.capacity.fixed_work) {
    return cap;
  }
  const float travel = at_rest ? 0.0f : max_particle_speed(c, dt) * dt;
  float substeps = travel / (SUBSTEP_TRAVEL * minimum(c->grid.spacing_warp, c->grid.spacing_weft));
  substeps = maximum(maximum(substeps, least), LEAST_SUBSTEPS);
  if (c->settings.integration.method == CLOTH_INTEGRATION_EXPLICIT_ONLY) {
    substeps = maximum(substeps, explicit_substeps(c, dt));
  }
  return ceiling_within(substeps, cap);
}

#endif

/* Number of substeps of a step: as configured, the maximum with fixed work, else as many as kappa and, unless the cloth
   is at rest, speed require. */
static int32_t choose_substeps_for(const cloth *c, float dt, int at_rest) {
#if CLOTH_ONE_EQUATION
  return choose_equation_substeps(c, dt, at_rest);
#else
  if (c->settings.integration.substeps > 0) {
    return c->settings.integration.substeps;
  }
  if (c->settings.capacity.fixed_work) {
    return c->settings.integration.max_substeps;
  }
  float target = SUBSTEP_KAPPA;
  if (c->settings.integration.method >= CLOTH_INTEGRATION_EXPLICIT) {
    const float threshold = c->settings.integration.explicit_threshold;
    target = threshold > 0.0f ? threshold : SUBSTEP_KAPPA_EXPLICIT;
  }
  const float travel = at_rest ? 0.0f : max_particle_speed(c, dt) * dt;
  float substeps = travel / (SUBSTEP_TRAVEL * minimum(c->grid.spacing_warp, c->grid.spacing_weft));
  if (projection_threshold(c) < SUBSTEP_KAPPA) {
    return ceiling_within(maximum(substeps, SUBSTEPS_PROJECTED), c->settings.integration.max_substeps);
  }
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    substeps = maximum(substeps, substeps_for_kappa(c, dt, d, target));
  }
  return ceiling_within(substeps, c->settings.integration.max_substeps);
#endif
}

static int32_t choose_substeps(const cloth *c, float dt) {
  return choose_substeps_for(c, dt, 0);
}

/* 1 if a step is refused: an explicit-only cloth has no solver for a family that would be unstable. */
static int is_refused(const cloth *c, float dt) {
  if (c->settings.integration.method != CLOTH_INTEGRATION_EXPLICIT_ONLY) {
    return 0;
  }
#if CLOTH_ONE_EQUATION
  substep_terms terms;
  const int32_t substeps = choose_substeps(c, dt);
  set_terms(c, dt / (float)substeps, substeps, &terms);
  return explicit_sum(c, &terms) > EXPLICIT_BOUND;
#else
  float h = dt / (float)choose_substeps(c, dt);
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    spring_family s = plan_spring(c, h, d);
    if (!is_stable_explicit(c, &s)) {
      return 1;
    }
  }
  return 0;
#endif
}

/*
 * Extrapolation, the share of BDF2 in the prediction. Steps that may solve, also for contacts alone, have none: a solve
 * starts from the velocity as it is. In the other steps explicit forces are evaluated at the predicted positions. At
 * the positions of the substep's start they would lag behind and amplify oscillations, at kappa 0.05 by a factor of e
 * in 50 substeps; at the prediction they damp them as an implicit step does.
 */
static void plan_extrapolation(const cloth *c, step_plan *plan) {
  float last = inputs_of(c)->last_substep;
  const int extrapolates = !plan->solves && !has_solver_contacts(c) && c->state.velocity_history;
  plan->history_weight = last > 0.0f ? minimum(plan->h / last, 1.0f) : 1.0f;
  plan->extrapolation = extrapolates ? c->settings.integration.bdf2_blend * plan->history_weight : 0.0f;
}

/* Displacements are summed in substeps shorter than this [s], see lines.h. At 1/600 s a sheet that hangs from its
   corners comes to rest without; at 1/1680 s it trembles at 1 to 4 cm/s if it lies some decimetres from its origin. */
#define FINE_SUBSTEP 1.25e-3f

/* Fills a plan for a step of dt in so many substeps, but for `tethered` and `is_free`, which follow when the step is
   prepared, and for what plan_hinges() does. */
CLOTH_SEPARATE void plan_step_in(const cloth *c, float dt, int32_t substeps, step_plan *plan) {
#if CLOTH_ONE_EQUATION
  fill_zero(plan, sizeof *plan);
  plan->dt = dt;
  plan->substeps = substeps;
  plan->h = dt / (float)substeps;
  plan->inverse_h = 1.0f / plan->h;
  plan->friction_share = 1.0f;
  plan->notes = set_terms(c, plan->h, substeps, &plan->terms);
#else
  plan->dt = dt;
  plan->notes = 0;
  plan->substeps = substeps;
  plan->h = dt / (float)plan->substeps;
  plan->inverse_h = 1.0f / plan->h;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    plan->spring[d] = plan_spring(c, plan->h, d);
  }
  plan->projected_above = projected_above(c, plan);
  plan->solves = 0;
  plan->forces = 0;
  plan->projects = 0;
  plan->springs = 0;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    choose_mode(c, plan, &plan->spring[d]);
    plan->solves |= plan->spring[d].mode >= CLOTH_MODE_IMPLICIT;
    plan->springs |= plan->spring[d].mode != CLOTH_MODE_OFF;
    plan->projects |= plan->spring[d].projected != PROJECTED_NONE;
  }
  plan->forces |= plan->springs;
  plan->sums = c->scratch.displacement && plan->h < FINE_SUBSTEP;
  plan_extrapolation(c, plan);
  plan_bend(c, plan);
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    plan_compliance(plan, &plan->spring[d]);
  }
  plan->tether_scale = tether_scale(c);
  plan->tether_growth = 1.0f;
  plan->friction_share = 1.0f;
  plan->tether_slack = 0.0f;
  plan->led = 0;
#endif
}

#if WITH_PLANNING

/* The same in the substeps that the cloth chooses. */
static void plan_step(const cloth *c, float dt, step_plan *plan) {
  plan_step_in(c, dt, choose_substeps(c, dt), plan);
}

#endif

/* 1 if bending is solved along lines. */
static int has_bend_lines(const step_plan *plan) {
  return plan->bends && !plan->bend.is_explicit;
}

/* 1 if bending acts by forces, as a stencil. */
static int has_stencil(const step_plan *plan) {
  return plan->bends && plan->bend.is_explicit;
}

/* Is a pin on exactly one side of a particle, between two others? */
static int is_pinned_on_one_side(const cloth *c, int32_t before, int32_t after) {
  return is_pinned(c, before) != is_pinned(c, after);
}

/* Is a pinned particle the border of a clamp in its row or its column? Their ends have no hinge. */
static int is_clamp_border(const cloth *c, int32_t row, int32_t column) {
  const int32_t columns = c->grid.columns, i = row * columns + column;
  if (row > 0 && row + 1 < c->grid.rows && is_pinned_on_one_side(c, i - columns, i + columns)) {
    return 1;
  }
  const int32_t before = column > 0 ? i - 1 : i + columns - 1, after = column + 1 < columns ? i + 1 : i + 1 - columns;
  const int has_hinge = is_wrapped(c) || (column > 0 && column + 1 < columns);
  return has_hinge && is_pinned_on_one_side(c, before, after);
}

/* Does every hinge have the factor 1, whatever contacts of the solver hold? */
CLOTH_SEPARATE int has_equal_hinges(const cloth *c) {
  if (has_solver_contacts(c) || may_have_gaps(c) || c->settings.factors.min_stiffness < 1.0f ||
      c->settings.factors.max_stiffness > 1.0f) {
    return 0;
  }
  for (int32_t i = next_pin(c, 0); i < c->count; i = next_pin(c, i + 1)) {
    const int32_t row = i / c->grid.columns;
    if (is_clamp_border(c, row, i - row * c->grid.columns)) {
      return 0;
    }
  }
  return 1;
}

/* Tells the plan what pins, maps and contacts make of the hinges: where their factors differ, bending is solved along
   lines. */
static void plan_hinges(const cloth *c, step_plan *plan) {
  plan->bend.has_equal_hinges = has_equal_hinges(c);
  plan->bend.is_explicit &= plan->bend.has_equal_hinges;
}

/* Do the moves of all pins stay within the speed limit in a step of dt seconds? */
static int are_moves_in_range(const cloth *c, float dt) {
  const float inverse_dt = 1.0f / dt;
  int have_moves = (freedom_of_some(c) & PIN_MOVING) != 0;
  for (int32_t i = 0; have_moves && i < c->count; i++) {
    if (!vector_in_range(starting_velocity(c, i, inverse_dt), CLOTH_SPEED_LIMIT)) {
      return 0;
    }
  }
  return 1;
}

/* Returns CLOTH_OK if a step of dt seconds can be made, or what cloth_step() is to return. A sleeping cloth has no
   moves, and its step looks at no particle. */
static int check_step(const cloth *c, float dt) {
  int error = check_cloth(c);
  if (error) {
    return error;
  }
  if (!is_time_step(dt)) {
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
