#pragma once
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/rows.h"
#include "../base/scalar.h"
#include "../cloth/access.h"
#include "../cloth/arrays.h"
#include "../cloth/gaps.h"
#include "../cloth/types.h"
#include "air.h"

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
  const wind_terms w = {.wind = wind_of(c),
                        .inverse_h = t->inverse_h,
                        .normal = flush_small(strength * (air->normal_drag + air->lift), WORK_QUANTUM),
                        .drag = flush_small(strength * air->drag, WORK_QUANTUM),
                        .lift = flush_small(strength * air->lift, WORK_QUANTUM),
                        .block = flush_small(2.0f * per_speed * (air->normal_drag + air->lift), WORK_QUANTUM),
                        .drag_block = flush_small(per_speed * air->drag, WORK_QUANTUM)};
  return w;
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

/* Goes to row `row`. */
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

/* Area vectors of a block of a row [m^2], as area_vectors() of air.h but of places. */
CLOTH_INLINE lanes3 areas_of_block(const wind_row *r, int32_t i, int32_t ends) {
  const ptrdiff_t plane = r->plane;
#if WITH_GAPS
  if (r->gapped) { return area_vectors_at_gaps(r->gapped, r->position, r->first + i, r->columns - i); }
#endif
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
