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

static void measure_grid(cloth *c, const cloth_config *config) {
  grid_shape *grid = &c->grid;
  float columns = (float)cells_along_warp(c);
  float rows = (float)(config->rows - 1);
  grid->spacing_warp = vector_length(config->edge_warp) / columns;
  grid->spacing_weft = vector_length(config->edge_weft) / rows;
  cloth_vector warp = vector_scale(vector_flush_work(config->edge_warp), 1.0f / columns);
  cloth_vector weft = vector_scale(vector_flush_work(config->edge_weft), 1.0f / rows);
  grid->diagonal = vector_length(vector_add(warp, weft));
  grid->antidiagonal = vector_length(vector_subtract(warp, weft));
  if (is_wrapped(c)) { /* whatever small lean the edges may have */
    grid->diagonal = vector_length(vector(grid->spacing_warp, grid->spacing_weft, 0.0f));
    grid->antidiagonal = grid->diagonal;
  }
  grid->area = parallelogram_area(config->edge_warp, config->edge_weft);
}

static void copy_settings(cloth *c, const cloth_config *config) {
  cloth_settings *s = &c->settings;
  s->air.density = flush_small(config->air.density, WORK_QUANTUM);
  s->air.drag = flush_small(config->air.drag, WORK_QUANTUM);
  s->air.lift = flush_small(config->air.lift, WORK_QUANTUM);
  s->air.normal_drag = flush_small(config->air.normal_drag, WORK_QUANTUM);
  s->integration.method = (int32_t)config->integration.method;
  s->integration.bend_method = (int32_t)config->integration.bend_method;
  s->integration.explicit_threshold = flush_small(config->integration.explicit_threshold, WORK_QUANTUM);
  s->integration.projection_threshold = flush_small(config->integration.projection_threshold, WORK_QUANTUM);
  s->integration.bdf2_blend = flush_small(config->integration.bdf2_blend, WORK_QUANTUM);
  s->integration.substeps = config->substeps;
  s->integration.max_substeps = config->integration.max_substeps;
  s->integration.max_speed = flush_small(config->integration.max_speed, WORK_QUANTUM);
  s->integration.velocity_damping = flush_small(config->integration.velocity_damping, WORK_QUANTUM);
  s->projection.spans = config->projection.spans;
  s->projection.fine_sweeps = config->projection.fine_sweeps;
  s->projection.fold_stiffness = flush_small(config->projection.fold_stiffness, WORK_QUANTUM);
  s->tethers.count = config->tethers.count;
  s->tethers.scale = flush_small(config->tethers.scale, WORK_QUANTUM);
  s->solver.preconditioner = (int32_t)config->solver.preconditioner;
  s->solver.max_iterations = config->solver.max_iterations;
  s->solver.tolerance = flush_small(config->solver.tolerance, WORK_QUANTUM);
  s->solver.warm_start = config->solver.warm_start;
  s->strain_limit.sweeps = config->strain_limit.sweeps;
  s->strain_limit.max_extension = flush_small(config->strain_limit.max_extension, WORK_QUANTUM);
  s->strain_limit.max_compression = flush_small(config->strain_limit.max_compression, WORK_QUANTUM);
  s->contact.mode = (int32_t)config->contact.mode;
  s->contact.thickness = flush_small(config->thickness, WORK_QUANTUM);
  s->sleep.speed = flush_small(config->sleep.speed, STATE_QUANTUM);
  s->sleep.time = flush_small(config->sleep.time, STATE_QUANTUM);
  s->capacity.max_colliders = config->max_colliders;
  s->capacity.max_confined = config->capacity.max_confined;
  s->capacity.fixed_work = config->capacity.fixed_work;
}

/* Extremes of a map, which bound kappa. */
static void measure_map(const float *map, int32_t count, float *least, float *most) {
  *least = map ? 100.0f : 1.0f;
  *most = map ? 0.0f : 1.0f;
  for (int32_t i = 0; map && i < count; i++) {
    float value = flush_small(map[i], WORK_QUANTUM);
    *least = minimum(*least, value);
    *most = maximum(*most, value);
  }
}

static void copy_map(const cloth *c, const float *map, uint32_t offset) {
  for (int32_t i = 0; map && i < c->count; i++) {
    floats_at(c, offset)[i] = flush_small(map[i], WORK_QUANTUM);
  }
  for (int32_t i = 0; map && i < LANE_PAD; i++) {
    floats_at(c, offset)[c->count + i] = 1.0f; /* what lanes beyond the end divide by */
  }
}

/* Settings and maps: all that a step depends on beside the state. */
static void hash_config(cloth *c) {
  hasher h;
  hash_start(&h);
  hash_words(&h, (const any_word *)&c->grid, (int32_t)(sizeof c->grid / 4));
  hash_words(&h, (const any_word *)&c->settings, (int32_t)(sizeof c->settings / 4));
  if (c->constant.mass_ratio) {
    hash_words(&h, (const any_word *)at(c, c->constant.mass_ratio), c->count);
  }
  if (c->constant.stiffness_map) {
    hash_words(&h, (const any_word *)at(c, c->constant.stiffness_map), c->count);
  }
  uint64_t hash = hash_end(&h);
  c->config_hash[0] = (uint32_t)hash;
  c->config_hash[1] = (uint32_t)(hash >> 32);
}

static void place_particles(const cloth *c, const cloth_config *config) {
  vector_array x = vectors_at(c, c->state.position);
  for (int32_t row = 0; row < c->grid.rows; row++) {
    for (int32_t column = 0; column < c->grid.columns; column++) {
      int32_t i = row * c->grid.columns + column;
      cloth_vector p = config->grid.positions ? config->grid.positions[i] : start_point(config, column, row);
      vector_store(x, i, vector_flush(p, STATE_QUANTUM));
      freedom_of(c)[i] = FREEDOM_FREE;
      invalidate_history(c, i);
      if (c->state.targets) {
        vector_store(target_vectors(c, TARGET_LIMIT), i, vector(CLOTH_ANY_DISTANCE, 0.0f, 0.0f));
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
    return CLOTH_ERROR_ARENA;
  }
  cloth draft;
  compute_layout(&draft, config);
  if (bytes < draft.total_bytes) {
    return CLOTH_ERROR_ARENA;
  }
  fill_zero(arena, draft.total_bytes);
  cloth *c = (cloth *)arena;
  *c = draft;
  c->magic = CLOTH_MAGIC;
  measure_grid(c, config);
  copy_settings(c, config);
  copy_map(c, config->grid.mass_map, c->constant.mass_ratio);
  copy_map(c, config->grid.stiffness_map, c->constant.stiffness_map);
  measure_map(config->grid.mass_map, c->count, &c->settings.factors.min_mass_ratio,
              &c->settings.factors.max_mass_ratio);
  measure_map(config->grid.stiffness_map, c->count, &c->settings.factors.min_stiffness,
              &c->settings.factors.max_stiffness);
  hash_config(c);
  cloth_inputs *inputs = inputs_of(c);
  inputs->gravity = vector_flush(config->gravity, STATE_QUANTUM);
  inputs->wind = vector_flush(config->wind, STATE_QUANTUM);
  set_fabric(c, &config->fabric);
  place_particles(c, config);
  *out = c;
  return CLOTH_OK;
}
