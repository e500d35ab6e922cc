#pragma once
#include "compiler.h"
#include "costs.h"
#include "geometry.h"
#include "lanes.h"

/// Triangle meshes ///

/*
 * A mesh is a tree with eight children to a node, whose leaves are triangles, in the order of their centres along a
 * Morton curve (build_mesh.h). All levels are complete, so children are found by their number, without pointers.
 *
 * In: a geometry of shape CLOTH_SHAPE_MESH, a box in its local axes. Out: the triangles whose boxes overlap it, and how
 * many nodes and triangles were looked at. Scratch: none.
 */

/* Children of a node. */
#define MESH_CHILDREN 8
/* Most levels: 8^7 is more than CLOTH_TRIANGLE_LIMIT. */
#define MESH_LEVELS 8

/* Boxes of the children of a node: those that do not exist have a low corner above the high one. */
typedef struct mesh_node {
  float low[3][MESH_CHILDREN], high[3][MESH_CHILDREN]; /* [m] */
} mesh_node;

#if WITH_MESH

/* A walk through the boxes of a tree that overlap a box. */
typedef struct mesh_walk {
  const cloth_geometry *g;
  cloth_vector low, high;     /* corners of the box [m] */
  int32_t level;              /* where the walk is; leaves are level 0 */
  int32_t node[MESH_LEVELS];  /* on the way down there */
  uint32_t open[MESH_LEVELS]; /* children of these that are still to be visited, a bit each */
  int32_t nodes, triangles;   /* how many were looked at */
  int32_t overflows;          /* 1 if the walk ended at a bound */
} mesh_walk;

/* The bit of each child. */
CLOTH_CONSTANT static const float child_bits[MESH_CHILDREN] = {1.0f, 2.0f, 4.0f, 8.0f, 16.0f, 32.0f, 64.0f, 128.0f};

/* Which children of a node overlap the box, a bit each. */
static uint32_t overlapping_children(const mesh_walk *w, const mesh_node *node) {
  uint32_t bits = 0;
  for (int32_t n = 0; n < MESH_CHILDREN; n += CLOTH_LANES) {
    float chosen[CLOTH_LANES];
    lanes_mask mask = lanes_both(lanes_less(lanes_load(node->low[0] + n), lanes_splat(w->high.x)),
                                 lanes_less(lanes_splat(w->low.x), lanes_load(node->high[0] + n)));
    mask = lanes_both(mask, lanes_less(lanes_load(node->low[1] + n), lanes_splat(w->high.y)));
    mask = lanes_both(mask, lanes_less(lanes_splat(w->low.y), lanes_load(node->high[1] + n)));
    mask = lanes_both(mask, lanes_less(lanes_load(node->low[2] + n), lanes_splat(w->high.z)));
    mask = lanes_both(mask, lanes_less(lanes_splat(w->low.z), lanes_load(node->high[2] + n)));
    if (lanes_any(mask)) {
      lanes_store(chosen, lanes_keep(mask, lanes_load(child_bits + n)));
      float sum = chosen[0];
      for (int32_t lane = 1; lane < CLOTH_LANES; lane++) {
        sum += chosen[lane];
      }
      bits += (uint32_t)(int32_t)sum;
    }
  }
  return bits;
}

/* Goes into a node of the level w->level. */
static void enter_node(mesh_walk *w, int32_t node) {
  const mesh_node *nodes = (const mesh_node *)geometry_data(w->g, w->g->levels[w->level]);
  w->node[w->level] = node;
  w->open[w->level] = overlapping_children(w, &nodes[node]);
  w->nodes++;
}

static void start_walk(mesh_walk *w, const cloth_geometry *g, cloth_vector low, cloth_vector high) {
  w->g = g;
  w->low = low;
  w->high = high;
  w->level = g->counts[1] - 1;
  w->open[0] = 0;
  w->nodes = w->triangles = w->overflows = 0;
  enter_node(w, 0);
}

/* Number of the lowest bit that is set, of one of eight. */
static int32_t lowest_bit(uint32_t bits) {
  const uint32_t bit = bits & (~bits + 1u);
  return ((bit & 0xf0u) != 0) << 2 | ((bit & 0xccu) != 0) << 1 | ((bit & 0xaau) != 0);
}

/* Goes to the next node of level 0 in which boxes of triangles overlap. Returns 0 at the end. */
CLOTH_SEPARATE int next_leaf(mesh_walk *w) {
  int32_t level = w->level;
  while (!w->open[0]) {
    const uint32_t open = w->open[level];
    if (!open) {
      if (++level == w->g->counts[1]) {
        return 0;
      }
      continue;
    }
    const int32_t below = MESH_CHILDREN * w->node[level] + lowest_bit(open);
    w->open[level] = open & (open - 1u);
    if (w->nodes >= MESH_WALK_NODES) {
      w->overflows = 1;
      return 0;
    }
    w->level = --level;
    enter_node(w, below);
  }
  return 1;
}

/* The next triangle whose box overlaps, or -1 at the end. */
CLOTH_INLINE int32_t next_triangle(mesh_walk *w) {
  if (!w->open[0] && !next_leaf(w)) {
    return -1;
  }
  if (w->triangles >= MESH_WALK_TRIANGLES) {
    w->overflows = 1;
    return -1;
  }
  const uint32_t open = w->open[0];
  w->open[0] = open & (open - 1u);
  w->triangles++;
  return MESH_CHILDREN * w->node[0] + lowest_bit(open);
}

#endif
