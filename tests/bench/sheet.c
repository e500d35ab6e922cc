/*
 * This library as a solver of the benchmark.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cloth.h"
#include "solver.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sheet {
  const bench_scene *scene;
  cloth *cloth;
  void *arena;
  size_t bytes;
  int collider;
} sheet;

static int must(int result, const char *what) {
  if (result >= 0) return result;
  fprintf(stderr, "bench: %s: %s\n", what, cloth_result_name(result));
  exit(EXIT_FAILURE);
}

/// Configuration ///

/* The baseline's wind pushes along the normal n: 1/2 rho A (v.n) |v| n. */
static void set_wind(cloth_config *c) {
  c->wind = (cloth_vector){bench_wind.x, bench_wind.y, bench_wind.z};
  c->air.density = bench_air_density;
  c->air.normal_drag = 1;
}

/* The material that the baseline has, too: bending as it is by default, stretch and shear, no damping but that of the
   scene. */
static void set_material(cloth_config *c) {
  c->fabric.stretch_warp = c->fabric.stretch_weft = bench_stiffness;
  c->fabric.stretch_damping = c->fabric.shear_damping = c->fabric.bend_damping = 0;
  c->fabric.compression = c->fabric.shear_compression = 1;
}

/* What the scene itself prescribes. */
static cloth_config scene_config(const bench_scene *s) {
  cloth_config c = cloth_config_default();
  c.air.density = 0; /* the baseline feels no air without wind */
  c.columns = s->columns;
  c.rows = s->rows;
  c.edge_warp = (cloth_vector){s->spacing * (float)(s->columns - 1), 0, 0};
  c.edge_weft = (cloth_vector){0, 0, s->spacing * (float)(s->rows - 1)};
  if (s->is_upright) c.edge_weft = (cloth_vector){0, -c.edge_weft.z, 0};
  c.grid.positions = (const cloth_vector *)(const void *)s->start;
  c.fabric.density = s->density;
  c.integration.velocity_damping = s->damping;
  c.gravity = (cloth_vector){0, -s->gravity, 0};
  c.thickness = bench_thickness;
  c.max_colliders = s->collider_radius > 0;
  c.capacity.max_confined = 0;
  c.fabric.shear = s->shear;
  set_material(&c);
  if (s->has_wind) set_wind(&c);
  return c;
}

/* The share of BDF2 that suits a kind of scene, in all sizes: much where a sheet swings, little where it flaps. */
static float blend_of(const bench_scene *s) {
  switch (s->kind) {
  case BENCH_HANG:
  case BENCH_REST:
  case BENCH_MOVING_PIN:
    return 0.95f;
  case BENCH_DRAPE:
  case BENCH_CAPSULE:
    return 0.8f;
  default:
    return cloth_config_default().integration.bdf2_blend;
  }
}

/* Defaults but for the blend and the length of tethers: the baseline, too, is to come as near to its rest lengths as
   it can. */
static cloth_config configure(const bench_scene *s, const setting *how) {
  cloth_config c = scene_config(s);
  c.substeps = how->substeps;
  c.integration.bdf2_blend = blend_of(s);
  c.tethers.scale = 1;
  return c;
}

/// Overrides ///

typedef struct field {
  const char *name;
  size_t offset;
  int is_integer;
} field;

#define FLOAT_FIELD(name)                                                                                              \
  { #name, offsetof(cloth_config, name), 0 }
#define INTEGER_FIELD(name)                                                                                            \
  { #name, offsetof(cloth_config, name), 1 }
#define FABRIC_FIELD(name)                                                                                             \
  { #name, offsetof(cloth_config, fabric.name), 0 }

static const field fields[] = {
    INTEGER_FIELD(substeps),
    INTEGER_FIELD(integration.max_substeps),
    INTEGER_FIELD(solver.max_iterations),
    INTEGER_FIELD(integration.method),
    INTEGER_FIELD(solver.preconditioner),
    FLOAT_FIELD(strain_limit.max_extension),
    FLOAT_FIELD(grid.min_bending_length),
    FLOAT_FIELD(integration.explicit_threshold),
    FLOAT_FIELD(integration.velocity_damping),
    FLOAT_FIELD(solver.tolerance),
    FLOAT_FIELD(integration.max_speed),
    FLOAT_FIELD(thickness),
    FLOAT_FIELD(air.drag),
    FLOAT_FIELD(air.lift),
    FLOAT_FIELD(air.normal_drag),
    FABRIC_FIELD(density),
    FABRIC_FIELD(stretch_warp),
    FABRIC_FIELD(stretch_weft),
    FABRIC_FIELD(shear),
    FABRIC_FIELD(bend),
    FABRIC_FIELD(compression),
    FABRIC_FIELD(shear_compression),
    FABRIC_FIELD(stretch_damping),
    FABRIC_FIELD(shear_damping),
    FABRIC_FIELD(bend_damping),
    INTEGER_FIELD(tethers.count),
    FLOAT_FIELD(integration.bdf2_blend),
    FLOAT_FIELD(tethers.scale),
};

static const field *find_field(const char *text) {
  size_t length = strcspn(text, "=");
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (strlen(fields[i].name) == length && strncmp(fields[i].name, text, length) == 0 && text[length] == '=')
      return &fields[i];
  fprintf(stderr, "bench: no setting %s\n", text);
  exit(EXIT_FAILURE);
}

static void override(cloth_config *c, const char *text) {
  const field *f = find_field(text);
  const char *value = strchr(text, '=') + 1;
  char *at = (char *)c + f->offset;
  int32_t integer = (int32_t)strtol(value, NULL, 10);
  float number = strtof(value, NULL);
  if (f->is_integer)
    memcpy(at, &integer, sizeof integer);
  else
    memcpy(at, &number, sizeof number);
}

/// Solver ///

static void pin_particles(sheet *m) {
  for (int i = 0; i < m->scene->count; i++)
    if (m->scene->inverse_mass[i] == 0) must(cloth_pin(m->cloth, i), "cloth_pin");
}

static cloth_pose collider_pose(const bench_scene *s, int frame) {
  bench_point p = bench_collider_place(s, frame);
  return (cloth_pose){{p.x, p.y, p.z}, {0, 0, 0, 1}};
}

static void add_collider(sheet *m) {
  const bench_scene *s = m->scene;
  if (s->collider_radius <= 0) return;
  cloth_collider c = cloth_collider_default();
  c.shape = s->collider_half > 0 ? CLOTH_SHAPE_CAPSULE : CLOTH_SHAPE_SPHERE;
  c.pose = collider_pose(s, -1);
  c.radius = c.radius_top = s->collider_radius;
  c.half_height = s->collider_half;
  c.static_friction = c.kinetic_friction = bench_friction;
  m->collider = cloth_add_collider(m->cloth, &c);
  must(m->collider, "cloth_add_collider");
}

static void *sheet_open(const bench_scene *scene, const setting *how) {
  sheet *m = bench_allocate(1, sizeof *m);
  cloth_config config = configure(scene, how);
  cloth_memory memory;
  for (int i = 0; i < how->override_count; i++)
    override(&config, how->overrides[i]);
  must(cloth_memory_needed(&config, &memory), "cloth_memory_needed");
  m->scene = scene;
  m->bytes = memory.total_bytes;
  m->arena = bench_allocate(1, memory.total_bytes);
  must(cloth_init(&config, m->arena, memory.total_bytes, &m->cloth), "cloth_init");
  pin_particles(m);
  add_collider(m);
  return m;
}

static void move_pin(const sheet *m, int frame) {
  bench_point p = bench_pin_place(m->scene, frame);
  must(cloth_move_pin(m->cloth, m->scene->moving_pin, (cloth_vector){p.x, p.y, p.z}), "cloth_move_pin");
}

/* A particle that had to be put back counts as a failure, although the sheet goes on. */
static int sheet_step(void *state, int frame) {
  sheet *m = state;
  if (m->scene->moving_pin >= 0) move_pin(m, frame);
  if (m->scene->collider_speed > 0) {
    cloth_pose pose = collider_pose(m->scene, frame);
    must(cloth_move_collider(m->cloth, m->collider, NULL, &pose), "cloth_move_collider");
  }
  return !(must(cloth_step(m->cloth, m->scene->frame_time), "cloth_step") & CLOTH_NOTE_RECOVERED);
}

static void sheet_read(const void *state, float *positions) {
  const sheet *m = state;
  cloth_vector_view range;
  must(cloth_get_positions(m->cloth, &range), "cloth_get_positions");
  for (int i = 0; i < range.count; i++) {
    *positions++ = range.x[i];
    *positions++ = range.y[i];
    *positions++ = range.z[i];
  }
}

static size_t sheet_bytes(const void *state) {
  const sheet *m = state;
  return m->bytes;
}

static void sheet_close(void *state) {
  sheet *m = state;
  free(m->arena);
  free(m);
}

const solver solver_cloth = {"cloth", sheet_open, sheet_step, sheet_read, sheet_bytes, sheet_close};
