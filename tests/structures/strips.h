/* Peirce's cantilever with strips that hang until they really rest, along the threads and at 45 degrees to them. Strips
   are those of ../experiments.h, but that at 45 degrees is cut out of its sheet by a mask of cells, not by maps.
   Include after right.h. SPDX-License-Identifier: MIT */
#ifndef STRIPS_H
#define STRIPS_H

#include "right.h"
#include "world.h"

#define STRIP_PARTICLES 8192
#define STRIP_SECONDS 30   /* a strip that rests no sooner counts as it is then */
#define STRIP_RESTS 3.5e-4 /* change of the chord in a second that counts as rest [rad] */

typedef struct hung_strip {
  strip_grid grid;
  uint8_t mask[STRIP_PARTICLES];    /* of cells */
  uint8_t present[STRIP_PARTICLES]; /* particles that have a cell */
  float mass[STRIP_PARTICLES], stiffness[STRIP_PARTICLES];
} hung_strip;

/* 0 and DIAGONAL_WIDTH: on one of the long sides of a strip at 45 degrees. */
static inline int strip_across(const strip_grid *g, int column, int row) {
  return column - 1 + row - (g->steps + 1) / 2 - 1;
}

/* Which cells there are. */
static inline void strip_cells(hung_strip *h, int *cells, int *particles) {
  const strip_grid *g = &h->grid;
  memset(h->present, 0, sizeof h->present);
  *cells = *particles = 0;
  for (int k = 0; k < (g->columns - 1) * (g->rows - 1); k++) {
    int column = k % (g->columns - 1), row = k / (g->columns - 1), is_in = 1;
    for (int corner = 0; corner < 4; corner++)
      is_in = is_in && !place_in_strip(g, column + corner % 2, row + corner / 2).outside;
    h->mask[k] = (uint8_t)is_in;
    *cells += is_in;
    for (int corner = 0; corner < 4 && is_in; corner++)
      h->present[(row + corner / 2) * g->columns + column + corner % 2] = 1;
  }
  for (int i = 0; i < g->columns * g->rows; i++)
    *particles += h->present[i];
}

/* Each particle of a strip at 45 degrees weighs as the sheet around it, half of that at the free end, and as little as
   can be on a long side, where it has no hinge: so the strip weighs what the part of it weighs that bends. The library
   shares the weight of all cells among all particles. */
static inline void strip_masses(hung_strip *h, int cells, int particles) {
  const strip_grid *g = &h->grid;
  if (g->s->angle != 45) {
    fill_strip_maps(g, h->mass, h->stiffness);
    return;
  }
  for (int i = 0; i < g->columns * g->rows; i++) {
    int column = i % g->columns, row = i / g->columns, across = strip_across(g, column, row);
    double share = place_in_strip(g, column, row).step == g->steps ? 0.5 : 1.0;
    h->mass[i] = (float)(across == 0 || across == DIAGONAL_WIDTH ? 0.01 : share * particles / cells);
  }
}

/* Mean position of the particles at a step along the strip. */
static inline point strip_place_of(const hung_strip *h, const fixture *s, int step) {
  point sum = {0.0, 0.0, 0.0};
  int count = 0;
  for (int i = 0; i < s->count; i++) {
    if (!h->present[i] || place_in_strip(&h->grid, i % s->columns, i / s->columns).step != step)
      continue;
    sum = point_sum(sum, position_of(s->sheet, i));
    count++;
  }
  return point_scaled(sum, 1.0 / count);
}

/* Angle of the chord below the level [rad]. */
static inline double chord_of(const hung_strip *h, const fixture *s) {
  point way = point_difference(strip_place_of(h, s, h->grid.steps), strip_place_of(h, s, 0));
  return atan2(-way.y, way.x);
}

/* Lets a strip hang until it rests. Returns the angle of its chord [rad]. */
static inline double hang_strip(const strip *what, int steps) {
  static hung_strip h;
  int cells = 0, particles = 0;
  h.grid = strip_grid_of(what, steps);
  if (h.grid.columns * h.grid.rows > STRIP_PARTICLES)
    return (double)NAN;
  strip_cells(&h, &cells, &particles);
  strip_masses(&h, cells, particles);
  cloth_config config = strip_config(&h.grid);
  config.grid.cell_mask = what->angle == 45 ? h.mask : NULL;
  config.grid.mass_map = h.mass;
  set_rest_drag(&config, 0.0);
  fixture s = fixture_make(&config);
  for (int i = 0; i < s.count; i++) {
    if (h.present[i] && place_in_strip(&h.grid, i % s.columns, i / s.columns).step <= 0)
      cloth_pin(s.sheet, i);
  }
  double before = 9.0, chord = 0.0;
  for (int second = 0; second < STRIP_SECONDS && fabs(chord - before) > STRIP_RESTS; second++) {
    before = chord;
    advance_frames(&s, 60);
    chord = chord_of(&h, &s);
  }
  fixture_free(&s);
  return chord;
}

/* Rigidity by a strip that should hang by about 41.5 degrees [N m]. */
static inline double strip_rigidity(const strip *what) {
  double weight = (double)what->fabric.density * STANDARD_GRAVITY, step = strip_grid_of(what, 1).step_length;
  double length = overhang_of(what, grid_rigidity(&what->fabric, what->spacing));
  int steps = (int)(length / step + 0.5);
  return weight * pow(steps * step, 3.0) / rigidity_number(fmax(hang_strip(what, steps), 1e-3));
}

#endif /* STRIPS_H */
