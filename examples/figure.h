/*
 * A figure of capsules that walks on the spot, towards +x: the floor goes by instead, or somebody moves the figure.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FIGURE_H
#define FIGURE_H

#include "cloth.h"

/* A capsule between two points, each end with a radius of its own. */
typedef struct limb {
  cloth_vector low, high; /* [m]; high must not lie straight below low */
  float radius_low, radius_high;
} limb;

enum { FIGURE_LIMBS = 15 };

/* How fast the floor goes by under its feet at full stride [m/s], and then both legs once, per second. */
extern const float figure_speed, figure_strides;

/* What its joints do. */
typedef struct figure_stance {
  float phase;  /* of its walk; a turn is both legs once */
  float stride; /* 0 stands, 1 walks */
  float crouch; /* 0 is upright, 1 as low as it goes */
} figure_stance;

/* The point between the shoulders, and their turn about the vertical, as sine. */
typedef struct figure_shoulders {
  cloth_vector middle;
  float sine;
} figure_shoulders;

/* Writes where its limbs are. */
void figure_limbs(const figure_stance *stance, limb limbs[FIGURE_LIMBS]);

/* Holds the arms away from the body, so that sleeves have room below them. */
void figure_spread_arms(limb limbs[FIGURE_LIMBS]);

figure_shoulders figure_shoulders_at(const figure_stance *stance);

/* Where something is that sits on its shoulders, `offset` from their middle while they do not turn. */
cloth_vector figure_from_shoulders(const figure_shoulders *shoulders, cloth_vector offset);

/* The point between its hips, which do not turn. */
cloth_vector figure_hips(const figure_stance *stance);

cloth_collider limb_collider(const limb *l);
cloth_pose limb_pose(const limb *l);

#endif /* FIGURE_H */
