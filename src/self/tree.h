#pragma once
#include "../cloth/layout.h"

/// Tree of boxes ///

/* Boxes around the parts of a cloth: a quadtree over the grid whose leaves are two by two cells. Each node has a box
   around where its particles are, one around where they will be if they keep their velocities for a time, and boxes
   around the vectors of its edges at both times. The last row and column own particles and edges but no cells. What is
   not a number is apart from nothing. */

/* Settings of self-contact; only where c->self is not 0. */
static const self_settings *self_settings_of(const cloth *c) {
  return (const self_settings *)at(c, c->self);
}

/* 1 if the sheet feels itself; 0 also for one that feels only other cloths of a group. */
static int feels_itself(const cloth *c) {
  return WITH_SELF && c->self && self_settings_of(c)->gathers > 0;
}

static self_workspace *self_workspace_of(const cloth *c) {
  return (self_workspace *)(void *)(workspace_of(c) + 1);
}

/* Set in the age of a particle while a gather has found it in an intersection. */
#define SELF_AGE_MARK 128

/* Set in the age of a particle that is sewn, or was and has not come apart since from all others that were. */
#define SELF_SEWN 64

/* Largest number of steps that is counted, the bits below SELF_SEWN: at least SELF_TANGLED_AGE. */
#define SELF_OLDEST (SELF_SEWN - 1)

/* A level of the tree, row by row. */
typedef struct self_level {
  self_node *nodes;
  int32_t columns, rows;
} self_level;

/* The memory of pairs of a cloth: how many entries there are, and the entries. */
typedef struct pair_memories {
  uint32_t *count;
  pair_memory *entry;
  int32_t most;
} pair_memories;

/* A cloth as self-contact sees it. */
typedef struct self_body {
  const cloth *c;
  vector_array start;    /* positions before a substep: of the state, or a copy where the cloth sleeps */
  vector_array velocity; /* of the state */
  uint8_t *ages;
  uint8_t *moved; /* 1 of each particle that was sewn and is near others that were, during a gather */
  int32_t count, columns, rows, pitch, is_wrapped;
  int32_t corner[2]
                [4]; /* places of the corners of a cell after that of the first: anywhere, and at the end of a tube */
  int32_t is_still;  /* 1: a cloth of a group that sleeps, of which nothing changes */
  float spacing;     /* mean of both [m] */
  float skew;        /* of a cell at rest: how far its edge along the weft leans along the warp, over that */
  float per_warp;    /* 1 over twice the edge of a cell at rest along the warp, ... */
  float per_weft;    /* ... and over twice its height above that [1/m] */
  /* While a part is solved: */
  const substep_terms *terms; /* NULL: nothing of it moves */
  const solve_arrays *arrays;
  float weight;    /* of its sums in the solve, see solve_member */
  float stiffness; /* of its pairs, times that */
  float hold;      /* of its pairs [N/m] */
  int32_t has_solution;
  uint32_t remembers; /* entries of the part before */
  int32_t levels;     /* of its tree */
  pair_memories memories;
  self_level level[SELF_LEVELS];
} self_body;

/* Where particles were when the part of a substep began that has just been solved: in the places of a near array of the
   solve, whose pads stay as they are. */
static vector_array kept_start(const cloth *c) {
  const int32_t pitch = pitch_of(c), rows = c->grid.rows;
  const int32_t plane = CLOTH_LANES == 1 ? pitch * rows : near_plane(pitch, rows);
  float *first = near_array(c, c->scratch.product);
  return (vector_array){first, first + plane, first + 2 * plane};
}

/* Least square of the height of a cell at rest [m^2]. */
#define LEAST_CELL_HEIGHT 1.0e-12f

/* Sets what self-contact knows of a cloth, with `nodes` as the room for its tree. */
static void self_body_of(const cloth *c, self_node *nodes, self_body *b) {
  b->c = c;
  b->start = vectors_at(c, c->state.position);
  b->velocity = vectors_at(c, c->state.velocity);
  b->ages = ages_of(c);
  b->moved = (uint8_t *)at(c, c->scratch.residual);
  b->count = c->count;
  b->columns = c->grid.columns;
  b->rows = c->grid.rows;
  b->pitch = pitch_of(c);
  for (int32_t n = 0; n < 4; n++) {
    const int32_t is_beside = n == 1 || n == 2, below = n >= 2 ? b->pitch : 0;
    b->corner[0][n] = below + is_beside;
    b->corner[1][n] = below + is_beside * (1 - b->columns);
  }
  b->terms = NULL;
  b->is_wrapped = is_wrapped(c);
  b->is_still = 0;
  b->spacing = 0.5f * (c->grid.spacing_warp + c->grid.spacing_weft);
  const grid_shape *g = &c->grid;
  const float lean = 0.25f * (g->diagonal * g->diagonal - g->antidiagonal * g->antidiagonal) / g->spacing_warp;
  const float height = square_root(maximum(g->spacing_weft * g->spacing_weft - lean * lean, LEAST_CELL_HEIGHT));
  b->skew = flush_work(lean / g->spacing_warp);
  b->per_warp = 0.5f / g->spacing_warp;
  b->per_weft = 0.5f / height;
  b->levels = 0;
  int32_t columns = b->columns, rows = b->rows;
  do {
    columns = half_of(columns);
    rows = half_of(rows);
    self_level *level = &b->level[b->levels++];
    level->nodes = nodes;
    level->columns = columns;
    level->rows = rows;
    nodes += columns * rows;
  } while (columns > 1 || rows > 1);
  CLOTH_ASSERT(b->levels <= SELF_LEVELS);
}

CLOTH_INLINE int has_cell(const self_body *b, int32_t row, int32_t column) {
  return row + 1 < b->rows && (b->is_wrapped || column + 1 < b->columns) &&
         !is_gap(b->c, row * b->columns + column, GAP_CELL);
}

/* The particles at the corners of a cell, the first two of the row; those that do not exist are repeated. */
CLOTH_INLINE void find_corners(const self_body *b, int32_t row, int32_t column, int32_t corner[4]) {
  const int32_t next = column + 1 < b->columns ? column + 1 : (b->is_wrapped ? 0 : column);
  const int32_t below = row + 1 < b->rows ? b->columns : 0;
  corner[0] = row * b->columns + column;
  corner[1] = row * b->columns + next;
  corner[2] = corner[1] + below;
  corner[3] = corner[0] + below;
}

/* a - b, in multiples of 2^-30 m: products of crosses are multiples of 2^-120, so that none is subnormal. */
CLOTH_INLINE cloth_vector exact_difference(cloth_vector a, cloth_vector b) {
  return vector_quantise(vector_subtract(a, b), STATE_ROUNDER);
}

/* Makes boxes hold others, too. The last block of lanes may overlap the one before, which changes nothing. */
CLOTH_INLINE void join_boxes(self_boxes *box, const self_boxes *other) {
  for (int32_t n = 0; n < SELF_BOX_FLOATS; n += CLOTH_LANES) {
    const int32_t i = n + CLOTH_LANES <= SELF_BOX_FLOATS ? n : SELF_BOX_FLOATS - CLOTH_LANES;
    const lanes low = lanes_minimum(lanes_load(other->value + i), lanes_load(box->value + i));
    lanes_store(box->value + i, low);
  }
}

/* 1 if what moves between boxes comes no closer than `reach`: on one axis and side the gap is wider now and ahead. */
CLOTH_INLINE int are_apart(const self_boxes *a, const self_boxes *b, float reach) {
  const float *x = a->value, *y = b->value;
  for (int32_t k = 0; k < 3; k++) {
    if ((x[k] + y[k + 3] > reach && x[k + 6] + y[k + 9] > reach) ||
        (y[k] + x[k + 3] > reach && y[k + 6] + x[k + 9] > reach)) {
      return 1;
    }
  }
  return 0;
}

/* Components of a place now and ahead. */
#define SELF_PLACES 6
/* Columns of particles of a leaf, and floats of a row of them that are read. */
#define LEAF_COLUMNS 3
#define LEAF_ROW (LEAF_COLUMNS + CLOTH_LANES)

/* The three rows of particles of a leaf, those that do not exist repeating the last one: where they start in the
   components of positions, then velocities; or copies where the grid has fewer columns. */
typedef struct leaf_rows {
  const float *value[SELF_PLACES];
  int32_t start[LEAF_COLUMNS];
  float copy[SELF_PLACES][LEAF_COLUMNS * LEAF_ROW];
} leaf_rows;

/* Columns that the grid does not have repeat the last one, or are the first one of a tube. */
static void copy_rows(const self_body *b, int32_t first_column, leaf_rows *rows) {
  const int32_t beyond = b->is_wrapped ? 0 : b->columns - 1;
  fill_zero(rows->copy, sizeof rows->copy);
  for (int32_t k = 0; k < SELF_PLACES; k++) {
    for (int32_t r = 0; r < 3; r++) {
      const float *row = rows->value[k] + rows->start[r] - first_column;
      for (int32_t n = 0; n < LEAF_COLUMNS; n++) {
        const int32_t column = first_column + n;
        rows->copy[k][r * LEAF_ROW + n] = row[column < b->columns ? column : beyond];
      }
    }
    rows->value[k] = rows->copy[k];
  }
  rows->start[0] = 0;
  rows->start[1] = LEAF_ROW;
  rows->start[2] = 2 * LEAF_ROW;
}

/* The rows of a leaf whose first particle is (row, column). */
CLOTH_INLINE void find_rows(const self_body *b, int32_t row, int32_t column, leaf_rows *rows) {
  const float *const value[SELF_PLACES] = {b->start.x,    b->start.y,    b->start.z,
                                           b->velocity.x, b->velocity.y, b->velocity.z};
  CLOTH_UNROLL
  for (int32_t k = 0; k < SELF_PLACES; k++) {
    rows->value[k] = value[k];
  }
  rows->start[0] = row * b->columns + column;
  rows->start[1] = rows->start[0] + (row + 1 < b->rows ? b->columns : 0);
  rows->start[2] = rows->start[1] + (row + 2 < b->rows ? b->columns : 0);
  if (column + LEAF_COLUMNS > b->columns) { copy_rows(b, column, rows); }
}

/* Columns of particles of a block of leaves. */
#define LEAF_BLOCK (CLOTH_LANES > 1 ? CLOTH_LANES : 2)

/* A component of nine particles of each leaf of a block: least and greatest. */
typedef struct leaf_extent {
  lanes low, high;
} leaf_extent;

CLOTH_INLINE void extend(leaf_extent *e, lanes a, lanes b, lanes c) {
  e->low = lanes_minimum(lanes_minimum(a, b), lanes_minimum(c, e->low));
  e->high = lanes_maximum(lanes_maximum(a, b), lanes_maximum(c, e->high));
}

/* Adds the particles of a row, from `i` on, where they are now and ahead. */
CLOTH_REPEATED void extend_by_row(const float *place, const float *speed, lanes time, leaf_extent *now,
                                  leaf_extent *ahead) {
  const lanes a = lanes_load(place), b = lanes_load(place + 1), c = lanes_load(place + 2);
  extend(now, a, b, c);
  extend(ahead, lanes_add(a, lanes_multiply(lanes_load(speed), time)),
         lanes_add(b, lanes_multiply(lanes_load(speed + 1), time)),
         lanes_add(c, lanes_multiply(lanes_load(speed + 2), time)));
}

/* The boxes along an axis of a block of leaves; every other lane is a leaf. */
CLOTH_REPEATED void extend_by_axis(const leaf_rows *rows, int32_t axis, lanes time, float value[4][CLOTH_LANES]) {
  const float *place = rows->value[axis], *speed = rows->value[axis + 3];
  const int32_t *row = rows->start;
  const lanes start = lanes_load(place + row[0]);
  const lanes then = lanes_add(start, lanes_multiply(lanes_load(speed + row[0]), time));
  leaf_extent now = {start, start}, ahead = {then, then};
  extend_by_row(place + row[0], speed + row[0], time, &now, &ahead);
  extend_by_row(place + row[1], speed + row[1], time, &now, &ahead);
  extend_by_row(place + row[2], speed + row[2], time, &now, &ahead);
  lanes_store(value[0], now.low);
  lanes_store(value[1], lanes_negate(now.high));
  lanes_store(value[2], ahead.low);
  lanes_store(value[3], lanes_negate(ahead.high));
}

/* The boxes of the edges along an axis of a block of leaves with three rows: of the differences of two places, now and
   ahead. */
CLOTH_REPEATED void extend_by_edge(const leaf_rows *rows, int32_t axis, lanes time, const int32_t *ends,
                                   leaf_extent *e) {
  const float *place = rows->value[axis], *speed = rows->value[axis + 3];
  const lanes now = lanes_subtract(lanes_load(place + ends[1]), lanes_load(place + ends[0]));
  const lanes faster = lanes_subtract(lanes_load(speed + ends[1]), lanes_load(speed + ends[0]));
  const lanes ahead = lanes_add(now, lanes_multiply(faster, time));
  e->low = lanes_minimum(lanes_minimum(now, ahead), e->low);
  e->high = lanes_maximum(lanes_maximum(now, ahead), e->high);
}

CLOTH_REPEATED void store_edges(const leaf_extent *e, float low[CLOTH_LANES], float high[CLOTH_LANES]) {
  lanes_store(low, lanes_quantise(e->low, STATE_ROUNDER));
  lanes_store(high, lanes_negate(lanes_quantise(e->high, STATE_ROUNDER)));
}

CLOTH_REPEATED void extend_by_edges(const leaf_rows *rows, int32_t axis, lanes time, float value[4][CLOTH_LANES]) {
  const lanes most = lanes_splat(CLOTH_POSITION_LIMIT);
  leaf_extent warp = {most, lanes_negate(most)}, weft = warp;
  CLOTH_UNROLL
  for (int32_t n = 0; n < LEAF_COLUMNS; n++) {
    for (int32_t k = 0; k < LEAF_COLUMNS - 1; k++) {
      const int32_t along[2] = {rows->start[n] + k, rows->start[n] + k + 1};
      const int32_t across[2] = {rows->start[k] + n, rows->start[k + 1] + n};
      extend_by_edge(rows, axis, time, along, &warp);
      extend_by_edge(rows, axis, time, across, &weft);
    }
  }
  store_edges(&warp, value[0], value[1]);
  store_edges(&weft, value[2], value[3]);
}

/* The boxes of the edges of a block of leaves. Where the grid ends within a leaf, those of three rows and columns that
   have its particles. */
CLOTH_INLINE void find_edges(const self_body *b, int32_t row, int32_t column, lanes time,
                             float value[3][8][CLOTH_LANES]) {
  const int32_t last_row = larger_of(b->rows - LEAF_COLUMNS, 0);
  const int32_t last_column = larger_of(b->columns + b->is_wrapped - LEAF_COLUMNS, 0);
  leaf_rows r;
  find_rows(b, row < last_row ? row : last_row, column < last_column ? column : last_column, &r);
  extend_by_edges(&r, 0, time, value[0] + 4);
  extend_by_edges(&r, 1, time, value[1] + 4);
  extend_by_edges(&r, 2, time, value[2] + 4);
}

/* The leaves of a block, `count` of them from `column` of a row on: with three columns of particles, or one leaf. */
static void build_leaves(const self_body *b, float time, int32_t row, int32_t column, int32_t count) {
  leaf_rows r;
  find_rows(b, 2 * row, column, &r);
  float box[3][8][CLOTH_LANES];
  extend_by_axis(&r, 0, lanes_splat(time), box[0]);
  extend_by_axis(&r, 1, lanes_splat(time), box[1]);
  extend_by_axis(&r, 2, lanes_splat(time), box[2]);
  find_edges(b, 2 * row, column, lanes_splat(time), box);
  self_node *nodes = &b->level[0].nodes[row * b->level[0].columns + column / 2];
  for (int32_t n = 0; n < count; n++) {
    for (int32_t k = 0; k < SELF_BOX_FLOATS; k++) {
      nodes[n].boxes.value[k] = box[k % 3][k / 3][CLOTH_LANES > 1 ? 2 * n : 0];
    }
  }
}

/* Some nodes of a level, row by row. */
typedef struct node_list {
  const self_node *level;
  int32_t number[4], row[4], column[4];
  int32_t count;
} node_list;

/* The children of a node, or with 0 as `splits` the node itself. */
CLOTH_INLINE void list_nodes(const self_body *b, int32_t level, int32_t node, int32_t splits, node_list *list) {
  const self_level *here = &b->level[level], *below = here - splits;
  const int32_t row = node / here->columns, column = node - row * here->columns;
  list->level = below->nodes;
  list->count = 0;
  for (int32_t n = 0; n < 1 + 3 * splits; n++) {
    const int32_t r = row * (1 + splits) + (n >> 1), k = column * (1 + splits) + (n & 1);
    if (r < below->rows && k < below->columns) {
      list->number[list->count] = r * below->columns + k;
      list->row[list->count] = r;
      list->column[list->count++] = k;
    }
  }
}

static void build_parent(const self_body *b, int32_t level, int32_t node) {
  self_node *n = &b->level[level].nodes[node];
  node_list children;
  list_nodes(b, level, node, 1, &children);
  *n = children.level[children.number[0]];
  for (int32_t i = 1; i < children.count; i++) {
    const self_node *s = &children.level[children.number[i]];
    join_boxes(&n->boxes, &s->boxes);
  }
}

/* Beside a gap cloth may come near itself however flat it is: leaves with one have edges in all directions. */
static void widen_edges_at_gaps(const self_body *b) {
  for (int32_t i = 0; i < b->count; i++) {
    if (is_gap(b->c, i, GAP_CELL)) {
      const int32_t row = i / b->columns;
      const int32_t leaf = row / 2 * b->level[0].columns + (i - row * b->columns) / 2;
      for (int32_t k = SELF_PLACE_FLOATS; k < SELF_BOX_FLOATS; k++) {
        b->level[0].nodes[leaf].boxes.value[k] = -CLOTH_POSITION_LIMIT;
      }
    }
  }
}

/* Twice the middle of a box of edges [m]. */
CLOTH_INLINE cloth_vector middle_of_edges(const float *edge) {
  return vector(edge[0] - edge[3], edge[1] - edge[4], edge[2] - edge[5]);
}

/* How much edges of a box differ along a direction [m]. */
CLOTH_INLINE float spread_of_edges(const float *edge, cloth_vector to) {
  return negate(absolute(to.x) * (edge[0] + edge[3]) + absolute(to.y) * (edge[1] + edge[4]) +
                absolute(to.z) * (edge[2] + edge[5]));
}

/* 1 if cloth with edges in these boxes, along the warp and along the weft, keeps whatever is apart at rest at least
   `least` times as far apart. At rest the two have the lengths u and v, c and s are the cosine and sine between them,
   so that a = warp / u and b = (weft / v - c a) / s are the derivatives of places x by places Y at rest. Along two unit
   vectors q1, q2 in the plane of the middles of the boxes,

     (x(Y) - x(X)) . Q(Y - X) >= (Y - X) . M (Y - X),  M = (a.q1, (a.q2 + b.q1) / 2; .., b.q2)

   so it does if the least that the diagonal of M may be, less `least`, outweighs the most that the rest may be. */
static int are_edges_flat(const self_body *b, const float *warp, const float *weft, float least) {
  const float skew = negate(b->skew), skewed = absolute(b->skew);
  const cloth_vector along = middle_of_edges(warp), across = vector_add_scaled(middle_of_edges(weft), along, skew);
  const cloth_vector first = vector_scale_work(along, 1.0f / vector_length(along));
  const float shear = flush_work(vector_dot(across, first));
  const cloth_vector rest = vector_flush_work(vector_add_scaled(across, first, negate(shear)));
  const float length = vector_length(rest);
  const cloth_vector second = vector_scale_work(rest, 1.0f / length);
  const float warp_along = spread_of_edges(warp, first), warp_across = spread_of_edges(warp, second);
  const float weft_along = spread_of_edges(weft, first) + skewed * warp_along;
  const float weft_across = spread_of_edges(weft, second) + skewed * warp_across;
  const float of_warp = (vector_dot(along, first) - warp_along) * b->per_warp - least;
  const float of_weft = (length - weft_across) * b->per_weft - least;
  const float turned = 0.5f * (warp_across * b->per_warp + (absolute(shear) + weft_along) * b->per_weft);
  const float off = flush_work(turned);
  return of_warp > 0.0f && of_weft > 0.0f && of_warp * of_weft > off * off;
}

/* Finds which nodes of a level are flat with those beside, below and across them. */
CLOTH_SEPARATE void find_flat(const self_body *b, const self_level *l, float least) {
  for (int32_t n = 0; n < l->columns * l->rows; n++) {
    const int32_t row = n / l->columns, column = n - row * l->columns;
    const int32_t beside = column + 1 < l->columns ? 1 : b->is_wrapped ? -column : 0;
    const int32_t below = row + 1 < l->rows ? l->columns : 0;
    self_boxes joined = l->nodes[n].boxes;
    join_boxes(&joined, &l->nodes[n + beside].boxes);
    join_boxes(&joined, &l->nodes[n + below].boxes);
    join_boxes(&joined, &l->nodes[n + below + beside].boxes);
    const float *edges = joined.value + SELF_PLACE_FLOATS;
    l->nodes[n].is_flat = are_edges_flat(b, edges, edges + SELF_PLACE_FLOATS / 2, least);
  }
}

/* Builds the tree of a cloth; `ahead` is the time that it looks ahead [s], `least` how much of a distance in the grid
   flat cloth keeps. */
CLOTH_HOT CLOTH_SEPARATE void build_tree(const self_body *b, float ahead, float least) {
  const self_level *leaves = &b->level[0];
  for (int32_t row = 0; row < leaves->rows; row++) {
    const int32_t whole = (b->columns - 1) / 2; /* leaves with three columns */
    for (int32_t column = 0; column < whole; column += LEAF_BLOCK / 2) {
      build_leaves(b, ahead, row, 2 * column, whole - column < LEAF_BLOCK / 2 ? whole - column : LEAF_BLOCK / 2);
    }
    if (whole < leaves->columns) { build_leaves(b, ahead, row, 2 * whole, 1); }
  }
  if (has_gaps(b->c)) { widen_edges_at_gaps(b); }
  for (int32_t level = 0; level < b->levels; level++) {
    for (int32_t node = 0; level > 0 && node < b->level[level].columns * b->level[level].rows; node++) {
      build_parent(b, level, node);
    }
    find_flat(b, &b->level[level], least);
  }
}

/* 1 if nodes i and j of a level, the same or side by side, are flat together. */
static int are_flat(const self_body *b, const self_level *l, const node_list *a, int32_t i, const node_list *c,
                    int32_t j) {
  const int32_t row = larger_of(a->row[i], c->row[j]), column = larger_of(a->column[i], c->column[j]);
  const int32_t rows = 2 * row - a->row[i] - c->row[j], columns = 2 * column - a->column[i] - c->column[j];
  int is = 0;
  for (int32_t r = row - 1 < 0 ? 0 : row - 1; r <= row - rows; r++) {
    for (int32_t k = columns > 1 ? column : column - 1; k <= (columns > 1 ? column : column - columns); k++) {
      const int32_t around = k < 0 && b->is_wrapped ? k + l->columns : k;
      is |= around >= 0 && l->nodes[r * l->columns + around].is_flat;
    }
  }
  return is;
}

/// Leaves of the tree of boxes ///

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

CLOTH_INLINE int32_t leaf_particle(const self_body *b, const self_leaf *leaf, int32_t cell) {
  return leaf->first + (cell >> 1) * b->columns + (cell & 1);
}

static void drop_absent_cells(const self_body *b, self_leaf *leaf) {
  for (int32_t cell = 0; cell < SELF_CELLS; cell++) {
    const uint32_t bit = 1u << cell;
    if ((leaf->cells & bit) && is_gap(b->c, leaf_particle(b, leaf, cell), GAP_CELL)) { leaf->cells &= ~bit; }
    if ((leaf->particles & bit) && is_gap(b->c, leaf_particle(b, leaf, cell), GAP_PARTICLE)) {
      leaf->particles &= ~bit;
    }
  }
}

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
  if (has_gaps(b->c)) { drop_absent_cells(b, leaf); }
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

/* Which cells of a leaf have normals less than 90 degrees from that of cell n of another, a bit each. */
CLOTH_INLINE uint32_t cells_facing(const self_leaf *leaf, const self_leaf *other, int32_t n) {
  const lanes3 that = lanes3_splat(vector(other->normal[0][n], other->normal[1][n], other->normal[2][n]));
  uint32_t bits = 0;
  for (int32_t cell = 0; cell < SELF_CELLS; cell += CLOTH_LANES) {
    const lanes3 normals = lanes3_of(lanes_load(leaf->normal[0] + cell), lanes_load(leaf->normal[1] + cell),
                                     lanes_load(leaf->normal[2] + cell));
    bits |= lanes_bits(lanes_less(lanes_splat(0.0f), lanes3_dot(normals, that))) << cell;
  }
  return bits;
}
