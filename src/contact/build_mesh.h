#pragma once
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/scalar.h"
#include "../cloth/settings.h"
#include "../cloth/types.h"
#include "geometry.h"
#include "shape_mesh.h"
#include "triangle.h"

/// Building meshes ///

/* Sorts triangles along a Morton curve, and builds the tree above them level by level. The keys of the sort lie at the
   end of the triangles, which are not there yet. */

#if WITH_MESH

/* A triangle's place along the curve, and its number. */
typedef struct mesh_key {
  uint32_t code, index;
} mesh_key;

/* Bits of a code along each axis. */
#define MORTON_BITS 10

/* Nodes of a level over `children`. */
static int32_t nodes_over(int32_t children) {
  return (children + MESH_CHILDREN - 1) / MESH_CHILDREN;
}

/* Sets where the parts of a mesh lie. Returns its size [bytes]. */
static uint32_t layout_mesh(int32_t triangles, cloth_geometry *g) {
  const uint32_t leaf = TRIANGLE_FLOATS * MESH_CHILDREN * (uint32_t)sizeof(float);
  uint32_t end = GEOMETRY_HEAD + (uint32_t)nodes_over(triangles) * leaf;
  g->data = GEOMETRY_HEAD;
  g->counts[0] = triangles;
  g->counts[1] = 0;
  for (int32_t nodes = nodes_over(triangles); nodes > 1 || g->counts[1] == 0;) {
    nodes = nodes_over(nodes);
    g->levels[g->counts[1]++] = end;
    end += (uint32_t)nodes * (uint32_t)sizeof(mesh_node);
  }
  return end;
}

/* Spreads the lowest 10 bits, two zeros between any two. */
static uint32_t spread_bits(uint32_t bits) {
  uint32_t spread = 0;
  for (uint32_t n = 0; n < MORTON_BITS; n++) {
    spread |= (bits >> n & 1u) << (3u * n);
  }
  return spread;
}

/* Cell of a coordinate in a range, 0..1023. */
static uint32_t curve_cell(float value, float low, float high) {
  const float cells = (float)(1 << MORTON_BITS);
  const float cell = high > low ? (value - low) * (cells / (high - low)) : 0.0f;
  return (uint32_t)minimum(maximum(cell, 0.0f), cells - 1.0f);
}

static cloth_vector corner_of_mesh(const cloth_mesh_data *data, int32_t triangle_number, int32_t corner) {
  return vector_flush(data->vertices[data->indices[3 * triangle_number + corner]], STATE_QUANTUM);
}

static uint32_t curve_code(const cloth_mesh_data *data, const cloth_geometry *g, int32_t number) {
  cloth_vector sum = vector_add(corner_of_mesh(data, number, 0), corner_of_mesh(data, number, 1));
  const cloth_vector p = vector_scale(vector_add(sum, corner_of_mesh(data, number, 2)), 1.0f / 3.0f);
  return spread_bits(curve_cell(p.x, g->low.x, g->high.x)) | spread_bits(curve_cell(p.y, g->low.y, g->high.y)) << 1 |
         spread_bits(curve_cell(p.z, g->low.z, g->high.z)) << 2;
}

static int is_key_less(const mesh_key *a, const mesh_key *b) {
  return a->code < b->code || (a->code == b->code && a->index < b->index);
}

/* Moves the key at `root` down in a heap of `count` keys, whose largest is on top. */
static void sift_down(mesh_key *keys, int32_t root, int32_t count) {
  const mesh_key moved = keys[root];
  while (2 * root + 1 < count) {
    int32_t child = 2 * root + 1;
    child += child + 1 < count && is_key_less(&keys[child], &keys[child + 1]);
    if (!is_key_less(&moved, &keys[child])) { break; }
    keys[root] = keys[child];
    root = child;
  }
  keys[root] = moved;
}

/* Heap sort: in place, and n log n whatever the order. */
static void sort_keys(mesh_key *keys, int32_t count) {
  for (int32_t root = count / 2 - 1; root >= 0; root--) {
    sift_down(keys, root, count);
  }
  for (int32_t end = count - 1; end > 0; end--) {
    const mesh_key largest = keys[0];
    keys[0] = keys[end];
    keys[end] = largest;
    sift_down(keys, 0, end);
  }
}

/* Sets the box of a child; `low` above `high` for none. */
static void set_child(mesh_node *node, int32_t child, cloth_vector low, cloth_vector high) {
  node->low[0][child] = low.x;
  node->low[1][child] = low.y;
  node->low[2][child] = low.z;
  node->high[0][child] = high.x;
  node->high[1][child] = high.y;
  node->high[2][child] = high.z;
}

/* Where the floats of a triangle are, MESH_CHILDREN apart. */
static float *mesh_triangle_at(cloth_geometry *g, int32_t n) {
  float *values = (float *)(void *)((char *)(void *)g + g->data);
  return values + n / MESH_CHILDREN * TRIANGLE_FLOATS * MESH_CHILDREN + n % MESH_CHILDREN;
}

static cloth_vector vector_of_triangle(const float *triangle, int32_t n) {
  return vector(triangle[n * MESH_CHILDREN], triangle[(n + 1) * MESH_CHILDREN], triangle[(n + 2) * MESH_CHILDREN]);
}

/* The coordinates of the corners of a triangle: the least (sign 1), or the largest (sign -1). */
static cloth_vector triangle_extreme(const float *triangle, float sign) {
  const cloth_vector a = vector_of_triangle(triangle, TRIANGLE_CORNER);
  const cloth_vector b = vector_add(a, vector_of_triangle(triangle, TRIANGLE_EDGES));
  const cloth_vector c = vector_add(a, vector_of_triangle(triangle, TRIANGLE_EDGES + 3));
  const cloth_vector d = vector(sign * minimum(sign * a.x, minimum(sign * b.x, sign * c.x)),
                                sign * minimum(sign * a.y, minimum(sign * b.y, sign * c.y)),
                                sign * minimum(sign * a.z, minimum(sign * b.z, sign * c.z)));
  return vector_flush(d, STATE_QUANTUM);
}

/* The least low or largest high coordinate of all children of a node, as triangle_extreme(). */
static float node_extreme(const float children[MESH_CHILDREN], float sign) {
  float least = sign * children[0];
  for (int32_t n = 1; n < MESH_CHILDREN; n++) {
    least = minimum(sign * children[n], least);
  }
  return flush_small(sign * least, STATE_QUANTUM);
}

/* The box around the triangles of a leaf. */
static position_box box_of_leaf(cloth_geometry *g, int32_t leaf) {
  const int32_t first = MESH_CHILDREN * leaf;
  cloth_vector low = triangle_extreme(mesh_triangle_at(g, first), 1.0f),
               high = triangle_extreme(mesh_triangle_at(g, first), -1.0f);
  for (int32_t n = first + 1; n < first + MESH_CHILDREN && n < g->counts[0]; n++) {
    const cloth_vector least = triangle_extreme(mesh_triangle_at(g, n), 1.0f),
                       most = triangle_extreme(mesh_triangle_at(g, n), -1.0f);
    low = vector(minimum(least.x, low.x), minimum(least.y, low.y), minimum(least.z, low.z));
    high = vector(maximum(most.x, high.x), maximum(most.y, high.y), maximum(most.z, high.z));
  }
  const position_box box = {low, high};
  return box;
}

/* The box around the children of a node. */
static position_box box_of_node(const mesh_node *node) {
  const position_box box = {
      vector(node_extreme(node->low[0], 1.0f), node_extreme(node->low[1], 1.0f), node_extreme(node->low[2], 1.0f)),
      vector(node_extreme(node->high[0], -1.0f), node_extreme(node->high[1], -1.0f),
             node_extreme(node->high[2], -1.0f))};
  return box;
}

/* Sets the boxes of the nodes of a level over so many leaves or nodes. */
static void build_level(cloth_geometry *g, int32_t level, int32_t children) {
  char *start = (char *)(void *)g;
  mesh_node *nodes = (mesh_node *)(void *)(start + g->levels[level]);
  const mesh_node *below = (const mesh_node *)(void *)(start + g->levels[level > 0 ? level - 1 : 0]);
  const position_box none = {vector(MESH_BEYOND, MESH_BEYOND, MESH_BEYOND),
                             vector(-MESH_BEYOND, -MESH_BEYOND, -MESH_BEYOND)};
  for (int32_t n = 0; n < nodes_over(children) * MESH_CHILDREN; n++) {
    const position_box box = n >= children ? none : level == 0 ? box_of_leaf(g, n) : box_of_node(&below[n]);
    set_child(&nodes[n / MESH_CHILDREN], n % MESH_CHILDREN, box.low, box.high);
  }
}

/* The box around all vertices of triangles. */
static void measure_mesh(const cloth_mesh_data *data, cloth_geometry *g) {
  g->low = vector(MESH_BEYOND, MESH_BEYOND, MESH_BEYOND);
  g->high = vector(-MESH_BEYOND, -MESH_BEYOND, -MESH_BEYOND);
  for (int32_t n = 0; n < 3 * data->triangle_count; n++) {
    const cloth_vector p = corner_of_mesh(data, n / 3, n % 3);
    g->low = vector(minimum(p.x, g->low.x), minimum(p.y, g->low.y), minimum(p.z, g->low.z));
    g->high = vector(maximum(p.x, g->high.x), maximum(p.y, g->high.y), maximum(p.z, g->high.z));
  }
}

/* Makes CLOTH_LANES triangles; `from` has their numbers. Returns which are not degenerate, a bit each. */
CLOTH_SEPARATE uint32_t make_mesh_triangles(const cloth_mesh_data *data, const int32_t *from, float *to,
                                            int32_t stride) {
  float value[9][CLOTH_LANES];
  lanes3 corner[3];
  for (int32_t k = 0; k < 3; k++) {
    const vector_array at = {value[3 * k], value[3 * k + 1], value[3 * k + 2]};
    for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
      vector_store(at, lane, corner_of_mesh(data, from[lane], k));
    }
    corner[k] = lanes3_load(at, 0);
  }
  return lanes_bits(make_triangles(to, stride, corner));
}

/* Makes the triangles in the order of their keys; the rest of the last leaf is beyond all, and level. */
static void build_triangles(const cloth_mesh_data *data, const mesh_key *keys, cloth_geometry *g) {
  const int32_t last = data->triangle_count - 1;
  for (int32_t first = 0; first <= last; first += MESH_CHILDREN) {
    int32_t from[MESH_CHILDREN]; /* all are read before the first triangle may be where a key was */
    for (int32_t n = 0; n < MESH_CHILDREN; n++) {
      from[n] = (int32_t)keys[first + n < last ? first + n : last].index;
    }
    for (int32_t k = 0; k < MESH_CHILDREN; k += CLOTH_LANES) {
      make_mesh_triangles(data, from + k, mesh_triangle_at(g, first + k), MESH_CHILDREN);
    }
  }
  for (int32_t n = last + 1; n % MESH_CHILDREN != 0; n++) {
    float *none = mesh_triangle_at(g, n);
    for (int32_t k = 0; k < 3; k++) {
      none[(TRIANGLE_CORNER + k) * MESH_CHILDREN] = k == 1 ? MESH_BEYOND : 0.0f;
      none[(TRIANGLE_NORMAL + k) * MESH_CHILDREN] = k == 1 ? 1.0f : 0.0f;
    }
  }
}

/* Builds a mesh from data without a fault. */
CLOTH_SEPARATE void build_mesh(const cloth_mesh_data *data, cloth_geometry *g) {
  mesh_key *keys = (mesh_key *)(void *)((char *)(void *)g + g->levels[0]) - data->triangle_count;
  measure_mesh(data, g);
  for (int32_t n = 0; n < data->triangle_count; n++) {
    keys[n].code = curve_code(data, g, n);
    keys[n].index = (uint32_t)n;
  }
  sort_keys(keys, data->triangle_count);
  build_triangles(data, keys, g);
  int32_t children = nodes_over(data->triangle_count);
  for (int32_t level = 0; level < g->counts[1]; level++) {
    build_level(g, level, children);
    children = nodes_over(children);
  }
  g->counts[2] = data->one_sided;
  g->elements = data->triangle_count;
}

/* The first fault of vertices and triangles; 0 for none. */
static int find_mesh_fault(const cloth_mesh_data *data) {
  for (int32_t n = 0; n < data->vertex_count; n++) {
    if (!vector_in_range(data->vertices[n], GEOMETRY_EXTENT)) { return GEOMETRY_FAULT(VERTEX); }
  }
  for (int32_t n = 0; n < 3 * data->triangle_count; n++) {
    if (data->indices[n] >= (uint32_t)data->vertex_count) { return GEOMETRY_FAULT(INDEX); }
  }
  for (int32_t n = 0; n < data->triangle_count; n += CLOTH_LANES) {
    float room[TRIANGLE_FLOATS * CLOTH_LANES];
    int32_t from[CLOTH_LANES];
    for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
      from[lane] = n + lane < data->triangle_count ? n + lane : n;
    }
    if (make_mesh_triangles(data, from, room, CLOTH_LANES) != (1u << CLOTH_LANES) - 1u) {
      return GEOMETRY_FAULT(TRIANGLE);
    }
  }
  return 0;
}

#endif
