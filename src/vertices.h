#pragma once
#include "access.h"
#include "compiler.h"

/// Vertex layouts ///

#if WITH_TARGETS || WITH_VERTICES

/* Does an attribute of some floats fit into a vertex? */
static int attribute_fits(int32_t offset, int32_t floats, int32_t stride) {
  return offset == CLOTH_ATTRIBUTE_NONE || (offset >= 0 && offset <= stride - floats * (int32_t)sizeof(float));
}

/* Vertices of a row: round a tube the first column comes twice, with either end of the texture. */
static int32_t row_vertices(const cloth *c) {
  return cells_along_warp(c) + 1;
}

/* Does a layout fit its stride, and are all vertices there? */
static int check_vertices(const cloth *c, const cloth_vertex_layout *layout, size_t bytes) {
  if (layout->stride < 1 || layout->stride > 65536 || !attribute_fits(layout->position_offset, 3, layout->stride) ||
      !attribute_fits(layout->normal_offset, 3, layout->stride) ||
      !attribute_fits(layout->texcoord_offset, 2, layout->stride) ||
      bytes / (size_t)layout->stride < (size_t)(row_vertices(c) * c->grid.rows)) {
    return CLOTH_ERROR_BUFFER;
  }
  return CLOTH_OK;
}

/* Byte by byte: the caller's buffer may have any alignment. */
static void copy_floats(void *to, const void *from, int32_t count) {
  for (int32_t i = 0; i < count * (int32_t)sizeof(float); i++) {
    ((uint8_t *)to)[i] = ((const uint8_t *)from)[i];
  }
}

#endif
