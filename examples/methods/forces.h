#pragma once
#include "contact/repulsion.h"
#include "material.h"
#include "pieces.h"

/// Forces ///

/*
 * Sums of the laws' pulls over the sheet, products of their tangents with a vector, and the blocks of the particles in
 * that matrix. A family is walked row by row. The pulls of a row of elements are first kept in lines, one for each
 * component and edge; then node after node gets its own, so that every particle adds its pulls in the same order
 * whatever the number of lanes. A piece walks all rows of elements that have a node in its rows of particles.
 */

/* A row of elements. */
typedef struct element_row {
  const method_work *w;
  const element_family *f;
  int32_t row;
  const row_range *range; /* of the particles that may change */
} element_row;

/* The rows of elements with a node in a range of rows of particles. */
static void find_element_rows(const element_family *f, const row_range *range, int32_t *first, int32_t *end) {
  int32_t least = f->row[0], most = f->row[0];
  for (int32_t n = 1; n <= f->law.edges; n++) {
    least = f->row[n] < least ? f->row[n] : least;
    most = f->row[n] > most ? f->row[n] : most;
  }
  *first = range->first > most ? range->first - most : 0;
  *end = range->end - least < f->rows ? range->end - least : f->rows;
}

/* Factor of a block of elements: 1, or a half on the borders that `halved` names; 0 from lane `left` on. */
CLOTH_INLINE lanes element_scale(const element_row *r, int32_t column, int32_t left) {
  float factors[CLOTH_LANES];
  const int32_t is_warp = r->f->column[1] > r->f->column[0], last = is_warp ? r->f->rows - 1 : r->f->columns - 1;
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    const int32_t place = is_warp ? r->row : column + lane;
    factors[lane] = r->f->halved && (place == 0 || place == last) ? 0.5f : 1.0f;
  }
  return lanes_within(lanes_load(factors), left);
}

/* Edges of a block of elements in a field: node n minus node 0. */
CLOTH_INLINE void load_edges(const element_row *r, vector_array from, int32_t column, lanes3 *edges) {
  const int32_t columns = r->w->c->grid.columns;
  const lanes3 first = lanes3_load(from, (r->row + r->f->row[0]) * columns + column + r->f->column[0]);
  for (int32_t n = 1; n <= r->f->law.edges; n++) {
    const int32_t i = (r->row + r->f->row[n]) * columns + column + r->f->column[n];
    edges[n - 1] = lanes3_subtract(lanes3_load(from, i), first);
  }
}

/* Packed tangents of the element in a column. */
CLOTH_INLINE float *packed_at(const element_row *r, int32_t column) {
  return r->w->floats + r->f->packed + r->row * r->f->columns + column;
}

CLOTH_INLINE void load_packed(const element_row *r, int32_t column, lanes *packed) {
  const float *from = packed_at(r, column);
  for (int32_t n = 0; n < r->f->law.packed; n++) {
    packed[n] = lanes_load(from + n * packed_stride(r->f));
  }
}

static vector_array lines_of_edge(const element_row *r, int32_t edge) {
  const int32_t stride = line_stride(r->w);
  float *first = r->range->lines + 3 * edge * stride;
  const vector_array lines = {first, first + stride, first + 2 * stride};
  return lines;
}

CLOTH_INLINE void store_pulls(const element_row *r, int32_t column, const lanes3 *pulls) {
  for (int32_t n = 0; n < r->f->law.edges; n++) {
    lanes3_store(lines_of_edge(r, n), column, pulls[n], r->f->columns - column);
  }
}

/* Adds a line of pulls to a node of the row's elements, or subtracts it, if the node is in the range. */
static void add_line(const element_row *r, int32_t edge, int32_t node, float sign, vector_array to) {
  const vector_array lines = lines_of_edge(r, edge);
  const int32_t row = r->row + r->f->row[node], first = row * r->w->c->grid.columns + r->f->column[node];
  if (row < r->range->first || row >= r->range->end) { return; }
  for (int32_t column = 0; column < r->f->columns; column += CLOTH_LANES) {
    const lanes3 sum =
        lanes3_add_scaled(lanes3_load(to, first + column), lanes3_load(lines, column), lanes_splat(sign));
    lanes3_store(to, first + column, sum, r->f->columns - column);
  }
}

/* Adds the pulls of a row, in its lines, to the particles of a field: all that one node gains, then the next. */
static void add_row_pulls(const element_row *r, vector_array to) {
  for (int32_t n = 0; n < r->f->law.edges; n++) {
    add_line(r, n, 0, 1.0f, to);
    add_line(r, n, n + 1, -1.0f, to);
  }
}

/* Pulls at positions and velocities that are added to a field. */
typedef struct pull_stage {
  vector_array x, v, to;
  int is_implicit; /* 1: of the implicit families, 0: of the explicit ones */
  int packs;       /* 1: stores the tangents, too */
} pull_stage;

/* The pulls of a block of elements, into the lines of the row. */
static void pull_elements(const element_row *r, const pull_stage *s, int32_t column) {
  const int32_t left = r->f->columns - column;
  const int packs = s->packs && r->row >= r->range->first && r->row < r->range->end; /* each row once */
  law_elements in;
  law_pulls out;
  load_edges(r, s->x, column, in.d);
  load_edges(r, s->v, column, in.v);
  in.scale = element_scale(r, column, left);
  law_pull(&r->f->law, &in, &out);
  store_pulls(r, column, out.along);
  for (int32_t n = 0; packs && n < r->f->law.packed; n++) {
    lanes_store_first(packed_at(r, column) + n * packed_stride(r->f), out.packed[n], left);
  }
}

static void add_pulls_to_rows(const method_work *w, const void *what, const row_range *range) {
  const pull_stage *s = (const pull_stage *)what;
  for (int32_t n = 0; n < w->family_count; n++) {
    element_row r = {w, &w->family[n], 0, range};
    int32_t end;
    if (r.f->is_implicit != s->is_implicit) { continue; }
    for (find_element_rows(r.f, range, &r.row, &end); r.row < end; r.row++) {
      for (int32_t column = 0; column < r.f->columns; column += CLOTH_LANES) {
        pull_elements(&r, s, column);
      }
      add_row_pulls(&r, s->to);
    }
  }
}

/* Adds the pulls of the implicit or of the explicit families. */
static void add_pulls(method_work *w, int is_implicit, vector_array x, vector_array v, int packs, vector_array to) {
  const pull_stage stage = {x, v, to, is_implicit, packs};
  run_rows(w, add_pulls_to_rows, &stage);
  const int pairs_act = is_implicit == (w->method->scheme != CLOTH_SCHEME_EXPLICIT);
  if (pairs_act && w->pair_count > 0) { add_pair_pulls(w, x, v, is_implicit ? w->tau : w->k, packs, to); }
  w->report->evaluations += is_implicit;
}

/* A product of the matrix with a field. */
typedef struct product_stage {
  vector_array p, to;
} product_stage;

/* The pulls of a block of elements by the field, into the lines of the row. */
static void multiply_elements(const element_row *r, vector_array p, int32_t column) {
  lanes packed[LAW_PACKED];
  lanes3 e[LAW_EDGES], pulls[LAW_EDGES];
  load_packed(r, column, packed);
  load_edges(r, p, column, e);
  law_tangent(&r->f->law, packed, e, pulls);
  store_pulls(r, column, pulls);
}

/* to = the tangents of the implicit families times p, of a range of rows. */
static void multiply_rows(const method_work *w, const void *what, const row_range *range) {
  const product_stage *s = (const product_stage *)what;
  EACH_BLOCK_OF_ROWS(i, left, w, range, lanes3_store(s->to, i, lanes3_splat(vector(0.0f, 0.0f, 0.0f)), left));
  for (int32_t n = 0; n < w->family_count; n++) {
    element_row r = {w, &w->family[n], 0, range};
    int32_t end;
    for (find_element_rows(r.f, range, &r.row, &end); r.f->is_implicit && r.row < end; r.row++) {
      for (int32_t column = 0; column < r.f->columns; column += CLOTH_LANES) {
        multiply_elements(&r, s->p, column);
      }
      add_row_pulls(&r, s->to);
    }
  }
}

/* to = M p - to, of a range of rows. Leaves the terms of p . to. */
static void subtract_from_inertia(const method_work *w, const void *what, const row_range *range) {
  const product_stage *s = (const product_stage *)what;
  EACH_BLOCK_OF_ROWS(i, left, w, range, {
    const lanes3 p = lanes3_load(s->p, i);
    const lanes3 inertia = lanes3_scale(p, mass_ratio_lanes(w->c, i));
    const lanes3 product = lanes3_quantise(lanes3_subtract(inertia, lanes3_load(s->to, i)), WORK_ROUNDER);
    lanes3_store(s->to, i, product, left);
    lanes_store_first(terms_of(w) + i, lanes3_dot(p, product), left);
  });
}

/* to = M p + the tangents of the implicit families times p. Leaves the terms of p . to. */
static void apply_tangents(const method_work *w, vector_array p, vector_array to) {
  const product_stage stage = {p, to};
  run_rows(w, multiply_rows, &stage);
  add_pair_tangents(w, p, to);
  run_rows(w, subtract_from_inertia, &stage);
}

/// Blocks of the particles ///

static symmetric block_at(const method_work *w, int32_t i) {
  return symmetric_at(w->floats + w->inverse + i, w->c->stride);
}

static void store_block(const method_work *w, int32_t i, symmetric m, int32_t left) {
  float *to = w->floats + w->inverse + i;
  const lanes entries[SYMMETRIC_FLOATS] = {m.xx, m.yy, m.zz, m.xy, m.xz, m.yz};
  for (int32_t n = 0; n < SYMMETRIC_FLOATS; n++) {
    lanes_store_first(to + n * w->c->stride, entries[n], left);
  }
}

/* Pull on node `node` of a block of elements by a unit velocity change of that node along an axis. */
CLOTH_INLINE lanes3 own_pull(const method_law *l, const lanes *packed, int32_t node, cloth_vector axis) {
  const lanes3 zero = lanes3_splat(vector(0.0f, 0.0f, 0.0f)), unit = lanes3_splat(axis);
  lanes3 e[LAW_EDGES], pulls[LAW_EDGES] = {zero};
  for (int32_t n = 0; n < l->edges; n++) {
    e[n] = node == 0 || node == n + 1 ? unit : zero;
  }
  law_tangent(l, packed, e, pulls);
  if (node > 0) { return pulls[node - 1]; }
  for (int32_t n = 1; n < l->edges; n++) {
    pulls[0] = lanes3_add(pulls[0], pulls[n]);
  }
  return pulls[0];
}

/* Adds the blocks of one node of a row of elements to the particles. */
static void add_node_blocks(const element_row *r, int32_t node) {
  const int32_t first = (r->row + r->f->row[node]) * r->w->c->grid.columns + r->f->column[node];
  for (int32_t column = 0; column < r->f->columns; column += CLOTH_LANES) {
    lanes packed[LAW_PACKED];
    load_packed(r, column, packed);
    const lanes3 x = own_pull(&r->f->law, packed, node, vector(1.0f, 0.0f, 0.0f));
    const lanes3 y = own_pull(&r->f->law, packed, node, vector(0.0f, 1.0f, 0.0f));
    const lanes3 z = own_pull(&r->f->law, packed, node, vector(0.0f, 0.0f, 1.0f));
    const symmetric m = {.xx = x.x, .yy = y.y, .zz = z.z, .xy = x.y, .xz = x.z, .yz = y.z};
    symmetric sum = symmetric_add(block_at(r->w, first + column), m);
    store_block(r->w, first + column, sum, r->f->columns - column);
  }
}

/* The particles' blocks of the matrix. */
static void sum_blocks(method_work *w) {
  const cloth *c = w->c;
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    store_block(w, i, symmetric_identity(mass_ratio_lanes(c, i)), c->count - i);
  }
  for (int32_t n = 0; n < w->family_count; n++) {
    element_row r = {w, &w->family[n], 0, NULL};
    for (r.row = 0; r.f->is_implicit && r.row < r.f->rows; r.row++) {
      for (int32_t node = 0; node <= r.f->law.edges; node++) {
        add_node_blocks(&r, node);
      }
    }
  }
  add_pair_blocks(w);
}

/* The blocks that the mask chooses, else 0. */
CLOTH_INLINE symmetric block_kept(lanes_mask mask, symmetric m) {
  const symmetric kept = {.xx = lanes_keep(mask, m.xx),
                          .yy = lanes_keep(mask, m.yy),
                          .zz = lanes_keep(mask, m.zz),
                          .xy = lanes_keep(mask, m.xy),
                          .xz = lanes_keep(mask, m.xz),
                          .yz = lanes_keep(mask, m.yz)};
  return kept;
}

/* Replaces them by their inverses, and by 0 for pinned particles. */
static void invert_sums(const method_work *w) {
  const cloth *c = w->c;
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    const int32_t left = c->count - i;
    const lanes mass = lanes_select(lanes_first(left), mass_ratio_lanes(c, i), lanes_splat(1.0f));
    symmetric inverse = symmetric_inverse(symmetric_quantise(block_at(w, i)), mass);
    const lanes_mask moves = lanes_less(lanes_splat(0.0f), lanes_load(w->mobility + i));
    store_block(w, i, block_kept(moves, symmetric_quantise(inverse)), left);
  }
}
