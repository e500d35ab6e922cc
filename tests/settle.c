/* cloth_settle(): a tablecloth, a curtain and a cape are at rest after one call, and stay so in the steps that follow;
   within the bound on work; in every method, with bodies, moves, tubes and contact of the sheet with itself. `--table`
   also steps the same scenes to rest, and prints how many times cheaper the call is.
   SPDX-License-Identifier: MIT */
#include "panels.h"
#include "support.h"

#define REST_SPEED 0.01f
#define MAX_STEPS 1800

/// Scenes ///

enum { TABLECLOTH, CURTAIN, CAPE, SCENES };
static const char *const scene_names[SCENES] = {"tablecloth", "curtain", "cape"};

static void add_body(cloth *sheet, int32_t shape, point at, point half) {
  cloth_collider body = cloth_collider_default();
  body.shape = shape;
  body.half_extents = vector_of(half);
  body.radius = body.radius_top = (float)half.x;
  body.half_height = (float)half.y;
  body.pose.position = vector_of(at);
  const int result = cloth_add_collider(sheet, &body);
  CHECK(result >= 0, "cloth_add_collider: %d", result);
}

/* Sheets flat over tables. */
typedef struct table_setting {
  int32_t fabric, particles; /* of a row */
  int substeps, is_round;
} table_setting;

static fixture lay_table(cloth_config config, const table_setting *t) {
  cloth_fabric_preset((cloth_fabric_kind)t->fabric, &config.fabric);
  config.columns = config.rows = t->particles;
  config.substeps = t->substeps;
  config.origin = vector_at(-0.5, 0.02, -0.5);
  fixture s = fixture_make(&config);
  add_body(s.sheet, t->is_round ? CLOTH_SHAPE_CYLINDER : CLOTH_SHAPE_BOX, (point){0.0, -0.02, 0.0},
           (point){0.3, 0.02, 0.3});
  return s;
}

static fixture make_tablecloth(cloth_config config) {
  const table_setting square = {CLOTH_FABRIC_COTTON, 24, (int)config.substeps, 0};
  return lay_table(config, &square);
}

/* A sheet of cotton on a rail at every fourth particle, drawn together to two thirds of its width. */
static fixture make_curtain(cloth_config config) {
  static cloth_vector places[24 * 24];
  cloth_fabric_preset(CLOTH_FABRIC_COTTON, &config.fabric);
  config.columns = config.rows = 24;
  config.edge_warp = vector_at(1.2, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, -1.0, 0.0);
  for (int i = 0; i < 24 * 24; i++) {
    const double along = (double)(i % 24) / 23.0, down = (double)(i / 24) / 23.0;
    places[i] = vector_at(0.8 * along - 0.4, 0.5 - down, 0.08 * sin(along * 23.0 / 4.0 * 6.283185307179586));
  }
  config.grid.positions = places;
  fixture s = fixture_make(&config);
  for (int column = 0; column < 24; column += 4)
    cloth_pin(s.sheet, column);
  cloth_pin(s.sheet, 23);
  return s;
}

/* A sheet of wool held by its upper corners, that falls against a figure. */
static fixture make_cape(cloth_config config) {
  cloth_fabric_preset(CLOTH_FABRIC_WOOL, &config.fabric);
  config.columns = 18;
  config.rows = 24;
  config.origin = vector_at(-0.4, 0.5, 0.0);
  config.edge_warp = vector_at(0.8, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, 1.2);
  fixture s = fixture_make(&config);
  cloth_pin(s.sheet, 0);
  cloth_pin(s.sheet, 17);
  add_body(s.sheet, CLOTH_SHAPE_CAPSULE, (point){0.0, 0.0, -0.1}, (point){0.15, 0.6, 0.0});
  return s;
}

static fixture make_scene(int scene, const cloth_config *config) {
  return scene == TABLECLOTH ? make_tablecloth(*config) : scene == CURTAIN ? make_curtain(*config) : make_cape(*config);
}

/// Measuring ///

static double fastest_of(const cloth *sheet) {
  cloth_vector_view v;
  double most = 0.0;
  cloth_get_velocities(sheet, &v);
  for (int32_t i = 0; i < v.count; i++)
    most = fmax(most, point_length(velocity_of(sheet, i)));
  return most;
}

/* Largest speed of a particle in the next steps [m/s]. */
static double fastest_in(cloth *sheet, int steps) {
  double most = 0.0;
  for (int n = 0; n < steps; n++) {
    const int result = cloth_step(sheet, FRAME);
    CHECK(result >= 0, "cloth_step: %d", result);
    most = fmax(most, fastest_of(sheet));
  }
  return most;
}

static double report_work(const cloth_settle_report *report) {
  return 4294967296.0 * report->work[1] + report->work[0];
}

/* Settles with the usual arguments and checks what holds for every cloth: the work is within its bound, the report is
   that of a cloth at rest, and nothing moves. Returns the work. */
static double settle(cloth *sheet, const char *name, double speed) {
  cloth_settle_report report;
  uint64_t bound = 0;
  int result = cloth_get_settle_bound(sheet, FRAME, MAX_STEPS, &bound);
  CHECK(result == CLOTH_OK, "%s: cloth_get_settle_bound: %d", name, result);
  result = cloth_settle(sheet, FRAME, (float)speed, MAX_STEPS, &report);
  CHECK(result >= 0 && !(result & CLOTH_NOTE_RECOVERED), "%s: cloth_settle: %d", name, result);
  CHECK(report.settled == 1, "%s: not settled after %d steps, %g m/s", name, report.steps, (double)report.speed);
  CHECK((double)report.speed <= 0.75 * speed + 1e-6, "%s: settled at %g m/s", name, (double)report.speed);
  CHECK(report.steps > 0 && report.steps <= MAX_STEPS && report.substeps >= report.steps, "%s: %d steps, %d substeps",
        name, report.steps, report.substeps);
  CHECK(report_work(&report) > 0.0 && report_work(&report) <= (double)bound, "%s: work %g, bound %g", name,
        report_work(&report), (double)bound);
  CHECK(fastest_of(sheet) == 0.0, "%s: a particle moves", name);
  CHECK(all_finite(sheet), "%s: not finite", name);
  return report_work(&report);
}

/* Steps until no particle is faster than REST_SPEED for half a second, at most for a minute. Returns the work. */
static double step_to_rest(cloth *sheet, int *steps) {
  double work = 0.0;
  int quiet = 0;
  for (*steps = 0; *steps < 3600 && quiet < 30; ++*steps) {
    cloth_step(sheet, FRAME);
    work += (double)read_work(sheet);
    quiet = fastest_of(sheet) <= (double)REST_SPEED ? quiet + 1 : 0;
  }
  return work;
}

/// Tests ///

/* With default settings the three scenes rest after one call: nothing is fast for five seconds, and nothing has gone
   far. */
static void test_scenes(void) {
  for (int scene = 0; scene < SCENES; scene++) {
    const cloth_config config = cloth_config_default();
    fixture s = make_scene(scene, &config);
    settle(s.sheet, scene_names[scene], 0.01);
    point *settled = (point *)malloc((size_t)s.count * sizeof *settled);
    double moved = 0.0;
    for (int i = 0; i < s.count; i++)
      settled[i] = position_of(s.sheet, i);
    const double speed = fastest_in(s.sheet, 300);
    for (int i = 0; i < s.count; i++)
      moved = fmax(moved, point_distance(settled[i], position_of(s.sheet, i)));
    CHECK(speed <= (double)REST_SPEED, "%s: %g m/s after the call", scene_names[scene], speed);
    CHECK(moved <= 0.01, "%s: %g m away after 5 s", scene_names[scene], moved);
    free(settled);
    fixture_free(&s);
  }
}

/* With 4 and 10 substeps as well. */
static void test_few_substeps(void) {
  for (int n = 0; n < 2 * SCENES; n++) {
    cloth_config config = cloth_config_default();
    config.substeps = n < SCENES ? 4 : 10;
    fixture s = make_scene(n % SCENES, &config);
    settle(s.sheet, scene_names[n % SCENES], 0.01);
    const double speed = fastest_in(s.sheet, 300);
    CHECK(speed <= (double)REST_SPEED, "%s, %d substeps: %g m/s", scene_names[n % SCENES], (int)config.substeps, speed);
    fixture_free(&s);
  }
}

/* Other fabrics, finer sheets and a round table. The table lists those that go on moving. */
static void test_tablecloths(void) {
  static const table_setting settings[] = {
      {CLOTH_FABRIC_SILK, 24, 28, 0},  {CLOTH_FABRIC_SILK, 24, 28, 1},  {CLOTH_FABRIC_COTTON, 24, 28, 1},
      {CLOTH_FABRIC_SILK, 24, 10, 0},  {CLOTH_FABRIC_SILK, 24, 10, 1},  {CLOTH_FABRIC_DENIM, 24, 10, 0},
      {CLOTH_FABRIC_SILK, 24, 4, 0},   {CLOTH_FABRIC_DENIM, 24, 4, 0},  {CLOTH_FABRIC_COTTON, 32, 28, 0},
      {CLOTH_FABRIC_DENIM, 32, 10, 0}, {CLOTH_FABRIC_COTTON, 48, 28, 0}};
  for (size_t n = 0; n < sizeof settings / sizeof *settings; n++) {
    fixture s = lay_table(cloth_config_default(), &settings[n]);
    settle(s.sheet, "tablecloth", 0.01);
    const double speed = fastest_in(s.sheet, 300);
    CHECK(speed <= (double)REST_SPEED, "tablecloth %d: %g m/s after the call", (int)n, speed);
    fixture_free(&s);
  }
}

/* The fastest particle within 5 s after the call, of a sheet over a round table with cells of 1 x 2.6, or of a strip
   that hangs by a corner [m/s]. */
static double speed_of_late_motion(uint32_t seed, int hangs) {
  cloth_config config = cloth_config_default();
  config.columns = hangs ? 3 : 16;
  config.rows = hangs ? 32 : 40;
  config.edge_weft = hangs ? vector_at(0.0, -1.2, 0.0) : vector_at(0.0, 0.0, 1.0);
  config.grid.seed = seed;
  fixture s = fixture_make(&config);
  cloth_collider table = cloth_collider_default();
  table.shape = CLOTH_SHAPE_CYLINDER;
  table.radius = 0.35f;
  table.half_height = 0.02f;
  table.pose.position = vector_at(0.5, -0.05, 0.5);
  CHECK((hangs ? cloth_pin(s.sheet, 0) : cloth_add_collider(s.sheet, &table)) >= 0, "seed %u", (unsigned)seed);
  settle(s.sheet, "cloth that moves late", 0.01);
  const double speed = fastest_in(s.sheet, 300);
  fixture_free(&s);
  return speed;
}

/* A strip hung by a corner that turns does so before the end of the call: it moved at 0.09 m/s later. Folds at a round
   table's rim turn over before it ends, too, on most tables: of 24 seeds 19, and the others move at up to 0.06 m/s,
   where cloths moved at up to 0.25. */
static void test_late_motion(void) {
  const double hung = speed_of_late_motion(4, 1);
  int late = 0;
  CHECK(hung <= (double)REST_SPEED, "strip: %g m/s after the call", hung);
  for (uint32_t seed = 0; seed < 8; seed++) {
    const double speed = speed_of_late_motion(seed, 0);
    CHECK(speed <= 0.06, "seed %u: %g m/s after the call", (unsigned)seed, speed);
    late += speed > (double)REST_SPEED;
  }
  CHECK(late <= 2, "%d of 8 cloths move after the call", late);
}

/* A sheet of 8 x 8 particles at `height` [m] over a plane with these coefficients of friction. */
static fixture lay_on_ground(cloth_config config, double height, float static_friction, float kinetic_friction) {
  config.columns = config.rows = 8;
  config.edge_warp = vector_at(0.4, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, 0.4);
  config.origin = vector_at(-0.2, height, -0.2);
  fixture s = fixture_make(&config);
  cloth_collider ground = cloth_collider_default();
  ground.shape = CLOTH_SHAPE_PLANE;
  ground.static_friction = static_friction;
  ground.kinetic_friction = kinetic_friction;
  cloth_add_collider(s.sheet, &ground);
  return s;
}

/* A sheet on a slope stays where static friction holds it, and does not where it is too little. */
static void test_static_friction(void) {
  for (int slips = 0; slips < 2; slips++) {
    cloth_config config = cloth_config_default();
    config.substeps = 8;
    config.gravity = vector_at(9.81 * sin(0.3), -9.81 * cos(0.3), 0.0);
    fixture s = lay_on_ground(config, 0.0101, slips ? 0.1f : 0.5f, slips ? 0.1f : 0.4f);
    const point before = position_of(s.sheet, 27);
    cloth_settle_report report;
    cloth_settle(s.sheet, FRAME, REST_SPEED, 200, &report);
    const double slipped = point_distance(before, position_of(s.sheet, 27));
    CHECK(report.settled == !slips, "slips %d: settled %d", slips, report.settled);
    CHECK(slips ? slipped > 0.1 : slipped < 0.002, "slips %d: moved by %g m", slips, slipped);
    fixture_free(&s);
  }
}

/* A sheet that static friction holds on a slope where kinetic friction would not rests there after the call, though it
   has slid with eased friction: it slid away for ever, by 27 m in 900 steps with a kinetic friction of 0.4. */
static void test_kinetic_friction(void) {
  for (int n = 0; n < 2; n++) {
    fixture s = lay_on_ground(cloth_config_default(), 0.01, 0.5f, n ? 0.1f : 0.4f);
    for (int step = 0; step < 600; step++) {
      const double slope = atan(0.44) * fmin(step / 480.0, 1.0);
      cloth_set_gravity(s.sheet, vector_at(9.81 * sin(slope), -9.81 * cos(slope), 0.0));
      cloth_step(s.sheet, FRAME);
    }
    const point before = position_of(s.sheet, 27);
    CHECK(fastest_of(s.sheet) < 0.001, "friction %d: does not hold", n);
    settle(s.sheet, "sheet on a slope", 0.01);
    const double slid = point_distance(before, position_of(s.sheet, 27)), speed = fastest_in(s.sheet, 120);
    CHECK(slid <= 0.2 && speed <= 0.001, "friction %d: slid by %g m, %g m/s after the call", n, slid, speed);
    fixture_free(&s);
  }
}

/* Moves of pins and colliders for the next step are made, and nothing goes on moving. */
static void test_moves(void) {
  cloth_config config = cloth_config_default();
  config.substeps = 10;
  fixture s = make_scene(CAPE, &config);
  const cloth_vector place = vector_at(-0.3, 0.5, 0.1);
  cloth_pose pose = cloth_collider_default().pose;
  pose.position = vector_at(0.0, 0.0, -0.2);
  CHECK(cloth_move_pin(s.sheet, 0, place) == CLOTH_OK, "cloth_move_pin");
  CHECK(cloth_move_collider(s.sheet, 0, NULL, &pose) == CLOTH_OK, "cloth_move_collider");
  settle(s.sheet, "cape that moves", 0.01);
  CHECK(point_distance(position_of(s.sheet, 0), point_of(place)) < 1e-6, "the pin is elsewhere");
  const double fastest = fastest_in(s.sheet, 120);
  CHECK(fastest <= 0.01, "the cape goes on moving: %g m/s", fastest);
  fixture_free(&s);
}

/* Rest does not depend on the place: what lies away from its origin has positions that floats resolve less. */
static void test_places(void) {
  static const point places[] = {{0.3, 0.2, 0.1}, {1.0, 1.0, 1.0}, {-2.0, 0.5, 3.0}, {5.0, 1.0, 5.0}};
  for (int n = 0; n < 4; n++) {
    cloth_config config = cloth_config_default();
    cloth_fabric_preset(CLOTH_FABRIC_COTTON, &config.fabric);
    config.columns = config.rows = 16;
    config.origin = vector_of(places[n]);
    fixture s = fixture_make(&config);
    cloth_pin(s.sheet, 0);
    cloth_pin(s.sheet, 15);
    settle(s.sheet, "elsewhere", (double)REST_SPEED);
    const double fastest = fastest_in(s.sheet, 300);
    CHECK(fastest <= 0.5 * (double)REST_SPEED, "at %g m: %g m/s", (double)places[n].x, fastest);
    fixture_free(&s);
  }
}

/* Far from the origin positions are rounded when a step ends, and the step after it begins with fast substeps. What
   rests at the ends of steps has settled there as well. */
static void test_far_away(void) {
  static const struct {
    double place;
    int rail;
  } cases[] = {{100.0, 1}, {300.0, 1}, {300.0, 0}};
  for (int n = 0; n < 3; n++) {
    cloth_config config = cloth_config_default();
    const double at = cases[n].place;
    config.columns = config.rows = 24;
    config.origin = vector_at(at, at, at);
    if (cases[n].rail) config.edge_weft = vector_at(0.0, -1.0, 0.0);
    fixture s = fixture_make(&config);
    for (int column = 0; column < 24; column += cases[n].rail ? 3 : 23)
      cloth_pin(s.sheet, column);
    cloth_settle_report report;
    CHECK(cloth_settle(s.sheet, FRAME, REST_SPEED, MAX_STEPS, &report) >= 0, "cloth_settle");
    const double fastest = fastest_in(s.sheet, 300);
    CHECK(fastest <= (double)REST_SPEED, "%d, at %g m: %g m/s, settled %d", n, at, fastest, report.settled);
    CHECK(report.settled == 1 || at > 100.0, "%d, at %g m: not settled, %g m/s", n, at, (double)report.speed);
    fixture_free(&s);
  }
}

/* A second at rest is a second without stops, as these would hide what grows in it: paper on a rim, which folds, has
   settled where it stays at rest. */
static void test_growing(void) {
  cloth_config config = cloth_config_default();
  cloth_fabric_preset(CLOTH_FABRIC_PAPER, &config.fabric);
  config.columns = 8;
  config.rows = 9;
  fixture s = fixture_make(&config);
  add_body(s.sheet, CLOTH_SHAPE_BOX, (point){0.5, -0.22, 0.5}, (point){0.3, 0.2, 0.3});
  cloth_settle_report report;
  CHECK(cloth_settle(s.sheet, FRAME, REST_SPEED, MAX_STEPS, &report) >= 0, "cloth_settle");
  const double fastest = fastest_in(s.sheet, 300);
  CHECK(report.settled == 1 && fastest <= (double)REST_SPEED, "settled %d, then %g m/s", report.settled, fastest);
  fixture_free(&s);
}

/* Pins that a velocity moves stop where they are, and have none afterwards. */
static void test_pin_velocities(void) {
  cloth_config config = cloth_config_default();
  config.columns = config.rows = 12;
  config.substeps = 10;
  fixture s = fixture_make(&config);
  const int corners[3] = {0, 11, 6 * 12};
  cloth_settle_report report;
  point before[3];
  for (int n = 0; n < 3; n++) {
    CHECK(cloth_pin(s.sheet, corners[n]) == CLOTH_OK, "cloth_pin");
    before[n] = position_of(s.sheet, corners[n]);
  }
  CHECK(cloth_set_pin_velocity(s.sheet, 0, vector_at(0.5, 0.0, 0.0)) == CLOTH_OK, "cloth_set_pin_velocity");
  CHECK(cloth_set_particle(s.sheet, 11, vector_of(before[1]), vector_at(0.0, -0.3, 2.0)) == CLOTH_OK, "set_particle");
  settle(s.sheet, "pins with velocities", 0.01);
  for (int n = 0; n < 3; n++) {
    const double moved = point_distance(before[n], position_of(s.sheet, corners[n]));
    CHECK(moved == 0.0, "pin %d has moved by %g m", n, moved);
  }
  CHECK(fastest_in(s.sheet, 60) <= 0.02, "pins or cloth go on moving");
  /* A move of one step is made, and over, also where it takes up the only step. */
  CHECK(cloth_move_pin(s.sheet, 0, vector_at(0.1, 0.0, 0.0)) == CLOTH_OK, "cloth_move_pin");
  CHECK(cloth_set_pin_velocity(s.sheet, 11, vector_at(0.5, 0.0, 0.0)) == CLOTH_OK, "cloth_set_pin_velocity");
  CHECK(cloth_settle(s.sheet, FRAME, REST_SPEED, 1, &report) >= 0 && report.settled == 0, "a step of settling");
  CHECK(point_distance(position_of(s.sheet, 0), (point){0.1, 0.0, 0.0}) < 1e-6, "the pin has not arrived");
  CHECK(point_distance(position_of(s.sheet, 11), before[1]) == 0.0, "the pin beside it has moved");
  CHECK(fastest_of(s.sheet) == 0.0, "a particle moves");
  fixture_free(&s);
}

/* Steps shorter than 1/60 s need more of them: 10 s of steps are enough, less than a second of them never is. Substeps
   of 1/6720 s have their rest as well. */
static void test_short_steps(void) {
  static const struct {
    double dt;
    int substeps, steps, settles;
  } cases[] = {{1.0 / 240, 7, 2400, 1}, {1.0 / 1000, 1, 10000, 1}, {1.0 / 1000, 1, 600, 0}, {1.0 / 240, 28, 2400, 1}};
  for (int n = 0; n < 8; n++) {
    const int k = n / 2;
    cloth_config config = cloth_config_default();
    cloth_fabric_preset(CLOTH_FABRIC_COTTON, &config.fabric);
    config.columns = config.rows = 12;
    config.substeps = cases[k].substeps;
    config.origin = vector_at(-0.5, 0.02, -0.5);
    fixture s = fixture_make(&config);
    if (n % 2) {
      add_body(s.sheet, CLOTH_SHAPE_BOX, (point){0.0, -0.25, 0.0}, (point){0.3, 0.25, 0.3});
    } else {
      cloth_pin(s.sheet, 0);
      cloth_pin(s.sheet, 11);
    }
    cloth_settle_report report;
    double most = 0.0;
    CHECK(cloth_settle(s.sheet, (float)cases[k].dt, REST_SPEED, cases[k].steps, &report) >= 0, "cloth_settle");
    for (double t = 0.0; t < 1.0; t += cases[k].dt) {
      cloth_step(s.sheet, (float)cases[k].dt);
      most = fmax(most, fastest_of(s.sheet));
    }
    CHECK(report.settled == cases[k].settles, "case %d: settled %d in %d steps", n, report.settled, report.steps);
    CHECK(cases[k].settles ? most <= 0.012 : most > 0.02, "case %d: %g m/s after the call", n, most);
    fixture_free(&s);
  }
}

static void pin_side(const panels *p, const cloth_seam_side *side, int releases) {
  for (int n = 0; n < side->count; n++) {
    cloth *sheet = p->sheets[side->cloth];
    const int particle = side->first + n * side->next;
    CHECK((releases ? cloth_release(sheet, particle) : cloth_pin(sheet, particle)) == CLOTH_OK, "particle %d",
          particle);
  }
}

/* A cloth of a group hangs as if nothing were sewn to it. What is sewn stays together if it is pinned meanwhile, and
   hangs still by the seam afterwards. */
static void test_sewn(void) {
  for (int pins = 0; pins < 2; pins++) {
    panels p;
    const cloth_config config = panel_config(10, 12, 10);
    cloth_settle_report report;
    cut_sheet(&p, 10, 12, 2, 0, &config);
    const double before = largest_gap(&p);
    for (int column = 0; column < 10; column++)
      cloth_pin(p.sheets[0], column);
    if (pins) {
      pin_side(&p, &p.seams[0].a, 0);
      pin_side(&p, &p.seams[0].b, 0);
    }
    for (int n = 0; n < 2; n++)
      CHECK(cloth_settle(p.sheets[n], FRAME, REST_SPEED, 300, &report) >= 0 && report.settled == (pins || n == 0),
            "panel %d: settled %d", n, report.settled);
    const double gap = largest_gap(&p);
    CHECK(pins ? gap == before : gap > 30.0, "the seam has opened to %g cells", gap);
    if (pins) {
      pin_side(&p, &p.seams[0].a, 1);
      pin_side(&p, &p.seams[0].b, 1);
      const double widest = step_panels(&p, 30);
      CHECK(widest < 0.001 && fastest_particle(&p) < 0.05, "released: %g cells wide, %g m/s", widest,
            fastest_particle(&p));
    }
    free_panels(&p);
  }
}

/* Methods of integration, tubes, automatic substeps, fixed work, contact with itself, contact in the solver. */
enum { IMEX, EXPLICIT_ONLY, TUBE, AUTOMATIC, FIXED_WORK, SELF, IN_SOLVER, VARIANTS };
static const char *const variant_names[VARIANTS] = {
    "imex", "explicit only", "tube", "automatic", "fixed work", "self-contact", "contact in solver"};

static cloth_config variant_config(int variant) {
  cloth_config config = cloth_config_default();
  config.columns = config.rows = 10;
  config.edge_warp = vector_at(0.6, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, 0.6);
  config.substeps = 8;
  if (variant == IMEX || variant == IN_SOLVER) cloth_config_use_imex(&config);
  if (variant == EXPLICIT_ONLY) {
    config.integration.method = CLOTH_INTEGRATION_EXPLICIT_ONLY;
    config.fabric.stretch_warp = config.fabric.stretch_weft = 50.0f;
    config.fabric.shear = 20.0f;
    config.substeps = 60;
  }
  if (variant == TUBE) {
    config.grid.wrap = 1;
    config.edge_weft = vector_at(0.0, -0.6, 0.0);
  }
  if (variant == AUTOMATIC || variant == FIXED_WORK) config.substeps = CLOTH_AUTOMATIC;
  if (variant == FIXED_WORK) {
    config.integration.max_substeps = 6;
    config.capacity.fixed_work = 1;
  }
  if (variant == SELF) config.self_thickness = 0.02f;
  return config;
}

static void test_variants(void) {
  for (int variant = 0; variant < VARIANTS; variant++) {
    const cloth_config config = variant_config(variant);
    fixture s = fixture_make(&config);
    for (int column = 0; column < 10; column += variant == TUBE ? 1 : 9)
      cloth_pin(s.sheet, column);
    add_body(s.sheet, CLOTH_SHAPE_SPHERE, (point){0.3, -0.35, 0.1}, (point){0.1, 0.1, 0.1});
    settle(s.sheet, variant_names[variant], variant == IN_SOLVER ? 0.1 : 0.01);
    const double speed = fastest_in(s.sheet, 60);
    CHECK(speed <= (variant == IN_SOLVER ? 0.1 : 0.02), "%s: %g m/s after the call", variant_names[variant], speed);
    fixture_free(&s);
  }
}

/* A ball lies in a cloth that is held by its corners: where it sank to it stays. Stepped, cloth and ball go on
   trembling at 0.15 m/s. */
static void test_bodies(void) {
  cloth_config config = cloth_config_default();
  config.columns = config.rows = 12;
  config.capacity.max_bodies = 1;
  fixture s = fixture_make(&config);
  for (int corner = 0; corner < 4; corner++)
    cloth_pin(s.sheet, fixture_particle(&s, corner % 2 * 11, corner / 2 * 11));
  add_body(s.sheet, CLOTH_SHAPE_SPHERE, (point){0.5, 0.12, 0.5}, (point){0.1, 0.1, 0.1});
  cloth_collider ball = cloth_collider_default();
  ball.radius = 0.1f;
  cloth_body body = cloth_body_default(&ball, 0.5f);
  cloth_pose pose;
  CHECK(cloth_set_body(s.sheet, 0, &body) == CLOTH_OK, "cloth_set_body");
  settle(s.sheet, "ball in a cloth", 0.02);
  CHECK(cloth_get_body(s.sheet, 0, &body, &pose) == CLOTH_OK, "cloth_get_body");
  const double height = (double)pose.position.y;
  CHECK(height < 0.1 && height > -0.6, "the ball is at %g m", height);
  const double fastest = fastest_in(s.sheet, 120);
  CHECK(fastest <= 0.12, "the cloth moves: %g m/s", fastest);
  cloth_get_body(s.sheet, 0, &body, &pose);
  CHECK(fabs((double)pose.position.y - height) < 0.005, "the ball sank by %g m", height - (double)pose.position.y);
  fixture_free(&s);
}

/* Too few steps are said to be too few; a sleeping cloth is at rest; the same call gives the same bits. */
static void test_reports(void) {
  cloth_config config = cloth_config_default();
  config.substeps = 4;
  config.sleep.speed = 0.05f;
  fixture a = make_scene(CAPE, &config), b = make_scene(CAPE, &config);
  cloth_settle_report report;
  CHECK(cloth_settle(a.sheet, FRAME, REST_SPEED, 3, &report) >= 0, "cloth_settle");
  CHECK(report.settled == 0 && report.steps == 3 && report.stops >= 0, "settled %d in %d steps", report.settled,
        report.steps);
  cloth_settle(b.sheet, FRAME, REST_SPEED, 3, NULL);
  CHECK(read_hash(a.sheet) == read_hash(b.sheet), "another hash");
  settle(a.sheet, "cape", 0.01);
  for (int n = 0; n < 60 && cloth_is_asleep(a.sheet) == 0; n++)
    cloth_step(a.sheet, FRAME);
  CHECK(cloth_is_asleep(a.sheet) == 1, "a settled cloth does not fall asleep");
  const uint64_t asleep = read_hash(a.sheet);
  CHECK(cloth_settle(a.sheet, FRAME, REST_SPEED, 3, &report) == CLOTH_OK, "cloth_settle asleep");
  CHECK(report.settled == 1 && report.steps == 0 && read_hash(a.sheet) == asleep, "asleep: %d steps", report.steps);
  fixture_free(&a);
  fixture_free(&b);
}

static void test_refusals(void) {
  cloth_config config = cloth_config_default();
  config.columns = config.rows = 6;
  fixture s = fixture_make(&config);
  const uint64_t before = read_hash(s.sheet);
  uint64_t work = 0;
  CHECK(cloth_settle(NULL, FRAME, REST_SPEED, 1, NULL) == CLOTH_ERROR_NULL, "no cloth");
  CHECK(cloth_settle(s.sheet, 0.0f, REST_SPEED, 1, NULL) == CLOTH_ERROR_RANGE, "dt 0");
  CHECK(cloth_settle(s.sheet, FRAME, 0.0f, 1, NULL) == CLOTH_ERROR_RANGE, "speed 0");
  CHECK(cloth_settle(s.sheet, FRAME, NAN, 1, NULL) == CLOTH_ERROR_RANGE, "speed NaN");
  CHECK(cloth_settle(s.sheet, FRAME, 11.0f, 1, NULL) == CLOTH_ERROR_RANGE, "speed 11");
  CHECK(cloth_settle(s.sheet, FRAME, REST_SPEED, 0, NULL) == CLOTH_ERROR_RANGE, "no steps");
  CHECK(cloth_settle(s.sheet, FRAME, REST_SPEED, CLOTH_SETTLE_LIMIT + 1, NULL) == CLOTH_ERROR_RANGE, "many steps");
  CHECK(cloth_get_settle_bound(s.sheet, FRAME, 0, &work) == CLOTH_ERROR_RANGE, "bound of no steps");
  CHECK(cloth_get_settle_bound(s.sheet, FRAME, CLOTH_SETTLE_LIMIT + 1, &work) == CLOTH_ERROR_RANGE,
        "bound, many steps");
  CHECK(cloth_get_settle_bound(s.sheet, FRAME, 1, NULL) == CLOTH_ERROR_NULL, "no place for the bound");
  CHECK(cloth_get_settle_bound(s.sheet, 2.0f, 1, &work) == CLOTH_ERROR_RANGE, "bound for dt 2");
  CHECK(read_hash(s.sheet) == before, "a refused call changed the cloth");
  fixture_free(&s);
}

/// Table ///

/* Scenes with three numbers of substeps. */
static int print_table(void) {
  int missed = 0;
  printf("%-12s %9s %9s %14s %14s %14s %8s  %s\n", "scene", "steps", "substeps", "fastest, 1 s", "fastest, 5 s",
         "steps to rest", "cheaper", "verdict");
  for (int n = 0; n < 3 * SCENES; n++) {
    static const int substeps[3] = {2, 4, 10};
    const int scene = n % SCENES;
    cloth_config config = cloth_config_default();
    config.substeps = substeps[n / SCENES];
    fixture s = make_scene(scene, &config), stepped = make_scene(scene, &config);
    cloth_settle_report report;
    int steps = 0;
    cloth_settle(s.sheet, FRAME, REST_SPEED, MAX_STEPS, &report);
    const double first = fastest_in(s.sheet, 60), speed = fmax(first, fastest_in(s.sheet, 240));
    const double work = step_to_rest(stepped.sheet, &steps), times = work / report_work(&report);
    const int holds = report.settled && speed <= 0.01;
    printf("%-12s %9d %9d %10.4f m/s %10.4f m/s %13d%s %7.1fx  %s\n", scene_names[scene], report.steps, report.substeps,
           first, speed, steps, steps == 3600 ? "+" : " ", times, holds ? "ok" : "missed");
    missed += !holds;
    fixture_free(&s);
    fixture_free(&stepped);
  }
  printf("+: not at rest after a minute; with 2 (the default), 4 and 10 substeps\n");
  return missed != 0;
}

int main(int count, char **arguments) {
  static const test tests[] = {
      TEST(scenes),           TEST(few_substeps), TEST(tablecloths), TEST(late_motion), TEST(static_friction),
      TEST(kinetic_friction), TEST(moves),        TEST(places),      TEST(far_away),    TEST(growing),
      TEST(pin_velocities),   TEST(short_steps),  TEST(sewn),        TEST(variants),    TEST(bodies),
      TEST(reports),          TEST(refusals)};
  if (count > 1 && strcmp(arguments[1], "--table") == 0) return print_table();
  return RUN_TESTS(count, arguments, tests);
}
