#pragma once
#include "compiler.h"
#include "lanes.h"
#include "scalar.h"
#include "springs.h"
#include "types.h"

/// Distance constraints ///

/*
 * Projection of one spring, or of a block of springs in lanes. A projected spring is not integrated by its force: after
 * the prediction both its ends p and q are moved to where it has its rest length L again, by
 *     x_p += w_p g (l^2 - L^2) / (l^2 + L^2) d,   x_q -= w_q g (l^2 - L^2) / (l^2 + L^2) d,   d = x_q - x_p, l = |d|,
 * with the mobilities w and the gain g = 1 / (w_p + w_q + compliance), compliance = m0 / (h^2 ks). This is one step of
 * nonlinear Gauss-Seidel on backward Euler (XPBD), exact to first order in l - L, without a square root.
 *
 * A constraint has two lengths: a spring shorter than `low` is lengthened, one longer than `high` is shortened, each
 * with a compliance of its own. COMPLIANCE_INFINITE leaves out a side: a stretch spring across several cells only
 * shortens, a bend spring only lengthens.
 *
 * In and out: positions in registers. Scratch: none. lines.h and projection.h decide the order of the springs.
 */

/* Gains of at most this, 2^-20, count as 0: what they move is below the rounding of a float position. A smaller bound
   lets the products of a gain and a displacement approach the subnormal range, where machines differ. */
#define MIN_GAIN 9.5367431640625e-7f
/* Compliance of a side that does not act; its gain is 0. Greater compliances are cut off here, so that they stay
   finite. */
#define COMPLIANCE_INFINITE 1.0e30f
/* Least denominator of a gain. Only springs between two pins fall below it: their gain must be finite, so that the
   pins' mobilities, which are 0, make the displacements 0 and not NaN. */
#define MIN_GAIN_DENOMINATOR 1.0e-6f
/* Least l^2 + L^2 [m^2]. It is 0 only where strain limiting lets springs collapse (low = 0) and both ends coincide;
   without the bound their displacement would be NaN. */
#define MIN_SQUARE_SUM 1.0e-20f

/* Gain between two particles of mobility 1. */
static float uniform_gain(float compliance) {
  float gain = 1.0f / (2.0f + compliance);
  return gain > MIN_GAIN ? gain : 0.0f;
}

/* A constraint across `span` cells with the lengths `low` and `high` [m]. It starts as one for the general kernel and
   for all springs of its family. */
static distance_constraint make_constraint(int32_t span, float low, float high, float compliance_below,
                                           float compliance_above) {
  distance_constraint constraint;
  constraint.span = span;
  constraint.low = low * low;
  constraint.high = high * high;
  constraint.compliance_below = compliance_below;
  constraint.compliance_above = compliance_above;
  constraint.gain_below = uniform_gain(compliance_below);
  constraint.gain_above = uniform_gain(compliance_above);
  constraint.fast = 0;
  constraint.kappa = 0.0f;
  constraint.above = 0.0f;
  return constraint;
}

/* Displacement of one end: d times its share. Rounded to multiples of 2^-40, so that it is 0 or far above what could
   make the products of the next spring subnormal. */
CLOTH_INLINE lanes3 constraint_correction(lanes3 d, lanes share) {
  return lanes3_quantise(lanes3_scale(d, share), WORK_ROUNDER);
}

/* Properties of a block of springs: mobilities and mass ratios of both ends, and the springs' stiffness factors. */
typedef struct spring_ends {
  lanes mobility[2];
  lanes mass_ratio[2];
  lanes scale;
} spring_ends;

/* Displacement of an end of mobility 1 towards the other end, over d. `squared` is l^2. */
CLOTH_INLINE lanes constraint_share(const distance_constraint *constraint, const spring_ends *ends, lanes squared) {
  lanes zero = lanes_splat(0.0f);
  lanes bound = lanes_minimum(lanes_maximum(squared, lanes_splat(constraint->low)), lanes_splat(constraint->high));
  lanes excess = lanes_subtract(squared, bound);
  lanes_mask is_short = lanes_less(excess, zero);
  lanes compliance =
      lanes_select(is_short, lanes_splat(constraint->compliance_below), lanes_splat(constraint->compliance_above));
  compliance = lanes_divide(compliance, lanes_maximum(ends->scale, lanes_splat(WORK_QUANTUM)));
  compliance = lanes_minimum(compliance, lanes_splat(COMPLIANCE_INFINITE));
  lanes weights = lanes_add(ends->mobility[0], ends->mobility[1]);
  lanes denominator = lanes_maximum(lanes_add(weights, compliance), lanes_splat(MIN_GAIN_DENOMINATOR));
  lanes gain = lanes_divide(lanes_splat(1.0f), denominator);
  gain = lanes_keep(lanes_less(lanes_splat(MIN_GAIN), gain), gain);
  lanes sum = lanes_maximum(lanes_add(squared, bound), lanes_splat(MIN_SQUARE_SUM));
  return lanes_divide(lanes_multiply(gain, excess), sum);
}

/* Displacements of both ends of a block of springs towards each other, over d, which leads from `from` to `to`. */
typedef struct end_shares {
  lanes from, to;
} end_shares;

/* Shares for any masses, maps and constraints. Where only the springs of a family above a kappa are projected, the
   others move nothing. */
CLOTH_INLINE end_shares general_shares(const distance_constraint *constraint, const spring_ends *ends, lanes3 d) {
  lanes share = constraint_share(constraint, ends, lanes3_dot(d, d));
  if (constraint->kappa > 0.0f) {
    lanes mass = lanes_minimum(ends->mass_ratio[0], ends->mass_ratio[1]);
    share = lanes_keep(kappa_above(constraint->kappa, mass, ends->scale, constraint->above), share);
  }
  end_shares shares = {lanes_multiply(share, ends->mobility[0]), lanes_multiply(share, ends->mobility[1])};
  return shares;
}

/* Share of both ends in a uniform run with a fast constraint, whose lengths are equal and whose gain is at least as
   great above as below. Then of the two products of gain and excess the greater is that of the side on which the spring
   is: the result equals that of general_shares() to the bit. */
CLOTH_INLINE lanes uniform_share(const distance_constraint *constraint, lanes3 d) {
  lanes squared = lanes3_dot(d, d);
  lanes bound = lanes_splat(constraint->low);
  lanes excess = lanes_subtract(squared, bound);
  lanes taut = lanes_multiply(lanes_splat(constraint->gain_above), excess);
  lanes slack = lanes_multiply(lanes_splat(constraint->gain_below), excess);
  return lanes_divide(lanes_maximum(taut, slack), lanes_add(squared, bound));
}

/* Projects a block of springs: moves the ends `from` and `to`. */
CLOTH_INLINE void project_general(const distance_constraint *constraint, const spring_ends *ends, lanes3 *from,
                                  lanes3 *to) {
  lanes3 d = lanes3_subtract(*to, *from);
  end_shares shares = general_shares(constraint, ends, d);
  *from = lanes3_add(*from, constraint_correction(d, shares.from));
  *to = lanes3_subtract(*to, constraint_correction(d, shares.to));
}

/* Equal to project_general() to the bit in a uniform run with a fast constraint. */
CLOTH_INLINE void project_uniform(const distance_constraint *constraint, lanes3 *from, lanes3 *to) {
  lanes3 d = lanes3_subtract(*to, *from);
  lanes3 correction = constraint_correction(d, uniform_share(constraint, d));
  *from = lanes3_add(*from, correction);
  *to = lanes3_subtract(*to, correction);
}
