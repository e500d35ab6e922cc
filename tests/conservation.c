/* Momentum and energy of a cloth without air and damping, in every method of integration, with few substeps, and with
   cloth_config_use_imex(): free flight for 10 s, spinning in the plane and tumbling, and swinging by two corners, with
   its largest stretch. A table; each line ends in ok or missed. `--long` swings for 60 s at every size.
   SPDX-License-Identifier: MIT */
#include "sheets.h"

#define TURN 6.283185307179586 /* angular velocity of the free flight [rad/s] */

/* Goals. */
#define MAX_ANGULAR_ERROR 1e-3 /* of the angular momentum */
#define MAX_LINEAR_ERROR 1e-4  /* of mass times rms speed */
#define MAX_GAIN 1e-3          /* of the energy in free flight */
#define MAX_SWING_GAIN 0.01    /* of weight times size, in the mean over a second */

static int is_long;

/// Methods ///

static void use_defaults(cloth_config *config) {
  (void)config;
}

static void use_10_substeps(cloth_config *config) {
  config->substeps = 10;
}

static void use_4_substeps(cloth_config *config) {
  config->substeps = 4;
}

static void use_explicit(cloth_config *config) {
  config->integration.method = CLOTH_INTEGRATION_EXPLICIT_ONLY;
  config->integration.explicit_threshold = 0.2f;
  config->integration.bdf2_blend = 1.0f;
  config->integration.max_substeps = CLOTH_SUBSTEP_LIMIT;
  config->substeps = CLOTH_AUTOMATIC;
}

static void use_implicit(cloth_config *config) {
  config->integration.method = CLOTH_INTEGRATION_IMPLICIT;
}

static void use_imex(cloth_config *config) {
  CHECK(cloth_config_use_imex(config) == CLOTH_OK, "cloth_config_use_imex() fails");
}

/* Shear so soft that its kappa is 0.08 on every grid: explicit beside implicit stretch. */
static void use_imex_soft_shear(cloth_config *config) {
  use_imex(config);
  config->fabric.shear = 14400.0f / (float)(config->columns * config->columns);
}

static const struct {
  const char *name;
  void (*use)(cloth_config *config);
  int is_few; /* 1: few substeps, which leave strain: elastic energy tells little, and sheets do not swing */
  /* Largest strain of a swinging sheet, over that of a corner's spring that carries half of the weight: 3 for a
     pendulum that falls from the horizontal; more as springs swing, and where a solve is cut short. */
  double most_stretch;
  int stretch, shear; /* the cloth_mode of these families */
} methods[] = {{"defaults", use_defaults, 0, 4.0, CLOTH_MODE_IMPLICIT, CLOTH_MODE_IMPLICIT},
               {"10 a step", use_10_substeps, 1, 4.0, CLOTH_MODE_IMPLICIT, CLOTH_MODE_IMPLICIT},
               {"4 a step", use_4_substeps, 1, 4.0, CLOTH_MODE_IMPLICIT, CLOTH_MODE_IMPLICIT},
               {"explicit", use_explicit, 0, 5.0, CLOTH_MODE_EXPLICIT, CLOTH_MODE_EXPLICIT},
               {"implicit", use_implicit, 0, 6.0, CLOTH_MODE_IMPLICIT, CLOTH_MODE_IMPLICIT},
               {"imex", use_imex, 0, 4.0, CLOTH_MODE_IMPLICIT, CLOTH_MODE_IMPLICIT},
               {"imex soft", use_imex_soft_shear, 0, 4.0, CLOTH_MODE_IMPLICIT, CLOTH_MODE_EXPLICIT}};

enum { METHOD_COUNT = sizeof methods / sizeof methods[0] };

/* A square sheet of 1 m x 1 m around the origin without air and damping. */
static cloth_config lossless_config(int method, int side) {
  cloth_config config = cloth_config_default();
  config.columns = config.rows = side;
  config.origin = vector_at(-0.5, 0.0, -0.5);
  config.max_colliders = 0;
  config.air.density = 0.0f;
  config.integration.velocity_damping = config.integration.rest_drag = 0.0f;
  config.fabric.stretch_damping = config.fabric.shear_damping = config.fabric.bend_damping = 0.0f;
  methods[method].use(&config);
  return config;
}

/// Table ///

static void print_line(int method, int side, const char *what, double measured, const char *goal, int holds) {
  static int lines;
  if (lines++ == 0)
    printf("%-10s %4s  %-44s %12s  %-14s\n", "method", "n", "what", "measured", "goal");
  printf("%-10s %4d  %-44s %12.6f  %-14s  %s\n", methods[method].name, side, what, measured, goal,
         holds ? "ok" : "missed");
  CHECK(holds, "%s, n = %d, %s: %g", methods[method].name, side, what, measured);
}

static void line_within(int method, int side, const char *what, double measured, double expected, double error) {
  char goal[32];
  snprintf(goal, sizeof goal, "%g +- %g", expected, error);
  print_line(method, side, what, measured, goal, fabs(measured - expected) <= error);
}

static void line_at_most(int method, int side, const char *what, double measured, double limit) {
  char goal[32];
  snprintf(goal, sizeof goal, "<= %g", limit);
  print_line(method, side, what, measured, goal, measured <= limit);
}

/// Free flight ///

typedef struct motion {
  point velocity;         /* of the centre of mass [m/s] */
  point spin;             /* angular momentum about it, over the mass of a particle [m^2/s] */
  double rms_speed;       /* [m/s] */
  double kinetic, energy; /* kinetic, and kinetic and elastic [J] */
} motion;

static motion motion_of(const fixture *s) {
  motion m = {mean_velocity(s), {0.0, 0.0, 0.0}, 0.0, 0.0, 0.0};
  const point centre = mean_position(s);
  for (int i = 0; i < s->count; i++) {
    const point v = velocity_of(s->sheet, i);
    const point arm = point_difference(position_of(s->sheet, i), centre);
    m.spin = point_sum(m.spin, point_cross(arm, point_difference(v, m.velocity)));
    m.rms_speed += point_dot(v, v) / s->count;
  }
  m.rms_speed = sqrt(m.rms_speed);
  cloth_measures measures;
  cloth_measure(s->sheet, &measures);
  m.kinetic = (double)measures.kinetic_energy;
  m.energy = m.kinetic + (double)measures.elastic_energy;
  return m;
}

/* Throws the sheet so that it turns about an axis through its middle. */
static fixture throw_sheet(int method, int side, point axis) {
  cloth_config config = lossless_config(method, side);
  config.gravity = zero_vector;
  fixture s = fixture_make(&config);
  for (int i = 0; i < s.count; i++) {
    const point x = position_of(s.sheet, i);
    cloth_set_particle(s.sheet, i, vector_of(x), vector_of(point_scaled(point_cross(axis, x), TURN)));
  }
  return s;
}

static void fly(int method, int side, const char *how, point axis) {
  fixture s = throw_sheet(method, side, axis);
  const motion start = motion_of(&s);
  double most_energy = 0.0;
  motion now = start;
  for (int frame = 0; frame < 600; frame++) {
    const int notes = run_steps(s.sheet, 1, FRAME);
    CHECK(notes == CLOTH_OK, "notes %d", notes);
    now = motion_of(&s);
    most_energy = fmax(most_energy, (methods[method].is_few ? now.kinetic : now.energy) / start.energy);
  }
  const double drift = point_distance(now.velocity, start.velocity) / start.rms_speed;
  char what[64];
  snprintf(what, sizeof what, "%s, momentum after 10 s, error", how);
  line_at_most(method, side, what, drift, MAX_LINEAR_ERROR);
  snprintf(what, sizeof what, "%s, angular momentum after 10 s", how);
  line_within(method, side, what, point_length(now.spin) / point_length(start.spin), 1.0, MAX_ANGULAR_ERROR);
  snprintf(what, sizeof what, "%s, %senergy at most", how, methods[method].is_few ? "kinetic " : "");
  line_at_most(method, side, what, most_energy, 1.0 + MAX_GAIN);
  fixture_free(&s);
}

static void test_free_flight(void) {
  const point across = {0.0, 1.0, 0.0}, along = {1.0, 0.0, 0.0};
  const int sides[] = {24, 48};
  for (int method = 0; method < METHOD_COUNT; method++) {
    for (int i = 0; i < (is_long || method == 0 ? 2 : 1); i++) {
      fly(method, sides[i], "in its plane", across);
      fly(method, sides[i], "tumbling", along);
    }
  }
}

/// Swinging ///

static double energy_of(const fixture *s) {
  cloth_measures m;
  cloth_measure(s->sheet, &m);
  return (double)m.kinetic_energy + (double)m.elastic_energy + (double)m.potential_energy;
}

/* A sheet that is held by two corners and falls from the horizontal. */
static void swing(int method, int side, int seconds) {
  const cloth_config config = lossless_config(method, side);
  fixture s = fixture_make(&config);
  cloth_pin(s.sheet, 0);
  cloth_pin(s.sheet, side - 1);
  const double weight = (double)config.fabric.density * 9.81; /* times its size of 1 m: [J] */
  const double start = energy_of(&s);
  double most = -1e30, stretch = 0.0;
  for (int second = 0; second < seconds; second++) {
    double mean = 0.0;
    for (int frame = 0; frame < 60; frame++) {
      const int notes = run_steps(s.sheet, 1, FRAME);
      CHECK(notes == CLOTH_OK, "notes %d", notes);
      mean += (energy_of(&s) - start) / 60.0;
      cloth_measures m;
      cloth_measure(s.sheet, &m);
      stretch = fmax(stretch, (double)m.max_stretch);
    }
    most = fmax(most, mean / weight);
  }
  char what[64];
  snprintf(what, sizeof what, "swinging for %d s, energy gained at most", seconds);
  line_at_most(method, side, what, most, MAX_SWING_GAIN);
  const double corner = 0.5 * weight * (side - 1) / (double)config.fabric.stretch_warp; /* strain of a spring by it */
  line_at_most(method, side, "swinging, largest stretch over static", stretch / corner, methods[method].most_stretch);
  const cloth_statistics st = read_statistics(s.sheet);
  CHECK(st.mode[CLOTH_FAMILY_STRETCH_WARP] == methods[method].stretch &&
            st.mode[CLOTH_FAMILY_SHEAR] == methods[method].shear,
        "%s, n = %d: modes %d and %d", methods[method].name, side, st.mode[CLOTH_FAMILY_STRETCH_WARP],
        st.mode[CLOTH_FAMILY_SHEAR]);
  fixture_free(&s);
}

static void test_swinging(void) {
  const int sides[] = {16, 32, 64, 128}, seconds[] = {60, 20, 4, 2};
  for (int method = 0; method < METHOD_COUNT; method++) {
    for (int i = 0; i < 4 && !methods[method].is_few; i++)
      swing(method, sides[i], is_long ? 60 : seconds[i]);
  }
}

static const test tests[] = {TEST(free_flight), TEST(swinging)};

int main(int count, char **arguments) {
  is_long = count > 1 && strcmp(arguments[1], "--long") == 0;
  return RUN_TESTS(count - is_long, arguments + is_long, tests);
}
