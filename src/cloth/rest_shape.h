#pragma once
#include "gaps.h"
#include "placement.h"

/// Making pre-shaped pieces ///

/*
 * The factors of gaps.h from grid.rest_positions. A spring is as long at rest as its ends are apart there. The
 * grid has as its spacings and diagonals the means L over all springs of a direction, with W the mean across. With the
 * length l of a spring and the mean area A of the cells beside it or around a particle the factors are
 *
 *     stretch   (A / l^2) / (W / L)         a strip of area A and length l has the width A / l
 *     hinges    (A / l^4) / (W / L^3)       l: mean of both springs of the hinge
 *     twist     L W / A                     A: area of the cell
 *     mass      A over its mean             so that all weigh together what the area weighs
 *
 * Hinges bend from straight lines: the curvature at rest is 0 whatever the positions.
 *
 * In: a config. Out: its faults; constants of the arena, and the means of the grid. Scratch: none.
 */

/* The column of a particle that may lie beyond the last one; -1 beyond a border. */
static int32_t column_within(const cloth_config *config, int32_t column) {
  if (is_tube(config)) {
    return column < 0 ? column + config->columns : column >= config->columns ? column - config->columns : column;
  }
  return column < config->columns ? column : -1;
}

static uint32_t rest_shape_bytes(const cloth_config *config) {
  const uint32_t floats = (uint32_t)(config->columns * config->rows + LANE_PAD);
  return config->grid.rest_positions ? (uint32_t)sizeof(rest_bounds) + REST_ARRAYS * floats * 4u : 0u;
}

/* Is a cell part of the grid, and not left out by the mask? */
static int is_cell_kept(const cloth_config *config, int32_t column, int32_t row) {
  const int32_t cells = config->columns - !is_tube(config), place = column_within(config, column);
  if (place < 0 || place >= cells || row < 0 || row + 1 >= config->rows) { return 0; }
  return !WITH_MASK || !config->grid.cell_mask || config->grid.cell_mask[row * cells + place];
}

static int has_kept_cell(const cloth_config *config, int32_t column, int32_t row) {
  return is_cell_kept(config, column, row) || is_cell_kept(config, column - 1, row) ||
         is_cell_kept(config, column, row - 1) || is_cell_kept(config, column - 1, row - 1);
}

/* Least and largest length of a spring over its direction's mean, and least area of a cell over that of mean sides. */
#define LEAST_REST_RATIO 0.25f
#define MOST_REST_RATIO 4.0f
#define LEAST_REST_AREA 0.1f

static cloth_vector rest_point(const cloth_config *config, int32_t column, int32_t row) {
  return vector_flush_state(config->grid.rest_positions[row * config->columns + column_within(config, column)]);
}

static cloth_vector rest_vector(const cloth_config *config, int32_t column, int32_t row, int32_t to_column,
                                int32_t to_row) {
  return vector_flush_state(vector_subtract(rest_point(config, to_column, to_row), rest_point(config, column, row)));
}

/* Is there a spring of a direction that starts at a particle, beside a cell that is kept? */
static int has_rest_spring(const cloth_config *config, int32_t d, int32_t column, int32_t row) {
  if (column < 0) { return 0; }
  if (d == WARP || d == WEFT) {
    const int along = d == WARP;
    return is_cell_kept(config, column, row) || is_cell_kept(config, column - !along, row - along);
  }
  return is_cell_kept(config, d == DIAGONAL ? column : column - 1, row);
}

/* Length at rest of the spring of a direction that starts at a particle [m]; 0 if there is none. */
static float rest_spring(const cloth_config *config, int32_t d, int32_t column, int32_t row) {
  CLOTH_CONSTANT static const int8_t across[DIRECTIONS] = {1, 0, 1, -1}, down[DIRECTIONS] = {0, 1, 1, 1};
  return has_rest_spring(config, d, column, row)
             ? vector_length(rest_vector(config, column, row, column + across[d], row + down[d]))
             : 0.0f;
}

/* Area at rest of the cell that begins at a particle [m^2]; 0 if there is none. */
static float rest_cell(const cloth_config *config, int32_t column, int32_t row) {
  return is_cell_kept(config, column, row)
             ? 0.5f * parallelogram_area(rest_vector(config, column, row, column + 1, row + 1),
                                         rest_vector(config, column + 1, row, column, row + 1))
             : 0.0f;
}

/* Mean of two areas of cells, or of the one that is not 0. */
static float mean_area(float a, float b) {
  return a > 0.0f && b > 0.0f ? 0.5f * (a + b) : a + b;
}

/* Mean area of the cells around a particle [m^2]. */
static float area_around(const cloth_config *config, int32_t column, int32_t row) {
  return mean_area(mean_area(rest_cell(config, column - 1, row - 1), rest_cell(config, column, row - 1)),
                   mean_area(rest_cell(config, column - 1, row), rest_cell(config, column, row)));
}

/// Faults ///

/* May a spring have a length, where those of its direction have this mean? */
static int is_rest_length(float length, float mean) {
  return in_range(length, maximum(MIN_SPACING, LEAST_REST_RATIO * mean), minimum(MAX_SPACING, MOST_REST_RATIO * mean));
}

static int is_rest_cell(const cloth_config *config, int32_t column, int32_t row) {
  const float u = 0.5f * (rest_spring(config, WARP, column, row) + rest_spring(config, WARP, column, row + 1));
  const float right = rest_spring(config, WEFT, column_within(config, column + 1), row);
  return rest_cell(config, column, row) >=
         LEAST_REST_AREA * u * 0.5f * (rest_spring(config, WEFT, column, row) + right);
}

typedef struct rest_sums {
  float length[DIRECTIONS]; /* mean of each direction [m] */
  float area;               /* of the cells that there are [m^2] */
  float share;              /* mean of area_around() of the particles that have a cell [m^2] */
} rest_sums;

/* Adds what the particles of a row add. `count`: of the springs of each direction, and of the particles. */
static void add_up_row(const cloth_config *config, int32_t row, rest_sums *sums, float count[DIRECTIONS + 1]) {
  rest_sums of_row;
  fill_zero(&of_row, sizeof of_row);
  for (int32_t column = 0; column < config->columns; column++) {
    for (int32_t d = 0; d < DIRECTIONS; d++) {
      const float length = rest_spring(config, d, column, row);
      of_row.length[d] += length;
      count[d] += length > 0.0f ? 1.0f : 0.0f;
    }
    of_row.area += rest_cell(config, column, row);
    if (has_kept_cell(config, column, row)) {
      of_row.share += area_around(config, column, row);
      count[DIRECTIONS] += 1.0f;
    }
  }
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    sums->length[d] += of_row.length[d];
  }
  sums->area += of_row.area;
  sums->share += of_row.share;
}

/* Adds up rows, as sums over all particles would lose digits. Without springs of a direction its length is 0. */
static rest_sums add_up_rest(const cloth_config *config) {
  rest_sums sums;
  float count[DIRECTIONS + 1] = {0.0f};
  fill_zero(&sums, sizeof sums);
  for (int32_t row = 0; row < config->rows; row++) {
    add_up_row(config, row, &sums, count);
  }
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    sums.length[d] /= maximum(count[d], 1.0f);
  }
  sums.share /= maximum(count[DIRECTIONS], 1.0f);
  return sums;
}

static int find_rest_fault(const cloth_config *config) {
  const int32_t count = config->columns * config->rows;
  if (!are_placed(config, config->grid.rest_positions)) { return CONFIG_FAULT(REST_POSITIONS); }
  if (!config->grid.rest_positions) { return 0; }
  const rest_sums sums = add_up_rest(config);
  for (int32_t i = 0; i < count; i++) {
    const int32_t row = i / config->columns, column = i - row * config->columns;
    for (int32_t d = 0; d < DIRECTIONS; d++) {
      if (has_rest_spring(config, d, column, row) &&
          !is_rest_length(rest_spring(config, d, column, row), sums.length[d])) {
        return CONFIG_FAULT(REST_LENGTHS);
      }
    }
    if (is_cell_kept(config, column, row) && !is_rest_cell(config, column, row)) { return CONFIG_FAULT(REST_LENGTHS); }
  }
  return 0;
}

/* The shortest spring along warp and weft [m]. */
static float shortest_rest_spring(const cloth_config *config) {
  float shortest = MAX_SPACING;
  for (int32_t i = 0; i < config->columns * config->rows; i++) {
    for (int32_t d = WARP; d <= WEFT; d++) {
      const float length = rest_spring(config, d, i % config->columns, i / config->columns);
      shortest = length > 0.0f ? minimum(shortest, length) : shortest;
    }
  }
  return shortest;
}

/// Factors ///

static float limited_factor(float value) {
  return minimum(maximum(value, 1.0f / MAX_MAP_FACTOR), MAX_MAP_FACTOR);
}

/* Factor on the mass of a particle, times that of the map; without a cell that of the map alone. */
static float shaped_mass(const cloth_config *config, const rest_sums *sums, int32_t column, int32_t row) {
  const float *map = config->grid.mass_map;
  const float own = map ? flush_work(map[row * config->columns + column]) : 1.0f;
  const float area = area_around(config, column, row);
  return area > 0.0f ? limited_factor(own * (area / sums->share)) : own;
}

/* Factor on the stiffness of the spring along warp or weft that starts at a particle; 1 if there is none. */
static float shaped_stiffness(const cloth_config *config, const rest_sums *sums, int32_t d, int32_t column,
                              int32_t row) {
  const float length = rest_spring(config, d, column, row);
  const float before = d == WARP ? rest_cell(config, column, row - 1) : rest_cell(config, column - 1, row);
  const float area = mean_area(before, rest_cell(config, column, row));
  const float ratio = sums->length[1 - d] / sums->length[d];
  return length > 0.0f ? limited_factor(area / (length * length) / ratio) : 1.0f;
}

/* Factor on the stiffness of the hinge at a particle along warp or weft; 1 if there is none. */
static float shaped_hinge(const cloth_config *config, const rest_sums *sums, int32_t d, int32_t column, int32_t row) {
  const int32_t before_column = d == WARP ? (column > 0 || !is_tube(config) ? column : config->columns) - 1 : column;
  const float before = rest_spring(config, d, before_column, d == WEFT ? row - 1 : row);
  const float after = rest_spring(config, d, column, row);
  const float u = 0.5f * (before + after) / sums->length[d];
  const float area = area_around(config, column, row) / (sums->length[WARP] * sums->length[WEFT]);
  return before > 0.0f && after > 0.0f ? limited_factor(area / (u * u * u * u)) : 1.0f;
}

/* Factor on the twist of the cell that begins at a particle; 1 if there is none. */
static float shaped_twist(const cloth_config *config, const rest_sums *sums, int32_t column, int32_t row) {
  const float area = rest_cell(config, column, row);
  return area > 0.0f ? limited_factor(sums->length[WARP] * sums->length[WEFT] / area) : 1.0f;
}

static void measure_shape(grid_shape *grid, const cloth_config *config) {
  const rest_sums sums = add_up_rest(config);
  grid->spacing_warp = sums.length[WARP];
  grid->spacing_weft = sums.length[WEFT];
  grid->diagonal = sums.length[DIAGONAL];
  grid->antidiagonal = sums.length[ANTIDIAGONAL];
  grid->area = sums.area;
}

/* What the extremes of maps become with those of the shape. */
static void measure_shape_factors(cloth *c, const cloth_config *config) {
  const rest_sums sums = add_up_rest(config);
  float least = MAX_MAP_FACTOR, most = 0.0f, lightest = MAX_MAP_FACTOR, heaviest = 0.0f;
  for (int32_t i = 0; i < config->columns * config->rows; i++) {
    const int32_t row = i / config->columns, column = i - row * config->columns;
    const float mass = shaped_mass(config, &sums, column, row);
    lightest = minimum(lightest, mass);
    heaviest = maximum(heaviest, mass);
    for (int32_t d = WARP; d <= WEFT; d++) {
      const float stiffness = shaped_stiffness(config, &sums, d, column, row);
      least = minimum(least, minimum(stiffness, 1.0f)); /* springs of shear have none */
      most = maximum(most, maximum(stiffness, 1.0f));
    }
  }
  c->settings.factors.min_mass_ratio = lightest;
  c->settings.factors.max_mass_ratio = heaviest;
  c->settings.factors.min_stiffness *= least;
  c->settings.factors.max_stiffness *= most;
}

static void shape_particle(const cloth *c, const cloth_config *config, const rest_sums *sums, int32_t i) {
  const int32_t row = i / config->columns, column = i - row * config->columns;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    const float length = rest_spring(config, d, column, row);
    rest_array(c, REST_LENGTH + d)[i] = length > 0.0f ? length / sums->length[d] : 1.0f;
  }
  for (int32_t d = WARP; d <= WEFT; d++) {
    rest_array(c, REST_STIFFNESS + d)[i] = shaped_stiffness(config, sums, d, column, row);
    rest_array(c, REST_HINGE + d)[i] = shaped_hinge(config, sums, d, column, row);
  }
  rest_array(c, REST_TWIST)[i] = shaped_twist(config, sums, column, row);
  floats_at(c, c->constant.mass_ratio)[i] = shaped_mass(config, sums, column, row);
}

/* The lean of the cell that begins at a particle: cosine of the angle between its sides, over the longest ones. */
static float lean_of_cell(const cloth *c, int32_t i, const float most[2]) {
  const int32_t row = i / c->grid.columns;
  const int32_t right = (i + 1) % c->grid.columns ? i + 1 : i + 1 - c->grid.columns;
  if ((!is_wrapped(c) && right < i) || row + 1 == c->grid.rows) { return 0.0f; }
  const float down = rest_array(c, REST_LENGTH + DIAGONAL)[i] * c->grid.diagonal;
  const float up = rest_array(c, REST_LENGTH + ANTIDIAGONAL)[right] * c->grid.antidiagonal;
  const float lean = 0.25f * (down * down - up * up);
  const float sides = most[WARP] * c->grid.spacing_warp * (most[WEFT] * c->grid.spacing_weft);
  return maximum(lean, negate(lean)) / sides;
}

/* Share with which the lean of cells counts along the weft, in which most pieces hang; 1 over that along the warp. */
#define LEAN_SHARE 0.125f

/* Tethers may not be shorter than the way over the piece. With the longest sides U and V of cells and the largest lean
   c a way over u columns and v rows is at most the root of U^2 u^2 + 2 c U V u v + V^2 v^2 <= (1 + c / e) U^2 u^2 + (1
   + c e) V^2 v^2, for any e. */
static void bound_shape(const cloth *c) {
  rest_bounds *b = rest_bounds_of(c);
  float most[2] = {0.0f, 0.0f}, lean = 0.0f;
  b->least = MOST_REST_RATIO;
  for (int32_t i = 0; i < c->count; i++) {
    for (int32_t d = WARP; d <= WEFT; d++) {
      const float ratio = rest_array(c, REST_LENGTH + d)[i];
      b->least = minimum(b->least, ratio);
      most[d] = maximum(most[d], ratio);
    }
  }
  for (int32_t i = 0; i < c->count; i++) {
    lean = maximum(lean, lean_of_cell(c, i, most));
  }
  lean = flush_work(lean);
  b->reach[WARP] = (1.0f + lean * (1.0f / LEAN_SHARE)) * (most[WARP] * most[WARP]);
  b->reach[WEFT] = (1.0f + lean * LEAN_SHARE) * (most[WEFT] * most[WEFT]);
}

static void set_rest_shape(const cloth *c, const cloth_config *config) {
  const rest_sums sums = add_up_rest(config);
  for (int32_t number = 0; number < REST_ARRAYS; number++) {
    pad_factors(rest_array(c, number), c->count);
  }
  pad_factors(floats_at(c, c->constant.mass_ratio), c->count);
  for (int32_t i = 0; i < c->count; i++) {
    shape_particle(c, config, &sums, i);
  }
  bound_shape(c);
}
