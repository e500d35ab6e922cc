#pragma once
#include "access.h"
#include "compiler.h"
#include "costs.h"
#include "geometry.h"
#include "lanes.h"
#include "scalar.h"
#include "triangle.h"
#include "types.h"

/// Triangle meshes ///

/*
 * A mesh is a tree with eight children to a node, whose leaves are triangles, in the order of their centres along a
 * Morton curve (build_mesh.h). All levels are complete, so children are found by their number, without pointers.
 *
 * Each particle remembers, within a step, the triangles near a ball in which it moves: as long as its path stays in the
 * ball the tree is not walked again. A cloth that lies on a mesh walks it once a step.
 *
 * In: a geometry of shape CLOTH_SHAPE_MESH, paths in its local axes. Out: contacts, and how many nodes and triangles
 * were looked at. Scratch: own.mesh_caches.
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

/// Triangles that a particle remembers ///

/* Number of remembered triangles that says there are more. The tree is then walked for each path. */
#define MESH_CACHE_FULL (MESH_CACHE + 1)
/* The ball holds the path of as many substeps as are left of the step, at most so many, ... */
#define BALL_SUBSTEPS 6
/* ... half of that path is so much of its radius [1], ... */
#define BALL_SLACK 1.1f
/* ... and the radius is larger by so much [m]. Larger balls are left less often, and hold more triangles. */
#define BALL_MIN 3.0e-4f
/* What is remembered serves until pushes have grown by so much [m]. */
#define PUSH_ROOM 2.0e-4f

static mesh_cache *mesh_caches_of(const cloth *c, int32_t slot) {
  return (mesh_cache *)at(c, c->own.mesh_caches) + (size_t)slot * (size_t)c->count;
}

/* Forgets what all particles remember, at the start of a step. */
static void forget_triangles(const cloth *c) {
  mesh_cache *caches = mesh_caches_of(c, 0);
  for (int32_t i = 0; i < c->settings.capacity.meshes * c->count; i++) {
    caches[i].squared_radius = -1.0f;
    caches[i].spent = 0;
  }
}

/* Is a point within the ball? */
static int is_in_ball(const mesh_cache *cache, cloth_vector p) {
  const cloth_vector d = vector_flush(vector_subtract(p, cache->centre), STATE_QUANTUM);
  return square_of(d) < cache->squared_radius;
}

/* Charges a walk to a search and to its particle. */
static void charge_walk(const mesh_walk *w, mesh_cache *cache, surface_search *s) {
  const uint32_t work = (uint32_t)w->nodes * COST_MESH_NODE + (uint32_t)w->triangles * COST_TRIANGLE;
  cache->spent += work;
  s->work += work;
}

/* Walks the tree for the triangles within the margin of a ball around a path, and remembers them. */
CLOTH_SEPARATE void remember_triangles(const cloth *c, const cloth_geometry *g, surface_search *s, mesh_cache *cache) {
  const surface_triangle *triangles = (const surface_triangle *)geometry_data(g, g->data);
  const cloth_vector way = vector_subtract(s->to, s->from);
  const step_plan *plan = &workspace_of(c)->plan;
  const int32_t left = plan->substeps - plan->index;
  const float half = 0.5f * (float)(left < BALL_SUBSTEPS ? left : BALL_SUBSTEPS);
  const float radius = BALL_SLACK * half * vector_length(way) + BALL_MIN;
  cache->margin = s->margin + PUSH_ROOM;
  const float reach = radius + cache->margin;
  const cloth_vector around = vector(reach, reach, reach);
  cache->centre = vector_flush(vector_add_scaled(s->from, way, half), STATE_QUANTUM);
  cache->squared_radius = radius * radius;
  cache->count = 0;
  mesh_walk w;
  start_walk(&w, g, vector_subtract(cache->centre, around), vector_add(cache->centre, around));
  for (int32_t n = next_triangle(&w); n >= 0 && cache->count < MESH_CACHE_FULL; n = next_triangle(&w)) {
    if (is_triangle_near(&triangles[n], cache->centre, reach)) {
      if (cache->count < MESH_CACHE) {
        cache->triangles[cache->count] = (uint32_t)n;
      }
      cache->count++;
    }
  }
  cache->count = w.overflows ? MESH_CACHE_FULL : cache->count;
  charge_walk(&w, cache, s);
}

/* Takes into account all triangles near a path. */
CLOTH_SEPARATE void walk_path(const cloth_geometry *g, mesh_cache *cache, surface_search *s) {
  const surface_triangle *triangles = (const surface_triangle *)geometry_data(g, g->data);
  const cloth_vector margin = vector(s->margin, s->margin, s->margin);
  const cloth_vector low =
      vector(minimum(s->from.x, s->to.x), minimum(s->from.y, s->to.y), minimum(s->from.z, s->to.z));
  const cloth_vector high =
      vector(maximum(s->from.x, s->to.x), maximum(s->from.y, s->to.y), maximum(s->from.z, s->to.z));
  mesh_walk w;
  start_walk(&w, g, vector_subtract(low, margin), vector_add(high, margin));
  for (int32_t n = next_triangle(&w); n >= 0; n = next_triangle(&w)) {
    meet_triangle(s, &triangles[n]);
  }
  s->overflows += w.overflows;
  charge_walk(&w, cache, s);
}

/* Finds the contact of a path with a mesh. `cache` is what the particle remembers of it; only if `may_remember` is 1 it
   may come to remember more. */
static void search_mesh(const cloth *c, const cloth_geometry *g, mesh_cache *cache, int may_remember,
                        surface_search *s) {
  int is_known = s->margin <= cache->margin && is_in_ball(cache, s->from) && is_in_ball(cache, s->to);
  if ((!is_known || cache->count == MESH_CACHE_FULL) &&
      cache->spent >= mesh_walk_limit(workspace_of(c)->plan.substeps)) {
    s->overflows++;
    return;
  }
  if (!is_known && may_remember) {
    remember_triangles(c, g, s, cache);
    is_known = 1;
  }
  if (!is_known || cache->count == MESH_CACHE_FULL) {
    walk_path(g, cache, s);
    return;
  }
  const surface_triangle *triangles = (const surface_triangle *)geometry_data(g, g->data);
  for (int32_t n = 0; n < cache->count; n++) {
    meet_triangle(s, &triangles[cache->triangles[n]]);
  }
  s->work += (uint32_t)cache->count * COST_TRIANGLE;
}

#endif
