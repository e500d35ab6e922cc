#pragma once
#include "access.h"
#include "bodies.h"
#include "bodies/list.h"
#include "compiler.h"
#include "rigid.h"
#include "scalar.h"
#include "types.h"

/// Attachments ///

/*
 * Particles held at points of colliders. An attached particle is a pin whose velocity leads, in every substep, to where
 * the point of the collider will be; one that is not there yet when a step begins arrives at its end. What the cloth
 * does to the pin acts on the collider.
 *
 * A body does not wait for the end of the substep to give way: while springs and tethers are solved, its particles have
 * the mobility of its mass, so that a light body on heavy cloth is as stable as a particle. They count its mass in
 * equal parts, and as where it gives way most. No tether leads to such a particle, and it has tethers itself.
 *
 * In: attachments, poses, own.pin_reactions. Out: velocities and predicted positions of attached particles, their
 * mobilities while lengths are solved, impulses on colliders and bodies. Scratch: none; own.attached holds what has
 * been given to the colliders so far in this step.
 */

#if WITH_BODIES

/* Adds to the reaction of attachment n's collider an impulse on the particle, noted already, that moves no body. */
static void report_attached(const cloth *c, int32_t n, int moves) {
  const attachment *a = &attachments_of(c)[n];
  const cloth_vector noted = ((const cloth_vector *)at(c, c->own.pin_reactions))[a->particle];
  cloth_vector *given = (cloth_vector *)at(c, c->own.attached) + n;
  const cloth_vector impulse = vector_flush(vector_subtract(noted, *given), INPUT_QUANTUM);
  const cloth_vector arm = vector_flush_work(rotate(colliders_of(c)[a->collider].body.pose.rotation, a->point));
  *given = noted;
  add_to_reaction(c, a->collider, impulse, vector_cross(arm, impulse));
  if (moves && find_body(c, a->collider)) {
    push_body(c, find_body(c, a->collider), impulse, vector_cross(arm, impulse));
  }
}

#else

#endif
