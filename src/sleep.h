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
static int is_quiet(const cloth *c) {
  if (has_gusts(c)) {
    return 0;
  }
  planes v = planes_at(c, c->state.velocity);
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
  inputs_of(c)->quiet = ASLEEP;
  fill_planes(c, planes_at(c, c->state.velocity), 0.0f);
  if (c->state.warm_start) {
    fill_planes(c, planes_at(c, c->state.warm_start), 0.0f);
  }
  for (int32_t i = 0; i < c->count; i++) {
    freedom_of(c)[i] &= FREEDOM_MASK;
    forget_history(c, i);
  }
}

/* At the end of a step of dt seconds. */
CLOTH_SEPARATE void settle_down(const cloth *c, float dt) {
  cloth_inputs *inputs = inputs_of(c);
  inputs->quiet = c->settings.sleep.speed > 0.0f && is_quiet(c) ? inputs->quiet + dt : 0.0f;
  if (inputs->quiet > 0.0f && inputs->quiet >= c->settings.sleep.time) {
    fall_asleep(c);
  }
}

/* A step of a sleeping cloth. */
CLOTH_SEPARATE int sleep_on(const cloth *c) {
  cloth_statistics *s = statistics_of(c);
  fill_zero(s, sizeof *s);
  fill_zero(reactions_of(c), (size_t)c->settings.capacity.max_colliders * sizeof(cloth_reaction));
  s->asleep = 1;
  add_work(c, 1, PRICE_STEP);
  return CLOTH_OK;
}

int cloth_wake(cloth *sheet) {
  int error = check_cloth(sheet);
  if (error) {
    return error;
  }
  wake(sheet);
  return CLOTH_OK;
}

int cloth_is_asleep(const cloth *sheet) {
  int error = check_cloth(sheet);
  return error ? error : is_asleep(sheet);
}

#endif
