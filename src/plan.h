#pragma once
#include "access.h"
#include "bodies.h"
#include "compiler.h"
#include "contact_push.h"
#include "gaps.h"
#include "lanes.h"
#include "scalar.h"
#include "step/coefficients.h"
#include "stiffness.h"
#include "types.h"

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

/* Largest kappa of a spring that is solved for, over the square of the cap on iterations: the conjugate gradient
   resolves a condition number of the order of its iterations squared. Stiffness beyond that would turn into noise and
   is left to the strain limits. */
#define SOLVABLE_KAPPA 64.0f

/* Largest kappa of springs that are solved for beside projected ones, for each iteration of the cap. Projection moves
   particles without regard to springs that are solved for, so that every solve starts far from its solution; what a
   capped solve leaves over is noise that the following substeps amplify. At 2.25 (a drape of 64 x 64, folds of kappa 9,
   4 iterations) sheets diverged; the smaller sheets of tests/stability.c do not show it. */
#define RESOLVED_KAPPA 0.25f

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
  if (!(freedom_of_some(c) & PIN_MOVING)) {
    return square_root(max_squared_speed(c));
  }
  for (int32_t i = 0; i < c->count; i++) {
    cloth_vector velocity = starting_velocity(c, i, inverse_dt);
    max_squared = maximum(max_squared, vector_dot(velocity, velocity));
  }
  return square_root(max_squared);
}

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

/* Number of substeps of a step: as configured, the maximum with fixed work, else as many as kappa and, unless the cloth
   is at rest, speed require. */
static int32_t choose_substeps_for(const cloth *c, float dt, int at_rest) {
  return choose_equation_substeps(c, dt, at_rest);
}

static int32_t choose_substeps(const cloth *c, float dt) {
  return choose_substeps_for(c, dt, 0);
}

/* 1 if a step is refused: an explicit-only cloth has no solver for a family that would be unstable. */
static int is_refused(const cloth *c, float dt) {
  if (c->settings.integration.method != CLOTH_INTEGRATION_EXPLICIT_ONLY) {
    return 0;
  }
  substep_terms terms;
  const int32_t substeps = choose_substeps(c, dt);
  set_terms(c, dt / (float)substeps, substeps, &terms);
  return explicit_sum(c, &terms) > EXPLICIT_BOUND;
}

/* Displacements are summed in substeps shorter than this [s], see lines.h. At 1/600 s a sheet that hangs from its
   corners comes to rest without; at 1/1680 s it trembles at 1 to 4 cm/s if it lies some decimetres from its origin. */
#define FINE_SUBSTEP 1.25e-3f

/* Fills a plan for a step of dt in so many substeps, but for `tethered` and `is_free`, which follow when the step is
   prepared, and for what plan_hinges() does. */
CLOTH_SEPARATE void plan_step_in(const cloth *c, float dt, int32_t substeps, step_plan *plan) {
  fill_zero(plan, sizeof *plan);
  plan->dt = dt;
  plan->substeps = substeps;
  plan->stride = 1;
  plan->h = dt / (float)substeps;
  plan->inverse_h = 1.0f / plan->h;
  plan->friction_share = 1.0f;
  plan->notes = set_terms(c, plan->h, substeps, &plan->terms);
}

#if WITH_PLANNING

#endif

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
