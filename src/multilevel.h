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
 * Additive multilevel preconditioner (Bramble, Pasciak and Xu 1990): z = P^-1 r + the sum over all coarser grids of
 * R^T B^-1 R r. P^-1 is the block preconditioner, R restricts the residual to the nodes of a grid, R^T is bilinear
 * interpolation, and B holds a symmetric 3x3 block for each node. Each grid has a quarter of the columns and rows of
 * the next finer one, so all of them together have about a fifteenth as many nodes as there are particles. Particles
 * that are not free in all directions take no part: their share is 0.
 *
 * A node's block approximates that of the Galerkin product R A R^T by sums over the neighbourhood of the node, which
 * restriction computes: B = springs / distance^2 + masses. A smooth motion of the nodes strains each spring by the
 * inverse of the nodes' distance in cells, so the sum of the springs' blocks is divided by its square; the masses move
 * as they are. The blocks of springs of particles that take no part resist any motion and are not divided.
 *
 * In: scratch.inverse, which holds the diagonal blocks C during build_nodes(); mobility, the mass ratios, the contacts
 * and the confinements; scratch.residual in correct_coarse().
 * Out: scratch.share, 1 or 0 for each particle; scratch.nodes.
 * Scratch: coarse_lines, which hold one row of a finer grid in restriction and two in interpolation.
 */

#if WITH_MULTILEVEL

/* Smallest pivot of a node's block, 2^-10: far below the mass ratio that a node gets from the lightest particle. It
   gives an inverse also to the blocks of nodes that hold no particle that takes part. */
#define MIN_PIVOT 0.0009765625f
/* Weight of the corrections of coarser grids. Neighbouring nodes and the grids above and below correct the same errors,
   so the full corrections would add up to too much and take more iterations. */
#define COARSE_WEIGHT 0.5f

/* Index of the first of a node's NODE_FLOATS floats of each kind. While the blocks are built, the first six hold the
   sum of the springs and the others that of the masses, which the inverse block replaces. During a solve the first six
   hold residual and correction. */
enum { NODE_SPRINGS = 0, NODE_MASSES = 6, NODE_RESIDUAL = 0, NODE_CORRECTION = 3, NODE_INVERSE = 6 };

/* A grid: the particles, or nodes of which node n of a row is at column COARSENING n of the next finer grid. */
typedef struct grid_level {
  int32_t columns, rows;
  int32_t count; /* of nodes */
  float *floats; /* NODE_FLOATS arrays of `count` floats; NULL for the particles */
} grid_level;

/* The array of one of the NODE_FLOATS floats of all nodes. */
CLOTH_INLINE float *node_floats(const grid_level *level, int32_t index) {
  return level->floats + index * level->count;
}

static grid_level finest_level(const cloth *c) {
  grid_level level = {.columns = c->grid.columns, .rows = c->grid.rows, .count = c->count, .floats = NULL};
  return level;
}

/* The next coarser grid. Its floats follow those of the finer one. */
static grid_level coarser_level(const cloth *c, const grid_level *fine) {
  grid_level level = {nodes_for(fine->columns), nodes_for(fine->rows), 0, floats_at(c, c->scratch.nodes)};
  level.count = level.columns * level.rows;
  if (fine->floats) {
    level.floats = node_floats(fine, NODE_FLOATS);
  }
  return level;
}

static int is_coarsest(const grid_level *level) {
  return level->floats && level->columns <= COARSEST_SIDE && level->rows <= COARSEST_SIDE;
}

/* Weight of a column, or row, of a finer grid in a node, or a row of nodes: bilinear interpolation. Columns beyond the
   last node belong to it in full. */
static float node_weight(int32_t column, int32_t node, int32_t nodes) {
  int32_t distance = column - COARSENING * node;
  if (distance > 0 && node == nodes - 1) {
    return 1.0f;
  }
  return (float)(COARSENING - (distance < 0 ? -distance : distance)) * (1.0f / COARSENING);
}

/* What is restricted, three floats at a time:
   OF_NODES     floats of a coarse grid's nodes;
   OF_RESIDUAL  the residual of particles, times their share;
   OF_SPRINGS   entries of the sum of the springs' blocks of a particle, C less the mass ratio, times its share;
   OF_MASSES    entries of what resists the motion of a node as a whole: the mass ratio of a particle, times its share,
                and the springs' blocks of particles with share 0. */
enum { OF_NODES, OF_RESIDUAL, OF_SPRINGS, OF_MASSES };

typedef struct restriction {
  vector_array from;
  const float *share;      /* of the particles; NULL for OF_NODES */
  const float *mass_ratio; /* of the particles; NULL if all are 1 */
  float mass;              /* 1 for the diagonal entries of blocks, 0 for the others */
} restriction;

/* What is restricted of a block of particles, or nodes, from i on. */
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

/* One of two lines, by the parity of `number`: a vector per column of a grid, with LINE_PAD floats before and after
   each component. */
static vector_array coarse_line(const cloth *c, int32_t number, int32_t columns) {
  vector_array line;
  line.x = floats_at(c, c->scratch.coarse_lines) + LINE_PAD + (number & 1) * 3 * (c->grid.columns + LINE_PAD);
  line.y = line.x + columns + LINE_PAD;
  line.z = line.y + columns + LINE_PAD;
  return line;
}

/* Restricts a line of a finer grid, which has zeros before and after it, to a row of nodes. The factors are
   node_weight() at distances 1, 2 and 3. A column one beyond the last node counts in full: 3/4 + 1/4. */
static void restrict_line(const float *line, float *to, int32_t nodes) {
  const float *at_node = line;
  for (int32_t node = 0; node < nodes; node++, at_node += COARSENING) {
    float near = (at_node[-1] + at_node[1]) * 0.75f + at_node[0];
    float far = (at_node[-2] + at_node[2]) * 0.5f + (at_node[-3] + at_node[3]) * 0.25f;
    float sum = near + far;
    if (node == nodes - 1) {
      sum += 0.25f * at_node[1];
    }
    to[node] = quantise(sum, WORK_ROUNDER);
  }
}

/* Adds the last node of a row to the first, and clears it, if the sheet is a tube: both are the same place. */
static void join_ends(const cloth *c, float *line, int32_t nodes) {
  if (is_wrapped(c)) {
    line[0] += line[nodes - 1];
    line[nodes - 1] = 0.0f;
  }
}

/* The rows of a grid that contribute to a row of nodes of the next coarser grid, and their weights. */
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

/* Computes three floats of a coarser grid's nodes from the next finer grid, for each row of nodes first the weighted
   sum of the rows around it, in lanes, and then that of the columns. `to` is the first float of the nodes. */
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

/* Restricts floats first .. first + 2 of the nodes of a grid to the next coarser grid. */
CLOTH_HOT CLOTH_SEPARATE void restrict_nodes(const cloth *c, int32_t first, const grid_level *fine,
                                             const grid_level *coarse) {
  restriction t = {.from = vectors_from(node_floats(fine, first), fine->count)};
  restrict_three(c, &t, OF_NODES, fine, node_floats(coarse, first), coarse);
}

/* Restricts the residual of the particles to the first coarse grid. */
CLOTH_HOT CLOTH_SEPARATE void restrict_residual(const cloth *c, const grid_level *fine, const grid_level *coarse) {
  restriction t = {.from = vectors_at(c, c->scratch.residual), .share = floats_at(c, c->scratch.share)};
  restrict_three(c, &t, OF_RESIDUAL, fine, node_floats(coarse, NODE_RESIDUAL), coarse);
}

/* Restricts entries first .. first + 2 of the particles' blocks C to the first coarse grid, as springs and as masses.
   Entries 0, 1 and 2 are the diagonal, which alone holds masses. */
CLOTH_SEPARATE void restrict_blocks(const cloth *c, int32_t first, const grid_level *fine, const grid_level *coarse) {
  restriction t = {.from = vectors_from(block_entry(c, 0, first), c->stride),
                   .share = floats_at(c, c->scratch.share),
                   .mass_ratio = c->constant.mass_ratio ? floats_at(c, c->constant.mass_ratio) : NULL,
                   .mass = first == 0 ? 1.0f : 0.0f};
  restrict_three(c, &t, OF_SPRINGS, fine, node_floats(coarse, NODE_SPRINGS + first), coarse);
  restrict_three(c, &t, OF_MASSES, fine, node_floats(coarse, NODE_MASSES + first), coarse);
}

/* Replaces the sums of springs and masses of a grid's nodes, which are `distance` cells apart, by the inverse blocks
   times COARSE_WEIGHT. */
CLOTH_HOT CLOTH_SEPARATE void invert_nodes(const grid_level *level, float distance) {
  lanes over_square = lanes_splat(1.0f / (distance * distance));
  for (int32_t i = 0; i < level->count; i += CLOTH_LANES) {
    float *inverse = node_floats(level, NODE_INVERSE) + i; /* in the place of the masses */
    symmetric springs = symmetric_at(node_floats(level, NODE_SPRINGS) + i, level->count);
    symmetric masses = symmetric_at(node_floats(level, NODE_MASSES) + i, level->count);
    symmetric m = symmetric_add(masses, symmetric_scale(springs, over_square));
    m = symmetric_inverse(symmetric_quantise(m), lanes_splat(MIN_PIVOT));
    m = symmetric_quantise(symmetric_scale(m, lanes_splat(COARSE_WEIGHT)));
    const lanes entries[SYMMETRIC_FLOATS] = {m.xx, m.yy, m.zz, m.xy, m.xz, m.yz};
    for (int32_t entry = 0; entry < SYMMETRIC_FLOATS; entry++) {
      lanes_store_first(inverse + entry * level->count, entries[entry], level->count - i);
    }
  }
}

/* Builds the inverse blocks of all coarser grids from the blocks C of the particles. The sums of a grid are restricted
   to the next coarser one before they are inverted. */
static void build_nodes(const cloth *c) {
  size_t floats = (size_t)(coarse_line_floats(c) + coarse_floats(c) + LANE_PAD);
  fill_zero(at(c, c->scratch.coarse_lines), floats * sizeof(float)); /* also the pads, which lanes read */
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

/* A constrained_action: takes a particle that is not free in all directions out of the coarser grids. */
static void clear_share(const cloth *c, int32_t particle, cloth_vector n, int to_line) {
  (void)n;
  (void)to_line;
  floats_at(c, c->scratch.share)[particle] = 0.0f;
}

/* Sets the share of particles that are free in all directions to 1, that of the others to 0. */
static void set_shares(const cloth *c) {
  for (int32_t i = 0; i < c->count; i++) {
    int is_held = has_solver_contacts(c) && CONTACT_KIND(contact_info_of(c)[i]) == CONTACT_STICK;
    floats_at(c, c->scratch.share)[i] = floats_at(c, c->scratch.mobility)[i] > 0.0f && !is_held ? 1.0f : 0.0f;
  }
  for_each_constrained(c, clear_share);
}

/* correction = B^-1 residual at the nodes of a grid. Returns residual . correction. */
CLOTH_HOT CLOTH_SEPARATE float correct_nodes(const grid_level *level) {
  vector_array r = vectors_from(node_floats(level, NODE_RESIDUAL), level->count);
  vector_array z = vectors_from(node_floats(level, NODE_CORRECTION), level->count);
  lanes_sum sum = {{0.0f}};
  for (int32_t i = 0; i < level->count; i += CLOTH_LANES) {
    lanes3 residual = lanes3_load(r, i);
    symmetric inverse = symmetric_at(node_floats(level, NODE_INVERSE) + i, level->count);
    lanes3 correction = symmetric_apply(inverse, residual);
    lanes3_store(z, i, correction, level->count - i);
    lanes_sum_add(&sum, i, lanes_within(lanes3_dot(residual, correction), level->count - i));
  }
  return lanes_sum_total(&sum);
}

/* The corrections of the two rows of nodes around a row of a finer grid, interpolated at its columns. */
typedef struct node_rows {
  vector_array first, second;
  float fraction; /* of the distance from the first to the second at which the row lies */
} node_rows;

/* Interpolates one component of a row of corrections at the columns of a finer grid, COARSENING a node, of which up to
   four lie beyond the grid. */
CLOTH_HOT static void interpolate_line(const float *z, int32_t nodes, float *line) {
  for (int32_t i = 0; i < nodes; i++, line += COARSENING) {
    float a = z[i], b = i + 1 < nodes ? z[i + 1] : a;
    float half = (a + b) * 0.5f;
    line[0] = a;
    line[1] = (a + half) * 0.5f;
    line[2] = half;
    line[3] = (half + b) * 0.5f;
  }
}

/* Interpolates a row of corrections into one of the two lines. On a tube the last node of the row takes the correction
   of the first. */
static void interpolate_nodes(const cloth *c, const grid_level *coarse, int32_t node, int32_t columns) {
  float *z = node_floats(coarse, NODE_CORRECTION) + node * coarse->columns;
  vector_array line = coarse_line(c, node, columns);
  for (int32_t part = 0; is_wrapped(c) && part < 3; part++) {
    z[part * coarse->count + coarse->columns - 1] = z[part * coarse->count];
  }
  interpolate_line(z, coarse->columns, line.x);
  interpolate_line(z + coarse->count, coarse->columns, line.y);
  interpolate_line(z + 2 * coarse->count, coarse->columns, line.z);
}

/* The rows of nodes around a row. Callers must go through all rows of the finer grid in order: a row of nodes is
   interpolated once, when the rows reach it, into the line of the row of nodes two before. */
static node_rows nodes_around(const cloth *c, const grid_level *coarse, int32_t row, int32_t columns) {
  const int32_t node = row / COARSENING;
  const int32_t next = node + 1 < coarse->rows ? node + 1 : node;
  if (row == 0) {
    interpolate_nodes(c, coarse, 0, columns);
  }
  if (row % COARSENING == 0 && next != node) {
    interpolate_nodes(c, coarse, next, columns);
  }
  node_rows around = {.first = coarse_line(c, node, columns),
                      .second = coarse_line(c, next, columns),
                      .fraction = (float)(row % COARSENING) * (1.0f / COARSENING)};
  return around;
}

/* The interpolated corrections of a block of columns. */
CLOTH_INLINE lanes3 nodes_between(const node_rows *around, int32_t column) {
  lanes3 first = lanes3_load(around->first, column);
  lanes3 second = lanes3_load(around->second, column);
  return lanes3_add(first, lanes3_scale(lanes3_subtract(second, first), lanes_splat(around->fraction)));
}

/* Adds the interpolated corrections of the next coarser grid to those of a grid. */
static void add_coarser(const cloth *c, const grid_level *fine, const grid_level *coarse) {
  vector_array z = vectors_from(node_floats(fine, NODE_CORRECTION), fine->count);
  for (int32_t row = 0; row < fine->rows; row++) {
    node_rows around = nodes_around(c, coarse, row, fine->columns);
    for (int32_t column = 0; column < fine->columns; column += CLOTH_LANES) {
      int32_t i = row * fine->columns + column;
      lanes3_store(z, i, lanes3_add(lanes3_load(z, i), nodes_between(&around, column)), fine->columns - column);
    }
  }
}

/* Restricts the residual to all coarser grids, corrects it there, and adds the corrections up from the coarsest grid to
   the first, whose nodes then hold their sum. Returns its part of residual . z. */
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
