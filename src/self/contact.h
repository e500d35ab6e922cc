#pragma once
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/scalar.h"
#include "../cloth/access.h"
#include "../cloth/body_list.h"
#include "../cloth/costs.h"
#include "../cloth/members.h"
#include "../cloth/types.h"
#include "contour.h"
#include "equation.h"
#include "features.h"
#include "pairs.h"
#include "search.h"
#include "tree.h"

/// Contact of cloth with cloth in a part of a substep ///

#if WITH_SELF

/* What a part of a substep does about pairs, in order. */

/* Distance between places of a cloth that may be touched and where they were: kept after the solve of a part. */
CLOTH_SEPARATE void keep_start(const cloth *c) {
  const vector_array from = vectors_at(c, c->state.position), to = kept_start(c);
  if (c->self) { EACH_BLOCK(i, left, c->count, lanes3_store(to, i, lanes3_load(from, i), left)); }
}

/* Ways of candidates relative to each other in the shortest part, over the spacing, that are too long for pairs: cloth
   that meets cloth with 2.5 times the spacing crosses it for some frames, with 4 it passes (tests/group.c). */
#define LONGEST_WAY 1.5f

/* Is a particle of a cloth of a group one whose velocity is slowed, where candidates of the cloth are faster than
   `most`? */
static int is_slowed(const self_group *g, int32_t n, int32_t i, float most) {
  const self_body *b = &g->bodies[n];
  return g->found->fastest_of[n] > most && !b->is_still && !is_held(b->c, i);
}

/* The mean velocity, by mass, of the particles that are slowed; 0 where cloth that sleeps is met. */
static cloth_vector mean_velocity(const self_group *g, float most) {
  cloth_vector sum = vector(0.0f, 0.0f, 0.0f);
  float mass = 0.0f;
  for (int32_t n = 0; n < g->count; n++) {
    const self_body *b = &g->bodies[n];
    if (b->is_still && g->found->fastest_of[n] > most) { return vector(0.0f, 0.0f, 0.0f); }
    for (int32_t i = 0; i < b->count; i++) {
      const float own = is_slowed(g, n, i, most) ? mass_of_particle(b->c, i) : 0.0f;
      sum = vector_add_scaled(sum, vector_load(b->velocity, i), own);
      mass += own;
    }
  }
  return vector_flush_work(vector_scale(sum, 1.0f / maximum(mass, WORK_QUANTUM)));
}

/* Cloths that meet cloth faster than parts can follow: their velocities shrink towards their common mean, so that what
   they have of momentum stays, and some of their energy is lost. `shortest`: part of a substep. */
CLOTH_SEPARATE void slow_down(const self_group *g, const step_plan *plan, float shortest) {
  const float most = LONGEST_WAY * shortest_spacing_of(g) * plan->inverse_h / shortest;
  if (!(g->found->fastest > most)) { return; }
  const cloth_vector mean = mean_velocity(g, most);
  const float share = most / g->found->fastest;
  for (int32_t n = 0; n < g->count; n++) {
    const self_body *b = &g->bodies[n];
    for (int32_t i = 0; i < b->count; i++) {
      if (is_slowed(g, n, i, most)) {
        const cloth_vector rest = vector_subtract(vector_load(b->velocity, i), mean);
        vector_store(b->velocity, i, vector_flush(vector_add_scaled(mean, rest, share), STATE_QUANTUM));
        invalidate_history(b->c, i);
      }
    }
    add_varying_work(b->c, (uint32_t)b->count, COST_SELF_SLOWED);
  }
}

/* Candidates of a step, in its first substep, and what is tangled, before a substep of cloths that feel each other.
   Returns the longest part of it, as a share. */
CLOTH_SEPARATE float prepare_pairs(const self_group *g, const step_plan *plan, float shortest) {
  if (plan->index + 1 == plan->stride) {
    gather_candidates(g, plan->dt, 1);
    slow_down(g, plan, shortest);
  }
  shorten_contours(g);
  return longest_part(g, plan->h, shortest);
}

/* Candidates of a part of a substep that begins, where they are fast. Returns 1 if it has looked for them. */
static int prepare_part(const self_group *g, const step_plan *plan, float length) {
  const int is_fast = is_fast_step(g, plan);
  if (is_fast) { gather_candidates(g, length * plan->h, 0); }
  return is_fast;
}

/* 1 if there are elements in the part. */
CLOTH_INLINE int has_elements(const solve_group *s) {
  return s->pairs && s->pairs->found->elements > 0;
}

/* Whether pairs touch in the part, and cloth that is not solved now. */
static int32_t how_pairs_touch(const self_group *g) {
  int32_t how = g->found->elements > 0 ? PAIRS_TOUCH : PAIRS_NONE;
  EACH_ELEMENT(g, e, {
    const pair_key key = key_of_candidate(g->cells, candidate_of(e));
    const self_body *a = &g->bodies[feature_cloth(key.first)], *b = &g->bodies[feature_cloth(key.second)];
    how = a->terms && b->terms ? how : PAIRS_HOLD;
  });
  return how;
}

/* Finds the elements of a part, at its places of linearisation. */
CLOTH_SEPARATE void find_pairs(const solve_group *s) {
  look_at_arrays(s->pairs, s);
  s->pairs->found->elements = find_elements(s->pairs);
  const int32_t how = how_pairs_touch(s->pairs);
  EACH_MEMBER(s, m, workspace_of(m->c)->has_pairs = how);
}

/* What pressed last, once forces are there, to which those of contours come. */
static void take_last_pairs(const solve_group *s) {
  look_at_arrays(s->pairs, s);
  add_contours(s->pairs);
  add_last_pairs(s->pairs);
}

/* Notes whether the solve has a solution beside the last direction. */
static void note_solutions(const solve_group *s) {
  EACH_MEMBER(s, m, s->pairs->bodies[s->pairs->count > 1 ? m->number : 0].has_solution = m->has_solution);
}

/* Charges what pairs have cost in a part. */
static void charge_pairs(const solve_group *s, int32_t iterations) {
  const self_group *g = s->pairs;
  const uint64_t elements = (uint32_t)g->found->elements;
  add_varying_work(s->members->c, (uint32_t)g->found->candidates, COST_PAIR_SHAPE);
  add_varying_work(s->members->c, elements, COST_PAIR_LAW);
  add_varying_work(s->members->c, elements * (uint32_t)iterations, COST_PAIR_PRODUCT);
}

#else

static void keep_start(const cloth *c) {
  (void)c;
}

#endif
