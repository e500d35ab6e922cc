/* SPDX-License-Identifier: MIT */
#include "scenes.h"

#include "cloth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float sphere_radius = 0.25f, drop_height = 0.1f;
static const float capsule_radius = 0.1f, capsule_half = 0.3f, capsule_height = 0.4f, capsule_start = -0.5f;
static const double pin_way = 0.2;

static const char *const names[BENCH_KIND_COUNT] = {"HANG", "DRAPE", "FLAG", "REST", "MOVING_PIN", "CAPSULE"};

const char *bench_kind_name(bench_kind kind) {
  return names[kind];
}

bench_kind bench_kind_named(const char *name) {
  int kind = 0;
  while (kind < BENCH_KIND_COUNT && strcmp(name, names[kind]) != 0)
    kind++;
  return (bench_kind)kind;
}

void *bench_allocate(unsigned long count, unsigned long size) {
  void *memory = NULL;
  unsigned long bytes = (count * size + 63) / 64 * 64;
  if (posix_memalign(&memory, 64, bytes) != 0) {
    fprintf(stderr, "bench: out of memory\n");
    exit(EXIT_FAILURE);
  }
  return memset(memory, 0, bytes);
}

/// Particles ///

static bench_point start_of(const bench_scene *s, int row, int column) {
  float u = (float)column * s->spacing, v = (float)row * s->spacing;
  if (s->is_upright) /* rounded once */
    return (bench_point){u, fmaf(-(float)row, s->spacing, s->height), 0};
  return (bench_point){u, s->height, v};
}

static int is_pinned(const bench_scene *s, int row, int column) {
  switch (s->kind) {
  case BENCH_HANG:
  case BENCH_REST:
  case BENCH_MOVING_PIN:
    return row == 0 && (column == 0 || column == s->columns - 1);
  case BENCH_FLAG:
    return column == 0;
  case BENCH_CAPSULE:
    return row == 0;
  default:
    return 0;
  }
}

void bench_place_particles(bench_scene *s, int (*is_pinned_at)(const bench_scene *, int, int)) {
  s->start = bench_allocate((unsigned long)s->count, 3 * sizeof(float));
  s->inverse_mass = bench_allocate((unsigned long)s->count, sizeof(float));
  for (int i = 0; i < s->count; i++) {
    int row = i / s->columns, column = i % s->columns;
    bench_point p = start_of(s, row, column);
    memcpy(&s->start[3 * i], &p, sizeof p);
    s->inverse_mass[i] = is_pinned_at(s, row, column) ? 0 : 1.0f / s->mass;
  }
}

/// Scene ///

/* The rigidity of the hinges that the library gives a fabric on a grid, with its defaults of B and c = 1: that of B' =
   B + c^3 rho g h^3, and the share of the moment of the weight that bends the joints of a chain, (h / 2 l)^2 with l^3 =
   B' / (rho g). */
static float rigidity_of(const bench_scene *s) {
  const double standard_gravity = 9.81;
  cloth_config c = cloth_config_default();
  double h = (double)c.grid.min_bending_length * (double)s->spacing;
  double least = (double)s->density * standard_gravity * h * h * h, rigidity = (double)c.fabric.bend + least;
  return (float)(rigidity * (1 + 0.25 * pow(least / rigidity, 2.0 / 3.0)));
}

/* The mass is spread evenly over the particles, whether inside or at an edge. */
static void set_grid(bench_scene *s, const bench_variant *variant) {
  s->columns = variant->columns;
  s->rows = variant->rows;
  s->count = s->columns * s->rows;
  int longer = s->columns > s->rows ? s->columns : s->rows;
  float width = (float)(s->columns - 1) / (float)(longer - 1), height = (float)(s->rows - 1) / (float)(longer - 1);
  s->spacing = 1.0f / (float)(longer - 1);
  s->density = variant->density > 0 ? (float)variant->density : 0.2f;
  s->mass = s->density * width * height / (float)s->count;
  s->rigidity = rigidity_of(s);
}

static void set_collider(bench_scene *s) {
  float side = (float)(s->columns - 1) * s->spacing, depth = (float)(s->rows - 1) * s->spacing;
  if (s->kind == BENCH_DRAPE) {
    s->collider_radius = sphere_radius;
    s->collider = (bench_point){0.5f * side, 0, 0.5f * depth};
  }
  if (s->kind == BENCH_CAPSULE) {
    s->collider_radius = capsule_radius;
    s->collider_half = capsule_half;
    s->collider = (bench_point){0.5f * side, capsule_height, capsule_start};
    s->collider_speed = 1;
  }
}

bench_scene bench_scene_make(bench_kind kind, const bench_variant *variant) {
  bench_scene s = {.kind = kind, .name = names[kind], .damping = 0.1f, .moving_pin = -1};
  s.shear = bench_stiffness;
  s.gravity = bench_gravity;
  s.frame_rate = variant->frame_rate > 0 ? variant->frame_rate : 60;
  s.frame_time = 1.0f / (float)s.frame_rate;
  s.frames = variant->frames > 0 ? variant->frames : (kind == BENCH_REST ? 5 : 3) * s.frame_rate;
  s.has_wind = kind == BENCH_FLAG;
  s.is_upright = kind == BENCH_FLAG || kind == BENCH_CAPSULE;
  s.height = s.is_upright ? 1 : kind == BENCH_DRAPE ? sphere_radius + bench_thickness + drop_height : 0;
  if (kind == BENCH_REST) s.damping = 3;
  set_grid(&s, variant);
  set_collider(&s);
  if (kind == BENCH_MOVING_PIN) s.moving_pin = s.columns - 1;
  bench_place_particles(&s, is_pinned);
  return s;
}

void bench_scene_free(bench_scene *scene) {
  free(scene->start);
  free(scene->inverse_mass);
  *scene = (bench_scene){.moving_pin = -1};
}

static double time_after(const bench_scene *scene, int frame) {
  return (double)(frame + 1) / scene->frame_rate;
}

/* The pins are never further apart than the edge between them is long, which no sheet could follow. */
bench_point bench_pin_place(const bench_scene *scene, int frame) {
  bench_point p;
  memcpy(&p, &scene->start[3 * scene->moving_pin], sizeof p);
  double turn = 2 * 3.14159265358979 * time_after(scene, frame);
  p.x -= (float)(0.5 * pin_way * (1 - cos(turn)));
  return p;
}

bench_point bench_collider_place(const bench_scene *scene, int frame) {
  bench_point p = scene->collider;
  p.z += scene->collider_speed * (float)time_after(scene, frame);
  return p;
}
