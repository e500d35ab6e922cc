#pragma once
#include "../access.h"
#include "../base/rows.h"
#include "../compiler.h"
#include "../lanes.h"
#include "../scalar.h"
#include "../solve/arrays.h"
#include "momentum.h"

/// Motion as a whole ///

/*
 * The part of the ways of a free cloth over a substep that has its momentum and its angular momentum, and deforms
 * nothing: a shift and a turn about the centre of mass, with b the axis times the tangent of half the angle,
 *
 *   t + R r - r = t + 2 / (1 + b^2) (b x r + b x (b x r))
 *
 * Its angular momentum sum W r x R r is 2 / (1 + b^2) (I b - b x S b), S = sum W r r^T; a few steps of
 * b = I^-1 ((1 + b^2) L / 2 + b x S b) find the b of a given L. Cloth that is held moves as a whole not at all.
 *
 * In: state, ways. Out: the motion. Scratch: none.
 */

/* Steps to find b: turns of less than half a radian agree to 1e-4 then. */
#define TURN_STEPS 4
/* Largest b, a right angle: a turn by more has less angular momentum. */
#define LARGEST_HALF_TURN 1.0f

typedef struct rigid_way {
  cloth_vector centre, shift, half_turn; /* half_turn: b */
  float share;                           /* 2 / (1 + b^2) */
} rigid_way;

/* The way of a block of particles at x. */
CLOTH_INLINE lanes3 rigid_way_of_block(const rigid_way *m, lanes3 x) {
  const lanes3 b = lanes3_splat(m->half_turn), r = lanes3_subtract(x, lanes3_splat(m->centre));
  const lanes3 once = lanes3_cross(b, r);
  const lanes3 turned = lanes3_scale(lanes3_add(once, lanes3_cross(b, once)), lanes_splat(m->share));
  return lanes3_add(lanes3_splat(m->shift), turned);
}

/* b of the moment in the sums. */
static cloth_vector half_turn_of(const momentum_sums *s) {
  const inertia_tensor inertia = tensor_of_inertia(s);
  const cloth_vector moment = vector_sum_of(&s->angular);
  const cloth_vector q = vector_sum_of(&s->arms.diagonal), o = vector_sum_of(&s->arms.others);
  cloth_vector b = vector_scale(turn_by_moment(&inertia, moment), 0.5f);
  for (int32_t n = 0; n < TURN_STEPS; n++) {
    clamp_length(&b, LARGEST_HALF_TURN);
    const cloth_vector sb =
        vector(q.x * b.x + o.z * b.y + o.y * b.z, o.z * b.x + q.y * b.y + o.x * b.z, o.y * b.x + o.x * b.y + q.z * b.z);
    const float half = 0.5f * (1.0f + vector_dot(b, b));
    b = turn_by_moment(&inertia, vector_add(vector_scale(moment, half), vector_cross(b, vector_flush_work(sb))));
  }
  clamp_length(&b, LARGEST_HALF_TURN);
  return b;
}

/* The motion as a whole of a cloth with the ways `way`, a near array. */
static rigid_way rigid_part(const cloth *c, const solve_arrays *a, float *way) {
  const vector_array x = vectors_at(c, c->state.position);
  rigid_way m;
  fill_zero(&m, sizeof m);
  if (!is_free_piece(c)) {
    return m;
  }
  float mass;
  m.centre = centre_of_mass(c, a, &mass);
  momentum_sums s = momentum_sums_start();
  for (int32_t row = 0; row < a->rows; row++) {
    const float *ways = near_row(way, a->pitch, row);
    for (int32_t i = 0; i < a->columns; i += CLOTH_LANES) {
      const lanes ratio = mass_ratios(c, a->diagonal + row * a->pitch, row * a->columns, i);
      const lanes_mask there = lanes_less(lanes_splat(0.0f), ratio);
      const lanes3 d = lanes3_scale(near_load(ways, a->plane, i), ratio), moved = lanes3_keep(there, d);
      const lanes3 r = arms_of_block(x, row * a->columns + i, there, m.centre);
      momentum_sums_add(&s, i, lanes3_quantise(moved, WORK_ROUNDER), lanes3_quantise(moved, WORK_ROUNDER), r, ratio);
    }
  }
  m.shift = shift_by_momentum(&s, mass);
  m.half_turn = half_turn_of(&s);
  m.share = 2.0f / (1.0f + vector_dot(m.half_turn, m.half_turn));
  return m;
}
