#pragma once
#include "access.h"
#include "compiler.h"
#include "costs.h"
#include "lanes.h"
#include "layout.h"
#include "self_batches.h"
#include "self_tree.h"
#include "types.h"

/// Motion that was not foreseen ///

#if WITH_SELF

/* Most work of an attempt to find all candidates. */
static uint64_t max_attempt_work(const self_layout *l, uint64_t particles, int is_round) {
  const uint64_t leaves = (is_round ? COST_SPHERE_LEAVES + SPHERE_LEAF_PAIRS * COST_SPHERE_TEST
                                    : COST_SELF_LEAVES + SELF_LEAF_PAIRS * (COST_SELF_TEST + COST_SELF_CROSS) +
                                          SELF_RIM_PAIRS * COST_RIM_TEST);
  return particles * (COST_SELF_BOXES + COST_SELF_NOTE) + (uint64_t)(uint32_t)l->max_visits * COST_SELF_VISIT +
         (uint64_t)(uint32_t)l->max_leaf_visits * leaves +
         (uint64_t)(uint32_t)l->max_batches * (SELF_BATCH * (COST_SELF_FOUND + COST_SELF_RELEASE));
}

#endif

/* What bounds the work of contact in a step. */
typedef struct contact_bounds {
  uint64_t particles;
  int32_t gathers, substeps, parts; /* parts: of a substep */
  int32_t shape;                    /* a cloth_self_shape */
} contact_bounds;

#if WITH_SELF

/* Most work of contact in a step: every gather is repeated as often as may be, visits as many pairs as it may and finds
   as many candidates as there is room for; all of them touch a triangle, or each other, in every sweep. */
static uint64_t max_contact_work(const self_layout *l, const contact_bounds *b) {
  const int is_round = b->shape == CLOTH_SELF_SPHERES;
  const uint64_t particles = b->particles, places = (uint64_t)(uint32_t)l->max_batches * SELF_BATCH;
  const int32_t gathers = b->gathers < b->substeps ? b->gathers : b->substeps;
  const uint64_t searches = SELF_ATTEMPTS * (uint32_t)gathers * max_attempt_work(l, particles, is_round);
  const uint64_t spheres = SELF_SWEEPS * places * (COST_SPHERE_CANDIDATE + COST_SPHERE_TOUCH);
  const uint64_t triangles =
      (uint64_t)(uint32_t)l->max_intersections * COST_SELF_CONTOUR +
      SELF_SWEEPS * particles * (COST_SELF_FOLD + DIRECTIONS * (COST_SELF_NOTED + COST_SELF_LOOK + COST_SELF_OPEN)) +
      SELF_SWEEPS * particles * 2u * (COST_SELF_NOTED + COST_SELF_LOOK + COST_RIM_NEAR + COST_RIM_TOUCH) +
      (SELF_SWEEPS + SELF_HOLDS) * places * (COST_SELF_CANDIDATE + COST_SELF_NEAR + COST_SELF_TOUCH);
  const uint64_t part = particles * COST_SELF_STATE + (is_round ? spheres : triangles);
  return searches + (particles * COST_SELF_WATCH + part * (uint32_t)b->parts) * (uint32_t)b->substeps;
}

/*
 * A search for candidates looks where velocities lead until the next one. Cloth that starts under strain, or that hits
 * something, goes elsewhere, and meets what it has no candidates for. So velocities are kept when candidates are looked
 * for, and compared at quarters of the time until the next search: of one block of SELF_BATCH particles in every
 * SELF_WATCHED, as what is violent spreads. Where one of these will be off by more than SELF_STRAY spacings by then,
 * candidates are looked for again. That is paid from what a step may spend on searches: the attempts that each may take
 * where there is no room (SELF_ATTEMPTS), at their most work. They hardly ever take a tenth of it. So the bound on a
 * step stays.
 *
 * In: velocities. Out: the verdict. Scratch: the nodes of the tree, which is not needed between searches.
 */

/* Work of the searches of the step so far. */
static uint64_t spent_on_searches(const self_group *g) {
  return (uint64_t)g->found->spent[1] << 32 | g->found->spent[0];
}

static void keep_spent(const self_group *g, uint64_t work) {
  g->found->spent[0] = (uint32_t)(work & UINT32_MAX);
  g->found->spent[1] = (uint32_t)(work >> 32);
}

/* One block in so many is watched. */
#define SELF_WATCHED 4
/* How often velocities are compared from one search to the next, the first time included, where nothing is. */
#define SELF_WATCHES 4
/* Way by which a particle may be off, over the spacing. */
#define SELF_STRAY 0.7f

/* Keeps the velocities of the watched particles of a cloth. */
CLOTH_HOT CLOTH_SEPARATE void note_velocities(const self_body *b) {
  float *kept = b->watched;
  for (int32_t first = 0; first < b->count; first += SELF_WATCHED * SELF_BATCH) {
    for (int32_t k = 0; k < SELF_BATCH && first + k < b->count; k += CLOTH_LANES) {
      const lanes3 velocity = lanes3_load(b->velocity, first + k);
      lanes_store(kept + k, velocity.x);
      lanes_store(kept + SELF_BATCH + k, velocity.y);
      lanes_store(kept + 2 * SELF_BATCH + k, velocity.z);
    }
    kept += 3 * SELF_BATCH;
  }
}

/* 1 if the velocity of a watched particle of a cloth differs from the one that was kept by more than `most`. */
CLOTH_HOT CLOTH_SEPARATE int has_turned(const self_body *b, float most) {
  const lanes square = lanes_splat(most * most);
  const float *kept = b->watched;
  for (int32_t first = 0; first < b->count; first += SELF_WATCHED * SELF_BATCH) {
    for (int32_t k = 0; k < SELF_BATCH && first + k < b->count; k += CLOTH_LANES) {
      const lanes3 before =
          lanes3_of(lanes_load(kept + k), lanes_load(kept + SELF_BATCH + k), lanes_load(kept + 2 * SELF_BATCH + k));
      const lanes3 change = lanes3_subtract(lanes3_load(b->velocity, first + k), before);
      if (lanes_any(lanes_both(lanes_less(square, lanes3_dot(change, change)), lanes_first(b->count - first - k)))) {
        return 1;
      }
    }
    kept += 3 * SELF_BATCH;
  }
  return 0;
}

/* 1 if cloth of a group will be elsewhere in `time` seconds than the last search has foreseen. */
static int has_strayed(const self_group *g, float time) {
  for (int32_t n = 0; n < g->count; n++) {
    const self_body *b = &g->bodies[n];
    if (b->is_still) {
      continue;
    }
    add_varying_work(b->c, (uint32_t)b->count, COST_SELF_WATCH);
    if (has_turned(b, SELF_STRAY * b->spacing / time)) {
      return 1;
    }
  }
  return 0;
}

#endif
