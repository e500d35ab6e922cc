#pragma once
#include "access.h"
#include "compiler.h"
#include "hash.h"
#include "lanes.h"
#include "scalar.h"
#include "types.h"

/// Air ///

#if WITH_AIR

/* One of the octaves of gusts: a smooth way between random numbers, -1..1, that stand where place is whole. Its whole
   part is place[0], and 2^-32 of it place[1]. */
static float gust_corner(uint32_t seed, uint32_t place, uint32_t axis) {
  uint64_t mixed = hash_mix(hash_mix(hash_mix(HASH_FACTOR, seed), place), axis);
  return (float)((int32_t)(mixed >> 40) - 0x800000) * (1.0f / 8388608.0f);
}

static float gust_between(uint32_t seed, const uint32_t place[2], uint32_t axis) {
  float t = (float)(int32_t)(place[1] >> 8) * (1.0f / 16777216.0f);
  float from = gust_corner(seed, place[0], axis);
  float to = gust_corner(seed, place[0] + 1u, axis);
  return from + (to - from) * (t * t * (3.0f - 2.0f * t));
}

/* Two octaves: gusts, and half as strong ones of half the length, which start where the others are under way. */
static float gust_of(uint32_t seed, const uint32_t place[2], uint32_t axis) {
  uint32_t finer[2] = {2u * place[0] + (place[1] >> 31), 2u * place[1]};
  return (2.0f / 3.0f) * gust_between(seed, place, axis) + (1.0f / 3.0f) * gust_between(seed, finer, axis + 3u);
}

/* Can gusts be so strong and so long? */
static int are_gusts(cloth_vector strength, float period) {
  return in_range(strength.x, 0.0f, 1.0e3f) && in_range(strength.y, 0.0f, 1.0e3f) &&
         in_range(strength.z, 0.0f, 1.0e3f) && in_range(period, 0.02f, 1.0e3f);
}

static cloth_vector wind_of(const cloth *c) {
  const cloth_inputs *inputs = inputs_of(c);
  if (inputs->gust_period == 0.0f) {
    return inputs->wind;
  }
  cloth_vector gust = inputs->gust_strength;
  gust.x *= gust_of(inputs->gust_seed, inputs->gust_place, 0);
  gust.y *= gust_of(inputs->gust_seed, inputs->gust_place, 1);
  gust.z *= gust_of(inputs->gust_seed, inputs->gust_place, 2);
  return vector_flush(vector_add(inputs->wind, gust), STATE_QUANTUM);
}

/* The gusts go on by a time, to 2^-31 of a period: a place in integers never gets less exact. */
static void advance_gusts(cloth_inputs *inputs, float time) {
  if (inputs->gust_period > 0.0f) {
    float way = time / inputs->gust_period;
    int32_t whole = (int32_t)way;
    uint32_t part = 2u * (uint32_t)(int32_t)((way - (float)whole) * 2147483648.0f + 0.5f);
    uint32_t before = inputs->gust_place[1];
    inputs->gust_place[1] = before + part;
    inputs->gust_place[0] += (uint32_t)whole + (inputs->gust_place[1] < before);
  }
}

#endif

#if !WITH_AIR

static cloth_vector wind_of(const cloth *c) {
  return inputs_of(c)->wind;
}

#endif

/* What lies beyond the ends of a row, and how many cells lead there: the ends themselves, or those on the other side of
   a seam. */
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

/* Area vectors of the pieces of cloth that belong to particles: their normals times their areas. As all particles have
   the same mass they stand for the same area, a cell's less what the edge lacks; a flat sheet then falls flat.
   Differences reach one cell to each side, or to one side only on an edge. */
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

/*
 * Force of the air on pieces of cloth with area vectors a moving at v against it: drag -1/2 rho cd |a.v| v
 * (thesis eq. 3.17), lift -1/2 rho cl (a.v)(|v| n - (n.v) v / |v|), perpendicular to v, and normal drag
 * -1/2 rho cn |v| (a.v) n. The velocity it takes away in a substep is at most half the relative one, which keeps the
 * explicit step stable.
 */
CLOTH_INLINE lanes3 air_change(const cloth *c, lanes3 a, lanes3 v, lanes h_over_mass) {
  lanes one = lanes_splat(1.0f);
  lanes area = lanes3_length(a);
  lanes speed = lanes3_length(v);
  lanes_mask acts = lanes_both(lanes_less(lanes_splat(1.0e-12f), area), lanes_less(lanes_splat(1.0e-6f), speed));
  area = lanes_maximum(area, lanes_splat(1.0e-12f));
  speed = lanes_maximum(speed, lanes_splat(1.0e-6f));
  lanes3 n = lanes3_flush(lanes3_scale(a, lanes_divide(one, area)));
  lanes into = lanes_flush(lanes3_dot(n, v));
  /* Where it is cut off, and long before, the bound below decides: its square must stay finite. */
  lanes strength = lanes_multiply(lanes_multiply(lanes_splat(0.5f * c->settings.air.density), area), h_over_mass);
  strength = lanes_minimum(lanes_flush(strength), lanes_splat(1.0e6f));
  lanes along = lanes_flush(lanes_multiply(lanes_splat(c->settings.air.drag), lanes_absolute(into)));
  lanes across = lanes_flush(lanes_multiply(lanes_splat(c->settings.air.lift), into));
  lanes3 lift_axis = lanes3_subtract(lanes3_scale(n, speed), lanes3_scale(v, lanes_divide(into, speed)));
  lanes3 force = lanes3_add_scaled(lanes3_scale(v, along), lanes3_flush(lift_axis), across);
  lanes aside = lanes_flush(lanes_multiply(lanes_multiply(lanes_splat(c->settings.air.normal_drag), speed), into));
  force = lanes3_add_scaled(force, n, aside);
  lanes3 change = lanes3_flush(lanes3_scale(lanes3_flush(force), strength));
  lanes size = lanes3_length(change);
  lanes most = lanes_multiply(lanes_splat(0.5f), speed);
  lanes least = lanes_maximum(size, lanes_splat(STATE_QUANTUM));
  lanes held = lanes_select(lanes_less(most, size), lanes_divide(most, least), one);
  return lanes3_keep(acts, lanes3_scale(change, lanes_subtract(lanes_splat(0.0f), held)));
}

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
