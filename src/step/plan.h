#pragma once
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/scalar.h"
#include "../cloth/access.h"
#include "../cloth/types.h"
#include "../terms/stiffness.h"
#include "coefficients.h"

/// Plan of a step ///

/* What a step fixes before its first substep: the number of substeps and their coefficients, in the workspace. */

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

/* Speed of the fastest particle as a step of dt seconds starts [m/s]. */
static float max_particle_speed(const cloth *c, float dt) {
  const float inverse_dt = 1.0f / dt;
  float max_squared = 0.0f;
  if (!(freedom_of_some(c) & PIN_MOVING)) { return square_root(max_squared_speed(c)); }
  for (int32_t i = 0; i < c->count; i++) {
    cloth_vector velocity = starting_velocity(c, i, inverse_dt);
    max_squared = maximum(max_squared, vector_dot(velocity, velocity));
  }
  return square_root(max_squared);
}

/* Substeps of a step: as configured; or the maximum with fixed work; or so many that no particle moves further than a
   share of a cell in one, within the cap. None is longer than LONGEST_SUBSTEP. Without an operator as many as the
   stiffness demands. */
static int32_t choose_substeps_for(const cloth *c, float dt, int at_rest) {
  const int32_t wanted = c->settings.integration.substeps, cap = c->settings.integration.max_substeps;
  const float least = dt / LONGEST_SUBSTEP - EQUAL_SHARE;
  if (wanted > 0) { return ceiling_within(maximum(least, (float)wanted), wanted > cap ? wanted : cap); }
  if (c->settings.capacity.fixed_work) { return cap; }
  const float travel = at_rest ? 0.0f : max_particle_speed(c, dt) * dt;
  float substeps = travel / (SUBSTEP_TRAVEL * minimum(c->grid.spacing_warp, c->grid.spacing_weft));
  substeps = maximum(maximum(substeps, least), LEAST_SUBSTEPS);
  if (c->settings.integration.method == CLOTH_INTEGRATION_EXPLICIT_ONLY) {
    substeps = maximum(substeps, explicit_substeps(c, dt));
  }
  return ceiling_within(substeps, cap);
}

static int32_t choose_substeps(const cloth *c, float dt) {
  return choose_substeps_for(c, dt, 0);
}

/* 1 if a step is refused: an explicit-only cloth has no solver for a family that would be unstable. */
static int is_refused(const cloth *c, float dt) {
  if (c->settings.integration.method != CLOTH_INTEGRATION_EXPLICIT_ONLY) { return 0; }
  substep_terms terms;
  const int32_t substeps = choose_substeps(c, dt);
  set_terms(c, dt / (float)substeps, substeps, &terms);
  return explicit_sum(c, &terms) > EXPLICIT_BOUND;
}

/* Fills a plan for a step of dt in so many substeps. */
CLOTH_SEPARATE void plan_step_in(const cloth *c, float dt, int32_t substeps, step_plan *plan) {
  fill_zero(plan, sizeof *plan);
  plan->dt = dt;
  plan->substeps = substeps;
  plan->stride = 1;
  plan->h = dt / (float)substeps;
  plan->inverse_h = 1.0f / plan->h;
  plan->notes = set_terms(c, plan->h, substeps, &plan->terms);
}

/* Do the moves of all pins stay within the speed limit in a step of dt seconds? */
static int are_moves_in_range(const cloth *c, float dt) {
  const float inverse_dt = 1.0f / dt;
  int have_moves = (freedom_of_some(c) & PIN_MOVING) != 0;
  for (int32_t i = have_moves ? next_pin(c, 0) : c->count; i < c->count; i = next_pin(c, i + 1)) {
    if (!vector_in_range(starting_velocity(c, i, inverse_dt), CLOTH_SPEED_LIMIT)) { return 0; }
  }
  return 1;
}

/* CLOTH_OK if a step of dt seconds can be made, or what cloth_step() returns; asleep without particles or moves. */
static int check_step(const cloth *c, float dt) {
  int error = check_cloth(c);
  if (error) { return error; }
  if (!is_time_step(dt)) { return CLOTH_ERROR_RANGE; }
  if (!c->has_scratch) { return CLOTH_ERROR_STATE; }
  if (!(WITH_SLEEP && is_asleep(c)) && !are_moves_in_range(c, dt)) { return CLOTH_ERROR_RANGE; }
  return is_refused(c, dt) ? CLOTH_ERROR_UNSTABLE : CLOTH_OK;
}
