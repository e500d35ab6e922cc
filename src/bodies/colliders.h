#pragma once
#include "../cloth/settings.h"
#include "../contact/cell_memory.h"
#include "../contact/geometry.h"
#include "../contact/memory.h"
#include "attached.h"
#include "bodies.h"

/// Colliders ///

/* Calls that add, change, move and remove colliders, in the state. A change wakes the cloth. */

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

/* The dimensions that a shape without geometry has, as bits, by cloth_shape. */
enum { HAS_RADIUS = 1, HAS_RADIUS_TOP = 2, HAS_HALF_HEIGHT = 4, HAS_HALF_EXTENTS = 8 };
CLOTH_CONSTANT static const uint8_t shape_dimensions[] = {0, HAS_RADIUS, HAS_RADIUS | HAS_RADIUS_TOP | HAS_HALF_HEIGHT,
                                                          HAS_HALF_EXTENTS, HAS_RADIUS | HAS_HALF_HEIGHT};

static uint32_t dimensions_of(const cloth_collider *body) {
  return body->shape < CLOTH_SHAPE_HULL ? shape_dimensions[body->shape] : 0u;
}

static int find_key_fault(const cloth_geometry_key *key) {
  if (key->elements < 1 || key->elements > CLOTH_SAMPLE_LIMIT) { return COLLIDER_FAULT(GEOMETRY); }
  return key->place >= 0 && key->place < CLOTH_GEOMETRY_LIMIT ? 0 : COLLIDER_FAULT(PLACE);
}

static int find_shape_fault(const cloth_collider *body) {
  if (body->shape < CLOTH_SHAPE_PLANE || body->shape > CLOTH_SHAPE_DISTANCE_GRID) { return COLLIDER_FAULT(SHAPE); }
  if (body->shape >= CLOTH_SHAPE_HULL) {
    return has_shape(body->shape) ? find_key_fault(&body->geometry) : COLLIDER_FAULT(NO_SHAPE);
  }
  const cloth_vector half = body->half_extents;
  const uint32_t has = dimensions_of(body);
  if (has & HAS_RADIUS && !is_size(body->radius)) { return COLLIDER_FAULT(RADIUS); }
  if (has & HAS_RADIUS_TOP && !is_size(body->radius_top)) { return COLLIDER_FAULT(RADIUS_TOP); }
  if (has & HAS_HALF_HEIGHT && !is_size(body->half_height)) { return COLLIDER_FAULT(HALF_HEIGHT); }
  if (has & HAS_HALF_EXTENTS && !(is_size(half.x) && is_size(half.y) && is_size(half.z))) {
    return COLLIDER_FAULT(HALF_EXTENTS);
  }
  const float taper = absolute(body->radius - body->radius_top);
  return has & HAS_RADIUS_TOP && !(taper < MAX_CAPSULE_TAPER * body->half_height) ? COLLIDER_FAULT(SPHERES) : 0;
}

static int find_friction_fault(const cloth_collider *body) {
  if (!in_range(body->static_friction, 0.0f, MAX_FRICTION)) { return COLLIDER_FAULT(STATIC); }
  if (!in_range(body->kinetic_friction, 0.0f, MAX_FRICTION)) { return COLLIDER_FAULT(KINETIC); }
  return body->kinetic_friction <= body->static_friction ? 0 : COLLIDER_FAULT(FRICTIONS);
}

/* The first fault of a collider, 0 for none. */
static int find_collider_fault(const cloth_collider *body) {
  if (!body) { return COLLIDER_FAULT(POINTER); }
  RETURN_IF_ERROR(find_shape_fault(body));
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
  const uint32_t has = dimensions_of(body);
  collider_slot slot;
  fill_zero(&slot, sizeof slot);
  slot.used = 1;
  slot.body.shape = body->shape;
  if (has_geometry(body)) { slot.body.geometry = body->geometry; }
  if (has & HAS_RADIUS) { slot.body.radius = body->radius; }
  if (has & HAS_RADIUS_TOP) { slot.body.radius_top = body->radius_top; }
  if (has & HAS_HALF_HEIGHT) { slot.body.half_height = body->half_height; }
  if (has & HAS_HALF_EXTENTS) { slot.body.half_extents = body->half_extents; }
  slot.body.static_friction = flush_work(body->static_friction);
  slot.body.kinetic_friction = flush_work(body->kinetic_friction);
  slot.body.pose = normalised_pose(&body->pose);
  slot.previous = slot.body.pose;
  return slot;
}

/* CLOTH_OK if a collider is as it should be, and there is capacity for it in place of that at `index`, -1 for none;
   with mass it has to be convex. */
static int check_new_collider(const cloth *c, const cloth_collider *body, int32_t index) {
  RETURN_IF_ERROR(check_collider(body));
  if (!has_geometry(body)) { return CLOTH_OK; }
  if (is_concave(body) && body_number(c, index) >= 0) { return CLOTH_ERROR_CONFLICT; }
  if (!is_mesh(body->shape)) { return c->settings.capacity.geometry ? CLOTH_OK : CLOTH_ERROR_STATE; }
  const int was_mesh = index >= 0 && is_mesh(colliders_of(c)[index].body.shape);
  return count_meshes(c) - was_mesh < c->settings.capacity.meshes ? CLOTH_OK : CLOTH_ERROR_FULL;
}

int cloth_add_collider(cloth *c, const cloth_collider *collider) {
  RETURN_IF_ERROR(check_cloth(c));
  RETURN_IF_ERROR(check_new_collider(c, collider, -1));
  for (int32_t index = 0; index < c->settings.capacity.max_colliders; index++) {
    if (!colliders_of(c)[index].used) {
      colliders_of(c)[index] = stored_collider(collider);
      wake(c);
      inputs_of(c)->collider_end = larger_of(index + 1, inputs_of(c)->collider_end);
      return index;
    }
  }
  return CLOTH_ERROR_FULL;
}

int cloth_set_collider(cloth *c, int32_t index, const cloth_collider *collider) {
  RETURN_IF_ERROR(check_collider_index(c, index));
  RETURN_IF_ERROR(check_new_collider(c, collider, index));
  collider_slot clean = stored_collider(collider);
  forget_collider(c, index);
  forget_cells(c, index, -1);
  set_input(c, &colliders_of(c)[index], &clean, sizeof clean);
  return CLOTH_OK;
}

int cloth_move_collider(cloth *c, int32_t index, const cloth_pose *previous, const cloth_pose *current) {
  RETURN_IF_ERROR(check_collider_index(c, index));
  if (!current) { return CLOTH_ERROR_NULL; }
  RETURN_IF_ERROR(check_pose(current));
  RETURN_IF_ERROR(previous ? check_pose(previous) : CLOTH_OK);
  collider_slot *slot = &colliders_of(c)[index];
  cloth_pose poses[2] = {previous ? normalised_pose(previous) : slot->previous, normalised_pose(current)};
  set_input(c, &slot->previous, &poses[0], sizeof poses[0]);
  set_input(c, &slot->body.pose, &poses[1], sizeof poses[1]);
  return CLOTH_OK;
}

int cloth_remove_collider(cloth *c, int32_t index) {
  RETURN_IF_ERROR(check_collider_index(c, index));
  fill_zero(&colliders_of(c)[index], sizeof(collider_slot));
  forget_collider(c, index);
  forget_cells(c, index, -1);
  wake(c);
  remove_body(c, index);
  for (int32_t n = inputs_of(c)->attachment_count - 1; WITH_BODIES && n >= 0; n--) {
    if (attachments_of(c)[n].collider == index) { set_freedom(c, attachments_of(c)[n].particle, FREEDOM_FREE); }
  }
  cloth_inputs *inputs = inputs_of(c);
  while (inputs->collider_end > 0 && !colliders_of(c)[inputs->collider_end - 1].used) {
    inputs->collider_end--;
  }
  return CLOTH_OK;
}

int cloth_get_collider_reaction(const cloth *c, int32_t index, cloth_reaction *reaction) {
  RETURN_IF_ERROR(check_collider_index(c, index));
  if (!reaction) { return CLOTH_ERROR_NULL; }
  *reaction = reactions_of(c)[index];
  return CLOTH_OK;
}
