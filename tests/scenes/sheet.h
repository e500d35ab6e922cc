/* Sheets of the scenes: everything as by default but for what all scenes have in common and what a scene names; how
   they start, are pinned and stepped. SPDX-License-Identifier: MIT */
#ifndef SCENES_SHEET_H
#define SCENES_SHEET_H

#include "../experiments.h"

/// Settings ///

static const char *const fabric_names[CLOTH_FABRIC_COUNT] = {"silk",   "cotton", "wool",   "denim", "polyester",
                                                             "satin",  "linen",  "jersey", "felt",  "leather",
                                                             "canvas", "rubber", "paper"};

/* A flat and level sheet of width x height metres, its rows along x and its columns along z. All scenes have no air,
   and start exactly where they say. Stretch 1000 N/m, shear 700 N/m, bending 1e-5 N m, 0.2 kg/m^2 and springs with a
   damping of 0.05 N s/m are the defaults. */
static inline cloth_config sheet_config(int columns, int rows, double width, double height, int substeps) {
  cloth_config config = cloth_config_default();
  config.columns = columns;
  config.rows = rows;
  config.edge_warp = vector_at(width, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, height);
  config.air.density = 0.0f;
  config.grid.imperfection = 0.0f;
  config.max_colliders = 0;
  set_substeps(&config, substeps);
  return config;
}

/* The same hanging down from its first row, in the x-y plane. */
static inline cloth_config upright_config(int columns, int rows, double width, double height, int substeps) {
  cloth_config config = sheet_config(columns, rows, width, height, substeps);
  config.edge_weft = vector_at(0.0, -height, 0.0);
  return config;
}

static inline void set_stretch(cloth_config *config, double stretch) {
  config->fabric.stretch_warp = config->fabric.stretch_weft = (float)stretch;
}

/* Without any damping but that of the springs. */
static inline void without_damping(cloth_config *config) {
  config->integration.velocity_damping = 0.0f;
  config->integration.rest_drag = 0.0f;
}

#define SOLVED_ITERATIONS 80 /* of a solve that is finished */

static inline cloth_config solved(const cloth_config *config) {
  cloth_config c = *config;
  c.iterations = SOLVED_ITERATIONS;
  return c;
}

/// Sheets ///

typedef struct sheet {
  fixture f;
  cloth_config config;
  unsigned char *held;              /* 1: a particle that is pinned, or that no cell has */
  double width[2];                  /* of a cell along warp and weft [m] */
  double mass;                      /* of a particle [kg] */
  double rigidity;                  /* B' = B + c^3 w h^3 [N m] */
  int notes;                        /* of all steps */
  const cloth_surroundings *around; /* geometries; NULL without */
} sheet;

static inline double length_of(cloth_vector v) {
  return point_length(point_of(v));
}

static inline int cell_is_there(const sheet *s, int column, int row) {
  int is_tube = s->config.grid.wrap;
  if (is_tube) column = (column + s->f.columns) % s->f.columns;
  if (column < 0 || row < 0 || column + 1 >= s->f.columns + is_tube || row + 1 >= s->f.rows) return 0;
  return s->config.grid.cell_mask == NULL || s->config.grid.cell_mask[row * (s->f.columns - !is_tube) + column] != 0;
}

/* How many of the four cells around a particle there are. */
static inline int cells_around(const sheet *s, int particle) {
  int column = particle % s->f.columns, row = particle / s->f.columns, count = 0;
  for (int k = 0; k < 4; k++)
    count += cell_is_there(s, column - k % 2, row - k / 2);
  return count;
}

/* Maps of the config have to live as long as the sheet. */
static inline sheet sheet_make(const cloth_config *config) {
  sheet s;
  memset(&s, 0, sizeof s);
  s.f = fixture_make(config);
  s.config = *config;
  s.width[0] = length_of(config->edge_warp) / (s.f.columns - !config->grid.wrap);
  s.width[1] = length_of(config->edge_weft) / (s.f.rows - 1);
  s.held = (unsigned char *)must_have(calloc((size_t)s.f.count, 1));
  double cells = 0.0, particles = 0.0;
  for (int i = 0; i < s.f.count; i++) {
    int around = cells_around(&s, i);
    cells += 0.25 * around;
    particles += around > 0;
    s.held[i] = around == 0;
  }
  s.mass = (double)config->fabric.density * cells * s.width[0] * s.width[1] / particles;
  s.rigidity = grid_rigidity(&config->fabric, sqrt(s.width[0] * s.width[1]));
  return s;
}

static inline void sheet_free(sheet *s) {
  free(s->held);
  fixture_free(&s->f);
}

static inline void pin_particle(sheet *s, int column, int row) {
  int i = fixture_particle(&s->f, column, row);
  cloth_pin(s->f.sheet, i);
  s->held[i] = 1;
}

/* How a scene pins its sheet. */
typedef void pinning(sheet *s);

static inline void pin_corners(sheet *s) {
  pin_particle(s, 0, 0);
  pin_particle(s, s->f.columns - 1, 0);
}

static inline void pin_first_corner(sheet *s) {
  pin_particle(s, 0, 0);
}

static inline void pin_first_row(sheet *s) {
  for (int column = 0; column < s->f.columns; column++)
    pin_particle(s, column, 0);
}

static inline void pin_first_column(sheet *s) {
  for (int row = 0; row < s->f.rows; row++)
    pin_particle(s, 0, row);
}

static inline void pin_border(sheet *s) {
  for (int i = 0; i < s->f.count; i++) {
    if (cells_around(s, i) < 4) pin_particle(s, i % s->f.columns, i / s->f.columns);
  }
}

static inline sheet sheet_pinned(const cloth_config *config, pinning *pin) {
  sheet s = sheet_make(config);
  pin(&s);
  return s;
}

/* A step; what it refuses ends the program. */
static inline void sheet_step(sheet *s, double dt) {
  int result = cloth_step_with(s->f.sheet, (float)dt, s->around);
  if (result < 0) {
    printf("cloth_step_with: %s\n", cloth_result_name(result));
    exit(2);
  }
  s->notes |= result;
}

static inline void sheet_frames(sheet *s, int frames) {
  for (int i = 0; i < frames; i++)
    sheet_step(s, (double)FRAME);
}

/* A measured value, or NaN if in steps with these notes the library had to put particles back or to slow them. */
static inline double trusted(int notes, double value) {
  return (notes & (CLOTH_NOTE_RECOVERED | CLOTH_NOTE_SPEED_LIMITED)) != 0 ? (double)NAN : value;
}

/// Starts ///

/* Positions of all particles, for config.grid.positions; to be freed. */
static inline cloth_vector *positions_of(const sheet *s) {
  cloth_vector *positions = (cloth_vector *)must_have(malloc((size_t)s->f.count * sizeof *positions));
  for (int i = 0; i < s->f.count; i++)
    cloth_get_position(s->f.sheet, i, &positions[i]);
  return positions;
}

/* Noise of a start: evenly from -0.5 to 0.5, from a generator that is the same everywhere. */
static inline double next_noise(uint32_t *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / 16777216.0 - 0.5;
}

/* Where a sheet starts that lies as in `config`, displaced by noise times `size` along each axis [m]; to be freed. */
static inline cloth_vector *noisy_start(const cloth_config *config, uint32_t seed, point size) {
  fixture f = fixture_make(config);
  cloth_vector *positions = (cloth_vector *)must_have(malloc((size_t)f.count * sizeof *positions));
  for (int i = 0; i < f.count; i++) {
    point p = position_of(f.sheet, i);
    p.x += size.x != 0.0 ? size.x * next_noise(&seed) : 0.0;
    p.y += size.y != 0.0 ? size.y * next_noise(&seed) : 0.0;
    p.z += size.z != 0.0 ? size.z * next_noise(&seed) : 0.0;
    positions[i] = vector_of(p);
  }
  fixture_free(&f);
  return positions;
}

/* A sheet where it comes to rest: so many frames with a velocity damping [1/s] that brings it there, and a second as
   the config says. */
static inline sheet settled_sheet(const cloth_config *config, pinning *pin, double damping, int frames) {
  cloth_config damped = *config, rested = *config;
  damped.integration.velocity_damping = (float)damping;
  sheet first = sheet_pinned(&damped, pin);
  sheet_frames(&first, frames);
  cloth_vector *positions = positions_of(&first);
  rested.grid.positions = positions;
  sheet s = sheet_pinned(&rested, pin);
  s.notes = first.notes;
  s.config.grid.positions = NULL;
  sheet_free(&first);
  free(positions);
  sheet_frames(&s, 60);
  return s;
}

#endif /* SCENES_SHEET_H */
