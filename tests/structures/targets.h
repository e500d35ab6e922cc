/* Targets of an animation: springs to them, largest distances from them, backstops, and targets that move. Include
   after measures.h. SPDX-License-Identifier: MIT */
#ifndef TARGETS_H
#define TARGETS_H

#include "held.h"

#define TARGET_SIDE 24

/// Targets ///

typedef struct target_vertex {
  cloth_vector position, normal;
} target_vertex;

static const cloth_vertex_layout target_layout = {sizeof(target_vertex), 0, sizeof(cloth_vector), CLOTH_ATTRIBUTE_NONE};

/* Targets at so many places, of one normal, during the next step or at once. */
static void put_targets(const specimen *sp, const point *places, point normal, int at_once) {
  static target_vertex vertices[COUNT_MOST];
  size_t bytes = (size_t)sp->s.count * sizeof *vertices;
  for (int i = 0; i < sp->s.count; i++) {
    vertices[i].position = vector_of(places[i]);
    vertices[i].normal = vector_of(normal);
  }
  int result = at_once ? cloth_set_targets(sp->s.sheet, &target_layout, vertices, bytes)
                       : cloth_move_targets(sp->s.sheet, &target_layout, vertices, bytes);
  CHECK(result == CLOTH_OK, "targets: %s", cloth_result_name(result));
}

static void constrain(const specimen *sp, int i, const cloth_motion_constraint *constraint) {
  int result = cloth_set_motion_constraint(sp->s.sheet, i, constraint);
  CHECK(result == CLOTH_OK, "cloth_set_motion_constraint: %s", cloth_result_name(result));
}

/* The places of all particles. */
static void read_places(const specimen *sp, point *places) {
  for (int i = 0; i < sp->s.count; i++)
    places[i] = position_of(sp->s.sheet, i);
}

static cloth_config target_config(int is_hanging, int substeps) {
  cloth_config config = plain_config(TARGET_SIDE, TARGET_SIDE);
  if (is_hanging) config.edge_weft = vector_at(0.0, -1.0, 0.0);
  config.capacity.targets = 1;
  damp_to_rest(&config);
  set_steps(&config, substeps, CLOTH_AUTOMATIC);
  return config;
}

static double farthest_from(const specimen *sp, const point *places) {
  double most = 0.0;
  for (int i = 0; i < sp->s.count; i++)
    most = larger(most, point_distance(position_of(sp->s.sheet, i), places[i]));
  return most;
}

/// Drive ///

#define DRIVE_ERROR 1e-4 /* from the place of balance [m] */

static void drive_all(const specimen *sp, double stiffness) {
  cloth_motion_constraint drive = cloth_motion_constraint_default();
  drive.drive = (float)stiffness;
  for (int i = 0; i < sp->s.count; i++)
    constrain(sp, i, &drive);
}

/* A level sheet whose targets lie in a level sheet elsewhere: each particle balances m g / k below its own. */
static void judge_drive(double stiffness, int substeps) {
  static point places[COUNT_MOST];
  cloth_config config = target_config(0, substeps);
  specimen sp = specimen_make(&config);
  drive_all(&sp, stiffness);
  read_places(&sp, places);
  for (int i = 0; i < sp.s.count; i++)
    places[i] = point_sum(places[i], (point){0.3, 0.2, -0.1});
  put_targets(&sp, places, y_axis, 1);
  double speed = settle(&sp, REST_SECONDS);
  for (int i = 0; i < sp.s.count; i++)
    places[i].y -= sp.mass[i] * GRAVITY / stiffness;
  char what[80];
  snprintf(what, sizeof what, "drive %g N/m: farthest from balance [m]", stiffness);
  /* dry drag holds what is nearer than this to its balance */
  const double held = sp.mass[0] * (double)config.integration.rest_drag / stiffness;
  line_at_most(what, settings_text(&config, CLOTH_AUTOMATIC), farthest_from(&sp, places), fmax(DRIVE_ERROR, held));
  snprintf(what, sizeof what, "drive %g N/m: rest [m/s]", stiffness);
  line_at_most(what, settings_text(&config, CLOTH_AUTOMATIC), speed, REST_SPEED);
  specimen_free(&sp);
}

/* Where the targets of a wavy sheet are that turns at 2 rad/s and heaves, for 4 s. */
static void turning_places(const specimen *sp, double time, point *places) {
  double t = fmin(time, 4.0), angle = 2.0 * t;
  for (int i = 0; i < sp->s.count; i++) {
    double a = (double)(i % TARGET_SIDE) / (TARGET_SIDE - 1) - 0.5;
    double b = (double)(i / TARGET_SIDE) / (TARGET_SIDE - 1) - 0.5;
    point p = {a * cos(angle) - b * sin(angle), 0.1 * sin(6.0 * a) * cos(5.0 * b) + 0.3 * sin(3.0 * t),
               a * sin(angle) + b * cos(angle)};
    places[i] = p;
  }
}

static void judge_turning_drive(double stiffness, int substeps) {
  static point places[COUNT_MOST];
  cloth_config config = target_config(0, substeps);
  specimen sp = specimen_make(&config);
  drive_all(&sp, stiffness);
  turning_places(&sp, 0.0, places);
  put_targets(&sp, places, y_axis, 1);
  for (int frame = 1; frame <= 240; frame++) {
    turning_places(&sp, frame / 60.0, places);
    put_targets(&sp, places, y_axis, 0);
    advance(&sp, 1);
  }
  char what[80];
  snprintf(what, sizeof what, "drive %g N/m, targets had turned: rest [m/s]", stiffness);
  line_at_most(what, settings_text(&config, CLOTH_AUTOMATIC), settle(&sp, REST_SECONDS), REST_SPEED);
  specimen_free(&sp);
}

static void test_drive(void) {
  static const double stiffness[] = {0.1, 1.0, 10.0};
  for (int k = 0; k < 3; k++) {
    for (int n = 0; n < SUBSTEP_CASES; n++)
      judge_drive(stiffness[k], all_substeps[n]);
    judge_turning_drive(stiffness[k], DEFAULT_SUBSTEPS);
  }
}

/// Largest distances ///

#define MAX_DISTANCE 0.05    /* [m] */
#define HELD_WITHIN 1e-3     /* beyond that distance, or into a backstop [m] */
#define CORNERS_REST 0.01    /* of a level sheet by two pins with one substep [m/s] */
#define SLANT 0.35           /* of a cape, metres back for each metre down */
#define CAPE_SLOPE 0.1       /* of its largest distances, metres for each metre down */
#define BACKSTOP_AWAY 0.02   /* of its surface from the target [m] */
#define BACKSTOP_RADIUS 0.25 /* [m] */

enum { HELD_UPRIGHT, HELD_LEVEL, HELD_BY_CORNERS, HELD_KINDS };
static const char *const held_names[HELD_KINDS] = {"free upright sheet", "free level sheet", "level sheet by two pins"};

/* All particles may be 0.05 m from where they start. */
static void judge_distance(int kind, int substeps) {
  static point places[COUNT_MOST];
  cloth_config config = target_config(kind == HELD_UPRIGHT, substeps);
  cloth_motion_constraint near = cloth_motion_constraint_default();
  near.max_distance = (float)MAX_DISTANCE;
  specimen sp = specimen_make(&config);
  for (int i = 0; i < sp.s.count; i++)
    constrain(&sp, i, &near);
  read_places(&sp, places);
  put_targets(&sp, places, kind == HELD_UPRIGHT ? z_axis : y_axis, 1);
  if (kind == HELD_BY_CORNERS) pin_two_corners(&sp);
  double speed = settle(&sp, REST_SECONDS);
  const char *settings = settings_text(&config, CLOTH_AUTOMATIC);
  char what[80];
  snprintf(what, sizeof what, "%s, max_distance .05: distance at rest [m]", held_names[kind]);
  line_at_most(what, settings, farthest_from(&sp, places), MAX_DISTANCE + HELD_WITHIN);
  snprintf(what, sizeof what, "%s, max_distance .05: rest [m/s]", held_names[kind]);
  line_at_most(what, settings, speed, kind == HELD_BY_CORNERS && substeps == 1 ? CORNERS_REST : REST_SPEED);
  specimen_free(&sp);
}

/* A cape that leans back and keeps the nearer to where it was the higher up: particles that pull at each other must not
   be pressed as if nothing resisted. */
static void judge_cape(int substeps) {
  static point places[COUNT_MOST];
  cloth_config config = target_config(1, substeps);
  const double along = 1.0 / sqrt(1.0 + SLANT * SLANT);
  config.edge_weft = vector_at(0.0, -along, -SLANT * along);
  cloth_fabric_preset(CLOTH_FABRIC_WOOL, &config.fabric);
  specimen sp = specimen_make(&config);
  cloth_motion_constraint near = cloth_motion_constraint_default();
  for (int i = 0; i < sp.s.count; i++) {
    const int row = i / TARGET_SIDE;
    near.max_distance = (float)(CAPE_SLOPE * row / (TARGET_SIDE - 1));
    if (row == 0)
      pin_at(&sp, i, 0);
    else
      constrain(&sp, i, &near);
  }
  read_places(&sp, places);
  put_targets(&sp, places, z_axis, 1);
  const double speed = settle(&sp, REST_SECONDS);
  line_at_most("cape, max_distance .1 a metre: rest [m/s]", settings_text(&config, CLOTH_AUTOMATIC), speed, REST_SPEED);
  specimen_free(&sp);
}

/* A level sheet by two pins falls onto its backstops: spheres below the targets. */
static void judge_backstop(double max_distance, int substeps) {
  static point places[COUNT_MOST];
  cloth_config config = target_config(0, substeps);
  cloth_motion_constraint stop = cloth_motion_constraint_default();
  stop.max_distance = (float)max_distance;
  stop.backstop_distance = (float)BACKSTOP_AWAY;
  stop.backstop_radius = (float)BACKSTOP_RADIUS;
  specimen sp = specimen_make(&config);
  for (int i = 0; i < sp.s.count; i++)
    constrain(&sp, i, &stop);
  read_places(&sp, places);
  put_targets(&sp, places, y_axis, 1);
  pin_two_corners(&sp);
  double speed = settle(&sp, REST_SECONDS), deepest = 0.0;
  for (int i = 0; i < sp.s.count; i++) {
    point centre = {places[i].x, places[i].y - BACKSTOP_AWAY - BACKSTOP_RADIUS, places[i].z};
    deepest = larger(deepest, BACKSTOP_RADIUS - point_distance(position_of(sp.s.sheet, i), centre));
  }
  const char *settings = settings_text(&config, CLOTH_AUTOMATIC);
  char what[80], how[32];
  snprintf(how, sizeof how, max_distance < 1.0 ? "max_distance %g" : "alone", max_distance);
  snprintf(what, sizeof what, "backstop, %s: deepest in it at rest [m]", how);
  line_at_most(what, settings, deepest, HELD_WITHIN);
  if (max_distance < 1.0) {
    snprintf(what, sizeof what, "backstop, %s: distance at rest [m]", how);
    line_at_most(what, settings, farthest_from(&sp, places), max_distance + HELD_WITHIN);
  }
  snprintf(what, sizeof what, "backstop, %s: rest [m/s]", how);
  line_at_most(what, settings, speed, REST_SPEED);
  specimen_free(&sp);
}

/// Constraints that are violated ///

#define LOOSE_SIDE 16       /* particles of a side of sheets of which every so many particles are held */
#define PUSH_SPEED 3.0      /* integration.max_push_speed by default [m/s] */
#define PUSH_SLACK 0.2      /* of one that falls or swings beside it, or is pulled by neighbours [m/s] */
#define TURN_SPEED 0.01     /* of cloth at rest, in frames of several lengths [m/s] */
#define FOLLOWED_WITHIN 0.1 /* from a target that moves, beyond the max_distance [m] */

/* A sheet that hangs by two corners, of which every so many particles may be this far from its start. */
static specimen loosely_held(cloth_config *config, int every, double distance, point *places) {
  config->columns = config->rows = LOOSE_SIDE;
  config->capacity.targets = 1;
  specimen sp = specimen_make(config);
  pin_two_corners(&sp);
  read_places(&sp, places);
  put_targets(&sp, places, y_axis, 1);
  cloth_motion_constraint near = cloth_motion_constraint_default();
  near.max_distance = (float)distance;
  for (int i = 0; i < sp.s.count; i += every)
    constrain(&sp, i, &near);
  return sp;
}

/* What neighbours take into a constraint meets it: a corner that was not predicted to, as it hangs by them, moves at .1
   to .2 m/s for ever. */
static void judge_loosely_held(int every, double distance, int substeps) {
  static point places[COUNT_MOST];
  cloth_config config = cloth_config_default();
  set_steps(&config, substeps, CLOTH_AUTOMATIC);
  specimen sp = loosely_held(&config, every, distance, places);
  char what[80];
  snprintf(what, sizeof what, "one in %d, max_distance %g: rest [m/s]", every, distance);
  line_at_most(what, settings_text(&config, CLOTH_AUTOMATIC), settle(&sp, REST_SECONDS), REST_SPEED);
  specimen_free(&sp);
}

/* A free sheet half a metre outside of its max_distance, or deep in its backstops, comes back at max_push_speed, in
   frames of any length; then it rests. */
static void judge_violated(int is_backstop, double frame, int substeps) {
  static point places[COUNT_MOST];
  cloth_config config = target_config(0, substeps);
  config.gravity = vector_at(0.0, 0.0, 0.0);
  cloth_motion_constraint c = cloth_motion_constraint_default();
  c.max_distance = is_backstop ? c.max_distance : (float)MAX_DISTANCE;
  c.backstop_radius = is_backstop ? 1.0f : 0.0f;
  specimen sp = specimen_make(&config);
  for (int i = 0; i < sp.s.count; i++)
    constrain(&sp, i, &c);
  read_places(&sp, places);
  for (int i = 0; i < sp.s.count; i++)
    places[i].y += 0.5;
  put_targets(&sp, places, y_axis, 1);
  double most = 0.0;
  for (int n = 0; n < 60; n++) {
    cloth_step(sp.s.sheet, (float)frame);
    most = larger(most, fastest(&sp));
  }
  char what[80];
  snprintf(what, sizeof what, "%s, .5 m beyond, frames of %.2g s: fastest [m/s]",
           is_backstop ? "backstop" : "max_distance", frame);
  line_at_most(what, settings_text(&config, CLOTH_AUTOMATIC), most, PUSH_SPEED + PUSH_SLACK);
  snprintf(what, sizeof what, "%s, had been .5 m beyond: rest [m/s]", is_backstop ? "backstop" : "max_distance");
  line_at_most(what, settings_text(&config, CLOTH_AUTOMATIC), settle(&sp, REST_SECONDS), REST_SPEED);
  specimen_free(&sp);
}

/* Targets that go at 10 m/s, faster than anything is pushed, take along what is within its max_distance; what is a
   metre beyond comes nearer by max_push_speed. */
static void judge_fast_targets(int is_beyond, int substeps) {
  static point places[COUNT_MOST];
  cloth_config config = target_config(0, substeps);
  cloth_motion_constraint near = cloth_motion_constraint_default();
  near.max_distance = (float)MAX_DISTANCE;
  specimen sp = specimen_make(&config);
  for (int i = 0; i < sp.s.count; i++)
    constrain(&sp, i, &near);
  read_places(&sp, places);
  for (int i = 0; i < sp.s.count; i++)
    places[i].x += is_beyond ? 1.0 : 0.0;
  put_targets(&sp, places, y_axis, 1);
  double most = 0.0;
  for (int frame = 1; frame <= 60; frame++) {
    for (int i = 0; i < sp.s.count; i++)
      places[i].x += 10.0 / 60.0;
    put_targets(&sp, places, y_axis, 0);
    advance(&sp, 1);
    if (!is_beyond || frame == 60) most = larger(most, farthest_from(&sp, places));
  }
  line_at_most(is_beyond ? "targets at 10 m/s, 1 m beyond: distance after 1 s [m]"
                         : "targets at 10 m/s: distance, ever [m]",
               settings_text(&config, CLOTH_AUTOMATIC), most, MAX_DISTANCE + FOLLOWED_WITHIN);
  specimen_free(&sp);
}

/* Constraints hold at rest with what their law gives; frames of another length, in turn, do not let go of it. */
static void judge_frames_in_turn(int every, double distance, double frame, int substeps) {
  static point places[COUNT_MOST];
  cloth_config config = cloth_config_default();
  set_steps(&config, substeps, CLOTH_AUTOMATIC);
  specimen sp = loosely_held(&config, every, distance, places);
  advance(&sp, 900);
  double most = 0.0;
  for (int n = 0; n < 60; n++) {
    cloth_step(sp.s.sheet, n % 2 ? 1.0f / 60.0f : (float)frame);
    most = larger(most, fastest(&sp));
  }
  char what[80];
  snprintf(what, sizeof what, "one in %d, max_distance %g, %.2g s in turn: fastest [m/s]", every, distance, frame);
  line_at_most(what, settings_text(&config, CLOTH_AUTOMATIC), most, TURN_SPEED);
  specimen_free(&sp);
}

static void test_violated(void) {
  static const double distances[] = {0.002, 0.01, 0.03, 0.1}, frames[] = {1.0 / 60.0, 1e-3, 1e-4};
  for (int n = 0; n < SUBSTEP_CASES; n++) {
    for (int k = 0; k < 4; k++) {
      judge_loosely_held(3, distances[k], all_substeps[n]);
      judge_loosely_held(5, distances[k], all_substeps[n]);
    }
    for (int k = 0; k < 3; k++) {
      judge_violated(0, frames[k], all_substeps[n]);
      judge_violated(1, frames[k], all_substeps[n]);
      judge_frames_in_turn(3, 0.01, frames[k], all_substeps[n]);
    }
    judge_fast_targets(0, all_substeps[n]);
    judge_fast_targets(1, all_substeps[n]);
  }
}

static void test_max_distance(void) {
  for (int kind = 0; kind < HELD_KINDS; kind++) {
    for (int n = 0; n < SUBSTEP_CASES; n++)
      judge_distance(kind, all_substeps[n]);
  }
  for (int n = 0; n < SUBSTEP_CASES; n++)
    judge_cape(all_substeps[n]);
}

static void test_backstop(void) {
  for (int n = 0; n < SUBSTEP_CASES; n++) {
    judge_backstop(MAX_DISTANCE, all_substeps[n]);
    judge_backstop((double)CLOTH_ANY_DISTANCE, all_substeps[n]);
  }
}

/// A max_distance of 0 ///

#define ON_TARGET 1e-6 /* a rounding of a coordinate or two [m] */

/* Row 0 of a sheet follows targets that swing for 2 s, exactly. */
static void judge_at_target(int substeps) {
  static point start[COUNT_MOST], places[COUNT_MOST];
  cloth_config config = target_config(1, substeps);
  cloth_motion_constraint none = cloth_motion_constraint_default();
  none.max_distance = 0.0f;
  specimen sp = specimen_make(&config);
  for (int column = 0; column < TARGET_SIDE; column++)
    constrain(&sp, column, &none);
  read_places(&sp, start);
  put_targets(&sp, start, z_axis, 1);
  double most = 0.0;
  for (int frame = 1; frame <= 120; frame++) {
    double angle = 2.0 * 3.14159265358979323846 * frame / 60.0;
    for (int i = 0; i < sp.s.count; i++)
      places[i] = point_sum(start[i], (point){0.1 * sin(angle), 0.05 * sin(2.0 * angle), 0.1 * (1.0 - cos(angle))});
    put_targets(&sp, places, z_axis, 0);
    advance(&sp, 1);
    for (int column = 0; column < TARGET_SIDE; column++)
      most = larger(most, point_distance(position_of(sp.s.sheet, column), point_of(vector_of(places[column]))));
  }
  const char *settings = settings_text(&config, CLOTH_AUTOMATIC);
  line_at_most("max_distance 0, moving targets: farthest from them [m]", settings, most, ON_TARGET);
  line_at_most("max_distance 0, targets that came to rest: rest [m/s]", settings, settle(&sp, REST_SECONDS),
               REST_SPEED);
  specimen_free(&sp);
}

static void test_at_target(void) {
  for (int n = 0; n < SUBSTEP_CASES; n++)
    judge_at_target(all_substeps[n]);
}

#endif /* TARGETS_H */
