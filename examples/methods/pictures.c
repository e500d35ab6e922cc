/*
 * One scene by every combination of material, bending, time scheme, solver and contact that is not refused: a sheet
 * falls onto a ball that turns about its vertical axis. Below each picture: milliseconds of processor time a frame,
 * largest stretch of an edge, iterations of the solver a frame. STATIC, which has no friction and no time, is a sheet
 * held by two corners.
 *
 *     pictures FILE.png
 *
 * SPDX-License-Identifier: MIT
 */
#include "methods.h"

#include "image.h"
#include "must.h"
#include "png.h"
#include "render.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { GRID = 16, FRAMES = 75, SUBSTEPS = 4, EXPLICIT_SUBSTEPS = 60, CELL = 104, TEXT = 34, LEFT = 130, TOP = 40 };
enum { MATERIALS = 4, BENDINGS = 5, SCHEMES = 5, SOLVERS = 4, RINGS = 24, SECTORS = 48 };

#define BALL_RADIUS 0.25f
#define SIDE 1.0f

static const char *const materials[MATERIALS] = {"springs", "unprojected", "conditions", "trisprings"};
static const char *const bendings[BENDINGS] = {"no bending", "springs", "quadratic", "plane", "hinge"};
static const char *const schemes[SCHEMES] = {"explicit", "Euler", "BDF2", "IMEX2", "static"};
static const char *const solvers[SOLVERS] = {"gradients", "components", "nonlinear", "sweeps"};

static const render_material fabric = {{0.62f, 0.30f, 0.16f}, {0.52f, 0.42f, 0.30f}, 8, 0.02f, 0.15f};
static const render_material stone = {{0.45f, 0.43f, 0.40f}, {0.35f, 0.33f, 0.31f}, 12, 0.08f, 0};

/* Where the last step of a sheet at rest has moved something farther [m], or forces would give a particle a larger
   acceleration [m/s^2], it is not at rest. */
#define MOVED_MOST 1.0e-4f
#define ACCELERATION_MOST 1.0f

typedef struct outcome {
  float milliseconds, stretch;
  int iterations, is_unsettled;
} outcome;

static unsigned char *must_allocate(size_t bytes) {
  unsigned char *block = (unsigned char *)calloc(1, bytes + CLOTH_ALIGNMENT);
  must(block ? 0 : CLOTH_ERROR_ARENA, "out of memory");
  return block;
}

static void *aligned(unsigned char *block) {
  return block + CLOTH_ALIGNMENT - (uintptr_t)block % CLOTH_ALIGNMENT;
}

/// The scene ///

static cloth_config scene_config(const cloth_method *method) {
  cloth_config config = cloth_config_default();
  config.columns = config.rows = GRID;
  config.origin = (cloth_vector){-0.5f * SIDE, 0.02f, -0.5f * SIDE};
  config.edge_warp = (cloth_vector){SIDE, 0, 0};
  config.edge_weft = (cloth_vector){0, 0, SIDE};
  config.fabric.stretch_warp = config.fabric.stretch_weft = 300.0f;
  config.fabric.shear = 200.0f;
  config.fabric.bend = 2e-4f;
  config.fabric.stretch_damping = config.fabric.shear_damping = 0.02f;
  config.fabric.bend_damping = 0.01f;
  config.grid.min_bending_length = 0.0f;
  config.integration.bdf2_blend = 0.0f;
  config.integration.velocity_damping = 0.5f;
  config.tethers.count = 0;
  config.max_colliders = 1;
  config.substeps = method->scheme == CLOTH_SCHEME_EXPLICIT ? EXPLICIT_SUBSTEPS : SUBSTEPS;
  config.integration.max_substeps = EXPLICIT_SUBSTEPS;
  return config;
}

static void add_ball(cloth *sheet, const cloth_method *method) {
  cloth_collider ball = cloth_collider_default();
  ball.radius = BALL_RADIUS;
  ball.pose.position.y = -BALL_RADIUS;
  ball.static_friction = ball.kinetic_friction = method->scheme == CLOTH_SCHEME_STATIC ? 0.0f : 0.6f;
  must(cloth_add_collider(sheet, &ball), "cloth_add_collider");
}

/* The ball turns by a quarter of a turn a second, after half a second. */
static void turn_ball(cloth *sheet, int frame) {
  const float angle = 0.5f * 1.5707963f * fmaxf((float)frame / 60.0f - 0.5f, 0.0f);
  const cloth_pose pose = {{0, -BALL_RADIUS, 0}, {0, sinf(angle), 0, cosf(angle)}};
  must(cloth_move_collider(sheet, 0, NULL, &pose), "cloth_move_collider");
}

static float largest_stretch(const cloth *sheet) {
  cloth_measures measures;
  must(cloth_measure(sheet, &measures), "cloth_measure");
  return measures.max_stretch;
}

static outcome run(cloth *sheet, const cloth_method *method, void *memory, size_t bytes) {
  outcome seen = {0, 0, 0, 0};
  cloth_method_report report;
  const clock_t start = clock();
  if (method->scheme == CLOTH_SCHEME_STATIC) {
    must(cloth_pin(sheet, 0), "cloth_pin");
    must(cloth_pin(sheet, GRID - 1), "cloth_pin");
    must(cloth_method_settle(sheet, method, memory, bytes, &report), "cloth_method_settle");
    seen.iterations = report.iterations;
    seen.is_unsettled = report.moved > MOVED_MOST || report.acceleration > ACCELERATION_MOST;
  }
  for (int frame = 0; method->scheme != CLOTH_SCHEME_STATIC && frame < FRAMES; frame++) {
    turn_ball(sheet, frame);
    must(cloth_method_step(sheet, method, 1.0f / 60.0f, memory, bytes, &report), "cloth_method_step");
    seen.iterations += report.iterations;
  }
  const int frames = method->scheme == CLOTH_SCHEME_STATIC ? 1 : FRAMES;
  seen.milliseconds = 1000.0f * (float)(clock() - start) / (float)CLOCKS_PER_SEC / (float)frames;
  seen.iterations /= frames;
  seen.stretch = largest_stretch(sheet);
  return seen;
}

/// Pictures ///

static void make_ball(render_mesh *mesh) {
  must(render_mesh_create(mesh, (RINGS + 1) * (SECTORS + 1), 6 * RINGS * SECTORS), "mesh");
  int index = 0;
  for (int i = 0; i <= RINGS; i++) {
    for (int k = 0; k <= SECTORS; k++) {
      const float down = 3.14159265f * (float)i / RINGS, round = 6.28318531f * (float)k / SECTORS;
      render_vertex *v = &mesh->vertices[i * (SECTORS + 1) + k];
      v->normal = (cloth_vector){sinf(down) * sinf(round), cosf(down), sinf(down) * cosf(round)};
      v->position =
          (cloth_vector){BALL_RADIUS * v->normal.x, BALL_RADIUS * (v->normal.y - 1.0f), BALL_RADIUS * v->normal.z};
      v->u = (float)k / SECTORS;
      v->v = (float)i / RINGS;
      const uint32_t a = (uint32_t)(i * (SECTORS + 1) + k), below = a + SECTORS + 1;
      const uint32_t corners[6] = {a, below, a + 1, a + 1, below, below + 1};
      for (int n = 0; i < RINGS && k < SECTORS && n < 6; n++) {
        mesh->indices[index++] = corners[n];
      }
    }
  }
}

static void draw(image *picture, rectangle area, const cloth *sheet, const render_mesh *ball) {
  static const cloth_vertex_layout layout = {sizeof(render_vertex), offsetof(render_vertex, position),
                                             offsetof(render_vertex, normal), offsetof(render_vertex, u)};
  render_mesh mesh;
  const int indices = cloth_get_index_count(sheet);
  must(render_mesh_create(&mesh, GRID * GRID, indices), "mesh");
  must(cloth_write_indices32(sheet, 0, mesh.indices, (size_t)indices), "cloth_write_indices32");
  must(cloth_write_vertices(sheet, &layout, mesh.vertices, GRID * GRID * sizeof(render_vertex)),
       "cloth_write_vertices");
  const render_object objects[] = {{&mesh, fabric}, {ball, stone}};
  const render_scene view = {.eye = {0.9f, 0.55f, 2.1f},
                             .target = {0, -0.3f, 0},
                             .field_of_view = 0.5f,
                             .to_light = {-0.7f, 1.0f, 0.45f},
                             .radius = 1.2f,
                             .floor_height = -1.05f,
                             .objects = objects,
                             .object_count = 2};
  must(render_view(picture, area, &view), "render_view");
  render_mesh_destroy(&mesh);
}

/* Time and iterations in few digits: a picture is 16 characters wide. */
static void write_costs(char *line, size_t bytes, const outcome *seen) {
  const double milliseconds = (double)seen->milliseconds;
  char count[16];
  const int is_many = seen->iterations >= 10000;
  snprintf(count, sizeof count, is_many ? "%dk it" : "%d it",
           is_many ? (seen->iterations + 500) / 1000 : seen->iterations);
  snprintf(line, bytes, milliseconds < 1000.0 ? "%.3g ms  %s" : "%.1f s  %s",
           milliseconds < 1000.0 ? milliseconds : 1e-3 * milliseconds, count);
}

/* Runs one combination and draws it; a refused one stays empty. Returns 1 if it was drawn. */
static int draw_combination(image *picture, const cloth_method *method, int column, int row, const render_mesh *ball) {
  const cloth_config config = scene_config(method);
  cloth_memory spans;
  size_t bytes = 0;
  must(cloth_memory_needed(&config, &spans), "cloth_memory_needed");
  unsigned char *block = must_allocate(spans.total_bytes);
  cloth *sheet;
  must(cloth_init(&config, aligned(block), spans.total_bytes, &sheet), "cloth_init");
  add_ball(sheet, method);
  const int is_drawn = cloth_method_memory(sheet, method, &bytes) == CLOTH_OK;
  if (is_drawn) {
    unsigned char *memory = must_allocate(bytes);
    const outcome seen = run(sheet, method, aligned(memory), bytes);
    const rectangle area = {LEFT + column * CELL, TOP + row * (CELL + TEXT), CELL - 4, CELL - 4};
    char line[40];
    draw(picture, area, sheet, ball);
    write_costs(line, sizeof line, &seen);
    image_text(picture, area.x + 2, area.y + CELL, 1, 0x30363c, line);
    snprintf(line, sizeof line, "stretch %.1f %%", 100.0 * (double)seen.stretch);
    image_text(picture, area.x + 2, area.y + CELL + 12, 1,
               seen.stretch > 0.1f || seen.is_unsettled ? 0xb03020 : 0x30363c, line);
    free(memory);
  }
  free(block);
  return is_drawn;
}

static void label_columns(image *picture) {
  for (int column = 0; column < MATERIALS * BENDINGS; column++) {
    const int x = LEFT + column * CELL + 2;
    image_text(picture, x, 6, 1, 0x30363c, materials[column / BENDINGS]);
    image_text(picture, x, 20, 1, 0x30363c, bendings[column % BENDINGS]);
  }
}

/* What the pictures of a row have in common. */
typedef struct row_choice {
  int scheme, solver, contact;
  int self; /* a cloth_self_response */
} row_choice;

/* Every row with a combination. Explicit steps have no solver. */
static const row_choice choices[] = {
    {CLOTH_SCHEME_EXPLICIT, CLOTH_SOLVER_GRADIENTS, CLOTH_CONTACT_PROJECTION, CLOTH_SELF_NONE},
    {CLOTH_SCHEME_EULER, CLOTH_SOLVER_GRADIENTS, CLOTH_CONTACT_PROJECTION, CLOTH_SELF_NONE},
    {CLOTH_SCHEME_EULER, CLOTH_SOLVER_COMPONENTS, CLOTH_CONTACT_PROJECTION, CLOTH_SELF_NONE},
    {CLOTH_SCHEME_EULER, CLOTH_SOLVER_NONLINEAR, CLOTH_CONTACT_PROJECTION, CLOTH_SELF_NONE},
    {CLOTH_SCHEME_EULER, CLOTH_SOLVER_SWEEPS, CLOTH_CONTACT_PROJECTION, CLOTH_SELF_NONE},
    {CLOTH_SCHEME_BDF2, CLOTH_SOLVER_GRADIENTS, CLOTH_CONTACT_PROJECTION, CLOTH_SELF_NONE},
    {CLOTH_SCHEME_BDF2, CLOTH_SOLVER_COMPONENTS, CLOTH_CONTACT_PROJECTION, CLOTH_SELF_NONE},
    {CLOTH_SCHEME_BDF2, CLOTH_SOLVER_NONLINEAR, CLOTH_CONTACT_PROJECTION, CLOTH_SELF_NONE},
    {CLOTH_SCHEME_BDF2, CLOTH_SOLVER_SWEEPS, CLOTH_CONTACT_PROJECTION, CLOTH_SELF_NONE},
    {CLOTH_SCHEME_IMEX2, CLOTH_SOLVER_GRADIENTS, CLOTH_CONTACT_PROJECTION, CLOTH_SELF_NONE},
    {CLOTH_SCHEME_IMEX2, CLOTH_SOLVER_COMPONENTS, CLOTH_CONTACT_PROJECTION, CLOTH_SELF_NONE},
    {CLOTH_SCHEME_IMEX2, CLOTH_SOLVER_NONLINEAR, CLOTH_CONTACT_PROJECTION, CLOTH_SELF_NONE},
    {CLOTH_SCHEME_EULER, CLOTH_SOLVER_GRADIENTS, CLOTH_CONTACT_SOLVER, CLOTH_SELF_NONE},
    {CLOTH_SCHEME_EULER, CLOTH_SOLVER_COMPONENTS, CLOTH_CONTACT_SOLVER, CLOTH_SELF_NONE},
    {CLOTH_SCHEME_BDF2, CLOTH_SOLVER_GRADIENTS, CLOTH_CONTACT_SOLVER, CLOTH_SELF_NONE},
    {CLOTH_SCHEME_BDF2, CLOTH_SOLVER_COMPONENTS, CLOTH_CONTACT_SOLVER, CLOTH_SELF_NONE},
    {CLOTH_SCHEME_IMEX2, CLOTH_SOLVER_GRADIENTS, CLOTH_CONTACT_SOLVER, CLOTH_SELF_NONE},
    {CLOTH_SCHEME_IMEX2, CLOTH_SOLVER_COMPONENTS, CLOTH_CONTACT_SOLVER, CLOTH_SELF_NONE},
    {CLOTH_SCHEME_EULER, CLOTH_SOLVER_GRADIENTS, CLOTH_CONTACT_PROJECTION, CLOTH_SELF_IMPULSES},
    {CLOTH_SCHEME_BDF2, CLOTH_SOLVER_GRADIENTS, CLOTH_CONTACT_PROJECTION, CLOTH_SELF_IMPULSES},
    {CLOTH_SCHEME_STATIC, CLOTH_SOLVER_GRADIENTS, CLOTH_CONTACT_PROJECTION, CLOTH_SELF_NONE},
    {CLOTH_SCHEME_STATIC, CLOTH_SOLVER_NONLINEAR, CLOTH_CONTACT_PROJECTION, CLOTH_SELF_NONE},
};
enum { ROWS = sizeof choices / sizeof choices[0] };

/* A row of pictures. Returns how many combinations it has. */
static int draw_row(image *picture, const row_choice *choice, int row, const render_mesh *ball) {
  const int scheme = choice->scheme, solver = choice->solver, y = TOP + row * (CELL + TEXT) + CELL / 2;
  int drawn = 0;
  for (int column = 0; column < MATERIALS * BENDINGS; column++) {
    cloth_method method = cloth_method_default();
    method.material = column / BENDINGS;
    method.bending = column % BENDINGS;
    method.scheme = scheme;
    method.solver = solver;
    method.contact = choice->contact;
    method.iterations = solver == CLOTH_SOLVER_SWEEPS ? 30 : scheme == CLOTH_SCHEME_STATIC ? 400 : 100;
    method.self = choice->self;
    method.lambda = 150.0f;
    method.mu = 100.0f;
    drawn += draw_combination(picture, &method, column, row, ball);
  }
  const char *const by = choice->contact == CLOTH_CONTACT_SOLVER ? "contact in solver"
                         : choice->self                          ? "self: impulses"
                                                                 : "";
  image_text(picture, 10, y, 2, 0x30363c, schemes[scheme]);
  image_text(picture, 10, y + 22, 1, 0x30363c, scheme == CLOTH_SCHEME_EXPLICIT ? "" : solvers[solver]);
  image_text(picture, 10, y + 34, 1, 0x30363c, by);
  printf("%s, %s%s%s: %d combinations\n", schemes[scheme], solvers[solver], by[0] ? ", " : "", by, drawn);
  return drawn;
}

int main(int count, char **arguments) {
  image picture;
  render_mesh ball;
  int total = 0;
  if (count != 2) {
    fprintf(stderr, "usage: pictures FILE.png\n");
    return EXIT_FAILURE;
  }
  must(image_create(&picture, LEFT + MATERIALS * BENDINGS * CELL, TOP + ROWS * (CELL + TEXT), 0xffffff), "picture");
  make_ball(&ball);
  label_columns(&picture);
  for (int row = 0; row < ROWS; row++) {
    total += draw_row(&picture, &choices[row], row, &ball);
  }
  if (png_write(arguments[1], picture.width, picture.height, picture.rgb) != 0) {
    fprintf(stderr, "pictures: cannot write %s\n", arguments[1]);
    return EXIT_FAILURE;
  }
  printf("%d combinations, written: %s\n", total, arguments[1]);
  render_mesh_destroy(&ball);
  image_destroy(&picture);
  return EXIT_SUCCESS;
}
