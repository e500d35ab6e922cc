#pragma once
#include "../base/compiler.h"
#include "../base/scalar.h"
#include "../bodies/common_bodies.h"
#include "../cloth/access.h"
#include "../cloth/arrays.h"
#include "../cloth/members.h"
#include "../cloth/types.h"
#include "../contact/cell_memory.h"
#include "../contact/press.h"
#include "../group/seam_springs.h"
#include "../group/seams.h"
#include "../group/stitches.h"
#include "../step/coefficients.h"

/// What joins cloths ///

/*
 * What stands between the cloths of a part of a group, as the solve sees it: seams, whose filters make particles of
 * several cloths one unknown, and springs across seams. Bodies that several cloths have in common are in
 * bodies/coupling.h.
 *
 * In and out: what terms/seams.h and terms/seam_springs.h say. Scratch: none.
 */

struct group_joints {
  const cloth_group *group;
  int32_t part;     /* of the group: the first of its cloths */
  uint32_t members; /* its cloths, a bit each */
  float inverse_h;  /* of the part of a substep */
#if WITH_SEAMS
  sewing *seams;
#endif
};

/* By how many iterations its solve does more. */
static int32_t more_iterations(const group_joints *j) {
#if WITH_SEAMS
  int is_sewn = 0;
  for (int32_t n = 0; n < j->group->count; n++) {
    is_sewn |= (j->members >> n & 1u) && j->seams->is_sewn[n];
  }
  return is_sewn ? SEWN_ITERATIONS : 0;
#else
  (void)j;
  return 0;
#endif
}

/* As a part of a substep begins, before the prediction: velocities of what is sewn meet, common bodies are one. */
static void meet(const solve_group *g) {
  g->joints->inverse_h = g->members->t->inverse_h;
#if WITH_SEAMS
  sewing *s = g->joints->seams;
  EACH_MEMBER(g, m, s->scale[m->number] = m->t->scale);
  meet_sewn(s, g->joints->part, g->members->t);
#endif
#if WITH_COMMON_BODIES
  link_bodies(g->joints->group, g->joints->members);
#endif
}

/* After it. */
static void place_joined(const group_joints *j) {
#if WITH_SEAMS
  place_sewn(j->seams, j->part);
#endif
  (void)j;
}

/* Forces and blocks of springs across seams; gathers resist no compression. */
static void add_joint_terms(const solve_group *g) {
#if WITH_SEAMS
  EACH_MEMBER(g, m, loosen_gathers(g->joints->seams, m->number, m->t));
  add_seam_springs(g->joints->seams, g->joints->part, g->joints->inverse_h);
#endif
  (void)g;
}

/* Before contacts are predicted from what acts on each particle and what pressed it last, b' (contact/press.h):
   particles that are sewn together have their shares of what all of them have. */
static void share_contacts(const solve_group *g) {
#if WITH_SEAMS && WITH_COLLIDERS
  const sewing *s = g->joints->seams;
  int32_t touches = 0;
  EACH_MEMBER(g, m, touches |= meets_colliders(m->c) | workspace_of(m->c)->has_pairs);
  if (!touches) { return; }
  EACH_SEWN(s, g->joints->part, p, c, {
    const solve_arrays a = arrays_of(c);
    const workspace *w = workspace_of(c);
    p->velocity = vector(0.0f, 0.0f, 0.0f);
    if ((w->has_pairs || meets_colliders(c)) && !holder_of(s, p)) {
      p->velocity =
          holds_last_forces(c) ? own_vector(a.product, p->place) : last_force_on(c, &a, &w->plan.terms, p->place);
      add_to_particle(&a, p->particle, p->velocity);
    }
  });
  join_own(s, g->joints->part, 0);
  EACH_SEWN(s, g->joints->part, p, c, {
    const solve_arrays a = arrays_of(c);
    add_to_particle(&a, p->particle, vector_scale(p->velocity, -1.0f));
  });
#endif
  (void)g;
}

/* What meeting has changed of the angular momentum, scaled as that of the first member. */
static cloth_vector moment_of_meeting(const solve_group *g) {
#if WITH_SEAMS
  if (g->joints) {
    const float scale = g->members->t->h / reference_mass(g->members->c);
    return vector_scale(g->joints->seams->moment[g->joints->part], scale);
  }
#endif
  (void)g;
  return vector(0.0f, 0.0f, 0.0f);
}

/* The solutions of what has been solved for alone. */
static void join_solved(const group_joints *j) {
#if WITH_SEAMS
  join_solutions(j->seams, j->part);
#endif
  (void)j;
}

/* What springs across seams add to p . q and, but for the last direction, to the product, which is joined. */
static float multiply_joints(const group_joints *j, int32_t is_last) {
#if WITH_SEAMS
  const float sum = multiply_seam_springs(j->seams, j->part, j->inverse_h, is_last);
  if (!is_last) { join_own(j->seams, j->part, 1); }
  return sum;
#else
  (void)j;
  (void)is_last;
  return 0.0f;
#endif
}

/* Makes the residuals of what is sewn together one. */
static void join_residuals(const group_joints *j) {
#if WITH_SEAMS
  join_own(j->seams, j->part, 0);
#endif
  (void)j;
}

static void join_products(const group_joints *j) {
#if WITH_SEAMS
  join_own(j->seams, j->part, 1);
#endif
  (void)j;
}

/* The same of directions, see join_direction(). */
static void join_directions(const group_joints *j, float beta, int32_t again) {
#if WITH_SEAMS
  join_direction(j->seams, j->part, beta, again);
#endif
  (void)j;
  (void)beta;
  (void)again;
}

/* By how much the energy of springs across seams, and of what gathers do not resist, rises over the ways. */
static float joints_rise(const solve_group *g) {
#if WITH_SEAMS
  float rise = seam_springs_rise(g->joints->seams, g->joints->part);
  EACH_MEMBER(g, m, rise -= m->weight * gathers_rise(g->joints->seams, m->number, m->t));
  return rise;
#else
  (void)g;
  return 0.0f;
#endif
}

/* 1 if seams are open, whose closing does work that is not known. */
static int is_closing(const group_joints *j) {
#if WITH_SEAMS
  return are_sewn_open(j->seams, j->part);
#else
  (void)j;
  return 0;
#endif
}

/* Once the new positions have been accepted: common bodies are where those of their leaders are. */
static void accept_common_bodies(const solve_group *g) {
#if WITH_COMMON_BODIES
  follow_leaders(g->joints->group, g->joints->members);
#endif
  (void)g;
}

#if WITH_GROUPS

/* When all has been moved: what is sewn together is at one place. */
static void settle_joined(const group_joints *j) {
#if WITH_SEAMS
  settle_sewn(j->seams, j->part, j->inverse_h);
#endif
  (void)j;
}

#endif
