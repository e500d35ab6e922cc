#pragma once
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/rows.h"
#include "../base/scalar.h"
#include "../bodies/common_bodies.h"
#include "../cloth/access.h"
#include "../cloth/arrays.h"
#include "../cloth/costs.h"
#include "../cloth/layout.h"
#include "../cloth/members.h"
#include "../cloth/step_origin.h"
#include "../cloth/types.h"
#include "../contact/surroundings.h"
#include "../self/candidates.h"
#include "../self/contact.h"
#include "../self/features.h"
#include "../self/memory.h"
#include "../self/search.h"
#include "../self/tree.h"
#include "../self/untangle.h"
#include "../solve/joints.h"
#include "../step/sleep.h"
#include "../step/step.h"
#include "../step/substep.h"
#include "../step/work.h"
#include "group_layout.h"
#include "group_links.h"
#include "seam_folds.h"
#include "seam_springs.h"
#include "seams.h"
#include "stitches.h"

/// Groups ///

#if WITH_GROUPS

/// A step of a group ///

/* How cloths a and b touch: as their configs, or the last exception that names them, say; not where both sleep. */
static self_pair choose_pair(const group_step *s, int32_t a, int32_t b) {
  const cloth_group *group = s->group;
  const cloth *first = member_of(group, a), *second = member_of(group, b);
  const self_settings *x = self_settings_of(first), *y = self_settings_of(second);
  self_pair pair = {maximum(x->thickness, y->thickness), maximum(x->friction, y->friction), x->untangle && y->untangle,
                    x->shape == CLOTH_SELF_SPHERES && y->shape == CLOTH_SELF_SPHERES};
  for (int32_t n = 0; n < group->exception_count; n++) {
    const cloth_group_pair *e = &group->exceptions[n];
    if ((e->a == a && e->b == b) || (e->a == b && e->b == a)) {
      pair.thickness = flush_small(e->thickness, STATE_QUANTUM);
      pair.friction = flush_small(e->friction, WORK_QUANTUM);
    }
  }
  if ((a == b && !feels_itself(first)) || (s->members[a].sleeps && s->members[b].sleeps)) { pair.thickness = 0.0f; }
  return pair;
}

/* Sets how all cloths touch. */
static void choose_pairs(group_step *s, self_pair *pairs) {
  const int32_t count = s->group->count;
  s->touches = 0;
  for (int32_t a = 0; a < count; a++) {
    for (int32_t b = 0; b < count; b++) {
      const self_pair pair = choose_pair(s, a, b);
      pairs[a * count + b] = pair;
      s->touches |= pair.thickness > 0.0f;
    }
  }
}

/* Finds the parts of the memory of a group. */
static void place_parts(group_step *s, void *memory) {
  const group_layout l = group_layout_of(s->group);
  const int is_single = s->group->count == 1;
  char *room = (char *)memory;
  self_group *g = &s->contact;
  int32_t *counts = (int32_t *)(void *)(room + l.counts);
  s->members = (group_member *)(void *)(room + l.members);
  g->bodies = (self_body *)(void *)(room + l.bodies);
  g->count = s->group->count;
  g->pairs = is_single ? NULL : (const self_pair *)(const void *)(room + l.pairs);
  g->own = own_pair(self_settings_of(member_of(s->group, 0)));
  g->candidates = is_single ? NULL : counts;
  g->touching = is_single ? NULL : counts + g->count;
  place_contact(g, room, &l.contact);
  g->found = is_single ? self_workspace_of(member_of(s->group, 0)) : (self_workspace *)(void *)(room + l.found);
}

/* Sets what contact knows of the cloths, after all have been prepared. */
static void place_bodies(const group_step *s, void *memory) {
  const group_layout l = group_layout_of(s->group);
  self_node *nodes = (self_node *)(void *)((char *)memory + l.contact.nodes);
  for (int32_t n = 0; n < s->group->count; n++) {
    const cloth *c = member_of(s->group, n);
    const group_member *m = &s->members[n];
    self_body *b = &s->contact.bodies[n];
    self_body_of(c, nodes, b);
    nodes += self_nodes(c->grid.columns, c->grid.rows);
    b->is_still = m->sleeps;
    if (m->sleeps) { b->start = kept_start(c); }
  }
}

/* The hash of the links of a cloth in a step: its seams, and bodies in common with others; 0 without. */
static uint64_t links_hash(const group_step *s, int32_t n) {
  uint64_t hash = 0u;
#if WITH_SEAMS
  hash += s->seams.hash[n];
#endif
#if WITH_COMMON_BODIES
  hash += common_bodies_hash(s->group, n);
#endif
  (void)s;
  (void)n;
  return hash;
}

#if WITH_SEAMS

/* 1 if cloths are sewn together. */
static int is_sewn_group(const group_step *s) {
  return s->group->seam_count > 0;
}

/* Finds the stitches of a group, in its memory. */
static void place_seams(group_step *s, void *memory) {
  const group_layout l = group_layout_of(s->group);
  char *room = (char *)memory;
  s->seams.cloths = s->group->cloths;
  s->seams.part = s->part;
  s->seams.labels.number = (int32_t *)(void *)(room + l.numbers);
  s->seams.labels.label = (int32_t(*)[SEWN_LABELS])(void *)(room + l.labels);
  s->seams.particles = (sewn_particle *)(void *)(room + l.sewn);
  s->seams.stitches = (stitch *)(void *)(room + l.stitches);
  s->seams.springs = (seam_spring *)(void *)(room + l.folds);
  s->seams.gathers = (uint8_t *)(room + l.gathers);
  if (is_sewn_group(s)) {
    make_stitches(&s->seams, s->group);
    s->contact.sewn = &s->seams.labels;
  }
}

#endif

/* Begins the step of a cloth: what precedes its substeps, but for their origin. A cloth that sleeps makes its step. */
static void begin_member(const group_step *s, int32_t n) {
  const cloth *c = member_of(s->group, n);
  group_member *m = &s->members[n];
  m->sleeps = WITH_SLEEP && is_asleep(c);
#if WITH_SLEEP
  if (m->sleeps) {
    step_asleep(c, s->dt);
    return;
  }
#endif
  prepare_step(c, s->dt, s->substeps, s->parts, most_joined_iterations(s->group, n, s->dt, s->substeps));
  m->box = follow_to_box(c);
}

/* The origin of a step for all cloths that are awake, relative to that of the first of them. */
static cloth_vector common_origin(const group_step *s) {
  const cloth *leader = member_of(s->group, s->leader);
  position_box all = s->members[s->leader].box;
  for (int32_t n = s->leader + 1; n < s->group->count; n++) {
    if (!s->members[n].sleeps) {
      const cloth_vector way = way_between(leader, member_of(s->group, n));
      const cloth_vector low = vector_add(s->members[n].box.low, way);
      const cloth_vector high = vector_add(s->members[n].box.high, way);
      all.low = vector(minimum(low.x, all.low.x), minimum(low.y, all.low.y), minimum(low.z, all.low.z));
      all.high = vector(maximum(high.x, all.high.x), maximum(high.y, all.high.y), maximum(high.z, all.high.z));
    }
  }
  return step_origin_for(&all);
}

/* 1 if a cloth is far from the origin of the step, as another cloth of the group is. */
static int is_far_in_step(const cloth *c, const position_box *box) {
  const cloth_vector low = place_in_step(c, box->low), high = place_in_step(c, box->high);
  const float limit = FAR_CELLS * minimum(c->grid.spacing_warp, c->grid.spacing_weft);
  return !vector_in_range(low, limit) || !vector_in_range(high, limit);
}

/* Puts all cloths at the origin of the step. */
static void meet_at_origin(const group_step *s) {
  const cloth *leader = member_of(s->group, s->leader);
  const cloth_vector origin = common_origin(s);
  for (int32_t n = 0; n < s->group->count; n++) {
    const cloth *c = member_of(s->group, n);
    const cloth_vector there = vector_subtract(origin, way_between(leader, c));
    if (!s->members[n].sleeps) {
      start_substeps(c, &s->members[n].box, there);
      workspace_of(c)->plan.notes |= is_far_in_step(c, &s->members[n].box) ? CLOTH_NOTE_FAR : 0;
      continue;
    }
    const vector_array from = vectors_at(c, c->state.position), to = kept_start(c);
    for (int32_t i = 0; i < c->count; i++) {
      vector_store(to, i, vector_subtract(vector_load(from, i), there));
    }
  }
}

/// Statistics and sleep ///

/* Tells each cloth what the first gather of a step has found of it. */
static void report_gather(const group_step *s) {
  const self_group *g = &s->contact;
  for (int32_t n = 0; n < g->found->intersections; n++) {
    const int32_t a = number_body(g->intersections[n].edge), b = number_body(g->intersections[n].triangle);
    self_workspace_of(g->bodies[a].c)->statistics.intersections++;
    self_workspace_of(g->bodies[b].c)->statistics.intersections += a != b;
  }
  for (int32_t n = 0; n < g->count; n++) {
    const self_body *b = &g->bodies[n];
    int32_t *tangled = &self_workspace_of(b->c)->statistics.tangled;
    for (int32_t i = 0; i < b->count; i++) {
      *tangled += is_tangled_age(b->ages[i]);
    }
  }
}

/* Tells each cloth what contact has done in a step. */
static void report_contact(const group_step *s) {
  const self_group *g = &s->contact;
  for (int32_t n = 0; n < g->count; n++) {
    cloth_self_statistics *counts = &self_workspace_of(g->bodies[n].c)->statistics;
    if (s->members[n].sleeps) {
      reset_self(g->bodies[n].c);
      continue;
    }
    counts->gathers = g->found->statistics.gathers;
    counts->visits = g->found->statistics.visits;
    counts->pairs_dropped = g->found->statistics.pairs_dropped;
    counts->pairs = g->candidates[n];
    counts->contacts = g->touching[n];
  }
}

#if WITH_SLEEP

/* Marks the sleeping one of two cloths if the other one is near, and fast, at a candidate. */
static void find_woken_by(const group_step *s, pair_key key, int is_over) {
  const self_group *g = &s->contact;
  const int32_t first = feature_cloth(key.first), second = feature_cloth(key.second);
  if (s->members[first].sleeps == s->members[second].sleeps) { return; }
  const int32_t sleeper = s->members[first].sleeps ? first : second, other = first + second - sleeper;
  const self_body *a = &g->bodies[other], *b = &g->bodies[sleeper];
  const int32_t i = feature_place(other == first ? key.first : key.second, a->columns);
  const int32_t k = feature_place(other == first ? key.second : key.first, b->columns);
  const float speed = b->c->settings.sleep.speed;
  const float reach = pair_between(g, first, second)->thickness + SELF_SKIN * minimum(a->spacing, b->spacing);
  const cloth_vector v = vector_load(a->velocity, i);
  const cloth_vector apart = vector_subtract(vector_load(a->start, i), vector_load(b->start, k));
  const float far = reach + 2.0f * (a->spacing + b->spacing);
  const int is_fast = vector_dot(v, v) > speed * speed;
  s->members[sleeper].wakes |= is_fast && (!is_over || vector_dot(apart, apart) < far * far);
}

/* Marks the sleeping cloths that an awake one comes to, or is at and leaves: by candidates, or when the step is
   over. */
static void find_woken(const group_step *s, int is_over) {
  const self_workspace *found = s->contact.found;
  int32_t sleeping = 0;
  for (int32_t n = 0; n < s->group->count; n++) {
    sleeping += s->members[n].sleeps;
  }
  if (sleeping > 0) {
    EACH_CANDIDATE(&s->contact, candidate, find_woken_by(s, key_of_candidate(s->contact.cells, candidate), is_over));
    add_varying_work(s->contact.bodies[0].c, (uint64_t)(uint32_t)found->candidates, COST_WAKE);
  }
}

#endif

#if WITH_SEAMS

/* Has contact remember which particles are sewn, for when they are not any more; none of a cloth that sleeps. */
static void remember_seams(const group_step *s) {
  for (int32_t n = 0; n < s->seams.particle_count; n++) {
    const sewn_particle *p = &s->seams.particles[n];
    if (!s->members[p->cloth].sleeps) { ages_of(member_of(s->group, p->cloth))[p->particle] |= SELF_SEWN; }
  }
}

#endif

/// Stepping ///

/* Joins the parts of cloths that have a body in common. */
static void join_by_bodies(group_step *s) {
#if WITH_COMMON_BODIES
  EACH_FOLLOWER(s->group, k, n, join_parts(s->part, s->group->count, leader_of_body(s->group, k), n));
#endif
  (void)s;
}

/* Joins the parts of cloths that are awake and have candidates with each other: what touches is solved as one. */
static void join_by_contact(group_step *s) {
  for (int32_t a = 0; a < s->group->count; a++) {
    for (int32_t b = 0; b < a; b++) {
      if (((uint32_t)s->contact.found->meets[a] >> b & 1u) && !s->members[a].sleeps && !s->members[b].sleeps) {
        join_parts(s->part, s->group->count, a, b);
      }
    }
  }
}

/* 1 if something joins the cloths of a part, or particles of one. */
static int is_joined(const group_step *s, int32_t part, int32_t count) {
  int is = count > 1;
#if WITH_SEAMS
  is |= s->seams.is_sewn[part];
#endif
  (void)s;
  (void)part;
  return is;
}

/* Makes the set of the cloths of a part that are awake, behind those of `end` sets before. Returns the end. */
static int32_t make_set(group_step *s, int32_t part, int32_t end) {
  solve_group *g = &s->set[s->sets];
  group_joints *j = &s->joints[s->sets];
  g->members = &s->solved[end];
  for (int32_t n = part; n < s->group->count; n++) {
    if (s->part[n] == part && !s->members[n].sleeps) {
      const cloth *c = member_of(s->group, n);
      const solve_member m = {.c = c, .t = &workspace_of(c)->plan.terms, .number = n};
      g->members[g->count++] = m;
      j->members |= 1u << n;
    }
  }
  j->group = s->group;
  j->part = part;
#if WITH_SEAMS
  j->seams = &s->seams;
#endif
  g->joints = is_joined(s, part, g->count) ? j : NULL;
  g->pairs = s->touches ? &s->contact : NULL;
  s->sets += g->count > 0;
  return end + g->count;
}

/* Makes the sets of cloths that are solved as one: of what is sewn, has bodies in common, or may touch. */
static void make_sets(group_step *s) {
  int32_t end = 0;
  s->sets = 0;
  fill_zero(s->set, sizeof s->set);
  fill_zero(s->joints, sizeof s->joints);
  copy_memory(s->part, s->linked, sizeof s->part);
  join_by_contact(s);
  for (int32_t n = 0; n < s->group->count; n++) {
    if (s->part[n] == n) { end = make_set(s, n, end); }
  }
}

/* Makes the unknowns of what is sewn, and finds what is linked whether it touches or not. */
static void find_linked(group_step *s) {
#if WITH_SEAMS
  if (is_sewn_group(s)) {
    remember_seams(s);
    make_unknowns(&s->seams);
    find_folds(&s->seams, s->group);
    find_loose_stitches(&s->seams);
  }
#endif
  join_by_bodies(s);
  copy_memory(s->linked, s->part, sizeof s->part);
}

/* Begins a step of a group, in its memory: prepares all cloths, and how they touch. */
CLOTH_SEPARATE void begin_group(const cloth_group *group, float dt, int32_t substeps, void *memory) {
  const group_layout l = group_layout_of(group);
  group_step *s = (group_step *)memory;
  cloth *first = member_of(group, 0);
  fill_zero(memory, l.counts);
  s->group = group;
  s->dt = dt;
  s->substeps = substeps;
  s->parts = most_group_parts(group);
  place_parts(s, memory);
  for (int32_t n = 0; n < group->count; n++) {
    s->part[n] = (uint8_t)n;
  }
#if WITH_SEAMS
  place_seams(s, memory);
#endif
  for (int32_t n = 0; n < s->group->count; n++) {
    s->members[n].left_out = enter_surroundings(member_of(group, n), dt, group->around, links_hash(s, n));
  }
#if WITH_COMMON_BODIES
  join_bodies(group);
#endif
  wake_linked(group);
  s->leader = -1;
  for (int32_t n = 0; n < s->group->count; n++) {
    begin_member(s, n);
    s->leader = s->leader < 0 && !s->members[n].sleeps ? n : s->leader;
  }
  choose_pairs(s, (self_pair *)(void *)((char *)memory + l.pairs));
  if (s->leader < 0) { return; }
  place_bodies(s, memory);
  meet_at_origin(s);
  find_linked(s);
  make_sets(s);
  if (s->group->count > 1) {
    if (first->settings.capacity.fixed_work) {
      add_work(first, max_group_work(s->group, dt, s->substeps), 1);
    } else {
      add_work(first, (uint64_t)(uint32_t)l.particles * (uint32_t)s->substeps, COST_GROUP);
    }
  }
}

/* The plan that all cloths that are awake share. */
static step_plan *plan_of_group(const group_step *s) {
  return &workspace_of(member_of(s->group, s->leader))->plan;
}

/* Puts a cloth that sleeps into the arrays that pairs read. */
static void place_sleeper(const cloth *c) {
  const solve_arrays a = arrays_of(c);
  for (int32_t i = 0; i < c->count; i++) {
    const int32_t place = place_of(&a, i);
    near_vector_store(a.place, a.plane, place, vector_load(kept_start(c), i));
    near_vector_store(a.direction, a.plane, place, vector(0.0f, 0.0f, 0.0f));
  }
}

/* Puts all that sleep there, after a gather, which takes the memory of these. */
static void place_sleepers(const group_step *s) {
  for (int32_t n = 0; n < s->group->count; n++) {
    if (s->members[n].sleeps) { place_sleeper(member_of(s->group, n)); }
  }
}

/* Candidates, and what is tangled, before a substep. Returns the longest part of it, as a share. */
static float prepare_together(group_step *s, float shortest) {
  const step_plan *plan = plan_of_group(s);
  const float longest = prepare_pairs(&s->contact, plan, shortest);
  if (s->group->count > 1 && plan->index + 1 == plan->stride) {
    report_gather(s);
#if WITH_SLEEP
    find_woken(s, 0);
#endif
    make_sets(s);
  }
  place_sleepers(s);
  return longest;
}

/* The candidates of a part of a substep that begins, where they are fast. */
static void prepare_part_together(group_step *s, float length) {
  if (prepare_part(&s->contact, plan_of_group(s), length) && s->group->count > 1) {
    make_sets(s);
    place_sleepers(s);
  }
}

/* Begins a part of a substep of all cloths that are awake. Returns 1 if it is too long for one of them. */
static int32_t start_parts(const group_step *s, float done, float length) {
  int32_t is_deep = 0;
  for (int32_t n = 0; n < s->sets; n++) {
    is_deep |= start_part(&s->set[n], done, length);
  }
  return is_deep;
}

/* Solves a part of a substep of all cloths that are awake. */
static void solve_parts(const group_step *s) {
  for (int32_t n = 0; n < s->sets; n++) {
    const int32_t iterations = solve_part(&s->set[n]);
    EACH_MEMBER(&s->set[n], m, s->members[m->number].iterations += iterations);
  }
}

/* What is sewn together is at one place when all has been moved. */
static void settle_parts(const group_step *s) {
  for (int32_t n = 0; n < s->sets; n++) {
    if (s->set[n].joints) { settle_joined(s->set[n].joints); }
  }
}

/* Ends a substep of all cloths that are awake. `is_whole`: it was not divided. */
static void end_substeps(const group_step *s, int32_t is_whole) {
  for (int32_t n = 0; n < s->group->count; n++) {
    if (!s->members[n].sleeps) {
      const cloth *c = member_of(s->group, n);
      end_substep(c, &workspace_of(c)->plan, s->members[n].iterations, is_whole);
      s->members[n].iterations = 0;
    }
  }
}

/* A substep of all cloths, in as many parts as the one that needs most: see substep(). */
CLOTH_SEPARATE void substep_together(group_step *s) {
  const float shortest = 1.0f / (float)s->parts;
  float longest = 1.0f, done = 0.0f;
  if (s->touches) { longest = prepare_together(s, shortest); }
  float length = longest;
  int32_t is_prepared = 0;
  while (done < 1.0f) {
    if (s->touches && !is_prepared) { prepare_part_together(s, length); }
    is_prepared = 1;
    if (start_parts(s, done, length) && length > shortest) {
      length *= 0.5f;
      continue;
    }
    is_prepared = 0;
    solve_parts(s);
    for (int32_t n = 0; n < s->group->count; n++) {
      if (!s->members[n].sleeps) { confine_particles(member_of(s->group, n)); }
    }
    settle_parts(s);
    done += length;
    length = done == 0.5f ? minimum(0.5f, longest) : length;
  }
  end_substeps(s, length == 1.0f);
}

/* Lets the substeps from `index` on do several if time is up for one of the cloths, see cut_stride(). */
static void cut_substeps(const group_step *s, int32_t index) {
  const int32_t stride = cut_stride(member_of(s->group, s->leader), plan_of_group(s), index);
  int32_t allows = stride > 0, is_cut = 0;
  for (int32_t n = 0; n < s->group->count && allows; n++) {
    allows = s->members[n].sleeps || may_shorten(member_of(s->group, n));
  }
  for (int32_t n = 0; n < s->group->count && allows; n++) {
    is_cut |= !s->members[n].sleeps && !may_refine(member_of(s->group, n));
  }
  for (int32_t n = 0; n < s->group->count && is_cut; n++) {
    if (!s->members[n].sleeps) {
      const cloth *c = member_of(s->group, n);
      lengthen_substeps(c, &workspace_of(c)->plan, stride);
    }
  }
}

/* The substeps of a step of a group of which one cloth is awake at least. */
static void do_substeps_together(group_step *s) {
  step_plan *plan = plan_of_group(s);
  for (int32_t index = 0; index < s->substeps; index += plan->stride) {
    cut_substeps(s, index);
    for (int32_t n = 0; n < s->group->count; n++) {
      if (!s->members[n].sleeps) { workspace_of(member_of(s->group, n))->plan.index = index + plan->stride - 1; }
    }
    substep_together(s);
  }
}

/* Ends a step of a group. Returns the notes of all cloths. */
CLOTH_SEPARATE int finish_group(const group_step *s) {
  int notes = 0;
  const uint32_t sleepy = s->leader >= 0 ? find_sleepy(s->group, s->dt) : 0u;
  if (s->leader >= 0 && s->touches && s->group->count > 1) {
#if WITH_SLEEP
    find_woken(s, 1);
#endif
    report_contact(s);
  }
  for (int32_t n = 0; n < s->group->count; n++) {
    const cloth *c = member_of(s->group, n);
    notes |= s->members[n].sleeps ? CLOTH_OK : finish_step(c, s->dt, (int)(sleepy >> n & 1u));
    if (s->members[n].wakes) { wake(c); }
    leave_surroundings(c, s->group->around, s->members[n].left_out);
  }
  return notes;
}

/* A step of a group that has been checked, with as many refinements as the workspaces allow. */
static int step_group(const cloth_group *group, float dt, int32_t substeps, void *memory) {
  group_step *s = (group_step *)memory;
  begin_group(group, dt, substeps, memory);
  if (s->leader >= 0) { do_substeps_together(s); }
  return finish_group(s);
}

#endif
