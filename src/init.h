#pragma once
#include "access.h"
#include "config.h"
#include "fabric.h"
#include "hash.h"
#include "lanes.h"
#include "layout.h"
#include "placement.h"
#include "scalar.h"
#include "types.h"

/// Initialisation ///

static void copy_settings(cloth *c, const cloth_config *config) {
  float cells = (float)cells_along_warp(c);
  c->spacing_warp = vector_length(config->edge_warp) / cells;
  c->spacing_weft = vector_length(config->edge_weft) / (float)(config->rows - 1);
  cloth_vector warp = vector_scale(vector_clean(config->edge_warp), 1.0f / cells);
  cloth_vector weft = vector_scale(vector_clean(config->edge_weft), 1.0f / (float)(config->rows - 1));
  c->diagonal = vector_length(vector_add(warp, weft));
  c->antidiagonal = vector_length(vector_subtract(warp, weft));
  if (is_wrapped(c)) { /* whatever small lean the edges may have */
    c->diagonal = vector_length(vector(c->spacing_warp, c->spacing_weft, 0.0f));
    c->antidiagonal = c->diagonal;
  }
  c->area = parallelogram_area(config->edge_warp, config->edge_weft);
  c->velocity_damping = config->velocity_damping;
  c->air_density = config->air_density;
  c->drag = config->drag;
  c->lift = config->lift;
  c->normal_drag = config->normal_drag;
  c->explicit_threshold = config->explicit_threshold;
  c->projection_threshold = config->projection_threshold;
  c->extrapolation = config->extrapolation;
  c->tether_scale = config->tether_scale;
  c->fold_stiffness = config->fold_stiffness;
  c->tolerance = config->tolerance;
  c->max_speed = config->max_speed;
  c->limit_extension = config->limit_extension;
  c->limit_compression = config->limit_compression;
  c->thickness = config->thickness;
  snap_floats(&c->velocity_damping, (int32_t)(&c->thickness - &c->velocity_damping) + 1);
  c->integration = (int32_t)config->integration;
  c->bend_integration = (int32_t)config->bend_integration;
  c->preconditioner = (int32_t)config->preconditioner;
  c->contact_mode = (int32_t)config->contact_mode;
  c->substeps = config->substeps;
  c->max_substeps = config->max_substeps;
  c->max_iterations = config->max_iterations;
  c->limit_sweeps = config->limit_sweeps;
  c->warm_start = config->warm_start;
  c->max_colliders = config->max_colliders;
  c->max_confined = config->max_confined;
  c->spans = config->spans;
  c->fine_sweeps = config->fine_sweeps;
  c->tether_count = config->tethers;
  c->sleep_speed = snapped(config->sleep_speed, STATE_QUANTUM);
  c->sleep_time = snapped(config->sleep_time, STATE_QUANTUM);
  c->fixed_work = config->fixed_work;
}

/* Extremes of a map, which bound kappa. */
static void measure_map(const float *map, int32_t count, float *least, float *most) {
  *least = map ? 100.0f : 1.0f;
  *most = map ? 0.0f : 1.0f;
  for (int32_t i = 0; map && i < count; i++) {
    float value = snapped(map[i], WORK_QUANTUM);
    *least = minimum(*least, value);
    *most = maximum(*most, value);
  }
}

static void copy_map(const cloth *c, const float *map, uint32_t offset) {
  for (int32_t i = 0; map && i < c->count; i++) {
    floats_at(c, offset)[i] = snapped(map[i], WORK_QUANTUM);
  }
  for (int32_t i = 0; map && i < LANE_PAD; i++) {
    floats_at(c, offset)[c->count + i] = 1.0f; /* what lanes beyond the end divide by */
  }
}

/* Settings and maps: all that a step depends on beside the state. */
static void hash_config(cloth *c) {
  hasher h;
  hash_start(&h);
  hash_words(&h, (const any_word *)at(c, SETTINGS_OFFSET), (int32_t)((sizeof(cloth) - SETTINGS_OFFSET) / 4));
  if (c->mass_ratio) {
    hash_words(&h, (const any_word *)at(c, c->mass_ratio), c->count);
  }
  if (c->stiffness_map) {
    hash_words(&h, (const any_word *)at(c, c->stiffness_map), c->count);
  }
  uint64_t hash = hash_end(&h);
  c->config_hash[0] = (uint32_t)hash;
  c->config_hash[1] = (uint32_t)(hash >> 32);
}

static void place_particles(const cloth *c, const cloth_config *config) {
  planes x = planes_at(c, c->position);
  for (int32_t row = 0; row < c->rows; row++) {
    for (int32_t column = 0; column < c->columns; column++) {
      int32_t i = row * c->columns + column;
      cloth_vector p = config->positions ? config->positions[i] : start_point(config, column, row);
      vector_store(x, i, vector_snapped(p, STATE_QUANTUM));
      freedom_of(c)[i] = FREEDOM_FREE;
      forget_history(c, i);
      if (c->targets) {
        vector_store(target_planes(c, TARGET_LIMIT), i, vector(CLOTH_ANY_DISTANCE, 0.0f, 0.0f));
      }
    }
  }
}

int cloth_init(const cloth_config *config, void *arena, size_t bytes, cloth **out) {
  int error = check_config(config);
  if (error) {
    return error;
  }
  if (!arena || !out) {
    return CLOTH_ERROR_NULL;
  }
  if ((uintptr_t)arena % CLOTH_ALIGNMENT != 0) {
    return CLOTH_ERROR_ARENA_ALIGNMENT;
  }
  cloth laid_out;
  lay_out(&laid_out, config);
  if (bytes < laid_out.total) {
    return CLOTH_ERROR_ARENA_SIZE;
  }
  fill_zero(arena, laid_out.total);
  cloth *c = (cloth *)arena;
  *c = laid_out;
  c->magic = CLOTH_MAGIC;
  copy_settings(c, config);
  copy_map(c, config->mass_map, c->mass_ratio);
  copy_map(c, config->stiffness_map, c->stiffness_map);
  measure_map(config->mass_map, c->count, &c->mass_ratio_least, &c->mass_ratio_most);
  measure_map(config->stiffness_map, c->count, &c->map_least, &c->map_most);
  hash_config(c);
  cloth_inputs *inputs = inputs_of(c);
  inputs->gravity = vector_snapped(config->gravity, STATE_QUANTUM);
  inputs->wind = vector_snapped(config->wind, STATE_QUANTUM);
  set_fabric(c, &config->fabric);
  place_particles(c, config);
  *out = c;
  return CLOTH_OK;
}
