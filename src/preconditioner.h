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

CLOTH_INLINE symmetric symmetric_load(const cloth *c, int32_t i) {
  return symmetric_at(floats_at(c, c->scratch.inverse) + i, c->stride);
}

/* Stores the first `count` lanes. */
CLOTH_INLINE void symmetric_store(const cloth *c, int32_t i, symmetric m, int32_t count) {
  float *f = floats_at(c, c->scratch.inverse) + i;
  lanes_store_first(f, m.xx, count);
  lanes_store_first(f + c->stride, m.yy, count);
  lanes_store_first(f + 2 * c->stride, m.zz, count);
  lanes_store_first(f + 3 * c->stride, m.xy, count);
  lanes_store_first(f + 4 * c->stride, m.xz, count);
  lanes_store_first(f + 5 * c->stride, m.yz, count);
}

/* One of the operator's sixteen floats at a block of places or, if `before`, at the places one column earlier. */
CLOTH_INLINE lanes operator_load(const cloth *c, int32_t row, int32_t column, int32_t part, int before) {
  const float *tiles = tiles_of(c, row);
  lanes here = lanes_load(tiles + tile_offset(column) + part * tile_width(c, column));
  if (!before) {
    return here;
  }
  int32_t earlier = column - CLOTH_LANES;
  if (earlier < 0) {
    return lanes_shifted(lanes_splat(0.0f), here);
  }
  return lanes_shifted(lanes_load(tiles + tile_offset(earlier) + part * tile_width(c, earlier)), here);
}

/* Adds to m the blocks of springs of one direction, kept there. */
CLOTH_INLINE void add_operator_block(const cloth *c, symmetric *m, int32_t row, int32_t column, int32_t d, int before) {
  int32_t part = OPERATOR_FLOATS * d;
  lanes3 w = lanes3_of(operator_load(c, row, column, part, before), operator_load(c, row, column, part + 1, before),
                       operator_load(c, row, column, part + 2, before));
  symmetric_add_outer(m, w, w, operator_load(c, row, column, part + 3, before));
}

/* Adds to m the block of the bend spring of a direction that is kept at a place. Where there is none the slope is 0. */
CLOTH_INLINE void add_bend_block(const cloth *c, symmetric *m, int32_t d, int32_t place) {
  vector_array x = vectors_at(c, c->state.position);
  int32_t i = place + 2 * spring_start(d);
  int32_t j = place + 2 * spring_end(c, d);
  lanes3 span = lanes3_quantise(lanes3_subtract(lanes3_load(x, j), lanes3_load(x, i)), WORK_ROUNDER);
  lanes slope = lanes_load(bend_slopes_of(c, d) + place);
  symmetric_add_outer(m, lanes3_scale(span, slope), span, lanes_splat(0.0f));
}

/* Adds to m the blocks of one direction's springs that start at a block of particles and that end there. */
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

CLOTH_INLINE void add_bend_blocks(const cloth *c, symmetric *m, int32_t d, int32_t row, int32_t i) {
  if (d == WARP || row + 2 < c->grid.rows) {
    add_bend_block(c, m, d, i - 2 * spring_start(d));
  }
  if (d == WARP || row >= 2) {
    add_bend_block(c, m, d, i - 2 * spring_end(c, d));
  }
}

/* Stores C, the diagonal blocks of A, where the inverse will be. */
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

/* Replaces C by the preconditioner of particles that are free or pinned: the inverse, or 0. */
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

/* One particle's block. These run on few particles and one at a time. */
static float *block_entry(const cloth *c, int32_t particle, int32_t entry) {
  return floats_at(c, c->scratch.inverse) + particle + entry * c->stride;
}

CLOTH_CONSTANT static const uint8_t block_index[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};

/* P M P for the block of one particle, with the projection P = I - n n^T, or P = n n^T if `onto`. Two products, not the
   shorter M - n (M n)^T - (M n) n^T + ...: what that leaves along n costs half as many iterations again (measured). */
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
      *block_entry(c, particle, block_index[r][s]) = quantise(sum, WORK_ROUNDER);
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
      *block_entry(c, particle, block_index[r][t]) += quantise(value, WORK_ROUNDER);
    }
  }
}

/* Adds the blocks of the springs across the seam to C. */
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

/* Turns the block C of a particle confined to the plane with normal n (or to the line along n) into its constrained
   form S C S + c (I - S), before inversion. */
static void constrain_block(const cloth *c, int32_t particle, cloth_vector n, int to_line) {
  float trace = *block_entry(c, particle, 0) + *block_entry(c, particle, 1) + *block_entry(c, particle, 2);
  project_block(c, particle, n, to_line);
  fill_block(c, particle, n, !to_line, trace * 0.33333334f);
}

/* Calls `act` for every particle that is confined, or held in a plane by a sliding contact. */
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

/* A particle held by static friction has no freedom left. */
static void clear_sticking_blocks(const cloth *c) {
  for (int32_t i = 0; has_solver_contacts(c) && i < c->count; i++) {
    for (int32_t entry = 0; CONTACT_KIND(contact_info_of(c)[i]) == CONTACT_STICK && entry < 6; entry++) {
      *block_entry(c, i, entry) = 0.0f;
    }
  }
}
