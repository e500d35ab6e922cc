#pragma once
#include "access.h"
#include "compiler.h"
#include "gaps.h"
#include "gathers.h"
#include "lanes.h"
#include "rest_lengths.h"
#include "scalar.h"
#include "types.h"

/// Springs ///

/*
 * Stretch and shear springs by forces: Choi and Ko's springs with projected damping (thesis eqs. 3.6, 3.14), the block
 * beta I + w w^T that each adds to the matrix of the implicit solve, how rows of cells keep springs, and how their
 * forces are summed to particles without scattering.
 *
 * In: plan->spring, maps of mass and stiffness, settings.integration.explicit_threshold; positions and velocities come
 * from the caller. Out: velocity changes (returned), sums in row buffers. Scratch: operator_blocks, one tile per TILE
 * cells of a row, holds w (3 floats) and beta of each direction; row_buffers carries forces from row to row.
 */

/* The first tile of a row. */
CLOTH_INLINE float *tiles_of(const cloth *c, int32_t row) {
  return floats_at(c, c->scratch.operator_blocks) + row * c->grid.columns * CELL_FLOATS;
}

/* Floats from the first tile of a row to the first value of the cells from a column on. */
CLOTH_INLINE int32_t tile_offset(int32_t column) {
  if (CLOTH_LANES == TILE) {
    return column * CELL_FLOATS;
  }
  return (column & ~(TILE - 1)) * CELL_FLOATS + (column & (TILE - 1));
}

/* Floats between consecutive values in the tile of a column: its cells, fewer than TILE in the last tile of a row. */
CLOTH_INLINE int32_t tile_width(const cloth *c, int32_t column) {
  int32_t left = c->grid.columns - (column & ~(TILE - 1));
  return left < TILE ? left : TILE;
}

/* Offsets from the cell that keeps a spring to its particles: start and end. */
CLOTH_INLINE int32_t spring_start(int32_t direction) {
  return direction == ANTIDIAGONAL ? 1 : 0;
}

CLOTH_INLINE int32_t spring_end(const cloth *c, int32_t direction) {
  return (direction == WARP || direction == DIAGONAL ? 1 : 0) + (direction == WARP ? 0 : c->grid.columns);
}

/* Velocity changes at the starts of the springs that a block of cells keeps, by direction. */
typedef struct row_forces {
  lanes3 along[DIRECTIONS];
} row_forces;

/* Last lanes of the preceding block of a row, for one component: of what springs add to the next particles of the row
   (`own`) and of the row below (`below`). */
typedef struct component_shift {
  lanes_shift own, below;
} component_shift;

/* The shifts of x, y and z; start a row with shift_start(). */
typedef struct shift_state {
  component_shift part[3];
} shift_state;

CLOTH_INLINE shift_state shift_start(void) {
  component_shift start = {lanes_shift_start(), lanes_shift_start()};
  shift_state state = {{start, start, start}};
  return state;
}

/*
 * Sums one component of the springs' velocity changes to particles. A spring adds its change f to its start and
 * subtracts it from its end, so that particle p receives, with `up` the particle above it,
 *
 *     f_warp[p] + f_weft[p] + f_diagonal[p] + (f_antidiagonal - f_warp)[p - 1]
 *         - (f_weft + f_antidiagonal)[up] - f_diagonal[up - 1].
 *
 * The second line is read from `buffer`, where row `up` has left it; this row leaves its own there in exchange. Nothing
 * is scattered, so that lanes of any number add in the same order. Returns the sum.
 */
CLOTH_INLINE lanes accumulate_component(const lanes along[DIRECTIONS], component_shift *shift, float *buffer,
                                        int32_t count) {
  lanes own = lanes_shift_in(&shift->own, lanes_subtract(along[ANTIDIAGONAL], along[WARP]));
  lanes below = lanes_shift_in(&shift->below, along[DIAGONAL]);
  lanes sum = lanes_add(lanes_add(along[WARP], along[WEFT]), lanes_add(along[DIAGONAL], own));
  sum = lanes_subtract(sum, lanes_load(buffer));
  lanes_store_first(buffer, lanes_add(lanes_add(along[WEFT], along[ANTIDIAGONAL]), below), count);
  return sum;
}

/* Sums of all components for the block of particles at a column, `count` of them to the row's end. */
CLOTH_INLINE lanes3 accumulate_row(const row_forces *forces, shift_state *state, vector_array buffer, int32_t column,
                                   int32_t count) {
  const lanes3 *a = forces->along;
  lanes x[DIRECTIONS] = {a[WARP].x, a[WEFT].x, a[DIAGONAL].x, a[ANTIDIAGONAL].x};
  lanes y[DIRECTIONS] = {a[WARP].y, a[WEFT].y, a[DIAGONAL].y, a[ANTIDIAGONAL].y};
  lanes z[DIRECTIONS] = {a[WARP].z, a[WEFT].z, a[DIAGONAL].z, a[ANTIDIAGONAL].z};
  return lanes3_of(accumulate_component(x, &state->part[0], buffer.x + column, count),
                   accumulate_component(y, &state->part[1], buffer.y + column, count),
                   accumulate_component(z, &state->part[2], buffer.z + column, count));
}

/* Vectors of a block of particles and of their neighbours along the row (right), the column (below) and both (across).
   In the last row, which have none below, `below` and `across` repeat `first` and `right`. */
typedef struct cell_corners {
  lanes3 first, right, below, across;
} cell_corners;

CLOTH_INLINE cell_corners load_corners(vector_array from, int32_t i, int32_t below) {
  cell_corners corners = {lanes3_load(from, i), lanes3_load(from, i + 1), lanes3_load(from, i + below),
                          lanes3_load(from, i + below + 1)};
  return corners;
}

/* Index offset from a particle to the one below, 0 if there is none. */
static int32_t offset_below(const cloth *c, int32_t row) {
  return row + 1 < c->grid.rows ? c->grid.columns : 0;
}

/* Vector at the end of a spring minus vector at its start. */
CLOTH_INLINE lanes3 corner_difference(const cell_corners *corners, int32_t direction) {
  switch (direction) {
  case WARP:
    return lanes3_subtract(corners->right, corners->first);
  case WEFT:
    return lanes3_subtract(corners->below, corners->first);
  case DIAGONAL:
    return lanes3_subtract(corners->across, corners->first);
  default:
    return lanes3_subtract(corners->below, corners->right);
  }
}

/* Length of a spring [m] and its inverse. Callers compute those of all directions first: square root and division have
   long latencies, which overlap then. */
typedef struct spring_length {
  lanes length, inverse;
} spring_length;

/* Squared length [m^2] that shorter springs count as having, of 1 um: coincident particles would divide by 0. Their u
   is shorter than a unit vector, so that the force vanishes with the distance. */
#define SPRING_MIN_SQUARED_LENGTH 1.0e-12f

CLOTH_INLINE spring_length length_of(lanes3 d) {
  spring_length l;
  l.length = lanes_square_root(lanes_maximum(lanes3_dot(d, d), lanes_splat(SPRING_MIN_SQUARED_LENGTH)));
  l.inverse = lanes_divide(lanes_splat(1.0f), l.length);
  return l;
}

/* Velocity change at a spring's start in a substep, times the mass ratio [m/s], and its block beta I + w w^T of the
   operator (dimensionless). */
typedef struct spring_result {
  lanes3 change;
  lanes3 w;
  lanes beta;
} spring_result;

/*
 * Choi and Ko's spring with projected damping (thesis eqs. 3.6, 3.14), f = ks (l - L) u + kd (u.v) u for l > L; for
 * l < L the share `compression` of that. An implicit spring adds h K v to the force, with the stiffness Jacobian
 * h^2 K / m0 = alpha u u^T + beta I, alpha = h^2 ks / m0 L/l, beta = h^2 ks / m0 (1 - L/l). beta is dropped in
 * compression, where it is negative and would make the matrix indefinite.
 *
 * d and v: end minus start, position and velocity; `rest`: rest lengths L; `scale`: the springs' stiffness factors, 0
 * for lanes without a spring; `implicit`: which of them are solved for.
 */
CLOTH_INLINE spring_result spring_force(const spring_family *s, lanes3 d, spring_length l, lanes3 v, lanes rest,
                                        lanes scale, lanes_mask implicit) {
  lanes zero = lanes_splat(0.0f);
  lanes length = l.length, inverse = l.inverse;
  lanes_mask taut = lanes_less(rest, length);
  lanes share = lanes_multiply(scale, lanes_select(taut, lanes_splat(1.0f), lanes_splat(s->compression)));
  lanes stiffness = lanes_select(implicit, lanes_multiply(lanes_splat(s->stiffness), share), zero);
  lanes damping = lanes_multiply(lanes_splat(s->damping), share);
  lanes alpha = lanes_multiply(stiffness, lanes_minimum(lanes_multiply(rest, inverse), lanes_splat(1.0f)));
  /* u, w and beta are rounded to multiples of 2^-30. The operator multiplies them by differences e of vectors that are
     multiples of 2^-40, so that w (w.e) is a multiple of 2^-100: no product is subnormal (below 2^-126). */
  lanes3 u = lanes3_quantise(lanes3_scale(d, inverse), STATE_ROUNDER);
  lanes along = lanes3_dot(u, v);
  lanes projected = lanes_quantise(lanes_add(damping, alpha), STATE_ROUNDER);
  lanes pull = lanes_multiply(lanes_multiply(lanes_splat(s->force), share), lanes_subtract(length, rest));
  pull = lanes_quantise(lanes_add(pull, lanes_multiply(projected, along)), WORK_ROUNDER);
  spring_result result;
  result.beta = lanes_quantise(lanes_subtract(stiffness, alpha), STATE_ROUNDER);
  result.change = lanes3_add(lanes3_scale(u, pull), lanes3_scale(v, result.beta));
  lanes root = lanes_square_root(lanes_select(implicit, projected, zero));
  result.w = lanes3_quantise(lanes3_scale(u, root), STATE_ROUNDER);
  return result;
}

/* A block of springs of one direction: lane n joins particles i + n next and j + n next. */
typedef struct spring_block {
  int32_t i, j, next;
} spring_block;

/* Stiffness factors of a block of springs: the mean of the stiffness map at both ends, 0 from lane `count` on. */
CLOTH_INLINE lanes spring_scale(const cloth *c, spring_block b, int32_t count) {
  lanes scale = lanes_splat(1.0f);
  if (c->constant.stiffness_map) {
    const float *map = floats_at(c, c->constant.stiffness_map);
    scale = lanes_add(lanes_strided(map + b.i, b.next, count), lanes_strided(map + b.j, b.next, count));
    scale = lanes_multiply(lanes_splat(0.5f), scale);
  }
  return lanes_select(lanes_first(count), scale, lanes_splat(0.0f));
}

#if WITH_GAPS

/* Which springs of a block the grid has. An antidiagonal belongs to the cell above its end. */
static lanes_mask present_springs(const cloth *c, int32_t d, spring_block b, int32_t count) {
  const int32_t first = d == ANTIDIAGONAL ? b.j - c->grid.columns : b.i;
  return without_gap(c, first, b.next, count, spring_gap(d));
}

#endif

/* Which springs have a kappa above a threshold: the family's kappa times stiffness factor over the mass ratio of the
   lighter end. Multiplied out, so that no lane divides by what lies beyond the last spring. */
CLOTH_INLINE lanes_mask kappa_above(float kappa, lanes mass, lanes scale, float threshold) {
  return lanes_less(lanes_multiply(lanes_splat(threshold), mass), lanes_multiply(lanes_splat(kappa), scale));
}

CLOTH_INLINE lanes_mask spring_above(const cloth *c, const spring_family *s, spring_block b, lanes scale, int32_t count,
                                     float threshold) {
  lanes mass = lanes_splat(1.0f);
  if (c->constant.mass_ratio) {
    const float *ratio = floats_at(c, c->constant.mass_ratio);
    mass = lanes_minimum(lanes_strided(ratio + b.i, b.next, count), lanes_strided(ratio + b.j, b.next, count));
  }
  return kappa_above(s->kappa, mass, scale, threshold);
}

#if WITH_REST_SHAPE

/* Rest lengths and stiffness factors of a pre-shaped piece. */
CLOTH_INLINE lanes shape_springs(const cloth *c, int32_t d, spring_block b, int32_t count, lanes scale, lanes *rest) {
  *rest = lanes_multiply(*rest, rest_factors(c, REST_LENGTH + d, b.i, b.next, count));
  if (d > WEFT) {
    return scale;
  }
  return lanes_multiply(scale, rest_factors(c, REST_STIFFNESS + d, b.i, b.next, count));
}

#endif

/* Stiffness factors of the springs that act by forces: 0 for those that are projected. Their rest lengths change from
   those of the family where the piece is shaped. */
CLOTH_INLINE lanes spring_force_scale(const cloth *c, const spring_family *s, spring_block b, int32_t count,
                                      lanes *rest) {
  lanes scale = spring_scale(c, b, s->mode == CLOTH_MODE_OFF ? 0 : count);
#if WITH_GAPS
  if (has_gaps(c)) {
    const int32_t d = (int32_t)(s - workspace_of(c)->plan.spring);
    scale = lanes_keep(present_springs(c, d, b, count), scale);
#if WITH_REST_SHAPE
    if (has_rest_shape(c)) {
      scale = shape_springs(c, d, b, count, scale, rest);
    }
#endif
  }
#endif
  (void)rest;
  if (!WITH_PROJECTION || s->projected != PROJECTED_SOME) {
    return scale;
  }
  return lanes_drop(spring_above(c, s, b, scale, count, workspace_of(c)->plan.projected_above), scale);
}

/* Which springs are solved for: those of an implicit family, of a mixed family those whose own kappa is above the
   explicit threshold. */
CLOTH_INLINE lanes_mask spring_implicit(const cloth *c, const spring_family *s, spring_block b, lanes scale,
                                        int32_t count) {
  if (!WITH_SOLVER || s->mode != CLOTH_MODE_MIXED) {
    return lanes_first(s->mode == CLOTH_MODE_IMPLICIT ? CLOTH_LANES : 0);
  }
  return spring_above(c, s, b, scale, count, c->settings.integration.explicit_threshold);
}

/* How many of the `left` cells from one to its row's end keep a spring of a direction; may be negative. `below` is
   offset_below() of the row. */
CLOTH_INLINE int32_t springs_left(int32_t direction, int32_t below, int32_t left) {
  if (direction != WARP && below == 0) {
    return 0;
  }
  return left - (direction == WEFT ? 0 : 1);
}

/* The springs of direction d that the cells from one on keep. */
CLOTH_INLINE spring_block springs_at(const cloth *c, int32_t d, int32_t cell, int32_t count) {
  spring_block b = {cell, cell, 1};
  if (count > 0) { /* without springs their particles may lie beyond the maps: stay at the cell */
    b.i += spring_start(d);
    b.j += spring_end(c, d);
  }
  return b;
}

/* A block of springs of one direction whose forces are evaluated, and where the solver keeps their matrix blocks. Lanes
   from `count` on have stiffness 0; those below `left` are stored, zeros included, as the operator reads them. */
typedef struct spring_context {
  const cloth *c;
  const step_plan *plan;
  int32_t direction;
  spring_block ends;
  int32_t count;        /* springs that exist, from the first lane on */
  lanes3 x, v;          /* end minus start: evaluation positions [m], velocities [m/s] */
  spring_length length; /* of x */
  float *stored;        /* values of the first lane; NULL: not stored */
  int32_t width;        /* floats from one value to the next, see tile_width() */
  int32_t left;
} spring_context;

/* Returns the velocity changes at the starts of stretch or shear springs and stores their w and beta. */
CLOTH_INLINE lanes3 spring_pull(const spring_context *s) {
  const spring_family *family = &s->plan->spring[s->direction];
  lanes rest = lanes_splat(family->rest);
  lanes scale = spring_force_scale(s->c, family, s->ends, s->count, &rest);
#if WITH_SEAMS
  if (s->direction <= WEFT && has_gathers(s->c)) {
    const lanes_mask is_long = lanes_less(rest, s->length.length);
    const lanes_mask whole = without_gather(s->c, s->ends.i, s->ends.next, s->count, s->direction);
    scale = lanes_select(is_long, scale, lanes_keep(whole, scale));
  }
#endif
  lanes_mask implicit = spring_implicit(s->c, family, s->ends, scale, s->count);
  spring_result r = spring_force(family, s->x, s->length, s->v, rest, scale, implicit);
  if (WITH_SOLVER && s->stored) {
    lanes_store_first(s->stored, r.w.x, s->left);
    lanes_store_first(s->stored + s->width, r.w.y, s->left);
    lanes_store_first(s->stored + 2 * s->width, r.w.z, s->left);
    lanes_store_first(s->stored + 3 * s->width, r.beta, s->left);
  }
  return r.change;
}
