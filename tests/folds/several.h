/* Several cloths that meet: stacks, a heap, bags, curtains, claps, and what is born crossed.
   SPDX-License-Identifier: MIT */
#ifndef FOLDS_SEVERAL_H
#define FOLDS_SEVERAL_H

#include "alone.h"

/// Stacks ///

enum { LAYERS = 4 };
static const double layer_density[LAYERS] = {0.2, 0.4, 0.2, 0.8}; /* [kg/m^2] */
static const double layer_share[LAYERS] = {0.4, 0.3, 0.5, 0.4};   /* thickness over the spacing */

/* A layer of a stack: .6 m x .6 m, turned by .15 rad from the one below, at a height. */
static inline void add_layer(stage *s, int n, int number, double height, const cloth_config *like) {
  double angle = 0.15 * number, c = cos(angle), e = sin(angle), h = 0.6 / (n - 1);
  cloth_config config = *like;
  config.fabric.density = (float)layer_density[number];
  config.self_thickness = (float)(layer_share[number] * h);
  config.edge_warp = vector_at(0.6 * c, 0.0, 0.6 * e);
  config.edge_weft = vector_at(-0.6 * e, 0.0, 0.6 * c);
  config.origin = vector_at(-0.3 * (c - e), height, -0.3 * (c + e));
  stage_cloth(s, &config, NULL);
}

static inline void stack_on_table(int n, int substeps) {
  stage s = stage_named("stack", n, n, substeps);
  cloth_config config = sheet_config(n, n, 0.6, 0.6, substeps);
  for (int k = 0; k < LAYERS; k++)
    add_layer(&s, n, k, 0.08 + 0.03 * k, &config);
  cloth_collider table = body_at(CLOTH_SHAPE_CYLINDER, 0.0, 0.0, 0.0, 0.2);
  cloth_collider floor = body_at(CLOTH_SHAPE_PLANE, 0.0, -0.6, 0.0, 0.0);
  table.half_height = 0.05f;
  stage_collider(&s, &table);
  stage_collider(&s, &floor);
  stage_start(&s);
  play_to_rest(&s, 12.0, 0.01);
}

/* Mean place of a cloth along x [m]. */
static inline double mean_along_x(const sheet *s) {
  double sum = 0.0;
  for (int i = 0; i < s->f.count; i++)
    sum += position_of(s->f.sheet, i).x;
  return sum / s->f.count;
}

/* The same lying on a floor of 10 degrees: after two seconds, in which it beds in, it is not to creep. */
static inline void stack_on_slope(int n, int substeps) {
  stage s = stage_named("creep", n, n, substeps);
  cloth_config config = sheet_config(n, n, 0.6, 0.6, substeps);
  config.gravity = vector_at(9.81 * sin(PI / 18.0), -9.81 * cos(PI / 18.0), 0.0);
  double height = THICKNESS;
  for (int k = 0; k < LAYERS; k++) {
    add_layer(&s, n, k, height, &config);
    height += fmax(layer_share[k], layer_share[(k + 1) % LAYERS]) * 0.6 / (n - 1);
  }
  cloth_collider floor = body_at(CLOTH_SHAPE_PLANE, 0.0, 0.0, 0.0, 0.0);
  stage_collider(&s, &floor);
  stage_start(&s);
  stage_play(&s, 2.0, NULL);
  double before[LAYERS], creep = 0.0;
  for (int k = 0; k < LAYERS; k++)
    before[k] = mean_along_x(&s.sheets[k]);
  stage_play(&s, 60.0, NULL);
  for (int k = 0; k < LAYERS; k++)
    creep = fmax(creep, fabs(mean_along_x(&s.sheets[k]) - before[k]));
  crossing_lines(&s);
  line(&s.what, 1000.0 * creep, 0.0, at_most(1.0), "creep of a layer in 60 s on 10 degrees [mm]");
  rest_line(&s, 0.01);
  stage_end(&s);
}

static inline void stack_scene(int substeps) {
  static const int sizes[] = {12, 24, 32};
  for (int k = 0; k < 3; k++)
    stack_on_table(sizes[k], substeps);
}

static inline void creep_scene(int substeps) {
  stack_on_slope(16, substeps);
}

/* Eight napkins, tilted and turned, one above the other. */
static inline void heap_scene(int substeps) {
  stage s = stage_named("heap", 16, 16, substeps);
  for (int k = 0; k < STAGE_CLOTHS; k++) {
    double a = 0.9 * k, c = cos(a), e = sin(a), tilt = k % 2 ? 0.3 : -0.2;
    cloth_config config = sheet_config(16, 16, 0.4, 0.4, substeps);
    config.edge_warp = vector_at(0.4 * c, 0.4 * tilt, 0.4 * e);
    config.edge_weft = vector_at(-0.4 * e, 0.0, 0.4 * c);
    config.origin = vector_at(-0.2 * (c - e) + 0.05 * sin(2.0 * k), 0.2 + 0.25 * k, -0.2 * (e + c));
    stage_cloth(&s, &config, NULL);
  }
  cloth_collider floor = body_at(CLOTH_SHAPE_PLANE, 0.0, 0.0, 0.0, 0.0);
  stage_collider(&s, &floor);
  stage_start(&s);
  play_to_rest(&s, 10.0, 0.01);
}

/// Bags ///

enum { BAG_SIDE = 24 };

/* Born right: a sheet bent to an arc at the mouth, flat at the bottom. */
static inline point open_bag(double u, double v, double side) {
  double half = fmax(0.9 * (1.0 - v), 1e-4), radius = 0.25 / half, angle = half * (2.0 * u - 1.0);
  point p = {radius * sin(angle), -0.5 * v, side * radius * (cos(angle) - cos(half))};
  return p;
}

/* Born too close: nearer than the thickness along the sides, stretched by up to a half. */
static inline point close_bag(double u, double v, double side) {
  point p = {0.5 * u - 0.25, -0.5 * v, side * 0.4 * u * (1.0 - u) * (1.0 - v * v)};
  return p;
}

static inline void sew_bag(stage *s) {
  enum { N = BAG_SIDE };
  const cloth_seam_side left[2] = {{0, 0, N, N, NULL}, {1, 0, N, N, NULL}};
  const cloth_seam_side right[2] = {{0, N - 1, N, N, NULL}, {1, N - 1, N, N, NULL}};
  const cloth_seam_side bottom[2] = {{0, N * (N - 1) + 1, 1, N - 2, NULL}, {1, N * (N - 1) + 1, 1, N - 2, NULL}};
  stage_seam(s, &left[0], &left[1]);
  stage_seam(s, &right[0], &right[1]);
  stage_seam(s, &bottom[0], &bottom[1]);
}

static inline cloth_config bag_config(int substeps) {
  cloth_config config = sheet_config(BAG_SIDE, BAG_SIDE, 0.5, 0.5, substeps);
  config.thickness = 0.006f;
  return config;
}

/* Two sheets that hang from points of their mouths, sewn together. */
static inline void add_bag(stage *s, const cloth_config *config, placing *place) {
  for (int k = 0; k < 2; k++) {
    stage_cloth(s, config, placed(config, place, 2.0 * k - 1.0));
    for (int column = 0; column < BAG_SIDE; column++) {
      if (column % (BAG_SIDE / 4) == 0 || column == BAG_SIDE - 1) pin_particle(&s->sheets[k], column, 0);
    }
  }
  sew_bag(s);
}

static inline void bag_of(const char *name, placing *place, double mass, double height, double radius, int substeps) {
  stage s = stage_named(name, BAG_SIDE, BAG_SIDE, substeps);
  cloth_config config = bag_config(substeps);
  config.capacity.max_bodies = 1;
  add_bag(&s, &config, place);
  cloth_collider load = body_at(CLOTH_SHAPE_SPHERE, 0.0, height, 0.0, radius);
  stage_body(&s, &load, mass);
  int is_right = place == open_bag;
  stage_start(&s);
  if (is_right) watch_energy(&s);
  stage_play(&s, is_right ? 10.0 : 2.0, NULL);
  int after = s.crossings;
  if (is_right)
    crossing_lines(&s);
  else
    stage_play(&s, 8.0, NULL);
  if (!is_right) line(&s.what, after, 0.0, at_most(0.0), "%g kg: crossings after 2 s", mass);
  line(&s.what, trusted(s.notes, s.late), 0.0, at_most(0.002), "%g kg: fastest of the last second [m/s]", mass);
  cloth_body body;
  cloth_pose pose;
  cloth_get_body(s.handles[0], s.bodies[0].colliders[0], &body, &pose);
  line(&s.what, (double)pose.position.y, NO_VALUE, within(-0.35, 0.5), "%g kg: height of the load [m]", mass);
  energy_line(&s);
  stage_end(&s);
}

static inline void bag_scene(int substeps) {
  bag_of("bag", open_bag, 1.0, -0.1, 0.06, substeps);
  bag_of("bag", open_bag, 5.0, -0.1, 0.06, substeps);
}

static inline void close_bag_scene(int substeps) {
  bag_of("close", close_bag, 1.0, -0.15, 0.07, substeps);
  bag_of("close", close_bag, 5.0, -0.15, 0.07, substeps);
}

/// Curtains ///

enum { CURTAIN_COLUMNS = 33, CURTAIN_ROWS = 40, HOOKS = 9 };

/* Two curtains of .8 m that hang from hooks, every fourth particle, beside each other. The right one is the second. */
static inline point curtain(double u, double v, double side) {
  double x = side > 0.0 ? 0.02 + 0.78 * u : -0.8 + 0.78 * u;
  point p = {x, -v, 0.03 * sin(PI * (CURTAIN_COLUMNS - 1) / 4.0 * u)};
  return p;
}

/* Draws both together in three seconds to 22 cm each, in the middle. */
static inline void draw_curtains(stage *s, double t) {
  double part = 0.78 + (0.22 - 0.78) * fmin(t / 3.0, 1.0);
  for (int k = 0; k < 2; k++) {
    for (int hook = 0; hook < HOOKS; hook++) {
      double u = (double)hook / (HOOKS - 1), x = k == 1 ? 0.02 + part * u : -0.02 - part * (1.0 - u);
      cloth_move_pin(s->handles[k], 4 * hook, vector_at(x, 0.0, 0.0));
    }
  }
}

static inline void curtain_scene(int substeps) {
  stage s = stage_named("drawn", CURTAIN_COLUMNS, CURTAIN_ROWS, substeps);
  cloth_config config = upright_config(CURTAIN_COLUMNS, CURTAIN_ROWS, 0.8, 1.0, substeps);
  for (int k = 0; k < 2; k++) {
    stage_cloth(&s, &config, placed(&config, curtain, 2.0 * k - 1.0));
    for (int hook = 0; hook < HOOKS; hook++)
      pin_particle(&s.sheets[k], 4 * hook, 0);
  }
  stage_start(&s);
  stage_play(&s, 3.0, draw_curtains);
  play_to_rest(&s, 22.0, 0.002);
}

/* Two curtains, one behind the other, thrown at each other with 20 m/s at the hem. */
static inline void thrown_scene(int substeps) {
  stage s = stage_named("thrown", 32, 40, substeps);
  for (int k = 0; k < 2; k++) {
    cloth_config config = upright_config(32, 40, 0.8, 1.0, substeps);
    config.origin = vector_at(0.05 * k, 0.0, k == 0 ? -0.15 : 0.15);
    sheet *made = stage_cloth(&s, &config, NULL);
    pin_row(made, 0);
    for (int i = 32; i < made->f.count; i++) {
      double v = (k == 0 ? 20.0 : -20.0) * (i / 32) / 39.0;
      cloth_set_particle(made->f.sheet, i, vector_of(position_of(made->f.sheet, i)), vector_at(0.0, 0.0, v));
    }
  }
  stage_start(&s);
  watch_energy(&s);
  stage_play(&s, 4.0, NULL);
  int beyond = 0;
  for (int i = 0; i < s.sheets[0].f.count; i++)
    beyond += position_of(s.handles[0], i).z > position_of(s.handles[1], i).z + 0.05;
  crossing_lines(&s);
  line(&s.what, beyond, 0.0, at_most(0.0), "particles beyond the other curtain");
  energy_line(&s);
  stage_end(&s);
}

/// Claps ///

static inline point waved(double u, double v, double side) {
  point p = {0.5 * u + (side > 0.0 ? 0.07 : 0.0), (side > 0.0 ? 0.1 : 0.0) + 0.02 * sin(5.0 * u),
             0.5 * v + (side > 0.0 ? 0.05 : 0.0)};
  return p;
}

/* Two free sheets of .2 and .4 kg/m^2 and of different thickness, without gravity, at a closing speed [m/s]; what they
   turn with is kept where it is not so fast that a frame has to slow them. */
static inline void clapped(double speed, int substeps) {
  enum { N = 24 };
  stage s = stage_named("clap", N, N, substeps);
  for (int k = 0; k < 2; k++) {
    cloth_config config = sheet_config(N, N, 0.5, 0.5, substeps);
    config.gravity = vector_at(0.0, 0.0, 0.0);
    config.fabric.density = k == 0 ? 0.2f : 0.4f;
    config.self_thickness = (float)((k == 0 ? 0.3 : 0.5) * 0.5 / (N - 1));
    without_damping(&config);
    sheet *made = stage_cloth(&s, &config, placed(&config, waved, 2.0 * k - 1.0));
    for (int i = 0; i < made->f.count; i++) {
      cloth_vector x = vector_of(position_of(made->f.sheet, i));
      cloth_set_particle(made->f.sheet, i, x, vector_at(0.0, (k == 0 ? 2.0 : -1.0) * speed / 3.0, 0.0));
    }
  }
  stage_start(&s);
  momentum before = stage_momentum(&s);
  watch_energy(&s);
  stage_play(&s, 2.0, NULL);
  crossing_lines(&s);
  momentum_lines(&s, &before, 1e-4, speed < 10.0 ? 0.01 : HUGE_VAL);
  energy_line(&s);
  stage_end(&s);
}

static inline void clap_scene(int substeps) {
  clapped(3.0, substeps);
  clapped(21.0, substeps);
}

/* A small sheet of 60 m/s thrown flat at one that is held by its border. */
static inline void shot_scene(int substeps) {
  enum { N = 24 };
  stage s = stage_named("shot", N, N, substeps);
  cloth_config target = upright_config(N, N, 1.0, 1.0, substeps), small = target;
  small.columns = small.rows = N / 2;
  small.edge_warp = vector_at(11.0 / 23.0, 0.0, 0.0);
  small.edge_weft = vector_at(0.0, -11.0 / 23.0, 0.0);
  small.origin = vector_at(0.27, -0.27, 0.2);
  pin_border(stage_cloth(&s, &target, NULL));
  sheet *shot = stage_cloth(&s, &small, NULL);
  for (int i = 0; i < shot->f.count; i++) {
    cloth_vector x = vector_of(position_of(shot->f.sheet, i));
    cloth_set_particle(shot->f.sheet, i, x, vector_at(0.0, 0.0, -60.0));
  }
  stage_start(&s);
  play_to_rest(&s, 2.0, HUGE_VAL);
}

/// Born crossed ///

static inline point crossed(double u, double v, double side) {
  double a = side, x = 0.5 * u - 0.25, z = 0.5 * v - 0.25;
  point p = {x * cos(a) + (side > 0.0 ? 0.0137 : 0.0), 0.35 + x * sin(a) + 0.0021 * sin(9.0 * z) + 0.001 * sin(5.0 * x),
             z + (side > 0.0 ? 0.0071 : 0.0)};
  return p;
}

/* What is born crossed comes apart in five seconds, and may swing then, or rests and is told. It never gets worse. */
static inline void apart_lines(const stage *s, int at_birth, const char *how) {
  int is_told = (s->notes & CLOTH_NOTE_TANGLED) != 0 && s->late <= 0.05;
  line(&s->what, s->most, at_birth, at_most(at_birth), "%s: crossings, most of any frame", how);
  line(&s->what, is_told ? 0.0 : s->crossings, 0.0, at_most(0.0), "%s: crossings after 5 s, if not told and at rest",
       how);
  line(&s->what, s->late, 0.0, s->crossings > 0 ? at_most(0.05) : finite_only(), "%s: fastest of the last second [m/s]",
       how);
}

static inline void crossed_pair(double degrees, int hangs, int substeps) {
  enum { N = 16 };
  stage s = stage_named("crossed", N, N, substeps);
  for (int k = 0; k < 2; k++) {
    cloth_config config = sheet_config(N, N, 0.5, 0.5, substeps);
    sheet *made = stage_cloth(&s, &config, placed(&config, crossed, k * degrees / 180.0 * PI));
    if (hangs) pin_corners(made);
  }
  cloth_collider floor = body_at(CLOTH_SHAPE_PLANE, 0.0, hangs ? -1.0 : 0.0, 0.0, 0.0);
  stage_collider(&s, &floor);
  stage_start(&s);
  int at_birth = s.crossings;
  stage_play(&s, 5.0, NULL);
  char how[48];
  snprintf(how, sizeof how, "%g degrees, %s", degrees, hangs ? "hanging" : "free");
  apart_lines(&s, at_birth, how);
  stage_end(&s);
}

static inline void crossed_scene(int substeps) {
  for (int hangs = 0; hangs < 2; hangs++) {
    crossed_pair(30.0, hangs, substeps);
    crossed_pair(90.0, hangs, substeps);
  }
}

/* A sleeve around a thin arm, of which every particle but those of its ends lies 2 cm away from where it should. */
static inline void crumpled_scene(int substeps) {
  stage s = stage_named("crumpled", 32, 40, substeps);
  cloth_config config = tube_config(32, 40, 0.065, 0.5, substeps);
  config.thickness = 0.005f;
  cloth_vector *positions = placed(&config, sleeve, 0.0);
  uint32_t seed = 12345;
  for (int i = 32; i < 32 * 39; i++) {
    positions[i].x += (float)(0.04 * next_noise(&seed));
    positions[i].y += (float)(0.04 * next_noise(&seed));
    positions[i].z += (float)(0.04 * next_noise(&seed));
  }
  stage_cloth(&s, &config, positions);
  pin_both_ends(&s);
  cloth_collider arm = body_at(CLOTH_SHAPE_CAPSULE, 0.0, -0.25, 0.0, 0.03);
  arm.half_height = 0.5f;
  stage_collider(&s, &arm);
  stage_start(&s);
  int at_birth = s.crossings;
  stage_play(&s, 5.0, NULL);
  apart_lines(&s, at_birth, "sleeve");
  stage_end(&s);
}

#endif /* FOLDS_SEVERAL_H */
