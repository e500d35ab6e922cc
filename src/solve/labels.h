#pragma once
#include "../base/block3.h"
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/rows.h"
#include "../base/scalar.h"
#include "../cloth/access.h"
#include "../cloth/arrays.h"
#include "../cloth/types.h"
#include "levels.h"
#include "transfer.h"

/// Levels of cloth in pieces ///

/*
 * A piece of cloth that has been torn off, or an island in a mask, must not hang on coarse nodes of another one: it
 * would fall like a feather. Each particle has the label of its piece, a coarse node that of the particle it lies on,
 * and a node hangs only on those coarse ones of its own label, with weights over their sum. This is how levels of cloth
 * in several pieces are made and used, one node after the other; other cloth has the rows of transfer.h.
 *
 * In: gaps, the vectors and blocks of levels. Out: labels, restricted and interpolated vectors and blocks. Scratch:
 * none.
 */

/* Labels of the particles, at the places of rows; -1 where there is none. Only of cloth that may be in pieces. */
static int32_t *labels_of(const cloth *c) {
  return (int32_t *)at(c, c->scratch.labels);
}

/* Is a step's cloth in several pieces? */
CLOTH_INLINE int is_in_pieces(const cloth *c) {
  return WITH_GAPS && workspace_of(c)->pieces > 1;
}

#if WITH_GAPS

/* The label of a node of a level, 0 for the particles. Nodes beyond the grid have that of the nearest particle. */
static int32_t label_at(const cloth *c, int32_t level, int32_t row, int32_t column) {
  const grid_level *levels = workspace_of(c)->levels;
  for (int32_t n = level - 1; n >= 0; n--) {
    const int32_t rows = n > 0 ? levels[n - 1].rows : c->grid.rows;
    const int32_t columns = n > 0 ? levels[n - 1].columns : c->grid.columns;
    row = levels[n].rows == rows ? row : 2 * row;
    column = levels[n].transfer == TRANSFER_KEPT ? column : 2 * column;
    row = row < rows ? row : rows - 1;
    column = column < columns ? column : columns - 1;
  }
  return labels_of(c)[row * pitch_of(c) + column];
}

/* The coarse nodes that a node hangs on, with their weights. */
typedef struct node_parents {
  int32_t row[4], column[4];
  float weight[4];
  int32_t count;
} node_parents;

/* Along the columns: one or two coarse columns. */
static int32_t parent_columns(const level_pair *p, int32_t column, int32_t nodes[2], float weights[2]) {
  nodes[0] = p->transfer == TRANSFER_KEPT ? column : column / 2;
  nodes[1] = nodes[0] + 1;
  weights[0] = weights[1] = 0.5f;
  int32_t count = p->transfer == TRANSFER_KEPT ? 1 : 1 + column % 2;
  if (p->transfer == TRANSFER_RING_LONG && column >= p->columns - 2) {
    nodes[0] = p->coarse_columns - 1;
    nodes[1] = 0;
    count = 2;
    weights[0] = column == p->columns - 1 ? 1.0f / 3.0f : 2.0f / 3.0f;
    weights[1] = 1.0f - weights[0];
  }
  nodes[1] = p->transfer >= TRANSFER_RING && nodes[1] == p->coarse_columns ? 0 : nodes[1];
  weights[0] = count == 1 ? 1.0f : weights[0];
  return count;
}

/* The parents of its own label of a node of level `number`, whose coarse level has the same number in workspace.levels.
 */
static node_parents parents_of(const cloth *c, const level_pair *p, int32_t number, int32_t row, int32_t column) {
  const int32_t keeps_rows = p->coarse_rows == p->rows, label = label_at(c, number, row, column);
  const int32_t rows = keeps_rows ? 1 : 1 + row % 2, above = keeps_rows ? row : row / 2;
  int32_t nodes[2];
  float weights[2], sum = 0.0f;
  const int32_t columns = parent_columns(p, column, nodes, weights);
  node_parents n = {.count = 0};
  for (int32_t k = 0; k < rows * columns && label >= 0; k++) {
    const int32_t to_row = above + k / columns, to_column = nodes[k % columns];
    if (label_at(c, number + 1, to_row, to_column) == label) {
      n.row[n.count] = to_row;
      n.column[n.count] = to_column;
      n.weight[n.count] = weights[k % columns] * (rows == 2 ? 0.5f : 1.0f);
      sum += n.weight[n.count++];
    }
  }
  for (int32_t k = 0; k < n.count; k++) {
    n.weight[k] /= sum;
  }
  return n;
}

/* Restricts an own array of so many floats from level `number` to the next coarser one: to = scale R from. */
CLOTH_SEPARATE void restrict_pieces(const cloth *c, int32_t number, int32_t floats, float *from, float *to,
                                    float scale) {
  const level_pair p = pair_of(c, number);
  clear_floats(to, floats * p.coarse_pitch * p.coarse_rows);
  for (int32_t i = 0; i < p.rows * p.columns; i++) {
    const int32_t row = i / p.columns, column = i - row * p.columns;
    const node_parents n = parents_of(c, &p, number, row, column);
    for (int32_t k = 0; k < n.count; k++) {
      const int32_t place = n.row[k] * p.coarse_pitch + n.column[k];
      for (int32_t f = 0; f < floats; f++) {
        *own_at(to, floats, place, f) += scale * n.weight[k] * *own_at(from, floats, row * p.pitch + column, f);
      }
    }
  }
}

/* What the coarse vectors, a near array, give a node of level `number`. */
static cloth_vector interpolated_at(const cloth *c, const level_pair *p, int32_t number, int32_t row, int32_t column) {
  const grid_level *coarse = &workspace_of(c)->levels[number];
  float *from = level_correction(c, coarse);
  const node_parents n = parents_of(c, p, number, row, column);
  cloth_vector sum = vector(0.0f, 0.0f, 0.0f);
  for (int32_t k = 0; k < n.count; k++) {
    const float *of_row = near_row(from, coarse->pitch, n.row[k]);
    sum = vector_add_scaled(sum, near_vector(of_row, coarse->plane, n.column[k]), n.weight[k]);
  }
  return sum;
}

/* Interpolates the corrections of coarse level `number` to the next finer one: to the particles' `product` for 0. */
CLOTH_SEPARATE void interpolate_pieces(const cloth *c, int32_t number) {
  const level_pair p = pair_of(c, number);
  const grid_level *finer = number > 0 ? &workspace_of(c)->levels[number - 1] : NULL;
  float *product = floats_at(c, c->scratch.product), *diagonal = floats_at(c, c->scratch.diagonal);
  for (int32_t i = 0; i < p.rows * p.columns; i++) {
    const int32_t row = i / p.columns, column = i - row * p.columns, place = row * p.pitch + column;
    const cloth_vector more = interpolated_at(c, &p, number, row, column);
    if (finer) {
      float *to = near_row(level_correction(c, finer), finer->pitch, row);
      near_vector_store(to, finer->plane, column, vector_add(near_vector(to, finer->plane, column), more));
    } else if (*own_at(diagonal, 1, place, 0) > 0.0f) {
      *own_at(product, 3, place, 0) += more.x;
      *own_at(product, 3, place, 1) += more.y;
      *own_at(product, 3, place, 2) += more.z;
    }
  }
}

/* G of the first coarse level: what holds the particles. `plate`: the plate's part on the diagonal of pins, over their
   factor. */
CLOTH_SEPARATE void restrict_held_pieces(const cloth *c, const solve_arrays *a, float plate) {
  const level_pair p = pair_of(c, 0);
  float *ground = level_ground(c, 0);
  clear_floats(ground, SYMMETRIC_FLOATS * p.coarse_pitch * p.coarse_rows);
  for (int32_t i = 0; i < c->count; i++) {
    const int32_t row = i / a->columns, column = i - row * a->columns, place = row * a->pitch + column;
    const float mass = *own_at(a->diagonal, 1, place, 0);
    float block[6] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    const float at_pin = plate * *own_at(a->factors, FACTOR_FLOATS, place, FACTOR_PLATE);
    float held = mass > 0.0f ? mass : at_pin;
    for (int32_t k = 0; k < 3 && a->air && mass > 0.0f; k++) {
      const float w = *own_at(a->air, 3, place, k);
      held += w * w;
    }
    for (int32_t k = 0; k < 6; k++) {
      block[k] = (k < 3 ? held : 0.0f) + (a->ground ? *own_at(a->ground, SYMMETRIC_FLOATS, place, k) : 0.0f);
    }
    const node_parents n = parents_of(c, &p, 0, row, column);
    for (int32_t k = 0; k < n.count; k++) {
      for (int32_t f = 0; f < 6; f++) {
        *own_at(ground, SYMMETRIC_FLOATS, n.row[k] * p.coarse_pitch + n.column[k], f) += n.weight[k] * block[f];
      }
    }
  }
}

#else

#define label_at(c, level, row, column) ((void)(c), (void)(level), (void)(row), (void)(column), 0)
#define interpolate_pieces(c, number) ((void)(c), (void)(number))
#define restrict_held_pieces(c, a, plate) ((void)(c), (void)(a), (void)(plate))

#endif
