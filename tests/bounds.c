/* Sleep: when a cloth falls asleep, what wakes it, and what a step costs meanwhile. Work: no step does more than its
   bound, in scenes of all kinds. */
#include "scenes.h"
#include "support.h"

#include <time.h>

static cloth_statistics statistics_of(const cloth *sheet) {
  cloth_statistics st;
  memset(&st, 0xff, sizeof st);
  cloth_get_statistics(sheet, &st);
  return st;
}

static uint64_t hash_of(const cloth *sheet) {
  uint64_t hash = 0;
  cloth_hash(sheet, &hash);
  return hash;
}

/// Sleep ///

enum { PIN = 0, FREE = 20, LINE = 27, PLANE = 35 };
static const cloth_vector along = {0.6f, 0.8f, 0.0f};

/* A small sheet that hangs by a corner and a line, beside a ball, and soon rests. */
static specimen sleeper(void) {
  cloth_config config = square_config(6, 0.0);
  config.velocity_damping = 8.0f;
  config.sleep_speed = 0.02f;
  config.wind = vector_at(1.0, 0.0, 0.0);
  specimen s = specimen_make(&config);
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
    if (cloth_is_asleep(sheet) == 1)
      return frame;
  }
  return 0;
}

static void test_falling_asleep(void) {
  specimen s = sleeper();
  int quiet = 0, frame = 0;
  double fastest = 0.0;
  for (; frame < 3000 && cloth_is_asleep(s.sheet) == 0; frame++) {
    quiet = frame > 0 && fastest <= 0.02 ? quiet + 1 : 0;
    cloth_step(s.sheet, FRAME);
    fastest = 0.0;
    for (int i = 0; i < s.count; i++)
      fastest = fmax(fastest, point_length(velocity_of(s.sheet, i)));
    CHECK(statistics_of(s.sheet).asleep == 0, "asleep in frame %d before it was", frame);
  }
  CHECK(cloth_is_asleep(s.sheet) == 1, "did not fall asleep");
  CHECK(quiet >= 29 && quiet <= 30, "fell asleep after %d quiet frames", quiet);
  CHECK(fastest == 0.0, "asleep with %g m/s", fastest);
  uint64_t before = hash_of(s.sheet);
  for (int i = 0; i < 10; i++)
    CHECK(cloth_step(s.sheet, 0.001f * (float)(i + 1)) == CLOTH_OK, "a step asleep");
  cloth_statistics st = statistics_of(s.sheet), none;
  memset(&none, 0, sizeof none);
  none.asleep = 1;
  none.work[0] = st.work[0];
  CHECK(st.work[0] < 10000, "%u units of work asleep", st.work[0]);
  CHECK(memcmp(&st, &none, sizeof st) == 0, "statistics of a sleeping cloth");
  CHECK(hash_of(s.sheet) == before, "a sleeping cloth changed");
  CHECK(cloth_step(s.sheet, 0.0f) == CLOTH_ERROR_TIME_STEP, "dt unchecked");
  CHECK(cloth_substep_iterations(s.sheet, 0) == CLOTH_ERROR_SUBSTEPS, "substeps asleep");
  CHECK(cloth_wake(s.sheet) == CLOTH_OK && cloth_is_asleep(s.sheet) == 0, "cloth_wake");
  CHECK(cloth_step(s.sheet, FRAME) >= CLOTH_OK && statistics_of(s.sheet).substeps == 16, "not awake");
  CHECK(lull(s.sheet) > 28, "did not fall asleep again");
  CHECK(cloth_wake(NULL) == CLOTH_ERROR_NULL && cloth_is_asleep(NULL) == CLOTH_ERROR_NULL, "NULL");
  specimen_free(&s);
}

/* The calls a sleeper may get: number `call`, with what it has already or with something else. Returns 0 past the last.
 */
static int call_input(specimen *s, int call, int other, const char **name) {
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
    CALL(5, cloth_set_pin_target(c, PIN, pin, FRAME));
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
  specimen s = sleeper();
  CHECK(lull(s.sheet) > 0, "did not fall asleep");
  unsigned char *asleep = copy_bytes(specimen_state(&s), s.memory.state_bytes);
  const char *name = "";
  for (int call = 0; call_input(&s, call, 0, &name); call++) {
    CHECK(cloth_is_asleep(s.sheet) == 1, "woken by %s with what was there", name);
    cloth_step(s.sheet, FRAME);
    CHECK(statistics_of(s.sheet).asleep == 1, "%s woke it late", name);
    memcpy(specimen_state(&s), asleep, s.memory.state_bytes);
    call_input(&s, call, 1, &name);
    CHECK(cloth_is_asleep(s.sheet) == 0, "not woken by %s", name);
    cloth_step(s.sheet, FRAME);
    CHECK(statistics_of(s.sheet).substeps == 16, "%s did not wake it", name);
    memcpy(specimen_state(&s), asleep, s.memory.state_bytes);
  }
  free(asleep);
  specimen_free(&s);
}

/* A pin that creeps has been told to, and colliders on the move keep a cloth awake. */
static void test_staying_awake(void) {
  specimen s = sleeper();
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
  specimen_free(&s);
  cloth_config config = square_config(4, 0.0);
  config.gravity = vector_at(0.0, 0.0, 0.0);
  s = specimen_make(&config);
  CHECK(lull(s.sheet) == 0, "slept without being asked to");
  specimen_free(&s);
}

/* Sleep is part of the state: saved, hashed, in images; and waking goes on the same way everywhere. */
static void test_sleep_is_state(void) {
  cloth_config config = square_config(6, 0.0);
  config.velocity_damping = 8.0f;
  config.sleep_speed = 0.02f;
  config.tethers = 0;
  specimen s = specimen_make(&config), t = specimen_make(&config);
  cloth_pin(s.sheet, 0);
  CHECK(lull(s.sheet) > 0, "did not fall asleep");
  unsigned char *image = (unsigned char *)malloc(s.memory.image_bytes);
  CHECK(cloth_write_image(s.sheet, image, s.memory.image_bytes) == CLOTH_OK, "cloth_write_image");
  CHECK(cloth_read_image(t.sheet, image, s.memory.image_bytes) == CLOTH_OK, "cloth_read_image");
  CHECK(cloth_is_asleep(t.sheet) == 1 && hash_of(s.sheet) == hash_of(t.sheet), "the image is not asleep");
  CHECK(cloth_save(s.sheet, image, s.memory.saved_bytes) == CLOTH_OK, "cloth_save");
  cloth_wake(t.sheet);
  CHECK(hash_of(s.sheet) != hash_of(t.sheet), "sleep is not in the hash");
  CHECK(cloth_load(t.sheet, image, s.memory.saved_bytes) == CLOTH_OK && cloth_is_asleep(t.sheet) == 1, "cloth_load");
  cloth_step(t.sheet, 0.001f);
  cloth_apply_impulse(s.sheet, 7, vector_at(0.01, 0.0, 0.0));
  cloth_apply_impulse(t.sheet, 7, vector_at(0.01, 0.0, 0.0));
  CHECK(run_steps(s.sheet, 20, FRAME) == run_steps(t.sheet, 20, FRAME) && same_state(&s, &t), "woke differently");
  free(image);
  specimen_free(&s);
  specimen_free(&t);
}

static void test_sleep_config(void) {
  cloth_config config = cloth_config_default();
  CHECK(config.sleep_speed == 0.0f && config.sleep_time == 0.5f, "defaults");
  const float wrong[][2] = {{-0.1f, 0.5f}, {10.1f, 0.5f}, {NAN, 0.5f}, {0.1f, -0.1f}, {0.1f, 60.1f}, {0.1f, NAN}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    cloth_memory memory;
    config.sleep_speed = wrong[i][0];
    config.sleep_time = wrong[i][1];
    CHECK(cloth_memory_needed(&config, &memory) == CLOTH_ERROR_SLEEP, "case %d", (int)i);
  }
  CHECK(strcmp(cloth_result_name(CLOTH_ERROR_SLEEP), "SLEEP") == 0, "its name");
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
  description.config.sleep_speed = 0.02f;
  description.config.velocity_damping = 4.0f;
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

/// Work ///

static uint64_t work_of(const cloth *sheet) {
  cloth_statistics st = statistics_of(sheet);
  return (uint64_t)st.work[1] << 32 | st.work[0];
}

static float random_map[24 * 24];

static cloth_config random_config(random_source *random) {
  cloth_config config = square_config(random_int(random, 2, 24), random_real(random, 0.0, 0.4));
  config.rows = random_int(random, 2, 24);
  config.integration = (cloth_integration)random_int(random, 0, 2);
  config.bend_integration = (cloth_bend_integration)random_int(random, 0, 1);
  config.projection_threshold = random_int(random, 0, 2) ? 0.0f : CLOTH_KAPPA_NEVER;
  config.extrapolation = random_int(random, 0, 1) ? 0.9f : 0.0f;
  config.substeps = random_int(random, 0, 3) ? random_int(random, 1, 16) : 0;
  config.max_iterations = random_int(random, 1, 12);
  config.preconditioner = (cloth_preconditioner)random_int(random, 0, 2);
  config.warm_start = random_int(random, 0, 1);
  config.spans = random_int(random, 0, 2) ? 0 : 1 << random_int(random, 0, 4);
  config.tethers = random_int(random, 0, 2);
  config.limit_sweeps = random_int(random, 0, 3) ? 0 : 2;
  config.drag = random_int(random, 0, 1) ? 0.0f : 1.0f;
  config.contact_mode = random_int(random, 0, 3) ? CLOTH_CONTACT_PROJECTION : CLOTH_CONTACT_SOLVER;
  config.max_colliders = random_int(random, 0, 3);
  config.max_speed = random_int(random, 0, 3) ? 300.0f : 0.5f;
  config.sleep_speed = random_int(random, 0, 3) ? 0.0f : 0.05f;
  config.targets = random_int(random, 0, 3) == 0;
  for (int i = 0; i < 24 * 24; i++)
    random_map[i] = (float)random_int(random, 1, 4);
  config.mass_map = random_int(random, 0, 3) ? NULL : random_map;
  config.stiffness_map = random_int(random, 0, 3) ? NULL : random_map;
  return config;
}

/* Holds all particles to about where they start, out of spheres behind them. */
static void random_targets(random_source *random, specimen *s) {
  cloth_vector vertices[2 * 24 * 24];
  const cloth_vertex_layout layout = {2 * sizeof(cloth_vector), 0, sizeof(cloth_vector), CLOTH_ATTRIBUTE_NONE};
  for (int i = 0; i < s->count; i++) {
    double distance = random_real(random, 0.0, 0.1), radius = random_real(random, 0.0, 0.3);
    const cloth_motion_constraint constraint = {(float)distance, 0.0f, (float)radius};
    cloth_set_motion_constraint(s->sheet, i, &constraint);
    cloth_get_position(s->sheet, i, &vertices[2 * i]);
    vertices[2 * i + 1] = vector_at(random_real(random, -1.0, 1.0), 1.0, 0.0);
  }
  CHECK(cloth_move_targets(s->sheet, &layout, vertices, sizeof vertices) == CLOTH_OK, "cloth_move_targets");
}

static void random_inputs(random_source *random, specimen *s, const cloth_config *config) {
  if (config->targets)
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
    cloth_add_collider(s->sheet, &c);
  }
}

/* What the bounds of a scene are worth: the bound of the config, the largest of its steps', and the mean work. */
typedef struct bound_worth {
  double of_config, of_cloth, mean;
} bound_worth;

static bound_worth play_bounded(random_source *random, int trial) {
  const float times[] = {FRAME, 0.001f, 0.1f};
  float dt = times[random_int(random, 0, 5) % 3];
  cloth_config config = random_config(random);
  specimen s = specimen_make(&config);
  random_inputs(random, &s, &config);
  uint64_t of_config = 0;
  bound_worth worth = {0.0, 0.0, 0.0};
  CHECK(cloth_work_bound_of(&config, dt, &of_config) == CLOTH_OK, "trial %d: cloth_work_bound_of", trial);
  const int frames = 20;
  for (int frame = 0; frame < frames; frame++) {
    uint64_t bound = 0;
    if (frame % 7 == 6)
      cloth_set_particle(s.sheet, 0, vector_at(0.1, 0.1, 0.1), vector_at(20.0, -20.0, 0.0));
    if (frame == 10)
      cloth_release(s.sheet, 0);
    uint64_t before = hash_of(s.sheet);
    CHECK(cloth_work_bound(s.sheet, dt, &bound) == CLOTH_OK, "trial %d: cloth_work_bound", trial);
    CHECK(hash_of(s.sheet) == before, "trial %d: asking changed the cloth", trial);
    CHECK(cloth_step(s.sheet, dt) >= CLOTH_OK, "trial %d: cloth_step", trial);
    CHECK(work_of(s.sheet) > 0 && work_of(s.sheet) <= bound && bound <= of_config,
          "trial %d, frame %d: work %.0f, bound %.0f, of the config %.0f", trial, frame, (double)work_of(s.sheet),
          (double)bound, (double)of_config);
    worth.of_cloth = fmax(worth.of_cloth, (double)bound);
    worth.mean += (double)work_of(s.sheet) / frames;
  }
  worth.of_config = (double)of_config;
  specimen_free(&s);
  return worth;
}

static void test_work_bound(void) {
  random_source random = {7};
  double sums[2][2] = {{0.0}}, all = 0.0;
  enum { TRIALS = 600 };
  for (int trial = 0; trial < TRIALS; trial++) {
    bound_worth worth = play_bounded(&random, trial);
    sums[0][0] = fmax(sums[0][0], worth.of_cloth / worth.mean);
    sums[1][0] = fmax(sums[1][0], worth.of_config / worth.mean);
    sums[0][1] += log(worth.of_cloth / worth.mean) / TRIALS;
    sums[1][1] += log(worth.of_config / worth.mean) / TRIALS;
    all += worth.mean;
  }
  printf("bound over mean work: of a cloth %.2f in the mean, %.1f at most; of a config %.2f, %.1f; work %.3f\n",
         exp(sums[0][1]), sums[0][0], exp(sums[1][1]), sums[1][0], all);
  CHECK(exp(sums[0][1]) < 5.0 && exp(sums[1][1]) < 8.0, "bounds too loose");
}

/// Fixed work ///

static int same_planes(cloth_range a, cloth_range b) {
  size_t bytes = sizeof(float) * (size_t)a.count;
  return memcmp(a.x, b.x, bytes) == 0 && memcmp(a.y, b.y, bytes) == 0 && memcmp(a.z, b.z, bytes) == 0;
}

/* The config hash is in the state, so only particles can be compared. */
static int same_particles(const cloth *a, const cloth *b) {
  cloth_range places[2], speeds[2];
  cloth_positions(a, &places[0]);
  cloth_positions(b, &places[1]);
  cloth_velocities(a, &speeds[0]);
  cloth_velocities(b, &speeds[1]);
  return same_planes(places[0], places[1]) && same_planes(speeds[0], speeds[1]);
}

/* A cloth with fixed work beside the same one without: the same to the bit, and the same work in all steps. */
static void play_fixed(random_source *random, int trial) {
  cloth_config config = random_config(random);
  config.sleep_speed = 0.0f;
  config.contact_mode = CLOTH_CONTACT_PROJECTION;
  config.substeps = config.substeps ? config.substeps : 3;
  config.bend_integration = CLOTH_BEND_ADAPTIVE;
  specimen plain = specimen_make(&config);
  config.fixed_work = 1;
  specimen fixed = specimen_make(&config);
  random_source again = *random;
  random_inputs(random, &plain, &config);
  random_inputs(&again, &fixed, &config);
  uint64_t of_config = 0, first = 0, bound = 0;
  CHECK(cloth_work_bound_of(&config, FRAME, &of_config) == CLOTH_OK, "trial %d: cloth_work_bound_of", trial);
  for (int frame = 0; frame < 12; frame++) {
    if (frame % 7 == 6) {
      cloth_set_particle(plain.sheet, 0, vector_at(0.1, 0.1, 0.1), vector_at(20.0, -20.0, 0.0));
      cloth_set_particle(fixed.sheet, 0, vector_at(0.1, 0.1, 0.1), vector_at(20.0, -20.0, 0.0));
    }
    cloth_work_bound(fixed.sheet, FRAME, &bound);
    int notes = cloth_step(plain.sheet, FRAME);
    CHECK(cloth_step(fixed.sheet, FRAME) == notes, "trial %d, frame %d: notes", trial, frame);
    CHECK(same_particles(plain.sheet, fixed.sheet), "trial %d, frame %d: another result", trial, frame);
    first = frame ? first : work_of(fixed.sheet);
    CHECK(work_of(fixed.sheet) == first && bound == first && first <= of_config,
          "trial %d, frame %d: work %.0f, first %.0f, bound %.0f, of the config %.0f", trial, frame,
          (double)work_of(fixed.sheet), (double)first, (double)bound, (double)of_config);
    CHECK(work_of(plain.sheet) <= first, "trial %d, frame %d: more work if it is not fixed", trial, frame);
  }
  specimen_free(&plain);
  specimen_free(&fixed);
}

static void test_fixed_work(void) {
  random_source random = {11};
  for (int trial = 0; trial < 300; trial++)
    play_fixed(&random, trial);
  cloth_memory memory;
  cloth_config config = square_config(4, 0.0);
  CHECK(config.fixed_work == 0, "the default");
  config.fixed_work = 2;
  CHECK(cloth_memory_needed(&config, &memory) == CLOTH_ERROR_WORK, "fixed_work 2");
  config.fixed_work = 1;
  config.sleep_speed = 0.1f;
  CHECK(cloth_memory_needed(&config, &memory) == CLOTH_ERROR_WORK, "with sleep");
  config.sleep_speed = 0.0f;
  config.contact_mode = CLOTH_CONTACT_SOLVER;
  CHECK(cloth_memory_needed(&config, &memory) == CLOTH_ERROR_WORK, "with contact in the solver");
}

/// Plans ///

/* What a planned sheet really does: the mean over time of its largest strain, in the scene that forecasts are of. */
static double measured_stretch(const scene *s, float dt, const cloth_forecast *forecast) {
  scene_instance made;
  double sum = 0.0;
  int steps = (int)(3.0f / dt);
  CHECK(scene_open(s, &made) == CLOTH_OK, "scene_open");
  for (int step = 0; step < steps; step++) {
    cloth_measures measures;
    cloth_step(made.sheet, dt);
    CHECK(work_of(made.sheet) <= forecast->work, "step %d: more work than forecast", step);
    cloth_measure(made.sheet, &measures);
    sum += step >= steps / 3 ? (double)measures.stretch_largest : 0.0;
  }
  scene_close(&made);
  return sum / (steps - steps / 3);
}

static void check_forecast(int side, double length, float dt, uint64_t budget, float target) {
  scene s = scene_describe(SCENE_HANG, side);
  cloth_forecast forecast;
  uint64_t work = 0;
  s.config.edge_warp.x = (float)length;
  s.config.edge_weft.z = (float)length;
  s.config.max_colliders = 0;
  int result = cloth_plan(&s.config, dt, budget, target, &s.config, &forecast);
  CHECK(result == CLOTH_OK, "cloth_plan: %s", cloth_result_name(result));
  CHECK(cloth_work_bound_of(&s.config, dt, &work) == CLOTH_OK && work == forecast.work, "not the bound");
  CHECK((budget == 0 || work <= budget) && (target <= 0.0f || forecast.stretch <= target), "the goal is missed");
  double found = measured_stretch(&s, dt, &forecast) / (double)forecast.stretch;
  printf("plan of %2d, %.2f m, 1/%.0f s: %2d substeps, %2d sweeps, %5.0f units a particle, stretch %.4f x %.2f\n", side,
         length, 1.0 / (double)dt, (int)s.config.substeps, (int)s.config.limit_sweeps,
         (double)forecast.work / (side * side), (double)forecast.stretch, found);
  CHECK(found > 0.3 && found < 2.0, "%.2f times the stretch forecast", found);
}

static void test_forecasts(void) {
  const int sides[] = {10, 24, 40};
  for (int i = 0; i < 3; i++) {
    uint64_t count = (uint64_t)(sides[i] * sides[i]);
    check_forecast(sides[i], 1.0, FRAME, 6000 * count, 0.0f);
    check_forecast(sides[i], 1.0, FRAME, 15000 * count, 0.0f);
    check_forecast(sides[i], 1.0, FRAME, 50000 * count, 0.0f);
    check_forecast(sides[i], 1.0, FRAME, 0, 0.03f);
    check_forecast(sides[i], 1.0, FRAME, 0, 0.01f);
    check_forecast(sides[i], 3.0, FRAME, 15000 * count, 0.0f);
    check_forecast(sides[i], 0.4, FRAME, 15000 * count, 0.0f);
    check_forecast(sides[i], 1.0, 0.5f * FRAME, 15000 * count, 0.03f);
  }
}

/* More work stretches no more, and less stretch takes no less work, whatever the cloth. */
static void test_plans_in_order(void) {
  random_source random = {3};
  for (int trial = 0; trial < 60; trial++) {
    cloth_config config = random_config(&random), planned;
    cloth_forecast before = {0, 1e9f}, forecast;
    for (uint64_t work = 1000; work < 1000000000; work *= 2) {
      memset(&forecast, 0x55, sizeof forecast);
      memset(&planned, 0x55, sizeof planned);
      int result = cloth_plan(&config, FRAME, work, 0.0f, &planned, &forecast);
      CHECK(result == (before.work || result == CLOTH_OK ? CLOTH_OK : CLOTH_ERROR_PLAN), "trial %d: %d", trial, result);
      if (result == CLOTH_OK) {
        CHECK(forecast.work <= work && forecast.stretch <= before.stretch, "trial %d: worse for more", trial);
        before = forecast;
        int again = cloth_plan(&config, FRAME, 0, forecast.stretch, &planned, &forecast);
        CHECK(again == CLOTH_OK && forecast.work <= before.work, "trial %d: other work for its stretch", trial);
      } else {
        CHECK(((unsigned char *)&forecast)[0] == 0x55 && planned.columns == 0x55555555, "trial %d: written", trial);
      }
    }
    CHECK(before.work > 0, "trial %d: no plan", trial);
  }
}

static void test_plan_refusals(void) {
  cloth_config config = square_config(10, 0.0), planned;
  cloth_forecast f;
  memset(&planned, 0x55, sizeof planned);
  CHECK(cloth_plan(NULL, FRAME, 1, 0.0f, &planned, &f) == CLOTH_ERROR_NULL, "no config");
  CHECK(cloth_plan(&config, FRAME, 1000000, 0.0f, NULL, &f) == CLOTH_ERROR_NULL, "nowhere to write");
  CHECK(cloth_plan(&config, FRAME, 1000000, 0.0f, &planned, NULL) == CLOTH_ERROR_NULL, "nowhere to forecast");
  CHECK(cloth_plan(&config, NAN, 1000000, 0.0f, &planned, &f) == CLOTH_ERROR_TIME_STEP, "dt NaN");
  CHECK(cloth_plan(&config, FRAME, 0, 0.0f, &planned, &f) == CLOTH_ERROR_PLAN, "no goal");
  CHECK(cloth_plan(&config, FRAME, 0, NAN, &planned, &f) == CLOTH_ERROR_PLAN, "stretch NaN");
  CHECK(cloth_plan(&config, FRAME, 0, -0.1f, &planned, &f) == CLOTH_ERROR_PLAN, "stretch below 0");
  CHECK(cloth_plan(&config, FRAME, 0, 1e-5f, &planned, &f) == CLOTH_ERROR_PLAN, "stretch out of reach");
  CHECK(cloth_plan(&config, FRAME, 100, 0.0f, &planned, &f) == CLOTH_ERROR_PLAN, "work out of reach");
  CHECK(cloth_plan(&config, FRAME, 100000, 0.004f, &planned, &f) == CLOTH_ERROR_PLAN, "both out of reach");
  config.rows = 1;
  CHECK(cloth_plan(&config, FRAME, 1000000, 0.0f, &planned, &f) == CLOTH_ERROR_GRID, "a wrong config");
  CHECK(planned.columns == 0x55555555, "written in spite of an error");
}

static void test_work_refusals(void) {
  cloth_config config = square_config(4, 0.0);
  specimen s = specimen_make(&config);
  uint64_t work = 5;
  CHECK(cloth_work_bound(s.sheet, 0.0f, &work) == CLOTH_ERROR_TIME_STEP, "dt 0");
  CHECK(cloth_work_bound(s.sheet, FRAME, NULL) == CLOTH_ERROR_NULL, "nowhere to write");
  CHECK(cloth_work_bound(NULL, FRAME, &work) == CLOTH_ERROR_NULL, "no cloth");
  CHECK(cloth_work_bound_of(&config, NAN, &work) == CLOTH_ERROR_TIME_STEP, "dt NaN");
  CHECK(cloth_work_bound_of(&config, FRAME, NULL) == CLOTH_ERROR_NULL, "nowhere to write");
  CHECK(cloth_work_bound_of(NULL, FRAME, &work) == CLOTH_ERROR_NULL, "no config");
  config.columns = 1;
  CHECK(cloth_work_bound_of(&config, FRAME, &work) == CLOTH_ERROR_GRID && work == 5, "a wrong config");
  specimen_free(&s);
  config = square_config(8, 0.0);
  config.integration = CLOTH_INTEGRATION_EXPLICIT_ONLY;
  config.substeps = 1;
  s = specimen_make(&config);
  CHECK(cloth_work_bound(s.sheet, FRAME, &work) == CLOTH_ERROR_UNSTABLE, "an unstable step");
  specimen_free(&s);
}

int main(void) {
  test_falling_asleep();
  test_waking();
  test_staying_awake();
  test_sleep_is_state();
  test_sleep_config();
  test_cost_asleep();
  test_work_bound();
  test_fixed_work();
  test_forecasts();
  test_plans_in_order();
  test_plan_refusals();
  test_work_refusals();
  return check_report();
}
