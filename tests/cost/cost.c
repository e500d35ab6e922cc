/*
 * The work whose instructions tests/cost/cost.sh counts, for a board (port/boards/board.h) under QEMU with counter.c.
 * For everything counted it prints a line that names it, in the order of the counter's lines:
 *
 *   count GRID QUANTITY few|many UNITS       the cost of one unit is the difference of the two over that of their units
 *   count GRID QUANTITY frames 1             the cost of a frame, on average and at most
 *   count 16 cape SETTING STILL SWAYING      likewise, with the stretch that goes with it at rest and at worst before,
 *                                            the 99th percentile over the edges, in 1e-6
 *
 * "bytes" lines tell how large an arena is, "skipped" lines what does not fit the board, and "hash" lines what the work
 * led to: equal on every machine.
 *
 * COST_WORK  0: everything but the settings of the cape; 1: these; 2: the cape in one setting, to see where it goes
 *
 * SPDX-License-Identifier: MIT
 */
#include "../../cloth.h"
#include "../schemes.h"
#include "marks.h"

#ifndef COST_WORK
#define COST_WORK 0
#endif

#define FRAME_SECONDS (1.0f / 60.0f)
#define ARENA_BYTES (400 * 1024)

static unsigned char arena[ARENA_BYTES] __attribute__((aligned(CLOTH_ALIGNMENT)));
/// Scenes ///

/* Each is a sheet of 1 m x 1 m and 0.2 kg with n x n particles. */
typedef struct scene {
  const char *name;
  void (*configure)(cloth_config *config);
  void (*start)(cloth *sheet, int n);
  void (*act)(cloth *sheet, int n, int frame);
} scene;

static cloth_vector vector(float x, float y, float z) {
  cloth_vector v = {x, y, z};
  return v;
}

static void pin(cloth *sheet, int column, int row) {
  cloth_pin(sheet, cloth_particle_at(sheet, column, row));
}

static void pin_corners(cloth *sheet, int n) {
  pin(sheet, 0, 0);
  pin(sheet, n - 1, 0);
}

static void pin_column(cloth *sheet, int n) {
  for (int row = 0; row < n; row++)
    pin(sheet, 0, row);
}

static const float sphere_radius = 0.25f, drop_height = 0.1f;

static void above_sphere(cloth_config *config) {
  config->origin = vector(-0.5f, sphere_radius + config->thickness + drop_height, -0.5f);
}

static void add_sphere(cloth *sheet, int n) {
  (void)n;
  cloth_collider sphere = cloth_collider_default();
  sphere.radius = sphere_radius;
  cloth_add_collider(sheet, &sphere);
}

/* 8 m/s, 15 degrees off the sheet's plane. */
static void in_wind(cloth_config *config) {
  config->edge_weft = vector(0.0f, -1.0f, 0.0f);
  config->wind = vector(7.7274066f, 0.0f, 2.0705524f);
}

/// Cape ///

/* Hangs from the shoulders of a body that sways about for some seconds and then stands still. */
#define MOVING_FRAMES 180
#define RESTING_FRAMES 240
#define MEASURED_FRAMES 60

static const float torso_radius = 0.2f, torso_half_height = 0.25f, head_radius = 0.15f;
enum { TORSO, HEAD };

static void on_back(cloth_config *config) {
  config->origin = vector(-0.5f, 0.0f, 0.0f);
  config->edge_weft = vector(0.0f, -1.0f, 0.0f);
  config->integration.velocity_damping = 2.0f;
  config->fabric.stretch_warp = 1.0e6f;
  config->fabric.stretch_weft = 1.0e6f;
  config->fabric.shear = 1.0e6f;
  config->fabric.bend = 0.0f;
}

/* Like a sine, of period 1, without a library. */
static float wave(float time) {
  float phase = time - (float)(int)time;
  return phase < 0.5f ? 16.0f * phase * (0.5f - phase) : 0.0f - 16.0f * (phase - 0.5f) * (1.0f - phase);
}

static cloth_vector body_at(int frame) {
  float time = (float)(frame < MOVING_FRAMES ? frame : MOVING_FRAMES) * FRAME_SECONDS;
  return vector(0.15f * wave(time), 0.0f, 0.2f * wave(time * (2.0f / 3.0f)));
}

/* Of a part of the body, the cape's origin being between the shoulders on the back. */
static cloth_pose pose_of(int part, int frame) {
  cloth_pose pose = cloth_collider_default().pose;
  pose.position = body_at(frame);
  pose.position.y += part == TORSO ? -0.3f : 0.18f;
  pose.position.z -= torso_radius + 0.02f;
  return pose;
}

static void dress(cloth *sheet, int n) {
  pin_corners(sheet, n);
  cloth_collider part = cloth_collider_default();
  part.shape = CLOTH_SHAPE_CAPSULE;
  part.pose = pose_of(TORSO, 0);
  part.radius = torso_radius;
  part.radius_top = torso_radius;
  part.half_height = torso_half_height;
  cloth_add_collider(sheet, &part);
  part = cloth_collider_default();
  part.pose = pose_of(HEAD, 0);
  part.radius = head_radius;
  cloth_add_collider(sheet, &part);
}

static void carry_shoulder(cloth *sheet, int column, float x, cloth_vector body) {
  cloth_vector target = vector(x + body.x, body.y, body.z);
  cloth_move_pin(sheet, cloth_particle_at(sheet, column, 0), target);
}

static void sway(cloth *sheet, int n, int frame) {
  for (int part = TORSO; part <= HEAD; part++) {
    cloth_pose pose = pose_of(part, frame + 1);
    cloth_move_collider(sheet, part, NULL, &pose);
  }
  carry_shoulder(sheet, 0, -0.5f, body_at(frame + 1));
  carry_shoulder(sheet, n - 1, 0.5f, body_at(frame + 1));
}

static const scene hang = {"hang", NULL, pin_corners, NULL};
static const scene drape = {"drape", above_sphere, add_sphere, NULL};
static const scene flag = {"flag", in_wind, pin_column, NULL};
static const scene cape = {"cape", on_back, dress, sway};

/// Running ///

/* With tethers and 16 substeps, whatever the defaults are: what is counted stays comparable. */
static cloth_config config_of(const scene *s, int n) {
  cloth_config config = cloth_config_default();
  config.columns = n;
  config.rows = n;
  config.max_colliders = 2;
  use_projection(&config);
  if (s->configure != NULL) s->configure(&config);
  return config;
}

static cloth *build(const scene *s, const cloth_config *config) {
  cloth *sheet = NULL;
  int result = cloth_init(config, arena, sizeof arena, &sheet);
  if (result < 0) {
    fail(config->columns, s->name, cloth_result_name(result));
    return NULL;
  }
  s->start(sheet, config->columns);
  return sheet;
}

static void step(const scene *s, cloth *sheet, int n, int frame, int counted) {
  if (s->act != NULL) s->act(sheet, n, frame);
  if (counted) cost_begin();
  int result = cloth_step(sheet, FRAME_SECONDS);
  if (counted) cost_end();
  if (result < 0) fail(n, s->name, cloth_result_name(result));
}

static void print_hash(const cloth *sheet, int n, const char *name, int setting) {
  static const char digits[] = "0123456789abcdef";
  char text[17] = {0};
  uint64_t hash = 0;
  cloth_hash(sheet, &hash);
  for (int i = 0; i < 16; i++)
    text[i] = digits[(hash >> (60 - 4 * i)) & 15u];
  put_word("hash");
  put_number((uint64_t)n);
  put_word(name);
  put_number((uint64_t)setting);
  put_word(text);
  end_line();
}

/// Iterations and substeps ///

#define FEW_ITERATIONS 2
#define MANY_ITERATIONS 10
#define FEW_SUBSTEPS 4
#define MANY_SUBSTEPS 16
#define SUBSTEP_FRAMES 12

/* One substep with all springs implicit that ends at the cap. */
static void count_iterations(int n, const char *quantity, int iterations) {
  cloth_config config = config_of(&flag, n);
  config.integration.method = CLOTH_INTEGRATION_IMPLICIT;
  config.integration.bdf2_blend = 0.0f;
  config.tethers.count = 0;
  config.substeps = 1;
  config.solver.tolerance = 1.0e-4f;
  config.solver.max_iterations = iterations;
  cloth *sheet = build(&flag, &config);
  if (sheet == NULL) return;
  step(&flag, sheet, n, 0, 1);
  cloth_statistics statistics;
  cloth_get_statistics(sheet, &statistics);
  if (statistics.iterations != iterations) fail(n, quantity, "ended before the cap");
  report(n, quantity, iterations == FEW_ITERATIONS ? "few" : "many", (uint64_t)(n * n * iterations));
  print_hash(sheet, n, quantity, iterations);
}

static void count_substeps(int n, int substeps) {
  cloth_config config = config_of(&hang, n);
  config.substeps = substeps;
  cloth *sheet = build(&hang, &config);
  if (sheet == NULL) return;
  for (int frame = 0; frame < SUBSTEP_FRAMES; frame++)
    step(&hang, sheet, n, frame, 1);
  report(n, "substep", substeps == FEW_SUBSTEPS ? "few" : "many", (uint64_t)(n * n * substeps * SUBSTEP_FRAMES));
  print_hash(sheet, n, "substep", substeps);
}

/// Frames ///

/* As many as a second of the smaller grids; the drape has landed after a tenth of it. */
static int frames_of(int n) {
  return n <= 16 ? 60 : 20;
}

static void count_frames_of(const scene *s, const cloth_config *config, const char *quantity, int frames) {
  int n = config->columns;
  cloth *sheet = build(s, config);
  if (sheet == NULL) return;
  for (int frame = 0; frame < frames; frame++)
    step(s, sheet, n, frame, 1);
  report(n, quantity, "frames", 1);
  print_hash(sheet, n, quantity, frames);
}

static void count_frames(const scene *s, int n) {
  cloth_config config = config_of(s, n);
  count_frames_of(s, &config, s->name, frames_of(n));
}

/* Every frame costs nearly the same. */
#define DEFAULT_FRAMES 3

static void count_default_frames(int n) {
  cloth_config config = cloth_config_default();
  config.columns = n;
  config.rows = n;
  count_frames_of(&hang, &config, "hang-default", DEFAULT_FRAMES);
}

/* Does a cloth of this config fit the board? */
static int fits(const cloth_config *config, const char *tier) {
  cloth_memory memory;
  cloth_memory_needed(config, &memory);
  int does = memory.total_bytes <= sizeof arena;
  put_word(does ? "bytes" : "skipped");
  put_number((uint64_t)config->columns);
  put_word(tier);
  put_number(memory.total_bytes);
  end_line();
  return does;
}

static void count_implicit(int n) {
  cloth_config config = config_of(&flag, n);
  if (!fits(&config, "arena-implicit")) return;
  count_iterations(n, "iteration", FEW_ITERATIONS);
  count_iterations(n, "iteration", MANY_ITERATIONS);
  count_default_frames(n);
}

static void count_tethered(int n) {
  cloth_config config = config_of(&hang, n);
  if (!fits(&config, "arena-tethered")) return;
  count_substeps(n, FEW_SUBSTEPS);
  count_substeps(n, MANY_SUBSTEPS);
  count_frames(&hang, n);
  count_frames(&flag, n);
  count_frames(&drape, n);
  count_frames(&cape, n);
}

/// Settings of the cape ///

#define CAPE_PARTICLES 16
#define MOST_SUBSTEPS 8
#define STILL_GOAL 10000   /* stretch at rest, 1e-6 */
#define SWAYING_GOAL 90000 /* the same while the body moves */

/* One in a hundred edges, rounded as the rank of the 99th percentile of n edges is, 0.99 (n - 1). */
#define CAPE_EDGES (2 * CAPE_PARTICLES * (CAPE_PARTICLES - 1))
#define TOP_EDGES (CAPE_EDGES - 99 * (CAPE_EDGES - 1) / 100)

static float strain_between(const cloth_vector_view *x, int i, int j) {
  float dx = x->x[j] - x->x[i], dy = x->y[j] - x->y[i], dz = x->z[j] - x->z[i];
  return __builtin_sqrtf(dx * dx + dy * dy + dz * dz) * (float)(CAPE_PARTICLES - 1) - 1.0f;
}

/* Keeps the largest, in falling order. */
static void insert(float top[TOP_EDGES], float strain) {
  for (int i = 0; i < TOP_EDGES; i++) {
    if (strain > top[i]) {
      float smaller = top[i];
      top[i] = strain;
      strain = smaller;
    }
  }
}

/* The 99th percentile of stretch over all edges along warp and weft. */
static float stretch_now(const cloth *sheet) {
  cloth_vector_view x;
  cloth_get_positions(sheet, &x);
  float top[TOP_EDGES];
  for (int i = 0; i < TOP_EDGES; i++)
    top[i] = -1.0f;
  for (int i = 0; i < x.count; i++) {
    if (i % CAPE_PARTICLES + 1 < CAPE_PARTICLES) insert(top, strain_between(&x, i, i + 1));
    if (i + CAPE_PARTICLES < x.count) insert(top, strain_between(&x, i, i + CAPE_PARTICLES));
  }
  return top[TOP_EDGES - 1];
}

static uint64_t in_millionths(float stretch) {
  return stretch > 0.0f ? (uint64_t)(int32_t)(stretch * 1.0e6f) : 0;
}

typedef struct cape_setting {
  int substeps, tethers, iterations;
} cape_setting;

static void name_setting(cape_setting setting, char name[40]) {
  static const char pattern[] = "substeps=0,tethers=0,iterations=0";
  const int values[] = {setting.substeps, setting.tethers, setting.iterations};
  int value = 0;
  for (int i = 0; i < (int)sizeof pattern; i++)
    name[i] = pattern[i] == '0' ? (char)('0' + values[value++]) : pattern[i];
}

/* Returns whether the mean of the last second's stretch, and the most while the body moves, meet their goals. */
static int try_cape(cape_setting setting) {
  char name[40];
  name_setting(setting, name);
  cloth_config config = config_of(&cape, CAPE_PARTICLES);
  config.substeps = setting.substeps;
  config.tethers.count = setting.tethers;
  config.iterations = setting.iterations;
  cloth *sheet = build(&cape, &config);
  if (sheet == NULL) return 0;
  float still = 0.0f, swaying = 0.0f;
  const int end = MOVING_FRAMES + RESTING_FRAMES;
  for (int frame = 0; frame < end; frame++) {
    step(&cape, sheet, CAPE_PARTICLES, frame, 1);
    float stretch = stretch_now(sheet);
    still += frame >= end - MEASURED_FRAMES ? stretch : 0.0f;
    swaying = frame < MOVING_FRAMES && stretch > swaying ? stretch : swaying;
  }
  const uint64_t at_rest = in_millionths(still / (float)MEASURED_FRAMES), at_worst = in_millionths(swaying);
  cost_report();
  put_word("count");
  put_number(CAPE_PARTICLES);
  put_word("cape");
  put_word(name);
  put_number(at_rest);
  put_number(at_worst);
  end_line();
  print_hash(sheet, CAPE_PARTICLES, name, end);
  return at_rest <= STILL_GOAL && at_worst <= SWAYING_GOAL;
}

/* More substeps cost more than anything they save: the least that reach the goal in some setting are the last tried. */
static void try_settings(void) {
  int reached = 0;
  for (int substeps = 1; substeps <= MOST_SUBSTEPS && !reached; substeps++) {
    for (int choice = 0; choice < 6; choice++) {
      cape_setting setting = {substeps, 1 + choice % 2, 3 * (choice / 2 + 1)};
      reached |= try_cape(setting);
    }
  }
}

int board_main(void) {
  if (COST_WORK == 2) {
    cape_setting setting = {2, 2, 6};
    try_cape(setting);
  } else if (COST_WORK == 1) {
    try_settings();
  } else {
    for (int n = 8; n <= 32; n *= 2) {
      count_implicit(n);
      count_tethered(n);
    }
  }
  return failures == 0 ? 0 : 1;
}
