/* What tests of motion share: axes, sums over all particles of a cloth, and a scene with springs, a pin and contacts.
   Include after support.h. SPDX-License-Identifier: MIT */
#ifndef SHEETS_H
#define SHEETS_H

#include "support.h"

static const point x_axis = {1.0, 0.0, 0.0}, y_axis = {0.0, 1.0, 0.0}, z_axis = {0.0, 0.0, 1.0};
static const cloth_vector zero_vector = {0.0f, 0.0f, 0.0f};

/// Sums over a sheet ///

static inline double sheet_mass(const fixture *s) {
  double mass = 0.0;
  for (int i = 0; i < s->count; i++)
    mass += particle_mass(s, i);
  return mass;
}

static inline point mean_position(const fixture *s) {
  point sum = {0.0, 0.0, 0.0};
  for (int i = 0; i < s->count; i++)
    sum = point_sum(sum, position_of(s->sheet, i));
  return point_scaled(sum, 1.0 / s->count);
}

static inline point mean_velocity(const fixture *s) {
  point sum = {0.0, 0.0, 0.0};
  for (int i = 0; i < s->count; i++)
    sum = point_sum(sum, velocity_of(s->sheet, i));
  return point_scaled(sum, 1.0 / s->count);
}

static inline double rms_speed(const fixture *s) {
  double sum = 0.0;
  for (int i = 0; i < s->count; i++) {
    point v = velocity_of(s->sheet, i);
    sum += point_dot(v, v);
  }
  return sqrt(sum / s->count);
}

static inline double largest_distance(const fixture *a, const fixture *b) {
  double largest = 0.0;
  for (int i = 0; i < a->count; i++) {
    double distance = point_distance(position_of(a->sheet, i), position_of(b->sheet, i));
    if (!(distance <= largest)) largest = distance;
  }
  return largest;
}

/* Gives the whole sheet one velocity. */
static inline void set_velocity(const fixture *s, point velocity) {
  for (int i = 0; i < s->count; i++)
    cloth_set_particle(s->sheet, i, vector_of(position_of(s->sheet, i)), vector_of(velocity));
}

/// A scene ///

/* A sheet falling on a ball, held at one corner: springs, a pin and contacts at once. */
static inline fixture run_mixed_scene(const cloth_config *config, int frames, int *notes) {
  fixture s = fixture_make(config);
  cloth_collider ball = cloth_collider_default();
  cloth_add_collider(s.sheet, &ball);
  cloth_pin(s.sheet, 0);
  *notes = run_steps(s.sheet, frames, FRAME);
  return s;
}

/// Tethers ///

/* The pin that a tether of a particle ends at, or -1. */
static inline int tether_of(const fixture *s, int particle, int slot) {
  int32_t pin = -7;
  int result = cloth_get_tether(s->sheet, particle, slot, &pin);
  CHECK(result == CLOTH_OK, "cloth_get_tether: %s", cloth_result_name(result));
  return pin;
}

#endif /* SHEETS_H */
