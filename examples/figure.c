/* SPDX-License-Identifier: MIT */
#include "figure.h"
#include "motion.h"

const float figure_speed = 1.4f, figure_strides = 0.9f;

static const float thigh_length = 0.43f, shin_length = 0.43f, upper_arm_length = 0.29f, forearm_length = 0.25f;

/* Swings a limb of a length from a joint: an angle in turns forwards from hanging straight down. */
static cloth_vector swung(cloth_vector joint, float bone, float turns, float outwards) {
  return plus(joint, times(bone, vector(wave(turns), -cosine(turns), outwards)));
}

/* How far a crouch bends the knees, and the arms forwards, in turns. */
static const float knee_bend = 0.12f, arm_bend = 0.1f;

static void pose_leg(limb limbs[3], const figure_stance *stance, float phase, cloth_vector hips, float side) {
  cloth_vector hip = plus(hips, vector(0, -0.02f, 0.09f * side));
  float lift = 0.5f + 0.5f * cosine(phase); /* the leg that swings forwards bends its knee */
  float bend = knee_bend * stance->crouch;
  float thigh = 0.015f + stance->stride * (0.065f * wave(phase));
  float shin = thigh - 0.015f - stance->stride * (0.15f * lift * lift);
  cloth_vector knee = swung(hip, thigh_length, thigh + bend, 0);
  cloth_vector ankle = swung(knee, shin_length, shin - bend, 0);
  float foot = shin + 0.25f - 0.02f * lift;
  limbs[0] = (limb){knee, hip, 0.055f, 0.08f};
  limbs[1] = (limb){ankle, knee, 0.04f, 0.055f};
  limbs[2] = (limb){ankle, swung(ankle, 0.14f, foot, 0), 0.04f, 0.032f};
}

static void pose_arm(limb limbs[2], const figure_stance *stance, float phase, cloth_vector shoulder, float side) {
  float bend = arm_bend * stance->crouch;
  float upper = 0.005f - stance->stride * (0.06f * wave(phase));
  float fore = upper + 0.045f - stance->stride * (0.025f * wave(phase));
  cloth_vector elbow = swung(shoulder, upper_arm_length, upper + bend, 0.2f * side);
  cloth_vector wrist = swung(elbow, forearm_length, fore + 2 * bend, 0.06f * side);
  limbs[0] = (limb){elbow, shoulder, 0.04f, 0.052f};
  limbs[1] = (limb){wrist, elbow, 0.036f, 0.04f};
}

/* How far a crouch lowers all that is above the knees [m]. */
static float sink(const figure_stance *stance) {
  return (thigh_length + shin_length) * (1 - cosine(knee_bend * stance->crouch));
}

figure_shoulders figure_shoulders_at(const figure_stance *stance) {
  float bob = stance->stride * (0.018f * cosine(2 * stance->phase));
  float fall = stance->crouch > 0 ? sink(stance) : 0;
  return (figure_shoulders){vector(0.02f, 1.4f + bob - fall, 0), -0.13f * wave(stance->phase) * stance->stride};
}

cloth_vector figure_from_shoulders(const figure_shoulders *shoulders, cloth_vector offset) {
  float s = shoulders->sine, c = root(1 - s * s);
  return plus(shoulders->middle, vector(offset.x * c + offset.z * s, offset.y, offset.z * c - offset.x * s));
}

cloth_vector figure_hips(const figure_stance *stance) {
  return vector(0, figure_shoulders_at(stance).middle.y - 0.5f, 0);
}

void figure_limbs(const figure_stance *stance, limb limbs[FIGURE_LIMBS]) {
  const figure_shoulders turned = figure_shoulders_at(stance);
  cloth_vector shoulders = turned.middle;
  cloth_vector hips = figure_hips(stance);
  cloth_vector across = times(0.18f, vector(turned.sine, 0, 1));
  limbs[0] = (limb){hips, plus(shoulders, vector(0, -0.07f, 0)), 0.115f, 0.13f};
  limbs[1] = (limb){plus(hips, vector(0, 0, -0.07f)), plus(hips, vector(0, 0, 0.07f)), 0.11f, 0.11f};
  limbs[2] = (limb){minus(shoulders, across), plus(shoulders, across), 0.062f, 0.062f};
  limbs[3] = (limb){shoulders, plus(shoulders, vector(0.02f, 0.14f, 0)), 0.055f, 0.05f};
  limbs[4] = (limb){plus(shoulders, vector(0.025f, 0.2f, 0)), plus(shoulders, vector(0.02f, 0.27f, 0)), 0.078f, 0.098f};
  pose_leg(limbs + 5, stance, stance->phase, hips, 1);
  pose_leg(limbs + 8, stance, stance->phase + 0.5f, hips, -1);
  pose_arm(limbs + 11, stance, stance->phase, plus(shoulders, across), 1);
  pose_arm(limbs + 13, stance, stance->phase + 0.5f, minus(shoulders, across), -1);
}

/* From the shoulder and the elbow on, outwards for each length of the arm before [m]. */
static void spread_arm(limb arm[2], float side) {
  const float sizes[2] = {length(minus(arm[0].high, arm[0].low)), length(minus(arm[1].high, arm[1].low))};
  const cloth_vector upper = plus(minus(arm[0].low, arm[0].high), vector(0, 0, 0.15f * side));
  const cloth_vector fore = plus(minus(arm[1].low, arm[1].high), vector(0, 0, 0.06f * side));
  arm[0].low = plus(arm[0].high, times(sizes[0] / length(upper), upper));
  arm[1].high = arm[0].low;
  arm[1].low = plus(arm[1].high, times(sizes[1] / length(fore), fore));
}

void figure_spread_arms(limb limbs[FIGURE_LIMBS]) {
  spread_arm(limbs + 11, 1);
  spread_arm(limbs + 13, -1);
}

/* The rotation that takes y to a direction, by the half-way quaternion. */
static cloth_rotation upright_to(cloth_vector direction) {
  float w = 1.0f + direction.y;
  float size = root(w * w + direction.x * direction.x + direction.z * direction.z);
  return (cloth_rotation){direction.z / size, 0, -direction.x / size, w / size};
}

cloth_pose limb_pose(const limb *l) {
  cloth_vector axis = minus(l->high, l->low);
  return (cloth_pose){times(0.5f, plus(l->low, l->high)), upright_to(times(1.0f / length(axis), axis))};
}

cloth_collider limb_collider(const limb *l) {
  cloth_collider c = cloth_collider_default();
  c.shape = CLOTH_SHAPE_CAPSULE;
  c.pose = limb_pose(l);
  c.radius = l->radius_low;
  c.radius_top = l->radius_high;
  c.half_height = 0.5f * length(minus(l->high, l->low));
  c.static_friction = 0.3f;
  c.kinetic_friction = 0.3f;
  return c;
}
