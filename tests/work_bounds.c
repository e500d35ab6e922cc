/* Work: no step does more than its bound, in random scenes of all kinds, and with fixed work all steps do the same.
   SPDX-License-Identifier: MIT */
#include "random_configs.h"

/* Holds all particles to about where they start, out of spheres behind them. */
static void random_targets(random_source *random, fixture *s) {
  cloth_vector vertices[2 * 24 * 24];
  const cloth_vertex_layout layout = {2 * sizeof(cloth_vector), 0, sizeof(cloth_vector), CLOTH_ATTRIBUTE_NONE};
  for (int i = 0; i < s->count; i++) {
    double distance = random_real(random, 0.0, 0.1), radius = random_real(random, 0.0, 0.3);
    const cloth_motion_constraint constraint = {(float)distance, 0.0f, (float)radius, 0.0f};
    cloth_set_motion_constraint(s->sheet, i, &constraint);
    cloth_get_position(s->sheet, i, &vertices[2 * i]);
    vertices[2 * i + 1] = vector_at(random_real(random, -1.0, 1.0), 1.0, 0.0);
  }
  CHECK(cloth_move_targets(s->sheet, &layout, vertices, sizeof vertices) == CLOTH_OK, "cloth_move_targets");
}

static void random_inputs(random_source *random, fixture *s, const cloth_config *config) {
  if (config->capacity.targets)
    random_targets(random, s);
  for (int pins = random_int(random, 0, 6); pins > 0; pins--)
    cloth_pin(s->sheet, random_int(random, 0, s->count - 1));
  for (int held = random_int(random, 0, 3); held > 0; held--)
    cloth_confine_to_plane(s->sheet, random_int(random, 0, s->count - 1), vector_at(1.0, 0.0, 0.0));
  for (int body = 0; body < config->max_colliders; body++) {
    cloth_collider c = cloth_collider_default();
    c.shape = random_int(random, CLOTH_SHAPE_PLANE, CLOTH_SHAPE_CYLINDER);
    c.radius_top = 0.2f;
    c.half_height = 0.2f;
    c.half_extents = vector_at(0.4, random_real(random, 0.005, 0.2), 0.4);
    c.pose.position = vector_at(random_real(random, -0.3, 0.3), random_real(random, -0.4, 0.1), 0.0);
    CHECK(cloth_add_collider(s->sheet, &c) == body, "a collider");
    const cloth_body mass = cloth_body_default(&c, 2.0f);
    if (body < config->capacity.max_bodies)
      CHECK(cloth_set_body(s->sheet, body, &mass) == CLOTH_OK, "a body");
  }
}

/* What the bounds of a scene are worth: the bound of the config, the largest of its steps', and the mean work. */
typedef struct bound_worth {
  double of_config, of_cloth, mean;
  int feels_itself; /* 1 with self-contact */
} bound_worth;

static bound_worth play_bounded(random_source *random, int trial) {
  const float times[] = {FRAME, 0.001f, 0.1f};
  float dt = times[random_int(random, 0, 5) % 3];
  cloth_config config = random_config(random);
  config.capacity.max_bodies = trial % 3 == 0 ? config.max_colliders : 0;
  fixture s = fixture_make(&config);
  random_inputs(random, &s, &config);
  uint64_t of_config = 0;
  bound_worth worth = {0.0, 0.0, 0.0, config.self_thickness > 0.0f};
  CHECK(cloth_config_work_bound(&config, dt, &of_config) == CLOTH_OK, "trial %d: cloth_config_work_bound", trial);
  const int frames = 20;
  for (int frame = 0; frame < frames; frame++) {
    uint64_t bound = 0;
    if (frame % 7 == 6)
      cloth_set_particle(s.sheet, 0, vector_at(0.1, 0.1, 0.1), vector_at(20.0, -20.0, 0.0));
    if (frame == 10)
      cloth_release(s.sheet, 0);
    uint64_t before = read_hash(s.sheet);
    CHECK(cloth_get_work_bound(s.sheet, dt, &bound) == CLOTH_OK, "trial %d: cloth_get_work_bound", trial);
    CHECK(read_hash(s.sheet) == before, "trial %d: asking changed the cloth", trial);
    CHECK(cloth_step(s.sheet, dt) >= CLOTH_OK, "trial %d: cloth_step", trial);
    CHECK(read_work(s.sheet) > 0 && read_work(s.sheet) <= bound && bound <= of_config,
          "trial %d, frame %d: work %.0f, bound %.0f, of the config %.0f", trial, frame, (double)read_work(s.sheet),
          (double)bound, (double)of_config);
    worth.of_cloth = fmax(worth.of_cloth, (double)bound);
    worth.mean += (double)read_work(s.sheet) / frames;
  }
  worth.of_config = (double)of_config;
  fixture_free(&s);
  return worth;
}

/* Bounds beside the work, of cloths with or without self-contact: logarithms of the ratios, added up, and the largest
   ratios; of a cloth, and of its config. */
typedef struct bound_sums {
  double logs[2], most[2];
  int trials;
} bound_sums;

static void add_worth(bound_sums *sums, const bound_worth *worth) {
  const double ratios[2] = {worth->of_cloth / worth->mean, worth->of_config / worth->mean};
  for (int n = 0; n < 2; n++) {
    sums->logs[n] += log(ratios[n]);
    sums->most[n] = fmax(sums->most[n], ratios[n]);
  }
  sums->trials++;
}

/* Self-contact is bounded by its worst case, in which every part of every substep looks for candidates as often and at
   as many cells as it may: bounds with it are a thousand times the work of cloth that does not. */
static void test_work_bound(void) {
  random_source random = {7};
  bound_sums sums[2] = {{{0.0, 0.0}, {0.0, 0.0}, 0}, {{0.0, 0.0}, {0.0, 0.0}, 0}};
  double all = 0.0;
  enum { TRIALS = 200 };
  for (int trial = 0; trial < TRIALS; trial++) {
    bound_worth worth = play_bounded(&random, trial);
    add_worth(&sums[worth.feels_itself], &worth);
    all += worth.mean;
  }
  for (int self = 0; self < 2; self++) {
    const bound_sums *s = &sums[self];
    const double mean[2] = {exp(s->logs[0] / s->trials), exp(s->logs[1] / s->trials)};
    printf("bound over mean work%s, %d cloths: of a cloth %.2f in the mean, %.1f at most; of a config %.2f, %.1f\n",
           self ? " with self-contact" : "", s->trials, mean[0], s->most[0], mean[1], s->most[1]);
    CHECK(s->trials > 20 && mean[0] < (self ? 95.0 : 15.0) && mean[1] < (self ? 105.0 : 18.0), "bounds too loose");
  }
  printf("work %.3f\n", all);
}

/// Fixed work ///

static int same_planes(cloth_vector_view a, cloth_vector_view b) {
  size_t bytes = sizeof(float) * (size_t)a.count;
  return memcmp(a.x, b.x, bytes) == 0 && memcmp(a.y, b.y, bytes) == 0 && memcmp(a.z, b.z, bytes) == 0;
}

/* The config hash is in the state, so only particles can be compared. */
static int same_particles(const cloth *a, const cloth *b) {
  cloth_vector_view places[2], speeds[2];
  cloth_get_positions(a, &places[0]);
  cloth_get_positions(b, &places[1]);
  cloth_get_velocities(a, &speeds[0]);
  cloth_get_velocities(b, &speeds[1]);
  return same_planes(places[0], places[1]) && same_planes(speeds[0], speeds[1]);
}

/* A cloth with fixed work beside the same one without: the same to the bit, and the same work in all steps. */
static void play_fixed(random_source *random, int trial) {
  cloth_config config = random_config(random);
  config.capacity.max_bodies = trial % 3 == 0 ? config.max_colliders : 0;
  config.sleep.speed = 0.0f;
  config.substeps = config.substeps ? config.substeps : 3;
  fixture plain = fixture_make(&config);
  config.capacity.fixed_work = 1;
  fixture fixed = fixture_make(&config);
  random_source again = *random;
  random_inputs(random, &plain, &config);
  random_inputs(&again, &fixed, &config);
  uint64_t of_config = 0, first = 0, bound = 0;
  CHECK(cloth_config_work_bound(&config, FRAME, &of_config) == CLOTH_OK, "trial %d: cloth_config_work_bound", trial);
  for (int frame = 0; frame < 12; frame++) {
    if (frame % 7 == 6) {
      cloth_set_particle(plain.sheet, 0, vector_at(0.1, 0.1, 0.1), vector_at(20.0, -20.0, 0.0));
      cloth_set_particle(fixed.sheet, 0, vector_at(0.1, 0.1, 0.1), vector_at(20.0, -20.0, 0.0));
    }
    cloth_get_work_bound(fixed.sheet, FRAME, &bound);
    int notes = cloth_step(plain.sheet, FRAME);
    CHECK(cloth_step(fixed.sheet, FRAME) == notes, "trial %d, frame %d: notes", trial, frame);
    CHECK(same_particles(plain.sheet, fixed.sheet), "trial %d, frame %d: another result", trial, frame);
    first = frame ? first : read_work(fixed.sheet);
    CHECK(read_work(fixed.sheet) == first && bound == first && first <= of_config,
          "trial %d, frame %d: work %.0f, first %.0f, bound %.0f, of the config %.0f", trial, frame,
          (double)read_work(fixed.sheet), (double)first, (double)bound, (double)of_config);
    CHECK(read_work(plain.sheet) <= first, "trial %d, frame %d: more work if it is not fixed", trial, frame);
  }
  fixture_free(&plain);
  fixture_free(&fixed);
}

static void test_fixed_work(void) {
  random_source random = {11};
  for (int trial = 0; trial < 80; trial++)
    play_fixed(&random, trial);
  cloth_memory memory;
  cloth_config config = square_config(4, 0.0);
  CHECK(config.capacity.fixed_work == 0, "the default");
  config.capacity.fixed_work = 2;
  CHECK(cloth_memory_needed(&config, &memory) == CLOTH_ERROR_RANGE, "fixed_work 2");
  config.capacity.fixed_work = 1;
  config.sleep.speed = 0.1f;
  CHECK(cloth_memory_needed(&config, &memory) == CLOTH_ERROR_CONFLICT, "with sleep");
}

static void test_work_refusals(void) {
  cloth_config config = square_config(4, 0.0);
  fixture s = fixture_make(&config);
  uint64_t work = 5;
  CHECK(cloth_get_work_bound(s.sheet, 0.0f, &work) == CLOTH_ERROR_RANGE, "dt 0");
  CHECK(cloth_get_work_bound(s.sheet, FRAME, NULL) == CLOTH_ERROR_NULL, "nowhere to write");
  CHECK(cloth_get_work_bound(NULL, FRAME, &work) == CLOTH_ERROR_NULL, "no cloth");
  CHECK(cloth_config_work_bound(&config, NAN, &work) == CLOTH_ERROR_RANGE, "dt NaN");
  CHECK(cloth_config_work_bound(&config, FRAME, NULL) == CLOTH_ERROR_NULL, "nowhere to write");
  CHECK(cloth_config_work_bound(NULL, FRAME, &work) == CLOTH_ERROR_NULL, "no config");
  config.columns = 1;
  CHECK(cloth_config_work_bound(&config, FRAME, &work) == CLOTH_ERROR_RANGE && work == 5, "a wrong config");
  fixture_free(&s);
  config = square_config(8, 0.0);
  config.integration.method = CLOTH_INTEGRATION_EXPLICIT_ONLY;
  config.substeps = 1;
  s = fixture_make(&config);
  CHECK(cloth_get_work_bound(s.sheet, FRAME, &work) == CLOTH_ERROR_UNSTABLE, "an unstable step");
  fixture_free(&s);
}

static const test tests[] = {
    TEST(work_bound),
    TEST(fixed_work),
    TEST(work_refusals),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
