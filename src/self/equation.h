#pragma once
#include "../contact/element.h"
#include "../contact/law.h"
#include "../contact/press.h"
#include "../contact/touch.h"
#include "candidates.h"
#include "features.h"
#include "memory.h"
#include "pairs.h"
#include "tree.h"

/// Pairs in the equation ///

/*
 * The laws, forces and blocks of pairs:
 *
 *   F = lambda n - k_t u,  K = k n n^T + k_t (I - n n^T)
 *
 * Particle j gets w_j F, and w_j K J y in the product. The preconditioner has |w_j| K, which stands in `ground`; the
 * product takes it out again. The first prediction takes particles as if their neighbours stood still; before the last
 * iteration laws are taken anew at the depths that the solution has, and those pairs press that were not to. At rest
 * nothing changes. All is in units of the first member of the solve: a particle of another one takes its part over the
 * weight of that. Out: laws of the elements, residual, ground, product. Scratch: solution (how many pairs a particle
 * has), product (what pressed last).
 */

/* Pairs nearer than so many thicknesses share out how a particle gives way. */
#define SHARING_REACH 1.5f
/* Stiffness of pairs over that of contact with colliders: both sides give way. */
#define PAIR_STIFFNESS 0.25f

/* Arrays and scalings of the cloths of a group as a part is solved. */
static void look_at_arrays(const self_group *g, const solve_group *s) {
  for (self_body *b = g->bodies; b < g->bodies + g->count; b++) {
    b->arrays = arrays_of(b->c);
    b->pitch = b->arrays->pitch;
    b->memories = memories_of(b->c);
    b->remembers = *b->memories.count;
    b->terms = NULL;
  }
  EACH_MEMBER(s, m, {
    self_body *b = &g->bodies[m->number];
    b->terms = m->t;
    b->weight = m->weight;
    b->stiffness = PAIR_STIFFNESS * contact_stiffness(m->t) * m->weight;
    b->hold = PAIR_STIFFNESS * contact_stiffness(m->t) / m->t->scale;
    b->has_solution = m->has_solution;
  });
}

/* Adds a vector to an own array of a cloth, without rounding. */
CLOTH_INLINE void add_own(float *array, int32_t place, cloth_vector v) {
  *own_at(array, 3, place, 0) += v.x;
  *own_at(array, 3, place, 1) += v.y;
  *own_at(array, 3, place, 2) += v.z;
}

/* Runs statements for the particles `n` that move of the ends `x` of an element, of cloths `b` at places `i`. */
#define EACH_MOVING(x, n, b, i, ...)                                                                                   \
  for (int32_t n = 0; n < 4; n++) {                                                                                    \
    if ((x)->moving >> n & 1u) {                                                                                       \
      const self_body *b = body_of_end(x, n);                                                                          \
      const int32_t i = (x)->place[n];                                                                                 \
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
  pair_ends x;
  for (const self_body *b = g->bodies; b < g->bodies + g->count; b++) {
    if (b->terms) {
      clear_floats(b->arrays->product, 3 * b->pitch * b->rows);
      clear_floats(b->arrays->solution, b->pitch * b->rows);
    }
  }
  EACH_ELEMENT(g, e, {
    const cloth_vector last = e->press.last;
    find_ends(g, e, &x);
    if (vector_is_zero(last) && !(e->gap < SHARING_REACH * x.law->thickness)) { continue; }
    EACH_MOVING(&x, n, b, i, {
      const cloth_vector force = vector_scale(last, x.weight[n] * b->terms->scale);
      add_own(b->arrays->product, i, vector_flush_work(force));
      b->arrays->solution[i] += e->gap < SHARING_REACH * x.law->thickness ? absolute(x.weight[n]) : 0.0f;
    });
  });
  for (const self_body *b = g->bodies; WITH_COLLIDERS && b < g->bodies + g->count; b++) {
    if (b->terms) { add_last_contacts(b->c, b->terms); }
  }
}

/* The laws, by contact/element.h. A particle is shared by m = max(1, sum of |w_j| of its near pairs); what pressed the
   particles of the first feature last bounds the friction of pairs that have not pressed before. */

CLOTH_INLINE int has_side(const pair_element *e) {
  return !vector_is_zero(e->normal);
}

/* k_0 of an element. */
CLOTH_INLINE float stiffness_of_element(const pair_element *e, const pair_ends *x) {
  return e->part * mean_of_moving(x->body, x->body[0]->stiffness, x->body[1]->stiffness);
}

/* Takes an element of which `last`, scaled, pressed before. */
static void take_element(const self_group *g, pair_element *e, cloth_vector last, law_block *to) {
  const int32_t lane = to->count++;
  pair_ends x;
  find_ends(g, e, &x);
  to->law[lane] = &e->press.law;
  for (int32_t n = 0; n < 4; n++) {
    const self_body *b = body_of_end(&x, n);
    const int32_t i = x.place[n];
    if (x.moving >> n & 1u) {
      const element_end end = {b->arrays, b->terms, i, x.weight[n], maximum(b->arrays->solution[i], 1.0f), b->weight};
      take_end(&to->end[n], lane, &end, n < x.first);
    } else {
      take_held_end(&to->end[n], lane);
    }
  }
  to->gap[lane] = e->gap;
  to->reach[lane] = to->thickness[lane] = x.law->thickness;
  to->friction[lane] = x.law->friction;
  to->stiffness[lane] = stiffness_of_element(e, &x);
  vector_store(VECTORS_OF(to->normal), lane, e->normal);
  vector_store(VECTORS_OF(to->offset), lane, e->offset);
  vector_store(VECTORS_OF(to->last), lane, last);
}

/* How a pair without a side holds its particles together against what else moves them in a part, over their mass and
   the part [1/s]. With a third of it contours of sheets that cross grow on the way, with three times as much they come
   apart half as fast. */
#define HOLD_WITHOUT_SIDE 200.0f

/* The law of an element without a side, K = k_t I. */
static element_law law_without_side(const self_group *g, const pair_element *e) {
  pair_ends x;
  find_pair_places(g, candidate_of(e), &x);
  const substep_terms *t = terms_of_pair(x.body);
  const float mass = mean_of_moving(x.body, x.body[0]->weight, x.body[1]->weight);
  return (element_law){.across = HOLD_WITHOUT_SIDE * t->share * t->h * mass};
}

/* The laws of all elements of a group; `scale`: that of forces in the first member of the solve. */
CLOTH_SEPARATE void find_pair_laws(const self_group *g, float scale) {
  law_block b;
  open_laws(&b);
  EACH_ELEMENT(g, e, {
    if (has_side(e)) {
      take_element(g, e, vector_scale_work(e->press.last, scale), &b);
    } else {
      e->press.law = law_without_side(g, e);
    }
    if (b.count == CLOTH_LANES) { find_laws(&b); }
  });
  if (b.count > 0) { find_laws(&b); }
}

CLOTH_SEPARATE void add_pairs(const self_group *g) {
  const cloth_vector none = vector(0.0f, 0.0f, 0.0f);
  pair_ends x;
  EACH_ELEMENT(g, e, {
    if (has_block(&e->press.law)) {
      const cloth_vector force = element_force(&e->press.law, e->normal, e->offset, none);
      find_ends(g, e, &x);
      EACH_MOVING(&x, n, b, i, {
        add_own(b->arrays->residual, i, vector_scale_work(force, x.weight[n] / b->weight));
        add_element_block(b->arrays, i, e->normal, &e->press.law, absolute(x.weight[n]) / b->weight);
      });
    }
  });
}

/* The vectors of an element's particles in the direction of the solve, 0 of what does not move; their motion. */
static cloth_vector direction_of_pair(const pair_ends *x, cloth_vector p[4]) {
  p[0] = p[1] = p[2] = p[3] = vector(0.0f, 0.0f, 0.0f);
  EACH_MOVING(x, n, b, i, p[n] = near_vector(b->arrays->direction, b->arrays->plane, i));
  return vector_flush_work(motion_of_pair(x->weight, p));
}

/* What pairs add to p . q and, but for the last direction, to the product. */
CLOTH_SEPARATE float multiply_pairs(const self_group *g, int32_t is_last) {
  float sum = 0.0f;
  pair_ends x;
  cloth_vector p[4];
  EACH_ELEMENT(g, e, {
    if (has_block(&e->press.law)) {
      find_ends(g, e, &x);
      const float along = e->press.law.along, across = e->press.law.across;
      const cloth_vector moved = direction_of_pair(&x, p);
      const cloth_vector force = element_product(e->normal, along, across, moved);
      sum += vector_dot(force, moved);
      EACH_MOVING(&x, n, b, i, {
        const float w = x.weight[n];
        const cloth_vector own = element_product(e->normal, along, across, p[n]);
        sum -= absolute(w) * vector_dot(own, p[n]);
        if (!is_last) {
          const cloth_vector q = vector_add_scaled(vector_scale(force, w), own, negate(absolute(w)));
          add_own(b->arrays->product, i, vector_scale_work(q, 1.0f / b->weight));
        }
      });
    }
  });
  return sum;
}

/* How an element's particles have moved in the solve so far, with a last step of `length` along the direction. */
static cloth_vector solution_of_pair(const pair_ends *x, float length) {
  cloth_vector y[4] = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
  EACH_MOVING(x, n, b, i, {
    const cloth_vector start = b->has_solution ? own_vector(b->arrays->solution, i) : y[n];
    y[n] = vector_add_scaled(start, near_vector(b->arrays->direction, b->arrays->plane, i), length);
  });
  return vector_flush_work(motion_of_pair(x->weight, y));
}

/* The law of an element where its particles have gone in the solve: the tangent at the depth there, and friction
   bounded by what presses there. Where they are fast, or without `is_slow`, its own, as that of touches: from a far way
   a tangent would hold like glue, or push a stack that falls up by 2 % of its energy; none where it pulls and began
   outside of the law. */
static element_law law_after(const pair_element *e, const pair_ends *x, cloth_vector moved, int32_t is_slow) {
  const float thickness = x->law->thickness, friction = x->law->friction;
  const float out = flush_small(vector_dot(e->normal, moved), WORK_QUANTUM);
  const float depth = (thickness - e->gap) / thickness, in = depth - out / thickness;
  const element_law none = {0.0f, 0.0f, 0.0f};
  if (!is_slow || absolute(out) > FAST_WAY * thickness) {
    return released_law(&e->press.law, e->normal, e->offset, moved, friction, e->gap > thickness);
  }
  if (!(in > 0.0f)) { return none; }
  const float stiffness = stiffness_of_element(e, x);
  const contact_tangent t =
      tangent_at(lanes_splat(stiffness), lanes_splat(thickness), lanes_splat(depth), lanes_splat(minimum(in, DEEPEST)));
  const float way = vector_length(vector_across(vector_add(e->offset, moved), e->normal));
  const float most = friction * lanes_first_value(t.law);
  const float held = stiffness * way > most ? flush_small(most / way, WORK_QUANTUM) : stiffness;
  const element_law law = {lanes_first_value(t.force), lanes_first_value(t.stiffness), held};
  return law.along > 0.0f ? law : none;
}

/* Takes the laws of elements anew where the solution has led them, before the last of the usual iterations; `length`:
   of the last step along the direction. `is_slow`: the solve goes on after that, as it has to for other laws: with one
   iteration left a curtain in folds moves at .2 m/s for ever. Fast cloth keeps its laws but for what lets go. */
CLOTH_SEPARATE solve_change release_pairs(const self_group *g, float length, int32_t is_slow) {
  solve_change all = {0.0f, 0.0f, 0};
  pair_ends x;
  cloth_vector p[4];
  EACH_ELEMENT(g, e, {
    if (!has_side(e) || (!is_slow && !has_block(&e->press.law))) { continue; }
    find_ends(g, e, &x);
    const cloth_vector moved = solution_of_pair(&x, length);
    const element_law before = e->press.law, after = law_after(e, &x, moved, is_slow);
    const element_law more = {after.force - before.force, after.along - before.along, after.across - before.across};
    if (more.force == 0.0f && more.along == 0.0f && more.across == 0.0f) { continue; }
    const cloth_vector change = element_force(&more, e->normal, e->offset, moved), direction = direction_of_pair(&x, p);
    const cloth_vector q = element_product(e->normal, more.along, more.across, direction);
    e->press.law = after;
    EACH_MOVING(&x, n, b, i, {
      const float w = x.weight[n] / b->weight;
      add_own(b->arrays->product, i, vector_scale_work(q, w));
      add_own(b->arrays->residual, i, vector_scale_work(vector_add_scaled(change, q, length), w));
      add_element_block(b->arrays, i, e->normal, &more, absolute(w));
    });
    all.along += vector_dot(change, direction);
    all.most += vector_dot(q, direction);
    all.changed = 1;
  });
  return all;
}

/* The force of an element at the solution, 0 if it pulls. */
static cloth_vector force_of_solution(const pair_element *e, cloth_vector moved) {
  const float press = press_after(&e->press.law, e->normal, moved);
  const cloth_vector way = vector_flush_work(vector_add(e->offset, vector_across(moved, e->normal)));
  const cloth_vector force = vector_add_scaled(vector_scale(e->normal, press), way, negate(e->press.law.across));
  return press > 0.0f ? force : vector(0.0f, 0.0f, 0.0f);
}

/* Gaps that the solution says, below which they are looked at. */
#define DOUBTFUL_GAP 0.4f

CLOTH_INLINE int is_doubtful(const pair_element *e, const self_pair *law) {
  return e->gap < DOUBTFUL_GAP * law->thickness && !law->is_round;
}

/* What an element has done: its force, and where its particles are to each other. */
static void remember_element(const self_group *g, pair_element *e, float scale, float length) {
  pair_ends x;
  find_ends(g, e, &x);
  const cloth_vector moved = solution_of_pair(&x, length);
  const cloth_vector force = vector_scale(force_of_solution(e, moved), 1.0f / scale);
  e->gap += flush_work(vector_dot(e->normal, moved));
  g->found->doubtful += is_doubtful(e, x.law);
  pair_memory m = {key_of_candidate(g->cells, candidate_of(e)), vector_flush(force, INPUT_QUANTUM)};
  if (!vector_is_zero(m.force)) { remember_pair(g, &m); }
}

/* What pairs leave behind, before the new places are accepted. */
CLOTH_SEPARATE void remember_pairs(const self_group *g, const solve_group *s) {
  g->found->doubtful = g->found->statistics.contacts = 0;
  for (int32_t n = 0; n < g->count; n++) {
    if (g->bodies[n].terms) {
      *g->bodies[n].memories.count = 0;
      g->touching[n] = 0;
    }
  }
  EACH_ELEMENT(g, e, {
    remember_element(g, e, s->members->t->scale, workspace_of(s->members->c)->last_step);
    if (e->press.law.along > 0.0f) {
      const pair_key key = key_of_candidate(g->cells, candidate_of(e));
      const int32_t a = feature_cloth(key.first), b = feature_cloth(key.second);
      g->touching[a]++;
      g->touching[b] += a != b;
      g->found->statistics.contacts++;
    }
  });
  for (const self_body *b = g->bodies; b < g->bodies + g->count; b++) {
    const pair_memories *m = &b->memories; /* behind the last entry some of the part before may be left */
    if (*m->count < b->remembers) { fill_zero(m->entry + *m->count, (b->remembers - *m->count) * sizeof(pair_memory)); }
  }
}

/// Cloth that has passed through ///

/* Gaps in thicknesses below which particles and triangles, and edges, are moved apart, and to which. */
#define PASSED_GAP 0.1f
#define SAFE_GAP 0.15f
/* Least of what of a pair moves, in squares of shares times the largest inverse mass: a corner that alone moves, and
   has a thousandth of the point that has passed, would go a thousand times as far as that (200 km in a random history).
 */
#define LEAST_MOVED 0.01f

/* The geometry of an element where the state is. Returns 1 if it has passed. */
static int has_passed(uint32_t candidate, const pair_ends *x, pair_shape *shape) {
  pair_block b;
  fill_zero(&b, sizeof b);
  for (int32_t n = 0; n < 4; n++) {
    const self_body *body = body_of_end(x, n);
    const int32_t i = particle_of_place(body, x->place[n]);
    const cloth_vector at = vector_load(body->terms ? vectors_at(body->c, body->c->state.position) : body->start, i);
    const cloth_vector way = vector_subtract(at, vector_load(kept_start(body->c), i));
    for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
      put_particle(&b, n, lane, at, way);
    }
  }
  find_shape(&b, candidate, lanes_splat(2.0f * x->law->thickness), shape);
  return lanes_any(shape->near) && lanes_first_value(shape->gap) < PASSED_GAP * x->law->thickness;
}

/* Moves two features apart that have passed each other: places, and velocities with them. */
static void part_pair(uint32_t candidate, const pair_ends *x, const pair_shape *shape) {
  const cloth_vector n = lanes3_first(shape->normal);
  const float share[2] = {lanes_first_value(shape->share[0]), lanes_first_value(shape->share[1])};
  float weight[4], inverse[4], sum = 0.0f, most = 0.0f;
  find_weights(candidate, share, weight);
  for (int32_t k = 0; k < 4; k++) {
    const self_body *b = body_of_end(x, k);
    const int moves = moves_in_solve(b, x->place[k]);
    inverse[k] = moves ? 1.0f / mass_of_particle(b->c, particle_of_place(b, x->place[k])) : 0.0f;
    sum += flush_work(weight[k] * weight[k]) * inverse[k];
    most = maximum(inverse[k], most);
  }
  if (!(sum > LEAST_MOVED * most)) { return; }
  const float push = (SAFE_GAP * x->law->thickness - lanes_first_value(shape->gap)) / sum;
  for (int32_t k = 0; k < 4; k++) {
    const self_body *b = body_of_end(x, k);
    const int32_t i = particle_of_place(b, x->place[k]);
    const cloth_vector move = vector_flush_state(vector_scale(n, push * weight[k] * inverse[k]));
    if (inverse[k] > 0.0f && weight[k] != 0.0f) {
      const vector_array position = vectors_at(b->c, b->c->state.position), v = vectors_at(b->c, b->c->state.velocity);
      const cloth_vector faster = vector_add_scaled(vector_load(v, i), move, b->terms->inverse_h);
      vector_store(position, i, vector_flush_state(vector_add(vector_load(position, i), move)));
      vector_store(v, i, vector_flush_state(faster));
      invalidate_history(b->c, i);
    }
  }
}

/* Moves apart what has passed, once forwards and once backwards. Nothing has where cloth rests. */
CLOTH_SEPARATE void part_passed(const self_group *g) {
  const int32_t count = g->found->elements;
  for (int32_t n = 0; g->found->doubtful > 0 && n < 2 * count; n++) {
    const pair_element *e = &g->elements[n < count ? n : 2 * count - 1 - n];
    const uint32_t candidate = candidate_of(e);
    pair_ends x;
    pair_shape shape;
    find_pair_places(g, candidate, &x);
    if (is_doubtful(e, x.law) && has_passed(candidate, &x, &shape)) { part_pair(candidate, &x, &shape); }
  }
}
