/* S3, BIAS: strips cut at 45 degrees to the threads. Bending by Peirce's cantilever, at the overhang whose chord hangs
   by 41.5 degrees; modulus and narrowing of a strip that its own weight pulls, beside the rest of the lattice of its
   springs at small strains. SPDX-License-Identifier: MIT */
#ifndef SCENES_BIAS_H
#define SCENES_BIAS_H

#include "measures.h"

/// Bending ///

/* Rigidity over the fabric's where its bending length (B / w)^(1/3) is so many cells. */
static inline void bias_bending(int kind, double cells, int substeps) {
  cloth_config config = sheet_config(2, 2, 1.0, 1.0, substeps);
  strip s = {config.fabric, 0.0, 45, substeps};
  cloth_fabric_preset((cloth_fabric_kind)kind, &s.fabric);
  double bend = (double)s.fabric.bend;
  s.spacing = cbrt(bend / ((double)s.fabric.density * STANDARD_GRAVITY)) / cells;
  strip_grid g = strip_grid_of(&s, (int)(overhang_of(&s, bend) / strip_grid_of(&s, 1).step_length));
  subject what = {"S3", g.columns, g.rows, substeps};
  line(&what, peirce_rigidity(&s) / bend, 1.0, has_goals(substeps) ? within(1.0, 0.15) : finite_only(),
       "%s, bending length %g cells: rigidity at 45 degrees / B", fabric_names[kind], cells);
}

/// Pulling ///

/* Half diagonals of a cell are the steps of the strip, along it and across it. */
enum {
  BIAS_HALF = 8,                                    /* from its middle line to its sides */
  BIAS_STEPS = 48,                                  /* its length */
  BIAS_SIDE = (2 * BIAS_HALF + BIAS_STEPS) / 2 + 2, /* particles along a side of the square that it is cut out of */
  BIAS_MIDDLE = BIAS_HALF + BIAS_STEPS / 2,         /* the step in its middle, from the corner of the square */
  BIAS_GAUGE = BIAS_STEPS / 6                       /* from there to the ends of the piece that is measured */
};
#define BIAS_CELL 0.02                               /* [m] */
#define BIAS_STEP (BIAS_CELL * ROOT_HALF)            /* [m] */
#define BIAS_WIDTH ((2 * BIAS_HALF + 1) * BIAS_STEP) /* its area over its length [m] */

static inline void cut_bias_strip(uint8_t *mask) {
  for (int row = 0; row < BIAS_SIDE - 1; row++) {
    for (int column = 0; column < BIAS_SIDE - 1; column++) {
      int along = column + row - BIAS_HALF;
      mask[row * (BIAS_SIDE - 1) + column] = abs(column - row) <= BIAS_HALF && along >= 0 && along <= BIAS_STEPS - 2;
    }
  }
}

/* The strip hangs down, its middle at the origin. */
static inline cloth_config bias_config(int kind, int substeps, const uint8_t *mask) {
  double side = (BIAS_SIDE - 1) * BIAS_STEP;
  cloth_config config = sheet_config(BIAS_SIDE, BIAS_SIDE, 1.0, 1.0, substeps);
  config.edge_warp = vector_at(side, -side, 0.0);
  config.edge_weft = vector_at(-side, -side, 0.0);
  config.origin = vector_at(0.0, BIAS_MIDDLE * BIAS_STEP, 0.0);
  config.grid.cell_mask = mask;
  cloth_fabric_preset((cloth_fabric_kind)kind, &config.fabric);
  config.integration.velocity_damping = 5.0f; /* that it comes to rest; where does not depend on that */
  return config;
}

static inline int bias_step_of(int particle) {
  return particle % BIAS_SIDE + particle / BIAS_SIDE;
}

/* The uppermost two lines of particles. */
static inline void pin_bias_strip(sheet *s) {
  for (int i = 0; i < s->f.count; i++) {
    if (!s->held[i] && bias_step_of(i) <= BIAS_HALF + 1) pin_particle(s, i % BIAS_SIDE, i / BIAS_SIDE);
  }
}

/* What positions of all particles say: tension per width over strain in the middle [N/m], and how much narrower it
   becomes over how much longer. */
typedef struct bias_reading {
  double modulus, narrowing;
} bias_reading;

static inline double bias_height(const sheet *s, const double *y, int step) {
  double sum = 0.0;
  int count = 0;
  for (int i = 0; i < s->f.count; i++) {
    if (bias_step_of(i) != step || cells_around(s, i) == 0) continue;
    sum += y[i];
    count++;
  }
  return sum / count;
}

static inline bias_reading read_bias(const sheet *s, const double *x, const double *y) {
  double below = 0.0, left = 0.0, right = 0.0;
  int first = 0, last = 0;
  for (int i = 0; i < s->f.count; i++) {
    int step = bias_step_of(i), across = i % BIAS_SIDE - i / BIAS_SIDE;
    if (cells_around(s, i) == 0 || step < BIAS_MIDDLE) continue;
    below += step == BIAS_MIDDLE ? 0.5 : 1.0;
    if (step == BIAS_MIDDLE && across < first) left = x[i], first = across;
    if (step == BIAS_MIDDLE && across > last) right = x[i], last = across;
  }
  double height = bias_height(s, y, BIAS_MIDDLE - BIAS_GAUGE) - bias_height(s, y, BIAS_MIDDLE + BIAS_GAUGE);
  double longer = height / (2 * BIAS_GAUGE * BIAS_STEP) - 1.0;
  double narrower = 1.0 - (right - left) / ((last - first) * BIAS_STEP);
  bias_reading r = {below * s->mass * STANDARD_GRAVITY / BIAS_WIDTH / longer, narrower / longer};
  return r;
}

/* Adds the springs of a sheet to a lattice whose unknowns are x and y of particles that are not held. */
static inline void add_bias_springs(lattice *l, const sheet *s, const int *unknown) {
  static const double along[SPRING_DIRECTIONS][2] = {
      {ROOT_HALF, -ROOT_HALF}, {-ROOT_HALF, -ROOT_HALF}, {0.0, -1.0}, {-1.0, 0.0}};
  const cloth_fabric *fabric = &s->config.fabric;
  const double stiffness[] = {(double)fabric->stretch_warp, (double)fabric->stretch_weft, (double)fabric->shear,
                              (double)fabric->shear};
  for (int i = 0; i < s->f.count; i++) {
    for (int direction = 0; direction < SPRING_DIRECTIONS; direction++) {
      int j = spring_end(s, i, direction);
      if (j >= 0) lattice_add(l, unknown[i], unknown[j], stiffness[direction], along[direction]);
    }
  }
}

/* The reading that theory gives. */
static inline bias_reading bias_theory(const sheet *s) {
  enum { COUNT = BIAS_SIDE * BIAS_SIDE };
  static double x[COUNT], y[COUNT];
  static int unknown[COUNT];
  int size = 0;
  for (int i = 0; i < COUNT; i++) {
    unknown[i] = s->held[i] ? -1 : size;
    size += s->held[i] ? 0 : 2;
  }
  /* Particles of one spring are at most a row and a column apart. */
  lattice l = {BIAS_SIDE, BIAS_SIDE, size, 2 * BIAS_SIDE + 3, NULL, NULL};
  l.matrix = (double *)must_have(calloc((size_t)l.size * (size_t)(l.band + 1), sizeof(double)));
  l.load = (double *)must_have(calloc((size_t)l.size, sizeof(double)));
  for (int i = 0; i < size; i += 2)
    l.load[i + 1] = -s->mass * STANDARD_GRAVITY;
  add_bias_springs(&l, s, unknown);
  lattice_solve(&l);
  for (int i = 0; i < COUNT; i++) {
    x[i] = (i % BIAS_SIDE - i / BIAS_SIDE) * BIAS_STEP + (unknown[i] >= 0 ? l.load[unknown[i]] : 0.0);
    y[i] = (BIAS_MIDDLE - bias_step_of(i)) * BIAS_STEP + (unknown[i] >= 0 ? l.load[unknown[i] + 1] : 0.0);
  }
  free(l.matrix);
  free(l.load);
  return read_bias(s, x, y);
}

static inline bias_reading read_bias_sheet(const sheet *s) {
  static double x[BIAS_SIDE * BIAS_SIDE], y[BIAS_SIDE * BIAS_SIDE];
  for (int i = 0; i < s->f.count; i++) {
    point p = position_of(s->f.sheet, i);
    x[i] = p.x;
    y[i] = p.y;
  }
  return read_bias(s, x, y);
}

static inline void bias_pulling(int kind, int substeps) {
  static uint8_t mask[(BIAS_SIDE - 1) * (BIAS_SIDE - 1)];
  cut_bias_strip(mask);
  cloth_config config = bias_config(kind, substeps, mask);
  subject what = subject_of("S3", &config);
  sheet s = sheet_pinned(&config, pin_bias_strip);
  record r = record_start(&s);
  record_frames(&s, &r, 240);
  if (has_goals(substeps)) {
    bias_reading found = read_bias_sheet(&s), right = bias_theory(&s);
    line(&what, trusted(s.notes, found.modulus), right.modulus, within(right.modulus, 0.05),
         "%s: modulus at 45 degrees [N/m]", fabric_names[kind]);
    line(&what, trusted(s.notes, found.narrowing), right.narrowing, within(right.narrowing, 0.05),
         "%s: narrowing over lengthening at 45 degrees", fabric_names[kind]);
  } else {
    char name[32];
    snprintf(name, sizeof name, "%s, pulled at 45 degrees", fabric_names[kind]);
    gain_line(&what, gain_of(&r), MOST_GAIN, name);
  }
  sheet_free(&s);
}

static inline void bias_scene(int substeps) {
  for (int kind = 0; kind < CLOTH_FABRIC_COUNT; kind++) {
    bias_bending(kind, 4.0, substeps);
    if (has_goals(substeps)) bias_bending(kind, 8.0, substeps);
  }
  bias_pulling(CLOTH_FABRIC_COTTON, substeps);
  bias_pulling(CLOTH_FABRIC_JERSEY, substeps);
}

#endif /* SCENES_BIAS_H */
