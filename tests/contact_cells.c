/* Contact with bodies that are narrow beside the cells of a coarse sheet: nobody is thrown, momenta stay, cloth comes
   to rest. SPDX-License-Identifier: MIT */
#include "shapes.h"
#include "sheets.h"
#include "support.h"

/* A sheet of 1 m and n x n particles in the x-z plane at height 0, held along its border. */
static cloth_config framed_config(int n, int substeps) {
  cloth_config config = cloth_config_default();
  config.columns = config.rows = n;
  config.edge_weft = vector_at(0.0, 0.0, 1.0);
  config.origin = vector_at(-0.5, 0.0, -0.5);
  config.substeps = substeps;
  config.capacity.max_bodies = 1;
  config.capacity.pin_reactions = 1;
  return config;
}

static fixture framed(const cloth_config *config) {
  fixture s = fixture_make(config);
  for (int i = 0; i < s.count; i++) {
    const int row = i / s.columns, column = i % s.columns;
    if (row == 0 || row == s.count / s.columns - 1 || column == 0 || column == s.columns - 1) cloth_pin(s.sheet, i);
  }
  return s;
}

/// Bodies with mass ///

/* Flat things fall on the sheet: where a cell goes through one, it leaves it without throwing it or the sheet. */
static void test_flat(void) {
  static const struct {
    int32_t shape;
    double half[3], mass;
  } things[] = {{CLOTH_SHAPE_BOX, {0.11, 0.015, 0.08}, 0.5},
                {CLOTH_SHAPE_BOX, {0.075, 0.004, 0.035}, 0.2},
                {CLOTH_SHAPE_CYLINDER, {0.12, 0.01, 0.0}, 0.4},
                {CLOTH_SHAPE_BOX, {0.1, 0.0015, 0.012}, 0.1}};
  static const int substeps[] = {4, 10, 28};
  for (int k = 0; k < 4 * 3 * 2; k++) {
    const double *half = things[k / 6].half;
    const cloth_config config = framed_config(k % 2 ? 11 : 17, substeps[k / 2 % 3]);
    fixture s = framed(&config);
    cloth_collider body = cloth_collider_default();
    body.shape = things[k / 6].shape;
    body.radius = (float)half[0];
    body.half_height = (float)half[1];
    body.half_extents = vector_at(half[0], half[1], half[2]);
    body.pose.position = vector_at(0.05, 0.3, -0.08);
    body.pose.rotation = rotation_about((point){0.6, 0.0, 0.8}, 0.9 + 0.2 * (k % 5));
    cloth_body moving = cloth_body_default(&body, (float)things[k / 6].mass);
    cloth_pose pose = body.pose;
    cloth_add_collider(s.sheet, &body);
    cloth_set_body(s.sheet, 0, &moving);
    double fastest = 0.0, most = 0.0;
    for (int frame = 0; frame < 180 && fabs((double)pose.position.x) < 0.4 && fabs((double)pose.position.z) < 0.4;
         frame++) {
      cloth_step(s.sheet, FRAME);
      cloth_get_body(s.sheet, 0, &moving, &pose);
      const double speed = point_length(point_of(moving.velocity));
      most = fmax(most, 0.5 * speed * speed + 9.81 * ((double)pose.position.y - 0.3));
      for (int i = 0; i < s.count; i++)
        fastest = fmax(fastest, point_length(velocity_of(s.sheet, i)));
    }
    CHECK(most < 0.05 && fastest < 30.0, "thing %d, %d substeps, run %d: gains %g J/kg, cloth at %g m/s", k / 6,
          substeps[k / 2 % 3], k, most, fastest);
    fixture_free(&s);
  }
}

/* A box of random size, mass and attitude above a sheet of 1.2 m, at a height. */
static void drop_random_box(cloth *sheet, random_source *random, double height) {
  const double size = random_real(random, 0.08, 0.16), flat = 0.3 * size + random_real(random, 0.0, 0.02);
  const double x = random_real(random, 0.4, 0.8), z = random_real(random, 0.4, 0.8);
  const double a = random_real(random, 0.0, 6.2831853), b = random_real(random, -1.0, 1.0), c = sqrt(1.0 - b * b);
  cloth_collider box = cloth_collider_default();
  box.shape = CLOTH_SHAPE_BOX;
  box.half_extents = vector_at(size, flat, 0.6 * size);
  box.pose.position = vector_at(x, height, z);
  box.pose.rotation = rotation_about((point){c * cos(a), b, c * sin(a)}, random_real(random, 0.0, 3.14159265));
  const cloth_body body = cloth_body_default(&box, (float)random_real(random, 0.1, 1.0));
  const int32_t index = cloth_add_collider(sheet, &box);
  CHECK(index >= 0 && cloth_set_body(sheet, index, &body) == CLOTH_OK, "a box at %g m", height);
}

/* Boxes, one above the other, fall on a sheet of 1.2 m that is held by two opposite edges. Fastest particle [m/s]. */
static double fastest_under_boxes(uint64_t seed, int count, float blend) {
  enum { N = 20 };
  random_source random = {seed};
  cloth_config config = framed_config(N, 28);
  config.edge_warp = vector_at(1.2, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, 1.2);
  config.origin = vector_at(0.0, 0.0, 0.0);
  config.integration.bdf2_blend = blend;
  config.capacity.max_bodies = count;
  fixture s = fixture_make(&config);
  for (int i = 0; i < N; i++) {
    cloth_pin(s.sheet, i);
    cloth_pin(s.sheet, N * (N - 1) + i);
  }
  for (int n = 0; n < count; n++)
    drop_random_box(s.sheet, &random, 0.15 + 0.1 * n);
  double fastest = 0.0;
  for (int frame = 0; frame < 200; frame++) {
    cloth_step(s.sheet, FRAME);
    for (int i = 0; i < s.count; i++)
      fastest = fmax(fastest, point_length(velocity_of(s.sheet, i)));
  }
  fixture_free(&s);
  return fastest;
}

/* A box that bounces off a sheet, also while others lie on it, does not throw it. */
static void test_thrown(void) {
  const float blend = cloth_config_default().integration.bdf2_blend;
  const struct {
    uint64_t seed;
    int boxes;
    float blend;
  } runs[] = {{1, 1, blend},  {7, 1, blend}, {11, 1, blend}, {18, 1, blend}, {2, 2, blend}, {7, 2, blend},
              {10, 2, blend}, {1, 3, blend}, {4, 3, blend},  {9, 3, blend},  {1, 3, 0.0f},  {7, 3, 0.0f}};
  for (int k = 0; k < (int)(sizeof runs / sizeof *runs); k++) {
    const double fastest = fastest_under_boxes(runs[k].seed, runs[k].boxes, runs[k].blend);
    CHECK(fastest < 15.0, "%d boxes, seed %d, blend %g: %g m/s", runs[k].boxes, (int)runs[k].seed,
          (double)runs[k].blend, fastest);
  }
}

/* A ball flies into a free sheet: nothing acts on both from outside. In the last runs contact has no thickness,
   and particles that are moved out take momentum along; the goal is .01 there, too. */
static void test_momentum(void) {
  for (int k = 0; k < 6; k++) {
    const float masses[] = {0.01f, 0.2f, 20.0f};
    const double mass = (double)masses[k % 3];
    cloth_config config = framed_config(6, 10);
    config.thickness = k < 3 ? config.thickness : 0.0f;
    config.integration.velocity_damping = config.integration.rest_drag = config.air.density = 0.0f;
    config.integration.bdf2_blend = 0.0f;
    config.gravity = vector_at(0.0, 0.0, 0.0);
    fixture s = fixture_make(&config);
    cloth_collider ball = cloth_collider_default();
    ball.radius = 0.15f;
    ball.pose.position = vector_at(0.02, 0.3, -0.03);
    cloth_body body = cloth_body_default(&ball, masses[k % 3]);
    body.velocity = vector_at(0.3, -3.0, 0.1);
    cloth_add_collider(s.sheet, &ball);
    cloth_set_body(s.sheet, 0, &body);
    const point start = point_scaled(point_of(body.velocity), mass);
    int touched = 0;
    for (int frame = 0; frame < 60; frame++) {
      cloth_statistics statistics;
      cloth_step(s.sheet, FRAME);
      cloth_get_statistics(s.sheet, &statistics);
      touched += statistics.contacts;
    }
    cloth_pose pose;
    cloth_get_body(s.sheet, 0, &body, &pose);
    point sum = point_scaled(point_of(body.velocity), mass);
    for (int i = 0; i < s.count; i++)
      sum = point_sum(sum, point_scaled(velocity_of(s.sheet, i), particle_mass(&s, i)));
    CHECK(touched > 0, "no contact");
    CHECK(point_distance(sum, start) < (k < 3 ? 0.01 : 0.12) * point_length(start), "%g kg: %g of the momentum", mass,
          point_distance(sum, start) / point_length(start));
    fixture_free(&s);
  }
}

/* Cloth rests below a turned capsule that is pressed into it. */
static void test_rests(void) {
  static const cloth_fabric_kind fabrics[] = {CLOTH_FABRIC_SILK, CLOTH_FABRIC_WOOL, CLOTH_FABRIC_COTTON};
  static const struct {
    int substeps;
    double angle, friction, depth;
  } scenes[] = {{4, 1.6, 0.0, 0.17}, {4, 1.9, 0.5, 0.17}, {10, 1.0, 0.0, 0.13}};
  for (int k = 0; k < 9; k++) {
    cloth_config config = framed_config(17, scenes[k / 3].substeps);
    cloth_fabric_preset(fabrics[k % 3], &config.fabric);
    fixture s = framed(&config);
    cloth_collider capsule = cloth_collider_default();
    capsule.shape = CLOTH_SHAPE_CAPSULE;
    capsule.radius = capsule.radius_top = 0.1f;
    capsule.half_height = 0.12f;
    capsule.static_friction = capsule.kinetic_friction = (float)scenes[k / 3].friction;
    capsule.pose.position = vector_at(0.06, 0.26, 0.03);
    capsule.pose.rotation = rotation_about((point){0.6, 0.0, 0.8}, scenes[k / 3].angle);
    cloth_add_collider(s.sheet, &capsule);
    double fastest = 0.0;
    for (int frame = 1; frame <= 720; frame++) {
      if (frame <= 30) capsule.pose.position.y = (float)(0.26 - (0.06 + scenes[k / 3].depth) * frame / 30.0);
      cloth_move_collider(s.sheet, 0, NULL, &capsule.pose);
      cloth_step(s.sheet, FRAME);
      for (int i = 0; frame > 660 && i < s.count; i++)
        fastest = fmax(fastest, point_length(velocity_of(s.sheet, i)));
    }
    CHECK(fastest < 0.02, "scene %d, fabric %d: %g m/s", k / 3, fabrics[k % 3], fastest);
    fixture_free(&s);
  }
}

/* A sheet that turns on a round table without friction, and hangs over its rim, keeps most of its angular momentum
   for 3 s. The goal is .9 of it. */
static void test_turns(void) {
  for (int k = 0; k < 2; k++) {
    cloth_config config = framed_config(32, 4);
    config.origin = vector_at(-0.5, 0.01, -0.5);
    config.air.normal_drag = config.integration.velocity_damping = config.integration.rest_drag = 0.0f;
    fixture s = fixture_make(&config);
    cloth_collider table = cloth_collider_default();
    table.shape = CLOTH_SHAPE_CYLINDER;
    table.radius = table.half_height = 0.3f;
    table.static_friction = table.kinetic_friction = 0.0f;
    table.pose.position = vector_at(0, -0.3, 0);
    cloth_add_collider(s.sheet, &table);
    for (int i = 0; i < s.count; i++) {
      const point x = position_of(s.sheet, i);
      cloth_set_particle(s.sheet, i, vector_of(x), vector_at(2 * x.z, 0, -2 * x.x));
    }
    double turning[2] = {0.0, 0.0};
    const int frames = k == 0 ? 180 : 84;
    for (int frame = 0; frame <= frames; frame++) {
      for (int i = 0; i < s.count && frame % frames == 0; i++) {
        const point x = position_of(s.sheet, i), v = velocity_of(s.sheet, i);
        turning[frame / frames] += (x.z * v.x - x.x * v.z) / s.count;
      }
      cloth_step(s.sheet, k == 0 ? FRAME : 2 * FRAME);
    }
    CHECK(turning[1] > (k == 0 ? 0.8 : 0.6) * turning[0], "%d frames: angular momentum %g of %g", frames, turning[1],
          turning[0]);
    fixture_free(&s);
  }
}

/// Bodies without mass between the particles ///

/* How far a place of the sheet is outside of a body whose top is at a height; over it, above that [m]. */
static double distance_outside(const cloth_collider *body, double top, double inner, point at) {
  const int is_over = distance_to(body, (point){at.x, top - inner, at.z}) < 0.0;
  return fmin(distance_to(body, at), is_over ? at.y - top + inner : 1.0);
}

/* The least of that of 45 places of each triangle. */
static double least_outside(const fixture *s, const cloth_collider *body, double top, double inner) {
  enum { PLACES = 8 };
  double least = 1.0e9;
  for (int i = 0; i + s->columns < s->count; i++) {
    const point a = position_of(s->sheet, i), b = position_of(s->sheet, i + s->columns + 1);
    for (int half = 0; half < 2 && i % s->columns + 1 < s->columns; half++) {
      const point c = position_of(s->sheet, half ? i + s->columns : i + 1);
      for (int m = 0; m < (PLACES + 1) * (PLACES + 1); m++) {
        const double v = m / (PLACES + 1) / (double)PLACES, w = m % (PLACES + 1) / (double)PLACES;
        const point at = point_sum(point_scaled(a, 1.0 - v - w), point_sum(point_scaled(b, v), point_scaled(c, w)));
        least = v + w > 1.0 ? least : fmin(least, distance_outside(body, top, inner, at));
      }
    }
  }
  return least;
}

/* A sheet that is held along its border is laid on what is small against its cells, wherever that is under them:
   nothing comes through by more than the thickness, and the sheet comes to rest. */
static void test_small(void) {
  static const struct {
    const char *name;
    int32_t shape;
    double half[3], side;
    int particles;
  } things[] = {{"post of 5 cm", CLOTH_SHAPE_CYLINDER, {0.025, 0.3, 0.0}, 2.0, 10},
                {"box of 12 cm", CLOTH_SHAPE_BOX, {0.06, 0.3, 0.06}, 2.0, 10},
                {"ball of 6 cm", CLOTH_SHAPE_SPHERE, {0.03, 0.0, 0.0}, 2.0, 10},
                {"capsule of 12 mm", CLOTH_SHAPE_CAPSULE, {0.006, 0.2, 0.0}, 0.96, 17}};
  static const double places[][2] = {{0.11, 0.08}, {0.0, 0.03}, {0.05, -0.06}};
  for (int k = 0; k < 4 * 3 * 2; k++) {
    const int thing = k / 6, place = k / 2 % 3, substeps = k % 2 ? 4 : 2;
    const double side = things[thing].side, scale = side / 2.0, *half = things[thing].half;
    cloth_config config = framed_config(things[thing].particles, substeps);
    config.edge_warp = vector_at(side, 0.0, 0.0);
    config.edge_weft = vector_at(0.0, 0.0, side);
    config.origin = vector_at(-0.5 * side, 0.0, -0.5 * side);
    fixture s = framed(&config);
    cloth_collider body = cloth_collider_default();
    const double over = things[thing].shape == CLOTH_SHAPE_CAPSULE || half[1] == 0.0 ? half[0] : 0.0;
    body.shape = things[thing].shape;
    body.radius = body.radius_top = (float)half[0];
    body.half_height = (float)half[1];
    body.half_extents = vector_at(half[0], half[1], half[2]);
    body.pose.position = vector_at(places[place][0] * scale, -0.02 - half[1] - over, places[place][1] * scale);
    cloth_add_collider(s.sheet, &body);
    double least = 1.0, fastest = 0.0;
    for (int frame = 0; frame < 480; frame++) {
      cloth_step(s.sheet, FRAME);
      least = fmin(least, least_outside(&s, &body, -0.02, 0.4 * half[0]));
      for (int i = 0; frame >= 420 && i < s.count; i++)
        fastest = fmax(fastest, point_length(velocity_of(s.sheet, i)));
    }
    CHECK(least > -(double)config.thickness, "%s, place %d, %d substeps: %g mm inside", things[thing].name, place,
          substeps, -1000.0 * least);
    CHECK(fastest < 0.01, "%s, place %d, %d substeps: %g m/s", things[thing].name, place, substeps, fastest);
    fixture_free(&s);
  }
}

/* Things of 12 mm fall on a sheet whose cells are 60 mm wide, on the middle of one and off it: none falls through, and
   no energy is won from rest. */
static void test_marbles(void) {
  static const int32_t shapes[] = {CLOTH_SHAPE_SPHERE, CLOTH_SHAPE_BOX, CLOTH_SHAPE_CAPSULE};
  static const float masses[] = {0.002f, 0.02f, 0.1f};
  for (int k = 0; k < 2 * 3 * 3 * 2; k++) {
    const int substeps = k % 2 ? 4 : 2, shape = k / 2 % 3, mass = k / 6 % 3, amid = k / 18;
    cloth_config config = framed_config(17, substeps);
    fixture s = framed(&config);
    cloth_collider thing = cloth_collider_default();
    thing.shape = shapes[shape];
    thing.radius = thing.radius_top = 0.012f;
    thing.half_height = 0.02f;
    thing.half_extents = vector_at(0.012, 0.012, 0.012);
    thing.pose.position = vector_at(amid ? 0.03 : 0.021, 0.3, amid ? 0.03 : 0.042);
    if (shape == 2) thing.pose.rotation = (cloth_rotation){0.0f, 0.0f, 0.70710678f, 0.70710678f};
    const int index = cloth_add_collider(s.sheet, &thing);
    cloth_body body = cloth_body_default(&thing, masses[mass]);
    cloth_set_body(s.sheet, index, &body);
    cloth_pose pose = thing.pose;
    double lowest = 0.0, fastest = 0.0;
    for (int frame = 0; frame < 240; frame++) {
      cloth_step(s.sheet, FRAME);
      cloth_get_body(s.sheet, index, &body, &pose);
      lowest = fmin(lowest, (double)pose.position.y);
      if (frame >= 180) fastest = fmax(fastest, point_length(point_of(body.velocity)));
    }
    CHECK(lowest > -0.15, "shape %d of %g kg, %s, %d substeps: falls to %g m", shape, (double)masses[mass],
          amid ? "amid a cell" : "beside", substeps, lowest);
    CHECK(fastest < 0.3, "shape %d of %g kg, %s, %d substeps: %g m/s", shape, (double)masses[mass],
          amid ? "amid a cell" : "beside", substeps, fastest);
    fixture_free(&s);
  }
}

/* A marble rests on a sheet all of whose particles are pinned, amid a cell. */
static void test_pinned(void) {
  for (int substeps = 1; substeps <= 4; substeps *= 2) {
    cloth_config config = framed_config(17, substeps);
    fixture s = fixture_make(&config);
    for (int i = 0; i < s.count; i++)
      cloth_pin(s.sheet, i);
    cloth_collider marble = cloth_collider_default();
    marble.shape = CLOTH_SHAPE_SPHERE;
    marble.radius = 0.012f;
    marble.pose.position = vector_at(0.035, 0.1, 0.028);
    const int index = cloth_add_collider(s.sheet, &marble);
    cloth_body body = cloth_body_default(&marble, 0.02f);
    cloth_set_body(s.sheet, index, &body);
    cloth_pose pose = marble.pose;
    point received = {0.0, 0.0, 0.0};
    for (int frame = 0; frame < 300; frame++) {
      cloth_step(s.sheet, FRAME);
    }
    cloth_get_body(s.sheet, index, &body, &pose);
    for (int i = 0; i < s.count; i++) {
      cloth_vector impulse;
      cloth_get_pin_reaction(s.sheet, i, &impulse);
      received = point_sum(received, point_of(impulse));
    }
    CHECK(pose.position.y > 0.0f && point_length(point_of(body.velocity)) < 1.0e-3, "%d substeps: at %g m, %g m/s",
          substeps, (double)pose.position.y, point_length(point_of(body.velocity)));
    const double weight = 9.81 * (0.02 + (double)config.fabric.density) / 60.0;
    CHECK(fabs(received.y + weight) < 1.0e-3 * weight, "%d substeps: pins receive %g of %g N s", substeps, -received.y,
          weight);
    fixture_free(&s);
  }
}

enum { UNEVEN_COLUMNS = 12, UNEVEN_ROWS = 6 };

/* One column of cells is three times as wide as the others; a thin post comes up in it, whichever it is, and lifts the
   sheet. */
static void test_uneven(void) {
  for (int wide = 1; wide < UNEVEN_COLUMNS - 2; wide++) {
    cloth_vector rest[UNEVEN_COLUMNS * UNEVEN_ROWS];
    for (int i = 0; i < UNEVEN_COLUMNS * UNEVEN_ROWS; i++) {
      const int column = i % UNEVEN_COLUMNS;
      rest[i] = vector_at(0.02 * column + (column > wide ? 0.04 : 0.0), 0.0, 0.02 * (double)(i / UNEVEN_COLUMNS));
    }
    cloth_config config = cloth_config_default();
    config.columns = UNEVEN_COLUMNS;
    config.rows = UNEVEN_ROWS;
    config.edge_warp = vector_at(0.02 * (UNEVEN_COLUMNS - 1) + 0.04, 0.0, 0.0);
    config.edge_weft = vector_at(0.0, 0.0, 0.02 * (UNEVEN_ROWS - 1));
    config.grid.rest_positions = rest;
    config.thickness = 0.004f;
    config.gravity = vector_at(0.0, 0.0, 0.0);
    fixture s = fixture_make(&config);
    for (int row = 0; row < UNEVEN_ROWS; row++) {
      cloth_pin(s.sheet, row * UNEVEN_COLUMNS);
      cloth_pin(s.sheet, row * UNEVEN_COLUMNS + UNEVEN_COLUMNS - 1);
    }
    cloth_collider post = cloth_collider_default();
    post.shape = CLOTH_SHAPE_BOX;
    post.half_extents = vector_at(0.002, 0.02, 0.002);
    post.pose.position = vector_at(0.02 * wide + 0.03, -0.03, 0.05);
    const int index = cloth_add_collider(s.sheet, &post);
    double highest = 0.0;
    for (int frame = 0; frame < 60; frame++) {
      const cloth_pose from = post.pose;
      post.pose.position.y += frame < 30 ? 0.001f : 0.0f;
      cloth_move_collider(s.sheet, index, &from, &post.pose);
      cloth_step(s.sheet, FRAME);
    }
    for (int i = 0; i < s.count; i++)
      highest = fmax(highest, position_of(s.sheet, i).y);
    CHECK(highest > 0.01, "wide column %d: the post lifts the sheet by %g m", wide, highest);
    fixture_free(&s);
  }
}

static const test tests[] = {TEST(flat),  TEST(rests),  TEST(turns),   TEST(thrown), TEST(momentum),
                             TEST(small), TEST(uneven), TEST(marbles), TEST(pinned)};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
