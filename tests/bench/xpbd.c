/*
 * The baseline: a textbook XPBD cloth ("small steps": one Gauss-Seidel sweep a substep) of the material that cloth.c is
 * given: the same stiffness of stretch and shear springs and the same bending rigidity. Springs are coloured greedily
 * and solved eight at a time with AVX2 and FMA. Hinges along rows and columns are solved one after the other along a
 * line, eight lines at a time. There is no twist, so that the sheet bends more easily than cloth.c's across a diagonal.
 * Unlike cloth.c this file may be compiled with contraction: it is to be as fast as it can.
 *
 * SPDX-License-Identifier: MIT
 */
#include "solver.h"

#include <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { WIDTH = 8, PADDING = 2 * WIDTH + 4, COLOURS = 64, GROUPS = 2, PAIRS = WIDTH / 2 };

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

/* Hinges x[i-1] - 2 x[i] + x[i+1] along parallel lines of particles. The weights of a hinge are 1, -2, 1, so that the
   multiplier of its constraint is -C / (w[i-1] + 4 w[i] + w[i+1] + compliance / h^2), with h the substep. */
typedef struct hinge_lines {
  uint32_t count, length; /* lines, and particles of a line */
  uint32_t across, along; /* from a line to the next, from a particle to the next along its line [particles] */
  float (*factor)[4];     /* 1 / (w[i-1] + 4 w[i] + w[i+1] + compliance / h^2) for x, y, z, and 0, of each particle */
  unsigned char *is_near_pin; /* of each element of eight lines: 1 if a hinge there has a pinned particle */
} hinge_lines;

/* The corners of eight cells that share no particle. */
typedef struct cells {
  uint32_t corner[4][WIDTH];
} cells;

/* Two unused particles for each place of a batch that is left empty follow after the sheet's own, and four for
   places of cells. */
typedef struct xpbd {
  const bench_scene *scene;
  int count, substeps;
  vector4 *position, *previous, *velocity;
  cells *cells;
  int cells_count;
  batch *batches;
  int batch_count;
  hinge_lines hinges[2];    /* along columns, along rows */
  float free_hinge_step[4]; /* inverse mass times the factor of a hinge without pins for x, y, z, and 0 */
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
  if (row1 >= s->rows || column1 < 0 || column1 >= s->columns) return;
  int a = row * s->columns + column, b = row1 * s->columns + column1;
  if (s->inverse_mass[a] + s->inverse_mass[b] == 0 || (group == 1 && s->shear == 0)) return;
  float rest = sqrtf((float)(down * down + right * right)) * s->spacing;
  list->links[list->count++] =
      (link){(uint32_t)a, (uint32_t)b, rest, 1 / (group == 1 ? s->shear : bench_stiffness), group, 0};
}

static link_list make_links(const bench_scene *s) {
  static const int ways[GROUPS][2][2] = {{{0, 1}, {1, 0}}, {{1, 1}, {1, -1}}};
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
    if (l->group != group || l->colour != colour) continue;
    if (taken % WIDTH == 0) m->batches[m->batch_count++] = empty_batch(m->count);
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

/// Springs ///

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

/// Hinges ///

/* The first particles of eight lines, in pairs; neighbouring lines are `across` particles apart. */
typedef struct hinge_bundle {
  const hinge_lines *lines;
  const unsigned char *is_near_pin;
  uint32_t first[PAIRS][2];
} hinge_bundle;

/* Columns lie beside each other in memory, so that one load takes a pair of them. */
static inline __m256 load_lines(const float *x, const uint32_t *first, uint32_t at, int side_by_side) {
  if (side_by_side) return _mm256_loadu_ps(x + 4 * (first[0] + at));
  __m256 low = _mm256_castps128_ps256(_mm_load_ps(x + 4 * (first[0] + at)));
  return _mm256_insertf128_ps(low, _mm_load_ps(x + 4 * (first[1] + at)), 1);
}

static inline void store_lines(float *x, const uint32_t *first, uint32_t at, int side_by_side, __m256 value) {
  if (side_by_side) {
    _mm256_storeu_ps(x + 4 * (first[0] + at), value);
  } else {
    _mm_store_ps(x + 4 * (first[0] + at), _mm256_castps256_ps128(value));
    _mm_store_ps(x + 4 * (first[1] + at), _mm256_extractf128_ps(value, 1));
  }
}

/* Solves a hinge of two lines whose particles all have the mass of a free one. */
static inline void solve_free_hinge(__m256 *a, __m256 *b, __m256 *c, __m256 step) {
  __m256 d = _mm256_mul_ps(step, _mm256_fnmadd_ps(_mm256_set1_ps(2), *b, _mm256_add_ps(*a, *c)));
  *a = _mm256_sub_ps(*a, d);
  *b = _mm256_fmadd_ps(_mm256_set1_ps(2), d, *b);
  *c = _mm256_sub_ps(*c, d);
}

/* The same with inverse masses as they are in lane w. */
static inline void solve_pinned_hinge(__m256 *a, __m256 *b, __m256 *c, __m256 factor) {
  __m256 d = _mm256_mul_ps(factor, _mm256_fnmadd_ps(_mm256_set1_ps(2), *b, _mm256_add_ps(*a, *c)));
  *a = _mm256_fnmadd_ps(_mm256_permute_ps(*a, 0xff), d, *a);
  *b = _mm256_fmadd_ps(_mm256_permute_ps(*b, 0xff), _mm256_add_ps(d, d), *b);
  *c = _mm256_fnmadd_ps(_mm256_permute_ps(*c, 0xff), d, *c);
}

/* Solves the hinges of `pairs` pairs of lines from their starts to their ends; a particle is loaded and stored once. */
static inline void solve_bundle(float *x, const hinge_bundle *q, int pairs, int side_by_side, __m256 step) {
  const hinge_lines *l = q->lines;
  const float *factor = &l->factor[0][0];
  __m256 a[PAIRS], b[PAIRS], c[PAIRS];
  for (int k = 0; k < pairs; k++) {
    a[k] = load_lines(x, q->first[k], 0, side_by_side);
    b[k] = load_lines(x, q->first[k], l->along, side_by_side);
  }
  for (uint32_t i = 1; i + 1 < l->length; i++) {
    uint32_t before = (i - 1) * l->along, here = i * l->along, after = (i + 1) * l->along;
    for (int k = 0; k < pairs; k++)
      c[k] = load_lines(x, q->first[k], after, side_by_side);
    if (q->is_near_pin[i])
      for (int k = 0; k < pairs; k++)
        solve_pinned_hinge(&a[k], &b[k], &c[k], load_lines(factor, q->first[k], here, side_by_side));
    else
      for (int k = 0; k < pairs; k++)
        solve_free_hinge(&a[k], &b[k], &c[k], step);
    for (int k = 0; k < pairs; k++) {
      store_lines(x, q->first[k], before, side_by_side, a[k]);
      a[k] = b[k];
      b[k] = c[k];
    }
  }
  for (int k = 0; k < pairs; k++) {
    store_lines(x, q->first[k], (l->length - 2) * l->along, side_by_side, a[k]);
    store_lines(x, q->first[k], (l->length - 1) * l->along, side_by_side, b[k]);
  }
}

/* Of an odd number of lines the last makes a pair with itself: both halves compute the same. */
static inline void solve_hinges(xpbd *m, const hinge_lines *l, int side_by_side) {
  float *x = &m->position[0].x;
  const __m256 step = _mm256_broadcast_ps((const __m128 *)(const void *)m->free_hinge_step);
  for (uint32_t line = 0; line < l->count; line += WIDTH) {
    hinge_bundle q = {l, l->is_near_pin + line / WIDTH * l->length, {{0}}};
    uint32_t taken = l->count - line < WIDTH ? l->count - line : WIDTH;
    for (uint32_t k = 0; k < taken; k += 2) {
      q.first[k / 2][0] = (line + k) * l->across;
      q.first[k / 2][1] = (k + 1 < taken ? line + k + 1 : line + k) * l->across;
    }
    if (taken == WIDTH) {
      solve_bundle(x, &q, PAIRS, side_by_side, step);
      continue;
    }
    for (uint32_t k = 0; k < taken; k += 2) {
      hinge_bundle one = {l, q.is_near_pin, {{q.first[k / 2][0], q.first[k / 2][1]}}};
      solve_bundle(x, &one, 1, 0, step);
    }
  }
}

/// Solve ///

/* Bending is soft and comes first: what it leaves of stretch the springs after it take out. */
static void solve(xpbd *m, float per_squared_time) {
  float *x = &m->position[0].x;
  const __m256 factor = _mm256_set1_ps(per_squared_time);
  solve_hinges(m, &m->hinges[0], 1);
  solve_hinges(m, &m->hinges[1], 0);
  for (int i = 0; i < m->batch_count; i++)
    solve_batch(x, &m->batches[i], factor);
}

/// Wind ///

/* Turns one vector of eight for each of x, y, z into four pairs with 0 in lane w: the inverse of transpose(). */
static inline void transpose_back(__m256 x, __m256 y, __m256 z, __m256 *d) {
  const __m256 zero = _mm256_setzero_ps();
  __m256 xy01 = _mm256_unpacklo_ps(x, y), xy23 = _mm256_unpackhi_ps(x, y);
  __m256 z01 = _mm256_unpacklo_ps(z, zero), z23 = _mm256_unpackhi_ps(z, zero);
  d[0] = _mm256_shuffle_ps(xy01, z01, 0x44);
  d[1] = _mm256_shuffle_ps(xy01, z01, 0xee);
  d[2] = _mm256_shuffle_ps(xy23, z23, 0x44);
  d[3] = _mm256_shuffle_ps(xy23, z23, 0xee);
}

/* Of eight triangles with edges e and f, whose corners' velocities add up to v: what the air adds to the momentum of
   each corner in a substep, h times half the air's density times area, |r| and (r.n) n over 3, with r the wind relative
   to the triangle. `scale` is the air's density times h / 12, area being half the length of e x f. */
static inline void blow_on(const __m256 *e, const __m256 *f, const __m256 *v, float scale, __m256 *push) {
  const __m256 third = _mm256_set1_ps(1.0f / 3);
  __m256 ex, ey, ez, fx, fy, fz, vx, vy, vz;
  transpose(e, &ex, &ey, &ez);
  transpose(f, &fx, &fy, &fz);
  transpose(v, &vx, &vy, &vz);
  __m256 nx = _mm256_fmsub_ps(ey, fz, _mm256_mul_ps(ez, fy)), ny = _mm256_fmsub_ps(ez, fx, _mm256_mul_ps(ex, fz));
  __m256 nz = _mm256_fmsub_ps(ex, fy, _mm256_mul_ps(ey, fx)), tiny = _mm256_set1_ps(1e-24f);
  __m256 rx = _mm256_fnmadd_ps(vx, third, _mm256_set1_ps(bench_wind.x));
  __m256 ry = _mm256_fnmadd_ps(vy, third, _mm256_set1_ps(bench_wind.y));
  __m256 rz = _mm256_fnmadd_ps(vz, third, _mm256_set1_ps(bench_wind.z));
  __m256 nn = _mm256_fmadd_ps(nx, nx, _mm256_fmadd_ps(ny, ny, _mm256_fmadd_ps(nz, nz, tiny)));
  __m256 rr = _mm256_fmadd_ps(rx, rx, _mm256_fmadd_ps(ry, ry, _mm256_mul_ps(rz, rz)));
  __m256 rn = _mm256_fmadd_ps(rx, nx, _mm256_fmadd_ps(ry, ny, _mm256_mul_ps(rz, nz)));
  __m256 g = _mm256_mul_ps(_mm256_mul_ps(rn, _mm256_set1_ps(scale)), _mm256_sqrt_ps(_mm256_div_ps(rr, nn)));
  transpose_back(_mm256_mul_ps(g, nx), _mm256_mul_ps(g, ny), _mm256_mul_ps(g, nz), push);
}

static inline void push_corner(const float *x, float *v, const uint32_t *corner, int i, __m256 push) {
  __m256 mobility = _mm256_permute_ps(load_pair(x, corner, i), 0xff);
  store_pair(v, corner, i, _mm256_fmadd_ps(mobility, push, load_pair(v, corner, i)));
}

/* Eight cells that share no particle, of two triangles each: corners 0 1 3 and 0 3 2, of which 1 is beside 0, 2 below
   it and 3 below 1. */
static inline void blow_on_cells(xpbd *m, const cells *q, float scale) {
  const float *x = &m->position[0].x;
  float *v = &m->velocity[0].x;
  __m256 edge[4][4], first[4], second[4], push[2][4];
  for (int i = 0; i < 4; i++) {
    __m256 from = load_pair(x, q->corner[0], i);
    for (int k = 1; k < 4; k++)
      edge[k][i] = _mm256_sub_ps(load_pair(x, q->corner[k], i), from);
    __m256 shared = _mm256_add_ps(load_pair(v, q->corner[0], i), load_pair(v, q->corner[3], i));
    first[i] = _mm256_add_ps(shared, load_pair(v, q->corner[1], i));
    second[i] = _mm256_add_ps(shared, load_pair(v, q->corner[2], i));
  }
  blow_on(edge[1], edge[3], first, scale, push[0]);
  blow_on(edge[3], edge[2], second, scale, push[1]);
  for (int i = 0; i < 4; i++) {
    __m256 both = _mm256_add_ps(push[0][i], push[1][i]);
    push_corner(x, v, q->corner[0], i, both);
    push_corner(x, v, q->corner[1], i, push[0][i]);
    push_corner(x, v, q->corner[2], i, push[1][i]);
    push_corner(x, v, q->corner[3], i, both);
  }
}

static void blow(xpbd *m, float h) {
  for (int i = 0; i < m->cells_count; i++)
    blow_on_cells(m, &m->cells[i], bench_air_density * h / 12);
}

/// Contact ///

/* Puts a particle out of a ball, which moves by `way` along z in this substep, and holds it back by friction. */
static inline void push_out(vector4 *x, const vector4 *p, bench_point centre, float way, float radius) {
  float dx = x->x - centre.x, dy = x->y - centre.y, dz = x->z - centre.z, squared = dx * dx + dy * dy + dz * dz;
  if (squared >= radius * radius) return;
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
    if (m->position[i].w > 0) push_out(&m->position[i], &m->previous[i], nearest, way, radius);
  }
}

static void collide(xpbd *m, int frame, int substep) {
  const bench_scene *s = m->scene;
  if (s->collider_radius <= 0) return;
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
  if (m->scene->moving_pin < 0) return;
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
      v[i].y -= m->scene->gravity * h;
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
    if (m->scene->has_wind) blow(m, h);
    predict(m, h);
    move_pin(m, frame, k);
    solve(m, per_time * per_time);
    collide(m, frame, k);
    set_velocities(m, per_time);
  }
  return 1;
}

/// Set-up ///

/* Packs the cells of every second row and column. Places that are left empty have four unused particles, which are at
   rest in one place. */
static void pack_cells(xpbd *m, int first_row, int first_column) {
  const bench_scene *s = m->scene;
  uint32_t taken = 0, unused = (uint32_t)m->count + 2 * WIDTH;
  for (int row = first_row; row + 1 < s->rows; row += 2)
    for (int column = first_column; column + 1 < s->columns; column += 2) {
      if (taken % WIDTH == 0)
        for (uint32_t k = 0; k < 4 * WIDTH; k++)
          m->cells[m->cells_count + (int)(taken / WIDTH)].corner[k / WIDTH][k % WIDTH] = unused + k / WIDTH;
      for (int k = 0; k < 4; k++)
        m->cells[m->cells_count + (int)(taken / WIDTH)].corner[k][taken % WIDTH] =
            (uint32_t)((row + k / 2) * s->columns + column + k % 2);
      taken++;
    }
  m->cells_count += (int)((taken + WIDTH - 1) / WIDTH);
}

static void make_cells(xpbd *m) {
  m->cells = bench_allocate((unsigned long)(m->count / WIDTH + 4), sizeof *m->cells);
  for (int k = 0; k < 4; k++)
    pack_cells(m, k / 2, k % 2);
}

/* The stiffness of a hinge is the rigidity times the spacing across over the cubed spacing along it [N/m], and twice
   that where a pinned particle beside another makes a clamp: half of its strip then lies in the clamp, as cloth.c has
   it. A hinge that has no free particle does nothing. */
static float hinge_factor(const xpbd *m, uint32_t i, uint32_t along) {
  const bench_scene *s = m->scene;
  const float h = s->frame_time / (float)m->substeps, *w = s->inverse_mass;
  float stiffness = s->rigidity / (s->spacing * s->spacing);
  if (w[i] == 0 && (w[i - along] == 0 || w[i + along] == 0)) stiffness *= 2;
  float weights = w[i - along] + 4 * w[i] + w[i + along];
  return weights > 0 ? 1 / (weights + 1 / (stiffness * h * h)) : 0;
}

static void make_hinges(xpbd *m, hinge_lines *l) {
  unsigned long bundles = (l->count + WIDTH - 1) / WIDTH;
  const float *w = m->scene->inverse_mass;
  l->factor = bench_allocate((unsigned long)m->count, sizeof *l->factor);
  l->is_near_pin = bench_allocate(bundles * l->length, 1);
  for (uint32_t line = 0; line < l->count; line++)
    for (uint32_t k = 1; k + 1 < l->length; k++) {
      uint32_t i = line * l->across + k * l->along;
      float factor = hinge_factor(m, i, l->along);
      for (int d = 0; d < 3; d++)
        l->factor[i][d] = factor;
      if (w[i - l->along] == 0 || w[i] == 0 || w[i + l->along] == 0) l->is_near_pin[line / WIDTH * l->length + k] = 1;
    }
}

static void make_all_hinges(xpbd *m) {
  uint32_t columns = (uint32_t)m->scene->columns, rows = (uint32_t)m->scene->rows;
  float mass = m->scene->mass, h = m->scene->frame_time / (float)m->substeps;
  float stiffness = m->scene->rigidity / (m->scene->spacing * m->scene->spacing);
  m->hinges[0] = (hinge_lines){.count = columns, .length = rows, .across = 1, .along = columns};
  m->hinges[1] = (hinge_lines){.count = rows, .length = columns, .across = columns, .along = 1};
  for (int k = 0; k < 2; k++)
    make_hinges(m, &m->hinges[k]);
  for (int d = 0; d < 3; d++)
    m->free_hinge_step[d] = 1 / (6 + mass / (stiffness * h * h));
}

static void place_particles(xpbd *m) {
  const bench_scene *s = m->scene;
  for (int i = 0; i < s->count; i++)
    m->position[i] = (vector4){s->start[3 * i], s->start[3 * i + 1], s->start[3 * i + 2], s->inverse_mass[i]};
  for (int i = 0; i < 2 * WIDTH; i++)
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
  make_all_hinges(m);
  make_cells(m);
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

/* Cells and the factors of hinges are left out: only wind needs the former, which could be counted off instead of
   stored, and only hinges at pins the latter. */
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
  for (int k = 0; k < 2; k++) {
    free(m->hinges[k].factor);
    free(m->hinges[k].is_near_pin);
  }
  free(m->cells);
  free(m);
}

const solver solver_xpbd_color8 = {"xpbd_color8", xpbd_open, xpbd_step, xpbd_read, xpbd_bytes, xpbd_close};
