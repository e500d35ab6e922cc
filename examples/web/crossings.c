/*
 * Where the sheet passes through itself: edges that pass through triangles.
 *
 * SPDX-License-Identifier: MIT
 */
#include "motion.h"
#include "stage.h"

/* An edge, whose last two particles are one, or a triangle, and the box around it. */
typedef struct part {
  int32_t particle[3];
  cloth_vector at[3]; /* [m] */
  cloth_vector low, high;
} part;

static cloth_vector lesser(cloth_vector a, cloth_vector b) {
  return vector(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}

static cloth_vector greater(cloth_vector a, cloth_vector b) {
  return vector(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}

static cloth_vector cross(cloth_vector a, cloth_vector b) {
  return vector(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static part make_part(const cloth_vector_view *x, int32_t a, int32_t b, int32_t c) {
  part p = {.particle = {a, b, c}};
  for (int k = 0; k < 3; k++)
    p.at[k] = vector(x->x[p.particle[k]], x->y[p.particle[k]], x->z[p.particle[k]]);
  p.low = lesser(p.at[0], lesser(p.at[1], p.at[2]));
  p.high = greater(p.at[0], greater(p.at[1], p.at[2]));
  return p;
}

static int boxes_meet(const part *a, const part *b) {
  return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
         a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static int share_particle(const part *edge, const part *triangle) {
  int shared = 0;
  for (int k = 0; k < 3; k++)
    shared |= triangle->particle[k] == edge->particle[0] || triangle->particle[k] == edge->particle[1];
  return shared;
}

/* The ends lie on either side of the triangle's plane, and the line through them has its three edges on one side. */
static int passes_through(const part *edge, const part *triangle) {
  const cloth_vector way = minus(edge->at[1], edge->at[0]);
  cloth_vector corner[3];
  for (int k = 0; k < 3; k++)
    corner[k] = minus(triangle->at[k], edge->at[0]);
  const cloth_vector normal = cross(minus(corner[1], corner[0]), minus(corner[2], corner[0]));
  const float start = -dot(normal, corner[0]), end = start + dot(normal, way);
  int left = 0, right = 0;
  for (int k = 0; k < 3; k++) {
    const float side = dot(way, cross(corner[k], corner[(k + 1) % 3]));
    left += side > 0;
    right += side < 0;
  }
  return (start > 0) != (end > 0) && (left == 3 || right == 3);
}

static int32_t count_of_edge(const stage *s, const cloth_vector_view *x, int32_t a, int32_t b) {
  const part edge = make_part(x, a, b, b);
  int32_t count = 0;
  for (int32_t row = 0; row + 1 < s->rows; row++) {
    for (int32_t column = 0; column + 1 < s->columns; column++) {
      const int32_t first = row * s->columns + column, last = first + s->columns + 1;
      const part triangles[2] = {make_part(x, first, first + 1, last), make_part(x, first, last, last - 1)};
      for (int k = 0; k < 2; k++) {
        const int is_near = boxes_meet(&edge, &triangles[k]) && !share_particle(&edge, &triangles[k]);
        count += is_near && passes_through(&edge, &triangles[k]);
      }
    }
  }
  return count;
}

int32_t stage_count_crossings(const stage *s) {
  cloth_vector_view x;
  int32_t count = 0;
  if (cloth_get_positions(s->sheet, &x) < 0) return 0;
  for (int32_t row = 0; row < s->rows; row++) {
    for (int32_t column = 0; column < s->columns; column++) {
      const int32_t i = row * s->columns + column;
      const int has_right = column + 1 < s->columns, has_below = row + 1 < s->rows;
      count += has_right ? count_of_edge(s, &x, i, i + 1) : 0;
      count += has_below ? count_of_edge(s, &x, i, i + s->columns) : 0;
      count += has_right && has_below ? count_of_edge(s, &x, i, i + s->columns + 1) : 0;
    }
  }
  return count;
}
