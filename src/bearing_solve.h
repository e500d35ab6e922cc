#pragma once
#include "access.h"
#include "block3.h"
#include "compiler.h"
#include "lanes.h"
#include "layout.h"
#include "lines.h"
#include "scalar.h"
#include "stretch_solve.h"
#include "types.h"

/// Stretch along lines that bear a body ///

/*
 * Particles on which a body with mass lies move with it. In the solves along lines such a particle has, beside its own
 * mass 1/w, a part M of the body's along the normal n of the body's surface and a part T, what friction holds, across
 * it: the mass 1/w (1 + t) + 1/w (m - t) n n^T, with m = M w and t = T w. Its inverse takes the place of w in the
 * equations of the tensions, which stay tridiagonal. The equations of the displacements have 3 x 3 blocks,
 *
 *     (1 + t + (m - t) n n^T + w (p_i + p_{i-1})) X_i - w p_i X_{i+1} - w p_{i-1} X_{i-1}
 *         = w (s_i d_i - s_{i-1} d_{i-1})
 *
 * of which each is inverted once. The sum of the displacements X of all solves of a substep is kept for such particles:
 * with it the body gets what its parts received (bearing.h).
 *
 * Lines are solved so in blocks of LINE_BLOCK, of which at least one has such a particle, whatever the width of lanes:
 * so the bits do not depend on it. Rows of tubes are solved without the body.
 *
 * In: as stretch_solve.h, and the parts that find_bearing() has found. Out: the positions of the lines, displacements.
 * Scratch: line_work.
 */

#if WITH_BEARING

/* The vectors and values that a cloth with room for bodies has for each particle, behind the predicted positions. The
   displacement X is followed by what friction counts of it: in BEARING_BORNE, once bodies have got their impulses. */
enum {
  BEARING_NORMAL,    /* n */
  BEARING_MOVED = 3, /* sum of X, with the share of the slip; until parts are known see weigh_pulls() [m] */
  BEARING_ALONG = 6, /* m */
  BEARING_ACROSS,    /* t */
  BEARING_PRESSED = BEARING_ACROSS, /* then way that the body has kept it from [m] */
  BEARING_BORNE,                    /* way that what was borne along n would have gone into the body [m] */
  BEARING_CODE, /* 0; number of the body + 1, negative for a particle that bears it as a corner of a cell */
  BEARING_WAY,  /* displacement relative to the body that the prediction leaves [m] */
  BEARING_COUNT = BEARING_WAY + 3
};
LAYOUT_CONTRACT(bearing_planes_have_room, BEARING_COUNT == BEARING_PLANES);

/* What there is: nothing, parts for the solves, or what friction counts. */
enum { BEARS_NOTHING, BEARS_PARTS, BEARS_COUNTS };

/* The distance from a body at which particles bear it, over the thickness of the cloth, at least and at most; and over
   g h^2. */
#define BEARING_NEAR 0.02f
#define BEARING_FAR 0.5f
#define BEARING_FALLS 2.0f
/* Least pivot of the elimination of tensions, as MIN_TENSION_PIVOT: a particle that bears much moves less. */
#define BEARING_PIVOT 1.0e-5f

static float *bearing_plane(const cloth *c, int32_t plane) {
  return floats_at(c, c->scratch.product) + (3 + plane) * c->stride;
}

static vector_array bearing_vectors(const cloth *c, int32_t plane) {
  vector_array v = {bearing_plane(c, plane), bearing_plane(c, plane + 1), bearing_plane(c, plane + 2)};
  return v;
}

/* BEARS_NOTHING ... Only where has_body_room(). */
static int32_t *bearing_state(const cloth *c) {
  return (int32_t *)(void *)bearing_plane(c, BEARING_PLANES);
}

static int is_bearing(const cloth *c, int32_t state) {
  return has_body_room(c) && *bearing_state(c) == state;
}

/* How far above the contact distance of a body a particle bears it [m]: by what it falls, relative to the body, in a
   substep, and by a share of the thickness. With more cloth falls away from under heavy bodies. */
static float bearing_slack(const cloth *c, const step_plan *plan) {
  const float fall = BEARING_FALLS * vector_length(inputs_of(c)->gravity) * plan->h * plan->h;
  const float thickness = c->settings.contact.thickness;
  return minimum(maximum(BEARING_NEAR * thickness, fall), BEARING_FAR * thickness);
}

/* 1 for each block of lines of a direction that bears a body. */
static uint8_t *bearing_marks(const cloth *c, int32_t direction) {
  return (uint8_t *)(bearing_state(c) + 1) + direction * line_blocks(c);
}

/* 1 if a bundle is to be solved here. */
static int is_bearing_bundle(const cloth *c, const line_bundle *b) {
  const int32_t straight = b->along == 1 ? WARP : WEFT;
  const int32_t d = b->slant > 0 ? DIAGONAL : b->slant < 0 ? ANTIDIAGONAL : straight;
  const int32_t line = b->slant != 0 ? b->column : d == WARP ? b->first / c->grid.columns : b->first;
  return bearing_marks(c, d)[line / LINE_BLOCK];
}

/* What the particles of an element bear. */
typedef struct bearing_element {
  lanes3 normal;
  lanes along, across; /* m and t */
} bearing_element;

static bearing_element bearing_element_at(const stretch_lines *l, int32_t element) {
  const cloth *c = l->c;
  const lanes zero = lanes_splat(0.0f), code = line_values(&l->b, bearing_plane(c, BEARING_CODE), element);
  const lanes_mask bears = lanes_less(zero, lanes_maximum(code, lanes_negate(code)));
  bearing_element e = {{zero, zero, zero}, zero, zero};
  if (!lanes_any(bears)) {
    return e;
  }
  const lanes3 normal = lanes3_of(line_values(&l->b, bearing_plane(c, BEARING_NORMAL), element),
                                  line_values(&l->b, bearing_plane(c, BEARING_NORMAL + 1), element),
                                  line_values(&l->b, bearing_plane(c, BEARING_NORMAL + 2), element));
  e.normal = lanes3_keep(bears, normal);
  e.along = lanes_keep(bears, line_values(&l->b, bearing_plane(c, BEARING_ALONG), element));
  e.across = lanes_keep(bears, line_values(&l->b, bearing_plane(c, BEARING_ACROSS), element));
  return e;
}

/* Blocks of lanes that an element keeps in line_work. Before the tensions are known, as in stretch_solve.h: inverse
   pivot, right side, coupling. Then: the block that shares the displacement of the particle before, own displacement,
   tension of the spring after it. */
enum { BEARING_SHARE, BEARING_OWN = SYMMETRIC_FLOATS, BEARING_TENSION = BEARING_OWN + 3, BEARING_BLOCKS };
LAYOUT_CONTRACT(bearing_slot_has_room, BEARING_BLOCKS == BEARING_SLOT);

static float *bearing_slot(const stretch_lines *l, int32_t element) {
  return l->work + element * (BEARING_SLOT * CLOTH_LANES);
}

/// Tensions ///

/* An end of a spring: what its particle bears, as shares of its mobility w. */
typedef struct bearing_end {
  lanes3 normal;
  lanes mobility, across; /* w; share that is left across the normal, 1 / (1 + t) ... */
  lanes less;             /* ... and by how much less is left along it */
} bearing_end;

static bearing_end bearing_end_of(const stretch_lines *l, int32_t element, lanes mobility) {
  const lanes one = lanes_splat(1.0f);
  const bearing_element e = bearing_element_at(l, element);
  bearing_end a = {.normal = e.normal, .mobility = mobility};
  a.across = lanes_divide(one, lanes_add(one, e.across));
  a.less = lanes_subtract(a.across, lanes_divide(one, lanes_add(one, e.along)));
  return a;
}

/* Mobility of an end along a spring whose vector has the part `along` along the normal, times q. */
static lanes mobility_along(const bearing_end *a, lanes squared, lanes along, lanes scale) {
  const lanes part = lanes_quantise(lanes_multiply(lanes_multiply(along, along), scale), WORK_ROUNDER);
  const lanes whole = lanes_multiply(a->across, squared);
  const lanes least = lanes_multiply(lanes_subtract(a->across, a->less), squared);
  const lanes left = lanes_maximum(lanes_subtract(whole, lanes_multiply(a->less, part)), least);
  return lanes_multiply(a->mobility, left);
}

/* Coupling of the springs after the particles of an end to those before, from the parts of their vectors along the
 * normal.
 */
static lanes bearing_coupling(const stretch_lines *l, const bearing_end *a, const lanes3 vectors[2],
                              const lanes normal_parts[2]) {
  const lanes dot = lanes_quantise(lanes3_dot(vectors[0], vectors[1]), l->coupling_rounder);
  const lanes lean = lanes_quantise(lanes_multiply(normal_parts[0], normal_parts[1]), l->coupling_rounder);
  const lanes both = lanes_subtract(lanes_multiply(a->across, dot), lanes_multiply(a->less, lean));
  const lanes share = lanes_multiply(lanes_quantise(both, l->coupling_rounder), lanes_splat(l->inverse_squared_rest));
  return lanes_multiply(a->mobility, share);
}

/* Eliminates the tensions of the springs of a bundle. Returns the place of its last element. */
static line_place eliminate_bearing_tensions(const stretch_lines *l) {
  const int32_t slant = l->b.slant;
  const lanes zero = lanes_splat(0.0f), scale = lanes_splat(l->inverse_squared_rest);
  const line_place start = line_place_of(&l->b, slant, 0);
  stretch_state s = {.x = line_load3(&l->b, slant, l->b.x, start),
                     .d = lanes3_of(zero, zero, zero),
                     .mobility = line_load(&l->b, slant, l->b.mobility, start),
                     .inverse = zero,
                     .side = zero,
                     .place = start};
  bearing_end a = bearing_end_of(l, 0, s.mobility);
  for (int32_t element = 0; element + 1 < l->b.length; element++) {
    line_place to = s.place;
    line_place_move(&l->b, slant, 1, &to);
    const tension_equation q = equation_of(l, slant, element, to, &s);
    const bearing_end b = bearing_end_of(l, element + 1, q.mobility);
    const lanes at_a = lanes_flush(lanes3_dot(a.normal, q.d)), at_b = lanes_flush(lanes3_dot(b.normal, q.d));
    lanes diagonal = lanes_add(mobility_along(&a, q.squared, at_a, scale), mobility_along(&b, q.squared, at_b, scale));
    diagonal = lanes_add(diagonal, lanes_multiply(q.squared, q.compliance));
    const lanes3 vectors[2] = {q.d, s.d};
    const lanes normal_parts[2] = {at_a, lanes_flush(lanes3_dot(a.normal, s.d))};
    const lanes coupling = bearing_coupling(l, &a, vectors, normal_parts);
    const lanes factor = lanes_multiply(coupling, s.inverse);
    const lanes pivot = lanes_maximum(lanes_subtract(diagonal, lanes_multiply(factor, coupling)),
                                      lanes_multiply(q.squared, lanes_splat(BEARING_PIVOT)));
    const lanes_mask present = lanes_both(q.present, line_goes_on(&l->b, slant, s.place));
    s.inverse = lanes_keep(present, lanes_divide(lanes_splat(1.0f), pivot));
    s.side = lanes_quantise(lanes_add(q.side, lanes_multiply(factor, s.side)), WORK_ROUNDER);
    float *slot = bearing_slot(l, element);
    lanes_store(slot + STRETCH_INVERSE * CLOTH_LANES, s.inverse);
    lanes_store(slot + STRETCH_SIDE * CLOTH_LANES, s.side);
    lanes_store(slot + STRETCH_COUPLING * CLOTH_LANES, coupling);
    s.x = q.x;
    s.d = q.d;
    s.mobility = q.mobility;
    s.place = to;
    a = b;
  }
  return s.place;
}

/// Displacements ///

/* What the elimination of the displacements carries from a particle to the one before. */
typedef struct bearing_carry {
  lanes3 x, pull, own; /* as displacement_state */
  lanes mobility, tension, coupling, resistance;
  symmetric share; /* of this particle's displacement in that of the particle after */
  line_place place;
} bearing_carry;

/* Eliminates the displacement of a particle, with pull and resistance of the spring before it. */
static void eliminate_bearing_displacement(const stretch_lines *l, int32_t element, lanes3 pull, lanes resistance,
                                           bearing_carry *s) {
  const lanes one = lanes_splat(1.0f);
  const bearing_element e = bearing_element_at(l, element);
  const lanes stiff = lanes_multiply(s->mobility, lanes_add(s->resistance, resistance));
  symmetric block = symmetric_scale(s->share, lanes_negate(lanes_multiply(s->mobility, s->resistance)));
  symmetric_add_outer(&block, lanes3_scale(e.normal, lanes_subtract(e.along, e.across)), e.normal,
                      lanes_add(lanes_add(one, e.across), stiff));
  block = symmetric_inverse(symmetric_quantise(block), one);
  const symmetric gain = symmetric_quantise(symmetric_scale(block, s->mobility));
  const lanes3 force = lanes3_add(lanes3_subtract(s->pull, pull), lanes3_scale(s->own, s->resistance));
  s->own = lanes3_quantise(symmetric_apply(gain, lanes3_quantise(force, WORK_ROUNDER)), WORK_ROUNDER);
  s->share = symmetric_quantise(symmetric_scale(gain, resistance));
  s->pull = pull;
  s->resistance = resistance;
  float *slot = bearing_slot(l, element) + BEARING_SHARE * CLOTH_LANES;
  lanes_store(slot, s->share.xx);
  lanes_store(slot + CLOTH_LANES, s->share.yy);
  lanes_store(slot + 2 * CLOTH_LANES, s->share.zz);
  lanes_store(slot + 3 * CLOTH_LANES, s->share.xy);
  lanes_store(slot + 4 * CLOTH_LANES, s->share.xz);
  lanes_store(slot + 5 * CLOTH_LANES, s->share.yz);
  lanes_store(slot + BEARING_OWN * CLOTH_LANES, s->own.x);
  lanes_store(slot + (BEARING_OWN + 1) * CLOTH_LANES, s->own.y);
  lanes_store(slot + (BEARING_OWN + 2) * CLOTH_LANES, s->own.z);
}

/* Finds the tensions of the springs of a bundle, from the last on, and eliminates the displacements. */
static void find_bearing_tensions(const stretch_lines *l, line_place last) {
  const int32_t slant = l->b.slant;
  const lanes zero = lanes_splat(0.0f);
  const lanes3 none = lanes3_of(zero, zero, zero);
  bearing_carry s = {.x = line_load3(&l->b, slant, l->b.x, last),
                     .pull = none,
                     .own = none,
                     .mobility = line_load(&l->b, slant, l->b.mobility, last),
                     .tension = zero,
                     .coupling = zero,
                     .resistance = zero,
                     .share = symmetric_identity(zero),
                     .place = last};
  for (int32_t element = l->b.length - 1; element > 0; element--) {
    float *slot = bearing_slot(l, element - 1);
    const lanes coupling = lanes_load(slot + STRETCH_COUPLING * CLOTH_LANES);
    lanes tension = lanes_add(lanes_load(slot + STRETCH_SIDE * CLOTH_LANES), lanes_multiply(s.coupling, s.tension));
    tension = lanes_multiply(tension, lanes_load(slot + STRETCH_INVERSE * CLOTH_LANES));
    tension = lanes_minimum(lanes_maximum(tension, lanes_splat(-MAX_TENSION)), lanes_splat(MAX_TENSION));
    tension = lanes_quantise(tension, WORK_ROUNDER);
    lanes_store(slot + BEARING_TENSION * CLOTH_LANES, tension);
    line_place_move(&l->b, slant, -1, &s.place);
    const lanes3 x = line_load3(&l->b, slant, l->b.x, s.place);
    const lanes3 pull = lanes3_scale(lanes3_subtract(s.x, x), tension);
    eliminate_bearing_displacement(l, element, pull, lanes_maximum(tension, zero), &s);
    s.x = x;
    s.mobility = line_load(&l->b, slant, l->b.mobility, s.place);
    s.tension = tension;
    s.coupling = coupling;
  }
  eliminate_bearing_displacement(l, 0, none, zero, &s);
}

/* Adds the displacements of an element to the sums of those of its particles that bear a body. */
static void add_borne(const stretch_lines *l, int32_t element, lanes3 moved) {
  const vector_array sums = bearing_vectors(l->c, BEARING_MOVED);
  const float *code = bearing_plane(l->c, BEARING_CODE);
  float x[CLOTH_LANES], y[CLOTH_LANES], z[CLOTH_LANES];
  lanes_store(x, moved.x);
  lanes_store(y, moved.y);
  lanes_store(z, moved.z);
  for (int32_t lane = 0; lane < l->b.count; lane++) {
    const int32_t i = line_particle(&l->b, element, lane);
    const cloth_vector way = {x[lane], y[lane], z[lane]};
    if (code[i] != 0.0f) {
      vector_store(sums, i, vector_add(vector_load(sums, i), way));
    }
  }
}

/* Moves the particles of a bundle. Tensions go to where note_tensions() looks for them, in slots that have been read.
 */
static void move_bearing_elements(const stretch_lines *l) {
  const int32_t slant = l->b.slant;
  const lanes zero = lanes_splat(0.0f);
  line_place place = line_place_of(&l->b, slant, 0);
  lanes3 moved = lanes3_of(zero, zero, zero);
  for (int32_t element = 0; element < l->b.length; element++) {
    const float *slot = bearing_slot(l, element);
    const symmetric share = symmetric_at(slot + BEARING_SHARE * CLOTH_LANES, CLOTH_LANES);
    const lanes tension = lanes_load(slot + BEARING_TENSION * CLOTH_LANES);
    const float *own = slot + BEARING_OWN * CLOTH_LANES;
    moved = lanes3_add(lanes3_of(lanes_load(own), lanes_load(own + CLOTH_LANES), lanes_load(own + 2 * CLOTH_LANES)),
                       symmetric_apply(share, moved));
    moved = lanes3_quantise(moved, WORK_ROUNDER);
    if (element + 1 < l->b.length) {
      store_tension(l, element, tension);
    }
    line_move(&l->b, slant, l->b.sums != 0, l->b.count, place, moved);
    add_borne(l, element, moved);
    line_place_move(&l->b, slant, 1, &place);
  }
}

/* Solves the springs of a bundle of open lines. */
CLOTH_SEPARATE void solve_bearing_stretch(const stretch_lines *l) {
  find_bearing_tensions(l, eliminate_bearing_tensions(l));
  move_bearing_elements(l);
}

#endif
