#pragma once
#include "rest_shape.h"

/// Fabrics ///

/* Default, check and presets of a fabric; values below WORK_QUANTUM are flushed to 0. */

static cloth_fabric fabric_default(void) {
  return (cloth_fabric){.density = 0.2f,
                        .stretch_warp = 1000.0f,
                        .stretch_weft = 1000.0f,
                        .shear = 700.0f,
                        .bend = 1.0e-5f,
                        .compression = 1.0f,
                        .shear_compression = 1.0f,
                        .stretch_damping = 0.05f,
                        .shear_damping = 0.05f,
                        .bend_damping = 0.001f};
}

/* Number of the first field of a fabric outside its range, 0 for none. */
static int find_fabric_fault(const cloth_fabric *fabric) {
  return find_float_outside(fabric, fabric_ranges, FABRIC_RANGE_COUNT);
}

static int check_fabric(const cloth_fabric *fabric) {
  return find_fabric_fault(fabric) ? CLOTH_ERROR_RANGE : CLOTH_OK;
}

static void set_fabric(const cloth *c, const cloth_fabric *fabric) {
  cloth_fabric clean = *fabric;
  flush_floats(&clean.density, (int32_t)(sizeof clean / sizeof(float)));
  set_input(c, &inputs_of(c)->fabric, &clean, sizeof clean);
}

#if WITH_FABRICS

/* Presets, in the order of cloth_fabric_kind; docs/fabrics.md has their sources. Stretch is the measured tensile
   stiffness less the shear modulus, which the diagonals add. `bend` is the KES rigidity and the moment of inner
   friction at the curvature of a fold. */
#define PRESET(density, warp, weft, shear, bend)                                                                       \
  { density, warp - shear, weft - shear, shear, bend, 1.0f, 1.0f, 0.01f, 0.01f, 0.001f }
CLOTH_CONSTANT static const cloth_fabric fabric_presets[CLOTH_FABRIC_COUNT] = {
    /* density [kg/m^2], tensile stiffness along warp and weft, shear modulus [N/m], bending rigidity [N m] */
    PRESET(0.0600f, 3000.0f, 1800.0f, 20.0f, 1.3e-6f),         /* silk */
    PRESET(0.1503f, 10400.0f, 4000.0f, 66.0f, 2.0e-5f),        /* cotton */
    PRESET(0.2348f, 12400.0f, 4600.0f, 24.0f, 1.2e-5f),        /* wool */
    PRESET(0.3800f, 6000.0f, 3200.0f, 120.0f, 8.0e-5f),        /* denim */
    PRESET(0.1646f, 1300.0f, 2900.0f, 31.0f, 3.2e-6f),         /* polyester */
    PRESET(0.0830f, 1790.0f, 770.0f, 30.0f, 2.3e-6f),          /* satin */
    PRESET(0.1800f, 12000.0f, 9000.0f, 60.0f, 3.5e-5f),        /* linen */
    PRESET(0.1800f, 250.0f, 120.0f, 28.0f, 5.0e-6f),           /* jersey */
    PRESET(0.2500f, 3000.0f, 3000.0f, 300.0f, 9.0e-5f),        /* felt */
    PRESET(0.5000f, 8000.0f, 8000.0f, 3000.0f, 1.8e-5f),       /* leather */
    PRESET(0.2940f, 10500.0f, 2840.0f, 200.0f, 1.5e-4f),       /* canvas */
    PRESET(0.2380f, 300.0f, 300.0f, 100.0f, 2.1e-6f),          /* rubber */
    PRESET(0.0800f, 550000.0f, 270000.0f, 160000.0f, 3.6e-4f), /* paper */
};
#undef PRESET

int cloth_fabric_preset(cloth_fabric_kind kind, cloth_fabric *fabric) {
  if (!fabric) { return CLOTH_ERROR_NULL; }
  if ((unsigned)kind >= CLOTH_FABRIC_COUNT) { return CLOTH_ERROR_RANGE; }
  *fabric = fabric_presets[kind];
  return CLOTH_OK;
}

#endif

/// Configuration ///

/* The default config, its check, which returns the number of its first fault (settings.h), and what a config needs. */

#define BEST_PRECONDITIONER (WITH_MULTILEVEL ? CLOTH_PRECONDITIONER_MULTILEVEL : CLOTH_PRECONDITIONER_BLOCK)

cloth_config cloth_config_default(void) {
  return (cloth_config){
      .cookie = CLOTH_COOKIE,
      .columns = 32,
      .rows = 32,
      .edge_warp = {1.0f, 0.0f, 0.0f},
      .edge_weft = {0.0f, 0.0f, 1.0f},
      .fabric = fabric_default(),
      .gravity = {0.0f, -9.81f, 0.0f},
      .substeps = WITH_SOLVER ? 2 : CLOTH_AUTOMATIC, /* an explicit cloth needs as many as its stiffness demands */
      .iterations = CLOTH_AUTOMATIC,
      .thickness = 0.01f,
      .self_friction = 0.3f,
      .max_colliders = WITH_COLLIDERS ? 16 : 0,
      .grid = {.imperfection = 1.0e-4f, .min_bending_length = 1.0f},
      .air = {.density = 1.2f, .normal_drag = WITH_AIR ? 1.2f : 0.0f},
      .integration = {.method = WITH_SOLVER ? CLOTH_INTEGRATION_ADAPTIVE : CLOTH_INTEGRATION_EXPLICIT_ONLY,
                      .explicit_threshold = 1.0f,
                      .max_substeps = WITH_SOLVER ? 64 : 256,
                      .max_speed = 300.0f,
                      .velocity_damping = 0.1f,
                      .rest_drag = 0.05f,
                      .rest_speed = 0.5f,
                      .max_push_speed = 3.0f,
                      .max_parts = 4},
      .tethers = {.scale = 1.0015f},
      .solver = {.preconditioner = BEST_PRECONDITIONER, .max_iterations = 80},
      .strain_limit = {.stiffness = 50.0f},
      .tearing = {.max_torn_cells = 256},
      .self = {.pairs = 24, .gathers = 1, .untangle = 1},
      .sleep = {.time = 0.5f},
      .capacity = {.max_confined = WITH_CONFINED ? 8 : 0}};
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
  config->solver.preconditioner = BEST_PRECONDITIONER;
  config->solver.max_iterations = IMEX_ITERATIONS;
  config->solver.tolerance = 1.0e-3f;
  return CLOTH_OK;
}

#endif

/* Are all factors of a map in range? Without a map there is nothing to check. */
static int is_map(const float *map, int32_t count, float low, float high) {
  for (int32_t i = 0; map && i < count; i++) {
    if (!in_range(map[i], low, high)) { return 0; }
  }
  return 1;
}

#define FIND_CONFLICT(name, is_so, text)                                                                               \
  if (is_so) { return CONFIG_FAULT(name); }
#define FIND_LEFT_OUT(name, with, needed, text) FIND_CONFLICT(name, !(with) && (needed), text)

/* Settings that are in range each and exclude each other, or need what this build leaves out. */
static int find_conflict(const cloth_config *config) {
  CONFIG_CONFLICTS(FIND_CONFLICT)
  LEFT_OUT_FAULTS(FIND_LEFT_OUT)
  return 0;
}

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

/* Largest distance of the sheet to itself over the shorter spacing, half of that of spheres, and a rounding. */
#define SELF_MAX_THICKNESS 0.500005f

/* The shortest rest length along warp and weft [m]. */
static float shortest_spacing(const cloth_config *config) {
  if (WITH_REST_SHAPE && config->grid.rest_positions) { return shortest_rest_spring(config); }
  return minimum(vector_length(config->edge_warp) / (float)(config->columns - !is_tube(config)),
                 vector_length(config->edge_weft) / (float)(config->rows - 1));
}

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
  int fabric_fault = fault ? 0 : find_fabric_fault(&config->fabric);
  fault = fabric_fault ? CONFIG_FABRIC + fabric_fault : fault;
  fault = fault ? fault : find_placement_fault(config);
  fault = fault || !WITH_MASK ? fault : find_mask_fault(config);
  fault = fault || !WITH_REST_SHAPE ? fault : find_rest_fault(config);
  fault = fault ? fault : find_self_fault(config);
  fault = fault ? fault : find_vector_fault(config);
  return fault ? fault : find_map_fault(config);
}

static int check_config(const cloth_config *config) {
  return config_error(find_config_fault(config));
}
