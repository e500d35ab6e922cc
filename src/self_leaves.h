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

/* A leaf. Bit n of `particles` says that cell n owns a particle, of `cells` that it is a cell. */
typedef struct self_leaf {
  float point[SELF_PLACES][SELF_CELLS]; /* of the first particles, x, y, z now, then ahead */
  float low[SELF_PLACES][SELF_CELLS], high[SELF_PLACES][SELF_CELLS];
  float beyond[LANES_SUMS]; /* read with what is before it */
  int32_t row, column;      /* of the first cell */
  int32_t first;            /* particle of the first cell */
  int32_t number;           /* of the leaf, -1 for none yet */
  uint32_t particles, cells;
} self_leaf;

/* Columns of particles of a leaf, and floats of a row of them that are read. */
#define LEAF_COLUMNS 3
#define LEAF_ROW (LEAF_COLUMNS + LANES_SUMS)

/* What a leaf has in place of columns that the grid does not have. */
static void repeat_columns(const self_body *b, const self_leaf *leaf, const float *first, float row[LEAF_ROW]) {
  const int32_t columns = b->columns - leaf->column;
  if (columns < 2) {
    row[1] = b->is_wrapped ? *first : row[0];
  }
  row[2] = columns == 2 && b->is_wrapped ? *first : row[1];
}

/* A component of the particles of a leaf, row by row. */
CLOTH_INLINE void load_component(const self_body *b, const self_leaf *leaf, const float *place, const float *speed,
                                 float time, float value[3][LEAF_ROW]) {
  for (int32_t r = 0; r < 3; r++) {
    const int32_t row = leaf->row + r < b->rows ? leaf->row + r : b->rows - 1, start = row * b->columns;
    for (int32_t k = 0; k < LEAF_COLUMNS; k += CLOTH_LANES) {
      const lanes now = lanes_load(place + start + leaf->column + k);
      const lanes later = lanes_multiply(lanes_load(speed + start + leaf->column + k), lanes_splat(time));
      lanes_store(value[r] + k, time > 0.0f ? lanes_add(now, later) : now);
    }
    if (leaf->column + LEAF_COLUMNS > b->columns) {
      const float ahead = time > 0.0f ? place[start] + speed[start] * time : place[start];
      repeat_columns(b, leaf, &ahead, value[r]);
    }
  }
}

/* The boxes of the cells along a component. */
CLOTH_INLINE void find_component(self_leaf *leaf, int32_t component, const float value[3][LEAF_ROW]) {
  float low[2][LANES_SUMS], high[2][LANES_SUMS];
  for (int32_t k = 0; k < 2; k += CLOTH_LANES) {
    lanes least[3], most[3];
    for (int32_t r = 0; r < 3; r++) {
      const lanes left = lanes_load(value[r] + k), right = lanes_load(value[r] + k + 1);
      least[r] = lanes_minimum(left, right);
      most[r] = lanes_maximum(left, right);
    }
    for (int32_t r = 0; r < 2; r++) {
      lanes_store(low[r] + k, lanes_minimum(least[r], least[r + 1]));
      lanes_store(high[r] + k, lanes_maximum(most[r], most[r + 1]));
    }
  }
  for (int32_t n = 0; n < SELF_CELLS; n++) {
    leaf->point[component][n] = value[n >> 1][n & 1];
    leaf->low[component][n] = low[n >> 1][n & 1];
    leaf->high[component][n] = high[n >> 1][n & 1];
  }
}

/* A leaf of the tree of a cloth that looks ahead by a time. */
CLOTH_SEPARATE void find_leaf(const self_body *b, int32_t number, float ahead, self_leaf *leaf) {
  const int32_t columns = b->level[0].columns;
  leaf->number = number;
  leaf->row = 2 * (number / columns);
  leaf->column = 2 * (number % columns);
  leaf->first = leaf->row * b->columns + leaf->column;
  leaf->particles = leaf->cells = 0u;
  for (int32_t n = 0; n < SELF_CELLS; n++) {
    const int32_t row = leaf->row + (n >> 1), column = leaf->column + (n & 1);
    const uint32_t owns = row < b->rows && column < b->columns;
    leaf->particles |= owns << n;
    leaf->cells |= (uint32_t)(owns && has_cell(b, row, column)) << n;
  }
  const float *const place[3] = {b->start.x, b->start.y, b->start.z};
  const float *const speed[3] = {b->velocity.x, b->velocity.y, b->velocity.z};
  for (int32_t axis = 0; axis < 3; axis++) {
    float value[3][LEAF_ROW];
    load_component(b, leaf, place[axis], speed[axis], 0.0f, value);
    find_component(leaf, axis, (const float(*)[LEAF_ROW])value);
    load_component(b, leaf, place[axis], speed[axis], ahead, value);
    find_component(leaf, axis + 3, (const float(*)[LEAF_ROW])value);
  }
}

/* The first particle of a cell of a leaf. */
CLOTH_INLINE int32_t leaf_particle(const self_body *b, const self_leaf *leaf, int32_t cell) {
  return leaf->first + (cell >> 1) * b->columns + (cell & 1);
}

/* How far the box `low`, `high` is from those of the cells of a leaf along an axis, the lesser distance of now and
   ahead on one side. */
CLOTH_INLINE lanes gap_on_axis(const self_leaf *leaf, int32_t axis, int32_t cell, const float *low, const float *high) {
  const lanes below = lanes_minimum(lanes_subtract(lanes_load(leaf->low[axis] + cell), lanes_splat(high[axis])),
                                    lanes_subtract(lanes_load(leaf->low[axis + 3] + cell), lanes_splat(high[axis + 3])));
  const lanes above = lanes_minimum(lanes_subtract(lanes_splat(low[axis]), lanes_load(leaf->high[axis] + cell)),
                                    lanes_subtract(lanes_splat(low[axis + 3]), lanes_load(leaf->high[axis + 3] + cell)));
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
      const lanes low = lanes_load(leaf->low[axis] + cell), high = lanes_load(leaf->high[axis] + cell);
      gap = lanes_maximum(lanes_subtract(low, lanes_splat(other->high[axis][n])), gap);
      gap = lanes_maximum(lanes_subtract(lanes_splat(other->low[axis][n]), high), gap);
    }
    bits |= lanes_bits(lanes_less(lanes_splat(0.0f), gap)) << cell;
  }
  return leaf->particles & ~bits;
}

#endif
