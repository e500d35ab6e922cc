/* A round tablecloth, cut out of a grid by a mask, and a flag that tears in a gale: build/torn/torn [DIRECTORY] writes
   torn.png, and the flag's first five seconds as a film, flag.png. SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cloth.h"
#include "image.h"
#include "must.h"
#include "png.h"
#include "render.h"

#define VIEW 480
#define FRAME (1.0f / 60.0f)
#define SIDE 97
#define FLAG_COLUMNS 49
#define FLAG_ROWS 33
#define FLAG_FRAMES 300
#define FILM_EVERY 5 /* frames */

CLOTH_ALIGNED static unsigned char arena[8 << 20];
static uint8_t mask[(SIDE - 1) * (SIDE - 1)];

static cloth *make(const cloth_config *config) {
  cloth *sheet;
  must(cloth_init(config, arena, sizeof arena, &sheet), "cloth_init");
  return sheet;
}

/* Draws the cloth, and a body beside it or NULL, with the camera at `eye`. */
static void draw(const cloth *sheet, const cloth_collider *body, cloth_vector eye, cloth_vector target, image *picture,
                 int column) {
  static const cloth_vertex_layout layout = {sizeof(render_vertex), offsetof(render_vertex, position),
                                             offsetof(render_vertex, normal), offsetof(render_vertex, u)};
  const render_material fabric = {{0.62f, 0.10f, 0.09f}, {0.75f, 0.62f, 0.40f}, 12.0f, 0.05f, 0.1f};
  const render_material stone = {{0.55f, 0.53f, 0.50f}, {0.55f, 0.53f, 0.50f}, 0.0f, 0.12f, 0.0f};
  const int vertices = cloth_get_vertex_count(sheet), indices = cloth_get_index_count(sheet);
  render_mesh meshes[2];
  must(render_mesh_create(&meshes[0], vertices, indices), "mesh");
  must(cloth_write_vertices(sheet, &layout, meshes[0].vertices, (size_t)vertices * sizeof(render_vertex)), "vertices");
  must(cloth_write_indices32(sheet, 0, meshes[0].indices, (size_t)indices), "indices");
  const render_object objects[2] = {{&meshes[0], fabric}, {&meshes[1], stone}};
  if (body) must(render_mesh_from_collider(&meshes[1], body), "body");
  const render_scene view = {eye, target, 0.6f, {0.4f, 1.0f, 0.5f}, 1.6f, -0.75f, objects, body ? 2 : 1, 0};
  must(render_view(picture, (rectangle){column * VIEW, 0, VIEW, VIEW}, &view), "render_view");
  for (int n = 0; n < 1 + (body != NULL); n++)
    render_mesh_destroy(&meshes[n]);
}

static void draw_tablecloth(image *picture) {
  cloth_config config = cloth_config_default();
  must(cloth_fabric_preset(CLOTH_FABRIC_COTTON, &config.fabric), "fabric");
  config.columns = config.rows = SIDE;
  config.origin = (cloth_vector){-0.6f, 0.0f, -0.6f};
  config.edge_warp.x = config.edge_weft.z = 1.2f;
  const float middle = 0.5f * (float)(SIDE - 2), outer = 0.5f * (float)(SIDE - 1), hole = 0.12f * outer;
  for (int i = 0; i < (SIDE - 1) * (SIDE - 1); i++) {
    const float x = (float)(i % (SIDE - 1)) - middle, z = (float)(i / (SIDE - 1)) - middle, square = x * x + z * z;
    mask[i] = square < outer * outer && square > hole * hole;
  }
  config.grid.cell_mask = mask;
  cloth *sheet = make(&config);
  cloth_collider table = cloth_collider_default();
  table.shape = CLOTH_SHAPE_CYLINDER;
  table.radius = 0.35f;
  table.half_height = 0.02f;
  table.pose.position = (cloth_vector){0.0f, -0.1f, 0.0f};
  must(cloth_add_collider(sheet, &table), "table");
  for (int frame = 0; frame < 180; frame++)
    must(cloth_step(sheet, FRAME), "step");
  draw(sheet, &table, (cloth_vector){0.5f, 1.3f, 2.2f}, (cloth_vector){0.0f, -0.3f, 0.0f}, picture, 0);
}

static cloth *make_flag(void) {
  /* A moth has been at the flag, and its edge is frayed. */
  static const cloth_cut_line cuts[] = {
      {49.0f, 8.4f, 43.2f, 8.8f}, {49.0f, 20.6f, 43.3f, 20.4f}, {14.2f, 16.3f, 15.4f, 18.6f}};
  cloth_config config = cloth_config_default();
  must(cloth_fabric_preset(CLOTH_FABRIC_COTTON, &config.fabric), "fabric");
  config.columns = FLAG_COLUMNS;
  config.rows = FLAG_ROWS;
  config.origin = (cloth_vector){-0.6f, 0.4f, 0.0f};
  config.edge_warp = (cloth_vector){1.2f, 0.0f, 0.0f};
  config.edge_weft = (cloth_vector){0.0f, -0.8f, 0.0f};
  config.wind = (cloth_vector){14.0f, 0.0f, 4.2f};
  config.tearing.max_breaks = 64;
  config.tearing.strain = 0.02f;
  config.tearing.max_torn_cells = 512;
  cloth *sheet = make(&config);
  for (int row = 0; row < FLAG_ROWS; row++)
    must(cloth_pin(sheet, row * FLAG_COLUMNS), "pin");
  for (int n = 0; n < 3; n++)
    must(cloth_cut(sheet, &cuts[n]), "cut");
  return sheet;
}

static void draw_flag(image *picture, const char *film) {
  const cloth_vector eye = {0.2f, 0.2f, 3.0f}, target = {0.0f, 0.0f, 0.0f};
  cloth *sheet = make_flag();
  png_animation animation;
  image still;
  must(image_create(&still, VIEW, VIEW, 0xffffff), "image");
  must(png_animation_begin(&animation, film, VIEW, VIEW, FLAG_FRAMES / FILM_EVERY), film);
  animation.frames_per_second = 60 / FILM_EVERY;
  int torn = 0;
  for (int frame = 0; frame < FLAG_FRAMES; frame++) {
    must(cloth_step(sheet, FRAME), "step");
    cloth_statistics statistics;
    must(cloth_get_statistics(sheet, &statistics), "statistics");
    torn += statistics.threads_torn;
    if (frame == 60) draw(sheet, NULL, eye, target, picture, 1);
    if (frame % FILM_EVERY == 0) {
      draw(sheet, NULL, eye, target, &still, 0);
      png_animation_add(&animation, still.rgb);
    }
  }
  must(png_animation_end(&animation), film);
  image_destroy(&still);
  draw(sheet, NULL, eye, target, picture, 2);
  printf("%d threads have torn beside the cuts\n", torn);
}

int main(int count, char **arguments) {
  char path[512];
  image picture;
  must(image_create(&picture, 3 * VIEW, VIEW, 0xffffff), "picture");
  draw_tablecloth(&picture);
  const char *directory = count > 1 ? arguments[1] : ".";
  snprintf(path, sizeof path, "%s/flag.png", directory);
  draw_flag(&picture, path);
  snprintf(path, sizeof path, "%s/torn.png", directory);
  must(png_write(path, picture.width, picture.height, picture.rgb), path);
  image_destroy(&picture);
  return 0;
}
