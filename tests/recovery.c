/* Recovery: what leaves the world, or is overwritten, is put back and reported. SPDX-License-Identifier: MIT */
#include "shapes.h"
#include "sheets.h"

/* A sheet that flies out of the world stops at its border, and can be fetched back. */
static void test_leaving_the_world(void) {
  cloth_config config = square_config(8, 0.0);
  config.origin = vector_at(0.9999e5, 0.0, 0.0);
  config.gravity = zero_vector;
  fixture s = fixture_make(&config);
  const point outwards = {250.0, 0.0, 0.0};
  set_velocity(&s, outwards);
  int notes = run_steps(s.sheet, 30, FRAME);
  CHECK(notes > 0 && (notes & CLOTH_NOTE_RECOVERED), "notes %d", notes);
  cloth_vector low, high;
  cloth_get_bounds(s.sheet, &low, &high);
  CHECK(all_finite(s.sheet) && high.x <= CLOTH_POSITION_LIMIT, "got to %g m", (double)high.x);
  for (int i = 0; i < s.count; i++)
    cloth_set_particle(s.sheet, i, vector_at(i % 8 / 7.0, 0.0, i / 8 / 7.0), zero_vector);
  CHECK(run_steps(s.sheet, 60, FRAME) == CLOTH_OK, "notes after it came back");
  cloth_measures m;
  cloth_measure(s.sheet, &m);
  CHECK(m.max_stretch < 0.01f && rms_speed(&s) < 0.01, "back home it is stretched by %g", (double)m.max_stretch);
  fixture_free(&s);
}

/* A body that would fly out of the world stops before its border, and stays stopped. */
static void test_body_leaving_the_world(void) {
  for (int axis = 0; axis < 3; axis++) {
    cloth_config config = square_config(4, 0.0);
    config.gravity = zero_vector;
    config.capacity.max_bodies = 1;
    fixture s = fixture_make(&config);
    cloth_collider ball = cloth_collider_default(), now = ball;
    const double along[3] = {axis == 0, axis == 1, axis == 2};
    const cloth_vector place = vector_at(99999.5 * along[0], 99999.5 * along[1], 99999.5 * along[2]);
    ball.pose.position = place;
    cloth_body body = cloth_body_default(&ball, 1.0f);
    body.velocity = vector_at(90.0 * along[0] + 1.0, 90.0 * along[1] + 2.0, 90.0 * along[2] + 3.0);
    CHECK(cloth_add_collider(s.sheet, &ball) == 0 && cloth_set_body(s.sheet, 0, &body) == CLOTH_OK, "a body");
    run_steps(s.sheet, 3, FRAME);
    CHECK(cloth_get_body(s.sheet, 0, &body, &now.pose) == CLOTH_OK, "the body");
    CHECK(body.velocity.x == 0.0f && body.velocity.y == 0.0f && body.velocity.z == 0.0f, "moves at (%g, %g, %g) m/s",
          (double)body.velocity.x, (double)body.velocity.y, (double)body.velocity.z);
    CHECK(point_distance(point_of(now.pose.position), point_of(place)) < 0.6, "it is elsewhere");
    fixture_free(&s);
  }
}

/* Positions and velocities of a state span overwritten with garbage, as after a bad network packet. */
static void test_garbage_state(void) {
  cloth_config config = square_config(12, 1.0);
  fixture s = fixture_make(&config);
  cloth_pin(s.sheet, 0);
  cloth_vector_view v;
  cloth_get_velocities(s.sheet, &v);
  const float garbage[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-40f};
  unsigned char *x = s.arena + ((const unsigned char *)v.x - s.arena);
  for (int i = 1; i < s.count; i += 7)
    memcpy(x + sizeof(float) * (size_t)i, &garbage[i % 6], sizeof(float));
  int notes = cloth_step(s.sheet, FRAME);
  CHECK(notes > 0 && (notes & (CLOTH_NOTE_RECOVERED | CLOTH_NOTE_SPEED_LIMITED)), "notes %d", notes);
  CHECK(all_finite(s.sheet), "not finite");
  run_steps(s.sheet, 300, FRAME);
  CHECK(all_finite(s.sheet), "not finite later");
  fixture_free(&s);
}

static const test tests[] = {
    TEST(leaving_the_world),
    TEST(body_leaving_the_world),
    TEST(garbage_state),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
