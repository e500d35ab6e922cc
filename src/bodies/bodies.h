#pragma once
#include "../base/rigid.h"
#include "../cloth/body_list.h"
#include "../cloth/step_origin.h"
#include "../contact/geometry.h"
#include "../contact/shapes.h"

/// Bodies ///

/* Colliders with mass: rigid bodies that cloth and gravity move. A substep begins with the body's free motion over it;
   at its end it moves again, from where it began, with the velocity that it has then. Their angular momentum is kept.
   In: bodies, collider slots, gravity. Out: velocities, poses, in slot.previous at the start and slot.body.pose at the
   end of a substep. */

/* Ends the attachment of a particle, which stays pinned. The others keep their order. */
static void remove_attachment(const cloth *c, int32_t particle) {
  attachment *a = find_attachment(c, particle);
  if (a) {
    cloth_inputs *inputs = inputs_of(c);
    attachment *last = attachments_of(c) + --inputs->attachment_count;
    inputs->attachments_taken -= a - attachments_of(c) < inputs->attachments_taken;
    for (; a < last; a++) {
      *a = a[1];
    }
    fill_zero(last, sizeof *last);
  }
}

/* The number of a collider among the bodies, or -1. */
static int32_t body_number(const cloth *c, int32_t collider) {
  const rigid_body *body = WITH_BODIES ? find_body(c, collider) : NULL;
  return body ? (int32_t)(body - bodies_of(c)) : -1;
}

/* Takes the mass from a collider. The list stays in the order in which bodies were made. */
static void remove_body(const cloth *c, int32_t collider) {
  int32_t n = body_number(c, collider), *count = &inputs_of(c)->body_count;
  if (n < 0) { return; }
  for (*count -= 1; n < *count; n++) {
    bodies_of(c)[n] = bodies_of(c)[n + 1];
  }
  fill_zero(&bodies_of(c)[n], sizeof(rigid_body));
  wake(c);
}

static float component(cloth_vector a, int32_t n) {
  return n == 0 ? a.x : n == 1 ? a.y : a.z;
}

/* A vector of a length along an axis. */
static cloth_vector along_axis(int32_t axis, float length) {
  return vector(axis == 0 ? length : 0.0f, axis == 1 ? length : 0.0f, axis == 2 ? length : 0.0f);
}

/* 1 / a; 0 for 0, which stands for a body that no torque turns. */
static float inverse_or_zero(float a) {
  return a > 0.0f ? 1.0f / a : 0.0f;
}

static int are_even(cloth_vector inertia) {
  return inertia.x == inertia.y && inertia.y == inertia.z;
}

/* A vector in world axes times the moments of inertia i, or with `inverts` their inverses, in the orientation q. */
static cloth_vector apply_inertia(cloth_vector i, cloth_rotation q, cloth_vector a, int inverts) {
  a = vector_flush_work(rotate(rotation_conjugate(q), a));
  const cloth_vector factor = inverts ? vector(inverse_or_zero(i.x), inverse_or_zero(i.y), inverse_or_zero(i.z)) : i;
  return vector_flush_work(rotate(q, vector(a.x * factor.x, a.y * factor.y, a.z * factor.z)));
}

/* The number of an axis about which the moment of inertia is neither above both others nor below both. */
static int32_t middle_axis(cloth_vector i) {
  const int x_between = i.x >= minimum(i.y, i.z) && i.x <= maximum(i.y, i.z);
  const int y_between = i.y >= minimum(i.x, i.z) && i.y <= maximum(i.x, i.z);
  return x_between ? 0 : y_between ? 1 : 2;
}

/* Largest moment of inertia that acts where a body turns without torque, over its least, which turns rounding of the
   angular momentum into spin: 1e4 is a square rod 141 times as long as wide; with 1e6 a door spins about its light
   axis. */
#define MAX_INERTIA_RATIO 1.0e4f

/* The moments of inertia with which a body turns without torque [kg m^2]. */
static cloth_vector free_inertia(const rigid_body *b) {
  const cloth_vector i = b->inertia;
  const float most = MAX_INERTIA_RATIO * minimum(minimum(i.x, i.y), i.z);
  return vector(minimum(i.x, most), minimum(i.y, most), minimum(i.z, most));
}

/* Bound of the tangent of half of a turn [1]: products with it stay finite. */
#define MAX_HALF_TURN 1.0e4f

/* A way of turning without torque: half the angular momentum over the least moment of inertia, times the time [rad],
   and for each axis the least moment over its own, less that over the middle moment. */
typedef struct free_turn {
  cloth_vector half, excess;
} free_turn;

/* The rotation q, then one by an angle of which this is the half, where that is small: the product is normalised. */
static cloth_rotation turned_by_half(cloth_rotation q, cloth_vector half) {
  return rotation_product((cloth_rotation){half.x, half.y, half.z, 1.0f}, q);
}

/* Turns a body about its own axis `axis` by `share` of its spin there beyond that of a ball of the middle moment. */
static cloth_rotation turn_about_axis(const free_turn *t, cloth_rotation q, int32_t axis, float share) {
  const cloth_vector local = vector_flush_work(rotate(rotation_conjugate(q), t->half));
  const float part = component(local, axis) * component(t->excess, axis), most = MAX_HALF_TURN;
  const float tangent = flush_work(share * maximum(minimum(part, most), -most));
  const cloth_vector turn = along_axis(axis, tangent);
  const cloth_rotation rotated = {turn.x, turn.y, turn.z, 1.0f};
  return rotation_product(q, rotated);
}

/* The rotation of a body with unequal moments of inertia after h seconds: by a ball of the middle moment and what the
   two other axes add, each alone, one after the other and back again (symplectic splitting: Touma and Wisdom 1994),
   which keeps the angular momentum. */
CLOTH_SEPARATE cloth_rotation turned_freely(const rigid_body *b, cloth_rotation q, float h) {
  const cloth_vector i = free_inertia(b);
  const int32_t middle = middle_axis(i), first = middle == 0 ? 1 : 0, second = middle == 2 ? 1 : 2;
  const float least = minimum(minimum(i.x, i.y), i.z), unit = 1.0f / least;
  const float ball = least / component(i, middle);
  const cloth_vector spin = vector_flush_work(rotate(rotation_conjugate(q), b->spin));
  const cloth_vector share = vector(i.x * unit, i.y * unit, i.z * unit);
  const cloth_vector momentum = vector_flush_work(vector(spin.x * share.x, spin.y * share.y, spin.z * share.z));
  const free_turn t = {vector_scale_work(vector_flush_work(rotate(q, momentum)), 0.5f * h),
                       vector_flush_work(vector(least / i.x - ball, least / i.y - ball, least / i.z - ball))};
  q = turn_about_axis(&t, turn_about_axis(&t, q, first, 0.5f), second, 0.5f);
  q = turned_by_half(q, vector_scale_work(t.half, ball));
  return turn_about_axis(&t, turn_about_axis(&t, q, second, 0.5f), first, 0.5f);
}

/* The rotation of a body after h seconds. A spin of 0 keeps it, to the bit. */
static cloth_rotation turned_rotation(const rigid_body *b, cloth_rotation q, float h) {
  const cloth_vector half = vector_scale_work(b->spin, 0.5f * h);
  if (vector_is_zero(half)) { return q; }
  return are_even(b->inertia) ? turned_by_half(q, half) : turned_freely(b, q, h);
}

/* Keeps each component of a vector within +-limit; 0 if it is no number. */
static cloth_vector limited_vector(cloth_vector a, float limit) {
  if (!vector_is_finite(a)) { return vector(0.0f, 0.0f, 0.0f); }
  return vector(maximum(minimum(a.x, limit), -limit), maximum(minimum(a.y, limit), -limit),
                maximum(minimum(a.z, limit), -limit));
}

/* 1 if every body is at most as fast as sleep.speed, on its surface, too. */
static int are_bodies_at_rest(const cloth *c) {
  const float most = c->settings.sleep.speed;
  for (int32_t n = 0; n < body_count_of(c); n++) {
    const rigid_body *b = &bodies_of(c)[n];
    const cloth_collider *body = &colliders_of(c)[b->collider].body;
    const float reach = body_reach(body, geometry_of(c, body));
    if (!(vector_length(b->velocity) <= most && vector_length(b->spin) * reach <= most)) { return 0; }
  }
  return 1;
}

static void stop_bodies(const cloth *c) {
  for (int32_t n = 0; n < body_count_of(c); n++) {
    bodies_of(c)[n].velocity = vector(0.0f, 0.0f, 0.0f);
    bodies_of(c)[n].spin = vector(0.0f, 0.0f, 0.0f);
  }
}

/// Motion of bodies ///

/* Where bodies go by themselves in a part of a substep, without cloth and gravity: X* = X_n + h V, turned by h Omega.
   After it X = X* + Y, V = (X - X_n) / h; turned by theta, Omega = Omega* + theta / h. In: bodies. Out: unknowns, then
   poses and velocities. */

/* A pose that is turned by an angle [rad]. */
static cloth_rotation turned_by(cloth_rotation q, cloth_vector angle) {
  const cloth_vector half = vector_scale_work(angle, 0.5f);
  const float more = 1.0f + flush_work(vector_dot(half, half)) * (1.0f / 3.0f);
  return vector_is_zero(half) ? q : turned_by_half(q, vector_scale(half, more));
}

static void predict_body(const cloth *c, const substep_terms *t, const rigid_body *b, body_unknown *u) {
  const cloth_pose from = slot_at(c, b->collider)->body.pose;
  cloth_pose to = from;
  to.position = vector_flush_state(vector_add_scaled(from.position, b->velocity, t->h));
  to.position = vector_in_range(to.position, CLOTH_POSITION_LIMIT) ? to.position : from.position;
  to.rotation = turned_rotation(b, from.rotation, t->h);
  fill_zero(u, sizeof *u);
  u->collider = b->collider;
  u->turns = b->inertia.x > 0.0f;
  u->from = from;
  u->start = pose_in_step(c, &from);
  u->end = pose_in_step(c, &to);
  u->centre = u->end.position;
  u->spin = b->spin;
  if (u->turns && !are_even(b->inertia)) {
    const cloth_vector inertia = free_inertia(b);
    const cloth_vector momentum = apply_inertia(inertia, from.rotation, b->spin, 0);
    u->spin = limited_vector(apply_inertia(inertia, to.rotation, momentum, 1), MAX_SPIN);
  }
}

CLOTH_SEPARATE void predict_bodies(const cloth *c, const substep_terms *t) {
  for (int32_t n = 0; n < body_count_of(c); n++) {
    predict_body(c, t, &bodies_of(c)[n], &body_unknowns_of(c)[n]);
  }
}

/* Moves a body by its solution. One that would leave the world stops. */
static void accept_body(const cloth *c, const substep_terms *t, rigid_body *b, body_unknown *u) {
  const float *y = u->solution;
  collider_slot *slot = &colliders_of(c)[b->collider];
  const cloth_vector moved = vector_flush_work(vector(y[0], y[1], y[2]));
  const cloth_vector turned = vector_flush_work(vector(y[3], y[4], y[5]));
  const cloth_vector way = vector_add_scaled(moved, b->velocity, t->h);
  const cloth_vector to = vector_flush_state(vector_add(u->from.position, way));
  b->velocity = limited_vector(vector_scale(way, t->inverse_h), CLOTH_SPEED_LIMIT);
  b->velocity = vector_flush_state(b->velocity);
  b->spin = limited_vector(vector_add_scaled(u->spin, turned, t->inverse_h), MAX_SPIN);
  b->spin = vector_flush_state(b->spin);
  slot->previous = u->from;
  slot->body.pose.rotation = turned_by(u->end.rotation, turned);
  slot->body.pose.position = to;
  if (!vector_in_range(to, CLOTH_POSITION_LIMIT)) {
    slot->body.pose.position = u->from.position;
    b->velocity = vector(0.0f, 0.0f, 0.0f);
  }
  u->end = pose_in_step(c, &slot->body.pose);
}

CLOTH_SEPARATE void accept_bodies(const cloth *c, const substep_terms *t) {
  for (int32_t n = 0; n < body_count_of(c); n++) {
    accept_body(c, t, &bodies_of(c)[n], &body_unknowns_of(c)[n]);
  }
}
