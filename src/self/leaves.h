#pragma once
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/scalar.h"
#include "../cloth/gaps.h"
#include "tree.h"

/// Leaves of the tree of boxes ///

#if WITH_SELF

/* The cells of a leaf, side by side in memory, with their boxes, and which of those of two leaves come near each other.
   Scratch: none. */

/* Cells of a leaf that own particles; their first particles. Where there are fewer, the others repeat some of them. */
#define SELF_CELLS 4

/* The cells of a leaf along an axis, now or ahead: their first particles and their boxes. */
typedef struct leaf_range {
  float point[SELF_CELLS], low[SELF_CELLS], high[SELF_CELLS];
} leaf_range;

/* A leaf. Bit n of `particles` says that cell n owns a particle, of `cells` that it is a cell. What is stored in
   blocks of lanes overlaps what follows, and is stored in the order of the members. */
typedef struct self_leaf {
  leaf_range range[SELF_PLACES]; /* x, y, z now, then ahead */
  float normal[3][SELF_CELLS];   /* of the cells now, of any length */
  float beyond[CLOTH_LANES];
  int32_t row, column; /* of the first cell */
  int32_t first;       /* particle of the first cell */
  int32_t number;      /* of the leaf, -1 for none yet */
  uint32_t particles, cells;
} self_leaf;

/* A component of the particles of the three rows of a leaf: of each row the left columns of its cells, then the right
   ones. */
typedef struct leaf_block {
  lanes left[3], right[3];
} leaf_block;

CLOTH_REPEATED leaf_block load_rows(const leaf_rows *rows, int32_t component, int32_t k) {
  leaf_block b;
  CLOTH_UNROLL
  for (int32_t n = 0; n < 3; n++) {
    const float *row = rows->value[component] + rows->start[n] + k;
    b.left[n] = lanes_load(row);
    b.right[n] = lanes_load(row + 1);
  }
  return b;
}

CLOTH_REPEATED void move_ahead(leaf_block *b, const leaf_block *speed, lanes time) {
  CLOTH_UNROLL
  for (int32_t n = 0; n < 3; n++) {
    b->left[n] = lanes_add(b->left[n], lanes_multiply(speed->left[n], time));
    b->right[n] = lanes_add(b->right[n], lanes_multiply(speed->right[n], time));
  }
}

/* Stores a quantity of the cells of the first and of the second row. */
CLOTH_INLINE void store_cells(float *to, lanes first, lanes second) {
  lanes_store(to, first);
  lanes_store(to + 2, second);
}

CLOTH_REPEATED void store_range(const leaf_block *b, int32_t k, leaf_range *range) {
  lanes low[3], high[3];
  CLOTH_UNROLL
  for (int32_t n = 0; n < 3; n++) {
    low[n] = lanes_minimum(b->left[n], b->right[n]);
    high[n] = lanes_maximum(b->left[n], b->right[n]);
  }
  store_cells(range->point + k, b->left[0], b->left[1]);
  store_cells(range->low + k, lanes_minimum(low[0], low[1]), lanes_minimum(low[1], low[2]));
  store_cells(range->high + k, lanes_maximum(high[0], high[1]), lanes_maximum(high[1], high[2]));
}

/* A product of the two diagonals of the cells of a row: a component of their normals, from the other two of their
   places. */
CLOTH_INLINE lanes row_normal(const leaf_block *u, const leaf_block *v, int32_t n) {
  const lanes across_u = lanes_subtract(u->right[n + 1], u->left[n]);
  const lanes across_v = lanes_subtract(v->right[n + 1], v->left[n]);
  const lanes normal = lanes_subtract(lanes_multiply(across_u, lanes_subtract(v->left[n + 1], v->right[n])),
                                      lanes_multiply(across_v, lanes_subtract(u->left[n + 1], u->right[n])));
  return lanes_quantise(normal, WORK_ROUNDER);
}

/* Boxes and normals of the cells of a leaf. */
CLOTH_INLINE void fill_leaf(const leaf_rows *rows, float ahead, self_leaf *leaf) {
  for (int32_t k = 0; k < 2; k += CLOTH_LANES) {
    leaf_block place[3];
    for (int32_t axis = 0; axis < 3; axis++) {
      place[axis] = load_rows(rows, axis, k);
      store_range(&place[axis], k, &leaf->range[axis]);
    }
    for (int32_t axis = 0; axis < 3; axis++) {
      leaf_block then = place[axis];
      const leaf_block speed = load_rows(rows, axis + 3, k);
      move_ahead(&then, &speed, lanes_splat(ahead));
      store_range(&then, k, &leaf->range[axis + 3]);
    }
    for (int32_t axis = 0; axis < 3; axis++) {
      const leaf_block *u = &place[(axis + 1) % 3], *v = &place[(axis + 2) % 3];
      store_cells(leaf->normal[axis] + k, row_normal(u, v, 0), row_normal(u, v, 1));
    }
  }
}

/* The first particle of a cell of a leaf. */
CLOTH_INLINE int32_t leaf_particle(const self_body *b, const self_leaf *leaf, int32_t cell) {
  return leaf->first + (cell >> 1) * b->columns + (cell & 1);
}

#if WITH_GAPS

/* Leaves out cells and particles that the grid does not have. */
static void drop_absent_cells(const self_body *b, self_leaf *leaf) {
  for (int32_t cell = 0; cell < SELF_CELLS; cell++) {
    const uint32_t bit = 1u << cell;
    if ((leaf->cells & bit) && is_gap(b->c, leaf_particle(b, leaf, cell), GAP_CELL)) { leaf->cells &= ~bit; }
    if ((leaf->particles & bit) && is_gap(b->c, leaf_particle(b, leaf, cell), GAP_PARTICLE)) {
      leaf->particles &= ~bit;
    }
  }
}

#endif

/* Where a leaf lies, and which particles and cells it has. */
static void place_leaf(const self_body *b, int32_t number, self_leaf *leaf) {
  const int32_t columns = b->level[0].columns;
  leaf->number = number;
  leaf->row = 2 * (number / columns);
  leaf->column = 2 * (number - number / columns * columns);
  leaf->first = leaf->row * b->columns + leaf->column;
  const uint32_t has_row = leaf->row + 1 < b->rows, has_column = leaf->column + 1 < b->columns;
  const uint32_t row = has_column ? 3u : 1u,
                 wide = b->is_wrapped ? row : row & (leaf->column + 2 < b->columns ? 3u : 1u);
  leaf->particles = has_row ? row | row << 2 : row;
  leaf->cells = (b->is_wrapped || has_column ? wide : 0u) & (has_row ? 3u : 0u);
  leaf->cells |= leaf->row + 2 < b->rows ? leaf->cells << 2 : 0u;
#if WITH_GAPS
  if (has_gaps(b->c)) { drop_absent_cells(b, leaf); }
#endif
}

/* A leaf of the tree of a cloth that looks ahead by a time. */
CLOTH_SEPARATE void find_leaf(const self_body *b, int32_t number, float ahead, self_leaf *leaf) {
  leaf_rows rows;
  place_leaf(b, number, leaf);
  find_rows(b, leaf->row, leaf->column, &rows);
  fill_leaf(&rows, ahead, leaf);
}

/* How far a box is from those of the cells along an axis, the lesser distance of now and ahead on one side. */
CLOTH_REPEATED lanes gap_on_axis(const self_leaf *leaf, int32_t axis, int32_t cell, const float *low,
                                 const float *high) {
  const lanes below =
      lanes_minimum(lanes_subtract(lanes_load(leaf->range[axis].low + cell), lanes_splat(high[axis])),
                    lanes_subtract(lanes_load(leaf->range[axis + 3].low + cell), lanes_splat(high[axis + 3])));
  const lanes above =
      lanes_minimum(lanes_subtract(lanes_splat(low[axis]), lanes_load(leaf->range[axis].high + cell)),
                    lanes_subtract(lanes_splat(low[axis + 3]), lanes_load(leaf->range[axis + 3].high + cell)));
  return lanes_maximum(below, above);
}

/* Which places of a leaf are not apart, see are_apart(), from a box now and ahead, a bit each. */
CLOTH_INLINE uint32_t places_near(const self_leaf *leaf, const float *low, const float *high, float reach) {
  uint32_t bits = 0;
  for (int32_t cell = 0; cell < SELF_CELLS; cell += CLOTH_LANES) {
    lanes gap = gap_on_axis(leaf, 0, cell, low, high);
    gap = lanes_maximum(gap_on_axis(leaf, 1, cell, low, high), gap);
    gap = lanes_maximum(gap_on_axis(leaf, 2, cell, low, high), gap);
    bits |= lanes_bits(lanes_less(lanes_splat(reach), gap)) << cell;
  }
  return leaf->particles & ~bits;
}

CLOTH_INLINE lanes3 load_normals(const self_leaf *leaf, int32_t cell) {
  return lanes3_of(lanes_load(leaf->normal[0] + cell), lanes_load(leaf->normal[1] + cell),
                   lanes_load(leaf->normal[2] + cell));
}

/* Which cells of a leaf have normals less than 90 degrees from that of cell n of another, a bit each. */
CLOTH_INLINE uint32_t cells_facing(const self_leaf *leaf, const self_leaf *other, int32_t n) {
  const lanes3 that = lanes3_splat(vector(other->normal[0][n], other->normal[1][n], other->normal[2][n]));
  uint32_t bits = 0;
  for (int32_t cell = 0; cell < SELF_CELLS; cell += CLOTH_LANES) {
    bits |= lanes_bits(lanes_less(lanes_splat(0.0f), lanes3_dot(load_normals(leaf, cell), that))) << cell;
  }
  return bits;
}

#endif
