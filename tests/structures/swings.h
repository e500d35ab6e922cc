/* Oscillations that die out: a strip that stretches, one that swings as a pendulum, a sheet that shears, a cantilever.
   Nothing damps them but what a test sets, and the integration itself. Include after world.h and right.h.
   SPDX-License-Identifier: MIT */
#ifndef SWINGS_H
#define SWINGS_H

#include "right.h"
#include "world.h"

enum { SWING_STRETCH, SWING_PENDULUM, SWING_SHEAR, SWING_BEND, SWING_KINDS };
static const char *const swing_names[SWING_KINDS] = {"strip that stretches", "strip that swings", "sheet that shears",
                                                     "cantilever"};

/* What swings, and what theory says of it: its frequency, and the rate at which its damping makes the amplitude decay
   in exact time. A spring with a damper of kd beside its stiffness ks makes a mode of frequency w decay at
   w^2 kd / (2 ks), a velocity damping of d at d / 2. */
typedef struct slow_mode {
  specimen sp;
  int first, step, count;         /* the particles of which the mean is read */
  point along;                    /* the axis along which they move */
  double frequency, damping_rate; /* [rad/s], [1/s] */
} slow_mode;

static inline cloth_config mode_config(int columns, int rows, double width, point weft, double gravity, int substeps) {
  cloth_config config = plain_config(columns, rows);
  undamp(&config);
  config.edge_warp = vector_at(width, 0.0, 0.0);
  config.edge_weft = vector_of(weft);
  config.gravity = vector_at(0.0, -gravity, 0.0);
  set_steps(&config, substeps, CLOTH_AUTOMATIC);
  if (config.integration.max_substeps < substeps)
    config.integration.max_substeps = substeps;
  return config;
}

/* 1 m long, it hangs by its upper edge and is let go unstretched. */
static inline slow_mode open_stretch_mode(int substeps) {
  enum { COLUMNS = 9, ROWS = 33 };
  const double stiffness = 25.0, damping = 0.1;
  cloth_config config =
      mode_config(COLUMNS, ROWS, (COLUMNS - 1) / (ROWS - 1.0), (point){0.0, -1.0, 0.0}, GRAVITY, substeps);
  config.fabric.stretch_warp = config.fabric.stretch_weft = (float)stiffness;
  config.fabric.shear = 0.0f;
  config.fabric.stretch_damping = (float)damping;
  slow_mode m = {specimen_make(&config), (ROWS - 1) * COLUMNS, 1, COLUMNS, y_axis, 0.0, 0.0};
  for (int column = 0; column < COLUMNS; column++)
    pin_at(&m.sp, column, 0);
  double squared = chain_frequency_squared(stiffness, m.sp.mass[COLUMNS], ROWS - 1);
  m.frequency = sqrt(squared);
  m.damping_rate = 0.5 * squared * damping / stiffness;
  return m;
}

/* J0(2.4048 sqrt(s)), the shape in which a hanging strip swings slowest; s from the free edge. */
static inline double pendulum_shape(double s) {
  double square = 2.404825557695773 * 2.404825557695773 * s, term = 1.0, sum = 1.0;
  for (int k = 1; k < 20; k++) {
    term *= -0.25 * square / (k * k);
    sum += term;
  }
  return sum;
}

/* 20 links of 1 m in all that hardly stretch and do not bend: a period of 1.68894 s (tests/accuracy.c, A5). */
static inline slow_mode open_pendulum(int substeps) {
  enum { COLUMNS = 5, LINKS = 20 };
  const double longest_strain = 1e-3, amplitude = 0.02, damping = 0.5;
  cloth_config config =
      mode_config(COLUMNS, LINKS + 1, (COLUMNS - 1.0) / LINKS, (point){0.0, -1.0, 0.0}, GRAVITY, substeps);
  double weight = (double)config.fabric.density * (COLUMNS - 1.0) / LINKS / (COLUMNS * (LINKS + 1.0)) * GRAVITY;
  double stiffness = weight * LINKS * LINKS / longest_strain, hang = 0.0;
  config.fabric.stretch_warp = config.fabric.stretch_weft = (float)stiffness;
  config.fabric.shear = (float)(0.1 * stiffness);
  config.fabric.bend = config.grid.min_bending_length = 0.0f;
  config.integration.velocity_damping = (float)damping;
  slow_mode m = {specimen_make(&config), LINKS * COLUMNS, 1, COLUMNS, z_axis, 2.0 * PI / 1.68894, 0.5 * damping};
  for (int row = 0; row <= LINKS; row++) {
    double aside = amplitude * pendulum_shape(1.0 - (double)row / LINKS);
    hang += row == 0 ? 0.0 : 1.0 / LINKS + weight * (LINKS - row + 1.0) / stiffness;
    for (int column = 0; column < COLUMNS; column++) {
      cloth_vector place = vector_at((double)column / LINKS, -hang, row == 0 ? 0.0 : aside);
      cloth_set_particle(m.sp.s.sheet, row * COLUMNS + column, place, zero_vector);
    }
  }
  for (int column = 0; column < COLUMNS; column++)
    pin_at(&m.sp, column, 0);
  return m;
}

/* 1 m high, half as wide, it is held by its side. Columns are the masses: where they shear by a displacement d, a cell
   pulls with the shear modulus times d, and its two dampers with kd times the speed. */
static inline slow_mode open_shear_mode(int substeps) {
  enum { COLUMNS = 16, ROWS = 32 };
  const double shear = 8.0, damping = 0.02;
  cloth_config config =
      mode_config(COLUMNS, ROWS, (COLUMNS - 1) / (ROWS - 1.0), (point){0.0, -1.0, 0.0}, 1.5, substeps);
  config.origin = vector_at(0.0, 0.5, 0.0); /* floats are finer near 0 */
  config.fabric.stretch_warp = config.fabric.stretch_weft = 1e4f;
  config.fabric.shear = (float)shear;
  config.fabric.shear_damping = (float)damping;
  slow_mode m = {specimen_make(&config), COLUMNS - 1, COLUMNS, ROWS, y_axis, 0.0, 0.0};
  for (int row = 0; row < ROWS; row++)
    pin_at(&m.sp, 0, row);
  double squared = chain_frequency_squared(shear * (ROWS - 1), m.sp.mass[1] * ROWS, COLUMNS - 1);
  m.frequency = sqrt(squared);
  m.damping_rate = 0.5 * squared * damping / shear;
  return m;
}

/* 19 cm of a plate of B = 1e-3 N m, whose bending has a viscosity of 0.05 s times B: w = 3.516 sqrt(B / rho) / L^2. */
static inline slow_mode open_cantilever(int substeps) {
  enum { COLUMNS = 33, ROWS = 9 };
  const double width = 0.2, time = 0.05;
  cloth_config config =
      mode_config(COLUMNS, ROWS, width, (point){0.0, 0.0, width * (ROWS - 1) / (COLUMNS - 1)}, 0.5, substeps);
  config.fabric.bend = 1e-3f;
  config.fabric.bend_damping = (float)time;
  slow_mode m = {specimen_make(&config), COLUMNS - 1, COLUMNS, ROWS, y_axis, 0.0, 0.0};
  for (int row = 0; row < ROWS; row++) {
    pin_at(&m.sp, 0, row);
    pin_at(&m.sp, 1, row);
  }
  double length = width * (COLUMNS - 2) / (COLUMNS - 1), rigidity = grid_rigidity(&config.fabric, m.sp.u);
  m.frequency = 3.516 * sqrt(rigidity / (double)config.fabric.density) / (length * length);
  m.damping_rate = 0.5 * m.frequency * m.frequency * time;
  return m;
}

static inline slow_mode open_mode(int kind, int substeps) {
  return kind == SWING_STRETCH    ? open_stretch_mode(substeps)
         : kind == SWING_PENDULUM ? open_pendulum(substeps)
         : kind == SWING_SHEAR    ? open_shear_mode(substeps)
                                  : open_cantilever(substeps);
}

/* Lets it swing for 8 s. */
static inline decay watch_mode(const slow_mode *m) {
  double y[DECAY_FRAMES];
  for (int frame = 0; frame < DECAY_FRAMES; frame++) {
    advance(&m->sp, 1);
    y[frame] = 0.0;
    for (int k = 0; k < m->count; k++)
      y[frame] += point_dot(position_of(m->sp.s.sheet, m->first + k * m->step), m->along) / m->count;
  }
  return decay_of(y, DECAY_FRAMES);
}

#endif /* SWINGS_H */
