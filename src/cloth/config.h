#pragma once
#include "../base/compiler.h"
#include "../base/scalar.h"
#include "fabric.h"
#include "placement.h"
#include "rest_shape.h"
#include "settings.h"
#include "types.h"

/// Configuration ///

/* The default config, its check, which returns the number of its first fault (settings.h), and what a config needs. */

cloth_config cloth_config_default(void) {
  cloth_config config;
  fill_zero(&config, sizeof config);
  config.cookie = CLOTH_COOKIE;
  config.columns = 32;
  config.rows = 32;
  config.edge_warp = vector(1.0f, 0.0f, 0.0f);
  config.edge_weft = vector(0.0f, 0.0f, 1.0f);
  config.fabric = fabric_default();
  config.gravity = vector(0.0f, -9.81f, 0.0f);
  /* A cloth that can only be explicit needs as many substeps as its stiffness demands. */
  config.substeps = WITH_SOLVER ? 2 : CLOTH_AUTOMATIC;
  config.iterations = CLOTH_AUTOMATIC;
  config.thickness = 0.01f;
  config.self_friction = 0.3f;
  config.max_colliders = WITH_COLLIDERS ? 16 : 0;
  config.grid.imperfection = 1.0e-4f;
  config.air.density = 1.2f;
  config.air.normal_drag = WITH_AIR ? 1.2f : 0.0f;
  config.integration.method = WITH_SOLVER ? CLOTH_INTEGRATION_ADAPTIVE : CLOTH_INTEGRATION_EXPLICIT_ONLY;
  config.integration.explicit_threshold = 1.0f;
  config.integration.max_substeps = WITH_SOLVER ? 64 : 256;
  config.integration.max_speed = 300.0f;
  config.integration.velocity_damping = 0.1f;
  config.integration.rest_drag = 0.05f;
  config.integration.rest_speed = 0.5f;
  config.integration.max_push_speed = 3.0f;
  config.integration.max_parts = 4;
  config.grid.min_bending_length = 1.0f;
  config.tethers.scale = 1.0015f;
  config.solver.preconditioner = WITH_MULTILEVEL ? CLOTH_PRECONDITIONER_MULTILEVEL : CLOTH_PRECONDITIONER_BLOCK;
  config.solver.max_iterations = 80;
  config.strain_limit.stiffness = 50.0f;
  config.tearing.max_torn_cells = 256;
  config.self.pairs = 24;
  config.self.gathers = 1;
  config.self.untangle = 1;
  config.sleep.time = 0.5f;
  config.capacity.max_confined = WITH_CONFINED ? 8 : 0;
  return config;
}

#if WITH_SOLVER

/* The bound of stretch, 4 kappa, up to which terms are explicit; the thesis takes 0.2 of kappa in practice. */
#define IMEX_THRESHOLD (4.0f * 0.2f)
/* Cap on iterations: a solve to the residual of the thesis takes fewer. */
#define IMEX_ITERATIONS 32
#define IMEX_SUBSTEPS 16

int cloth_config_use_imex(cloth_config *config) {
  if (!config) { return CLOTH_ERROR_NULL; }
  if (config->cookie != CLOTH_COOKIE) { return CLOTH_ERROR_CONFIG; }
  config->integration.method = CLOTH_INTEGRATION_ADAPTIVE;
  config->integration.explicit_threshold = IMEX_THRESHOLD;
  config->integration.bdf2_blend = 0.0f; /* a solve starts from the velocity as it is */
  config->substeps = IMEX_SUBSTEPS;
  config->tethers.count = 0;
  config->strain_limit.max_extension = 0.0f;
  config->solver.preconditioner = WITH_MULTILEVEL ? CLOTH_PRECONDITIONER_MULTILEVEL : CLOTH_PRECONDITIONER_BLOCK;
  config->solver.max_iterations = IMEX_ITERATIONS;
  config->solver.tolerance = 1.0e-3f;
  return CLOTH_OK;
}

#endif

/* May threads break? */
static int needs_tearing(const cloth_config *config) {
  return WITH_TEARING && config->tearing.max_breaks > 0;
}

/* Does the cloth fall asleep? Then the state has memory for it. */
static int needs_sleep(const cloth_config *config) {
  return flush_small(config->sleep.speed, STATE_QUANTUM) > 0.0f;
}

/* Are all factors of a map in range? Without a map there is nothing to check. */
static int is_map(const float *map, int32_t count, float low, float high) {
  for (int32_t i = 0; map && i < count; i++) {
    if (!in_range(map[i], low, high)) { return 0; }
  }
  return 1;
}

/* With fewer columns around a tube two bend springs would join the same two particles. */
#define MIN_TUBE_COLUMNS 5

/* Settings that are in range each and exclude each other. */
static int find_conflict(const cloth_config *config) {
  if (config->integration.max_parts == 3) { return CONFIG_FAULT(PARTS); }
  if (is_tube(config) && config->columns < MIN_TUBE_COLUMNS) { return CONFIG_FAULT(TUBE_COLUMNS); }
  if (config->capacity.fixed_work && needs_sleep(config)) { return CONFIG_FAULT(WORK_SLEEP); }
  if (config->capacity.fixed_work && needs_tearing(config)) { return CONFIG_FAULT(WORK_TEARING); }
  if (config->capacity.fixed_work &&
      (config->capacity.geometry || config->capacity.meshes > 0 || config->capacity.max_shared_bodies > 0)) {
    return CONFIG_FAULT(WORK_GEOMETRY);
  }
  return 0;
}

/* May some term be part of the operator? Then the arena has memory for a solver. */
static int needs_solver(const cloth_config *config) {
  return config->integration.method != CLOTH_INTEGRATION_EXPLICIT_ONLY;
}

/* Does the prediction use earlier velocities, or the operator, by how springs turn? Then the state has them. */
static int needs_history(const cloth_config *config) {
  return needs_solver(config) || flush_small(config->integration.bdf2_blend, WORK_QUANTUM) > 0.0f;
}

/* Is there air? Then scratch has memory for its blocks. */
static int needs_air(const cloth_config *config) {
  return flush_small(config->air.density, WORK_QUANTUM) > 0.0f;
}

/* Do pins tear off? */
static int needs_pin_forces(const cloth_config *config) {
  return needs_tearing(config) && flush_small(config->tearing.pin_force, WORK_QUANTUM) > 0.0f;
}

/* Is the sheet to feel itself? */
static int needs_self(const cloth_config *config) {
  return flush_small(config->self_thickness, STATE_QUANTUM) > 0.0f;
}

/* The first fault of a config that asks for geometry or shared bodies which this build leaves out, or 0. */
static int find_left_out_geometry(const cloth_config *config) {
  if (!(WITH_HULL || WITH_HEIGHT_FIELD || WITH_DISTANCE_GRID) && config->capacity.geometry) {
    return CONFIG_FAULT(NO_GEOMETRY);
  }
  if (!WITH_MESH && config->capacity.meshes > 0) { return CONFIG_FAULT(NO_MESH); }
  if (!WITH_WORKERS && config->capacity.workers > 0) { return CONFIG_FAULT(NO_WORKERS); }
  return !WITH_SHARED_BODIES && config->capacity.max_shared_bodies > 0 ? CONFIG_FAULT(NO_SHARED_BODIES) : 0;
}

/* The same of what cloth touches. */
static int find_left_out_contact(const cloth_config *config) {
  if (!WITH_COLLIDERS && config->max_colliders > 0) { return CONFIG_FAULT(NO_COLLIDERS); }
  if (!WITH_BODIES &&
      config->capacity.max_bodies + config->capacity.max_attachments + config->capacity.pin_reactions > 0) {
    return CONFIG_FAULT(NO_BODIES);
  }
  if (!WITH_SELF && needs_self(config)) { return CONFIG_FAULT(NO_SELF); }
  if (!WITH_SELF_TRIANGLES && needs_self(config) && config->self.shape == CLOTH_SELF_TRIANGLES) {
    return CONFIG_FAULT(NO_TRIANGLES);
  }
  if (!WITH_SELF_SPHERES && needs_self(config) && config->self.shape == CLOTH_SELF_SPHERES) {
    return CONFIG_FAULT(NO_SPHERES);
  }
  if (!WITH_GROUPS && needs_self(config) && config->self.gathers == 0) { return CONFIG_FAULT(NO_GROUPS); }
  if (!WITH_CONTACT_RECORD && config->capacity.max_contacts != 0) { return CONFIG_FAULT(NO_QUERIES); }
  return find_left_out_geometry(config);
}

/* The same of the grid. */
static int find_left_out_grid(const cloth_config *config) {
  if (!WITH_WRAP && config->grid.wrap) { return CONFIG_FAULT(NO_WRAP); }
  if (!WITH_MASK && config->grid.cell_mask) { return CONFIG_FAULT(NO_MASK); }
  return !WITH_REST_SHAPE && config->grid.rest_positions ? CONFIG_FAULT(NO_REST_SHAPE) : 0;
}

/* Settings that need what this build leaves out. */
static int find_left_out(const cloth_config *config) {
  if (!WITH_SOLVER && needs_solver(config)) { return CONFIG_FAULT(NO_SOLVER); }
  if (!WITH_MULTILEVEL && config->solver.preconditioner == CLOTH_PRECONDITIONER_MULTILEVEL) {
    return CONFIG_FAULT(NO_MULTILEVEL);
  }
  if (!WITH_TETHERS && config->tethers.count > 0) { return CONFIG_FAULT(NO_TETHERS); }
  if (find_left_out_contact(config)) { return find_left_out_contact(config); }
  if (!WITH_CONFINED && config->capacity.max_confined > 0) { return CONFIG_FAULT(NO_CONFINED); }
  if (!WITH_SLEEP && needs_sleep(config)) { return CONFIG_FAULT(NO_SLEEP); }
  if (!WITH_TARGETS && config->capacity.targets) { return CONFIG_FAULT(NO_TARGETS); }
  if (!WITH_ORIGIN && (config->world.origin.x || config->world.origin.y || config->world.origin.z ||
                       config->world.recentre_distance > 0.0f)) {
    return CONFIG_FAULT(NO_ORIGIN);
  }
  if (find_left_out_grid(config)) { return find_left_out_grid(config); }
  if (!WITH_TEARING && config->tearing.max_breaks > 0) { return CONFIG_FAULT(NO_TEARING); }
  if (!WITH_BODIES && needs_pin_forces(config)) { return CONFIG_FAULT(NO_BODIES); }
  if (!WITH_AIR && (config->air.drag > 0.0f || config->air.lift > 0.0f || config->air.normal_drag > 0.0f)) {
    return CONFIG_FAULT(NO_AIR);
  }
  return 0;
}

/* Numbers outside their ranges. */
static int find_outside(const cloth_config *config) {
  int outside = find_integer_outside(config, config_integers, CONFIG_INTEGER_COUNT);
  if (outside) { return outside; }
  outside = find_float_outside(config, config_floats, CONFIG_FLOAT_COUNT);
  return outside ? CONFIG_INTEGER_COUNT + outside : 0;
}

static int find_vector_fault(const cloth_config *config) {
  if (!vector_in_range(config->gravity, GRAVITY_LIMIT)) { return CONFIG_FAULT(GRAVITY); }
  return vector_in_range(config->wind, WIND_LIMIT) ? 0 : CONFIG_FAULT(WIND);
}

static int find_map_fault(const cloth_config *config) {
  const int32_t count = config->columns * config->rows;
  if (!is_map(config->grid.mass_map, count, 0.01f, MAX_MAP_FACTOR)) { return CONFIG_FAULT(MASS_MAP); }
  if (needs_tearing(config) && !is_map(config->tearing.map, count, 0.01f, MAX_MAP_FACTOR)) {
    return CONFIG_FAULT(TEAR_MAP);
  }
  return is_map(config->grid.stiffness_map, count, 0.0f, MAX_MAP_FACTOR) ? 0 : CONFIG_FAULT(STIFFNESS_MAP);
}

#if WITH_MASK

/* Are the bytes of a mask 0 or 1, and not all 0? */
static int find_mask_fault(const cloth_config *config) {
  const uint8_t *mask = config->grid.cell_mask;
  const int32_t cells = (config->columns - !is_tube(config)) * (config->rows - 1);
  uint32_t some = 0;
  for (int32_t i = 0; mask && i < cells; i++) {
    some |= mask[i];
  }
  return mask && some != 1 ? CONFIG_FAULT(CELL_MASK) : 0;
}

#endif

/* Largest distance of the sheet to itself over the shorter spacing, half of that of spheres, and a rounding. */
#define SELF_MAX_THICKNESS 0.500005f

/* The shortest rest length along warp and weft [m]. */
static float shortest_spacing(const cloth_config *config) {
#if WITH_REST_SHAPE
  if (config->grid.rest_positions) { return shortest_rest_spring(config); }
#endif
  return minimum(vector_length(config->edge_warp) / (float)(config->columns - !is_tube(config)),
                 vector_length(config->edge_weft) / (float)(config->rows - 1));
}

/* Is the distance of the sheet to itself one that its grid can keep? */
static int find_self_fault(const cloth_config *config) {
  if (!needs_self(config)) { return 0; }
  if (config->columns * config->rows > SELF_PARTICLE_LIMIT) { return CONFIG_FAULT(SELF_SIZE); }
  const float most = (config->self.shape == CLOTH_SELF_SPHERES ? 2.0f : 1.0f) * SELF_MAX_THICKNESS;
  return config->self_thickness <= most * shortest_spacing(config) ? 0 : CONFIG_FAULT(SELF_THICKNESS);
}

/* The first fault of a config, 0 for none. Later checks rely on what earlier ones have found in range. */
static int find_config_fault(const cloth_config *config) {
  if (!config) { return CONFIG_FAULT(POINTER); }
  if (config->cookie != CLOTH_COOKIE) { return CONFIG_FAULT(COOKIE); }
  int fault = find_outside(config);
  fault = fault ? fault : find_conflict(config);
  fault = fault ? fault : find_left_out(config);
  int fabric_fault = fault ? 0 : find_fabric_fault(&config->fabric);
  fault = fabric_fault ? CONFIG_FABRIC + fabric_fault : fault;
  fault = fault ? fault : find_placement_fault(config);
#if WITH_MASK
  fault = fault ? fault : find_mask_fault(config);
#endif
#if WITH_REST_SHAPE
  fault = fault ? fault : find_rest_fault(config);
#endif
  fault = fault ? fault : find_self_fault(config);
  fault = fault ? fault : find_vector_fault(config);
  return fault ? fault : find_map_fault(config);
}

static int check_config(const cloth_config *config) {
  return config_error(find_config_fault(config));
}
