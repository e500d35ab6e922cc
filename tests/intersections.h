/* Counts where cloths pass through themselves and each other: edges with triangles, in double precision, with every
   triangle and all three kinds of edges. Include after support.h. SPDX-License-Identifier: MIT */
#ifndef INTERSECTIONS_H
#define INTERSECTIONS_H

#include "support.h"

enum { COUNTED_CLOTHS = 8, HASH_SIZE = 1 << 16, FOUND_LIMIT = 4096 };

/* Several cloths as one mesh. */
typedef struct mesh {
  int cloths, count;
  const cloth *sheets[COUNTED_CLOTHS];
  int base[COUNTED_CLOTHS + 1], columns[COUNTED_CLOTHS], rows[COUNTED_CLOTHS], is_wrapped[COUNTED_CLOTHS];
  point *at;
  int *same; /* the first of the particles that are sewn to one, or itself */
  int (*triangle)[3], triangles;
  int (*edge)[2], edges;
  double spacing; /* the largest: size of the cells of the hash */
  int *head, *next, *item, items, item_limit;
} mesh;

static inline void *mesh_memory(size_t bytes) {
  void *memory = malloc(bytes);
  if (memory == NULL) {
    printf("out of memory\n");
    exit(2);
  }
  return memory;
}

static inline void mesh_cells(mesh *m, int cloth_number) {
  int columns = m->columns[cloth_number], rows = m->rows[cloth_number], wrap = m->is_wrapped[cloth_number];
  for (int row = 0; row < rows; row++) {
    for (int column = 0; column < columns; column++) {
      int first = m->base[cloth_number] + row * columns;
      int a = first + column, b = first + (column + 1) % columns, below = row + 1 < rows;
      int beside = wrap || column + 1 < columns;
      int ends[3][2] = {{a, b}, {a, a + columns}, {a, b + columns}};
      int exists[3] = {beside, below, beside && below};
      for (int k = 0; k < 3; k++) {
        if (exists[k]) memcpy(m->edge[m->edges++], ends[k], sizeof ends[k]);
      }
      if (beside && below) {
        int corners[2][3] = {{a, b, b + columns}, {a, b + columns, a + columns}};
        memcpy(m->triangle[m->triangles], corners, sizeof corners);
        m->triangles += 2;
      }
    }
  }
}

static inline mesh mesh_make(int cloths, cloth *const *sheets, const cloth_config *configs) {
  mesh m;
  memset(&m, 0, sizeof m);
  m.cloths = cloths;
  for (int i = 0; i < cloths; i++) {
    const cloth_config *config = &configs[i];
    m.sheets[i] = sheets[i];
    m.columns[i] = config->columns;
    m.rows[i] = config->rows;
    m.is_wrapped[i] = config->grid.wrap;
    m.base[i] = m.count;
    m.count += config->columns * config->rows;
    double warp = point_length(point_of(config->edge_warp)) / (config->columns - !config->grid.wrap);
    double weft = point_length(point_of(config->edge_weft)) / (config->rows - 1);
    m.spacing = fmax(m.spacing, fmax(warp, weft));
  }
  m.base[cloths] = m.count;
  size_t count = (size_t)m.count;
  m.at = (point *)mesh_memory(count * sizeof *m.at);
  m.same = (int *)mesh_memory(count * sizeof *m.same);
  for (int i = 0; i < m.count; i++)
    m.same[i] = i;
  m.triangle = (int(*)[3])mesh_memory(2 * count * sizeof *m.triangle);
  m.edge = (int(*)[2])mesh_memory(3 * count * sizeof *m.edge);
  for (int i = 0; i < cloths; i++)
    mesh_cells(&m, i);
  m.head = (int *)mesh_memory(HASH_SIZE * sizeof *m.head);
  m.item_limit = 64 * m.triangles + 1000;
  m.next = (int *)mesh_memory((size_t)m.item_limit * sizeof *m.next);
  m.item = (int *)mesh_memory((size_t)m.item_limit * sizeof *m.item);
  return m;
}

/* Particles of two cloths that a seam keeps at one place count as one, with all that they are sewn to already. */
static inline void mesh_sew(mesh *m, int a, int particle, int b, int other) {
  int kept = m->same[m->base[a] + particle], gone = m->same[m->base[b] + other];
  for (int i = 0; i < m->base[m->cloths]; i++) {
    if (m->same[i] == gone) m->same[i] = kept;
  }
}

static inline void mesh_free(mesh *m) {
  free(m->at);
  free(m->same);
  free(m->triangle);
  free(m->edge);
  free(m->head);
  free(m->next);
  free(m->item);
  memset(m, 0, sizeof *m);
}

static inline void mesh_read(mesh *m) {
  for (int n = 0; n < m->cloths; n++) {
    for (int i = m->base[n]; i < m->base[n + 1]; i++)
      m->at[i] = position_of(m->sheets[n], i - m->base[n]);
  }
}

static inline double determinant(point a, point b, point c) {
  return point_dot(a, point_cross(b, c));
}

static inline int segment_meets(point a, point b, const point t[3]) {
  point ab = point_difference(t[1], t[0]), ac = point_difference(t[2], t[0]);
  double before = determinant(ab, ac, point_difference(a, t[0]));
  double after = determinant(ab, ac, point_difference(b, t[0]));
  if ((before > 0) == (after > 0)) return 0;
  point d = point_difference(b, a), u = point_difference(t[0], a), v = point_difference(t[1], a),
        w = point_difference(t[2], a);
  double s0 = determinant(d, u, v), s1 = determinant(d, v, w), s2 = determinant(d, w, u);
  return (s0 > 0 && s1 > 0 && s2 > 0) || (s0 < 0 && s1 < 0 && s2 < 0);
}

/* The cells of the hash that a box overlaps. */
typedef struct cell_range {
  int low[3], high[3];
} cell_range;

static inline cell_range cells_of(const mesh *m, const point *p, int count) {
  cell_range r;
  for (int axis = 0; axis < 3; axis++) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int i = 0; i < count; i++) {
      double x = axis == 0 ? p[i].x : axis == 1 ? p[i].y : p[i].z;
      low = fmin(low, x);
      high = fmax(high, x);
    }
    r.low[axis] = (int)floor(low / (1.6 * m->spacing));
    r.high[axis] = (int)floor(high / (1.6 * m->spacing));
    if (r.high[axis] - r.low[axis] > 8)
      r.high[axis] = r.low[axis] + 8; /* what is stretched so far is broken anyway, and told by the stretch */
  }
  return r;
}

static inline unsigned hash_of(int x, int y, int z) {
  return ((unsigned)x * 73856093u ^ (unsigned)y * 19349663u ^ (unsigned)z * 83492791u) & (HASH_SIZE - 1);
}

static inline void hash_triangles(mesh *m) {
  m->items = 0;
  for (int i = 0; i < HASH_SIZE; i++)
    m->head[i] = -1;
  for (int t = 0; t < m->triangles; t++) {
    point p[3] = {m->at[m->triangle[t][0]], m->at[m->triangle[t][1]], m->at[m->triangle[t][2]]};
    cell_range r = cells_of(m, p, 3);
    for (int x = r.low[0]; x <= r.high[0]; x++)
      for (int y = r.low[1]; y <= r.high[1]; y++)
        for (int z = r.low[2]; z <= r.high[2] && m->items < m->item_limit; z++) {
          unsigned key = hash_of(x, y, z);
          m->item[m->items] = t;
          m->next[m->items] = m->head[key];
          m->head[key] = m->items++;
        }
  }
}

static inline int compare_ints(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

static inline int edge_intersections(const mesh *m, int edge) {
  int found[FOUND_LIMIT], count = 0, different = 0;
  const int *e = m->edge[edge];
  point p[2] = {m->at[e[0]], m->at[e[1]]};
  cell_range r = cells_of(m, p, 2);
  for (int x = r.low[0]; x <= r.high[0]; x++)
    for (int y = r.low[1]; y <= r.high[1]; y++)
      for (int z = r.low[2]; z <= r.high[2]; z++)
        for (int n = m->head[hash_of(x, y, z)]; n >= 0; n = m->next[n]) {
          const int *t = m->triangle[m->item[n]];
          point corners[3] = {m->at[t[0]], m->at[t[1]], m->at[t[2]]};
          int shared = 0;
          for (int k = 0; k < 3; k++)
            shared |= m->same[t[k]] == m->same[e[0]] || m->same[t[k]] == m->same[e[1]];
          if (!shared && count < FOUND_LIMIT && segment_meets(p[0], p[1], corners)) found[count++] = m->item[n];
        }
  qsort(found, (size_t)count, sizeof *found, compare_ints);
  for (int i = 0; i < count; i++)
    different += i == 0 || found[i] != found[i - 1];
  return different;
}

/* Edges that pass through triangles they share no particle with, as the cloths are now. */
static inline int count_intersections(mesh *m) {
  int count = 0;
  mesh_read(m);
  hash_triangles(m);
  for (int edge = 0; edge < m->edges; edge++)
    count += edge_intersections(m, edge);
  return count;
}

/// Distance of layers ///

static inline point closest_on_segment(point p, point a, point b) {
  point ab = point_difference(b, a);
  double length = point_dot(ab, ab), t = length > 0 ? point_dot(point_difference(p, a), ab) / length : 0;
  return point_sum(a, point_scaled(ab, fmin(fmax(t, 0), 1)));
}

static inline double distance_to_triangle(point p, const point t[3]) {
  point ab = point_difference(t[1], t[0]), ac = point_difference(t[2], t[0]), ap = point_difference(p, t[0]);
  point n = point_cross(ab, ac);
  double nn = point_dot(n, n), u = determinant(ap, ac, n) / nn, v = determinant(ab, ap, n) / nn;
  if (nn > 0 && u >= 0 && v >= 0 && u + v <= 1) return fabs(point_dot(ap, n)) / sqrt(nn);
  double best = HUGE_VAL;
  for (int k = 0; k < 3; k++)
    best = fmin(best, point_distance(p, closest_on_segment(p, t[k], t[(k + 1) % 3])));
  return best;
}

static inline int mesh_cloth_of(const mesh *m, int particle) {
  int n = 0;
  while (particle >= m->base[n + 1])
    n++;
  return n;
}

/* The 5th percentile, over the particles that have another layer closer than `near`, of the distance to it: to the
   closest triangle that is more than four rows or columns away. HUGE_VAL if there are none. */
static inline double layer_gap(mesh *m, double near) {
  double *gap = (double *)mesh_memory((size_t)m->count * sizeof *gap), result = HUGE_VAL;
  int count = 0;
  mesh_read(m);
  for (int i = 0; i < m->count; i++) {
    int body = mesh_cloth_of(m, i), columns = m->columns[body], local = i - m->base[body];
    double best = near;
    for (int t = 0; t < m->triangles; t++) {
      const int *corner = m->triangle[t];
      point p[3] = {m->at[corner[0]], m->at[corner[1]], m->at[corner[2]]};
      if (fabs(p[0].x - m->at[i].x) > near + 1.5 * m->spacing || fabs(p[0].y - m->at[i].y) > near + 1.5 * m->spacing ||
          fabs(p[0].z - m->at[i].z) > near + 1.5 * m->spacing)
        continue;
      if (corner[0] >= m->base[body] && corner[0] < m->base[body + 1]) {
        int other = corner[0] - m->base[body], rows = abs(other / columns - local / columns);
        int apart = abs(other % columns - local % columns);
        apart = m->is_wrapped[body] && columns - apart < apart ? columns - apart : apart;
        if (rows <= 4 && apart <= 4) continue;
      }
      best = fmin(best, distance_to_triangle(m->at[i], p));
    }
    if (best < near) gap[count++] = best;
  }
  qsort(gap, (size_t)count, sizeof *gap, compare_doubles);
  if (count > 0) result = gap[count / 20];
  free(gap);
  return result;
}

#endif
