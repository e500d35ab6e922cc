#pragma once
#include "access.h"
#include "air.h"
#include "compiler.h"
#include "lanes.h"
#include "layout.h"
#include "scalar.h"
#include "seam.h"
#include "springs.h"
#include "types.h"

/// Forces ///

/*
 * The right-hand side of a substep: b = h f / m0, plus h^2 K v / m0 of the implicit springs, from gravity, velocity
 * damping, air, stretch and shear springs, as velocity changes times the mass ratio [m/s]. In the same pass the
 * blocks of the operator are made.
 *
 * In: plan, inputs, evaluation positions (state.position, or scratch.product holding the predicted positions when the
 * step extrapolates), state.velocity. Out: the caller's vectors, scratch.residual in a step; operator_blocks and seam
 * if anything is implicit. Scratch: row_buffers.
 */

/* A block of cells of a row whose springs are evaluated. */
typedef struct row_context {
  const cloth *c;
  const step_plan *plan;
  int32_t below;     /* offset_below() of the row */
  int32_t cell;      /* first of the block; cells share the indices of particles */
  int32_t left;      /* cells from it to the row's end */
  cell_corners x, v; /* evaluation positions [m] and velocities [m/s] */
  float *tile;       /* where the operator keeps the block; NULL if nothing is solved for */
  int32_t width;     /* tile_width() there */
} row_context;

/* Velocity changes at the starts of the springs of direction d that a block of cells keeps. */
CLOTH_INLINE lanes3 row_spring_pull(const row_context *o, int32_t d, spring_length length) {
  float *stored = o->tile ? o->tile + OPERATOR_FLOATS * d * o->width : NULL;
  const int32_t count = springs_left(d, o->below, o->left);
  const spring_context s = {.c = o->c,
                            .plan = o->plan,
                            .direction = d,
                            .ends = springs_at(o->c, d, o->cell, count),
                            .count = count,
                            .x = corner_difference(&o->x, d),
                            .v = corner_difference(&o->v, d),
                            .length = length,
                            .stored = stored,
                            .width = o->width,
                            .left = o->left};
  return spring_pull(&s);
}

/* Adds the velocity changes of a row's springs to `change` and stores their part of the operator. */
CLOTH_HOT CLOTH_SEPARATE void add_row_of_springs(const cloth *c, const step_plan *plan, int32_t row,
                                                 vector_array change) {
  const vector_array x = evaluation_positions(c, plan);
  const vector_array v = vectors_at(c, c->state.velocity);
  const vector_array buffer = row_buffer(c);
  float *tiles = WITH_SOLVER && plan->solves ? tiles_of(c, row) : NULL;
  const int32_t columns = c->grid.columns, first = row * columns, below = offset_below(c, row);
  shift_state shift = shift_start();
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    const int32_t i = first + column, left = columns - column;
    float *tile = tiles ? tiles + tile_offset(column) : NULL;
    const row_context o = {.c = c,
                           .plan = plan,
                           .below = below,
                           .cell = i,
                           .left = left,
                           .x = load_corners(x, i, below),
                           .v = load_corners(v, i, below),
                           .tile = tile,
                           .width = tile_width(c, column)};
    row_forces pulls;
    spring_length lengths[DIRECTIONS];
    EACH_DIRECTION(d, lengths[d] = length_of(corner_difference(&o.x, d)));
    EACH_DIRECTION(d, pulls.along[d] = row_spring_pull(&o, d, lengths[d]));
    lanes3 sum = accumulate_row(&pulls, &shift, buffer, column, left);
    lanes3_store(change, i, lanes3_add(lanes3_load(change, i), sum), left);
  }
}

#if WITH_WRAP

/* Adds the velocity changes of a line of springs across the seam to `change` and stores their part of the operator. */
CLOTH_SEPARATE void add_seam_line(const cloth *c, const step_plan *plan, const seam_line *line, vector_array change) {
  const int32_t next = c->grid.columns, width = seam_rows(c);
  for (int32_t row = 0; row < line->rows; row += CLOTH_LANES) {
    const int32_t count = line->rows - row;
    const lanes3 x = seam_difference(c, line, evaluation_positions(c, plan), row, count);
    float *stored = line->mode >= CLOTH_MODE_IMPLICIT ? line->blocks + row : NULL;
    const spring_context s = {.c = c,
                              .plan = plan,
                              .direction = line->direction,
                              .ends = {line->from + row * next, line->to + row * next, next},
                              .count = count,
                              .x = x,
                              .v = seam_difference(c, line, vectors_at(c, c->state.velocity), row, count),
                              .length = length_of(x),
                              .stored = stored,
                              .width = width,
                              .left = CLOTH_LANES};
    add_seam_pulls(c, line, change, row, spring_pull(&s), count);
  }
}

/* Adds the velocity changes of all springs across the seam to `change` and stores their part of the operator. */
static void add_seam_forces(const cloth *c, const step_plan *plan, vector_array change) {
  for (int32_t n = 0; n < SEAM_SPRINGS; n++) {
    seam_line line = seam_line_at(c, plan, n);
    if (line.mode != CLOTH_MODE_OFF) {
      add_seam_line(c, plan, &line, change);
    }
  }
}

#endif

/* Adds the velocity changes of all springs to `change`, row by row. Stretch and shear springs are evaluated also where
   none acts but something is solved for: that fills the operator's tiles. */
static void add_spring_forces(const cloth *c, const step_plan *plan, vector_array change) {
  clear_row_buffers(c);
  for (int32_t row = 0; row < c->grid.rows; row++) {
    if (plan->springs || plan->solves) {
      add_row_of_springs(c, plan, row, change);
    }
  }
#if WITH_WRAP
  if (is_wrapped(c)) {
    add_seam_forces(c, plan, change);
  }
#endif
}

/* Velocity change of a particle with velocity v in a substep by gravity and velocity damping: gravity - drag v [m/s].
 */
typedef struct body_force {
  lanes3 gravity; /* h g */
  lanes drag;     /* h times velocity_damping */
} body_force;

/* Largest share of a velocity that velocity damping takes in a substep. It is integrated explicitly; more than 1 would
   reverse velocities. */
#define MAX_VELOCITY_DAMPING 0.5f

static body_force body_force_of(const cloth *c, const step_plan *plan) {
  float damping = minimum(c->settings.integration.velocity_damping * plan->h, MAX_VELOCITY_DAMPING);
  body_force force;
  force.gravity = lanes3_splat(vector_flush_work(vector_scale(inputs_of(c)->gravity, plan->h)));
  force.drag = lanes_splat(damping < WORK_QUANTUM ? 0.0f : damping);
  return force;
}

CLOTH_INLINE lanes3 body_force_on(const body_force *force, lanes3 v) {
  return lanes3_subtract(force->gravity, lanes3_scale(v, force->drag));
}

/* Sets `change` to the velocity changes by gravity and velocity damping, times the mass ratio. */
CLOTH_HOT static void set_body_forces(const cloth *c, const step_plan *plan, vector_array change) {
  vector_array v = vectors_at(c, c->state.velocity);
  body_force force = body_force_of(c, plan);
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    lanes3 a = body_force_on(&force, lanes3_load(v, i));
    lanes3_store(change, i, lanes3_scale(a, mass_ratio_lanes(c, i)), c->count - i);
  }
}

/* Fills `change` with the right-hand side of the substep, h f / m0 plus h^2 K v / m0 of implicit springs. */
CLOTH_SEPARATE void evaluate_forces(const cloth *c, const step_plan *plan, vector_array change) {
  set_body_forces(c, plan, change);
  if (has_air(c)) {
    add_air(c, plan, change);
  }
  add_spring_forces(c, plan, change);
}
