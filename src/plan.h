#pragma once
#include "access.h"
#include "compiler.h"
#include "layout.h"
#include "scalar.h"
#include "stiffness.h"
#include "types.h"

/// Plan of a step ///

/* Cuts a coefficient off at a limit and drops it below WORK_QUANTUM. */
static float limited_coefficient(float value, float limit) {
  return flush_small(minimum(value, limit), WORK_QUANTUM);
}

/* Conjugate gradients resolve a condition number of the order of their iterations squared. What a capped solve cannot
   resolve turns into noise, so stiffness beyond this is left to the strain limits. */
#define SOLVABLE_KAPPA 64.0f

static float solvable_kappa(const cloth *c) {
  float iterations = (float)c->settings.solver.max_iterations;
  return minimum(SOLVABLE_KAPPA * iterations * iterations, KAPPA_LIMIT);
}

/* A function of its own: clang would divide for two directions at once, with garbage in the lanes it has no use for. */
CLOTH_SEPARATE spring_family plan_spring(const cloth *c, float k, int32_t d) {
  float per_mass = k / reference_mass(c);
  spring_family s;
  s.rest = direction_rest(c, d);
  s.stiffness = limited_coefficient(k * (per_mass * direction_stiffness(c, d)), solvable_kappa(c));
  s.damping = limited_coefficient(per_mass * direction_damping(c, d), DAMPING_LIMIT);
  s.force = s.stiffness * (1.0f / k);
  s.compression = d <= WEFT ? inputs_of(c)->fabric.compression : inputs_of(c)->fabric.shear_compression;
  s.kappa = s.stiffness + 2.0f * s.damping;
  s.mode = CLOTH_MODE_OFF;
  s.projected = PROJECTED_NONE;
  return s;
}

/* Kappa above which a spring is projected as configured. Only the choice by kappa knows this tier. */
static float projection_threshold(const cloth *c) {
  return c->settings.integration.method == CLOTH_INTEGRATION_ADAPTIVE
             ? maximum(c->settings.integration.explicit_threshold, c->settings.integration.projection_threshold)
             : CLOTH_KAPPA_NEVER;
}

/* Projection moves particles as far as it takes, whatever that does to springs that are solved for, so that every solve
   starts far from its end. It must come close to it, or what is left over is noise that feeds on itself: conjugate
   gradients do so up to this kappa per iteration of the cap (measured). */
#define RESOLVED_KAPPA 0.25f

/* The threshold of a step: beside projected springs those are projected, too, that a capped solve cannot resolve. */
static float projected_above(const cloth *c, const step_plan *plan) {
  float threshold = projection_threshold(c);
  float most = 0.0f;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    most = maximum(most, plan->spring[d].kappa);
  }
  if (!(most * max_kappa_factor(c) > threshold)) {
    return threshold;
  }
  return minimum(threshold, maximum(c->settings.integration.explicit_threshold,
                                    RESOLVED_KAPPA * (float)c->settings.solver.max_iterations));
}

static int32_t projected_by_kappa(const cloth *c, float kappa, float threshold) {
  if (!WITH_PROJECTION || !(kappa * max_kappa_factor(c) > threshold)) {
    return PROJECTED_NONE;
  }
  return kappa * min_kappa_factor(c) > threshold ? PROJECTED_ALL : PROJECTED_SOME;
}

/* The mode kappa asks for, by the threshold. */
static int32_t mode_by_kappa(const cloth *c, float kappa) {
  if (kappa == 0.0f) {
    return CLOTH_MODE_OFF;
  }
  if (!c->scratch.operator_blocks || kappa * max_kappa_factor(c) <= c->settings.integration.explicit_threshold) {
    return CLOTH_MODE_EXPLICIT;
  }
  return kappa * min_kappa_factor(c) > c->settings.integration.explicit_threshold ? CLOTH_MODE_IMPLICIT
                                                                                  : CLOTH_MODE_MIXED;
}

/* May a family be forced to be explicit? */
static int is_stable_explicit(const cloth *c, const spring_family *s) {
  return s->kappa * max_kappa_factor(c) <= maximum(EXPLICIT_LIMIT, c->settings.integration.explicit_threshold);
}

static void choose_mode(const cloth *c, step_plan *plan, spring_family *s) {
  s->projected = projected_by_kappa(c, s->kappa, plan->projected_above);
  s->mode = s->projected == PROJECTED_ALL ? CLOTH_MODE_OFF : mode_by_kappa(c, s->kappa);
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

static void plan_bend_family(const cloth *c, step_plan *plan, int32_t d) {
  float per_mass = plan->h / reference_mass(c);
  bend_family *b = &plan->bend[d];
  b->rest = 2.0f * direction_rest(c, d);
  b->inverse_rest = 1.0f / b->rest;
  b->curve = per_mass * bend_constant(c, d) / (b->rest * b->rest);
  b->curve_slope = limited_coefficient(plan->h * b->curve / b->rest, KAPPA_LIMIT);
  b->linear_slope = limited_coefficient(plan->h * (per_mass * bend_linear_slope(c, d, b->rest)), KAPPA_LIMIT);
  b->fold_slope = limited_coefficient(plan->h * (per_mass * fold_stiffness(c, d)), KAPPA_LIMIT);
  b->damping = limited_coefficient(per_mass * inputs_of(c)->fabric.bend_damping, DAMPING_LIMIT);
  b->most = BEND_TRAVEL * b->rest * plan->inverse_h;
}

/* Bend springs too stiff to be explicit are projected above the threshold, or if there is no solver for them. Explicit
   ones have their damping cut down to what is stable, and are stiff by their stiffness alone. */
static int is_bend_projected(const cloth *c, const step_plan *plan) {
  float kappa = plan->bend_kappa * max_kappa_factor(c);
  if (kappa > BEND_EXPLICIT_LIMIT) {
    kappa += 2.0f * plan->bend[WARP].damping;
  }
  return WITH_PROJECTION && c->settings.integration.method == CLOTH_INTEGRATION_ADAPTIVE &&
         c->settings.integration.bend_method == CLOTH_BEND_ADAPTIVE &&
         kappa > (c->scratch.bend_slopes ? plan->projected_above : BEND_EXPLICIT_LIMIT);
}

/* Projected bend springs are linear: the stiffer of the fabric's slope near rest length and the fold stiffness. */
static void plan_projected_bend(step_plan *plan) {
  plan->bend_mode = CLOTH_MODE_OFF;
  for (int32_t d = WARP; d <= WEFT; d++) {
    float kappa = maximum(plan->bend[d].linear_slope, plan->bend[d].fold_slope);
    plan->bend_compliance[d] = 1.0f / maximum(kappa, WORK_QUANTUM);
  }
}

static void plan_bend(const cloth *c, step_plan *plan) {
  float fabric_kappa = 0.0f;
  plan->bend_kappa = 0.0f;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    plan_bend_family(c, plan, d);
    fabric_kappa = maximum(fabric_kappa, plan->bend[d].linear_slope);
    plan->bend_kappa = maximum(plan->bend_kappa, maximum(fabric_kappa, plan->bend[d].fold_slope));
  }
  plan->bend_projected = is_bend_projected(c, plan);
  if (plan->bend_projected) {
    plan_projected_bend(plan);
    return;
  }
  float limit = BEND_EXPLICIT_LIMIT / max_kappa_factor(c);
  plan->bend_mode = plan->bend_kappa == 0.0f ? CLOTH_MODE_OFF : CLOTH_MODE_EXPLICIT;
  if (WITH_SOLVER && plan->bend_kappa > limit && c->scratch.bend_slopes) {
    plan->bend_mode = CLOTH_MODE_IMPLICIT;
    limit = solvable_kappa(c);
  }
  plan->notes |= fabric_kappa > limit ? CLOTH_NOTE_BEND_SOFTENED : 0;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    bend_family *b = &plan->bend[d];
    b->linear_slope = minimum(b->linear_slope, limit);
    b->linear = b->linear_slope * plan->inverse_h;
    b->fold_slope = minimum(b->fold_slope, limit);
    b->fold = b->fold_slope * plan->inverse_h;
    b->damping = minimum(b->damping, limit);
  }
}

/* Speed of the fastest particle as a step of dt seconds starts. */
static float max_particle_speed(const cloth *c, float dt) {
  const float inverse_dt = 1.0f / dt;
  float most = 0.0f;
  for (int32_t i = 0; i < c->count; i++) {
    cloth_vector velocity = starting_velocity(c, i, inverse_dt);
    most = maximum(most, vector_dot(velocity, velocity));
  }
  return square_root(most);
}

/* Substeps that bring the kappa of a direction down to `target`: solves (dt/n)^2 ks/m + 2 (dt/n) kd/m = target. */
static float substeps_for_kappa(const cloth *c, float dt, int32_t direction, float target) {
  float per_mass = dt * max_kappa_factor(c) / reference_mass(c);
  float a = dt * (per_mass * direction_stiffness(c, direction));
  float b = 2.0f * per_mass * direction_damping(c, direction);
  if (c->settings.integration.method <= CLOTH_INTEGRATION_IMPLICIT) {
    b = 0.0f; /* damping is no reason for smaller implicit steps */
  }
  return (b + square_root(b * b + 4.0f * a * target)) / (2.0f * target);
}

static int32_t choose_substeps(const cloth *c, float dt) {
  if (c->settings.integration.substeps > 0) {
    return c->settings.integration.substeps;
  }
  if (c->settings.capacity.fixed_work) {
    return c->settings.integration.max_substeps;
  }
  float target = c->settings.integration.method >= CLOTH_INTEGRATION_EXPLICIT
                     ? c->settings.integration.explicit_threshold
                     : SUBSTEP_KAPPA;
  float wanted =
      max_particle_speed(c, dt) * dt / (SUBSTEP_TRAVEL * minimum(c->grid.spacing_warp, c->grid.spacing_weft));
  if (projection_threshold(c) < SUBSTEP_KAPPA) {
    return ceiling_within(maximum(wanted, SUBSTEPS_PROJECTED), c->settings.integration.max_substeps);
  }
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    wanted = maximum(wanted, substeps_for_kappa(c, dt, d, target));
  }
  return ceiling_within(wanted, c->settings.integration.max_substeps);
}

/* An explicit-only cloth has no solver to fall back on. */
static int is_refused(const cloth *c, float dt) {
  if (c->settings.integration.method != CLOTH_INTEGRATION_EXPLICIT_ONLY) {
    return 0;
  }
  float k = dt / (float)choose_substeps(c, dt);
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    spring_family s = plan_spring(c, k, d);
    if (!is_stable_explicit(c, &s)) {
      return 1;
    }
  }
  return 0;
}

/*
 * Extrapolation. A solve, also one for contacts alone, starts from the velocity as it is. Without one, explicit forces
 * are taken at the prediction: taken where the particles are, they would lag behind and drive oscillations (kappa 0.05:
 * a factor of e in 50 substeps), while there they damp them like an implicit step.
 */
static void plan_extrapolation(const cloth *c, step_plan *plan) {
  float last = inputs_of(c)->last_substep;
  plan->extrapolation =
      plan->solves || has_solver_contacts(c) || !c->state.velocity_history ? 0.0f : c->settings.integration.bdf2_blend;
  plan->history = last > 0.0f ? minimum(plan->h / last, 1.0f) : 1.0f;
}

CLOTH_SEPARATE void plan_step(const cloth *c, float dt, step_plan *plan) {
  plan->dt = dt;
  plan->notes = 0;
  plan->substeps = choose_substeps(c, dt);
  plan->h = dt / (float)plan->substeps;
  plan->inverse_h = 1.0f / plan->h;
  plan->span = largest_span(c->grid.columns, c->grid.rows, c->settings.projection.spans);
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    plan->spring[d] = plan_spring(c, plan->h, d);
  }
  plan->projected_above = projected_above(c, plan);
  plan_bend(c, plan);
  plan->solves = plan->bend_mode == CLOTH_MODE_IMPLICIT;
  plan->forces = plan->bend_mode != CLOTH_MODE_OFF || has_air(c);
  plan->projects = plan->bend_projected;
  plan->springs = 0;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    choose_mode(c, plan, &plan->spring[d]);
    plan->solves |= plan->spring[d].mode >= CLOTH_MODE_IMPLICIT;
    plan->springs |= plan->spring[d].mode != CLOTH_MODE_OFF;
    plan->projects |= plan->spring[d].projected != PROJECTED_NONE;
  }
  plan->forces |= plan->springs;
  plan_extrapolation(c, plan);
}

#if WITH_PROJECTION

/* Share of a force that acts in the substep it belongs to; the extrapolation brings the rest in later ones. */
static float force_share(const step_plan *plan) {
  return 1.0f - plan->extrapolation * (5.0f / 9.0f);
}

#endif
