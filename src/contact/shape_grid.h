#pragma once
#include "../base/compiler.h"
#include "../base/scalar.h"
#include "geometry.h"

/// Grids of signed distances ///

/* Contact of a path with a solid whose signed distances lie on a grid, trilinear between samples; the unit gradient is
   the normal. A path goes on by the distance until it is close to the surface or at its end. */

#if WITH_DISTANCE_GRID

/* Least length of a gradient that has a direction [1]. */
#define GRID_MIN_GRADIENT 1.0e-3f

/* The samples at the corners of a cell, x first, and the place in the cell, 0..1. */
typedef struct grid_cell {
  float d[8];
  cloth_vector place;
} grid_cell;

/* Splits a coordinate over the spacing into a cell and the place in it. */
static int32_t split_coordinate(float position, int32_t samples, float *place) {
  position = maximum(position, 0.0f);
  const int32_t cell = position < (float)(samples - 1) ? (int32_t)position : samples - 2;
  *place = flush_small(minimum(position - (float)cell, 1.0f), WORK_QUANTUM);
  return cell;
}

/* The cell of a point relative to the low corner, or the nearest one. */
static void find_grid_cell(const cloth_geometry *g, cloth_vector p, grid_cell *cell) {
  const float scale = 1.0f / g->spacing[0];
  const float *samples = (const float *)geometry_data(g, g->data);
  const int32_t next[2] = {g->counts[0], g->counts[0] * g->counts[1]};
  int32_t first = split_coordinate(p.x * scale, g->counts[0], &cell->place.x);
  first += split_coordinate(p.y * scale, g->counts[1], &cell->place.y) * next[0];
  first += split_coordinate(p.z * scale, g->counts[2], &cell->place.z) * next[1];
  for (int32_t n = 0; n < 8; n++) {
    cell->d[n] = samples[first + (n & 1) + (n >> 1 & 1) * next[0] + (n >> 2) * next[1]];
  }
}

static float between(float a, float b, float t) {
  return a + flush_small(b - a, STATE_QUANTUM) * t;
}

/* The distance in a cell, and its gradient times the spacing. */
static float interpolate_cell(const grid_cell *cell, cloth_vector *gradient) {
  const float *d = cell->d;
  const cloth_vector t = cell->place;
  const float low[2] = {between(d[0], d[1], t.x), between(d[2], d[3], t.x)};
  const float high[2] = {between(d[4], d[5], t.x), between(d[6], d[7], t.x)};
  const float front = between(low[0], low[1], t.y), back = between(high[0], high[1], t.y);
  gradient->x = between(between(d[1] - d[0], d[3] - d[2], t.y), between(d[5] - d[4], d[7] - d[6], t.y), t.z);
  gradient->y = between(low[1] - low[0], high[1] - high[0], t.z);
  gradient->z = back - front;
  return between(front, back, t.z);
}

/* How far a point relative to the low corner is outside of the grid along each axis. */
static cloth_vector outside_grid(const cloth_geometry *g, cloth_vector p) {
  const cloth_vector high = vector_subtract(g->high, g->low);
  return vector(p.x - minimum(maximum(p.x, 0.0f), high.x), p.y - minimum(maximum(p.y, 0.0f), high.y),
                p.z - minimum(maximum(p.z, 0.0f), high.z));
}

/* The distance at a point in local axes, and the normal; outside of the grid a lower bound of the distance. */
static float distance_in_grid(const cloth_geometry *g, cloth_vector point, cloth_vector *normal) {
  const cloth_vector p = vector_flush(vector_subtract(point, g->low), STATE_QUANTUM);
  const float outside = vector_length(outside_grid(g, p));
  grid_cell cell;
  find_grid_cell(g, p, &cell);
  cloth_vector gradient;
  const float inside = interpolate_cell(&cell, &gradient);
  gradient = vector_flush(vector_scale(gradient, 1.0f / g->spacing[0]), STATE_QUANTUM);
  const float length = vector_length(gradient);
  *normal =
      length > GRID_MIN_GRADIENT ? vector_flush_work(vector_scale(gradient, 1.0f / length)) : vector(0.0f, 1.0f, 0.0f);
  return outside > 0.0f ? maximum(outside, inside - outside) : inside;
}

#endif
