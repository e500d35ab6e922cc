#pragma once
#include "block3.h"

/// Rows ///

/*
 * The arrays of a substep lie in rows of the grid, `pitch` places each: as many as there are columns, rounded up to
 * whole blocks of lanes. A tube has two places more, for the columns beside its seam. A kernel computes whole blocks;
 * what it stores in the places behind the last column is finite and has no effect.
 *
 * Two orders of the floats in memory:
 *
 *   near  the components of a vector lie `plane` floats apart, so that lanes can be loaded from any column on, as from
 *         that of a neighbour. With one lane the components of a particle follow each other.
 *   own   the components of a block of lanes follow each other: such arrays are read only where a block begins.
 */

#if CLOTH_LANES == 1
#define NEAR_STEP 3
#define NEAR_PLANE(plane) ((void)(plane), 1)
#else
#define NEAR_STEP 1
#define NEAR_PLANE(plane) (plane)
#endif

/* Floats before the first row and behind the last one of a near array, and beside a row buffer, that are loaded. */
#define ROW_PAD 8

static int32_t row_pitch(int32_t columns) {
  return (columns + CLOTH_LANES - 1) / CLOTH_LANES * CLOTH_LANES;
}

CLOTH_INLINE float *near_row(float *array, int32_t pitch, int32_t row) {
  return array + NEAR_STEP * row * pitch;
}

CLOTH_INLINE lanes3 near_load(const float *row, ptrdiff_t plane, int32_t i) {
  return lanes3_apart(row + NEAR_STEP * i, NEAR_PLANE(plane));
}

CLOTH_INLINE void near_store(float *row, ptrdiff_t plane, int32_t i, lanes3 a) {
  lanes3_store_apart(row + NEAR_STEP * i, NEAR_PLANE(plane), a);
}

CLOTH_INLINE cloth_vector near_vector(const float *row, ptrdiff_t plane, int32_t i) {
  const float *from = row + NEAR_STEP * i;
  return vector(from[0], from[NEAR_PLANE(plane)], from[2 * NEAR_PLANE(plane)]);
}

CLOTH_INLINE void near_vector_store(float *row, ptrdiff_t plane, int32_t i, cloth_vector a) {
  float *to = row + NEAR_STEP * i;
  to[0] = a.x;
  to[NEAR_PLANE(plane)] = a.y;
  to[2 * NEAR_PLANE(plane)] = a.z;
}

/* Component `number` of the block that begins at place `i` of an own array with `floats` floats a place. */
#define OWN(array, floats, i, number) ((array) + (floats) * (ptrdiff_t)(i) + (number)*CLOTH_LANES)

CLOTH_INLINE lanes3 own_load(const float *array, ptrdiff_t i) {
  return lanes3_apart(OWN(array, 3, i, 0), CLOTH_LANES);
}

CLOTH_INLINE void own_store(float *array, ptrdiff_t i, lanes3 a) {
  lanes3_store_apart(OWN(array, 3, i, 0), CLOTH_LANES, a);
}

/* One component of one place of an own array, wherever in its block. */
CLOTH_INLINE float *own_at(float *array, int32_t floats, int32_t i, int32_t number) {
  const uint32_t place = (uint32_t)i, lane = place % CLOTH_LANES; /* signed division takes more */
  return array + (uint32_t)floats * (place - lane) + (uint32_t)number * CLOTH_LANES + lane;
}

CLOTH_INLINE symmetric own_block(const float *array, ptrdiff_t i) {
  return symmetric_at(OWN(array, SYMMETRIC_FLOATS, i, 0), CLOTH_LANES);
}

CLOTH_INLINE void own_block_store(float *array, ptrdiff_t i, symmetric m) {
  symmetric_store(OWN(array, SYMMETRIC_FLOATS, i, 0), CLOTH_LANES, m);
}

/* 1 if nothing of a block is wanted. With several lanes that is not worth a branch; with one, compilers make a branch
   of every value that is kept or not, and load everything before it. */
CLOTH_INLINE int is_skipped(lanes_mask wanted) {
  return CLOTH_LANES == 1 && !lanes_any(wanted);
}

/* Rows without what few cloths have, air, ground or factors, are compiled for themselves but for size: their loops have
   fewer branches, and registers for what else lies in memory. */
#if defined(__OPTIMIZE_SIZE__)
#define HAS_PLAIN_ROWS 0
#else
#define HAS_PLAIN_ROWS 1
#endif

/* Sums over a row: column i goes into partial sum i mod 8; those of all rows are added up in their order, then in the
   tree of lanes_sum_total(). So threads may sum rows. */
#define ROW_PARTS (LANES_SUMS / CLOTH_LANES)

typedef struct row_sum {
  lanes part[ROW_PARTS];
} row_sum;

CLOTH_INLINE row_sum row_sum_start(void) {
  const lanes none = lanes_splat(0.0f);
  row_sum sum;
  for (int32_t n = 0; n < ROW_PARTS; n += 2) { /* in pairs: of one by one compilers make a call of memset() */
    sum.part[n] = none;
    sum.part[(n + 1) % ROW_PARTS] = none;
  }
  return sum;
}

CLOTH_INLINE void row_sum_add(row_sum *sum, int32_t i, lanes a) {
  lanes *part = &sum->part[(i / CLOTH_LANES) % ROW_PARTS];
  *part = lanes_add(*part, a);
}

/* Stores the partial sums of a row, LANES_SUMS floats. */
CLOTH_INLINE void row_sum_store(float *sums, const row_sum *sum) {
  for (int32_t n = 0; n < ROW_PARTS; n++) {
    lanes_store(sums + n * CLOTH_LANES, sum->part[n]);
  }
}

/* The sum over so many rows of `next` floats, from their stored partial sums, and of what `sum` holds. */
static float rows_total(const float *sums, int32_t rows, int32_t next, lanes_sum sum) {
  row_sum total;
  CLOTH_UNROLL
  for (int32_t n = 0; n < ROW_PARTS; n++) {
    total.part[n] = lanes_load(sum.partial + n * CLOTH_LANES);
  }
  for (int32_t row = 0; row < rows; row++) {
    CLOTH_UNROLL
    for (int32_t n = 0; n < ROW_PARTS; n++) {
      total.part[n] = lanes_add(total.part[n], lanes_load(sums + row * next + n * CLOTH_LANES));
    }
  }
  row_sum_store(sum.partial, &total);
  return lanes_sum_total(&sum);
}

/* Runs a statement for each block of a row. `i` names its first column, `ends` tells where it lies: ROW_FIRST if it is
   the first one, ROW_LAST if the last; both are constants unless the compiler optimises for size. */
#define ROW_FIRST 1
#define ROW_LAST 2
#if defined(__OPTIMIZE_SIZE__)
#define EACH_ROW_BLOCK(i, ends, columns, statement)                                                                    \
  for (int32_t i = 0, row_end = (columns); i < row_end; i += CLOTH_LANES) {                                            \
    WITH_CONSTANT(ends, (i == 0 ? ROW_FIRST : 0) | (i + CLOTH_LANES >= row_end ? ROW_LAST : 0), statement)             \
  }
#else
#define EACH_ROW_BLOCK(i, ends, columns, statement)                                                                    \
  {                                                                                                                    \
    const int32_t row_end = (columns);                                                                                 \
    int32_t i = 0;                                                                                                     \
    if (row_end <= CLOTH_LANES) {                                                                                      \
      WITH_CONSTANT(ends, ROW_FIRST | ROW_LAST, statement)                                                             \
    } else {                                                                                                           \
      WITH_CONSTANT(ends, ROW_FIRST, statement)                                                                        \
      for (i = CLOTH_LANES; i + CLOTH_LANES < row_end; i += CLOTH_LANES) {                                             \
        WITH_CONSTANT(ends, 0, statement)                                                                              \
      }                                                                                                                \
      WITH_CONSTANT(ends, ROW_LAST, statement)                                                                         \
    }                                                                                                                  \
  }
#endif
