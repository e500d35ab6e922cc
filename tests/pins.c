/* Pins, pins on the move, release, and particles confined to a line or a plane. SPDX-License-Identifier: MIT */
#include "sheets.h"

static void test_pin_holds(void) {
  cloth_config config = square_config(10, 0.0);
  fixture s = fixture_make(&config);
  point start = position_of(s.sheet, 0);
  cloth_pin(s.sheet, 0);
  CHECK(cloth_get_freedom(s.sheet, 0) == 0 && cloth_get_freedom(s.sheet, 1) == 3, "freedom");
  CHECK(cloth_apply_impulse(s.sheet, 0, vector_at(5.0, 5.0, 5.0)) == CLOTH_OK, "impulse");
  double lowest = 0.0;
  for (int frame = 0; frame < 120; frame++) {
    CHECK(cloth_step(s.sheet, FRAME) == CLOTH_OK, "notes");
    lowest = fmin(lowest, position_of(s.sheet, 99).y);
  }
  CHECK(point_distance(position_of(s.sheet, 0), start) == 0.0, "a pin gave way");
  CHECK(point_length(velocity_of(s.sheet, 0)) == 0.0, "a pin has a velocity");
  CHECK(lowest < -0.5, "the sheet fell only to %g m", lowest);
  fixture_free(&s);
}

static void test_pin_velocity(void) {
  cloth_config config = square_config(10, 0.0);
  fixture s = fixture_make(&config);
  const point velocity = {0.3, -0.1, 0.2};
  point start = position_of(s.sheet, 0);
  cloth_pin(s.sheet, 0);
  cloth_set_pin_velocity(s.sheet, 0, vector_of(velocity));
  for (int frame = 1; frame <= 60; frame++) {
    cloth_step(s.sheet, FRAME);
    point expected = point_sum(start, point_scaled(velocity, frame * (double)FRAME));
    double off = point_distance(position_of(s.sheet, 0), expected);
    CHECK(off < 5e-5, "off by %g after %d frames", off, frame); /* a rounding error in each of a thousand substeps */
    CHECK(point_distance(velocity_of(s.sheet, 0), velocity) < 1e-6, "velocity after %d frames", frame);
  }
  cloth_set_pin_velocity(s.sheet, 0, zero_vector);
  point end = position_of(s.sheet, 0);
  run_steps(s.sheet, 30, FRAME);
  CHECK(point_distance(position_of(s.sheet, 0), end) == 0.0, "the stopped pin moved");
  fixture_free(&s);
}

static void test_pin_target(void) {
  cloth_config config = square_config(10, 0.0);
  fixture s = fixture_make(&config);
  cloth_pin(s.sheet, 0);
  cloth_pin(s.sheet, 9);
  for (int frame = 1; frame <= 60; frame++) {
    float dt = frame % 2 != 0 ? FRAME : 0.37f * FRAME;
    point target = {-0.5 + 0.2 * sin(0.3 * frame), 0.1 * cos(0.2 * frame), -0.5 + 0.004 * frame};
    CHECK(cloth_move_pin(s.sheet, 0, vector_of(target)) == CLOTH_OK, "target");
    cloth_step(s.sheet, dt);
    double off = point_distance(position_of(s.sheet, 0), target);
    CHECK(off < 1e-6, "off by %g after %d frames", off, frame);
  }
  point end = position_of(s.sheet, 0);
  run_steps(s.sheet, 30, FRAME);
  CHECK(point_distance(position_of(s.sheet, 0), end) == 0.0, "the pin left its target");
  fixture_free(&s);
}

/* Configs in which pins are moved: schemes of the step, automatic substeps, which look at speeds, and sleep. */
static int tested_move;

static const char *move_name(int number) {
  static const char *const names[] = {"default", "implicit Euler", "automatic substeps", "explicit only", "sleep"};
  return names[number];
}

static void select_move(int number) {
  tested_move = number;
}

static const test_cases every_move = {0, 5, move_name, select_move};

static cloth_config move_config(void) {
  cloth_config config = square_config(6, 0.0);
  config.sleep.time = 0.1f;
  switch (tested_move) {
  case 1:
    config.integration.bdf2_blend = 0.0f;
    config.tethers.count = 0;
    break;
  case 2:
    config.substeps = CLOTH_AUTOMATIC;
    break;
  case 3:
    config.integration.method = CLOTH_INTEGRATION_EXPLICIT_ONLY;
    config.fabric.stretch_warp = config.fabric.stretch_weft = config.fabric.shear = 30.0f;
    config.substeps = CLOTH_AUTOMATIC;
    config.integration.max_substeps = 64;
    break;
  case 4:
    config.sleep.speed = 0.2f;
    config.integration.velocity_damping = 20.0f;
    config.gravity = zero_vector;
    break;
  }
  return config;
}

/* The velocity that takes a pin to a target in dt, computed as floats. */
static cloth_vector velocity_to(const cloth *sheet, int particle, cloth_vector target, float dt) {
  cloth_vector from;
  cloth_get_position(sheet, particle, &from);
  const float inverse = 1.0f / dt;
  cloth_vector v = {(target.x - from.x) * inverse, (target.y - from.y) * inverse, (target.z - from.z) * inverse};
  return v;
}

static int has_equal_particles(const cloth *a, const cloth *b) {
  cloth_vector_view of_a[2], of_b[2];
  cloth_get_positions(a, &of_a[0]);
  cloth_get_positions(b, &of_b[0]);
  cloth_get_velocities(a, &of_a[1]);
  cloth_get_velocities(b, &of_b[1]);
  size_t bytes = (size_t)of_a[0].count * sizeof(float);
  int equal = 1;
  for (int i = 0; i < 2; i++)
    equal &= memcmp(of_a[i].x, of_b[i].x, bytes) == 0 && memcmp(of_a[i].y, of_b[i].y, bytes) == 0 &&
             memcmp(of_a[i].z, of_b[i].z, bytes) == 0;
  return equal;
}

/* A move is a velocity for one step: to the bit what setting it before the step and stopping the pin after it does,
   whatever dt the step has, also where the move is nothing or tiny, the substeps depend on speeds, or the cloth is
   asleep. Automatic substeps look at the velocity of a pin's last move as well, so there every pin moves every time. */
static void test_move_is_velocity(void) {
  cloth_config config = move_config();
  fixture moved = fixture_make(&config), driven = fixture_make(&config);
  random_source random = {41};
  const int pins[] = {0, 5, 30};
  cloth_vector target[3];
  int has_stopped[3] = {0, 0, 0}, slept = 0;
  for (int i = 0; i < 3; i++) {
    cloth_pin(moved.sheet, pins[i]);
    cloth_pin(driven.sheet, pins[i]);
    cloth_get_position(moved.sheet, pins[i], &target[i]);
  }
  for (int frame = 0; frame < 200; frame++) {
    float dt = (float)random_real(&random, 0.001, 0.03);
    int is_still = frame % 50 >= 20;
    for (int i = 0; i < 3; i++) {
      float step = random_int(&random, 0, 2) == 0 ? 1e-7f : 0.02f;
      if (is_still) /* a target a rounding away would keep the pin moving */
        cloth_get_position(moved.sheet, pins[i], &target[i]);
      else
        target[i].y += (float)random_real(&random, -1.0, 1.0) * step;
      int moves = is_still || config.substeps == CLOTH_AUTOMATIC || random_int(&random, 0, 3) > 0;
      if (moves) CHECK(cloth_move_pin(moved.sheet, pins[i], target[i]) == CLOTH_OK, "frame %d", frame);
      if (moves || !has_stopped[i])
        cloth_set_pin_velocity(driven.sheet, pins[i],
                               moves ? velocity_to(driven.sheet, pins[i], target[i], dt) : zero_vector);
      has_stopped[i] = !moves;
    }
    uint64_t bounds[2] = {0, 1};
    cloth_get_work_bound(moved.sheet, dt, &bounds[0]);
    cloth_get_work_bound(driven.sheet, dt, &bounds[1]);
    int results[] = {cloth_step(moved.sheet, dt), cloth_step(driven.sheet, dt)};
    CHECK(results[0] == results[1] && results[0] >= 0, "frame %d: %d and %d", frame, results[0], results[1]);
    CHECK(bounds[0] == bounds[1], "frame %d: bounds differ", frame);
    CHECK(has_equal_particles(moved.sheet, driven.sheet), "frame %d: the motions differ", frame);
    CHECK(cloth_is_asleep(moved.sheet) == cloth_is_asleep(driven.sheet), "frame %d: sleep differs", frame);
    slept += cloth_is_asleep(moved.sheet) == 1;
  }
  for (int i = 0; i < 3; i++)
    cloth_set_pin_velocity(driven.sheet, pins[i], zero_vector);
  cloth_step(moved.sheet, FRAME); /* no moves are left */
  cloth_step(driven.sheet, FRAME);
  CHECK(read_hash(moved.sheet) == read_hash(driven.sheet), "the states differ at the end");
  CHECK((slept > 0) == (tested_move == 4), "asleep after %d steps", slept);
  fixture_free(&moved);
  fixture_free(&driven);
}

/* What is read between the call and the step: the pin has no velocity and no energy yet, and the view of the velocities
   has its displacement. */
static void test_move_before_the_step(void) {
  cloth_config config = square_config(6, 0.0);
  fixture s = fixture_make(&config);
  cloth_measures before, after;
  cloth_vector_view view;
  cloth_pin(s.sheet, 0);
  point start = position_of(s.sheet, 0);
  cloth_measure(s.sheet, &before);
  cloth_move_pin(s.sheet, 0, vector_of(point_sum(start, (point){0.25, 0.5, -0.125})));
  cloth_measure(s.sheet, &after);
  cloth_get_velocities(s.sheet, &view);
  CHECK(point_length(velocity_of(s.sheet, 0)) == 0.0, "a velocity before the step");
  CHECK(point_distance(position_of(s.sheet, 0), start) == 0.0, "moved before the step");
  CHECK(memcmp(&before, &after, sizeof before) == 0, "the measures changed");
  CHECK(view.x[0] == 0.25f && view.y[0] == 0.5f && view.z[0] == -0.125f, "the view has %g, %g, %g", (double)view.x[0],
        (double)view.y[0], (double)view.z[0]);
  cloth_step(s.sheet, 0.125f);
  CHECK(point_distance(velocity_of(s.sheet, 0), (point){2.0, 4.0, -1.0}) == 0.0, "velocity of the step");
  cloth_step(s.sheet, 0.125f);
  CHECK(point_length(velocity_of(s.sheet, 0)) == 0.0, "the pin has not come to rest");
  fixture_free(&s);
}

/* A step too short for a move is refused and changes nothing; the move is made by a longer one, or dropped. */
static void test_move_too_fast(void) {
  cloth_config config = square_config(6, 0.0);
  fixture s = fixture_make(&config);
  cloth_pin(s.sheet, 0);
  cloth_vector target = vector_at(0.0, 500.0, 0.0);
  cloth_effort effort = {7, 7};
  uint64_t work = 7;
  CHECK(cloth_move_pin(s.sheet, 0, target) == CLOTH_OK, "a move of 500 m");
  unsigned char *arena = copy_bytes(s.arena, s.memory.total_bytes);
  CHECK(cloth_step(s.sheet, 0.0049f) == CLOTH_ERROR_RANGE, "500 m in 5 ms");
  CHECK(cloth_step_until(s.sheet, 0.0049f, 0, &effort) == CLOTH_ERROR_RANGE && effort.refinements == 7, "until");
  CHECK(cloth_get_work_bound(s.sheet, 0.0049f, &work) == CLOTH_ERROR_RANGE && work == 7, "bound");
  CHECK(memcmp(arena, s.arena, s.memory.total_bytes) == 0, "a refused step changed the cloth");
  CHECK(cloth_step(s.sheet, 0.0051f) >= 0, "500 m in a longer step");
  CHECK(point_distance(position_of(s.sheet, 0), point_of(target)) < 1e-3, "not there");
  cloth_move_pin(s.sheet, 0, zero_vector);
  CHECK(cloth_step(s.sheet, 0.0049f) == CLOTH_ERROR_RANGE, "back in 5 ms");
  CHECK(cloth_pin(s.sheet, 0) == CLOTH_OK && cloth_step(s.sheet, 0.0049f) >= 0, "the move was not dropped");
  CHECK(position_of(s.sheet, 0).y > 499.0, "moved after all");
  free(arena);
  fixture_free(&s);
}

/* What replaces or drops a move, and what takes it along. */
static void test_move_and_other_calls(void) {
  cloth_config config = square_config(6, 0.0);
  fixture s = fixture_make(&config), other = fixture_make(&config);
  const cloth_vector far = vector_at(0.0, 1.0, 0.0);
  cloth_pin(s.sheet, 0);
  point start = position_of(s.sheet, 0);
  cloth_move_pin(s.sheet, 0, far);
  cloth_set_pin_velocity(s.sheet, 0, zero_vector);
  cloth_step(s.sheet, FRAME);
  CHECK(point_distance(position_of(s.sheet, 0), start) == 0.0, "a velocity did not replace the move");
  cloth_move_pin(s.sheet, 0, far);
  cloth_set_particle(s.sheet, 0, vector_of(start), zero_vector);
  cloth_step(s.sheet, FRAME);
  CHECK(point_distance(position_of(s.sheet, 0), start) == 0.0, "being put elsewhere did not replace the move");
  cloth_move_pin(s.sheet, 0, far);
  cloth_apply_impulse(s.sheet, 0, far);
  cloth_release(s.sheet, 0);
  CHECK(point_length(velocity_of(s.sheet, 0)) == 0.0, "released with a velocity it never had");
  cloth_pin(s.sheet, 0);
  cloth_move_pin(s.sheet, 0, far);
  cloth_confine_to_line(s.sheet, 0, far);
  CHECK(point_length(velocity_of(s.sheet, 0)) == 0.0, "confined with a velocity it never had");
  cloth_pin(s.sheet, 0);
  start = position_of(s.sheet, 0);
  cloth_move_pin(s.sheet, 0, vector_of(point_sum(start, (point){0.5, 0.0, 0.0})));
  cloth_pose from = {vector_of(start), rotation_none()};
  cloth_pose to = {vector_of(point_sum(start, (point){0.0, 3.0, 0.0})),
                   rotation_about((point){0.0, 1.0, 0.0}, acos(0.0))};
  CHECK(cloth_move_frame(s.sheet, &from, &to, NULL, FRAME, 0) == CLOTH_OK, "a moving frame");
  unsigned char *save = copy_bytes(s.arena, s.memory.image_bytes), *image = copy_bytes(s.arena, s.memory.image_bytes);
  cloth_save(s.sheet, save, s.memory.saved_bytes);
  cloth_write_image(s.sheet, image, s.memory.image_bytes);
  cloth_step(s.sheet, FRAME);
  point turned = point_sum(start, (point){0.0, 3.0, -0.5});
  CHECK(point_distance(position_of(s.sheet, 0), turned) < 1e-5, "the frame did not take the move along");
  CHECK(cloth_load(other.sheet, save, s.memory.saved_bytes) == CLOTH_OK, "a save with a move");
  cloth_step(other.sheet, FRAME);
  CHECK(read_hash(other.sheet) == read_hash(s.sheet), "a loaded move went elsewhere");
  CHECK(cloth_read_image(other.sheet, image, s.memory.image_bytes) == CLOTH_OK, "an image with a move");
  cloth_step(other.sheet, FRAME);
  CHECK(read_hash(other.sheet) == read_hash(s.sheet), "a move from an image went elsewhere");
  free(save);
  free(image);
  fixture_free(&s);
  fixture_free(&other);
}

/* A sheet carried by its pins goes on as it was carried when they are released. */
static void test_release(void) {
  cloth_config config = square_config(6, 0.0);
  config.gravity = zero_vector;
  config.air.density = 0.0f;
  config.integration.velocity_damping = 0.0f;
  config.integration.rest_drag = 0.0f;
  fixture s = fixture_make(&config);
  const point velocity = {0.5, 0.25, -0.125};
  for (int i = 0; i < s.count; i++) {
    cloth_pin(s.sheet, i);
    cloth_set_pin_velocity(s.sheet, i, vector_of(velocity));
  }
  run_steps(s.sheet, 10, FRAME);
  point start = mean_position(&s);
  for (int i = 0; i < s.count; i++) {
    CHECK(cloth_release(s.sheet, i) == CLOTH_OK && cloth_get_freedom(s.sheet, i) == 3, "release");
    CHECK(cloth_release(s.sheet, i) == CLOTH_OK && cloth_get_freedom(s.sheet, i) == 3, "second release");
    CHECK(point_distance(velocity_of(s.sheet, i), velocity) < 1e-6, "velocity of particle %d", i);
  }
  run_steps(s.sheet, 60, FRAME);
  point expected = point_sum(start, point_scaled(velocity, 60.0 * (double)FRAME));
  CHECK(point_distance(mean_position(&s), expected) < 1e-4, "went %g m off",
        point_distance(mean_position(&s), expected));
  fixture_free(&s);
}

static double distance_from_line(point p, point anchor, point unit) {
  point away = point_difference(p, anchor);
  return point_length(point_difference(away, point_scaled(unit, point_dot(away, unit))));
}

/* Confined corners of a swinging sheet, with a collider that pushes it, under one configuration. */
static void run_confined(const cloth_config *config, const char *name) {
  fixture s = fixture_make(config);
  cloth_collider ball = cloth_collider_default();
  ball.pose.position = vector_at(0.2, -0.45, 0.2);
  cloth_add_collider(s.sheet, &ball);
  const point line = {0.6, 0.0, 0.8}, normal = {0.0, 0.8, 0.6};
  int on_line = 0, on_plane = s.columns - 1;
  point line_anchor = position_of(s.sheet, on_line), plane_anchor = position_of(s.sheet, on_plane);
  cloth_confine_to_line(s.sheet, on_line, vector_of(point_scaled(line, 7.0)));
  cloth_confine_to_plane(s.sheet, on_plane, vector_of(point_scaled(normal, 0.1)));
  CHECK(cloth_get_freedom(s.sheet, on_line) == 1 && cloth_get_freedom(s.sheet, on_plane) == 2, "freedom");
  double off_line = 0.0, off_plane = 0.0;
  for (int frame = 0; frame < 120; frame++) {
    int result = cloth_step(s.sheet, FRAME);
    CHECK(result >= CLOTH_OK, "%s: %s", name, cloth_result_name(result));
    off_line = fmax(off_line, distance_from_line(position_of(s.sheet, on_line), line_anchor, line));
    point away = point_difference(position_of(s.sheet, on_plane), plane_anchor);
    off_plane = fmax(off_plane, fabs(point_dot(away, normal)));
  }
  CHECK(all_finite(s.sheet), "%s: not finite", name);
  CHECK(off_line < 1e-5, "%s: %g m off the line", name, off_line);
  CHECK(off_plane < 1e-5, "%s: %g m off the plane", name, off_plane);
  CHECK(point_distance(position_of(s.sheet, on_line), line_anchor) > 0.01, "%s: stuck on the line", name);
  CHECK(point_distance(position_of(s.sheet, on_plane), plane_anchor) > 0.01, "%s: stuck on the plane", name);
  fixture_free(&s);
}

static void test_confinement(void) {
  cloth_config config = square_config(10, 0.0);
  run_confined(&config, "default");
  config.solver.max_iterations = 60;
  config.solver.preconditioner = CLOTH_PRECONDITIONER_DIAGONAL;
  run_confined(&config, "diagonal");
  config.solver.preconditioner = CLOTH_PRECONDITIONER_NONE;
  run_confined(&config, "no preconditioner");
  config.solver.preconditioner = CLOTH_PRECONDITIONER_MULTILEVEL;
  run_confined(&config, "multilevel");
  config = square_config(10, 0.0);
  config.integration.method = CLOTH_INTEGRATION_EXPLICIT_ONLY;
  config.fabric.stretch_warp = config.fabric.stretch_weft = config.fabric.shear = 30.0f;
  config.integration.max_substeps = 64;
  run_confined(&config, "explicit only");
}

static const test tests[] = {
    TEST(pin_holds),
    TEST(pin_velocity),
    TEST(pin_target),
    TEST_EACH(every_move, move_is_velocity),
    TEST(move_before_the_step),
    TEST(move_too_fast),
    TEST(move_and_other_calls),
    TEST(release),
    TEST(confinement),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
