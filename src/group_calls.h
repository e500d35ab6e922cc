#pragma once
#include "access.h"
#include "compiler.h"
#include "costs.h"
#include "group.h"
#include "plan.h"
#include "scalar.h"
#include "step.h"
#include "step_calls.h"
#include "types.h"
#include "work.h"

/// Calls of groups ///

#if WITH_GROUPS

/*
 * Checks a group, all cloths of it before one is changed, and steps it. In: the caller's arguments. Out: what group.h
 * says.
 */

cloth_group cloth_group_default(void) {
  cloth_group group;
  fill_zero(&group, sizeof group);
  group.cookie = GROUP_COOKIE;
  group.pairs = 4;
  return group;
}

static int check_exceptions(const cloth_group *group) {
  if (group->exception_count > 0 && !group->exceptions) {
    return CLOTH_ERROR_NULL;
  }
  for (int32_t n = 0; n < group->exception_count; n++) {
    const cloth_group_pair *e = &group->exceptions[n];
    if (e->a < 0 || e->a >= group->count || e->b < 0 || e->b >= group->count || e->a == e->b) {
      return CLOTH_ERROR_INDEX;
    }
    if (!in_range(e->thickness, 0.0f, 1.0f) || !in_range(e->friction, 0.0f, 10.0f)) {
      return CLOTH_ERROR_RANGE;
    }
  }
  return CLOTH_OK;
}

/* Checks cloth n of a group, and that it is not one of those before it. */
static int check_member(const cloth_group *group, int32_t n) {
  int error = check_cloth(group->cloths[n]);
  if (error) {
    return error;
  }
  for (int32_t before = 0; before < n; before++) {
    if (group->cloths[before] == group->cloths[n]) {
      return CLOTH_ERROR_CONFLICT;
    }
  }
  return group->cloths[n]->self ? CLOTH_OK : CLOTH_ERROR_STATE;
}

static int check_group(const cloth_group *group) {
  if (!group) {
    return CLOTH_ERROR_NULL;
  }
  if (group->cookie != GROUP_COOKIE) {
    return CLOTH_ERROR_CONFIG;
  }
  if (group->count < 1 || group->count > CLOTH_GROUP_LIMIT || group->pairs < 1 || group->pairs > GROUP_MAX_PAIRS ||
      group->exception_count < 0 || group->exception_count > GROUP_EXCEPTIONS) {
    return CLOTH_ERROR_RANGE;
  }
  int error = group->cloths ? CLOTH_OK : CLOTH_ERROR_NULL;
  for (int32_t n = 0; n < group->count && !error; n++) {
    error = check_member(group, n);
  }
  return error ? error : check_exceptions(group);
}

int cloth_group_bytes(const cloth_group *group, size_t *bytes) {
  int error = check_group(group);
  if (error) {
    return error;
  }
  if (!bytes) {
    return CLOTH_ERROR_NULL;
  }
  *bytes = group_layout_of(group).bytes;
  return CLOTH_OK;
}

/* A range of memory. */
typedef struct memory_range {
  uintptr_t start, bytes;
} memory_range;

static int do_overlap(memory_range a, memory_range b) {
  return a.start < b.start + b.bytes && b.start < a.start + a.bytes;
}

static memory_range arena_of(const cloth *c) {
  const memory_range range = {(uintptr_t)c, c->total_bytes};
  return range;
}

/* The scratch of a cloth outside of its arena; of no bytes without. */
static memory_range scratch_of(const cloth *c) {
  const memory_range range = {(uintptr_t)at(c, c->scratch.uniform_lines), c->shared_bytes};
  return range;
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

/* Checks two cloths of a group together. */
static int check_two(const cloth *a, const cloth *b) {
  const cloth_metres here = inputs_of(a)->origin, there = inputs_of(b)->origin;
  if (share_scratch(a, b)) {
    return CLOTH_ERROR_STATE;
  }
  const int is_near =
      is_way_in_range(here.x, there.x) && is_way_in_range(here.y, there.y) && is_way_in_range(here.z, there.z);
  return is_near ? CLOTH_OK : CLOTH_ERROR_RANGE;
}

/* Substeps that a cloth has room for. */
static int32_t substep_room(const cloth *c) {
  const int32_t fixed = c->settings.integration.substeps, most = c->settings.integration.max_substeps;
  return fixed > most ? fixed : most;
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
    const int32_t wanted = error ? 1 : choose_substeps(group->cloths[n], dt);
    *substeps = wanted > *substeps ? wanted : *substeps;
  }
  for (int32_t n = 0; !error && n < group->count; n++) {
    error = *substeps <= substep_room(group->cloths[n]) ? CLOTH_OK : CLOTH_ERROR_CONFLICT;
  }
  return error;
}

/* Checks the memory for a step of a group that has been checked. */
static int check_memory(const cloth_group *group, void *memory, size_t bytes) {
  const memory_range range = {(uintptr_t)memory, bytes};
  if (!memory) {
    return CLOTH_ERROR_NULL;
  }
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
  int error = check_together(group, dt, memory, bytes, &substeps);
  if (error) {
    return error;
  }
  for (int32_t n = 0; n < group->count; n++) {
    allow_refinements(group->cloths[n]);
  }
  return step_group(group, dt, substeps, memory);
}

#if WITH_PLANNING

/* Do all cloths of a group allow steps that are refined less? */
static int check_efforts(const cloth_group *group, const cloth_effort *efforts) {
  int error = efforts ? CLOTH_OK : CLOTH_ERROR_NULL;
  for (int32_t n = 0; n < group->count && !error; n++) {
    error = group->cloths[n]->settings.capacity.fixed_work ? CLOTH_ERROR_STATE : CLOTH_OK;
  }
  return error;
}

int cloth_step_together_until(const cloth_group *group, float dt, void *memory, size_t bytes, uint32_t ticks,
                              cloth_effort *efforts) {
  const uint32_t start = CLOTH_TICKS();
  int32_t substeps;
  int error = check_together(group, dt, memory, bytes, &substeps);
  error = error ? error : check_efforts(group, efforts);
  if (error) {
    return error;
  }
  for (int32_t n = 0; n < group->count; n++) {
    workspace *w = workspace_of(group->cloths[n]);
    allow_refinements(group->cloths[n]);
    w->has_deadline = ticks != UINT32_MAX;
    w->start = start;
    w->ticks = ticks;
  }
  const int result = step_group(group, dt, substeps, memory);
  for (int32_t n = 0; n < group->count; n++) {
    efforts[n].refinements = workspace_of(group->cloths[n])->refinements;
    efforts[n].cut_short = workspace_of(group->cloths[n])->is_cut;
  }
  return result;
}

int cloth_step_together_again(const cloth_group *group, float dt, void *memory, size_t bytes,
                              const cloth_effort *efforts) {
  int32_t substeps;
  int error = check_together(group, dt, memory, bytes, &substeps);
  error = error ? error : check_efforts(group, efforts);
  for (int32_t n = 0; !error && n < group->count; n++) {
    error = efforts[n].refinements < 0 || (uint32_t)efforts[n].cut_short > 1u ? CLOTH_ERROR_RANGE : CLOTH_OK;
  }
  if (error) {
    return error;
  }
  for (int32_t n = 0; n < group->count; n++) {
    workspace *w = workspace_of(group->cloths[n]);
    allow_refinements(group->cloths[n]);
    w->is_cut = efforts[n].cut_short;
    w->max_refinements = efforts[n].refinements;
  }
  return step_group(group, dt, substeps, memory);
}

/* Most work of the step of a cloth of a group, but for contact. Bodies of the group may wake one that sleeps. */
static uint64_t member_work(const cloth *c, float dt, int32_t substeps) {
  if (WITH_SLEEP && is_asleep(c) && c->settings.capacity.max_shared_bodies == 0) {
    return COST_STEP;
  }
  const uint64_t work = bound_of_step(c, dt, substeps);
  return c->settings.capacity.fixed_work ? work : work - max_self_work(c, &workspace_of(c)->plan);
}

int cloth_group_work_bound(const cloth_group *group, float dt, uint64_t *work) {
  int32_t substeps;
  int error = check_group_step(group, dt, &substeps);
  if (error) {
    return error;
  }
  if (!work) {
    return CLOTH_ERROR_NULL;
  }
  *work = max_group_work(group, gathers_of(group), substeps);
  for (int32_t n = 0; n < group->count; n++) {
    *work += member_work(group->cloths[n], dt, substeps);
  }
  return CLOTH_OK;
}

#endif

#endif
