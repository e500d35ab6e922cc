#pragma once
#include "../access.h"
#include "../base/rows.h"
#include "../compiler.h"
#include "../gaps.h"
#include "../rest_lengths.h"
#include "../solve/arrays.h"
#include "../types.h"

/// Links ///

/*
 * What tells single springs, hinges and cells from those of a plain rectangle: maps of stiffness, masks, torn threads,
 * pre-shaped pieces. Each has a factor on the stiffness of its family, 0 if it is not there, and springs one on their
 * rest length. A spring takes the mean of the map at its ends, a hinge its value at the middle, a twist the mean over
 * its cell.
 *
 * Springs are found at the particle where they start: along the warp to the next column, along the weft to the next
 * row, the diagonal to the next column of the next row, the antidiagonal to the column before in it.
 *
 * In: maps, gaps, shape factors. Out: factors. Scratch: none.
 */

/* 1 if a cloth may have such factors. */
static int has_factors(const cloth *c) {
  return c->scratch.factors != 0;
}

static float map_at(const cloth *c, int32_t particle) {
  return c->constant.stiffness_map ? floats_at(c, c->constant.stiffness_map)[particle] : 1.0f;
}

/* The particle so many rows and columns from one; -1 if there is none. Tubes close. */
static int32_t particle_from(const cloth *c, int32_t row, int32_t column) {
  const int32_t columns = c->grid.columns;
  if (is_wrapped(c)) {
    column = (column + columns) % columns;
  }
  return row >= 0 && row < c->grid.rows && column >= 0 && column < columns ? row * columns + column : -1;
}

/* The factor on the stiffness of the spring of direction d that starts at a particle. */
static float spring_factor(const cloth *c, int32_t row, int32_t column, int32_t d) {
  const int32_t i = particle_from(c, row, column);
  const int32_t right = d == WARP || d == DIAGONAL ? 1 : d == ANTIDIAGONAL ? -1 : 0;
  const int32_t j = particle_from(c, row + (d != WARP), column + right);
  const int32_t owner = d == ANTIDIAGONAL ? particle_from(c, row, column - 1) : i;
  if (j < 0 || is_gap(c, owner, spring_gap(d))) {
    return 0.0f;
  }
  const float shape = d <= WEFT && has_gaps(c) ? shape_factor(c, REST_STIFFNESS + d, i) : 1.0f;
  return 0.5f * (map_at(c, i) + map_at(c, j)) * shape;
}

static float length_factor(const cloth *c, int32_t particle, int32_t d) {
  return has_gaps(c) ? shape_factor(c, REST_LENGTH + d, particle) : 1.0f;
}

/* The factor on the hinge whose middle is a particle, along warp or weft; 0 where there is none. */
static float hinge_factor_at(const cloth *c, int32_t row, int32_t column, int32_t d) {
  const int32_t i = particle_from(c, row, column), down = d == WEFT, right = d == WARP;
  if (i < 0 || particle_from(c, row - down, column - right) < 0 || particle_from(c, row + down, column + right) < 0 ||
      is_gap(c, i, d == WARP ? GAP_HINGE_WARP : GAP_HINGE_WEFT)) {
    return 0.0f;
  }
  return map_at(c, i) * (has_gaps(c) ? shape_factor(c, REST_HINGE + d, i) : 1.0f);
}

/* The factor on the twist of the cell that starts at a particle; 0 where there is none. */
static float twist_factor_at(const cloth *c, int32_t row, int32_t column) {
  const int32_t corners[4] = {particle_from(c, row, column), particle_from(c, row, column + 1),
                              particle_from(c, row + 1, column), particle_from(c, row + 1, column + 1)};
  float sum = 0.0f;
  for (int32_t n = 0; n < 4; n++) {
    if (corners[n] < 0) {
      return 0.0f;
    }
    sum += 0.25f * map_at(c, corners[n]);
  }
  if (is_gap(c, corners[0], GAP_CELL)) {
    return 0.0f;
  }
  return sum * (has_gaps(c) ? shape_factor(c, REST_TWIST, corners[0]) : 1.0f);
}

/* What the plate puts on the diagonal of a particle, over kappa_2. */
static float plate_factor_at(const cloth *c, int32_t row, int32_t column) {
  const float u = c->grid.spacing_warp, v = c->grid.spacing_weft;
  const float weights[2] = {v * v / (2.0f * u * u), u * u / (2.0f * v * v)}; /* kappa_u, kappa_v over kappa_2 */
  float sum = 0.0f;
  for (int32_t d = WARP; d <= WEFT; d++) {
    const int32_t down = d == WEFT, right = d == WARP;
    sum += weights[d] * (4.0f * hinge_factor_at(c, row, column, d) + hinge_factor_at(c, row - down, column - right, d) +
                         hinge_factor_at(c, row + down, column + right, d));
  }
  for (int32_t n = 0; n < 4; n++) {
    sum += twist_factor_at(c, row - n / 2, column - n % 2);
  }
  return sum;
}

/* Fills the factors, 0 in the places behind the rows. */
CLOTH_SEPARATE void fill_factors(const cloth *c, const solve_arrays *a) {
  for (int32_t row = 0; row < a->rows; row++) {
    for (int32_t column = 0; column < a->pitch; column++) {
      const int32_t place = row * a->pitch + column, is_there = column < a->columns;
      const int32_t i = row * a->columns + column;
      for (int32_t d = 0; d < DIRECTIONS; d++) {
        *own_at(a->factors, FACTOR_FLOATS, place, FACTOR_STIFFNESS + d) =
            is_there ? spring_factor(c, row, column, d) : 0.0f;
        *own_at(a->factors, FACTOR_FLOATS, place, FACTOR_LENGTH + d) = is_there ? length_factor(c, i, d) : 1.0f;
      }
      for (int32_t d = WARP; d <= WEFT; d++) {
        *own_at(a->factors, FACTOR_FLOATS, place, FACTOR_HINGE + d) =
            is_there ? hinge_factor_at(c, row, column, d) : 0.0f;
      }
      *own_at(a->factors, FACTOR_FLOATS, place, FACTOR_TWIST) = is_there ? twist_factor_at(c, row, column) : 0.0f;
      *own_at(a->factors, FACTOR_FLOATS, place, FACTOR_PLATE) = is_there ? plate_factor_at(c, row, column) : 0.0f;
    }
  }
}
