#pragma once
#include "../cloth/arrays.h"
#include "../cloth/gaps.h"
#include "transfer.h"

/// Levels of the preconditioner ///

/*
 * An additive multigrid (Bramble, Pasciak and Xu 1990): z = sum over the levels of P_l D_l^-1 R_l r, with R_l = P_l^T
 * and D_l blocks of 3 x 3 on the diagonal alone. The finest level, 0, is the grid of the particles; each coarser one
 * has half of its columns and rows, down to 2 x 2 nodes.
 *
 *   D_0    = the operator's own blocks: springs, plate, mass and further blocks of each particle
 *   D_l+1  = 1/4 R(S_l) + R(G_l), with row sums
 *
 * S are the blocks of springs, G all that holds a particle against the world: mass, blocks of the air and further
 * blocks, springs that lead to a pin. Springs between two nodes are as stiff as those between particles, so that a
 * displacement that varies over 2 cells strains them a quarter as much. To levels above the finest and below the
 * coarsest the plate adds 6 (kappa_u + kappa_v) / 2^l + 4 kappa_2 / 4^l times I: without it a stiff plate floats, as
 * coarse nodes do not know what resists. A pin adds its own part of the plate to G.
 *
 * In: springs, their sums, diagonal, air, ground. Out: scratch.inverse, the blocks of the levels; product and the
 * vectors of the levels. Scratch: G of two levels, over solution and direction; the transfer row.
 */

/* Least entry on the diagonal of a block of a level: a node without particles has none. */
#define LEAST_BLOCK 1.0e-6f

/* Cells of tubes that are wider than so many times their height are coarsened along the rows alone, until they are not:
   springs along the axis are so much stiffer that only nodes side by side can follow them. Sheets are not: 16 x 4 cells
   of .027 x .33 m gain energy so (S17). */
#define LONG_CELL 1.5f
/* What counts as the width of a cell over its height in pre-shaped pieces, whose cells differ. */
#define SHAPED_ASPECT 1.0f
/* What a level that is coarsened along one side has of the sums of springs, in place of 1/4: springs along that side
   are a quarter as stiff, those across as stiff as before. */
#define LONG_SHARE 0.5f

/* 1 if the level so many levels above the particles is solved. */
static int is_solved(int32_t columns, int32_t rows, int32_t is_ring, int32_t number) {
  const int32_t is_small = columns <= SOLVED_SIDE && rows <= SOLVED_SIDE;
  return is_small || (number > 0 && !is_ring && columns * rows <= SOLVED_NODES);
}

/* Plans the coarse levels of a grid, with the offsets of their arrays. Returns the floats of all, and their number. */
static int32_t plan_levels(int32_t columns, int32_t rows, int32_t is_ring, float aspect, grid_level *levels,
                           int32_t *count) {
  int32_t floats = 0, n = 0;
  for (; n < MAX_LEVELS && !is_solved(columns, rows, is_ring, n); n++) {
    grid_level *l = &levels[n];
    const int32_t keeps_columns = is_ring && aspect > LONG_CELL && rows > SOLVED_SIDE;
    const int32_t fine_columns = columns;
    l->transfer = TRANSFER_KEPT;
    columns = keeps_columns ? columns : coarse_columns(columns, rows, is_ring, &l->transfer);
    rows = coarse_rows(fine_columns, rows, is_ring);
    aspect *= keeps_columns ? 0.5f : 1.0f;
    l->share = keeps_columns ? LONG_SHARE : 0.25f;
    l->columns = columns;
    l->rows = rows;
    l->is_ring = is_ring;
    l->pitch = row_pitch(columns + (is_ring ? 1 : 0));
    l->plane = near_plane(l->pitch, rows);
    l->residual = floats;
    l->inverse = l->residual + 3 * l->pitch * rows;
    l->correction = l->inverse + SYMMETRIC_FLOATS * l->pitch * rows;
    floats = l->correction + near_floats(l->pitch, rows);
  }
  *count = n;
  return floats;
}

/* Floats that G of two levels beside each other takes, which is most for the first two. */
static int32_t ground_floats(const grid_level *levels, int32_t count) {
  int32_t most = 0;
  for (int32_t n = 0; n < count; n++) {
    const int32_t next = n + 1 < count ? levels[n + 1].pitch * levels[n + 1].rows : 0;
    const int32_t floats = SYMMETRIC_FLOATS * (levels[n].pitch * levels[n].rows + next);
    most = floats > most ? floats : most;
  }
  return most;
}

/* 1 if the preconditioner has coarse levels in this step. */
CLOTH_INLINE int32_t uses_levels(const cloth *c) {
  return WITH_MULTILEVEL && workspace_of(c)->level_count > 0;
}

/* A level's vectors and blocks. */
static float *level_residual(const cloth *c, const grid_level *l) {
  return floats_at(c, c->scratch.levels) + l->residual;
}

static float *level_correction(const cloth *c, const grid_level *l) {
  return floats_at(c, c->scratch.levels) + l->correction + NEAR_START;
}

static float *level_inverse(const cloth *c, const grid_level *l) {
  return floats_at(c, c->scratch.levels) + l->inverse;
}

/* G of coarse level `number`, from 0: the levels take turns in the memory. */
static float *level_ground(const cloth *c, int32_t number) {
  const grid_level *levels = workspace_of(c)->levels;
  float *first = floats_at(c, c->scratch.solution);
  return number % 2 ? first + SYMMETRIC_FLOATS * levels[number - 1].pitch * levels[number - 1].rows : first;
}

/* Coarse level `number` and the level that it corrects: the particles for 0. */
static level_pair pair_of(const cloth *c, int32_t number) {
  const workspace *w = workspace_of(c);
  const grid_level *l = &w->levels[number], *finer = number > 0 ? l - 1 : NULL;
  return (level_pair){.columns = finer ? finer->columns : c->grid.columns,
                      .rows = finer ? finer->rows : c->grid.rows,
                      .pitch = finer ? finer->pitch : pitch_of(c),
                      .coarse_columns = l->columns,
                      .coarse_rows = l->rows,
                      .coarse_pitch = l->pitch,
                      .transfer = l->transfer,
                      .row = floats_at(c, c->scratch.transfer) + TRANSFER_PAD,
                      .places = transfer_places(pitch_of(c))};
}

/* The weights of what holds particles, as a row of one float each, into the transfer row: mass and whatever is
   isotropic, and the blocks of the air as if they were; at pins their part of the plate. `is_plain`: there are neither
   air nor factors; a constant. */
CLOTH_INLINE lanes held_by(const solve_arrays *a, int32_t i, lanes plate, int32_t is_plain) {
  lanes held = lanes_load(a->diagonal + i);
  const lanes_mask moves = lanes_less(lanes_splat(0.0f), held);
  if (!is_plain && a->air) {
    const lanes3 w = own_load(a->air, i);
    held = lanes_add(held, lanes3_dot(w, w));
  }
  if (!is_plain && a->factors) {
    plate = lanes_multiply(plate, lanes_load(OWN(a->factors, FACTOR_FLOATS, i, FACTOR_PLATE)));
  }
  return lanes_select(moves, held, plate);
}

/* The sum over the fine rows of a coarse row of these weights. */
CLOTH_INLINE void add_held_rows(const solve_arrays *a, const level_pair *p, const row_stencil *s, float plate,
                                int32_t is_plain) {
  for (int32_t i = 0; i < p->columns; i += CLOTH_LANES) {
    lanes sum = lanes_splat(0.0f);
    CLOTH_UNROLL
    for (int32_t n = 0; n < 3; n++) {
      const lanes held = held_by(a, s->row[n] * p->pitch + i, lanes_splat(plate), is_plain);
      sum = lanes_add(sum, lanes_multiply(held, lanes_splat(s->weight[n])));
    }
    lanes_store(p->row + i, p->columns - i < CLOTH_LANES ? lanes_within(sum, p->columns - i) : sum);
  }
}

/* G of the first coarse level in the rows `first` up to `end`: what holds the particles, without springs to pins.
   `plate`: part of the plate on the diagonal of a pin. */
CLOTH_SEPARATE void restrict_held(const cloth *c, const solve_arrays *a, const level_pair *pair, float plate,
                                  int32_t first, int32_t end) {
  const level_pair p = *pair;
  float *ground = level_ground(c, 0);
  for (int32_t row = first; row < end; row++) {
    const row_stencil s = stencil_of(&p, row);
    const int adds = ground_of_row(a, s.row[0]) || ground_of_row(a, s.row[1]) || ground_of_row(a, s.row[2]);
    if (adds) { restrict_blocks(&p, a->ground, ground, 1.0f, row, row + 1); }
    if (HAS_PLAIN_ROWS && !a->air && !a->factors) {
      add_held_rows(a, &p, &s, plate, 1);
    } else {
      add_held_rows(a, &p, &s, plate, 0);
    }
    end_transfer(&p, 1);
    float *held = p.row + p.places; /* the row of the coarse level, in the next plane */
    restrict_columns(&p, 1, held, 1.0f);
    for (int32_t i = 0; i < p.coarse_columns; i += CLOTH_LANES) {
      symmetric m = symmetric_identity(lanes_load(held + i));
      const int32_t place = row * p.coarse_pitch + i;
      m = adds ? symmetric_add(own_block(ground, place), m) : m;
      own_block_store(ground, place, m);
    }
  }
}

/* The coarse rows or columns that a row or column hangs on, with their weights. */
typedef struct line_parents {
  int32_t at[2], count;
  float weight[2];
} line_parents;

CLOTH_INLINE line_parents row_parents(const level_pair *p, int32_t row) {
  const int32_t is_kept = p->coarse_rows == p->rows, is_between = !is_kept && row % 2;
  const int32_t above = is_kept ? row : row / 2;
  return (line_parents){{above, above + 1}, 1 + is_between, {is_between ? 0.5f : 1.0f, 0.5f}};
}

CLOTH_INLINE line_parents column_parents(const level_pair *p, int32_t column) {
  const int32_t is_kept = p->transfer == TRANSFER_KEPT;
  const int32_t is_long = p->transfer == TRANSFER_RING_LONG && column >= p->columns - 2;
  const int32_t is_between = is_long || (!is_kept && column % 2);
  const int32_t left = is_long ? p->coarse_columns - 1 : is_kept ? column : column / 2;
  const int32_t right = p->transfer >= TRANSFER_RING && left + 1 == p->coarse_columns ? 0 : left + 1;
  line_parents l = {{left, right}, 1 + is_between, {is_between ? 0.5f : 1.0f, 0.5f}};
  if (is_long) {
    l.weight[0] = column == p->columns - 1 ? 1.0f / 3.0f : 2.0f / 3.0f;
    l.weight[1] = 1.0f - l.weight[0];
  }
  return l;
}

/* Adds a block of a particle of a column, with the weights of its nodes, to G of the first coarse level. `rows`: of
   its row. */
static void add_to_ground(const level_pair *p, float *ground, const line_parents *rows, int32_t column,
                          const float block[6]) {
  const line_parents columns = column_parents(p, column);
  for (int32_t m = 0; m < rows->count; m++) {
    for (int32_t n = 0; n < columns.count; n++) {
      const float weight = columns.weight[n] * rows->weight[m];
      float *to = own_at(ground, SYMMETRIC_FLOATS, rows->at[m] * p->coarse_pitch + columns.at[n], 0);
      CLOTH_UNROLL
      for (int32_t f = 0; f < SYMMETRIC_FLOATS; f++) {
        to[f * CLOTH_LANES] += weight * block[f];
      }
    }
  }
}

/* A column beside the grid, or within it: that across the seam of a tube, -1 where there is none. */
CLOTH_INLINE int32_t existing_column(const solve_arrays *a, int32_t column) {
  if (column >= 0 && column < a->columns) { return column; }
  return !a->is_ring ? -1 : column < 0 ? column + a->columns : column - a->columns;
}

/* The place of particle n of the nine around one, by rows; -1 if there is none. Tubes close. */
CLOTH_INLINE int32_t place_around(const solve_arrays *a, int32_t row, int32_t column, int32_t n) {
  const int32_t other = row + n / 3 - 1, near = existing_column(a, column + n % 3 - 1);
  return other < 0 || other >= a->rows || near < 0 ? -1 : other * a->pitch + near;
}

/* The directions of the springs to the nine particles around one, by rows. */
CLOTH_CONSTANT static const uint8_t direction_around[9] = {DIAGONAL, WEFT,         ANTIDIAGONAL, WARP,    WARP,
                                                           WARP,     ANTIDIAGONAL, WEFT,         DIAGONAL};

/* The block of the spring between a particle and the one at `place`, n of the nine around it, from what the springs'
   linearisation has stored. */
static void block_around(const solve_arrays *a, int32_t row, int32_t column, int32_t n, int32_t place, float block[6]) {
  const int32_t d = direction_around[n];
  const int32_t first = n < 4 ? place : row * a->pitch + column;
  const cloth_vector here = near_vector(near_row(a->place, a->pitch, row), a->plane, column);
  const cloth_vector apart = vector_subtract(here, near_vector(a->place, a->plane, place));
  const float *spring = own_at(a->springs, SPRING_FLOATS, first, SPRING_ACROSS(d));
  const float across = spring[0], along = spring[CLOTH_LANES];
  block[0] = across + along * apart.x * apart.x;
  block[1] = across + along * apart.y * apart.y;
  block[2] = across + along * apart.z * apart.z;
  block[3] = along * apart.x * apart.y;
  block[4] = along * apart.x * apart.z;
  block[5] = along * apart.y * apart.z;
}

/* Adds the springs from a pin to particles that move to G of the first coarse level. */
static void add_springs_of_pin(const cloth *c, const solve_arrays *a, const level_pair *p, int32_t particle) {
  const int32_t row = particle / a->columns, column = particle - row * a->columns;
  float *ground = level_ground(c, 0);
  for (int32_t other = row > 0 ? row - 1 : row; other <= row + 1 && other < a->rows; other++) {
    const line_parents rows = row_parents(p, other);
    for (int32_t step = -1; step <= 1; step++) {
      const int32_t near = existing_column(a, column + step), place = other * a->pitch + near;
      if (near >= 0 && a->diagonal[place] > 0.0f) { /* not the pin itself */
        float block[6];
        block_around(a, row, column, 3 * (other - row + 1) + step + 1, place, block);
        add_to_ground(p, ground, &rows, near, block);
      }
    }
  }
}

/* The springs that lead to pins. Absent particles, which count as pinned, have none. */
CLOTH_SEPARATE void add_springs_to_pins(const cloth *c, const solve_arrays *a) {
  const level_pair p = pair_of(c, 0);
  for (int32_t i = next_step_held(c, 0); i < c->count; i = next_step_held(c, i + 1)) {
    if (!is_gap(c, i, GAP_PARTICLE)) { add_springs_of_pin(c, a, &p, i); }
  }
}

/* What the plate adds to the blocks of coarse level `number`. */
static float plate_on_level(const cloth *c, const substep_terms *t, int32_t number) {
  float half = 1.0f;
  for (int32_t n = 0; n <= number; n++) {
    half *= 0.5f;
  }
  const int is_coarsest = number + 1 == workspace_of(c)->level_count;
  const float hinges = 6.0f * (t->hinge[WARP] + t->hinge[WEFT]) * half, twists = 4.0f * t->twist * half * half;
  return is_coarsest ? 0.0f : (1.0f + t->viscosity) * (hinges + twists);
}

/* Inverts the blocks of a coarse level, S + G + the plate's part, in place of S. */
CLOTH_ONCE void invert_level(const cloth *c, int32_t number, float plate) {
  const grid_level *l = &workspace_of(c)->levels[number];
  float *inverse = level_inverse(c, l);
  const float *ground = level_ground(c, number);
  const lanes added = lanes_splat(plate), least = lanes_splat(LEAST_BLOCK);
  for (int32_t row = 0; row < l->rows; row++) {
    const int32_t first = row * l->pitch; /* a tube has places that nothing is written to behind the blocks of a row */
    for (int32_t i = first; i < first + l->columns; i += CLOTH_LANES) {
      symmetric m = symmetric_add(own_block(inverse, i), own_block(ground, i));
      m.xx = lanes_maximum(lanes_add(m.xx, added), least);
      m.yy = lanes_maximum(lanes_add(m.yy, added), least);
      m.zz = lanes_maximum(lanes_add(m.zz, added), least);
      own_block_store(inverse, i, symmetric_quantise(symmetric_inverse(symmetric_quantise(m), least)));
    }
  }
}

/* D^-1 r of a level, which it adds to the sum of r . z. */
CLOTH_HOT static void apply_level(const cloth *c, const grid_level *l, row_sum *sum) {
  const float *inverse = level_inverse(c, l), *residual = level_residual(c, l);
  const int32_t columns = l->columns, pitch = l->pitch;
  const ptrdiff_t plane = l->plane;
  for (int32_t row = 0; row < l->rows; row++) {
    float *to = near_row(level_correction(c, l), pitch, row);
    for (int32_t i = 0; i < columns; i += CLOTH_LANES) {
      const int32_t place = row * pitch + i;
      const lanes3 r = own_load(residual, place);
      const lanes3 z = symmetric_apply(own_block(inverse, place), r);
      near_store(to, plane, i, z);
      row_sum_add(sum, i, lanes3_dot(r, z));
    }
  }
}

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

CLOTH_INLINE int is_in_pieces(const cloth *c) {
  return WITH_GAPS && workspace_of(c)->pieces > 1;
}

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
  int32_t row[4], column[4], count;
  float weight[4];
} node_parents;

/* The parents of its own label of a node of level `number`, whose coarse level has the same number in workspace.levels.
 */
static node_parents labelled_parents(const cloth *c, const level_pair *p, int32_t number, int32_t row, int32_t column) {
  const line_parents rows = row_parents(p, row), columns = column_parents(p, column);
  const int32_t label = label_at(c, number, row, column);
  node_parents n = {.count = 0};
  float sum = 0.0f;
  for (int32_t k = 0; k < rows.count * columns.count && label >= 0; k++) {
    const int32_t m = k / columns.count, q = k % columns.count;
    if (label_at(c, number + 1, rows.at[m], columns.at[q]) == label) {
      n.row[n.count] = rows.at[m];
      n.column[n.count] = columns.at[q];
      n.weight[n.count] = columns.weight[q] * rows.weight[m];
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
    const node_parents n = labelled_parents(c, &p, number, row, column);
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
  const node_parents n = labelled_parents(c, p, number, row, column);
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
      own_vector_store(product, place, vector_add(own_vector(product, place), more));
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
    const node_parents n = labelled_parents(c, &p, 0, row, column);
    for (int32_t k = 0; k < n.count; k++) {
      for (int32_t f = 0; f < 6; f++) {
        *own_at(ground, SYMMETRIC_FLOATS, n.row[k] * p.coarse_pitch + n.column[k], f) += n.weight[k] * block[f];
      }
    }
  }
}
