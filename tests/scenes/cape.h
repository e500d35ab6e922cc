/* S6, S11, S16: cloth on bodies that move, and cloth that is moved over bodies. SPDX-License-Identifier: MIT */
#ifndef SCENES_CAPE_H
#define SCENES_CAPE_H

#include "bodies.h"

/// S6: a cape on a capsule, its pins inside ///

enum { CAPE_COLUMNS = 24, CAPE_ROWS = 32, CAPE_PINS = 9 };
#define CAPE_RADIUS 0.18

typedef struct cape {
  double depth; /* of the pins [m] */
  int together; /* 1: consecutive pins */
  double local[CAPE_PINS][3];
  int column[CAPE_PINS];
} cape;

static cape the_cape;

static inline void place_cape_pins(cape *c) {
  for (int k = 0; k < CAPE_PINS; k++) {
    double radius = CAPE_RADIUS - c->depth;
    double angle =
        c->together ? 0.9 / (CAPE_COLUMNS - 1) / radius * (k - 4) : PI * (-0.5 + (double)k / (CAPE_PINS - 1));
    c->column[k] = c->together ? 8 + k : (int)(k * (CAPE_COLUMNS - 1) / (double)(CAPE_PINS - 1) + 0.5);
    c->local[k][0] = radius * sin(angle);
    c->local[k][1] = 0.5;
    c->local[k][2] = -radius * cos(angle);
  }
}

/* Stands for 10 s, walks for 2 s at 1.5 m/s, turns by half a turn in half a second after another one. */
static inline void walk_with_cape(sheet *s, double t) {
  double z = t < 10.0 ? 0.0 : t < 12.0 ? 1.5 * (t - 10.0) : 3.0;
  double angle = PI * (t < 13.0 ? 0.0 : t < 13.5 ? (t - 13.0) / 0.5 : 1.0), co = cos(angle), si = sin(angle);
  move_body(s, 0, 0.0, 0.0, z, turn_about(0.0, 1.0, 0.0, angle));
  for (int k = 0; k < CAPE_PINS; k++) {
    const double *l = the_cape.local[k];
    cloth_vector to = vector_at(l[0] * co + l[2] * si, l[1], z - l[0] * si + l[2] * co);
    cloth_move_pin(s->f.sheet, the_cape.column[k], to);
  }
}

/* How much farther inside than its pins allow a particle is [m]. */
static inline double cape_excess(const sheet *s, double z) {
  double worst = 0.0;
  for (int i = 0; i < s->f.count; i++) {
    point p = position_of(s->f.sheet, i);
    double dz = p.z - z, y = fmax(fabs(p.y) - 0.5, 0.0), allowed = 0.0;
    double depth = CAPE_RADIUS - sqrt(p.x * p.x + dz * dz + y * y);
    for (int k = 0; k < CAPE_PINS; k++) {
      double away = hypot((i % CAPE_COLUMNS - the_cape.column[k]) * s->width[0], i / CAPE_COLUMNS * s->width[1]);
      allowed = fmax(allowed, the_cape.depth - 0.5 * away);
    }
    worst = fmax(worst, s->held[i] ? 0.0 : depth - allowed);
  }
  return worst;
}

static inline sheet cape_sheet(int substeps) {
  cloth_config config = sheet_config(CAPE_COLUMNS, CAPE_ROWS, 0.9, 1.2, substeps);
  config.edge_weft = vector_at(0.0, 0.0, -1.2);
  config.origin = vector_at(-0.45, 0.5, -(CAPE_RADIUS - the_cape.depth));
  config.max_colliders = 2;
  cloth_vector *start = noisy_start(&config, 1u, (point){0.0, 0.0, 0.0});
  for (int k = 0; k < CAPE_PINS; k++)
    start[the_cape.column[k]] = vector_at(the_cape.local[k][0], the_cape.local[k][1], the_cape.local[k][2]);
  config.grid.positions = start;
  sheet s = sheet_make(&config);
  s.config.grid.positions = NULL;
  free(start);
  for (int k = 0; k < CAPE_PINS; k++)
    pin_particle(&s, the_cape.column[k], 0);
  cloth_collider body = body_at(CLOTH_SHAPE_CAPSULE, 0.0, 0.0, 0.0, CAPE_RADIUS);
  body.half_height = 0.5f;
  cloth_collider ground = body_at(CLOTH_SHAPE_PLANE, 0.0, -0.9, 0.0, 0.0);
  add_body(&s, &body);
  add_body(&s, &ground);
  return s;
}

static inline void cape_lines(int substeps, double depth, int together) {
  the_cape.depth = depth;
  the_cape.together = together;
  place_cape_pins(&the_cape);
  sheet s = cape_sheet(substeps);
  subject what = subject_of("S6", &s.config);
  const char *pins = together ? "together" : "spread";
  touch_record t = run_touching(&s, 10.0, 0.0, walk_with_cape);
  goal rest = !has_goals(substeps) ? finite_only() : at_most(substeps == 4 ? 0.03 : 0.005);
  line(&what, trusted(s.notes, t.late), 0.0, rest, "pins %g mm inside, %s: fastest after 10 s [m/s]", 1000.0 * depth,
       pins);
  line(&what, t.stretch, NO_VALUE, has_goals(substeps) ? at_most(0.22) : finite_only(), "largest stretch at rest");
  line(&what, cape_excess(&s, 0.0), 0.0, at_most(5.0e-4), "deeper than its pins allow [m]");
  t = run_touching(&s, 13.5, 10.0, walk_with_cape);
  rest = substeps == 8 ? at_most(0.1) : !has_goals(substeps) ? finite_only() : at_most(substeps == 4 ? 0.03 : 0.002);
  line(&what, trusted(s.notes, t.late), 0.0, rest, "fastest 10 s after the turn [m/s]");
  line(&what, t.ever, NO_VALUE, has_goals(substeps) ? at_most(0.32) : finite_only(), "largest stretch of the walk");
  line(&what, t.stretch, NO_VALUE, has_goals(substeps) ? at_most(0.22) : finite_only(), "largest stretch at rest");
  line(&what, cape_excess(&s, 3.0), 0.0, at_most(5.0e-4), "deeper than its pins allow [m]");
  sheet_free(&s);
}

static inline void cape_scene(int substeps) {
  static const double depths[] = {0.0, 0.01, 0.02, 0.03, 0.05};
  for (int k = 0; k < 5; k++) {
    cape_lines(substeps, depths[k], 0);
    cape_lines(substeps, depths[k], 1);
  }
}

/// S11: a tube that is tight on its capsule ///

enum { TUBE_COLUMNS = 24, TUBE_ROWS = 16 };
#define TUBE_CAPSULE 0.12
#define TUBE_RADIUS (TUBE_CAPSULE / 1.05)
#define TUBE_HEIGHT 0.45

static inline void push_capsule(sheet *s, double t) {
  move_body(s, 0, 0.0, -1.05 + 0.45 * fmin(t, 1.0), 0.0, no_turn);
}

/* Strains of a tube, by its own springs. */
static inline double tube_stretch(const fixture *f) {
  cloth_measures m;
  cloth_measure(f->sheet, &m);
  return (double)m.max_stretch;
}

static inline void tight_lines(int substeps, double friction) {
  cloth_config config = sheet_config(TUBE_COLUMNS, TUBE_ROWS, 1.0, TUBE_HEIGHT, substeps);
  config.grid.wrap = 1;
  config.edge_warp = vector_at(2.0 * PI * TUBE_RADIUS, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, -TUBE_HEIGHT, 0.0);
  config.max_colliders = 1;
  cloth_vector start[TUBE_COLUMNS * TUBE_ROWS];
  double radius = PI * TUBE_RADIUS / TUBE_COLUMNS / sin(PI / TUBE_COLUMNS);
  for (int i = 0; i < TUBE_COLUMNS * TUBE_ROWS; i++) {
    double a = 2.0 * PI * (i % TUBE_COLUMNS) / TUBE_COLUMNS;
    start[i] = vector_at(radius * cos(a), -TUBE_HEIGHT * (i / TUBE_COLUMNS) / (TUBE_ROWS - 1), radius * sin(a));
  }
  config.grid.positions = start;
  sheet s = sheet_make(&config);
  memset(s.held, 0, (size_t)s.f.count);
  pin_first_row(&s);
  cloth_collider capsule = body_at(CLOTH_SHAPE_CAPSULE, 0.0, -1.05, 0.0, TUBE_CAPSULE);
  capsule.half_height = 0.35f;
  capsule.static_friction = capsule.kinetic_friction = (float)friction;
  add_body(&s, &capsule);
  subject what = subject_of("S11", &config);
  double ever = 0.0, late = 0.0;
  for (int frame = 1; frame <= 360; frame++) {
    push_capsule(&s, frame / 60.0);
    sheet_step(&s, (double)FRAME);
    ever = largest(ever, tube_stretch(&s.f));
    late = frame > 300 ? largest(late, fastest_speed(&s)) : 0.0;
  }
  double most = friction > 0.0 ? (substeps == 4 ? 0.21 : 0.2) : 0.16;
  line(&what, ever, 0.137, friction > 0.0 && !has_goals(substeps) ? finite_only() : at_most(most),
       "friction %g: largest stretch ever", friction);
  line(&what, trusted(s.notes, late), 0.0, at_most(1.0e-4), "friction %g: fastest of the 6th second [m/s]", friction);
  sheet_free(&s);
}

static inline void tight_scene(int substeps) {
  tight_lines(substeps, 0.5);
  tight_lines(substeps, 0.0);
}

/// S16: a cloth that is pulled off a table ///

enum { PULL_SIDE = 40 };

static inline void pull_lines(int substeps, double speed, double table) {
  cloth_config config = sheet_config(PULL_SIDE, PULL_SIDE, 1.2, 1.2, substeps);
  config.origin = vector_at(-0.6, 0.36, -0.6);
  config.max_colliders = 1;
  sheet s = sheet_make(&config);
  cloth_collider box = box_at(0.0, 0.0, 0.0, 0.5 * table, 0.35, 0.5 * table);
  add_body(&s, &box);
  subject what = subject_of("S16", &config);
  (void)run_touching(&s, 3.0, 0.0, NULL);
  double x[PULL_SIDE];
  for (int row = 0; row < PULL_SIDE; row++) {
    pin_particle(&s, PULL_SIDE - 1, row);
    x[row] = position_of(s.f.sheet, row * PULL_SIDE + PULL_SIDE - 1).x;
  }
  double ever = 0.0, fastest = 0.0, middle = 0.0;
  for (int frame = 1; frame <= 180; frame++) {
    for (int row = 0; row < PULL_SIDE; row++) {
      int i = row * PULL_SIDE + PULL_SIDE - 1;
      point p = position_of(s.f.sheet, i);
      cloth_move_pin(s.f.sheet, i, vector_at(x[row] + speed * frame / 60.0, p.y, p.z));
    }
    sheet_step(&s, (double)FRAME);
    ever = largest(ever, most_stretched(&s));
    fastest = largest(fastest, fastest_speed(&s));
  }
  for (int i = 0; i < s.f.count; i++)
    middle += position_of(s.f.sheet, i).x / s.f.count;
  line(&what, ever, NO_VALUE, has_goals(substeps) ? at_most(0.33) : finite_only(),
       "pulled at %g m/s off a table of %g m: largest stretch", speed, table);
  line(&what, trusted(s.notes, fastest), speed, has_goals(substeps) ? at_most(20.0) : finite_only(),
       "fastest particle [m/s]");
  line(&what, middle, NO_VALUE, at_least(0.5 * table), "it is off the table: its middle [m]");
  sheet_free(&s);
}

static inline void pull_scene(int substeps) {
  for (int k = 1; k <= 5; k += 2) {
    pull_lines(substeps, k, 1.0);
    pull_lines(substeps, k, 0.8);
  }
}

#endif /* SCENES_CAPE_H */
