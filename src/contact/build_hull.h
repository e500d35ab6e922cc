#pragma once
#include "../base/compiler.h"
#include "../base/scalar.h"
#include "../cloth/settings.h"
#include "shape_hull.h"

/// Building convex hulls ///

/* Finds the edges of the solid between planes: what is left of the line in which two planes meet once all others have
   cut it. Planes without an edge bound nothing and are left out. Every edge has two ends. */

#if WITH_HULL

/* Shortest edge [m]: shorter ones are corners up to rounding. */
#define HULL_MIN_EDGE 1.0e-5f
/* Squared sine between two planes below which they count as parallel. */
#define HULL_PARALLEL 1.0e-6f
/* Beyond every point of a line that has an end: planes are within 1e4 m [m]. */
#define HULL_ENDLESS 1.0e7f
/* Tolerance of points on planes, as a share of the largest coordinate. */
#define HULL_TOLERANCE 4.0e-6f

/* A part of a line. */
typedef struct line_part {
  cloth_vector through, direction; /* a point of it [m], and a unit vector */
  float low, high;                 /* ends [m] */
} line_part;

/* The line in which two planes meet. Returns 0 if they are parallel. */
static int meet_planes(const hull_plane *a, const hull_plane *b, line_part *line) {
  const cloth_vector along = vector_flush_work(vector_cross(a->normal, b->normal));
  const float squared = vector_dot(along, along);
  if (squared < HULL_PARALLEL) { return 0; }
  const cloth_vector first = vector_flush_work(vector_cross(b->normal, along));
  const cloth_vector second = vector_flush_work(vector_cross(along, a->normal));
  const cloth_vector sum = vector_add_scaled(vector_scale(first, a->offset), second, b->offset);
  line->through = vector_flush(vector_scale(vector_flush(sum, STATE_QUANTUM), 1.0f / squared), STATE_QUANTUM);
  line->direction = vector_flush_work(vector_scale(along, 1.0f / square_root(squared)));
  line->low = -HULL_ENDLESS;
  line->high = HULL_ENDLESS;
  return 1;
}

/* Takes away what is in front of a plane. */
static void cut_line(line_part *line, const hull_plane *plane, float tolerance) {
  const float slope = flush_small(vector_dot(line->direction, plane->normal), 1.0e-5f);
  const float height = vector_dot(line->through, plane->normal) - plane->offset;
  if (slope == 0.0f) {
    line->high = height > tolerance ? line->low : line->high;
    return;
  }
  const float end = negate(height) / slope;
  line->high = slope > 0.0f ? minimum(line->high, end) : line->high;
  line->low = slope < 0.0f ? maximum(line->low, end) : line->low;
}

/* Cuts the line of the planes a and b by all others. */
static void cut_by_others(line_part *line, const hull_plane *planes, int32_t count, int32_t a, int32_t b,
                          float tolerance) {
  for (int32_t n = 0; n < count; n++) {
    if (n != a && n != b) { cut_line(line, &planes[n], tolerance); }
  }
}

/* Copies the planes, but for those that lie behind a parallel one or on it. Returns how many. */
static int32_t copy_planes(const cloth_hull_data *data, hull_plane *planes) {
  int32_t count = 0;
  for (int32_t n = 0; n < data->planes; n++) {
    const cloth_vector given = vector_flush_work(data->normals[n]);
    const float length = vector_length(given);
    const hull_plane plane = {vector_flush_work(vector_scale(given, 1.0f / length)),
                              flush_small(data->offsets[n], STATE_QUANTUM)};
    int32_t same = 0;
    while (same < count && vector_dot(planes[same].normal, plane.normal) < 1.0f - 0.5f * HULL_PARALLEL) {
      same++;
    }
    if (same < count) {
      planes[same] = plane.offset < planes[same].offset ? plane : planes[same];
    } else {
      planes[count++] = plane;
    }
  }
  return count;
}

static void hold_corner(cloth_geometry *g, cloth_vector p) {
  g->low = vector(minimum(p.x, g->low.x), minimum(p.y, g->low.y), minimum(p.z, g->low.z));
  g->high = vector(maximum(p.x, g->high.x), maximum(p.y, g->high.y), maximum(p.z, g->high.z));
}

/* Adds the edge between two planes, if there is one, to the geometry and to `edges` or NULL. Returns a fault, or 0. */
static int add_edge(cloth_geometry *g, hull_edge *edges, const line_part *line, int *has_edge) {
  if (line->high - line->low < HULL_MIN_EDGE) { return 0; }
  if (line->low <= -HULL_ENDLESS || line->high >= HULL_ENDLESS || g->counts[1] == g->counts[2]) {
    return GEOMETRY_FAULT(HULL_OPEN);
  }
  const cloth_vector from = vector_flush(vector_add_scaled(line->through, line->direction, line->low), STATE_QUANTUM);
  const cloth_vector to = vector_flush(vector_add_scaled(line->through, line->direction, line->high), STATE_QUANTUM);
  const cloth_vector along = vector_flush(vector_subtract(to, from), STATE_QUANTUM);
  const hull_edge edge = {from, along, 1.0f / maximum(vector_dot(along, along), 1.0e-12f)};
  if (edges) { edges[g->counts[1]] = edge; }
  g->counts[1]++;
  hold_corner(g, from);
  hold_corner(g, to);
  *has_edge = 1;
  return 0;
}

/* Removes planes without an edge. Returns how many are left. */
static int32_t drop_unused(hull_plane *planes, const uint8_t *used, int32_t count) {
  int32_t kept = 0;
  for (int32_t n = 0; n < count; n++) {
    if (used[n]) { planes[kept++] = planes[n]; }
  }
  return kept;
}

/* Finds planes and edges of data without a fault in its numbers; `edges` may be NULL. Returns a fault, or 0. */
CLOTH_SEPARATE int find_hull(const cloth_hull_data *data, cloth_geometry *g, hull_plane *planes, hull_edge *edges) {
  uint8_t used[CLOTH_HULL_PLANE_LIMIT];
  fill_zero(used, sizeof used);
  const int32_t count = copy_planes(data, planes);
  g->counts[2] = 3 * data->planes; /* room for edges */
  float largest = 0.0f;
  for (int32_t n = 0; n < count; n++) {
    largest = maximum(absolute(planes[n].offset), largest);
  }
  g->low = vector(HULL_ENDLESS, HULL_ENDLESS, HULL_ENDLESS);
  g->high = vector(-HULL_ENDLESS, -HULL_ENDLESS, -HULL_ENDLESS);
  for (int32_t a = 0; a < count; a++) {
    for (int32_t b = a + 1; b < count; b++) {
      line_part line;
      if (meet_planes(&planes[a], &planes[b], &line)) {
        int has_edge = 0;
        cut_by_others(&line, planes, count, a, b, HULL_TOLERANCE * largest);
        int error = add_edge(g, edges, &line, &has_edge);
        if (error) { return error; }
        used[a] = used[a] || has_edge;
        used[b] = used[b] || has_edge;
      }
    }
  }
  g->counts[0] = drop_unused(planes, used, count);
  if (g->counts[0] < 4 || g->counts[1] < 6) { return GEOMETRY_FAULT(HULL_EMPTY); }
  const float reach = maximum(vector_length(g->low), vector_length(g->high));
  g->tolerance = maximum(HULL_TOLERANCE * reach, 2.0f * STATE_QUANTUM);
  g->elements = g->counts[0] + g->counts[1];
  return 0;
}

/* Builds a hull from data without a fault in its numbers. Returns a fault, or 0. */
static int build_hull(const cloth_hull_data *data, cloth_geometry *g) {
  return find_hull(data, g, (hull_plane *)(void *)((char *)(void *)g + g->data),
                   (hull_edge *)(void *)((char *)(void *)g + g->edges));
}

#if WITH_NAMES

/* The fault of planes that enclose nothing, or not all sides; 0 without. */
static int find_hull_fault(const cloth_hull_data *data) {
  cloth_geometry g;
  hull_plane planes[CLOTH_HULL_PLANE_LIMIT];
  fill_zero(&g, sizeof g);
  return find_hull(data, &g, planes, NULL);
}

#endif

#endif
