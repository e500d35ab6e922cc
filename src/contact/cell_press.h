#pragma once
#include "../bodies/coupling.h"
#include "body.h"
#include "cell_memory.h"
#include "cell_nearest.h"
#include "contact_record.h"
#include "element.h"
#include "law.h"
#include "memory.h"
#include "points.h"
#include "press.h"
#include "result.h"
#include "shapes.h"
#include "touch.h"

/// Cells that touch in the equation ///

/*
 * The forces and blocks of touches of cells: elements of three particles (contact/element.h), with the law of particles
 * and a share of its stiffness. A cell lets go, and its friction is bounded, as that of a particle (contact/press.h).
 * What it does to a body is in bodies/coupling.h.
 *
 * In: touches of cells, residual, product (what pressed last), spring sums, diagonal, direction. Out: residual, ground,
 * product, memory, reactions. Scratch: none.
 */

/* Stiffness of a point between three particles over that of a particle: shares of a point and of its particles are
   together about those of a particle. With 1 a sheet that is pulled over an edge gains energy. */
#define CELL_SHARE 0.25f

/* k_0 of a touch. */
static float cell_stiffness(const cloth *c, const substep_terms *t, const cell_touch *e) {
  const float k = CELL_SHARE * contact_stiffness(t);
  if (!c->constant.stiffness_map) { return k; }
  const float *map = floats_at(c, c->constant.stiffness_map);
  const int32_t i = particle_of_cell(arrays_of(c), e);
  return k * contact_factor(c, map, i / c->grid.columns, i % c->grid.columns);
}

/* What cells, contacts and pairs gave last, in `product`, where cells touch. */
static void take_last_cells(const cloth *c, const substep_terms *t) {
  const solve_arrays *a = arrays_of(c);
  if (workspace_of(c)->cells == 0) { return; }
  if (!workspace_of(c)->has_pairs) {
    clear_floats(a->product, 3 * a->pitch * a->rows);
    add_last_contacts(c, t);
  }
  EACH_CELL_TOUCH(c, e, {
    EACH_MOVING_CORNER(a, e, n, i, add_to_own(a->product, i, vector_scale(e->before.last, e->weight[n] * t->scale)));
  });
}

/* 1 if a touch begins deeper than the law is thick. */
static int is_deep_cell(const cloth *c, const cell_touch *e) {
  return e->reach < CELL_REACH * contact_thickness(c);
}

static float cell_friction(const cloth *c, const cell_touch *e) {
  const cloth_collider *body = &slot_at(c, e->collider)->body;
  return e->slides ? body->kinetic_friction : body->static_friction;
}

/* Takes a touch for its law. */
static void take_cell(const cloth *c, const solve_arrays *a, const substep_terms *t, cell_touch *e, law_block *to) {
  const int32_t lane = to->count++;
  const int32_t begins_at_body = !e->known && find_unknown(c, e->collider); /* corners bound its friction */
  float held = 1.0f;
  to->law[lane] = &e->law;
  take_held_end(&to->end[3], lane);
  for (int32_t n = 0; n < 3; n++) {
    const int32_t i = e->place[n];
    if (*own_at(a->diagonal, 1, i, 0) > 0.0f) {
      const element_end end = {a, t, i, e->weight[n], 1.0f, 1.0f};
      take_end(&to->end[n], lane, &end, begins_at_body);
      held = e->weight[n] > 0.0f ? 0.0f : held;
    } else {
      take_held_end(&to->end[n], lane);
    }
  }
  to->gap[lane] = e->gap;
  to->reach[lane] = e->reach;
  to->thickness[lane] = contact_thickness(c);
  to->friction[lane] = cell_friction(c, e);
  to->held[lane] = held;
  to->stiffness[lane] = cell_stiffness(c, t, e);
  if (held > 0.0f) { to->stiffness[lane] += stiffness_of_body(c, t, find_unknown(c, e->collider), is_deep_cell(c, e)); }
  vector_store(VECTORS_OF(to->normal), lane, e->normal);
  vector_store(VECTORS_OF(to->offset), lane, e->offset);
  vector_store(VECTORS_OF(to->last), lane, vector_scale_work(e->before.last, t->scale));
}

/* Adds what a touch has pressed a body with, which resists its rolling. */
static void press_body(const cloth *c, const substep_terms *t, const cell_touch *e) {
  body_unknown *u = find_unknown(c, e->collider);
  if (u && e->law.along > 0.0f) {
    const float last = flush_work(vector_dot(e->before.last, e->normal) * t->scale);
    u->pressed.partial[0] += maximum(last, 0.0f);
  }
}

/* The laws of all touches of cells. */
CLOTH_SEPARATE void press_cells(const cloth *c, const substep_terms *t) {
  const solve_arrays *a = arrays_of(c);
  law_block b;
  open_laws(&b);
  EACH_CELL_TOUCH(c, e, {
    take_cell(c, a, t, e, &b);
    if (b.count == CLOTH_LANES || e + 1 == e_end) { find_laws(&b); }
  });
  EACH_CELL_TOUCH(c, touched, {
    press_body(c, t, touched);
    touched->before.held = touched->law;
  });
}

CLOTH_SEPARATE void add_cell_forces(const cloth *c) {
  const solve_arrays *a = arrays_of(c);
  const cloth_vector none = vector(0.0f, 0.0f, 0.0f);
  EACH_CELL_TOUCH(c, e, {
    if (has_block(&e->law)) {
      const cloth_vector force = cell_force(e, none);
      EACH_MOVING_CORNER(a, e, n, i, {
        add_to_own(a->residual, i, vector_scale(force, e->weight[n]));
        add_element_block(a, i, e->normal, &e->law, e->weight[n]);
      });
    }
  });
}

/* What touches of cells add to p . q and, but for the last direction, to the product: the blocks of their particles are
   in `ground`, and are taken out. */
CLOTH_SEPARATE float multiply_cells(const cloth *c, int32_t is_last) {
  const solve_arrays *a = arrays_of(c);
  float sum = 0.0f;
  cloth_vector p[3];
  EACH_CELL_TOUCH(c, e, {
    if (has_block(&e->before.held)) {
      const cloth_vector moved = near_at_cell(a, a->direction, e, p);
      const cloth_vector force = element_product(e->normal, e->law.along, e->law.across, moved);
      sum += vector_dot(force, moved);
      EACH_MOVING_CORNER(a, e, n, i, {
        const cloth_vector own = element_product(e->normal, e->before.held.along, e->before.held.across, p[n]);
        sum -= e->weight[n] * vector_dot(own, p[n]);
        if (!is_last) { add_to_own(a->product, i, vector_scale(vector_subtract(force, own), e->weight[n])); }
      });
    }
  });
  return sum;
}

/* Lets go what pulls, as release_contacts() does, but for bodies. */
CLOTH_SEPARATE solve_change release_cells(const cloth *c, float length, int32_t has_solution, int32_t all) {
  const solve_arrays *a = arrays_of(c);
  const float fast = FAST_WAY * contact_thickness(c);
  solve_change change = {0.0f, 0.0f, 0};
  cloth_vector p[3];
  EACH_CELL_TOUCH(c, e, {
    if (!(e->law.along > 0.0f) || !(all || fast < e->way) || find_unknown(c, e->collider)) { continue; }
    const cloth_vector moved = solution_of_cell(a, e, length, has_solution), before = cell_force(e, moved);
    const element_law old = e->law;
    e->law = released_law(&e->law, e->normal, e->offset, moved, cell_friction(c, e), fast < e->way);
    if (e->law.along == old.along && e->law.across == old.across) { continue; }
    const cloth_vector direction = near_at_cell(a, a->direction, e, p);
    const cloth_vector r = vector_flush_work(vector_subtract(cell_force(e, moved), before));
    const cloth_vector q = element_product(e->normal, e->law.along - old.along, e->law.across - old.across, direction);
    EACH_MOVING_CORNER(a, e, n, i, {
      add_to_own(a->product, i, vector_scale(q, e->weight[n]));
      add_to_own(a->residual, i, vector_scale(vector_add_scaled(r, q, length), e->weight[n]));
    });
    change.along += vector_dot(r, direction);
    change.most += vector_dot(q, direction);
    change.changed = 1;
  });
  return change;
}

/* By how much the energy of touches of cells rises along the ways of a substep, see contact/press.h. */
CLOTH_SEPARATE float cells_rise(const cloth *c, const substep_terms *t) {
  const solve_arrays *a = arrays_of(c);
  const float thickness = contact_thickness(c);
  cloth_vector v[3];
  float sum = 0.0f;
  EACH_CELL_TOUCH(c, e, {
    const float k = cell_stiffness(c, t, e);
    const cloth_vector d = near_at_cell(a, a->bent, e, v), w = near_at_cell(a, a->direction, e, v);
    const cloth_vector moved = vector_flush_work(vector_subtract(d, w)), n = e->normal;
    const float gap = e->gap - flush_work(vector_dot(n, w));
    const float more = negate(flush_work(vector_dot(n, d))) / thickness;
    const lanes rise = law_rise(lanes_splat((e->reach - gap) / thickness), lanes_splat(more));
    const cloth_vector offset = vector_across(vector_add(e->offset, moved), n);
    sum += flush_work(k * (thickness * thickness) * lanes_first_value(rise));
    sum += flush_work(e->law.across * flush_work(vector_dot(offset, d)));
  });
  return sum;
}

/* How the point of a touch has moved in the solve from what it touches. */
static cloth_vector moved_on_collider(const cloth *c, const solve_arrays *a, const cell_touch *e,
                                      int32_t has_solution) {
  const cloth_vector moved = solution_of_cell(a, e, workspace_of(c)->last_step, has_solution);
  const body_unknown *u = find_unknown(c, e->collider);
  if (!u) { return moved; }
  const cloth_vector way = carried_point(u->solution, arm_of_cell(a, e, u->centre));
  return vector_flush_work(vector_subtract(moved, way));
}

/* The sum of the forces that colliders give to cells at the solution, scaled. */
static cloth_vector sum_of_cells(const cloth *c, int32_t has_solution) {
  const solve_arrays *a = arrays_of(c);
  cloth_vector sum = vector(0.0f, 0.0f, 0.0f);
  EACH_CELL_TOUCH(c, e, {
    if (e->law.along > 0.0f) { sum = vector_add(sum, cell_force(e, moved_on_collider(c, a, e, has_solution))); }
  });
  return vector_flush_work(sum);
}

/* Ends a touch. Returns 1 if it is remembered, as *m. */
static int finish_cell(const cloth *c, const solve_arrays *a, const substep_terms *t, const touched_body *b,
                       const cell_touch *e, int32_t has_solution, cell_memory *m) {
  const vector_array x = vectors_at(c, c->state.position);
  const float k = cell_stiffness(c, t, e), thickness = contact_thickness(c);
  cloth_vector at = vector(0.0f, 0.0f, 0.0f), normal;
  if (!(e->law.along > 0.0f)) { return 0; }
  for (int32_t n = 0; n < 3; n++) {
    const int32_t row = e->place[n] / a->pitch, column = e->place[n] - row * a->pitch;
    at = vector_add_scaled(at, vector_load(x, row * a->columns + column), e->weight[n]);
  }
  const cloth_vector place = vector_flush_state(to_local(&b->end, vector_flush_state(at)));
  const cloth_vector moved = moved_on_collider(c, a, e, has_solution);
  const cloth_vector arm =
      b->unknown ? arm_of_cell(a, e, b->unknown->centre) : vector_flush_work(rotate(b->end.rotation, place));
  const cloth_vector newton = vector_scale_work(cell_force(e, moved), 1.0f / t->scale);
  const cloth_vector impulse = vector_scale_work(newton, negate(t->h));
  add_to_reaction(c, e->collider, impulse, vector_cross(arm, impulse));
  const float distance = distance_of_point(b->shape, b->geometry, place, &normal);
  const float depth = minimum(maximum((e->reach - distance) / thickness, 0.0f), DEEPEST);
  const float law = flush_work(lanes_first_value(law_force(lanes_splat(k * thickness), lanes_splat(depth))));
  if (has_contact_record(c)) {
    add_varying_work(c, 1, record_cost(c));
    record_beside(c, law > 0.0f ? workspace_of(c)->parts : -1, particle_of_cell(a, e), recorded_number(c, e->collider),
                  at, vector_flush_work(rotate(b->end.rotation, normal)), vector_scale_work(newton, t->h));
  }
  if (!(law > 0.0f)) { return 0; }
  const cloth_vector way = vector_across(vector_add(e->offset, moved), e->normal);
  const float length = maximum(vector_length(way), WORK_QUANTUM), holds = cell_friction(c, e) * (law / k);
  const int32_t slips = holds < length;
  const cloth_vector held = vector_flush_work(slips ? vector_scale(way, holds / length) : way);
  const cloth_vector back = vector_flush_work(rotate(rotation_conjugate(b->end.rotation), held));
  fill_zero(m, sizeof *m);
  m->key = e->key;
  m->slides = SLIDING_SPEED * t->h < length - holds;
  m->weight[0] = flush_work(e->weight[1]);
  m->weight[1] = flush_work(e->weight[2]);
  m->force = vector_dot(newton, e->normal) < 0.0f ? vector(0.0f, 0.0f, 0.0f) : newton;
  m->anchor = vector_flush_state(slips || !e->known ? vector_subtract(place, back) : e->anchor);
  return 1;
}

/* Counts the particles that stand for cells that touch, and do not touch themselves. `counted`: an array of a float for
   each particle, which are 0. */
static void count_cell(const cloth *c, const cell_memory *m, int32_t particle, float *counted) {
  cloth_statistics *s = statistics_of(c);
  int32_t touches = counted[particle] > 0.0f;
  for (int32_t slot = 0; slot < MEMORY_SLOTS; slot++) {
    touches |= memory_of(c, slot, MEMORY_CODE)[particle] != 0.0f;
  }
  counted[particle] = 1.0f;
  s->contacts += !touches;
  s->contacts_sticking += !touches && !m->slides && vector_dot(m->force, m->force) > 0.0f;
}

/* Ends the touches of cells of a substep, whose new positions have been accepted, after those of particles: reactions,
   memory, their number. */
CLOTH_SEPARATE void finish_cells(const cloth *c, const substep_terms *t, int32_t has_solution) {
  const solve_arrays *a = arrays_of(c);
  const uint32_t before = *cells_remembered(c);
  cell_memory *entry = cell_memories_of(c);
  touched_body b = {.collider = -1};
  uint32_t count = 0;
  if (workspace_of(c)->cells > 0) { clear_floats(a->residual, c->count); }
  EACH_CELL_TOUCH(c, e, {
    if (e->collider != b.collider) { take_touched_body(c, t, e->collider, &b); }
    if (finish_cell(c, a, t, &b, e, has_solution, &entry[count])) {
      count_cell(c, &entry[count], particle_of_cell(a, e), a->residual);
      count++;
    }
  });
  set_cells_remembered(c, count, before);
}
