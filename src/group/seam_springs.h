#pragma once
#include "../base/block3.h"
#include "../base/compiler.h"
#include "../base/rows.h"
#include "../base/scalar.h"
#include "../cloth/access.h"
#include "../cloth/arrays.h"
#include "../cloth/types.h"
#include "../terms/bounds.h"
#include "../terms/pin_reactions.h"
#include "seam_folds.h"
#include "seams.h"
#include "stitches.h"

/// Springs of seams ///

/*
 * Springs between particles of several cloths, of the energy and with the gradient and the block
 *
 *   k / 2 |F - rest|^2, F = sum w x;  force on j: -k w_j (F - rest) - k tau / h w_j (F - F_n);  k (1 + tau / h) w w^T
 *
 * They are the folds of seams, and, with LOOSE_STIFFNESS times the stiffness of stretch, stitches that are not
 * unknowns: those that join what is sewn between others twice, and open ones. Out: residual, spring sums, product.
 */

#if WITH_SEAMS

/* Stiffness of a stitch that is a spring, over the largest of stretch around it. */
#define LOOSE_STIFFNESS 4.0f
/* An end of a fold that is sewn shares the particle with the other side: what its block counts. */
#define SEWN_SHARE 2.0f

/* 1 if something holds all particles of a stitch, which then moves nothing and pulls nothing. */
static int is_held_stitch(const sewing *s, const stitch *t) {
  int is_held = 1;
  for (int32_t k = 0; k < 3; k++) {
    const sewn_particle *p = &s->particles[t->particle[k]];
    is_held &= is_told(cloth_of_sewn(s, p), p->particle);
  }
  return is_held;
}

/* Makes springs of the stitches that are not unknowns. */
CLOTH_SEPARATE void find_loose_stitches(sewing *s) {
  for (int32_t n = 0; n < s->stitch_count; n++) {
    const stitch *t = &s->stitches[n];
    if (t->is_spring) {
      seam_spring *f = &s->springs[s->spring_count++];
      const float weight[3] = {1.0f, t->share - 1.0f, negate(t->share)};
      fill_zero(f, sizeof *f);
      f->count = 3;
      f->open = vector_length(stitch_gap(s, t));
      for (int32_t k = 0; k < 3; k++) {
        const sewn_particle *p = &s->particles[t->particle[k]];
        const cloth *c = cloth_of_sewn(s, p);
        const substep_terms *terms = &workspace_of(c)->plan.terms;
        const float stretch = maximum(terms->spring[WARP].stiffness, terms->spring[WEFT].stiffness) + terms->share;
        f->end[k] = end_at(c, p->cloth, p->particle, weight[k]);
        f->stiffness = maximum(f->stiffness, LOOSE_STIFFNESS * stretch / terms->scale);
      }
      f->stiffness = is_held_stitch(s, t) ? 0.0f : f->stiffness;
    }
  }
}

/* The vector sum w a of the ends of a spring, in near arrays. */
typedef enum seam_field { SEAM_PLACE, SEAM_WAY, SEAM_DIRECTION } seam_field;

static cloth_vector sum_over_ends(const sewing *s, const seam_spring *f, seam_field field) {
  cloth_vector sum = vector(0.0f, 0.0f, 0.0f);
  for (int32_t k = 0; k < f->count; k++) {
    const solve_arrays a = arrays_of(s->cloths[f->end[k].cloth]);
    const int32_t row = f->end[k].place / a.pitch;
    const float *array = field == SEAM_PLACE ? a.place : field == SEAM_WAY ? a.bent : a.direction;
    const float *from = array + NEAR_STEP * row * a.pitch;
    const cloth_vector v = near_vector(from, a.plane, f->end[k].place - row * a.pitch);
    sum = vector_add_scaled(sum, vector_flush_work(v), f->end[k].weight);
  }
  return vector_flush_work(sum);
}

/* 1 if the operator has a spring: all of its cloths solve, and have the plate in it if it is one of the plate. */
static int is_in_operator(const sewing *s, const seam_spring *f) {
  int is = 1;
  for (int32_t k = 0; k < f->count; k++) {
    const substep_terms *t = &workspace_of(s->cloths[f->end[k].cloth])->plan.terms;
    is &= t->solves && (t->plate_implicit || !f->is_plate);
  }
  return is;
}

/* Adds force and block of a spring of h seconds. */
static void add_seam_spring(const sewing *s, const seam_spring *f, float inverse_h) {
  const float viscosity = f->viscosity * inverse_h;
  const cloth_vector now = sum_over_ends(s, f, SEAM_PLACE), way = sum_over_ends(s, f, SEAM_DIRECTION);
  const cloth_vector from_rest = vector_subtract(now, f->rest);
  const cloth_vector stretched = vector_flush_work(vector_add_scaled(from_rest, way, viscosity));
  for (int32_t k = 0; k < f->count; k++) {
    const seam_end *e = &f->end[k];
    const cloth *c = s->cloths[e->cloth];
    const solve_arrays a = arrays_of(c);
    const float stiffness = f->stiffness * s->scale[e->cloth];
    const int is_free = *own_at(a.diagonal, 1, e->place, 0) > 0.0f;
    if (is_free || notes_pins(c)) {
      add_to_particle(&a, e->particle, vector_scale(stretched, negate(stiffness * e->weight)));
    }
    const float shared = s->labels.number[s->labels.first[e->cloth] + e->particle] >= 0 ? SEWN_SHARE : 1.0f;
    for (int32_t n = 0; n < 3 && is_free && f->stiffness > 0.0f && a.inverse && is_in_operator(s, f); n++) {
      *own_at(a.inverse, SYMMETRIC_FLOATS, e->place, n) +=
          flush_small(shared * (1.0f + viscosity) * stiffness * e->weight * e->weight, WORK_QUANTUM);
    }
  }
}

/* Runs statements for the springs `f` of a part of the group. */
#define EACH_SEAM_SPRING(s, group_part, f, ...)                                                                        \
  for (const seam_spring *f = (s)->springs, *f##_end = f + (s)->spring_count; f < f##_end; f++) {                      \
    if ((s)->part[f->end[0].cloth] == (group_part)) { __VA_ARGS__; }                                                   \
  }

/* Adds forces and blocks of the springs of a part, after the cloths have been linearised. */
CLOTH_SEPARATE void add_seam_springs(const sewing *s, int32_t part, float inverse_h) {
  EACH_SEAM_SPRING(s, part, f, add_seam_spring(s, f, inverse_h));
}

/* Adds the springs to the product with the direction; not if it is the last one. Returns what they add to p . q. */
CLOTH_SEPARATE float multiply_seam_springs(const sewing *s, int32_t part, float inverse_h, int32_t is_last) {
  float sum = 0.0f;
  EACH_SEAM_SPRING(s, part, f, {
    if (!is_in_operator(s, f)) { continue; }
    const cloth_vector p = sum_over_ends(s, f, SEAM_DIRECTION);
    const float stiffness = f->stiffness * (1.0f + f->viscosity * inverse_h);
    sum += stiffness * s->scale[part] * vector_dot(p, p);
    for (int32_t k = 0; k < f->count && !is_last; k++) {
      const seam_end *e = &f->end[k];
      const cloth *c = s->cloths[e->cloth];
      float *product = floats_at(c, c->scratch.product);
      if (*own_at(floats_at(c, c->scratch.diagonal), 1, e->place, 0) > 0.0f) {
        const cloth_vector q = vector_scale(p, stiffness * s->scale[e->cloth] * e->weight);
        own_vector_store(product, e->place, vector_add(own_vector(product, e->place), vector_flush_work(q)));
      }
    }
  });
  return sum;
}

/* By how much their energy rises over the ways from the start of the part. */
CLOTH_SEPARATE float seam_springs_rise(const sewing *s, int32_t part) {
  float sum = 0.0f;
  EACH_SEAM_SPRING(s, part, f, {
    const cloth_vector way = sum_over_ends(s, f, SEAM_WAY);
    const cloth_vector from = vector_subtract(sum_over_ends(s, f, SEAM_PLACE), f->rest);
    const cloth_vector mean = vector_add_scaled(from, way, 0.5f);
    sum += f->stiffness * s->scale[part] * vector_dot(way, vector_flush_work(mean));
  });
  return sum;
}

#endif
