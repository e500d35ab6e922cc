/* What the programs of this folder share: settings, a cloth with the masses and cells that its config gives it, steps,
   and a table of which each line ends in "ok" or "missed". Each line has: what, settings, measured, right, goal.
   SPDX-License-Identifier: MIT */
#ifndef WORLD_H
#define WORLD_H

#include "../sheets.h"

#define GRAVITY 9.81 /* [m/s^2] */
#define SOLVED 80    /* iterations of a substep that leave nothing of its equation unsolved that counts */
#define SIDE_MOST 65 /* most particles of a side */
#define COUNT_MOST (SIDE_MOST * SIDE_MOST)

/* Every line is measured at each of these where it does not say otherwise. */
static const int all_substeps[] = {1, 2, 4, 8};
enum { SUBSTEP_CASES = 4, DEFAULT_SUBSTEPS = 2 };

static const char *const fabric_names[CLOTH_FABRIC_COUNT] = {"silk",   "cotton", "wool",   "denim", "polyester",
                                                             "satin",  "linen",  "jersey", "felt",  "leather",
                                                             "canvas", "rubber", "paper"};

/// Numbers ///

/* The larger of two; NaN if one is. */
static inline double larger(double a, double b) {
  return isnan(a) || a >= b ? a : b;
}

/// Table ///

static inline void print_line(const char *what, const char *settings, double measured, double right, const char *goal,
                              int holds) {
  static int lines;
  if (lines++ == 0) printf("%-66s %-26s %12s %12s  %s\n", "what", "settings", "measured", "right", "goal");
  printf("%-66s %-26s %12.6g %12.6g  %-14s %s\n", what, settings, measured, right, goal, holds ? "ok" : "missed");
  check_passed += holds;
  check_failed += !holds;
}

/* Between two multiples of what is right. */
static inline void line_share(const char *what, const char *settings, double measured, double right, double low,
                              double high) {
  char goal[48];
  snprintf(goal, sizeof goal, "x %.3g to %.3g", low, high);
  print_line(what, settings, measured, right, goal, measured >= low * right && measured <= high * right);
}

/* No farther than an error from what is right. */
static inline void line_near(const char *what, const char *settings, double measured, double right, double error) {
  char goal[48];
  snprintf(goal, sizeof goal, "+- %.3g", error);
  print_line(what, settings, measured, right, goal, fabs(measured - right) <= error);
}

/* An error, or a speed of rest: right would be 0. */
static inline void line_at_most(const char *what, const char *settings, double measured, double limit) {
  char goal[48];
  snprintf(goal, sizeof goal, "<= %.3g", limit);
  print_line(what, settings, measured, 0.0, goal, measured <= limit);
}

/// Settings ///

/* A level sheet of 1 m x 1 m, row 0 along the x axis, that no air touches, with an exact start. What else stands in the
   config is the default: density 0.2 kg/m^2, stretch 1000 N/m, shear 700 N/m, bend 1e-5 N m. */
static inline cloth_config plain_config(int columns, int rows) {
  cloth_config config = cloth_config_default();
  config.columns = columns;
  config.rows = rows;
  config.max_colliders = 0;
  config.air.density = 0.0f;
  config.grid.imperfection = 0.0f;
  return config;
}

static inline void set_rest_drag(cloth_config *config, double drag) {
  config->integration.rest_drag = (float)drag;
}

/* Leaves no damping but that of the integration itself. */
static inline void undamp(cloth_config *config) {
  config->integration.velocity_damping = 0.0f;
  config->fabric.stretch_damping = config->fabric.shear_damping = config->fabric.bend_damping = 0.0f;
  set_rest_drag(config, 0.0);
}

/* Velocity damping with which worlds come to rest soon; where they rest does not depend on it. */
static inline void damp_to_rest(cloth_config *config) {
  config->integration.velocity_damping = 1.0f;
}

/* Iterations may be CLOTH_AUTOMATIC, the default. */
static inline void set_steps(cloth_config *config, int substeps, int iterations) {
  config->substeps = substeps;
  config->iterations = iterations;
}

static inline void set_strain_limit(cloth_config *config, double extension) {
  config->strain_limit.max_extension = (float)extension;
}

/* "24 x 32, 2 x 80": the grid, then substeps and, where they are not automatic, iterations. */
static inline const char *settings_text(const cloth_config *config, int iterations) {
  static char text[48];
  int used = snprintf(text, sizeof text, "%d x %d, substeps %d", (int)config->columns, (int)config->rows,
                      (int)config->substeps);
  if (iterations != CLOTH_AUTOMATIC) snprintf(text + used, sizeof text - (size_t)used, " x %d", iterations);
  return text;
}

/// A cloth, its masses and cells ///

typedef struct specimen {
  fixture s;
  cloth_config config; /* arrays that it points to need not be there any more */
  double *mass;        /* of each particle [kg]; 0: absent */
  uint8_t *cell;       /* whether there is a cell that begins at a particle */
  double u, v;         /* sides of a cell [m] */
} specimen;

/* Index of the particle at a column, which may lie around the seam of a tube, and a row; -1 beyond a border. */
static inline int particle_index(const specimen *sp, int column, int row) {
  if (sp->config.grid.wrap) column = (column + sp->s.columns) % sp->s.columns;
  int inside = column >= 0 && column < sp->s.columns && row >= 0 && row < sp->s.rows;
  return inside ? row * sp->s.columns + column : -1;
}

static inline int is_cell(const specimen *sp, int column, int row) {
  int i = particle_index(sp, column, row);
  return i >= 0 && sp->cell[i];
}

/* Which cells there are. Returns their number. */
static inline int read_cells(specimen *sp, const cloth_config *config) {
  int across = sp->s.columns - !config->grid.wrap, cells = 0;
  for (int row = 0; row + 1 < sp->s.rows; row++) {
    for (int column = 0; column < across; column++) {
      const uint8_t *mask = config->grid.cell_mask;
      sp->cell[row * sp->s.columns + column] = mask == NULL || mask[row * across + column];
      cells += sp->cell[row * sp->s.columns + column];
    }
  }
  return cells;
}

static inline int has_cell(const specimen *sp, int i) {
  int column = i % sp->s.columns, row = i / sp->s.columns;
  return is_cell(sp, column, row) || is_cell(sp, column - 1, row) || is_cell(sp, column, row - 1) ||
         is_cell(sp, column - 1, row - 1);
}

/* Particles that have a cell share the mass of all cells, times the factors of the map. */
static inline void read_masses(specimen *sp, const cloth_config *config, int cells) {
  int present = 0;
  for (int i = 0; i < sp->s.count; i++)
    present += has_cell(sp, i);
  double mass = (double)config->fabric.density * sp->u * sp->v * cells / present;
  for (int i = 0; i < sp->s.count; i++) {
    double factor = config->grid.mass_map ? (double)config->grid.mass_map[i] : 1.0;
    sp->mass[i] = has_cell(sp, i) ? mass * factor : 0.0;
  }
}

static inline specimen specimen_make(const cloth_config *config) {
  specimen sp = {fixture_make(config), *config, NULL, NULL, 0.0, 0.0};
  sp.mass = (double *)calloc((size_t)sp.s.count, sizeof *sp.mass);
  sp.cell = (uint8_t *)calloc((size_t)sp.s.count, sizeof *sp.cell);
  if (sp.mass == NULL || sp.cell == NULL) {
    printf("out of memory\n");
    exit(2);
  }
  sp.u = point_length(point_of(config->edge_warp)) / (sp.s.columns - !config->grid.wrap);
  sp.v = point_length(point_of(config->edge_weft)) / (sp.s.rows - 1);
  read_masses(&sp, config, read_cells(&sp, config));
  return sp;
}

static inline void specimen_free(specimen *sp) {
  free(sp->mass);
  free(sp->cell);
  fixture_free(&sp->s);
}

static inline double specimen_mass(const specimen *sp) {
  double mass = 0.0;
  for (int i = 0; i < sp->s.count; i++)
    mass += sp->mass[i];
  return mass;
}

/// Steps ///

/* A step that fails, or in which a particle was put back or slowed, makes a measurement worthless: a failed check, of
   which the first few are printed. */
static inline void step_once(const specimen *sp, float dt) {
  static int printed;
  int notes = cloth_step(sp->s.sheet, dt);
  if (notes >= 0 && (notes & (CLOTH_NOTE_RECOVERED | CLOTH_NOTE_SPEED_LIMITED)) == 0) return;
  if (printed++ < 5)
    CHECK(0, "%s, notes %d", cloth_result_name(notes), notes);
  else
    check_failed++;
}

static inline void advance(const specimen *sp, int frames) {
  for (int frame = 0; frame < frames; frame++)
    step_once(sp, FRAME);
}

/// Pins ///

static inline void pin_at(const specimen *sp, int column, int row) {
  int result = cloth_pin(sp->s.sheet, particle_index(sp, column, row));
  CHECK(result == CLOTH_OK, "cloth_pin: %s", cloth_result_name(result));
}

/* Both ends of row 0. */
static inline void pin_two_corners(const specimen *sp) {
  pin_at(sp, 0, 0);
  pin_at(sp, sp->s.columns - 1, 0);
}

#endif /* WORLD_H */
