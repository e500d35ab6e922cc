#pragma once
#include "compiler.h"
#include "costs.h"
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

/* A lower bound of how far a point of the plane, relative to its corner, is outside of the triangle [m]; 0 inside. */
static float outside_triangle(const cloth_geometry *g, const field_plane *plane, cloth_vector p) {
  const float x = plane->sign * p.x, z = plane->sign * p.z;
  const float beyond = x * (1.0f / g->spacing[0]) + z * (1.0f / g->spacing[1]) - 1.0f;
  const float across = 0.7071f * minimum(g->spacing[0], g->spacing[1]);
  return flush_small(maximum(maximum(negate(x), negate(z)), maximum(beyond * across, 0.0f)), STATE_QUANTUM);
}

/* Takes one triangle of a cell into account. Only where its edges count all of it is made. */
static void meet_field(const cloth_geometry *g, int32_t column, int32_t row, int upper, surface_search *s) {
  field_plane plane;
  make_plane(g, column, row, upper, &plane);
  const cloth_vector p = vector_subtract(s->to, plane.corner), start = vector_subtract(s->from, plane.corner);
  const float after = flush_small(vector_dot(plane.normal, p), STATE_QUANTUM);
  const float before = flush_small(vector_dot(plane.normal, start), STATE_QUANTUM);
  if (before < negate(s->margin) || after >= s->margin) {
    return;
  }
  if (before >= 0.0f && after < 0.0f) {
    const float share = flush_small(before / (before - after), WORK_QUANTUM);
    const cloth_vector way = vector_flush(vector_subtract(s->to, s->from), STATE_QUANTUM);
    if (outside_triangle(g, &plane, vector_add_scaled(start, way, share)) <= EDGE_TOLERANCE) {
      pass_surface(s, share, plane.normal, negate(after));
      return;
    }
  }
  if (s->share != SEARCH_NONE || after <= negate(s->margin)) {
    return;
  }
  const float outside = outside_triangle(g, &plane, vector_add_scaled(p, plane.normal, negate(after)));
  if (outside == 0.0f) {
    approach_surface(s, after, plane.normal);
  } else if (after >= 0.0f && outside * outside + after * after < s->margin * s->margin) {
    surface_triangle t;
    field_triangle(g, column, row, upper, &t);
    measure_end(s, &t, vector_subtract(s->to, t.corner), after, 1.0f);
  }
}

/* Is the ground of a cell farther from a path than the margin? A lower bound of the distance is: that of the box around
   the path from the box under the highest corner of the cell. */
static int is_cell_far(const cloth_geometry *g, int32_t column, int32_t row, const surface_search *s) {
  const float x = (float)column * g->spacing[0], z = (float)row * g->spacing[1];
  const float left = x - maximum(s->from.x, s->to.x), right = minimum(s->from.x, s->to.x) - (x + g->spacing[0]);
  const float front = z - maximum(s->from.z, s->to.z), back = minimum(s->from.z, s->to.z) - (z + g->spacing[1]);
  const float above = minimum(s->from.y, s->to.y) - highest_corner(g, column, row);
  const float dx = flush_small(maximum(maximum(left, right), 0.0f), STATE_QUANTUM);
  const float dy = flush_small(maximum(above, 0.0f), STATE_QUANTUM);
  const float dz = flush_small(maximum(maximum(front, back), 0.0f), STATE_QUANTUM);
  return dx * dx + dy * dy + dz * dz >= s->margin * s->margin && dx + dy + dz > 0.0f;
}

/* Takes into account the triangles of the cells around a piece of a path. */
static void search_field_cells(const cloth_geometry *g, surface_search *s) {
  const float margin = s->margin, across[2] = {1.0f / g->spacing[0], 1.0f / g->spacing[1]};
  const int32_t columns = g->counts[0] - 1, rows = g->counts[1] - 1;
  const int32_t left = clamped_cell((minimum(s->from.x, s->to.x) - margin) * across[0], columns);
  const int32_t right = clamped_cell((maximum(s->from.x, s->to.x) + margin) * across[0], columns);
  const int32_t first = clamped_cell((minimum(s->from.z, s->to.z) - margin) * across[1], rows);
  const int32_t last = clamped_cell((maximum(s->from.z, s->to.z) + margin) * across[1], rows);
  for (int32_t row = first; row <= last; row++) {
    for (int32_t column = left; column <= right; column++) {
      if (s->looked_at >= FIELD_UNITS) {
        s->overflows++;
        return;
      }
      s->looked_at++;
      s->tested++;
      if (!is_cell_far(g, column, row, s)) {
        s->looked_at += FIELD_NEAR_UNITS;
        s->met++;
        meet_field(g, column, row, 0, s);
        meet_field(g, column, row, 1, s);
      }
    }
  }
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

/* How many pieces a path is cut into. */
static int32_t pieces_of_path(const cloth_geometry *g, surface_search *s) {
  const float x = absolute(s->to.x - s->from.x) * (1.0f / g->spacing[0]);
  const float z = absolute(s->to.z - s->from.z) * (1.0f / g->spacing[1]);
  const float cells = maximum(x, z);
  s->overflows += cells > (float)FIELD_PIECES;
  return cells < (float)FIELD_PIECES ? (int32_t)cells + 1 : FIELD_PIECES;
}

/* Searches along the pieces of a path, one after the other: *s holds the piece in work. */
static void search_field(const cloth_geometry *g, surface_search *s) {
  const cloth_vector from = s->from, to = s->to;
  const cloth_vector way = vector_flush(vector_subtract(to, from), STATE_QUANTUM);
  const int32_t pieces = pieces_of_path(g, s), overflows = s->overflows;
  int32_t searched = 0;
  s->to = from;
  while (searched < pieces && s->share == SEARCH_NONE && s->overflows == overflows) {
    searched++;
    const cloth_vector end = vector_add_scaled(from, way, (float)searched / (float)pieces);
    s->from = s->to;
    s->to = searched == pieces ? to : vector_flush(end, STATE_QUANTUM);
    reset_search(s);
    search_field_cells(g, s);
  }
  s->work += (uint32_t)searched * COST_FIELD_PIECE + (uint32_t)s->tested * COST_FIELD_TEST;
  s->work += (uint32_t)s->met * COST_FIELD_CELL;
  if (s->touches) {
    const cloth_vector rest = vector_flush(vector_subtract(to, s->to), STATE_QUANTUM);
    s->penetration = maximum(s->penetration - vector_dot(rest, s->normal), 0.0f);
  }
  s->from = from;
  s->to = to;
  if (s->share == SEARCH_NONE) {
    search_below(g, s);
  }
}

#endif
