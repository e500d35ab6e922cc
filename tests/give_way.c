/* Limits that contradict each other give way: pins or targets that are farther apart than the cloth between them
   reaches stretch it evenly, whatever strain limits say, and bounded, whatever tethers say. SPDX-License-Identifier:
   MIT */
#include "sheets.h"

#define SIDE 24
#define CELLS (SIDE - 1.0)

/* The largest strain along the warp. */
static double largest_strain(const fixture *s) {
  double largest = -HUGE_VAL;
  for (int i = 0; i + 1 < s->count; i++)
    if (i % SIDE < SIDE - 1)
      largest = fmax(largest, point_distance(position_of(s->sheet, i), position_of(s->sheet, i + 1)) * CELLS - 1.0);
  return largest;
}

static cloth_config sheet_config(void) {
  cloth_config config = cloth_config_default();
  config.columns = config.rows = SIDE;
  return config;
}

/* Two opposite edges of a sheet, pinned, are drawn apart in a second, and held for another. */
static void draw_apart(const cloth_config *config, double strain, double most, const char *what) {
  fixture s = fixture_make(config);
  for (int row = 0; row < SIDE; row++) {
    cloth_pin(s.sheet, row * SIDE);
    cloth_pin(s.sheet, row * SIDE + SIDE - 1);
  }
  for (int frame = 1; frame <= 120; frame++) {
    const double x = 1.0 + strain * fmin(frame / 60.0, 1.0);
    for (int row = 0; row < SIDE; row++)
      cloth_move_pin(s.sheet, row * SIDE + SIDE - 1, vector_at(x, 0.0, row / CELLS));
    cloth_step(s.sheet, FRAME);
  }
  CHECK(largest_strain(&s) < most * strain, "%s, pins drawn apart by %g: a spring by %g", what, strain,
        largest_strain(&s));
  fixture_free(&s);
}

static const double strains[] = {0.01, 0.1, 1.0};

/* Tethers keep the particles of either pin near it: the springs between take it all. It were even that is asked. */
static void test_tethers(void) {
  for (int count = 1; count <= 2; count++)
    for (int i = 0; i < 3; i++) {
      cloth_config config = sheet_config();
      config.tethers.count = count;
      draw_apart(&config, strains[i], 1.5 * CELLS, count == 1 ? "one tether" : "two tethers");
    }
}

static void test_strain_limits(void) {
  for (int i = 0; i < 3; i++) {
    cloth_config config = sheet_config();
    config.strain_limit.max_extension = 0.005f;
    draw_apart(&config, strains[i], 2.0, "strain limits");
  }
}

/* Tethers that nothing contradicts stay as long as they were: a sheet that hangs from pins which are near enough. */
static void test_tethers_hold(void) {
  cloth_config config = sheet_config();
  config.edge_weft = vector_at(0.0, -1.0, 0.0);
  config.fabric.stretch_warp = config.fabric.stretch_weft = 1e4f;
  config.substeps = 4;
  double lowest[2];
  for (int apart = 0; apart < 2; apart++) {
    fixture s = fixture_make(&config);
    cloth_pin(s.sheet, 0);
    cloth_pin(s.sheet, SIDE - 1);
    for (int frame = 1; frame <= 120; frame++) {
      cloth_move_pin(s.sheet, SIDE - 1, vector_at(apart ? 1.0 + 0.1 * fmin(frame / 60.0, 1.0) : 1.0, 0.0, 0.0));
      cloth_step(s.sheet, FRAME);
    }
    cloth_vector low, high;
    cloth_get_bounds(s.sheet, &low, &high);
    lowest[apart] = (double)low.y;
    fixture_free(&s);
  }
  CHECK(lowest[0] > -1.02 && lowest[0] < -0.98, "hangs down to %g m", lowest[0]);
  CHECK(lowest[1] > -1.02 - 0.1, "with pins 10 %% apart it hangs down to %g m", lowest[1]);
}

/* Four columns at either edge are to be at targets, which go apart; fifteen cells between them have to reach. */
static void test_targets(void) {
  const double shares[] = {0.01, 0.1, 1.0};
  for (int i = 0; i < 3; i++) {
    cloth_config config = sheet_config();
    config.capacity.targets = 1;
    fixture s = fixture_make(&config);
    static float vertices[SIDE * SIDE * 8];
    const cloth_motion_constraint tight = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int k = 0; k < SIDE * SIDE; k++)
      if (k % SIDE < 4 || k % SIDE >= SIDE - 4) cloth_set_motion_constraint(s.sheet, k, &tight);
    for (int frame = 1; frame <= 120; frame++) {
      for (int k = 0; k < SIDE * SIDE; k++) {
        const double off = k % SIDE < SIDE / 2 ? 0.0 : shares[i] * fmin(frame / 60.0, 1.0);
        vertices[8 * k] = (float)(k % SIDE / CELLS + off);
        vertices[8 * k + 2] = (float)(k / SIDE / CELLS);
      }
      cloth_move_targets(s.sheet, &layout_usual, vertices, sizeof vertices);
      cloth_step(s.sheet, FRAME);
    }
    const double even = shares[i] * CELLS / 17.0;
    CHECK(largest_strain(&s) < 2.0 * even, "targets apart by %g: strain %g", even, largest_strain(&s));
    double off = 0.0;
    for (int k = 0; k < SIDE * SIDE; k++)
      if (k % SIDE >= SIDE - 4) off = fmax(off, fabs(position_of(s.sheet, k).x - (double)vertices[8 * k]));
    CHECK(off < 1e-6, "a tight particle is %g m off its target", off);
    fixture_free(&s);
  }
}

static const test tests[] = {
    TEST(tethers),
    TEST(strain_limits),
    TEST(tethers_hold),
    TEST(targets),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
