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
 * alone: twice the Laplacian by rows, and small corrections on the border. It is formed without its factor a^2, with
 * the ratio b / a = u^2 / v^2, which is 1 for square cells and then left out. Where hinges differ from each other, at
 * maps, gaps, clamps and pre-shaped pieces, the sums are formed as they stand above, with a factor for each.
 *
 * Viscosity of a time constant tau makes the plate act on x + tau / h (x - x_n).
 *
 * In: a near array of vectors. Out: forces over a factor, an own array. Scratch: the row buffers BUFFER_CURVATURE.
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
  float *x, *force;        /* the vectors, a near array, and the forces, an own array */
  float ratio;             /* b / a */
  float warp, weft, twist; /* kappa_u, kappa_v and kappa_2; with factors alone */
} plate_rows;

/* A row buffer of the curvature: three rows of it are kept, by hinges.h four. */
CLOTH_INLINE float *curvature_buffer(const solve_arrays *a, int32_t number) {
  return vector_buffer(a, BUFFER_CURVATURE + number);
}

/* What the forces have to be multiplied by: a^2, or 1 with factors. `factor`: of all stiffness. */
static float plate_scale(const solve_arrays *a, const substep_terms *t, float factor) {
  return a->factors ? 1.0f : t->hinge[WARP] * factor;
}

static plate_rows plate_of(const solve_arrays *a, const substep_terms *t, float *x, float *force, float factor) {
  const plate_rows p = {.a = a,
                        .x = x,
                        .force = force,
                        .ratio = t->hinge_ratio,
                        .warp = t->hinge[WARP] * factor,
                        .weft = t->hinge[WEFT] * factor,
                        .twist = t->twist * factor};
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
  lanes ratio, centre; /* b / a and -2 (1 + b / a) */
  end_masks first_end; /* of the block at `outer` */
  ptrdiff_t outer;     /* floats of a strand from which on blocks are at an end */
  int32_t end;         /* and all */
} plate_terms;

CLOTH_INLINE end_masks end_masks_at(int32_t end, int32_t i) {
  const end_masks m = {lanes_first(end - STRAND_STEP - i), lanes_first(end - 2 * STRAND_STEP - i)};
  return m;
}

CLOTH_INLINE plate_terms plate_terms_of(const plate_rows *p) {
  const int32_t end = STRAND_STEP * p->a->columns, inside = end - 2 * STRAND_STEP - END_FLOATS;
  const int32_t blocks = inside < 0 ? 0 : inside / CLOTH_LANES;
  const int32_t outer = p->a->is_ring ? end : END_FLOATS + blocks * CLOTH_LANES;
  const plate_terms t = {.ratio = lanes_splat(p->ratio),
                         .centre = lanes_splat(-2.0f * (1.0f + p->ratio)),
                         .first_end = end_masks_at(end, outer),
                         .outer = outer,
                         .end = end};
  return t;
}

/* The sum of what lies beside a block of a strand: the element itself where nothing does. */
CLOTH_INLINE lanes sum_beside(const float *row, ptrdiff_t i, int32_t ends, const end_masks *m) {
  lanes left = lanes_load(row + i - STRAND_STEP), right = lanes_load(row + i + STRAND_STEP);
  if (ends & END_LEFT) {
    left = lanes_select(lanes_first(STRAND_STEP - (int32_t)i), lanes_load(row + i), left);
  }
  if (ends & END_RIGHT) {
    right = lanes_select(m->right, right, lanes_load(row + i));
  }
  return lanes_add(left, right);
}

/* D_u + b / a D_v of a block, from the sums of what lies beside it along warp and weft. `is_square`: 1 only if the
   ratio is 1; a constant. */
CLOTH_INLINE lanes curvature(const plate_terms *p, lanes along, lanes across, lanes x, int32_t is_square) {
  const lanes sum = lanes_add(along, is_square ? across : lanes_multiply(across, p->ratio));
  return lanes_add(sum, lanes_multiply(x, p->centre));
}

/* -E_u^T E_u of a block: at each end the difference to the other one of the last two columns. */
CLOTH_INLINE lanes free_ends(const float *x, ptrdiff_t i, int32_t ends, const end_masks *m) {
  const lanes here = lanes_load(x + i), left = lanes_load(x + i - STRAND_STEP), right = lanes_load(x + i + STRAND_STEP);
  lanes both = lanes_splat(0.0f);
  if (ends & END_LEFT) {
    const lanes other = lanes_select(lanes_first(STRAND_STEP - (int32_t)i), right, left);
    both = lanes_keep(lanes_first(2 * STRAND_STEP - (int32_t)i), lanes_subtract(other, here));
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
  const float *x, *next, *after;
  float *above, *here, *below, *force;
} plate_strand;

/* Constants of a row: whether there is none below it, and whether cells are square. */
typedef struct row_kind {
  int32_t is_last, is_square;
} row_kind;

/* The force of a block of a row, and the curvature of the row below. `ends`: at which it may lie, a constant. */
CLOTH_INLINE void bend_block(const plate_terms *p, const plate_strand *s, ptrdiff_t i, int32_t ends, const end_masks *m,
                             row_kind kind) {
  const lanes here = lanes_load(s->here + i);
  lanes down = here;
  if (!kind.is_last) {
    const lanes over = lanes_add(lanes_load(s->x + i), lanes_load(s->after + i));
    down = curvature(p, sum_beside(s->next, i, ends, m), over, lanes_load(s->next + i), kind.is_square);
    lanes_store(s->below + i, down);
  }
  const lanes across = lanes_add(lanes_load(s->above + i), down);
  lanes sum = curvature(p, sum_beside(s->here, i, ends, m), across, here, kind.is_square);
  sum = ends ? lanes_add(sum, free_ends(s->x, i, ends, m)) : sum;
  lanes_store(OWN(s->force, STRANDS, i, 0), sum);
}

/* The same of a row that may be short or the last. `ends`: which it has. */
CLOTH_INLINE void bend_any_row(const plate_terms *p, const plate_strand *s, int32_t ends, int32_t is_last) {
  const row_kind kind = {is_last, 0};
  for (int32_t i = 0; i < p->end; i += CLOTH_LANES) {
    const end_masks m = end_masks_at(p->end, i);
    if (ends) {
      bend_block(p, s, i, END_LEFT | END_RIGHT, &m, kind);
    } else {
      bend_block(p, s, i, END_NONE, NULL, kind);
    }
  }
}

/* The same of a row whose ends lie in different blocks, or which has none. `ends`, `is_square`: constants. */
CLOTH_INLINE void bend_long_row(const plate_terms *p, const plate_strand *s, int32_t ends, int32_t is_square) {
  const row_kind kind = {0, is_square};
  const ptrdiff_t inner = ends ? END_FLOATS : 0, outer = p->outer;
  for (ptrdiff_t i = 0; i < inner; i += CLOTH_LANES) {
    bend_block(p, s, i, END_LEFT, NULL, kind);
  }
  for (ptrdiff_t i = inner; i < outer; i += CLOTH_LANES) {
    bend_block(p, s, i, END_NONE, NULL, kind);
  }
  if (ends) {
    bend_block(p, s, outer, END_RIGHT, &p->first_end, kind);
  }
  for (int32_t i = (int32_t)outer + CLOTH_LANES; ends && i < p->end; i += CLOTH_LANES) {
    const end_masks m = end_masks_at(p->end, i);
    bend_block(p, s, i, END_RIGHT, &m, kind);
  }
}

/* Computes the curvature of a row. */
static void start_curvature(const plate_rows *p, int32_t row, float *out) {
  const solve_arrays *a = p->a;
  const plate_terms t = plate_terms_of(p);
  const int32_t next = STRAND_STEP * a->pitch;
  for (int32_t n = 0; n < STRANDS; n++) {
    const float *x = p->x + n * a->plane + row * next;
    const float *above = row > 0 ? x - next : x, *below = row + 1 < a->rows ? x + next : x;
    for (int32_t i = 0; i < t.end; i += CLOTH_LANES) {
      const lanes here = lanes_load(x + i), over = lanes_add(lanes_load(above + i), lanes_load(below + i));
      const end_masks m = end_masks_at(t.end, i);
      const lanes beside = a->is_ring ? sum_beside(x, i, END_NONE, NULL) : sum_beside(x, i, END_LEFT | END_RIGHT, &m);
      lanes_store(out + n * a->buffer + i, curvature(&t, beside, over, here, 0));
    }
  }
  if (a->is_ring) {
    close_ring(out, a->buffer, a->columns);
  }
}

/* Takes the curvature of the first row for the one before it, too. */
static void repeat_curvature(const solve_arrays *a) {
  const float *from = curvature_buffer(a, 1);
  float *to = curvature_buffer(a, 0);
  for (int32_t i = 0; i < 3 * (int32_t)a->buffer - 2 * STRAND_STEP * BUFFER_PAD; i += CLOTH_LANES) {
    lanes_store(to + i, lanes_load(from + i));
  }
}

/* -b^2 / a^2 E_v^T E_v, added to the force of a row: b^2 / a^2 times the difference from a row at the border to the one
   beside it, or the negative of that for the latter. */
static void free_border(const plate_rows *p, int32_t border, int32_t beside, int32_t row) {
  const solve_arrays *a = p->a;
  const ptrdiff_t plane = a->plane;
  const int32_t columns = a->columns;
  const float squared = p->ratio * p->ratio;
  const lanes weight = lanes_splat(row == border ? squared : negate(squared));
  const float *from = near_row(p->x, a->pitch, border), *to = near_row(p->x, a->pitch, beside);
  float *force = p->force + 3 * row * a->pitch;
  for (int32_t i = 0; i < columns; i += CLOTH_LANES) {
    const lanes3 difference = lanes3_subtract(near_load(to, plane, i), near_load(from, plane, i));
    own_store(force, i, lanes3_add_scaled(own_load(force, i), difference, weight));
  }
}

/* A strand of rows: row `row` first, and the buffers of the rows around it. */
CLOTH_INLINE plate_strand strand_of(const plate_rows *p, int32_t row, int32_t n) {
  const solve_arrays *a = p->a;
  const int32_t next = STRAND_STEP * a->pitch;
  const float *x = p->x + n * a->plane + row * next;
  const plate_strand s = {.x = x,
                          .next = x + next,
                          .after = row + 2 < a->rows ? x + 2 * next : x + next,
                          .above = curvature_buffer(a, 0) + n * a->buffer,
                          .here = curvature_buffer(a, 1) + n * a->buffer,
                          .below = curvature_buffer(a, 2) + n * a->buffer,
                          .force = p->force + STRANDS * row * next + n * CLOTH_LANES};
  return s;
}

/* The same of all rows at the border and beside it, of those from `first` on. */
static void free_borders(const plate_rows *p, int32_t first, int32_t end) {
  const int32_t last = p->a->rows - 1;
  for (int32_t row = first; row < end && row < 2; row++) {
    free_border(p, 0, 1, row);
  }
  for (int32_t row = last - 1 > first ? last - 1 : first; row < end; row++) {
    free_border(p, last, last - 1, row);
  }
}

/* Puts what lies beyond the seam of a tube beside the ends of a strand. */
CLOTH_INLINE void close_strand(float *strand, int32_t end) {
  for (int32_t n = 0; n < STRAND_STEP; n++) {
    strand[n - STRAND_STEP] = strand[end - STRAND_STEP + n];
    strand[end + n] = strand[n];
  }
}

/* Goes on to the next row, `next` floats on. `is_last`: it has no row after the one below. */
CLOTH_INLINE void next_row(plate_strand *s, ptrdiff_t next, int32_t is_last) {
  float *above = s->above;
  s->x = s->next;
  s->next = s->after;
  s->after = is_last ? s->next : s->next + next;
  s->above = s->here;
  s->here = s->below;
  s->below = above;
  s->force += STRANDS * next;
}

/* The rows row .. end - 1 of a strand, of which none is short or the last. `is_square`: a constant. Returns `end`, or
   `row` if there are none. */
CLOTH_INLINE int32_t bend_strand(const plate_terms *t, plate_strand *s, const plate_rows *p, int32_t row, int32_t end,
                                 int32_t is_square) {
  const ptrdiff_t next = STRAND_STEP * p->a->pitch;
  const int32_t is_ring = p->a->is_ring, rows = p->a->rows;
  for (; row < end; row++) {
    if (is_ring) {
      bend_long_row(t, s, END_NONE, is_square);
      close_strand(s->below, t->end);
    } else {
      bend_long_row(t, s, END_LEFT | END_RIGHT, is_square);
    }
    next_row(s, next, row + 4 > rows);
  }
  return row;
}

/* The forces of the rows first .. end - 1, the matrix times x. */
CLOTH_HOT CLOTH_SEPARATE void bend_rows(const plate_rows *p, int32_t first, int32_t end) {
  const solve_arrays *a = p->a;
  const plate_terms t = plate_terms_of(p);
  const ptrdiff_t next = STRAND_STEP * a->pitch;
  const int32_t last = a->rows - 1, inner_end = end < last ? end : last;
  const int32_t ends = a->is_ring ? END_NONE : END_LEFT | END_RIGHT;
  const int32_t is_square = p->ratio == 1.0f, is_short = ends && t.end < END_FLOATS + 2 * STRAND_STEP;
  start_curvature(p, first, curvature_buffer(a, 1));
  if (first > 0) {
    start_curvature(p, first - 1, curvature_buffer(a, 0));
  } else {
    repeat_curvature(a);
  }
  for (int32_t n = 0; n < STRANDS; n++) {
    plate_strand s = strand_of(p, first, n);
    int32_t row = first;
    for (; is_short && row < inner_end; row++) {
      bend_any_row(&t, &s, ends, 0);
      next_row(&s, next, row + 3 > last);
    }
    if (is_square) {
      row = bend_strand(&t, &s, p, row, inner_end, 1);
    } else {
      row = bend_strand(&t, &s, p, row, inner_end, 0);
    }
    if (row < end) {
      bend_any_row(&t, &s, ends, 1);
    }
  }
  free_borders(p, first, end);
}
