#pragma once
#include "compiler.h"
#include "lanes.h"
#include "scalar.h"
#include "self_tree.h"
#include "types.h"

/// Leaves of the tree of boxes ///

#if WITH_SELF

/*
 * The cells of a leaf, with their boxes, and which of those of two leaves come near each other. The cells lie side by
 * side in memory, so that a particle or a cell of one leaf is compared with all cells of another in lanes.
 *
 * In: positions, velocities. Out: boxes, bits. Scratch: none.
 */

/* Cells of a leaf that own particles; their first particles. Where there are fewer, the others repeat some of them. */
#define SELF_CELLS 4
/* Components of a place now and ahead. */
#define SELF_PLACES 6

/* The cells of a leaf along an axis, now or ahead: their first particles and their boxes. */
typedef struct leaf_range {
  float point[SELF_CELLS], low[SELF_CELLS], high[SELF_CELLS];
} leaf_range;

/* A leaf. Bit n of `particles` says that cell n owns a particle, of `cells` that it is a cell. What is stored in
   blocks of lanes overlaps what follows, and is stored in the order of the members. */
typedef struct self_leaf {
  leaf_range range[SELF_PLACES]; /* x, y, z now, then ahead */
  float normal[3][SELF_CELLS];   /* of the cells now, of any length */
  float beyond[LANES_SUMS];
  int32_t row, column; /* of the first cell */
  int32_t first;       /* particle of the first cell */
  int32_t number;      /* of the leaf, -1 for none yet */
  uint32_t particles, cells;
} self_leaf;

/* Columns of particles of a leaf, and floats of a row of them that are read. */
#define LEAF_COLUMNS 3
#define LEAF_ROW (LEAF_COLUMNS + LANES_SUMS)

/* Where the three rows of particles of a leaf are, components of the positions, then of the velocities; or copies of
   them where the leaf has fewer columns, or is the last one round a tube. */
typedef struct leaf_rows {
  const float *value[SELF_PLACES][LEAF_COLUMNS];
  float copy[SELF_PLACES][LEAF_COLUMNS][LEAF_ROW];
} leaf_rows;

CLOTH_INLINE void find_rows(const self_body *b, const self_leaf *leaf, leaf_rows *rows) {
  const float *const value[SELF_PLACES] = {b->start.x,    b->start.y,    b->start.z,
                                           b->velocity.x, b->velocity.y, b->velocity.z};
  for (int32_t r = 0; r < 3; r++) {
    const int32_t row = leaf->row + r < b->rows ? leaf->row + r : b->rows - 1;
    for (int32_t k = 0; k < SELF_PLACES; k++) {
      rows->value[k][r] = value[k] + row * b->columns + leaf->column;
    }
  }
}

/* Columns that the grid does not have repeat the last one, or are the first one of a tube. */
static void copy_rows(const self_body *b, const self_leaf *leaf, leaf_rows *rows) {
  const int32_t first = b->is_wrapped ? 0 : b->columns - 1;
  for (int32_t k = 0; k < SELF_PLACES; k++) {
    for (int32_t r = 0; r < 3; r++) {
      const float *row = rows->value[k][r] - leaf->column;
      fill_zero(rows->copy[k][r], sizeof rows->copy[k][r]);
      for (int32_t n = 0; n < LEAF_COLUMNS; n++) {
        const int32_t column = leaf->column + n;
        rows->copy[k][r][n] = row[column < b->columns ? column : first];
      }
      rows->value[k][r] = rows->copy[k][r];
    }
  }
}

/* Two columns of the particles of a leaf beside each other, in rows: where they are now or will be. */
typedef struct leaf_block {
  lanes left[3], right[3];
} leaf_block;

CLOTH_INLINE void store_range(const leaf_block *b, int32_t k, leaf_range *range) {
  lanes least[3], most[3];
  for (int32_t r = 0; r < 3; r++) {
    least[r] = lanes_minimum(b->left[r], b->right[r]);
    most[r] = lanes_maximum(b->left[r], b->right[r]);
  }
  for (int32_t r = 0; r < 2; r++) {
    lanes_store(range->point + 2 * r + k, b->left[r]);
  }
  for (int32_t r = 0; r < 2; r++) {
    lanes_store(range->low + 2 * r + k, lanes_minimum(least[r], least[r + 1]));
  }
  for (int32_t r = 0; r < 2; r++) {
    lanes_store(range->high + 2 * r + k, lanes_maximum(most[r], most[r + 1]));
  }
}

CLOTH_INLINE void find_now(const leaf_rows *rows, int32_t axis, int32_t k, leaf_block *b) {
  for (int32_t r = 0; r < 3; r++) {
    b->left[r] = lanes_load(rows->value[axis][r] + k);
    b->right[r] = lanes_load(rows->value[axis][r] + k + 1);
  }
}

CLOTH_INLINE void find_ahead(const leaf_rows *rows, int32_t axis, int32_t k, lanes ahead, leaf_block *b) {
  for (int32_t r = 0; r < 3; r++) {
    const float *speed = rows->value[axis + 3][r] + k;
    b->left[r] = lanes_add(b->left[r], lanes_multiply(lanes_load(speed), ahead));
    b->right[r] = lanes_add(b->right[r], lanes_multiply(lanes_load(speed + 1), ahead));
  }
}

/* Boxes and normals of the cells of a leaf. */
CLOTH_INLINE void fill_leaf(const leaf_rows *rows, float ahead, self_leaf *leaf) {
  for (int32_t k = 0; k < 2; k += CLOTH_LANES) {
    leaf_block now[3], then[3];
    for (int32_t axis = 0; axis < 3; axis++) {
      find_now(rows, axis, k, &now[axis]);
      store_range(&now[axis], k, &leaf->range[axis]);
      then[axis] = now[axis];
    }
    for (int32_t axis = 0; axis < 3; axis++) {
      find_ahead(rows, axis, k, lanes_splat(ahead), &then[axis]);
      store_range(&then[axis], k, &leaf->range[axis + 3]);
    }
    lanes3 normal[2];
    for (int32_t r = 0; r < 2; r++) {
      const lanes3 d = lanes3_exact_difference(lanes3_of(now[0].right[r + 1], now[1].right[r + 1], now[2].right[r + 1]),
                                               lanes3_of(now[0].left[r], now[1].left[r], now[2].left[r]));
      const lanes3 e = lanes3_exact_difference(lanes3_of(now[0].left[r + 1], now[1].left[r + 1], now[2].left[r + 1]),
                                               lanes3_of(now[0].right[r], now[1].right[r], now[2].right[r]));
      normal[r] = lanes3_cross(d, e);
    }
    lanes_store(leaf->normal[0] + k, normal[0].x);
    lanes_store(leaf->normal[0] + 2 + k, normal[1].x);
    lanes_store(leaf->normal[1] + k, normal[0].y);
    lanes_store(leaf->normal[1] + 2 + k, normal[1].y);
    lanes_store(leaf->normal[2] + k, normal[0].z);
    lanes_store(leaf->normal[2] + 2 + k, normal[1].z);
  }
}

/* A leaf of the tree of a cloth that looks ahead by a time. */
CLOTH_SEPARATE void find_leaf(const self_body *b, int32_t number, float ahead, self_leaf *leaf) {
  const int32_t columns = b->level[0].columns;
  leaf_rows rows;
  leaf->number = number;
  leaf->row = 2 * (number / columns);
  leaf->column = 2 * (number - number / columns * columns);
  leaf->first = leaf->row * b->columns + leaf->column;
  const uint32_t has_row = leaf->row + 1 < b->rows, has_column = leaf->column + 1 < b->columns;
  const uint32_t row = has_column ? 3u : 1u, wide = b->is_wrapped ? row : row & (leaf->column + 2 < b->columns ? 3u : 1u);
  leaf->particles = has_row ? row | row << 2 : row;
  leaf->cells = (b->is_wrapped || has_column ? wide : 0u) & (has_row ? 3u : 0u);
  leaf->cells |= leaf->row + 2 < b->rows ? leaf->cells << 2 : 0u;
  find_rows(b, leaf, &rows);
  if (leaf->column + LEAF_COLUMNS > b->columns) {
    copy_rows(b, leaf, &rows);
  }
  fill_leaf(&rows, ahead, leaf);
}

/* The first particle of a cell of a leaf. */
CLOTH_INLINE int32_t leaf_particle(const self_body *b, const self_leaf *leaf, int32_t cell) {
  return leaf->first + (cell >> 1) * b->columns + (cell & 1);
}

/* How far the box `low`, `high` is from those of the cells of a leaf along an axis, the lesser distance of now and
   ahead on one side. */
CLOTH_INLINE lanes gap_on_axis(const self_leaf *leaf, int32_t axis, int32_t cell, const float *low, const float *high) {
  const lanes below = lanes_minimum(lanes_subtract(lanes_load(leaf->range[axis].low + cell), lanes_splat(high[axis])),
                                    lanes_subtract(lanes_load(leaf->range[axis + 3].low + cell), lanes_splat(high[axis + 3])));
  const lanes above = lanes_minimum(lanes_subtract(lanes_splat(low[axis]), lanes_load(leaf->range[axis].high + cell)),
                                    lanes_subtract(lanes_splat(low[axis + 3]), lanes_load(leaf->range[axis + 3].high + cell)));
  return lanes_maximum(below, above);
}

/* Which cells of a leaf are not apart, see are_apart(), from a box now and ahead, a bit each. */
CLOTH_INLINE uint32_t cells_near(const self_leaf *leaf, const float *low, const float *high, float reach) {
  uint32_t bits = 0;
  for (int32_t cell = 0; cell < SELF_CELLS; cell += CLOTH_LANES) {
    lanes gap = gap_on_axis(leaf, 0, cell, low, high);
    gap = lanes_maximum(gap_on_axis(leaf, 1, cell, low, high), gap);
    gap = lanes_maximum(gap_on_axis(leaf, 2, cell, low, high), gap);
    bits |= lanes_bits(lanes_less(lanes_splat(reach), gap)) << cell;
  }
  return leaf->cells & ~bits;
}

/* Which cells of a leaf have a box that has a point in common with a cell's of another leaf now. */
CLOTH_INLINE uint32_t cells_across(const self_leaf *leaf, const self_leaf *other, int32_t n) {
  uint32_t bits = 0;
  for (int32_t cell = 0; cell < SELF_CELLS; cell += CLOTH_LANES) {
    lanes gap = lanes_splat(-1.0f);
    for (int32_t axis = 0; axis < 3; axis++) {
      const lanes low = lanes_load(leaf->range[axis].low + cell), high = lanes_load(leaf->range[axis].high + cell);
      gap = lanes_maximum(lanes_subtract(low, lanes_splat(other->range[axis].high[n])), gap);
      gap = lanes_maximum(lanes_subtract(lanes_splat(other->range[axis].low[n]), high), gap);
    }
    bits |= lanes_bits(lanes_less(lanes_splat(0.0f), gap)) << cell;
  }
  return leaf->particles & ~bits;
}

/* Which cells of a leaf have normals less than 90 degrees from that of cell n of another. */
CLOTH_INLINE uint32_t cells_facing(const self_leaf *leaf, const self_leaf *other, int32_t n) {
  uint32_t bits = 0;
  for (int32_t cell = 0; cell < SELF_CELLS; cell += CLOTH_LANES) {
    const lanes3 normal = lanes3_of(lanes_load(leaf->normal[0] + cell), lanes_load(leaf->normal[1] + cell),
                                    lanes_load(leaf->normal[2] + cell));
    const cloth_vector that = vector(other->normal[0][n], other->normal[1][n], other->normal[2][n]);
    bits |= lanes_bits(lanes_less(lanes_splat(0.0f), lanes3_dot(normal, lanes3_splat(that)))) << cell;
  }
  return bits;
}

#endif
