#pragma once
#include "access.h"
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
static void field_triangle(const cloth_geometry *g, int32_t column, int32_t row, int upper, triangle *t) {
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

/* Is the ground of a cell lower than `height` everywhere? */
static int is_cell_below(const cloth_geometry *g, int32_t column, int32_t row, float height) {
  const float *h = (const float *)geometry_data(g, g->data) + row * g->counts[0] + column;
  return maximum(maximum(h[0], h[1]), maximum(h[g->counts[0]], h[g->counts[0] + 1])) < height;
}

/* Takes into account the triangles of the cells around a piece of a path. */
static void search_cells(const cloth_geometry *g, surface_search *s) {
  const float margin = s->margin, across[2] = {1.0f / g->spacing[0], 1.0f / g->spacing[1]};
  const float lowest = minimum(s->from.y, s->to.y) - margin;
  const int32_t columns = g->counts[0] - 1, rows = g->counts[1] - 1;
  const int32_t left = clamped_cell((minimum(s->from.x, s->to.x) - margin) * across[0], columns);
  const int32_t right = clamped_cell((maximum(s->from.x, s->to.x) + margin) * across[0], columns);
  const int32_t first = clamped_cell((minimum(s->from.z, s->to.z) - margin) * across[1], rows);
  const int32_t last = clamped_cell((maximum(s->from.z, s->to.z) + margin) * across[1], rows);
  for (int32_t row = first; row <= last; row++) {
    for (int32_t column = left; column <= right; column++) {
      if (++s->looked_at > FIELD_CELLS) {
        s->overflows++;
        return;
      }
      if (is_cell_below(g, column, row, lowest)) {
        continue;
      }
      for (int upper = 0; upper < 2; upper++) {
        triangle t;
        field_triangle(g, column, row, upper, &t);
        meet_triangle(s, &t);
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
  if (is_cell_below(g, column, row, s->to.y)) {
    return;
  }
  triangle t;
  field_triangle(g, column, row, x - (float)column + (z - (float)row) > 1.0f, &t);
  const cloth_vector p = vector_flush(vector_subtract(s->to, t.corner), STATE_QUANTUM);
  const float height = vector_dot(t.normal, p);
  if (height < 0.0f && s->margin - height > s->penetration) {
    s->normal = t.normal;
    s->penetration = s->margin - height;
    s->touching++;
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

static void search_field(const cloth *c, const cloth_geometry *g, surface_search *s) {
  const cloth_vector way = vector_flush(vector_subtract(s->to, s->from), STATE_QUANTUM);
  const int32_t pieces = pieces_of_path(g, s);
  surface_search part = *s;
  part.to = s->from;
  for (int32_t piece = 1; piece <= pieces && part.share == SEARCH_NONE && !part.overflows; piece++) {
    const cloth_vector end = vector_add_scaled(s->from, way, (float)piece / (float)pieces);
    const int32_t looked_at = part.looked_at;
    part = start_search(part.to, piece == pieces ? s->to : vector_flush(end, STATE_QUANTUM), s->margin, 1);
    part.looked_at = looked_at;
    search_cells(g, &part);
  }
  s->overflows += part.overflows;
  add_work(c, (uint32_t)pieces, COST_FIELD_PIECE);
  add_work(c, (uint32_t)part.looked_at, COST_FIELD_CELL);
  if (part.touching) {
    const cloth_vector rest = vector_flush(vector_subtract(s->to, part.to), STATE_QUANTUM);
    s->share = part.share;
    s->normal = part.normal;
    s->touching = part.touching;
    s->penetration = maximum(part.penetration - vector_dot(rest, part.normal), 0.0f);
  }
  if (s->share == SEARCH_NONE) {
    search_below(g, s);
  }
}

#endif
