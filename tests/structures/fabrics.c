/* The fabric that is set is the fabric that is simulated, whatever the substeps: sag of sheets that are held by their
   side or by two corners; tests/material.c has elongation, bending, drape and decay. Experiments of ../experiments.h,
   judged through the public interface. A table, whose lines end in "ok" or "missed"; the exit status is 1 if one is
   missed. Names of tests as arguments choose some of them. SPDX-License-Identifier: MIT */
#include "world.h"

#include "measures.h"
#include "right.h"

static const int fabric_substeps[] = {2, 4, 8, 28};
enum { FABRIC_SUBSTEP_CASES = 4 };

/// Stretch and shear ///

#define SAG_ERROR 0.03 /* of a sag */

/* Mean sag of the far side of a sheet of 1 m with a stretch stiffness of 1e5 N/m that is held by its side [m]. */
static double side_sag(int n, double shear, int substeps, double *weight) {
  cloth_config config = hanging_config(n, n, 1.0, 1.0, substeps);
  config.origin = vector_at(0.0, 0.5, 0.0); /* floats are finer near 0 */
  config.fabric.stretch_warp = config.fabric.stretch_weft = 1e5f;
  config.fabric.shear = (float)shear;
  specimen sp = specimen_make(&config);
  for (int row = 0; row < n; row++)
    pin_at(&sp, 0, row);
  *weight = sp.mass[0] * GRAVITY;
  double before = 0.0;
  for (int row = 0; row < n; row++)
    before += position_of(sp.s.sheet, row * n + n - 1).y / n;
  advance(&sp, 270);
  double sag = before - mean_height(&sp.s, n - 1, n, n, 30);
  specimen_free(&sp);
  return sag;
}

static void judge_side(int n, double shear, int substeps) {
  double weight = 0.0, sag = side_sag(n, shear, substeps, &weight);
  char what[80], settings[48];
  snprintf(what, sizeof what, "held by its side, shear %g N/m: sag [mm]", shear);
  snprintf(settings, sizeof settings, "%d x %d, substeps %d", n, n, substeps);
  line_share(what, settings, 1e3 * sag, 1e3 * held_sag(n, 1e5, shear, weight), 1.0 - SAG_ERROR, 1.0 + SAG_ERROR);
}

static void test_side_held(void) {
  static const double shear[] = {10.0, 30.0, 300.0, 3000.0, 1e4, 1e5};
  for (int k = 0; k < 6; k++) {
    for (int n = 0; n < FABRIC_SUBSTEP_CASES; n++)
      judge_side(16, shear[k], fabric_substeps[n]);
    judge_side(32, shear[k], DEFAULT_SUBSTEPS);
  }
}

/* How deep the middle of the hem hangs below its rest height in a soft square sheet of 1 m by two corners: stretch 300
   N/m, shear 90 N/m, bending 1e-4 N m [m]. */
static double hem_sag(int n, int substeps, int iterations, int seconds) {
  cloth_config config = hanging_config(n, n, 1.0, 1.0, substeps);
  config.fabric.stretch_warp = config.fabric.stretch_weft = 300.0f;
  config.fabric.shear = 90.0f;
  config.fabric.bend = 1e-4f;
  config.integration.velocity_damping = 3.0f;
  set_steps(&config, substeps, iterations);
  specimen sp = specimen_make(&config);
  pin_two_corners(&sp);
  advance(&sp, 60 * seconds - 60);
  double sag = -mean_height(&sp.s, (n - 1) * n + n / 2, 1, 1, 60) - 1.0;
  specimen_free(&sp);
  return sag;
}

static void test_corner_hung(void) {
  enum { SIDE = 32 };
  double right = hem_sag(SIDE, 4, SOLVED, 20);
  for (int n = 0; n < FABRIC_SUBSTEP_CASES; n++) {
    char settings[48];
    snprintf(settings, sizeof settings, "%d x %d, substeps %d", SIDE, SIDE, fabric_substeps[n]);
    line_share("hangs by two corners, 300 N/m: sag of the hem [mm]", settings,
               1e3 * hem_sag(SIDE, fabric_substeps[n], CLOTH_AUTOMATIC, 10), 1e3 * right, 1.0 - SAG_ERROR,
               1.0 + SAG_ERROR);
  }
}

/// Drape ///

#define DRAPE_SPACING 5e-3 /* of the particles [m] */
#define DRAPE_STEP 2.0     /* least from one fabric's overhang to the next [mm] */

static const test tests[] = {
    TEST(side_held),
    TEST(corner_hung),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
