#pragma once
#include "../cloth/gaps.h"
#include "../cloth/vertices.h"

/// Targets and motion constraints ///

/* Targets and motion constraints: the calls that set them, and where targets are, on straight lines over a step. */

/* Ends the motion of the targets: they rest where they are at the end of the step. */
static void finish_target_motion(const cloth *c) {
  const size_t bytes = 3 * (size_t)c->stride * sizeof(float);
  copy_memory(target_vectors(c, TARGET_POSITION_BEFORE).x, target_vectors(c, TARGET_POSITION).x, bytes);
  copy_memory(target_vectors(c, TARGET_NORMAL_BEFORE).x, target_vectors(c, TARGET_NORMAL).x, bytes);
  inputs_of(c)->targets = TARGETS_STILL;
}

#if WITH_TARGETS

cloth_motion_constraint cloth_motion_constraint_default(void) {
  cloth_motion_constraint free;
  fill_zero(&free, sizeof free);
  free.max_distance = CLOTH_ANY_DISTANCE;
  return free;
}

int cloth_set_motion_constraint(cloth *c, int32_t particle, const cloth_motion_constraint *constraint) {
  RETURN_IF_ERROR(check_present(c, particle));
  if (!constraint) { return CLOTH_ERROR_NULL; }
  if (!c->state.targets) { return CLOTH_ERROR_STATE; }
  cloth_vector limit = vector(constraint->max_distance, constraint->backstop_distance, constraint->backstop_radius);
  if (!is_motion_limit(limit)) { return CLOTH_ERROR_RANGE; }
  if (!in_range(constraint->drive, 0.0f, MAX_DRIVE)) { return CLOTH_ERROR_RANGE; }
  set_particle_vector(c, target_vectors(c, TARGET_DRIVE), particle, vector(flush_work(constraint->drive), 0.0f, 0.0f));
  set_particle_vector(c, target_vectors(c, TARGET_LIMIT), particle, vector_flush_state(limit));
  return CLOTH_OK;
}

/* The bytes of a particle's vertex; a tube's rows have one vertex more than particles. */
static const uint8_t *vertex_of(const cloth *c, const cloth_vertex_layout *layout, const void *vertices, int32_t i) {
  int32_t vertex = i / c->grid.columns * row_vertices(c) + i % c->grid.columns;
  return (const uint8_t *)vertices + (size_t)vertex * (size_t)layout->stride;
}

/* An attribute of a vertex, three floats at any alignment; 0 if the layout does not have it. */
static cloth_vector read_attribute(const uint8_t *vertex, int32_t offset) {
  cloth_vector a = {0.0f, 0.0f, 0.0f};
  if (offset != CLOTH_ATTRIBUTE_NONE) { copy_floats(&a, vertex + offset, 3); }
  return a;
}

static int check_targets(const cloth *c, const cloth_vertex_layout *layout, const void *vertices) {
  for (int32_t i = 0; i < c->count; i++) {
    const uint8_t *vertex = vertex_of(c, layout, vertices, i);
    if (!vector_in_range(read_attribute(vertex, layout->position_offset), CLOTH_POSITION_LIMIT) ||
        !vector_in_range(read_attribute(vertex, layout->normal_offset), ATTRIBUTE_LIMIT)) {
      return CLOTH_ERROR_RANGE;
    }
  }
  return CLOTH_OK;
}

int cloth_move_targets(cloth *c, const cloth_vertex_layout *layout, const void *vertices, size_t bytes) {
  RETURN_IF_ERROR(check_call(c, layout));
  if (!vertices) { return CLOTH_ERROR_NULL; }
  if (!c->state.targets) { return CLOTH_ERROR_STATE; }
  if (layout->position_offset == CLOTH_ATTRIBUTE_NONE) { return CLOTH_ERROR_BUFFER; }
  int error = check_vertices(layout, grid_vertices(c), bytes);
  if (!error) { error = check_targets(c, layout, vertices); }
  if (error) { return error; }
  for (int32_t i = 0; i < c->count; i++) {
    const uint8_t *vertex = vertex_of(c, layout, vertices, i);
    cloth_vector position = read_attribute(vertex, layout->position_offset);
    cloth_vector normal = unit_or_zero(read_attribute(vertex, layout->normal_offset));
    set_particle_vector(c, target_vectors(c, TARGET_POSITION), i, vector_flush_state(position));
    set_particle_vector(c, target_vectors(c, TARGET_NORMAL), i, normal);
  }
  if (inputs_of(c)->targets == TARGETS_NONE) {
    wake(c);
    finish_target_motion(c);
  }
  inputs_of(c)->targets = WITH_SLEEP && is_asleep(c) ? TARGETS_STILL : TARGETS_MOVING;
  return CLOTH_OK;
}

int cloth_set_targets(cloth *c, const cloth_vertex_layout *layout, const void *vertices, size_t bytes) {
  RETURN_IF_ERROR(cloth_move_targets(c, layout, vertices, bytes));
  finish_target_motion(c);
  return CLOTH_OK;
}

#endif

/// Motion ///

/* Motions that a caller has set for one step: how those of pins begin and all end. */

/* Velocities of pins for a step of 1 / inverse_dt seconds: of the move to make, or 0 after the last one. */
static void start_pins(const cloth *c, float inverse_dt) {
  vector_array v = vectors_at(c, c->state.velocity);
  uint8_t *freedom = freedom_of(c);
  int have_moves = (freedom_of_some(c) & (PIN_MOVING | PIN_ARRIVED)) != 0;
  for (int32_t i = have_moves ? next_pin(c, 0) : c->count; i < c->count; i = next_pin(c, i + 1)) {
    if (freedom[i] & PIN_MOVING) {
      vector_store(v, i, starting_velocity(c, i, inverse_dt));
      freedom[i] = FREEDOM_PINNED | PIN_ARRIVED;
    } else if (freedom[i] & PIN_ARRIVED) {
      vector_store(v, i, vector(0.0f, 0.0f, 0.0f));
      freedom[i] = FREEDOM_PINNED;
    }
  }
}

/* Ends the motions of one step: colliders rest at their poses, targets where they have been moved to. */
static void finish_motions(const cloth *c) {
  for (int32_t index = 0; index < inputs_of(c)->collider_end; index++) {
    collider_slot *slot = &colliders_of(c)[index];
    slot->previous = slot->body.pose;
  }
  if (WITH_TARGETS && inputs_of(c)->targets == TARGETS_MOVING) { finish_target_motion(c); }
}
