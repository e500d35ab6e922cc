/* Configs, colliders and geometries of the fuzzer, from bytes. See fuzz.c. SPDX-License-Identifier: MIT */
#ifndef FUZZ_INPUTS_H
#define FUZZ_INPUTS_H

#include "fuzz_world.h"

/// Configs ///

/* A setting and the range that is tried: that of the setting, or less where work would become too much. */
typedef struct setting {
  size_t offset;
  int is_whole;
  float low, high;
} setting;
#define REAL(field, low, high)                                                                                         \
  { offsetof(cloth_config, field), 0, low, high }
#define WHOLE(field, low, high)                                                                                        \
  { offsetof(cloth_config, field), 1, low, high }

static const setting settings[] = {
    REAL(fabric.density, 0.001f, 4.0f),
    REAL(fabric.stretch_warp, 0.0f, 1.0e5f),
    REAL(fabric.stretch_weft, 0.0f, 1.0e7f),
    REAL(fabric.shear, 0.0f, 1.0e4f),
    REAL(fabric.bend, 0.0f, 0.01f),
    REAL(fabric.bend, 0.0f, 10.0f),
    REAL(fabric.compression, 0.0f, 1.0f),
    REAL(fabric.shear_compression, 0.0f, 1.0f),
    REAL(fabric.stretch_damping, 0.0f, 10.0f),
    REAL(fabric.shear_damping, 0.0f, 10.0f),
    REAL(fabric.bend_damping, 0.0f, 0.1f),
    REAL(gravity.y, -20.0f, 20.0f),
    REAL(wind.x, -30.0f, 30.0f),
    WHOLE(substeps, 0, 8),
    REAL(thickness, 0.0f, 0.1f),
    WHOLE(max_colliders, 0, 6),
    REAL(self_friction, 0.0f, 10.0f),
    REAL(grid.min_bending_length, 0.0f, 16.0f),
    REAL(grid.imperfection, 0.0f, 0.1f),
    WHOLE(grid.seed, 0, 100),
    REAL(air.density, 0.0f, 100.0f),
    REAL(air.drag, 0.0f, 2.0f),
    REAL(air.lift, 0.0f, 2.0f),
    REAL(air.normal_drag, 0.0f, 2.0f),
    WHOLE(integration.method, 0, 3),
    REAL(integration.explicit_threshold, 0.0f, 1.3f),
    REAL(integration.bdf2_blend, 0.0f, 1.0f),
    WHOLE(integration.max_substeps, 1, 16),
    REAL(integration.max_speed, 0.1f, 10.0f),
    REAL(integration.velocity_damping, 0.0f, 100.0f),
    REAL(integration.rest_drag, 0.0f, 1.0f),
    REAL(integration.rest_speed, 0.001f, 1.0f),
    REAL(integration.max_push_speed, 0.1f, 10.0f),
    WHOLE(integration.max_parts, 1, 2),
    WHOLE(tethers.count, 0, 2),
    REAL(tethers.scale, 0.5f, 3.0f),
    WHOLE(iterations, 0, 20),
    WHOLE(solver.preconditioner, 0, 3),
    WHOLE(solver.max_iterations, 1, 40),
    REAL(solver.tolerance, 0.0f, 0.5f),
    REAL(strain_limit.max_extension, 0.0f, 0.1f),
    REAL(strain_limit.stiffness, 1.0f, 100.0f),
    WHOLE(self.pairs, 1, 8),
    WHOLE(self.gathers, 0, 3),
    WHOLE(self.untangle, 0, 1),
    REAL(sleep.speed, 0.0f, 2.0f),
    REAL(sleep.time, 0.0f, 0.2f),
    WHOLE(world.origin.x, -1000, 1000),
    WHOLE(world.origin.z, -1000000000, 1000000000),
    REAL(world.recentre_distance, 0.0f, 3.0f),
    WHOLE(capacity.max_confined, 0, 8),
    WHOLE(capacity.max_bodies, 0, 4),
    WHOLE(capacity.max_attachments, 0, 8),
    WHOLE(capacity.pin_reactions, 0, 1),
    WHOLE(capacity.targets, 0, 1),
    WHOLE(capacity.shared_scratch, 0, 1),
    WHOLE(capacity.max_contacts, 0, 60),
    WHOLE(capacity.fixed_work, 0, 1),
    WHOLE(capacity.geometry, 0, 1),
    WHOLE(capacity.meshes, 0, 3),
    WHOLE(capacity.max_shared_bodies, 0, 3),
};
#define SETTINGS ((int)(sizeof settings / sizeof settings[0]))

static float mass_map[MOST_SIDE * MOST_SIDE], stiffness_map[MOST_SIDE * MOST_SIDE];
static uint8_t cell_mask[MOST_SIDE * MOST_SIDE];

/* Sizes of a step that would take too long to be a test are taken back. */
static void keep_small(cloth_config *config) {
  config->columns = config->columns > MOST_SIDE ? MOST_SIDE : config->columns;
  config->rows = config->rows > MOST_SIDE ? MOST_SIDE : config->rows;
  config->substeps = config->substeps > 16 ? 16 : config->substeps;
  config->integration.max_substeps = config->integration.max_substeps > 16 ? 16 : config->integration.max_substeps;
  config->solver.max_iterations = config->solver.max_iterations > 60 ? 60 : config->solver.max_iterations;
  config->capacity.max_confined = config->capacity.max_confined > 60 ? 60 : config->capacity.max_confined;
  config->capacity.max_attachments = config->capacity.max_attachments > 60 ? 60 : config->capacity.max_attachments;
  config->capacity.max_contacts = config->capacity.max_contacts > 60 ? 60 : config->capacity.max_contacts;
}

/* Memory for pieces, and a grid that is large enough for some. */
static void add_workers(cloth_config *config, uint32_t kind) {
  config->capacity.workers = 1 + (int32_t)(kind % 5u);
  if (config->columns >= 2 && config->columns <= 13) { config->columns += 8; }
  if (config->rows >= 2 && config->rows <= 13) { config->rows += 8; }
}

/* Cells left out, and threads that tear. */
static void add_gaps(cloth_config *config, uint32_t kind) {
  config->grid.cell_mask = kind & 1 ? cell_mask : NULL;
  if (kind & 2) {
    config->tearing.max_breaks = 4;
    config->tearing.max_torn_cells = 8;
    config->tearing.strain = kind & 4 ? 0.05f : 0.0f;
    config->tearing.pin_force = kind & 8 ? 0.5f : 0.0f;
    config->tearing.map = kind & 16 ? mass_map : NULL;
  }
}

/* A pre-shaped piece that widens from row to row, or a tube that does; now and then one that is refused. */
static void add_rest_shape(world *w, cloth_config *config, uint32_t kind) {
  cloth_vector *places = (cloth_vector *)memory_of(sizeof *places * MOST_SIDE * MOST_SIDE, 0);
  for (int n = 0; n < config->columns * config->rows; n++) {
    const int column = n % config->columns, row = n / config->columns;
    const float wide = 0.0625f + 0.00390625f * (float)(row * (int)(kind & 7));
    places[n] = (cloth_vector){wide * (float)column, 0.0f, 0.0625f * (float)row};
    if (config->grid.wrap) { /* a square around the axis */
      const float share = 4.0f * (float)column / (float)config->columns;
      places[n].x = wide * (share < 1.0f ? share : share < 2.0f ? 1.0f : share < 3.0f ? 3.0f - share : 0.0f);
      places[n].y = wide * (share < 1.0f ? 0.0f : share < 2.0f ? share - 1.0f : share < 3.0f ? 1.0f : 4.0f - share);
    }
  }
  places[1].z = kind & 8 ? real(w, -0.25f, 0.25f) : places[1].z;
  config->grid.rest_positions = places;
}

/* 16 to 45 bytes make a config. Cloths behind the first feel themselves, as groups need. */
static cloth_config config_of(world *w, int number) {
  cloth_config config = cloth_config_default();
  const uint32_t kind = byte_of(w);
  COUNTED(cloth_config_default);
  const uint32_t special = byte_of(w);
  w->in.is_wild = special >= 248;
  if (special >= 160 && special < 248) { add_gaps(&config, special); }
  if (kind & 1) {
    CALL(w, cloth_config_use_imex, &config);
    config.solver.max_iterations = 12;
  }
  config.columns = whole(w, 2, 13);
  config.rows = whole(w, 2, 13);
  if (special & 32) { add_workers(&config, special); }
  if (kind & 2) {
    config.grid.wrap = 1;
    config.columns = config.columns < 5 ? 5 : config.columns;
  }
  config.substeps = 4;
  config.max_colliders = 4;
  config.edge_warp.x = real(w, 0.3f, 1.5f);
  config.edge_weft.z = real(w, 0.3f, 1.5f);
  config.edge_weft.y = kind & 4 ? 0.25f : 0.0f;
  if ((kind & 6) == 6) {
    config.edge_weft.y = config.edge_weft.z;
    config.edge_weft.z = 0.0f;
  }
  config.origin = vector_within(w, 0.5f);
  CALL(w, cloth_fabric_preset, (cloth_fabric_kind)whole(w, 0, CLOTH_FABRIC_COUNT - 1), &config.fabric);
  const float across = config.edge_warp.x / (float)config.columns;
  const float along = (config.edge_weft.z + config.edge_weft.y) / (float)config.rows;
  if ((kind & 8) || number > 0) { config.self_thickness = 0.45f * (across < along ? across : along); }
  config.grid.mass_map = kind & 16 ? mass_map : NULL;
  config.grid.stiffness_map = kind & 32 ? stiffness_map : NULL;
  if (kind & 64) {
    cloth_vector *start_positions = (cloth_vector *)memory_of(sizeof *start_positions * MOST_SIDE * MOST_SIDE, 0);
    for (int n = 0; n < MOST_SIDE * MOST_SIDE; n++) {
      start_positions[n] =
          (cloth_vector){0.0625f * (float)(n % config.columns), 0.0f, 0.0625f * (float)(n / config.columns)};
    }
    start_positions[1].y = real(w, -1.0f, 1.0f);
    config.grid.positions = start_positions;
  }
  if (special >= 192 && special < 248) { add_rest_shape(w, &config, special); }
  if (kind & 128) {
    config.capacity.geometry = 1;
    config.capacity.meshes = 2;
    config.capacity.max_shared_bodies = 2;
    config.capacity.max_bodies = 2;
    config.capacity.max_attachments = 4;
    config.capacity.pin_reactions = config.capacity.targets = 1;
    config.capacity.max_contacts = 40;
  }
  for (int changes = whole(w, 0, 12); changes > 0; changes--) {
    const setting *s = &settings[byte_of(w) % SETTINGS];
    if (s->is_whole) {
      const int32_t value = whole(w, (int32_t)s->low, (int32_t)s->high);
      memcpy((unsigned char *)&config + s->offset, &value, sizeof value);
    } else {
      const float value = real(w, s->low, s->high);
      memcpy((unsigned char *)&config + s->offset, &value, sizeof value);
    }
  }
  keep_small(&config);
  return config;
}

/// Geometries ///

typedef struct geometry_arrays {
  cloth_vector vectors[64];
  float floats[8 * 8 * 8];
  uint32_t indices[3 * 64];
} geometry_arrays;

static void hull_of(world *w, cloth_geometry_data *data, geometry_arrays *arrays) {
  static const cloth_vector directions[14] = {
      {1.0f, 0.0f, 0.0f},  {-1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f},    {0.0f, -1.0f, 0.0f}, {0.0f, 0.0f, 1.0f},
      {0.0f, 0.0f, -1.0f}, {0.6f, 0.8f, 0.0f},  {-0.6f, 0.8f, 0.0f},   {0.0f, 0.8f, 0.6f},  {0.0f, 0.28f, -0.96f},
      {0.8f, 0.0f, 0.6f},  {0.6f, -0.8f, 0.0f}, {-0.28f, 0.0f, 0.96f}, {-0.8f, 0.0f, -0.6f}};
  data->hull.planes = whole(w, 4, 14);
  for (int n = 0; n < 14; n++) {
    arrays->vectors[n] = directions[n];
    arrays->floats[n] = real(w, 0.1f, 0.5f);
  }
  if (w->in.is_wild) { arrays->vectors[0] = vector_within(w, 1.0f); }
  data->hull.normals = arrays->vectors;
  data->hull.offsets = arrays->floats;
}

static void height_field_of(world *w, cloth_geometry_data *data, geometry_arrays *arrays) {
  cloth_height_data *d = &data->height_field;
  d->columns = whole(w, 2, 8);
  d->rows = whole(w, 2, 8);
  d->spacing_x = real(w, 0.05f, 0.3f);
  d->spacing_z = real(w, 0.05f, 0.3f);
  d->heights = arrays->floats;
  for (int n = 0; n < 64; n++) {
    arrays->floats[n] = n < 24 ? real(w, -0.2f, 0.2f) : arrays->floats[n - 13];
  }
}

static void mesh_of(world *w, cloth_geometry_data *data, geometry_arrays *arrays) {
  cloth_mesh_data *d = &data->mesh;
  d->vertex_count = whole(w, 3, 12);
  d->triangle_count = whole(w, 1, 12);
  d->one_sided = whole(w, 0, 1);
  d->vertices = arrays->vectors;
  d->indices = arrays->indices;
  for (int n = 0; n < 12; n++) {
    arrays->vectors[n] = vector_within(w, 0.6f);
  }
  for (int n = 0; n < 36; n++) {
    arrays->indices[n] = (uint32_t)whole(w, 0, 11) % (w->in.is_wild ? 12u : (uint32_t)d->vertex_count);
  }
}

static void distance_grid_of(world *w, cloth_geometry_data *data, geometry_arrays *arrays) {
  cloth_distance_data *d = &data->distance_grid;
  d->count_x = whole(w, 2, 8);
  d->count_y = whole(w, 2, 8);
  d->count_z = whole(w, 2, 8);
  d->spacing = real(w, 0.05f, 0.3f);
  d->low = vector_within(w, 0.5f);
  d->distances = arrays->floats;
  const int32_t along_x = d->count_x < 2 || d->count_x > 8 ? 2 : d->count_x;
  const int32_t along_y = d->count_y < 2 || d->count_y > 8 ? 2 : d->count_y;
  for (int n = 0; n < 512; n++) { /* a slope and bumps of less than a spacing */
    arrays->floats[n] =
        d->spacing * (0.5f * (float)(n / along_x % along_y - 2) + (n < 30 ? real(w, -0.2f, 0.2f) : 0.0f));
  }
}

/* Builds a geometry in memory of its exact size, and in too little of it. */
static const cloth_geometry *geometry_of(world *w, int32_t shape) {
  geometry_arrays *arrays = (geometry_arrays *)memory_of(sizeof *arrays, 0);
  cloth_geometry_data data = cloth_geometry_data_default(shape);
  const cloth_geometry *built = NULL;
  size_t bytes = 0;
  char text[128];
  COUNTED(cloth_geometry_data_default);
  switch (shape) {
  case CLOTH_SHAPE_HULL:
    hull_of(w, &data, arrays);
    break;
  case CLOTH_SHAPE_HEIGHT_FIELD:
    height_field_of(w, &data, arrays);
    break;
  case CLOTH_SHAPE_MESH:
    mesh_of(w, &data, arrays);
    break;
  default:
    distance_grid_of(w, &data, arrays);
  }
  /* A count that is wrong would be read as far as it says. */
  const int asked = ASK(w, cloth_geometry_bytes, &data, &bytes);
  if (asked != CLOTH_OK || bytes > 200000 || data.hull.planes > 14 || data.mesh.vertex_count > 12 ||
      data.mesh.triangle_count > 12 || data.height_field.columns > 8 || data.height_field.rows > 8 ||
      data.distance_grid.count_x > 8 || data.distance_grid.count_y > 8 || data.distance_grid.count_z > 8) {
    return NULL;
  }
  void *memory = memory_of(bytes, w->filling);
  const int explained = ASK(w, cloth_geometry_explain, &data, text, sizeof text);
  const int result = ASK(w, cloth_build_geometry, &data, memory, bytes, &built);
  need(explained == result, "a geometry is explained to be what it is not");
  fold_text(w, text);
  fold_wide(w, bytes);
  need((result == CLOTH_OK) == (built != NULL), "a geometry where there is none");
  if (result == CLOTH_OK && w->in.is_wild) {
    const cloth_geometry *other = NULL;
    need(ASK(w, cloth_build_geometry, &data, memory_of(bytes - 1, 0), bytes - 1, &other) == CLOTH_ERROR_ARENA,
         "a geometry in too little memory");
  }
  return built;
}

/* One geometry of each kind that every history has, without reading a byte. */
static void known_geometries(world *w) {
  static const unsigned char bytes[] = {2, 200, 200, 60, 60, 200, 200};
  static const unsigned char cube[] = {5,  11,  0,   60,  60, 60,  180, 60,  60,  180, 180, 60,  60,  180, 60,
                                       60, 60,  180, 180, 60, 180, 180, 180, 180, 60,  180, 180, 120, 120, 240,
                                       0,  120, 120, 120, 0,  120, 120, 240, 120, 0,   3,   2,   0,   2,   1,
                                       4,  5,   6,   4,   6,  7,   0,   1,   5,   0,   5,   4,   2,   3,   7,
                                       2,  7,   6,   0,   4,  7,   0,   7,   3,   1,   2,   6,   1,   6,   5};
  static const unsigned char ground[] = {6, 6, 100, 90, 120, 200, 120, 60, 130, 0, 120, 99, 120, 200, 30};
  const input kept = w->in;
  for (int n = 0; n < 4; n++) {
    w->shapes[n] = CLOTH_SHAPE_HULL + n;
    w->in.bytes = n == 0 ? bytes : n == 2 ? cube : ground;
    w->in.count = n == 0 ? sizeof bytes : n == 2 ? sizeof cube : sizeof ground;
    w->in.at = 0;
    w->in.is_wild = 0;
    w->geometries[n] = geometry_of(w, w->shapes[n]);
    need(w->geometries[n] != NULL, "a known geometry could not be built");
  }
  w->in = kept;
}

/// Colliders ///

static cloth_collider collider_of(world *w) {
  cloth_collider k = cloth_collider_default();
  COUNTED(cloth_collider_default);
  k.shape = whole(w, 0, CLOTH_SHAPE_DISTANCE_GRID);
  if (k.shape >= CLOTH_SHAPE_HULL && k.shape <= CLOTH_SHAPE_DISTANCE_GRID) {
    const int32_t place = whole(w, 0, 1) == 0 ? k.shape - CLOTH_SHAPE_HULL : whole(w, 4, MOST_GEOMETRIES - 1);
    if (place >= 0 && place < MOST_GEOMETRIES && w->geometries[place] != NULL) {
      CALL(w, cloth_collider_set_geometry, &k, w->geometries[place], place);
    }
  }
  k.radius = real(w, 0.05f, 0.5f);
  k.radius_top = real(w, 0.05f, 0.5f);
  k.half_height = real(w, 0.3f, 0.8f);
  k.half_extents.x = real(w, 0.01f, 0.5f);
  k.half_extents.y = real(w, 0.01f, 0.5f);
  k.half_extents.z = 0.3f;
  k.static_friction = real(w, 0.0f, 2.0f);
  k.kinetic_friction = k.static_friction * 0.5f;
  k.pose = pose_of(w);
  if (w->in.is_wild) {
    char text[128];
    if (ASK(w, cloth_collider_explain, &k, text, sizeof text) != CLOTH_OK) { fold_text(w, text); }
  }
  return k;
}

#endif /* FUZZ_INPUTS_H */
