#pragma once
#include "../base/scalar.h"

/// Settings: ranges and faults ///

static int is_tube(const cloth_config *config) {
  return WITH_WRAP && config->grid.wrap;
}

static int needs_tearing(const cloth_config *config) {
  return WITH_TEARING && config->tearing.max_breaks > 0;
}

static int has_tear_limit(const cloth_config *config) {
  return config->tearing.strain > 0.0f || config->tearing.pin_force > 0.0f;
}

/* Does the cloth fall asleep? Then the state has memory for it. */
static int needs_sleep(const cloth_config *config) {
  return flush_small(config->sleep.speed, STATE_QUANTUM) > 0.0f;
}

/* May some term be part of the operator? Then the arena has memory for a solver. */
static int needs_solver(const cloth_config *config) {
  return config->integration.method != CLOTH_INTEGRATION_EXPLICIT_ONLY;
}

/* Does the prediction use earlier velocities, or the operator, by how springs turn? Then the state has them. */
static int needs_history(const cloth_config *config) {
  return needs_solver(config) || flush_work(config->integration.bdf2_blend) > 0.0f;
}

/* Is there air? Then scratch has memory for its blocks. */
static int needs_air(const cloth_config *config) {
  return flush_work(config->air.density) > 0.0f;
}

static int needs_pin_forces(const cloth_config *config) {
  return needs_tearing(config) && flush_work(config->tearing.pin_force) > 0.0f;
}

/* Are there colliders with geometry, or those of others? */
static int needs_geometry(const cloth_config *config) {
  return config->capacity.geometry || config->capacity.meshes > 0 || config->capacity.max_shared_bodies > 0;
}

/* Have colliders mass, or are there attachments or reactions of pins? */
static int needs_bodies(const cloth_config *config) {
  return config->capacity.max_bodies > 0 || config->capacity.max_attachments > 0 || config->capacity.pin_reactions ||
         needs_pin_forces(config);
}

/* Does the zero of positions lie elsewhere in the world, or follow the cloth? */
static int needs_origin(const cloth_config *config) {
  const cloth_metres origin = config->world.origin;
  return origin.x || origin.y || origin.z || config->world.recentre_distance > 0.0f;
}

static int needs_self(const cloth_config *config) {
  return flush_small(config->self_thickness, STATE_QUANTUM) > 0.0f;
}

/* What a config, a fabric and a collider may hold. A check returns the number of the first fault, 0 for none; the lists
   give each its number, cloth_error and text. A list of ranges has X(field, low, high, unit), both ends in the range;
   texts quote them without the marks of C. */
#define FABRIC_RANGES(X)                                                                                               \
  X(density, 0.001f, 1000.0f, " kg/m^2")                                                                               \
  X(stretch_warp, 0.0f, 1.0e7f, " N/m")                                                                                \
  X(stretch_weft, 0.0f, 1.0e7f, " N/m")                                                                                \
  X(shear, 0.0f, 1.0e7f, " N/m")                                                                                       \
  X(bend, 0.0f, 10.0f, " N m")                                                                                         \
  X(compression, 0.0f, 1.0f, "")                                                                                       \
  X(shear_compression, 0.0f, 1.0f, "")                                                                                 \
  X(stretch_damping, 0.0f, 1.0e4f, " N s/m")                                                                           \
  X(shear_damping, 0.0f, 1.0e4f, " N s/m")                                                                             \
  X(bend_damping, 0.0f, 10.0f, " s")

/* Most particles of a cloth with self-contact: candidates have 16 bits for each. Texts below quote it. */
#define SELF_PARTICLE_LIMIT 65536

/* Ranges of a part of the library: without it they are not read. */
#define RANGES_WITH(with, ...) RANGES_WITH_(with, __VA_ARGS__)
#define RANGES_WITH_(with, ...) RANGES_WITH_##with(__VA_ARGS__)
#define RANGES_WITH_0(...)
#define RANGES_WITH_1(...) __VA_ARGS__

#define CONFIG_INTEGERS(X)                                                                                             \
  X(columns, 2, CLOTH_GRID_LIMIT, "")                                                                                  \
  X(rows, 2, CLOTH_GRID_LIMIT, "")                                                                                     \
  X(substeps, 0, CLOTH_SUBSTEP_LIMIT, "")                                                                              \
  X(max_colliders, 0, CLOTH_COLLIDER_LIMIT, "")                                                                        \
  X(grid.wrap, 0, 1, "")                                                                                               \
  X(integration.method, CLOTH_INTEGRATION_ADAPTIVE, CLOTH_INTEGRATION_EXPLICIT_ONLY, "")                               \
  X(integration.max_substeps, 1, CLOTH_SUBSTEP_LIMIT, "")                                                              \
  X(tethers.count, 0, 2, "")                                                                                           \
  X(solver.preconditioner, CLOTH_PRECONDITIONER_BLOCK, CLOTH_PRECONDITIONER_MULTILEVEL, "")                            \
  X(solver.max_iterations, 1, CLOTH_ITERATION_LIMIT, "")                                                               \
  X(iterations, 0, CLOTH_ITERATION_LIMIT, "")                                                                          \
  X(integration.max_parts, 1, 4, "")                                                                                   \
  RANGES_WITH(WITH_SELF, X(self.pairs, 1, 32, "") X(self.gathers, 0, CLOTH_SUBSTEP_LIMIT, "") X(self.shape, 0, 1, "")  \
                             X(self.untangle, 0, 1, ""))                                                               \
  X(world.origin.x, -CLOTH_ORIGIN_LIMIT, CLOTH_ORIGIN_LIMIT, " m")                                                     \
  X(world.origin.y, -CLOTH_ORIGIN_LIMIT, CLOTH_ORIGIN_LIMIT, " m")                                                     \
  X(world.origin.z, -CLOTH_ORIGIN_LIMIT, CLOTH_ORIGIN_LIMIT, " m")                                                     \
  RANGES_WITH(WITH_TEARING, X(tearing.max_breaks, 0, 65535, "") X(tearing.max_torn_cells, 0, 65535, ""))               \
  X(capacity.max_confined, 0, 65535, "")                                                                               \
  X(capacity.max_bodies, 0, CLOTH_COLLIDER_LIMIT, "")                                                                  \
  X(capacity.max_attachments, 0, 65535, "")                                                                            \
  X(capacity.pin_reactions, 0, 1, "")                                                                                  \
  X(capacity.targets, 0, 1, "")                                                                                        \
  X(capacity.shared_scratch, 0, 1, "")                                                                                 \
  X(capacity.fixed_work, 0, 1, "")                                                                                     \
  X(capacity.geometry, 0, 1, "")                                                                                       \
  X(capacity.meshes, 0, 16, "")                                                                                        \
  X(capacity.max_shared_bodies, 0, CLOTH_COLLIDER_LIMIT, "")                                                           \
  X(capacity.workers, 0, CLOTH_WORKER_LIMIT, "")                                                                       \
  RANGES_WITH(WITH_CONTACT_RECORD, X(capacity.max_contacts, 0, 1000000, ""))

#define CONFIG_FLOATS(X)                                                                                               \
  X(thickness, 0.0f, 1.0f, " m")                                                                                       \
  X(self_thickness, 0.0f, 50.0f, " m")                                                                                 \
  X(self_friction, 0.0f, 10.0f, "")                                                                                    \
  X(grid.imperfection, 0.0f, 0.1f, "")                                                                                 \
  X(air.density, 0.0f, 100.0f, " kg/m^3")                                                                              \
  X(air.drag, 0.0f, 100.0f, "")                                                                                        \
  X(air.lift, 0.0f, 100.0f, "")                                                                                        \
  X(air.normal_drag, 0.0f, 100.0f, "")                                                                                 \
  X(integration.explicit_threshold, 0.0f, 1.3f, "")                                                                    \
  X(integration.rest_drag, 0.0f, 100.0f, " m/s^2")                                                                     \
  X(integration.rest_speed, 0.001f, 100.0f, " m/s")                                                                    \
  X(integration.max_push_speed, 0.1f, 1.0e4f, " m/s")                                                                  \
  X(solver.tolerance, 0.0f, 0.5f, "")                                                                                  \
  X(strain_limit.max_extension, 0.0f, 10.0f, "")                                                                       \
  X(strain_limit.stiffness, 1.0f, 1000.0f, "")                                                                         \
  X(integration.bdf2_blend, 0.0f, 1.0f, "")                                                                            \
  X(integration.max_speed, 0.1f, 1.0e4f, " m/s")                                                                       \
  X(integration.velocity_damping, 0.0f, 100.0f, " 1/s")                                                                \
  X(grid.min_bending_length, 0.0f, 16.0f, " cells")                                                                    \
  X(tethers.scale, 0.5f, 10.0f, "")                                                                                    \
  RANGES_WITH(WITH_TEARING, X(tearing.strain, 0.0f, 100.0f, "") X(tearing.pin_force, 0.0f, 1.0e9f, " N"))              \
  X(sleep.speed, 0.0f, 10.0f, " m/s")                                                                                  \
  X(sleep.time, 0.0f, 60.0f, " s")                                                                                     \
  X(world.recentre_distance, 0.0f, 1.0e4f, " m")

/* Settings that exclude each other: X(name, is_so, text). Around a tube of two columns two springs would join the same
   two particles. */
#define CONFIG_CONFLICTS(X)                                                                                            \
  X(PARTS, config->integration.max_parts == 3, "integration.max_parts: 1, 2 or 4")                                     \
  X(TUBE_COLUMNS, is_tube(config) && config->columns < 3, "grid.wrap, columns: a tube has 3 columns or more")          \
  X(WORK_SLEEP, config->capacity.fixed_work &&needs_sleep(config),                                                     \
    "capacity.fixed_work, sleep.speed: one of the two has to be 0")                                                    \
  X(WORK_TEARING, config->capacity.fixed_work &&needs_tearing(config),                                                 \
    "capacity.fixed_work, tearing.max_breaks: one of the two has to be 0")                                             \
  X(NOTHING_TEARS, WITH_TEARING && !needs_tearing(config) && has_tear_limit(config),                                   \
    "tearing.strain, tearing.pin_force: 0, as with tearing.max_breaks 0 nothing breaks")                               \
  X(WORK_GEOMETRY, config->capacity.fixed_work &&needs_geometry(config),                                               \
    "capacity.fixed_work: excludes capacity.geometry, .meshes and .max_shared_bodies")

/* Settings that need a part of the library: X(name, with, needed, text). Builds with it never show the text. */
#define LEFT_OUT_FAULTS(X)                                                                                             \
  X(NO_SOLVER, WITH_SOLVER, needs_solver(config), "integration.method: CLOTH_NO_SOLVER")                               \
  X(NO_MULTILEVEL, WITH_MULTILEVEL, config->solver.preconditioner == CLOTH_PRECONDITIONER_MULTILEVEL,                  \
    "solver.preconditioner: CLOTH_NO_MULTILEVEL")                                                                      \
  X(NO_TETHERS, WITH_TETHERS, config->tethers.count > 0, "tethers.count: CLOTH_NO_TETHERS")                            \
  X(NO_COLLIDERS, WITH_COLLIDERS, config->max_colliders > 0, "max_colliders: CLOTH_NO_COLLIDERS")                      \
  X(NO_BODIES, WITH_BODIES, needs_bodies(config),                                                                      \
    "capacity.max_bodies, max_attachments, pin_reactions: CLOTH_NO_BODIES")                                            \
  X(NO_SELF, WITH_SELF, needs_self(config), "self_thickness: CLOTH_NO_SELF")                                           \
  X(NO_TRIANGLES, WITH_SELF_TRIANGLES, needs_self(config) && config->self.shape == CLOTH_SELF_TRIANGLES,               \
    "self.shape: CLOTH_NO_SELF_TRIANGLES")                                                                             \
  X(NO_SPHERES, WITH_SELF_SPHERES, needs_self(config) && config->self.shape == CLOTH_SELF_SPHERES,                     \
    "self.shape: CLOTH_NO_SELF_SPHERES")                                                                               \
  X(NO_GROUPS, WITH_GROUPS, needs_self(config) && config->self.gathers == 0, "self.gathers: CLOTH_NO_GROUPS")          \
  X(NO_QUERIES, WITH_CONTACT_RECORD, config->capacity.max_contacts != 0,                                               \
    "capacity.max_contacts: CLOTH_NO_QUERIES or _COLLIDERS")                                                           \
  X(NO_GEOMETRY, EITHER(WITH_HULL, EITHER(WITH_HEIGHT_FIELD, WITH_DISTANCE_GRID)), config->capacity.geometry,          \
    "capacity.geometry: CLOTH_NO_HULL, _HEIGHT_FIELD and _DISTANCE_GRID")                                              \
  X(NO_MESH, WITH_MESH, config->capacity.meshes > 0, "capacity.meshes: CLOTH_NO_MESH")                                 \
  X(NO_WORKERS, WITH_WORKERS, config->capacity.workers > 0, "capacity.workers: CLOTH_NO_WORKERS or _COLLIDERS")        \
  X(NO_SHARED_BODIES, WITH_SHARED_BODIES, config->capacity.max_shared_bodies > 0,                                      \
    "capacity.max_shared_bodies: CLOTH_NO_SHARED_BODIES")                                                              \
  X(NO_CONFINED, WITH_CONFINED, config->capacity.max_confined > 0, "capacity.max_confined: CLOTH_NO_CONFINED")         \
  X(NO_SLEEP, WITH_SLEEP, needs_sleep(config), "sleep.speed: CLOTH_NO_SLEEP")                                          \
  X(NO_TARGETS, WITH_TARGETS, config->capacity.targets, "capacity.targets: CLOTH_NO_TARGETS")                          \
  X(NO_ORIGIN, WITH_ORIGIN, needs_origin(config), "world.origin, world.recentre_distance: CLOTH_NO_ORIGIN")            \
  X(NO_WRAP, WITH_WRAP, config->grid.wrap, "grid.wrap: CLOTH_NO_WRAP")                                                 \
  X(NO_MASK, WITH_MASK, config->grid.cell_mask, "grid.cell_mask: CLOTH_NO_MASK")                                       \
  X(NO_REST_SHAPE, WITH_REST_SHAPE, config->grid.rest_positions, "grid.rest_positions: CLOTH_NO_REST_SHAPE")           \
  X(NO_TEARING, WITH_TEARING, config->tearing.max_breaks > 0, "tearing.max_breaks: CLOTH_NO_TEARING")                  \
  X(NO_AIR, WITH_AIR, config->air.drag > 0.0f || config->air.lift > 0.0f || config->air.normal_drag > 0.0f,            \
    "air.drag, air.lift, air.normal_drag: CLOTH_NO_AIR")

/* All other faults of a config: X(name, error, text). */
#define CONFIG_FAULTS(X)                                                                                               \
  X(POINTER, NULL, "config: NULL")                                                                                     \
  X(COOKIE, CONFIG, "cookie: start from cloth_config_default()")                                                       \
  X(TEAR_MAP, RANGE, "tearing.map: 0.01..100")                                                                         \
  X(REST_POSITIONS, RANGE, "grid.rest_positions: -1e5..1e5 m on each axis")                                            \
  X(REST_LENGTHS, CONFLICT,                                                                                            \
    "grid.rest_positions: springs of 1e-4..100 m, 0.25..4 of their mean; cells of 0.1 of their sides")                 \
  X(CELL_MASK, RANGE, "grid.cell_mask: 0..1, with a 1 somewhere")                                                      \
  X(EDGE_WARP, RANGE, "edge_warp: 1e-4..100 m between columns")                                                        \
  X(EDGE_WEFT, RANGE, "edge_weft: 1e-4..100 m between rows")                                                           \
  X(EDGES, CONFLICT, "edge_warp, edge_weft: sine of the angle at least 0.1")                                           \
  X(TUBE_EDGES, CONFLICT, "grid.wrap, edge_warp, edge_weft: edges of a tube are perpendicular to 1e-3")                \
  X(SELF_THICKNESS, CONFLICT, "self_thickness: up to half of the shorter spacing, or all of it as spheres")            \
  X(SELF_SIZE, CONFLICT, "self_thickness: up to 65536 particles")                                                      \
  X(POSITIONS, RANGE, "grid.positions: -1e5..1e5 m on each axis")                                                      \
  X(START, RANGE, "origin, edge_warp, edge_weft: particles at -1e5..1e5 m on each axis")                               \
  X(GRAVITY, RANGE, "gravity: -1e4..1e4 m/s^2 on each axis")                                                           \
  X(WIND, RANGE, "wind: -1000..1000 m/s on each axis")                                                                 \
  X(MASS_MAP, RANGE, "grid.mass_map: 0.01..100")                                                                       \
  X(STIFFNESS_MAP, RANGE, "grid.stiffness_map: 0..100")

#define COLLIDER_FAULTS(X)                                                                                             \
  X(POINTER, NULL, "collider: NULL")                                                                                   \
  X(SHAPE, RANGE, "shape: CLOTH_SHAPE_PLANE..CLOTH_SHAPE_DISTANCE_GRID")                                               \
  X(NO_SHAPE, LEFT_OUT, "shape: left out by CLOTH_NO_HULL, _HEIGHT_FIELD, _MESH or _DISTANCE_GRID")                    \
  X(GEOMETRY, GEOMETRY, "geometry: not set by cloth_collider_set_geometry()")                                          \
  X(PLACE, RANGE, "geometry.place: 0..1023")                                                                           \
  X(RADIUS, RANGE, "radius: 1e-3..1e4 m")                                                                              \
  X(RADIUS_TOP, RANGE, "radius_top: 1e-3..1e4 m")                                                                      \
  X(HALF_HEIGHT, RANGE, "half_height: 1e-3..1e4 m")                                                                    \
  X(HALF_EXTENTS, RANGE, "half_extents: 1e-3..1e4 m on each axis")                                                     \
  X(SPHERES, CONFLICT, "radius, radius_top, half_height: one sphere of the capsule is inside the other")               \
  X(POSITION, RANGE, "pose.position: -1e5..1e5 m on each axis")                                                        \
  X(ROTATION, RANGE, "pose.rotation: of length 1, to 1e-3")                                                            \
  X(STATIC, RANGE, "static_friction: 0..10")                                                                           \
  X(KINETIC, RANGE, "kinetic_friction: 0..10")                                                                         \
  X(FRICTIONS, CONFLICT, "kinetic_friction, static_friction: kinetic is at most static")

/* Largest coordinate of a geometry, offset of a plane, height and distance [m]; texts below quote it. */
#define GEOMETRY_EXTENT 1.0e4f

#define GEOMETRY_FAULTS(X)                                                                                             \
  X(POINTER, NULL, "data: NULL")                                                                                       \
  X(ARRAY, NULL, "data: an array is NULL")                                                                             \
  X(SHAPE, RANGE, "shape: CLOTH_SHAPE_HULL..CLOTH_SHAPE_DISTANCE_GRID")                                                \
  X(LEFT_OUT, LEFT_OUT, "shape: left out by CLOTH_NO_HULL, _HEIGHT_FIELD, _MESH or _DISTANCE_GRID")                    \
  X(PLANES, RANGE, "hull.planes: 4..64")                                                                               \
  X(NORMAL, RANGE, "hull.normals: of length 1, to 1e-3")                                                               \
  X(OFFSET, RANGE, "hull.offsets: -1e4..1e4 m")                                                                        \
  X(HULL_OPEN, CONFLICT, "hull: the planes do not enclose all sides")                                                  \
  X(HULL_EMPTY, CONFLICT, "hull: the planes enclose nothing")                                                          \
  X(FIELD_COUNT, RANGE, "height_field.columns, rows: 2..4096, together 4194304")                                       \
  X(FIELD_SPACING, RANGE, "height_field.spacing_x, spacing_z: 1e-3..1e3 m")                                            \
  X(HEIGHT, RANGE, "height_field.heights: -1e4..1e4 m")                                                                \
  X(MESH_COUNT, RANGE, "mesh.triangle_count: 1..1000000, mesh.vertex_count: 3..3000000")                               \
  X(ONE_SIDED, RANGE, "mesh.one_sided: 0..1")                                                                          \
  X(VERTEX, RANGE, "mesh.vertices: -1e4..1e4 m on each axis")                                                          \
  X(INDEX, RANGE, "mesh.indices: 0..vertex_count - 1")                                                                 \
  X(TRIANGLE, CONFLICT, "mesh: a triangle of less than 1e-8 m^2, or thinner than 1e-5 m")                              \
  X(GRID_COUNT, RANGE, "distance_grid.count_x, count_y, count_z: 2..1024, together 4194304")                           \
  X(GRID_SPACING, RANGE, "distance_grid.spacing: 1e-3..1e3 m")                                                         \
  X(GRID_LOW, RANGE, "distance_grid.low: -1e4..1e4 m on each axis")                                                    \
  X(DISTANCE, RANGE, "distance_grid.distances: -1e4..1e4 m")                                                           \
  X(NO_DISTANCES, RANGE, "distance_grid.distances: neighbours differ by 1.01 spacings at most")

/* Numbers of faults. Those of ranges are their places in the lists, from 1. */
#define ONE_MORE(field, low, high, unit) +1
#define CONFIG_FAULT(name) CONFIG_FAULT_##name
#define COLLIDER_FAULT(name) COLLIDER_FAULT_##name
#define CONFIG_NUMBER(name, error, text) CONFIG_FAULT(name),
#define LEFT_OUT_NUMBER(name, with, needed, text) CONFIG_FAULT(name),
#define COLLIDER_NUMBER(name, error, text) COLLIDER_FAULT(name),
enum { FABRIC_RANGE_COUNT = 0 FABRIC_RANGES(ONE_MORE) };
enum { CONFIG_INTEGER_COUNT = 0 CONFIG_INTEGERS(ONE_MORE), CONFIG_FLOAT_COUNT = 0 CONFIG_FLOATS(ONE_MORE) };
/* The config's ranges, integers first; its other faults; beyond CONFIG_FABRIC the faults of its fabric. */
enum {
  CONFIG_RANGE_COUNT = CONFIG_INTEGER_COUNT + CONFIG_FLOAT_COUNT,
  CONFIG_FAULTS(CONFIG_NUMBER) CONFIG_CONFLICTS(CONFIG_NUMBER) LEFT_OUT_FAULTS(LEFT_OUT_NUMBER) CONFIG_FABRIC
};
#define GEOMETRY_FAULT(name) GEOMETRY_FAULT_##name
#define GEOMETRY_NUMBER(name, error, text) GEOMETRY_FAULT(name),
enum { GEOMETRY_FAULT_NONE, GEOMETRY_FAULTS(GEOMETRY_NUMBER) GEOMETRY_FAULT_COUNT };
enum { COLLIDER_FAULT_NONE, COLLIDER_FAULTS(COLLIDER_NUMBER) COLLIDER_FAULT_COUNT };

#define FAULT_ERROR(name, error, text) CLOTH_ERROR_##error,
#define CONFLICT_ERROR(name, is_so, text) CLOTH_ERROR_CONFLICT,
#define LEFT_OUT_ERROR(name, with, needed, text) CLOTH_ERROR_LEFT_OUT,
CLOTH_CONSTANT static const int8_t config_fault_errors[] = {CONFIG_FAULTS(FAULT_ERROR) CONFIG_CONFLICTS(CONFLICT_ERROR)
                                                                LEFT_OUT_FAULTS(LEFT_OUT_ERROR)};
#if WITH_COLLIDERS
CLOTH_CONSTANT static const int8_t collider_fault_errors[] = {COLLIDER_FAULTS(FAULT_ERROR)};
#endif
#if WITH_GEOMETRY
CLOTH_CONSTANT static const int8_t geometry_fault_errors[] = {GEOMETRY_FAULTS(FAULT_ERROR)};
#endif

/* Largest component of gravity [m/s^2] and wind [m/s]; texts above quote them. */
#define GRAVITY_LIMIT 1.0e4f
#define WIND_LIMIT 1.0e3f
/* Largest factor of a map; texts above quote it. */
#define MAX_MAP_FACTOR 100.0f

static int config_error(int fault) {
  if (fault > CONFIG_RANGE_COUNT && fault < CONFIG_FABRIC) {
    return config_fault_errors[fault - CONFIG_RANGE_COUNT - 1];
  }
  return fault ? CLOTH_ERROR_RANGE : CLOTH_OK;
}

typedef struct float_range {
  uint32_t offset; /* of the number in its struct [bytes] */
  float low, high;
} float_range;

typedef struct integer_range {
  uint32_t offset; /* of the number in its struct [bytes] */
  int32_t low, high;
} integer_range;

#define FABRIC_RANGE(field, low, high, unit) {(uint32_t)offsetof(cloth_fabric, field), (low), (high)},
#define CONFIG_RANGE(field, low, high, unit) {(uint32_t)offsetof(cloth_config, field), (low), (high)},
CLOTH_CONSTANT static const float_range fabric_ranges[] = {FABRIC_RANGES(FABRIC_RANGE)};
CLOTH_CONSTANT static const integer_range config_integers[] = {CONFIG_INTEGERS(CONFIG_RANGE)};
CLOTH_CONSTANT static const float_range config_floats[] = {CONFIG_FLOATS(CONFIG_RANGE)};

/* Number of the first range, from 1, that a float of a struct is outside of; 0 if none is. */
static int find_float_outside(const void *values, const float_range *ranges, int count) {
  for (int n = 0; n < count; n++) {
    const float *value = (const float *)(const void *)((const char *)values + ranges[n].offset);
    if (!in_range(*value, ranges[n].low, ranges[n].high)) { return n + 1; }
  }
  return 0;
}

/* Number of the first range, from 1, that an integer of a struct is outside of; 0 if none is. */
static int find_integer_outside(const void *values, const integer_range *ranges, int count) {
  for (int n = 0; n < count; n++) {
    const int32_t *value = (const int32_t *)(const void *)((const char *)values + ranges[n].offset);
    if (*value < ranges[n].low || *value > ranges[n].high) { return n + 1; }
  }
  return 0;
}
