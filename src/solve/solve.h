#pragma once
#include "../bodies/common_bodies.h"
#include "../bodies/coupling.h"
#include "../contact/cell_memory.h"
#include "../contact/cell_press.h"
#include "../contact/law.h"
#include "../contact/press.h"
#include "../group/seam_springs.h"
#include "../group/seams.h"
#include "../group/stitches.h"
#include "../self/contact.h"
#include "../self/equation.h"
#include "../terms/confinement.h"
#include "free_pieces.h"
#include "levels.h"
#include "passes.h"
#include "product.h"

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
  sewing *seams;
};

/* By how many iterations its solve does more. */
static int32_t more_iterations(const group_joints *j) {
  int is_sewn = 0;
  for (int32_t n = 0; WITH_SEAMS && n < j->group->count; n++) {
    is_sewn |= (j->members >> n & 1u) && j->seams->is_sewn[n];
  }
  return is_sewn ? SEWN_ITERATIONS : 0;
}

static void place_joined(const group_joints *j) {
  if (WITH_SEAMS) { place_sewn(j->seams, j->part); }
}

/* Forces and blocks of springs across seams; gathers resist no compression. */
static void add_joint_terms(const solve_group *g) {
  if (!WITH_SEAMS) { return; }
  EACH_MEMBER(g, m, loosen_gathers(g->joints->seams, m->number, m->t));
  add_seam_springs(g->joints->seams, g->joints->part, g->joints->inverse_h);
}

/* Before contacts are predicted from what acts on each particle and what pressed it last, b' (contact/press.h):
   particles that are sewn together have their shares of what all of them have. */
static void share_contacts(const solve_group *g) {
  const sewing *s = g->joints->seams;
  int32_t touches = 0;
  EACH_MEMBER(g, m, touches |= meets_colliders(m->c) | workspace_of(m->c)->has_pairs);
  if (!WITH_SEAMS || !WITH_COLLIDERS || !touches) { return; }
  EACH_SEWN(s, g->joints->part, p, c, {
    const solve_arrays *a = arrays_of(c);
    const workspace *w = workspace_of(c);
    p->velocity = vector(0.0f, 0.0f, 0.0f);
    if ((w->has_pairs || meets_colliders(c)) && !holder_of(s, p)) {
      p->velocity =
          holds_last_forces(c) ? own_vector(a->product, p->place) : last_force_on(c, a, &w->plan.terms, p->place);
      add_to_particle(a, p->particle, p->velocity);
    }
  });
  join_own(s, g->joints->part, 0);
  EACH_SEWN(s, g->joints->part, p, c, {
    const solve_arrays *a = arrays_of(c);
    add_to_particle(a, p->particle, vector_scale(p->velocity, -1.0f));
  });
}

/* What meeting has changed of the angular momentum, scaled as that of the first member. */
static cloth_vector moment_of_meeting(const solve_group *g) {
  if (!WITH_SEAMS || !g->joints) { return vector(0.0f, 0.0f, 0.0f); }
  const float scale = g->members->t->h / reference_mass(g->members->c);
  return vector_scale(g->joints->seams->moment[g->joints->part], scale);
}

/* The solutions of what has been solved for alone. */
static void join_solved(const group_joints *j) {
  if (WITH_SEAMS) { join_solutions(j->seams, j->part); }
}

/* Makes the residuals of what is sewn together one, or the products. */
static void join_vectors(const group_joints *j, int32_t are_products) {
  if (WITH_SEAMS) { join_own(j->seams, j->part, are_products); }
}

/* The same of directions, see join_direction(). */
static void join_directions(const group_joints *j, float beta, int32_t again) {
  if (WITH_SEAMS) { join_direction(j->seams, j->part, beta, again); }
}

/* What springs across seams add to p . q and, but for the last direction, to the product, which is joined. */
static float multiply_joints(const group_joints *j, int32_t is_last) {
  if (!WITH_SEAMS) { return 0.0f; }
  const float sum = multiply_seam_springs(j->seams, j->part, j->inverse_h, is_last);
  if (!is_last) { join_vectors(j, 1); }
  return sum;
}

/* By how much the energy of springs across seams, and of what gathers do not resist, rises over the ways. */
static float joints_rise(const solve_group *g) {
  if (!WITH_SEAMS) { return 0.0f; }
  float rise = seam_springs_rise(g->joints->seams, g->joints->part);
  EACH_MEMBER(g, m, rise -= m->weight * gathers_rise(g->joints->seams, m->number, m->t));
  return rise;
}

/* 1 if seams are open, whose closing does work that is not known. */
static int is_closing(const group_joints *j) {
  return WITH_SEAMS && are_sewn_open(j->seams, j->part);
}

/* When all has been moved: what is sewn together is at one place. */
static void settle_joined(const group_joints *j) {
  if (WITH_SEAMS) { settle_sewn(j->seams, j->part, j->inverse_h); }
}

/* As a part of a substep begins, before the prediction: what is sewn meets, common bodies are one. */
static void meet(const solve_group *g) {
  g->joints->inverse_h = g->members->t->inverse_h;
  if (WITH_SEAMS) {
    sewing *s = g->joints->seams;
    EACH_MEMBER(g, m, s->scale[m->number] = m->t->scale);
    meet_sewn(s, g->joints->part, g->members->t);
  }
  if (WITH_COMMON_BODIES) { link_bodies(g->joints->group, g->joints->members); }
}

/* Once the new positions have been accepted: common bodies are where those of their leaders are. */
static void accept_common_bodies(const solve_group *g) {
  if (WITH_COMMON_BODIES) { follow_leaders(g->joints->group, g->joints->members); }
}

/// The solve ///

/*
 * A y = b by preconditioned conjugate gradients from zero, with a bounded number of iterations (Boxerman 2003 section
 * 4.4.4; Shewchuk 1994):
 *
 *   r = b
 *   z = P r, beta = r . z over that of the iteration before, p = z + beta p
 *   q = A p, alpha = r . z / p . q
 *   y += alpha p, r -= alpha q
 *
 * The last alpha p goes into the new places at once, accept() takes y + alpha p, and q is not formed, see product.h.
 * With a tolerance the iterations end when sqrt(r . z) has fallen to that share of the first, or when only roundings
 * are left, which would feed each other. Without, after t->iterations of them, the solve goes on up to
 * t->most_iterations while the last one has still changed the potential, by alpha r . z / 2, by more than
 * UNFINISHED_SHARE of the kinetic energy of the prediction and of a substep's free fall: what is left over otherwise
 * holds the cloth up in the air. The common motions of what nothing holds do not count, as the solve starts from them:
 * with them cloth that falls freely could not unfold. Cloth at rest changes nothing.
 * Where something touches only slow cloth goes on, t->rounds times as far, while more than UNFINISHED_TOUCH is left:
 * unfinished solves of folds creep for minutes, and snap (a sheet of 64 x 64 over a ball: .01 to .12 m/s after 15 s).
 * Friction is bounded once, before the last of t->iterations.
 *
 * In: residual = b, springs, their sums, diagonal. Out: solution, direction, w->last_step. Scratch: product, inverse,
 * levels.
 */

/* Least value that a sum is divided by: smaller ones are those of a residual of rounding. 2^-100. */
#define LEAST_SUM 7.888609052210118e-31f

/* Share of the first residual, as sqrt(r . z), that floats resolve: further iterations would only follow roundings. */
#define LEAST_TOLERANCE 1.0e-5f

/* r . z of a solve that comes nearer rises by less than 10 times above its least (S1, all fabrics). Where only
   roundings are left it rises without end; by so many times it has done so. */
#define LOST_RISE 1.0e3f

/* Share of the kinetic energy of the prediction, beside common motions, and of a free fall. */
#define UNFINISHED_SHARE 5.0e-4f
/* The same of the free fall where something touches: with 10 times as much drapes still snap. */
#define UNFINISHED_TOUCH 1.0e-5f
/* Cloth is slow whose kinetic energy, and r . z of what acts on it, are below this share of the kinetic energy of a
   substep's free fall: a sheet at rest whose pins leave at 5 m/s is not. */
#define STILL_SHARE 1.0f

/* a / b, or 0 where that says nothing. */
static float step_ratio(float a, float b) {
  return a > LEAST_SUM && b > LEAST_SUM ? a / b : 0.0f;
}

/* The kinetic energy of all particles that go the same way in a substep: the mean mass ratio is 1. */
static float energy_of_way(const cloth *c, const substep_terms *t, cloth_vector way) {
  way = vector_flush_work(way);
  return 0.5f * t->share * (float)c->count * vector_dot(way, way);
}

/* The kinetic energy of a substep's free fall. */
static float energy_of_fall(const cloth *c, const substep_terms *t) {
  return energy_of_way(c, t, vector_scale(inputs_of(c)->gravity, t->h * t->h));
}

/* The scalars of a solve. */
typedef struct solve_state {
  const solve_group *group;
  float tolerance, finished; /* bounds on the root of r . z over the first, and on the last change of the potential */
  int32_t fixed_work, has_bodies, iterations, end;
  int32_t goes_on;               /* 1: beyond `iterations`, while more than `finished` is left */
  float along, most, step, beta; /* r . z, p . q, alpha, and beta */
  float unsolved;                /* by how much the last iteration has changed the potential */
  float least;                   /* the least r . z of the equation as it is */
  float common;                  /* kinetic energy of the common motions of what nothing holds */
} solve_state;

/* q = A p of a member without its bodies, pairs and joints; of the last direction only p . q. Returns that. */
static float multiply_member(const solve_member *m, int32_t is_last) {
  const float sum = is_last ? square_direction(m->c, m->t) : multiply(m->c, m->t);
  return WITH_COLLIDERS && workspace_of(m->c)->cells > 0 ? sum + multiply_cells(m->c, is_last) : sum;
}

/* q = A p, of confined particles what they may do; of the last one only p . q. Returns that. */
static float multiply_direction(const solve_state *s, int32_t is_last) {
  float sum = 0.0f;
  EACH_MEMBER(s->group, m, sum += m->weight * multiply_member(m, is_last));
  sum += s->has_bodies ? multiply_bodies(s->group, is_last) : 0.0f;
  sum += has_elements(s->group) ? multiply_pairs(s->group->pairs, is_last) : 0.0f;
  sum += s->group->joints ? multiply_joints(s->group->joints, is_last) : 0.0f;
  EACH_MEMBER(s->group, m, {
    if (!is_last) { confine_own(m->c, floats_at(m->c, m->c->scratch.product)); }
  });
  return sum;
}

/* Iterations that a deadline leaves of a solve. */
#define CUT_ITERATIONS 3

/* 1 if no member is in pieces, whose levels do not make z . q. */
static int32_t are_whole(const solve_state *s) {
  int32_t whole = 1;
  EACH_MEMBER(s->group, m, whole &= !is_in_pieces(m->c));
  return whole;
}

/* The new direction's share of the last one where the operator has changed since: it is made conjugate to that one,
   beta = - z . q / p . q; for cloth in pieces from r . z as ever. */
static float turned_share(const solve_state *s, float beta) {
  float with_old = 0.0f;
  if (!WITH_COLLIDERS || !are_whole(s)) { return beta; }
  EACH_MEMBER(s->group, m, with_old += m->weight * conjugate(m->c));
  return s->most > LEAST_SUM ? negate(with_old / s->most) : 0.0f;
}

static void add_change(solve_change *all, const solve_change *change, float weight) {
  all->along += weight * change->along;
  all->most += weight * change->most;
  all->changed |= change->changed;
}

/* Corrects contacts before the second iteration and before the last of t->iterations, see contact/press.h. Returns what
   has changed. */
CLOTH_ONCE solve_change release(const solve_state *s, int32_t iteration) {
  solve_change all = {0.0f, 0.0f, 0};
  const int32_t is_last = iteration == s->iterations - 1, is_due = WITH_COLLIDERS && (iteration == 1 || is_last);
  EACH_MEMBER(s->group, m, {
    if (is_due && workspace_of(m->c)->touches > 0) {
      const solve_change change = release_contacts(m->c, m->t, s->step, m->has_solution, is_last);
      add_change(&all, &change, m->weight);
    }
    if (is_due && workspace_of(m->c)->cells > 0) {
      const solve_change change = release_cells(m->c, s->step, m->has_solution, is_last);
      add_change(&all, &change, m->weight);
    }
  });
  if (has_elements(s->group) && is_last) {
    note_solutions(s->group);
    const solve_change change = release_pairs(s->group->pairs, s->step, s->goes_on);
    add_change(&all, &change, 1.0f);
  }
  return all;
}

/* Starts at the common motions of what nothing holds, and makes the first z. */
CLOTH_ONCE void start_solve(solve_state *s) {
  const solve_group *g = s->group;
  free_pieces pieces = free_pieces_of_members(g);
  take_common_motions(g, &pieces);
  s->common = pieces.kinetic;
  start_coupling(g);
  if (g->joints) { join_vectors(g->joints, 0); }
  EACH_MEMBER(g, m, {
    confine_own(m->c, floats_at(m->c, m->c->scratch.residual));
    s->along += m->weight * precondition_first(m->c, m->t);
    start_at_common_motions(m->c, &pieces);
    m->has_solution = pieces.count > 0;
  });
}

/* After start_solve(). */
static void set_solve_bounds(solve_state *s) {
  float kinetic = 0.0f, fall = 0.0f;
  int32_t meets = 0, most = 0, rounds = INT32_MAX;
  s->tolerance = 1.0f;
  EACH_MEMBER(s->group, m, {
    s->tolerance = minimum(s->tolerance, maximum(m->c->settings.solver.tolerance, LEAST_TOLERANCE));
    s->fixed_work |= m->c->settings.capacity.fixed_work;
    s->has_bodies |= body_count_of(m->c) > 0;
    kinetic += m->weight * workspace_of(m->c)->kinetic;
    fall += m->weight * energy_of_fall(m->c, m->t);
    meets |= workspace_of(m->c)->has_pairs || meets_colliders(m->c) || s->has_bodies;
    s->iterations = larger_of(m->t->iterations, s->iterations);
    most = larger_of(m->t->most_iterations, most);
    rounds = smaller_of(m->t->rounds, rounds);
  });
  s->goes_on = !meets || (rounds > 1 && maximum(kinetic, s->along) < STILL_SHARE * fall);
  s->finished =
      UNFINISHED_SHARE * maximum(kinetic - s->common, 0.0f) + (meets ? UNFINISHED_TOUCH : UNFINISHED_SHARE) * fall;
  s->end = !meets ? most : s->goes_on || s->fixed_work ? rounds * s->iterations : s->iterations;
}

static void turn_members(const solve_state *s, int32_t iteration) {
  EACH_MEMBER(s->group, m, turn_direction(m->c, s->beta, iteration > 1));
  if (s->group->joints) { join_directions(s->group->joints, s->beta, iteration > 1); }
  EACH_MEMBER(s->group, m, confine_direction(m->c));
}

/* alpha, and what it moves of the bodies. `was_done`: the solution stays as it is. */
static void set_step(solve_state *s, int32_t was_done) {
  s->step = was_done ? 0.0f : step_ratio(s->along, s->most);
  s->unsolved = was_done ? s->unsolved : 0.5f * s->step * s->along;
  EACH_MEMBER(s->group, m, {
    workspace_of(m->c)->last_step = s->step;
    workspace_of(m->c)->unsolved = s->unsolved;
    advance_bodies(m->c, s->step);
  });
}

/* y += alpha p, r -= alpha q, the new z, and beta. `is_done`: contacts stay as they are, too. */
CLOTH_ONCE void advance_members(solve_state *s, int32_t iteration, int32_t is_done) {
  const float before = s->along;
  const solve_change nothing_changed = {0.0f, 0.0f, 0};
  const solve_change change = is_done ? nothing_changed : release(s, iteration);
  const int32_t keeps = change.changed && are_whole(s);
  if (s->group->joints && change.changed) {
    join_vectors(s->group->joints, 0);
    join_vectors(s->group->joints, 1);
  }
  s->along = 0.0f;
  EACH_MEMBER(s->group, m, {
    if (change.changed) {
      confine_own(m->c, floats_at(m->c, m->c->scratch.residual));
      confine_own(m->c, floats_at(m->c, m->c->scratch.product));
    }
    s->along += m->weight * advance(m->c, s->step, !m->has_solution, keeps);
    m->has_solution = 1;
  });
  s->beta = step_ratio(s->along, before);
  if (change.changed) {
    s->most += change.most;
    s->beta = turned_share(s, s->beta);
    s->along += s->beta * change.along;
    s->least = s->along;
  }
  s->least = minimum(s->least, s->along);
}

/* 1 if a deadline has passed that one of the members has. */
static int32_t is_cut_short(const solve_state *s) {
  int32_t cut = 0;
  EACH_MEMBER(s->group, m, cut |= !may_refine(m->c));
  return cut;
}

/* Solves A y = b of the members. Returns the iterations done. */
CLOTH_ONCE int32_t solve(const solve_group *group) {
  solve_state s = {.group = group};
  start_solve(&s);
  set_solve_bounds(&s);
  const float solved = s.tolerance * s.tolerance * s.along;
  s.least = s.along;
  int32_t is_done = 0; /* with fixed work further iterations then change nothing */
  for (int32_t iteration = 1;; iteration++) {
    const int32_t was_done = is_done;
    is_done |= !(s.along > solved) || s.along > LOST_RISE * s.least || (!s.goes_on && iteration >= s.iterations);
    const int32_t is_last =
        iteration == s.end || (is_done && !s.fixed_work) || (iteration >= CUT_ITERATIONS && is_cut_short(&s));
    turn_members(&s, iteration);
    s.most = multiply_direction(&s, is_last || is_done);
    set_step(&s, was_done);
    is_done |= iteration >= s.iterations && !(s.unsolved > s.finished);
    if (is_last || (is_done && !s.fixed_work)) { return iteration; }
    advance_members(&s, iteration, is_done);
  }
}
