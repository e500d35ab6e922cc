#pragma once
#include "../cloth/arrays.h"

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
 * alone. It is formed without its factor a^2, with the ratio b / a = u^2 / v^2, left out where it is 1. Where hinges
 * differ from each other the sums are formed as they stand above, with a factor for each. Viscosity of a time constant
 * tau makes the plate act on x + tau / h (x - x_n). Scratch: the row buffers BUFFER_CURVATURE.
 */

/* Times kappa that the hinges along a line put on an element's diagonal: 1, 4, 1 for each, none at open ends. */
static float hinges_on_element(int32_t element, int32_t count, int32_t is_ring) {
  float sum = 0.0f;
  CLOTH_UNROLL
  for (int32_t n = -1; n <= 1; n++) {
    const int32_t hinge = element + n;
    const int32_t exists = is_ring || (hinge > 0 && hinge + 1 < count);
    sum += exists ? (hinge == element ? 4.0f : 1.0f) : 0.0f;
  }
  return sum;
}

static float cells_at_element(int32_t element, int32_t count, int32_t is_ring) {
  return is_ring || (element > 0 && element + 1 < count) ? 2.0f : 1.0f;
}

/* Components of vectors do not know of each other here, so rows are strands of floats, one for each component, or with
   one lane a single one. What lies beside a float of a strand is STRAND_STEP floats apart. */
#define STRANDS (CLOTH_LANES == 1 ? 1 : 3)
#define STRAND_STEP NEAR_STEP

/* Floats of a strand that a column takes, in whole blocks: at an end of a sheet one column has a neighbour less. */
#define END_FLOATS ((STRAND_STEP + CLOTH_LANES - 1) / CLOTH_LANES * CLOTH_LANES)

/* Coefficients of the plate as its rows take them. */
typedef struct plate_rows {
  const solve_arrays *a;
  float *x, *force;        /* the vectors, a near array, and the forces, an own array */
  float ratio;             /* b / a */
  float warp, weft, twist; /* kappa_u, kappa_v and kappa_2; with factors alone */
} plate_rows;

/* A row buffer of the curvature; with factors there are four. */
CLOTH_INLINE float *curvature_buffer(const solve_arrays *a, int32_t number) {
  return vector_buffer(a, BUFFER_CURVATURE + number);
}

/* What the forces have to be multiplied by: a^2, or 1 with factors. `factor`: of all stiffness. */
static float plate_scale(const solve_arrays *a, const substep_terms *t, float factor) {
  return a->factors ? 1.0f : t->hinge[WARP] * factor;
}

static plate_rows plate_of(const solve_arrays *a, const substep_terms *t, float *x, float *force, float factor) {
  return (plate_rows){.a = a,
                      .x = x,
                      .force = force,
                      .ratio = t->hinge_ratio,
                      .warp = t->hinge[WARP] * factor,
                      .weft = t->hinge[WEFT] * factor,
                      .twist = t->twist * factor};
}

/* Which ends of a sheet a block of a strand may lie at: constants. */
#define END_NONE 0
#define END_LEFT 1
#define END_RIGHT 2

/* The coefficients of the plate for a block, and where its strands end. */
typedef struct plate_terms {
  lanes ratio, centre;   /* b / a and -2 (1 + b / a) */
  lanes_mask first_last; /* in blocks from `outer` on: lanes with something on their right */
  ptrdiff_t outer;       /* floats of a strand from which on blocks are at an end */
  ptrdiff_t next;        /* floats from a row to the next */
  int32_t end, rows;     /* all floats, and the rows of the grid */
} plate_terms;

/* Those with something on their right of the block at float i of a strand. */
CLOTH_INLINE lanes_mask before_end(int32_t end, int32_t i) {
  return lanes_first(end - STRAND_STEP - i);
}

CLOTH_INLINE plate_terms plate_terms_of(const plate_rows *p) {
  const int32_t end = STRAND_STEP * p->a->columns, inside = end - STRAND_STEP - END_FLOATS;
  const int32_t blocks = inside < 0 ? 0 : inside / CLOTH_LANES;
  const int32_t outer = p->a->is_ring ? end : END_FLOATS + blocks * CLOTH_LANES;
  return (plate_terms){.ratio = lanes_splat(p->ratio),
                       .centre = lanes_splat(-2.0f * (1.0f + p->ratio)),
                       .first_last = before_end(end, outer),
                       .outer = outer,
                       .next = STRAND_STEP * (ptrdiff_t)p->a->pitch,
                       .end = end,
                       .rows = p->a->rows};
}

/* The sum of what lies beside a block of a strand: the element itself where nothing does. */
CLOTH_INLINE lanes sum_beside(const float *row, ptrdiff_t i, int32_t ends, lanes_mask before) {
  lanes left = lanes_load(row + i - STRAND_STEP), right = lanes_load(row + i + STRAND_STEP);
  if (ends & END_LEFT) { left = lanes_select(lanes_first(STRAND_STEP - (int32_t)i), lanes_load(row + i), left); }
  if (ends & END_RIGHT) { right = lanes_select(before, right, lanes_load(row + i)); }
  return lanes_add(left, right);
}

/* D_u + b / a D_v of a block, from sums of what lies beside it. `is_square`: 1 only if the ratio is 1; a constant. */
CLOTH_INLINE lanes curvature(const plate_terms *p, lanes along, lanes across, lanes x, int32_t is_square) {
  const lanes sum = lanes_add(along, is_square ? across : lanes_multiply(across, p->ratio));
  return lanes_add(sum, lanes_multiply(x, p->centre));
}

/* A strand of a row: of the vectors, with the row below and the one after; of the curvature of the row and of that
   above; of the force. Rows that are not there are the row at the border. */
typedef struct plate_strand {
  const float *x, *below, *after;
  float *here, *beside, *force;
} plate_strand;

/* Constants of a row: whether there is none below it, and whether cells are square. */
typedef struct row_kind {
  int32_t is_last, is_square;
} row_kind;

/* The differences at both ends of a strand of a row. */
typedef struct end_differences {
  float left[STRAND_STEP], right[STRAND_STEP];
} end_differences;

/* What the ends of a row of a sheet take beside its blocks: -E_u^T E_u, at each end the difference from the last column
   to the one before it, and the negative of that for the latter. The first goes into the curvature beside the row. */
CLOTH_INLINE void open_ends(const plate_strand *s, int32_t end, end_differences *differences) {
  end_differences d;
  for (int32_t n = 0; n < STRAND_STEP; n++) {
    const int32_t last = end - STRAND_STEP + n;
    d.left[n] = s->x[n + STRAND_STEP] - s->x[n];
    d.right[n] = s->x[last - STRAND_STEP] - s->x[last];
    s->here[n - STRAND_STEP] = s->here[n] + d.left[n];
    s->here[end + n] = s->here[last] + d.right[n];
  }
  *differences = d;
}

/* The other part, added to the force of the row. */
CLOTH_INLINE void free_ends(const plate_strand *s, int32_t end, const end_differences *d) {
  for (int32_t n = 0; n < STRAND_STEP; n++) {
    const int32_t last = end - STRAND_STEP + n;
    *own_at(s->force, STRANDS, STRAND_STEP + n, 0) -= d->left[n];
    *own_at(s->force, STRANDS, last - STRAND_STEP, 0) -= d->right[n];
  }
}

/* Puts what lies beyond the seam of a tube beside the ends of a strand. */
CLOTH_INLINE void close_strand(float *strand, int32_t end) {
  for (int32_t n = 0; n < STRAND_STEP; n++) {
    strand[n - STRAND_STEP] = strand[end - STRAND_STEP + n];
    strand[end + n] = strand[n];
  }
}

/* The force of a block of a row, and the curvature of the row below. `ends`: at which it may lie, a constant. */
CLOTH_INLINE void bend_block(const plate_terms *p, const plate_strand *s, ptrdiff_t i, int32_t ends, lanes_mask before,
                             row_kind kind) {
  lanes across;
  if (kind.is_last) {
    across = lanes_add(lanes_load(s->beside + i), lanes_load(s->here + i));
  } else {
    const lanes over = lanes_add(lanes_load(s->x + i), lanes_load(s->after + i));
    const lanes down =
        curvature(p, sum_beside(s->below, i, ends, before), over, lanes_load(s->below + i), kind.is_square);
    across = lanes_add(lanes_load(s->beside + i), down);
    lanes_store(s->beside + i, down);
  }
  const lanes here = lanes_load(s->here + i); /* after the store, as an operand in memory */
  const lanes sum = curvature(p, sum_beside(s->here, i, END_NONE, before), across, here, kind.is_square);
  lanes_store(OWN(s->force, STRANDS, i, 0), sum);
}

/* The same of a row that may be short or the last. `ends`: which it has. */
CLOTH_INLINE void bend_any_row(const plate_terms *p, const plate_strand *s, int32_t ends, int32_t is_last) {
  const row_kind kind = {is_last, 0};
  end_differences d;
  if (ends) {
    open_ends(s, p->end, &d);
  } else {
    close_strand(s->here, p->end);
  }
  for (int32_t i = 0; i < p->end; i += CLOTH_LANES) {
    const lanes_mask before = before_end(p->end, i);
    if (ends) {
      bend_block(p, s, i, END_LEFT | END_RIGHT, before, kind);
    } else {
      bend_block(p, s, i, END_NONE, before, kind);
    }
  }
  if (ends) { free_ends(s, p->end, &d); }
}

/* The same of a row whose ends lie in different blocks, or which has none. `ends`, `is_square`: constants. */
CLOTH_INLINE void bend_long_row(const plate_terms *p, const plate_strand *s, int32_t ends, int32_t is_square) {
  const row_kind kind = {0, is_square};
  const ptrdiff_t inner = ends ? END_FLOATS : 0, outer = p->outer;
  for (ptrdiff_t i = 0; i < inner; i += CLOTH_LANES) {
    bend_block(p, s, i, END_LEFT, p->first_last, kind);
  }
  for (ptrdiff_t i = inner; i < outer; i += STRAND_STEP * CLOTH_LANES) {
    CLOTH_UNROLL
    for (ptrdiff_t n = 0; n < STRAND_STEP; n++) { /* with one lane, the components of a column */
      bend_block(p, s, i + n, END_NONE, p->first_last, kind);
    }
  }
  for (ptrdiff_t i = 0; i < inner; i += CLOTH_LANES) {
    bend_block(p, s, outer + i, END_RIGHT, p->first_last, kind);
  }
}

static void start_curvature(const plate_rows *p, int32_t row, float *out) {
  const solve_arrays *a = p->a;
  const plate_terms t = plate_terms_of(p);
  const int32_t next = STRAND_STEP * a->pitch;
  for (int32_t n = 0; n < STRANDS; n++) {
    const float *x = p->x + n * a->plane + row * next;
    const float *above = row > 0 ? x - next : x, *below = row + 1 < a->rows ? x + next : x;
    for (int32_t i = 0; i < t.end; i += CLOTH_LANES) {
      const lanes here = lanes_load(x + i), over = lanes_add(lanes_load(above + i), lanes_load(below + i));
      const lanes_mask before = before_end(t.end, i);
      const lanes beside =
          a->is_ring ? sum_beside(x, i, END_NONE, before) : sum_beside(x, i, END_LEFT | END_RIGHT, before);
      lanes_store(out + n * a->buffer + i, curvature(&t, beside, over, here, 0));
    }
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

/* A strand of row `row` of those from `first` on, and the buffers of the rows around it. */
CLOTH_INLINE plate_strand strand_of(const plate_rows *p, int32_t row, int32_t n, int32_t first) {
  const solve_arrays *a = p->a;
  const ptrdiff_t next = STRAND_STEP * (ptrdiff_t)a->pitch;
  const int32_t here = (row - first) % 2 == 0;
  const float *x = p->x + n * a->plane + row * next;
  return (plate_strand){.x = x,
                        .below = x + next,
                        .after = row + 2 < a->rows ? x + 2 * next : x + next,
                        .here = curvature_buffer(a, here) + n * a->buffer,
                        .beside = curvature_buffer(a, !here) + n * a->buffer,
                        .force = p->force + STRANDS * row * next + n * CLOTH_LANES};
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

CLOTH_INLINE void next_row(plate_strand *s, ptrdiff_t next) {
  float *here = s->here;
  s->x = s->below;
  s->below += next;
  s->after += next;
  s->here = s->beside;
  s->beside = here;
  s->force += STRANDS * next;
}

/* The rows row .. end - 1 of a strand, none of which is short or the last. `ends`, `is_square`: constants. */
CLOTH_INLINE void bend_long_rows(const plate_terms *t, const plate_strand *strand, int32_t row, int32_t end,
                                 int32_t ends, int32_t is_square) {
  plate_strand s = *strand;
  const int32_t last = t->rows - 1;
  for (int32_t part = 0; part < 2; part++) { /* rows that have one after the next, and the one that has not */
    const int32_t before = part == 0 && end > last - 1 ? last - 1 : end;
    for (; row < before; row++) {
      end_differences d;
      if (ends) {
        open_ends(&s, t->end, &d);
      } else {
        close_strand(s.here, t->end);
      }
      bend_long_row(t, &s, ends, is_square);
      if (ends) { free_ends(&s, t->end, &d); }
      next_row(&s, t->next);
    }
    s.after = s.below;
  }
}

/* The same, of a tube or not, and of square cells or not. */
CLOTH_INLINE void bend_strand(const plate_rows *p, const plate_terms *t, const plate_strand *s, int32_t row,
                              int32_t end) {
  const int32_t is_square = p->ratio == 1.0f;
  if (p->a->is_ring) { /* a ratio of 1 gives the same bits */
    bend_long_rows(t, s, row, end, END_NONE, 0);
  } else if (is_square) {
    bend_long_rows(t, s, row, end, END_LEFT | END_RIGHT, 1);
  } else {
    bend_long_rows(t, s, row, end, END_LEFT | END_RIGHT, 0);
  }
}

/* The forces of the rows first .. end - 1, the matrix times x. */
CLOTH_HOT CLOTH_SEPARATE void bend_rows(const plate_rows *p, int32_t first, int32_t end) {
  const solve_arrays *a = p->a;
  const plate_terms t = plate_terms_of(p);
  const int32_t last = a->rows - 1, inner_end = end < last ? end : last;
  const int32_t ends = a->is_ring ? END_NONE : END_LEFT | END_RIGHT;
  const int32_t is_short = ends && t.end < END_FLOATS + STRAND_STEP;
  start_curvature(p, first, curvature_buffer(a, 1));
  if (first > 0) {
    start_curvature(p, first - 1, curvature_buffer(a, 0));
  } else {
    const float *from = curvature_buffer(a, 1); /* that of the first row counts for the one before it, too */
    float *to = curvature_buffer(a, 0);
    for (int32_t i = 0; i < 3 * (int32_t)a->buffer - 2 * STRAND_STEP * BUFFER_PAD; i += CLOTH_LANES) {
      lanes_store(to + i, lanes_load(from + i));
    }
  }
  for (int32_t n = 0; n < STRANDS; n++) {
    if (!is_short) {
      const plate_strand s = strand_of(p, first, n, first);
      bend_strand(p, &t, &s, first, inner_end);
    }
    for (int32_t row = is_short ? first : inner_end; row < end; row++) {
      const plate_strand s = strand_of(p, row, n, first);
      bend_any_row(&t, &s, ends, row == last);
    }
  }
  free_borders(p, first, end);
}

/// Hinges ///

/*
 * The plate as it stands above, where hinges and cells have factors (links.h). With H_u and H_v the forces of the
 * hinges whose middles are in a row, along warp and weft, and T the differences along the row of those of the cells
 * between it and the next, the force of row j is
 *
 *   H_u(i - 1) - 2 H_u(i) + H_u(i + 1) + H_v(j - 1) - 2 H_v(j) + H_v(j + 1) + T(j) - T(j - 1)
 *
 * begun in the pass over row j and ended in that over the next. Scratch: BUFFER_CURVATURE, BUFFER_HINGES.
 */

CLOTH_INLINE lanes factor_at(const float *factors, int32_t i, int32_t which) {
  return lanes_load(OWN(factors, FACTOR_FLOATS, i, which));
}

/* The rows around one as the hinges take them. */
typedef struct hinge_row {
  const float *up, *here, *down; /* near rows of the vectors: the row itself where there is none */
  const float *factors;
  ptrdiff_t plane;
  lanes warp, weft, twist; /* kappa_u, kappa_v, kappa_2 */
} hinge_row;

CLOTH_INLINE hinge_row hinge_row_of(const plate_rows *p, int32_t row) {
  const solve_arrays *a = p->a;
  const int32_t next = NEAR_STEP * a->pitch;
  const float *here = p->x + row * next;
  return (hinge_row){.up = row > 0 ? here - next : here,
                     .here = here,
                     .down = row + 1 < a->rows ? here + next : here,
                     .factors = a->factors + FACTOR_FLOATS * row * a->pitch,
                     .plane = a->plane,
                     .warp = lanes_splat(p->warp),
                     .weft = lanes_splat(p->weft),
                     .twist = lanes_splat(p->twist)};
}

/* x_0 - 2 x_1 + x_2 of a block of hinges along warp and weft, and x_0 - x_1 - x_2 + x_3 of cells; their stiffness. */
typedef struct hinge_block {
  lanes3 warp, weft, twist;
  lanes of_warp, of_weft, of_twist;
} hinge_block;

CLOTH_DIRECT hinge_block hinges_at(const hinge_row *r, int32_t i) {
  const ptrdiff_t plane = r->plane;
  const lanes3 here = near_load(r->here, plane, i), twice = lanes3_add(here, here);
  const lanes3 right = near_load(r->here, plane, i + 1), down = near_load(r->down, plane, i);
  const lanes3 along = lanes3_add(near_load(r->here, plane, i - 1), right);
  const lanes3 across = lanes3_add(near_load(r->up, plane, i), down);
  const lanes3 below = lanes3_subtract(down, near_load(r->down, plane, i + 1));
  return (hinge_block){.warp = lanes3_subtract(along, twice),
                       .weft = lanes3_subtract(across, twice),
                       .twist = lanes3_subtract(lanes3_subtract(here, right), below),
                       .of_warp = lanes_multiply(r->warp, factor_at(r->factors, i, FACTOR_HINGE + WARP)),
                       .of_weft = lanes_multiply(r->weft, factor_at(r->factors, i, FACTOR_HINGE + WEFT)),
                       .of_twist = lanes_multiply(r->twist, factor_at(r->factors, i, FACTOR_TWIST))};
}

/* Where what a row leaves to others waits: H_u of two rows, forces of cells; H_v - T, and a row nobody wants. */
typedef struct hinge_buffers {
  float *along, *along_above, *cells, *left_over, *spare;
} hinge_buffers;

CLOTH_INLINE hinge_buffers hinge_buffers_of(const solve_arrays *a, int32_t row) {
  return (hinge_buffers){.along = curvature_buffer(a, row & 1),
                         .along_above = curvature_buffer(a, ~row & 1),
                         .cells = curvature_buffer(a, 2),
                         .left_over = curvature_buffer(a, 3),
                         .spare = vector_buffer(a, BUFFER_HINGES)};
}

/* Moves what the cell across the seam of a tube brings to column 0 to the force, `begun`, and what is left over. */
static void close_cells(const hinge_buffers *b, const solve_arrays *a, float *begun) {
  const cloth_vector seam = near_vector(b->cells, a->buffer, a->columns - 1);
  const float of_seam[3] = {seam.x, seam.y, seam.z};
  for (int32_t n = 0; n < 3; n++) {
    begun[n * CLOTH_LANES] -= of_seam[n];
    b->left_over[n * CLOTH_LANES] += of_seam[n];
  }
  close_ring(b->along, a->buffer, a->columns);
}

/* Begins the force of row `row` in `begun`, and ends that of the row above, in `above`. */
CLOTH_ONCE void bend_row_with_factors(const plate_rows *p, int32_t row, float *above, float *begun) {
  const solve_arrays *a = p->a;
  const hinge_row r = hinge_row_of(p, row);
  const hinge_buffers b = hinge_buffers_of(a, row);
  const ptrdiff_t buffer = a->buffer;
  const int32_t columns = a->columns;
  for (int32_t i = 0; i < columns; i += CLOTH_LANES) {
    const hinge_block h = hinges_at(&r, i);
    const lanes3 weft = lanes3_scale(h.weft, h.of_weft), warp = lanes3_scale(h.warp, h.of_warp);
    const lanes3 cell = lanes3_scale(h.twist, h.of_twist);
    near_store(b.along, buffer, i, warp);
    near_store(b.cells, buffer, i, cell);
    const lanes3 beside = lanes3_add(near_load(b.along_above, buffer, i - 1), near_load(b.along_above, buffer, i + 1));
    own_store(above, i, lanes3_add(own_load(above, i), lanes3_add(weft, beside)));
    const lanes3 twist = lanes3_subtract(cell, near_load(b.cells, buffer, i - 1)), both = lanes3_add(warp, weft);
    const lanes3 sum = lanes3_add(own_load(b.left_over, i), twist);
    own_store(begun, i, lanes3_subtract(sum, lanes3_add(both, both)));
    own_store(b.left_over, i, lanes3_subtract(weft, twist));
  }
  if (a->is_ring) { close_cells(&b, a, begun); }
}

CLOTH_ONCE void bend_last_row(const plate_rows *p, float *force) {
  const solve_arrays *a = p->a;
  const float *along = hinge_buffers_of(a, a->rows - 1).along;
  const ptrdiff_t buffer = a->buffer;
  const int32_t columns = a->columns;
  for (int32_t i = 0; i < columns; i += CLOTH_LANES) {
    const lanes3 beside = lanes3_add(near_load(along, buffer, i - 1), near_load(along, buffer, i + 1));
    own_store(force, i, lanes3_add(own_load(force, i), beside));
  }
}

/* The forces of the rows first .. end - 1: by the Laplacian where nothing differs. */
static void bend_plate(const plate_rows *p, int32_t first, int32_t end) {
  const solve_arrays *a = p->a;
  const int32_t next = 3 * a->pitch;
  if (!a->factors) {
    bend_rows(p, first, end);
    return;
  }
  const hinge_buffers b = hinge_buffers_of(a, 0);
  clear_floats(b.left_over, next);
  for (int32_t row = first > 0 ? first - 1 : first; row <= end && row < a->rows; row++) {
    float *force = p->force + row * next;
    bend_row_with_factors(p, row, row > first ? force - next : b.spare, row >= first && row < end ? force : b.spare);
  }
  if (end == a->rows) { bend_last_row(p, p->force + (end - 1) * next); }
}
