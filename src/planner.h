#pragma once
#include "access.h"
#include "compiler.h"
#include "config.h"
#include "layout.h"
#include "scalar.h"
#include "types.h"
#include "work.h"

/// Planner ///

/*
 * cloth_plan(): tries every combination of substeps and strain limiting sweeps on a config_model, with its bound of
 * work (work.h) and the stretch to expect (a fit, expected_stretch()), and keeps the best that meets the goal.
 * In: a config, dt and the goal. Out: the planned config and its forecast. Scratch: none; no cloth is needed.
 */

#if WITH_PLANNING && WITH_PROJECTION

/* x^(sixteenths / 16), for sixteenths >= 0: by products and square roots, which are exact to a rounding each. */
static float power_of(float x, int32_t sixteenths) {
  float power = 1.0f;
  float root = x;
  for (int32_t whole = sixteenths / 16; whole > 0; whole--) {
    power *= x;
  }
  for (int32_t part = 8; part > 0; part /= 2) {
    root = square_root(root);
    power *= sixteenths & part ? root : 1.0f;
  }
  return power;
}

/* Cut-off of the fall g h^2 / length in expected_stretch(), far beyond what the fit covers: its powers stay finite. */
#define MAX_FALL 1.0e6f
/* The same for the strain of the fabric by its own weight, and the least stiffness [N/m] that the weight is divided by.
 */
#define MAX_OWN_STRETCH 1.0e3f
#define MIN_STIFFNESS 1.0e-3f

/* The longer side of a sheet, of a pre-shaped piece that of its means [m]. */
static float longer_side(const cloth *c, const cloth_config *config) {
  const float columns = (float)cells_along_warp(c), rows = (float)(c->grid.rows - 1);
  return config->grid.rest_positions ? maximum(columns * c->grid.spacing_warp, rows * c->grid.spacing_weft)
                                     : maximum(vector_length(config->edge_warp), vector_length(config->edge_weft));
}

/*
 * Stretch to expect: the largest strain of a spring of a sheet that swings by two corners, a mean over time. It has a
 * part of the fabric, that of its corners under its weight, and one of the substeps. Of 3636 runs of SCENE_HANG of
 * examples/scenes.c, in their second and third second, with the settings of plan_tiers(), the formulas fit 95 % to a
 * factor of two, and all to a factor of four: sides of 8 to 64 particles, 0.25 to 4 m, stretch of 300 to 1e5 N/m, 1 to
 * 28 substeps, frames of 1/60 and 1/30 s, 0 to 8 sweeps, limits of 0.2 % to 2 %. test_forecasts() measures some again.
 * With x = g h^2 / length, the substep h, and s = weight per area * length / stretch stiffness:
 *
 *     without sweeps  0.91 s side^(11/16) + 0.0149 side^(20/16) x^(10/16)
 *     with sweeps     0.9 limit + 0.046 s + 0.043 side^(46/16) x^(13/16) / sweeps, if that is less
 *
 * Two tiers (without projection) are never planned: with so few substeps that they cost as much as three, a sheet
 * hardly falls.
 */
static float expected_stretch(const cloth *c, const cloth_config *config, float h) {
  const cloth_fabric *fabric = &config->fabric;
  const float gravity = vector_length(config->gravity);
  const float side = (float)(c->grid.columns > c->grid.rows ? c->grid.columns : c->grid.rows);
  const float length = longer_side(c, config);
  const float fall = minimum(h * (h * gravity) / length, MAX_FALL);
  const float stiffness = maximum(minimum(fabric->stretch_warp, fabric->stretch_weft), MIN_STIFFNESS);
  const float own = minimum(fabric->density * gravity * length / stiffness, MAX_OWN_STRETCH);
  float stretch = 0.91f * own * power_of(side, 11) + 0.0149f * power_of(side, 20) * power_of(fall, 10);
  if (c->settings.strain_limit.sweeps > 0) {
    float left = 0.043f * power_of(side, 46) * power_of(fall, 13) / (float)c->settings.strain_limit.sweeps;
    stretch = minimum(stretch, 0.9f * config->strain_limit.max_extension + 0.046f * own + left);
  }
  return stretch;
}

/* What a plan may choose, in the order of increasing work. The first of two plans as good is kept. */
CLOTH_CONSTANT static const uint8_t plan_substeps[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 48, 64};
CLOTH_CONSTANT static const uint8_t plan_sweeps[] = {0, 1, 2, 3, 4, 6, 8, 12, 16};

/* Sets what a plan has in common whatever its substeps and sweeps: three tiers, with everything stiff projected. */
static void plan_tiers(cloth_config *config) {
  config->integration.method = CLOTH_INTEGRATION_ADAPTIVE;
  config->integration.explicit_threshold = 0.0f;
  config->integration.projection_threshold = 0.0f;
  /* Few substeps take more BDF2, which keeps motion alive. Not so tubes: with the values for sheets
     the tube of test_gathered_tube_rests() is not at rest after 1800 steps of 8 substeps without velocity damping. */
  config->integration.bdf2_blend = config->grid.wrap ? 0.5f : 0.8f;
  config->tethers.count = TETHERS;
  config->substeps = 1;
  config->integration.max_substeps = 1;
  config->strain_limit.sweeps = 0;
}

/* Maxima that a plan must keep; 0: no maximum. */
typedef struct plan_goal {
  uint64_t work;
  float stretch;
} plan_goal;

/* Does a forecast meet the goal, with less work than the best so far if a stretch is given, else with less stretch? */
static int is_better_plan(const plan_goal *goal, const cloth_forecast *f, const cloth_forecast *best) {
  if ((goal->work > 0 && f->work > goal->work) || (goal->stretch > 0.0f && f->stretch > goal->stretch)) {
    return 0;
  }
  if (best->work == 0) {
    return 1;
  }
  return goal->stretch > 0.0f ? f->work < best->work : f->stretch < best->stretch;
}

/* A function of its own: its copy of the config leaves the stack before plans are tried. */
CLOTH_SEPARATE void model_from_plan(config_model *model, const cloth_config *config) {
  cloth_config planned = *config;
  plan_tiers(&planned);
  model_from_config(model, &planned);
}

/* The best plan so far. */
typedef struct plan_choice {
  int32_t substeps, sweeps;
  cloth_forecast forecast; /* its work is 0 while nothing has met the goal */
} plan_choice;

/* Tries all combinations of plan_substeps and plan_sweeps. */
CLOTH_SEPARATE void choose_plan(const cloth_config *config, float dt, const plan_goal *goal, plan_choice *best) {
  config_model model;
  scene_summary scene = worst_scene(config);
  cloth *c = &model.c;
  scene.tether_slots = TETHERS;
  model_from_plan(&model, config);
  best->forecast.work = 0;
  for (uint32_t n = 0; n < sizeof plan_substeps; n++) {
    for (uint32_t sweeps = 0; sweeps < (WITH_LIMITS ? sizeof plan_sweeps : 1u); sweeps++) {
      cloth_forecast f;
      c->settings.integration.substeps = plan_substeps[n];
      c->settings.integration.max_substeps = c->settings.integration.substeps;
      c->scratch.displacement = WITH_PROJECTION && plan_substeps[n] > COARSE_SUBSTEPS ? c->scratch.product : 0u;
      c->settings.strain_limit.sweeps = plan_sweeps[sweeps];
      f.work = max_work(&model, &scene, dt) + max_choice_work(c);
      f.stretch = expected_stretch(c, config, dt / (float)c->settings.integration.substeps);
      if (is_better_plan(goal, &f, &best->forecast)) {
        best->forecast = f;
        best->substeps = c->settings.integration.substeps;
        best->sweeps = c->settings.strain_limit.sweeps;
      }
    }
  }
}

/* Largest stretch that may be given as a goal; as good as no goal. */
#define MAX_STRETCH_GOAL 1.0e6f

int cloth_plan(const cloth_config *config, float dt, uint64_t work, float stretch, cloth_config *planned,
               cloth_forecast *forecast) {
  int error = check_config(config);
  if (error) {
    return error;
  }
  if (!planned || !forecast) {
    return CLOTH_ERROR_NULL;
  }
  if (!is_time_step(dt)) {
    return CLOTH_ERROR_RANGE;
  }
  if (!in_range(stretch, 0.0f, MAX_STRETCH_GOAL) || (work == 0 && stretch == 0.0f)) {
    return CLOTH_ERROR_RANGE;
  }
  plan_choice best;
  plan_goal goal;
  goal.work = work;
  goal.stretch = stretch;
  choose_plan(config, dt, &goal, &best);
  if (best.forecast.work == 0) {
    return CLOTH_ERROR_NO_PLAN;
  }
  *planned = *config;
  plan_tiers(planned);
  planned->substeps = best.substeps;
  planned->integration.max_substeps = best.substeps;
  planned->strain_limit.sweeps = best.sweeps;
  *forecast = best.forecast;
  return CLOTH_OK;
}

#endif
