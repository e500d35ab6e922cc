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

/* Floats of a strand that two columns take, in whole blocks: at an end of a sheet two columns count. */
#define END_FLOATS ((2 * STRAND_STEP + CLOTH_LANES - 1) / CLOTH_LANES * CLOTH_LANES)

/* Coefficients of the plate as its rows take them. */
typedef struct plate_rows {
  const solve_arrays *a;
  float *x;                    /* the vectors, a near array */
  float warp, weft, centre;    /* a, b and -2 (a + b) */
  float free_warp, free_weft;  /* a^2 and b^2 */
  float twist;                 /* kappa_2; with factors alone */
  int32_t outer, end;          /* floats of a strand from which on blocks are at an end, and all */
  int32_t first;               /* the row that is taken first */
  float *curvature[4], *force; /* row buffers */
} plate_rows;

/* The row buffer of the curvature of row `row`: that of three rows is needed, four are kept. */
CLOTH_INLINE float *curvature_row(const solve_arrays *a, int32_t row) {
  return vector_buffer(a, BUFFER_CURVATURE + (row & 3));
}

/* `factor`: of all stiffness. */
static plate_rows plate_of(const solve_arrays *a, const substep_terms *t, float *x, float factor) {
  const float along = square_root(t->hinge[WARP] * factor), across = square_root(t->hinge[WEFT] * factor);
  const int32_t end = STRAND_STEP * a->columns, inside = end - 2 * STRAND_STEP - END_FLOATS;
  const int32_t blocks = inside < 0 ? 0 : inside / CLOTH_LANES;
  const plate_rows p = {
      .a = a,
      .x = x,
      .warp = along,
      .weft = across,
      .centre = -2.0f * (along + across),
      .free_warp = along * along,
      .free_weft = across * across,
      .twist = t->twist * factor,
      .outer = a->is_ring ? end : END_FLOATS + blocks * CLOTH_LANES,
      .end = end,
      .curvature = {curvature_row(a, 0), curvature_row(a, 1), curvature_row(a, 2), curvature_row(a, 3)},
      .force = vector_buffer(a, BUFFER_PLATE)};
  return p;
}

/* Which ends of a sheet a block of a strand may lie at: constants. */
#define END_NONE 0
#define END_LEFT 1
#define END_RIGHT 2

/* Masks of the lanes of a block at the right end of a strand: of those with something on their right, and of those
   before the last two columns. */
typedef struct end_masks {
  lanes_mask right, inside;
} end_masks;

/* The coefficients of the plate for a block, and where its strands end. */
typedef struct plate_terms {
  lanes warp, weft, centre, free_warp;
  end_masks first_end; /* of the block at `outer` */
  int32_t outer, end;  /* as in plate_rows */
} plate_terms;

CLOTH_INLINE end_masks end_masks_at(int32_t end, int32_t i) {
  const end_masks m = {lanes_first(end - STRAND_STEP - i), lanes_first(end - 2 * STRAND_STEP - i)};
  return m;
}

CLOTH_INLINE plate_terms plate_terms_of(const plate_rows *p) {
  const plate_terms t = {.warp = lanes_splat(p->warp),
                         .weft = lanes_splat(p->weft),
                         .centre = lanes_splat(p->centre),
                         .free_warp = lanes_splat(p->free_warp),
                         .first_end = end_masks_at(p->end, p->outer),
                         .outer = p->outer,
                         .end = p->end};
  return t;
}

/* The sum of what lies beside a block of a strand: the element itself where nothing does. */
CLOTH_INLINE lanes sum_beside(const float *row, int32_t i, int32_t ends, const end_masks *m) {
  lanes left = lanes_load(row + i - STRAND_STEP), right = lanes_load(row + i + STRAND_STEP);
  if (ends & END_LEFT) {
    left = lanes_select(lanes_first(STRAND_STEP - i), lanes_load(row + i), left);
  }
  if (ends & END_RIGHT) {
    right = lanes_select(m->right, right, lanes_load(row + i));
  }
  return lanes_add(left, right);
}

/* a D_u + b D_v of a block, from the sums of what lies beside it along warp and weft. */
CLOTH_INLINE lanes curvature(const plate_terms *p, lanes along, lanes across, lanes x) {
  const lanes sum = lanes_add(lanes_multiply(along, p->warp), lanes_multiply(across, p->weft));
  return lanes_add(sum, lanes_multiply(x, p->centre));
}

/* -E_u^T E_u of a block: at each end the difference to the other one of the last two columns. */
CLOTH_INLINE lanes free_ends(const float *x, int32_t i, int32_t ends, const end_masks *m) {
  const lanes here = lanes_load(x + i), left = lanes_load(x + i - STRAND_STEP), right = lanes_load(x + i + STRAND_STEP);
  lanes both = lanes_splat(0.0f);
  if (ends & END_LEFT) {
    const lanes other = lanes_select(lanes_first(STRAND_STEP - i), right, left);
    both = lanes_keep(lanes_first(2 * STRAND_STEP - i), lanes_subtract(other, here));
  }
  if (ends & END_RIGHT) {
    const lanes more = lanes_drop(m->inside, lanes_subtract(lanes_select(m->right, right, left), here));
    both = ends & END_LEFT ? lanes_add(both, more) : more;
  }
  return both;
}

/* A strand of a row: of the vectors of the row, of the one below and of the one after that; of the curvature of the row
   and of those beside it; of the force. At the border rows that are not there are the row at the border. */
typedef struct plate_strand {
  const float *x, *next, *after, *above, *here;
  float *below, *force;
} plate_strand;

/* The force of a block of a row, and the curvature of the row below. `ends`: at which it may lie; `is_last`: there is
   no row below; constants. */
CLOTH_INLINE void bend_block(const plate_terms *p, const plate_strand *s, int32_t i, int32_t ends, const end_masks *m,
                             int32_t is_last) {
  const lanes here = lanes_load(s->here + i);
  lanes down = here;
  if (!is_last) {
    const lanes over = lanes_add(lanes_load(s->x + i), lanes_load(s->after + i));
    down = curvature(p, sum_beside(s->next, i, ends, m), over, lanes_load(s->next + i));
    lanes_store(s->below + i, down);
  }
  const lanes across = lanes_add(lanes_load(s->above + i), down);
  lanes sum = curvature(p, sum_beside(s->here, i, ends, m), across, here);
  sum = ends ? lanes_add(sum, lanes_multiply(free_ends(s->x, i, ends, m), p->free_warp)) : sum;
  lanes_store(s->force + i, sum);
}

/* The same of a strand that may be short or the last. `ends`: which the strand has. */
CLOTH_INLINE void bend_any_strand(const plate_terms *p, const plate_strand *s, int32_t ends, int32_t is_last) {
  for (int32_t i = 0; i < p->end; i += CLOTH_LANES) {
    const end_masks m = end_masks_at(p->end, i);
    if (ends) {
      bend_block(p, s, i, END_LEFT | END_RIGHT, &m, is_last);
    } else {
      bend_block(p, s, i, END_NONE, NULL, is_last);
    }
  }
}

/* The same of a strand whose ends lie in different blocks, or which has none. `ends`: a constant. */
CLOTH_INLINE void bend_long_strand(const plate_terms *p, const plate_strand *s, int32_t ends) {
  const int32_t inner = ends ? END_FLOATS : 0, outer = p->outer, end = p->end;
  for (int32_t i = 0; i < inner; i += CLOTH_LANES) {
    bend_block(p, s, i, END_LEFT, NULL, 0);
  }
  for (int32_t i = inner; i < outer; i += CLOTH_LANES) {
    bend_block(p, s, i, END_NONE, NULL, 0);
  }
  if (ends) {
    bend_block(p, s, outer, END_RIGHT, &p->first_end, 0);
  }
  for (int32_t i = outer + CLOTH_LANES; ends && i < end; i += CLOTH_LANES) {
    const end_masks m = end_masks_at(end, i);
    bend_block(p, s, i, END_RIGHT, &m, 0);
  }
}

/* Goes on to the next strand. */
CLOTH_INLINE void next_strand(plate_strand *s, ptrdiff_t plane, ptrdiff_t buffer) {
  s->x += plane;
  s->next += plane;
  s->after += plane;
  s->above += buffer;
  s->here += buffer;
  s->below += buffer;
  s->force += buffer;
}

/* Computes the curvature of a row alone: of the first one that is taken, and of the one above it. */
static void bend_first_row(const plate_rows *p, int32_t row) {
  const solve_arrays *a = p->a;
  const plate_terms t = plate_terms_of(p);
  const int32_t next = STRAND_STEP * a->pitch;
  float *out = curvature_row(a, row);
  for (int32_t n = 0; n < STRANDS; n++) {
    const float *x = p->x + n * a->plane + row * next;
    const float *above = row > 0 ? x - next : x, *below = row + 1 < a->rows ? x + next : x;
    for (int32_t i = 0; i < p->end; i += CLOTH_LANES) {
      const lanes here = lanes_load(x + i), over = lanes_add(lanes_load(above + i), lanes_load(below + i));
      const end_masks m = end_masks_at(p->end, i);
      const lanes beside = a->is_ring ? sum_beside(x, i, END_NONE, NULL) : sum_beside(x, i, END_LEFT | END_RIGHT, &m);
      lanes_store(out + n * a->buffer + i, curvature(&t, beside, over, here));
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
  const lanes weight = lanes_splat(row == border ? p->free_weft : negate(p->free_weft));
  const float *from = near_row(p->x, a->pitch, border), *to = near_row(p->x, a->pitch, beside);
  for (int32_t i = 0; i < columns; i += CLOTH_LANES) {
    const lanes3 difference = lanes3_subtract(near_load(to, plane, i), near_load(from, plane, i));
    near_store(force, buffer, i, lanes3_add_scaled(near_load(force, buffer, i), difference, weight));
  }
}

/* The force of a row, the matrix times x, from the curvature of it and of the row above, which are there, and of the
   row below, which is computed on the way. */
static void plate_row(const plate_rows *p, int32_t row) {
  const plate_terms t = plate_terms_of(p);
  const solve_arrays *a = p->a;
  const ptrdiff_t plane = a->plane, buffer = a->buffer;
  const int32_t last = a->rows - 1, next = STRAND_STEP * a->pitch;
  plate_strand s = {.x = p->x + row * next,
                    .above = p->curvature[(row > 0 ? row - 1 : row) & 3],
                    .here = p->curvature[row & 3],
                    .below = p->curvature[(row + 1) & 3],
                    .force = p->force};
  s.next = s.x + next;
  s.after = row + 1 < last ? s.next + next : s.next;
  const int32_t ends = a->is_ring ? END_NONE : END_LEFT | END_RIGHT;
  const int32_t is_short = ends && t.end < END_FLOATS + 2 * STRAND_STEP;
  for (int32_t n = 0; n < STRANDS; n++, next_strand(&s, plane, buffer)) {
    if (row == last) {
      bend_any_strand(&t, &s, ends, 1);
    } else if (is_short) {
      bend_any_strand(&t, &s, ends, 0);
    } else if (ends) {
      bend_long_strand(&t, &s, END_LEFT | END_RIGHT);
    } else {
      bend_long_strand(&t, &s, END_NONE);
    }
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
