/* Pins, pins on the move, release, and particles confined to a line or a plane. SPDX-License-Identifier: MIT */
#include "sheets.h"

static void test_pin_holds(void) {
  cloth_config config = square_config(10, 0.0);
  fixture s = fixture_make(&config);
  point start = position_of(s.sheet, 0);
  cloth_pin(s.sheet, 0);
  CHECK(cloth_get_freedom(s.sheet, 0) == 0 && cloth_get_freedom(s.sheet, 1) == 3, "freedom");
  CHECK(cloth_apply_impulse(s.sheet, 0, vector_at(5.0, 5.0, 5.0)) == CLOTH_OK, "impulse");
  CHECK(run_steps(s.sheet, 120, FRAME) == CLOTH_OK, "notes");
  CHECK(point_distance(position_of(s.sheet, 0), start) == 0.0, "a pin gave way");
  CHECK(point_length(velocity_of(s.sheet, 0)) == 0.0, "a pin has a velocity");
  CHECK(position_of(s.sheet, 99).y < -0.5, "the sheet did not fall");
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

/* A sheet carried by its pins goes on as it was carried when they are released. */
static void test_release(void) {
  cloth_config config = square_config(6, 0.0);
  config.gravity = zero_vector;
  config.integration.velocity_damping = 0.0f;
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
  config.contact.mode = CLOTH_CONTACT_SOLVER;
  config.solver.max_iterations = 60;
  run_confined(&config, "solver contact");
  config = square_config(10, 0.0);
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
    TEST(pin_holds), TEST(pin_velocity), TEST(pin_target), TEST(release), TEST(confinement),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
