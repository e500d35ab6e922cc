#pragma once
#include "../base/block3.h"
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/rows.h"
#include "../base/scalar.h"
#include "../bodies/bodies.h"
#include "../bodies/coupling.h"
#include "../cloth/access.h"
#include "../cloth/arrays.h"
#include "../cloth/body_list.h"
#include "../cloth/members.h"
#include "../cloth/types.h"
#include "momentum.h"

/// Restoring momentum ///

/* What a solve has left over is taken out of the solution of what nothing holds, as a motion as a whole, see
   momentum.h: of a piece, or of all cloths that are solved as one, with the bodies that move along. */

/* A motion as a whole about a centre: a shift, and a small turn; of the bodies, too, that move along. */
typedef struct common_motion {
  cloth_vector centre, shift, turn;
  int32_t has_bodies;
} common_motion;

#if WITH_BODIES

/* The centre of mass of cloth and the bodies that move along, and their mass ratios. */
static cloth_vector centre_with_bodies(const cloth *c, const substep_terms *t, cloth_vector centre, float *mass) {
  cloth_vector moment = vector_scale(centre, *mass);
  for (int32_t n = 0; n < body_count_of(c); n++) {
    const body_unknown *u = &body_unknowns_of(c)[n];
    const float ratio = u->joins && !u->leader ? body_mass_ratio(t, &bodies_of(c)[n]) : 0.0f;
    moment = vector_add_scaled(moment, vector_flush_work(u->start.position), ratio);
    *mass += ratio;
  }
  return vector_scale(moment, 1.0f / *mass);
}

/* A column of a symmetric matrix, added. */
static void add_column(tensor *m, int32_t n, cloth_vector column) {
  if (n == 0) {
    m->diagonal.x += column.x;
    m->others.z += column.y;
  } else if (n == 1) {
    m->diagonal.y += column.y;
    m->others.x += column.z;
  } else {
    m->diagonal.z += column.z;
    m->others.y += column.x;
  }
}

/* Adds the bodies that move along to momenta about a centre. */
CLOTH_SEPARATE void add_body_momenta(const cloth *c, const substep_terms *t, cloth_vector centre, momenta *m) {
  const float squared = t->h * t->h;
  for (int32_t n = 0; n < body_count_of(c); n++) {
    const rigid_body *b = &bodies_of(c)[n];
    const body_unknown *u = &body_unknowns_of(c)[n];
    if (!u->joins || u->leader) { continue; }
    const float ratio = body_mass_ratio(t, b), *y = u->solution;
    const cloth_vector arm = vector_flush_work(vector_subtract(u->start.position, centre));
    const cloth_vector moved = vector(y[0], y[1], y[2]), turned = vector_flush_work(vector(y[3], y[4], y[5]));
    const cloth_vector fall = inputs_of(c)->gravity;
    const cloth_vector linear = vector_add_scaled(moved, fall, negate(squared * b->gravity));
    const cloth_vector angular = vector_add_scaled(moved, fall, squared * (1.0f - b->gravity));
    const cloth_vector spin = vector_scale(apply_inertia(b->inertia, u->end.rotation, turned, 0), ratio / b->mass);
    m->linear = vector_add_scaled(m->linear, vector_flush_work(linear), ratio);
    m->angular = vector_add_scaled(m->angular, vector_cross(arm, vector_flush_work(angular)), ratio);
    m->angular = vector_add(m->angular, spin);
  }
}

/* The same of their inertia. */
CLOTH_SEPARATE void add_body_inertia(const cloth *c, const substep_terms *t, cloth_vector centre, inertia_sums *sums) {
  for (int32_t n = 0; n < body_count_of(c); n++) {
    const rigid_body *b = &bodies_of(c)[n];
    const body_unknown *u = &body_unknowns_of(c)[n];
    if (!u->joins || u->leader) { continue; }
    const float ratio = body_mass_ratio(t, b);
    const cloth_vector arm = vector_flush_work(vector_subtract(u->start.position, centre));
    sums->isotropic += ratio;
    for (int32_t k = 0; k < 3; k++) {
      const cloth_vector own = apply_inertia(b->inertia, u->end.rotation, along_axis(k, 1.0f), 0);
      add_column(&sums->arms, k, vector_scale(arm, ratio * component(arm, k)));
      add_column(&sums->turned, k, vector_scale(own, ratio / b->mass));
    }
  }
}

/* Takes a common motion out of the bodies that move along. */
static void take_from_bodies(const cloth *c, const common_motion *m) {
  for (int32_t n = 0; n < body_count_of(c); n++) {
    body_unknown *u = &body_unknowns_of(c)[n];
    const cloth_vector arm = vector_flush_work(vector_subtract(u->start.position, m->centre));
    const cloth_vector taken = vector_add(m->shift, vector_cross(m->turn, arm));
    for (int32_t k = 0; u->joins && k < 3; k++) {
      u->solution[k] -= component(taken, k);
      u->solution[3 + k] -= u->turns ? component(m->turn, k) : 0.0f;
    }
  }
}

#endif

static void add_weighted(cloth_vector *sum, cloth_vector a, float weight) {
  *sum = vector_add_scaled(*sum, a, weight);
}

static void add_inertia(inertia_sums *sum, const inertia_sums *a, float weight) {
  sum->isotropic += weight * a->isotropic;
  add_weighted(&sum->arms.diagonal, a->arms.diagonal, weight);
  add_weighted(&sum->arms.others, a->arms.others, weight);
  add_weighted(&sum->blown.diagonal, a->blown.diagonal, weight);
  add_weighted(&sum->blown.others, a->blown.others, weight);
  add_weighted(&sum->turned.diagonal, a->turned.diagonal, weight);
  add_weighted(&sum->turned.others, a->turned.others, weight);
  for (int32_t k = 0; k < 3; k++) {
    add_weighted(&sum->coupled[k], a->coupled[k], weight);
  }
}

/* The centre of mass of a piece of one member, and its mass ratio. */
static cloth_vector centre_of_member(const solve_member *m, int32_t label, int32_t has_bodies, float *mass) {
  const solve_arrays a = arrays_of_free_piece(m->c, label);
  const cloth_vector centre = centre_of_mass(m->c, &a, mass);
#if WITH_BODIES
  return has_bodies ? centre_with_bodies(m->c, m->t, centre, mass) : centre;
#else
  (void)has_bodies;
  return centre;
#endif
}

/* The same of all members together. */
CLOTH_ONCE cloth_vector centre_of_members(const solve_group *s, int32_t label, int32_t has_bodies, float *mass) {
  cloth_vector moment = vector(0.0f, 0.0f, 0.0f), centre = moment;
  *mass = 0.0f;
  EACH_MEMBER(s, m, {
    const float weight = mass_weight(s, m);
    float own;
    centre = centre_of_member(m, label, has_bodies, &own);
    *mass += weight * own;
    moment = vector_add_scaled(moment, centre, weight * own);
  });
  return s->count > 1 ? vector_scale(moment, 1.0f / maximum(*mass, WORK_QUANTUM)) : centre;
}

/* Takes a motion as a whole out of the solution of a piece. */
CLOTH_ONCE void take_motion(const cloth *c, int32_t label, const common_motion *m) {
  const solve_arrays arrays = arrays_of_free_piece(c, label), *a = &arrays;
  const vector_array x = vectors_at(c, c->state.position);
  const lanes3 centre = lanes3_splat(m->centre), shift = lanes3_splat(m->shift), turned = lanes3_splat(m->turn);
  for (int32_t row = 0; row < a->rows; row++) {
    float *solution = a->solution + 3 * row * a->pitch;
    for (int32_t i = 0; i < a->columns; i += CLOTH_LANES) {
      const lanes_mask there = lanes_less(lanes_splat(0.0f), lanes_load(a->diagonal + row * a->pitch + i));
      const lanes3 r = lanes3_subtract(lanes3_load(x, row * a->columns + i), centre);
      const lanes3 taken = lanes3_keep(there, lanes3_add(shift, lanes3_cross(turned, r)));
      own_store(solution, i, lanes3_subtract(own_load(solution, i), taken));
    }
  }
#if WITH_BODIES
  if (m->has_bodies) { take_from_bodies(c, m); }
#endif
}

/* Adds the momenta of a piece of one member. */
CLOTH_ONCE void add_momenta_of_member(const solve_group *s, const solve_member *m, int32_t label,
                                      const common_motion *whole, momenta *sum) {
  const solve_arrays a = arrays_of_free_piece(m->c, label);
  momenta own = momenta_of_solution(m->c, m->t, &a, whole->centre, m->has_solution);
#if WITH_BODIES
  if (whole->has_bodies) { add_body_momenta(m->c, m->t, whole->centre, &own); }
#endif
  const float weight = mass_weight(s, m);
  add_weighted(&sum->linear, own.linear, weight);
  add_weighted(&sum->angular, own.angular, weight);
}

/* Adds its parts of M, I and C. */
CLOTH_ONCE void add_inertia_of_member(const solve_group *s, const solve_member *m, int32_t label,
                                      const common_motion *whole, inertia_sums *inertia) {
  const solve_arrays a = arrays_of_free_piece(m->c, label);
  inertia_sums sums;
  find_inertia_sums(m->c, &a, whole->centre, a.air != NULL, &sums);
  if (WITH_AIR && a.air) { add_air_sums(m->c, &a, whole->centre, &sums); }
#if WITH_BODIES
  if (whole->has_bodies) { add_body_inertia(m->c, m->t, whole->centre, &sums); }
#endif
  add_inertia(inertia, &sums, mass_weight(s, m));
}

/* Solves M s + C^T t = p, C s + I t = L by t = (I - C M^-1 C^T)^-1 (L - C M^-1 p): the shift s and the turn t, which is
   limited, and then the shift has the momentum still. `inertia` is left with I - C M^-1 C^T. */
CLOTH_ONCE void solve_for_motion(inertia_sums *inertia, float mass, const momenta *sum, common_motion *whole) {
  const float scale = 1.0f / maximum(mass, WORK_QUANTUM);
  const symmetric inverse = shift_tensor(inertia, mass);
  const cloth_vector *rows = inertia->coupled, alone = tensor_apply(inverse, vector_scale(sum->linear, scale));
  cloth_vector by[3];
  for (int32_t k = 0; k < 3; k++) {
    by[k] = tensor_apply(inverse, vector_scale(rows[k], scale));
  }
  const cloth_vector d = {vector_dot(rows[0], by[0]), vector_dot(rows[1], by[1]), vector_dot(rows[2], by[2])};
  const cloth_vector e = {vector_dot(rows[1], by[2]), vector_dot(rows[2], by[0]), vector_dot(rows[0], by[1])};
  const cloth_vector moment = {vector_dot(rows[0], alone), vector_dot(rows[1], alone), vector_dot(rows[2], alone)};
  inertia->turned.diagonal = vector_subtract(inertia->turned.diagonal, d);
  inertia->turned.others = vector_subtract(inertia->turned.others, e);
  const inertia_tensor turning = tensor_of_inertia(inertia);
  whole->turn = turn_by_moment(&turning, vector_subtract(sum->angular, moment));
  clamp_length(&whole->turn, LARGEST_TURN);
  whole->shift = vector_add_scaled(alone, by[0], negate(whole->turn.x));
  whole->shift = vector_add_scaled(whole->shift, by[1], negate(whole->turn.y));
  whole->shift = vector_add_scaled(whole->shift, by[2], negate(whole->turn.z));
}

/* Takes what is left over out of the solution of a free piece, and `turned`, added to its angular momentum before. */
CLOTH_SEPARATE void restore_piece(const solve_group *s, int32_t label, int32_t has_bodies, cloth_vector turned) {
  float mass;
  common_motion whole = {.centre = centre_of_members(s, label, has_bodies, &mass), .has_bodies = has_bodies};
  momenta sum = {vector(0.0f, 0.0f, 0.0f), turned};
  inertia_sums inertia;
  fill_zero(&inertia, sizeof inertia);
  EACH_MEMBER(s, m, add_momenta_of_member(s, m, label, &whole, &sum));
  EACH_MEMBER(s, m, add_inertia_of_member(s, m, label, &whole, &inertia));
  solve_for_motion(&inertia, mass, &sum, &whole);
  EACH_MEMBER(s, m, {
    take_motion(m->c, label, &whole);
    workspace_of(m->c)->last_step = 0.0f;
    m->has_solution = 1;
  });
}

/* Restores the momenta of all free pieces. `turned`: as restore_piece(). */
CLOTH_ONCE void restore_momentum(const solve_group *s, cloth_vector turned) {
  const free_pieces f = free_pieces_of_members(s);
  for (int32_t n = 0; n < f.count; n++) {
    restore_piece(s, f.label[n], f.has_bodies, turned);
  }
}
