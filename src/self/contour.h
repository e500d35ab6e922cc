#pragma once
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/scalar.h"
#include "../cloth/access.h"
#include "../cloth/costs.h"
#include "../cloth/gaps.h"
#include "../cloth/members.h"
#include "../cloth/types.h"
#include "equation.h"
#include "pairs.h"
#include "tree.h"
#include "untangle.h"

/// Contours, along which cloth passes through cloth ///

#if WITH_SELF

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

/* 1 if the edge of cloth a passes through the triangle of cloth b; then also its weights: the edge against the
   triangle. */
static int find_meeting(const self_body *a, const self_body *b, self_meeting *m) {
  const cloth_vector corner = vector_load(b->start, m->particle[2]);
  lanes3 place[5];
  for (int32_t n = 0; n < 5; n++) {
    place[n] = lanes3_splat(exact_difference(vector_load((n < 2 ? a : b)->start, m->particle[n]), corner));
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

/* The particles of an edge and a triangle. */
static void find_meeting_particles(const self_body *a, const self_body *b, const self_intersection *x,
                                   self_meeting *m) {
  const int32_t edge = number_value(x->edge), triangle = number_value(x->triangle);
  const int32_t first = edge >> 2, cell = triangle >> 1;
  int32_t corner[4];
  find_corners(a, first / a->columns, first % a->columns, corner);
  m->particle[0] = corner[0];
  m->particle[1] = corner[edge_corner[edge & 3]];
  find_corners(b, cell / b->columns, cell % b->columns, corner);
  m->particle[2] = corner[0];
  m->particle[3] = corner[later_corners[triangle & 1][0]];
  m->particle[4] = corner[later_corners[triangle & 1][1]];
}

/* The third particles of the faces at an edge of a cell. Returns how many faces there are, one or two. */
static int32_t find_faces(const self_body *b, int32_t edge, int32_t third[2]) {
  const int32_t first = edge >> 2, row = first / b->columns, column = first - row * b->columns, kind = edge & 3;
  int32_t corner[4], count = 0;
  find_corners(b, row, column, corner);
  if (kind == SELF_EDGE_ACROSS) {
    third[0] = corner[1];
    third[1] = corner[3];
    return 2;
  }
  if (has_cell(b, row, column)) { third[count++] = corner[2]; }
  if (kind == SELF_EDGE_ROW && row > 0 && has_cell(b, row - 1, column)) {
    third[count++] = first - b->columns;
  } else if (kind == SELF_EDGE_COLUMN && (column > 0 || b->is_wrapped)) {
    const int32_t before = column > 0 ? first - 1 : first - 1 + b->columns;
    third[count] = before;
    count += !is_gap(b->c, before, GAP_CELL);
  }
  return count;
}

/* Least cosine between an edge and the triangle's normal that is divided by. */
#define SELF_LEAST_COSINE 0.01f

/* The direction that shortens the contour: the sum over the faces at the edge of R - 2 (E . R) / (E . N) N, with R
   along the contour in the face, E along the edge, N the normal of the triangle. */
static cloth_vector contour_gradient(const self_body *a, int32_t edge, const self_meeting *m) {
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
    const float slope = flush_small(vector_dot(along, contour), WORK_QUANTUM);
    gradient = vector_add(gradient, vector_add_scaled(contour, normal, -2.0f * slope / cosine));
  }
  return vector_flush_work(gradient);
}

/* The tension of a contour over the mass of a particle [m/s^2]. With a tenth of it sheets that cross stay crossed, with
   twice as much a sleeve that stays crossed trembles (tests/folds/several.h). */
#define CONTOUR_PULL 1200.0f

/* Adds the forces of an edge that passes through a triangle, if it still does. */
static void add_contour_force(const self_group *g, const self_intersection *x) {
  const self_body *const body[2] = {&g->bodies[number_body(x->edge)], &g->bodies[number_body(x->triangle)]};
  const substep_terms *t = terms_of_pair(body);
  self_meeting m;
  find_meeting_particles(body[0], body[1], x, &m);
  if (!t || !find_meeting(body[0], body[1], &m)) { return; }
  const cloth_vector gradient = contour_gradient(body[0], number_value(x->edge), &m);
  const float square = vector_dot(gradient, gradient);
  if (!is_finite(square)) { return; }
  const float tension = CONTOUR_PULL * t->share * t->h * t->h * mean_of_moving(body, body[0]->weight, body[1]->weight);
  for (int32_t n = 0; n < 5; n++) {
    const self_body *b = body[n >= 2];
    const int32_t place = m.particle[n] / b->columns * b->pitch + m.particle[n] % b->columns;
    if (moves_in_solve(b, place)) {
      const float share = tension * m.weight[n] / (b->weight * square_root(square + 1.0f));
      add_own(b->arrays.residual, place, vector_flush_work(vector_scale(gradient, share)));
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
static void shorten_contour(const self_body *a, const self_body *b, const self_intersection *x) {
  self_meeting m;
  find_meeting_particles(a, b, x, &m);
  if (!find_meeting(a, b, &m)) { return; }
  const cloth_vector gradient = contour_gradient(a, number_value(x->edge), &m);
  const float square = vector_dot(gradient, gradient);
  float sum = 0.0f;
  for (int32_t n = 0; n < 5; n++) {
    const self_body *body = n < 2 ? a : b;
    sum += m.weight[n] * m.weight[n] * mobility_of(body, m.particle[n]);
  }
  if (!(square > 1.0e-8f && is_finite(square) && sum > 1.0e-6f)) { return; }
  const float way = SELF_CONTOUR_STEP * minimum(a->spacing, b->spacing);
  const float length = way / (square_root(square + 1.0f) * sum);
  for (int32_t n = 0; n < 5; n++) {
    const self_body *body = n < 2 ? a : b;
    const int32_t i = m.particle[n];
    const float share = length * m.weight[n] * mobility_of(body, i);
    vector_store(body->start, i, vector_add_scaled(vector_load(body->start, i), gradient, share));
  }
}

/* Moves edges that have just passed through triangles back, before pairs have let them go. */
CLOTH_SEPARATE void shorten_contours(const self_group *g) {
  if (g->found->statistics.tangled > 0) { return; }
  for (int32_t n = 0; n < g->found->intersections && WITH_SELF_TRIANGLES; n++) {
    const self_intersection *x = &g->intersections[n];
    shorten_contour(&g->bodies[number_body(x->edge)], &g->bodies[number_body(x->triangle)], x);
  }
  add_varying_work(g->bodies[0].c, (uint32_t)g->found->intersections, COST_SELF_CONTOUR);
}

#endif
