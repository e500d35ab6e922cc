/* SPDX-License-Identifier: MIT */
#include "measures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A run while it is recorded. Differences of positions are taken in single precision throughout, as a solver would. */
typedef struct record {
  const bench_scene *scene;
  int frame, late_frames, last_frames;
  float *now, *before, *earlier; /* the last three frames */
  float *strains;
  double *times;
} record;

int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int is_late(const record *r) {
  return r->frame >= r->scene->frames - r->late_frames;
}

static int is_last(const record *r) {
  return r->frame >= r->scene->frames - r->last_frames;
}

static const float *particle(const record *r, int row, int column) {
  return &r->now[3 * (row * r->scene->columns + column)];
}

static double larger(double a, double b) {
  return a > b ? a : b;
}

static double smaller(double a, double b) {
  return a < b ? a : b;
}

/// Strain ///

static double strain_between(const record *r, int a, int b) {
  const float *p = &r->now[3 * a], *q = &r->now[3 * b];
  double x = (double)(q[0] - p[0]), y = (double)(q[1] - p[1]), z = (double)(q[2] - p[2]);
  return sqrt(x * x + y * y + z * z) / (double)r->scene->spacing - 1.0;
}

static int are_pinned(const record *r, int a, int b) {
  return r->scene->inverse_mass[a] == 0 && r->scene->inverse_mass[b] == 0;
}

/* Takes an edge into the list of strains and returns the largest strain so far. */
static double add_edge(record *r, int *edges, double most, int a, int b, figures *f) {
  double strain = strain_between(r, a, b);
  r->strains[(*edges)++] = (float)strain;
  if (!(strain < 1e6)) f->broken = 1;
  return are_pinned(r, a, b) ? most : larger(most, strain);
}

/* Hoare's selection: the value that would stand at `rank` if the values were sorted. */
static float value_at_rank(float *values, int count, int rank) {
  int low = 0, high = count - 1;
  while (low < high) {
    float pivot = values[(low + high) / 2];
    int i = low, j = high;
    while (i <= j) {
      while (values[i] < pivot)
        i++;
      while (values[j] > pivot)
        j--;
      if (i <= j) {
        float swapped = values[i];
        values[i++] = values[j];
        values[j--] = swapped;
      }
    }
    if (rank <= j)
      high = j;
    else if (rank >= i)
      low = i;
    else
      return values[rank];
  }
  return values[rank];
}

static void measure_strain(record *r, figures *f) {
  int edges = 0, columns = r->scene->columns;
  double most = -1;
  for (int i = 0; i < r->scene->count; i++) {
    if (i % columns + 1 < columns) most = add_edge(r, &edges, most, i, i + 1, f);
    if (i + columns < r->scene->count) most = add_edge(r, &edges, most, i, i + columns, f);
  }
  f->stretch_ever = larger(f->stretch_ever, most);
  if (!is_late(r) || f->broken) return;
  f->stretch_most = larger(f->stretch_most, most);
  f->stretch_p99 += (double)value_at_rank(r->strains, edges, (int)(0.99 * (edges - 1))) / r->late_frames;
  f->stretch_p01 += (double)value_at_rank(r->strains, edges, (int)(0.01 * (edges - 1))) / r->late_frames;
}

/// Shape ///

static double triangle_area(const float *a, const float *b, const float *c) {
  double u[3], v[3];
  for (int d = 0; d < 3; d++) {
    u[d] = (double)(b[d] - a[d]);
    v[d] = (double)(c[d] - a[d]);
  }
  double x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2], z = u[0] * v[1] - u[1] * v[0];
  return 0.5 * sqrt(x * x + y * y + z * z);
}

static double area_ratio(const record *r) {
  int rows = r->scene->rows, columns = r->scene->columns;
  double area = 0, spacing = (double)r->scene->spacing;
  for (int row = 0; row + 1 < rows; row++)
    for (int column = 0; column + 1 < columns; column++) {
      const float *corner = particle(r, row, column), *opposite = particle(r, row + 1, column + 1);
      area += triangle_area(corner, particle(r, row, column + 1), opposite);
      area += triangle_area(corner, opposite, particle(r, row + 1, column));
    }
  return area / ((columns - 1.0) * (rows - 1.0) * spacing * spacing);
}

/* One coordinate of what alternates from cell to cell in both directions around a particle. */
static double checkerboard(const float *p, int stride) {
  double sides = (double)p[3] + (double)p[-3] + (double)p[stride] + (double)p[-stride];
  double corners = (double)p[stride + 3] + (double)p[stride - 3] + (double)p[3 - stride] + (double)p[-stride - 3];
  return (4 * (double)p[0] - 2 * sides + corners) / 16;
}

static double roughness(const record *r) {
  int rows = r->scene->rows, columns = r->scene->columns;
  double sum = 0;
  for (int row = 1; row + 1 < rows; row++)
    for (int column = 1; column + 1 < columns; column++)
      for (int d = 0; d < 3; d++) {
        double mode = checkerboard(particle(r, row, column) + d, 3 * columns);
        sum += mode * mode;
      }
  return sqrt(sum / ((rows - 2.0) * (columns - 2.0))) / (double)r->scene->spacing;
}

static void measure_shape(const record *r, figures *f) {
  if (!is_late(r)) return;
  f->area = smaller(f->area, area_ratio(r));
  f->roughness += roughness(r) / r->late_frames;
}

/// Motion ///

static double kinetic_energy(const record *r) {
  double sum = 0;
  for (int i = 0; i < 3 * r->scene->count; i++) {
    double v = (double)((r->now[i] - r->before[i]) / r->scene->frame_time);
    sum += r->scene->inverse_mass[i / 3] == 0 ? 0 : v * v;
  }
  return 0.5 * (double)r->scene->mass * sum;
}

static double potential_energy(const record *r) {
  double sum = 0, weight = (double)(r->scene->mass * r->scene->gravity);
  for (int i = 0; i < r->scene->count; i++)
    sum += r->scene->inverse_mass[i] == 0 ? 0 : weight * (double)r->now[3 * i + 1];
  return sum;
}

static double squared_acceleration(const record *r) {
  double sum = 0, squared_time = (double)(r->scene->frame_time * r->scene->frame_time);
  for (int i = 0; i < 3 * r->scene->count; i++) {
    double a = ((double)r->now[i] - 2 * (double)r->before[i] + (double)r->earlier[i]) / squared_time;
    sum += r->scene->inverse_mass[i / 3] == 0 ? 0 : a * a;
  }
  return sum / r->scene->count;
}

static void measure_motion(const record *r, figures *f) {
  double kinetic = 1e3 * kinetic_energy(r);
  f->kinetic_mean += kinetic / r->scene->frames;
  f->energy_end = kinetic + 1e3 * potential_energy(r);
  if (!isfinite(f->energy_end)) f->broken = 1;
  if (is_last(r)) {
    f->kinetic_last += kinetic / r->last_frames;
    f->acceleration += squared_acceleration(r) / r->last_frames; /* the root is taken at the end */
  }
}

static void measure_distance(const record *r, figures *f) {
  bench_point centre = bench_collider_place(r->scene, r->frame);
  float half = r->scene->collider_half;
  for (int i = 0; r->scene->collider_radius > 0 && i < r->scene->count; i++) {
    const float *p = &r->now[3 * i];
    double x = (double)(p[0] - centre.x), y = (double)(p[1] - centre.y), z = (double)(p[2] - centre.z);
    y = y - larger(smaller(y, (double)half), -(double)half);
    f->distance = smaller(f->distance, sqrt(x * x + y * y + z * z));
  }
}

/// Run ///

static double microseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static uint64_t hash_bytes(const void *data, size_t bytes) {
  const unsigned char *byte = data;
  uint64_t hash = UINT64_C(1469598103934665603);
  for (size_t i = 0; i < bytes; i++)
    hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
  return hash;
}

static record open_record(const bench_scene *scene) {
  unsigned long count = (unsigned long)scene->count;
  record r = {.scene = scene, .late_frames = scene->frame_rate, .last_frames = scene->frame_rate / 2};
  float **const frames[] = {&r.now, &r.before, &r.earlier};
  for (int i = 0; i < 3; i++) {
    *frames[i] = bench_allocate(3 * count, sizeof(float));
    memcpy(*frames[i], scene->start, 3 * count * sizeof(float));
  }
  r.strains = bench_allocate(2 * count, sizeof(float));
  r.times = bench_allocate((unsigned long)scene->frames, sizeof(double));
  return r;
}

static void close_record(record *r) {
  free(r->now);
  free(r->before);
  free(r->earlier);
  free(r->strains);
  free(r->times);
}

static void next_frame(record *r) {
  float *oldest = r->earlier;
  r->earlier = r->before;
  r->before = r->now;
  r->now = oldest;
}

static void summarise(record *r, figures *f) {
  int frames = r->scene->frames;
  qsort(r->times, (size_t)frames, sizeof *r->times, compare_doubles);
  f->us_median = r->times[frames / 2];
  f->us_p99 = r->times[(int)(0.99 * (frames - 1) + 0.5)];
  f->acceleration = sqrt(f->acceleration);
  f->distance = r->scene->collider_radius > 0 ? f->distance : 0;
  f->hash = hash_bytes(r->now, 3 * (size_t)r->scene->count * sizeof(float));
}

figures measure_run(const bench_scene *scene, const solver *with, const setting *how) {
  figures f = {.area = HUGE_VAL, .distance = HUGE_VAL};
  record r = open_record(scene);
  void *state = with->open(scene, how);
  f.bytes = with->bytes(state);
  for (r.frame = 0; r.frame < scene->frames; r.frame++) {
    next_frame(&r);
    double start = microseconds();
    f.broken |= !with->step(state, r.frame);
    r.times[r.frame] = microseconds() - start;
    with->read(state, r.now);
    measure_strain(&r, &f);
    measure_shape(&r, &f);
    measure_motion(&r, &f);
    measure_distance(&r, &f);
  }
  summarise(&r, &f);
  with->close(state);
  close_record(&r);
  return f;
}
