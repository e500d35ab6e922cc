/* Contact of cells: bodies that are narrower than a cell, or have stretched one so far, do not pass between particles.
   SPDX-License-Identifier: MIT */
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
    if (row == 0 || row == s.count / s.columns - 1 || column == 0 || column == s.columns - 1)
      cloth_pin(s.sheet, i);
  }
  return s;
}

/* A small ball, or a thin capsule that lies or stands. */
enum { BALL, LYING, STANDING, SMALL_BODIES };
static const char *const small_names[] = {"ball", "lying capsule", "standing capsule"};

static cloth_collider small_body(int kind, point at) {
  cloth_collider body = cloth_collider_default();
  body.shape = kind == BALL ? CLOTH_SHAPE_SPHERE : CLOTH_SHAPE_CAPSULE;
  body.radius = body.radius_top = 0.02f;
  body.half_height = 0.15f;
  body.pose.position = vector_of(at);
  if (kind == LYING)
    body.pose.rotation = rotation_about((point){0.6, 0.0, 0.8}, 1.5707963);
  return body;
}

/* How far a point lies above the cloth, seen along y; -1 if the cloth is not below it. */
static double height_above(const cloth *sheet, point p) {
  cloth_ray ray;
  memset(&ray, 0, sizeof ray);
  ray.origin = vector_of(p);
  ray.direction = vector_at(0.0, -1.0, 0.0);
  ray.max_distance = 10.0f;
  cloth_surface_point found;
  return cloth_cast_ray(sheet, &ray, &found) == 1 ? (double)found.distance : -1.0;
}

static const point places[] = {{0.07, 0.0, 0.07}, {0.1, 0.0, 0.04}, {0.0, 0.0, 0.0}, {0.07, 0.0, -0.02}};
#define PLACES 4

/// Bodies that the caller moves ///

/* A body is driven 0.2 m through the sheet's plane, whatever its speed: it takes the sheet along. */
static void test_driven(void) {
  const double speeds[] = {1.0, 20.0, 250.0};
  const int substeps[] = {4, 8, 28};
  for (int kind = 0; kind < SMALL_BODIES; kind++)
    for (int at = 0; at < PLACES; at++)
      for (int speed = 0; speed < 3; speed++)
        for (int k = 0; k < 3; k++) {
          if ((substeps[k] < 8 && speeds[speed] > 20.0) || (substeps[k] < 28 && kind == STANDING))
            continue; /* a fast or pointed body still passes cells with few substeps */
          const cloth_config config = framed_config(8, substeps[k]);
          fixture s = framed(&config);
          point p = places[at];
          p.y = 0.25;
          cloth_collider body = small_body(kind, p);
          const int index = cloth_add_collider(s.sheet, &body);
          run_steps(s.sheet, 10, FRAME);
          double lowest = 1.0;
          for (int frame = 0; frame < 60; frame++) {
            p.y = fmax(p.y - speeds[speed] / 60.0, -0.2);
            body.pose.position = vector_of(p);
            cloth_move_collider(s.sheet, index, NULL, &body.pose);
            cloth_step(s.sheet, FRAME);
            lowest = fmin(lowest, height_above(s.sheet, p));
          }
          CHECK(lowest > 0.0, "%s at %g m/s, place %d, %d substeps: %g", small_names[kind], speeds[speed], at,
                substeps[k], lowest);
          CHECK(all_finite(s.sheet), "not finite");
          fixture_free(&s);
        }
}

/* A tube's cells across its seam hold as well. */
static void test_seam(void) {
  for (int column = 0; column < 8; column++) {
    cloth_config config = framed_config(8, 8);
    config.grid.wrap = 1;
    config.edge_weft = vector_at(0.0, -1.0, 0.0);
    config.capacity.max_bodies = 0;
    fixture s = fixture_make(&config);
    for (int i = 0; i < s.count; i++)
      if (i < 8 || i >= s.count - 8)
        cloth_pin(s.sheet, i);
    point middle = {0.0, 0.0, 0.0}, side = {0.0, 0.0, 0.0};
    for (int i = 0; i < 8; i++)
      middle = point_sum(middle, point_scaled(position_of(s.sheet, 24 + i), 0.125));
    for (int i = 0; i < 2; i++)
      for (int row = 3; row < 5; row++)
        side = point_sum(side, point_scaled(position_of(s.sheet, row * 8 + (column + i) % 8), 0.25));
    side.y = middle.y;
    const point way = point_difference(side, middle);
    cloth_collider ball = small_body(BALL, middle);
    const int index = cloth_add_collider(s.sheet, &ball);
    for (int frame = 0; frame <= 60; frame++) {
      ball.pose.position = vector_of(point_sum(middle, point_scaled(way, frame / 40.0)));
      cloth_move_collider(s.sheet, index, NULL, &ball.pose);
      cloth_step(s.sheet, FRAME);
    }
    cloth_ray ray;
    memset(&ray, 0, sizeof ray);
    ray.origin = ball.pose.position;
    ray.direction = vector_of(point_scaled(way, 1.0 / point_length(way)));
    ray.max_distance = 1.0f;
    cloth_surface_point found;
    CHECK(cloth_cast_ray(s.sheet, &ray, &found) == 1, "the ball has passed the cells after column %d", column);
    fixture_free(&s);
  }
}

/* A ball flies against the wall of a long tube, which holds it: cells across its seam that are far from the ball take
   no places of those that are tested. In a tube of 64 rows and more they once took all. */
static void test_long_tube(void) {
  enum { COLUMNS = 12, ROWS = 100 };
  cloth_config config = framed_config(8, 10);
  config.columns = COLUMNS;
  config.rows = ROWS;
  config.grid.wrap = 1;
  config.edge_warp = vector_at(0.6, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, -0.05 * (ROWS - 1), 0.0);
  fixture s = fixture_make(&config);
  for (int i = 0; i < s.count; i++)
    if (i < COLUMNS || i >= s.count - COLUMNS)
      cloth_pin(s.sheet, i);
  point middle = {0.0, 0.0, 0.0};
  for (int i = 0; i < COLUMNS; i++)
    middle = point_sum(middle, point_scaled(position_of(s.sheet, i), 1.0 / COLUMNS));
  const point side = point_scaled(point_sum(position_of(s.sheet, 5), position_of(s.sheet, 6)), 0.5);
  middle.y = position_of(s.sheet, 80 * COLUMNS).y - 0.025;
  cloth_collider ball = small_body(BALL, middle);
  ball.radius = 0.012f;
  cloth_body body = cloth_body_default(&ball, 0.02f);
  body.gravity = 0.0f;
  body.velocity = vector_at(20.0 * (side.x - middle.x), 0.0, 20.0 * (side.z - middle.z));
  cloth_add_collider(s.sheet, &ball);
  cloth_set_body(s.sheet, 0, &body);
  double farthest = 0.0;
  int overflows = 0, touched = 0;
  for (int frame = 0; frame < 60; frame++) {
    cloth_pose pose;
    cloth_step(s.sheet, FRAME);
    cloth_get_body(s.sheet, 0, &body, &pose);
    farthest = fmax(farthest, hypot((double)pose.position.x - middle.x, (double)pose.position.z - middle.z));
    overflows += read_statistics(s.sheet).overflows;
    touched += read_statistics(s.sheet).cell_contacts;
  }
  CHECK(touched > 0 && farthest < 0.2, "a ball in a tube gets to %g m, cells have touched it %d times", farthest,
        touched);
  CHECK(overflows == 0, "%d overflows in a tube", overflows);
  fixture_free(&s);
}

/// Bodies with mass ///

/* A small ball falls on the sheet, stays on it, and weighs there what it weighs. */
static void test_falls(void) {
  const float masses[] = {0.01f, 0.1f, 1.0f};
  const int substeps[] = {4, 10, 28};
  for (int m = 0; m < 3; m++)
    for (int at = 0; at < PLACES; at++)
      for (int k = m == 2; k < 3; k++) {
        cloth_config config = framed_config(8, substeps[k]);
        config.integration.velocity_damping = 1.0f;
        fixture s = framed(&config);
        point p = places[at];
        p.y = 0.3;
        cloth_collider ball = small_body(BALL, p);
        cloth_body body = cloth_body_default(&ball, masses[m]);
        cloth_add_collider(s.sheet, &ball);
        cloth_set_body(s.sheet, 0, &body);
        run_steps(s.sheet, 600, FRAME);
        cloth_pose pose;
        cloth_get_body(s.sheet, 0, &body, &pose);
        double pressed = (double)body.velocity.y * (double)masses[m]; /* with the momentum that it loses */
        for (int frame = 0; frame < 60; frame++) {
          cloth_reaction reaction;
          cloth_step(s.sheet, FRAME);
          cloth_get_collider_reaction(s.sheet, 0, &reaction);
          pressed += (double)reaction.impulse.y;
        }
        cloth_get_body(s.sheet, 0, &body, &pose);
        pressed -= (double)body.velocity.y * (double)masses[m];
        CHECK(height_above(s.sheet, point_of(pose.position)) > 0.0, "%g kg, place %d, %d substeps: at %g",
              (double)masses[m], at, substeps[k], (double)pose.position.y);
        CHECK(fabs(pressed / ((double)masses[m] * 9.81) - 1.0) < 0.01, "%g kg, place %d, %d substeps: weighs %g",
              (double)masses[m], at, substeps[k], pressed / ((double)masses[m] * 9.81));
        fixture_free(&s);
      }
}

/* A hull: the pyramid of a square of side 2 h, y = -h, and the point y = h. */
static const cloth_geometry *pyramid(float h, cloth_collider *body, unsigned char *memory, size_t size) {
  const float slope = 0.4472136f;
  const cloth_vector normals[5] = {{0.0f, -1.0f, 0.0f},
                                   {2.0f * slope, slope, 0.0f},
                                   {-2.0f * slope, slope, 0.0f},
                                   {0.0f, slope, 2.0f * slope},
                                   {0.0f, slope, -2.0f * slope}};
  const float offsets[5] = {h, slope * h, slope * h, slope * h, slope * h};
  cloth_geometry_data data = cloth_geometry_data_default(CLOTH_SHAPE_HULL);
  data.hull.normals = normals;
  data.hull.offsets = offsets;
  data.hull.planes = 5;
  const cloth_geometry *geometry = NULL;
  CHECK(cloth_build_geometry(&data, memory, size, &geometry) == CLOTH_OK, "a pyramid");
  CHECK(cloth_collider_set_geometry(body, geometry, 0) == CLOTH_OK, "is set");
  return geometry;
}

/* A box, a cylinder or a hull whose edges and corners are sharper than cells are narrow falls on the sheet and does not
   fall through. */
static void test_edges(void) {
  static CLOTH_ALIGNED unsigned char memory[4096];
  static const int32_t kinds[] = {CLOTH_SHAPE_BOX, CLOTH_SHAPE_CYLINDER, CLOTH_SHAPE_HULL};
  static const int substeps[] = {4, 10, 28};
  for (int k = 0; k < 3 * 3 * 4; k++) {
    cloth_config config = framed_config(k % 2 ? 11 : 17, substeps[k / 3 % 3]);
    config.capacity.geometry = 1;
    fixture s = framed(&config);
    cloth_collider body = cloth_collider_default();
    body.shape = kinds[k % 3];
    body.radius = body.half_height = 0.07f;
    body.half_extents = vector_at(0.08, 0.06, 0.07);
    body.pose.position = vector_at(0.06 - 0.03 * (k / 9), 0.3, 0.02);
    body.pose.rotation = rotation_about((point){0.6, 0.0, 0.8}, 0.4 + 0.7 * (k / 9));
    cloth_surroundings around = {0};
    const cloth_geometry *geometry = NULL;
    if (body.shape == CLOTH_SHAPE_HULL) {
      geometry = pyramid(0.08f, &body, memory, sizeof memory);
      around.geometries = &geometry;
      around.geometry_count = 1;
    }
    cloth_body moving = cloth_body_default(&body, k % 2 ? 3.0f : 1.0f);
    cloth_pose pose;
    CHECK(cloth_add_collider(s.sheet, &body) == 0 && cloth_set_body(s.sheet, 0, &moving) == CLOTH_OK, "a body");
    int is_inside = 1; /* until it rolls to the border */
    for (int frame = 0; frame < 240 && is_inside; frame++) {
      double lowest = HUGE_VAL;
      cloth_step_with(s.sheet, FRAME, &around);
      cloth_get_body(s.sheet, 0, &moving, &pose);
      for (int i = 0; i < s.count; i++)
        lowest = fmin(lowest, position_of(s.sheet, i).y);
      is_inside = fabs((double)pose.position.x) < 0.4 && fabs((double)pose.position.z) < 0.4;
      CHECK(!is_inside || (double)pose.position.y > lowest, "shape %d, %d substeps, run %d, frame %d: at %g",
            body.shape, substeps[k / 3 % 3], k, frame, (double)pose.position.y);
    }
    fixture_free(&s);
  }
}

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

/* A ball that is pressed 0.2 m deep into a sheet of a metre, held at its border, lets it come to rest. With 10 substeps
   single particles still swing by 0.8 m/s; by 18 before cells were looked at in one order. */
static void test_pressed(void) {
  static const struct {
    int substeps;
    double most;
  } runs[] = {{10, 2.0}, {28, 0.05}};
  for (int k = 0; k < 2; k++) {
    const cloth_config config = framed_config(17, runs[k].substeps);
    fixture s = framed(&config);
    cloth_collider ball = cloth_collider_default();
    ball.radius = 0.1f;
    ball.pose.position = vector_at(0.03, 0.15, 0.02);
    cloth_add_collider(s.sheet, &ball);
    double fastest = 0;
    for (int frame = 0; frame < 300; frame++) {
      const cloth_pose to = {vector_at(0.03, fmax(0.15 - 0.01 * frame, -0.1), 0.02), rotation_none()};
      cloth_move_collider(s.sheet, 0, NULL, &to);
      cloth_step(s.sheet, FRAME);
      for (int i = 0; frame >= 240 && i < s.count; i++)
        fastest = fmax(fastest, point_length(velocity_of(s.sheet, i)));
    }
    CHECK(fastest < runs[k].most, "%d substeps: moves at %g m/s", runs[k].substeps, fastest);
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

/* Where a box bounces off a sheet, also while others lie on it, tethers take back slowly what they are too long by:
   within a substep that threw the sheet, at up to 170 m/s. */
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

/* A ball flies into the middle of a cell of a free sheet: nothing acts on both from outside. In the last runs cloth and
   ball have no thickness. */
static void test_momentum(void) {
  for (int k = 0; k < 6; k++) {
    const float masses[] = {0.01f, 0.2f, 20.0f};
    const double mass = (double)masses[k % 3];
    cloth_config config = framed_config(6, 10);
    config.thickness = k < 3 ? config.thickness : 0.0f;
    config.integration.velocity_damping = config.air.density = 0.0f;
    config.integration.bdf2_blend = 0.0f;
    config.gravity = vector_at(0.0, 0.0, 0.0);
    fixture s = fixture_make(&config);
    cloth_collider ball = small_body(BALL, (point){0.02, 0.2, -0.03});
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
      touched += statistics.cell_contacts;
    }
    cloth_pose pose;
    cloth_get_body(s.sheet, 0, &body, &pose);
    point sum = point_scaled(point_of(body.velocity), mass);
    for (int i = 0; i < s.count; i++)
      sum = point_sum(sum, point_scaled(velocity_of(s.sheet, i), particle_mass(&s, i)));
    CHECK(touched > 0, "no contact of cells");
    CHECK(point_distance(sum, start) < 0.01 * point_length(start), "%g kg: %g of the momentum", mass,
          point_distance(sum, start) / point_length(start));
    fixture_free(&s);
  }
}

/// Where they are, and where not ///

/* Cloth that is fine beside its colliders has no contacts of cells; overflows are counted; pins hold. */
static void test_limits(void) {
  cloth_statistics statistics;
  cloth_config config = cloth_config_default();
  config.origin = vector_at(-0.5, 0.3, -0.5);
  fixture s = fixture_make(&config);
  cloth_collider ball = cloth_collider_default();
  cloth_add_collider(s.sheet, &ball);
  int touched = 0;
  for (int frame = 0; frame < 120; frame++) {
    cloth_step(s.sheet, FRAME);
    cloth_get_statistics(s.sheet, &statistics);
    touched += statistics.cell_contacts;
  }
  CHECK(touched == 0 && statistics.contacts > 0, "%d contacts of cells of fine cloth", touched);
  fixture_free(&s);

  config = framed_config(24, 4);
  s = fixture_make(&config);
  for (int i = 0; i < s.count; i++)
    cloth_pin(s.sheet, i);
  cloth_collider rod = small_body(LYING, (point){0.0, 0.05, 0.0});
  rod.radius = rod.radius_top = 1e-3f;
  rod.half_height = 2.0f;
  cloth_add_collider(s.sheet, &rod);
  const double y = position_of(s.sheet, 300).y;
  rod.pose.position.y = -0.05f;
  cloth_move_collider(s.sheet, 0, NULL, &rod.pose);
  CHECK(cloth_step(s.sheet, FRAME) >= CLOTH_OK && all_finite(s.sheet), "a rod through pins");
  cloth_get_statistics(s.sheet, &statistics);
  CHECK(statistics.overflows > 0, "no overflows");
  CHECK(position_of(s.sheet, 300).y == y, "a pin has moved");
  fixture_free(&s);
}

/* How a ball is turned does not matter. Its cells once were looked at in its own axes, and moved in those of the world:
   it passed through the cloth. */
static void test_rotated(void) {
  const cloth_rotation rotations[] = {
      {0.0f, 0.0f, 0.0f, 1.0f}, {0.6f, 0.0f, 0.0f, 0.8f}, {0.0f, 0.6f, 0.8f, 0.0f}, {0.5f, 0.5f, 0.5f, 0.5f}};
  fixture s[4];
  for (int k = 0; k < 4; k++) {
    const cloth_config config = framed_config(8, 10);
    s[k] = framed(&config);
    cloth_collider ball = small_body(BALL, (point){0.0, 0.05, -0.03});
    ball.pose.rotation = rotations[k];
    cloth_add_collider(s[k].sheet, &ball);
    for (int frame = 0; frame < 60; frame++) {
      ball.pose.position.y -= 0.1f / 60.0f;
      cloth_move_collider(s[k].sheet, 0, NULL, &ball.pose);
      cloth_step(s[k].sheet, FRAME);
    }
    CHECK(read_statistics(s[k].sheet).cell_contacts > 0, "rotation %d: no cell touches", k);
    CHECK(largest_distance(&s[k], &s[0]) == 0.0, "rotation %d: elsewhere by %g m", k, largest_distance(&s[k], &s[0]));
  }
  for (int k = 0; k < 4; k++)
    fixture_free(&s[k]);
}

/* Cloth rests below a turned capsule that is pressed into it. Particles that slide on it once kept a velocity after
   lines had taken their way back: it moved at 0.1 to 0.4 m/s for ever. */
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
      if (frame <= 30)
        capsule.pose.position.y = (float)(0.26 - (0.06 + scenes[k / 3].depth) * frame / 30.0);
      cloth_move_collider(s.sheet, 0, NULL, &capsule.pose);
      cloth_step(s.sheet, FRAME);
      for (int i = 0; frame > 660 && i < s.count; i++)
        fastest = fmax(fastest, point_length(velocity_of(s.sheet, i)));
    }
    CHECK(fastest < 0.02, "scene %d, fabric %d: %g m/s", k / 3, fabrics[k % 3], fastest);
    fixture_free(&s);
  }
}

/* A sheet that turns on a round table without friction, and hangs over its rim, keeps its angular momentum: lines over
   contacts, which too few substeps call for in every substep, once took 27 % of it in 3 s, and 42 % in substeps of
   1/120 s. */
static void test_turns(void) {
  for (int k = 0; k < 2; k++) {
    cloth_config config = framed_config(32, 4);
    config.origin = vector_at(-0.5, 0.01, -0.5);
    config.air.normal_drag = config.integration.velocity_damping = 0.0f;
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
    CHECK(turning[1] > 0.9 * turning[0], "%d frames: angular momentum %g of %g", frames, turning[1], turning[0]);
    fixture_free(&s);
  }
}

static const test tests[] = {TEST(driven), TEST(seam),     TEST(long_tube), TEST(falls), TEST(edges),
                             TEST(flat),   TEST(pressed),  TEST(rotated),   TEST(rests), TEST(turns),
                             TEST(thrown), TEST(momentum), TEST(limits)};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
