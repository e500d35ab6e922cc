#pragma once
#include "../compiler.h"

/// Features of cloth that touch ///

#if WITH_SELF

/*
 * What of a cloth touches another, or the same: a particle, one of the two triangles of a cell, or an edge: along the
 * warp, along the weft, across the cell. Each belongs to the particle at the first corner of its cell. A feature is one
 * number: the cloth in its group, whether the cell is in the last column of a tube, what it is, and the row and column
 * of its particle.
 *
 * In and out: arguments alone.
 */

enum {
  FEATURE_PARTICLE,
  FEATURE_UPPER, /* the triangle of the first corner, the one beside it and the one across */
  FEATURE_LOWER, /* that of the first corner, the one across and the one below */
  FEATURE_WARP,
  FEATURE_WEFT,
  FEATURE_ACROSS,
  FEATURE_KINDS
};

#define FEATURE_COLUMN_BITS 10
#define FEATURE_PLACE_BITS (2 * FEATURE_COLUMN_BITS)
#define FEATURE_KIND_BITS 3
#define FEATURE_ROUND (1u << (FEATURE_PLACE_BITS + FEATURE_KIND_BITS))
#define FEATURE_CLOTH_SHIFT (FEATURE_PLACE_BITS + FEATURE_KIND_BITS + 1)
#define FEATURE_CLOTH_BITS 4

LAYOUT_CONTRACT(cloths_fit_into_features, CLOTH_GROUP_LIMIT <= 1 << FEATURE_CLOTH_BITS);

LAYOUT_CONTRACT(columns_fit_into_features, CLOTH_GRID_LIMIT <= 1 << FEATURE_COLUMN_BITS);

CLOTH_INLINE uint32_t feature_of(int32_t cloth_number, int32_t is_round, int32_t row, int32_t column) {
  return (uint32_t)cloth_number << FEATURE_CLOTH_SHIFT | (is_round ? FEATURE_ROUND : 0u) |
         (uint32_t)row << FEATURE_COLUMN_BITS | (uint32_t)column;
}

CLOTH_INLINE uint32_t feature_with_kind(uint32_t feature, int32_t kind) {
  return feature | (uint32_t)kind << FEATURE_PLACE_BITS;
}

CLOTH_INLINE int32_t feature_cloth(uint32_t feature) {
  return (int32_t)(feature >> FEATURE_CLOTH_SHIFT & ((1u << FEATURE_CLOTH_BITS) - 1u));
}

CLOTH_INLINE int32_t feature_kind(uint32_t feature) {
  return (int32_t)(feature >> FEATURE_PLACE_BITS & ((1u << FEATURE_KIND_BITS) - 1u));
}

/* The place of the particle of a feature in rows of so many places. */
CLOTH_INLINE int32_t feature_place(uint32_t feature, int32_t pitch) {
  const int32_t mask = (1 << FEATURE_COLUMN_BITS) - 1, column = (int32_t)feature & mask;
  return ((int32_t)(feature >> FEATURE_COLUMN_BITS) & mask) * pitch + column;
}

/* Corners of each kind of feature, and how many there are: of the cell's 0 first, 1 beside it, 2 across, 3 below. */
CLOTH_CONSTANT static const int8_t feature_corner[FEATURE_KINDS][3] = {{0, 0, 0}, {0, 1, 2}, {0, 2, 3},
                                                                       {0, 1, 1}, {0, 3, 3}, {0, 2, 2}};
CLOTH_CONSTANT static const int8_t feature_corners[FEATURE_KINDS] = {1, 3, 3, 2, 2, 2};

/* The places of the corners of a feature of a cloth with so many columns in rows of `pitch` places. Returns how many
   there are. */
CLOTH_INLINE int32_t find_feature_places(uint32_t feature, int32_t columns, int32_t pitch, int32_t places[3]) {
  const int32_t kind = feature_kind(feature), first = feature_place(feature, pitch), count = feature_corners[kind];
  const int32_t beside = first + (feature & FEATURE_ROUND ? 1 - columns : 1);
  const int32_t corner[4] = {first, beside, beside + pitch, first + pitch};
  for (int32_t n = 0; n < count; n++) {
    places[n] = corner[feature_corner[kind][n]];
  }
  return count;
}

#endif
