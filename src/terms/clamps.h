#pragma once
#include "links.h"
#include "pin_reactions.h"

/// Clamps ///

/*
 * Where cloth is held by two rows of pins or more, its hinge at the last of them bends half of the cell behind the
 * clamp, too, and so is twice as stiff. Two of its three particles are pins, so the block is isotropic:
 *
 *   energy    kappa / 2 |x_a - 2 x_i + x_f|^2 once more, with a and i pins, f not
 *   gradient  kappa (x_a - 2 x_i + x_f) on f
 *   block     kappa I
 */

/* The hinge at pin i of a direction where it is the border of a clamp, else kappa = 0. */
typedef struct clamped_hinge {
  float kappa;
  int32_t pin, middle, free;
} clamped_hinge;

static clamped_hinge clamp_at(const cloth *c, const substep_terms *t, int32_t i, int32_t d) {
  const int32_t row = i / c->grid.columns, column = i - row * c->grid.columns, down = d == WEFT, right = d == WARP;
  const int32_t before = particle_from(c, row - down, column - right),
                after = particle_from(c, row + down, column + right);
  clamped_hinge k = {0.0f, i, i, i};
  if (before >= 0 && after >= 0 && is_held(c, before) != is_held(c, after)) {
    k.kappa = t->hinge[d] * hinge_factor_at(c, row, column, d);
    k.pin = is_held(c, before) ? before : after;
    k.free = is_held(c, before) ? after : before;
  }
  return k;
}

/* x_a - 2 x_i + x_f of a near array. */
static cloth_vector clamp_bend(const solve_arrays *a, const clamped_hinge *k, float *x) {
  const cloth_vector ends = vector_add(near_particle(a, x, k->pin), near_particle(a, x, k->free));
  return vector_flush_work(vector_add_scaled(ends, near_particle(a, x, k->middle), -2.0f));
}

/* Adds the clamp at pin i of a direction. Returns 1 if there is one. */
static int add_clamp(const cloth *c, const solve_arrays *a, const substep_terms *t, int32_t i, int32_t d) {
  const clamped_hinge k = clamp_at(c, t, i, d);
  if (!(k.kappa > 0.0f)) { return 0; }
  const int32_t place = place_of(a, k.free);
  const cloth_vector force = vector_scale(clamp_bend(a, &k, t->viscosity > 0.0f ? a->bent : a->place), k.kappa);
  add_to_particle(a, k.free, vector_scale(force, -1.0f));
  if (notes_pins(c)) {
    add_to_particle(a, k.pin, vector_scale(force, -1.0f));
    add_to_particle(a, k.middle, vector_scale(force, 2.0f));
  }
  *own_at(a->diagonal, 1, place, 0) += k.kappa * (1.0f + t->viscosity);
  return 1;
}

/* Adds all clamps. Returns 1 if there are any. */
CLOTH_SEPARATE int add_clamps(const cloth *c, const substep_terms *t) {
  const solve_arrays *a = arrays_of(c);
  int some = 0;
  for (int32_t i = next_step_held(c, 0); t->bends && i < c->count; i = next_step_held(c, i + 1)) {
    some |= add_clamp(c, a, t, i, WARP) | add_clamp(c, a, t, i, WEFT);
  }
  return some;
}

/* By how much their energy rises along the ways in `bent`: kappa / 2 d . (2 x + d), bend x and its change d. */
CLOTH_SEPARATE float clamps_rise(const cloth *c, const substep_terms *t) {
  const solve_arrays *a = arrays_of(c);
  float rise = 0.0f;
  for (int32_t i = next_step_held(c, 0); t->bends && i < c->count; i = next_step_held(c, i + 1)) {
    for (int32_t d = WARP; d <= WEFT; d++) {
      const clamped_hinge k = clamp_at(c, t, i, d);
      if (k.kappa > 0.0f) {
        const cloth_vector change = near_particle(a, a->bent, k.free);
        const cloth_vector both = vector_add_scaled(change, clamp_bend(a, &k, a->place), 2.0f);
        rise += 0.5f * k.kappa * vector_dot(change, both);
      }
    }
  }
  return rise;
}
