#pragma once
#include "../cloth/step_origin.h"
#include "geometry.h"

/// Triangles ///

/* Triangles, as contact with meshes and height fields needs them, one in each lane. */

/* Floats of a triangle with its counter-clockwise normal. All but the first corner are relative to that. */
enum {
  TRIANGLE_CORNER,                          /* [m] */
  TRIANGLE_NORMAL = TRIANGLE_CORNER + 3,    /* unit length */
  TRIANGLE_EDGES = TRIANGLE_NORMAL + 3,     /* to the second and to the third corner [m] */
  TRIANGLE_OUTWARD = TRIANGLE_EDGES + 6,    /* unit normals of the edges in the plane, from the first edge on */
  TRIANGLE_FAR_SIDE = TRIANGLE_OUTWARD + 9, /* distance of the second edge from the corner, along its normal [m] */
  TRIANGLE_INVERSE = TRIANGLE_FAR_SIDE + 1, /* inverse squared lengths of the edges [1/m^2] */
  TRIANGLE_FLOATS = TRIANGLE_INVERSE + 3
};

/* CLOTH_LANES triangles in memory: float number n of the first is at value[n * stride]. */
typedef struct triangle_lanes {
  const float *value;
  int32_t stride;
} triangle_lanes;

/* Smallest double area [m^2] and height [m] of a triangle that has a normal beyond the rounding of corners. */
#define TRIANGLE_MIN_AREA 2.0e-8f
#define TRIANGLE_MIN_HEIGHT 1.0e-5f

CLOTH_INLINE lanes triangle_float(const triangle_lanes *t, int32_t n) {
  return lanes_load(t->value + n * t->stride);
}

CLOTH_INLINE lanes3 triangle_vector(const triangle_lanes *t, int32_t n) {
  return lanes3_apart(t->value + n * t->stride, t->stride);
}

/* Stores triangles of three corners without fractions below STATE_QUANTUM. Returns which are not degenerate. */
CLOTH_SEPARATE lanes_mask make_triangles(float *to, int32_t stride, const lanes3 corner[3]) {
  const lanes one = lanes_splat(1.0f), zero = lanes_splat(0.0f);
  const lanes3 sides[3] = {lanes3_flush_below(lanes3_subtract(corner[1], corner[0]), STATE_QUANTUM),
                           lanes3_flush_below(lanes3_subtract(corner[2], corner[1]), STATE_QUANTUM),
                           lanes3_flush_below(lanes3_subtract(corner[2], corner[0]), STATE_QUANTUM)};
  const lanes3 area = lanes3_flush(lanes3_cross(sides[0], sides[2]));
  const lanes twice = lanes3_length(area);
  lanes squares[3], longest = zero;
  for (int32_t n = 0; n < 3; n++) {
    squares[n] = lanes3_dot(sides[n], sides[n]);
    longest = lanes_maximum(squares[n], longest);
  }
  const lanes least = lanes_maximum(lanes_splat(TRIANGLE_MIN_AREA),
                                    lanes_multiply(lanes_splat(TRIANGLE_MIN_HEIGHT), lanes_square_root(longest)));
  const lanes_mask is_small = lanes_less(twice, least);
  const lanes3 normal = lanes3_flush(lanes3_scale(area, lanes_divide(one, lanes_select(is_small, one, twice))));
  lanes3_store_apart(to + TRIANGLE_CORNER * stride, stride, corner[0]);
  lanes3_store_apart(to + TRIANGLE_NORMAL * stride, stride, normal);
  lanes3_store_apart(to + TRIANGLE_EDGES * stride, stride, sides[0]);
  lanes3_store_apart(to + (TRIANGLE_EDGES + 3) * stride, stride, sides[2]);
  for (int32_t n = 0; n < 3; n++) {
    const lanes inverse = lanes_divide(one, lanes_select(is_small, one, squares[n]));
    const lanes3 along = n == 2 ? lanes3_subtract(lanes3_of(zero, zero, zero), sides[2]) : sides[n];
    const lanes3 across = lanes3_flush(lanes3_cross(along, normal));
    const lanes3 outward = lanes3_flush(lanes3_scale(across, lanes_square_root(inverse)));
    lanes_store(to + (TRIANGLE_INVERSE + n) * stride, inverse);
    lanes3_store_apart(to + (TRIANGLE_OUTWARD + 3 * n) * stride, stride, outward);
    if (n == 1) {
      lanes_store(to + TRIANGLE_FAR_SIDE * stride, lanes_flush_below(lanes3_dot(outward, sides[0]), STATE_QUANTUM));
    }
  }
  return lanes_less(zero, lanes_drop(is_small, one));
}

/// Triangle meshes ///

/* A mesh is a tree with eight children to a node and leaves of eight triangles, in the order of a Morton curve
   (build_geometry.h). All levels are complete, so children are found by number. Out: nodes whose boxes overlap a box,
   and what that costs. */

/* Children of a node, and triangles of a leaf. */
#define MESH_CHILDREN 8
/* Most levels of nodes: 8^8 is more than CLOTH_TRIANGLE_LIMIT. */
#define MESH_LEVELS 7

/* Boxes of the children of a node: those that do not exist have a low corner above the high one. */
typedef struct mesh_node {
  float low[3][MESH_CHILDREN], high[3][MESH_CHILDREN]; /* [m] */
} mesh_node;

static const mesh_node *nodes_of_level(const cloth_geometry *g, int32_t level) {
  return (const mesh_node *)geometry_data(g, g->levels[level]);
}

/* Which children of a node overlap a box, a bit each. */
CLOTH_INLINE uint32_t overlapping_children(const mesh_node *node, const position_box *box) {
  const lanes3 low = lanes3_splat(box->low), high = lanes3_splat(box->high);
  uint32_t bits = 0;
  for (int32_t n = 0; n < MESH_CHILDREN; n += CLOTH_LANES) {
    const lanes_mask begins = lanes3_less(lanes3_load(VECTORS_OF(node->low), n), high);
    bits |= lanes_bits(lanes_both(begins, lanes3_less(low, lanes3_load(VECTORS_OF(node->high), n)))) << n;
  }
  return bits;
}

/* A walk through the boxes of a tree that overlap a box. */
typedef struct mesh_walk {
  const cloth_geometry *g;
  position_box box;           /* [m] */
  int32_t level;              /* where it is; the children of nodes of level 0 are leaves */
  int32_t node[MESH_LEVELS];  /* on the way down there */
  uint32_t open[MESH_LEVELS]; /* children of these that are still to be visited, a bit each */
  int32_t nodes;              /* how many were looked at */
  int32_t overflows;          /* 1 if the walk ended at the bound */
} mesh_walk;

/* Goes into a node of the level w->level. */
static void enter_node(mesh_walk *w, int32_t node) {
  w->node[w->level] = node;
  w->open[w->level] = overlapping_children(&nodes_of_level(w->g, w->level)[node], &w->box);
  w->nodes++;
}

static void start_walk(mesh_walk *w, const cloth_geometry *g, const position_box *box) {
  w->g = g;
  w->box = *box;
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

static position_box box_of_child(const mesh_node *node, int32_t child) {
  return (position_box){vector_load(VECTORS_OF(node->low), child), vector_load(VECTORS_OF(node->high), child)};
}

static void set_leaf_box(mesh_leaves *list, int32_t n, position_box box) {
  vector_store(VECTORS_OF(list->low), n, box.low);
  vector_store(VECTORS_OF(list->high), n, box.high);
}

/* Adds children of a node, a bit each, to leaves. */
static void add_leaves(mesh_leaves *list, const mesh_node *node, int32_t number, uint32_t open) {
  for (; open; open &= open - 1u) {
    const int32_t child = first_bit(open);
    if (list->count == MOST_LEAVES) {
      list->overflows = 1;
      return;
    }
    set_leaf_box(list, list->count, box_of_child(node, child));
    list->leaf[list->count++] = MESH_CHILDREN * number + child;
  }
}

static position_box box_of_leaves(const mesh_leaves *list) {
  lanes3 low = lanes3_splat(empty_box().low), high = lanes3_splat(empty_box().high);
  for (int32_t n = 0; n < list->count; n += CLOTH_LANES) {
    low = lanes3_minimum(lanes3_load(VECTORS_OF(list->low), n), low);
    high = lanes3_maximum(lanes3_load(VECTORS_OF(list->high), n), high);
  }
  return box_of_lanes(low, high);
}

CLOTH_SEPARATE void find_leaves(mesh_leaves *list, const cloth_geometry *g, const position_box *box) {
  mesh_walk w;
  list->count = list->overflows = 0;
  for (start_walk(&w, g, box); !list->overflows && next_node(&w); w.open[0] = 0) {
    add_leaves(list, &nodes_of_level(g, 0)[w.node[0]], w.node[0], w.open[0]);
  }
  for (int32_t n = list->count; n % LANES_SUMS != 0; n++) { /* the rest of the last block of lanes */
    set_leaf_box(list, n, empty_box());
  }
  list->box = box_of_leaves(list);
  list->overflows |= w.overflows;
  list->work = (uint32_t)w.nodes * COST_MESH_NODE + (uint32_t)list->count * COST_MESH_LEAF;
}

/// Height fields ///

/* The ground under a grid of heights: its triangles, and how deep a point is below it, in local axes. */

/* The height of a corner [m]; those of others follow, row by row. */
static const float *height_at(const cloth_geometry *g, int32_t column, int32_t row) {
  return (const float *)geometry_data(g, g->data) + row * g->counts[0] + column;
}

/* The cell of a coordinate over the spacing, between 0 and `cells` - 1. */
static int32_t clamped_cell(float position, int32_t cells) {
  if (!(position > 0.0f)) { return 0; }
  return position < (float)cells ? (int32_t)position : cells - 1;
}

/* Cells of a field: a window of it, row by row. */
typedef struct field_window {
  int32_t left, first, columns, rows;
} field_window;

/* The height of the highest corner in a window [m]. */
static float highest_in_window(const cloth_geometry *g, const field_window *w) {
  const float *h = height_at(g, w->left, w->first);
  float highest = h[0];
  for (int32_t row = 0; row <= w->rows; row++) {
    for (int32_t column = 0; column <= w->columns; column++) {
      highest = maximum(h[row * g->counts[0] + column], highest);
    }
  }
  return highest;
}

/* Cells of lanes. */
typedef struct field_cells {
  float column[CLOTH_LANES], row[CLOTH_LANES];
  float height[4][CLOTH_LANES]; /* of the corners, x first */
} field_cells;

/* The triangles of a cell: that beyond the diagonal is the second. */
CLOTH_CONSTANT static const float which_of_cell[] = {0.0f, 1.0f, 0.0f, 1.0f, 0.0f, 1.0f, 0.0f, 1.0f};

/* Picks the cells of the triangles of a window from number `first` on: two of each; beyond them the last one. */
CLOTH_INLINE void pick_cells(const cloth_geometry *g, const field_window *w, int32_t first, field_cells *cells) {
  const int32_t each = CLOTH_LANES > 1 ? 2 : 1, stride = g->counts[0];
  int32_t row = first / 2 / w->columns, column = first / 2 - row * w->columns;
  const float *h = height_at(g, w->left + column, w->first + row);
  for (int32_t lane = 0; lane < CLOTH_LANES; lane += each) {
    for (int32_t n = lane; n < lane + each; n++) {
      cells->column[n] = (float)(w->left + column);
      cells->row[n] = (float)(w->first + row);
      cells->height[0][n] = h[0];
      cells->height[1][n] = h[1];
      cells->height[2][n] = h[stride];
      cells->height[3][n] = h[stride + 1];
    }
    if (column + 1 < w->columns) {
      column++;
      h++;
    } else if (row + 1 < w->rows) {
      row++;
      h += stride - column;
      column = 0;
    }
  }
}

/* The corners of such triangles, in the order in which normals point up. */
CLOTH_INLINE void field_corners(const cloth_geometry *g, const field_window *w, int32_t first, lanes3 corner[3]) {
  const lanes one = lanes_splat(1.0f), dx = lanes_splat(g->spacing[0]), dz = lanes_splat(g->spacing[1]);
  field_cells cells;
  pick_cells(g, w, first, &cells);
  const lanes column = lanes_load(cells.column), row = lanes_load(cells.row);
  const lanes x[2] = {lanes_multiply(column, dx), lanes_multiply(lanes_add(column, one), dx)};
  const lanes z[2] = {lanes_multiply(row, dz), lanes_multiply(lanes_add(row, one), dz)};
  const lanes3 right = lanes3_of(x[1], lanes_load(cells.height[1]), z[0]);
  const lanes3 below = lanes3_of(x[0], lanes_load(cells.height[2]), z[1]);
  const lanes_mask is_upper = lanes_less(lanes_splat(0.5f), lanes_load(which_of_cell + (first & 1)));
  corner[0] = lanes3_select(is_upper, lanes3_of(x[1], lanes_load(cells.height[3]), z[1]),
                            lanes3_of(x[0], lanes_load(cells.height[0]), z[0]));
  corner[1] = lanes3_select(is_upper, right, below);
  corner[2] = lanes3_select(is_upper, below, right);
}

/* No less than the distance of a point from the ground along the y axis [m]; much, beside the field. */
static float distance_along_y(const cloth_geometry *g, cloth_vector p) {
  const float x = p.x * (1.0f / g->spacing[0]), z = p.z * (1.0f / g->spacing[1]);
  if (!(x > 0.0f) || !(z > 0.0f) || x > (float)(g->counts[0] - 1) || z > (float)(g->counts[1] - 1)) {
    return CLOTH_ANY_DISTANCE;
  }
  const field_window cell = {clamped_cell(x, g->counts[0] - 1), clamped_cell(z, g->counts[1] - 1), 1, 1};
  const float *h = height_at(g, cell.left, cell.first), *next = h + g->counts[0];
  const float lowest = minimum(minimum(h[0], h[1]), minimum(next[0], next[1]));
  return maximum(p.y - lowest, highest_in_window(g, &cell) - p.y);
}

/* A triangle of a cell as a plane y = corner.y + slope_x x + slope_z z, from its right angle on in directions
   `sign`. */
typedef struct field_plane {
  cloth_vector corner, normal; /* the normal is of unit length and points up */
  float slope_x, slope_z;      /* [1] */
  float sign;
} field_plane;

static void make_plane(const cloth_geometry *g, int32_t column, int32_t row, int upper, field_plane *plane) {
  const int32_t step = upper ? -1 : 1;
  column += upper;
  row += upper;
  plane->sign = (float)step;
  const float *h = height_at(g, column, row);
  plane->corner = vector((float)column * g->spacing[0], *h, (float)row * g->spacing[1]);
  plane->slope_x = flush_work(plane->sign * (h[step] - h[0]) * (1.0f / g->spacing[0]));
  plane->slope_z = flush_work(plane->sign * (h[step * g->counts[0]] - h[0]) * (1.0f / g->spacing[1]));
  const float scale = 1.0f / square_root(1.0f + plane->slope_x * plane->slope_x + plane->slope_z * plane->slope_z);
  plane->normal = vector_flush_work(vector(negate(plane->slope_x * scale), scale, negate(plane->slope_z * scale)));
}

/* How deep a point is below the ground [m], or 0, and the normal of the ground there. */
static float depth_below_ground(const cloth_geometry *g, cloth_vector p, cloth_vector *normal) {
  const float x = p.x * (1.0f / g->spacing[0]), z = p.z * (1.0f / g->spacing[1]);
  if (x < 0.0f || z < 0.0f || x > (float)(g->counts[0] - 1) || z > (float)(g->counts[1] - 1)) { return 0.0f; }
  const field_window cell = {clamped_cell(x, g->counts[0] - 1), clamped_cell(z, g->counts[1] - 1), 1, 1};
  if (highest_in_window(g, &cell) < p.y) { return 0.0f; }
  field_plane plane;
  make_plane(g, cell.left, cell.first, x - (float)cell.left + (z - (float)cell.first) > 1.0f, &plane);
  *normal = plane.normal;
  return maximum(negate(vector_dot(plane.normal, vector_subtract(p, plane.corner))), 0.0f);
}
