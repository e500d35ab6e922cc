#pragma once
#include "../base/rows.h"
#include "../compiler.h"
#include "../lanes.h"
#include "../scalar.h"
#include "../solve/arrays.h"
#include "../solve/members.h"
#include "../types.h"
#include "candidates.h"
#include "features.h"
#include "memory.h"
#include "nearest.h"
#include "tree.h"

/// Pairs that touch ///

#if WITH_SELF

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
 * In: candidates, places, ways, memory. Out: elements. Scratch: none.
 */

/* Candidates nearer than so many thicknesses are elements; when there is no room for them, those that are nearer. */
#define REACHES 6
CLOTH_CONSTANT static const float element_reach[REACHES] = {2.0f, 1.5f, 1.2f, 1.0f, 0.8f, 0.6f};
/* Least distance that has a direction [m]. */
#define LEAST_PAIR_DISTANCE 1.0e-7f

/* Candidates in lanes: places and ways of their particles. */
typedef struct pair_block {
  int32_t count;
  pair_key key[CLOTH_LANES];
  int32_t place_of[CLOTH_LANES][4];
  float place[4][3][CLOTH_LANES], way[4][3][CLOTH_LANES], thickness[CLOTH_LANES];
} pair_block;

/* What their geometry is. */
typedef struct pair_shape {
  lanes_mask near;
  lanes weight[4];
  lanes3 normal;
  lanes gap;
} pair_shape;

/* Takes a particle of a candidate. */
CLOTH_INLINE void take_corner(const self_body *b, int32_t place, pair_block *to, int32_t n, int32_t lane) {
  const solve_arrays *a = &b->arrays; /* the direction holds the way until the solve has one */
  const cloth_vector x = near_vector(a->place, a->plane, place), way = near_vector(a->direction, a->plane, place);
  to->place_of[lane][n] = place;
  to->place[n][0][lane] = x.x;
  to->place[n][1][lane] = x.y;
  to->place[n][2][lane] = x.z;
  to->way[n][0][lane] = way.x;
  to->way[n][1][lane] = way.y;
  to->way[n][2][lane] = way.z;
}

/* Takes the particles of a candidate; those of two spheres stand first and second. */
static void take_candidate(const self_group *g, pair_key key, pair_block *to, int32_t lane) {
  const self_body *a = &g->bodies[feature_cloth(key.first)], *b = &g->bodies[feature_cloth(key.second)];
  int32_t first[3], second[3];
  const int32_t of_first = find_feature_places(key.first, a->columns, a->pitch, first);
  const int32_t of_second = find_feature_places(key.second, b->columns, b->pitch, second);
  to->key[lane] = key;
  for (int32_t n = 0; n < of_first; n++) {
    take_corner(a, first[n], to, n, lane);
  }
  for (int32_t n = of_first; n < 4; n++) {
    const int32_t k = n - of_first < of_second ? n - of_first : of_second - 1;
    take_corner(b, second[k], to, n, lane);
  }
  to->thickness[lane] = pair_between(g, feature_cloth(key.first), feature_cloth(key.second)).thickness;
}

CLOTH_INLINE lanes3 block_vector(float from[3][CLOTH_LANES]) {
  return lanes3_of(lanes_load(from[0]), lanes_load(from[1]), lanes_load(from[2]));
}

/* Vectors of the particles of a block relative to particle `origin`; at the start of the part with `before`. */
CLOTH_INLINE void relative_corners(pair_block *b, int32_t origin, int32_t before, lanes3 to[4]) {
  for (int32_t n = 0; n < 4; n++) {
    to[n] = lanes3_subtract(block_vector(b->place[n]), block_vector(b->place[origin]));
    if (before) {
      to[n] = lanes3_subtract(to[n], lanes3_subtract(block_vector(b->way[n]), block_vector(b->way[origin])));
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

/* Particles and triangles. */
CLOTH_SEPARATE void shape_faces(pair_block *b, lanes reach, pair_shape *s) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  lanes3 q[4], before[4];
  relative_corners(b, 1, 0, q);
  relative_corners(b, 1, 1, before);
  const lanes side = lanes_sign(lanes3_dot(before[0], lanes3_cross(before[2], before[3])));
  const triangle_place t = place_over_triangle(q[0], q[2], q[3]);
  const lanes height = lanes_multiply(t.height, side), apart = lanes_square_root(lanes3_dot(t.apart, t.apart));
  const lanes_mask beside = lanes_less(lanes_splat(LEAST_PAIR_DISTANCE), apart);
  const lanes3 across = unit_along(t.apart, lanes_select(beside, apart, one));
  const lanes3 up = unit_along(lanes3_scale(t.normal, side), t.length);
  s->gap = lanes_select(t.inside, height, apart);
  s->normal = lanes3_select(t.inside, up, across);
  /* beside the face: on the side of the start */
  const lanes right = lanes_select(t.inside, one, lanes_keep(beside, lanes_add(height, lanes_splat(STATE_QUANTUM))));
  s->near = lanes_both(lanes_less(zero, right), lanes_less(s->gap, reach));
  s->near = lanes_both(s->near, boxes_near(q, before, reach));
  s->weight[0] = one;
  s->weight[1] = lanes_minimum(lanes_subtract(lanes_add(t.second, t.third), one), zero);
  s->weight[2] = lanes_negate(t.second);
  s->weight[3] = lanes_negate(t.third);
}

/* Two edges. */
CLOTH_SEPARATE void shape_edges(pair_block *b, lanes reach, pair_shape *s) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  lanes3 q[4], before[4];
  relative_corners(b, 2, 0, q);
  relative_corners(b, 2, 1, before);
  const edge_places old = places_on_edges(before[0], lanes3_subtract(before[1], before[0]), before[3]);
  const edge_places now = places_on_edges(q[0], lanes3_subtract(q[1], q[0]), q[3]);
  const lanes side = lanes_sign(lanes3_dot(now.apart, old.within_apart));
  const lanes apart = lanes_square_root(lanes3_dot(now.apart, now.apart));
  const lanes_mask has_way = lanes_less(lanes_splat(LEAST_PAIR_DISTANCE), apart);
  s->gap = lanes_multiply(apart, side);
  s->normal = unit_along(lanes3_scale(now.apart, side), lanes_select(has_way, apart, one));
  s->near = lanes_both(lanes_both(old.cross, now.cross), lanes_both(has_way, lanes_less(apart, reach)));
  s->near = lanes_both(s->near, lanes_less(zero, lanes_minimum(now.first, now.second)));
  s->near = lanes_both(s->near, lanes_less(lanes_maximum(now.first, now.second), one));
  s->weight[0] = lanes_subtract(one, now.first);
  s->weight[1] = now.first;
  s->weight[2] = lanes_subtract(now.second, one);
  s->weight[3] = lanes_negate(now.second);
}

#if WITH_SELF_SPHERES

/* Two particles. */
CLOTH_SEPARATE void shape_spheres(pair_block *b, lanes reach, pair_shape *s) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f);
  lanes3 q[4], before[4];
  relative_corners(b, 1, 0, q);
  relative_corners(b, 1, 1, before);
  const lanes side = lanes_sign(lanes3_dot(q[0], before[0])), apart = lanes_square_root(lanes3_dot(q[0], q[0]));
  s->near = lanes_both(lanes_less(lanes_splat(LEAST_PAIR_DISTANCE), apart), lanes_less(apart, reach));
  s->normal = unit_along(lanes3_scale(q[0], side), lanes_select(s->near, apart, one));
  s->gap = lanes_multiply(apart, side);
  s->weight[0] = one;
  s->weight[1] = lanes_splat(-1.0f);
  s->weight[2] = s->weight[3] = zero;
}

#endif

/* The motion of an element for vectors of its particles. */
CLOTH_INLINE cloth_vector motion_of_pair(const float weight[4], const cloth_vector v[4]) {
  cloth_vector sum = vector_scale(v[0], weight[0]);
  for (int32_t n = 1; n < 4; n++) {
    sum = vector_add_scaled(sum, v[n], weight[n]);
  }
  return sum;
}

/* a without its part along the unit vector n. */
CLOTH_INLINE cloth_vector vector_across(cloth_vector a, cloth_vector n) {
  return vector_flush_work(vector_add_scaled(a, n, negate(flush_small(vector_dot(a, n), WORK_QUANTUM))));
}

/* Which particles of a pair are those of its first feature. */
CLOTH_INLINE int32_t first_particles(pair_key key) {
  return feature_corners[feature_kind(key.first)];
}

/* The cloth of particle n of an element. */
CLOTH_INLINE self_body *body_of_particle(const self_group *g, const pair_element *e, int32_t n) {
  return &g->bodies[feature_cloth(n < first_particles(e->key) ? e->key.first : e->key.second)];
}

/* 1 if a particle of a feature is tangled. */
static int is_feature_tangled(const self_body *b, const int32_t *place, int32_t count) {
  int is = 0;
  for (int32_t n = 0; n < count; n++) {
    const int32_t row = place[n] / b->pitch;
    is |= (b->ages[row * b->columns + place[n] - row * b->pitch] & SELF_OLDEST) > 0;
  }
  return is;
}

/* 1 if both features of a candidate are tangled: then it does not touch, so that they can come apart. */
static int is_ghost(const self_group *g, pair_key key, const int32_t place[4]) {
  const int32_t a = feature_cloth(key.first), b = feature_cloth(key.second), first = first_particles(key);
  return pair_between(g, a, b).untangles && is_feature_tangled(&g->bodies[a], place, first) &&
         is_feature_tangled(&g->bodies[b], place + first, 4 - first);
}

/* What finding elements goes through: where the memories of each cloth are read next. */
typedef struct element_search {
  const self_group *g;
  float reach; /* in thicknesses */
  int32_t count, is_full;
  uint32_t next[CLOTH_GROUP_LIMIT];
} element_search;

/* What a candidate has kept; all are asked in their order. */
CLOTH_INLINE const pair_memory *next_memory(element_search *s, pair_key key) {
  const int32_t n = owner_of(s->g, key);
  const self_body *b = &s->g->bodies[n];
  if (s->next[n] < *b->memories.count && are_same_pairs(b->memories.entry[s->next[n]].key, key)) {
    return &b->memories.entry[s->next[n]++];
  }
  return NULL;
}

/* Makes an element of a lane. */
static void add_element(element_search *s, pair_block *b, float values[8][CLOTH_LANES], int32_t lane,
                        const pair_memory *m) {
  const self_group *g = s->g;
  if (s->count == g->max_elements) {
    s->is_full = 1;
    return;
  }
  pair_element *e = &g->elements[s->count++];
  const cloth_vector none = vector(0.0f, 0.0f, 0.0f);
  cloth_vector way[4];
  fill_zero(e, sizeof *e);
  e->key = b->key[lane];
  for (int32_t n = 0; n < 4; n++) {
    e->place[n] = b->place_of[lane][n];
    e->weight[n] = values[n][lane];
    way[n] = vector(b->way[n][0][lane], b->way[n][1][lane], b->way[n][2][lane]);
  }
  e->gap = values[4][lane];
  e->normal = vector(values[5][lane], values[6][lane], values[7][lane]);
  const int32_t first = feature_cloth(e->key.first), second = feature_cloth(e->key.second);
  const self_pair law = pair_between(g, first, second);
  e->thickness = law.thickness;
  e->friction = law.friction;
  e->last = m ? m->force : none;
  const cloth_vector slip = vector_add(m ? m->slip : none, motion_of_pair(e->weight, way));
  e->offset = vector_across(vector_flush_work(slip), e->normal);
}

/* 1 if a cloth of a candidate is solved now. */
static int is_solved_now(const self_group *g, pair_key key) {
  return g->bodies[feature_cloth(key.first)].terms || g->bodies[feature_cloth(key.second)].terms;
}

/* Makes elements of the candidates of a block that are near. */
static void add_elements_of(element_search *s, pair_block *b) {
  pair_shape shape;
  float values[8][CLOTH_LANES];
  const int32_t kind = feature_kind(b->key[0].first), other = feature_kind(b->key[0].second);
  const lanes reach = lanes_multiply(lanes_load(b->thickness), lanes_splat(s->reach));
  if (kind >= FEATURE_WARP) {
    shape_edges(b, reach, &shape);
#if WITH_SELF_SPHERES
  } else if (other == FEATURE_PARTICLE) {
    shape_spheres(b, reach, &shape);
#endif
  } else {
    shape_faces(b, reach, &shape);
  }
  (void)other;
  for (int32_t n = 0; n < 4; n++) {
    lanes_store(values[n], shape.weight[n]);
  }
  lanes_store(values[4], shape.gap);
  lanes_store(values[5], shape.normal.x);
  lanes_store(values[6], shape.normal.y);
  lanes_store(values[7], shape.normal.z);
  const uint32_t near = lanes_bits(shape.near);
  for (int32_t lane = 0; lane < b->count; lane++) {
    const pair_memory *m = next_memory(s, b->key[lane]);
    const int is_released = s->g->found->statistics.tangled > 0 && is_ghost(s->g, b->key[lane], b->place_of[lane]);
    if ((near >> lane & 1u) && !is_released) {
      add_element(s, b, values, lane, m);
    }
  }
  b->count = 0;
}

/* 1 if a candidate is of another kind than those of a block: another shape. */
CLOTH_INLINE int differs_in_kind(pair_key a, pair_key b) {
  const int32_t first = feature_kind(a.second), second = feature_kind(b.second);
  return (first == FEATURE_PARTICLE) != (second == FEATURE_PARTICLE) ||
         (first >= FEATURE_WARP) != (second >= FEATURE_WARP);
}

/* Finds elements among all candidates. Returns how many there are, or -1 if there is no room. */
static int32_t search_elements(const self_group *g, float reach, int32_t is_last) {
  element_search s = {.g = g, .reach = reach};
  pair_block b;
  fill_zero(&b, sizeof b);
  for (int32_t n = 0; n < g->found->faces + g->found->edges; n++) {
    const pair_key key = candidate_key(g, n);
    if (!is_solved_now(g, key)) {
      continue;
    }
    if (b.count > 0 && differs_in_kind(key, b.key[0])) {
      add_elements_of(&s, &b);
    }
    take_candidate(g, key, &b, b.count++);
    if (b.count == CLOTH_LANES) {
      add_elements_of(&s, &b);
    }
  }
  if (b.count > 0) {
    add_elements_of(&s, &b);
  }
  return s.is_full && !is_last ? -1 : s.count;
}

/* Finds the elements of a part: what is near. Where there is no room, only what is nearer. */
CLOTH_SEPARATE int32_t find_elements(const self_group *g) {
  int32_t count = -1;
  for (int32_t n = 0; n < REACHES && count < 0; n++) {
    count = search_elements(g, element_reach[n], n == REACHES - 1);
  }
  return count;
}

#endif
