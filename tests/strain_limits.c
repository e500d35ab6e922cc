/* Strain limits: springs that are stiffer above an extension, and limits that nothing reaches. SPDX-License-Identifier:
   MIT */
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
      if (other[k] == i) continue;
      double strain = spring_length(s, i, other[k]) / spacing - 1.0;
      *least = fmin(*least, strain);
      *largest = fmax(*largest, strain);
    }
  }
}

/* A curtain of soft springs, pinned along its top: without a limit it sags far. With one its weight is borne by the
   stiffer branch above it, within the weight over the stiffness there of it. */
static void test_limit_extension(void) {
  const double limits[] = {0.0, 0.02, 0.1}, stiffness[] = {10.0, 50.0, 1000.0};
  for (int i = 0; i < 5; i++) {
    const double limit = limits[i < 2 ? i : 2], share = stiffness[i < 3 ? 1 : i == 3 ? 0 : 2];
    cloth_config config = square_config(5, 0.0);
    config.edge_weft = vector_at(0.0, -1.0, 0.0);
    config.fabric.stretch_warp = config.fabric.stretch_weft = config.fabric.shear = 2.0f;
    config.integration.velocity_damping = 3.0f;
    config.strain_limit.max_extension = (float)limit;
    config.strain_limit.stiffness = (float)share;
    fixture s = fixture_make(&config);
    for (int column = 0; column < 5; column++)
      cloth_pin(s.sheet, column);
    run_steps(s.sheet, 240, FRAME);
    double least, largest;
    strain_range(&s, 0.25, &least, &largest);
    const double weight = (double)config.fabric.density * 9.81, above = weight / (share * 2.0);
    if (limit > 0.0)
      CHECK(largest > limit && largest < limit + 0.1 * limit + above,
            "limit %g, stiffness %g: the largest strain is %g", limit, share, largest);
    else
      CHECK(largest > 0.3, "without limits the largest strain is %g", largest);
    CHECK(all_finite(s.sheet) && rms_speed(&s) < 0.01, "moves with %g m/s", rms_speed(&s));
    fixture_free(&s);
  }
}

/* Limits that nothing reaches change nothing. */
static void test_limits_out_of_reach(void) {
  int notes;
  cloth_config config = square_config(10, 0.3);
  fixture without = run_mixed_scene(&config, 30, &notes);
  config.strain_limit.max_extension = 10.0f;
  fixture with = run_mixed_scene(&config, 30, &notes);
  CHECK(same_state(&without, &with), "off by %g m", largest_distance(&without, &with));
  fixture_free(&without);
  fixture_free(&with);
}

static const test tests[] = {
    TEST(limit_extension),
    TEST(limits_out_of_reach),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
