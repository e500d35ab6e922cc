#pragma once
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/scalar.h"
#include "../bodies/bodies.h"
#include "../cloth/access.h"
#include "../cloth/body_list.h"
#include "../cloth/costs.h"
#include "../cloth/types.h"
#include "../contact/contact_record.h"
#include "../self/search.h"

/// Sleep ///

/* When a cloth falls asleep, and what a sleeping cloth does. While it rests, state.resting sums up the reactions; while
   it sleeps, it holds their means per second, which every step reports. */

#if WITH_SLEEP

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
    resting[n] = flush_small((starts ? 0.0f : resting[n]) + reported[n], WORK_QUANTUM);
  }
}

/* Sets a sum to its factor times another: reactions per second, and those of a step. */
static void scale_reactions(const cloth *c, const float *from, float factor, float *to) {
  for (int32_t n = 0; n < report_count(c); n++) {
    to[n] = flush_small(from[n] * factor, WORK_QUANTUM);
  }
}

static void fall_asleep(const cloth *c) {
  float *resting = floats_at(c, c->state.resting);
  scale_reactions(c, resting, 1.0f / inputs_of(c)->rest_time, resting);
  inputs_of(c)->rest_time = ASLEEP;
#if WITH_BODIES
  stop_bodies(c);
#endif
  fill_vectors(c, vectors_at(c, c->state.velocity), 0.0f);
  for (int32_t i = 0; i < c->count; i++) {
    freedom_of(c)[i] &= FREEDOM_MASK;
    invalidate_history(c, i);
  }
}

#if WITH_SEAMS || WITH_COMMON_BODIES

/* 1 if a step of dt seconds that ends is to put the cloth to sleep. */
static int will_sleep(const cloth *c, float dt) {
  const float rest_time = inputs_of(c)->rest_time + dt;
  return c->settings.sleep.speed > 0.0f && rest_time >= c->settings.sleep.time && is_at_rest(c);
}

#endif

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

int cloth_wake(cloth *c) {
  int error = check_cloth(c);
  if (error) { return error; }
  wake(c);
  return CLOTH_OK;
}

int cloth_is_asleep(const cloth *c) {
  int error = check_cloth(c);
  if (error) { return error; }
  return is_asleep(c);
}

#endif
