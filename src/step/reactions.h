#pragma once
#include "../bodies/coupling.h"
#include "../contact/cell_memory.h"
#include "../contact/cell_press.h"
#include "../contact/element.h"
#include "../contact/points.h"
#include "../contact/result.h"
#include "../group/seams.h"
#include "../group/stitches.h"
#include "../self/contact.h"
#include "../self/equation.h"
#include "../self/pairs.h"
#include "../self/tree.h"
#include "../solve/free_pieces.h"
#include "../solve/levels.h"
#include "../terms/air.h"
#include "../terms/confinement.h"
#include "../terms/links.h"
#include "../terms/pin_reactions.h"
#include "momentum.h"
#include "places.h"

/// Reactions of pins ///

/*
 * What the cloth does to whatever holds its particles is what is left of their own rows of the equation: b - A y, as a
 * force times m0 / (s h^2), without the inertia of a pin, and of a confined particle the part across its line or plane.
 *
 * What iterations and the bound on the energy leave of other rows acts from nowhere: the pins that hold a particle
 * share its sum, so that they take what gravity and air give and the momentum of the cloth has not got; not where
 * targets or confined particles hold it, too.
 *
 * Out: own.pin_reactions [N s], residual without these rows; solution, the last step is 0, where the rest is shared.
 */

/* Adds a scaled force [m] of one substep to the reaction of a particle. */
static void note_scaled(const cloth *c, const substep_terms *t, int32_t particle, cloth_vector force) {
  cloth_vector *reaction = (cloth_vector *)at(c, c->own.pin_reactions) + particle;
  *reaction = vector_add(*reaction, vector_scale(vector_flush_work(force), t->h / t->scale));
}

/* What colliders give to pins through cells. */
static void note_cells(const cloth *c, const substep_terms *t, int32_t has_solution) {
  const solve_arrays *a = arrays_of(c);
  EACH_CELL_TOUCH(c, e, {
    if (e->law.along > 0.0f) {
      const cloth_vector force = cell_force(e, moved_on_collider(c, a, e, has_solution));
      for (int32_t n = 0; n < 3; n++) {
        const int32_t place = e->place[n], particle = place / a->pitch * a->columns + place % a->pitch;
        if (!(*own_at(a->diagonal, 1, place, 0) > 0.0f)) {
          note_scaled(c, t, particle, vector_scale(force, e->weight[n]));
        }
      }
    }
  });
}

/* What pairs of cloth and cloth do to pins. */
static void note_pairs(const solve_group *g) {
  pair_ends x;
  note_solutions(g);
  EACH_ELEMENT(g->pairs, e, {
    if (!has_block(&e->press.law)) { continue; }
    find_ends(g->pairs, e, &x);
    const cloth_vector force = force_of_solution(e, solution_of_pair(&x, workspace_of(g->members->c)->last_step));
    for (int32_t n = 0; n < 4; n++) {
      const self_body *b = body_of_end(&x, n);
      if (b->terms && notes_pins(b->c) && !moves_in_solve(b, x.place[n])) {
        const cloth_vector own = vector_scale(force, x.weight[n] / b->weight);
        note_scaled(b->c, b->terms, particle_of_place(b, x.place[n]), own);
      }
    }
  });
}

/* The solution of a particle at a place of the grid; 0 where there is none. */
static cloth_vector solution_at(const cloth *c, const solve_arrays *a, int32_t row, int32_t column,
                                int32_t has_solution) {
  const int32_t particle = particle_from(c, row, column);
  if (particle < 0) { return vector(0.0f, 0.0f, 0.0f); }
  const int32_t inside = particle - row * a->columns, place = row * a->pitch + inside;
  if (!(*own_at(a->diagonal, 1, place, 0) > 0.0f)) { return vector(0.0f, 0.0f, 0.0f); }
  const cloth_vector last = near_vector(near_row(a->direction, a->pitch, row), a->plane, inside);
  const cloth_vector y = vector_scale(last, workspace_of(c)->last_step);
  return has_solution ? vector_add(y, own_vector(a->solution, place)) : y;
}

/* What a particle that is attached to a body gives to it at the solution, scaled. */
static cloth_vector pull_of_attachment(const cloth *c, const solve_arrays *a, const body_unknown *u,
                                       const body_contact *e, int32_t has_solution) {
  const int32_t row = e->place[0] / a->pitch, column = e->place[0] - row * a->pitch;
  const cloth_vector with_body = carried_point(u->solution, e->arm);
  const cloth_vector moved = vector_subtract(solution_at(c, a, row, column, has_solution), with_body);
  return vector_scale(vector_add(e->offset, vector_flush_work(moved)), e->along);
}

/* Notes what a body that touches held particles does to them beyond the right-hand side, K G Y. */
static void note_held_touches(const cloth *c, const solve_arrays *a, const substep_terms *t, const body_unknown *u) {
  float values[3][CLOTH_LANES];
  const vector_array forces = {values[0], values[1], values[2]};
  EACH_BODY_TOUCH(c, u, e, k, {
    lanes3_store(forces, 0, touch_product(e, k, carried(u->solution, arms_of_touch(a, e, k, u))), CLOTH_LANES);
    for (int32_t lane = 0; lane < CLOTH_LANES && e->column + k + lane < a->columns; lane++) {
      const int32_t column = e->column + k + lane;
      if (!(*own_at(a->diagonal, 1, e->row * a->pitch + column, 0) > 0.0f)) {
        note_scaled(c, t, e->row * a->columns + column, vector_load(forces, lane));
      }
    }
  });
}

/* Notes what attached particles, and held ones, do to bodies. */
CLOTH_SEPARATE void note_bodies(const cloth *c, const substep_terms *t, int32_t has_solution) {
  const solve_arrays arrays = *arrays_of(c), *a = &arrays;
  for (int32_t n = 0; n < body_count_of(c); n++) {
    const body_unknown *u = &body_unknowns_of(c)[n];
    note_held_touches(c, a, t, u);
    EACH_ATTACHMENT(c, t, u, e, { note_scaled(c, t, held->particle, pull_of_attachment(c, a, u, &e, has_solution)); });
  }
}

/* The sum of what colliders give to the cloth, at the solution, scaled. */
static cloth_vector given_by_colliders(const cloth *c, const solve_arrays *a, const substep_terms *t,
                                       int32_t has_solution) {
  cloth_vector sum = vector(0.0f, 0.0f, 0.0f);
  if (meets_colliders(c)) { sum = vector_add(sum_of_contacts(c, has_solution), sum_of_cells(c, has_solution)); }
  for (int32_t n = 0; n < body_count_of(c); n++) {
    const body_unknown *u = &body_unknowns_of(c)[n];
    EACH_ATTACHMENT(c, t, u, e, { sum = vector_subtract(sum, pull_of_attachment(c, a, u, &e, has_solution)); });
  }
  return sum;
}

/* A row of the equation that is multiplied with the solution. */
typedef struct solution_row {
  const cloth *c;
  const solve_arrays *a;
  const substep_terms *t;
  int32_t row, column, has_solution;
} solution_row;

static cloth_vector solution_beside(const solution_row *r, int32_t down, int32_t right) {
  return solution_at(r->c, r->a, r->row + down, r->column + right, r->has_solution);
}

/* The springs of a particle, times the solution. */
static cloth_vector springs_times_solution(const solution_row *r) {
  const solve_arrays *a = r->a;
  const cloth_vector here = solution_beside(r, 0, 0);
  cloth_vector sum = vector(0.0f, 0.0f, 0.0f);
  for (int32_t n = 0; n < 9; n++) {
    const int32_t place = place_around(a, r->row, r->column, n);
    if (n == 4 || place < 0) { continue; }
    float m[6];
    block_around(a, r->row, r->column, n, place, m);
    const cloth_vector y = vector_subtract(here, solution_beside(r, n / 3 - 1, n % 3 - 1));
    sum = vector_add(sum, vector(m[0] * y.x + m[3] * y.y + m[4] * y.z, m[3] * y.x + m[1] * y.y + m[5] * y.z,
                                 m[4] * y.x + m[5] * y.y + m[2] * y.z));
  }
  return sum;
}

/* A hinge around a place so many rows and columns off, times the solution. */
static cloth_vector hinge_times_solution(const solution_row *r, int32_t down, int32_t right, int32_t d) {
  const int32_t y = d == WEFT, x = d == WARP;
  const float factor = hinge_factor_at(r->c, r->row + down, r->column + right, d);
  const cloth_vector ends =
      vector_add(solution_beside(r, down - y, right - x), solution_beside(r, down + y, right + x));
  return vector_scale(vector_add_scaled(ends, solution_beside(r, down, right), -2.0f), factor * r->t->hinge[d]);
}

static cloth_vector plate_times_solution(const solution_row *r) {
  cloth_vector sum = vector(0.0f, 0.0f, 0.0f);
  for (int32_t d = WARP; d <= WEFT; d++) {
    const int32_t y = d == WEFT, x = d == WARP;
    sum = vector_add(sum, hinge_times_solution(r, -y, -x, d));
    sum = vector_add(sum, hinge_times_solution(r, y, x, d));
    sum = vector_add_scaled(sum, hinge_times_solution(r, 0, 0, d), -2.0f);
  }
  for (int32_t n = 0; n < 4; n++) {
    const int32_t up = -(n / 2), left = -(n % 2);
    cloth_vector twist = vector_subtract(solution_beside(r, up, left), solution_beside(r, up, left + 1));
    twist = vector_add(twist, vector_subtract(solution_beside(r, up + 1, left + 1), solution_beside(r, up + 1, left)));
    const float sign = n == 0 || n == 3 ? 1.0f : -1.0f;
    sum = vector_add_scaled(sum, twist, sign * r->t->twist * twist_factor_at(r->c, r->row + up, r->column + left));
  }
  return vector_scale(sum, r->t->plate_implicit ? 1.0f + r->t->viscosity : 0.0f);
}

/* A y of a particle: of a pin without its own block, which its own displacement of 0 makes 0. */
static cloth_vector row_times_solution(const solution_row *r) {
  const solve_arrays *a = r->a;
  const int32_t place = r->row * a->pitch + r->column;
  const cloth_vector y = solution_beside(r, 0, 0);
  cloth_vector sum = vector_scale(y, *own_at(a->diagonal, 1, place, 0));
  if (a->springs) { sum = vector_add(sum, springs_times_solution(r)); }
  if (a->air) {
    const cloth_vector w = own_vector(a->air, place);
    sum = vector_add_scaled(sum, w, vector_dot(w, y));
  }
  return r->t->bends ? vector_add(sum, plate_times_solution(r)) : sum;
}

/* What of a force a confinement holds. */
static cloth_vector held_part(const confinement *entry, cloth_vector force) {
  return vector_subtract(force, confine_vector(entry, force));
}

/* Is there a particle that moves beside a pin? */
static int holds_particle(const solve_arrays *a, int32_t pin) {
  for (int32_t n = 0; n < 9; n++) {
    const int32_t place = place_around(a, pin / a->columns, pin % a->columns, n);
    if (place >= 0 && *own_at(a->diagonal, 1, place, 0) > 0.0f) { return 1; }
  }
  return 0;
}

/* Sums over the pins: their reactions [N s], and how many hold a particle. */
typedef struct pin_sums {
  cloth_vector reactions;
  int32_t holding;
} pin_sums;

CLOTH_ONCE pin_sums pin_sums_of(const cloth *c, const solve_arrays *a) {
  const cloth_vector *reactions = (const cloth_vector *)at(c, c->own.pin_reactions);
  pin_sums s = {vector(0.0f, 0.0f, 0.0f), 0};
  for (int32_t i = next_held(c, 0); i < c->count; i = next_held(c, i + 1)) {
    if (!is_gap(c, i, GAP_PARTICLE)) {
      s.reactions = vector_add(s.reactions, reactions[i]);
      s.holding += holds_particle(a, i);
    }
  }
  return s;
}

/* Notes b of pins and confined particles, and clears the rows of pins. Returns the sum of reactions before. */
CLOTH_SEPARATE cloth_vector note_forces(const cloth *c, const substep_terms *t) {
  const solve_arrays *a = arrays_of(c);
  const cloth_vector before = pin_sums_of(c, a).reactions;
  const cloth_vector fall = vector_scale(inputs_of(c)->gravity, t->share * t->h * t->h);
  for (int32_t i = 0; i < c->count; i++) {
    const int32_t place = i / a->columns * a->pitch + i % a->columns;
    if (*own_at(a->diagonal, 1, place, 0) > 0.0f) { continue; }
    const cloth_vector weight = vector_scale(fall, mass_ratio_at(c, i));
    if (!is_gap(c, i, GAP_PARTICLE)) { note_scaled(c, t, i, vector_add(own_vector(a->residual, place), weight)); }
    for (int32_t k = 0; k < 3; k++) {
      *own_at(a->residual, 3, place, k) = 0.0f;
    }
  }
  for (int32_t n = 0; WITH_CONFINED && n < inputs_of(c)->confined_count; n++) {
    const confinement *entry = &confined_of(c)[n];
    const int32_t i = entry->particle, place = i / a->columns * a->pitch + i % a->columns;
    note_scaled(c, t, i, held_part(entry, own_vector(a->residual, place)));
  }
  return before;
}

/* Notes A y of a pin, taken off b; `entry`: of a confined particle. */
static void note_row(const cloth *c, const solve_arrays *a, const substep_terms *t, int32_t i, int32_t has_solution,
                     const confinement *entry) {
  const solution_row r = {c, a, t, i / a->columns, i % a->columns, has_solution};
  if (is_gap(c, i, GAP_PARTICLE)) { return; }
  const cloth_vector product = row_times_solution(&r);
  note_scaled(c, t, i, vector_subtract(vector(0.0f, 0.0f, 0.0f), entry ? held_part(entry, product) : product));
}

/* Notes A y of pins and confined particles, taken off b. */
CLOTH_SEPARATE void note_solution(const cloth *c, const substep_terms *t, int32_t has_solution) {
  const solve_arrays *a = arrays_of(c);
  for (int32_t i = next_held(c, 0); i < c->count; i = next_held(c, i + 1)) {
    note_row(c, a, t, i, has_solution, NULL);
  }
  for (int32_t n = 0; WITH_CONFINED && n < inputs_of(c)->confined_count; n++) {
    const confinement *entry = &confined_of(c)[n];
    note_row(c, a, t, entry->particle, has_solution, entry);
  }
}

/* Gives what is sewn to held particles, and is led by them, does to them to these. */
CLOTH_SEPARATE void note_joined(const solve_group *g) {
  if (!WITH_SEAMS) { return; }
  const sewing *s = g->joints->seams;
  EACH_MEMBER(g, m, {
    const solve_arrays *a = arrays_of(m->c);
    EACH_SEWN(s, g->joints->part, p, c, {
      const sewn_particle *holder = holder_of(s, p);
      if (c != m->c || !holder || p->is_held || !notes_pins(c)) { continue; }
      cloth_vector *own = (cloth_vector *)at(c, c->own.pin_reactions) + p->particle;
      note_row(c, a, m->t, p->particle, m->has_solution, NULL);
      const cloth *to = s->cloths[holder->cloth];
      if (notes_pins(to)) {
        cloth_vector *reaction = (cloth_vector *)at(to, to->own.pin_reactions) + holder->particle;
        *reaction = vector_add(*reaction, *own);
      }
      *own = vector(0.0f, 0.0f, 0.0f);
    });
  });
}

/* The force of the air on all pins, scaled. */
CLOTH_ONCE cloth_vector air_on_pins(const cloth *c, const substep_terms *t, const solve_arrays *a) {
  const prediction_terms p = prediction_of(c, t);
  const lanes zero = lanes_splat(0.0f);
  vector_sum sum = vector_sum_start();
  wind_row wind;
  start_wind(&wind, c, a, t);
  for (int32_t row = 0; row < a->rows && a->air; row++) {
    take_wind_row(&wind, a, row);
    EACH_ROW_BLOCK(i, ends, a->columns, {
      const lanes_mask moves = lanes_less(zero, lanes_load(a->diagonal + row * a->pitch + i));
      const lanes3 way = predicted_way(&p, row * a->columns + i, moves);
      const lanes3 force = lanes3_select(moves, lanes3_of(zero, zero, zero), wind_on_block(&wind, i, ends, way).force);
      vector_sum_add(&sum, i, lanes3_keep(lanes_first(a->columns - i), force));
    });
  }
  return vector_sum_of(&sum);
}

static float held_mass(const cloth *c, const solve_arrays *a) {
  float mass = 0.0f;
  for (int32_t i = 0; i < c->count; i++) {
    if (!(*own_at(a->diagonal, 1, place_of(a, i), 0) > 0.0f) && !is_gap(c, i, GAP_PARTICLE)) {
      mass += mass_ratio_at(c, i);
    }
  }
  return mass;
}

/* What is left of a member's forces beside what pins have noted, and how many of these hold. Finishes the solution. */
CLOTH_ONCE cloth_vector rest_of_member(solve_member *m, int32_t *holding) {
  const cloth *c = m->c;
  const substep_terms *t = m->t;
  const solve_arrays *a = arrays_of(c);
  const cloth_vector none = vector(0.0f, 0.0f, 0.0f);
  pin_sums pins = {none, 0};
  if (notes_pins(c)) { pins = pin_sums_of(c, a); }
  const cloth_vector by_colliders = given_by_colliders(c, a, t, m->has_solution);
  const cloth_vector gained = momenta_of_solution(c, t, a, none, m->has_solution).linear;
  workspace_of(c)->last_step = 0.0f;
  m->has_solution = 1;
  *holding += pins.holding;
  const cloth_vector weight = vector_scale(inputs_of(c)->gravity, t->share * t->h * t->h * held_mass(c, a));
  const cloth_vector given = vector_add(vector_add(weight, air_on_pins(c, t, a)), by_colliders);
  const cloth_vector noted = vector_scale(vector_subtract(pins.reactions, m->noted), t->scale / t->h);
  return vector_subtract(vector_subtract(given, gained), noted);
}

/* 1 if pins alone hold the members, and one of them notes what they hold. */
static int do_pins_share(const solve_group *s) {
  int shares = 0, others = 0;
  EACH_MEMBER(s, m, {
    others |= inputs_of(m->c)->targets != TARGETS_NONE || inputs_of(m->c)->confined_count > 0;
    if (notes_pins(m->c)) {
      const solve_arrays *a = arrays_of(m->c);
      shares |= pin_sums_of(m->c, a).holding > 0;
    }
  });
  return shares && !others;
}

/* Shares the rest of the substep out among the pins. */
CLOTH_SEPARATE void share_rest(const solve_group *s) {
  cloth_vector rest = vector(0.0f, 0.0f, 0.0f);
  int32_t holding = 0;
  if (!do_pins_share(s)) { return; }
  EACH_MEMBER(s, m, {
    const cloth_vector own = rest_of_member(m, &holding);
    rest = vector_add_scaled(rest, own, m->weight);
  });
  EACH_MEMBER(s, m, {
    const solve_arrays *a = arrays_of(m->c);
    const cloth_vector one = vector_scale(rest, 1.0f / ((float)holding * m->weight));
    for (int32_t i = next_held(m->c, 0); notes_pins(m->c) && i < m->c->count; i = next_held(m->c, i + 1)) {
      if (!is_gap(m->c, i, GAP_PARTICLE) && holds_particle(a, i)) { note_scaled(m->c, m->t, i, one); }
    }
  });
}
