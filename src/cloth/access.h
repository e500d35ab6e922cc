#pragma once
#include "../base/hash.h"
#include "../base/lanes.h"
#include "types.h"

/// Access to the arena ///

/* Addresses of the arrays of a cloth (types.h says what they are), and small questions that several parts share. */

/* The address `offset` bytes from the start of the arena, modulo the size of an address for shared scratch. */
static void *at(const cloth *c, uintptr_t offset) {
  return (char *)(uintptr_t)c + (ptrdiff_t)offset;
}

static float *floats_at(const cloth *c, uintptr_t offset) {
  return (float *)at(c, offset);
}

/* Three arrays that lie `stride` floats apart. */
CLOTH_INLINE vector_array vectors_at(const cloth *c, uintptr_t offset) {
  float *x = floats_at(c, offset);
  return (vector_array){x, x + c->stride, x + 2 * c->stride};
}

typedef struct memory_range {
  uintptr_t start, bytes;
} memory_range;

static int do_overlap(memory_range a, memory_range b) {
  return a.start < b.start + b.bytes && b.start < a.start + a.bytes;
}

static memory_range arena_of(const cloth *c) {
  return (memory_range){(uintptr_t)c, c->total_bytes};
}

/* 1 if a buffer has room for `needed` bytes, and these would not be written over the arena. */
static int is_room(const cloth *c, const void *buffer, size_t bytes, size_t needed) {
  const memory_range range = {(uintptr_t)buffer, needed};
  return bytes >= needed && !do_overlap(range, arena_of(c));
}

/* Keeps an address of the caller's while a step runs, as two words in every build. NULL ends it. */
CLOTH_INLINE void keep_address(uint32_t words[2], const void *pointer) {
  const uint64_t address = (uint64_t)(uintptr_t)pointer;
  words[0] = (uint32_t)address;
  words[1] = (uint32_t)(address >> 32);
}

CLOTH_INLINE const void *kept_address(const uint32_t words[2]) {
  return (const void *)(uintptr_t)((uint64_t)words[1] << 32 | words[0]);
}

CLOTH_INLINE int32_t whole_words(int32_t bytes) {
  return (bytes + 3) & ~3;
}

static cloth_inputs *inputs_of(const cloth *c) {
  return (cloth_inputs *)at(c, c->state.inputs);
}

static collider_slot *colliders_of(const cloth *c) {
  return (collider_slot *)at(c, c->state.colliders);
}

/* A collider: one of the cloth's own, or from capacity.max_colliders on a shared body of the step. */
static collider_slot *slot_at(const cloth *c, int32_t index) {
  const int32_t body = index - c->settings.capacity.max_colliders;
  return WITH_SHARED_BODIES && body >= 0 ? (collider_slot *)at(c, c->own.shared_bodies) + body
                                         : colliders_of(c) + index;
}

static confinement *confined_of(const cloth *c) {
  return (confinement *)at(c, c->state.confined);
}

static cloth_reaction *reactions_of(const cloth *c) {
  return (cloth_reaction *)at(c, c->own.reactions);
}

/* Adds to a collider's reaction an impulse [N s], and its angular impulse about the collider's position [N m s]. */
static void add_to_reaction(const cloth *c, int32_t collider, cloth_vector impulse, cloth_vector torque) {
  cloth_reaction *reaction = &reactions_of(c)[collider];
  reaction->impulse = vector_add(reaction->impulse, impulse);
  reaction->torque = vector_add(reaction->torque, torque);
}

/* Floats of the reactions of colliders and shared bodies, and of pins behind them. */
static int32_t report_count(const cloth *c) {
  const int32_t floats = (int32_t)(sizeof(cloth_reaction) / sizeof(float));
  return (c->settings.capacity.max_colliders + c->settings.capacity.max_shared_bodies) * floats +
         (c->own.pin_reactions ? 3 * c->count : 0);
}

static workspace *workspace_of(const cloth *c) {
  return (workspace *)at(c, c->own.workspace);
}

static cloth_statistics *statistics_of(const cloth *c) {
  return &workspace_of(c)->statistics;
}

/* One past the last collider, shared bodies of the step included. */
static int32_t collider_end(const cloth *c) {
  const int32_t bodies = WITH_SHARED_BODIES ? workspace_of(c)->shared_bodies : 0;
  return bodies ? c->settings.capacity.max_colliders + bodies : inputs_of(c)->collider_end;
}

/* Is there a collider at an index below collider_end()? */
static int is_collider(const cloth *c, int32_t index) {
  const int32_t max_colliders = c->settings.capacity.max_colliders;
  return index >= max_colliders || (index < inputs_of(c)->collider_end && colliders_of(c)[index].used);
}

/* Adds `times` units of work of `cost` instructions each (costs.h) to that of the step, two words, low first. */
static void add_work(const cloth *c, uint64_t times, uint32_t cost) {
  if (!WITH_PLANNING) { return; }
  uint32_t *work = statistics_of(c)->work;
  uint64_t sum = ((uint64_t)work[1] << 32 | work[0]) + times * cost;
  work[0] = (uint32_t)sum;
  work[1] = (uint32_t)(sum >> 32);
}

/* Returns 1 and counts a refinement if the step may do one more piece of optional work; once it has said 0 it does so
   to the end of the step. */
static int may_refine(const cloth *c) {
  workspace *w = workspace_of(c);
  if (w->has_deadline && !w->is_cut && CLOTH_TICKS() - w->start >= w->ticks) {
    w->is_cut = 1;
    w->max_refinements = w->refinements;
  }
  if (w->is_cut && w->refinements >= w->max_refinements) { return 0; }
  w->refinements++;
  return 1;
}

/* Adds work that depends on the state. In fixed-work mode its maximum was already charged at the start of the step. */
static void add_varying_work(const cloth *c, uint64_t times, uint32_t cost) {
  add_work(c, c->settings.capacity.fixed_work ? 0u : times, cost);
}

static uint8_t *freedom_of(const cloth *c) {
  return (uint8_t *)at(c, c->state.freedom);
}

/* For how many steps each particle has been part of an intersection, and what is kept of seams: self/memory.h. */
static uint8_t *ages_of(const cloth *c) {
  return freedom_of(c) + whole_words(c->count);
}

/* Steps in succession with an intersection after which a particle counts as tangled. */
#define SELF_TANGLED_AGE 3

/* Age of all particles before the first step: cloth that begins crossed is tangled at once, as no pair knows a side. */
#define SELF_BIRTH_AGE (SELF_TANGLED_AGE - 1)

static int is_pinned(const cloth *c, int32_t particle) {
  return (freedom_of(c)[particle] & FREEDOM_MASK) == FREEDOM_PINNED;
}

/* 1 for a tube: column 0 follows the last column. */
CLOTH_INLINE int is_wrapped(const cloth *c) {
  return WITH_WRAP && c->grid.wrap;
}

/* Cells along the warp (one row); a tube has one more than a flat sheet. */
static int32_t cells_along_warp(const cloth *c) {
  return is_wrapped(c) ? c->grid.columns : c->grid.columns - 1;
}

/* The first particle of a cell, counted row by row. */
CLOTH_INLINE int32_t first_of_cell(const cloth *c, int32_t cell) {
  const int32_t cells = cells_along_warp(c), row = cell / cells;
  return row * c->grid.columns + (cell - row * cells);
}

/* The predicted positions of a substep [m]. They share memory with the solver's product, see the table in types.h. */
static vector_array predicted_of(const cloth *c) {
  return vectors_at(c, c->scratch.product);
}

/* Sets what follows the factors of all particles: lanes past the last one divide by it. */
static void pad_factors(float *factors, int32_t count) {
  for (int32_t n = 0; n < LANE_PAD; n++) {
    factors[count + n] = 1.0f;
  }
}

/* Mass of a particle over the reference mass; 1 without a map. */
static float mass_ratio_at(const cloth *c, int32_t particle) {
  return c->constant.mass_ratio ? floats_at(c, c->constant.mass_ratio)[particle] : 1.0f;
}

static lanes mass_ratio_lanes(const cloth *c, int32_t particle) {
  return c->constant.mass_ratio ? lanes_load(floats_at(c, c->constant.mass_ratio) + particle) : lanes_splat(1.0f);
}

/* Mean of a map at two particles; 1 without the map. */
static float map_between(const cloth *c, uint32_t offset, int32_t i, int32_t j) {
  const float *map = floats_at(c, offset);
  return offset ? 0.5f * (map[i] + map[j]) : 1.0f;
}

/* Particles that have a cell. */
static int32_t particles_of(const cloth *c) {
  return WITH_GAPS && c->gaps ? ((const gap_summary *)at(c, c->gaps))->particles : c->count;
}

/* Mass of a particle of mass ratio 1 [kg]: the mass of the sheet over the number of particles. */
static float reference_mass(const cloth *c) {
  return inputs_of(c)->fabric.density * c->grid.area / (float)particles_of(c);
}

/* Mass of a particle [kg]. */
static float mass_of_particle(const cloth *c, int32_t particle) {
  return reference_mass(c) * mass_ratio_at(c, particle);
}

static void fill_vectors(const cloth *c, vector_array a, float value) {
  for (int32_t i = 0; i < c->count; i++) {
    vector_store(a, i, vector(value, value, value));
  }
}

/* 1 if the next step chooses tethers: when pins came or went, or with fixed work always; never anew what was set. */
static int will_choose_tethers(const cloth *c) {
  int32_t chosen = c->state.tethers ? inputs_of(c)->tethers_chosen : TETHERS_SET;
  return chosen == TETHERS_STALE || (chosen == TETHERS_CHOSEN && c->settings.capacity.fixed_work);
}

/* Returns the error of a check from the function around it, unless that is CLOTH_OK. */
#define RETURN_IF_ERROR(check)                                                                                         \
  do {                                                                                                                 \
    const int error_of_check = (check);                                                                                \
    if (error_of_check) { return error_of_check; }                                                                     \
  } while (0)

static int check_cloth(const cloth *c) {
  if (!c) { return CLOTH_ERROR_NULL; }
  if ((uintptr_t)c % CLOTH_ALIGNMENT != 0 || c->magic != CLOTH_MAGIC) { return CLOTH_ERROR_NOT_A_CLOTH; }
  return CLOTH_OK;
}

static int check_collider_index(const cloth *c, int32_t index) {
  RETURN_IF_ERROR(check_cloth(c));
  return index >= 0 && index < c->settings.capacity.max_colliders && colliders_of(c)[index].used ? CLOTH_OK
                                                                                                 : CLOTH_ERROR_INDEX;
}

/* Checks a list of 1 to `most` cloths. */
static int check_cloths(const cloth *const *cloths, int32_t count, int32_t most) {
  if (!cloths) { return CLOTH_ERROR_NULL; }
  int error = count < 1 || count > most ? CLOTH_ERROR_RANGE : CLOTH_OK;
  for (int32_t n = 0; n < count && !error; n++) {
    error = check_cloth(cloths[n]);
  }
  return error;
}

/* The check of a call with a cloth and one more pointer, which may not be NULL. */
static int check_call(const cloth *c, const void *argument) {
  int error = check_cloth(c);
  return error || argument ? error : CLOTH_ERROR_NULL;
}

/* Velocities [m/s] `before` substeps, 1 or 2, before the last. Only if the state has a velocity history. */
static vector_array history_of(const cloth *c, int32_t before) {
  return vectors_at(c, c->state.velocity_history + (uint32_t)((before - 1) * 3 * c->stride) * (uint32_t)sizeof(float));
}

/* How many velocities before the last the history has. */
CLOTH_INLINE int32_t history_length(const cloth *c) {
  return !c->state.velocity_history ? 0 : c->settings.integration.bdf2_blend > 0.0f ? 2 : 1;
}

/* Marks a particle's earlier velocities as meaningless: the next prediction does not extrapolate them. */
static void invalidate_history(const cloth *c, int32_t particle) {
  if (c->state.velocity_history) {
    vector_store(history_of(c, 1), particle, vector(HISTORY_INVALID, 0.0f, 0.0f));
    if (history_length(c) > 1) { vector_store(history_of(c, 2), particle, vector(0.0f, 0.0f, 0.0f)); }
  }
}

/* Which particles of a block have no history of velocities. Half of the mark tells it from any speed. */
CLOTH_INLINE lanes_mask has_no_history(lanes first_component) {
  return lanes_less(lanes_splat(0.5f * HISTORY_INVALID), first_component);
}

/* One of the vectors kept for targets: TARGET_LIMIT ... */
static vector_array target_vectors(const cloth *c, int32_t which) {
  return vectors_at(c, c->state.targets + (uint32_t)(which * 3 * c->stride) * (uint32_t)sizeof(float));
}

/* Largest stiffness of a drive [N/m]. */
#define MAX_DRIVE 1.0e6f

/* Largest distance and radius of a backstop [m]: the range that cloth.h promises. */
#define MAX_BACKSTOP 1.0e4f

/* 1 if the lengths of a motion constraint are in range: max_distance, backstop_distance, backstop_radius [m]. */
static int is_motion_limit(cloth_vector limit) {
  return in_range(limit.x, 0.0f, CLOTH_ANY_DISTANCE) && in_range(limit.y, 0.0f, MAX_BACKSTOP) &&
         in_range(limit.z, 0.0f, MAX_BACKSTOP);
}

static int is_asleep(const cloth *c) {
  return inputs_of(c)->rest_time == ASLEEP;
}

/* Wakes the cloth, or restarts the time that it has been at rest, as something that acts on it has changed. */
static void wake(const cloth *c) {
  inputs_of(c)->rest_time = 0.0f;
}

/* Stores one of the inputs, and wakes the cloth if the value differs from the stored one. */
static void set_input(const cloth *c, void *stored, const void *value, size_t bytes) {
  if (WITH_SLEEP && !are_equal(stored, value, bytes)) { wake(c); }
  copy_memory(stored, value, bytes);
}

static int has_air(const cloth *c) {
  return WITH_AIR && c->settings.air.density > 0.0f &&
         (c->settings.air.drag > 0.0f || c->settings.air.lift > 0.0f || c->settings.air.normal_drag > 0.0f);
}

/* 1 if all of 32 particles, from a multiple of four on, are free: the last bit of their freedom is set. */
CLOTH_INLINE int are_many_free(const uint8_t *freedom) {
  const any_word *w = (const any_word *)(const void *)freedom;
  const uint32_t last_bits = 0x01010101u;
  return ((w[0] & w[1] & w[2] & w[3]) & (w[4] & w[5] & w[6] & w[7]) & last_bits) == last_bits;
}

/* The first pinned particle from one on; c->count if there is none. */
static int32_t next_pin(const cloth *c, int32_t i) {
  const uint8_t *freedom = freedom_of(c);
  const int32_t count = c->count;
  if (i < count && is_pinned(c, i)) { return i; } /* as most are that follow a pin */
  for (;; i++) {
    while (i % 4 == 0 && i + 32 <= count && are_many_free(freedom + i)) {
      i += 32;
    }
    if (i >= count || is_pinned(c, i)) { return i; }
  }
}

/* Bits that are set in the freedom of at least one particle. Reads sixteen particles at a time. */
static uint32_t freedom_of_some(const cloth *c) {
  const uint8_t *freedom = freedom_of(c), *end = freedom + c->count;
  uint32_t some = 0;
  for (; end - freedom >= 16; freedom += 16) {
    const any_word *words = (const any_word *)(const void *)freedom;
    some |= words[0] | words[1] | words[2] | words[3];
  }
  for (; freedom < end; freedom++) {
    some |= *freedom;
  }
  some |= some >> 16;
  return (some | some >> 8) & 0xffu;
}

static int are_all_free(const cloth *c) {
  int32_t i = 0;
  while (i < c->count && (freedom_of(c)[i] & FREEDOM_MASK) == FREEDOM_FREE) {
    i++;
  }
  return i == c->count;
}

static int check_particle(const cloth *c, int32_t particle) {
  const int error = check_cloth(c);
  return error || (particle >= 0 && particle < c->count) ? error : CLOTH_ERROR_INDEX;
}

/* The dt that a step takes [s]: with 1 us, far below any frame, the shortest substep is 1 ns. */
#define MIN_TIME_STEP 1.0e-6f
#define MAX_TIME_STEP 1.0f

static int is_time_step(float dt) {
  return in_range(dt, MIN_TIME_STEP, MAX_TIME_STEP);
}

/* Velocity of a particle between steps: 0 for a pin whose move no step has made. */
static cloth_vector current_velocity(const cloth *c, int32_t particle) {
  return freedom_of(c)[particle] & PIN_MOVING ? vector(0.0f, 0.0f, 0.0f)
                                              : vector_load(vectors_at(c, c->state.velocity), particle);
}

/* Velocity that a step of 1 / inverse_dt seconds starts with: that of the move, for a pin that has one. */
static cloth_vector starting_velocity(const cloth *c, int32_t particle, float inverse_dt) {
  cloth_vector v = vector_load(vectors_at(c, c->state.velocity), particle);
  return freedom_of(c)[particle] & PIN_MOVING ? vector_flush_state(vector_scale(v, inverse_dt)) : v;
}

/* Stores a vector of a particle that the caller sets, and wakes the cloth if it differs from the stored one. */
static void set_particle_vector(const cloth *c, vector_array to, int32_t particle, cloth_vector a) {
  cloth_vector before = vector_load(to, particle);
  if (WITH_SLEEP && !are_equal(&before, &a, sizeof a)) { wake(c); }
  vector_store(to, particle, a);
}

static int check_pin(const cloth *c, int32_t particle) {
  const int error = check_particle(c, particle);
  return error || is_pinned(c, particle) ? error : CLOTH_ERROR_STATE;
}

/* Keeps the address of the surroundings while a step runs. NULL ends it. */
static void set_surroundings(const cloth *c, const cloth_surroundings *around) {
  keep_address(workspace_of(c)->surroundings, around);
}

static const cloth_surroundings *surroundings_of(const cloth *c) {
  return (const cloth_surroundings *)kept_address(workspace_of(c)->surroundings);
}
