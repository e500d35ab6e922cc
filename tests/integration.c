/* Ways to integrate the springs and to solve for them: the result does not depend on the solver, unstable steps are
   refused or made implicit, a solve that is cut short adds no energy. SPDX-License-Identifier: MIT */
#include "sheets.h"

/* Solved to the end, and so stiff that no fine wrinkles form, of which a rounding chooses one. */
static cloth_config converged_config(void) {
  cloth_config config = square_config(12, 0.3);
  config.substeps = 6;
  config.fabric.bend = 3e-3f;
  config.solver.max_iterations = 400;
  config.solver.tolerance = 1e-4f;
  return config;
}

/* Solved to the end, the answer does not depend on how the solver gets there. */
static void test_preconditioners(void) {
  int notes;
  cloth_config config = converged_config();
  fixture reference = run_mixed_scene(&config, 30, &notes);
  const int32_t kinds[] = {CLOTH_PRECONDITIONER_BLOCK, CLOTH_PRECONDITIONER_DIAGONAL, CLOTH_PRECONDITIONER_NONE};
  for (int i = 0; i < 3; i++) {
    config = converged_config();
    config.solver.preconditioner = (int32_t)kinds[i];
    fixture s = run_mixed_scene(&config, 30, &notes);
    double off = largest_distance(&reference, &s);
    CHECK(notes == CLOTH_OK && off < 5e-3, "preconditioner %d: notes %d, off by %g m", (int)kinds[i], notes, off);
    fixture_free(&s);
  }
  fixture_free(&reference);
}

/* Every combination, at the default cap and at the smallest, stays finite and ends near the converged result. */
static void test_combinations(void) {
  int notes;
  cloth_config config = converged_config();
  config.columns = config.rows = 9;
  fixture reference = run_mixed_scene(&config, 40, &notes);
  point center = mean_position(&reference);
  for (int choice = 0; choice < 4 * 3 * 2; choice++) {
    config = square_config(9, 0.3);
    config.solver.preconditioner = choice % 4;
    config.integration.method = choice / 4 % 3;
    config.iterations = choice / 12 % 2 != 0 ? 1 : 8;
    fixture s = run_mixed_scene(&config, 40, &notes);
    double off = point_distance(mean_position(&s), center);
    CHECK(notes >= CLOTH_OK && all_finite(s.sheet), "choice %d: %s", choice, cloth_result_name(notes));
    CHECK((notes & (CLOTH_NOTE_RECOVERED | CLOTH_NOTE_SPEED_LIMITED)) == 0, "choice %d: notes %d", choice, notes);
    CHECK(off < 0.15, "choice %d: the middle of the sheet is %g m off", choice, off);
    fixture_free(&s);
  }
  fixture_free(&reference);
}

/* Explicit and implicit integration of the same soft sheet agree when the steps are small. */
static void test_explicit_agrees(void) {
  const int32_t ways[] = {CLOTH_INTEGRATION_EXPLICIT_ONLY, CLOTH_INTEGRATION_EXPLICIT, CLOTH_INTEGRATION_ADAPTIVE,
                          CLOTH_INTEGRATION_IMPLICIT};
  fixture runs[4];
  for (int i = 0; i < 4; i++) {
    cloth_config config = square_config(8, 0.0);
    config.integration.method = (int32_t)ways[i];
    config.fabric.stretch_warp = config.fabric.stretch_weft = config.fabric.shear = 20.0f;
    config.substeps = 40;
    config.solver.max_iterations = 100;
    config.solver.tolerance = 1e-4f;
    runs[i] = fixture_make(&config);
    cloth_pin(runs[i].sheet, 0);
    cloth_pin(runs[i].sheet, 7);
    int notes = run_steps(runs[i].sheet, 40, FRAME);
    CHECK(notes == CLOTH_OK, "way %d: notes %d", i, notes);
    CHECK(largest_distance(&runs[0], &runs[i]) < 0.03, "way %d is %g m off", i, largest_distance(&runs[0], &runs[i]));
  }
  for (int i = 0; i < 4; i++)
    fixture_free(&runs[i]);
}

static void test_explicit_fallback(void) {
  cloth_config config = square_config(10, 0.0);
  config.integration.method = CLOTH_INTEGRATION_EXPLICIT;
  config.fabric.stretch_warp = config.fabric.stretch_weft = 1e5f;
  fixture s = fixture_make(&config);
  cloth_pin(s.sheet, 0);
  int result = cloth_step(s.sheet, FRAME);
  CHECK(result > 0 && (result & CLOTH_NOTE_MADE_IMPLICIT), "the step gave %d", result);
  cloth_statistics st;
  cloth_get_statistics(s.sheet, &st);
  CHECK(st.substeps == config.integration.max_substeps, "gave up at %d substeps", st.substeps);
  CHECK(st.mode[CLOTH_FAMILY_STRETCH_WARP] == CLOTH_MODE_IMPLICIT, "mode %d", (int)st.mode[0]);
  run_steps(s.sheet, 60, FRAME);
  CHECK(all_finite(s.sheet), "not finite");
  fixture_free(&s);
}

/* Springs and dampers far stiffer than four iterations can solve: a hanging sheet of 1 m must not be faster than a fall
   over its own size. */
static void test_truncated_solve_gains_nothing(void) {
  const float dampings[] = {0.05f, 100.0f, 1e4f};
  const float stiffnesses[] = {1.0f, 1000.0f, 1e6f};
  for (int i = 0; i < 9; i++) {
    cloth_config config = square_config(10, 0.0);
    config.fabric.density = 0.001f;
    config.fabric.stretch_damping = config.fabric.shear_damping = dampings[i % 3];
    config.fabric.stretch_warp = config.fabric.stretch_weft = config.fabric.shear = stiffnesses[i / 3];
    fixture s = fixture_make(&config);
    cloth_pin(s.sheet, 0);
    cloth_pin(s.sheet, 9);
    double fastest = 0.0;
    for (int frame = 0; frame < 300; frame++) {
      cloth_step(s.sheet, FRAME);
      cloth_measures m;
      cloth_measure(s.sheet, &m);
      fastest = fmax(fastest, sqrt(2.0 * (double)m.kinetic_energy / (double)config.fabric.density));
    }
    CHECK(fastest < 4.43, "damping %g, stiffness %g: %g m/s", (double)dampings[i % 3], (double)stiffnesses[i / 3],
          fastest);
    fixture_free(&s);
  }
}

/* Statistics of one step say nothing of the step before. */
static void test_iterations_are_those_of_the_last_step(void) {
  cloth_config config = square_config(8, 0.0);
  fixture s = fixture_make(&config);
  cloth_pin(s.sheet, 0);
  run_steps(s.sheet, 10, FRAME);
  cloth_fabric limp = config.fabric;
  limp.stretch_warp = limp.stretch_weft = limp.shear = limp.bend = 0.0f;
  limp.stretch_damping = limp.shear_damping = limp.bend_damping = 0.0f;
  cloth_set_fabric(s.sheet, &limp);
  cloth_step(s.sheet, FRAME);
  for (int substep = 0; substep < config.substeps; substep++)
    CHECK(cloth_get_substep_iterations(s.sheet, substep) == 0, "substep %d", substep);
  fixture_free(&s);
}

/* A sheet on leaning edges starts at rest. */
static void test_leaning_edges(void) {
  cloth_config config = square_config(8, 0.0);
  config.edge_weft = vector_at(0.5, 0.0, 0.8);
  config.gravity = vector_at(0.0, 0.0, 0.0);
  fixture s = fixture_make(&config);
  run_steps(s.sheet, 10, FRAME);
  cloth_measures m;
  cloth_measure(s.sheet, &m);
  CHECK(m.kinetic_energy < 1e-9f && m.elastic_energy < 1e-9f, "energies %g and %g", (double)m.kinetic_energy,
        (double)m.elastic_energy);
  fixture_free(&s);
  config.edge_weft = config.edge_warp;
  cloth_memory memory;
  CHECK(cloth_memory_needed(&config, &memory) == CLOTH_ERROR_CONFLICT, "parallel edges were taken");
}

/// The thesis's scheme ///

/* The call sets what the header says and leaves all else as it was. */
static void test_imex_settings(void) {
  cloth_config config = square_config(8, 0.0), before, expected;
  config.integration.method = CLOTH_INTEGRATION_EXPLICIT;
  config.solver.tolerance = 0.1f;
  memcpy(&expected, &config, sizeof config);
  expected.substeps = 16;
  expected.integration.method = CLOTH_INTEGRATION_ADAPTIVE;
  expected.integration.explicit_threshold = 0.8f;
  expected.integration.bdf2_blend = 0.0f;
  expected.tethers.count = 0;
  expected.strain_limit.max_extension = 0.0f;
  expected.solver.preconditioner = CLOTH_PRECONDITIONER_MULTILEVEL;
  expected.solver.max_iterations = 32;
  expected.solver.tolerance = 1e-3f;
  int result = cloth_config_use_imex(&config);
  CHECK(result == CLOTH_OK && memcmp(&config, &expected, sizeof config) == 0, "%s", cloth_result_name(result));
  CHECK(cloth_config_use_imex(NULL) == CLOTH_ERROR_NULL, "NULL was taken");
  config.cookie++;
  config.substeps = 3;
  memcpy(&before, &config, sizeof config);
  CHECK(cloth_config_use_imex(&config) == CLOTH_ERROR_CONFIG, "a config without its cookie was taken");
  CHECK(memcmp(&config, &before, sizeof config) == 0, "a refused config was changed");
}

/* Stiff stretch is implicit and soft shear explicit. After a second the sheet differs from one with all springs
   implicit by less than the spacing; in the thesis (section 4.4.3) mostly by a tenth of it, at most by 1.68. */
static void test_imex_sheet(void) {
  const int side = 16;
  cloth_config config = cloth_config_default();
  config.columns = config.rows = side;
  config.fabric.shear = 30.0f;
  config.fabric.shear_damping = 0.01f;
  CHECK(cloth_config_use_imex(&config) == CLOTH_OK, "refused");
  fixture adaptive = fixture_make(&config);
  config.integration.explicit_threshold = 0.0f;
  fixture implicit = fixture_make(&config);
  fixture *const both[] = {&adaptive, &implicit};
  for (int i = 0; i < 2; i++) {
    cloth_pin(both[i]->sheet, 0);
    cloth_pin(both[i]->sheet, side - 1);
    const int notes = run_steps(both[i]->sheet, 60, FRAME);
    const cloth_statistics st = read_statistics(both[i]->sheet);
    CHECK(notes == CLOTH_OK && st.substeps == 16 && st.iterations > 0, "notes %d, %d substeps, %d iterations", notes,
          st.substeps, st.iterations);
    CHECK(st.mode[CLOTH_FAMILY_STRETCH_WARP] == CLOTH_MODE_IMPLICIT, "warp %d", st.mode[CLOTH_FAMILY_STRETCH_WARP]);
    CHECK(st.mode[CLOTH_FAMILY_STRETCH_WEFT] == CLOTH_MODE_IMPLICIT, "weft %d", st.mode[CLOTH_FAMILY_STRETCH_WEFT]);
    CHECK(st.mode[CLOTH_FAMILY_SHEAR] == (i == 0 ? CLOTH_MODE_EXPLICIT : CLOTH_MODE_IMPLICIT), "shear %d",
          st.mode[CLOTH_FAMILY_SHEAR]);
  }
  const double off = largest_distance(&adaptive, &implicit) * (side - 1);
  CHECK(off > 0.0 && off < 1.0, "%g of the spacing apart", off);
  fixture_free(&adaptive);
  fixture_free(&implicit);
}

static const test tests[] = {
    TEST(preconditioners),
    TEST(combinations),
    TEST(explicit_agrees),
    TEST(explicit_fallback),
    TEST(truncated_solve_gains_nothing),
    TEST(iterations_are_those_of_the_last_step),
    TEST(leaning_edges),
    TEST(imex_settings),
    TEST(imex_sheet),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
