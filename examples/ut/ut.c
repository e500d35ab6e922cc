/*
 * The student simulator of Sartor and Djeu ("Realistic Cloth Simulation", University of Texas, 2004) with this
 * library's public interface alone: springs that resist lengthening only, as stiff in shear as in stretch; borders ten
 * times as heavy; thirty steps a second of explicit mini steps, twenty-four each where they had ten, as the library
 * refuses what is not stable; and a limit of the speed. Its scenes: a sheet falls onto a box, onto a ball, onto a ball
 * above a box; a wind tunnel, in which a cannonball follows.
 *
 *     ut [DIRECTORY]     prints a table of what the scenes come to; writes ut.png there. Fails if a row is missed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cloth.h"
#include "image.h"
#include "must.h"
#include "png.h"
#include "render.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { GRID = 15, MAX_GRID = 45, MAX_COUNT = MAX_GRID * MAX_GRID, COLUMNS = 4, VIEWS = 8, VIEW = 400 };
enum { MINI_STEPS = 24, THEIR_MINI_STEPS = 10 };
enum { MAX_BODIES = 3 };

#define STEP (1.0f / 30.0f)
#define STIFFNESS 12.0f /* of all springs [N/m]: kappa 0.044 with mini steps of 1/720 s */
#define DENSITY 0.1875f /* of the sheet without its heavy borders [kg/m^2] */
#define BORDER_MASS 10.0f
#define BALL_SPEED 5.0f /* of the cannonball [m/s] */
#define FLOOR -0.6f     /* height of the floor [m] */

CLOTH_ALIGNED static unsigned char arena[1 << 20];
static image picture;
static int missed;

static void row(const char *what, const char *document, double ours, const char *unit, int holds) {
  printf("%-64s %-22s %10.4g %-5s %s\n", what, document, ours, unit, holds ? "ok" : "missed");
  missed += !holds;
}

/// The simulator ///

/* A sheet of 1 m x 1 m that lies at a height. */
static cloth_config plain_config(int side, float height) {
  cloth_config config = cloth_config_default();
  config.columns = config.rows = side;
  config.origin = (cloth_vector){-0.5f, height, -0.5f};
  config.grid.min_bending_length = 0.0f;
  config.fabric.density = DENSITY;
  config.fabric.stretch_warp = config.fabric.stretch_weft = config.fabric.shear = STIFFNESS;
  config.fabric.compression = config.fabric.shear_compression = 0.0f;
  config.fabric.stretch_damping = config.fabric.shear_damping = 0.005f;
  config.fabric.bend = 1e-6f;
  config.integration.method = CLOTH_INTEGRATION_EXPLICIT_ONLY;
  config.integration.bdf2_blend = 0.0f; /* the forces of the last mini step alone decide the next */
  config.integration.max_speed = 20.0f;
  config.integration.velocity_damping = 0.3f;
  config.tethers.count = 0;
  config.substeps = MINI_STEPS;
  config.max_colliders = MAX_BODIES;
  config.capacity.pin_reactions = 1;
  return config;
}

/* The same with borders ten times as heavy. The map is for one config at a time. */
static cloth_config ut_config(int side, float height) {
  static float masses[MAX_COUNT];
  cloth_config config = plain_config(side, height);
  for (int i = 0; i < side * side; i++) {
    const int column = i % side, line = i / side;
    masses[i] = column == 0 || line == 0 || column == side - 1 || line == side - 1 ? BORDER_MASS : 1.0f;
  }
  config.grid.mass_map = masses;
  return config;
}

/* Hangs the sheet of a config by its upper border, in the plane x = 0 or z = 0. */
static void hang(cloth_config *config, int across_x) {
  config->origin = across_x ? (cloth_vector){0, config->origin.y, -0.5f} : (cloth_vector){-0.5f, config->origin.y, 0};
  config->edge_warp = across_x ? (cloth_vector){0, 0, 1.0f} : (cloth_vector){1.0f, 0, 0};
  config->edge_weft = (cloth_vector){0, -1.0f, 0};
}

static cloth *open_ut(const cloth_config *config) {
  cloth *sheet = NULL;
  must(cloth_init(config, arena, sizeof arena, &sheet), "cloth_init");
  return sheet;
}

static cloth_collider floor_body(void) {
  cloth_collider body = cloth_collider_default();
  body.shape = CLOTH_SHAPE_PLANE;
  body.pose.position.y = FLOOR;
  return body;
}

static cloth_collider box_at(float y, float half_width, float half_height) {
  cloth_collider body = cloth_collider_default();
  body.shape = CLOTH_SHAPE_BOX;
  body.half_extents = (cloth_vector){half_width, half_height, half_width};
  body.pose.position.y = y;
  return body;
}

static cloth_collider ball_at(float x, float y, float z, float radius, float friction) {
  cloth_collider body = cloth_collider_default();
  body.radius = radius;
  body.pose.position = (cloth_vector){x, y, z};
  body.static_friction = body.kinetic_friction = friction;
  return body;
}

static void steps(cloth *sheet, int count) {
  for (int n = 0; n < count; n++) {
    must(cloth_step(sheet, STEP), "cloth_step");
  }
}

static double kinetic_energy(const cloth *sheet) {
  cloth_measures measures;
  must(cloth_measure(sheet, &measures), "cloth_measure");
  return (double)measures.kinetic_energy;
}

/* How deep the deepest particle is inside a ball [m]; 0 if none is. */
static double depth_inside(const cloth *sheet, const cloth_collider *ball) {
  double deepest = 0.0;
  for (int i = 0; i < GRID * GRID; i++) {
    cloth_vector p;
    must(cloth_get_position(sheet, i, &p), "cloth_get_position");
    const double x = (double)(p.x - ball->pose.position.x), y = (double)(p.y - ball->pose.position.y),
                 z = (double)(p.z - ball->pose.position.z);
    deepest = fmax(deepest, (double)ball->radius - sqrt(x * x + y * y + z * z));
  }
  return deepest;
}

/// Pictures ///

/* Draws a sheet, and bodies a little smaller than they are so that they do not peek through, as the students did. */
static void draw(int view, const cloth *sheet, const cloth_collider *bodies, int body_count, const char *name) {
  static const cloth_vertex_layout layout = {sizeof(render_vertex), offsetof(render_vertex, position),
                                             offsetof(render_vertex, normal), offsetof(render_vertex, u)};
  static const render_material rug = {{0.55f, 0.12f, 0.10f}, {0.75f, 0.62f, 0.35f}, 10, 0.02f, 0.1f};
  static const render_material stone = {{0.45f, 0.43f, 0.40f}, {0.45f, 0.43f, 0.40f}, 0, 0.08f, 0};
  const float smaller = 0.94f;
  render_mesh meshes[1 + MAX_BODIES];
  render_object objects[1 + MAX_BODIES];
  const int indices = cloth_get_index_count(sheet);
  must(render_mesh_create(&meshes[0], GRID * GRID, indices), "mesh");
  must(cloth_write_indices32(sheet, 0, meshes[0].indices, (size_t)indices), "cloth_write_indices32");
  must(cloth_write_vertices(sheet, &layout, meshes[0].vertices, GRID * GRID * sizeof(render_vertex)),
       "cloth_write_vertices");
  objects[0] = (render_object){&meshes[0], rug};
  for (int n = 0; n < body_count; n++) {
    cloth_collider shown = bodies[n];
    shown.radius *= smaller;
    shown.half_extents.x *= smaller;
    shown.half_extents.y *= smaller;
    shown.half_extents.z *= smaller;
    must(render_mesh_from_collider(&meshes[1 + n], &shown), "mesh");
    objects[1 + n] = (render_object){&meshes[1 + n], stone};
  }
  const render_scene scene = {.eye = {1.9f, 1.1f, 2.5f},
                              .target = {0, 0.02f, 0},
                              .field_of_view = 0.5f,
                              .to_light = {-0.6f, 1.0f, 0.5f},
                              .radius = 1.4f,
                              .floor_height = FLOOR,
                              .objects = objects,
                              .object_count = 1 + body_count};
  const rectangle area = {view % COLUMNS * VIEW, view / COLUMNS * VIEW, VIEW - 4, VIEW - 4};
  must(render_view(&picture, area, &scene), "render_view");
  image_text(&picture, area.x + 8, area.y + 8, 2, 0x30363c, name);
  for (int n = 0; n <= body_count; n++) {
    render_mesh_destroy(&meshes[n]);
  }
}

/// Falling sheets ///

/* A sheet falls onto bodies above the floor. Returns it after some steps, drawn then. */
static cloth *drop(float height, const cloth_collider *bodies, int body_count, int count, int view, const char *name) {
  const cloth_config config = ut_config(GRID, height);
  cloth *sheet = open_ut(&config);
  const cloth_collider ground = floor_body();
  must(cloth_add_collider(sheet, &ground), "cloth_add_collider");
  for (int n = 0; n < body_count; n++) {
    must(cloth_add_collider(sheet, &bodies[n]), "cloth_add_collider");
  }
  steps(sheet, count);
  draw(view, sheet, bodies, body_count, name);
  return sheet;
}

static void box_drop(void) {
  const cloth_collider box = box_at(-0.2f, 0.3f, 0.2f);
  cloth *sheet = drop(0.4f, &box, 1, 60, 0, "box, 2 s");
  steps(sheet, 840);
  row("box: kinetic energy after 30 s", "comes to rest", kinetic_energy(sheet), "J", kinetic_energy(sheet) < 1e-6);
}

/* On a ball without friction, off its centre: nothing holds the sheet. */
static void ball_drop(void) {
  const cloth_collider ball = ball_at(0.12f, 0, 0.07f, 0.25f, 0.0f);
  cloth *sheet = drop(0.35f, &ball, 1, 17, 1, "ball without friction, .6 s");
  cloth_statistics statistics;
  cloth_vector low, high;
  steps(sheet, 133);
  must(cloth_get_statistics(sheet, &statistics), "cloth_get_statistics");
  must(cloth_get_bounds(sheet, &low, &high), "cloth_get_bounds");
  row("ball without friction, off centre: contacts after 5 s", "225", statistics.contacts, "",
      statistics.contacts == GRID * GRID);
  row("the same: highest particle above the floor", "on the floor", (double)(high.y - FLOOR), "m",
      high.y - FLOOR < 0.1f);
}

static void box_and_ball_drop(void) {
  const cloth_collider bodies[] = {box_at(-0.25f, 0.3f, 0.15f), ball_at(0, 0.1f, 0, 0.2f, 0.5f)};
  cloth *sheet = drop(0.5f, bodies, 2, 900, 2, "ball above a box, 30 s");
  row("ball above a box: kinetic energy after 30 s", "< 1e-6", kinetic_energy(sheet), "J",
      kinetic_energy(sheet) < 1e-6);
}

/// Wind tunnel and cannonball ///

/* Wind along x that comes and goes, most at the middle, by the angle at which it meets the sheet. */
static void blow(cloth *sheet, float time) {
  for (int i = 0; i < GRID * GRID; i++) {
    cloth_vector normal;
    must(cloth_get_normal(sheet, i, &normal), "cloth_get_normal");
    const float x = (float)(i % GRID) / (GRID - 1) - 0.5f, y = (float)(i / GRID) / (GRID - 1) - 0.5f;
    const float share = 1.0f - sqrtf(x * x + y * y) / 0.70711f;
    const float force = 0.02f * sinf(time) * share * fabsf(normal.x);
    const int is_pinned = i < GRID && i % (GRID / 2) == 0;
    if (!is_pinned) { must(cloth_apply_impulse(sheet, i, (cloth_vector){force * STEP, 0, 0}), "cloth_apply_impulse"); }
  }
}

/* The ball flies so many steps along x, from its pose on. Returns how deep a particle came inside of it [m]. */
static double shoot(cloth *sheet, cloth_collider *ball, int count) {
  double deepest = 0.0;
  for (int n = 0; n < count; n++) {
    ball->pose.position.x += BALL_SPEED * STEP;
    must(cloth_move_collider(sheet, 0, NULL, &ball->pose), "cloth_move_collider");
    steps(sheet, 1);
    deepest = fmax(deepest, depth_inside(sheet, ball));
  }
  return deepest;
}

/* A sheet on three pins in the wind, and after ten seconds a ball at 5 m/s. */
static void wind_tunnel(void) {
  cloth_config config = ut_config(GRID, 0.5f);
  hang(&config, 1);
  cloth *sheet = open_ut(&config);
  for (int column = 0; column < GRID; column += GRID / 2) {
    must(cloth_pin(sheet, column), "cloth_pin");
  }
  float furthest = 0.0f;
  for (int n = 0; n < 300; n++) {
    cloth_vector low, high;
    blow(sheet, STEP * (float)n);
    steps(sheet, 1);
    must(cloth_get_bounds(sheet, &low, &high), "cloth_get_bounds");
    furthest = fmaxf(furthest, high.x);
    if (n == 60) { draw(3, sheet, NULL, 0, "wind tunnel, 2 s"); }
  }
  row("wind tunnel: how far the sheet is blown", "billows", (double)furthest, "m", furthest > 0.05f && furthest < 1.0f);
  cloth_collider ball = ball_at(-1.2f, -0.1f, 0.03f, 0.2f, 0.3f);
  must(cloth_add_collider(sheet, &ball), "cloth_add_collider");
  const double deepest = shoot(sheet, &ball, 9);
  draw(4, sheet, &ball, 1, "then a cannonball");
  row("then a ball at 5 m/s: deepest particle inside of it", "none", deepest, "m", deepest < 1e-3);
}

/* A ball at 5 m/s against a sheet that hangs by its upper border, with a limit of the speed. */
static void limited_speed(float max_speed, int view, const char *name) {
  cloth_config config = ut_config(GRID, 0.5f);
  hang(&config, 1);
  config.integration.max_speed = max_speed;
  cloth *sheet = open_ut(&config);
  for (int column = 0; column < GRID; column++) {
    must(cloth_pin(sheet, column), "cloth_pin");
  }
  cloth_collider ball = ball_at(-0.5f, -0.03f, 0.02f, 0.2f, 0.3f);
  must(cloth_add_collider(sheet, &ball), "cloth_add_collider");
  const double deepest = shoot(sheet, &ball, 6);
  char what[80];
  snprintf(what, sizeof what, "ball at 5 m/s, speed limit %.0f m/s: deepest particle inside", (double)max_speed);
  row(what, max_speed < 15.0f ? "0.065..0.089: limit last" : "none", deepest, "m", deepest < 1e-3);
  if (view >= 0) { draw(view, sheet, &ball, 1, name); }
}

/// Heavy borders ///

/* The weight that pins along the upper border carry, over that of a sheet of even mass. Draws it in a view, if any. */
static double carried_weight(const cloth_config *config, int view, const char *name) {
  cloth *sheet = open_ut(config);
  for (int column = 0; column < config->columns; column++) {
    must(cloth_pin(sheet, column), "cloth_pin");
  }
  steps(sheet, 1200);
  double weight = 0.0;
  for (int column = 0; column < config->columns; column++) {
    cloth_vector impulse;
    must(cloth_get_pin_reaction(sheet, column, &impulse), "cloth_get_pin_reaction");
    weight -= (double)impulse.y / (double)STEP;
  }
  if (view >= 0) { draw(view, sheet, NULL, 0, name); }
  return weight / ((double)DENSITY * 9.81);
}

static void heavy_borders(void) {
  static const struct {
    int side;
    const char *document;
    double ratio;
  } cases[] = {{15, "3.24", 3.24}, {30, "2.16", 2.16}, {45, "1.78", 1.78}};
  char what[80];
  for (int n = 0; n < 3; n++) {
    cloth_config config = ut_config(cases[n].side, 0.5f);
    hang(&config, 0);
    config.substeps = MINI_STEPS * (1 + n); /* the particles of finer grids are lighter */
    const double ratio = carried_weight(&config, n == 0 ? 6 : -1, "borders ten times as heavy");
    snprintf(what, sizeof what, "borders ten times as heavy, %d x %d: weight over the sheet's", cases[n].side,
             cases[n].side);
    row(what, cases[n].document, ratio, "", fabs(ratio - cases[n].ratio) < 0.01 * cases[n].ratio);
  }
  cloth_config config = plain_config(GRID, 0.5f);
  hang(&config, 0);
  const double ratio = carried_weight(&config, 7, "even masses");
  row("even masses: weight that the pins carry over the sheet's", "1", ratio, "", fabs(ratio - 1.0) < 0.01);
}

/* The students thought that springs pull the border inwards, and made it heavy for that. */
static void free_sheet(void) {
  cloth_config config = plain_config(GRID, 0.0f);
  config.gravity = (cloth_vector){0, 0, 0};
  cloth *sheet = open_ut(&config);
  steps(sheet, 300);
  cloth_vector low, high;
  must(cloth_get_bounds(sheet, &low, &high), "cloth_get_bounds");
  row("even masses, no weight: width after 10 s", "shrinks", (double)(high.x - low.x), "m",
      fabsf(high.x - low.x - 1.0f) < 1e-3f);
}

/* Fewer mini steps are not stable, which a limit of the speed would hide. */
static void few_mini_steps(void) {
  cloth_config config = plain_config(GRID, 0.4f);
  config.substeps = 2;
  cloth *sheet = open_ut(&config);
  const int result = cloth_step(sheet, STEP);
  row("2 mini steps a step: the step's result", "limited speed", result, "", result == CLOTH_ERROR_UNSTABLE);
}

/// Times ///

/* Their times of 30 s of the box drop, over its steps, mini steps and particles, beside ours. No verdict: they name
   neither their machine nor their language. */
static void print_times(void) {
  static const struct {
    int side;
    double seconds;
  } document[] = {{15, 45.0}, {30, 134.0}, {45, 402.0}};
  const int frames = 900;
  printf("%-64s %-22s %10s\n", "box drop, 30 s: time a particle and mini step [us]; no verdict", "document, 2004",
         "ours");
  for (int n = 0; n < 3; n++) {
    const int side = document[n].side;
    cloth_config config = ut_config(side, 0.4f);
    config.substeps = MINI_STEPS * (1 + n); /* the particles of finer grids are lighter */
    cloth *sheet = open_ut(&config);
    const cloth_collider bodies[] = {floor_body(), box_at(-0.2f, 0.3f, 0.2f)};
    for (int k = 0; k < 2; k++) {
      must(cloth_add_collider(sheet, &bodies[k]), "cloth_add_collider");
    }
    const clock_t start = clock();
    steps(sheet, frames);
    const double seconds = (double)(clock() - start) / (double)CLOCKS_PER_SEC, particles = side * side;
    char what[80];
    snprintf(what, sizeof what, "%d x %d, %d mini steps a step (theirs: %d)", side, side, config.substeps,
             THEIR_MINI_STEPS);
    printf("%-64s %-22.1f %10.3f\n", what, 1e6 * document[n].seconds / (frames * THEIR_MINI_STEPS * particles),
           1e6 * seconds / (frames * config.substeps * particles));
  }
}

int main(int count, char **arguments) {
  char path[512];
  snprintf(path, sizeof path, "%s/ut.png", count > 1 ? arguments[1] : ".");
  must(image_create(&picture, COLUMNS * VIEW, VIEWS / COLUMNS * VIEW, 0xffffff), "picture");
  printf("%-64s %-22s %10s\n", "what", "document", "ours");
  box_drop();
  ball_drop();
  box_and_ball_drop();
  wind_tunnel();
  limited_speed(3.0f, 5, "ball, speed limit 3 m/s");
  limited_speed(5.0f, -1, NULL);
  limited_speed(10.0f, -1, NULL);
  limited_speed(20.0f, -1, NULL);
  heavy_borders();
  free_sheet();
  few_mini_steps();
  print_times();
  const int written = png_write(path, picture.width, picture.height, picture.rgb);
  printf("%d missed; %s: %s\n", missed, written == 0 ? "written" : "cannot write", path);
  image_destroy(&picture);
  return missed == 0 && written == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
