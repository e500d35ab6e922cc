#pragma once
#include "../base/block3.h"
#include "../cloth/types.h"

/// Springs ///

/*
 * A stretch or shear spring between two particles, d = x_1 - x_0, l = |d|, rest length L (Choi and Ko 2002; Boxerman
 * 2003 section 4.4):
 *
 *   energy     k / 2 (l - L)^2; below L the share `compression` of k
 *   damping    kd per relative speed along the spring
 *   force      on particle 0: N d / l, with N = k' (l - L) + c' d . (u_1 - u_0) / l and u the way since x_n
 *   block      a I + (c / l^2) d d^T, with
 *              a = max(0, k' (1 - L / l), min(.05 k', 2 k' |w|^2 / L^2))
 *              c = max(0, k' + c' - a)
 *
 * k' = s h^2 k / m0 and c' = s h kd / m0. The block is the second derivative without what would make it indefinite. w
 * is the part across the spring of h times the last change of its relative velocity, 0 at rest: without it springs that
 * turn fast are taken for straight, and lengthen.
 *
 * With compression < 1 the block of a spring that is shorter than L by no more than COMING_WAY |w'| counts the whole
 * k', w' the relative velocity's last change times h: a block that is there only once it is taut comes and goes.
 *
 * Strain limit of warp and weft: a second spring of stiffness k_2 from the length (1 + limit) L on. With the excess
 * e = l - (1 + limit) L, w = .1 limit L and q = e / w its force is k_2 w times 0, q^2 / 2, q - 1/2 for q < 0, < 1,
 * above; its block counts in full from e = -.3 limit L on.
 */

/* Largest share of a spring's stiffness that turning adds across it, and the weight of the squared turn. Without a cap
   a sheet that whirls becomes rigid; with a weight of 0 hit cloth stretches by half more (S10). */
#define TURN_CAP 0.05f
#define TURN_WEIGHT 2.0f
/* Turns that a slack spring is short of its rest length by at most to count as taut. */
#define COMING_WAY 1.0f
/* Least squared length of a spring [m^2]: what is shorter has no direction. */
#define LEAST_SQUARED_LENGTH 1.0e-20f
/* Below this c / l^2 counts as 0, 2^-26 [1/m^2]: times d, of whole 2^-30 m, and the product of d and directions, of
   whole 2^-70 m^2, it might be subnormal. */
#define LEAST_ALONG 1.4901161193847656e-08f
/* Width of the soft beginning of a strain limit, and how far below it its block counts, in shares of the limit. */
#define LIMIT_WIDTH 0.1f
#define LIMIT_AHEAD 0.3f

/* Coefficients of a block of springs: k', k' L, TURN_WEIGHT k' / L^2, c'. */
typedef struct spring_coefficients {
  lanes stiffness, tension, turn, damping;
} spring_coefficients;

/* What a spring depends on: from its second to its first particle vectors between places, ways, and turns. */
typedef struct spring_motion {
  lanes3 d, way, turn;
} spring_motion;

/* A linearised spring: the force on its first particle is -force d, its block across I + along d d^T. */
typedef struct linear_spring {
  lanes force, across, along;
} linear_spring;

/* Adds the branch of the strain limit to a spring of length l. `own` is k' (1 - L / l) without it. */
CLOTH_INLINE void add_strain_limit(linear_spring *s, const substep_terms *t, const spring_coefficients *k, lanes length,
                                   lanes inverse) {
  const lanes zero = lanes_splat(0.0f),
              rest = lanes_divide(k->tension, lanes_maximum(k->stiffness, lanes_splat(WORK_QUANTUM)));
  const lanes width = lanes_multiply(rest, lanes_splat(LIMIT_WIDTH * t->limit));
  const lanes stiffness = lanes_multiply(k->stiffness, lanes_splat(t->limit_stiffness));
  const lanes excess = lanes_subtract(length, lanes_multiply(rest, lanes_splat(1.0f + t->limit)));
  const lanes q = lanes_divide(excess, lanes_maximum(width, lanes_splat(WORK_QUANTUM)));
  const lanes within = lanes_minimum(lanes_maximum(q, zero), lanes_splat(1.0f));
  const lanes beyond = lanes_maximum(lanes_subtract(q, lanes_splat(1.0f)), zero);
  const lanes shape = lanes_add(lanes_multiply(lanes_splat(0.5f), lanes_multiply(within, within)), beyond);
  const lanes force = lanes_flush(lanes_multiply(lanes_multiply(lanes_multiply(stiffness, width), shape), inverse));
  const lanes_mask counts = lanes_less(lanes_multiply(rest, lanes_splat(-LIMIT_AHEAD * t->limit)), excess);
  s->force = lanes_add(s->force, force);
  s->across = lanes_add(s->across, force);
  const lanes along =
      lanes_multiply(lanes_maximum(lanes_subtract(stiffness, force), zero), lanes_multiply(inverse, inverse));
  s->along = lanes_add(lanes_maximum(s->along, zero), lanes_keep(counts, along));
}

/* Linearises a block of springs. `shear`: 1 for diagonals, which have no strain limit; a constant. */
CLOTH_INLINE linear_spring linearise_spring(const substep_terms *t, int32_t shear, const spring_coefficients *k,
                                            const spring_motion *m, float compression) {
  const lanes zero = lanes_splat(0.0f);
  const lanes squared = lanes_maximum(lanes3_dot(m->d, m->d), lanes_splat(LEAST_SQUARED_LENGTH));
  const lanes length = lanes_square_root(squared), inverse = lanes_divide(lanes_splat(1.0f), length);
  const lanes inverse_squared = lanes_multiply(inverse, inverse);
  const lanes turn_along = lanes_quantise(lanes_multiply(lanes3_dot(m->turn, m->d), inverse), WORK_ROUNDER);
  const lanes squared_turn = lanes_subtract(lanes3_dot(m->turn, m->turn), lanes_multiply(turn_along, turn_along));
  lanes tension = lanes_subtract(k->stiffness, lanes_multiply(k->tension, inverse)), stiffness = k->stiffness;
  if (compression < 1.0f) {
    const lanes_mask is_short = lanes_less(tension, zero);
    const lanes share = lanes_splat(compression);
    tension = lanes_select(is_short, lanes_multiply(tension, share), tension);
    const lanes rest = lanes_divide(k->tension, lanes_maximum(k->stiffness, lanes_splat(WORK_QUANTUM)));
    const lanes off = lanes_multiply(lanes_splat(COMING_WAY), lanes_square_root(lanes3_dot(m->turn, m->turn)));
    const lanes_mask stays_short = lanes_less(lanes_add(length, off), rest);
    stiffness = lanes_select(stays_short, lanes_multiply(stiffness, share), stiffness);
  }
  linear_spring s;
  const lanes most = lanes_multiply(k->stiffness, lanes_splat(TURN_CAP));
  const lanes turning = lanes_minimum(lanes_multiply(k->turn, squared_turn), most);
  s.across = lanes_at_least(lanes_maximum(tension, turning), WORK_QUANTUM);
  s.along = lanes_multiply(lanes_subtract(lanes_add(stiffness, k->damping), s.across), inverse_squared);
  s.force = lanes_add(tension, lanes_multiply(lanes_multiply(k->damping, inverse_squared), lanes3_dot(m->way, m->d)));
  if (!shear && t->limit > 0.0f) { add_strain_limit(&s, t, k, length, inverse); }
  s.along = lanes_at_least(s.along, LEAST_ALONG);
  return s;
}

/* What a spring adds to the operator's product: the force on its first particle for a relative `moved`, of whole
   WORK_QUANTUM. */
CLOTH_INLINE lanes3 spring_product(lanes across, lanes along, lanes3 d, lanes3 moved) {
  return lanes3_add_scaled(lanes3_scale(moved, across), d, lanes_multiply(lanes3_dot(d, moved), along));
}

CLOTH_INLINE symmetric block_of_spring(lanes across, lanes along, lanes3 d) {
  const lanes3 scaled = lanes3_scale(d, along);
  return (symmetric){.xx = lanes_add(lanes_multiply(scaled.x, d.x), across),
                     .yy = lanes_add(lanes_multiply(scaled.y, d.y), across),
                     .zz = lanes_add(lanes_multiply(scaled.z, d.z), across),
                     .xy = lanes_multiply(scaled.x, d.y),
                     .xz = lanes_multiply(scaled.x, d.z),
                     .yz = lanes_multiply(scaled.y, d.z)};
}
