#pragma once
#include "compiler.h"
#include "geometry.h"
#include "scalar.h"

/// Height fields ///

/*
 * The ground under a grid of heights: its triangles, and how deep a point is below it.
 * In: a geometry of shape CLOTH_SHAPE_HEIGHT_FIELD, points in its local axes. Out: triangles, depths. Scratch: none.
 */

#if WITH_HEIGHT_FIELD

/* The corner of a cell. */
static cloth_vector field_point(const cloth_geometry *g, int32_t column, int32_t row) {
  const float *heights = (const float *)geometry_data(g, g->data);
  return vector((float)column * g->spacing[0], heights[row * g->counts[0] + column], (float)row * g->spacing[1]);
}

/* The corners of one of the two triangles of a cell: `upper` is that beyond the diagonal. Normals point up. */
static void field_corners(const cloth_geometry *g, int32_t column, int32_t row, int upper, cloth_vector corner[3]) {
  corner[0] = field_point(g, column + upper, row + upper);
  corner[1 + upper] = field_point(g, column, row + 1);
  corner[2 - upper] = field_point(g, column + 1, row);
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

/* How deep a point is below the ground [m], or 0, and the normal of the ground there. */
static float depth_below_ground(const cloth_geometry *g, cloth_vector p, cloth_vector *normal) {
  const float x = p.x * (1.0f / g->spacing[0]), z = p.z * (1.0f / g->spacing[1]);
  if (x < 0.0f || z < 0.0f || x > (float)(g->counts[0] - 1) || z > (float)(g->counts[1] - 1)) {
    return 0.0f;
  }
  const int32_t column = clamped_cell(x, g->counts[0] - 1), row = clamped_cell(z, g->counts[1] - 1);
  if (highest_corner(g, column, row) < p.y) {
    return 0.0f;
  }
  field_plane plane;
  make_plane(g, column, row, x - (float)column + (z - (float)row) > 1.0f, &plane);
  *normal = plane.normal;
  return maximum(negate(vector_dot(plane.normal, vector_subtract(p, plane.corner))), 0.0f);
}

#endif
