#pragma once
#include "access.h"
#include "compiler.h"
#include "lanes.h"
#include "scalar.h"
#include "types.h"

/// Confinements ///

/* The part of a vector that a confined particle may have. */
static cloth_vector confine_vector(const confinement *held, cloth_vector a) {
  a = vector_flush_work(a);
  float along = flush_small(vector_dot(a, held->direction), WORK_QUANTUM);
  if (held->freedom == FREEDOM_LINE) {
    return vector_scale(held->direction, along);
  }
  return vector_add_scaled(a, held->direction, 0.0f - along);
}

/* Takes from the vectors of confined particles what they may not have; positions count from the anchors. */
CLOTH_SEPARATE void confine_vectors(const cloth *c, uintptr_t vectors, int are_positions) {
  vector_array a = vectors_at(c, vectors);
  for (int32_t i = 0; WITH_CONFINED && i < inputs_of(c)->confined_count; i++) {
    const confinement *held = &confined_of(c)[i];
    CLOTH_ASSERT(held->particle >= 0 && held->particle < c->count);
    cloth_vector origin = are_positions ? held->anchor : vector(0.0f, 0.0f, 0.0f);
    cloth_vector from = vector_subtract(vector_load(a, held->particle), origin);
    cloth_vector kept = vector_add(origin, confine_vector(held, from));
    vector_store(a, held->particle, vector_flush(kept, STATE_QUANTUM));
  }
}

/* Confinements are kept in the order of their particles, whatever the order of the calls. The first entry that is not
   for an earlier particle than this one. */
static confinement *find_confinement(const cloth *c, int32_t particle) {
  confinement *held = confined_of(c);
  const confinement *end = held + inputs_of(c)->confined_count;
  while (held < end && held->particle < particle) {
    held++;
  }
  return held;
}

static int is_confined(uint32_t freedom) {
  return freedom == FREEDOM_LINE || freedom == FREEDOM_PLANE;
}

static void remove_confinement(const cloth *c, int32_t particle) {
  confinement *held = find_confinement(c, particle);
  confinement *end = confined_of(c) + inputs_of(c)->confined_count;
  if (!WITH_CONFINED || held == end || held->particle != particle) {
    return;
  }
  for (; held + 1 < end; held++) {
    *held = held[1];
  }
  fill_zero(held, sizeof *held);
  inputs_of(c)->confined_count--;
}
