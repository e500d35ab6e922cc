/*
 * The figure in the world: it walks, turns, jumps and teleports as it is told, and knows where its capsules are.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GAME_WALKER_H
#define GAME_WALKER_H

#include "figure.h"

/* Where to stand, and which way to look, in turns from +x towards -z. */
typedef struct spot {
  cloth_vector place;
  float heading;
} spot;

/* What the player asks for in a step. */
typedef struct controls {
  float forward;    /* -1..1 */
  float turn;       /* -1..1, to the left */
  int jump;         /* 1 to jump if it stands or walks */
  const spot *leap; /* where to teleport first, or NULL */
} controls;

typedef struct walker {
  cloth_vector place; /* of its feet [m] */
  float heading;      /* turns from +x towards -z */
  float speed;        /* [m/s] */
  float turning;      /* turns a second */
  float rise;         /* vertical speed [m/s] */
  float wind_up;      /* time until it takes off [s]; 0 if it does not mean to jump */
  float landing;      /* time for which it still gives way [s] */
  figure_stance stance;
  cloth_pose root, root_before; /* of its feet, after this step and the one before */
  cloth_collider bodies[FIGURE_LIMBS];
  cloth_pose bodies_before[FIGURE_LIMBS];
} walker;

void walker_open(walker *w);
void walker_step(walker *w, const controls *asked, float dt);

/* Puts it elsewhere with all it does. Nothing moves on the way: its poses before are those after. */
void walker_teleport(walker *w, const spot *to);

/* Writes where its limbs are within the frame of its feet. */
void walker_limbs(const walker *w, limb limbs[FIGURE_LIMBS]);

/* Where something is that sits on its shoulders, `offset` from their middle while they do not turn. */
cloth_vector walker_from_shoulders(const walker *w, cloth_vector offset);

/* Where something is that sits on its hips, `offset` from their middle. */
cloth_vector walker_from_hips(const walker *w, cloth_vector offset);

#endif /* GAME_WALKER_H */
