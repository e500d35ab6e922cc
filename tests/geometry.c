/* Colliders with geometry, and bodies that cloths share: contact beside that of analytic shapes, shots, friction, saves
   with the right and the wrong geometry, refusals, sleep, work. SPDX-License-Identifier: MIT */
#include "geometries.h"
#include "sheets.h"

static cloth_config geometry_config(int side) {
  cloth_config config = cloth_config_default();
  config.columns = config.rows = side;
  config.origin = vector_at(-0.5, 0.3, -0.5);
  config.capacity.geometry = 1;
  config.capacity.meshes = 2;
  return config;
}

static int run_with(cloth *sheet, int steps, const cloth_surroundings *around) {
  int notes = 0;
  for (int i = 0; i < steps; i++) {
    int result = cloth_step_with(sheet, FRAME, around);
    if (result < 0) return result;
    notes |= result;
  }
  return notes;
}

/* Particles that nothing joins: each is a shot of its own. */
static cloth_config loose_config(int side, int substeps) {
  cloth_config config = geometry_config(side);
  config.fabric.stretch_warp = config.fabric.stretch_weft = config.fabric.shear = config.fabric.bend = 0.0f;
  config.fabric.stretch_damping = config.fabric.shear_damping = config.fabric.bend_damping = 0.0f;
  config.tethers.count = 0;
  config.substeps = substeps;
  config.air.density = 0.0f;
  config.grid.imperfection = 0.0f;
  return config;
}

/// Beside analytic shapes ///

static const char *const shape_names[] = {"hull", "field", "mesh", "one-sided mesh", "grid"};
enum { HULL, FIELD, MESH, SIDED, GRID, KINDS };

/* Level ground at height 0 in the middle of the world, of every kind, and the collider for it. */
static built ground_of(int kind, cloth_collider *collider) {
  built b = kind == HULL    ? build_box(2.0, 0.5, 2.0)
            : kind == FIELD ? build_field_of(level, 4.0, 41)
            : kind == GRID  ? build_grid_of(floor_distance, 4.0, 21)
                            : build_sheet_of(level, 4.0, 41, kind == SIDED);
  *collider = collider_with(&b);
  collider->pose.position =
      vector_at(kind == FIELD ? -2.0 : 0.0, kind == HULL ? -0.5 : 0.0, kind == FIELD ? -2.0 : 0.0);
  return b;
}

/* Shots at a box and at the same box as a hull go the same ways, rounding aside, which grows where the corner of a box
   is met at 50 m/s. */
static void test_hull_is_box(void) {
  cloth_config config = loose_config(20, 8);
  fixture a = fixture_make(&config), b = fixture_make(&config);
  built hull = build_box(0.3, 0.2, 0.25);
  cloth_collider box = cloth_collider_default(), same = collider_with(&hull);
  box.shape = CLOTH_SHAPE_BOX;
  box.half_extents = vector_at(0.3, 0.2, 0.25);
  const point axis = {0.48, 0.6, 0.64};
  box.pose.rotation = same.pose.rotation = rotation_about(axis, 0.7);
  cloth_add_collider(a.sheet, &box);
  cloth_add_collider(b.sheet, &same);
  random_source random = {5};
  for (int i = 0; i < a.count; i++) {
    cloth_vector p =
        vector_at(random_real(&random, -0.5, 0.5), random_real(&random, 0.5, 0.9), random_real(&random, -0.5, 0.5));
    cloth_vector v =
        vector_at(random_real(&random, -9.0, 9.0), random_real(&random, -50.0, 0.0), random_real(&random, -9.0, 9.0));
    cloth_set_particle(a.sheet, i, p, v);
    cloth_set_particle(b.sheet, i, p, v);
  }
  const cloth_surroundings around = around_of(&hull);
  double farthest = 0.0;
  int touched = 0, astray = 0;
  for (int step = 0; step < 3; step++) {
    run_steps(a.sheet, 1, FRAME);
    run_with(b.sheet, 1, &around);
    touched += read_statistics(a.sheet).contacts;
    for (int i = 0; i < a.count; i++) {
      double off = point_distance(position_of(a.sheet, i), position_of(b.sheet, i));
      farthest = fmax(farthest, off);
      astray += off > 2e-4;
    }
  }
  CHECK(touched > 100, "only %d contacts", touched);
  CHECK(astray <= a.count / 100, "%d particles are elsewhere than the box leaves them", astray);
  CHECK(farthest < 5e-3, "a particle is %g m from where the box leaves it", farthest);
  fixture_free(&a);
  fixture_free(&b);
  free_built(&hull);
}

/* Coulomb's law on an incline, and no internal edge that catches. */
#define INCLINE 0.39269908 /* 22.5 degrees */

static void expect_slide(int kind, double friction) {
  const char *name = shape_names[kind];
  const point down = {-cos(INCLINE), -sin(INCLINE), 0.0}, up = {-sin(INCLINE), cos(INCLINE), 0.0};
  cloth_config config = geometry_config(8);
  config.edge_warp = vector_of(point_scaled(down, -0.5));
  config.edge_weft = vector_at(0.0, 0.0, 0.5);
  config.origin = vector_of(point_scaled(up, (double)config.thickness));
  config.integration.velocity_damping = 0.0f;
  config.air.density = 0.0f;
  config.grid.imperfection = 0.0f;
  fixture s = fixture_make(&config);
  cloth_collider ground;
  built b = ground_of(kind, &ground);
  ground.pose.rotation = rotation_about(z_axis, INCLINE);
  point middle = kind == FIELD  ? (point){-2.0, 0.0, -2.0}
                 : kind == HULL ? (point){0.0, -0.5, 0.0}
                                : (point){0.0, 0.0, 0.0};
  ground.pose.position = vector_at(middle.x * cos(INCLINE) - middle.y * sin(INCLINE),
                                   middle.x * sin(INCLINE) + middle.y * cos(INCLINE), middle.z);
  ground.static_friction = ground.kinetic_friction = (float)friction;
  cloth_add_collider(s.sheet, &ground);
  const cloth_surroundings around = around_of(&b);
  run_with(s.sheet, 60, &around);
  double speed = point_dot(mean_velocity(&s), down);
  double expected = fmax(9.81 * (sin(INCLINE) - friction * cos(INCLINE)), 0.0);
  CHECK(fabs(speed - expected) < 0.03 * expected + 1e-3, "%s, friction %g: %g m/s, not %g", name, friction, speed,
        expected);
  fixture_free(&s);
  free_built(&b);
}

static void test_incline(void) {
  const double frictions[] = {0.0, 0.2, 0.35, 0.6};
  for (int kind = 0; kind < KINDS; kind++) {
    for (int n = 0; n < 4; n++)
      expect_slide(kind, frictions[n]);
  }
}

/// Shots ///

/* Shots from above at rolling ground: none gets through, whatever its speed. A wall of triangles stands for what has no
   inside. */
static void shoot(int kind, double speed, int substeps) {
  const char *name = shape_names[kind];
  cloth_config config = loose_config(24, substeps);
  config.integration.max_speed = 1e4f;
  fixture s = fixture_make(&config);
  built b = kind == FIELD  ? build_field_of(hills, 4.0, 41)
            : kind == HULL ? build_box(2.0, 0.1, 2.0)
            : kind == GRID ? build_grid_of(floor_distance, 4.0, 21)
                           : build_sheet_of(hills, 4.0, 41, kind == SIDED);
  cloth_collider ground = collider_with(&b);
  ground.pose.position = kind == FIELD ? vector_at(-2.0, 0.0, -2.0) : vector_at(0.0, kind == HULL ? -0.1 : 0.0, 0.0);
  cloth_add_collider(s.sheet, &ground);
  const cloth_surroundings around = around_of(&b);
  random_source random = {(uint64_t)(kind * 1000 + (int)speed + substeps)};
  for (int i = 0; i < s.count; i++) {
    cloth_vector p = vector_at(random_real(&random, -0.5, 0.5), 0.3, random_real(&random, -0.5, 0.5));
    cloth_vector v =
        vector_at(random_real(&random, -0.4, 0.4) * speed, -speed, random_real(&random, -0.4, 0.4) * speed);
    cloth_set_particle(s.sheet, i, p, v);
  }
  int below = 0;
  for (int step = 0; step < 12; step++) {
    int result = run_with(s.sheet, 1, &around);
    CHECK(result >= 0, "%s: %s", name, cloth_result_name(result));
    for (int i = 0; i < s.count; i++) {
      point p = position_of(s.sheet, i);
      double ground_height = kind == HULL || kind == GRID ? 0.0 : hills(p.x, p.z) - 0.01; /* triangles sag */
      below += fabs(p.x) < 1.9 && fabs(p.z) < 1.9 && p.y < ground_height;
    }
  }
  CHECK(below == 0, "%s, %g m/s, %d substeps: %d below the ground", name, speed, substeps, below);
  fixture_free(&s);
  free_built(&b);
}

static void test_shots(void) {
  const double speeds[] = {2.0, 20.0, 100.0, 300.0};
  const int substeps[] = {4, 8, 28};
  for (int kind = 0; kind < KINDS; kind++) {
    for (int n = 0; n < 12; n++)
      shoot(kind, speeds[n / 3], substeps[n % 3]);
  }
}

/* Shots at a wall that is a single triangle thick, from both sides, while it moves: each stays on its side. */
static void test_both_sides(void) {
  cloth_config config = loose_config(20, 8);
  fixture s = fixture_make(&config);
  built b = build_sheet_of(level, 4.0, 9, 0);
  cloth_collider wall = collider_with(&b);
  wall.static_friction = wall.kinetic_friction = 0.0f;
  wall.pose.rotation = rotation_about(x_axis, 0.5 * acos(-1.0));
  cloth_add_collider(s.sheet, &wall);
  const cloth_surroundings around = around_of(&b);
  for (int i = 0; i < s.count; i++) {
    double side = i % 2 ? 0.2 : -0.2;
    cloth_set_particle(s.sheet, i, vector_at(0.04 * (i % 20) - 0.4, 0.04 * (i / 20) - 0.4, side),
                       vector_at(3.0, 1.0, -60.0 * side * (1 + i % 7)));
  }
  int crossed = 0, hit = 0;
  for (int step = 1; step <= 5; step++) {
    cloth_pose pose = wall.pose;
    pose.position.z = (float)(0.02 * step);
    cloth_move_collider(s.sheet, 0, NULL, &pose);
    run_with(s.sheet, 1, &around);
    hit += read_statistics(s.sheet).contacts;
    for (int i = 0; i < s.count; i++) {
      double z = position_of(s.sheet, i).z - (double)pose.position.z;
      crossed += i % 2 ? z < 0.0 : z > 0.0;
    }
  }
  CHECK(crossed == 0 && hit > 300, "%d on the wrong side, %d contacts", crossed, hit);
  fixture_free(&s);
  free_built(&b);
}

/* One-sided triangles let pass what comes from behind, and bring out what is less than the thickness deep. */
static void test_one_sided(void) {
  cloth_config config = loose_config(4, 8);
  config.gravity = vector_at(0.0, 0.0, 0.0);
  for (int one_sided = 0; one_sided < 2; one_sided++) {
    fixture s = fixture_make(&config);
    built b = build_sheet_of(level, 4.0, 9, one_sided);
    cloth_collider ground = collider_with(&b);
    cloth_add_collider(s.sheet, &ground);
    const cloth_surroundings around = around_of(&b);
    for (int i = 0; i < s.count; i++)
      cloth_set_particle(s.sheet, i, vector_at(0.1 * i - 0.8, i % 2 ? -0.3 : -0.005, 0.05),
                         vector_at(0.0, i % 2 ? 30.0 : 0.0, 0.0));
    run_with(s.sheet, 2, &around);
    for (int i = 0; i < s.count; i++) {
      double y = position_of(s.sheet, i).y;
      CHECK(one_sided ? y > 0.009 : y < -0.009, "one_sided %d, particle %d: %g m", one_sided, i, y);
    }
    fixture_free(&s);
    free_built(&b);
  }
}

/* A particle that ends among triangles of 2 mm looks at no more of them than it may, and says so. */
static void test_overflow(void) {
  cloth_config config = loose_config(4, 1);
  config.integration.max_speed = 1e4f;
  fixture s = fixture_make(&config);
  built b = build_sheet_of(level, 0.2, 101, 0);
  cloth_collider ground = collider_with(&b);
  cloth_add_collider(s.sheet, &ground);
  const cloth_surroundings around = around_of(&b);
  for (int i = 0; i < s.count; i++)
    cloth_set_particle(s.sheet, i, vector_at(-0.3, 0.3, -0.3), vector_at(18.0, -18.0, 18.0));
  uint64_t bound = 0;
  cloth_get_work_bound(s.sheet, FRAME, &bound);
  run_with(s.sheet, 1, &around);
  CHECK(read_statistics(s.sheet).overflows > 0, "no overflow");
  CHECK(read_work(s.sheet) <= bound, "work %g of %g", (double)read_work(s.sheet), (double)bound);
  fixture_free(&s);
  free_built(&b);
}

/// Motion, saves and work ///

/* States with geometry go on from saves and images to the bit; another geometry is refused and changes nothing. */
static void test_saves(void) {
  for (int kind = 0; kind < KINDS; kind++) {
    const char *name = shape_names[kind];
    cloth_config config = geometry_config(10);
    config.origin.y = 0.03f;
    fixture s = fixture_make(&config);
    cloth_collider ground, other_ground;
    built b = ground_of(kind, &ground), other = ground_of((kind + 1) % KINDS, &other_ground);
    cloth_add_collider(s.sheet, &ground);
    const cloth_surroundings around = around_of(&b), wrong = around_of(&other);
    run_with(s.sheet, 10, &around);
    unsigned char *save = (unsigned char *)array_of(s.memory.saved_bytes, 1);
    unsigned char *image = (unsigned char *)array_of(s.memory.image_bytes, 1);
    cloth_save(s.sheet, save, s.memory.saved_bytes);
    cloth_write_image(s.sheet, image, s.memory.image_bytes);
    run_with(s.sheet, 5, &around);
    const uint64_t hash = read_hash(s.sheet);
    CHECK(cloth_load(s.sheet, save, s.memory.saved_bytes) == CLOTH_OK, "%s: load", name);
    run_with(s.sheet, 5, &around);
    CHECK(read_hash(s.sheet) == hash, "%s: another hash after a load", name);
    int result = cloth_read_image(s.sheet, image, s.memory.image_bytes);
    CHECK(result == CLOTH_OK, "%s: image: %s", name, cloth_result_name(result));
    const uint64_t before = read_hash(s.sheet);
    CHECK(cloth_step_with(s.sheet, FRAME, &wrong) == CLOTH_ERROR_GEOMETRY, "%s: another geometry", name);
    CHECK(cloth_step(s.sheet, FRAME) == CLOTH_ERROR_GEOMETRY, "%s: no geometry", name);
    CHECK(cloth_step_with(s.sheet, FRAME, NULL) == CLOTH_ERROR_GEOMETRY, "%s: NULL", name);
    CHECK(read_hash(s.sheet) == before, "%s: a refused step changed the state", name);
    run_with(s.sheet, 5, &around);
    CHECK(read_hash(s.sheet) == hash, "%s: another hash after an image", name);
    free(save);
    free(image);
    fixture_free(&s);
    free_built(&b);
    free_built(&other);
  }
}

/* A geometry that moves in memory stays the same, and an arena with one collider does not hold its address. */
static void test_moved_geometry(void) {
  cloth_config config = geometry_config(8);
  config.origin.y = 0.03f;
  fixture s = fixture_make(&config), t = fixture_make(&config);
  cloth_collider ground;
  built b = ground_of(MESH, &ground);
  unsigned char *allocation, *copy = guarded_buffer(b.bytes, 1, &allocation);
  memcpy(copy, b.memory, b.bytes);
  cloth_add_collider(s.sheet, &ground);
  cloth_add_collider(t.sheet, &ground);
  const cloth_geometry *moved = (const cloth_geometry *)(const void *)copy;
  const cloth_surroundings around = around_of(&b), elsewhere = {.geometries = &moved, .geometry_count = 1};
  run_with(s.sheet, 20, &around);
  run_with(t.sheet, 20, &elsewhere);
  CHECK(read_hash(s.sheet) == read_hash(t.sheet), "another hash");
  const uintptr_t addresses[2] = {(uintptr_t)(const void *)&around, (uintptr_t)(const void *)b.memory};
  int found = 0;
  for (size_t at = 0; at + sizeof(uintptr_t) <= s.memory.total_bytes; at += 4) {
    found += memcmp(s.arena + at, &addresses[0], sizeof(uintptr_t)) == 0;
    found += memcmp(s.arena + at, &addresses[1], sizeof(uintptr_t)) == 0;
  }
  CHECK(found == 0, "%d addresses in the arena", found);
  free(allocation);
  fixture_free(&s);
  fixture_free(&t);
  free_built(&b);
}

/// Bodies that cloths share ///

/* A table of bodies does what the cloth's own colliders do, to the bit, and reports what the cloth did to each. */
static void test_shared_bodies(void) {
  cloth_config config = geometry_config(16);
  config.capacity.max_shared_bodies = 4;
  fixture own = fixture_make(&config), shared = fixture_make(&config);
  built hull = build_box(0.3, 0.1, 0.2);
  cloth_shared_body bodies[6];
  cloth_reaction reactions[6];
  for (int n = 0; n < 6; n++) {
    bodies[n].collider = cloth_collider_default();
    bodies[n].collider.pose.position = vector_at(50.0 * n, 0.0, 0.0); /* the cloth is near number 1 and 2 alone */
    bodies[n].previous = bodies[n].collider.pose;
  }
  bodies[1].collider.pose.position = vector_at(0.1, 0.0, 0.0);
  bodies[2].collider = collider_with(&hull);
  bodies[2].collider.pose.position = vector_at(-0.2, 0.1, 0.1);
  bodies[0].collider.pose.position = vector_at(0.0, -40.0, 0.0);
  cloth_add_collider(own.sheet, &bodies[1].collider);
  cloth_add_collider(own.sheet, &bodies[2].collider);
  const cloth_surroundings mine = around_of(&hull);
  cloth_surroundings theirs = {&hull.geometry, 1, bodies, 6, reactions, {0, 0, 0}, NULL};
  for (int step = 0; step < 60; step++) {
    for (int n = 0; n < 6; n++)
      bodies[n].previous = bodies[n].collider.pose;
    if (step > 30) bodies[1].collider.pose.position.y += 0.004f;
    memset(reactions, 0, sizeof reactions);
    cloth_move_collider(own.sheet, 0, NULL, &bodies[1].collider.pose);
    run_with(own.sheet, 1, &mine);
    int result = run_with(shared.sheet, 1, &theirs);
    CHECK(result >= 0, "%s", cloth_result_name(result));
  }
  cloth_vector_view a, b;
  cloth_get_positions(own.sheet, &a);
  cloth_get_positions(shared.sheet, &b);
  CHECK(memcmp(a.x, b.x, sizeof(float) * (size_t)a.count) == 0 &&
            memcmp(a.y, b.y, sizeof(float) * (size_t)a.count) == 0,
        "other positions than with own colliders");
  for (int n = 0; n < 2; n++) {
    cloth_reaction reaction;
    cloth_get_collider_reaction(own.sheet, n, &reaction);
    CHECK(memcmp(&reaction, &reactions[n + 1], sizeof reaction) == 0, "reaction of body %d", n + 1);
  }
  CHECK(reactions[0].impulse.y == 0.0f && read_statistics(shared.sheet).overflows == 0, "far bodies take part");
  fixture_free(&own);
  fixture_free(&shared);
  free_built(&hull);
}

/* Of two meshes of the table a cloth with room for one takes the first, and counts the other; a body that begins beyond
   the limit of positions takes part in nothing, wherever it goes. */
static void test_bodies_left_out(void) {
  cloth_config config = geometry_config(16);
  config.capacity.max_shared_bodies = 4;
  config.capacity.meshes = 1;
  fixture s = fixture_make(&config);
  built mesh = build_ball(0.5, 6, 0);
  cloth_shared_body bodies[3];
  cloth_reaction reactions[3];
  memset(reactions, 0, sizeof reactions);
  for (int n = 0; n < 3; n++) {
    bodies[n].collider = n < 2 ? collider_with(&mesh) : cloth_collider_default();
    bodies[n].collider.pose.position = vector_at(0.1, n < 2 ? -0.1 : 0.1, 0.0);
    bodies[n].previous = bodies[n].collider.pose;
  }
  const cloth_surroundings around = {&mesh.geometry, 1, bodies, 3, reactions, {1, 0, 0}, NULL};
  bodies[2].previous.position.x = CLOTH_POSITION_LIMIT; /* beyond it from the cloth, by the origin of the table */
  bodies[0].collider.pose.position.x -= 1.0f;
  bodies[1].collider.pose.position.x -= 1.0f;
  bodies[2].collider.pose.position.x -= 1.0f;
  bodies[0].previous = bodies[0].collider.pose;
  bodies[1].previous = bodies[1].collider.pose;
  for (int step = 0; step < 20; step++) {
    CHECK(run_with(s.sheet, 1, &around) >= 0, "a step");
    CHECK(read_statistics(s.sheet).overflows == 1, "%d bodies left out", read_statistics(s.sheet).overflows);
  }
  CHECK(reactions[0].impulse.y < 0.0f && reactions[1].impulse.y == 0.0f && reactions[2].impulse.y == 0.0f,
        "impulses %g, %g, %g", (double)reactions[0].impulse.y, (double)reactions[1].impulse.y,
        (double)reactions[2].impulse.y);
  fixture_free(&s);
  free_built(&mesh);
}

/* Of grids of heights beside, under and over the cloth, and of those that the cloth is too far above, only the one
   under it takes its room, whether it stays, moves or turns. */
static void test_shared_fields(void) {
  built field = build_field_of(level, 2.0, 9);
  static const float far_places[6][3] = {{-6.0f, 0.0f, -1.0f}, {4.0f, 0.0f, -1.0f},   {-1.0f, 0.0f, -6.0f},
                                         {-1.0f, 0.0f, 4.0f},  {-1.0f, -4.0f, -1.0f}, {4.0f, -4.0f, 4.0f}};
  for (int kind = 0; kind < 3; kind++) {
    cloth_config config = geometry_config(12);
    config.capacity.max_shared_bodies = 1;
    fixture s = fixture_make(&config);
    cloth_shared_body bodies[7];
    cloth_reaction reactions[7];
    memset(reactions, 0, sizeof reactions);
    for (int n = 0; n < 7; n++) {
      bodies[n].collider = collider_with(&field);
      bodies[n].collider.pose.position =
          n < 6 ? vector_at((double)far_places[n][0], (double)far_places[n][1], (double)far_places[n][2])
                : vector_at(-1.0, 0.0, -1.0);
      bodies[n].previous = bodies[n].collider.pose;
    }
    const cloth_surroundings around = {&field.geometry, 1, bodies, 7, reactions, {0, 0, 0}, NULL};
    int overflows = 0;
    for (int frame = 0; frame < 40; frame++) {
      bodies[6].previous = bodies[6].collider.pose;
      if (kind == 1) bodies[6].collider.pose.position.y += 0.001f;
      if (kind == 2) /* to and fro, by less than a degree */
        bodies[6].collider.pose.rotation = (cloth_rotation){0.0f, frame % 2 ? 0.005f : 0.0f, 0.0f, 1.0f};
      CHECK(run_with(s.sheet, 1, &around) >= 0, "step");
      overflows += read_statistics(s.sheet).overflows;
    }
    CHECK(overflows == 0, "kind %d: %d bodies too many", kind, overflows);
    CHECK(reactions[6].impulse.y < 0.0f, "kind %d: the ground bears nothing", kind);
    for (int n = 0; n < 6; n++)
      CHECK(reactions[n].impulse.y == 0.0f, "kind %d: far ground %d bears", kind, n);
    fixture_free(&s);
  }
  free_built(&field);
}

/* More bodies near the cloth than it has room for are counted; a cloth sleeps beside bodies at rest, and wakes when one
   near it moves or goes, but not for one far away. */
static void test_bodies_and_sleep(void) {
  cloth_config config = geometry_config(8);
  config.origin.y = 0.02f;
  config.capacity.max_shared_bodies = 1;
  config.sleep.speed = 0.2f;
  config.sleep.time = 0.2f;
  fixture s = fixture_make(&config);
  cloth_shared_body bodies[3];
  for (int n = 0; n < 3; n++) {
    bodies[n].collider = cloth_collider_default();
    bodies[n].collider.shape = n == 0 ? CLOTH_SHAPE_PLANE : CLOTH_SHAPE_SPHERE;
    bodies[n].collider.pose.position = vector_at(n == 2 ? 30.0 : 0.0, n == 1 ? 0.4 : 0.0, 0.0);
    bodies[n].previous = bodies[n].collider.pose;
  }
  cloth_surroundings around = {.bodies = bodies, .body_count = 3};
  run_with(s.sheet, 90, &around);
  CHECK(cloth_is_asleep(s.sheet) == 1, "awake");
  CHECK(read_statistics(s.sheet).overflows == 1, "%d overflows", (int)read_statistics(s.sheet).overflows);
  bodies[2].collider.pose.position.x = 29.0f;
  run_with(s.sheet, 1, &around);
  CHECK(cloth_is_asleep(s.sheet) == 1, "a body far away woke it");
  bodies[0].collider.pose.position.y = 0.001f;
  run_with(s.sheet, 1, &around);
  CHECK(cloth_is_asleep(s.sheet) == 0, "a floor that moved did not wake it");
  run_with(s.sheet, 90, &around);
  CHECK(cloth_is_asleep(s.sheet) == 1, "awake again");
  cloth_step(s.sheet, FRAME);
  CHECK(cloth_is_asleep(s.sheet) == 0, "a floor that went did not wake it");
  fixture_free(&s);
}

/* Of planes that face the same way the inner one counts, wherever the others stand in the list. */
static void test_doubled_planes(void) {
  for (int is_first = 0; is_first < 2; is_first++) {
    built plain = build_box(1.0, 0.5, 0.75), doubled;
    memset(&doubled, 0, sizeof doubled);
    cloth_vector normals[12];
    float offsets[12];
    for (int i = 0; i < 12; i++) {
      const int is_outer = (i < 6) == is_first;
      normals[i] = box_normals[i % 6];
      offsets[i] = plain.data.hull.offsets[i % 6] + (is_outer ? 0.25f : 0.0f);
    }
    doubled.data = plain.data;
    doubled.data.hull.planes = 12;
    doubled.data.hull.normals = normals;
    doubled.data.hull.offsets = offsets;
    build(&doubled);
    const cloth_collider a = collider_with(&plain), b = collider_with(&doubled);
    CHECK(memcmp(&a.half_extents, &b.half_extents, sizeof a.half_extents) == 0, "other extents");
    uint64_t hashes[2];
    for (int n = 0; n < 2; n++) {
      cloth_config config = geometry_config(8);
      fixture s = fixture_make(&config);
      const cloth_surroundings around = around_of(n ? &doubled : &plain);
      CHECK(cloth_add_collider(s.sheet, n ? &b : &a) == 0, "a hull");
      run_with(s.sheet, 60, &around);
      hashes[n] = 0;
      for (int i = 0; i < s.count; i++) {
        const cloth_vector x = vector_of(position_of(s.sheet, i));
        uint32_t bits[3];
        memcpy(bits, &x, sizeof bits);
        for (int k = 0; k < 3; k++)
          hashes[n] = (hashes[n] ^ bits[k]) * UINT64_C(0x100000001b3);
      }
      CHECK(read_statistics(s.sheet).contacts > 0, "nothing touches the hull");
      fixture_free(&s);
    }
    CHECK(hashes[0] == hashes[1], "cloth on a hull with doubled planes lies elsewhere");
    free_built(&plain);
    free_built(&doubled);
  }
}

/* The number of planes and edges of a box with one more plane: that of a face tilted by an angle, or of the edge
   between x and y. */
static int elements_with(double x, double y, point normal, double offset) {
  built box = build_box(x, y, 0.5), more;
  memset(&more, 0, sizeof more);
  cloth_vector normals[7];
  float offsets[7];
  for (int i = 0; i < 6; i++) {
    normals[i] = box_normals[i];
    offsets[i] = box.data.hull.offsets[i];
  }
  normals[6] = vector_of(normal);
  offsets[6] = (float)offset;
  more.data = box.data;
  more.data.hull.planes = 7;
  more.data.hull.normals = normals;
  more.data.hull.offsets = offsets;
  build(&more);
  const cloth_collider collider = collider_with(&more);
  free_built(&box);
  free_built(&more);
  return collider.geometry.elements;
}

/* A box has 6 planes and 12 edges. A plane through one of these lies on it, whatever rounding makes of its offset: the
   edge is found with each of the three pairs of its planes. A face that is tilted by less than 0.001 rad is the face.
 */
static void test_planes_on_hull(void) {
  random_source random = {3};
  for (int n = 0; n < 50; n++) {
    const double x = random_real(&random, 0.1, 2.0), y = random_real(&random, 0.1, 2.0);
    const double angle = random_real(&random, 0.2, 1.3);
    const point across = {cos(angle), sin(angle), 0.0};
    const int elements = elements_with(x, y, across, x * across.x + y * across.y);
    CHECK(elements == 7 + 14, "%g x %g m, %g rad: %d elements", x, y, angle, elements);
    for (int is_face = 0; is_face < 2; is_face++) {
      const double tilt = is_face ? 0.00094 : 0.00106;
      const point tilted = {cos(tilt), sin(tilt), 0.0};
      const int with_tilted = elements_with(x, y, tilted, x * tilted.x);
      CHECK((with_tilted == 6 + 12) == is_face, "%g x %g m, tilted by %g: %d elements", x, y, tilt, with_tilted);
    }
  }
}

/* The smallest hull: a tetrahedron, of 4 planes and 6 edges. A sheet that falls onto its level side rests there. */
static void test_tetrahedron(void) {
  const double height = 0.3, third = 1.0 / 3.0, root = 0.942809041582063;
  const cloth_vector normals[4] = {{0.0f, 1.0f, 0.0f},
                                   vector_at(root, -third, 0.0),
                                   vector_at(-0.5 * root, -third, 0.816496580927726),
                                   vector_at(-0.5 * root, -third, -0.816496580927726)};
  const float offsets[4] = {(float)height, (float)height, (float)height, (float)height};
  built b;
  memset(&b, 0, sizeof b);
  b.data = cloth_geometry_data_default(CLOTH_SHAPE_HULL);
  b.data.hull.planes = 4;
  b.data.hull.normals = normals;
  b.data.hull.offsets = offsets;
  build(&b);
  const cloth_collider collider = collider_with(&b);
  CHECK(collider.geometry.elements == 4 + 6, "%d elements", (int)collider.geometry.elements);
  cloth_config config = geometry_config(8);
  config.edge_warp.x = config.edge_weft.z = 0.2f;
  config.origin = vector_at(-0.1, height + 0.05, -0.1);
  fixture s = fixture_make(&config);
  const cloth_surroundings around = around_of(&b);
  CHECK(cloth_add_collider(s.sheet, &collider) == 0, "a hull");
  run_with(s.sheet, 120, &around);
  for (int i = 0; i < s.count; i++)
    CHECK(fabs(position_of(s.sheet, i).y - height) < 0.02, "particle %d lies at %g m", i, position_of(s.sheet, i).y);
  fixture_free(&s);
  free_built(&b);
}

/// Refusals ///

static void expect_build_refused(const built *good, const cloth_geometry_data *bad, int error, const char *text) {
  const cloth_geometry *out = NULL;
  char words[128] = "";
  int result = cloth_build_geometry(bad, good->memory, good->bytes, &out);
  CHECK(result == error && out == NULL, "%s: %s", text, cloth_result_name(result));
  result = cloth_geometry_explain(bad, words, sizeof words);
  CHECK(result == error && strncmp(words, text, strlen(text)) == 0, "\"%s\" instead of \"%s\"", words, text);
}

static void test_hull_refusals(void) {
  built b = build_box(1.0, 1.0, 1.0);
  cloth_vector normals[6];
  float offsets[6];
  cloth_geometry_data bad = b.data;
  bad.hull.normals = normals;
  bad.hull.offsets = offsets;
#define FRESH (memcpy(normals, box_normals, sizeof normals), memcpy(offsets, b.data.hull.offsets, sizeof offsets))
  FRESH;
  bad.hull.planes = 3;
  expect_build_refused(&b, &bad, CLOTH_ERROR_RANGE, "hull.planes");
  bad.hull.planes = 65;
  expect_build_refused(&b, &bad, CLOTH_ERROR_RANGE, "hull.planes");
  bad.hull.planes = 5; /* a side is open */
  expect_build_refused(&b, &bad, CLOTH_ERROR_CONFLICT, "hull");
  bad.hull.planes = 6;
  offsets[0] = -2.0f; /* nothing is inside */
  expect_build_refused(&b, &bad, CLOTH_ERROR_CONFLICT, "hull");
  const float wrong[] = {NAN, INFINITY, -INFINITY, 1.1e4f};
  for (int n = 0; n < 4; n++) {
    FRESH;
    offsets[3] = wrong[n];
    expect_build_refused(&b, &bad, CLOTH_ERROR_RANGE, "hull.offsets");
    FRESH;
    normals[2].y = wrong[n];
    expect_build_refused(&b, &bad, CLOTH_ERROR_RANGE, "hull.normals");
  }
  normals[2].y = 0.99f;
  expect_build_refused(&b, &bad, CLOTH_ERROR_RANGE, "hull.normals");
  bad.hull.offsets = NULL;
  expect_build_refused(&b, &bad, CLOTH_ERROR_NULL, "data: an array");
  bad = b.data;
  bad.hull.normals = NULL;
  expect_build_refused(&b, &bad, CLOTH_ERROR_NULL, "data: an array");
  free_built(&b);
}

static void test_mesh_refusals(void) {
  built b = build_ball(0.5, 6, 0);
  cloth_geometry_data bad = b.data;
  const size_t count = (size_t)b.data.mesh.vertex_count, triangles = (size_t)b.data.mesh.triangle_count;
  cloth_vector *vertices = (cloth_vector *)array_of(count, sizeof *vertices);
  uint32_t *indices = (uint32_t *)array_of(3 * triangles, sizeof *indices);
  memcpy(vertices, b.data.mesh.vertices, count * sizeof *vertices);
  memcpy(indices, b.data.mesh.indices, 3 * triangles * sizeof *indices);
  bad.mesh.vertices = vertices;
  bad.mesh.indices = indices;
  const float wrong[] = {NAN, INFINITY, -1.1e4f};
  for (int n = 0; n < 3; n++) {
    vertices[count - 1].z = wrong[n];
    expect_build_refused(&b, &bad, CLOTH_ERROR_RANGE, "mesh.vertices");
  }
  vertices[count - 1] = b.data.mesh.vertices[count - 1];
  indices[3 * triangles - 1] = (uint32_t)count;
  expect_build_refused(&b, &bad, CLOTH_ERROR_RANGE, "mesh.indices");
  indices[3 * triangles - 1] = 0xffffffffu;
  expect_build_refused(&b, &bad, CLOTH_ERROR_RANGE, "mesh.indices");
  indices[3 * triangles - 1] = indices[3 * triangles - 2]; /* no area */
  expect_build_refused(&b, &bad, CLOTH_ERROR_CONFLICT, "mesh");
  const cloth_vector thin[3] = {{0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, {0.5f, 0.000005f, 0.0f}}; /* 5e-6 m high */
  static const uint32_t first[3] = {0, 1, 2};
  bad.mesh = (cloth_mesh_data){thin, 3, first, 1, 0};
  expect_build_refused(&b, &bad, CLOTH_ERROR_CONFLICT, "mesh");
  bad.mesh = b.data.mesh;
  bad.mesh.one_sided = 2;
  expect_build_refused(&b, &bad, CLOTH_ERROR_RANGE, "mesh.one_sided");
  bad.mesh.triangle_count = 0;
  expect_build_refused(&b, &bad, CLOTH_ERROR_RANGE, "mesh.triangle_count");
  bad.mesh.triangle_count = CLOTH_TRIANGLE_LIMIT + 1;
  expect_build_refused(&b, &bad, CLOTH_ERROR_RANGE, "mesh.triangle_count");
  bad = b.data;
  bad.mesh.vertex_count = 2;
  expect_build_refused(&b, &bad, CLOTH_ERROR_RANGE, "mesh.triangle_count");
  bad.mesh.vertex_count = 3 * CLOTH_TRIANGLE_LIMIT + 1;
  expect_build_refused(&b, &bad, CLOTH_ERROR_RANGE, "mesh.triangle_count");
  bad = b.data;
  bad.mesh.vertices = NULL;
  expect_build_refused(&b, &bad, CLOTH_ERROR_NULL, "data: an array");
  bad = b.data;
  bad.mesh.indices = NULL;
  expect_build_refused(&b, &bad, CLOTH_ERROR_NULL, "data: an array");
  free(vertices);
  free(indices);
  free_built(&b);
}

static void test_sample_refusals(void) {
  built field = build_field_of(hills, 2.0, 9), grid = build_grid_of(floor_distance, 2.0, 5);
  cloth_geometry_data bad = field.data;
  float samples[125];
  memcpy(samples, field.data.height_field.heights, 81 * sizeof *samples);
  bad.height_field.heights = samples;
  samples[80] = NAN;
  expect_build_refused(&field, &bad, CLOTH_ERROR_RANGE, "height_field.heights");
  bad.height_field.spacing_z = 0.0f;
  expect_build_refused(&field, &bad, CLOTH_ERROR_RANGE, "height_field.spacing");
  bad.height_field.columns = 1;
  expect_build_refused(&field, &bad, CLOTH_ERROR_RANGE, "height_field.columns");
  bad.height_field.columns = bad.height_field.rows = 4096;
  expect_build_refused(&field, &bad, CLOTH_ERROR_RANGE, "height_field.columns");
  bad = field.data;
  bad.height_field.rows = 1;
  expect_build_refused(&field, &bad, CLOTH_ERROR_RANGE, "height_field.columns");
  bad = field.data;
  bad.height_field.spacing_x = 0.0f;
  expect_build_refused(&field, &bad, CLOTH_ERROR_RANGE, "height_field.spacing");
  bad.height_field.heights = NULL;
  expect_build_refused(&field, &bad, CLOTH_ERROR_NULL, "data: an array");
  bad = grid.data;
  memcpy(samples, grid.data.distance_grid.distances, sizeof samples);
  bad.distance_grid.distances = samples;
  samples[62] += 0.6f; /* spacings are 0.5 m */
  expect_build_refused(&grid, &bad, CLOTH_ERROR_RANGE, "distance_grid.distances: neighbours");
  samples[62] = INFINITY;
  expect_build_refused(&grid, &bad, CLOTH_ERROR_RANGE, "distance_grid.distances: -1e4");
  for (int axis = 0; axis < 3; axis++) { /* too steep along one axis */
    const int next = axis == 0 ? 1 : axis == 1 ? 5 : 25;
    for (int n = 0; n < 125; n++)
      samples[n] = 0.6f * (float)(n / next % 5);
    expect_build_refused(&grid, &bad, CLOTH_ERROR_RANGE, "distance_grid.distances: neighbours");
  }
  bad.distance_grid.low.x = 2e4f;
  expect_build_refused(&grid, &bad, CLOTH_ERROR_RANGE, "distance_grid.low");
  bad.distance_grid.spacing = 2e3f;
  expect_build_refused(&grid, &bad, CLOTH_ERROR_RANGE, "distance_grid.spacing");
  for (int field_number = 0; field_number < 7; field_number++) {
    bad = grid.data;
    int32_t *counts[3] = {&bad.distance_grid.count_x, &bad.distance_grid.count_y, &bad.distance_grid.count_z};
    *counts[field_number % 3] = field_number < 3 ? 1 : field_number < 6 ? 0 : 1 << 20;
    expect_build_refused(&grid, &bad, CLOTH_ERROR_RANGE, "distance_grid.count_x");
  }
  bad = grid.data;
  bad.distance_grid.distances = NULL;
  expect_build_refused(&grid, &bad, CLOTH_ERROR_NULL, "data: an array");
  bad.shape = CLOTH_SHAPE_BOX;
  expect_build_refused(&grid, &bad, CLOTH_ERROR_RANGE, "shape");
  const cloth_geometry *out;
  size_t bytes = 7;
  CHECK(cloth_geometry_bytes(NULL, &bytes) == CLOTH_ERROR_NULL && bytes == 7, "bytes of no data");
  CHECK(cloth_geometry_bytes(&bad, &bytes) == CLOTH_ERROR_RANGE && bytes == 7, "bytes of a wrong shape");
  CHECK(cloth_geometry_bytes(&grid.data, NULL) == CLOTH_ERROR_NULL, "nowhere to write");
  CHECK(cloth_geometry_explain(&grid.data, NULL, 128) == CLOTH_ERROR_NULL, "nowhere to explain");
  CHECK(cloth_build_geometry(&grid.data, grid.memory, grid.bytes, NULL) == CLOTH_ERROR_NULL, "nowhere to write");
  CHECK(cloth_build_geometry(&grid.data, grid.memory, grid.bytes - 1, &out) == CLOTH_ERROR_ARENA, "too small");
  CHECK(cloth_build_geometry(&grid.data, grid.memory + 4, grid.bytes, &out) == CLOTH_ERROR_ARENA, "not aligned");
  CHECK(cloth_build_geometry(NULL, grid.memory, grid.bytes, &out) == CLOTH_ERROR_NULL, "no data");
  CHECK(cloth_build_geometry(&grid.data, NULL, grid.bytes, &out) == CLOTH_ERROR_NULL, "no memory");
  free_built(&field);
  free_built(&grid);
}

/* What a cloth without capacity, a collider without geometry and tables that are none are refused with. */
static void test_call_refusals(void) {
  cloth_config config = geometry_config(4), plain = cloth_config_default();
  config.capacity.meshes = 1;
  plain.columns = plain.rows = 4;
  fixture s = fixture_make(&config), p = fixture_make(&plain);
  built b = build_box(1.0, 1.0, 1.0), mesh = build_ball(0.5, 6, 0);
  cloth_collider hull = collider_with(&b), ball = collider_with(&mesh), bare = cloth_collider_default();
  CHECK(cloth_add_collider(p.sheet, &hull) == CLOTH_ERROR_STATE, "a hull without capacity");
  CHECK(cloth_add_collider(p.sheet, &ball) == CLOTH_ERROR_FULL, "a mesh without capacity");
  CHECK(cloth_add_collider(s.sheet, &ball) == 0 && cloth_add_collider(s.sheet, &ball) == CLOTH_ERROR_FULL,
        "two meshes");
  CHECK(cloth_set_collider(s.sheet, 0, &ball) == CLOTH_OK, "a mesh in place of a mesh");
  bare.shape = CLOTH_SHAPE_HULL;
  CHECK(cloth_add_collider(s.sheet, &bare) == CLOTH_ERROR_GEOMETRY, "a hull without geometry");
  for (int field = 0; field < 4; field++) {
    cloth_collider wrong = hull;
    wrong.geometry.place = field == 0 ? -1 : field == 1 ? CLOTH_GEOMETRY_LIMIT : wrong.geometry.place;
    wrong.geometry.elements = field == 2 ? 0 : field == 3 ? CLOTH_SAMPLE_LIMIT + 1 : wrong.geometry.elements;
    CHECK(cloth_add_collider(s.sheet, &wrong) == (field < 2 ? CLOTH_ERROR_RANGE : CLOTH_ERROR_GEOMETRY), "a key, %d",
          field);
  }
  CHECK(cloth_collider_set_geometry(NULL, b.geometry, 0) == CLOTH_ERROR_NULL, "no collider");
  CHECK(cloth_collider_set_geometry(&bare, NULL, 0) == CLOTH_ERROR_NULL, "no geometry");
  CHECK(cloth_collider_set_geometry(&bare, b.geometry, -1) == CLOTH_ERROR_RANGE, "place");
  CHECK(cloth_collider_set_geometry(&bare, b.geometry, CLOTH_GEOMETRY_LIMIT) == CLOTH_ERROR_RANGE, "place");
  CHECK(cloth_collider_set_geometry(&bare, (const cloth_geometry *)(const void *)s.arena, 0) == CLOTH_ERROR_GEOMETRY,
        "an arena is no geometry");
  CHECK(cloth_collider_set_geometry(&bare, (const cloth_geometry *)(const void *)(b.memory + 1), 0) ==
            CLOTH_ERROR_GEOMETRY,
        "a place that is not aligned");
  const cloth_collider sphere = cloth_collider_default();
  CHECK(cloth_add_collider(s.sheet, &sphere) == 1 && cloth_remove_collider(s.sheet, 0) == CLOTH_OK &&
            cloth_set_collider(s.sheet, 1, &ball) == CLOTH_OK && cloth_add_collider(s.sheet, &ball) == CLOTH_ERROR_FULL,
        "one mesh in place of one that was removed");
  const cloth_geometry *none = NULL;
  cloth_shared_body body = {cloth_collider_default(), {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}}};
  cloth_surroundings around = {.geometries = &none, .geometry_count = 1};
  CHECK(cloth_step_with(s.sheet, FRAME, &around) == CLOTH_ERROR_GEOMETRY, "NULL in the table");
  around.geometry_count = -1;
  CHECK(cloth_step_with(s.sheet, FRAME, &around) == CLOTH_ERROR_RANGE, "a count");
  around.geometry_count = CLOTH_GEOMETRY_LIMIT + 1;
  CHECK(cloth_step_with(s.sheet, FRAME, &around) == CLOTH_ERROR_RANGE, "a count");
  around.geometry_count = 0;
  around.bodies = &body;
  around.body_count = CLOTH_SHARED_BODY_LIMIT + 1;
  CHECK(cloth_step_with(s.sheet, FRAME, &around) == CLOTH_ERROR_RANGE, "a count of bodies");
  around.body_count = -1;
  CHECK(cloth_step_with(s.sheet, FRAME, &around) == CLOTH_ERROR_RANGE, "fewer than no bodies");
  around.body_count = 0;
  around.origin.y = CLOTH_ORIGIN_LIMIT + 1;
  CHECK(cloth_step_with(s.sheet, FRAME, &around) == CLOTH_ERROR_RANGE, "an origin");
  around.origin.y = 0;
  around.bodies = NULL;
  around.body_count = 1;
  CHECK(cloth_step_with(s.sheet, FRAME, &around) == CLOTH_ERROR_NULL, "no bodies");
  around.body_count = 0;
  around.geometries = NULL;
  around.geometry_count = 1;
  CHECK(cloth_step_with(s.sheet, FRAME, &around) == CLOTH_ERROR_NULL, "no table");
  around = around_of(&mesh);
  around.bodies = &body;
  around.body_count = 1;
  CHECK(cloth_step_with(s.sheet, FRAME, &around) == CLOTH_ERROR_STATE, "bodies without capacity");
  fixture_free(&s);
  fixture_free(&p);
  config.capacity.max_shared_bodies = 2;
  s = fixture_make(&config);
  body.previous.rotation.w = 0.0f;
  CHECK(cloth_step_with(s.sheet, FRAME, &around) == CLOTH_ERROR_RANGE, "a pose");
  body.previous.rotation.w = 1.0f;
  body.collider.radius = NAN;
  CHECK(cloth_step_with(s.sheet, FRAME, &around) == CLOTH_ERROR_RANGE, "a radius");
  body.collider = hull;
  CHECK(cloth_step_with(s.sheet, FRAME, &around) == CLOTH_ERROR_GEOMETRY, "another geometry");
  for (int field = 0; field < 4; field++) { /* the geometry that is there, but for one field of its key */
    body.collider = collider_with(&mesh);
    body.collider.geometry.elements += field == 0;
    body.collider.geometry.hash[0] ^= field == 1;
    body.collider.geometry.hash[1] ^= field == 2;
    const int expected = field < 3 ? CLOTH_ERROR_GEOMETRY : CLOTH_OK;
    const int result = cloth_step_with(s.sheet, FRAME, &around);
    CHECK(result == expected, "key %d: %s", field, cloth_result_name(result));
  }
  config.capacity.fixed_work = 1;
  cloth_memory memory;
  CHECK(cloth_memory_needed(&config, &memory) == CLOTH_ERROR_CONFLICT, "fixed work");
  fixture_free(&s);
  free_built(&b);
  free_built(&mesh);
}

int main(int count, char **arguments) {
  const test tests[] = {
      TEST(hull_is_box),    TEST(doubled_planes), TEST(planes_on_hull),  TEST(tetrahedron),   TEST(shots),
      TEST(incline),        TEST(both_sides),     TEST(one_sided),       TEST(overflow),      TEST(saves),
      TEST(moved_geometry), TEST(shared_bodies),  TEST(bodies_left_out), TEST(shared_fields), TEST(bodies_and_sleep),
      TEST(hull_refusals),  TEST(mesh_refusals),  TEST(sample_refusals), TEST(call_refusals),
  };
  return RUN_TESTS(count, arguments, tests);
}
