#pragma once
#include "access.h"
#include "air.h"
#include "compiler.h"
#include "gaps.h"
#include "lanes.h"
#include "plan.h"
#include "scalar.h"
#include "types.h"

/// Reactions of pins ///

/*
 * What the cloth does to whatever holds its particles: the impulse on each pinned particle, and on confined particles
 * along the directions that they are held in. Every stage that moves particles by forces between them notes what it
 * would have done to the pins, had they been free: gravity and air on the particle itself, springs, bending, tethers
 * and strain limits. A displacement by d in a substep of h seconds stands for a momentum m d / (s h), with the share s
 * of a force that acts at once, see contact_momentum.h.
 *
 * In: what each stage knows of its forces. Out: own.pin_reactions, which prepare clears. Scratch: none.
 */

/* 1 if impulses on pins are noted. */
CLOTH_INLINE int notes_pins(const cloth *c) {
  return WITH_BODIES && c->own.pin_reactions != 0;
}

/* 1 if what a solve leaves over is found, see left_over.h. */
CLOTH_INLINE int takes_left_over(const cloth *c) {
  return notes_pins(c) || has_solver_contacts(c);
}

#if WITH_BODIES

/* Adds to the reaction of a pin what would change the velocity of a free particle of mass ratio 1 by `change` [m/s]. */
static void note_change(const cloth *c, int32_t particle, cloth_vector change) {
  cloth_vector *reaction = (cloth_vector *)at(c, c->own.pin_reactions) + particle;
  const cloth_vector impulse = vector_scale(vector_flush(change, STATE_QUANTUM), reference_mass(c));
  *reaction = vector_add(*reaction, impulse);
}

/* The same for a displacement in the substep [m]. */
static void note_displacement(const cloth *c, int32_t particle, cloth_vector displacement) {
  const step_plan *plan = &workspace_of(c)->plan;
  note_change(c, particle, vector_scale(vector_flush_work(displacement), plan->inverse_h / force_share(plan)));
}

#if WITH_PROJECTION

/* The force of the air on one particle, as a velocity change times the mass ratio. */
static cloth_vector air_on_pin(const cloth *c, const air_flow *air, int32_t particle) {
  const vector_array x = vectors_at(c, c->state.position);
  const int32_t row = particle / c->grid.columns, column = particle - row * c->grid.columns;
  const row_neighbours near = row_neighbours_at(c, x, row);
  const lanes3 area = lanes3_splat(lanes3_first(area_vectors(&near, x, column, gapped_cloth(c))));
  const lanes3 v = lanes3_splat(vector_load(vectors_at(c, c->state.velocity), particle));
  const float mass = mass_ratio_at(c, particle);
  return vector_scale(lanes3_first(air_change(air, area, v, lanes_splat(1.0f / mass))), mass);
}

/* Notes gravity and air on the pins, where the prediction adds them. */
CLOTH_SEPARATE void note_body_forces(const cloth *c, const step_plan *plan) {
  const cloth_vector gravity = vector_flush_work(vector_scale(inputs_of(c)->gravity, plan->h));
  const int with_air = has_air(c);
  air_flow air;
  fill_zero(&air, sizeof air);
  if (with_air) {
    air = air_flow_of(c, plan);
  }
  for (int32_t i = 0; i < c->count; i++) {
    if (is_pinned(c, i) && !is_gap(c, i, GAP_PARTICLE)) {
      note_change(c, i, vector_scale(gravity, mass_ratio_at(c, i)));
      if (with_air) {
        note_change(c, i, air_on_pin(c, &air, i));
      }
    }
  }
}

#endif

/* Positions whose differences bend, x - s x_old, around a particle. */
typedef struct bent_sheet {
  const cloth *c;
  vector_array x, old;
  float shift;
} bent_sheet;

static cloth_vector bent_value(const bent_sheet *b, int32_t row, int32_t column) {
  const int32_t columns = b->c->grid.columns, i = row * columns + (column + columns) % columns;
  return vector_add_scaled(vector_load(b->x, i), vector_load(b->old, i), negate(b->shift));
}

/* Second difference at a place along the warp or weft; 0 at the edges, which have no hinge. */
static cloth_vector second_difference(const bent_sheet *b, int32_t direction, int32_t row, int32_t column) {
  const int32_t across = direction == WARP, down = !across;
  const int32_t place = across ? column : row, last = (across ? b->c->grid.columns : b->c->grid.rows) - 1;
  if ((place < 1 || place >= last) && !(across && is_wrapped(b->c))) {
    return vector(0.0f, 0.0f, 0.0f);
  }
  const cloth_vector sum =
      vector_add(bent_value(b, row - down, column - across), bent_value(b, row + down, column + across));
  return vector_add_scaled(sum, bent_value(b, row, column), -2.0f);
}

/* Force of the hinges along the warp or weft on a particle, over their stiffness. */
static cloth_vector hinges_on(const bent_sheet *b, int32_t direction, int32_t row, int32_t column) {
  const int32_t across = direction == WARP, down = !across;
  const cloth_vector sum = vector_add(second_difference(b, direction, row - down, column - across),
                                      second_difference(b, direction, row + down, column + across));
  return vector_subtract(vector_scale(second_difference(b, direction, row, column), 2.0f), sum);
}

/* Force of the twists of the cells around a particle, over their stiffness. */
static cloth_vector twists_on(const bent_sheet *b, int32_t row, int32_t column) {
  cloth_vector force = vector(0.0f, 0.0f, 0.0f);
  for (int32_t corner = 0; corner < 4; corner++) {
    const int32_t r = row - corner / 2, q = column - corner % 2; /* of the cell */
    const int exists =
        r >= 0 && r + 1 < b->c->grid.rows && (is_wrapped(b->c) || (q >= 0 && q + 1 < b->c->grid.columns));
    if (exists && !is_gap(b->c, r * b->c->grid.columns + (q + b->c->grid.columns) % b->c->grid.columns, GAP_CELL)) {
      cloth_vector twist = vector_subtract(bent_value(b, r, q), bent_value(b, r, q + 1));
      twist = vector_add(twist, vector_subtract(bent_value(b, r + 1, q + 1), bent_value(b, r + 1, q)));
      force = vector_add_scaled(force, twist, corner == 0 || corner == 3 ? -1.0f : 1.0f);
    }
  }
  return force;
}

/* Notes the force of bending at the predicted positions as they are: of hinges, if they are explicit, and of twists. */
CLOTH_SEPARATE void note_bending(const cloth *c, const step_plan *plan) {
  const bent_sheet b = {c, predicted_of(c), vectors_at(c, c->state.position), plan->bend.shift};
  for (int32_t i = 0; i < c->count; i++) {
    if (!is_pinned(c, i)) {
      continue;
    }
    const int32_t row = i / c->grid.columns, column = i - row * c->grid.columns;
    note_displacement(c, i, vector_scale(twists_on(&b, row, column), plan->bend.twist));
    if (plan->bend.is_explicit) {
      note_displacement(c, i, vector_scale(hinges_on(&b, WARP, row, column), plan->bend.stiffness[WARP]));
      note_displacement(c, i, vector_scale(hinges_on(&b, WEFT, row, column), plan->bend.stiffness[WEFT]));
    }
  }
}

#endif
