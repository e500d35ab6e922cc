#pragma once
#include "../base/rows.h"

/// Transfer between levels ///

/*
 * Restriction R and interpolation P = R^T between two levels of the preconditioner, bilinear. Node I of the coarse
 * level lies at column 2 I and row 2 I of the fine one. Along a side of two nodes nothing is left to coarsen: it is
 * kept.
 *
 * A tube has an even number of coarse columns, as an odd one would leave its levels without a common seam: with an even
 * number of columns C it has C / 2, else (C + 1) / 2 or (C - 1) / 2, whichever is even. With (C + 1) / 2 its last
 * coarse cell is one column wide, with (C - 1) / 2 three.
 *
 * In: rows of an array. Out: rows of the array of the other level. Scratch: the transfer row.
 */

/* How the columns of a coarse level lie on those of the finer one. */
enum { TRANSFER_SHEET, TRANSFER_KEPT, TRANSFER_RING, TRANSFER_RING_SHORT, TRANSFER_RING_LONG };

/* A side of so many nodes is not coarsened further. The coarsest level is solved, see coarsest.h: with 2 in place of 3
   linen of 32 x 32 keeps .92 in place of 1.0 of its energy at .5 s. Of sheets, beside a side of more than NARROW_SIDE,
   it is, to two nodes: with three a belt over a drum slides by an eighth of the way (S15). */
#define SOLVED_SIDE 3
#define NARROW_SIDE 6
#define SOLVED_NODES (SOLVED_SIDE * SOLVED_SIDE)
/* Floats from a row of the matrix to the next, of whatever size: whole blocks, so that none crosses the end of a row.
   What lies behind the last unknown is 0. */
#define SOLVED_PITCH ((3 * SOLVED_NODES + CLOTH_LANES - 1) / CLOTH_LANES * CLOTH_LANES)

#define SOLVED_FLOATS (3 * SOLVED_NODES * SOLVED_PITCH)

/* Nodes that are left of a side of a sheet, beside one of so many. */
static int32_t least_side(int32_t other) {
  return other > NARROW_SIDE ? 2 : SOLVED_SIDE;
}

/* Columns of the level after one of so many columns and rows, and how they lie. */
static int32_t coarse_columns(int32_t columns, int32_t rows, int32_t is_ring, int32_t *transfer) {
  if (columns <= (is_ring ? 2 : least_side(rows))) {
    *transfer = TRANSFER_KEPT;
    return columns;
  }
  if (!is_ring) {
    *transfer = TRANSFER_SHEET;
    return columns / 2 + 1;
  }
  if (columns == 3) {
    *transfer = TRANSFER_RING_SHORT;
    return 2;
  }
  const int32_t is_odd = columns % 2, is_short = is_odd && (columns + 1) / 2 % 2 == 0;
  *transfer = !is_odd ? TRANSFER_RING : is_short ? TRANSFER_RING_SHORT : TRANSFER_RING_LONG;
  return is_short ? (columns + 1) / 2 : columns / 2;
}

static int32_t coarse_rows(int32_t columns, int32_t rows, int32_t is_ring) {
  return rows <= (is_ring ? SOLVED_SIDE : least_side(columns)) ? rows : rows / 2 + 1;
}

/* Two levels beside each other, and the transfer row between them. */
typedef struct level_pair {
  int32_t columns, rows, pitch; /* of the fine level */
  int32_t coarse_columns, coarse_rows, coarse_pitch, transfer;
  float *row;     /* the transfer row, a near array of rows of as many components as are transferred */
  int32_t places; /* floats of a plane of it */
} level_pair;

/* Component `number` of column i of the transfer row, which has so many. */
CLOTH_INLINE float *transfer_at(const level_pair *p, int32_t floats, int32_t i, int32_t number) {
  return CLOTH_LANES == 1 ? p->row + floats * i + number : p->row + number * p->places + i;
}

/* From a column of a transfer row to the next, in floats. */
#define TRANSFER_STEP(floats) (CLOTH_LANES == 1 ? (floats) : 1)

/* The rows of the fine level that a coarse row is made from, with their weights. */
typedef struct row_stencil {
  int32_t row[3];
  float weight[3];
} row_stencil;

CLOTH_INLINE row_stencil stencil_of(const level_pair *p, int32_t coarse_row) {
  const int32_t is_kept = p->coarse_rows == p->rows, middle = is_kept ? coarse_row : 2 * coarse_row;
  const int32_t has_above = !is_kept && middle > 0, has_below = !is_kept && middle + 1 < p->rows;
  const int32_t is_there = middle < p->rows, here = is_there ? middle : p->rows - 1;
  return (row_stencil){{has_above ? middle - 1 : here, here, has_below ? middle + 1 : here},
                       {has_above ? 0.5f : 0.0f, is_there ? 1.0f : 0.0f, has_below ? 0.5f : 0.0f}};
}

/* Adds what hangs on column 0 from beyond the seam of a tube to the places that the restriction reads. */
static void wrap_transfer(const level_pair *p, int32_t floats) {
  for (int32_t n = 0; n < floats; n++) {
    const int32_t step = TRANSFER_STEP(floats);
    float *before = transfer_at(p, floats, -1, n), *last = transfer_at(p, floats, p->columns - 1, n);
    *before = p->transfer == TRANSFER_RING ? *last : 0.0f;
    if (p->transfer == TRANSFER_RING_LONG) {
      *before = (2.0f / 3.0f) * last[-step] + (4.0f / 3.0f) * last[0];
      last[-step] = (4.0f / 3.0f) * last[-step] + (2.0f / 3.0f) * last[0];
    }
  }
}

/* The sum of three columns, weighted 1/2, 1, 1/2. */
CLOTH_INLINE lanes restricted(const float *from, ptrdiff_t step) {
  const lanes beside = lanes_add(lanes_load(from - step), lanes_load(from + step));
  return lanes_add(lanes_load(from), lanes_multiply(beside, lanes_splat(0.5f)));
}

/* A block of a coarse row of so many floats from the transfer row, times `scale`. `is_kept`: a constant. */
CLOTH_INLINE lanes restricted_block(const level_pair *p, int32_t floats, int32_t i, int32_t n, int32_t is_kept,
                                    float scale) {
  const ptrdiff_t step = TRANSFER_STEP(floats);
  const float *from = transfer_at(p, floats, is_kept ? i : 2 * i, n);
  const lanes sum =
      is_kept ? lanes_load(from) : lanes_even(restricted(from, step), restricted(from + step * CLOTH_LANES, step));
  return lanes_multiply(sum, lanes_splat(scale));
}

/* Writes the last column of a coarse row, which begins a block, and 0 behind it. */
CLOTH_INLINE void restrict_last_column(const level_pair *p, int32_t floats, float *to, int32_t is_kept, float scale) {
  const int32_t column = p->coarse_columns - 1, step = TRANSFER_STEP(floats);
  CLOTH_UNROLL
  for (int32_t n = 0; n < floats; n++) {
    const float *from = transfer_at(p, floats, is_kept ? column : 2 * column, n);
    const float sum = is_kept ? from[0] : from[0] + (from[-step] + from[step]) * 0.5f;
    lanes_store(to + n * CLOTH_LANES, lanes_splat(0.0f));
    to[n * CLOTH_LANES] = sum * scale;
  }
}

/* Writes a coarse row of an own array of so many floats from the transfer row. */
CLOTH_INLINE void restrict_blocks_of_row(const level_pair *pair, int32_t floats, float *to, int32_t is_kept,
                                         float scale) {
  const level_pair p = *pair;
  const int32_t columns = p.coarse_columns, whole = columns - (int32_t)((uint32_t)columns % CLOTH_LANES);
  for (int32_t i = 0; i < whole; i += CLOTH_LANES) {
    CLOTH_UNROLL
    for (int32_t n = 0; n < floats; n++) {
      lanes_store(OWN(to, floats, i, n), restricted_block(&p, floats, i, n, is_kept, scale));
    }
  }
  if (CLOTH_LANES > 1 && whole + 1 == columns) { /* as of every whole number of blocks that is coarsened */
    restrict_last_column(&p, floats, OWN(to, floats, whole, 0), is_kept, scale);
  } else if (whole < columns) { /* what lies behind the last column stays 0 */
    const lanes_mask within = lanes_first(columns - whole);
    CLOTH_UNROLL
    for (int32_t n = 0; n < floats; n++) {
      const lanes sum = restricted_block(&p, floats, whole, n, is_kept, scale);
      lanes_store(OWN(to, floats, whole, n), lanes_keep(within, sum));
    }
  }
}

/* The same of any pair of levels. `scale`: factor on all. */
CLOTH_INLINE void restrict_columns(const level_pair *p, int32_t floats, float *to, float scale) {
  if (p->transfer == TRANSFER_KEPT) {
    restrict_blocks_of_row(p, floats, to, 1, scale);
    return;
  }
  if (p->transfer >= TRANSFER_RING) { wrap_transfer(p, floats); }
  restrict_blocks_of_row(p, floats, to, 0, scale);
}

/* Ends a transfer row with what a coarse node beyond the last column would take, 0: rows leave it as it is. */
CLOTH_INLINE void end_transfer(const level_pair *p, int32_t floats) {
  for (int32_t i = row_pitch(p->columns); i < p->columns + 2; i += CLOTH_LANES) {
    for (int32_t n = 0; n < floats; n++) {
      lanes_store(transfer_at(p, floats, i, n), lanes_splat(0.0f));
    }
  }
}

/* The sum over the fine rows of a coarse row of an own array, into the transfer row: of three rows inside the grid. */
CLOTH_INLINE void add_inner_rows(const level_pair *pair, int32_t floats, const float *middle) {
  const level_pair p = *pair;
  const ptrdiff_t next = floats * (ptrdiff_t)p.pitch;
  const float *up = middle - next, *down = middle + next;
  const lanes half = lanes_splat(0.5f);
  for (int32_t i = 0; i < p.columns; i += CLOTH_LANES) {
    CLOTH_UNROLL
    for (int32_t n = 0; n < floats; n++) {
      const lanes beside = lanes_add(lanes_load(OWN(up, floats, i, n)), lanes_load(OWN(down, floats, i, n)));
      const lanes sum = lanes_add(lanes_load(OWN(middle, floats, i, n)), lanes_multiply(beside, half));
      lanes_store(transfer_at(&p, floats, i, n), sum);
    }
  }
}

/* The same by the stencil of the row: at the border, and where rows are kept. */
CLOTH_INLINE void add_border_rows(const level_pair *pair, int32_t floats, const float *from, int32_t coarse_row) {
  const level_pair p = *pair;
  const row_stencil s = stencil_of(&p, coarse_row);
  const ptrdiff_t next = floats * (ptrdiff_t)p.pitch;
  const float *up = from + s.row[0] * next, *middle = from + s.row[1] * next, *down = from + s.row[2] * next;
  const lanes above = lanes_splat(s.weight[0]), on = lanes_splat(s.weight[1]), below = lanes_splat(s.weight[2]);
  for (int32_t i = 0; i < p.columns; i += CLOTH_LANES) {
    CLOTH_UNROLL
    for (int32_t n = 0; n < floats; n++) {
      const lanes beside = lanes_add(lanes_multiply(above, lanes_load(OWN(up, floats, i, n))),
                                     lanes_multiply(below, lanes_load(OWN(down, floats, i, n))));
      const lanes sum = lanes_add(lanes_multiply(on, lanes_load(OWN(middle, floats, i, n))), beside);
      lanes_store(transfer_at(&p, floats, i, n), sum);
    }
  }
}

CLOTH_INLINE void restrict_rows(const level_pair *p, int32_t floats, const float *from, int32_t coarse_row) {
  const int32_t middle = 2 * coarse_row;
  if (p->coarse_rows < p->rows && middle > 0 && middle + 1 < p->rows) {
    add_inner_rows(p, floats, from + floats * middle * p->pitch);
  } else {
    add_border_rows(p, floats, from, coarse_row);
  }
}

/* Restricts vectors to the coarse rows `first` up to `end`: to = R from. */
CLOTH_HOT CLOTH_SEPARATE void restrict_vectors(const level_pair *pair, const float *from, float *to, int32_t first,
                                               int32_t end) {
  const level_pair p = *pair; /* the stores of lanes may alias it */
  end_transfer(&p, 3);
  for (int32_t row = first; row < end; row++) {
    restrict_rows(&p, 3, from, row);
    restrict_columns(&p, 3, to + 3 * row * p.coarse_pitch, 1.0f);
  }
}

/* Restricts blocks with row sums to the coarse rows `first` up to `end`: to = scale R from. */
CLOTH_SEPARATE void restrict_blocks(const level_pair *pair, const float *from, float *to, float scale, int32_t first,
                                    int32_t end) {
  const level_pair p = *pair; /* the stores of lanes may alias it */
  const int32_t floats = SYMMETRIC_FLOATS;
  end_transfer(&p, floats);
  for (int32_t row = first; row < end; row++) {
    float *coarse = to + floats * row * p.coarse_pitch;
    restrict_rows(&p, floats, from, row);
    restrict_columns(&p, floats, coarse, scale);
  }
}

/* The transfer row as one of vectors that are spread over the columns of the fine level: two of them, which coarse rows
   take in turns. */
CLOTH_INLINE float *spread_buffer(const level_pair *p, int32_t coarse_row) {
  return coarse_row & 1 ? p->row + 3 * p->places : p->row;
}

/* Spreads a coarse row of vectors, a near array, over so many columns of the finer level. */
CLOTH_INLINE void spread_blocks(const float *from, ptrdiff_t plane, int32_t columns, float *to, ptrdiff_t places) {
  const lanes half = lanes_splat(0.5f);
  for (int32_t i = 0; 2 * i < columns; i += CLOTH_LANES) {
    const lanes3 here = near_load(from, plane, i);
    const lanes3 between = lanes3_scale(lanes3_add(here, near_load(from, plane, i + 1)), half);
    lanes3 low, high;
    lanes_interleave(here.x, between.x, &low.x, &high.x);
    lanes_interleave(here.y, between.y, &low.y, &high.y);
    lanes_interleave(here.z, between.z, &low.z, &high.z);
    near_store(to, places, 2 * i, low);
    near_store(to, places, 2 * i + CLOTH_LANES, high);
  }
}

/* Repeats the first column of the coarse vectors of a tube behind the last one, before they are spread. */
static void close_coarse(const level_pair *p, float *array, ptrdiff_t plane) {
  const int32_t columns = p->coarse_columns, next = NEAR_STEP * p->coarse_pitch;
  for (int32_t row = p->transfer == TRANSFER_RING ? p->coarse_rows : 0; row > 0; row--, array += next) {
    near_vector_store(array, plane, columns, near_vector(array, plane, 0));
  }
}

/* Spreads coarse row `row` of vectors over the columns of the fine level. */
CLOTH_INLINE void spread_columns(const level_pair *p, float *array, ptrdiff_t plane, int32_t row) {
  const int32_t columns = p->coarse_columns, places = p->places;
  float *from = near_row(array, p->coarse_pitch, row), *to = spread_buffer(p, row);
  if (p->transfer == TRANSFER_KEPT) {
    for (int32_t i = 0; i < columns; i += CLOTH_LANES) {
      near_store(to, places, i, near_load(from, plane, i));
    }
    return;
  }
  spread_blocks(from, plane, p->columns, to, places);
  if (p->transfer == TRANSFER_RING_LONG) {
    const cloth_vector last = near_vector(from, plane, columns - 1), zero = near_vector(from, plane, 0);
    const cloth_vector apart = vector_scale(vector_subtract(zero, last), 1.0f / 3.0f);
    near_vector_store(to, places, p->columns - 2, vector_add(last, apart));
    near_vector_store(to, places, p->columns - 1, vector_subtract(zero, apart));
  }
}

/* The coarse vectors that hang over a fine row, spread over its columns: their mean is what they add to the row. */
typedef struct spread_row {
  const float *above, *below; /* near rows; the same where a coarse row lies on the fine one */
  int32_t places;
} spread_row;

/* Spreads what fine row `row` needs, rows being taken in order from `first` on: each coarse row is spread once. */
CLOTH_INLINE spread_row spread_over(const level_pair *p, float *from, ptrdiff_t plane, int32_t row, int32_t first) {
  const int32_t is_kept = p->coarse_rows == p->rows, is_between = !is_kept && row % 2;
  const int32_t above = is_kept ? row : (int32_t)((uint32_t)row / 2);
  spread_row s = {.above = spread_buffer(p, above), .places = p->places};
  s.below = s.above;
  if (row == first || is_kept) { spread_columns(p, from, plane, above); }
  if (is_between) {
    s.below = spread_buffer(p, above + 1);
    spread_columns(p, from, plane, above + 1);
  }
  return s;
}

/* What the coarse vectors add to the block of the row that begins at column i. `between`: 1 for a row between two
   coarse ones; a constant. */
CLOTH_INLINE lanes3 spread_at(const spread_row *s, int32_t between, int32_t i) {
  const lanes3 above = near_load(s->above, s->places, i);
  if (!between) { return above; }
  return lanes3_scale(lanes3_add(above, near_load(s->below, s->places, i)), lanes_splat(0.5f));
}

/* Adds what hangs over a row to it, of so many columns. */
CLOTH_INLINE void add_spread(const spread_row *spread, int32_t between, float *to, ptrdiff_t plane, int32_t columns) {
  const spread_row s = *spread;
  for (int32_t i = 0; i < columns; i += CLOTH_LANES) {
    near_store(to, plane, i, lanes3_add(near_load(to, plane, i), spread_at(&s, between, i)));
  }
}

/* What is interpolated: two near arrays. */
typedef struct interpolation {
  float *from, *to;
  ptrdiff_t from_plane, to_plane;
  int32_t number; /* of the coarse level */
} interpolation;

/* Interpolates to the fine rows `first` up to `end`: to += P from. */
CLOTH_HOT CLOTH_SEPARATE void interpolate_vectors(const level_pair *pair, const interpolation *v, int32_t first,
                                                  int32_t end) {
  const level_pair p = *pair; /* the stores of lanes may alias it */
  float *const from = v->from, *const to = v->to;
  const ptrdiff_t from_plane = v->from_plane, to_plane = v->to_plane;
  for (int32_t row = first; row < end; row++) {
    const spread_row s = spread_over(&p, from, from_plane, row, first);
    float *out = near_row(to, p.pitch, row);
    if (s.above == s.below) {
      add_spread(&s, 0, out, to_plane, p.columns);
    } else {
      add_spread(&s, 1, out, to_plane, p.columns);
    }
  }
}
