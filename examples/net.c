/* SPDX-License-Identifier: MIT */
#include "net.h"

#include "motion.h"

enum { RIBBON_VERTICES = 4, RIBBON_INDICES = 6 };

static const float stretch_width = 0.007f, shear_width = 0.004f; /* of ribbons [m] */

static cloth_vector cross(cloth_vector a, cloth_vector b) {
  return vector(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static cloth_vector unit(cloth_vector a) {
  const float size = length(a);
  return size > 0 ? times(1 / size, a) : a;
}

int net_create(net *n, int columns, int rows) {
  const int most = 4 * columns * rows; /* springs along the warp, the weft and both diagonals */
  *n = (net){0};
  for (int method = 0; method < NET_METHOD_COUNT; method++)
    if (render_mesh_create(&n->meshes[method], RIBBON_VERTICES * most, RIBBON_INDICES * most) != 0) {
      net_destroy(n);
      return -1;
    }
  return 0;
}

void net_destroy(net *n) {
  for (int method = 0; method < NET_METHOD_COUNT; method++)
    render_mesh_destroy(&n->meshes[method]);
}

/// Ribbons ///

static int add_ribbon(render_mesh *mesh, int number, const cloth *sheet, int i, int j, float width) {
  static const uint32_t corners[RIBBON_INDICES] = {0, 1, 2, 2, 1, 3};
  cloth_vector from, to, normal;
  int result = cloth_get_position(sheet, i, &from);
  if (result >= 0) result = cloth_get_position(sheet, j, &to);
  if (result >= 0) result = cloth_get_normal(sheet, i, &normal);
  if (result < 0) return result;
  const cloth_vector side = times(0.5f * width, unit(cross(normal, minus(to, from))));
  const cloth_vector points[RIBBON_VERTICES] = {minus(from, side), plus(from, side), minus(to, side), plus(to, side)};
  for (int k = 0; k < RIBBON_VERTICES; k++)
    mesh->vertices[RIBBON_VERTICES * number + k] = (render_vertex){points[k], normal, 0, 0};
  for (int k = 0; k < RIBBON_INDICES; k++)
    mesh->indices[RIBBON_INDICES * number + k] = (uint32_t)(RIBBON_VERTICES * number) + corners[k];
  return CLOTH_OK;
}

/* All springs of a family that lead by so many columns and rows. */
static int add_direction(net *n, const cloth *sheet, const cloth_config *config, cloth_family family, int columns,
                         int rows) {
  cloth_statistics statistics;
  const int first = columns < 0 ? 1 : 0, end = config->columns - (columns > 0);
  const float width = family == CLOTH_FAMILY_SHEAR ? shear_width : stretch_width;
  int result = cloth_get_statistics(sheet, &statistics);
  const net_method method = statistics.mode[family] == CLOTH_MODE_EXPLICIT ? NET_EXPLICIT : NET_IMPLICIT;
  for (int row = 0; row + rows < config->rows; row++)
    for (int column = first; column < end && result >= 0; column++) {
      int i = row * config->columns + column, j = i + rows * config->columns + columns;
      result = add_ribbon(&n->meshes[method], n->springs[method]++, sheet, i, j, width);
    }
  return result;
}

int net_update(net *n, const cloth *sheet, const cloth_config *config) {
  static const struct {
    cloth_family family;
    int columns, rows;
  } directions[] = {{CLOTH_FAMILY_STRETCH_WARP, 1, 0},
                    {CLOTH_FAMILY_STRETCH_WEFT, 0, 1},
                    {CLOTH_FAMILY_SHEAR, 1, 1},
                    {CLOTH_FAMILY_SHEAR, -1, 1}};
  int result = CLOTH_OK;
  for (int method = 0; method < NET_METHOD_COUNT; method++)
    n->springs[method] = 0;
  for (int i = 0; i < 4 && result >= 0; i++)
    result = add_direction(n, sheet, config, directions[i].family, directions[i].columns, directions[i].rows);
  for (int method = 0; method < NET_METHOD_COUNT; method++) {
    n->meshes[method].vertex_count = RIBBON_VERTICES * n->springs[method];
    n->meshes[method].index_count = RIBBON_INDICES * n->springs[method];
  }
  return result;
}
