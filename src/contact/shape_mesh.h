#pragma once
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/scalar.h"
#include "../cloth/costs.h"
#include "../cloth/step_origin.h"
#include "../cloth/types.h"
#include "geometry.h"
#include "triangle.h"

/// Triangle meshes ///

/* A mesh is a tree with eight children to a node and leaves of eight triangles, in the order of a Morton curve
   (build_mesh.h). All levels are complete, so children are found by number. Out: nodes whose boxes overlap a box, and
   what that costs. */

/* Children of a node, and triangles of a leaf. */
#define MESH_CHILDREN 8
/* Most levels of nodes: 8^8 is more than CLOTH_TRIANGLE_LIMIT. */
#define MESH_LEVELS 7

/* Beyond every coordinate [m]. */
#define MESH_BEYOND 1.0e18f

/* Boxes of the children of a node: those that do not exist have a low corner above the high one. */
typedef struct mesh_node {
  float low[3][MESH_CHILDREN], high[3][MESH_CHILDREN]; /* [m] */
} mesh_node;

#if WITH_MESH

static const mesh_node *nodes_of_level(const cloth_geometry *g, int32_t level) {
  return (const mesh_node *)geometry_data(g, g->levels[level]);
}

/* Which children of a node overlap a box, a bit each. */
CLOTH_INLINE uint32_t overlapping_children(const mesh_node *node, cloth_vector low, cloth_vector high) {
  uint32_t bits = 0;
  for (int32_t n = 0; n < MESH_CHILDREN; n += CLOTH_LANES) {
    lanes_mask mask = lanes_both(lanes_less(lanes_load(node->low[0] + n), lanes_splat(high.x)),
                                 lanes_less(lanes_splat(low.x), lanes_load(node->high[0] + n)));
    mask = lanes_both(mask, lanes_less(lanes_load(node->low[1] + n), lanes_splat(high.y)));
    mask = lanes_both(mask, lanes_less(lanes_splat(low.y), lanes_load(node->high[1] + n)));
    mask = lanes_both(mask, lanes_less(lanes_load(node->low[2] + n), lanes_splat(high.z)));
    mask = lanes_both(mask, lanes_less(lanes_splat(low.z), lanes_load(node->high[2] + n)));
    bits |= lanes_bits(mask) << n;
  }
  return bits;
}

/* A walk through the boxes of a tree that overlap a box. */
typedef struct mesh_walk {
  const cloth_geometry *g;
  cloth_vector low, high;     /* corners of the box [m] */
  int32_t level;              /* where it is; the children of nodes of level 0 are leaves */
  int32_t node[MESH_LEVELS];  /* on the way down there */
  uint32_t open[MESH_LEVELS]; /* children of these that are still to be visited, a bit each */
  int32_t nodes;              /* how many were looked at */
  int32_t overflows;          /* 1 if the walk ended at the bound */
} mesh_walk;

/* Goes into a node of the level w->level. */
static void enter_node(mesh_walk *w, int32_t node) {
  w->node[w->level] = node;
  w->open[w->level] = overlapping_children(&nodes_of_level(w->g, w->level)[node], w->low, w->high);
  w->nodes++;
}

static void start_walk(mesh_walk *w, const cloth_geometry *g, cloth_vector low, cloth_vector high) {
  w->g = g;
  w->low = low;
  w->high = high;
  w->level = g->counts[1] - 1;
  w->open[0] = 0;
  w->nodes = w->overflows = 0;
  enter_node(w, 0);
}

/* Goes to the next node of level 0 in which boxes overlap: w->node[0] and w->open[0]. Returns 0 at the end. */
CLOTH_SEPARATE int next_node(mesh_walk *w) {
  int32_t level = w->level;
  while (!w->open[0]) {
    const uint32_t open = w->open[level];
    if (!open) {
      if (++level == w->g->counts[1]) { return 0; }
      continue;
    }
    const int32_t below = MESH_CHILDREN * w->node[level] + first_bit(open);
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

/* Sets the box of leaf number `n` of a list to that of a child of a node; to none without. */
static void set_leaf_box(mesh_leaves *list, int32_t n, const mesh_node *node, int32_t child) {
  for (int32_t k = 0; k < 3; k++) {
    list->low[k][n] = node ? node->low[k][child] : MESH_BEYOND;
    list->high[k][n] = node ? node->high[k][child] : -MESH_BEYOND;
  }
}

/* Adds children of a node, a bit each, to leaves. */
static void add_leaves(mesh_leaves *list, const mesh_node *node, int32_t number, uint32_t open) {
  for (; open; open &= open - 1u) {
    const int32_t child = first_bit(open);
    if (list->count == MOST_LEAVES) {
      list->overflows = 1;
      return;
    }
    set_leaf_box(list, list->count, node, child);
    list->leaf[list->count++] = MESH_CHILDREN * number + child;
  }
}

/* The box around leaves of a list. */
static position_box box_of_leaves(const mesh_leaves *list) {
  lanes3 low = lanes3_splat(vector(MESH_BEYOND, MESH_BEYOND, MESH_BEYOND)),
         high = lanes3_scale(low, lanes_splat(-1.0f));
  for (int32_t n = 0; n < list->count; n += CLOTH_LANES) {
    low = lanes3_minimum(
        lanes3_of(lanes_load(list->low[0] + n), lanes_load(list->low[1] + n), lanes_load(list->low[2] + n)), low);
    high = lanes3_maximum(
        lanes3_of(lanes_load(list->high[0] + n), lanes_load(list->high[1] + n), lanes_load(list->high[2] + n)), high);
  }
  return box_of_lanes(low, high);
}

/* Lists the leaves near a box. */
CLOTH_SEPARATE void find_leaves(mesh_leaves *list, const cloth_geometry *g, cloth_vector low, cloth_vector high) {
  mesh_walk w;
  list->count = list->overflows = 0;
  for (start_walk(&w, g, low, high); !list->overflows && next_node(&w); w.open[0] = 0) {
    add_leaves(list, &nodes_of_level(g, 0)[w.node[0]], w.node[0], w.open[0]);
  }
  for (int32_t n = list->count; n % LANES_SUMS != 0; n++) { /* the rest of the last block of lanes */
    set_leaf_box(list, n, NULL, 0);
  }
  list->box = box_of_leaves(list);
  list->overflows |= w.overflows;
  list->work = (uint32_t)w.nodes * COST_MESH_NODE + (uint32_t)list->count * COST_MESH_LEAF;
}

/* The triangles of a leaf from number `first` on, a multiple of CLOTH_LANES: those that do not exist are beyond all. */
CLOTH_INLINE triangle_lanes triangles_of_leaf(const cloth_geometry *g, int32_t leaf, int32_t first) {
  const float *values = (const float *)geometry_data(g, g->data);
  const triangle_lanes t = {values + leaf * TRIANGLE_FLOATS * MESH_CHILDREN + first, MESH_CHILDREN};
  return t;
}

#endif
