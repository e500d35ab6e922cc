#pragma once
#include "access.h"
#include "compiler.h"
#include "lanes.h"
#include "scalar.h"
#include "types.h"

/// Springs ///

/* The operator's springs of a row. A spring's matrix block is beta I + w w^T. */
CLOTH_INLINE float *tiles_of(const cloth *c, int32_t row) {
  return floats_at(c, c->scratch.operator_blocks) + row * c->grid.columns * CELL_FLOATS;
}

/* From the first tile of a row to the first float of a block that starts at a column. */
CLOTH_INLINE int32_t tile_offset(int32_t column) {
  if (CLOTH_LANES == TILE) {
    return column * CELL_FLOATS;
  }
  return (column & ~(TILE - 1)) * CELL_FLOATS + (column & (TILE - 1));
}

/* Floats from there to the next of the sixteen. */
CLOTH_INLINE int32_t tile_width(const cloth *c, int32_t column) {
  int32_t left = c->grid.columns - (column & ~(TILE - 1));
  return left < TILE ? left : TILE;
}

/* From the place where a spring is kept to the ends of the spring, one cell long. */
CLOTH_INLINE int32_t spring_start(int32_t direction) {
  return direction == ANTIDIAGONAL ? 1 : 0;
}

CLOTH_INLINE int32_t spring_end(const cloth *c, int32_t direction) {
  return (direction == WARP || direction == DIAGONAL ? 1 : 0) + (direction == WARP ? 0 : c->grid.columns);
}

/* What the springs kept at a block of places do to the ends where they start. */
typedef struct row_forces {
  lanes3 along[DIRECTIONS];
} row_forces;

/* What the springs of the blocks to the left do to one component of the particles at hand and of those below them. For
   springs two cells long, also the same moved on by one place. */
typedef struct component_shift {
  lanes_shift own, below, own_moved, below_moved;
} component_shift;

typedef struct shift_state {
  component_shift part[3];
} shift_state;

CLOTH_INLINE shift_state shift_start(void) {
  component_shift none = {lanes_shift_start(), lanes_shift_start(), lanes_shift_start(), lanes_shift_start()};
  shift_state carry = {{none, none, none}};
  return carry;
}

/*
 * A spring pulls the end where it starts one way and its other end the other way. What a block of particles gets is
 * added up without scattering: from the springs kept at their places, from those kept `reach` places to the left, and
 * from the springs of the row above, which has left it in a row buffer. There the row at hand leaves what it does to
 * the row below. This is for one component.
 */
CLOTH_INLINE lanes accumulate_component(const lanes along[DIRECTIONS], component_shift *carry, int32_t reach,
                                        float *buffer, int32_t count) {
  lanes own = lanes_shift_in(&carry->own, lanes_subtract(along[ANTIDIAGONAL], along[WARP]));
  lanes below = lanes_shift_in(&carry->below, along[DIAGONAL]);
  if (reach == 2) {
    own = lanes_shift_in(&carry->own_moved, own);
    below = lanes_shift_in(&carry->below_moved, below);
  }
  lanes sum = lanes_add(lanes_add(along[WARP], along[WEFT]), lanes_add(along[DIAGONAL], own));
  sum = lanes_subtract(sum, lanes_load(buffer));
  lanes_store_first(buffer, lanes_add(lanes_add(along[WEFT], along[ANTIDIAGONAL]), below), count);
  return sum;
}

CLOTH_INLINE lanes3 accumulate_row(const row_forces *pulls, shift_state *carry, int32_t reach, vector_array buffer,
                                   int32_t column, int32_t count) {
  const lanes3 *a = pulls->along;
  lanes x[DIRECTIONS] = {a[WARP].x, a[WEFT].x, a[DIAGONAL].x, a[ANTIDIAGONAL].x};
  lanes y[DIRECTIONS] = {a[WARP].y, a[WEFT].y, a[DIAGONAL].y, a[ANTIDIAGONAL].y};
  lanes z[DIRECTIONS] = {a[WARP].z, a[WEFT].z, a[DIAGONAL].z, a[ANTIDIAGONAL].z};
  return lanes3_of(accumulate_component(x, &carry->part[0], reach, buffer.x + column, count),
                   accumulate_component(y, &carry->part[1], reach, buffer.y + column, count),
                   accumulate_component(z, &carry->part[2], reach, buffer.z + column, count));
}

/* Vectors of a block of particles, and of those `reach` cells along the row, the column, and both. In the last rows,
   which have none below, they stand in themselves. */
typedef struct cell_corners {
  lanes3 first, right, below, across;
} cell_corners;

CLOTH_INLINE cell_corners load_corners(vector_array from, int32_t i, int32_t reach, int32_t below) {
  cell_corners corners = {lanes3_load(from, i), lanes3_load(from, i + reach), lanes3_load(from, i + below),
                          lanes3_load(from, i + below + reach)};
  return corners;
}

/* From a particle to the one `reach` cells below, or to itself if there is none. */
static int32_t offset_below(const cloth *c, int32_t row, int32_t reach) {
  return row + reach < c->grid.rows ? reach * c->grid.columns : 0;
}

/* From the start of a spring to its end. */
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

/* Length of a spring. All directions' are computed first: a root and a division take longer than the rest of a spring,
   which is done meanwhile for another. */
typedef struct spring_length {
  lanes length, inverse;
} spring_length;

CLOTH_INLINE spring_length length_of(lanes3 d) {
  spring_length l;
  l.length = lanes_square_root(lanes_maximum(lanes3_dot(d, d), lanes_splat(1.0e-12f)));
  l.inverse = lanes_divide(lanes_splat(1.0f), l.length);
  return l;
}

/* What one spring does in a substep: the velocity change of the end where it starts, and its block of the operator. */
typedef struct spring_result {
  lanes3 change;
  lanes3 w;
  lanes beta;
} spring_result;

/*
 * Choi-Ko spring with projected damping (thesis eqs. 3.6, 3.14), f = ks (l - L) u + kd (u.v) u, active for l > L, its
 * `compression` share also for l < L. The implicit part adds k K v to the force, where the stiffness Jacobian is
 * K = alpha u u^T + beta I in units of k^2 / m0: alpha = k^2 ks L/l and beta = k^2 ks (1 - L/l); the latter is
 * dropped in compression, where it would make the matrix indefinite.
 * d and v lead from the start to the end; `scale` is the spring's stiffness factor; `implicit` its mode.
 */
CLOTH_INLINE spring_result spring_force(const spring_family *s, lanes3 d, spring_length l, lanes3 v, lanes scale,
                                        lanes_mask implicit) {
  lanes zero = lanes_splat(0.0f);
  lanes rest = lanes_splat(s->rest);
  lanes length = l.length, inverse = l.inverse;
  lanes_mask taut = lanes_less(rest, length);
  lanes share = lanes_multiply(scale, lanes_select(taut, lanes_splat(1.0f), lanes_splat(s->compression)));
  lanes stiffness = lanes_select(implicit, lanes_multiply(lanes_splat(s->stiffness), share), zero);
  lanes damping = lanes_multiply(lanes_splat(s->damping), share);
  lanes alpha = lanes_multiply(stiffness, lanes_minimum(lanes_multiply(rest, inverse), lanes_splat(1.0f)));
  /* w and beta meet differences of rounded vectors, multiples of 2^-40: as multiples of 2^-30 their products are
     multiples of 2^-100, and so is the product of the operator. */
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

/* Springs of a direction: particles i and j are the ends of the first, every `next` particles there is another. */
typedef struct spring_block {
  int32_t i, j, next;
} spring_block;

/* Stiffness factor of springs, the first `count` of which exist: the mean of the map at both ends. */
CLOTH_INLINE lanes spring_scale(const cloth *c, spring_block b, int32_t count) {
  lanes scale = lanes_splat(1.0f);
  if (c->constant.stiffness_map) {
    const float *map = floats_at(c, c->constant.stiffness_map);
    scale = lanes_add(lanes_strided(map + b.i, b.next, count), lanes_strided(map + b.j, b.next, count));
    scale = lanes_multiply(lanes_splat(0.5f), scale);
  }
  return lanes_select(lanes_first(count), scale, lanes_splat(0.0f));
}

/* Which springs have a kappa above a threshold, by the mass ratio of the lighter end. */
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

/* Stiffness factor of the springs that act by forces: 0 for those that are projected instead. */
CLOTH_INLINE lanes spring_force_scale(const cloth *c, const spring_family *s, spring_block b, int32_t count) {
  lanes scale = spring_scale(c, b, s->mode == CLOTH_MODE_OFF ? 0 : count);
  if (!WITH_PROJECTION || s->projected != PROJECTED_SOME) {
    return scale;
  }
  return lanes_drop(spring_above(c, s, b, scale, count, workspace_of(c)->plan.projected_above), scale);
}

/* Which springs are implicit; where maps vary, by each spring's own kappa. */
CLOTH_INLINE lanes_mask spring_implicit(const cloth *c, const spring_family *s, spring_block b, lanes scale,
                                        int32_t count) {
  if (!WITH_SOLVER || s->mode != CLOTH_MODE_MIXED) {
    return lanes_first(s->mode == CLOTH_MODE_IMPLICIT ? CLOTH_LANES : 0);
  }
  return spring_above(c, s, b, scale, count, c->settings.integration.explicit_threshold);
}

/* How many of the places from one on, `left` to the row's end, keep a spring of a direction that is `reach` cells long.
 */
CLOTH_INLINE int32_t springs_left(int32_t direction, int32_t reach, int32_t below, int32_t left) {
  if (direction != WARP && below == 0) {
    return 0;
  }
  return left - (direction == WEFT ? 0 : reach);
}

/* The springs of one direction kept at a block of places that are `reach` cells long, as many as there are. */
CLOTH_INLINE spring_block springs_at(const cloth *c, int32_t d, int32_t reach, int32_t place, int32_t count) {
  spring_block b = {place, place, 1};
  if (count > 0) { /* where there is none, what it would lead to may not be */
    b.i += reach * spring_start(d);
    b.j += reach * spring_end(c, d);
  }
  return b;
}

/*
 * A block of springs of one direction whose forces are evaluated. Lanes beyond `count` get zero stiffness; `left` is how
 * many lanes are stored, at least `count`, so that the operator also holds zeros where no spring exists.
 */
typedef struct spring_context {
  const cloth *c;
  const step_plan *plan;
  int32_t direction;    /* WARP ... */
  spring_block ends;    /* the particles they join */
  int32_t count;        /* springs that exist, from the first lane on */
  lanes3 x, v;          /* end minus start: positions [m] and velocities [m/s] */
  spring_length length; /* of x */
  float *stored;        /* where the solver reads them, NULL if it does not */
  int32_t width, left;  /* floats between values there; values of each that are stored */
} spring_context;

/* Velocity changes at the starts of stretch or shear springs. Stores w and beta. */
CLOTH_INLINE lanes3 spring_pull(const spring_context *s) {
  const spring_family *family = &s->plan->spring[s->direction];
  lanes scale = spring_force_scale(s->c, family, s->ends, s->count);
  lanes_mask implicit = spring_implicit(s->c, family, s->ends, scale, s->count);
  spring_result r = spring_force(family, s->x, s->length, s->v, scale, implicit);
  if (WITH_SOLVER && s->stored) {
    lanes_store_first(s->stored, r.w.x, s->left);
    lanes_store_first(s->stored + s->width, r.w.y, s->left);
    lanes_store_first(s->stored + 2 * s->width, r.w.z, s->left);
    lanes_store_first(s->stored + 3 * s->width, r.beta, s->left);
  }
  return r.change;
}
