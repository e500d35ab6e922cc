#pragma once
#include "../base/compiler.h"
#include "../base/rigid.h"
#include "../base/scalar.h"
#include "../bodies/bodies.h"
#include "../cloth/access.h"
#include "../cloth/body_list.h"
#include "../cloth/costs.h"
#include "../cloth/settings.h"
#include "../cloth/types.h"
#include "../step/inputs.h"
#include "cell_memory.h"
#include "geometry.h"
#include "memory.h"

/// Colliders ///

/* Calls that add, change, move and remove colliders, in the state. A change wakes the cloth. */

#if WITH_COLLIDERS

cloth_collider cloth_collider_default(void) {
  cloth_collider body;
  fill_zero(&body, sizeof body);
  body.shape = CLOTH_SHAPE_SPHERE;
  body.pose.rotation.w = 1.0f;
  body.radius = 0.25f;
  body.radius_top = 0.25f;
  body.half_height = 0.25f;
  body.half_extents = vector(0.25f, 0.25f, 0.25f);
  body.static_friction = 0.5f;
  body.kinetic_friction = 0.5f;
  return body;
}

/* Is a length of a shape in range [m]? Texts of settings.h quote the ends. */
static int is_size(float length) {
  return in_range(length, 1.0e-3f, 1.0e4f);
}

/* Largest difference of a capsule's radii over its half_height. At 2 one sphere touches the other from inside, and the
   cone that touches both is gone; the margin keeps its sine clear of 1. */
#define MAX_CAPSULE_TAPER 1.998f
/* Largest friction coefficient. */
#define MAX_FRICTION 10.0f

static int find_capsule_fault(const cloth_collider *body) {
  if (!is_size(body->radius)) { return COLLIDER_FAULT(RADIUS); }
  if (!is_size(body->radius_top)) { return COLLIDER_FAULT(RADIUS_TOP); }
  if (!is_size(body->half_height)) { return COLLIDER_FAULT(HALF_HEIGHT); }
  return absolute(body->radius - body->radius_top) < MAX_CAPSULE_TAPER * body->half_height ? 0
                                                                                           : COLLIDER_FAULT(SPHERES);
}

static int find_key_fault(const cloth_geometry_key *key) {
  if (key->elements < 1 || key->elements > CLOTH_SAMPLE_LIMIT) { return COLLIDER_FAULT(GEOMETRY); }
  return key->place >= 0 && key->place < CLOTH_GEOMETRY_LIMIT ? 0 : COLLIDER_FAULT(PLACE);
}

static int find_shape_fault(const cloth_collider *body) {
  const cloth_vector half = body->half_extents;
  switch (body->shape) {
  case CLOTH_SHAPE_PLANE:
    return 0;
  case CLOTH_SHAPE_SPHERE:
    return is_size(body->radius) ? 0 : COLLIDER_FAULT(RADIUS);
  case CLOTH_SHAPE_CAPSULE:
    return find_capsule_fault(body);
  case CLOTH_SHAPE_BOX:
    return is_size(half.x) && is_size(half.y) && is_size(half.z) ? 0 : COLLIDER_FAULT(HALF_EXTENTS);
  case CLOTH_SHAPE_CYLINDER:
    if (!is_size(body->radius)) { return COLLIDER_FAULT(RADIUS); }
    return is_size(body->half_height) ? 0 : COLLIDER_FAULT(HALF_HEIGHT);
  case CLOTH_SHAPE_HULL:
    return WITH_HULL ? find_key_fault(&body->geometry) : COLLIDER_FAULT(NO_SHAPE);
  case CLOTH_SHAPE_HEIGHT_FIELD:
    return WITH_HEIGHT_FIELD ? find_key_fault(&body->geometry) : COLLIDER_FAULT(NO_SHAPE);
  case CLOTH_SHAPE_MESH:
    return WITH_MESH ? find_key_fault(&body->geometry) : COLLIDER_FAULT(NO_SHAPE);
  case CLOTH_SHAPE_DISTANCE_GRID:
    return WITH_DISTANCE_GRID ? find_key_fault(&body->geometry) : COLLIDER_FAULT(NO_SHAPE);
  default:
    return COLLIDER_FAULT(SHAPE);
  }
}

static int find_friction_fault(const cloth_collider *body) {
  if (!in_range(body->static_friction, 0.0f, MAX_FRICTION)) { return COLLIDER_FAULT(STATIC); }
  if (!in_range(body->kinetic_friction, 0.0f, MAX_FRICTION)) { return COLLIDER_FAULT(KINETIC); }
  return body->kinetic_friction <= body->static_friction ? 0 : COLLIDER_FAULT(FRICTIONS);
}

/* The first fault of a collider, 0 for none. */
static int find_collider_fault(const cloth_collider *body) {
  if (!body) { return COLLIDER_FAULT(POINTER); }
  int error = find_shape_fault(body);
  if (error) { return error; }
  if (!vector_in_range(body->pose.position, CLOTH_POSITION_LIMIT)) { return COLLIDER_FAULT(POSITION); }
  return is_unit_rotation(body->pose.rotation) ? find_friction_fault(body) : COLLIDER_FAULT(ROTATION);
}

static int collider_error(int fault) {
  return fault ? collider_fault_errors[fault - 1] : CLOTH_OK;
}

static int check_collider(const cloth_collider *body) {
  return collider_error(find_collider_fault(body));
}

/* A collider as the state keeps it: lengths that its shape does not use are 0, so that equal colliders hash equally. */
static collider_slot stored_collider(const cloth_collider *body) {
  collider_slot clean;
  collider_slot *slot = &clean;
  int round =
      body->shape == CLOTH_SHAPE_SPHERE || body->shape == CLOTH_SHAPE_CAPSULE || body->shape == CLOTH_SHAPE_CYLINDER;
  int tall = body->shape == CLOTH_SHAPE_CAPSULE || body->shape == CLOTH_SHAPE_CYLINDER;
  fill_zero(slot, sizeof *slot);
  slot->used = 1;
  slot->body.shape = body->shape;
  if (has_geometry(body)) { slot->body.geometry = body->geometry; }
  slot->body.radius = round ? body->radius : 0.0f;
  slot->body.radius_top = body->shape == CLOTH_SHAPE_CAPSULE ? body->radius_top : 0.0f;
  slot->body.half_height = tall ? body->half_height : 0.0f;
  slot->body.half_extents = body->shape == CLOTH_SHAPE_BOX ? body->half_extents : vector(0.0f, 0.0f, 0.0f);
  slot->body.static_friction = flush_small(body->static_friction, WORK_QUANTUM);
  slot->body.kinetic_friction = flush_small(body->kinetic_friction, WORK_QUANTUM);
  slot->body.pose = normalised_pose(&body->pose);
  slot->previous = slot->body.pose;
  return clean;
}

/* CLOTH_OK if there is capacity for a collider in place of that at `index`, -1 for none; with mass it has to be
   convex. */
static int check_capacity(const cloth *c, const cloth_collider *body, int32_t index) {
  if (!has_geometry(body)) { return CLOTH_OK; }
  if (is_concave(body) && body_number(c, index) >= 0) { return CLOTH_ERROR_CONFLICT; }
  if (body->shape != CLOTH_SHAPE_MESH) { return c->settings.capacity.geometry ? CLOTH_OK : CLOTH_ERROR_STATE; }
  int32_t meshes = 0;
  for (int32_t n = 0; n < inputs_of(c)->collider_end; n++) {
    const collider_slot *slot = &colliders_of(c)[n];
    meshes += n != index && slot->used && slot->body.shape == CLOTH_SHAPE_MESH;
  }
  return meshes < c->settings.capacity.meshes ? CLOTH_OK : CLOTH_ERROR_FULL;
}

int cloth_add_collider(cloth *c, const cloth_collider *collider) {
  int error = check_cloth(c);
  if (error) { return error; }
  error = check_collider(collider);
  if (error) { return error; }
  error = check_capacity(c, collider, -1);
  if (error) { return error; }
  for (int32_t index = 0; index < c->settings.capacity.max_colliders; index++) {
    if (!colliders_of(c)[index].used) {
      cloth_inputs *inputs = inputs_of(c);
      colliders_of(c)[index] = stored_collider(collider);
      wake(c);
      inputs->collider_end = index + 1 > inputs->collider_end ? index + 1 : inputs->collider_end;
      return index;
    }
  }
  return CLOTH_ERROR_FULL;
}

static int check_collider_index(const cloth *c, int32_t index) {
  int error = check_cloth(c);
  if (error) { return error; }
  return index >= 0 && index < c->settings.capacity.max_colliders && colliders_of(c)[index].used ? CLOTH_OK
                                                                                                 : CLOTH_ERROR_INDEX;
}

int cloth_set_collider(cloth *c, int32_t index, const cloth_collider *collider) {
  int error = check_collider_index(c, index);
  if (error) { return error; }
  error = check_collider(collider);
  if (error) { return error; }
  error = check_capacity(c, collider, index);
  if (error) { return error; }
  collider_slot clean = stored_collider(collider);
  forget_collider(c, index);
  forget_cells(c, index, -1);
  set_input(c, &colliders_of(c)[index], &clean, sizeof clean);
  return CLOTH_OK;
}

int cloth_move_collider(cloth *c, int32_t index, const cloth_pose *previous, const cloth_pose *current) {
  int error = check_collider_index(c, index);
  if (error) { return error; }
  if (!current) { return CLOTH_ERROR_NULL; }
  error = check_pose(current);
  if (error) { return error; }
  error = previous ? check_pose(previous) : CLOTH_OK;
  if (error) { return error; }
  collider_slot *slot = &colliders_of(c)[index];
  cloth_pose poses[2] = {previous ? normalised_pose(previous) : slot->previous, normalised_pose(current)};
  set_input(c, &slot->previous, &poses[0], sizeof poses[0]);
  set_input(c, &slot->body.pose, &poses[1], sizeof poses[1]);
  return CLOTH_OK;
}

int cloth_remove_collider(cloth *c, int32_t index) {
  int error = check_collider_index(c, index);
  if (error) { return error; }
  fill_zero(&colliders_of(c)[index], sizeof(collider_slot));
  forget_collider(c, index);
  forget_cells(c, index, -1);
  wake(c);
#if WITH_BODIES
  remove_body(c, index);
  for (int32_t n = inputs_of(c)->attachment_count - 1; n >= 0; n--) {
    if (attachments_of(c)[n].collider == index) { set_freedom(c, attachments_of(c)[n].particle, FREEDOM_FREE); }
  }
#endif
  cloth_inputs *inputs = inputs_of(c);
  while (inputs->collider_end > 0 && !colliders_of(c)[inputs->collider_end - 1].used) {
    inputs->collider_end--;
  }
  return CLOTH_OK;
}

int cloth_get_collider_reaction(const cloth *c, int32_t index, cloth_reaction *reaction) {
  int error = check_collider_index(c, index);
  if (error) { return error; }
  if (!reaction) { return CLOTH_ERROR_NULL; }
  *reaction = reactions_of(c)[index];
  return CLOTH_OK;
}

#endif
