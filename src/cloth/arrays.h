#pragma once
#include "../base/rows.h"
#include "body_list.h"

/// Arrays of a substep ///

/*
 * Where a substep of the one equation keeps its vectors, and which of them share memory. Units are metres where nothing
 * else is said: everything is divided by the reference mass and multiplied by s h^2, see substep_terms.
 *
 *   place      near     x, where the springs are linearised, from prediction to acceptance
 *   direction  near     p of the iteration
 *              way      x - x_n, from prediction to the first direction
 *   solution   own      y
 *              turn     near: h (v0 - v1), from prediction to linearisation
 *   product    own      D^-1 r of the fine level, then q = A p
 *              bent     near: x + viscosity (x - x_n), which the plate resists, from prediction to linearisation
 *   residual   own      r = b - A y
 *   springs    own 8    a and c / l^2 of the springs that begin at a particle, for each direction
 *   inverse    own 6    inverse of the operator's diagonal block
 *              spring sums: sum of the blocks of a particle's springs, until it is inverted
 *   diagonal   own 1    isotropic part of the operator's own block: mass ratio and what targets and drag of the air
 *                       add; 0: the particle does not move by itself, or there is none
 *   air        own 3    root of kappa n of the air's block kappa n n^T; only with air
 *   ground     own 6    further blocks: contacts, motion constraints, tethers; only where a substep has these. Behind
 *                       them a word a row: whether it has some
 *              reach    own 1: where contact with a collider begins, before terms have blocks and after the solve;
 *                       behind it boxes of tiles, while touches are looked for: contact/buried.h, contact/search.h
 *   factors    own 12   of single springs, hinges and twists where they differ: terms/links.h
 *
 * The blocks that coarse levels do not take from springs (solve/levels.h) lie over solution and direction until the
 * first direction is made.
 */

/* Floats of the springs of a particle, and where a and c / l^2 of a direction are among them. */
#define SPRING_FLOATS (2 * DIRECTIONS)
#define SPRING_ACROSS(d) (2 * (d))
#define SPRING_ALONG(d) (2 * (d) + 1)

/* Floats of the factors of a particle: stiffness and rest length of each direction, hinges along warp and weft, and
   twist. */
enum {
  FACTOR_STIFFNESS,
  FACTOR_LENGTH = DIRECTIONS,
  FACTOR_HINGE = 2 * DIRECTIONS,
  FACTOR_TWIST = FACTOR_HINGE + 2,
  FACTOR_PLATE, /* what the plate puts on the diagonal, over kappa_2 */
  FACTOR_FLOATS
};

/* Places on both sides of a row buffer, and behind the last row of a near array. */
#if CLOTH_LANES == 1
#define BUFFER_PAD 2
#else
#define BUFFER_PAD CLOTH_LANES
#endif

static int32_t pitch_of(const cloth *c) {
  return row_pitch(c->grid.columns + (is_wrapped(c) ? 2 : 0));
}

/* Keeps near arrays whose planes would lie in the same sets of a cache apart, see CACHE_WAY. */
#define PLANE_WAY 512
#define PLANE_OFFSET 48

/* Floats from one component of a near array to the next. */
static int32_t near_plane(int32_t pitch, int32_t rows) {
  const int32_t floats = pitch * rows + BUFFER_PAD, over = (floats + PLANE_OFFSET) % PLANE_WAY;
  return CLOTH_LANES == 1 || floats < PLANE_WAY || over >= 2 * PLANE_OFFSET ? floats : floats + 2 * PLANE_OFFSET - over;
}

/* Floats of a near array, and of the pad before its first component. */
static int32_t near_floats(int32_t pitch, int32_t rows) {
  return 3 * near_plane(pitch, rows) + 3 * BUFFER_PAD;
}

#define NEAR_START (CLOTH_LANES == 1 ? 3 * BUFFER_PAD : BUFFER_PAD)

/* Row buffers of a piece: forces that springs bring to their other ends, for both parities of rows and each direction;
   blocks that they bring to the row below, alike for three directions, and those of the springs along a row; four rows
   of the plate's curvature. */
enum {
  BUFFER_FORCES,
  BUFFER_CURVATURE = BUFFER_FORCES + 2 * DIRECTIONS,
  BUFFER_BLOCKS = BUFFER_CURVATURE + 4,
  BUFFER_VECTORS = BUFFER_BLOCKS + 2 * 7,
  BUFFER_HINGES = BUFFER_VECTORS, /* with factors */
  BUFFER_ALL
};

static int32_t buffer_plane(int32_t pitch) {
  return pitch + 2 * BUFFER_PAD;
}

static int32_t buffer_floats(int32_t pitch, int32_t has_factors) {
  return 3 * (has_factors ? BUFFER_ALL : BUFFER_VECTORS) * buffer_plane(pitch);
}

/* Floats from the row buffers of a piece to those of the next: whole blocks of eight, as counts follow them. */
static int32_t piece_floats(int32_t pitch, int32_t has_factors) {
  return (buffer_floats(pitch, has_factors) + 7) / 8 * 8;
}

/* Places of a transfer row: a coarse row is written in pairs of blocks. It has up to six floats a place; the pad lies
   before column 0. */
#define TRANSFER_PAD (CLOTH_LANES == 1 ? 6 : CLOTH_LANES)

static int32_t transfer_places(int32_t pitch) {
  return pitch + 6 * CLOTH_LANES;
}

static int32_t transfer_floats(int32_t pitch) {
  return 6 * transfer_places(pitch);
}

/* Passes are shared out in strips of whole rows, of so many particles and rows at least: fewer cost more to hand over
   than to compute, and what a strip computes again of the row above is one row in STRIP_ROWS at most. */
#define STRIP_PARTICLES 256
#define STRIP_ROWS 4

static int32_t strip_rows(int32_t columns) {
  return larger_of((STRIP_PARTICLES + columns - 1) / columns, STRIP_ROWS);
}

static int32_t most_strips(int32_t columns, int32_t rows) {
  return (rows + strip_rows(columns) - 1) / strip_rows(columns);
}

/* Coefficients of a column, an own array: stiffness, stiffness times rest length, weight of the turning, damping of
   each direction; then weights of the plate's diagonal, of hinges along the warp and of twists. */
enum { ROW_STIFFNESS, ROW_TENSION, ROW_TURN, ROW_DAMPING, ROW_KINDS };
enum { ROW_HINGES = ROW_KINDS * DIRECTIONS, ROW_TWISTS, COEFFICIENT_FLOATS };

/* The first held particle from one on, as next_held() in a step, which knows the last pin. */
static int32_t next_step_held(const cloth *c, int32_t i) {
  return i < workspace_of(c)->pins_end ? next_held(c, i) : c->count;
}

/* Memory for what would take much of a stack, between passes over rows: the row buffers, of as many bytes at least as
   those of a cloth of two columns, with surfaces of four. Who has used it clears it, as passes read beside rows what
   has to be finite. */
#define ROOM_OF_COLUMNS(columns)                                                                                       \
  (3 * BUFFER_VECTORS * (((columns) + CLOTH_LANES - 1) / CLOTH_LANES * CLOTH_LANES + 2 * BUFFER_PAD) * sizeof(float))
#define ROOM_BYTES ROOM_OF_COLUMNS(2)
#define SURFACE_ROOM_COLUMNS 4
#define SURFACE_ROOM_BYTES ROOM_OF_COLUMNS(SURFACE_ROOM_COLUMNS)

static void *room_between_passes(const cloth *c) {
  return at(c, c->scratch.row_buffers);
}

static void clear_room(const cloth *c, size_t bytes) {
  fill_zero(room_between_passes(c), bytes);
}

static float *near_array(const cloth *c, uintptr_t offset) {
  return offset ? floats_at(c, offset) + NEAR_START : NULL;
}

static float *optional_array(const cloth *c, uintptr_t offset) {
  return offset ? floats_at(c, offset) : NULL;
}

/* The arrays of a cloth. */
static solve_arrays describe_arrays(const cloth *c) {
  const int32_t pitch = pitch_of(c);
  float *ground = workspace_of(c)->has_ground ? optional_array(c, c->scratch.ground) : NULL;
  return (solve_arrays){.columns = c->grid.columns,
                        .rows = c->grid.rows,
                        .pitch = pitch,
                        .is_ring = is_wrapped(c),
                        .plane = near_plane(pitch, c->grid.rows),
                        .buffer = buffer_plane(pitch),
                        .place = near_array(c, c->scratch.place),
                        .direction = near_array(c, c->scratch.direction),
                        .solution = floats_at(c, c->scratch.solution),
                        .turn = near_array(c, c->scratch.solution),
                        .product = floats_at(c, c->scratch.product),
                        .bent = near_array(c, c->scratch.product),
                        .residual = floats_at(c, c->scratch.residual),
                        .springs = optional_array(c, c->scratch.operator_blocks),
                        .inverse = optional_array(c, c->scratch.inverse),
                        .diagonal = floats_at(c, c->scratch.diagonal),
                        .air = optional_array(c, c->scratch.air),
                        .ground = ground,
                        .ground_rows =
                            (uint32_t *)(void *)(ground ? ground + SYMMETRIC_FLOATS * pitch * c->grid.rows : NULL),
                        .factors = optional_array(c, c->scratch.factors),
                        .buffers = floats_at(c, c->scratch.row_buffers),
                        .coefficients = floats_at(c, c->scratch.coefficients),
                        .sums = floats_at(c, c->scratch.sums)};
}

/* Keeps them for the step: where it begins, and where has_ground changes. */
static void keep_arrays(const cloth *c) {
  workspace_of(c)->arrays = describe_arrays(c);
}

/* Those of the step under way; between steps there are none. */
static const solve_arrays *arrays_of(const cloth *c) {
  return &workspace_of(c)->arrays;
}

/* The further blocks of a row of particles; NULL if it has none. */
CLOTH_INLINE float *ground_of_row(const solve_arrays *a, int32_t row) {
  return a->ground && a->ground_rows[row] ? a->ground + SYMMETRIC_FLOATS * row * (ptrdiff_t)a->pitch : NULL;
}

/* Clears what kernels read before the first row and behind the last one of the planes of a near array. */
static void clear_near_pads(float *array, int32_t pitch, int32_t rows, int32_t plane) {
  const int32_t planes = CLOTH_LANES == 1 ? 1 : 3, used = NEAR_STEP * pitch * rows;
  for (int32_t n = 0; n < planes; n++) {
    clear_floats(array + n * plane - NEAR_START, NEAR_START);
    clear_floats(array + n * plane + used, NEAR_START);
  }
}

/* The solution of a block with the last step along the direction, which is all there is without `has_solution`. */
CLOTH_INLINE lanes3 solution_with(const solve_arrays *a, int32_t row, int32_t i, lanes last_step,
                                  int32_t has_solution) {
  const lanes3 y = lanes3_scale(near_load(near_row(a->direction, a->pitch, row), a->plane, i), last_step);
  return has_solution ? lanes3_add(y, own_load(a->solution + 3 * row * a->pitch, i)) : y;
}

static cloth_vector own_vector(float *array, int32_t place) {
  return vector(*own_at(array, 3, place, 0), *own_at(array, 3, place, 1), *own_at(array, 3, place, 2));
}

static void own_vector_store(float *array, int32_t place, cloth_vector a) {
  *own_at(array, 3, place, 0) = a.x;
  *own_at(array, 3, place, 1) = a.y;
  *own_at(array, 3, place, 2) = a.z;
}

static int32_t place_of(const solve_arrays *a, int32_t particle) {
  return particle / a->columns * a->pitch + particle % a->columns;
}

static cloth_vector near_particle(const solve_arrays *a, const float *array, int32_t particle) {
  return near_vector(array, a->plane, place_of(a, particle));
}

/* The same outside of a step, too. */
static int32_t place_in_rows(const cloth *c, int32_t particle) {
  return particle / c->grid.columns * pitch_of(c) + particle % c->grid.columns;
}

static void add_to_own(float *array, int32_t place, cloth_vector a) {
  float *x = own_at(array, 3, place, 0), *y = own_at(array, 3, place, 1), *z = own_at(array, 3, place, 2);
  *x = quantise(*x + a.x, WORK_ROUNDER);
  *y = quantise(*y + a.y, WORK_ROUNDER);
  *z = quantise(*z + a.z, WORK_ROUNDER);
}

static void add_to_particle(const solve_arrays *a, int32_t particle, cloth_vector force) {
  add_to_own(a->residual, place_of(a, particle), force);
}

CLOTH_INLINE float *vector_buffer(const solve_arrays *a, int32_t number) {
  return a->buffers + 3 * number * (int32_t)a->buffer + NEAR_START;
}

/* Forces that the springs of a row bring to their other ends, near rows for each direction. With one lane those of a
   particle follow each other for all directions, so that one pointer leads to all. */
#if CLOTH_LANES == 1
#define FORCE_STEP (3 * DIRECTIONS)
#define FORCE_ROWS 1
#else
#define FORCE_STEP NEAR_STEP
#define FORCE_ROWS DIRECTIONS
#endif

/* With one lane springs are multiplied and added up in two loops on processors whose arithmetic overwrites an operand,
   which have too few registers for one. */
#if CLOTH_LANES == 1 && (defined(__x86_64__) || defined(__i386__))
#define PRODUCT_LOOPS 2
#else
#define PRODUCT_LOOPS 1
#endif

typedef struct force_rows {
  float *row[FORCE_ROWS];
} force_rows;

/* Those of the springs that start in row `row`. */
CLOTH_INLINE force_rows forces_of_row(const solve_arrays *a, int32_t row) {
  float *first = a->buffers + 3 * DIRECTIONS * (row & 1) * a->buffer + FORCE_STEP * BUFFER_PAD;
  force_rows f;
  CLOTH_UNROLL
  for (int32_t d = 0; d < FORCE_ROWS; d++) {
    f.row[d] = first + 3 * d * a->buffer;
  }
  return f;
}

CLOTH_INLINE float *force_row(const force_rows *f, int32_t direction) {
  return FORCE_ROWS == 1 ? f->row[0] + 3 * direction : f->row[direction % FORCE_ROWS];
}

/* `i` as wide as a pointer, so that compilers take i - 1, i and i + 1 for one pointer and three constants. */
CLOTH_INLINE lanes3 force_load(const float *row, ptrdiff_t buffer, int32_t i) {
  return lanes3_apart(row + FORCE_STEP * (ptrdiff_t)i, NEAR_PLANE(buffer));
}

CLOTH_INLINE void force_store(float *row, ptrdiff_t buffer, int32_t i, lanes3 a) {
  lanes3_store_apart(row + FORCE_STEP * (ptrdiff_t)i, NEAR_PLANE(buffer), a);
}

/* Copies the force of one column to another, which may lie beside the row. */
CLOTH_INLINE void force_copy(float *row, ptrdiff_t buffer, int32_t from, int32_t to) {
  const ptrdiff_t next = NEAR_PLANE(buffer);
  const float *source = row + FORCE_STEP * (ptrdiff_t)from;
  float *target = row + FORCE_STEP * (ptrdiff_t)to;
  CLOTH_UNROLL
  for (int32_t n = 0; n < 3; n++) {
    target[n * next] = source[n * next];
  }
}

/* Closes the rows of a tube, from a direction on: where what a spring brings is read beyond the seam. */
CLOTH_INLINE void close_forces(const force_rows *f, ptrdiff_t buffer, int32_t columns, int32_t first) {
  if (first == WARP) { force_copy(force_row(f, WARP), buffer, columns - 1, -1); }
  force_copy(force_row(f, DIAGONAL), buffer, columns - 1, -1);
  force_copy(force_row(f, ANTIDIAGONAL), buffer, 0, columns);
}

static void clear_forces(const solve_arrays *a, int32_t row) {
  const int32_t floats = 3 * DIRECTIONS * (int32_t)a->buffer;
  clear_floats(a->buffers + (row & 1) * floats, floats);
}

CLOTH_INLINE float *block_buffer(const solve_arrays *a, int32_t number) {
  const int32_t start = CLOTH_LANES == 1 ? 6 * BUFFER_PAD : BUFFER_PAD;
  return a->buffers + 3 * (BUFFER_BLOCKS + 2 * number) * (int32_t)a->buffer + start;
}

/* Blocks in a row buffer: as near vectors, with six components. */
#if CLOTH_LANES == 1
#define BLOCK_STEP 6
#define BLOCK_PLANE(plane) ((void)(plane), 1)
#else
#define BLOCK_STEP 1
#define BLOCK_PLANE(plane) (plane)
#endif

/* Copies what lies beside the seam of a tube into the places before column 0 and behind the last column of a row; and
   into the place after these where the last block of lanes has its neighbour there, which no pass writes. */
CLOTH_INLINE void close_ring(float *row, ptrdiff_t plane, int32_t columns) {
  near_vector_store(row, plane, -1, near_vector(row, plane, columns - 1));
  near_vector_store(row, plane, columns, near_vector(row, plane, 0));
  if (CLOTH_LANES > 1 && (columns + 1) % CLOTH_LANES == 0) {
    near_vector_store(row, plane, columns + 1, near_vector(row, plane, 1));
  }
}

/* The same of all rows of a near array of a tube, after a pass: what a pass stores of a row may reach into the place
   before the row below, which another piece computes. */
static void close_rows(const cloth *c, float *array) {
  if (!is_wrapped(c)) { return; }
  const int32_t pitch = pitch_of(c), rows = c->grid.rows, columns = c->grid.columns;
  const ptrdiff_t plane = near_plane(pitch, rows);
  for (int32_t row = 0; row < rows; row++, array += NEAR_STEP * pitch) {
    close_ring(array, plane, columns);
  }
}

/* The plate's part on the diagonal of inner particles. */
static float plate_diagonal(const substep_terms *t) {
  return (1.0f + t->viscosity) * (6.0f * (t->hinge[WARP] + t->hinge[WEFT]) + 4.0f * t->twist);
}
