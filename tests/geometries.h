/* Geometries for tests: a box as planes, grids of heights, triangles and distances from functions, and the memory for
   them. SPDX-License-Identifier: MIT */
#ifndef GEOMETRIES_H
#define GEOMETRIES_H

#include "support.h"

/// Data and memory ///

/* A geometry, its data, and what both lie in. */
typedef struct built {
  cloth_geometry_data data;
  const cloth_geometry *geometry;
  unsigned char *allocation, *memory;
  size_t bytes;
  void *arrays[2];
} built;

static inline void *array_of(size_t count, size_t size) {
  void *array = calloc(count, size);
  if (array == NULL) {
    printf("out of memory\n");
    exit(2);
  }
  return array;
}

static inline void build(built *b) {
  int result = cloth_geometry_bytes(&b->data, &b->bytes);
  CHECK(result == CLOTH_OK, "cloth_geometry_bytes: %s", cloth_result_name(result));
  b->memory = guarded_buffer(b->bytes, 0, &b->allocation);
  memset(b->memory, 0xcd, b->bytes);
  result = cloth_build_geometry(&b->data, b->memory, b->bytes, &b->geometry);
  CHECK(result == CLOTH_OK, "cloth_build_geometry: %s", cloth_result_name(result));
  if (result != CLOTH_OK) exit(2);
}

static inline void free_built(built *b) {
  CHECK(guards_intact(b->memory, b->bytes), "bytes outside a geometry were written");
  free(b->allocation);
  free(b->arrays[0]);
  free(b->arrays[1]);
  memset(b, 0, sizeof *b);
}

static inline cloth_collider collider_with(const built *b) {
  cloth_collider c = cloth_collider_default();
  int result = cloth_collider_set_geometry(&c, b->geometry, 0);
  CHECK(result == CLOTH_OK, "cloth_collider_set_geometry: %s", cloth_result_name(result));
  return c;
}

/// Hulls ///

static const cloth_vector box_normals[6] = {{1.0f, 0.0f, 0.0f},  {-1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f},
                                            {0.0f, -1.0f, 0.0f}, {0.0f, 0.0f, 1.0f},  {0.0f, 0.0f, -1.0f}};

/* A box as a hull. */
static inline built build_box(double x, double y, double z) {
  built b = {cloth_geometry_data_default(CLOTH_SHAPE_HULL), NULL, NULL, NULL, 0, {NULL, NULL}};
  float *offsets = (float *)array_of(6, sizeof *offsets);
  for (int n = 0; n < 6; n++)
    offsets[n] = (float)(n < 2 ? x : n < 4 ? y : z);
  b.data.hull.normals = box_normals;
  b.data.hull.offsets = offsets;
  b.data.hull.planes = 6;
  b.arrays[0] = offsets;
  build(&b);
  return b;
}

/// Ground ///

typedef double (*height_function)(double x, double z);

static inline double level(double x, double z) {
  (void)x;
  (void)z;
  return 0.0;
}

static inline double hills(double x, double z) {
  return 0.1 * sin(3.0 * x) * cos(3.0 * z);
}

/* Heights over a square of `side` metres around the middle, at side / 2 from the first sample. */
static inline built build_field_of(height_function height, double side, int samples) {
  built b = {cloth_geometry_data_default(CLOTH_SHAPE_HEIGHT_FIELD), NULL, NULL, NULL, 0, {NULL, NULL}};
  float *heights = (float *)array_of((size_t)samples * (size_t)samples, sizeof *heights);
  double spacing = side / (samples - 1);
  for (int n = 0; n < samples * samples; n++)
    heights[n] = (float)height(n % samples * spacing - 0.5 * side, n / samples * spacing - 0.5 * side);
  b.data.height_field.heights = heights;
  b.data.height_field.columns = b.data.height_field.rows = samples;
  b.data.height_field.spacing_x = b.data.height_field.spacing_z = (float)spacing;
  b.arrays[0] = heights;
  build(&b);
  return b;
}

/* The same ground as triangles around the origin; their normals point up. */
static inline built build_sheet_of(height_function height, double side, int samples, int one_sided) {
  built b = {cloth_geometry_data_default(CLOTH_SHAPE_MESH), NULL, NULL, NULL, 0, {NULL, NULL}};
  cloth_vector *vertices = (cloth_vector *)array_of((size_t)samples * (size_t)samples, sizeof *vertices);
  uint32_t *indices = (uint32_t *)array_of(6 * (size_t)samples * (size_t)samples, sizeof *indices);
  int count = 0;
  for (int n = 0; n < samples * samples; n++) {
    double x = n % samples * side / (samples - 1) - 0.5 * side, z = n / samples * side / (samples - 1) - 0.5 * side;
    vertices[n] = vector_at(x, height(x, z), z);
    if (n % samples < samples - 1 && n / samples < samples - 1) {
      const int corners[6] = {0, samples, 1, 1, samples, samples + 1};
      for (int k = 0; k < 6; k++)
        indices[count++] = (uint32_t)(n + corners[k]);
    }
  }
  b.data.mesh.vertices = vertices;
  b.data.mesh.vertex_count = samples * samples;
  b.data.mesh.indices = indices;
  b.data.mesh.triangle_count = count / 3;
  b.data.mesh.one_sided = one_sided;
  b.arrays[0] = vertices;
  b.arrays[1] = indices;
  build(&b);
  return b;
}

/// Balls ///

/* A sphere of triangles between circles of latitude; the poles are fans. */
static inline built build_ball(double radius, int rings, int one_sided) {
  built b = {cloth_geometry_data_default(CLOTH_SHAPE_MESH), NULL, NULL, NULL, 0, {NULL, NULL}};
  const int around = 2 * rings, count = (rings - 1) * around + 2;
  const double pi = acos(-1.0);
  cloth_vector *vertices = (cloth_vector *)array_of((size_t)count, sizeof *vertices);
  uint32_t *indices = (uint32_t *)array_of(6 * (size_t)(rings * around), sizeof *indices);
  int used = 0;
  for (int n = 0; n < (rings - 1) * around; n++) {
    double polar = pi * (n / around + 1) / rings, azimuth = 2.0 * pi * (n % around) / around;
    vertices[n] =
        vector_at(radius * sin(polar) * cos(azimuth), radius * cos(polar), radius * sin(polar) * sin(azimuth));
  }
  vertices[count - 2] = vector_at(0.0, radius, 0.0);
  vertices[count - 1] = vector_at(0.0, -radius, 0.0);
  for (int ring = 0; ring < rings; ring++) {
    for (int n = 0; n < around; n++) {
      int next = (n + 1) % around, above = (ring - 1) * around, below = ring * around;
      const int upper[3] = {ring == 0 ? count - 2 : above + n, ring == 0 ? below + next : above + next, below + n};
      const int lower[3] = {above + next, ring == rings - 1 ? count - 1 : below + next, below + n};
      for (int k = 0; k < 3 && ring < rings - 1; k++)
        indices[used++] = (uint32_t)upper[k];
      const int last[3] = {above + n, above + next, count - 1};
      for (int k = 0; k < 3 && ring > 0; k++)
        indices[used++] = (uint32_t)(ring == rings - 1 ? last[k] : lower[k]);
    }
  }
  b.data.mesh.vertices = vertices;
  b.data.mesh.vertex_count = count;
  b.data.mesh.indices = indices;
  b.data.mesh.triangle_count = used / 3;
  b.data.mesh.one_sided = one_sided;
  b.arrays[0] = vertices;
  b.arrays[1] = indices;
  build(&b);
  return b;
}

typedef double (*distance_function)(double x, double y, double z);

static inline double ball_distance(double x, double y, double z) {
  return sqrt(x * x + y * y + z * z) - 0.25;
}

static inline double floor_distance(double x, double y, double z) {
  (void)x;
  (void)z;
  return y;
}

/* Distances in a cube of `side` metres around the origin. */
static inline built build_grid_of(distance_function distance, double side, int samples) {
  built b = {cloth_geometry_data_default(CLOTH_SHAPE_DISTANCE_GRID), NULL, NULL, NULL, 0, {NULL, NULL}};
  float *distances = (float *)array_of((size_t)samples * (size_t)samples * (size_t)samples, sizeof *distances);
  double spacing = side / (samples - 1), low = -0.5 * side;
  for (int n = 0; n < samples * samples * samples; n++)
    distances[n] = (float)distance(low + n % samples * spacing, low + n / samples % samples * spacing,
                                   low + n / (samples * samples) * spacing);
  b.data.distance_grid.distances = distances;
  b.data.distance_grid.count_x = b.data.distance_grid.count_y = b.data.distance_grid.count_z = samples;
  b.data.distance_grid.spacing = (float)spacing;
  b.data.distance_grid.low = vector_at(low, low, low);
  b.arrays[0] = distances;
  build(&b);
  return b;
}

/* The surroundings of one geometry, at place 0. */
static inline cloth_surroundings around_of(const built *b) {
  cloth_surroundings around = {.geometries = &b->geometry, .geometry_count = 1};
  return around;
}

#endif /* GEOMETRIES_H */
