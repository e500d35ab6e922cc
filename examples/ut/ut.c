/*
 * The student simulator of Sartor and Djeu ("Realistic Cloth Simulation", University of Texas, 2004) with this
 * library's public interface alone: springs that resist lengthening only, as stiff in shear as in stretch; borders ten
 * times as heavy; thirty steps a second of ten mini steps each, all explicit; and the limit of the speed that kept it
 * stable.
 *
 *     ut [DIRECTORY]     prints a table of what its scenes come to; writes ut.png there
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

enum { GRID = 15, COUNT = GRID * GRID, MINI_STEPS = 10, VIEWS = 4, VIEW = 320, RINGS = 20, SECTORS = 40 };

#define STEP (1.0f / 30.0f)
#define STIFFNESS 12.0f /* of all springs [N/m]: kappa 0.16 with mini steps of 1/300 s */
#define BORDER_MASS 10.0f
#define BALL_SPEED 5.0f /* of the cannonball [m/s] */

CLOTH_ALIGNED static unsigned char arena[1 << 18];
static image picture;
static int missed;

static void row(const char *what, const char *document, double ours, const char *unit, int holds) {
  printf("%-58s %-22s %10.4g %-5s %s\n", what, document, ours, unit, holds ? "ok" : "missed");
  missed += !holds;
}

/// The simulator ///

/* 1 m x 1 m, ten times as heavy at the borders. The last mini step's forces decide the next: BDF2 has no part in it. */
static cloth_config ut_config(float height) {
  static float masses[COUNT];
  cloth_config config = cloth_config_default();
  for (int i = 0; i < COUNT; i++) {
    const int column = i % GRID, line = i / GRID;
    const int is_border = column == 0 || line == 0 || column == GRID - 1 || line == GRID - 1;
    masses[i] = is_border ? BORDER_MASS : 1.0f;
  }
  config.columns = config.rows = GRID;
  config.origin = (cloth_vector){-0.5f, height, -0.5f};
  config.grid.mass_map = masses;
  config.grid.min_bending_length = 0.0f;
  config.fabric.density = 0.1875f;
  config.fabric.stretch_warp = config.fabric.stretch_weft = config.fabric.shear = STIFFNESS;
  config.fabric.compression = config.fabric.shear_compression = 0.0f;
  config.fabric.stretch_damping = config.fabric.shear_damping = 0.005f;
  config.fabric.bend = 1e-6f;
  config.integration.method = CLOTH_INTEGRATION_EXPLICIT_ONLY;
  config.integration.bdf2_blend = 0.0f;
  config.integration.max_speed = 20.0f;
  config.integration.velocity_damping = 0.3f;
  config.tethers.count = 0;
  config.substeps = MINI_STEPS;
  config.max_colliders = 3;
  return config;
}

static cloth *open_ut(const cloth_config *config) {
  cloth *sheet = NULL;
  must(cloth_init(config, arena, sizeof arena, &sheet), "cloth_init");
  return sheet;
}

static void add(cloth *sheet, cloth_collider body) {
  must(cloth_add_collider(sheet, &body), "cloth_add_collider");
}

static cloth_collider floor_at(float height) {
  cloth_collider body = cloth_collider_default();
  body.shape = CLOTH_SHAPE_PLANE;
  body.pose.position.y = height;
  return body;
}

static cloth_collider ball_at(float x, float y, float z, float radius, float friction) {
  cloth_collider body = cloth_collider_default();
  body.radius = radius;
  body.pose.position = (cloth_vector){x, y, z};
  body.static_friction = body.kinetic_friction = friction;
  return body;
}

static void step(cloth *sheet) {
  must(cloth_step(sheet, STEP), "cloth_step");
}

/* How deep the deepest particle is inside a ball [m], and how many are inside by more than a millimetre. */
static double depth_inside(const cloth *sheet, cloth_vector centre, float radius, int *inside) {
  double deepest = 0.0;
  *inside = 0;
  for (int i = 0; i < COUNT; i++) {
    cloth_vector p;
    must(cloth_get_position(sheet, i, &p), "cloth_get_position");
    const double x = (double)(p.x - centre.x), y = (double)(p.y - centre.y), z = (double)(p.z - centre.z);
    const double depth = (double)radius - sqrt(x * x + y * y + z * z);
    *inside += depth > 1e-3;
    deepest = fmax(deepest, depth);
  }
  return deepest;
}

/// Pictures ///

static void make_ball(render_mesh *mesh, cloth_vector centre, float radius) {
  must(render_mesh_create(mesh, (RINGS + 1) * (SECTORS + 1), 6 * RINGS * SECTORS), "mesh");
  int index = 0;
  for (int n = 0; n < (RINGS + 1) * (SECTORS + 1); n++) {
    const int ring = n / (SECTORS + 1), sector = n % (SECTORS + 1);
    const float down = 3.14159265f * (float)ring / RINGS, round = 6.28318531f * (float)sector / SECTORS;
    render_vertex *v = &mesh->vertices[n];
    v->normal = (cloth_vector){sinf(down) * sinf(round), cosf(down), sinf(down) * cosf(round)};
    v->position = (cloth_vector){centre.x + radius * v->normal.x, centre.y + radius * v->normal.y,
                                 centre.z + radius * v->normal.z};
    const uint32_t a = (uint32_t)n, below = a + SECTORS + 1;
    const uint32_t corners[6] = {a, below, a + 1, a + 1, below, below + 1};
    for (int k = 0; ring < RINGS && sector < SECTORS && k < 6; k++) {
      mesh->indices[index++] = corners[k];
    }
  }
}

/* Draws a sheet and a ball, a little smaller than it is so that it does not peek through, as the students did. */
static void draw(int view, const cloth *sheet, cloth_vector centre, float radius, const char *name) {
  static const cloth_vertex_layout layout = {sizeof(render_vertex), offsetof(render_vertex, position),
                                             offsetof(render_vertex, normal), offsetof(render_vertex, u)};
  static const render_material rug = {{0.55f, 0.12f, 0.10f}, {0.75f, 0.62f, 0.35f}, 10, 0.02f, 0.1f};
  static const render_material stone = {{0.45f, 0.43f, 0.40f}, {0.45f, 0.43f, 0.40f}, 0, 0.08f, 0};
  render_mesh mesh, ball;
  const int indices = cloth_get_index_count(sheet);
  must(render_mesh_create(&mesh, COUNT, indices), "mesh");
  must(cloth_write_indices32(sheet, 0, mesh.indices, (size_t)indices), "cloth_write_indices32");
  must(cloth_write_vertices(sheet, &layout, mesh.vertices, COUNT * sizeof(render_vertex)), "cloth_write_vertices");
  make_ball(&ball, centre, 0.97f * radius);
  const render_object objects[] = {{&mesh, rug}, {&ball, stone}};
  const render_scene scene = {.eye = {1.6f, 1.0f, 2.4f},
                              .target = {0, 0.1f, 0},
                              .field_of_view = 0.55f,
                              .to_light = {-0.6f, 1.0f, 0.5f},
                              .radius = 1.4f,
                              .floor_height = -0.6f,
                              .objects = objects,
                              .object_count = 2};
  const rectangle area = {view * VIEW, 0, VIEW - 4, VIEW};
  must(render_view(&picture, area, &scene), "render_view");
  image_text(&picture, area.x + 8, 8, 2, 0x30363c, name);
  render_mesh_destroy(&mesh);
  render_mesh_destroy(&ball);
}

/// Scenes ///

/* A sheet falls onto a ball on a box, for 30 s. */
static void box_and_sphere(void) {
  const cloth_config config = ut_config(0.5f);
  cloth *sheet = open_ut(&config);
  cloth_collider box = cloth_collider_default();
  box.shape = CLOTH_SHAPE_BOX;
  box.half_extents = (cloth_vector){0.3f, 0.15f, 0.3f};
  box.pose.position.y = -0.25f;
  add(sheet, floor_at(-0.6f));
  add(sheet, box);
  add(sheet, ball_at(0, 0.1f, 0, 0.2f, 0.5f));
  for (int n = 0; n < 900; n++) {
    step(sheet);
  }
  cloth_measures measures;
  must(cloth_measure(sheet, &measures), "cloth_measure");
  row("box and sphere: kinetic energy after 30 s", "< 1e-6", (double)measures.kinetic_energy, "J",
      measures.kinetic_energy < 1e-6f);
  draw(0, sheet, (cloth_vector){0, 0.1f, 0}, 0.2f, "box and sphere");
}

/* The same on a ball without friction, off its centre: nothing holds it. */
static void slippery_sphere(void) {
  const cloth_config config = ut_config(0.45f);
  cloth *sheet = open_ut(&config);
  cloth_statistics statistics;
  add(sheet, floor_at(-0.6f));
  add(sheet, ball_at(0.12f, 0, 0.07f, 0.25f, 0.0f));
  for (int n = 0; n < 150; n++) {
    step(sheet);
  }
  must(cloth_get_statistics(sheet, &statistics), "cloth_get_statistics");
  cloth_vector low, high;
  must(cloth_get_bounds(sheet, &low, &high), "cloth_get_bounds");
  row("sphere without friction, off centre: contacts after 5 s", "225", statistics.contacts, "",
      statistics.contacts == COUNT);
  row("the same: highest particle above the floor", "on the floor", (double)high.y + 0.6, "m", high.y < -0.5f);
}

/* Wind along x that comes and goes, most at the middle, by the angle at which it meets the sheet; three pins. */
static void blow(cloth *sheet, float time) {
  for (int i = 0; i < COUNT; i++) {
    cloth_vector normal;
    must(cloth_get_normal(sheet, i, &normal), "cloth_get_normal");
    const float x = (float)(i % GRID) / (GRID - 1) - 0.5f, y = (float)(i / GRID) / (GRID - 1) - 0.5f;
    const float share = 1.0f - sqrtf(x * x + y * y) / 0.70711f;
    const float force = 0.02f * sinf(time) * share * fabsf(normal.x);
    const int is_pinned = i < GRID && i % (GRID / 2) == 0;
    if (!is_pinned) {
      must(cloth_apply_impulse(sheet, i, (cloth_vector){force * STEP, 0, 0}), "cloth_apply_impulse");
    }
  }
}

static void wind_tunnel(void) {
  cloth_config config = ut_config(0.6f);
  config.origin = (cloth_vector){0, 0.6f, -0.5f};
  config.edge_warp = (cloth_vector){0, 0, 1.0f};
  config.edge_weft = (cloth_vector){0, -1.0f, 0};
  cloth *sheet = open_ut(&config);
  for (int column = 0; column < GRID; column += GRID / 2) {
    must(cloth_pin(sheet, column), "cloth_pin");
  }
  float furthest = 0.0f;
  for (int n = 0; n < 300; n++) {
    cloth_vector low, high;
    blow(sheet, STEP * (float)n);
    step(sheet);
    must(cloth_get_bounds(sheet, &low, &high), "cloth_get_bounds");
    furthest = fmaxf(furthest, high.x);
    if (n == 60) {
      draw(1, sheet, (cloth_vector){0, -5.0f, 0}, 0.1f, "wind tunnel");
    }
  }
  row("wind tunnel: how far the sheet is blown", "billows", (double)furthest, "m", furthest > 0.05f && furthest < 1.0f);
}

/* A ball at 5 m/s against a sheet that hangs by its upper edge. The limit of the speed comes after contact: where it is
   no more than what the ball needs, particles stay behind, inside. */
static void cannonball(float max_speed, int view) {
  cloth_config config = ut_config(0.5f);
  config.origin = (cloth_vector){-0.5f, 0.5f, 0};
  config.edge_weft = (cloth_vector){0, -1.0f, 0};
  config.integration.max_speed = max_speed;
  cloth *sheet = open_ut(&config);
  for (int column = 0; column < GRID; column++) {
    must(cloth_pin(sheet, column), "cloth_pin");
  }
  const float radius = 0.2f;
  cloth_collider ball = ball_at(0.02f, -0.03f, -0.5f, radius, 0.3f);
  add(sheet, ball);
  double deepest = 0.0;
  int most = 0;
  for (int n = 0; n < 6; n++) {
    int inside;
    ball.pose.position.z += BALL_SPEED * STEP;
    must(cloth_move_collider(sheet, 0, NULL, &ball.pose), "cloth_move_collider");
    step(sheet);
    deepest = fmax(deepest, depth_inside(sheet, ball.pose.position, radius, &inside));
    most = inside > most ? inside : most;
  }
  char what[80];
  snprintf(what, sizeof what, "ball at 5 m/s, speed limit %.0f m/s: deepest inside", (double)max_speed);
  if (max_speed < 15.0f) {
    row(what, max_speed < BALL_SPEED ? "inside" : "0.065..0.089", deepest, "m",
        deepest >= (max_speed < BALL_SPEED ? 0.01 : 0.065));
  } else {
    row(what, "none", deepest, "m", most == 0);
  }
  if (view >= 0) {
    draw(view, sheet, ball.pose.position, radius, max_speed < 15.0f ? "ball, limit 3 m/s" : "ball, limit 20 m/s");
  }
}

/* What borders ten times as heavy do to the weight. */
static void weights(void) {
  static const struct {
    int side;
    double document;
  } cases[] = {{15, 3.24}, {30, 2.16}, {45, 1.78}};
  for (int n = 0; n < 3; n++) {
    const int side = cases[n].side, border = 4 * (side - 1);
    const double ratio = (side * side - border + 10.0 * border) / (side * side);
    char what[80], document[16];
    snprintf(what, sizeof what, "borders ten times as heavy, %d x %d: weight over the sheet's", side, side);
    snprintf(document, sizeof document, "%.2f", cases[n].document);
    row(what, document, ratio, "", fabs(ratio - cases[n].document) < 0.006);
  }
}

int main(int count, char **arguments) {
  char path[512];
  snprintf(path, sizeof path, "%s/ut.png", count > 1 ? arguments[1] : ".");
  must(image_create(&picture, VIEWS * VIEW, VIEW, 0xffffff), "picture");
  printf("%-58s %-22s %10s\n", "what", "document", "ours");
  box_and_sphere();
  slippery_sphere();
  wind_tunnel();
  cannonball(5.0f, -1);
  cannonball(10.0f, -1);
  printf("  explained: this ball meets a sheet at rest squarely, which never has to be faster than the ball\n");
  cannonball(3.0f, 2);
  cannonball(20.0f, 3);
  weights();
  if (png_write(path, picture.width, picture.height, picture.rgb) != 0) {
    fprintf(stderr, "ut: cannot write %s\n", path);
    return EXIT_FAILURE;
  }
  printf("%d missed; written: %s\n", missed, path);
  image_destroy(&picture);
  return EXIT_SUCCESS;
}
