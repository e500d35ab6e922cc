#pragma once
#include "../base/compiler.h"
#include "../base/rigid.h"
#include "../base/scalar.h"
#include "../cloth/access.h"
#include "../cloth/body_list.h"
#include "../cloth/step_origin.h"
#include "../cloth/types.h"
#include "bodies.h"

/// Motion of bodies ///

/* Where bodies go by themselves in a part of a substep, without cloth and gravity: X* = X_n + h V, turned by h Omega.
   After it X = X* + Y, V = (X - X_n) / h; turned by theta, Omega = Omega* + theta / h. In: bodies. Out: unknowns, then
   poses and velocities. */

#if WITH_BODIES

/* A pose that is turned by an angle [rad]. */
static cloth_rotation turned_by(cloth_rotation q, cloth_vector angle) {
  const cloth_vector half = vector_flush_work(vector_scale(angle, 0.5f));
  const float more = 1.0f + flush_small(vector_dot(half, half), WORK_QUANTUM) * (1.0f / 3.0f);
  const cloth_rotation turn = {half.x * more, half.y * more, half.z * more, 1.0f};
  return half.x == 0.0f && half.y == 0.0f && half.z == 0.0f ? q : rotation_product(turn, q);
}

/* Predicts a body. */
static void predict_body(const cloth *c, const substep_terms *t, const rigid_body *b, body_unknown *u) {
  const cloth_pose from = slot_at(c, b->collider)->body.pose;
  cloth_pose to = from;
  to.position = vector_flush(vector_add_scaled(from.position, b->velocity, t->h), STATE_QUANTUM);
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

/* Predicts all bodies. */
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
  const cloth_vector to = vector_flush(vector_add(u->from.position, way), STATE_QUANTUM);
  b->velocity = limited_vector(vector_scale(way, t->inverse_h), CLOTH_SPEED_LIMIT);
  b->velocity = vector_flush(b->velocity, STATE_QUANTUM);
  b->spin = limited_vector(vector_add_scaled(u->spin, turned, t->inverse_h), MAX_SPIN);
  b->spin = vector_flush(b->spin, STATE_QUANTUM);
  slot->previous = u->from;
  slot->body.pose.rotation = turned_by(u->end.rotation, turned);
  slot->body.pose.position = to;
  if (!vector_in_range(to, CLOTH_POSITION_LIMIT)) {
    slot->body.pose.position = u->from.position;
    b->velocity = vector(0.0f, 0.0f, 0.0f);
  }
  u->end = pose_in_step(c, &slot->body.pose);
}

/* Moves all bodies by their solutions. */
CLOTH_SEPARATE void accept_bodies(const cloth *c, const substep_terms *t) {
  for (int32_t n = 0; n < body_count_of(c); n++) {
    accept_body(c, t, &bodies_of(c)[n], &body_unknowns_of(c)[n]);
  }
}

#endif
