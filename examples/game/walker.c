/* SPDX-License-Identifier: MIT */
#include "walker.h"
#include "pose.h"

static const float acceleration = 5, gravity = 9.81f;          /* [m/s^2] */
static const float turn_most = 0.4f;                           /* turns a second */
static const float turn_acceleration = 2;                      /* turns a second, a second */
static const float jump_speed = 3.1f;                          /* [m/s] */
static const float wind_up_time = 0.16f, landing_time = 0.16f; /* [s] */
static const float crouch_rate = 5;                            /* a second */

static float approach(float value, float target, float most) {
  float way = target - value;
  return value + (way > most ? most : way < -most ? -most : way);
}

static int is_airborne(const walker *w) {
  return w->place.y > 0 || w->rise > 0;
}

static float crouch_wanted(const walker *w) {
  if (w->wind_up > 0) return 0.8f;
  if (is_airborne(w)) return 0.45f;
  return w->landing > 0 ? 0.75f : 0;
}

void walker_limbs(const walker *w, limb limbs[FIGURE_LIMBS]) {
  figure_limbs(&w->stance, limbs);
  figure_spread_arms(limbs);
}

/* Bones in the frame of the feet become capsules in the world, as a skeleton's matrices do. */
static void move_bodies(walker *w) {
  limb limbs[FIGURE_LIMBS];
  walker_limbs(w, limbs);
  for (int i = 0; i < FIGURE_LIMBS; i++) {
    cloth_pose local = limb_pose(&limbs[i]);
    w->bodies_before[i] = w->bodies[i].pose;
    w->bodies[i].pose = pose_within(&w->root, &local);
  }
}

static void take_root(walker *w) {
  w->root_before = w->root;
  w->root = (cloth_pose){w->place, heading_rotation(w->heading)};
}

void walker_open(walker *w) {
  limb limbs[FIGURE_LIMBS];
  *w = (walker){.place = vector(0, 0, 0)};
  walker_limbs(w, limbs);
  for (int i = 0; i < FIGURE_LIMBS; i++)
    w->bodies[i] = limb_collider(&limbs[i]);
  take_root(w);
  take_root(w);
  move_bodies(w);
  move_bodies(w);
}

void walker_teleport(walker *w, const spot *to) {
  w->place = to->place;
  w->heading = to->heading;
  take_root(w);
  take_root(w);
  move_bodies(w);
  move_bodies(w);
}

static void step_jump(walker *w, int asked, float dt) {
  int was_winding_up = w->wind_up > 0;
  if (asked && !was_winding_up && !is_airborne(w)) w->wind_up = wind_up_time;
  w->wind_up = approach(w->wind_up, 0, dt);
  w->landing = approach(w->landing, 0, dt);
  if (was_winding_up && w->wind_up <= 0) w->rise = jump_speed;
  if (!is_airborne(w)) return;
  w->rise -= gravity * dt;
  w->place.y += w->rise * dt;
  if (w->place.y > 0) return;
  w->place.y = w->rise = 0;
  w->landing = landing_time;
}

static void step_ground(walker *w, const controls *asked, float dt) {
  if (is_airborne(w)) return;
  w->speed = approach(w->speed, asked->forward * figure_speed, acceleration * dt);
  w->turning = approach(w->turning, asked->turn * turn_most, turn_acceleration * dt);
  float pace = w->speed / figure_speed;
  w->stance.stride = pace < 0 ? -pace : pace;
  w->stance.phase += pace * figure_strides * dt;
}

void walker_step(walker *w, const controls *asked, float dt) {
  step_ground(w, asked, dt);
  step_jump(w, asked->jump, dt);
  w->heading += w->turning * dt;
  w->place = plus(w->place, times(w->speed * dt, turned(heading_rotation(w->heading), vector(1, 0, 0))));
  w->stance.crouch = approach(w->stance.crouch, crouch_wanted(w), crouch_rate * dt);
  take_root(w);
  move_bodies(w);
}

cloth_vector walker_from_shoulders(const walker *w, cloth_vector offset) {
  figure_shoulders shoulders = figure_shoulders_at(&w->stance);
  return point_within(&w->root, figure_from_shoulders(&shoulders, offset));
}

cloth_vector walker_from_hips(const walker *w, cloth_vector offset) {
  return point_within(&w->root, plus(figure_hips(&w->stance), offset));
}
