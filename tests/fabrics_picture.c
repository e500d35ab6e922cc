/*
 * A picture of the fabrics: the same square of each, 40 cm wide, over the same post of 18 cm, at the default config but
 * for the grid and some velocity_damping, which brings it to rest.
 *
 *     fabrics_picture FILE.png
 *
 * SPDX-License-Identifier: MIT
 */
#include "cloth.h"
#include "image.h"
#include "png.h"
#include "render.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { GRID = 64, FRAMES = 300, ACROSS = 4, VIEW_WIDTH = 420, VIEW_HEIGHT = 400, SEGMENTS = 96 };

#define SIDE 0.4f         /* of a sheet [m] */
#define POST_RADIUS 0.09f /* [m] */
#define POST_HEIGHT 0.3f  /* [m] */
#define THICKNESS 0.002f  /* distance of a sheet from the post [m] */
#define FALL 0.01f        /* from the start to the post [m] */
#define TURN 6.28318531f  /* [rad] */

typedef struct sample {
  cloth_fabric_kind kind;
  const char *name;
  render_material material;
} sample;

static const sample samples[] = {
    {CLOTH_FABRIC_SILK, "silk", {{0.78f, 0.56f, 0.30f}, {0.62f, 0.42f, 0.22f}, 0, 0.35f, 0.3f}},
    {CLOTH_FABRIC_COTTON, "cotton", {{0.62f, 0.70f, 0.78f}, {0.55f, 0.62f, 0.70f}, 0, 0.02f, 0.2f}},
    {CLOTH_FABRIC_WOOL, "wool", {{0.33f, 0.30f, 0.27f}, {0.30f, 0.27f, 0.24f}, 40, 0.01f, 0.05f}},
    {CLOTH_FABRIC_DENIM, "denim", {{0.07f, 0.13f, 0.30f}, {0.40f, 0.46f, 0.56f}, 0, 0.02f, 0}},
    {CLOTH_FABRIC_JERSEY, "jersey", {{0.60f, 0.09f, 0.10f}, {0.52f, 0.08f, 0.09f}, 0, 0.02f, 0.15f}},
    {CLOTH_FABRIC_LEATHER, "leather", {{0.26f, 0.11f, 0.04f}, {0.38f, 0.24f, 0.14f}, 0, 0.25f, 0}},
    {CLOTH_FABRIC_RUBBER, "rubber", {{0.06f, 0.16f, 0.13f}, {0.06f, 0.16f, 0.13f}, 0, 0.4f, 0}},
    {CLOTH_FABRIC_PAPER, "paper", {{0.80f, 0.79f, 0.75f}, {0.80f, 0.79f, 0.75f}, 0, 0.02f, 0.2f}},
};

enum { SAMPLES = sizeof samples / sizeof *samples };

static const render_material stone = {{0.45f, 0.43f, 0.40f}, {0.45f, 0.43f, 0.40f}, 0, 0.08f, 0};

static void must(int result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "fabrics_picture: %s: %s\n", what, result < 0 ? cloth_result_name(result) : "failed");
  exit(EXIT_FAILURE);
}

static void *must_allocate(size_t bytes) {
  void *memory = malloc(bytes);
  must(memory ? 0 : CLOTH_ERROR_ARENA, "out of memory");
  return memory;
}

/// Cloth ///

static cloth_config sample_config(const sample *what) {
  cloth_config config = cloth_config_default();
  config.columns = config.rows = GRID;
  config.origin = (cloth_vector){-0.5f * SIDE, THICKNESS + FALL, 0.5f * SIDE};
  config.edge_warp = (cloth_vector){SIDE, 0, 0};
  config.edge_weft = (cloth_vector){0, 0, -SIDE};
  config.thickness = THICKNESS;
  config.integration.velocity_damping = 0.6f;
  config.max_colliders = 1;
  must(cloth_fabric_preset(what->kind, &config.fabric), "cloth_fabric_preset");
  return config;
}

/* The post stands upright with its upper end at y = 0. */
static cloth_collider post(void) {
  cloth_collider body = cloth_collider_default();
  body.shape = CLOTH_SHAPE_CYLINDER;
  body.radius = POST_RADIUS - THICKNESS;
  body.half_height = 0.5f * POST_HEIGHT;
  body.pose.position.y = -0.5f * POST_HEIGHT;
  return body;
}

/* Lets a sheet fall and writes it to a mesh. */
static void drape(const sample *what, render_mesh *mesh) {
  static const cloth_vertex_layout layout = {sizeof(render_vertex), offsetof(render_vertex, position),
                                             offsetof(render_vertex, normal), offsetof(render_vertex, u)};
  cloth_config config = sample_config(what);
  cloth_memory memory;
  must(cloth_memory_needed(&config, &memory), "cloth_memory_needed");
  unsigned char *block = must_allocate(memory.total_bytes + CLOTH_ALIGNMENT);
  unsigned char *arena = block + CLOTH_ALIGNMENT - (uintptr_t)block % CLOTH_ALIGNMENT;
  cloth *sheet;
  must(cloth_init(&config, arena, memory.total_bytes, &sheet), "cloth_init");
  cloth_collider body = post();
  must(cloth_add_collider(sheet, &body), "cloth_add_collider");
  for (int frame = 0; frame < FRAMES; frame++)
    must(cloth_step(sheet, 1.0f / 60.0f), "cloth_step");
  int indices = cloth_get_index_count(sheet);
  must(render_mesh_create(mesh, GRID * GRID, indices), "mesh");
  must(cloth_write_indices32(sheet, 0, mesh->indices, (size_t)indices), "cloth_write_indices32");
  must(cloth_write_vertices(sheet, &layout, mesh->vertices, GRID * GRID * sizeof(render_vertex)),
       "cloth_write_vertices");
  free(block);
}

/// Post ///

/* The side of the post: a ring at each end. The sheet covers its upper end. */
static void make_post(render_mesh *mesh) {
  must(render_mesh_create(mesh, 2 * (SEGMENTS + 1), 6 * SEGMENTS), "mesh");
  for (int i = 0; i <= SEGMENTS; i++) {
    float angle = TURN * (float)i / SEGMENTS;
    cloth_vector normal = {sinf(angle), 0, cosf(angle)};
    for (int end = 0; end < 2; end++) {
      render_vertex *v = &mesh->vertices[2 * i + end];
      v->normal = normal;
      v->position = (cloth_vector){(POST_RADIUS - THICKNESS) * normal.x, end ? -THICKNESS : -POST_HEIGHT,
                                   (POST_RADIUS - THICKNESS) * normal.z};
    }
    if (i == SEGMENTS) continue;
    uint32_t a = (uint32_t)(2 * i);
    const uint32_t corners[6] = {a, a + 2, a + 1, a + 2, a + 3, a + 1};
    for (int k = 0; k < 6; k++)
      mesh->indices[6 * i + k] = corners[k];
  }
}

/// Picture ///

static void draw(image *picture, int number, const render_mesh *cylinder) {
  const sample *what = &samples[number];
  render_mesh mesh;
  drape(what, &mesh);
  rectangle area = {number % ACROSS * VIEW_WIDTH, number / ACROSS * VIEW_HEIGHT, VIEW_WIDTH, VIEW_HEIGHT};
  const render_object objects[] = {{&mesh, what->material}, {cylinder, stone}};
  const render_scene view = {.eye = {0.42f, 0.42f, 0.95f},
                             .target = {0, -0.1f, 0},
                             .field_of_view = 0.42f,
                             .to_light = {-0.7f, 1.0f, 0.45f},
                             .radius = 0.6f,
                             .floor_height = -POST_HEIGHT,
                             .objects = objects,
                             .object_count = 2};
  must(render_view(picture, area, &view), "render_view");
  image_text(picture, area.x + 14, area.y + 14, 3, 0x30363c, what->name);
  render_mesh_destroy(&mesh);
}

int main(int count, char **arguments) {
  image picture;
  render_mesh cylinder;
  if (count != 2) {
    fprintf(stderr, "usage: fabrics_picture FILE.png\n");
    return EXIT_FAILURE;
  }
  must(image_create(&picture, ACROSS * VIEW_WIDTH, SAMPLES / ACROSS * VIEW_HEIGHT, 0xffffff), "picture");
  make_post(&cylinder);
  for (int i = 0; i < SAMPLES; i++)
    draw(&picture, i, &cylinder);
  if (png_write(arguments[1], picture.width, picture.height, picture.rgb) != 0) {
    fprintf(stderr, "fabrics_picture: cannot write %s\n", arguments[1]);
    return EXIT_FAILURE;
  }
  printf("written: %s\n", arguments[1]);
  render_mesh_destroy(&cylinder);
  image_destroy(&picture);
  return EXIT_SUCCESS;
}
