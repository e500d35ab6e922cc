/* S7, S18: bodies with mass on sheets. SPDX-License-Identifier: MIT */
#ifndef SCENES_BALL_H
#define SCENES_BALL_H

#include "drape.h"

/* Bodies that fall on a sheet: a ball, a box, a lying capsule. */
enum { BODY_BALL, BODY_BOX, BODY_CAPSULE, BODY_SHAPES };
static const char *const body_names[BODY_SHAPES] = {"ball", "box", "capsule"};

static inline cloth_collider falling_shape(int shape, double x, double y, double z) {
  cloth_collider b = body_at(CLOTH_SHAPE_SPHERE, x, y, z, 0.1);
  if (shape == BODY_BOX) b = box_at(x, y, z, 0.1, 0.1, 0.1);
  if (shape == BODY_CAPSULE) {
    b.shape = CLOTH_SHAPE_CAPSULE;
    b.half_height = 0.1f;
    b.pose.rotation = turn_about(0.0, 0.0, 1.0, 1.5707963);
  }
  return b;
}

/* A fall: what falls, on a sheet of n x n that is held by its border or altogether, and the sheet's stretch. */
typedef struct ball_fall {
  int shape, n, all_pinned, substeps, iterations;
  double mass, x, z, height, stretch, tilt; /* tilt: of the sheet about its z axis [rad] */
  double radius;                            /* of a ball [m]; 0: .1 */
} ball_fall;

/* What becomes of it. */
typedef struct ball_end {
  double rest;    /* fastest particle and body of the last second [m/s] */
  double gain;    /* by how much the energy has been above that of the start, over it */
  double lowest;  /* of the body's centre [m] */
  double rebound; /* height of the centre after the first fall, over the place where it is deepest [m] */
  double fastest; /* the fastest that the body, and any particle, has been going up [m/s] */
  double moved;   /* along x at the end [m] */
  int has_passed;
} ball_end;

static inline void pin_all(sheet *s) {
  for (int i = 0; i < s->f.count; i++)
    pin_particle(s, i % s->f.columns, i / s->f.columns);
}

static inline sheet ball_sheet(const ball_fall *fall, int *index) {
  cloth_config config = sheet_config(fall->n, fall->n, 1.0, 1.0, fall->substeps);
  config.origin = vector_at(-0.5 * cos(fall->tilt), -0.5 * sin(fall->tilt), -0.5);
  config.edge_warp = vector_at(cos(fall->tilt), sin(fall->tilt), 0.0);
  config.fabric.stretch_warp = config.fabric.stretch_weft = (float)fall->stretch;
  config.iterations = fall->iterations;
  config.max_colliders = 1;
  config.capacity.max_bodies = 1;
  sheet s = sheet_make(&config);
  if (fall->all_pinned)
    pin_all(&s);
  else
    pin_border(&s);
  cloth_collider shape = falling_shape(fall->shape, fall->x, fall->height, fall->z);
  shape.radius = fall->radius > 0.0 ? (float)fall->radius : shape.radius;
  *index = add_body(&s, &shape);
  cloth_body body = cloth_body_default(&shape, (float)fall->mass);
  int result = cloth_set_body(s.f.sheet, *index, &body);
  CHECK(result == CLOTH_OK, "cloth_set_body: %s", cloth_result_name(result));
  return s;
}

/* Kinetic energy of a body, and that of its height [J]. */
static inline double body_energy(const cloth_body *b, const cloth_pose *pose) {
  point v = point_of(b->velocity), w = point_of(b->spin);
  double inertia = (double)b->inertia.y, round = inertia * point_dot(w, w); /* of balls; a bound for others */
  return 0.5 * ((double)b->mass * point_dot(v, v) + round) + (double)b->mass * 9.81 * (double)pose->position.y;
}

static inline ball_end run_fall(const ball_fall *fall, double seconds) {
  int index;
  sheet s = ball_sheet(fall, &index);
  cloth_body body;
  cloth_pose pose;
  cloth_get_body(s.f.sheet, index, &body, &pose);
  ball_end end = {.lowest = 1.0e9, .rebound = -1.0e9};
  double start = body_energy(&body, &pose) + total_energy(&s), before = fall->height;
  int frames = (int)(60.0 * seconds), has_turned = 0, has_risen = 0;
  for (int frame = 0; frame < frames; frame++) {
    sheet_step(&s, (double)FRAME);
    cloth_get_body(s.f.sheet, index, &body, &pose);
    double energy = body_energy(&body, &pose) + total_energy(&s), y = (double)pose.position.y;
    end.gain = largest(end.gain, (energy - start) / ((double)fall->mass * 9.81 * fall->height));
    end.lowest = fmin(end.lowest, y);
    end.fastest = largest(end.fastest, (double)body.velocity.y);
    has_turned |= y > before;
    has_risen |= has_turned && y < before;
    if (has_turned && !has_risen) end.rebound = y;
    before = y;
    if (frame >= frames - 60) {
      end.rest = largest(end.rest, fastest_speed(&s));
      end.rest = largest(end.rest, length_of(body.velocity));
    }
  }
  end.rebound -= end.lowest;
  end.moved = (double)pose.position.x - fall->x;
  end.has_passed = !(pose.position.y > (float)lowest_height(&s)) || (fall->all_pinned && pose.position.y < 0.0f);
  sheet_free(&s);
  return end;
}

/* Lines of a fall. `rest`: the goal for its speed at last. */
static inline void fall_lines(const subject *what, const ball_fall *fall, double rest) {
  ball_end end = run_fall(fall, 16.0);
  const char *name = body_names[fall->shape];
  const double m = fall->mass;
  line(what, end.rest, 0.0, at_most(rest), "%s of %g kg at %g: fastest of the 16th second [m/s]", name, m, fall->x);
  line(what, end.gain, 0.0, at_most(fall->substeps == 2 || fall->substeps == 4 ? 0.001 : 0.05),
       "%s of %g kg at %g: gain of energy, of its own", name, m, fall->x);
  line(what, (double)end.has_passed, 0.0, fall->mass <= 5.0 || fall->stretch > 5000.0 ? at_most(0.0) : finite_only(),
       "%s of %g kg at %g: passes", name, m, fall->x);
}

/* How high balls come up again, beside 64 substeps of 10 iterations. */
static inline void rebound_lines(int substeps) {
  static const double masses[] = {0.1, 0.3, 1.0, 5.0};
  cloth_config config = sheet_config(33, 33, 1.0, 1.0, substeps);
  subject what = subject_of("S7", &config);
  for (int k = 0; k < 4; k++) {
    ball_fall fall = {BODY_BALL, 33, 0, substeps, CLOTH_AUTOMATIC, masses[k], 0.0, 0.0, 0.5, 1000.0, 0.0, 0.0};
    ball_fall fine = fall;
    fine.substeps = 64;
    fine.iterations = 10;
    double right = run_fall(&fine, 2.0).rebound, found = run_fall(&fall, 2.0).rebound;
    line(&what, found, right, has_goals(substeps) ? within(right, 0.15) : finite_only(),
         "ball of %g kg: rebound from where it is deepest [m]", masses[k]);
  }
}

/* Rolls down a sheet that is tilted by 5 degrees. */
static inline void tilted_line(int substeps) {
  ball_fall fall = {BODY_BALL, 33, 0, substeps, CLOTH_AUTOMATIC, 0.3, 0.0, 0.0, 0.12, 1000.0, -0.0872665, 0.0};
  cloth_config config = sheet_config(33, 33, 1.0, 1.0, substeps);
  subject what = subject_of("S7", &config);
  line(&what, run_fall(&fall, 3.0).moved, NO_VALUE, at_least(0.05), "ball of 0.3 kg on a slope of 5 degrees: way [m]");
}

/* S18: bodies that are born inside of what they meet, or over each other. */
static inline void overlap_scene(int substeps) {
  cloth_config config = sheet_config(10, 10, 1.0, 1.0, substeps);
  subject what = subject_of("S18", &config);
  for (int depth = 5; depth <= 10; depth += 5) {
    ball_fall fall = {BODY_BALL,           10,     1,   substeps, CLOTH_AUTOMATIC, 1.0, 0.0, 0.0,
                      0.15 - 0.01 * depth, 1000.0, 0.0, 0.15};
    ball_end end = run_fall(&fall, 4.0);
    line(&what, end.fastest, 0.0, at_most(3.0), "%d cm inside a pinned sheet: comes out with [m/s]", depth);
    line(&what, end.rest, 0.0, at_most(0.01), "%d cm inside a pinned sheet: fastest at last [m/s]", depth);
  }
  ball_fall hung = {BODY_BOX, 10, 0, substeps, CLOTH_AUTOMATIC, 1.0, 0.0, 0.0, 0.02, 1000.0, 0.0, 0.0};
  ball_end end = run_fall(&hung, 16.0);
  line(&what, end.fastest, 0.0, at_most(3.0), "box inside a sheet: comes out with [m/s]");
  line(&what, end.rest, 0.0, at_most(0.01), "box inside a sheet: fastest at last [m/s]");
}

static inline void ball_scene(int substeps) {
  static const double masses[] = {0.1, 0.3, 1.0, 5.0, 60.0};
  for (int n = 17; n <= 33; n += 16) {
    cloth_config config = sheet_config(n, n, 1.0, 1.0, substeps);
    subject what = subject_of("S7", &config);
    for (int k = 0; k < 5; k++) {
      for (int off = 0; off < 2; off++) {
        ball_fall fall = {BODY_BALL, n,          0,         substeps, CLOTH_AUTOMATIC,
                          masses[k], 0.13 * off, 0.2 * off, 0.5,      masses[k] > 5.0 ? 1.0e4 : 1000.0,
                          0.0,       0.0};
        double rest = substeps == 8 ? 0.1 : substeps == 4 && masses[k] > 5.0 ? 0.05 : 0.01;
        fall_lines(&what, &fall, rest);
      }
    }
  }
  for (int shape = BODY_BOX; shape <= BODY_CAPSULE; shape++) {
    ball_fall fall = {shape, 33, 0, substeps, CLOTH_AUTOMATIC, 5.0, 0.0, 0.0, 0.5, 1000.0, 0.0, 0.0};
    cloth_config config = sheet_config(33, 33, 1.0, 1.0, substeps);
    subject what = subject_of("S7", &config);
    fall_lines(&what, &fall, substeps == 8 ? 0.1 : 0.01);
  }
  ball_fall pinned = {BODY_BALL, 17, 1, substeps, CLOTH_AUTOMATIC, 5.0, 0.0, 0.0, 0.5, 1000.0, 0.0, 0.0};
  cloth_config config = sheet_config(17, 17, 1.0, 1.0, substeps);
  subject what = subject_of("S7", &config);
  ball_end held = run_fall(&pinned, 16.0);
  rebound_lines(substeps);
  tilted_line(substeps);
  line(&what, held.has_passed ? NO_VALUE : held.rest, 0.0, at_most(1.0e-4), "all pinned, 5 kg: fastest at last [m/s]");
}

#endif
