/* The few calls of the Bullet engine that the coupling example needs, in C. SPDX-License-Identifier: MIT */
#ifndef ENGINE_H
#define ENGINE_H

#include "cloth.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct engine engine;

/* The motion of a body. */
typedef struct engine_motion {
  cloth_pose pose;
  cloth_vector velocity, spin; /* [m/s], [rad/s] in world axes */
} engine_motion;

/* A world with a floor at a height [m] with a coefficient of friction, and no gravity: cloth_step() brings it. NULL
   without memory. */
engine *engine_create(float floor_height, float friction);
void engine_destroy(engine *e);

/* Adds a body in the shape of a sphere or capsule, with the mass and inertia of `body`. Returns its number, or -1. */
int engine_add(engine *e, const cloth_collider *shape, const cloth_body *body);

engine_motion engine_get(const engine *e, int body);
void engine_set_velocity(engine *e, int body, cloth_vector velocity, cloth_vector spin);

/* Steps by dt seconds: contacts between bodies and with the floor. */
void engine_step(engine *e, float dt);

#ifdef __cplusplus
}
#endif

#endif /* ENGINE_H */
