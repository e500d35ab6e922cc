#pragma once
#include "body.h"
#include "result.h"
#include "search.h"
#include "touch.h"

/// Particles that neighbours pull ///

/*
 * Touches are found before the solve, around where each particle goes by itself. What its neighbours pull by more than
 * the thickness beside that may come out inside a collider that it was not to touch. A repair: it is moved out as what
 * is too deep is (result.h). It never happens at rest, and costs nothing where no particle goes so far.
 *
 * In: solution, position. Out: position and velocity of what is moved out, statistics. Scratch: ground.
 */

/* Which particles of a block go by more than the thickness beside their predictions. */
CLOTH_INLINE lanes_mask are_runaways(const touch_result *r, int32_t row, int32_t i) {
  const float thickness = contact_thickness(r->c);
  const lanes last_step = lanes_splat(workspace_of(r->c)->last_step);
  const lanes3 y = lanes3_flush(solution_with(r->a, row, i, last_step, r->has_solution));
  const lanes_mask moves = lanes_less(lanes_splat(0.0f), lanes_load(r->a->diagonal + row * r->a->pitch + i));
  return lanes_both(lanes_both(moves, lanes_first(r->a->columns - i)),
                    lanes_less(lanes_splat(thickness * thickness), lanes3_dot(y, y)));
}

/* The share of a vector's length that its largest coordinate has at least, 1 / 3^(1/2) rounded down. */
#define LEAST_COORDINATE 0.577f

/* 1 if one goes so far. Coordinates are compared first, which takes less. */
CLOTH_SEPARATE int has_runaways(const touch_result *r) {
  const lanes least = lanes_splat(LEAST_COORDINATE * contact_thickness(r->c));
  const lanes last_step = lanes_splat(workspace_of(r->c)->last_step);
  for (int32_t row = 0; row < r->a->rows; row++) {
    for (int32_t i = 0; i < r->a->columns; i += CLOTH_LANES) {
      const lanes3 y = solution_with(r->a, row, i, last_step, r->has_solution);
      const lanes far = lanes_maximum(lanes_maximum(lanes_absolute(y.x), lanes_absolute(y.y)), lanes_absolute(y.z));
      if (lanes_any(lanes_less(least, far)) && lanes_any(are_runaways(r, row, i))) { return 1; }
    }
  }
  return 0;
}

/* Those among `which` of a block that contact with a collider does not push out slowly: where it begins nearer than at
   `reach`, as they were born inside. */
static lanes_mask without_slow_ones(const touch_result *r, const touch *e, lanes_mask which, lanes reach) {
  const touch *list = touches_of(r->c);
  const int32_t k = e->column % TOUCH_LANES;
  lanes left = lanes_keep(which, lanes_splat(1.0f));
  for (int32_t n = *chain_at(r->c, e->row, e->column); n >= 0; n = list[n].next) {
    if (list[n].collider == r->b->collider) {
      const lanes_mask slow = lanes_less(touch_load(&list[n], TOUCH_REACH, k), reach);
      left = lanes_drop(lanes_both(touch_mask(&list[n], k), slow), left);
    }
  }
  return lanes_less(lanes_splat(0.0f), left);
}

/* Moves those out that are inside one collider. */
CLOTH_SEPARATE void catch_runaways_at(touch_result *r) {
  const float *reach = reach_of(r->c);
  touch *e = touches_of(r->c) + workspace_of(r->c)->touches; /* the one that would be made next */
  fill_zero(e, sizeof *e);
  for (e->row = 0; e->row < r->a->rows; e->row++) {
    for (e->column = 0; e->column < r->a->columns; e->column += CLOTH_LANES) {
      const lanes_mask which = are_runaways(r, e->row, e->column);
      if (lanes_any(which)) {
        const lanes own = r->b->is_buried ? lanes_load(reach + e->row * r->a->pitch + e->column)
                                          : lanes_splat(contact_thickness(r->c));
        touch_end to;
        workspace_of(r->c)->searched += (int32_t)lanes_count(lanes_keep(which, lanes_splat(1.0f)));
        touch_store(e, TOUCH_REACH, 0, own);
        move_out(r, e, 0, without_slow_ones(r, e, which, own), &to);
      }
    }
  }
}

/* The same of all colliders, once the contacts of a substep have ended. */
CLOTH_SEPARATE void catch_runaways(const cloth *c, const substep_terms *t, int32_t has_solution) {
  touched_body b = {.collider = -1};
  touch_result r = touch_result_of(c, t, &b, has_solution);
  if (!has_runaways(&r)) { return; }
  const position_box held = box_of_held(c);
  for (int32_t index = 0; index < collider_end(c); index++) {
    if (is_solid_at(c, index)) {
      take_touched_body(c, t, index, &b);
      b.is_buried = b.unknown ? 0 : find_reach(c, &b, &held);
      catch_runaways_at(&r);
    }
  }
  workspace_of(c)->moved_out += r.safety;
}
