#pragma once
#include "layout.h"

/// Initialisation ///

/* Makes a cloth in its arena: offsets, grid, settings and their hash, constants, the state at rest, scratch of 0. */

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
  if (is_wrapped(c)) { /* without the lean that edges may have, so that all cells are equal */
    grid->diagonal = vector_length(vector(grid->spacing_warp, grid->spacing_weft, 0.0f));
    grid->antidiagonal = grid->diagonal;
  }
  grid->area = parallelogram_area(config->edge_warp, config->edge_weft);
  if (WITH_REST_SHAPE && config->grid.rest_positions) { measure_shape(grid, config); }
}

/* Flushes the numbers of the settings below WORK_QUANTUM to 0, and those of sleep like the velocities and times of the
   state that they are compared with. Those whose range begins above it need none. */
static void flush_settings(cloth_settings *s) {
  flush_floats(&s->air.density, (int32_t)(sizeof s->air / sizeof(float)));
  flush_floats(&s->integration.min_bending_length, 3);
  s->integration.velocity_damping = flush_work(s->integration.velocity_damping);
  s->strain_limit.max_extension = flush_work(s->strain_limit.max_extension);
  s->integration.rest_drag = flush_work(s->integration.rest_drag);
  s->solver.tolerance = flush_work(s->solver.tolerance);
  s->contact.thickness = flush_work(s->contact.thickness);
  s->sleep.speed = flush_small(s->sleep.speed, STATE_QUANTUM);
  s->sleep.time = flush_small(s->sleep.time, STATE_QUANTUM);
  s->world.recentre_distance = flush_small(s->world.recentre_distance, STATE_QUANTUM);
}

static void copy_settings(cloth *c, const cloth_config *config) {
  cloth_settings *s = &c->settings;
  s->air = config->air;
  s->integration.method = config->integration.method;
  s->integration.min_bending_length = config->grid.min_bending_length;
  s->integration.explicit_threshold = config->integration.explicit_threshold;
  s->integration.bdf2_blend = config->integration.bdf2_blend;
  s->integration.substeps = config->substeps;
  s->integration.max_substeps = config->integration.max_substeps;
  s->integration.max_speed = config->integration.max_speed;
  s->integration.velocity_damping = config->integration.velocity_damping;
  s->integration.rest_drag = config->integration.rest_drag;
  s->integration.rest_speed = config->integration.rest_speed;
  s->integration.max_push_speed = config->integration.max_push_speed;
  s->integration.max_parts = config->integration.max_parts;
  s->integration.iterations = config->iterations;
  s->tethers = config->tethers;
  s->solver = config->solver;
  s->strain_limit = config->strain_limit;
  s->contact.thickness = config->thickness;
  s->sleep = config->sleep;
  s->world.recentre_distance = config->world.recentre_distance;
  s->capacity.max_colliders = config->max_colliders;
  s->capacity.geometry = config->capacity.geometry;
  s->capacity.meshes = config->capacity.meshes;
  s->capacity.max_shared_bodies = config->capacity.max_shared_bodies;
  s->capacity.max_confined = config->capacity.max_confined;
  s->capacity.max_bodies = config->capacity.max_bodies;
  s->capacity.max_attachments = config->capacity.max_attachments;
  s->capacity.pin_reactions = config->capacity.pin_reactions;
  s->capacity.fixed_work = config->capacity.fixed_work;
  flush_settings(s);
}

/* Settings of self-contact, where the config asks for it. */
static void copy_self_settings(self_settings *self, const cloth_config *config) {
  self->thickness = config->self_thickness;
  self->friction = flush_work(config->self_friction);
  self->pairs = config->self.pairs;
  self->gathers = config->self.gathers;
  self->untangle = config->self.untangle && config->self.shape == CLOTH_SELF_TRIANGLES;
  self->shape = config->self.shape;
}

/* Extremes of a map, which bound the kappa of springs; 1 without a map. */
static void measure_map(const float *map, int32_t count, float *min, float *max) {
  *min = map ? MAX_MAP_FACTOR : 1.0f;
  *max = map ? 0.0f : 1.0f;
  for (int32_t i = 0; map && i < count; i++) {
    float value = flush_work(map[i]);
    *min = minimum(*min, value);
    *max = maximum(*max, value);
  }
}

/* Extremes of the maps of masses and stiffness, with what the shape makes of them. */
static void measure_maps(cloth *c, const cloth_config *config) {
  measure_map(config->grid.mass_map, c->count, &c->settings.factors.min_mass_ratio,
              &c->settings.factors.max_mass_ratio);
  measure_map(config->grid.stiffness_map, c->count, &c->settings.factors.min_stiffness,
              &c->settings.factors.max_stiffness);
  if (WITH_REST_SHAPE && config->grid.rest_positions) { measure_shape_factors(c, config); }
}

static void copy_map(const cloth *c, const float *map, uint32_t offset) {
  for (int32_t i = 0; map && i < c->count; i++) {
    floats_at(c, offset)[i] = flush_work(map[i]);
  }
  if (map) { pad_factors(floats_at(c, offset), c->count); }
}

/* Counts the cells of a mask or NULL, and the particles that have one; takes absent cells from the area. */
static void measure_mask(cloth *c, const cloth_config *config, gap_summary *s) {
  const uint8_t *mask = config->grid.cell_mask;
  const int32_t all = cells_along_warp(c) * (config->rows - 1);
  s->cells = mask ? 0 : all;
  s->particles = mask ? 0 : c->count;
  for (int32_t i = 0; mask && i < all; i++) {
    s->cells += mask[i];
  }
  for (int32_t i = 0; mask && i < c->count; i++) {
    const int32_t row = i / config->columns;
    s->particles += has_kept_cell(config, i - row * config->columns, row);
  }
  s->kind = (s->cells < all ? GAPS_MASKED : 0) | (config->grid.rest_positions ? GAPS_SHAPED : 0);
  c->grid.area *= config->grid.rest_positions ? 1.0f : (float)s->cells / (float)all;
}

/* Sets how a cloth tears. Its bytes are the last before the colliders, see layout_state(). */
static void measure_tearing(cloth *c, const cloth_config *config, gap_summary *s) {
  const int32_t padded = whole_words(c->count);
  if (!needs_tearing(config)) { return; }
  s->tears = c->state.colliders - (uint32_t)padded - TORN_BYTES;
  s->tear_map =
      config->tearing.map ? c->gaps + (uint32_t)sizeof(gap_summary) + (uint32_t)padded + rest_shape_bytes(config) : 0u;
  s->tear_strain = flush_work(config->tearing.strain);
  s->pin_force = flush_work(config->tearing.pin_force);
  s->max_breaks = config->tearing.max_breaks;
  s->max_torn_cells = config->tearing.max_torn_cells;
  float most;
  measure_map(config->tearing.map, c->count, &s->least_factor, &most);
}

/* Takes out of a new cloth what its mask leaves out, and makes it tear. */
static void cut_mask(cloth *c, const cloth_config *config) {
  gap_summary *s = gap_summary_of(c);
  if (!may_have_gaps(c)) { return; }
  measure_mask(c, config, s);
  measure_tearing(c, config, s);
  for (int32_t i = 0; s->tear_map && i < c->count; i++) {
    floats_at(c, s->tear_map)[i] = flush_work(config->tearing.map[i]);
  }
  set_gaps(c, config->grid.cell_mask);
  if (has_rest_shape(c)) { set_rest_shape(c, config); }
  int32_t *label = (int32_t *)at(c, c->state.velocity); /* which is 0 before and after */
  s->pieces = label_pieces(c, label, c->grid.columns);
  fill_zero(label, (size_t)c->count * sizeof(int32_t));
}

/* Adds the mask, and the settings of tearing. */
static void hash_gaps(const cloth *c, hasher *h) {
  for (int32_t i = 0; may_have_gaps(c) && i < c->count; i++) {
    hash_word(h, gaps_of(c)[i]);
  }
  if (has_rest_shape(c)) {
    hash_words(h, (const any_word *)(const void *)rest_array(c, 0), REST_ARRAYS * (c->count + LANE_PAD));
  }
  if (can_tear(c)) {
    const gap_summary *s = gap_summary_of(c);
    hash_words(h, (const any_word *)(const void *)&s->tear_strain, 2);
    hash_words(h, (const any_word *)(const void *)&s->max_breaks, 2);
    if (s->tear_map) { hash_words(h, (const any_word *)at(c, s->tear_map), c->count); }
  }
}

/* Hash of grid, settings and maps: with the state and dt, all that a step depends on. */
static void hash_config(cloth *c) {
  hasher h;
  hash_start(&h);
  hash_words(&h, (const any_word *)&c->grid, (int32_t)(sizeof c->grid / 4));
  hash_words(&h, (const any_word *)&c->settings, (int32_t)(sizeof c->settings / 4));
  if (c->self) { hash_words(&h, (const any_word *)at(c, c->self), (int32_t)(sizeof(self_settings) / 4)); }
  if (c->constant.mass_ratio) { hash_words(&h, (const any_word *)at(c, c->constant.mass_ratio), c->count); }
  if (c->constant.stiffness_map) { hash_words(&h, (const any_word *)at(c, c->constant.stiffness_map), c->count); }
  hash_gaps(c, &h);
  if (WITH_WORKERS && c->pieces) { /* of any number: sums of reactions are added up in another order */
    hash_word(&h, CLOTH_WORKER_LIMIT);
  }
  uint64_t hash = hash_end(&h);
  c->config_hash[0] = (uint32_t)hash;
  c->config_hash[1] = (uint32_t)(hash >> 32);
}

static void place_particles(const cloth *c, const cloth_config *config) {
  vector_array x = vectors_at(c, c->state.position);
  float reach = flush_work(config->grid.imperfection) * minimum(c->grid.spacing_warp, c->grid.spacing_weft);
  for (int32_t column = 0; column < c->grid.columns; column++) {
    cloth_vector normal = start_normal(config, column);
    for (int32_t row = 0; row < c->grid.rows; row++) {
      int32_t i = row * c->grid.columns + column;
      const cloth_vector *given = start_positions(config);
      cloth_vector p = given ? given[i] : imperfect_start(config, normal, reach, column, row);
      vector_store(x, i, vector_flush_state(p));
      freedom_of(c)[i] = FREEDOM_FREE;
      if (WITH_SELF && c->self) { ages_of(c)[i] = SELF_BIRTH_AGE; }
      invalidate_history(c, i);
      if (c->state.targets) {
        vector_store(target_vectors(c, TARGET_LIMIT), i, vector(CLOTH_ANY_DISTANCE, 0.0f, 0.0f));
      }
    }
  }
  if (has_gaps(c)) { hold_absent_particles(c); }
}

int cloth_init(const cloth_config *config, void *arena, size_t bytes, cloth **out) {
  RETURN_IF_ERROR(check_config(config));
  if (!arena || !out) { return CLOTH_ERROR_NULL; }
  if ((uintptr_t)arena % CLOTH_ALIGNMENT != 0) { return CLOTH_ERROR_ARENA; }
  cloth draft;
  compute_layout(&draft, config);
  if (bytes < draft.total_bytes) { return CLOTH_ERROR_ARENA; }
  fill_zero(arena, draft.total_bytes);
  cloth *c = (cloth *)arena;
  *c = draft;
  c->magic = CLOTH_MAGIC;
  c->versions = SAVE_VERSIONS;
  c->state_bytes = c->state.end - c->state.freedom;
  measure_grid(c, config);
  copy_settings(c, config);
  copy_map(c, config->grid.mass_map, c->constant.mass_ratio);
  copy_map(c, config->grid.stiffness_map, c->constant.stiffness_map);
  measure_maps(c, config);
  if (c->self) { copy_self_settings((self_settings *)at(c, c->self), config); }
  cut_mask(c, config);
  hash_config(c);
  cloth_inputs *inputs = inputs_of(c);
  inputs->origin = config->world.origin;
  inputs->gravity = vector_flush_state(config->gravity);
  inputs->wind = vector_flush_state(config->wind);
  set_fabric(c, &config->fabric);
  place_particles(c, config);
  *out = c;
  return CLOTH_OK;
}
