#pragma once
#include "access.h"
#include "attachments.h"
#include "block3.h"
#include "compiler.h"
#include "costs.h"
#include "gaps.h"
#include "gathers.h"
#include "implicit.h"
#include "lanes.h"
#include "motion.h"
#include "pin_reactions.h"
#include "projection.h"
#include "rest_lengths.h"
#include "scalar.h"
#include "self_batches.h"
#include "stiffness.h"
#include "stretch_solve.h"
#include "targets.h"
#include "types.h"

/// Seams ///

/*
 * Seams of a group. A stitch joins a particle to another one, or to a point between two: its gap x_s - (1 - t) x_p - t
 * x_q is to be 0. Particles that are sewn together act as one in the solves along lines, which is found by two passes
 * over them:
 *
 *   1. Every cloth predicts its particles and solves its lines as if it was not sewn. The gaps that this leaves are
 * what the forces in the stitches have to close.
 *   2. For each sewn particle there is a response R, the displacement that an impulse on it leads to after the solves:
 * a particle of mobility w with springs along the unit vectors u to lines of mobility r has R = w - R' u u^T R' / (u^T
 * R' u + r + e) for each spring after the other, from R' = w on, with the compliance e of the spring; and a line of
 * particles of mobility w has r = w - w^2 cos^2 / (w + e + r') from its end on, with the r' of the rest of the line and
 * the angle between its springs. So what hangs on a stitch is felt with all of its mass, and what is held by a pin not
 * at all. Impulses f with (R_s + (1 - t)^2 R_p + t^2 R_q) f = gap change the velocities of the particles, and lines are
 * solved from the new predictions. Implicit springs are solved a second time, for what these impulses change.
 *
 * What is left of the gaps is closed by moving the particles with their masses as weights, after the solves and again
 * after contact, and their velocities with them; so are differences of velocity. The forces of a stitch are equal and
 * opposite and act in one point, so that both momenta are kept. A gap with which a step begins closes by seam_speed.
 *
 * In: the seams of the group, predicted positions, velocities, mobilities, plans. Out: predicted positions, velocities,
 * reactions of pins. Scratch: in the memory of the group.
 */

#if WITH_SEAMS

/* Particles of a line from a sewn one on whose mobility counts; of the rest only how many there are. */
#define SEWN_REACH 16
/* Passes over stitches that share particles, at most, and length of a gap over the spacing that ends them. */
#define STITCH_SWEEPS 16
#define STITCH_TOLERANCE 1.0e-3f
/* Gaps of so many tolerances, and shorter ones, close without a velocity. */
#define OPEN_TOLERANCES 5.0f
/* A side of a seam is gathered if it is longer than the other one at rest by more than this factor. */
#define GATHERED_RATIO 1.001f
/* Least eigenvalue of the response of a stitch, over the mobility. */
#define LEAST_RESPONSE 1.0e-3f

/* A particle that is sewn. Impulses are displacements times masses over the heaviest reference mass of the group. */
typedef struct sewn_particle {
  int32_t cloth, particle;
  float mobility; /* heaviest reference mass over the particle's */
  float response[SYMMETRIC_FLOATS];
  cloth_vector place;   /* [m] */
  cloth_vector impulse; /* [m], and in passes over velocities [m/s] */
} sewn_particle;

typedef struct stitch {
  int32_t particle[3];             /* s, p, q among the sewn particles; q = p where t = 0 */
  float share;                     /* t */
  cloth_vector rest;               /* gap at the end of the substep [m] ... */
  cloth_vector closing;            /* ... and its velocity [m/s] */
  float inverse[SYMMETRIC_FLOATS]; /* of the response of the gap */
} stitch;

/* The seams of a group in a step. */
typedef struct sewing {
  sewn_particle *particles;
  stitch *stitches;
  int32_t particle_count, stitch_count;
  int32_t shares;                     /* 1 if two stitches have a particle in common */
  float tolerance;                    /* [m] */
  float speed;                        /* at which gaps close [m/s] */
  float scale[CLOTH_GROUP_LIMIT];     /* of each cloth: heaviest reference mass over its own; 0 where it sleeps */
  uint8_t is_sewn[CLOTH_GROUP_LIMIT]; /* of each cloth: 1 if a seam has a particle of it */
  sewn_labels labels;
  uint8_t *gathers; /* of each particle of the group, see gathers.h: cloth by cloth as labels.number */
  uint8_t is_gathered[CLOTH_GROUP_LIMIT]; /* of each cloth: 1 if a spring of it is gathered */
} sewing;

/// Lists ///

static int32_t larger_count(const cloth_seam *seam) {
  return seam->a.count > seam->b.count ? seam->a.count : seam->b.count;
}

static int32_t sewn_at(const cloth_seam_side *side, int32_t n) {
  return side->particles ? side->particles[n] : side->first + n * side->next;
}

/* Particles in the lists of all seams, and stitches. */
static int32_t count_sewn(const cloth_group *group) {
  int32_t count = 0;
  for (int32_t n = 0; n < group->seam_count; n++) {
    count += group->seams[n].a.count + group->seams[n].b.count;
  }
  return count;
}

static int32_t count_stitches(const cloth_group *group) {
  int32_t count = 0;
  for (int32_t n = 0; n < group->seam_count; n++) {
    count += larger_count(&group->seams[n]);
  }
  return count;
}

/* Where a particle of the longer side of a seam is sewn to on the shorter one. */
typedef struct seam_place {
  int32_t before, after; /* in the list of the shorter side */
  float share;
} seam_place;

static seam_place place_on_shorter(int32_t n, int32_t longer, int32_t shorter) {
  seam_place place = {0, 0, 0.0f};
  if (longer > 1) {
    const int32_t all = n * (shorter - 1), rest = all % (longer - 1);
    place.before = place.after = all / (longer - 1);
    if (rest > 0) {
      place.after++;
      place.share = (float)rest / (float)(longer - 1);
    }
  }
  return place;
}

/* The sides of a seam, the longer one first. */
static void order_sides(const cloth_seam *seam, const cloth_seam_side **longer, const cloth_seam_side **shorter) {
  const int turned = seam->b.count > seam->a.count;
  *longer = turned ? &seam->b : &seam->a;
  *shorter = turned ? &seam->a : &seam->b;
}

/// Gathers ///

/* Length at rest from a particle to another, along the grid [m]. */
static float rest_between(const cloth *c, int32_t a, int32_t b) {
  const int32_t columns = c->grid.columns, row = a / columns, other = b / columns;
  int32_t across = (b - other * columns) - (a - row * columns), down = other - row;
  across = across < 0 ? -across : across;
  down = down < 0 ? -down : down;
  across = is_wrapped(c) && 2 * across > columns ? columns - across : across;
  const float u = (float)across * c->grid.spacing_warp, v = (float)down * c->grid.spacing_weft;
  const float length = square_root(u * u + v * v);
#if WITH_REST_SHAPE
  if (has_rest_shape(c) && (row == other || down * columns == (a < b ? b - a : a - b))) {
    return length * mean_rest_ratio(c, a, b);
  }
#endif
  return length;
}

static float rest_of_side(const cloth_group *group, const cloth_seam_side *side) {
  float sum = 0.0f;
  for (int32_t n = 0; n + 1 < side->count; n++) {
    sum += rest_between(group->cloths[side->cloth], sewn_at(side, n), sewn_at(side, n + 1));
  }
  return sum;
}

/* The side of a seam that is gathered; NULL if none is. */
static const cloth_seam_side *gathered_side(const cloth_group *group, const cloth_seam *seam) {
  const float a = rest_of_side(group, &seam->a), b = rest_of_side(group, &seam->b);
  return a > GATHERED_RATIO * b ? &seam->a : b > GATHERED_RATIO * a ? &seam->b : NULL;
}

/* Marks the spring between two particles of a cloth, if there is one along warp or weft. */
static void mark_gathered(const cloth *c, uint8_t *gathers, int32_t a, int32_t b) {
  const int32_t columns = c->grid.columns, first = a < b ? a : b, way = a < b ? b - a : a - b;
  const int is_last = (first + 1) % columns == 0;
  if (way == 1 && !is_last) {
    gathers[first] |= GATHERED_WARP;
  } else if (way == columns - 1 && is_wrapped(c) && first % columns == 0) {
    gathers[first + way] |= GATHERED_WARP;
  } else if (way == columns) {
    gathers[first] |= GATHERED_WEFT;
  }
}

/* Marks the springs along the gathered side of a seam. */
static void mark_gathers(sewing *s, const cloth_group *group, const cloth_seam *seam) {
  const cloth_seam_side *side = gathered_side(group, seam);
  if (side) {
    const cloth *c = group->cloths[side->cloth];
    uint8_t *gathers = s->gathers + s->labels.first[side->cloth];
    for (int32_t n = 0; n + 1 < side->count; n++) {
      mark_gathered(c, gathers, sewn_at(side, n), sewn_at(side, n + 1));
    }
    s->is_gathered[side->cloth] = 1;
  }
}

/// The stitches of a step ///

/* The number among the sewn particles of a particle, which becomes one if it is none yet. */
static int32_t add_sewn(sewing *s, int32_t member, int32_t particle) {
  int32_t *number = &s->labels.number[s->labels.first[member] + particle];
  if (*number < 0) {
    sewn_particle *p = &s->particles[s->particle_count];
    fill_zero(p, sizeof *p);
    p->cloth = member;
    p->particle = particle;
    s->labels.label[s->particle_count][0] = s->particle_count;
    s->labels.label[s->particle_count][1] = s->labels.label[s->particle_count][2] = -1;
    s->is_sewn[member] = 1;
    *number = s->particle_count++;
  }
  return *number;
}

/* The sewn particle that stands for all that one is one with. */
static int32_t sewn_root_of(const sewing *s, int32_t number) {
  while (s->labels.label[number][0] != number) {
    number = s->labels.label[number][0];
  }
  return number;
}

static void add_stitches(sewing *s, const cloth_seam *seam) {
  const cloth_seam_side *longer, *shorter;
  order_sides(seam, &longer, &shorter);
  for (int32_t n = 0; n < longer->count; n++) {
    const seam_place place = place_on_shorter(n, longer->count, shorter->count);
    stitch *t = &s->stitches[s->stitch_count++];
    fill_zero(t, sizeof *t);
    t->share = place.share;
    t->particle[0] = add_sewn(s, longer->cloth, sewn_at(longer, n));
    t->particle[1] = add_sewn(s, shorter->cloth, sewn_at(shorter, place.before));
    t->particle[2] = add_sewn(s, shorter->cloth, sewn_at(shorter, place.after));
    if (t->share == 0.0f) {
      const int32_t a = sewn_root_of(s, t->particle[0]), b = sewn_root_of(s, t->particle[1]);
      s->labels.label[a > b ? a : b][0] = a > b ? b : a;
    }
  }
}

/* Labels particles by what they are one with, and those of gathers by what they lie between. */
static void label_sewn(sewing *s) {
  for (int32_t n = 0; n < s->particle_count; n++) {
    s->labels.label[n][0] = sewn_root_of(s, n);
  }
  for (int32_t n = 0; n < s->stitch_count; n++) {
    const stitch *t = &s->stitches[n];
    for (int32_t k = 1; t->share > 0.0f && k < 3; k++) {
      s->labels.label[t->particle[0]][k] = s->labels.label[t->particle[k]][0];
    }
  }
  s->shares = s->particle_count < 2 * s->stitch_count;
}

/* Makes the stitches of a group. */
CLOTH_SEPARATE void make_stitches(sewing *s, const cloth_group *group) {
  float spacing = 1.0e3f;
  int32_t end = 0;
  for (int32_t n = 0; n < group->count; n++) {
    const cloth *c = group->cloths[n];
    spacing = minimum(spacing, minimum(c->grid.spacing_warp, c->grid.spacing_weft));
    s->labels.first[n] = end;
    end += c->count;
  }
  for (int32_t i = 0; i < end; i++) {
    s->labels.number[i] = -1;
    s->gathers[i] = 0;
  }
  for (int32_t n = 0; n < group->seam_count; n++) {
    add_stitches(s, &group->seams[n]);
    mark_gathers(s, group, &group->seams[n]);
  }
  label_sewn(s);
  s->tolerance = STITCH_TOLERANCE * spacing;
  s->speed = group->seam_speed;
}

/// Responses ///

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

/* The lines from a sewn particle of a cloth on. Returns how many there are. */
static int32_t find_sewn_lines(const sewing *s, const cloth *c, const sewn_particle *p, sewn_line lines[4]) {
  const step_plan *plan = &workspace_of(c)->plan;
  const int32_t columns = c->grid.columns, rows = c->grid.rows;
  const int32_t row = p->particle / columns, column = p->particle - row * columns;
  const sewn_line all[4] = {
      {c, &plan->spring[WARP], row, column, 0, 1, is_wrapped(c) ? columns - 1 : columns - 1 - column},
      {c, &plan->spring[WARP], row, column, 0, -1, is_wrapped(c) ? columns - 1 : column},
      {c, &plan->spring[WEFT], row, column, 1, 0, rows - 1 - row},
      {c, &plan->spring[WEFT], row, column, -1, 0, row}};
  int32_t count = 0;
  for (int32_t n = 0; n < 4; n++) {
    lines[count] = all[n];
    end_sewn_line(s, p->cloth, &lines[count]);
    const int holds = all[n].family->projected != PROJECTED_NONE || all[n].family->mode == CLOTH_MODE_IMPLICIT;
    count += holds && lines[count].count > 0;
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

/// Passes over stitches ///

/* The gap of a stitch between the places of its particles. */
static cloth_vector stitch_gap(const sewing *s, const stitch *t) {
  float weight[3];
  stitch_weights(t, weight);
  const cloth_vector a = s->particles[t->particle[0]].place, b = s->particles[t->particle[1]].place;
  if (t->share == 0.0f) {
    return vector_flush(vector_subtract(a, b), STATE_QUANTUM);
  }
  const cloth_vector c = s->particles[t->particle[2]].place;
  const cloth_vector to_b = vector_subtract(a, b), between = vector_subtract(c, b);
  return vector_flush(vector_add_scaled(to_b, vector_flush(between, STATE_QUANTUM), weight[2]), STATE_QUANTUM);
}

/* What a pass over stitches makes of their gaps. */
typedef enum stitch_pass {
  STITCH_PULL, /* impulses that close them after the solves, from responses */
  STITCH_MOVE, /* displacements that close them, from masses */
  STITCH_SLOW  /* changes of velocity, from masses */
} stitch_pass;

/* Closes a gap. Returns its largest component, over what is to be left of it. */
static float close_stitch(sewing *s, const stitch *t, stitch_pass pass) {
  float weight[3], sum = 0.0f;
  stitch_weights(t, weight);
  const cloth_vector aim = pass == STITCH_SLOW ? t->closing : t->rest;
  const cloth_vector gap = vector_flush(vector_subtract(stitch_gap(s, t), aim), STATE_QUANTUM);
  for (int32_t k = 0; k < 3; k++) {
    sum += weight[k] * weight[k] * s->particles[t->particle[k]].mobility;
  }
  if (!(sum > WORK_QUANTUM)) {
    return 0.0f;
  }
  const cloth_vector f =
      pass == STITCH_PULL ? apply_response(t->inverse, gap) : vector_flush_work(vector_scale(gap, 1.0f / sum));
  for (int32_t k = 0; k < (t->share > 0.0f ? 3 : 2); k++) {
    sewn_particle *p = &s->particles[t->particle[k]];
    const cloth_vector impulse = vector_flush_work(vector_scale(f, negate(weight[k])));
    const cloth_vector moved =
        pass == STITCH_PULL ? apply_response(p->response, impulse) : vector_scale(impulse, p->mobility);
    p->impulse = vector_add(p->impulse, impulse);
    p->place = vector_add(p->place, moved);
  }
  return maximum(maximum(absolute(gap.x), absolute(gap.y)), absolute(gap.z));
}

/* Closes the gaps of all stitches. The work is charged to the first cloth of the group. */
CLOTH_SEPARATE void close_stitches(sewing *s, const cloth *first, stitch_pass pass, float tolerance) {
  int32_t closed = 0;
  for (int32_t sweep = 0; sweep < STITCH_SWEEPS; sweep++) {
    float largest = 0.0f;
    for (int32_t n = 0; n < s->stitch_count; n++) {
      largest = maximum(largest, close_stitch(s, &s->stitches[sweep & 1 ? s->stitch_count - 1 - n : n], pass));
    }
    closed += s->stitch_count;
    if (!s->shares || largest <= tolerance) {
      break;
    }
  }
  add_varying_work(first, (uint32_t)closed, COST_STITCH);
}

/// A substep ///

/* 1 if a substep solves lines. */
static int solves_lines(const step_plan *plan) {
  return plan->bends || (WITH_PROJECTION && plan->projects);
}

/* Takes the places of all sewn particles from predicted positions, or their velocities. */
static void take_places(sewing *s, const cloth_group *group, stitch_pass pass) {
  for (int32_t n = 0; n < s->particle_count; n++) {
    sewn_particle *p = &s->particles[n];
    const cloth *c = group->cloths[p->cloth];
    p->place = vector_load(pass == STITCH_SLOW ? vectors_at(c, c->state.velocity) : predicted_of(c), p->particle);
    p->impulse = vector(0.0f, 0.0f, 0.0f);
  }
}

/* Notes what stitches do to pins that are sewn. */
static void note_stitches(const sewing *s, const cloth_group *group) {
#if WITH_BODIES
  for (int32_t n = 0; n < s->particle_count; n++) {
    const sewn_particle *p = &s->particles[n];
    const cloth *c = group->cloths[p->cloth];
    if (s->scale[p->cloth] > 0.0f && notes_pins(c) && is_pinned(c, p->particle)) {
      note_displacement(c, p->particle, vector_scale(p->impulse, 1.0f / s->scale[p->cloth]));
    }
  }
#else
  (void)s;
  (void)group;
#endif
}

/* Sets what the gaps are to be at the end of a substep of h seconds, from what they are at its start: those that are
   open close by a speed. */
static void aim_stitches(sewing *s, const cloth_group *group, float h) {
  for (int32_t n = 0; n < s->particle_count; n++) {
    const cloth *c = group->cloths[s->particles[n].cloth];
    s->particles[n].place = vector_load(vectors_at(c, c->state.position), s->particles[n].particle);
  }
  for (int32_t n = 0; n < s->stitch_count; n++) {
    stitch *t = &s->stitches[n];
    const cloth_vector gap = stitch_gap(s, t);
    const float length = vector_length(gap), way = s->speed * h;
    t->rest = t->closing = vector(0.0f, 0.0f, 0.0f);
    if (length > way) {
      t->rest = vector_flush(vector_scale(gap, 1.0f - way / length), STATE_QUANTUM);
    }
    if (length > OPEN_TOLERANCES * s->tolerance) {
      t->closing = vector_flush_work(vector_scale(vector_subtract(t->rest, gap), 1.0f / h));
    }
  }
}

/* Finds the responses of all sewn particles and stitches, when a step has been prepared. */
CLOTH_SEPARATE void find_responses(sewing *s, const cloth_group *group) {
  for (int32_t n = 0; n < s->particle_count; n++) {
    sewn_particle *p = &s->particles[n];
    find_response(s, group->cloths[p->cloth], p);
  }
  for (int32_t n = 0; n < s->stitch_count; n++) {
    find_gap_response(s, &s->stitches[n]);
  }
}

/* 1 if a cloth is sewn and takes part in the step. */
static int is_sewn_awake(const sewing *s, int32_t n) {
  return s->is_sewn[n] && s->scale[n] > 0.0f;
}

/* Solves the lines of a cloth as if it was not sewn. Its pins note nothing of it. */
static void try_lines(cloth *c, int32_t index) {
  const step_plan *plan = &workspace_of(c)->plan;
  const uint32_t noted = c->own.pin_reactions;
  c->own.pin_reactions = 0;
#if WITH_TARGETS && WITH_PROJECTION
  if (plan->led > 0) {
    lead_particles(c, plan, index);
  }
#endif
  (void)index;
#if WITH_BODIES
  loosen_attached(c, plan, 1);
#endif
  solve_lines(c, plan);
#if WITH_BODIES
  loosen_attached(c, plan, 0);
#endif
  c->own.pin_reactions = noted;
}

/* Adds to the velocity of a particle of a cloth. */
static void change_velocity(const cloth *c, int32_t particle, cloth_vector change) {
  const vector_array v = vectors_at(c, c->state.velocity);
  vector_store(v, particle, vector_add(vector_load(v, particle), vector_flush_work(change)));
}

/* Changes the velocities of the sewn particles of a cloth by the impulses on them. Springs that are projected follow
   when they are solved again; implicit ones in a solve with the impulses in place of forces. */
static void pull_cloth(const sewing *s, const cloth *c, int32_t member, int32_t index) {
  const step_plan *plan = &workspace_of(c)->plan;
  const int solves = WITH_SOLVER && plan->solves;
  if (solves) {
    fill_vectors(c, vectors_at(c, c->scratch.residual), 0.0f);
  }
  for (int32_t n = 0; n < s->particle_count; n++) {
    const sewn_particle *p = &s->particles[n];
    if (p->cloth != member || !(p->mobility > 0.0f)) {
      continue;
    }
    if (solves) {
      const cloth_vector impulse = vector_scale(p->impulse, s->scale[member] * plan->inverse_h);
      vector_store(vectors_at(c, c->scratch.residual), p->particle, vector_flush_work(impulse));
    } else {
      change_velocity(c, p->particle, vector_scale(p->impulse, p->mobility * plan->inverse_h));
    }
  }
#if WITH_SOLVER
  if (solves) {
    add_change_by_impulses(c, plan, index);
  }
#endif
  (void)index;
}

/* Before the solves of substep `index`: changes the velocities of sewn particles by what closes the gaps that the
   solves would leave, and predicts positions again. */
CLOTH_SEPARATE void pull_stitches(sewing *s, const cloth_group *group, float h, int32_t index) {
  aim_stitches(s, group, h);
  for (int32_t n = 0; n < group->count; n++) {
    if (is_sewn_awake(s, n) && solves_lines(&workspace_of(group->cloths[n])->plan)) {
      try_lines(group->cloths[n], index);
    }
  }
  take_places(s, group, STITCH_PULL);
  close_stitches(s, group->cloths[0], STITCH_PULL, s->tolerance);
  note_stitches(s, group);
  for (int32_t n = 0; n < group->count; n++) {
    if (is_sewn_awake(s, n)) {
      pull_cloth(s, group->cloths[n], n, index);
      predict_positions(group->cloths[n], &workspace_of(group->cloths[n])->plan);
    }
  }
}

/* After the solves, and after contact: closes what is left of the gaps, in positions and velocities, and makes
   velocities equal. */
CLOTH_SEPARATE void join_stitches(sewing *s, const cloth_group *group, const step_plan *plan) {
  for (int32_t pass = STITCH_MOVE; pass <= STITCH_SLOW; pass++) {
    take_places(s, group, (stitch_pass)pass);
    close_stitches(s, group->cloths[0], (stitch_pass)pass,
                   pass == STITCH_MOVE ? s->tolerance : s->tolerance * plan->inverse_h);
    if (pass == STITCH_MOVE) {
      note_stitches(s, group);
    }
    for (int32_t n = 0; n < s->particle_count; n++) {
      const sewn_particle *p = &s->particles[n];
      const cloth *c = group->cloths[p->cloth];
      if (p->mobility > 0.0f) {
        if (pass == STITCH_MOVE) {
          change_velocity(c, p->particle, vector_scale(p->impulse, p->mobility * plan->inverse_h));
        }
        vector_store(pass == STITCH_SLOW ? vectors_at(c, c->state.velocity) : predicted_of(c), p->particle, p->place);
      }
    }
  }
}

#endif
