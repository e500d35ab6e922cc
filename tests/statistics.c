/* Statistics of a step, the numbers of substeps, and measures of energy and stretch. SPDX-License-Identifier: MIT */
#include "support.h"

static void expect_statistics(const fixture *s, const cloth_config *config, int result) {
  cloth_statistics st;
  CHECK(cloth_get_statistics(s->sheet, &st) == CLOTH_OK, "no statistics");
  CHECK(st.notes == result, "notes %d, the step returned %d", st.notes, result);
  CHECK(st.substeps >= 1 && st.substeps <= config->integration.max_substeps, "%d substeps", st.substeps);
  int sum = 0, most = 0;
  for (int k = 0; k < st.substeps; k++) {
    int n = cloth_get_substep_iterations(s->sheet, k);
    CHECK(n >= 0 && n <= config->solver.max_iterations, "substep %d took %d iterations", k, n);
    sum += n;
    most = n > most ? n : most;
  }
  CHECK(cloth_get_substep_iterations(s->sheet, st.substeps) < 0, "a substep not taken has iterations");
  CHECK(sum == st.iterations && most == st.max_substep_iterations, "iterations %d of %d, most %d of %d", st.iterations,
        sum, st.max_substep_iterations, most);
  CHECK(st.contacts >= 0 && st.contacts <= s->count, "%d contacts", st.contacts);
  CHECK(st.contacts_sticking >= 0 && st.contacts_sticking <= st.contacts, "%d sticking", st.contacts_sticking);
  CHECK((st.particles_limited > 0) == ((st.notes & CLOTH_NOTE_SPEED_LIMITED) != 0), "limited %d", st.particles_limited);
  CHECK((st.particles_recovered > 0) == ((st.notes & CLOTH_NOTE_RECOVERED) != 0), "recovered %d",
        st.particles_recovered);
}

/* Terms are explicit from the softest on as long as the sum of their bounds is at most the threshold. */
static void expect_modes(const cloth_statistics *st, const cloth_config *config) {
  const double rate = (double)st->substeps / (double)FRAME;
  const double bounds[CLOTH_FAMILY_COUNT] = {
      4.0 * (double)st->kappa[CLOTH_FAMILY_STRETCH_WARP], 4.0 * (double)st->kappa[CLOTH_FAMILY_STRETCH_WEFT],
      8.0 * (double)st->kappa[CLOTH_FAMILY_SHEAR],
      64.0 * (1.0 + rate * (double)config->fabric.bend_damping) * (double)st->kappa[CLOTH_FAMILY_BEND]};
  for (int family = 0; family < CLOTH_FAMILY_COUNT; family++) {
    double sum = 0.0; /* of it and of those before it in that order */
    for (int other = 0; other < CLOTH_FAMILY_COUNT; other++) {
      const int is_before = bounds[other] < bounds[family] || (bounds[other] == bounds[family] && other <= family);
      sum += is_before ? bounds[other] : 0.0;
    }
    const int is_explicit = sum <= (double)config->integration.explicit_threshold;
    const int mode = bounds[family] == 0.0 ? CLOTH_MODE_OFF : is_explicit ? CLOTH_MODE_EXPLICIT : CLOTH_MODE_IMPLICIT;
    CHECK(st->mode[family] == mode, "family %d with kappa %g, sum %g, has mode %d", family, (double)st->kappa[family],
          sum, (int)st->mode[family]);
  }
}

/* kappa = (k / m)(k ks + 2 kd); all particles have the same mass. BDF2, which begins behind the first step, has less of
   it. */
static void expect_kappa(const fixture *s, const cloth_config *config, double mass, int frame) {
  cloth_statistics st;
  cloth_get_statistics(s->sheet, &st);
  const double k = (double)FRAME / st.substeps;
  const double share = frame > 0 ? 1.0 - 5.0 / 9.0 * (double)config->integration.bdf2_blend : 1.0;
  const float stiffness[] = {config->fabric.stretch_warp, config->fabric.stretch_weft, config->fabric.shear};
  const float damping[] = {config->fabric.stretch_damping, config->fabric.stretch_damping,
                           config->fabric.shear_damping};
  for (int family = 0; family < 3; family++) {
    const double expected = share * k / mass * (k * (double)stiffness[family] + 2.0 * (double)damping[family]);
    double ratio = (double)st.kappa[family] / expected;
    CHECK(ratio > 0.99 && ratio < 1.01, "kappa of family %d is %g, not %g", family, (double)st.kappa[family], expected);
  }
  expect_modes(&st, config);
}

static void test_statistics(void) {
  const float stiffnesses[] = {3000.0f, 300.0f, 1.0f};
  for (int i = 0; i < 3; i++) {
    cloth_config config = square_config(12, 0.3);
    config.fabric.stretch_warp = config.fabric.stretch_weft = stiffnesses[i];
    config.fabric.shear = 0.01f * stiffnesses[i];
    config.fabric.stretch_damping = config.fabric.shear_damping = 1e-4f;
    fixture s = fixture_make(&config);
    double mass = particle_mass(&s, fixture_particle(&s, 6, 6));
    cloth_collider ball = cloth_collider_default();
    cloth_add_collider(s.sheet, &ball);
    int touched = 0;
    for (int frame = 0; frame < 60; frame++) {
      int result = cloth_step(s.sheet, FRAME);
      expect_statistics(&s, &config, result);
      expect_kappa(&s, &config, mass, frame);
      cloth_statistics st;
      cloth_get_statistics(s.sheet, &st);
      touched = st.contacts > touched ? st.contacts : touched;
    }
    CHECK(touched > 0, "the sheet on the ball has no contacts");
    fixture_free(&s);
  }
}

static void test_mode_off(void) {
  cloth_config config = square_config(8, 0.0);
  config.fabric.shear = config.fabric.shear_damping = 0.0f;
  config.fabric.bend = config.fabric.bend_damping = config.grid.min_bending_length = 0.0f;
  fixture s = fixture_make(&config);
  cloth_step(s.sheet, FRAME);
  cloth_statistics st;
  cloth_get_statistics(s.sheet, &st);
  CHECK(st.mode[CLOTH_FAMILY_SHEAR] == CLOTH_MODE_OFF, "shear mode %d", (int)st.mode[CLOTH_FAMILY_SHEAR]);
  CHECK(st.mode[CLOTH_FAMILY_BEND] == CLOTH_MODE_OFF, "bend mode %d", (int)st.mode[CLOTH_FAMILY_BEND]);
  cloth_mode stiff = CLOTH_MODE_IMPLICIT;
  CHECK(st.mode[CLOTH_FAMILY_STRETCH_WARP] == (int32_t)stiff, "warp mode %d", (int)st.mode[0]);
  fixture_free(&s);
}

static void test_fixed_substeps(void) {
  cloth_config config = square_config(8, 0.0);
  const int counts[] = {1, 3, 8, 16}; /* the last is above max_substeps, which caps chosen numbers only */
  for (int i = 0; i < 4; i++) {
    config.substeps = counts[i];
    fixture s = fixture_make(&config);
    CHECK(cloth_step(s.sheet, FRAME) >= CLOTH_OK, "step");
    cloth_statistics st;
    cloth_get_statistics(s.sheet, &st);
    CHECK(st.substeps == counts[i], "%d substeps instead of %d", st.substeps, counts[i]);
    CHECK(cloth_get_substep_iterations(s.sheet, counts[i] - 1) >= 0, "no iterations of the last substep");
    fixture_free(&s);
  }
}

/* Energies of a sheet whose numbers can be worked out by hand. */
static void test_measures(void) {
  cloth_config config = square_config(6, 2.0);
  config.fabric.stretch_warp = config.fabric.stretch_weft = 3000.0f;
  config.fabric.shear = 1000.0f;
  fixture s = fixture_make(&config);
  double mass = 0.0;
  for (int i = 0; i < s.count; i++)
    mass += particle_mass(&s, i);
  cloth_measures m;
  CHECK(cloth_measure(s.sheet, &m) == CLOTH_OK, "no measures");
  CHECK(fabs((double)m.potential_energy - mass * 9.81 * 2.0) < 1e-4 * mass * 9.81 * 2.0, "potential energy %g of %g kg",
        (double)m.potential_energy, mass);
  CHECK(m.kinetic_energy == 0.0f && m.elastic_energy < 1e-9f, "a flat sheet at rest has energy");
  CHECK(m.max_stretch < 1e-6f && m.rms_stretch < 1e-6f, "a flat sheet has strain %g", (double)m.max_stretch);
  for (int i = 0; i < s.count; i++) { /* 1 % longer along the warp, moving at 2 m/s */
    point p = position_of(s.sheet, i);
    cloth_set_particle(s.sheet, i, vector_at(1.01 * p.x, p.y, p.z), vector_at(0.0, 2.0, 0.0));
  }
  cloth_measure(s.sheet, &m);
  CHECK(fabs((double)m.kinetic_energy - 2.0 * mass) < 1e-3 * mass, "kinetic energy %g", (double)m.kinetic_energy);
  CHECK(fabs((double)m.max_stretch - 0.01) < 1e-5, "largest stretch %g", (double)m.max_stretch);
  CHECK(m.rms_stretch > 0.0f && m.rms_stretch <= m.max_stretch, "rms stretch %g", (double)m.rms_stretch);
  double side = 0.2, extension = 0.01 * side; /* 30 warp springs and 50 diagonals, perhaps less on the rim */
  double warp = 0.5 * 3000.0 * extension * extension, diagonal = 0.5 * 1000.0 * extension * extension / 2.0;
  double energy = 30.0 * warp + 50.0 * diagonal;
  CHECK((double)m.elastic_energy > 0.75 * energy && (double)m.elastic_energy < 1.02 * energy, "elastic energy %g of %g",
        (double)m.elastic_energy, energy);
  fixture_free(&s);
}

static const test tests[] = {
    TEST_EACH(both_schemes, statistics),
    TEST_EACH(both_schemes, mode_off),
    TEST_EACH(both_schemes, fixed_substeps),
    TEST_EACH(both_schemes, measures),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
