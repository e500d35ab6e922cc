#pragma once
#include "access.h"
#include "compiler.h"
#include "gaps.h"
#include "lanes.h"
#include "layout.h"
#include "pieces.h"
#include "rest_lengths.h"
#include "scalar.h"
#include "types.h"
#include "uniform.h"

/// Lines of particles ///

/*
 * Bundles of lines for the kernels that solve along lines: the springs and hinges of a row share no particle with those
 * of another row, nor do those of columns or of diagonals. So lanes take CLOTH_LANES lines side by side, which makes
 * the result the same for any number of lanes.
 *
 * Columns lie side by side in memory. Rows are transposed into scratch.residual and back, which costs less than
 * gathering them into lanes. Diagonals: line n visits column n + row of each row, modulo the columns, antidiagonals
 * column n - row. So every particle lies on one line of each kind, all lines have an element in each row, and the lanes
 * of a bundle lie side by side in each row, up to the column where the row ends and the lanes go on at its start. On a
 * tube such a line is a helix. On a sheet it consists of pieces: the spring across the end of the row is absent.
 * In: positions, scratch.mobility. Out: a line_bundle. Scratch: residual.
 */

/* A bundle of up to CLOTH_LANES lines. The element n of lane 0 lies at n * next; on diagonals, whose slant is not 0, at
   n * columns plus its column. */
typedef struct line_bundle {
  vector_array x;               /* what the kernel changes, mostly positions; of diagonals the whole array */
  const float *mobility;        /* likewise */
  int32_t next;                 /* floats from an element of a line to the next one */
  int32_t length;               /* elements of a line */
  int32_t count;                /* number of lines; the other lanes compute what is not stored */
  int32_t is_ring;              /* 1 if the first element follows the last */
  int32_t first, along, across; /* particles: of the first element, from one to the next, from one line to the next */
  int32_t flags;                /* of lines, as in uniform.h */
  int32_t slant;                /* 0; 1 on diagonals and -1 on antidiagonals: columns from an element to the next */
  int32_t column;               /* on diagonals: that of lane 0 in row 0 */
  int32_t sums;                 /* floats from x to the sums of displacements, laid out like x; 0: none */
  const stage_piece *piece;     /* that the bundle belongs to */
} line_bundle;

/* Where an element of the lines of a bundle lies. */
typedef struct line_place {
  int32_t at;   /* of lane 0 */
  int32_t room; /* on diagonals: lanes up to the end of the row; lanes from there on lie `columns` floats before */
} line_place;

/*
 * Displacements. A position has the resolution of a float, 6e-8 m between 0.5 and 1 m, and over a substep of 0.6 ms
 * that is a velocity of 1e-4 m/s: more than what bending changes it by. Were velocities the difference of positions,
 * every solve would add such an error to every particle, and sheets would never come to rest. So in short substeps the
 * solves sum up by how much they move each particle, and the velocities follow from these sums. The rounding of the
 * positions themselves is no velocity, and does not add up.
 */

/* The sums of the displacements of this substep [m]; NULL if there are none. */
static vector_array displacement_of(const cloth *c, const step_plan *plan) {
  const vector_array none = {NULL, NULL, NULL};
  return WITH_PROJECTION && plan->sums ? vectors_at(c, c->scratch.displacement) : none;
}

/* Begins the sums of a substep. */
static void start_sums(const cloth *c, const step_plan *plan) {
  if (plan->sums) {
    fill_zero(floats_at(c, c->scratch.displacement), 3 * (size_t)c->stride * sizeof(float));
  }
}

/* Floats from the predicted positions to the sums; 0 if there are none. */
static int32_t sums_from_predicted(const cloth *c, const step_plan *plan) {
  return WITH_PROJECTION && plan->sums ? (int32_t)(displacement_of(c, plan).x - predicted_of(c).x) : 0;
}

/* The sums of a bundle; NULL if there are none. */
CLOTH_INLINE vector_array sums_of_bundle(const line_bundle *b) {
  const vector_array none = {NULL, NULL, NULL}, sums = {b->x.x + b->sums, b->x.y + b->sums, b->x.z + b->sums};
  return b->sums ? sums : none;
}

/* Adds to a block of vectors, of which `left` exist. */
CLOTH_INLINE void add_to_block(vector_array to, int32_t i, int32_t left, lanes3 a) {
  lanes3_store(to, i, lanes3_add(lanes3_load(to, i), a), left);
}

/* Moves a block of particles, of which `left` exist. `displacement`: of displacement_of(), laid out like x. */
CLOTH_INLINE void move_block(vector_array x, vector_array displacement, int32_t i, int32_t left, lanes3 way) {
  add_to_block(x, i, left, way);
  if (WITH_PROJECTION && displacement.x) {
    add_to_block(displacement, i, left, way);
  }
}

#if WITH_BODIES && WITH_PROJECTION

/* Moves the predicted position of a particle to a place. */
CLOTH_SEPARATE void place_particle(const cloth *c, const step_plan *plan, int32_t i, cloth_vector place) {
  const vector_array x = predicted_of(c), displacement = displacement_of(c, plan);
  if (WITH_PROJECTION && displacement.x) {
    const cloth_vector way = vector_subtract(place, vector_load(x, i));
    vector_store(displacement, i, vector_add(vector_load(displacement, i), way));
  }
  vector_store(x, i, place);
}

#endif

#if WITH_PROJECTION

/* The place of an element. `slant` is b->slant, as a constant where the caller has one. */
CLOTH_INLINE line_place line_place_of(const line_bundle *b, int32_t slant, int32_t element) {
  line_place place = {element * b->next, CLOTH_LANES};
  if (slant != 0) {
    int32_t column = (b->column + (slant > 0 ? element : b->next - element % b->next)) % b->next;
    place.at += column;
    place.room = b->next - column;
  }
  return place;
}

/* Number of steps from a place, at most `most`, without an end of a row within the lanes of any place. There a diagonal
   is a line like a column, whose elements are a column more or less than a row apart. */
CLOTH_INLINE int32_t plain_steps(const line_bundle *b, int32_t slant, int32_t step, line_place place, int32_t most) {
  if (slant == 0) {
    return most;
  }
  int32_t steps = 0;
  if (CLOTH_LANES > 1 && place.room > CLOTH_LANES) {
    steps = step * slant > 0 ? place.room - CLOTH_LANES : b->next - place.room;
  }
  return steps < most ? steps : most;
}

/* Number of steps from a place that is not plain to the next one that is, at most `most`. */
CLOTH_INLINE int32_t steps_across(const line_bundle *b, int32_t slant, int32_t step, line_place place, int32_t most) {
  int32_t steps = most;
  if (slant != 0 && CLOTH_LANES > 1 && b->next > CLOTH_LANES) {
    steps = step * slant > 0 ? place.room : CLOTH_LANES + 1 - place.room % b->next;
  }
  return steps < most ? steps : most;
}

/* Moves a place to the element after it (step 1) or before it (step -1). */
CLOTH_INLINE void line_place_move(const line_bundle *b, int32_t slant, int32_t step, line_place *place) {
  place->at += step * b->next;
  if (slant != 0) {
    int32_t shift = step * slant;
    int32_t room = place->room - shift;
    int32_t around = room < 1 ? b->next : room > b->next ? -b->next : 0;
    place->room = room + around;
    place->at += shift - around;
  }
}

/* The same if the step is plain, with `plain`, a constant. */
CLOTH_INLINE void line_place_step(const line_bundle *b, int32_t slant, int plain, int32_t step, line_place *place) {
  if (plain) {
    place->at += step * (b->next + slant);
    place->room -= step * slant;
  } else {
    line_place_move(b, slant, step, place);
  }
}

CLOTH_INLINE lanes line_load(const line_bundle *b, int32_t slant, const float *from, line_place place) {
  lanes a = lanes_load(from + place.at);
  if (CLOTH_LANES > 1 && slant != 0 && place.room < CLOTH_LANES) {
    a = lanes_select(lanes_first(place.room), a, lanes_load(from + place.at - b->next));
  }
  return a;
}

CLOTH_INLINE lanes3 line_load3(const line_bundle *b, int32_t slant, vector_array from, line_place place) {
  return lanes3_of(line_load(b, slant, from.x, place), line_load(b, slant, from.y, place),
                   line_load(b, slant, from.z, place));
}

/* Stores lanes of a diagonal of which those from `room` on lie `columns` before, one by one. */
CLOTH_SEPARATE void line_store_singly(float *to, lanes a, int32_t room, int32_t count, int32_t columns) {
  float values[CLOTH_LANES];
  lanes_store(values, a);
  for (int32_t lane = 0; lane < count; lane++) {
    to[lane < room ? lane : lane - columns] = values[lane];
  }
}

/* Stores `count` lanes. Those of a whole bundle of diagonals that reach beyond the end of their row are stored with
   what lies beside them as it was, unless another piece may change that. */
CLOTH_INLINE void line_store(const line_bundle *b, int32_t slant, int32_t count, float *to, line_place place, lanes a) {
  to += place.at;
  if (CLOTH_LANES > 1 && slant != 0 && place.room < CLOTH_LANES) {
    if (count < CLOTH_LANES || b->piece->is_shared) {
      line_store_singly(to, a, place.room, count, b->next);
      return;
    }
    const lanes_mask end = lanes_first(place.room);
    float *start = to - b->next;
    lanes_store(to, lanes_select(end, a, lanes_load(to)));
    lanes_store(start, lanes_select(end, lanes_load(start), a));
  } else if (CLOTH_LANES > 1 && count < CLOTH_LANES) {
    lanes_store_first(to, a, count);
  } else {
    lanes_store(to, a);
  }
}

CLOTH_INLINE void line_store3(const line_bundle *b, int32_t slant, int32_t count, vector_array to, line_place place,
                              lanes3 a) {
  line_store(b, slant, count, to.x, place, a.x);
  line_store(b, slant, count, to.y, place, a.y);
  line_store(b, slant, count, to.z, place, a.z);
}

/* Moves the particles of a place, in `count` lanes. `sums`, a constant in hot loops: the bundle has sums. */
CLOTH_INLINE void line_move(const line_bundle *b, int32_t slant, int sums, int32_t count, line_place place,
                            lanes3 way) {
  line_store3(b, slant, count, b->x, place, lanes3_add(line_load3(b, slant, b->x, place), way));
  if (sums) {
    const vector_array sum = sums_of_bundle(b);
    line_store3(b, slant, count, sum, place, lanes3_add(line_load3(b, slant, sum, place), way));
  }
}

/* Lanes from element LINE_BLOCK - 1 - n on are 1, but 0 in lane n. */
CLOTH_CONSTANT static const float all_but_one[2 * LINE_BLOCK - 1] = {1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1};

/* Which lanes have a spring from an element to the next: on the diagonals of a sheet not those at the end of a row. */
CLOTH_INLINE lanes_mask line_goes_on(const line_bundle *b, int32_t slant, line_place place) {
  if (slant == 0 || b->is_ring) {
    return lanes_first(CLOTH_LANES);
  }
  /* The lane at the last column (diagonals) or at column 0 (antidiagonals) is the last piece of its line. */
  int32_t last = slant > 0 ? place.room - 1 : place.room % b->next;
  if (last >= CLOTH_LANES) {
    return lanes_first(CLOTH_LANES);
  }
  return lanes_less(lanes_splat(0.5f), lanes_load(all_but_one + LINE_BLOCK - 1 - last));
}

#endif

#if WITH_PROJECTION || WITH_CONTACT_LINES

/* Marks of rows, then of columns, that are to be solved again: overstretched.h, then contact_lines.h. */
CLOTH_INLINE uint8_t *marked_rows_of(const cloth *c) {
  return line_flags_of_rows(c) + c->grid.rows + in_line_blocks(c->grid.columns) / LINE_BLOCK;
}

CLOTH_INLINE uint8_t *marked_columns_of(const cloth *c) {
  return marked_rows_of(c) + c->grid.rows;
}

#endif

/* The bundle of the columns from one on. */
static line_bundle bundle_of_columns(const cloth *c, const stage_piece *p, vector_array x, int32_t column) {
  int32_t left = c->grid.columns - column;
  line_bundle b = {.x = {x.x + column, x.y + column, x.z + column},
                   .mobility = floats_at(c, c->scratch.mobility) + column,
                   .next = c->grid.columns,
                   .length = c->grid.rows,
                   .count = left < CLOTH_LANES ? left : CLOTH_LANES,
                   .first = column,
                   .along = c->grid.columns,
                   .across = 1,
                   .flags = *line_flags_of_columns(c, column),
                   .piece = p};
  return b;
}

#if WITH_PROJECTION

/* The bundle of the diagonals (slant 1) or antidiagonals (slant -1) that start at the columns of row 0 from one on. */
static line_bundle bundle_of_diagonals(const cloth *c, const stage_piece *p, vector_array x, int32_t column,
                                       int32_t slant) {
  int32_t left = c->grid.columns - column;
  line_bundle b = {.x = x,
                   .mobility = floats_at(c, c->scratch.mobility),
                   .next = c->grid.columns,
                   .length = c->grid.rows,
                   .count = left < CLOTH_LANES ? left : CLOTH_LANES,
                   .is_ring = is_wrapped(c),
                   .slant = slant,
                   .column = column,
                   .piece = p};
  return b;
}

#endif

/* Transposed rows, in scratch.residual: ROW_PLANES planes of LINE_BLOCK floats per column each. */
enum { ROW_X, ROW_Y, ROW_Z, ROW_MOBILITY, ROW_OLD_X, ROW_OLD_Y, ROW_OLD_Z, ROW_DISPLACEMENT_X };

#if CLOTH_LANES > 1

static float *row_plane(const cloth *c, float *rows, int32_t plane) {
  return rows + plane * LINE_BLOCK * in_line_blocks(c->grid.columns);
}

/* Transposes a block of `count` rows and CLOTH_LANES columns. Rows beyond `count` are copies of the first: what lanes
   without a line compute stays finite. */
CLOTH_INLINE void transpose_block(const float *from, int32_t next, int32_t count, float *to) {
  lanes block[CLOTH_LANES];
  for (int32_t n = 0; n < CLOTH_LANES; n++) {
    block[n] = lanes_load(from + (n < count ? n : 0) * next);
  }
  lanes_transpose(block);
  for (int32_t n = 0; n < CLOTH_LANES; n++) {
    lanes_store(to + n * CLOTH_LANES, block[n]);
  }
}

/* Copies `count` rows to `side`, where element n of all of them lies in the lanes from n * CLOTH_LANES on. */
CLOTH_HOT CLOTH_SEPARATE void transpose_rows(const float *row, int32_t columns, int32_t count, float *side) {
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    if (count == CLOTH_LANES) {
      transpose_block(row + column, columns, CLOTH_LANES, side + column * CLOTH_LANES);
    } else {
      transpose_block(row + column, columns, count, side + column * CLOTH_LANES);
    }
  }
}

/* Copies transposed rows from `side` back to where they were. */
CLOTH_HOT CLOTH_SEPARATE void transpose_rows_back(float *row, int32_t columns, int32_t count, const float *side) {
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    lanes block[CLOTH_LANES];
    for (int32_t n = 0; n < CLOTH_LANES; n++) {
      block[n] = lanes_load(side + column * CLOTH_LANES + n * CLOTH_LANES);
    }
    lanes_transpose(block);
    int32_t left = columns - column;
    for (int32_t n = 0; n < CLOTH_LANES; n++) {
      if (count == CLOTH_LANES && left >= CLOTH_LANES) {
        lanes_store(row + n * columns + column, block[n]);
      } else if (n < count) {
        lanes_store_first(row + n * columns + column, block[n], left);
      }
    }
  }
}

#if WITH_CONTACT_LINES

/* Adds transposed rows to `count` rows. Element n of all of them lies in the lanes from n * slot * CLOTH_LANES on. */
CLOTH_HOT CLOTH_SEPARATE void add_transposed_rows(float *row, int32_t columns, int32_t count, const float *side,
                                                  int32_t slot) {
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    const int32_t left = columns - column;
    lanes block[CLOTH_LANES];
    for (int32_t n = 0; n < CLOTH_LANES; n++) {
      block[n] = lanes_load(side + (column + (n < left ? n : 0)) * slot * CLOTH_LANES);
    }
    lanes_transpose(block);
    for (int32_t n = 0; n < count; n++) {
      float *at = row + n * columns + column;
      lanes_store_first(at, lanes_add(lanes_load(at), block[n]), left);
    }
  }
}

#endif

static vector_array row_vectors(const cloth *c, float *rows, int32_t plane) {
  vector_array v = {row_plane(c, rows, plane), row_plane(c, rows, plane + 1), row_plane(c, rows, plane + 2)};
  return v;
}

/* Copies the vectors of `count` rows, from particle `first` on. */
static void transpose_vectors(const cloth *c, vector_array from, int32_t first, int32_t count, vector_array to) {
  transpose_rows(from.x + first, c->grid.columns, count, to.x);
  transpose_rows(from.y + first, c->grid.columns, count, to.y);
  transpose_rows(from.z + first, c->grid.columns, count, to.z);
}

static void transpose_vectors_back(const cloth *c, vector_array to, int32_t first, int32_t count, vector_array from) {
  transpose_rows_back(to.x + first, c->grid.columns, count, from.x);
  transpose_rows_back(to.y + first, c->grid.columns, count, from.y);
  transpose_rows_back(to.z + first, c->grid.columns, count, from.z);
}

/* Copies the mobilities of `count` rows; of uniform rows they are 1. */
static void transpose_mobility(const cloth *c, int32_t first, int32_t count, int32_t flags, float *to) {
  if (!(flags & LINES_UNIFORM)) {
    transpose_rows(floats_at(c, c->scratch.mobility) + first, c->grid.columns, count, to);
    return;
  }
  for (int32_t column = 0; column < c->grid.columns; column++) {
    lanes_store(to + column * CLOTH_LANES, lanes_splat(1.0f));
  }
}

#endif

/* Flags of `count` rows, from a row on: uniform if all are, pinned twice if one is. */
static int32_t flags_of_rows(const cloth *c, int32_t row, int32_t count) {
  const uint8_t *flags = line_flags_of_rows(c) + row;
  int32_t all = LINES_UNIFORM, one = 0;
  for (int32_t n = 0; n < count; n++) {
    all &= flags[n];
    one |= flags[n];
  }
  return all | (one & (LINES_PINNED | LINES_TWICE));
}

/* The bundle of the rows from one on: transposed copies of x, to be copied back by return_rows(); the row itself in a
   scalar build. */
static line_bundle bundle_of_rows(const cloth *c, const stage_piece *p, vector_array x, int32_t row) {
  int32_t left = c->grid.rows - row, first = row * c->grid.columns;
  line_bundle b = {.x = {x.x + first, x.y + first, x.z + first},
                   .mobility = floats_at(c, c->scratch.mobility) + first,
                   .next = 1,
                   .length = c->grid.columns,
                   .count = left < CLOTH_LANES ? left : CLOTH_LANES,
                   .is_ring = is_wrapped(c),
                   .first = first,
                   .along = 1,
                   .across = c->grid.columns,
                   .piece = p};
  b.flags = flags_of_rows(c, row, b.count);
#if CLOTH_LANES > 1
  b.next = CLOTH_LANES;
  b.x = row_vectors(c, p->rows, ROW_X);
  b.mobility = row_plane(c, p->rows, ROW_MOBILITY);
  transpose_vectors(c, x, first, b.count, b.x);
  transpose_mobility(c, first, b.count, b.flags, row_plane(c, p->rows, ROW_MOBILITY));
#endif
  return b;
}

/* Lets the solves of a bundle of rows sum up their displacements. */
static void sum_rows(const cloth *c, const step_plan *plan, line_bundle *b) {
  if (plan->sums) {
#if CLOTH_LANES > 1
    b->sums = (ROW_DISPLACEMENT_X - ROW_X) * LINE_BLOCK * in_line_blocks(c->grid.columns);
    transpose_vectors(c, displacement_of(c, plan), b->first, b->count, sums_of_bundle(b));
#else
    b->sums = sums_from_predicted(c, plan);
#endif
  }
}

/* Copies the rows of a bundle back to the predicted positions, and their displacements to the sums. */
static void return_rows(const cloth *c, const line_bundle *b) {
#if CLOTH_LANES > 1
  transpose_vectors_back(c, predicted_of(c), b->first, b->count, b->x);
  if (b->sums) {
    transpose_vectors_back(c, vectors_at(c, c->scratch.displacement), b->first, b->count, sums_of_bundle(b));
  }
#else
  (void)c;
  (void)b;
#endif
}

/* Blocks of lanes that an element has in scratch.line_work. */
CLOTH_INLINE int32_t line_slot_blocks(const line_bundle *b) {
  return b->is_ring && b->slant == 0 ? RING_SLOT : LINE_SLOT;
}

#if WITH_GAPS && (WITH_PROJECTION || WITH_LIMITS || WITH_CONTACT_LINES)

/* Which lines have a spring from an element to the next. An antidiagonal belongs to the cell before its element. */
CLOTH_SEPARATE lanes_mask line_springs(const cloth *c, const line_bundle *b, int32_t element) {
#if WITH_PROJECTION
  if (b->slant != 0) {
    const line_place place = line_place_of(b, b->slant, element);
    const int32_t row = element * b->next, shift = b->slant > 0 ? 0 : b->next - 1;
    const int32_t column = place.at - row + shift;
    float whole[CLOTH_LANES];
    for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
      whole[lane] = is_gap(c, row + (column + lane) % b->next, GAP_CELL) ? 0.0f : 1.0f;
    }
    return lanes_less(lanes_splat(0.5f), lanes_load(whole));
  }
#endif
  return without_gap(c, b->first + element * b->along, b->across, b->count, b->along == 1 ? GAP_WARP : GAP_WEFT);
}

#endif

/* Values of a map at an element of each line. */
static lanes line_values(const line_bundle *b, const float *map, int32_t element) {
#if WITH_PROJECTION
  if (b->slant != 0) {
    return line_load(b, b->slant, map, line_place_of(b, b->slant, element));
  }
#endif
  return lanes_gather(map + b->first + element * b->along, b->across, b->count);
}

#if WITH_REST_SHAPE && (WITH_PROJECTION || WITH_LIMITS)

/* Factors on the rest lengths of the springs from an element to the next. Only where has_rest_shape(). */
CLOTH_SEPARATE lanes line_rest(const cloth *c, const line_bundle *b, int32_t element) {
  const int32_t straight = b->along == 1 ? WARP : WEFT;
  const int32_t d = b->slant > 0 ? DIAGONAL : b->slant < 0 ? ANTIDIAGONAL : straight;
  return line_values(b, rest_array(c, REST_LENGTH + d), element);
}

#endif

#if WITH_GAPS

/* What a stiffness map and gaps make of the factors of the hinges at an element of each line. */
CLOTH_SEPARATE lanes line_hinges(const cloth *c, const line_bundle *b, int32_t element) {
  lanes factor = lanes_splat(1.0f);
  if (c->constant.stiffness_map) {
    factor = line_values(b, floats_at(c, c->constant.stiffness_map), element);
  }
  if (has_gaps(c)) {
    const uint32_t bit = b->along == 1 ? GAP_HINGE_WARP : GAP_HINGE_WEFT;
    factor = lanes_keep(without_gap(c, b->first + element * b->along, b->across, b->count, bit), factor);
#if WITH_REST_SHAPE
    if (has_rest_shape(c)) {
      const int32_t d = b->along == 1 ? WARP : WEFT;
      factor = lanes_multiply(factor, line_values(b, rest_array(c, REST_HINGE + d), element));
    }
#endif
  }
  return factor;
}

#else

CLOTH_INLINE lanes line_hinges(const cloth *c, const line_bundle *b, int32_t element) {
  return line_values(b, floats_at(c, c->constant.stiffness_map), element);
}

#endif
