#pragma once
#include "../cloth/access.h"

/// Reactions of pins ///

/* The impulse that the cloth gives to each pinned particle, and to confined ones along the directions that they are
   held in: own.pin_reactions, see step/reactions.h. */

CLOTH_INLINE int notes_pins(const cloth *c) {
  return WITH_BODIES && c->own.pin_reactions != 0;
}

/* Adds to the reaction of a pin what would change the velocity of a free particle of mass ratio 1 by `change` [m/s]. */
static void note_change(const cloth *c, int32_t particle, cloth_vector change) {
  cloth_vector *reaction = (cloth_vector *)at(c, c->own.pin_reactions) + particle;
  const cloth_vector impulse = vector_scale(vector_flush_state(change), reference_mass(c));
  *reaction = vector_add(*reaction, impulse);
}
