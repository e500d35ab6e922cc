#pragma once
#include "../cloth/types.h"

/// Features of cloth that touch ///

/* What of a cloth touches another, or the same: a particle, one of the two triangles of a cell, or an edge along the
   warp, along the weft, across the cell, each of the particle at the first corner of its cell. A feature is one number:
   the cloth in its group, whether the cell is in the last column of a tube, the kind, row and column. */

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
#define FEATURE_CLOTH_SHIFT (FEATURE_PLACE_BITS + FEATURE_KIND_BITS + 1)
#define FEATURE_CLOTH_BITS 4

LAYOUT_CONTRACT(cloths_fit_into_features, CLOTH_GROUP_LIMIT <= 1 << FEATURE_CLOTH_BITS);

LAYOUT_CONTRACT(columns_fit_into_features, CLOTH_GRID_LIMIT <= 1 << FEATURE_COLUMN_BITS);

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

/* The corner of the cell that each of its edges leads to, and those after the first of each of its two triangles. */
CLOTH_CONSTANT static const int8_t edge_corner[3] = {1, 3, 2};
CLOTH_CONSTANT static const int8_t later_corners[2][2] = {{1, 2}, {2, 3}};

/* Candidates are kept by pairs of cells: which of PAIR_KINDS pairs of their kinds of features, a bit each, stands in
   seven bits over each cell of 25 bits. A candidate is 16 times its pair of cells and which pair of kinds. First come
   particles, of all pairs of cells, then edges. */

/* Pairs of kinds of features: that of the first cell and that of the second. */
enum { PAIR_OF_PARTICLES = 13, PAIR_KINDS };
CLOTH_CONSTANT static const int8_t pair_kinds[PAIR_KINDS][2] = {
    {FEATURE_PARTICLE, FEATURE_UPPER}, {FEATURE_PARTICLE, FEATURE_LOWER},   {FEATURE_UPPER, FEATURE_PARTICLE},
    {FEATURE_LOWER, FEATURE_PARTICLE}, {FEATURE_WARP, FEATURE_WARP},        {FEATURE_WARP, FEATURE_WEFT},
    {FEATURE_WARP, FEATURE_ACROSS},    {FEATURE_WEFT, FEATURE_WARP},        {FEATURE_WEFT, FEATURE_WEFT},
    {FEATURE_WEFT, FEATURE_ACROSS},    {FEATURE_ACROSS, FEATURE_WARP},      {FEATURE_ACROSS, FEATURE_WEFT},
    {FEATURE_ACROSS, FEATURE_ACROSS},  {FEATURE_PARTICLE, FEATURE_PARTICLE}};
#define PAIR_KIND_BITS 4
#define PAIRS_OF_EDGES 0x1ff0u

/* The particles of a pair, one of each triangle first, then its corners, or the two edges: corners of the first cell,
   0 first, 1 beside it, 2 across, 3 below, and of the second one, 4 more. Of two particles, the second is repeated. */
CLOTH_CONSTANT static const uint8_t pair_corners[PAIR_KINDS][4] = {
    {0, 4, 5, 6}, {0, 4, 6, 7}, {4, 0, 1, 2}, {4, 0, 2, 3}, {0, 1, 4, 5}, {0, 1, 4, 7}, {0, 1, 4, 6},
    {0, 3, 4, 5}, {0, 3, 4, 7}, {0, 3, 4, 6}, {0, 2, 4, 5}, {0, 2, 4, 7}, {0, 2, 4, 6}, {0, 4, 4, 4}};

/* Which pairs have a corner of the first cell and one of the second, a bit each. */
CLOTH_CONSTANT static const uint16_t pairs_with_corners[4][4] = {{0x3fff, 0x0491, 0x1243, 0x0922},
                                                                 {0x0074, 0x0010, 0x0040, 0x0020},
                                                                 {0x1c0c, 0x0400, 0x1000, 0x0800},
                                                                 {0x0388, 0x0080, 0x0200, 0x0100}};

#define CELL_KINDS 7
#define CELL_BITS (FEATURE_PLACE_BITS + 1 + FEATURE_CLOTH_BITS)

LAYOUT_CONTRACT(kinds_fit_into_cells, PAIR_KINDS <= 2 * CELL_KINDS && CELL_BITS + CELL_KINDS <= 32);

/* A cell of its cloth, and whether it is in the last column of a tube. */
CLOTH_INLINE uint32_t cell_of(int32_t cloth_number, int32_t is_round, int32_t row, int32_t column) {
  return (uint32_t)cloth_number << (FEATURE_PLACE_BITS + 1) | (uint32_t)is_round << FEATURE_PLACE_BITS |
         (uint32_t)row << FEATURE_COLUMN_BITS | (uint32_t)column;
}

/* The feature of a kind of a cell, over which other kinds may stand. */
CLOTH_INLINE uint32_t feature_of(uint32_t cell, int32_t kind) {
  const uint32_t place = cell & ((1u << FEATURE_PLACE_BITS) - 1u), rest = (cell & ((1u << CELL_BITS) - 1u)) - place;
  return rest << FEATURE_KIND_BITS | (uint32_t)kind << FEATURE_PLACE_BITS | place;
}

CLOTH_INLINE int32_t cloth_of_cell(uint32_t cell) {
  return (int32_t)(cell >> (FEATURE_PLACE_BITS + 1) & ((1u << FEATURE_CLOTH_BITS) - 1u));
}

/* Which of PAIR_KINDS a candidate is. */
CLOTH_INLINE uint32_t kinds_of_candidate(uint32_t candidate) {
  return candidate & ((1u << PAIR_KIND_BITS) - 1u);
}

CLOTH_INLINE int32_t is_of_edges(uint32_t candidate) {
  return (int32_t)(PAIRS_OF_EDGES >> kinds_of_candidate(candidate) & 1u);
}

/* The features of a candidate; a particle stands before a triangle. */
CLOTH_INLINE pair_key key_of_candidate(const cell_pair *cells, uint32_t candidate) {
  const cell_pair pair = cells[candidate >> PAIR_KIND_BITS];
  const uint32_t kinds = kinds_of_candidate(candidate);
  const uint32_t first = feature_of(pair.first, pair_kinds[kinds][0]);
  const uint32_t second = feature_of(pair.second, pair_kinds[kinds][1]);
  const int is_turned = pair_corners[kinds][0] >= 4;
  return (pair_key){is_turned ? second : first, is_turned ? first : second};
}

/* The kinds of features that a cell has, beside its particle, a bit each. */
#define ALL_FEATURES ((1u << FEATURE_KINDS) - (1u << FEATURE_UPPER))
