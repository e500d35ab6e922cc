/* What a step must not make or lose, judged through the public interface: free fall, momentum and angular momentum of
   cloth that nothing holds, also in uneven frames, with impulses and in air, and energy, which without damping and air
   never rises. A table, whose lines end in "ok" or "missed"; the exit status is 1 if one is missed. Names of tests as
   arguments choose some of them. SPDX-License-Identifier: MIT */
#include "free.h"

/// The measures themselves ///

/* Masses and energies as the library tells them, in floats. */
static void judge_measures(int kind) {
  specimen sp = open_free(kind, 1, GRAVITY, DEFAULT_SUBSTEPS);
  set_motion(&sp, (point){0.3, 0.2, 0.1}, (point){0.9, 3.0, 0.6});
  advance(&sp, 3);
  cloth_measures m;
  cloth_measure(sp.s.sheet, &m);
  const int particle = FREE_SIDE * 5 + 7;
  const char *settings = settings_text(&sp.config, CLOTH_AUTOMATIC);
  char what[80];
  snprintf(what, sizeof what, "%s: mass of a particle [kg]", free_names[kind]);
  line_share(what, settings, particle_mass(&sp.s, particle), sp.mass[particle], 0.999, 1.001);
  snprintf(what, sizeof what, "%s: kinetic energy as cloth_measure() has it [J]", free_names[kind]);
  line_share(what, settings, (double)m.kinetic_energy, kinetic_energy(&sp), 0.999, 1.001);
  snprintf(what, sizeof what, "%s: elastic energy as cloth_measure() has it [J]", free_names[kind]);
  line_share(what, settings, (double)m.elastic_energy, elastic_energy(&sp), 0.99, 1.01);
  snprintf(what, sizeof what, "%s: energy in gravity as cloth_measure() has it [J]", free_names[kind]);
  line_share(what, settings, 1.0 + (double)m.potential_energy, 1.0 + gravity_energy(&sp), 0.999, 1.001);
  specimen_free(&sp);
}

static void test_measures(void) {
  for (int kind = 0; kind < FREE_KINDS; kind++)
    judge_measures(kind);
}

/// Energy ///

#define ENERGY_SIDE 24
#define ENERGY_GAIN 0.01
#define ENERGY_SECONDS 3

/* Largest energy in some seconds above that of the start [J]. */
static double energy_gained(const specimen *sp, int seconds) {
  double start = total_energy(sp), most = 0.0;
  for (int frame = 0; frame < 60 * seconds; frame++) {
    advance(sp, 1);
    most = larger(most, total_energy(sp) - start);
  }
  return most;
}

/* A level sheet of a fabric by two corners. The scale is what gravity has to give it: weight times half its side. */
static void judge_hung_energy(const char *name, const cloth_fabric *fabric, int substeps) {
  cloth_config config = plain_config(ENERGY_SIDE, ENERGY_SIDE);
  config.fabric = *fabric;
  undamp(&config);
  set_steps(&config, substeps, CLOTH_AUTOMATIC);
  specimen sp = specimen_make(&config);
  pin_two_corners(&sp);
  double scale = 0.5 * specimen_mass(&sp) * GRAVITY;
  char what[80];
  snprintf(what, sizeof what, "%s by two corners: energy gained", name);
  line_at_most(what, settings_text(&config, CLOTH_AUTOMATIC), energy_gained(&sp, ENERGY_SECONDS) / scale, ENERGY_GAIN);
  specimen_free(&sp);
}

/* A sheet that stands upright, held by one side, and falls in its plane: all of it turns about that side. */
static void judge_swung_energy(int side, int substeps) {
  cloth_config config = plain_config(side, side);
  config.edge_warp = vector_at(1.5, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, -1.0, 0.0);
  config.grid.imperfection = 0.03f;
  undamp(&config);
  set_steps(&config, substeps, CLOTH_AUTOMATIC);
  specimen sp = specimen_make(&config);
  for (int row = 0; row < side; row++)
    pin_at(&sp, 0, row);
  const double scale = 0.5 * specimen_mass(&sp) * GRAVITY * 1.5;
  char what[80];
  snprintf(what, sizeof what, "%d x %d upright by one side: energy gained", side, side);
  line_at_most(what, settings_text(&config, CLOTH_AUTOMATIC), energy_gained(&sp, 1) / scale, ENERGY_GAIN);
  specimen_free(&sp);
}

static void test_energy_of_swings(void) {
  for (int side = 16; side <= 48; side += 16) {
    for (int n = 0; n < SUBSTEP_CASES; n++)
      judge_swung_energy(side, all_substeps[n]);
  }
}

/* A sheet of a fabric without gravity, bent to a curl and spinning. The scale is its energy at the start. */
static void judge_free_energy(const char *name, const cloth_fabric *fabric, int substeps) {
  static cloth_vector places[COUNT_MOST];
  cloth_config config = plain_config(ENERGY_SIDE, ENERGY_SIDE);
  config.fabric = *fabric;
  config.gravity = zero_vector;
  undamp(&config);
  crumple_sheet(ENERGY_SIDE, ENERGY_SIDE, 0.0, places);
  config.grid.positions = places;
  set_steps(&config, substeps, CLOTH_AUTOMATIC);
  specimen sp = specimen_make(&config);
  set_motion(&sp, (point){0.0, 0.0, 0.0}, (point){0.9, 3.0, 0.6});
  double scale = total_energy(&sp);
  char what[80];
  snprintf(what, sizeof what, "%s spins freely: energy gained", name);
  line_at_most(what, settings_text(&config, CLOTH_AUTOMATIC), energy_gained(&sp, ENERGY_SECONDS) / scale, ENERGY_GAIN);
  specimen_free(&sp);
}

static void test_energy_of_fabrics(void) {
  cloth_fabric usual = cloth_config_default().fabric;
  for (int n = 0; n < SUBSTEP_CASES; n++) {
    judge_hung_energy("default fabric", &usual, all_substeps[n]);
    judge_free_energy("default fabric", &usual, all_substeps[n]);
  }
  for (int kind = 0; kind < CLOTH_FABRIC_COUNT; kind++) {
    cloth_fabric fabric;
    cloth_fabric_preset((cloth_fabric_kind)kind, &fabric);
    for (int n = 0; n < SUBSTEP_CASES; n++) {
      judge_hung_energy(fabric_names[kind], &fabric, all_substeps[n]);
      judge_free_energy(fabric_names[kind], &fabric, all_substeps[n]);
    }
  }
}

/* Explicit steps, all implicit ones, and the thesis's scheme, whose soft shear is explicit beside implicit stretch. */
static void test_energy_of_methods(void) {
  static const char *const names[] = {"explicit", "implicit", "imex", "imex, soft shear"};
  for (int n = 0; n < 4; n++) {
    cloth_config config = plain_config(ENERGY_SIDE, ENERGY_SIDE);
    if (n >= 2) CHECK(cloth_config_use_imex(&config) == CLOTH_OK, "cloth_config_use_imex()");
    if (n == 3) config.fabric.shear = 14400.0f / (ENERGY_SIDE * ENERGY_SIDE);
    undamp(&config);
    if (n == 0) {
      config.integration.method = CLOTH_INTEGRATION_EXPLICIT_ONLY;
      config.integration.max_substeps = CLOTH_SUBSTEP_LIMIT;
      config.substeps = CLOTH_AUTOMATIC;
    } else if (n == 1) {
      config.integration.method = CLOTH_INTEGRATION_IMPLICIT;
    }
    specimen sp = specimen_make(&config);
    pin_two_corners(&sp);
    const double scale = 0.5 * specimen_mass(&sp) * GRAVITY;
    line_at_most("by two corners: energy gained", names[n], energy_gained(&sp, ENERGY_SECONDS) / scale, ENERGY_GAIN);
    specimen_free(&sp);
  }
}

/* Crumples of the other kinds, and uneven frames. */
static void judge_kind_energy(int kind, int is_uneven, int substeps) {
  specimen sp = open_free(kind, 1, 0.0, substeps);
  set_motion(&sp, (point){0.0, 0.0, 0.0}, (point){0.9, 3.0, 0.6});
  double start = total_energy(&sp), most = 0.0;
  for (int frame = 0; frame < 60 * ENERGY_SECONDS; frame++) {
    step_once(&sp, frame_of(is_uneven, frame));
    most = larger(most, total_energy(&sp) - start);
  }
  char what[80];
  snprintf(what, sizeof what, "%s spins freely, %s: energy gained", free_names[kind], frames_name(is_uneven));
  line_at_most(what, settings_text(&sp.config, CLOTH_AUTOMATIC), most / start, ENERGY_GAIN);
  specimen_free(&sp);
}

static void test_energy_of_kinds(void) {
  for (int kind = 0; kind < FREE_KINDS; kind++) {
    for (int n = 0; n < SUBSTEP_CASES; n++) {
      judge_kind_energy(kind, 0, all_substeps[n]);
      judge_kind_energy(kind, 1, all_substeps[n]);
    }
  }
}

/* A sleeve whose ends are pinned goes with its pins, and these stop: what it has above its energy of then. */
static void judge_stopped_pins(double speed, int substeps) {
  enum { SIDE = 6 };
  static cloth_vector places[SIDE * SIDE];
  cloth_config config = lying_tube(SIDE, SIDE, places);
  config.edge_warp = vector_at(0.141, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, 0.1);
  config.grid.positions = NULL;
  config.fabric.density = 1.66f;
  config.fabric.stretch_warp = config.fabric.stretch_weft = 9390.0f;
  config.fabric.shear = 3000.0f;
  undamp(&config);
  set_steps(&config, substeps, CLOTH_AUTOMATIC);
  specimen sp = specimen_make(&config);
  for (int i = 0; i < SIDE * SIDE; i++) {
    if (i < SIDE || i >= SIDE * (SIDE - 1)) pin_at(&sp, i % SIDE, i / SIDE);
  }
  for (int frame = 0; frame < 60; frame++) {
    for (int i = 0; i < SIDE * SIDE; i++) {
      const point to = point_sum(position_of(sp.s.sheet, i), (point){speed / 120.0, 0.0, 0.0});
      if (i < SIDE || i >= SIDE * (SIDE - 1)) cloth_move_pin(sp.s.sheet, i, vector_of(to));
    }
    step_once(&sp, 1.0f / 120.0f);
  }
  double least = total_energy(&sp), gained = 0.0;
  const double scale = 0.5 * specimen_mass(&sp) * speed * speed;
  for (int frame = 0; frame < 30; frame++) {
    step_once(&sp, 1.0f / 120.0f);
    const double energy = total_energy(&sp);
    gained = larger(gained, energy - least);
    least = energy < least ? energy : least;
  }
  char what[80];
  snprintf(what, sizeof what, "pins that stop from %g m/s: energy gained", speed);
  line_at_most(what, settings_text(&config, CLOTH_AUTOMATIC), gained / scale, ENERGY_GAIN);
  specimen_free(&sp);
}

static void test_energy_of_stopped_pins(void) {
  static const double speeds[] = {0.6, 1.2, 2.4};
  for (int k = 0; k < 3; k++) {
    for (int n = 0; n < SUBSTEP_CASES; n++)
      judge_stopped_pins(speeds[k], all_substeps[n]);
  }
}

static const test tests[] = {TEST(measures),
                             TEST(free_fall),
                             TEST(momenta),
                             TEST(impulses),
                             TEST(air),
                             TEST(energy_of_fabrics),
                             TEST(energy_of_swings),
                             TEST(energy_of_methods),
                             TEST(energy_of_kinds),
                             TEST(energy_of_stopped_pins)};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
