#pragma once
#include "access.h"
#include "bend_solve.h"
#include "compiler.h"
#include "lanes.h"
#include "lines.h"
#include "pin_reactions.h"
#include "scalar.h"
#include "types.h"

/// Hinges at pins ///

/*
 * What hinges that are solved along lines do to pins, for pin_reactions.h. In: a bundle of lines as its solve has left
 * it. Out: own.pin_reactions. Scratch: none.
 */

#if WITH_BODIES

/* The hinge at an element, times its factor; 0 beyond the ends of open lines. */
static lanes3 hinge_at(const bend_lines *l, int32_t element) {
  if (!(WITH_WRAP && l->b.is_ring) && (element < 1 || element > l->b.length - 2)) {
    return lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  }
  lanes3 sum = lanes3_add(bend_value(l, element - 1), bend_value(l, element + 1));
  sum = lanes3_add_scaled(sum, bend_value(l, element), lanes_splat(-2.0f));
  return lanes3_scale(lanes3_flush(sum), hinge_factor(l, element));
}

/* Force of the hinges on an element of a line, as a displacement. */
static cloth_vector hinge_force(const bend_lines *l, int32_t element, int32_t lane) {
  float values[3][CLOTH_LANES];
  const vector_array forces = {values[0], values[1], values[2]};
  const lanes3 beside = lanes3_add(hinge_at(l, element - 1), hinge_at(l, element + 1));
  const lanes3 force = lanes3_subtract(lanes3_scale(hinge_at(l, element), lanes_splat(2.0f)), beside);
  lanes3_store(forces, 0, lanes3_scale(lanes3_flush(force), lanes_splat(l->kappa)), CLOTH_LANES);
  return vector_load(forces, lane);
}

/* Notes the force of the hinges of a bundle that has been solved on its pins. */
CLOTH_SEPARATE void note_hinges(const cloth *c, const step_plan *plan, int32_t direction, const line_bundle *b,
                                vector_array old) {
  if (!notes_pins(c)) {
    return;
  }
  const bend_lines l = bend_lines_of(c, plan, direction, b, old);
  for (int32_t element = 0; element < b->length; element++) {
    for (int32_t lane = 0; lane < b->count; lane++) {
      const int32_t particle = b->first + element * b->along + lane * b->across;
      if (is_pinned(c, particle)) {
        note_displacement(c, particle, hinge_force(&l, element, lane));
      }
    }
  }
}

#endif
