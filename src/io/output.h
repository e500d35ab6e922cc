#pragma once
#include "../cloth/step_origin.h"
#include "../tear/torn_cells.h"
#include "../terms/air.h"

/// Output ///

/* What a program reads to draw a cloth: views, vectors, vertices and triangle indices in the caller's memory; of now,
   or blended between positions that the caller has kept and those of now. Scratch: product, until the call ends. */

static cloth_vector_view view_of(const cloth *c, uint32_t offset) {
  const vector_array p = vectors_at(c, offset);
  return (cloth_vector_view){p.x, p.y, p.z, c->count};
}

int cloth_get_positions(const cloth *c, cloth_vector_view *view) {
  const int error = check_call(c, view);
  if (!error) { *view = view_of(c, c->state.position); }
  return error;
}

int cloth_get_velocities(const cloth *c, cloth_vector_view *view) {
  const int error = check_call(c, view);
  if (!error) { *view = view_of(c, c->state.velocity); }
  return error;
}

/* Unit normals of the cloth at particles of a row, from a column on: the directions of the sums of the area vectors
   around them, over a cell's area; the world's y axis below MIN_NORMAL. */
#define MIN_NORMAL 1.0e-6f

CLOTH_INLINE lanes3 unit_normals(const cloth *c, const row_neighbours *near, vector_array x, int32_t column) {
  const lanes inverse_area = lanes_splat(1.0f / (c->grid.spacing_warp * c->grid.spacing_weft));
  const lanes3 areas = lanes3_scale(lanes3_flush(area_vectors(near, x, column, gapped_cloth(c))), inverse_area);
  const lanes length = lanes3_length(areas), least = lanes_splat(MIN_NORMAL);
  const lanes inverse = lanes_divide(lanes_splat(1.0f), lanes_maximum(length, least));
  const lanes3 up = lanes3_splat(vector(0.0f, 1.0f, 0.0f));
  return lanes3_select(lanes_less(least, length), lanes3_scale(areas, inverse), up);
}

static cloth_vector unit_normal(const cloth *c, vector_array x, int32_t particle) {
  const row_neighbours near = row_neighbours_at(c, x, particle / c->grid.columns);
  return lanes3_first(unit_normals(c, &near, x, particle % c->grid.columns));
}

static int check_get(const cloth *c, int32_t particle, const cloth_vector *to) {
  const int error = check_particle(c, particle);
  return error || to ? error : CLOTH_ERROR_NULL;
}

int cloth_get_position(const cloth *c, int32_t particle, cloth_vector *position) {
  const int error = check_get(c, particle, position);
  if (!error) { *position = vector_load(vectors_at(c, c->state.position), particle); }
  return error;
}

int cloth_get_velocity(const cloth *c, int32_t particle, cloth_vector *velocity) {
  const int error = check_get(c, particle, velocity);
  if (!error) { *velocity = current_velocity(c, particle); }
  return error;
}

int cloth_get_normal(const cloth *c, int32_t particle, cloth_vector *normal) {
  const int error = check_get(c, particle, normal);
  if (!error) { *normal = unit_normal(c, vectors_at(c, c->state.position), particle); }
  return error;
}

#if WITH_BLEND

int cloth_keep_positions(const cloth *c, cloth_blend *blend) {
  RETURN_IF_ERROR(check_call(c, blend));
  if (!blend->positions) { return CLOTH_ERROR_NULL; }
  if (blend->count != c->count) { return CLOTH_ERROR_BUFFER; }
  blend->origin = inputs_of(c)->origin;
  for (int32_t i = 0; i < c->count; i++) {
    blend->positions[i] = vector_load(vectors_at(c, c->state.position), i);
  }
  return CLOTH_OK;
}

#endif

static int check_blend(const cloth *c, const cloth_blend *blend) {
  if (!c->has_scratch) { return CLOTH_ERROR_STATE; }
  if (!blend->positions) { return CLOTH_ERROR_NULL; }
  if (blend->count != c->count) { return CLOTH_ERROR_BUFFER; }
  const int fits = in_range(blend->fraction, 0.0f, 1.0f) && are_metres_within(blend->origin, CLOTH_ORIGIN_LIMIT) &&
                   are_in_range(blend->positions, c->count, CLOTH_POSITION_LIMIT);
  return fits ? CLOTH_OK : CLOTH_ERROR_RANGE;
}

/* Writes the blended positions, relative to the origin of the cloth as it is now. A fraction of 0 gives those that were
   kept and 1 those of now, to the bit, and so does any where a particle has not moved. */
static vector_array blended_positions(const cloth *c, const cloth_blend *blend) {
  const vector_array x = vectors_at(c, c->state.position), blended = predicted_of(c);
  const cloth_metres here = inputs_of(c)->origin, there = blend->origin;
  const cloth_vector way = vector((float)(there.x - here.x), (float)(there.y - here.y), (float)(there.z - here.z));
  const float fraction = flush_work(blend->fraction);
  for (int32_t i = 0; i < c->count; i++) {
    const cloth_vector now = vector_load(x, i);
    const cloth_vector before = vector_add(vector_flush_state(blend->positions[i]), way);
    const cloth_vector between = vector_add_scaled(before, vector_subtract(now, before), fraction);
    vector_store(blended, i, fraction < 1.0f ? vector_flush_state(between) : now);
  }
  return blended;
}

/// Vertices ///

#if WITH_VERTICES

int cloth_get_vertex_count(const cloth *c) {
  RETURN_IF_ERROR(check_cloth(c));
  return grid_vertices(c) + (can_tear(c) ? PIECE_VERTICES * gap_summary_of(c)->max_torn_cells : 0);
}

/* What vertices are written from: positions, and normals of particles that are known already, or NULL. */
typedef struct vertex_source {
  vector_array x;
  const vector_array *normals;
} vertex_source;

static void write_attributes(const cloth *c, const vertex_source *from, const cloth_vertex_layout *layout,
                             const grid_vertex *v, uint8_t *to) {
  if (layout->position_offset != CLOTH_ATTRIBUTE_NONE) { copy_floats(to + layout->position_offset, &v->position.x, 3); }
  if (layout->normal_offset != CLOTH_ATTRIBUTE_NONE) {
    const cloth_vector normal =
        from->normals ? vector_load(*from->normals, v->particle) : unit_normal(c, from->x, v->particle);
    copy_floats(to + layout->normal_offset, &normal.x, 3);
  }
  if (layout->texcoord_offset != CLOTH_ATTRIBUTE_NONE) {
    const float uv[2] = {v->column / (float)cells_along_warp(c), v->row / (float)(c->grid.rows - 1)};
    copy_floats(to + layout->texcoord_offset, uv, 2);
  }
}

/* Writes a vertex of a row. Number `columns` of a row of a tube is that of column 0 with u = 1. */
static void write_vertex(const cloth *c, const vertex_source *from, const cloth_vertex_layout *layout, int32_t vertex,
                         int32_t row, uint8_t *to) {
  const int32_t column = vertex < c->grid.columns ? vertex : 0;
  grid_vertex v = {.particle = row * c->grid.columns + column, .column = (float)vertex, .row = (float)row};
  v.position = vector_load(from->x, v.particle);
  write_attributes(c, from, layout, &v, to);
}

/* Writes the vertices of the pieces of torn cells, and copies of the first vertex behind them. */
static void write_pieces(const cloth *c, const vertex_source *from, const cloth_vertex_layout *layout, uint8_t *to) {
  const int32_t end = cloth_get_vertex_count(c);
  torn_cells torn = {.x = from->x};
  int32_t written = grid_vertices(c);
  while (is_torn_cloth(c) && next_torn_cell(c, &torn)) {
    for (int32_t n = 0; n < PIECE_VERTICES; n++, written++, to += layout->stride) {
      const grid_vertex v = piece_vertex_of(c, &torn, n);
      write_attributes(c, from, layout, &v, to);
    }
  }
  for (; written < end; written++, to += layout->stride) {
    write_vertex(c, from, layout, 0, 0, to);
  }
}

static int check_vertex_buffer(const cloth *c, const cloth_vertex_layout *layout, const void *vertices, size_t bytes) {
  RETURN_IF_ERROR(check_cloth(c));
  if (!layout || !vertices) { return CLOTH_ERROR_NULL; }
  return check_vertices(layout, cloth_get_vertex_count(c), bytes);
}

static void write_all_vertices(const cloth *c, const vertex_source *from, const cloth_vertex_layout *layout,
                               void *vertices) {
  uint8_t *to = (uint8_t *)vertices;
  for (int32_t row = 0; row < c->grid.rows; row++) {
    for (int32_t vertex = 0; vertex < row_vertices(c); vertex++, to += layout->stride) {
      write_vertex(c, from, layout, vertex, row, to);
    }
  }
  if (can_tear(c)) { write_pieces(c, from, layout, to); }
}

int cloth_write_vertices(const cloth *c, const cloth_vertex_layout *layout, void *vertices, size_t bytes) {
  RETURN_IF_ERROR(check_vertex_buffer(c, layout, vertices, bytes));
  const vertex_source now = {vectors_at(c, c->state.position), NULL};
  write_all_vertices(c, &now, layout, vertices);
  return CLOTH_OK;
}

#if WITH_BLEND

int cloth_write_blended_vertices(cloth *c, const cloth_blend *blend, const cloth_vertex_layout *layout, void *vertices,
                                 size_t bytes) {
  RETURN_IF_ERROR(check_vertex_buffer(c, layout, vertices, bytes));
  if (!blend) { return CLOTH_ERROR_NULL; }
  RETURN_IF_ERROR(check_blend(c, blend));
  const vertex_source between = {blended_positions(c, blend), NULL};
  write_all_vertices(c, &between, layout, vertices);
  return CLOTH_OK;
}

#endif

/* Indices of all cells: those that are whole, and pieces of torn ones. */
static int32_t count_indices(const cloth *c) {
  const int32_t cells = has_gaps(c) ? gap_summary_of(c)->cells : cells_along_warp(c) * (c->grid.rows - 1);
  const int32_t torn = count_torn(c), drawn = torn > 0 ? smaller_of(torn, gap_summary_of(c)->max_torn_cells) : 0;
  return 6 * (cells - torn) + PIECE_INDICES * drawn;
}

int cloth_get_index_count(const cloth *c) {
  const int error = check_cloth(c);
  return error ? error : count_indices(c);
}

/* Stores an index of 2 bytes if `max`, the largest index, is UINT16_MAX, else of 4 bytes. */
static void store_index(void *indices, int32_t place, uint32_t vertex, uint32_t max) {
  if (max == UINT16_MAX) {
    ((uint16_t *)indices)[place] = (uint16_t)vertex;
  } else {
    ((uint32_t *)indices)[place] = vertex;
  }
}

/* Vertex of one of the six corners of a cell's two triangles, counter-clockwise seen from the side of the normal. */
static int32_t cell_corner(const cloth *c, int32_t cell, int32_t corner) {
  CLOTH_CONSTANT static const uint8_t right[6] = {0, 1, 1, 0, 1, 0};
  CLOTH_CONSTANT static const uint8_t below[6] = {0, 0, 1, 0, 1, 1};
  int32_t cells = cells_along_warp(c);
  int32_t column = cell % cells + right[corner];
  int32_t row = cell / cells + below[corner];
  return row * row_vertices(c) + column;
}

/* Writes indices of 2 bytes if `max`, the largest index, is UINT16_MAX, else of 4 bytes. */
static int write_indices(const cloth *c, uint32_t first_vertex, void *indices, size_t count, uint32_t max) {
  RETURN_IF_ERROR(check_call(c, indices));
  if (count < (size_t)(uint32_t)count_indices(c) || (uint32_t)(cloth_get_vertex_count(c) - 1) > max - first_vertex) {
    return CLOTH_ERROR_BUFFER;
  }
  int32_t written = 0;
  for (int32_t i = 0; i < 6 * cells_along_warp(c) * (c->grid.rows - 1); i++) {
    if (is_gap(c, first_of_cell(c, i / 6), GAP_CELL)) { continue; }
    store_index(indices, written++, first_vertex + (uint32_t)cell_corner(c, i / 6, i % 6), max);
  }
  torn_cells torn = {.count = 0};
  while (is_torn_cloth(c) && next_torn_cell(c, &torn)) {
    for (int32_t n = 0; n < PIECE_INDICES; n++) {
      const uint32_t vertex = (uint32_t)piece_index(&torn, n, row_vertices(c), grid_vertices(c));
      store_index(indices, written++, first_vertex + vertex, max);
    }
  }
  return CLOTH_OK;
}

int cloth_write_indices16(const cloth *c, uint16_t first_vertex, uint16_t *indices, size_t count) {
  return write_indices(c, first_vertex, indices, count, UINT16_MAX);
}

int cloth_write_indices32(const cloth *c, uint32_t first_vertex, uint32_t *indices, size_t count) {
  return write_indices(c, first_vertex, indices, count, UINT32_MAX);
}

#endif

int cloth_get_bounds(const cloth *c, cloth_vector *low, cloth_vector *high) {
  RETURN_IF_ERROR(check_cloth(c));
  if (!low || !high) { return CLOTH_ERROR_NULL; }
  const position_box box = box_around(c);
  *low = box.low;
  *high = box.high;
  return CLOTH_OK;
}
