#pragma once
#include "../bodies/coupling.h"
#include "body.h"
#include "cell_memory.h"
#include "contact_record.h"
#include "geometry.h"
#include "law.h"
#include "memory.h"
#include "points.h"
#include "press.h"
#include "search.h"
#include "touch.h"

/// What contact leaves behind ///

/*
 * After the new state: the force that each contact has given, F = lambda n - k_t u at the solution, which is the
 * reaction of the collider and what the particle remembers; and the anchor, which follows where friction does not hold,
 * so that no more than mu lambda / k_0 is left of the offset.
 *
 * Safety: a particle that is nevertheless farther inside than the law is thick is moved out to there, which becomes
 * speed, up to max_speed. It is counted, and never happens at rest.
 *
 * The workspace counts the touches of a part of a substep; the particles searched for them, and those moved out; the
 * parts of a step so far; and holds 1 in `remembers` if any particle may remember contacts from the part before.
 *
 * In: touches, place, position, velocity. Out: memory, reactions, statistics; position and velocity of what is moved
 * out. Scratch: none.
 */

/* Share of the thickness by which particles are moved out beyond where the law ends. */
#define SAFETY_SHARE 0.02f

/* Speed from which contacts slide, with kinetic friction [m/s]: slower ones only slip, as those of a sheet that is laid
   down (S15). */
#define SLIDING_SPEED 0.05f

/* What the pass over the touches takes. */
typedef struct touch_result {
  const cloth *c;
  const solve_arrays *a;
  const substep_terms *t;
  const touched_body *b;
  vector_array x, v;
  int32_t has_solution, safety;
  lanes3 place;                /* where lanes of a touch end, in the collider's axes, ... */
  lanes distance;              /* ... and how far from it */
  lanes_sum *impulse, *torque; /* what it has received, a sum for each component */
} touch_result;

/* A pass over touches of collider `b`. */
static touch_result touch_result_of(const cloth *c, const substep_terms *t, const touched_body *b,
                                    int32_t has_solution) {
  return (touch_result){.c = c,
                        .a = arrays_of(c),
                        .t = t,
                        .b = b,
                        .x = vectors_at(c, c->state.position),
                        .v = vectors_at(c, c->state.velocity),
                        .has_solution = has_solution};
}

/* Moves those particles out that are farther inside than the law is thick. */
CLOTH_SEPARATE void move_out(touch_result *r, const touch *e, int32_t k, lanes_mask touches) {
  const int32_t i = e->column + k, particle = e->row * r->a->columns + i, left = r->a->columns - i;
  const lanes thickness = lanes_splat(contact_thickness(r->c));
  const lanes least = lanes_subtract(touch_load(e, TOUCH_REACH, k), thickness);
  lanes3 x = lanes3_load(r->x, particle);
  lanes3 normal;
  r->place = lanes_to_local(&r->b->end, x);
  if (is_surface(r->b->shape->shape)) { /* guard_surfaces() has moved out what had passed */
    const lanes3 way = lanes3_subtract(x, near_load(near_row(r->a->place, r->a->pitch, e->row), r->a->plane, i));
    const lanes out = lanes_flush(lanes3_dot(touch_vector(e, TOUCH_NORMAL, k), lanes3_flush(way)));
    r->distance = lanes_add(touch_load(e, TOUCH_GAP, k), out);
    return;
  }
  const lanes distance = r->distance = distances_to(r->b, &r->place, &normal);
  const lanes_mask moves = lanes_less(lanes_splat(0.0f), lanes_load(r->a->diagonal + e->row * r->a->pitch + i));
  const lanes_mask inside = lanes_both(lanes_both(touches, moves), lanes_less(distance, least));
  if (!lanes_any(inside)) { return; }
  const lanes out = lanes_subtract(lanes_add(least, lanes_multiply(thickness, lanes_splat(SAFETY_SHARE))), distance);
  const lanes3 n = lanes3_rotate(r->b->end.rotation, normal);
  const lanes3 push = lanes3_keep(inside, lanes3_flush(lanes3_scale(lanes3_flush(n), out)));
  const lanes3 faster = lanes3_scale(push, lanes_splat(r->t->inverse_h));
  x = lanes3_flush_below(lanes3_add(x, push), STATE_QUANTUM);
  lanes3_store(r->x, particle, x, left);
  const lanes3 v = lanes3_flush(lanes3_add(lanes3_load(r->v, particle), faster));
  const lanes most = lanes_splat(r->c->settings.integration.max_speed);
  const lanes within = lanes_divide(most, lanes_maximum(lanes3_length(v), most));
  const lanes slower = lanes_select(inside, within, lanes_splat(1.0f));
  lanes3_store(r->v, particle, lanes3_flush_below(lanes3_scale(v, slower), STATE_QUANTUM), left);
  r->safety += (int32_t)lanes_count(lanes_keep(inside, lanes_splat(1.0f)));
  r->place = lanes_to_local(&r->b->end, x);
  r->distance = lanes_select(inside, lanes_add(distance, out), distance);
}

/* How far particles of lanes `k` of a touch have moved in the solve from what they touch, a body or not. */
CLOTH_INLINE lanes3 moved_on_body(const cloth *c, const solve_arrays *a, const body_unknown *u, const touch *e,
                                  int32_t k, int32_t has_solution) {
  const lanes3 solution = solution_at_touch(a, e, k, workspace_of(c)->last_step, has_solution);
  return u ? lanes3_subtract(solution, carried(u->solution, arms_of_touch(a, e, k, u))) : solution;
}

/* The sum of the forces that colliders give to the cloth by contact, at the solution, scaled. */
CLOTH_SEPARATE cloth_vector sum_of_contacts(const cloth *c, int32_t has_solution) {
  const solve_arrays *a = arrays_of(c);
  lanes_sum sums[3];
  fill_zero(sums, sizeof sums);
  EACH_TOUCH(c, e, {
    const body_unknown *u = find_unknown(c, e->collider);
    EACH_TOUCH_LANES(e, a->columns, k, {
      const lanes_mask acts = lanes_less(lanes_splat(0.0f), touch_load(e, TOUCH_ALONG, k));
      lanes3_sum_add(sums, k, lanes3_keep(acts, touch_force(e, k, moved_on_body(c, a, u, e, k, has_solution))));
    });
  });
  return vector_flush_work(lanes3_sum_total(sums));
}

/* Records lanes `k` of a touch that have given an impulse, or still touch. */
static void record_touch(const touch_result *r, const touch *e, int32_t k, lanes3 normal, lanes3 impulse,
                         lanes_mask gives, lanes_mask keeps) {
  float given[CLOTH_LANES], kept[CLOTH_LANES], normals[3][CLOTH_LANES], impulses[3][CLOTH_LANES];
  lanes_store(given, lanes_keep(gives, lanes_splat(1.0f)));
  lanes_store(kept, lanes_keep(keeps, lanes_splat(1.0f)));
  lanes3_store(VECTORS_OF(normals), 0, normal, CLOTH_LANES);
  lanes3_store(VECTORS_OF(impulses), 0, impulse, CLOTH_LANES);
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    const int32_t particle = e->row * r->a->columns + e->column + k + lane;
    if (given[lane] > 0.0f) {
      add_varying_work(r->c, 1, record_cost(r->c));
      record_contact(r->c, kept[lane] > 0.0f ? workspace_of(r->c)->parts : -1, particle,
                     recorded_number(r->c, e->collider), vector_load(r->x, particle),
                     vector_load(VECTORS_OF(normals), lane), vector_load(VECTORS_OF(impulses), lane));
    }
  }
}

/* The result of lanes `k` of a touch: what the collider receives goes into the sums; what the particles remember
   replaces normal, offset and stiffness of the touch. */
CLOTH_SEPARATE void finish_touch(touch_result *r, touch *e, int32_t k) {
  const int32_t i = e->column + k;
  const lanes zero = lanes_splat(0.0f), thickness = lanes_splat(contact_thickness(r->c));
  const lanes stiffness = touch_stiffness(r->c, e, k, contact_stiffness(r->t));
  const lanes_mask touches = touch_mask(e, k);
  const lanes_mask acts = lanes_both(touches, lanes_less(zero, touch_load(e, TOUCH_ALONG, k)));
  if (!lanes_any(acts)) { return; }
  const lanes3 moved = moved_on_body(r->c, r->a, r->b->unknown, e, k, r->has_solution);
  const lanes3 n = touch_vector(e, TOUCH_NORMAL, k);
  const lanes3 force = lanes3_scale(touch_force(e, k, moved), lanes_splat(1.0f / r->t->scale));
  const lanes3 newton = lanes3_keep(acts, lanes3_flush(force));
  const lanes_mask pulls = lanes_less(lanes3_dot(newton, n), zero);
  const lanes3 place = r->place;
  /* what the collider receives; arms are as the solve has them, if it is a body */
  const lanes3 impulse = lanes3_flush(lanes3_scale(newton, lanes_splat(negate(r->t->h))));
  const lanes3 arm =
      r->b->unknown ? arms_of_touch(r->a, e, k, r->b->unknown) : lanes3_flush(lanes3_rotate(r->b->end.rotation, place));
  lanes3_sum_add(r->impulse, k, impulse);
  lanes3_sum_add(r->torque, k, lanes3_cross(arm, impulse));
  /* what the particles remember */
  const lanes depth = lanes_divide(lanes_subtract(touch_load(e, TOUCH_REACH, k), r->distance), thickness);
  const lanes law = lanes_flush(law_force(lanes_multiply(stiffness, thickness), within_law(depth)));
  const lanes_mask keeps = lanes_both(acts, lanes_less(zero, law));
  if (has_contact_record(r->c)) { record_touch(r, e, k, n, lanes3_scale(impulse, lanes_splat(-1.0f)), acts, keeps); }
  const remembered m = remember(r->c, touched_number(e), e->row * r->a->columns + i);
  const lanes3 off = lanes3_add(touch_vector(e, TOUCH_OFFSET, k), moved);
  const lanes3 way = lanes3_across(off, n);
  const lanes length = lanes_maximum(lanes3_length(way), lanes_splat(WORK_QUANTUM));
  const lanes holds = lanes_multiply(touch_friction(r->c, e, &m), lanes_divide(law, stiffness));
  const lanes_mask slips = lanes_less(holds, length);
  const lanes_mask slides = lanes_less(lanes_splat(SLIDING_SPEED * r->t->h), lanes_subtract(length, holds));
  const lanes left = lanes_minimum(lanes_divide(holds, length), lanes_splat(1.0f));
  const lanes3 back = lanes3_rotate(rotation_conjugate(r->b->end.rotation), lanes3_flush(lanes3_scale(way, left)));
  const lanes3 held = lanes3_rotate(rotation_conjugate(r->b->end.rotation), way);
  const lanes3 old = lanes3_select(m.known, m.anchor, lanes3_subtract(place, held));
  const lanes3 anchor = lanes3_select(slips, lanes3_subtract(place, back), old);
  const lanes code = lanes_select(slides, lanes_splat(memory_code(touched_number(e)) + 1.0f),
                                  lanes_splat(memory_code(touched_number(e))));
  const lanes3 pressed = lanes3_select(pulls, lanes3_splat(vector(0.0f, 0.0f, 0.0f)), newton);
  const lanes_mask presses = lanes_less(zero, lanes3_dot(pressed, n));
  touch_store(e, TOUCH_ALONG, k, lanes_keep(keeps, lanes_select(presses, code, lanes_negate(code))));
  touch_vector_store(e, TOUCH_NORMAL, k, pressed);
  touch_vector_store(e, TOUCH_OFFSET, k, lanes3_flush_below(anchor, STATE_QUANTUM));
}

/* Keeps lanes `k` of a touch in the memory of its particles: in the slot of the one that presses least, if that presses
   less. */
static void remember_lanes(const cloth *c, const touch *e, int32_t k) {
  const int32_t i = e->column + k, particle = e->row * c->grid.columns + i, left = c->grid.columns - i;
  const lanes zero = lanes_splat(0.0f), none = lanes_splat(-1.0f), code = touch_load(e, TOUCH_ALONG, k);
  const lanes3 force = touch_vector(e, TOUCH_NORMAL, k), anchor = touch_vector(e, TOUCH_OFFSET, k);
  const lanes_mask keeps = lanes_less(zero, lanes_absolute(code));
  lanes least = lanes3_dot(force, force), to = none;
  for (int32_t slot = 0; slot < MEMORY_SLOTS; slot++) {
    const lanes kept = lanes_absolute(lanes_load(memory_of(c, slot, MEMORY_CODE) + particle));
    const lanes3 other = lanes3_load(memory_vectors(c, slot, MEMORY_FORCE), particle);
    const lanes pressed = lanes_select(lanes_less(zero, kept), lanes3_dot(other, other), none);
    const lanes_mask is_less = lanes_both(keeps, lanes_less(pressed, least));
    to = lanes_select(is_less, lanes_splat((float)slot), to);
    least = lanes_select(is_less, pressed, least);
  }
  for (int32_t slot = 0; slot < MEMORY_SLOTS; slot++) {
    float *codes = memory_of(c, slot, MEMORY_CODE) + particle;
    const vector_array forces = memory_vectors(c, slot, MEMORY_FORCE), anchors = memory_vectors(c, slot, MEMORY_ANCHOR);
    const lanes off = lanes_absolute(lanes_subtract(to, lanes_splat((float)slot)));
    const lanes_mask takes = lanes_less(off, lanes_splat(0.5f));
    if (!lanes_any(takes)) { continue; }
    lanes_store_first(codes, lanes_select(takes, code, lanes_load(codes)), left);
    lanes3_store(forces, particle, lanes3_select(takes, force, lanes3_load(forces, particle)), left);
    lanes3_store(anchors, particle, lanes3_select(takes, anchor, lanes3_load(anchors, particle)), left);
  }
}

/* Counts what particles of a touch touch: whoever holds by friction anywhere sticks. */
static void count_contacts(const cloth *c, const touch *e) {
  const int32_t columns = c->grid.columns, first = e->row * columns + e->column;
  int32_t touching = 0, sticking = 0;
  for (int32_t k = 0; k < TOUCH_LANES && e->column + k < columns; k++) {
    int32_t touches = 0, sticks = 0;
    for (int32_t slot = 0; slot < MEMORY_SLOTS; slot++) {
      const float code = memory_of(c, slot, MEMORY_CODE)[first + k];
      touches |= code != 0.0f;
      sticks |= code > 0.0f && ((int32_t)code & 1) == 0;
    }
    touching += touches;
    sticking += sticks;
  }
  statistics_of(c)->contacts += touching;
  statistics_of(c)->contacts_sticking += sticking;
}

/* The new memory of a block of particles, whose chain begins at touch `first`. */
CLOTH_SEPARATE void remember_block(const cloth *c, int32_t first) {
  const touch *list = touches_of(c);
  for (int32_t n = first; n >= 0; n = list[n].next) {
    EACH_TOUCH_LANES(&list[n], c->grid.columns, k, remember_lanes(c, &list[n], k));
  }
  count_contacts(c, &list[first]);
}

/* The new memory of all particles, and their number that touch. */
static void remember_contacts(const cloth *c) {
  workspace *w = workspace_of(c);
  w->statistics.contacts = w->statistics.contacts_sticking = 0;
  forget_all_touching(c);
  EACH_CHAIN(c, first, remember_block(c, first));
  w->remembers = 1;
}

/* The same of a substep in which nothing touches. */
static void remember_nothing(const cloth *c) {
  workspace *w = workspace_of(c);
  if (w->remembers) {
    forget_all_touching(c);
    set_cells_remembered(c, 0, *cells_remembered(c));
    w->statistics.contacts = w->statistics.contacts_sticking = w->remembers = 0;
  }
}

/* Ends the contacts of a substep, whose new positions have been accepted. */
CLOTH_SEPARATE void finish_contacts(const cloth *c, const substep_terms *t, int32_t has_solution) {
  touched_body b = {.collider = -1};
  touch_result r = touch_result_of(c, t, &b, has_solution);
  lanes_sum sums[6];
  r.impulse = sums;
  r.torque = sums + 3;
  EACH_TOUCH(c, e, {
    fill_zero(sums, sizeof sums);
    if (e->collider != b.collider) { take_touched_body(c, t, e->collider, &b); }
    EACH_TOUCH_LANES(e, r.a->columns, k, {
      move_out(&r, e, k, touch_mask(e, k));
      finish_touch(&r, e, k);
    });
    add_to_reaction(c, e->collider, lanes3_sum_total(r.impulse), lanes3_sum_total(r.torque));
  });
  remember_contacts(c);
  workspace_of(c)->moved_out += r.safety;
}

/// Particles that neighbours pull ///

/*
 * Touches are found before the solve, around where each particle goes by itself. What its neighbours pull by more than
 * the thickness beside that may come out inside a collider that it was not to touch. A repair: it is moved out as what
 * is too deep is. It never happens at rest, and costs nothing where no particle goes so far.
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
        workspace_of(r->c)->searched += (int32_t)lanes_count(lanes_keep(which, lanes_splat(1.0f)));
        touch_store(e, TOUCH_REACH, 0, own);
        move_out(r, e, 0, without_slow_ones(r, e, which, own));
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
