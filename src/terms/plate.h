#pragma once
#include "../base/rows.h"
#include "../compiler.h"
#include "../lanes.h"
#include "../scalar.h"
#include "../solve/arrays.h"
#include "../types.h"

/// The plate ///

/*
 * Bending and twist of the sheet, of one rigidity B' (Boxerman 2003 section 3.2 has springs across two cells):
 *
 *   energy     kappa_u / 2 sum |x_0 - 2 x_1 + x_2|^2 over hinges along the warp, kappa_v along the weft, and
 *              kappa_2 / 2 sum |x_0 - x_1 - x_2 + x_3|^2 over cells
 *   gradient   a constant matrix times x: there is nothing to linearise
 *   block      that matrix
 *
 * kappa_u = s h^2 / m0 B' v / u^3, kappa_v = s h^2 / m0 B' u / v^3, kappa_2 = 2 s h^2 / m0 B' / (u v) for cells of u by
 * v. With a = sqrt(kappa_u), b = sqrt(kappa_v) and kappa_2 = 2 a b the matrix of a sheet where nothing is missing is
 *
 *     (a D_u + b D_v)^2 - a^2 E_u^T E_u - b^2 E_v^T E_v
 *
 * with D the second difference, at the ends the difference to the only neighbour, and E that difference at the ends
 * alone: twice the Laplacian by rows, and small corrections on the border. Where hinges differ from each other, at
 * maps, gaps, clamps and pre-shaped pieces, the sums are formed as they stand above, with a factor for each.
 *
 * Viscosity of a time constant tau makes the plate act on x + tau / h (x - x_n).
 *
 * In: a near array of vectors. Out: a row of forces in the row buffer BUFFER_PLATE. Scratch: the row buffers
 * BUFFER_CURVATURE.
 */

/* How many times kappa the hinges along a line put on the diagonal of one of its elements: 1, 4, 1 for each hinge, none
   at the ends of an open line. */
static float hinges_on_element(int32_t element, int32_t count, int32_t is_ring) {
  float sum = 0.0f;
  for (int32_t hinge = element - 1; hinge <= element + 1; hinge++) {
    const int32_t exists = is_ring || (hinge > 0 && hinge + 1 < count);
    sum += exists ? (hinge == element ? 4.0f : 1.0f) : 0.0f;
  }
  return sum;
}

static float cells_at_element(int32_t element, int32_t count, int32_t is_ring) {
  return is_ring || (element > 0 && element + 1 < count) ? 2.0f : 1.0f;
}

/*
 * The components of vectors do not know of each other here, so rows are taken as strands of floats: a strand for each
 * component, or with one lane a single one in which they follow each other. What lies beside a float of a strand is
 * STRAND_STEP floats apart.
 */
#define STRANDS (CLOTH_LANES == 1 ? 1 : 3)
#define STRAND_STEP NEAR_STEP

/* Weights at the ends of a strand: of what lies on the left and on the right, 0 where nothing does, and of the element
   itself in its place; and of E_u^T E_u, of the differences to the right and to the left. */
enum { END_LEFT, END_RIGHT, END_OWN, END_FREE_RIGHT, END_FREE_LEFT, END_KINDS };

/* They lie as in an own array. */
static float *end_weights(const solve_arrays *a) {
  return a->buffers + 3 * BUFFER_ENDS * (int32_t)a->buffer;
}

/* Coefficients of the plate as its rows take them. */
typedef struct plate_rows {
  const solve_arrays *a;
  float *x;                   /* the vectors, a near array */
  const float *ends;          /* weights at the ends of strands */
  lanes warp, weft, centre;   /* a, b and -2 (a + b) */
  lanes free_warp, free_weft; /* a^2 and b^2 */
  lanes twist;                /* kappa_2; with factors alone */
  int32_t inner, outer, end;  /* floats of a strand from which on blocks are inside, again at an end, and all */
} plate_rows;

/* `factor`: of all stiffness. */
static plate_rows plate_of(const solve_arrays *a, const substep_terms *t, float *x, float factor) {
  const float along = square_root(t->hinge[WARP] * factor), across = square_root(t->hinge[WEFT] * factor);
  const int32_t end = STRAND_STEP * a->columns, two = 2 * STRAND_STEP; /* at an end two columns count */
  const int32_t inner = a->is_ring ? 0 : (two + CLOTH_LANES - 1) / CLOTH_LANES * CLOTH_LANES;
  const int32_t blocks = end - two - inner < 0 ? 0 : (end - two - inner) / CLOTH_LANES;
  const plate_rows p = {.a = a,
                        .x = x,
                        .ends = end_weights(a),
                        .warp = lanes_splat(along),
                        .weft = lanes_splat(across),
                        .centre = lanes_splat(-2.0f * (along + across)),
                        .free_warp = lanes_splat(along * along),
                        .free_weft = lanes_splat(across * across),
                        .twist = lanes_splat(t->twist * factor),
                        .inner = inner,
                        .outer = a->is_ring ? end : inner + blocks * CLOTH_LANES,
                        .end = end};
  return p;
}

/* The row buffer of the curvature of row `row`: that of three rows is needed, four are kept. */
CLOTH_INLINE float *curvature_row(const solve_arrays *a, int32_t row) {
  return vector_buffer(a, BUFFER_CURVATURE + (row & 3));
}

/* Fills them, at the beginning of a step. Tubes have no ends. */
static void fill_end_weights(const solve_arrays *a) {
  const int32_t last = a->columns - 1, is_open = !a->is_ring;
  float *weights = end_weights(a);
  for (int32_t i = 0; i < STRAND_STEP * a->pitch; i++) {
    const int32_t column = i / STRAND_STEP, is_first = is_open && column == 0, is_last = is_open && column == last;
    const int32_t values[END_KINDS] = {!is_first, !is_last, is_first + is_last,
                                       is_first + (is_open && column == last - 1), is_last + (is_open && column == 1)};
    for (int32_t kind = 0; kind < END_KINDS; kind++) {
      *own_at(weights, END_KINDS, i, kind) = (float)values[kind];
    }
  }
}

CLOTH_INLINE lanes end_weight(const plate_rows *p, int32_t i, int32_t kind) {
  return lanes_load(OWN(p->ends, END_KINDS, i, kind));
}

/* The sum of what lies beside a block of a strand. `at_end`: 1 where it may lie at an end of a sheet; a constant. */
CLOTH_INLINE lanes sum_beside(const plate_rows *p, const float *row, int32_t i, int32_t at_end) {
  const lanes left = lanes_load(row + i - STRAND_STEP), right = lanes_load(row + i + STRAND_STEP);
  if (!at_end) {
    return lanes_add(left, right);
  }
  const lanes beside =
      lanes_add(lanes_multiply(left, end_weight(p, i, END_LEFT)), lanes_multiply(right, end_weight(p, i, END_RIGHT)));
  return lanes_add(beside, lanes_multiply(lanes_load(row + i), end_weight(p, i, END_OWN)));
}

/* a D_u + b D_v of a block, from the sums of what lies beside it along warp and weft. */
CLOTH_INLINE lanes curvature(const plate_rows *p, lanes along, lanes across, lanes x) {
  const lanes sum = lanes_add(lanes_multiply(along, p->warp), lanes_multiply(across, p->weft));
  return lanes_add(sum, lanes_multiply(x, p->centre));
}

/* -a^2 E_u^T E_u of a block. */
CLOTH_INLINE lanes free_ends(const plate_rows *p, const float *x, int32_t i) {
  const lanes here = lanes_load(x + i), right = lanes_subtract(lanes_load(x + i + STRAND_STEP), here);
  const lanes left = lanes_subtract(lanes_load(x + i - STRAND_STEP), here);
  const lanes sum = lanes_add(lanes_multiply(right, end_weight(p, i, END_FREE_RIGHT)),
                              lanes_multiply(left, end_weight(p, i, END_FREE_LEFT)));
  return lanes_multiply(sum, p->free_warp);
}

/* A strand of a row: of the vectors of the row, of the one below and of the one after that; of the curvature of the row
   and of those beside it; of the force. At the border rows that are not there are the row at the border. */
typedef struct plate_strand {
  const float *x, *next, *after, *above, *here;
  float *below, *force;
} plate_strand;

/* The force of blocks of a row from one float up to another, and the curvature of the row below. `at_end`: as above;
   `is_last`: there is no row below; constants. */
CLOTH_INLINE void bend_blocks(const plate_rows *p, const plate_strand *s, int32_t from, int32_t to, int32_t at_end,
                              int32_t is_last) {
  for (int32_t i = from; i < to; i += CLOTH_LANES) {
    const lanes here = lanes_load(s->here + i);
    lanes down = here;
    if (!is_last) {
      const lanes over = lanes_add(lanes_load(s->x + i), lanes_load(s->after + i));
      down = curvature(p, sum_beside(p, s->next, i, at_end), over, lanes_load(s->next + i));
      lanes_store(s->below + i, down);
    }
    const lanes across = lanes_add(lanes_load(s->above + i), down);
    lanes sum = curvature(p, sum_beside(p, s->here, i, at_end), across, here);
    sum = at_end ? lanes_add(sum, free_ends(p, s->x, i)) : sum;
    lanes_store(s->force + i, sum);
  }
}

/* Computes the curvature of the first row. */
static void bend_first_row(const plate_rows *p) {
  const solve_arrays *a = p->a;
  float *out = curvature_row(a, 0);
  for (int32_t n = 0; n < STRANDS; n++) {
    const float *x = p->x + n * a->plane, *below = x + STRAND_STEP * a->pitch;
    for (int32_t i = 0; i < p->end; i += CLOTH_LANES) {
      const lanes here = lanes_load(x + i), over = lanes_add(here, lanes_load(below + i));
      lanes_store(out + n * a->buffer + i, curvature(p, sum_beside(p, x, i, 1), over, here));
    }
  }
  if (a->is_ring) {
    close_ring(out, a->buffer, a->columns);
  }
}

/* -b^2 E_v^T E_v, added to the force of a row: b^2 times the difference from a row at the border to the one beside it,
   or the negative of that for the latter. */
static void free_border(const plate_rows *p, int32_t border, int32_t beside, int32_t row, float *force) {
  const solve_arrays *a = p->a;
  const ptrdiff_t plane = a->plane, buffer = a->buffer;
  const int32_t columns = a->columns;
  const lanes weight = row == border ? p->free_weft : lanes_negate(p->free_weft);
  const float *from = near_row(p->x, a->pitch, border), *to = near_row(p->x, a->pitch, beside);
  for (int32_t i = 0; i < columns; i += CLOTH_LANES) {
    const lanes3 difference = lanes3_subtract(near_load(to, plane, i), near_load(from, plane, i));
    near_store(force, buffer, i, lanes3_add_scaled(near_load(force, buffer, i), difference, weight));
  }
}

/* The force of a row, the matrix times x, from the curvature of it and of the row above, which are there, and of the
   row below, which is computed on the way. */
static void plate_row(const plate_rows *plate, int32_t row) {
  const plate_rows terms = *plate, *p = &terms; /* stores of lanes may alias it */
  const solve_arrays *a = p->a;
  const ptrdiff_t plane = a->plane, buffer = a->buffer;
  const int32_t last = a->rows - 1, next = STRAND_STEP * a->pitch;
  plate_strand s = {.x = p->x + row * next,
                    .above = curvature_row(a, row > 0 ? row - 1 : row),
                    .here = curvature_row(a, row),
                    .below = curvature_row(a, row + 1),
                    .force = vector_buffer(a, BUFFER_PLATE)};
  for (int32_t n = 0; n < STRANDS; n++) {
    s.next = s.x + next;
    s.after = row + 1 < last ? s.next + next : s.next;
    if (row < last) {
      bend_blocks(p, &s, 0, p->inner, 1, 0);
      bend_blocks(p, &s, p->inner, p->outer, 0, 0);
      bend_blocks(p, &s, p->outer, p->end, 1, 0);
    } else {
      bend_blocks(p, &s, 0, p->end, 1, 1);
    }
    s.x += plane;
    s.above += buffer;
    s.here += buffer;
    s.below += buffer;
    s.force += buffer;
  }
  if (a->is_ring && row < last) {
    close_ring(curvature_row(a, row + 1), buffer, a->columns);
  }
  if (row < 2) {
    free_border(p, 0, 1, row, vector_buffer(a, BUFFER_PLATE));
  }
  if (row > last - 2) {
    free_border(p, last, last - 1, row, vector_buffer(a, BUFFER_PLATE));
  }
}
