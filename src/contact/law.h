#pragma once
#include "../base/block3.h"
#include "../base/lanes.h"
#include "../cloth/types.h"

/// The contact law ///

/*
 * What keeps a particle out of something: a force along a normal that begins softly at a distance, the thickness T, and
 * grows with the depth q, in thicknesses:
 *
 *   lambda(q) = k_0 T q^2 (1 + 4 q), 0 for q <= 0, straight on above 2
 *
 * Where the contact will be in this substep is predicted from the particle alone: without it the depth would be q_f,
 * with C the particle's compliance along the normal, and with it Q, where both agree:
 *
 *   lambda(Q) = (T / C) (q_f - Q)
 *
 * The tangent at Q, not at the present depth, goes into the operator: contacts that switch on where they are alternate
 * for ever. At rest Q is the present depth and the tangent exact.
 */

/* Stiffness of contact over the largest k' of a spring. */
#define CONTACT_STIFFNESS 4.0f
/* Least stiffness that counts for that, over the mass of a particle [1/s^2]: that of its mass in 1/120 s. Loose
   particles, and limp cloth that is heavy, would fall through what they lie on. */
#define LEAST_STIFFNESS 14400.0f
/* Depth in thicknesses from which the law goes straight on. */
#define DEEPEST 2.0f
/* Of a range that does not end. */
#define NO_END 1.0e30f
/* Below every entry of a particle's block. */
#define LEAST_MASS 1.0e-6f
/* Newton steps for the depth; from above they converge in a handful. */
#define DEPTH_STEPS 8

/* What a change of contacts in the solve does: to r . p and to p . q, with p the last direction; 1 if there is one. */
typedef struct solve_change {
  float along, most;
  int32_t changed;
} solve_change;

/* k_0: after the stiffest springs, diagonals as well, which otherwise pull particles through the law. */
static float contact_stiffness(const substep_terms *t) {
  const float stretch = maximum(t->spring[WARP].stiffness, t->spring[WEFT].stiffness);
  const float largest = maximum(stretch, t->spring[DIAGONAL].stiffness);
  return CONTACT_STIFFNESS * maximum(largest, t->share * t->h * t->h * LEAST_STIFFNESS);
}

/* D, the block of particles' own terms: what of it is of springs, and is not beside the diagonal. */
CLOTH_INLINE symmetric own_terms(symmetric springs, lanes on_diagonal) {
  springs.xy = lanes_flush(springs.xy);
  springs.xz = lanes_flush(springs.xz);
  springs.yz = lanes_flush(springs.yz);
  return symmetric_add(springs, symmetric_identity(on_diagonal));
}

/* How particles resist along a normal and across it: of their own terms. */
CLOTH_INLINE void find_resistance(const symmetric *own, lanes3 n, lanes *along, lanes *across) {
  const lanes least = lanes_splat(LEAST_MASS), trace = lanes_add(lanes_add(own->xx, own->yy), own->zz);
  *along = lanes_maximum(symmetric_along(own, n), least);
  *across = lanes_maximum(lanes_multiply(lanes_splat(0.5f), lanes_subtract(trace, *along)), least);
}

CLOTH_INLINE lanes law_slope(lanes stiffness, lanes q) {
  return lanes_multiply(lanes_multiply(stiffness, q),
                        lanes_add(lanes_splat(2.0f), lanes_multiply(lanes_splat(12.0f), q)));
}

/* The force of a law of thickness T and stiffness k_0, with k_0 T, at a depth up to DEEPEST. */
CLOTH_INLINE lanes law_force(lanes scale, lanes q) {
  const lanes one = lanes_splat(1.0f);
  return lanes_multiply(lanes_multiply(scale, lanes_multiply(q, q)),
                        lanes_add(one, lanes_multiply(lanes_splat(4.0f), q)));
}

CLOTH_INLINE lanes within_law(lanes q) {
  return lanes_minimum(lanes_maximum(q, lanes_splat(0.0f)), lanes_splat(DEEPEST));
}

/* The depth Q at which the law and the particle agree. `give` is T / C, `alone` the depth q_f. */
CLOTH_INLINE lanes agreed_depth(lanes stiffness, lanes thickness, lanes give, lanes alone) {
  const lanes scale = lanes_multiply(stiffness, thickness);
  lanes q = within_law(alone);
  for (int32_t n = 0; n < DEPTH_STEPS; n++) {
    const lanes off = lanes_subtract(law_force(scale, q), lanes_multiply(give, lanes_subtract(alone, q)));
    const lanes slope = lanes_add(lanes_multiply(law_slope(stiffness, q), thickness), give);
    q = within_law(lanes_subtract(q, lanes_divide(off, slope)));
  }
  return q;
}

/* Contacts of particles: the force is force n, the block stiffness n n^T; law: the force at the agreed depth. */
typedef struct contact_tangent {
  lanes force, stiffness, law;
} contact_tangent;

/* The tangent at depth q of contacts at a gap. */
CLOTH_INLINE contact_tangent tangent_at(lanes stiffness, lanes thickness, lanes depth, lanes q) {
  contact_tangent t;
  t.law = law_force(lanes_multiply(stiffness, thickness), q);
  t.stiffness = lanes_flush(law_slope(stiffness, q));
  t.force = lanes_add(t.law, lanes_multiply(t.stiffness, lanes_multiply(thickness, lanes_subtract(depth, q))));
  return t;
}

/* The stiffness with which friction holds a way across the normal of this length, that it would be without it, where
   that is resisted with `resists`: k as long as that gives less than `most`, against which it slides else, and which
   alone shortens the way by `gives`. */
CLOTH_INLINE lanes friction_stiffness(lanes k, lanes resists, lanes most, lanes gives, lanes length) {
  const lanes wants = lanes_multiply(lanes_multiply(k, resists), length);
  const lanes_mask slips = lanes_less(lanes_multiply(most, lanes_add(resists, k)), wants);
  const lanes rest = lanes_maximum(lanes_subtract(length, gives), lanes_splat(WORK_QUANTUM));
  return lanes_select(slips, lanes_flush(lanes_minimum(lanes_divide(most, rest), k)), k);
}

/* Contacts of particles at a gap from where the law ends, of this thickness, whose motion along the normal without it
   would be `moves` [m]; `compliance`: their own, 1 / (n . D n). All parts are 0 where there is none. */
CLOTH_INLINE contact_tangent contact_at(lanes stiffness, lanes thickness, lanes gap, lanes compliance, lanes moves) {
  const lanes depth = lanes_divide(lanes_subtract(thickness, gap), thickness);
  const lanes alone = lanes_subtract(depth, lanes_divide(moves, thickness));
  const lanes_mask touches = lanes_both(lanes_less(lanes_splat(0.0f), alone), lanes_less(lanes_splat(0.0f), stiffness));
  const lanes q = agreed_depth(stiffness, thickness, lanes_divide(thickness, compliance), alone);
  contact_tangent t = tangent_at(stiffness, thickness, depth, q);
  t.force = lanes_keep(touches, t.force);
  t.stiffness = lanes_keep(touches, t.stiffness);
  t.law = lanes_keep(touches, t.law);
  return t;
}

/* The part of a value within a range before and after a change, and how it changes: where both are within by the change
   itself, as the difference of two values has the rounding of these. */
typedef struct changed_part {
  lanes before, after, change;
} changed_part;

CLOTH_INLINE changed_part part_within(lanes before, lanes change, float least, float most) {
  const lanes low = lanes_splat(least), high = lanes_splat(most), after = lanes_add(before, change);
  const lanes_mask is_within =
      lanes_both(lanes_less(low, lanes_minimum(before, after)), lanes_less(lanes_maximum(before, after), high));
  changed_part p;
  p.before = lanes_flush(lanes_minimum(lanes_maximum(before, low), high));
  p.after = lanes_flush(lanes_minimum(lanes_maximum(after, low), high));
  p.change = lanes_flush(lanes_select(is_within, change, lanes_subtract(p.after, p.before)));
  return p;
}

/* By how much the potential rises over k_0 T^2 from a depth to one that is deeper by `more`. */
CLOTH_INLINE lanes law_rise(lanes depth, lanes more) {
  const lanes one = lanes_splat(1.0f), two = lanes_splat(DEEPEST), half = lanes_splat(0.5f);
  const changed_part in = part_within(depth, more, 0.0f, DEEPEST), out = part_within(depth, more, DEEPEST, NO_END);
  const lanes p = in.before, q = in.after, sum = lanes_add(p, q);
  const lanes squares = lanes_add(lanes_multiply(p, p), lanes_multiply(q, q));
  const lanes third = lanes_multiply(lanes_splat(1.0f / 3.0f), lanes_add(squares, lanes_multiply(p, q)));
  const lanes law = lanes_multiply(in.change, lanes_add(third, lanes_multiply(sum, squares)));
  const lanes over = lanes_subtract(lanes_multiply(half, lanes_add(out.before, out.after)), two);
  const lanes beyond = lanes_add(law_force(one, two), lanes_multiply(law_slope(one, two), over));
  return lanes_add(law, lanes_multiply(out.change, beyond));
}
