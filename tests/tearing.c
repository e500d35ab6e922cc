/* Tearing: a strip that is pulled slowly tears near its limit, in every tier; what comes off falls with g and keeps its
   momentum; a state goes back over a tear to the same hash; torn cells are drawn without gaps or stretched triangles;
   cuts, pins that rip off, bounds, refusals, saves that hold what no tear makes. SPDX-License-Identifier: MIT */
#include "support.h"

#define COLUMNS 8
#define ROWS 16
#define SPACING 0.02

enum { TIER_28, TIER_16, TIER_10, TIER_8, TIER_4, TIER_IMEX, TIER_IMEX_4, TIERS };
static int tested_tier;

static const char *tier_name(int number) {
  static const char *const names[] = {"28 substeps", "16 substeps", "10 substeps",     "8 substeps",
                                      "4 substeps",  "IMEX",        "IMEX, 4 substeps"};
  return names[number];
}

static void select_tier(int number) {
  tested_tier = number;
}

static const test_cases all_tiers = {TIER_10, TIERS - TIER_10, tier_name, select_tier};

static void set_grid(cloth_config *config, int columns, int rows) {
  config->columns = columns;
  config->rows = rows;
  config->edge_warp = vector_at(SPACING * (columns - 1), 0.0, 0.0);
  config->edge_weft = vector_at(0.0, -SPACING * (rows - 1), 0.0);
}

static cloth_config strip_config(int tier) {
  static const int substeps[] = {28, 16, 10, 8, 4, 0, 4};
  cloth_config config = cloth_config_default();
  if (tier >= TIER_IMEX) CHECK(cloth_config_use_imex(&config) == CLOTH_OK, "imex");
  if (tier != TIER_IMEX) config.substeps = substeps[tier];
  set_grid(&config, COLUMNS, ROWS);
  cloth_fabric_preset(CLOTH_FABRIC_COTTON, &config.fabric);
  config.tearing.max_breaks = 64;
  return config;
}

static void pin_ends(const fixture *s, double speed) {
  for (int column = 0; column < s->columns; column++) {
    const int end = s->count - s->columns + column;
    CHECK(cloth_pin(s->sheet, column) == CLOTH_OK && cloth_pin(s->sheet, end) == CLOTH_OK, "pins");
    CHECK(cloth_set_pin_velocity(s->sheet, end, vector_at(0.0, -speed, 0.0)) == CLOTH_OK, "pull");
  }
}

static double length_of(const fixture *s) {
  return SPACING * (s->count / s->columns - 1);
}

/* Steps until a thread breaks. Returns the strain between the pins then, or 0. */
static double pull_until_torn(const fixture *s, int frames) {
  const int end = s->count - s->columns;
  for (int frame = 0; frame < frames; frame++) {
    CHECK(cloth_step(s->sheet, FRAME) >= 0, "step");
    if (read_statistics(s->sheet).threads_torn > 0)
      return point_distance(position_of(s->sheet, 0), position_of(s->sheet, end)) / length_of(s) - 1.0;
  }
  return 0.0;
}

/* Pulled slowly it tears where its strain is the limit, narrow or wide. */
static void test_limit(void) {
  const double limit = 0.05;
  for (int is_wide = 0; is_wide < 2; is_wide++) {
    cloth_config config = strip_config(tested_tier);
    if (is_wide) set_grid(&config, 20, 24);
    config.tearing.strain = (float)limit;
    fixture s = fixture_make(&config);
    pin_ends(&s, limit * length_of(&s));
    const double torn = pull_until_torn(&s, 120);
    CHECK(fabs(torn / limit - 1.0) < 0.1, "%d columns: torn at %.4f of %.4f", s.columns, torn, limit);
    double strain = 0.0; /* mean over frames: torn ends whip */
    for (int frame = 0; frame < 30; frame++) {
      cloth_measures measures;
      CHECK(cloth_step(s.sheet, FRAME) >= 0 && all_finite(s.sheet), "step");
      cloth_measure(s.sheet, &measures);
      strain += frame < 10 ? 0.0 : (double)measures.rms_stretch / 20.0;
    }
    CHECK(strain < 0.2 * limit, "it is still strained by %g", strain);
    fixture_free(&s);
  }
}

/* Pulled at 1 m/s it tears in the frame in which its strain passes the limit. Its parts have the velocities of an even
   strain from the start, so that no wave runs through it. */
static void test_fast(void) {
  const double limit = 0.05;
  cloth_config config = strip_config(tested_tier);
  set_grid(&config, 8, 48);
  config.tearing.strain = (float)limit;
  fixture s = fixture_make(&config);
  pin_ends(&s, 1.0);
  for (int i = COLUMNS; i < s.count - COLUMNS; i++)
    cloth_set_particle(s.sheet, i, vector_of(position_of(s.sheet, i)), vector_at(0.0, -(i / COLUMNS) / 47.0, 0.0));
  const double torn = pull_until_torn(&s, 10), frame = (double)FRAME / length_of(&s);
  CHECK(torn > 0.9 * limit && torn - frame < 1.1 * limit, "torn in the frame from a strain of %.4f to %.4f",
        torn - frame, torn);
  fixture_free(&s);
}

/* A band of half the stiffness bears the tension of the rest at twice the strain: it tears when that is the limit. */
static void test_soft_band(void) {
  static float map[COLUMNS * ROWS];
  const double limit = 0.05;
  cloth_config config = strip_config(tested_tier);
  for (int i = 0; i < COLUMNS * ROWS; i++)
    map[i] = i / COLUMNS >= 6 && i / COLUMNS <= 9 ? 0.5f : 1.0f;
  config.grid.stiffness_map = map;
  config.tearing.strain = (float)limit;
  fixture s = fixture_make(&config);
  pin_ends(&s, limit * length_of(&s));
  const double torn = pull_until_torn(&s, 120);
  /* Compliances over that of a whole thread: 10 of 1, 2 of 1 / 0.75, 3 of 2. */
  const double expected = limit * (10.0 + 2.0 / 0.75 + 3.0 * 2.0) / (2.0 * (ROWS - 1));
  CHECK(fabs(torn / expected - 1.0) < 0.1, "torn at %.4f, not %.4f", torn, expected);
  fixture_free(&s);
}

/// Clamped sheets ///

/* Clamped sheets do not strain evenly: the default fabric cannot become narrower at the clamps, and its corners bear
   more than the mean. A thread breaks by the mean strain of the threads around it, so that is what has to be the limit:
   the largest of any thread in a sheet that is pulled as far, with substeps so short that more change nothing. */
#define CLAMPED_COLUMNS 20
#define CLAMPED_ROWS 24
#define CONVERGED 112
#define NEVER 100.0 /* strain at which nothing tears, and to which no tether holds */

static fixture clamp_sheet(int fabric, double limit, int substeps, double speed) {
  cloth_config config = cloth_config_default();
  set_grid(&config, CLAMPED_COLUMNS, CLAMPED_ROWS);
  if (fabric >= 0) cloth_fabric_preset((cloth_fabric_kind)fabric, &config.fabric);
  config.gravity = vector_at(0.0, 0.0, 0.0);
  config.substeps = substeps;
  config.tearing.max_breaks = 64;
  config.tearing.strain = (float)limit;
  fixture s = fixture_make(&config);
  pin_ends(&s, speed);
  return s;
}

/* The largest strain of any thread under the mean of it and two on either side, the outer ones with half their weight;
   fewer beside clamps. */
static double largest_gauge(const fixture *s) {
  static const double weights[] = {0.5, 1.0, 1.0, 1.0, 0.5};
  double largest = 0.0;
  for (int i = 0; i + s->columns < s->count; i++) {
    double strain = 0.0, sum = 0.0;
    for (int n = 0; n < 5; n++) {
      const int from = i + (n - 2) * s->columns;
      if (from >= 0 && from + s->columns < s->count) {
        const double length = point_distance(position_of(s->sheet, from), position_of(s->sheet, from + s->columns));
        strain += weights[n] * (length / SPACING - 1.0);
        sum += weights[n];
      }
    }
    largest = fmax(largest, strain / sum);
  }
  return largest;
}

static void test_clamped(void) {
  static const struct {
    int fabric, substeps;
    double limit;
  } cases[] = {{-1, 28, 0.05},
               {-1, 28, 0.2},
               {-1, 16, 0.2},
               {-1, 8, 0.1},
               {-1, 4, 0.1},
               {CLOTH_FABRIC_COTTON, 28, 0.2},
               {CLOTH_FABRIC_COTTON, 16, 0.2},
               {CLOTH_FABRIC_COTTON, 8, 0.1}};
  for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
    const double limit = cases[n].limit;
    fixture s = clamp_sheet(cases[n].fabric, limit, cases[n].substeps, 0.5 * limit * SPACING * (CLAMPED_ROWS - 1));
    const double torn = pull_until_torn(&s, 180);
    fixture_free(&s);
    s = clamp_sheet(cases[n].fabric, NEVER, CONVERGED, 2.0 * torn * SPACING * (CLAMPED_ROWS - 1));
    CHECK(run_steps(s.sheet, 30, FRAME) >= 0, "pull");
    const double strain = largest_gauge(&s);
    CHECK(strain > 0.9 * limit && strain < 1.15 * limit,
          "fabric %d, %d substeps: torn at a mean strain of %.4f, where the largest is %.4f in place of %.4f",
          cases[n].fabric, cases[n].substeps, torn, strain, limit);
    fixture_free(&s);
  }
}

/* Rings of a tube that is blown up, with nothing that holds them, tear beyond the limit of strain and not below. */
static void test_ring(void) {
  const double limit = 0.1;
  for (int beyond = 0; beyond < 2; beyond++) {
    cloth_config config = strip_config(TIER_28);
    config.grid.wrap = 1;
    config.fabric.stretch_warp = 20.0f; /* soft, so that it is as wide for some substeps */
    config.gravity = vector_at(0.0, 0.0, 0.0);
    config.tearing.strain = (float)limit;
    fixture s = fixture_make(&config);
    const point first = position_of(s.sheet, 0), opposite = position_of(s.sheet, COLUMNS / 2);
    const point centre = {0.5 * (first.x + opposite.x), 0.0, 0.5 * (first.z + opposite.z)};
    const double by = 1.0 + limit * (beyond ? 1.5 : 0.9);
    for (int i = 0; i < s.count; i++) {
      const point p = position_of(s.sheet, i);
      cloth_set_particle(s.sheet, i, vector_at(centre.x + by * (p.x - centre.x), p.y, centre.z + by * (p.z - centre.z)),
                         vector_at(0.0, 0.0, 0.0));
    }
    int torn = 0;
    for (int frame = 0; frame < 10; frame++) {
      CHECK(cloth_step(s.sheet, FRAME) >= 0, "step");
      torn += read_statistics(s.sheet).threads_torn;
    }
    CHECK((torn > 0) == beyond, "%d threads of a tube %g times as wide", torn, by);
    fixture_free(&s);
  }
}

/* Without a limit nothing breaks, and a weak row of a map breaks first. */
static void test_map(void) {
  static float map[COLUMNS * ROWS];
  cloth_config config = strip_config(TIER_28);
  fixture s = fixture_make(&config);
  pin_ends(&s, 0.1 * SPACING * (ROWS - 1));
  CHECK(pull_until_torn(&s, 60) == 0.0, "torn without a limit");
  fixture_free(&s);
  for (int i = 0; i < COLUMNS * ROWS; i++)
    map[i] = i / COLUMNS == 5 || i / COLUMNS == 6 ? 0.5f : 1.0f;
  config.tearing.map = map;
  config.tearing.strain = 0.06f;
  s = fixture_make(&config);
  pin_ends(&s, 0.05 * SPACING * (ROWS - 1));
  const double torn = pull_until_torn(&s, 90);
  CHECK(fabs(torn / 0.03 - 1.0) < 0.15, "torn at %.4f", torn);
  CHECK(run_steps(s.sheet, 10, FRAME) >= 0, "steps");
  const double gap = point_distance(position_of(s.sheet, fixture_particle(&s, 3, 5)),
                                    position_of(s.sheet, fixture_particle(&s, 3, 6)));
  CHECK(gap > 1.1 * SPACING, "the weak row is %g m wide", gap);
  fixture_free(&s);
}

/// Cuts ///

static int cut_across(const fixture *s, double row) {
  const cloth_cut_line cut = {-0.5f, (float)row, (float)COLUMNS, (float)row + 0.1f};
  return cloth_cut(s->sheet, &cut);
}

/* Cut into single particles it has no spring left to measure. */
static void test_cut_up(void) {
  cloth_config config = strip_config(TIER_28);
  fixture s = fixture_make(&config);
  cloth_measures measures;
  for (int row = 0; row < ROWS - 1; row++)
    CHECK(cut_across(&s, row + 0.45) == COLUMNS, "row %d", row);
  for (int column = 0; column < COLUMNS - 1; column++) {
    const cloth_cut_line cut = {(float)column + 0.5f, -0.5f, (float)column + 0.5f, (float)ROWS};
    CHECK(cloth_cut(s.sheet, &cut) == ROWS, "column %d", column);
  }
  CHECK(run_steps(s.sheet, 10, FRAME) >= 0 && all_finite(s.sheet), "steps");
  CHECK(cloth_measure(s.sheet, &measures) == CLOTH_OK, "measure");
  CHECK(measures.max_stretch == 0.0f && measures.rms_stretch == 0.0f, "stretch of what has no spring");
  fixture_free(&s);
}

/* A strip that is cut in one way after the other, and its state before. */
typedef struct cut_strip {
  fixture s;
  unsigned char *save;
  size_t bytes;
} cut_strip;

static cut_strip make_cut_strip(void) {
  const cloth_config config = strip_config(TIER_28);
  cut_strip t = {.s = fixture_make(&config)};
  cloth_memory memory;
  cloth_get_memory(t.s.sheet, &memory);
  t.bytes = memory.saved_bytes;
  t.save = malloc(t.bytes);
  CHECK(cloth_save(t.s.sheet, t.save, t.bytes) == CLOTH_OK, "save");
  return t;
}

static void free_cut_strip(cut_strip *t) {
  free(t->save);
  fixture_free(&t->s);
}

/* Cuts the whole strip. Returns how many threads broke; *hash is that of the state. */
static int cut_whole(const cut_strip *t, cloth_cut_line cut, uint64_t *hash) {
  CHECK(cloth_load(t->s.sheet, t->save, t->bytes) == CLOTH_OK, "load");
  const int count = cloth_cut(t->s.sheet, &cut);
  *hash = read_hash(t->s.sheet);
  return count;
}

static int first_of(const int *label, int i) {
  while (label[i] != i)
    i = label[i];
  return i;
}

/* Pieces that threads hold together, each of which is tried by a short cut: that breaks it if it is whole. */
static int count_pieces(const cut_strip *t) {
  int label[COLUMNS * ROWS], pieces = COLUMNS * ROWS;
  for (int i = 0; i < COLUMNS * ROWS; i++)
    label[i] = i;
  for (int i = 0; i < COLUMNS * ROWS; i++) {
    for (int is_weft = 0; is_weft < 2; is_weft++) {
      const int column = i % COLUMNS, row = i / COLUMNS, j = i + (is_weft ? COLUMNS : 1);
      if (is_weft ? row + 1 == ROWS : column + 1 == COLUMNS) continue;
      const float u = (float)column + 0.5f * (float)!is_weft, v = (float)row + 0.5f * (float)is_weft;
      const float half_u = is_weft ? 0.25f : 0.0f, half_v = is_weft ? 0.0f : 0.25f;
      const cloth_cut_line across = {u - half_u, v - half_v, u + half_u, v + half_v};
      const int is_whole = cloth_cut(t->s.sheet, &across), a = first_of(label, i), b = first_of(label, j);
      if (is_whole && a != b) {
        label[a > b ? a : b] = a > b ? b : a;
        pieces--;
      }
    }
  }
  return pieces;
}

/* A line from beyond the strip to beyond it parts it in two, if it cuts at all; its reverse cuts the same. */
static void check_parts(const cut_strip *t, float column, float row, float end_column, float end_row) {
  uint64_t hash, reverse;
  const int back = cut_whole(t, (cloth_cut_line){end_column, end_row, column, row}, &reverse);
  const int count = cut_whole(t, (cloth_cut_line){column, row, end_column, end_row}, &hash);
  CHECK(hash == reverse && back == count, "(%g, %g) to (%g, %g): %d threads, reversed %d", (double)column, (double)row,
        (double)end_column, (double)end_row, count, back);
  const int pieces = count_pieces(t);
  CHECK(pieces == (count > 0 ? 2 : 1), "(%g, %g) to (%g, %g): %d threads, %d pieces", (double)column, (double)row,
        (double)end_column, (double)end_row, count, pieces);
}

/* Lines through particles, in every slope: between whole places on two borders, whose crossings round, and through two
   particles each. */
static void test_cut_parts(void) {
  cut_strip t = make_cut_strip();
  for (int i = -1; i <= COLUMNS; i++)
    for (int j = -1; j <= COLUMNS; j++)
      check_parts(&t, (float)i, -1.0f, (float)j, (float)ROWS);
  for (int i = -1; i <= ROWS; i++)
    for (int j = -1; j <= ROWS; j++)
      check_parts(&t, -1.0f, (float)i, (float)COLUMNS, (float)j);
  for (int n = 0; n < 200; n++) {
    const int first = 37 * n % (COLUMNS * ROWS), way = 1 + 53 * n % (COLUMNS * ROWS - 1);
    const int second = (first + way) % (COLUMNS * ROWS);
    const float u = (float)(first % COLUMNS), v = (float)(first / COLUMNS);
    const float across = (float)(second % COLUMNS) - u, down = (float)(second / COLUMNS) - v;
    check_parts(&t, u - 17.3f * across, v - 17.3f * down, u + 18.1f * across, v + 18.1f * down);
  }
  free_cut_strip(&t);
}

/* Two cuts that meet in a line of particles cut what one does, and none of its threads twice. */
static void test_cut_ends(void) {
  cut_strip t = make_cut_strip();
  uint64_t hash;
  CHECK(cut_whole(&t, (cloth_cut_line){3.5f, -1.0f, 3.5f, 5.0f}, &hash) == 6, "rows 0 to 5");
  CHECK(cut_whole(&t, (cloth_cut_line){3.5f, 5.0f, 3.5f, 16.0f}, &hash) == ROWS - 6, "rows from 6 on");
  CHECK(cut_whole(&t, (cloth_cut_line){3.5f, 5.0f, 3.5f, 8.0f}, &hash) == 3, "rows 6 to 8");
  CHECK(cut_whole(&t, (cloth_cut_line){-1.0f, 7.5f, 2.0f, 7.5f}, &hash) == 3, "columns 0 to 2");
  CHECK(cut_whole(&t, (cloth_cut_line){2.0f, 7.5f, 9.0f, 7.5f}, &hash) == COLUMNS - 3, "columns from 3 on");
  CHECK(cut_whole(&t, (cloth_cut_line){2.0f, 7.0f, 2.0f, 7.0f}, &hash) == 0, "a point");
  free_cut_strip(&t);
}

/* Exactly through a line of particles each lies before the cut: above it, or to its left. */
static void test_cut_through(void) {
  cut_strip t = make_cut_strip();
  uint64_t through, behind;
  CHECK(cut_whole(&t, (cloth_cut_line){-1.0f, 7.0f, 9.0f, 7.0f}, &through) == COLUMNS, "row 7");
  CHECK(cut_whole(&t, (cloth_cut_line){-1.0f, 7.5f, 9.0f, 7.5f}, &behind) == COLUMNS, "row 7.5");
  CHECK(through == behind, "a cut through row 7 is not one behind it");
  CHECK(cut_whole(&t, (cloth_cut_line){4.0f, 16.0f, 4.0f, -1.0f}, &through) == ROWS, "column 4");
  CHECK(cut_whole(&t, (cloth_cut_line){4.5f, 16.0f, 4.5f, -1.0f}, &behind) == ROWS, "column 4.5");
  CHECK(through == behind, "a cut through column 4 is not one behind it");
  free_cut_strip(&t);
}

static void test_cut(void) {
  cloth_config config = strip_config(tested_tier);
  config.air.density = 0.0f;
  config.integration.velocity_damping = 0.0f;
  fixture s = fixture_make(&config);
  for (int column = 0; column < COLUMNS; column++)
    CHECK(cloth_pin(s.sheet, column) == CLOTH_OK, "pin");
  CHECK(run_steps(s.sheet, 20, FRAME) >= 0, "steps");
  CHECK(cut_across(&s, 7.4) == COLUMNS, "cut");
  CHECK(cut_across(&s, 7.4) == 0, "cut again");
  const double before = velocity_of(s.sheet, fixture_particle(&s, 3, 12)).y;
  CHECK(run_steps(s.sheet, 30, FRAME) >= 0, "steps");
  const point v = velocity_of(s.sheet, fixture_particle(&s, 3, 12));
  CHECK(fabs((v.y - before) / (-9.81 * 0.5) - 1.0) < 0.01, "it falls at %g m/s", v.y);
  CHECK(fabs(velocity_of(s.sheet, fixture_particle(&s, 3, 4)).y) < 0.05, "the rest hangs");
  const double fallen =
      position_of(s.sheet, fixture_particle(&s, 3, 7)).y - position_of(s.sheet, fixture_particle(&s, 3, 8)).y;
  CHECK(fallen > 1.0, "%g m apart", fallen);
  fixture_free(&s);
}

/* A free sheet in two pieces keeps its momentum, and the pieces theirs. */
static void test_momentum(void) {
  cloth_config config = strip_config(tested_tier);
  config.air.density = 0.0f;
  config.gravity = vector_at(0.0, 0.0, 0.0);
  config.integration.velocity_damping = config.integration.rest_drag = 0.0f;
  fixture s = fixture_make(&config);
  for (int i = 0; i < COLUMNS * ROWS; i++)
    cloth_set_particle(s.sheet, i, vector_of(position_of(s.sheet, i)),
                       vector_at(0.3 * sin(i), 0.0, i / COLUMNS < 8 ? 1.0 : -1.0));
  CHECK(cut_across(&s, 7.4) == COLUMNS, "cut");
  double before[2] = {0.0, 0.0}, after[2] = {0.0, 0.0};
  for (int i = 0; i < COLUMNS * ROWS; i++)
    before[i / COLUMNS >= 8] += velocity_of(s.sheet, i).z;
  CHECK(run_steps(s.sheet, 30, FRAME) >= 0, "steps");
  for (int i = 0; i < COLUMNS * ROWS; i++)
    after[i / COLUMNS >= 8] += velocity_of(s.sheet, i).z;
  for (int n = 0; n < 2; n++)
    CHECK(fabs(after[n] - before[n]) < 2.0e-3 * fabs(before[n]), "piece %d: %g, then %g", n, before[n], after[n]);
  fixture_free(&s);
}

/* Hung by two corners, with a slit from one side that leaves a flap hanging at its tip: a mask or a cut. */
enum { MASKED_SLIT, STRAIGHT_CUT, SLANTING_CUT };
#define SLIT_COLUMNS 25
#define SLIT_ROWS 19

static fixture hang_with_slit(int slit, int substeps) {
  static uint8_t mask[(SLIT_COLUMNS - 1) * (SLIT_ROWS - 1)];
  const cloth_cut_line straight = {-1.0f, 8.5f, 15.5f, 8.5f}, slanting = {-1.0f, 5.2f, 15.3f, 11.1f};
  cloth_config config = cloth_config_default();
  config.columns = SLIT_COLUMNS;
  config.rows = SLIT_ROWS;
  config.edge_weft = vector_at(0.0, -0.75, 0.0);
  config.substeps = substeps;
  for (int n = 0; n < (SLIT_COLUMNS - 1) * (SLIT_ROWS - 1); n++)
    mask[n] = n / (SLIT_COLUMNS - 1) != 8 || n % (SLIT_COLUMNS - 1) >= 16;
  config.grid.cell_mask = slit == MASKED_SLIT ? mask : NULL;
  config.tearing.max_breaks = slit >= STRAIGHT_CUT ? 64 : 0;
  fixture s = fixture_make(&config);
  CHECK(cloth_pin(s.sheet, 0) == CLOTH_OK && cloth_pin(s.sheet, SLIT_COLUMNS - 1) == CLOTH_OK, "pins");
  CHECK(slit < STRAIGHT_CUT || cloth_cut(s.sheet, slit == STRAIGHT_CUT ? &straight : &slanting) > 0, "cut");
  return s;
}

/* The largest stretch at rest, after ten seconds in which the energy of motion and height may only fall. */
static double slit_stretch(int slit, int substeps) {
  fixture s = hang_with_slit(slit, substeps);
  cloth_measures measures = {0};
  double least = 1.0e3, gained = 0.0;
  for (int frame = 0; frame < 600; frame++) {
    CHECK(cloth_step(s.sheet, FRAME) >= 0 && cloth_measure(s.sheet, &measures) == CLOTH_OK, "step");
    const double energy = (double)measures.kinetic_energy + (double)measures.potential_energy;
    gained = fmax(gained, energy - least);
    least = fmin(least, energy);
  }
  CHECK(gained < 0.015, "slit %d, %d substeps: it gains %g J of motion and height", slit, substeps, gained);
  fixture_free(&s);
  return (double)measures.max_stretch;
}

/* A cut stretches as a slit of a mask does; few substeps leave the springs at its tip too long. */
static void test_cut_stretch(void) {
  static const struct {
    int substeps;
    double masked, slanting; /* largest stretch that is known */
  } cases[] = {{4, 0.15, 0.20}, {8, 0.06, 0.06}};
  for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
    const int substeps = cases[n].substeps;
    const double masked = slit_stretch(MASKED_SLIT, substeps), straight = slit_stretch(STRAIGHT_CUT, substeps);
    const double slanting = slit_stretch(SLANTING_CUT, substeps);
    CHECK(masked < cases[n].masked, "%d substeps: a masked slit stretches by %.3f", substeps, masked);
    CHECK(straight < 1.1 * masked, "%d substeps: a cut stretches by %.3f, a masked slit by %.3f", substeps, straight,
          masked);
    CHECK(slanting < cases[n].slanting, "%d substeps: a slanting cut stretches by %.3f", substeps, slanting);
  }
}

/// Rollback ///

static void test_rollback(void) {
  cloth_config config = strip_config(tested_tier);
  config.tearing.strain = 0.03f;
  config.self_thickness = 0.005f;
  fixture s = fixture_make(&config);
  cloth_memory memory;
  cloth_get_memory(s.sheet, &memory);
  unsigned char *save = malloc(memory.saved_bytes), *image = malloc(memory.image_bytes);
  pin_ends(&s, 0.03 * SPACING * (ROWS - 1));
  CHECK(run_steps(s.sheet, 40, FRAME) >= 0, "steps");
  CHECK(cloth_save(s.sheet, save, memory.saved_bytes) == CLOTH_OK, "save");
  const uint64_t start = read_hash(s.sheet);
  CHECK(pull_until_torn(&s, 60) > 0.0, "it tears");
  CHECK(run_steps(s.sheet, 10, FRAME) >= 0, "steps");
  const uint64_t end = read_hash(s.sheet);
  CHECK(cloth_write_image(s.sheet, image, memory.image_bytes) == CLOTH_OK, "image");
  CHECK(cloth_load(s.sheet, save, memory.saved_bytes) == CLOTH_OK && read_hash(s.sheet) == start, "back");
  CHECK(pull_until_torn(&s, 60) > 0.0 && run_steps(s.sheet, 10, FRAME) >= 0, "again");
  CHECK(read_hash(s.sheet) == end, "another hash after the same tear");
  CHECK(cloth_load(s.sheet, save, memory.saved_bytes) == CLOTH_OK, "back");
  CHECK(cloth_read_image(s.sheet, image, memory.image_bytes) == CLOTH_OK && read_hash(s.sheet) == end, "image");
  free(save);
  free(image);
  fixture_free(&s);
}

/* A save whose bytes no tear makes is refused. */
static void test_save_content(void) {
  cloth_config config = strip_config(TIER_28);
  fixture s = fixture_make(&config);
  cloth_memory memory;
  cloth_get_memory(s.sheet, &memory);
  unsigned char *save = malloc(memory.saved_bytes);
  CHECK(cut_across(&s, 7.4) == COLUMNS, "cut");
  CHECK(cloth_save(s.sheet, save, memory.saved_bytes) == CLOTH_OK, "save");
  unsigned char *gaps = save + 5 * 4 + COLUMNS * ROWS; /* behind the header and the freedoms */
  int refused = 0, taken = 0;
  for (int i = 0; i < COLUMNS * ROWS + 4; i++)
    for (int bit = 0; bit < 8; bit++) {
      gaps[i] ^= (unsigned char)(1 << bit);
      const int result = cloth_load(s.sheet, save, memory.saved_bytes);
      refused += result == CLOTH_ERROR_IMAGE_CONTENT;
      taken += result == CLOTH_OK;
      gaps[i] ^= (unsigned char)(1 << bit);
    }
  CHECK(taken == 0 && refused + taken == 8 * (COLUMNS * ROWS + 4), "%d taken, %d refused", taken, refused);
  CHECK(cloth_load(s.sheet, save, memory.saved_bytes) == CLOTH_OK, "the save itself");
  free(save);
  fixture_free(&s);
}

/// Drawing ///

/* The area of all triangles, and the longest edge. */
static double drawn_area(const fixture *s, double *longest) {
  const int vertices = cloth_get_vertex_count(s->sheet), count = cloth_get_index_count(s->sheet);
  float *buffer = malloc(32 * (size_t)vertices);
  uint32_t *indices = malloc(sizeof(uint32_t) * (size_t)count);
  CHECK(cloth_write_vertices(s->sheet, &layout_usual, buffer, 32 * (size_t)vertices) == CLOTH_OK, "vertices");
  CHECK(cloth_write_vertices(s->sheet, &layout_usual, buffer, 32 * (size_t)vertices - 1) == CLOTH_ERROR_BUFFER, "room");
  CHECK(cloth_write_indices32(s->sheet, 0, indices, (size_t)count) == CLOTH_OK, "indices");
  double area = 0.0;
  int turned = 0;
  *longest = 0.0;
  for (int i = 0; i < count; i += 3) {
    point p[3];
    for (int n = 0; n < 3; n++) {
      const float *v = buffer + 8 * indices[i + n];
      p[n] = (point){(double)v[0], (double)v[1], (double)v[2]};
    }
    for (int n = 0; n < 3; n++)
      *longest = fmax(*longest, point_distance(p[n], p[(n + 1) % 3]));
    const point across = point_cross(point_difference(p[1], p[0]), point_difference(p[2], p[0]));
    turned += across.z > 0.0;
    area += 0.5 * point_length(across);
  }
  CHECK(turned == 0 || *longest > 0.1, "%d triangles are turned over", turned);
  free(buffer);
  free(indices);
  return area;
}

/* A sheet at rest looks whole after any cut: its pieces meet. What has moved apart is not bridged. */
static void test_drawing(void) {
  cloth_config config = strip_config(TIER_28);
  config.gravity = vector_at(0.0, 0.0, 0.0);
  config.grid.imperfection = 0.0f;
  fixture s = fixture_make(&config);
  const double whole = SPACING * SPACING * (COLUMNS - 1) * (ROWS - 1);
  double longest;
  CHECK(fabs(drawn_area(&s, &longest) / whole - 1.0) < 1.0e-5, "before");
  const cloth_cut_line slant = {1.3f, 1.2f, 5.6f, 9.7f};
  CHECK(cut_across(&s, 7.4) == COLUMNS && cloth_cut(s.sheet, &slant) > 8, "cuts");
  const double area = drawn_area(&s, &longest);
  CHECK(fabs(area / whole - 1.0) < 1.0e-4, "area %g of %g", area, whole);
  CHECK(longest < 1.42 * SPACING, "an edge of %g m", longest);
  for (int column = 0; column < COLUMNS; column++)
    cloth_pin(s.sheet, column);
  cloth_set_gravity(s.sheet, vector_at(0.0, -9.81, 0.0));
  CHECK(run_steps(s.sheet, 20, FRAME) >= 0, "steps");
  const double apart = drawn_area(&s, &longest);
  CHECK(fabs(apart / whole - 1.0) < 0.05, "area %g of %g", apart, whole);
  CHECK(longest < 1.6 * SPACING, "an edge of %g m", longest);
  fixture_free(&s);
}

/* What there is no room for is not drawn, and a note tells. */
static void test_room(void) {
  cloth_config config = strip_config(TIER_28);
  config.tearing.max_torn_cells = 3;
  fixture s = fixture_make(&config);
  const int whole = cloth_get_index_count(s.sheet);
  CHECK(cloth_get_vertex_count(s.sheet) == COLUMNS * ROWS + 3 * 12, "%d vertices", cloth_get_vertex_count(s.sheet));
  CHECK(cut_across(&s, 7.4) == COLUMNS, "cut");
  CHECK(cloth_get_index_count(s.sheet) == whole - 6 * (COLUMNS - 1) + 3 * 24, "%d indices of %d",
        cloth_get_index_count(s.sheet), whole);
  CHECK(cloth_step(s.sheet, FRAME) & CLOTH_NOTE_TORN_HIDDEN, "no note");
  double longest;
  CHECK(drawn_area(&s, &longest) > 0.0, "drawing");
  fixture_free(&s);
}

/// Bounds ///

/* No more threads break in a step than there may, a note tells of the others, and no step does more work than its
   bound. */
static void test_bounds(void) {
  cloth_config config = strip_config(tested_tier);
  config.tearing.strain = 0.02f;
  config.tearing.max_breaks = 3;
  fixture s = fixture_make(&config);
  pin_ends(&s, 0.5);
  int waited = 0, most = 0;
  uint64_t bound, config_bound;
  CHECK(cloth_config_work_bound(&config, FRAME, &config_bound) == CLOTH_OK, "bound");
  for (int frame = 0; frame < 20; frame++) {
    CHECK(cloth_get_work_bound(s.sheet, FRAME, &bound) == CLOTH_OK, "bound");
    const int notes = cloth_step(s.sheet, FRAME);
    const int torn = read_statistics(s.sheet).threads_torn;
    CHECK(notes >= 0 && torn <= 3, "%d threads", torn);
    CHECK(read_work(s.sheet) <= bound && bound <= config_bound, "work %g of %g of %g", (double)read_work(s.sheet),
          (double)bound, (double)config_bound);
    waited |= notes & CLOTH_NOTE_TEARS_WAIT;
    most = torn > most ? torn : most;
  }
  CHECK(most == 3 && waited, "most %d, notes %d", most, waited);
  fixture_free(&s);
}

/* A step with a deadline that has passed tears as its repetition does. */
static void test_deadline(void) {
  cloth_config config = strip_config(TIER_28);
  config.tearing.strain = 0.02f;
  config.strain_limit.max_extension = 0.1f;
  fixture a = fixture_make(&config), b = fixture_make(&config);
  pin_ends(&a, 0.3);
  pin_ends(&b, 0.3);
  int torn = 0;
  for (int frame = 0; frame < 15; frame++) {
    cloth_effort effort;
    CHECK(cloth_step_until(a.sheet, FRAME, 0, &effort) >= 0, "step");
    CHECK(cloth_step_again(b.sheet, FRAME, &effort) >= 0, "again");
    torn += read_statistics(a.sheet).threads_torn;
    CHECK(read_hash(a.sheet) == read_hash(b.sheet), "frame %d", frame);
  }
  CHECK(torn > 0, "nothing has torn");
  fixture_free(&a);
  fixture_free(&b);
}

/* A pin lets go at its force, not before. */
static void test_pins(void) {
  cloth_config config = strip_config(tested_tier);
  const double weight = (double)config.fabric.density * SPACING * SPACING * (COLUMNS - 1) * (ROWS - 1) * 9.81;
  for (int strong = 0; strong < 2; strong++) {
    config.tearing.pin_force = (float)(weight * (strong ? 4.0 : 0.2));
    fixture s = fixture_make(&config);
    CHECK(cloth_pin(s.sheet, 0) == CLOTH_OK && cloth_pin(s.sheet, COLUMNS - 1) == CLOTH_OK, "pins");
    int ripped = 0;
    for (int frame = 0; frame < 30; frame++) {
      CHECK(cloth_step(s.sheet, FRAME) >= 0, "step");
      ripped += read_statistics(s.sheet).pins_torn;
    }
    CHECK(ripped == (strong ? 0 : 2), "%d pins have let go", ripped);
    CHECK((cloth_get_freedom(s.sheet, 0) == 3) == !strong, "freedom %d", cloth_get_freedom(s.sheet, 0));
    fixture_free(&s);
  }
}

/* A corner that is attached to a body rips off it as off a pin, with tethers that were chosen or set: the other corner
   stays attached, and no tether is left to what is free. */
static void test_attached_pins(void) {
  for (int are_set = 0; are_set < 2; are_set++) {
    cloth_config config = strip_config(tested_tier);
    const double weight = (double)config.fabric.density * SPACING * SPACING * (COLUMNS - 1) * (ROWS - 1) * 9.81;
    config.tearing.pin_force = (float)(weight * 4.0);
    config.tethers.count = 1;
    config.max_colliders = 1;
    config.capacity.max_attachments = 2;
    fixture s = fixture_make(&config);
    cloth_collider ball = cloth_collider_default();
    ball.radius = 0.01f;
    ball.pose.position = vector_at(0.0, 1.0, 0.0);
    CHECK(cloth_add_collider(s.sheet, &ball) == 0, "collider");
    CHECK(cloth_attach(s.sheet, 0, 0, NULL) == CLOTH_OK && cloth_attach(s.sheet, COLUMNS - 1, 0, NULL) == CLOTH_OK,
          "attached");
    for (int32_t i = 1; i < s.count && are_set; i++)
      CHECK(i == COLUMNS - 1 || cloth_set_tether(s.sheet, i, 0, 0) == CLOTH_OK, "tether");
    CHECK(run_steps(s.sheet, 5, FRAME) >= 0, "step");
    CHECK(read_statistics(s.sheet).pins_torn == 0 && cloth_get_freedom(s.sheet, 0) != 3, "ripped by its weight");
    for (int k = 0; k < 3; k++) /* pulled hard */
      CHECK(cloth_apply_impulse(s.sheet, k ? k == 1 ? 1 : COLUMNS : COLUMNS + 1,
                                vector_at(0.0, -20.0 * weight * (double)FRAME, 0.0)) == CLOTH_OK,
            "impulse");
    int ripped = 0;
    for (int frame = 0; frame < 5; frame++) {
      CHECK(cloth_step(s.sheet, FRAME) >= 0, "step");
      ripped += read_statistics(s.sheet).pins_torn;
    }
    CHECK(ripped >= 1 && cloth_get_freedom(s.sheet, 0) == 3, "%d pins have let go", ripped);
    CHECK(cloth_get_freedom(s.sheet, COLUMNS - 1) == (ripped == 2 ? 3 : 0), "the other corner");
    for (int32_t i = 1; i < s.count; i++) {
      int32_t pin = -2;
      CHECK(cloth_get_tether(s.sheet, i, 0, &pin) == CLOTH_OK && pin != 0, "particle %d has a tether to %d", (int)i,
            (int)pin);
    }
    const cloth_vector middle = vector_at(0.0, 0.0, 0.0);
    CHECK(ripped == 2 || cloth_attach(s.sheet, COLUMNS - 1, 0, &middle) == CLOTH_OK, "attached elsewhere");
    CHECK(cloth_attach(s.sheet, 5, 0, NULL) == CLOTH_OK, "room for an attachment");
    fixture_free(&s);
  }
}

static void test_refusals(void) {
  cloth_config config = strip_config(TIER_28);
  cloth_memory memory;
  char text[128];
  fixture s = fixture_make(&config);
  cloth_cut_line cut = {0.0f, 0.0f, 2000.0f, 0.0f};
  CHECK(cloth_cut(s.sheet, &cut) == CLOTH_ERROR_RANGE, "far");
  cut.end_column = NAN;
  CHECK(cloth_cut(s.sheet, &cut) == CLOTH_ERROR_RANGE, "not a number");
  CHECK(cloth_cut(s.sheet, NULL) == CLOTH_ERROR_NULL && cloth_cut(NULL, &cut) == CLOTH_ERROR_NULL, "NULL");
  fixture_free(&s);
  config.tearing.max_breaks = 0;
  config.tearing.strain = config.tearing.pin_force = 0.0f;
  s = fixture_make(&config);
  cut.end_column = 3.0f;
  CHECK(cloth_cut(s.sheet, &cut) == CLOTH_ERROR_STATE, "a cloth that does not tear");
  fixture_free(&s);
  config = strip_config(TIER_28);
  config.tearing.strain = 101.0f;
  CHECK(cloth_memory_needed(&config, &memory) == CLOTH_ERROR_RANGE, "strain");
  config = strip_config(TIER_28);
  config.tearing.pin_force = -1.0f;
  CHECK(cloth_memory_needed(&config, &memory) == CLOTH_ERROR_RANGE, "force");
  config = strip_config(TIER_28);
  static float map[COLUMNS * ROWS];
  config.tearing.map = map;
  CHECK(cloth_config_explain(&config, text, sizeof text) == CLOTH_ERROR_RANGE &&
            !strcmp(text, "tearing.map: 0.01..100"),
        "%s", text);
  config = strip_config(TIER_28);
  config.capacity.fixed_work = 1;
  CHECK(cloth_memory_needed(&config, &memory) == CLOTH_ERROR_CONFLICT, "fixed work");
}

int main(int count, char **arguments) {
  static const test tests[] = {
      TEST_EACH(all_tiers, limit),
      TEST_EACH(all_tiers, fast),
      TEST_EACH(all_tiers, soft_band),
      TEST(clamped),
      TEST(ring),
      TEST(map),
      TEST_EACH(all_tiers, cut),
      TEST(cut_up),
      TEST(cut_stretch),
      TEST(cut_parts),
      TEST(cut_ends),
      TEST(cut_through),
      TEST_EACH(all_tiers, momentum),
      TEST_EACH(all_tiers, rollback),
      TEST(save_content),
      TEST(drawing),
      TEST(room),
      TEST_EACH(all_tiers, bounds),
      TEST(deadline),
      TEST_EACH(all_tiers, pins),
      TEST_EACH(all_tiers, attached_pins),
      TEST(refusals),
  };
  return RUN_TESTS(count, arguments, tests);
}
