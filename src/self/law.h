#pragma once
#include "../base/rows.h"
#include "../block3.h"
#include "../compiler.h"
#include "../contact/law.h"
#include "../contact/press.h"
#include "../lanes.h"
#include "../scalar.h"
#include "../solve/arrays.h"
#include "../solve/levels.h"
#include "../solve/members.h"
#include "../types.h"
#include "pairs.h"
#include "tree.h"

/// The law of pairs ///

#if WITH_SELF

/*
 * How elements press, by the law of contact/law.h, predicted as contacts with colliders are (contact/press.h), as many
 * elements at once as there are lanes. With D_j the block of a particle's own terms and b' what acts on it and what
 * pressed it last:
 *
 *   C = sum m_j w_j^2 / S_j,  S_j = n . D_j n,  m_j = max(1, sum of |w_j| of its near pairs)
 *   q_f = (T - gap - sum w_j n . b'_j / S_j + C f_0) / T
 *
 * Everything is in units of the first member of the solve: a particle of another one takes its part over the weight of
 * that.
 *
 * In: elements, residual, spring sums, diagonal, product (what pressed last), solution (how many pairs a particle has).
 * Out: the laws of the elements. Scratch: none.
 */

/* What elements take of one of their ends. Ends that do not move have no weight, and the mass 1. */
typedef struct end_block {
  float springs[SYMMETRIC_FLOATS][CLOTH_LANES], mass[CLOTH_LANES]; /* D */
  float last[3][CLOTH_LANES], force[3][CLOTH_LANES];               /* what pressed last, and that with the residual */
  float share[CLOTH_LANES];                                        /* m */
  float weight[CLOTH_LANES], first[CLOTH_LANES]; /* w, and that where the end is one of the first feature */
  float scale[CLOTH_LANES];                      /* weight of its cloth in the sums of the solve */
} end_block;

/* Elements in lanes. */
typedef struct law_block {
  pair_element *element[CLOTH_LANES];
  int32_t count;
  end_block end[4];
  float gap[CLOTH_LANES], thickness[CLOTH_LANES], friction[CLOTH_LANES], stiffness[CLOTH_LANES];
  float normal[3][CLOTH_LANES], offset[3][CLOTH_LANES], last[3][CLOTH_LANES];
} law_block;

CLOTH_INLINE void put_vector(float to[3][CLOTH_LANES], int32_t lane, cloth_vector v) {
  to[0][lane] = v.x;
  to[1][lane] = v.y;
  to[2][lane] = v.z;
}

/* Takes one end of an element. */
CLOTH_INLINE void take_end(end_block *to, int32_t lane, const pair_ends *x, int32_t n) {
  const self_body *b = body_of_end(x, n);
  const int32_t i = x->place[n], moves = (int32_t)(x->moving >> n & 1u);
  const cloth_vector none = vector(0.0f, 0.0f, 0.0f);
  const float *blocks = moves ? b->arrays.inverse : NULL;
  const cloth_vector last = moves ? own_vector(b->arrays.product, i) : none;
  for (int32_t k = 0; k < SYMMETRIC_FLOATS; k++) {
    to->springs[k][lane] = blocks ? *own_at(b->arrays.inverse, SYMMETRIC_FLOATS, i, k) : 0.0f;
  }
  to->mass[lane] =
      moves ? *own_at(b->arrays.diagonal, 1, i, 0) + (b->terms->bends ? plate_diagonal(b->terms) : 0.0f) : 1.0f;
  put_vector(to->last, lane, last);
  put_vector(to->force, lane, moves ? vector_add(own_vector(b->arrays.residual, i), last) : none);
  to->share[lane] = moves ? maximum(b->arrays.solution[i], 1.0f) : 1.0f;
  to->weight[lane] = moves ? x->weight[n] : 0.0f;
  to->scale[lane] = moves ? b->weight : 1.0f;
  to->first[lane] = n < x->first ? to->weight[lane] : 0.0f;
}

/* The stiffness of an element: the mean of those of its cloths that move. */
static float pair_stiffness(const pair_ends *x) {
  const self_body *a = x->body[0], *b = x->body[1];
  const float first = a->terms ? a->stiffness : b->stiffness;
  return 0.5f * (first + (b->terms ? b->stiffness : first));
}

/* Takes an element of which `last`, scaled, pressed before. */
static void take_element(const self_group *g, pair_element *e, cloth_vector last, law_block *to) {
  const int32_t lane = to->count++;
  pair_ends x;
  find_ends(g, e, &x);
  to->element[lane] = e;
  for (int32_t n = 0; n < 4; n++) {
    take_end(&to->end[n], lane, &x, n);
  }
  to->gap[lane] = e->gap;
  to->thickness[lane] = x.law->thickness;
  to->friction[lane] = x.law->friction;
  to->stiffness[lane] = pair_stiffness(&x);
  put_vector(to->normal, lane, e->normal);
  put_vector(to->offset, lane, e->offset);
  put_vector(to->last, lane, last);
}

CLOTH_INLINE lanes3 law_vector(float from[3][CLOTH_LANES]) {
  return lanes3_of(lanes_load(from[0]), lanes_load(from[1]), lanes_load(from[2]));
}

/* How a particle resists along its element's normal and across it: of its own terms. */
CLOTH_INLINE void find_resistance(const end_block *e, lanes3 n, lanes *along, lanes *across) {
  symmetric own = symmetric_at(e->springs[0], CLOTH_LANES);
  own.xy = lanes_flush(own.xy);
  own.xz = lanes_flush(own.xz);
  own.yz = lanes_flush(own.yz);
  own = symmetric_add(own, symmetric_identity(lanes_load(e->mass)));
  const lanes least = lanes_splat(LEAST_MASS), trace = lanes_add(lanes_add(own.xx, own.yy), own.zz);
  *along = lanes_maximum(symmetric_along(&own, n), least);
  *across = lanes_maximum(lanes_multiply(lanes_splat(0.5f), lanes_subtract(trace, *along)), least);
}

/* What an element's particles do: compliances, and how far they move without it along and across its normal. */
typedef struct pair_motion {
  lanes along, across; /* compliances */
  lanes out;           /* along the normal, without the element [m] */
  lanes before;        /* what pressed the particles of the first feature last, along the normal */
  lanes3 way;          /* across it */
} pair_motion;

/* Sums over the particles of elements. */
CLOTH_INLINE pair_motion motion_of_block(law_block *b, lanes3 normal) {
  const lanes zero = lanes_splat(0.0f);
  pair_motion m = {zero, zero, zero, zero, lanes3_of(zero, zero, zero)};
  for (int32_t n = 0; n < 4; n++) {
    end_block *e = &b->end[n];
    const lanes w = lanes_load(e->weight), scale = lanes_load(e->scale);
    lanes along, across;
    find_resistance(e, normal, &along, &across);
    const lanes3 force = lanes3_flush(law_vector(e->force)), last = lanes3_flush(law_vector(e->last));
    const lanes out = lanes_flush(lanes3_dot(force, normal)), pressed = lanes_flush(lanes3_dot(last, normal));
    const lanes square = lanes_multiply(lanes_flush(lanes_multiply(w, w)), lanes_load(e->share));
    m.along = lanes_add(m.along, lanes_divide(square, lanes_multiply(along, scale)));
    m.across = lanes_add(m.across, lanes_divide(square, lanes_multiply(across, scale)));
    m.out = lanes_add(m.out, lanes_multiply(w, lanes_divide(out, along)));
    m.before = lanes_add(m.before, lanes_multiply(lanes_multiply(lanes_load(e->first), scale), pressed));
    const lanes3 side = lanes3_flush(lanes3_add_scaled(force, normal, lanes_negate(out)));
    m.way = lanes3_add_scaled(m.way, side, lanes_divide(w, across));
  }
  return m;
}

/* a without its part along the unit vector n. */
CLOTH_INLINE lanes3 lanes_across(lanes3 a, lanes3 n) {
  return lanes3_flush(lanes3_add_scaled(a, n, lanes_negate(lanes_flush(lanes3_dot(a, n)))));
}

/* Friction of elements of stiffness k that can hold `most`: they stick, or slide against that. */
CLOTH_INLINE lanes pair_friction(law_block *b, const pair_motion *m, lanes compliance, lanes k, lanes most) {
  const lanes resists = lanes_divide(lanes_splat(1.0f), compliance);
  const lanes3 held = lanes_across(law_vector(b->last), law_vector(b->normal));
  const lanes3 way = lanes3_add_scaled(lanes3_add(law_vector(b->offset), m->way), held, lanes_negate(compliance));
  const lanes length = lanes3_length(way);
  const lanes_mask slips =
      lanes_less(lanes_multiply(most, lanes_add(resists, k)), lanes_multiply(lanes_multiply(k, resists), length));
  const lanes rest = lanes_maximum(lanes_subtract(length, lanes_multiply(most, compliance)), lanes_splat(WORK_QUANTUM));
  return lanes_select(slips, lanes_flush(lanes_minimum(lanes_divide(most, rest), k)), k);
}

/* The laws of a block of elements. Where one does not press, its force and stiffness are 0. */
CLOTH_SEPARATE void find_laws(law_block *b) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  const lanes3 n = law_vector(b->normal);
  const lanes k = lanes_load(b->stiffness), range = lanes_load(b->thickness);
  const lanes depth = lanes_divide(lanes_subtract(range, lanes_load(b->gap)), range);
  const pair_motion m = motion_of_block(b, n);
  const lanes last = lanes_maximum(lanes_flush(lanes3_dot(law_vector(b->last), n)), zero);
  const lanes pull = lanes_subtract(lanes_multiply(m.along, last), m.out);
  const lanes alone = lanes_add(depth, lanes_divide(pull, range));
  const lanes_mask presses = lanes_both(lanes_less(zero, m.along), lanes_less(zero, alone));
  float values[3][CLOTH_LANES] = {{0.0f}, {0.0f}, {0.0f}};
  if (lanes_any(presses)) {
    const lanes along = lanes_select(presses, m.along, one), across = lanes_select(presses, m.across, one);
    const lanes q = agreed_depth(k, range, lanes_divide(range, along), alone);
    const contact_tangent law = tangent_at(k, range, depth, q);
    const lanes pressed = lanes_minimum(law.law, lanes_maximum(last, m.before));
    const lanes most = lanes_multiply(lanes_load(b->friction), pressed);
    lanes_store(values[0], lanes_keep(presses, law.force));
    lanes_store(values[1], lanes_keep(presses, law.stiffness));
    lanes_store(values[2], lanes_keep(presses, pair_friction(b, &m, across, k, most)));
  }
  for (int32_t lane = 0; lane < b->count; lane++) {
    pair_element *e = b->element[lane];
    e->press.law.force = values[0][lane];
    e->press.law.along = values[1][lane];
    e->press.law.across = e->block_across = values[2][lane];
  }
  b->count = 0;
}

/* The laws of all elements of a group; `scale`: that of forces in the first member of the solve. */
CLOTH_SEPARATE void find_pair_laws(const self_group *g, float scale) {
  law_block b;
  fill_zero(&b, sizeof b);
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) { /* lanes without an element divide by it */
    b.thickness[lane] = 1.0f;
  }
  for (int32_t n = 0; n < g->found->elements; n++) {
    pair_element *e = &g->elements[n];
    take_element(g, e, vector_flush_work(vector_scale(e->press.last, scale)), &b);
    if (b.count == CLOTH_LANES) {
      find_laws(&b);
    }
  }
  if (b.count > 0) {
    find_laws(&b);
  }
}

#endif
