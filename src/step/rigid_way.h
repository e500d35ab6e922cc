#pragma once
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/rows.h"
#include "../base/scalar.h"
#include "../cloth/access.h"
#include "../cloth/arrays.h"
#include "../cloth/members.h"
#include "../contact/cell_memory.h"
#include "momentum.h"
#include "restore.h"

/// Motion as a whole ///

/*
 * The part of the ways of a free cloth over a substep that has its momentum and its angular momentum, and deforms
 * nothing: a shift and a turn about the centre of mass, with b the axis times the tangent of half the angle,
 *
 *   t + R r - r = t + 2 / (1 + b^2) (b x r + b x (b x r))
 *
 * Its angular momentum sum W r x R r is 2 / (1 + b^2) (I b - b x S b), S = sum W r r^T; a few steps of
 * b += I'^-1 ((1 + b^2) L / 2 + b x S b - I b) find the b of a given L, with an I' that has a least pivot. Cloth that
 * is held, or touches a collider, moves as a whole not at all.
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

/* b of the moment. */
CLOTH_ONCE cloth_vector half_turn_of(const inertia_sums *t, cloth_vector moment) {
  const inertia_tensor inertia = tensor_of_inertia(t);
  const cloth_vector q = t->arms.diagonal, o = t->arms.others;
  cloth_vector b = vector_scale(turn_by_moment(&inertia, moment), 0.5f);
  for (int32_t n = 0; n < TURN_STEPS; n++) {
    clamp_length(&b, LARGEST_HALF_TURN);
    const cloth_vector sb =
        vector(q.x * b.x + o.z * b.y + o.y * b.z, o.z * b.x + q.y * b.y + o.x * b.z, o.y * b.x + o.x * b.y + q.z * b.z);
    const cloth_vector ib = vector_subtract(vector_scale(b, q.x + q.y + q.z), sb);
    const cloth_vector wanted = vector_scale(moment, 0.5f * (1.0f + vector_dot(b, b)));
    const cloth_vector left = vector_subtract(vector_add(wanted, vector_cross(b, vector_flush_work(sb))), ib);
    b = vector_add(b, turn_by_moment(&inertia, left));
  }
  clamp_length(&b, LARGEST_HALF_TURN);
  return b;
}

/* The momenta of the ways `way`, a near array, about a centre. */
CLOTH_SEPARATE momenta momenta_of_ways(const cloth *c, float *way, cloth_vector centre) {
  const solve_arrays arrays = arrays_of(c), *a = &arrays;
  const vector_array x = vectors_at(c, c->state.position);
  momentum_sums *s = (momentum_sums *)room_between_passes(c);
  clear_room(c, sizeof *s);
  for (int32_t row = 0; row < a->rows; row++) {
    const float *ways = near_row(way, a->pitch, row);
    for (int32_t i = 0; i < a->columns; i += CLOTH_LANES) {
      const lanes ratio = mass_ratios(c, a->diagonal + row * a->pitch, row * a->columns, i);
      const lanes_mask there = lanes_less(lanes_splat(0.0f), ratio);
      const lanes3 moved = lanes3_keep(there, lanes3_scale(near_load(ways, a->plane, i), ratio));
      const lanes3 d = lanes3_quantise(moved, WORK_ROUNDER);
      momentum_sums_add(s, i, d, d, arms_of_block(x, row * a->columns + i, there, centre));
    }
  }
  const momenta m = momenta_of(s);
  clear_room(c, sizeof *s);
  return m;
}

/* 1 if cloths that are solved as one may move as a whole. */
static int may_move_as_whole(const solve_group *s) {
  int may = 1;
  EACH_MEMBER(s, m, may &= is_free_piece(m->c) && !meets_colliders(m->c));
  return may;
}

/* The motion as a whole of cloths with the ways `bent`. */
CLOTH_SEPARATE rigid_way rigid_part(const solve_group *s) {
  rigid_way whole;
  inertia_sums inertia;
  fill_zero(&whole, sizeof whole);
  fill_zero(&inertia, sizeof inertia);
  if (!may_move_as_whole(s)) { return whole; }
  float mass;
  whole.centre = centre_of_members(s, LABEL_ALL, 0, &mass);
  momenta sum = {vector(0.0f, 0.0f, 0.0f), vector(0.0f, 0.0f, 0.0f)};
  EACH_MEMBER(s, m, {
    const solve_arrays a = arrays_of(m->c);
    const momenta moved = momenta_of_ways(m->c, a.bent, whole.centre);
    inertia_sums sums;
    find_inertia_sums(m->c, &a, whole.centre, 0, &sums);
    const float weight = mass_weight(s, m);
    add_weighted(&sum.linear, moved.linear, weight);
    add_weighted(&sum.angular, moved.angular, weight);
    add_inertia(&inertia, &sums, weight);
  });
  whole.shift = shift_by_momentum(&inertia, mass, sum.linear);
  whole.half_turn = half_turn_of(&inertia, sum.angular);
  whole.share = 2.0f / (1.0f + vector_dot(whole.half_turn, whole.half_turn));
  return whole;
}
