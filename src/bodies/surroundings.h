#pragma once
#include "../contact/geometry.h"
#include "../contact/shapes.h"
#include "colliders.h"

/// Surroundings ///

/* Steps with geometries and with bodies that cloths share, whose tables are checked first. Scratch: own.shared_bodies
   and own.shared_places, the bodies near the cloth. Of the tables a hash of these is kept. */

/* Wakes a cloth if the sum of the hashes of its links and of the shared bodies near it differs from the last. */
static void compare_surroundings(const cloth *c, uint64_t hash) {
  const uint32_t words[2] = {(uint32_t)hash, (uint32_t)(hash >> 32)};
  if (WITH_SHARED_BODIES || WITH_SEAMS || WITH_COMMON_BODIES) {
    set_input(c, inputs_of(c)->around_hash, words, sizeof words);
  }
}

#if WITH_COLLIDERS

/* Are the tables what cloth.h says, but for what they hold? */
static int check_tables(const cloth *c, const cloth_surroundings *around) {
  if (around->geometry_count < 0 || around->geometry_count > CLOTH_GEOMETRY_LIMIT || around->body_count < 0 ||
      around->body_count > CLOTH_SHARED_BODY_LIMIT || !are_metres_within(around->origin, CLOTH_ORIGIN_LIMIT)) {
    return CLOTH_ERROR_RANGE;
  }
  if ((around->geometry_count > 0 && !around->geometries) || (around->body_count > 0 && !around->bodies) ||
      (WITH_WORKERS && around->workers && !around->workers->run)) {
    return CLOTH_ERROR_NULL;
  }
  return around->body_count == 0 || c->settings.capacity.max_shared_bodies > 0 ? CLOTH_OK : CLOTH_ERROR_STATE;
}

static int check_shared_body(const cloth *c, const cloth_surroundings *around, const cloth_shared_body *body) {
  RETURN_IF_ERROR(check_collider(&body->collider));
  RETURN_IF_ERROR(check_pose(&body->previous));
  if (!has_geometry(&body->collider)) { return CLOTH_OK; }
  const int32_t capacity = is_mesh(body->collider.shape) ? c->settings.capacity.meshes : c->settings.capacity.geometry;
  if (capacity == 0) { return CLOTH_ERROR_STATE; }
  return has_its_geometry(around, &body->collider) ? CLOTH_OK : CLOTH_ERROR_GEOMETRY;
}

static int check_surroundings(const cloth *c, const cloth_surroundings *around) {
  int error = around ? check_tables(c, around) : CLOTH_OK;
  if (!error) { error = check_geometries(c, around); }
  for (int32_t n = 0; !error && around && n < around->body_count; n++) {
    error = check_shared_body(c, around, &around->bodies[n]);
  }
  return error;
}

/* Where the cloth may be in a step: the box around its particles and around where their velocities lead, and as far
   again beyond it as the fastest goes, as forces change velocities. */
static position_box box_of_cloth(const cloth *c, float dt) {
  position_box box = box_around(c);
  float fastest = 0.0f;
  for (int32_t i = 0; i < c->count; i++) {
    const cloth_vector p = vector_load(vectors_at(c, c->state.position), i);
    const cloth_vector way = vector_scale(vector_flush_work(starting_velocity(c, i, 1.0f / dt)), dt);
    hold_point(&box, vector_add(p, way));
    fastest = maximum(maximum(absolute(way.x), maximum(absolute(way.y), absolute(way.z))), fastest);
  }
  const float fall = vector_length(vector_flush_work(inputs_of(c)->gravity)) * dt * dt;
  const float spacing = maximum(c->grid.spacing_warp, c->grid.spacing_weft);
  const float beyond = c->settings.contact.thickness + fastest + fall + spacing;
  const position_box around_low = box_between(box.low, box.low, beyond), held = box_around_both(&box, &around_low);
  return (position_box){held.low, vector_add(held.high, vector(beyond, beyond, beyond))};
}

/* Is the ground of a height field near the cloth? It is endless below, so the sides count. */
static int is_field_near(const collider_slot *slot, const cloth_geometry *g, const position_box *box) {
  const cloth_vector half = vector_scale(vector_subtract(box->high, box->low), 0.5f);
  const cloth_vector way = vector_subtract(slot->body.pose.position, slot->previous.position);
  const cloth_vector p = to_local(&slot->body.pose, vector_add(box->low, half));
  const float reach = vector_length(half) + vector_length(vector_flush_work(way));
  const int turns = !are_equal(&slot->body.pose.rotation, &slot->previous.rotation, sizeof(cloth_rotation));
  return turns || (p.x > g->box.low.x - reach && p.x < g->box.high.x + reach && p.z > g->box.low.z - reach &&
                   p.z < g->box.high.z + reach && p.y < g->box.high.y + reach);
}

/* Is a body that moves from slot->previous to its pose near the cloth? */
static int is_body_near(const cloth *c, const collider_slot *slot, const position_box *box) {
  const cloth_geometry *g = geometry_of(c, &slot->body);
  if (is_height_field(slot->body.shape)) { return is_field_near(slot, g, box); }
  const float reach = body_reach(&slot->body, g);
  const cloth_vector from = slot->previous.position, to = slot->body.pose.position;
  const position_box swept = box_between(vector_minimum(from, to), vector_maximum(from, to), reach);
  return slot->body.shape == CLOTH_SHAPE_PLANE || do_boxes_meet(&swept, box);
}

/* A body as a step uses it, relative to the origin of the table. */
static collider_slot slot_of_body(const cloth_shared_body *body) {
  collider_slot slot = stored_collider(&body->collider);
  slot.previous = normalised_pose(&body->previous);
  return slot;
}

/* Puts a body into the cloth's frame. Returns 0 if it is farther from the origin of the cloth than positions may be. */
static int place_body(const cloth *c, const cloth_surroundings *around, collider_slot *slot) {
  const cloth_metres here = inputs_of(c)->origin, there = around->origin;
  const cloth_vector way = vector((float)(there.x - here.x), (float)(there.y - here.y), (float)(there.z - here.z));
  slot->body.pose.position = vector_add(slot->body.pose.position, way);
  slot->previous.position = vector_add(slot->previous.position, way);
  return vector_in_range(slot->body.pose.position, CLOTH_POSITION_LIMIT) &&
         vector_in_range(slot->previous.position, CLOTH_POSITION_LIMIT);
}

/* Takes the bodies near the cloth into the step. Returns how many there was no room for. */
CLOTH_SEPARATE int32_t choose_bodies(const cloth *c, float dt, const cloth_surroundings *around) {
  workspace *w = workspace_of(c);
  collider_slot *slots = (collider_slot *)at(c, c->own.shared_bodies);
  int32_t *places = (int32_t *)at(c, c->own.shared_places);
  int32_t left_out = 0, meshes = count_meshes(c);
  const position_box box = box_of_cloth(c, dt);
  for (int32_t n = 0; n < around->body_count; n++) {
    collider_slot slot = slot_of_body(&around->bodies[n]);
    if (!place_body(c, around, &slot) || !is_body_near(c, &slot, &box)) { continue; }
    const int one_mesh = is_mesh(slot.body.shape);
    if (w->shared_bodies == c->settings.capacity.max_shared_bodies ||
        (one_mesh && meshes == c->settings.capacity.meshes)) {
      left_out++;
      continue;
    }
    meshes += one_mesh;
    slots[w->shared_bodies] = slot;
    places[w->shared_bodies++] = n;
  }
  return left_out;
}

/* Hashes where a position is in the world, whatever origin it is told from: whole metres and what is above them. */
static void hash_place(hasher *h, float position, int32_t origin) {
  const int32_t whole = whole_below(position);
  float_bits rest;
  rest.value = flush_small(position - (float)whole, STATE_QUANTUM);
  hash_word(h, (uint32_t)(origin + whole));
  hash_word(h, rest.bits);
}

static void hash_position(hasher *h, cloth_vector *position, cloth_metres origin) {
  hash_place(h, position->x, origin.x);
  hash_place(h, position->y, origin.y);
  hash_place(h, position->z, origin.z);
  *position = vector(0.0f, 0.0f, 0.0f);
}

/* The hash of the shared bodies near a cloth; 0 if there are none. */
static uint64_t hash_bodies(const cloth *c, const cloth_surroundings *around) {
  const int32_t *places = (const int32_t *)at(c, c->own.shared_places);
  const int32_t bodies = workspace_of(c)->shared_bodies;
  hasher h;
  hash_start(&h);
  for (int32_t n = 0; n < bodies; n++) {
    collider_slot slot = slot_of_body(&around->bodies[places[n]]);
    hash_position(&h, &slot.body.pose.position, around->origin);
    hash_position(&h, &slot.previous.position, around->origin);
    hash_words(&h, (const any_word *)(const void *)&slot, (int32_t)(sizeof slot / sizeof(uint32_t)));
  }
  return bodies ? hash_end(&h) : 0u;
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

/* Gives a step its checked surroundings; `links`: hash of links to others. Returns the bodies without room. */
static int32_t enter_surroundings(const cloth *c, float dt, const cloth_surroundings *around, uint64_t links) {
  set_surroundings(c, around);
  workspace_of(c)->shared_bodies = 0;
  const int32_t left_out = WITH_SHARED_BODIES && around && around->body_count > 0 ? choose_bodies(c, dt, around) : 0;
  links += WITH_SHARED_BODIES && c->settings.capacity.max_shared_bodies > 0 ? hash_bodies(c, around) : 0u;
  compare_surroundings(c, links);
  return left_out;
}

static void leave_surroundings(const cloth *c, const cloth_surroundings *around, int32_t left_out) {
  if (WITH_SHARED_BODIES && around && around->body_count > 0) {
    add_work(c, (uint32_t)around->body_count, COST_SHARED_BODY);
    add_work(c, (uint32_t)c->count, COST_SHARED_BOUNDS);
    statistics_of(c)->overflows += left_out;
    report_reactions(c, around);
    workspace_of(c)->shared_bodies = 0;
  }
  set_surroundings(c, NULL);
}

#else

static int32_t enter_surroundings(const cloth *c, float dt, const cloth_surroundings *around, uint64_t links) {
  compare_surroundings(c, links);
  return 0;
}

static void leave_surroundings(const cloth *c, const cloth_surroundings *around, int32_t left_out) {
}

#endif
