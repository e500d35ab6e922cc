/* What scenes measure of a sheet, in doubles, from the positions and velocities that the library gives: stretch, speed,
   energy, and records of whole runs. SPDX-License-Identifier: MIT */
#ifndef SCENES_MEASURES_H
#define SCENES_MEASURES_H

#include "lines.h"
#include "sheet.h"

/* The larger of two numbers; NaN if one is. */
static inline double largest(double most, double value) {
  return isnan(most) || most >= value ? most : value;
}

/// Places and speeds ///

/* Speed of the fastest particle that is not held [m/s]; NaN if one has none. */
static inline double fastest_speed(const sheet *s) {
  cloth_vector_view v;
  cloth_get_velocities(s->f.sheet, &v);
  double most = 0.0;
  for (int i = 0; i < v.count; i++) {
    double x = (double)v.x[i], y = (double)v.y[i], z = (double)v.z[i], square = x * x + y * y + z * z;
    if (!s->held[i]) most = largest(most, square);
  }
  return sqrt(most);
}

/* Height of the lowest particle [m]. */
static inline double lowest_height(const sheet *s) {
  double lowest = HUGE_VAL;
  for (int i = 0; i < s->f.count; i++)
    lowest = fmin(lowest, position_of(s->f.sheet, i).y);
  return lowest;
}

/* Mean position of a row. */
static inline point row_mean(const sheet *s, int row) {
  point sum = {0.0, 0.0, 0.0};
  for (int column = 0; column < s->f.columns; column++)
    sum = point_sum(sum, position_of(s->f.sheet, fixture_particle(&s->f, column, row)));
  return point_scaled(sum, 1.0 / s->f.columns);
}

/// Springs ///

enum { SPRINGS_WARP, SPRINGS_WEFT, SPRINGS_DIAGONAL, SPRINGS_OTHER_DIAGONAL, SPRING_DIRECTIONS };

/* The particle that is so many columns and rows from another, around a tube where that is one. */
static inline int neighbour_of(const sheet *s, int particle, int columns, int rows) {
  int column = particle % s->f.columns + columns, row = particle / s->f.columns + rows;
  if (s->config.grid.wrap) column = (column + s->f.columns) % s->f.columns;
  return fixture_particle(&s->f, column, row);
}

/* The particle at the other end of a spring that starts at a particle, or -1. */
static inline int spring_end(const sheet *s, int particle, int direction) {
  int column = particle % s->f.columns, row = particle / s->f.columns, is_there = 0;
  if (direction == SPRINGS_WARP)
    is_there = cell_is_there(s, column, row) || cell_is_there(s, column, row - 1);
  else if (direction == SPRINGS_WEFT)
    is_there = cell_is_there(s, column, row) || cell_is_there(s, column - 1, row);
  else
    is_there = cell_is_there(s, column - (direction == SPRINGS_OTHER_DIAGONAL), row);
  static const int steps[SPRING_DIRECTIONS][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}};
  return is_there ? neighbour_of(s, particle, steps[direction][0], steps[direction][1]) : -1;
}

static inline double spring_rest(const sheet *s, int direction) {
  return direction == SPRINGS_WARP   ? s->width[0]
         : direction == SPRINGS_WEFT ? s->width[1]
                                     : sqrt(s->width[0] * s->width[0] + s->width[1] * s->width[1]);
}

static inline double spring_length(const cloth_vector_view *x, int a, int b) {
  double dx = (double)x->x[b] - (double)x->x[a], dy = (double)x->y[b] - (double)x->y[a];
  double dz = (double)x->z[b] - (double)x->z[a];
  return sqrt(dx * dx + dy * dy + dz * dz);
}

/* The strains of springs along warp and weft, without those between two pins, in their order; to be freed. */
static inline double *strains_of(const sheet *s, int *springs) {
  double *strain = (double *)must_have(malloc(2 * (size_t)s->f.count * sizeof *strain));
  int count = 0;
  cloth_vector_view x;
  cloth_get_positions(s->f.sheet, &x);
  for (int direction = SPRINGS_WARP; direction <= SPRINGS_WEFT; direction++) {
    for (int i = 0; i < s->f.count; i++) {
      int j = spring_end(s, i, direction);
      if (j >= 0 && !(s->held[i] && s->held[j]))
        strain[count++] = spring_length(&x, i, j) / spring_rest(s, direction) - 1.0;
    }
  }
  *springs = count;
  return strain;
}

/* Their 99th percentile. */
static inline double stretch_percentile(const sheet *s) {
  int count = 0;
  double *strain = strains_of(s, &count);
  qsort(strain, (size_t)count, sizeof *strain, compare_doubles);
  double percentile = strain[(int)(0.99 * (count - 1))];
  free(strain);
  return percentile;
}

/// Energy ///

static inline double kinetic_energy(const sheet *s) {
  cloth_vector_view v;
  cloth_get_velocities(s->f.sheet, &v);
  double sum = 0.0;
  for (int i = 0; i < v.count; i++) {
    double x = (double)v.x[i], y = (double)v.y[i], z = (double)v.z[i];
    if (!s->held[i]) sum += 0.5 * s->mass * (x * x + y * y + z * z);
  }
  return sum;
}

/* Of all particles that are not held, 0 at the origin. */
static inline double potential_energy(const sheet *s) {
  point gravity = point_of(s->config.gravity), sum = {0.0, 0.0, 0.0};
  for (int i = 0; i < s->f.count; i++) {
    if (!s->held[i]) sum = point_sum(sum, position_of(s->f.sheet, i));
  }
  return -s->mass * point_dot(gravity, sum);
}

static inline double spring_energy(const sheet *s) {
  const cloth_fabric *fabric = &s->config.fabric;
  double u = s->width[0], v = s->width[1], sum = 0.0;
  const double stiffness[] = {(double)fabric->stretch_warp * v / u, (double)fabric->stretch_weft * u / v,
                              (double)fabric->shear, (double)fabric->shear};
  cloth_vector_view x;
  cloth_get_positions(s->f.sheet, &x);
  for (int direction = 0; direction < SPRING_DIRECTIONS; direction++) {
    double rest = spring_rest(s, direction);
    double share = (double)(direction < SPRINGS_DIAGONAL ? fabric->compression : fabric->shear_compression);
    for (int i = 0; i < s->f.count; i++) {
      int j = spring_end(s, i, direction);
      double longer = j >= 0 ? spring_length(&x, i, j) - rest : 0.0;
      sum += 0.5 * stiffness[direction] * (longer < 0.0 ? share : 1.0) * longer * longer;
    }
  }
  return sum;
}

/* Square of the length of a second difference of positions. */
static inline double second_difference(const cloth_vector_view *x, const int p[4], const double weight[4]) {
  const float *axis[3] = {x->x, x->y, x->z};
  double sum = 0.0;
  for (int k = 0; k < 3; k++) {
    double t = 0.0;
    for (int e = 0; e < 4; e++)
      t += weight[e] * (double)axis[k][p[e]];
    sum += t * t;
  }
  return sum;
}

/* Of the plate: hinges (1, -2, 1) along rows and columns, and twists (1, -1, -1, 1) of cells. */
static inline double plate_energy(const sheet *s) {
  static const double hinge[4] = {1.0, -2.0, 1.0, 0.0}, twist[4] = {1.0, -1.0, -1.0, 1.0};
  double u = s->width[0], v = s->width[1], sum = 0.0;
  const double along[2] = {s->rigidity * v / (u * u * u), s->rigidity * u / (v * v * v)};
  cloth_vector_view x;
  cloth_get_positions(s->f.sheet, &x);
  for (int i = 0; i < s->f.count; i++) {
    for (int direction = SPRINGS_WARP; direction <= SPRINGS_WEFT; direction++) {
      int along_warp = direction == SPRINGS_WARP, has_before = along_warp ? i % s->f.columns : i / s->f.columns;
      if (!has_before && !(along_warp && s->config.grid.wrap)) continue;
      int before = neighbour_of(s, i, -along_warp, along_warp - 1), after = spring_end(s, i, direction);
      const int p[4] = {before, i, after, i};
      if (after >= 0 && spring_end(s, before, direction) >= 0)
        sum += 0.5 * along[direction] * second_difference(&x, p, hinge);
    }
    if (cell_is_there(s, i % s->f.columns, i / s->f.columns)) {
      const int p[4] = {i, neighbour_of(s, i, 1, 0), neighbour_of(s, i, 0, 1), neighbour_of(s, i, 1, 1)};
      sum += 0.5 * 2.0 * s->rigidity / (u * v) * second_difference(&x, p, twist);
    }
  }
  return sum;
}

static inline double elastic_energy(const sheet *s) {
  return spring_energy(s) + plate_energy(s);
}

static inline double total_energy(const sheet *s) {
  return kinetic_energy(s) + potential_energy(s) + elastic_energy(s);
}

/* What a gain of energy is measured by [J]: the energy that the sheet could set free, which is its weight times its
   longer side, and what is in its springs and its plate at the start. */
static inline double energy_scale(const sheet *s) {
  int particles = 0;
  for (int i = 0; i < s->f.count; i++)
    particles += cells_around(s, i) > 0;
  double side = fmax(length_of(s->config.edge_warp), length_of(s->config.edge_weft));
  return s->mass * particles * length_of(s->config.gravity) * side + elastic_energy(s);
}

/// Records ///

#define REST_SPEED 0.01 /* all particles are slower than that in a sheet that is asleep [m/s] */
#define REST_FRAMES 30  /* for so long: 0.5 s */

/* A run from the start of a sheet, in frames of 1/60 s. */
typedef struct record {
  int frames, quiet;
  double asleep;             /* when the first 0.5 s began in which all particles rest [s]; infinity: never */
  double late;               /* fastest particle of the last frames that were recorded together [m/s] */
  double kinetic[2];         /* energy at 0.25 and 0.5 s [J] */
  double kinetic_sum;        /* of all frames [J] */
  double scale, start, most; /* energy_scale(); energy at the start and the most of all frames [J] */
  int notes;                 /* of the steps */
} record;

static inline record empty_record(void) {
  record r = {0, 0, HUGE_VAL, 0.0, {NO_VALUE, NO_VALUE}, 0.0, 0.0, 0.0, 0.0, 0};
  return r;
}

static inline record record_start(const sheet *s) {
  record r = empty_record();
  r.scale = energy_scale(s);
  r.start = r.most = total_energy(s);
  return r;
}

/* Counts frames in which the fastest particle rests. Returns 1 when the sheet is asleep. */
static inline int note_rest(record *r, double fastest) {
  r->frames++;
  r->quiet = fastest < REST_SPEED ? r->quiet + 1 : 0;
  if (r->quiet == REST_FRAMES && isinf(r->asleep)) r->asleep = (r->frames - REST_FRAMES) / 60.0;
  return !isinf(r->asleep);
}

static inline void record_frames(sheet *s, record *r, int frames) {
  r->late = 0.0;
  for (int i = 0; i < frames; i++) {
    sheet_step(s, (double)FRAME);
    double fastest = fastest_speed(s), kinetic = kinetic_energy(s), energy = total_energy(s);
    note_rest(r, fastest);
    r->kinetic_sum += kinetic;
    r->late = largest(r->late, fastest);
    r->most = largest(r->most, energy);
    if (r->frames == 15 || r->frames == 30) r->kinetic[r->frames == 30] = kinetic;
  }
  r->notes = s->notes;
}

/* Steps until the sheet is asleep, and no longer than `seconds`. Returns when that was [s], or infinity. */
static inline double seconds_to_sleep(sheet *s, double seconds) {
  record r = empty_record();
  int asleep = 0;
  while (!asleep && r.frames < 60.0 * seconds + REST_FRAMES) {
    sheet_step(s, (double)FRAME);
    asleep = note_rest(&r, fastest_speed(s));
  }
  return r.asleep;
}

/* By how much the energy has ever been above that of the start, over energy_scale(). */
static inline double gain_of(const record *r) {
  double gain = isfinite(r->most) ? fmax((r->most - r->start) / r->scale, 0.0) : NO_VALUE;
  return trusted(r->notes, gain);
}

static inline void gain_line(const subject *what, double gain, double most, const char *name) {
  line(what, gain, 0.0, at_most(most), "%s: gain of energy", name);
}

#define MOST_GAIN 0.05 /* that a scene may have with 1 and with 8 substeps */

#endif /* SCENES_MEASURES_H */
