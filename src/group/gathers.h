#pragma once
#include "../base/block3.h"
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/rows.h"
#include "../base/scalar.h"
#include "../cloth/arrays.h"
#include "../cloth/types.h"
#include "../terms/pin_reactions.h"
#include "../terms/springs.h"
#include "stitches.h"

/// Gathered springs ///

/* Springs along the longer side of a seam whose sides differ in length at rest resist stretching only, or they would
   push the seam apart in its line. They are linearised once more, with a compression of 0, and what that changes is
   added to force, block and energy. */

#if WITH_SEAMS

/* A gathered spring of a cloth, along warp or weft, from a particle to the next. */
typedef struct gathered_spring {
  int32_t first, second; /* particles */
  int32_t direction;
  spring_coefficients k;
} gathered_spring;

/* The spring of a direction that starts at a particle. */
static gathered_spring gathered_spring_at(const cloth *c, const solve_arrays *a, int32_t particle, int32_t d) {
  const int32_t columns = a->columns, column = particle % columns, is_last = column + 1 == columns;
  const int32_t next = d == WARP ? particle + 1 - (is_last ? columns : 0) : particle + columns;
  const float *kinds = own_at(a->coefficients, COEFFICIENT_FLOATS, column, ROW_KINDS * d);
  gathered_spring g = {.first = particle,
                       .second = next,
                       .direction = d,
                       .k = {.stiffness = lanes_splat(kinds[ROW_STIFFNESS * CLOTH_LANES]),
                             .tension = lanes_splat(kinds[ROW_TENSION * CLOTH_LANES]),
                             .turn = lanes_splat(kinds[ROW_TURN * CLOTH_LANES]),
                             .damping = lanes_splat(kinds[ROW_DAMPING * CLOTH_LANES])}};
  if (a->factors) {
    const int32_t place = place_of(a, particle);
    const float stiffness = *own_at(a->factors, FACTOR_FLOATS, place, FACTOR_STIFFNESS + d);
    const float length = *own_at(a->factors, FACTOR_FLOATS, place, FACTOR_LENGTH + d);
    g.k.stiffness = lanes_multiply(g.k.stiffness, lanes_splat(stiffness));
    g.k.tension = lanes_multiply(g.k.tension, lanes_splat(stiffness * length));
    g.k.turn = lanes_multiply(g.k.turn, lanes_splat(stiffness));
    g.k.damping = stiffness > 0.0f ? g.k.damping : lanes_splat(0.0f);
  }
  (void)c;
  return g;
}

/* The vector from the second particle of a spring to the first in a near array. */
static cloth_vector way_between_ends(const solve_arrays *a, float *array, const gathered_spring *g) {
  cloth_vector ends[2];
  for (int32_t k = 0; k < 2; k++) {
    const int32_t particle = k ? g->second : g->first, row = particle / a->columns;
    ends[k] = near_vector(near_row(array, a->pitch, row), a->plane, particle - row * a->columns);
  }
  return vector_subtract(ends[0], ends[1]);
}

/* Adds a block to the spring sums of a particle that moves. */
static void add_to_sums(const solve_arrays *a, int32_t particle, const symmetric *m) {
  const lanes parts[SYMMETRIC_FLOATS] = {m->xx, m->yy, m->zz, m->xy, m->xz, m->yz};
  const int32_t place = place_of(a, particle);
  for (int32_t n = 0; n < SYMMETRIC_FLOATS; n++) {
    *own_at(a->inverse, SYMMETRIC_FLOATS, place, n) += lanes_first_value(parts[n]);
  }
}

/* Takes out what a gathered spring resists compression with. */
static void loosen_spring(const cloth *c, const solve_arrays *a, const substep_terms *t, const gathered_spring *g) {
  const lanes3 d = lanes3_splat(way_between_ends(a, a->place, g));
  const spring_motion m = {.d = d,
                           .way = lanes3_splat(way_between_ends(a, a->direction, g)),
                           .turn = lanes3_splat(way_between_ends(a, a->turn, g))};
  const linear_spring was = linearise_spring(t, 0, &g->k, &m, t->spring[g->direction].compression);
  const linear_spring now = linearise_spring(t, 0, &g->k, &m, 0.0f);
  const float change = lanes_first_value(lanes_subtract(was.force, now.force));
  const cloth_vector force = vector_scale(vector_flush_work(lanes3_first(d)), change);
  const int32_t ends[2] = {g->first, g->second}, place = place_of(a, g->first);
  const int is_implicit = a->springs && t->spring[g->direction].implicit;
  const symmetric block =
      block_of_spring(lanes_subtract(now.across, was.across), lanes_subtract(now.along, was.along), d);
  for (int32_t k = 0; k < 2; k++) {
    const int moves = *own_at(a->diagonal, 1, place_of(a, ends[k]), 0) > 0.0f;
    if (moves || notes_pins(c)) { add_to_particle(a, ends[k], vector_scale(force, k ? -1.0f : 1.0f)); }
    if (moves && is_implicit) { add_to_sums(a, ends[k], &block); }
  }
  if (is_implicit) {
    *own_at(a->springs, SPRING_FLOATS, place, SPRING_ACROSS(g->direction)) = lanes_first_value(now.across);
    *own_at(a->springs, SPRING_FLOATS, place, SPRING_ALONG(g->direction)) = lanes_first_value(now.along);
  }
}

/* Runs statements for the gathered springs `g` of cloth n. */
#define EACH_GATHERED(s, n, c, a, g, ...)                                                                              \
  for (int32_t g##_bit = 0; (s)->is_gathered[n] && g##_bit < 2 * (c)->count; g##_bit++) {                              \
    const uint32_t g##_kind = g##_bit & 1 ? GATHERED_WEFT : GATHERED_WARP;                                             \
    if ((s)->gathers[(s)->labels.first[n] + g##_bit / 2] & g##_kind) {                                                 \
      const gathered_spring g = gathered_spring_at(c, a, g##_bit / 2, g##_bit & 1 ? WEFT : WARP);                      \
      __VA_ARGS__;                                                                                                     \
    }                                                                                                                  \
  }

/* Loosens all gathered springs of a cloth, after it has been linearised. */
CLOTH_SEPARATE void loosen_gathers(const sewing *s, int32_t n, const substep_terms *t) {
  const cloth *c = s->cloths[n];
  const solve_arrays a = arrays_of(c);
  EACH_GATHERED(s, n, c, &a, g, loosen_spring(c, &a, t, &g));
}

/* The energy that a spring of this length has of compression. */
static float compressed_energy(const gathered_spring *g, float share, float length) {
  const float stiffness = lanes_first_value(g->k.stiffness), rest = lanes_first_value(g->k.tension);
  const float less = minimum(length - rest / maximum(stiffness, WORK_QUANTUM), 0.0f);
  return 0.5f * share * stiffness * less * less;
}

/* By how much the energy that they do not have would rise over the ways. */
CLOTH_SEPARATE float gathers_rise(const sewing *s, int32_t n, const substep_terms *t) {
  const cloth *c = s->cloths[n];
  const solve_arrays a = arrays_of(c);
  float sum = 0.0f;
  EACH_GATHERED(s, n, c, &a, g, {
    const cloth_vector from = way_between_ends(&a, a.place, &g), way = way_between_ends(&a, a.bent, &g);
    const float share = t->spring[g.direction].compression;
    sum += compressed_energy(&g, share, vector_length(vector_add(from, way))) -
           compressed_energy(&g, share, vector_length(from));
  });
  return sum;
}

#endif
