#pragma once
#include "../bodies/common_bodies.h"
#include "../bodies/surroundings.h"
#include "../contact/geometry.h"
#include "../group/seam_springs.h"
#include "../group/seams.h"
#include "../group/stitches.h"
#include "../self/candidates.h"
#include "../self/features.h"
#include "../self/memory.h"
#include "../self/search.h"
#include "../self/tree.h"
#include "group_layout.h"
#include "step.h"

/// Groups ///

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
      pair.friction = flush_work(e->friction);
    }
  }
  if ((a == b && !feels_itself(first)) || (s->members[a].sleeps && s->members[b].sleeps)) { pair.thickness = 0.0f; }
  return pair;
}

static void choose_pairs(group_step *s, self_pair *pairs) {
  const int32_t count = s->group->count;
  s->touches = 0;
  for (int32_t n = 0; n < count * count; n++) {
    pairs[n] = choose_pair(s, n / count, n % count);
    s->touches |= pairs[n].thickness > 0.0f;
  }
}

static void place_parts(group_step *s, char *room, const group_layout *l) {
  self_group *g = &s->contact;
  int32_t *counts = (int32_t *)(void *)(room + l->counts);
  s->members = (group_member *)(void *)(room + l->members);
  g->bodies = (self_body *)(void *)(room + l->bodies);
  g->count = s->group->count;
  g->pairs = (const self_pair *)(const void *)(room + l->pairs);
  g->candidates = counts;
  g->touching = counts + g->count;
  place_contact(g, room, &l->contact);
  g->found = g->count == 1 ? self_workspace_of(member_of(s->group, 0)) : (self_workspace *)(void *)(room + l->found);
}

/* Sets what contact knows of the cloths, after all have been prepared. */
static void place_bodies(const group_step *s, self_node *nodes) {
  for (int32_t n = 0; n < s->group->count; n++) {
    const cloth *c = member_of(s->group, n);
    self_body *b = &s->contact.bodies[n];
    self_body_of(c, nodes, b);
    nodes += self_nodes(c->grid.columns, c->grid.rows);
    b->is_still = s->members[n].sleeps;
    if (b->is_still) { b->start = kept_start(c); }
  }
}

/* Finds the stitches of a group, in its memory. */
static void place_seams(group_step *s, char *room, const group_layout *l) {
  sewing *seams = &s->seams;
  seams->cloths = s->group->cloths;
  seams->part = s->part;
  seams->labels.number = (int32_t *)(void *)(room + l->numbers);
  seams->labels.label = (int32_t(*)[SEWN_LABELS])(void *)(room + l->labels);
  seams->particles = (sewn_particle *)(void *)(room + l->sewn);
  seams->stitches = (stitch *)(void *)(room + l->stitches);
  seams->springs = (seam_spring *)(void *)(room + l->folds);
  seams->gathers = (uint8_t *)(room + l->gathers);
  if (s->group->seam_count > 0) {
    make_stitches(seams, s->group);
    s->contact.sewn = &seams->labels;
  }
}

/* Makes unknowns and springs of what is sewn. Contact remembers which particles are, for when they are not any more;
   none of a cloth that sleeps. */
static void find_sewn_terms(group_step *s) {
  for (int32_t n = 0; n < s->seams.particle_count; n++) {
    const sewn_particle *p = &s->seams.particles[n];
    if (!s->members[p->cloth].sleeps) { ages_of(member_of(s->group, p->cloth))[p->particle] |= SELF_SEWN; }
  }
  make_unknowns(&s->seams);
  find_folds(&s->seams, s->group);
  find_loose_stitches(&s->seams);
}

/// Links between cloths ///

/* Which cloths sleep and wake together with cloth n, as seams or common bodies link them, a bit each; 0 for one that
   nothing links. */
static uint32_t cloths_linked_to(const group_step *s, int32_t n) {
  uint32_t cloths = 0;
  for (int32_t k = 0; k < s->group->count; k++) {
    cloths |= s->linked[k] == s->linked[n] ? 1u << k : 0u;
  }
  return (WITH_SEAMS && s->seams.is_sewn[n]) || (cloths & (cloths - 1u)) ? cloths : 0u;
}

/* Wakes the cloths that sleep and are linked to one that does not. */
static void wake_linked(const group_step *s) {
  uint32_t woken = 0;
  for (int32_t n = 0; n < s->group->count; n++) {
    woken |= is_asleep(member_of(s->group, n)) ? 0u : cloths_linked_to(s, n);
  }
  for (int32_t n = 0; n < s->group->count; n++) {
    if ((woken >> n & 1u) && is_asleep(member_of(s->group, n))) { wake(member_of(s->group, n)); }
  }
}

/* Which cloths may fall asleep at the end of a step, a bit each. Those that are linked do so together. */
static uint32_t find_sleepy(const group_step *s) {
  uint32_t sleepy = (1u << s->group->count) - 1u;
  for (int32_t n = 0; n < s->group->count; n++) {
    const cloth *c = member_of(s->group, n);
    const uint32_t cloths = cloths_linked_to(s, n);
    if (cloths && !is_asleep(c) && !will_sleep(c, s->dt)) { sleepy &= ~cloths; }
  }
  return sleepy;
}

/* Begins the step of a cloth: what precedes its substeps, but for their origin. A cloth that sleeps makes its step. */
static void begin_member(const group_step *s, int32_t n) {
  const cloth *c = member_of(s->group, n);
  group_member *m = &s->members[n];
  m->sleeps = WITH_SLEEP && is_asleep(c);
  if (m->sleeps) {
    step_asleep(c, s->dt);
    keep_arrays(c);
    return;
  }
  prepare_step(c, s->dt, s->substeps, s->parts, most_joined_iterations(s->group, n, s->dt, s->substeps));
  m->box = follow_to_box(c);
}

/* The origin of a step for all cloths that are awake, relative to that of the first of them. */
static cloth_vector common_origin(const group_step *s) {
  const cloth *leader = member_of(s->group, s->leader);
  position_box all = s->members[s->leader].box;
  EACH_AWAKE(s, n, c, {
    const cloth_vector way = way_between(leader, c);
    const position_box *own = &s->members[n].box;
    const position_box there = {vector_add(own->low, way), vector_add(own->high, way)};
    all = box_around_both(&there, &all);
  });
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
    const int32_t a = feature_cloth(g->intersections[n].first), b = feature_cloth(g->intersections[n].second);
    self_workspace_of(g->bodies[a].c)->statistics.intersections++;
    self_workspace_of(g->bodies[b].c)->statistics.intersections += a != b;
  }
  for (int32_t n = 0; n < g->count; n++) {
    self_workspace_of(g->bodies[n].c)->statistics.tangled += count_tangled(&g->bodies[n]);
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

/// Stepping ///

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

/* Makes the set of the cloths of a part that are awake, behind those of `end` sets before. Returns the end. */
static int32_t make_set(group_step *s, int32_t part, int32_t end) {
  solve_group *g = &s->set[s->stepped.sets];
  group_joints *j = &s->joints[s->stepped.sets];
  g->members = &s->solved[end];
  EACH_AWAKE(s, n, c, {
    if (s->part[n] == part) {
      const solve_member m = {.c = c, .t = &workspace_of(c)->plan.terms, .number = n};
      g->members[g->count++] = m;
      j->members |= 1u << n;
    }
  });
  j->group = s->group;
  j->part = part;
  j->seams = &s->seams;
  g->joints = g->count > 1 || (WITH_SEAMS && s->seams.is_sewn[part]) ? j : NULL;
  g->pairs = s->touches ? &s->contact : NULL;
  s->stepped.sets += g->count > 0;
  return end + g->count;
}

/* Makes the sets of cloths that are solved as one: of what is sewn, has bodies in common, or may touch. */
static void make_sets(group_step *s) {
  int32_t end = 0;
  s->stepped.sets = 0;
  fill_zero(s->set, sizeof s->set);
  fill_zero(s->joints, sizeof s->joints);
  copy_memory(s->part, s->linked, sizeof s->part);
  join_by_contact(s);
  for (int32_t n = 0; n < s->group->count; n++) {
    if (s->part[n] == n) { end = make_set(s, n, end); }
  }
}

/* Finds what is linked whether it touches or not. */
static void find_linked(group_step *s, char *room, const group_layout *l) {
  for (int32_t n = 0; n < s->group->count; n++) {
    s->part[n] = (uint8_t)n;
  }
  if (WITH_SEAMS) { place_seams(s, room, l); }
  if (WITH_COMMON_BODIES) { EACH_FOLLOWER(s->group, k, n, leader, join_parts(s->part, s->group->count, leader, n)); }
  copy_memory(s->linked, s->part, sizeof s->part);
}

/* Puts cloths that sleep into the arrays that pairs read, after a gather, which takes the memory of these. */
static void place_sleepers(const group_step *s) {
  for (int32_t n = 0; n < s->group->count; n++) {
    const cloth *c = member_of(s->group, n);
    const solve_arrays *a = arrays_of(c);
    for (int32_t i = 0; s->members[n].sleeps && i < c->count; i++) {
      const int32_t place = place_of(a, i);
      near_vector_store(a->place, a->plane, place, vector_load(kept_start(c), i));
      near_vector_store(a->direction, a->plane, place, vector(0.0f, 0.0f, 0.0f));
    }
  }
}

/* Makes the sets of a group anew after a gather. */
static void regroup(stepped_cloths *stepped, int32_t is_first) {
  group_step *s = (group_step *)(void *)stepped; /* whose first member it is */
  if (is_first) {
    report_gather(s);
    if (WITH_SLEEP) { find_woken(s, 0); }
  }
  make_sets(s);
  place_sleepers(s);
}

/* Begins the substeps of the cloths that are awake. */
static void start_stepping(group_step *s) {
  stepped_cloths *stepped = &s->stepped;
  stepped->set = s->set;
  stepped->shortest = 1.0f / (float)s->parts;
  stepped->plan = &workspace_of(member_of(s->group, s->leader))->plan;
  stepped->regroup = s->group->count > 1 ? regroup : NULL;
  make_sets(s);
}

/* Begins a step of a group, in its memory: prepares all cloths, and how they touch. */
CLOTH_SEPARATE void begin_group(const cloth_group *group, float dt, int32_t substeps, void *memory) {
  const group_layout l = group_layout_of(group);
  group_step *s = (group_step *)memory;
  char *room = (char *)memory;
  cloth *first = member_of(group, 0);
  fill_zero(memory, l.counts);
  s->group = group;
  s->dt = dt;
  s->substeps = substeps;
  s->parts = most_group_parts(group);
  place_parts(s, room, &l);
  find_linked(s, room, &l);
  for (int32_t n = 0; n < group->count; n++) {
    /* the hash of the links of a cloth: its seams, and bodies in common with others */
    const uint64_t links =
        (WITH_SEAMS ? s->seams.hash[n] : 0u) + (WITH_COMMON_BODIES ? common_bodies_hash(group, n) : 0u);
    s->members[n].left_out = enter_surroundings(member_of(group, n), dt, group->around, links);
  }
  if (WITH_COMMON_BODIES) { join_bodies(group); }
  if (WITH_SLEEP) { wake_linked(s); }
  s->leader = -1;
  for (int32_t n = 0; n < s->group->count; n++) {
    begin_member(s, n);
    s->leader = s->leader < 0 && !s->members[n].sleeps ? n : s->leader;
  }
  choose_pairs(s, (self_pair *)(void *)(room + l.pairs));
  if (s->leader < 0) { return; }
  place_bodies(s, (self_node *)(void *)(room + l.contact.nodes));
  meet_at_origin(s);
  if (WITH_SEAMS && group->seam_count > 0) { find_sewn_terms(s); }
  start_stepping(s);
  if (group->count > 1 && first->settings.capacity.fixed_work) {
    add_work(first, max_group_work(group, dt, substeps), 1);
  } else if (group->count > 1) {
    add_work(first, (uint64_t)(uint32_t)l.particles * (uint32_t)substeps, COST_GROUP);
  }
}

/* Ends a step of a group. Returns the notes of all cloths. */
CLOTH_SEPARATE int finish_group(const group_step *s) {
  int notes = 0;
  const uint32_t sleepy = WITH_SLEEP && s->leader >= 0 ? find_sleepy(s) : 0u;
  if (s->leader >= 0 && s->touches && s->group->count > 1) {
    if (WITH_SLEEP) { find_woken(s, 1); }
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
  if (s->leader >= 0) { do_substeps(&s->stepped); }
  return finish_group(s);
}
