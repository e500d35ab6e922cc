#pragma once
#include "access.h"

/// Gaps ///

/*
 * Where a grid has no material: absent cells of a mask, and broken threads. A byte per particle tells which of the
 * springs, hinges and the cell that belong to it are absent. Bits of what no grid of this size has are 0.
 *
 * A spring along warp or weft is there where a cell beside it is; a hinge where both of its springs are, and two
 * neighbouring cells on one side of it; diagonals, twist and triangles where their cell is. A particle without a cell
 * is absent: it counts as pinned, and lies where a particle beside it in its row is.
 *
 * Out: the bytes, constants of the arena, or state of a cloth that may tear, with those of its mask beside them.
 */

#define GAP_WARP 1u        /* the spring to the next particle of the row */
#define GAP_WEFT 2u        /* the spring to the next particle of the column */
#define GAP_CELL 4u        /* the cell between both */
#define GAP_HINGE_WARP 8u  /* the hinge at the particle, along its row */
#define GAP_HINGE_WEFT 16u /* the same along its column */
#define GAP_PARTICLE 32u   /* the particle */
#define GAP_TORN 64u       /* set with GAP_CELL where the cell has not been left out, but has torn */
/* What makes a grid one with gaps from its beginning: gap_summary.kind. */
#define GAPS_MASKED 1 /* a cell is absent */
#define GAPS_SHAPED 2 /* springs differ in length, see below */
/* Behind the bytes of a cloth that may tear: 1 if a thread has broken, and 3 bytes of 0. */
#define TORN_BYTES 4

CLOTH_INLINE gap_summary *gap_summary_of(const cloth *c) {
  return (gap_summary *)at(c, c->gaps);
}

CLOTH_INLINE int can_tear(const cloth *c) {
  return WITH_TEARING && c->gaps && gap_summary_of(c)->tears;
}

/* A byte per particle. Only where c->gaps is not 0. */
CLOTH_INLINE uint8_t *gaps_of(const cloth *c) {
  return can_tear(c) ? (uint8_t *)at(c, gap_summary_of(c)->tears) : (uint8_t *)(gap_summary_of(c) + 1);
}

/* The byte that tells whether a thread has broken. Only where can_tear(). */
CLOTH_INLINE uint8_t *torn_flag_of(const cloth *c) {
  return gaps_of(c) + whole_words(c->count);
}

CLOTH_INLINE int is_torn_cloth(const cloth *c) {
  return can_tear(c) && *torn_flag_of(c);
}

/* 1 if something may be absent now or later in the step. */
CLOTH_INLINE int may_have_gaps(const cloth *c) {
  return WITH_GAPS && c->gaps != 0;
}

/* 1 if something is absent, or the piece is shaped. */
CLOTH_INLINE int has_gaps(const cloth *c) {
  return WITH_GAPS && c->gaps && (gap_summary_of(c)->kind || is_torn_cloth(c));
}

CLOTH_INLINE int is_gap(const cloth *c, int32_t particle, uint32_t bits) {
  return has_gaps(c) && (gaps_of(c)[particle] & bits) != 0;
}

/* The bit of the gaps of the springs of a direction. */
CLOTH_INLINE uint32_t spring_gap(int32_t direction) {
  return direction == WARP ? GAP_WARP : direction == WEFT ? GAP_WEFT : GAP_CELL;
}

/* Is there material in a cell, torn or whole? `column` from -1, the last one of a tube; none beyond the grid. */
static int is_cell_present(const cloth *c, const uint8_t *gaps, int32_t column, int32_t row) {
  const int32_t columns = c->grid.columns;
  if (is_wrapped(c) && column < 0) { column += columns; }
  if (column < 0 || column >= cells_along_warp(c) || row < 0 || row + 1 >= c->grid.rows) { return 0; }
  return (gaps[row * columns + column] & (GAP_CELL | GAP_TORN)) != GAP_CELL;
}

/* The particle that is so many columns and rows on. */
static int32_t particle_beside(const cloth *c, int32_t column, int32_t row) {
  const int32_t columns = c->grid.columns;
  return row * columns + (column < 0 ? column + columns : column >= columns ? column - columns : column);
}

/* The same, or -1 beyond a border. */
static int32_t particle_or_none(const cloth *c, int32_t column, int32_t row) {
  const int inside = is_wrapped(c) || (column >= 0 && column < c->grid.columns);
  return inside && row >= 0 && row < c->grid.rows ? particle_beside(c, column, row) : -1;
}

/* Is there a cell in this place, neither absent nor torn? */
static int is_whole_cell(const cloth *c, int32_t column, int32_t row) {
  const int32_t i = particle_or_none(c, column, row);
  return i >= 0 && particle_or_none(c, column + 1, row + 1) >= 0 && !is_gap(c, i, GAP_CELL);
}

/* Has one of the threads around a cell broken? */
static int is_cell_torn(const cloth *c, const uint8_t *gaps, int32_t column, int32_t row) {
  const int32_t i = row * c->grid.columns + column;
  return ((gaps[i] | gaps[i + c->grid.columns]) & GAP_WARP) ||
         ((gaps[i] | gaps[particle_beside(c, column + 1, row)]) & GAP_WEFT);
}

/* The byte of a particle, from those of all, of which cells have been left out and which threads have broken. */
static uint8_t gaps_at(const cloth *c, const uint8_t *gaps, int32_t column, int32_t row) {
  const int above_left = is_cell_present(c, gaps, column - 1, row - 1);
  const int above_right = is_cell_present(c, gaps, column, row - 1);
  const int below_left = is_cell_present(c, gaps, column - 1, row);
  const int below_right = is_cell_present(c, gaps, column, row);
  const int has_right = is_wrapped(c) || column + 1 < c->grid.columns, has_left = is_wrapped(c) || column > 0;
  const int has_below = row + 1 < c->grid.rows, has_above = row > 0;
  const int along_warp = (above_left && above_right) || (below_left && below_right);
  const int along_weft = (above_left && below_left) || (above_right && below_right);
  const uint32_t old = gaps[row * c->grid.columns + column];
  const uint32_t left = has_left ? gaps[particle_beside(c, column - 1, row)] : 0u;
  const uint32_t above = has_above ? gaps[particle_beside(c, column, row - 1)] : 0u;
  uint32_t bits = !below_right ? old & GAP_CELL : is_cell_torn(c, gaps, column, row) ? GAP_CELL | GAP_TORN : 0u;
  bits |= has_right && ((old & GAP_WARP) || !(above_right || below_right)) ? GAP_WARP : 0u;
  bits |= has_below && ((old & GAP_WEFT) || !(below_left || below_right)) ? GAP_WEFT : 0u;
  bits |= has_left && has_right && (!along_warp || ((old | left) & GAP_WARP)) ? GAP_HINGE_WARP : 0u;
  bits |= has_above && has_below && (!along_weft || ((old | above) & GAP_WEFT)) ? GAP_HINGE_WEFT : 0u;
  bits |= !(above_left || above_right || below_left || below_right) ? GAP_PARTICLE : 0u;
  return (uint8_t)bits;
}

static int32_t count_torn(const cloth *c) {
  int32_t torn = 0;
  for (int32_t i = 0; is_torn_cloth(c) && i < c->count; i++) {
    torn += (gaps_of(c)[i] & GAP_TORN) != 0;
  }
  return torn;
}

/* Finds all bytes anew, after threads have broken. */
CLOTH_SEPARATE void derive_gaps(const cloth *c) {
  for (int32_t i = 0; i < c->count; i++) {
    const int32_t row = i / c->grid.columns;
    gaps_of(c)[i] = gaps_at(c, gaps_of(c), i - row * c->grid.columns, row);
  }
}

/* Sets the bytes of a new cloth, with a mask of cells or NULL. */
static void set_gaps(const cloth *c, const uint8_t *mask) {
  for (int32_t i = 0; mask && i < cells_along_warp(c) * (c->grid.rows - 1); i++) {
    gaps_of(c)[first_of_cell(c, i)] = (uint8_t)(mask[i] ? 0u : GAP_CELL);
  }
  derive_gaps(c);
  if (can_tear(c)) { copy_memory(gap_summary_of(c) + 1, gaps_of(c), (size_t)c->count); }
}

/* 1 if any of these bits is set at one of so many particles. */
static int is_gap_among(const uint8_t *gaps, int32_t count, uint32_t bits) {
  const uint32_t in_each = bits * 0x01010101u;
  uint32_t some = 0, four;
  int32_t i = 0;
  for (; i + 4 <= count; i += 4) {
    copy_memory(&four, gaps + i, sizeof four);
    some |= four & in_each;
  }
  for (; i < count; i++) {
    some |= gaps[i] & bits;
  }
  return some != 0;
}

/* Are the bytes of a state, `gaps`, those of the mask and of broken threads alone, and is its flag right? */
static int are_gaps_possible(const cloth *c, const uint8_t *gaps) {
  const uint8_t *mask = (const uint8_t *)(gap_summary_of(c) + 1);
  const int32_t columns = c->grid.columns, end = whole_words(c->count);
  const uint8_t *torn = gaps + end;
  uint32_t broken = 0;
  for (int32_t i = 0; i < c->count; i++) {
    const int32_t row = i / columns;
    const int has_same_cell = ((gaps[i] & (GAP_CELL | GAP_TORN)) == GAP_CELL) == ((mask[i] & GAP_CELL) != 0);
    if (!has_same_cell || gaps[i] != gaps_at(c, gaps, i - row * columns, row)) { return 0; }
    broken |= gaps[i] & ~(uint32_t)mask[i];
  }
  return !is_gap_among(gaps + c->count, end - c->count, 0xffu) && torn[0] == (broken != 0) &&
         !is_gap_among(torn + 1, TORN_BYTES - 1, 0xffu);
}

/* The first of the particles that are known to hang together with one. */
static int32_t first_of_piece(int32_t *label, int32_t particle) {
  while (label[particle] != particle) {
    label[particle] = label[label[particle]];
    particle = label[particle];
  }
  return particle;
}

static void join_pieces(int32_t *label, int32_t i, int32_t j) {
  const int32_t a = first_of_piece(label, i), b = first_of_piece(label, j);
  label[a > b ? a : b] = a > b ? b : a;
}

/* Labels the particles, in rows of `pitch` places, by a place of their piece of the cloth; -1 where there is none.
   Returns how many pieces there are. */
CLOTH_SEPARATE int32_t label_pieces(const cloth *c, int32_t *label, int32_t pitch) {
  const int32_t columns = c->grid.columns;
  int32_t pieces = 0;
  for (int32_t i = 0; i < c->count; i++) {
    const int32_t row = i / columns, column = i - row * columns, place = row * pitch + column;
    label[place] = place;
    if (column > 0 && !is_gap(c, i - 1, GAP_WARP)) { join_pieces(label, place - 1, place); }
    if (is_wrapped(c) && column + 1 == columns && !is_gap(c, i, GAP_WARP)) {
      join_pieces(label, place - column, place);
    }
    if (row > 0 && !is_gap(c, i - columns, GAP_WEFT)) { join_pieces(label, place - pitch, place); }
  }
  for (int32_t i = 0; i < c->count; i++) { /* roots come before what hangs on them */
    const int32_t place = i / columns * pitch + i % columns, is_absent = is_gap(c, i, GAP_PARTICLE);
    pieces += label[place] == place && !is_absent;
    label[place] = is_absent ? -1 : label[label[place]];
  }
  return pieces;
}

CLOTH_INLINE void copy_vector(vector_array x, int32_t from, int32_t to) {
  vector_store(x, to, vector_load(x, from));
}

/* Puts the absent particles of a row where the present ones before them, or the first, are. Returns 0 without any. */
static int place_absent_of_row(const cloth *c, vector_array x, int32_t row) {
  const int32_t first = row * c->grid.columns, end = first + c->grid.columns;
  int32_t near = first;
  if (!is_gap_among(gaps_of(c) + first, c->grid.columns, GAP_PARTICLE)) { return 1; }
  while (near < end && is_gap(c, near, GAP_PARTICLE)) {
    near++;
  }
  for (int32_t i = first; i < end && near < end; i++) {
    near = is_gap(c, i, GAP_PARTICLE) ? near : i;
    copy_vector(x, near, i);
  }
  return near < end;
}

/* Puts absent particles beside present ones, so that boxes around particles are boxes around the cloth, and nothing
   stays behind when it goes far. A row without present particles gets the places of the row before it. */
CLOTH_SEPARATE void place_absent_particles(const cloth *c, vector_array x) {
  const int32_t columns = c->grid.columns;
  int32_t placed = -1; /* the last row that has places */
  for (int32_t row = 0; row < c->grid.rows; row++) {
    if (place_absent_of_row(c, x, row)) {
      for (int32_t i = row * columns - 1; placed < 0 && i >= 0; i--) {
        copy_vector(x, i + columns, i);
      }
      placed = row;
    } else {
      for (int32_t i = row * columns; placed >= 0 && i < (row + 1) * columns; i++) {
        copy_vector(x, i - columns, i);
      }
    }
  }
}

/* Pins the absent particles of a new cloth. */
static void hold_absent_particles(const cloth *c) {
  for (int32_t i = 0; i < c->count; i++) {
    freedom_of(c)[i] = is_gap(c, i, GAP_PARTICLE) ? FREEDOM_PINNED : freedom_of(c)[i];
  }
  place_absent_particles(c, vectors_at(c, c->state.position));
}

/* The cloth if something is absent, else NULL. */
CLOTH_INLINE const cloth *gapped_cloth(const cloth *c) {
  return has_gaps(c) ? c : NULL;
}

/* The check of a call that changes a particle, which has a cell. */
static int check_present(const cloth *c, int32_t particle) {
  const int error = check_particle(c, particle);
  return !error && is_gap(c, particle, GAP_PARTICLE) ? CLOTH_ERROR_STATE : error;
}

/// Rest lengths of pre-shaped pieces ///

/* What tells the springs, hinges and cells of a pre-shaped piece from those of a rectangle: a factor for each. Such a
   grid counts as one with gaps. Springs are found by the particle at which they start, an antidiagonal by the one after
   it. */

/* Arrays of factors: rest length of each direction; stiffness of springs, then hinges, along both; of the twist. */
enum {
  REST_LENGTH,
  REST_STIFFNESS = DIRECTIONS,
  REST_HINGE = REST_STIFFNESS + 2,
  REST_TWIST = REST_HINGE + 2,
  REST_ARRAYS
};

/* Bounds over the whole piece, before the arrays. */
typedef struct rest_bounds {
  float least;    /* least factor on a rest length along warp or weft */
  float reach[2]; /* factors on the squared spacings along warp and weft by which tethers reach far enough */
} rest_bounds;

CLOTH_INLINE int has_rest_shape(const cloth *c) {
  return WITH_REST_SHAPE && c->gaps && (gap_summary_of(c)->kind & GAPS_SHAPED) != 0;
}

/* They follow the bytes of the mask. Only where has_rest_shape(). */
static rest_bounds *rest_bounds_of(const cloth *c) {
  return (rest_bounds *)at(c, c->gaps + (uint32_t)sizeof(gap_summary) + (uint32_t)whole_words(c->count));
}

static float *rest_array(const cloth *c, int32_t number) {
  return (float *)(void *)(rest_bounds_of(c) + 1) + number * (c->count + LANE_PAD);
}

/* The factor of an array for a spring, hinge or cell; 1 unless the piece is shaped. */
CLOTH_INLINE float shape_factor(const cloth *c, int32_t number, int32_t particle) {
  return has_rest_shape(c) ? rest_array(c, number)[particle] : 1.0f;
}

/* Mean factor on the rest lengths of the springs of a line along warp or weft between two particles. */
static float mean_rest_ratio(const cloth *c, int32_t a, int32_t b) {
  const int32_t columns = c->grid.columns, d = a / columns == b / columns ? WARP : WEFT, first = a < b ? a : b;
  const int32_t last = a < b ? b : a, next = d == WARP ? 1 : columns, apart = (last - first) / next;
  const int is_around = d == WARP && is_wrapped(c) && 2 * apart > columns;
  const int32_t springs = is_around ? columns - apart : apart, row = first - first % columns;
  float sum = 0.0f;
  for (int32_t n = 0; n < springs; n++) {
    const int32_t i = (is_around ? last : first) + n * next;
    sum += shape_factor(c, REST_LENGTH + d, is_around && i >= row + columns ? i - columns : i);
  }
  return springs > 0 ? sum / (float)springs : 1.0f;
}

/* The least factor on a rest length along warp and weft. */
CLOTH_INLINE float least_rest_ratio(const cloth *c) {
  return has_rest_shape(c) ? rest_bounds_of(c)->least : 1.0f;
}
