#pragma once
#include "../bodies/common_bodies.h"
#include "../group/stitches.h"
#include "../self/candidates.h"
#include "../self/search.h"
#include "../self/tree.h"
#include "plan.h"
#include "work.h"

/// Groups in memory, and their work ///

/* Steps several cloths together, substep by substep and stage by stage; what is too long for one is divided for all.
   Boxes, candidates and intersections of all lie in the caller's memory, which may hold pointers. Positions are
   relative to one point of the world; those of a cloth that sleeps are a copy in its scratch. */

#define GROUP_COOKIE 0xc1046003u /* proves that a group was made by cloth_group_default() */

/* Room for candidates between cloths per particle, as cloth_group.pairs says. */
#define GROUP_MAX_PAIRS 32
#define GROUP_EXCEPTIONS (CLOTH_GROUP_LIMIT * (CLOTH_GROUP_LIMIT - 1) / 2)

/* A cloth during a step of its group. */
typedef struct group_member {
  position_box box; /* around its particles, relative to its origin [m] */
  int32_t left_out; /* of enter_surroundings() */
  int32_t sleeps;   /* 1: the cloth sleeps in this step ... */
  int32_t wakes;    /* ... and wakes at its end */
} group_member;

/* A step of a group. */
typedef struct group_step {
  stepped_cloths stepped; /* those that are awake, see regroup() */
  const cloth_group *group;
  float dt;
  int32_t substeps;
  int32_t parts;   /* of a substep, at most */
  int32_t touches; /* 1 if at least two of the cloths, or one and itself, may touch */
  int32_t leader;  /* the first cloth that is awake; -1 if none is */
  self_group contact;
  group_member *members;
  sewing seams;
  uint8_t linked[CLOTH_GROUP_LIMIT]; /* the same without contact */
  uint8_t part[CLOTH_GROUP_LIMIT];   /* of each cloth: the first of those that seams or bodies join it to */
  solve_group set[CLOTH_GROUP_LIMIT];
  group_joints joints[CLOTH_GROUP_LIMIT];
  solve_member solved[CLOTH_GROUP_LIMIT];
} group_step;

/* Where everything lies in the memory of a group, and the bounds of its contact. */
typedef struct group_layout {
  self_layout contact;
  uint32_t step, bodies, members, found, pairs, counts, bytes;
  uint32_t numbers, labels, sewn, stitches, folds, gathers;
  int32_t particles;
} group_layout;

static cloth *member_of(const cloth_group *group, int32_t n) {
  return group->cloths[n];
}

/* Runs statements for the cloths `c` of a step that are awake, with their numbers `n`. */
#define EACH_AWAKE(s, n, c, ...)                                                                                       \
  for (int32_t n = 0; n < (s)->group->count; n++) {                                                                    \
    const cloth *c = member_of((s)->group, n);                                                                         \
    if (!(s)->members[n].sleeps) { __VA_ARGS__; }                                                                      \
  }

/* A group of one cloth has the bounds that self_layout_of() gives it, with room for intersections in any case. */
CLOTH_SEPARATE group_layout group_layout_of(const cloth_group *group) {
  group_layout g;
  self_layout *l = &g.contact;
  const uint32_t count = (uint32_t)group->count;
  uint32_t end = 0;
  int32_t memories = 0, nodes = 0;
  fill_zero(&g, sizeof g);
  for (int32_t n = 0; n < group->count; n++) {
    const cloth *c = member_of(group, n);
    g.particles += c->count;
    l->max_candidates += feels_itself(c) ? c->count * self_settings_of(c)->pairs : 0; /* its own, ... */
    l->max_candidates += group->count > 1 ? c->count * group->pairs : 0;              /* ... and with others */
    memories += memories_for(c->count, self_settings_of(c)->pairs);
    nodes += self_nodes(c->grid.columns, c->grid.rows);
  }
  l->max_intersections = intersections_of(g.particles);
  g.step = reserve(&end, sizeof(group_step));
  g.bodies = end = align_up(end);
  reserve(&end, count * (uint32_t)sizeof(self_body));
  g.members = end = align_up(end);
  reserve(&end, count * (uint32_t)sizeof(group_member));
  g.found = reserve(&end, sizeof(self_workspace));
  g.pairs = reserve(&end, count * count * (uint32_t)sizeof(self_pair));
  g.counts = reserve(&end, 2u * count * (uint32_t)sizeof(int32_t));
  layout_pairs(l, g.particles, nodes, memories, &end);
  if (WITH_SEAMS && group->seam_count > 0) {
    const seam_room room = room_of_seams(group);
    const uint32_t sewn = (uint32_t)room.sewn;
    g.numbers = reserve(&end, (uint32_t)g.particles * (uint32_t)sizeof(int32_t));
    g.labels = reserve(&end, sewn * (uint32_t)(SEWN_LABELS * sizeof(int32_t)));
    g.sewn = reserve(&end, sewn * (uint32_t)sizeof(sewn_particle));
    g.stitches = reserve(&end, (uint32_t)room.stitches * (uint32_t)sizeof(stitch));
    g.folds = reserve(&end, (uint32_t)room.springs * (uint32_t)sizeof(seam_spring));
    g.gathers = reserve(&end, (uint32_t)g.particles);
  }
  g.bytes = l->bytes = align_up(end);
  return g;
}

/* Parts of a substep of a group, at most: those of the cloth that may take the most. */
static int32_t most_group_parts(const cloth_group *group) {
  int32_t most = 1;
  for (int32_t n = 0; n < group->count; n++) {
    most = larger_of(most_parts(member_of(group, n)), most);
  }
  return most;
}

static uint32_t joined_cloths(const cloth_group *group) {
  uint32_t cloths = 0;
  for (int32_t n = 0; n < group->seam_count; n++) {
    cloths |= 1u << group->seams[n].a.cloth | 1u << group->seams[n].b.cloth;
  }
  for (int32_t k = 0; WITH_COMMON_BODIES && k < group->body_count; k++) {
    cloths |= cloths_of_body(group, k);
  }
  return cloths;
}

/* Most iterations of a solve of cloth n with those that something joins it to; 0 if it is alone. */
static int32_t most_joined_iterations(const cloth_group *group, int32_t n, float dt, int32_t substeps) {
  const uint32_t cloths = joined_cloths(group);
  int32_t most = 0;
  for (int32_t k = 0; (cloths >> n & 1u) && k < group->count; k++) {
    if (cloths >> k & 1u) {
      substep_terms t;
      set_terms(member_of(group, k), dt / (float)substeps, substeps, &t);
      const int32_t more = group->seam_count > 0 ? SEWN_ITERATIONS : 0;
      most = larger_of(larger_of(t.most_iterations + more, t.rounds * (t.iterations + more)), most);
    }
  }
  return most;
}

static uint64_t max_seam_work(const cloth_group *group, float dt, int32_t substeps) {
  if (!WITH_SEAMS || group->seam_count == 0) { return 0u; }
  int32_t most = 0, particles = 0;
  for (int32_t n = 0; n < group->count; n++) {
    most = larger_of(most_joined_iterations(group, n, dt, substeps), most);
    particles += member_of(group, n)->count;
  }
  const seam_room room = room_of_seams(group);
  return seams_work(room.sewn, room.springs, particles, most) * (uint32_t)(most_group_parts(group) * substeps);
}

/* Most work of contact of a group in a step. */
static uint64_t max_group_work(const cloth_group *group, float dt, int32_t substeps) {
  const group_layout g = group_layout_of(group);
  const uint64_t particles = (uint32_t)g.particles, places = (uint32_t)g.contact.max_candidates;
  const uint64_t several =
      group->count > 1 ? particles * (uint32_t)substeps * COST_GROUP + 2u * places * COST_WAKE : 0u;
  contact_bounds b = {particles, substeps, most_group_parts(group), 0};
  for (int32_t n = 0; n < group->count; n++) {
    b.iterations = larger_of(most_pair_iterations(member_of(group, n), dt, substeps), b.iterations);
  }
  b.iterations += TOUCHING_ROUNDS * SEWN_ITERATIONS;
  return max_contact_work(&g.contact, &b) + several + max_seam_work(group, dt, substeps);
}
