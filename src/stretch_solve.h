#pragma once
#include "access.h"
#include "compiler.h"
#include "gaps.h"
#include "gathers.h"
#include "lanes.h"
#include "layout.h"
#include "lines.h"
#include "pin_reactions.h"
#include "rest_lengths.h"
#include "scalar.h"
#include "springs.h"
#include "stiffness.h"
#include "types.h"

/// Stretch along lines ///

/*
 * Backward Euler for all springs of a line at once. The unknown of spring i between particles i and i + 1 is its
 * tension s_i, as the displacement of a particle of mobility 1 over the vector d_i along the spring. With the mobility
 * w, the compliance e = m0 / (h^2 ks + h kd) and lengths as multiples of the rest length, q = |d|^2 and the target t:
 *
 *     q_i (w_i + w_{i+1} + e_i) s_i - w_i (d_i . d_{i-1}) s_{i-1} - w_{i+1} (d_i . d_{i+1}) s_{i+1} = q_i - t_i |d_i|
 *
 * which is tridiagonal: one elimination. The target is the rest length, 1; with damping it lies between that and the
 * length at the start of the substep, 1 + (h kd / (h^2 ks + h kd)) (|d_old| - 1). So far the springs keep their
 * directions. The displacements X of the particles then follow with the tension's resistance against turning, p =
 * max(s, 0), from a second tridiagonal system:
 *
 *     (1 + w (p_i + p_{i-1})) X_i - w p_i X_{i+1} - w p_{i-1} X_{i-1} = w (s_i d_i - s_{i-1} d_{i-1})
 *
 * Its elimination runs from the last particle to the first, in the same loop that finds the tensions. Both systems are
 * exact: no iterations, and the work does not depend on the state. Where a spring is absent, or between two pins,
 * nothing is carried across.
 *
 * The tension explains a length of t_i + e_i s_i |d_i|. Rows and columns note how long a spring may be for that, and
 * overstretched.h solves lines again whose springs others have stretched further: then the right side is (|d_i| - l_i)+
 * |d_i|, with the length l_i noted, and s_i is what the tension grows by.
 *
 * In: the plan's spring families, scratch.mobility, maps, the lengths at the start of the substep. Out: the positions
 * of the lines; scratch.longest. Scratch: line_work.
 */

#if WITH_PROJECTION

/* Least squared length of a spring, over that of the rest length: shorter springs have no direction. */
#define MIN_SQUARED_RATIO 1.0e-6f
/* Least pivot of the elimination, over the squared length: rounding could make it 0 where compliances are small. */
#define MIN_TENSION_PIVOT 1.0e-4f
/* Largest tension, a displacement of as many lengths of the spring. Bounds what products of small numbers are
   multiplied by, so that they do not become subnormal. */
#define MAX_TENSION 1024.0f

/* What a spring may be longer than its tension explains, over that length, before it is solved again. Columns stretch
   rows, and tethers both, by about a hundredth in smooth cloth: a smaller value solves lines again that do not need it.
   A larger one leaves the springs beside free corners as long. */
#define OVERSTRETCH 0.03f
/* Longest length of springs that are not solved along lines, over the rest length: none is as long. */
#define UNLIMITED_LENGTH 1.0e6f

/* What a kernel needs of the springs of a bundle: copies, which the compiler can keep in registers. */
typedef struct stretch_lines {
  line_bundle b;
  const cloth *c;
  const struct stretch_lines *original; /* whose address may be taken; copies stay in registers */
  float inverse_squared_rest;           /* 1 / L^2 [1/m^2] */
  float least_square;                   /* MIN_SQUARED_RATIO L^2 [m^2] */
  float coupling_rounder; /* of quantise() for products of two spring vectors: 2^-30 of L^2, or up to 2^-32 */
  float compliance_above, compliance_below; /* of springs longer and shorter than at rest */
  float damping_share;                      /* share of damping in stiffness: h kd / (h^2 ks + h kd) */
  vector_array old;                         /* positions at the start of the substep, laid out like b.x */
  float kappa, above;                       /* kappa of the family and threshold, if only springs above it are solved */
  int32_t has_maps;
  int32_t bears;        /* 1 if some lines bear a body, see bearing_solve.h */
  int32_t is_special;   /* 1 with maps or damping */
  int32_t is_shaped;    /* 1 where rest lengths differ, with maps then ... */
  float shaped_damping; /* ... and the share of damping, in place of damping_share */
  float *longest;       /* lengths that springs may have, over the rest length, laid out like b.x; or NULL */
  int32_t is_again;     /* 0: `longest` is noted; 1: lines are solved for what exceeds it, ... */
  lanes again;          /* ... in lanes where this is 1; it is 0 in the others */
  float *work;
} stretch_lines;

/* Blocks of lanes that an element keeps in line_work. Before the tensions are known: inverse pivot, right side,
   coupling to the spring before and, on rings, to the spring that closes the ring. Then: share of the displacement of
   the particle before, own displacement and, on rings, share of the displacement of particle 0. */
enum { STRETCH_INVERSE, STRETCH_SIDE, STRETCH_COUPLING, STRETCH_CLOSING };
enum { STRETCH_SHARE, STRETCH_X, STRETCH_Y, STRETCH_Z, STRETCH_AROUND };

CLOTH_INLINE float *stretch_slot(const stretch_lines *l, int32_t element) {
  return l->work + element * (line_slot_blocks(&l->b) * CLOTH_LANES);
}

/* Where the compliance and the target of the springs from an element to the next are kept for note_longest(), if they
   are not those of the family: the elimination of the tensions stores nothing there. */
CLOTH_INLINE float *special_slot(const stretch_lines *l, int32_t element) {
  return stretch_slot(l, element) + (line_slot_blocks(&l->b) - 2) * CLOTH_LANES;
}

/* Notes the longest length of the springs from an element to the next, along d, with their tension. The length before
   the solve is at most (1 + its square) / 2, which needs no root. */
CLOTH_INLINE void note_longest(const stretch_lines *l, int32_t element, lanes3 d, lanes tension) {
  const lanes one = lanes_splat(1.0f);
  lanes compliance = lanes_splat(l->compliance_above), target = one;
  if (l->is_special) {
    compliance = lanes_load(special_slot(l, element));
    target = lanes_load(special_slot(l, element) + CLOTH_LANES);
  }
  const lanes squared = lanes_multiply(lanes3_dot(d, d), lanes_splat(l->inverse_squared_rest));
  const lanes length = lanes_multiply(lanes_splat(0.5f), lanes_add(one, squared));
  const lanes pull = lanes_maximum(tension, lanes_splat(0.0f));
  const lanes strain = lanes_multiply(lanes_multiply(compliance, pull), length);
  lanes longest = lanes_add(lanes_multiply(target, lanes_splat(1.0f + OVERSTRETCH)), strain);
  if (l->is_special) {
    const lanes_mask present = lanes_less(compliance, lanes_splat(MAX_COMPLIANCE));
    longest = lanes_select(present, longest, lanes_splat(UNLIMITED_LENGTH));
  }
  float *to = l->longest + element * l->b.next;
  if (CLOTH_LANES > 1 && l->b.count < CLOTH_LANES) {
    lanes_store_first(to, longest, l->b.count);
  } else {
    lanes_store(to, longest);
  }
}

/* Keeps the tension of the springs from an element to the next for note_tensions(), where neither elimination stores
   anything. */
CLOTH_INLINE void store_tension(const stretch_lines *l, int32_t element, lanes tension) {
  if (WITH_BODIES) {
    const int32_t place = line_slot_blocks(&l->b) == LINE_SLOT ? STRETCH_AROUND : STRETCH_AROUND + 1;
    lanes_store(stretch_slot(l, element) + place * CLOTH_LANES, tension);
  }
}

/* Compliance of the springs from an element to the next where maps vary, from that of the family. `is_short`: those
   that are shorter than at rest. */
CLOTH_SEPARATE lanes mapped_compliance(const stretch_lines *l, int32_t element, lanes compliance, lanes_mask is_short) {
  const cloth *c = l->c;
  lanes scale = lanes_splat(1.0f), mass = lanes_splat(1.0f);
  int32_t other = element + 1 < l->b.length ? element + 1 : 0;
  if (c->constant.stiffness_map) {
    const float *map = floats_at(c, c->constant.stiffness_map);
    scale = lanes_add(line_values(&l->b, map, element), line_values(&l->b, map, other));
    scale = lanes_multiply(lanes_splat(0.5f), scale);
  }
  if (c->constant.mass_ratio) {
    const float *map = floats_at(c, c->constant.mass_ratio);
    mass = lanes_minimum(line_values(&l->b, map, element), line_values(&l->b, map, other));
  }
#if WITH_REST_SHAPE
  if (l->is_shaped && l->b.slant == 0) {
    const int32_t d = l->b.along == 1 ? WARP : WEFT;
    scale = lanes_multiply(scale, line_values(&l->b, rest_array(c, REST_STIFFNESS + d), element));
  }
#endif
  compliance = lanes_divide(compliance, lanes_maximum(scale, lanes_splat(WORK_QUANTUM)));
  compliance = lanes_minimum(compliance, lanes_splat(COMPLIANCE_ABSENT));
  if (l->kappa > 0.0f) {
    lanes_mask solved = kappa_above(l->kappa, mass, scale, l->above);
    compliance = lanes_select(solved, compliance, lanes_splat(COMPLIANCE_ABSENT));
  }
#if WITH_GAPS
  if (has_gaps(c)) {
    compliance = lanes_select(line_springs(c, &l->b, element), compliance, lanes_splat(COMPLIANCE_ABSENT));
  }
#endif
#if WITH_SEAMS
  if (l->b.slant == 0 && has_gathers(c)) {
    const int32_t first = l->b.first + element * l->b.along, d = l->b.along == 1 ? WARP : WEFT;
    const lanes_mask whole = without_gather(c, first, l->b.across, l->b.count, d);
    const lanes when_short = lanes_select(whole, compliance, lanes_splat(COMPLIANCE_ABSENT));
    compliance = lanes_select(is_short, when_short, compliance);
  }
#endif
  (void)is_short;
  return compliance;
}

/* Target of the springs from an element to the next, over the rest length, with damping. */
CLOTH_INLINE lanes stretch_target(const stretch_lines *l, int32_t slant, line_place from, line_place to) {
  const lanes3 d = lanes3_subtract(line_load3(&l->b, slant, l->old, to), line_load3(&l->b, slant, l->old, from));
  const lanes squared = lanes_maximum(lanes3_dot(d, d), lanes_splat(l->least_square));
  lanes ratio = lanes_square_root(lanes_multiply(squared, lanes_splat(l->inverse_squared_rest)));
  lanes excess = lanes_multiply(lanes_subtract(ratio, lanes_splat(1.0f)), lanes_splat(l->damping_share));
  return lanes_add(lanes_splat(1.0f), excess);
}

#if WITH_REST_SHAPE

/* What differs for the springs of a shaped piece. Lengths are multiples of the rest length of the family. */
typedef struct shaped_spring {
  lanes compliance, rest, target;
} shaped_spring;

/* The springs from an element to another of a shaped piece, which are `ratio` long, over the family's rest length. */
CLOTH_SEPARATE shaped_spring shaped_spring_of(const stretch_lines *l, int32_t slant, int32_t element, line_place from,
                                              line_place to, lanes ratio) {
  const lanes rest = line_rest(l->c, &l->b, element);
  const lanes_mask is_short = lanes_less(ratio, rest);
  const lanes compliance = lanes_select(is_short, lanes_splat(l->compliance_below), lanes_splat(l->compliance_above));
  shaped_spring s = {mapped_compliance(l, element, compliance, is_short), rest, rest};
  if (l->shaped_damping > 0.0f) { /* as stretch_target() */
    const lanes3 d = lanes3_subtract(line_load3(&l->b, slant, l->old, to), line_load3(&l->b, slant, l->old, from));
    const lanes squared = lanes_maximum(lanes3_dot(d, d), lanes_splat(l->least_square));
    const lanes old = lanes_square_root(lanes_multiply(squared, lanes_splat(l->inverse_squared_rest)));
    s.target = lanes_add(rest, lanes_multiply(lanes_subtract(old, rest), lanes_splat(l->shaped_damping)));
  }
  return s;
}

#endif

/* What the elimination of the tensions carries from a spring to the next. */
typedef struct stretch_state {
  lanes3 x;            /* position of the particle between them */
  lanes3 d;            /* vector along the spring before */
  lanes mobility;      /* of the particle between them */
  lanes inverse, side; /* of the spring before */
  line_place place;
} stretch_state;

/* The equation of the springs from an element to another. */
typedef struct tension_equation {
  lanes3 x, d;    /* position of the other element, vector to it */
  lanes mobility; /* of the other element */
  lanes squared;  /* of the length, over the squared rest length: q */
  lanes diagonal, side, coupling, compliance;
  lanes_mask present;
} tension_equation;

/* How springs differ from those of their family. */
typedef struct special_spring {
  lanes compliance, target; /* target: over the rest length of the family */
} special_spring;

/* The springs from an element to another with maps, damping or a shape, `ratio` long over the rest length of the
   family. Where longest lengths are noted both are kept for that, the target at least the rest length: what damping
   resists is not taken from springs that become longer. */
CLOTH_INLINE special_spring special_spring_of(const stretch_lines *l, int32_t slant, int32_t element, line_place from,
                                              line_place to, lanes ratio) {
  const lanes_mask is_short = lanes_less(ratio, lanes_splat(1.0f));
  lanes rest = lanes_splat(1.0f);
  special_spring s = {lanes_select(is_short, lanes_splat(l->compliance_below), lanes_splat(l->compliance_above)), rest};
  if (l->has_maps) {
    s.compliance = mapped_compliance(l->original, element, s.compliance, is_short);
#if WITH_REST_SHAPE
    if (l->is_shaped) {
      const shaped_spring shaped = shaped_spring_of(l->original, slant, element, from, to, ratio);
      s.compliance = shaped.compliance;
      s.target = shaped.target;
      rest = shaped.rest;
    }
#endif
  }
  if (l->damping_share > 0.0f) {
    s.target = stretch_target(l, slant, from, to);
  }
  if (slant == 0 && l->longest && !l->is_again) {
    lanes_store(special_slot(l, element), s.compliance);
    lanes_store(special_slot(l, element) + CLOTH_LANES, lanes_maximum(s.target, rest));
  }
  return s;
}

/* The right side of springs that are solved again, from what they are longer than they may be. */
CLOTH_INLINE lanes side_again(const stretch_lines *l, int32_t element, lanes ratio) {
  const lanes excess = lanes_subtract(ratio, lanes_load(l->longest + element * l->b.next));
  return lanes_multiply(ratio, lanes_multiply(lanes_maximum(excess, lanes_splat(0.0f)), l->again));
}

CLOTH_INLINE tension_equation equation_of(const stretch_lines *l, int32_t slant, int32_t element, line_place to,
                                          const stretch_state *s) {
  const lanes scale = lanes_splat(l->inverse_squared_rest), one = lanes_splat(1.0f);
  tension_equation q;
  q.x = line_load3(&l->b, slant, l->b.x, to);
  q.mobility = line_load(&l->b, slant, l->b.mobility, to);
  q.d = lanes3_subtract(q.x, s->x);
  q.squared = lanes_multiply(lanes_maximum(lanes3_dot(q.d, q.d), lanes_splat(l->least_square)), scale);
  const lanes ratio = lanes_square_root(q.squared);
  const lanes_mask is_short = lanes_less(ratio, one);
  lanes compliance = lanes_select(is_short, lanes_splat(l->compliance_below), lanes_splat(l->compliance_above));
  q.side = lanes_subtract(q.squared, ratio);
  if (l->is_special) {
    const special_spring special = special_spring_of(l, slant, element, s->place, to, ratio);
    compliance = special.compliance;
    q.side = lanes_subtract(q.squared, lanes_multiply(ratio, special.target));
    if (slant == 0 && l->is_again) {
      q.side = side_again(l, element, ratio);
    }
  }
  const lanes product = lanes_quantise(lanes3_dot(q.d, s->d), l->coupling_rounder);
  q.coupling = lanes_multiply(s->mobility, lanes_multiply(product, scale));
  q.diagonal = lanes_multiply(q.squared, lanes_add(lanes_add(s->mobility, q.mobility), compliance));
  q.compliance = compliance;
  q.present = lanes_less(compliance, lanes_splat(MAX_COMPLIANCE));
  return q;
}

/* Eliminates the tension of the spring before from the equation of the springs from an element to the next. `plain`, a
   constant: the step to it is. */
CLOTH_INLINE void eliminate_tension(const stretch_lines *l, int32_t slant, int plain, int32_t element,
                                    stretch_state *s) {
  const int32_t ends = plain ? 0 : slant;
  line_place to = s->place;
  line_place_step(&l->b, slant, plain, 1, &to);
  tension_equation q = equation_of(l, ends, element, to, s);
  const lanes factor = lanes_multiply(q.coupling, s->inverse);
  const lanes pivot = lanes_maximum(lanes_subtract(q.diagonal, lanes_multiply(factor, q.coupling)),
                                    lanes_multiply(q.squared, lanes_splat(MIN_TENSION_PIVOT)));
  if (ends != 0) {
    q.present = lanes_both(q.present, line_goes_on(&l->b, slant, s->place));
  }
  s->inverse = lanes_keep(q.present, lanes_divide(lanes_splat(1.0f), pivot));
  s->side = lanes_quantise(lanes_add(q.side, lanes_multiply(factor, s->side)), WORK_ROUNDER);
  float *slot = stretch_slot(l, element);
  lanes_store(slot + STRETCH_INVERSE * CLOTH_LANES, s->inverse);
  lanes_store(slot + STRETCH_SIDE * CLOTH_LANES, s->side);
  lanes_store(slot + STRETCH_COUPLING * CLOTH_LANES, q.coupling);
  s->x = q.x;
  s->d = q.d;
  s->mobility = q.mobility;
  s->place = to;
}

/* What the elimination of the displacements carries from a particle to the one before. */
typedef struct displacement_state {
  lanes3 x;         /* position of the particle */
  lanes mobility;   /* of the particle */
  lanes tension;    /* of the spring after it */
  lanes coupling;   /* of that spring to the one before it */
  lanes resistance; /* of that spring against turning, p */
  lanes3 pull;      /* of that spring, s d */
  lanes3 own;       /* displacement of the particle after: own part ... */
  lanes share;      /* ... and share of this particle's displacement */
  lanes around;     /* ... and, on rings, share of the displacement of particle 0 */
  line_place place;
} displacement_state;

/* Eliminates the displacement of a particle from the equation of the particle before, with the pull and resistance of
   the spring before it. */
CLOTH_INLINE void eliminate_displacement(const stretch_lines *l, int32_t element, lanes3 pull, lanes resistance,
                                         displacement_state *s) {
  const lanes one = lanes_splat(1.0f);
  const lanes3 force = lanes3_add(lanes3_subtract(s->pull, pull), lanes3_scale(s->own, s->resistance));
  const lanes after = lanes_multiply(s->resistance, lanes_subtract(one, s->share));
  const lanes divisor = lanes_add(one, lanes_multiply(s->mobility, lanes_add(resistance, after)));
  const lanes gain = lanes_divide(s->mobility, divisor);
  s->own = lanes3_quantise(lanes3_scale(force, gain), WORK_ROUNDER);
  s->share = lanes_multiply(gain, resistance);
  if (l->b.is_ring && l->b.slant == 0) {
    s->around = lanes_quantise(lanes_multiply(gain, lanes_multiply(s->resistance, s->around)), WORK_ROUNDER);
    lanes_store(stretch_slot(l, element) + STRETCH_AROUND * CLOTH_LANES, s->around);
  }
  float *slot = stretch_slot(l, element);
  lanes_store(slot + STRETCH_SHARE * CLOTH_LANES, s->share);
  lanes_store(slot + STRETCH_X * CLOTH_LANES, s->own.x);
  lanes_store(slot + STRETCH_Y * CLOTH_LANES, s->own.y);
  lanes_store(slot + STRETCH_Z * CLOTH_LANES, s->own.z);
  s->pull = pull;
  s->resistance = resistance;
}

/* Tension of the springs that end at an element, from that of the springs that start there; then the elimination of the
   element's displacement. */
CLOTH_INLINE void find_tension(const stretch_lines *l, int32_t slant, int plain, int32_t element,
                               displacement_state *s) {
  const float *slot = stretch_slot(l, element - 1);
  const lanes inverse = lanes_load(slot + STRETCH_INVERSE * CLOTH_LANES);
  const lanes side = lanes_load(slot + STRETCH_SIDE * CLOTH_LANES);
  const lanes coupling = lanes_load(slot + STRETCH_COUPLING * CLOTH_LANES);
  lanes tension = lanes_multiply(lanes_add(side, lanes_multiply(s->coupling, s->tension)), inverse);
  tension = lanes_minimum(lanes_maximum(tension, lanes_splat(-MAX_TENSION)), lanes_splat(MAX_TENSION));
  tension = lanes_quantise(tension, WORK_ROUNDER);
  const int32_t ends = plain ? 0 : slant;
  line_place_step(&l->b, slant, plain, -1, &s->place);
  const lanes3 x = line_load3(&l->b, ends, l->b.x, s->place);
  const lanes mobility = line_load(&l->b, ends, l->b.mobility, s->place);
  const lanes3 d = lanes3_subtract(s->x, x), pull = lanes3_scale(d, tension);
  if (slant == 0 && l->longest && !l->is_again) {
    note_longest(l, element - 1, d, tension);
  }
  store_tension(l, element - 1, tension);
  eliminate_displacement(l, element, pull, lanes_maximum(tension, lanes_splat(0.0f)), s);
  s->x = x;
  s->mobility = mobility;
  s->tension = tension;
  s->coupling = coupling;
}

CLOTH_INLINE vector_array stretch_own(const stretch_lines *l, int32_t element) {
  float *slot = stretch_slot(l, element);
  vector_array own = {slot + STRETCH_X * CLOTH_LANES, slot + STRETCH_Y * CLOTH_LANES, slot + STRETCH_Z * CLOTH_LANES};
  return own;
}

/* Eliminates the tensions of all springs of a line, and then the displacements of all particles but the first. `s` is
   the state before the first spring, `e` that after the last particle but for its position, mobility and place. */
CLOTH_INLINE void eliminate_line(const stretch_lines *l, int32_t slant, stretch_state *s) {
  const int32_t last = l->b.length - 1;
  for (int32_t element = 0; element < last;) {
    const int32_t plain_end = element + plain_steps(&l->b, slant, 1, s->place, last - element);
    for (; element < plain_end; element++) {
      eliminate_tension(l, slant, 1, element, s);
    }
    const int32_t end = element + steps_across(&l->b, slant, 1, s->place, last - element);
    for (; slant != 0 && element < end; element++) {
      eliminate_tension(l, slant, 0, element, s);
    }
  }
}

CLOTH_INLINE void find_tensions(const stretch_lines *l, int32_t slant, displacement_state *e) {
  for (int32_t element = l->b.length - 1; element > 0;) {
    const int32_t plain_end = element - plain_steps(&l->b, slant, -1, e->place, element);
    for (; element > plain_end; element--) {
      find_tension(l, slant, 1, element, e);
    }
    const int32_t end = element - steps_across(&l->b, slant, -1, e->place, element);
    for (; slant != 0 && element > end; element--) {
      find_tension(l, slant, 0, element, e);
    }
  }
}

/* The displacement of the particle of an element; `moved` is that of the one before. */
CLOTH_INLINE lanes3 displacement_after(const stretch_lines *l, int32_t element, lanes3 moved) {
  const lanes share = lanes_load(stretch_slot(l, element) + STRETCH_SHARE * CLOTH_LANES);
  moved = lanes3_add(lanes3_load(stretch_own(l, element), 0), lanes3_scale(moved, share));
  return lanes3_quantise(moved, WORK_ROUNDER);
}

/* Moves the particles of `count` open lines, side by side in lanes. `sums`, a constant: as in line_move(). */
CLOTH_INLINE void move_elements(const stretch_lines *l, int32_t slant, int sums, int32_t count) {
  const lanes zero = lanes_splat(0.0f);
  line_place place = line_place_of(&l->b, slant, 0);
  lanes3 moved = lanes3_of(zero, zero, zero);
  for (int32_t element = 0; element < l->b.length;) {
    const int32_t plain_end = element + plain_steps(&l->b, slant, 1, place, l->b.length - element);
    for (; element < plain_end; element++) {
      moved = displacement_after(l, element, moved);
      line_move(&l->b, 0, sums, count, place, moved);
      line_place_step(&l->b, slant, 1, 1, &place);
    }
    const int32_t end = element + steps_across(&l->b, slant, 1, place, l->b.length - element);
    for (; slant != 0 && element < end; element++) {
      moved = displacement_after(l, element, moved);
      line_move(&l->b, slant, sums, count, place, moved);
      line_place_step(&l->b, slant, 0, 1, &place);
    }
  }
}

/* Moves the particles of open lines. */
CLOTH_INLINE void solve_open_stretch(const stretch_lines *l, int32_t slant) {
  const lanes zero = lanes_splat(0.0f);
  const lanes3 none = lanes3_of(zero, zero, zero);
  const line_place place = line_place_of(&l->b, slant, 0);
  stretch_state s = {.x = line_load3(&l->b, slant, l->b.x, place),
                     .d = none,
                     .mobility = line_load(&l->b, slant, l->b.mobility, place),
                     .inverse = zero,
                     .side = zero,
                     .place = place};
  eliminate_line(l, slant, &s);
  displacement_state e = {s.x, s.mobility, zero, zero, zero, none, none, zero, zero, s.place};
  find_tensions(l, slant, &e);
  eliminate_displacement(l, 0, none, zero, &e);
  const int sums = l->b.sums != 0;
  if (l->b.count < CLOTH_LANES) {
    move_elements(l, slant, sums, l->b.count);
  } else if (sums) {
    move_elements(l, slant, 1, CLOTH_LANES);
  } else {
    move_elements(l, slant, 0, CLOTH_LANES);
  }
}

#if WITH_WRAP

/* The spring that closes a ring, from the last particle to particle 0. */
typedef struct closing_spring {
  lanes3 d;             /* vector along it */
  lanes diagonal, side; /* of its own equation */
  lanes before, after;  /* coupling to the spring before it, and to spring 0 */
  lanes tension;
} closing_spring;

/* Eliminates the tensions of springs 0 to length - 2 from the equation of the closing spring, and finds its tension. */
CLOTH_INLINE void close_tensions(const stretch_lines *l, closing_spring *b) {
  const int32_t last = l->b.length - 2;
  lanes closing = b->after;
  for (int32_t element = 0; element <= last; element++) {
    float *slot = stretch_slot(l, element);
    if (element > 0) {
      const lanes inverse = lanes_load(stretch_slot(l, element - 1) + STRETCH_INVERSE * CLOTH_LANES);
      closing = lanes_multiply(lanes_multiply(lanes_load(slot + STRETCH_COUPLING * CLOTH_LANES), inverse), closing);
    }
    closing = element == last ? lanes_add(closing, b->before) : closing;
    closing = lanes_quantise(closing, WORK_ROUNDER);
    lanes_store(slot + STRETCH_CLOSING * CLOTH_LANES, closing);
  }
  lanes own = lanes_splat(0.0f), share = own, coupling = own, side = b->side, pivot = b->diagonal;
  for (int32_t element = last; element >= 0; element--) {
    const float *slot = stretch_slot(l, element);
    const lanes inverse = lanes_load(slot + STRETCH_INVERSE * CLOTH_LANES);
    own = lanes_add(lanes_load(slot + STRETCH_SIDE * CLOTH_LANES), lanes_multiply(coupling, own));
    own = lanes_quantise(lanes_multiply(own, inverse), WORK_ROUNDER);
    share = lanes_add(lanes_load(slot + STRETCH_CLOSING * CLOTH_LANES), lanes_multiply(coupling, share));
    share = lanes_quantise(lanes_multiply(share, inverse), WORK_ROUNDER);
    coupling = lanes_load(slot + STRETCH_COUPLING * CLOTH_LANES);
    if (element == last || element == 0) {
      const lanes link = element == last ? b->before : b->after;
      side = lanes_add(side, lanes_multiply(link, own));
      pivot = lanes_subtract(pivot, lanes_multiply(link, share));
    }
  }
  pivot = lanes_maximum(pivot, lanes_multiply(b->diagonal, lanes_splat(MIN_TENSION_PIVOT)));
  b->tension = lanes_divide(side, pivot);
  b->tension = lanes_minimum(lanes_maximum(b->tension, lanes_splat(-MAX_TENSION)), lanes_splat(MAX_TENSION));
  b->tension = lanes_quantise(b->tension, WORK_ROUNDER);
  for (int32_t element = 0; element <= last; element++) {
    float *slot = stretch_slot(l, element);
    const lanes carried = lanes_multiply(lanes_load(slot + STRETCH_CLOSING * CLOTH_LANES), b->tension);
    const lanes sum = lanes_add(lanes_load(slot + STRETCH_SIDE * CLOTH_LANES), carried);
    lanes_store(slot + STRETCH_SIDE * CLOTH_LANES, lanes_quantise(sum, WORK_ROUNDER));
  }
}

/* Displacement of particle 0 of a ring, from the eliminated displacements of the others. `e` is the state at particle
   1, with the position and mobility of particle 0. */
CLOTH_INLINE lanes3 close_displacements(const stretch_lines *l, const closing_spring *b, const displacement_state *e) {
  const lanes one = lanes_splat(1.0f);
  const lanes first = lanes_add(e->share, e->around);
  lanes3 own = e->own;
  lanes share = first;
  for (int32_t element = 2; element < l->b.length; element++) {
    const float *slot = stretch_slot(l, element);
    const lanes before = lanes_load(slot + STRETCH_SHARE * CLOTH_LANES);
    own = lanes3_quantise(lanes3_add(lanes3_load(stretch_own(l, element), 0), lanes3_scale(own, before)), WORK_ROUNDER);
    share = lanes_add(lanes_multiply(before, share), lanes_load(slot + STRETCH_AROUND * CLOTH_LANES));
    share = lanes_quantise(share, WORK_ROUNDER);
  }
  const lanes closing = lanes_maximum(b->tension, lanes_splat(0.0f));
  lanes3 force = lanes3_subtract(e->pull, lanes3_scale(b->d, b->tension));
  force = lanes3_add(force, lanes3_add(lanes3_scale(e->own, e->resistance), lanes3_scale(own, closing)));
  const lanes resistance = lanes_add(lanes_multiply(e->resistance, lanes_subtract(one, first)),
                                     lanes_multiply(closing, lanes_subtract(one, share)));
  const lanes divisor = lanes_add(one, lanes_multiply(e->mobility, lanes_maximum(resistance, lanes_splat(0.0f))));
  return lanes3_quantise(lanes3_scale(force, lanes_divide(e->mobility, divisor)), WORK_ROUNDER);
}

/* Moves the particles of rings: the spring from the last particle to particle 0, and then the displacement of particle
   0, are eliminated last. */
CLOTH_SEPARATE void solve_ring_stretch(const stretch_lines *l) {
  const lanes zero = lanes_splat(0.0f);
  const lanes3 none = lanes3_of(zero, zero, zero);
  const int32_t last = l->b.length - 1;
  const line_place start = line_place_of(&l->b, 0, 0), end = line_place_of(&l->b, 0, last);
  stretch_state s = {.x = line_load3(&l->b, 0, l->b.x, start),
                     .mobility = line_load(&l->b, 0, l->b.mobility, start),
                     .inverse = zero,
                     .side = zero,
                     .place = start};
  closing_spring b;
  b.d = s.d = lanes3_subtract(s.x, line_load3(&l->b, 0, l->b.x, end));
  eliminate_line(l, 0, &s);
  displacement_state e = {s.x, s.mobility, zero, zero, zero, none, none, zero, lanes_splat(1.0f), end};
  b.after = lanes_load(stretch_slot(l, 0) + STRETCH_COUPLING * CLOTH_LANES);
  const tension_equation q = equation_of(l, 0, last, start, &s);
  b.diagonal = lanes_select(q.present, q.diagonal, lanes_splat(1.0f));
  b.side = lanes_keep(q.present, q.side);
  b.before = lanes_keep(q.present, q.coupling);
  b.after = lanes_keep(q.present, b.after);
  close_tensions(l, &b);
  e.pull = lanes3_scale(b.d, b.tension);
  e.resistance = lanes_maximum(b.tension, zero);
  if (l->longest && !l->is_again) {
    note_longest(l, last, b.d, b.tension);
  }
  store_tension(l, last, b.tension);
  find_tensions(l, 0, &e);
  lanes3 first = close_displacements(l, &b, &e), moved = first;
  line_place place = start;
  for (int32_t element = 0; element <= last; element++) {
    if (element > 0) {
      const float *slot = stretch_slot(l, element);
      moved = lanes3_add(lanes3_load(stretch_own(l, element), 0),
                         lanes3_scale(moved, lanes_load(slot + STRETCH_SHARE * CLOTH_LANES)));
      moved = lanes3_add(moved, lanes3_scale(first, lanes_load(slot + STRETCH_AROUND * CLOTH_LANES)));
      moved = lanes3_quantise(moved, WORK_ROUNDER);
    }
    line_move(&l->b, 0, l->b.sums != 0, l->b.count, place, moved);
    line_place_move(&l->b, 0, 1, &place);
  }
}

#endif

#if WITH_BODIES

/* The particle of an element in a lane of a bundle. */
static int32_t line_particle(const line_bundle *b, int32_t element, int32_t lane) {
  if (b->slant == 0) {
    return b->first + element * b->along + lane * b->across;
  }
  const line_place place = line_place_of(b, b->slant, element);
  return place.at + lane - (lane < place.room ? 0 : b->next);
}

static cloth_vector line_position(const line_bundle *b, int32_t element, int32_t lane) {
  if (b->slant == 0) {
    return vector_load(b->x, element * b->next + lane);
  }
  return vector_load(b->x, line_particle(b, element, lane));
}

/* Pull of the spring from an element to the next on the former, as a displacement: the tension, along the spring as it
   is now. */
static cloth_vector tension_after(const stretch_lines *l, int32_t element, int32_t lane) {
  const int32_t other = element + 1 < l->b.length ? element + 1 : 0;
  const int32_t place = line_slot_blocks(&l->b) == LINE_SLOT ? STRETCH_AROUND : STRETCH_AROUND + 1;
  const float tension = stretch_slot(l, element)[place * CLOTH_LANES + lane];
  const cloth_vector d = vector_subtract(line_position(&l->b, other, lane), line_position(&l->b, element, lane));
  return vector_scale(d, tension);
}

/* Notes the pull of the springs of a bundle that has been solved on its pins. */
CLOTH_SEPARATE void note_tensions(const stretch_lines *l) {
  const int is_ring = l->b.is_ring && l->b.slant == 0;
  const int32_t last = l->b.length - 1;
  for (int32_t element = 0; element <= last; element++) {
    for (int32_t lane = 0; lane < l->b.count; lane++) {
      const int32_t particle = line_particle(&l->b, element, lane);
      if (is_pinned(l->c, particle)) {
        const cloth_vector none = {0.0f, 0.0f, 0.0f};
        const cloth_vector after = element < last || is_ring ? tension_after(l, element, lane) : none;
        const int32_t spring = element > 0 ? element - 1 : last;
        const cloth_vector before = element > 0 || is_ring ? tension_after(l, spring, lane) : none;
        note_displacement(l->c, particle, vector_subtract(after, before));
      }
    }
  }
}

#endif

#endif
