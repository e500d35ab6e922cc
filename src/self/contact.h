#pragma once
#include "candidates.h"
#include "equation.h"
#include "features.h"
#include "pairs.h"
#include "search.h"
#include "tree.h"

/// Contours, along which cloth passes through cloth ///

/*
 * Where layers pass through each other, along a contour, edges pass through triangles. Once that is old, or from birth,
 * the contour has a tension t, so that it shortens until the layers are apart, or rests:
 *
 *   E = t L,  F_j = w_j t G / sqrt(|G|^2 + 1)
 *
 * with L its length and G the motion of an edge against its triangle that shortens it most (Volino and
 * Magnenat-Thalmann 2006); w_j are weights of the ends of the edge, against those of the corners of the triangle where
 * it passes. E is linear in the places. The block that bounds the motion is that of the pairs beside the contour, which
 * do not press: law_without_side() of equation.h. An edge that has just passed is moved back, before pairs let it go.
 *
 * In: places where the part starts, intersections of the last search. Out: residual; positions. Scratch: none.
 */

/* An edge that passes through a triangle. */
typedef struct self_meeting {
  const self_body *body[2]; /* of the edge, and of the triangle */
  int32_t particle[5];      /* two ends of the edge, then three corners */
  float weight[5];          /* of these where they meet: the edge against the triangle */
  cloth_vector normal;      /* of the triangle, of any length */
  cloth_vector gradient;    /* G */
  float square;             /* |G|^2 */
} self_meeting;

CLOTH_INLINE const self_body *body_of_meeting(const self_meeting *m, int32_t n) {
  return m->body[n >= 2];
}

static void corners_of_feature(const self_body *b, uint32_t feature, int32_t corner[4]) {
  const int32_t first = feature_place(feature, b->columns);
  find_corners(b, first / b->columns, first % b->columns, corner);
}

static void find_meeting_particles(const self_group *g, const pair_key *x, self_meeting *m) {
  int32_t corner[4];
  m->body[0] = &g->bodies[feature_cloth(x->first)];
  m->body[1] = &g->bodies[feature_cloth(x->second)];
  corners_of_feature(m->body[0], x->first, corner);
  m->particle[0] = corner[0];
  m->particle[1] = corner[edge_corner[feature_kind(x->first) - FEATURE_WARP]];
  corners_of_feature(m->body[1], x->second, corner);
  m->particle[2] = corner[0];
  m->particle[3] = corner[later_corners[feature_kind(x->second) - FEATURE_UPPER][0]];
  m->particle[4] = corner[later_corners[feature_kind(x->second) - FEATURE_UPPER][1]];
}

/* 1 if the edge passes through the triangle; then also their weights and the normal. */
static int do_meet(self_meeting *m) {
  const cloth_vector corner = vector_load(m->body[1]->start, m->particle[2]);
  lanes3 place[5];
  for (int32_t n = 0; n < 5; n++) {
    place[n] = lanes3_splat(exact_difference(vector_load(body_of_meeting(m, n)->start, m->particle[n]), corner));
  }
  const edge_passes e = pass_through(place[0], place[1], place[3], place[4]);
  if (!(e.through & 1u)) { return 0; }
  m->normal = lanes3_first(e.normal);
  m->weight[1] = lanes_first_value(e.share);
  m->weight[0] = 1.0f - m->weight[1];
  m->weight[3] = negate(lanes_first_value(e.second));
  m->weight[4] = negate(lanes_first_value(e.third));
  m->weight[2] = negate(1.0f + m->weight[3] + m->weight[4]);
  return 1;
}

/* The third particles of the faces at an edge of a cell. Returns how many faces there are, one or two. */
static int32_t find_faces(const self_body *b, uint32_t edge, int32_t third[2]) {
  const int32_t first = feature_place(edge, b->columns), row = first / b->columns, column = first - row * b->columns;
  const int32_t kind = feature_kind(edge);
  int32_t corner[4], count = 0;
  find_corners(b, row, column, corner);
  if (kind == FEATURE_ACROSS) {
    third[0] = corner[1];
    third[1] = corner[3];
    return 2;
  }
  if (has_cell(b, row, column)) { third[count++] = corner[2]; }
  if (kind == FEATURE_WARP && row > 0 && has_cell(b, row - 1, column)) {
    third[count++] = first - b->columns;
  } else if (kind == FEATURE_WEFT && (column > 0 || b->is_wrapped)) {
    const int32_t before = column > 0 ? first - 1 : first - 1 + b->columns;
    third[count] = before;
    count += !is_gap(b->c, before, GAP_CELL);
  }
  return count;
}

/* A vector of unit length, of components that are 0 or no less than WORK_QUANTUM; 0 for one too short. */
static cloth_vector self_unit(cloth_vector a) {
  const float square = vector_dot(a, a);
  if (!(square > 1.0e-28f && is_finite(square))) { return vector(0.0f, 0.0f, 0.0f); }
  return vector_scale_work(a, 1.0f / square_root(square));
}

/* Least cosine between an edge and the triangle's normal that is divided by. */
#define SELF_LEAST_COSINE 0.01f

/* The direction that shortens the contour: the sum over the faces at the edge of R - 2 (E . R) / (E . N) N, with R
   along the contour in the face, E along the edge, N the normal of the triangle. */
static cloth_vector contour_gradient(const self_meeting *m, uint32_t edge) {
  const self_body *a = m->body[0];
  const cloth_vector from = vector_load(a->start, m->particle[0]);
  const cloth_vector normal = self_unit(m->normal);
  const cloth_vector along = self_unit(exact_difference(vector_load(a->start, m->particle[1]), from));
  float cosine = vector_dot(along, normal);
  cosine = cosine < 0.0f ? minimum(cosine, -SELF_LEAST_COSINE) : maximum(cosine, SELF_LEAST_COSINE);
  int32_t third[2];
  cloth_vector gradient = vector(0.0f, 0.0f, 0.0f);
  for (int32_t face = find_faces(a, edge, third) - 1; face >= 0; face--) {
    const cloth_vector to = exact_difference(vector_load(a->start, third[face]), from);
    const cloth_vector side = self_unit(vector_cross(along, to));
    const cloth_vector inward = vector_flush_work(vector_add_scaled(to, along, negate(vector_dot(to, along))));
    cloth_vector contour = self_unit(vector_cross(normal, side));
    if (vector_dot(contour, inward) < 0.0f) { contour = vector_scale(contour, -1.0f); }
    const float slope = flush_work(vector_dot(along, contour));
    gradient = vector_add(gradient, vector_add_scaled(contour, normal, -2.0f * slope / cosine));
  }
  return vector_flush_work(gradient);
}

/* 1 if an edge and a triangle still meet, in a direction that is known: how they do. */
static int find_meeting(const self_group *g, const pair_key *x, self_meeting *m) {
  find_meeting_particles(g, x, m);
  if (!do_meet(m)) { return 0; }
  m->gradient = contour_gradient(m, x->first);
  m->square = vector_dot(m->gradient, m->gradient);
  return is_finite(m->square);
}

/* The tension of a contour over the mass of a particle [m/s^2]. With a tenth of it sheets that cross stay crossed, with
   twice as much a sleeve that stays crossed trembles (tests/folds/several.h). */
#define CONTOUR_PULL 1200.0f

static void add_contour_force(const self_group *g, const pair_key *x) {
  self_meeting m;
  if (!find_meeting(g, x, &m)) { return; }
  const substep_terms *t = terms_of_pair(m.body);
  if (!t) { return; }
  const float weight = mean_of_moving(m.body, m.body[0]->weight, m.body[1]->weight);
  const float tension = CONTOUR_PULL * t->share * t->h * t->h * weight;
  for (int32_t n = 0; n < 5; n++) {
    const self_body *b = body_of_meeting(&m, n);
    const int32_t place = m.particle[n] / b->columns * b->pitch + m.particle[n] % b->columns;
    if (moves_in_solve(b, place)) {
      const float share = tension * m.weight[n] / (b->weight * square_root(m.square + 1.0f));
      add_own(b->arrays->residual, place, vector_scale_work(m.gradient, share));
    }
  }
}

/* Adds the forces of all contours, once they are old. */
CLOTH_SEPARATE void add_contours(const self_group *g) {
  if (!(g->found->statistics.tangled > 0)) { return; }
  for (int32_t n = 0; n < g->found->intersections; n++) {
    add_contour_force(g, &g->intersections[n]);
  }
  add_varying_work(g->bodies[0].c, (uint32_t)g->found->intersections, COST_SELF_CONTOUR);
}

/* Distance by which a contour step moves an edge at most, over the spacing. */
#define SELF_CONTOUR_STEP 0.3f

/* How a particle gives way: 1 over its mass, 0 for what does not. */
static float mobility_of(const self_body *b, int32_t particle) {
  const int is_held = (freedom_of(b->c)[particle] & FREEDOM_MASK) != FREEDOM_FREE;
  return b->is_still || is_held ? 0.0f : 1.0f / mass_of_particle(b->c, particle);
}

/* Moves an edge and a triangle apart that still meet. */
static void shorten_contour(const self_group *g, const pair_key *x) {
  self_meeting m;
  if (!find_meeting(g, x, &m)) { return; }
  float sum = 0.0f;
  for (int32_t n = 0; n < 5; n++) {
    sum += m.weight[n] * m.weight[n] * mobility_of(body_of_meeting(&m, n), m.particle[n]);
  }
  if (!(m.square > 1.0e-8f && sum > 1.0e-6f)) { return; }
  const float way = SELF_CONTOUR_STEP * minimum(m.body[0]->spacing, m.body[1]->spacing);
  const float length = way / (square_root(m.square + 1.0f) * sum);
  for (int32_t n = 0; n < 5; n++) {
    const self_body *b = body_of_meeting(&m, n);
    const float share = length * m.weight[n] * mobility_of(b, m.particle[n]);
    vector_store(b->start, m.particle[n], vector_add_scaled(vector_load(b->start, m.particle[n]), m.gradient, share));
  }
}

/* Moves edges that have just passed through triangles back, before pairs have let them go. */
CLOTH_SEPARATE void shorten_contours(const self_group *g) {
  if (g->found->statistics.tangled > 0) { return; }
  for (int32_t n = 0; n < g->found->intersections && WITH_SELF_TRIANGLES; n++) {
    shorten_contour(g, &g->intersections[n]);
  }
  add_varying_work(g->bodies[0].c, (uint32_t)g->found->intersections, COST_SELF_CONTOUR);
}

/// Contact of cloth with cloth in a part of a substep ///

/* What a part of a substep does about pairs, in order. */

/* Distance between places of a cloth that may be touched and where they were: kept after the solve of a part. */
CLOTH_SEPARATE void keep_start(const cloth *c) {
  const vector_array from = vectors_at(c, c->state.position), to = kept_start(c);
  if (WITH_SELF && c->self) { EACH_BLOCK(i, left, c->count, lanes3_store(to, i, lanes3_load(from, i), left)); }
}

/* Ways of candidates relative to each other in the shortest part, over the spacing, that are too long for pairs: cloth
   that meets cloth with 2.5 times the spacing crosses it for some frames, with 4 it passes (tests/group.c). */
#define LONGEST_WAY 1.5f

/* Is a particle of a cloth of a group one whose velocity is slowed, where candidates of the cloth are faster than
   `most`? */
static int is_slowed(const self_group *g, int32_t n, int32_t i, float most) {
  const self_body *b = &g->bodies[n];
  return g->found->fastest_of[n] > most && !b->is_still && !is_held(b->c, i);
}

/* The mean velocity, by mass, of the particles that are slowed; 0 where cloth that sleeps is met. */
static cloth_vector mean_velocity(const self_group *g, float most) {
  cloth_vector sum = vector(0.0f, 0.0f, 0.0f);
  float mass = 0.0f;
  for (int32_t n = 0; n < g->count; n++) {
    const self_body *b = &g->bodies[n];
    if (b->is_still && g->found->fastest_of[n] > most) { return vector(0.0f, 0.0f, 0.0f); }
    for (int32_t i = 0; i < b->count; i++) {
      const float own = is_slowed(g, n, i, most) ? mass_of_particle(b->c, i) : 0.0f;
      sum = vector_add_scaled(sum, vector_load(b->velocity, i), own);
      mass += own;
    }
  }
  return vector_scale_work(sum, 1.0f / maximum(mass, WORK_QUANTUM));
}

/* Cloths that meet cloth faster than parts can follow: their velocities shrink towards their common mean, so that what
   they have of momentum stays, and some of their energy is lost. `shortest`: part of a substep. */
CLOTH_SEPARATE void slow_down(const self_group *g, const step_plan *plan, float shortest) {
  const float most = LONGEST_WAY * shortest_spacing_of(g) * plan->inverse_h / shortest;
  if (!(g->found->fastest > most)) { return; }
  const cloth_vector mean = mean_velocity(g, most);
  const float share = most / g->found->fastest;
  for (int32_t n = 0; n < g->count; n++) {
    const self_body *b = &g->bodies[n];
    for (int32_t i = 0; i < b->count; i++) {
      if (is_slowed(g, n, i, most)) {
        const cloth_vector rest = vector_subtract(vector_load(b->velocity, i), mean);
        vector_store(b->velocity, i, vector_flush_state(vector_add_scaled(mean, rest, share)));
        invalidate_history(b->c, i);
      }
    }
    add_varying_work(b->c, (uint32_t)b->count, COST_SELF_SLOWED);
  }
}

/* Candidates of a step, in its first substep, and what is tangled, before a substep of cloths that may touch. Returns
   the longest part of it, as a share. */
CLOTH_SEPARATE float prepare_pairs(stepped_cloths *s) {
  const self_group *g = s->set->pairs;
  const step_plan *plan = s->plan;
  if (!WITH_SELF || !g) { return 1.0f; }
  if (plan->index + 1 == plan->stride) {
    gather_candidates(g, plan->dt, 1);
    slow_down(g, plan, s->shortest);
    if (s->regroup) { s->regroup(s, 1); }
  }
  shorten_contours(g);
  return longest_part(g, plan->h, s->shortest);
}

/* Candidates of a part of a substep that begins, where those of the step are so fast, or so many, that each part looks
   for its own. */
static void prepare_part(stepped_cloths *s, float length) {
  const self_group *g = s->set->pairs;
  if (WITH_SELF && g &&
      (g->found->is_crowded || g->found->fastest * s->plan->dt > FAST_STEP * shortest_spacing_of(g))) {
    gather_candidates(g, length * s->plan->h, 0);
    if (s->regroup) { s->regroup(s, 0); }
  }
}

CLOTH_INLINE int has_elements(const solve_group *s) {
  return WITH_SELF && s->pairs && s->pairs->found->elements > 0;
}

/* Finds the elements of a part, at its places of linearisation, and whether they touch cloth that is not solved now. */
CLOTH_SEPARATE void find_pairs(const solve_group *s) {
  const self_group *g = s->pairs;
  look_at_arrays(g, s);
  g->found->elements = find_elements(g);
  int32_t how = g->found->elements > 0 ? PAIRS_TOUCH : PAIRS_NONE;
  EACH_ELEMENT(g, e, {
    const pair_key key = key_of_candidate(g->cells, candidate_of(e));
    const self_body *a = &g->bodies[feature_cloth(key.first)], *b = &g->bodies[feature_cloth(key.second)];
    how = a->terms && b->terms ? how : PAIRS_HOLD;
  });
  EACH_MEMBER(s, m, workspace_of(m->c)->has_pairs = how);
}

/* What pressed last, once forces are there, to which those of contours come. */
static void take_last_pairs(const solve_group *s) {
  look_at_arrays(s->pairs, s);
  add_contours(s->pairs);
  add_last_pairs(s->pairs);
}

static void note_solutions(const solve_group *s) {
  EACH_MEMBER(s, m, s->pairs->bodies[m->number].has_solution = m->has_solution);
}

static void charge_pairs(const solve_group *s, int32_t iterations) {
  const self_group *g = s->pairs;
  const uint64_t elements = (uint32_t)g->found->elements;
  add_varying_work(s->members->c, (uint32_t)g->found->candidates, COST_PAIR_SHAPE);
  add_varying_work(s->members->c, elements, COST_PAIR_LAW);
  add_varying_work(s->members->c, elements * (uint32_t)iterations, COST_PAIR_PRODUCT);
}
