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
 * Additive multilevel preconditioner (Bramble, Pasciak and Xu 1990): to the inverse of the particles' blocks come, for
 * every coarser grid, the inverses of its nodes' blocks between a restriction of the residual and its transpose,
 * bilinear interpolation. Each grid has a quarter of the columns and rows of the one before, so all of them together
 * have a fifteenth of the particles. Particles that are not free take no part: their share is 0.
 *
 * A node's block would be that of the Galerkin product. It is made instead of what the node's neighbourhood holds, so
 * that the same restriction does it: a smooth motion strains springs by the inverse of the nodes' distance, which gives
 * the springs' sum over its square, and moves the masses, whose sum it takes. Springs of particles that take no part
 * count in full.
 */

#if WITH_MULTILEVEL

/* Least pivot of a node's block: far less than the lightest particle's share of a node. */
#define LEAST_PIVOT 0.0009765625f
/* Neighbouring nodes and the grids above and below correct the same errors; less of each takes a fifth fewer iterations
   (measured). */
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

/* How much of a column, or row, belongs to a node. */
static float node_weight(int32_t column, int32_t node, int32_t nodes) {
  int32_t distance = column - COARSENING * node;
  if (distance > 0 && node == nodes - 1) {
    return 1.0f;
  }
  return (float)(COARSENING - (distance < 0 ? -distance : distance)) * (1.0f / COARSENING);
}

/* What is restricted: three of a coarse grid's arrays; or of the particles the residual, three entries of the sum of
   their springs' blocks, or those of what moves with a node as a whole. */
enum { OF_NODES, OF_RESIDUAL, OF_SPRINGS, OF_MASSES };

typedef struct restriction {
  vector_array from;
  const float *share, *mass_ratio; /* mass_ratio NULL: all masses are 1 */
  float mass;                      /* 1 on a block's diagonal, else 0 */
} restriction;

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

/* A vector per column of a grid, with LINE_PAD floats before and after each component. There are two. */
static vector_array coarse_line(const cloth *c, int32_t number, int32_t columns) {
  vector_array line;
  line.x = floats_at(c, c->scratch.coarse_lines) + LINE_PAD + (number & 1) * 3 * (c->grid.columns + LINE_PAD);
  line.y = line.x + columns + LINE_PAD;
  line.z = line.y + columns + LINE_PAD;
  return line;
}

/* A line of a finer grid, with zeros before and after it, to a row of nodes. A column beyond the last node is its own.
 */
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

/* Round a tube the last node of a row is the first again, and leaves all it has to that. */
static void join_ends(const cloth *c, float *line, int32_t nodes) {
  if (is_wrapped(c)) {
    line[0] += line[nodes - 1];
    line[nodes - 1] = 0.0f;
  }
}

/* The rows of a grid around a row of nodes of the next coarser, and their weights. */
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

/* Three floats of a grid's nodes from the next finer grid: rows by lanes, then columns. */
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

CLOTH_HOT CLOTH_SEPARATE void restrict_nodes(const cloth *c, int32_t first, const grid_level *fine,
                                             const grid_level *coarse) {
  restriction t = {vectors_from(fine->floats + first * fine->count, fine->count), NULL, NULL, 0.0f};
  restrict_three(c, &t, OF_NODES, fine, coarse->floats + first * coarse->count, coarse);
}

/* To the first grid. */
CLOTH_HOT CLOTH_SEPARATE void restrict_residual(const cloth *c, const grid_level *fine, const grid_level *coarse) {
  restriction t = {vectors_at(c, c->scratch.residual), floats_at(c, c->scratch.share), NULL, 0.0f};
  restrict_three(c, &t, OF_RESIDUAL, fine, coarse->floats, coarse);
}

/* Entries first .. first + 2 of the particles' blocks to the first grid. */
CLOTH_SEPARATE void restrict_blocks(const cloth *c, int32_t first, const grid_level *fine, const grid_level *coarse) {
  restriction t = {vectors_from(block_entry(c, 0, first), c->stride), floats_at(c, c->scratch.share), NULL,
                   first == 0 ? 1.0f : 0.0f};
  t.mass_ratio = c->constant.mass_ratio ? floats_at(c, c->constant.mass_ratio) : NULL;
  restrict_three(c, &t, OF_SPRINGS, fine, coarse->floats + first * coarse->count, coarse);
  restrict_three(c, &t, OF_MASSES, fine, coarse->floats + (6 + first) * coarse->count, coarse);
}

/* The inverse blocks of a grid, of nodes `distance` cells apart, from the sums of springs and masses. */
CLOTH_HOT CLOTH_SEPARATE void invert_nodes(const grid_level *level, float distance) {
  lanes over_square = lanes_splat(1.0f / (distance * distance));
  for (int32_t i = 0; i < level->count; i += CLOTH_LANES) {
    float *masses = level->floats + 6 * level->count + i;
    symmetric springs = symmetric_scale(node_symmetric(level->floats + i, level->count), over_square);
    symmetric m = node_symmetric(masses, level->count);
    m.xx = lanes_add(m.xx, springs.xx);
    m.yy = lanes_add(m.yy, springs.yy);
    m.zz = lanes_add(m.zz, springs.zz);
    m.xy = lanes_add(m.xy, springs.xy);
    m.xz = lanes_add(m.xz, springs.xz);
    m.yz = lanes_add(m.yz, springs.yz);
    m = symmetric_inverse(symmetric_quantise(m), lanes_splat(LEAST_PIVOT));
    m = symmetric_quantise(symmetric_scale(m, lanes_splat(COARSE_SHARE)));
    const lanes entries[6] = {m.xx, m.yy, m.zz, m.xy, m.xz, m.yz};
    for (int32_t entry = 0; entry < 6; entry++) {
      lanes_store_first(masses + entry * level->count, entries[entry], level->count - i);
    }
  }
}

/* A coarser grid is made of the sums of the finer, which must not be inverted before. */
static void build_nodes(const cloth *c) {
  size_t floats = (size_t)(coarse_line_floats(c) + coarse_floats(c) + LANE_PAD);
  fill_zero(at(c, c->scratch.coarse_lines), floats * sizeof(float)); /* lanes read beyond arrays */
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

static void clear_share(const cloth *c, int32_t particle, cloth_vector n, int to_line) {
  (void)n;
  (void)to_line;
  floats_at(c, c->scratch.share)[particle] = 0.0f;
}

/* The particles that are all free. */
static void set_shares(const cloth *c) {
  for (int32_t i = 0; i < c->count; i++) {
    int held = has_solver_contacts(c) && CONTACT_KIND(contact_info_of(c)[i]) == CONTACT_STICK;
    floats_at(c, c->scratch.share)[i] = floats_at(c, c->scratch.mobility)[i] > 0.0f && !held ? 1.0f : 0.0f;
  }
  for_each_constrained(c, clear_share);
}

/* Correction = inverse blocks times residual. Returns residual . correction. */
CLOTH_HOT CLOTH_SEPARATE float correct_nodes(const grid_level *level) {
  vector_array r = {level->floats, level->floats + level->count, level->floats + 2 * level->count};
  vector_array z = {r.x + 3 * level->count, r.y + 3 * level->count, r.z + 3 * level->count};
  lanes_sum sum = {{0.0f}};
  for (int32_t i = 0; i < level->count; i += CLOTH_LANES) {
    lanes3 residual = lanes3_load(r, i);
    lanes3 correction = symmetric_apply(node_symmetric(level->floats + 6 * level->count + i, level->count), residual);
    lanes3_store(z, i, correction, level->count - i);
    lanes_sum_add(&sum, i, lanes_within(lanes3_dot(residual, correction), level->count - i));
  }
  return lanes_sum_total(&sum);
}

/* The two rows of nodes around a row of a finer grid, spread over its columns, and how far it is from the first. */
typedef struct node_rows {
  vector_array first, second;
  float way;
} node_rows;

/* A row of corrections of one component, spread over the columns of a finer grid and up to four beyond. */
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

/* To be asked for row after row. */
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

CLOTH_INLINE lanes3 nodes_between(const node_rows *around, int32_t column) {
  lanes3 first = lanes3_load(around->first, column);
  lanes3 second = lanes3_load(around->second, column);
  return lanes3_add(first, lanes3_scale(lanes3_subtract(second, first), lanes_splat(around->way)));
}

/* Adds what a coarser grid corrects to the corrections of a grid. */
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

/* Of all coarser grids: restricts the residual and leaves the corrections at the nodes of the first. Returns their part
   of residual . z. */
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
