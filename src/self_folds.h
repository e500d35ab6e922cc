#pragma once
#include "compiler.h"
#include "gaps.h"
#include "lanes.h"
#include "rest_lengths.h"
#include "scalar.h"
#include "self_batches.h"
#include "self_rims.h"
#include "self_tree.h"
#include "self_untangle.h"
#include "stiffness.h"
#include "types.h"

/// Folds ///

#if WITH_SELF

/*
 * How tightly a sheet folds. In a fold one cell wide the edges and diagonals of neighbouring cells can pass each other
 * although no particle is inside the thickness of a triangle: between the crest and the next particles two layers are
 * half as far apart as those particles. Cloth of thickness T does not fold so: half a spacing from the crest its layers
 * are T apart, so that the particles before and after the crest are 2 T apart. Two particles of a row, a column or a
 * diagonal with one between them are therefore kept SELF_FOLD T apart, or half as far as at rest where that is less, as
 * on the short diagonals of a skew grid. And the diagonals of two cells side by side, which lie across the crest like
 * the strokes of an X if the fold is twisted, are kept SELF_DIAGONAL T apart. Not where the cloth between them is
 * absent, or where they are sewn together.
 *
 * In: positions at the start of the substep, predicted positions, velocities, mobilities. Out: predicted positions,
 * velocities, the velocity history of what was moved. Scratch: none.
 */

/* Least distance of two particles of a row, a column or a diagonal with one between them, over the thickness. */
#define SELF_FOLD 2.0f
/* Least distance of the diagonals of two cells side by side, over the thickness; half way they are T apart in a fold
   that is not twisted. */
#define SELF_DIAGONAL 0.75f
/* Distance of such diagonals, over the thickness, below which they are looked at one by one: where none of a block of
   cells has been moved yet, more than SELF_DIAGONAL by what rounding may change; then by what moving others may. */
#define SELF_DIAGONAL_CLOSE (1.01f * SELF_DIAGONAL)
#define SELF_DIAGONAL_NEAR 1.0f
/* Distance between the middles of such diagonals, over the thickness, below which they are looked at. */
#define SELF_DIAGONAL_REACH 1.5f

/* What stays the same while the folds of a cloth are opened. */
typedef struct fold_context {
  const self_group *g;
  int32_t member;
  const self_body *b;
  float least, inverse_h;
  self_pair law;
} fold_context;

/* Particles of blocks that may have folds, pairs of them that were looked at one by one, and those that were moved
 * apart. */
typedef struct fold_tally {
  int32_t noted, looked_at, opened;
  int32_t crossed, parted; /* pairs of diagonals that may be too close, and those that were moved apart */
} fold_tally;

/* From the first to the last of three particles along each direction of springs: rows and columns. */
CLOTH_CONSTANT static const int8_t fold_rows[DIRECTIONS] = {0, 2, 2, 2};
CLOTH_CONSTANT static const int8_t fold_columns[DIRECTIONS] = {2, 0, 2, -2};

/* Three particles in a row along a direction. */
typedef struct fold_place {
  int32_t direction, first, middle, last;
} fold_place;

/* The particle before another one in its row. */
CLOTH_INLINE int32_t particle_before(const self_body *b, int32_t particle) {
  return particle - 1 + (particle % b->columns > 0 ? 0 : b->columns);
}

/* Is there cloth from the first of three particles to the last? */
static int is_cloth_along(const self_body *b, const fold_place *p) {
  if (p->direction <= WEFT) {
    return !is_gap(b->c, p->middle, p->direction == WARP ? GAP_HINGE_WARP : GAP_HINGE_WEFT);
  }
  const int is_anti = p->direction == ANTIDIAGONAL;
  return !is_gap(b->c, is_anti ? particle_before(b, p->first) : p->first, GAP_CELL) &&
         !is_gap(b->c, is_anti ? particle_before(b, p->middle) : p->middle, GAP_CELL);
}

/* 1 if the first and the last of three particles are sewn together. */
static int is_sewn_fold(const fold_context *f, const fold_place *p) {
#if WITH_SEAMS
  return f->g->sewn && are_sewn(f->g->sewn, f->member, p->first, f->member, p->last);
#else
  (void)f;
  (void)p;
  return 0;
#endif
}

/* 1 if the first and the last of three particles are tangled: what is folded inside out would be kept so. */
static int is_tangled_fold(const fold_context *f, const fold_place *p) {
  const uint8_t *ages = f->b->ages;
  return f->law.untangles && is_tangled_age(ages[p->first]) && is_tangled_age(ages[p->last]);
}

/* The distance that the first and the last of three particles keep. */
static float least_distance(const fold_context *f, const fold_place *p) {
  const cloth *c = f->b->c;
  const float factor =
      shape_factor(c, REST_LENGTH + p->direction, p->first) + shape_factor(c, REST_LENGTH + p->direction, p->middle);
  return minimum(f->least, 0.5f * direction_rest(c, p->direction) * factor);
}

/* Moves the first and the last of three particles apart if they are too close, along their connection, or along that at
   the start of the substep if it has turned round since. As in self_contact.h, velocities take on only what the two
   have closed in the substep. */
static void open_fold(const fold_context *f, const fold_place *p, fold_tally *tally) {
  const self_body *b = f->b;
  const int32_t particle[2] = {p->first, p->last};
  const cloth_vector d = exact_difference(vector_load(b->place, p->last), vector_load(b->place, p->first));
  const float square = vector_dot(d, d);
  tally->looked_at++;
  if (!(square < f->least * f->least)) {
    return;
  }
  const float least = least_distance(f, p);
  if (!(square < least * least) || !is_cloth_along(b, p) || is_sewn_fold(f, p) || is_tangled_fold(f, p)) {
    return;
  }
  const cloth_vector before = exact_difference(vector_load(b->start, p->last), vector_load(b->start, p->first));
  const cloth_vector n = self_unit(vector_dot(d, before) < 0.0f ? before : d);
  const float first = b->mobility[p->first], second = b->mobility[p->last];
  if (!(first + second > 0.0f)) {
    return;
  }
  const float push = quantise(least - vector_dot(d, n), WORK_ROUNDER);
  const float closed = quantise(vector_dot(before, n) - vector_dot(d, n), WORK_ROUNDER);
  const float stopped = minimum(push, maximum(closed, 0.0f)) * f->inverse_h;
  const float share[2] = {negate(first / (first + second)), second / (first + second)};
  for (int32_t k = 0; k < 2; k++) {
    if (share[k] < 0.0f || share[k] > 0.0f) {
      const int32_t i = particle[k];
      vector_store(b->place, i, vector_add_scaled(vector_load(b->place, i), n, push * share[k]));
      note_moved(b, i);
      vector_store(b->velocity, i, vector_add_scaled(vector_load(b->velocity, i), n, stopped * share[k]));
    }
  }
  tally->opened++;
}

/* Distance beyond that at which folds are opened, over the spacing, from which on they are looked at in a step. */
#define SELF_FOLD_SKIN 0.25f

/* How many particles on the last of three along a direction is from the first, unless they lead around a tube; 0 if the
   grid is too small for three. */
static int32_t fold_span(const self_body *b, int32_t direction) {
  const int fits = (fold_rows[direction] == 0 || b->rows > 2) && (fold_columns[direction] == 0 || b->columns > 2);
  return fits ? fold_rows[direction] * b->columns + fold_columns[direction] : 0;
}

/* Which of CLOTH_LANES particles from `i` on may be closer than `least` to that `apart` numbers on in the next `time`
   seconds, if both keep their velocities; 1 if any of the first `count`. */
CLOTH_REPEATED int may_come_close(const self_body *b, int32_t i, int32_t apart, int32_t count, float least,
                                  float time) {
  const lanes3 d = lanes3_exact_difference(lanes3_load(b->start, i + apart), lanes3_load(b->start, i));
  const lanes3 v = lanes3_exact_difference(lanes3_load(b->velocity, i + apart), lanes3_load(b->velocity, i));
  const lanes way = lanes_multiply(lanes_square_root(lanes3_dot(v, v)), lanes_splat(time));
  const lanes reach = lanes_add(way, lanes_splat(least));
  return lanes_any(lanes_both(lanes_less(lanes3_dot(d, d), lanes_multiply(reach, reach)), lanes_first(count)));
}

/* Notes which blocks of SELF_BATCH particles of a cloth may have folds in the next `time` seconds: a bit for each
   direction. */
CLOTH_HOT CLOTH_SEPARATE void note_folds(const self_body *b, float thickness, float time) {
  const float least = SELF_FOLD * thickness + SELF_FOLD_SKIN * b->spacing;
  fill_zero(b->folds, (size_t)(b->count / SELF_BATCH + 1));
  for (int32_t direction = 0; direction < DIRECTIONS; direction++) {
    const int32_t apart = fold_span(b, direction), end = apart > 0 ? b->count - apart : 0;
    for (int32_t i = 0; i < end; i += CLOTH_LANES) {
      const int is_close = may_come_close(b, i, apart, end - i, least, time);
      b->folds[i / SELF_BATCH] |= (uint8_t)(is_close << direction);
    }
  }
}

/* 1 if one of SELF_BATCH particles from i on may be too close to that `apart` numbers on, which need not be in its row.
   Out of reach of both, the lanes of the last block are read from the pad of the array and do not count. */
CLOTH_INLINE int may_have_folds(const fold_context *f, int32_t i, int32_t apart, int32_t end) {
  for (int32_t first = i; first < i + SELF_BATCH && first < end; first += CLOTH_LANES) {
    const lanes3 d = lanes3_exact_difference(lanes3_load(f->b->place, first + apart), lanes3_load(f->b->place, first));
    const lanes_mask close = lanes_less(lanes3_dot(d, d), lanes_splat(f->least * f->least));
    if (lanes_any(lanes_both(close, lanes_first(end - first)))) {
      return 1;
    }
  }
  return 0;
}

/* Moves the diagonals of the cell of a particle and of the cell beside it or below it apart, if they are too close.
   Returns 1 if it has. */
static int part_diagonals(const fold_context *f, int32_t direction, int32_t i, fold_tally *tally) {
  const self_body *b = f->b;
  const int32_t row = i / b->columns, column = i - row * b->columns;
  int32_t corner[4];
  tally->looked_at++;
  find_corners(b, row, column, corner);
  const int32_t other = corner[direction == WARP ? 1 : 3];
  const int32_t row_2 = other / b->columns, column_2 = other - row_2 * b->columns;
  if (!has_cell(b, row, column) || !has_cell(b, row_2, column_2)) {
    return 0;
  }
  const edge_pair p = {{b, b, b, b}, {i, corner[2], other, edge_end(b, other, SELF_EDGE_ACROSS)}};
  const cloth_vector first = exact_difference(vector_load(b->place, p.particle[2]), vector_load(b->place, i));
  const cloth_vector last =
      exact_difference(vector_load(b->place, p.particle[3]), vector_load(b->place, p.particle[1]));
  const cloth_vector sum = vector_add(first, last);
  const float reach = 2.0f * SELF_DIAGONAL_REACH * f->law.thickness;
  if (!(vector_dot(sum, sum) < reach * reach) || are_sewn_edges(f->g, f->member, f->member, p.particle)) {
    return 0;
  }
  self_pair law = f->law;
  law.thickness *= SELF_DIAGONAL;
  law.friction = 0.0f;
  tally->crossed++;
  const int are_parted = part_edges(&p, &law, f->inverse_h) > 0;
  tally->parted += are_parted;
  return are_parted;
}

/* The same for the cells that lead around a tube. */
static void part_diagonals_around(const fold_context *f, fold_tally *tally) {
  const int32_t columns = f->b->columns;
  for (int32_t row = 0; row + 1 < f->b->rows; row++) {
    const int32_t end = (row + 1) * columns;
    part_diagonals(f, WARP, end - 2, tally);
    part_diagonals(f, WARP, end - 1, tally);
    part_diagonals(f, WEFT, end - 1, tally);
  }
}

/* Cells of a block whose diagonals are closer than SELF_DIAGONAL_NEAR, and SELF_DIAGONAL_CLOSE, to those of the cells
   beside or below them, a bit each. */
typedef struct crossed_diagonals {
  uint32_t near, close;
} crossed_diagonals;

/* The crossed diagonals of SELF_BATCH cells from particle i on and the cells `apart` numbers on. */
CLOTH_INLINE crossed_diagonals find_crossed(const fold_context *f, int32_t i, int32_t apart, int32_t end) {
  const vector_array at = f->b->place;
  const float reach = 2.0f * SELF_DIAGONAL_REACH * f->law.thickness;
  const int32_t across = f->b->columns + 1;
  crossed_diagonals crossed = {0, 0};
  for (int32_t k = i; k < i + SELF_BATCH && k < end; k += CLOTH_LANES) {
    const lanes3 first = lanes3_exact_difference(lanes3_load(at, k + apart), lanes3_load(at, k));
    const lanes3 last = lanes3_exact_difference(lanes3_load(at, k + apart + across), lanes3_load(at, k + across));
    const lanes3 sum = lanes3_add(first, last);
    const lanes_mask near =
        lanes_both(lanes_less(lanes3_dot(sum, sum), lanes_splat(reach * reach)), lanes_first(end - k));
    if (lanes_any(near)) {
      const lanes3 d = lanes3_exact_difference(lanes3_load(at, k + across), lanes3_load(at, k));
      const lanes3 e = lanes3_exact_difference(lanes3_load(at, k + apart + across), lanes3_load(at, k + apart));
      const lanes3 r = lanes3_exact_difference(lanes3_load(at, k), lanes3_load(at, k + apart));
      const float thickness = f->law.thickness;
      const uint32_t bits = lanes_bits(lanes_both(near, are_closer(d, e, r, SELF_DIAGONAL_NEAR * thickness)));
      crossed.near |= bits << (k - i);
      crossed.close |= bits ? (bits & lanes_bits(are_closer(d, e, r, SELF_DIAGONAL_CLOSE * thickness))) << (k - i) : 0u;
    }
  }
  return crossed;
}

/* Parts the diagonals of SELF_BATCH cells from particle i on and of those beside or below them. */
static void part_block(const fold_context *f, int32_t direction, int32_t i, fold_tally *tally) {
  const int32_t apart = direction == WARP ? 1 : f->b->columns, end = f->b->count - apart - f->b->columns - 1;
  const crossed_diagonals crossed = find_crossed(f, i, apart, end);
  tally->noted += SELF_BATCH;
  for (uint32_t left = crossed.close; left; left &= left - 1u) {
    const int32_t n = first_bit(left), k = i + n;
    if (k % f->b->columns + 1 + (direction == WARP) < f->b->columns && part_diagonals(f, direction, k, tally)) {
      left |= crossed.near & ~((1u << n) - 1u);
    }
  }
}

/* Opens what is folded too tightly along a direction from SELF_BATCH particles on, unless nothing there is too close.
 */
static void open_block(const fold_context *f, int32_t direction, int32_t i, fold_tally *tally) {
  const int32_t apart = fold_span(f->b, direction), end = f->b->count - apart;
  tally->noted += SELF_BATCH;
  if (direction <= WEFT) {
    part_block(f, direction, i, tally);
  }
  if (!may_have_folds(f, i, apart, end)) {
    return;
  }
  for (int32_t k = i; k < i + SELF_BATCH && k < end; k++) {
    const int32_t column = k % f->b->columns + fold_columns[direction];
    if (column >= 0 && column < f->b->columns) {
      const fold_place place = {direction, k, k + apart / 2, k + apart};
      open_fold(f, &place, tally);
    }
  }
}

/* A particle of a tube, of a column that may be beyond the ends of the row. */
CLOTH_INLINE int32_t particle_around(const self_body *b, int32_t row, int32_t column) {
  return row * b->columns + column + (column < 0 ? b->columns : column < b->columns ? 0 : -b->columns);
}

/* Opens the folds along a direction that lead around a tube. */
static void open_folds_around(const fold_context *f, int32_t direction, fold_tally *tally) {
  const self_body *b = f->b;
  const int32_t rows = fold_rows[direction], columns = fold_columns[direction];
  const int32_t first = columns > 0 ? b->columns - 2 : 0, end = columns == 0 ? first : first + 2;
  for (int32_t row = 0; row + rows < b->rows; row++) {
    for (int32_t column = first; column < end; column++) {
      const fold_place place = {direction, row * b->columns + column,
                                particle_around(b, row + rows / 2, column + columns / 2),
                                particle_around(b, row + rows, column + columns)};
      open_fold(f, &place, tally);
    }
  }
}

/* Opens what is folded too tightly in a cloth of a group. */
CLOTH_HOT CLOTH_SEPARATE fold_tally open_folds(const self_group *g, int32_t member, self_pair law, float inverse_h) {
  const fold_context f = {g, member, &g->bodies[member], SELF_FOLD * law.thickness, inverse_h, law};
  fold_tally tally = {0, 0, 0, 0, 0};
  for (int32_t i = 0; i < f.b->count; i += SELF_BATCH) {
    for (uint32_t left = f.b->folds[i / SELF_BATCH]; left; left &= left - 1u) {
      open_block(&f, first_bit(left), i, &tally);
    }
  }
  for (int32_t direction = 0; f.b->is_wrapped && direction < DIRECTIONS; direction++) {
    open_folds_around(&f, direction, &tally);
  }
  if (f.b->is_wrapped) {
    part_diagonals_around(&f, &tally);
  }
  return tally;
}

#endif
