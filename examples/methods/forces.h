#pragma once
#include "contact/repulsion.h"
#include "material.h"

/// Forces ///

/*
 * Sums of the laws' pulls over the sheet, products of their tangents with a vector, and the blocks of the particles in
 * that matrix. A family is walked row by row. The pulls of a row of elements are first kept in lines, one for each
 * component and edge; then node after node gets its own, so that every particle adds its pulls in the same order
 * whatever the number of lanes.
 */

/* A row of elements. */
typedef struct element_row {
  const method_work *w;
  element_family *f;
  int32_t row;
} element_row;

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

static vector_array lines_of_edge(const method_work *w, int32_t edge) {
  const vector_array lines = {row_line(w, 3 * edge), row_line(w, 3 * edge + 1), row_line(w, 3 * edge + 2)};
  return lines;
}

CLOTH_INLINE void store_pulls(const element_row *r, int32_t column, const lanes3 *pulls) {
  for (int32_t n = 0; n < r->f->law.edges; n++) {
    lanes3_store(lines_of_edge(r->w, n), column, pulls[n], r->f->columns - column);
  }
}

/* Adds a line of pulls to the particles from one on, or subtracts it. */
static void add_line(const element_row *r, int32_t edge, int32_t first, float sign, vector_array to) {
  const vector_array lines = lines_of_edge(r->w, edge);
  for (int32_t column = 0; column < r->f->columns; column += CLOTH_LANES) {
    const lanes3 sum =
        lanes3_add_scaled(lanes3_load(to, first + column), lanes3_load(lines, column), lanes_splat(sign));
    lanes3_store(to, first + column, sum, r->f->columns - column);
  }
}

/* Adds the pulls of a row, in its lines, to the particles of a field: all that one node gains, then the next. */
static void add_row_pulls(const element_row *r, vector_array to) {
  const int32_t columns = r->w->c->grid.columns;
  for (int32_t n = 0; n < r->f->law.edges; n++) {
    add_line(r, n, (r->row + r->f->row[0]) * columns + r->f->column[0], 1.0f, to);
    add_line(r, n, (r->row + r->f->row[n + 1]) * columns + r->f->column[n + 1], -1.0f, to);
  }
}

/* Adds the pulls of a family at positions x and velocities v to a field. Stores the tangents if `packs`. */
static void add_family_pulls(const method_work *w, element_family *f, vector_array x, vector_array v, int packs,
                             vector_array to) {
  element_row r = {w, f, 0};
  for (r.row = 0; r.row < f->rows; r.row++) {
    for (int32_t column = 0; column < f->columns; column += CLOTH_LANES) {
      const int32_t left = f->columns - column;
      law_elements in;
      law_pulls out;
      load_edges(&r, x, column, in.d);
      load_edges(&r, v, column, in.v);
      in.scale = element_scale(&r, column, left);
      law_pull(&f->law, &in, &out);
      store_pulls(&r, column, out.along);
      for (int32_t n = 0; packs && n < f->law.packed; n++) {
        lanes_store_first(packed_at(&r, column) + n * packed_stride(f), out.packed[n], left);
      }
    }
    add_row_pulls(&r, to);
  }
}

/* Adds the pulls of the implicit or of the explicit families. */
static void add_pulls(method_work *w, int is_implicit, vector_array x, vector_array v, int packs, vector_array to) {
  for (int32_t n = 0; n < w->family_count; n++) {
    if (w->family[n].is_implicit == is_implicit) {
      add_family_pulls(w, &w->family[n], x, v, packs, to);
    }
  }
  const int pairs_act = is_implicit == (w->method->scheme != CLOTH_SCHEME_EXPLICIT);
  if (pairs_act && w->pair_count > 0) {
    add_pair_pulls(w, x, v, is_implicit ? w->tau : w->k, packs, to);
  }
  w->report->evaluations += is_implicit;
}

/* to = M p + the tangents of the implicit families times p. */
static void apply_tangents(method_work *w, vector_array p, vector_array to) {
  const cloth *c = w->c;
  fill_vectors(c, to, 0.0f);
  for (int32_t n = 0; n < w->family_count; n++) {
    element_row r = {w, &w->family[n], 0};
    for (r.row = 0; r.f->is_implicit && r.row < r.f->rows; r.row++) {
      for (int32_t column = 0; column < r.f->columns; column += CLOTH_LANES) {
        lanes packed[LAW_PACKED];
        lanes3 e[LAW_EDGES], pulls[LAW_EDGES];
        load_packed(&r, column, packed);
        load_edges(&r, p, column, e);
        law_tangent(&r.f->law, packed, e, pulls);
        store_pulls(&r, column, pulls);
      }
      add_row_pulls(&r, to);
    }
  }
  add_pair_tangents(w, p, to);
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    const lanes3 inertia = lanes3_scale(lanes3_load(p, i), mass_ratio_lanes(c, i));
    lanes3_store(to, i, lanes3_quantise(lanes3_subtract(inertia, lanes3_load(to, i)), WORK_ROUNDER), c->count - i);
  }
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
  if (node > 0) {
    return pulls[node - 1];
  }
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

/* Sets the preconditioner: the inverse of each particle's block of the matrix, 0 for pinned ones. */
static void build_blocks(method_work *w) {
  const cloth *c = w->c;
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    store_block(w, i, symmetric_identity(mass_ratio_lanes(c, i)), c->count - i);
  }
  for (int32_t n = 0; n < w->family_count; n++) {
    element_row r = {w, &w->family[n], 0};
    for (r.row = 0; r.f->is_implicit && r.row < r.f->rows; r.row++) {
      for (int32_t node = 0; node <= r.f->law.edges; node++) {
        add_node_blocks(&r, node);
      }
    }
  }
  add_pair_blocks(w);
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    const int32_t left = c->count - i;
    const lanes mass = lanes_select(lanes_first(left), mass_ratio_lanes(c, i), lanes_splat(1.0f));
    symmetric inverse = symmetric_inverse(symmetric_quantise(block_at(w, i)), mass);
    const lanes_mask moves = lanes_less(lanes_splat(0.0f), lanes_load(w->mobility + i));
    inverse = symmetric_scale(inverse, lanes_select(moves, lanes_splat(1.0f), lanes_splat(0.0f)));
    store_block(w, i, symmetric_quantise(inverse), left);
  }
}
