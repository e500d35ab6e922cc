/* Balls and boxes of S4, S5, S8 and S10 once more, as meshes, height fields, hulls and grids of distances, which have
   to do as well; and thin surfaces that nothing may pass. SPDX-License-Identifier: MIT */
#ifndef SCENES_COPIES_H
#define SCENES_COPIES_H

#include "../geometries.h"
#include "drape.h"
#include "grip.h"

/// Copies of a ball ///

static double copied_radius; /* of the ball that functions of places describe [m] */

static inline double ball_height(double x, double z) {
  double square = copied_radius * copied_radius - x * x - z * z;
  return square > 0.0 ? sqrt(square) : -2.0;
}

static inline double copied_distance(double x, double y, double z) {
  return sqrt(x * x + y * y + z * z) - copied_radius;
}

enum { HULL_BALL_PLANES = 64 };

/* A ball as a hull: planes that touch it, evenly around on a spiral. */
static inline built build_hull_ball(double radius) {
  built b = {cloth_geometry_data_default(CLOTH_SHAPE_HULL), NULL, NULL, NULL, 0, {NULL, NULL}};
  cloth_vector *normals = (cloth_vector *)array_of(HULL_BALL_PLANES, sizeof *normals);
  float *offsets = (float *)array_of(HULL_BALL_PLANES, sizeof *offsets);
  for (int n = 0; n < HULL_BALL_PLANES; n++) {
    double y = 1.0 - (2.0 * n + 1.0) / HULL_BALL_PLANES, r = sqrt(1.0 - y * y), turn = PI * (3.0 - sqrt(5.0)) * n;
    normals[n] = vector_at(r * cos(turn), y, r * sin(turn));
    offsets[n] = (float)(0.97 * radius); /* its corners are at the radius */
  }
  b.data.hull.normals = normals;
  b.data.hull.offsets = offsets;
  b.data.hull.planes = HULL_BALL_PLANES;
  b.arrays[0] = normals;
  b.arrays[1] = offsets;
  build(&b);
  return b;
}

/* A box as triangles. */
static inline built build_mesh_box(double x, double y, double z, int one_sided) {
  static const int faces[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1},
                                   {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};
  built b = {cloth_geometry_data_default(CLOTH_SHAPE_MESH), NULL, NULL, NULL, 0, {NULL, NULL}};
  cloth_vector *vertices = (cloth_vector *)array_of(8, sizeof *vertices);
  uint32_t *indices = (uint32_t *)array_of(36, sizeof *indices);
  for (int n = 0; n < 8; n++) /* x is the highest bit */
    vertices[n] = vector_at(n & 4 ? x : -x, n & 2 ? y : -y, n & 1 ? z : -z);
  for (int n = 0; n < 36; n++)
    indices[n] = (uint32_t)faces[n / 3][n % 3];
  b.data.mesh.vertices = vertices;
  b.data.mesh.vertex_count = 8;
  b.data.mesh.indices = indices;
  b.data.mesh.triangle_count = 12;
  b.data.mesh.one_sided = one_sided;
  b.arrays[0] = vertices;
  b.arrays[1] = indices;
  build(&b);
  return b;
}

enum { COPY_OPEN_MESH, COPY_CLOSED_MESH, COPY_HULL, COPY_GRID, COPY_FIELD, COPIES };
static const char *const copy_names[COPIES] = {"mesh of two sides", "mesh of one side", "hull", "grid of distances",
                                               "height field"};

enum { BALL_RINGS = 12, BALL_SAMPLES = 41 };

static inline built build_copy(int copy, double radius) {
  copied_radius = radius;
  switch (copy) {
  case COPY_HULL:
    return build_hull_ball(radius);
  case COPY_GRID:
    return build_grid_of(copied_distance, 2.4 * radius, BALL_SAMPLES);
  case COPY_FIELD:
    return build_field_of(ball_height, 2.4 * radius, BALL_SAMPLES);
  default:
    return build_ball(radius, BALL_RINGS, copy == COPY_CLOSED_MESH);
  }
}

static inline void allow_geometry(cloth_config *config) {
  config->max_colliders = 2;
  config->capacity.geometry = 1;
  config->capacity.meshes = 1;
}

/* The collider of a copy, and what steps need; heights are from a corner of the ground. */
typedef struct copied {
  built b;
  cloth_surroundings around;
  int copy;
  double radius;
} copied;

/* The pose of a copy whose middle is at a place, turned. */
static inline cloth_pose copy_pose(const copied *k, double x, double y, double z, cloth_rotation q) {
  cloth_pose pose = {vector_at(x, y, z), q};
  if (k->copy == COPY_FIELD) { /* turned by 180 degrees about x, or not at all */
    double side = 1.2 * k->radius;
    pose.position = vector_at(x - side, y, q.x != 0.0f ? z + side : z - side);
  }
  return pose;
}

static inline void copy_make(copied *k, int copy, double radius) {
  k->copy = copy;
  k->radius = radius;
  k->b = build_copy(copy, radius);
  k->around = around_of(&k->b);
}

static inline void add_copy(sheet *s, const copied *k, cloth_pose pose) {
  cloth_collider body = collider_with(&k->b);
  body.pose = pose;
  add_body(s, &body);
  s->around = &k->around;
}

/// S4: over a ball ///

static inline void drape_copy(int substeps, int n, int copy) {
  cloth_config config = sheet_config(n, n, 1.0, 1.0, substeps);
  config.origin = vector_at(-0.5, 0.35, -0.5);
  allow_geometry(&config);
  sheet s = sheet_make(&config);
  subject what = subject_of("S4g", &s.config);
  copied k;
  copy_make(&k, copy, 0.25);
  add_copy(&s, &k, copy_pose(&k, 0.0, 0.0, 0.0, no_turn));
  touch_record t = run_touching(&s, 15.0, 0.0, NULL);
  line(&what, trusted(s.notes, stretch_percentile(&s)), NO_VALUE, has_goals(substeps) ? at_most(0.0125) : finite_only(),
       "%s: 99 %% of the springs are stretched less than", copy_names[copy]);
  line(&what, t.asleep, 0.0, at_most(8.0), "%s: asleep after [s]", copy_names[copy]);
  line(&what, trusted(s.notes, t.late), 0.0, has_goals(substeps) ? at_most(5.0e-4) : finite_only(),
       "%s: fastest particle of the 15th second [m/s]", copy_names[copy]);
  sheet_free(&s);
  free_built(&k.b);
}

static inline void drape_copies(int substeps) {
  for (int n = 32; n <= 64; n += 32) {
    for (int copy = 0; copy < COPIES; copy++)
      drape_copy(substeps, n, copy);
  }
}

/// S5: a ball is pressed in ///

static const copied *pressed;

static inline void press_copy_down(sheet *s, double seconds) {
  const cloth_rotation over = {1.0f, 0.0f, 0.0f, 0.0f};
  double y = 0.1 + THICKNESS - fmin(seconds, 1.0) * (0.2 + THICKNESS);
  cloth_pose pose = copy_pose(pressed, 0.0, y, 0.0, pressed->copy == COPY_FIELD ? over : no_turn);
  int result = cloth_move_collider(s->f.sheet, 0, NULL, &pose);
  CHECK(result == CLOTH_OK, "cloth_move_collider: %s", cloth_result_name(result));
}

static inline void press_copy(int substeps, int n, int copy) {
  const cloth_rotation over = {1.0f, 0.0f, 0.0f, 0.0f};
  cloth_config config = sheet_config(n, n, 1.0, 1.0, substeps);
  config.origin = vector_at(-0.5, 0.0, -0.5);
  allow_geometry(&config);
  sheet s = sheet_pinned(&config, pin_border);
  subject what = subject_of("S5g", &s.config);
  copied k;
  copy_make(&k, copy, 0.1);
  pressed = &k;
  add_copy(&s, &k, copy_pose(&k, 0.0, 0.1 + THICKNESS, 0.0, copy == COPY_FIELD ? over : no_turn));
  touch_record t = run_touching(&s, 16.0, 0.0, press_copy_down);
  line(&what, trusted(s.notes, t.late), 0.0, at_most(1.0e-4), "%s: fastest particle of the 16th second [m/s]",
       copy_names[copy]);
  line(&what, t.stretch, 0.14, at_most(0.145), "%s: largest stretch", copy_names[copy]);
  line(&what, t.asleep, 0.0, at_most(3.0), "%s: asleep after [s]", copy_names[copy]);
  sheet_free(&s);
  free_built(&k.b);
}

static inline void press_copies(int substeps) {
  static const int sizes[] = {17, 32};
  for (int n = 0; n < 2; n++) {
    for (int copy = 0; copy < COPIES; copy++)
      press_copy(substeps, sizes[n], copy);
  }
}

/// S8: over a box ///

static inline void rim_copy(int substeps, int one_sided) {
  cloth_config config = sheet_config(64, 64, 1.0, 1.0, substeps);
  config.origin = vector_at(-0.5, 0.2, -0.5);
  allow_geometry(&config);
  sheet s = sheet_make(&config);
  subject what = subject_of("S8g", &s.config);
  copied k = {.copy = COPY_OPEN_MESH};
  k.b = build_mesh_box(0.25, 0.15, 0.25, one_sided);
  k.around = around_of(&k.b);
  add_copy(&s, &k, copy_pose(&k, 0.0, 0.0, 0.0, no_turn));
  touch_record t = run_touching(&s, 20.0, 0.0, NULL);
  line(&what, trusted(s.notes, t.stretch), 0.034, has_goals(substeps) ? at_most(0.065) : finite_only(),
       "%s: largest stretch", copy_names[one_sided]);
  line(&what, t.asleep, 0.0, at_most(10.0), "%s: asleep after [s]", copy_names[one_sided]);
  sheet_free(&s);
  free_built(&k.b);
}

static inline void rim_copies(int substeps) {
  rim_copy(substeps, 0);
  rim_copy(substeps, 1);
}

/// S10: a hit ///

/* How far a place is inside a copy, in its axes; below 0 outside. */
static inline double copy_depth(const copied *k, point p) {
  double least = k->radius - point_length(p);
  if (k->copy == COPY_GRID) return least - 1.0e-3; /* between the samples the ball is smaller by less than that */
  const cloth_mesh_data *m = &k->b.data.mesh;
  for (int n = 0; k->copy != COPY_HULL && n < m->triangle_count; n++) {
    point a = point_of(m->vertices[m->indices[3 * n]]), b = point_of(m->vertices[m->indices[3 * n + 1]]);
    point c = point_of(m->vertices[m->indices[3 * n + 2]]);
    point normal = point_cross(point_difference(b, a), point_difference(c, a));
    double height = point_dot(normal, point_difference(p, a)) / point_length(normal);
    least = fmin(least, -height);
  }
  for (int n = 0; k->copy == COPY_HULL && n < k->b.data.hull.planes; n++) {
    double height = point_dot(point_of(k->b.data.hull.normals[n]), p) - (double)k->b.data.hull.offsets[n];
    least = n == 0 ? -height : fmin(least, -height);
  }
  return least;
}

static inline void hit_copy(int substeps, int n, int copy) {
  cloth_config config = upright_config(n, n, 1.0, 1.0, substeps);
  allow_geometry(&config);
  sheet s = sheet_pinned(&config, pin_first_row);
  copied k;
  copy_make(&k, copy, 0.2);
  add_copy(&s, &k, copy_pose(&k, 0.5, -0.5, -1.0, no_turn));
  subject what = subject_of("S10g", &config);
  double ever = 0.0, inside = 0.0;
  for (int frame = 1; frame <= 360; frame++) {
    hit_with_ball(&s, frame / 60.0);
    sheet_step(&s, (double)FRAME);
    ever = largest(ever, most_stretched(&s));
    for (int i = 0; i < s.f.count; i++) {
      point p = position_of(s.f.sheet, i), middle = {0.5, -0.5, -1.0 + 20.0 * frame / 60.0};
      inside = fmax(inside, copy_depth(&k, point_difference(p, middle)));
    }
  }
  double most = substeps == 2 ? (n == 32 ? 0.7 : 1.25) : (n == 32 ? 0.65 : 1.0);
  line(&what, trusted(s.notes, ever), NO_VALUE, has_goals(substeps) ? at_most(most) : finite_only(),
       "%s at 20 m/s: largest stretch ever", copy_names[copy]);
  line(&what, inside, 0.0, at_most(1.0e-6), "%s: deepest particle at the end of a frame [m]", copy_names[copy]);
  sheet_free(&s);
  free_built(&k.b);
}

static inline void hit_copies(int substeps) {
  for (int n = 32; n <= 64; n += 32) {
    for (int copy = 0; copy < COPY_FIELD; copy++)
      hit_copy(substeps, n, copy);
  }
}

/// Nothing passes ///

static double ridge_width; /* half of it [m] */

static inline double ridge_height(double x, double z) {
  (void)z;
  return 0.2 * fmax(1.0 - fabs(x) / ridge_width, 0.0);
}

static inline double bumpy_height(double x, double z) {
  return 0.05 * sin(20.0 * x) * sin(17.0 * z);
}

/* A wall or a ground in the way of cloth. */
typedef struct obstacle {
  const char *name;
  height_function height;
  int samples, is_field;
  double speed; /* of the cloth against it [m/s] */
  int moves;    /* 1: the obstacle comes, 2: it turns */
} obstacle;

enum { OBSTACLES = 15 };
static const obstacle obstacles[OBSTACLES] = {{"level mesh", level, 2, 0, 1.0, 0},
                                              {"level mesh", level, 2, 0, 5.0, 0},
                                              {"level mesh", level, 2, 0, 20.0, 0},
                                              {"level mesh that comes", level, 2, 0, 20.0, 1},
                                              {"mesh that turns", level, 2, 0, 10.0, 2},
                                              {"mesh with a ridge", ridge_height, 61, 0, 5.0, 0},
                                              {"mesh with a ridge", ridge_height, 61, 0, 20.0, 0},
                                              {"mesh with a ridge that comes", ridge_height, 61, 0, 20.0, 1},
                                              {"bumpy mesh", bumpy_height, 31, 0, 20.0, 0},
                                              {"bumpy mesh that comes", bumpy_height, 31, 0, 20.0, 1},
                                              {"field with a ridge", ridge_height, 61, 1, 5.0, 0},
                                              {"field with a ridge", ridge_height, 61, 1, 20.0, 0},
                                              {"field with a ridge that comes", ridge_height, 61, 1, 20.0, 1},
                                              {"bumpy field", bumpy_height, 31, 1, 20.0, 0},
                                              {"bumpy field that comes", bumpy_height, 31, 1, 20.0, 1}};

/* By how much a place in the axes of an obstacle is under it; 0 beside it. */
static inline double depth_under(const obstacle *o, double side, point p) {
  double cell = side / (o->samples - 1), x = (p.x + 0.5 * side) / cell, z = (p.z + 0.5 * side) / cell;
  int i = (int)floor(x), k = (int)floor(z);
  if (i < 0 || k < 0 || i >= o->samples - 1 || k >= o->samples - 1) return 0.0;
  double h[4], u = x - i, w = z - k;
  for (int n = 0; n < 4; n++)
    h[n] = o->height((i + n % 2) * cell - 0.5 * side, (k + n / 2) * cell - 0.5 * side);
  double ground = u + w < 1.0 ? h[0] + u * (h[1] - h[0]) + w * (h[2] - h[0])
                              : h[3] + (1.0 - u) * (h[2] - h[3]) + (1.0 - w) * (h[1] - h[3]);
  return fmax(ground - p.y, 0.0);
}

static inline cloth_pose obstacle_pose(const obstacle *o, double side, double t) {
  double angle = o->moves == 2 ? o->speed * t : 0.0;
  cloth_pose pose = {vector_at(0.0, o->moves == 1 ? o->speed * t - 0.4 : -0.4, 0.0), turn_about(0.0, 0.0, 1.0, angle)};
  if (o->is_field) {
    pose.position.x -= (float)(0.5 * side);
    pose.position.z -= (float)(0.5 * side);
  }
  return pose;
}

/* A free sheet meets an obstacle in weightlessness, for a third of a second. */
static inline void pass_lines(int substeps, const obstacle *o) {
  const double side = 1.5;
  cloth_config config = sheet_config(32, 32, 0.8, 0.8, substeps);
  config.origin = vector_at(-0.4, o->moves == 2 ? -0.5 : 0.0, -0.4);
  config.gravity = vector_at(0.0, 0.0, 0.0);
  allow_geometry(&config);
  sheet s = sheet_make(&config);
  subject what = subject_of("PASS", &config);
  ridge_width = side / 60.0;
  built b = o->is_field ? build_field_of(o->height, side, o->samples) : build_sheet_of(o->height, side, o->samples, 0);
  cloth_surroundings around = around_of(&b);
  cloth_collider body = collider_with(&b);
  body.pose = obstacle_pose(o, side, 0.0);
  add_body(&s, &body);
  s.around = &around;
  for (int i = 0; i < s.f.count; i++) {
    cloth_vector x, v = vector_at(0.0, o->moves == 0 ? -o->speed : 0.0, 0.0);
    cloth_get_position(s.f.sheet, i, &x);
    x.y += o->moves == 2 ? (float)(x.z + 0.6f) * 0.2f + 0.12f : 0.0f;
    cloth_set_particle(s.f.sheet, i, x, v);
  }
  double deepest = 0.0, fastest = 0.0, work = 0.0;
  int passed = 0;
  for (int frame = 1; frame <= 20; frame++) {
    cloth_pose pose = obstacle_pose(o, side, frame / 60.0);
    uint64_t bound = 0;
    cloth_statistics statistics;
    cloth_move_collider(s.f.sheet, 0, NULL, &pose);
    cloth_get_work_bound(s.f.sheet, FRAME, &bound);
    sheet_step(&s, (double)FRAME);
    cloth_get_statistics(s.f.sheet, &statistics);
    work = largest(work, (statistics.work[1] * 4294967296.0 + statistics.work[0]) / (double)bound);
    fastest = largest(fastest, fastest_speed(&s));
    for (int i = 0; i < s.f.count; i++) {
      point p = position_of(s.f.sheet, i),
            at = {p.x, p.y - (o->moves == 1 ? o->speed * frame / 60.0 - 0.4 : -0.4), p.z};
      double angle = o->moves == 2 ? o->speed * frame / 60.0 : 0.0;
      point local = {at.x * cos(angle) + at.y * sin(angle), at.y * cos(angle) - at.x * sin(angle), at.z};
      double depth = o->moves == 2 && angle > 1.5 ? 0.0 : depth_under(o, side, local);
      deepest = fmax(deepest, depth < 0.35 || o->is_field ? depth : 0.0);
      passed += depth > 1.0e-6;
    }
  }
  line(&what, passed, 0.0, at_most(0.0), "%s, %g m/s: particles and frames under it, deepest %.4f", o->name, o->speed,
       deepest);
  line(&what, trusted(s.notes, fastest), NO_VALUE, at_most(4.0 * o->speed), "%s, %g m/s: fastest particle [m/s]",
       o->name, o->speed);
  line(&what, work, NO_VALUE, at_most(1.0), "%s, %g m/s: work over its bound", o->name, o->speed);
  sheet_free(&s);
  free_built(&b);
}

static inline void pass_scene(int substeps) {
  for (int n = 0; n < OBSTACLES; n++)
    pass_lines(substeps, &obstacles[n]);
}

#endif /* SCENES_COPIES_H */
