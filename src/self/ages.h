#pragma once
#include "../base/compiler.h"
#include "../base/scalar.h"
#include "../cloth/access.h"
#include "../cloth/members.h"
#include "candidates.h"
#include "tree.h"

/// Ages of particles ///

#if WITH_SELF

/* What contact keeps of each particle from step to step, a byte: for how many steps it has been part of an
   intersection, up to SELF_OLDEST, halved with every step that it is not once it is tangled, and SELF_SEWN. The first
   gather of a step sets them. Scratch: `moved` of the bodies, a byte per particle. */

/* SELF_SEWN if a particle of a cloth was sewn and still is, or may be near others that were: all that a gather which
   has left something out has not found apart. */
static int32_t sewn_bit(const self_group *g, int32_t n, int32_t particle, int all_found) {
  const self_body *b = &g->bodies[n];
  const int stays_sewn = b->moved[particle] || !all_found || is_sewn(g->sewn, n, particle);
  return stays_sewn ? b->ages[particle] & SELF_SEWN : 0;
}

/* Sets the ages of all particles: one more for those of an intersection, half for others that are tangled, so that
   pairs beside a contour that goes to and fro do not press in turn; those of a cloth that sleeps stay. `changes`: there
   are intersections, or particles that were sewn. */
static void update_ages(const self_group *g, int changes, int all_found) {
  for (int32_t n = 0; n < g->count; n++) {
    const self_body *b = &g->bodies[n];
    if (!changes && !b->is_still) { fill_zero(b->ages, (size_t)b->count); }
    for (int32_t i = 0; changes && i < b->count; i++) {
      const int32_t age = b->ages[i] & SELF_OLDEST, older = age + (age < SELF_OLDEST);
      const int32_t younger = age < SELF_TANGLED_AGE ? 0 : age / 2;
      b->ages[i] = b->is_still
                       ? (uint8_t)(b->ages[i] & ~SELF_AGE_MARK)
                       : (uint8_t)((b->ages[i] & SELF_AGE_MARK ? older : younger) | sewn_bit(g, n, i, all_found));
    }
  }
}

/* Prepares the notes of a gather for particles that are sewn, or were. Returns 1 if there are any. */
static int find_sewn(const self_group *g) {
  uint32_t ages = 0;
  for (int32_t n = 0; n < g->count; n++) {
    for (int32_t i = 0; i < g->bodies[n].count; i++) {
      ages |= g->bodies[n].ages[i];
    }
  }
  for (int32_t n = 0; n < g->count && (ages & SELF_SEWN); n++) {
    fill_zero(g->bodies[n].moved, (size_t)g->bodies[n].count);
  }
  return (ages & SELF_SEWN) != 0;
}

/* Takes the marks of a gather that has not set ages from them. */
static void clear_age_marks(const self_group *g) {
  for (int32_t n = 0; n < g->count; n++) {
    const self_body *b = &g->bodies[n];
    for (int32_t i = 0; i < b->count; i++) {
      b->ages[i] &= (uint8_t)~SELF_AGE_MARK;
    }
  }
}

static int32_t count_tangled(const self_group *g) {
  int32_t count = 0;
  for (int32_t n = 0; n < g->count; n++) {
    for (int32_t i = 0; i < g->bodies[n].count; i++) {
      count += is_tangled_age(g->bodies[n].ages[i]);
    }
  }
  return count;
}

#endif
