#pragma once
#include "../bodies/bodies.h"
#include "../contact/contact_record.h"
#include "../self/search.h"
#include "../tear/tear.h"
#include "../terms/air.h"
#include "../terms/targets.h"
#include "../terms/tethers.h"
#include "origin.h"
#include "plan.h"
#include "statistics.h"
#include "substep.h"
#include "work.h"

/// Sleep ///

/* When a cloth falls asleep, and what a sleeping cloth does. While it rests, state.resting sums up the reactions; while
   it sleeps, it holds their means per second, which every step reports. */

/* 1 if gusts change the wind and the wind acts on the cloth. */
static int has_gusts(const cloth *c) {
  const cloth_vector strength = inputs_of(c)->gust_strength;
  return has_air(c) && strength.x + strength.y + strength.z > 0.0f;
}

/* 1 if every free particle is at most as fast as sleep.speed, every pin is still and no gusts act. */
static int is_at_rest(const cloth *c) {
  if (has_gusts(c)) { return 0; }
  vector_array v = vectors_at(c, c->state.velocity);
  float max_squared = c->settings.sleep.speed * c->settings.sleep.speed;
  for (int32_t i = 0; i < c->count; i++) {
    cloth_vector velocity = vector_load(v, i);
    if (!(vector_dot(velocity, velocity) <= (is_pinned(c, i) && !is_on_body(c, i) ? 0.0f : max_squared))) { return 0; }
  }
  return are_bodies_at_rest(c);
}

/* Adds the reactions of a step to those since the cloth came to rest; `starts`: it is the first of these steps. */
static void sum_resting_reactions(const cloth *c, int starts) {
  const float *reported = (const float *)(const void *)reactions_of(c);
  float *resting = floats_at(c, c->state.resting);
  for (int32_t n = 0; n < report_count(c); n++) {
    resting[n] = flush_work((starts ? 0.0f : resting[n]) + reported[n]);
  }
}

/* Sets a sum to its factor times another: reactions per second, and those of a step. */
static void scale_reactions(const cloth *c, const float *from, float factor, float *to) {
  for (int32_t n = 0; n < report_count(c); n++) {
    to[n] = flush_work(from[n] * factor);
  }
}

static void fall_asleep(const cloth *c) {
  float *resting = floats_at(c, c->state.resting);
  scale_reactions(c, resting, 1.0f / inputs_of(c)->rest_time, resting);
  inputs_of(c)->rest_time = ASLEEP;
  stop_bodies(c);
  fill_vectors(c, vectors_at(c, c->state.velocity), 0.0f);
  for (int32_t i = 0; i < c->count; i++) {
    freedom_of(c)[i] &= FREEDOM_MASK;
    invalidate_history(c, i);
  }
}

/* 1 if a step of dt seconds that ends is to put the cloth to sleep. */
static int will_sleep(const cloth *c, float dt) {
  const float rest_time = inputs_of(c)->rest_time + dt;
  return c->settings.sleep.speed > 0.0f && rest_time >= c->settings.sleep.time && is_at_rest(c);
}

/* Ends a step of dt seconds: counts the rest time [s], and puts the cloth to sleep after sleep.time if it may. One that
   may not has the rest time and the sums of the steps before, until what it waits for comes to rest. */
CLOTH_SEPARATE void update_sleep(const cloth *c, float dt, int may_sleep) {
  cloth_inputs *inputs = inputs_of(c);
  if (!(c->settings.sleep.speed > 0.0f)) {
    inputs->rest_time = 0.0f;
    return;
  }
  const float rest_time = is_at_rest(c) ? inputs->rest_time + dt : 0.0f;
  const int is_due = rest_time > 0.0f && rest_time >= c->settings.sleep.time;
  if (is_due && !may_sleep) { return; }
  sum_resting_reactions(c, inputs->rest_time == 0.0f);
  inputs->rest_time = rest_time;
  if (is_due) { fall_asleep(c); }
}

/* The step of a sleeping cloth: reports that it sleeps and what it weighs, and moves nothing. */
CLOTH_SEPARATE int step_asleep(const cloth *c, float dt) {
  cloth_statistics *s = statistics_of(c);
  fill_zero(s, sizeof *s);
  scale_reactions(c, floats_at(c, c->state.resting), dt, (float *)(void *)reactions_of(c));
  clear_contact_record(c);
  s->asleep = 1;
  reset_self(c);
  add_work(c, 1, COST_STEP);
  return CLOTH_OK;
}

#if WITH_SLEEP

int cloth_wake(cloth *c) {
  RETURN_IF_ERROR(check_cloth(c));
  wake(c);
  return CLOTH_OK;
}

int cloth_is_asleep(const cloth *c) {
  RETURN_IF_ERROR(check_cloth(c));
  return is_asleep(c);
}

#endif

/// Stepping ///

/* What a step does, in order: this part only calls the others. */

/* What precedes the substeps: the plan, pins that begin or end a move, the scratch. A substep has at most `parts`
   parts, and a solve `iterations` iterations; 0: as many as the cloth has alone. */
static void prepare_step(const cloth *c, float dt, int32_t substeps, int32_t parts, int32_t iterations) {
  workspace *w = workspace_of(c);
  plan_step_in(c, dt, substeps, &w->plan);
  fill_zero(at(c, c->state.end), LANE_PAD * sizeof(float));
  start_pins(c, 1.0f / dt);
  prepare_scratch(c);
  reset_statistics(c, &w->plan);
  statistics_of(c)->substeps = 0; /* counted as they are done */
  reset_self(c);
  charge_step(c, &w->plan, parts, iterations);
  if (WITH_TETHERS && will_choose_tethers(c)) { choose_tethers(c); }
}

/* Lets a substep do several of them from now on. */
static void lengthen_substeps(const cloth *c, int32_t stride) {
  step_plan *plan = &workspace_of(c)->plan;
  plan->stride = stride;
  if (stride > 1) {
    const solve_arrays *a = arrays_of(c);
    plan->h *= (float)stride;
    plan->inverse_h = 1.0f / plan->h;
    set_terms(c, plan->h, plan->substeps, &plan->terms);
    fill_coefficient_rows(a, &plan->terms);
  }
}

/* Lets the substeps from `index` on do several of them if time is up for one of the cloths, unless one may not, or they
   are as long as may be already. */
static void cut_substeps(const stepped_cloths *s, int32_t index) {
  const int32_t left = s->plan->substeps - index;
  int32_t allows = left > 1 && s->plan->stride == 1, is_cut = 0;
  EACH_STEPPED(s, m, allows = allows && may_shorten(m->c));
  EACH_STEPPED(s, m, is_cut |= allows && !may_refine(m->c));
  if (is_cut) {
    const int32_t stride = longest_stride(s->plan->h, left);
    EACH_STEPPED(s, m, lengthen_substeps(m->c, stride));
  }
}

static void do_substeps(stepped_cloths *s) {
  const step_plan *plan = s->plan;
  for (int32_t index = 0; index < plan->substeps; index += plan->stride) {
    cut_substeps(s, index);
    EACH_STEPPED(s, m, workspace_of(m->c)->plan.index = index + plan->stride - 1);
    substep(s);
    if (s->after) { s->after(s); }
  }
}

/* Lets the origin of a cloth that has strayed from it follow. Returns the box around the particles. */
static position_box follow_to_box(const cloth *c) {
  workspace *w = workspace_of(c);
  position_box box = box_around(c);
#if WITH_ORIGIN
  w->statistics.origin_shift = follow_cloth(c, &box);
  const cloth_metres shift = w->statistics.origin_shift;
  w->plan.notes |= shift.x || shift.y || shift.z ? CLOTH_NOTE_ORIGIN_MOVED : 0;
  move_shared_bodies(c, shift);
#endif
  return box;
}

/* Begins the substeps of a step that has been prepared, at an origin (step_origin.h). */
static void start_substeps(const cloth *c, const position_box *box, cloth_vector origin) {
  workspace *w = workspace_of(c);
  w->plan.notes |= set_step_origin(c, box, origin) ? CLOTH_NOTE_FAR : 0;
  move_by_step_origin(c, -1.0f);
  w->tick = CLOTH_TICKS();
  const solve_arrays *a = arrays_of(c);
  fill_coefficient_rows(a, &w->plan.terms);
}

/* Charges what the substeps have counted, and sets the notes of the step. Returns the notes. */
static int finish_statistics(const cloth *c, const step_plan *plan) {
  cloth_statistics *counts = statistics_of(c);
  counts->notes = plan->notes;
  counts->notes |= counts->particles_limited ? CLOTH_NOTE_SPEED_LIMITED : 0;
  counts->notes |= counts->particles_recovered ? CLOTH_NOTE_RECOVERED : 0;
  counts->notes |= self_notes(c);
  return counts->notes;
}

/* What follows the substeps. `may_sleep`: a cloth at rest may fall asleep. Returns the notes of the step. */
static int finish_step(const cloth *c, float dt, int may_sleep) {
  workspace *w = workspace_of(c);
  leave_step_origin(c);
  if (can_tear(c)) { finish_tears(c, dt); }
  finish_motions(c);
  if (WITH_AIR) { advance_gusts(inputs_of(c), dt); }
  if (WITH_SLEEP) { update_sleep(c, dt, may_sleep); }
  return finish_statistics(c, &w->plan);
}

/* Begins the step of a cloth alone. */
CLOTH_SEPARATE void begin_step(const cloth *c, float dt, lone_cloth *alone) {
  prepare_step(c, dt, choose_substeps(c, dt, 0), 0, 0);
  const position_box box = follow_to_box(c);
  start_substeps(c, &box, step_origin_for(&box));
  workspace *w = workspace_of(c);
  alone->member = (solve_member){.c = c, .t = &w->plan.terms};
  alone->set = (solve_group){&alone->member, 1, NULL, self_group_of(c)};
  alone->stepped =
      (stepped_cloths){&alone->set, 1, 1.0f / (float)c->settings.integration.max_parts, &w->plan, NULL, NULL};
}

/* A step with as many refinements as the workspace allows. Returns its notes. */
static int step(const cloth *c, float dt) {
  if (WITH_SLEEP && is_asleep(c)) { return step_asleep(c, dt); }
  lone_cloth alone;
  begin_step(c, dt, &alone);
  do_substeps(&alone.stepped);
  return finish_step(c, dt, 1);
}

/* Lets the next step do all its optional work (refinements), without a deadline. */
static void allow_refinements(const cloth *c) {
  workspace *w = workspace_of(c);
  w->has_deadline = 0;
  w->is_cut = 0;
  w->refinements = 0;
}
