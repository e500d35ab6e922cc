/* Scenes of known_scenes.c that are drawn: on a lattice, at random, with damaged states. SPDX-License-Identifier: MIT
 */
#ifndef RANDOM_SCENES_H
#define RANDOM_SCENES_H

#include "feature_scenes.h"
#include "mutations.h"

/// Scenes: on a lattice ///

/* Numbers drawn for scenes: multiples of 1/8, so that distances and times of contact are equal to thresholds and to
   each other, which decides between < and <=. */
static float eighths(random_source *random, int low, int high) {
  return 0.125f * (float)random_int(random, low, high);
}

static cloth_vector lattice_vector(random_source *random, int most) {
  cloth_vector v;
  v.x = eighths(random, -most, most);
  v.y = eighths(random, -most, most);
  v.z = eighths(random, -most, most);
  return v;
}

/* A sheet without weight and imperfection, level or in steps, with holes in some. */
static cloth_config lattice_config(random_source *random, int kind) {
  static cloth_vector positions[8 * 8];
  static uint8_t mask[8 * 8];
  const int columns = random_int(random, 3, 8), rows = random_int(random, 3, 8);
  cloth_config config = sheet_of(columns, rows, 0.125, 0.0);
  config.gravity = vector_at(0.0, 0.0, 0.0);
  config.grid.imperfection = 0.0f;
  config.substeps = 1;
  config.thickness = kind % 2 ? 0.0f : 0.015625f;
  config.origin = vector_at(-0.25, (double)eighths(random, 0, 2), -0.25);
  for (int n = 0; n < config.columns * config.rows; n++) {
    const int column = n % config.columns, row = n / config.columns;
    positions[n] = vector_at(0.125 * column - 0.25, random_int(random, 0, 2) ? 0.0 : (double)eighths(random, -1, 1),
                             0.125 * row - 0.25);
    mask[n] = random_int(random, 0, 5) > 0;
  }
  mask[0] = 1;
  config.grid.positions = kind % 3 == 1 ? positions : NULL;
  config.grid.cell_mask = kind % 4 == 3 ? mask : NULL;
  return config;
}

static void tell_lattice_queries(const fixture *s, random_source *random) {
  for (int n = 0; n < 150; n++) {
    cloth_surface_point found;
    const cloth_vector from = lattice_vector(random, 4), way = lattice_vector(random, 2);
    const float length = random_int(random, 0, 3) ? 3.0f : eighths(random, 0, 6);
    const cloth_ray ray = {from, way, length, random_int(random, 0, 1) ? 0.0f : eighths(random, 0, 2)};
    memset(&found, 0, sizeof found);
    tell_point(cloth_cast_ray(s->sheet, &ray, &found), &found);
    const float most = random_int(random, 0, 2) ? CLOTH_ANY_DISTANCE : eighths(random, 0, 4);
    tell_point(cloth_find_nearest(s->sheet, lattice_vector(random, 5), most, &found), &found);
  }
}

/* A mesh bound to the sheet, which then moves, with an animation of all of it. */
static void tell_lattice_skin(const fixture *s, random_source *random) {
  enum { VERTICES = 60 };
  static float vertices[VERTICES * 10], drawn[VERTICES * 10];
  static cloth_binding bindings[VERTICES];
  const int32_t normals = random_int(random, 0, 2) ? 12 : CLOTH_ATTRIBUTE_NONE;
  const int32_t tangents = random_int(random, 0, 2) ? 24 : CLOTH_ATTRIBUTE_NONE;
  const cloth_skin_layout layout = {VERTICES, 40, 0, normals, tangents};
  const float full = eighths(random, 0, 2);
  const cloth_bind_reach reach = {full, full + eighths(random, 1, 3)};
  for (int n = 0; n < VERTICES; n++) {
    const int axis = n % 3, sign = n % 2 ? 1 : -1;
    const cloth_vector at = lattice_vector(random, 4);
    float *v = vertices + 10 * n;
    memset(v, 0, 40);
    v[0] = at.x, v[1] = at.y, v[2] = at.z;
    v[3 + axis] = (float)sign;
    v[6 + (axis + 1) % 3] = 1.0f;
    v[9] = n % 4 < 2 ? 1.0f : -1.0f;
  }
  memcpy(drawn, vertices, sizeof drawn);
  const int bound = cloth_bind(&s->sheet, 1, &layout, vertices, &reach, bindings);
  tell((uint32_t)bound);
  if (bound < 0) return;
  tell_words(bindings, sizeof bindings);
  for (int i = 0; i < s->count; i += 3)
    cloth_set_particle(s->sheet, i, vector_of(point_sum(position_of(s->sheet, i), (point){0.0, 0.125, 0.0625})),
                       lattice_vector(random, 1));
  tell((uint32_t)cloth_skin(&s->sheet, 1, bindings, &layout, vertices, drawn));
  tell_words(drawn, sizeof drawn);
  tell((uint32_t)cloth_skin(&s->sheet, 1, bindings, &layout, NULL, drawn));
  tell_words(drawn, sizeof drawn);
}

static void play_lattice_queries(void) {
  random_source random = {31};
  for (int kind = 0; kind < 108; kind++) {
    const cloth_config config = lattice_config(&random, kind);
    fixture s = fixture_make(&config);
    tell_lattice_queries(&s, &random);
    tell_lattice_skin(&s, &random);
    fixture_free(&s);
  }
}

static float lattice_heights[3][5];

static double lattice_height(double x, double z) {
  const int column = (int)(4.0 * (x + 1.0)) % 3, row = (int)(4.0 * (z + 1.0)) % 5;
  return (double)lattice_heights[column < 0 ? 0 : column][row < 0 ? 0 : row];
}

static double lattice_distance(double x, double y, double z) {
  return y - 0.25 * lattice_height(x, z);
}

/* A geometry of the lattice, or none: a shape without one. */
static int build_lattice(built *b, int kind, random_source *random) {
  for (int n = 0; n < 15; n++)
    lattice_heights[n / 5][n % 5] = eighths(random, -1, 1);
  switch (kind) {
  case 0:
    *b = build_field_of(lattice_height, 1.0, 5);
    return 1;
  case 1:
    *b = build_sheet_of(lattice_height, 1.0, 5, 0);
    return 1;
  case 2:
    *b = build_sheet_of(lattice_height, 1.0, 5, 1);
    return 1;
  case 3:
    *b = build_grid_of(lattice_distance, 1.0, 5);
    return 1;
  case 4:
    *b = build_box(0.25, 0.125, 0.25);
    return 1;
  case 5:
    *b = build_star(random_int(random, 0, 1));
    return 1;
  default:
    return 0;
  }
}

/* Sheets that touch, just miss and run into shapes, in steps in which all of them move by parts of the lattice. */
static void play_lattice_contacts(void) {
  random_source random = {32};
  for (int kind = 0; kind < 528; kind++) {
    built b;
    cloth_config config = lattice_config(&random, kind);
    const int shape = kind % 11, has_geometry = build_lattice(&b, shape - CLOTH_SHAPE_CYLINDER - 1, &random);
    config.capacity.geometry = has_geometry;
    config.capacity.meshes = has_geometry;
    config.capacity.max_bodies = kind % 5 == 4;
    config.integration.bdf2_blend = kind % 2 ? 0.0f : 0.5f;
    fixture s = fixture_make(&config);
    cloth_collider c = has_geometry ? collider_with(&b) : shape_of(shape, 0.0, turns[0], 1.0);
    c.pose.position = lattice_vector(&random, 2);
    if (!has_geometry) {
      c.radius = eighths(&random, 1, 2);
      c.radius_top = kind % 3 ? c.radius : 0.125f;
      c.half_height = eighths(&random, 1, 2);
      c.half_extents = vector_at(0.25, (double)eighths(&random, 1, 2), 0.125);
    }
    c.pose.rotation = kind % 4 == 2 ? turns[4] : turns[0];
    c.static_friction = c.kinetic_friction = kind % 3 ? 0.5f : 0.0f;
    DONE(cloth_add_collider(s.sheet, &c));
    const cloth_body body = cloth_body_default(&c, 1.0f);
    if (config.capacity.max_bodies) tell((uint32_t)cloth_set_body(s.sheet, 0, &body));
    for (int i = 0; i < s.count; i++)
      cloth_set_particle(s.sheet, i, vector_of(position_of(s.sheet, i)),
                         vector_at(0.0, -8.0 * (double)eighths(&random, -1, 2), i % 5 ? 0.0 : 4.0));
    const cloth_surroundings around = has_geometry ? around_of(&b) : (cloth_surroundings){.geometries = NULL};
    for (int frame = 0; frame < 4; frame++) {
      cloth_pose pose = c.pose;
      pose.position.y += 0.125f * (float)(frame % 2);
      if (frame > 0) DONE(cloth_move_collider(s.sheet, 0, NULL, &pose));
      tell((uint32_t)cloth_step_with(s.sheet, 0.015625f, &around));
      tell_state(s.sheet);
      tell_forces(s.sheet);
    }
    fixture_free(&s);
    if (has_geometry) free_built(&b);
  }
}

/* Layers at the distance at which they touch, some of which move. */
static void play_lattice_layers(void) {
  static cloth_vector positions[25 * 10];
  random_source random = {33};
  for (int kind = 0; kind < 120; kind++) {
    const int columns = random_int(&random, 10, 25), rows = random_int(&random, 4, 10);
    cloth_config config = self_config(columns, rows, 0.125);
    config.gravity = vector_at(0.0, 0.0, 0.0);
    config.grid.imperfection = 0.0f;
    config.substeps = 1 + kind % 2;
    config.self_thickness = 0.03125f;
    config.self_friction = kind % 3 ? 0.5f : 0.0f;
    config.self.shape = kind % 2;
    config.self.untangle = kind % 5 > 0;
    config.self.gathers = kind % 4;
    config.self.pairs = 1 + kind % 7;
    for (int n = 0; n < config.columns * config.rows; n++) {
      const int column = n % config.columns, layer = column / 5, inner = column % 5;
      const int shift = kind % 3 == 0 ? layer % 2 : 0;
      positions[n] = vector_at(0.125 * (layer % 2 ? 4 - inner : inner) + 0.0625 * shift,
                               (kind % 4 == 3 ? 0.015625 : 0.03125) * layer, 0.125 * (n / config.columns));
    }
    config.grid.positions = positions;
    fixture s = fixture_make(&config);
    for (int i = 0; kind % 2 && i < s.count; i++)
      cloth_set_particle(s.sheet, i, positions[i], vector_at(0.0, (double)eighths(&random, -8, 8), 0.0));
    for (int frame = 0; frame < 5; frame++) {
      tell((uint32_t)cloth_step(s.sheet, 0.015625f));
      tell_state(s.sheet);
    }
    tell_measures(s.sheet);
    fixture_free(&s);
  }
}

/// Scenes: drawn at random ///

/* What random_config() leaves out. */
static void widen_config(cloth_config *config, random_source *random) {
  static uint8_t mask[24 * 24];
  static float map[24 * 24];
  static cloth_vector rest[24 * 24];
  for (int n = 0; n < 24 * 24; n++) {
    mask[n] = random_int(random, 0, 11) > 0;
    map[n] = eighths(random, 4, 16);
  }
  mask[0] = 1;
  for (int i = 0; i < config->columns * config->rows; i++) {
    const int column = i % config->columns, row = i / config->columns;
    rest[i] = vector_at((0.0625 + 0.001 * row) * column, 0.0, 0.0625 * row + 0.0005 * row * row);
  }
  config->grid.wrap = random_int(random, 0, 3) == 0 && config->columns > 4;
  config->grid.rest_positions = config->grid.wrap || random_int(random, 0, 3) ? NULL : rest;
  config->grid.cell_mask = random_int(random, 0, 3) ? NULL : mask;
  config->fabric.compression = eighths(random, 0, 8);
  config->fabric.shear_compression = eighths(random, 0, 8);
  config->fabric.stretch_damping = random_int(random, 0, 2) ? 0.0f : eighths(random, 0, 16);
  config->fabric.bend_damping = random_int(random, 0, 2) ? 0.0f : 0.01f * eighths(random, 0, 8);
  config->air.lift = random_int(random, 0, 1) ? 0.0f : eighths(random, 0, 8);
  config->air.normal_drag = random_int(random, 0, 1) ? 0.0f : eighths(random, 0, 8);
  config->wind = lattice_vector(random, 40);
  config->thickness = random_int(random, 0, 1) ? config->thickness : 0.0625f * eighths(random, 0, 8);
  config->integration.max_substeps = random_int(random, config->substeps > 1 ? config->substeps : 1, 16);
  config->integration.explicit_threshold =
      random_int(random, 0, 3) ? config->integration.explicit_threshold : 0.5f * eighths(random, 0, 16);
  config->integration.velocity_damping = random_int(random, 0, 2) ? 0.0f : eighths(random, 0, 40);
  config->tethers.scale = 1.0f + eighths(random, 0, 2);
  config->strain_limit.max_extension = 0.125f * eighths(random, 0, 8);
  config->strain_limit.stiffness = 1.0f + eighths(random, 0, 400);
  config->solver.preconditioner = random_int(random, 0, 3);
  config->tearing.max_breaks = random_int(random, 0, 3) ? 0 : random_int(random, 1, 8);
  config->tearing.max_torn_cells = random_int(random, 0, 20);
  config->tearing.strain = 0.125f * eighths(random, 0, 4);
  config->tearing.pin_force = random_int(random, 0, 1) ? 0.0f : eighths(random, 1, 20);
  config->tearing.map = random_int(random, 0, 1) ? NULL : map;
  config->sleep.time = 0.25f * eighths(random, 0, 4);
  config->world.recentre_distance = random_int(random, 0, 2) ? 0.0f : eighths(random, 1, 16);
  config->capacity.max_confined = random_int(random, 0, 4);
  config->capacity.max_bodies = random_int(random, 0, 2);
  config->capacity.max_attachments = random_int(random, 0, 3);
  config->capacity.pin_reactions = random_int(random, 0, 1);
  config->capacity.max_contacts = random_int(random, 0, 1) ? 0 : random_int(random, 1, 40);
  config->capacity.fixed_work = random_int(random, 0, 3) == 0;
  config->capacity.max_shared_bodies = random_int(random, 0, 2);
  config->self.pairs = random_int(random, 1, 8);
  config->self.gathers = random_int(random, 0, 3);
  config->self.untangle = random_int(random, 0, 1);
  config->self.shape = random_int(random, 0, 1);
  config->self_friction = eighths(random, 0, 8);
}

/* A call that changes the cloth, or is refused. */
static int call_at_random(const fixture *s, random_source *random) {
  static cloth_vector vertices[2 * 24 * 24];
  const cloth_vertex_layout layout = {24, 0, 12, CLOTH_ATTRIBUTE_NONE};
  const int i = random_int(random, 0, s->count - 1), index = random_int(random, 0, 3);
  const cloth_vector v = lattice_vector(random, 8), w = lattice_vector(random, 2);
  const cloth_pose from = {w, turns[0]}, pose = {v, turns[random_int(random, 0, 5)]};
  const float shares[3] = {0.25f * (w.x + 2.0f), 0.25f * (w.y + 2.0f), 0.25f * (w.z + 2.0f)};
  const cloth_inertia inertia = {shares[0], shares[1], shares[2]};
  const cloth_motion_constraint constraint = {0.25f * shares[0], 0.0625f * shares[1], 0.5f * shares[2], 0.0f};
  const cloth_gusts gusts = {v, 0.125f + shares[0], 0.125f + shares[1], (uint32_t)i};
  const cloth_cut_line cut = {v.x + 3.0f, v.y + 3.0f, v.z + 3.0f, 4.0f * shares[1]};
  cloth_collider c = shape_of(random_int(random, 0, 4), (double)v.y, pose.rotation, 1.0);
  const cloth_body body = cloth_body_default(&c, 0.125f + eighths(random, 0, 8));
  switch (random_int(random, 0, 21)) {
  case 0:
    return cloth_pin(s->sheet, i);
  case 1:
    return cloth_move_pin(s->sheet, i, vector_of(point_sum(position_of(s->sheet, i), point_scaled(point_of(w), 0.25))));
  case 2:
    return cloth_set_pin_velocity(s->sheet, i, w);
  case 3:
    return cloth_release(s->sheet, i);
  case 4:
    return cloth_set_particle(s->sheet, i, vector_of(position_of(s->sheet, i)), v);
  case 5:
    return cloth_apply_impulse(s->sheet, i, vector_of(point_scaled(point_of(v), 0.01)));
  case 6:
    c.pose.position = v;
    return cloth_add_collider(s->sheet, &c);
  case 7:
    return cloth_set_collider(s->sheet, index, &c);
  case 8:
    return cloth_remove_collider(s->sheet, index);
  case 9:
    return cloth_move_collider(s->sheet, index, random_int(random, 0, 1) ? NULL : &from, &from);
  case 10:
    return cloth_set_body(s->sheet, index, random_int(random, 0, 3) ? &body : NULL);
  case 11:
    return cloth_attach(s->sheet, i, index, random_int(random, 0, 1) ? NULL : &w);
  case 12:
    return cloth_set_gravity(s->sheet, v);
  case 13:
    return cloth_set_gusts(s->sheet, &gusts);
  case 14:
    return cloth_confine_to_line(s->sheet, i, v);
  case 15:
    return cloth_confine_to_plane(s->sheet, i, v);
  case 16:
    return cloth_set_tether(s->sheet, i, i % 2, random_int(random, -1, s->count - 1));
  case 17:
    return cloth_set_motion_constraint(s->sheet, i, &constraint);
  case 18:
    for (int n = 0; n < s->count; n++) {
      vertices[2 * n] = vector_of(point_sum(position_of(s->sheet, n), point_scaled(point_of(w), 0.5)));
      vertices[2 * n + 1] = n % 4 ? vector_at(0.0, 1.0, 0.0) : v;
    }
    return cloth_move_targets(s->sheet, &layout, vertices, sizeof vertices);
  case 19:
    return cloth_move_frame(s->sheet, &from, &pose, &inertia, FRAME, (uint64_t)random_int(random, 0, 1));
  case 20:
    return cloth_cut(s->sheet, &cut);
  default:
    return index ? cloth_reset_tethers(s->sheet) : cloth_recentre(&s->sheet, 1, NULL);
  }
}

/* A life of a config with all kinds of features: calls, steps, steps with efforts. */
static void play_world(random_source *random) {
  cloth_config config = random_config(random);
  cloth_memory memory;
  config.columns = config.columns > 13 ? config.columns - 11 : config.columns;
  config.rows = config.rows > 13 ? config.rows - 11 : config.rows;
  widen_config(&config, random);
  config.capacity.workers = random_int(random, 0, 5) ? 0 : random_int(random, 1, 5);
  const int needed = cloth_memory_needed(&config, &memory);
  tell((uint32_t)needed);
  if (needed != CLOTH_OK) return;
  fixture s = fixture_make(&config);
  cloth_shared_body bodies[2];
  cloth_reaction reactions[2];
  memset(reactions, 0, sizeof reactions);
  for (int n = 0; n < 2; n++) {
    const double height = (double)eighths(random, -3, 1);
    bodies[n].collider = shape_of(random_int(random, 0, 4), height, turns[n], 1.0);
    bodies[n].previous = bodies[n].collider.pose;
  }
  const cloth_workers workers = {run_backwards, NULL};
  const cloth_surroundings around = {
      .bodies = bodies, .body_count = config.capacity.max_shared_bodies, .reactions = reactions, .workers = &workers};
  for (int n = random_int(random, 0, 2); n > 0; n--)
    tell((uint32_t)cloth_pin(s.sheet, n == 1 ? 0 : s.columns - 1));
  for (int frame = 0; frame < 7; frame++) {
    const int32_t refinements = random_int(random, 0, 20);
    const cloth_effort effort = {refinements, random_int(random, 0, 1)};
    const float dt = random_int(random, 0, 3) ? FRAME : 0.0078125f * (float)random_int(random, 1, 4);
    for (int n = random_int(random, 0, 6); n > 0; n--)
      tell((uint32_t)call_at_random(&s, random));
    tell((uint32_t)(frame % 3 == 2 ? cloth_step_again_with(s.sheet, dt, &around, &effort)
                                   : cloth_step_with(s.sheet, dt, &around)));
    tell_state(s.sheet);
    tell_words(reactions, sizeof reactions);
  }
  tell_all(s.sheet);
  fixture_free(&s);
}

static void play_worlds(void) {
  random_source random = {41};
  for (int n = 0; n < 420; n++)
    play_world(&random);
}

/* Panels of random sizes, some of them shaped, sewn at random, in one group with bodies and exceptions. */
static void play_tailored(void) {
  enum { PANELS = 3, SEAMS = 3 };
  static cloth_vector rest[PANELS][12 * 12];
  static uint8_t mask[12 * 12];
  random_source random = {43};
  for (int trial = 0; trial < 45; trial++) {
    fixture f[PANELS];
    cloth *sheets[PANELS];
    cloth_seam seams[SEAMS];
    unsigned char *allocation;
    size_t bytes = 0;
    uint64_t bound = 0;
    for (int n = 0; n < PANELS; n++) {
      const int columns = random_int(&random, 3, 12), rows = random_int(&random, 3, 12);
      cloth_config config = self_config(columns, rows, 0.0625);
      for (int i = 0; i < columns * rows; i++) {
        const int column = i % columns, row = i / columns;
        rest[n][i] = vector_at((0.0625 + 0.002 * row) * column, 0.0, 0.0625 * row);
        mask[i] = i % 17 != 9;
      }
      config.grid.rest_positions = random_int(&random, 0, 2) ? NULL : rest[n];
      config.grid.cell_mask = random_int(&random, 0, 3) ? NULL : mask;
      config.origin = lattice_vector(&random, 1);
      config.origin.y += 0.02f * (float)n;
      config.self.gathers = random_int(&random, 0, 3);
      config.self.pairs = random_int(&random, 2, 12);
      config.self.untangle = random_int(&random, 0, 1);
      config.self.shape = trial % 2;
      config.self_friction = eighths(&random, 0, 8);
      config.fabric.density = 0.125f + eighths(&random, 0, 4);
      config.fabric.compression = eighths(&random, 0, 8);
      config.fabric.stretch_damping = random_int(&random, 0, 2) ? 0.0f : eighths(&random, 0, 8);
      config.substeps = random_int(&random, 1, 5);
      config.integration.bdf2_blend = random_int(&random, 0, 2) ? 0.5f : 0.0f;
      config.tearing.max_breaks = random_int(&random, 0, 3) ? 0 : 3;
      config.tearing.strain = 0.0625f;
      config.sleep.speed = random_int(&random, 0, 3) ? 0.0f : 0.25f;
      config.sleep.time = 0.0f;
      config.capacity.max_bodies = trial % 3 ? 1 : random_int(&random, 0, 1);
      f[n] = fixture_make(&config);
      sheets[n] = f[n].sheet;
      tell((uint32_t)cloth_pin(sheets[n], random_int(&random, 0, columns - 1)));
      cloth_collider c = shape_of(trial % 3 ? trial % 5 : random_int(&random, 0, 4), -0.15, turns[n], 0.5);
      tell((uint32_t)cloth_add_collider(sheets[n], &c));
      const cloth_body body = cloth_body_default(&c, 0.25f);
      tell((uint32_t)cloth_set_body(sheets[n], 0, &body));
    }
    cloth_group group = cloth_group_default();
    for (int n = 0; n < SEAMS; n++) {
      const int a = random_int(&random, 0, PANELS - 1), b = (a + random_int(&random, 0, 3) % PANELS) % PANELS;
      const int by_row = random_int(&random, 0, 1), back = random_int(&random, 0, 1);
      const int columns = f[b].columns, rows = f[b].rows;
      seams[n].a =
          by_row ? side_of(a, 0, f[a].columns, f[a].rows) : side_of(a, f[a].count - f[a].columns, 1, f[a].columns);
      seams[n].b = back ? side_of(b, columns * rows - 1, -columns, rows) : side_of(b, 0, 1, columns);
      seams[n].b.count -= random_int(&random, 0, 1);
      seams[n].stiffening = eighths(&random, -4, 16);
      group.seams = seams;
      group.seam_count = n + 1;
      group.count = PANELS;
      group.cloths = sheets;
      const int fits = cloth_group_bytes(&group, &bytes); /* those that fit are kept */
      tell((uint32_t)fits);
      group.seam_count -= fits < 0;
      if (fits < 0) break;
    }
    group.pairs = random_int(&random, 1, 6);
    group.seam_speed = eighths(&random, 1, 16);
    const cloth_group_body common = {{0, 0, 0}};
    group.bodies = &common;
    group.body_count = 1;
    group.body_count = cloth_group_bytes(&group, &bytes) == CLOTH_OK;
    DONE(cloth_group_bytes(&group, &bytes));
    unsigned char *memory = guarded_buffer(bytes, 0, &allocation);
    memset(memory, 0x41, bytes);
    for (int frame = 0; frame < 6; frame++) {
      DONE(cloth_group_work_bound(&group, FRAME, &bound));
      tell_wide(bound);
      tell((uint32_t)cloth_step_together(&group, FRAME, memory, bytes));
      for (int n = 0; n < PANELS; n++)
        tell_state(sheets[n]);
      for (int n = 0; n < group.seam_count; n++) {
        float gap = 0.0f;
        tell((uint32_t)cloth_group_seam_gap(&group, n, &gap));
        tell_words(&gap, sizeof gap);
      }
    }
    CHECK(guards_intact(memory, bytes), "bytes outside the memory of the group were written");
    free(allocation);
    for (int n = 0; n < PANELS; n++) {
      tell_forces(sheets[n]);
      fixture_free(&f[n]);
    }
  }
}

/* Geometries of random numbers, shot through by sheets and slow ones. */
static float random_heights[8][8];

static double random_height(double x, double z) {
  const int column = (int)(6.0 * (x + 1.0)), row = (int)(6.0 * (z + 1.0));
  return (double)random_heights[column & 7][row & 7];
}

static double random_distance(double x, double y, double z) {
  return 0.5 * y + 0.125 * random_height(x, z) + 0.125 * random_height(z, y);
}

static void play_terrains(void) {
  random_source random = {44};
  for (int trial = 0; trial < 48; trial++) {
    built b;
    const int samples = random_int(&random, 3, 8), turn = random_int(&random, 0, 5);
    const double side = random_real(&random, 0.5, 1.5), spacing = random_real(&random, 0.04, 0.12);
    for (int n = 0; n < 64; n++)
      random_heights[n / 8][n % 8] = (float)random_real(&random, -0.2, 0.2);
    switch (trial % 5) {
    case 0:
      b = build_field_of(random_height, side, samples);
      break;
    case 1:
      b = build_sheet_of(random_height, side, samples, trial % 2);
      break;
    case 2:
      b = build_grid_of(random_distance, side, samples);
      break;
    case 3:
      b = trial % 2 ? build_wedge() : build_box(0.2 * side, 0.1, 0.15 * side);
      break;
    default:
      b = build_star(trial % 2);
    }
    tell_words(b.memory, b.bytes);
    fall_on_geometry(&b, spacing, trial % 3 ? -2.0 : -40.0, trial % 3 ? 9 : 3, turn);
    free_built(&b);
  }
}

/* Plans, sizes and bounds of work of configs of all kinds. */
static void play_config_costs(void) {
  random_source random = {42};
  for (int n = 0; n < 600; n++) {
    cloth_config config = random_config(&random);
    cloth_memory memory;
    cloth_forecast forecast;
    char text[200];
    uint64_t bound = 0;
    widen_config(&config, &random);
    config.substeps = n % 4 ? config.substeps : 0;
    config.capacity.workers = n % 5 == 0 ? random_int(&random, 1, 8) : 0;
    config.capacity.shared_scratch = n % 7 == 0;
    if (n % 8 == 7) { /* refused, perhaps */
      float *field = (float *)(void *)&config.fabric + random_int(&random, 0, 9);
      *field = eighths(&random, -1, 1) * 1e6f;
    }
    memset(&memory, 0, sizeof memory);
    tell((uint32_t)cloth_config_explain(&config, text, sizeof text));
    for (const char *at = text; *at; at++)
      tell((unsigned char)*at);
    tell((uint32_t)cloth_memory_needed(&config, &memory));
    tell_wide(memory.image_bytes);
    tell_wide(memory.saved_bytes);
    tell_wide(memory.state_bytes);
    tell((uint32_t)cloth_config_work_bound(&config, FRAME, &bound));
    tell_wide(bound);
    tell_plan(&config, n % 3 == 2 ? 0 : bound / (uint64_t)(1 + n % 5), n % 3 ? 0.004f * (float)(n % 11 + 1) : 0.0f,
              &forecast);
  }
}

/* Settings as they are given, names of results, sizes at their limits. */
static void play_limits(void) {
  for (int way = 0; way < 2; way++) {
    cloth_config config = cloth_config_default();
    if (way) DONE(cloth_config_use_imex(&config));
    tell((uint32_t)config.columns);
    tell((uint32_t)config.rows);
    tell_words(&config.origin, 3 * sizeof config.origin);
    tell_words(&config.fabric, sizeof config.fabric);
    tell_words(&config.gravity, 2 * sizeof config.gravity);
    tell_words(&config.thickness, sizeof config.thickness);
    tell_words(&config.self_thickness, sizeof config.self_thickness);
    tell_words(&config.self_friction, sizeof config.self_friction);
    tell_words(&config.air, sizeof config.air);
    tell_words(&config.integration, sizeof config.integration);
    tell_words(&config.tethers, sizeof config.tethers);
    tell_words(&config.solver, sizeof config.solver);
    tell_words(&config.strain_limit, sizeof config.strain_limit);
    tell_words(&config.self, sizeof config.self);
    tell_words(&config.sleep, sizeof config.sleep);
    tell_words(&config.world, sizeof config.world);
    tell_words(&config.capacity, sizeof config.capacity);
  }
  for (int result = -60; result < 300; result++) {
    for (const char *at = cloth_result_name(result); *at; at++)
      tell((unsigned char)*at);
  }
  for (int32_t x = 1; x < (1 << 27); x = x * 3 / 2 + 1) {
    for (int32_t y = 1; y < (1 << 27); y = y < 4 ? y + 1 : y * 2) {
      size_t bytes = 0;
      cloth_geometry_data grid = cloth_geometry_data_default(CLOTH_SHAPE_DISTANCE_GRID);
      static const float none = 0.0f;
      grid.distance_grid.distances = &none;
      grid.distance_grid.count_x = x;
      grid.distance_grid.count_y = y;
      grid.distance_grid.count_z = CLOTH_SAMPLE_LIMIT / y > 0 ? CLOTH_SAMPLE_LIMIT / y / x + x % 2 : 2;
      grid.distance_grid.spacing = 0.1f;
      tell((uint32_t)cloth_geometry_bytes(&grid, &bytes));
      tell_wide(bytes);
      cloth_geometry_data field = cloth_geometry_data_default(CLOTH_SHAPE_HEIGHT_FIELD);
      field.height_field.heights = &none;
      field.height_field.columns = x;
      field.height_field.rows = y;
      field.height_field.spacing_x = field.height_field.spacing_z = 0.1f;
      bytes = 0;
      tell((uint32_t)cloth_geometry_bytes(&field, &bytes));
      tell_wide(bytes);
    }
  }
}

/* Groups that are refused, or not: seams and exceptions that leave their cloths by little. */
static void play_refused_groups(void) {
  random_source random = {45};
  fixture f[3];
  cloth *sheets[3];
  for (int n = 0; n < 3; n++) {
    const cloth_config config = self_config(4 + n, 5, 0.05);
    f[n] = fixture_make(&config);
    sheets[n] = f[n].sheet;
  }
  for (int trial = 0; trial < 3000; trial++) {
    cloth_seam seams[2];
    size_t bytes = 0;
    int32_t list[8];
    cloth_group group = cloth_group_default();
    memset(seams, 0, sizeof seams);
    for (int n = 0; n < 4; n++) {
      cloth_seam_side *side = n % 2 ? &seams[n / 2].b : &seams[n / 2].a;
      side->cloth = random_int(&random, 0, 9) ? random_int(&random, 0, 2) : random_int(&random, -1, 3);
      const int count = side->cloth >= 0 && side->cloth < 3 ? f[side->cloth].count : 20;
      side->next = random_int(&random, -6, 6);
      side->count = random_int(&random, 0, 7);
      side->first =
          random_int(&random, 0, 2) ? random_int(&random, 0, count) : count - 1 - (side->count - 1) * side->next;
      side->particles = random_int(&random, 0, 5) ? NULL : list;
    }
    for (int n = 0; n < 8; n++)
      list[n] = random_int(&random, 0, 9) ? (trial + 3 * n) % 20 : random_int(&random, -1, 30);
    seams[0].stiffening = 0.5f * (float)random_int(&random, -3, 4);
    const float thickness = eighths(&random, -1, 1), friction = eighths(&random, -1, 9);
    const cloth_group_pair exception = {trial % 3, 2, thickness, friction};
    group.count = 3;
    group.cloths = sheets;
    group.seams = seams;
    group.seam_count = 1 + trial % 2;
    group.exceptions = &exception;
    group.exception_count = trial % 5 == 0;
    group.pairs = trial % 7 ? 4 : random_int(&random, 0, 33);
    tell((uint32_t)cloth_group_bytes(&group, &bytes));
  }
  for (int n = 0; n < 3; n++)
    fixture_free(&f[n]);
}

/// Scenes: damaged states ///

/* A word as damage leaves it: another bit, a telling one, or what stands elsewhere. */
static uint32_t damaged_word(random_source *random, const unsigned char *bytes, size_t words, size_t at) {
  const uint32_t word = get_word(bytes, at);
  switch (random_int(random, 0, 4)) {
  case 0:
    return word ^ (UINT32_C(1) << random_int(random, 0, 31));
  case 1:
    return word + (random_int(random, 0, 1) ? 1u : UINT32_MAX);
  case 2:
    return get_word(bytes, (size_t)random_int(random, HEADER_WORDS, (int)words - 1));
  default:
    return telling_words[random_int(random, 0, (int)(sizeof telling_words / sizeof telling_words[0]) - 1)];
  }
}

/* Which damage is refused, and what the others lead to. Damage is put into the words of the head, of single parts, and
   of the vectors of particles, which are most, as often. */
static void tell_damage(fixture *s, random_source *random, int is_image, int tries) {
  const size_t bytes = is_image ? s->memory.image_bytes : s->memory.saved_bytes, words = bytes / 4;
  unsigned char *whole = copy_bytes(s->arena, bytes), *trial = copy_bytes(s->arena, bytes);
  unsigned char *before = copy_bytes(s->arena, s->memory.total_bytes);
  DONE(is_image ? cloth_write_image(s->sheet, whole, bytes) : cloth_save(s->sheet, whole, bytes));
  const int early = (int)words > 400 ? 400 : (int)words - 1;
  for (int n = 0; n < tries; n++) {
    memcpy(trial, whole, bytes);
    for (int changes = random_int(random, 1, 2); changes > 0; changes--) {
      const int low = is_image ? HEADER_WORDS : 0;
      const size_t at = (size_t)(n % 2 ? random_int(random, low, early) : random_int(random, low, (int)words - 1));
      set_word(trial, at, damaged_word(random, whole, words, at));
    }
    if (is_image) seal(trial, bytes);
    const int result = is_image ? cloth_read_image(s->sheet, trial, bytes) : cloth_load(s->sheet, trial, bytes);
    tell((uint32_t)result);
    if (result == CLOTH_OK) {
      tell_wide(read_hash(s->sheet));
      tell((uint32_t)cloth_is_asleep(s->sheet));
      tell(n % 16 ? 0 : (uint32_t)cloth_step(s->sheet, FRAME));
      tell_wide(read_hash(s->sheet));
    }
    CHECK(guards_intact(s->arena, s->memory.total_bytes), "bytes outside the arena were written");
    memcpy(s->arena, before, s->memory.total_bytes);
  }
  free(whole);
  free(trial);
  free(before);
}

/* The same with every word of the first parts, and each of some values. */
static void tell_damage_of_each(fixture *s, int is_image) {
  static const uint32_t values[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 40, 41, 42, UINT32_MAX, 0x3f800000u, 0xbf800000u};
  enum { VALUES = sizeof values / sizeof values[0] };
  const size_t bytes = is_image ? s->memory.image_bytes : s->memory.saved_bytes, words = bytes / 4;
  unsigned char *whole = copy_bytes(s->arena, bytes), *trial = copy_bytes(s->arena, bytes);
  unsigned char *before = copy_bytes(s->arena, s->memory.total_bytes);
  DONE(is_image ? cloth_write_image(s->sheet, whole, bytes) : cloth_save(s->sheet, whole, bytes));
  memcpy(trial, whole, bytes);
  for (size_t at = HEADER_WORDS; at < words && at < 400; at++) {
    const uint32_t word = get_word(whole, at);
    for (int n = 0; n < VALUES + 2; n++) {
      set_word(trial, at, n < VALUES ? values[n] : n == VALUES ? word + 1 : word ^ 0x80000000u);
      if (is_image) seal(trial, bytes);
      const int result = is_image ? cloth_read_image(s->sheet, trial, bytes) : cloth_load(s->sheet, trial, bytes);
      tell((uint32_t)result);
      if (result == CLOTH_OK) memcpy(s->arena, before, s->memory.total_bytes);
    }
    set_word(trial, at, word);
  }
  CHECK(memcmp(s->arena, before, s->memory.total_bytes) == 0, "what was refused changed the arena");
  free(whole);
  free(trial);
  free(before);
}

/* A cloth that holds everything that a state can. */
static fixture crowded(random_source *random, int kind) {
  static uint8_t mask[7 * 6];
  cloth_config config = sheet_of(7, 6, 0.1, 0.1);
  for (int n = 0; n < 7 * 6; n++)
    mask[n] = n % 13 != 7;
  config.grid.cell_mask = kind % 2 ? mask : NULL;
  config.grid.wrap = kind == 2;
  config.capacity.targets = kind % 2;
  config.capacity.max_confined = 3;
  config.capacity.max_bodies = config.capacity.max_attachments = 3;
  config.capacity.max_shared_bodies = kind == 3 ? 2 : 0;
  config.tearing.max_breaks = kind == 1 || kind == 2 ? 4 : 0;
  config.tearing.strain = 0.02f;
  config.sleep.speed = kind == 3 ? 0.5f : 0.0f;
  config.self_thickness = kind == 0 || kind == 4 ? 0.04f : 0.0f;
  config.tethers.count = 1 + kind % 2;
  if (kind == 4) use_two_tiers(&config);
  fixture s = fixture_make(&config);
  for (int n = 0; n < 4; n++) {
    cloth_collider c = shape_of(n, -0.1 + 0.05 * n, turns[n], 0.7);
    const cloth_body body = cloth_body_default(&c, 0.5f);
    DONE(cloth_add_collider(s.sheet, &c));
    if (n > 0) DONE(cloth_set_body(s.sheet, n, &body));
  }
  pin_corners(&s);
  DONE(cloth_set_pin_velocity(s.sheet, 0, vector_at(0.125, 0.0, 0.25)));
  DONE(cloth_attach(s.sheet, 20, 1, NULL));
  DONE(cloth_attach(s.sheet, 30, 0, NULL));
  DONE(cloth_confine_to_line(s.sheet, 10, vector_at(1.0, 0.0, 1.0)));
  DONE(cloth_confine_to_plane(s.sheet, 17, vector_at(0.0, 1.0, 0.0)));
  for (int n = 0; n < 40; n++)
    call_at_random(&s, random);
  for (int frame = 0; frame < 5; frame++)
    tell((uint32_t)cloth_step(s.sheet, FRAME));
  return s;
}

static void play_damaged(void) {
  random_source random = {51};
  for (int kind = 0; kind < 5; kind++) {
    fixture s = crowded(&random, kind);
    tell_damage(&s, &random, 1, 700);
    tell_damage(&s, &random, 0, 500);
    tell_damage_of_each(&s, 1);
    tell_damage_of_each(&s, 0);
    fixture_free(&s);
  }
  fill_maps();
  for (int n = 0; n < STATE_CONFIG_COUNT; n++) {
    const cloth_config config = state_configs[n].config();
    fixture s = living(&config);
    tell_damage(&s, &random, 1, 200);
    tell_damage(&s, &random, 0, 150);
    fixture_free(&s);
  }
}

#endif /* RANDOM_SCENES_H */
