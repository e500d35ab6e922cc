#pragma once
#include "isometric.h"
#include "rows.h"

/// The isometric model with coupled rows ///

/*
 * The sheet of isometric.h with everything in one system, see rows.h: distances of the triangles, borders, bending
 * (equation 3.6, of the energy k_b / 2 |L x|^2 / M with L the cotangents of the midpoints), contact with a ball, and
 * friction on it. Solved by fast projection with conjugate gradients.
 *
 * Beside it the same for a mesh of triangles whose edges keep their lengths, to compare: it cannot bend across its
 * diagonals, where the isometric sheet can.
 */

/* Rows with compliance: borders (1 would be the mobility of a node at a border), contact, friction. */
#define BORDER_COMPLIANCE 0.1f
#define CONTACT_COMPLIANCE 1.0e-4f

typedef struct isometric_rows {
  isometric_sheet *sheet;
  row_system system;
  float bending; /* k_b [N m] */
  float density; /* [kg/m^2] */
  const row_ball *ball;
} isometric_rows;

static int32_t isometric_row_count(const isometric_sheet *s) {
  return 6 * s->cells_warp * s->cells_weft + 6 * (s->cells_warp + s->cells_weft) + 12 * s->cells_warp * s->cells_weft +
         3 * isometric_nodes(s);
}

static void add_distances(isometric_rows *m) {
  const isometric_sheet *s = m->sheet;
  for (int32_t n = 0; n < 2 * s->cells_warp * s->cells_weft; n++) {
    const rigid_triangle t = triangle_at(s, n / 2 % s->cells_warp, n / 2 / s->cells_warp, n & 1);
    for (int32_t k = 0; k < 3; k++) {
      coupled_row *r = add_row(&m->system, ROW_EQUAL, 0.0f);
      r->friction = square_root(2.0f * half_square_at_rest(s, k)); /* the length at rest, of which friction has none */
      add_row_point(r, t.node[(k + 1) % 3], vector(0.0f, 0.0f, 0.0f));
      add_row_point(r, t.node[(k + 2) % 3], vector(0.0f, 0.0f, 0.0f));
    }
  }
}

/* Three rows, one an axis, of a weighted sum of nodes. */
static void add_sum(isometric_rows *m, const int32_t *node, const float *weight, int32_t points, float compliance) {
  for (int32_t axis = 0; axis < 3; axis++) {
    coupled_row *r = add_row(&m->system, ROW_EQUAL, compliance);
    for (int32_t k = 0; k < points; k++) {
      add_row_point(r, node[k],
                    vector(axis == 0 ? weight[k] : 0.0f, axis == 1 ? weight[k] : 0.0f, axis == 2 ? weight[k] : 0.0f));
    }
  }
}

static void add_corner(isometric_rows *m, const rigid_triangle *first, int32_t a, const rigid_triangle *second,
                       int32_t b) {
  int32_t node[6];
  float weight[6];
  for (int32_t k = 0; k < 6; k++) {
    node[k] = k < 3 ? first->node[k] : second->node[k - 3];
    weight[k] = k < 3 ? (k == a ? -1.0f : 1.0f) : (k - 3 == b ? 1.0f : -1.0f);
  }
  add_sum(m, node, weight, 6, BORDER_COMPLIANCE);
}

/* The corners of close_borders(), and the two of the sheet where both triangles of a cell meet. */
static void add_borders(isometric_rows *m) {
  const isometric_sheet *s = m->sheet;
  const int32_t w = s->cells_warp, h = s->cells_weft;
  for (int32_t i = 1; i < w; i++) {
    const rigid_triangle low[2] = {triangle_at(s, i - 1, 0, 0), triangle_at(s, i, 0, 0)};
    const rigid_triangle high[2] = {triangle_at(s, i - 1, h - 1, 1), triangle_at(s, i, h - 1, 1)};
    add_corner(m, &low[0], 1, &low[1], 2);
    add_corner(m, &high[0], 2, &high[1], 1);
  }
  for (int32_t i = 1; i < h; i++) {
    const rigid_triangle low[2] = {triangle_at(s, 0, i - 1, 0), triangle_at(s, 0, i, 0)};
    const rigid_triangle high[2] = {triangle_at(s, w - 1, i - 1, 1), triangle_at(s, w - 1, i, 1)};
    add_corner(m, &low[0], 0, &low[1], 2);
    add_corner(m, &high[0], 2, &high[1], 0);
  }
  const rigid_triangle right[2] = {triangle_at(s, w - 1, 0, 0), triangle_at(s, w - 1, 0, 1)};
  const rigid_triangle left[2] = {triangle_at(s, 0, h - 1, 0), triangle_at(s, 0, h - 1, 1)};
  add_corner(m, &right[0], 1, &right[1], 0);
  add_corner(m, &left[0], 0, &left[1], 1);
}

/* Bending: of a diagonal 8 D - 2 times its four legs, of another inner edge 4 times its midpoint - 2 times the two
   diagonals beside it. */
static void add_isometric_bending(isometric_rows *m, float k) {
  const isometric_sheet *s = m->sheet;
  const int32_t columns = isometric_columns(s), rows = 2 * s->cells_weft + 1;
  const float area = 0.5f * s->spacing * s->spacing, unit = m->density * area / 3.0f;
  const float compliance = 2.0f * area / 3.0f * unit / (m->bending * k * k);
  for (int32_t i = 0; i < isometric_nodes(s) && m->bending > 0.0f; i++) {
    const int32_t column = i % columns, row = i / columns;
    static const float diagonal[5] = {8.0f, -2.0f, -2.0f, -2.0f, -2.0f}, edge[3] = {4.0f, -2.0f, -2.0f};
    if ((column & 1) && (row & 1)) {
      const int32_t node[5] = {i, i - 1, i + 1, i - columns, i + columns};
      add_sum(m, node, diagonal, 5, compliance);
    } else if ((column & 1) && row > 0 && row < rows - 1) {
      const int32_t node[3] = {i, i - columns, i + columns};
      add_sum(m, node, edge, 3, compliance);
    } else if ((row & 1) && column > 0 && column < columns - 1) {
      const int32_t node[3] = {i, i - 1, i + 1};
      add_sum(m, node, edge, 3, compliance);
    }
  }
}

/* Contact of each midpoint with the ball, and two rows of friction. */
static void add_ball_rows(isometric_rows *m) {
  for (int32_t i = 0; m->ball && i < m->system.points; i++) {
    if (!(m->system.mobility[i] > 0.0f)) { continue; }
    const int32_t pusher = m->system.count;
    add_row_point(add_row(&m->system, ROW_PUSH, CONTACT_COMPLIANCE), i, vector(0.0f, 1.0f, 0.0f));
    for (int32_t k = 0; m->ball->friction > 0.0f && k < 2; k++) {
      coupled_row *r = add_row(&m->system, ROW_FRICTION, CONTACT_COMPLIANCE);
      r->pusher = pusher;
      r->friction = m->ball->friction;
      add_row_point(r, i, vector(0.0f, 0.0f, 0.0f));
    }
  }
}

/* Makes the rows of a sheet for steps of k seconds, in isometric_row_count() rows and 3 floats a node of the caller. */
static void isometric_rows_init(isometric_rows *m, coupled_row *rows, float *floats, float k) {
  const int32_t count = isometric_nodes(m->sheet);
  const row_system system = {.rows = rows,
                             .points = count,
                             .x = m->sheet->x,
                             .work = isometric_vectors(m->sheet, floats),
                             .mobility = m->sheet->mobility};
  m->system = system;
  add_distances(m);
  add_borders(m);
  add_isometric_bending(m, k);
  add_ball_rows(m);
}

/* Values and gradients at the present places. */
static void evaluate_rows(const row_system *s, const row_ball *ball, vector_array start) {
  for (int32_t n = 0; n < s->count; n++) {
    coupled_row *r = &s->rows[n];
    if (r->kind == ROW_PUSH) {
      evaluate_contact(s, r, ball, vector_load(start, r->node[0]));
    } else if (r->kind == ROW_EQUAL && r->friction > 0.0f) {
      evaluate_distance(s, r, r->friction);
    } else if (r->kind == ROW_EQUAL) {
      r->value = 0.0f;
      for (int32_t k = 0; k < r->points; k++) {
        r->value += vector_dot(r->gradient[k], vector_load(s->x, r->node[k]));
      }
    }
  }
}

/* Advances a system by k seconds under gravity, by `newton` iterations of at most `iterations` of conjugate gradients.
 */
static void rows_step(const row_system *s, const row_ball *ball, vector_array v, vector_array start,
                      cloth_vector gravity, float k, const int32_t most[2]) {
  for (int32_t i = 0; i < s->points; i++) {
    const cloth_vector x = vector_load(s->x, i);
    const int moves = s->mobility[i] > 0.0f;
    const cloth_vector rate = moves ? vector_add_scaled(vector_load(v, i), gravity, k) : vector(0.0f, 0.0f, 0.0f);
    vector_store(start, i, x);
    vector_store(s->x, i, vector_flush(vector_add_scaled(x, rate, k), STATE_QUANTUM));
  }
  clear_rows(s);
  for (int32_t n = 0; n < most[0]; n++) {
    evaluate_rows(s, ball, start);
    project_rows(s, most[1], 1.0e-4f);
  }
  for (int32_t i = 0; i < s->points; i++) {
    const cloth_vector moved = vector_subtract(vector_load(s->x, i), vector_load(start, i));
    vector_store(v, i, vector_flush(vector_scale(moved, 1.0f / k), STATE_QUANTUM));
  }
}

static void isometric_rows_step(const isometric_rows *m, cloth_vector gravity, float k, int32_t newton,
                                int32_t iterations) {
  const int32_t most[2] = {newton, iterations};
  rows_step(&m->system, m->ball, m->sheet->v, m->sheet->before, gravity, k, most);
}
