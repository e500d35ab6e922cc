/*
 * Analytic cases of a mass-spring cloth, run through the public interface. Every row of the table is a number that a
 * formula gives and the library must reach; the formulas stand beside their cases.
 *
 * The library spreads a sheet's mass evenly over its nodes: m = density * area / (columns * rows). A chain is a strip
 * two particles wide whose stiffness across is zero: two chains side by side that know nothing of each other, on
 * square cells so that a spring's constant is the fabric's stiffness.
 */
#define _XOPEN_SOURCE 600 /* j0() */
#include "check.h"
#include "cloth.h"
#include "rows.h"
#include "schemes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define STANDARD_GRAVITY 9.81

/// Sheets ///

static int steps_refused;

static unsigned char arena[1 << 20] __attribute__((aligned(CLOTH_ALIGNMENT)));

/* Particles that move by their springs alone: no gravity, no air, no damping, no limits, one substep a step, and a
   solver that is stopped by its tolerance rather than by its cap. */
static cloth_config bare_config(int32_t columns, int32_t rows) {
  cloth_config config = cloth_config_default();
  use_two_tiers(&config);
  config.columns = columns;
  config.rows = rows;
  memset(&config.fabric, 0, sizeof config.fabric);
  config.fabric.density = 0.2f;
  config.integration.velocity_damping = 0.0f;
  config.integration.rest_drag = 0.0f;
  config.gravity = (cloth_vector){0.0f, 0.0f, 0.0f};
  config.air.drag = 0.0f;
  config.air.lift = 0.0f;
  config.grid.min_bending_length = 0.0f;
  config.air.normal_drag = 0.0f;
  config.substeps = 1;
  config.solver.max_iterations = 400;
  config.solver.tolerance = 1e-4f;
  config.max_colliders = 1;
  return config;
}

static double length_of(cloth_vector v) {
  return sqrt((double)v.x * (double)v.x + (double)v.y * (double)v.y + (double)v.z * (double)v.z);
}

static double distance(cloth_vector a, cloth_vector b) {
  return length_of((cloth_vector){b.x - a.x, b.y - a.y, b.z - a.z});
}

static double node_mass(const cloth_config *config) {
  double area = length_of(config->edge_warp) * length_of(config->edge_weft);
  return (double)config->fabric.density * area / (double)(config->columns * config->rows);
}

/* Sets the density that gives every node this mass. */
static void set_node_mass(cloth_config *config, double mass) {
  double area = length_of(config->edge_warp) * length_of(config->edge_weft);
  config->fabric.density = (float)(mass * (double)(config->columns * config->rows) / area);
}

static cloth *open_sheet(const cloth_config *config) {
  cloth *sheet = NULL;
  int result = cloth_init(config, arena, sizeof arena, &sheet);
  CHECK(result == CLOTH_OK, "cloth_init: %s", cloth_result_name(result));
  if (result != CLOTH_OK) { exit(check_report()); }
  return sheet;
}

static void advance(cloth *sheet, double dt) {
  if (cloth_step(sheet, (float)dt) < 0) { steps_refused++; }
}

static void advance_for(cloth *sheet, double seconds, double dt) {
  int steps = (int)(seconds / dt + 0.5);
  for (int i = 0; i < steps; i++) {
    advance(sheet, dt);
  }
}

static cloth_vector vector(double x, double y, double z) {
  return (cloth_vector){(float)x, (float)y, (float)z};
}

static cloth_vector position_of(const cloth *sheet, int32_t particle) {
  cloth_vector position = {0.0f, 0.0f, 0.0f};
  cloth_get_position(sheet, particle, &position);
  return position;
}

static cloth_vector velocity_of(const cloth *sheet, int32_t particle) {
  cloth_vector velocity = {0.0f, 0.0f, 0.0f};
  cloth_get_velocity(sheet, particle, &velocity);
  return velocity;
}

static void pin_column(cloth *sheet, const cloth_config *config, int32_t column) {
  for (int32_t row = 0; row < config->rows; row++) {
    cloth_pin(sheet, cloth_particle_at(sheet, column, row));
  }
}

static void pin_row(cloth *sheet, const cloth_config *config, int32_t row) {
  for (int32_t column = 0; column < config->columns; column++) {
    cloth_pin(sheet, cloth_particle_at(sheet, column, row));
  }
}

/* Mean over all particles of the component of a position or velocity along `axis`. */
static double mean_along(cloth_vector_view range, cloth_vector axis) {
  double sum = 0.0;
  for (int32_t i = 0; i < range.count; i++) {
    sum +=
        (double)range.x[i] * (double)axis.x + (double)range.y[i] * (double)axis.y + (double)range.z[i] * (double)axis.z;
  }
  return sum / (double)range.count;
}

static double mean_position(const cloth *sheet, cloth_vector axis) {
  cloth_vector_view range;
  cloth_get_positions(sheet, &range);
  return mean_along(range, axis);
}

/// Frequencies ///

/* Upward zero crossings of a signal, interpolated linearly between its samples. */
typedef struct crossings {
  double before_time, before_value;
  double first, last;
  int count, samples;
} crossings;

static void crossings_add(crossings *c, double time, double value) {
  if (c->samples > 0 && c->before_value < 0.0 && value >= 0.0) {
    double share = c->before_value / (c->before_value - value);
    c->last = c->before_time + share * (time - c->before_time);
    if (c->count == 0) { c->first = c->last; }
    c->count++;
  }
  c->before_time = time;
  c->before_value = value;
  c->samples++;
}

static double crossings_frequency(const crossings *c) {
  return c->count > 1 ? (double)(c->count - 1) / (c->last - c->first) : 0.0;
}

/// A3 Hanging chain ///

/* N links of constant ks; link i carries the i masses below it, so the chain lengthens by
   (m g / ks) (1 + 2 + ... + N). The stiffness is chosen for a fifth of its length. Whatever the iterations: a tolerance
   of 0 is few of them. */
static void hanging_chain(float tolerance, const char *name) {
  const int32_t links = 20;
  const double lengthening = 0.2;
  cloth_config config = bare_config(2, links + 1);
  config.edge_warp = vector(1.0 / links, 0.0, 0.0);
  config.edge_weft = vector(0.0, -1.0, 0.0);
  config.gravity = vector(0.0, -STANDARD_GRAVITY, 0.0);
  config.integration.velocity_damping = 10.0f;
  config.integration.method = CLOTH_INTEGRATION_IMPLICIT;
  config.solver.tolerance = tolerance;
  double sum = links * (links + 1) / 2.0;
  config.fabric.stretch_weft = (float)(node_mass(&config) * STANDARD_GRAVITY * sum / lengthening);
  cloth *sheet = open_sheet(&config);
  pin_row(sheet, &config, 0);
  advance_for(sheet, 20.0, 1.0 / 60.0);
  double expected = node_mass(&config) * STANDARD_GRAVITY / (double)config.fabric.stretch_weft * sum;
  double lowest = (double)position_of(sheet, cloth_particle_at(sheet, 0, links)).y;
  char what[64];
  snprintf(what, sizeof what, "lengthening of 20 hanging links, %s [m]", name);
  row_relative("A3", what, expected, -lowest - 1.0, 1e-4);
}

static void test_hanging_chain(void) {
  hanging_chain(1e-4f, "solved");
  hanging_chain(0.0f, "few iterations");
}

/// A4 Catenary ///

typedef struct catenary {
  double sag, end_angle, parameter;
} catenary;

/* Two chains of length 1 over a span of 0.6 settle from the shape of a V. The stiffness makes the steepest link
   1e-4 longer at most: tension there is about half the weight. */
static catenary settle_catenary(int32_t links) {
  const double span = 0.6, depth = 0.4;
  cloth_vector start[2 * 51];
  cloth_config config = bare_config(links + 1, 2);
  config.edge_warp = vector(1.0, 0.0, 0.0);
  config.edge_weft = vector(0.0, 0.0, 1.0 / links);
  config.gravity = vector(0.0, -STANDARD_GRAVITY, 0.0);
  config.integration.velocity_damping = 5.0f;
  config.integration.method = CLOTH_INTEGRATION_IMPLICIT;
  set_node_mass(&config, 1e-4);
  config.fabric.stretch_warp = (float)(node_mass(&config) * STANDARD_GRAVITY * links * 0.5 / 1e-4 * links);
  for (int32_t i = 0; i < 2 * (links + 1); i++) {
    double share = (double)(i % (links + 1)) / links;
    start[i] = vector(span * share, -depth * (1.0 - fabs(2.0 * share - 1.0)), (double)(i / (links + 1)) / links);
  }
  config.grid.positions = start;
  cloth *sheet = open_sheet(&config);
  pin_column(sheet, &config, 0);
  pin_column(sheet, &config, links);
  advance_for(sheet, 10.0, 1.0 / 480.0);

  cloth_vector end = position_of(sheet, 0), second = position_of(sheet, 1), third = position_of(sheet, 2);
  double steep = ((double)end.y - (double)second.y) / ((double)second.x - (double)end.x);
  double next = ((double)second.y - (double)third.y) / ((double)third.x - (double)second.x);
  catenary shape;
  shape.sag = -(double)position_of(sheet, links / 2).y;
  /* The slope of a catenary is linear in its arc length, s / a, and that of link i is its value at the link's middle:
     half a link on lies the end. */
  shape.end_angle = atan(steep + 0.5 * (steep - next)) * 180.0 / PI;
  shape.parameter = 1.0 / links / (steep - next);
  return shape;
}

static void test_catenaries(void) {
  catenary coarse = settle_catenary(10), middle = settle_catenary(20), fine = settle_catenary(50);
  row_relative("A4", "catenary parameter a, 20 links [m]", 0.163168, middle.parameter, 0.01);
  row_relative("A4", "sag, 20 links [m]", 0.362782, middle.sag, 0.01);
  row_relative("A4", "angle at the ends, 20 links [deg]", 71.927, middle.end_angle, 0.01);
  row_relative("A4b", "sag of the discrete chain, 10 links [m]", 0.365545, coarse.sag, 2e-3);
  row_relative("A4b", "sag of the discrete chain, 20 links [m]", 0.363453, middle.sag, 2e-3);
  row_relative("A4b", "sag of the discrete chain, 50 links [m]", 0.362889, fine.sag, 2e-3);
}

/// A5 Swing ///

/* A hanging sheet of length 1 swings with w = (j01 / 2) sqrt(g / L) in the shape J0(j01 sqrt(s)), s from the free
   edge. With equal node masses the free edge is too heavy by half a cell; the discrete values for 20 links, with that
   and with half a mass at the end, are known. The sheet starts stretched by its weight, 1e-3 at the top, so that
   nothing but the swing moves. */
static double swing_period(int32_t links, int32_t integration, double k, double end_mass) {
  const int32_t width = 5;
  const double bessel_root = 2.404825557695773, amplitude = 0.02, longest_strain = 1e-3;
  cloth_config config = bare_config(width, links + 1);
  config.edge_warp = vector((double)(width - 1) / links, 0.0, 0.0);
  config.edge_weft = vector(0.0, -1.0, 0.0);
  config.gravity = vector(0.0, -STANDARD_GRAVITY, 0.0);
  config.integration.method = (int32_t)integration;
  double weight = node_mass(&config) * STANDARD_GRAVITY;
  double stiffness = weight * links * links / longest_strain;
  config.fabric.stretch_warp = config.fabric.stretch_weft = (float)stiffness;
  config.fabric.shear = (float)(0.1 * stiffness);
  float mass_map[5 * (40 + 1)];
  for (int32_t i = 0; i < width * (links + 1); i++) {
    mass_map[i] = i / width == links ? (float)end_mass : 1.0f;
  }
  config.grid.mass_map = mass_map;
  cloth *sheet = open_sheet(&config);
  pin_row(sheet, &config, 0);
  double hang = 0.0;
  for (int32_t row = 1; row <= links; row++) {
    hang += 1.0 / links + weight * (links - row + end_mass) / stiffness;
    double aside = amplitude * j0(bessel_root * sqrt(1.0 - (double)row / links));
    for (int32_t column = 0; column < width; column++) {
      int particle = cloth_particle_at(sheet, column, row);
      cloth_set_particle(sheet, particle, vector((double)column / links, -hang, aside), vector(0.0, 0.0, 0.0));
    }
  }
  crossings swing = {0};
  for (int i = 0; i < (int)(14.0 / k); i++) {
    advance(sheet, k);
    crossings_add(&swing, k * i, mean_position(sheet, vector(0.0, 0.0, 1.0)));
  }
  return 1.0 / crossings_frequency(&swing);
}

static void test_swings(void) {
  const double k = 1.0 / 240.0;
  row_relative("A5", "period, 20 links, explicit [s]", 1.68894,
               swing_period(20, CLOTH_INTEGRATION_EXPLICIT_ONLY, 1.5e-4, 1.0), 0.01);
  row_relative("A5", "period, 20 links, implicit [s]", 1.68894, swing_period(20, CLOTH_INTEGRATION_IMPLICIT, k, 1.0),
               0.01);
  row_relative("A5", "period, 20 links, half end mass [s]", 1.66960,
               swing_period(20, CLOTH_INTEGRATION_IMPLICIT, k, 0.5), 0.01);
  row_relative("A5", "period, 40 links, continuum [s]", 1.66837, swing_period(40, CLOTH_INTEGRATION_IMPLICIT, k, 1.0),
               0.01);
}

/// A6 Waves ///

/* Mode n of N links under tension: w_n = (2 c / h) sin(n pi / 2 N), c^2 = T / sigma. The links are pulled to twice
   their rest length; transversely only the tension counts. Node mass sigma h^2 and tension T h a chain make it a strip
   of sigma = 0.1 kg/m^2 under T = 10 N/m. Mode n is exactly sin(n pi i / N), and the sum over it is free of the
   others. */
static double wave_frequency(int mode, int32_t integration) {
  enum { LINKS = 20 };
  const double h = 1.0 / LINKS, tension = 10.0, density = 0.1, amplitude = 1e-3, k = 1e-4;
  cloth_vector start[2 * (LINKS + 1)];
  cloth_config config = bare_config(LINKS + 1, 2);
  config.edge_warp = vector(0.5, 0.0, 0.0);
  config.edge_weft = vector(0.0, 0.0, 0.5 * h);
  set_node_mass(&config, density * h * h);
  config.fabric.stretch_warp = (float)(tension * h / (0.5 * h));
  config.integration.method = (int32_t)integration;
  double shape[LINKS + 1];
  for (int i = 0; i < 2 * (LINKS + 1); i++) {
    int column = i % (LINKS + 1);
    shape[column] = sin(mode * PI * column / LINKS);
    start[i] = vector(h * column, amplitude * shape[column], 0.5 * h * (i / (LINKS + 1)));
  }
  config.grid.positions = start;
  cloth *sheet = open_sheet(&config);
  pin_column(sheet, &config, 0);
  pin_column(sheet, &config, LINKS);
  crossings wave = {0};
  for (int i = 0; i < (int)(2.0 / k); i++) {
    advance(sheet, k);
    cloth_vector_view range;
    cloth_get_positions(sheet, &range);
    double sum = 0.0;
    for (int j = 0; j <= LINKS; j++) {
      sum += (double)range.y[j] * shape[j];
    }
    crossings_add(&wave, k * i, sum);
  }
  return crossings_frequency(&wave);
}

static void test_waves(void) {
  const double expected[3] = {4.99486, 9.95893, 14.86159};
  for (int mode = 1; mode <= 3; mode++) {
    char what[64];
    snprintf(what, sizeof what, "wave, mode %d, explicit [Hz]", mode);
    row_relative("A6", what, expected[mode - 1], wave_frequency(mode, CLOTH_INTEGRATION_EXPLICIT_ONLY), 1e-3);
    snprintf(what, sizeof what, "wave, mode %d, implicit [Hz]", mode);
    row_relative("A6", what, expected[mode - 1], wave_frequency(mode, CLOTH_INTEGRATION_IMPLICIT), 1e-3);
  }
}

/// A6c, A8 One oscillator ///

static const double oscillator_amplitude = 0.3;

/* Two particles on springs of length 1 that also push, each confined to its spring's line, at rest at
   `oscillator_amplitude` out of balance. Balance is at y = 0. */
static cloth *open_oscillator(double frequency, int32_t integration) {
  cloth_config config = bare_config(2, 2);
  config.origin = vector(0.0, 1.0, 0.0);
  config.edge_warp = vector(1.0, 0.0, 0.0);
  config.edge_weft = vector(0.0, -1.0, 0.0);
  config.fabric.compression = 1.0f;
  config.fabric.stretch_weft = (float)(node_mass(&config) * frequency * frequency);
  config.integration.method = (int32_t)integration;
  cloth *sheet = open_sheet(&config);
  pin_row(sheet, &config, 0);
  for (int32_t column = 0; column < 2; column++) {
    int particle = cloth_particle_at(sheet, column, 1);
    cloth_set_particle(sheet, particle, vector(column, -oscillator_amplitude, 0.0), vector(0.0, 0.0, 0.0));
    cloth_confine_to_line(sheet, particle, vector(0.0, 1.0, 0.0));
  }
  return sheet;
}

/* An explicit spring acts where its ends would go by themselves, v' = v - w^2 k (x + k v): from rest
   x_n = x_0 r^n cos(n t), with cos t = r = sqrt(1 - w^2 k^2). Returns by how much of x_0 it is off in 100 steps. */
static double explicit_deviation(double turn) {
  const double k = 0.01, ratio = sqrt(1.0 - turn * turn);
  cloth *sheet = open_oscillator(turn / k, CLOTH_INTEGRATION_EXPLICIT_ONLY);
  double farthest = 0.0, size = 1.0;
  for (int i = 1; i <= 100; i++) {
    advance(sheet, k);
    size *= ratio;
    double expected = -size * cos(i * acos(ratio));
    farthest = fmax(farthest, fabs((double)position_of(sheet, 2).y / oscillator_amplitude - expected));
  }
  return farthest;
}

static void test_oscillator_explicit(void) {
  row_error("A6c", "off the explicit spring's formula, w k = 0.1", explicit_deviation(0.1), 1e-5);
  row_error("A6c", "off the explicit spring's formula, w k = 0.57", explicit_deviation(0.57), 1e-5);
}

/* In (x, v / w) backward Euler is a turn by atan(w k) times 1 / sqrt(1 + w^2 k^2), exactly, in each step. */
static void test_oscillator_implicit(void) {
  const double frequency = 10.0, k = 0.01;
  cloth *sheet = open_oscillator(frequency, CLOTH_INTEGRATION_IMPLICIT);
  double before = 1.0, turned = 0.0, angle_before = PI, first = 0.0, end = 0.0;
  for (int i = 1; i <= 100; i++) {
    advance(sheet, k);
    double x = (double)position_of(sheet, 2).y / oscillator_amplitude;
    double v = (double)velocity_of(sheet, 2).y / oscillator_amplitude / frequency;
    double angle = atan2(v, x);
    turned += fmod(angle_before - angle + 4.0 * PI, 2.0 * PI);
    angle_before = angle;
    end = sqrt(x * x + v * v);
    first = i == 1 ? end / before : first;
  }
  row_relative("A6c", "decay in one step, implicit", 1.0 / sqrt(1.0 + frequency * frequency * k * k), first, 1e-3);
  row_relative("A6c", "decay in 1 s, implicit", 0.60804, end, 1e-3);
  row_relative("A6c", "frequency, implicit [rad/s]", atan(frequency * k) / k, turned / 1.0, 1e-3);
}

/* A grid of springs has modes up to w^2 = 4 ks / m, and is stable up to w^2 k^2 = 4/3: beyond, steps are refused. */
static void test_explicit_bound(void) {
  const double k = 0.01, turn = sqrt(1.0 / 3.0);
  cloth *sheet = open_oscillator(0.999 * turn / k, CLOTH_INTEGRATION_EXPLICIT_ONLY);
  CHECK(cloth_step(sheet, (float)k) >= CLOTH_OK, "A8: a step below the bound is refused");
  sheet = open_oscillator(1.001 * turn / k, CLOTH_INTEGRATION_EXPLICIT_ONLY);
  CHECK(cloth_step(sheet, (float)k) == CLOTH_ERROR_UNSTABLE, "A8: a step above the bound is made");
}

/// A9 Momentum ///

typedef struct momenta {
  double linear[3], angular[3];
} momenta;

static momenta momenta_of(const cloth *sheet, double mass) {
  momenta sum = {{0}, {0}};
  cloth_vector_view p, v;
  cloth_get_positions(sheet, &p);
  cloth_get_velocities(sheet, &v);
  for (int32_t i = 0; i < p.count; i++) {
    double x[3] = {(double)p.x[i], (double)p.y[i], (double)p.z[i]};
    double u[3] = {(double)v.x[i], (double)v.y[i], (double)v.z[i]};
    for (int a = 0; a < 3; a++) {
      int b = (a + 1) % 3, c = (a + 2) % 3;
      sum.linear[a] += mass * u[a];
      sum.angular[a] += mass * (x[b] * u[c] - x[c] * u[b]);
    }
  }
  return sum;
}

/// A11 Rotation ///

/* Two pairs of masses of 1 kg at the ends of a link of rest length 1, `radius` from its middle, which turn about the z
   axis and draw apart, both in 1/s. */
static cloth *open_pairs(int32_t integration, double stiffness, double radius, double turn, double apart) {
  cloth_config config = bare_config(2, 2);
  config.edge_warp = vector(1.0, 0.0, 0.0);
  config.edge_weft = vector(0.0, 0.0, 1.0);
  set_node_mass(&config, 1.0);
  config.fabric.stretch_warp = (float)stiffness;
  config.fabric.stretch_damping = 0.3f;
  config.integration.method = (int32_t)integration;
  cloth *sheet = open_sheet(&config);
  const double angle = 0.3;
  for (int32_t i = 0; i < 4; i++) {
    double x = (i % 2 == 0 ? -radius : radius) * cos(angle), y = (i % 2 == 0 ? -radius : radius) * sin(angle);
    cloth_set_particle(sheet, i, vector(x, y, i / 2), vector(apart * x - turn * y, apart * y + turn * x, 0.0));
  }
  return sheet;
}

/* Damping acts along the link alone. The velocities v of ends that turn by the angle w k in a step lead them straight
   on, and apart, by (w k)^2 of the link: damping takes 2 kd w k^2 / m of v, along the link. Returns the share that a
   step takes. */
static double rotation_damping_force(int32_t integration, double k) {
  cloth *sheet = open_pairs(integration, 0.0, 0.55, 2.0, 0.0);
  cloth_vector before = velocity_of(sheet, 1);
  advance(sheet, k);
  return distance(before, velocity_of(sheet, 1)) / length_of(before);
}

/* And where they draw apart it must: v' = -2 kd v / m, so that exp(-2 kd t / m) is left. */
static double parting_left(int32_t integration) {
  cloth *sheet = open_pairs(integration, 0.0, 0.55, 0.0, 0.01);
  double before = length_of(velocity_of(sheet, 1));
  advance_for(sheet, 1.0, 1e-3);
  return length_of(velocity_of(sheet, 1)) / before;
}

/* In free flight on a stretched spring (m w^2 r = ks (2 r - 1)) the damping, which is along the link, keeps the
   angular momentum. Unprojected it would decay to exp(-2 kd t / m) = 0.5488. */
static void test_rotation(void) {
  const double stiffness = 100.0, turn = 2.0;
  row_relative("A11", "velocity change by damping, explicit (rel)", 1.2e-4,
               rotation_damping_force(CLOTH_INTEGRATION_EXPLICIT_ONLY, 0.01), 0.02);
  row_relative("A11", "velocity change by damping, implicit (rel)", 1.2e-4,
               rotation_damping_force(CLOTH_INTEGRATION_IMPLICIT, 0.01), 0.02);
  row_relative("A11", "the same in half a step, implicit (rel)", 3e-5,
               rotation_damping_force(CLOTH_INTEGRATION_IMPLICIT, 0.005), 0.02);
  row_within("A11", "speed along the link after 1 s, explicit", exp(-0.6),
             parting_left(CLOTH_INTEGRATION_EXPLICIT_ONLY), 1e-3);
  row_within("A11", "speed along the link after 1 s, implicit", exp(-0.6), parting_left(CLOTH_INTEGRATION_IMPLICIT),
             1e-3);
  double radius = stiffness / (2.0 * stiffness - turn * turn);
  cloth *sheet = open_pairs(CLOTH_INTEGRATION_EXPLICIT_ONLY, stiffness, radius, turn, 0.0);
  momenta before = momenta_of(sheet, 1.0);
  advance_for(sheet, 1.0, 0.01);
  momenta after = momenta_of(sheet, 1.0);
  row_within("A11", "angular momentum after 1 s / at first", 1.0, after.angular[2] / before.angular[2], 1e-5);
}

/// A14 Cantilever ///

/* What a cantilever is simulated with. Times are those of a strip of 1 m: of one of length L they are sqrt(L) times. */
typedef struct cantilever {
  int32_t links;
  double gamma;
  double kappa;         /* of the stretch springs */
  double step, seconds; /* [s] */
} cantilever;

/// All cases ///

/* The last test: it counts the refused steps of all tests that ran before it. */
static void test_no_step_was_refused(void) {
  CHECK(steps_refused == 0, "%d steps were refused", steps_refused);
}

static const test tests[] = {
    TEST(hanging_chain),       TEST(catenaries),          TEST(swings),         TEST(waves),
    TEST(oscillator_explicit), TEST(oscillator_implicit), TEST(explicit_bound), TEST(rotation),
    TEST(no_step_was_refused),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
