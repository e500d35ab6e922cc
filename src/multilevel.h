#pragma once
#include "access.h"
#include "block3.h"
#include "compiler.h"
#include "lanes.h"
#include "layout.h"
#include "preconditioner.h"
#include "scalar.h"
#include "types.h"

/// Multilevel preconditioner ///

/*
 * Additive multilevel preconditioner (Bramble, Pasciak and Xu 1990): to the inverses of the particles' blocks it adds,
 * for every coarser grid, restriction of the residual, product with the inverses of the nodes' blocks, and bilinear
 * interpolation, the transpose of the restriction. A grid has a quarter of the columns and rows of the next finer one,
 * so that all coarser grids together have a fifteenth as many nodes as there are particles. Particles that are not free
 * take no part: their `share` is 0.
 *
 * A node's block approximates that of the Galerkin product by restricted sums of the particles' blocks. A smooth motion
 * strains springs by the inverse of the distance of the nodes, so the springs' sum counts by the inverse square of the
 * distance, and moves masses as they are, so their sum counts in full. So do springs of particles that take no part.
 *
 * In: scratch.inverse, still holding the diagonal blocks C when build_nodes() runs, scratch.residual, mass ratios,
 * mobility, confinements, contacts. Out: correct_coarse() leaves corrections in `nodes`, which update_corrected_row()
 * adds to the search direction. Scratch: share (1 or 0 a particle), nodes (NODE_FLOATS arrays for each grid: residual,
 * correction, inverse block; while blocks are summed the first six hold sums of springs), coarse_lines (two rows of
 * vectors with LINE_PAD floats around each component).
 */

#if WITH_MULTILEVEL

/* Smallest pivot of a node's block, 2^-10: far below the share of a node that the lightest particle makes up. */
#define NODE_MIN_PIVOT 0.0009765625f
/* Factor of each coarse correction. Neighbouring nodes and the grids above and below correct the same errors; with 1
   the solves of rows GROW of `make accuracy` take up to a sixth more iterations. */
#define COARSE_SHARE 0.5f

typedef struct grid_level {
  int32_t columns, rows;
  int32_t count;
  float *floats; /* NODE_FLOATS arrays; NULL for the particles themselves */
} grid_level;

static grid_level finest_level(const cloth *c) {
  grid_level level = {c->grid.columns, c->grid.rows, c->count, NULL};
  return level;
}

static grid_level coarser_level(const cloth *c, const grid_level *fine) {
  grid_level level = {nodes_for(fine->columns), nodes_for(fine->rows), 0, floats_at(c, c->scratch.nodes)};
  level.count = level.columns * level.rows;
  if (fine->floats) {
    level.floats = fine->floats + NODE_FLOATS * fine->count;
  }
  return level;
}

static int is_coarsest(const grid_level *level) {
  return level->floats && level->columns <= COARSEST_SIDE && level->rows <= COARSEST_SIDE;
}

/* Bilinear weight of a column, or row, of the finer grid at a node: 1 at the node, 0 at its neighbours. A column beyond
   the last node belongs to that alone. */
static float node_weight(int32_t column, int32_t node, int32_t nodes) {
  int32_t distance = column - COARSENING * node;
  if (distance > 0 && node == nodes - 1) {
    return 1.0f;
  }
  return (float)(COARSENING - (distance < 0 ? -distance : distance)) * (1.0f / COARSENING);
}

/* What is restricted: three arrays of a coarse grid; or, of the particles, the residual, three entries of the sum of
   their springs' blocks, or three entries of the masses, with the springs of particles that take no part. */
enum { OF_NODES, OF_RESIDUAL, OF_SPRINGS, OF_MASSES };

typedef struct restriction {
  vector_array from;
  const float *share, *mass_ratio; /* mass_ratio NULL: all masses are 1 */
  float mass;                      /* 1 if the entries are on the diagonal of the block, else 0 */
} restriction;

/* Values of the particles, or nodes of the finer grid, from i on, before they are weighted. Blocks are split: C less
   the mass is the springs' part. */
CLOTH_INLINE lanes3 restricted_values(const restriction *t, int kind, int32_t i) {
  lanes3 value = lanes3_load(t->from, i);
  if (kind == OF_NODES) {
    return value;
  }
  lanes share = lanes_load(t->share + i);
  if (kind == OF_RESIDUAL) {
    return lanes3_scale(value, share);
  }
  lanes mass = lanes_splat(t->mass);
  if (t->mass_ratio) {
    mass = lanes_multiply(mass, lanes_load(t->mass_ratio + i));
  }
  value = lanes3_subtract(value, lanes3_of(mass, mass, mass));
  lanes3 springs = lanes3_scale(value, share);
  if (kind == OF_SPRINGS) {
    return springs;
  }
  mass = lanes_multiply(mass, share);
  return lanes3_add(lanes3_subtract(value, springs), lanes3_of(mass, mass, mass));
}

/* One of two buffers of a vector per column of a grid, with LINE_PAD floats before and after each component; even and
   odd numbers share one each. */
static vector_array coarse_line(const cloth *c, int32_t number, int32_t columns) {
  vector_array line;
  line.x = floats_at(c, c->scratch.coarse_lines) + LINE_PAD + (number & 1) * 3 * (c->grid.columns + LINE_PAD);
  line.y = line.x + columns + LINE_PAD;
  line.z = line.y + columns + LINE_PAD;
  return line;
}

/* One row of a finer grid to a row of nodes, by bilinear weights 1/4, 1/2, 3/4, 1, 3/4, 1/2, 1/4; `line` has zeros
   before and after it. A column one beyond the last node belongs to that with weight 1 in place of 3/4. */
static void restrict_line(const float *line, float *to, int32_t nodes) {
  const float *at_node = line;
  for (int32_t node = 0; node < nodes; node++, at_node += COARSENING) {
    float near = (at_node[-1] + at_node[1]) * 0.75f + at_node[0];
    float far = (at_node[-2] + at_node[2]) * 0.5f + (at_node[-3] + at_node[3]) * 0.25f;
    float sum = near + far;
    if (node == nodes - 1) {
      sum += 0.25f * at_node[1];
    }
    to[node] = (sum + WORK_ROUNDER) - WORK_ROUNDER;
  }
}

/* On a tube the last node of a row is the first one again: its sum moves there. */
static void join_ends(const cloth *c, float *line, int32_t nodes) {
  if (is_wrapped(c)) {
    line[0] += line[nodes - 1];
    line[nodes - 1] = 0.0f;
  }
}

/* The rows of a finer grid, first .. end - 1, that belong to a row of nodes, and their weights. */
typedef struct node_reach {
  int32_t first, end;
  float weights[2 * COARSENING];
} node_reach;

static node_reach rows_around(const grid_level *fine, const grid_level *coarse, int32_t node) {
  node_reach around;
  int32_t first = COARSENING * node - (COARSENING - 1), end = COARSENING * (node + 1);
  around.first = first < 0 ? 0 : first;
  around.end = end > fine->rows ? fine->rows : end;
  for (int32_t row = around.first; row < around.end; row++) {
    around.weights[row - around.first] = node_weight(row, node, coarse->rows);
  }
  return around;
}

/* Restricts three values: rows of the finer grid are summed in lanes, then each sum along its columns. `to` points to
   the first of three arrays of the coarser grid. */
CLOTH_INLINE void restrict_three(const cloth *c, const restriction *t, int kind, const grid_level *fine, float *to,
                                 const grid_level *coarse) {
  const int32_t columns = fine->columns;
  const vector_array line = coarse_line(c, 0, columns);
  fill_zero(line.x - LINE_PAD, (size_t)(3 * (columns + LINE_PAD) + LINE_PAD) * sizeof(float));
  for (int32_t node = 0; node < coarse->rows; node++, to += coarse->columns) {
    const node_reach around = rows_around(fine, coarse, node);
    for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
      lanes3 sum = lanes3_splat(vector(0.0f, 0.0f, 0.0f));
      for (int32_t row = around.first; row < around.end; row++) {
        lanes weight = lanes_splat(around.weights[row - around.first]);
        sum = lanes3_add_scaled(sum, restricted_values(t, kind, row * columns + column), weight);
      }
      lanes3_store(line, column, sum, columns - column);
    }
    restrict_line(line.x, to, coarse->columns);
    restrict_line(line.y, to + coarse->count, coarse->columns);
    restrict_line(line.z, to + 2 * coarse->count, coarse->columns);
    for (int32_t part = 0; part < 3; part++) {
      join_ends(c, to + part * coarse->count, coarse->columns);
    }
  }
}

/* Restricts arrays first .. first + 2 of a coarse grid to the next coarser one. */
CLOTH_HOT CLOTH_SEPARATE void restrict_nodes(const cloth *c, int32_t first, const grid_level *fine,
                                             const grid_level *coarse) {
  restriction t = {.from = vectors_from(fine->floats + first * fine->count, fine->count)};
  restrict_three(c, &t, OF_NODES, fine, coarse->floats + first * coarse->count, coarse);
}

/* Restricts the residual to the first coarse grid. */
CLOTH_HOT CLOTH_SEPARATE void restrict_residual(const cloth *c, const grid_level *fine, const grid_level *coarse) {
  restriction t = {.from = vectors_at(c, c->scratch.residual), .share = floats_at(c, c->scratch.share)};
  restrict_three(c, &t, OF_RESIDUAL, fine, coarse->floats, coarse);
}

/* Restricts entries first .. first + 2 of the particles' blocks to the first coarse grid: to its arrays from `first` on
   the springs' sum, to those from 6 + first on the masses' sum. */
CLOTH_SEPARATE void restrict_blocks(const cloth *c, int32_t first, const grid_level *fine, const grid_level *coarse) {
  restriction t = {.from = vectors_from(block_entry(c, 0, first), c->stride),
                   .share = floats_at(c, c->scratch.share),
                   .mass_ratio = c->constant.mass_ratio ? floats_at(c, c->constant.mass_ratio) : NULL,
                   .mass = first == 0 ? 1.0f : 0.0f};
  restrict_three(c, &t, OF_SPRINGS, fine, coarse->floats + first * coarse->count, coarse);
  restrict_three(c, &t, OF_MASSES, fine, coarse->floats + (6 + first) * coarse->count, coarse);
}

/* Replaces a grid's sums of masses by the inverse blocks of its nodes, `distance` cells apart. */
CLOTH_HOT CLOTH_SEPARATE void invert_nodes(const grid_level *level, float distance) {
  lanes over_square = lanes_splat(1.0f / (distance * distance));
  for (int32_t i = 0; i < level->count; i += CLOTH_LANES) {
    float *masses = level->floats + 6 * level->count + i;
    symmetric springs = symmetric_scale(symmetric_at(level->floats + i, level->count), over_square);
    symmetric m = symmetric_at(masses, level->count);
    m = symmetric_add(m, springs);
    m = symmetric_inverse(symmetric_quantise(m), lanes_splat(NODE_MIN_PIVOT));
    m = symmetric_quantise(symmetric_scale(m, lanes_splat(COARSE_SHARE)));
    symmetric_store_at(masses, level->count, m, level->count - i);
  }
}

/* Builds the inverse blocks of all coarse grids. A grid is inverted only after its sums have been restricted to the
   next coarser one. */
static void build_nodes(const cloth *c) {
  size_t floats = (size_t)(coarse_line_floats(c) + coarse_floats(c) + LANE_PAD);
  fill_zero(at(c, c->scratch.coarse_lines), floats * sizeof(float)); /* lanes load past the ends of arrays */
  grid_level fine = finest_level(c);
  grid_level coarse = coarser_level(c, &fine);
  restrict_blocks(c, 0, &fine, &coarse);
  restrict_blocks(c, 3, &fine, &coarse);
  for (float distance = COARSENING;; distance *= COARSENING) {
    fine = coarse;
    int done = is_coarsest(&fine);
    coarse = coarser_level(c, &fine);
    for (int32_t first = 0; !done && first < NODE_FLOATS; first += 3) {
      restrict_nodes(c, first, &fine, &coarse);
    }
    invert_nodes(&fine, distance);
    if (done) {
      return;
    }
  }
}

/* Sets the share of a confined or sliding particle to 0; for for_each_constrained(). */
static void clear_share(const cloth *c, int32_t particle, cloth_vector n, int to_line) {
  (void)n;
  (void)to_line;
  floats_at(c, c->scratch.share)[particle] = 0.0f;
}

/* Sets the shares: 1 for particles free in all directions, else 0. */
static void set_shares(const cloth *c) {
  for (int32_t i = 0; i < c->count; i++) {
    int sticks = has_solver_contacts(c) && CONTACT_KIND(contact_info_of(c)[i]) == CONTACT_STICK;
    floats_at(c, c->scratch.share)[i] = floats_at(c, c->scratch.mobility)[i] > 0.0f && !sticks ? 1.0f : 0.0f;
  }
  for_each_constrained(c, clear_share);
}

/* Sets the corrections of a grid to inverse blocks times residual. Returns residual . correction. */
CLOTH_HOT CLOTH_SEPARATE float correct_nodes(const grid_level *level) {
  vector_array r = {level->floats, level->floats + level->count, level->floats + 2 * level->count};
  vector_array z = {r.x + 3 * level->count, r.y + 3 * level->count, r.z + 3 * level->count};
  lanes_sum sum = {{0.0f}};
  for (int32_t i = 0; i < level->count; i += CLOTH_LANES) {
    lanes3 residual = lanes3_load(r, i);
    lanes3 correction = symmetric_apply(symmetric_at(level->floats + 6 * level->count + i, level->count), residual);
    lanes3_store(z, i, correction, level->count - i);
    lanes_sum_add(&sum, i, lanes_within(lanes3_dot(residual, correction), level->count - i));
  }
  return lanes_sum_total(&sum);
}

/* The rows of nodes before and after a row of a finer grid, interpolated to its columns, and where it lies between
   them, 0..1. */
typedef struct node_rows {
  vector_array first, second;
  float fraction;
} node_rows;

/* Interpolates a row of corrections, one component, to the columns of a finer grid; writes up to COARSENING floats
   beyond them, which LINE_PAD holds. */
CLOTH_HOT static void spread_line(const float *z, int32_t nodes, float *line) {
  for (int32_t i = 0; i < nodes; i++, line += COARSENING) {
    float a = z[i], b = i + 1 < nodes ? z[i + 1] : a;
    float half = (a + b) * 0.5f;
    line[0] = a;
    line[1] = (a + half) * 0.5f;
    line[2] = half;
    line[3] = (half + b) * 0.5f;
  }
}

/* Interpolates the corrections of a row of nodes to the columns of the finer grid, in the buffer of its number. */
static void spread_nodes(const cloth *c, const grid_level *coarse, int32_t node, int32_t columns) {
  float *z = coarse->floats + 3 * coarse->count + node * coarse->columns;
  vector_array line = coarse_line(c, node, columns);
  for (int32_t part = 0; is_wrapped(c) && part < 3; part++) {
    z[part * coarse->count + coarse->columns - 1] = z[part * coarse->count];
  }
  spread_line(z, coarse->columns, line.x);
  spread_line(z + coarse->count, coarse->columns, line.y);
  spread_line(z + 2 * coarse->count, coarse->columns, line.z);
}

/* Rows of nodes around a row of the finer grid. Call it for rows 0, 1, 2 ...: each row of nodes is interpolated once,
   when its first row needs it. */
static node_rows nodes_around(const cloth *c, const grid_level *coarse, int32_t row, int32_t columns) {
  int32_t node = row / COARSENING;
  int32_t next = node + 1;
  node = node < coarse->rows ? node : coarse->rows - 1;
  next = next < coarse->rows ? next : node;
  if (row == 0) {
    spread_nodes(c, coarse, 0, columns);
  }
  if (row % COARSENING == 0 && next != node) {
    spread_nodes(c, coarse, next, columns);
  }
  node_rows around = {coarse_line(c, node, columns), coarse_line(c, next, columns),
                      (float)(row % COARSENING) * (1.0f / COARSENING)};
  return around;
}

/* Corrections interpolated between the two rows of nodes. */
CLOTH_INLINE lanes3 nodes_between(const node_rows *around, int32_t column) {
  lanes3 first = lanes3_load(around->first, column);
  lanes3 second = lanes3_load(around->second, column);
  return lanes3_add(first, lanes3_scale(lanes3_subtract(second, first), lanes_splat(around->fraction)));
}

/* Adds the interpolated corrections of a coarser grid to those of a grid. */
static void add_coarser(const cloth *c, const grid_level *fine, const grid_level *coarse) {
  vector_array z = {fine->floats + 3 * fine->count, fine->floats + 4 * fine->count, fine->floats + 5 * fine->count};
  for (int32_t row = 0; row < fine->rows; row++) {
    node_rows around = nodes_around(c, coarse, row, fine->columns);
    for (int32_t column = 0; column < fine->columns; column += CLOTH_LANES) {
      int32_t i = row * fine->columns + column;
      lanes3_store(z, i, lanes3_add(lanes3_load(z, i), nodes_between(&around, column)), fine->columns - column);
    }
  }
}

/* Restricts the residual to all coarse grids and leaves the sum of their corrections at the nodes of the first one.
   Returns their part of residual . z. */
CLOTH_SEPARATE float correct_coarse(const cloth *c) {
  grid_level levels[COARSE_LEVELS];
  grid_level fine = finest_level(c);
  int32_t last = 0;
  float total = 0.0f;
  levels[0] = coarser_level(c, &fine);
  restrict_residual(c, &fine, &levels[0]);
  for (; !is_coarsest(&levels[last]); last++) {
    levels[last + 1] = coarser_level(c, &levels[last]);
    restrict_nodes(c, 0, &levels[last], &levels[last + 1]);
  }
  for (int32_t n = last; n >= 0; n--) {
    total += correct_nodes(&levels[n]);
    if (n < last) {
      add_coarser(c, &levels[n], &levels[n + 1]);
    }
  }
  return total;
}

#endif
