/* S10, S14, S15: a hit, a pinch, and friction. SPDX-License-Identifier: MIT */
#ifndef SCENES_GRIP_H
#define SCENES_GRIP_H

#include "bodies.h"

/// S10: a ball through a sheet ///

static inline void hit_with_ball(sheet *s, double t) {
  move_body(s, 0, 0.5, -0.5, -1.0 + 20.0 * t, no_turn);
}

static inline void hit_lines(int substeps, int n) {
  cloth_config config = upright_config(n, n, 1.0, 1.0, substeps);
  config.max_colliders = 1;
  sheet s = sheet_pinned(&config, pin_first_row);
  cloth_collider ball = body_at(CLOTH_SHAPE_SPHERE, 0.5, -0.5, -1.0, 0.2);
  add_body(&s, &ball);
  subject what = subject_of("S10", &config);
  double ever = 0.0, inside = 0.0;
  for (int frame = 1; frame <= 360; frame++) {
    hit_with_ball(&s, frame / 60.0);
    sheet_step(&s, (double)FRAME);
    ever = largest(ever, most_stretched(&s));
    for (int i = 0; i < s.f.count; i++) {
      point p = position_of(s.f.sheet, i);
      double x = p.x - 0.5, y = p.y + 0.5, z = p.z + 1.0 - 20.0 * frame / 60.0;
      inside = fmax(inside, 0.2 - sqrt(x * x + y * y + z * z));
    }
  }
  double most = substeps == 2 ? (n == 32 ? 0.7 : 1.25) : (n == 32 ? 0.65 : 1.0);
  line(&what, trusted(s.notes, ever), NO_VALUE, has_goals(substeps) ? at_most(most) : finite_only(),
       "ball at 20 m/s: largest stretch ever");
  line(&what, inside, 0.0, at_most(1.0e-6), "deepest particle at the end of a frame [m]");
  sheet_free(&s);
}

static inline void small_hit_lines(int substeps) {
  static const double right[3] = {91.0, 221.0, 401.0};
  cloth_config config = upright_config(32, 32, 1.0, 1.0, substeps);
  config.gravity = vector_at(0.0, 0.0, 0.0);
  config.integration.velocity_damping = 0.0f;
  config.max_colliders = 1;
  sheet s = sheet_pinned(&config, pin_corners);
  cloth_collider ball = body_at(CLOTH_SHAPE_SPHERE, 0.5, -0.5, -1.0, 0.1);
  add_body(&s, &ball);
  subject what = subject_of("S10", &config);
  for (int frame = 1; frame <= 7; frame++) {
    hit_with_ball(&s, frame / 60.0);
    sheet_step(&s, (double)FRAME);
    if (frame >= 5)
      line(&what, total_energy(&s), right[frame - 5],
           has_goals(substeps) ? within(right[frame - 5], substeps == 2 ? 0.15 : 0.3) : finite_only(),
           "small ball: energy given after %.3f s [J]", frame / 60.0);
  }
  sheet_free(&s);
}

static inline void hit_scene(int substeps) {
  hit_lines(substeps, 32);
  hit_lines(substeps, 64);
  small_hit_lines(substeps);
}

/// S14: a napkin between two boards ///

static double pinch_bite, pinch_lift;

static inline void close_boards(sheet *s, double t) {
  double open = 0.01 * (1.0 - fmin(2.0 * t, 1.0)), z = 0.02 + THICKNESS - 0.5 * pinch_bite + open;
  double y = t > 1.0 ? pinch_lift * (t - 1.0) : 0.0;
  move_body(s, 0, 0.15, y, z, no_turn);
  move_body(s, 1, 0.15, y, -z, no_turn);
}

static inline void pinch_lines(int substeps, double bite, double lift, double friction) {
  cloth_config config = upright_config(12, 12, 0.3, 0.3, substeps);
  config.origin = vector_at(0.0, 0.05, 0.0);
  config.max_colliders = 2;
  sheet s = sheet_pinned(&config, pin_first_row);
  pinch_bite = bite;
  pinch_lift = lift;
  for (int k = 0; k < 2; k++) {
    cloth_collider board = box_at(0.15, 0.0, k ? -0.1 : 0.1, 0.2, 0.05, 0.02);
    board.static_friction = board.kinetic_friction = (float)friction;
    add_body(&s, &board);
  }
  double before = 0.0, now = 0.0;
  for (int frame = 1; frame <= 360; frame++) {
    if (frame == 46) {
      for (int column = 0; column < 12; column++)
        cloth_release(s.f.sheet, column);
    }
    close_boards(&s, frame / 60.0);
    sheet_step(&s, (double)FRAME);
    now = position_of(s.f.sheet, 12 + 6).y - (frame > 60 ? lift * (frame / 60.0 - 1.0) : 0.0);
    before = frame == 60 ? now : before;
  }
  subject what = subject_of("S14", &config);
  goal slip = friction > 0.0 ? at_most(1.0e-3) : at_least(0.05);
  line(&what, trusted(s.notes, before - now), friction > 0.0 ? 0.0 : NO_VALUE,
       has_goals(substeps) ? slip : finite_only(), "bite %g mm, lift %g m/s, friction %g: slips [m]", 1000.0 * bite,
       lift, friction);
  sheet_free(&s);
}

static inline void pinch_scene(int substeps) {
  pinch_lines(substeps, 0.001, 0.0, 0.5);
  pinch_lines(substeps, 0.005, 0.0, 0.5);
  pinch_lines(substeps, 0.01, 0.0, 0.5);
  pinch_lines(substeps, 0.005, 0.3, 0.5);
  pinch_lines(substeps, 0.005, 0.0, 0.0);
}

/// S15: on a slope, and over a drum ///

#define SLOPE_SIDE 16

/* A sheet that lies on a plane tilted by an angle, with its first and last column along the fall. */
static inline sheet sheet_on_slope(cloth_config *config, int substeps, double angle, double holds, double slides) {
  *config = sheet_config(SLOPE_SIDE, SLOPE_SIDE, 0.5, 0.5, substeps);
  config->max_colliders = 1;
  without_damping(config);
  double co = cos(angle), si = sin(angle), height = 0.98 * THICKNESS;
  config->edge_warp = vector_at(0.5 * co, -0.5 * si, 0.0);
  config->origin = vector_at(height * si, height * co, 0.0);
  sheet s = sheet_make(config);
  cloth_collider slope = body_at(CLOTH_SHAPE_PLANE, 0.0, 0.0, 0.0, 0.0);
  slope.pose.rotation = turn_about(0.0, 0.0, 1.0, -angle);
  slope.static_friction = (float)holds;
  slope.kinetic_friction = (float)slides;
  add_body(&s, &slope);
  return s;
}

/* The mean of the places along the fall, and of the velocities. */
static inline double mean_along(const sheet *s, double angle, double *speed) {
  double co = cos(angle), si = sin(angle), place = 0.0;
  cloth_vector_view v;
  cloth_get_velocities(s->f.sheet, &v);
  *speed = 0.0;
  for (int i = 0; i < s->f.count; i++) {
    point p = position_of(s->f.sheet, i);
    place += (p.x * co - p.y * si) / s->f.count;
    *speed += ((double)v.x[i] * co - (double)v.y[i] * si) / s->f.count;
  }
  return place;
}

static inline void slope_lines(int substeps, double friction, double seconds) {
  double angle = 22.5 * DEGREE, speed, right = 9.81 * (sin(angle) - friction * cos(angle));
  cloth_config config;
  sheet s = sheet_on_slope(&config, substeps, angle, friction, friction);
  sheet_frames(&s, (int)(60.0 * seconds));
  double way = mean_along(&s, angle, &speed) - 0.25;
  subject what = subject_of("S15", &config);
  if (right > 0.0)
    line(&what, trusted(s.notes, speed / seconds), right, has_goals(substeps) ? within(right, 0.05) : finite_only(),
         "slope of 22.5 degrees, friction %g: acceleration [m/s^2]", friction);
  else
    line(&what, trusted(s.notes, way), 0.0, has_goals(substeps) ? at_most(2.0e-3) : finite_only(),
         "slope of 22.5 degrees, friction %g: way in %g s [m]", friction, seconds);
  sheet_free(&s);
}

/* With less friction once it slides: it holds what a push sets going. Steeper than its friction it starts by itself. */
static inline void start_lines(int substeps, double degrees) {
  enum { LIES = 120, SLIDES = 60 };
  double angle = degrees * DEGREE, speed, before, right = 9.81 * (sin(angle) - 0.3 * cos(angle));
  int holds = tan(angle) < 0.6;
  cloth_config config;
  sheet s = sheet_on_slope(&config, substeps, angle, 0.6, 0.3);
  subject what = subject_of("S15", &config);
  if (holds) {
    sheet_frames(&s, LIES);
    line(&what, trusted(s.notes, mean_along(&s, angle, &speed) - 0.25), 0.0,
         has_goals(substeps) ? at_most(3.0e-3) : finite_only(),
         "slope of %g degrees, .6 that slides with .3: way in 2 s [m]", degrees);
    double push = 0.5 * 0.2 * 0.25 / s.f.count; /* to .5 m/s */
    for (int i = 0; i < s.f.count; i++)
      cloth_apply_impulse(s.f.sheet, i, vector_at(push * cos(angle), -push * sin(angle), 0.0));
  }
  sheet_frames(&s, 10);
  mean_along(&s, angle, &before);
  sheet_frames(&s, SLIDES);
  mean_along(&s, angle, &speed);
  line(&what, trusted(s.notes, speed - before), right, has_goals(substeps) ? within(right, 0.1) : finite_only(),
       "slope of %g degrees, .6 that slides with .3: acceleration [m/s^2]", degrees);
  sheet_free(&s);
}

/* Lying on a plane that is pulled away under it at 1 m/s: as fast as kinetic friction, then along with it. */
static inline void belt_lines(int substeps) {
  double speed, early;
  cloth_config config;
  sheet s = sheet_on_slope(&config, substeps, 0.0, 0.3, 0.2);
  for (int frame = 1; frame <= 90; frame++) {
    move_body(&s, 0, frame / 60.0, 0.0, 0.0, no_turn);
    sheet_step(&s, (double)FRAME);
    if (frame == 20) mean_along(&s, 0.0, &early);
  }
  mean_along(&s, 0.0, &speed);
  subject what = subject_of("S15", &config);
  double right = 0.2 * 9.81 / 3.0;
  line(&what, trusted(s.notes, early), right, has_goals(substeps) ? within(right, 0.1) : finite_only(),
       "belt of 1 m/s, friction .2: speed after 1/3 s [m/s]");
  line(&what, trusted(s.notes, speed), 1.0, has_goals(substeps) ? within(1.0, 0.01) : finite_only(),
       "belt of 1 m/s, friction .3: speed after 1.5 s [m/s]");
  sheet_free(&s);
}

/* A strip over half of a drum, with so much of the load that friction holds. */
static inline void drum_lines(int substeps, double load) {
  enum { COLUMNS = 4, ROWS = 81, LOADED = 15 };
  cloth_config config = sheet_config(COLUMNS, ROWS, 0.06, 1.6, substeps);
  set_stretch(&config, 1.0e4);
  config.max_colliders = 1;
  float mass[COLUMNS * ROWS];
  cloth_vector start[COLUMNS * ROWS];
  double radius = 0.1 + THICKNESS, hangs = 0.5 * (1.6 - PI * radius);
  for (int row = 0; row < ROWS; row++) {
    double s = 1.6 * row / (ROWS - 1), a = (s - hangs) / radius;
    double x = s < hangs ? -radius : a < PI ? -radius * cos(a) : radius;
    double y = s < hangs ? s - hangs : a < PI ? radius * sin(a) : -(s - hangs - PI * radius);
    for (int column = 0; column < COLUMNS; column++)
      start[row * COLUMNS + column] = vector_at(x, y, 0.06 * column / (COLUMNS - 1));
  }
  double particle = 0.2 * 0.06 * 1.6 / (COLUMNS * ROWS), own = 0.2 * 0.06 * hangs, light = 0.05;
  double heavy = load * exp(0.5 * PI) * (light + own) - own; /* both ends carry their loads in their last rows */
  for (int i = 0; i < COLUMNS * ROWS; i++) {
    double end = i < COLUMNS * LOADED ? light : i >= COLUMNS * (ROWS - LOADED) ? heavy : 0.0;
    mass[i] = (float)(1.0 + end / (COLUMNS * LOADED) / particle);
  }
  config.grid.mass_map = mass;
  config.grid.positions = start;
  sheet s = sheet_make(&config);
  cloth_collider drum = body_at(CLOTH_SHAPE_CYLINDER, 0.0, 0.0, 0.03, 0.1);
  drum.half_height = 0.5f;
  drum.pose.rotation = turn_about(1.0, 0.0, 0.0, 0.5 * PI);
  add_body(&s, &drum);
  sheet_frames(&s, 30);
  double before = position_of(s.f.sheet, (ROWS - 1) * COLUMNS).y;
  sheet_frames(&s, 60);
  double sinks = before - position_of(s.f.sheet, (ROWS - 1) * COLUMNS).y;
  subject what = subject_of("S15", &config);
  line(&what, trusted(s.notes, sinks), load < 1.0 ? 0.0 : NO_VALUE,
       !has_goals(substeps) ? finite_only()
       : load < 1.0         ? at_most(1.0e-3)
                            : at_least(0.02),
       "drum, %g of e^(mu pi): the heavy end sinks in 1 s [m]", load);
  sheet_free(&s);
}

static inline void grip_scene(int substeps) {
  slope_lines(substeps, 0.4, 4.0);
  slope_lines(substeps, 0.6, 60.0);
  start_lines(substeps, 22.5);
  start_lines(substeps, 25.0);
  start_lines(substeps, 32.0);
  belt_lines(substeps);
  drum_lines(substeps, 0.9);
  drum_lines(substeps, 1.1);
}

#endif /* SCENES_GRIP_H */
