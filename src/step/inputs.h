#pragma once
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/scalar.h"
#include "../bodies/bodies.h"
#include "../cloth/access.h"
#include "../cloth/body_list.h"
#include "../cloth/config.h"
#include "../cloth/gaps.h"
#include "../cloth/settings.h"
#include "../cloth/types.h"
#include "../contact/cell_memory.h"
#include "../contact/memory.h"
#include "../self/memory.h"
#include "../terms/air.h"
#include "../terms/confinement.h"
#include "../terms/tethers.h"

/// Inputs ///

/* Calls that change forces, fabric and particles in the state, flushed. A value that differs wakes the cloth. */

/* Stores the vector at an offset of the inputs, if each component is within +-limit. */
CLOTH_SEPARATE int set_vector(const cloth *c, size_t offset, cloth_vector value, float limit) {
  int error = check_cloth(c);
  if (error) { return error; }
  if (!vector_in_range(value, limit)) { return CLOTH_ERROR_RANGE; }
  cloth_vector clean = vector_flush(value, STATE_QUANTUM);
  set_input(c, (char *)inputs_of(c) + offset, &clean, sizeof clean);
  return CLOTH_OK;
}

int cloth_set_gravity(cloth *c, cloth_vector gravity) {
  return set_vector(c, offsetof(cloth_inputs, gravity), gravity, GRAVITY_LIMIT);
}

int cloth_set_wind(cloth *c, cloth_vector wind) {
  return set_vector(c, offsetof(cloth_inputs, wind), wind, WIND_LIMIT);
}

#if WITH_AIR

static int check_gusts(const cloth_gusts *gusts) {
  int are_possible = are_gusts(gusts->strength, gusts->period) && in_range(gusts->start, 0.0f, 1.0e6f);
  return are_possible ? CLOTH_OK : CLOTH_ERROR_RANGE;
}

int cloth_set_gusts(cloth *c, const cloth_gusts *gusts) {
  int error = check_cloth(c);
  if (error) { return error; }
  error = gusts ? check_gusts(gusts) : CLOTH_OK;
  if (error) { return error; }
  const cloth_gusts none = {{0.0f, 0.0f, 0.0f}, 0.0f, 0.0f, 0};
  const cloth_gusts *given = gusts ? gusts : &none;
  cloth_inputs *inputs = inputs_of(c);
  cloth_inputs changed = *inputs;
  changed.gust_strength = vector_flush(given->strength, STATE_QUANTUM);
  if (changed.gust_period != given->period || changed.gust_seed != given->seed) {
    changed.gust_period = given->period;
    changed.gust_seed = given->seed;
    changed.gust_phase[0] = changed.gust_phase[1] = 0;
    advance_gusts(&changed, given->start);
  }
  if (!are_equal(inputs, &changed, sizeof changed)) {
    *inputs = changed;
    wake(c);
  }
  return CLOTH_OK;
}

#endif

int cloth_get_wind(const cloth *c, cloth_vector *wind) {
  int error = check_call(c, wind);
  if (error) { return error; }
  *wind = wind_of(c);
  return CLOTH_OK;
}

int cloth_set_fabric(cloth *c, const cloth_fabric *fabric) {
  int error = check_call(c, fabric);
  if (error) { return error; }
  error = check_fabric(fabric);
  if (error) { return error; }
  set_fabric(c, fabric);
  return CLOTH_OK;
}

int cloth_particle_at(const cloth *c, int32_t column, int32_t row) {
  int error = check_cloth(c);
  if (error) { return error; }
  if (column < 0 || column >= c->grid.columns || row < 0 || row >= c->grid.rows) { return CLOTH_ERROR_INDEX; }
  return row * c->grid.columns + column;
}

/* Sets the velocity of a particle [m/s], and its freedom with the PIN_... flags that tell what the velocity is. */
static void set_motion(const cloth *c, int32_t particle, cloth_vector velocity, uint32_t freedom) {
  set_particle_vector(c, vectors_at(c, c->state.velocity), particle, vector_flush(velocity, STATE_QUANTUM));
  freedom_of(c)[particle] = (uint8_t)freedom;
}

/* Sets the freedom of a particle. Chosen tethers are then stale; those set to a released pin are removed. */
static void set_freedom(const cloth *c, int32_t particle, uint32_t freedom) {
#if WITH_BODIES
  if (find_attachment(c, particle)) {
    remove_attachment(c, particle);
    wake(c);
  }
#endif
  if (WITH_SLEEP && (freedom_of(c)[particle] & FREEDOM_MASK) != freedom) { wake(c); }
  if (c->state.tethers && is_pinned(c, particle) != (freedom == FREEDOM_PINNED)) {
    if (inputs_of(c)->tethers_chosen != TETHERS_SET) {
      inputs_of(c)->tethers_chosen = TETHERS_STALE;
    } else if (freedom != FREEDOM_PINNED) {
      remove_tethers_to(c, particle);
    }
  }
  vector_store(vectors_at(c, c->state.velocity), particle, current_velocity(c, particle)); /* without a move */
  freedom_of(c)[particle] = (uint8_t)freedom;
  invalidate_history(c, particle);
}

int cloth_pin(cloth *c, int32_t particle) {
  int error = check_present(c, particle);
  if (error) { return error; }
  remove_confinement(c, particle);
  set_freedom(c, particle, FREEDOM_PINNED);
  set_motion(c, particle, vector(0.0f, 0.0f, 0.0f), FREEDOM_PINNED);
  return CLOTH_OK;
}

/* CLOTH_OK for a pin that the caller may move: one that is not attached to a collider. */
static int check_free_pin(const cloth *c, int32_t particle) {
  int error = check_pin(c, particle);
  if (error) { return error; }
  error = check_present(c, particle);
  if (error) { return error; }
#if WITH_BODIES
  if (find_attachment(c, particle)) { return CLOTH_ERROR_STATE; }
#endif
  return CLOTH_OK;
}

int cloth_set_pin_velocity(cloth *c, int32_t particle, cloth_vector velocity) {
  int error = check_free_pin(c, particle);
  if (error) { return error; }
  if (!vector_in_range(velocity, CLOTH_SPEED_LIMIT)) { return CLOTH_ERROR_RANGE; }
  set_motion(c, particle, velocity, FREEDOM_PINNED);
  return CLOTH_OK;
}

int cloth_move_pin(cloth *c, int32_t particle, cloth_vector target) {
  int error = check_free_pin(c, particle);
  if (error) { return error; }
  cloth_vector from = vector_load(vectors_at(c, c->state.position), particle);
  cloth_vector displacement = vector_flush_work(vector_subtract(vector_flush(target, STATE_QUANTUM), from));
  /* In the longest step, 1 s, the velocity of a displacement is the same number. */
  if (!vector_in_range(target, CLOTH_POSITION_LIMIT) || !vector_in_range(displacement, CLOTH_SPEED_LIMIT)) {
    return CLOTH_ERROR_RANGE;
  }
  cloth_vector moved = vector_flush(displacement, STATE_QUANTUM);
  if (moved.x != 0.0f || moved.y != 0.0f || moved.z != 0.0f) {
    wake(c);
  } else if (WITH_SLEEP && is_asleep(c)) {
    return CLOTH_OK; /* less than 1 nm does not wake a cloth */
  }
  vector_store(vectors_at(c, c->state.velocity), particle, displacement);
  freedom_of(c)[particle] = FREEDOM_PINNED | PIN_MOVING;
  return CLOTH_OK;
}

#if WITH_CONFINED

/* Length below which a vector has no direction [m], and largest component, whose square is a finite float. */
#define MIN_DIRECTION 1.0e-6f
#define MAX_DIRECTION 1.0e10f

static int confine(cloth *c, int32_t particle, cloth_vector direction, uint32_t freedom) {
  int error = check_present(c, particle);
  if (error) { return error; }
  float length = vector_in_range(direction, MAX_DIRECTION) ? vector_length(direction) : 0.0f;
  if (!(length > MIN_DIRECTION)) { return CLOTH_ERROR_RANGE; }
  uint32_t before = freedom_of(c)[particle] & FREEDOM_MASK;
  if (!is_confined(before) && inputs_of(c)->confined_count == c->settings.capacity.max_confined) {
    return CLOTH_ERROR_FULL;
  }
  cloth_vector clean = vector_flush_work(vector_scale(vector_flush(direction, INPUT_QUANTUM), 1.0f / length));
  confinement *held = find_confinement(c, particle);
  /* The same direction wakes nothing: the anchor moves to the particle, which is on the line or plane already. */
  if (WITH_SLEEP && (before != freedom || !are_equal(&held->direction, &clean, sizeof clean))) { wake(c); }
  remove_confinement(c, particle);
  for (confinement *last = confined_of(c) + inputs_of(c)->confined_count++; last > held; last--) {
    *last = last[-1];
  }
  held->particle = particle;
  held->freedom = freedom;
  held->direction = clean;
  held->anchor =
      vector_flush(vector_load(vectors_at(c, c->state.position), particle), STATE_QUANTUM); /* as saves have it */
  set_freedom(c, particle, freedom);
  return CLOTH_OK;
}

int cloth_confine_to_line(cloth *c, int32_t particle, cloth_vector direction) {
  return confine(c, particle, direction, FREEDOM_LINE);
}

int cloth_confine_to_plane(cloth *c, int32_t particle, cloth_vector normal) {
  return confine(c, particle, normal, FREEDOM_PLANE);
}

#endif

int cloth_release(cloth *c, int32_t particle) {
  int error = check_present(c, particle);
  if (error) { return error; }
  remove_confinement(c, particle);
  set_freedom(c, particle, FREEDOM_FREE);
  return CLOTH_OK;
}

int cloth_get_freedom(const cloth *c, int32_t particle) {
  int error = check_particle(c, particle);
  if (error) { return error; }
  return (int)(freedom_of(c)[particle] & FREEDOM_MASK);
}

int cloth_set_particle(cloth *c, int32_t particle, cloth_vector position, cloth_vector velocity) {
  int error = check_present(c, particle);
  if (error) { return error; }
  if (!vector_in_range(position, CLOTH_POSITION_LIMIT) || !vector_in_range(velocity, CLOTH_SPEED_LIMIT)) {
    return CLOTH_ERROR_RANGE;
  }
  position = vector_flush(position, STATE_QUANTUM);
  set_particle_vector(c, vectors_at(c, c->state.position), particle, position);
  set_motion(c, particle, velocity, freedom_of(c)[particle] & FREEDOM_MASK);
  invalidate_history(c, particle);
#if WITH_COLLIDERS
  forget_touching(c, particle);
  forget_cells(c, -1, particle);
#endif
#if WITH_SELF
  forget_pairs(c);
#endif
#if WITH_GAPS
  if (has_gaps(c)) { place_absent_particles(c, vectors_at(c, c->state.position)); }
#endif
  if (WITH_CONFINED && is_confined(freedom_of(c)[particle])) { find_confinement(c, particle)->anchor = position; }
  return CLOTH_OK;
}

int cloth_apply_impulse(cloth *c, int32_t particle, cloth_vector impulse) {
  int error = check_present(c, particle);
  if (error) { return error; }
  float mass = mass_of_particle(c, particle);
  impulse = vector_flush(impulse, INPUT_QUANTUM);
  cloth_vector velocity = vector_add_scaled(current_velocity(c, particle), impulse, 1.0f / mass);
  if (!vector_is_finite(impulse) || !vector_in_range(velocity, CLOTH_SPEED_LIMIT)) { return CLOTH_ERROR_RANGE; }
  if (!is_pinned(c, particle)) {
    set_motion(c, particle, velocity, freedom_of(c)[particle]);
    invalidate_history(c, particle);
  }
  return CLOTH_OK;
}
