/* Cloth that nothing holds: it falls as a free body does, keeps its momenta, and takes what comes from outside:
   impulses and air. Include after starts.h and measures.h. SPDX-License-Identifier: MIT */
#ifndef FREE_H
#define FREE_H

#include "measures.h"
#include "starts.h"

#define FREE_SIDE 24
#define FALL_ERROR 1e-4 /* of the speed */
#define SPIN_ERROR 0.01 /* of the angular momentum */
#define FREE_SECONDS 10

/* Of the momentum that would be if all particles moved one way. A coordinate below 0.5 m is rounded by up to 1.5e-8 m,
   in each substep, and a velocity by that over the length of the substep: twice as much with twice as many. */
#define MOMENTUM_ERROR 1e-5 /* with up to 2 substeps */

/// Bodies ///

enum { FREE_SHEET, FREE_TUBE, FREE_MASKED, FREE_MAPPED, FREE_KINDS };
static const char *const free_names[FREE_KINDS] = {"sheet", "tube", "masked sheet", "sheet with a mass map"};

/* Masses from half to twice the usual, and one of 50 times that. */
static void fill_mass_map(float *map) {
  random_source random = {3};
  for (int i = 0; i < FREE_SIDE * FREE_SIDE; i++)
    map[i] = (float)random_real(&random, 0.5, 2.0);
  map[FREE_SIDE * 5 + 7] = 50.0f;
}

/* Level or lying, or crumpled with a noise of a tenth of a cell. No damping; no gravity unless asked for. */
static specimen open_free(int kind, int is_crumpled, double gravity, int substeps) {
  static cloth_vector places[COUNT_MOST];
  static uint8_t mask[COUNT_MOST];
  static float map[FREE_SIDE * FREE_SIDE];
  int is_tube = kind == FREE_TUBE;
  cloth_config config = is_tube ? lying_tube(FREE_SIDE, FREE_SIDE, places) : plain_config(FREE_SIDE, FREE_SIDE);
  undamp(&config);
  config.origin = vector_at(-0.5, 0.0, -0.5);
  config.gravity = vector_at(0.0, -gravity, 0.0);
  if (is_crumpled) {
    (is_tube ? crumple_tube : crumple_sheet)(FREE_SIDE, FREE_SIDE, 0.1 / FREE_SIDE, places);
    config.grid.positions = places;
  }
  if (kind == FREE_MASKED) {
    make_mask(MASK_BLOCKS, FREE_SIDE, mask);
    config.grid.cell_mask = mask;
  }
  if (kind == FREE_MAPPED) {
    fill_mass_map(map);
    config.grid.mass_map = map;
  }
  set_steps(&config, substeps, CLOTH_AUTOMATIC);
  return specimen_make(&config);
}

/* Frames of 1/60 s, or of 1/30 and 1/144 in turn. */
static float frame_of(int is_uneven, int frame) {
  return !is_uneven ? FRAME : frame % 2 ? 1.0f / 30.0f : 1.0f / 144.0f;
}

static const char *frames_name(int is_uneven) {
  return is_uneven ? "uneven frames" : "even frames";
}

/// Free fall ///

/* Thrown up at 2.4 m/s from just below where it ends: coordinates are small, and floats fine. */
static void judge_fall(int kind, int is_uneven, int substeps) {
  specimen sp = open_free(kind, 0, GRAVITY, substeps);
  set_motion(&sp, (point){0.0, 2.4, 0.0}, (point){0.0, 0.0, 0.0});
  double time = 0.0, most = 0.0;
  for (int frame = 0; time < 0.5; frame++) {
    step_once(&sp, frame_of(is_uneven, frame));
    time += (double)frame_of(is_uneven, frame);
  }
  point expected = {0.0, 2.4 - GRAVITY * time, 0.0};
  for (int i = 0; i < sp.s.count; i++) {
    if (sp.mass[i] > 0.0) most = larger(most, point_distance(velocity_of(sp.s.sheet, i), expected));
  }
  char what[80];
  snprintf(what, sizeof what, "%s falls, %s: worst speed, error", free_names[kind], frames_name(is_uneven));
  line_at_most(what, settings_text(&sp.config, CLOTH_AUTOMATIC), most / (GRAVITY * time), FALL_ERROR);
  specimen_free(&sp);
}

static void test_free_fall(void) {
  for (int kind = 0; kind < FREE_KINDS; kind++) {
    for (int n = 0; n < SUBSTEP_CASES; n++) {
      judge_fall(kind, 0, all_substeps[n]);
      judge_fall(kind, 1, all_substeps[n]);
    }
  }
}

/// Momenta ///

static double momentum_goal(int substeps) {
  return MOMENTUM_ERROR * larger(1.0, (double)substeps / DEFAULT_SUBSTEPS);
}

/* Momentum, and the direction and length of the angular momentum, after `start`. */
static void line_momenta(const char *name, const specimen *sp, const motion *start, double speed) {
  motion now = motion_of(sp, NULL);
  const char *settings = settings_text(&sp->config, CLOTH_AUTOMATIC);
  char what[80];
  snprintf(what, sizeof what, "%s: momentum, error", name);
  line_at_most(what, settings, point_distance(now.momentum, start->momentum) / (start->mass * speed),
               momentum_goal(sp->config.substeps));
  snprintf(what, sizeof what, "%s: angular momentum, error", name);
  line_at_most(what, settings, point_distance(now.spin, start->spin) / point_length(start->spin), SPIN_ERROR);
}

/* A crumple that spins and drifts for 10 s. */
static void judge_momenta(int kind, int is_uneven, int substeps) {
  specimen sp = open_free(kind, 1, 0.0, substeps);
  set_motion(&sp, (point){0.02, -0.01, 0.02}, (point){0.9, 3.0, 0.6});
  motion start = motion_of(&sp, NULL);
  double time = 0.0;
  for (int frame = 0; time < FREE_SECONDS; frame++) {
    step_once(&sp, frame_of(is_uneven, frame));
    time += (double)frame_of(is_uneven, frame);
  }
  char name[64];
  snprintf(name, sizeof name, "%s spins 10 s, %s", free_names[kind], frames_name(is_uneven));
  line_momenta(name, &sp, &start, start.rms_speed);
  specimen_free(&sp);
}

static void test_momenta(void) {
  for (int kind = 0; kind < FREE_KINDS; kind++) {
    for (int n = 0; n < SUBSTEP_CASES; n++) {
      judge_momenta(kind, 0, all_substeps[n]);
      judge_momenta(kind, 1, all_substeps[n]);
    }
  }
}

/// From outside ///

/* A crumple at rest takes impulses at two particles: both momenta are those of the impulses, at once and 5 s later. */
static void judge_impulse(int kind, int substeps) {
  const point impulse[2] = {{0.02, 0.01, -0.01}, {-0.01, 0.02, 0.015}};
  const int particle[2] = {FREE_SIDE / 4, FREE_SIDE * FREE_SIDE - FREE_SIDE / 2};
  specimen sp = open_free(kind, 1, 0.0, substeps);
  advance(&sp, 30);
  motion start = motion_of(&sp, NULL);
  for (int k = 0; k < 2; k++) {
    point arm = point_difference(position_of(sp.s.sheet, particle[k]), start.place);
    start.momentum = point_sum(start.momentum, impulse[k]);
    start.spin = point_sum(start.spin, point_cross(arm, impulse[k]));
    CHECK(cloth_apply_impulse(sp.s.sheet, particle[k], vector_of(impulse[k])) == CLOTH_OK, "cloth_apply_impulse");
  }
  char name[64];
  double speed = point_length(impulse[0]) / start.mass;
  for (int k = 0; k < 2; k++) {
    advance(&sp, k ? 300 : 1);
    snprintf(name, sizeof name, "%s, %s after two impulses", free_names[kind], k ? "5 s" : "a step");
    line_momenta(name, &sp, &start, speed);
  }
  specimen_free(&sp);
}

static void test_impulses(void) {
  for (int n = 0; n < SUBSTEP_CASES; n++) {
    judge_impulse(FREE_SHEET, all_substeps[n]);
    judge_impulse(FREE_TUBE, all_substeps[n]);
  }
}

#define AIR_DENSITY 1.2
#define AIR_ERROR 0.02 /* of the speed */
#define AIR_SHARE 0.15 /* of the momenta that are left, as shapes differ */

/* Broadside in air it falls with v = V tanh(g t / V), V^2 = 2 sigma g / (rho c), drag being rho c A / 2 v^2. A step of
   first order is off by what half a substep changes. */
static void judge_broadside(int substeps) {
  cloth_config config = plain_config(FREE_SIDE, FREE_SIDE);
  undamp(&config);
  config.air.density = (float)AIR_DENSITY;
  set_steps(&config, substeps, CLOTH_AUTOMATIC);
  specimen sp = specimen_make(&config);
  double last = sqrt(2.0 * (double)config.fabric.density * GRAVITY / (AIR_DENSITY * (double)config.air.normal_drag));
  const int frames[3] = {6, 18, 96};
  int done = 0;
  for (int k = 0; k < 3; k++) {
    advance(&sp, frames[k] - done);
    done = frames[k];
    double speed = -motion_of(&sp, NULL).momentum.y / specimen_mass(&sp),
           right = last * tanh(GRAVITY * done / 60.0 / last);
    double slope = GRAVITY * (1.0 - right * right / (last * last));
    char what[80];
    snprintf(what, sizeof what, "level sheet in air, mean speed at %.1f s [m/s]", done / 60.0);
    line_near(what, settings_text(&config, CLOTH_AUTOMATIC), speed, right,
              AIR_ERROR * right + 0.5 * slope * (double)FRAME / substeps);
  }
  specimen_free(&sp);
}

/* Momenta of a crumple that spins and drifts in air for 0.5 s, by so many iterations. */
static motion motion_in_air(int substeps, int iterations) {
  static cloth_vector places[COUNT_MOST];
  cloth_config config = plain_config(FREE_SIDE, FREE_SIDE);
  undamp(&config);
  config.gravity = zero_vector;
  config.air.density = (float)AIR_DENSITY;
  crumple_sheet(FREE_SIDE, FREE_SIDE, 0.0, places);
  config.grid.positions = places;
  set_steps(&config, substeps, iterations);
  specimen sp = specimen_make(&config);
  set_motion(&sp, (point){1.0, 0.5, 0.0}, (point){0.9, 3.0, 0.6});
  advance(&sp, 30);
  motion m = motion_of(&sp, NULL);
  specimen_free(&sp);
  return m;
}

/* What air takes from a crumple in 0.5 s: as where each substep is solved. */
static void judge_crumple_in_air(int substeps) {
  motion solved = motion_in_air(substeps, SOLVED), usual = motion_in_air(substeps, CLOTH_AUTOMATIC);
  cloth_config config = plain_config(FREE_SIDE, FREE_SIDE);
  set_steps(&config, substeps, CLOTH_AUTOMATIC);
  const char *settings = settings_text(&config, CLOTH_AUTOMATIC);
  line_share("crumple in air for .5 s: momentum [N s]", settings, point_length(usual.momentum),
             point_length(solved.momentum), 1.0 - AIR_SHARE, 1.0 + AIR_SHARE);
  line_share("crumple in air for .5 s: angular momentum [N m s]", settings, point_length(usual.spin),
             point_length(solved.spin), 1.0 - AIR_SHARE, 1.0 + AIR_SHARE);
}

static void test_air(void) {
  for (int n = 0; n < SUBSTEP_CASES; n++) {
    judge_broadside(all_substeps[n]);
    judge_crumple_in_air(all_substeps[n]);
  }
}

#endif /* FREE_H */
