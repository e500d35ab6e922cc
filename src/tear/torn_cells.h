#pragma once
#include "../cloth/gaps.h"
#include "../cloth/vertices.h"
#include "../terms/stiffness.h"

/// Pieces of torn cells ///

/* How torn cells are drawn. Each corner keeps a quarter: a quadrilateral over the middles of both edges there to the
   middle of the cell. The middle of a whole edge belongs to both ends; half of a broken one goes on straight, as long
   as at rest, along the thread behind its corner, or as the one beside it. Corners that edges join have one middle of
   the cell, the mean of what each would make of it. So nothing is stretched across a tear, and unmoved pieces meet. */

/* Vertices of a torn cell, three for each corner: on the edge to the next corner, on that to the one before, and in the
   middle of the cell; and its indices, two triangles for each corner. */
#define PIECE_VERTICES 12
#define PIECE_INDICES 24

typedef struct torn_cells {
  vector_array x;      /* positions of the particles */
  int32_t count;       /* how many there are, up to the one it is at */
  int32_t next;        /* particle from which the next one is looked for */
  int32_t row, column; /* of the cell */
} torn_cells;

/* Goes on to the next torn cell that may be drawn. Returns 0 if there is none. */
static int next_torn_cell(const cloth *c, torn_cells *t) {
  while (t->next < c->count && !(gaps_of(c)[t->next] & GAP_TORN)) {
    t->next++;
  }
  if (t->next == c->count || t->count == gap_summary_of(c)->max_torn_cells) { return 0; }
  t->row = t->next / c->grid.columns;
  t->column = t->next++ - t->row * c->grid.columns;
  t->count++;
  return 1;
}

/* Columns and rows from the first corner of a cell to each, around it, counter-clockwise seen against the normal. */
CLOTH_CONSTANT static const uint8_t piece_column[4] = {0, 1, 1, 0};
CLOTH_CONSTANT static const uint8_t piece_row[4] = {0, 0, 1, 1};

static int32_t piece_corner(const cloth *c, const torn_cells *t, int32_t corner) {
  return particle_beside(c, t->column + piece_column[corner & 3], t->row + piece_row[corner & 3]);
}

/* Is the edge from a corner of a cell to the next one broken? */
static int is_edge_broken(const cloth *c, const torn_cells *t, int32_t corner) {
  CLOTH_CONSTANT static const uint8_t keeper[4] = {0, 1, 3, 0}; /* the corner that the thread belongs to */
  const int32_t particle = piece_corner(c, t, keeper[corner & 3]);
  return (gaps_of(c)[particle] & (corner & 1 ? GAP_WEFT : GAP_WARP)) != 0;
}

/* The vector of the thread from a particle in a direction, `sign` of it, scaled to the rest length; or 0. */
static cloth_vector thread_from(const cloth *c, vector_array x, int32_t column, int32_t row, int32_t d, int32_t sign) {
  const int32_t i = particle_or_none(c, column, row);
  const int32_t j = particle_or_none(c, column + (d == WARP ? sign : 0), row + (d == WEFT ? sign : 0));
  if (i < 0 || j < 0 || (gaps_of(c)[sign > 0 ? i : j] & spring_gap(d))) { return vector(0.0f, 0.0f, 0.0f); }
  const cloth_vector way = vector_flush_state(vector_subtract(vector_load(x, j), vector_load(x, i)));
  const float length = vector_length(way);
  const float rest = direction_rest(c, d) * shape_factor(c, REST_LENGTH + d, sign > 0 ? i : j);
  return length > STATE_QUANTUM ? vector_scale_work(way, rest / length) : way;
}

/* The edge from a corner in a direction as it was before it broke. */
static cloth_vector lost_edge(const cloth *c, vector_array x, int32_t column, int32_t row, int32_t d, int32_t sign) {
  cloth_vector edge = vector_scale(thread_from(c, x, column, row, d, -sign), -1.0f);
  for (int32_t beside = -1; beside <= 1 && vector_is_zero(edge); beside += 2) {
    const int32_t q = column + (d == WEFT ? beside : 0), r = row + (d == WARP ? beside : 0);
    const int joined = !vector_is_zero(thread_from(c, x, column, row, d == WARP ? WEFT : WARP, beside));
    if (joined) {
      edge = thread_from(c, x, q, r, d, sign);
      edge = vector_is_zero(edge) ? vector_scale(thread_from(c, x, q, r, d, -sign), -1.0f) : edge;
    }
  }
  return edge;
}

/* Half of the edge from a corner to the next one, or (`step` -1) to the one before. */
static cloth_vector half_edge(const cloth *c, const torn_cells *t, int32_t corner, int32_t step) {
  const int32_t from = corner & 3, to = (corner + step) & 3;
  if (!is_edge_broken(c, t, step > 0 ? from : to)) {
    const cloth_vector a = vector_load(t->x, piece_corner(c, t, from)), b = vector_load(t->x, piece_corner(c, t, to));
    return vector_scale(vector_subtract(b, a), 0.5f);
  }
  const int32_t d = piece_row[from] == piece_row[to] ? WARP : WEFT;
  const int32_t sign = d == WARP ? piece_column[to] - piece_column[from] : piece_row[to] - piece_row[from];
  return vector_scale(lost_edge(c, t->x, t->column + piece_column[from], t->row + piece_row[from], d, sign), 0.5f);
}

/* What a corner would make of the middle of its cell. */
static cloth_vector middle_from(const cloth *c, const torn_cells *t, int32_t corner) {
  const cloth_vector x = vector_load(t->x, piece_corner(c, t, corner));
  return vector_add(x, vector_add(half_edge(c, t, corner, 1), half_edge(c, t, corner, -1)));
}

/* The middle of the cell, of the corners that edges join to one: always summed from the first of them on. */
static cloth_vector middle_of_piece(const cloth *c, const torn_cells *t, int32_t corner) {
  int32_t first = corner + 4, count = 1;
  while (first > corner && !is_edge_broken(c, t, first - 1)) {
    first--;
  }
  first = first == corner ? 0 : first; /* all four hang together */
  cloth_vector sum = middle_from(c, t, first);
  for (; count < 4 && !is_edge_broken(c, t, first + count - 1); count++) {
    sum = vector_add(sum, middle_from(c, t, first + count));
  }
  return vector_scale(sum, count == 1 ? 1.0f : count == 2 ? 0.5f : count == 3 ? 1.0f / 3.0f : 0.25f);
}

/* A vertex of a torn cell. Its particle is that of the corner it belongs to. */
static grid_vertex piece_vertex_of(const cloth *c, const torn_cells *t, int32_t number) {
  const int32_t corner = number / 3, kind = number % 3, other = (corner + (kind == 0 ? 1 : 3)) & 3;
  grid_vertex v = {
      .particle = piece_corner(c, t, corner), .column = (float)t->column + 0.5f, .row = (float)t->row + 0.5f};
  if (kind == 2) {
    v.position = middle_of_piece(c, t, corner);
  } else {
    v.position = vector_add(vector_load(t->x, v.particle), half_edge(c, t, corner, kind == 0 ? 1 : -1));
    v.column = (float)t->column + 0.5f * (float)(piece_column[corner] + piece_column[other]);
    v.row = (float)t->row + 0.5f * (float)(piece_row[corner] + piece_row[other]);
  }
  return v;
}

/* Vertex of an index of the cell that `t` is at: a corner's triangles are the corner, the middle of the edge to the
   next one and of the cell; and the corner, the middle of the cell and of the edge to the one before. */
static int32_t piece_index(const torn_cells *t, int32_t number, int32_t along, int32_t first) {
  CLOTH_CONSTANT static const int8_t kind[6] = {-1, 0, 2, -1, 2, 1};
  const int32_t corner = number / 6, which = kind[number % 6];
  if (which < 0) { return (t->row + piece_row[corner]) * along + t->column + piece_column[corner]; }
  return first + PIECE_VERTICES * (t->count - 1) + 3 * corner + which;
}
