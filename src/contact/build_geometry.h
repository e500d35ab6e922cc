#pragma once
#include "../cloth/settings.h"
#include "geometry.h"
#include "shape_surface.h"
#include "shapes.h"

/// Building convex hulls ///

/* Finds the edges of the solid between planes: what is left of the line in which two planes meet once all others have
   cut it. Planes without an edge bound nothing and are left out. Every edge has two ends. */

/* Shortest edge [m]: shorter ones are corners up to rounding. */
#define HULL_MIN_EDGE 1.0e-5f
/* Squared sine between two planes below which they count as parallel. */
#define HULL_PARALLEL 1.0e-6f
/* Beyond every point of a line that has an end: planes are within 1e4 m [m]. */
#define HULL_ENDLESS 1.0e7f
/* Tolerance of points on planes, as a share of the largest coordinate. */
#define HULL_TOLERANCE 4.0e-6f

typedef struct line_part {
  cloth_vector through, direction; /* a point of it [m], and a unit vector */
  float low, high;                 /* ends [m] */
} line_part;

/* The line in which two planes meet. Returns 0 if they are parallel. */
static int meet_planes(const hull_plane *a, const hull_plane *b, line_part *line) {
  const cloth_vector along = vector_flush_work(vector_cross(a->normal, b->normal));
  const float squared = vector_dot(along, along);
  if (squared < HULL_PARALLEL) { return 0; }
  const cloth_vector first = vector_flush_work(vector_cross(b->normal, along));
  const cloth_vector second = vector_flush_work(vector_cross(along, a->normal));
  const cloth_vector sum = vector_add_scaled(vector_scale(first, a->offset), second, b->offset);
  line->through = vector_flush_state(vector_scale(vector_flush_state(sum), 1.0f / squared));
  line->direction = vector_scale_work(along, 1.0f / square_root(squared));
  line->low = -HULL_ENDLESS;
  line->high = HULL_ENDLESS;
  return 1;
}

/* Takes away what is in front of a plane. */
static void cut_line(line_part *line, const hull_plane *plane, float tolerance) {
  const float slope = flush_small(vector_dot(line->direction, plane->normal), 1.0e-5f);
  const float height = vector_dot(line->through, plane->normal) - plane->offset;
  if (slope == 0.0f) {
    line->high = height > tolerance ? line->low : line->high;
    return;
  }
  const float end = negate(height) / slope;
  line->high = slope > 0.0f ? minimum(line->high, end) : line->high;
  line->low = slope < 0.0f ? maximum(line->low, end) : line->low;
}

/* Copies the planes, but for those that lie behind a parallel one or on it. Returns how many. */
static int32_t copy_planes(const cloth_hull_data *data, hull_plane *planes) {
  int32_t count = 0;
  for (int32_t n = 0; n < data->planes; n++) {
    const cloth_vector given = vector_flush_work(data->normals[n]);
    const float length = vector_length(given);
    const hull_plane plane = {vector_scale_work(given, 1.0f / length), flush_small(data->offsets[n], STATE_QUANTUM)};
    int32_t same = 0;
    while (same < count && vector_dot(planes[same].normal, plane.normal) < 1.0f - 0.5f * HULL_PARALLEL) {
      same++;
    }
    if (same < count) {
      planes[same] = plane.offset < planes[same].offset ? plane : planes[same];
    } else {
      planes[count++] = plane;
    }
  }
  return count;
}

/* Adds the edge between two planes, if there is one, to the geometry and to `edges` or NULL. Returns a fault, or 0. */
static int add_edge(cloth_geometry *g, hull_edge *edges, const line_part *line, int *has_edge) {
  if (line->high - line->low < HULL_MIN_EDGE) { return 0; }
  if (line->low <= -HULL_ENDLESS || line->high >= HULL_ENDLESS || g->counts[1] == g->counts[2]) {
    return GEOMETRY_FAULT(HULL_OPEN);
  }
  const cloth_vector from = vector_flush_state(vector_add_scaled(line->through, line->direction, line->low));
  const cloth_vector to = vector_flush_state(vector_add_scaled(line->through, line->direction, line->high));
  const cloth_vector along = vector_flush_state(vector_subtract(to, from));
  const hull_edge edge = {from, along, 1.0f / maximum(vector_dot(along, along), 1.0e-12f)};
  if (edges) { edges[g->counts[1]] = edge; }
  g->counts[1]++;
  hold_point(&g->box, from);
  hold_point(&g->box, to);
  *has_edge = 1;
  return 0;
}

/* Removes planes without an edge. Returns how many are left. */
static int32_t drop_unused(hull_plane *planes, const uint8_t *used, int32_t count) {
  int32_t kept = 0;
  for (int32_t n = 0; n < count; n++) {
    if (used[n]) { planes[kept++] = planes[n]; }
  }
  return kept;
}

/* Finds planes and edges of data without a fault in its numbers; `edges` may be NULL. Returns a fault, or 0. */
CLOTH_SEPARATE int find_hull(const cloth_hull_data *data, cloth_geometry *g, hull_plane *planes, hull_edge *edges) {
  uint8_t used[CLOTH_HULL_PLANE_LIMIT];
  fill_zero(used, sizeof used);
  const int32_t count = copy_planes(data, planes);
  g->counts[2] = 3 * data->planes; /* room for edges */
  float largest = 0.0f;
  for (int32_t n = 0; n < count; n++) {
    largest = maximum(absolute(planes[n].offset), largest);
  }
  g->box = empty_box();
  for (int32_t a = 0; a < count; a++) {
    for (int32_t b = a + 1; b < count; b++) {
      line_part line;
      if (meet_planes(&planes[a], &planes[b], &line)) {
        int has_edge = 0;
        for (int32_t n = 0; n < count; n++) {
          if (n != a && n != b) { cut_line(&line, &planes[n], HULL_TOLERANCE * largest); }
        }
        RETURN_IF_ERROR(add_edge(g, edges, &line, &has_edge));
        used[a] = used[a] || has_edge;
        used[b] = used[b] || has_edge;
      }
    }
  }
  g->counts[0] = drop_unused(planes, used, count);
  if (g->counts[0] < 4 || g->counts[1] < 6) { return GEOMETRY_FAULT(HULL_EMPTY); }
  const float reach = maximum(vector_length(g->box.low), vector_length(g->box.high));
  g->tolerance = maximum(HULL_TOLERANCE * reach, 2.0f * STATE_QUANTUM);
  g->elements = g->counts[0] + g->counts[1];
  return 0;
}

/* The fault of planes that enclose nothing, or not all sides; 0 without. */
static int find_hull_fault(const cloth_hull_data *data) {
  cloth_geometry g;
  hull_plane planes[CLOTH_HULL_PLANE_LIMIT];
  fill_zero(&g, sizeof g);
  return find_hull(data, &g, planes, NULL);
}

/// Building meshes ///

/* Sorts triangles along a Morton curve, and builds the tree above them level by level. The keys of the sort lie at the
   end of the triangles, which are not there yet. */

/* A triangle's place along the curve, and its number. */
typedef struct mesh_key {
  uint32_t code, index;
} mesh_key;

/* Bits of a code along each axis. */
#define MORTON_BITS 10

/* Nodes of a level over `children`. */
static int32_t nodes_over(int32_t children) {
  return (children + MESH_CHILDREN - 1) / MESH_CHILDREN;
}

/* Sets where the parts of a mesh lie. Returns its size [bytes]. */
static uint32_t layout_mesh(int32_t triangles, cloth_geometry *g) {
  const uint32_t leaf = TRIANGLE_FLOATS * MESH_CHILDREN * (uint32_t)sizeof(float);
  uint32_t end = GEOMETRY_HEAD + (uint32_t)nodes_over(triangles) * leaf;
  g->data = GEOMETRY_HEAD;
  g->counts[0] = triangles;
  g->counts[1] = 0;
  for (int32_t nodes = nodes_over(triangles); nodes > 1 || g->counts[1] == 0;) {
    nodes = nodes_over(nodes);
    g->levels[g->counts[1]++] = end;
    end += (uint32_t)nodes * (uint32_t)sizeof(mesh_node);
  }
  return end;
}

/* Spreads the lowest 10 bits, two zeros between any two. */
static uint32_t spread_bits(uint32_t bits) {
  uint32_t spread = 0;
  for (uint32_t n = 0; n < MORTON_BITS; n++) {
    spread |= (bits >> n & 1u) << (3u * n);
  }
  return spread;
}

/* Cell of a coordinate in a range, 0..1023. */
static uint32_t curve_cell(float value, float low, float high) {
  const float cells = (float)(1 << MORTON_BITS);
  const float cell = high > low ? (value - low) * (cells / (high - low)) : 0.0f;
  return (uint32_t)minimum(maximum(cell, 0.0f), cells - 1.0f);
}

static cloth_vector corner_of_mesh(const cloth_mesh_data *data, int32_t triangle_number, int32_t corner) {
  return vector_flush_state(data->vertices[data->indices[3 * triangle_number + corner]]);
}

static uint32_t curve_code(const cloth_mesh_data *data, const cloth_geometry *g, int32_t number) {
  cloth_vector sum = vector_add(corner_of_mesh(data, number, 0), corner_of_mesh(data, number, 1));
  const cloth_vector p = vector_scale(vector_add(sum, corner_of_mesh(data, number, 2)), 1.0f / 3.0f);
  return spread_bits(curve_cell(p.x, g->box.low.x, g->box.high.x)) |
         spread_bits(curve_cell(p.y, g->box.low.y, g->box.high.y)) << 1 |
         spread_bits(curve_cell(p.z, g->box.low.z, g->box.high.z)) << 2;
}

static int is_key_less(const mesh_key *a, const mesh_key *b) {
  return a->code < b->code || (a->code == b->code && a->index < b->index);
}

/* Moves the key at `root` down in a heap of `count` keys, whose largest is on top. */
static void sift_down(mesh_key *keys, int32_t root, int32_t count) {
  const mesh_key moved = keys[root];
  while (2 * root + 1 < count) {
    int32_t child = 2 * root + 1;
    child += child + 1 < count && is_key_less(&keys[child], &keys[child + 1]);
    if (!is_key_less(&moved, &keys[child])) { break; }
    keys[root] = keys[child];
    root = child;
  }
  keys[root] = moved;
}

/* Heap sort: in place, and n log n whatever the order. */
static void sort_keys(mesh_key *keys, int32_t count) {
  for (int32_t root = count / 2 - 1; root >= 0; root--) {
    sift_down(keys, root, count);
  }
  for (int32_t end = count - 1; end > 0; end--) {
    const mesh_key largest = keys[0];
    keys[0] = keys[end];
    keys[end] = largest;
    sift_down(keys, 0, end);
  }
}

/* Where the floats of a triangle are, MESH_CHILDREN apart. */
static float *mesh_triangle_at(cloth_geometry *g, int32_t n) {
  float *values = (float *)(void *)((char *)(void *)g + g->data);
  return values + n / MESH_CHILDREN * TRIANGLE_FLOATS * MESH_CHILDREN + n % MESH_CHILDREN;
}

static cloth_vector vector_of_triangle(const float *triangle, int32_t n) {
  return vector(triangle[n * MESH_CHILDREN], triangle[(n + 1) * MESH_CHILDREN], triangle[(n + 2) * MESH_CHILDREN]);
}

static position_box box_of_leaf(cloth_geometry *g, int32_t leaf) {
  const int32_t first = MESH_CHILDREN * leaf;
  position_box box = empty_box();
  for (int32_t n = first; n < first + MESH_CHILDREN && n < g->counts[0]; n++) {
    const float *triangle = mesh_triangle_at(g, n);
    const cloth_vector corner = vector_of_triangle(triangle, TRIANGLE_CORNER);
    hold_point(&box, corner);
    for (int32_t edge = TRIANGLE_EDGES; edge < TRIANGLE_OUTWARD; edge += 3) {
      hold_point(&box, vector_flush_state(vector_add(corner, vector_of_triangle(triangle, edge))));
    }
  }
  return box;
}

/* The box around the children of a node; those that do not exist widen it by nothing. */
static position_box box_of_node(const mesh_node *node) {
  position_box box = empty_box();
  for (int32_t n = 0; n < MESH_CHILDREN; n++) {
    const position_box child = box_of_child(node, n);
    box = box_around_both(&child, &box);
  }
  return box;
}

/* Sets the boxes of the nodes of a level over so many leaves or nodes. */
static void build_level(cloth_geometry *g, int32_t level, int32_t children) {
  char *start = (char *)(void *)g;
  mesh_node *nodes = (mesh_node *)(void *)(start + g->levels[level]);
  const mesh_node *below = (const mesh_node *)(void *)(start + g->levels[level > 0 ? level - 1 : 0]);
  for (int32_t n = 0; n < nodes_over(children) * MESH_CHILDREN; n++) {
    const position_box box = n >= children ? empty_box() : level == 0 ? box_of_leaf(g, n) : box_of_node(&below[n]);
    vector_store(VECTORS_OF(nodes[n / MESH_CHILDREN].low), n % MESH_CHILDREN, box.low);
    vector_store(VECTORS_OF(nodes[n / MESH_CHILDREN].high), n % MESH_CHILDREN, box.high);
  }
}

/* Makes CLOTH_LANES triangles; `from` has their numbers. Returns which are not degenerate, a bit each. */
CLOTH_SEPARATE uint32_t make_mesh_triangles(const cloth_mesh_data *data, const int32_t *from, float *to,
                                            int32_t stride) {
  float value[3][CLOTH_LANES];
  lanes3 corner[3];
  for (int32_t k = 0; k < 3; k++) {
    for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
      vector_store(VECTORS_OF(value), lane, corner_of_mesh(data, from[lane], k));
    }
    corner[k] = lanes3_load(VECTORS_OF(value), 0);
  }
  return lanes_bits(make_triangles(to, stride, corner));
}

/* Makes the triangles in the order of their keys; the rest of the last leaf is beyond all, and level. */
static void build_triangles(const cloth_mesh_data *data, const mesh_key *keys, cloth_geometry *g) {
  const int32_t last = data->triangle_count - 1;
  for (int32_t first = 0; first <= last; first += MESH_CHILDREN) {
    int32_t from[MESH_CHILDREN]; /* all are read before the first triangle may be where a key was */
    for (int32_t n = 0; n < MESH_CHILDREN; n++) {
      from[n] = (int32_t)keys[first + n < last ? first + n : last].index;
    }
    for (int32_t k = 0; k < MESH_CHILDREN; k += CLOTH_LANES) {
      make_mesh_triangles(data, from + k, mesh_triangle_at(g, first + k), MESH_CHILDREN);
    }
  }
  for (int32_t n = last + 1; n % MESH_CHILDREN != 0; n++) {
    float *none = mesh_triangle_at(g, n);
    for (int32_t k = 0; k < 3; k++) {
      none[(TRIANGLE_CORNER + k) * MESH_CHILDREN] = k == 1 ? BEYOND_ALL : 0.0f;
      none[(TRIANGLE_NORMAL + k) * MESH_CHILDREN] = k == 1 ? 1.0f : 0.0f;
    }
  }
}

/* Builds a mesh from data without a fault. */
CLOTH_SEPARATE void build_mesh(const cloth_mesh_data *data, cloth_geometry *g) {
  mesh_key *keys = (mesh_key *)(void *)((char *)(void *)g + g->levels[0]) - data->triangle_count;
  g->box = empty_box();
  for (int32_t n = 0; n < 3 * data->triangle_count; n++) {
    hold_point(&g->box, corner_of_mesh(data, n / 3, n % 3));
  }
  for (int32_t n = 0; n < data->triangle_count; n++) {
    keys[n].code = curve_code(data, g, n);
    keys[n].index = (uint32_t)n;
  }
  sort_keys(keys, data->triangle_count);
  build_triangles(data, keys, g);
  int32_t children = nodes_over(data->triangle_count);
  for (int32_t level = 0; level < g->counts[1]; level++) {
    build_level(g, level, children);
    children = nodes_over(children);
  }
  g->counts[2] = data->one_sided;
  g->elements = data->triangle_count;
}

/* The first fault of vertices and triangles; 0 for none. */
static int find_mesh_fault(const cloth_mesh_data *data) {
  if ((uint32_t)data->one_sided > 1u) { return GEOMETRY_FAULT(ONE_SIDED); }
  for (int32_t n = 0; n < data->vertex_count; n++) {
    if (!vector_in_range(data->vertices[n], GEOMETRY_EXTENT)) { return GEOMETRY_FAULT(VERTEX); }
  }
  for (int32_t n = 0; n < 3 * data->triangle_count; n++) {
    if (data->indices[n] >= (uint32_t)data->vertex_count) { return GEOMETRY_FAULT(INDEX); }
  }
  for (int32_t n = 0; n < data->triangle_count; n += CLOTH_LANES) {
    float room[TRIANGLE_FLOATS * CLOTH_LANES];
    int32_t from[CLOTH_LANES];
    for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
      from[lane] = n + lane < data->triangle_count ? n + lane : n;
    }
    if (make_mesh_triangles(data, from, room, CLOTH_LANES) != (1u << CLOTH_LANES) - 1u) {
      return GEOMETRY_FAULT(TRIANGLE);
    }
  }
  return 0;
}

/// Building geometries ///

/* Checks the data of a geometry, lays it out in the caller's memory and hashes it. */

cloth_geometry_data cloth_geometry_data_default(int32_t shape) {
  cloth_geometry_data data;
  fill_zero(&data, sizeof data);
  data.shape = shape;
  return data;
}

#if WITH_GEOMETRY

static int is_count(int32_t count, int32_t low, int32_t high) {
  return count >= low && count <= high;
}

/* Most samples along an axis of a height field, and of a distance grid. */
#define FIELD_SIDE 4096
#define GRID_SIDE 1024

/* The samples of a height field, one along the last axis, or of a distance grid. */
typedef struct sample_data {
  int32_t counts[3], is_grid;
  float spacing[2]; /* [m] */
  const float *values;
} sample_data;

static sample_data samples_of(const cloth_geometry_data *d) {
  const cloth_height_data *f = &d->height_field;
  const cloth_distance_data *g = &d->distance_grid;
  return d->shape == CLOTH_SHAPE_HEIGHT_FIELD
             ? (sample_data){{f->columns, f->rows, 1}, 0, {f->spacing_x, f->spacing_z}, f->heights}
             : (sample_data){{g->count_x, g->count_y, g->count_z}, 1, {g->spacing, g->spacing}, g->distances};
}

static int32_t count_samples(const sample_data *s) {
  return s->counts[0] * s->counts[1] * s->counts[2];
}

/* The fault of samples of which there are too few or too many along an axis or together, or that are not there. */
static int find_sample_fault(const sample_data *s) {
  const int32_t *n = s->counts, high = s->is_grid ? GRID_SIDE : FIELD_SIDE;
  if (!is_count(n[0], 2, high) || !is_count(n[1], 2, high) || !is_count(n[2], 1 + s->is_grid, high) ||
      (uint64_t)(uint32_t)n[0] * (uint32_t)n[1] * (uint32_t)n[2] > CLOTH_SAMPLE_LIMIT) {
    return s->is_grid ? GEOMETRY_FAULT(GRID_COUNT) : GEOMETRY_FAULT(FIELD_COUNT);
  }
  return s->values ? 0 : GEOMETRY_FAULT(ARRAY);
}

/* The first fault of a shape, of its counts and of its pointers. */
static int find_count_fault(const cloth_geometry_data *d) {
  const sample_data s = samples_of(d);
  switch (d->shape) {
  case CLOTH_SHAPE_HULL:
    if (!is_count(d->hull.planes, 4, CLOTH_HULL_PLANE_LIMIT)) { return GEOMETRY_FAULT(PLANES); }
    return d->hull.normals && d->hull.offsets ? 0 : GEOMETRY_FAULT(ARRAY);
  case CLOTH_SHAPE_HEIGHT_FIELD:
  case CLOTH_SHAPE_DISTANCE_GRID:
    return find_sample_fault(&s);
  case CLOTH_SHAPE_MESH:
    if (!is_count(d->mesh.triangle_count, 1, CLOTH_TRIANGLE_LIMIT) ||
        !is_count(d->mesh.vertex_count, 3, 3 * CLOTH_TRIANGLE_LIMIT)) {
      return GEOMETRY_FAULT(MESH_COUNT);
    }
    return d->mesh.vertices && d->mesh.indices ? 0 : GEOMETRY_FAULT(ARRAY);
  default:
    return GEOMETRY_FAULT(SHAPE);
  }
}

static int find_layout_fault(const cloth_geometry_data *data) {
  if (!data) { return GEOMETRY_FAULT(POINTER); }
  const int fault = find_count_fault(data);
  return fault || has_shape(data->shape) ? fault : GEOMETRY_FAULT(LEFT_OUT);
}

static int are_numbers_within(const float *values, int32_t count, float limit) {
  for (int32_t n = 0; n < count; n++) {
    if (!in_range(values[n], negate(limit), limit)) { return 0; }
  }
  return 1;
}

/* Ranges of the spacing of samples [m]. */
#define MIN_SAMPLE_SPACING 1.0e-3f
#define MAX_SAMPLE_SPACING 1.0e3f

static int is_spacing(float spacing) {
  return in_range(spacing, MIN_SAMPLE_SPACING, MAX_SAMPLE_SPACING);
}

static int find_plane_fault(const cloth_hull_data *d) {
  for (int32_t n = 0; n < d->planes; n++) {
    const cloth_vector a = d->normals[n];
    if (!vector_in_range(a, 2.0f) || !in_range(vector_length(a), 0.999f, 1.001f)) { return GEOMETRY_FAULT(NORMAL); }
  }
  return are_numbers_within(d->offsets, d->planes, GEOMETRY_EXTENT) ? 0 : GEOMETRY_FAULT(OFFSET);
}

static int find_height_fault(const cloth_height_data *d) {
  if (!is_spacing(d->spacing_x) || !is_spacing(d->spacing_z)) { return GEOMETRY_FAULT(FIELD_SPACING); }
  return are_numbers_within(d->heights, d->columns * d->rows, GEOMETRY_EXTENT) ? 0 : GEOMETRY_FAULT(HEIGHT);
}

/* Largest difference of neighbouring samples, in spacings. */
#define GRID_MAX_DIFFERENCE 1.01f

/* Is no difference between samples that lie `next` apart along an axis more than `most`? */
static int are_differences(const cloth_distance_data *d, int32_t axis, float most) {
  const int32_t counts[3] = {d->count_x, d->count_y, d->count_z};
  const int32_t next[3] = {1, d->count_x, d->count_x * d->count_y};
  int are = 1;
  for (int32_t n = 0; n < counts[0] * counts[1] * counts[2]; n++) {
    const int is_last = n / next[axis] % counts[axis] + 1 == counts[axis];
    are &= is_last || absolute(d->distances[n + next[axis]] - d->distances[n]) <= most;
  }
  return are;
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

/* The first fault of what counts promise. */
static int find_data_fault(const cloth_geometry_data *d) {
  if (is_hull(d->shape)) { return find_plane_fault(&d->hull); }
  if (is_height_field(d->shape)) { return find_height_fault(&d->height_field); }
  if (is_mesh(d->shape)) { return find_mesh_fault(&d->mesh); }
  return is_distance_grid(d->shape) ? find_distance_fault(&d->distance_grid) : 0;
}

/* Sets where the parts of a geometry lie. Returns its size [bytes]. */
static uint32_t layout_geometry(const cloth_geometry_data *d, cloth_geometry *g) {
  const sample_data s = samples_of(d);
  fill_zero(g, sizeof *g);
  g->shape = d->shape;
  g->data = GEOMETRY_HEAD;
  switch (d->shape) {
  case CLOTH_SHAPE_HULL:
    g->edges = g->data + (uint32_t)d->hull.planes * (uint32_t)sizeof(hull_plane);
    return g->edges + 3u * (uint32_t)d->hull.planes * (uint32_t)sizeof(hull_edge);
  case CLOTH_SHAPE_MESH:
    return layout_mesh(d->mesh.triangle_count, g);
  default:
    return g->data + 4u * (uint32_t)count_samples(&s);
  }
}

static void hash_floats(hasher *h, const float *values, int32_t count) {
  for (int32_t n = 0; n < count; n++) {
    hash_word(h, float_to_bits(flush_small(values[n], STATE_QUANTUM)).bits);
  }
}

static void hash_vectors(hasher *h, const cloth_vector *values, int32_t count) {
  hash_floats(h, (const float *)(const void *)values, 3 * count);
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
    hash_floats(&h, g->spacing, 2);
    hash_vectors(&h, &g->box.low, 1);
    hash_words(&h, (const any_word *)(const void *)g->counts, 3);
    hash_words(&h, (const any_word *)geometry_data(g, g->data), g->elements);
  }
  const uint64_t hash = hash_end(&h);
  g->hash[0] = (uint32_t)hash;
  g->hash[1] = (uint32_t)(hash >> 32);
}

/* Builds what has samples; the ground under a height field is endless. */
static void build_samples(const cloth_geometry_data *d, cloth_geometry *g) {
  const sample_data s = samples_of(d);
  float *to = (float *)(void *)((char *)(void *)g + g->data), lowest = s.values[0], highest = lowest;
  g->elements = count_samples(&s);
  for (int32_t n = 0; n < g->elements; n++) {
    to[n] = flush_small(s.values[n], STATE_QUANTUM);
    lowest = minimum(lowest, s.values[n]);
    highest = maximum(highest, s.values[n]);
  }
  for (int32_t axis = 0; axis < 2 + s.is_grid; axis++) {
    g->counts[axis] = s.counts[axis];
  }
  g->spacing[0] = s.spacing[0];
  g->spacing[1] = s.spacing[1];
  const float x = (float)(s.counts[0] - 1) * s.spacing[0], last = (float)(s.counts[1] - 1) * s.spacing[1];
  if (s.is_grid) {
    g->box.low = vector_flush_state(d->distance_grid.low);
    g->box.high = vector_add(g->box.low, vector(x, last, (float)(s.counts[2] - 1) * s.spacing[0]));
  } else {
    g->box.low = vector(0.0f, -CLOTH_ANY_DISTANCE, 0.0f);
    g->box.high = vector(x, highest, last);
    g->tolerance = lowest;
  }
}

/* Builds a geometry from data without a fault in its numbers. Returns a fault of a hull's planes together, or 0. */
static int build_shape(const cloth_geometry_data *d, cloth_geometry *g) {
  char *start = (char *)(void *)g;
  if (is_hull(d->shape)) {
    return find_hull(&d->hull, g, (hull_plane *)(void *)(start + g->data), (hull_edge *)(void *)(start + g->edges));
  }
  if (is_mesh(d->shape)) {
    build_mesh(&d->mesh, g);
  } else {
    build_samples(d, g);
  }
  return 0;
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
    const cloth_vector extent = vector_subtract(geometry->box.high, geometry->box.low);
    collider->half_extents = vector_flush_state(vector_scale(extent, 0.5f));
  }
  return CLOTH_OK;
}

#endif
