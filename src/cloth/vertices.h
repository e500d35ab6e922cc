#pragma once
#include "access.h"

/// Vertex layouts ///

/* Interleaved vertices in the caller's memory, as cloth_write_vertices() writes and cloth_move_targets() reads them. */

#define MAX_VERTEX_BYTES 65536 /* far beyond any vertex; keeps sizes of buffers from overflowing 32 bits */

/* Does an attribute of so many floats lie within a vertex? */
static int attribute_fits(int32_t offset, int32_t floats, int32_t stride) {
  return offset == CLOTH_ATTRIBUTE_NONE || (offset >= 0 && offset <= stride - floats * (int32_t)sizeof(float));
}

/* Vertices of a row. On a tube the first column is there twice, with u = 0 and with u = 1. */
static int32_t row_vertices(const cloth *c) {
  return cells_along_warp(c) + 1;
}

static int32_t grid_vertices(const cloth *c) {
  return row_vertices(c) * c->grid.rows;
}

/* Does a layout fit its stride, and has the buffer room for so many vertices? */
static int check_vertices(const cloth_vertex_layout *layout, int32_t count, size_t bytes) {
  const int fits = layout->stride >= 1 && layout->stride <= MAX_VERTEX_BYTES &&
                   attribute_fits(layout->position_offset, 3, layout->stride) &&
                   attribute_fits(layout->normal_offset, 3, layout->stride) &&
                   attribute_fits(layout->texcoord_offset, 2, layout->stride) &&
                   bytes / (size_t)layout->stride >= (size_t)(uint32_t)count;
  return fits ? CLOTH_OK : CLOTH_ERROR_BUFFER;
}

typedef struct grid_vertex {
  cloth_vector position;
  int32_t particle;  /* whose normal it has */
  float column, row; /* place in the grid [cells] */
} grid_vertex;

/* Largest component of a normal or tangent of any length: its square stays far below the largest float. */
#define ATTRIBUTE_LIMIT 1.0e6f

/* The caller's buffer may have any alignment. */
CLOTH_INLINE void copy_floats(void *to, const void *from, int32_t count) {
  copy_memory(to, from, (size_t)count * sizeof(float));
}
