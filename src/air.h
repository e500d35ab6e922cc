#pragma once
#include "access.h"
#include "compiler.h"
#include "gaps.h"
#include "hash.h"
#include "lanes.h"
#include "scalar.h"
#include "types.h"

/// Air ///

/*
 * Air: the wind with its gusts, the area vectors of the sheet, and the force of the air on particles, drag after thesis
 * eq. 3.17, with lift and drag along the normal beside it.
 *
 * In: inputs.wind and inputs.gust_*, settings.air, positions and velocities, mass ratios. The areas are those at the
 * substep's start also where the step extrapolates: the force depends little on them. Out: velocity changes, returned
 * to predict_in_air() or, times the mass ratio, added to the caller's vectors (scratch.residual, from
 * evaluate_forces()); advance_gusts() moves inputs.gust_phase. Scratch: none.
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

/* The neighbours of the particles of a row, and the area that a particle stands for. */
typedef struct row_neighbours {
  int32_t first, columns;   /* first particle of the row; particles of a row */
  int32_t up, down;         /* from a particle to its neighbours in the column; 0 where there is none */
  cloth_vector left, right; /* neighbours of the row's first and last particle: across the seam of a tube the other end,
                               else the particle itself */
  float share, end_share;   /* area of a particle over the product of the distances between its neighbours: inside the
                               row, and at its ends */
} row_neighbours;

CLOTH_ONCE row_neighbours row_neighbours_at(const cloth *c, vector_array x, int32_t row) {
  const int32_t columns = c->grid.columns;
  row_neighbours n;
  n.first = row * columns;
  n.columns = columns;
  n.up = row > 0 ? 0 - columns : 0;
  n.down = row < c->grid.rows - 1 ? columns : 0;
  n.left = vector_load(x, n.first);
  n.right = vector_load(x, n.first + columns - 1);
  n.share = (float)(cells_along_warp(c) * (c->grid.rows - 1)) / (float)c->count;
  n.share *= n.up && n.down ? 0.25f : 0.5f;
  n.end_share = 2.0f * n.share;
  if (is_wrapped(c)) {
    cloth_vector first = n.left;
    n.left = n.right;
    n.right = first;
    n.end_share = n.share;
  }
  return n;
}

#if WITH_GAPS

/* The vector between the neighbours of a particle along warp or weft, between which there are springs, and what makes
   it one of two cells. */
static cloth_vector between_neighbours(const cloth *c, vector_array x, int32_t i, int32_t d) {
  const int32_t columns = c->grid.columns, row = i / columns, column = i - row * columns;
  const int32_t around = is_wrapped(c) ? columns : 0;
  const int32_t before = d == WEFT ? i - columns : column > 0 ? i - 1 : i - 1 + around;
  const int32_t after = d == WEFT ? i + columns : column + 1 < columns ? i + 1 : i + 1 - around;
  const int has_before = (d == WEFT ? row > 0 : column > 0 || around) && !is_gap(c, before, spring_gap(d));
  const int has_after =
      (d == WEFT ? row + 1 < c->grid.rows : column + 1 < columns || around) && !is_gap(c, i, spring_gap(d));
  const cloth_vector way =
      vector_subtract(vector_load(x, has_after ? after : i), vector_load(x, has_before ? before : i));
  return vector_scale(way, has_before && has_after ? 0.5f : 1.0f);
}

/* area_vectors() beside gaps, of `left` particles from particle `i` on: one without a neighbour lies at an edge. */
CLOTH_SEPARATE lanes3 area_vectors_at_gaps(const cloth *c, vector_array x, int32_t i, int32_t left) {
  const float share = (float)gap_summary_of(c)->cells / (float)particles_of(c); /* of an area */
  float value[2][3][CLOTH_LANES];
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    for (int32_t d = WARP; d <= WEFT; d++) {
      const cloth_vector way = between_neighbours(c, x, lane < left ? i + lane : i, d);
      value[d][0][lane] = way.x;
      value[d][1][lane] = way.y;
      value[d][2][lane] = way.z;
    }
  }
  const lanes3 along_warp = lanes3_of(lanes_load(value[0][0]), lanes_load(value[0][1]), lanes_load(value[0][2]));
  const lanes3 along_weft = lanes3_of(lanes_load(value[1][0]), lanes_load(value[1][1]), lanes_load(value[1][2]));
  return lanes3_scale(lanes3_cross(along_warp, along_weft), lanes_splat(share));
}

#endif

/*
 * Area vectors of a block of particles [m^2]: normal times area, the cross product of central differences along weft
 * and warp, one-sided at edges. All particles stand for the same area at rest, that of all cells over the number of
 * particles, as they have the same mass: a flat sheet then falls flat. Positions of the state differ by 0 or by at
 * least 2^-53 m, so that no product is subnormal. `gapped`: of gapped_cloth().
 */
CLOTH_INLINE lanes3 area_vectors(const row_neighbours *n, vector_array x, int32_t column, const cloth *gapped) {
  (void)gapped;
#if WITH_GAPS
  if (gapped) {
    return area_vectors_at_gaps(gapped, x, n->first + column, n->columns - column);
  }
#endif
  const int32_t i = n->first + column, after = n->columns - 1 - column; /* particles after this one */
  lanes3 left = lanes3_load(x, i - 1), right = lanes3_load(x, i + 1);
  lanes share = lanes_splat(n->share);
  if (column == 0 || after < CLOTH_LANES) {
    const lanes_mask leftmost = lanes_first(column == 0 ? 1 : 0), has_right = lanes_first(after);
    const lanes end_share = lanes_splat(n->end_share);
    left = lanes3_select(leftmost, lanes3_splat(n->left), left);
    right = lanes3_select(has_right, right, lanes3_splat(n->right));
    share = lanes_select(has_right, lanes_select(leftmost, end_share, share), end_share);
  }
  lanes3 along_weft = lanes3_subtract(lanes3_load(x, i + n->down), lanes3_load(x, i + n->up));
  return lanes3_scale(lanes3_cross(lanes3_subtract(right, left), along_weft), share);
}

/* What the force of the air depends on beside a particle's area and velocity. */
typedef struct air_flow {
  cloth_vector wind;        /* [m/s] */
  float normal, drag, lift; /* 1/2 rho h / m0 [1/m^2] times cn + cl, cd and cl */
  int32_t is_along;         /* 1 if drag or lift is above 0 */
} air_flow;

/* Smallest product of area and speed along the normal [m^3/s], 2^-60: smaller ones count as 0. */
#define AIR_MIN_FLOW 8.673617379884035e-19f
/* Bounds of squared areas [m^4], 2^-80 and 2^46, and the smallest divisor among squared speeds [m^2/s^2]: with them no
   quotient below is subnormal or infinite. */
#define AIR_MIN_SQUARE 8.271806125530277e-25f
#define AIR_MAX_SQUARE 7.0368744177664e13f
/* Largest share of its velocity along the sheet that lift adds in a substep. */
#define AIR_MAX_LIFT 0.5f

/* Share of the velocity v that drag takes in a substep, less what lift adds to it: 1/2 rho h / m |a.v| (cd - cl |cos|),
   with the cosine of the angle between a and v. `ratio`: |v| / |a|. At most 1. */
CLOTH_INLINE lanes air_along(const air_flow *air, lanes flow, lanes square, lanes ratio, lanes weight) {
  lanes size = lanes_absolute(flow);
  lanes cosine = lanes_divide(lanes_flush_below(lanes_multiply(size, ratio), AIR_MIN_FLOW),
                              lanes_maximum(square, lanes_splat(AIR_MIN_SQUARE)));
  cosine = lanes_quantise(lanes_minimum(cosine, lanes_splat(1.0f)), STATE_ROUNDER);
  lanes along = lanes_subtract(lanes_splat(air->drag), lanes_multiply(lanes_splat(air->lift), cosine));
  along = lanes_multiply(lanes_multiply(lanes_quantise(along, WORK_ROUNDER), weight), size);
  along = lanes_maximum(along, lanes_splat(-AIR_MAX_LIFT));
  return lanes_quantise(lanes_minimum(along, lanes_splat(1.0f)), WORK_ROUNDER);
}

/*
 * Velocity change of a particle by the air in a substep, for the area vector a and the velocity v relative to the wind;
 * n is the unit vector of a, and `weight` the reference mass over the particle's:
 *     normal drag  -1/2 rho cn |v| (a.v) n
 *     drag         -1/2 rho cd |a.v| v (thesis eq. 3.17)
 *     lift         -1/2 rho cl (a.v) (|v| n - (n.v) v / |v|), perpendicular to v
 * Together they are -g (a.v) a - b v, with g = 1/2 rho (cn + cl) |v| / |a| and b as air_along() computes it. The step
 * is explicit: a light sheet in a fast wind would overshoot. So g is at most (1 - b) / a^2. The velocity along the
 * normal then falls to 0 at most and is never reversed.
 */
CLOTH_INLINE lanes3 air_change(const air_flow *air, lanes3 a, lanes3 v, lanes weight) {
  const lanes min_square = lanes_splat(AIR_MIN_SQUARE), one = lanes_splat(1.0f);
  a = lanes3_quantise(a, WORK_ROUNDER);
  v = lanes3_quantise(lanes3_subtract(v, lanes3_splat(air->wind)), WORK_ROUNDER);
  lanes area = lanes_minimum(lanes_maximum(lanes3_dot(a, a), min_square), lanes_splat(AIR_MAX_SQUARE));
  lanes inverse = lanes_divide(one, area);
  lanes square = lanes3_dot(v, v);
  lanes ratio = lanes_square_root(lanes_multiply(square, inverse));
  lanes flow = lanes_flush_below(lanes3_dot(a, v), AIR_MIN_FLOW);
  lanes across = lanes_multiply(lanes_multiply(lanes_splat(air->normal), weight), ratio);
  if (!air->is_along) {
    across = lanes_quantise(lanes_minimum(across, inverse), WORK_ROUNDER);
    return lanes3_scale(a, lanes_quantise(lanes_multiply(lanes_negate(flow), across), WORK_ROUNDER));
  }
  lanes along = air_along(air, flow, square, ratio, weight);
  across = lanes_minimum(across, lanes_multiply(lanes_subtract(one, along), inverse));
  lanes push = lanes_multiply(lanes_negate(flow), lanes_quantise(across, WORK_ROUNDER));
  return lanes3_add_scaled(lanes3_scale(a, lanes_quantise(push, WORK_ROUNDER)), v, lanes_negate(along));
}
