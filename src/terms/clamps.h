#pragma once
#include "../access.h"
#include "../base/rows.h"
#include "../compiler.h"
#include "../pin_reactions.h"
#include "../scalar.h"
#include "../solve/arrays.h"
#include "../types.h"
#include "links.h"

/// Clamps ///

/*
 * Where cloth is held by two rows of pins or more, its hinge at the last of them bends half of the cell behind the
 * clamp, too, and so is twice as stiff: its energy counts once more. Two of its three particles are pins, so the block
 * is isotropic:
 *
 *   energy    kappa / 2 |x_a - 2 x_i + x_f|^2 once more, with a and i pins, f not
 *   gradient  kappa (x_a - 2 x_i + x_f) on f
 *   block     kappa I
 *
 * In: pins, place or bent. Out: residual and diagonal of the particles beside clamps. Scratch: none.
 */

/* What the hinges of a substep act on, and the stiffness of their block over that of their force. */
typedef struct clamp_terms {
  const solve_arrays *a;
  const substep_terms *t;
  float *x; /* near array */
} clamp_terms;

static cloth_vector near_particle(const solve_arrays *a, float *array, int32_t particle) {
  const int32_t row = particle / a->columns;
  return near_vector(near_row(array, a->pitch, row), a->plane, particle - row * a->columns);
}

/* Adds a force to the residual of a particle. */
static void add_to_particle(const solve_arrays *a, int32_t particle, cloth_vector force) {
  const int32_t place = particle / a->columns * a->pitch + particle % a->columns;
  *own_at(a->residual, 3, place, 0) += force.x;
  *own_at(a->residual, 3, place, 1) += force.y;
  *own_at(a->residual, 3, place, 2) += force.z;
}

/* The hinge at pin i of a direction, with its particles before and after it. Returns 1 if it is the border of a clamp.
 */
static int add_clamp(const cloth *c, const clamp_terms *k, int32_t i, int32_t d) {
  const solve_arrays *a = k->a;
  const int32_t row = i / a->columns, column = i - row * a->columns, down = d == WEFT, right = d == WARP;
  const int32_t before = particle_from(c, row - down, column - right),
                after = particle_from(c, row + down, column + right);
  if (before < 0 || after < 0 || is_pinned(c, before) == is_pinned(c, after)) {
    return 0;
  }
  const float kappa = k->t->hinge[d] * hinge_factor_at(c, row, column, d);
  if (!(kappa > 0.0f)) {
    return 0;
  }
  const int32_t pin = is_pinned(c, before) ? before : after, other = is_pinned(c, before) ? after : before;
  const cloth_vector ends = vector_add(near_particle(a, k->x, pin), near_particle(a, k->x, other));
  const cloth_vector bend = vector_add_scaled(ends, near_particle(a, k->x, i), -2.0f);
  const int32_t place = other / a->columns * a->pitch + other % a->columns;
  const cloth_vector force = vector_scale(vector_flush_work(bend), kappa);
  add_to_particle(a, other, vector_scale(force, -1.0f));
  if (notes_pins(c)) {
    add_to_particle(a, pin, vector_scale(force, -1.0f));
    add_to_particle(a, i, vector_scale(force, 2.0f));
  }
  *own_at(a->diagonal, 1, place, 0) += kappa * (1.0f + k->t->viscosity);
  return 1;
}

/* Adds all clamps. Returns 1 if there are any. */
CLOTH_SEPARATE int add_clamps(const cloth *c, const substep_terms *t) {
  const solve_arrays a = arrays_of(c);
  const clamp_terms k = {&a, t, t->viscosity > 0.0f ? a.bent : a.place};
  int some = 0;
  for (int32_t i = next_pin(c, 0); t->bends && i < c->count; i = next_pin(c, i + 1)) {
    some |= add_clamp(c, &k, i, WARP) | add_clamp(c, &k, i, WEFT);
  }
  return some;
}
