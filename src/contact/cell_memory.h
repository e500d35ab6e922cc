#pragma once
#include "memory.h"
#include "touch.h"

/// Memory of cells that touch ///

/*
 * Triangles of cells touch colliders with one point between their particles, where a collider stands out between these:
 * see contact/cell_search.h. What such a touch keeps from one substep to the next is part of the state: where its point
 * is, the force that it has given [N], and its anchor in the collider's axes [m].
 *
 * The entries are in ascending order of their keys, in which the search finds triangles: by collider, by block of
 * columns, by row. What follows the last entry is 0.
 *
 * In and out: the memory (state), the list of touches of cells. Scratch: none.
 */

/* Words before the first entry: how many there are, and 0. */
#define CELL_MEMORY_HEAD 2

/* A touch of a triangle in a part of a substep. */
typedef struct cell_touch {
  uint32_t key;
  int16_t collider;
  uint8_t known, slides; /* 1: there is an anchor; it slides */
  int32_t place[3];      /* of its particles in the rows of the arrays, see place_of() */
  float weight[3];
  cloth_vector normal, offset; /* in world axes; from the anchor, along the surface [m] */
  cloth_vector anchor;         /* remembered [m] */
  float gap, reach, way;       /* from the collider; where the law begins; of its point in the collider's axes [m] */
  element_law law;             /* at present */
  union {
    cloth_vector last; /* remembered: force [N] ... */
    element_law held;  /* ... until there is a law: what stands in the blocks of its particles */
  } before;
} cell_touch;

/* Room for touches of cells: so many for a column and a row, or one for so many particles; never more than one for two.
 * The edges of a table of .6 m under a sheet of 24 x 24, 1 m wide, have 114, and one of .8 m under 40 x 40, 1.2 m wide,
 * 208. With room for 96 of the former denim shakes at 1 m/s for ever, as touches are left out in turn. */
#define CELL_TOUCHES_PER_LINE 3
#define PARTICLES_PER_CELL_TOUCH 8

static int32_t most_cell_touches(int32_t columns, int32_t rows) {
  const int32_t count = columns * rows;
  const int32_t most = larger_of(CELL_TOUCHES_PER_LINE * (columns + rows), count / PARTICLES_PER_CELL_TOUCH);
  return smaller_of(most, count / 2);
}

/* The particles of a row above or below a block of cells in the axes of the collider: their places where the substep
   begins and where they are linearised, how far that is, squared; normals and distances where it begins. */
#define CORNER_FLOATS (TOUCH_LANES + CLOTH_LANES)
typedef struct corner_row {
  float from[3][CORNER_FLOATS], to[3][CORNER_FLOATS], normal[3][CORNER_FLOATS];
  float distance[CORNER_FLOATS], way_squared[CORNER_FLOATS];
  int32_t row;     /* which row this is, -1: none yet */
  uint32_t placed; /* which corners are known */
} corner_row;

/* Triangles that a search looks at one by one, for each touch that there is room for: more overflow. */
#define TRIED_PER_CELL_TOUCH 2

/* Bits of a key below the collider: the number of a triangle. */
#define CELL_NUMBER_BITS 21

LAYOUT_CONTRACT(cell_numbers_suffice, 2 * CLOTH_GRID_LIMIT * CLOTH_GRID_LIMIT <= 1 << CELL_NUMBER_BITS);
LAYOUT_CONTRACT(cell_colliders_suffice, FACE_NUMBERS <= 1 << (32 - CELL_NUMBER_BITS));

/* The key of a triangle, the first or the second of its cell, and a collider. */
static uint32_t cell_key(const cloth *c, int32_t collider, int32_t row, int32_t column, int32_t second) {
  const int32_t block = column / TOUCH_LANES * c->grid.rows + row;
  const int32_t number = 2 * (block * TOUCH_LANES + column % TOUCH_LANES) + second;
  return (uint32_t)collider << CELL_NUMBER_BITS | (uint32_t)number;
}

static int32_t collider_of_key(uint32_t key) {
  return (int32_t)(key >> CELL_NUMBER_BITS);
}

static void cell_of_key(const cloth *c, uint32_t key, int32_t *row, int32_t *column) {
  const int32_t number = (int32_t)(key & ((1u << CELL_NUMBER_BITS) - 1u)) / 2, block = number / TOUCH_LANES;
  *row = block % c->grid.rows;
  *column = block / c->grid.rows * TOUCH_LANES + number % TOUCH_LANES;
}

/* The memory of a cloth that may touch colliders: the number of its entries, and the first. */
static uint32_t *cells_remembered(const cloth *c) {
  return (uint32_t *)at(c, c->state.cells);
}

static cell_memory *cell_memories_of(const cloth *c) {
  return (cell_memory *)(void *)(cells_remembered(c) + CELL_MEMORY_HEAD);
}

static cell_touch *cell_touches_of(const cloth *c) {
  return (cell_touch *)at(c, c->scratch.cells);
}

/* The particle of a touch that is the heaviest by weight: it stands for it in the record and in a map. */
static int32_t particle_of_cell(const solve_arrays *a, const cell_touch *e) {
  int32_t heaviest = 0;
  for (int32_t n = 1; n < 3; n++) {
    heaviest = e->weight[heaviest] < e->weight[n] ? n : heaviest;
  }
  const int32_t row = e->place[heaviest] / a->pitch;
  return row * a->columns + e->place[heaviest] - row * a->pitch;
}

/* Most triangles that a search looks at one by one. */
static int32_t most_cells_tried(const cloth *c) {
  const int32_t all = 2 * c->count, most = TRIED_PER_CELL_TOUCH * (int32_t)c->state.max_cells;
  return all < most ? all : most;
}

/* Sets how many entries there are, `before` of which there were before. */
static void set_cells_remembered(const cloth *c, uint32_t count, uint32_t before) {
  *cells_remembered(c) = count;
  if (count < before) { fill_zero(cell_memories_of(c) + count, (before - count) * sizeof(cell_memory)); }
}

static int has_corner_of_cell(const cloth *c, uint32_t key, int32_t particle) {
  int32_t row, column;
  cell_of_key(c, key, &row, &column);
  const int32_t down = particle / c->grid.columns - row, right = particle % c->grid.columns - column;
  return (down == 0 || down == 1) && (right == 0 || right == 1 || (is_wrapped(c) && right == 1 - c->grid.columns));
}

/* Forgets the touches of cells with a collider, or of the cells around a particle; -1: of none. */
static void forget_cells(const cloth *c, int32_t collider, int32_t particle) {
  if (!c->state.cells) { return; }
  cell_memory *entry = cell_memories_of(c);
  const uint32_t before = *cells_remembered(c);
  uint32_t count = 0;
  for (uint32_t n = 0; n < before; n++) {
    if (collider_of_key(entry[n].key) != collider && !has_corner_of_cell(c, entry[n].key, particle)) {
      entry[count++] = entry[n];
    }
  }
  set_cells_remembered(c, count, before);
}

/* 1 if particles of a row may touch colliders in the part. */
static int is_row_touched(const cloth *c, int32_t row) {
  int touches = 0;
  const int any = WITH_COLLIDERS && workspace_of(c)->touches > 0;
  for (int32_t column = 0; any && column < c->grid.columns; column += TOUCH_LANES) {
    touches |= *chain_at(c, row, column) >= 0;
  }
  return touches;
}

/* 1 if particles or cells may touch colliders in the part. */
static int meets_colliders(const cloth *c) {
  return WITH_COLLIDERS && (workspace_of(c)->touches > 0 || workspace_of(c)->cells > 0);
}

/* 1 if `product` holds what pairs, contacts and cells gave to each particle in the last substep. */
static int holds_last_forces(const cloth *c) {
  return workspace_of(c)->has_pairs || workspace_of(c)->cells > 0;
}
