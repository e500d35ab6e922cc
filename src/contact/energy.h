#pragma once
#include "law.h"
#include "points.h"
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

CLOTH_INLINE lanes_mask are_within_law(lanes q) {
  return lanes_both(lanes_less(lanes_splat(0.0f), q), lanes_less(q, lanes_splat(DEEPEST)));
}

/* By how much the potential rises over k_0 T^2 from a depth to one that is deeper by `more`: from the difference, which
   rounds less. */
CLOTH_INLINE lanes law_rise(lanes depth, lanes more) {
  const lanes two = lanes_splat(DEEPEST), half = lanes_splat(0.5f), to = lanes_add(depth, more);
  const lanes p = within_law(depth), q = within_law(to);
  const lanes_mask inside = lanes_both(are_within_law(depth), are_within_law(to));
  const lanes less = lanes_select(inside, more, lanes_subtract(q, p));
  const lanes squares = lanes_add(lanes_multiply(p, p), lanes_multiply(q, q)), sum = lanes_add(p, q);
  const lanes third = lanes_multiply(lanes_splat(1.0f / 3.0f), lanes_add(squares, lanes_multiply(p, q)));
  const lanes law = lanes_multiply(less, lanes_add(third, lanes_multiply(sum, squares)));
  const lanes over = lanes_subtract(lanes_maximum(depth, two), two), past = lanes_subtract(lanes_maximum(to, two), two);
  const lanes one = lanes_splat(1.0f), mean = lanes_multiply(half, lanes_add(over, past));
  const lanes beyond = lanes_add(law_force(one, two), lanes_multiply(law_slope(one, two), mean));
  return lanes_add(law, lanes_multiply(lanes_subtract(past, over), beyond));
}

/* The rise of lanes `k` of a touch. */
CLOTH_INLINE lanes touch_rise(const solve_arrays *a, const touch *e, int32_t k, lanes thickness, lanes stiffness) {
  const lanes scale = lanes_multiply(stiffness, lanes_multiply(thickness, thickness));
  const lanes3 d = near_at_touch(a, a->bent, e, k), w = near_at_touch(a, a->direction, e, k);
  const lanes3 n = touch_vector(e, TOUCH_NORMAL, k), moved = lanes3_flush(lanes3_subtract(d, w));
  const lanes gap = lanes_subtract(touch_load(e, TOUCH_GAP, k), lanes_flush(lanes3_dot(n, w)));
  const lanes depth = lanes_divide(lanes_subtract(touch_load(e, TOUCH_REACH, k), gap), thickness);
  const lanes more = lanes_divide(lanes_negate(lanes_flush(lanes3_dot(n, d))), thickness);
  const lanes rise = lanes_multiply(scale, law_rise(depth, more));
  const lanes out = lanes_flush(lanes3_dot(n, moved));
  const lanes3 offset = lanes3_add_scaled(lanes3_add(touch_vector(e, TOUCH_OFFSET, k), moved), n, lanes_negate(out));
  const lanes held = lanes_multiply(touch_load(e, TOUCH_ACROSS, k), lanes_flush(lanes3_dot(lanes3_flush(offset), d)));
  return lanes_keep(touch_mask(e, k), lanes_add(rise, held));
}

CLOTH_SEPARATE float contact_rise(const cloth *c, const substep_terms *t) {
  const solve_arrays *a = arrays_of(c);
  const lanes thickness = lanes_splat(contact_thickness(c));
  const float stiffness = contact_stiffness(t);
  lanes_sum sum = {{0.0f}};
  EACH_TOUCH(c, e, EACH_TOUCH_LANES(e, a->columns, k, {
               const lanes own = touch_stiffness(c, e, k, stiffness);
               lanes_sum_add(&sum, k, lanes_flush(touch_rise(a, e, k, thickness, own)));
             }));
  return lanes_sum_total(&sum);
}

/* 1 if a collider moves in the step; a body does. */
static int does_collider_move(const cloth *c, int32_t index) {
  const collider_slot *slot = slot_at(c, index);
  const cloth_pose *a = &slot->previous, *b = &slot->body.pose;
  return find_unknown(c, index) || a->position.x != b->position.x || a->position.y != b->position.y ||
         a->position.z != b->position.z || a->rotation.x != b->rotation.x || a->rotation.y != b->rotation.y ||
         a->rotation.z != b->rotation.z || a->rotation.w != b->rotation.w;
}

/* 1 if a collider that is touched moves in the step. */
static int do_touched_move(const cloth *c) {
  EACH_TOUCH(c, e, {
    if (does_collider_move(c, e->collider)) { return 1; }
  });
  EACH_CELL_TOUCH(c, e, {
    if (does_collider_move(c, e->collider)) { return 1; }
  });
  return 0;
}
