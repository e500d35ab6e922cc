/*
 * Far from home: cloth rests and sleeps whatever its distance from zero, its origin moves with everything that holds a
 * position, and no step depends on where in the world the origin is.
 *
 * SPDX-License-Identifier: MIT
 */
#include "refusals.h"

/// Rest ///

#define REST_SECONDS 30

/* A place in the world: of a position relative to the origin of a cloth. */
static point world_of(const cloth *sheet, point p) {
  cloth_metres origin = {0, 0, 0};
  cloth_get_origin(sheet, &origin);
  const point o = {origin.x, origin.y, origin.z};
  return point_sum(o, p);
}

static point world_position(const cloth *sheet, int particle) {
  return world_of(sheet, position_of(sheet, particle));
}

static double fastest_of(const fixture *s) {
  double fastest = 0.0;
  for (int i = 0; i < s->count; i++)
    fastest = fmax(fastest, point_length(velocity_of(s->sheet, i)));
  return fastest;
}

/* The largest speed in the last second of half a minute. */
static double fastest_at_rest(const fixture *s) {
  double fastest = 0.0;
  for (int frame = 0; frame < REST_SECONDS * 60; frame++) {
    CHECK(cloth_step(s->sheet, FRAME) >= 0, "a step");
    fastest = frame < (REST_SECONDS - 1) * 60 ? 0.0 : fmax(fastest, fastest_of(s));
  }
  return fastest;
}

/* A sheet of 1 m, by default 24 x 24, that hangs by two corners, its first particle at a place. */
static cloth_config hung_config(int n, cloth_vector place) {
  cloth_config config = cloth_config_default();
  config.columns = config.rows = n;
  config.origin = place;
  return config;
}

static fixture hung_sheet(const cloth_config *config) {
  fixture s = fixture_make(config);
  cloth_pin(s.sheet, 0);
  cloth_pin(s.sheet, config->columns - 1);
  return s;
}

typedef struct far_case {
  const char *name;
  double place; /* of the first particle along x and z [m] */
  int n, substeps;
} far_case;

static const far_case far_cases[] = {
    {"home", 0.0, 24, 28},         {"30_m", 30.0, 24, 28},     {"100_m", 100.0, 24, 28},
    {"1_km", 1000.0, 24, 28},      {"-1_km", -1000.0, 24, 28}, {"1_km_4_substeps", 1000.0, 24, 4},
    {"100_m_fine", 100.0, 40, 28},
};
static const far_case *tested_case;

static const char *far_name(int number) {
  return far_cases[number].name;
}

static void select_far(int number) {
  tested_case = &far_cases[number];
}

static const test_cases every_far_case = {0, sizeof far_cases / sizeof far_cases[0], far_name, select_far};

/* With default settings a sheet far from its origin comes to rest, and with a speed of sleep it sleeps. */
static void test_rest_far_from_the_origin(void) {
  const double at = tested_case->place;
  cloth_config config = hung_config(tested_case->n, vector_at(at, 0.5 * at, at));
  config.substeps = tested_case->substeps;
  fixture s = hung_sheet(&config);
  double fastest = fastest_at_rest(&s);
  CHECK(fastest < 0.06, "%s: %g m/s at rest", tested_case->name, fastest);
  CHECK((read_statistics(s.sheet).notes & CLOTH_NOTE_FAR) == 0, "%s: far", tested_case->name);
  fixture_free(&s);
  config.sleep.speed = 0.05f;
  s = hung_sheet(&config);
  for (int frame = 0; frame < REST_SECONDS * 60 && !cloth_is_asleep(s.sheet); frame++)
    cloth_step(s.sheet, FRAME);
  CHECK(cloth_is_asleep(s.sheet) == 1, "%s: awake after %d s", tested_case->name, REST_SECONDS);
  fixture_free(&s);
}

/* The shape at rest is the one at home to 5 mm up to 1 km from the origin: a step loses what moves by less than half
   the resolution of a position, 4e-6 m at 100 m, so that slow creep ends early. */
static void test_shape_far_from_the_origin(void) {
  cloth_config config = hung_config(24, vector_at(0.0, 0.0, 0.0));
  config.integration.velocity_damping = 2.0f; /* both are at rest */
  fixture home = hung_sheet(&config);
  run_steps(home.sheet, REST_SECONDS * 60, FRAME);
  for (int far = 0; far < 2; far++) {
    const point shift = {far ? -1000.0 : 100.0, far ? 300.0 : -70.0, far ? 1000.0 : 100.0};
    config.origin = vector_of(shift);
    fixture away = hung_sheet(&config);
    run_steps(away.sheet, REST_SECONDS * 60, FRAME);
    double apart = 0.0;
    for (int i = 0; i < home.count; i++)
      apart = fmax(apart, point_distance(point_sum(position_of(home.sheet, i), shift), position_of(away.sheet, i)));
    CHECK(apart < 7e-3, "%g m apart at %g m", apart, fabs(shift.x));
    fixture_free(&away);
  }
  fixture_free(&home);
}

/* On the ground and over a ball at 1 km, told by poses there. */
static void test_rest_on_colliders_far_away(void) {
  cloth_config config = hung_config(24, vector_at(1000.0, 200.5, -500.0));
  config.sleep.speed = 0.05f;
  fixture s = fixture_make(&config);
  cloth_collider ground = cloth_collider_default(), ball = cloth_collider_default();
  ground.shape = CLOTH_SHAPE_PLANE;
  ground.pose.position = vector_at(-3000.0, 200.0, 7000.0);
  ball.pose.position = vector_at(1000.5, 200.1, -499.5);
  cloth_add_collider(s.sheet, &ground);
  cloth_add_collider(s.sheet, &ball);
  for (int frame = 0; frame < REST_SECONDS * 60 && !cloth_is_asleep(s.sheet); frame++)
    CHECK(cloth_step(s.sheet, FRAME) == CLOTH_OK, "notes");
  CHECK(cloth_is_asleep(s.sheet) == 1, "awake");
  double lowest = 1e9, deepest = 1e9;
  for (int i = 0; i < s.count; i++) {
    lowest = fmin(lowest, position_of(s.sheet, i).y - 200.0);
    deepest = fmin(deepest, point_distance(position_of(s.sheet, i), point_of(ball.pose.position)) - 0.25);
  }
  CHECK(lowest > 0.009 && deepest > 0.009, "%g m above the ground, %g m above the ball", lowest, deepest);
  fixture_free(&s);
}

/* A pin of a cloth that is moved inside of a step stays where it is, to the bit, wherever the cloth is. */
static void test_pins_stay(void) {
  random_source random = {7};
  for (int trial = 0; trial < 200; trial++) {
    double reach = pow(10.0, random_real(&random, -1.0, 4.9));
    cloth_config config = hung_config(4, vector_at(random_real(&random, -reach, reach), random_real(&random, -2.0, 2.0),
                                                   random_real(&random, -reach, reach)));
    config.substeps = 2;
    fixture s = hung_sheet(&config);
    cloth_vector before[2], after[2];
    for (int pin = 0; pin < 2; pin++)
      cloth_get_position(s.sheet, 3 * pin, &before[pin]);
    run_steps(s.sheet, 20, FRAME);
    for (int pin = 0; pin < 2; pin++)
      cloth_get_position(s.sheet, 3 * pin, &after[pin]);
    CHECK(memcmp(before, after, sizeof before) == 0, "trial %d: a pin moved by %g, %g", trial,
          (double)(after[0].x - before[0].x), (double)(after[1].x - before[1].x));
    fixture_free(&s);
  }
}

/* A cloth near the end of the range of positions is kept within it. */
static void test_end_of_the_range(void) {
  cloth_config config = hung_config(6, vector_at(99998.5, 99999.0, -99999.5));
  fixture s = fixture_make(&config);
  cloth_set_gravity(s.sheet, vector_at(30.0, 20.0, -10.0));
  int notes = run_steps(s.sheet, 120, FRAME);
  CHECK(notes > 0 && (notes & CLOTH_NOTE_RECOVERED) != 0, "notes %d", notes);
  for (int i = 0; i < s.count; i++) {
    point p = position_of(s.sheet, i);
    CHECK(p.x <= 1e5 && p.y <= 1e5 && p.z >= -1e5, "particle %d at %g, %g, %g", i, p.x, p.y, p.z);
    CHECK(p.x > 99990.0 && p.y > 99990.0 && p.z < -99990.0, "particle %d at %g, %g, %g", i, p.x, p.y, p.z);
  }
  fixture_free(&s);
}

/* The note comes where a coordinate is more than 32768 cells away, and not before. */
static void test_far_note(void) {
  const double cell = 1.0 / 23.0;
  for (int axis = 0; axis < 3; axis++) {
    for (int sign = -1; sign <= 1; sign += 2) {
      for (int beyond = 0; beyond < 2; beyond++) {
        double at = sign * (32768.0 * cell + (beyond ? 2.0 : -2.0));
        cloth_config config = hung_config(24, vector_at(axis == 0 ? at : 0, axis == 1 ? at : 0, axis == 2 ? at : 0));
        fixture s = hung_sheet(&config);
        int notes = cloth_step(s.sheet, FRAME);
        CHECK(((notes & CLOTH_NOTE_FAR) != 0) == beyond, "notes %d at %g m on axis %d", notes, at, axis);
        fixture_free(&s);
      }
    }
  }
}

/// The origin in the world ///

/* A scene that uses whatever has a position: a moving pin, a line, a plane, targets, and colliders that move. */
static cloth_config busy_config(void) {
  cloth_config config = cloth_config_default();
  config.columns = 9;
  config.rows = 8;
  config.origin = vector_at(40.0, -17.0, 64.0);
  config.edge_warp = vector_at(0.8, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, -0.25, 0.75);
  config.substeps = 6;
  config.integration.velocity_damping = 2.0f;
  config.capacity.targets = 1;
  return config;
}

static const point busy_home = {40.0, -17.0, 64.0};

/* A point of the scene relative to the origin that the cloth has. */
static cloth_vector busy_point(const cloth *sheet, double x, double y, double z) {
  const point p = {x, y, z};
  return vector_of(point_difference(point_sum(busy_home, p), world_of(sheet, (point){0.0, 0.0, 0.0})));
}

static fixture busy_sheet(const cloth_config *config) {
  fixture s = fixture_make(config);
  const cloth_motion_constraint constraint = {0.3f, 0.05f, 0.5f, 0.0f};
  cloth_collider ball = cloth_collider_default(), box = cloth_collider_default();
  cloth_pin(s.sheet, 0);
  cloth_pin(s.sheet, 8);
  cloth_confine_to_line(s.sheet, 35, vector_at(0.3, 1.0, 0.2));
  cloth_confine_to_plane(s.sheet, 70, vector_at(0.0, 0.6, 0.8));
  ball.pose.position = busy_point(s.sheet, 0.4, -0.4, 0.3);
  box.shape = CLOTH_SHAPE_BOX;
  box.pose.position = busy_point(s.sheet, 0.5, -0.7, 0.8);
  cloth_add_collider(s.sheet, &ball);
  cloth_add_collider(s.sheet, &box);
  for (int i = 40; i < s.count; i += 3)
    cloth_set_motion_constraint(s.sheet, i, &constraint);
  return s;
}

/* What is asked for before a step, at places of the world. */
static void busy_calls(const fixture *s, int frame) {
  double swing = 0.01 * (frame % 20 < 10 ? frame % 10 : 10 - frame % 10);
  cloth_move_pin(s->sheet, 0, busy_point(s->sheet, 0.0, swing, swing));
  cloth_pose pose = {busy_point(s->sheet, 0.4, -0.4 + swing, 0.3), rotation_about((point){0, 1, 0}, 0.1 * frame)};
  cloth_move_collider(s->sheet, 0, NULL, &pose);
  pose.position = busy_point(s->sheet, 0.5, -0.7, 0.8 - swing);
  cloth_move_collider(s->sheet, 1, NULL, &pose);
  cloth_vector vertices[2 * 72];
  for (int i = 0; i < s->count; i++) {
    vertices[2 * i] = busy_point(s->sheet, 0.1 * (i % 9), -0.05 * (i / 9) + swing, 0.1 * (i / 9));
    vertices[2 * i + 1] = vector_at(0.0, 1.0, swing);
  }
  const cloth_vertex_layout layout = {2 * sizeof(cloth_vector), 0, sizeof(cloth_vector), CLOTH_ATTRIBUTE_NONE};
  int result = cloth_move_targets(s->sheet, &layout, vertices, sizeof vertices);
  CHECK(result == CLOTH_OK, "cloth_move_targets: %s", cloth_result_name(result));
}

static double distance_in_world(const fixture *a, const fixture *b) {
  double apart = 0.0;
  for (int i = 0; i < a->count; i++)
    apart = fmax(apart, point_distance(world_position(a->sheet, i), world_position(b->sheet, i)));
  return apart;
}

/* Wherever the origin is, calls and steps do the same to the bit, but for the origin itself. */
static void test_origin_is_a_label(void) {
  static const cloth_metres places[] = {
      {100000, 0, -100000}, {CLOTH_ORIGIN_LIMIT, -CLOTH_ORIGIN_LIMIT, 12345}, {-1, -2, -3}};
  for (size_t n = 0; n < sizeof places / sizeof places[0]; n++) {
    cloth_config config = hung_config(9, vector_at(40.0, -17.0, 64.0));
    fixture home = hung_sheet(&config);
    config.world.origin = places[n];
    fixture away = hung_sheet(&config);
    cloth_collider ball = cloth_collider_default();
    ball.pose.position = vector_at(40.4, -17.4, 64.3);
    CHECK(cloth_add_collider(home.sheet, &ball) == 0 && cloth_add_collider(away.sheet, &ball) == 0, "a ball");
    for (int frame = 0; frame < 60; frame++) {
      int here = cloth_step(home.sheet, FRAME), there = cloth_step(away.sheet, FRAME);
      CHECK(here >= 0 && here == there, "notes %d and %d", here, there);
    }
    CHECK(read_hash(home.sheet) != read_hash(away.sheet), "the hash misses the origin");
    cloth_metres origin;
    CHECK(cloth_get_origin(away.sheet, &origin) == CLOTH_OK && memcmp(&origin, &places[n], sizeof origin) == 0,
          "origin at %d, %d, %d", (int)origin.x, (int)origin.y, (int)origin.z);
    cloth_vector_view a, b;
    cloth_get_positions(home.sheet, &a);
    cloth_get_positions(away.sheet, &b);
    int differ = 0;
    for (int i = 0; i < a.count; i++)
      differ += a.x[i] != b.x[i] || a.y[i] != b.y[i] || a.z[i] != b.z[i];
    CHECK(differ == 0, "%d particles differ", differ);
    fixture_free(&home);
    fixture_free(&away);
  }
}

/* Moving the origin towards the cloth and back gives the same bits: of particles, pins and their moves, lines and
   planes, colliders and targets that move. */
static void test_there_and_back(void) {
  cloth_config config = busy_config();
  fixture s = busy_sheet(&config);
  for (int frame = 0; frame < 12; frame++) {
    busy_calls(&s, frame);
    if (frame % 3 == 2) {
      uint64_t before = read_hash(s.sheet);
      unsigned char *state = copy_bytes(fixture_state(&s), s.memory.state_bytes);
      const cloth_metres near = {38 + frame % 4, -17, 60 + frame % 8}, home = {0, 0, 0};
      CHECK(cloth_set_origin(&s.sheet, 1, near) == CLOTH_OK, "to the cloth");
      CHECK(read_hash(s.sheet) != before, "the hash misses the origin");
      CHECK(cloth_set_origin(&s.sheet, 1, home) == CLOTH_OK, "and back");
      CHECK(memcmp(state, fixture_state(&s), s.memory.state_bytes) == 0, "not the same state in frame %d", frame);
      free(state);
    }
    CHECK(cloth_step(s.sheet, FRAME) >= 0, "frame %d", frame);
  }
  fixture_free(&s);
}

/* With origins that move before every step, between the calls and the step, everything that has been asked for happens
   where it has been asked for. */
static void test_everything_moves(void) {
  cloth_config config = busy_config();
  fixture still = busy_sheet(&config), moved = busy_sheet(&config);
  double apart = 0.0;
  for (int frame = 0; frame < 22; frame++) {
    busy_calls(&still, frame);
    busy_calls(&moved, frame);
    const cloth_metres place = {40 + 3 * (frame % 5), -17 - frame % 7, 64 + 8 * (frame % 3)};
    CHECK(cloth_set_origin(&moved.sheet, 1, place) == CLOTH_OK, "frame %d", frame);
    int notes = cloth_step(still.sheet, FRAME);
    CHECK(notes >= 0 && cloth_step(moved.sheet, FRAME) == notes, "notes in frame %d", frame);
    apart = fmax(apart, distance_in_world(&still, &moved));
    cloth_vector low, high;
    cloth_get_bounds(moved.sheet, &low, &high);
    point corner = world_of(moved.sheet, point_of(low));
    CHECK(point_distance(corner, busy_home) < 3.0, "bounds at %g, %g, %g", corner.x, corner.y, corner.z);
  }
  CHECK(apart < 5e-3, "%g m apart", apart); /* a step magnifies the rounding of positions, 4e-6 m here */
  cloth_metres origin;
  cloth_get_origin(moved.sheet, &origin);
  CHECK(origin.x == 43 && origin.y == -17 && origin.z == 64, "at %d, %d, %d", (int)origin.x, (int)origin.y,
        (int)origin.z);
  fixture_free(&still);
  fixture_free(&moved);
}

/* Saves and images carry the origin, and a cloth goes on from them to the bit. */
static void test_origin_is_state(void) {
  cloth_config config = busy_config();
  config.world.recentre_distance = 4.0f;
  fixture a = busy_sheet(&config);
  CHECK((run_steps(a.sheet, 3, FRAME) & CLOTH_NOTE_ORIGIN_MOVED) != 0, "it did not move");
  unsigned char *save = copy_bytes(a.arena, a.memory.saved_bytes), *image = copy_bytes(a.arena, a.memory.image_bytes);
  CHECK(cloth_save(a.sheet, save, a.memory.saved_bytes) == CLOTH_OK, "save");
  CHECK(cloth_write_image(a.sheet, image, a.memory.image_bytes) == CLOTH_OK, "image");
  config.world.origin.x = -7; /* the origin is state, not config */
  fixture b = busy_sheet(&config), c = busy_sheet(&config);
  CHECK(cloth_load(b.sheet, save, a.memory.saved_bytes) == CLOTH_OK, "load");
  CHECK(cloth_read_image(c.sheet, image, a.memory.image_bytes) == CLOTH_OK, "read");
  cloth_metres at, from;
  cloth_get_origin(a.sheet, &at);
  cloth_get_origin(b.sheet, &from);
  CHECK(memcmp(&at, &from, sizeof at) == 0 && at.x == 40, "at %d, loaded %d", (int)at.x, (int)from.x);
  CHECK(read_hash(a.sheet) == read_hash(b.sheet) && read_hash(a.sheet) == read_hash(c.sheet), "hashes");
  for (int frame = 0; frame < 20; frame++) {
    const fixture *all[] = {&a, &b, &c};
    for (int n = 0; n < 3; n++) {
      const cloth_metres place = {36 + frame, -20, 64};
      if (frame % 5 == 0) cloth_set_origin(&all[n]->sheet, 1, place);
      busy_calls(all[n], frame);
      cloth_step(all[n]->sheet, FRAME);
    }
    CHECK(read_hash(a.sheet) == read_hash(b.sheet) && read_hash(a.sheet) == read_hash(c.sheet), "frame %d", frame);
  }
  free(save);
  free(image);
  fixture_free(&a);
  fixture_free(&b);
  fixture_free(&c);
}

/* A new origin wakes nobody and is no motion. */
static void test_origin_wakes_nothing(void) {
  cloth_config config = hung_config(8, vector_at(60.0, 0.0, 0.0));
  config.integration.velocity_damping = 8.0f;
  config.sleep.speed = 0.05f;
  fixture s = hung_sheet(&config);
  for (int frame = 0; frame < 1800 && !cloth_is_asleep(s.sheet); frame++)
    cloth_step(s.sheet, FRAME);
  const cloth_metres near = {60, 0, 0}, away = {-900, 3, 4};
  point before = position_of(s.sheet, 40);
  CHECK(cloth_is_asleep(s.sheet) == 1 && cloth_set_origin(&s.sheet, 1, near) == CLOTH_OK, "asleep");
  CHECK(cloth_is_asleep(s.sheet) == 1 && cloth_set_origin(&s.sheet, 1, away) == CLOTH_OK, "still asleep");
  CHECK(cloth_step(s.sheet, FRAME) == CLOTH_OK && cloth_is_asleep(s.sheet) == 1, "woken");
  double apart = point_distance(before, world_position(s.sheet, 40));
  CHECK(apart < 1e-4, "moved by %g m", apart);
  cloth_wake(s.sheet);
  run_steps(s.sheet, 60, FRAME);
  CHECK(fastest_of(&s) < 0.05 && cloth_is_asleep(s.sheet) == 1, "%g m/s", fastest_of(&s));
  fixture_free(&s);
}

/// Cloths that travel ///

/* How far a carrier has gone along x when a frame ends [m]: it speeds up to 12 m/s within 4 s, and slows down from 6 s
   on, to rest after 10 s. */
static double way_of_carrier(int frame) {
  double t = frame / 60.0;
  if (t <= 4.0) return 1.5 * t * t;
  if (t <= 6.0) return 24.0 + 12.0 * (t - 4.0);
  return t >= 10.0 ? 72.0 : 72.0 - 1.5 * (10.0 - t) * (10.0 - t);
}

#define CARRIED_FRAMES 660
#define SWING_FRAME 470 /* from which on the cloth swings at the ball, and roundings decide where it comes to lie */

static cloth_config carried_config(void) {
  cloth_config config = hung_config(12, vector_at(0.0, 0.0, 0.0));
  config.edge_weft = vector_at(0.0, -1.0, 0.0);
  config.wind = vector_at(0.0, 0.0, 0.0);
  config.air.density = 0.0f; /* a fluttering cloth would magnify every rounding */
  config.integration.velocity_damping = 4.0f;
  return config;
}

/* Moves pins and a ball behind the cloth along with the carrier, told in positions relative to the cloth's origin. */
static void carry(const fixture *s, int frame) {
  cloth_metres origin;
  cloth_get_origin(s->sheet, &origin);
  double way = way_of_carrier(frame);
  for (int column = 0; column < s->columns; column++) {
    double x = column / 11.0 + way - origin.x;
    int result = cloth_move_pin(s->sheet, column, vector_at(x, 0.0 - origin.y, 0.0 - origin.z));
    CHECK(result == CLOTH_OK, "frame %d: %s", frame, cloth_result_name(result));
  }
  cloth_pose pose = {vector_at(0.5 + way - origin.x, -0.6 - origin.y, 0.2 - 0.0005 * frame - origin.z),
                     rotation_none()};
  CHECK(cloth_move_collider(s->sheet, 0, NULL, &pose) == CLOTH_OK, "frame %d: collider", frame);
}

static fixture carried_sheet(const cloth_config *config) {
  fixture s = fixture_make(config);
  for (int column = 0; column < config->columns; column++)
    cloth_pin(s.sheet, column);
  cloth_collider ball = cloth_collider_default();
  ball.radius = 0.15f;
  ball.pose.position = vector_at(0.5, -0.6, 0.2);
  cloth_add_collider(s.sheet, &ball);
  return s;
}

/* Pins and a collider take a cloth 72 m along. With an origin that follows by itself every few metres it is where it
   is with the origin at home, and a replay gives the same bits. */
static void test_following_origin(void) {
  cloth_config config = carried_config();
  fixture home = carried_sheet(&config);
  config.world.recentre_distance = 4.0f;
  fixture follows = carried_sheet(&config), again = carried_sheet(&config);
  unsigned char *save = copy_bytes(follows.arena, follows.memory.saved_bytes);
  int moves = 0;
  double apart = 0.0, early = 0.0, stretch = 0.0, nearest = 1e9, shifted = 0.0;
  for (int frame = 1; frame <= CARRIED_FRAMES; frame++) {
    carry(&home, frame);
    carry(&follows, frame);
    CHECK((cloth_step(home.sheet, FRAME) & CLOTH_NOTE_ORIGIN_MOVED) == 0, "moved without being asked to");
    int notes = cloth_step(follows.sheet, FRAME);
    cloth_statistics st = read_statistics(follows.sheet);
    CHECK(((notes & CLOTH_NOTE_ORIGIN_MOVED) != 0) == (st.origin_shift.x != 0), "note %d, shift %d", notes,
          (int)st.origin_shift.x);
    moves += (notes & CLOTH_NOTE_ORIGIN_MOVED) != 0;
    shifted += st.origin_shift.x;
    apart = fmax(apart, distance_in_world(&home, &follows));
    early = frame < SWING_FRAME ? apart : early;
    cloth_measures measures;
    cloth_measure(follows.sheet, &measures);
    stretch = fmax(stretch, (double)measures.max_stretch);
    const point ball = {0.5 + way_of_carrier(frame), -0.6, 0.2 - 0.0005 * frame};
    for (int i = 0; i < follows.count; i++)
      nearest = fmin(nearest, point_distance(world_position(follows.sheet, i), ball) - 0.15);
    for (int column = 0; column < follows.columns; column++) {
      const point pin = {column / 11.0 + way_of_carrier(frame), 0.0, 0.0};
      double off = point_distance(world_position(follows.sheet, column), pin);
      CHECK(off < 2e-5, "frame %d: pin %d is %g m off", frame, column, off);
    }
    if (frame == 100) cloth_save(follows.sheet, save, follows.memory.saved_bytes);
  }
  cloth_metres origin;
  cloth_get_origin(follows.sheet, &origin);
  CHECK(moves >= 15 && shifted == (double)origin.x && abs(origin.x - 72) <= 5, "%d moves, to %d", moves, (int)origin.x);
  CHECK(early < 1e-3 && apart < 0.1, "%g, later %g m apart from the cloth with its origin at home", early, apart);
  CHECK(nearest > 0.0, "%g m inside the ball", -nearest);
  CHECK(stretch < 0.15, "stretched by %g", stretch);
  CHECK(cloth_load(again.sheet, save, follows.memory.saved_bytes) == CLOTH_OK, "load");
  for (int frame = 101; frame <= CARRIED_FRAMES; frame++) {
    carry(&again, frame);
    cloth_step(again.sheet, FRAME);
  }
  CHECK(read_hash(again.sheet) == read_hash(follows.sheet), "the replay differs");
  free(save);
  fixture_free(&home);
  fixture_free(&follows);
  fixture_free(&again);
}

/* An origin that follows stays where its limits, or those of something that the cloth holds, are in the way. */
static void test_following_has_limits(void) {
  cloth_config config = hung_config(6, vector_at(50.0, 0.0, 0.0));
  config.world.recentre_distance = 4.0f;
  config.world.origin.x = CLOTH_ORIGIN_LIMIT;
  fixture s = hung_sheet(&config);
  CHECK(cloth_step(s.sheet, FRAME) == CLOTH_OK, "beyond the limit");
  fixture_free(&s);
  config.world.origin.x = 0;
  s = hung_sheet(&config);
  cloth_collider distant = cloth_collider_default();
  distant.pose.position = vector_at(-99990.0, 0.0, 0.0);
  int index = cloth_add_collider(s.sheet, &distant);
  CHECK(cloth_step(s.sheet, FRAME) == CLOTH_OK, "left a collider behind");
  cloth_remove_collider(s.sheet, index);
  CHECK(cloth_step(s.sheet, FRAME) == CLOTH_NOTE_ORIGIN_MOVED, "did not follow");
  cloth_statistics st = read_statistics(s.sheet);
  CHECK(st.origin_shift.x >= 50 && st.origin_shift.x <= 51 && st.origin_shift.y == 0, "by %d, %d",
        (int)st.origin_shift.x, (int)st.origin_shift.y);
  CHECK(cloth_step(s.sheet, FRAME) == CLOTH_OK && read_statistics(s.sheet).origin_shift.x == 0, "moved again");
  fixture_free(&s);
}

/// Several cloths ///

/* Cloths of different origins get a common one in the middle of all; nothing moves in the world. */
static void test_common_origin(void) {
  cloth_config config = hung_config(6, vector_at(0.0, 0.0, 0.0));
  fixture all[3];
  cloth *sheets[3];
  point before[3];
  static const cloth_metres origins[3] = {{1000000, 0, 0}, {1000000 + 300, 0, -40}, {1000000 + 500, 8, 20}};
  for (int n = 0; n < 3; n++) {
    config.world.origin = origins[n];
    all[n] = hung_sheet(&config);
    sheets[n] = all[n].sheet;
    run_steps(sheets[n], 20, FRAME);
    before[n] = world_position(sheets[n], 20);
  }
  cloth_vector offset;
  CHECK(cloth_get_origin_offset(sheets[0], sheets[2], &offset) == CLOTH_OK && offset.x == 500.0f && offset.y == 8.0f &&
            offset.z == 20.0f,
        "offset %g, %g, %g", (double)offset.x, (double)offset.y, (double)offset.z);
  cloth_metres origin;
  CHECK(cloth_recentre(sheets, 3, &origin) == CLOTH_OK, "cloth_recentre");
  CHECK(abs(origin.x - 1000250) <= 1 && abs(origin.y - 3) <= 2 && abs(origin.z + 10) <= 2, "at %d, %d, %d",
        (int)origin.x, (int)origin.y, (int)origin.z);
  for (int n = 0; n < 3; n++) {
    double moved = point_distance(before[n], world_position(sheets[n], 20));
    CHECK(moved < 2e-5, "cloth %d moved by %g m", n, moved);
    CHECK(cloth_get_origin_offset(sheets[n], sheets[0], &offset) == CLOTH_OK && offset.x == 0.0f && offset.y == 0.0f &&
              offset.z == 0.0f,
          "cloth %d is elsewhere", n);
  }
  CHECK(cloth_recentre(sheets, 3, NULL) == CLOTH_OK, "without an answer");
  CHECK(cloth_recentre(sheets + 1, 1, &origin) == CLOTH_OK && abs(origin.x - 1000300) <= 1, "one of them");
  for (int n = 0; n < 3; n++)
    fixture_free(&all[n]);
}

static void expect_range(guarded_fixture *f, cloth *const *sheets, int32_t count, cloth_metres origin, int error) {
  int result = cloth_set_origin(sheets, count, origin);
  CHECK(result == error, "%d, %d, %d gave %s", (int)origin.x, (int)origin.y, (int)origin.z, cloth_result_name(result));
  expect_untouched(f, "cloth_set_origin");
}

/* What is refused changes no cloth of the list. */
static void test_refusals(void) {
  cloth_config config = hung_config(4, vector_at(10.0, 0.0, 0.0));
  config.capacity.targets = 1;
  fixture other = hung_sheet(&config);
  guarded_fixture f = guarded_make(&config);
  uint64_t hash = read_hash(other.sheet);
  cloth *const both[] = {other.sheet, f.s.sheet}, *const missing[] = {other.sheet, NULL};
  cloth_vector no_cloth[8] = {{0, 0, 0}};
  cloth *const wrong[] = {other.sheet, (cloth *)(void *)((unsigned char *)no_cloth + 1)};
  const cloth_metres near = {5, 5, 5};
  expect_range(&f, NULL, 1, near, CLOTH_ERROR_NULL);
  expect_range(&f, missing, 2, near, CLOTH_ERROR_NULL);
  expect_range(&f, wrong, 2, near, CLOTH_ERROR_NOT_A_CLOTH);
  expect_range(&f, both, 0, near, CLOTH_ERROR_RANGE);
  expect_range(&f, both, -1, near, CLOTH_ERROR_RANGE);
  for (int sign = -1; sign <= 1; sign += 2) {
    for (int axis = 0; axis < 3; axis++) {
      const int32_t values[] = {CLOTH_ORIGIN_LIMIT + 1, INT32_MAX, 100012, 1 << 24};
      for (size_t n = 0; n < sizeof values / sizeof values[0]; n++) {
        const int32_t v = sign * values[n];
        const cloth_metres place = {axis == 0 ? v : 0, axis == 1 ? v : 0, axis == 2 ? v : 0};
        expect_range(&f, both, 2, place, CLOTH_ERROR_RANGE);
      }
    }
  }
  const cloth_metres least = {INT32_MIN, INT32_MIN, INT32_MIN};
  expect_range(&f, both, 2, least, CLOTH_ERROR_RANGE);
  cloth_metres origin = {1, 2, 3};
  CHECK(cloth_get_origin(NULL, &origin) == CLOTH_ERROR_NULL && cloth_get_origin(f.s.sheet, NULL) == CLOTH_ERROR_NULL,
        "cloth_get_origin");
  CHECK(cloth_recentre(NULL, 1, &origin) == CLOTH_ERROR_NULL && cloth_recentre(both, 0, &origin) == CLOTH_ERROR_RANGE &&
            cloth_recentre(missing, 2, &origin) == CLOTH_ERROR_NULL && origin.x == 1 && origin.z == 3,
        "cloth_recentre");
  cloth_vector offset = {1.0f, 2.0f, 3.0f};
  CHECK(cloth_get_origin_offset(NULL, f.s.sheet, &offset) == CLOTH_ERROR_NULL &&
            cloth_get_origin_offset(f.s.sheet, NULL, &offset) == CLOTH_ERROR_NULL &&
            cloth_get_origin_offset(f.s.sheet, f.s.sheet, NULL) == CLOTH_ERROR_NULL,
        "cloth_get_origin_offset");
  CHECK(read_hash(other.sheet) == hash, "a refusal moved the first of two");
  expect_untouched(&f, "refusals");
  guarded_free(&f);
  fixture_free(&other);
}

/* Whatever else holds a position keeps an origin within its reach: colliders, ends of moves, targets. */
static void test_what_holds_an_origin(void) {
  cloth_config config = hung_config(4, vector_at(10.0, 0.0, 0.0));
  config.capacity.targets = 1;
  const cloth_metres place = {-1000, 0, 0}, farther = {1000, 0, 0};
  for (int kind = 0; kind < 4; kind++) {
    fixture s = hung_sheet(&config);
    CHECK(cloth_set_origin(&s.sheet, 1, place) == CLOTH_OK && cloth_set_origin(&s.sheet, 1, farther) == CLOTH_OK,
          "free");
    cloth_collider body = cloth_collider_default();
    int index = cloth_add_collider(s.sheet, &body);
    const cloth_pose pose = {vector_at(99900.0, 0.0, 0.0), rotation_none()};
    cloth_vector vertices[16];
    for (int i = 0; i < 16; i++)
      vertices[i] = vector_at(99900.0, 0.0, 0.0);
    const cloth_vertex_layout layout = {sizeof(cloth_vector), 0, CLOTH_ATTRIBUTE_NONE, CLOTH_ATTRIBUTE_NONE};
    int asked = kind == 0   ? cloth_move_collider(s.sheet, index, NULL, &pose)
                : kind == 1 ? cloth_move_collider(s.sheet, index, &pose, &body.pose)
                : kind == 2 ? cloth_move_pin(s.sheet, 0, vector_at(98900.0, 0.0, 0.0))
                            : cloth_set_targets(s.sheet, &layout, vertices, sizeof vertices);
    CHECK(asked == CLOTH_OK, "kind %d: %s", kind, cloth_result_name(asked));
    uint64_t hash = read_hash(s.sheet);
    CHECK(cloth_set_origin(&s.sheet, 1, place) == CLOTH_ERROR_RANGE && read_hash(s.sheet) == hash, "kind %d", kind);
    fixture_free(&s);
  }
}

/* Cloths too far apart have no common origin, and no offset in floats. */
static void test_too_far_apart(void) {
  cloth_config config = hung_config(4, vector_at(0.0, 0.0, 0.0));
  fixture a = hung_sheet(&config);
  config.world.origin.x = 1 << 24;
  fixture b = hung_sheet(&config);
  config.world.origin.x++;
  fixture c = hung_sheet(&config);
  cloth *const both[] = {a.sheet, b.sheet};
  cloth_vector offset = {1.0f, 2.0f, 3.0f};
  CHECK(cloth_get_origin_offset(a.sheet, c.sheet, &offset) == CLOTH_ERROR_RANGE && offset.x == 1.0f, "refused");
  CHECK(cloth_get_origin_offset(b.sheet, a.sheet, &offset) == CLOTH_OK && offset.x == -16777216.0f, "%g",
        (double)offset.x);
  cloth_metres origin = {1, 2, 3};
  CHECK(cloth_recentre(both, 2, &origin) == CLOTH_ERROR_RANGE && origin.x == 1, "recentred");
  fixture_free(&a);
  fixture_free(&b);
  fixture_free(&c);
}

static const test tests[] = {
    TEST_EACH(every_far_case, rest_far_from_the_origin),
    TEST(shape_far_from_the_origin),
    TEST(rest_on_colliders_far_away),
    TEST(pins_stay),
    TEST(end_of_the_range),
    TEST(far_note),
    TEST(origin_is_a_label),
    TEST(there_and_back),
    TEST(everything_moves),
    TEST(origin_is_state),
    TEST(origin_wakes_nothing),
    TEST(following_origin),
    TEST(following_has_limits),
    TEST(common_origin),
    TEST(refusals),
    TEST(what_holds_an_origin),
    TEST(too_far_apart),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
