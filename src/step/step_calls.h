#pragma once
#include "../bodies/bodies.h"
#include "../bodies/surroundings.h"
#include "../contact/geometry.h"
#include "../contact/shapes.h"
#include "../terms/targets.h"
#include "plan.h"
#include "step.h"
#include "work.h"

/// Calls that step ///

/* A step, with or without surroundings, a deadline, or the effort of another step: checks arguments first. */

static int check_step_with(const cloth *c, float dt, const cloth_surroundings *around) {
  int error = check_step(c, dt);
#if WITH_COLLIDERS
  error = error ? error : check_surroundings(c, around);
#endif
  return error;
}

/* A step with surroundings that have been checked. */
static int step_with(const cloth *c, float dt, const cloth_surroundings *around) {
  const int32_t left_out = enter_surroundings(c, dt, around, 0u);
  const int result = step(c, dt);
  leave_surroundings(c, around, left_out);
  return result;
}

int cloth_step_with(cloth *c, float dt, const cloth_surroundings *around) {
  RETURN_IF_ERROR(check_step_with(c, dt, around));
  allow_refinements(c);
  return step_with(c, dt, around);
}

int cloth_step(cloth *c, float dt) {
  return cloth_step_with(c, dt, NULL);
}

#if WITH_PLANNING

/* Do cloths allow steps that are refined less, and can these be told how far? */
static int check_efforts(cloth *const *cloths, int32_t count, const cloth_effort *efforts) {
  if (!efforts) { return CLOTH_ERROR_NULL; }
  for (int32_t n = 0; n < count; n++) {
    if (cloths[n]->settings.capacity.fixed_work) { return CLOTH_ERROR_STATE; }
  }
  return CLOTH_OK;
}

/* Lets the next steps end to refine `ticks` after `start`, UINT32_MAX: never. */
static void set_deadline(cloth *const *cloths, int32_t count, uint32_t start, uint32_t ticks) {
  for (int32_t n = 0; n < count; n++) {
    workspace *w = workspace_of(cloths[n]);
    allow_refinements(cloths[n]);
    w->has_deadline = ticks != UINT32_MAX;
    w->start = start;
    w->ticks = ticks;
  }
}

static void report_efforts(cloth *const *cloths, int32_t count, cloth_effort *efforts) {
  for (int32_t n = 0; n < count; n++) {
    const workspace *w = workspace_of(cloths[n]);
    efforts[n] = (cloth_effort){w->refinements, w->is_cut};
  }
}

/* Lets the next steps be refined as far as others were, if that is possible. */
static int set_efforts(cloth *const *cloths, int32_t count, const cloth_effort *efforts) {
  int error = check_efforts(cloths, count, efforts);
  for (int32_t n = 0; !error && n < count; n++) {
    error = efforts[n].refinements < 0 || (uint32_t)efforts[n].cut_short > 1u ? CLOTH_ERROR_RANGE : CLOTH_OK;
  }
  for (int32_t n = 0; !error && n < count; n++) {
    workspace *w = workspace_of(cloths[n]);
    allow_refinements(cloths[n]);
    w->is_cut = efforts[n].cut_short;
    w->max_refinements = efforts[n].refinements;
  }
  return error;
}

int cloth_step_until_with(cloth *c, float dt, const cloth_surroundings *around, uint32_t ticks, cloth_effort *effort) {
  const uint32_t start = CLOTH_TICKS();
  RETURN_IF_ERROR(check_step_with(c, dt, around));
  RETURN_IF_ERROR(check_efforts(&c, 1, effort));
  set_deadline(&c, 1, start, ticks);
  const int result = step_with(c, dt, around);
  report_efforts(&c, 1, effort);
  return result;
}

int cloth_step_until(cloth *c, float dt, uint32_t ticks, cloth_effort *effort) {
  return cloth_step_until_with(c, dt, NULL, ticks, effort);
}

int cloth_step_again_with(cloth *c, float dt, const cloth_surroundings *around, const cloth_effort *effort) {
  int error = check_step_with(c, dt, around);
  error = error ? error : set_efforts(&c, 1, effort);
  return error ? error : step_with(c, dt, around);
}

int cloth_step_again(cloth *c, float dt, const cloth_effort *effort) {
  return cloth_step_again_with(c, dt, NULL, effort);
}

#endif

/// Rest ///

/* A cloth brought to rest in one call, by dynamic relaxation with kinetic damping (Barnes, "Form Finding and Analysis
   of Tension Structures by Dynamic Relaxation", 1999): it moves by the substeps of the steps to come, and whenever its
   kinetic energy has passed a maximum, as it does at its equilibrium, all velocities become 0. Dry drag, which keeps
   slow cloth slow, does not act. In and out: the state. */

#if WITH_SETTLE

/* How long all particles have to be slow [s]. */
#define QUIET_TIME 3.0f
/* Speed up to which a particle is slow, over the speed that counts as rest. */
#define SLOW_SHARE 0.75f
/* Squares of speeds stay far from subnormal numbers. */
#define MIN_REST_SPEED 1.0e-4f
#define MAX_REST_SPEED 10.0f

/* A cloth on its way to rest. */
typedef struct settling {
  lone_cloth alone;
  const cloth *c;
  const cloth_surroundings *around; /* without reactions: no time passes */
  cloth_settle_report *report;
  float slow;         /* square of the speed up to which a particle is slow [m^2/s^2] */
  float energy;       /* kinetic energy after the last substep [m^2/s^2 of the reference mass / 2] */
  float speed;        /* largest squared speed after the last substep [m^2/s^2] */
  float fastest;      /* the same at the end of the last step and at its stops [m^2/s^2] */
  float rest;         /* how long all have been slow at the ends of steps, without a stop [s] */
  int32_t is_let;     /* 1: nothing is stopped in this step */
  int32_t is_stopped; /* 1: the cloth has been stopped in this step */
} settling;

/* Adds colliders with mass to the energy and the largest squared speed, of the centre or the farthest point. */
static void add_bodies_speed(settling *s, float *energy) {
  const cloth *c = s->c;
  for (int32_t n = 0; n < body_count_of(c); n++) {
    const rigid_body *b = &bodies_of(c)[n];
    const cloth_collider *body = &colliders_of(c)[b->collider].body;
    const float turning = vector_length(b->spin) * body_reach(body, geometry_of(c, body));
    const float speed = maximum(vector_length(b->velocity), turning), squared = flush_work(speed * speed);
    *energy += flush_work(b->mass / reference_mass(c) * squared);
    s->speed = maximum(s->speed, squared);
  }
}

/* Measures the motion after a substep: returns the kinetic energy, and sets s->speed. Pins do not count. */
CLOTH_SEPARATE float measure_settling(settling *s) {
  const cloth *c = s->c;
  const vector_array velocity = vectors_at(c, c->state.velocity);
  float energy = 0.0f, most = 0.0f;
  for (int32_t i = 0; i < c->count; i++) {
    if (!is_pinned(c, i)) {
      const cloth_vector v = vector_flush_state(vector_load(velocity, i));
      const float squared = flush_work(vector_dot(v, v));
      energy += squared * mass_ratio_at(c, i);
      most = maximum(most, squared);
    }
  }
  s->speed = most;
  add_bodies_speed(s, &energy);
  return energy;
}

/* Stops all particles and bodies; pins only if asked to, and not those that have a move to make. */
CLOTH_SEPARATE void stop_cloth(const cloth *c, int32_t stops_pins) {
  const cloth_vector none = vector(0.0f, 0.0f, 0.0f);
  for (int32_t i = 0; i < c->count; i++) {
    if (!is_pinned(c, i) || (stops_pins && !(freedom_of(c)[i] & PIN_MOVING))) {
      vector_store(vectors_at(c, c->state.velocity), i, none);
    }
    for (int32_t before = 1; before <= history_length(c); before++) {
      vector_store(history_of(c, before), i, none);
    }
  }
  stop_bodies(c);
}

/* After a substep: stops the cloth if its kinetic energy has passed a maximum. */
static void damp_motion(stepped_cloths *stepped) {
  settling *s = (settling *)(void *)stepped; /* which begins with it */
  const float energy = measure_settling(s);
  const int stops = !s->is_let && s->speed > s->slow && energy < s->energy;
  if (stops) {
    stop_cloth(s->c, 0);
    s->fastest = maximum(s->fastest, s->speed);
    s->is_stopped = 1;
    s->report->stops++;
  }
  s->energy = stops ? 0.0f : energy;
}

/* After a step of dt seconds: counts the time in which all particles have been slow at the ends of steps. A step that
   follows a slow end makes no stops, which would hide what grows. */
static void judge_rest(settling *s, float dt) {
  const int is_slow = !(s->speed > s->slow);
  s->fastest = maximum(s->fastest, s->speed);
  s->rest = is_slow && !s->is_stopped ? s->rest + dt : 0.0f;
  s->is_let = is_slow;
}

/* Bodies that cloths share rest where they are at the end of the step. */
static void rest_shared_bodies(const cloth *c) {
  collider_slot *slots = (collider_slot *)at(c, c->own.shared_bodies);
  for (int32_t n = 0; WITH_SHARED_BODIES && n < workspace_of(c)->shared_bodies; n++) {
    slots[n].previous = slots[n].body.pose;
  }
}

static void report_work(settling *s) {
  const uint32_t *work = statistics_of(s->c)->work;
  uint32_t *sum = s->report->work;
  const uint32_t low = sum[0] + work[0];
  sum[1] += work[1] + (low < work[0]);
  sum[0] = low;
}

/* A step of dt seconds on the way to rest. Returns its notes. */
static int step_towards_rest(settling *s, float dt) {
  const cloth *c = s->c;
  const int32_t left_out = enter_surroundings(c, dt, s->around, 0u);
  rest_shared_bodies(c);
  begin_step(c, dt, &s->alone);
  s->alone.stepped.after = damp_motion;
  const step_plan *plan = &workspace_of(c)->plan;
  s->fastest = 0.0f;
  s->is_stopped = 0;
  do_substeps(&s->alone.stepped);
  judge_rest(s, dt);
  add_work(c, (uint64_t)(uint32_t)c->count * (uint32_t)plan->substeps, WORK_SETTLE);
  s->report->steps++;
  s->report->substeps += plan->substeps;
  leave_step_origin(c);
  finish_motions(c);
  const int notes = finish_statistics(c, plan);
  leave_surroundings(c, s->around, left_out);
  report_work(s);
  return notes;
}

int cloth_settle_with(cloth *c, float dt, const cloth_surroundings *around, float speed, int32_t max_steps,
                      cloth_settle_report *report) {
  RETURN_IF_ERROR(check_step_with(c, dt, around));
  if (!in_range(speed, MIN_REST_SPEED, MAX_REST_SPEED) || max_steps < 1 || max_steps > CLOTH_SETTLE_LIMIT) {
    return CLOTH_ERROR_RANGE;
  }
  cloth_settle_report unread;
  cloth_surroundings without_reactions;
  if (around) {
    without_reactions = *around;
    without_reactions.reactions = NULL;
  }
  const float slow = speed * SLOW_SHARE;
  settling s = {
      .c = c, .around = around ? &without_reactions : NULL, .report = report ? report : &unread, .slow = slow * slow};
  fill_zero(s.report, sizeof *s.report);
  if (is_asleep(c)) {
    s.report->settled = 1;
    return CLOTH_OK;
  }
  const int32_t substeps = c->settings.integration.substeps;
  const float rest_drag = c->settings.integration.rest_drag;
  int notes = 0;
  allow_refinements(c);
  stop_cloth(c, 1);
  wake(c);
  c->settings.integration.substeps = choose_substeps(c, dt, 1);
  c->settings.integration.rest_drag = 0.0f;
  while (s.report->steps < max_steps && s.rest < QUIET_TIME) {
    notes |= step_towards_rest(&s, dt);
  }
  c->settings.integration.substeps = substeps;
  c->settings.integration.rest_drag = rest_drag;
  stop_cloth(c, 1);
  s.report->settled = s.rest >= QUIET_TIME;
  s.report->speed = square_root(s.fastest);
  return notes;
}

int cloth_settle(cloth *c, float dt, float speed, int32_t max_steps, cloth_settle_report *report) {
  return cloth_settle_with(c, dt, NULL, speed, max_steps, report);
}

#if WITH_PLANNING

int cloth_get_settle_bound(const cloth *c, float dt, int32_t max_steps, uint64_t *work) {
  uint64_t bound = 0;
  RETURN_IF_ERROR(cloth_get_work_bound(c, dt, &bound));
  if (!work) { return CLOTH_ERROR_NULL; }
  if (max_steps < 1 || max_steps > CLOTH_SETTLE_LIMIT) { return CLOTH_ERROR_RANGE; }
  const int32_t substeps = choose_substeps(c, dt, 1);
  if (!is_asleep(c)) {
    const work_scene s = work_scene_of(c, 1);
    bound = most_call_work(c, &s, dt, substeps);
  }
  bound += (uint64_t)(uint32_t)c->count * (uint32_t)substeps * WORK_SETTLE;
  *work = bound * (uint32_t)max_steps;
  return CLOTH_OK;
}

#endif

#endif
