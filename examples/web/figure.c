/* SPDX-License-Identifier: MIT */
#include "figure.h"
#include "motion.h"

const float figure_speed = 1.4f;

static const float strides = 0.9f; /* both legs once, per second */
static const float thigh_length = 0.43f, shin_length = 0.43f, upper_arm_length = 0.29f, forearm_length = 0.25f;

/* Swings a limb of a length from a joint: an angle in turns forwards from hanging straight down. */
static cloth_vector swung(cloth_vector joint, float bone, float turns, float outwards) {
  return plus(joint, times(bone, vector(wave(turns), -cosine(turns), outwards)));
}

static void pose_leg(limb limbs[3], float phase, cloth_vector hips, float side) {
  cloth_vector hip = plus(hips, vector(0, -0.02f, 0.09f * side));
  float lift = 0.5f + 0.5f * cosine(phase); /* the leg that swings forwards bends its knee */
  float thigh = 0.015f + 0.065f * wave(phase);
  float shin = thigh - 0.015f - 0.15f * lift * lift;
  cloth_vector knee = swung(hip, thigh_length, thigh, 0);
  cloth_vector ankle = swung(knee, shin_length, shin, 0);
  float foot = shin + 0.25f - 0.02f * lift;
  limbs[0] = (limb){knee, hip, 0.055f, 0.08f};
  limbs[1] = (limb){ankle, knee, 0.04f, 0.055f};
  limbs[2] = (limb){ankle, swung(ankle, 0.14f, foot, 0), 0.04f, 0.032f};
}

static void pose_arm(limb limbs[2], float phase, cloth_vector shoulder, float side) {
  float upper = 0.005f - 0.06f * wave(phase);
  float fore = upper + 0.045f - 0.025f * wave(phase);
  cloth_vector elbow = swung(shoulder, upper_arm_length, upper, 0.2f * side);
  cloth_vector wrist = swung(elbow, forearm_length, fore, 0.06f * side);
  limbs[0] = (limb){elbow, shoulder, 0.04f, 0.052f};
  limbs[1] = (limb){wrist, elbow, 0.036f, 0.04f};
}

void figure_shoulders(float time, cloth_vector *middle, float *sine) {
  float phase = strides * time;
  *middle = vector(0.02f, 1.4f + 0.018f * cosine(2 * phase), 0);
  *sine = -0.13f * wave(phase);
}

void figure_pose(float time, limb limbs[FIGURE_LIMBS]) {
  float phase = strides * time, sine;
  cloth_vector shoulders;
  figure_shoulders(time, &shoulders, &sine);
  cloth_vector hips = vector(0, shoulders.y - 0.5f, 0);
  cloth_vector across = times(0.18f, vector(sine, 0, 1));
  limbs[0] = (limb){hips, plus(shoulders, vector(0, -0.07f, 0)), 0.115f, 0.13f};
  limbs[1] = (limb){plus(hips, vector(0, 0, -0.07f)), plus(hips, vector(0, 0, 0.07f)), 0.11f, 0.11f};
  limbs[2] = (limb){minus(shoulders, across), plus(shoulders, across), 0.062f, 0.062f};
  limbs[3] = (limb){shoulders, plus(shoulders, vector(0.02f, 0.14f, 0)), 0.055f, 0.05f};
  limbs[4] = (limb){plus(shoulders, vector(0.025f, 0.2f, 0)), plus(shoulders, vector(0.02f, 0.27f, 0)), 0.078f, 0.098f};
  pose_leg(limbs + 5, phase, hips, 1);
  pose_leg(limbs + 8, phase + 0.5f, hips, -1);
  pose_arm(limbs + 11, phase, plus(shoulders, across), 1);
  pose_arm(limbs + 13, phase + 0.5f, minus(shoulders, across), -1);
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
