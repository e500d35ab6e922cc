/*
 * A T-shirt of four panels, front, back and two sleeves, sewn together on a walking figure. Prints how far the seams
 * open, how far the fabric stretches and what a step costs, draws four moments, and films the walk.
 *
 *     build/garment/garment FILE.png FILM.png
 *
 * SPDX-License-Identifier: MIT
 */
#include "cloth.h"
#include "figure.h"
#include "motion.h"
#include "must.h"
#include "png.h"
#include "render.h"
#include "shirt.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOMENTS = 4, SECONDS = 8, FRAMES = 60 * SECONDS };
enum { CELL = 430, FILM = 300, FILM_START = 120, FILM_EVERY = 3, FILM_PICTURES = 80 };

#define FRAME_SECONDS (1.0f / 60.0f)

static const int moments[MOMENTS] = {60, 180, 300, 440}; /* frames */

static const shirt_cut cut = {.columns = 23, .rows = 28, .armhole = 10, .neck = 6, .sleeve_rows = 9};

static const render_material fabric = {{0.08f, 0.22f, 0.42f}, {0.05f, 0.14f, 0.28f}, 0.0f, 0.06f, 0.05f};
static const render_material sleeve = {{0.72f, 0.70f, 0.64f}, {0.45f, 0.44f, 0.40f}, 0.0f, 0.06f, 0.05f};
static const render_material skin = {{0.36f, 0.38f, 0.40f}, {0.36f, 0.38f, 0.40f}, 0.0f, 0.05f, 0.0f};

/* The shirt and its wearer. */
typedef struct world {
  shirt_panel cut[SHIRT_PANELS];
  cloth *panels[SHIRT_PANELS];
  void *blocks[SHIRT_PANELS + 1]; /* memory of the panels, then that of the group */
  cloth_group group;
  cloth_seam seams[SHIRT_SEAMS];
  void *memory;
  size_t bytes;
  cloth_shared_body bodies[FIGURE_LIMBS];
  cloth_surroundings around;
} world;

/// The figure ///

/* It stands until the shirt has settled, and then walks. */
static figure_stance stance_at(float time) {
  const float walks = time - 1.2f, stride = walks < 0 ? 0 : walks < 1.0f ? 0.7f * walks : 0.7f;
  const figure_stance stance = {walks < 0 ? 0 : 0.7f * figure_strides * walks, stride, 0};
  return stance;
}

static void place_limbs(float time, limb limbs[FIGURE_LIMBS]) {
  const figure_stance stance = stance_at(time);
  figure_limbs(&stance, limbs);
  figure_spread_arms(limbs);
}

static void move_figure(world *w, float time) {
  limb limbs[FIGURE_LIMBS];
  place_limbs(time, limbs);
  for (int n = 0; n < FIGURE_LIMBS; n++) {
    w->bodies[n].previous = w->bodies[n].collider.pose;
    w->bodies[n].collider.pose = limb_pose(&limbs[n]);
  }
}

/// The shirt ///

static void add_panel(world *w, int panel, const limb limbs[FIGURE_LIMBS]) {
  cloth_config config = cloth_config_default();
  cloth_memory spans;
  void *arena;
  shirt_describe(&cut, panel, limbs, &w->cut[panel], &config);
  config.self_thickness = 0.3f * shirt_spacing(&cut);
  config.self.gathers = 0;
  config.substeps = 10;
  config.max_colliders = 0;
  config.capacity.max_shared_bodies = FIGURE_LIMBS;
  config.thickness = 0.008f;
  must(cloth_memory_needed(&config, &spans), "cloth_memory_needed");
  w->blocks[panel] = allocate_aligned(spans.total_bytes, &arena);
  must(cloth_init(&config, arena, spans.total_bytes, &w->panels[panel]), "cloth_init");
}

static void make_world(world *w) {
  limb limbs[FIGURE_LIMBS];
  memset(w, 0, sizeof *w);
  w->group = cloth_group_default();
  w->group.cloths = w->panels;
  w->group.count = SHIRT_PANELS;
  w->group.seams = w->seams;
  w->group.around = &w->around;
  w->around.bodies = w->bodies;
  w->around.body_count = FIGURE_LIMBS;
  place_limbs(0, limbs);
  for (int n = 0; n < FIGURE_LIMBS; n++) {
    w->bodies[n].collider = limb_collider(&limbs[n]);
    w->bodies[n].previous = w->bodies[n].collider.pose;
  }
  for (int panel = 0; panel < SHIRT_PANELS; panel++) {
    add_panel(w, panel, limbs);
  }
  shirt_sew(&cut, 0, w->seams);
  w->group.seam_count = SHIRT_SEAMS;
  must(cloth_group_bytes(&w->group, &w->bytes), "cloth_group_bytes");
  w->blocks[SHIRT_PANELS] = allocate_aligned(w->bytes, &w->memory);
}

/// Pictures ///

static void make_panel_mesh(render_mesh *mesh, const cloth *panel) {
  static const cloth_vertex_layout layout = {sizeof(render_vertex), offsetof(render_vertex, position),
                                             offsetof(render_vertex, normal), offsetof(render_vertex, u)};
  cloth_vector_view view;
  const int indices = cloth_get_index_count(panel);
  must(cloth_get_positions(panel, &view), "cloth_get_positions");
  must(render_mesh_create(mesh, view.count, indices) ? CLOTH_ERROR_ARENA : 0, "mesh");
  must(cloth_write_indices32(panel, 0, mesh->indices, (size_t)indices), "cloth_write_indices32");
  must(cloth_write_vertices(panel, &layout, mesh->vertices, (size_t)view.count * sizeof(render_vertex)), "vertices");
}

/* Draws the figure from a direction, in turns from in front of it. */
static void draw(image *picture, rectangle area, const world *w, float turns, int is_sketch) {
  render_mesh meshes[SHIRT_PANELS + FIGURE_LIMBS];
  render_object objects[SHIRT_PANELS + FIGURE_LIMBS];
  for (int n = 0; n < SHIRT_PANELS + FIGURE_LIMBS; n++) {
    if (n < SHIRT_PANELS) {
      make_panel_mesh(&meshes[n], w->panels[n]);
    } else {
      cloth_collider shown = w->bodies[n - SHIRT_PANELS].collider;
      shown.radius *= 0.97f;
      shown.radius_top *= 0.97f;
      must(render_mesh_of_capsule(&meshes[n], &shown, 48) ? CLOTH_ERROR_ARENA : 0, "mesh");
    }
    objects[n].mesh = &meshes[n];
    objects[n].material = n >= SHIRT_PANELS ? skin : n >= SHIRT_LEFT ? sleeve : fabric;
  }
  const render_scene view = {.eye = {2.5f * cosine(turns), 1.35f, 2.5f * wave(turns)},
                             .target = {0.02f, 1.1f, 0},
                             .field_of_view = 0.46f,
                             .to_light = {0.8f * cosine(turns - 0.1f), 1.0f, 0.8f * wave(turns - 0.1f)},
                             .radius = 1.2f,
                             .floor_height = 0,
                             .objects = objects,
                             .object_count = SHIRT_PANELS + FIGURE_LIMBS,
                             .sketch = is_sketch};
  must(render_view(picture, area, &view) ? CLOTH_ERROR_ARENA : 0, "render_view");
  for (int n = 0; n < SHIRT_PANELS + FIGURE_LIMBS; n++) {
    render_mesh_destroy(&meshes[n]);
  }
}

/// The walk ///

/* What was measured of a walk. */
typedef struct measures {
  float gap;                 /* of any seam from the first second on, over the spacing */
  float stretch;             /* largest strain of any spring along a thread, from then on */
  int springs, long_springs; /* springs looked at, and those of them with a strain above a tenth */
  float lowest_hem;          /* the hem stays on the hips: least height of any particle [m] */
  double milliseconds;
} measures;

/* Looks at the spring between two neighbouring particles of a panel. */
static void count_spring(const world *w, int panel, int32_t i, int32_t j, measures *m) {
  const cloth_vector *pattern = w->cut[panel].pattern;
  cloth_vector a, b;
  must(cloth_get_position(w->panels[panel], i, &a), "cloth_get_position");
  must(cloth_get_position(w->panels[panel], j, &b), "cloth_get_position");
  const float strain = length(minus(a, b)) / length(minus(pattern[i], pattern[j])) - 1.0f;
  m->stretch = fmaxf(m->stretch, strain);
  m->springs++;
  m->long_springs += strain > 0.1f;
}

static void measure(const world *w, measures *m) {
  for (int n = 0; n < w->group.seam_count; n++) {
    float gap;
    must(cloth_group_seam_gap(&w->group, n, &gap), "cloth_group_seam_gap");
    m->gap = fmaxf(m->gap, gap / shirt_spacing(&cut));
  }
  for (int panel = 0; panel < SHIRT_PANELS; panel++) {
    const int32_t columns = shirt_columns(&cut, panel), rows = shirt_rows(&cut, panel);
    cloth_vector low, high;
    must(cloth_get_bounds(w->panels[panel], &low, &high), "cloth_get_bounds");
    m->lowest_hem = fminf(m->lowest_hem, low.y);
    for (int32_t i = 0; i < columns * rows; i++) {
      if (i % columns + 1 < columns) { count_spring(w, panel, i, i + 1, m); }
      if (i + columns < columns * rows) { count_spring(w, panel, i, i + columns, m); }
    }
  }
}

static void walk(world *w, image *picture, const char *film, measures *m) {
  png_animation animation;
  image still;
  must(image_create(&still, FILM, FILM, 0xffffff) ? CLOTH_ERROR_ARENA : 0, "image");
  must(png_animation_begin(&animation, film, FILM, FILM, FILM_PICTURES) ? CLOTH_ERROR_ARENA : 0, film);
  animation.frames_per_second = 60 / FILM_EVERY;
  for (int frame = 1; frame <= FRAMES; frame++) {
    move_figure(w, (float)frame * FRAME_SECONDS);
    const clock_t start = clock();
    must(cloth_step_together(&w->group, FRAME_SECONDS, w->memory, w->bytes), "cloth_step_together");
    m->milliseconds += 1e3 * (double)(clock() - start) / (double)CLOCKS_PER_SEC / FRAMES;
    if (frame >= 60) { measure(w, m); }
    for (int n = 0; n < MOMENTS; n++) {
      const rectangle area = {n * CELL, 0, CELL - 4, CELL - 4};
      if (frame == moments[n]) { draw(picture, area, w, 0.06f + 0.16f * (float)n, 0); }
    }
    const int shown = frame - FILM_START;
    if (shown >= 0 && shown % FILM_EVERY == 0 && shown / FILM_EVERY < FILM_PICTURES) {
      const rectangle all = {0, 0, FILM, FILM};
      draw(&still, all, w, 0.08f, 0);
      png_animation_add(&animation, still.rgb);
    }
  }
  must(png_animation_end(&animation) ? CLOTH_ERROR_ARENA : 0, film);
  image_destroy(&still);
}

static int print_line(const char *name, double value, const char *unit, double goal, int is_least) {
  const int reached = is_least ? value >= goal : value <= goal;
  printf("%-42s %9.4f %-9s %s %6.3f  %s\n", name, value, unit, is_least ? ">=" : "<=", goal, reached ? "ok" : "missed");
  return reached;
}

int main(int count, char **arguments) {
  static world w;
  image picture;
  measures m = {0, 0, 0, 0, 2, 0};
  if (count != 3 || image_create(&picture, MOMENTS * CELL - 4, CELL - 4, 0xffffff)) {
    fprintf(stderr, "usage: garment FILE.png FILM.png\n");
    return EXIT_FAILURE;
  }
  make_world(&w);
  walk(&w, &picture, arguments[2], &m);
  int held = print_line("largest gap of a seam", (double)m.gap, "spacings", 0.02, 0);
  held += print_line("springs longer than 110 %", 100.0 * m.long_springs / m.springs, "%", 1.0, 0);
  held += print_line("lowest particle of the shirt", (double)m.lowest_hem, "m", 0.75, 1);
  printf("%-42s %9.4f\n%-42s %9.4f ms\n", "largest strain of a spring, ever", (double)m.stretch, "a step",
         m.milliseconds);
  must(png_write(arguments[1], picture.width, picture.height, picture.rgb) ? CLOTH_ERROR_ARENA : 0, arguments[1]);
  printf("written: %s, %s\n", arguments[1], arguments[2]);
  image_destroy(&picture);
  for (int n = 0; n <= SHIRT_PANELS; n++) {
    free(w.blocks[n]);
  }
  return held == 3 ? EXIT_SUCCESS : EXIT_FAILURE;
}
