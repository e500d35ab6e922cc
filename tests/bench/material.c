/* SPDX-License-Identifier: MIT */
#include "material.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double degree = 3.14159265358979 / 180;

int bending_is_true(const material *m) {
  return fabs(m->bending - 1) <= 0.3;
}

int elongation_is_true(const material *m) {
  return fabs(m->elongation - 1) <= 0.1;
}

/// Strips ///

/* A strip of the race's grid: spacing, mass per area, length of a frame. Its particles are a little lighter than the
   race's, as the mass of a grid is spread evenly and a strip has a larger share of border. */
static bench_scene strip_of(const bench_scene *race, int columns, int rows) {
  bench_scene s = *race;
  s.name = "strip";
  s.columns = columns;
  s.rows = rows;
  s.count = columns * rows;
  s.mass = s.density * s.spacing * s.spacing * (float)((columns - 1) * (rows - 1)) / (float)s.count;
  s.moving_pin = -1;
  s.has_wind = s.is_upright = 0;
  s.height = 0;
  s.collider_radius = s.collider_half = s.collider_speed = 0;
  s.collider = (bench_point){0, 0, 0};
  return s;
}

/* A strip in motion. */
typedef struct strip_run {
  const bench_scene *s;
  const solver *with;
  void *state;
  float *now; /* positions */
  int frame, broken;
} strip_run;

static strip_run open_strip(const bench_scene *s, const solver *with, const setting *how) {
  strip_run r = {s, with, with->open(s, how), bench_allocate(3 * (unsigned long)s->count, sizeof(float)), 0, 0};
  return r;
}

static void advance_strip(strip_run *r, int frames) {
  for (int k = 0; k < frames; k++)
    r->broken |= !r->with->step(r->state, r->frame++);
  r->with->read(r->state, r->now);
}

static void close_strip(strip_run *r) {
  r->with->close(r->state);
  free(r->now);
}

/// Bending ///

enum { LINKS = 4, CLAMPED = 2, STRIP_ROWS = 9, READINGS = 20 };

/* Peirce's cantilever as a grid has it: links that do not stretch, hinges of the energy |x[i-1] - 2 x[i] + x[i+1]|^2 /
   2 times B' / h^2, the one at the clamp twice as stiff, and the weight of a particle at each. `load` is this weight
   times the spacing over B' [1]. Returns the angle of the clamp if the last link slopes down by `tip` [rad]; *chord:
   the angle from the clamp to the free end below the level. */
static double clamp_angle(double load, double tip, double *chord) {
  double phi = tip, moment = 0, x = 0, y = 0;
  for (int hinge = LINKS - 1; hinge >= 0; hinge--) {
    moment += (LINKS - hinge) * load * cos(phi);
    x += cos(phi);
    y += sin(phi);
    phi -= asin(fmin(hinge == 0 ? moment / 2 : moment, 1));
  }
  *chord = atan2(y, x);
  return phi;
}

static double chord_of_load(double load) {
  double low = 0, high = 90 * degree, chord = 0;
  for (int k = 0; k < 60; k++) {
    double tip = 0.5 * (low + high);
    if (clamp_angle(load, tip, &chord) < 0)
      low = tip;
    else
      high = tip;
  }
  return chord;
}

static double load_of_chord(double chord) {
  double low = 1e-6, high = 1;
  for (int k = 0; k < 60; k++) {
    double load = sqrt(low * high);
    if (chord_of_load(load) < chord)
      low = load;
    else
      high = load;
  }
  return low;
}

static int is_clamped(const bench_scene *s, int row, int column) {
  (void)s, (void)row;
  return column < CLAMPED;
}

/* Angle of the chord of the mean line of the strip [rad]. */
static double strip_chord(const strip_run *r) {
  double x = 0, y = 0;
  for (int row = 0; row < r->s->rows; row++) {
    const float *end = &r->now[3 * (row * r->s->columns + r->s->columns - 1)];
    const float *clamp = &r->now[3 * (row * r->s->columns + CLAMPED - 1)];
    x += (double)(end[0] - clamp[0]);
    y -= (double)(end[1] - clamp[1]);
  }
  return atan2(y, x);
}

/* Gravity is such that the chord hangs by 41.5 degrees if the rigidity is B', which standard gravity does on so coarse
   grids with 2 cells, too few to tell the rigidity by. The damping brings the strip to rest soonest: 1.5 times its
   slowest frequency as a cantilever. */
static double measure_bending(const bench_scene *race, const solver *with, const setting *how) {
  bench_scene s = strip_of(race, LINKS + CLAMPED, STRIP_ROWS);
  double spacing = (double)s.spacing, rigidity = (double)s.rigidity, length = LINKS * spacing;
  double load = load_of_chord(41.5 * degree);
  s.gravity = (float)(load * rigidity / ((double)s.mass * spacing));
  s.damping = (float)fmin(1.5 * 3.516 * sqrt(rigidity / (double)s.density) / (length * length), 60);
  bench_place_particles(&s, is_clamped);
  strip_run r = open_strip(&s, with, how);
  double chord = 0;
  advance_strip(&r, (int)(16 / (double)s.damping * s.frame_rate));
  for (int k = 0; k < READINGS; k++) {
    advance_strip(&r, 1);
    chord += strip_chord(&r) / READINGS;
  }
  close_strip(&r);
  bench_scene_free(&s);
  return isfinite(chord) && !r.broken ? load / load_of_chord(chord) : HUGE_VAL;
}

/// Elongation ///

enum { PULLED_COLUMNS = 3 };

static int is_upper_edge(const bench_scene *s, int row, int column) {
  (void)s, (void)column;
  return row == 0;
}

/* By the weight below each row. A row of cells as a spring: its stretch springs, and its diagonals with the sheet free
   to become narrower. */
static double theoretical_elongation(const bench_scene *s) {
  double stretch = (double)bench_stiffness, shear = (double)s->shear, sum = 0;
  double row = stretch * s->columns + shear * stretch / (stretch + shear) * (s->columns - 1);
  for (int below = 1; below < s->rows; below++)
    sum += below * s->columns * (double)(s->mass * s->gravity) / row;
  return sum;
}

static double hem_height(const strip_run *r) {
  double y = 0;
  for (int i = r->s->count - r->s->columns; i < r->s->count; i++)
    y += (double)r->now[3 * i + 1] / r->s->columns;
  return y;
}

/* A strip as long as the sheet hangs by its upper edge. Rounding of positions is about 1 % of what it lengthens by. */
static double measure_elongation(const bench_scene *race, const solver *with, const setting *how, float shear) {
  bench_scene s = strip_of(race, PULLED_COLUMNS, race->rows > race->columns ? race->rows : race->columns);
  s.is_upright = 1;
  s.height = 0.5f; /* floats are finer near 0 */
  s.shear = shear;
  s.damping = 5;
  bench_place_particles(&s, is_upper_edge);
  strip_run r = open_strip(&s, with, how);
  advance_strip(&r, 2 * s.frame_rate);
  double top = (double)s.start[1], length = (double)s.spacing * (s.rows - 1), hem = 0;
  for (int k = 0; k < READINGS; k++) {
    advance_strip(&r, 1);
    hem += hem_height(&r) / READINGS;
  }
  double theory = theoretical_elongation(&s);
  close_strip(&r);
  bench_scene_free(&s);
  return isfinite(hem) && !r.broken ? (top - hem - length) / theory : HUGE_VAL;
}

material measure_material(const bench_scene *race, const solver *with, const setting *how) {
  material m;
  m.bending = measure_bending(race, with, how);
  m.elongation = measure_elongation(race, with, how, 0);
  m.with_shear = measure_elongation(race, with, how, race->shear);
  return m;
}
