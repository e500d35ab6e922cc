/* Maps of mass and stiffness, and the fabric presets. SPDX-License-Identifier: MIT */
#include <math.h>

#include "sheets.h"

#define MAP_SIDE 9

static void test_mass_map(void) {
  static float map[MAP_SIDE * MAP_SIDE];
  for (int i = 0; i < MAP_SIDE * MAP_SIDE; i++)
    map[i] = (float)(0.5 + 0.25 * (i % 7));
  cloth_config config = square_config(MAP_SIDE, 0.0);
  fixture plain = fixture_make(&config);
  config.grid.mass_map = map;
  fixture mapped = fixture_make(&config);
  for (int i = 0; i < plain.count; i++) {
    double ratio = particle_mass(&mapped, i) / particle_mass(&plain, i);
    CHECK(fabs(ratio - (double)map[i]) < 1e-4, "particle %d is %g times as heavy, not %g", i, ratio, (double)map[i]);
  }
  cloth_measures light, heavy;
  cloth_apply_impulse(plain.sheet, 40, vector_at(1e-3, 0.0, 0.0));
  cloth_apply_impulse(mapped.sheet, 40, vector_at(1e-3, 0.0, 0.0));
  cloth_measure(plain.sheet, &light);
  cloth_measure(mapped.sheet, &heavy);
  CHECK(fabs((double)(heavy.kinetic_energy / light.kinetic_energy * map[40]) - 1.0) < 1e-3, "kinetic energies");
  fixture_free(&plain);
  fixture_free(&mapped);
}

/* Maps of ones change roundings alone, of which folds make more later on. */
static void test_maps_of_ones(void) {
  static float ones[12 * 12];
  for (int i = 0; i < 12 * 12; i++)
    ones[i] = 1.0f;
  int notes;
  cloth_config config = square_config(12, 0.3);
  fixture plain = run_mixed_scene(&config, 6, &notes);
  config.grid.mass_map = config.grid.stiffness_map = ones;
  fixture mapped = run_mixed_scene(&config, 6, &notes);
  double off = largest_distance(&plain, &mapped);
  CHECK(off < 1e-6, "maps of ones move it by %g m", off);
  fixture_free(&plain);
  fixture_free(&mapped);
}

/* One half of the sheet is soft enough for explicit springs, the other needs implicit ones. */
static void test_stiffness_map(void) {
  static float map[MAP_SIDE * MAP_SIDE];
  for (int i = 0; i < MAP_SIDE * MAP_SIDE; i++)
    map[i] = i % MAP_SIDE < MAP_SIDE / 2 ? 0.002f : 1.0f;
  cloth_config config = square_config(MAP_SIDE, 0.0);
  config.grid.stiffness_map = map;
  config.fabric.stretch_warp = config.fabric.stretch_weft = 3000.0f;
  config.fabric.shear = 1000.0f;
  config.substeps = 8;
  config.fabric.stretch_damping = config.fabric.shear_damping = 0.0f;
  config.integration.velocity_damping =
      3.0f; /* it hangs still at the end: while it swings, a rounding decides how deep */
  fixture s = fixture_make(&config);
  for (int column = 0; column < MAP_SIDE; column++)
    cloth_pin(s.sheet, column);
  cloth_step(s.sheet, FRAME);
  cloth_statistics st;
  cloth_get_statistics(s.sheet, &st);
  for (int family = CLOTH_FAMILY_STRETCH_WARP; family <= CLOTH_FAMILY_SHEAR; family++)
    CHECK(st.mode[family] == CLOTH_MODE_IMPLICIT, "mode of family %d is %d", family, (int)st.mode[family]);
  int notes = run_steps(s.sheet, 120, FRAME);
  CHECK(notes == CLOTH_OK && all_finite(s.sheet), "notes %d", notes);
  int soft = fixture_particle(&s, 0, MAP_SIDE - 1), stiff = fixture_particle(&s, MAP_SIDE - 1, MAP_SIDE - 1);
  double soft_sag = -position_of(s.sheet, soft).y, stiff_sag = -position_of(s.sheet, stiff).y;
  CHECK(soft_sag > stiff_sag + 0.05, "the soft side hangs %g m deep, the stiff one %g m", soft_sag, stiff_sag);
  fixture_free(&s);
}

/* (B / w)^(1/3), with w the weight per area: half the overhang at which a strip hangs at 41.5 degrees (Peirce). */
static double bending_length(const cloth_fabric *fabric) {
  return cbrt((double)fabric->bend / ((double)fabric->density * 9.81));
}

static void test_presets(void) {
  for (int kind = 0; kind < CLOTH_FABRIC_COUNT; kind++) {
    cloth_config config = square_config(16, 0.3);
    CHECK(cloth_fabric_preset((cloth_fabric_kind)kind, &config.fabric) == CLOTH_OK, "preset %d", kind);
    char text[128];
    CHECK(cloth_fabric_explain(&config.fabric, text, sizeof text) == CLOTH_OK, "preset %d: %s", kind, text);
    int notes;
    fixture s = run_mixed_scene(&config, 120, &notes);
    CHECK(notes >= CLOTH_OK && (notes & (CLOTH_NOTE_RECOVERED | CLOTH_NOTE_SPEED_LIMITED)) == 0, "preset %d: notes %d",
          kind, notes);
    CHECK(all_finite(s.sheet), "preset %d: not finite", kind);
    CHECK(config.fabric.stretch_warp > config.fabric.shear, "preset %d: shear stiffer than stretch", kind);
    fixture_free(&s);
  }
}

/* Drape coefficients of silk, wool, cotton and denim rise in this order, with the bending length (docs/fabrics.md). */
static void test_order_of_presets(void) {
  const cloth_fabric_kind order[] = {CLOTH_FABRIC_SILK,  CLOTH_FABRIC_WOOL,   CLOTH_FABRIC_COTTON,
                                     CLOTH_FABRIC_DENIM, CLOTH_FABRIC_CANVAS, CLOTH_FABRIC_PAPER};
  double shorter = 0;
  for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
    cloth_fabric f;
    cloth_fabric_preset(order[i], &f);
    CHECK(bending_length(&f) > shorter + 0.003, "preset %d: bending length %g m, the one before %g m", (int)order[i],
          bending_length(&f), shorter);
    shorter = bending_length(&f);
  }
  cloth_fabric silk, cotton, wool, denim, jersey, rubber;
  cloth_fabric_preset(CLOTH_FABRIC_SILK, &silk);
  cloth_fabric_preset(CLOTH_FABRIC_COTTON, &cotton);
  cloth_fabric_preset(CLOTH_FABRIC_WOOL, &wool);
  cloth_fabric_preset(CLOTH_FABRIC_DENIM, &denim);
  cloth_fabric_preset(CLOTH_FABRIC_JERSEY, &jersey);
  cloth_fabric_preset(CLOTH_FABRIC_RUBBER, &rubber);
  CHECK(silk.density < cotton.density && cotton.density < wool.density && wool.density < denim.density, "densities");
  CHECK(cotton.stretch_warp > cotton.stretch_weft && wool.stretch_warp > wool.stretch_weft, "warp and weft");
  CHECK(jersey.stretch_warp < 0.2f * silk.stretch_warp && rubber.stretch_warp < 0.2f * silk.stretch_warp,
        "jersey and rubber stretch");
}

static const test tests[] = {
    TEST(mass_map), TEST(maps_of_ones), TEST(stiffness_map), TEST(presets), TEST(order_of_presets),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
