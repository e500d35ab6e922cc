#pragma once
#include "../methods.h"

/// Blocks that cannot meet themselves ///

/*
 * A rectangle of cells, two triangles each as cloth_write_indices16() writes them, with edges u along the warp and v
 * along the weft. In a frame of two perpendicular unit vectors (a, b) let
 *
 *     p = u.a > 0,    q = v.b > 0,    4 p q > (u.b + v.a)^2
 *
 * for every triangle: the map from the grid to the plane of the frame then has a positive definite symmetric part
 * everywhere, so it is monotone, and no two points of the block have one place. The conditions are convex in the
 * places: if they hold in one frame where a motion starts and where it ends, they do in between, and the block needs no
 * continuous test. With p - m and q - m in place of p and q, points of the block are at least m times as far apart as
 * on the grid. Culling by cones of normals alone is not exact: it lacks the test of the block's contour.
 */

/* A block of `wide` x `high` cells from a column and row of a grid of particles. */
typedef struct cell_block {
  int32_t columns; /* of the grid */
  int32_t column, row, wide, high;
} cell_block;

typedef struct block_frame {
  cloth_vector a, b;
} block_frame;

static cloth_vector block_place(const cell_block *k, vector_array x, int32_t column, int32_t row) {
  return vector_load(x, (k->row + row) * k->columns + k->column + column);
}

/* The frame of the mean directions of the block's rows and columns at two times. 0 if it has none. */
static int find_block_frame(const cell_block *k, vector_array x, vector_array y, block_frame *f) {
  cloth_vector u = vector(0.0f, 0.0f, 0.0f), v = u;
  for (int32_t n = 0; n < 2; n++) {
    const vector_array z = n ? y : x;
    for (int32_t i = 0; i <= k->high; i++) {
      u = vector_add(u, vector_subtract(block_place(k, z, k->wide, i), block_place(k, z, 0, i)));
    }
    for (int32_t i = 0; i <= k->wide; i++) {
      v = vector_add(v, vector_subtract(block_place(k, z, i, k->high), block_place(k, z, i, 0)));
    }
  }
  /* The bisectors of the angle between them, turned by 45 degrees: symmetric in u and v. */
  const cloth_vector sum = vector_add(unit_or_zero(u), unit_or_zero(v));
  const cloth_vector difference = vector_subtract(unit_or_zero(u), unit_or_zero(v));
  const cloth_vector s = unit_or_zero(sum), d = unit_or_zero(difference);
  f->a = unit_or_zero(vector_add(s, d));
  f->b = unit_or_zero(vector_subtract(s, d));
  return vector_dot(s, s) > 0.5f && vector_dot(d, d) > 0.5f;
}

/* 1 if a triangle with edges u and v satisfies the conditions with a margin m. */
static int is_monotone(const block_frame *f, cloth_vector u, cloth_vector v, float m) {
  const float p = vector_dot(u, f->a) - m, q = vector_dot(v, f->b) - m;
  const float shear = vector_dot(u, f->b) + vector_dot(v, f->a);
  return p > 0.0f && q > 0.0f && 4.0f * p * q > shear * shear;
}

static int is_block_monotone(const cell_block *k, const block_frame *f, vector_array x, float m) {
  for (int32_t row = 0; row < k->high; row++) {
    for (int32_t column = 0; column < k->wide; column++) {
      const cloth_vector corner = block_place(k, x, column, row), next = block_place(k, x, column + 1, row);
      const cloth_vector below = block_place(k, x, column, row + 1), far = block_place(k, x, column + 1, row + 1);
      if (!is_monotone(f, vector_subtract(next, corner), vector_subtract(far, next), m) ||
          !is_monotone(f, vector_subtract(far, below), vector_subtract(below, corner), m)) {
        return 0;
      }
    }
  }
  return 1;
}

/* 1 if a block cannot meet itself while its particles move straight from x to y. m: an allowance for rounding [m]. */
static int is_block_clear(const cell_block *k, vector_array x, vector_array y, float m) {
  block_frame f;
  return find_block_frame(k, x, y, &f) && is_block_monotone(k, &f, x, m) && is_block_monotone(k, &f, y, m);
}
