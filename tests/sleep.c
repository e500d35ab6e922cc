/* Sleep: when a cloth falls asleep, what wakes it, that sleep is part of the state, and what a step costs meanwhile.
   SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 199309L /* clock_gettime() */
#include "scenes.h"
#include "support.h"

#include <time.h>

enum { PIN = 0, FREE = 20, LINE = 27, PLANE = 35 };
static const cloth_vector along = {0.6f, 0.8f, 0.0f};

/* A small sheet that hangs by a corner and a line, beside a ball, and soon rests. */
static fixture sleeper(void) {
  cloth_config config = square_config(6, 0.0);
  config.integration.velocity_damping = 8.0f;
  config.sleep.speed = 0.02f;
  config.wind = vector_at(1.0, 0.0, 0.0);
  fixture s = fixture_make(&config);
  cloth_collider ball = cloth_collider_default();
  ball.pose.position = vector_at(3.0, 0.0, 0.0);
  ball.pose.rotation = rotation_about((point){0.0, 1.0, 0.0}, 0.7);
  cloth_add_collider(s.sheet, &ball);
  cloth_pin(s.sheet, PIN);
  cloth_confine_to_line(s.sheet, LINE, along);
  cloth_confine_to_plane(s.sheet, PLANE, along);
  return s;
}

/* Steps until it sleeps. Returns the steps that took, or 0 if it never did. */
static int lull(cloth *sheet) {
  for (int frame = 1; frame < 3000; frame++) {
    cloth_step(sheet, FRAME);
    if (cloth_is_asleep(sheet) == 1) return frame;
  }
  return 0;
}

static void test_falling_asleep(void) {
  fixture s = sleeper();
  int quiet = 0, frame = 0;
  double fastest = 0.0;
  for (; frame < 3000 && cloth_is_asleep(s.sheet) == 0; frame++) {
    quiet = frame > 0 && fastest <= 0.02 ? quiet + 1 : 0;
    cloth_step(s.sheet, FRAME);
    fastest = 0.0;
    for (int i = 0; i < s.count; i++)
      fastest = fmax(fastest, point_length(velocity_of(s.sheet, i)));
    CHECK(read_statistics(s.sheet).asleep == 0, "asleep in frame %d before it was", frame);
  }
  CHECK(cloth_is_asleep(s.sheet) == 1, "did not fall asleep");
  CHECK(quiet >= 29 && quiet <= 30, "fell asleep after %d quiet frames", quiet);
  CHECK(fastest == 0.0, "asleep with %g m/s", fastest);
  uint64_t before = read_hash(s.sheet);
  for (int i = 0; i < 10; i++)
    CHECK(cloth_step(s.sheet, 0.001f * (float)(i + 1)) == CLOTH_OK, "a step asleep");
  cloth_statistics st = read_statistics(s.sheet), none;
  memset(&none, 0, sizeof none);
  none.asleep = 1;
  none.work[0] = st.work[0];
  CHECK(st.work[0] < 10000, "%u units of work asleep", st.work[0]);
  CHECK(memcmp(&st, &none, sizeof st) == 0, "statistics of a sleeping cloth");
  CHECK(read_hash(s.sheet) == before, "a sleeping cloth changed");
  CHECK(cloth_step(s.sheet, 0.0f) == CLOTH_ERROR_RANGE, "dt unchecked");
  CHECK(cloth_get_substep_iterations(s.sheet, 0) == CLOTH_ERROR_INDEX, "substeps asleep");
  CHECK(cloth_wake(s.sheet) == CLOTH_OK && cloth_is_asleep(s.sheet) == 0, "cloth_wake");
  CHECK(cloth_step(s.sheet, FRAME) >= CLOTH_OK && read_statistics(s.sheet).substeps == 16, "not awake");
  CHECK(lull(s.sheet) > 28, "did not fall asleep again");
  CHECK(cloth_wake(NULL) == CLOTH_ERROR_NULL && cloth_is_asleep(NULL) == CLOTH_ERROR_NULL, "NULL");
  fixture_free(&s);
}

/* The calls a sleeper may get: number `call`, with what it has already or with something else. Returns 0 past the last.
 */
static int call_input(fixture *s, int call, int other, const char **name) {
  cloth *c = s->sheet;
  double change = other ? 0.25 : 0.0;
  cloth_fabric fabric = tested_config().fabric;
  fabric.bend_damping += (float)change;
  cloth_collider ball = cloth_collider_default();
  ball.pose.position = vector_at(3.0 + change, 0.0, 0.0);
  ball.pose.rotation = rotation_about((point){0.0, 1.0, 0.0}, 0.7);
  cloth_vector pin = vector_of(position_of(c, PIN)), at = vector_of(position_of(c, FREE));
  pin.x += (float)change;
  cloth_vector axis = along;
  axis.z += (float)change;
  at.z += (float)change;
  const cloth_vector small = vector_at(change, 0.0, 0.0);
  const cloth_gusts gusts = {small, 1.0f, 0.0f, 3};
#define CALL(number, what)                                                                                             \
  case number:                                                                                                         \
    *name = #what;                                                                                                     \
    CHECK((what) >= CLOTH_OK, "%s", *name);                                                                            \
    return 1
  switch (call) {
    CALL(0, cloth_set_gravity(c, vector_at(0.0, -9.81 + change, 0.0)));
    CALL(1, cloth_set_wind(c, vector_at(1.0 + change, 0.0, 0.0)));
    CALL(2, cloth_set_fabric(c, &fabric));
    CALL(3, cloth_pin(c, other ? FREE : PIN));
    CALL(4, cloth_set_pin_velocity(c, PIN, small));
    CALL(5, cloth_move_pin(c, PIN, pin));
    CALL(6, cloth_confine_to_line(c, LINE, axis));
    CALL(7, cloth_confine_to_plane(c, PLANE, axis));
    CALL(8, cloth_release(c, other ? PIN : FREE));
    CALL(9, cloth_set_particle(c, FREE, at, vector_at(0.0, 0.0, 0.0)));
    CALL(10, cloth_set_particle(c, FREE, vector_of(position_of(c, FREE)), small));
    CALL(11, cloth_apply_impulse(c, FREE, small));
    CALL(12, cloth_apply_impulse(c, other ? FREE : PIN, vector_at(1e-3, 0.0, 0.0)));
    CALL(13, cloth_set_collider(c, 0, &ball));
    CALL(14, cloth_move_collider(c, 0, NULL, &ball.pose));
    CALL(15, cloth_move_collider(c, 0, &ball.pose, &ball.pose));
    CALL(16, other ? cloth_add_collider(c, &ball) : CLOTH_OK);
    CALL(17, other ? cloth_remove_collider(c, 0) : CLOTH_OK);
    CALL(18, other ? cloth_release(c, LINE) : CLOTH_OK);
    CALL(19, other ? cloth_pin(c, PLANE) : CLOTH_OK);
    CALL(20, other ? cloth_confine_to_plane(c, LINE, along) : CLOTH_OK);
    CALL(21, cloth_set_gusts(c, other ? &gusts : NULL));
  default:
    return 0;
  }
#undef CALL
}

static void test_waking(void) {
  fixture s = sleeper();
  CHECK(lull(s.sheet) > 0, "did not fall asleep");
  unsigned char *asleep = copy_bytes(fixture_state(&s), s.memory.state_bytes);
  const char *name = "";
  for (int call = 0; call_input(&s, call, 0, &name); call++) {
    CHECK(cloth_is_asleep(s.sheet) == 1, "woken by %s with what was there", name);
    cloth_step(s.sheet, FRAME);
    CHECK(read_statistics(s.sheet).asleep == 1, "%s woke it late", name);
    memcpy(fixture_state(&s), asleep, s.memory.state_bytes);
    call_input(&s, call, 1, &name);
    CHECK(cloth_is_asleep(s.sheet) == 0, "not woken by %s", name);
    cloth_step(s.sheet, FRAME);
    CHECK(read_statistics(s.sheet).substeps == 16, "%s did not wake it", name);
    memcpy(fixture_state(&s), asleep, s.memory.state_bytes);
  }
  free(asleep);
  fixture_free(&s);
}

/* A pin that creeps has been told to, and colliders on the move keep a cloth awake. */
#ifndef CLOTH_NO_SETTLE
/* cloth_settle() moves the cloth: sleep.time begins again, also where the cloth was about to fall asleep. */
static void test_settling(void) {
  fixture s = sleeper(), about_to = sleeper();
  const int frames = lull(s.sheet);
  run_steps(about_to.sheet, frames - 1, FRAME);
  CHECK(cloth_settle(about_to.sheet, FRAME, 0.01f, 10, NULL) >= CLOTH_OK, "settle");
  CHECK(cloth_is_asleep(about_to.sheet) == 0, "asleep within the call");
  const int later = lull(about_to.sheet);
  CHECK(later >= 30, "asleep %d frames after the call", later);
  fixture_free(&s);
  fixture_free(&about_to);
}
#endif

static void test_staying_awake(void) {
  fixture s = sleeper();
  cloth_set_pin_velocity(s.sheet, PIN, vector_at(0.0, 1e-4, 0.0));
  CHECK(lull(s.sheet) == 0, "slept with a pin on its way");
  cloth_set_pin_velocity(s.sheet, PIN, vector_at(0.0, 0.0, 0.0));
  for (int frame = 0; frame < 200; frame++) {
    cloth_pose pose = {vector_at(3.0 + 0.001 * frame, 0.0, 0.0), rotation_none()};
    cloth_move_collider(s.sheet, 0, NULL, &pose);
    cloth_step(s.sheet, FRAME);
    CHECK(cloth_is_asleep(s.sheet) == 0, "slept while a collider moved");
  }
  CHECK(lull(s.sheet) > 0, "did not sleep after that");
  fixture_free(&s);
  cloth_config config = square_config(4, 0.0);
  config.gravity = vector_at(0.0, 0.0, 0.0);
  s = fixture_make(&config);
  CHECK(lull(s.sheet) == 0, "slept without being asked to");
  fixture_free(&s);
}

/* Sleep is part of the state: saved, hashed, in images; and waking goes on the same way everywhere. */
static void test_sleep_is_state(void) {
  cloth_config config = square_config(6, 0.0);
  config.integration.velocity_damping = 8.0f;
  config.sleep.speed = 0.02f;
  config.tethers.count = 0;
  fixture s = fixture_make(&config), t = fixture_make(&config);
  cloth_pin(s.sheet, 0);
  CHECK(lull(s.sheet) > 0, "did not fall asleep");
  unsigned char *image = (unsigned char *)malloc(s.memory.image_bytes);
  CHECK(cloth_write_image(s.sheet, image, s.memory.image_bytes) == CLOTH_OK, "cloth_write_image");
  CHECK(cloth_read_image(t.sheet, image, s.memory.image_bytes) == CLOTH_OK, "cloth_read_image");
  CHECK(cloth_is_asleep(t.sheet) == 1 && read_hash(s.sheet) == read_hash(t.sheet), "the image is not asleep");
  CHECK(cloth_save(s.sheet, image, s.memory.saved_bytes) == CLOTH_OK, "cloth_save");
  cloth_wake(t.sheet);
  CHECK(read_hash(s.sheet) != read_hash(t.sheet), "sleep is not in the hash");
  CHECK(cloth_load(t.sheet, image, s.memory.saved_bytes) == CLOTH_OK && cloth_is_asleep(t.sheet) == 1, "cloth_load");
  cloth_step(t.sheet, 0.001f);
  cloth_apply_impulse(s.sheet, 7, vector_at(0.01, 0.0, 0.0));
  cloth_apply_impulse(t.sheet, 7, vector_at(0.01, 0.0, 0.0));
  CHECK(run_steps(s.sheet, 20, FRAME) == run_steps(t.sheet, 20, FRAME) && same_state(&s, &t), "woke differently");
  free(image);
  fixture_free(&s);
  fixture_free(&t);
}

static void test_sleep_config(void) {
  cloth_config config = cloth_config_default();
  CHECK(config.sleep.speed == 0.0f && config.sleep.time == 0.5f, "defaults");
  const float wrong[][2] = {{-0.1f, 0.5f}, {10.1f, 0.5f}, {NAN, 0.5f}, {0.1f, -0.1f}, {0.1f, 60.1f}, {0.1f, NAN}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    cloth_memory memory;
    config.sleep.speed = wrong[i][0];
    config.sleep.time = wrong[i][1];
    CHECK(cloth_memory_needed(&config, &memory) == CLOTH_ERROR_RANGE, "case %d", (int)i);
    char text[128];
    cloth_config_explain(&config, text, sizeof text);
    CHECK(strcmp(text, i < 3 ? "sleep.speed: 0..10 m/s" : "sleep.time: 0..60 s") == 0, "case %d: %s", (int)i, text);
  }
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double time_of_steps(cloth *sheet, int steps) {
  double start = seconds();
  run_steps(sheet, steps, FRAME);
  return (seconds() - start) / steps;
}

/* A drape of 24 x 24 falls asleep of itself; then a step costs at most 1 % of one awake. */
static void test_cost_asleep(void) {
  scene description = scene_describe(SCENE_DRAPE, 24);
  use_projection(&description.config);
  description.config.integration.bdf2_blend = 0.5f; /* with .9 and 16 substeps it creeps on */
  description.config.substeps = 28;
  description.config.sleep.speed = 0.1f; /* single particles of a drape at rest shake at up to 0.08 m/s, by 0.05 mm */
  description.config.integration.velocity_damping = 4.0f;
  scene_instance made;
  CHECK(scene_open(&description, &made) == CLOTH_OK, "scene_open");
  double awake = time_of_steps(made.sheet, 60);
  int frames = lull(made.sheet);
  CHECK(frames > 0, "the drape did not fall asleep");
  double asleep = time_of_steps(made.sheet, 1000);
  printf("drape 24 x 24: asleep after %.1f s; a step %.1f us awake, %.3f us asleep: %.4f %%\n", 1.0 + frames / 60.0,
         1e6 * awake, 1e6 * asleep, 100.0 * asleep / awake);
  CHECK(asleep < 0.01 * awake, "%g s asleep, %g s awake", asleep, awake);
  scene_close(&made);
}

static const test tests[] = {
    TEST(falling_asleep), TEST(waking),       TEST(staying_awake),
    TEST(sleep_is_state), TEST(sleep_config), TEST(cost_asleep),
#ifndef CLOTH_NO_SETTLE
    TEST(settling),
#endif
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
