/* Recovery: particles thrown, scattered, squeezed, blown away or overwritten are put back, reported, and the cloth
   comes to rest again. SPDX-License-Identifier: MIT */
#include "shapes.h"
#include "sheets.h"

/* Something no game should do, and the notes that must report it. */
typedef struct abuse {
  const char *name;
  void (*commit)(fixture *s);
  int notes;
} abuse;

/* Puts a particle somewhere unless it is pinned: a pin goes where it is put. */
static void put_particle(fixture *s, int particle, point place, cloth_vector velocity) {
  if (cloth_get_freedom(s->sheet, particle) > 0)
    cloth_set_particle(s->sheet, particle, vector_of(place), velocity);
}

static void throw_particles(fixture *s) {
  for (int i = 0; i < s->count; i += 3)
    put_particle(s, i, position_of(s->sheet, i), vector_at(5e3, i % 2 == 0 ? 9e3 : -9e3, 4e3));
}

static void scatter_particles(fixture *s) {
  random_source source = {7};
  for (int i = 0; i < s->count; i++) {
    point place = {random_real(&source, -50.0, 50.0), random_real(&source, -50.0, 50.0),
                   random_real(&source, -50.0, 50.0)};
    put_particle(s, i, place, zero_vector);
  }
}

static void collapse_particles(fixture *s) {
  const point middle = {0.0, 1.0, 0.0};
  for (int i = 0; i < s->count; i++)
    put_particle(s, i, middle, zero_vector);
}

static void kick_particles(fixture *s) {
  for (int i = 0; i < s->count; i += 2)
    cloth_apply_impulse(s->sheet, i, vector_at(i % 4 == 0 ? 20.0 : -20.0, 20.0, -20.0));
}

static void drop_collider_on(fixture *s) {
  cloth_collider ball = cloth_collider_default();
  ball.radius = 2.0f;
  ball.pose.position = vector_of(mean_position(s));
  cloth_add_collider(s->sheet, &ball);
  run_steps(s->sheet, 5, FRAME);
  ball.pose.position.x += 1.0f;
  cloth_set_collider(s->sheet, 0, &ball);
  run_steps(s->sheet, 5, FRAME);
  cloth_remove_collider(s->sheet, 0);
}

static void squeeze_between_colliders(fixture *s) {
  cloth_collider box = shape_at(CLOTH_SHAPE_BOX, 0.0, rotation_none());
  box.half_extents = vector_at(1.0, 0.2, 1.0);
  box.pose.position = vector_at(0.0, mean_position(s).y + 0.1, 0.0);
  cloth_add_collider(s->sheet, &box);
  box.pose.position.y -= 0.2f;
  cloth_add_collider(s->sheet, &box);
  run_steps(s->sheet, 20, FRAME);
  cloth_remove_collider(s->sheet, 0);
  cloth_remove_collider(s->sheet, 1);
}

static void stiffen_fully(fixture *s) {
  cloth_fabric fabric = cloth_config_default().fabric;
  fabric.stretch_warp = fabric.stretch_weft = fabric.shear = 1e7f;
  fabric.stretch_damping = fabric.shear_damping = 1e4f;
  fabric.bend = 10.0f;
  fabric.compression = 1.0f;
  fabric.density = 0.001f;
  cloth_set_fabric(s->sheet, &fabric);
  run_steps(s->sheet, 30, FRAME);
  fabric = cloth_config_default().fabric;
  cloth_set_fabric(s->sheet, &fabric);
}

static void storm(fixture *s) {
  cloth_set_wind(s->sheet, vector_at(700.0, 500.0, -500.0));
  cloth_set_gravity(s->sheet, vector_at(5e3, 8e3, 0.0));
  run_steps(s->sheet, 30, FRAME);
  cloth_set_wind(s->sheet, zero_vector);
  cloth_set_gravity(s->sheet, vector_at(0.0, -9.81, 0.0));
}

/* Runs an abuse and then five seconds of peace. Returns all notes. */
static int run_abuse(const abuse *a, fixture *s) {
  cloth_config config = square_config(9, 1.0);
  config.air.drag = config.air.lift = 1.0f;
  config.air.density = 0.01f; /* thin: in one substep thick air stops a particle that is too fast */
  config.integration.velocity_damping = 2.0f;
  *s = fixture_make(&config);
  cloth_pin(s->sheet, 0);
  cloth_pin(s->sheet, 8);
  run_steps(s->sheet, 10, FRAME);
  a->commit(s);
  int notes = 0, finite = 1;
  for (int frame = 0; frame < 300; frame++) {
    int result = cloth_step(s->sheet, FRAME);
    CHECK(result >= CLOTH_OK, "%s: %s", a->name, cloth_result_name(result));
    notes |= result;
    finite = finite && all_finite(s->sheet);
  }
  CHECK(finite, "%s: not finite", a->name);
  return notes;
}

static void expect_recovery(const abuse *a) {
  fixture s, again;
  int notes = run_abuse(a, &s);
  CHECK((notes & a->notes) == a->notes, "%s: notes %d without %d", a->name, notes, a->notes);
  cloth_measures m;
  cloth_measure(s.sheet, &m);
  cloth_statistics st;
  cloth_get_statistics(s.sheet, &st);
  CHECK(st.notes == 0, "%s: still notes %d five seconds later", a->name, st.notes);
  CHECK(m.max_stretch < 0.1f, "%s: still stretched by %g", a->name, (double)m.max_stretch);
  CHECK(rms_speed(&s) < 0.5, "%s: still moves with %g m/s", a->name, rms_speed(&s));
  point middle = mean_position(&s);
  CHECK(fabs(middle.x) < 0.6 && middle.y > -0.1 && middle.y < 1.1, "%s: hangs at (%g, %g, %g)", a->name, middle.x,
        middle.y, middle.z);
  run_abuse(a, &again);
  CHECK(same_state(&s, &again), "%s: a second run differs", a->name);
  fixture_free(&s);
  fixture_free(&again);
}

static void test_recovery(void) {
  const abuse abuses[] = {
      {"thrown particles", throw_particles, CLOTH_NOTE_SPEED_LIMITED},
      {"scattered particles", scatter_particles, 0},
      {"collapsed particles", collapse_particles, 0},
      {"kicked particles", kick_particles, CLOTH_NOTE_SPEED_LIMITED},
      {"collider on top", drop_collider_on, 0},
      {"squeezed", squeeze_between_colliders, 0},
      {"stiffened", stiffen_fully, 0},
      {"storm", storm, 0},
  };
  for (size_t i = 0; i < sizeof abuses / sizeof abuses[0]; i++) {
    expect_recovery(&abuses[i]);
  }
}

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
    TEST(recovery),
    TEST(leaving_the_world),
    TEST(body_leaving_the_world),
    TEST(garbage_state),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
