/* One cloth that meets itself: towels, tubes, a sleeve, a ring, a cape. SPDX-License-Identifier: MIT */
#ifndef FOLDS_ALONE_H
#define FOLDS_ALONE_H

#include "stage.h"

#define PI 3.14159265358979323846

static inline stage stage_named(const char *name, int columns, int rows, int substeps) {
  stage s;
  memset(&s, 0, sizeof s);
  subject what = {name, columns, rows, substeps};
  s.what = what;
  s.stretch = -1.0;
  return s;
}

/* Where the particles of a config lie: of each the place of (u, v), both from 0 to 1; around a tube u ends before 1. Of
   two sheets `side` tells which is placed: -1 or 1, or what one is turned by [rad]. */
typedef point placing(double u, double v, double side);

static inline cloth_vector *placed(const cloth_config *config, placing *place, double side) {
  int columns = config->columns, rows = config->rows;
  cloth_vector *positions = (cloth_vector *)must_have(malloc((size_t)(columns * rows) * sizeof *positions));
  for (int i = 0; i < columns * rows; i++) {
    double u = (double)(i % columns) / (columns - !config->grid.wrap), v = (double)(i / columns) / (rows - 1);
    positions[i] = vector_of(place(u, v, side));
  }
  return positions;
}

static inline cloth_config tube_config(int columns, int rows, double radius, double height, int substeps) {
  cloth_config config = sheet_config(columns, rows, 2.0 * PI * radius, height, substeps);
  config.grid.wrap = 1;
  return config;
}

static inline void pin_row(sheet *s, int row) {
  for (int column = 0; column < s->f.columns; column++)
    pin_particle(s, column, row);
}

/// Towels ///

static inline point standing_towel(double u, double v, double side) {
  (void)side;
  point p = {u - 0.5, 0.03 + v, 0.02 * sin(3.0 * v) + 0.004 * cos(4.0 * u)};
  return p;
}

static inline point towel_over_line(double u, double v, double side) {
  (void)side;
  point p = {u - 0.5, 0.04, v - 0.47};
  return p;
}

/* The distance of layers beside the thickness, the 5th percentile. */
static inline void layer_line(stage *s) {
  double thickness = (double)s->configs[0].self_thickness;
  line(&s->what, layer_gap(&s->m, 2.0 * thickness) / thickness, 1.0, at_least(0.8),
       "distance of layers over the thickness");
}

/* A towel that stands, falls and folds on a floor that leans so far about the x axis [rad]; then it lies. */
static inline void falling_towel(const char *name, int n, int substeps, double lean) {
  stage s = stage_named(name, n, n, substeps);
  cloth_config config = sheet_config(n, n, 1.0, 1.0, substeps);
  config.gravity = vector_at(0.0, -9.81 * cos(lean), 9.81 * sin(lean));
  stage_cloth(&s, &config, placed(&config, standing_towel, 0.0));
  cloth_collider floor = body_at(CLOTH_SHAPE_PLANE, 0.0, 0.0, 0.0, 0.0);
  stage_collider(&s, &floor);
  stage_start(&s);
  watch_energy(&s);
  stage_play(&s, 8.0, NULL);
  crossing_lines(&s);
  rest_line(&s, 0.01);
  layer_line(&s);
  energy_line(&s);
  stage_end(&s);
}

static inline void towel_scene(int substeps) {
  for (int n = 32; n <= 64; n += 16)
    falling_towel("towel", n, substeps, 0.0);
}

static inline void sloping_towel_scene(int substeps) {
  falling_towel("slope", 32, substeps, PI / 18.0);
}

static inline void line_scene(int substeps) {
  stage s = stage_named("line", 32, 32, substeps);
  cloth_config config = sheet_config(32, 32, 1.0, 1.0, substeps);
  stage_cloth(&s, &config, placed(&config, towel_over_line, 0.0));
  cloth_collider rope = body_at(CLOTH_SHAPE_CAPSULE, 0.0, 0.0, 0.0, 0.012);
  rope.half_height = 0.7f;
  rope.pose.rotation = turn_about(0.0, 0.0, 1.0, 0.5 * PI);
  stage_collider(&s, &rope);
  stage_start(&s);
  play_to_rest(&s, 14.0, 0.01);
}

/// Tubes ///

/* How a tube is made, and what moves it: its scene, run with the default iterations and solved. */
typedef struct tube_kind {
  const char *name;
  int columns, rows;
  double radius, height, seconds; /* [m], [m], [s] */
  placing *place;
  void (*furnish)(stage *s);
  stage_motion *move;
} tube_kind;

static inline stage tube_stage(const tube_kind *kind, int substeps, int iterations) {
  stage s = stage_named(kind->name, kind->columns, kind->rows, substeps);
  cloth_config config = tube_config(kind->columns, kind->rows, kind->radius, kind->height, substeps);
  config.thickness = 0.005f;
  config.iterations = iterations;
  stage_cloth(&s, &config, placed(&config, kind->place, 0.0));
  kind->furnish(&s);
  stage_start(&s);
  stage_play(&s, kind->seconds - 3.0, kind->move);
  watch_energy(&s);
  stage_play(&s, 3.0, kind->move);
  return s;
}

static inline void tube_scene(const tube_kind *kind, int substeps) {
  stage right = tube_stage(kind, substeps, SOLVED_ITERATIONS), s = tube_stage(kind, substeps, 0);
  crossing_lines(&s);
  rest_line(&s, 0.002);
  line(&s.what, s.stretch, right.stretch, within(right.stretch, 0.1), "largest stretch of all frames beside solved");
  energy_line(&s);
  stage_end(&right);
  stage_end(&s);
}

static inline point wrung_tube(double u, double v, double side) {
  (void)side;
  point p = {0.1 * cos(2.0 * PI * u), -0.4 * v, 0.1 * sin(2.0 * PI * u)};
  return p;
}

static inline point sleeve(double u, double v, double side) {
  (void)side;
  point p = {0.065 * cos(2.0 * PI * u), -0.5 * v, 0.065 * sin(2.0 * PI * u)};
  return p;
}

static inline void pin_both_ends(stage *s) {
  pin_row(&s->sheets[0], 0);
  pin_row(&s->sheets[0], s->sheets[0].f.rows - 1);
}

static inline void furnish_sleeve(stage *s) {
  cloth_collider arm = body_at(CLOTH_SHAPE_CAPSULE, 0.0, -0.25, 0.0, 0.05);
  arm.half_height = 0.5f;
  stage_collider(s, &arm);
  pin_both_ends(s);
}

/* Turns the upper end by 230 degrees in three seconds. */
static inline void wring(stage *s, double t) {
  double angle = 230.0 / 180.0 * PI * fmin(t / 3.0, 1.0);
  for (int i = 0; i < s->sheets[0].f.columns; i++) {
    point p = wrung_tube((double)i / s->sheets[0].f.columns, 0.0, 0.0);
    cloth_move_pin(s->handles[0], i,
                   vector_at(p.x * cos(angle) - p.z * sin(angle), p.y, p.x * sin(angle) + p.z * cos(angle)));
  }
}

/* Pushes the upper end down the arm to a third of the length, in two seconds. */
static inline void push_sleeve(stage *s, double t) {
  for (int i = 0; i < s->sheets[0].f.columns; i++) {
    point p = sleeve((double)i / s->sheets[0].f.columns, 0.0, 0.0);
    cloth_move_pin(s->handles[0], i, vector_at(p.x, p.y - 0.35 * fmin(0.5 * t, 1.0), p.z));
  }
}

/* A band around a post of 3 cm. */
static inline point ring(double u, double v, double side) {
  (void)side;
  point p = {0.16 * cos(2.0 * PI * u) + 0.125, -0.1 * v, 0.16 * sin(2.0 * PI * u)};
  return p;
}

static inline void furnish_ring(stage *s) {
  cloth_collider post = body_at(CLOTH_SHAPE_CAPSULE, 0.0, 0.0, 0.0, 0.03);
  post.half_height = 0.5f;
  stage_collider(s, &post);
  pin_first_column(&s->sheets[0]);
}

/* One column is pulled away from the post in two seconds, until half of the ring's length is stretched by 1 %. */
static inline void pull_ring(stage *s, double t) {
  double around = PI * (0.03 + (double)s->configs[0].thickness), taut = (2.0 * PI * 0.16 - around) / 2.0;
  for (int row = 0; row < s->sheets[0].f.rows; row++) {
    point p = ring(0.0, (double)row / (s->sheets[0].f.rows - 1), 0.0);
    double x = p.x + (1.01 * taut - p.x) * fmin(0.5 * t, 1.0);
    cloth_move_pin(s->handles[0], row * s->sheets[0].f.columns, vector_at(x, p.y, p.z));
  }
}

static inline void wrung_scene(int substeps) {
  const tube_kind kind = {"wrung", 36, 24, 0.1, 0.4, 10.0, wrung_tube, pin_both_ends, wring};
  tube_scene(&kind, substeps);
}

static inline void sleeve_scene(int substeps) {
  const tube_kind kind = {"sleeve", 32, 40, 0.065, 0.5, 9.0, sleeve, furnish_sleeve, push_sleeve};
  tube_scene(&kind, substeps);
}

static inline void ring_scene(int substeps) {
  const tube_kind kind = {"ring", 64, 8, 0.16, 0.1, 8.0, ring, furnish_ring, pull_ring};
  tube_scene(&kind, substeps);
}

/// A cape pinched between an arm and the body ///

static inline point gathered_cape(double u, double v, double side) {
  (void)side;
  point p = {(u - 0.5) * 0.6, -1.2 * v, 0.06 * sin(8.0 * PI * u)};
  return p;
}

/* Two capsules close in the second second, to 12 mm of each other. */
static inline void pinch(stage *s, double t) {
  double open = 0.35 - (0.35 - 0.112) * fmin(fmax(t - 1.0, 0.0), 1.0);
  cloth_rotation lying = turn_about(0.0, 0.0, 1.0, 0.5 * PI);
  stage_move(s, 0, 0.0, -0.6, -open, lying);
  stage_move(s, 1, 0.0, -0.6, open, lying);
}

static inline void pinched_cape_scene(int substeps) {
  stage s = stage_named("pinch", 24, 32, substeps);
  cloth_config config = upright_config(24, 32, 0.9, 1.2, substeps);
  stage_cloth(&s, &config, placed(&config, gathered_cape, 0.0));
  pin_row(&s.sheets[0], 0);
  for (int k = -1; k <= 1; k += 2) {
    cloth_collider arm = body_at(CLOTH_SHAPE_CAPSULE, 0.0, -0.6, 0.35 * k, 0.1);
    arm.half_height = 0.6f;
    arm.pose.rotation = turn_about(0.0, 0.0, 1.0, 0.5 * PI);
    stage_collider(&s, &arm);
  }
  stage_start(&s);
  stage_play(&s, 2.0, pinch);
  play_to_rest(&s, 8.0, 0.002);
}

/// A free towel that folds ///

static inline point curved_towel(double u, double v, double side) {
  (void)side;
  point p = {u - 0.5, 0.3 * (u - 0.5) * (u - 0.5) + 0.01 * sin(7.0 * (v - 0.5)), v - 0.5};
  return p;
}

static inline void momentum_lines(const stage *s, const momentum *before, double linear, double angular) {
  momentum after = stage_momentum(s);
  line(&s->what, point_distance(after.linear, before->linear) / before->linear_scale, 0.0, at_most(linear),
       "change of the linear momentum");
  line(&s->what, point_distance(after.angular, before->angular) / point_length(before->angular), 0.0, at_most(angular),
       "change of the angular momentum");
}

static inline void free_towel_scene(int substeps) {
  stage s = stage_named("free", 32, 32, substeps);
  cloth_config config = sheet_config(32, 32, 1.0, 1.0, substeps);
  config.gravity = vector_at(0.0, 0.0, 0.0);
  without_damping(&config);
  stage_cloth(&s, &config, placed(&config, curved_towel, 0.0));
  for (int i = 0; i < s.sheets[0].f.count; i++) {
    point x = position_of(s.handles[0], i);
    point v = {-4.0 * x.x * fabs(x.x) + 0.4 * x.z, 2.0 * (4.0 * x.x * x.x - 0.333) + 0.6 * x.x, -0.4 * x.x};
    cloth_set_particle(s.handles[0], i, vector_of(x), vector_of(v));
  }
  stage_start(&s);
  momentum before = stage_momentum(&s);
  watch_energy(&s);
  stage_play(&s, 10.0, NULL);
  crossing_lines(&s);
  momentum_lines(&s, &before, 1e-4, 0.01);
  energy_line(&s);
  stage_end(&s);
}

#endif /* FOLDS_ALONE_H */
