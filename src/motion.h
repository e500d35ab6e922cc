#pragma once
#include "access.h"
#include "compiler.h"
#include "forces.h"
#include "lanes.h"
#include "plan.h"
#include "scalar.h"
#include "types.h"

/// Motion ///

/* Pins that made a move in the last step rest, those that have one to make get its velocity for this step. */
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

/* Velocities of pins, and mobilities, which follow from pins and masses. */
CLOTH_SEPARATE void prepare_particles(const cloth *c, float dt) {
  float *mobility = floats_at(c, c->scratch.mobility);
  const uint8_t *freedom = freedom_of(c);
  start_pins(c, 1.0f / dt);
  for (int32_t i = 0; i < c->count; i++) {
    mobility[i] = (freedom[i] & FREEDOM_MASK) == FREEDOM_PINNED ? 0.0f : 1.0f / mass_ratio_at(c, i);
  }
}

/* Work space is not part of the state: what a step reads before it writes is cleared first. */
static void clear_pads(const cloth *c) {
  fill_zero(at(c, c->state.end), LANE_PAD * sizeof(float));
  if (c->scratch.bend_slopes) {
    fill_zero(floats_at(c, c->scratch.bend_slopes) - ZERO_PAD, ZERO_PAD * sizeof(float));
  }
  /* Springs that are not there look beyond predicted positions, too. What comes of it is multiplied by 0, so it has to
     be a number. */
  for (int32_t n = 0; c->scratch.force_share && n < 3; n++) {
    int32_t pad = n < 2 && c->stride < c->count + LANE_PAD ? c->stride - c->count : LANE_PAD + 2;
    fill_zero(floats_at(c, c->scratch.product) + n * c->stride + c->count, (size_t)pad * sizeof(float));
  }
  /* Springs that are not there, at the end of the last row, look at these. */
  for (int32_t n = 0; c->scratch.direction && n < 3; n++) {
    fill_zero(floats_at(c, c->scratch.direction) + n * c->stride + c->count, 2 * sizeof(float));
  }
}

/* Velocity changes of an all-explicit substep: force over mass. */
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

/* Where particles at x go with velocity v. Asked for again after the limits, it gives the same bits. */
CLOTH_INLINE lanes3 prediction(lanes3 x, lanes3 v, lanes k) {
  return lanes3_flush(lanes3_add_scaled(x, v, k));
}

CLOTH_HOT CLOTH_SEPARATE void predict_positions(const cloth *c, const step_plan *plan) {
  const vector_array x = vectors_at(c, c->state.position), velocity = vectors_at(c, c->state.velocity),
                     predicted = predicted_of(c);
  const int32_t count = c->count;
  const lanes k = lanes_splat(plan->h);
  for (int32_t i = 0; i < count; i += CLOTH_LANES) {
    lanes3 to = prediction(lanes3_load(x, i), lanes3_load(velocity, i), k);
    lanes3_store(predicted, i, to, count - i);
  }
}

#if WITH_PROJECTION

/*
 * Second-order backward differences (BDF2) in terms of the last three velocities, each a displacement over the substep:
 * without forces the next one is (15 v0 - 7 v1 + v2) / 9, and a force acts with 4/9 of its strength at once. Blended
 * with backward Euler, which goes on with v0. Where the history is forgotten, as after a contact, Euler has it alone.
 * Also shifts the history by one. Returns the shares with which forces act.
 */
CLOTH_INLINE lanes extrapolate(lanes weight, lanes later, lanes moves, lanes3 *v, lanes3 *earlier, lanes3 *earliest) {
  lanes one = lanes_splat(1.0f);
  lanes known = lanes_keep(lanes_less(earlier->x, lanes_splat(0.5f * HISTORY_INVALID)), moves);
  lanes_mask knows = lanes_less(lanes_splat(0.0f), known);
  lanes3 change = lanes3_subtract(lanes3_scale(*v, lanes_splat(6.0f)), lanes3_scale(*earlier, lanes_splat(7.0f)));
  change = lanes3_keep(knows, lanes3_scale(lanes3_flush(lanes3_add(change, *earliest)), weight));
  *earliest = lanes3_select(knows, *earlier, *v);
  *earlier = *v;
  *v = lanes3_add(*v, change);
  return lanes_select(knows, later, one);
}

typedef struct prediction_plan {
  vector_array x, velocity, to, first, second;
  const float *mobility;
  float *shares;
  body_force force;
  int32_t keeps_history, with_body_forces;
  float h, weight, later;
} prediction_plan;

CLOTH_INLINE void predict_block(const prediction_plan *p, int32_t i, int32_t left) {
  lanes moves = lanes_load(p->mobility + i);
  lanes3 from = lanes3_load(p->x, i);
  lanes3 v = lanes3_load(p->velocity, i);
  lanes share = lanes_splat(1.0f);
  if (p->keeps_history) {
    lanes3 earlier = lanes3_load(p->first, i);
    lanes3 earliest = lanes3_load(p->second, i);
    share = extrapolate(lanes_splat(p->weight), lanes_splat(p->later), moves, &v, &earlier, &earliest);
    lanes3_store(p->first, i, earlier, left);
    lanes3_store(p->second, i, earliest, left);
  }
  if (p->with_body_forces) {
    lanes3 change = lanes3_scale(body_force_on(&p->force, v), share);
    v = lanes3_add(v, lanes3_keep(lanes_less(lanes_splat(0.0f), moves), change));
  } else if (p->keeps_history) {
    lanes_store_first(p->shares + i, share, left);
  }
  lanes3_store(p->velocity, i, v, left);
  lanes3_store(p->to, i, prediction(from, v, lanes_splat(p->h)), left);
}

/* Velocities that the substep starts from, and the prediction. What gravity and velocity damping do is included if
   nothing else acts by forces. All is read before anything is written: planes of a power of two particles lie where
   processors take a store for one to the place they read next. */
CLOTH_HOT CLOTH_SEPARATE void predict(const cloth *c, const step_plan *plan, int with_body_forces) {
  const prediction_plan p = {vectors_at(c, c->state.position),
                             vectors_at(c, c->state.velocity),
                             predicted_of(c),
                             history_of(c, 1),
                             history_of(c, 2),
                             floats_at(c, c->scratch.mobility),
                             floats_at(c, c->scratch.force_share),
                             body_force_of(c, plan),
                             c->state.velocity_history != 0,
                             with_body_forces,
                             plan->h,
                             plan->extrapolation * plan->history * (1.0f / 9.0f),
                             force_share(plan)};
  EACH_BLOCK(i, left, c->count, predict_block(&p, i, left));
}

#endif

/* What the limits moved as velocity. The prediction is computed again, to the bit, to tell what moved: a particle left
   alone gains no rounding error. */
CLOTH_INLINE void update_velocity_block(vector_array x, vector_array v, vector_array limited, lanes k, lanes inverse_h,
                                        int32_t i, int32_t left) {
  lanes3 velocity = lanes3_load(v, i);
  lanes3 predicted = prediction(lanes3_load(x, i), velocity, k);
  lanes3 moved = lanes3_subtract(lanes3_load(limited, i), predicted);
  lanes3_store(v, i, lanes3_add_scaled(velocity, moved, inverse_h), left);
}

CLOTH_HOT CLOTH_SEPARATE void update_velocities_from_positions(const cloth *c, const step_plan *plan) {
  vector_array x = vectors_at(c, c->state.position);
  vector_array v = vectors_at(c, c->state.velocity);
  vector_array limited = predicted_of(c);
  lanes k = lanes_splat(plan->h);
  lanes inverse_h = lanes_splat(plan->inverse_h);
  EACH_BLOCK(i, left, c->count, update_velocity_block(x, v, limited, k, inverse_h, i, left));
}

/* Accepts a particle's predicted position and velocity, or recovers from impossible ones. */
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
  cloth_vector way = vector_subtract(to, from);
  int pinned = is_pinned(c, i);
  if (!pinned && clamp_length(&velocity, c->settings.integration.max_speed) +
                         clamp_length(&way, c->settings.integration.max_speed * plan->h) >
                     0) {
    to = vector_add(from, way);
    counts->particles_limited++;
  }
  CLOTH_ASSERT(vector_in_range(to, CLOTH_POSITION_LIMIT) && vector_is_finite(velocity));
  vector_store(x, i, vector_flush(to, STATE_QUANTUM));
  vector_store(v, i, vector_flush(velocity, STATE_QUANTUM));
}

/* How far a particle may move in a substep, and how fast. */
typedef struct motion_bounds {
  float farthest, fastest;
  int32_t fixed_work; /* all are looked at one by one */
} motion_bounds;

/* Within bounds, and clearly so? */
CLOTH_INLINE lanes_mask is_acceptable(motion_bounds bounds, lanes3 from, lanes3 to, lanes3 velocity) {
  lanes_mask near = lanes_both(lanes_less(length_upper_bound(lanes3_subtract(to, from)), lanes_splat(bounds.farthest)),
                               lanes_less(length_upper_bound(to), lanes_splat(CLOTH_POSITION_LIMIT)));
  return lanes_both(near, lanes_less(length_upper_bound(velocity), lanes_splat(bounds.fastest)));
}

CLOTH_SEPARATE void accept_singly(const cloth *c, const step_plan *plan, int32_t i, int32_t left,
                                  cloth_statistics *counts) {
  for (int32_t lane = 0; lane < CLOTH_LANES && lane < left; lane++) {
    accept_particle(c, plan, i + lane, counts);
  }
}

CLOTH_INLINE void accept_block(const cloth *c, const step_plan *plan, motion_bounds bounds, vector_array x,
                               vector_array v, vector_array predicted, int32_t i, int32_t left,
                               cloth_statistics *counts) {
  lanes3 to = lanes3_flush_below(lanes3_load(predicted, i), STATE_QUANTUM);
  lanes3 velocity = lanes3_flush_below(lanes3_load(v, i), STATE_QUANTUM);
  lanes bad = lanes_drop(is_acceptable(bounds, lanes3_load(x, i), to, velocity), lanes_splat(1.0f));
  if (bounds.fixed_work || lanes_any(lanes_both(lanes_first(left), lanes_less(lanes_splat(0.0f), bad)))) {
    accept_singly(c, plan, i, left, counts);
  } else {
    lanes3_store(x, i, to, left);
    lanes3_store(v, i, velocity, left);
  }
}

/* Accepts blocks of particles that are clearly within bounds, and looks at the others one by one. */
CLOTH_HOT CLOTH_SEPARATE void accept_particles(const cloth *c, const step_plan *plan, cloth_statistics *counts) {
  vector_array x = vectors_at(c, c->state.position);
  vector_array v = vectors_at(c, c->state.velocity);
  vector_array predicted = predicted_of(c);
  motion_bounds bounds = {c->settings.integration.max_speed * plan->h, c->settings.integration.max_speed,
                          c->settings.capacity.fixed_work};
  EACH_BLOCK(i, left, c->count, accept_block(c, plan, bounds, x, v, predicted, i, left, counts));
}
