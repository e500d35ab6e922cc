/*
 * Cloth over the four shapes with geometry: a ring of triangles, a heap of hulls that is a table of bodies, ground of
 * heights, and a solid of signed distances. Prints what each took, and draws them side by side.
 *
 *     build/shapes/shapes FILE.png
 *
 * SPDX-License-Identifier: MIT
 */
#include "cloth.h"
#include "must.h"
#include "png.h"
#include "render.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define FRAMES 240
#define SIDE 48   /* particles along a side */
#define ROCKS 9   /* hulls of the heap */
#define PLANES 24 /* of a hull */
#define CELL 460  /* of a picture [px] */
#define PI 3.14159265f

enum { RING, HEAP, GROUND, SOLID, SCENES };
static const char *const titles[SCENES] = {"mesh", "hulls", "height field", "distance grid"};

static const render_material fabric = {{0.55f, 0.13f, 0.10f}, {0.30f, 0.22f, 0.18f}, 12.0f, 0.1f, 0.1f};
static const render_material stone = {{0.36f, 0.38f, 0.40f}, {0.36f, 0.38f, 0.40f}, 0.0f, 0.05f, 0.0f};

static void *allocate(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (!memory) {
    fprintf(stderr, "shapes: out of memory\n");
    exit(EXIT_FAILURE);
  }
  return memory;
}

static const cloth_geometry *build(const cloth_geometry_data *data, void **block) {
  size_t bytes = 0;
  void *memory;
  const cloth_geometry *geometry = NULL;
  must(cloth_geometry_bytes(data, &bytes), "cloth_geometry_bytes");
  *block = allocate_aligned(bytes, &memory);
  must(cloth_build_geometry(data, memory, bytes, &geometry), "cloth_build_geometry");
  return geometry;
}

/// Shapes ///

static cloth_vector vector(float x, float y, float z) {
  const cloth_vector v = {x, y, z};
  return v;
}

static cloth_vector direction(float down, float round) {
  return vector(sinf(down) * sinf(round), cosf(down), sinf(down) * cosf(round));
}

static float dot(cloth_vector a, cloth_vector b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* A point of a surface over two angles or lengths, each 0..1. */
typedef cloth_vector (*surface)(float u, float v);

static cloth_vector ring_point(float u, float v) {
  const float around = 2.0f * PI * u, across = 2.0f * PI * v, r = 0.32f + 0.11f * cosf(across);
  return vector(r * sinf(around), 0.11f * sinf(across), r * cosf(around));
}

static float ground_height(float x, float z) {
  return 0.13f * sinf(5.0f * x) * cosf(4.0f * z) + 0.05f * sinf(11.0f * x + 3.0f * z);
}

static cloth_vector ground_point(float u, float v) {
  return vector(1.6f * u - 0.8f, ground_height(1.6f * u - 0.8f, 1.6f * v - 0.8f), 1.6f * v - 0.8f);
}

/* A ball with six smaller ones around it, joined smoothly (polynomial minimum of two distances). */
static float solid_distance(cloth_vector p) {
  float least = sqrtf(dot(p, p)) - 0.2f;
  for (int n = 0; n < 6; n++) {
    const float side = n % 2 ? 0.24f : -0.24f;
    const cloth_vector d =
        vector(p.x - (n / 2 == 0 ? side : 0.0f), p.y - (n / 2 == 1 ? side : 0.0f), p.z - (n / 2 == 2 ? side : 0.0f));
    const float ball = sqrtf(dot(d, d)) - 0.1f, width = 0.08f;
    const float share = fminf(fmaxf(0.5f + 0.5f * (ball - least) / width, 0.0f), 1.0f);
    least = ball + (least - ball) * share - width * share * (1.0f - share);
  }
  return least;
}

/* Every ray from the middle leaves the solid once. */
static cloth_vector solid_point(float u, float v) {
  const cloth_vector d = direction(PI * v, 2.0f * PI * u);
  float way = 0.6f;
  for (int step = 0; step < 60; step++) {
    way -= solid_distance(vector(way * d.x, way * d.y, way * d.z));
  }
  return vector(way * d.x, way * d.y, way * d.z);
}

static cloth_vector rock_normals[PLANES];
static float rock_offsets[PLANES];

/* Planes that touch an ellipsoid at points of a spiral. */
static void make_rock(void) {
  for (int n = 0; n < PLANES; n++) {
    rock_normals[n] = direction(acosf(1.0f - 2.0f * ((float)n + 0.5f) / PLANES), 2.39996f * (float)n);
    const cloth_vector d = rock_normals[n];
    rock_offsets[n] = sqrtf(0.0225f * d.x * d.x + 0.0100f * d.y * d.y + 0.0144f * d.z * d.z);
  }
}

static cloth_vector rock_point(float u, float v) {
  const cloth_vector d = direction(PI * v, 2.0f * PI * u);
  float way = 10.0f;
  for (int n = 0; n < PLANES; n++) {
    const float closing = dot(rock_normals[n], d);
    way = closing > 1e-3f ? fminf(way, rock_offsets[n] / closing) : way;
  }
  return vector(way * d.x, way * d.y, way * d.z);
}

/* Triangles of a surface, at a place. */
static void make_mesh(render_mesh *mesh, surface point, int columns, int rows, cloth_vector place) {
  must(render_mesh_create(mesh, (columns + 1) * (rows + 1), 6 * columns * rows) ? CLOTH_ERROR_ARENA : 0, "mesh");
  int index = 0;
  for (int n = 0; n < (columns + 1) * (rows + 1); n++) {
    const int column = n % (columns + 1), row = n / (columns + 1);
    const float u = (float)column / (float)columns, v = (float)row / (float)rows, e = 1e-3f;
    const cloth_vector p = point(u, v), a = point(u + e, v), b = point(u - e, v), c = point(u, v + e),
                       d = point(u, v - e);
    const cloth_vector s = vector(a.x - b.x, a.y - b.y, a.z - b.z), t = vector(c.x - d.x, c.y - d.y, c.z - d.z);
    cloth_vector normal = vector(t.y * s.z - t.z * s.y, t.z * s.x - t.x * s.z, t.x * s.y - t.y * s.x);
    const float length = fmaxf(sqrtf(dot(normal, normal)), 1e-12f);
    mesh->vertices[n].position = vector(p.x + place.x, p.y + place.y, p.z + place.z);
    mesh->vertices[n].normal = vector(normal.x / length, normal.y / length, normal.z / length);
    const uint32_t first = (uint32_t)n, below = first + (uint32_t)columns + 1;
    const uint32_t corners[6] = {first, below, first + 1, first + 1, below, below + 1};
    for (int k = 0; column < columns && row < rows && k < 6; k++) {
      mesh->indices[index++] = corners[k];
    }
  }
}

/// Scenes ///

typedef struct world {
  const cloth_geometry *geometry;
  void *block; /* of the geometry */
  cloth_shared_body rocks[ROCKS];
  cloth_surroundings around;
  render_mesh meshes[ROCKS];
  int mesh_count;
} world;

static void make_ring(world *w, cloth_collider *collider) {
  make_mesh(&w->meshes[0], ring_point, 96, 56, vector(0, 0, 0));
  const render_mesh *mesh = &w->meshes[0];
  cloth_vector *vertices = (cloth_vector *)allocate((size_t)mesh->vertex_count, sizeof *vertices);
  for (int n = 0; n < mesh->vertex_count; n++) {
    vertices[n] = mesh->vertices[n].position;
  }
  cloth_geometry_data data = cloth_geometry_data_default(CLOTH_SHAPE_MESH);
  data.mesh.vertices = vertices;
  data.mesh.vertex_count = mesh->vertex_count;
  data.mesh.indices = mesh->indices;
  data.mesh.triangle_count = mesh->index_count / 3;
  w->geometry = build(&data, &w->block);
  must(cloth_collider_set_geometry(collider, w->geometry, 0), "cloth_collider_set_geometry");
  free(vertices);
}

/* Rocks that lie as they would have fallen, turned about the vertical. */
static void make_heap(world *w) {
  make_rock();
  cloth_geometry_data data = cloth_geometry_data_default(CLOTH_SHAPE_HULL);
  data.hull.normals = rock_normals;
  data.hull.offsets = rock_offsets;
  data.hull.planes = PLANES;
  w->geometry = build(&data, &w->block);
  w->mesh_count = ROCKS;
  for (int n = 0; n < ROCKS; n++) {
    const float round = n < 6 ? PI * (float)n / 3.0f : 0.5f + 2.0f * PI * (float)(n - 6) / 3.0f;
    const float away = n < 6 ? 0.27f : 0.13f, height = n < 6 ? -0.12f : 0.05f;
    cloth_collider rock = cloth_collider_default();
    must(cloth_collider_set_geometry(&rock, w->geometry, 0), "cloth_collider_set_geometry");
    rock.pose.position = vector(away * sinf(round), height, away * cosf(round));
    w->rocks[n].collider = rock;
    w->rocks[n].previous = rock.pose;
    make_mesh(&w->meshes[n], rock_point, 96, 48, rock.pose.position);
  }
  w->around.bodies = w->rocks;
  w->around.body_count = ROCKS;
}

static void make_ground(world *w, cloth_collider *collider) {
  enum { SAMPLES = 65 };
  static float heights[SAMPLES * SAMPLES];
  const float spacing = 1.6f / (SAMPLES - 1);
  for (int n = 0; n < SAMPLES * SAMPLES; n++) {
    heights[n] = ground_height((float)(n % SAMPLES) * spacing - 0.8f, (float)(n / SAMPLES) * spacing - 0.8f);
  }
  cloth_geometry_data data = cloth_geometry_data_default(CLOTH_SHAPE_HEIGHT_FIELD);
  data.height_field.heights = heights;
  data.height_field.columns = data.height_field.rows = SAMPLES;
  data.height_field.spacing_x = data.height_field.spacing_z = spacing;
  w->geometry = build(&data, &w->block);
  must(cloth_collider_set_geometry(collider, w->geometry, 0), "cloth_collider_set_geometry");
  collider->pose.position = vector(-0.8f, 0, -0.8f);
  make_mesh(&w->meshes[0], ground_point, 160, 160, vector(0, 0, 0));
}

static void make_solid(world *w, cloth_collider *collider) {
  enum { SAMPLES = 49 };
  static float distances[SAMPLES * SAMPLES * SAMPLES];
  const float spacing = 0.9f / (SAMPLES - 1);
  for (int n = 0; n < SAMPLES * SAMPLES * SAMPLES; n++) {
    distances[n] =
        solid_distance(vector((float)(n % SAMPLES) * spacing - 0.45f, (float)(n / SAMPLES % SAMPLES) * spacing - 0.45f,
                              (float)(n / SAMPLES / SAMPLES) * spacing - 0.45f));
  }
  cloth_geometry_data data = cloth_geometry_data_default(CLOTH_SHAPE_DISTANCE_GRID);
  data.distance_grid.distances = distances;
  data.distance_grid.count_x = data.distance_grid.count_y = data.distance_grid.count_z = SAMPLES;
  data.distance_grid.spacing = spacing;
  data.distance_grid.low = vector(-0.45f, -0.45f, -0.45f);
  w->geometry = build(&data, &w->block);
  must(cloth_collider_set_geometry(collider, w->geometry, 0), "cloth_collider_set_geometry");
  make_mesh(&w->meshes[0], solid_point, 160, 80, vector(0, 0, 0));
}

/* Distance of a point from the shape of a scene, to what its functions say [m]. */
static float distance_from(int scene, const world *w, cloth_vector p) {
  float least = 10.0f;
  switch (scene) {
  case RING: {
    const float r = sqrtf(p.x * p.x + p.z * p.z) - 0.32f;
    return sqrtf(r * r + p.y * p.y) - 0.11f;
  }
  case HEAP:
    for (int n = 0; n < ROCKS; n++) {
      const cloth_vector o = w->rocks[n].collider.pose.position, q = vector(p.x - o.x, p.y - o.y, p.z - o.z);
      float largest = -10.0f;
      for (int k = 0; k < PLANES; k++) {
        largest = fmaxf(largest, dot(rock_normals[k], q) - rock_offsets[k]);
      }
      least = fminf(least, largest);
    }
    return least;
  case GROUND:
    return p.y - ground_height(p.x, p.z);
  default:
    return solid_distance(p);
  }
}

static void draw(image *picture, rectangle area, const cloth *sheet, const world *w) {
  static const cloth_vertex_layout layout = {sizeof(render_vertex), offsetof(render_vertex, position),
                                             offsetof(render_vertex, normal), offsetof(render_vertex, u)};
  render_mesh mesh;
  render_object objects[ROCKS + 1];
  const int indices = cloth_get_index_count(sheet);
  must(render_mesh_create(&mesh, SIDE * SIDE, indices) ? CLOTH_ERROR_ARENA : 0, "mesh");
  must(cloth_write_indices32(sheet, 0, mesh.indices, (size_t)indices), "cloth_write_indices32");
  must(cloth_write_vertices(sheet, &layout, mesh.vertices, SIDE * SIDE * sizeof(render_vertex)), "vertices");
  objects[0].mesh = &mesh;
  objects[0].material = fabric;
  for (int n = 0; n < w->mesh_count; n++) {
    objects[n + 1].mesh = &w->meshes[n];
    objects[n + 1].material = stone;
  }
  const render_scene view = {.eye = {0.95f, 1.35f, 1.55f},
                             .target = {0, -0.05f, 0},
                             .field_of_view = 0.5f,
                             .to_light = {-0.7f, 1.0f, 0.45f},
                             .radius = 1.2f,
                             .floor_height = -0.6f,
                             .objects = objects,
                             .object_count = w->mesh_count + 1};
  must(render_view(picture, area, &view) ? CLOTH_ERROR_ARENA : 0, "render_view");
  render_mesh_destroy(&mesh);
}

/* Runs a scene and prints a line. Returns 1 if no particle is nearer to the shape than the facets of its triangles and
   samples explain. */
static int run_scene(int scene, image *picture) {
  static world w;
  w = (world){.mesh_count = 1};
  w.around.geometries = &w.geometry;
  w.around.geometry_count = 1;
  cloth_collider collider = cloth_collider_default();
  cloth_config config = cloth_config_default();
  config.columns = config.rows = SIDE;
  config.origin = vector(-0.4f, 0.38f, -0.4f);
  config.edge_warp = vector(0.8f, 0, 0);
  config.edge_weft = vector(0, 0, 0.8f);
  config.capacity.geometry = config.capacity.meshes = 1;
  config.capacity.max_shared_bodies = ROCKS;
  cloth_memory spans;
  void *memory;
  must(cloth_memory_needed(&config, &spans), "cloth_memory_needed");
  void *block = allocate_aligned(spans.total_bytes, &memory);
  cloth *sheet;
  must(cloth_init(&config, memory, spans.total_bytes, &sheet), "cloth_init");
  if (scene == HEAP) {
    make_heap(&w);
  } else {
    (scene == RING ? make_ring : scene == GROUND ? make_ground : make_solid)(&w, &collider);
    must(cloth_add_collider(sheet, &collider), "cloth_add_collider");
  }
  const clock_t start = clock();
  int overflows = 0;
  cloth_statistics statistics;
  for (int frame = 0; frame < FRAMES; frame++) {
    must(cloth_step_with(sheet, 1.0f / 60.0f, &w.around), "cloth_step_with");
    must(cloth_get_statistics(sheet, &statistics), "cloth_get_statistics");
    overflows += statistics.overflows;
  }
  const double milliseconds = 1e3 * (double)(clock() - start) / (double)CLOCKS_PER_SEC / FRAMES;
  float nearest = 10.0f;
  for (int i = 0; i < SIDE * SIDE; i++) {
    cloth_vector p;
    must(cloth_get_position(sheet, i, &p), "cloth_get_position");
    nearest = fminf(nearest, distance_from(scene, &w, p));
  }
  cloth_measures measures;
  must(cloth_measure(sheet, &measures), "cloth_measure");
  const int holds = nearest > 0.5f * config.thickness && overflows == 0;
  printf("%-14s %9d %10d %11.2f %13.1f %11.2f  %s\n", titles[scene], statistics.contacts, overflows,
         1e3 * (double)nearest, 100.0 * (double)measures.max_stretch, milliseconds, holds ? "ok" : "missed");
  const rectangle area = {(scene % 2) * CELL, (scene / 2) * CELL, CELL - 4, CELL - 4};
  draw(picture, area, sheet, &w);
  image_text(picture, area.x + 8, area.y + 8, 2, 0x30363c, titles[scene]);
  for (int n = 0; n < w.mesh_count; n++) {
    render_mesh_destroy(&w.meshes[n]);
  }
  free(w.block);
  free(block);
  return holds;
}

int main(int count, char **arguments) {
  image picture;
  int held = 0;
  if (count != 2 || image_create(&picture, 2 * CELL - 4, 2 * CELL - 4, 0xffffff)) {
    fprintf(stderr, "usage: shapes FILE.png\n");
    return EXIT_FAILURE;
  }
  printf("%-14s %9s %10s %11s %13s %11s\n", "shape", "contacts", "overflows", "nearest mm", "stretch %", "ms a step");
  for (int scene = 0; scene < SCENES; scene++) {
    held += run_scene(scene, &picture);
  }
  if (png_write(arguments[1], picture.width, picture.height, picture.rgb) != 0) {
    fprintf(stderr, "shapes: cannot write %s\n", arguments[1]);
    return EXIT_FAILURE;
  }
  printf("written: %s\n", arguments[1]);
  image_destroy(&picture);
  return held == SCENES ? EXIT_SUCCESS : EXIT_FAILURE;
}
