/*
 * The scenes shared by the demo, the tests and the benchmarks: a sheet of 1 m x 1 m and 0.2 kg with n x n particles,
 * 60 frames a second.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SCENES_H
#define SCENES_H

#include "cloth.h"

typedef enum scene_kind {
  SCENE_HANG,  /* swings down from horizontal, pinned at two corners; 3 s */
  SCENE_REST,  /* the same, damped until it hangs still; 5 s */
  SCENE_DRAPE, /* falls 0.1 m onto a sphere; 3 s */
  SCENE_FLAG,  /* on a pole in a wind of 8 m/s, 15 degrees off its plane; 5 s */
  SCENE_KIND_COUNT
} scene_kind;

typedef enum scene_pins {
  SCENE_PINS_NONE,
  SCENE_PINS_CORNERS, /* both ends of row 0 */
  SCENE_PINS_ROW,     /* all of row 0 */
  SCENE_PINS_COLUMN   /* all of column 0 */
} scene_pins;

enum { SCENE_COLLIDER_LIMIT = 4 };

typedef struct scene {
  const char *name;
  cloth_config config;
  scene_pins pins;
  cloth_collider colliders[SCENE_COLLIDER_LIMIT];
  int collider_count;
  int frames;
  float frame_time; /* [s] */
} scene;

/* Returns the description of a scene. Everything in it may be changed before it is built. */
scene scene_describe(scene_kind kind, int n);

/* Adds a level floor at a height [m] to a description that has room for another collider. */
void scene_add_floor(scene *description, float height);

/* Makes the cloth of a scene in the caller's arena, with its pins and colliders. Returns what cloth_init() and the like
   return: CLOTH_OK or an error. */
int scene_build(const scene *description, void *arena, size_t bytes, cloth **sheet);

/* A scene in memory from malloc, for hosts that have it. */
typedef struct scene_instance {
  cloth *sheet;
  size_t bytes; /* of the arena */
  void *block;  /* what malloc returned; the arena is the aligned part of it */
} scene_instance;

/* Builds a scene. Returns CLOTH_OK, an error, or CLOTH_ERROR_ARENA if there is no memory. */
int scene_open(const scene *description, scene_instance *instance);
void scene_close(scene_instance *instance);

#endif /* SCENES_H */
