#pragma once
#include "../base/compiler.h"
#include "../base/scalar.h"
#include "../cloth/access.h"
#include "../cloth/config.h"
#include "../cloth/types.h"
#include "coefficients.h"
#include "forecast.h"
#include "plan.h"
#include "work.h"

/// Planner ///

/* cloth_plan() chooses substeps and iterations: from many substeps with automatic iterations down to two; two with
   fewer iterations; one. It takes the best within the work that is given, or the cheapest that stretches no more than
   is given, by their bounds (forecast.h) and the stretch to expect. */

#if WITH_PLANNING

/* Cut-off of the strain by the fabric's own weight, and the least stiffness [N/m] that that is divided by. */
#define MAX_OWN_STRETCH 1.0e3f
#define MIN_STIFFNESS 1.0e-3f

/* The longer side of a sheet, of a pre-shaped piece that of its means [m]. */
static float longer_side(const cloth *c, const cloth_config *config) {
  const float columns = (float)cells_along_warp(c), rows = (float)(c->grid.rows - 1);
  return config->grid.rest_positions ? maximum(columns * c->grid.spacing_warp, rows * c->grid.spacing_weft)
                                     : maximum(vector_length(config->edge_warp), vector_length(config->edge_weft));
}

/*
 * Stretch to expect: the largest strain of a spring of a sheet that swings by two corners, a mean over time. Its corner
 * springs carry its weight, along the sides and across, so with the particles of the longer side it is
 *
 *     0.65 weight per area * length * particles / (stretch + shear stiffness)
 *
 * whatever the substeps, times the root of automatic iterations over those of the plan; to a factor of two. A strain
 * limit makes springs stiffer from there on.
 */
static float expected_stretch(const cloth *c, const cloth_config *config, int32_t automatic, int32_t iterations) {
  const cloth_fabric *fabric = &config->fabric;
  const float gravity = vector_length(config->gravity);
  const float side = (float)(c->grid.columns > c->grid.rows ? c->grid.columns : c->grid.rows);
  const float stretch = minimum(fabric->stretch_warp, fabric->stretch_weft);
  const float stiffness = maximum(stretch + fabric->shear, MIN_STIFFNESS);
  const float own = minimum(fabric->density * gravity * longer_side(c, config) / stiffness, MAX_OWN_STRETCH);
  const float unsolved = square_root(maximum((float)automatic / (float)iterations, 1.0f));
  const float expected = 0.65f * own * side * unsolved;
  const float limit = config->strain_limit.max_extension, over = maximum(expected - limit, 0.0f);
  return limit > 0.0f ? minimum(expected, limit) + over / config->strain_limit.stiffness : expected;
}

/* A plan: substeps, and iterations or CLOTH_AUTOMATIC. */
typedef struct plan_choice {
  uint8_t substeps, iterations;
} plan_choice;

/* From best to cheapest. */
CLOTH_CONSTANT static const plan_choice plan_choices[] = {{32, CLOTH_AUTOMATIC},
                                                          {24, CLOTH_AUTOMATIC},
                                                          {16, CLOTH_AUTOMATIC},
                                                          {12, CLOTH_AUTOMATIC},
                                                          {8, CLOTH_AUTOMATIC},
                                                          {6, CLOTH_AUTOMATIC},
                                                          {4, CLOTH_AUTOMATIC},
                                                          {3, CLOTH_AUTOMATIC},
                                                          {2, CLOTH_AUTOMATIC},
                                                          {2, 5},
                                                          {2, 4},
                                                          {2, 3},
                                                          {1, CLOTH_AUTOMATIC},
                                                          {1, 5},
                                                          {1, 4},
                                                          {1, 3}};

/* Maxima that a plan must keep; 0: no maximum. */
typedef struct plan_goal {
  uint64_t work;
  float stretch;
} plan_goal;

/* Forecasts a plan. Returns 0 if a step of dt seconds cannot be made so. */
static int forecast_plan(config_model *model, const cloth_config *config, float dt, const plan_choice *choice,
                         cloth_forecast *forecast) {
  cloth *c = &model->c;
  const work_scene scene = worst_scene(config, c);
  substep_terms t;
  c->settings.integration.substeps = choice->substeps;
  c->settings.integration.iterations = choice->iterations;
  c->settings.solver.tolerance = 0.0f;
  const int32_t substeps = least_substeps(c, dt);
  if (is_refused(c, dt)) { return 0; }
  set_terms(c, dt / (float)substeps, substeps, &t);
  forecast->work = most_model_work(model, &scene, dt, substeps);
  c->settings.integration.iterations = CLOTH_AUTOMATIC;
  forecast->stretch = expected_stretch(c, config, iterations_for(c, &t, substeps), t.iterations);
  return 1;
}

/* The number of the best plan within the work or, with a stretch, of the cheapest that keeps it; or -1. */
static int32_t choose_plan(const cloth_config *config, float dt, const plan_goal *goal, cloth_forecast *best) {
  config_model model;
  int32_t chosen = -1;
  model_from_config(&model, config);
  for (int32_t n = 0; n < (int32_t)(sizeof plan_choices / sizeof *plan_choices); n++) {
    cloth_forecast f;
    if (!forecast_plan(&model, config, dt, &plan_choices[n], &f) || (goal->work > 0 && f.work > goal->work) ||
        (goal->stretch > 0.0f && f.stretch > goal->stretch)) {
      continue;
    }
    if (chosen < 0 || (goal->stretch > 0.0f && f.work < best->work)) {
      *best = f;
      chosen = n;
    }
  }
  return chosen;
}

/* Largest stretch that may be given as a goal; as good as no goal. */
#define MAX_STRETCH_GOAL 1.0e6f

int cloth_plan(const cloth_config *config, float dt, uint64_t work, float stretch, cloth_config *planned,
               cloth_forecast *forecast) {
  int error = check_config(config);
  if (error) { return error; }
  if (!planned || !forecast) { return CLOTH_ERROR_NULL; }
  if (!is_time_step(dt) || !in_range(stretch, 0.0f, MAX_STRETCH_GOAL) || (work == 0 && stretch == 0.0f)) {
    return CLOTH_ERROR_RANGE;
  }
  const plan_goal goal = {work, stretch};
  cloth_forecast best;
  const int32_t chosen = choose_plan(config, dt, &goal, &best);
  if (chosen < 0) { return CLOTH_ERROR_NO_PLAN; }
  *planned = *config;
  planned->substeps = plan_choices[chosen].substeps;
  planned->iterations = plan_choices[chosen].iterations;
  planned->solver.tolerance = 0.0f;
  *forecast = best;
  return CLOTH_OK;
}

#endif
