/*
 * A figure of capsules that walks on the spot, towards +x: the floor goes by instead.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef WEB_FIGURE_H
#define WEB_FIGURE_H

#include "cloth.h"

/* A capsule between two points, each end with a radius of its own. */
typedef struct limb {
  cloth_vector low, high; /* [m]; high must not lie straight below low */
  float radius_low, radius_high;
} limb;

enum { FIGURE_LIMBS = 15 };

/* How fast the floor goes by under its feet [m/s]. */
extern const float figure_speed;

/* Writes where its limbs are at a time [s]. */
void figure_pose(float time, limb limbs[FIGURE_LIMBS]);

/* How the shoulders have moved at a time: writes the point between them and their turn about the vertical, as sine. */
void figure_shoulders(float time, cloth_vector *middle, float *sine);

cloth_collider limb_collider(const limb *l);
cloth_pose limb_pose(const limb *l);

#endif /* WEB_FIGURE_H */
