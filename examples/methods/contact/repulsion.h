#pragma once
#include "../material.h"
#include "voxels.h"

/// Repulsion ///

/*
 * Particles of the sheet that are closer than cloth_method.repulsion push each other apart as damped springs of that
 * length (thesis section 3.4.2), with stiffness and damping of stretch along the warp. Neighbours do not: they are up
 * to one cell away, or two where the repulsion is as long as a cell. Pairs are listed where a substep starts. In the
 * equation they are elements like those of the laws, with the tangent w w^T along the pair; in sweeps they are rows;
 * with CLOTH_SCHEME_EXPLICIT they are explicit.
 */

static int has_repulsion(const method_work *w) {
  return w->method->repulsion > 0.0f;
}

/* How many cells away neighbours are. What lies two cells away pushes in a sharp fold: with a reach of 2 throughout
   such folds close, and cells pass through each other there. Longer repulsions would push where a sheet only bends. */
static int32_t neighbour_reach(const method_work *w) {
  return w->method->repulsion < minimum(w->c->grid.spacing_warp, w->c->grid.spacing_weft) ? 1 : 2;
}

static pair_list pairs_of(const method_work *w) {
  const pair_list list = {.pairs = (close_pair *)(void *)(w->floats + w->pairs),
                          .count = w->pair_count,
                          .room = PAIRS_PER_PARTICLE * w->c->count,
                          .distance = w->method->repulsion,
                          .columns = w->c->grid.columns,
                          .reach = neighbour_reach(w)};
  return list;
}

/* Lists the pairs at the start of the substep. */
static void list_repulsion(method_work *w) {
  w->pair_count = 0;
  if (has_repulsion(w)) {
    const voxel_grid g = open_voxels((int32_t *)(void *)(w->floats + w->voxels), w->c->count);
    pair_list list = pairs_of(w);
    list_close_pairs(&g, w->x, &list);
    w->pair_count = list.count;
    w->report->pairs = list.count;
    w->report->pairs_dropped += list.dropped;
  }
}

static void push_particle(vector_array to, int32_t i, cloth_vector a, float sign) {
  vector_store(to, i, vector_add_scaled(vector_load(to, i), a, sign));
}

/* Adds the pulls of all pairs at places x and velocities v in a time tau, in the order of the list. Keeps the tangents'
   roots if `packs`. */
static void add_pair_pulls(const method_work *w, vector_array x, vector_array v, float tau, int packs,
                           vector_array to) {
  const pair_list list = pairs_of(w);
  const float stiffness = over_mass(w, direction_stiffness(w->c, WARP));
  const float damping = over_mass(w, direction_damping(w->c, WARP));
  const float root = square_root(flush_small(tau * (tau * stiffness + damping), WORK_QUANTUM));
  for (int32_t n = 0; n < list.count; n++) {
    close_pair *p = &list.pairs[n];
    const cloth_vector d = vector_flush_work(vector_subtract(vector_load(x, p->j), vector_load(x, p->i)));
    const cloth_vector rate = vector_flush_work(vector_subtract(vector_load(v, p->j), vector_load(v, p->i)));
    const float length = vector_length(d), depth = length - list.distance;
    const cloth_vector u = vector_flush(vector_scale(d, 1.0f / maximum(length, 1.0e-6f)), STATE_QUANTUM);
    const int acts = depth < 0.0f;
    const float pull = flush_small(tau * (stiffness * depth + damping * vector_dot(u, rate)), WORK_QUANTUM);
    if (packs) { p->root = acts ? vector_flush(vector_scale(u, root), STATE_QUANTUM) : vector(0.0f, 0.0f, 0.0f); }
    if (acts) {
      push_particle(to, p->i, u, pull);
      push_particle(to, p->j, u, negate(pull));
    }
  }
}

/* Adds the products of the pairs' tangents with a vector. */
static void add_pair_tangents(const method_work *w, vector_array p, vector_array to) {
  const pair_list list = pairs_of(w);
  for (int32_t n = 0; n < list.count; n++) {
    const close_pair *pair = &list.pairs[n];
    const cloth_vector e = vector_subtract(vector_load(p, pair->j), vector_load(p, pair->i));
    const float along = flush_small(vector_dot(pair->root, vector_flush_work(e)), WORK_QUANTUM);
    push_particle(to, pair->i, pair->root, along);
    push_particle(to, pair->j, pair->root, negate(along));
  }
}

/* Adds w w^T to the blocks of one particle of a pair. `block`: its six floats, `stride` apart. */
static void add_pair_block(cloth_vector root, float *block, int32_t stride) {
  const float entries[SYMMETRIC_FLOATS] = {root.x * root.x, root.y * root.y, root.z * root.z,
                                           root.x * root.y, root.x * root.z, root.y * root.z};
  for (int32_t n = 0; n < SYMMETRIC_FLOATS; n++) {
    block[n * stride] += flush_small(entries[n], WORK_QUANTUM);
  }
}

static void add_pair_blocks(const method_work *w) {
  const pair_list list = pairs_of(w);
  for (int32_t n = 0; n < list.count; n++) {
    add_pair_block(list.pairs[n].root, w->floats + w->inverse + list.pairs[n].i, w->c->stride);
    add_pair_block(list.pairs[n].root, w->floats + w->inverse + list.pairs[n].j, w->c->stride);
  }
}
