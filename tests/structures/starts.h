/* How worlds of these programs start: flat sheets, tubes that lie, crumples that spin, masks that leave half of the
   cells. Include after world.h. SPDX-License-Identifier: MIT */
#ifndef STARTS_H
#define STARTS_H

#include "world.h"

#define PI 3.14159265358979323846

/// Tubes ///

/* A tube 1 m around and 1 m long that lies: its axis is the z axis. Writes its start to `places`. */
static inline cloth_config lying_tube(int columns, int rows, cloth_vector *places) {
  cloth_config config = plain_config(columns, rows);
  double radius = 0.5 / columns / sin(PI / columns); /* chords are as long as a cell is wide */
  for (int i = 0; i < columns * rows; i++) {
    double angle = 2.0 * PI * (i % columns) / columns;
    places[i] = vector_at(radius * cos(angle), radius * sin(angle), (double)(i / columns) / (rows - 1));
  }
  config.grid.wrap = 1;
  config.edge_warp = vector_at(0.0, 1.0, 0.0);
  config.grid.positions = places;
  return config;
}

/// Crumples ///

/* Bends each place of a sheet of 1 m x 1 m into a curl with waves, and displaces it at random by up to `noise` [m]. */
static inline void crumple_sheet(int columns, int rows, double noise, cloth_vector *places) {
  random_source random = {5};
  for (int i = 0; i < columns * rows; i++) {
    double a = (double)(i % columns) / (columns - 1) - 0.5, b = (double)(i / columns) / (rows - 1) - 0.5;
    double x = 0.5 * sin(2.0 * a), y = 0.5 * (1.0 - cos(2.0 * a)) + 0.05 * sin(9.0 * b);
    x += random_real(&random, -noise, noise);
    y += random_real(&random, -noise, noise);
    places[i] = vector_at(x, y - 0.15, b + random_real(&random, -noise, noise));
  }
}

/* The same with the places of a tube around the z axis: its rings become ovals that turn along it. */
static inline void crumple_tube(int columns, int rows, double noise, cloth_vector *places) {
  random_source random = {6};
  double radius = 0.5 / PI;
  for (int i = 0; i < columns * rows; i++) {
    double angle = 2.0 * PI * (i % columns) / columns, b = (double)(i / columns) / (rows - 1) - 0.5;
    double r = radius * (1.0 + 0.1 * cos(2.0 * angle + 3.0 * b));
    double x = r * cos(angle) + random_real(&random, -noise, noise);
    double y = r * sin(angle) + random_real(&random, -noise, noise);
    places[i] = vector_at(x, y, b + random_real(&random, -noise, noise));
  }
}

/* Gives a cloth a drift [m/s] and a spin [rad/s] about the origin. */
static inline void set_motion(const specimen *sp, point drift, point spin) {
  for (int i = 0; i < sp->s.count; i++) {
    if (sp->mass[i] <= 0.0) continue;
    point x = position_of(sp->s.sheet, i);
    cloth_set_particle(sp->s.sheet, i, vector_of(x), vector_of(point_sum(drift, point_cross(spin, x))));
  }
}

/// Masks ///

enum { MASK_RANDOM, MASK_BLOCKS, MASK_SLITS, MASK_KINDS };
static const char *const mask_names[MASK_KINDS] = {"random cells", "blocks", "slits"};

/* Whether a mask keeps a cell: half of those that are not at a border, and all that are. */
static inline int mask_keeps(int kind, int column, int row, int cells, random_source *random) {
  int chance = random_int(random, 0, 1);
  if (column == 0 || row == 0 || column == cells - 1 || row == cells - 1) return 1;
  return kind == MASK_RANDOM ? chance : kind == MASK_BLOCKS ? (column / 4 + row / 4) % 2 == 0 : column / 2 % 2 == 0;
}

static inline int cell_touches(const uint8_t *hangs, int side, int corner) {
  return hangs[corner] || hangs[corner + 1] || hangs[corner + side] || hangs[corner + side + 1];
}

/* Leaves out the cells of a mask that do not hang together with particle 0. */
static inline void mask_connect(uint8_t *mask, int side) {
  static uint8_t hangs[COUNT_MOST];
  memset(hangs, 0, sizeof hangs);
  hangs[0] = 1;
  int cells = side - 1, changed = 1;
  while (changed) {
    changed = 0;
    for (int k = 0; k < cells * cells; k++) {
      int corner = k / cells * side + k % cells, all = 1;
      if (!mask[k] || !cell_touches(hangs, side, corner)) continue;
      all = hangs[corner] && hangs[corner + 1] && hangs[corner + side] && hangs[corner + side + 1];
      changed = changed || !all;
      hangs[corner] = hangs[corner + 1] = hangs[corner + side] = hangs[corner + side + 1] = 1;
    }
  }
  for (int k = 0; k < cells * cells; k++)
    mask[k] = mask[k] && cell_touches(hangs, side, k / cells * side + k % cells);
}

/* Half of the cells of a sheet of side x side particles. */
static inline void make_mask(int kind, int side, uint8_t *mask) {
  random_source random = {17};
  int cells = side - 1;
  for (int k = 0; k < cells * cells; k++)
    mask[k] = (uint8_t)mask_keeps(kind, k % cells, k / cells, cells, &random);
  mask_connect(mask, side);
}

#endif /* STARTS_H */
