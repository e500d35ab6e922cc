#pragma once
#include "access.h"
#include "compiler.h"
#include "costs.h"
#include "lanes.h"
#include "scalar.h"
#include "types.h"

/// Sleep ///

#if WITH_SLEEP

/* Do gusts act on the cloth? */
static int has_gusts(const cloth *c) {
  const cloth_vector strength = inputs_of(c)->gust_strength;
  return has_air(c) && strength.x + strength.y + strength.z > 0.0f;
}

/* Is no particle faster than the speed of sleep, and does no pin move? A slow pin has been told to. Gusts let nothing
   rest. */
static int is_at_rest(const cloth *c) {
  if (has_gusts(c)) {
    return 0;
  }
  vector_array v = vectors_at(c, c->state.velocity);
  float most = c->settings.sleep.speed * c->settings.sleep.speed;
  for (int32_t i = 0; i < c->count; i++) {
    cloth_vector velocity = vector_load(v, i);
    if (!(vector_dot(velocity, velocity) <= (is_pinned(c, i) ? 0.0f : most))) {
      return 0;
    }
  }
  return 1;
}

static void fall_asleep(const cloth *c) {
  inputs_of(c)->rest_time = ASLEEP;
  fill_vectors(c, vectors_at(c, c->state.velocity), 0.0f);
  if (c->state.warm_start) {
    fill_vectors(c, vectors_at(c, c->state.warm_start), 0.0f);
  }
  for (int32_t i = 0; i < c->count; i++) {
    freedom_of(c)[i] &= FREEDOM_MASK;
    invalidate_history(c, i);
  }
}

/* At the end of a step of dt seconds. */
CLOTH_SEPARATE void update_sleep(const cloth *c, float dt) {
  cloth_inputs *inputs = inputs_of(c);
  inputs->rest_time = c->settings.sleep.speed > 0.0f && is_at_rest(c) ? inputs->rest_time + dt : 0.0f;
  if (inputs->rest_time > 0.0f && inputs->rest_time >= c->settings.sleep.time) {
    fall_asleep(c);
  }
}

/* A step of a sleeping cloth. */
CLOTH_SEPARATE int step_asleep(const cloth *c) {
  cloth_statistics *s = statistics_of(c);
  fill_zero(s, sizeof *s);
  fill_zero(reactions_of(c), (size_t)c->settings.capacity.max_colliders * sizeof(cloth_reaction));
  s->asleep = 1;
  add_work(c, 1, COST_STEP);
  return CLOTH_OK;
}

int cloth_wake(cloth *c) {
  int error = check_cloth(c);
  if (error) {
    return error;
  }
  wake(c);
  return CLOTH_OK;
}

int cloth_is_asleep(const cloth *c) {
  int error = check_cloth(c);
  return error ? error : is_asleep(c);
}

#endif
