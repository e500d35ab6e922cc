#pragma once
#include "../cloth/arrays.h"
#include "law.h"

/// Elements of several particles ///

/*
 * What contacts have in common whose point is a weighted sum of particles, J y = sum w_j y_j: pairs of cloth and cloth
 * (self/law.h, self/equation.h), and points of cells that touch colliders (contact/cell_press.h). They stay a list in
 * the solve. Their laws, of as many at once as there are lanes, are predicted as those of particles are
 * (contact/press.h): with D_j the block of a particle's own terms, b' what acts on it and what pressed it last, and m_j
 * how many elements share it,
 *
 *   C = sum m_j w_j^2 / S_j,  S_j = n . D_j n
 *   q_f = (T_i - gap - sum w_j n . b'_j / S_j + C f_0) / T
 *   F = lambda n - k_t u,  K = k n n^T + k_t (I - n n^T)
 *
 * An element none of whose particles moves, which touches a body with mass, takes its depth as it is.
 *
 * In: residual, product (what pressed last), spring sums, diagonal. Out: ground, laws, and what the functions return.
 * Scratch: none.
 */

/* The part of a vector across a normal. */
CLOTH_INLINE cloth_vector vector_across(cloth_vector a, cloth_vector n) {
  return vector_flush_work(vector_add_scaled(a, n, negate(flush_work(vector_dot(a, n)))));
}

/* Most particles of an element. */
#define ELEMENT_ENDS 4

/* What elements take of one of their particles, their ends. Those that do not move have no weight, and the mass 1. */
typedef struct end_block {
  float springs[SYMMETRIC_FLOATS][CLOTH_LANES], mass[CLOTH_LANES]; /* D */
  float last[3][CLOTH_LANES], force[3][CLOTH_LANES];               /* what pressed last, and that with the residual */
  float share[CLOTH_LANES];                                        /* m */
  float weight[CLOTH_LANES], first[CLOTH_LANES]; /* w, and that where what pressed the end last bounds friction */
  float scale[CLOTH_LANES];                      /* weight of its cloth in the sums of the solve */
} end_block;

/* Elements in lanes, and where their laws go. */
typedef struct law_block {
  element_law *law[CLOTH_LANES];
  int32_t count;
  end_block end[ELEMENT_ENDS];
  float gap[CLOTH_LANES], reach[CLOTH_LANES], thickness[CLOTH_LANES], friction[CLOTH_LANES], stiffness[CLOTH_LANES];
  float normal[3][CLOTH_LANES], offset[3][CLOTH_LANES], last[3][CLOTH_LANES]; /* last: what the element gave */
  float held[CLOTH_LANES];                                                    /* 1: none of its particles moves */
} law_block;

/* A block without elements. Lanes that stay without one divide by its thickness. */
static void open_laws(law_block *b) {
  fill_zero(b, sizeof *b);
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    b->thickness[lane] = 1.0f;
  }
}

/* An end of an element, and its cloth. */
typedef struct element_end {
  const solve_arrays *a;
  const substep_terms *t;
  int32_t place;
  float weight, share; /* w, m */
  float scale;         /* weight of its cloth in the solve */
} element_end;

/* Takes an end that moves. */
CLOTH_INLINE void take_end(end_block *to, int32_t lane, const element_end *e, int32_t is_first) {
  const solve_arrays *a = e->a;
  const int32_t i = e->place;
  const cloth_vector last = own_vector(a->product, i);
  for (int32_t k = 0; k < SYMMETRIC_FLOATS; k++) {
    to->springs[k][lane] = a->inverse ? *own_at(a->inverse, SYMMETRIC_FLOATS, i, k) : 0.0f;
  }
  to->mass[lane] = *own_at(a->diagonal, 1, i, 0) + (e->t->bends ? plate_diagonal(e->t) : 0.0f);
  vector_store(VECTORS_OF(to->last), lane, last);
  vector_store(VECTORS_OF(to->force), lane, vector_add(own_vector(a->residual, i), last));
  to->share[lane] = e->share;
  to->weight[lane] = e->weight;
  to->scale[lane] = e->scale;
  to->first[lane] = is_first ? e->weight : 0.0f;
}

/* Takes an end that does not move. */
CLOTH_INLINE void take_held_end(end_block *to, int32_t lane) {
  const cloth_vector none = vector(0.0f, 0.0f, 0.0f);
  for (int32_t k = 0; k < SYMMETRIC_FLOATS; k++) {
    to->springs[k][lane] = 0.0f;
  }
  to->mass[lane] = to->share[lane] = to->scale[lane] = 1.0f;
  to->weight[lane] = to->first[lane] = 0.0f;
  vector_store(VECTORS_OF(to->last), lane, none);
  vector_store(VECTORS_OF(to->force), lane, none);
}

/* What an element's particles do: compliances, and how far they move without it along and across its normal. */
typedef struct element_motion {
  lanes along, across; /* compliances */
  lanes out;           /* along the normal, without the element [m] */
  lanes before;        /* what pressed the particles of the first feature last, along the normal */
  lanes3 way;          /* across it */
} element_motion;

/* Sums over the particles of elements. */
CLOTH_INLINE element_motion motion_of_block(law_block *b, lanes3 normal) {
  const lanes zero = lanes_splat(0.0f);
  element_motion m = {zero, zero, zero, zero, lanes3_of(zero, zero, zero)};
  for (int32_t n = 0; n < ELEMENT_ENDS; n++) {
    end_block *e = &b->end[n];
    const lanes w = lanes_load(e->weight), scale = lanes_load(e->scale);
    lanes along, across;
    const symmetric own = own_terms(symmetric_at(e->springs[0], CLOTH_LANES), lanes_load(e->mass));
    find_resistance(&own, normal, &along, &across);
    const lanes3 force = lanes3_flush(lanes3_load(VECTORS_OF(e->force), 0)),
                 last = lanes3_flush(lanes3_load(VECTORS_OF(e->last), 0));
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

/* Friction of elements of stiffness k that can hold `most`. */
CLOTH_INLINE lanes element_friction(law_block *b, const element_motion *m, lanes compliance, lanes k, lanes most) {
  const lanes resists = lanes_divide(lanes_splat(1.0f), compliance), gives = lanes_multiply(most, compliance);
  const lanes3 held = lanes3_across(lanes3_load(VECTORS_OF(b->last), 0), lanes3_load(VECTORS_OF(b->normal), 0));
  const lanes3 way =
      lanes3_add_scaled(lanes3_add(lanes3_load(VECTORS_OF(b->offset), 0), m->way), held, lanes_negate(compliance));
  return friction_stiffness(k, resists, most, gives, lanes3_length(way));
}

/* The laws of a block of elements. Where one does not press, its force and stiffness are 0. */
CLOTH_SEPARATE void find_laws(law_block *b) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  const lanes3 n = lanes3_load(VECTORS_OF(b->normal), 0);
  const lanes k = lanes_load(b->stiffness), range = lanes_load(b->thickness);
  const lanes depth = lanes_divide(lanes_subtract(lanes_load(b->reach), lanes_load(b->gap)), range);
  const element_motion m = motion_of_block(b, n);
  const lanes last = lanes_maximum(lanes_flush(lanes3_dot(lanes3_load(VECTORS_OF(b->last), 0), n)), zero);
  const lanes pull = lanes_subtract(lanes_multiply(m.along, last), m.out);
  const lanes alone = lanes_add(depth, lanes_divide(pull, range));
  const lanes_mask held = lanes_less(zero, lanes_load(b->held)), moves = lanes_less(zero, m.along);
  const lanes_mask presses = lanes_less(zero, lanes_select(held, depth, lanes_keep(moves, alone)));
  float values[3][CLOTH_LANES] = {{0.0f}, {0.0f}, {0.0f}};
  if (lanes_any(presses)) {
    const lanes along = lanes_select(moves, m.along, one), across = lanes_select(moves, m.across, one);
    const lanes q = lanes_select(held, within_law(depth), agreed_depth(k, range, lanes_divide(range, along), alone));
    const contact_tangent law = tangent_at(k, range, depth, q);
    const lanes pressed = lanes_minimum(law.law, lanes_maximum(last, m.before));
    const lanes most = lanes_multiply(lanes_load(b->friction), pressed);
    lanes_store(values[0], lanes_keep(presses, law.force));
    lanes_store(values[1], lanes_keep(presses, law.stiffness));
    lanes_store(values[2], lanes_keep(presses, element_friction(b, &m, across, k, most)));
  }
  for (int32_t lane = 0; lane < b->count; lane++) {
    element_law *to = b->law[lane];
    to->force = values[0][lane];
    to->along = values[1][lane];
    to->across = values[2][lane];
  }
  b->count = 0;
}

/* How an element presses whose point has moved by `moved` relative to what it touches. */
CLOTH_INLINE float press_after(const element_law *law, cloth_vector n, cloth_vector moved) {
  return law->force - law->along * flush_work(vector_dot(n, moved));
}

/* Its law after that: none if it pulls and then lets go, and friction bounded by what presses there. */
static element_law released_law(const element_law *law, cloth_vector n, cloth_vector offset, cloth_vector moved,
                                float friction, int32_t lets_go) {
  const float press = press_after(law, n, moved), most = friction * press;
  const float way = vector_length(vector_across(vector_add(offset, moved), n));
  element_law after = *law;
  if (press < 0.0f && lets_go) {
    after.force = after.along = after.across = 0.0f;
  } else if (press > 0.0f && law->across * way > most) {
    after.across = flush_work(most / way); /* which has a length */
  }
  return after;
}

/* The force of an element whose point has moved so. */
CLOTH_INLINE cloth_vector element_force(const element_law *law, cloth_vector n, cloth_vector offset,
                                        cloth_vector moved) {
  const float out = flush_work(vector_dot(n, moved));
  const cloth_vector way = vector_add(offset, vector_add_scaled(moved, n, negate(out)));
  const float press = flush_work(law->force - law->along * out);
  return vector_flush_work(vector_add_scaled(vector_scale(n, press), way, negate(law->across)));
}

/* (k n n^T + k_t (I - n n^T)) v */
CLOTH_INLINE cloth_vector element_product(cloth_vector n, float along, float across, cloth_vector v) {
  const float out = flush_work(vector_dot(n, v)) * (along - across);
  return vector_flush_work(vector_add_scaled(vector_scale(v, across), n, flush_work(out)));
}

/* Adds s (k n n^T + k_t (I - n n^T)) to the further blocks of a particle. */
static void add_element_block(const solve_arrays *a, int32_t i, cloth_vector n, const element_law *law, float s) {
  const float across = law->across, more = law->along - across;
  const float entry[6] = {across + more * n.x * n.x, across + more * n.y * n.y, across + more * n.z * n.z,
                          more * n.x * n.y,          more * n.x * n.z,          more * n.y * n.z};
  for (int32_t k = 0; k < 6; k++) {
    float *to = own_at(a->ground, 6, i, k);
    *to = quantise(*to + s * flush_work(entry[k]), WORK_ROUNDER);
  }
}

CLOTH_INLINE int has_block(const element_law *law) {
  return law->along > 0.0f || law->across > 0.0f;
}
