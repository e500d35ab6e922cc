#pragma once
#include "../base/compiler.h"
#include "../base/scalar.h"
#include "../cloth/access.h"
#include "../cloth/config.h"
#include "../cloth/costs.h"
#include "../cloth/gaps.h"
#include "../cloth/init.h"
#include "../cloth/layout.h"
#include "../cloth/types.h"
#include "../contact/body.h"
#include "../terms/bounds.h"
#include "coefficients.h"
#include "momentum.h"
#include "plan.h"
#include "work.h"

/// Bounds of work ///

/* The most work of the next step of a cloth, and of any step of a config, by a model of its cloth. */

#if WITH_PLANNING

/* 1 if a cloth that no shared bodies can be near was linked to others in the step before, by seams or bodies. */
static int was_linked(const cloth *c) {
  return (WITH_SEAMS || WITH_COMMON_BODIES) && (inputs_of(c)->around_hash[0] | inputs_of(c)->around_hash[1]) != 0u;
}

int cloth_get_work_bound(const cloth *c, float dt, uint64_t *work) {
  int error = check_step(c, dt);
  if (error) { return error; }
  if (!work) { return CLOTH_ERROR_NULL; }
  /* By a body of a table, or as it is not linked any more in a step alone. */
  const int may_wake = c->settings.capacity.max_shared_bodies > 0 || was_linked(c);
  if (WITH_SLEEP && is_asleep(c) && !may_wake) {
    *work = COST_STEP + max_choice_work(c);
    return CLOTH_OK;
  }
  const work_scene s = work_scene_of(c, 1);
  *work = most_step_work(c, &s, dt, choose_substeps(c, dt)) + max_choice_work(c);
  return CLOTH_OK;
}

/* A cloth without particles, for a config that has no arena: what the work is computed from follows it. */
typedef struct config_model {
  cloth c;
  cloth_inputs inputs;
  self_settings self;
#if WITH_GAPS
  gap_summary gaps;
#endif
} config_model;

static void model_from_config(config_model *model, const cloth_config *config) {
  cloth *c = &model->c;
  fill_zero(model, sizeof *model);
  compute_layout(c, config);
  measure_grid(c, config);
  copy_settings(c, config);
  measure_maps(c, config);
  c->state.inputs = offsetof(config_model, inputs);
  if (c->self) {
    c->self = offsetof(config_model, self);
    copy_self_settings(&model->self, config);
  }
#if WITH_GAPS
  if (c->gaps) {
    measure_tearing(c, config, &model->gaps);
    c->gaps = offsetof(config_model, gaps);
    measure_mask(c, config, &model->gaps);
    model->gaps.kind |= GAPS_MASKED; /* as if it was torn */
  }
#endif
  set_fabric(c, &config->fabric);
  model->inputs.targets = config->capacity.targets ? TARGETS_MOVING : TARGETS_NONE;
  model->inputs.tethers_chosen = TETHERS_STALE;
}

/* The scene of the most work that a cloth of this config can be in. */
static work_scene worst_scene(const cloth_config *config, const cloth *c) {
  const int32_t most = reacting(config), shared = config->capacity.max_shared_bodies;
  const int32_t meshes = config->capacity.meshes + shared, has_fields = config->capacity.geometry || shared > 0;
  const int32_t surfaces = config->capacity.geometry || meshes > most ? most : meshes;
  const int32_t hulls = config->capacity.geometry ? MOST_HULL_SEARCHES : 1;
  const int64_t searches = most_searches(c, most, surfaces, has_fields);
  const int64_t of_hulls = most_searches(c, hulls * most, 0, has_fields);
  const work_scene s = {.pins = c->count,
                        .confined = config->capacity.max_confined,
                        .free_pieces = c->scratch.labels ? MOST_FREE_PIECES : 1,
                        .in_pieces = c->scratch.labels != 0,
                        .has_targets = config->capacity.targets,
                        .searched = searches > of_hulls ? searches : of_hulls,
                        .touches = most > 0 ? (int32_t)c->state.max_touches : 0,
                        .cells = most > 0 ? (int32_t)c->state.max_cells : 0,
                        .cell_searches = most_cell_searches(c, most > 0 ? (int32_t)c->state.max_cells : 0, hulls,
                                                            config->capacity.max_bodies),
                        .predictions = (int64_t)c->count * most_predictions(c),
                        .parts = most_parts(c),
                        .bodies = config->capacity.max_bodies,
                        .attachments = config->capacity.max_attachments};
  return s;
}

/* Most work of a step of dt seconds in exactly so many substeps. */
static uint64_t most_model_work(config_model *model, const work_scene *s, float dt, int32_t substeps) {
  return most_step_work(&model->c, s, dt, substeps) + max_choice_work(&model->c);
}

/* The least and the largest number of substeps that a cloth may choose for a step of dt seconds. */
static int32_t least_substeps(const cloth *c, float dt) {
  const int32_t wanted = c->settings.integration.substeps, cap = c->settings.integration.max_substeps;
  const float least = maximum(dt / LONGEST_SUBSTEP - EQUAL_SHARE, (float)(wanted > 0 ? wanted : 1));
  return ceiling_within(least, wanted > cap ? wanted : cap);
}

static int32_t largest_substeps(const cloth *c, float dt) {
  return c->settings.integration.substeps > 0 ? least_substeps(c, dt) : c->settings.integration.max_substeps;
}

int cloth_config_work_bound(const cloth_config *config, float dt, uint64_t *work) {
  int error = check_config(config);
  if (error) { return error; }
  if (!work) { return CLOTH_ERROR_NULL; }
  if (!is_time_step(dt)) { return CLOTH_ERROR_RANGE; }
  config_model model;
  model_from_config(&model, config);
  const work_scene s = worst_scene(config, &model.c);
  uint64_t most = 0;
  for (int32_t n = least_substeps(&model.c, dt); n <= largest_substeps(&model.c, dt); n++) {
    most = larger_work(most, most_model_work(&model, &s, dt, n));
  }
  *work = most;
  return CLOTH_OK;
}

#endif
