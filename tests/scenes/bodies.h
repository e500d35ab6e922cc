/* Colliders of the scenes: how they are made, moved, and how far cloth is inside them.
   SPDX-License-Identifier: MIT */
#ifndef SCENES_BODIES_H
#define SCENES_BODIES_H

#include "measures.h"

#define THICKNESS 0.01 /* of contact, the default [m] */

/* A collider of the scenes: friction .5, where nothing else is said. */
static inline cloth_collider body_at(int shape, double x, double y, double z, double radius) {
  cloth_collider b = cloth_collider_default();
  b.shape = shape;
  b.pose.position = vector_at(x, y, z);
  b.radius = b.radius_top = (float)radius;
  return b;
}

static inline cloth_collider box_at(double x, double y, double z, double a, double b, double c) {
  cloth_collider body = body_at(CLOTH_SHAPE_BOX, x, y, z, 0.25);
  body.half_extents = vector_at(a, b, c);
  return body;
}

static inline cloth_rotation turn_about(double x, double y, double z, double angle) {
  double s = sin(0.5 * angle);
  cloth_rotation q = {(float)(x * s), (float)(y * s), (float)(z * s), (float)cos(0.5 * angle)};
  return q;
}

static inline int add_body(sheet *s, const cloth_collider *body) {
  int index = cloth_add_collider(s->f.sheet, body);
  CHECK(index >= 0, "cloth_add_collider: %s", cloth_result_name(index));
  return index;
}

/* Moves a collider in the next step from where it is. */
static inline void move_body(sheet *s, int index, double x, double y, double z, cloth_rotation q) {
  cloth_pose pose;
  pose.position = vector_at(x, y, z);
  pose.rotation = q;
  int result = cloth_move_collider(s->f.sheet, index, NULL, &pose);
  CHECK(result == CLOTH_OK, "cloth_move_collider: %s", cloth_result_name(result));
}

static const cloth_rotation no_turn = {0.0f, 0.0f, 0.0f, 1.0f};

/* Largest strain of the springs along warp and weft, without those between two pins. */
static inline double most_stretched(const sheet *s) {
  double most = 0.0;
  int count = 0;
  double *strain = strains_of(s, &count);
  for (int i = 0; i < count; i++)
    most = largest(most, strain[i]);
  free(strain);
  return most;
}

/* A run with colliders. */
typedef struct touch_record {
  double asleep, late;  /* when the first 0.5 s began in which all rest [s]; fastest of the last second [m/s] */
  double stretch, ever; /* largest at the end, and of all frames */
  double fastest;       /* of all frames [m/s] */
} touch_record;

/* What moves the bodies before each frame; `seconds`: at its end. */
typedef void body_motion(sheet *s, double seconds);

static inline touch_record run_touching(sheet *s, double seconds, double from, body_motion *move) {
  touch_record t = {HUGE_VAL, 0.0, 0.0, 0.0, 0.0};
  record r = empty_record();
  int frames = (int)(60.0 * seconds + 0.5);
  for (int frame = 1; frame <= frames; frame++) {
    if (move != NULL) move(s, from + frame / 60.0);
    sheet_step(s, (double)FRAME);
    double fastest = fastest_speed(s);
    note_rest(&r, fastest);
    t.fastest = largest(t.fastest, fastest);
    if (frame > frames - 60) t.late = largest(t.late, fastest);
    t.stretch = most_stretched(s);
    t.ever = largest(t.ever, t.stretch);
  }
  t.asleep = r.asleep;
  return t;
}

#endif /* SCENES_BODIES_H */
