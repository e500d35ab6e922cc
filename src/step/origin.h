#pragma once
#include "../contact/geometry.h"
#include "inputs.h"

/// The origin in the world ///

/* Where the zero of a cloth's positions lies in the world, in whole metres, and the calls that move it: all that holds
   a position is moved by a motion that does not turn. A whole number of metres is exact unless a magnitude grows, and
   then rounded once. */

#if WITH_ORIGIN

/* Farthest that an origin moves at once [m]: twice the range of positions; what is farther has to leave the range. */
#define MAX_ORIGIN_WAY 200000

static cloth_metres metres_between(cloth_metres a, cloth_metres b) {
  return (cloth_metres){b.x - a.x, b.y - a.y, b.z - a.z};
}

static cloth_vector vector_of_metres(cloth_metres a) {
  return vector((float)a.x, (float)a.y, (float)a.z);
}

/* The motion that a new origin is for everything that holds a position, when the origin moves by `way`. */
static rigid_motion motion_of_origin(cloth_metres way) {
  rigid_motion m;
  fill_zero(&m, sizeof m);
  m.pivot = vector_of_metres(way);
  m.rotation.w = 1.0f;
  return m;
}

/* All colliders, as cloth_move_frame() names them. */
#define ALL_COLLIDERS UINT64_MAX

/* Does everything stay in range when the origin of a cloth moves to a place? */
static int may_move_origin(const cloth *c, cloth_metres origin) {
  const cloth_metres way = metres_between(inputs_of(c)->origin, origin);
  if (!are_metres_within(way, MAX_ORIGIN_WAY)) { return 0; }
  const rigid_motion m = motion_of_origin(way);
  return stays_within_limit(c, &m, ALL_COLLIDERS);
}

/* Moves the origin of a cloth that may_move_origin() there. Returns by how much. */
static cloth_metres move_origin(const cloth *c, cloth_metres origin) {
  const cloth_metres way = metres_between(inputs_of(c)->origin, origin);
  const rigid_motion m = motion_of_origin(way);
  transform_all(c, &m, MAX_TIME_STEP, ALL_COLLIDERS);
  inputs_of(c)->origin = origin;
  return way;
}

/* The whole metre nearest to the middle of a box, of at most 1e6 m, from an origin in its range. */
static cloth_metres middle_of_box(cloth_metres from, const position_box *box) {
  return (cloth_metres){from.x + whole_below(0.5f * box->low.x + 0.5f * box->high.x + 0.5f),
                        from.y + whole_below(0.5f * box->low.y + 0.5f * box->high.y + 0.5f),
                        from.z + whole_below(0.5f * box->low.z + 0.5f * box->high.z + 0.5f)};
}

/* Moves the origin of a cloth that has strayed from it, at the beginning of a step, unless something would leave its
   range. Returns by how much. */
CLOTH_SEPARATE cloth_metres follow_cloth(const cloth *c, position_box *box) {
  const cloth_metres none = {0, 0, 0}, here = inputs_of(c)->origin;
  const float distance = c->settings.world.recentre_distance;
  const cloth_vector middle = vector_add(vector_scale(box->low, 0.5f), vector_scale(box->high, 0.5f));
  if (!(distance > 0.0f) || vector_in_range(middle, distance)) { return none; }
  const cloth_metres there = middle_of_box(here, box);
  if (!are_metres_within(there, CLOTH_ORIGIN_LIMIT) || !may_move_origin(c, there)) { return none; }
  const cloth_metres way = move_origin(c, there);
  *box = box_around(c);
  add_varying_work(c, (uint32_t)c->count, follow_cost(c));
  return way;
}

/* Keeps the shared bodies of a step in their places when it moves the origin. */
static void move_shared_bodies(const cloth *c, cloth_metres shift) {
  const cloth_vector way = vector_of_metres(shift);
  for (int32_t n = 0; WITH_SHARED_BODIES && n < workspace_of(c)->shared_bodies; n++) {
    collider_slot *slot = slot_at(c, c->settings.capacity.max_colliders + n);
    slot->body.pose.position = vector_subtract(slot->body.pose.position, way);
    slot->previous.position = vector_subtract(slot->previous.position, way);
  }
}

int cloth_get_origin(const cloth *c, cloth_metres *origin) {
  const int error = check_call(c, origin);
  if (!error) { *origin = inputs_of(c)->origin; }
  return error;
}

int cloth_set_origin(cloth *const *cloths, int32_t count, cloth_metres origin) {
  RETURN_IF_ERROR(check_cloths((const cloth *const *)cloths, count, INT32_MAX));
  int is_possible = are_metres_within(origin, CLOTH_ORIGIN_LIMIT);
  for (int32_t n = 0; n < count && is_possible; n++) {
    is_possible = may_move_origin(cloths[n], origin);
  }
  for (int32_t n = 0; n < count && is_possible; n++) {
    (void)move_origin(cloths[n], origin);
  }
  return is_possible ? CLOTH_OK : CLOTH_ERROR_RANGE;
}

int cloth_recentre(cloth *const *cloths, int32_t count, cloth_metres *origin) {
  RETURN_IF_ERROR(check_cloths((const cloth *const *)cloths, count, INT32_MAX));
  const cloth_metres from = inputs_of(cloths[0])->origin;
  position_box all = box_around(cloths[0]);
  for (int32_t n = 1; n < count; n++) {
    const cloth_metres way = metres_between(from, inputs_of(cloths[n])->origin);
    if (!are_metres_within(way, 2 * MAX_ORIGIN_WAY)) { return CLOTH_ERROR_RANGE; }
    const cloth_vector to = vector_of_metres(way);
    const position_box own = box_around(cloths[n]), there = {vector_add(own.low, to), vector_add(own.high, to)};
    all = box_around_both(&there, &all);
  }
  const cloth_metres there = middle_of_box(from, &all);
  int error = cloth_set_origin(cloths, count, there);
  if (!error && origin) { *origin = there; }
  return error;
}

int cloth_get_origin_offset(const cloth *from, const cloth *to, cloth_vector *offset) {
  RETURN_IF_ERROR(check_call(from, offset));
  RETURN_IF_ERROR(check_cloth(to));
  const cloth_metres way = metres_between(inputs_of(from)->origin, inputs_of(to)->origin);
  if (!are_metres_within(way, 1 << 24)) { return CLOTH_ERROR_RANGE; }
  *offset = vector_of_metres(way);
  return CLOTH_OK;
}

#endif
