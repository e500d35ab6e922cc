/* A flag of 1 m x 0.6 m in the wind, held by its hoist, on the default settings but for wind, fabric and pins: how it
   hangs without wind, how often and how far it flaps, and how fast its waves run towards the free edge, beside what is
   published (docs/measurements.md#flag). A table; each line with a goal ends in ok or missed. Then light cloth in a
   storm with few substeps: the force of the air must not overshoot. SPDX-License-Identifier: MIT */
#include "sheets.h"

enum { COLUMNS = 50, ROWS = 30, SETTLE = 240, FRAMES = 2400, EDGE_POINTS = 7, RATE = 60 };

#define LENGTH 1.0
#define HEIGHT 0.6

/* Deflections across the wind, relative to their means: of points of the middle row, and of the free edge. */
typedef struct record {
  double tip[FRAMES], before[FRAMES]; /* at the free edge, and at two thirds of the length [m] */
  double edge[EDGE_POINTS][FRAMES];   /* along the free edge, at its ends and evenly between [m] */
  double droop;                       /* mean depth of the free edge's middle below the hoist's [m] */
  double reach;                       /* mean distance of the free edge's middle from the hoist [m] */
} record;

static record flag_record;

/* The weight of a heavy cotton flag [kg/m^2]. The air that moves with a flag is not simulated; it weighs as much or
   more, which is why lighter flags flap too fast. */
#define FLAG_DENSITY 0.25f

static cloth_config flag_config(double speed) {
  cloth_config config = cloth_config_default();
  config.columns = COLUMNS;
  config.rows = ROWS;
  config.edge_warp = vector_at(LENGTH, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, -HEIGHT, 0.0);
  config.max_colliders = 0;
  cloth_fabric_preset(CLOTH_FABRIC_COTTON, &config.fabric);
  config.fabric.density = FLAG_DENSITY;
  config.wind = vector_at(speed, 0.0, 0.05 * speed); /* not quite along the flag, so that a plane start does not last */
  return config;
}

static void subtract_mean(double *values) {
  double mean = 0.0;
  for (int i = 0; i < FRAMES; i++)
    mean += values[i] / FRAMES;
  for (int i = 0; i < FRAMES; i++)
    values[i] -= mean;
}

/* Flies the flag for four seconds, and then for the forty seconds that are recorded. */
static void record_flag(double speed) {
  const cloth_config config = flag_config(speed);
  fixture s = fixture_make(&config);
  record *r = &flag_record;
  for (int row = 0; row < ROWS; row++)
    cloth_pin(s.sheet, fixture_particle(&s, 0, row));
  run_steps(s.sheet, SETTLE, FRAME);
  r->droop = r->reach = 0.0;
  for (int frame = 0; frame < FRAMES; frame++) {
    const int notes = run_steps(s.sheet, 1, FRAME);
    CHECK(notes == CLOTH_OK, "notes %d", notes);
    const point hoist = position_of(s.sheet, fixture_particle(&s, 0, ROWS / 2));
    const point tip = position_of(s.sheet, fixture_particle(&s, COLUMNS - 1, ROWS / 2));
    r->tip[frame] = tip.z;
    r->before[frame] = position_of(s.sheet, fixture_particle(&s, 2 * COLUMNS / 3, ROWS / 2)).z;
    for (int i = 0; i < EDGE_POINTS; i++) {
      const int row = i * (ROWS - 1) / (EDGE_POINTS - 1);
      r->edge[i][frame] = position_of(s.sheet, fixture_particle(&s, COLUMNS - 1, row)).z;
    }
    r->droop += (hoist.y - tip.y) / FRAMES;
    r->reach += point_distance(tip, hoist) / FRAMES;
  }
  subtract_mean(r->tip);
  subtract_mean(r->before);
  for (int i = 0; i < EDGE_POINTS; i++)
    subtract_mean(r->edge[i]);
  fixture_free(&s);
}

/// Analysis ///

/* Power of a frequency [Hz] in a record, with a Hann window. */
static double power_at(const double *values, double frequency) {
  const double turn = 6.283185307179586;
  double sine = 0.0, cosine = 0.0;
  for (int i = 0; i < FRAMES; i++) {
    const double window = 0.5 - 0.5 * cos(turn * i / FRAMES);
    sine += window * values[i] * sin(turn * frequency * i / RATE);
    cosine += window * values[i] * cos(turn * frequency * i / RATE);
  }
  return sine * sine + cosine * cosine;
}

/* Power of a frequency [Hz], summed over the free edge. */
static double edge_power_at(const record *r, double frequency) {
  double power = 0.0;
  for (int i = 0; i < EDGE_POINTS; i++)
    power += power_at(r->edge[i], frequency);
  return power;
}

/* Mean frequency of the free edge by power, from 0.5 to 15 Hz: a flag's spectrum is broad. */
static double mean_frequency(const record *r) {
  double sum = 0.0, weighted = 0.0;
  for (double frequency = 0.5; frequency <= 15.0; frequency += 0.05) {
    const double power = edge_power_at(r, frequency);
    sum += power;
    weighted += power * frequency;
  }
  return weighted / sum;
}

/* The frequency of the largest power, smoothed over a hertz. */
static double dominant_frequency(const record *r) {
  double most = 0.0, found = 0.0;
  for (double frequency = 0.5; frequency <= 15.0; frequency += 0.25) {
    double power = 0.0;
    for (int i = -10; i <= 10; i++)
      power += edge_power_at(r, frequency + 0.05 * i);
    if (power > most) {
      most = power;
      found = frequency;
    }
  }
  return found;
}

/* Peak to peak of the middle 90 % of the values. */
static double amplitude(const double *values) {
  double sorted[FRAMES];
  memcpy(sorted, values, sizeof sorted);
  for (int i = 1; i < FRAMES; i++) {
    const double value = sorted[i];
    int j = i;
    for (; j > 0 && sorted[j - 1] > value; j--)
      sorted[j] = sorted[j - 1];
    sorted[j] = value;
  }
  return sorted[FRAMES - 1 - FRAMES / 20] - sorted[FRAMES / 20];
}

static double root_mean_square(const double *values) {
  double sum = 0.0;
  for (int i = 0; i < FRAMES; i++)
    sum += values[i] * values[i] / FRAMES;
  return sqrt(sum);
}

/* How far `later` lags behind `earlier` [s]: where their correlation is largest, by a parabola through three frames. */
static double lag_between(const double *earlier, const double *later) {
  enum { MOST = 20 };
  double sums[2 * MOST + 1] = {0.0};
  int best = 1;
  for (int lag = -MOST; lag <= MOST; lag++) {
    for (int i = MOST; i < FRAMES - MOST; i++)
      sums[lag + MOST] += earlier[i] * later[i + lag];
  }
  for (int i = 1; i < 2 * MOST; i++)
    best = sums[i] > sums[best] ? i : best;
  const double left = sums[best - 1], right = sums[best + 1], bow = left - 2.0 * sums[best] + right;
  return (best - MOST + 0.5 * (left - right) / bow) / RATE;
}

/// Table ///

static void line(const char *what, double measured, double low, double high, const char *published) {
  static int lines;
  if (lines++ == 0) printf("%-42s %9s %16s  %-44s\n", "flag of 1 m x 0.6 m", "measured", "goal", "published");
  const int holds = measured >= low && measured <= high;
  printf("%-42s %9.3f %7.2f to %5.2f  %-44s  %s\n", what, measured, low, high, published, holds ? "ok" : "missed");
  CHECK(holds, "%s: %g", what, measured);
}

static double flag_frequencies[3];

static void test_flag(void) {
  const double speeds[] = {4.0, 8.0, 16.0};
  char what[64];
  for (int i = 0; i < 3; i++) {
    const double speed = speeds[i];
    record_flag(speed);
    const record *r = &flag_record;
    const double lag = lag_between(r->before, r->tip);
    flag_frequencies[i] = mean_frequency(r);
    printf("%2.0f m/s: mean frequency %.2f Hz, dominant %.2f Hz, peak to peak %.3f m, droop %.3f m, reach %.3f m, "
           "lag %.4f s\n",
           speed, flag_frequencies[i], dominant_frequency(r), amplitude(r->tip), r->droop, r->reach, lag);
    if (speed != 8.0) continue;
    /* Not the dominant one: the spectrum is flat from 3.5 to 8.5 Hz, and over seeds that is 3.75 to 7.5 Hz by chance.
     */
    line("8 m/s: mean frequency [Hz]", flag_frequencies[i], 2.0, 7.0, "dominant: f L/U .32 to .53, 2.6 to 4.3 Hz");
    line("8 m/s: peak to peak at the free edge / length", amplitude(r->tip) / LENGTH, 0.1, 0.6, ".15 to .4, estimate");
    line("8 m/s: deflection at the edge / at 2/3", root_mean_square(r->tip) / root_mean_square(r->before), 1.0, 4.0,
         "grows towards the free end");
    /* .33 at 2 substeps, .58 at 4, .37 at 8: the flapping is as little regular as this says. */
    line("8 m/s: waves towards the edge, speed / wind",
         LENGTH * (COLUMNS - 1 - 2 * COLUMNS / 3) / (COLUMNS - 1) / lag / speed, 0.3, 1.3,
         "Alben 2021: nearly the wind speed");
    line("8 m/s: droop of the free edge [degrees]", 57.29578 * asin(r->droop / r->reach), 0.0, 35.0,
         "14 from weight and drag");
  }
  for (int i = 0; i < 2; i++) {
    snprintf(what, sizeof what, "mean frequency, %.0f m/s over %.0f m/s", speeds[i + 1], speeds[i]);
    line(what, flag_frequencies[i + 1] / flag_frequencies[i], 1.05, 3.0, "f ~ U: 2");
  }
}

/// Light cloth in a storm ///

/* 60 g/m^2 in 30 m/s with 4 substeps: in one substep the force of the air is larger than what stops the cloth. */
static void test_storm(void) {
  const int sides[] = {16, 32, 64};
  for (int i = 0; i < 3; i++) {
    cloth_config config = flag_config(30.0);
    config.columns = config.rows = sides[i];
    config.substeps = 4;
    config.fabric = cloth_config_default().fabric;
    config.fabric.density = 0.06f;
    fixture s = fixture_make(&config);
    for (int row = 0; row < s.rows; row++)
      cloth_pin(s.sheet, fixture_particle(&s, 0, row));
    double rms = 0.0;
    for (int frame = 0; frame < 300; frame++) {
      const int notes = run_steps(s.sheet, 1, FRAME);
      CHECK(notes == CLOTH_OK, "notes %d", notes);
      rms = fmax(rms, frame < 60 ? 0.0 : rms_speed(&s));
    }
    CHECK(rms < 30.0, "%d x %d: rms speed %g m/s, faster than the wind", sides[i], sides[i], rms);
    fixture_free(&s);
  }
}

/* A loose sheet in a wind across it, of any speed: it reaches at most the speed of the wind, but for what a sheet that
   the wind has tilted keeps along itself, where no air holds it. */
#define TILTED_SHARE 4e-3

static void test_no_overshoot(void) {
  const double speeds[] = {1.0, 30.0, 900.0}, densities[] = {0.001, 0.06, 1.0};
  for (int i = 0; i < 9; i++) {
    cloth_config config = cloth_config_default();
    config.columns = config.rows = 9;
    config.gravity = zero_vector;
    config.integration.velocity_damping = 0.0f;
    config.integration.max_speed = 1e4f;
    config.integration.bdf2_blend = 0.0f; /* which extrapolates a sudden change of velocity */
    config.substeps = 1;
    config.fabric.density = (float)densities[i / 3];
    config.wind = vector_at(0.0, -speeds[i % 3], 0.0);
    fixture s = fixture_make(&config);
    for (int frame = 0; frame < 60; frame++) {
      run_steps(s.sheet, 1, FRAME);
      const double speed = -mean_velocity(&s).y;
      CHECK(speed > 0.0 && speed <= speeds[i % 3] * (1.0 + TILTED_SHARE), "wind %g m/s, %g kg/m^2: %g m/s",
            speeds[i % 3], densities[i / 3], speed);
    }
    fixture_free(&s);
  }
}

static const test tests[] = {TEST(flag), TEST(storm), TEST(no_overshoot)};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
