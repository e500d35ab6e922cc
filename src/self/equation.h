#pragma once
#include "../access.h"
#include "../base/rows.h"
#include "../compiler.h"
#include "../contact/law.h"
#include "../contact/press.h"
#include "../lanes.h"
#include "../scalar.h"
#include "../solve/arrays.h"
#include "../solve/levels.h"
#include "../solve/members.h"
#include "../types.h"
#include "features.h"
#include "memory.h"
#include "pairs.h"
#include "tree.h"

/// Pairs in the equation ///

#if WITH_SELF

/*
 * The forces and blocks of pairs, by the law of contact/law.h, predicted as contacts with colliders are
 * (contact/press.h). With D_j the block of a particle's own terms and b' what acts on it and what pressed it last:
 *
 *   C = sum m_j w_j^2 / S_j,  S_j = n . D_j n,  m_j = max(1, sum of |w_j| of its near pairs)
 *   q_f = (T - gap - sum w_j n . b'_j / S_j + C f_0) / T
 *   F = lambda n - k_t u,  K = k n n^T + k_t (I - n n^T)
 *
 * Particle j gets w_j F, and w_j K J y in the product. The block of the preconditioner is the operator's with |w_j| K,
 * which stands in `ground`; the product takes it out again. Everything is in units of the first member of the solve:
 * a particle of another one takes its part over the weight of that.
 *
 * In: elements, residual, spring sums, diagonal, direction. Out: residual, ground, product. Scratch: solution (how many
 * pairs a particle has), product (what pressed last).
 */

/* Pairs nearer than so many thicknesses share out how a particle gives way. */
#define SHARING_REACH 1.5f
/* Stiffness of pairs over that of contact with colliders: both sides give way. */
#define PAIR_STIFFNESS 0.25f

/* Arrays and scalings of the cloths of a group as a part is solved. */
static void look_at_arrays(const self_group *g, const solve_group *s) {
  for (int32_t n = 0; n < g->count; n++) {
    self_body *b = &g->bodies[n];
    b->arrays = arrays_of(b->c);
    b->pitch = b->arrays.pitch;
    b->memories = memories_of(b->c);
    b->remembers = *b->memories.count;
    b->terms = NULL;
  }
  EACH_MEMBER(s, m, {
    self_body *b = &g->bodies[g->count > 1 ? m->number : 0];
    b->terms = m->t;
    b->weight = m->weight;
    b->has_solution = m->has_solution;
  });
}

/* 1 if a particle of a cloth moves in the solve. */
CLOTH_INLINE int moves_in_solve(const self_body *b, int32_t place) {
  return b->terms && *own_at(b->arrays.diagonal, 1, place, 0) > 0.0f;
}

/* Adds a vector to an own array of a cloth. */
CLOTH_INLINE void add_own(float *array, int32_t place, cloth_vector v) {
  *own_at(array, 3, place, 0) += v.x;
  *own_at(array, 3, place, 1) += v.y;
  *own_at(array, 3, place, 2) += v.z;
}

/* Runs statements for the particles `n` of element `e` that move, with their cloths `b` and places `i`. */
#define EACH_MOVING(g, e, n, b, i, ...)                                                                                \
  for (int32_t n = 0; n < 4; n++) {                                                                                    \
    self_body *b = body_of_particle(g, e, n);                                                                          \
    const int32_t i = (e)->place[n];                                                                                   \
    if ((e)->weight[n] != 0.0f && moves_in_solve(b, i)) {                                                              \
      __VA_ARGS__;                                                                                                     \
    }                                                                                                                  \
  }

/* Runs statements for all elements `e`. */
#define EACH_ELEMENT(g, e, ...)                                                                                        \
  for (pair_element *e = (g)->elements, *e##_end = e + (g)->found->elements; e < e##_end; e++) {                       \
    __VA_ARGS__;                                                                                                       \
  }

/* What pressed particles last, in `product`, and how many near pairs they have, in `solution`. */
CLOTH_SEPARATE void add_last_pairs(const self_group *g) {
  for (int32_t n = 0; n < g->count; n++) {
    const self_body *b = &g->bodies[n];
    if (b->terms) {
      const int32_t floats = b->pitch * b->rows;
      clear_floats(b->arrays.product, 3 * floats);
      clear_floats(b->arrays.solution, floats);
    }
  }
  EACH_ELEMENT(g, e, {
    EACH_MOVING(g, e, n, b, i, {
      const cloth_vector force = vector_scale(e->last, e->weight[n] * b->terms->scale);
      add_own(b->arrays.product, i, vector_flush_work(force));
      b->arrays.solution[i] += e->gap < SHARING_REACH * e->thickness ? absolute(e->weight[n]) : 0.0f;
    });
  });
  for (int32_t n = 0; n < g->count; n++) {
    const self_body *b = &g->bodies[n];
#if WITH_COLLIDERS
    if (b->terms) {
      add_last_contacts(b->c, b->terms);
    }
#endif
    (void)b;
  }
}

/* What an element's particles do: compliances, and how far they move without it along and across its normal. */
typedef struct pair_motion {
  float along, across; /* compliances */
  float out;           /* along the normal, without the element [m] */
  float before;        /* what pressed the particles of the first feature last, along the normal */
  cloth_vector way;    /* across it */
} pair_motion;

/* How a particle resists along a direction and across it: of its own terms. */
static void find_resistance(const self_body *b, int32_t i, cloth_vector n, float *along, float *across) {
  float *blocks = b->arrays.inverse;
  float own = *own_at(b->arrays.diagonal, 1, i, 0) + (b->terms->bends ? plate_diagonal(b->terms) : 0.0f);
  float trace = 3.0f * own;
  *along = own;
  if (blocks) {
    const float xx = *own_at(blocks, 6, i, 0), yy = *own_at(blocks, 6, i, 1), zz = *own_at(blocks, 6, i, 2);
    const float xy = *own_at(blocks, 6, i, 3), xz = *own_at(blocks, 6, i, 4), yz = *own_at(blocks, 6, i, 5);
    const cloth_vector dn = vector_flush_work(
        vector((xx * n.x + xy * n.y) + xz * n.z, (xy * n.x + yy * n.y) + yz * n.z, (xz * n.x + yz * n.y) + zz * n.z));
    *along += vector_dot(n, dn);
    trace += (xx + yy) + zz;
  }
  *along = maximum(*along, LEAST_MASS);
  *across = maximum(0.5f * (trace - *along), LEAST_MASS);
}

/* Sums over the particles of an element. Returns 1 if one of them moves. */
static int find_motion(const self_group *g, const pair_element *e, pair_motion *m) {
  int moves = 0;
  fill_zero(m, sizeof *m);
  EACH_MOVING(g, e, n, b, i, {
    const float w = e->weight[n], share = maximum(b->arrays.solution[i], 1.0f);
    float along, across;
    find_resistance(b, i, e->normal, &along, &across);
    const cloth_vector acts = vector_add(own_vector(b->arrays.residual, i), own_vector(b->arrays.product, i));
    const cloth_vector force = vector_flush_work(acts);
    const float out = flush_small(vector_dot(force, e->normal), WORK_QUANTUM);
    const float square = flush_small(w * w, WORK_QUANTUM) * share;
    m->along += square / (along * b->weight);
    m->across += square / (across * b->weight);
    m->out += w * (out / along);
    if (n < first_particles(e->key)) {
      const cloth_vector last_force = vector_flush_work(own_vector(b->arrays.product, i));
      m->before += w * b->weight * flush_small(vector_dot(last_force, e->normal), WORK_QUANTUM);
    }
    const cloth_vector side = vector_flush_work(vector_add_scaled(force, e->normal, negate(out)));
    m->way = vector_add_scaled(m->way, side, w / across);
    moves = 1;
  });
  return moves;
}

/* The stiffness of an element: the mean of those of its cloths that move. */
static float pair_stiffness(const self_group *g, const pair_element *e) {
  const self_body *a = &g->bodies[feature_cloth(e->key.first)], *b = &g->bodies[feature_cloth(e->key.second)];
  const float first = a->terms ? contact_stiffness(a->terms) * a->weight : 0.0f;
  const float second = b->terms ? contact_stiffness(b->terms) * b->weight : first;
  return 0.5f * PAIR_STIFFNESS * ((a->terms ? first : second) + second);
}

/* Friction of an element that presses with `pressed`: sticks, or slides against what it can hold. */
static float pair_friction(const pair_element *e, const pair_motion *m, cloth_vector held, float pressed) {
  const float resists = 1.0f / m->across, most = e->friction * pressed;
  const cloth_vector way = vector_add_scaled(vector_add(e->offset, m->way), held, negate(m->across));
  const float length = vector_length(way);
  if (!(e->stiffness * resists * length > most * (resists + e->stiffness))) {
    return e->stiffness;
  }
  const float rest = maximum(length - most * m->across, WORK_QUANTUM);
  return flush_small(minimum(most / rest, e->stiffness), WORK_QUANTUM);
}

/* The law of an element. Where it does not press, its force and stiffness are 0. */
static void press_pair(const self_group *g, float scale, pair_element *e) {
  pair_motion m;
  e->stiffness = pair_stiffness(g, e);
  if (!find_motion(g, e, &m)) {
    return;
  }
  const cloth_vector force = vector_flush_work(vector_scale(e->last, scale));
  const float last = maximum(flush_small(vector_dot(force, e->normal), WORK_QUANTUM), 0.0f);
  const float depth = (e->thickness - e->gap) / e->thickness;
  const float alone = depth + (m.along * last - m.out) / e->thickness;
  if (!(alone > 0.0f)) {
    return;
  }
  const lanes stiffness = lanes_splat(e->stiffness), thickness = lanes_splat(e->thickness);
  const lanes q = agreed_depth(stiffness, thickness, lanes_splat(e->thickness / m.along), lanes_splat(alone));
  const contact_tangent law = tangent_at(stiffness, thickness, lanes_splat(depth), q);
  const float pressed = minimum(lanes_first_value(law.law), maximum(last, m.before));
  e->along = lanes_first_value(law.stiffness);
  e->force = lanes_first_value(law.force);
  e->across = pair_friction(e, &m, vector_across(force, e->normal), pressed);
  e->block_along = e->along;
  e->block_across = e->across;
}

/* The force of an element whose particles have moved by `moved` relative to each other. */
CLOTH_INLINE cloth_vector pair_force(const pair_element *e, cloth_vector moved) {
  const float out = flush_small(vector_dot(e->normal, moved), WORK_QUANTUM);
  const cloth_vector way = vector_add(e->offset, vector_add_scaled(moved, e->normal, negate(out)));
  const float press = flush_small(e->force - e->along * out, WORK_QUANTUM);
  return vector_flush_work(vector_add_scaled(vector_scale(e->normal, press), way, negate(e->across)));
}

/* (k n n^T + k_t (I - n n^T)) v */
CLOTH_INLINE cloth_vector pair_product(cloth_vector n, float along, float across, cloth_vector v) {
  const float out = flush_small(vector_dot(n, v), WORK_QUANTUM) * (along - across);
  return vector_flush_work(vector_add_scaled(vector_scale(v, across), n, flush_small(out, WORK_QUANTUM)));
}

/* Adds s (k n n^T + k_t (I - n n^T)) to the further blocks of a particle. */
static void add_element_block(const self_body *b, int32_t i, const pair_element *e, float s) {
  const cloth_vector n = e->normal;
  const float more = e->along - e->across;
  const float entry[6] = {e->across + more * n.x * n.x,
                          e->across + more * n.y * n.y,
                          e->across + more * n.z * n.z,
                          more * n.x * n.y,
                          more * n.x * n.z,
                          more * n.y * n.z};
  for (int32_t k = 0; k < 6; k++) {
    float *to = own_at(b->arrays.ground, 6, i, k);
    *to = quantise(*to + s * flush_small(entry[k], WORK_QUANTUM), WORK_ROUNDER);
  }
}

/* Laws of all elements. */
CLOTH_SEPARATE void press_pairs(const self_group *g, const solve_group *s) {
  EACH_ELEMENT(g, e, press_pair(g, s->members->t->scale, e));
}

/* Adds their forces and blocks. */
CLOTH_SEPARATE void add_pairs(const self_group *g) {
  const cloth_vector none = vector(0.0f, 0.0f, 0.0f);
  EACH_ELEMENT(g, e, {
    if (e->along > 0.0f || e->across > 0.0f) {
      const cloth_vector force = pair_force(e, none);
      EACH_MOVING(g, e, n, b, i, {
        add_own(b->arrays.residual, i, vector_flush_work(vector_scale(force, e->weight[n] / b->weight)));
        add_element_block(b, i, e, absolute(e->weight[n]) / b->weight);
      });
    }
  });
}

/* The vectors of an element's particles in the direction of the solve, 0 of what does not move; their motion. */
static cloth_vector direction_of_pair(const self_group *g, const pair_element *e, cloth_vector p[4]) {
  p[0] = p[1] = p[2] = p[3] = vector(0.0f, 0.0f, 0.0f);
  EACH_MOVING(g, e, n, b, i, p[n] = near_vector(b->arrays.direction, b->arrays.plane, i));
  return vector_flush_work(motion_of_pair(e->weight, p));
}

/* What pairs add to p . q and, but for the last direction, to the product. */
CLOTH_SEPARATE float multiply_pairs(const self_group *g, int32_t is_last) {
  float sum = 0.0f;
  EACH_ELEMENT(g, e, {
    if (e->along > 0.0f || e->across > 0.0f) {
      cloth_vector p[4];
      const cloth_vector moved = direction_of_pair(g, e, p);
      const cloth_vector force = pair_product(e->normal, e->along, e->across, moved);
      sum += vector_dot(force, moved);
      EACH_MOVING(g, e, n, b, i, {
        const float w = e->weight[n];
        const cloth_vector own = pair_product(e->normal, e->block_along, e->block_across, p[n]);
        sum -= absolute(w) * vector_dot(own, p[n]);
        if (!is_last) {
          const cloth_vector q = vector_add_scaled(vector_scale(force, w), own, negate(absolute(w)));
          add_own(b->arrays.product, i, vector_flush_work(vector_scale(q, 1.0f / b->weight)));
        }
      });
    }
  });
  return sum;
}

/* How an element's particles have moved in the solve so far, with a last step of `length` along the direction. */
static cloth_vector solution_of_pair(const self_group *g, const pair_element *e, float length) {
  cloth_vector y[4] = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
  EACH_MOVING(g, e, n, b, i, {
    const cloth_vector start = b->has_solution ? own_vector(b->arrays.solution, i) : y[n];
    y[n] = vector_add_scaled(start, near_vector(b->arrays.direction, b->arrays.plane, i), length);
  });
  return vector_flush_work(motion_of_pair(e->weight, y));
}

/* Before the last iteration: friction is bounded by what presses then. Residual, product and operator change as
   release_contacts() says. */
CLOTH_SEPARATE solve_change release_pairs(const self_group *g, float length) {
  solve_change all = {0.0f, 0.0f, 0};
  EACH_ELEMENT(g, e, {
    if (!(e->across > 0.0f)) {
      continue;
    }
    cloth_vector p[4];
    const cloth_vector moved = solution_of_pair(g, e, length);
    const float out = flush_small(vector_dot(e->normal, moved), WORK_QUANTUM), press = e->force - e->along * out;
    const float way = vector_length(vector_across(vector_add(e->offset, moved), e->normal));
    const float most = e->friction * press;
    if (!(press > 0.0f) || !(e->across * way > most)) {
      continue;
    }
    const cloth_vector before = pair_force(e, moved), direction = direction_of_pair(g, e, p);
    const float weaker = flush_small(most / way, WORK_QUANTUM), less = weaker - e->across;
    e->across = weaker;
    const cloth_vector change = vector_flush_work(vector_subtract(pair_force(e, moved), before));
    const cloth_vector q = pair_product(e->normal, 0.0f, less, direction);
    EACH_MOVING(g, e, n, b, i, {
      const float w = e->weight[n] / b->weight;
      add_own(b->arrays.product, i, vector_flush_work(vector_scale(q, w)));
      add_own(b->arrays.residual, i, vector_flush_work(vector_scale(vector_add_scaled(change, q, length), w)));
    });
    all.along += vector_dot(change, direction);
    all.most += vector_dot(q, direction);
    all.changed = 1;
  });
  return all;
}

/* The force of an element at the solution, 0 if it pulls. */
static cloth_vector force_of_solution(const self_group *g, const pair_element *e, float length) {
  const cloth_vector moved = solution_of_pair(g, e, length), none = vector(0.0f, 0.0f, 0.0f);
  const float out = flush_small(vector_dot(e->normal, moved), WORK_QUANTUM);
  return e->force - e->along * out > 0.0f ? pair_force(e, moved) : none;
}

/* What an element has done: its force [N], its slip, and where its particles are to each other. */
static void remember_element(const self_group *g, pair_element *e, float scale, float length) {
  const cloth_vector moved = solution_of_pair(g, e, length);
  const float out = flush_small(vector_dot(e->normal, moved), WORK_QUANTUM);
  const float press = maximum(e->force - e->along * out, 0.0f);
  const cloth_vector way = vector_flush_work(vector_add(e->offset, vector_across(moved, e->normal)));
  pair_memory m = {.key = e->key};
  e->gap += out;
  if (press > 0.0f) {
    const cloth_vector force = vector_add_scaled(vector_scale(e->normal, press), way, negate(e->across));
    m.force = vector_flush(vector_scale(force, 1.0f / scale), INPUT_QUANTUM);
  }
  const float depth = minimum(maximum((e->thickness - e->gap) / e->thickness, 0.0f), DEEPEST);
  const float law = lanes_first_value(law_force(lanes_splat(e->thickness), lanes_splat(depth)));
  const float most = e->friction * law, slip = vector_length(way);
  m.slip = vector_flush_work(vector_scale(way, slip > most ? most / slip : 1.0f));
  if (press > 0.0f || law > 0.0f) {
    remember_pair(g, &m);
  }
}

/* What pairs leave behind, before the new places are accepted. */
CLOTH_SEPARATE void remember_pairs(const self_group *g, const solve_group *s) {
  int32_t touching = 0;
  for (int32_t n = 0; n < g->count; n++) {
    if (g->bodies[n].terms) {
      *g->bodies[n].memories.count = 0;
      if (g->touching) {
        g->touching[n] = 0;
      }
    }
  }
  EACH_ELEMENT(g, e, {
    remember_element(g, e, s->members->t->scale, workspace_of(s->members->c)->last_step);
    touching += e->along > 0.0f;
    if (g->touching && e->along > 0.0f) {
      const int32_t a = feature_cloth(e->key.first), b = feature_cloth(e->key.second);
      g->touching[a]++;
      g->touching[b] += a != b;
    }
  });
  for (int32_t n = 0; n < g->count; n++) {
    clear_old_pairs(&g->bodies[n]);
  }
  g->found->statistics.contacts = touching;
}

/// Cloth that has passed through ///

/* Gaps in thicknesses below which particles and triangles, and edges, are moved apart, and to which. */
#define PASSED_GAP 0.1f
#define SAFE_GAP 0.15f
/* Gaps that the solution says, below which they are looked at. */
#define DOUBTFUL_GAP 0.4f

/* The particle of a place. */
CLOTH_INLINE int32_t particle_of_place(const self_body *b, int32_t place) {
  const int32_t row = place / b->pitch;
  return row * b->columns + (place - row * b->pitch);
}

/* The geometry of an element where the state is. Returns 1 if it has passed. */
static int has_passed(const self_group *g, const pair_element *e, pair_shape *shape) {
  pair_block b;
  fill_zero(&b, sizeof b);
  for (int32_t n = 0; n < 4; n++) {
    const self_body *body = body_of_particle(g, e, n);
    const int32_t i = particle_of_place(body, e->place[n]);
    const cloth_vector x = vector_load(body->terms ? vectors_at(body->c, body->c->state.position) : body->start, i);
    const cloth_vector way = vector_subtract(x, vector_load(kept_start(body->c), i));
    for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
      b.place[n][0][lane] = x.x;
      b.place[n][1][lane] = x.y;
      b.place[n][2][lane] = x.z;
      b.way[n][0][lane] = way.x;
      b.way[n][1][lane] = way.y;
      b.way[n][2][lane] = way.z;
    }
  }
  const lanes reach = lanes_splat(2.0f * e->thickness);
  if (feature_kind(e->key.first) == FEATURE_PARTICLE) {
    shape_faces(&b, reach, shape);
  } else {
    shape_edges(&b, reach, shape);
  }
  return lanes_any(shape->near) && lanes_first_value(shape->gap) < PASSED_GAP * e->thickness;
}

/* Moves two features apart that have passed each other: places, and velocities with them. */
static void part_element(const self_group *g, const pair_element *e, const pair_shape *shape) {
  const cloth_vector n = lanes3_first(shape->normal);
  float weight[4], inverse[4], sum = 0.0f;
  for (int32_t k = 0; k < 4; k++) {
    const self_body *b = body_of_particle(g, e, k);
    weight[k] = lanes_first_value(shape->weight[k]);
    inverse[k] =
        moves_in_solve(b, e->place[k]) ? 1.0f / mass_of_particle(b->c, particle_of_place(b, e->place[k])) : 0.0f;
    sum += flush_small(weight[k] * weight[k], WORK_QUANTUM) * inverse[k];
  }
  if (!(sum > 0.0f)) {
    return;
  }
  const float push = (SAFE_GAP * e->thickness - lanes_first_value(shape->gap)) / sum;
  for (int32_t k = 0; k < 4; k++) {
    const self_body *b = body_of_particle(g, e, k);
    const int32_t i = particle_of_place(b, e->place[k]);
    const cloth_vector move = vector_flush(vector_scale(n, push * weight[k] * inverse[k]), STATE_QUANTUM);
    if (inverse[k] > 0.0f && weight[k] != 0.0f) {
      const vector_array x = vectors_at(b->c, b->c->state.position), v = vectors_at(b->c, b->c->state.velocity);
      const cloth_vector faster = vector_add_scaled(vector_load(v, i), move, b->terms->inverse_h);
      vector_store(x, i, vector_flush(vector_add(vector_load(x, i), move), STATE_QUANTUM));
      vector_store(v, i, vector_flush(faster, STATE_QUANTUM));
      invalidate_history(b->c, i);
    }
  }
}

/* Moves apart what has passed, once forwards and once backwards. Nothing has where cloth rests. */
CLOTH_SEPARATE void part_passed(const self_group *g) {
  const int32_t count = g->found->elements;
  pair_shape shape;
  for (int32_t n = 0; n < 2 * count; n++) {
    const pair_element *e = &g->elements[n < count ? n : 2 * count - 1 - n];
    const int is_round = feature_kind(e->key.second) == FEATURE_PARTICLE;
    if (!is_round && e->gap < DOUBTFUL_GAP * e->thickness && has_passed(g, e, &shape)) {
      part_element(g, e, &shape);
    }
  }
}

#endif
