/*
 * The baseline: a textbook XPBD cloth ("small steps": one Gauss-Seidel sweep a substep), its constraints coloured
 * greedily and solved eight at a time with AVX2 and FMA. Stretch and shear are rigid, bend links across two cells have
 * 100 N/m. Unlike cloth.c this file may be compiled with contraction: it is to be as fast as it can.
 *
 * SPDX-License-Identifier: MIT
 */
#include "solver.h"

#include <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { WIDTH = 8, PADDING = 2 * WIDTH, COLOURS = 64, GROUPS = 3 };

static const float bend_compliance = 0.01f; /* [m/N] */

/* A position, in w its inverse mass; or a velocity. */
typedef struct vector4 {
  float x, y, z, w;
} vector4;

typedef struct link {
  uint32_t a, b;
  float rest, compliance;
  int group, colour;
} link;

/* Eight links that share no particle. */
typedef struct batch {
  uint32_t a[WIDTH], b[WIDTH];
  float rest[WIDTH], compliance[WIDTH];
} batch;

/* Two unused particles for each place of a batch that is left empty follow after the sheet's own. */
typedef struct xpbd {
  const bench_scene *scene;
  int count, substeps;
  vector4 *position, *previous, *velocity;
  uint32_t *triangles;
  int triangle_count;
  batch *batches;
  int batch_count;
} xpbd;

/// Links ///

typedef struct link_list {
  const bench_scene *scene;
  link *links;
  int count;
} link_list;

static void add_link(link_list *list, int group, int row, int column, int down, int right) {
  const bench_scene *s = list->scene;
  int row1 = row + down, column1 = column + right;
  if (row1 >= s->rows || column1 < 0 || column1 >= s->columns)
    return;
  int a = row * s->columns + column, b = row1 * s->columns + column1;
  if (s->inverse_mass[a] + s->inverse_mass[b] == 0)
    return;
  float rest = sqrtf((float)(down * down + right * right)) * s->spacing;
  list->links[list->count++] = (link){(uint32_t)a, (uint32_t)b, rest, group == 2 ? bend_compliance : 0, group, 0};
}

static link_list make_links(const bench_scene *s) {
  static const int ways[GROUPS][2][2] = {{{0, 1}, {1, 0}}, {{1, 1}, {1, -1}}, {{0, 2}, {2, 0}}};
  link_list list = {s, bench_allocate((unsigned long)s->count * 2 * GROUPS, sizeof(link)), 0};
  for (int group = 0; group < GROUPS; group++)
    for (int i = 0; i < s->count; i++)
      for (int k = 0; k < 2; k++)
        add_link(&list, group, i / s->columns, i % s->columns, ways[group][k][0], ways[group][k][1]);
  return list;
}

/* Gives each link the first colour that no earlier link of its group and its particles has. */
static void colour_links(link_list *list) {
  uint64_t *used = bench_allocate((unsigned long)list->scene->count * GROUPS, sizeof *used);
  for (int i = 0; i < list->count; i++) {
    link *l = &list->links[i];
    uint64_t *at = used + l->group * list->scene->count;
    while ((at[l->a] | at[l->b]) >> l->colour & 1)
      l->colour++;
    at[l->a] |= UINT64_C(1) << l->colour;
    at[l->b] |= UINT64_C(1) << l->colour;
  }
  free(used);
}

/// Batches ///

static batch empty_batch(int count) {
  batch q;
  for (int j = 0; j < WIDTH; j++) {
    q.a[j] = (uint32_t)(count + 2 * j);
    q.b[j] = (uint32_t)(count + 2 * j + 1);
    q.rest[j] = q.compliance[j] = 1;
  }
  return q;
}

/* Packs the links of one colour in their order. */
static void pack_colour(xpbd *m, const link_list *list, int group, int colour) {
  int taken = 0;
  for (int i = 0; i < list->count; i++) {
    const link *l = &list->links[i];
    if (l->group != group || l->colour != colour)
      continue;
    if (taken % WIDTH == 0)
      m->batches[m->batch_count++] = empty_batch(m->count);
    batch *q = &m->batches[m->batch_count - 1];
    int j = taken++ % WIDTH;
    q->a[j] = l->a;
    q->b[j] = l->b;
    q->rest[j] = l->rest;
    q->compliance[j] = l->compliance;
  }
}

static void make_batches(xpbd *m) {
  link_list list = make_links(m->scene);
  colour_links(&list);
  m->batches = bench_allocate((unsigned long)(list.count / WIDTH + GROUPS * COLOURS), sizeof(batch));
  for (int group = 0; group < GROUPS; group++)
    for (int colour = 0; colour < COLOURS; colour++)
      pack_colour(m, &list, group, colour);
  free(list.links);
}

/// Solve ///

/* The halves of a vector are links i and i + 4. */
static inline __m256 load_pair(const float *x, const uint32_t *index, int i) {
  __m256 low = _mm256_castps128_ps256(_mm_load_ps(x + 4 * index[i]));
  return _mm256_insertf128_ps(low, _mm_load_ps(x + 4 * index[i + 4]), 1);
}

static inline void store_pair(float *x, const uint32_t *index, int i, __m256 value) {
  _mm_store_ps(x + 4 * index[i], _mm256_castps256_ps128(value));
  _mm_store_ps(x + 4 * index[i + 4], _mm256_extractf128_ps(value, 1));
}

/* Moves both ends of links i and i + 4, a pair of ends d apart, k times along it and as light as they are. */
static inline void move_pair(float *x, const batch *q, int i, __m256 a, __m256 b, __m256 d, __m256 k) {
  const __m256 without_mass = _mm256_setr_ps(1, 1, 1, 0, 1, 1, 1, 0);
  __m256 way = _mm256_mul_ps(k, _mm256_mul_ps(d, without_mass));
  __m256 new_a = _mm256_fmadd_ps(way, _mm256_permute_ps(a, 0xff), a);
  __m256 new_b = _mm256_fnmadd_ps(way, _mm256_permute_ps(b, 0xff), b);
  store_pair(x, q->a, i, new_a);
  store_pair(x, q->b, i, new_b);
}

/* Turns four pairs into one vector of eight for each of x, y, z. */
static inline void transpose(const __m256 *d, __m256 *x, __m256 *y, __m256 *z) {
  __m256 low02 = _mm256_unpacklo_ps(d[0], d[2]), high02 = _mm256_unpackhi_ps(d[0], d[2]);
  __m256 low13 = _mm256_unpacklo_ps(d[1], d[3]), high13 = _mm256_unpackhi_ps(d[1], d[3]);
  *x = _mm256_unpacklo_ps(low02, low13);
  *y = _mm256_unpackhi_ps(low02, low13);
  *z = _mm256_unpacklo_ps(high02, high13);
}

static inline __m256 sum_of_masses(const __m256 *a, const __m256 *b) {
  __m256 s02 = _mm256_unpackhi_ps(_mm256_add_ps(a[0], b[0]), _mm256_add_ps(a[2], b[2]));
  __m256 s13 = _mm256_unpackhi_ps(_mm256_add_ps(a[1], b[1]), _mm256_add_ps(a[3], b[3]));
  return _mm256_unpackhi_ps(s02, s13);
}

static inline void solve_batch(float *x, const batch *q, __m256 per_squared_time) {
  __m256 a[4], b[4], d[4], dx, dy, dz;
  for (int i = 0; i < 4; i++)
    a[i] = load_pair(x, q->a, i);
  for (int i = 0; i < 4; i++)
    b[i] = load_pair(x, q->b, i);
  for (int i = 0; i < 4; i++)
    d[i] = _mm256_sub_ps(b[i], a[i]);
  transpose(d, &dx, &dy, &dz);
  __m256 mass = sum_of_masses(a, b), tiny = _mm256_set1_ps(1e-20f);
  __m256 squared = _mm256_fmadd_ps(dx, dx, _mm256_fmadd_ps(dy, dy, _mm256_fmadd_ps(dz, dz, tiny)));
  __m256 length = _mm256_sqrt_ps(squared);
  __m256 soft = _mm256_fmadd_ps(_mm256_load_ps(q->compliance), per_squared_time, mass);
  __m256 k = _mm256_div_ps(_mm256_sub_ps(length, _mm256_load_ps(q->rest)), _mm256_mul_ps(length, soft));
  move_pair(x, q, 0, a[0], b[0], d[0], _mm256_permute_ps(k, 0x00));
  move_pair(x, q, 1, a[1], b[1], d[1], _mm256_permute_ps(k, 0x55));
  move_pair(x, q, 2, a[2], b[2], d[2], _mm256_permute_ps(k, 0xaa));
  move_pair(x, q, 3, a[3], b[3], d[3], _mm256_permute_ps(k, 0xff));
}

static void solve(xpbd *m, float per_squared_time) {
  float *x = &m->position[0].x;
  const __m256 factor = _mm256_set1_ps(per_squared_time);
  for (int i = 0; i < m->batch_count; i++)
    solve_batch(x, &m->batches[i], factor);
}

/// Wind ///

/* Adds half the air's density times area, |v| and (v.n) n, shared by the corners. */
static void blow_on(xpbd *m, const uint32_t *corner, float h) {
  const vector4 *x = m->position;
  vector4 *v = m->velocity;
  uint32_t i = corner[0], j = corner[1], l = corner[2];
  float ex = x[j].x - x[i].x, ey = x[j].y - x[i].y, ez = x[j].z - x[i].z;
  float fx = x[l].x - x[i].x, fy = x[l].y - x[i].y, fz = x[l].z - x[i].z;
  float nx = ey * fz - ez * fy, ny = ez * fx - ex * fz, nz = ex * fy - ey * fx;
  float area2 = sqrtf(nx * nx + ny * ny + nz * nz) + 1e-12f;
  float rx = bench_wind.x - (v[i].x + v[j].x + v[l].x) / 3;
  float ry = bench_wind.y - (v[i].y + v[j].y + v[l].y) / 3;
  float rz = bench_wind.z - (v[i].z + v[j].z + v[l].z) / 3;
  float into = (rx * nx + ry * ny + rz * nz) / area2, speed = sqrtf(rx * rx + ry * ry + rz * rz);
  float g = 0.5f * bench_air_density * 0.5f * area2 * speed * into / area2 / 3 * h;
  for (int k = 0; k < 3; k++) {
    uint32_t q = corner[k];
    float w = x[q].w * g;
    v[q].x += w * nx;
    v[q].y += w * ny;
    v[q].z += w * nz;
  }
}

static void blow(xpbd *m, float h) {
  for (int t = 0; t < m->triangle_count; t++)
    blow_on(m, &m->triangles[3 * t], h);
}

/// Contact ///

/* Puts a particle out of a ball, which moves by `way` along z in this substep, and holds it back by friction. */
static inline void push_out(vector4 *x, const vector4 *p, bench_point centre, float way, float radius) {
  float dx = x->x - centre.x, dy = x->y - centre.y, dz = x->z - centre.z, squared = dx * dx + dy * dy + dz * dz;
  if (squared >= radius * radius)
    return;
  float distance = sqrtf(squared), depth = radius - distance;
  dx /= distance;
  dy /= distance;
  dz /= distance;
  x->x += depth * dx;
  x->y += depth * dy;
  x->z += depth * dz;
  float tx = x->x - p->x, ty = x->y - p->y, tz = x->z - p->z - way, normal = tx * dx + ty * dy + tz * dz;
  tx -= normal * dx;
  ty -= normal * dy;
  tz -= normal * dz;
  float slip = sqrtf(tx * tx + ty * ty + tz * tz), share = bench_friction * depth / slip;
  float kept = slip > 0 ? (share < 1.0f ? share : 1.0f) : 0;
  x->x -= kept * tx;
  x->y -= kept * ty;
  x->z -= kept * tz;
}

static void collide_with_sphere(xpbd *m) {
  const float radius = m->scene->collider_radius + bench_thickness;
  for (int i = 0; i < m->count; i++)
    push_out(&m->position[i], &m->previous[i], m->scene->collider, 0, radius);
}

static void collide_with_capsule(xpbd *m, bench_point centre, float way) {
  const float radius = m->scene->collider_radius + bench_thickness, half = m->scene->collider_half;
  for (int i = 0; i < m->count; i++) {
    bench_point nearest = centre;
    float along = m->position[i].y - centre.y;
    nearest.y += along > half ? half : along < -half ? -half : along;
    if (m->position[i].w > 0)
      push_out(&m->position[i], &m->previous[i], nearest, way, radius);
  }
}

static void collide(xpbd *m, int frame, int substep) {
  const bench_scene *s = m->scene;
  if (s->collider_radius <= 0)
    return;
  if (s->collider_half <= 0) {
    collide_with_sphere(m);
    return;
  }
  float way = s->collider_speed * s->frame_time / (float)m->substeps;
  bench_point centre = bench_collider_place(s, frame - 1);
  centre.z += way * (float)(substep + 1);
  collide_with_capsule(m, centre, way);
}

/// Substep ///

static void move_pin(xpbd *m, int frame, int substep) {
  if (m->scene->moving_pin < 0)
    return;
  bench_point from = bench_pin_place(m->scene, frame - 1), to = bench_pin_place(m->scene, frame);
  float share = (float)(substep + 1) / (float)m->substeps;
  m->position[m->scene->moving_pin].x = from.x + share * (to.x - from.x);
}

static void predict(xpbd *m, float h) {
  vector4 *x = m->position, *p = m->previous, *v = m->velocity;
  const float damping = 1 - m->scene->damping * h;
  for (int i = 0; i < m->count; i++) {
    p[i] = x[i];
    if (x[i].w > 0) {
      v[i].y -= bench_gravity * h;
      v[i].x *= damping;
      v[i].y *= damping;
      v[i].z *= damping;
      x[i].x += h * v[i].x;
      x[i].y += h * v[i].y;
      x[i].z += h * v[i].z;
    }
  }
}

static void set_velocities(xpbd *m, float per_time) {
  vector4 *x = m->position, *p = m->previous, *v = m->velocity;
  for (int i = 0; i < m->count; i++) {
    v[i].x = (x[i].x - p[i].x) * per_time;
    v[i].y = (x[i].y - p[i].y) * per_time;
    v[i].z = (x[i].z - p[i].z) * per_time;
  }
}

static int xpbd_step(void *state, int frame) {
  xpbd *m = state;
  const float h = m->scene->frame_time / (float)m->substeps, per_time = 1 / h;
  for (int k = 0; k < m->substeps; k++) {
    if (m->scene->has_wind)
      blow(m, h);
    predict(m, h);
    move_pin(m, frame, k);
    solve(m, per_time * per_time);
    collide(m, frame, k);
    set_velocities(m, per_time);
  }
  return 1;
}

/// Set-up ///

static void make_triangles(xpbd *m) {
  const bench_scene *s = m->scene;
  m->triangle_count = 2 * (s->rows - 1) * (s->columns - 1);
  m->triangles = bench_allocate(3 * (unsigned long)m->triangle_count, sizeof(uint32_t));
  uint32_t *t = m->triangles, below = (uint32_t)s->columns;
  for (uint32_t i = 0; i + below < (uint32_t)s->count; i++) {
    if (i % below + 1 == below)
      continue;
    const uint32_t corners[6] = {i, i + 1, i + below + 1, i, i + below + 1, i + below};
    for (int k = 0; k < 6; k++)
      *t++ = corners[k];
  }
}

static void place_particles(xpbd *m) {
  const bench_scene *s = m->scene;
  for (int i = 0; i < s->count; i++)
    m->position[i] = (vector4){s->start[3 * i], s->start[3 * i + 1], s->start[3 * i + 2], s->inverse_mass[i]};
  for (int i = 0; i < PADDING; i++)
    m->position[s->count + i] = (vector4){(float)i, 0, 0, 0};
}

static void *xpbd_open(const bench_scene *scene, const setting *how) {
  xpbd *m = bench_allocate(1, sizeof *m);
  unsigned long vectors = (unsigned long)scene->count + PADDING;
  m->scene = scene;
  m->count = scene->count;
  m->substeps = how->substeps;
  m->position = bench_allocate(vectors, sizeof(vector4));
  m->previous = bench_allocate(vectors, sizeof(vector4));
  m->velocity = bench_allocate(vectors, sizeof(vector4));
  place_particles(m);
  make_batches(m);
  make_triangles(m);
  return m;
}

static void xpbd_read(const void *state, float *positions) {
  const xpbd *m = state;
  for (int i = 0; i < m->count; i++) {
    *positions++ = m->position[i].x;
    *positions++ = m->position[i].y;
    *positions++ = m->position[i].z;
  }
}

/* The triangles are left out: only wind needs them, and they could be counted off instead of stored. */
static size_t xpbd_bytes(const void *state) {
  const xpbd *m = state;
  return 3 * sizeof(vector4) * (size_t)(m->count + PADDING) + sizeof(batch) * (size_t)m->batch_count;
}

static void xpbd_close(void *state) {
  xpbd *m = state;
  free(m->position);
  free(m->previous);
  free(m->velocity);
  free(m->batches);
  free(m->triangles);
  free(m);
}

const solver solver_xpbd_color8 = {"xpbd_color8", xpbd_open, xpbd_step, xpbd_read, xpbd_bytes, xpbd_close};
