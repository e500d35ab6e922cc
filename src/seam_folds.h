#pragma once
#include "access.h"
#include "compiler.h"
#include "costs.h"
#include "gaps.h"
#include "lanes.h"
#include "pin_reactions.h"
#include "plan.h"
#include "rest_lengths.h"
#include "scalar.h"
#include "seam_responses.h"
#include "stitches.h"
#include "types.h"

/// Folds of seams ///

/*
 * The bending stiffness of the cloth across its seams. A stitch that joins the border of one side to the border of the
 * other one is a hinge between the particles beside the sewn ones: with the ways d_a and d_b from the sewn particles to
 * them and the lengths u_a and u_b of both springs at rest, the fold
 *
 *     F = w_a d_a + w_b d_b,  w_a = L / u_a,  w_b = L / u_b,  L = (u_a + u_b) / 2
 *
 * is 0 where the seam is flat, and the second difference of the joined line where both grids are alike. Its energy is
 * k/2 F^2. Both halves of the hinge bend by the same moment: k = 2 / (1 / k_a + 1 / k_b), with the stiffness k_a that a
 * hinge of the one fabric would have there, as of plan_bend(), and k_b of the other; times 1 + stiffening. Viscosities
 * likewise.
 *
 * The hinge acts before the second pass over the lines, as stitches do. What the first pass leaves of the fold has
 * been made without it. A pair of impulses f and -f on the particle beside the sewn one and on this one leads to a
 * change C f of the way between them, across it, and to a displacement X f of the sewn one. Both are found once a step
 * by a recurrence along the line, from its end on, as covariances are: a particle adds its mobility w, a hinge
 * of stiffness k takes P c c^T P / (1/k + c^T P c) from the responses P of the particles around it, c = (1, -2, 1).
 * Along the way itself its spring leaves nothing of both. With R the response of the gap of the stitch, the impulse
 * f = -n s along the fold n, which turns nothing, is
 *
 *     s = (n F - t) / (1/k + n C n - X n R^-1 X n)
 *
 * with the F that is left once gaps are closed, and the share t of the viscosity in the fold at the substep's start. So
 * the joined line is solved as one line is. In s the whole of C counts, not only what is across the ways: closed folds
 * would else push along them, which their springs answer only later. Where several folds share a line, each takes C as
 * often as there are. Both make s smaller, never larger.
 *
 * In: the seams of the group, stitches and their impulses, positions, mobilities, plans. Out: those impulses,
 * velocities, reactions of pins. Scratch: in the memory of the group.
 */

#if WITH_SEAMS

/* Share of its response that a fold keeps at least where its stitch takes from it. */
#define LEAST_FOLD_RESPONSE 0.05f

/// Where a seam folds ///

/* Finds the line that leads from the border of a cloth inwards, at particle n of a side of a seam. Returns 0 if the
   seam does not run along a border there. */
static int find_fold_line(const cloth *c, const cloth_seam_side *side, int32_t n, sewn_line *l) {
  sewn_line lines[4];
  const int32_t columns = c->grid.columns, particle = sewn_at(side, n), next = sewn_at(side, n > 0 ? n - 1 : n + 1);
  const int along_warp = particle / columns == next / columns, along_weft = particle % columns == next % columns;
  const int32_t first = along_warp ? 2 : 0;
  lines_around(c, particle, lines);
  const int leads = lines[first].count > 0 && !has_gap_after(&lines[first], 0);
  const int leads_back = lines[first + 1].count > 0 && !has_gap_after(&lines[first + 1], 0);
  *l = lines[leads ? first : first + 1];
  return along_warp != along_weft && leads != leads_back;
}

static int32_t direction_of(const sewn_line *l) {
  return l->row_step ? WEFT : WARP;
}

/// Responses of lines that bend ///

/* Factor of the hinge at particle n of a line, which has one before and one after it. */
static float factor_of_hinge(const sewn_line *l, int32_t n) {
  const cloth *c = l->c;
  const int32_t d = direction_of(l), here = sewn_line_particle(l, n);
  const float *mobility = floats_at(c, c->scratch.mobility);
  const int before = mobility[sewn_line_particle(l, n - 1)] > 0.0f,
            after = mobility[sewn_line_particle(l, n + 1)] > 0.0f;
  float factor = !(mobility[here] > 0.0f) && before != after ? 2.0f : 1.0f;
  if (is_gap(c, here, d == WARP ? GAP_HINGE_WARP : GAP_HINGE_WEFT)) {
    return 0.0f;
  }
  if (c->constant.stiffness_map) {
    factor *= floats_at(c, c->constant.stiffness_map)[here];
  }
  return factor * shape_factor(c, REST_HINGE + d, here);
}

/* Responses of the first two particles of a line to impulses on them, through hinges: of the first, of each to the
   other, of the second. */
static void follow_hinges(const sewn_line *l, float p[3]) {
  const float *mobility = floats_at(l->c, l->c->scratch.mobility);
  const float kappa = workspace_of(l->c)->plan.bend.stiffness[direction_of(l)];
  const int32_t count = l->count < SEWN_REACH ? l->count : SEWN_REACH;
  p[0] = mobility[sewn_line_particle(l, count - 1)];
  p[1] = 0.0f;
  p[2] = mobility[sewn_line_particle(l, count)];
  for (int32_t n = count - 2; n >= 0; n--) {
    const float w = mobility[sewn_line_particle(l, n)], k = kappa * factor_of_hinge(l, n + 1);
    const float near = p[1] - 2.0f * p[0], far = p[2] - 2.0f * p[1];
    const float share = k / (1.0f + k * maximum((w - 2.0f * near) + far, 0.0f));
    const float first = flush_small(w - share * w * w, WORK_QUANTUM);
    const float both = flush_small(negate(share) * w * near, WORK_QUANTUM);
    p[2] = flush_small(maximum(p[0] - share * near * near, 0.0f), WORK_QUANTUM);
    p[1] = both;
    p[0] = maximum(first, 0.0f);
  }
}

/* What is across a direction of length 1. */
static cloth_vector across(cloth_vector v, cloth_vector along) {
  return vector_flush_work(vector_add_scaled(v, along, negate(vector_dot(v, along))));
}

/// The folds of a step ///

/* A side of a fold before both are one. */
typedef struct fold_side {
  sewn_line line;
  float length;             /* of the spring at rest [m] */
  float stiffness, elastic; /* of a hinge of this side's cloth, times length^2, with viscosity and without [m^2] */
} fold_side;

/* Mean factor on the rest lengths of the springs of a line of the grid across l, on both sides of its first particle.
 */
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
static void measure_side(const sewing *s, int32_t member, fold_side *side) {
  const sewn_line *l = &side->line;
  const cloth *c = l->c;
  const bend_plan *bend = &workspace_of(c)->plan.bend;
  const int32_t d = direction_of(l), here = sewn_line_particle(l, 0);
  const int32_t start = l->row_step + l->column_step > 0 ? here : sewn_line_particle(l, 1);
  const float spacing = d == WARP ? c->grid.spacing_warp : c->grid.spacing_weft;
  const float ratio = shape_factor(c, REST_LENGTH + d, start);
  side->length = spacing * ratio;
  side->stiffness = bend->stiffness[d] * (spacing * spacing) * (width_factor(l) / (ratio * s->scale[member]));
  if (c->constant.stiffness_map) {
    side->stiffness *= floats_at(c, c->constant.stiffness_map)[here];
  }
  side->elastic = side->stiffness * (1.0f - bend->shift);
}

/* Stiffness of two halves in series. */
static float in_series(float a, float b) {
  return a > WORK_QUANTUM && b > WORK_QUANTUM ? 2.0f / (1.0f / a + 1.0f / b) : 0.0f;
}

/* Factor of a hinge of two sides at a stitch: 2 where one side of a sewn pin is pinned, too. */
static float clamp_factor(const sewing *s, const stitch *t, const fold_side side[2]) {
  int holds[2];
  for (int32_t k = 0; k < 2; k++) {
    const cloth *c = side[k].line.c;
    holds[k] = !(floats_at(c, c->scratch.mobility)[sewn_line_particle(&side[k].line, 1)] > 0.0f);
  }
  const int is_pin = !(s->particles[t->particle[0]].mobility > 0.0f && s->particles[t->particle[1]].mobility > 0.0f);
  return is_pin && holds[0] != holds[1] ? 2.0f : 1.0f;
}

/* Sets the stiffness of a fold. Returns 0 if it has none. */
static int set_fold_stiffness(const sewing *s, seam_fold *f, fold_side side[2], float stiffening) {
  const float length = 0.5f * (side[0].length + side[1].length);
  const float factor = clamp_factor(s, &s->stitches[f->stitch], side) * (1.0f + stiffening) / (length * length);
  float limit = BEND_KAPPA_LIMIT;
  for (int32_t k = 0; k < 2; k++) {
    const sewn_line *l = &side[k].line;
    const step_plan *plan = &workspace_of(l->c)->plan;
    limit = minimum(limit, (plan->solves ? SOLVED_BEND_KAPPA_LIMIT : BEND_KAPPA_LIMIT));
    f->weight[k] = length / side[k].length;
  }
  const float whole = in_series(side[0].stiffness, side[1].stiffness),
              elastic = in_series(side[0].elastic, side[1].elastic);
  const float stiffness = limited_coefficient(whole * factor, limit);
  if (!(stiffness > 0.0f)) {
    return 0;
  }
  f->compliance = 1.0f / stiffness;
  f->shift = flush_small(maximum(1.0f - elastic / whole, 0.0f), WORK_QUANTUM);
  return 1;
}

/* Finds the responses of a side of a fold. */
static void find_fold_response(sewing *s, seam_fold *f, int32_t k, sewn_line line) {
  sewn_particle *p = &s->particles[s->stitches[f->stitch].particle[k]];
  const vector_array x = vectors_at(line.c, line.c->state.position);
  const float scale = s->scale[p->cloth];
  float r[3];
  f->inner[k] = sewn_line_particle(&line, 1);
  const cloth_vector d =
      vector_flush(vector_subtract(vector_load(x, f->inner[k]), vector_load(x, p->particle)), STATE_QUANTUM);
  f->along[k] = vector_flush_work(vector_scale(d, 1.0f / maximum(vector_length(d), STATE_QUANTUM)));
  end_sewn_line(s, p->cloth, &line);
  line.count = line.count > 0 ? line.count : 1;
  follow_hinges(&line, r);
  f->own[k] = flush_small(maximum((r[0] + r[2]) - 2.0f * r[1], 0.0f) * scale, WORK_QUANTUM);
  f->cross[k] = flush_small((r[1] - r[0]) * scale, WORK_QUANTUM);
  p->folds++;
}

/* Makes the fold of stitch n of a seam, if it has one. */
static void add_fold(sewing *s, const cloth_group *group, const cloth_seam *seam, int32_t n, int32_t number) {
  seam_fold *f = &s->folds[s->fold_count];
  const cloth_seam_side *sides[2] = {&seam->a, &seam->b};
  fold_side side[2];
  for (int32_t k = 0; k < 2; k++) {
    const int32_t member = sides[k]->cloth;
    if (!(s->scale[member] > 0.0f) || !find_fold_line(group->cloths[member], sides[k], n, &side[k].line)) {
      return;
    }
    measure_side(s, member, &side[k]);
  }
  fill_zero(f, sizeof *f);
  f->stitch = number;
  if (set_fold_stiffness(s, f, side, seam->stiffening)) {
    find_fold_response(s, f, 0, side[0].line);
    find_fold_response(s, f, 1, side[1].line);
    s->fold_count++;
  }
}

/* Finds the folds of all seams. */
CLOTH_SEPARATE void find_folds(sewing *s, const cloth_group *group) {
  int32_t number = 0;
  s->fold_count = 0;
  for (int32_t n = 0; n < group->seam_count; n++) {
    const cloth_seam *seam = &group->seams[n];
    for (int32_t i = 0; i < larger_count(seam); i++) {
      if (!is_stitched(group, seam, i)) {
        continue;
      }
      if (resists_folding(seam)) {
        add_fold(s, group, seam, i, number);
      }
      number++;
    }
  }
}

/// A substep ///

/* The fold as it is in some positions. */
static cloth_vector fold_in(const sewing *s, const cloth_group *group, const seam_fold *f, int is_predicted) {
  cloth_vector sum = vector(0.0f, 0.0f, 0.0f);
  for (int32_t k = 0; k < 2; k++) {
    const sewn_particle *p = &s->particles[s->stitches[f->stitch].particle[k]];
    const cloth *c = group->cloths[p->cloth];
    const vector_array x = is_predicted ? predicted_of(c) : vectors_at(c, c->state.position);
    const cloth_vector way = vector_subtract(vector_load(x, f->inner[k]), vector_load(x, p->particle));
    sum = vector_add_scaled(sum, vector_flush(way, STATE_QUANTUM), f->weight[k]);
  }
  return vector_flush(sum, STATE_QUANTUM);
}

/* Adds to the velocity of a particle of a cloth. */
static void change_velocity(const cloth *c, int32_t particle, cloth_vector change) {
  const vector_array v = vectors_at(c, c->state.velocity);
  vector_store(v, particle, vector_add(vector_load(v, particle), vector_flush_work(change)));
}

/* Pushes a particle of a cloth as hinges do: after the implicit springs, and before the lines. */
static void push_by_hinge(const sewing *s, const cloth *c, int32_t member, int32_t particle, cloth_vector impulse) {
  const float scale = s->scale[member], mobility = floats_at(c, c->scratch.mobility)[particle] * scale;
  change_velocity(c, particle, vector_scale(impulse, mobility * workspace_of(c)->plan.inverse_h));
#if WITH_BODIES
  if (notes_pins(c) && is_pinned(c, particle)) {
    note_displacement(c, particle, vector_scale(impulse, 1.0f / scale));
  }
#endif
}

/* A fold as closed stitches would leave it. */
static cloth_vector expected_fold(const sewing *s, const cloth_group *group, const seam_fold *f) {
  cloth_vector fold = fold_in(s, group, f, 1);
  for (int32_t k = 0; k < 2; k++) {
    const cloth_vector impulse = s->particles[s->stitches[f->stitch].particle[k]].impulse;
    fold = vector_add_scaled(fold, across(impulse, f->along[k]), f->weight[k] * f->cross[k]);
  }
  return vector_flush(fold, STATE_QUANTUM);
}

/* Unfolds a fold: pushes the particles on both sides, and adds to the impulses of its stitch what keeps that closed. */
static void unfold(sewing *s, const cloth_group *group, const seam_fold *f) {
  const stitch *t = &s->stitches[f->stitch];
  const cloth_vector fold = expected_fold(s, group, f);
  const float length = vector_length(fold);
  if (!(length > STATE_QUANTUM)) {
    return;
  }
  const cloth_vector n = vector_flush_work(vector_scale(fold, 1.0f / length));
  cloth_vector apart = vector(0.0f, 0.0f, 0.0f);
  float own = 0.0f;
  for (int32_t k = 0; k < 2; k++) {
    const cloth_vector side = across(n, f->along[k]);
    const float weight = f->weight[k], folds = (float)s->particles[t->particle[k]].folds;
    own += weight * weight * f->own[k] * folds;
    apart = vector_add_scaled(apart, side, (k ? negate(weight) : weight) * f->cross[k]);
  }
  const cloth_vector closing = apply_response(t->inverse, vector_flush_work(apart));
  const float response = maximum(own - vector_dot(apart, closing), LEAST_FOLD_RESPONSE * own);
  const float size = (length - f->shift * vector_dot(n, fold_in(s, group, f, 0))) / (f->compliance + response);
  const cloth_vector push = vector_flush_work(vector_scale(n, size));
  for (int32_t k = 0; k < 2; k++) {
    sewn_particle *p = &s->particles[t->particle[k]];
    const cloth *c = group->cloths[p->cloth];
    p->impulse = vector_add(p->impulse, vector_flush_work(vector_scale(closing, k ? negate(size) : size)));
    push_by_hinge(s, c, p->cloth, p->particle, vector_scale(push, f->weight[k]));
    push_by_hinge(s, c, p->cloth, f->inner[k], vector_scale(push, negate(f->weight[k])));
  }
}

/* Unfolds all folds in a substep. The work is charged to the first cloth of the group. */
CLOTH_SEPARATE void unfold_seams(sewing *s, const cloth_group *group) {
  for (int32_t n = 0; n < s->fold_count; n++) {
    unfold(s, group, &s->folds[n]);
  }
  add_varying_work(group->cloths[0], (uint32_t)s->fold_count, COST_FOLD);
}

#endif
