#pragma once
#include "access.h"
#include "compiler.h"
#include "scalar.h"

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

#if WITH_BODIES

/* Adds to the reaction of a pin what would change the velocity of a free particle of mass ratio 1 by `change` [m/s]. */
static void note_change(const cloth *c, int32_t particle, cloth_vector change) {
  cloth_vector *reaction = (cloth_vector *)at(c, c->own.pin_reactions) + particle;
  const cloth_vector impulse = vector_scale(vector_flush(change, STATE_QUANTUM), reference_mass(c));
  *reaction = vector_add(*reaction, impulse);
}

#endif
