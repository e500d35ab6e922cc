#pragma once
#include "access.h"
#include "bend.h"
#include "block3.h"
#include "compiler.h"
#include "lanes.h"
#include "layout.h"
#include "scalar.h"
#include "seam.h"
#include "springs.h"
#include "types.h"

/// Preconditioner ///

/*
 * One 3x3 block a particle, see block3.h, made in three stages that build_preconditioner() runs: the diagonal blocks C
 * of A by masses and implicit springs; S C S + c (I - S) for confined and sliding particles; the inverse, projected
 * again.
 *
 * In: plan modes, operator_blocks, bend_slopes, seam, state.position, mass ratios, scratch.mobility, confinements,
 * contacts with scratch.contact_normal. Out: scratch.inverse, six floats a particle at a stride. Scratch: none else.
 */

CLOTH_INLINE symmetric symmetric_load(const cloth *c, int32_t i) {
  return symmetric_at(floats_at(c, c->scratch.inverse) + i, c->stride);
}

CLOTH_INLINE void symmetric_store(const cloth *c, int32_t i, symmetric m, int32_t count) {
  symmetric_store_at(floats_at(c, c->scratch.inverse) + i, c->stride, m, count);
}

/* Values of the operator for a block of cells, or, with `before`, for the cells one column to their left (0 left of the
   first column). `part` 0..15 is direction times OPERATOR_FLOATS plus the index of the value. */
CLOTH_INLINE lanes operator_load(const cloth *c, int32_t row, int32_t column, int32_t part, int before) {
  const float *tiles = tiles_of(c, row);
  lanes here = lanes_load(tiles + tile_offset(column) + part * tile_width(c, column));
  if (!before) {
    return here;
  }
  int32_t previous = column - CLOTH_LANES;
  if (previous < 0) {
    return lanes_shifted(lanes_splat(0.0f), here);
  }
  return lanes_shifted(lanes_load(tiles + tile_offset(previous) + part * tile_width(c, previous)), here);
}

/* Adds to m the blocks of the springs of direction d that operator_load() finds. */
CLOTH_INLINE void add_operator_block(const cloth *c, symmetric *m, int32_t row, int32_t column, int32_t d, int before) {
  int32_t part = OPERATOR_FLOATS * d;
  lanes3 w = lanes3_of(operator_load(c, row, column, part, before), operator_load(c, row, column, part + 1, before),
                       operator_load(c, row, column, part + 2, before));
  symmetric_add_outer(m, w, w, operator_load(c, row, column, part + 3, before));
}

/* Adds to m the blocks of the bend springs of direction d that the cells from one on keep. Where there is no spring the
   slope is 0. */
CLOTH_INLINE void add_bend_block(const cloth *c, symmetric *m, int32_t d, int32_t cell) {
  vector_array x = vectors_at(c, c->state.position);
  int32_t i = cell + 2 * spring_start(d);
  int32_t j = cell + 2 * spring_end(c, d);
  lanes3 span = lanes3_quantise(lanes3_subtract(lanes3_load(x, j), lanes3_load(x, i)), WORK_ROUNDER);
  lanes slope = lanes_load(bend_slopes_of(c, d) + cell);
  symmetric_add_outer(m, lanes3_scale(span, slope), span, lanes_splat(0.0f));
}

/* Adds to m, for the particles from (row, column) on, the blocks of the springs of direction d that start or end there.
 */
CLOTH_INLINE void add_spring_blocks(const cloth *c, const step_plan *plan, symmetric *m, int32_t d, int32_t row,
                                    int32_t column) {
  if (plan->spring[d].mode < CLOTH_MODE_IMPLICIT) {
    return;
  }
  add_operator_block(c, m, row, column, d, d == ANTIDIAGONAL);
  if (d == WARP || row > 0) {
    add_operator_block(c, m, d == WARP ? row : row - 1, column, d, d == WARP || d == DIAGONAL);
  }
}

/* Adds to m, for the particles from i on, the blocks of the bend springs of direction d that start or end there. */
CLOTH_INLINE void add_bend_blocks(const cloth *c, symmetric *m, int32_t d, int32_t row, int32_t i) {
  if (d == WARP || row + 2 < c->grid.rows) {
    add_bend_block(c, m, d, i - 2 * spring_start(d));
  }
  if (d == WARP || row >= 2) {
    add_bend_block(c, m, d, i - 2 * spring_end(c, d));
  }
}

/* Sets scratch.inverse to C, the diagonal blocks of A. */
CLOTH_HOT CLOTH_SEPARATE void set_diagonal_blocks(const cloth *c, const step_plan *plan) {
  for (int32_t row = 0; row < c->grid.rows; row++) {
    for (int32_t column = 0; column < c->grid.columns; column += CLOTH_LANES) {
      int32_t i = row * c->grid.columns + column;
      symmetric m = symmetric_identity(mass_ratio_lanes(c, i));
      EACH_DIRECTION(d, add_spring_blocks(c, plan, &m, d, row, column));
      m = symmetric_quantise(m);
      if (plan->bend_mode == CLOTH_MODE_IMPLICIT) {
        EACH_DIRECTION(d, add_bend_blocks(c, &m, d, row, i));
      }
      symmetric_store(c, i, m, c->grid.columns - column);
    }
  }
}

/* Inverse of the part of m that the configured kind of preconditioner uses. Pivots are at least the mass ratio. */
static symmetric inverse_of_kind(const cloth *c, symmetric m, lanes mass) {
  lanes zero = lanes_splat(0.0f);
  if (c->settings.solver.preconditioner == CLOTH_PRECONDITIONER_NONE) {
    return symmetric_identity(lanes_splat(1.0f));
  }
  if (c->settings.solver.preconditioner == CLOTH_PRECONDITIONER_DIAGONAL) {
    m.xy = zero;
    m.xz = zero;
    m.yz = zero;
  }
  return symmetric_inverse(m, mass);
}

/* Replaces the blocks by their inverses, and those of pinned particles by 0. */
CLOTH_HOT static void invert_blocks(const cloth *c) {
  const float *mobility = floats_at(c, c->scratch.mobility);
  lanes zero = lanes_splat(0.0f);
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    symmetric inverse = inverse_of_kind(c, symmetric_load(c, i), mass_ratio_lanes(c, i));
    lanes_mask moves = lanes_less(zero, lanes_load(mobility + i));
    inverse = symmetric_scale(inverse, lanes_select(moves, lanes_splat(1.0f), zero));
    symmetric_store(c, i, symmetric_quantise(inverse), c->count - i);
  }
}

/* An entry of one particle's block, 0..5. For the few particles that are treated one at a time. */
static float *block_entry(const cloth *c, int32_t particle, int32_t entry) {
  return floats_at(c, c->scratch.inverse) + particle + entry * c->stride;
}

/* Entry of the stored block by row and column of the matrix. */
CLOTH_CONSTANT static const uint8_t block_index[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};

/* Replaces the block M of one particle by P M P, with P = I - n n^T, or P = n n^T if `onto`. By two products: the
   shorter M - n (M n)^T - (M n) n^T + (n.M n) n n^T leaves rounding errors along n that cost iterations (sliding over a
   sphere in `make thesis`: 92 in place of 86 at kappa 10000). */
static void project_block(const cloth *c, int32_t particle, cloth_vector n, int onto) {
  float axis[3] = {n.x, n.y, n.z};
  float p[3][3];
  float pm[3][3];
  for (int r = 0; r < 3; r++) {
    for (int s = 0; s < 3; s++) {
      float outer = flush_small(axis[r] * axis[s], WORK_QUANTUM);
      p[r][s] = onto ? outer : (r == s ? 1.0f : 0.0f) - outer;
    }
  }
  for (int r = 0; r < 3; r++) {
    for (int s = 0; s < 3; s++) {
      pm[r][s] = 0.0f;
      for (int t = 0; t < 3; t++) {
        pm[r][s] += p[r][t] * *block_entry(c, particle, block_index[t][s]);
      }
      pm[r][s] = flush_small(pm[r][s], WORK_QUANTUM);
    }
  }
  for (int r = 0; r < 3; r++) {
    for (int s = r; s < 3; s++) {
      float sum = 0.0f;
      for (int t = 0; t < 3; t++) {
        sum += pm[r][t] * p[t][s];
      }
      *block_entry(c, particle, block_index[r][s]) = (sum + WORK_ROUNDER) - WORK_ROUNDER;
    }
  }
}

/* Adds s n n^T, or s (I - n n^T) unless `along`, to the block of one particle. */
static void fill_block(const cloth *c, int32_t particle, cloth_vector n, int along, float s) {
  float axis[3] = {n.x, n.y, n.z};
  for (int r = 0; r < 3; r++) {
    for (int t = r; t < 3; t++) {
      float outer = flush_small(axis[r] * axis[t], WORK_QUANTUM);
      *block_entry(c, particle, block_index[r][t]) += s * (along ? outer : (r == t ? 1.0f : 0.0f) - outer);
    }
  }
}

#if WITH_WRAP

/* Adds w w^T + beta I to the block of one particle. */
static void add_seam_block(const cloth *c, int32_t particle, const float *w, float beta) {
  for (int r = 0; r < 3; r++) {
    for (int t = r; t < 3; t++) {
      float value = w[r] * w[t] + (r == t ? beta : 0.0f);
      *block_entry(c, particle, block_index[r][t]) += (value + WORK_ROUNDER) - WORK_ROUNDER;
    }
  }
}

/* Adds the blocks of the implicit springs across the seam to C. */
CLOTH_SEPARATE void add_seam_blocks(const cloth *c, const step_plan *plan) {
  const int32_t part = seam_rows(c);
  for (int32_t n = 0; n < seam_lines(c); n++) {
    seam_line line = seam_line_at(c, plan, n);
    for (int32_t row = 0; line.mode >= CLOTH_MODE_IMPLICIT && row < line.rows; row++) {
      const float *block = line.blocks + row;
      float w[3] = {block[0], block[part], block[2 * part]};
      add_seam_block(c, line.from + row * c->grid.columns, w, block[3 * part]);
      add_seam_block(c, line.to + row * c->grid.columns, w, block[3 * part]);
    }
  }
}

#endif

/* Replaces the block C of a particle confined to the plane with normal n, or to the line along n if `to_line`, by
   S C S + c (I - S), c being the mean of C's diagonal: the form to invert. */
static void constrain_block(const cloth *c, int32_t particle, cloth_vector n, int to_line) {
  float trace = *block_entry(c, particle, 0) + *block_entry(c, particle, 1) + *block_entry(c, particle, 2);
  project_block(c, particle, n, to_line);
  fill_block(c, particle, n, !to_line, trace * 0.33333334f);
}

/* Calls act(c, particle, direction, to_line) for every particle that is confined to a line or plane, and for every one
   that a sliding contact confines to the plane with the contact's normal. */
static void for_each_constrained(const cloth *c, void (*act)(const cloth *, int32_t, cloth_vector, int)) {
  const confinement *list = confined_of(c);
  for (int32_t i = 0; WITH_CONFINED && i < inputs_of(c)->confined_count; i++) {
    act(c, list[i].particle, list[i].direction, list[i].freedom == FREEDOM_LINE);
  }
  for (int32_t i = 0; has_solver_contacts(c) && i < c->count; i++) {
    if (CONTACT_KIND(contact_info_of(c)[i]) == CONTACT_SLIDE) {
      act(c, i, vector_load(vectors_at(c, c->scratch.contact_normal), i), 0);
    }
  }
}

/* Sets the blocks of particles held by static friction to 0: S = 0. */
static void clear_sticking_blocks(const cloth *c) {
  for (int32_t i = 0; has_solver_contacts(c) && i < c->count; i++) {
    for (int32_t entry = 0; CONTACT_KIND(contact_info_of(c)[i]) == CONTACT_STICK && entry < 6; entry++) {
      *block_entry(c, i, entry) = 0.0f;
    }
  }
}
