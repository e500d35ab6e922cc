#pragma once
#include "access.h"
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
 * The block preconditioner of conjugate gradient: for each particle the symmetric matrix S (S C S + s (I - S))^-1 S,
 * where C is the particle's diagonal block of A and S projects onto its free directions (thesis eq. 5.4 in symmetric
 * form). s, a third of the trace of C, keeps what is inverted well scaled. The matrix maps any residual into the free
 * directions, so neither residual nor product needs filtering, and the unfiltered residual is the constraint force.
 * The caller, build_preconditioner(), runs the steps in order: C, with the seam; constrain; invert; project; clear.
 * In: operator_blocks, seam, mobility, the mass ratios, the
 * confinements, the contacts and contact_normal. Out: scratch.inverse. Scratch: inverse holds C until it is inverted.
 */

CLOTH_INLINE symmetric symmetric_load(const cloth *c, int32_t i) {
  return symmetric_at(floats_at(c, c->scratch.inverse) + i, c->stride);
}

CLOTH_INLINE void symmetric_store(const cloth *c, int32_t i, symmetric m, int32_t count) {
  float *f = floats_at(c, c->scratch.inverse) + i;
  lanes_store_first(f, m.xx, count);
  lanes_store_first(f + c->stride, m.yy, count);
  lanes_store_first(f + 2 * c->stride, m.zz, count);
  lanes_store_first(f + 3 * c->stride, m.xy, count);
  lanes_store_first(f + 4 * c->stride, m.xz, count);
  lanes_store_first(f + 5 * c->stride, m.yz, count);
}

/* Float `part` of the CELL_FLOATS that the operator stores for a cell: for a block of cells that starts at `column` or,
   if `shifted`, for the block one column to the left, with 0 to the left of column 0. */
CLOTH_INLINE lanes operator_load(const cloth *c, int32_t row, int32_t column, int32_t part, int shifted) {
  const float *tiles = tiles_of(c, row);
  lanes here = lanes_load(tiles + tile_offset(column) + part * tile_width(c, column));
  if (!shifted) {
    return here;
  }
  int32_t left = column - CLOTH_LANES;
  if (left < 0) {
    return lanes_shifted(lanes_splat(0.0f), here);
  }
  return lanes_shifted(lanes_load(tiles + tile_offset(left) + part * tile_width(c, left)), here);
}

/* Adds to m the blocks of the springs of direction d that are stored at a block of cells, chosen as in operator_load().
 */
CLOTH_INLINE void add_operator_block(const cloth *c, symmetric *m, int32_t row, int32_t column, int32_t d,
                                     int shifted) {
  int32_t part = OPERATOR_FLOATS * d;
  lanes3 w = lanes3_of(operator_load(c, row, column, part, shifted), operator_load(c, row, column, part + 1, shifted),
                       operator_load(c, row, column, part + 2, shifted));
  symmetric_add_outer(m, w, w, operator_load(c, row, column, part + 3, shifted));
}

/* Adds to m, the blocks C of a block of particles, those of the springs of direction d that start there and that end
   there. The former are stored at the particles' own cells, for antidiagonals at those one column to the left; the
   latter one column to the left (WARP), one row up (WEFT, ANTIDIAGONAL), or both (DIAGONAL). */
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

/* Stores C, the diagonal blocks of A without the springs across the seam, in scratch.inverse. */
CLOTH_HOT CLOTH_SEPARATE void set_diagonal_blocks(const cloth *c, const step_plan *plan) {
  for (int32_t row = 0; row < c->grid.rows; row++) {
    for (int32_t column = 0; column < c->grid.columns; column += CLOTH_LANES) {
      int32_t i = row * c->grid.columns + column;
      symmetric m = symmetric_identity(mass_ratio_lanes(c, i));
      EACH_DIRECTION(d, add_spring_blocks(c, plan, &m, d, row, column));
      symmetric_store(c, i, symmetric_quantise(m), c->grid.columns - column);
    }
  }
}

/* Inverse of a block of A as the configured preconditioner takes it: I, 1 over the diagonal, or the full inverse. */
static symmetric inverse_of_kind(const cloth *c, symmetric m, lanes mass_ratio) {
  lanes zero = lanes_splat(0.0f);
  if (c->settings.solver.preconditioner == CLOTH_PRECONDITIONER_NONE) {
    return symmetric_identity(lanes_splat(1.0f));
  }
  if (c->settings.solver.preconditioner == CLOTH_PRECONDITIONER_DIAGONAL) {
    m.xy = zero;
    m.xz = zero;
    m.yz = zero;
  }
  return symmetric_inverse(m, mass_ratio);
}

/* Replaces the blocks by their inverses, and by 0 for particles that cannot move (mobility 0). */
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

/* One float of one particle's block, by its index in the order of symmetric. The functions below handle one particle at
   a time, as only constrained particles and those at the seam need them. */
static float *block_entry(const cloth *c, int32_t particle, int32_t entry) {
  return floats_at(c, c->scratch.inverse) + particle + entry * c->stride;
}

/* Index in the order of symmetric of the entry in a row and a column. */
CLOTH_CONSTANT static const uint8_t block_index[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};

/* Replaces the block M of one particle by P M P, with P = I - n n^T, the projection onto the plane with normal n, or
   P = n n^T, onto the line along n, if `to_line`. Two matrix products and not the shorter
   M - n (M n)^T - (M n) n^T + (n . M n) n n^T: its rounding errors leave a part along n, which costs iterations. */
static void project_block(const cloth *c, int32_t particle, cloth_vector n, int to_line) {
  float axis[3] = {n.x, n.y, n.z};
  float p[3][3];
  float pm[3][3];
  for (int r = 0; r < 3; r++) {
    for (int s = 0; s < 3; s++) {
      float outer = flush_small(axis[r] * axis[s], WORK_QUANTUM);
      p[r][s] = to_line ? outer : (r == s ? 1.0f : 0.0f) - outer;
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
      *block_entry(c, particle, block_index[r][s]) = quantise(sum, WORK_ROUNDER);
    }
  }
}

/* Adds s n n^T if `along`, else s (I - n n^T), to the block of one particle. */
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

/* Adds the block w w^T + beta I of a spring to the block of one particle. */
static void add_seam_block(const cloth *c, int32_t particle, const float *w, float beta) {
  for (int r = 0; r < 3; r++) {
    for (int t = r; t < 3; t++) {
      float value = w[r] * w[t] + (r == t ? beta : 0.0f);
      *block_entry(c, particle, block_index[r][t]) += quantise(value, WORK_ROUNDER);
    }
  }
}

/* Adds the blocks of the implicit springs across the seam to the blocks C of the particles at both ends. */
CLOTH_SEPARATE void add_seam_blocks(const cloth *c, const step_plan *plan) {
  const int32_t part = seam_rows(c);
  for (int32_t n = 0; n < SEAM_SPRINGS; n++) {
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

#define ONE_THIRD 0.33333334f

/* Replaces the block C of a particle confined to the plane with normal n, or to the line along n, by its constrained
   form S C S + s (I - S), where s is the mean of the diagonal of C. Inverting follows. */
static void constrain_block(const cloth *c, int32_t particle, cloth_vector n, int to_line) {
  float trace = *block_entry(c, particle, 0) + *block_entry(c, particle, 1) + *block_entry(c, particle, 2);
  project_block(c, particle, n, to_line);
  fill_block(c, particle, n, !to_line, trace * ONE_THIRD);
}

/* A function of a particle that may move in the plane with normal n only, or along n only if `to_line`. */
typedef void (*constrained_action)(const cloth *c, int32_t particle, cloth_vector n, int to_line);

/* Calls `act` for every particle that is confined, and for every one that a sliding contact holds in a plane. */
static void for_each_constrained(const cloth *c, constrained_action act) {
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

/* Sets the blocks of particles that static friction holds to 0: they have no free direction. */
static void clear_sticking_blocks(const cloth *c) {
  for (int32_t i = 0; has_solver_contacts(c) && i < c->count; i++) {
    if (CONTACT_KIND(contact_info_of(c)[i]) != CONTACT_STICK) {
      continue;
    }
    for (int32_t entry = 0; entry < SYMMETRIC_FLOATS; entry++) {
      *block_entry(c, i, entry) = 0.0f;
    }
  }
}
