/* Tubes (`wrap`): all columns alike, no trace of the seam, solves, belts, tethers across the seam, rest, measures.
   SPDX-License-Identifier: MIT */
#include "sheets.h"

/* Ways in which a tube's springs may be integrated. */
enum { TUBE_EXPLICIT, TUBE_IMPLICIT, TUBE_LIMITED, TUBE_PROJECTED, TUBE_DEFAULT, TUBE_SCHEMES };
static int tested_tube = TUBE_EXPLICIT;

static const char *tube_scheme_name(int number) {
  static const char *const names[TUBE_SCHEMES] = {"explicit", "implicit", "limited", "projected", "default"};
  return names[number];
}

static void select_tube(int number) {
  tested_tube = number;
}

static const test_cases every_scheme = {TUBE_EXPLICIT, TUBE_SCHEMES, tube_scheme_name, select_tube};

static void use_scheme(cloth_config *config, int scheme) {
  if (scheme <= TUBE_LIMITED) {
    use_two_tiers(config);
  } else if (scheme == TUBE_PROJECTED) {
    use_projection(config);
  }
  if (scheme == TUBE_EXPLICIT) {
    config->integration.method = CLOTH_INTEGRATION_EXPLICIT_ONLY;
    config->fabric.stretch_warp = config->fabric.stretch_weft = 100.0f;
    config->fabric.shear = 40.0f;
    config->substeps = 0;
    config->integration.max_substeps = 100;
  } else if (scheme == TUBE_IMPLICIT) {
    config->solver.max_iterations = 100;
    config->solver.tolerance = 1e-4f;
    config->substeps = 4;
  }
}

/* Of the tube at rest, 1 m around. */
static double tube_radius(int columns) {
  return 0.5 / columns / sin(acos(-1.0) / columns);
}

/* A tube that hangs down from a ring, 1 m around and 0.5 m long, and comes to rest soon. Its axis is the y axis, so
   that all columns are rounded alike, and its start is exact. */
static cloth_config tube_config(int columns, int rows, int scheme) {
  cloth_config config = cloth_config_default();
  use_scheme(&config, scheme);
  config.grid.wrap = 1;
  config.grid.imperfection = 0.0f;
  config.columns = columns;
  config.rows = rows;
  config.origin = vector_at(0.0, 0.25, -tube_radius(columns));
  config.edge_warp = vector_at(1.0, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, -0.5, 0.0);
  config.integration.velocity_damping = 8.0f;
  config.air.drag = 0.5f;
  config.air.normal_drag = 0.5f;
  config.max_colliders = 1;
  return config;
}

static void pin_ring(const fixture *s) {
  for (int column = 0; column < s->columns; column++)
    cloth_pin(s->sheet, column);
}

/* A point of a column as it would be in column 0. */
static point as_column_0(const fixture *s, point p, int column) {
  double angle = 2.0 * acos(-1.0) * column / s->columns;
  point turned = {p.x * cos(angle) + p.z * sin(angle), p.y, p.z * cos(angle) - p.x * sin(angle)};
  return turned;
}

/* How far a particle is, at most, from where all columns together would have it. */
static double asymmetry(const fixture *s) {
  double most = 0.0;
  for (int first = 0; first < s->count; first += s->columns) {
    point mean = {0.0, 0.0, 0.0};
    for (int k = 0; k < s->columns; k++)
      mean = point_sum(mean, point_scaled(as_column_0(s, position_of(s->sheet, first + k), k), 1.0 / s->columns));
    for (int k = 0; k < s->columns; k++)
      most = fmax(most, point_distance(as_column_0(s, position_of(s->sheet, first + k), k), mean));
  }
  return most;
}

/* Solves along lines round positions to 3e-8 m, and velocities follow from them: by 5e-5 m/s in a substep of the
   default length, as if by chance. How far sheets drift apart that should move alike [m]: by the rounding of a second,
   and in a solve that leaves part of the change to the next substep. */
#define DRIFT 6e-4
/* Few iterations of a solve tell where the levels of its preconditioner have their seam [m]: in many steps, and in one.
 */
#define UNSOLVED_DRIFT 2e-2
#define UNSOLVED_STEP 1e-3
#define SOLVED_DRIFT 4e-3

/* The ring widens and turns, and all of the tube follows alike. */
static void expect_tube_symmetry(int columns, int scheme) {
  cloth_config config = tube_config(columns, 12, scheme);
  fixture s = fixture_make(&config);
  double most = asymmetry(&s), radius = tube_radius(columns);
  CHECK(most < 1e-6, "%d columns start with %g m of asymmetry", columns, most);
  pin_ring(&s);
  for (int frame = 0; frame < 60; frame++) {
    for (int column = 0; column < columns; column++) {
      point p = position_of(s.sheet, column), out = {p.x, 0.0, p.z}, aside = {p.z, 0.0, -p.x};
      point v = point_scaled(point_sum(point_scaled(out, 0.05), point_scaled(aside, 0.2)), fmin(0.05 * frame, 1.0));
      cloth_set_pin_velocity(s.sheet, column, vector_of(v));
    }
    int result = cloth_step(s.sheet, FRAME);
    CHECK(result >= CLOTH_OK && !(result & (CLOTH_NOTE_RECOVERED | CLOTH_NOTE_SPEED_LIMITED)), "step gave %d", result);
    most = fmax(most, asymmetry(&s));
  }
  point top = as_column_0(&s, position_of(s.sheet, 0), 0), hem = as_column_0(&s, position_of(s.sheet, 11 * columns), 0);
  CHECK(hypot(top.x, top.z) > 1.02 * radius && hypot(hem.x, hem.z) > 0.99 * radius, "a ring of %g m, a hem of %g m",
        hypot(top.x, top.z), hypot(hem.x, hem.z));
  CHECK(hem.y < -0.22 && hem.y > -0.32, "scheme %d: the hem is at %g m", scheme, hem.y);
  CHECK(most < (scheme <= TUBE_IMPLICIT ? DRIFT : UNSOLVED_DRIFT), "scheme %d, %d columns: %g m of asymmetry", scheme,
        columns, most);
  fixture_free(&s);
}

/* A tube whose particles are where those of `like` start, `shift` columns further round. */
static fixture shifted_tube(const cloth_config *like, int shift) {
  cloth_config config = *like;
  fixture s = fixture_make(&config);
  cloth_vector *places = (cloth_vector *)malloc((size_t)s.count * sizeof *places);
  for (int i = 0; places != NULL && i < s.count; i++) {
    int from = i - i % s.columns + (i + shift) % s.columns;
    places[i] = vector_of(position_of(s.sheet, from));
  }
  fixture_free(&s);
  config.grid.positions = places;
  s = fixture_make(&config);
  free(places);
  return s;
}

/* A ball pushes into the side of a tube, and gravity pulls aside: that the seam is elsewhere makes no difference. */
static void expect_tube_seam(int columns, int scheme) {
  enum { TUBES = 3 };
  cloth_config config = tube_config(columns, 12, scheme);
  config.gravity = vector_at(1.0, -9.0, 2.0);
  const int shifts[TUBES] = {0, 1, columns / 2};
  fixture tubes[TUBES];
  cloth_collider ball = cloth_collider_default();
  ball.radius = 0.08f;
  ball.static_friction = ball.kinetic_friction = 0.0f;
  ball.pose.position = vector_at(0.01, 0.0, -0.28);
  for (int n = 0; n < TUBES; n++) {
    tubes[n] = shifted_tube(&config, shifts[n]);
    pin_ring(&tubes[n]);
    cloth_add_collider(tubes[n].sheet, &ball);
  }
  double most = 0.0;
  cloth_statistics st;
  for (int frame = 0; frame < 40; frame++) {
    cloth_pose pose = ball.pose;
    pose.position.z += 0.002f * (float)frame;
    for (int n = 0; n < TUBES; n++) {
      cloth_move_collider(tubes[n].sheet, 0, NULL, &pose);
      CHECK(cloth_step(tubes[n].sheet, FRAME) >= CLOTH_OK, "a step");
    }
    for (int i = 0; i < tubes[0].count; i++) {
      for (int n = 1; n < TUBES; n++) {
        int other = i - i % columns + (i - shifts[n] + columns) % columns;
        most = fmax(most, point_distance(position_of(tubes[0].sheet, i), position_of(tubes[n].sheet, other)));
      }
    }
  }
  cloth_get_statistics(tubes[0].sheet, &st);
  CHECK(st.contacts > 0, "scheme %d: the ball does not touch", scheme);
  const double limits[] = {DRIFT, SOLVED_DRIFT, UNSOLVED_DRIFT};
  CHECK(most < limits[scheme < TUBE_LIMITED ? scheme : TUBE_LIMITED], "scheme %d, %d columns: %g m between seams",
        scheme, columns, most);
  for (int n = 0; n < TUBES; n++)
    fixture_free(&tubes[n]);
}

/* A crumpled tube with maps, `shift` columns further round, after a step. */
static fixture crumpled_tube(int columns, int scheme, int shift) {
  enum { ROWS = 11, MOST = 32 * ROWS };
  random_source source = {(uint64_t)columns};
  cloth_config config = tube_config(columns, ROWS, scheme);
  cloth_vector places[MOST], velocities[MOST];
  float masses[MOST], stiffness[MOST];
  fixture s = fixture_make(&config);
  for (int i = 0; i < s.count; i++) {
    int to = i - i % columns + (i % columns + shift) % columns;
    point p = position_of(s.sheet, i);
    places[to] = vector_at(p.x + random_real(&source, -0.01, 0.01), p.y + random_real(&source, -0.01, 0.01),
                           p.z + random_real(&source, -0.01, 0.01));
    velocities[to] = vector_at(random_real(&source, -1.0, 1.0), random_real(&source, -1.0, 1.0), 0.5);
    masses[to] = (float)random_real(&source, 0.5, 2.0);
    stiffness[to] = (float)random_real(&source, 0.5, 2.0);
  }
  fixture_free(&s);
  config.grid.positions = places;
  config.grid.mass_map = masses;
  config.grid.stiffness_map = stiffness;
  s = fixture_make(&config);
  for (int i = 0; i < s.count; i++)
    cloth_set_particle(s.sheet, i, places[i], velocities[i]);
  cloth_pin(s.sheet, shift % columns);
  cloth_pin(s.sheet, 3 * columns + (columns - 1 + shift) % columns);
  CHECK(cloth_step(s.sheet, 0.1f * FRAME) >= CLOTH_OK, "scheme %d: a step", scheme);
  return s;
}

/* However crumpled a tube is, after a step no particle tells where the seam was. */
static void expect_tube_step(int columns, int scheme) {
  fixture s = crumpled_tube(columns, scheme, 0);
  for (int shift = 1; shift < columns; shift += 1 + columns / 6) {
    fixture t = crumpled_tube(columns, scheme, shift);
    double most = 0.0;
    for (int i = 0; i < s.count; i++) {
      int to = i - i % columns + (i % columns + shift) % columns;
      most = fmax(most, point_distance(position_of(s.sheet, i), position_of(t.sheet, to)));
    }
    CHECK(most < (scheme <= TUBE_IMPLICIT ? 1e-5 : UNSOLVED_STEP), "scheme %d, %d columns, shifted by %d: %g m apart",
          scheme, columns, shift, most);
    fixture_free(&t);
  }
  fixture_free(&s);
}

/* Every preconditioner solves a tube, and coarser grids in fewer iterations. */
static void test_tube_solves(void) {
  int iterations[CLOTH_PRECONDITIONER_MULTILEVEL + 1];
  for (int p = 0; p <= CLOTH_PRECONDITIONER_MULTILEVEL; p++) {
    cloth_config config = tube_config(32, 32, TUBE_IMPLICIT);
    config.solver.preconditioner = (int32_t)p;
    config.solver.max_iterations = 400;
    config.solver.tolerance = 1e-3f;
    config.substeps = 2;
    fixture s = fixture_make(&config);
    cloth_statistics st;
    pin_ring(&s);
    iterations[p] = 0;
    for (int frame = 0; frame < 20; frame++) {
      CHECK(cloth_step(s.sheet, FRAME) == CLOTH_OK, "a step");
      cloth_get_statistics(s.sheet, &st);
      CHECK(st.max_substep_iterations < config.solver.max_iterations, "preconditioner %d: a substep was cut short", p);
      iterations[p] += st.iterations;
    }
    fixture_free(&s);
  }
  CHECK(4 * iterations[CLOTH_PRECONDITIONER_MULTILEVEL] < 3 * iterations[CLOTH_PRECONDITIONER_BLOCK] &&
            iterations[CLOTH_PRECONDITIONER_BLOCK] <= iterations[CLOTH_PRECONDITIONER_NONE],
        "%d iterations with blocks, %d with coarser grids, %d without either", iterations[CLOTH_PRECONDITIONER_BLOCK],
        iterations[CLOTH_PRECONDITIONER_MULTILEVEL], iterations[CLOTH_PRECONDITIONER_NONE]);
}

/* Where a loop of 2 m around a bar of radius 0.1 m is, so far from its top. */
static point loop_place(double way) {
  const double radius = 0.1, quarter = 0.5 * acos(-1.0) * radius, side = way < 0.0 ? -1.0 : 1.0;
  double down = fmax(fabs(way) - quarter, 0.0), left = fmin((1.0 - fabs(way)) / radius, 1.0);
  point round = {radius * sin(way / radius), radius * cos(way / radius), 0.0};
  point straight = {side * radius * left, -down, 0.0};
  return fabs(way) < quarter ? round : straight;
}

/* The mean strain, and the largest, of the warp springs of a belt, or of a strip as long, that hangs over a bar. */
static void hang_over_bar(int wrap, int scheme, double *mean, double *largest) {
  enum { CELLS = 40, ROWS = 9, MOST = (CELLS + 1) * ROWS };
  cloth_config config = cloth_config_default();
  cloth_vector places[MOST];
  use_scheme(&config, scheme);
  config.grid.wrap = wrap;
  config.columns = wrap ? CELLS : CELLS + 1;
  config.rows = ROWS;
  config.edge_warp = vector_at(2.0, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, 0.4);
  config.integration.velocity_damping = 2.0f;
  config.max_colliders = 1;
  for (int i = 0; i < config.columns * ROWS; i++) {
    point p = loop_place(2.0 * (i % config.columns) / CELLS - 1.0);
    p.z = 0.05 * (i / config.columns) - 0.2;
    places[i] = vector_of(p);
  }
  config.grid.positions = places;
  fixture s = fixture_make(&config);
  cloth_collider bar = cloth_collider_default();
  bar.shape = CLOTH_SHAPE_CAPSULE;
  bar.radius = bar.radius_top = 0.09f;
  bar.half_height = 1.0f;
  bar.pose.rotation = rotation_about((point){1.0, 0.0, 0.0}, 0.5 * acos(-1.0));
  bar.static_friction = bar.kinetic_friction = 1.0f;
  cloth_add_collider(s.sheet, &bar);
  CHECK(run_steps(s.sheet, 150, FRAME) >= CLOTH_OK, "belt");
  *mean = *largest = 0.0;
  for (int i = 0; i < CELLS * ROWS; i++) {
    int row = i / CELLS, column = i % CELLS;
    point from = position_of(s.sheet, fixture_particle(&s, column, row));
    point to = position_of(s.sheet, fixture_particle(&s, (column + 1) % s.columns, row));
    double strain = 0.5 * CELLS * point_distance(from, to) - 1.0;
    *mean += fmax(strain, 0.0) / (CELLS * ROWS);
    *largest = fmax(*largest, strain);
  }
  fixture_free(&s);
}

static void test_belt(void) {
  const int scheme = tested_tube;
  double mean, largest, strip, strip_largest;
  hang_over_bar(1, scheme, &mean, &largest);
  hang_over_bar(0, scheme, &strip, &strip_largest);
  CHECK(mean < 2.5 * strip + 1e-3 && mean > 0.25 * strip, "scheme %d: a belt stretches by %g, a strip by %g", scheme,
        mean, strip);
  CHECK(largest < 2.5 * strip_largest + 5e-3, "scheme %d: at most by %g, a strip by %g", scheme, largest,
        strip_largest);
}

/* A tube gathered at its waist comes to rest like a sheet, and what it says of its velocity is what it does. */
static void test_gathered_tube_rests(void) {
  cloth_config config = cloth_config_default();
  config.grid.wrap = 1;
  config.columns = 30;
  config.rows = 12;
  config.edge_warp = vector_at(1.3, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, -0.46, 0.0);
  config.substeps = 8;
  config.integration.bdf2_blend = 0.8f;
  config.integration.velocity_damping = 0.5f;
  config.sleep.speed = 0.05f;
  cloth_fabric_preset(CLOTH_FABRIC_COTTON, &config.fabric);
  fixture s = fixture_make(&config);
  for (int i = 0; i < s.count; i++) {
    point p = position_of(s.sheet, i);
    cloth_set_particle(s.sheet, i, vector_at(0.75 * p.x, p.y, 0.75 * p.z), vector_at(0.0, 0.0, 0.0));
    if (i < 30) cloth_pin(s.sheet, i);
  }
  int step = 0;
  while (step < 1800 && cloth_is_asleep(s.sheet) == 0) {
    cloth_step(s.sheet, FRAME);
    step++;
  }
  CHECK(cloth_is_asleep(s.sheet) == 1, "awake after %d steps", step);
  fixture_free(&s);
}

/* The nearest pin may be nearer across the seam, and a tether there is only so long. */
static void test_tube_tethers(void) {
  cloth_config config = tube_config(12, 5, TUBE_PROJECTED);
  config.tethers.count = 1;
  fixture s = fixture_make(&config);
  const int pins[] = {1, 6};
  cloth_pin(s.sheet, pins[0]);
  cloth_pin(s.sheet, pins[1]);
  run_steps(s.sheet, 1, FRAME);
  for (int i = 0; i < s.count; i++) {
    int near_first = abs((i % 12 - 1 + 18) % 12 - 6), near_second = abs((i % 12 - 6 + 18) % 12 - 6);
    int expected = near_first < near_second ? pins[0] : pins[1], pin = tether_of(&s, i, 0);
    CHECK(pin == expected || near_first == near_second, "particle %d is tied to %d", i, pin);
  }
  run_steps(s.sheet, 60, FRAME);
  double way = point_distance(position_of(s.sheet, 11 + 4 * 12), position_of(s.sheet, 1));
  CHECK(way < 1.01 * hypot(0.5, 2.0 * 1.0 / 12.0), "%g m from its pin", way);
  fixture_free(&s);
}

/* Measures go round: a tube widened by a tenth has all its warp springs stretched by that. */
static void test_tube_measures(void) {
  cloth_config config = tube_config(16, 9, TUBE_IMPLICIT);
  fixture s = fixture_make(&config);
  cloth_measures m;
  CHECK(cloth_measure(s.sheet, &m) == CLOTH_OK && fabs((double)m.max_stretch) < 1e-5, "measures of a tube at rest");
  for (int i = 0; i < s.count; i++) {
    point p = position_of(s.sheet, i), wide = {1.1 * p.x, p.y, 1.1 * p.z};
    cloth_set_particle(s.sheet, i, vector_of(wide), vector_at(0.0, 0.0, 0.0));
  }
  cloth_measure(s.sheet, &m);
  double share = 16.0 * 9.0 / (16.0 * 9.0 + 16.0 * 8.0);
  CHECK(fabs((double)m.max_stretch - 0.1) < 1e-5, "largest strain %g", (double)m.max_stretch);
  CHECK(fabs((double)m.rms_stretch - 0.1 * sqrt(share)) < 1e-5, "root mean square %g", (double)m.rms_stretch);
  double mass = particle_mass(&s, 40) * s.count;
  CHECK(fabs(mass - 0.1) < 1e-4, "0.5 m^2 of 0.2 kg/m^2 are %g kg", mass);
  fixture_free(&s);
}

static void test_tube_symmetry(void) {
  expect_tube_symmetry(16, tested_tube);
  expect_tube_symmetry(21, tested_tube);
  expect_tube_symmetry(5, tested_tube);
  expect_tube_symmetry(3, tested_tube);
}

static void test_tube_seam(void) {
  expect_tube_seam(16, tested_tube);
  expect_tube_seam(21, tested_tube);
}

static void test_tube_step(void) {
  expect_tube_step(16, tested_tube);
  expect_tube_step(9, tested_tube);
  expect_tube_step(5, tested_tube);
  expect_tube_step(4, tested_tube);
  expect_tube_step(3, tested_tube);
}

static const test tests[] = {
    TEST_EACH(every_scheme, tube_symmetry),
    TEST_EACH(every_scheme, tube_seam),
    TEST_EACH(every_scheme, tube_step),
    TEST_EACH(every_scheme, belt),
    TEST(tube_solves),
    TEST(tube_tethers),
    TEST(gathered_tube_rests),
    TEST(tube_measures),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
