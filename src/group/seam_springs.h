#pragma once
#include "../terms/bounds.h"
#include "../terms/links.h"
#include "../terms/pin_reactions.h"
#include "../terms/springs.h"
#include "seams.h"
#include "stitches.h"

/// Folds of seams ///

/*
 * The bending stiffness of the cloth across its seams. A stitch that joins the border of one side to the border of the
 * other one is a hinge between the particles beside the sewn ones: with the ways d_a and d_b from the sewn particles to
 * them and the lengths u_a and u_b of both springs at rest, the fold, 0 where the seam is flat, is
 *
 *     F = w_a d_a + w_b d_b,  w_a = L / u_a,  w_b = L / u_b,  L = (u_a + u_b) / 2
 *
 * Its energy is k / 2 |F|^2, k = 2 / (1 / k_a + 1 / k_b) times 1 + stiffening, with the stiffness k_a that a hinge of
 * the one fabric would have there, and k_b of the other. Viscosities likewise. Along the seam half of each hinge is
 * taken out, as both sides have hinges of their own where the joined cloth has one.
 */

/// Lines from a seam inwards ///

/* A line of the grid from a sewn particle to the one beside it. */
typedef struct sewn_line {
  const cloth *c;
  int32_t here, next; /* next: -1 where there is none */
  int32_t direction;  /* WARP or WEFT */
  int32_t start;      /* of the two, where the spring between them starts */
} sewn_line;

/* That along a direction, forwards for a step of 1, backwards for -1. */
static sewn_line line_from(const cloth *c, int32_t particle, int32_t d, int32_t step) {
  const int32_t row = particle / c->grid.columns, column = particle % c->grid.columns;
  const int32_t next = particle_from(c, d == WEFT ? row + step : row, d == WARP ? column + step : column);
  return (sewn_line){c, particle, next, d, step > 0 ? particle : next};
}

static int has_spring(const sewn_line *l) {
  return l->next >= 0 && !is_gap(l->c, l->start, l->direction == WEFT ? GAP_WEFT : GAP_WARP);
}

/* Finds the line from the border of a cloth inwards, at particle n of a side of a seam. Returns 0 off borders. */
static int find_fold_line(const cloth *c, const cloth_seam_side *side, int32_t n, sewn_line *l) {
  const int32_t columns = c->grid.columns, particle = sewn_at(side, n), next = sewn_at(side, n > 0 ? n - 1 : n + 1);
  const int along_warp = particle / columns == next / columns, along_weft = particle % columns == next % columns;
  const sewn_line forth = line_from(c, particle, along_warp ? WEFT : WARP, 1);
  const sewn_line back = line_from(c, particle, along_warp ? WEFT : WARP, -1);
  const int leads = has_spring(&forth), leads_back = has_spring(&back);
  *l = leads ? forth : back;
  return along_warp != along_weft && leads != leads_back;
}

/// Both sides of a fold ///

/* A side of a fold before both are one. */
typedef struct fold_side {
  int32_t cloth;
  sewn_line line;
  float length;             /* of the spring at rest [m] */
  float stiffness, elastic; /* of a hinge of this side's cloth, times length^2, with viscosity and without [N m] */
} fold_side;

/* Mean factor on rest lengths of the springs of a line of the grid across l, beside its first particle. */
static float width_factor(const sewn_line *l) {
  const int32_t d = l->direction == WEFT ? WARP : WEFT;
  float sum = 0.0f, count = 0.0f;
  for (int32_t step = 1; has_rest_shape(l->c) && step >= -1; step -= 2) {
    const sewn_line beside = line_from(l->c, l->here, d, step);
    if (beside.next >= 0) {
      sum += shape_factor(l->c, REST_LENGTH + d, beside.start);
      count += 1.0f;
    }
  }
  return has_rest_shape(l->c) ? sum / maximum(count, 1.0f) : 1.0f;
}

/* Finds what a side has for its part of a fold. */
static void measure_side(fold_side *side) {
  const sewn_line *l = &side->line;
  const cloth *c = l->c;
  const substep_terms *t = &workspace_of(c)->plan.terms;
  const int32_t d = l->direction;
  const float spacing = d == WARP ? c->grid.spacing_warp : c->grid.spacing_weft;
  const float ratio = shape_factor(c, REST_LENGTH + d, l->start);
  side->length = spacing * ratio;
  side->elastic = t->hinge[d] / t->scale * (spacing * spacing) * (width_factor(l) / ratio);
  if (c->constant.stiffness_map) { side->elastic *= floats_at(c, c->constant.stiffness_map)[l->here]; }
  side->stiffness = side->elastic * (1.0f + t->viscosity);
}

/* Stiffness of two halves in series. */
static float in_series(float a, float b) {
  return a > WORK_QUANTUM && b > WORK_QUANTUM ? 2.0f / (1.0f / a + 1.0f / b) : 0.0f;
}

/* Factor of a hinge of two sides at a stitch: 2 where one side of a sewn pin is pinned, too. */
static float clamp_factor(const fold_side side[2]) {
  int holds[2], is_pin = 0;
  for (int32_t k = 0; k < 2; k++) {
    holds[k] = is_told(side[k].line.c, side[k].line.next);
    is_pin |= is_told(side[k].line.c, side[k].line.here);
  }
  return is_pin && holds[0] != holds[1] ? 2.0f : 1.0f;
}

/// The folds of a step ///

static seam_end end_at(const cloth *c, int32_t member, int32_t particle, float weight) {
  return (seam_end){member, particle, place_in_rows(c, particle), weight};
}

/* Makes the fold of stitch n of a seam, if it has one. */
static void add_fold(sewing *s, const cloth_seam *seam, int32_t n) {
  seam_spring *f = &s->springs[s->spring_count];
  const cloth_seam_side *sides[2] = {&seam->a, &seam->b};
  fold_side side[2];
  for (int32_t k = 0; k < 2; k++) {
    side[k].cloth = sides[k]->cloth;
    if (!find_fold_line(s->cloths[side[k].cloth], sides[k], n, &side[k].line)) { return; }
    measure_side(&side[k]);
  }
  const float length = 0.5f * (side[0].length + side[1].length);
  const float factor = clamp_factor(side) * (1.0f + seam->stiffening) / (length * length);
  const float whole = in_series(side[0].stiffness, side[1].stiffness);
  const float elastic = in_series(side[0].elastic, side[1].elastic);
  fill_zero(f, sizeof *f);
  f->stiffness = flush_work(elastic * factor);
  if (!(f->stiffness > 0.0f)) { return; }
  f->viscosity = flush_work((whole / elastic - 1.0f) * workspace_of(side[0].line.c)->plan.terms.h);
  f->count = 4;
  f->is_plate = 1;
  for (int32_t k = 0; k < 2; k++) {
    const sewn_line *l = &side[k].line;
    const float weight = length / side[k].length;
    f->end[2 * k] = end_at(l->c, side[k].cloth, l->here, negate(weight));
    f->end[2 * k + 1] = end_at(l->c, side[k].cloth, l->next, weight);
  }
  s->spring_count++;
}

/* Takes half of the hinge along side k of a seam out, at stitch n. */
static void halve_hinge(sewing *s, const cloth_group *group, const cloth_seam *seam, int32_t k, int32_t n) {
  const cloth_seam_side *side = k ? &seam->b : &seam->a;
  const cloth *c = s->cloths[side->cloth];
  const substep_terms *t = &workspace_of(c)->plan.terms;
  const int32_t columns = c->grid.columns, last = side->count - 1;
  if (n == 0 || n == last || !is_stitched(group, seam, n - 1) || !is_stitched(group, seam, n + 1)) { return; }
  const int32_t before = sewn_at(side, n - 1), here = sewn_at(side, n), after = sewn_at(side, n + 1);
  const int32_t way = after - here, d = way == 1 || way == -1 ? WARP : WEFT;
  if (here - before != way || (d == WEFT && way != columns && way != -columns)) { return; }
  seam_spring *f = &s->springs[s->spring_count];
  const float factor = hinge_factor_at(c, here / columns, here % columns, d);
  fill_zero(f, sizeof *f);
  f->stiffness = negate(flush_work(0.5f * factor * t->hinge[d] / t->scale));
  f->viscosity = t->viscosity * t->h;
  f->is_plate = 1;
  f->count = 3;
  f->end[0] = end_at(c, side->cloth, before, 1.0f);
  f->end[1] = end_at(c, side->cloth, here, -2.0f);
  f->end[2] = end_at(c, side->cloth, after, 1.0f);
  s->spring_count += f->stiffness < 0.0f;
}

CLOTH_SEPARATE void find_folds(sewing *s, const cloth_group *group) {
  for (int32_t n = 0; n < group->seam_count; n++) {
    const cloth_seam *seam = &group->seams[n];
    for (int32_t i = 0; resists_folding(seam) && i < seam->a.count; i++) {
      if (is_stitched(group, seam, i)) {
        const int32_t folds = s->spring_count;
        add_fold(s, seam, i);
        for (int32_t k = 0; s->spring_count > folds && k < 2; k++) {
          halve_hinge(s, group, seam, k, i);
        }
      }
    }
  }
  s->fold_count = s->spring_count;
}

/// Springs of seams ///

/*
 * Springs between particles of several cloths, of the energy and with the gradient and the block
 *
 *   k / 2 |F - rest|^2, F = sum w x;  force on j: -k w_j (F - rest) - k tau / h w_j (F - F_n);  k (1 + tau / h) w w^T
 *
 * They are the folds of seams, and, with LOOSE_STIFFNESS times the stiffness of stretch, stitches that are not
 * unknowns: those that join what is sewn between others twice, and open ones. Out: residual, spring sums, product.
 */

/* Stiffness of a stitch that is a spring, over the largest of stretch around it. */
#define LOOSE_STIFFNESS 4.0f
/* An end of a fold that is sewn shares the particle with the other side: what its block counts. */
#define SEWN_SHARE 2.0f

/* 1 if something holds all particles of a stitch, which then moves nothing and pulls nothing. */
static int is_held_stitch(const sewing *s, const stitch *t) {
  int is_held = 1;
  for (int32_t k = 0; k < 3; k++) {
    const sewn_particle *p = &s->particles[t->particle[k]];
    is_held &= is_told(s->cloths[p->cloth], p->particle);
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
        const cloth *c = s->cloths[p->cloth];
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
    const solve_arrays *a = arrays_of(s->cloths[f->end[k].cloth]);
    const float *array = field == SEAM_PLACE ? a->place : field == SEAM_WAY ? a->bent : a->direction;
    const cloth_vector v = near_vector(array, a->plane, f->end[k].place);
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
    const solve_arrays *a = arrays_of(c);
    const float stiffness = f->stiffness * s->scale[e->cloth];
    const int is_free = *own_at(a->diagonal, 1, e->place, 0) > 0.0f;
    if (is_free || notes_pins(c)) {
      add_to_particle(a, e->particle, vector_scale(stretched, negate(stiffness * e->weight)));
    }
    const float shared = s->labels.number[s->labels.first[e->cloth] + e->particle] >= 0 ? SEWN_SHARE : 1.0f;
    for (int32_t n = 0; n < 3 && is_free && f->stiffness > 0.0f && a->inverse && is_in_operator(s, f); n++) {
      *own_at(a->inverse, SYMMETRIC_FLOATS, e->place, n) +=
          flush_work(shared * (1.0f + viscosity) * stiffness * e->weight * e->weight);
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

/// Gathered springs ///

/* Springs along the longer side of a seam whose sides differ in length at rest resist stretching only, or they would
   push the seam apart in its line. They are linearised once more, with a compression of 0, and what that changes is
   added to force, block and energy. */

/* A gathered spring of a cloth, along warp or weft, from a particle to the next. */
typedef struct gathered_spring {
  int32_t first, second; /* particles */
  int32_t direction;
  spring_coefficients k;
} gathered_spring;

/* The spring of a direction that starts at a particle. */
static gathered_spring gathered_spring_at(const solve_arrays *a, int32_t particle, int32_t d) {
  const int32_t columns = a->columns, column = particle % columns, is_last = column + 1 == columns;
  const int32_t next = d == WARP ? particle + 1 - (is_last ? columns : 0) : particle + columns;
  const float *kinds = own_at(a->coefficients, COEFFICIENT_FLOATS, column, ROW_KINDS * d);
  gathered_spring g = {.first = particle,
                       .second = next,
                       .direction = d,
                       .k = {.stiffness = lanes_splat(kinds[ROW_STIFFNESS * CLOTH_LANES]),
                             .tension = lanes_splat(kinds[ROW_TENSION * CLOTH_LANES]),
                             .turn = lanes_splat(kinds[ROW_TURN * CLOTH_LANES]),
                             .damping = lanes_splat(kinds[ROW_DAMPING * CLOTH_LANES])}};
  if (a->factors) {
    const int32_t place = place_of(a, particle);
    const float stiffness = *own_at(a->factors, FACTOR_FLOATS, place, FACTOR_STIFFNESS + d);
    const float length = *own_at(a->factors, FACTOR_FLOATS, place, FACTOR_LENGTH + d);
    g.k.stiffness = lanes_multiply(g.k.stiffness, lanes_splat(stiffness));
    g.k.tension = lanes_multiply(g.k.tension, lanes_splat(stiffness * length));
    g.k.turn = lanes_multiply(g.k.turn, lanes_splat(stiffness));
    g.k.damping = stiffness > 0.0f ? g.k.damping : lanes_splat(0.0f);
  }
  return g;
}

/* The vector from the second particle of a spring to the first in a near array. */
static cloth_vector way_between_ends(const solve_arrays *a, float *array, const gathered_spring *g) {
  return vector_subtract(near_particle(a, array, g->first), near_particle(a, array, g->second));
}

/* Takes out what a gathered spring resists compression with. */
static void loosen_spring(const cloth *c, const solve_arrays *a, const substep_terms *t, const gathered_spring *g) {
  const lanes3 d = lanes3_splat(way_between_ends(a, a->place, g));
  const spring_motion motion = {.d = d,
                                .way = lanes3_splat(way_between_ends(a, a->direction, g)),
                                .turn = lanes3_splat(way_between_ends(a, a->turn, g))};
  const linear_spring was = linearise_spring(t, 0, &g->k, &motion, t->spring[g->direction].compression);
  const linear_spring now = linearise_spring(t, 0, &g->k, &motion, 0.0f);
  const float change = lanes_first_value(lanes_subtract(was.force, now.force));
  const cloth_vector force = vector_scale(vector_flush_work(lanes3_first(d)), change);
  const int32_t ends[2] = {g->first, g->second}, place = place_of(a, g->first);
  const int is_implicit = a->springs && t->spring[g->direction].implicit;
  const symmetric m = block_of_spring(lanes_subtract(now.across, was.across), lanes_subtract(now.along, was.along), d);
  const lanes block[SYMMETRIC_FLOATS] = {m.xx, m.yy, m.zz, m.xy, m.xz, m.yz};
  for (int32_t k = 0; k < 2; k++) {
    const int32_t end = place_of(a, ends[k]), moves = *own_at(a->diagonal, 1, end, 0) > 0.0f;
    if (moves || notes_pins(c)) { add_to_particle(a, ends[k], vector_scale(force, k ? -1.0f : 1.0f)); }
    for (int32_t n = 0; moves && is_implicit && n < SYMMETRIC_FLOATS; n++) {
      *own_at(a->inverse, SYMMETRIC_FLOATS, end, n) += lanes_first_value(block[n]);
    }
  }
  if (is_implicit) {
    *own_at(a->springs, SPRING_FLOATS, place, SPRING_ACROSS(g->direction)) = lanes_first_value(now.across);
    *own_at(a->springs, SPRING_FLOATS, place, SPRING_ALONG(g->direction)) = lanes_first_value(now.along);
  }
}

/* Runs statements for the gathered springs `g` of cloth n. */
#define EACH_GATHERED(s, n, c, a, g, ...)                                                                              \
  for (int32_t g##_bit = 0; (s)->is_gathered[n] && g##_bit < 2 * (c)->count; g##_bit++) {                              \
    const uint32_t g##_kind = g##_bit & 1 ? GATHERED_WEFT : GATHERED_WARP;                                             \
    if ((s)->gathers[(s)->labels.first[n] + g##_bit / 2] & g##_kind) {                                                 \
      const gathered_spring g = gathered_spring_at(a, g##_bit / 2, g##_bit & 1 ? WEFT : WARP);                         \
      __VA_ARGS__;                                                                                                     \
    }                                                                                                                  \
  }

/* Loosens all gathered springs of a cloth, after it has been linearised. */
CLOTH_SEPARATE void loosen_gathers(const sewing *s, int32_t n, const substep_terms *t) {
  const cloth *c = s->cloths[n];
  const solve_arrays *a = arrays_of(c);
  EACH_GATHERED(s, n, c, a, g, loosen_spring(c, a, t, &g));
}

/* The energy that a spring of this length has of compression. */
static float compressed_energy(const gathered_spring *g, float share, float length) {
  const float stiffness = lanes_first_value(g->k.stiffness), rest = lanes_first_value(g->k.tension);
  const float less = minimum(length - rest / maximum(stiffness, WORK_QUANTUM), 0.0f);
  return 0.5f * share * stiffness * less * less;
}

/* By how much the energy that they do not have would rise over the ways. */
CLOTH_SEPARATE float gathers_rise(const sewing *s, int32_t n, const substep_terms *t) {
  const cloth *c = s->cloths[n];
  const solve_arrays *a = arrays_of(c);
  float sum = 0.0f;
  EACH_GATHERED(s, n, c, a, g, {
    const cloth_vector from = way_between_ends(a, a->place, &g), way = way_between_ends(a, a->bent, &g);
    const float share = t->spring[g.direction].compression;
    sum += compressed_energy(&g, share, vector_length(vector_add(from, way))) -
           compressed_energy(&g, share, vector_length(from));
  });
  return sum;
}
