/* Steps of every kind of cloth: work within its bound and equal to it with fixed work, deadlines by a timer of the
   test's own, and plans within their budgets. SPDX-License-Identifier: MIT */
#include <stdint.h>

static uint32_t fake_time, fake_pace;
static uint32_t fake_ticks(void) {
  fake_time += fake_pace;
  return fake_time;
}
#define CLOTH_TICKS() fake_ticks()
#include "../cloth.c"

#include "scenes.h"
#include "support.h"

/// Scenes ///

#define MOST_PARTICLES (24 * 24)

/* What a scene has beside a sheet by some pins. */
enum {
  KIND_PLAIN,
  KIND_FREE,
  KIND_MAPS,
  KIND_PIECES,
  KIND_TUBE,
  KIND_TARGETS,
  KIND_TETHERS,
  KIND_EXPLICIT,
  KIND_BLOCKS,
  KIND_TOLERANCE,
  KIND_STIFF,
  KIND_AIR,
  KIND_BLENDED,
  KIND_REACTIONS,
  KIND_CONFINED,
  KIND_TEARING,
  KIND_AUTOMATIC,
  KIND_SLEEP,
  KINDS
};
static const char *const kind_names[KINDS] = {"plain",   "free",      "maps",     "pieces",    "tube",      "targets",
                                              "tethers", "explicit",  "blocks",   "tolerance", "stiff",     "air",
                                              "blended", "reactions", "confined", "tearing",   "automatic", "sleep"};

static float scene_map[MOST_PARTICLES];
static uint8_t scene_mask[MOST_PARTICLES];

/* Settings of the fabric and the grid. */
static void shape_kind(cloth_config *config, int kind) {
  const int cells = config->columns - 1;
  for (int i = 0; i < MOST_PARTICLES; i++) {
    scene_map[i] = (float)(1 + i % 4);
    scene_mask[i] = (uint8_t)(i % cells != cells / 2);
  }
  if (kind == KIND_MAPS) {
    config->grid.mass_map = scene_map;
    config->grid.stiffness_map = scene_map;
  }
  config->grid.cell_mask = kind == KIND_PIECES ? scene_mask : NULL;
  config->grid.wrap = kind == KIND_TUBE;
  if (kind == KIND_STIFF) config->fabric.stretch_warp = config->fabric.stretch_weft = 3e4f;
  if (kind == KIND_EXPLICIT) {
    config->integration.method = CLOTH_INTEGRATION_EXPLICIT_ONLY;
    config->fabric.stretch_warp = config->fabric.stretch_weft = 50.0f;
    config->fabric.shear = 5.0f;
    config->fabric.bend = config->grid.min_bending_length = 0.0f;
    config->substeps = 40;
  }
}

/* Settings of everything else. */
static cloth_config kind_config(random_source *random, int kind) {
  cloth_config config = square_config(random_int(random, 5, 24), 0.0);
  config.rows = random_int(random, 2, 24);
  config.max_colliders = 0;
  config.substeps = random_int(random, 1, 6);
  config.iterations = random_int(random, 0, 2) ? CLOTH_AUTOMATIC : random_int(random, 1, 9);
  cloth_fabric_preset((cloth_fabric_kind)random_int(random, 0, 3), &config.fabric);
  shape_kind(&config, kind);
  config.capacity.targets = kind == KIND_TARGETS;
  config.tethers.count = kind == KIND_TETHERS ? random_int(random, 1, 2) : 0;
  config.solver.preconditioner = kind == KIND_BLOCKS ? CLOTH_PRECONDITIONER_BLOCK : config.solver.preconditioner;
  config.solver.tolerance = kind == KIND_TOLERANCE ? 0.01f : 0.0f;
  config.air.drag = kind == KIND_AIR ? 1.0f : 0.0f;
  config.air.density = kind == KIND_AIR ? 1.2f : 0.0f;
  config.wind = vector_at(0.0, 3.0, 1.0);
  config.integration.bdf2_blend = kind == KIND_BLENDED ? 1.0f : 0.0f;
  config.capacity.pin_reactions = kind == KIND_REACTIONS;
  config.capacity.max_confined = 8;
  config.tearing.max_breaks = kind == KIND_TEARING ? 20 : 0;
  config.tearing.strain = kind == KIND_TEARING ? 0.02f : 0.0f;
  config.sleep.speed = kind == KIND_SLEEP ? 1.0f : 0.0f;
  if (kind == KIND_AUTOMATIC) {
    config.substeps = CLOTH_AUTOMATIC;
    config.integration.max_substeps = 12;
  }
  return config;
}

/* Holds all particles to about where they start, out of spheres behind them; the first one is led. */
static void hold_to_targets(random_source *random, fixture *s) {
  static cloth_vector vertices[2 * MOST_PARTICLES];
  const cloth_vertex_layout layout = {2 * sizeof(cloth_vector), 0, sizeof(cloth_vector), CLOTH_ATTRIBUTE_NONE};
  for (int i = 0; i < s->count; i++) {
    cloth_motion_constraint constraint = cloth_motion_constraint_default();
    constraint.max_distance = i ? (float)random_real(random, 0.01, 0.1) : 0.0f;
    constraint.backstop_radius = (float)random_real(random, 0.0, 0.3);
    constraint.drive = (float)random_real(random, 0.0, 2.0);
    CHECK(cloth_set_motion_constraint(s->sheet, i, &constraint) == CLOTH_OK, "a motion constraint");
    cloth_get_position(s->sheet, i, &vertices[2 * i]);
    vertices[2 * i].x += 0.01f;
    vertices[2 * i + 1] = vector_at(0.6, 0.8, 0.0);
  }
  CHECK(cloth_move_targets(s->sheet, &layout, vertices, sizeof vertices) == CLOTH_OK, "cloth_move_targets");
}

static fixture open_kind(random_source *random, const cloth_config *config, int kind) {
  fixture s = fixture_make(config);
  if (kind == KIND_TARGETS) hold_to_targets(random, &s);
  for (int pins = kind == KIND_FREE ? 0 : random_int(random, 1, 9); pins > 0; pins--)
    cloth_pin(s.sheet, random_int(random, 0, s.count - 1));
  for (int held = kind == KIND_CONFINED ? 5 : 0; held > 0; held--)
    cloth_confine_to_plane(s.sheet, random_int(random, 0, s.count - 1), vector_at(1.0, 0.0, 0.0));
  return s;
}

/* What happens to a scene before a frame. */
static void disturb(fixture *s, int frame) {
  if (frame % 7 == 6) cloth_set_particle(s->sheet, s->count / 2, vector_at(0.1, 0.1, 0.1), vector_at(20.0, -20.0, 0.0));
  if (frame == 10) cloth_pin(s->sheet, 1);
  if (frame % 5 == 4) cloth_move_pin(s->sheet, 1, vector_at(0.02 * frame, 0.1, 0.0));
  if (frame == 13) cloth_release(s->sheet, 1);
}

/// Work ///

/* No step does more than its bound, nor its config's; asking changes nothing. */
static double play_bounded(random_source *random, int kind, int trial) {
  static const float times[] = {FRAME, FRAME, 0.002f, 0.05f};
  const float dt = kind == KIND_EXPLICIT ? FRAME : times[random_int(random, 0, 3)];
  const cloth_config config = kind_config(random, kind);
  fixture s = open_kind(random, &config, kind);
  uint64_t of_config = 0;
  double worth = 0.0;
  int worth_steps = 0;
  CHECK(cloth_config_work_bound(&config, dt, &of_config) == CLOTH_OK, "%s: config bound", kind_names[kind]);
  for (int frame = 0; frame < 20; frame++) {
    uint64_t bound = 0;
    disturb(&s, frame);
    const uint64_t before = read_hash(s.sheet);
    const int asked = cloth_get_work_bound(s.sheet, dt, &bound);
    CHECK(read_hash(s.sheet) == before, "%s %d: asking changed the cloth", kind_names[kind], trial);
    CHECK(cloth_step(s.sheet, dt) >= CLOTH_OK && asked == CLOTH_OK, "%s %d: cloth_step", kind_names[kind], trial);
    const uint64_t work = read_work(s.sheet);
    CHECK(work > 0 && work <= bound && bound <= of_config, "%s %d, frame %d: work %.0f, bound %.0f, of the config %.0f",
          kind_names[kind], trial, frame, (double)work, (double)bound, (double)of_config);
    if (!read_statistics(s.sheet).asleep) {
      worth += (double)bound / (double)work;
      worth_steps++;
    }
  }
  fixture_free(&s);
  return worth_steps ? worth / worth_steps : 1.0;
}

static void test_work_bound(void) {
  random_source random = {7};
  for (int kind = 0; kind < KINDS; kind++) {
    double sum = 0.0;
    enum { TRIALS = 12 };
    for (int trial = 0; trial < TRIALS; trial++)
      sum += play_bounded(&random, kind, trial) / TRIALS;
    printf("bound over work, %s: %.2f\n", kind_names[kind], sum);
    CHECK(sum < (kind == KIND_TOLERANCE ? 20.0
                 : kind == KIND_TETHERS ? 3.4
                                        : 3.0),
          "%s: loose bounds", kind_names[kind]);
  }
}

/* With fixed work all steps do the work of their bound, whatever happens: while inputs stay the same, the same work. */
static void play_fixed(random_source *random, int kind, int trial) {
  cloth_config config = kind_config(random, kind);
  config.capacity.fixed_work = 1;
  fixture s = open_kind(random, &config, kind);
  uint64_t of_config = 0, first = 0;
  CHECK(cloth_config_work_bound(&config, FRAME, &of_config) == CLOTH_OK, "%s: config bound", kind_names[kind]);
  for (int frame = 0; frame < 20; frame++) {
    uint64_t bound = 0;
    disturb(&s, frame);
    CHECK(cloth_get_work_bound(s.sheet, FRAME, &bound) == CLOTH_OK, "%s: bound", kind_names[kind]);
    CHECK(cloth_step(s.sheet, FRAME) >= CLOTH_OK, "%s %d: cloth_step", kind_names[kind], trial);
    const uint64_t work = read_work(s.sheet);
    const cloth_statistics st = read_statistics(s.sheet);
    first = frame == 0 ? work : first;
    CHECK(work == bound && work <= of_config && (frame >= 10 || work == first),
          "%s %d, frame %d: work %.0f, bound %.0f, first %.0f", kind_names[kind], trial, frame, (double)work,
          (double)bound, (double)first);
    for (int n = 1; n < st.substeps && kind != KIND_BLENDED; n++) /* the first substeps have no share of BDF2 */
      CHECK(cloth_get_substep_iterations(s.sheet, n) == cloth_get_substep_iterations(s.sheet, 0),
            "%s %d: other iterations in substep %d", kind_names[kind], trial, n);
  }
  fixture_free(&s);
}

static void test_fixed_work(void) {
  random_source random = {11};
  for (int kind = 0; kind < KINDS; kind++) {
    for (int trial = 0; trial < 10 && kind != KIND_TEARING && kind != KIND_SLEEP; trial++)
      play_fixed(&random, kind, trial);
  }
}

/* Idle iterations change nothing: soft cloth with fixed work moves as the same cloth without. */
static void test_idle_iterations(void) {
  cloth_config config = square_config(12, 0.0);
  config.substeps = 2;
  config.iterations = 30;
  fixture usual = fixture_make(&config);
  config.capacity.fixed_work = 1;
  fixture fixed = fixture_make(&config);
  cloth_pin(usual.sheet, 0);
  cloth_pin(fixed.sheet, 0);
  int idle = 0;
  for (int frame = 0; frame < 120; frame++) {
    cloth_step(usual.sheet, FRAME);
    cloth_step(fixed.sheet, FRAME);
    idle += read_statistics(fixed.sheet).iterations - read_statistics(usual.sheet).iterations;
    for (int i = 0; i < usual.count; i++) {
      const double off = point_distance(position_of(usual.sheet, i), position_of(fixed.sheet, i));
      CHECK(off == 0.0, "frame %d: particle %d is %g m off", frame, i, off);
    }
  }
  CHECK(idle > 0, "no iteration was idle");
  fixture_free(&usual);
  fixture_free(&fixed);
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

/// Deadlines ///

/* At least three iterations, or all there are, in each substep; and no step has fewer substeps than its length asks. */
static void check_least(const fixture *s, const cloth_config *config, float dt, int kind) {
  const cloth_statistics st = read_statistics(s->sheet);
  if (st.asleep) return;
  CHECK(st.substeps >= 1 && (double)dt / st.substeps < 1.002 / 60.0, "%s: %d substeps", kind_names[kind], st.substeps);
  const int least = config->iterations > 0 && config->iterations < 3 ? config->iterations : 3;
  for (int n = 0; n < st.substeps && kind != KIND_EXPLICIT && kind != KIND_TOLERANCE; n++)
    CHECK(cloth_get_substep_iterations(s->sheet, n) >= least, "%s: %d iterations in substep %d", kind_names[kind],
          cloth_get_substep_iterations(s->sheet, n), n);
}

static int cut, whole;

/* One cloth has deadlines at random, the other does the same again, by a timer that goes as it likes. */
static void play_twice(random_source *random, int kind, int trial) {
  const float dt = random_int(random, 0, 2) || kind == KIND_EXPLICIT ? FRAME : 0.03f;
  const cloth_config config = kind_config(random, kind);
  random_source again_random = *random;
  fixture timed = open_kind(random, &config, kind), again = open_kind(&again_random, &config, kind);
  for (int frame = 0; frame < 20; frame++) {
    cloth_effort effort = {-1, -1};
    uint64_t bound = 0;
    const uint32_t ticks = (uint32_t)random_int(random, 0, 2 << random_int(random, 0, 6));
    disturb(&timed, frame);
    disturb(&again, frame);
    fake_pace = 1;
    fake_time = random_int(random, 0, 1) ? 0u - 5u : 77u; /* the timer may wrap */
    CHECK(cloth_get_work_bound(timed.sheet, dt, &bound) == CLOTH_OK, "%s: cloth_get_work_bound", kind_names[kind]);
    const int notes = cloth_step_until(timed.sheet, dt, ticks, &effort);
    CHECK(notes >= CLOTH_OK && effort.refinements >= 0, "%s %d: %d", kind_names[kind], trial, notes);
    CHECK(read_work(timed.sheet) <= bound, "%s %d, frame %d: work %.0f, bound %.0f", kind_names[kind], trial, frame,
          (double)read_work(timed.sheet), (double)bound);
    check_least(&timed, &config, dt, kind);
    fake_pace = random_bits(random) & 0xffffu;
    CHECK(cloth_step_again(again.sheet, dt, &effort) == notes, "%s %d, frame %d: notes", kind_names[kind], trial,
          frame);
    CHECK(read_hash(timed.sheet) == read_hash(again.sheet), "%s %d, frame %d: another state after %d refinements",
          kind_names[kind], trial, frame, effort.refinements);
    CHECK(read_work(timed.sheet) == read_work(again.sheet), "%s %d: other work", kind_names[kind], trial);
    cut += effort.cut_short;
    whole += !effort.cut_short;
  }
  fixture_free(&timed);
  fixture_free(&again);
}

static void test_replay(void) {
  random_source random = {5};
  for (int kind = 0; kind < KINDS; kind++) {
    for (int trial = 0; trial < 10; trial++)
      play_twice(&random, kind, trial);
  }
  printf("%d steps were cut short, %d were not\n", cut, whole);
  CHECK(cut > 500 && whole > 500, "%d cut, %d whole", cut, whole);
}

/* Without a deadline, and with one that is never reached, a step is the usual one, also if the timer stands still. */
static void test_no_deadline(void) {
  random_source random = {9};
  cloth_config config = kind_config(&random, KIND_STIFF);
  fixture usual = fixture_make(&config), timed = fixture_make(&config);
  for (int frame = 0; frame < 40; frame++) {
    const uint32_t ticks[] = {UINT32_MAX, 1u << 30, 1};
    cloth_effort effort;
    fake_pace = frame % 3 == 2 ? 0u : 1000u;
    cloth_step(usual.sheet, FRAME);
    cloth_step_until(timed.sheet, FRAME, ticks[frame % 3], &effort);
    CHECK(effort.cut_short == 0 && read_hash(usual.sheet) == read_hash(timed.sheet), "frame %d", frame);
  }
  fixture_free(&usual);
  fixture_free(&timed);
}

/* A step whose time is up before it begins does one substep of three iterations, or two where one would be longer than
   1/60 s, and pins and targets arrive all the same. The cloth stays sound. */
static void test_least(void) {
  for (int slow = 0; slow < 2; slow++) {
    const float dt = slow ? 2.0f * FRAME : FRAME;
    cloth_config config = square_config(16, 0.0);
    config.substeps = 8;
    fixture s = fixture_make(&config);
    cloth_pin(s.sheet, 0);
    cloth_pin(s.sheet, 15);
    for (int frame = 0; frame < 120; frame++) {
      const cloth_vector place = vector_at(-0.5 + 0.002 * frame, 0.0, -0.5);
      cloth_effort effort;
      fake_pace = 1;
      cloth_move_pin(s.sheet, 0, place);
      const int notes = cloth_step_until(s.sheet, dt, 0, &effort);
      CHECK(notes >= 0 && !(notes & (CLOTH_NOTE_RECOVERED | CLOTH_NOTE_SPEED_LIMITED)), "notes %d", notes);
      const cloth_statistics st = read_statistics(s.sheet);
      CHECK(st.substeps == 1 + slow && st.iterations == 3 * (1 + slow) && effort.cut_short == 1,
            "slow %d: %d substeps, %d iterations", slow, st.substeps, st.iterations);
      CHECK(point_distance(position_of(s.sheet, 0), point_of(place)) < 1e-6, "the pin has not arrived");
    }
    cloth_measures m;
    cloth_measure(s.sheet, &m);
    CHECK(all_finite(s.sheet) && (double)m.max_stretch < 0.5, "stretched by %g", (double)m.max_stretch);
    fixture_free(&s);
  }
}

static void test_deadline_refusals(void) {
  cloth_config config = square_config(5, 0.0);
  fixture s = fixture_make(&config);
  cloth_effort effort = {3, 1};
  uint64_t before = read_hash(s.sheet);
  CHECK(cloth_step_until(s.sheet, FRAME, 5, NULL) == CLOTH_ERROR_NULL, "nowhere to write");
  CHECK(cloth_step_until(NULL, FRAME, 5, &effort) == CLOTH_ERROR_NULL, "no cloth");
  CHECK(cloth_step_until(s.sheet, 0.0f, 5, &effort) == CLOTH_ERROR_RANGE, "dt 0");
  CHECK(cloth_step_again(s.sheet, FRAME, NULL) == CLOTH_ERROR_NULL, "nothing to read");
  CHECK(cloth_step_again(s.sheet, NAN, &effort) == CLOTH_ERROR_RANGE, "dt NaN");
  const cloth_effort wrong[] = {{-1, 0}, {INT32_MIN, 1}, {1, 2}, {1, -1}};
  for (int i = 0; i < 4; i++)
    CHECK(cloth_step_again(s.sheet, FRAME, &wrong[i]) == CLOTH_ERROR_RANGE, "effort %d", i);
  CHECK(read_hash(s.sheet) == before && effort.refinements == 3 && effort.cut_short == 1,
        "a refused step did something");
  fixture_free(&s);
  config.capacity.fixed_work = 1;
  s = fixture_make(&config);
  CHECK(cloth_step_until(s.sheet, FRAME, 5, &effort) == CLOTH_ERROR_STATE, "fixed work with a deadline");
  CHECK(cloth_step_again(s.sheet, FRAME, &effort) == CLOTH_ERROR_STATE, "fixed work again");
  fixture_free(&s);
}

/// Plans ///

/* What a planned sheet really does: the mean over time of its largest strain as it swings by two corners. */
static double measured_stretch(const scene *s, const cloth_forecast *forecast) {
  scene_instance made;
  double sum = 0.0;
  CHECK(scene_open(s, &made) == CLOTH_OK, "scene_open");
  for (int step = 0; step < 180; step++) {
    cloth_measures measures;
    cloth_step(made.sheet, FRAME);
    CHECK(read_work(made.sheet) <= forecast->work, "step %d: more work than forecast", step);
    cloth_measure(made.sheet, &measures);
    sum += step >= 60 ? (double)measures.max_stretch : 0.0;
  }
  scene_close(&made);
  return sum / 120.0;
}

static void check_forecast(int side, double length, uint64_t budget, float stretch) {
  scene s = scene_describe(SCENE_HANG, side);
  cloth_forecast forecast;
  uint64_t work = 0;
  s.config.edge_warp.x = s.config.edge_weft.z = (float)length;
  s.config.max_colliders = 0;
  const int result = cloth_plan(&s.config, FRAME, budget, stretch, &s.config, &forecast);
  CHECK(result == CLOTH_OK, "cloth_plan: %s", cloth_result_name(result));
  CHECK(cloth_config_work_bound(&s.config, FRAME, &work) == CLOTH_OK && work == forecast.work, "not the bound");
  CHECK((budget == 0 || work <= budget) && (stretch <= 0.0f || forecast.stretch <= stretch), "the goal is missed");
  const double found = measured_stretch(&s, &forecast) / (double)forecast.stretch;
  printf("plan of %2d, %.2f m: %2d substeps, %d iterations, %6.0f units a particle, stretch %.4f x %.2f\n", side,
         length, (int)s.config.substeps, (int)s.config.iterations, (double)forecast.work / (side * side),
         (double)forecast.stretch, found);
  CHECK(found > 0.5 && found < 2.0, "%.2f times the stretch forecast", found);
}

static void test_forecasts(void) {
  static const int sides[] = {10, 24, 40};
  for (int i = 0; i < 3; i++) {
    const uint64_t count = (uint64_t)(sides[i] * sides[i]);
    static const uint64_t budgets[] = {13000, 20000, 30000, 60000, 200000};
    for (int n = 0; n < 5; n++)
      check_forecast(sides[i], 1.0, budgets[n] * count, 0.0f);
    check_forecast(sides[i], 3.0, 40000 * count, 0.0f);
    check_forecast(sides[i], 0.4, 40000 * count, 0.0f);
    check_forecast(sides[i], 1.0, 0, 0.2f);
  }
}

/* More work buys more substeps, or as many with more iterations; the cheapest plan that stretches as little costs no
   more. The work of a forecast is the bound of the planned config. */
static void test_plans_in_order(void) {
  random_source random = {3};
  for (int kind = 0; kind < 3 * KINDS; kind++) {
    cloth_config config = kind_config(&random, kind % KINDS), planned;
    cloth_forecast forecast;
    int found = 0, substeps = 0, iterations = 0;
    for (uint64_t budget = 1000; budget < 4000000000; budget *= 2) {
      memset(&forecast, 0x55, sizeof forecast);
      memset(&planned, 0x55, sizeof planned);
      const int result = cloth_plan(&config, FRAME, budget, 0.0f, &planned, &forecast);
      CHECK(result == (found || result == CLOTH_OK ? CLOTH_OK : CLOTH_ERROR_NO_PLAN), "%d: %d", kind, result);
      if (result) {
        CHECK(((unsigned char *)&forecast)[0] == 0x55 && planned.columns == 0x55555555, "%d: written", kind);
        continue;
      }
      uint64_t bound = 0;
      const int now = planned.iterations == CLOTH_AUTOMATIC ? 99 : planned.iterations;
      CHECK(cloth_config_work_bound(&planned, FRAME, &bound) == CLOTH_OK && bound == forecast.work, "%d: bound", kind);
      CHECK(forecast.work <= budget, "%d: over the budget", kind);
      CHECK(planned.substeps > substeps || (planned.substeps == substeps && now >= iterations), "%d: worse", kind);
      CHECK(now >= 3 && planned.substeps >= 1, "%d: too little", kind);
      substeps = planned.substeps;
      iterations = now;
      found = 1;
      const uint64_t work = forecast.work;
      CHECK(cloth_plan(&config, FRAME, 0, forecast.stretch, &planned, &forecast) == CLOTH_OK && forecast.work <= work,
            "%d: more work for its stretch", kind);
    }
    CHECK(found, "%s: no plan", kind_names[kind % KINDS]);
  }
}

static void test_plan_refusals(void) {
  cloth_config config = square_config(10, 0.0), planned;
  cloth_forecast f;
  memset(&planned, 0x55, sizeof planned);
  CHECK(cloth_plan(NULL, FRAME, 1, 0.0f, &planned, &f) == CLOTH_ERROR_NULL, "no config");
  CHECK(cloth_plan(&config, FRAME, 1000000, 0.0f, NULL, &f) == CLOTH_ERROR_NULL, "nowhere to write");
  CHECK(cloth_plan(&config, FRAME, 1000000, 0.0f, &planned, NULL) == CLOTH_ERROR_NULL, "nowhere to forecast");
  CHECK(cloth_plan(&config, NAN, 1000000, 0.0f, &planned, &f) == CLOTH_ERROR_RANGE, "dt NaN");
  CHECK(cloth_plan(&config, FRAME, 0, 0.0f, &planned, &f) == CLOTH_ERROR_RANGE, "no goal");
  CHECK(cloth_plan(&config, FRAME, 0, NAN, &planned, &f) == CLOTH_ERROR_RANGE, "stretch NaN");
  CHECK(cloth_plan(&config, FRAME, 0, -0.1f, &planned, &f) == CLOTH_ERROR_RANGE, "stretch below 0");
  CHECK(cloth_plan(&config, FRAME, 0, 1e-5f, &planned, &f) == CLOTH_ERROR_NO_PLAN, "stretch out of reach");
  CHECK(cloth_plan(&config, FRAME, 100, 0.0f, &planned, &f) == CLOTH_ERROR_NO_PLAN, "work out of reach");
  CHECK(cloth_plan(&config, FRAME, 100000, 0.004f, &planned, &f) == CLOTH_ERROR_NO_PLAN, "both out of reach");
  config.rows = 1;
  CHECK(cloth_plan(&config, FRAME, 1000000, 0.0f, &planned, &f) == CLOTH_ERROR_RANGE, "a wrong config");
  CHECK(planned.columns == 0x55555555, "written in spite of an error");
}

static const test tests[] = {TEST(work_bound),    TEST(fixed_work),    TEST(idle_iterations),  TEST(replay),
                             TEST(no_deadline),   TEST(least),         TEST(forecasts),        TEST(plans_in_order),
                             TEST(plan_refusals), TEST(work_refusals), TEST(deadline_refusals)};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
