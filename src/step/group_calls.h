#pragma once
#include "../bodies/common_bodies.h"
#include "../group/stitches.h"
#include "group.h"
#include "group_layout.h"
#include "plan.h"
#include "step.h"
#include "step_calls.h"
#include "work.h"

/// Calls of groups ///

#if WITH_GROUPS

/* Checks a group, all cloths of it before one is changed, and steps it. */

cloth_group cloth_group_default(void) {
  cloth_group group;
  fill_zero(&group, sizeof group);
  group.cookie = GROUP_COOKIE;
  group.pairs = 24;
  group.seam_speed = 1.0f;
  return group;
}

static int check_exceptions(const cloth_group *group) {
  if (group->exception_count > 0 && !group->exceptions) { return CLOTH_ERROR_NULL; }
  for (int32_t n = 0; n < group->exception_count; n++) {
    const cloth_group_pair *e = &group->exceptions[n];
    if (e->a < 0 || e->a >= group->count || e->b < 0 || e->b >= group->count || e->a == e->b) {
      return CLOTH_ERROR_INDEX;
    }
    if (!in_range(e->thickness, 0.0f, 1.0f) || !in_range(e->friction, 0.0f, 10.0f)) { return CLOTH_ERROR_RANGE; }
  }
  return CLOTH_OK;
}

static int check_side(const cloth_group *group, const cloth_seam_side *side) {
  if (side->cloth < 0 || side->cloth >= group->count) { return CLOTH_ERROR_INDEX; }
  const int32_t particles = member_of(group, side->cloth)->count;
  if (side->count < 1 || side->count > particles) { return CLOTH_ERROR_RANGE; }
  const int64_t first = side->first, last = first + (int64_t)(side->count - 1) * side->next;
  if (!side->particles) {
    const int is_inside = first >= 0 && first < particles && last >= 0 && last < particles;
    return is_inside && (side->next != 0 || side->count == 1) ? CLOTH_OK : CLOTH_ERROR_INDEX;
  }
  for (int32_t n = 0; n < side->count; n++) {
    if (side->particles[n] < 0 || side->particles[n] >= particles) { return CLOTH_ERROR_INDEX; }
  }
  return CLOTH_OK;
}

static cloth_vector way_to_end(const cloth_group *group, const stitch_ends *ends, int32_t from, int32_t to) {
  const cloth *a = member_of(group, ends->cloth[from]), *b = member_of(group, ends->cloth[to]);
  const cloth_vector here = vector_load(vectors_at(a, a->state.position), ends->particle[from]);
  const cloth_vector there = vector_load(vectors_at(b, b->state.position), ends->particle[to]);
  return vector_add(vector_subtract(there, here), way_between(a, b));
}

static float gap_of_stitch(const cloth_group *group, const cloth_seam *seam, int32_t n) {
  const stitch_ends ends = ends_of_stitch(seam, n);
  const cloth_vector before = way_to_end(group, &ends, 0, 1), after = way_to_end(group, &ends, 0, 2);
  const cloth_vector between = vector_flush_state(vector_subtract(after, before));
  return vector_length(vector_add_scaled(before, between, ends.share));
}

static int is_same_end(const stitch_ends *a, int32_t i, const stitch_ends *b, int32_t k) {
  return a->cloth[i] == b->cloth[k] && a->particle[i] == b->particle[k];
}

/* 1 if two stitches join the same, in one order or the other. */
static int are_same_stitches(const stitch_ends *a, const stitch_ends *b) {
  return (is_same_end(a, 0, b, 0) && is_same_end(a, 1, b, 1) && is_same_end(a, 2, b, 2)) ||
         (is_same_end(a, 0, b, 1) && is_same_end(a, 1, b, 0) && is_same_end(a, 2, a, 1) && is_same_end(b, 2, b, 1));
}

static int check_seam(const cloth_group *group, const cloth_seam *seam) {
  int error = check_side(group, &seam->a);
  if (!error) { error = check_side(group, &seam->b); }
  for (int32_t n = 0; !error && n < larger_count(seam); n++) { /* no stitch may join a particle to itself */
    const stitch_ends ends = ends_of_stitch(seam, n);
    if (is_same_end(&ends, 0, &ends, 1) || is_same_end(&ends, 0, &ends, 2)) { error = CLOTH_ERROR_CONFLICT; }
  }
  if (!error && !in_range(seam->stiffening, -1.0f, 100.0f)) { error = CLOTH_ERROR_RANGE; }
  return error;
}

static int check_seams(const cloth_group *group) {
  if (!WITH_SEAMS) { return group->seam_count ? CLOTH_ERROR_LEFT_OUT : CLOTH_OK; }
  if (group->seam_count < 0 || group->seam_count > CLOTH_SEAM_LIMIT || !in_range(group->seam_speed, 1.0e-3f, 1000.0f)) {
    return CLOTH_ERROR_RANGE;
  }
  if (group->seam_count > 0 && !group->seams) { return CLOTH_ERROR_NULL; }
  int32_t stitches = 0;
  for (int32_t n = 0; n < group->seam_count; n++) {
    RETURN_IF_ERROR(check_seam(group, &group->seams[n]));
    stitches += larger_count(&group->seams[n]);
  }
  return stitches <= CLOTH_STITCH_LIMIT ? CLOTH_OK : CLOTH_ERROR_RANGE;
}

/* 1 if a stitch of a seam is in the seams before it, or before it in its own. */
static int is_sewn_before(const cloth_group *group, int32_t seam, int32_t n) {
  const stitch_ends ends = ends_of_stitch(&group->seams[seam], n);
  for (int32_t before = 0; before <= seam; before++) {
    const int32_t end = before < seam ? larger_count(&group->seams[before]) : n;
    for (int32_t k = 0; k < end; k++) {
      const stitch_ends other = ends_of_stitch(&group->seams[before], k);
      if (are_same_stitches(&ends, &other)) { return 1; }
    }
  }
  return 0;
}

static int check_doubles(const cloth_group *group) {
  for (int32_t seam = 0; seam < group->seam_count; seam++) {
    for (int32_t n = 0; n < larger_count(&group->seams[seam]); n++) {
      if (is_sewn_before(group, seam, n)) { return CLOTH_ERROR_CONFLICT; }
    }
  }
  return CLOTH_OK;
}

static int are_same_shapes(const cloth_collider *a, const cloth_collider *b) {
  return a->shape == b->shape && are_equal(&a->geometry, &b->geometry, sizeof a->geometry) && a->radius == b->radius &&
         a->radius_top == b->radius_top && a->half_height == b->half_height &&
         are_equal(&a->half_extents, &b->half_extents, sizeof a->half_extents);
}

static int check_common_collider(const cloth_group *group, int32_t k, int32_t n) {
  const int32_t collider = group->bodies[k].colliders[n];
  RETURN_IF_ERROR(check_collider_index(group->cloths[n], collider));
  for (int32_t before = 0; before < k; before++) {
    if (group->bodies[before].colliders[n] == collider) { return CLOTH_ERROR_CONFLICT; }
  }
  const int32_t leader = leader_of_body(group, k);
  if (!are_same_shapes(&common_slot(group, k, n)->body, &common_slot(group, k, leader)->body)) {
    return CLOTH_ERROR_CONFLICT;
  }
  return common_body(group, k, n) ? CLOTH_OK : CLOTH_ERROR_STATE;
}

static int check_common_bodies(const cloth_group *group) {
  if (!WITH_COMMON_BODIES) { return group->body_count ? CLOTH_ERROR_LEFT_OUT : CLOTH_OK; }
  if (group->body_count < 0 || group->body_count > CLOTH_GROUP_BODY_LIMIT) { return CLOTH_ERROR_RANGE; }
  if (group->body_count > 0 && !group->bodies) { return CLOTH_ERROR_NULL; }
  for (int32_t k = 0; k < group->body_count; k++) {
    for (int32_t n = 0; n < group->count; n++) {
      RETURN_IF_ERROR(group->bodies[k].colliders[n] == -1 ? CLOTH_OK : check_common_collider(group, k, n));
    }
  }
  return CLOTH_OK;
}

/* Checks cloth n of a group, and that it is not one of those before it. */
static int check_member(const cloth_group *group, int32_t n) {
  RETURN_IF_ERROR(check_cloth(group->cloths[n]));
  for (int32_t before = 0; before < n; before++) {
    if (group->cloths[before] == group->cloths[n]) { return CLOTH_ERROR_CONFLICT; }
  }
  return group->cloths[n]->self ? CLOTH_OK : CLOTH_ERROR_STATE;
}

static int check_group(const cloth_group *group) {
  if (!group) { return CLOTH_ERROR_NULL; }
  if (group->cookie != GROUP_COOKIE) { return CLOTH_ERROR_CONFIG; }
  if (group->count < 1 || group->count > CLOTH_GROUP_LIMIT || group->pairs < 1 || group->pairs > GROUP_MAX_PAIRS ||
      group->exception_count < 0 || group->exception_count > GROUP_EXCEPTIONS) {
    return CLOTH_ERROR_RANGE;
  }
  if (!group->cloths) { return CLOTH_ERROR_NULL; }
  int error = CLOTH_OK;
  for (int32_t n = 0; !error && n < group->count; n++) {
    error = check_member(group, n);
  }
  if (!error) { error = check_exceptions(group); }
  if (!error) { error = check_common_bodies(group); }
  return error ? error : check_seams(group);
}

int cloth_group_bytes(const cloth_group *group, size_t *bytes) {
  int error = check_group(group);
  if (!error && WITH_SEAMS) { error = check_doubles(group); }
  if (error) { return error; }
  if (!bytes) { return CLOTH_ERROR_NULL; }
  *bytes = group_layout_of(group).bytes;
  return CLOTH_OK;
}

#if WITH_SEAMS

int cloth_group_seam_gap(const cloth_group *group, int32_t seam, float *gap) {
  RETURN_IF_ERROR(check_group(group));
  if (seam < 0 || seam >= group->seam_count) { return CLOTH_ERROR_INDEX; }
  if (!gap) { return CLOTH_ERROR_NULL; }
  *gap = 0.0f;
  for (int32_t n = 0; n < larger_count(&group->seams[seam]); n++) {
    const float own = is_stitched(group, &group->seams[seam], n) ? gap_of_stitch(group, &group->seams[seam], n) : 0.0f;
    *gap = maximum(*gap, own);
  }
  return CLOTH_OK;
}

#endif

/* The scratch of a cloth outside of its arena; of no bytes without. */
static memory_range scratch_of(const cloth *c) {
  return (memory_range){(uintptr_t)at(c, c->scratch.solution), c->shared_bytes};
}

/* 1 if two cloths use the same scratch, or one the arena of the other. */
static int share_scratch(const cloth *a, const cloth *b) {
  return (a->shared_bytes &&
          (do_overlap(scratch_of(a), arena_of(b)) || (b->shared_bytes && do_overlap(scratch_of(a), scratch_of(b))))) ||
         (b->shared_bytes && do_overlap(scratch_of(b), arena_of(a)));
}

/* Farthest that the origins of two cloths of a group may be apart [m]. */
#define GROUP_MAX_WAY 200000

static int is_way_in_range(int32_t a, int32_t b) {
  const int64_t way = (int64_t)b - a;
  return way >= -GROUP_MAX_WAY && way <= GROUP_MAX_WAY;
}

static int check_two(const cloth *a, const cloth *b) {
  const cloth_metres p = inputs_of(a)->origin, q = inputs_of(b)->origin;
  if (share_scratch(a, b)) { return CLOTH_ERROR_STATE; }
  const int is_near = is_way_in_range(p.x, q.x) && is_way_in_range(p.y, q.y) && is_way_in_range(p.z, q.z);
  return is_near ? CLOTH_OK : CLOTH_ERROR_RANGE;
}

/* Checks a step of a group, without its memory. Writes how many substeps it takes. */
static int check_group_step(const cloth_group *group, float dt, int32_t *substeps) {
  int error = check_group(group);
  *substeps = 1;
  for (int32_t n = 0; !error && n < group->count; n++) {
    error = check_step_with(group->cloths[n], dt, group->around);
    for (int32_t before = 0; !error && before < n; before++) {
      error = check_two(group->cloths[before], group->cloths[n]);
    }
    *substeps = larger_of(error ? 1 : choose_substeps(group->cloths[n], dt, 0), *substeps);
  }
  for (int32_t n = 0; !error && n < group->count; n++) {
    const cloth *c = group->cloths[n];
    const int32_t room = larger_of(c->settings.integration.substeps, c->settings.integration.max_substeps);
    error = *substeps <= room ? CLOTH_OK : CLOTH_ERROR_CONFLICT;
  }
  return error;
}

/* Checks the memory for a step of a group that has been checked. */
static int check_memory(const cloth_group *group, void *memory, size_t bytes) {
  const memory_range range = {(uintptr_t)memory, bytes};
  if (!memory) { return CLOTH_ERROR_NULL; }
  int fits = (uintptr_t)memory % CLOTH_ALIGNMENT == 0 && bytes >= group_layout_of(group).bytes;
  for (int32_t n = 0; n < group->count; n++) {
    const cloth *c = group->cloths[n];
    fits &= !do_overlap(range, arena_of(c)) && !(c->shared_bytes && do_overlap(range, scratch_of(c)));
  }
  return fits ? CLOTH_OK : CLOTH_ERROR_ARENA;
}

static int check_together(const cloth_group *group, float dt, void *memory, size_t bytes, int32_t *substeps) {
  int error = check_group_step(group, dt, substeps);
  return error ? error : check_memory(group, memory, bytes);
}

int cloth_step_together(const cloth_group *group, float dt, void *memory, size_t bytes) {
  int32_t substeps;
  RETURN_IF_ERROR(check_together(group, dt, memory, bytes, &substeps));
  for (int32_t n = 0; n < group->count; n++) {
    allow_refinements(group->cloths[n]);
  }
  return step_group(group, dt, substeps, memory);
}

#if WITH_PLANNING

int cloth_step_together_until(const cloth_group *group, float dt, void *memory, size_t bytes, uint32_t ticks,
                              cloth_effort *efforts) {
  const uint32_t start = CLOTH_TICKS();
  int32_t substeps;
  RETURN_IF_ERROR(check_together(group, dt, memory, bytes, &substeps));
  RETURN_IF_ERROR(check_efforts(group->cloths, group->count, efforts));
  set_deadline(group->cloths, group->count, start, ticks);
  const int result = step_group(group, dt, substeps, memory);
  report_efforts(group->cloths, group->count, efforts);
  return result;
}

int cloth_step_together_again(const cloth_group *group, float dt, void *memory, size_t bytes,
                              const cloth_effort *efforts) {
  int32_t substeps;
  int error = check_together(group, dt, memory, bytes, &substeps);
  error = error ? error : set_efforts(group->cloths, group->count, efforts);
  return error ? error : step_group(group, dt, substeps, memory);
}

/* 1 if a cloth of a group may wake in a step: by bodies of the group, or by links to others that begin or end. */
static int may_wake_in_group(const cloth_group *group, int32_t n) {
  const cloth *c = group->cloths[n];
  int is_linked = was_linked(c);
  for (int32_t k = 0; k < group->body_count; k++) {
    is_linked |= group->bodies[k].colliders[n] >= 0;
  }
  for (int32_t k = 0; k < group->seam_count; k++) {
    is_linked |= group->seams[k].a.cloth == n || group->seams[k].b.cloth == n;
  }
  return is_linked || c->settings.capacity.max_shared_bodies > 0;
}

static uint64_t member_work(const cloth_group *group, int32_t n, float dt, int32_t substeps) {
  const cloth *c = group->cloths[n];
  if (WITH_SLEEP && is_asleep(c) && !may_wake_in_group(group, n)) { return COST_STEP + max_choice_work(c); }
  work_scene s = work_scene_of(c, 1);
  s.parts = most_group_parts(group);
  s.iterations = most_joined_iterations(group, n, dt, substeps);
  const uint64_t work = most_call_work(c, &s, dt, substeps);
  return c->settings.capacity.fixed_work ? work : work - max_self_work(c, dt, substeps, s.parts);
}

int cloth_group_work_bound(const cloth_group *group, float dt, uint64_t *work) {
  int32_t substeps;
  RETURN_IF_ERROR(check_group_step(group, dt, &substeps));
  if (!work) { return CLOTH_ERROR_NULL; }
  *work = max_group_work(group, dt, substeps);
  for (int32_t n = 0; n < group->count; n++) {
    *work += member_work(group, n, dt, substeps);
  }
  return CLOTH_OK;
}

#endif

#endif
