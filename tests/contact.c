/* Contact: colliders that carry the cloth, momentum, and a body that comes up under cloth at rest.
   SPDX-License-Identifier: MIT */
#include "shapes.h"
#include "sheets.h"

/// Friction ///

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

/// Particles that move along lines alone ///

/* The fastest particle of a sheet that falls on a ball, three frames after the hit: its particles may move along
   vertical lines alone, across which contact presses them. */
static double speed_on_lines(int32_t iterations) {
  cloth_config config = cloth_config_default();
  config.columns = config.rows = 12;
  config.edge_warp = vector_at(0.5, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, 0.5);
  config.origin = vector_at(-0.25, 0.3, -0.25);
  config.iterations = iterations;
  config.capacity.max_confined = 144;
  fixture s = fixture_make(&config);
  cloth_collider ball = shape_at(CLOTH_SHAPE_SPHERE, 0.0, rotation_none());
  ball.radius = 0.2f;
  cloth_add_collider(s.sheet, &ball);
  for (int32_t particle = 0; particle < s.count; particle++) {
    point place = position_of(s.sheet, particle);
    cloth_set_particle(s.sheet, particle, vector_of(place), vector_at(0.0, -5.0, 0.0));
    cloth_confine_to_line(s.sheet, particle, vector_at(0.0, 1.0, 0.0));
  }
  run_steps(s.sheet, 3, FRAME);
  double fastest = 0.0;
  for (int32_t particle = 0; particle < s.count; particle++)
    fastest = fmax(fastest, point_length(velocity_of(s.sheet, particle)));
  fixture_free(&s);
  return fastest;
}

/* What contact changes during the solve is confined, too: few iterations come to what many do. */
static void test_confined_hit(void) {
  double solved = speed_on_lines(60);
  for (int32_t iterations = 4; iterations <= 16; iterations *= 2) {
    double fastest = speed_on_lines(iterations);
    CHECK(fabs(fastest - solved) <= 0.1 * solved, "%d iterations: %g m/s, solved %g m/s", (int)iterations, fastest,
          solved);
  }
}

static const test tests[] = {
    TEST(moving_floor), TEST(turntable), TEST(momentum), TEST(resting_sheet_is_lifted), TEST(confined_hit),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
