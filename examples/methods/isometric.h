#pragma once
#include "three.h"

/// The isometric model ///

/*
 * A sheet that bends but neither stretches nor shears: triangles that stay rigid and hang together at the midpoints of
 * their edges, the red nodes, which carry all mass. The corners of the triangles, the black nodes, follow from the red
 * ones. So the sheet does not lock, as a mesh of inextensible edges does. Red and black nodes of W x H cells are one
 * grid of 2W + 1 columns and 2H + 1 rows: black nodes in even columns and rows, midpoints of horizontal edges in odd
 * columns, of vertical ones in odd rows, of diagonals in both.
 *
 * Solved by sweeps in two colours: the lower triangles of all cells, then the upper ones. No two triangles of a colour
 * share a node. Each solves its three distances at once,
 *
 *     C_k = (|e_k|^2 - d_k^2) / 2,    (J M^-1 J^T) lambda = -C,    x += omega M^-1 J^T lambda,
 *
 * by L D L^T with pivots that are kept positive, and without a square root. At a border a black node belongs to a fan
 * of triangles; the places that the first and the last of them give it are drawn together, by BORDER_SHARE of the gap.
 *
 * It has neither bending energy nor contact: isometric_rows.h has both.
 */

#define ISOMETRIC_SWEEPS 1024 /* most sweeps of a step */
#define OVERRELAXATION 1.6f   /* omega, but for the last two sweeps: 1 */
#define BORDER_SHARE 0.3f

/* A sheet, in arrays of the caller: positions and velocities of all nodes of the grid, mobilities (1 over the mass in
   units of a triangle's third; 0: pinned or black), and room for positions. */
typedef struct isometric_sheet {
  int32_t cells_warp, cells_weft; /* W, H */
  float spacing;                  /* of the black nodes [m] */
  vector_array x, v, before;
  float *mobility;
} isometric_sheet;

static int32_t isometric_columns(const isometric_sheet *s) {
  return 2 * s->cells_warp + 1;
}

static int32_t isometric_nodes(const isometric_sheet *s) {
  return isometric_columns(s) * (2 * s->cells_weft + 1);
}

/* Floats of memory that a sheet needs. */
static int32_t isometric_floats(const isometric_sheet *s) {
  return 10 * isometric_nodes(s);
}

static vector_array isometric_vectors(const isometric_sheet *s, float *first) {
  const int32_t count = isometric_nodes(s);
  const vector_array a = {first, first + count, first + 2 * count};
  return a;
}

static int is_red(int32_t column, int32_t row) {
  return (column | row) & 1;
}

/* Lays a sheet out flat in the plane of x and z, at rest, in isometric_floats() floats. */
static void isometric_init(isometric_sheet *s, float *memory) {
  const int32_t columns = isometric_columns(s), count = isometric_nodes(s);
  s->x = isometric_vectors(s, memory);
  s->v = isometric_vectors(s, memory + 3 * count);
  s->before = isometric_vectors(s, memory + 6 * count);
  s->mobility = memory + 9 * count;
  for (int32_t i = 0; i < count; i++) {
    const int32_t column = i % columns, row = i / columns;
    const int on_border = column == 0 || row == 0 || column == columns - 1 || row == 2 * s->cells_weft;
    vector_store(s->x, i, vector(0.5f * s->spacing * (float)column, 0.0f, 0.5f * s->spacing * (float)row));
    vector_store(s->v, i, vector(0.0f, 0.0f, 0.0f));
    /* A red node has a third of the mass of each of its triangles: two, on borders one. */
    s->mobility[i] = !is_red(column, row) ? 0.0f : on_border ? 1.0f : 0.5f;
  }
}

/* The red nodes of a triangle: on the horizontal edge, the vertical one, the diagonal. */
typedef struct rigid_triangle {
  int32_t node[3];
} rigid_triangle;

/* The lower triangle of a cell has the corner with the smallest column and row, the upper one the opposite corner. */
static rigid_triangle triangle_at(const isometric_sheet *s, int32_t column, int32_t row, int is_upper) {
  const int32_t columns = isometric_columns(s), corner = 2 * row * columns + 2 * column;
  const rigid_triangle t = {
      {corner + 1 + (is_upper ? 2 * columns : 0), corner + columns + (is_upper ? 2 : 0), corner + columns + 1}};
  return t;
}

/* Half the squared length, at rest, of the distance opposite to a node of a triangle [m^2]: nodes are half a spacing
   apart along warp and weft. */
static float half_square_at_rest(const isometric_sheet *s, int32_t k) {
  const float half = 0.5f * s->spacing;
  return (k == 2 ? 1.0f : 0.5f) * half * half;
}

/* Moves the nodes of a triangle to its distances. Distance k is that between the two nodes other than k. */
static void project_triangle(const isometric_sheet *s, const rigid_triangle *t, float omega) {
  cloth_vector e[3];
  float c[3], m[3], a[6];
  float l[3];
  for (int32_t k = 0; k < 3; k++) {
    const cloth_vector from = vector_load(s->x, t->node[(k + 1) % 3]), to = vector_load(s->x, t->node[(k + 2) % 3]);
    e[k] = vector_flush_work(vector_subtract(to, from));
    c[k] = half_square_at_rest(s, k) - 0.5f * vector_dot(e[k], e[k]);
    m[k] = s->mobility[t->node[k]];
  }
  for (int32_t k = 0; k < 3; k++) {
    a[k] = (m[(k + 1) % 3] + m[(k + 2) % 3]) * vector_dot(e[k], e[k]);
  }
  a[3] = negate(m[2] * vector_dot(e[0], e[1]));
  a[4] = negate(m[1] * vector_dot(e[0], e[2]));
  a[5] = negate(m[0] * vector_dot(e[1], e[2]));
  solve_three(a, c, l);
  for (int32_t k = 0; k < 3; k++) {
    /* Node k is the end of distance k + 1 and the start of distance k + 2. */
    const cloth_vector end = vector_scale(e[(k + 1) % 3], l[(k + 1) % 3]);
    const cloth_vector step = vector_add_scaled(end, e[(k + 2) % 3], negate(l[(k + 2) % 3]));
    const cloth_vector moved = vector_add_scaled(vector_load(s->x, t->node[k]), step, omega * m[k]);
    vector_store(s->x, t->node[k], vector_flush(moved, STATE_QUANTUM));
  }
}

/* Draws the places together that two triangles give the black node at their common corner: the sum of the two midpoints
   beside it minus the third. `a` and `b` are the number of the third node in each. */
static void close_corner(const isometric_sheet *s, const rigid_triangle *first, int32_t a, const rigid_triangle *second,
                         int32_t b) {
  int32_t node[6];
  float weight[6], mobility = 0.0f;
  cloth_vector gap = vector(0.0f, 0.0f, 0.0f);
  for (int32_t k = 0; k < 6; k++) {
    node[k] = k < 3 ? first->node[k] : second->node[k - 3];
    weight[k] = k < 3 ? (k == a ? -1.0f : 1.0f) : (k - 3 == b ? 1.0f : -1.0f);
  }
  for (int32_t k = 0; k < 6; k++) {
    gap = vector_add_scaled(gap, vector_load(s->x, node[k]), weight[k]);
    mobility += weight[k] * weight[k] * s->mobility[node[k]];
  }
  gap = vector_scale(vector_flush_work(gap), BORDER_SHARE / maximum(mobility, 1.0f));
  for (int32_t k = 0; k < 6; k++) {
    const cloth_vector moved =
        vector_add_scaled(vector_load(s->x, node[k]), gap, negate(weight[k] * s->mobility[node[k]]));
    vector_store(s->x, node[k], vector_flush(moved, STATE_QUANTUM));
  }
}

/* The corner between two cells that lie side by side along a border, on both borders of that direction. In a lower
   triangle node 0, 1, 2 lies opposite to the corner at (0, 1), (1, 0), (0, 0); in an upper one at (1, 0), (0, 1), (1,
   1). */
static void close_borders(const isometric_sheet *s) {
  const int32_t w = s->cells_warp, h = s->cells_weft;
  for (int32_t i = 1; i < w; i++) {
    const rigid_triangle low[2] = {triangle_at(s, i - 1, 0, 0), triangle_at(s, i, 0, 0)};
    const rigid_triangle high[2] = {triangle_at(s, i - 1, h - 1, 1), triangle_at(s, i, h - 1, 1)};
    close_corner(s, &low[0], 1, &low[1], 2);
    close_corner(s, &high[0], 2, &high[1], 1);
  }
  for (int32_t i = 1; i < h; i++) {
    const rigid_triangle low[2] = {triangle_at(s, 0, i - 1, 0), triangle_at(s, 0, i, 0)};
    const rigid_triangle high[2] = {triangle_at(s, w - 1, i - 1, 1), triangle_at(s, w - 1, i, 1)};
    close_corner(s, &low[0], 0, &low[1], 2);
    close_corner(s, &high[0], 2, &high[1], 0);
  }
  const rigid_triangle right[2] = {triangle_at(s, w - 1, 0, 0), triangle_at(s, w - 1, 0, 1)};
  const rigid_triangle left[2] = {triangle_at(s, 0, h - 1, 0), triangle_at(s, 0, h - 1, 1)};
  close_corner(s, &right[0], 1, &right[1], 0);
  close_corner(s, &left[0], 0, &left[1], 1);
}

static void sweep_triangles(const isometric_sheet *s, int is_upper, float omega) {
  for (int32_t row = 0; row < s->cells_weft; row++) {
    for (int32_t column = 0; column < s->cells_warp; column++) {
      const rigid_triangle t = triangle_at(s, column, row, is_upper);
      project_triangle(s, &t, omega);
    }
  }
}

/* Advances by k seconds under gravity. */
static void isometric_step(const isometric_sheet *s, cloth_vector gravity, float k, int32_t sweeps) {
  const int32_t count = isometric_nodes(s);
  for (int32_t i = 0; i < count; i++) {
    const cloth_vector x = vector_load(s->x, i);
    const int moves = s->mobility[i] > 0.0f;
    const cloth_vector v = moves ? vector_add_scaled(vector_load(s->v, i), gravity, k) : vector(0.0f, 0.0f, 0.0f);
    vector_store(s->before, i, x);
    vector_store(s->x, i, vector_flush(vector_add_scaled(x, v, k), STATE_QUANTUM));
  }
  for (int32_t n = 0; n < sweeps && n < ISOMETRIC_SWEEPS; n++) {
    const float omega = n + 2 < sweeps ? OVERRELAXATION : 1.0f;
    close_borders(s);
    sweep_triangles(s, 0, omega);
    sweep_triangles(s, 1, omega);
  }
  for (int32_t i = 0; i < count; i++) {
    const cloth_vector moved = vector_subtract(vector_load(s->x, i), vector_load(s->before, i));
    vector_store(s->v, i, vector_flush(vector_scale(moved, 1.0f / k), STATE_QUANTUM));
  }
}
