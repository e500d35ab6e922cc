#pragma once
#include "../cloth/arrays.h"
#include "../cloth/step_origin.h"
#include "pin_reactions.h"

/// Confinements ///

/* Particles confined to a line or a plane: velocities and positions are brought back to it, against rounding and
   whatever else moved them. In: state.confined, in the order of the particles. */

/* The part of a vector that lies along the line or in the plane of a confinement. */
static cloth_vector confine_vector(const confinement *entry, cloth_vector a) {
  a = vector_flush_work(a);
  float along = flush_work(vector_dot(a, entry->direction));
  if (entry->freedom == FREEDOM_LINE) { return vector_scale(entry->direction, along); }
  return vector_add_scaled(a, entry->direction, negate(along));
}

/* Projects the vectors of confined particles, which lie at the offset `vectors`, onto their lines and planes. Positions
   are taken relative to the anchors; velocities, with are_positions 0, as they are. */
CLOTH_SEPARATE void confine_vectors(const cloth *c, uintptr_t vectors, int are_positions) {
  vector_array a = vectors_at(c, vectors);
  for (int32_t i = 0; WITH_CONFINED && i < inputs_of(c)->confined_count; i++) {
    const confinement *entry = &confined_of(c)[i];
    CLOTH_ASSERT(entry->particle >= 0 && entry->particle < c->count);
    cloth_vector origin = are_positions ? place_in_step(c, entry->anchor) : vector(0.0f, 0.0f, 0.0f);
    cloth_vector from = vector_subtract(vector_load(a, entry->particle), origin);
    cloth_vector kept = vector_add(origin, confine_vector(entry, from));
    if (!are_positions && notes_pins(c)) {
      const float mass = mass_ratio_at(c, entry->particle) / workspace_of(c)->plan.terms.share;
      note_change(c, entry->particle,
                  vector_scale(vector_flush_work(vector_subtract(vector_add(origin, from), kept)), mass));
    }
    vector_store(a, entry->particle, vector_flush_state(kept));
  }
}

/* The entry of a particle, or the first one that is not of an earlier particle. */
static confinement *find_confinement(const cloth *c, int32_t particle) {
  confinement *entry = confined_of(c);
  const confinement *end = entry + inputs_of(c)->confined_count;
  while (entry < end && entry->particle < particle) {
    entry++;
  }
  return entry;
}

static int is_confined(uint32_t freedom) {
  return freedom == FREEDOM_LINE || freedom == FREEDOM_PLANE;
}

/* Removes the entry of a particle, if there is one, and closes the gap. */
static void remove_confinement(const cloth *c, int32_t particle) {
  confinement *entry = find_confinement(c, particle);
  confinement *end = confined_of(c) + inputs_of(c)->confined_count;
  if (!WITH_CONFINED || entry == end || entry->particle != particle) { return; }
  for (; entry + 1 < end; entry++) {
    *entry = entry[1];
  }
  fill_zero(entry, sizeof *entry);
  inputs_of(c)->confined_count--;
}

/// Confined particles in the solve ///

/* A particle on a line or in a plane moves along it alone: residual, direction and product are projected, as by the
   filter S of Boxerman 2003 (eq. 5.1). Sums with a projected vector need no projection of the other. */

/* Projects the vectors of confined particles in an own array. */
static void confine_own(const cloth *c, float *array) {
  for (int32_t n = 0; WITH_CONFINED && n < inputs_of(c)->confined_count; n++) {
    const confinement *entry = &confined_of(c)[n];
    const int32_t place = place_of(arrays_of(c), entry->particle);
    const cloth_vector kept = vector_flush_work(confine_vector(entry, own_vector(array, place)));
    own_vector_store(array, place, kept);
  }
}

static void confine_direction(const cloth *c) {
  for (int32_t n = 0; WITH_CONFINED && n < inputs_of(c)->confined_count; n++) {
    const solve_arrays *a = arrays_of(c);
    const confinement *entry = &confined_of(c)[n];
    const int32_t row = entry->particle / a->columns, column = entry->particle - row * a->columns;
    float *p = near_row(a->direction, a->pitch, row);
    const cloth_vector kept = confine_vector(entry, near_vector(p, a->plane, column));
    near_vector_store(p, a->plane, column, vector_quantise(kept, WORK_ROUNDER));
    if (a->is_ring) { close_ring(p, a->plane, a->columns); }
  }
}
