/* Experiments that measure a material property of a cloth by what the cloth does, through the public interface alone:
   bending by a cantilever, stretch and shear by hanging, damping by decay, drape over a disc. Everything is at the
   default config but for what an experiment names. tests/material.c has the goals. Include after support.h.
   SPDX-License-Identifier: MIT */
#ifndef EXPERIMENTS_H
#define EXPERIMENTS_H

#include "scenes.h"
#include "support.h"

#define PI 3.14159265358979323846
#define STANDARD_GRAVITY 9.81
#define DEGREE (PI / 180.0)
#define ROOT_HALF 0.70710678118654752

static inline void *must_have(void *memory) {
  if (memory == NULL) {
    printf("out of memory\n");
    exit(2);
  }
  return memory;
}

/* Sets the substeps of a step; the cap on automatic substeps does not matter then, but may not be lower. */
static inline void set_substeps(cloth_config *config, int substeps) {
  config->substeps = substeps;
  if (config->integration.max_substeps < substeps) config->integration.max_substeps = substeps;
}

/* The integration method of every experiment, a cloth_integration. Goals are for the default. */
static int32_t experiment_method = CLOTH_INTEGRATION_ADAPTIVE;

static inline cloth_config experiment_config(int substeps) {
  cloth_config config = cloth_config_default();
  config.integration.method = experiment_method;
  set_substeps(&config, substeps);
  return config;
}

/* Advances by whole frames of 1/60 s. An error, a particle that was put back or one that was slowed makes a measurement
   worthless: a failed check, of which the first few are printed. */
static inline void advance_frames(const fixture *s, int frames) {
  static int printed;
  int notes = run_steps(s->sheet, frames, FRAME);
  if (notes >= 0 && (notes & (CLOTH_NOTE_RECOVERED | CLOTH_NOTE_SPEED_LIMITED)) == 0) return;
  if (printed++ < 5)
    CHECK(0, "%s, notes %d", cloth_result_name(notes), notes);
  else
    check_failed++;
}

/* A hash (FNV-1a) of positions and velocities alone: that of the library covers the settings of the fabric, too. */
static inline uint64_t hash_of_motion(const fixture *s) {
  cloth_vector_view views[2];
  cloth_get_positions(s->sheet, &views[0]);
  cloth_get_velocities(s->sheet, &views[1]);
  uint64_t hash = UINT64_C(14695981039346656037);
  for (int i = 0; i < 6 * s->count; i++) {
    const cloth_vector_view *view = &views[i % 2];
    const float *axis[3] = {view->x, view->y, view->z};
    uint32_t word;
    memcpy(&word, &axis[i / 2 % 3][i / 6], sizeof word);
    hash = (hash ^ word) * UINT64_C(1099511628211);
  }
  return hash;
}

/// The heavy elastica ///

/* A strip of weight w per length and area of its width, rigidity B, clamped level at one end. In lengths of
   (B / w)^(1/3): its length and the angle of its chord below the level. */
typedef struct elastica {
  double length, chord;
} elastica;

/* The elastica whose free end slopes down by `tip` [rad]. From the free end, t along the strip: phi'' = -t cos(phi),
   with phi'(0) = 0; the clamp is where phi = 0. Midpoint rule. */
static inline elastica elastica_of_tip(double tip) {
  const double step = 4e-3;
  double phi = tip, slope = 0.0, t = 0.0, x = 0.0, y = 0.0;
  while (phi > 0.0) {
    double half = phi + 0.5 * step * slope;
    double slope_half = slope - 0.5 * step * t * cos(phi);
    double share = phi + step * slope_half < 0.0 ? phi / (-step * slope_half) : 1.0; /* of the last step */
    x += share * step * cos(half);
    y += share * step * sin(half);
    phi += step * slope_half;
    slope -= step * (t + 0.5 * step) * cos(half);
    t += share * step;
  }
  elastica e = {t, atan2(y, x)};
  return e;
}

/* w L^3 / B of a strip of length L whose chord hangs by `chord` [rad]. 8.0042 at 41.5 degrees (Peirce 1930). */
static inline double rigidity_number(double chord) {
  double low = 1e-5, high = 0.5 * PI - 1e-6;
  for (int i = 0; i < 40; i++) {
    double tip = 0.5 * (low + high);
    if (elastica_of_tip(tip).chord < chord)
      low = tip;
    else
      high = tip;
  }
  double length = elastica_of_tip(low).length;
  return length * length * length;
}

/// Peirce's cantilever ///

/* The rigidity that a grid gives a fabric: B' = B + c^3 rho g h^3, with c = grid.min_bending_length [N m]. */
static inline double grid_rigidity(const cloth_fabric *fabric, double spacing) {
  return (double)fabric->bend + (double)fabric->density * STANDARD_GRAVITY *
                                    pow((double)cloth_config_default().grid.min_bending_length * spacing, 3.0);
}

#define PEIRCE_CHORD 41.5 /* angle of the chord at the overhang that is measured [degrees] */
#define STRIP_ROWS 9      /* particles across a strip along the grid */
#define DIAGONAL_WIDTH 32 /* width of a strip at 45 degrees, in half diagonals of a cell: 23 cells */

typedef struct strip {
  cloth_fabric fabric;
  double spacing; /* of the particles, in both directions [m] */
  int angle;      /* from the warp to the length of the strip [degrees]: 0, 45 or 90 */
  int substeps;   /* of 1/60 s */
} strip;

/* How many steps along the strip lie between a particle and the clamp line, 0 and below being pinned. Along the grid a
   step is a cell, at 45 degrees half a diagonal of a cell. */
typedef struct strip_place {
  int step;
  int outside; /* 1 beside or beyond the strip, at 45 degrees */
} strip_place;

/* A strip of `steps` steps that overhangs, and the grid that it lies in. */
typedef struct strip_grid {
  const strip *s;
  int steps, columns, rows;
  double step_length; /* [m] */
} strip_grid;

static inline strip_grid strip_grid_of(const strip *s, int steps) {
  strip_grid g = {s, steps, steps + 2, STRIP_ROWS, s->spacing};
  if (s->angle == 90) {
    g.columns = STRIP_ROWS;
    g.rows = steps + 2;
  } else if (s->angle == 45) {
    g.columns = (steps + DIAGONAL_WIDTH) / 2 + 3;
    g.rows = (DIAGONAL_WIDTH + 2) / 2 + (steps + 1) / 2 + 2;
    g.step_length = s->spacing * ROOT_HALF;
  }
  return g;
}

static inline strip_place place_in_strip(const strip_grid *g, int column, int row) {
  strip_place p = {column - 1, 0};
  if (g->s->angle == 90) p.step = row - 1;
  if (g->s->angle == 45) {
    int a = column - 1, b = row - (g->steps + 1) / 2 - 1;
    p.step = a - b;
    p.outside = p.step < -2 || p.step > g->steps || a + b < 0 || a + b > DIAGONAL_WIDTH;
  }
  return p;
}

/* Masses: each particle weighs as the piece of sheet around it, spacing squared, and half of that at the free end, so
   that the overhang weighs what a strip cut from a large sheet does. A particle of the library weighs a little
   less: the sheet between the outermost lines is shared among them all. The strip at 45 degrees is cut out of a larger
   sheet by maps: what lies outside has stiffness 0 and the least mass, 1 %, and falls. */
static inline void fill_strip_maps(const strip_grid *g, float *mass, float *stiffness) {
  double usual = (double)(g->columns * g->rows) / (double)((g->columns - 1) * (g->rows - 1));
  for (int i = 0; i < g->columns * g->rows; i++) {
    strip_place p = place_in_strip(g, i % g->columns, i / g->columns);
    mass[i] = (float)(p.outside ? 0.01 : p.step == g->steps ? 0.5 * usual : usual);
    stiffness[i] = p.outside ? 0.0f : 1.0f;
  }
}

/* Slowest frequency of the strip as a cantilever [rad/s]. The strip is damped at 1.5 times that, so that it
   comes to rest soonest; where it rests does not depend on that. */
static inline double strip_frequency(const strip_grid *g) {
  const strip *s = g->s;
  double density = (double)s->fabric.density, length = g->steps * g->step_length;
  return 3.516 * sqrt(grid_rigidity(&s->fabric, s->spacing) / density) / (length * length);
}

static inline cloth_config strip_config(const strip_grid *g) {
  cloth_config config = experiment_config(g->s->substeps);
  config.columns = g->columns;
  config.rows = g->rows;
  config.fabric = g->s->fabric;
  double along = g->s->spacing * (g->columns - 1), across = g->s->spacing * (g->rows - 1);
  if (g->s->angle == 45) { /* the strip points along x */
    double half = ROOT_HALF;
    config.edge_warp = vector_at(along * half, 0.0, along * half);
    config.edge_weft = vector_at(-across * half, 0.0, across * half);
    config.origin = vector_at((g->steps + 1) / 2 * g->s->spacing * half, 0.0, 0.0);
  } else {
    config.edge_warp = g->s->angle == 0 ? vector_at(along, 0.0, 0.0) : vector_at(0.0, 0.0, along);
    config.edge_weft = g->s->angle == 0 ? vector_at(0.0, 0.0, across) : vector_at(across, 0.0, 0.0);
    config.origin = vector_at(-g->s->spacing, 0.0, 0.0);
  }
  config.max_colliders = 0;
  config.integration.velocity_damping = (float)fmin(fmax(1.5 * strip_frequency(g), 1.0), 60.0);
  return config;
}

static inline void pin_strip(const strip_grid *g, const fixture *s) {
  for (int i = 0; i < s->count; i++) {
    strip_place p = place_in_strip(g, i % g->columns, i / g->columns);
    if (!p.outside && p.step <= 0) cloth_pin(s->sheet, i);
  }
}

/* Mean position of the particles at a step along the strip. */
static inline point strip_mean(const strip_grid *g, const fixture *s, int step) {
  point sum = {0.0, 0.0, 0.0};
  int count = 0;
  for (int i = 0; i < s->count; i++) {
    strip_place p = place_in_strip(g, i % g->columns, i / g->columns);
    if (p.outside || p.step != step) continue;
    sum = point_sum(sum, position_of(s->sheet, i));
    count++;
  }
  return point_scaled(sum, 1.0 / count);
}

/* Angle of the chord from the clamp line to the free end below the level [degrees], after ten more frames. */
static inline double strip_chord(const strip_grid *g, const fixture *s) {
  point way = {0.0, 0.0, 0.0}, clamp = strip_mean(g, s, 0);
  for (int frame = 0; frame < 10; frame++) {
    advance_frames(s, 1);
    way = point_sum(way, point_difference(strip_mean(g, s, g->steps), clamp));
  }
  return atan2(-way.y, way.x) / DEGREE;
}

/* Lets a strip of so many steps hang until it rests. Returns the angle of its chord [degrees]. */
static inline double rest_chord(const strip *what, int steps) {
  strip_grid g = strip_grid_of(what, steps);
  cloth_config config = strip_config(&g);
  size_t count = (size_t)(g.columns * g.rows);
  float *maps = (float *)must_have(malloc(2 * count * sizeof *maps));
  fill_strip_maps(&g, maps, maps + count);
  config.grid.mass_map = maps;
  config.grid.stiffness_map = what->angle == 45 ? maps + count : NULL;
  fixture s = fixture_make(&config);
  pin_strip(&g, &s);
  int frames = (int)fmin(fmax(60.0 * 12.0 / (double)config.integration.velocity_damping, 20.0), 240.0);
  double before = 0.0, chord = 90.0;
  for (int round = 0; round < 6 && fabs(chord - before) > 0.05; round++) {
    before = chord;
    advance_frames(&s, round == 0 ? frames : frames / 2);
    chord = strip_chord(&g, &s);
  }
  fixture_free(&s);
  free(maps);
  return chord;
}

/* A strip of `steps` steps that came to rest: the angle of its chord [degrees] and the rigidity that explains it [N m].
 */
typedef struct strip_rest {
  int steps;
  double chord, rigidity;
} strip_rest;

static inline strip_rest rest_strip(const strip *what, int steps) {
  double weight = (double)what->fabric.density * STANDARD_GRAVITY;
  double length = steps * strip_grid_of(what, steps).step_length, chord = rest_chord(what, steps);
  strip_rest r = {steps, chord, weight * pow(length, 3.0) / rigidity_number(fmax(chord, 0.05) * DEGREE)};
  return r;
}

/* The overhang at which the chord of a strip of a rigidity hangs by 41.5 degrees [m]. */
static inline double overhang_of(const strip *what, double rigidity) {
  return cbrt(rigidity / ((double)what->fabric.density * STANDARD_GRAVITY) * rigidity_number(PEIRCE_CHORD * DEGREE));
}

#define LONGEST_STRIP 120 /* steps */

/* Rigidity by the overhang at which the chord hangs by 41.5 degrees [N m]. Strips are whole steps long: between the two
   on both sides of 41.5 degrees the rigidity is interpolated, which hardly differs from one to the other. Where one
   step hangs by more, or the longest by less, that strip is taken as it is. */
static inline double peirce_rigidity(const strip *what) {
  double step_length = strip_grid_of(what, 1).step_length;
  strip_rest less = {0, 0.0, 0.0}, more = {LONGEST_STRIP + 1, 90.0, 0.0}; /* that hang by less, and by more */
  double guess = grid_rigidity(&what->fabric, what->spacing);
  while (more.steps - less.steps > 1) {
    int steps = (int)(overhang_of(what, guess) / step_length);
    if (steps <= less.steps) steps = less.steps + 1;
    if (steps >= more.steps) steps = more.steps - 1;
    strip_rest r = rest_strip(what, steps);
    guess = r.rigidity;
    if (r.chord < PEIRCE_CHORD)
      less = r;
    else
      more = r;
  }
  if (less.steps == 0) return more.rigidity;
  if (more.steps > LONGEST_STRIP) return less.rigidity;
  double share = (PEIRCE_CHORD - less.chord) / (more.chord - less.chord);
  return less.rigidity + share * (more.rigidity - less.rigidity);
}

/// Sheets that hang ///

/* Mean of a coordinate over particles first, first + step, ... `count` of them, and over `frames` more frames. */
static inline double mean_height(const fixture *s, int first, int step, int count, int frames) {
  double sum = 0.0;
  for (int frame = 0; frame < frames; frame++) {
    advance_frames(s, 1);
    for (int k = 0; k < count; k++)
      sum += position_of(s->sheet, first + k * step).y;
  }
  return sum / count / frames;
}

/* A sheet of columns x rows particles, width x height metres, in the x-y plane below y = 0. It is damped to come to
   rest. */
static inline cloth_config hanging_config(int columns, int rows, double width, double height, int substeps) {
  cloth_config config = experiment_config(substeps);
  config.columns = columns;
  config.rows = rows;
  config.edge_warp = vector_at(width, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, -height, 0.0);
  config.integration.velocity_damping = 5.0f;
  config.max_colliders = 0;
  config.grid.imperfection = 0.0f; /* theory is of plane sheets; some of these would buckle, as real ones do */
  return config;
}

/* Elongation of a square sheet of 1 m that hangs by its upper edge, over theory: springs of stiffness ks in a row, each
   with the weight of the particles below it. Without shear springs, which would carry a share. */
static inline double hanging_elongation(int n, double stretch, int substeps, double *measured) {
  cloth_config config = hanging_config(n, n, 1.0, 1.0, substeps);
  config.fabric.stretch_warp = config.fabric.stretch_weft = (float)stretch;
  config.fabric.shear = 0.0f;
  fixture s = fixture_make(&config);
  for (int column = 0; column < n; column++)
    cloth_pin(s.sheet, column);
  advance_frames(&s, 210);
  double elongation = -mean_height(&s, (n - 1) * n, 1, n, 30) - 1.0;
  fixture_free(&s);
  double particle = (double)config.fabric.density / (n * n), theory = 0.0;
  for (int below = 1; below < n; below++)
    theory += below * particle * STANDARD_GRAVITY / stretch;
  if (measured != NULL) *measured = elongation;
  return elongation / theory;
}

#define HEM_SIDE 16    /* particles */
#define HEM_MASS 0.32f /* [kg] */

/* Elongation of a strip of 1 m x 1 m with a hem of 0.32 kg [m]. */
static inline double hem_elongation(double stretch, int substeps) {
  float mass[HEM_SIDE * HEM_SIDE];
  cloth_config config = hanging_config(HEM_SIDE, HEM_SIDE, 1.0, 1.0, substeps);
  for (int i = 0; i < HEM_SIDE * HEM_SIDE; i++)
    mass[i] = i < HEM_SIDE * (HEM_SIDE - 1) ? 1.0f : HEM_MASS * (float)HEM_SIDE / config.fabric.density;
  config.fabric.stretch_warp = config.fabric.stretch_weft = (float)stretch;
  config.fabric.shear = 0.0f;
  config.grid.mass_map = mass;
  fixture s = fixture_make(&config);
  for (int column = 0; column < HEM_SIDE; column++)
    cloth_pin(s.sheet, column);
  advance_frames(&s, 570);
  double elongation = -mean_height(&s, HEM_SIDE * (HEM_SIDE - 1), 1, HEM_SIDE, 30) - 1.0;
  fixture_free(&s);
  return elongation;
}

/// Small strains of a spring lattice ///

/* Rest under gravity of a lattice of springs with small strains, in its plane: stretch springs along the lines, shear
   springs on both diagonals of every cell; column 0 is held. Unknowns are the x and y displacements of columns 1 and
   above; their matrix has a band, which is factored. */
typedef struct lattice {
  int columns, rows, size, band; /* band: below the diagonal */
  double *matrix, *load;
} lattice;

static inline double *lattice_entry(const lattice *l, int row, int column) {
  return &l->matrix[(size_t)row * (size_t)(l->band + 1) + (size_t)(l->band - row + column)];
}

static inline int lattice_unknown(const lattice *l, int column, int row) {
  return column == 0 ? -1 : 2 * (row * (l->columns - 1) + column - 1);
}

/* Adds a spring of `stiffness` between two particles, along the direction (x, y) of unit length. */
static inline void lattice_add(lattice *l, int a, int b, double stiffness, const double direction[2]) {
  const int ends[2] = {a, b};
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      if (ends[i / 2] < 0 || ends[j / 2] < 0) continue;
      int row = ends[i / 2] + i % 2, column = ends[j / 2] + j % 2;
      double value = stiffness * direction[i % 2] * direction[j % 2] * (i / 2 == j / 2 ? 1.0 : -1.0);
      if (column <= row) *lattice_entry(l, row, column) += value;
    }
  }
}

/* Factors the matrix in its band by Cholesky's method and solves for the load, in place. */
static inline void lattice_solve(lattice *l) {
  for (int row = 0; row < l->size; row++) {
    int first = row > l->band ? row - l->band : 0;
    for (int column = first; column <= row; column++) {
      double sum = *lattice_entry(l, row, column);
      int from = column > l->band && column - l->band > first ? column - l->band : first;
      for (int k = from; k < column; k++)
        sum -= *lattice_entry(l, row, k) * *lattice_entry(l, column, k);
      *lattice_entry(l, row, column) = column == row ? sqrt(sum) : sum / *lattice_entry(l, column, column);
    }
    for (int k = first; k < row; k++)
      l->load[row] -= *lattice_entry(l, row, k) * l->load[k];
    l->load[row] /= *lattice_entry(l, row, row);
  }
  for (int row = l->size - 1; row >= 0; row--) {
    l->load[row] /= *lattice_entry(l, row, row);
    for (int k = row > l->band ? row - l->band : 0; k < row; k++)
      l->load[k] -= *lattice_entry(l, row, k) * l->load[row];
  }
}

/* Mean sag of the free column of such a lattice with square cells [m], particles weighing `weight` [N]. */
static inline double lattice_sag(int columns, int rows, double stretch, double shear, double weight) {
  static const double along[4][2] = {{1.0, 0.0}, {0.0, 1.0}, {ROOT_HALF, ROOT_HALF}, {-ROOT_HALF, ROOT_HALF}};
  lattice l = {columns, rows, 2 * (columns - 1) * rows, 2 * columns + 1, NULL, NULL};
  l.matrix = (double *)must_have(calloc((size_t)l.size * (size_t)(l.band + 1), sizeof(double)));
  l.load = (double *)must_have(calloc((size_t)l.size, sizeof(double)));
  for (int row = 0; row < rows; row++) {
    for (int column = 0; column < columns; column++) {
      int here = lattice_unknown(&l, column, row);
      int right = column + 1 < columns, below = row + 1 < rows;
      if (here >= 0) l.load[here + 1] = weight;
      if (right) lattice_add(&l, here, lattice_unknown(&l, column + 1, row), stretch, along[0]);
      if (below) lattice_add(&l, here, lattice_unknown(&l, column, row + 1), stretch, along[1]);
      if (right && below) lattice_add(&l, here, lattice_unknown(&l, column + 1, row + 1), shear, along[2]);
      if (column > 0 && below) lattice_add(&l, here, lattice_unknown(&l, column - 1, row + 1), shear, along[3]);
    }
  }
  lattice_solve(&l);
  double sag = 0.0;
  for (int row = 0; row < rows; row++)
    sag += l.load[lattice_unknown(&l, columns - 1, row) + 1] / rows;
  free(l.matrix);
  free(l.load);
  return sag;
}

/// Decay ///

#define DECAY_FRAMES 480 /* of 1/60 s */

/* A motion that dies out: its circular frequency [rad/s] and the rate of its amplitude [1/s]. */
typedef struct decay {
  double frequency, rate;
  int extremes; /* how many were found; the rate needs 4 */
} decay;

/* Vertex of the parabola through three neighbours of a series. */
static inline void refine_extreme(const double *y, int i, double *time, double *value) {
  double slope = 0.5 * (y[i + 1] - y[i - 1]), bow = y[i + 1] - 2.0 * y[i] + y[i - 1];
  double shift = bow != 0.0 ? -slope / bow : 0.0;
  *time = (i + shift) / 60.0;
  *value = y[i] + 0.5 * slope * shift;
}

/* Reads a decay from a coordinate in each frame. The distance from a minimum to the maximum after it needs no mean. The
   logarithms of these distances are fitted by a line; the first extreme is left out, in which faster modes take part,
   and what is smaller than 2 % of the first distance. */
static inline decay decay_of(const double *y, int frames) {
  decay d = {0.0, 0.0, 0};
  double time[DECAY_FRAMES], value[DECAY_FRAMES];
  int extremes = 0;
  for (int i = 1; i + 1 < frames; i++) {
    if ((y[i] > y[i - 1]) == (y[i] >= y[i + 1]) && y[i] != y[i - 1])
      refine_extreme(y, i, &time[extremes], &value[extremes]), extremes++;
  }
  double n = 0.0, t = 0.0, tt = 0.0, l = 0.0, tl = 0.0, first = 0.0;
  for (int i = 1; i + 1 < extremes; i++) {
    double distance = fabs(value[i + 1] - value[i]);
    first = i == 1 ? distance : first;
    if (distance < 0.02 * first) break;
    double middle = 0.5 * (time[i] + time[i + 1]), logarithm = log(distance);
    n += 1.0, t += middle, tt += middle * middle, l += logarithm, tl += middle * logarithm;
    d.frequency = PI * n / (time[i + 1] - time[1]);
  }
  d.extremes = (int)n + 1;
  if (n >= 3.0) d.rate = -(n * tl - t * l) / (n * tt - t * t);
  return d;
}

/* Nothing damps but the fabric: no air, no velocity_damping, no rest_drag. */
static inline cloth_config swinging_config(int columns, int rows, double width, double height, double gravity,
                                           int substeps) {
  cloth_config config = hanging_config(columns, rows, width, height, substeps);
  config.gravity = vector_at(0.0, -gravity, 0.0);
  config.air.density = 0.0f;
  config.integration.velocity_damping = config.integration.rest_drag = 0.0f;
  config.fabric.stretch_damping = config.fabric.shear_damping = config.fabric.bend_damping = 0.0f;
  return config;
}

/* Squared frequency of the slowest mode of `masses` equal masses in a row, the first held by a spring [1/s^2]. */
static inline double chain_frequency_squared(double stiffness, double mass, int masses) {
  double sine = sin(0.5 * PI / (2 * masses + 1));
  return 4.0 * stiffness / mass * sine * sine;
}

enum { DECAY_STRETCH, DECAY_SHEAR, DECAY_BEND };

/* A sheet that swings in one mode with a damping of its family, and what theory says of it: a spring with a damper of
   kd beside its stiffness ks makes a mode of frequency w decay at w^2 kd / (2 ks). */
typedef struct swing {
  fixture s;
  int first, step, count;   /* the particles at its free end */
  double frequency_squared; /* of the slowest mode [1/s^2]; 0: as seen */
  double relaxation;        /* kd / ks [s] */
} swing;

/* Stretches: 1 m long, it hangs by its upper edge and is let go unstretched. */
static inline swing swing_stretching(double damping, int substeps) {
  enum { COLUMNS = 9, ROWS = 33 };
  const double stiffness = 100.0;
  cloth_config config = swinging_config(COLUMNS, ROWS, (COLUMNS - 1) / (ROWS - 1.0), 1.0, STANDARD_GRAVITY, substeps);
  config.fabric.stretch_warp = config.fabric.stretch_weft = (float)stiffness;
  config.fabric.shear = 0.0f;
  config.fabric.stretch_damping = (float)damping;
  swing w = {fixture_make(&config), (ROWS - 1) * COLUMNS, 1, COLUMNS, 0.0, damping / stiffness};
  for (int column = 0; column < COLUMNS; column++)
    cloth_pin(w.s.sheet, column);
  w.frequency_squared = chain_frequency_squared(stiffness, particle_mass(&w.s, w.s.count - 1), ROWS - 1);
  return w;
}

/* Shears: 1 m high, half as wide, it is held by its side. Columns are the masses: where they shear by a displacement d,
   a cell pulls with the shear modulus times d, and its two dampers with kd times the speed. */
static inline swing swing_shearing(double damping, int substeps) {
  enum { COLUMNS = 16, ROWS = 32 };
  const double shear = 30.0;
  cloth_config config = swinging_config(COLUMNS, ROWS, (COLUMNS - 1) / (ROWS - 1.0), 1.0, 5.0, substeps);
  config.origin = vector_at(0.0, 0.5, 0.0); /* floats are finer near 0 */
  config.fabric.stretch_warp = config.fabric.stretch_weft = 1e4f;
  config.fabric.shear = (float)shear;
  config.fabric.shear_damping = (float)damping;
  swing w = {fixture_make(&config), COLUMNS - 1, COLUMNS, ROWS, 0.0, damping / shear};
  for (int row = 0; row < ROWS; row++)
    cloth_pin(w.s.sheet, row * COLUMNS);
  double mass = particle_mass(&w.s, w.s.count - 1) * ROWS;
  w.frequency_squared = chain_frequency_squared(shear * (ROWS - 1), mass, COLUMNS - 1);
  return w;
}

/* Bends: a cantilever of 19 cm, B = 1e-3 N m, whose bending has a viscosity of `time` times B. */
static inline swing swing_bending(double time, int substeps) {
  enum { COLUMNS = 33, ROWS = 9 };
  cloth_config config = swinging_config(COLUMNS, ROWS, 0.2, 0.0, 0.5, substeps);
  config.edge_weft = vector_at(0.0, 0.0, 0.2 * (ROWS - 1) / (COLUMNS - 1));
  config.fabric.bend = 1e-3f;
  config.fabric.bend_damping = (float)time;
  swing w = {fixture_make(&config), COLUMNS - 1, COLUMNS, ROWS, 0.0, time};
  for (int row = 0; row < ROWS; row++) {
    cloth_pin(w.s.sheet, row * COLUMNS);
    cloth_pin(w.s.sheet, row * COLUMNS + 1);
  }
  return w;
}

static inline swing swing_of(int family, double damping, int substeps) {
  return family == DECAY_STRETCH ? swing_stretching(damping, substeps)
         : family == DECAY_SHEAR ? swing_shearing(damping, substeps)
                                 : swing_bending(damping, substeps);
}

/* Lets a sheet swing for 8 s. Returns its decay; *theory: the rate by theory [1/s]. */
static inline decay decay_by(int family, double damping, int substeps, double *theory) {
  double y[DECAY_FRAMES];
  swing w = swing_of(family, damping, substeps);
  for (int frame = 0; frame < DECAY_FRAMES; frame++)
    y[frame] = mean_height(&w.s, w.first, w.step, w.count, 1);
  decay d = decay_of(y, DECAY_FRAMES);
  double squared = w.frequency_squared > 0.0 ? w.frequency_squared : d.frequency * d.frequency;
  *theory = 0.5 * squared * w.relaxation;
  fixture_free(&w.s);
  return d;
}

/* Largest kinetic energy of such a sheet in the second second [J]. *hash: of its motion. */
static inline double energy_left(int family, double damping, uint64_t *hash) {
  swing w = swing_of(family, damping, 28);
  double most = 0.0;
  advance_frames(&w.s, 60);
  for (int frame = 0; frame < 60; frame++) {
    cloth_measures measures;
    memset(&measures, 0, sizeof measures);
    advance_frames(&w.s, 1);
    cloth_measure(w.s.sheet, &measures);
    most = fmax(most, (double)measures.kinetic_energy);
  }
  *hash = hash_of_motion(&w.s);
  fixture_free(&w.s);
  return most;
}

/// Drape ///

#define DISC_RADIUS 0.09
#define SPECIMEN_SIDE 0.266     /* the area of a round specimen of 30 cm [m] */
#define SPECIMEN_THICKNESS 1e-3 /* distance from the disc [m] */
#define SHADOW_CELLS 600        /* of half a millimetre, on each side of the shadow's grid */

/* Where a point lies in the grid of the shadow. */
static inline double shadow_place(double x) {
  return x / 0.5e-3 + 0.5 * SHADOW_CELLS;
}

static inline void shade_triangle(unsigned char *shadow, const point corner[3]) {
  double x[3], z[3], low_x = 1e9, high_x = -1e9, low_z = 1e9, high_z = -1e9;
  for (int k = 0; k < 3; k++) {
    x[k] = shadow_place(corner[k].x);
    z[k] = shadow_place(corner[k].z);
    low_x = fmin(low_x, x[k]), high_x = fmax(high_x, x[k]);
    low_z = fmin(low_z, z[k]), high_z = fmax(high_z, z[k]);
  }
  for (int row = (int)fmax(low_z, 0.0); row <= (int)fmin(high_z, SHADOW_CELLS - 1.0); row++) {
    for (int column = (int)fmax(low_x, 0.0); column <= (int)fmin(high_x, SHADOW_CELLS - 1.0); column++) {
      int left = 0, right = 0;
      for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        double side = (x[next] - x[k]) * (row + 0.5 - z[k]) - (z[next] - z[k]) * (column + 0.5 - x[k]);
        left += side >= 0.0;
        right += side <= 0.0;
      }
      if (left == 3 || right == 3) shadow[row * SHADOW_CELLS + column] = 1;
    }
  }
}

/* Area of the shadow that a cloth and the disc cast from above [m^2]. */
static inline double shadow_area(const fixture *s) {
  unsigned char *shadow = (unsigned char *)must_have(calloc(SHADOW_CELLS * SHADOW_CELLS, 1));
  for (int i = 0; i + s->columns < s->count; i++) {
    if (i % s->columns + 1 == s->columns) continue;
    point p[4] = {position_of(s->sheet, i), position_of(s->sheet, i + 1), position_of(s->sheet, i + s->columns + 1),
                  position_of(s->sheet, i + s->columns)};
    point second[3] = {p[0], p[2], p[3]};
    shade_triangle(shadow, p);
    shade_triangle(shadow, second);
  }
  long cells = 0;
  for (int i = 0; i < SHADOW_CELLS * SHADOW_CELLS; i++) {
    double x = i % SHADOW_CELLS + 0.5 - 0.5 * SHADOW_CELLS, z = i / SHADOW_CELLS + 0.5 - 0.5 * SHADOW_CELLS;
    cells += shadow[i] || sqrt(x * x + z * z) * 0.5e-3 <= DISC_RADIUS;
  }
  free(shadow);
  return (double)cells * 0.5e-3 * 0.5e-3;
}

/* Largest strain of a stretch spring now. */
static inline double largest_stretch(const fixture *s) {
  cloth_measures measures;
  memset(&measures, 0, sizeof measures);
  cloth_measure(s->sheet, &measures);
  return (double)measures.max_stretch;
}

typedef struct drape {
  double coefficient;           /* (shadow - disc) / (specimen - disc) [%] */
  double stretch, stretch_ever; /* largest of any spring: in the last second, and in the whole run */
} drape;

/* A square specimen laid on a disc 18 cm across: a flat cylinder, 1 cm high, above nothing. The specimen keeps 1 mm
   from it, of which the disc's 9 cm are the outside. 4 s, damped at 2 /s to come to rest; means of the last half
   second. The disc lies `x` and `z` beside the middle [m]. */
static inline drape drape_over_disc_at(const cloth_fabric *fabric, int n, int substeps, double x, double z) {
  cloth_config config = experiment_config(substeps);
  config.columns = config.rows = n;
  config.origin = vector_at(-0.5 * SPECIMEN_SIDE, SPECIMEN_THICKNESS, -0.5 * SPECIMEN_SIDE);
  config.edge_warp = vector_at(SPECIMEN_SIDE, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, SPECIMEN_SIDE);
  config.fabric = *fabric;
  config.thickness = (float)SPECIMEN_THICKNESS;
  config.max_colliders = 1;
  config.integration.velocity_damping = 2.0f;
  fixture s = fixture_make(&config);
  cloth_collider disc = cloth_collider_default();
  disc.shape = CLOTH_SHAPE_CYLINDER;
  disc.radius = (float)(DISC_RADIUS - SPECIMEN_THICKNESS);
  disc.half_height = 0.005f;
  disc.pose.position = vector_at(x, -0.005, z);
  cloth_add_collider(s.sheet, &disc);
  const int frames = 240;
  double area = 0.0, round = PI * DISC_RADIUS * DISC_RADIUS;
  drape d = {0.0, 0.0, 0.0};
  for (int frame = 0; frame < frames; frame++) {
    advance_frames(&s, 1);
    double stretch = largest_stretch(&s);
    d.stretch_ever = fmax(d.stretch_ever, stretch);
    if (frame >= frames - 60) d.stretch = fmax(d.stretch, stretch);
    if (frame >= frames - 30 && frame % 6 == 0) area += shadow_area(&s) / 5.0;
  }
  d.coefficient = 100.0 * (area - round) / (SPECIMEN_SIDE * SPECIMEN_SIDE - round);
  fixture_free(&s);
  return d;
}

static inline drape drape_over_disc(const cloth_fabric *fabric, int n, int substeps) {
  return drape_over_disc_at(fabric, n, substeps, 0.0, 0.0);
}

/// Rims and corners ///

typedef struct stretch_record {
  double late, ever; /* largest strain of a stretch spring: in the last second, and in the whole run */
} stretch_record;

static inline stretch_record record_stretch(const fixture *s, int frames) {
  stretch_record r = {0.0, 0.0};
  for (int frame = 0; frame < frames; frame++) {
    advance_frames(s, 1);
    double stretch = largest_stretch(s);
    r.ever = fmax(r.ever, stretch);
    if (frame >= frames - 60) r.late = fmax(r.late, stretch);
  }
  return r;
}

/* Largest stretch of a square sheet that falls 2.6 cm onto a cylinder 18 cm across, 45 cm wide, or onto a corner of a
   box, 50 cm wide. 5 s. The body is `x` and `z` beside its place [m]. */
static inline stretch_record rim_stretch_at(const cloth_fabric *fabric, int32_t shape, int n, int substeps, double x,
                                            double z) {
  int is_box = shape == CLOTH_SHAPE_BOX;
  double side = is_box ? 0.5 : 0.45;
  cloth_config config = experiment_config(substeps);
  config.columns = config.rows = n;
  config.origin = vector_at(-0.5 * side, is_box ? 0.23 : 0.13, -0.5 * side);
  config.edge_warp = vector_at(side, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, side);
  config.fabric = *fabric;
  config.thickness = 0.004f;
  config.integration.velocity_damping = 0.6f;
  fixture s = fixture_make(&config);
  cloth_collider body = cloth_collider_default();
  body.shape = shape;
  body.radius = 0.09f;
  body.half_height = 0.1f;
  body.half_extents = vector_at(0.2, 0.2, 0.2);
  body.pose.position = vector_at(x - (is_box ? 0.1 : 0.0), 0.0, z - (is_box ? 0.1 : 0.0));
  cloth_add_collider(s.sheet, &body);
  stretch_record r = record_stretch(&s, 300);
  fixture_free(&s);
  return r;
}

static inline stretch_record rim_stretch(const cloth_fabric *fabric, int32_t shape, int n, int substeps) {
  return rim_stretch_at(fabric, shape, n, substeps, 0.0, 0.0);
}

/* Largest stretch of the flag of examples/scenes.h. */
static inline stretch_record flag_stretch(int n, int substeps) {
  scene what = scene_describe(SCENE_FLAG, n);
  set_substeps(&what.config, substeps);
  fixture s = fixture_make(&what.config);
  for (int row = 0; row < n; row++)
    cloth_pin(s.sheet, row * n);
  stretch_record r = record_stretch(&s, what.frames);
  fixture_free(&s);
  return r;
}

/// Folds ///

/* A sheet that falls on a sphere: its hash after 3 s. */
static inline uint64_t hash_of_drape(double bend, int n) {
  scene what = scene_describe(SCENE_DRAPE, n);
  what.config.fabric.bend = (float)bend;
  fixture s = fixture_make(&what.config);
  for (int i = 0; i < what.collider_count; i++)
    cloth_add_collider(s.sheet, &what.colliders[i]);
  advance_frames(&s, what.frames);
  uint64_t hash = hash_of_motion(&s);
  fixture_free(&s);
  return hash;
}

#endif /* EXPERIMENTS_H */
