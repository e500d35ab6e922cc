#pragma once
#include "access.h"
#include "compiler.h"
#include "hash.h"
#include "lanes.h"
#include "scalar.h"
#include "types.h"

/// Air ///

/*
 * Air: the wind with its gusts, the area vectors of the sheet, and the force of the air on particles, drag after thesis
 * eq. 3.17, with lift and drag along the normal beside it.
 *
 * In: inputs.wind and inputs.gust_*, settings.air, evaluation positions, velocities, mass ratios. Out: velocity changes
 * times the mass ratio, added to the caller's vectors (scratch.residual, from evaluate_forces()); advance_gusts() moves
 * inputs.gust_phase. Scratch: none of its own; evaluation positions lie in scratch.product when a step extrapolates.
 */

#if WITH_AIR

/* Ranges of cloth_gusts: strength along an axis [m/s] and period [s]. */
#define GUST_MAX_STRENGTH 1.0e3f
#define GUST_MIN_PERIOD 0.02f
#define GUST_MAX_PERIOD 1.0e3f

/*
 * Gusts are value noise over time. A point of the sequence is a number of periods in fixed point, {whole, fraction}
 * with the fraction in units of 2^-32. Each axis and octave has a random number in -1..1, a multiple of 2^-23, at every
 * whole period.
 */
static float gust_lattice_value(uint32_t seed, uint32_t whole, uint32_t axis) {
  uint64_t mixed = hash_mix(hash_mix(hash_mix(HASH_FACTOR, seed), whole), axis);
  return hash_to_noise(mixed);
}

/* One octave of noise, -1..1: neighbouring lattice values blended by 3 t^2 - 2 t^3. The fraction's upper 24 bits are
   exact in a float. */
static float gust_octave(uint32_t seed, const uint32_t point[2], uint32_t axis) {
  float t = (float)(int32_t)(point[1] >> 8) * (1.0f / 16777216.0f);
  float from = gust_lattice_value(seed, point[0], axis);
  float to = gust_lattice_value(seed, point[0] + 1u, axis);
  return from + (to - from) * (t * t * (3.0f - 2.0f * t));
}

/* Two octaves, -1..1: the second has half the period and half the strength, and random numbers of its own (axes 3..5).
 */
static float gust_noise(uint32_t seed, const uint32_t point[2], uint32_t axis) {
  uint32_t doubled[2] = {2u * point[0] + (point[1] >> 31), 2u * point[1]};
  return (2.0f / 3.0f) * gust_octave(seed, point, axis) + (1.0f / 3.0f) * gust_octave(seed, doubled, axis + 3u);
}

/* 1 if strength and period of gusts are within their ranges. */
static int are_gusts(cloth_vector strength, float period) {
  return in_range(strength.x, 0.0f, GUST_MAX_STRENGTH) && in_range(strength.y, 0.0f, GUST_MAX_STRENGTH) &&
         in_range(strength.z, 0.0f, GUST_MAX_STRENGTH) && in_range(period, GUST_MIN_PERIOD, GUST_MAX_PERIOD);
}

/* Wind of the next step, gusts included [m/s]. */
static cloth_vector wind_of(const cloth *c) {
  const cloth_inputs *inputs = inputs_of(c);
  if (inputs->gust_period == 0.0f) {
    return inputs->wind;
  }
  cloth_vector gust = inputs->gust_strength;
  gust.x *= gust_noise(inputs->gust_seed, inputs->gust_phase, 0);
  gust.y *= gust_noise(inputs->gust_seed, inputs->gust_phase, 1);
  gust.z *= gust_noise(inputs->gust_seed, inputs->gust_phase, 2);
  return vector_flush(vector_add(inputs->wind, gust), STATE_QUANTUM);
}

/* Moves the gusts on by a time [s], rounded to 2^-31 periods. In fixed point a late position is as exact as an early
   one. */
static void advance_gusts(cloth_inputs *inputs, float time) {
  if (inputs->gust_period > 0.0f) {
    float periods = time / inputs->gust_period;
    int32_t whole = (int32_t)periods;
    uint32_t part = 2u * (uint32_t)(int32_t)((periods - (float)whole) * 2147483648.0f + 0.5f); /* 2^31 */
    uint32_t before = inputs->gust_phase[1];
    inputs->gust_phase[1] = before + part;
    inputs->gust_phase[0] += (uint32_t)whole + (inputs->gust_phase[1] < before);
  }
}

#else

static cloth_vector wind_of(const cloth *c) {
  return inputs_of(c)->wind;
}

#endif

/* Left and right neighbours of a row's first and last particle, and the cells between particle and neighbour: across
   the seam of a wrapped sheet the other end, 1 cell away; else the particle itself, 0 cells away. */
typedef struct row_ends {
  cloth_vector left, right;
  float cells;
} row_ends;

CLOTH_ONCE row_ends row_ends_at(const cloth *c, vector_array x, int32_t row) {
  row_ends ends;
  ends.left = vector_load(x, row * c->grid.columns);
  ends.right = vector_load(x, row * c->grid.columns + c->grid.columns - 1);
  ends.cells = 0.0f;
  if (is_wrapped(c)) {
    cloth_vector first = ends.left;
    ends.left = ends.right;
    ends.right = first;
    ends.cells = 1.0f;
  }
  return ends;
}

/*
 * Area vectors of a block of particles [m^2]: normal times area, the cross product of central differences along weft
 * and warp, one-sided at edges. All particles stand for the same area at rest, `share` of a cell (cells over
 * particles), as they have the same mass: a flat sheet then falls flat.
 */
CLOTH_INLINE lanes3 area_vectors(const cloth *c, vector_array x, const row_ends *ends, int32_t column, int32_t row) {
  int32_t i = row * c->grid.columns + column;
  int32_t above = row > 0 ? 1 : 0;
  int32_t below = row < c->grid.rows - 1 ? 1 : 0;
  lanes one = lanes_splat(1.0f);
  lanes beyond = lanes_splat(ends->cells);
  lanes_mask leftmost = lanes_first(column == 0 ? 1 : 0);
  lanes_mask has_right = lanes_first(c->grid.columns - 1 - column);
  lanes3 left = lanes3_select(leftmost, lanes3_splat(ends->left), lanes3_load(x, i - 1));
  lanes3 right = lanes3_select(has_right, lanes3_load(x, i + 1), lanes3_splat(ends->right));
  lanes3 up = lanes3_load(x, i - above * c->grid.columns);
  lanes3 along_weft = lanes3_flush(lanes3_subtract(lanes3_load(x, i + below * c->grid.columns), up));
  lanes width = lanes_add(lanes_select(leftmost, beyond, one), lanes_select(has_right, one, beyond));
  lanes cells = lanes_multiply(lanes_maximum(width, one), lanes_splat((float)(above + below)));
  lanes share = lanes_splat((float)(cells_along_warp(c) * (c->grid.rows - 1)) / (float)c->count);
  lanes3 crossed = lanes3_cross(lanes3_flush(lanes3_subtract(right, left)), along_weft);
  return lanes3_scale(crossed, lanes_divide(share, cells));
}

/* Area [m^2] and relative speed [m/s] up to which there is no force: they bound the divisors below away from 0. */
#define AIR_MIN_AREA 1.0e-12f
#define AIR_MIN_SPEED 1.0e-6f
/* Largest 1/2 rho A h / m. The bound on the velocity change takes effect long before; this keeps the square of the
   change finite until then. */
#define AIR_MAX_STRENGTH 1.0e6f

/*
 * Velocity change by the air, for area vectors a and velocities v relative to the wind; n is the unit vector of a:
 *     drag         -1/2 rho cd |a.v| v (thesis eq. 3.17)
 *     lift         -1/2 rho cl (a.v) (|v| n - (n.v) v / |v|), perpendicular to v
 *     normal drag  -1/2 rho cn |v| (a.v) n
 * The change is shortened to half the relative speed, which keeps the explicit step stable.
 */
CLOTH_INLINE lanes3 air_change(const cloth *c, lanes3 a, lanes3 v, lanes h_over_mass) {
  lanes one = lanes_splat(1.0f);
  lanes area = lanes3_length(a);
  lanes speed = lanes3_length(v);
  lanes_mask acts =
      lanes_both(lanes_less(lanes_splat(AIR_MIN_AREA), area), lanes_less(lanes_splat(AIR_MIN_SPEED), speed));
  area = lanes_maximum(area, lanes_splat(AIR_MIN_AREA));
  speed = lanes_maximum(speed, lanes_splat(AIR_MIN_SPEED));
  lanes3 n = lanes3_flush(lanes3_scale(a, lanes_divide(one, area)));
  lanes normal_speed = lanes_flush(lanes3_dot(n, v));
  lanes strength = lanes_multiply(lanes_multiply(lanes_splat(0.5f * c->settings.air.density), area), h_over_mass);
  strength = lanes_minimum(lanes_flush(strength), lanes_splat(AIR_MAX_STRENGTH));
  lanes drag = lanes_flush(lanes_multiply(lanes_splat(c->settings.air.drag), lanes_absolute(normal_speed)));
  lanes lift = lanes_flush(lanes_multiply(lanes_splat(c->settings.air.lift), normal_speed));
  lanes3 lift_axis = lanes3_subtract(lanes3_scale(n, speed), lanes3_scale(v, lanes_divide(normal_speed, speed)));
  lanes3 force = lanes3_add_scaled(lanes3_scale(v, drag), lanes3_flush(lift_axis), lift);
  lanes normal_drag =
      lanes_flush(lanes_multiply(lanes_multiply(lanes_splat(c->settings.air.normal_drag), speed), normal_speed));
  force = lanes3_add_scaled(force, n, normal_drag);
  lanes3 change = lanes3_flush(lanes3_scale(lanes3_flush(force), strength));
  lanes size = lanes3_length(change);
  lanes max_size = lanes_multiply(lanes_splat(0.5f), speed);
  lanes divisor = lanes_maximum(size, lanes_splat(STATE_QUANTUM));
  lanes kept = lanes_select(lanes_less(max_size, size), lanes_divide(max_size, divisor), one);
  return lanes3_keep(acts, lanes3_scale(change, lanes_negate(kept)));
}

/* Adds the velocity changes by the air times the mass ratio to `change`. */
CLOTH_HOT static void add_air(const cloth *c, const step_plan *plan, vector_array change) {
  vector_array x = evaluation_positions(c, plan);
  vector_array v = vectors_at(c, c->state.velocity);
  lanes3 wind = lanes3_splat(wind_of(c));
  lanes h_over_mass = lanes_splat(plan->h / reference_mass(c));
  for (int32_t row = 0; row < c->grid.rows; row++) {
    row_ends ends = row_ends_at(c, x, row);
    for (int32_t column = 0; column < c->grid.columns; column += CLOTH_LANES) {
      int32_t i = row * c->grid.columns + column;
      lanes mass = mass_ratio_lanes(c, i);
      lanes3 relative = lanes3_subtract(lanes3_load(v, i), wind);
      lanes3 air = air_change(c, area_vectors(c, x, &ends, column, row), relative, lanes_divide(h_over_mass, mass));
      lanes3_store(change, i, lanes3_add_scaled(lanes3_load(change, i), air, mass), c->grid.columns - column);
    }
  }
}
