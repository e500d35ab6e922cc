/* Energy and forces of the cloths of random_cloths.h, in double precision from their positions alone. Include after it.
   SPDX-License-Identifier: MIT */
#ifndef RANDOM_ENERGY_H
#define RANDOM_ENERGY_H

#include "random_cloths.h"

/// Elements ///

/* A spring, hinge or twist: particles, how much each counts, and the stiffness [N/m]. Only springs have a rest length.
 */
typedef struct elastic {
  int count, particle[4];
  double weight[4], stiffness;
  double rest, compression; /* [m], share of the stiffness below it */
} elastic;

/* Masses [kg] and elastic elements of a cloth. */
typedef struct elasticity {
  int elements, particles;
  double mass[MOST_PARTICLES];
  elastic element[7 * MOST_PARTICLES];
} elasticity;

/* Particle that is columns and rows on from one; -1 beyond a border. */
static int particle_beside(const world *w, int i, int columns, int rows) {
  int column = i % world_columns(w) + columns;
  const int row = i / world_columns(w) + rows;
  if (w->config.grid.wrap) column = (column + world_columns(w)) % world_columns(w);
  return column < 0 || column >= world_columns(w) || row < 0 || row >= world_rows(w) ? -1
                                                                                     : row * world_columns(w) + column;
}

static void add_spring(elasticity *e, const world *w, int i, int j, double stiffness, double rest, float compression) {
  elastic *s = &e->element[e->elements++];
  memset(s, 0, sizeof *s);
  s->count = 2;
  s->particle[0] = i;
  s->particle[1] = j;
  s->stiffness = stiffness * 0.5 * ((double)w->stiffness_map[i] + (double)w->stiffness_map[j]);
  s->rest = rest;
  s->compression = (double)compression;
}

static void add_bend(elasticity *e, const world *w, const int *particles, const double *weights, int count,
                     double stiffness) {
  elastic *s = &e->element[e->elements++];
  memset(s, 0, sizeof *s);
  s->count = count;
  double scale = 0.0;
  for (int n = 0; n < count; n++) {
    s->particle[n] = particles[n];
    s->weight[n] = weights[n];
    scale += (double)w->stiffness_map[particles[n]] / count;
  }
  s->stiffness = stiffness * (count == 3 ? (double)w->stiffness_map[particles[1]] : scale);
}

/* Springs that begin at a particle: along warp and weft where a cell is beside them, diagonals where their cell is. */
static void add_springs(elasticity *e, const world *w, int i) {
  const cloth_fabric *f = &w->config.fabric;
  const int column = i % world_columns(w), row = i / world_columns(w), here = is_cell_here(w, column, row);
  const double u = w->cell_warp, v = w->cell_weft, diagonal = sqrt(u * u + v * v);
  const int right = particle_beside(w, i, 1, 0), below = particle_beside(w, i, 0, 1);
  if (right >= 0 && (here || is_cell_here(w, column, row - 1)))
    add_spring(e, w, i, right, (double)f->stretch_warp * v / u, u, f->compression);
  if (below >= 0 && (here || is_cell_here(w, column - 1, row)))
    add_spring(e, w, i, below, (double)f->stretch_weft * u / v, v, f->compression);
  if (here) {
    add_spring(e, w, i, particle_beside(w, i, 1, 1), (double)f->shear, diagonal, f->shear_compression);
    add_spring(e, w, right, below, (double)f->shear, diagonal, f->shear_compression);
  }
}

/* By what share hinges are stiffer where the least bending length alone decides. */
#define JOINT_SHARE 0.0

/* Rigidity with which the cloth bends: the fabric's and that of its least bending length (grid.min_bending_length). */
static double world_rigidity(const world *w) {
  const double cell = sqrt(w->cell_warp * w->cell_weft), cells = (double)w->config.grid.min_bending_length;
  const double length = cells * cell, least = length * length * length * (double)w->config.fabric.density * 9.81;
  const double rigidity = (double)w->config.fabric.bend + least;
  if (least <= 0.0) return rigidity;
  double root = 1.0;
  for (int n = 0; n < 30; n++)
    root -= (root - least / rigidity / (root * root)) / 3.0;
  const double share = root / larger(cells, 1.0);
  return rigidity * (1.0 + JOINT_SHARE * share * share);
}

/* The hinge at a pin between another pin and a free particle stands for the half cell as well that is clamped. */
static double clamp_factor(const world *w, int before, int i, int after) {
  const int first = w->pin[before] == PIN_ALWAYS, last = w->pin[after] == PIN_ALWAYS;
  return w->pin[i] == PIN_ALWAYS && first != last ? 2.0 : 1.0;
}

/* Hinges of which a particle is the middle, and the twist of the cell that begins at it. */
static void add_bending(elasticity *e, const world *w, int i, double rigidity) {
  static const double hinge[] = {1.0, -2.0, 1.0}, twist[] = {1.0, -1.0, -1.0, 1.0};
  const double u = w->cell_warp, v = w->cell_weft;
  const int column = i % world_columns(w), row = i / world_columns(w), here = is_cell_here(w, column, row);
  const int left = is_cell_here(w, column - 1, row), above = is_cell_here(w, column, row - 1);
  const int across = is_cell_here(w, column - 1, row - 1);
  const int warp[] = {particle_beside(w, i, -1, 0), i, particle_beside(w, i, 1, 0)};
  const int weft[] = {particle_beside(w, i, 0, -1), i, particle_beside(w, i, 0, 1)};
  if (warp[0] >= 0 && warp[2] >= 0 && ((left && here) || (across && above)))
    add_bend(e, w, warp, hinge, 3, clamp_factor(w, warp[0], i, warp[2]) * rigidity * v / (u * u * u));
  if (weft[0] >= 0 && weft[2] >= 0 && ((above && here) || (across && left)))
    add_bend(e, w, weft, hinge, 3, clamp_factor(w, weft[0], i, weft[2]) * rigidity * u / (v * v * v));
  if (here) {
    const int cell[] = {i, warp[2], weft[2], particle_beside(w, i, 1, 1)};
    add_bend(e, w, cell, twist, 4, 2.0 * rigidity / (u * v));
  }
}

/* Reads the elements and masses off a world, as they are once no pin is released any more. */
static void make_elasticity(elasticity *e, const world *w) {
  const double rigidity = world_rigidity(w);
  const int cells = world_cells(w) * (world_rows(w) - 1), count = world_count(w);
  int present = 0, whole = 0;
  for (int i = 0; i < cells; i++)
    whole += w->cells[i];
  for (int i = 0; i < count; i++)
    present += w->present[i];
  const double mass = (double)w->config.fabric.density * whole * w->cell_warp * w->cell_weft / present;
  e->elements = 0;
  e->particles = count;
  for (int i = 0; i < count; i++) {
    e->mass[i] = w->present[i] ? mass * (double)w->mass_map[i] : 0.0;
    add_springs(e, w, i);
    if (rigidity > 0.0) add_bending(e, w, i, rigidity);
  }
}

/// Energy ///

static point viewed(const cloth_vector_view *view, int i) {
  return (point){(double)view->x[i], (double)view->y[i], (double)view->z[i]};
}

/* Energy of an element [J]; with `force` what it does to each particle is added there [N]. */
static double element_energy(const elastic *s, const cloth_vector_view *x, point *force) {
  if (s->count == 2) {
    const point way = point_difference(viewed(x, s->particle[1]), viewed(x, s->particle[0]));
    const double length = point_length(way), longer = length - s->rest;
    const double stiffness = s->stiffness * (longer < 0.0 ? s->compression : 1.0);
    if (force != NULL && length > 0.0) {
      const point pull = point_scaled(way, stiffness * longer / length);
      force[s->particle[0]] = point_sum(force[s->particle[0]], pull);
      force[s->particle[1]] = point_difference(force[s->particle[1]], pull);
    }
    return 0.5 * stiffness * longer * longer;
  }
  point bent = {0.0, 0.0, 0.0};
  for (int n = 0; n < s->count; n++)
    bent = point_sum(bent, point_scaled(viewed(x, s->particle[n]), s->weight[n]));
  for (int n = 0; n < s->count && force != NULL; n++) {
    const point part = point_scaled(bent, s->stiffness * s->weight[n]);
    force[s->particle[n]] = point_difference(force[s->particle[n]], part);
  }
  return 0.5 * s->stiffness * point_dot(bent, bent);
}

static double elastic_energy(const elasticity *e, const cloth_vector_view *x, point *force) {
  double sum = 0.0;
  for (int n = 0; n < e->elements; n++)
    sum += element_energy(&e->element[n], x, force);
  return sum;
}

#endif /* RANDOM_ENERGY_H */
