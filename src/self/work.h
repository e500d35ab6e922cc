#pragma once
#include "../base/compiler.h"
#include "../cloth/costs.h"
#include "../cloth/layout.h"

/// Work of contact of cloth with cloth ///

/* What bounds the work of contact in a step. */
typedef struct contact_bounds {
  uint64_t particles;
  int32_t substeps, parts, iterations; /* parts: of a substep; iterations: of a part */
} contact_bounds;

#if WITH_SELF

/* Most work of an attempt to find all candidates. */
static uint64_t max_attempt_work(const self_layout *l, uint64_t particles) {
  return particles * COST_SELF_BOXES + (uint64_t)(uint32_t)l->max_visits * COST_SELF_VISIT +
         (uint64_t)(uint32_t)l->max_leaf_visits * COST_SELF_LEAVES +
         (uint64_t)(uint32_t)l->max_tests * COST_SELF_CELLS + (uint64_t)(uint32_t)l->max_candidates * COST_SELF_FOUND;
}

/* Most work of contact in a step: every part looks for candidates, visits, tests and finds as many as there is room
   for; gathers look again as often as may be; in every part as many touch as there is room for, twice. */
static uint64_t max_contact_work(const self_layout *l, const contact_bounds *b) {
  const uint64_t parts = (uint64_t)(uint32_t)b->parts * (uint32_t)b->substeps;
  const uint64_t attempts = 2u * SELF_ATTEMPTS - 1u + parts;
  const uint64_t candidates = (uint32_t)l->max_candidates, elements = (uint32_t)l->max_elements;
  const uint64_t part = 2u * candidates * COST_PAIR_SHAPE +
                        elements * (COST_PAIR_LAW + (uint64_t)(uint32_t)b->iterations * COST_PAIR_PRODUCT) +
                        (uint64_t)(uint32_t)l->max_intersections * COST_SELF_CONTOUR;
  return attempts * max_attempt_work(l, b->particles) + b->particles * COST_SELF_SLOWED + part * parts;
}

#endif
