/* S4, S5, S8, S9: sheets that fall on bodies, or that a ball is pressed into, and come to rest.
   SPDX-License-Identifier: MIT */
#ifndef SCENES_DRAPE_H
#define SCENES_DRAPE_H

#include "bodies.h"

/* A level sheet of 1 m x 1 m, its middle at a height. */
static inline sheet sheet_above(int n, double height, int substeps, pinning *pin) {
  cloth_config config = sheet_config(n, n, 1.0, 1.0, substeps);
  config.origin = vector_at(-0.5, height, -0.5);
  config.max_colliders = 2;
  sheet s = sheet_make(&config);
  if (pin != NULL) pin(&s);
  return s;
}

/* Over a ball. */
static inline void drape_scene(int substeps) {
  for (int n = 32; n <= 64; n += 32) {
    sheet s = sheet_above(n, 0.35, substeps, NULL);
    subject what = subject_of("S4", &s.config);
    cloth_collider ball = body_at(CLOTH_SHAPE_SPHERE, 0.0, 0.0, 0.0, 0.25);
    add_body(&s, &ball);
    touch_record t = run_touching(&s, 15.0, 0.0, NULL);
    line(&what, trusted(s.notes, stretch_percentile(&s)), NO_VALUE,
         has_goals(substeps) ? at_most(0.0125) : finite_only(), "99 %% of the springs are stretched less than");
    line(&what, t.asleep, 0.0, at_most(8.0), "asleep after [s]");
    line(&what, trusted(s.notes, t.late), 0.0, has_goals(substeps) ? at_most(5.0e-4) : finite_only(),
         "fastest particle of the 15th second [m/s]");
    sheet_free(&s);
  }
}

static inline void press_ball(sheet *s, double seconds) {
  move_body(s, 0, 0.0, 0.1 + THICKNESS - fmin(seconds, 1.0) * (0.2 + THICKNESS), 0.0, no_turn);
}

/* A sheet that is born in something: the particles inside come out slowly, and rest. In a ball it is held by its
   border, and a box holds it up. */
static inline void born_lines(int substeps, int in_box) {
  sheet s = sheet_above(24, in_box ? 0.17 : 0.02, substeps, in_box ? NULL : pin_border);
  subject what = subject_of("S5", &s.config);
  cloth_collider ball = body_at(CLOTH_SHAPE_SPHERE, 0.0, 0.0, 0.0, 0.1), box = box_at(0.0, 0.0, 0.0, 0.3, 0.2, 0.3);
  add_body(&s, in_box ? &box : &ball);
  double side = in_box ? 0.25 : 0.05, out = 0.0;
  for (int frame = 1; frame <= 600; frame++) {
    cloth_vector_view v;
    sheet_step(&s, (double)FRAME);
    cloth_get_velocities(s.f.sheet, &v);
    for (int i = 0; i < s.f.count; i++) {
      point p = position_of(s.f.sheet, i);
      if (fabs(p.x) < side && fabs(p.z) < side && frame <= 60)
        out = fmax(out, fabs((double)v.y[i]) - 9.81 * frame / 60.0);
    }
  }
  line(&what, out, 3.0, has_goals(substeps) ? at_most(3.0) : finite_only(),
       in_box ? "born 3 cm inside a box: comes out with at most [m/s]"
              : "born in a ball: comes out with at most [m/s]");
  line(&what, trusted(s.notes, fastest_speed(&s)), 0.0, has_goals(substeps) ? at_most(1.0e-3) : finite_only(),
       "born inside: fastest particle after 10 s [m/s]");
  sheet_free(&s);
}

/* A ball is pressed into a sheet that is held by its border. */
static inline void press_scene(int substeps) {
  static const int sizes[] = {17, 32};
  for (int k = 0; k < 2; k++) {
    sheet s = sheet_above(sizes[k], 0.0, substeps, pin_border);
    subject what = subject_of("S5", &s.config);
    cloth_collider ball = body_at(CLOTH_SHAPE_SPHERE, 0.0, 0.1 + THICKNESS, 0.0, 0.1);
    add_body(&s, &ball);
    touch_record t = run_touching(&s, 16.0, 0.0, press_ball);
    line(&what, trusted(s.notes, t.late), 0.0, at_most(1.0e-4), "fastest particle of the 16th second [m/s]");
    line(&what, t.stretch, 0.14, at_most(0.145), "largest stretch");
    line(&what, t.asleep, 0.0, at_most(3.0), "asleep after [s]");
    sheet_free(&s);
  }
  born_lines(substeps, 0);
  born_lines(substeps, 1);
}

/* Over a box with sharp edges. */
static inline void rim_scene(int substeps) {
  sheet s = sheet_above(64, 0.2, substeps, NULL);
  subject what = subject_of("S8", &s.config);
  cloth_collider box = box_at(0.0, 0.0, 0.0, 0.25, 0.15, 0.25);
  add_body(&s, &box);
  touch_record t = run_touching(&s, 20.0, 0.0, NULL);
  line(&what, trusted(s.notes, t.stretch), 0.034, has_goals(substeps) ? at_most(0.065) : finite_only(),
       "largest stretch");
  line(&what, t.asleep, 0.0, at_most(10.0), "asleep after [s]");
  sheet_free(&s);
}

/* Over a round table. */
static inline void table_scene(int substeps) {
  sheet s = sheet_above(33, 0.1, substeps, NULL);
  subject what = subject_of("S9", &s.config);
  cloth_collider table = body_at(CLOTH_SHAPE_CYLINDER, 0.0, 0.0, 0.0, 0.3);
  table.half_height = 0.05f;
  add_body(&s, &table);
  touch_record t = run_touching(&s, 20.0, 0.0, NULL);
  line(&what, t.asleep, 0.0, at_most(10.0), "asleep after [s]");
  line(&what, trusted(s.notes, t.late), 0.0, has_goals(substeps) ? at_most(1.0e-4) : finite_only(),
       "fastest particle of the 20th second [m/s]");
  sheet_free(&s);
}

#endif /* SCENES_DRAPE_H */
