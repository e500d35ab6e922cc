/*
 * Somebody in a cape, who walks in a circle or stands. Its cloth has levels of detail by the distance of the camera.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CROWD_PERSON_H
#define CROWD_PERSON_H

#include "figure.h"

enum {
  PERSON_LEVELS = 3,
  PERSON_COLUMNS_MOST = 20,
  PERSON_ROWS_MOST = 32,
  PERSON_PARTICLES_MOST = PERSON_COLUMNS_MOST * PERSON_ROWS_MOST,
  PERSON_OUT_OF_SIGHT = PERSON_LEVELS /* a level at which the cape waits for the camera to come back */
};

typedef struct person {
  cloth_vector middle; /* of its circle [m] */
  float radius;        /* of its circle [m] */
  float start;         /* where on the circle it begins; turns */
  int stands;

  cloth *sheet;
  void *arena; /* for the finest level */
  size_t arena_bytes;
  int level, columns, rows;
  cloth_vector collar[PERSON_COLUMNS_MOST]; /* from the middle of the shoulders */
  int32_t bodies[FIGURE_LIMBS];             /* colliders of the cape; -1 where the level does without */
  int is_seen;                              /* 0: too far away; the cape is not stepped */
  int switches;                             /* of the level, so far */
} person;

/* What the cape of a person takes at most. Return CLOTH_OK or an error. */
int person_memory(cloth_memory *memory);

/* Hangs the cape on, at the finest level. `scratch` is for this worker alone, while the call lasts. Returns CLOTH_OK or
   an error. */
int person_open(person *p, void *scratch, size_t scratch_bytes);

/* Moves the person and its cape to a time, in a step of dt [s], seen from an eye. Returns CLOTH_OK or an error. */
int person_step(person *p, float time, float dt, cloth_vector eye, void *scratch, size_t scratch_bytes);

/* Where the person is at a time, and its limbs in the world. */
cloth_vector person_place(const person *p, float time);
void person_limbs(const person *p, float time, limb limbs[FIGURE_LIMBS]);

#endif /* CROWD_PERSON_H */
