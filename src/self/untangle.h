#pragma once
#include "../access.h"
#include "../compiler.h"
#include "../gaps.h"
#include "../lanes.h"
#include "../scalar.h"
#include "../triangle_place.h"
#include "../types.h"
#include "tree.h"

/// Untangling ///

#if WITH_SELF

/* Where an edge passes through a triangle: the test, and the step that shortens the contour along which two layers pass
   through each other (Volino and Magnenat-Thalmann 2006). In and out: positions. */

/* Edges that a cell owns, from its first particle: along the row, along the column, across the cell. */
enum { SELF_EDGE_ROW, SELF_EDGE_COLUMN, SELF_EDGE_ACROSS, SELF_EDGES };

/* A cloth in a group and a particle of it, in one number; the lowest bits say which edge or triangle of its cell. */
#define SELF_BODY_SHIFT 20

CLOTH_INLINE uint32_t self_number(int32_t body, int32_t value) {
  return (uint32_t)body << SELF_BODY_SHIFT | (uint32_t)value;
}

CLOTH_INLINE int32_t number_body(uint32_t number) {
  return (int32_t)(number >> SELF_BODY_SHIFT);
}

CLOTH_INLINE int32_t number_value(uint32_t number) {
  return (int32_t)(number & ((1u << SELF_BODY_SHIFT) - 1u));
}

/* 1 if an edge of a cell exists. */
static int has_edge(const self_body *b, int32_t row, int32_t column, int32_t edge) {
  if (edge == SELF_EDGE_ACROSS) { return has_cell(b, row, column); }
  if (is_gap(b->c, row * b->columns + column, edge == SELF_EDGE_ROW ? GAP_WARP : GAP_WEFT)) { return 0; }
  return edge == SELF_EDGE_COLUMN ? row + 1 < b->rows : b->is_wrapped || column + 1 < b->columns;
}

/* The corner of the cell that each of its edges leads to, and those after the first of each of its two triangles. */
CLOTH_CONSTANT static const int8_t edge_corner[SELF_EDGES] = {1, 3, 2};
CLOTH_CONSTANT static const int8_t later_corners[2][2] = {{1, 2}, {2, 3}};

/* Where edges pass through triangles, in lanes. */
typedef struct edge_passes {
  uint32_t through;           /* a bit for each lane; without one the rest is not set */
  lanes share, second, third; /* along the edge; of the corners after the first */
  lanes3 normal;              /* of the triangle, of any length */
} edge_passes;

/* Edges from `from` to `to` and triangles with corners at the origin, b and c. */
CLOTH_REPEATED edge_passes pass_through(lanes3 from, lanes3 to, lanes3 b, lanes3 c) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f), quantum = lanes_splat(WORK_QUANTUM * WORK_QUANTUM);
  edge_passes e;
  e.normal = lanes3_cross(b, c);
  const lanes before = lanes_flush_below(lanes3_dot(from, e.normal), WORK_QUANTUM * WORK_QUANTUM);
  const lanes after = lanes_flush_below(lanes3_dot(to, e.normal), WORK_QUANTUM * WORK_QUANTUM);
  e.through = lanes_bits(lanes_less(before, zero)) ^ lanes_bits(lanes_less(after, zero));
  if (!e.through) { return e; }
  const lanes fall = lanes_subtract(before, after);
  const lanes_mask is_steep = lanes_less(lanes_multiply(quantum, lanes_splat(0.5f)), lanes_absolute(fall));
  const lanes share = lanes_divide(lanes_keep(is_steep, before), lanes_select(is_steep, fall, one));
  e.share = lanes_flush_below(share, LEAST_WEIGHT);
  const lanes3 p = lanes3_quantise(lanes3_add_scaled(from, lanes3_subtract(to, from), e.share), STATE_ROUNDER);
  const lanes square = lanes3_dot(e.normal, e.normal), divisor = lanes_select(lanes_less(zero, square), square, one);
  const lanes second = lanes3_dot(lanes3_cross(p, c), e.normal), third = lanes3_dot(lanes3_cross(b, p), e.normal);
  e.through &= ~(lanes_bits(lanes_less(second, zero)) | lanes_bits(lanes_less(third, zero)) |
                 lanes_bits(lanes_less(square, lanes_add(second, third))));
  e.second = lanes_flush_below(lanes_divide(second, divisor), LEAST_WEIGHT);
  e.third = lanes_flush_below(lanes_divide(third, divisor), LEAST_WEIGHT);
  return e;
}

/* Two ends of an edge, then three corners of a triangle, and the weights of the five where they meet. */
typedef struct self_meeting {
  int32_t particle[5];
  float weight[5];
  cloth_vector normal; /* of the triangle, of any length */
} self_meeting;

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

/* A vector of unit length, of components that are 0 or no less than WORK_QUANTUM; 0 for one too short. */
static cloth_vector self_unit(cloth_vector a) {
  const float square = vector_dot(a, a);
  if (!(square > 1.0e-28f && is_finite(square))) { return vector(0.0f, 0.0f, 0.0f); }
  return vector_flush_work(vector_scale(a, 1.0f / square_root(square)));
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

#endif
