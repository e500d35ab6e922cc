#pragma once
#include "../access.h"
#include "../base/rows.h"
#include "../compiler.h"
#include "../lanes.h"
#include "../scalar.h"
#include "../solve/arrays.h"
#include "../solve/product.h"
#include "../terms/hinges.h"
#include "../terms/plate.h"
#include "../terms/springs.h"
#include "../types.h"
#include "linearise.h"
#include "predict.h"

/// A bound on the energy of stiff cloth ///

/*
 * Few iterations of a linearised solve can leave stiff cloth with more energy than it had. So after the solve the
 * incremental potential itself is compared, of cloth that is as stiff as substep_terms.goes_back says and whose pins
 * rest: while it is above that of standing still, Phi(x_n + d) > Phi(x_n), the way d is halved, at most MOST_HALVINGS
 * times. Each time is counted; at rest d is 0, and nothing happens.
 *
 * In: solution, direction and last step, state. Out: solution; the last step is 0. Scratch: place = x_n and
 * direction = d; row buffers.
 */

#define MOST_HALVINGS 4

/* 1 if no pin moves in the substep. */
static int do_pins_rest(const cloth *c) {
  const vector_array v = vectors_at(c, c->state.velocity);
  for (int32_t i = next_pin(c, 0); i < c->count; i = next_pin(c, i + 1)) {
    const cloth_vector velocity = vector_load(v, i);
    if (velocity.x != 0.0f || velocity.y != 0.0f || velocity.z != 0.0f) {
      return 0;
    }
  }
  return 1;
}

/* place = x_n and direction = d, the way over the substep. */
static void set_ways(const cloth *c, const substep_terms *t, int32_t has_solution) {
  const solve_arrays arrays = arrays_of(c), *a = &arrays;
  const prediction_terms p = prediction_of(c, t);
  const lanes last_step = lanes_splat(workspace_of(c)->last_step);
  const lanes3 none = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  for (int32_t row = 0; row < a->rows; row++) {
    float *place = near_row(a->place, a->pitch, row), *way = near_row(a->direction, a->pitch, row);
    const float *diagonal = a->diagonal + row * a->pitch, *solution = a->solution + 3 * row * a->pitch;
    for (int32_t i = 0; i < a->columns; i += CLOTH_LANES) {
      const int32_t particle = row * a->columns + i;
      const lanes_mask moves = lanes_less(lanes_splat(0.0f), lanes_load(diagonal + i));
      lanes3 d = lanes3_add_scaled(has_solution ? own_load(solution, i) : none, near_load(way, a->plane, i), last_step);
      d = lanes3_add(predicted_way(&p, particle, moves, p.reach), lanes3_keep(moves, d));
      near_store(way, a->plane, i, lanes3_quantise(d, WORK_ROUNDER));
      near_store(place, a->plane, i, lanes3_quantise(lanes3_load(p.x, particle), STATE_ROUNDER));
    }
    if (a->is_ring) {
      close_ring(place, a->plane, a->columns);
      close_ring(way, a->plane, a->columns);
    }
  }
  workspace_of(c)->last_step = 0.0f;
}

/* The scaled energy of the springs of a family at a length, over k'. */
CLOTH_INLINE lanes spring_energy(const substep_terms *t, int32_t d, lanes length, lanes rest) {
  const lanes zero = lanes_splat(0.0f), half = lanes_splat(0.5f), over = lanes_subtract(length, rest);
  const lanes share = lanes_select(lanes_less(over, zero), lanes_splat(t->spring[d].compression), lanes_splat(1.0f));
  lanes energy = lanes_multiply(lanes_multiply(half, share), lanes_multiply(over, over));
  if (d <= WEFT && t->limit > 0.0f) { /* the integral of the branch of the strain limit */
    const lanes width = lanes_multiply(rest, lanes_splat(LIMIT_WIDTH * t->limit));
    const lanes q = lanes_divide(lanes_subtract(over, lanes_multiply(rest, lanes_splat(t->limit))),
                                 lanes_maximum(width, lanes_splat(WORK_QUANTUM)));
    const lanes in = lanes_minimum(lanes_maximum(q, zero), lanes_splat(1.0f)),
                out = lanes_maximum(lanes_subtract(q, lanes_splat(1.0f)), zero);
    const lanes cube = lanes_multiply(lanes_multiply(in, in), lanes_multiply(in, lanes_splat(1.0f / 6.0f)));
    const lanes square = lanes_multiply(half, lanes_multiply(out, lanes_add(out, lanes_splat(1.0f))));
    const lanes scale = lanes_multiply(lanes_multiply(width, width), lanes_splat(t->limit_stiffness));
    energy = lanes_add(energy, lanes_multiply(scale, lanes_add(cube, square)));
  }
  return energy;
}

/* By how much the energy of a block of springs rises over the way. */
CLOTH_INLINE lanes spring_rise(const linear_row *r, const substep_terms *t, int32_t d, int32_t i) {
  const int32_t is_down = d != WARP, step = is_down ? column_step(d) : 1;
  const spring_coefficients k = coefficients_at(r, d, i);
  const lanes3 before =
      lanes3_subtract(near_load(r->x, r->plane, i), near_load(is_down ? r->x_below : r->x, r->plane, i + step));
  const lanes3 change =
      lanes3_subtract(near_load(r->way, r->plane, i), near_load(is_down ? r->way_below : r->way, r->plane, i + step));
  const lanes3 after = lanes3_add(before, change);
  const lanes least = lanes_splat(LEAST_SQUARED_LENGTH);
  const lanes short_ = lanes_square_root(lanes_maximum(lanes3_dot(before, before), least));
  const lanes long_ = lanes_square_root(lanes_maximum(lanes3_dot(after, after), least));
  const lanes rest = lanes_divide(k.tension, lanes_maximum(k.stiffness, lanes_splat(WORK_QUANTUM)));
  if (t->spring[d].compression < 1.0f || (d <= WEFT && t->limit > 0.0f)) {
    return lanes_multiply(k.stiffness,
                          lanes_subtract(spring_energy(t, d, long_, rest), spring_energy(t, d, short_, rest)));
  }
  /* 1/2 k' (l' - l) (l' + l - 2 L), with l' - l from the difference of the squares, which rounds less */
  const lanes sum = lanes_add(long_, short_);
  const lanes longer = lanes_divide(lanes3_dot(change, lanes3_add(before, after)), sum);
  const lanes over = lanes_subtract(sum, lanes_multiply(lanes_splat(2.0f), rest));
  return lanes_multiply(lanes_multiply(lanes_splat(0.5f), k.stiffness), lanes_multiply(longer, over));
}

/* By how much Phi rises over the ways of a row: inertia and gravity, 1/2 W d . (d - 2 w) - W s h^2 g . d with the
   prediction's way w; the plate, 1/2 (A d) . (2 x + d); springs that start in the row. */
static row_sum rise_of_row(const cloth *c, const substep_terms *t, const solve_arrays *a, int32_t row) {
  const prediction_terms p = prediction_of(c, t);
  const linear_row r = linear_row_of(a, row);
  const lanes half = lanes_splat(0.5f), rest = lanes_splat(1.0f + t->rest), two = lanes_splat(2.0f);
  const lanes3 fall = lanes3_splat(vector_flush_work(vector_scale(inputs_of(c)->gravity, t->share * t->h * t->h)));
  const cloth_vector centre = near_vector(r.x, r.plane, 0);
  const float *diagonal = a->diagonal + row * a->pitch, *plate = vector_buffer(a, BUFFER_PLATE);
  row_sum sum = row_sum_start();
  for (int32_t i = 0; i < a->columns; i += CLOTH_LANES) {
    const lanes_mask moves = lanes_less(lanes_splat(0.0f), lanes_load(diagonal + i));
    const lanes mass = lanes_keep(moves, mass_ratio_lanes(c, row * a->columns + i));
    const lanes3 d = near_load(r.way, r.plane, i),
                 x = lanes3_subtract(near_load(r.x, r.plane, i), lanes3_splat(centre));
    const lanes3 w = lanes3_scale(predicted_way(&p, row * a->columns + i, moves, p.reach), rest);
    const lanes3 less = lanes3_add(lanes3_scale(lanes3_subtract(d, lanes3_scale(w, two)), half),
                                   lanes3_scale(fall, lanes_splat(-1.0f)));
    lanes rise = lanes_multiply(mass, lanes3_dot(d, less));
    if (t->bends) {
      const lanes3 both = lanes3_add_scaled(d, x, two);
      rise = lanes_add(rise, lanes_multiply(half, lanes3_dot(near_load(plate, r.buffer, i), both)));
    }
    const int32_t directions = row + 1 < a->rows ? DIRECTIONS : 1;
    for (int32_t n = 0; n < directions; n++) {
      rise = lanes_add(rise, spring_rise(&r, t, n, i));
    }
    row_sum_add(&sum, i, lanes_within(rise, a->columns - i));
  }
  return sum;
}

/* By how much Phi rises over the ways. */
static float potential_rise(const cloth *c, const substep_terms *t) {
  const solve_arrays arrays = arrays_of(c), *a = &arrays;
  const plate_rows plate = plate_of(a, t, a->direction, 1.0f);
  const lanes_sum none = {{0.0f}};
  for (int32_t row = 0; row < a->rows; row++) {
    if (t->bends) {
      bend_plate(&plate, row);
    }
    const row_sum sum = rise_of_row(c, t, a, row);
    row_sum_store(a->sums + LANES_SUMS * row, &sum);
  }
  return rows_total(a->sums, a->rows, LANES_SUMS, none);
}

/* Halves the ways of particles that move; with a factor of 1 ends the guard: solution = d less the prediction's way. */
static void halve_ways(const cloth *c, const substep_terms *t, int32_t is_end) {
  const solve_arrays arrays = arrays_of(c), *a = &arrays;
  const prediction_terms p = prediction_of(c, t);
  for (int32_t row = 0; row < a->rows; row++) {
    float *way = near_row(a->direction, a->pitch, row), *solution = a->solution + 3 * row * a->pitch;
    const float *diagonal = a->diagonal + row * a->pitch;
    for (int32_t i = 0; i < a->columns; i += CLOTH_LANES) {
      const lanes_mask moves = lanes_less(lanes_splat(0.0f), lanes_load(diagonal + i));
      const lanes3 d = near_load(way, a->plane, i);
      if (is_end) {
        own_store(solution, i, lanes3_subtract(d, predicted_way(&p, row * a->columns + i, moves, p.reach)));
      } else {
        const lanes3 half = lanes3_quantise(lanes3_scale(d, lanes_splat(0.5f)), WORK_ROUNDER);
        near_store(way, a->plane, i, lanes3_select(moves, half, d));
      }
    }
    if (a->is_ring) {
      close_ring(way, a->plane, a->columns);
    }
  }
}

/* Bounds the energy of a solved substep. Returns how often the way was halved. With fixed work the energy is compared
   as often as may be, and also where pins move, whose ways stay as they are. */
CLOTH_SEPARATE int32_t guard_energy(const cloth *c, const substep_terms *t, int32_t has_solution) {
  const int32_t fixed_work = c->settings.capacity.fixed_work;
  int32_t halvings = 0, rises = do_pins_rest(c);
  set_ways(c, t, has_solution);
  for (int32_t n = 0; n < MOST_HALVINGS && (rises || fixed_work); n++) {
    rises = potential_rise(c, t) > 0.0f && rises;
    if (rises) {
      halve_ways(c, t, 0);
      halvings++;
    }
  }
  halve_ways(c, t, 1);
  return halvings;
}
