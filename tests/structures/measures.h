/* What a cloth does, in double precision: energies, momenta, strains, rest. Include after world.h.
   SPDX-License-Identifier: MIT */
#ifndef MEASURES_H
#define MEASURES_H

#include "world.h"

/// Energies ///

/* Kinetic energy of the particles in the rows first to last [J]. */
static inline double kinetic_of_rows(const specimen *sp, int first, int last) {
  double sum = 0.0;
  for (int i = first * sp->s.columns; i < (last + 1) * sp->s.columns; i++) {
    point v = velocity_of(sp->s.sheet, i);
    sum += 0.5 * sp->mass[i] * point_dot(v, v);
  }
  return sum;
}

static inline double kinetic_energy(const specimen *sp) {
  return kinetic_of_rows(sp, 0, sp->s.rows - 1);
}

/* In gravity, 0 at the origin [J]. */
static inline double gravity_energy(const specimen *sp) {
  double sum = 0.0;
  for (int i = 0; i < sp->s.count; i++)
    sum -= sp->mass[i] * point_dot(point_of(sp->config.gravity), position_of(sp->s.sheet, i));
  return sum;
}

static inline double spring_energy(const specimen *sp, int i, int j, double stiffness, double rest,
                                   double compression) {
  double over = point_distance(position_of(sp->s.sheet, i), position_of(sp->s.sheet, j)) - rest;
  return 0.5 * stiffness * (over < 0.0 ? compression : 1.0) * over * over;
}

static inline int is_warp_spring(const specimen *sp, int column, int row) {
  return is_cell(sp, column, row) || is_cell(sp, column, row - 1);
}

static inline int is_weft_spring(const specimen *sp, int column, int row) {
  return is_cell(sp, column, row) || is_cell(sp, column - 1, row);
}

/* Springs along warp, weft and both diagonals: k / 2 (l - L)^2. Not for stiffness maps. */
static inline double springs_energy(const specimen *sp) {
  const cloth_fabric *f = &sp->config.fabric;
  double u = sp->u, v = sp->v, diagonal = sqrt(u * u + v * v), sum = 0.0;
  double compression = (double)f->compression, shear = (double)f->shear,
         shear_compression = (double)f->shear_compression;
  for (int i = 0; i < sp->s.count; i++) {
    int column = i % sp->s.columns, row = i / sp->s.columns;
    int right = particle_index(sp, column + 1, row), below = particle_index(sp, column, row + 1);
    int across = particle_index(sp, column + 1, row + 1);
    if (is_warp_spring(sp, column, row))
      sum += spring_energy(sp, i, right, (double)f->stretch_warp * v / u, u, compression);
    if (is_weft_spring(sp, column, row))
      sum += spring_energy(sp, i, below, (double)f->stretch_weft * u / v, v, compression);
    if (is_cell(sp, column, row)) {
      sum += spring_energy(sp, i, across, shear, diagonal, shear_compression);
      sum += spring_energy(sp, right, below, shear, diagonal, shear_compression);
    }
  }
  return sum;
}

/* The rigidity B' with which the grid bends [N m]: the fabric's and density * 9.81 * cell^3. */
static inline double plate_rigidity(const specimen *sp) {
  double c = (double)sp->config.grid.min_bending_length;
  return (double)sp->config.fabric.bend +
         c * c * c * (double)sp->config.fabric.density * GRAVITY * pow(sp->u * sp->v, 1.5);
}

/* |x_a - 2 x_b + x_c|^2, and with d |x_a - x_b - x_c + x_d|^2. */
static inline double hinge_square(const specimen *sp, int a, int b, int c) {
  const cloth *sheet = sp->s.sheet;
  point p = point_sum(position_of(sheet, a), position_of(sheet, c));
  p = point_difference(p, point_scaled(position_of(sheet, b), 2.0));
  return point_dot(p, p);
}

static inline double twist_square(const specimen *sp, int a, int b, int c, int d) {
  const cloth *sheet = sp->s.sheet;
  point p = point_sum(position_of(sheet, a), position_of(sheet, d));
  p = point_difference(p, point_sum(position_of(sheet, b), position_of(sheet, c)));
  return point_dot(p, p);
}

/* Whether two cells that follow each other along warp or weft are on one side of the thread through particle (column,
   row): cells that meet at a corner alone do not bend each other. */
static inline int is_warp_hinge(const specimen *sp, int column, int row) {
  return (is_cell(sp, column - 1, row) && is_cell(sp, column, row)) ||
         (is_cell(sp, column - 1, row - 1) && is_cell(sp, column, row - 1));
}

static inline int is_weft_hinge(const specimen *sp, int column, int row) {
  return (is_cell(sp, column, row - 1) && is_cell(sp, column, row)) ||
         (is_cell(sp, column - 1, row - 1) && is_cell(sp, column - 1, row));
}

/* The plate: three particles in a row or column, and the four of a cell. */
static inline double plate_energy(const specimen *sp) {
  double u = sp->u, v = sp->v, half = 0.5 * plate_rigidity(sp), sum = 0.0;
  for (int i = 0; i < sp->s.count; i++) {
    int column = i % sp->s.columns, row = i / sp->s.columns;
    int right = particle_index(sp, column + 1, row), below = particle_index(sp, column, row + 1);
    if (is_warp_hinge(sp, column, row))
      sum += half * v / (u * u * u) * hinge_square(sp, particle_index(sp, column - 1, row), i, right);
    if (is_weft_hinge(sp, column, row))
      sum += half * u / (v * v * v) * hinge_square(sp, particle_index(sp, column, row - 1), i, below);
    if (is_cell(sp, column, row))
      sum += 2.0 * half / (u * v) * twist_square(sp, i, right, below, particle_index(sp, column + 1, row + 1));
  }
  return sum;
}

static inline double elastic_energy(const specimen *sp) {
  return springs_energy(sp) + plate_energy(sp);
}

static inline double total_energy(const specimen *sp) {
  return kinetic_energy(sp) + gravity_energy(sp) + elastic_energy(sp);
}

/// Momenta ///

typedef struct motion {
  double mass;      /* [kg] */
  point place;      /* of the centre of mass [m] */
  point momentum;   /* [N s] */
  point spin;       /* angular momentum about the centre of mass [N m s] */
  double rms_speed; /* [m/s] */
} motion;

/* Of the particles for which `chosen` is not 0; NULL: all. */
static inline motion motion_of(const specimen *sp, const uint8_t *chosen) {
  motion m = {0.0, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, 0.0};
  for (int i = 0; i < sp->s.count; i++) {
    if (chosen != NULL && !chosen[i]) continue;
    point v = velocity_of(sp->s.sheet, i);
    m.mass += sp->mass[i];
    m.place = point_sum(m.place, point_scaled(position_of(sp->s.sheet, i), sp->mass[i]));
    m.momentum = point_sum(m.momentum, point_scaled(v, sp->mass[i]));
    m.rms_speed += sp->mass[i] * point_dot(v, v);
  }
  m.place = point_scaled(m.place, 1.0 / m.mass);
  m.rms_speed = sqrt(m.rms_speed / m.mass);
  for (int i = 0; i < sp->s.count; i++) {
    if (chosen != NULL && !chosen[i]) continue;
    point arm = point_difference(position_of(sp->s.sheet, i), m.place);
    m.spin = point_sum(m.spin, point_cross(arm, point_scaled(velocity_of(sp->s.sheet, i), sp->mass[i])));
  }
  return m;
}

/// Strains ///

typedef struct strains {
  double most, p99; /* largest, and 99th percentile, of warp and weft springs that are not between two pins [1] */
} strains;

static inline strains strains_of(const specimen *sp) {
  static double all[2 * COUNT_MOST];
  const cloth *sheet = sp->s.sheet;
  int count = 0;
  for (int k = 0; k < 2 * sp->s.count; k++) {
    int i = k / 2, column = i % sp->s.columns, row = i / sp->s.columns, is_weft = k % 2;
    if (!(is_weft ? is_weft_spring(sp, column, row) : is_warp_spring(sp, column, row))) continue;
    int j = particle_index(sp, column + !is_weft, row + is_weft);
    if (cloth_get_freedom(sheet, i) == 0 && cloth_get_freedom(sheet, j) == 0) continue;
    double length = point_distance(position_of(sheet, i), position_of(sheet, j));
    all[count++] = length / (is_weft ? sp->v : sp->u) - 1.0;
  }
  qsort(all, (size_t)count, sizeof *all, compare_doubles);
  strains found = {all[count - 1], all[(int)(0.99 * (count - 1))]};
  return found;
}

/// Rest ///

/* Speed of the fastest particle that is not pinned [m/s]. */
static inline double fastest(const specimen *sp) {
  double most = 0.0;
  for (int i = 0; i < sp->s.count; i++) {
    if (cloth_get_freedom(sp->s.sheet, i) > 0) most = larger(most, point_length(velocity_of(sp->s.sheet, i)));
  }
  return most;
}

/* The fastest particle in the last of so many seconds [m/s]. */
static inline double settle(const specimen *sp, double seconds) {
  double most = 0.0;
  int frames = (int)(60.0 * seconds + 0.5);
  advance(sp, frames - 60);
  for (int frame = 0; frame < 60; frame++) {
    advance(sp, 1);
    most = larger(most, fastest(sp));
  }
  return most;
}

#endif /* MEASURES_H */
