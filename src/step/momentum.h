#pragma once
#include "../access.h"
#include "../base/rows.h"
#include "../block3.h"
#include "../compiler.h"
#include "../gaps.h"
#include "../lanes.h"
#include "../scalar.h"
#include "../solve/arrays.h"
#include "../terms/wind.h"
#include "../types.h"
#include "predict.h"

/// Momentum of cloth that nothing holds ///

/*
 * What is left of the residual when a solve ends is a force that acts from nowhere. On cloth in one piece that no pin,
 * target or confinement holds, its sum and its moment are taken out of the solution again, so that the momentum changes
 * by gravity and air alone, and the angular momentum by air alone:
 *
 *   d = W y less what gravity and air give at the solution,  p = sum d
 *   e = W (x + y - x_n - h f v0) less what air gives,         L = sum r x e,  r = x_n less the centre of mass
 *   y -= p / sum W + (I^-1 L) x r
 *
 * The sum of W x_n x x is the angular momentum of the new state, so this is exact. It stretches cloth by half of the
 * square of the angle: what a solve of coarse, stiff cloth leaves over, which may turn it by a radian, is taken back in
 * parts.
 *
 * In: solution, direction, last step, state, air. Out: solution; the last step is 0 afterwards. Scratch: none.
 */

/* 1 if no particle is pinned, confined or led, and the cloth is one piece: each piece has momenta of its own. */
static int is_free_piece(const cloth *c) {
#if WITH_GAPS
  if (has_gaps(c)) {
    int free = gap_summary_of(c)->pieces == 1 && !is_torn_cloth(c);
    for (int32_t i = 0; i < c->count; i++) {
      free &= (freedom_of(c)[i] & FREEDOM_MASK) == FREEDOM_FREE || is_gap(c, i, GAP_PARTICLE);
    }
    return free && inputs_of(c)->targets == TARGETS_NONE;
  }
#endif
  return are_all_free(c) && inputs_of(c)->targets == TARGETS_NONE;
}

/* Sums of vectors over all particles. */
typedef struct vector_sum {
  row_sum x, y, z;
} vector_sum;

static vector_sum vector_sum_start(void) {
  const vector_sum s = {row_sum_start(), row_sum_start(), row_sum_start()};
  return s;
}

CLOTH_INLINE void vector_sum_add(vector_sum *s, int32_t i, lanes3 a) {
  row_sum_add(&s->x, i, a.x);
  row_sum_add(&s->y, i, a.y);
  row_sum_add(&s->z, i, a.z);
}

static float sum_of(const row_sum *s) {
  lanes_sum sum;
  row_sum_store(sum.partial, s);
  return lanes_sum_total(&sum);
}

static cloth_vector vector_sum_of(const vector_sum *s) {
  return vector(sum_of(&s->x), sum_of(&s->y), sum_of(&s->z));
}

/* The mass ratios of a block of particles: W, where the cloth has them, else 0. */
CLOTH_INLINE lanes mass_ratios(const cloth *c, const float *diagonal, int32_t first, int32_t i) {
  const lanes_mask there = lanes_less(lanes_splat(0.0f), lanes_load(diagonal + i));
  return lanes_keep(there, mass_ratio_lanes(c, first + i));
}

/* The mean of the right-hand side over the mass: the displacement of all of a free cloth. Takes it out of the residual
   and returns it: the solve starts from there. */
CLOTH_SEPARATE cloth_vector take_common_motion(const cloth *c) {
  const solve_arrays arrays = arrays_of(c), *a = &arrays;
  vector_sum forces = vector_sum_start();
  row_sum masses = row_sum_start();
  for (int32_t row = 0; row < a->rows; row++) {
    const float *diagonal = a->diagonal + row * a->pitch, *residual = a->residual + 3 * row * a->pitch;
    for (int32_t i = 0; i < a->columns; i += CLOTH_LANES) {
      row_sum_add(&masses, i, mass_ratios(c, diagonal, row * a->columns, i));
      vector_sum_add(&forces, i, own_load(residual, i));
    }
  }
  const float mass = sum_of(&masses);
  const cloth_vector common =
      vector_flush_work(vector_scale(vector_sum_of(&forces), 1.0f / maximum(mass, WORK_QUANTUM)));
  const lanes3 motion = lanes3_splat(common);
  for (int32_t row = 0; row < a->rows; row++) {
    const float *diagonal = a->diagonal + row * a->pitch;
    float *residual = a->residual + 3 * row * a->pitch;
    for (int32_t i = 0; i < a->columns; i += CLOTH_LANES) {
      lanes3 taken = lanes3_scale(motion, mass_ratios(c, diagonal, row * a->columns, i));
      if (a->air) { /* A u, of which the blocks of the air are part */
        const lanes3 w = own_load(a->air, row * a->pitch + i);
        const lanes more = lanes_subtract(lanes_load(diagonal + i), mass_ratios(c, diagonal, row * a->columns, i));
        taken = lanes3_add_scaled(lanes3_add_scaled(taken, w, lanes3_dot(w, motion)), motion, more);
      }
      own_store(residual, i, lanes3_quantise(lanes3_subtract(own_load(residual, i), taken), WORK_ROUNDER));
    }
  }
  return common;
}

/* Starts the solution at a motion of all. */
CLOTH_SEPARATE void start_at(const cloth *c, cloth_vector common) {
  const solve_arrays arrays = arrays_of(c), *a = &arrays;
  for (int32_t row = 0; row < a->rows; row++) {
    for (int32_t i = 0; i < a->columns; i += CLOTH_LANES) {
      const lanes_mask moves = lanes_less(lanes_splat(0.0f), lanes_load(a->diagonal + row * a->pitch + i));
      own_store(a->solution, row * a->pitch + i, lanes3_keep(moves, lanes3_splat(common)));
    }
  }
}

/* Sums over the cloth, about a centre. */
typedef struct momentum_sums {
  vector_sum linear, angular, square, product; /* of d, r x e, W r_k^2, W r_y r_z and so on */
} momentum_sums;

/* Moves the last step into the solution of a block, and returns y. */
CLOTH_INLINE lanes3 finished_solution(const solve_arrays *a, int32_t row, int32_t i, lanes last_step,
                                      int32_t has_solution) {
  float *solution = a->solution + 3 * row * a->pitch;
  lanes3 y = lanes3_scale(near_load(near_row(a->direction, a->pitch, row), a->plane, i), last_step);
  y = has_solution ? lanes3_add(y, own_load(solution, i)) : y;
  own_store(solution, i, y);
  return y;
}

/* What the air gives a block at the solution y, times the mass ratio. */
CLOTH_INLINE lanes3 air_at_solution(const solve_arrays *a, const wind_row *wind, int32_t i, int32_t ends, lanes3 way,
                                    lanes3 y) {
  const wind_force f = wind_on_block(wind, i, ends, way);
  const lanes3 w = lanes3_scale(f.normal, f.root);
  const lanes held = lanes_subtract(lanes_load(a->diagonal + wind->place + i),
                                    mass_ratios(wind->c, a->diagonal + wind->place, wind->first, i));
  return lanes3_subtract(lanes3_subtract(f.force, lanes3_scale(w, lanes3_dot(w, y))), lanes3_scale(y, held));
}

/* Adds a row to the sums. */
static void sum_momentum_of_row(const cloth *c, const substep_terms *t, const solve_arrays *a, int32_t row,
                                cloth_vector centre, int32_t has_solution, momentum_sums *s) {
  const prediction_terms p = prediction_of(c, t);
  const lanes last_step = lanes_splat(workspace_of(c)->last_step), rest = lanes_splat(t->rest);
  const lanes3 fall = lanes3_splat(vector_flush_work(vector_scale(inputs_of(c)->gravity, t->share * t->h * t->h)));
  const float *diagonal = a->diagonal + row * a->pitch;
  const int32_t first = row * a->columns;
  const wind_row wind = a->air ? wind_row_of(c, a, t, row) : no_wind_row();
  EACH_ROW_BLOCK(i, ends, a->columns, {
    const lanes mass = mass_ratios(c, diagonal, first, i);
    const lanes_mask there = lanes_less(lanes_splat(0.0f), mass);
    const lanes3 y = finished_solution(a, row, i, last_step, has_solution);
    const lanes3 way = predicted_way(&p, first + i, there, p.reach);
    const lanes3 going = lanes3_quantise(
        lanes3_scale(lanes3_load(p.v, first + i), lanes_multiply(left_by_drag(&p, lanes3_load(p.v, first + i)), p.h)),
        WORK_ROUNDER);
    lanes3 d = lanes3_scale(lanes3_subtract(lanes3_subtract(y, lanes3_scale(way, rest)), fall), mass);
    lanes3 e = lanes3_scale(lanes3_subtract(lanes3_add(way, y), going), mass);
    if (a->air) {
      const lanes3 air = air_at_solution(a, &wind, i, ends, way, y);
      d = lanes3_subtract(d, air);
      e = lanes3_subtract(e, air);
    }
    const lanes3 arm = lanes3_subtract(lanes3_load(p.x, first + i), lanes3_splat(centre));
    const lanes3 r = lanes3_quantise(lanes3_keep(there, arm), WORK_ROUNDER);
    d = lanes3_quantise(lanes3_keep(there, d), WORK_ROUNDER);
    e = lanes3_quantise(lanes3_keep(there, e), WORK_ROUNDER);
    const lanes3 heavy = lanes3_scale(r, mass);
    vector_sum_add(&s->linear, i, d);
    vector_sum_add(&s->angular, i, lanes3_cross(r, e));
    vector_sum_add(&s->square, i,
                   lanes3_of(lanes_multiply(heavy.x, r.x), lanes_multiply(heavy.y, r.y), lanes_multiply(heavy.z, r.z)));
    vector_sum_add(&s->product, i,
                   lanes3_of(lanes_multiply(heavy.y, r.z), lanes_multiply(heavy.z, r.x), lanes_multiply(heavy.x, r.y)));
  });
}

/* The centre of mass at the start of the substep, and the sum of the mass ratios. */
static cloth_vector centre_of_mass(const cloth *c, const solve_arrays *a, float *mass) {
  const vector_array x = vectors_at(c, c->state.position);
  vector_sum moments = vector_sum_start();
  row_sum masses = row_sum_start();
  for (int32_t row = 0; row < a->rows; row++) {
    const float *diagonal = a->diagonal + row * a->pitch;
    for (int32_t i = 0; i < a->columns; i += CLOTH_LANES) {
      const lanes ratio = mass_ratios(c, diagonal, row * a->columns, i);
      row_sum_add(&masses, i, ratio);
      const lanes3 place = lanes3_keep(lanes_less(lanes_splat(0.0f), ratio), lanes3_load(x, row * a->columns + i));
      vector_sum_add(&moments, i, lanes3_scale(lanes3_quantise(place, WORK_ROUNDER), ratio));
    }
  }
  *mass = sum_of(&masses);
  return vector_scale(vector_sum_of(&moments), 1.0f / maximum(*mass, WORK_QUANTUM));
}

/* Least pivot of the tensor of inertia over its trace: cloth rolled into a line must not spin about itself. */
#define LEAST_INERTIA 1.0e-5f

/* Largest turn that is taken back in a substep [rad]. */
#define LARGEST_TURN 0.3f

/* I^-1 L, with the tensor of inertia from its sums. */
static cloth_vector turn_by_moment(const momentum_sums *s) {
  const cloth_vector q = vector_sum_of(&s->square), p = vector_sum_of(&s->product), l = vector_sum_of(&s->angular);
  const float trace = 2.0f * (q.x + q.y + q.z);
  if (!(trace > STATE_QUANTUM)) {
    return vector(0.0f, 0.0f, 0.0f);
  }
  const float share = 1.0f / trace, more = LEAST_INERTIA;
  const symmetric inertia = {.xx = lanes_splat((q.y + q.z) * share + more),
                             .yy = lanes_splat((q.z + q.x) * share + more),
                             .zz = lanes_splat((q.x + q.y) * share + more),
                             .xy = lanes_splat(flush_small(negate(p.z) * share, WORK_QUANTUM)),
                             .xz = lanes_splat(flush_small(negate(p.y) * share, WORK_QUANTUM)),
                             .yz = lanes_splat(flush_small(negate(p.x) * share, WORK_QUANTUM))};
  const lanes3 moment = lanes3_splat(vector_flush_work(vector_scale(l, share)));
  const symmetric inverse = symmetric_quantise(symmetric_inverse(inertia, lanes_splat(LEAST_INERTIA)));
  return vector_flush_work(lanes3_first(symmetric_apply(inverse, moment)));
}

/* Takes what the solve has left over out of the solution of a free cloth. */
CLOTH_SEPARATE void restore_momentum(const cloth *c, const substep_terms *t, int32_t has_solution) {
  const solve_arrays arrays = arrays_of(c), *a = &arrays;
  const vector_array x = vectors_at(c, c->state.position);
  float mass;
  const cloth_vector centre = centre_of_mass(c, a, &mass);
  momentum_sums s = {vector_sum_start(), vector_sum_start(), vector_sum_start(), vector_sum_start()};
  for (int32_t row = 0; row < a->rows; row++) {
    sum_momentum_of_row(c, t, a, row, centre, has_solution, &s);
  }
  workspace_of(c)->last_step = 0.0f;
  const cloth_vector drift = vector_scale(vector_sum_of(&s.linear), 1.0f / maximum(mass, WORK_QUANTUM));
  cloth_vector angle = turn_by_moment(&s);
  clamp_length(&angle, LARGEST_TURN);
  const lanes3 shift = lanes3_splat(vector_flush_work(drift)), turned = lanes3_splat(angle);
  for (int32_t row = 0; row < a->rows; row++) {
    float *solution = a->solution + 3 * row * a->pitch;
    for (int32_t i = 0; i < a->columns; i += CLOTH_LANES) {
      const lanes3 r = lanes3_subtract(lanes3_load(x, row * a->columns + i), lanes3_splat(centre));
      const lanes3 excess = lanes3_add(shift, lanes3_cross(turned, r));
      own_store(solution, i, lanes3_subtract(own_load(solution, i), excess));
    }
  }
}
