#pragma once
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/scalar.h"
#include "geometry.h"

/// Height fields ///

/* The ground under a grid of heights: its triangles, and how deep a point is below it, in local axes. */

#if WITH_HEIGHT_FIELD

/* The corner of a cell. */
static cloth_vector field_point(const cloth_geometry *g, int32_t column, int32_t row) {
  const float *heights = (const float *)geometry_data(g, g->data);
  return vector((float)column * g->spacing[0], heights[row * g->counts[0] + column], (float)row * g->spacing[1]);
}

/* The cell of a coordinate over the spacing, between 0 and `cells` - 1. */
static int32_t clamped_cell(float position, int32_t cells) {
  if (!(position > 0.0f)) { return 0; }
  return position < (float)cells ? (int32_t)position : cells - 1;
}

/* The height of the highest corner of a cell [m]. */
static float highest_corner(const cloth_geometry *g, int32_t column, int32_t row) {
  const float *h = (const float *)geometry_data(g, g->data) + row * g->counts[0] + column;
  return maximum(maximum(h[0], h[1]), maximum(h[g->counts[0]], h[g->counts[0] + 1]));
}

/* Cells of a field: a window of it, row by row. */
typedef struct field_window {
  int32_t left, first, columns, rows;
} field_window;

/* The height of the highest corner in a window [m]. */
static float highest_in_window(const cloth_geometry *g, const field_window *w) {
  const float *h = (const float *)geometry_data(g, g->data) + w->first * g->counts[0] + w->left;
  float highest = h[0];
  for (int32_t row = 0; row <= w->rows; row++) {
    for (int32_t column = 0; column <= w->columns; column++) {
      highest = maximum(h[row * g->counts[0] + column], highest);
    }
  }
  return highest;
}

/* Cells of lanes. */
typedef struct field_cells {
  float column[CLOTH_LANES], row[CLOTH_LANES];
  float height[4][CLOTH_LANES]; /* of the corners, x first */
} field_cells;

/* The triangles of a cell: that beyond the diagonal is the second. */
CLOTH_CONSTANT static const float which_of_cell[] = {0.0f, 1.0f, 0.0f, 1.0f, 0.0f, 1.0f, 0.0f, 1.0f};

/* Picks the cells of the triangles of a window from number `first` on: two of each; beyond them the last one. */
CLOTH_INLINE void pick_cells(const cloth_geometry *g, const field_window *w, int32_t first, field_cells *cells) {
  const int32_t each = CLOTH_LANES > 1 ? 2 : 1, stride = g->counts[0];
  int32_t row = first / 2 / w->columns, column = first / 2 - row * w->columns;
  const float *h = (const float *)geometry_data(g, g->data) + (w->first + row) * stride + w->left + column;
  for (int32_t lane = 0; lane < CLOTH_LANES; lane += each) {
    for (int32_t n = lane; n < lane + each; n++) {
      cells->column[n] = (float)(w->left + column);
      cells->row[n] = (float)(w->first + row);
      cells->height[0][n] = h[0];
      cells->height[1][n] = h[1];
      cells->height[2][n] = h[stride];
      cells->height[3][n] = h[stride + 1];
    }
    if (column + 1 < w->columns) {
      column++;
      h++;
    } else if (row + 1 < w->rows) {
      row++;
      h += stride - column;
      column = 0;
    }
  }
}

/* The corners of such triangles, in the order in which normals point up. */
CLOTH_INLINE void field_corners(const cloth_geometry *g, const field_window *w, int32_t first, lanes3 corner[3]) {
  const lanes one = lanes_splat(1.0f), dx = lanes_splat(g->spacing[0]), dz = lanes_splat(g->spacing[1]);
  field_cells cells;
  pick_cells(g, w, first, &cells);
  const lanes column = lanes_load(cells.column), row = lanes_load(cells.row);
  const lanes x[2] = {lanes_multiply(column, dx), lanes_multiply(lanes_add(column, one), dx)};
  const lanes z[2] = {lanes_multiply(row, dz), lanes_multiply(lanes_add(row, one), dz)};
  const lanes3 right = lanes3_of(x[1], lanes_load(cells.height[1]), z[0]);
  const lanes3 below = lanes3_of(x[0], lanes_load(cells.height[2]), z[1]);
  const lanes_mask is_upper = lanes_less(lanes_splat(0.5f), lanes_load(which_of_cell + (first & 1)));
  corner[0] = lanes3_select(is_upper, lanes3_of(x[1], lanes_load(cells.height[3]), z[1]),
                            lanes3_of(x[0], lanes_load(cells.height[0]), z[0]));
  corner[1] = lanes3_select(is_upper, right, below);
  corner[2] = lanes3_select(is_upper, below, right);
}

/* No less than the distance of a point from the ground along the y axis [m]; much, beside the field. */
static float distance_along_y(const cloth_geometry *g, cloth_vector p) {
  const float x = p.x * (1.0f / g->spacing[0]), z = p.z * (1.0f / g->spacing[1]);
  if (!(x > 0.0f) || !(z > 0.0f) || x > (float)(g->counts[0] - 1) || z > (float)(g->counts[1] - 1)) {
    return CLOTH_ANY_DISTANCE;
  }
  const field_window cell = {clamped_cell(x, g->counts[0] - 1), clamped_cell(z, g->counts[1] - 1), 1, 1};
  const float *h = (const float *)geometry_data(g, g->data) + cell.first * g->counts[0] + cell.left;
  const float *next = h + g->counts[0];
  const float lowest = minimum(minimum(h[0], h[1]), minimum(next[0], next[1]));
  return maximum(p.y - lowest, highest_in_window(g, &cell) - p.y);
}

/* A triangle of a cell as a plane y = corner.y + slope_x x + slope_z z, from its right angle on in directions
   `sign`. */
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
  if (x < 0.0f || z < 0.0f || x > (float)(g->counts[0] - 1) || z > (float)(g->counts[1] - 1)) { return 0.0f; }
  const int32_t column = clamped_cell(x, g->counts[0] - 1), row = clamped_cell(z, g->counts[1] - 1);
  if (highest_corner(g, column, row) < p.y) { return 0.0f; }
  field_plane plane;
  make_plane(g, column, row, x - (float)column + (z - (float)row) > 1.0f, &plane);
  *normal = plane.normal;
  return maximum(negate(vector_dot(plane.normal, vector_subtract(p, plane.corner))), 0.0f);
}

#endif
