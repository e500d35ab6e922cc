#pragma once
#include "../base/rows.h"
#include "../compiler.h"
#include "../lanes.h"
#include "../scalar.h"
#include "../solve/arrays.h"
#include "../solve/levels.h"
#include "../types.h"
#include "law.h"

/// Elements of several particles ///

/*
 * What contacts have in common whose point is a weighted sum of particles, J y = sum w_j y_j: pairs of cloth and cloth
 * (self/equation.h), and points of cells that touch colliders (contact/cell_press.h). They stay a list in the solve.
 * With D_j the block of a particle's own terms and b' what acts on it and what pressed it last:
 *
 *   C = sum m_j w_j^2 / S_j,  S_j = n . D_j n
 *   q_f = (T - gap - sum w_j n . b'_j / S_j + C f_0) / T
 *   F = lambda n - k_t u,  K = k n n^T + k_t (I - n n^T)
 *
 * In: spring sums, diagonal. Out: ground, and what the functions return. Scratch: none.
 */

#if WITH_SELF || WITH_COLLIDERS

/* What an element's particles do. */
typedef struct element_motion {
  float along, across; /* compliances */
  float out;           /* along the normal, without the element [m] */
  float before;        /* what pressed the particles of the first feature last, along the normal */
  cloth_vector way;    /* across it */
} element_motion;

/* The part of a vector across a normal. */
CLOTH_INLINE cloth_vector vector_across(cloth_vector a, cloth_vector n) {
  return vector_flush_work(vector_add_scaled(a, n, negate(flush_small(vector_dot(a, n), WORK_QUANTUM))));
}

/* How a particle resists along a direction and across it: of its own terms. */
static void find_resistance(const solve_arrays *a, const substep_terms *t, int32_t i, cloth_vector n, float *along,
                            float *across) {
  float *blocks = a->inverse;
  float own = *own_at(a->diagonal, 1, i, 0) + (t->bends ? plate_diagonal(t) : 0.0f);
  float trace = 3.0f * own;
  *along = own;
  if (blocks) {
    const float xx = *own_at(blocks, 6, i, 0), yy = *own_at(blocks, 6, i, 1), zz = *own_at(blocks, 6, i, 2);
    const float xy = *own_at(blocks, 6, i, 3), xz = *own_at(blocks, 6, i, 4), yz = *own_at(blocks, 6, i, 5);
    const cloth_vector dn = vector_flush_work(
        vector((xx * n.x + xy * n.y) + xz * n.z, (xy * n.x + yy * n.y) + yz * n.z, (xz * n.x + yz * n.y) + zz * n.z));
    *along += vector_dot(n, dn);
    trace += (xx + yy) + zz;
  }
  *along = maximum(*along, LEAST_MASS);
  *across = maximum(0.5f * (trace - *along), LEAST_MASS);
}

/* A particle of an element, and its cloth. */
typedef struct element_particle {
  const solve_arrays *a;
  const substep_terms *t;
  int32_t place;
  float weight, share; /* w_j, m_j */
  float of_cloth;      /* weight of its cloth in the solve */
} element_particle;

/* Adds a particle to the motion of an element. Returns what pressed it last along the normal. */
static float add_motion(element_motion *m, const element_particle *p, cloth_vector n) {
  float along, across;
  find_resistance(p->a, p->t, p->place, n, &along, &across);
  const float w = p->weight;
  const cloth_vector last = own_vector(p->a->product, p->place);
  const cloth_vector force = vector_flush_work(vector_add(own_vector(p->a->residual, p->place), last));
  const float out = flush_small(vector_dot(force, n), WORK_QUANTUM);
  const float square = flush_small(w * w, WORK_QUANTUM) * p->share;
  m->along += square / (along * p->of_cloth);
  m->across += square / (across * p->of_cloth);
  m->out += w * (out / along);
  const cloth_vector side = vector_flush_work(vector_add_scaled(force, n, negate(out)));
  m->way = vector_add_scaled(m->way, side, w / across);
  return w * p->of_cloth * flush_small(vector_dot(vector_flush_work(last), n), WORK_QUANTUM);
}

/* k_t of an element of stiffness k: sticks, or slides against the most that friction can hold. `held`: what it gave
   across the normal last. */
static float element_friction(cloth_vector offset, const element_motion *m, float k, cloth_vector held, float most) {
  const float resists = 1.0f / m->across;
  const cloth_vector way = vector_add_scaled(vector_add(offset, m->way), held, negate(m->across));
  const float length = vector_length(way);
  if (!(k * resists * length > most * (resists + k))) {
    return k;
  }
  const float rest = maximum(length - most * m->across, WORK_QUANTUM);
  return flush_small(minimum(most / rest, k), WORK_QUANTUM);
}

/* The law of an element of stiffness k and thickness T at a depth [T], along its normal; *pressed: what the law gives.
   `last`: what it gave. Where it does not press, all is 0 and *pressed -1. */
static element_law law_of_element(const element_motion *m, float k, float thickness, float depth, float last,
                                  float *pressed) {
  element_law p = {0.0f, 0.0f, 0.0f};
  const float alone = depth + (m->along * last - m->out) / thickness;
  *pressed = -1.0f;
  if (!(alone > 0.0f)) {
    return p;
  }
  const lanes stiffness = lanes_splat(k), range = lanes_splat(thickness);
  const lanes q = agreed_depth(stiffness, range, lanes_splat(thickness / m->along), lanes_splat(alone));
  const contact_tangent law = tangent_at(stiffness, range, lanes_splat(depth), q);
  *pressed = lanes_first_value(law.law);
  p.along = lanes_first_value(law.stiffness);
  p.force = lanes_first_value(law.force);
  return p;
}

/* The force of an element whose point has moved by `moved` relative to what it touches. */
CLOTH_INLINE cloth_vector element_force(const element_law *law, cloth_vector n, cloth_vector offset,
                                        cloth_vector moved) {
  const float out = flush_small(vector_dot(n, moved), WORK_QUANTUM);
  const cloth_vector way = vector_add(offset, vector_add_scaled(moved, n, negate(out)));
  const float press = flush_small(law->force - law->along * out, WORK_QUANTUM);
  return vector_flush_work(vector_add_scaled(vector_scale(n, press), way, negate(law->across)));
}

/* (k n n^T + k_t (I - n n^T)) v */
CLOTH_INLINE cloth_vector element_product(cloth_vector n, float along, float across, cloth_vector v) {
  const float out = flush_small(vector_dot(n, v), WORK_QUANTUM) * (along - across);
  return vector_flush_work(vector_add_scaled(vector_scale(v, across), n, flush_small(out, WORK_QUANTUM)));
}

/* Adds s (k n n^T + k_t (I - n n^T)) to the further blocks of a particle. */
static void add_element_block(const solve_arrays *a, int32_t i, cloth_vector n, const element_law *law, float s) {
  const float across = law->across, more = law->along - across;
  const float entry[6] = {across + more * n.x * n.x, across + more * n.y * n.y, across + more * n.z * n.z,
                          more * n.x * n.y,          more * n.x * n.z,          more * n.y * n.z};
  for (int32_t k = 0; k < 6; k++) {
    float *to = own_at(a->ground, 6, i, k);
    *to = quantise(*to + s * flush_small(entry[k], WORK_QUANTUM), WORK_ROUNDER);
  }
}

/* 1 if an element has a block. */
CLOTH_INLINE int has_block(const element_law *law) {
  return law->along > 0.0f || law->across > 0.0f;
}

#endif
