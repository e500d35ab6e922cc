/* Contact: rest on every shape, friction, colliders that carry the cloth, fast bodies, reactions.
   SPDX-License-Identifier: MIT */
#include "shapes.h"
#include "sheets.h"

/// Rest on every shape ///

static void expect_rest_on(const cloth_collider *collider, const cloth_config *config, const char *name) {
  fixture s = fixture_make(config);
  cloth_add_collider(s.sheet, collider);
  int notes = run_steps(s.sheet, 300, FRAME);
  CHECK(notes >= CLOTH_OK && (notes & (CLOTH_NOTE_RECOVERED | CLOTH_NOTE_SPEED_LIMITED)) == 0, "%s: notes %d", name,
        notes);
  double distance = least_distance(&s, collider), thickness = (double)config->thickness;
  CHECK(distance > thickness - 2e-3, "%s: %g m of %g m away", name, distance, thickness);
  cloth_statistics st;
  cloth_get_statistics(s.sheet, &st);
  CHECK(st.contacts > 0, "%s: no contacts", name);
  CHECK(distance < thickness + 5e-3, "%s: the nearest particle is %g m away", name, distance);
  CHECK(rms_speed(&s) < 0.05, "%s: still moves with %g m/s", name, rms_speed(&s));
  fixture_free(&s);
}

static void test_rest_on_every_shape(void) {
  const double right_angle = 0.5 * acos(-1.0);
  const struct {
    const char *name;
    cloth_collider collider;
  } cases[] = {
      {"level plane", shape_at(CLOTH_SHAPE_PLANE, 0.2, rotation_none())},
      {"tilted plane", shape_at(CLOTH_SHAPE_PLANE, 0.0, rotation_about(z_axis, 0.3))},
      {"sphere", shape_at(CLOTH_SHAPE_SPHERE, 0.0, rotation_none())},
      {"standing capsule", shape_at(CLOTH_SHAPE_CAPSULE, -0.2, rotation_none())},
      {"hanging capsule", shape_at(CLOTH_SHAPE_CAPSULE, -0.3, rotation_about(x_axis, 2.0 * right_angle))},
      {"lying capsule", shape_at(CLOTH_SHAPE_CAPSULE, 0.0, rotation_about(z_axis, 0.9 * right_angle))},
      {"box", shape_at(CLOTH_SHAPE_BOX, 0.0, rotation_none())},
      {"turned box", shape_at(CLOTH_SHAPE_BOX, 0.0, rotation_about(y_axis, 0.6))},
      {"tilted box", shape_at(CLOTH_SHAPE_BOX, 0.0, rotation_about(x_axis, 0.3))},
      {"standing cylinder", shape_at(CLOTH_SHAPE_CYLINDER, -0.1, rotation_none())},
      {"lying cylinder", shape_at(CLOTH_SHAPE_CYLINDER, 0.0, rotation_about(z_axis, right_angle))},
  };
  cloth_config config = square_config(13, 0.35);
  config.edge_warp = vector_at(0.8, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, 0.8);
  config.origin = vector_at(-0.4, 0.35, -0.4);
  config.integration.velocity_damping = 2.0f;
  config.substeps = 8;
  config.solver.max_iterations = 8;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    expect_rest_on(&cases[i].collider, &config, cases[i].name);
}

/// Friction ///

#define INCLINE_ANGLE 0.39269908 /* 22.5 degrees; the tangent is 0.41421 */

/* How far a sheet slides down an incline in a second, and how fast it is then. */
static void slide(double friction, double *way, double *speed) {
  point down = {-cos(INCLINE_ANGLE), -sin(INCLINE_ANGLE), 0.0}, up = {-sin(INCLINE_ANGLE), cos(INCLINE_ANGLE), 0.0};
  cloth_config config = tested_config();
  config.columns = config.rows = 8;
  config.edge_warp = vector_of(point_scaled(down, -0.5));
  config.edge_weft = vector_at(0.0, 0.0, 0.5);
  config.origin = vector_of(point_scaled(up, (double)config.thickness));
  config.integration.velocity_damping = 0.0f;
  config.solver.max_iterations = 60;
  fixture s = fixture_make(&config);
  cloth_collider incline = shape_at(CLOTH_SHAPE_PLANE, 0.0, rotation_about(z_axis, INCLINE_ANGLE));
  incline.static_friction = incline.kinetic_friction = (float)friction;
  cloth_add_collider(s.sheet, &incline);
  point start = mean_position(&s);
  run_steps(s.sheet, 60, FRAME);
  *way = point_dot(point_difference(mean_position(&s), start), down);
  *speed = point_dot(mean_velocity(&s), down);
  fixture_free(&s);
}

static void test_incline(void) {
  double way, speed;
  const double sliding[] = {0.0, 0.2, 0.35};
  for (int i = 0; i < 3; i++) {
    double expected = 9.81 * (sin(INCLINE_ANGLE) - sliding[i] * cos(INCLINE_ANGLE));
    slide(sliding[i], &way, &speed);
    CHECK(fabs(speed - expected) < 0.03 * expected, "friction %g: %g m/s instead of %g", sliding[i], speed, expected);
    CHECK(fabs(way - 0.5 * expected) < 0.05 * expected, "friction %g: %g m", sliding[i], way);
  }
  slide(0.6, &way, &speed);
  CHECK(fabs(way) < 1e-3 && fabs(speed) < 1e-3, "the sheet that sticks went %g m, %g m/s", way, speed);
}

/// Colliders that carry the cloth ///

/* A sheet lying on a collider of the given shape, whose top is at height 0. */
static fixture sheet_on_top(double size, const cloth_collider *collider, int settle) {
  cloth_config config = tested_config();
  config.columns = config.rows = 9;
  config.edge_warp = vector_at(size, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, size);
  config.origin = vector_at(-0.5 * size, (double)config.thickness, -0.5 * size);
  config.solver.max_iterations = 60;
  fixture s = fixture_make(&config);
  cloth_add_collider(s.sheet, collider);
  run_steps(s.sheet, settle, FRAME);
  return s;
}

static void test_moving_floor(void) {
  cloth_collider floor = shape_at(CLOTH_SHAPE_BOX, -0.1, rotation_none());
  floor.half_extents = vector_at(3.0, 0.1, 3.0);
  floor.static_friction = floor.kinetic_friction = 0.8f;
  fixture s = sheet_on_top(0.5, &floor, 30);
  point start = mean_position(&s);
  cloth_pose pose = floor.pose;
  for (int frame = 1; frame <= 60; frame++) {
    pose.position.x = (float)(0.5 * frame / 60.0);
    cloth_move_collider(s.sheet, 0, NULL, &pose);
    cloth_step(s.sheet, FRAME);
  }
  point velocity = mean_velocity(&s);
  CHECK(fabs(velocity.x - 0.5) < 0.02 && fabs(velocity.z) < 0.01, "carried at (%g, %g, %g) m/s", velocity.x, velocity.y,
        velocity.z);
  /* Friction of 0.8 brings it to speed within v^2 / (2 mu g) = 0.016 m. */
  double way = mean_position(&s).x - start.x;
  CHECK(way > 0.45 && way < 0.505, "carried %g m", way);
  run_steps(s.sheet, 60, FRAME); /* nobody moves the floor now */
  CHECK(fabs(mean_velocity(&s).x) < 0.01, "goes on at %g m/s", mean_velocity(&s).x);
  fixture_free(&s);
}

/* The rate at which a sheet turns about an axis through a point [rad/s]. */
static double turning_rate(const fixture *s, point through, point axis) {
  double turning = 0.0, inertia = 0.0;
  for (int i = 0; i < s->count; i++) {
    point arm = point_difference(position_of(s->sheet, i), through), v = velocity_of(s->sheet, i);
    turning += point_dot(point_cross(arm, v), axis);
    inertia += point_dot(arm, arm) - point_dot(arm, axis) * point_dot(arm, axis);
  }
  return turning / inertia;
}

/* A turning disc takes a sheet on it round, at its own rate once the sheet no longer slips. */
static void test_turntable(void) {
  cloth_collider disc = shape_at(CLOTH_SHAPE_CYLINDER, -0.1, rotation_none());
  disc.radius = 1.0f;
  disc.half_height = 0.1f;
  fixture s = sheet_on_top(0.4, &disc, 30);
  const double rate = 1.5;
  for (int frame = 1; frame <= 60; frame++) {
    cloth_pose pose = disc.pose;
    pose.rotation = rotation_about(y_axis, rate * frame / 60.0);
    cloth_move_collider(s.sheet, 0, NULL, &pose);
    cloth_step(s.sheet, FRAME);
  }
  const point above = {0.0, 0.0, 0.0};
  double turned = turning_rate(&s, above, y_axis);
  CHECK(fabs(turned - rate) < 0.05 * rate, "turned at %g rad/s", turned);
  fixture_free(&s);
}

/// Fast bodies ///

/* A ball goes 5 m in one step through the middle of a sheet held at its corners. No particle in its way may be left
   behind it as if nothing had happened. */
static void test_fast_ball(void) {
  cloth_config config = tested_config();
  config.columns = config.rows = 21;
  config.origin = vector_at(-0.5, -0.5, 0.0);
  config.edge_weft = vector_at(0.0, 1.0, 0.0);
  fixture s = fixture_make(&config);
  const int corners[] = {0, 20, 420, 440};
  for (int i = 0; i < 4; i++)
    cloth_pin(s.sheet, corners[i]);
  cloth_collider ball = shape_at(CLOTH_SHAPE_SPHERE, 0.0, rotation_none());
  ball.pose.position = vector_at(0.0, 0.0, -2.5);
  ball.radius = 0.2f;
  cloth_add_collider(s.sheet, &ball);
  unsigned char in_way[441];
  for (int i = 0; i < s.count; i++) {
    point p = position_of(s.sheet, i);
    in_way[i] = hypot(p.x, p.y) < 0.2;
  }
  ball.pose.position.z = 2.5f;
  cloth_move_collider(s.sheet, 0, NULL, &ball.pose);
  int result = cloth_step(s.sheet, FRAME);
  CHECK(result >= CLOTH_OK && (result & CLOTH_NOTE_RECOVERED) == 0 && all_finite(s.sheet), "result %d", result);
  int left_behind = 0, count = 0;
  for (int i = 0; i < s.count; i++) {
    count += in_way[i];
    left_behind += in_way[i] && position_of(s.sheet, i).z < 0.1;
  }
  CHECK(count > 40 && left_behind == 0, "%d of %d particles were left behind", left_behind, count);
  double distance = least_distance(&s, &ball);
  CHECK(distance > 0.0, "a particle is %g m from the ball", distance);
  fixture_free(&s);
}

/// Reactions ///

static void add_to_impulse(const fixture *s, point *impulse) {
  cloth_reaction reaction;
  CHECK(cloth_get_collider_reaction(s->sheet, 0, &reaction) == CLOTH_OK, "no reaction");
  *impulse = point_sum(*impulse, point_of(reaction.impulse));
}

/* What the cloth lost in momentum, gravity's share apart, the ball got. Returns the share that is missing of it. */
static double missing_momentum(point velocity) {
  cloth_config config = square_config(16, 0.3);
  config.air.density = 0.0f;
  config.integration.velocity_damping = 0.0f;
  config.solver.max_iterations = 100;
  config.solver.tolerance = 1e-4f;
  fixture s = fixture_make(&config);
  cloth_collider ball = cloth_collider_default();
  ball.pose.position = vector_at(0.1, 0.0, 0.05);
  cloth_add_collider(s.sheet, &ball);
  set_velocity(&s, velocity);
  double mass = sheet_mass(&s);
  point impulse = {0.0, 0.0, 0.0}, before = point_scaled(mean_velocity(&s), mass);
  const int frames = 30;
  for (int frame = 0; frame < frames; frame++) {
    cloth_step(s.sheet, FRAME);
    add_to_impulse(&s, &impulse);
  }
  point change = point_difference(point_scaled(mean_velocity(&s), mass), before);
  point gravity = point_scaled(point_of(config.gravity), mass * frames * (double)FRAME);
  point missing = point_difference(point_sum(change, impulse), gravity);
  CHECK(point_length(impulse) > 0.3, "the ball hardly felt it: %g N s", point_length(impulse));
  CHECK(point_length(missing) < 0.025 * point_length(impulse), "(%g, %g, %g) of %g N s missing", missing.x, missing.y,
        missing.z, point_length(impulse));
  fixture_free(&s);
  return point_length(missing) / point_length(impulse);
}

/* Which particles let go and when differs from fall to fall, and with it what is missing: hence the mean of many. */
static void test_momentum(void) {
  const int falls = 20;
  double mean = 0.0;
  for (int fall = 0; fall < falls; fall++) {
    point velocity = {0.5 + 0.02 * (fall - 10), -3.0, 0.2 - 0.014 * (fall - 10)};
    mean += missing_momentum(velocity) / falls;
  }
  CHECK(mean < 0.01, "%g of the impulse missing", mean);
}

/* A sheet at rest presses with its weight, at the arm of its middle about the plane's position. */
static void test_weight(void) {
  cloth_config config = square_config(10, 0.01);
  config.solver.max_iterations = 100;
  fixture s = fixture_make(&config);
  cloth_collider plane = shape_at(CLOTH_SHAPE_PLANE, 0.0, rotation_none());
  plane.pose.position = vector_at(-0.7, 0.0, 0.4);
  cloth_add_collider(s.sheet, &plane);
  run_steps(s.sheet, 60, FRAME);
  cloth_reaction reaction;
  cloth_get_collider_reaction(s.sheet, 0, &reaction);
  point weight = {0.0, -sheet_mass(&s) * 9.81 * (double)FRAME, 0.0};
  point torque = point_cross(point_difference(mean_position(&s), point_of(plane.pose.position)), weight);
  CHECK(point_distance(point_of(reaction.impulse), weight) < 0.01 * point_length(weight),
        "(%g, %g, %g) N s instead of %g", (double)reaction.impulse.x, (double)reaction.impulse.y,
        (double)reaction.impulse.z, weight.y);
  CHECK(point_distance(point_of(reaction.torque), torque) < 0.01 * point_length(torque),
        "torque (%g, %g, %g) instead of (%g, %g, %g)", (double)reaction.torque.x, (double)reaction.torque.y,
        (double)reaction.torque.z, torque.x, torque.y, torque.z);
  fixture_free(&s);
}

/* A sheet at rest lies on a collider's margin to rounding; a thin box that then jumps up through it must take it along,
   whichever side of the margin rounding has left it on. */
static void test_resting_sheet_is_lifted(void) {
  const double heights[] = {0.0, 0.1, 0.3, 0.7, 1.3, 2.9};
  for (size_t i = 0; i < sizeof heights / sizeof heights[0]; i++) {
    cloth_config config = square_config(8, heights[i] + 0.02);
    fixture s = fixture_make(&config);
    cloth_collider box = cloth_collider_default();
    box.shape = CLOTH_SHAPE_BOX;
    box.half_extents = vector_at(1.0, 0.001, 1.0);
    box.pose.position = vector_at(0.0, heights[i], 0.0);
    int index = cloth_add_collider(s.sheet, &box);
    run_steps(s.sheet, 120, FRAME);
    cloth_pose up = box.pose;
    up.position = vector_at(0.0, heights[i] + 16.0 * (double)FRAME, 0.0);
    cloth_move_collider(s.sheet, index, NULL, &up);
    cloth_step(s.sheet, FRAME);
    int below = 0;
    for (int particle = 0; particle < s.count; particle++)
      below += position_of(s.sheet, particle).y < (double)up.position.y;
    CHECK(below == 0, "height %g: %d particles fell through", heights[i], below);
    fixture_free(&s);
  }
}

static const test tests[] = {
    TEST(rest_on_every_shape), TEST(incline),  TEST(moving_floor), TEST(turntable),
    TEST(fast_ball),           TEST(momentum), TEST(weight),       TEST(resting_sheet_is_lifted),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
