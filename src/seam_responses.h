#pragma once
#include "access.h"
#include "block3.h"
#include "compiler.h"
#include "gaps.h"
#include "lanes.h"
#include "rest_lengths.h"
#include "scalar.h"
#include "stiffness.h"
#include "stitches.h"
#include "stretch_solve.h"
#include "types.h"

/// Responses of seams ///

/*
 * What an impulse on a sewn particle leads to after the solves along lines, see sewing.h.
 *
 * In: stitches, positions at the start of a step, mobilities, plans. Out: responses of particles and stitches. Scratch:
 * none.
 */

#if WITH_SEAMS

/* Particles of a line from a sewn one on whose mobility counts; of the rest only how many there are. */
#define SEWN_REACH 16
/* Least eigenvalue of the response of a stitch, over the mobility. */
#define LEAST_RESPONSE 1.0e-3f

/* A line from a sewn particle on. */
typedef struct sewn_line {
  const cloth *c;
  const spring_family *family;
  int32_t row, column, row_step, column_step;
  int32_t count; /* particles after the sewn one */
} sewn_line;

static int32_t sewn_line_particle(const sewn_line *l, int32_t n) {
  const int32_t columns = l->c->grid.columns;
  const int32_t column = (l->column + n * l->column_step + columns) % columns;
  return (l->row + n * l->row_step) * columns + column;
}

/* Its springs: unit vectors and compliances; and the mobility of each particle with all that follows, along the spring
   before it. The last one stands for the rest of the line. */
typedef struct sewn_chain {
  cloth_vector along[SEWN_REACH];
  float compliance[SEWN_REACH], mobility[SEWN_REACH];
  int32_t count;
} sewn_chain;

/* Compliance of a spring, implicit or projected, of a length. */
static float sewn_compliance(const sewn_line *l, float length, int32_t i, int32_t j) {
  const spring_family *s = l->family;
  float rest = s->rest, stiffness_factor = 1.0f;
#if WITH_REST_SHAPE
  if (has_rest_shape(l->c)) {
    const int32_t d = l->row_step ? WEFT : WARP, start = l->row_step + l->column_step > 0 ? i : j;
    rest *= shape_factor(l->c, REST_LENGTH + d, start);
    stiffness_factor = shape_factor(l->c, REST_STIFFNESS + d, start);
  }
#endif
  const int is_short = length < rest;
  float compliance = s->compliance[is_short];
  if (s->projected == PROJECTED_NONE) {
    const float stiffness = (s->stiffness + s->damping) * (is_short ? s->compression : 1.0f);
    compliance = 1.0f / maximum(stiffness, 1.0f / COMPLIANCE_ABSENT);
  }
  if (l->c->constant.stiffness_map) {
    const float *map = floats_at(l->c, l->c->constant.stiffness_map);
    compliance = compliance / maximum(0.5f * (map[i] + map[j]), WORK_QUANTUM);
  }
  return minimum(compliance / stiffness_factor, COMPLIANCE_ABSENT);
}

/* Follows a line from a sewn particle on. */
static void follow_line(const sewn_line *l, sewn_chain *chain) {
  const float *mobility = floats_at(l->c, l->c->scratch.mobility);
  const vector_array x = vectors_at(l->c, l->c->state.position);
  const float least = MIN_SQUARED_RATIO * l->family->rest * l->family->rest;
  chain->count = l->count < SEWN_REACH ? l->count : SEWN_REACH;
  for (int32_t n = 0; n < chain->count; n++) {
    const int32_t i = sewn_line_particle(l, n), j = sewn_line_particle(l, n + 1);
    const cloth_vector d = vector_flush(vector_subtract(vector_load(x, j), vector_load(x, i)), STATE_QUANTUM);
    const float length = square_root(maximum(vector_dot(d, d), least));
    chain->along[n] = vector_flush_work(vector_scale(d, 1.0f / length));
    chain->compliance[n] = sewn_compliance(l, length, i, j);
    chain->mobility[n] = mobility[j];
  }
  chain->mobility[chain->count - 1] /= (float)(1 + l->count - chain->count);
  for (int32_t n = chain->count - 2; n >= 0; n--) {
    const float w = chain->mobility[n];
    const float bound = w * flush_small(vector_dot(chain->along[n], chain->along[n + 1]), WORK_QUANTUM);
    const float sum = w + chain->compliance[n + 1] + chain->mobility[n + 1];
    chain->mobility[n] = flush_small(w - bound * bound / sum, WORK_QUANTUM);
  }
}

static cloth_vector apply_response(const float r[SYMMETRIC_FLOATS], cloth_vector v) {
  return vector_flush_work(vector(r[0] * v.x + r[3] * v.y + r[4] * v.z, r[3] * v.x + r[1] * v.y + r[5] * v.z,
                                  r[4] * v.x + r[5] * v.y + r[2] * v.z));
}

/* Takes from a response what a line holds. */
static void hold_response(float r[SYMMETRIC_FLOATS], const sewn_chain *chain) {
  const cloth_vector held = apply_response(r, chain->along[0]);
  const float sum = vector_dot(held, chain->along[0]) + chain->mobility[0] + chain->compliance[0];
  const cloth_vector share = vector_flush_work(vector_scale(held, 1.0f / sum));
  const float taken[SYMMETRIC_FLOATS] = {held.x * share.x, held.y * share.y, held.z * share.z,
                                         held.x * share.y, held.x * share.z, held.y * share.z};
  for (int32_t n = 0; n < SYMMETRIC_FLOATS; n++) {
    r[n] = flush_small(r[n] - taken[n], WORK_QUANTUM);
  }
}

/* 1 if the spring from particle `n` of a line to the next is absent. */
static int has_gap_after(const sewn_line *l, int32_t n) {
  const int32_t start = l->row_step + l->column_step > 0 ? n : n + 1;
  return is_gap(l->c, sewn_line_particle(l, start), l->row_step ? GAP_WEFT : GAP_WARP);
}

/* Ends a line where a spring is absent, or halfway to the next sewn particle: both take part of the line with them. */
static void end_sewn_line(const sewing *s, int32_t member, sewn_line *l) {
  const int32_t *number = s->labels.number + s->labels.first[member];
  const int32_t reach = l->count < 2 * SEWN_REACH ? l->count : 2 * SEWN_REACH;
  for (int32_t n = 1; n <= reach; n++) {
    if (has_gap_after(l, n - 1)) {
      l->count = n - 1;
      return;
    }
    if (number[sewn_line_particle(l, n)] >= 0) {
      l->count = n / 2;
      return;
    }
  }
}

/* The lines of the grid from a particle on, to its ends: both along the warp, then both along the weft. */
static void lines_around(const cloth *c, int32_t particle, sewn_line lines[4]) {
  const step_plan *plan = &workspace_of(c)->plan;
  const int32_t columns = c->grid.columns, rows = c->grid.rows;
  const int32_t row = particle / columns, column = particle - row * columns;
  const sewn_line all[4] = {
      {c, &plan->spring[WARP], row, column, 0, 1, is_wrapped(c) ? columns - 1 : columns - 1 - column},
      {c, &plan->spring[WARP], row, column, 0, -1, is_wrapped(c) ? columns - 1 : column},
      {c, &plan->spring[WEFT], row, column, 1, 0, rows - 1 - row},
      {c, &plan->spring[WEFT], row, column, -1, 0, row}};
  for (int32_t n = 0; n < 4; n++) {
    lines[n] = all[n];
  }
}

/* The lines from a sewn particle of a cloth on, whose springs hold. Returns how many there are. */
static int32_t find_sewn_lines(const sewing *s, const cloth *c, const sewn_particle *p, sewn_line lines[4]) {
  int32_t count = 0;
  lines_around(c, p->particle, lines);
  for (int32_t n = 0; n < 4; n++) {
    sewn_line l = lines[n];
    end_sewn_line(s, p->cloth, &l);
    const int holds = l.family->projected != PROJECTED_NONE || l.family->mode == CLOTH_MODE_IMPLICIT;
    lines[count] = l;
    count += holds && l.count > 0;
  }
  return count;
}

/* Finds the mobility and the response of a particle of a cloth. */
static void find_response(const sewing *s, const cloth *c, sewn_particle *p) {
  const float w = floats_at(c, c->scratch.mobility)[p->particle], scale = s->scale[p->cloth];
  float r[SYMMETRIC_FLOATS] = {w, w, w, 0.0f, 0.0f, 0.0f};
  sewn_line lines[4];
  const int32_t count = w > 0.0f ? find_sewn_lines(s, c, p, lines) : 0;
  for (int32_t n = 0; n < count; n++) {
    sewn_chain chain;
    follow_line(&lines[n], &chain);
    hold_response(r, &chain);
  }
  p->mobility = w * scale;
  for (int32_t n = 0; n < SYMMETRIC_FLOATS; n++) {
    p->response[n] = r[n] * scale;
  }
}

/* Weights of the three particles of a stitch in its gap. */
static void stitch_weights(const stitch *t, float weight[3]) {
  weight[0] = 1.0f;
  weight[1] = t->share - 1.0f;
  weight[2] = negate(t->share);
}

/* Finds the inverse of the response of a gap. */
static void find_gap_response(const sewing *s, stitch *t) {
  float weight[3], r[SYMMETRIC_FLOATS] = {0}, largest = 0.0f;
  stitch_weights(t, weight);
  for (int32_t k = 0; k < 3; k++) {
    const sewn_particle *p = &s->particles[t->particle[k]];
    for (int32_t n = 0; n < SYMMETRIC_FLOATS; n++) {
      r[n] += weight[k] * weight[k] * p->response[n];
    }
    largest = maximum(largest, p->mobility);
  }
  const float least = LEAST_RESPONSE * maximum(largest, 1.0f);
  const symmetric m = {lanes_splat(r[0] + least),
                       lanes_splat(r[1] + least),
                       lanes_splat(r[2] + least),
                       lanes_splat(flush_small(r[3], WORK_QUANTUM)),
                       lanes_splat(flush_small(r[4], WORK_QUANTUM)),
                       lanes_splat(flush_small(r[5], WORK_QUANTUM))};
  const symmetric i = symmetric_quantise(symmetric_inverse(m, lanes_splat(least)));
  const lanes entries[SYMMETRIC_FLOATS] = {i.xx, i.yy, i.zz, i.xy, i.xz, i.yz};
  for (int32_t n = 0; n < SYMMETRIC_FLOATS; n++) {
    t->inverse[n] = lanes_first_value(entries[n]);
  }
}

#endif
