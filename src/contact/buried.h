#pragma once
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/rigid.h"
#include "../base/rows.h"
#include "../base/scalar.h"
#include "../cloth/access.h"
#include "../cloth/arrays.h"
#include "../cloth/types.h"
#include "body.h"
#include "boxes.h"
#include "hits.h"
#include "passes.h"
#include "shapes.h"
#include "touch.h"

/// Contact near buried pins ///

/*
 * A pin may lie inside a collider, as that of a cape in a shoulder: what hangs on it cannot be outside. So the distance
 * at which contact begins is, at a pin, the pin's own, and grows from there along the springs by half of their length,
 * up to the thickness.
 *
 * In: pins, place, a collider. Out: reach_of(). Scratch: ground, row buffers.
 */

#if WITH_COLLIDERS

/* How fast contact begins farther out along the cloth, from a buried pin on. */
#define BURIED_SLOPE 0.5f

/* By how much farther out than the pin itself contact begins, in shares of the thickness: what presses sinks in by some
   of it. */
#define BURIED_SHARE 0.3f

/* The distances at which contact with the collider that is looked at begins, of all places of the rows: in memory that
   is free while touches are looked for, and when the solve has ended. */
static float *reach_of(const cloth *c) {
  return floats_at(c, c->scratch.ground);
}

/* Lowers a particle's distance to what a neighbour allows, and the other way round. */
static void share_reach(float *reach, int32_t i, int32_t j, float farther) {
  reach[j] = minimum(reach[i] + farther, reach[j]);
  reach[i] = minimum(reach[j] + farther, reach[i]);
}

/* Lowers the distances at the other ends of the springs that begin at a particle. */
static void spread_reach(const cloth *c, const solve_arrays *a, float *reach, int32_t row, int32_t column) {
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    const int32_t step = d == WARP ? 1 : d == WEFT ? 0 : d == DIAGONAL ? 1 : -1, down = d == WARP ? 0 : 1;
    int32_t to = column + step;
    to = a->is_ring ? (to + a->columns) % a->columns : to;
    if (row + down < a->rows && to >= 0 && to < a->columns) {
      const float length = BURIED_SLOPE * workspace_of(c)->plan.terms.spring[d].rest;
      share_reach(reach, row * a->pitch + column, (row + down) * a->pitch + to, length);
    }
  }
}

/* The distance of a pin from a collider, in its axes; of interest only if it is below the thickness. */
static float distance_of_pin(const cloth *c, const touched_body *b, cloth_vector x, float thickness) {
  cloth_vector normal;
#if WITH_SURFACES
  if (is_surface(b->shape)) { return distance_from_surface(hit_search_of(c), b->geometry, x, thickness); }
#endif
  (void)c;
  (void)thickness;
  return distance_of_point(b->shape, b->geometry, x, &normal);
}

/* The rows and columns in which contact may begin nearer than the thickness. */
typedef struct buried_area {
  int32_t first_row, end_row, first_column, end_column;
} buried_area;

/* How many springs lead at most from a pin where contact begins so much nearer than the thickness to a particle where
   it does, too: not even one, if a spring is long. */
static int32_t springs_to_thickness(const cloth *c, float nearer) {
  float shortest = workspace_of(c)->plan.terms.spring[0].rest;
  for (int32_t d = 1; d < DIRECTIONS; d++) {
    shortest = minimum(workspace_of(c)->plan.terms.spring[d].rest, shortest);
  }
  const float springs = BOX_SLACK * nearer / (BURIED_SLOPE * shortest);
  return springs < (float)CLOTH_GRID_LIMIT ? (int32_t)springs : CLOTH_GRID_LIMIT;
}

/* Widens an area by that around a pin. Around a tube it has all columns. */
static void widen_area(buried_area *area, const cloth *c, int32_t row, int32_t column, int32_t springs) {
  const int32_t is_ring = is_wrapped(c), columns = c->grid.columns;
  const int32_t left = is_ring ? 0 : column - springs, right = is_ring ? columns : column + springs + 1;
  area->first_row = larger_of(0, smaller_of(area->first_row, row - springs));
  area->end_row = smaller_of(c->grid.rows, larger_of(area->end_row, row + springs + 1));
  area->first_column = larger_of(0, smaller_of(area->first_column, left));
  area->end_column = smaller_of(columns, larger_of(area->end_column, right));
}

/* Spreads the distances of pins over an area, forwards, then backwards. */
CLOTH_ONCE void spread_in_area(const cloth *c, const buried_area *area, float *reach) {
  const solve_arrays a = arrays_of(c);
  const int32_t columns = area->end_column - area->first_column;
  const int32_t count = columns * (area->end_row - area->first_row);
  for (int32_t n = 0; n < 2 * count; n++) {
    const int32_t i = n < count ? n : 2 * count - 1 - n;
    spread_reach(c, &a, reach, area->first_row + i / columns, area->first_column + i % columns);
  }
}

/* The box around the held particles of a cloth, where they are linearised; around nothing where there are none. */
static position_box box_of_held(const cloth *c) {
  const solve_arrays a = arrays_of(c);
  position_box box = empty_box();
  for (int32_t i = next_step_held(c, 0); i < c->count; i = next_step_held(c, i + 1)) {
    const int32_t row = i / a.columns;
    const cloth_vector x = near_vector(near_row(a.place, a.pitch, row), a.plane, i - row * a.columns);
    const position_box point = {x, x};
    box = box_around_both(&box, &point);
  }
  return box;
}

/* Finds where contact with a collider begins; `held`: see box_of_held(). Returns 1 if a pin is nearer than the
   thickness. */
CLOTH_SEPARATE int32_t find_reach(const cloth *c, const touched_body *b, const position_box *held) {
  const int32_t columns = c->grid.columns, rows = c->grid.rows, pitch = pitch_of(c), plane = near_plane(pitch, rows);
  const float thickness = contact_thickness(c), near = BOX_SLACK * (b->reach + thickness);
  if (!(box_distance_squared(held, b->end.position) < near * near)) { return 0; }
  float *reach = reach_of(c), *place = near_array(c, c->scratch.place);
  buried_area area = {rows, 0, columns, 0};
  int32_t is_buried = 0;
  for (int32_t i = next_step_held(c, 0); i < c->count; i = next_step_held(c, i + 1)) {
    const int32_t row = i / columns, column = i - row * columns;
    const cloth_vector x = near_vector(near_row(place, pitch, row), plane, column);
    const cloth_vector off = vector_flush_work(vector_subtract(x, b->end.position));
    if (!(vector_dot(off, off) < near * near)) { continue; }
    const float begins = distance_of_pin(c, b, to_local(&b->end, x), thickness) + BURIED_SHARE * thickness;
    if (!(begins < thickness)) { continue; }
    if (!is_buried) { EACH_BLOCK(n, left, rows * pitch, lanes_store_first(reach + n, lanes_splat(thickness), left)); }
    is_buried = 1;
    reach[row * pitch + column] = begins;
    const int32_t springs = springs_to_thickness(c, thickness - begins);
    if (springs > 0) { widen_area(&area, c, row, column, springs); }
  }
  if (area.first_row < area.end_row) { spread_in_area(c, &area, reach); }
#if WITH_SURFACES
  if (is_surface(b->shape)) { clear_room(c, sizeof(hit_search)); }
#endif
  return is_buried;
}

#endif
