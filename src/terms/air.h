#pragma once
#include "../base/rows.h"
#include "../cloth/gaps.h"

/// Air ///

/* The wind with its gusts, and area vectors. Out: inputs.gust_phase. */

/* Ranges of cloth_gusts: strength along an axis [m/s] and period [s]. */
#define GUST_MAX_STRENGTH 1.0e3f
#define GUST_MIN_PERIOD 0.02f
#define GUST_MAX_PERIOD 1.0e3f

/* Gusts are value noise over time: a random number in -1..1 for each axis, octave and whole period. A time is a number
   of periods, {whole, fraction} with the fraction in units of 2^-32. */
static float gust_lattice_value(uint32_t seed, uint32_t whole, uint32_t axis) {
  uint64_t mixed = hash_mix(hash_mix(hash_mix(HASH_FACTOR, seed), whole), axis);
  return hash_to_noise(mixed);
}

/* One octave of noise, -1..1: neighbouring values blended by 3 t^2 - 2 t^3, by the fraction's upper 24 bits. */
static float gust_octave(uint32_t seed, const uint32_t point[2], uint32_t axis) {
  float t = (float)(int32_t)(point[1] >> 8) * (1.0f / 16777216.0f);
  float from = gust_lattice_value(seed, point[0], axis);
  float to = gust_lattice_value(seed, point[0] + 1u, axis);
  return from + (to - from) * (t * t * (3.0f - 2.0f * t));
}

/* Two octaves, -1..1: the second of half the period and strength, with random numbers of its own (axes 3..5). */
static float gust_noise(uint32_t seed, const uint32_t point[2], uint32_t axis) {
  uint32_t doubled[2] = {2u * point[0] + (point[1] >> 31), 2u * point[1]};
  return (2.0f / 3.0f) * gust_octave(seed, point, axis) + (1.0f / 3.0f) * gust_octave(seed, doubled, axis + 3u);
}

static int are_gusts(cloth_vector strength, float period) {
  return in_range(strength.x, 0.0f, GUST_MAX_STRENGTH) && in_range(strength.y, 0.0f, GUST_MAX_STRENGTH) &&
         in_range(strength.z, 0.0f, GUST_MAX_STRENGTH) && in_range(period, GUST_MIN_PERIOD, GUST_MAX_PERIOD);
}

/* Wind of the next step, gusts included [m/s]. */
static cloth_vector wind_of(const cloth *c) {
  const cloth_inputs *inputs = inputs_of(c);
  if (!WITH_AIR || inputs->gust_period == 0.0f) { return inputs->wind; }
  cloth_vector gust = inputs->gust_strength;
  gust.x *= gust_noise(inputs->gust_seed, inputs->gust_phase, 0);
  gust.y *= gust_noise(inputs->gust_seed, inputs->gust_phase, 1);
  gust.z *= gust_noise(inputs->gust_seed, inputs->gust_phase, 2);
  return vector_flush_state(vector_add(inputs->wind, gust));
}

/* Moves the gusts on by a time [s], rounded to 2^-31 periods, as exact late as early. */
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

/* The vector between the neighbours along warp or weft that springs lead to, and what makes it one of two cells. */
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

/* Area vectors of a block of particles [m^2], the cross product of central differences along weft and warp, one-sided
   at edges; all stand for the same area at rest, as they have the same mass. `gapped`: of gapped_cloth(). */
CLOTH_INLINE lanes3 area_vectors(const row_neighbours *n, vector_array x, int32_t column, const cloth *gapped) {
  if (WITH_GAPS && gapped) { return area_vectors_at_gaps(gapped, x, n->first + column, n->columns - column); }
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

/* Least squared area [m^4], 2^-80: with it no quotient is subnormal or infinite. */
#define AIR_MIN_SQUARE 8.271806125530277e-25f

/// Wind ///

/*
 * The force of the air on a particle of area vector A n at the velocity v = (x - x_n) / h less the wind, with rho the
 * density of the air and the coefficients cn, cd, cl:
 *
 *   normal drag  -1/2 rho cn A |v| (v.n) n
 *   drag         -1/2 rho cd A |n.v| v (Boxerman 2003 eq. 3.17)
 *   lift         -1/2 rho cl A (n.v) (|v| n - (n.v) v / |v| / (1 + q^2)), perpendicular to v where q is small
 *   block        the positive part of the derivative, times s h / m0: rho (cn + cl) A |v| n n^T + 1/2 rho cd A |n.v| I,
 *                so that no wind reverses a particle
 *
 * q is the block along n over the mass: lift's part along v has no block, and with q fades where that takes the part
 * along n. Out: forces in `residual`, the root of the first block in `air`, the second in `diagonal`.
 */

/* What the air of a substep depends on. */
typedef struct wind_terms {
  cloth_vector wind; /* [m/s] */
  float inverse_h;   /* [1/s] */
  float normal, drag, lift,
      block;        /* 1/2 rho s h^2 / m0 times cn + cl, cd and cl [s^2/m^3], and rho (cn + cl) s h / m0 */
  float drag_block; /* 1/2 rho cd s h / m0 */
} wind_terms;

static wind_terms wind_terms_of(const cloth *c, const substep_terms *t) {
  const cloth_config_air *air = &c->settings.air;
  const float strength = 0.5f * air->density * t->scale, per_speed = strength * t->inverse_h;
  return (wind_terms){.wind = wind_of(c),
                      .inverse_h = t->inverse_h,
                      .normal = flush_work(strength * (air->normal_drag + air->lift)),
                      .drag = flush_work(strength * air->drag),
                      .lift = flush_work(strength * air->lift),
                      .block = flush_work(2.0f * per_speed * (air->normal_drag + air->lift)),
                      .drag_block = flush_work(per_speed * air->drag)};
}

/* The work of the wind on cloth at rest that faces it, its force times its way in a substep, over the kinetic energy of
   cloth as fast as the wind: 2 q / (1 + q), with q the block over the mass. */
static float share_of_wind(const cloth *c, const substep_terms *t) {
  const wind_terms w = wind_terms_of(c, t);
  const float flow = c->grid.spacing_warp * c->grid.spacing_weft * vector_length(w.wind);
  const float q = flush_small(flow * (w.block + w.drag_block), WORK_QUANTUM);
  return 2.0f * q / (1.0f + q);
}

/* The wind on a row of particles. */
typedef struct wind_row {
  const cloth *c;
  wind_terms w;
  const float *rows[3]; /* of places: above, the row, below */
  ptrdiff_t plane;
  float share, end_share; /* area of a particle over the product of the distances between its neighbours */
  float border_share;     /* the share of the first and the last row */
  int32_t columns, is_ring;
  int32_t place, first; /* of the row in own arrays, and its first particle */
  const cloth *gapped;
  vector_array position;
} wind_row;

CLOTH_INLINE void take_wind_row(wind_row *r, const solve_arrays *a, int32_t row) {
  const int32_t is_first = row == 0, is_last = row + 1 == a->rows, next = NEAR_STEP * a->pitch;
  float *x = near_row(a->place, a->pitch, row);
  r->rows[0] = is_first ? x : x - next;
  r->rows[1] = x;
  r->rows[2] = is_last ? x : x + next;
  r->share = is_first || is_last ? r->border_share : 0.5f * r->border_share;
  r->end_share = r->is_ring ? r->share : 2.0f * r->share;
  r->place = row * a->pitch;
  r->first = row * a->columns;
}

/* Begins with the first row of cloth in air. */
CLOTH_ONCE void start_wind(wind_row *r, const cloth *c, const solve_arrays *a, const substep_terms *t) {
  if (!a->air) { return; }
  r->c = c;
  r->w = wind_terms_of(c, t);
  r->plane = a->plane;
  r->position = vectors_at(c, c->state.position);
  r->border_share = row_neighbours_at(c, r->position, 0).share;
  r->columns = a->columns;
  r->is_ring = a->is_ring;
  r->gapped = gapped_cloth(c);
  take_wind_row(r, a, 0);
}

/* The force of the air on a block, and its block: root^2 n n^T + held I. */
typedef struct wind_force {
  lanes3 force, normal;
  lanes root, held;
} wind_force;

/* For the area vectors `area` [m^2], mass ratios and velocities v relative to the wind. */
CLOTH_INLINE wind_force wind_on_areas(const wind_terms *w, lanes3 area, lanes mass, lanes3 v) {
  const lanes one = lanes_splat(1.0f), zero = lanes_splat(0.0f);
  const lanes size = lanes_square_root(lanes_maximum(lanes3_dot(area, area), lanes_splat(AIR_MIN_SQUARE)));
  wind_force f;
  f.normal = lanes3_quantise(lanes3_scale(area, lanes_divide(one, size)), WORK_ROUNDER);
  const lanes speed = lanes_square_root(lanes3_dot(v, v));
  const lanes across = lanes_quantise(lanes3_dot(f.normal, v), WORK_ROUNDER);
  const lanes flow = lanes_multiply(size, speed);
  const lanes push = lanes_multiply(lanes_multiply(flow, across), lanes_splat(w->normal));
  f.force = lanes3_scale(f.normal, lanes_negate(push));
  const lanes block = lanes_flush(lanes_multiply(flow, lanes_splat(w->block)));
  f.root = lanes_square_root(block);
  f.held = zero;
  if (w->drag > 0.0f || w->lift > 0.0f) {
    const lanes through = lanes_multiply(size, lanes_absolute(across));
    const lanes q = lanes_divide(block, lanes_maximum(mass, lanes_splat(WORK_QUANTUM)));
    const lanes fade = lanes_add(one, lanes_multiply(q, q));
    const lanes lift = lanes_divide(lanes_multiply(lanes_absolute(across), lanes_splat(w->lift)),
                                    lanes_multiply(lanes_maximum(speed, lanes_splat(STATE_QUANTUM)), fade));
    const lanes along = lanes_multiply(through, lanes_subtract(lanes_splat(w->drag), lift));
    f.force = lanes3_subtract(f.force, lanes3_scale(v, along));
    f.held = lanes_multiply(through, lanes_splat(w->drag_block));
  }
  return f;
}

/* Area vectors of a block of a row [m^2], as area_vectors() but of places. */
CLOTH_INLINE lanes3 areas_of_block(const wind_row *r, int32_t i, int32_t ends) {
  const ptrdiff_t plane = r->plane;
  if (WITH_GAPS && r->gapped) { return area_vectors_at_gaps(r->gapped, r->position, r->first + i, r->columns - i); }
  lanes3 left = near_load(r->rows[1], plane, i - 1), right = near_load(r->rows[1], plane, i + 1);
  lanes share = lanes_splat(r->share);
  if (!r->is_ring && ends) {
    const lanes3 x = near_load(r->rows[1], plane, i);
    const lanes_mask leftmost = lanes_first(ends & ROW_FIRST ? 1 : 0), has_right = lanes_first(r->columns - 1 - i);
    const lanes end_share = lanes_splat(r->end_share);
    left = lanes3_select(leftmost, x, left);
    right = lanes3_select(has_right, right, x);
    share = lanes_select(has_right, lanes_select(leftmost, end_share, share), end_share);
  }
  const lanes3 along_weft = lanes3_subtract(near_load(r->rows[2], plane, i), near_load(r->rows[0], plane, i));
  return lanes3_scale(lanes3_cross(lanes3_subtract(right, left), along_weft), share);
}

/* The force on a block whose ways since x_n are `way`. */
CLOTH_INLINE wind_force wind_on_block(const wind_row *r, int32_t i, int32_t ends, lanes3 way) {
  const lanes3 v = lanes3_subtract(lanes3_scale(way, lanes_splat(r->w.inverse_h)), lanes3_splat(r->w.wind));
  const lanes3 area = lanes3_quantise(areas_of_block(r, i, ends), WORK_ROUNDER);
  const lanes mass = mass_ratio_lanes(r->c, r->first + i);
  return wind_on_areas(&r->w, area, mass, lanes3_quantise(v, WORK_ROUNDER));
}
