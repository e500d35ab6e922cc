#pragma once
#include "../access.h"
#include "../base/rows.h"
#include "../compiler.h"
#include "../lanes.h"
#include "../scalar.h"
#include "../solve/arrays.h"
#include "../types.h"
#include "law.h"
#include "press.h"
#include "touch.h"

/// The energy of contact ///

/*
 * By how much contact changes the energy along the ways d of a substep, for the bound on it (step/guard.h). The law has
 * the potential
 *
 *   k_0 T^2 (q^3 / 3 + q^4), straight on above 2
 *
 * of the depth q, before and after, by the gap and the normal that the touch has. Friction is a force from outside, as
 * the air is: its work is that of the force at the end of the ways. Colliders rest.
 *
 * In: touches, bent = d, direction = the way to the place of linearisation. Out: what the functions return. Scratch:
 * none.
 */

#if WITH_COLLIDERS

/* The potential over k_0 T^2. */
CLOTH_INLINE lanes law_potential(lanes depth) {
  const lanes zero = lanes_splat(0.0f), q = within_law(depth), one = lanes_splat(1.0f);
  const lanes over = lanes_maximum(lanes_subtract(depth, lanes_splat(DEEPEST)), zero);
  const lanes cube = lanes_multiply(lanes_multiply(q, q), lanes_multiply(q, lanes_splat(1.0f / 3.0f)));
  const lanes fourth = lanes_multiply(lanes_multiply(q, q), lanes_multiply(q, q));
  const lanes beyond = lanes_add(law_force(one, q), lanes_multiply(lanes_splat(0.5f), lanes_multiply(law_slope(one, q), over)));
  return lanes_add(lanes_add(cube, fourth), lanes_multiply(over, beyond));
}

/* The rise of lanes `k` of a touch. */
CLOTH_INLINE lanes touch_rise(const solve_arrays *a, const touch *e, int32_t k, lanes thickness, lanes scale) {
  const int32_t i = e->column + k;
  const lanes3 d = near_load(near_row(a->bent, a->pitch, e->row), a->plane, i);
  const lanes3 w = near_load(near_row(a->direction, a->pitch, e->row), a->plane, i);
  const lanes3 n = touch_vector(e, TOUCH_NORMAL, k), moved = lanes3_flush(lanes3_subtract(d, w));
  const lanes_mask touches = touch_mask(e, k);
  const lanes depth = lanes_divide(lanes_subtract(touch_load(e, TOUCH_REACH, k), touch_load(e, TOUCH_GAP, k)), thickness);
  const lanes out = lanes_flush(lanes3_dot(n, moved)), back = lanes_flush(lanes3_dot(n, w));
  const lanes before = lanes_add(depth, lanes_divide(back, thickness));
  const lanes after = lanes_subtract(depth, lanes_divide(out, thickness));
  const lanes rise = lanes_multiply(scale, lanes_subtract(law_potential(after), law_potential(before)));
  const lanes3 offset = lanes3_add_scaled(lanes3_add(touch_vector(e, TOUCH_OFFSET, k), moved), n, lanes_negate(out));
  const lanes held = lanes_multiply(touch_load(e, TOUCH_ACROSS, k), lanes_flush(lanes3_dot(lanes3_flush(offset), d)));
  return lanes_keep(touches, lanes_add(rise, held));
}

/* The rise of all touches. */
CLOTH_SEPARATE float contact_rise(const cloth *c, const substep_terms *t) {
  const solve_arrays a = arrays_of(c);
  const lanes thickness = lanes_splat(contact_thickness(c));
  const lanes scale = lanes_splat(contact_stiffness(t) * contact_thickness(c) * contact_thickness(c));
  const touch *list = touches_of(c);
  lanes_sum sum = {{0.0f}};
  for (int32_t n = 0; n < workspace_of(c)->touches; n++) {
    const touch *e = &list[n];
    EACH_TOUCH_LANES(e, a.columns, k, i, lanes_sum_add(&sum, k, lanes_flush(touch_rise(&a, e, k, thickness, scale))); (void)i);
  }
  return lanes_sum_total(&sum);
}

/* 1 if a collider that is touched moves in the step. */
static int do_touched_move(const cloth *c) {
  const touch *list = touches_of(c);
  for (int32_t n = 0; n < workspace_of(c)->touches; n++) {
    const collider_slot *slot = slot_at(c, list[n].collider);
    const cloth_pose *a = &slot->previous, *b = &slot->body.pose;
    if (a->position.x != b->position.x || a->position.y != b->position.y || a->position.z != b->position.z ||
        a->rotation.x != b->rotation.x || a->rotation.y != b->rotation.y || a->rotation.z != b->rotation.z ||
        a->rotation.w != b->rotation.w) {
      return 1;
    }
  }
  return 0;
}

#endif
