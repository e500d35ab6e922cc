#pragma once
#include "access.h"
#include "compiler.h"
#include "lanes.h"
#include "scalar.h"
#include "springs.h"
#include "stiffness.h"
#include "types.h"

/// Measures ///

/*
 * Strain and energies, computed when a program asks. In: positions, velocities, freedoms and fabric. Out:
 * cloth_measures. Nothing of the arena is written.
 */

#if WITH_MEASURE

/* Energy of a bend spring [J] of rest length L at s = l / L < 1: the integral of its force, which is linear with
   `slope` c_b [N/m] down to the strain where Choi and Ko's curve is weaker, and the curve below that. `curve` is c /
   L^2. */
static float bend_energy(float rest, float curve, float slope, float s) {
  /* Crossing of line and curve, by three steps of a fixed-point iteration: the curve varies slowly near s = 1, so
     three are enough. The line is 0 at s = 1 and the weaker of the two above the crossing. */
  float crossing = 1.0f;
  for (int step = 0; step < 3; step++) {
    crossing = 1.0f + curve * lanes_first_value(bend_curve(lanes_splat(crossing))) / (slope * rest);
    crossing = maximum(crossing, 0.0f);
  }
  float linear_from = maximum(s, crossing);
  float energy = 0.5f * slope * rest * rest * (1.0f - linear_from) * (1.0f - linear_from);
  /* Simpson's rule for the part of the curve, a quartic; the rule is exact for cubics. */
  float middle = 0.5f * (s + linear_from);
  float ends = lanes_first_value(bend_curve(lanes_splat(s))) + lanes_first_value(bend_curve(lanes_splat(linear_from)));
  float mean = (ends + 4.0f * lanes_first_value(bend_curve(lanes_splat(middle)))) / 6.0f;
  return energy - curve * mean * rest * (linear_from - s);
}

/* Sums over springs, in partial sums by column as all sums over the grid. */
typedef struct spring_sums {
  lanes_sum energy;
  lanes_sum squared_strain;
  float largest;
} spring_sums;

static float particle_scale(const cloth *c, int32_t i, int32_t j) {
  return lanes_first_value(spring_scale(c, (spring_block){i, j, 1}, 1));
}

/* The two particles of a spring. */
typedef struct particle_pair {
  int32_t i, j;
} particle_pair;

/* The particles of the spring of direction d, `reach` cells long, that belongs to a column of a row. */
static particle_pair spring_particles(const cloth *c, int32_t d, int32_t reach, int32_t row, int32_t column) {
  int32_t place = row * c->grid.columns + column;
  particle_pair ends = {place + reach * spring_start(d), place + reach * spring_end(c, d)};
  int32_t over = is_wrapped(c) && column + reach >= c->grid.columns ? c->grid.columns : 0;
  ends.i -= d == ANTIDIAGONAL ? over : 0;
  ends.j -= d == WARP || d == DIAGONAL ? over : 0;
  return ends;
}

/* Number of springs of direction d, `reach` cells long, that belong to a row. */
static int32_t row_springs(const cloth *c, int32_t d, int32_t reach, int32_t row) {
  int32_t springs = springs_left(d, reach, offset_below(c, row, reach), c->grid.columns);
  return is_wrapped(c) && springs > 0 ? c->grid.columns : springs;
}

static void measure_springs(const cloth *c, int32_t d, spring_sums *sums) {
  vector_array x = vectors_at(c, c->state.position);
  const uint8_t *freedom = freedom_of(c);
  float rest = direction_rest(c, d);
  float stiffness = direction_stiffness(c, d);
  for (int32_t row = 0; row < c->grid.rows; row++) {
    for (int32_t column = 0; column < row_springs(c, d, 1, row); column++) {
      const particle_pair ends = spring_particles(c, d, 1, row, column);
      const int32_t i = ends.i, j = ends.j;
      float length = vector_length(vector_subtract(vector_load(x, j), vector_load(x, i)));
      float e = flush_small(length - rest, STATE_QUANTUM);
      const cloth_fabric *fabric = &inputs_of(c)->fabric;
      float share = e > 0.0f ? 1.0f : (d <= WEFT ? fabric->compression : fabric->shear_compression);
      float energy = 0.5f * stiffness * share * particle_scale(c, i, j) * e * e;
      lanes_sum_add_value(&sums->energy, column, energy);
      int held = ((freedom[i] | freedom[j]) & FREEDOM_MASK) == FREEDOM_PINNED;
      if (d <= WEFT && !held) {
        float strain = maximum(e / rest, 0.0f);
        lanes_sum_add_value(&sums->squared_strain, column, flush_small(strain * strain, WORK_QUANTUM));
        sums->largest = maximum(sums->largest, e / rest);
      }
    }
  }
}

static void measure_bend(const cloth *c, int32_t d, spring_sums *sums) {
  vector_array x = vectors_at(c, c->state.position);
  float rest = 2.0f * direction_rest(c, d);
  float curve = bend_constant(c, d) / (rest * rest);
  float slope = bend_linear_slope(c, d, rest);
  float fold = 0.5f * fold_stiffness(c, d) * rest * rest;
  for (int32_t row = 0; row < c->grid.rows; row++) {
    for (int32_t column = 0; column < row_springs(c, d, 2, row); column++) {
      const particle_pair ends = spring_particles(c, d, 2, row, column);
      const int32_t i = ends.i, j = ends.j;
      float s = vector_length(vector_subtract(vector_load(x, j), vector_load(x, i))) / rest;
      float bent = flush_small(maximum(1.0f - s, 0.0f), STATE_QUANTUM);
      /* The stronger of the fabric's force and the fold stiffness acts. The larger energy is that of the stronger force
         unless they cross in between, which is neglected. */
      float fabric = slope > 0.0f && bent > 0.0f ? bend_energy(rest, curve, slope, s) : 0.0f;
      float energy = maximum(fabric, fold * bent * bent) * particle_scale(c, i, j);
      lanes_sum_add_value(&sums->energy, column, energy);
    }
  }
}

static void measure_motion(const cloth *c, cloth_measures *measures) {
  vector_array x = vectors_at(c, c->state.position);
  cloth_vector g = inputs_of(c)->gravity;
  lanes_sum kinetic = {{0.0f}};
  lanes_sum height = {{0.0f}};
  for (int32_t i = 0; i < c->count; i++) {
    float mass = mass_ratio_at(c, i);
    cloth_vector velocity = current_velocity(c, i);
    lanes_sum_add_value(&kinetic, i, mass * vector_dot(velocity, velocity));
    lanes_sum_add_value(&height, i, mass * vector_dot(g, vector_load(x, i)));
  }
  float mass = reference_mass(c);
  measures->kinetic_energy = 0.5f * mass * lanes_sum_total(&kinetic);
  measures->potential_energy = negate(mass * lanes_sum_total(&height));
}

int cloth_measure(const cloth *c, cloth_measures *measures) {
  int error = check_call(c, measures);
  if (error) {
    return error;
  }
  spring_sums sums;
  fill_zero(&sums, sizeof sums);
  sums.largest = -1.0f;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    measure_springs(c, d, &sums);
    measure_bend(c, d, &sums);
  }
  int32_t springs = cells_along_warp(c) * c->grid.rows + c->grid.columns * (c->grid.rows - 1);
  measures->max_stretch = sums.largest;
  measures->rms_stretch = square_root(lanes_sum_total(&sums.squared_strain) / (float)springs);
  measures->elastic_energy = lanes_sum_total(&sums.energy);
  measure_motion(c, measures);
  return CLOTH_OK;
}

#endif
