/* Scenes in which cloth meets itself or other cloth, and what is measured in them. Include nothing before it.
   SPDX-License-Identifier: MIT */
#ifndef SELF_SCENES_H
#define SELF_SCENES_H

#include "intersections.h"

typedef enum self_kind {
  SELF_TOWEL, /* folded over along a diagonal, lies down on the floor */
  SELF_EDGE,  /* falls upright onto the floor, on its edge */
  SELF_LINE,  /* falls over a line of pins in its middle; the halves clap together */
  SELF_TUBE,  /* wrung by its two rings */
  SELF_STACK, /* two sheets fall onto a ball, one turned against the other */
  SELF_SLOPE, /* a small sheet slides on a held one, 20 degrees steep */
  SELF_SHOT,  /* a small sheet is thrown flat against a held one */
  SELF_HANG,  /* by two corners, meets nothing */
  SELF_KINDS
} self_kind;

static const char *const self_kind_names[SELF_KINDS] = {"towel", "edge",  "line", "tube",
                                                        "stack", "slope", "shot", "hang"};

static inline self_kind self_kind_named(const char *name) {
  int kind = 0;
  while (kind < SELF_KINDS && strcmp(self_kind_names[kind], name))
    kind++;
  return (self_kind)kind;
}

typedef struct self_scene {
  self_kind kind;
  int n, substeps;
  double speed; /* of the shot [m/s] */
} self_scene;

/* How a scene is played; 0 is the default of the library where nothing else is said. */
typedef struct play_options {
  double thickness, friction; /* thickness over the spacing; 0: none */
  int start;                  /* frame from which the cloth feels itself */
  int pairs, gathers, untangle /* 1 more than the setting */, frames;
  int spheres; /* 1: particles touch particles */
} play_options;

/* What was measured. "Rest": the last 30 frames. */
typedef struct self_result {
  double mean, rest; /* intersections a frame */
  int peak;
  double gap;          /* 5th percentile of the distance of layers at the end, over the spacing */
  double acceleration; /* rest: root mean square [m/s^2] */
  double stretch;      /* largest strain of any spring in any frame */
  double most_pairs;   /* candidates per particle */
  double visits;       /* pairs of boxes per particle, of the step with the most */
  double gathers;      /* a step */
  double moved;        /* of the second cloth along x [m] */
  long dropped;
  int passed; /* particles of the second cloth far behind the first */
  int notes;
} self_result;

enum { SELF_CLOTHS = 4 };

/* Distance of the sheet to itself and to others in all scenes, over the spacing. */
#define SELF_SHARE 0.45

/* A scene while it is played. */
typedef struct self_stage {
  const self_scene *scene;
  int cloths, frames;
  cloth_config config[SELF_CLOTHS];
  cloth_vector *start[SELF_CLOTHS]; /* start positions, or NULL */
  fixture f[SELF_CLOTHS];
  cloth *sheets[SELF_CLOTHS];
  void *group_block; /* memory of the group, where there are several */
  cloth_vector ring[256];
} self_stage;

static inline cloth_config self_config(const self_scene *s, int columns, int rows) {
  cloth_config c = cloth_config_default();
  c.columns = columns;
  c.rows = rows;
  c.substeps = s->substeps;
  return c;
}

static inline double self_noise(random_source *random) {
  return random_real(random, 0, 1);
}

/* Start positions of the first cloth: of particle (u, v) in 0..1. */
static inline void self_place(self_stage *p, point (*place)(double u, double v, random_source *random)) {
  int columns = p->config[0].columns, rows = p->config[0].rows;
  random_source random = {1};
  p->start[0] = (cloth_vector *)mesh_memory((size_t)(columns * rows) * sizeof(cloth_vector));
  for (int i = 0; i < columns * rows; i++) {
    double u = (double)(i % columns) / (columns - 1), v = (double)(i / columns) / (rows - 1);
    p->start[0][i] = vector_of(place(u, v, &random));
  }
  p->config[0].grid.positions = p->start[0];
}

static inline point towel_place(double u, double v, random_source *random) {
  const double pi = 3.14159265358979, r = 0.03, half = sqrt(0.5), s = (0.9 - (u + v)) * half;
  double along = s, height = 0;
  (void)random;
  if (s > 0) {
    along = s < pi * r ? r * sin(s / r) : pi * r - s;
    height = s < pi * r ? r * (1 - cos(s / r)) : 2 * r;
  }
  point p = {u + (s - along) * half, height + 0.05, v + (s - along) * half};
  if (s <= 0) p = (point){u, 0.05, v};
  return p;
}

static inline point edge_place(double u, double v, random_source *random) {
  point p = {u, 1.1 - v, 0.01 * sin(9 * u) + 0.02 * sin(7 * v + u) + 0.001 * self_noise(random)};
  return p;
}

static inline void describe_stack(self_stage *p) {
  int n = p->scene->n;
  p->cloths = 2;
  for (int i = 0; i < 2; i++) {
    double a = 0.5 * i, c = cos(a), s = sin(a);
    p->config[i] = self_config(p->scene, n, n);
    p->config[i].edge_warp = vector_at(c, 0, s);
    p->config[i].edge_weft = vector_at(-s, 0, c);
    p->config[i].origin = vector_at(-0.5 * (c - s), 0.30 + 0.1 * i, -0.5 * (s + c));
  }
}

static inline void describe_pair(self_stage *p) {
  int n = p->scene->n, is_slope = p->scene->kind == SELF_SLOPE;
  double h = 1.0 / (n - 1);
  p->cloths = 2;
  p->config[0] = self_config(p->scene, n, n);
  p->config[1] = self_config(p->scene, n / 2, is_slope ? n / 3 : n / 2);
  for (int i = 0; is_slope && i < 2; i++) {
    cloth_config *c = &p->config[i];
    c->air.density = 0;
    c->integration.velocity_damping = 0;
    c->integration.rest_drag = 0;
    c->edge_warp = vector_at(h * (c->columns - 1), 0, 0);
    c->edge_weft = vector_at(0, 0, h * (c->rows - 1));
    c->gravity = vector_at(9.81 * sin(3.14159265358979 / 9), -9.81 * cos(3.14159265358979 / 9), 0);
    c->origin = i ? vector_at(0.01, SELF_SHARE * h, 0.25) : vector_at(0, 0, 0);
  }
  if (!is_slope) {
    p->config[0].edge_weft = vector_at(0, -1, 0);
    p->config[1].edge_warp = vector_at(h * (n / 2 - 1), 0, 0);
    p->config[1].edge_weft = vector_at(0, -h * (n / 2 - 1), 0);
    p->config[1].origin = vector_at(0.27, -0.27, 0.2);
    p->config[1].air.density = 0;
  }
  p->frames = is_slope ? 30 : 60;
}

static inline void describe_self(self_stage *p, const self_scene *s) {
  int n = s->n;
  memset(p, 0, sizeof *p);
  p->scene = s;
  p->cloths = 1;
  p->frames = 300;
  p->config[0] = self_config(s, n, n);
  cloth_config *c = &p->config[0];
  switch (s->kind) {
  case SELF_TOWEL:
    self_place(p, towel_place);
    p->frames = 240;
    break;
  case SELF_EDGE:
    c->edge_weft = vector_at(0, -1, 0);
    self_place(p, edge_place);
    break;
  case SELF_LINE:
    c->origin = vector_at(-0.5, 0.1, -0.5);
    break;
  case SELF_TUBE:
    c->columns = n + n / 2;
    c->grid.wrap = 1;
    c->edge_warp = vector_at(0, 0, -1.2);
    c->edge_weft = vector_at(0, -0.8, 0);
    c->origin = vector_at(0.19, 0.8, 0);
    c->tethers.count = 0;
    break;
  case SELF_STACK:
    describe_stack(p);
    p->frames = 240;
    break;
  case SELF_SLOPE:
  case SELF_SHOT:
    describe_pair(p);
    break;
  default:
    break;
  }
}

static inline void self_add_floor(cloth *sheet, double height) {
  cloth_collider c = cloth_collider_default();
  c.shape = CLOTH_SHAPE_PLANE;
  c.pose.position = vector_at(0, height, 0);
  cloth_add_collider(sheet, &c);
}

/* Pins and colliders. */
static inline void furnish_self(self_stage *p) {
  const int n = p->scene->n, columns = p->config[0].columns, rows = p->config[0].rows;
  cloth *sheet = p->sheets[0];
  cloth_collider ball = cloth_collider_default();
  ball.radius = 0.25f;
  ball.pose.position = vector_at(0.02, 0, 0.01);
  switch (p->scene->kind) {
  case SELF_TOWEL:
  case SELF_EDGE:
    self_add_floor(sheet, 0);
    break;
  case SELF_LINE:
    for (int row = 0; row < n; row++)
      cloth_pin(sheet, row * n + n / 2);
    break;
  case SELF_TUBE:
    for (int i = 0; i < columns; i++) {
      cloth_pin(sheet, i);
      cloth_pin(sheet, (rows - 1) * columns + i);
    }
    break;
  case SELF_STACK:
    for (int i = 0; i < 2; i++) {
      cloth_add_collider(p->sheets[i], &ball);
      self_add_floor(p->sheets[i], -0.35);
    }
    break;
  case SELF_SLOPE:
  case SELF_SHOT:
    for (int i = 0; i < n * n; i++) {
      if (p->scene->kind == SELF_SLOPE || i / n == 0 || i / n == n - 1 || i % n == 0 || i % n == n - 1)
        cloth_pin(sheet, i);
    }
    for (int i = 0; p->scene->kind == SELF_SHOT && i < p->f[1].count; i++)
      cloth_set_particle(p->sheets[1], i, vector_of(position_of(p->sheets[1], i)), vector_at(0, 0, -p->scene->speed));
    break;
  case SELF_HANG:
    cloth_pin(sheet, 0);
    cloth_pin(sheet, n - 1);
    break;
  default:
    break;
  }
}

static inline void wring_tube(self_stage *p, double t) {
  const int columns = p->config[0].columns, last = (p->config[0].rows - 1) * columns;
  double x = 0, z = 0, angle = 1.6 * fmin(t, 2.5), rise = 0.12 * fmin(t, 2.5);
  for (int i = 0; i < columns; i++) {
    if (p->ring[i].y == 0 && p->ring[i].x == 0) p->ring[i] = vector_of(position_of(p->sheets[0], last + i));
    x += (double)p->ring[i].x / columns;
    z += (double)p->ring[i].z / columns;
  }
  for (int i = 0; i < columns; i++) {
    double dx = (double)p->ring[i].x - x, dz = (double)p->ring[i].z - z;
    cloth_move_pin(p->sheets[0], last + i,
                   vector_at(x + cos(angle) * dx + sin(angle) * dz, (double)p->ring[i].y + rise,
                             z - sin(angle) * dx + cos(angle) * dz));
  }
}

static inline void drive_self(self_stage *p, int frame) {
  double t = (frame + 1) / 60.0;
  if (p->scene->kind == SELF_TUBE) wring_tube(p, t);
}

/* Makes the cloths of a scene, with or without self-contact. */
static inline void build_self(self_stage *p, const play_options *o, int feels) {
  for (int i = 0; i < p->cloths; i++) {
    cloth_config *c = &p->config[i];
    double warp = point_length(point_of(c->edge_warp)) / (c->columns - !c->grid.wrap);
    double weft = point_length(point_of(c->edge_weft)) / (c->rows - 1);
    double most = (o->spheres ? 1.0 : 0.5) * fmin(warp, weft);
    c->self_thickness = feels ? (float)fmin(o->thickness * 0.5 * (warp + weft), most) : 0.0f;
    c->self.shape = o->spheres ? CLOTH_SELF_SPHERES : CLOTH_SELF_TRIANGLES;
    c->self_friction = (float)o->friction;
    c->self.pairs = o->pairs ? o->pairs : c->self.pairs;
    c->self.gathers = o->gathers ? o->gathers : c->self.gathers;
    c->self.untangle = o->untangle ? o->untangle - 1 : c->self.untangle;
    p->f[i] = fixture_make(c);
    p->sheets[i] = p->f[i].sheet;
  }
  furnish_self(p);
}

/* Goes on with cloths that feel themselves from where those are that do not. */
static inline void exchange_self(self_stage *p, const play_options *o) {
  fixture old[SELF_CLOTHS];
  memcpy(old, p->f, sizeof old);
  build_self(p, o, 1);
  for (int i = 0; i < p->cloths; i++) {
    for (int k = 0; k < p->f[i].count; k++) {
      cloth_set_particle(p->sheets[i], k, vector_of(position_of(old[i].sheet, k)),
                         vector_of(velocity_of(old[i].sheet, k)));
    }
    fixture_free(&old[i]);
  }
}

/* Sums over the frames of a scene. */
typedef struct self_sums {
  point *before; /* velocities */
  double squares, visits, gathers, total, rest;
  long samples;
} self_sums;

static inline void sum_frame(self_stage *p, const mesh *m, int is_late, self_sums *sums, self_result *r) {
  for (int i = 0; i < p->cloths; i++) {
    cloth_measures measures;
    cloth_self_statistics st;
    cloth_measure(p->sheets[i], &measures);
    r->stretch = fmax(r->stretch, (double)measures.max_stretch);
    if (cloth_get_self_statistics(p->sheets[i], &st) == CLOTH_OK) {
      r->most_pairs = fmax(r->most_pairs, (double)st.pairs / p->f[i].count);
      r->visits = fmax(r->visits, (double)st.visits / p->f[i].count);
      r->dropped += st.pairs_dropped;
      sums->gathers += st.gathers;
    }
    for (int k = 0; k < p->f[i].count; k++) {
      point v = velocity_of(p->sheets[i], k), change = point_difference(v, sums->before[m->base[i] + k]);
      if (is_late) {
        sums->squares += point_dot(change, change) * 3600;
        sums->samples++;
      }
      sums->before[m->base[i] + k] = v;
    }
  }
}

/* The cloths of a scene as a group. */
static inline cloth_group group_of(const self_stage *p) {
  cloth_group group = cloth_group_default();
  group.cloths = p->sheets;
  group.count = p->cloths;
  group.pairs = 8;
  return group;
}

static inline int step_self_group(self_stage *p) {
  const cloth_group group = group_of(p);
  uint64_t bound = 0, work = 0;
  size_t bytes = 0;
  CHECK(cloth_group_bytes(&group, &bytes) == CLOTH_OK, "cloth_group_bytes");
  if (p->group_block == NULL) p->group_block = mesh_memory(bytes + CLOTH_ALIGNMENT);
  unsigned char *memory = (unsigned char *)p->group_block;
  memory += (CLOTH_ALIGNMENT - (uintptr_t)memory % CLOTH_ALIGNMENT) % CLOTH_ALIGNMENT;
  CHECK(cloth_group_work_bound(&group, FRAME, &bound) == CLOTH_OK, "cloth_group_work_bound");
  int notes = cloth_step_together(&group, FRAME, memory, bytes);
  CHECK(notes >= 0, "cloth_step_together: %s", cloth_result_name(notes));
  for (int i = 0; i < p->cloths; i++)
    work += read_work(p->sheets[i]);
  CHECK(work <= bound, "%g work, bound %g", (double)work, (double)bound);
  return notes;
}

static inline int step_self(self_stage *p) {
  int notes = 0;
  if (p->cloths > 1 && p->config[0].self_thickness > 0) return step_self_group(p);
  for (int i = 0; i < p->cloths; i++) {
    uint64_t bound = 0;
    CHECK(cloth_get_work_bound(p->sheets[i], FRAME, &bound) == CLOTH_OK, "cloth_get_work_bound");
    int result = cloth_step(p->sheets[i], FRAME);
    CHECK(result >= 0, "cloth_step: %s", cloth_result_name(result));
    CHECK(read_work(p->sheets[i]) <= bound, "%g work, bound %g", (double)read_work(p->sheets[i]), (double)bound);
    notes |= result;
  }
  return notes;
}

static inline void finish_self(self_stage *p, mesh *m, const self_sums *sums, self_result *r) {
  int frames = p->frames;
  r->mean = sums->total / frames;
  r->rest = sums->rest / 30;
  r->acceleration = sqrt(sums->squares / (double)(sums->samples ? sums->samples : 1));
  r->gathers = sums->gathers / frames;
  r->gap = layer_gap(m, 3 * m->spacing) / m->spacing;
  for (int i = 0; p->cloths > 1 && i < p->f[1].count; i++) {
    point x = position_of(p->sheets[1], i);
    r->moved += x.x / p->f[1].count;
    r->passed += x.z < -0.3;
  }
  if (p->cloths > 1) r->moved -= (double)p->config[1].origin.x + 0.5 * (double)p->config[1].edge_warp.x;
}

static inline self_result play_self_scene(const self_scene *s, const play_options *o) {
  self_stage p;
  self_result r;
  self_sums sums;
  memset(&r, 0, sizeof r);
  memset(&sums, 0, sizeof sums);
  describe_self(&p, s);
  p.frames = o->frames ? o->frames : p.frames;
  build_self(&p, o, o->thickness > 0 && o->start == 0);
  mesh m = mesh_make(p.cloths, p.sheets, p.config);
  sums.before = (point *)mesh_memory((size_t)m.count * sizeof *sums.before);
  for (int frame = 0; frame < p.frames; frame++) {
    if (o->start && frame == o->start && o->thickness > 0) {
      exchange_self(&p, o);
      for (int i = 0; i < p.cloths; i++)
        m.sheets[i] = p.sheets[i];
    }
    drive_self(&p, frame);
    r.notes |= step_self(&p);
    int is_late = frame > 0 && frame >= p.frames - 30, count = count_intersections(&m);
    sums.total += count;
    sums.rest += is_late ? count : 0;
    r.peak = count > r.peak ? count : r.peak;
    sum_frame(&p, &m, is_late, &sums, &r);
  }
  finish_self(&p, &m, &sums, &r);
  mesh_free(&m);
  free(sums.before);
  for (int i = 0; i < p.cloths; i++) {
    fixture_free(&p.f[i]);
    free(p.start[i]);
  }
  free(p.group_block);
  return r;
}

#endif
