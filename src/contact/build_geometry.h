#pragma once
#include "../base/compiler.h"
#include "../base/hash.h"
#include "../base/scalar.h"
#include "../cloth/settings.h"
#include "build_hull.h"
#include "build_mesh.h"
#include "geometry.h"
#include "shape_hull.h"

/// Building geometries ///

/* Checks the data of a geometry, lays it out in the caller's memory and hashes it. */

#if WITH_COLLIDERS

cloth_geometry_data cloth_geometry_data_default(int32_t shape) {
  cloth_geometry_data data;
  fill_zero(&data, sizeof data);
  data.shape = shape;
  return data;
}

#endif

#if WITH_GEOMETRY

static int is_count(int32_t count, int32_t low, int32_t high) {
  return count >= low && count <= high;
}

/* Are there as many samples along each axis as there may be, and together? */
static int are_samples(int32_t x, int32_t y, int32_t z, int32_t high) {
  return is_count(x, 2, high) && is_count(y, 2, high) && z >= 1 && z <= high &&
         (uint64_t)(uint32_t)x * (uint32_t)y * (uint32_t)z <= CLOTH_SAMPLE_LIMIT;
}

/* Most samples along an axis of a height field, and of a distance grid. */
#define FIELD_SIDE 4096
#define GRID_SIDE 1024

/* The first fault of a shape, of its counts and of its pointers. */
static int find_count_fault(const cloth_geometry_data *d) {
  switch (d->shape) {
  case CLOTH_SHAPE_HULL:
    if (!is_count(d->hull.planes, 4, CLOTH_HULL_PLANE_LIMIT)) { return GEOMETRY_FAULT(PLANES); }
    return d->hull.normals && d->hull.offsets ? 0 : GEOMETRY_FAULT(ARRAY);
  case CLOTH_SHAPE_HEIGHT_FIELD:
    if (!are_samples(d->height_field.columns, d->height_field.rows, 1, FIELD_SIDE)) {
      return GEOMETRY_FAULT(FIELD_COUNT);
    }
    return d->height_field.heights ? 0 : GEOMETRY_FAULT(ARRAY);
  case CLOTH_SHAPE_MESH:
    if (!is_count(d->mesh.triangle_count, 1, CLOTH_TRIANGLE_LIMIT) ||
        !is_count(d->mesh.vertex_count, 3, 3 * CLOTH_TRIANGLE_LIMIT)) {
      return GEOMETRY_FAULT(MESH_COUNT);
    }
    return d->mesh.vertices && d->mesh.indices ? 0 : GEOMETRY_FAULT(ARRAY);
  case CLOTH_SHAPE_DISTANCE_GRID:
    if (!are_samples(d->distance_grid.count_x, d->distance_grid.count_y, d->distance_grid.count_z, GRID_SIDE) ||
        d->distance_grid.count_z < 2) {
      return GEOMETRY_FAULT(GRID_COUNT);
    }
    return d->distance_grid.distances ? 0 : GEOMETRY_FAULT(ARRAY);
  default:
    return GEOMETRY_FAULT(SHAPE);
  }
}

/* The fault of a shape that this build leaves out; 0 for none. */
static int find_shape_left_out(int32_t shape) {
  const int has = shape == CLOTH_SHAPE_HULL           ? WITH_HULL
                  : shape == CLOTH_SHAPE_HEIGHT_FIELD ? WITH_HEIGHT_FIELD
                  : shape == CLOTH_SHAPE_MESH         ? WITH_MESH
                                                      : WITH_DISTANCE_GRID;
  return has ? 0 : GEOMETRY_FAULT(LEFT_OUT);
}

static int find_layout_fault(const cloth_geometry_data *data) {
  if (!data) { return GEOMETRY_FAULT(POINTER); }
  const int fault = find_count_fault(data);
  return fault ? fault : find_shape_left_out(data->shape);
}

#if WITH_HULL || WITH_HEIGHT_FIELD || WITH_DISTANCE_GRID

/* Are all floats of an array within +-limit? */
static int are_numbers_within(const float *values, int32_t count, float limit) {
  for (int32_t n = 0; n < count; n++) {
    if (!in_range(values[n], negate(limit), limit)) { return 0; }
  }
  return 1;
}

#endif

#if WITH_HEIGHT_FIELD || WITH_DISTANCE_GRID
/* Ranges of the spacing of samples [m]. */
#define MIN_SAMPLE_SPACING 1.0e-3f
#define MAX_SAMPLE_SPACING 1.0e3f

static int is_spacing(float spacing) {
  return in_range(spacing, MIN_SAMPLE_SPACING, MAX_SAMPLE_SPACING);
}
#endif

#if WITH_HULL
static int find_plane_fault(const cloth_hull_data *d) {
  for (int32_t n = 0; n < d->planes; n++) {
    const cloth_vector a = d->normals[n];
    if (!vector_in_range(a, 2.0f) || !in_range(vector_length(a), 0.999f, 1.001f)) { return GEOMETRY_FAULT(NORMAL); }
  }
  return are_numbers_within(d->offsets, d->planes, GEOMETRY_EXTENT) ? 0 : GEOMETRY_FAULT(OFFSET);
}
#endif

#if WITH_HEIGHT_FIELD
static int find_height_fault(const cloth_height_data *d) {
  if (!is_spacing(d->spacing_x) || !is_spacing(d->spacing_z)) { return GEOMETRY_FAULT(FIELD_SPACING); }
  return are_numbers_within(d->heights, d->columns * d->rows, GEOMETRY_EXTENT) ? 0 : GEOMETRY_FAULT(HEIGHT);
}
#endif

#if WITH_DISTANCE_GRID

/* Largest difference of neighbouring samples, in spacings. */
#define GRID_MAX_DIFFERENCE 1.01f

/* Is no difference between samples that lie `next` apart along an axis more than `most`? */
static int are_differences(const cloth_distance_data *d, int32_t axis, float most) {
  const int32_t counts[3] = {d->count_x, d->count_y, d->count_z};
  const int32_t next[3] = {1, d->count_x, d->count_x * d->count_y};
  for (int32_t n = 0; n < counts[0] * counts[1] * counts[2]; n++) {
    if (n / next[axis] % counts[axis] + 1 < counts[axis] &&
        absolute(d->distances[n + next[axis]] - d->distances[n]) > most) {
      return 0;
    }
  }
  return 1;
}

static int find_distance_fault(const cloth_distance_data *d) {
  const float most = GRID_MAX_DIFFERENCE * d->spacing;
  if (!is_spacing(d->spacing)) { return GEOMETRY_FAULT(GRID_SPACING); }
  if (!vector_in_range(d->low, GEOMETRY_EXTENT)) { return GEOMETRY_FAULT(GRID_LOW); }
  if (!are_numbers_within(d->distances, d->count_x * d->count_y * d->count_z, GEOMETRY_EXTENT)) {
    return GEOMETRY_FAULT(DISTANCE);
  }
  return are_differences(d, 0, most) && are_differences(d, 1, most) && are_differences(d, 2, most)
             ? 0
             : GEOMETRY_FAULT(NO_DISTANCES);
}

#endif

/* The first fault of what counts promise. */
static int find_data_fault(const cloth_geometry_data *d) {
  switch (d->shape) {
#if WITH_HULL
  case CLOTH_SHAPE_HULL:
    return find_plane_fault(&d->hull);
#endif
#if WITH_HEIGHT_FIELD
  case CLOTH_SHAPE_HEIGHT_FIELD:
    return find_height_fault(&d->height_field);
#endif
#if WITH_MESH
  case CLOTH_SHAPE_MESH:
    if ((uint32_t)d->mesh.one_sided > 1u) { return GEOMETRY_FAULT(ONE_SIDED); }
    return find_mesh_fault(&d->mesh);
#endif
#if WITH_DISTANCE_GRID
  case CLOTH_SHAPE_DISTANCE_GRID:
    return find_distance_fault(&d->distance_grid);
#endif
  default:
    return 0;
  }
}

/* Sets where the parts of a geometry lie. Returns its size [bytes]. */
static uint32_t layout_geometry(const cloth_geometry_data *d, cloth_geometry *g) {
  fill_zero(g, sizeof *g);
  g->shape = d->shape;
  g->data = GEOMETRY_HEAD;
  switch (d->shape) {
  case CLOTH_SHAPE_HULL:
    g->edges = g->data + (uint32_t)d->hull.planes * (uint32_t)sizeof(hull_plane);
    return g->edges + 3u * (uint32_t)d->hull.planes * (uint32_t)sizeof(hull_edge);
#if WITH_MESH
  case CLOTH_SHAPE_MESH:
    return layout_mesh(d->mesh.triangle_count, g);
#endif
  case CLOTH_SHAPE_HEIGHT_FIELD:
    return g->data + 4u * (uint32_t)(d->height_field.columns * d->height_field.rows);
  default:
    return g->data + 4u * (uint32_t)(d->distance_grid.count_x * d->distance_grid.count_y * d->distance_grid.count_z);
  }
}

static void hash_floats(hasher *h, const float *values, int32_t count) {
  for (int32_t n = 0; n < count; n++) {
    hash_word(h, float_to_bits(flush_small(values[n], STATE_QUANTUM)).bits);
  }
}

static void hash_vectors(hasher *h, const cloth_vector *values, int32_t count) {
  for (int32_t n = 0; n < count; n++) {
    const float v[3] = {values[n].x, values[n].y, values[n].z};
    hash_floats(h, v, 3);
  }
}

/* Hashes what a geometry is made of: equal data have equal hashes on every machine. */
static void hash_geometry(const cloth_geometry_data *d, cloth_geometry *g) {
  hasher h;
  hash_start(&h);
  hash_word(&h, CLOTH_NUMERICS_VERSION);
  hash_word(&h, (uint32_t)d->shape);
  if (d->shape == CLOTH_SHAPE_HULL) {
    hash_vectors(&h, d->hull.normals, d->hull.planes);
    hash_floats(&h, d->hull.offsets, d->hull.planes);
  } else if (d->shape == CLOTH_SHAPE_MESH) {
    hash_word(&h, (uint32_t)d->mesh.one_sided);
    hash_vectors(&h, d->mesh.vertices, d->mesh.vertex_count);
    for (int32_t n = 0; n < 3 * d->mesh.triangle_count; n++) {
      hash_word(&h, d->mesh.indices[n]);
    }
  } else {
    const int32_t count = g->counts[0] * g->counts[1] * (d->shape == CLOTH_SHAPE_HEIGHT_FIELD ? 1 : g->counts[2]);
    hash_floats(&h, g->spacing, 2);
    hash_vectors(&h, &g->low, 1);
    hash_words(&h, (const any_word *)(const void *)g->counts, 3);
    hash_words(&h, (const any_word *)geometry_data(g, g->data), count);
  }
  const uint64_t hash = hash_end(&h);
  g->hash[0] = (uint32_t)hash;
  g->hash[1] = (uint32_t)(hash >> 32);
}

/* Copies samples, flushed. */
static void copy_samples(cloth_geometry *g, const float *from, int32_t count) {
  float *to = (float *)(void *)((char *)(void *)g + g->data);
  for (int32_t n = 0; n < count; n++) {
    to[n] = flush_small(from[n], STATE_QUANTUM);
  }
  g->elements = count;
}

static void build_field(const cloth_height_data *d, cloth_geometry *g) {
  const int32_t count = d->columns * d->rows;
  float low = d->heights[0], high = low;
  for (int32_t n = 1; n < count; n++) {
    low = minimum(low, d->heights[n]);
    high = maximum(high, d->heights[n]);
  }
  g->counts[0] = d->columns;
  g->counts[1] = d->rows;
  g->spacing[0] = d->spacing_x;
  g->spacing[1] = d->spacing_z;
  g->low = vector(0.0f, -CLOTH_ANY_DISTANCE, 0.0f);
  g->high = vector((float)(d->columns - 1) * d->spacing_x, high, (float)(d->rows - 1) * d->spacing_z);
  g->tolerance = low;
  copy_samples(g, d->heights, count);
}

static void build_grid(const cloth_distance_data *d, cloth_geometry *g) {
  const cloth_vector extent = vector((float)(d->count_x - 1) * d->spacing, (float)(d->count_y - 1) * d->spacing,
                                     (float)(d->count_z - 1) * d->spacing);
  g->counts[0] = d->count_x;
  g->counts[1] = d->count_y;
  g->counts[2] = d->count_z;
  g->spacing[0] = g->spacing[1] = d->spacing;
  g->low = vector_flush(d->low, STATE_QUANTUM);
  g->high = vector_add(g->low, extent);
  copy_samples(g, d->distances, d->count_x * d->count_y * d->count_z);
}

/* Builds a geometry from data without a fault in its numbers. Returns a fault of a hull's planes together, or 0. */
static int build_shape(const cloth_geometry_data *d, cloth_geometry *g) {
  switch (d->shape) {
#if WITH_HULL
  case CLOTH_SHAPE_HULL:
    return build_hull(&d->hull, g);
#endif
#if WITH_MESH
  case CLOTH_SHAPE_MESH:
    build_mesh(&d->mesh, g);
    return 0;
#endif
  case CLOTH_SHAPE_HEIGHT_FIELD:
    build_field(&d->height_field, g);
    return 0;
  default:
    build_grid(&d->distance_grid, g);
    return 0;
  }
}

static int geometry_error(int fault) {
  return fault ? geometry_fault_errors[fault - 1] : CLOTH_OK;
}

int cloth_geometry_bytes(const cloth_geometry_data *data, size_t *bytes) {
  const int fault = find_layout_fault(data);
  if (fault || !bytes) { return fault ? geometry_error(fault) : CLOTH_ERROR_NULL; }
  cloth_geometry g;
  *bytes = layout_geometry(data, &g);
  return CLOTH_OK;
}

int cloth_build_geometry(const cloth_geometry_data *data, void *memory, size_t bytes, const cloth_geometry **out) {
  int fault = find_layout_fault(data);
  fault = fault ? fault : find_data_fault(data);
  if (fault || !memory || !out) { return fault ? geometry_error(fault) : CLOTH_ERROR_NULL; }
  cloth_geometry head;
  const uint32_t needed = layout_geometry(data, &head);
  if ((uintptr_t)memory % CLOTH_ALIGNMENT != 0 || bytes < needed) { return CLOTH_ERROR_ARENA; }
  cloth_geometry *g = (cloth_geometry *)memory;
  fill_zero(memory, GEOMETRY_HEAD);
  *g = head;
  fault = build_shape(data, g);
  if (fault) {
    fill_zero(memory, GEOMETRY_HEAD);
    return geometry_error(fault);
  }
  hash_geometry(data, g);
  g->magic = GEOMETRY_MAGIC;
  *out = g;
  return CLOTH_OK;
}

int cloth_collider_set_geometry(cloth_collider *collider, const cloth_geometry *geometry, int32_t place) {
  if (!collider || !geometry) { return CLOTH_ERROR_NULL; }
  if (!is_geometry(geometry)) { return CLOTH_ERROR_GEOMETRY; }
  if (place < 0 || place >= CLOTH_GEOMETRY_LIMIT) { return CLOTH_ERROR_RANGE; }
  collider->shape = geometry->shape;
  collider->geometry.place = place;
  collider->geometry.elements = geometry->elements;
  collider->geometry.hash[0] = geometry->hash[0];
  collider->geometry.hash[1] = geometry->hash[1];
  if (geometry->shape == CLOTH_SHAPE_HULL) {
    const cloth_vector extent = vector_subtract(geometry->high, geometry->low);
    collider->half_extents = vector_flush(vector_scale(extent, 0.5f), STATE_QUANTUM);
  }
  return CLOTH_OK;
}

#endif
