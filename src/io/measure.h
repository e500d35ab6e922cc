#pragma once
#include "../cloth/gaps.h"
#include "../terms/stiffness.h"

/// Measures ///

/* Strain and energies, from positions, velocities, freedoms and fabric, when a program asks. */

#if WITH_MEASURE

/* Sums over springs, in partial sums by column as all sums over the grid. */
typedef struct spring_sums {
  lanes_sum energy;
  lanes_sum squared_strain;
  float largest;
  int32_t springs; /* along warp and weft */
} spring_sums;

/* Stiffness factor between two particles. */
static float particle_scale(const cloth *c, int32_t i, int32_t j) {
  return map_between(c, c->constant.stiffness_map, i, j);
}

/* Adds the spring from particle i to j that belongs to a column of a row. */
static void measure_spring(const cloth *c, int32_t d, int32_t column, int32_t i, int32_t j, spring_sums *sums) {
  const vector_array x = vectors_at(c, c->state.position);
  const cloth_fabric *fabric = &inputs_of(c)->fabric;
  const int is_thread = d <= WEFT;
  const float rest = direction_rest(c, d) * shape_factor(c, REST_LENGTH + d, i);
  const float stiffness = direction_stiffness(c, d) * (is_thread ? shape_factor(c, REST_STIFFNESS + d, i) : 1.0f);
  const float length = vector_length(vector_subtract(vector_load(x, j), vector_load(x, i)));
  const float e = flush_small(length - rest, STATE_QUANTUM);
  const float share = e > 0.0f ? 1.0f : is_thread ? fabric->compression : fabric->shear_compression;
  lanes_sum_add_value(&sums->energy, column, 0.5f * stiffness * share * particle_scale(c, i, j) * e * e);
  sums->springs += is_thread;
  if (is_thread && !(is_pinned(c, i) && is_pinned(c, j))) {
    const float strain = maximum(e / rest, 0.0f);
    lanes_sum_add_value(&sums->squared_strain, column, flush_work(strain * strain));
    sums->largest = maximum(sums->largest, e / rest);
  }
}

static void measure_springs(const cloth *c, int32_t d, spring_sums *sums) {
  for (int32_t n = 0; n < c->count; n++) {
    const int32_t row = n / c->grid.columns, column = n - row * c->grid.columns;
    const int32_t i = particle_or_none(c, column + (d == ANTIDIAGONAL), row);
    const int32_t j = particle_or_none(c, column + (d == WARP || d == DIAGONAL), row + (d != WARP));
    if (i >= 0 && j >= 0 && !is_gap(c, n, spring_gap(d))) { measure_spring(c, d, column, i, j, sums); }
  }
}

static float squared_bend(cloth_vector a, cloth_vector b, cloth_vector c) {
  const cloth_vector d = vector_flush_state(vector_subtract(vector_subtract(c, b), vector_subtract(b, a)));
  return vector_dot(d, d);
}

/* Energies of the hinges of a particle over their stiffness, by B' / 2: along the warp, or along the weft. */
static float hinge_square(const cloth *c, int32_t column, int32_t row, int32_t direction) {
  const vector_array x = vectors_at(c, c->state.position);
  const int32_t along = direction == WARP, down = direction == WEFT;
  const int32_t before = particle_or_none(c, column - along, row - down);
  const int32_t at = particle_or_none(c, column, row), after = particle_or_none(c, column + along, row + down);
  if (before < 0 || after < 0 || is_gap(c, at, along ? GAP_HINGE_WARP : GAP_HINGE_WEFT)) { return 0.0f; }
  const float clamp = is_pinned(c, at) && is_pinned(c, before) != is_pinned(c, after) ? 2.0f : 1.0f;
  return clamp * particle_scale(c, at, at) * shape_factor(c, REST_HINGE + direction, at) *
         squared_bend(vector_load(x, before), vector_load(x, at), vector_load(x, after));
}

/* Square of the twist of the cell that begins at a particle. */
static float twist_square(const cloth *c, int32_t column, int32_t row) {
  const vector_array x = vectors_at(c, c->state.position);
  const int32_t i = particle_or_none(c, column, row), right = particle_or_none(c, column + 1, row);
  const int32_t below = particle_or_none(c, column, row + 1), across = particle_or_none(c, column + 1, row + 1);
  if (right < 0 || below < 0 || is_gap(c, i, GAP_CELL)) { return 0.0f; }
  const cloth_vector first = vector_subtract(vector_load(x, right), vector_load(x, i));
  const cloth_vector second = vector_subtract(vector_load(x, across), vector_load(x, below));
  const cloth_vector twist = vector_flush_state(vector_subtract(second, first));
  return 0.5f * (particle_scale(c, i, across) + particle_scale(c, right, below)) * shape_factor(c, REST_TWIST, i) *
         vector_dot(twist, twist);
}

/* Adds the energy of bending, of the rigidity with which the cloth bends. */
static void measure_bend(const cloth *c, spring_sums *sums) {
  float ratio;
  const float u = c->grid.spacing_warp, v = c->grid.spacing_weft, half = 0.5f * bend_rigidity(c, &ratio);
  const float warp = half * (v / u) / (u * u), weft = half * (u / v) / (v * v), twist = 2.0f * half / (u * v);
  for (int32_t row = 0; row < c->grid.rows; row++) {
    for (int32_t column = 0; column < c->grid.columns; column++) {
      float energy = warp * hinge_square(c, column, row, WARP) + weft * hinge_square(c, column, row, WEFT);
      lanes_sum_add_value(&sums->energy, column, energy + twist * twist_square(c, column, row));
    }
  }
}

static void measure_motion(const cloth *c, cloth_measures *measures) {
  vector_array x = vectors_at(c, c->state.position);
  cloth_vector g = inputs_of(c)->gravity;
  lanes_sum kinetic = {{0.0f}};
  lanes_sum height = {{0.0f}};
  for (int32_t i = 0; i < c->count; i++) {
    float mass = is_gap(c, i, GAP_PARTICLE) ? 0.0f : mass_ratio_at(c, i);
    cloth_vector velocity = current_velocity(c, i);
    lanes_sum_add_value(&kinetic, i, mass * vector_dot(velocity, velocity));
    lanes_sum_add_value(&height, i, mass * vector_dot(g, vector_load(x, i)));
  }
  float mass = reference_mass(c);
  measures->kinetic_energy = 0.5f * mass * lanes_sum_total(&kinetic);
  measures->potential_energy = negate(mass * lanes_sum_total(&height));
}

int cloth_measure(const cloth *c, cloth_measures *measures) {
  RETURN_IF_ERROR(check_call(c, measures));
  spring_sums sums;
  fill_zero(&sums, sizeof sums);
  sums.largest = -1.0f;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    measure_springs(c, d, &sums);
  }
  measure_bend(c, &sums);
  const int has_springs = sums.springs > 0; /* a cloth that is torn altogether has none */
  measures->max_stretch = has_springs ? sums.largest : 0.0f;
  measures->rms_stretch = has_springs ? square_root(lanes_sum_total(&sums.squared_strain) / (float)sums.springs) : 0.0f;
  measures->elastic_energy = lanes_sum_total(&sums.energy);
  measure_motion(c, measures);
  return CLOTH_OK;
}

#endif
