/*
 * Cloth and the bodies of another engine, Bullet, that move each other: a trampoline, a hammock, a ball caught in a
 * net, and a flag that drags a boat. Prints a table of goals, and writes pictures and plots of the energy to a
 * directory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "engine.h"
#include "image.h"
#include "plot.h"
#include "png.h"
#include "render.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME (1.0f / 60.0f)
#define GRAVITY 9.81
#define FRICTION 0.6f /* of bodies on the floor */

enum { MOST_FRAMES = 1200, MOMENTS = 3, VIEW_WIDTH = 420, VIEW_HEIGHT = 360 };

CLOTH_ALIGNED static unsigned char arena[1 << 20];

/* One body of the engine and the cloth that it meets. */
typedef struct coupled {
  const char *name;
  cloth *sheet;
  engine *world;
  int columns, rows;
  int collider, number; /* of the body in the cloth, and in the engine */
  cloth_collider shape;
  cloth_body body;
  engine_motion motion;
  double impulse[3];            /* of the cloth on the body so far [N s] */
  double touched[3];            /* of everything but cloth and gravity on it [N s] */
  float energy[2][MOST_FRAMES]; /* of the body, and of both [J] */
  int frames;
} coupled;

/// The recipe of docs/guide.md ///

static cloth_vector combined(cloth_vector a, cloth_vector b, float factor) {
  const cloth_vector v = {a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z};
  return v;
}

static void add_to(double sum[3], cloth_vector a, double factor) {
  sum[0] += factor * (double)a.x;
  sum[1] += factor * (double)a.y;
  sum[2] += factor * (double)a.z;
}

static void couple_step(coupled *k) {
  const engine_motion before = engine_get(k->world, k->number);
  cloth_pose pose = before.pose;
  cloth_body body = k->body;
  body.velocity = before.velocity;
  body.spin = before.spin;
  cloth_move_collider(k->sheet, k->collider, &pose, &pose);
  cloth_set_body(k->sheet, k->collider, &body);
  cloth_step(k->sheet, FRAME);
  cloth_get_body(k->sheet, k->collider, &body, &pose);
  /* The engine goes the way that the cloth has found, unless something stands in it. */
  const cloth_vector way = combined(pose.position, before.pose.position, -1.0f), none = {0.0f, 0.0f, 0.0f};
  const cloth_vector velocity = combined(none, way, 1.0f / FRAME);
  const cloth_vector spin = combined(combined(none, before.spin, 0.5f), body.spin, 0.5f);
  engine_set_velocity(k->world, k->number, velocity, spin);
  engine_step(k->world, FRAME);
  const engine_motion after = engine_get(k->world, k->number);
  engine_set_velocity(k->world, k->number, combined(combined(body.velocity, after.velocity, 1.0f), velocity, -1.0f),
                      combined(combined(body.spin, after.spin, 1.0f), spin, -1.0f));
  k->motion = engine_get(k->world, k->number);
  cloth_reaction reaction;
  cloth_get_collider_reaction(k->sheet, k->collider, &reaction);
  add_to(k->impulse, reaction.impulse, 1.0);
  add_to(k->touched, combined(after.velocity, velocity, -1.0f), (double)body.mass);
}

static double squared(cloth_vector a) {
  return (double)a.x * (double)a.x + (double)a.y * (double)a.y + (double)a.z * (double)a.z;
}

/* Takes down the energies of this frame. */
static void record(coupled *k) {
  cloth_measures m;
  cloth_measure(k->sheet, &m);
  const double mass = (double)k->body.mass;
  double energy = 0.5 * mass * squared(k->motion.velocity) + mass * GRAVITY * (double)k->motion.pose.position.y;
  energy += 0.5 * (double)k->body.inertia.x * squared(k->motion.spin);
  k->energy[0][k->frames] = (float)energy;
  energy += (double)m.kinetic_energy + (double)m.elastic_energy + (double)m.potential_energy;
  k->energy[1][k->frames++] = (float)energy;
}

/// Pictures ///

static int sheet_mesh(const coupled *k, render_mesh *mesh) {
  const cloth_vertex_layout layout = {sizeof(render_vertex), offsetof(render_vertex, position),
                                      offsetof(render_vertex, normal), offsetof(render_vertex, u)};
  const int vertices = k->columns * k->rows, indices = cloth_get_index_count(k->sheet);
  if (render_mesh_create(mesh, vertices, indices)) return -1;
  cloth_write_vertices(k->sheet, &layout, mesh->vertices, (size_t)vertices * sizeof *mesh->vertices);
  return cloth_write_indices32(k->sheet, 0, mesh->indices, (size_t)indices);
}

static void draw(const coupled *k, image *picture, int moment, cloth_vector eye, cloth_vector target) {
  const rectangle area = {moment * VIEW_WIDTH, 0, VIEW_WIDTH, VIEW_HEIGHT};
  render_mesh meshes[2];
  memset(meshes, 0, sizeof meshes);
  cloth_collider shape = k->shape;
  shape.pose = k->motion.pose;
  const render_material cloth_look = {{0.55f, 0.12f, 0.10f}, {0.60f, 0.35f, 0.15f}, 12.0f, 0.1f, 0.2f};
  const render_material body_look = {{0.15f, 0.25f, 0.45f}, {0.15f, 0.25f, 0.45f}, 0.0f, 0.6f, 0.0f};
  if (!sheet_mesh(k, &meshes[0]) && !render_mesh_from_collider(&meshes[1], &shape)) {
    const render_object objects[] = {{&meshes[0], cloth_look}, {&meshes[1], body_look}};
    const render_scene scene = {.eye = eye,
                                .target = target,
                                .field_of_view = 0.75f,
                                .to_light = {0.4f, 1.0f, 0.6f},
                                .radius = 4.0f,
                                .floor_height = 0.0f,
                                .objects = objects,
                                .object_count = 2};
    render_view(picture, area, &scene);
  }
  render_mesh_destroy(&meshes[0]);
  render_mesh_destroy(&meshes[1]);
}

static void write_image(image *picture, const char *directory, const char *name, const char *kind) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s%s.png", directory, name, kind);
  if (png_write(path, picture->width, picture->height, picture->rgb)) printf("cannot write %s\n", path);
  image_destroy(picture);
}

static void write_plot(const coupled *k, const char *directory) {
  image picture;
  const plot_panel panels[] = {
      {"energy [J]", {{"body", k->energy[0], 0x1f77b4}, {"body and cloth", k->energy[1], 0xd62728}}, 2}};
  const plot p = {.title = k->name,
                  .x_label = "time [s]",
                  .x_step = FRAME,
                  .samples = k->frames,
                  .panels = panels,
                  .panel_count = 1};
  if (!image_create(&picture, 900, 420, 0xffffff)) {
    plot_draw(&picture, &p);
    write_image(&picture, directory, k->name, "_energy");
  }
}

/// Scenes ///

static int missed;

static void line(const char *scene, const char *what, double measured, double low, double high) {
  const int holds = measured >= low && measured <= high;
  printf("%-12s %-58s %9.3f %9.3f to %8.3f  %s\n", scene, what, measured, low, high, holds ? "ok" : "missed");
  missed += !holds;
}

/* Makes a scene: a sheet of a config, a body of a mass, and a floor with friction. */
static coupled *begin(const char *name, const cloth_config *config, const cloth_collider *shape, float mass,
                      cloth_vector velocity, float friction) {
  static coupled k;
  memset(&k, 0, sizeof k);
  k.name = name;
  k.columns = config->columns;
  k.rows = config->rows;
  k.shape = *shape;
  k.body = cloth_body_default(shape, mass);
  k.body.velocity = velocity;
  if (cloth_init(config, arena, sizeof arena, &k.sheet) != CLOTH_OK) {
    char text[128];
    cloth_config_explain(config, text, sizeof text);
    printf("%s: %s\n", name, text);
    exit(1);
  }
  k.world = engine_create(0.0f, friction);
  k.number = engine_add(k.world, shape, &k.body);
  k.collider = cloth_add_collider(k.sheet, shape);
  k.motion = engine_get(k.world, k.number);
  cloth_set_body(k.sheet, k.collider, &k.body);
  return &k;
}

/* The largest difference of the body's momentum from what cloth, gravity and the engine's contacts gave it, over the
   largest momentum that it could have had. */
static double imbalance(const coupled *k, cloth_vector start, double scale) {
  const double mass = (double)k->body.mass;
  const double v[3] = {(double)k->motion.velocity.x, (double)k->motion.velocity.y, (double)k->motion.velocity.z};
  const double v0[3] = {(double)start.x, (double)start.y, (double)start.z};
  const double fall = (double)k->body.gravity * GRAVITY * k->frames / 60.0;
  double worst = 0.0;
  for (int n = 0; n < 3; n++) {
    const double expected = k->impulse[n] + k->touched[n] - (n == 1 ? mass * fall : 0.0);
    worst = fmax(worst, fabs(mass * (v[n] - v0[n]) - expected));
  }
  return worst / (mass * scale);
}

static cloth_config canvas(int columns, int rows) {
  cloth_config config = cloth_config_default();
  cloth_fabric_preset(CLOTH_FABRIC_CANVAS, &config.fabric);
  config.columns = columns;
  config.rows = rows;
  config.capacity.max_bodies = 1;
  config.capacity.max_attachments = 64;
  config.capacity.pin_reactions = 1;
  return config;
}

static double pins_pull_down(const coupled *k) {
  double sum = 0.0;
  for (int i = 0; i < k->columns * k->rows; i++) {
    cloth_vector impulse;
    if (cloth_get_pin_reaction(k->sheet, i, &impulse) == CLOTH_OK) sum -= (double)impulse.y;
  }
  return sum;
}

static void trampoline(const char *directory) {
  cloth_config config = canvas(33, 33);
  config.fabric.stretch_warp = config.fabric.stretch_weft = 3000.0f;
  config.edge_warp = (cloth_vector){3.0f, 0.0f, 0.0f};
  config.edge_weft = (cloth_vector){0.0f, 0.0f, 3.0f};
  config.origin = (cloth_vector){-1.5f, 1.2f, -1.5f};
  cloth_collider ball = cloth_collider_default();
  ball.pose.position = (cloth_vector){0.0f, 2.7f, 0.0f};
  coupled *k = begin("trampoline", &config, &ball, 10.0f, (cloth_vector){0.0f, 0.0f, 0.0f}, FRICTION);
  for (int i = 0; i < 33 * 33; i++)
    if (i % 33 == 0 || i % 33 == 32 || i < 33 || i >= 32 * 33) cloth_pin(k->sheet, i);
  image picture;
  const int drawn = !image_create(&picture, MOMENTS * VIEW_WIDTH, VIEW_HEIGHT, 0xffffff);
  double peak = 2.7, first = 0.0, rise = 0.0, lowest = 2.7, before = 0.0, height = 2.7;
  int peaks = 0;
  for (int frame = 0; frame < 600; frame++) {
    couple_step(k);
    record(k);
    const double v = (double)k->motion.velocity.y;
    if (before > 0.0 && v <= 0.0) {
      rise = fmax(rise, height - peak);
      peak = fmin(peak, height);
      first = peaks++ == 0 ? height : first;
    }
    before = v;
    height = (double)k->motion.pose.position.y;
    lowest = fmin(lowest, height);
    const int moments[MOMENTS] = {20, 42, 66};
    for (int n = 0; n < MOMENTS; n++)
      if (drawn && frame == moments[n])
        draw(k, &picture, n, (cloth_vector){2.6f, 2.6f, 4.2f}, (cloth_vector){0.0f, 1.2f, 0.0f});
  }
  if (drawn) write_image(&picture, directory, k->name, "");
  write_plot(k, directory);
  line(k->name, "ball of 10 kg: rise from peak to peak [m]", rise, 0.0, 0.01);
  line(k->name, "first rebound over the drop, both to the lowest point", (first - lowest) / (2.7 - lowest), 0.3, 1.0);
  line(k->name, "lowest point of the ball's middle, above the floor [m]", lowest, 0.25, 1.45);
  line(k->name, "imbalance of momentum over weight of ten seconds", imbalance(k, k->body.velocity, 98.1), 0.0, 0.01);
  engine_destroy(k->world);
}

static void hammock(const char *directory) {
  cloth_config config = canvas(33, 17);
  config.edge_warp = (cloth_vector){2.6f, 0.0f, 0.0f};
  config.edge_weft = (cloth_vector){0.0f, 0.0f, 1.4f};
  config.origin = (cloth_vector){-1.3f, 1.6f, -0.7f};
  config.integration.velocity_damping = 1.0f;
  cloth_collider sleeper = cloth_collider_default();
  sleeper.shape = CLOTH_SHAPE_CAPSULE;
  sleeper.radius = sleeper.radius_top = 0.18f;
  sleeper.half_height = 0.6f;
  sleeper.pose.position = (cloth_vector){0.0f, 1.95f, 0.0f};
  sleeper.pose.rotation = (cloth_rotation){0.0f, 0.0f, 0.70710678f, 0.70710678f};
  coupled *k = begin("hammock", &config, &sleeper, 70.0f, (cloth_vector){0.0f, 0.0f, 0.0f}, FRICTION);
  for (int row = 0; row < 17; row++) { /* both ends are gathered, so that it sags */
    for (int end = 0; end < 2; end++) {
      const int i = cloth_particle_at(k->sheet, end * 32, row);
      const float across = 0.5f * ((float)row / 16.0f - 0.5f);
      cloth_pin(k->sheet, i);
      cloth_set_particle(k->sheet, i, (cloth_vector){end ? 1.15f : -1.15f, 1.6f, across}, (cloth_vector){0, 0, 0});
    }
  }
  image picture;
  const int drawn = !image_create(&picture, MOMENTS * VIEW_WIDTH, VIEW_HEIGHT, 0xffffff);
  double held = 0.0, lowest = 9.0;
  const int frames = 1200, last = 240;
  for (int frame = 0; frame < frames; frame++) {
    couple_step(k);
    record(k);
    held += frame >= frames - last ? pins_pull_down(k) : 0.0;
    lowest = fmin(lowest, (double)k->motion.pose.position.y);
    const int moments[MOMENTS] = {5, 30, 1199};
    for (int n = 0; n < MOMENTS; n++)
      if (drawn && frame == moments[n])
        draw(k, &picture, n, (cloth_vector){1.4f, 2.4f, 3.9f}, (cloth_vector){0.0f, 1.2f, 0.0f});
  }
  if (drawn) write_image(&picture, directory, k->name, "");
  write_plot(k, directory);
  const double weight = GRAVITY * (70.0 + (double)config.fabric.density * 2.6 * 1.4);
  line(k->name, "pull on the pins over the weight of sleeper and cloth", held / (weight * last / 60.0), 0.98, 1.02);
  line(k->name, "lowest point of the sleeper's middle [m]", lowest, 0.3, 1.7);
  line(k->name, "sway of the sleeper after 20 s [m/s]", sqrt(squared(k->motion.velocity)), 0.0, 0.5);
  line(k->name, "imbalance of momentum over weight of 20 s", imbalance(k, k->body.velocity, 196.2), 0.0, 0.01);
  engine_destroy(k->world);
}

static void net(const char *directory) {
  cloth_config config = canvas(33, 33);
  config.edge_warp = (cloth_vector){2.4f, 0.0f, 0.0f};
  config.edge_weft = (cloth_vector){0.0f, -2.4f, 0.0f};
  config.origin = (cloth_vector){-1.2f, 2.8f, 0.0f};
  config.wind = (cloth_vector){0.0f, 0.0f, 0.0f};
  cloth_collider ball = cloth_collider_default();
  ball.radius = 0.2f;
  ball.pose.position = (cloth_vector){0.0f, 1.5f, 1.5f};
  const cloth_vector thrown = {0.0f, 2.0f, -10.0f};
  coupled *k = begin("net", &config, &ball, 0.4f, thrown, FRICTION);
  for (int column = 0; column < 33; column++)
    cloth_pin(k->sheet, column);
  cloth_pin(k->sheet, 32 * 33); /* the lower corners */
  cloth_pin(k->sheet, 32 * 33 + 32);
  image picture;
  const int drawn = !image_create(&picture, MOMENTS * VIEW_WIDTH, VIEW_HEIGHT, 0xffffff);
  double behind = 9.0, fastest = 0.0;
  for (int frame = 0; frame < 180; frame++) {
    couple_step(k);
    record(k);
    behind = fmin(behind, (double)k->motion.pose.position.z);
    fastest = frame > 30 ? fmax(fastest, (double)k->motion.velocity.z) : fastest;
    const int moments[MOMENTS] = {4, 13, 40};
    for (int n = 0; n < MOMENTS; n++)
      if (drawn && frame == moments[n])
        draw(k, &picture, n, (cloth_vector){3.8f, 2.2f, 2.6f}, (cloth_vector){0.0f, 1.4f, 0.0f});
  }
  if (drawn) write_image(&picture, directory, k->name, "");
  write_plot(k, directory);
  line(k->name, "farthest of a ball at 10 m/s behind the net [m]", -behind, 0.0, 1.2);
  line(k->name, "fastest that the net throws it back [m/s]", fastest, 0.0, 8.0);
  line(k->name, "imbalance of momentum over that of the throw", imbalance(k, thrown, 10.0), 0.0, 0.01);
  engine_destroy(k->world);
}

static void boat(const char *directory) {
  cloth_config config = canvas(33, 21);
  cloth_fabric_preset(CLOTH_FABRIC_POLYESTER, &config.fabric);
  config.edge_warp = (cloth_vector){1.5f, 0.0f, 0.1f};
  config.edge_weft = (cloth_vector){0.0f, -1.0f, 0.0f};
  config.origin = (cloth_vector){0.0f, 1.9f, 0.0f};
  config.wind = (cloth_vector){12.0f, 0.0f, 0.0f};
  cloth_collider hull = cloth_collider_default();
  hull.shape = CLOTH_SHAPE_CAPSULE;
  hull.radius = hull.radius_top = 0.25f;
  hull.half_height = 0.7f;
  hull.pose.position = (cloth_vector){0.0f, 0.25f, 0.0f};
  hull.pose.rotation = (cloth_rotation){0.0f, 0.0f, 0.70710678f, 0.70710678f};
  coupled *k = begin("boat", &config, &hull, 40.0f, (cloth_vector){0.0f, 0.0f, 0.0f}, 0.0f);
  /* It lies on the water, a floor without friction, and its keel holds it upright. */
  k->body.inertia = (cloth_vector){0.0f, 0.0f, 0.0f};
  for (int row = 0; row < 21; row++)
    cloth_attach(k->sheet, cloth_particle_at(k->sheet, 0, row), k->collider, NULL);
  image picture;
  const int drawn = !image_create(&picture, MOMENTS * VIEW_WIDTH, VIEW_HEIGHT, 0xffffff);
  for (int frame = 0; frame < 600; frame++) {
    couple_step(k);
    record(k);
    const int moments[MOMENTS] = {30, 240, 599};
    const float x = k->motion.pose.position.x;
    for (int n = 0; n < MOMENTS; n++)
      if (drawn && frame == moments[n])
        draw(k, &picture, n, (cloth_vector){x + 0.8f, 2.0f, 4.6f}, (cloth_vector){x + 0.4f, 1.1f, 0.0f});
  }
  if (drawn) write_image(&picture, directory, k->name, "");
  write_plot(k, directory);
  line(k->name, "speed of a boat of 40 kg after 10 s in a wind of 12 m/s", (double)k->motion.velocity.x, 0.02, 12.0);

  line(k->name, "its momentum over the flag's pull", 40.0 * (double)k->motion.velocity.x / k->impulse[0], 0.99, 1.01);
  engine_destroy(k->world);
}

int main(int count, char **arguments) {
  const char *directory = count > 1 ? arguments[1] : ".";
  trampoline(directory);
  hammock(directory);
  net(directory);
  boat(directory);
  printf("%d missed; pictures in %s\n", missed, directory);
  return missed > 0;
}
