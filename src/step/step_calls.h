#pragma once
#include "../base/compiler.h"
#include "../cloth/access.h"
#include "../cloth/types.h"
#include "../contact/surroundings.h"
#include "plan.h"
#include "step.h"

/// Calls that step ///

/* A step, with or without surroundings, a deadline, or the effort of another step: checks arguments first. */

static int check_step_with(const cloth *c, float dt, const cloth_surroundings *around) {
  int error = check_step(c, dt);
#if WITH_COLLIDERS
  error = error ? error : check_surroundings(c, around);
#else
  (void)around;
#endif
  return error;
}

int cloth_step_with(cloth *c, float dt, const cloth_surroundings *around) {
  int error = check_step_with(c, dt, around);
  if (error) { return error; }
  allow_refinements(c);
  return step_with(c, dt, around);
}

int cloth_step(cloth *c, float dt) {
  return cloth_step_with(c, dt, NULL);
}

#if WITH_PLANNING

/* A step that ends to refine `ticks` after `start`, UINT32_MAX: never; and how far it was refined. */
static void set_deadline(const cloth *c, uint32_t start, uint32_t ticks) {
  workspace *w = workspace_of(c);
  allow_refinements(c);
  w->has_deadline = ticks != UINT32_MAX;
  w->start = start;
  w->ticks = ticks;
}

static cloth_effort effort_of(const cloth *c) {
  const cloth_effort effort = {workspace_of(c)->refinements, workspace_of(c)->is_cut};
  return effort;
}

/* A step that is refined as far as another one was. */
static int check_effort(const cloth_effort *effort) {
  return effort->refinements < 0 || (uint32_t)effort->cut_short > 1u ? CLOTH_ERROR_RANGE : CLOTH_OK;
}

static void set_effort(const cloth *c, const cloth_effort *effort) {
  workspace *w = workspace_of(c);
  allow_refinements(c);
  w->is_cut = effort->cut_short;
  w->max_refinements = effort->refinements;
}

int cloth_step_until_with(cloth *c, float dt, const cloth_surroundings *around, uint32_t ticks, cloth_effort *effort) {
  uint32_t start = CLOTH_TICKS();
  int error = check_step_with(c, dt, around);
  if (error) { return error; }
  if (!effort) { return CLOTH_ERROR_NULL; }
  if (c->settings.capacity.fixed_work) { return CLOTH_ERROR_STATE; }
  set_deadline(c, start, ticks);
  const int result = step_with(c, dt, around);
  *effort = effort_of(c);
  return result;
}

int cloth_step_until(cloth *c, float dt, uint32_t ticks, cloth_effort *effort) {
  return cloth_step_until_with(c, dt, NULL, ticks, effort);
}

int cloth_step_again_with(cloth *c, float dt, const cloth_surroundings *around, const cloth_effort *effort) {
  int error = check_step_with(c, dt, around);
  if (error) { return error; }
  if (!effort) { return CLOTH_ERROR_NULL; }
  if (c->settings.capacity.fixed_work) { return CLOTH_ERROR_STATE; }
  error = check_effort(effort);
  if (error) { return error; }
  set_effort(c, effort);
  return step_with(c, dt, around);
}

int cloth_step_again(cloth *c, float dt, const cloth_effort *effort) {
  return cloth_step_again_with(c, dt, NULL, effort);
}

#endif
