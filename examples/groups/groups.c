/*
 * Cloth on cloth: two sheets fall onto a ball, a figure in a cape walks through a curtain of two panels, a towel is
 * thrown into a heap, and a tube is wrung. Steps the cloths of each scene as a group, prints what each scene took, and
 * draws two moments of each, and all of it as a moving picture (APNG) if that has a name.
 *
 *     build/groups/groups FILE.png [MOVING.png]
 *
 * SPDX-License-Identifier: MIT
 */
#include "cloth.h"
#include "figure.h"
#include "meander.h"
#include "motion.h"
#include "must.h"
#include "png.h"
#include "render.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SHEETS, CAPE, HEAP, TUBE, SCENES };
enum { TUBE_ROWS = 40 };
enum { CLOTHS = 3, MOMENTS = 2, BODIES = FIGURE_LIMBS };

#define CELL 460    /* of a picture [px] */
#define SMALL 240   /* of a scene in the moving picture [px] */
#define SKIPPED 3   /* frames of a scene to one of the moving picture, which shows 20 a second */
#define SHARE 0.45f /* distance between layers over the spacing of the particles */
#define FRAME_SECONDS (1.0f / 60.0f)

static const char *const titles[SCENES] = {"two sheets", "cape and curtain", "thrown towel", "wrung tube"};
static const int moments[SCENES][MOMENTS] = {
    {34, 240}, {120, 195}, {27, 240}, {60, 200}}; /* frames that are drawn; the last ends the scene */

static const render_material fabrics[CLOTHS] = {
    {{0.55f, 0.13f, 0.10f}, {0.30f, 0.22f, 0.18f}, 12.0f, 0.1f, 0.1f},
    {{0.16f, 0.30f, 0.46f}, {0.22f, 0.36f, 0.50f}, 0.0f, 0.1f, 0.15f},
    {{0.16f, 0.38f, 0.30f}, {0.22f, 0.44f, 0.36f}, 0.0f, 0.1f, 0.15f},
};
static const render_material body_material = {{0.36f, 0.38f, 0.40f}, {0.36f, 0.38f, 0.40f}, 0.0f, 0.05f, 0.0f};

/* A scene while it runs: the cloths, and the bodies that they share. */
typedef struct world {
  int kind;
  cloth *sheets[CLOTHS];
  void *blocks[CLOTHS + 1]; /* memory of the cloths, then that of the group */
  cloth_group group;
  void *memory;
  size_t bytes;
  cloth_shared_body bodies[BODIES];
  cloth_surroundings around;
  cloth_vector collar[64]; /* of the cape's upper edge, from the middle of the shoulders; of the tube's lower one */
  int collar_columns;
} world;

/// Cloths ///

static void add_cloth(world *w, cloth_config *config, cloth_fabric_kind kind) {
  const float warp = length(config->edge_warp) / (float)(config->columns - 1);
  const float weft = length(config->edge_weft) / (float)(config->rows - 1);
  cloth_memory spans;
  void *arena;
  must(cloth_fabric_preset(kind, &config->fabric), "cloth_fabric_preset");
  config->self_thickness = SHARE * fminf(warp, weft);
  config->substeps = 8;
  config->max_colliders = 0;
  config->capacity.max_shared_bodies = BODIES;
  must(cloth_memory_needed(config, &spans), "cloth_memory_needed");
  w->blocks[w->group.count] = allocate_aligned(spans.total_bytes, &arena);
  must(cloth_init(config, arena, spans.total_bytes, &w->sheets[w->group.count]), "cloth_init");
  w->group.count++;
}

/* Square sheets, one above the other and turned against it. */
static void make_sheets(world *w) {
  for (int n = 0; n < 2; n++) {
    cloth_config config = cloth_config_default();
    const float c = n ? 0.8f : 1.0f, s = n ? 0.6f : 0.0f, side = n ? 0.62f : 1.0f;
    config.columns = config.rows = n ? 27 : 42;
    config.edge_warp = vector(side * c, 0, side * s);
    config.edge_weft = vector(-side * s, 0, side * c);
    config.origin = vector(-0.5f * side * (c - s) + 0.03f, 0.3f + 0.12f * (float)n, -0.5f * side * (s + c));
    add_cloth(w, &config, n ? CLOTH_FABRIC_SILK : CLOTH_FABRIC_COTTON);
  }
  w->bodies[0].collider = cloth_collider_default();
  w->bodies[0].collider.radius = 0.25f;
  w->bodies[0].previous = w->bodies[0].collider.pose;
  w->around.body_count = 1;
}

/* How the figure stands at a time, and how far it has walked. */
static figure_stance stance_at(float time) {
  const figure_stance stance = {0.55f * figure_strides * time, 0.6f, 0.0f};
  return stance;
}

static float way_at(float time) {
  return -1.0f + 0.55f * 0.6f * figure_speed * time;
}

/* Moves the figure's limbs to where they are at a time, and the collar with its shoulders. */
static void move_figure(world *w, float time) {
  const figure_stance stance = stance_at(time);
  const figure_shoulders shoulders = figure_shoulders_at(&stance);
  const cloth_vector way = vector(way_at(time), 0, 0);
  limb limbs[FIGURE_LIMBS];
  figure_limbs(&stance, limbs);
  for (int n = 0; n < FIGURE_LIMBS; n++) {
    cloth_pose pose = limb_pose(&limbs[n]);
    pose.position = plus(pose.position, way);
    w->bodies[n].previous = w->bodies[n].collider.pose;
    w->bodies[n].collider.pose = pose;
  }
  for (int n = 0; n < w->collar_columns; n++) {
    const cloth_vector at = plus(figure_from_shoulders(&shoulders, w->collar[n]), way);
    must(cloth_move_pin(w->sheets[0], n, at), "cloth_move_pin");
  }
}

/* A sheet that hangs from a line of particles. */
static void hang(cloth_config *config, const cloth_vector *line, float height, cloth_vector *positions) {
  for (int i = 0; i < config->columns * config->rows; i++) {
    const float down = height * (float)(i / config->columns) / (float)(config->rows - 1);
    positions[i] = minus(line[i % config->columns], vector(0, down, 0));
  }
  config->edge_warp = vector(meander_length(config->columns, line), 0, 0);
  config->edge_weft = vector(0, -height, 0);
  config->grid.positions = positions;
}

static void make_cape(world *w) {
  static const meander edge = {
      .origin = {-0.05f, 0.06f, -0.27f}, .width = 1.35f, .turn = 0.23f, .swing = 0.26f, .folds = 7};
  static cloth_vector positions[40 * 34], line[40];
  cloth_config config = cloth_config_default();
  const figure_stance stance = stance_at(0);
  const figure_shoulders shoulders = figure_shoulders_at(&stance);
  config.columns = w->collar_columns = 40;
  config.rows = 34;
  meander_lay(&edge, config.columns, w->collar);
  for (int n = 0; n < config.columns; n++) {
    line[n] = plus(figure_from_shoulders(&shoulders, w->collar[n]), vector(way_at(0), 0, 0));
  }
  hang(&config, line, 1.12f, positions);
  config.integration.velocity_damping = 0.5f;
  add_cloth(w, &config, CLOTH_FABRIC_WOOL);
}

/* A panel to one side of the middle, its first column there. */
static void make_panel(world *w, float side) {
  static const meander edge = {.width = 1.3f, .swing = 0.17f, .folds = 5};
  static cloth_vector positions[36 * 44], line[36];
  cloth_config config = cloth_config_default();
  config.columns = 36;
  config.rows = 44;
  meander_lay(&edge, config.columns, line);
  for (int n = 0; n < config.columns; n++) {
    line[n] = vector(line[n].z, 1.95f, side * (line[n].x + 0.02f));
  }
  hang(&config, line, 1.75f, positions);
  config.integration.velocity_damping = 0.5f;
  add_cloth(w, &config, CLOTH_FABRIC_COTTON);
}

static void make_walk(world *w) {
  const figure_stance stance = stance_at(0);
  limb limbs[FIGURE_LIMBS];
  make_cape(w);
  make_panel(w, -1);
  make_panel(w, 1);
  for (int n = 0; n < w->group.count; n++) {
    cloth_vector_view view;
    must(cloth_get_positions(w->sheets[n], &view), "cloth_get_positions");
    for (int i = 0; i < (n ? 36 : w->collar_columns); i++) {
      must(cloth_pin(w->sheets[n], i), "cloth_pin");
    }
  }
  figure_limbs(&stance, limbs);
  for (int n = 0; n < FIGURE_LIMBS; n++) {
    w->bodies[n].collider = limb_collider(&limbs[n]);
  }
  w->around.body_count = FIGURE_LIMBS;
  move_figure(w, 0);
  for (int n = 0; n < FIGURE_LIMBS; n++) {
    w->bodies[n].previous = w->bodies[n].collider.pose;
  }
}

/* A towel that is thrown down: it turns, and falls onto a corner. */
static void make_heap(world *w) {
  static cloth_vector positions[40 * 40];
  cloth_config config = cloth_config_default();
  config.columns = config.rows = 40;
  for (int i = 0; i < config.columns * config.rows; i++) {
    const float u = (float)(i % config.columns) / 39.0f, v = (float)(i / config.columns) / 39.0f;
    const float out = 0.02f * sinf(9.0f * u + 2.0f * v) + 0.02f * sinf(7.0f * v + u);
    positions[i] = vector(0.8f * (u - 0.5f) + 0.6f * (v - 0.5f), 0.8f + 0.6f * (u - 0.5f) - 0.8f * (v - 0.5f), out);
  }
  config.grid.positions = positions;
  config.edge_warp = vector(0.8f, 0.6f, 0);
  config.edge_weft = vector(0.6f, -0.8f, 0);
  config.self.gathers = 2; /* it is thrown */
  add_cloth(w, &config, CLOTH_FABRIC_COTTON);
  for (int i = 0; i < config.columns * config.rows; i++) {
    const cloth_vector at = positions[i];
    must(cloth_set_particle(w->sheets[0], i, at, vector(0.5f * (at.y - 0.9f), -0.5f * at.x, at.x)),
         "cloth_set_particle");
  }
  w->bodies[0].collider = cloth_collider_default();
  w->bodies[0].collider.shape = CLOTH_SHAPE_PLANE;
  w->bodies[0].previous = w->bodies[0].collider.pose;
  w->around.body_count = 1;
}

/* A tube between two rings; the lower one turns. */
static void make_tube(world *w) {
  cloth_config config = cloth_config_default();
  config.columns = w->collar_columns = 48;
  config.rows = TUBE_ROWS;
  config.grid.wrap = 1;
  config.edge_warp = vector(0, 0, -1.2f);
  config.edge_weft = vector(0, -0.8f, 0);
  config.origin = vector(0.19f, 0.8f, 0);
  config.tethers.count = 0;
  add_cloth(w, &config, CLOTH_FABRIC_COTTON);
  for (int i = 0; i < config.columns; i++) {
    const int last = (config.rows - 1) * config.columns + i;
    must(cloth_pin(w->sheets[0], i), "cloth_pin");
    must(cloth_pin(w->sheets[0], last), "cloth_pin");
    must(cloth_get_position(w->sheets[0], last, &w->collar[i]), "cloth_get_position");
  }
}

/* Turns the lower ring of the tube by up to 200 degrees, and lifts it a little. */
static void wring_tube(world *w, float time) {
  const float t = fminf(time, 2.5f), angle = 1.4f * t, rise = 0.1f * t, c = cosf(angle), s = sinf(angle);
  float x = 0, z = 0;
  for (int i = 0; i < w->collar_columns; i++) {
    x += w->collar[i].x / (float)w->collar_columns;
    z += w->collar[i].z / (float)w->collar_columns;
  }
  for (int i = 0; i < w->collar_columns; i++) {
    const float dx = w->collar[i].x - x, dz = w->collar[i].z - z;
    const cloth_vector at = vector(x + c * dx + s * dz, w->collar[i].y + rise, z - s * dx + c * dz);
    must(cloth_move_pin(w->sheets[0], (TUBE_ROWS - 1) * w->collar_columns + i, at), "cloth_move_pin");
  }
}

/// Pictures ///

/* `seam`: vertices that repeat the first column of a tube. */
static void make_sheet_mesh(render_mesh *mesh, const cloth *sheet, int seam) {
  static const cloth_vertex_layout layout = {sizeof(render_vertex), offsetof(render_vertex, position),
                                             offsetof(render_vertex, normal), offsetof(render_vertex, u)};
  cloth_vector_view view;
  must(cloth_get_positions(sheet, &view), "cloth_get_positions");
  const int indices = cloth_get_index_count(sheet), vertices = view.count + seam;
  must(render_mesh_create(mesh, vertices, indices) ? CLOTH_ERROR_ARENA : 0, "mesh");
  must(cloth_write_indices32(sheet, 0, mesh->indices, (size_t)indices), "cloth_write_indices32");
  must(cloth_write_vertices(sheet, &layout, mesh->vertices, (size_t)vertices * sizeof(render_vertex)), "vertices");
}

static void draw(image *picture, rectangle area, const world *w) {
  render_mesh meshes[CLOTHS + BODIES];
  render_object objects[CLOTHS + BODIES];
  const int shown_bodies = w->kind == HEAP ? 0 : w->around.body_count, count = w->group.count + shown_bodies;
  for (int n = 0; n < count; n++) {
    const int body = n - w->group.count;
    if (body < 0) {
      make_sheet_mesh(&meshes[n], w->sheets[n], w->kind == TUBE ? TUBE_ROWS : 0);
    } else {
      cloth_collider shown = w->bodies[body].collider;
      shown.radius *= 0.97f;
      must(render_mesh_of_capsule(&meshes[n], &shown, 64) ? CLOTH_ERROR_ARENA : 0, "mesh");
    }
    objects[n].mesh = &meshes[n];
    objects[n].material = body < 0 ? fabrics[n] : body_material;
    if (n == 0 && w->kind != HEAP) { /* the sides that the eye sees are the backs */
      objects[n].material.front = fabrics[n].back;
      objects[n].material.back = fabrics[n].front;
    }
  }
  render_scene view = {.eye = {1.15f, 1.05f, 1.45f},
                       .target = {0, -0.05f, 0},
                       .field_of_view = 0.52f,
                       .to_light = {-0.5f, 1.0f, 0.7f},
                       .radius = 1.4f,
                       .floor_height = -0.75f,
                       .objects = objects,
                       .object_count = count};
  if (w->kind == CAPE) {
    view.eye = vector(-2.9f, 2.3f, 2.0f);
    view.target = vector(-0.05f, 0.93f, 0);
    view.field_of_view = 0.6f;
    view.to_light = vector(-0.9f, 1.2f, 0.25f);
    view.radius = 2.4f;
    view.floor_height = 0;
  }
  if (w->kind == HEAP) {
    view.eye = vector(1.0f, 1.3f, 1.3f);
    view.target = vector(0, 0.1f, 0);
    view.floor_height = 0;
  }
  if (w->kind == TUBE) {
    view.eye = vector(1.75f, 1.15f, 1.9f);
    view.target = vector(0.38f, 0.52f, 0);
    view.floor_height = -0.1f;
  }
  must(render_view(picture, area, &view) ? CLOTH_ERROR_ARENA : 0, "render_view");
  for (int n = 0; n < count; n++) {
    render_mesh_destroy(&meshes[n]);
  }
}

static void make_scene(world *w) {
  static void (*const makers[SCENES])(world *) = {make_sheets, make_walk, make_heap, make_tube};
  makers[w->kind](w);
}

static void move_scene(world *w, float time) {
  if (w->kind == CAPE) { move_figure(w, time); }
  if (w->kind == TUBE) { wring_tube(w, time); }
}

/* A moving picture, and its next frame. */
typedef struct film {
  png_animation animation;
  image frame;
  int is_on;
} film;

static void draw_frame(film *f, const world *w, int frame) {
  if (f->is_on && frame % SKIPPED == 0) {
    const rectangle area = {0, 0, SMALL, SMALL};
    draw(&f->frame, area, w);
    image_text(&f->frame, 6, 6, 1, 0x30363c, titles[w->kind]);
    png_animation_add(&f->animation, f->frame.rgb);
  }
}

/* Runs a scene, draws its moments, and prints a line. Returns 1 if no cloth passed through another one, or itself. */
static int run_scene(int kind, image *picture, film *f) {
  static world w;
  int passed = 0, pairs = 0, contacts = 0;
  double milliseconds = 0;
  w = (world){.kind = kind};
  w.group = cloth_group_default();
  w.group.cloths = w.sheets;
  w.group.around = &w.around;
  w.around.bodies = w.bodies;
  make_scene(&w);
  must(cloth_group_bytes(&w.group, &w.bytes), "cloth_group_bytes");
  w.blocks[CLOTHS] = allocate_aligned(w.bytes, &w.memory);
  for (int frame = 1; frame <= moments[kind][MOMENTS - 1]; frame++) {
    move_scene(&w, (float)frame * FRAME_SECONDS);
    const clock_t start = clock();
    const int notes = must(cloth_step_together(&w.group, FRAME_SECONDS, w.memory, w.bytes), "cloth_step_together");
    milliseconds += 1e3 * (double)(clock() - start) / (double)CLOCKS_PER_SEC;
    passed += notes & CLOTH_NOTE_PAIRS_DROPPED ? 1 : 0;
    for (int n = 0; n < w.group.count; n++) {
      cloth_self_statistics statistics;
      must(cloth_get_self_statistics(w.sheets[n], &statistics), "cloth_get_self_statistics");
      passed += statistics.intersections;
      pairs = statistics.pairs > pairs ? statistics.pairs : pairs;
      contacts += statistics.contacts;
    }
    draw_frame(f, &w, frame);
    for (int n = 0; n < MOMENTS; n++) {
      const rectangle area = {n * CELL, kind * CELL, CELL - 4, CELL - 4};
      if (frame == moments[kind][n]) {
        draw(picture, area, &w);
        image_text(picture, area.x + 8, area.y + 8, 2, 0x30363c, titles[kind]);
      }
    }
  }
  milliseconds /= moments[kind][MOMENTS - 1];
  printf("%-17s %6d %13d %10d %8.0f %9.2f  %s\n", titles[kind], w.group.count, passed, pairs,
         (double)contacts / moments[kind][MOMENTS - 1], milliseconds, passed == 0 ? "ok" : "missed");
  for (int n = 0; n <= CLOTHS; n++) {
    free(w.blocks[n]);
  }
  return passed == 0;
}

/* Begins the moving picture of all scenes. Returns 0, or -1 if memory or disk ran out. */
static int begin_film(film *f, const char *path) {
  int frames = 0;
  for (int kind = 0; kind < SCENES; kind++) {
    frames += moments[kind][MOMENTS - 1] / SKIPPED;
  }
  f->is_on = 1;
  return image_create(&f->frame, SMALL, SMALL, 0xffffff) ||
                 png_animation_begin(&f->animation, path, SMALL, SMALL, frames)
             ? -1
             : 0;
}

int main(int count, char **arguments) {
  static film moving;
  image picture;
  int held = 0;
  if (count < 2 || (count > 2 && begin_film(&moving, arguments[2])) ||
      image_create(&picture, MOMENTS * CELL - 4, SCENES * CELL - 4, 0xffffff)) {
    fprintf(stderr, "usage: groups FILE.png [MOVING.png]\n");
    return EXIT_FAILURE;
  }
  printf("%-17s %6s %13s %10s %8s %9s\n", "scene", "cloths", "intersections", "candidates", "contacts", "ms a step");
  for (int kind = 0; kind < SCENES; kind++) {
    held += run_scene(kind, &picture, &moving);
  }
  if (moving.is_on && png_animation_end(&moving.animation) != 0) {
    fprintf(stderr, "groups: cannot write %s\n", arguments[2]);
    return EXIT_FAILURE;
  }
  if (png_write(arguments[1], picture.width, picture.height, picture.rgb) != 0) {
    fprintf(stderr, "groups: cannot write %s\n", arguments[1]);
    return EXIT_FAILURE;
  }
  printf("written: %s\n", arguments[1]);
  image_destroy(&picture);
  return held == SCENES ? EXIT_SUCCESS : EXIT_FAILURE;
}
