#pragma once
#include "../base/compiler.h"
#include "../base/scalar.h"
#include "../cloth/access.h"
#include "../cloth/arrays.h"
#include "../cloth/gaps.h"
#include "../cloth/types.h"
#include "../terms/bounds.h"
#include "../terms/links.h"
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

#if WITH_SEAMS

/// Lines from a seam inwards ///

/* A line of the grid from a sewn particle on. */
typedef struct sewn_line {
  const cloth *c;
  int32_t row, column, row_step, column_step;
  int32_t count; /* particles after the sewn one */
} sewn_line;

static int32_t sewn_line_particle(const sewn_line *l, int32_t n) {
  const int32_t columns = l->c->grid.columns;
  const int32_t column = (l->column + n * l->column_step + columns) % columns;
  return (l->row + n * l->row_step) * columns + column;
}

static int32_t direction_of(const sewn_line *l) {
  return l->row_step ? WEFT : WARP;
}

/* Where the spring between the first particles of a line starts. */
static int32_t start_of_line(const sewn_line *l) {
  return sewn_line_particle(l, l->row_step + l->column_step > 0 ? 0 : 1);
}

/* The lines of the grid from a particle on, to its ends: both along the warp, then both along the weft. */
static void lines_around(const cloth *c, int32_t particle, sewn_line lines[4]) {
  const int32_t columns = c->grid.columns, rows = c->grid.rows;
  const int32_t row = particle / columns, column = particle - row * columns;
  const sewn_line all[4] = {{c, row, column, 0, 1, is_wrapped(c) ? columns - 1 : columns - 1 - column},
                            {c, row, column, 0, -1, is_wrapped(c) ? columns - 1 : column},
                            {c, row, column, 1, 0, rows - 1 - row},
                            {c, row, column, -1, 0, row}};
  for (int32_t n = 0; n < 4; n++) {
    lines[n] = all[n];
  }
}

/* 1 if a line has a spring at its start. */
static int has_first_spring(const sewn_line *l) {
  return l->count > 0 && !is_gap(l->c, start_of_line(l), direction_of(l) == WEFT ? GAP_WEFT : GAP_WARP);
}

/* Finds the line from the border of a cloth inwards, at particle n of a side of a seam. Returns 0 off borders. */
static int find_fold_line(const cloth *c, const cloth_seam_side *side, int32_t n, sewn_line *l) {
  sewn_line lines[4];
  const int32_t columns = c->grid.columns, particle = sewn_at(side, n), next = sewn_at(side, n > 0 ? n - 1 : n + 1);
  const int along_warp = particle / columns == next / columns, along_weft = particle % columns == next % columns;
  const int32_t first = along_warp ? 2 : 0;
  lines_around(c, particle, lines);
  const int leads = has_first_spring(&lines[first]), leads_back = has_first_spring(&lines[first + 1]);
  *l = lines[leads ? first : first + 1];
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
#if WITH_REST_SHAPE
  if (has_rest_shape(l->c)) {
    const int32_t d = l->row_step ? WARP : WEFT, first = d == WARP ? 0 : 2;
    const int32_t particle = sewn_line_particle(l, 0);
    float sum = 0.0f, count = 0.0f;
    sewn_line lines[4];
    lines_around(l->c, particle, lines);
    for (int32_t n = first; n < first + 2; n++) {
      if (lines[n].count > 0) {
        sum += shape_factor(l->c, REST_LENGTH + d, n == first ? particle : sewn_line_particle(&lines[n], 1));
        count += 1.0f;
      }
    }
    return sum / maximum(count, 1.0f);
  }
#endif
  (void)l;
  return 1.0f;
}

/* Finds what a side has for its part of a fold. */
static void measure_side(fold_side *side) {
  const sewn_line *l = &side->line;
  const cloth *c = l->c;
  const substep_terms *t = &workspace_of(c)->plan.terms;
  const int32_t d = direction_of(l), here = sewn_line_particle(l, 0);
  const float spacing = d == WARP ? c->grid.spacing_warp : c->grid.spacing_weft;
  const float ratio = shape_factor(c, REST_LENGTH + d, start_of_line(l));
  side->length = spacing * ratio;
  side->elastic = t->hinge[d] / t->scale * (spacing * spacing) * (width_factor(l) / ratio);
  if (c->constant.stiffness_map) { side->elastic *= floats_at(c, c->constant.stiffness_map)[here]; }
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
    holds[k] = is_told(side[k].line.c, sewn_line_particle(&side[k].line, 1));
    is_pin |= is_told(side[k].line.c, sewn_line_particle(&side[k].line, 0));
  }
  return is_pin && holds[0] != holds[1] ? 2.0f : 1.0f;
}

/// The folds of a step ///

static seam_end end_at(const cloth *c, int32_t member, int32_t particle, float weight) {
  const solve_arrays a = arrays_of(c);
  const seam_end end = {member, particle, place_of(&a, particle), weight};
  return end;
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
  f->stiffness = flush_small(elastic * factor, WORK_QUANTUM);
  if (!(f->stiffness > 0.0f)) { return; }
  f->viscosity = flush_small((whole / elastic - 1.0f) * workspace_of(side[0].line.c)->plan.terms.h, WORK_QUANTUM);
  f->count = 4;
  f->is_plate = 1;
  for (int32_t k = 0; k < 2; k++) {
    const sewn_line *l = &side[k].line;
    const float weight = length / side[k].length;
    f->end[2 * k] = end_at(l->c, side[k].cloth, sewn_line_particle(l, 0), negate(weight));
    f->end[2 * k + 1] = end_at(l->c, side[k].cloth, sewn_line_particle(l, 1), weight);
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
  f->stiffness = negate(flush_small(0.5f * factor * t->hinge[d] / t->scale, WORK_QUANTUM));
  f->viscosity = t->viscosity * t->h;
  f->is_plate = 1;
  f->count = 3;
  f->end[0] = end_at(c, side->cloth, before, 1.0f);
  f->end[1] = end_at(c, side->cloth, here, -2.0f);
  f->end[2] = end_at(c, side->cloth, after, 1.0f);
  s->spring_count += f->stiffness < 0.0f;
}

/* Finds the folds of all seams. */
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

#endif
