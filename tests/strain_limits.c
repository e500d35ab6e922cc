/* Strain limits: extension, compression, and limits that nothing reaches. SPDX-License-Identifier: MIT */
#include "sheets.h"

static double spring_length(const fixture *s, int a, int b) {
  return point_distance(position_of(s->sheet, a), position_of(s->sheet, b));
}

/* The least and largest strain of the stretch springs of a square sheet of the given spacing. */
static void strain_range(const fixture *s, double spacing, double *least, double *largest) {
  *least = HUGE_VAL;
  *largest = -HUGE_VAL;
  for (int i = 0; i < s->count; i++) {
    const int other[] = {i % s->columns + 1 < s->columns ? i + 1 : i, i + s->columns < s->count ? i + s->columns : i};
    for (int k = 0; k < 2; k++) {
      if (other[k] == i)
        continue;
      double strain = spring_length(s, i, other[k]) / spacing - 1.0;
      *least = fmin(*least, strain);
      *largest = fmax(*largest, strain);
    }
  }
}

/* A curtain of soft springs, pinned along its top: without limits it sags far, with them it does not. */
static void test_limit_extension(void) {
  const double limits[] = {0.02, 0.1};
  for (int i = -1; i < 2; i++) {
    cloth_config config = square_config(5, 0.0);
    config.edge_weft = vector_at(0.0, -1.0, 0.0);
    config.fabric.stretch_warp = config.fabric.stretch_weft = config.fabric.shear = 2.0f;
    config.integration.velocity_damping = 3.0f;
    config.strain_limit.sweeps = i < 0 ? 0 : 64;
    config.strain_limit.max_extension = i < 0 ? 0.0f : (float)limits[i];
    fixture s = fixture_make(&config);
    for (int column = 0; column < 5; column++)
      cloth_pin(s.sheet, column);
    run_steps(s.sheet, 240, FRAME);
    double least, largest;
    strain_range(&s, 0.25, &least, &largest);
    if (i < 0)
      CHECK(largest > 0.3, "without limits the largest strain is %g", largest);
    else
      CHECK(largest < limits[i] + 0.002, "limit %g: the largest strain is %g", limits[i], largest);
    CHECK(all_finite(s.sheet) && rms_speed(&s) < 0.01, "moves with %g m/s", rms_speed(&s));
    fixture_free(&s);
  }
}

/* Rows pinned on one side and pushed together: the limit on compression pushes them apart again at once. */
static void test_limit_compression(void) {
  const double limits[] = {0.01, 0.2};
  for (int i = 0; i < 2; i++) {
    cloth_config config = tested_config();
    config.columns = 4;
    config.rows = 2;
    config.edge_warp = vector_at(0.3, 0.0, 0.0);
    config.edge_weft = vector_at(0.0, 0.0, 0.1);
    config.gravity = zero_vector;
    config.strain_limit.sweeps = 64;
    config.strain_limit.max_compression = (float)limits[i];
    fixture s = fixture_make(&config);
    for (int row = 0; row < 2; row++) {
      cloth_pin(s.sheet, fixture_particle(&s, 0, row));
      for (int column = 1; column < 4; column++)
        cloth_set_particle(s.sheet, fixture_particle(&s, column, row), vector_at(0.05 * column, 0.0, 0.1 * row),
                           zero_vector);
    }
    cloth_step(s.sheet, FRAME);
    double least, largest;
    strain_range(&s, 0.1, &least, &largest);
    CHECK(least > -limits[i] - 0.005, "limit %g: the least strain is %g", limits[i], least);
    fixture_free(&s);
  }
}

/* Limits that nothing reaches change nothing. */
static void test_limits_out_of_reach(void) {
  int notes;
  cloth_config config = square_config(10, 0.3);
  fixture without = run_mixed_scene(&config, 30, &notes);
  config.strain_limit.sweeps = 16;
  config.strain_limit.max_extension = 10.0f;
  config.strain_limit.max_compression = 1.0f;
  fixture with = run_mixed_scene(&config, 30, &notes);
  CHECK(same_state(&without, &with), "off by %g m", largest_distance(&without, &with));
  fixture_free(&without);
  fixture_free(&with);
}

static const test tests[] = {
    TEST(limit_extension),
    TEST(limit_compression),
    TEST(limits_out_of_reach),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
