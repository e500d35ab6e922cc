/*
 * What games move cloth with: frames that carry it, targets of an animation, gusts, and scratch shared by several
 * cloths.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support.h"

#include <stddef.h>

/* What test_gusts() saw when it was written. */
#define GUST_HASH 0x6a799057u

/// Carrying ///

/* A sheet of 10 x 10 that hangs from its first row, and a ball that pushes it out, both fixed to a frame. */
static const point ball_place = {0.25, -0.3, -0.15};

/* So soft and damped that it has no folds whose place a rounding decides; explicit, or with a solve that converges. */
static int is_implicit;

static const char *integration_name(int number) {
  return number ? "implicit" : "explicit";
}

static void select_integration(int number) {
  is_implicit = number;
}

static const test_cases explicit_and_implicit = {0, 2, integration_name, select_integration};

static fixture framed_sheet(void) {
  cloth_config config = cloth_config_default();
  config.columns = config.rows = 10;
  config.edge_warp = vector_at(0.5, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, -0.5, 0.0);
  config.integration.velocity_damping = 4.0f;
  config.fabric.stretch_warp = config.fabric.stretch_weft = 20.0f;
  config.fabric.shear = 10.0f;
  if (is_implicit) {
    use_two_tiers(&config);
    config.integration.explicit_threshold = 0.0f;
    config.solver.max_iterations = 60;
    config.solver.tolerance = 1e-4f;
  }
  fixture s = fixture_make(&config);
  for (int column = 0; column < 10; column++)
    cloth_pin(s.sheet, column);
  cloth_collider ball = cloth_collider_default();
  ball.radius = 0.15f;
  ball.pose.position = vector_of(ball_place);
  cloth_add_collider(s.sheet, &ball);
  return s;
}

/* Where the frame is: it goes about and turns about the vertical. */
static cloth_pose frame_pose(int step) {
  cloth_pose pose;
  double t = step / 60.0;
  pose.position = vector_at(0.5 * sin(3.0 * t), 0.2 * sin(5.0 * t), 2.0 * t);
  pose.rotation = rotation_about((point){0.0, 1.0, 0.0}, 2.0 * t + sin(4.0 * t));
  return pose;
}

/* From the frame to the world. */
static point in_world(const cloth_pose *pose, point p) {
  point u = {(double)pose->rotation.x, (double)pose->rotation.y, (double)pose->rotation.z};
  point t = point_scaled(point_cross(u, p), 2.0);
  p = point_sum(point_sum(p, point_scaled(t, (double)pose->rotation.w)), point_cross(u, t));
  return point_sum(p, point_of(pose->position));
}

/* Moves pins and ball to where the frame takes them. */
static void move_with_frame(fixture *s, const cloth_pose *frame) {
  for (int column = 0; column < 10; column++) {
    point place = in_world(frame, (point){0.5 * column / 9.0, 0.0, 0.0});
    cloth_move_pin(s->sheet, column, vector_of(place));
  }
  cloth_pose ball = {vector_of(in_world(frame, ball_place)), frame->rotation};
  cloth_move_collider(s->sheet, 0, NULL, &ball);
}

/* Farthest that a particle of one sheet is from where one of another is, the former being in a frame. */
static double farthest_apart(const fixture *framed, const cloth_pose *frame, const fixture *other) {
  double apart = 0.0;
  for (int i = 0; i < framed->count; i++) {
    point place = in_world(frame, position_of(framed->sheet, i));
    apart = fmax(apart, point_distance(place, position_of(other->sheet, i)));
  }
  return apart;
}

/* Farthest that a particle of a carried sheet comes from where one in a frame at rest would be. */
static double carried_apart(const cloth_inertia *inertia, int steps) {
  fixture still = framed_sheet(), carried = framed_sheet();
  cloth_pose pose = frame_pose(0);
  double apart = 0.0;
  for (int step = 0; step < steps; step++) {
    cloth_pose next = frame_pose(step + 1);
    CHECK(cloth_move_frame(carried.sheet, &pose, &next, inertia, FRAME, 1) == CLOTH_OK, "cloth_move_frame");
    move_with_frame(&carried, &next);
    cloth_step(still.sheet, FRAME);
    cloth_step(carried.sheet, FRAME);
    pose = next;
    apart = fmax(apart, farthest_apart(&still, &pose, &carried));
  }
  fixture_free(&still);
  fixture_free(&carried);
  return apart;
}

/* Roundings of positions, which differ between places, become velocities, which soft springs let grow [m]. */
#define DRIFT 5e-3

static void test_inertia(void) {
  const cloth_inertia none = {0.0f, 0.0f, 0.0f}, half = {0.5f, 0.5f, 0.0f}, flung = {0.0f, 0.0f, 1.0f};
  double without = carried_apart(&none, 120), some = carried_apart(&half, 120), spun = carried_apart(&flung, 120);
  CHECK(without < DRIFT, "without inertia it feels %g m of the motion", without);
  CHECK(some > 0.03, "with half of it, it feels only %g m", some);
  CHECK(spun > 0.02, "the centrifugal force moves it by %g m", spun);
}

/* With all of it the frame is nothing but what moves pins and ball: the world's own. */
static void test_whole_inertia(void) {
  fixture world = framed_sheet(), carried = framed_sheet();
  const cloth_inertia whole = {1.0f, 1.0f, 1.0f};
  for (int step = 0; step < 120; step++) {
    cloth_pose from = frame_pose(step), to = frame_pose(step + 1);
    CHECK(cloth_move_frame(carried.sheet, &from, &to, &whole, FRAME, 1) == CLOTH_OK, "cloth_move_frame");
    move_with_frame(&carried, &to);
    move_with_frame(&world, &to);
    cloth_step(carried.sheet, FRAME);
    cloth_step(world.sheet, FRAME);
  }
  cloth_pose none = {{0.0f, 0.0f, 0.0f}, rotation_none()};
  double apart = farthest_apart(&world, &none, &carried);
  CHECK(apart < 1e-4, "with whole inertia it is %g m from the world's", apart);
  fixture_free(&world);
  fixture_free(&carried);
}

/* After a teleport all goes on as it would have elsewhere; so it does after a shift of the origin. */
static void test_teleport(void) {
  fixture here = framed_sheet(), there = framed_sheet();
  run_steps(here.sheet, 30, FRAME);
  run_steps(there.sheet, 30, FRAME);
  cloth_pose from = frame_pose(0), to = from;
  to.position = vector_at(1.5, 1.0, -0.5);
  CHECK(cloth_move_frame(there.sheet, &from, &to, NULL, FRAME, 1) == CLOTH_OK, "cloth_move_frame");
  run_steps(here.sheet, 30, FRAME);
  run_steps(there.sheet, 30, FRAME);
  double apart = farthest_apart(&here, &to, &there);
  CHECK(apart < DRIFT, "it goes on %g m from where it would have", apart);
  fixture_free(&here);
  fixture_free(&there);
}

/* What is carried is a state that an image can hold, and what is not there does not matter. */
static void test_state_of_a_moved_frame(void) {
  cloth_config config = cloth_config_default();
  config.columns = config.rows = 6;
  config.capacity.targets = 1;
  config.origin = vector_at(9e4, 0.0, 0.0);
  fixture s = fixture_make(&config);
  cloth_collider ball = cloth_collider_default();
  ball.pose.position = config.origin;
  cloth_add_collider(s.sheet, &ball);
  cloth_add_collider(s.sheet, &ball);
  cloth_remove_collider(s.sheet, 0);
  cloth_pin(s.sheet, 0);
  cloth_set_pin_velocity(s.sheet, 0, vector_at(1e5, 0.0, 1e5));
  cloth_apply_impulse(s.sheet, 20, vector_at(0.0, 0.0, 1e-3));
  cloth_pose from = {config.origin, rotation_none()}, to = {vector_at(-9e4, 0.0, 0.0), rotation_none()};
  const cloth_inertia flung = {0.0f, 0.0f, 1.0f};
  size_t bytes = s.memory.image_bytes;
  unsigned char *image = malloc(bytes);
  for (int turn = 0; turn < 40; turn++) {
    to.rotation = rotation_about((point){0.0, 1.0, 0.0}, 0.05 * turn);
    int result = cloth_move_frame(s.sheet, &from, &to, &flung, FRAME, ~UINT64_C(0));
    CHECK(result == CLOTH_OK, "cloth_move_frame: %s", cloth_result_name(result));
    cloth_write_image(s.sheet, image, bytes);
    result = cloth_read_image(s.sheet, image, bytes);
    CHECK(result == CLOTH_OK, "after turn %d its own image: %s", turn, cloth_result_name(result));
    from = to;
  }
  free(image);
  fixture_free(&s);
}

/* The force that flings out what turns, up to half a turn a step: w^2 r, of the speed that the angle tells. */
static void test_centrifugal_force(void) {
  for (int eighths = 1; eighths <= 8; eighths++) {
    cloth_config config = cloth_config_default();
    config.columns = config.rows = 2;
    config.edge_warp = vector_at(0.01, 0.0, 0.0);
    config.edge_weft = vector_at(0.0, 0.01, 0.0);
    config.integration.max_speed = 1e4f;
    fixture s = fixture_make(&config);
    double angle = 3.14159265358979 * eighths / 8.0, dt = 0.1;
    cloth_pose from = {vector_at(0.0, 0.0, 0.0), rotation_none()}, to = from;
    to.rotation = rotation_about((point){0.0, 0.0, 1.0}, angle);
    const cloth_inertia flung = {0.0f, 0.0f, 1.0f};
    cloth_move_frame(s.sheet, &from, &to, &flung, (float)dt, 0);
    double speed = point_length(velocity_of(s.sheet, 1)), expected = angle * angle / dt * 0.01;
    CHECK(fabs(speed / expected - 1.0) < 1e-3, "flung out at %g m/s instead of %g, %d / 8 of half a turn", speed,
          expected, eighths);
    fixture_free(&s);
  }
}

static void test_frame_refusals(void) {
  fixture s = framed_sheet();
  uint64_t before, after;
  cloth_hash(s.sheet, &before);
  const cloth_pose from = frame_pose(0), to = frame_pose(1);
  cloth_pose far = from, bent = from;
  far.position = vector_at(2e5, 0.0, 0.0);
  bent.rotation.w = 2.0f;
  cloth_inertia inertia = {1.5f, 0.0f, 0.0f};
  CHECK(cloth_move_frame(s.sheet, &from, &far, NULL, FRAME, 1) == CLOTH_ERROR_RANGE, "out of the world");
  CHECK(cloth_move_frame(s.sheet, &bent, &to, NULL, FRAME, 1) == CLOTH_ERROR_RANGE, "no rotation");
  CHECK(cloth_move_frame(s.sheet, &from, NULL, NULL, FRAME, 1) == CLOTH_ERROR_NULL, "nowhere");
  CHECK(cloth_move_frame(s.sheet, &from, &to, NULL, 0.0f, 1) == CLOTH_ERROR_RANGE, "no time");
  CHECK(cloth_move_frame(s.sheet, &from, &to, &inertia, FRAME, 1) == CLOTH_ERROR_RANGE, "half as much again");
  cloth_hash(s.sheet, &after);
  CHECK(before == after, "a refusal changed the cloth");
  fixture_free(&s);
}

/* A pin on the way to x = 9e4 may go along by 5e3, but not by 5e4, which is beyond the position limit. */
static void test_frame_with_a_pin_on_the_move(void) {
  fixture s = framed_sheet();
  int pin = fixture_particle(&s, 0, 0);
  cloth_pin(s.sheet, pin);
  CHECK(cloth_move_pin(s.sheet, pin, vector_at(9e4, 0.0, 0.0)) == CLOTH_OK, "cloth_move_pin");
  cloth_pose from = frame_pose(0), near = from, far = from;
  near.position.x += 5e3f;
  far.position.x += 5e4f;
  uint64_t before, after;
  cloth_hash(s.sheet, &before);
  CHECK(cloth_move_frame(s.sheet, &from, &far, NULL, FRAME, 0) == CLOTH_ERROR_RANGE,
        "the move's end is out of the world");
  cloth_hash(s.sheet, &after);
  CHECK(before == after, "a refusal changed the cloth");
  CHECK(cloth_move_frame(s.sheet, &from, &near, NULL, FRAME, 0) == CLOTH_OK, "the move's end is in the world");
  fixture_free(&s);
}

/* So may a collider at x = 9e4 that the frame takes along; one that it leaves behind is no hindrance. */
static void test_frame_with_colliders(void) {
  fixture s = framed_sheet();
  cloth_collider post = cloth_collider_default();
  post.pose.position = vector_at(9e4, 0.0, 0.0);
  const int32_t far_post = cloth_add_collider(s.sheet, &post);
  post.pose.position = vector_at(0.0, -5.0, 0.0);
  const int32_t near_post = cloth_add_collider(s.sheet, &post);
  CHECK(far_post >= 0 && near_post > far_post, "colliders %d and %d", (int)far_post, (int)near_post);
  cloth_pose from = frame_pose(0), near = from, far = from;
  near.position.x += 5e3f;
  far.position.x += 5e4f;
  const uint64_t both = UINT64_C(1) << far_post | UINT64_C(1) << near_post, before = read_hash(s.sheet);
  CHECK(cloth_move_frame(s.sheet, &from, &far, NULL, FRAME, both) == CLOTH_ERROR_RANGE, "a collider out of the world");
  CHECK(read_hash(s.sheet) == before, "a refusal changed the cloth");
  CHECK(cloth_move_frame(s.sheet, &from, &near, NULL, FRAME, both) == CLOTH_OK, "both are in the world");
  CHECK(cloth_move_frame(s.sheet, &from, &far, NULL, FRAME, UINT64_C(1) << near_post) == CLOTH_OK, "left behind");
  CHECK(cloth_move_frame(s.sheet, &far, &from, NULL, FRAME, UINT64_C(1) << near_post) == CLOTH_OK, "back");
  post.pose.position.x = 9e4f;
  CHECK(cloth_move_collider(s.sheet, near_post, NULL, &post.pose) == CLOTH_OK, "cloth_move_collider");
  CHECK(cloth_move_frame(s.sheet, &from, &far, NULL, FRAME, UINT64_C(1) << near_post) == CLOTH_ERROR_RANGE,
        "a collider that goes out of the world");
  fixture_free(&s);
}

/* A particle has gone along its line away from where the line was laid through it. A frame that takes that point out of
   the world, and not the particle, leaves the line where it is, in a cloth that can be saved and loaded. */
static void test_frame_with_a_line(void) {
  fixture s = framed_sheet();
  const int particle = fixture_particle(&s, 3, 3);
  cloth_pose from = frame_pose(0), far = from;
  cloth_vector low, high;
  CHECK(cloth_confine_to_line(s.sheet, particle, vector_at(1, 0, 0)) == CLOTH_OK, "cloth_confine_to_line");
  const point start = position_of(s.sheet, particle);
  for (int i = 0; i < s.count; i++) {
    if (i != particle) cloth_release(s.sheet, i);
    cloth_set_particle(s.sheet, i, vector_of(position_of(s.sheet, i)), vector_at(-10, 0, 0));
  }
  run_steps(s.sheet, 30, FRAME);
  CHECK(cloth_get_bounds(s.sheet, &low, &high) == CLOTH_OK && (double)high.x < start.x - 1, "goes to %g",
        (double)high.x);
  from.position.x = -1000.0f;
  far.position.x = from.position.x + CLOTH_POSITION_LIMIT - 0.5f - high.x;
  CHECK(cloth_move_frame(s.sheet, &from, &far, NULL, FRAME, 0) == CLOTH_OK, "cloth_move_frame");
  unsigned char *save = copy_bytes(s.arena, s.memory.saved_bytes);
  CHECK(cloth_save(s.sheet, save, s.memory.saved_bytes) == CLOTH_OK, "cloth_save");
  CHECK(cloth_load(s.sheet, save, s.memory.saved_bytes) == CLOTH_OK, "cloth_load");
  free(save);
  run_steps(s.sheet, 30, FRAME);
  const point end = position_of(s.sheet, particle);
  CHECK(fabs(end.y - start.y) < 1e-3 && fabs(end.z - start.z) < 1e-3, "at %g, %g on the line through %g, %g", end.y,
        end.z, start.y, start.z);
  fixture_free(&s);
}

/// Targets ///

/* A vertex as an engine might lay it out. */
typedef struct vertex {
  float uv[2];
  cloth_vector normal;
  unsigned char colour[4];
  cloth_vector position;
} vertex;

static const cloth_vertex_layout vertex_layout = {sizeof(vertex), offsetof(vertex, position), offsetof(vertex, normal),
                                                  CLOTH_ATTRIBUTE_NONE};

enum { TARGET_SIDE = 12, TARGET_COUNT = TARGET_SIDE * TARGET_SIDE };

/* A sheet of 1 m, upright in the frame, each particle of which has a target there; normals along the frame's z. */
static void place_targets(const cloth_pose *frame, vertex vertices[TARGET_COUNT]) {
  cloth_pose turn = *frame;
  turn.position = vector_at(0.0, 0.0, 0.0);
  for (int i = 0; i < TARGET_COUNT; i++) {
    point place = {i % TARGET_SIDE / 11.0, -(i / TARGET_SIDE) / 11.0, 0.0};
    vertices[i].position = vector_of(in_world(frame, place));
    vertices[i].normal = vector_of(in_world(&turn, (point){0.0, 0.0, 1.0}));
  }
}

static cloth_config led_config(void) {
  cloth_config config = tested_config();
  config.columns = config.rows = TARGET_SIDE;
  config.edge_warp = vector_at(1.0, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, -1.0, 0.0);
  config.capacity.targets = 1;
  config.air.drag = 1.0f;
  return config;
}

/* A frame may not take targets out of the world, neither from where they are nor from where they go. */
static void test_frame_with_targets(void) {
  for (int comes_from = 0; comes_from < 2; comes_from++) {
    cloth_config config = led_config();
    fixture s = fixture_make(&config);
    vertex vertices[TARGET_COUNT];
    cloth_pose frame = frame_pose(0), near = frame, far = frame;
    near.position.x += 5e3f;
    far.position.x += 5e4f;
    place_targets(&frame, vertices);
    vertices[3].position.x = comes_from ? 9e4f : vertices[3].position.x;
    CHECK(cloth_set_targets(s.sheet, &vertex_layout, vertices, sizeof vertices) == CLOTH_OK, "cloth_set_targets");
    place_targets(&frame, vertices);
    vertices[3].position.x = comes_from ? vertices[3].position.x : 9e4f;
    CHECK(cloth_move_targets(s.sheet, &vertex_layout, vertices, sizeof vertices) == CLOTH_OK, "cloth_move_targets");
    const uint64_t before = read_hash(s.sheet);
    CHECK(cloth_move_frame(s.sheet, &frame, &far, NULL, FRAME, 0) == CLOTH_ERROR_RANGE, "case %d: a target is far",
          comes_from);
    CHECK(read_hash(s.sheet) == before, "a refusal changed the cloth");
    CHECK(cloth_move_frame(s.sheet, &frame, &near, NULL, FRAME, 0) == CLOTH_OK, "case %d: a target is near",
          comes_from);
    fixture_free(&s);
  }
}

/* Constraints of all kinds, by row: tight to loose, with and without a backstop near and far, large and small. */
static cloth_motion_constraint constraint_of(int row) {
  const float distances[] = {0.0f, 0.01f, 0.05f, 0.2f, 0.5f, CLOTH_ANY_DISTANCE};
  const float backstops[] = {0.0f, 0.0f, 0.02f, 0.1f};
  const float radii[] = {0.05f, 0.0f, 0.3f, 2.0f};
  cloth_motion_constraint constraint = {distances[row % 6], backstops[row % 4], radii[row % 4], 0.0f};
  return constraint;
}

/* A target moves evenly during a step: what is tight to it goes as fast as it does and does not swing. */
static void test_targets_lead(void) {
  cloth_config config = led_config();
  fixture s = fixture_make(&config);
  vertex vertices[TARGET_COUNT];
  const cloth_motion_constraint tight = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int i = 0; i < TARGET_COUNT; i++)
    cloth_set_motion_constraint(s.sheet, i, &tight);
  cloth_pose frame = {vector_at(0.0, 0.0, 0.0), rotation_none()};
  place_targets(&frame, vertices);
  cloth_move_targets(s.sheet, &vertex_layout, vertices, sizeof vertices);
  cloth_step(s.sheet, FRAME);
  for (int step = 1; step <= 30; step++) {
    frame.position.x = (float)step / 60.0f;
    place_targets(&frame, vertices);
    cloth_move_targets(s.sheet, &vertex_layout, vertices, sizeof vertices);
    cloth_step(s.sheet, FRAME);
  }
  double speed = velocity_of(s.sheet, 77).x;
  CHECK(fabs(speed - 1.0) < 0.02, "goes at %g m/s where its target goes at 1", speed);
  cloth_motion_constraint none = cloth_motion_constraint_default();
  for (int i = 0; i < TARGET_COUNT; i++)
    cloth_set_motion_constraint(s.sheet, i, &none);
  run_steps(s.sheet, 30, FRAME);
  point free = point_difference(position_of(s.sheet, 77), point_of(vertices[77].position));
  CHECK(free.x > 0.3 && free.y < -0.5, "let go, it flies on to (%g, %g)", free.x, free.y);
  fixture_free(&s);
}

/* A pin stays where it is, though its constraint is as tight as that of its neighbours, which go with their targets. */
static void test_pins_outrank_targets(void) {
  cloth_config config = led_config();
  fixture s = fixture_make(&config);
  vertex vertices[TARGET_COUNT];
  const cloth_motion_constraint tight = {0.0f, 0.0f, 0.0f, 0.0f};
  const int pin = 77;
  cloth_pin(s.sheet, pin);
  for (int i = pin - 1; i <= pin + 1; i++)
    CHECK(cloth_set_motion_constraint(s.sheet, i, &tight) == CLOTH_OK, "constraint of particle %d", i);
  cloth_pose frame = {vector_at(0.0, 0.0, 0.0), rotation_none()};
  place_targets(&frame, vertices);
  CHECK(cloth_set_targets(s.sheet, &vertex_layout, vertices, sizeof vertices) == CLOTH_OK, "cloth_set_targets");
  const point before = position_of(s.sheet, pin);
  for (int step = 1; step <= 10; step++) {
    frame.position.x = 0.002f * (float)step;
    place_targets(&frame, vertices);
    cloth_move_targets(s.sheet, &vertex_layout, vertices, sizeof vertices);
    cloth_step(s.sheet, FRAME);
  }
  CHECK(point_distance(before, position_of(s.sheet, pin)) == 0.0, "the pin has moved");
  for (int i = pin - 1; i <= pin + 1; i += 2) {
    const double apart = point_distance(position_of(s.sheet, i), point_of(vertices[i].position));
    CHECK(apart < 1e-6, "particle %d is %g m from its target", i, apart);
  }
  fixture_free(&s);
}

/* Round a tube targets come as its vertices go, with the first of a row twice. */
static void test_targets_round_a_tube(void) {
  cloth_config config = led_config();
  config.grid.wrap = 1;
  fixture s = fixture_make(&config);
  enum { TUBE_VERTICES = (TARGET_SIDE + 1) * TARGET_SIDE };
  vertex vertices[TUBE_VERTICES];
  CHECK(cloth_write_vertices(s.sheet, &vertex_layout, vertices, sizeof vertices) == CLOTH_OK, "cloth_write_vertices");
  for (int i = 0; i < TUBE_VERTICES; i++)
    vertices[i].position.y += 0.25f;
  const cloth_motion_constraint tight = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int i = 0; i < s.count; i++)
    cloth_set_motion_constraint(s.sheet, i, &tight);
  CHECK(cloth_set_targets(s.sheet, &vertex_layout, vertices, sizeof vertices - 1) == CLOTH_ERROR_BUFFER, "too few");
  CHECK(cloth_set_targets(s.sheet, &vertex_layout, vertices, sizeof vertices) == CLOTH_OK, "cloth_set_targets");
  run_steps(s.sheet, 1, FRAME);
  for (int i = 0; i < s.count; i++) {
    const vertex *target = &vertices[i / TARGET_SIDE * (TARGET_SIDE + 1) + i % TARGET_SIDE];
    double apart = point_distance(position_of(s.sheet, i), point_of(target->position));
    CHECK(apart < 1e-6, "particle %d is %g m from its target", i, apart);
  }
  fixture_free(&s);
}

static void test_target_refusals(void) {
  cloth_config config = led_config();
  fixture s = fixture_make(&config);
  vertex vertices[TARGET_COUNT];
  cloth_pose frame = frame_pose(0);
  place_targets(&frame, vertices);
  uint64_t before, after;
  cloth_hash(s.sheet, &before);
  cloth_vertex_layout layout = vertex_layout;
  CHECK(cloth_set_targets(s.sheet, &layout, vertices, sizeof vertices - 1) == CLOTH_ERROR_BUFFER, "one byte short");
  layout.position_offset = CLOTH_ATTRIBUTE_NONE;
  CHECK(cloth_set_targets(s.sheet, &layout, vertices, sizeof vertices) == CLOTH_ERROR_BUFFER, "no positions");
  layout.position_offset = (int32_t)sizeof(vertex) - 8;
  CHECK(cloth_move_targets(s.sheet, &layout, vertices, sizeof vertices) == CLOTH_ERROR_BUFFER, "beyond the stride");
  CHECK(cloth_move_targets(s.sheet, &vertex_layout, NULL, 0) == CLOTH_ERROR_NULL, "no vertices");
  vertices[TARGET_COUNT - 1].position.y = NAN;
  CHECK(cloth_move_targets(s.sheet, &vertex_layout, vertices, sizeof vertices) == CLOTH_ERROR_RANGE, "not a number");
  cloth_motion_constraint constraint = {-1.0f, 0.0f, 0.0f, 0.0f};
  CHECK(cloth_set_motion_constraint(s.sheet, 3, &constraint) == CLOTH_ERROR_RANGE, "less than no distance");
  CHECK(cloth_set_motion_constraint(s.sheet, 3, NULL) == CLOTH_ERROR_NULL, "no constraint");
  CHECK(cloth_set_motion_constraint(s.sheet, TARGET_COUNT, &constraint) == CLOTH_ERROR_INDEX, "no particle");
  cloth_hash(s.sheet, &after);
  CHECK(before == after, "a refusal changed the cloth");
  fixture_free(&s);
  config.capacity.targets = 0;
  s = fixture_make(&config);
  place_targets(&frame, vertices);
  constraint = cloth_motion_constraint_default();
  CHECK(cloth_set_targets(s.sheet, &vertex_layout, vertices, sizeof vertices) == CLOTH_ERROR_STATE, "no room");
  CHECK(cloth_set_motion_constraint(s.sheet, 3, &constraint) == CLOTH_ERROR_STATE, "no room");
  fixture_free(&s);
}

/* Targets are state: saved between the call and the step, all goes on to the bit, and an image takes them along. */
static void test_targets_are_state(void) {
  cloth_config config = led_config();
  config.sleep.speed = 0.05f;
  fixture s = fixture_make(&config), other = fixture_make(&config);
  vertex vertices[TARGET_COUNT];
  cloth_pose frame = frame_pose(0);
  for (int i = 0; i < TARGET_COUNT; i++) {
    cloth_motion_constraint constraint = constraint_of(i / TARGET_SIDE);
    cloth_set_motion_constraint(s.sheet, i, &constraint);
  }
  const cloth_gusts gusts = {{3.0f, 1.0f, 2.0f}, 0.7f, 0.0f, 5};
  cloth_set_gusts(s.sheet, &gusts);
  for (int step = 0; step < 20; step++) {
    frame = frame_pose(step);
    place_targets(&frame, vertices);
    cloth_move_targets(s.sheet, &vertex_layout, vertices, sizeof vertices);
    if (step < 19) cloth_step(s.sheet, FRAME);
  }
  unsigned char *image = malloc(s.memory.image_bytes);
  CHECK(cloth_write_image(s.sheet, image, s.memory.image_bytes) == CLOTH_OK, "cloth_write_image");
  int result = cloth_read_image(other.sheet, image, s.memory.image_bytes);
  CHECK(result == CLOTH_OK, "cloth_read_image: %s", cloth_result_name(result));
  CHECK(same_state(&s, &other), "an image is not what it was made of");
  run_steps(s.sheet, 10, FRAME);
  run_steps(other.sheet, 10, FRAME);
  CHECK(same_state(&s, &other), "they went apart");
  free(image);
  fixture_free(&s);
  fixture_free(&other);
}

/* A cloth asleep is woken by targets that move, not by those that stay. */
static void test_targets_wake(void) {
  cloth_config config = led_config();
  config.sleep.speed = 0.1f;
  config.integration.velocity_damping = 5.0f;
  fixture s = fixture_make(&config);
  vertex vertices[TARGET_COUNT];
  cloth_pose frame = {vector_at(0.0, 0.0, 0.0), rotation_none()};
  place_targets(&frame, vertices);
  const cloth_motion_constraint near = {0.02f, 0.0f, 0.0f, 0.0f};
  for (int i = 0; i < TARGET_COUNT; i++)
    cloth_set_motion_constraint(s.sheet, i, &near);
  for (int step = 0; step < 600 && cloth_is_asleep(s.sheet) != 1; step++) {
    cloth_move_targets(s.sheet, &vertex_layout, vertices, sizeof vertices);
    cloth_step(s.sheet, FRAME);
  }
  CHECK(cloth_is_asleep(s.sheet) == 1, "awake after 10 s");
  cloth_move_targets(s.sheet, &vertex_layout, vertices, sizeof vertices);
  CHECK(cloth_is_asleep(s.sheet) == 1, "woken by targets that stay");
  frame.position.x = 0.1f;
  place_targets(&frame, vertices);
  cloth_move_targets(s.sheet, &vertex_layout, vertices, sizeof vertices);
  CHECK(cloth_is_asleep(s.sheet) == 0, "asleep while its targets move");
  fixture_free(&s);
}

/// Gusts ///

/* The same seed blows the same on every machine: these are the words that wind has come to. */
static void test_gusts(void) {
  cloth_config config = tested_config();
  config.columns = config.rows = 4;
  config.air.drag = 1.0f;
  fixture s = fixture_make(&config);
  cloth_set_wind(s.sheet, vector_at(5.0, 0.0, 1.0));
  const cloth_gusts gusts = {{4.0f, 0.0f, 2.0f}, 1.5f, 0.0f, 2026};
  CHECK(cloth_set_gusts(s.sheet, &gusts) == CLOTH_OK, "cloth_set_gusts");
  uint32_t hash = 0;
  double sum = 0.0, most = 0.0, jump = 0.0, before = 0.0;
  for (int step = 0; step < 6000; step++) {
    cloth_vector wind;
    CHECK(cloth_get_wind(s.sheet, &wind) == CLOTH_OK, "cloth_get_wind");
    uint32_t words[3];
    memcpy(words, &wind, sizeof words);
    for (int i = 0; i < 3; i++)
      hash = (hash ^ words[i]) * 0x9e3779b1u;
    double gust = (double)wind.x - 5.0;
    sum += gust / 6000.0;
    most = fmax(most, fabs(gust));
    jump = fmax(jump, step > 0 ? fabs(gust - before) : 0.0);
    before = gust;
    CHECK(wind.y == 0.0f, "a gust upwards of %g", (double)wind.y);
    cloth_step(s.sheet, FRAME);
  }
  CHECK(hash == GUST_HASH, "the gusts come to 0x%08x", hash);
  CHECK(fabs(sum) < 0.8 && most > 2.0 && most <= 4.0, "gusts of %g on average, at most %g", sum, most);
  CHECK(jump < 0.4, "from one step to the next a gust changes by %g m/s", jump);
  cloth_gusts late = gusts;
  late.start = 20.0f;
  late.strength.x = 2.0f;
  CHECK(cloth_set_gusts(s.sheet, &late) == CLOTH_OK, "cloth_set_gusts");
  cloth_vector half;
  cloth_get_wind(s.sheet, &half);
  run_steps(s.sheet, 1, FRAME);
  fixture other = fixture_make(&config);
  late.start = 6001.0f / 60.0f;
  late.strength.x = 4.0f;
  cloth_set_wind(other.sheet, vector_at(5.0, 0.0, 1.0));
  CHECK(cloth_set_gusts(other.sheet, &late) == CLOTH_OK, "cloth_set_gusts");
  cloth_vector joined, going;
  cloth_get_wind(other.sheet, &joined);
  cloth_get_wind(s.sheet, &going);
  CHECK(fabs((double)half.x - 5.0 - 0.5 * before) < 0.2, "half as strong, %g became %g", before, (double)half.x - 5.0);
  CHECK(fabs((double)joined.z - (double)going.z) < 1e-3, "joined in %g where %g goes on", (double)joined.z,
        (double)going.z);
  fixture_free(&other);
  CHECK(cloth_set_gusts(s.sheet, NULL) == CLOTH_OK, "no gusts");
  cloth_vector wind;
  cloth_get_wind(s.sheet, &wind);
  CHECK(wind.x == 5.0f && wind.z == 1.0f, "without gusts (%g, %g)", (double)wind.x, (double)wind.z);
  cloth_gusts wrong = gusts;
  wrong.period = 0.0f;
  CHECK(cloth_set_gusts(s.sheet, &wrong) == CLOTH_ERROR_RANGE, "a period of 0");
  wrong = gusts;
  wrong.start = -1.0f;
  CHECK(cloth_set_gusts(s.sheet, &wrong) == CLOTH_ERROR_RANGE, "a start before the beginning");
  wrong = gusts;
  wrong.strength.z = -1.0f;
  CHECK(cloth_set_gusts(s.sheet, &wrong) == CLOTH_ERROR_RANGE, "less than no strength");
  fixture_free(&s);
}

/// Shared scratch ///

/* Cloths that take turns in one scratch do what they do each in an arena of its own; the last has coarser grids. */
static void test_shared_scratch(void) {
  enum { CLOTHS = 4 };
  cloth_config configs[CLOTHS];
  fixture alone[CLOTHS], sharing[CLOTHS];
  size_t most = 0;
  for (int n = 0; n < CLOTHS; n++) {
    tested_scheme = n % 2 ? TWO_TIERS : PROJECTED;
    configs[n] = square_config(8 + 5 * n, 0.4);
    configs[n].solver.preconditioner = n == 3 ? CLOTH_PRECONDITIONER_MULTILEVEL : CLOTH_PRECONDITIONER_BLOCK;
    configs[n].sleep.speed = 0.0f;
    alone[n] = fixture_make(&configs[n]);
    configs[n].capacity.shared_scratch = 1;
    sharing[n] = fixture_make(&configs[n]);
    CHECK(sharing[n].memory.total_bytes < alone[n].memory.total_bytes, "no bytes are shared");
    CHECK(cloth_step(sharing[n].sheet, FRAME) == CLOTH_ERROR_STATE, "stepped without scratch");
    size_t bytes = sharing[n].memory.shared_bytes;
    most = bytes > most ? bytes : most;
  }
  unsigned char *allocation;
  unsigned char *scratch = guarded_buffer(most, 0, &allocation);
  CHECK(cloth_set_scratch(sharing[2].sheet, scratch, sharing[2].memory.shared_bytes - 1) == CLOTH_ERROR_ARENA, "short");
  CHECK(cloth_set_scratch(sharing[0].sheet, scratch + 4, most) == CLOTH_ERROR_ARENA, "not aligned");
  CHECK(cloth_set_scratch(alone[0].sheet, scratch, most) == CLOTH_ERROR_STATE, "has its own");
  CHECK(cloth_set_scratch(sharing[0].sheet, NULL, most) == CLOTH_ERROR_NULL, "none");
  CHECK(cloth_set_scratch(sharing[0].sheet, sharing[0].arena, most) == CLOTH_ERROR_ARENA, "its own arena");
  void *before = (void *)((uintptr_t)sharing[0].arena - sharing[0].memory.shared_bytes + CLOTH_ALIGNMENT);
  CHECK(cloth_set_scratch(sharing[0].sheet, before, most) == CLOTH_ERROR_ARENA, "ends in its own arena");
  configs[0].capacity.shared_scratch = 2;
  CHECK(cloth_memory_needed(&configs[0], &sharing[0].memory) == CLOTH_ERROR_RANGE, "shared twice");
  cloth_collider ball = cloth_collider_default();
  for (int n = 0; n < CLOTHS; n++) {
    CHECK(cloth_set_scratch(sharing[n].sheet, scratch, most) == CLOTH_OK, "cloth_set_scratch");
    cloth_pin(alone[n].sheet, 0);
    cloth_pin(sharing[n].sheet, 0);
    cloth_add_collider(alone[n].sheet, &ball);
    cloth_add_collider(sharing[n].sheet, &ball);
  }
  for (int step = 0; step < 90; step++) {
    for (int n = 0; n < CLOTHS; n++) {
      cloth_step(alone[n].sheet, FRAME);
      cloth_step(sharing[n].sheet, FRAME);
      memset(scratch, 0xcd, most);
    }
  }
  for (int n = 0; n < CLOTHS; n++) {
    cloth_reaction pushed, alike;
    cloth_get_collider_reaction(alone[n].sheet, 0, &pushed);
    cloth_get_collider_reaction(sharing[n].sheet, 0, &alike);
    CHECK(memcmp(&pushed, &alike, sizeof pushed) == 0, "another reaction");
    cloth_statistics did, does;
    cloth_get_statistics(alone[n].sheet, &did);
    cloth_get_statistics(sharing[n].sheet, &does);
    CHECK(memcmp(&did, &does, sizeof did) == 0, "other statistics");
    CHECK(same_state(&alone[n], &sharing[n]), "cloth %d went another way", n);
    fixture_free(&alone[n]);
    fixture_free(&sharing[n]);
  }
  CHECK(guards_intact(scratch, most), "bytes outside the scratch were written");
  free(allocation);
}

static const test tests[] = {
    TEST_EACH(explicit_and_implicit, inertia),
    TEST_EACH(explicit_and_implicit, whole_inertia),
    TEST_EACH(explicit_and_implicit, teleport),
    TEST(state_of_a_moved_frame),
    TEST(centrifugal_force),
    TEST(frame_refusals),
    TEST(frame_with_a_pin_on_the_move),
    TEST(frame_with_colliders),
    TEST(frame_with_targets),
    TEST(frame_with_a_line),
    TEST_EACH(both_schemes, targets_lead),
    TEST_EACH(both_schemes, pins_outrank_targets),
    TEST_EACH(both_schemes, targets_are_state),
    TEST_EACH(both_schemes, targets_wake),
    TEST_EACH(only_projected, targets_round_a_tube),
    TEST_EACH(only_projected, target_refusals),
    TEST_EACH(only_projected, gusts),
    TEST_EACH(only_projected, shared_scratch),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
