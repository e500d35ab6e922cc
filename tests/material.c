/* The fabric that is set is the fabric that is simulated: bending, stretch, shear, damping and drape, measured by the
   experiments of experiments.h against goals.

       build/tests/material            tests: a part of the experiments, in seconds
       build/tests/material --all      tests: every experiment
       build/tests/material --table    the same as a table, a line each that ends in "ok" or "missed" (make fabrics)

   SPDX-License-Identifier: MIT */
#include "experiments.h"

#include <stdarg.h>

/// Lines ///

static int all;      /* 1: every experiment */
static int is_table; /* 1: nothing but lines and headings */

/* Prints a line and counts it as a check. */
static void goal(int line, int holds, const char *format, ...) {
  char text[256];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  printf("%-104s %s\n", text, holds ? "ok" : "missed");
  check_passed += holds;
  check_failed += !holds;
  if (!holds && !is_table) printf("%s:%d: failed: %s\n", __FILE__, line, text);
}

#define GOAL(holds, ...) goal(__LINE__, (holds) != 0, __VA_ARGS__)

static int is_near_one(double ratio, double tolerance) {
  return fabs(ratio - 1.0) <= tolerance;
}

/* Largest of some values over the smallest, less 1. */
static double spread(const double *values, int count) {
  double low = values[0], high = values[0];
  for (int i = 1; i < count; i++) {
    low = fmin(low, values[i]);
    high = fmax(high, values[i]);
  }
  return high / low - 1.0;
}

/// Fabrics ///

static const char *const fabric_names[CLOTH_FABRIC_COUNT] = {"silk",   "cotton", "wool",   "denim", "polyester",
                                                             "satin",  "linen",  "jersey", "felt",  "leather",
                                                             "canvas", "rubber", "paper"};

static cloth_fabric preset(int kind) {
  cloth_fabric fabric;
  cloth_fabric_preset((cloth_fabric_kind)kind, &fabric);
  return fabric;
}

static int tested_fabric;

static const char *fabric_name(int number) {
  return fabric_names[number];
}

static void select_fabric(int number) {
  tested_fabric = number;
}

static const test_cases every_fabric = {0, CLOTH_FABRIC_COUNT, fabric_name, select_fabric};

/// Bending ///

static const int peirce_substeps[] = {2, 28, 112};

/* Rigidity of a fabric over that of the grid, on a grid on which (B / w)^(1/3) is so many cells: at most 1.4, at least
   0.7, or 0.6 on a grid on which a strip has one cell or two, and the same to 5 % whatever the substeps. On fine grids
   it is over the fabric's own. From 4 cells on the bending length, its cube root, is within 0.85 to 1.15 of the
   fabric's. */
#define LEAST_ON_COARSE_GRIDS 0.6
#define LENGTH_ERROR 0.15

static void judge_rigidity(int kind, double cells, int angle) {
  strip s = {preset(kind), 0.0, angle, 0};
  double weight = (double)s.fabric.density * STANDARD_GRAVITY, ratio[3];
  s.spacing = cbrt((double)s.fabric.bend / weight) / cells;
  int is_fine = cells >= 3.0, has_length = cells >= 4.0, holds = 1;
  double expected = is_fine ? (double)s.fabric.bend : grid_rigidity(&s.fabric, s.spacing);
  for (int i = 0; i < 3; i++) {
    s.substeps = peirce_substeps[i];
    ratio[i] = peirce_rigidity(&s) / expected;
    holds = holds && ratio[i] >= (is_fine ? 0.7 : LEAST_ON_COARSE_GRIDS) && ratio[i] <= 1.4;
    holds = holds && (!has_length || is_near_one(cbrt(ratio[i]), LENGTH_ERROR));
  }
  GOAL(holds && spread(ratio, 3) <= 0.05,
       "%-9s %4g cells %2d degrees: B_eff / %s at 2, 28, 112 substeps %6.3f %6.3f %6.3f, apart %.1f %%",
       fabric_names[kind], cells, angle, is_fine ? "B " : "B'", ratio[0], ratio[1], ratio[2], 100.0 * spread(ratio, 3));
}

static void test_bending(void) {
  static const double cells[] = {3.0, 6.0, 12.0};
  for (int i = 0; i < 3; i++) {
    for (int angle = 0; angle <= 90; angle += 45) {
      int is_usual = cells[i] == 3.0 && (angle == 0 || tested_fabric == CLOTH_FABRIC_COTTON);
      if (all || is_usual) judge_rigidity(tested_fabric, cells[i], angle);
    }
  }
}

static void test_bending_on_coarse_grids(void) {
  static const double cells[] = {0.5, 1.0};
  for (int i = 0; i < 2; i++) {
    for (int angle = 0; angle <= 90; angle += 45) {
      if (all || (i == 0 && angle == 0)) judge_rigidity(tested_fabric, cells[i], angle);
    }
  }
}

/* The grids of a sheet of 1 m. */
static void test_bending_by_grid(void) {
  static const int substeps[] = {7, 28, 112};
  for (int kind = CLOTH_FABRIC_SILK; kind <= CLOTH_FABRIC_DENIM; kind += CLOTH_FABRIC_DENIM - CLOTH_FABRIC_SILK) {
    for (int n = 16; n <= (all ? 128 : 32); n *= 2) {
      strip s = {preset(kind), 1.0 / (n - 1), 0, 0};
      double ratio[3], expected = grid_rigidity(&s.fabric, s.spacing);
      for (int i = 0; i < 3; i++) {
        s.substeps = substeps[i];
        ratio[i] = peirce_rigidity(&s) / expected;
      }
      GOAL(ratio[1] >= LEAST_ON_COARSE_GRIDS && ratio[1] <= 1.4 && spread(ratio, 3) <= 0.05,
           "%-9s 1 m, n %3d: B_eff / B' at 7, 28, 112 substeps %6.3f %6.3f %6.3f, B' / B %.3g", fabric_names[kind], n,
           ratio[0], ratio[1], ratio[2], expected / (double)s.fabric.bend);
    }
  }
}

static void test_overhangs(void) {
  strip silk = {preset(CLOTH_FABRIC_SILK), 1.0 / 31.0, 0, 28}, denim = silk;
  denim.fabric = preset(CLOTH_FABRIC_DENIM);
  double short_one = overhang_of(&silk, peirce_rigidity(&silk));
  double long_one = overhang_of(&denim, peirce_rigidity(&denim));
  GOAL(short_one < long_one, "overhang at n 32: silk %.1f cm, denim %.1f cm", 100.0 * short_one, 100.0 * long_one);
}

static void test_stiff_strip(void) {
  for (int i = 0; i < 3; i++) {
    strip s = {cloth_config_default().fabric, 0.005, 0, peirce_substeps[i]};
    s.fabric.bend = 10.0f;
    double chord = rest_chord(&s, 20);
    GOAL(fabs(chord) < 1.0, "strip of 20 cells of 5 mm, B 10 N m, %3d substeps: droops by %.3f degrees", s.substeps,
         chord);
  }
}

/* Every change of the rigidity changes the bits, and a stiffer strip hangs less, also on a coarse grid. */
static void test_bend_acts(void) {
  static const double bends[] = {0.0, 1e-6, 1e-5, 6e-5};
  uint64_t hash[4];
  double chord[4];
  for (int i = 0; i < 4; i++) {
    strip s = {cloth_config_default().fabric, 1.0 / 31.0, 0, 28};
    s.fabric.bend = (float)bends[i];
    chord[i] = rest_chord(&s, 3);
    hash[i] = hash_of_drape(bends[i], 32);
  }
  for (int i = 0; i < 3; i++) {
    GOAL(hash[i] != hash[i + 1], "bend %g and %g N m over a sphere, n 32: %s bits", bends[i], bends[i + 1],
         hash[i] != hash[i + 1] ? "different" : "the same");
    GOAL(chord[i] > chord[i + 1] + 1e-3, "bend %g and %g N m, 3 cells of a grid n 32 hang by %.2f and %.2f degrees",
         bends[i], bends[i + 1], chord[i], chord[i + 1]);
  }
  GOAL(chord[0] > chord[3] + 5.0, "bend 0 and 6e-5 N m: %.1f degrees apart", chord[0] - chord[3]);
}

/// Stretch and shear ///

static const int usual_substeps[] = {2, 8, 28};

/* Runs an experiment that gives a ratio to theory over all substeps, and prints a line. */
static void judge_ratios(double (*measure)(int n, double stiffness, int substeps, double *measured), const char *what,
                         int n, double stiffness) {
  double ratio[3], measured = 0.0;
  for (int i = 0; i < 3; i++)
    ratio[i] = measure(n, stiffness, usual_substeps[i], &measured);
  GOAL(is_near_one(ratio[0], 0.05) && is_near_one(ratio[1], 0.05) && is_near_one(ratio[2], 0.05),
       "%s %6g N/m, n %2d: over theory at 2, 8, 28 substeps %6.3f %6.3f %6.3f, %.4g mm", what, stiffness, n, ratio[0],
       ratio[1], ratio[2], 1e3 * measured);
}

static void test_elongation(void) {
  static const double stiffness[] = {10.0, 30.0, 300.0, 3000.0, 1e4, 1e5};
  for (int n = 16; n <= (all ? 64 : 32); n *= 2) {
    for (int i = 0; i < 6; i++) {
      if (all || n == 16 || i == 1 || i == 5)
        judge_ratios(hanging_elongation, "hangs by its edge, stretch", n, stiffness[i]);
    }
  }
}

/* What number of substeps brings the stability number of a spring above 0.2 must not matter. */
static void test_no_jump(void) {
  const double stiffness[] = {30.0, 300.0};
  for (int k = 0; k < 1 + all; k++) {
    double ratio[27], jump = 0.0;
    for (int i = 0; i < 27; i++)
      ratio[i] = hanging_elongation(16, stiffness[k], 2 + i, NULL);
    for (int i = 0; i < 26; i++)
      jump = fmax(jump, fabs(ratio[i + 1] - ratio[i]));
    GOAL(jump <= 0.01 && spread(ratio, 27) <= 0.05,
         "stretch %g N/m, n 16, every number of substeps from 2 to 28: apart %.3f, largest jump %.4f", stiffness[k],
         spread(ratio, 27), jump);
  }
}

/// Damping ///

static const char *const family_names[] = {"stretch", "shear", "bend"};

static void test_decay(void) {
  static const double damping[3][2] = {{0.4, 1.0}, {0.1, 0.2}, {0.02, 0.05}};
  for (int family = DECAY_STRETCH; family <= DECAY_BEND; family++) {
    for (int i = 0; i < 2; i++) {
      double theory = 0.0;
      decay d = decay_by(family, damping[family][i], 28, &theory);
      GOAL(d.extremes >= 4 && is_near_one(d.rate / theory, 0.2),
           "%s damping %g: decays at %.4g /s, theory %.4g, %d extremes", family_names[family], damping[family][i],
           d.rate, theory, d.extremes);
    }
  }
}

static void test_heavy_damping(void) {
  for (int family = DECAY_STRETCH; family <= DECAY_BEND; family++) {
    uint64_t hash[2];
    double none = energy_left(family, 0.0, &hash[0]), heavy = energy_left(family, 10.0, &hash[1]);
    GOAL(hash[0] != hash[1] && heavy <= 0.01 * none,
         "%s damping 10: kinetic energy after 1 s %.3g J, without %.3g J, %s bits", family_names[family], heavy, none,
         hash[0] != hash[1] ? "different" : "the same");
  }
}

/// Drape ///

#define DRAPED 4
static const int draped[DRAPED] = {CLOTH_FABRIC_SILK, CLOTH_FABRIC_WOOL, CLOTH_FABRIC_COTTON, CLOTH_FABRIC_DENIM};

static void test_drape(void) {
  double before = -100.0;
  for (int i = 0; i < DRAPED; i++) {
    cloth_fabric fabric = preset(draped[i]);
    double coarse = drape_over_disc(&fabric, 48, 28).coefficient;
    const double more = draped[i] == CLOTH_FABRIC_WOOL ? 0.0 : 5.0; /* wool folds into as many folds as silk */
    GOAL(coarse >= before + more, "%-6s n 48: drape coefficient %.1f %%, at least %g above the one before",
         fabric_names[draped[i]], coarse, more);
    before = coarse;
    if (!all) continue;
    double fine = drape_over_disc(&fabric, 96, 28).coefficient;
    GOAL(fabs(fine - coarse) <= 5.0, "%-6s n 96: drape coefficient %.1f %%, at most 5 from that at n 48",
         fabric_names[draped[i]], fine);
  }
}

/// All ///

static const test tests[] = {
    TEST_EACH(every_fabric, bending),
    TEST_EACH(every_fabric, bending_on_coarse_grids),
    TEST(bending_by_grid),
    TEST(overhangs),
    TEST(stiff_strip),
    TEST(bend_acts),
    TEST(elongation),
    TEST(no_jump),
    TEST(decay),
    TEST(heavy_damping),
    TEST(drape),
};

/* The tests without the harness's lines. */
static int print_table(void) {
  is_table = 1;
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
    const test *t = &tests[i];
    printf("%s%s\n", i > 0 ? "\n" : "", t->name);
    for (int number = 0; number < (t->cases != NULL ? t->cases->count : 1); number++) {
      if (t->cases != NULL) t->cases->select(number);
      t->run();
    }
  }
  return check_report();
}

int main(int count, char **arguments) {
  all = count > 1 && (strcmp(arguments[1], "--table") == 0 || strcmp(arguments[1], "--all") == 0);
  if (all && strcmp(arguments[1], "--table") == 0) return print_table();
  return RUN_TESTS(count - all, arguments + all, tests);
}
