#pragma once
#include "compiler.h"
#include "fabric.h"
#include "placement.h"
#include "scalar.h"
#include "types.h"

/// Configuration ///

cloth_config cloth_config_default(void) {
  cloth_config config;
  fill_zero(&config, sizeof config);
  config.cookie = CLOTH_COOKIE;
  config.columns = 32;
  config.rows = 32;
  config.edge_warp = vector(1.0f, 0.0f, 0.0f);
  config.edge_weft = vector(0.0f, 0.0f, 1.0f);
  config.fabric = fabric_default();
  config.velocity_damping = 0.1f;
  config.gravity = vector(0.0f, -9.81f, 0.0f);
  config.air_density = 1.2f;
  config.integration = WITH_SOLVER || WITH_PROJECTION ? CLOTH_INTEGRATION_ADAPTIVE : CLOTH_INTEGRATION_EXPLICIT_ONLY;
  config.bend_integration = CLOTH_BEND_ADAPTIVE;
  config.fold_stiffness = 200.0f;
  config.explicit_threshold = 0.2f;
  config.projection_threshold = WITH_PROJECTION ? 0.2f : CLOTH_KAPPA_NEVER;
  config.extrapolation = WITH_PROJECTION ? 0.5f : 0.0f;
  config.tethers = WITH_PROJECTION ? TETHERS : 0;
  config.fine_sweeps = 3;
  config.tether_scale = 1.0015f;
  /* What can only be explicit needs as many substeps as it is stiff. */
  config.substeps = WITH_SOLVER || WITH_PROJECTION ? 28 : 0;
  config.max_substeps = WITH_SOLVER || WITH_PROJECTION ? 28 : 256;
  config.max_speed = 300.0f;
  config.preconditioner = CLOTH_PRECONDITIONER_BLOCK;
  config.max_iterations = 4;
  config.tolerance = 1.0e-3f;
  config.limit_extension = 0.006f;
  config.limit_compression = 1.0f;
  config.contact_mode = CLOTH_CONTACT_PROJECTION;
  config.thickness = 0.01f;
  config.max_colliders = WITH_COLLIDERS ? 16 : 0;
  config.max_confined = WITH_CONFINED ? 8 : 0;
  config.sleep_time = 0.5f;
  return config;
}

#define CONFIG(field) (uint16_t) offsetof(cloth_config, field)
CLOTH_CONSTANT static const integer_limit config_integers[] = {
    {CONFIG(columns), CLOTH_ERROR_GRID, 2, CLOTH_GRID_LIMIT},
    {CONFIG(rows), CLOTH_ERROR_GRID, 2, CLOTH_GRID_LIMIT},
    {CONFIG(wrap), CLOTH_ERROR_GRID, 0, 1},
    {CONFIG(substeps), CLOTH_ERROR_SUBSTEPS, 0, CLOTH_SUBSTEP_LIMIT},
    {CONFIG(max_substeps), CLOTH_ERROR_SUBSTEPS, 1, CLOTH_SUBSTEP_LIMIT},
    {CONFIG(warm_start), CLOTH_ERROR_SOLVER, 0, 1},
    {CONFIG(max_iterations), CLOTH_ERROR_ITERATIONS, 1, CLOTH_ITERATION_LIMIT},
    {CONFIG(limit_sweeps), CLOTH_ERROR_STRAIN_LIMIT, 0, CLOTH_SWEEP_LIMIT},
    {CONFIG(max_colliders), CLOTH_ERROR_CAPACITY, 0, CLOTH_COLLIDER_LIMIT},
    {CONFIG(max_confined), CLOTH_ERROR_CAPACITY, 0, 65535},
    {CONFIG(spans), CLOTH_ERROR_PROJECTION, 0, CLOTH_SPAN_LIMIT},
    {CONFIG(fine_sweeps), CLOTH_ERROR_PROJECTION, 0, CLOTH_SWEEP_LIMIT},
    {CONFIG(tethers), CLOTH_ERROR_PROJECTION, 0, TETHERS},
    {CONFIG(fixed_work), CLOTH_ERROR_WORK, 0, 1},
    {CONFIG(targets), CLOTH_ERROR_TARGETS, 0, 1},
    {CONFIG(shared_scratch), CLOTH_ERROR_SCRATCH, 0, 1},
};

CLOTH_CONSTANT static const float_limit config_floats[] = {
    {CONFIG(velocity_damping), CLOTH_ERROR_DAMPING, 0.0f, 100.0f},
    {CONFIG(air_density), CLOTH_ERROR_AIR, 0.0f, 100.0f},
    {CONFIG(drag), CLOTH_ERROR_AIR, 0.0f, 100.0f},
    {CONFIG(lift), CLOTH_ERROR_AIR, 0.0f, 100.0f},
    {CONFIG(normal_drag), CLOTH_ERROR_AIR, 0.0f, 100.0f},
    {CONFIG(fold_stiffness), CLOTH_ERROR_STIFFNESS, 0.0f, 1.0e6f},
    {CONFIG(explicit_threshold), CLOTH_ERROR_INTEGRATION, 0.0f, 0.5f},
    {CONFIG(projection_threshold), CLOTH_ERROR_INTEGRATION, 0.0f, CLOTH_KAPPA_NEVER},
    {CONFIG(extrapolation), CLOTH_ERROR_PROJECTION, 0.0f, 1.0f},
    {CONFIG(tether_scale), CLOTH_ERROR_PROJECTION, 0.5f, 10.0f},
    {CONFIG(max_speed), CLOTH_ERROR_MAX_SPEED, 0.1f, 1.0e4f},
    {CONFIG(tolerance), CLOTH_ERROR_TOLERANCE, 1.0e-4f, 0.5f},
    {CONFIG(limit_extension), CLOTH_ERROR_STRAIN_LIMIT, 0.0f, 10.0f},
    {CONFIG(limit_compression), CLOTH_ERROR_STRAIN_LIMIT, 0.0f, 1.0f},
    {CONFIG(thickness), CLOTH_ERROR_CONTACT, 0.0f, 1.0f},
    {CONFIG(sleep_speed), CLOTH_ERROR_SLEEP, 0.0f, 10.0f},
    {CONFIG(sleep_time), CLOTH_ERROR_SLEEP, 0.0f, 60.0f},
};
#undef CONFIG

static int check_map(const float *map, int32_t count, float low, float high) {
  for (int32_t i = 0; map && i < count; i++) {
    if (!in_range(map[i], low, high)) {
      return CLOTH_ERROR_MAP;
    }
  }
  return CLOTH_OK;
}

/* With fewer columns two bend springs would join the same two particles. */
#define LEAST_COLUMNS_WRAPPED 5

/* Are the choices among those there are? */
static int check_choices(const cloth_config *config) {
  if ((unsigned)config->integration > CLOTH_INTEGRATION_EXPLICIT_ONLY ||
      (unsigned)config->bend_integration > CLOTH_BEND_EXPLICIT) {
    return CLOTH_ERROR_INTEGRATION;
  }
  if ((unsigned)config->preconditioner > CLOTH_PRECONDITIONER_AUTOMATIC) {
    return CLOTH_ERROR_SOLVER;
  }
  if ((unsigned)config->contact_mode > CLOTH_CONTACT_SOLVER) {
    return CLOTH_ERROR_CONTACT;
  }
  if (is_tube(config) && config->columns < LEAST_COLUMNS_WRAPPED) {
    return CLOTH_ERROR_GRID;
  }
  if (config->fixed_work && (config->sleep_speed > 0.0f || config->contact_mode == CLOTH_CONTACT_SOLVER)) {
    return CLOTH_ERROR_WORK;
  }
  return config->spans & (config->spans - 1) ? CLOTH_ERROR_PROJECTION : CLOTH_OK;
}

/* Can anything of a cloth with this config ever be implicit? */
static int needs_solver(const cloth_config *config) {
  float above = flush_small(config->projection_threshold, WORK_QUANTUM);
  return config->integration != CLOTH_INTEGRATION_EXPLICIT_ONLY &&
         (config->integration != CLOTH_INTEGRATION_ADAPTIVE ||
          above > flush_small(config->explicit_threshold, WORK_QUANTUM) ||
          config->contact_mode == CLOTH_CONTACT_SOLVER);
}

/* Does it keep earlier velocities? */
static int needs_history(const cloth_config *config) {
  return flush_small(config->extrapolation, WORK_QUANTUM) > 0.0f;
}

/* Does the config ask for what this build does without? */
static int check_left_out(const cloth_config *config) {
  if ((!WITH_SOLVER && needs_solver(config)) ||
      (!WITH_MULTILEVEL && config->preconditioner >= CLOTH_PRECONDITIONER_MULTILEVEL) ||
      (!WITH_PROJECTION &&
       (config->projection_threshold < CLOTH_KAPPA_NEVER || needs_history(config) || config->tethers > 0)) ||
      (!WITH_CONTACT_SOLVER && config->contact_mode == CLOTH_CONTACT_SOLVER) ||
      (!WITH_COLLIDERS && config->max_colliders > 0) || (!WITH_CONFINED && config->max_confined > 0) ||
      (!WITH_LIMITS && config->limit_sweeps > 0) || (!WITH_SLEEP && config->sleep_speed > 0.0f) ||
      (!WITH_TARGETS && config->targets) || (!WITH_WRAP && config->wrap) ||
      (!WITH_AIR && (config->drag > 0.0f || config->lift > 0.0f || config->normal_drag > 0.0f))) {
    return CLOTH_ERROR_LEFT_OUT;
  }
  return CLOTH_OK;
}

static int check_config(const cloth_config *config) {
  if (!config) {
    return CLOTH_ERROR_NULL;
  }
  if (config->cookie != CLOTH_COOKIE) {
    return CLOTH_ERROR_CONFIG;
  }
  int error = check_integers(config, config_integers, sizeof config_integers);
  error = error ? error : check_floats(config, config_floats, sizeof config_floats);
  error = error ? error : check_choices(config);
  error = error ? error : check_left_out(config);
  error = error ? error : check_fabric(&config->fabric);
  error = error ? error : check_placement(config);
  if (error) {
    return error;
  }
  if (!vector_in_range(config->gravity, 1.0e4f)) {
    return CLOTH_ERROR_GRAVITY;
  }
  if (!vector_in_range(config->wind, 1.0e3f)) {
    return CLOTH_ERROR_WIND;
  }
  error = check_map(config->mass_map, config->columns * config->rows, 0.01f, 100.0f);
  return error ? error : check_map(config->stiffness_map, config->columns * config->rows, 0.0f, 100.0f);
}
