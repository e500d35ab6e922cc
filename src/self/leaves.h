#pragma once
#include "../compiler.h"
#include "../gaps.h"
#include "../lanes.h"
#include "../scalar.h"
#include "tree.h"
#include "untangle.h"

/// Leaves of the tree of boxes ///

#if WITH_SELF

/* The cells of a leaf, side by side in memory, with their boxes, and which of those of two leaves come near each other.
   Scratch: scratch.product, in which leaves are kept. */

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
  int32_t has_gap;     /* 1 if a cell of it is absent */
  uint32_t particles, cells;
} self_leaf;

/* Columns of leaves after which those of the next row are kept. */
#define KEPT_COLUMNS 4

/* Where a leaf is kept during a gather, in arrays of the solve, unless another one takes its place. Leaves that are
   near in rows and columns are kept in different places. */
CLOTH_INLINE self_leaf *kept_leaf(const self_body *b, int32_t row, int32_t column) {
  const int32_t kept = b->kept_leaves, place = (KEPT_COLUMNS * row + column) % (3 * kept);
  const float *array = place < kept ? b->leaves.x : place < 2 * kept ? b->leaves.y : b->leaves.z;
  const int32_t before = place < kept ? 0 : place < 2 * kept ? kept : 2 * kept;
  return (self_leaf *)(void *)array + (place - before);
}

/* None of the leaves of a cloth is kept yet. */
static void forget_leaves(self_body *b) {
  b->kept_leaves = (int32_t)((size_t)b->count * sizeof(float) / sizeof(self_leaf));
  for (int32_t n = 0; n < 3 * b->kept_leaves; n++) {
    kept_leaf(b, 0, n)->number = -1;
  }
}

/* A component of the particles of the three rows of a leaf: the left columns of its cells, and the right ones. */
typedef struct leaf_block {
  lanes left_0, right_0, left_1, right_1, left_2, right_2;
} leaf_block;

CLOTH_REPEATED leaf_block load_rows(const leaf_rows *rows, int32_t component, int32_t k) {
  const float *value = rows->value[component] + k;
  const float *first = value + rows->start[0], *second = value + rows->start[1], *third = value + rows->start[2];
  leaf_block b;
  b.left_0 = lanes_load(first);
  b.right_0 = lanes_load(first + 1);
  b.left_1 = lanes_load(second);
  b.right_1 = lanes_load(second + 1);
  b.left_2 = lanes_load(third);
  b.right_2 = lanes_load(third + 1);
  return b;
}

CLOTH_REPEATED void move_ahead(leaf_block *b, const leaf_block *speed, lanes time) {
  b->left_0 = lanes_add(b->left_0, lanes_multiply(speed->left_0, time));
  b->right_0 = lanes_add(b->right_0, lanes_multiply(speed->right_0, time));
  b->left_1 = lanes_add(b->left_1, lanes_multiply(speed->left_1, time));
  b->right_1 = lanes_add(b->right_1, lanes_multiply(speed->right_1, time));
  b->left_2 = lanes_add(b->left_2, lanes_multiply(speed->left_2, time));
  b->right_2 = lanes_add(b->right_2, lanes_multiply(speed->right_2, time));
}

/* Stores a quantity of the cells of the first and of the second row. */
CLOTH_INLINE void store_cells(float *to, lanes first, lanes second) {
  lanes_store(to, first);
  lanes_store(to + 2, second);
}

CLOTH_REPEATED void store_range(const leaf_block *b, int32_t k, leaf_range *range) {
  const lanes low_0 = lanes_minimum(b->left_0, b->right_0), high_0 = lanes_maximum(b->left_0, b->right_0);
  const lanes low_1 = lanes_minimum(b->left_1, b->right_1), high_1 = lanes_maximum(b->left_1, b->right_1);
  const lanes low_2 = lanes_minimum(b->left_2, b->right_2), high_2 = lanes_maximum(b->left_2, b->right_2);
  store_cells(range->point + k, b->left_0, b->left_1);
  store_cells(range->low + k, lanes_minimum(low_0, low_1), lanes_minimum(low_1, low_2));
  store_cells(range->high + k, lanes_maximum(high_0, high_1), lanes_maximum(high_1, high_2));
}

/* A product of the two diagonals of the cells: a component of their normals, from the other two of their places. */
CLOTH_REPEATED void store_normal(const leaf_block *u, const leaf_block *v, float *to) {
  const lanes first =
      lanes_subtract(lanes_multiply(lanes_subtract(u->right_1, u->left_0), lanes_subtract(v->left_1, v->right_0)),
                     lanes_multiply(lanes_subtract(v->right_1, v->left_0), lanes_subtract(u->left_1, u->right_0)));
  const lanes second =
      lanes_subtract(lanes_multiply(lanes_subtract(u->right_2, u->left_1), lanes_subtract(v->left_2, v->right_1)),
                     lanes_multiply(lanes_subtract(v->right_2, v->left_1), lanes_subtract(u->left_2, u->right_1)));
  store_cells(to, lanes_quantise(first, WORK_ROUNDER), lanes_quantise(second, WORK_ROUNDER));
}

/* Boxes and normals of the cells of a leaf. */
CLOTH_INLINE void fill_leaf(const leaf_rows *rows, float ahead, self_leaf *leaf) {
  const lanes time = lanes_splat(ahead);
  for (int32_t k = 0; k < 2; k += CLOTH_LANES) {
    leaf_block x = load_rows(rows, 0, k), y = load_rows(rows, 1, k), z = load_rows(rows, 2, k);
    store_range(&x, k, &leaf->range[0]);
    store_range(&y, k, &leaf->range[1]);
    store_range(&z, k, &leaf->range[2]);
    leaf_block speed = load_rows(rows, 3, k);
    move_ahead(&x, &speed, time);
    store_range(&x, k, &leaf->range[3]);
    speed = load_rows(rows, 4, k);
    move_ahead(&y, &speed, time);
    store_range(&y, k, &leaf->range[4]);
    speed = load_rows(rows, 5, k);
    move_ahead(&z, &speed, time);
    store_range(&z, k, &leaf->range[5]);
    x = load_rows(rows, 0, k);
    y = load_rows(rows, 1, k);
    z = load_rows(rows, 2, k);
    store_normal(&y, &z, leaf->normal[0] + k);
    store_normal(&z, &x, leaf->normal[1] + k);
    store_normal(&x, &y, leaf->normal[2] + k);
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
    if ((leaf->cells & bit) && is_gap(b->c, leaf_particle(b, leaf, cell), GAP_CELL)) {
      leaf->cells &= ~bit;
      leaf->has_gap = 1;
    }
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
  leaf->has_gap = 0;
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

/* Which cells of a leaf have normals more than 60 degrees from a direction of unit length, a bit each. */
CLOTH_INLINE uint32_t cells_steep(const self_leaf *leaf, cloth_vector direction) {
  const lanes quarter = lanes_splat(0.25f);
  uint32_t bits = 0;
  for (int32_t cell = 0; cell < SELF_CELLS; cell += CLOTH_LANES) {
    const lanes3 normal = lanes3_of(lanes_load(leaf->normal[0] + cell), lanes_load(leaf->normal[1] + cell),
                                    lanes_load(leaf->normal[2] + cell));
    const lanes cosine = lanes_flush(lanes_maximum(lanes3_dot(normal, lanes3_splat(direction)), lanes_splat(0.0f)));
    const lanes_mask gentle =
        lanes_less(lanes_multiply(quarter, lanes3_dot(normal, normal)), lanes_multiply(cosine, cosine));
    bits |= lanes_bits(gentle) << cell;
  }
  return leaf->cells & ~bits;
}

/* Sum of the normals of the cells of a leaf. */
CLOTH_INLINE cloth_vector sum_of_normals(const self_leaf *leaf) {
  float sum[3];
  for (int32_t k = 0; k < 3; k++) {
    const float *n = leaf->normal[k];
    sum[k] = (n[0] + n[1]) + (n[2] + n[3]);
  }
  return vector(sum[0], sum[1], sum[2]);
}

/* 1 if all normals of two leaves side by side are within 60 degrees of one direction, by the normals themselves. */
CLOTH_INLINE int are_gentle(const self_leaf *a, const self_leaf *b) {
  const cloth_vector direction = self_unit(vector_add(sum_of_normals(a), sum_of_normals(b)));
  return !a->has_gap && !b->has_gap && !cells_steep(a, direction) && !cells_steep(b, direction);
}

/* Which cells of a leaf have normals less than 90 degrees from that of cell n of another, a bit each. */
CLOTH_INLINE uint32_t cells_facing(const self_leaf *leaf, const self_leaf *other, int32_t n) {
  const lanes3 that = lanes3_splat(vector(other->normal[0][n], other->normal[1][n], other->normal[2][n]));
  uint32_t bits = 0;
  for (int32_t cell = 0; cell < SELF_CELLS; cell += CLOTH_LANES) {
    const lanes3 normal = lanes3_of(lanes_load(leaf->normal[0] + cell), lanes_load(leaf->normal[1] + cell),
                                    lanes_load(leaf->normal[2] + cell));
    bits |= lanes_bits(lanes_less(lanes_splat(0.0f), lanes3_dot(normal, that))) << cell;
  }
  return bits;
}

#endif
