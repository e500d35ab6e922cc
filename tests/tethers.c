/* Tethers: they hold, follow moving pins, go around bodies, can be set by hand; and a sheet between pins comes to rest
   whatever its tethers. Tethers of a tube: tubes.c. SPDX-License-Identifier: MIT */
#include "sheets.h"

/* The defaults, with two tethers a particle. */
static cloth_config tethered_config(void) {
  cloth_config config = cloth_config_default();
  config.tethers.count = 2;
  return config;
}

/* A hanging sheet of 12 x 12 that stretches much without tethers. Row 0 is on top. */
static fixture tethered_sheet(int tethers, int colliders) {
  cloth_config config = square_config(12, 0.0);
  config.fabric.stretch_warp = config.fabric.stretch_weft = 100.0f;
  config.fabric.shear = 70.0f;
  config.edge_weft = vector_at(0.0, -1.0, 0.0);
  config.substeps = 1;
  config.integration.velocity_damping = 3.0f;
  config.tethers.count = tethers;
  config.max_colliders = colliders;
  fixture s = fixture_make(&config);
  cloth_pin(s.sheet, 0);
  cloth_pin(s.sheet, 11);
  return s;
}

static double rest_distance(int a, int b) {
  return hypot(a % 12 - b % 12, a / 12 - b / 12) / 11.0;
}

/* The largest share by which a particle is farther from a pin than the sheet reaches. */
static double beyond_reach(const fixture *s, int pin) {
  double most = -1.0;
  for (int i = 0; i < 144; i++) {
    double distance = point_length(point_difference(position_of(s->sheet, i), position_of(s->sheet, pin)));
    if (i != pin && i != 0 && i != 11) most = fmax(most, distance / rest_distance(i, pin) - 1.0);
  }
  return most;
}

/* A sheet stretched out between four pins sags a little and comes to rest, with tethers and without. */
static void rest_between_pins(int32_t tethers) {
  cloth_config config = cloth_config_default();
  config.tethers.count = tethers;
  config.columns = 20;
  config.rows = 20;
  config.edge_warp = vector_at(0.38, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, 0.38);
  cloth_fabric_preset(CLOTH_FABRIC_COTTON, &config.fabric);
  fixture s = fixture_make(&config);
  const int corners[] = {0, 19, 380, 399};
  for (int i = 0; i < 4; i++)
    cloth_pin(s.sheet, corners[i]);
  run_steps(s.sheet, 1200, FRAME);
  double fastest = 0.0;
  for (int i = 0; i < 400; i++)
    fastest = fmax(fastest, point_length(velocity_of(s.sheet, i)));
  CHECK(fastest < 1e-4, "%d tethers: after 20 s a particle moves at %g m/s", (int)tethers, fastest);
  fixture_free(&s);
}

static void test_rest_between_pins(void) {
  rest_between_pins(0);
  rest_between_pins(2);
}

/* Between two pins a metre apart no particle can be within .7 of its ways to both: it rests where they balance. */
static void test_tethers_that_cannot_be_kept(void) {
  static const int32_t substeps[] = {2, 4, 8};
  for (int k = 0; k < 3; k++) {
    cloth_config config = tethered_config();
    config.columns = config.rows = 24;
    config.substeps = substeps[k];
    config.tethers.scale = 0.7f;
    fixture s = fixture_make(&config);
    cloth_pin(s.sheet, 0);
    cloth_pin(s.sheet, 23);
    run_steps(s.sheet, 600, FRAME);
    double fastest = 0.0;
    for (int i = 0; i < s.count; i++)
      fastest = fmax(fastest, point_length(velocity_of(s.sheet, i)));
    CHECK(fastest < 2e-3, "%d substeps: after 10 s a particle moves at %g m/s", (int)substeps[k], fastest);
    fixture_free(&s);
  }
}

/* Long sheets and tubes by two opposite corners hang by few particles that neighbours carry to the ends of their
   tethers: those must not be on and off in turn. */
static void test_tethered_banners(void) {
  static const struct {
    cloth_fabric_kind fabric;
    int32_t columns, rows, tethers, substeps, wrap;
    float length, blend;
  } banners[] = {
      {CLOTH_FABRIC_COTTON, 12, 12, 2, 1, 0, 4.0f, 0.0f},   {CLOTH_FABRIC_LINEN, 26, 10, 2, 1, 0, 4.0f, 0.0f},
      {CLOTH_FABRIC_CANVAS, 26, 10, 1, 1, 0, 9.394f, 0.0f}, {CLOTH_FABRIC_CANVAS, 26, 10, 1, 2, 0, 9.394f, 0.0f},
      {CLOTH_FABRIC_CANVAS, 26, 10, 2, 2, 1, 9.394f, 0.0f}, {CLOTH_FABRIC_CANVAS, 26, 10, 2, 1, 1, 9.394f, 0.5f},
  };
  for (size_t k = 0; k < sizeof banners / sizeof *banners; k++) {
    cloth_config config = cloth_config_default();
    config.max_colliders = 0;
    config.columns = banners[k].columns;
    config.rows = banners[k].rows;
    config.edge_weft = vector_at(0.0, 0.0, (double)banners[k].length);
    config.substeps = banners[k].substeps;
    config.tethers.count = banners[k].tethers;
    config.integration.bdf2_blend = banners[k].blend;
    config.grid.wrap = banners[k].wrap;
    cloth_fabric_preset(banners[k].fabric, &config.fabric);
    fixture s = fixture_make(&config);
    cloth_pin(s.sheet, 0);
    cloth_pin(s.sheet, s.count - 1);
    run_steps(s.sheet, 6000, FRAME);
    double fastest = 0.0;
    for (int i = 0; i < s.count; i++)
      fastest = fmax(fastest, point_length(velocity_of(s.sheet, i)));
    CHECK(fastest < 1e-3, "banner %d: after 100 s a particle moves at %g m/s", (int)k, fastest);
    fixture_free(&s);
  }
}

static void test_tethers_hold(void) {
  fixture held = tethered_sheet(2, 0), loose = tethered_sheet(0, 0);
  CHECK(tether_of(&held, 130, 0) == -1, "a tether before the first step");
  run_steps(held.sheet, 120, FRAME);
  run_steps(loose.sheet, 120, FRAME);
  double without = fmax(beyond_reach(&loose, 0), beyond_reach(&loose, 11));
  double with = fmax(beyond_reach(&held, 0), beyond_reach(&held, 11));
  CHECK(without > 0.04, "hangs within %g of its reach without tethers", without);
  CHECK(with < 0.25 * without, "hangs %g beyond its reach, without tethers %g", with, without);
  CHECK(tether_of(&held, 132, 0) == 0 && tether_of(&held, 132, 1) == 11, "tethers of the lower left corner: %d, %d",
        tether_of(&held, 132, 0), tether_of(&held, 132, 1));
  fixture_free(&loose);
  fixture_free(&held);
}

/* Pins that move take what hangs on them along; one that goes has its tethers go over to the other. */
static void test_tethers_follow(void) {
  fixture s = tethered_sheet(2, 0);
  run_steps(s.sheet, 60, FRAME);
  for (int frame = 0; frame < 60; frame++) {
    cloth_set_pin_velocity(s.sheet, 0, vector_at(0.0, 1.0, 0.0));
    cloth_set_pin_velocity(s.sheet, 11, vector_at(0.0, 1.0, 0.0));
    cloth_step(s.sheet, FRAME);
  }
  double lag = fmax(beyond_reach(&s, 0), beyond_reach(&s, 11));
  CHECK(lag < 0.03, "lags %g behind moving pins", lag);
  cloth_set_pin_velocity(s.sheet, 0, vector_at(0.0, 0.0, 0.0));
  cloth_set_pin_velocity(s.sheet, 11, vector_at(0.0, 0.0, 0.0));
  cloth_release(s.sheet, 0);
  run_steps(s.sheet, 120, FRAME);
  CHECK(tether_of(&s, 132, 0) == 11, "tied to particle %d when only 11 is pinned", tether_of(&s, 132, 0));
  CHECK(beyond_reach(&s, 11) < 0.03, "hangs %g beyond the reach of the one pin", beyond_reach(&s, 11));
  CHECK(position_of(s.sheet, 0).y < 0.9, "the released corner stays at %g", position_of(s.sheet, 0).y);
  fixture_free(&s);
}

/* Over a bar between the pins and the hem: the straight ways go through the bar, the sheet may not. */
static void test_tethers_around_bodies(void) {
  fixture s = tethered_sheet(2, 1);
  cloth_collider bar = cloth_collider_default();
  bar.shape = CLOTH_SHAPE_CAPSULE;
  bar.radius = bar.radius_top = 0.15f;
  bar.half_height = 1.0f;
  bar.pose.position = vector_at(0.0, -0.5, -0.7);
  bar.pose.rotation.z = bar.pose.rotation.w = 0.70710678f;
  CHECK(cloth_add_collider(s.sheet, &bar) == 0, "no bar");
  double deepest = 1.0;
  for (int frame = 0; frame < 180; frame++) {
    cloth_pose pose = bar.pose;
    pose.position.z = fminf(-0.7f + 0.005f * (float)frame, -0.2f);
    cloth_move_collider(s.sheet, 0, NULL, &pose);
    cloth_step(s.sheet, FRAME);
    for (int i = 12; i < 144; i++) {
      point p = position_of(s.sheet, i);
      deepest = fmin(deepest, hypot(p.y + 0.5, p.z - (double)pose.position.z) - 0.15);
    }
  }
  CHECK(deepest > 0.0, "%g m deep in the bar", -deepest);
  fixture_free(&s);
}

/* A ball at 10 m/s through a sheet that hangs by two corners, until the sheet slides off the ball. While tethers that
   the ball blocks pull along it, particles in front of it keep up with those beside it; when such tethers let go,
   single edges get 2.5 times as long. */
static void test_tethers_hit(void) {
  cloth_config config = tethered_config();
  config.columns = config.rows = 48;
  config.edge_weft = vector_at(0.0, -1.0, 0.0);
  config.max_colliders = 1;
  fixture s = fixture_make(&config);
  cloth_pin(s.sheet, 0);
  cloth_pin(s.sheet, 47);
  run_steps(s.sheet, 30, FRAME);
  cloth_collider ball = cloth_collider_default();
  ball.radius = 0.1f;
  ball.pose.position = vector_at(0.5, -0.5, -1.0);
  CHECK(cloth_add_collider(s.sheet, &ball) == 0, "no ball");
  double longest = 0.0;
  int touched = 0;
  for (int frame = 0; frame < 30; frame++) {
    cloth_measures m;
    ball.pose.position.z += 10.0f * FRAME;
    cloth_move_collider(s.sheet, 0, NULL, &ball.pose);
    cloth_step(s.sheet, FRAME);
    cloth_measure(s.sheet, &m);
    longest = fmax(longest, (double)m.max_stretch);
    touched += read_statistics(s.sheet).contacts > 0;
  }
  CHECK(touched > 3, "the ball touches the sheet in %d frames", touched);
  CHECK(longest < 1.0, "an edge gets longer by %g of its length", longest);
  fixture_free(&s);
}

static void test_tethers_set(void) {
  fixture s = tethered_sheet(1, 0);
  CHECK(cloth_set_tether(s.sheet, 143, 0, 0) == CLOTH_OK, "cloth_set_tether");
  run_steps(s.sheet, 30, FRAME);
  CHECK(tether_of(&s, 143, 0) == 0 && tether_of(&s, 142, 0) == 11, "set %d, beside it %d", tether_of(&s, 143, 0),
        tether_of(&s, 142, 0));
  cloth_pin(s.sheet, 72);
  run_steps(s.sheet, 1, FRAME);
  CHECK(tether_of(&s, 84, 0) == 0, "chosen anew although set: %d", tether_of(&s, 84, 0));
  cloth_release(s.sheet, 0);
  CHECK(tether_of(&s, 143, 0) == -1, "tied to a released pin: %d", tether_of(&s, 143, 0));
  CHECK(cloth_set_tether(s.sheet, 142, 0, -1) == CLOTH_OK && tether_of(&s, 142, 0) == -1, "a tether taken off");
  CHECK(cloth_reset_tethers(s.sheet) == CLOTH_OK, "cloth_reset_tethers");
  run_steps(s.sheet, 1, FRAME);
  CHECK(tether_of(&s, 84, 0) == 72 && tether_of(&s, 143, 0) == 11, "chosen anew: %d, %d", tether_of(&s, 84, 0),
        tether_of(&s, 143, 0));
  CHECK(cloth_set_tether(s.sheet, 5, 1, 11) == CLOTH_ERROR_INDEX, "a slot that is not there");
  CHECK(cloth_set_tether(s.sheet, 5, -1, 11) == CLOTH_ERROR_INDEX, "slot -1");
  CHECK(cloth_set_tether(s.sheet, 5, 0, 6) == CLOTH_ERROR_STATE, "tied to a free particle");
  CHECK(cloth_set_tether(s.sheet, 5, 0, 144) == CLOTH_ERROR_INDEX, "tied to no particle");
  CHECK(cloth_set_tether(s.sheet, -1, 0, 11) == CLOTH_ERROR_INDEX, "no particle tied");
  fixture_free(&s);
}

/* A ball that is pressed into a sheet between two held edges stretches it by 3 to 5 % and more. Tethers that gave way
   to pins alone threw the cloth into the ball at 6 to 31 m/s for ever; it rests. */
static void test_pressed_between_edges(void) {
  static const cloth_fabric_kind fabrics[] = {CLOTH_FABRIC_SILK, CLOTH_FABRIC_COTTON, CLOTH_FABRIC_DENIM,
                                              CLOTH_FABRIC_FELT};
  for (int k = 0; k <= 4; k++) {
    enum { N = 17 };
    cloth_config config = tethered_config();
    config.columns = config.rows = N;
    config.edge_warp = vector_at(1, 0, 0);
    config.edge_weft = vector_at(0, 0, 1);
    config.origin = vector_at(-0.5, 0, -0.5);
    if (k < 4) cloth_fabric_preset(fabrics[k], &config.fabric);
    fixture s = fixture_make(&config);
    for (int row = 0; row < N; row++) {
      cloth_pin(s.sheet, row * N);
      cloth_pin(s.sheet, row * N + N - 1);
    }
    cloth_collider ball = cloth_collider_default();
    ball.radius = 0.1f;
    ball.pose.position = vector_at(0.06, 0.13, 0.03);
    cloth_add_collider(s.sheet, &ball);
    double fastest = 0.0;
    for (int frame = 1; frame <= 600; frame++) {
      const cloth_pose to = {vector_at(0.06, fmax(0.13 - 0.005 * frame, -0.02), 0.03), rotation_none()};
      cloth_move_collider(s.sheet, 0, NULL, &to);
      cloth_step(s.sheet, FRAME);
      for (int i = 0; frame > 540 && i < s.count; i++)
        fastest = fmax(fastest, point_length(velocity_of(s.sheet, i)));
    }
    CHECK(fastest < 0.05, "fabric %d: moves at %g m/s", k, fastest);
    fixture_free(&s);
  }
}

/* Tethers are chosen in scratch memory, which has to be there. */
static void test_tethers_without_scratch(void) {
  cloth_config config = tethered_config();
  config.columns = config.rows = 4;
  config.capacity.shared_scratch = 1;
  fixture s = fixture_make(&config);
  cloth_pin(s.sheet, 0);
  const uint64_t before = read_hash(s.sheet);
  CHECK(cloth_set_tether(s.sheet, 5, 0, 0) == CLOTH_ERROR_STATE && read_hash(s.sheet) == before, "without scratch");
  unsigned char *allocation, *scratch = guarded_buffer(s.memory.shared_bytes, 0, &allocation);
  CHECK(cloth_set_scratch(s.sheet, scratch, s.memory.shared_bytes) == CLOTH_OK, "cloth_set_scratch");
  CHECK(cloth_set_tether(s.sheet, 5, 0, 0) == CLOTH_OK && tether_of(&s, 5, 0) == 0, "with scratch");
  free(allocation);
  fixture_free(&s);
}

/* A body that walks into a curtain held by its two upper corners draws it along by friction. The curtain may swing
   about the line between the corners, so nothing lets its tethers out: where the way from one corner by a particle to
   the other did, it stretched by 0.2 to 11 and was thrown at up to 125 m/s. */
static void test_curtain_by_corners(void) {
  static const int substeps[] = {28, 6};
  for (int k = 0; k < 4; k++) {
    enum { N = 25 };
    cloth_config config = tethered_config();
    config.columns = config.rows = N;
    config.substeps = substeps[k % 2];
    config.edge_warp = vector_at(1.5, 0, 0);
    config.edge_weft = vector_at(0, -2, 0);
    config.origin = vector_at(-0.75, 2, 0);
    fixture s = fixture_make(&config);
    cloth_pin(s.sheet, 0);
    cloth_pin(s.sheet, N - 1);
    cloth_collider body = cloth_collider_default();
    body.shape = CLOTH_SHAPE_CAPSULE;
    body.radius = body.radius_top = 0.2f;
    body.half_height = 0.6f;
    body.static_friction = body.kinetic_friction = 1.2f;
    body.pose.position = vector_at(k < 2 ? 0.0 : 0.25, 1, -1);
    cloth_add_collider(s.sheet, &body);
    double fastest = 0.0, longest = 0.0;
    for (int frame = 1; frame <= 180; frame++) {
      body.pose.position.z = (float)fmin(-1 + 2 * fmax(frame / 60.0 - 0.5, 0.0), 1.5);
      cloth_move_collider(s.sheet, 0, NULL, &body.pose);
      cloth_step(s.sheet, FRAME);
      cloth_measures m;
      cloth_measure(s.sheet, &m);
      longest = fmax(longest, (double)m.max_stretch);
      for (int i = 0; i < s.count; i++)
        fastest = fmax(fastest, point_length(velocity_of(s.sheet, i)));
    }
    CHECK(longest < 0.35, "%d substeps: stretches by %g", substeps[k % 2], longest);
    CHECK(fastest < 9.0, "%d substeps: moves at %g m/s", substeps[k % 2], fastest);
    fixture_free(&s);
  }
}

static const test tests[] = {
    TEST(rest_between_pins),
    TEST(tethers_that_cannot_be_kept),
    TEST(tethered_banners),
    TEST(tethers_hold),
    TEST(tethers_follow),
    TEST(tethers_around_bodies),
    TEST(tethers_hit),
    TEST(pressed_between_edges),
    TEST(curtain_by_corners),
    TEST(tethers_set),
    TEST(tethers_without_scratch),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
