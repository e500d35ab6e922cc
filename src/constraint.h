#pragma once
#include "compiler.h"
#include "lanes.h"
#include "scalar.h"
#include "springs.h"
#include "types.h"

/// Distance constraints ///

/*
 * Stiff springs as limits. A projected spring is not integrated by its force: after the prediction both its ends are
 * moved to where it has its length again, by
 *     x_p += w_p g (l^2 - L^2) / (l^2 + L^2) d,   x_q -= w_q g (l^2 - L^2) / (l^2 + L^2) d,   d = x_q - x_p,
 * with the mobilities w and g = 1 / (w_p + w_q + compliance), compliance = m0 / (k^2 ks): that is one step of
 * nonlinear Gauss-Seidel on backward Euler, exact to first order, without a square root. One sweep a substep goes
 * through the springs in a fixed order of colours. No two springs of a colour share a particle, so that lanes may take
 * many at once, and the result is the same for any number of lanes.
 *
 * Stretch springs across spans of many cells, from the coarsest to the next but finest, are limits that only shorten:
 * they carry a pull through the sheet in one sweep. Across two cells the same pass resists folding.
 */

/* Gains below this are none: what they move is beyond what a float can tell, and their products could underflow. */
#define LEAST_GAIN 9.5367431640625e-7f
/* Compliance of what does not act. */
#define COMPLIANCE_INFINITE 1.0e30f

static float uniform_gain(float give) {
  float gain = 1.0f / (2.0f + give);
  return gain > LEAST_GAIN ? gain : 0.0f;
}

static distance_constraint make_constraint(int32_t span, float low, float high, float compliance_below,
                                           float compliance_above) {
  distance_constraint limit;
  limit.span = span;
  limit.low = low * low;
  limit.high = high * high;
  limit.compliance_below = compliance_below;
  limit.compliance_above = compliance_above;
  limit.gain_below = uniform_gain(compliance_below);
  limit.gain_above = uniform_gain(compliance_above);
  limit.fast = 0;
  limit.kappa = 0.0f;
  limit.above = 0.0f;
  return limit;
}

/* A move. Rounded, so that it is nothing or far above what the next spring's products could make subnormal. */
CLOTH_INLINE lanes3 constraint_correction(lanes3 d, lanes share) {
  return lanes3_quantise(lanes3_scale(d, share), WORK_ROUNDER);
}

/* What is known of the particles at the ends of a block of springs. */
typedef struct spring_ends {
  lanes mobility[2];
  lanes mass_ratio[2];
  lanes scale; /* stiffness factor */
} spring_ends;

/* How far springs move a particle of mobility 1 towards the other end, over d. */
CLOTH_INLINE lanes constraint_share(const distance_constraint *limit, const spring_ends *ends, lanes squared) {
  lanes zero = lanes_splat(0.0f);
  lanes bound = lanes_minimum(lanes_maximum(squared, lanes_splat(limit->low)), lanes_splat(limit->high));
  lanes over = lanes_subtract(squared, bound);
  lanes_mask slack = lanes_less(over, zero);
  lanes give = lanes_select(slack, lanes_splat(limit->compliance_below), lanes_splat(limit->compliance_above));
  give = lanes_divide(give, lanes_maximum(ends->scale, lanes_splat(WORK_QUANTUM)));
  give = lanes_minimum(give, lanes_splat(COMPLIANCE_INFINITE));
  lanes weights = lanes_add(ends->mobility[0], ends->mobility[1]);
  lanes gain = lanes_divide(lanes_splat(1.0f), lanes_maximum(lanes_add(weights, give), lanes_splat(1.0e-6f)));
  gain = lanes_keep(lanes_less(lanes_splat(LEAST_GAIN), gain), gain);
  lanes sum = lanes_maximum(lanes_add(squared, bound), lanes_splat(1.0e-20f)); /* both are 0 where all may collapse */
  return lanes_divide(lanes_multiply(gain, over), sum);
}

/* How far springs move their ends towards each other, over what leads from the first to the other. */
typedef struct end_shares {
  lanes from, to;
} end_shares;

/* Where only some springs are projected the others move nothing. */
CLOTH_INLINE end_shares general_shares(const distance_constraint *limit, const spring_ends *ends, lanes3 d) {
  lanes share = constraint_share(limit, ends, lanes3_dot(d, d));
  if (limit->kappa > 0.0f) {
    lanes mass = lanes_minimum(ends->mass_ratio[0], ends->mass_ratio[1]);
    share = lanes_keep(kappa_above(limit->kappa, mass, ends->scale, limit->above), share);
  }
  end_shares shares = {lanes_multiply(share, ends->mobility[0]), lanes_multiply(share, ends->mobility[1])};
  return shares;
}

/* The same, bit by bit, where all mobilities and stiffness factors are 1 and the limit is fast: of gain times excess
   the greater is the one of the right side. Both ends move as far. */
CLOTH_INLINE lanes uniform_share(const distance_constraint *limit, lanes3 d) {
  lanes squared = lanes3_dot(d, d);
  lanes bound = lanes_splat(limit->low);
  lanes over = lanes_subtract(squared, bound);
  lanes taut = lanes_multiply(lanes_splat(limit->gain_above), over);
  lanes slack = lanes_multiply(lanes_splat(limit->gain_below), over);
  return lanes_divide(lanes_maximum(taut, slack), lanes_add(squared, bound));
}

/* Moves both ends of springs. */
CLOTH_INLINE void project_general(const distance_constraint *limit, const spring_ends *ends, lanes3 *from, lanes3 *to) {
  lanes3 d = lanes3_subtract(*to, *from);
  end_shares shares = general_shares(limit, ends, d);
  *from = lanes3_add(*from, constraint_correction(d, shares.from));
  *to = lanes3_subtract(*to, constraint_correction(d, shares.to));
}

CLOTH_INLINE void project_uniform(const distance_constraint *limit, lanes3 *from, lanes3 *to) {
  lanes3 d = lanes3_subtract(*to, *from);
  lanes3 move = constraint_correction(d, uniform_share(limit, d));
  *from = lanes3_add(*from, move);
  *to = lanes3_subtract(*to, move);
}
