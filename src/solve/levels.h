#pragma once
#include "../base/block3.h"
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../base/rows.h"
#include "../base/scalar.h"
#include "../cloth/access.h"
#include "../cloth/arrays.h"
#include "../cloth/gaps.h"
#include "../cloth/types.h"
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
  const level_pair p = {.columns = finer ? finer->columns : c->grid.columns,
                        .rows = finer ? finer->rows : c->grid.rows,
                        .pitch = finer ? finer->pitch : pitch_of(c),
                        .coarse_columns = l->columns,
                        .coarse_rows = l->rows,
                        .coarse_pitch = l->pitch,
                        .transfer = l->transfer,
                        .row = floats_at(c, c->scratch.transfer) + TRANSFER_PAD,
                        .places = transfer_places(pitch_of(c))};
  return p;
}

/* Without levels. */
static level_pair no_pair(void) {
  level_pair p;
  fill_zero(&p, sizeof p);
  return p;
}

/* The weights of what holds particles, as a row of one float each, into the transfer row: mass and whatever is
   isotropic, and the blocks of the air as if they were; at pins their part of the plate. */
CLOTH_INLINE lanes held_by(const solve_arrays *a, int32_t i, lanes plate) {
  lanes held = lanes_load(a->diagonal + i);
  const lanes_mask moves = lanes_less(lanes_splat(0.0f), held);
  if (a->air) {
    const lanes3 w = own_load(a->air, i);
    held = lanes_add(held, lanes3_dot(w, w));
  }
  if (a->factors) { plate = lanes_multiply(plate, lanes_load(OWN(a->factors, FACTOR_FLOATS, i, FACTOR_PLATE))); }
  return lanes_select(moves, held, plate);
}

/* G of the first coarse level in the rows `first` up to `end`: what holds the particles, without springs to pins.
   `plate`: part of the plate on the diagonal of a pin. */
CLOTH_SEPARATE void restrict_held(const cloth *c, const solve_arrays *a, const level_pair *pair, float plate,
                                  int32_t first, int32_t end) {
  const level_pair p = *pair;
  float *ground = level_ground(c, 0), *line = p.row;
  const lanes zero = lanes_splat(0.0f), pin = lanes_splat(plate);
  for (int32_t row = first; row < end; row++) {
    const row_stencil s = stencil_of(&p, row);
    const int adds = ground_of_row(a, s.row[0]) || ground_of_row(a, s.row[1]) || ground_of_row(a, s.row[2]);
    if (adds) { restrict_blocks(&p, a->ground, ground, 1.0f, row, row + 1); }
    for (int32_t i = 0; i < p.columns; i += CLOTH_LANES) {
      lanes sum = zero;
      for (int32_t n = 0; n < 3; n++) {
        const lanes held = held_by(a, s.row[n] * p.pitch + i, pin);
        sum = lanes_add(sum, lanes_multiply(held, lanes_splat(s.weight[n])));
      }
      lanes_store(line + i, p.columns - i < CLOTH_LANES ? lanes_within(sum, p.columns - i) : sum);
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

/* Adds a block of a particle, with the weights of its nodes, to G of the first coarse level. */
static void add_to_ground(const level_pair *p, float *ground, int32_t row, int32_t column, const float block[6]) {
  const int32_t keeps_rows = p->coarse_rows == p->rows, keeps_columns = p->transfer == TRANSFER_KEPT;
  const int32_t above = keeps_rows ? row : row / 2, left = keeps_columns ? column : column / 2;
  const int32_t rows = keeps_rows ? 1 : 1 + row % 2;
  int32_t nodes[2] = {left, left + 1}, columns = keeps_columns ? 1 : 1 + column % 2;
  float weights[2] = {columns == 2 ? 0.5f : 1.0f, 0.5f};
  if (p->transfer == TRANSFER_RING_LONG && column >= p->columns - 2) {
    const int32_t is_last = column == p->columns - 1;
    nodes[0] = p->coarse_columns - 1;
    columns = 2;
    weights[0] = is_last ? 1.0f / 3.0f : 2.0f / 3.0f;
    weights[1] = 1.0f - weights[0];
  }
  nodes[1] = p->transfer >= TRANSFER_RING && nodes[0] + 1 == p->coarse_columns ? 0 : nodes[0] + 1;
  for (int32_t r = 0; r < rows; r++) {
    for (int32_t q = 0; q < columns; q++) {
      const float weight = weights[q] * (rows == 2 ? 0.5f : 1.0f);
      float *to = own_at(ground, SYMMETRIC_FLOATS, (above + r) * p->coarse_pitch + nodes[q], 0);
      CLOTH_UNROLL
      for (int32_t n = 0; n < SYMMETRIC_FLOATS; n++) {
        to[n * CLOTH_LANES] += weight * block[n];
      }
    }
  }
}

/* Where the spring between a particle and one beside it is: its first particle's place, and its direction. */
typedef struct spring_place {
  int32_t row, column, direction;
} spring_place;

/* The spring from a particle to the one `down` rows and `right` columns on, each -1..1. */
static spring_place spring_between(int32_t row, int32_t column, int32_t down, int32_t right) {
  const int32_t is_up = down < 0 || (down == 0 && right < 0);
  const int32_t d = down == 0 ? WARP : right == 0 ? WEFT : down == right ? DIAGONAL : ANTIDIAGONAL;
  const spring_place s = {.row = is_up ? row + down : row, .column = is_up ? column + right : column, .direction = d};
  return s;
}

/* The block of the spring between two particles, from what the springs' linearisation has stored. */
static void stored_block(const solve_arrays *a, const spring_place *s, cloth_vector d, float block[6]) {
  const int32_t i = s->row * a->pitch + (s->column + a->columns) % a->columns;
  const float across = *own_at(a->springs, SPRING_FLOATS, i, SPRING_ACROSS(s->direction));
  const float along = *own_at(a->springs, SPRING_FLOATS, i, SPRING_ALONG(s->direction));
  block[0] = across + along * d.x * d.x;
  block[1] = across + along * d.y * d.y;
  block[2] = across + along * d.z * d.z;
  block[3] = along * d.x * d.y;
  block[4] = along * d.x * d.z;
  block[5] = along * d.y * d.z;
}

/* Is there a particle at a place beside one? Tubes close. */
static int has_place(const solve_arrays *a, int32_t row, int32_t column) {
  return row >= 0 && row < a->rows && (a->is_ring || (column >= 0 && column < a->columns));
}

/* Adds the springs from a pin to particles that move to G of the first coarse level. */
static void add_springs_of_pin(const cloth *c, const solve_arrays *a, const level_pair *p, int32_t particle) {
  const int32_t row = particle / a->columns, column = particle - row * a->columns;
  float *ground = level_ground(c, 0), block[6];
  for (int32_t down = -1; down <= 1; down++) {
    for (int32_t right = -1; right <= 1; right++) {
      if ((down == 0 && right == 0) || !has_place(a, row + down, column + right)) { continue; }
      const int32_t near = (column + right + a->columns) % a->columns, other = row + down;
      if (*own_at(a->diagonal, 1, other * a->pitch + near, 0) > 0.0f) {
        const spring_place s = spring_between(row, column, down, right);
        const cloth_vector d = vector_subtract(near_vector(near_row(a->place, a->pitch, row), a->plane, column),
                                               near_vector(near_row(a->place, a->pitch, other), a->plane, near));
        stored_block(a, &s, d, block);
        add_to_ground(p, ground, other, near, block);
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

/* The plate's part on the diagonal of inner particles. */
static float plate_diagonal(const substep_terms *t) {
  return (1.0f + t->viscosity) * (6.0f * (t->hinge[WARP] + t->hinge[WEFT]) + 4.0f * t->twist);
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
