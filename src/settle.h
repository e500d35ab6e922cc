#pragma once
#include "access.h"
#include "bodies.h"
#include "bodies/list.h"
#include "compiler.h"
#include "costs.h"
#include "geometry.h"
#include "hash.h"
#include "lanes.h"
#include "motion.h"
#include "plan.h"
#include "scalar.h"
#include "shapes.h"
#include "step.h"
#include "step_calls.h"
#include "step_origin.h"
#include "surroundings.h"
#include "types.h"
#include "work.h"

/// Rest ///

/*
 * A cloth brought to rest in one call, by dynamic relaxation with kinetic damping (Barnes, "Form Finding and Analysis
 * of Tension Structures by Dynamic Relaxation", International Journal of Space Structures 14(2), 1999): the cloth moves
 * by substeps, and whenever its kinetic energy has passed a maximum all velocities become 0. At a maximum of the
 * kinetic energy the cloth passes its equilibrium, so each stop takes out all the energy that a swing would lose in
 * seconds.
 *
 * The substeps are those of a step, with all that acts in it, so that what is at rest here is at rest there: the same
 * bending, tethers, contact, friction and pushes. Substeps of up to COARSE_SUBSTEP begin: they cross a slow swing in
 * fewer of them. Each level halves their length, down to that of the steps to come, as the equilibrium of sheets over
 * bodies depends on it somewhat. A level ends when all particles have been slow for a time.
 *
 * Kinetic damping also stops cloth on the way out of an equilibrium that is unstable, and leaves what slid just where
 * friction holds it. So in the end the friction of colliders is eased, and cloth that has become slow is nudged: what
 * stays slow then is stable, and friction holds it with a margin.
 *
 * In: the state, dt. Out: the state; the statistics are those of the last step. Scratch: that of a step.
 */

#if WITH_SETTLE

/* Longest substep of the coarsest level [s]. */
#define COARSE_SUBSTEP (1.0f / 120.0f)
/* How long all particles have to be slow [s]: at a coarse level, with eased friction, and in all. With a second less
   some cloths creep on for that second before a fold of theirs turns over. */
#define COARSE_QUIET 0.15f
#define EASED_QUIET 2.0f
#define FINAL_QUIET 3.0f
/* Speed up to which a particle is slow, over the speed that counts as rest: in the end, and at coarse levels. Above it,
   a maximum of the kinetic energy stops the cloth. */
#define FINAL_SHARE 0.75f
#define COARSE_SHARE 3.0f
/* Share of the coefficients of friction of colliders that acts with eased friction. With 1 and no nudges 7 of 147
   cloths that had settled moved within five seconds, with both none of 150. Less slides farther from what full friction
   holds. */
#define EASED_FRICTION 0.85f
/* For how long cloth may be faster than slow at the ends of steps, with eased friction, before all friction acts [s]:
   on a slope that only all friction holds it slides up to 5 cm in this time, or 20 cm with little kinetic friction.
   Less ends eased friction for more cloths that swing. */
#define EASED_MOTION 0.33f
/* Largest velocity of a nudge along each axis, over the speed up to which a particle is slow. A strip that hangs by a
   corner can turn, but stays in its plane until rounding has grown, which takes longer than is waited for. Nudges of
   0.5 keep more cloths from rest. */
#define NUDGE 0.25f
/* A coarse level takes at most one of so many steps. */
#define LEVEL_STEPS 8
/* Largest length of a substep over that of those to come: so that coarse levels take at most half of the steps. */
#define COARSEST_LEVEL 16

/* A cloth on its way to rest. */
typedef struct settling {
  const cloth *c;
  const cloth_surroundings *around; /* without reactions: no time passes */
  cloth_settle_report *report;
  float slow;           /* square of the speed up to which a particle is slow [m^2/s^2] */
  float energy;         /* kinetic energy after the last substep [m^2/s^2 of the reference mass / 2] */
  float speed;          /* largest squared speed after the last substep [m^2/s^2] */
  float fastest;        /* the same at the end of the last step and at its stops [m^2/s^2] */
  float rest;           /* how long all have been slow at the ends of steps, without a stop [s] */
  float motion;         /* how long some have been faster at the ends of steps [s] */
  float friction_share; /* of the coefficients of friction of colliders that acts */
  int32_t watches;      /* 1 at the last level, see judge_rest() */
  int32_t is_let;       /* 1: nothing is stopped in this step */
  int32_t is_stopped;   /* 1: the cloth has been stopped in this step */
} settling;

/* Adds the colliders with mass to the energy and to the largest squared speed. A body's speed is that of its centre, or
   of the point farthest from it. */
static void add_bodies_speed(settling *s, float *energy) {
#if WITH_BODIES
  const cloth *c = s->c;
  for (int32_t n = 0; n < inputs_of(c)->body_count; n++) {
    const rigid_body *b = &bodies_of(c)[n];
    const cloth_collider *body = &colliders_of(c)[b->collider].body;
    const float turning = vector_length(b->spin) * body_reach(body, geometry_of(c, body));
    const float speed = maximum(vector_length(b->velocity), turning),
                squared = flush_small(speed * speed, WORK_QUANTUM);
    *energy += flush_small(b->mass / reference_mass(c) * squared, WORK_QUANTUM);
    s->speed = maximum(s->speed, squared);
  }
#else
  (void)s;
  (void)energy;
#endif
}

/* Measures the motion after a substep: returns the kinetic energy, and sets s->speed. Pins do not count. */
CLOTH_SEPARATE float measure_settling(settling *s) {
  const cloth *c = s->c;
  const vector_array velocity = vectors_at(c, c->state.velocity);
  const float *mobility = floats_at(c, c->scratch.mobility);
  float values[CLOTH_LANES];
  lanes most = lanes_splat(0.0f);
  lanes_sum sum = {{0.0f}};
  EACH_BLOCK(i, left, c->count, {
    const lanes_mask moves = lanes_both(lanes_first(left), lanes_less(lanes_splat(0.0f), lanes_load(mobility + i)));
    const lanes3 v = lanes3_keep(moves, lanes3_load(velocity, i));
    const lanes squared = lanes3_dot(v, v);
    most = lanes_maximum(squared, most);
    lanes_sum_add(&sum, i, lanes_keep(moves, lanes_multiply(squared, mass_ratio_lanes(c, i))));
  });
  float energy = lanes_sum_total(&sum);
  lanes_store(values, most);
  s->speed = 0.0f;
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    s->speed = maximum(s->speed, values[lane]);
  }
  add_bodies_speed(s, &energy);
  return energy;
}

/* Stops all particles but pins, and all bodies. Histories become those of particles at rest; particles in contact have
   none, and keep their pushes, see contact_push.h. */
CLOTH_SEPARATE void stop_cloth(const cloth *c) {
  const lanes3 none = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  for (int32_t i = 0; i < c->count; i++) {
    if (!is_pinned(c, i)) {
      vector_store(vectors_at(c, c->state.velocity), i, vector(0.0f, 0.0f, 0.0f));
    }
  }
  for (int32_t i = 0; c->state.velocity_history && i < c->count; i += CLOTH_LANES) {
    const vector_array earlier = history_of(c, 1), earliest = history_of(c, 2);
    const lanes3 mark = lanes3_load(earlier, i);
    const lanes_mask has_none = has_no_history(mark.x);
    lanes3_store(earlier, i, lanes3_select(has_none, mark, none), c->count - i);
    lanes3_store(earliest, i, lanes3_select(has_none, lanes3_load(earliest, i), none), c->count - i);
  }
  if (c->state.warm_start) {
    fill_vectors(c, vectors_at(c, c->state.warm_start), 0.0f);
  }
#if WITH_BODIES
  stop_bodies(c);
#endif
}

/* Stops pins that a velocity moves. Those that move to a target, or follow a collider, arrive there. */
CLOTH_SEPARATE void stop_pins(const cloth *c) {
  for (int32_t i = next_pin(c, 0); i < c->count; i = next_pin(c, i + 1)) {
    if (!(freedom_of(c)[i] & PIN_MOVING)) {
      vector_store(vectors_at(c, c->state.velocity), i, vector(0.0f, 0.0f, 0.0f));
    }
  }
}

/* After a substep: stops the cloth if its kinetic energy has passed a maximum. */
static void damp_motion(settling *s) {
  const float energy = measure_settling(s);
  const int stops = !s->is_let && s->speed > s->slow && energy < s->energy;
  if (stops) {
    stop_cloth(s->c);
    s->fastest = maximum(s->fastest, s->speed);
    s->is_stopped = 1;
    s->report->stops++;
  }
  s->energy = stops ? 0.0f : energy;
}

/* Gives all particles but pins small random velocities, other ones after each step. */
CLOTH_SEPARATE void nudge_cloth(const settling *s) {
  const cloth *c = s->c;
  const float most = NUDGE * square_root(s->slow);
  for (int32_t i = 0; i < c->count; i++) {
    if (!is_pinned(c, i)) {
      const uint64_t mixed = hash_mix(hash_mix(HASH_FACTOR, (uint32_t)s->report->steps), (uint32_t)i);
      const cloth_vector noise = vector(hash_to_noise(hash_mix(mixed, 0)), hash_to_noise(hash_mix(mixed, 1)),
                                        hash_to_noise(hash_mix(mixed, 2)));
      vector_store(vectors_at(c, c->state.velocity), i, vector_flush(vector_scale(noise, most), STATE_QUANTUM));
    }
  }
  add_work(c, (uint64_t)(uint32_t)c->count, COST_NUDGE);
}

/* After a step of dt seconds: counts the time in which all particles have been slow. Speeds are judged where the caller
   sees them, at the ends of steps: far from the origin a step begins with positions rounded to coarser floats, and the
   cloth is for some substeps several times as fast as at the end. At the last level a step that follows a slow end is
   like those to come, without stops: these substeps would be stopped for ever, and stops would hide what grows. */
static void judge_rest(settling *s, float dt) {
  const int is_slow = !(s->speed > s->slow);
  s->motion = is_slow ? 0.0f : s->motion + dt;
  s->fastest = maximum(s->fastest, s->speed);
  s->rest = is_slow && !s->is_stopped ? s->rest + dt : 0.0f;
  if (s->friction_share < 1.0f && is_slow && !s->is_let) {
    nudge_cloth(s);
  }
  s->is_let = s->watches && is_slow;
}

/* Bodies that cloths share rest where they are at the end of the step. */
static void rest_shared_bodies(const cloth *c) {
#if WITH_SHARED_BODIES
  collider_slot *slots = (collider_slot *)at(c, c->own.shared_bodies);
  for (int32_t n = 0; n < workspace_of(c)->shared_bodies; n++) {
    slots[n].previous = slots[n].body.pose;
  }
#else
  (void)c;
#endif
}

/* A step of dt seconds on the way to rest. Returns its notes. */
static int step_towards_rest(settling *s, float dt) {
  const cloth *c = s->c;
  const int32_t left_out = enter_surroundings(c, dt, s->around, 0u);
  rest_shared_bodies(c);
  begin_step(c, dt);
  step_plan *plan = &workspace_of(c)->plan;
  plan->friction_share = s->friction_share;
  s->fastest = 0.0f;
  s->is_stopped = 0;
  for (int32_t index = 0; index < plan->substeps; index++) {
    plan->index = index;
    substep(c, plan, index);
    damp_motion(s);
  }
  judge_rest(s, dt);
  add_work(c, (uint64_t)(uint32_t)c->count * (uint32_t)plan->substeps, COST_SETTLE);
  s->report->steps++;
  s->report->substeps += plan->substeps;
  leave_step_origin(c);
  finish_motions(c);
  inputs_of(c)->last_substep = plan->h;
  const int notes = finish_statistics(c, plan);
  leave_surroundings(c, s->around, left_out);
#if WITH_PLANNING
  const uint32_t *work = statistics_of(c)->work;
  uint32_t *sum = s->report->work;
  const uint32_t low = sum[0] + work[0];
  sum[1] += work[1] + (low < work[0]);
  sum[0] = low;
#endif
  return notes;
}

/* Has cloth been fast for so long that eased friction may not hold it? */
static int does_slide(const settling *s) {
  return s->friction_share < 1.0f && s->motion > EASED_MOTION;
}

/* Steps of dt seconds, at most `steps`, until all particles have been slow for `quiet` seconds, or slide. Returns the
   notes of all. */
static int settle_level(settling *s, float dt, float quiet, int32_t steps) {
  int notes = 0;
  s->energy = 0.0f;
  s->motion = 0.0f;
  for (int32_t n = 0; n < steps && s->rest < quiet && !does_slide(s); n++) {
    notes |= step_towards_rest(s, dt);
  }
  return notes;
}

/* How many times as long as those to come the substeps of the coarsest level are: a power of 2. */
static int32_t coarsest_level(const cloth *c, float dt) {
  const float h = dt / (float)c->settings.integration.substeps;
  int32_t level = 1;
  while (level < COARSEST_LEVEL && 2.0f * (float)level * h <= COARSE_SUBSTEP &&
         2.0f * (float)level * dt <= MAX_TIME_STEP && !is_refused(c, 2.0f * (float)level * dt)) {
    level *= 2;
  }
  return level;
}

/* The last level: at most half of the steps that are left with eased friction, the others with all of it. What slides
   when all of it begins to act is stopped: static friction may hold it then, where kinetic friction is too little to
   stop it. Returns the notes of all. */
static int settle_finally(settling *s, float dt, float speed, int32_t max_steps) {
  const float final = speed * FINAL_SHARE;
  s->slow = final * final;
  s->watches = 1;
  s->friction_share = EASED_FRICTION;
  s->rest = 0.0f;
  const int notes = settle_level(s, dt, EASED_QUIET, (max_steps - s->report->steps) / 2);
  if (s->motion > 0.0f) {
    stop_cloth(s->c);
    s->report->stops++;
  }
  s->friction_share = 1.0f;
  return notes | settle_level(s, dt, FINAL_QUIET, max_steps - s->report->steps);
}

/* Settles with the substeps that the settings say. Returns the notes of all steps. */
static int settle_levels(settling *s, float dt, float speed, int32_t max_steps) {
  int notes = 0;
  const float coarse = speed * COARSE_SHARE;
  s->slow = coarse * coarse;
  for (int32_t level = coarsest_level(s->c, dt); level > 1; level /= 2) {
    s->rest = 0.0f;
    notes |= settle_level(s, (float)level * dt, COARSE_QUIET, max_steps / LEVEL_STEPS);
  }
  return notes | settle_finally(s, dt, speed, max_steps);
}

/* Squares of speeds stay far from subnormal numbers. */
#define MIN_REST_SPEED 1.0e-4f
#define MAX_REST_SPEED 10.0f

int cloth_settle_with(cloth *c, float dt, const cloth_surroundings *around, float speed, int32_t max_steps,
                      cloth_settle_report *report) {
  const int error = check_step_with(c, dt, around);
  if (error) {
    return error;
  }
  if (!in_range(speed, MIN_REST_SPEED, MAX_REST_SPEED) || max_steps < 1 || max_steps > CLOTH_SETTLE_LIMIT) {
    return CLOTH_ERROR_RANGE;
  }
  cloth_settle_report unread;
  cloth_surroundings without_reactions;
  if (around) {
    without_reactions = *around;
    without_reactions.reactions = NULL;
  }
  settling s = {.c = c,
                .around = around ? &without_reactions : NULL,
                .report = report ? report : &unread,
                .friction_share = 1.0f};
  fill_zero(s.report, sizeof *s.report);
  if (is_asleep(c)) {
    s.report->settled = 1;
    return CLOTH_OK;
  }
  const int32_t substeps = c->settings.integration.substeps;
  allow_refinements(c);
  stop_cloth(c);
  stop_pins(c);
  wake(c);
  c->settings.integration.substeps = choose_substeps_for(c, dt, 1);
  const int notes = settle_levels(&s, dt, speed, max_steps);
  c->settings.integration.substeps = substeps;
  stop_cloth(c);
  stop_pins(c);
  s.report->settled = s.rest >= FINAL_QUIET;
  s.report->speed = square_root(s.fastest);
  return notes;
}

int cloth_settle(cloth *c, float dt, float speed, int32_t max_steps, cloth_settle_report *report) {
  return cloth_settle_with(c, dt, NULL, speed, max_steps, report);
}

#if WITH_PLANNING

int cloth_get_settle_bound(const cloth *c, float dt, int32_t max_steps, uint64_t *work) {
  uint64_t most = 0;
  int error = cloth_get_work_bound(c, dt, &most);
  if (error || !work || max_steps < 1 || max_steps > CLOTH_SETTLE_LIMIT) {
    return error ? error : work ? CLOTH_ERROR_RANGE : CLOTH_ERROR_NULL;
  }
  cloth_settings *settings = &((cloth *)(uintptr_t)c)->settings;
  const int32_t substeps = settings->integration.substeps;
  settings->integration.substeps = choose_substeps_for(c, dt, 1);
  for (int32_t level = coarsest_level(c, dt); level >= 1; level /= 2) {
    uint64_t bound = 0;
    error = error ? error : cloth_get_work_bound(c, (float)level * dt, &bound);
    most = larger_work(most, bound);
  }
  most += (uint64_t)(uint32_t)c->count * ((uint32_t)settings->integration.substeps * COST_SETTLE + COST_NUDGE);
  settings->integration.substeps = substeps;
  *work = most * (uint32_t)max_steps;
  return error;
}

#endif

#endif
