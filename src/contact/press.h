#pragma once
#include "../cloth/arrays.h"
#include "../terms/pin_reactions.h"
#include "cell_memory.h"
#include "law.h"
#include "memory.h"
#include "points.h"
#include "touch.h"

/// Contact in the equation ///

/*
 * The forces and blocks of touches. At a particle with the blocks D of its own terms, without contact, and the residual
 * b' = b + the forces that its contacts gave in the last substep:
 *
 *   S = n . D n, S_t = (tr D - S) / 2        how it resists along the normal and across
 *   q_f = (T_i - gap - n . b' / S + f_0 / S) / T   its depth without this contact, f_0 that contact's last force
 *   Q                                        the depth that law and particle agree on (law.h)
 *   u_f = u + b'_t / S_t - f_t / S_t         the way along the surface without it
 *
 * Friction holds with the stiffness k_t = k_0 as long as that is less than mu times what pressed last, and else gives
 * mu times it: static mu, and kinetic where the contact has slid faster than SLIDING_SPEED in the last substep
 * (result.h). Force and block are
 *
 *   F = lambda n - k_t u,  K = k n n^T + k_t (I - n n^T)
 *
 * A particle between two colliders that face each other takes its depth as it is. At rest b' = 0: then Q is the present
 * depth, everything is the exact tangent, and what rests stays at rest.
 *
 * During the solve contacts that would pull, where particles are fast or began outside of the law, let go, and friction
 * is bounded by what presses then. Slow particles that the first iteration takes slowly into a collider that they were
 * not to touch are predicted anew from there, with the solution y so far, what is left of the residual r and the
 * inverse B of the preconditioner's block:
 *
 *   q_f = (T_i - gap - n . (y + B r)) / T, S = 1 / n . B n
 *
 * The first prediction takes them as if their neighbours stood still; where all go together, as at the hem of a cape,
 * a touch would be off and on in turn for ever. At rest y = r = 0.
 *
 * Where cloth touches cloth, too, `product` holds what contacts and pairs gave last (self/equation.h).
 *
 * In: touches, place, residual, spring sums, diagonal, memory, product. Out: residual, ground, touches. Scratch: none.
 */

/* Two colliders face each other if the dot product of their normals is below this. */
#define FACING (-0.5f)
/* Most by which a contact that is met in the solve stiffens the preconditioner's block along its normal, over what that
   was. Above 1e7 rounding makes the block indefinite; less takes iterations. */
#define MOST_STIFFENED 1.0e5f
/* How held particles resist. */
#define HELD_RESISTANCE 1.0e6f
/* Stiffness of their contact with a body over its mass [1/s^2]: that which stops it in 1/60 s, the longest substep.
   With that of the substep itself a ball that is born 2 cm inside pinned cloth comes out with .2 m/s of 1 substep and
   with 14.6 of 64. What begins deeper than the law is thick is pushed by a way in each substep, and keeps that. */
#define HELD_STIFFNESS 3600.0f

/* What the laws of a block of particles take. */
typedef struct pressed_block {
  const cloth *c;
  const solve_arrays *a;
  const substep_terms *t;
  touch *list;
  lanes_mask moves;
  symmetric own;   /* D */
  lanes3 residual; /* b' */
} pressed_block;

/* What stiffness a body adds where it touches what is held; `is_deep`: that begins deeper than the law is thick. */
static float stiffness_of_body(const cloth *c, const substep_terms *t, const body_unknown *body, int is_deep) {
  if (!body) { return 0.0f; }
  const float mass = t->share / reference_mass(c) * bodies_of(c)[body - body_unknowns_of(c)].mass;
  return is_deep ? mass : mass * (t->h * t->h * HELD_STIFFNESS);
}

/* Stiffness of contact with a collider, of held particles with that of its body. */
static lanes held_stiffness(const pressed_block *p, const touch *e, int32_t k, const body_unknown *body) {
  const lanes stiffness = touch_stiffness(p->c, e, k, contact_stiffness(p->t));
  if (!body) { return stiffness; }
  const lanes_mask is_deep = lanes_less(touch_load(e, TOUCH_REACH, k), lanes_splat(contact_thickness(p->c)));
  const lanes more = lanes_select(is_deep, lanes_splat(stiffness_of_body(p->c, p->t, body, 1)),
                                  lanes_splat(stiffness_of_body(p->c, p->t, body, 0)));
  return lanes_select(p->moves, stiffness, lanes_add(stiffness, more));
}

/* Which particles of lanes `k` of a touch another collider faces, or are held: the depth of their contact is not
   predicted. */
CLOTH_INLINE lanes_mask are_faced(const touch *list, lanes_mask free, const touch *e, int32_t first, int32_t k) {
  lanes faced = lanes_select(free, lanes_splat(0.0f), lanes_splat(1.0f));
  for (int32_t n = first; n >= 0; n = list[n].next) {
    const touch *other = &list[n];
    const lanes_mask near = lanes_less(touch_load(other, TOUCH_GAP, k), touch_load(other, TOUCH_REACH, k));
    const lanes turned = lanes3_dot(touch_vector(e, TOUCH_NORMAL, k), touch_vector(other, TOUCH_NORMAL, k));
    faced = lanes_select(lanes_both(near, lanes_less(turned, lanes_splat(FACING))), lanes_splat(1.0f), faced);
  }
  return lanes_less(lanes_splat(0.0f), faced);
}

/* The coefficients of friction of a touch, of which this is remembered. */
CLOTH_INLINE lanes touch_friction(const cloth *c, const touch *e, const remembered *m) {
  const cloth_collider *body = &slot_at(c, e->collider)->body;
  return lanes_select(m->slides, lanes_splat(body->kinetic_friction), lanes_splat(body->static_friction));
}

/* The law of lanes `k` of a touch; zeros where nothing presses. */
CLOTH_SEPARATE void apply_law(const pressed_block *p, touch *e, int32_t first, int32_t k) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  const lanes thickness = lanes_splat(contact_thickness(p->c));
  body_unknown *body = find_unknown(p->c, e->collider);
  const lanes stiffness = held_stiffness(p, e, k, body);
  const lanes gap = touch_load(e, TOUCH_GAP, k), reach = touch_load(e, TOUCH_REACH, k);
  const lanes_mask touches = touch_mask(e, k);
  touch_store(e, TOUCH_ALONG, k, zero);
  touch_store(e, TOUCH_ACROSS, k, zero);
  touch_store(e, TOUCH_FORCE, k, zero);
  if (!lanes_any(touches)) { return; }
  const lanes3 n = touch_vector(e, TOUCH_NORMAL, k), u = touch_vector(e, TOUCH_OFFSET, k);
  const remembered m = remember(p->c, touched_number(e), e->row * p->a->columns + e->column + k);
  const lanes3 force = lanes3_flush(lanes3_scale(m.force, lanes_splat(p->t->scale)));
  const lanes f0 = lanes_maximum(lanes_flush(lanes3_dot(force, n)), zero);
  lanes along, across;
  find_resistance(&p->own, n, &along, &across);
  across = lanes_select(p->moves, across, lanes_splat(HELD_RESISTANCE));
  /* the depth */
  const lanes outward = lanes_flush(lanes3_dot(p->residual, n));
  const lanes moves = lanes_divide(lanes_subtract(outward, f0), along);
  const lanes depth = lanes_divide(lanes_subtract(reach, gap), thickness);
  const lanes alone = lanes_subtract(depth, lanes_divide(moves, thickness));
  const lanes_mask faced = are_faced(p->list, p->moves, e, first, k);
  const lanes_mask presses = lanes_both(touches, lanes_less(zero, lanes_select(faced, depth, alone)));
  if (!lanes_any(presses)) { return; }
  const lanes agreed = agreed_depth(stiffness, thickness, lanes_multiply(thickness, along), alone);
  const lanes q = lanes_select(faced, within_law(depth), agreed);
  const contact_tangent law = tangent_at(stiffness, thickness, depth, q);
  /* friction */
  const lanes pressed = lanes_minimum(law.law, f0);
  const lanes3 last = lanes3_add_scaled(force, n, lanes_negate(lanes_flush(lanes3_dot(force, n))));
  const lanes3 free = lanes3_add_scaled(p->residual, n, lanes_negate(outward));
  const lanes3 way = lanes3_add_scaled(u, lanes3_flush(lanes3_subtract(free, last)), lanes_divide(one, across));
  const lanes length = lanes3_length(lanes3_flush(way)), most = lanes_multiply(touch_friction(p->c, e, &m), pressed);
  const lanes held = friction_stiffness(stiffness, across, most, lanes_divide(most, across), length);
  touch_store(e, TOUCH_ALONG, k, lanes_keep(presses, law.stiffness));
  touch_store(e, TOUCH_ACROSS, k, lanes_keep(presses, lanes_flush(held)));
  touch_store(e, TOUCH_FORCE, k, lanes_keep(presses, law.force));
  if (body) { lanes_sum_add(&body->pressed, k, lanes_keep(presses, pressed)); }
}

/* Adds k n n^T + k_t (I - n n^T). */
CLOTH_INLINE void add_contact_block(float *ground, int32_t place, lanes3 n, lanes along, lanes across) {
  symmetric m = own_block(ground, place);
  const lanes3 an = lanes3_flush(lanes3_scale(n, lanes_subtract(along, across)));
  symmetric_add_outer(&m, an, n, across);
  own_block_store(ground, place, symmetric_quantise(m));
}

/* (k n n^T + k_t (I - n n^T)) v */
CLOTH_INLINE lanes3 contact_product(lanes3 n, lanes along, lanes across, lanes3 v) {
  const lanes out = lanes_multiply(lanes_flush(lanes3_dot(n, v)), lanes_subtract(along, across));
  return lanes3_flush(lanes3_add_scaled(lanes3_scale(v, across), n, lanes_flush(out)));
}

/* The force of lanes `k` of a touch on particles that have moved by `moved` from the place of linearisation:
   (lambda - k n . w) n - k_t (u + w_t). */
CLOTH_INLINE lanes3 touch_force(const touch *e, int32_t k, lanes3 moved) {
  const lanes3 n = touch_vector(e, TOUCH_NORMAL, k);
  const lanes out = lanes_flush(lanes3_dot(n, moved)), along = touch_load(e, TOUCH_ALONG, k);
  const lanes3 way = lanes3_add_scaled(lanes3_add(touch_vector(e, TOUCH_OFFSET, k), moved), n, lanes_negate(out));
  const lanes press = lanes_subtract(touch_load(e, TOUCH_FORCE, k), lanes_multiply(along, out));
  const lanes3 held = lanes3_scale(lanes3_flush(way), touch_load(e, TOUCH_ACROSS, k));
  return lanes3_subtract(lanes3_scale(n, lanes_flush(press)), held);
}

/* The sum of what contacts gave to a block of particles in the last substep, in scaled units. */
CLOTH_INLINE lanes3 last_forces(const cloth *c, const substep_terms *t, int32_t first, int32_t k) {
  const touch *list = touches_of(c);
  lanes3 sum = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  for (int32_t n = first; n >= 0; n = list[n].next) {
    const touch *e = &list[n];
    const remembered m = remember(c, touched_number(e), e->row * c->grid.columns + e->column + k);
    sum = lanes3_add(sum, lanes3_keep(touch_mask(e, k), m.force));
  }
  return lanes3_flush(lanes3_scale(sum, lanes_splat(t->scale)));
}

/* The same of one particle. */
static cloth_vector last_force_on(const cloth *c, const solve_arrays *a, const substep_terms *t, int32_t place) {
  const int32_t row = place / a->pitch, column = place - row * a->pitch, inside = column % TOUCH_LANES;
  const int32_t first = *chain_at(c, row, column - inside), lane = inside % CLOTH_LANES;
  float values[3][CLOTH_LANES];
  if (first < 0) { return vector(0.0f, 0.0f, 0.0f); }
  lanes3_store(VECTORS_OF(values), 0, last_forces(c, t, first, inside - lane), CLOTH_LANES);
  return vector_load(VECTORS_OF(values), lane);
}

/* Adds what contacts gave last to `product`. */
static void add_last_contacts(const cloth *c, const substep_terms *t) {
  const solve_arrays *a = arrays_of(c);
  const touch *list = touches_of(c);
  if (workspace_of(c)->touches == 0) { return; }
  EACH_CHAIN(c, first, EACH_TOUCH_LANES(&list[first], a->columns, k, {
               const int32_t place = list[first].row * a->pitch + list[first].column + k;
               own_store(a->product, place, lanes3_add(own_load(a->product, place), last_forces(c, t, first, k)));
             }));
}

/* Adds the contacts of lanes `k` of a block of particles, whose chain begins at touch `first`. */
CLOTH_SEPARATE void press_block(pressed_block *p, int32_t first, int32_t k) {
  const solve_arrays *a = p->a;
  const int32_t place = p->list[first].row * a->pitch + p->list[first].column + k;
  const lanes mass = lanes_load(a->diagonal + place);
  const lanes on_diagonal = lanes_add(mass, lanes_splat(p->t->bends ? plate_diagonal(p->t) : 0.0f));
  p->moves = lanes_less(lanes_splat(0.0f), mass);
  p->own = a->inverse ? own_terms(own_block(a->inverse, place), on_diagonal) : symmetric_identity(on_diagonal);
  const lanes3 alone = own_load(a->residual, place);
  lanes3 b = alone;
  const lanes3 last = holds_last_forces(p->c) ? own_load(a->product, place) : last_forces(p->c, p->t, first, k);
  p->residual = lanes3_keep(p->moves, lanes3_flush(lanes3_add(b, last)));
  for (int32_t n = first; n >= 0; n = p->list[n].next) {
    apply_law(p, &p->list[n], first, k);
  }
  const lanes3 none = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
  for (int32_t n = first; n >= 0; n = p->list[n].next) {
    const touch *e = &p->list[n];
    add_contact_block(a->ground, place, touch_vector(e, TOUCH_NORMAL, k),
                      lanes_keep(p->moves, touch_load(e, TOUCH_ALONG, k)),
                      lanes_keep(p->moves, touch_load(e, TOUCH_ACROSS, k)));
    b = lanes3_add(b, touch_force(e, k, none));
  }
  b = lanes3_quantise(b, WORK_ROUNDER);
  own_store(a->residual, place, notes_pins(p->c) ? b : lanes3_select(p->moves, b, alone));
}

CLOTH_SEPARATE void add_contacts(const cloth *c, const substep_terms *t) {
  const solve_arrays *a = arrays_of(c);
  pressed_block p = {.c = c, .a = a, .t = t, .list = touches_of(c)};
  EACH_CHAIN(c, first, EACH_TOUCH_LANES(&p.list[first], a->columns, k, press_block(&p, first, k)));
}

/* What changing contacts in the solve takes, and what it changes. */
typedef struct contact_release {
  const cloth *c;
  const solve_arrays *a;
  const substep_terms *t;
  float length; /* of the last step along the direction */
  int32_t has_solution, all;
  lanes fast; /* ways that are longer are fast */
  lanes_sum along, most;
  int32_t changed;
} contact_release;

/* Puts it into residual, product and sums that the stiffness of lanes `k` of a touch has changed by `along` and
   `across`, and the residual by `change`. */
CLOTH_INLINE void put_change(contact_release *rel, const touch *e, int32_t k, lanes3 change, lanes along,
                             lanes across) {
  const solve_arrays *a = rel->a;
  const int32_t i = e->column + k, place = e->row * a->pitch + i;
  const lanes3 p = near_load(near_row(a->direction, a->pitch, e->row), a->plane, i);
  /* what the operator changes of the product: the step takes it from the residual, to which it belongs already */
  const lanes3 q = contact_product(touch_vector(e, TOUCH_NORMAL, k), along, across, p);
  own_store(a->product, place, lanes3_add(own_load(a->product, place), q));
  const lanes3 r = lanes3_add(own_load(a->residual, place), change);
  own_store(a->residual, place, lanes3_add_scaled(r, q, lanes_splat(rel->length)));
  lanes_sum_add(&rel->along, k, lanes3_dot(change, lanes3_flush(p)));
  lanes_sum_add(&rel->most, k, lanes3_dot(q, lanes3_flush(p)));
  rel->changed = 1;
}

/* Lets go in lanes `k` of a touch what pulls and is fast and, before the last iteration, what began outside of the law,
   and bounds friction by what presses now. */
CLOTH_SEPARATE void release_lanes(contact_release *rel, touch *e, int32_t k) {
  const solve_arrays *a = rel->a;
  const int32_t particle = e->row * a->columns + e->column + k;
  const uint32_t fast = (uint32_t)e->fast >> k;
  if (!rel->all && !fast) { return; }
  const lanes zero = lanes_splat(0.0f), along = touch_load(e, TOUCH_ALONG, k), across = touch_load(e, TOUCH_ACROSS, k);
  const lanes_mask acts = lanes_less(zero, along);
  const lanes_mask which = rel->all ? acts : lanes_both(acts, lanes_of_bits(fast));
  if (!lanes_any(which)) { return; }
  const lanes_mask is_out = lanes_less(touch_load(e, TOUCH_REACH, k), touch_load(e, TOUCH_GAP, k));
  const lanes_mask goes = lanes_of_bits(rel->all ? fast | lanes_bits(is_out) : fast);
  const remembered m = remember(rel->c, touched_number(e), particle);
  const lanes friction = touch_friction(rel->c, e, &m), force = touch_load(e, TOUCH_FORCE, k);
  const lanes3 moved = solution_at_touch(a, e, k, rel->length, rel->has_solution);
  const lanes3 n = touch_vector(e, TOUCH_NORMAL, k), before = touch_force(e, k, moved);
  const lanes out = lanes_flush(lanes3_dot(n, moved)), press = lanes_subtract(force, lanes_multiply(along, out));
  const lanes3 u = lanes3_add(touch_vector(e, TOUCH_OFFSET, k), moved);
  const lanes3 way = lanes3_flush(lanes3_add_scaled(u, n, lanes_negate(out)));
  const lanes length = lanes_maximum(lanes3_length(way), lanes_splat(WORK_QUANTUM));
  const lanes_mask pulls = lanes_both(lanes_both(lanes_less(press, zero), goes), which);
  const lanes most = lanes_multiply(friction, lanes_flush(lanes_maximum(press, zero)));
  const lanes_mask slips =
      lanes_both(which, lanes_both(lanes_less(zero, press), lanes_less(most, lanes_multiply(across, length))));
  const lanes weaker = lanes_select(slips, lanes_flush(lanes_divide(most, length)), across);
  const lanes less_along = lanes_subtract(lanes_drop(pulls, along), along);
  const lanes less_across = lanes_subtract(lanes_drop(pulls, weaker), across);
  touch_store(e, TOUCH_FORCE, k, lanes_drop(pulls, force));
  touch_store(e, TOUCH_ALONG, k, lanes_drop(pulls, along));
  touch_store(e, TOUCH_ACROSS, k, lanes_drop(pulls, weaker));
  add_contact_block(a->ground, e->row * a->pitch + e->column + k, n, less_along, less_across);
  const lanes3 change = lanes3_flush(lanes3_subtract(touch_force(e, k, moved), before));
  const lanes both = lanes_add(lanes_absolute(less_along), lanes_absolute(less_across));
  if (lanes_any(lanes_less(zero, both))) { put_change(rel, e, k, change, less_along, less_across); }
}

/* Adds k n n^T to a block whose inverse B the preconditioner has: B - k B n (B n)^T / (1 + k n . B n) (Sherman and
   Morrison 1950). */
CLOTH_INLINE void add_to_inverse(float *inverse, int32_t place, lanes3 n, lanes k) {
  symmetric m = own_block(inverse, place);
  const lanes3 column = lanes3_flush(symmetric_apply(m, n));
  const lanes gives = lanes_maximum(lanes_flush(lanes3_dot(column, n)), lanes_splat(WORK_QUANTUM));
  const lanes added = lanes_minimum(k, lanes_divide(lanes_splat(MOST_STIFFENED), gives));
  const lanes share = lanes_divide(added, lanes_add(lanes_splat(1.0f), lanes_multiply(added, gives)));
  symmetric_add_outer(&m, lanes3_flush(lanes3_scale(column, lanes_negate(share))), column, lanes_splat(0.0f));
  own_block_store(inverse, place, symmetric_quantise(m));
}

/* Predicts contacts of lanes `k` of a touch anew that do not press: from the solution so far, which has what their
   neighbours do, and where the residual takes the particle from there. What presses now has no friction yet. */
CLOTH_SEPARATE void meet_lanes(contact_release *rel, touch *e, int32_t k) {
  const solve_arrays *a = rel->a;
  const int32_t place = e->row * a->pitch + e->column + k;
  const lanes zero = lanes_splat(0.0f), thickness = lanes_splat(contact_thickness(rel->c));
  const lanes_mask slow = lanes_of_bits(~(uint32_t)e->fast >> k);
  const lanes_mask rests = lanes_less(touch_load(e, TOUCH_ALONG, k), lanes_splat(WORK_QUANTUM));
  const lanes_mask moves = lanes_less(zero, lanes_load(a->diagonal + place));
  const lanes_mask which = lanes_both(lanes_both(rests, slow), lanes_both(touch_mask(e, k), moves));
  if (!lanes_any(which)) { return; }
  const lanes3 n = touch_vector(e, TOUCH_NORMAL, k);
  const lanes3 moved = solution_at_touch(rel->a, e, k, rel->length, rel->has_solution);
  const lanes3 left =
      lanes3_add_scaled(own_load(a->residual, place), own_load(a->product, place), lanes_splat(negate(rel->length)));
  const symmetric inverse = own_block(a->inverse, place);
  const lanes3 way = lanes3_add(moved, symmetric_apply(inverse, lanes3_flush(left)));
  const lanes in = lanes_negate(lanes_flush(lanes3_dot(way, n)));
  const lanes gap = lanes_subtract(touch_load(e, TOUCH_REACH, k), touch_load(e, TOUCH_GAP, k));
  const lanes depth = lanes_divide(gap, thickness);
  const lanes alone = lanes_add(depth, lanes_divide(in, thickness));
  const lanes_mask meets = lanes_both(lanes_both(which, lanes_less(in, rel->fast)), lanes_less(zero, alone));
  if (!lanes_any(meets)) { return; }
  const lanes_mask faced = are_faced(touches_of(rel->c), moves, e, *chain_at(rel->c, e->row, e->column), k);
  const lanes_mask presses = lanes_less(zero, lanes_drop(faced, lanes_keep(meets, lanes_splat(1.0f))));
  const lanes stiffness = touch_stiffness(rel->c, e, k, contact_stiffness(rel->t));
  const lanes give = lanes_maximum(symmetric_along(&inverse, n), lanes_splat(WORK_QUANTUM));
  const lanes q = agreed_depth(stiffness, thickness, lanes_divide(thickness, give), alone);
  const contact_tangent law = tangent_at(stiffness, thickness, depth, q);
  const lanes along = lanes_keep(presses, law.stiffness);
  touch_store(e, TOUCH_FORCE, k, lanes_select(presses, law.force, touch_load(e, TOUCH_FORCE, k)));
  touch_store(e, TOUCH_ALONG, k, lanes_select(presses, along, touch_load(e, TOUCH_ALONG, k)));
  add_contact_block(a->ground, place, n, along, zero);
  add_to_inverse(a->inverse, place, n, along);
  const lanes out = lanes_multiply(along, lanes_flush(lanes3_dot(n, moved)));
  const lanes press = lanes_subtract(lanes_keep(presses, law.force), out);
  put_change(rel, e, k, lanes3_flush(lanes3_scale(n, lanes_flush(press))), along, zero);
}

/* Corrects contacts after an iteration with a step of `length` along the direction. What pulls lets go: among particles
   that are fast, with `all` also where they began outside of the law. Before that slow ones that neighbours take into a
   collider begin to press. Residual, product and operator change. Bodies keep what their blocks were factored with. */
CLOTH_SEPARATE solve_change release_contacts(const cloth *c, const substep_terms *t, float length, int32_t has_solution,
                                             int32_t all) {
  const lanes fast = lanes_splat(FAST_WAY * contact_thickness(c));
  contact_release r = {
      .c = c, .a = arrays_of(c), .t = t, .length = length, .has_solution = has_solution, .all = all, .fast = fast};
  const int32_t meets = !all && c->settings.solver.preconditioner != CLOTH_PRECONDITIONER_NONE; /* that has no block */
  EACH_TOUCH(c, e, {
    if (find_unknown(c, e->collider)) { continue; }
    EACH_TOUCH_LANES(e, r.a->columns, k, {
      release_lanes(&r, e, k);
      if (meets) { meet_lanes(&r, e, k); }
    });
  });
  return (solve_change){lanes_sum_total(&r.along), lanes_sum_total(&r.most), r.changed};
}

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
  return find_unknown(c, index) || !are_equal(&slot->previous, &slot->body.pose, sizeof(cloth_pose));
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
