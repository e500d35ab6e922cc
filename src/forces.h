#pragma once
#include "access.h"
#include "air.h"
#include "bend.h"
#include "compiler.h"
#include "lanes.h"
#include "layout.h"
#include "scalar.h"
#include "seam.h"
#include "springs.h"
#include "types.h"

/// Forces ///

/* Springs and bend springs that are kept at a block of places, the first `count` of which there are. */
CLOTH_INLINE lanes3 row_spring_pull(const cloth *c, const step_plan *plan, int32_t d, int32_t place, int32_t count,
                                    const cell_corners *x, spring_length length, const cell_corners *v, float *tile,
                                    int32_t width, int32_t left) {
  float *stored = tile ? tile + OPERATOR_FLOATS * d * width : NULL;
  return spring_pull(c, &plan->spring[d], springs_at(c, d, 1, place, count), count, corner_difference(x, d), length,
                     corner_difference(v, d), stored, width, left);
}

CLOTH_INLINE lanes3 row_bend_pull(const cloth *c, const step_plan *plan, int32_t d, int32_t place, int32_t count,
                                  const cell_corners *x, spring_length length, const cell_corners *v, int32_t left) {
  return bend_pull(c, plan, d, springs_at(c, d, 2, place, count), count, bend_span(x, d), length,
                   corner_difference(v, d), bend_slopes_of(c, d) + place, left);
}

/* Adds the velocity changes of the springs that are `reach` cells long, which is 2 for bend springs, to a row of
   `change`, and fills the operator. */
CLOTH_INLINE void add_row(const cloth *c, const step_plan *plan, int32_t row, int32_t reach, vector_array change) {
  const vector_array x = evaluation_positions(c, plan);
  const vector_array v = vectors_at(c, c->state.velocity);
  const vector_array buffer = reach == 1 ? row_buffer(c, 0) : bend_buffer(c, row);
  float *tiles = WITH_SOLVER && plan->solves ? tiles_of(c, row) : NULL;
  const int32_t columns = c->grid.columns, first = row * columns, below = offset_below(c, row, reach);
  shift_state carry = shift_start();
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    int32_t i = first + column, left = columns - column;
    cell_corners xs = load_corners(x, i, reach, below);
    cell_corners vs = load_corners(v, i, reach, below);
    row_forces pulls;
    float *stored = tiles ? tiles + tile_offset(column) : NULL;
    int32_t width = tile_width(c, column);
    spring_length lengths[DIRECTIONS];
    if (reach == 1) {
      EACH_DIRECTION(d, lengths[d] = length_of(corner_difference(&xs, d)));
      EACH_DIRECTION(d, pulls.along[d] = row_spring_pull(c, plan, d, i, springs_left(d, 1, below, left), &xs,
                                                         lengths[d], &vs, stored, width, left));
    } else {
      EACH_DIRECTION(d, lengths[d] = length_of(bend_span(&xs, d)));
      EACH_DIRECTION(d, pulls.along[d] =
                            row_bend_pull(c, plan, d, i, springs_left(d, 2, below, left), &xs, lengths[d], &vs, left));
    }
    lanes3 sum = accumulate_row(&pulls, &carry, reach, buffer, column, left);
    lanes3_store(change, i, lanes3_add(lanes3_load(change, i), sum), left);
  }
}

/* Compiled for either, unless size is asked for. */
CLOTH_HOT CLOTH_SEPARATE void add_row_of_springs(const cloth *c, const step_plan *plan, int32_t row, int32_t reach,
                                                 vector_array change) {
#if defined(__OPTIMIZE_SIZE__)
  add_row(c, plan, row, reach, change);
#else
  if (reach == 1) {
    add_row(c, plan, row, 1, change);
  } else {
    add_row(c, plan, row, 2, change);
  }
#endif
}

#if WITH_WRAP

/* Bend springs of a line. Kept with w = sqrt(slope) d. */
CLOTH_INLINE lanes3 seam_bend_pull(const cloth *c, const step_plan *plan, const seam_line *line, spring_block b,
                                   int32_t count, lanes3 x, lanes3 v, float *stored) {
  const int32_t width = seam_rows(c);
  lanes3 span = lanes3_quantise(x, WORK_ROUNDER);
  lanes3 pull =
      bend_pull(c, plan, line->direction, b, count, span, length_of(span), v, stored + 3 * width, CLOTH_LANES);
  if (line->mode == CLOTH_MODE_IMPLICIT) {
    vector_array w = {stored, stored + width, stored + 2 * width};
    lanes root = lanes_square_root(lanes_load(stored + 3 * width));
    lanes3_store(w, 0, lanes3_quantise(lanes3_scale(span, root), STATE_ROUNDER), CLOTH_LANES);
    lanes_store(stored + 3 * width, lanes_splat(0.0f));
  }
  return pull;
}

CLOTH_SEPARATE void add_seam_line(const cloth *c, const step_plan *plan, const seam_line *line, vector_array change) {
  for (int32_t row = 0; row < line->rows; row += CLOTH_LANES) {
    int32_t count = line->rows - row;
    spring_block b = {line->from + row * c->grid.columns, line->to + row * c->grid.columns, c->grid.columns};
    lanes3 x = seam_difference(c, line, evaluation_positions(c, plan), row, count);
    lanes3 v = seam_difference(c, line, vectors_at(c, c->state.velocity), row, count);
    float *stored = line->blocks + row;
    lanes3 pull;
    if (line->is_bend) {
      pull = seam_bend_pull(c, plan, line, b, count, x, v, stored);
    } else {
      stored = line->mode >= CLOTH_MODE_IMPLICIT ? stored : NULL;
      pull = spring_pull(c, &plan->spring[line->direction], b, count, x, length_of(x), v, stored, seam_rows(c),
                         CLOTH_LANES);
    }
    add_seam_pulls(c, line, change, row, pull, count);
  }
}

/* Adds the velocity changes of the springs across the seam, and fills their blocks of the operator. */
static void add_seam_forces(const cloth *c, const step_plan *plan, vector_array change) {
  for (int32_t n = 0; n < SEAM_SPRINGS + SEAM_BENDS; n++) {
    seam_line line = seam_line_at(c, plan, n);
    if (line.mode != CLOTH_MODE_OFF) {
      add_seam_line(c, plan, &line, change);
    }
  }
}

#endif

/* Adds the velocity changes of all springs to `change`, row by row. */
static void add_spring_forces(const cloth *c, const step_plan *plan, vector_array change) {
  clear_row_buffers(c);
  for (int32_t row = 0; row < c->grid.rows; row++) {
    if (plan->springs || plan->solves) {
      add_row_of_springs(c, plan, row, 1, change);
    }
    if (plan->bend_mode != CLOTH_MODE_OFF) {
      add_row_of_springs(c, plan, row, 2, change);
    }
  }
#if WITH_WRAP
  if (is_wrapped(c)) {
    add_seam_forces(c, plan, change);
  }
#endif
}

/* What gravity and velocity damping do to the velocity of any particle in a substep. */
typedef struct body_force {
  lanes3 gravity;
  lanes drag;
} body_force;

static body_force body_force_of(const cloth *c, const step_plan *plan) {
  float damping = minimum(c->settings.integration.velocity_damping * plan->h, 0.5f);
  body_force force;
  force.gravity = lanes3_splat(vector_flush_work(vector_scale(inputs_of(c)->gravity, plan->h)));
  force.drag = lanes_splat(damping < WORK_QUANTUM ? 0.0f : damping);
  return force;
}

CLOTH_INLINE lanes3 body_force_on(const body_force *force, lanes3 v) {
  return lanes3_subtract(force->gravity, lanes3_scale(v, force->drag));
}

/* Sets `change` to these, times the mass ratio. */
CLOTH_HOT static void set_body_forces(const cloth *c, const step_plan *plan, vector_array change) {
  vector_array v = vectors_at(c, c->state.velocity);
  body_force force = body_force_of(c, plan);
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    lanes3 a = body_force_on(&force, lanes3_load(v, i));
    lanes3_store(change, i, lanes3_scale(a, mass_ratio_lanes(c, i)), c->count - i);
  }
}

/* Fills `change` with the right-hand side of the substep: k f / m0, plus the implicit springs' k^2 K v / m0. */
CLOTH_SEPARATE void evaluate_forces(const cloth *c, const step_plan *plan, vector_array change) {
  set_body_forces(c, plan, change);
  if (has_air(c)) {
    add_air(c, plan, change);
  }
  add_spring_forces(c, plan, change);
}
