#pragma once
#include "access.h"
#include "bounds.h"
#include "colliders.h"
#include "compiler.h"
#include "contact.h"
#include "costs.h"
#include "geometry.h"
#include "hash.h"
#include "lanes.h"
#include "rigid.h"
#include "scalar.h"
#include "shape_mesh.h"
#include "shapes.h"
#include "step.h"
#include "types.h"
#include "work.h"

/// Surroundings ///

/*
 * Steps with geometries and with bodies that cloths share. In: the caller's tables, checked first. Out: what a step
 * changes; reactions of the bodies, in the caller's table. Scratch: own.shared_bodies and own.shared_places hold the bodies of
 * the step, which are those near the cloth. Nothing of the tables is kept but a hash of these bodies.
 */

#if WITH_COLLIDERS

/* Are the tables what cloth.h says, but for what they hold? */
static int check_tables(const cloth *c, const cloth_surroundings *around) {
  if (around->geometry_count < 0 || around->geometry_count > CLOTH_GEOMETRY_LIMIT || around->body_count < 0 ||
      around->body_count > CLOTH_SHARED_BODY_LIMIT) {
    return CLOTH_ERROR_RANGE;
  }
  if ((around->geometry_count > 0 && !around->geometries) || (around->body_count > 0 && !around->bodies)) {
    return CLOTH_ERROR_NULL;
  }
  return around->body_count == 0 || c->settings.capacity.max_shared_bodies > 0 ? CLOTH_OK : CLOTH_ERROR_STATE;
}

static int check_body(const cloth *c, const cloth_surroundings *around, const cloth_shared_body *body) {
  int error = check_collider(&body->collider);
  error = error ? error : check_pose(&body->previous);
  if (error || !has_geometry(&body->collider)) {
    return error;
  }
  const int32_t capacity =
      body->collider.shape == CLOTH_SHAPE_MESH ? c->settings.capacity.meshes : c->settings.capacity.geometry;
  if (capacity == 0) {
    return CLOTH_ERROR_STATE;
  }
#if WITH_GEOMETRY
  return has_its_geometry(around, &body->collider) ? CLOTH_OK : CLOTH_ERROR_GEOMETRY;
#else
  (void)around;
  return CLOTH_OK;
#endif
}

static int check_surroundings(const cloth *c, const cloth_surroundings *around) {
  int error = around ? check_tables(c, around) : CLOTH_OK;
#if WITH_GEOMETRY
  error = error ? error : check_geometries(c, around);
#endif
  for (int32_t n = 0; around && n < around->body_count && !error; n++) {
    error = check_body(c, around, &around->bodies[n]);
  }
  return error;
}

#if WITH_SHARED_BODIES

/* A box in world axes [m]. */
typedef struct world_box {
  cloth_vector low, high;
} world_box;

static void hold_point(world_box *box, cloth_vector p, float reach) {
  box->low =
      vector(minimum(p.x - reach, box->low.x), minimum(p.y - reach, box->low.y), minimum(p.z - reach, box->low.z));
  box->high =
      vector(maximum(p.x + reach, box->high.x), maximum(p.y + reach, box->high.y), maximum(p.z + reach, box->high.z));
}

static world_box empty_box(void) {
  const world_box box = {{BOUND_BEYOND, BOUND_BEYOND, BOUND_BEYOND}, {-BOUND_BEYOND, -BOUND_BEYOND, -BOUND_BEYOND}};
  return box;
}

static int do_boxes_overlap(const world_box *a, const world_box *b) {
  return a->low.x < b->high.x && b->low.x < a->high.x && a->low.y < b->high.y && b->low.y < a->high.y &&
         a->low.z < b->high.z && b->low.z < a->high.z;
}

/* Where the cloth may be in a step: the box around its particles and around where their velocities lead, and as far
   again beyond it as the fastest goes, as forces change velocities. */
static world_box box_of_cloth(const cloth *c, float dt) {
  world_box box = empty_box();
  float fastest = 0.0f;
  for (int32_t i = 0; i < c->count; i++) {
    const cloth_vector p = vector_load(vectors_at(c, c->state.position), i);
    const cloth_vector way = vector_scale(vector_flush_work(starting_velocity(c, i, 1.0f / dt)), dt);
    hold_point(&box, p, 0.0f);
    hold_point(&box, vector_add(p, way), 0.0f);
    fastest = maximum(maximum(absolute(way.x), maximum(absolute(way.y), absolute(way.z))), fastest);
  }
  const float fall = vector_length(vector_flush_work(inputs_of(c)->gravity)) * dt * dt;
  const float spacing = maximum(c->grid.spacing_warp, c->grid.spacing_weft);
  const float beyond = c->settings.contact.thickness + fastest + fall + spacing;
  hold_point(&box, box.low, beyond);
  hold_point(&box, box.high, beyond);
  return box;
}

/* Is a body that moves from slot->previous to its pose near the cloth? */
static int is_body_near(const cloth *c, const collider_slot *slot, const world_box *box) {
  const float reach = body_reach(&slot->body, geometry_of(c, &slot->body));
  world_box swept = empty_box();
  hold_point(&swept, slot->body.pose.position, reach);
  hold_point(&swept, slot->previous.position, reach);
  return slot->body.shape == CLOTH_SHAPE_PLANE || do_boxes_overlap(&swept, box);
}

/* A body as a step uses it. */
static collider_slot slot_of_body(const cloth_shared_body *body) {
  collider_slot slot = stored_collider(&body->collider);
  slot.previous = normalised_pose(&body->previous);
  return slot;
}

/* Takes the bodies near the cloth into the step. Returns how many there was no room for. */
CLOTH_SEPARATE int32_t choose_bodies(const cloth *c, float dt, const cloth_surroundings *around) {
  workspace *w = workspace_of(c);
  collider_slot *slots = (collider_slot *)at(c, c->own.shared_bodies);
  int32_t *places = (int32_t *)at(c, c->own.shared_places);
  int32_t left_out = 0, meshes = count_meshes(c, inputs_of(c)->collider_end);
  const world_box box = box_of_cloth(c, dt);
  for (int32_t n = 0; n < around->body_count; n++) {
    const collider_slot slot = slot_of_body(&around->bodies[n]);
    if (!is_body_near(c, &slot, &box)) {
      continue;
    }
    const int is_mesh = slot.body.shape == CLOTH_SHAPE_MESH;
    if (w->shared_bodies == c->settings.capacity.max_shared_bodies || (is_mesh && meshes == c->settings.capacity.meshes)) {
      left_out++;
      continue;
    }
    meshes += is_mesh;
    slots[w->shared_bodies] = slot;
    places[w->shared_bodies++] = n;
  }
  return left_out;
}

/* Wakes a cloth near which other bodies are than in the step before. */
static void compare_bodies(const cloth *c) {
  const int32_t bodies = workspace_of(c)->shared_bodies;
  uint32_t words[2] = {0, 0};
  if (bodies) {
    hasher h;
    hash_start(&h);
    hash_words(&h, (const any_word *)at(c, c->own.shared_bodies), bodies * (int32_t)(sizeof(collider_slot) / 4));
    const uint64_t hash = hash_end(&h);
    words[0] = (uint32_t)hash;
    words[1] = (uint32_t)(hash >> 32);
  }
  set_input(c, inputs_of(c)->shared_hash, words, sizeof words);
}

/* Adds what the cloth did to the bodies of the step to the caller's reactions. */
static void report_reactions(const cloth *c, const cloth_surroundings *around) {
  const int32_t *places = (const int32_t *)at(c, c->own.shared_places);
  for (int32_t n = 0; around->reactions && n < workspace_of(c)->shared_bodies; n++) {
    const cloth_reaction *from = &reactions_of(c)[c->settings.capacity.max_colliders + n];
    cloth_reaction *to = &around->reactions[places[n]];
    to->impulse = vector_add(to->impulse, from->impulse);
    to->torque = vector_add(to->torque, from->torque);
  }
}

#endif

/* A step with surroundings that have been checked. */
static int step_with(const cloth *c, float dt, const cloth_surroundings *around) {
  set_surroundings(c, around);
  workspace_of(c)->shared_bodies = 0;
#if WITH_MESH
  forget_triangles(c);
#endif
#if WITH_SHARED_BODIES
  const int has_bodies = around && around->body_count > 0;
  const int32_t left_out = has_bodies ? choose_bodies(c, dt, around) : 0;
  if (c->settings.capacity.max_shared_bodies > 0) {
    compare_bodies(c);
  }
  const int result = step(c, dt);
  if (has_bodies) {
    add_work(c, (uint32_t)around->body_count, COST_SHARED_BODY);
    add_work(c, (uint32_t)c->count, COST_SHARED_BOUNDS);
    statistics_of(c)->overflows += left_out;
    report_reactions(c, around);
    workspace_of(c)->shared_bodies = 0;
  }
#else
  const int result = step(c, dt);
#endif
  set_surroundings(c, NULL);
  return result;
}

int cloth_step_with(cloth *c, float dt, const cloth_surroundings *around) {
  int error = check_step(c, dt);
  error = error ? error : check_surroundings(c, around);
  if (error) {
    return error;
  }
  allow_refinements(c);
  return step_with(c, dt, around);
}

#endif
