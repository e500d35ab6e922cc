/* What is right for the experiments of fabrics.c, in double precision: the rest of a sheet that is held by its
   side, with finite strains. Include after experiments.h.
   SPDX-License-Identifier: MIT */
#ifndef RIGHT_H
#define RIGHT_H

#include "../experiments.h"

/// A sheet that is held by its side ///

#define HELD_MOST 64 /* particles of a side */

/* A square sheet in its plane: column 0 of columns x columns particles is held, each of the others weighs `weight`. */
typedef struct held_sheet {
  int columns;
  double spacing;                                            /* [m] */
  double stretch, shear;                                     /* of a spring [N/m] */
  double weight;                                             /* [N] */
  double x[HELD_MOST * HELD_MOST], y[HELD_MOST * HELD_MOST]; /* y is down [m] */
} held_sheet;

/* The neighbour along one of the four families of springs, or -1. */
static inline int held_neighbour(const held_sheet *h, int i, int family) {
  static const int across[4] = {1, 0, 1, -1}, down[4] = {0, 1, 1, 1};
  int column = i % h->columns + across[family], row = i / h->columns + down[family];
  return column < 0 || column >= h->columns || row >= h->columns ? -1 : row * h->columns + column;
}

static inline int held_unknown(const held_sheet *h, int i) {
  return lattice_unknown(&(lattice){h->columns, h->columns, 0, 0, NULL, NULL}, i % h->columns, i / h->columns);
}

/* Adds a strained spring to the tangent stiffness and its force to the load. */
static inline void held_spring(const held_sheet *h, lattice *l, int i, int j, int family) {
  double stiffness = family < 2 ? h->stretch : h->shear, rest = h->spacing * (family < 2 ? 1.0 : sqrt(2.0));
  double dx = h->x[j] - h->x[i], dy = h->y[j] - h->y[i], length = hypot(dx, dy);
  double force = stiffness * (length - rest);
  const double along[2] = {dx / length, dy / length}, aside[2] = {-dy / length, dx / length};
  int a = held_unknown(h, i), b = held_unknown(h, j);
  lattice_add(l, a, b, stiffness, along);
  lattice_add(l, a, b, force / length, aside);
  for (int k = 0; k < 2; k++) {
    if (a >= 0) l->load[a + k] += force * along[k];
    if (b >= 0) l->load[b + k] -= force * along[k];
  }
}

/* One step of Newton's method. Returns the largest way of a particle along an axis [m]. */
static inline double held_newton(held_sheet *h, double weight) {
  lattice l = {h->columns, h->columns, 2 * (h->columns - 1) * h->columns, 2 * h->columns + 1, NULL, NULL};
  l.matrix = (double *)must_have(calloc((size_t)l.size * (size_t)(l.band + 1), sizeof(double)));
  l.load = (double *)must_have(calloc((size_t)l.size, sizeof(double)));
  for (int i = 0; i < h->columns * h->columns; i++) {
    if (held_unknown(h, i) >= 0) l.load[held_unknown(h, i) + 1] += weight;
    for (int family = 0; family < 4; family++) {
      int j = held_neighbour(h, i, family);
      if (j >= 0) held_spring(h, &l, i, j, family);
    }
  }
  lattice_solve(&l);
  double most = 0.0;
  for (int i = 0; i < h->columns * h->columns; i++) {
    int k = held_unknown(h, i);
    if (k < 0) continue;
    h->x[i] += l.load[k];
    h->y[i] += l.load[k + 1];
    most = fmax(most, fmax(fabs(l.load[k]), fabs(l.load[k + 1])));
  }
  free(l.matrix);
  free(l.load);
  return most;
}

/* Mean sag of the free side of a square sheet of 1 m that is held by its side [m]; NaN: no rest found. */
static inline double held_sag(int columns, double stretch, double shear, double weight) {
  static held_sheet h;
  h.columns = columns;
  h.spacing = 1.0 / (columns - 1);
  h.stretch = stretch;
  h.shear = shear;
  for (int i = 0; i < columns * columns; i++) {
    h.x[i] = h.spacing * (i % columns);
    h.y[i] = h.spacing * (i / columns);
  }
  for (int part = 1; part <= 10; part++) {
    double way = 1.0;
    for (int step = 0; step < 30 && way > 1e-12; step++)
      way = held_newton(&h, weight * part / 10.0);
    if (!(way <= 1e-12)) return (double)NAN;
  }
  double sag = 0.0;
  for (int row = 0; row < columns; row++)
    sag += (h.y[row * columns + columns - 1] - h.spacing * row) / columns;
  return sag;
}

#endif /* RIGHT_H */
