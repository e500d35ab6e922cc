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
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Front and back have COLUMNS across and ROWS down from the shoulder; of the rows as many as half of a sleeve's cells
   lie at the armhole. */
enum { FRONT, BACK, LEFT, RIGHT, PANELS };
enum { COLUMNS = 23, ROWS = 30, ARMHOLE = 10, NECK = 6 };
enum { AROUND = 2 * ARMHOLE + 1, SLEEVE_ROWS = 9 };
enum { SEAMS = 10, MOMENTS = 4, SECONDS = 8, FRAMES = 60 * SECONDS };
enum { CELL = 430, FILM = 300, FILM_START = 120, FILM_EVERY = 3, FILM_PICTURES = 80 };

#define SPACING 0.025f
#define FRAME_SECONDS (1.0f / 60.0f)

static const int moments[MOMENTS] = {60, 180, 300, 440}; /* frames */

static const render_material fabric = {{0.08f, 0.22f, 0.42f}, {0.05f, 0.14f, 0.28f}, 0.0f, 0.06f, 0.05f};
static const render_material sleeve = {{0.72f, 0.70f, 0.64f}, {0.45f, 0.44f, 0.40f}, 0.0f, 0.06f, 0.05f};
static const render_material skin = {{0.36f, 0.38f, 0.40f}, {0.36f, 0.38f, 0.40f}, 0.0f, 0.05f, 0.0f};

/* The shirt and its wearer. */
typedef struct world {
  cloth *panels[PANELS];
  void *blocks[PANELS + 1]; /* memory of the panels, then that of the group */
  cloth_group group;
  cloth_seam seams[SEAMS];
  int32_t sides[2][AROUND]; /* the armholes: particles of a sleeve's first row, from the armpit on */
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

/* Holds an arm away from the body, so that a sleeve has room below it. */
static void spread_arm(limb arm[2], float side) {
  const float sizes[2] = {length(minus(arm[0].high, arm[0].low)), length(minus(arm[1].high, arm[1].low))};
  const cloth_vector upper = plus(minus(arm[0].low, arm[0].high), vector(0, 0, 0.15f * side));
  const cloth_vector fore = plus(minus(arm[1].low, arm[1].high), vector(0, 0, 0.06f * side));
  arm[0].low = plus(arm[0].high, times(sizes[0] / length(upper), upper));
  arm[1].high = arm[0].low;
  arm[1].low = plus(arm[1].high, times(sizes[1] / length(fore), fore));
}

static void place_limbs(float time, limb limbs[FIGURE_LIMBS]) {
  const figure_stance stance = stance_at(time);
  figure_limbs(&stance, limbs);
  spread_arm(limbs + 11, 1);
  spread_arm(limbs + 13, -1);
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

static cloth_vector between(cloth_vector a, cloth_vector b, float share) {
  return plus(a, times(share, minus(b, a)));
}

/* Where a particle of the front (side 1) or back (side -1) starts: over the shoulders, then down around the trunk. */
static cloth_vector body_place(float side, int column, int row) {
  const float across = 2.0f * (float)column / (COLUMNS - 1) - 1.0f;
  const float over = row < ARMHOLE ? (float)row / ARMHOLE : 1.0f;
  const float depth = wave(0.25f * over);
  const float neck = across > -0.45f && across < 0.45f ? 0.075f * (1.0f - 4.9f * across * across) : 0.0f;
  const float below = row < ARMHOLE ? 0.0f : SPACING * (float)(row - ARMHOLE);
  const float x = 0.02f + side * (neck * (1.0f - over) + depth * (0.02f + 0.15f * cosine(0.25f * across)));
  const float z = (1.0f - depth) * 0.275f * across + depth * 0.225f * wave(0.25f * across);
  return vector(x, 1.24f + 0.24f * cosine(0.25f * over) - below, z);
}

/* The particle of front or back to which one of a sleeve's first row is sewn. */
static int32_t armhole_particle(int panel, int around) {
  const int row = around <= ARMHOLE ? ARMHOLE - around : around - ARMHOLE;
  return row * COLUMNS + (panel == RIGHT ? COLUMNS - 1 : 0);
}

/* Where a particle of a sleeve starts: from the armhole to a ring around the arm. */
static cloth_vector sleeve_place(int panel, int around, int row, const limb *arm) {
  const cloth_vector along = times(1.0f / length(minus(arm->low, arm->high)), minus(arm->low, arm->high));
  const float out = panel == RIGHT ? 1.0f : -1.0f, turn = (float)around / (AROUND - 1);
  const cloth_vector up = vector(0, out * along.z, out * -along.y);
  const int32_t particle = armhole_particle(panel, around);
  const cloth_vector start = body_place(around <= ARMHOLE ? 1.0f : -1.0f, particle % COLUMNS, particle / COLUMNS);
  const cloth_vector middle = plus(arm->high, times(0.25f, along));
  const cloth_vector side = plus(times(-cosine(turn), up), vector(wave(turn), 0, 0));
  return between(start, plus(middle, times(0.085f, side)), (float)row / (SLEEVE_ROWS - 1));
}

static void add_panel(world *w, int panel, const limb *arm) {
  static cloth_vector places[COLUMNS * ROWS];
  cloth_config config = cloth_config_default();
  const int is_sleeve = panel == LEFT || panel == RIGHT;
  cloth_memory spans;
  void *arena;
  config.columns = is_sleeve ? AROUND : COLUMNS;
  config.rows = is_sleeve ? SLEEVE_ROWS : ROWS;
  config.edge_warp = vector(0, 0, SPACING * (float)(config.columns - 1));
  config.edge_weft = vector(0, -SPACING * (float)(config.rows - 1), 0);
  for (int i = 0; i < config.columns * config.rows; i++) {
    const int column = i % config.columns, row = i / config.columns;
    places[i] = is_sleeve ? sleeve_place(panel, column, row, arm) : body_place(panel == FRONT ? 1 : -1, column, row);
  }
  config.grid.positions = places;
  must(cloth_fabric_preset(CLOTH_FABRIC_COTTON, &config.fabric), "cloth_fabric_preset");
  config.self_thickness = 0.3f * SPACING;
  config.self.gathers = 0;
  config.substeps = 10;
  config.max_colliders = 0;
  config.capacity.max_shared_bodies = FIGURE_LIMBS;
  config.thickness = 0.008f;
  must(cloth_memory_needed(&config, &spans), "cloth_memory_needed");
  w->blocks[panel] = allocate_aligned(spans.total_bytes, &arena);
  must(cloth_init(&config, arena, spans.total_bytes, &w->panels[panel]), "cloth_init");
}

static void sew(world *w, cloth_seam_side a, cloth_seam_side b) {
  w->seams[w->group.seam_count].a = a;
  w->seams[w->group.seam_count++].b = b;
}

static cloth_seam_side side_of(int panel, int32_t first, int32_t next, int32_t count) {
  const cloth_seam_side side = {panel, first, next, count, NULL};
  return side;
}

/* Shoulders, sides, the sleeves, and the sleeves to the armholes: their first half to the front from the armpit up, the
   other one to the back from the shoulder down. */
static void sew_shirt(world *w) {
  const int32_t last = COLUMNS - 1, armpit = ARMHOLE * COLUMNS;
  sew(w, side_of(FRONT, 0, 1, NECK + 1), side_of(BACK, 0, 1, NECK + 1));
  sew(w, side_of(FRONT, last, -1, NECK + 1), side_of(BACK, last, -1, NECK + 1));
  for (int panel = LEFT; panel <= RIGHT; panel++) {
    const int32_t edge = panel == RIGHT ? last : 0;
    sew(w, side_of(FRONT, armpit + edge, COLUMNS, ROWS - ARMHOLE),
        side_of(BACK, armpit + edge, COLUMNS, ROWS - ARMHOLE));
    sew(w, side_of(panel, 0, AROUND, SLEEVE_ROWS), side_of(panel, AROUND - 1, AROUND, SLEEVE_ROWS));
    sew(w, side_of(panel, 0, 1, ARMHOLE + 1), side_of(FRONT, armpit + edge, -COLUMNS, ARMHOLE + 1));
    sew(w, side_of(panel, ARMHOLE, 1, ARMHOLE + 1), side_of(BACK, edge, COLUMNS, ARMHOLE + 1));
  }
}

static void make_world(world *w) {
  limb limbs[FIGURE_LIMBS];
  memset(w, 0, sizeof *w);
  w->group = cloth_group_default();
  w->group.cloths = w->panels;
  w->group.count = PANELS;
  w->group.pairs = 8;
  w->group.seams = w->seams;
  w->group.around = &w->around;
  w->around.bodies = w->bodies;
  w->around.body_count = FIGURE_LIMBS;
  place_limbs(0, limbs);
  for (int n = 0; n < FIGURE_LIMBS; n++) {
    w->bodies[n].collider = limb_collider(&limbs[n]);
    w->bodies[n].previous = w->bodies[n].collider.pose;
  }
  for (int panel = 0; panel < PANELS; panel++) {
    add_panel(w, panel, &limbs[panel == RIGHT ? 11 : 13]);
  }
  sew_shirt(w);
  must(cloth_group_bytes(&w->group, &w->bytes), "cloth_group_bytes");
  w->blocks[PANELS] = allocate_aligned(w->bytes, &w->memory);
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
  render_mesh meshes[PANELS + FIGURE_LIMBS];
  render_object objects[PANELS + FIGURE_LIMBS];
  for (int n = 0; n < PANELS + FIGURE_LIMBS; n++) {
    if (n < PANELS) {
      make_panel_mesh(&meshes[n], w->panels[n]);
    } else {
      cloth_collider shown = w->bodies[n - PANELS].collider;
      shown.radius *= 0.97f;
      shown.radius_top *= 0.97f;
      must(render_mesh_of_capsule(&meshes[n], &shown, 48) ? CLOTH_ERROR_ARENA : 0, "mesh");
    }
    objects[n].mesh = &meshes[n];
    objects[n].material = n >= PANELS ? skin : n >= LEFT ? sleeve : fabric;
  }
  const render_scene view = {.eye = {2.5f * cosine(turns), 1.35f, 2.5f * wave(turns)},
                             .target = {0.02f, 1.1f, 0},
                             .field_of_view = 0.46f,
                             .to_light = {0.8f * cosine(turns - 0.1f), 1.0f, 0.8f * wave(turns - 0.1f)},
                             .radius = 1.2f,
                             .floor_height = 0,
                             .objects = objects,
                             .object_count = PANELS + FIGURE_LIMBS,
                             .sketch = is_sketch};
  must(render_view(picture, area, &view) ? CLOTH_ERROR_ARENA : 0, "render_view");
  for (int n = 0; n < PANELS + FIGURE_LIMBS; n++) {
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

static float strain_between(const cloth *c, int32_t i, int32_t j) {
  cloth_vector a, b;
  must(cloth_get_position(c, i, &a), "cloth_get_position");
  must(cloth_get_position(c, j, &b), "cloth_get_position");
  return length(minus(a, b)) / SPACING - 1.0f;
}

static void count_spring(measures *m, float strain) {
  m->stretch = fmaxf(m->stretch, strain);
  m->springs++;
  m->long_springs += strain > 0.1f;
}

static void measure(const world *w, measures *m) {
  for (int n = 0; n < w->group.seam_count; n++) {
    float gap;
    must(cloth_group_seam_gap(&w->group, n, &gap), "cloth_group_seam_gap");
    m->gap = fmaxf(m->gap, gap / SPACING);
  }
  for (int panel = 0; panel < PANELS; panel++) {
    const int32_t columns = panel < LEFT ? COLUMNS : AROUND, rows = panel < LEFT ? ROWS : SLEEVE_ROWS;
    cloth_vector low, high;
    must(cloth_get_bounds(w->panels[panel], &low, &high), "cloth_get_bounds");
    m->lowest_hem = fminf(m->lowest_hem, low.y);
    for (int32_t i = 0; i < columns * rows; i++) {
      if (i % columns + 1 < columns) {
        count_spring(m, strain_between(w->panels[panel], i, i + 1));
      }
      if (i + columns < columns * rows) {
        count_spring(m, strain_between(w->panels[panel], i, i + columns));
      }
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
    if (frame >= 60) {
      measure(w, m);
    }
    for (int n = 0; n < MOMENTS; n++) {
      const rectangle area = {n * CELL, 0, CELL - 4, CELL - 4};
      if (frame == moments[n]) {
        draw(picture, area, w, 0.06f + 0.16f * (float)n, 0);
      }
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
  for (int n = 0; n <= PANELS; n++) {
    free(w.blocks[n]);
  }
  return held == 3 ? EXIT_SUCCESS : EXIT_FAILURE;
}
