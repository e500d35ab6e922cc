/* Scenes of known_scenes.c that use one feature after the other. SPDX-License-Identifier: MIT */
#ifndef FEATURE_SCENES_H
#define FEATURE_SCENES_H

#include "geometries.h"
#include "random_configs.h"
#include "told.h"

/// Scenes: colliders ///

static cloth_collider shape_of(int32_t shape, double height, cloth_rotation rotation, double size) {
  cloth_collider c = cloth_collider_default();
  c.shape = shape;
  c.pose.position = vector_at(0.03, height, -0.02);
  c.pose.rotation = rotation;
  c.radius = (float)(0.2 * size);
  c.radius_top = (float)(0.12 * size);
  c.half_height = (float)(0.25 * size);
  c.half_extents = vector_at(0.2 * size, 0.1 * size, 0.15 * size);
  c.static_friction = 0.6f;
  c.kinetic_friction = 0.4f;
  return c;
}

/* A sheet falls on a shape that moves and turns, with a plane below. */
static void fall_on(int32_t shape, const cloth_config *config, double size, double speed, int frames, int turn) {
  fixture s = fixture_make(config);
  cloth_collider c = shape_of(shape, shape == CLOTH_SHAPE_PLANE ? -0.1 : -0.22 * size, turns[turn], size);
  if (shape == CLOTH_SHAPE_PLANE) c.pose.rotation = turns[2];
  cloth_collider ground = shape_of(CLOTH_SHAPE_PLANE, -0.35, turns[0], 1.0);
  DONE(cloth_add_collider(s.sheet, &c));
  DONE(cloth_add_collider(s.sheet, &ground));
  throw_all(&s, 0.5, speed, 0.25);
  for (int frame = 0; frame < frames; frame++) {
    cloth_pose pose = c.pose;
    pose.position.x += 0.01f * (float)frame;
    pose.position.y += frame % 5 == 4 ? 0.04f : 0.0f;
    if (frame % 4 > 1 && shape != CLOTH_SHAPE_PLANE) pose.rotation = turns[(turn + frame / 4) % 6];
    DONE(cloth_move_collider(s.sheet, 0, NULL, &pose));
    step_told(&s, NULL);
  }
  tell_all(s.sheet);
  fixture_free(&s);
}

static void play_shapes(void) {
  for (int32_t shape = CLOTH_SHAPE_PLANE; shape <= CLOTH_SHAPE_CYLINDER; shape++) {
    cloth_config config = sheet_of(15, 12, 0.06, 0.05);
    fall_on(shape, &config, 1.0, -1.0, 14, (shape + 1) % 6);
    config = sheet_of(11, 35, 0.05, 0.05); /* the last block of bounds has one particle */
    config.integration.bdf2_blend = 0.0f;
    config.strain_limit.max_extension = 0.03f;
    fall_on(shape, &config, 0.8, -40.0, 4, (shape + 3) % 6);
    config = sheet_of(9, 7, 0.15, 0.05);
    config.substeps = 6;
    fall_on(shape, &config, 0.3, -2.0, 14, (shape + 2) % 6);
  }
}

static void play_preconditioners(void) {
  for (int32_t shape = CLOTH_SHAPE_PLANE; shape <= CLOTH_SHAPE_CYLINDER; shape++) {
    cloth_config config = sheet_of(11, 9, 0.06, 0.03);
    use_two_tiers(&config);
    config.solver.max_iterations = 20;
    config.solver.tolerance = shape % 2 ? 0.001f : 0.0f;
    config.solver.preconditioner = shape % 4;
    config.integration.bdf2_blend = shape % 2 ? 0.0f : 0.5f;
    fall_on(shape, &config, 1.0, -1.0, 10, (shape + 1) % 6);
  }
}

/// Scenes: geometry ///

static double bumps(double x, double z) {
  const int cell = (int)(10.0 * (x + 2.0)) + 2 * (int)(8.0 * (z + 2.0));
  return 0.0625 * (cell * 7 % 5) - 0.125 + 0.25 * x * x;
}

static double tilted_distance(double x, double y, double z) {
  return 0.8 * y + 0.6 * x + 0.0625 * (((int)(16.0 * (z + 4.0))) % 2);
}

static built build_wedge(void) {
  static const cloth_vector normals[7] = {{0.6f, 0.8f, 0.0f},  {-1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f},
                                          {0.0f, -1.0f, 0.0f}, {0.0f, 0.0f, 1.0f},  {0.0f, 0.0f, -1.0f},
                                          {0.0f, 0.28f, 0.96f}};
  static const float offsets[7] = {0.2f, 0.25f, 0.15f, 0.15f, 0.2f, 0.2f, 0.18f};
  built b = {cloth_geometry_data_default(CLOTH_SHAPE_HULL), NULL, NULL, NULL, 0, {NULL, NULL}};
  b.data.hull.normals = normals;
  b.data.hull.offsets = offsets;
  b.data.hull.planes = 7;
  build(&b);
  return b;
}

/* An octahedron with a corner pulled out in the middle of each of its edges: closed, with ridges and hollows. */
static built build_star(int one_sided) {
  static const int faces[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                  {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  static cloth_vector vertices[8 * 4 * 3];
  static uint32_t indices[8 * 4 * 3];
  int used = 0;
  for (int face = 0; face < 8; face++) {
    point corner[6];
    for (int k = 0; k < 3; k++) {
      const int n = faces[face][k];
      point p = {n / 2 == 0 ? 1 - 2 * (n % 2) : 0, n / 2 == 2 ? 1 - 2 * (n % 2) : 0, n / 2 == 1 ? 1 - 2 * (n % 2) : 0};
      corner[k] = point_scaled(p, 0.25);
    }
    for (int k = 0; k < 3; k++)
      corner[3 + k] = point_scaled(point_sum(corner[k], corner[(k + 1) % 3]), k == 1 ? 0.7 : 0.45);
    const int pieces[12] = {0, 3, 5, 3, 1, 4, 5, 4, 2, 3, 4, 5};
    for (int k = 0; k < 12; k++, used++) {
      vertices[used] = vector_of(corner[pieces[k]]);
      indices[used] = (uint32_t)used;
    }
  }
  built b = {cloth_geometry_data_default(CLOTH_SHAPE_MESH), NULL, NULL, NULL, 0, {NULL, NULL}};
  b.data.mesh.vertices = vertices;
  b.data.mesh.vertex_count = used;
  b.data.mesh.indices = indices;
  b.data.mesh.triangle_count = used / 3;
  b.data.mesh.one_sided = one_sided;
  build(&b);
  return b;
}

/* A sheet falls on a geometry of its own that moves and turns, beside a body of a table with the same one. */
static void fall_on_geometry(built *b, double spacing, double speed, int frames, int turn) {
  cloth_config config = sheet_of(13, 11, spacing, 0.3);
  config.capacity.geometry = 1;
  config.capacity.meshes = 2;
  config.capacity.max_shared_bodies = 2;
  config.sleep.speed = 0.01f;
  fixture s = fixture_make(&config);
  cloth_collider c = collider_with(b);
  c.static_friction = c.kinetic_friction = 0.3f;
  c.pose.rotation = turns[turn];
  DONE(cloth_add_collider(s.sheet, &c));
  cloth_shared_body bodies[2] = {{c, c.pose}, {shape_of(CLOTH_SHAPE_CAPSULE, 0.1, turns[3], 0.5), c.pose}};
  cloth_reaction reactions[2];
  for (int n = 0; n < 2; n++) {
    bodies[n].collider.pose.position.z = 0.3f;
    bodies[n].previous = bodies[n].collider.pose;
  }
  memset(reactions, 0, sizeof reactions);
  cloth_surroundings around = around_of(b);
  around.bodies = bodies;
  around.body_count = 2;
  around.reactions = reactions;
  throw_all(&s, 0.25, speed, 0.0);
  for (int frame = 0; frame < frames; frame++) {
    cloth_pose pose = c.pose;
    pose.position.y += 0.008f * (float)frame;
    pose.rotation = turns[frame % 6 == 5 ? (turn + 1) % 6 : turn];
    DONE(cloth_move_collider(s.sheet, 0, NULL, &pose));
    bodies[0].previous = bodies[0].collider.pose;
    bodies[0].collider.pose.position.x += 0.01f;
    step_told(&s, &around);
  }
  tell_words(reactions, sizeof reactions);
  tell_all(s.sheet);
  fixture_free(&s);
}

static void play_geometry(built b, int turn) {
  const cloth_collider made = collider_with(&b);
  tell_words(b.memory, b.bytes);
  tell_words(&made, sizeof made);
  if (made.shape == CLOTH_SHAPE_HULL) {
    const cloth_body body = cloth_body_default(&made, 2.0f);
    tell_words(&body, sizeof body);
  }
  fall_on_geometry(&b, 0.06, -1.0, 16, turn);
  fall_on_geometry(&b, 0.08, -60.0, 3, turn);
  free_built(&b);
}

static void play_hull(void) {
  play_geometry(build_wedge(), 3);
  play_geometry(build_box(0.2, 0.1, 0.15), 1);
}

static void play_field(void) {
  play_geometry(build_field_of(bumps, 1.5, 12), 0);
}

static void play_meshes(void) {
  play_geometry(build_sheet_of(bumps, 1.5, 9, 0), 0);
  play_geometry(build_sheet_of(bumps, 1.0, 14, 1), 0);
  play_geometry(build_star(0), 3);
  play_geometry(build_star(1), 1);
}

static void play_distances(void) {
  play_geometry(build_grid_of(ball_distance, 0.75, 9), 2);
  play_geometry(build_grid_of(tilted_distance, 1.0, 8), 2);
}

/// Scenes: the sheet with itself ///

/* Layers of 5 columns, one above the other, which lean and are pressed together. */
static void fold_sheet(cloth_config *config, cloth_vector *positions, double spacing) {
  for (int n = 0; n < config->columns * config->rows; n++) {
    const int column = n % config->columns, row = n / config->columns, layer = column / 5, inner = column % 5;
    positions[n] = vector_at(spacing * (layer % 2 ? 4 - inner : inner) + 0.2 * spacing * (row % 3),
                             0.4 * spacing * layer + 0.05 * spacing * inner, spacing * row);
  }
  config->grid.positions = positions;
}

static void press_together(const cloth_config *config, int frames) {
  fixture s = fixture_make(config);
  cloth_collider ground = shape_of(CLOTH_SHAPE_PLANE, -0.03, turns[0], 1.0);
  cloth_collider ball = shape_of(CLOTH_SHAPE_SPHERE, 0.3, turns[0], 0.4);
  DONE(cloth_add_collider(s.sheet, &ground));
  DONE(cloth_add_collider(s.sheet, &ball));
  for (int frame = 0; frame < frames; frame++) {
    cloth_pose pose = ball.pose;
    pose.position = vector_at(0.1 + 0.01 * frame, 0.3 - 0.03 * frame, 0.3);
    DONE(cloth_move_collider(s.sheet, 1, NULL, &pose));
    if (frame % 6 == 3) throw_all(&s, 0.5 * (frame % 4), -1.0, 0.5);
    step_told(&s, NULL);
  }
  tell_all(s.sheet);
  fixture_free(&s);
}

static cloth_config self_config(int columns, int rows, double spacing) {
  cloth_config config = sheet_of(columns, rows, spacing, 0.02);
  config.self_thickness = (float)(0.45 * spacing);
  config.self.pairs = 12;
  config.self.gathers = 2;
  return config;
}

static void play_self(void) {
  static cloth_vector positions[MOST_PARTICLES];
  cloth_config config = self_config(25, 21, 0.05);
  fold_sheet(&config, positions, 0.05);
  press_together(&config, 12);
  config.self.shape = CLOTH_SELF_SPHERES;
  config.self_thickness = 0.045f;
  press_together(&config, 12);
  config = self_config(18, 13, 0.05);
  config.self.pairs = 1;
  config.self_friction = 1.0f;
  config.self.untangle = 0;
  use_two_tiers(&config);
  fold_sheet(&config, positions, 0.05);
  press_together(&config, 8);
}

/* A sheet with holes stands on the ground on its edge, and falls over itself; a tube collapses. */
static void play_self_holes(void) {
  static uint8_t mask[MOST_PARTICLES];
  cloth_config config = self_config(17, 23, 0.04);
  for (int n = 0; n < 16 * 22; n++)
    mask[n] = !((n % 16 > 5 && n % 16 < 9 && n / 16 % 7 < 2) || (n / 16 == 12 && n % 16 < 7) || n % 37 == 5);
  config.grid.cell_mask = mask;
  config.edge_weft = vector_at(0.0, -0.04 * 22, 0.0);
  config.origin = vector_at(-0.3, 0.85, 0.3);
  press_together(&config, 24);
  config.grid.cell_mask = NULL;
  config.grid.wrap = 1;
  config.tearing.max_breaks = 4;
  config.tearing.strain = 0.05f;
  config.integration.bdf2_blend = 0.0f;
  press_together(&config, 20);
}

/* Halves of a sheet clap together at 8 m/s, and tangle. */
static void play_clap(void) {
  static cloth_vector positions[MOST_PARTICLES];
  for (int shape = 0; shape < 2; shape++) {
    cloth_config config = self_config(22, 15, 0.05);
    config.self.shape = shape;
    config.self.pairs = 4;
    for (int n = 0; n < 22 * 15; n++) {
      const int column = n % 22, upper = column > 10;
      positions[n] =
          vector_at(0.05 * (upper ? 21 - column : column), upper ? 0.2 : 0.0, 0.05 * (n / 22) + 0.01 * upper);
    }
    config.grid.positions = positions;
    fixture s = fixture_make(&config);
    for (int i = 0; i < s.count; i++)
      cloth_set_particle(s.sheet, i, positions[i], vector_at(0.0, i % 22 > 10 ? -8.0 - i % 4 : 2.0, 0.5 * (i % 3)));
    for (int frame = 0; frame < 14; frame++)
      step_told(&s, NULL);
    tell_all(s.sheet);
    fixture_free(&s);
  }
}

/// Scenes: groups and seams ///

/* Three panels around a ball: two sewn side to side, the third gathered to the first along a list of particles and held
   by a pin; a small sheet that sleeps below is woken. */
enum { SEWN = 4 };

typedef struct garment {
  fixture f[SEWN];
  cloth *sheets[SEWN];
  cloth_seam seams[3];
  cloth_group_pair exceptions[2];
  cloth_group group;
  cloth_surroundings around;
  cloth_shared_body ball;
  cloth_reaction reaction;
  int32_t hem[13];
  size_t bytes;
  unsigned char *allocation, *memory;
} garment;

static void make_garment(garment *g, int kind) {
  static float stiffness[16 * 16];
  static const int columns[SEWN] = {11, 9, 13, 8}, rows[SEWN] = {9, 9, 7, 9};
  memset(g, 0, sizeof *g);
  for (int n = 0; n < 16 * 16; n++)
    stiffness[n] = 0.5f + 0.125f * (float)(n % 7);
  for (int n = 0; n < SEWN; n++) {
    cloth_config config = self_config(columns[n], rows[n], 0.05);
    config.self.shape = kind == 2;
    config.fabric.density = 0.15f + 0.1f * (float)n;
    config.edge_warp = n == 1 ? vector_at(0.48, 0.0, 0.0) : config.edge_warp;
    config.capacity.max_bodies = config.capacity.max_attachments = kind != 1;
    config.origin = vector_at(n == 1 ? 0.25 : -0.25, n == 3 ? -0.2 : 0.0, n == 2 ? 0.2 : -0.2);
    config.edge_weft = n == 2 ? vector_at(0.0, -0.3, 0.05) : config.edge_weft;
    config.substeps = 4 + n % 2;
    config.self.gathers = n != 1;
    config.sleep.speed = n == 3 ? 0.05f : 0.0f;
    config.sleep.time = 0.0f;
    config.self.untangle = n != 1;
    config.grid.stiffness_map = kind == 1 ? stiffness : NULL;
    config.world.origin.z = n == 2 ? 1 : 0;
    config.origin.z -= n == 2 ? 1.0f : 0.0f;
    config.tearing.max_breaks = kind == 1 ? 3 : 0;
    config.tearing.strain = kind == 1 ? 0.02f : 0.0f;
    if (kind == 2) use_two_tiers(&config);
    g->f[n] = fixture_make(&config);
    g->sheets[n] = g->f[n].sheet;
  }
  for (int n = 0; n < 13; n++)
    g->hem[n] = 12 - n;
  const cloth_seam side = {{0, 10, 11, 9, NULL}, {1, 0, 9, 9, NULL}, kind == 1 ? 2.0f : 0.0f};
  const cloth_seam hem = {{2, 0, 0, 13, g->hem}, {0, 98, -1, 11, NULL}, -1.0f};
  const cloth_seam dart = {{1, 8, 9, 5, NULL}, {1, 80, -9, 4, NULL}, 0.5f};
  g->seams[0] = side;
  g->seams[1] = hem;
  g->seams[2] = dart;
  g->exceptions[0] = (cloth_group_pair){3, 0, 0.03f, 0.8f};
  g->exceptions[1] = (cloth_group_pair){1, 2, 0.0f, 0.0f};
  g->ball.collider = shape_of(CLOTH_SHAPE_SPHERE, -0.45, turns[0], 1.2);
  g->ball.previous = g->ball.collider.pose;
  g->group = cloth_group_default();
  g->group.count = SEWN;
  g->group.cloths = g->sheets;
  g->group.seams = g->seams;
  g->group.seam_count = kind == 3 ? 0 : kind == 0 ? 3 : 2;
  g->group.exceptions = g->exceptions;
  g->group.exception_count = 2;
  g->group.pairs = 6;
  DONE(cloth_group_bytes(&g->group, &g->bytes));
  g->memory = guarded_buffer(g->bytes, 0, &g->allocation);
  memset(g->memory, 0x41, g->bytes);
}

static void free_garment(garment *g) {
  CHECK(guards_intact(g->memory, g->bytes), "bytes outside the memory of the group were written");
  free(g->allocation);
  for (int n = 0; n < SEWN; n++)
    fixture_free(&g->f[n]);
}

/* A mesh over the panels, drawn as it is now and between two states. */
static void tell_skin(garment *g) {
  enum { VERTICES = 48 };
  static float vertices[VERTICES * 10], drawn[VERTICES * 10];
  static cloth_vector kept[SEWN][MOST_PARTICLES];
  static cloth_binding bindings[VERTICES];
  static float grids[8 * 512];
  const cloth_skin_layout layout = {VERTICES, 40, 0, 12, 24};
  const cloth_bind_reach reach = {0.06f, 0.2f};
  cloth_blend blends[SEWN];
  for (int n = 0; n < VERTICES; n++) {
    const float vertex[10] = {0.08f * (float)(n % 8) - 0.25f,
                              0.02f * (float)(n % 3) - 0.02f,
                              0.1f * (float)(n / 8) - 0.2f,
                              0.28f,
                              0.96f,
                              0.0f,
                              0.96f,
                              -0.28f,
                              0.0f,
                              n % 2 ? 1.0f : -1.0f};
    memcpy(vertices + 10 * n, vertex, sizeof vertex);
  }
  DONE(cloth_bind(g->sheets, 2, &layout, vertices, &reach, bindings));
  tell_words(bindings, sizeof bindings);
  DONE(cloth_skin(g->sheets, 2, bindings, &layout, vertices, drawn));
  tell_words(drawn, sizeof drawn);
  for (int n = 0; n < SEWN; n++) {
    blends[n].positions = kept[n];
    blends[n].count = g->f[n].count;
    blends[n].fraction = 0.375f;
    DONE(cloth_keep_positions(g->sheets[n], &blends[n]));
  }
  DONE(cloth_step_together(&g->group, FRAME, g->memory, g->bytes));
  DONE(cloth_skin_blended(g->sheets, 2, blends, bindings, &layout, vertices, drawn));
  tell_words(drawn, sizeof drawn);
  if (g->group.seam_count > 0) {
    DONE(cloth_bind_group(&g->group, &layout, vertices, &reach, bindings));
    tell_words(bindings, sizeof bindings);
    DONE(cloth_skin_group(&g->group, blends, bindings, &layout, vertices, drawn));
    tell_words(drawn, sizeof drawn);
  }
  if (g->group.seam_count != 2 || cloth_get_vertex_count(g->sheets[0]) == g->f[0].count) {
    DONE(cloth_write_group_vertices(&g->group, NULL, &layout_usual, grids, sizeof grids));
    tell_words(grids, sizeof grids / 8 * 7);
  }
}

static void play_group(int kind) {
  garment g;
  make_garment(&g, kind);
  g.around.bodies = &g.ball;
  g.around.body_count = 1;
  g.around.reactions = &g.reaction;
  DONE(cloth_pin(g.sheets[0], 0));
  DONE(cloth_pin(g.sheets[1], 8));
  DONE(cloth_pin(g.sheets[2], 84));
  cloth_collider weight = shape_of(CLOTH_SHAPE_BOX, -0.05, turns[0], 0.2);
  const cloth_body body = cloth_body_default(&weight, 0.05f);
  for (int n = 0; n < 2 && kind != 1; n++) {
    DONE(cloth_add_collider(g.sheets[n], &weight));
    DONE(cloth_set_body(g.sheets[n], 0, &body));
    DONE(cloth_attach(g.sheets[n], n ? 9 : 60, 0, NULL));
  }
  const cloth_group_body common = {{0, 0, -1, -1}};
  g.group.bodies = &common;
  g.group.body_count = kind > 1;
  for (int i = 0; i < 8; i++)
    DONE(cloth_pin(g.sheets[3], i % 4 + i / 4 * 64));
  if (kind == 3) throw_all(&g.f[0], 0.5, -6.0, 0.0);
  for (int frame = 0; frame < 14; frame++) {
    float gap = 0.0f;
    uint64_t bound = 0;
    DONE(cloth_step_together(&g.group, FRAME, g.memory, g.bytes));
    for (int n = 0; n < SEWN; n++)
      tell_state(g.sheets[n]);
    for (int n = 0; n < g.group.seam_count; n++) {
      DONE(cloth_group_seam_gap(&g.group, n, &gap));
      tell_words(&gap, sizeof gap);
    }
    DONE(cloth_group_work_bound(&g.group, FRAME, &bound));
    tell_wide(bound);
    if (frame == 9 && kind == 1) DONE(cloth_cut(g.sheets[1], &(cloth_cut_line){-0.5f, 4.5f, 4.5f, 4.25f}));
  }
  tell_skin(&g);
  for (int n = 0; n < SEWN; n++)
    tell_all(g.sheets[n]);
  free_garment(&g);
}

static void play_sewn(void) {
  play_group(0);
}

static void play_sewn_torn(void) {
  play_group(1);
}

static void play_sewn_spheres(void) {
  play_group(2);
}

static void play_loose_group(void) {
  play_group(3);
}

/* A side of a seam whose particles are `next` apart. */
static cloth_seam_side side_of(int32_t member, int32_t first, int32_t next, int32_t count) {
  const cloth_seam_side side = {member, first, next, count, NULL};
  return side;
}

/* Strips so narrow that the ends of their lines are sewn as well, in a ring, one of them wound the other way; a patch
   in the middle of the first. */
static void play_strips(void) {
  enum { STRIPS = 4 };
  fixture f[STRIPS];
  cloth *sheets[STRIPS];
  cloth_seam seams[STRIPS + 2];
  static cloth_vector rest[4 * 12];
  memset(seams, 0, sizeof seams);
  for (int i = 0; i < 4 * 12; i++)
    rest[i] = vector_at(0.08 + (0.04 + 0.001 * (i / 4)) * (i % 4), 0.0, 0.04 * (i / 4));
  for (int n = 0; n < STRIPS; n++) {
    cloth_config config = self_config(n == 3 ? 5 : 3 + n, 12, 0.04);
    config.self.gathers = 0;
    config.origin = vector_at(0.04 * (n == 1 ? 3 : n == 2 ? 6 : 0), n == 3 ? 0.03 : 0.0, n == 2 ? 0.44 : 0.0);
    if (n == 2) config.edge_weft = vector_at(0.0, 0.0, -0.44);
    config.integration.bdf2_blend = n == 1 ? 0.0f : 0.5f;
    config.grid.rest_positions = n == 1 ? rest : NULL;
    f[n] = fixture_make(&config);
    sheets[n] = f[n].sheet;
  }
  seams[0].a = side_of(0, 2, 3, 12);
  seams[0].b = side_of(1, 0, 4, 12);
  seams[1].a = side_of(1, 3, 4, 12);
  seams[1].b = side_of(2, 55, -5, 12);
  seams[2].a = side_of(2, 59, -5, 12);
  seams[2].b = side_of(0, 0, 3, 12);
  seams[3].a = side_of(3, 10, 1, 5);
  seams[3].b = side_of(2, 21, 1, 3);
  seams[2].stiffening = -1.0f;
  seams[4].a = side_of(3, 57, 0, 1);
  seams[4].b = side_of(1, 30, 0, 1);
  seams[5].a = side_of(3, 31, 1, 2);
  seams[5].b = side_of(1, 21, 4, 2);
  cloth_group group = cloth_group_default();
  unsigned char *allocation;
  size_t bytes;
  group.count = STRIPS;
  group.cloths = sheets;
  group.seams = seams;
  group.seam_count = STRIPS + 2;
  DONE(cloth_group_bytes(&group, &bytes));
  unsigned char *memory = guarded_buffer(bytes, 0, &allocation);
  DONE(cloth_pin(sheets[0], 0));
  DONE(cloth_pin(sheets[1], 2));
  for (int frame = 0; frame < 16; frame++) {
    static float grids[8 * 256];
    uint64_t bound = 0;
    DONE(cloth_group_work_bound(&group, FRAME, &bound));
    tell_wide(bound);
    DONE(cloth_step_together(&group, FRAME, memory, bytes));
    DONE(cloth_write_group_vertices(&group, NULL, &layout_usual, grids, sizeof grids));
    tell_words(grids, 32u * (12 * 12 + 60));
    for (int n = 0; n < STRIPS; n++)
      tell_state(sheets[n]);
  }
  free(allocation);
  for (int n = 0; n < STRIPS; n++)
    fixture_free(&f[n]);
}

/* A wide panel with a flap along a border and one along a column 20 particles farther on, which share the lines between
   them, and two stitches from flap to flap. */
static void play_flaps(void) {
  enum { WIDE = 40, HIGH = 20 };
  fixture f[3];
  cloth *sheets[3];
  cloth_seam seams[3];
  memset(seams, 0, sizeof seams);
  for (int n = 0; n < 3; n++) {
    cloth_config config = self_config(n == 0 ? WIDE : 3, n == 0 ? HIGH : 20, 0.04);
    config.self.gathers = 0;
    config.origin = vector_at(0.04 * (n == 2 ? 20 : 0), n == 0 ? 0.0 : 0.02, 0.0);
    f[n] = fixture_make(&config);
    sheets[n] = f[n].sheet;
  }
  seams[0].a = side_of(0, 0, WIDE, HIGH);
  seams[0].b = side_of(1, 0, 3, HIGH);
  seams[1].a = side_of(0, 20, WIDE, HIGH);
  seams[1].b = side_of(2, 0, 3, HIGH);
  seams[2].a = side_of(1, 58, 1, 2);
  seams[2].b = side_of(2, 58, 1, 2);
  cloth_group group = cloth_group_default();
  unsigned char *allocation;
  size_t bytes;
  group.count = 3;
  group.cloths = sheets;
  group.seams = seams;
  group.seam_count = 3;
  DONE(cloth_group_bytes(&group, &bytes));
  unsigned char *memory = guarded_buffer(bytes, 0, &allocation);
  DONE(cloth_pin(sheets[0], WIDE - 1));
  DONE(cloth_pin(sheets[1], 2));
  for (int frame = 0; frame < 6; frame++) {
    DONE(cloth_step_together(&group, FRAME, memory, bytes));
    for (int n = 0; n < 3; n++)
      tell_state(sheets[n]);
  }
  for (int n = 0; n < 3; n++)
    fixture_free(&f[n]);
  free(allocation);
}

/* Pre-shaped pieces with sides of different lengths: a frill gathered to the hem of a flared tube, over the edge of its
   grid, and a column of the tube gathered to the first column of the frill. */
static void play_gathers(void) {
  static const float around[8] = {1.0f, 0.75f, 0.0f, -0.75f, -1.0f, -0.75f, 0.0f, 0.75f};
  static const int32_t hem[8] = {54, 55, 48, 49, 50, 51, 52, 53};
  static cloth_vector rest[2][16 * 16];
  fixture f[2];
  cloth *sheets[2];
  for (int n = 0; n < 2; n++) {
    cloth_config config = self_config(n ? 13 : 8, 7, 0.05);
    for (int i = 0; i < config.columns * config.rows; i++) {
      const int column = i % config.columns, row = i / config.columns;
      const double wide = 0.1 + 0.01 * row, down = 0.04 * row + 0.002 * row * row;
      rest[n][i] = n ? vector_at(0.05 * column + 0.002 * column * column, -0.3 - down, 0.0)
                     : vector_at(wide * (double)around[column], -down, wide * (double)around[(column + 6) % 8]);
    }
    config.self_thickness = 0.015f;
    config.grid.wrap = n == 0;
    config.grid.rest_positions = rest[n];
    f[n] = fixture_make(&config);
    sheets[n] = f[n].sheet;
  }
  const cloth_seam seams[2] = {{{1, 0, 1, 13, NULL}, {0, 0, 0, 8, hem}, 0.0f},
                               {{0, 2, 8, 6, NULL}, {1, 13, 13, 4, NULL}, 1.0f}};
  cloth_group group = cloth_group_default();
  unsigned char *allocation;
  size_t bytes;
  group.count = 2;
  group.cloths = sheets;
  group.seams = seams;
  group.seam_count = 2;
  DONE(cloth_group_bytes(&group, &bytes));
  unsigned char *memory = guarded_buffer(bytes, 0, &allocation);
  for (int i = 0; i < 8; i += 2)
    DONE(cloth_pin(sheets[0], i));
  for (int frame = 0; frame < 16; frame++) {
    float gap = 0.0f;
    DONE(cloth_step_together(&group, FRAME, memory, bytes));
    DONE(cloth_group_seam_gap(&group, 0, &gap));
    tell_words(&gap, sizeof gap);
    tell_state(sheets[0]);
    tell_state(sheets[1]);
  }
  free(allocation);
  for (int n = 0; n < 2; n++)
    fixture_free(&f[n]);
}

/* Two pinned sheets that are sewn together sleep, and a third comes to them, from another side in each run. */
static void play_woken(int way) {
  static const cloth_vector ways[6] = {{1.0f, 0.0f, 0.0f},  {-1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f},
                                       {0.0f, -1.0f, 0.0f}, {0.0f, 0.0f, 1.0f},  {0.0f, 0.0f, -1.0f}};
  const int axis = way / 2;
  fixture f[3];
  cloth *sheets[3];
  for (int n = 0; n < 3; n++) {
    cloth_config config = self_config(7, 6, 0.05);
    const cloth_vector away = ways[way];
    config.edge_warp = axis == 0 ? vector_at(0.0, 0.3, 0.0) : vector_at(0.3, 0.0, 0.0);
    config.edge_weft = axis == 2 ? vector_at(0.0, 0.25, 0.0) : vector_at(0.0, 0.0, 0.25);
    config.origin = n < 2 ? vector_at(0.0, 0.0, 0.0)
                          : vector_at(-0.2 * (double)away.x, -0.2 * (double)away.y, -0.2 * (double)away.z);
    if (n == 1) {
      config.origin.x += axis == 0 ? 0.0f : 0.3f;
      config.origin.y += axis == 0 ? 0.3f : 0.0f;
    }
    config.gravity = vector_at(0.0, 0.0, 0.0);
    config.sleep.speed = n < 2 ? 0.01f : 0.0f;
    config.sleep.time = 0.05f;
    f[n] = fixture_make(&config);
    sheets[n] = f[n].sheet;
    for (int i = 0; n < 2 && i < f[n].count; i += 3)
      DONE(cloth_pin(sheets[n], i));
    if (n == 2) {
      for (int i = 0; i < f[n].count; i++)
        DONE(cloth_set_particle(sheets[n], i, vector_of(position_of(sheets[n], i)),
                                vector_of(point_scaled(point_of(away), 0.75 + 0.125 * (i % 5)))));
    }
  }
  const cloth_seam seam = {{0, 6, 7, 6, NULL}, {1, 0, 7, 6, NULL}, 0.0f};
  cloth_group group = cloth_group_default();
  unsigned char *allocation;
  size_t bytes;
  group.count = 3;
  group.cloths = sheets;
  group.seams = &seam;
  group.seam_count = 1;
  DONE(cloth_group_bytes(&group, &bytes));
  unsigned char *memory = guarded_buffer(bytes, 0, &allocation);
  int slept = 0, woken = 0;
  for (int frame = 0; frame < 22; frame++) {
    uint64_t bound = 0;
    DONE(cloth_group_work_bound(&group, FRAME, &bound));
    tell_wide(bound);
    DONE(cloth_step_together(&group, FRAME, memory, bytes));
    for (int n = 0; n < 3; n++)
      tell_state(sheets[n]);
    woken += slept > 0 && !cloth_is_asleep(sheets[0]);
    slept += cloth_is_asleep(sheets[1]);
  }
  CHECK(slept > 0 && woken > 0, "from side %d: asleep in %d frames, woken in %d", way, slept, woken);
  free(allocation);
  for (int n = 0; n < 3; n++)
    fixture_free(&f[n]);
}

static void play_all_woken(void) {
  for (int way = 0; way < 6; way++)
    play_woken(way);
}

/* A damped sheet on a moving ball and a body of a table falls asleep, is woken by calls and by the body, and sleeps
 * again. */
static void play_asleep(void) {
  for (int kind = 0; kind < 3; kind++) {
    cloth_config config = sheet_of(9, 8, 0.06, 0.02);
    config.sleep.speed = 1.0f;
    config.sleep.time = kind == 2 ? 0.0f : 0.04f;
    config.integration.velocity_damping = 50.0f;
    config.capacity.max_shared_bodies = kind == 1;
    config.capacity.max_attachments = 2;
    config.capacity.max_bodies = kind == 2;
    fixture s = fixture_make(&config);
    cloth_collider ball = shape_of(CLOTH_SHAPE_SPHERE, -0.2, turns[0], 1.0);
    cloth_shared_body below = {ball, ball.pose};
    cloth_reaction reaction;
    int slept = 0, woken = 0;
    memset(&reaction, 0, sizeof reaction);
    below.collider.pose.position.x = below.previous.position.x = 0.3f;
    DONE(cloth_add_collider(s.sheet, &ball));
    pin_corners(&s);
    DONE(cloth_attach(s.sheet, 40, 0, NULL));
    const cloth_body body = cloth_body_default(&ball, 0.5f);
    if (kind == 2) DONE(cloth_set_body(s.sheet, 0, &body));
    const cloth_surroundings around = {.bodies = &below, .body_count = kind == 1, .reactions = &reaction};
    for (int frame = 0; frame < 32; frame++) {
      cloth_pose pose = ball.pose;
      if (frame == 10) DONE(cloth_apply_impulse(s.sheet, 30, vector_at(0.0, 0.001, 0.0)));
      if (frame == 16) {
        below.previous = below.collider.pose;
        below.collider.pose.position.y += 0.05f;
      } else {
        below.previous = below.collider.pose;
      }
      if (frame == 22) DONE(cloth_move_collider(s.sheet, 0, NULL, &pose)); /* to where it is: wakes nothing */
      pose.position.y += 0.03f;
      if (frame == 24) DONE(cloth_move_collider(s.sheet, 0, NULL, &pose));
      step_told(&s, &around);
      const int sleeps = cloth_is_asleep(s.sheet);
      tell((uint32_t)sleeps);
      woken += slept > 0 && !sleeps;
      slept += sleeps;
      tell_forces(s.sheet);
      tell_words(&reaction, sizeof reaction);
    }
    CHECK(slept > 0 && woken > 0, "%d: asleep in %d frames, woken in %d", kind, slept, woken);
    tell_all(s.sheet);
    fixture_free(&s);
  }
}

/// Scenes: tears and shapes ///

/* A flag in a gale whose threads and pins tear, cut once more; as a sheet and as a tube. */
static void play_tears(void) {
  static float map[MOST_PARTICLES], stiffness[MOST_PARTICLES];
  static uint8_t mask[MOST_PARTICLES];
  for (int n = 0; n < MOST_PARTICLES; n++) {
    map[n] = 0.75f + 0.125f * (float)(n * 5 % 7);
    stiffness[n] = 0.5f + 0.25f * (float)(n % 4);
    mask[n] = n % 41 != 7;
  }
  for (int kind = 0; kind < 5; kind++) {
    cloth_config config = sheet_of(kind == 4 ? 5 : 17, 14, 0.05, 0.0);
    config.tethers.count = 1;
    config.tearing.max_breaks = kind == 2 ? 2 : 8;
    config.tearing.strain = 0.008f;
    config.tearing.pin_force = kind == 1 ? 2.0f : 0.0f;
    config.tearing.max_torn_cells = kind == 3 ? 4 : 40;
    config.tearing.map = kind % 2 ? map : NULL;
    config.grid.stiffness_map = kind == 2 ? stiffness : NULL;
    config.grid.cell_mask = kind == 3 ? mask : NULL;
    config.grid.wrap = kind == 1 || kind == 4;
    config.wind = vector_at(4.0, -3.0, 9.0);
    config.air.drag = 0.5f;
    config.air.lift = 0.25f;
    config.self_thickness = kind == 3 ? 0.02f : 0.0f;
    if (kind == 2) use_two_tiers(&config);
    fixture s = fixture_make(&config);
    for (int i = 0; i < config.columns; i += 4) {
      DONE(cloth_pin(s.sheet, i));
      DONE(cloth_pin(s.sheet, i + 9 * config.columns));
    }
    if (kind == 1) DONE(cloth_set_tether(s.sheet, 60, 0, 4));
    const int held = 4 + 9 * config.columns;
    for (int frame = 0; frame < 16; frame++) {
      cloth_vector place = {0};
      if (cloth_get_freedom(s.sheet, held) == 0) {
        DONE(cloth_get_position(s.sheet, held, &place));
        place.z += 0.01f;
        place.y += 0.005f;
        DONE(cloth_move_pin(s.sheet, held, place));
        DONE(cloth_get_velocity(s.sheet, held, &place));
        tell_words(&place, sizeof place);
      }
      if (frame == 7) DONE(cloth_cut(s.sheet, &(cloth_cut_line){3.25f, 1.5f, 12.0f, 8.75f}));
      step_told(&s, NULL);
    }
    tell_all(s.sheet);
    fixture_free(&s);
  }
}

/* Pieces with uneven rows: a trapezoid, with a hole; a flared tube. */
static void play_rest_shapes(void) {
  static const float around[8] = {1.0f, 0.75f, 0.0f, -0.75f, -1.0f, -0.75f, 0.0f, 0.75f};
  static cloth_vector rest[MOST_PARTICLES];
  static float stiffness[MOST_PARTICLES];
  static uint8_t mask[MOST_PARTICLES];
  for (int kind = 0; kind < 4; kind++) {
    const int tube = kind % 2;
    cloth_config config = sheet_of(tube ? 8 : 13, 11, 0.1, 0.0);
    for (int n = 0; n < config.columns * config.rows; n++) {
      const int column = n % config.columns, row = n / config.columns;
      const double down = 0.05 * row + 0.002 * row * row, wide = tube ? 0.25 + 0.02 * row : 0.06 + 0.004 * row;
      rest[n] = tube ? vector_at(wide * (double)around[column], -down, wide * (double)around[(column + 6) % 8])
                     : vector_at(wide * (column - 6) + 0.001 * column * column, 0.01 * (column % 2), down);
      stiffness[n] = 0.5f + 0.125f * (float)(n % 5);
      mask[n] = n % 29 != 17;
    }
    config.grid.rest_positions = rest;
    config.grid.wrap = tube;
    config.grid.stiffness_map = kind > 1 ? stiffness : NULL;
    config.grid.cell_mask = kind == 2 ? mask : NULL;
    config.tearing.max_breaks = kind == 3 ? 4 : 0;
    config.tearing.strain = kind == 3 ? 0.02f : 0.0f;
    config.strain_limit.max_extension = kind == 0 ? 0.03f : 0.0f;
    config.self_thickness = kind == 2 ? 0.015f : 0.0f;
    config.wind = vector_at(3.0, 0.0, 2.0);
    if (kind == 3) use_two_tiers(&config);
    fixture s = fixture_make(&config);
    cloth_collider ball = shape_of(CLOTH_SHAPE_SPHERE, -0.3, turns[0], 1.0);
    DONE(cloth_add_collider(s.sheet, &ball));
    pin_corners(&s);
    for (int frame = 0; frame < 14; frame++)
      step_told(&s, NULL);
    tell_all(s.sheet);
    fixture_free(&s);
  }
}

/* Which shapes are refused, and in which words: rows that are closer and closer, or lean more and more. */
static void play_refused_shapes(void) {
  static cloth_vector rest[16 * 16];
  random_source random = {9};
  for (int n = 0; n < 150; n++) {
    char text[200];
    cloth_memory memory;
    const int columns = random_int(&random, 2, 7), rows = random_int(&random, 2, 7);
    cloth_config config = sheet_of(columns, rows, 0.1, 0.0);
    const int count = config.columns * config.rows, odd = random_int(&random, 0, count - 1);
    const double share = random_real(&random, 0.0, 1.0), narrow = random_real(&random, 0.05, 1.0);
    config.grid.wrap = config.columns > 4 && n % 5 == 0;
    for (int i = 0; i < count; i++) {
      const int column = i % config.columns, row = i / config.columns;
      rest[i] = vector_at(0.1 * column + (n % 3 == 0 ? 0.1 * row * share : 0.0), 0.0,
                          0.1 * row * (n % 3 == 1 && row == config.rows - 1 ? narrow : 1.0));
      if (config.grid.wrap) rest[i].y = 0.1f * (float)(column % 2 ? 1 : -1);
    }
    if (n % 3 == 2) {
      rest[odd].x += (float)(0.3 * share);
      rest[odd].z -= (float)(0.2 * narrow);
    }
    config.grid.rest_positions = rest;
    const int result = cloth_memory_needed(&config, &memory);
    tell((uint32_t)result);
    CHECK(cloth_config_explain(&config, text, sizeof text) == result, "%s", text);
    for (const char *at = text; *at; at++)
      tell((unsigned char)*at);
  }
}

/// Scenes: inputs ///

/* Targets with every kind of constraint, which lean and sway; gusts, confinements, a moving frame and origin. */
static void play_targets(void) {
  for (int kind = 0; kind < 3; kind++) {
    static cloth_vector vertices[2 * MOST_PARTICLES];
    const cloth_vertex_layout layout = {24, 0, 12, CLOTH_ATTRIBUTE_NONE};
    cloth_config config = sheet_of(13, 11, 0.05, 0.0);
    config.capacity.targets = 1;
    config.world.recentre_distance = kind == 1 ? 2.0f : 0.0f;
    config.integration.bdf2_blend = kind == 2 ? 0.0f : 0.8f;
    if (kind == 2) use_two_tiers(&config);
    fixture s = fixture_make(&config);
    const cloth_gusts gusts = {{6.0f, 1.0f, 3.0f}, 0.0625f, 0.25f, 2026};
    DONE(cloth_set_gusts(s.sheet, &gusts));
    for (int i = 0; i < s.count; i++) {
      static const cloth_motion_constraint constraints[7] = {{0.0f, 0.0f, 0.0f, 0.0f},    {0.02f, 0.0f, 0.0f, 0.0f},
                                                             {0.04f, 0.01f, 0.2f, 0.0f},  {0.03f, 0.05f, 0.1f, 0.0f},
                                                             {1e9f, 0.005f, 0.3f, 0.0f},  {1e9f, 0.0f, 0.0f, 0.0f},
                                                             {0.05f, 0.002f, 0.03f, 0.0f}};
      cloth_motion_constraint constraint = constraints[i % 7];
      if (constraint.max_distance > 1e8f) constraint.max_distance = CLOTH_ANY_DISTANCE;
      DONE(cloth_set_motion_constraint(s.sheet, i, &constraint));
    }
    DONE(cloth_confine_to_line(s.sheet, 60, vector_at(0.0, 1.0, 0.5)));
    DONE(cloth_confine_to_plane(s.sheet, 70, vector_at(0.25, 1.0, 0.0)));
    for (int frame = 0; frame < 12; frame++) {
      const double sway = frame % 6 < 3 ? 0.02 * frame : -0.015 * frame;
      for (int i = 0; i < s.count; i++) {
        vertices[2 * i] = vector_at(0.05 * (i % 13) - 0.3 + sway, 0.01 * (i % 3) - 0.5 * sway, 0.05 * (i / 13) - 0.25);
        vertices[2 * i + 1] = vector_at(sway * 4.0, 1.0, 0.1 * (i % 4));
      }
      if (frame % 4 != 3) DONE(cloth_move_targets(s.sheet, &layout, vertices, sizeof vertices));
      const cloth_pose from = {{0.25f, 0.0f, 0.5f}, {0.0f, 0.0f, 0.0f, 1.0f}};
      const cloth_pose to = {{kind == 1 ? 3.75f : 0.3f, 0.25f, 0.45f}, {0.0f, 0.28f, 0.0f, 0.96f}};
      const cloth_inertia inertia = {0.25f, 0.5f, 0.75f};
      if (frame % 5 == 2) DONE(cloth_move_frame(s.sheet, &from, &to, &inertia, FRAME, 1));
      if (frame == 9) DONE(cloth_recentre(&s.sheet, 1, NULL));
      step_told(&s, NULL);
    }
    tell_all(s.sheet);
    fixture_free(&s);
  }
}

/* Origins at the end of the world and beyond, on each axis; the cloth is near. */
static void play_origins(void) {
  for (int n = 0; n < 6; n++) {
    cloth_config config = sheet_of(5, 4, 0.06, 0.0);
    int32_t *axis = n / 2 == 0 ? &config.world.origin.x : n / 2 == 1 ? &config.world.origin.y : &config.world.origin.z;
    const int sign = n % 2 ? -1 : 1;
    cloth_memory memory;
    for (int beyond = 1; beyond >= -5; beyond--) {
      *axis = sign * (CLOTH_ORIGIN_LIMIT + beyond);
      tell((uint32_t)cloth_memory_needed(&config, &memory));
    }
    fixture s = fixture_make(&config);
    for (int beyond = 3; beyond > -3; beyond--) {
      *axis = sign * (CLOTH_ORIGIN_LIMIT + beyond);
      tell((uint32_t)cloth_set_origin(&s.sheet, 1, config.world.origin));
      tell_wide(read_hash(s.sheet));
    }
    for (int32_t way = 2; way < 200000; way *= 3) {
      *axis = sign * (CLOTH_ORIGIN_LIMIT - way);
      tell((uint32_t)cloth_set_origin(&s.sheet, 1, config.world.origin));
      tell_wide(read_hash(s.sheet));
    }
    CHECK(all_finite(s.sheet), "%d", n);
    fixture_free(&s);
  }
}

/* Air with one coefficient at a time, and none; still and in wind. */
static void play_air(void) {
  for (int kind = 0; kind < 8; kind++) {
    cloth_config config = sheet_of(9, 8, 0.06, 0.0);
    config.air.drag = kind / 2 == 0 ? 1.0f : 0.0f;
    config.air.lift = kind / 2 == 1 ? 0.8f : 0.0f;
    config.air.normal_drag = kind / 2 == 2 ? 1.5f : 0.0f;
    config.wind = kind % 2 ? vector_at(5.0, 3.0, -2.0) : config.wind;
    fixture s = fixture_make(&config);
    pin_corners(&s);
    throw_all(&s, 1.0, -2.0, 0.5);
    for (int frame = 0; frame < 5; frame++)
      step_told(&s, NULL);
    fixture_free(&s);
  }
}

static void play_defaults(void) {
  const cloth_group group = cloth_group_default();
  CHECK(!group.cloths && !group.exceptions && !group.around && !group.seams, "pointers");
  tell_words(&group.count, sizeof group.count);
  tell_words(&group.pairs, sizeof group.pairs);
  tell_words(&group.exception_count, sizeof group.exception_count);
  tell_words(&group.seam_count, sizeof group.seam_count);
  tell_words(&group.seam_speed, sizeof group.seam_speed);
  const cloth_collider collider = cloth_collider_default();
  tell_words(&collider, sizeof collider);
  const cloth_motion_constraint constraint = cloth_motion_constraint_default();
  tell_words(&constraint, sizeof constraint);
  for (int32_t shape = CLOTH_SHAPE_PLANE; shape <= CLOTH_SHAPE_CYLINDER; shape++) {
    const cloth_collider c = shape_of(shape, 0.1, turns[1], 1.0);
    const cloth_body body = cloth_body_default(&c, 2.0f);
    tell_words(&body, sizeof body);
  }
  for (int kind = 0; kind < CLOTH_FABRIC_COUNT; kind++) {
    cloth_fabric fabric;
    DONE(cloth_fabric_preset((cloth_fabric_kind)kind, &fabric));
    tell_words(&fabric, sizeof fabric);
  }
}

/* Bodies of every shape on a held sheet, two of them attached; one is taken away and one loses its mass. */
static void play_bodies(void) {
  static float masses[MOST_PARTICLES];
  for (int n = 0; n < MOST_PARTICLES; n++)
    masses[n] = 0.5f + 0.25f * (float)(n % 5);
  for (int kind = 0; kind < 3; kind++) {
    cloth_config config = sheet_of(17, 15, 0.06, 0.0);
    config.capacity.max_bodies = 4;
    config.capacity.max_attachments = 6;
    config.grid.wrap = kind == 2;
    config.grid.mass_map = kind == 2 ? masses : NULL;
    config.sleep.speed = kind == 1 ? 0.2f : 0.0f;
    config.sleep.time = 0.05f;
    if (kind == 1) {
      use_two_tiers(&config);
      config.substeps = 8;
    }
    fixture s = fixture_make(&config);
    for (int i = 0; i < s.count; i++) {
      if (i / 17 == 0 || i / 17 == 14 || i % 17 == 0) DONE(cloth_pin(s.sheet, i));
    }
    for (int n = 0; n < 4; n++) {
      static const int32_t shapes[4] = {CLOTH_SHAPE_SPHERE, CLOTH_SHAPE_BOX, CLOTH_SHAPE_CAPSULE, CLOTH_SHAPE_CYLINDER};
      cloth_collider c = shape_of(shapes[n], 0.0, turns[n % 3], 0.4);
      c.pose.position = vector_at(0.2 * (n % 2) - 0.1, 0.12 + 0.02 * n + (kind == 2 ? 0.2 : 0.0), 0.25 * (n / 2) - 0.1);
      cloth_body body = cloth_body_default(&c, 0.5f + (float)n);
      body.spin = vector_at(1.0, 2.0 * n, -0.5);
      body.velocity = vector_at(0.25, -0.5, 0.125 * n);
      if (kind == 1 && n == 3) body.inertia = vector_at(0.0, 0.0, 0.0);
      DONE(cloth_add_collider(s.sheet, &c));
      DONE(cloth_set_body(s.sheet, n, &body));
    }
    cloth_collider beside = shape_of(CLOTH_SHAPE_SPHERE, -0.05, turns[0], 0.5);
    beside.pose.position.x = -0.3f;
    DONE(cloth_add_collider(s.sheet, &beside));
    const cloth_vector place = vector_at(0.02, -0.05, 0.01);
    DONE(cloth_attach(s.sheet, 100, 0, NULL));
    DONE(cloth_attach(s.sheet, 101, 2, &place));
    DONE(cloth_attach(s.sheet, 102, 2, NULL));
    DONE(cloth_attach(s.sheet, 90, 3, &place));
    for (int frame = 0; frame < 16; frame++) {
      if (frame == 6) DONE(cloth_release(s.sheet, 101));
      if (frame == 8) DONE(cloth_set_body(s.sheet, 1, NULL));
      if (frame == 10) DONE(cloth_remove_collider(s.sheet, 2));
      if (frame == 12) DONE(cloth_set_gravity(s.sheet, vector_at(2.0, -8.0, 1.0)));
      step_told(&s, NULL);
    }
    tell_all(s.sheet);
    fixture_free(&s);
  }
}

/* Two pieces of every stage, in the wrong order. */
static void run_backwards(void *context, cloth_piece piece, void *job, int32_t count) {
  (void)context;
  for (int32_t n = count; n-- > 0;)
    piece(job, n);
}

static void play_workers(void) {
  const cloth_workers workers = {run_backwards, NULL};
  for (int kind = 0; kind < 3; kind++) {
    cloth_config config = kind ? sheet_of(30, 27, 0.04, 0.1) : sheet_of(70, 60, 0.015, 0.03); /* 4,200: two parts */
    config.capacity.workers = 2 + kind;
    config.capacity.max_contacts = 0; /* a list of contacts is made by one thread */
    config.grid.wrap = kind == 2;
    config.strain_limit.max_extension = 0.02f * (float)kind;
    config.capacity.max_bodies = kind == 1;
    config.wind = vector_at(1.0, 0.5, 2.0);
    if (kind == 1) use_two_tiers(&config);
    fixture s = fixture_make(&config);
    cloth_collider ball = shape_of(CLOTH_SHAPE_SPHERE, -0.15, turns[0], 1.0);
    cloth_collider box = shape_of(CLOTH_SHAPE_BOX, -0.1, turns[1], 1.5);
    DONE(cloth_add_collider(s.sheet, &ball));
    DONE(cloth_add_collider(s.sheet, &box));
    pin_corners(&s);
    const cloth_surroundings around = {.workers = &workers};
    for (int frame = 0; frame < (kind ? 6 : 3); frame++)
      step_told(&s, &around);
    tell_all(s.sheet);
    fixture_free(&s);
  }
}

/// Scenes: methods ///

/* Configs of all kinds, drawn at random. */
static void play_random(int seed) {
  random_source random = {(uint64_t)seed};
  for (int n = 0; n < 24; n++) {
    cloth_config config = random_config(&random);
    config.capacity.max_contacts = 16;
    fixture s = fixture_make(&config);
    if (n % 3) pin_corners(&s);
    cloth_collider c = shape_of((int32_t)(n % 5), -0.1, turns[n % 6], 1.0);
    if (config.max_colliders > 0) DONE(cloth_add_collider(s.sheet, &c));
    if (n % 2) DONE(cloth_set_wind(s.sheet, vector_at(3.0, 1.0, -2.0)));
    for (int frame = 0; frame < 6; frame++) {
      if (frame == 3) {
        cloth_fabric fabric;
        DONE(cloth_fabric_preset((cloth_fabric_kind)(n % CLOTH_FABRIC_COUNT), &fabric));
        DONE(cloth_set_fabric(s.sheet, &fabric));
      }
      step_told(&s, NULL);
    }
    tell_all(s.sheet);
    fixture_free(&s);
  }
}

static void play_random_1(void) {
  play_random(1);
}

static void play_random_2(void) {
  play_random(2);
}

static int tell_plan(const cloth_config *config, uint64_t work, float stretch, cloth_forecast *forecast) {
  cloth_config planned;
  memset(forecast, 0, sizeof *forecast);
  const int result = cloth_plan(config, FRAME, work, stretch, &planned, forecast);
  tell((uint32_t)result);
  if (result == CLOTH_OK) {
    tell_wide(forecast->work);
    tell_words(&forecast->stretch, sizeof forecast->stretch);
    tell_words(&planned.integration, sizeof planned.integration);
    tell_words(&planned.strain_limit, sizeof planned.strain_limit);
    tell_words(&planned.tethers, sizeof planned.tethers);
    tell((uint32_t)planned.substeps);
    tell((uint32_t)planned.iterations);
  }
  return result;
}

/* Plans for goals of work and of stretch, and bounds of work. */
static void play_plans(void) {
  random_source random = {5};
  for (int n = 0; n < 40; n++) {
    cloth_config config = random_config(&random);
    cloth_forecast forecast;
    uint64_t bound = 0;
    DONE(cloth_fabric_preset((cloth_fabric_kind)(n % CLOTH_FABRIC_COUNT), &config.fabric));
    config.grid.mass_map = config.grid.stiffness_map = NULL;
    config.capacity.geometry = n % 4 == 1;
    config.capacity.meshes = n % 4 == 2;
    config.capacity.max_shared_bodies = n % 4 < 3 ? n % 4 : 0;
    tell((uint32_t)cloth_config_work_bound(&config, FRAME, &bound));
    tell_wide(bound);
    const float stretch = n % 3 ? 0.002f * (float)(n % 7 + 1) : 0.0f;
    const uint64_t work = n % 3 == 2 ? 0 : bound / (uint64_t)(1 + n % 4);
    if (tell_plan(&config, work, stretch, &forecast) == CLOTH_OK) { /* then just what that takes */
      cloth_forecast again;
      tell_plan(&config, forecast.work, 0.0f, &again);
      tell_plan(&config, 0, forecast.stretch, &again);
      tell_plan(&config, forecast.work, forecast.stretch, &again);
    }
  }
}

/* Sheets that come to rest in one call, and with efforts cut short. */
static void play_settled(void) {
  for (int kind = 0; kind < 4; kind++) {
    cloth_config config = sheet_of(11, 9, 0.06, 0.05);
    cloth_settle_report report;
    config.self_thickness = kind == 1 ? 0.02f : 0.0f;
    config.capacity.max_bodies = kind == 2;
    config.strain_limit.max_extension = kind == 3 ? 0.03f : 0.0f;
    if (kind == 3) use_two_tiers(&config);
    fixture s = fixture_make(&config);
    cloth_collider ball = shape_of(CLOTH_SHAPE_SPHERE, kind == 2 ? 0.2 : -0.2, turns[0], 1.0);
    const cloth_body body = cloth_body_default(&ball, 0.25f);
    DONE(cloth_add_collider(s.sheet, &ball));
    pin_corners(&s);
    DONE(cloth_pin(s.sheet, 88));
    DONE(cloth_pin(s.sheet, 98));
    if (kind == 2) DONE(cloth_set_body(s.sheet, 0, &body));
    DONE(cloth_settle(s.sheet, FRAME, 0.02f, 60, &report));
    tell_work(report.work);
    memset(report.work, 0, sizeof report.work);
    tell_words(&report, sizeof report);
    for (int frame = 0; frame < 8; frame++) {
      const cloth_effort effort = {frame, 1};
      DONE(cloth_step_again(s.sheet, FRAME, &effort));
      tell_state(s.sheet);
    }
    tell_all(s.sheet);
    fixture_free(&s);
  }
}

#endif /* FEATURE_SCENES_H */
