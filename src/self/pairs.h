#pragma once
#include "../cloth/costs.h"
#include "../contact/element.h"
#include "../contact/triangle_place.h"
#include "candidates.h"
#include "features.h"
#include "memory.h"
#include "tree.h"

/// Pairs that touch ///

/*
 * Candidates at the places of linearisation: which are nearer than twice their thickness, along which normal, with
 * which weights of their particles. The motion of an element is J y = sum w_j y_j.
 *
 *   particle and triangle  the side is that of the particle at the start of the part. Over the face: the normal of the
 *                          triangle, and the height. Beside it: the direction from the nearest point of an edge or a
 *                          corner, if the particle is on its side
 *   two edges              the direction between the nearest points of their lines, which are within both, turned to
 *                          the side of the nearest points of the edges at the start of the part
 *
 *   two particles          the direction from one to the other, turned likewise
 *
 * Beside a contour, along which cloth passes through cloth, a pair has no side: it does not press, and its normal is 0.
 *
 * In: candidates, places, ways, memory. Out: elements. Scratch: none.
 */

/* Candidates nearer than so many thicknesses are elements; without room those that are nearer, in steps. */
#define MOST_REACH 2.0f
#define REACH_STEPS 20
/* Least distance that has a direction [m]. */
#define LEAST_PAIR_DISTANCE 1.0e-7f

/* The particles of a pair: first those of its first feature. */
typedef struct pair_ends {
  const self_body *body[2];
  const self_pair *law;
  int32_t first;    /* how many are of the first feature */
  int32_t place[4]; /* in the rows of the arrays; of two spheres, second to fourth are one */
  float weight[4];
  uint32_t moving; /* those that have a weight and move in the solve, a bit each */
} pair_ends;

/* Candidates in lanes: places and ways of their particles. */
typedef struct pair_block {
  int32_t count;
  uint32_t candidate[CLOTH_LANES];
  float place[4][3][CLOTH_LANES], way[4][3][CLOTH_LANES], thickness[CLOTH_LANES];
} pair_block;

/* What their geometry is. The weights of the particles follow from two shares. */
typedef struct pair_shape {
  lanes_mask near;
  lanes share[2];
  lanes3 normal;
  lanes gap;
  lanes part; /* of the stiffness */
} pair_shape;

CLOTH_INLINE void put_particle(pair_block *to, int32_t n, int32_t lane, cloth_vector x, cloth_vector way) {
  vector_store(VECTORS_OF(to->place[n]), lane, x);
  vector_store(VECTORS_OF(to->way[n]), lane, way);
}

CLOTH_INLINE const self_body *body_of_end(const pair_ends *x, int32_t n) {
  return x->body[n >= x->first];
}

/* Where the corners of a cell of a body are in the rows of the arrays. */
CLOTH_INLINE void find_corner_places(const self_body *b, uint32_t cell, int32_t corner[4]) {
  const uint32_t place = cell & ((1u << FEATURE_PLACE_BITS) - 1u), column = place % (1u << FEATURE_COLUMN_BITS);
  const int32_t first = (int32_t)(place >> FEATURE_COLUMN_BITS) * b->pitch + (int32_t)column;
  const int32_t *after = b->corner[cell >> FEATURE_PLACE_BITS & 1u];
  CLOTH_UNROLL
  for (int32_t n = 0; n < 4; n++) {
    corner[n] = first + after[n];
  }
}

CLOTH_INLINE void find_pair_places(const self_group *g, uint32_t candidate, pair_ends *x) {
  const cell_pair pair = g->cells[candidate >> PAIR_KIND_BITS];
  const uint8_t *which = pair_corners[kinds_of_candidate(candidate)];
  const int32_t a = cloth_of_cell(pair.first), b = cloth_of_cell(pair.second), is_turned = which[0] >= 4;
  const self_body *first = &g->bodies[a], *second = &g->bodies[b];
  int32_t corner[8];
  find_corner_places(first, pair.first, corner);
  find_corner_places(second, pair.second, corner + 4);
  x->body[is_turned] = first;
  x->body[1 - is_turned] = second;
  x->law = pair_between(g, a, b);
  x->first = 1 + is_of_edges(candidate);
  CLOTH_UNROLL
  for (int32_t n = 0; n < 4; n++) {
    x->place[n] = corner[which[n]];
  }
}

static void take_candidate(const self_group *g, uint32_t candidate, pair_block *to, int32_t lane) {
  pair_ends x;
  find_pair_places(g, candidate, &x);
  to->candidate[lane] = candidate;
  to->thickness[lane] = x.law->thickness;
  for (int32_t n = 0; n < 4; n++) {
    const solve_arrays *a = body_of_end(&x, n)->arrays; /* the direction holds the way until the solve has one */
    const int32_t i = x.place[n];
    put_particle(to, n, lane, near_vector(a->place, a->plane, i), near_vector(a->direction, a->plane, i));
  }
}

/* Vectors of the particles of a block relative to particle `origin`; at the start of the part with `before`. */
CLOTH_INLINE void relative_corners(const pair_block *b, int32_t origin, int32_t before, lanes3 to[4]) {
  for (int32_t n = 0; n < 4; n++) {
    to[n] = lanes3_subtract(lanes3_load(VECTORS_OF(b->place[n]), 0), lanes3_load(VECTORS_OF(b->place[origin]), 0));
    if (before) {
      to[n] = lanes3_subtract(
          to[n], lanes3_subtract(lanes3_load(VECTORS_OF(b->way[n]), 0), lanes3_load(VECTORS_OF(b->way[origin]), 0)));
    }
    to[n] = lanes3_quantise(to[n], STATE_ROUNDER);
  }
}

/* Unit vector along `a`, of length `length`. */
CLOTH_INLINE lanes3 unit_along(lanes3 a, lanes length) {
  return lanes3_quantise(lanes3_scale(a, lanes_divide(lanes_splat(1.0f), length)), WORK_ROUNDER);
}

/* 1 in the lanes where particle and triangle are within each other's boxes, widened by the reach, now or before. */
CLOTH_INLINE lanes_mask boxes_near(const lanes3 q[4], const lanes3 before[4], lanes reach) {
  const lanes3 low = lanes3_minimum(q[1], lanes3_minimum(q[2], q[3]));
  const lanes3 high = lanes3_maximum(q[1], lanes3_maximum(q[2], q[3]));
  const lanes3 most = lanes3_subtract(lanes3_maximum(q[0], before[0]), low);
  const lanes3 least = lanes3_subtract(lanes3_minimum(q[0], before[0]), high);
  const lanes over = lanes_minimum(most.x, lanes_minimum(most.y, most.z));
  const lanes under = lanes_maximum(least.x, lanes_maximum(least.y, least.z));
  return lanes_both(lanes_less(lanes_negate(reach), over), lanes_less(under, reach));
}

/* Shares of a triangle by which a particle that passes its plane beside it passes through it: where triangles adjoin
   one of them has to take what passes between them. */
#define PASSED_SLACK 0.02f

/* 1 in the lanes where particles that are beside a triangle now, and on the other side of its plane than they were,
   have passed through it: where a linear way between the two feet is at height 0. */
CLOTH_SEPARATE lanes_mask has_gone_through(const triangle_place *old, const triangle_place *t) {
  const lanes one = lanes_splat(1.0f), slack = lanes_splat(PASSED_SLACK), fall = lanes_subtract(old->height, t->height);
  const lanes_mask falls = lanes_less(lanes_splat(STATE_QUANTUM), lanes_absolute(fall));
  const lanes part = lanes_divide(lanes_keep(falls, old->height), lanes_select(falls, fall, one));
  lanes foot[2];
  for (int32_t n = 0; n < 2; n++) {
    foot[n] = lanes_add(old->foot[n], lanes_multiply(part, lanes_subtract(t->foot[n], old->foot[n])));
  }
  const lanes_mask within = lanes_less(lanes_negate(slack), lanes_minimum(foot[0], foot[1]));
  return lanes_both(within, lanes_less(lanes_add(foot[0], foot[1]), lanes_add(one, slack)));
}

/* The shapes: of pairs whose particles, relative to one of them, are at q now and were at `before`. */

/* Particles and triangles. */
CLOTH_SEPARATE void shape_faces(const lanes3 q[4], const lanes3 before[4], lanes reach, pair_shape *s) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  const lanes side = lanes_sign(lanes3_dot(before[0], lanes3_cross(before[2], before[3])));
  const triangle_place t = place_over_triangle(q[0], q[2], q[3]);
  const lanes height = lanes_multiply(t.height, side), apart = lanes_square_root(lanes3_dot(t.apart, t.apart));
  const lanes_mask has_way = lanes_less(lanes_splat(LEAST_PAIR_DISTANCE), apart);
  const lanes3 across = unit_along(t.apart, lanes_select(has_way, apart, one));
  const lanes3 up = unit_along(lanes3_scale(t.normal, side), t.length);
  lanes_mask over = t.inside;
  if (lanes_any(lanes_less(lanes_select(t.inside, zero, height), zero))) {
    const triangle_place old = place_over_triangle(before[0], before[2], before[3]);
    const lanes outside = lanes_select(t.inside, zero, height);
    const lanes through = lanes_keep(has_gone_through(&old, &t), one);
    over = lanes_less(zero, lanes_select(lanes_less(outside, zero), through, lanes_keep(t.inside, one)));
  }
  s->gap = lanes_select(over, height, apart);
  s->normal = lanes3_select(over, up, across);
  const lanes right = lanes_select(over, one, lanes_keep(has_way, lanes_add(height, lanes_splat(STATE_QUANTUM))));
  s->near = lanes_both(lanes_less(zero, right), lanes_less(s->gap, reach));
  s->near = lanes_both(s->near, boxes_near(q, before, reach));
  s->share[0] = t.second;
  s->share[1] = t.third;
  s->part = one;
}

/* Two edges press less as the nearest point comes to an end of one, over this share of it, and as they become parallel,
   over this square of the sine: there particles and triangles take over. Where their force ended at once, layers that
   rest there would come and go for ever. */
#define FADING_SHARE 0.1f
#define FADING_SINE_SQUARE 0.03f
/* The least part that counts. */
#define LEAST_PART 1.0e-3f

/* The part of the stiffness that two edges have. */
CLOTH_INLINE lanes part_of_edges(const edge_places *e) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  const lanes end = lanes_minimum(lanes_minimum(e->first, lanes_subtract(one, e->first)),
                                  lanes_minimum(e->second, lanes_subtract(one, e->second)));
  const lanes turn = lanes_subtract(e->sine_square, lanes_splat(LEAST_SINE_SQUARE));
  const lanes within = lanes_minimum(lanes_multiply(lanes_maximum(end, zero), lanes_splat(1.0f / FADING_SHARE)), one);
  const lanes across =
      lanes_minimum(lanes_multiply(lanes_maximum(turn, zero), lanes_splat(1.0f / FADING_SINE_SQUARE)), one);
  return lanes_flush_below(lanes_multiply(lanes_flush(within), lanes_flush(across)), LEAST_PART);
}

/* Two edges. */
CLOTH_SEPARATE void shape_edges(const lanes3 q[4], const lanes3 before[4], lanes reach, pair_shape *s) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  const edge_places old = places_on_edges(before[0], lanes3_subtract(before[1], before[0]), before[3]);
  const edge_places now = places_on_edges(q[0], lanes3_subtract(q[1], q[0]), q[3]);
  const lanes side = lanes_sign(lanes3_dot(now.apart, old.within_apart));
  const lanes apart = lanes_square_root(lanes3_dot(now.apart, now.apart));
  const lanes_mask has_way = lanes_less(lanes_splat(LEAST_PAIR_DISTANCE), apart);
  s->gap = lanes_multiply(apart, side);
  s->normal = unit_along(lanes3_scale(now.apart, side), lanes_select(has_way, apart, one));
  s->near = lanes_both(lanes_both(old.cross, now.cross), lanes_both(has_way, lanes_less(apart, reach)));
  s->part = part_of_edges(&now);
  s->near = lanes_both(s->near, lanes_less(zero, s->part));
  s->share[0] = now.first;
  s->share[1] = now.second;
}

/* Two particles. */
CLOTH_SEPARATE void shape_spheres(const lanes3 q[4], const lanes3 before[4], lanes reach, pair_shape *s) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  const lanes side = lanes_sign(lanes3_dot(q[0], before[0])), apart = lanes_square_root(lanes3_dot(q[0], q[0]));
  s->near = lanes_both(lanes_less(lanes_splat(LEAST_PAIR_DISTANCE), apart), lanes_less(apart, reach));
  s->normal = unit_along(lanes3_scale(q[0], side), lanes_select(s->near, apart, one));
  s->gap = lanes_multiply(apart, side);
  s->share[0] = s->share[1] = zero;
  s->part = one;
}

/* The motion of an element for vectors of its particles. */
CLOTH_INLINE cloth_vector motion_of_pair(const float weight[4], const cloth_vector v[4]) {
  cloth_vector sum = vector_scale(v[0], weight[0]);
  for (int32_t n = 1; n < 4; n++) {
    sum = vector_add_scaled(sum, v[n], weight[n]);
  }
  return sum;
}

CLOTH_INLINE void find_weights(uint32_t candidate, const float share[2], float weight[4]) {
  const int32_t is_edge = is_of_edges(candidate), is_round = kinds_of_candidate(candidate) == PAIR_OF_PARTICLES;
  weight[0] = is_edge ? 1.0f - share[0] : 1.0f;
  weight[1] = is_edge ? share[0] : is_round ? -1.0f : minimum(share[0] + share[1] - 1.0f, 0.0f);
  weight[2] = is_edge ? share[1] - 1.0f : negate(share[0]);
  weight[3] = negate(share[1]);
}

CLOTH_INLINE int moves_in_solve(const self_body *b, int32_t place) {
  return b->terms && *own_at(b->arrays->diagonal, 1, place, 0) > 0.0f;
}

/* Which particles of an element move stands over its candidate, of which a particle has at most so many. */
#define CANDIDATE_BITS 28
#define MOST_CANDIDATES (32 + 32)

LAYOUT_CONTRACT(candidates_fit_into_elements,
                (int64_t)CLOTH_GROUP_LIMIT *SELF_PARTICLE_LIMIT *MOST_CANDIDATES << PAIR_KIND_BITS <=
                    (int64_t)CANDIDATES_PER_CELL_PAIR << CANDIDATE_BITS);

CLOTH_INLINE uint32_t candidate_of(const pair_element *e) {
  return e->candidate & ((1u << CANDIDATE_BITS) - 1u);
}

CLOTH_SEPARATE void find_ends(const self_group *g, const pair_element *e, pair_ends *x) {
  const uint32_t candidate = candidate_of(e);
  find_pair_places(g, candidate, x);
  find_weights(candidate, e->share, x->weight);
  x->moving = e->candidate >> CANDIDATE_BITS;
}

static void note_moving(pair_element *e, const pair_ends *x) {
  for (int32_t n = 0; n < 4; n++) {
    const int moves = x->weight[n] != 0.0f && moves_in_solve(body_of_end(x, n), x->place[n]);
    e->candidate |= (uint32_t)moves << (CANDIDATE_BITS + n);
  }
}

CLOTH_INLINE int32_t particle_of_place(const self_body *b, int32_t place) {
  const int32_t row = place / b->pitch;
  return row * b->columns + (place - row * b->pitch);
}

/* 1 if both features of a pair are beside a contour, along which cloth passes through cloth: then it has no side. */
static int is_beside_contour(const pair_ends *x) {
  int is_crossed[2] = {0, 0};
  for (int32_t n = 0; n < 4; n++) {
    const self_body *b = body_of_end(x, n);
    is_crossed[n >= x->first] |= (b->ages[particle_of_place(b, x->place[n])] & SELF_OLDEST) > 0;
  }
  return x->law->untangles && is_crossed[0] && is_crossed[1];
}

/* What finding elements goes through: where the memories of each cloth are read next. */
typedef struct element_search {
  const self_group *g;
  float reach; /* in thicknesses */
  int32_t count;
  int32_t within[REACH_STEPS]; /* how many are within each step of the largest reach, and not within the one before */
  uint32_t next[CLOTH_GROUP_LIMIT];
  pair_block block;
} element_search;

/* What a candidate has kept; all are asked in their order. Cloth that sleeps keeps what it had when it fell asleep. */
CLOTH_INLINE const pair_memory *next_memory(element_search *s, pair_key key) {
  const uint32_t features[2] = {key.first, key.second};
  for (int32_t k = 0; k < 2; k++) {
    const int32_t n = feature_cloth(features[k]);
    const self_body *b = &s->g->bodies[n];
    const pair_memory *m = &b->memories.entry[s->next[n]];
    if (!b->is_still && s->next[n] < *b->memories.count && are_same_pairs(m->key, key)) {
      s->next[n]++;
      return m;
    }
  }
  return NULL;
}

/* The mean of a value of the cloths of a pair that move. */
CLOTH_INLINE float mean_of_moving(const self_body *const body[2], float of_first, float of_second) {
  const float first = body[0]->terms ? of_first : of_second;
  return 0.5f * (first + (body[1]->terms ? of_second : first));
}

/* The terms of a cloth of a pair that moves; NULL: none does. */
CLOTH_INLINE const substep_terms *terms_of_pair(const self_body *const body[2]) {
  return body[0]->terms ? body[0]->terms : body[1]->terms;
}

/* Makes an element of a lane, of which `m` is remembered, if anything is. Beside a contour it has no normal, and a gap
   beyond all laws. */
CLOTH_SEPARATE void add_element(element_search *s, float values[7][CLOTH_LANES], int32_t lane, const pair_memory *m) {
  const self_group *g = s->g;
  const pair_block *b = &s->block;
  const int32_t step = (int32_t)(absolute(values[2][lane]) / b->thickness[lane] * ((float)REACH_STEPS / MOST_REACH));
  s->within[step < REACH_STEPS ? step : REACH_STEPS - 1]++;
  if (s->count == g->room.max_elements) { return; }
  pair_element *e = &g->elements[s->count++];
  const cloth_vector none = vector(0.0f, 0.0f, 0.0f);
  cloth_vector way[4], slip = none; /* how far friction let it slip elastically with its force in the part before */
  pair_ends x;
  e->candidate = b->candidate[lane];
  e->share[0] = values[0][lane];
  e->share[1] = values[1][lane];
  find_ends(g, e, &x);
  note_moving(e, &x);
  for (int32_t n = 0; n < 4; n++) {
    way[n] = vector_load(VECTORS_OF(b->way[n]), lane);
  }
  const int is_beside = g->found->statistics.tangled > 0 && is_beside_contour(&x);
  e->gap = is_beside ? MOST_REACH * b->thickness[lane] : values[2][lane];
  e->part = values[6][lane];
  e->normal = is_beside ? none : vector_load(VECTORS_OF(values + 3), lane);
  e->press.last = m && !is_beside ? m->force : none;
  const float hold = e->part * mean_of_moving(x.body, x.body[0]->hold, x.body[1]->hold);
  if (hold > 0.0f) { slip = vector_scale(vector_across(e->press.last, e->normal), -1.0f / hold); }
  slip = vector_flush_work(vector_add(slip, motion_of_pair(x.weight, way)));
  e->offset = is_beside ? none : vector_across(slip, e->normal);
}

/* The geometry of a block of candidates whose shape is as that of `candidate`. */
static void find_shape(const pair_block *b, uint32_t candidate, lanes reach, pair_shape *shape) {
  const int32_t origin = is_of_edges(candidate) ? 2 : 1;
  lanes3 q[4], before[4];
  relative_corners(b, origin, 0, q);
  relative_corners(b, origin, 1, before);
  if (is_of_edges(candidate)) {
    shape_edges(q, before, reach, shape);
  } else if (WITH_SELF_SPHERES && kinds_of_candidate(candidate) == PAIR_OF_PARTICLES) {
    shape_spheres(q, before, reach, shape);
  } else {
    shape_faces(q, before, reach, shape);
  }
}

/* Makes elements of the candidates of a block that are near. */
static void add_elements_of(element_search *s) {
  const self_group *g = s->g;
  pair_block *b = &s->block;
  pair_shape shape;
  float values[7][CLOTH_LANES];
  find_shape(b, b->candidate[0], lanes_multiply(lanes_load(b->thickness), lanes_splat(s->reach)), &shape);
  lanes_store(values[0], shape.share[0]);
  lanes_store(values[1], shape.share[1]);
  lanes_store(values[2], shape.gap);
  lanes3_store(VECTORS_OF(values + 3), 0, shape.normal, CLOTH_LANES);
  lanes_store(values[6], shape.part);
  const uint32_t near = lanes_bits(shape.near);
  for (int32_t lane = 0; lane < b->count; lane++) {
    const pair_memory *m = next_memory(s, key_of_candidate(g->cells, b->candidate[lane]));
    if (near >> lane & 1u) { add_element(s, values, lane, m); }
  }
  b->count = 0;
}

CLOTH_INLINE int differ_in_shape(uint32_t a, uint32_t b) {
  return is_of_edges(a) != is_of_edges(b) ||
         (kinds_of_candidate(a) == PAIR_OF_PARTICLES) != (kinds_of_candidate(b) == PAIR_OF_PARTICLES);
}

/* A candidate of which a cloth is solved now waits for others of its shape. */
static void add_waiting_candidate(element_search *s, uint32_t candidate) {
  const self_group *g = s->g;
  const cell_pair pair = g->cells[candidate >> PAIR_KIND_BITS];
  pair_block *b = &s->block;
  if (g->count > 1 && !g->bodies[cloth_of_cell(pair.first)].terms && !g->bodies[cloth_of_cell(pair.second)].terms) {
    return;
  }
  if (b->count > 0 && differ_in_shape(candidate, b->candidate[0])) { add_elements_of(s); }
  take_candidate(g, candidate, b, b->count++);
  if (b->count == CLOTH_LANES) { add_elements_of(s); }
}

/* Finds elements among all candidates, as many as there is room for. */
static void search_elements(const self_group *g, float reach, element_search *s) {
  fill_zero(s, sizeof *s);
  s->g = g;
  s->reach = reach;
  EACH_CANDIDATE(g, candidate, add_waiting_candidate(s, candidate));
  if (s->block.count > 0) { add_elements_of(s); }
}

/* Finds the elements of a part: what is near. Where there is no room, only what is nearer. */
CLOTH_SEPARATE int32_t find_elements(const self_group *g) {
  element_search s;
  search_elements(g, MOST_REACH, &s);
  int32_t steps = 0, count = 0; /* of reach, within which there is room for all */
  while (steps < REACH_STEPS && count + s.within[steps] <= g->room.max_elements) {
    count += s.within[steps++];
  }
  const float reach = (float)larger_of(steps, 1) * (MOST_REACH / (float)REACH_STEPS);
  if (reach < MOST_REACH) {
    search_elements(g, reach, &s);
    add_varying_work(g->bodies[0].c, (uint32_t)g->found->candidates, COST_PAIR_SHAPE);
  }
  return s.count;
}
