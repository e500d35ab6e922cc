#pragma once
#include "compiler.h"
#include "geometry.h"
#include "scalar.h"
#include "triangle.h"

/// Height fields ///

/*
 * Contact of a path with the ground under a grid of heights. The path is cut into pieces no longer than a cell, and the
 * triangles of the cells around each piece are looked at, as those of a one-sided mesh. A particle that ends below the
 * ground comes up, however deep it is.
 * In: a geometry of shape CLOTH_SHAPE_HEIGHT_FIELD, paths in its local axes. Out: contacts. Scratch: none.
 */

#if WITH_HEIGHT_FIELD

/* The corner of a cell. */
static cloth_vector field_point(const cloth_geometry *g, int32_t column, int32_t row) {
  const float *heights = (const float *)geometry_data(g, g->data);
  return vector((float)column * g->spacing[0], heights[row * g->counts[0] + column], (float)row * g->spacing[1]);
}

/* One of the two triangles of a cell: `upper` is that beyond the diagonal. Normals point up. */
static void field_triangle(const cloth_geometry *g, int32_t column, int32_t row, int upper, surface_triangle *t) {
  const cloth_vector right = field_point(g, column + 1, row), down = field_point(g, column, row + 1);
  if (upper) {
    make_triangle(t, field_point(g, column + 1, row + 1), right, down);
  } else {
    make_triangle(t, field_point(g, column, row), down, right);
  }
}

/* The cell of a coordinate over the spacing, between 0 and `cells` - 1. */
static int32_t clamped_cell(float position, int32_t cells) {
  if (!(position > 0.0f)) {
    return 0;
  }
  return position < (float)cells ? (int32_t)position : cells - 1;
}

/* The height of the highest corner of a cell [m]. */
static float highest_corner(const cloth_geometry *g, int32_t column, int32_t row) {
  const float *h = (const float *)geometry_data(g, g->data) + row * g->counts[0] + column;
  return maximum(maximum(h[0], h[1]), maximum(h[g->counts[0]], h[g->counts[0] + 1]));
}

/* A triangle of a cell as a plane: y = corner.y + slope_x x + slope_z z, from its corner of a right angle on, which the
   others are beyond in the directions `sign` of x and z. */
typedef struct field_plane {
  cloth_vector corner, normal; /* the normal is of unit length and points up */
  float slope_x, slope_z;      /* [1] */
  float sign;
} field_plane;

static void make_plane(const cloth_geometry *g, int32_t column, int32_t row, int upper, field_plane *plane) {
  const int32_t step = upper ? -1 : 1;
  column += upper;
  row += upper;
  plane->sign = (float)step;
  plane->corner = field_point(g, column, row);
  const float *h = (const float *)geometry_data(g, g->data) + row * g->counts[0] + column;
  plane->slope_x = flush_small(plane->sign * (h[step] - h[0]) * (1.0f / g->spacing[0]), WORK_QUANTUM);
  plane->slope_z = flush_small(plane->sign * (h[step * g->counts[0]] - h[0]) * (1.0f / g->spacing[1]), WORK_QUANTUM);
  const float scale = 1.0f / square_root(1.0f + plane->slope_x * plane->slope_x + plane->slope_z * plane->slope_z);
  plane->normal = vector_flush_work(vector(negate(plane->slope_x * scale), scale, negate(plane->slope_z * scale)));
}

/* Brings a path that ends below the ground, and went through no triangle, up to the ground. */
static void search_below(const cloth_geometry *g, surface_search *s) {
  const float x = s->to.x * (1.0f / g->spacing[0]), z = s->to.z * (1.0f / g->spacing[1]);
  if (x < 0.0f || z < 0.0f || x > (float)(g->counts[0] - 1) || z > (float)(g->counts[1] - 1)) {
    return;
  }
  const int32_t column = clamped_cell(x, g->counts[0] - 1), row = clamped_cell(z, g->counts[1] - 1);
  if (highest_corner(g, column, row) < s->to.y) {
    return;
  }
  field_plane plane;
  make_plane(g, column, row, x - (float)column + (z - (float)row) > 1.0f, &plane);
  const float height = vector_dot(plane.normal, vector_subtract(s->to, plane.corner));
  if (height < 0.0f && s->margin - height > s->penetration) {
    s->normal = plane.normal;
    s->penetration = s->margin - height;
    s->touches = 1;
  }
}

#endif
