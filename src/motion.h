#pragma once
#include "access.h"
#include "air.h"
#include "bearing_solve.h"
#include "block3.h"
#include "compiler.h"
#include "contact_push.h"
#include "forces.h"
#include "gaps.h"
#include "lanes.h"
#include "lines.h"
#include "pieces.h"
#include "plan.h"
#include "scalar.h"
#include "step_origin.h"
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
  int have_moves = (freedom_of_some(c) & (PIN_MOVING | PIN_ARRIVED)) != 0;
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

#if !CLOTH_ONE_EQUATION

/* Sets the velocities of pins for a step of dt seconds, and all mobilities: the reference mass over the particle's, 0
   for pins. */
CLOTH_SEPARATE void prepare_particles(const cloth *c, float dt) {
  float *mobility = floats_at(c, c->scratch.mobility);
  const float *mass_ratio = c->constant.mass_ratio ? floats_at(c, c->constant.mass_ratio) : NULL;
  const lanes one = lanes_splat(1.0f);
  start_pins(c, 1.0f / dt);
  if (mass_ratio) {
    EACH_BLOCK(i, left, c->count, {
      const lanes mass = lanes_select(lanes_first(left), lanes_load(mass_ratio + i), one);
      lanes_store_first(mobility + i, lanes_divide(one, mass), left);
    });
  } else {
    EACH_BLOCK(i, left, c->count, lanes_store_first(mobility + i, one, left));
  }
  for (int32_t i = next_pin(c, 0); i < c->count; i = next_pin(c, i + 1)) {
    mobility[i] = 0.0f;
  }
#if WITH_PLANNING
  for (int32_t i = 0; i < c->count; i++) {
    CLOTH_ASSERT(mobility[i] == 1.0f || !has_unit_mobility(c, i));
  }
#endif
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
  /* So does the search for springs that are too long, below the last row. */
  if (c->scratch.longest) {
    float *last_row = floats_at(c, c->scratch.longest) + c->stride + c->count - c->grid.columns;
    fill_zero(last_row, (size_t)(c->grid.columns + LANE_PAD) * sizeof(float));
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

/* Predicts the positions of a piece from the velocities as they are. */
CLOTH_HOT CLOTH_SEPARATE void predict_piece(const cloth *c, const step_plan *plan, stage_piece *p) {
  const vector_array x = vectors_at(c, c->state.position), velocity = vectors_at(c, c->state.velocity),
                     predicted = predicted_of(c);
  const lanes h = lanes_splat(plan->h);
  EACH_BLOCK_OF(i, left, p->first, p->end,
                lanes3_store(predicted, i, prediction(lanes3_load(x, i), lanes3_load(velocity, i), h), left));
}

static void predict_positions(const cloth *c, const step_plan *plan) {
  run_pieces(c, plan, predict_piece, NULL, c->count, LEAST_PARTICLES);
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
  lanes_mask is_known = lanes_less(lanes_splat(0.0f), lanes_drop(has_no_history(earlier->x), mobility));
  lanes3 change = lanes3_subtract(lanes3_scale(*v, lanes_splat(6.0f)), lanes3_scale(*earlier, lanes_splat(7.0f)));
  change = lanes3_keep(is_known, lanes3_scale(lanes3_flush(lanes3_add(change, *earliest)), weight));
  *earliest = lanes3_select(is_known, *earlier, *v);
  *earlier = *v;
  *v = lanes3_add(*v, change);
  return force_share;
}

/* Loop invariants of predict_block(), copied: the stores of lanes may alias the cloth and the plan. */
typedef struct prediction_context {
  vector_array x, velocity, predicted, history_1, history_2;
  const float *mobility;
  float *shares;
  body_force force;
  int32_t keeps_history, with_body_forces, has_pushes;
  float h, inverse_h, weight, force_share;
  float push_scale; /* of pushes, from the substep before to this one */
} prediction_context;

/* The air around a row of particles. */
typedef struct air_around {
  air_flow air;
  row_neighbours near;
  const cloth *gapped; /* of gapped_cloth() */
} air_around;

/* Extrapolates the velocities of a block of particles, of which `left` exist, and predicts their positions. `around`:
   the air of their row, or NULL. */
CLOTH_INLINE void predict_block(const prediction_context *p, const air_around *around, int32_t i, int32_t left) {
  lanes mobility = lanes_load(p->mobility + i);
  lanes3 from = lanes3_load(p->x, i);
  lanes3 v = lanes3_load(p->velocity, i);
  lanes share = lanes_splat(1.0f);
  lanes3 push = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  if (p->keeps_history) {
    lanes3 earlier = lanes3_load(p->history_1, i);
    lanes3 earliest = lanes3_load(p->history_2, i);
    if (p->has_pushes) {
      push = kept_pushes(earlier, earliest, mobility, lanes_splat(p->push_scale));
    }
    share = extrapolate(lanes_splat(p->weight), lanes_splat(p->force_share), mobility, &v, &earlier, &earliest);
    if (p->has_pushes) {
      const lanes_mask pushed = is_push(push);
      earliest = lanes3_select(pushed, push, earliest);
      lanes_store_first(p->shares + i, lanes_select(pushed, lanes_splat(SHARE_PUSHED), share), left);
    }
    lanes3_store(p->history_1, i, earlier, left);
    lanes3_store(p->history_2, i, earliest, left);
  }
  if (p->with_body_forces) {
    lanes3 change = body_force_on(&p->force, v);
    if (around) {
      lanes3 areas = area_vectors(&around->near, p->x, i - around->near.first, around->gapped);
      change = lanes3_add(change, air_change(&around->air, areas, v, mobility));
    }
    change = lanes3_scale(change, share);
    v = lanes3_add(v, lanes3_keep(lanes_less(lanes_splat(0.0f), mobility), change));
  } else if (p->keeps_history) {
    lanes_store_first(p->shares + i, share, left);
  }
  v = p->has_pushes ? lanes3_add_scaled(v, push, lanes_splat(p->inverse_h)) : v;
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
                                .has_pushes = has_contact_pushes(c),
                                .push_scale = plan->history_weight * plan->history_weight,
                                .h = plan->h,
                                .inverse_h = plan->inverse_h,
                                .weight = plan->extrapolation * (1.0f / 9.0f),
                                .force_share = force_share(plan)};
  return p;
}

/* Extrapolates the velocities and predicts the positions. With `with_body_forces`, when nothing else acts by forces,
   gravity and velocity damping are applied on the way; otherwise the shares of the forces to come are stored. Each
   block is read whole before it is written: where arrays lie a multiple of 4 KB apart, processors mistake a store into
   one for a store to the place they read next in another. */
CLOTH_HOT CLOTH_SEPARATE void extrapolate_piece(const cloth *c, const step_plan *plan, stage_piece *whole) {
  prediction_context p = prediction_context_of(c, plan, *(const int32_t *)whole->what);
#if CLOTH_LANES > 1
  if (p.keeps_history && p.with_body_forces && !p.has_pushes) { /* the most common case, with constants */
    p.keeps_history = p.with_body_forces = 1;
    p.has_pushes = 0;
    EACH_BLOCK_OF(i, left, whole->first, whole->end, predict_block(&p, NULL, i, left));
    return;
  }
#endif
  EACH_BLOCK_OF(i, left, whole->first, whole->end, predict_block(&p, NULL, i, left));
}

static void predict(const cloth *c, const step_plan *plan, int32_t with_body_forces) {
  run_pieces(c, plan, extrapolate_piece, &with_body_forces, c->count, LEAST_PARTICLES);
}

/* predict() of rows with gravity, velocity damping and air. `gapped` is a constant of each version, so that a cloth
   without gaps pays nothing for them: of gapped_cloth(). See GAP_VERSIONS. */
CLOTH_INLINE void predict_rows_in_air(const cloth *c, const step_plan *plan, const stage_piece *rows,
                                      const cloth *gapped) {
  const prediction_context p = prediction_context_of(c, plan, 1);
  air_around around = {.air = air_flow_of(c, plan), .gapped = gapped};
  for (int32_t row = rows->first; row < rows->end; row++) {
    around.near = row_neighbours_at(c, p.x, row);
    for (int32_t column = 0; column < around.near.columns; column += CLOTH_LANES) {
      predict_block(&p, &around, around.near.first + column, around.near.columns - column);
    }
  }
}

#if GAP_VERSIONS

CLOTH_SEPARATE void predict_in_air_at_gaps(const cloth *c, const step_plan *plan, stage_piece *rows) {
  predict_rows_in_air(c, plan, rows, c);
}

#endif

CLOTH_HOT CLOTH_SEPARATE void predict_piece_in_air(const cloth *c, const step_plan *plan, stage_piece *rows) {
  predict_rows_in_air(c, plan, rows, GAP_VERSIONS ? NULL : gapped_cloth(c));
}

static void predict_in_air(const cloth *c, const step_plan *plan) {
  piece_stage *stage = predict_piece_in_air;
#if GAP_VERSIONS
  stage = has_gaps(c) ? predict_in_air_at_gaps : stage;
#endif
  run_pieces(c, plan, stage, NULL, c->grid.rows, LINE_BLOCK);
}

#endif

/* The limit on speed acts on motion that contact did not cause, so it comes before contact. The pushes of contacts are
   taken out of the motion first. */

/* Loop invariants of settle_block(), copied: the stores of lanes may alias the cloth and the plan. */
typedef struct settlement {
  const cloth *c;
  piece_counts *counts;
  vector_array x, v, moved;  /* at the substep's start; velocities; predicted positions */
  vector_array displacement; /* of displacement_of() */
  float h, inverse_h;
  float max_speed, max_distance; /* limits of a speed [m/s] and of the way in a substep [m] */
  int32_t has_pushes, fixed_work;
} settlement;

static settlement settlement_of(const cloth *c, const step_plan *plan, stage_piece *p) {
  const settlement s = {.c = c,
                        .counts = &p->counts,
                        .x = vectors_at(c, c->state.position),
                        .v = vectors_at(c, c->state.velocity),
                        .moved = predicted_of(c),
                        .displacement = displacement_of(c, plan),
                        .h = plan->h,
                        .inverse_h = plan->inverse_h,
                        .max_speed = c->settings.integration.max_speed,
                        .max_distance = c->settings.integration.max_speed * plan->h,
                        .has_pushes = has_contact_pushes(c),
                        .fixed_work = c->settings.capacity.fixed_work};
  return s;
}

/* Slows a particle down to the largest speed, and shortens its way likewise. A way that is too long at a lower speed,
   as an extrapolation may make it, is left alone: settle_block() looks at speeds, and a neighbour in the block must not
   decide. What is not finite is left to accept_particles(). */
static void limit_particle(const settlement *s, int32_t i) {
  const cloth_vector from = vector_load(s->x, i), to = vector_load(s->moved, i);
  cloth_vector velocity = vector_load(s->v, i), way = vector_subtract(to, from);
  if (!(floats_at(s->c, s->c->scratch.mobility)[i] > 0.0f) || !vector_is_finite(velocity) || !vector_is_finite(way)) {
    return;
  }
  if (clamp_length(&velocity, s->max_speed)) {
    vector_store(s->v, i, velocity);
    if (clamp_length(&way, s->max_distance)) {
      vector_store(s->moved, i, vector_add(from, way));
    }
    s->counts->limited++;
  }
}

CLOTH_SEPARATE void limit_singly(const settlement *s, int32_t i, int32_t left) {
  for (int32_t lane = 0; lane < CLOTH_LANES && lane < left; lane++) {
    limit_particle(s, i + lane);
  }
}

/* Stores the velocities of a block of particles, of which `left` exist, and limits them, without the pushes with which
   the substep began. Whether all particles are slow enough is told by upper bounds of their speeds, without a square
   root; a NaN is not. The way in the substep is the velocity times its length. */
CLOTH_INLINE void settle_block(const settlement *s, lanes3 velocity, lanes3 moved, int32_t i, int32_t left) {
  if (s->has_pushes) {
    const lanes_mask pushed = lanes_both(is_pushed(s->c, i), lanes_first(left));
    if (lanes_any(pushed)) {
      const lanes3 push = lanes3_keep(pushed, lanes3_load(history_of(s->c, 2), i));
      moved = lanes3_subtract(moved, push);
      velocity = lanes3_subtract(velocity, lanes3_scale(push, lanes_splat(s->inverse_h)));
      lanes3_store(s->moved, i, moved, left);
    }
  }
  lanes3_store(s->v, i, velocity, left);
  const lanes fast = lanes_drop(lanes_less(length_upper_bound(velocity), lanes_splat(s->max_speed)), lanes_splat(1.0f));
  if (s->fixed_work || lanes_any(lanes_both(lanes_first(left), lanes_less(lanes_splat(0.0f), fast)))) {
    limit_singly(s, i, left);
  }
}

CLOTH_HOT CLOTH_SEPARATE void settle_piece(const cloth *c, const step_plan *plan, stage_piece *p) {
  const settlement s = settlement_of(c, plan, p);
  EACH_BLOCK_OF(i, left, p->first, p->end, settle_block(&s, lanes3_load(s.v, i), lanes3_load(s.moved, i), i, left));
}

/* Takes back pushes and limits speeds where no velocities follow from moved positions. */
static void settle_velocities(const cloth *c, const step_plan *plan, cloth_statistics *counts) {
  counts->particles_limited += run_pieces(c, plan, settle_piece, NULL, c->count, LEAST_PARTICLES).limited;
}

/* v + (x_moved - x_predicted) / h, the velocity update of position based dynamics, of a block of particles. Where the
   displacements are not summed, the prediction is computed again bit for bit, so that a particle that no constraint has
   moved keeps its velocity exactly. `sums`, a constant in hot loops: there are sums. *displacement is x_moved -
   x_predicted. */
CLOTH_INLINE lanes3 updated_velocity(const settlement *s, int sums, int32_t i, lanes3 *displacement) {
  const lanes3 velocity = lanes3_load(s->v, i);
  if (sums) {
    *displacement = lanes3_load(s->displacement, i);
  } else {
    const lanes3 from = prediction(lanes3_load(s->x, i), velocity, lanes_splat(s->h));
    *displacement = lanes3_subtract(lanes3_load(s->moved, i), from);
  }
  return lanes3_add_scaled(velocity, *displacement, lanes_splat(s->inverse_h));
}

CLOTH_INLINE void update_velocity_block(const settlement *s, int sums, int32_t i, int32_t left) {
  lanes3 displacement;
  const lanes3 v = updated_velocity(s, sums, i, &displacement);
  settle_block(s, v, lanes3_load(s->moved, i), i, left);
}

/*
 * Velocities of a cloth that nothing holds. Constraints between its particles keep both of its momenta but for two
 * errors, which would add up over the substeps and are taken back as a rigid motion of the cloth.
 *
 * Rounding: a position has the resolution of a float, and divided by h that is some 1e-4 m/s. The mean of what the
 * constraints add is therefore subtracted.
 *
 * Angular momentum (^ is the cross product): with the positions x at the substep's start, x + h v is the new position,
 * so sum m x ^ v is the new angular momentum. The impulses of springs pass through the predicted positions, not through
 * x: about x they have the moment L = sum m x ^ (x_moved - x_predicted) / h. For an acceleration a of the particles it
 * is -s h^2 sum m v ^ a, with the share s = 1 - 5 w / 9 of forces that acts at once for the weight w of BDF2. The
 * extrapolation of the velocities brings back 4 w / 9 h^2 sum m v ^ a. To leading order in h a substep thus changes the
 * angular momentum by (1 - w) / s L: by L with backward Euler, by 0 with BDF2 alone.
 */

/* Sums over the particles of a free cloth, times their mass ratios, of arms from one of them [m] and displacements by
   constraints [m]. */
typedef struct free_sums {
  lanes_sum mass; /* used with a map of masses only */
  lanes_sum arm[3], displacement[3];
  lanes_sum moment[3];  /* arm ^ displacement */
  lanes_sum square[3];  /* xx, yy, zz of the arms */
  lanes_sum product[3]; /* yz, zx, xy of the arms */
} free_sums;

/* Loop invariants of update_free_velocities(), copied: the stores of lanes may alias the cloth and the plan. */
typedef struct free_context {
  settlement s;
  const float *mass_ratio; /* NULL: 1 */
  cloth_vector origin;     /* of the arms */
  const float *mobility;   /* where absent particles, of mobility 0, are to be left out; else NULL */
} free_context;

/* a.x b.x, a.y b.y, a.z b.z */
CLOTH_INLINE lanes3 lanes3_products(lanes3 a, lanes3 b) {
  return lanes3_of(lanes_multiply(a.x, b.x), lanes_multiply(a.y, b.y), lanes_multiply(a.z, b.z));
}

/* Adds the arms of a block of particles, as they are and times the mass ratios, to the sums. */
CLOTH_INLINE void add_arms(free_sums *sums, int32_t i, lanes3 arm, lanes3 heavy) {
  lanes3_sum_add(sums->arm, i, heavy);
  lanes3_sum_add(sums->square, i, lanes3_products(heavy, arm));
  lanes3_sum_add(sums->product, i,
                 lanes3_products(lanes3_of(heavy.y, heavy.z, heavy.x), lanes3_of(arm.z, arm.x, arm.y)));
}

/* Which particles of a block have a cell. */
CLOTH_INLINE lanes_mask is_present(const free_context *f, int32_t i) {
  return lanes_less(lanes_splat(0.0f), lanes_load(f->mobility + i));
}

/* Updates the velocities of a block of particles, of which `left` exist, and adds the particles to the sums. */
CLOTH_INLINE void update_free_block(const free_context *f, free_sums *sums, int32_t i, int32_t left) {
  const lanes3 x = lanes3_load(f->s.x, i);
  lanes3 arm = lanes3_subtract(x, lanes3_splat(f->origin)), d;
  lanes3_store(f->s.v, i, updated_velocity(&f->s, WITH_PROJECTION && f->s.displacement.x, i, &d), left);
  d = lanes3_quantise(d, WORK_ROUNDER);
  if (left < CLOTH_LANES) {
    arm = lanes3_keep(lanes_first(left), arm);
    d = lanes3_keep(lanes_first(left), d);
  }
  if (WITH_GAPS && f->mobility) {
    arm = lanes3_keep(is_present(f, i), arm);
    d = lanes3_keep(is_present(f, i), d);
  }
  lanes3 heavy = arm; /* times the mass ratio */
  if (f->mass_ratio) {
    lanes mass = lanes_within(lanes_load(f->mass_ratio + i), left);
    mass = WITH_GAPS && f->mobility ? lanes_keep(is_present(f, i), mass) : mass;
    heavy = lanes3_scale(arm, mass);
    lanes_sum_add(&sums->mass, i, mass);
    lanes3_sum_add(sums->displacement, i, lanes3_scale(d, mass));
  } else {
    lanes3_sum_add(sums->displacement, i, d);
  }
  lanes3_sum_add(sums->moment, i, lanes3_cross(heavy, d));
  add_arms(sums, i, arm, heavy);
}

/* Least pivot of the inertia tensor over its trace: a cloth rolled into a line must not spin about itself. */
#define MIN_INERTIA 1.0e-3f
/* Largest rotation in a substep that is taken back [rad]. */
#define MAX_ROTATION 0.1f

/* A moment or product over the trace of the inertia tensor; 0 if it is small beside that. Not inlined: clang would
   vectorise the divisions and divide whatever lies in unused lanes, which raises flags. */
CLOTH_SEPARATE lanes share_of_trace(float value, float trace) {
  return lanes_splat(flush_small(value, WORK_QUANTUM * trace) / trace);
}

/* Rotation [rad] of free particles as one body that has a moment of displacements about their centre, over the mass
   that ratios are relative to [m^2]. `mass`: the sum of the mass ratios; `centre`: the mean of the arms [m]. */
CLOTH_INLINE cloth_vector rotation_by_moment(const free_sums *sums, float mass, cloth_vector centre,
                                             cloth_vector moment) {
  const cloth_vector c = centre, heavy = vector_scale(centre, mass);
  const cloth_vector square =
      vector_subtract(lanes3_sum_total(sums->square), vector(heavy.x * c.x, heavy.y * c.y, heavy.z * c.z));
  const cloth_vector product =
      vector_subtract(lanes3_sum_total(sums->product), vector(heavy.y * c.z, heavy.z * c.x, heavy.x * c.y));
  const float trace = 2.0f * (square.x + square.y + square.z);
  if (!(trace > WORK_QUANTUM * mass)) {
    return vector(0.0f, 0.0f, 0.0f); /* all particles in one place */
  }
  const symmetric inertia = {.xx = share_of_trace(square.y + square.z, trace),
                             .yy = share_of_trace(square.z + square.x, trace),
                             .zz = share_of_trace(square.x + square.y, trace),
                             .xy = share_of_trace(negate(product.z), trace),
                             .xz = share_of_trace(negate(product.y), trace),
                             .yz = share_of_trace(negate(product.x), trace)};
  const lanes3 angles = symmetric_apply(
      symmetric_quantise(symmetric_inverse(inertia, lanes_splat(MIN_INERTIA))),
      lanes3_of(share_of_trace(moment.x, trace), share_of_trace(moment.y, trace), share_of_trace(moment.z, trace)));
  cloth_vector rotation = {lanes_first_value(angles.x), lanes_first_value(angles.y), lanes_first_value(angles.z)};
  clamp_length(&rotation, MAX_ROTATION);
  return rotation;
}

CLOTH_HOT CLOTH_SEPARATE void update_free_velocities(const cloth *c, const step_plan *plan, const settlement *s) {
  const free_context f = {.s = *s,
                          .mass_ratio = c->constant.mass_ratio ? floats_at(c, c->constant.mass_ratio) : NULL,
                          .origin = vector_load(vectors_at(c, c->state.position), c->count / 2),
                          .mobility = has_gaps(c) ? floats_at(c, c->scratch.mobility) : NULL};
  free_sums sums = {.mass = {{0.0f}}};
  EACH_BLOCK(i, left, c->count, update_free_block(&f, &sums, i, left));
  const float mass = f.mass_ratio ? lanes_sum_total(&sums.mass) : (float)particles_of(c);
  const cloth_vector centre = vector_flush_work(vector_scale(lanes3_sum_total(sums.arm), 1.0f / mass));
  const cloth_vector drift = vector_flush_work(vector_scale(lanes3_sum_total(sums.displacement), 1.0f / mass));
  const float gained = plan->inverse_h * (1.0f - plan->extrapolation) / force_share(plan);
  const cloth_vector moment =
      vector_subtract(lanes3_sum_total(sums.moment), vector_cross(vector_scale(centre, mass), drift));
  const cloth_vector spin = vector_flush_work(vector_scale(rotation_by_moment(&sums, mass, centre, moment), gained));
  const cloth_vector at_origin = vector_add_scaled(vector_cross(centre, spin), drift, plan->inverse_h);
  const lanes3 taken = lanes3_splat(vector_flush_work(at_origin)), rate = lanes3_splat(spin);
  const lanes3 origin = lanes3_splat(f.origin);
  EACH_BLOCK(i, left, c->count, {
    const lanes3 x = lanes3_load(f.s.x, i);
    lanes3 v = lanes3_subtract(lanes3_load(f.s.v, i), lanes3_cross(rate, lanes3_subtract(x, origin)));
    v = lanes3_subtract(v, taken);
    v = WITH_GAPS && f.mobility ? lanes3_keep(is_present(&f, i), v) : v;
    settle_block(&f.s, v, lanes3_load(f.s.moved, i), i, left);
  });
}

CLOTH_HOT CLOTH_SEPARATE void update_velocities_of_piece(const cloth *c, const step_plan *plan, stage_piece *p) {
  const settlement s = settlement_of(c, plan, p);
  if (WITH_PROJECTION && s.displacement.x) { /* with a constant */
    EACH_BLOCK_OF(i, left, p->first, p->end, update_velocity_block(&s, 1, i, left));
  } else {
    EACH_BLOCK_OF(i, left, p->first, p->end, update_velocity_block(&s, 0, i, left));
  }
}

/* 1 if springs leave the momenta of the cloth as they are: nothing holds it, and it bears no body in this substep. */
static int keeps_momenta(const cloth *c, const step_plan *plan) {
#if WITH_BEARING
  return plan->is_free && !is_bearing(c, BEARS_COUNTS);
#else
  (void)c;
  return plan->is_free;
#endif
}

/* Velocities from the moved positions, limited, without the pushes of contacts. */
static void update_velocities_from_positions(const cloth *c, const step_plan *plan, cloth_statistics *counts) {
  piece_counts made;
  if (keeps_momenta(c, plan)) {
    stage_piece p = whole_piece(c, NULL, c->count);
    const settlement s = settlement_of(c, plan, &p);
    update_free_velocities(c, plan, &s);
    made = p.counts;
  } else {
    made = run_pieces(c, plan, update_velocities_of_piece, NULL, c->count, LEAST_PARTICLES);
  }
  counts->particles_limited += made.limited;
}

/* 1 if no particle is pinned or confined, and the cloth is one piece: each piece has momenta of its own. */
static int is_free_cloth(const cloth *c) {
#if WITH_GAPS
  if (has_gaps(c)) {
    int free = gap_summary_of(c)->pieces == 1 && !is_torn_cloth(c);
    for (int32_t i = 0; i < c->count; i++) {
      free &= (freedom_of(c)[i] & FREEDOM_MASK) == FREEDOM_FREE || is_gap(c, i, GAP_PARTICLE);
    }
    return free;
  }
#endif
  return are_all_free(c);
}

/* Largest speed that contact may give to a particle [m/s]: a little below CLOTH_SPEED_LIMIT, the largest that a state
   may hold, so that rounding does not pass it. */
#define CONTACT_SPEED_LIMIT (0.999f * CLOTH_SPEED_LIMIT)

/* Makes a particle's predicted position and velocity its new ones. One that is NaN, infinite or out of the world stays
   where it was, without velocity. */
static void accept_particle(const cloth *c, int32_t i, piece_counts *counts) {
  vector_array x = vectors_at(c, c->state.position);
  vector_array v = vectors_at(c, c->state.velocity);
  cloth_vector to = vector_load(predicted_of(c), i);
  cloth_vector velocity = vector_load(v, i);
  if (!vector_is_finite(velocity) || !is_step_place(c, to)) {
    vector_store(v, i, vector(0.0f, 0.0f, 0.0f));
    counts->recovered++;
    return;
  }
  if (!is_pinned(c, i)) {
    counts->limited += clamp_length(&velocity, CONTACT_SPEED_LIMIT);
  }
  CLOTH_ASSERT(is_step_place(c, to) && vector_is_finite(velocity));
  vector_store(x, i, vector_flush(to, STATE_QUANTUM));
  vector_store(v, i, vector_flush(velocity, STATE_QUANTUM));
}

/* Accepts the particles of a block, of which `left` exist, one by one. */
CLOTH_SEPARATE void accept_singly(const cloth *c, int32_t i, int32_t left, piece_counts *counts) {
  for (int32_t lane = 0; lane < CLOTH_LANES && lane < left; lane++) {
    accept_particle(c, i + lane, counts);
  }
}

/* Loop invariants of accept_particles(), copied: the stores of lanes may alias the cloth. */
typedef struct acceptance_context {
  const cloth *c;
  piece_counts *counts;
  vector_array x, velocity, predicted;
  float max_coordinate; /* relative to the origin of the step [m] */
  int32_t fixed_work;   /* 1: every particle is accepted singly */
} acceptance_context;

/* Which particles are certainly within the limits: by upper bounds of the lengths, without a square root. NaN is not.
 */
CLOTH_INLINE lanes_mask is_acceptable(const acceptance_context *a, lanes3 to, lanes3 velocity) {
  return lanes_both(lanes_less(length_upper_bound(to), lanes_splat(a->max_coordinate)),
                    lanes_less(length_upper_bound(velocity), lanes_splat(CONTACT_SPEED_LIMIT)));
}

CLOTH_INLINE void accept_block(const acceptance_context *a, int32_t i, int32_t left) {
  lanes3 to = lanes3_flush_below(lanes3_load(a->predicted, i), STATE_QUANTUM);
  lanes3 velocity = lanes3_flush_below(lanes3_load(a->velocity, i), STATE_QUANTUM);
  lanes bad = lanes_drop(is_acceptable(a, to, velocity), lanes_splat(1.0f));
  if (a->fixed_work || lanes_any(lanes_both(lanes_first(left), lanes_less(lanes_splat(0.0f), bad)))) {
    accept_singly(a->c, i, left, a->counts);
  } else {
    lanes3_store(a->x, i, to, left);
    lanes3_store(a->velocity, i, velocity, left);
  }
}

/* Accepts a piece: whole blocks where all particles are certainly within the limits, the others one by one. */
CLOTH_HOT CLOTH_SEPARATE void accept_piece(const cloth *c, const step_plan *plan, stage_piece *p) {
  const acceptance_context a = {.c = c,
                                .counts = &p->counts,
                                .x = vectors_at(c, c->state.position),
                                .velocity = vectors_at(c, c->state.velocity),
                                .predicted = predicted_of(c),
                                .max_coordinate = CLOTH_POSITION_LIMIT - workspace_of(c)->origin_reach,
                                .fixed_work = c->settings.capacity.fixed_work};
  (void)plan;
  EACH_BLOCK_OF(i, left, p->first, p->end, accept_block(&a, i, left));
}

/* Makes the predicted positions and the velocities the new state. */
static void accept_particles(const cloth *c, cloth_statistics *counts) {
  const piece_counts made = run_pieces(c, NULL, accept_piece, NULL, c->count, LEAST_PARTICLES);
  counts->particles_limited += made.limited;
  counts->particles_recovered += made.recovered;
#if WITH_GAPS
  if (has_gaps(c)) {
    place_absent_particles(c, vectors_at(c, c->state.position));
  }
#endif
}

#endif

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
