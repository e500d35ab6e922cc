#pragma once
#include "access.h"
#include "air.h"
#include "compiler.h"
#include "forces.h"
#include "lanes.h"
#include "plan.h"
#include "scalar.h"
#include "targets.h"
#include "types.h"
#include "uniform.h"

/// Motion ///

/*
 * Motion of the particles in a step: mobilities before it, prediction, velocities from moved positions and acceptance
 * in every substep, arrival of colliders and targets after it.
 * In: state (freedom, position, velocity, velocity_history), the plan, own and scratch arrays below.
 * Out: state.position, velocity, velocity_history, freedom; scratch.mobility.
 * Scratch: scratch.product holds the predicted positions from predict_positions() or predict() to accept_particles();
 * scratch.force_share the share of each particle's forces that acts at once; scratch.residual the velocity changes of
 * explicit forces, not yet divided by the mass.
 */

/* Velocities of pins for a step of 1 / inverse_dt seconds: that of the move to make, or 0 after the move of the last
   step. */
static void start_pins(const cloth *c, float inverse_dt) {
  vector_array v = vectors_at(c, c->state.velocity);
  uint8_t *freedom = freedom_of(c);
  int have_moves = (union_of_freedom_flags(c) & (PIN_MOVING | PIN_ARRIVED)) != 0;
  for (int32_t i = 0; have_moves && i < c->count; i++) {
    if (freedom[i] & PIN_MOVING) {
      vector_store(v, i, starting_velocity(c, i, inverse_dt));
      freedom[i] = FREEDOM_PINNED | PIN_ARRIVED;
    } else if (freedom[i] & PIN_ARRIVED) {
      vector_store(v, i, vector(0.0f, 0.0f, 0.0f));
      freedom[i] = FREEDOM_PINNED;
    }
  }
}

/* Sets the velocities of pins for a step of dt seconds, and all mobilities: the reference mass over the particle's, 0
   for pins. */
CLOTH_SEPARATE void prepare_particles(const cloth *c, float dt) {
  float *mobility = floats_at(c, c->scratch.mobility);
  const uint8_t *freedom = freedom_of(c);
  start_pins(c, 1.0f / dt);
  for (int32_t i = 0; i < c->count; i++) {
    mobility[i] = (freedom[i] & FREEDOM_MASK) == FREEDOM_PINNED ? 0.0f : 1.0f / mass_ratio_at(c, i);
    CLOTH_ASSERT((mobility[i] == 1.0f) == has_unit_mobility(c, i));
  }
}

/* Clears the pads that kernels read but nothing writes. Scratch is not part of the state: whatever lies there when a
   step begins must not show. */
static void clear_pads(const cloth *c) {
  fill_zero(at(c, c->state.end), LANE_PAD * sizeof(float));
  /* Explicit springs are evaluated at the predicted positions. Kernels compute springs that do not exist from what lies
     past the end of each component; their force is multiplied by 0 and must not be NaN. */
  for (int32_t n = 0; c->scratch.force_share && n < 3; n++) {
    int32_t pad = n < 2 && c->stride < c->count + LANE_PAD ? c->stride - c->count : LANE_PAD + 2;
    fill_zero(floats_at(c, c->scratch.product) + n * c->stride + c->count, (size_t)pad * sizeof(float));
  }
  /* The operator does so at the end of each component of the search direction, for springs of the last row. */
  for (int32_t n = 0; c->scratch.direction && n < 3; n++) {
    fill_zero(floats_at(c, c->scratch.direction) + n * c->stride + c->count, 2 * sizeof(float));
  }
}

/* Adds the velocity changes of a substep without a solve: of scratch.residual, times mobility and share. */
CLOTH_SEPARATE void add_explicit_change(const cloth *c) {
  vector_array v = vectors_at(c, c->state.velocity);
  vector_array change = vectors_at(c, c->scratch.residual);
  const float *mobility = floats_at(c, c->scratch.mobility);
  const int32_t count = c->count;
  for (int32_t i = 0; i < count; i += CLOTH_LANES) {
    lanes weight = lanes_load(mobility + i);
    if (c->scratch.force_share) {
      weight = lanes_multiply(weight, lanes_load(floats_at(c, c->scratch.force_share) + i));
    }
    lanes3 dv = lanes3_scale(lanes3_load(change, i), weight);
    lanes3_store(v, i, lanes3_add(lanes3_load(v, i), dv), count - i);
  }
}

/* Positions after h seconds at velocity v. update_velocity_block() computes them again and gets the same bits. */
CLOTH_INLINE lanes3 prediction(lanes3 x, lanes3 v, lanes h) {
  return lanes3_flush(lanes3_add_scaled(x, v, h));
}

/* Predicts the positions from the velocities as they are. */
CLOTH_HOT CLOTH_SEPARATE void predict_positions(const cloth *c, const step_plan *plan) {
  const vector_array x = vectors_at(c, c->state.position), velocity = vectors_at(c, c->state.velocity),
                     predicted = predicted_of(c);
  const int32_t count = c->count;
  const lanes h = lanes_splat(plan->h);
  for (int32_t i = 0; i < count; i += CLOTH_LANES) {
    lanes3 to = prediction(lanes3_load(x, i), lanes3_load(velocity, i), h);
    lanes3_store(predicted, i, to, count - i);
  }
}

#if WITH_PROJECTION

/*
 * Second-order backward differences (BDF2), written for the velocities v0, v1, v2 of the last three substeps, each a
 * displacement over the substep: without forces the next velocity is (15 v0 - 7 v1 + v2) / 9 = v0 + (6 v0 - 7 v1 + v2)
 * / 9, and a force acts with 4/9 of its strength at once. `weight` blends this change, a ninth included, with backward
 * Euler, for which it is 0. Particles whose history is invalid, as after a contact, take backward Euler alone.
 * Also moves the history on by one substep. Returns the share of forces that acts at once: `force_share`, or 1 without
 * a history.
 */
CLOTH_INLINE lanes extrapolate(lanes weight, lanes force_share, lanes mobility, lanes3 *v, lanes3 *earlier,
                               lanes3 *earliest) {
  lanes one = lanes_splat(1.0f);
  /* Half of the marker tells it from any speed, which is well below. */
  lanes known = lanes_keep(lanes_less(earlier->x, lanes_splat(0.5f * HISTORY_INVALID)), mobility);
  lanes_mask is_known = lanes_less(lanes_splat(0.0f), known);
  lanes3 change = lanes3_subtract(lanes3_scale(*v, lanes_splat(6.0f)), lanes3_scale(*earlier, lanes_splat(7.0f)));
  change = lanes3_keep(is_known, lanes3_scale(lanes3_flush(lanes3_add(change, *earliest)), weight));
  *earliest = lanes3_select(is_known, *earlier, *v);
  *earlier = *v;
  *v = lanes3_add(*v, change);
  return lanes_select(is_known, force_share, one);
}

/* Loop invariants of predict_block(), copied: the stores of lanes may alias the cloth and the plan. */
typedef struct prediction_context {
  vector_array x, velocity, predicted, history_1, history_2;
  const float *mobility;
  float *shares;
  body_force force;
  int32_t keeps_history, with_body_forces;
  float h, weight, force_share;
} prediction_context;

/* The air around a row of particles. */
typedef struct air_around {
  air_flow air;
  row_neighbours near;
} air_around;

/* Extrapolates the velocities of a block of particles, of which `left` exist, and predicts their positions. `around`:
   the air of their row, or NULL. */
CLOTH_INLINE void predict_block(const prediction_context *p, const air_around *around, int32_t i, int32_t left) {
  lanes mobility = lanes_load(p->mobility + i);
  lanes3 from = lanes3_load(p->x, i);
  lanes3 v = lanes3_load(p->velocity, i);
  lanes share = lanes_splat(1.0f);
  if (p->keeps_history) {
    lanes3 earlier = lanes3_load(p->history_1, i);
    lanes3 earliest = lanes3_load(p->history_2, i);
    share = extrapolate(lanes_splat(p->weight), lanes_splat(p->force_share), mobility, &v, &earlier, &earliest);
    lanes3_store(p->history_1, i, earlier, left);
    lanes3_store(p->history_2, i, earliest, left);
  }
  if (p->with_body_forces) {
    lanes3 change = body_force_on(&p->force, v);
    if (around) {
      lanes3 areas = area_vectors(&around->near, p->x, i - around->near.first);
      change = lanes3_add(change, air_change(&around->air, areas, v, mobility));
    }
    change = lanes3_scale(change, share);
    v = lanes3_add(v, lanes3_keep(lanes_less(lanes_splat(0.0f), mobility), change));
  } else if (p->keeps_history) {
    lanes_store_first(p->shares + i, share, left);
  }
  lanes3_store(p->velocity, i, v, left);
  lanes3_store(p->predicted, i, prediction(from, v, lanes_splat(p->h)), left);
}

static prediction_context prediction_context_of(const cloth *c, const step_plan *plan, int with_body_forces) {
  const prediction_context p = {.x = vectors_at(c, c->state.position),
                                .velocity = vectors_at(c, c->state.velocity),
                                .predicted = predicted_of(c),
                                .history_1 = history_of(c, 1),
                                .history_2 = history_of(c, 2),
                                .mobility = floats_at(c, c->scratch.mobility),
                                .shares = floats_at(c, c->scratch.force_share),
                                .force = body_force_of(c, plan),
                                .keeps_history = c->state.velocity_history != 0,
                                .with_body_forces = with_body_forces,
                                .h = plan->h,
                                .weight = plan->extrapolation * plan->history_weight * (1.0f / 9.0f),
                                .force_share = force_share(plan)};
  return p;
}

/* Extrapolates the velocities and predicts the positions. With `with_body_forces`, when nothing else acts by forces,
   gravity and velocity damping are applied on the way; otherwise the shares of the forces to come are stored. Each
   block is read whole before it is written: where arrays lie a multiple of 4 KB apart, processors mistake a store into
   one for a store to the place they read next in another. */
CLOTH_HOT CLOTH_SEPARATE void predict(const cloth *c, const step_plan *plan, int with_body_forces) {
  const prediction_context p = prediction_context_of(c, plan, with_body_forces);
  EACH_BLOCK(i, left, c->count, predict_block(&p, NULL, i, left));
}

/* predict() with gravity, velocity damping and air. */
CLOTH_HOT CLOTH_SEPARATE void predict_in_air(const cloth *c, const step_plan *plan) {
  const prediction_context p = prediction_context_of(c, plan, 1);
  air_around around = {.air = air_flow_of(c, plan)};
  for (int32_t row = 0; row < c->grid.rows; row++) {
    around.near = row_neighbours_at(c, p.x, row);
    for (int32_t column = 0; column < around.near.columns; column += CLOTH_LANES) {
      predict_block(&p, &around, around.near.first + column, around.near.columns - column);
    }
  }
}

#endif

/* v += (x_moved - x_predicted) / h, the velocity update of position based dynamics. The prediction is computed again
   bit for bit, so a particle that no constraint has moved keeps its velocity exactly. Returns the displacement. */
CLOTH_INLINE lanes3 update_velocity_block(vector_array x, vector_array v, vector_array moved, lanes h, lanes inverse_h,
                                          int32_t i, int32_t left) {
  lanes3 velocity = lanes3_load(v, i);
  lanes3 predicted = prediction(lanes3_load(x, i), velocity, h);
  lanes3 displacement = lanes3_subtract(lanes3_load(moved, i), predicted);
  lanes3_store(v, i, lanes3_add_scaled(velocity, displacement, inverse_h), left);
  return displacement;
}

/*
 * The velocity update of a cloth that nothing holds. Constraints between its particles keep its momentum but for
 * rounding: a position has the resolution of a float, and divided by h that is some 1e-4 m/s. The mean of what they add
 * is therefore taken back, so that the errors do not add up over the substeps.
 */
CLOTH_HOT CLOTH_SEPARATE void update_free_velocities(const cloth *c, const step_plan *plan) {
  const vector_array x = vectors_at(c, c->state.position), v = vectors_at(c, c->state.velocity),
                     moved = predicted_of(c);
  const lanes h = lanes_splat(plan->h), inverse_h = lanes_splat(plan->inverse_h);
  lanes_sum sums[4] = {{{0.0f}}}; /* of displacements times mass ratio, and of mass ratios */
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    const int32_t left = c->count - i;
    const lanes mass = lanes_within(mass_ratio_lanes(c, i), left);
    const lanes3 displacement = update_velocity_block(x, v, moved, h, inverse_h, i, left);
    lanes_sum_add(&sums[0], i, lanes_multiply(lanes_within(displacement.x, left), mass));
    lanes_sum_add(&sums[1], i, lanes_multiply(lanes_within(displacement.y, left), mass));
    lanes_sum_add(&sums[2], i, lanes_multiply(lanes_within(displacement.z, left), mass));
    lanes_sum_add(&sums[3], i, mass);
  }
  const cloth_vector sum = {lanes_sum_total(&sums[0]), lanes_sum_total(&sums[1]), lanes_sum_total(&sums[2])};
  cloth_vector gained = vector_scale(sum, plan->inverse_h / lanes_sum_total(&sums[3]));
  const lanes3 drift = lanes3_splat(vector_flush_work(gained));
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    lanes3_store(v, i, lanes3_subtract(lanes3_load(v, i), drift), c->count - i);
  }
}

CLOTH_HOT CLOTH_SEPARATE void update_velocities_from_positions(const cloth *c, const step_plan *plan) {
  if (plan->is_free) {
    update_free_velocities(c, plan);
    return;
  }
  vector_array x = vectors_at(c, c->state.position);
  vector_array v = vectors_at(c, c->state.velocity);
  vector_array moved = predicted_of(c);
  lanes h = lanes_splat(plan->h);
  lanes inverse_h = lanes_splat(plan->inverse_h);
  EACH_BLOCK(i, left, c->count, (void)update_velocity_block(x, v, moved, h, inverse_h, i, left));
}

/* 1 if no particle is pinned or confined. */
static int is_free_cloth(const cloth *c) {
  for (int32_t i = 0; i < c->count; i++) {
    if ((freedom_of(c)[i] & FREEDOM_MASK) != FREEDOM_FREE) {
      return 0;
    }
  }
  return 1;
}

/* Makes a particle's predicted position and velocity its new ones. One that is NaN, infinite or out of the world stays
   where it was, without velocity; one that is too fast is slowed down to max_speed. */
static void accept_particle(const cloth *c, const step_plan *plan, int32_t i, cloth_statistics *counts) {
  vector_array x = vectors_at(c, c->state.position);
  vector_array v = vectors_at(c, c->state.velocity);
  cloth_vector from = vector_load(x, i);
  cloth_vector to = vector_load(predicted_of(c), i);
  cloth_vector velocity = vector_load(v, i);
  if (!vector_is_finite(velocity) || !vector_in_range(to, CLOTH_POSITION_LIMIT)) {
    vector_store(v, i, vector(0.0f, 0.0f, 0.0f));
    counts->particles_recovered++;
    return;
  }
  cloth_vector displacement = vector_subtract(to, from);
  int pinned = is_pinned(c, i);
  if (!pinned && clamp_length(&velocity, c->settings.integration.max_speed) +
                         clamp_length(&displacement, c->settings.integration.max_speed * plan->h) >
                     0) {
    to = vector_add(from, displacement);
    counts->particles_limited++;
  }
  CLOTH_ASSERT(vector_in_range(to, CLOTH_POSITION_LIMIT) && vector_is_finite(velocity));
  vector_store(x, i, vector_flush(to, STATE_QUANTUM));
  vector_store(v, i, vector_flush(velocity, STATE_QUANTUM));
}

/* Accepts the particles of a block, of which `left` exist, one by one. */
CLOTH_SEPARATE void accept_singly(const cloth *c, const step_plan *plan, int32_t i, int32_t left,
                                  cloth_statistics *counts) {
  for (int32_t lane = 0; lane < CLOTH_LANES && lane < left; lane++) {
    accept_particle(c, plan, i + lane, counts);
  }
}

/* Loop invariants of accept_particles(), copied: the stores of lanes may alias the cloth and the plan. */
typedef struct acceptance_context {
  const cloth *c;
  const step_plan *plan;
  cloth_statistics *counts;
  vector_array x, velocity, predicted;
  float max_distance, max_speed; /* in a substep [m], and at its end [m/s] */
  int32_t fixed_work;            /* 1: every particle is accepted singly */
} acceptance_context;

/* Which particles are certainly within the limits: by upper bounds of the lengths, without a square root. NaN is not.
 */
CLOTH_INLINE lanes_mask is_acceptable(const acceptance_context *a, lanes3 from, lanes3 to, lanes3 velocity) {
  lanes_mask near = lanes_both(lanes_less(length_upper_bound(lanes3_subtract(to, from)), lanes_splat(a->max_distance)),
                               lanes_less(length_upper_bound(to), lanes_splat(CLOTH_POSITION_LIMIT)));
  return lanes_both(near, lanes_less(length_upper_bound(velocity), lanes_splat(a->max_speed)));
}

CLOTH_INLINE void accept_block(const acceptance_context *a, int32_t i, int32_t left) {
  lanes3 to = lanes3_flush_below(lanes3_load(a->predicted, i), STATE_QUANTUM);
  lanes3 velocity = lanes3_flush_below(lanes3_load(a->velocity, i), STATE_QUANTUM);
  lanes bad = lanes_drop(is_acceptable(a, lanes3_load(a->x, i), to, velocity), lanes_splat(1.0f));
  if (a->fixed_work || lanes_any(lanes_both(lanes_first(left), lanes_less(lanes_splat(0.0f), bad)))) {
    accept_singly(a->c, a->plan, i, left, a->counts);
  } else {
    lanes3_store(a->x, i, to, left);
    lanes3_store(a->velocity, i, velocity, left);
  }
}

/* Makes the predicted positions and the velocities the new state: whole blocks where all particles are certainly within
   the limits, the others one by one. */
CLOTH_HOT CLOTH_SEPARATE void accept_particles(const cloth *c, const step_plan *plan, cloth_statistics *counts) {
  const acceptance_context a = {.c = c,
                                .plan = plan,
                                .counts = counts,
                                .x = vectors_at(c, c->state.position),
                                .velocity = vectors_at(c, c->state.velocity),
                                .predicted = predicted_of(c),
                                .max_distance = c->settings.integration.max_speed * plan->h,
                                .max_speed = c->settings.integration.max_speed,
                                .fixed_work = c->settings.capacity.fixed_work};
  EACH_BLOCK(i, left, c->count, accept_block(&a, i, left));
}

/* Ends the motions that the caller has set for one step: colliders rest at their poses, targets where they have been
   moved to. */
static void finish_motions(const cloth *c) {
  for (int32_t index = 0; index < inputs_of(c)->collider_end; index++) {
    collider_slot *slot = &colliders_of(c)[index];
    slot->previous = slot->body.pose;
  }
#if WITH_TARGETS
  if (inputs_of(c)->targets == TARGETS_MOVING) {
    finish_target_motion(c);
  }
#endif
}
