#pragma once
#include "access.h"
#include "compiler.h"
#include "contact.h"
#include "contact_push.h"
#include "contact_record.h"
#include "contact_response.h"
#include "contact_sums.h"
#include "costs.h"
#include "gaps.h"
#include "lanes.h"
#include "layout.h"
#include "lines.h"
#include "pieces.h"
#include "pin_reactions.h"
#include "plan.h"
#include "rest_lengths.h"
#include "scalar.h"
#include "stretch_solve.h"
#include "types.h"

/// Lines over contacts ///

/*
 * The solves along lines do not know what holds a particle. One on a rim, with the mass of a cell, bears the cloth that
 * hangs beside it: the solve lets it fall into the body together with that cloth, contact moves it out again, and the
 * spring beside it stays stretched, by about n g h^2 for n particles that hang. So after contact the lines in which a
 * spring beside a contact is longer than the fabric can explain are solved once more, with contacts held: a particle
 * that sticks has no mobility, one that slides moves along the surface only, unless the line pulls it off. With the
 * normal n of a particle that slides its mobility w becomes the matrix w (1 - n n^T); the system of the tensions stays
 * tridiagonal,
 *
 *     (q_i (w_i + w_{i+1} + e_i) - w_i (n_i . d_i)^2 - w_{i+1} (n_{i+1} . d_i)^2) s_i - ... = (|d_i| - l_i)+ |d_i|
 *     coupling of spring i to the one before: w_i (d_i . d_{i-1} - (n_i . d_i) (n_i . d_{i-1})),
 *
 * and the displacements are projected to the surface where they are eliminated. Only the excess over a length l_i is
 * taken back, which grows with the strain of the cloth by its own weight and with the compliance e: where compliances
 * are not small, springs bear what hangs. What the lines pull at held particles is the reaction of their bodies. Then
 * contact is resolved again, and has the last word. The springs that close rings are left out.
 *
 * In: predicted positions, mobilities, contacts, which are kept in the velocity history of their particles until the
 * step ends (keep_contacts()). Out: predicted positions, velocities, reactions. Scratch: contact_pull; residual,
 * line_work; behind uniform_lines a byte for each row and column.
 */

#if WITH_CONTACT_LINES

/* What is added to it: strains of the cloth by its own weight, see tether_scale(), and compliances, so often. */
#define HELD_SLACK 2.0f
#define HELD_COMPLIANCE 1.0f
/* Largest excess that is taken back in a substep, and length from which none is, over the rest length: cloth that was
   put far into a body is not thrown out of it. */
#define TORN_RATIO 3.0f
#define MAX_HELD_EXCESS 0.5f
/* The same for a cloth with bodies with mass, which a heavy one stretches so far and which then carries it. The solves
   along lines do not know the body's mass, so that it feels less of the springs than they pull. */
#define BEARING_COMPLIANCE 0.7f
#define BEARING_TORN_RATIO 30.0f
#define BEARING_HELD_EXCESS 3.0f
/* Least share of the mobility that is left along a spring beside contacts. */
#define LEAST_HELD_SHARE 0.05f
/* Passes over rows and columns. */
#define HELD_SWEEPS 2
/* Largest compressive tension: more would throw a zigzag beyond its mirror image. */
#define MAX_HELD_COMPRESSION 0.25f
/* A particle is held that has come forward by less than this share of what its velocity leads in a substep [1]. One
   that slides on keeps what BDF2 hides of its momentum. */
#define HELD_WAY 0.5f
/* A line pulls a particle off its surface if it bows outwards by so many rest lengths. */
#define HELD_BOW 0.02f

static vector_array contact_pulls_of(const cloth *c) {
  return vectors_at(c, c->scratch.contact_pull);
}

/* 1 if a collider has mass. */
static int has_bodies(const cloth *c) {
  return inputs_of(c)->body_count > 0;
}

/* Length over the rest length beyond which springs of a family are taken back. */
static float held_ratio(const cloth *c, const step_plan *plan, int32_t d) {
  const float slack = plan->tether_scale - c->settings.tethers.scale;
  const float share = has_bodies(c) ? BEARING_COMPLIANCE : HELD_COMPLIANCE;
  return 1.0f + HELD_STRAIN + HELD_SLACK * slack + share * minimum(plan->spring[d].compliance[0], 1.0e3f);
}

/// Which lines ///

/* Which springs from a block of particles to those `next` further on are too long and have a contact at an end. */
CLOTH_INLINE lanes_mask is_torn(const cloth *c, int32_t i, int32_t next, float squared, int32_t gapped) {
  const vector_array x = predicted_of(c);
  const float *mark = history_of(c, 1).x;
  const lanes3 d = lanes3_subtract(lanes3_load(x, i + next), lanes3_load(x, i));
  lanes either = lanes_maximum(lanes_load(mark + i), lanes_load(mark + i + next)), limit = lanes_splat(squared);
  (void)gapped;
#if WITH_GAPS
  if (gapped) {
    either = lanes_keep(without_gap(c, i, 1, c->count - i, next == 1 ? GAP_WARP : GAP_WEFT), either);
#if WITH_REST_SHAPE
    if (has_rest_shape(c)) {
      const lanes rest = rest_factors(c, REST_LENGTH + (next == 1 ? WARP : WEFT), i, 1, c->count - i);
      limit = lanes_multiply(limit, lanes_multiply(rest, rest));
    }
#endif
  }
#endif
  return lanes_both(has_no_history(either), lanes_less(limit, lanes3_dot(d, d)));
}

/* Marks lines of a block of columns, of which `left` exist, in a row. */
CLOTH_INLINE int mark_torn(const cloth *c, int32_t row, int32_t column, const float squared[2], int32_t gapped) {
  const int32_t i = row * c->grid.columns + column, left = c->grid.columns - column;
  int found = 0;
  if (left > 1 && lanes_any(lanes_both(is_torn(c, i, 1, squared[WARP], gapped), lanes_first(left - 1)))) {
    marked_rows_of(c)[row] = 1;
    found = 1;
  }
  if (row + 1 < c->grid.rows) {
    const lanes torn = lanes_keep(lanes_both(is_torn(c, i, c->grid.columns, squared[WEFT], gapped), lanes_first(left)),
                                  lanes_splat(1.0f));
    if (lanes_any(lanes_less(lanes_splat(0.0f), torn))) {
      float values[CLOTH_LANES];
      lanes_store(values, torn);
      for (int32_t lane = 0; lane < CLOTH_LANES && lane < left; lane++) {
        marked_columns_of(c)[column + lane] |= (uint8_t)(values[lane] > 0.0f);
      }
      found = 1;
    }
  }
  return found;
}

/* Finds the lines with springs beside contacts that are too long. Returns 1 if there are any. */
CLOTH_HOT CLOTH_SEPARATE int find_torn_lines(const cloth *c, const step_plan *plan) {
  const float *mark = history_of(c, 1).x;
  const int32_t columns = c->grid.columns, gapped = has_gaps(c);
  float squared[2];
  int found = 0;
  for (int32_t d = WARP; d <= WEFT; d++) {
    const float longest = plan->spring[d].rest * held_ratio(c, plan, d);
    squared[d] = longest * longest;
  }
  fill_zero(marked_rows_of(c), (size_t)(c->grid.rows + columns));
  for (int32_t row = 0; row < c->grid.rows; row++) {
    const int32_t below = row + 1 < c->grid.rows ? columns : 0;
    for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
      const int32_t i = row * columns + column;
      const lanes marks = lanes_maximum(lanes_load(mark + i + 1), lanes_load(mark + i + below));
      const lanes_mask near = has_no_history(lanes_maximum(lanes_load(mark + i), marks));
      if (lanes_any(lanes_both(near, lanes_first(columns - column + 1))) || c->settings.capacity.fixed_work) {
        found |= mark_torn(c, row, column, squared, gapped);
      }
    }
  }
  return found;
}

/// A bundle ///

/* What a kernel needs of a bundle of lines. */
typedef struct held_lines {
  line_bundle b;
  const cloth *c;
  const cloth *gapped;                                        /* where the grid has gaps; else NULL */
  const line_bundle *lines;                                   /* the original of b, whose address may be taken */
  vector_array contact;                                       /* what keep_contacts() has kept, laid out like b.x */
  lanes active;                                               /* 1 for lines that are to be solved, else 0 */
  float inverse_squared_rest, least_square, coupling_rounder; /* as in stretch_lines */
  float compliance, longest;                                  /* of a spring; length over the rest length */
  float torn_ratio, most_excess;                              /* TORN_RATIO, MAX_HELD_EXCESS, or those of bearing */
  float outwards;                                             /* HELD_BOW of the rest length [m] */
  float inverse_h;
  float *work;
} held_lines;

/* Blocks of lanes that an element keeps in line_work: as in stretch_solve.h, and the tension of the spring after it. */
enum { HELD_INVERSE, HELD_SIDE, HELD_COUPLING };
enum { HELD_SHARE, HELD_X, HELD_Y, HELD_Z, HELD_TENSION };

/* The particles of an element: position, mobility, and normal where contact holds them; 0 elsewhere. */
typedef struct held_element {
  lanes3 x, normal;
  lanes mobility;
} held_element;

CLOTH_INLINE lanes3 held_load(const held_lines *l, int32_t element) {
  return lanes3_load(l->b.x, element * l->b.next);
}

CLOTH_INLINE float *held_slot(const held_lines *l, int32_t element) {
  return l->work + element * (LINE_SLOT * CLOTH_LANES);
}

/* The unit normals that keep_contacts() has kept, and which particles stick. */
CLOTH_INLINE lanes3 kept_normal(lanes3 kept, lanes *sticks) {
  const lanes one = lanes_splat(1.0f), half = lanes_splat(0.5f * CONTACT_FLAG), flag = lanes_splat(CONTACT_FLAG);
  const lanes_mask turned = lanes_less(half, kept.y), stuck = lanes_less(half, kept.z);
  const lanes y = lanes_subtract(kept.y, lanes_keep(turned, flag)), z = lanes_subtract(kept.z, lanes_keep(stuck, flag));
  const lanes rest = lanes_subtract(one, lanes_add(lanes_multiply(y, y), lanes_multiply(z, z)));
  const lanes x = lanes_square_root(lanes_maximum(lanes_flush(rest), lanes_splat(0.0f)));
  *sticks = lanes_keep(stuck, one);
  return lanes3_flush_below(lanes3_of(lanes_select(turned, lanes_negate(x), x), y, z), STATE_QUANTUM);
}

/* The particles of an element between two others. */
CLOTH_INLINE held_element held_element_of(const held_lines *l, int32_t element, lanes3 before, lanes3 x, lanes3 after) {
  const lanes zero = lanes_splat(0.0f);
  const int32_t at = element * l->b.next;
#if WITH_GAPS
  if (l->gapped) {
    before = element > 0 ? lanes3_select(line_springs(l->gapped, l->lines, element - 1), before, x) : x;
    after = lanes3_select(line_springs(l->gapped, l->lines, element), after, x);
  }
#endif
  const lanes3 kept = lanes3_load(l->contact, at);
  const lanes_mask touches = has_no_history(kept.x);
  lanes sticks;
  const lanes3 normal = lanes3_keep(touches, kept_normal(lanes3_keep(touches, kept), &sticks));
  const lanes3 bow =
      lanes3_flush_below(lanes3_add(lanes3_subtract(before, x), lanes3_subtract(after, x)), STATE_QUANTUM);
  const lanes outwards = lanes3_dot(bow, normal);
  const lanes_mask is_flat = lanes_less(outwards, lanes_splat(l->outwards));
  held_element a;
  a.x = x;
  a.normal = lanes3_keep(lanes_less(outwards, zero), normal);
  a.mobility = lanes_multiply(lanes_load(l->b.mobility + at), l->active);
  sticks = lanes_keep(is_flat, lanes_keep(touches, sticks));
  a.mobility = lanes_drop(lanes_less(zero, sticks), a.mobility);
  return a;
}

/* The element at an end or inside of the lines, from positions that have not changed yet. */
CLOTH_INLINE held_element held_element_at(const held_lines *l, int32_t element) {
  const lanes3 x = held_load(l, element);
  const lanes3 before = element > 0 ? held_load(l, element - 1) : x;
  const lanes3 after = element + 1 < l->b.length ? held_load(l, element + 1) : x;
  return held_element_of(l, element, before, x, after);
}

CLOTH_INLINE lanes flushed_dot(lanes3 a, lanes3 b) {
  return lanes_flush(lanes3_dot(a, b));
}

/* What the two eliminations work on: a copy, as stores of lanes may alias the lines. `gapped` is a constant of each of
   their two versions, so that lines without gaps pay nothing for them, see GAP_VERSIONS. */
CLOTH_INLINE held_lines held_copy(const held_lines *lines, const cloth *gapped) {
  held_lines l = *lines;
  l.gapped = gapped;
  return l;
}

/* Eliminates the tensions. */
CLOTH_INLINE void eliminate_tensions(const held_lines *lines, const cloth *gapped) {
  const held_lines l = held_copy(lines, gapped);
  const lanes scale = lanes_splat(l.inverse_squared_rest), zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  lanes inverse = zero, side = zero;
  lanes3 before = lanes3_of(zero, zero, zero);
  held_element a = held_element_at(&l, 0);
  for (int32_t element = 0; element + 1 < l.b.length; element++) {
    const held_element b = held_element_at(&l, element + 1);
    const lanes3 d = lanes3_subtract(b.x, a.x);
    const lanes squared = lanes_multiply(lanes_maximum(lanes3_dot(d, d), lanes_splat(l.least_square)), scale);
    const lanes ratio = lanes_square_root(squared);
    lanes longest = lanes_splat(l.longest), torn = lanes_splat(l.torn_ratio);
#if WITH_REST_SHAPE
    if (l.gapped && has_rest_shape(l.gapped)) {
      const lanes rest = line_rest(l.gapped, l.lines, element);
      longest = lanes_multiply(longest, rest);
      torn = lanes_multiply(torn, rest);
    }
#endif
    const lanes over = lanes_maximum(lanes_subtract(ratio, longest), zero);
    const lanes excess = lanes_keep(lanes_less(ratio, torn), lanes_minimum(over, lanes_splat(l.most_excess)));
    const lanes mobility = lanes_add(a.mobility, b.mobility);
    const lanes at_a = flushed_dot(a.normal, d), at_b = flushed_dot(b.normal, d);
    const lanes held = lanes_add(lanes_multiply(a.mobility, lanes_multiply(at_a, at_a)),
                                 lanes_multiply(b.mobility, lanes_multiply(at_b, at_b)));
    const lanes whole = lanes_multiply(squared, mobility);
    lanes diagonal = lanes_subtract(whole, lanes_multiply(held, scale));
    diagonal = lanes_maximum(diagonal, lanes_multiply(whole, lanes_splat(LEAST_HELD_SHARE)));
    diagonal = lanes_add(diagonal, lanes_multiply(squared, lanes_splat(l.compliance)));
    const lanes along = lanes_subtract(lanes3_dot(d, before), lanes_multiply(at_a, flushed_dot(a.normal, before)));
    const lanes coupling = lanes_multiply(a.mobility, lanes_multiply(lanes_quantise(along, l.coupling_rounder), scale));
    const lanes factor = lanes_multiply(coupling, inverse);
    const lanes pivot = lanes_maximum(lanes_subtract(diagonal, lanes_multiply(factor, coupling)),
                                      lanes_multiply(squared, lanes_splat(MIN_TENSION_PIVOT)));
    inverse = lanes_keep(lanes_less(zero, mobility), lanes_divide(one, pivot));
#if WITH_GAPS
    if (l.gapped) {
      inverse = lanes_keep(line_springs(l.gapped, l.lines, element), inverse);
    }
#endif
    side = lanes_quantise(lanes_add(lanes_multiply(excess, ratio), lanes_multiply(factor, side)), WORK_ROUNDER);
    float *slot = held_slot(&l, element);
    lanes_store(slot + HELD_INVERSE * CLOTH_LANES, inverse);
    lanes_store(slot + HELD_SIDE * CLOTH_LANES, side);
    lanes_store(slot + HELD_COUPLING * CLOTH_LANES, coupling);
    before = d;
    a = b;
  }
}

/* Finds the tensions, and eliminates the displacements, from the last element on. */
CLOTH_INLINE void eliminate_displacements(const held_lines *lines, const cloth *gapped) {
  const held_lines l = held_copy(lines, gapped);
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  const lanes3 none = lanes3_of(zero, zero, zero);
  lanes tension = zero, coupling = zero, resistance = zero, share = zero; /* of the spring and particle after */
  lanes3 pull = none, own = none;
  for (int32_t element = l.b.length - 1; element >= 0; element--) {
    const held_element a = held_element_at(&l, element);
    lanes3 pull_before = none;
    lanes resistance_before = zero;
    if (element > 0) {
      float *slot = held_slot(&l, element - 1);
      const lanes side = lanes_add(lanes_load(slot + HELD_SIDE * CLOTH_LANES), lanes_multiply(coupling, tension));
      tension = lanes_multiply(side, lanes_load(slot + HELD_INVERSE * CLOTH_LANES));
      tension = lanes_maximum(tension, lanes_splat(-MAX_HELD_COMPRESSION));
      tension = lanes_quantise(lanes_minimum(tension, lanes_splat(MAX_TENSION)), WORK_ROUNDER);
      coupling = lanes_load(slot + HELD_COUPLING * CLOTH_LANES);
      lanes_store(slot + HELD_TENSION * CLOTH_LANES, tension);
      pull_before = lanes3_scale(lanes3_subtract(a.x, held_load(&l, element - 1)), tension);
      resistance_before = lanes_maximum(tension, zero);
    }
    const lanes3 force = lanes3_add(lanes3_subtract(pull, pull_before), lanes3_scale(own, resistance));
    const lanes after = lanes_multiply(resistance, lanes_subtract(one, share));
    const lanes divisor = lanes_add(one, lanes_multiply(a.mobility, lanes_add(resistance_before, after)));
    const lanes gain = lanes_divide(a.mobility, divisor);
    own = lanes3_scale(force, gain);
    own = lanes3_subtract(own, lanes3_scale(a.normal, flushed_dot(own, a.normal)));
    own = lanes3_quantise(own, WORK_ROUNDER);
    share = lanes_multiply(gain, resistance_before);
    float *slot = held_slot(&l, element);
    const vector_array owns = {slot + HELD_X * CLOTH_LANES, slot + HELD_Y * CLOTH_LANES, slot + HELD_Z * CLOTH_LANES};
    lanes_store(slot + HELD_SHARE * CLOTH_LANES, share);
    lanes3_store(owns, 0, own, CLOTH_LANES);
    pull = pull_before;
    resistance = resistance_before;
  }
}

CLOTH_HOT CLOTH_SEPARATE void eliminate_held_tensions(const held_lines *lines) {
  eliminate_tensions(lines, GAP_VERSIONS ? NULL : lines->gapped);
}

CLOTH_HOT CLOTH_SEPARATE void eliminate_held_displacements(const held_lines *lines) {
  eliminate_displacements(lines, GAP_VERSIONS ? NULL : lines->gapped);
}

#if GAP_VERSIONS

CLOTH_SEPARATE void eliminate_held_at_gaps(const held_lines *lines) {
  eliminate_tensions(lines, lines->c);
  eliminate_displacements(lines, lines->c);
}

#endif

/* What lines do to the particles of an element: how they change their velocities [m/s], and what they pull at those
   that contact holds, as a displacement of mobility 1 [m]; 0 elsewhere. */
typedef struct held_change {
  lanes3 rate, pull;
} held_change;

CLOTH_INLINE held_change held_change_of(const held_lines *l, int32_t element, const held_element *a, lanes3 moved,
                                        lanes3 force) {
  const lanes zero = lanes_splat(0.0f);
  const lanes_mask active = lanes_less(zero, l->active);
  const lanes_mask touches = has_no_history(lanes_load(l->contact.x + element * l->b.next));
  const lanes_mask can_move = lanes_less(zero, lanes_load(l->b.mobility + element * l->b.next));
  const lanes3 f = lanes3_flush(force), across = lanes3_scale(a->normal, flushed_dot(f, a->normal));
  const lanes3 held = lanes3_flush(lanes3_select(lanes_less(zero, a->mobility), across, f));
  const held_change change = {lanes3_keep(active, lanes3_scale(moved, lanes_splat(l->inverse_h))),
                              lanes3_keep(lanes_both(active, lanes_both(touches, can_move)), held)};
  return change;
}

#if WITH_BODIES

/* Notes what lines pull at the pins of an element. */
CLOTH_SEPARATE void note_held_pins(const held_lines *l, int32_t element, lanes3 force) {
  float pull[3][CLOTH_LANES], active[CLOTH_LANES];
  const vector_array forces = {pull[0], pull[1], pull[2]};
  lanes_store(active, l->active);
  lanes3_store(forces, 0, lanes3_flush(force), CLOTH_LANES);
  for (int32_t lane = 0; lane < l->b.count; lane++) {
    const int32_t i = l->b.first + element * l->b.along + lane * l->b.across;
    if (active[lane] > 0.0f && is_pinned(l->c, i)) {
      note_displacement(l->c, i, vector_load(forces, lane));
    }
  }
}

#endif

/* Adds what the lines do to the particles of an element to their velocities and to contact_pull, or keeps it for
   return_held_rows(). What they pull at pins is noted. `force`: a displacement of mobility 1 [m]. */
CLOTH_INLINE void note_held(const held_lines *l, int32_t element, const held_element *a, lanes3 moved, lanes3 force) {
  const held_change change = held_change_of(l, element, a, moved, force);
  if (CLOTH_LANES > 1 && l->b.along == 1) {
    float *slot = held_slot(l, element);
    const vector_array pulls = {slot + HELD_X * CLOTH_LANES, slot + HELD_Y * CLOTH_LANES, slot + HELD_Z * CLOTH_LANES};
    lanes3_store(l->contact, element * CLOTH_LANES, change.rate, CLOTH_LANES);
    lanes3_store(pulls, 0, change.pull, CLOTH_LANES);
  } else {
    const int32_t i = l->b.first + element * l->b.along;
    add_to_block(vectors_at(l->c, l->c->state.velocity), i, l->b.count, change.rate);
    add_to_block(contact_pulls_of(l->c), i, l->b.count, change.pull);
  }
#if WITH_BODIES
  if (notes_pins(l->c)) {
    note_held_pins(l, element, force);
  }
#endif
}

#if CLOTH_LANES > 1

/* Adds what note_held() has kept of rows. */
static void return_held_rows(const held_lines *l) {
  const vector_array v = vectors_at(l->c, l->c->state.velocity), pulls = contact_pulls_of(l->c);
  float *to[6] = {v.x, v.y, v.z, pulls.x, pulls.y, pulls.z};
  const float *from[6] = {l->contact.x,
                          l->contact.y,
                          l->contact.z,
                          l->work + HELD_X * CLOTH_LANES,
                          l->work + HELD_Y * CLOTH_LANES,
                          l->work + HELD_Z * CLOTH_LANES};
  for (int32_t n = 0; n < 6; n++) {
    add_transposed_rows(to[n] + l->b.first, l->b.length, l->b.count, from[n], n < 3 ? 1 : LINE_SLOT);
  }
}

#endif

/* Moves the particles of a bundle. A spring's pull at its ends follows from its tension and from how far both move. */
CLOTH_HOT CLOTH_SEPARATE void move_held(const held_lines *lines) {
  const held_lines l = *lines;
  const lanes zero = lanes_splat(0.0f);
  const lanes3 none = lanes3_of(zero, zero, zero);
  lanes3 moved = none, pull = none, before = held_load(&l, 0);
  lanes3 x = before, after = l.b.length > 1 ? held_load(&l, 1) : x;
  held_element last = held_element_of(&l, 0, before, x, after);
  for (int32_t element = 0; element < l.b.length; element++) {
    const held_element a = held_element_of(&l, element, before, x, after);
    float *slot = held_slot(&l, element);
    const vector_array owns = {slot + HELD_X * CLOTH_LANES, slot + HELD_Y * CLOTH_LANES, slot + HELD_Z * CLOTH_LANES};
    const lanes3 lead = moved, led = lanes3_subtract(moved, lanes3_scale(a.normal, flushed_dot(moved, a.normal)));
    moved = lanes3_add(lanes3_load(owns, 0), lanes3_scale(led, lanes_load(slot + HELD_SHARE * CLOTH_LANES)));
    moved = lanes3_quantise(moved, WORK_ROUNDER);
    if (element > 0) {
      const lanes tension = lanes_load(held_slot(&l, element - 1) + HELD_TENSION * CLOTH_LANES);
      lanes3 next = lanes3_scale(lanes3_subtract(x, before), tension);
      next = lanes3_add_scaled(next, lanes3_subtract(moved, lead), lanes_maximum(tension, zero));
      note_held(&l, element - 1, &last, lead, lanes3_subtract(next, pull));
      pull = next;
    }
    lanes3_store(l.b.x, element * l.b.next, lanes3_add(x, moved), l.b.count);
    last = a;
    before = x;
    x = after;
    after = element + 2 < l.b.length ? held_load(&l, element + 2) : after;
  }
  note_held(&l, l.b.length - 1, &last, moved, lanes3_subtract(none, pull));
}

/* Solves the lines of a bundle that are marked, from the byte `marks` on. Returns how many lines the bundle has, or 0
   if none is marked. */
static int32_t solve_held(held_lines *l, const uint8_t *marks) {
  float active[CLOTH_LANES];
  int any = l->c->settings.capacity.fixed_work;
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    active[lane] = lane < l->b.count && marks[lane] ? 1.0f : 0.0f;
    any |= active[lane] > 0.0f;
  }
  if (!any) {
    return 0;
  }
  l->active = lanes_load(active);
  l->lines = &l->b;
  l->work = l->b.piece->work;
#if GAP_VERSIONS
  if (l->gapped) {
    eliminate_held_at_gaps(l);
    move_held(l);
    return l->b.count;
  }
#endif
  eliminate_held_tensions(l);
  eliminate_held_displacements(l);
  move_held(l);
  return l->b.count;
}

static held_lines held_lines_of(const cloth *c, const step_plan *plan, int32_t d) {
  const float rest = plan->spring[d].rest;
  float_bits rounder = float_to_bits(rest * rest);
  rounder.bits &= 0x7f800000u; /* the power of two at or below it */
  held_lines l;
  fill_zero(&l, sizeof l);
  l.c = c;
  l.gapped = gapped_cloth(c);
  l.inverse_squared_rest = 1.0f / (rest * rest);
  l.least_square = MIN_SQUARED_RATIO * (rest * rest);
  l.coupling_rounder = STATE_ROUNDER * rounder.value;
  l.compliance = plan->spring[d].compliance[0];
  l.longest = held_ratio(c, plan, d);
  l.torn_ratio = has_bodies(c) ? BEARING_TORN_RATIO : TORN_RATIO;
  l.most_excess = has_bodies(c) ? BEARING_HELD_EXCESS : MAX_HELD_EXCESS;
  l.outwards = HELD_BOW * rest;
  l.inverse_h = plan->inverse_h;
  return l;
}

/* 1 if one of `count` bytes is not 0. */
static int has_marks(const cloth *c, const uint8_t *marks, int32_t count) {
  int any = c->settings.capacity.fixed_work;
  for (int32_t n = 0; n < count; n++) {
    any |= marks[n];
  }
  return any;
}

static void solve_held_rows(const cloth *c, const step_plan *plan, stage_piece *p) {
  held_lines l = held_lines_of(c, plan, WARP);
  const vector_array kept = history_of(c, 1);
  for (int32_t row = p->first; row < p->end; row += CLOTH_LANES) {
    const int32_t left = c->grid.rows - row, first = row * c->grid.columns;
    if (!has_marks(c, marked_rows_of(c) + row, left < CLOTH_LANES ? left : CLOTH_LANES)) {
      continue;
    }
    l.b = bundle_of_rows(c, p, predicted_of(c), row);
    const vector_array rows = {kept.x + first, kept.y + first, kept.z + first};
    l.contact = rows;
#if CLOTH_LANES > 1
    l.contact = row_vectors(c, p->rows, ROW_OLD_X);
    transpose_rows(rows.x, c->grid.columns, l.b.count, l.contact.x);
    transpose_rows(rows.y, c->grid.columns, l.b.count, l.contact.y);
    transpose_rows(rows.z, c->grid.columns, l.b.count, l.contact.z);
#endif
    const int32_t solved = solve_held(&l, marked_rows_of(c) + row);
    p->counts.lines += solved;
#if CLOTH_LANES > 1
    if (solved > 0) {
      return_held_rows(&l);
    }
#endif
    return_rows(c, &l.b);
  }
}

static void solve_held_columns(const cloth *c, const step_plan *plan, stage_piece *p) {
  held_lines l = held_lines_of(c, plan, WEFT);
  const vector_array kept = history_of(c, 1);
  for (int32_t column = p->first; column < p->end; column += CLOTH_LANES) {
    const int32_t left = c->grid.columns - column;
    if (has_marks(c, marked_columns_of(c) + column, left < CLOTH_LANES ? left : CLOTH_LANES)) {
      const vector_array columns = {kept.x + column, kept.y + column, kept.z + column};
      l.b = bundle_of_columns(c, p, predicted_of(c), column);
      l.contact = columns;
      p->counts.lines += solve_held(&l, marked_columns_of(c) + column);
    }
  }
}

/* Solves the marked rows, then the marked columns. */
static void solve_held_lines(const cloth *c, const step_plan *plan) {
  const int32_t rows = run_pieces(c, plan, solve_held_rows, NULL, c->grid.rows, LINE_BLOCK).lines;
  const int32_t columns = run_pieces(c, plan, solve_held_columns, NULL, c->grid.columns, LINE_BLOCK).lines;
  add_varying_work(c, (uint64_t)(uint32_t)rows * (uint32_t)c->grid.columns, COST_HELD_LINE);
  add_varying_work(c, (uint64_t)(uint32_t)columns * (uint32_t)c->grid.rows, COST_HELD_LINE);
}

/// Reactions ///

/* Which particles of a block a collider holds. */
CLOTH_INLINE lanes_mask held_by(const cloth *c, const moving_body *m, int32_t i) {
  const lanes off = lanes_subtract(lanes_load(history_of(c, 1).x + i), lanes_splat(CONTACT_MARK(m->index)));
  return lanes_both(lanes_less(lanes_absolute(off), lanes_splat(0.5f)), lanes_first(c->count - i));
}

/* Adds up, and records, the impulses [N s] that the chosen particles of a block have received from a collider. */
CLOTH_SEPARATE void add_reactions_of_held(const cloth *c, const moving_body *m, int32_t i, lanes_mask which,
                                          lanes3 impulse, reaction_sums *sums) {
  const lanes3 position = lanes3_load(predicted_of(c), i);
  sum_reactions(m, i, which, position, impulse, sums);
#if WITH_CONTACT_RECORD
  if (has_contact_record(c)) {
    lanes sticks;
    const lanes3 normal = kept_normal(lanes3_keep(which, lanes3_load(history_of(c, 1), i)), &sticks);
    const lanes3 made[3] = {position, normal, impulse};
    record_contacts(c, m, i, lanes_keep(which, lanes_splat(1.0f)), made);
  }
#endif
}

/* Gives a collider what lines pull at the particles that it holds. */
static void react_to_pulls(const cloth *c, const moving_body *m, float momentum) {
  const vector_array pulls = contact_pulls_of(c);
  reaction_sums sums = empty_sums(NULL);
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    const lanes_mask holds = held_by(c, m, i);
    if (lanes_any(holds) || c->settings.capacity.fixed_work) {
      const lanes3 pull = lanes3_keep(holds, lanes3_load(pulls, i));
      add_reactions_of_held(c, m, i, holds, lanes3_scale(pull, lanes_splat(negate(momentum))), &sums);
    }
  }
  react(c, m, lanes3_sum_total(sums.impulse), lanes3_sum_total(sums.torque));
}

/* Ends the velocity that particles of a block which a collider holds have, relative to its surface, beyond that of
   their way, where this is less than HELD_WAY of what the velocity leads. Returns the changes [m/s]; 0 for the others.
 */
CLOTH_INLINE lanes3 slow_block(const cloth *c, const step_plan *plan, const moving_body *m, int32_t i,
                               lanes_mask *holds) {
  const vector_array v = vectors_at(c, c->state.velocity);
  const lanes3 before = lanes3_load(v, i), to = lanes3_load(predicted_of(c), i);
  const lanes3 moved = lanes3_subtract(to, lanes3_load(vectors_at(c, c->state.position), i));
  const lanes3 place = to_local_lanes(m, &m->end, to);
  const lanes3 surface = lanes3_subtract(to_world_lanes(m, &m->end, place), to_world_lanes(m, &m->start, place));
  const lanes3 way = lanes3_flush_below(lanes3_subtract(moved, surface), STATE_QUANTUM);
  const lanes3 led =
      lanes3_flush_below(lanes3_subtract(lanes3_scale(before, lanes_splat(plan->h)), surface), STATE_QUANTUM);
  const lanes least = lanes_multiply(lanes_splat(1.0f / (HELD_WAY * HELD_WAY)), lanes3_dot(way, way));
  *holds = lanes_both(*holds, lanes_less(least, lanes3_dot(led, led)));
  const lanes3 flushed = lanes3_flush_below(moved, WORK_QUANTUM);
  const lanes3 after = lanes3_flush_below(lanes3_scale(flushed, lanes_splat(plan->inverse_h)), STATE_QUANTUM);
  lanes3_store(v, i, lanes3_select(*holds, after, before), c->count - i);
  return lanes3_keep(*holds, lanes3_flush_below(lanes3_subtract(after, before), STATE_QUANTUM));
}

/* The same for all particles that a collider holds, which receives the opposite. Contact has given those that slide the
   velocity that BDF2 hides (contact_momentum.h); lines may have taken their way back, but not that. */
static void slow_held(const cloth *c, const step_plan *plan, const moving_body *m) {
  const lanes unit = lanes_splat(reference_mass(c));
  reaction_sums sums = empty_sums(NULL);
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    lanes_mask holds = held_by(c, m, i);
    if (lanes_any(holds) || c->settings.capacity.fixed_work) {
      const lanes3 change = slow_block(c, plan, m, i, &holds);
      add_reactions_of_held(c, m, i, holds, lanes3_scale(change, lanes_multiply(unit, mass_ratio_lanes(c, i))), &sums);
    }
  }
  react(c, m, lanes3_sum_total(sums.impulse), lanes3_sum_total(sums.torque));
}

/* The same for all colliders without mass, after lines over contacts and the contact that follows them. Not where cloth
   feels itself or others: crumpled sheets with 4 substeps would shake at 3 m/s in place of 0.1 to 0.5. */
CLOTH_SEPARATE void slow_all_held(const cloth *c, const step_plan *plan, int32_t substep) {
  for (int32_t n = 0; n < collider_end(c); n++) {
    const moving_body *m = is_collider(c, n) ? body_in_substep(c, plan, n, substep) : NULL;
    if (m && m->body < 0) {
      add_varying_work(c, (uint32_t)c->count, COST_SLOW);
      slow_held(c, plan, m);
    }
  }
}

/* Solves the lines over contacts where springs are too long. Returns 1 if there are any. */
CLOTH_SEPARATE int solve_contact_lines(const cloth *c, const step_plan *plan, int32_t substep) {
  if (!workspace_of(c)->tears && !c->settings.capacity.fixed_work) {
    return 0;
  }
  add_varying_work(c, (uint32_t)c->count, COST_TORN);
  const int found = find_torn_lines(c, plan) && workspace_of(c)->tears && !workspace_of(c)->frees;
  if (!found) {
    fill_zero(marked_rows_of(c), (size_t)(c->grid.rows + c->grid.columns));
  }
  if (!found && !c->settings.capacity.fixed_work) {
    return 0;
  }
  add_varying_work(c, (uint32_t)c->count, COST_AGAIN);
  fill_zero(contact_pulls_of(c).x, 3 * (size_t)c->stride * sizeof(float));
  for (int32_t sweep = 0; sweep < HELD_SWEEPS; sweep++) {
    solve_held_lines(c, plan);
  }
  const float momentum = reference_mass(c) * plan->inverse_h / force_share(plan);
  for (int32_t index = 0; index < collider_end(c); index++) {
    if (is_collider(c, index)) {
      add_varying_work(c, (uint32_t)c->count, COST_PULLS);
      add_varying_work(c, 1u, COST_COLLIDER);
      react_to_pulls(c, body_in_substep(c, plan, index, substep), momentum);
    }
  }
  return found;
}

/* At the end of a step: no particle keeps the contacts of its last substep. */
CLOTH_HOT CLOTH_SEPARATE void forget_contacts(const cloth *c) {
  const vector_array kept = history_of(c, 1);
  const lanes3 mark = lanes3_of(lanes_splat(HISTORY_INVALID), lanes_splat(0.0f), lanes_splat(0.0f));
  EACH_BLOCK(i, left, c->count, {
    const lanes3 here = lanes3_load(kept, i);
    const lanes_mask touches = has_no_history(here.x);
    lanes3_store(kept, i, lanes3_select(touches, mark, here), left);
  });
}

#endif
