/* Pins: what a sheet weighs on them, at rest and while it swings; pins that move, and are released. Include after
   held.h. SPDX-License-Identifier: MIT */
#ifndef PINNED_H
#define PINNED_H

#include "held.h"

#define PINNED_SIDE 24
#define WEIGHT_ERROR 1e-3   /* of the weight */
#define MOMENTUM_ERROR 0.01 /* of the weight times the time */

/// Reactions ///

/* Sum of what the cloth gave to its pins in the last step [N s]. */
static point pin_impulse(const specimen *sp) {
  point sum = {0.0, 0.0, 0.0};
  for (int i = 0; i < sp->s.count; i++) {
    cloth_vector impulse = {NAN, NAN, NAN};
    if (cloth_get_freedom(sp->s.sheet, i) != 0) continue;
    CHECK(cloth_get_pin_reaction(sp->s.sheet, i, &impulse) == CLOTH_OK, "cloth_get_pin_reaction");
    sum = point_sum(sum, point_of(impulse));
  }
  return sum;
}

static specimen open_reactions(int is_damped, int substeps) {
  cloth_config config = plain_config(PINNED_SIDE, PINNED_SIDE);
  config.capacity.pin_reactions = 1;
  if (is_damped)
    damp_to_rest(&config);
  else
    undamp(&config);
  set_steps(&config, substeps, CLOTH_AUTOMATIC);
  specimen sp = specimen_make(&config);
  pin_two_corners(&sp);
  return sp;
}

/* At rest the pins carry the weight of the sheet, theirs included, and nothing sideways. */
static void judge_weight(int substeps) {
  specimen sp = open_reactions(1, substeps);
  settle(&sp, REST_SECONDS);
  double weight = specimen_mass(&sp) * GRAVITY;
  point force = point_scaled(pin_impulse(&sp), 1.0 / (double)FRAME);
  const char *settings = settings_text(&sp.config, CLOTH_AUTOMATIC);
  line_near("at rest: force on both pins [N]", settings, -force.y, weight, WEIGHT_ERROR * weight);
  line_at_most("at rest: sideways on both pins, of the weight", settings, hypot(force.x, force.z) / weight,
               WEIGHT_ERROR);
  specimen_free(&sp);
}

/* While it swings, the momentum that gravity gives is that of the sheet and what the pins took. */
static void judge_balance(int substeps) {
  specimen sp = open_reactions(0, substeps);
  double weight = specimen_mass(&sp) * GRAVITY, step_error = 0.0;
  point before = motion_of(&sp, NULL).momentum, lost = {0.0, 0.0, 0.0};
  for (int frame = 0; frame < 60; frame++) {
    advance(&sp, 1);
    point now = motion_of(&sp, NULL).momentum, missing = point_difference(now, before);
    missing = point_sum(missing, pin_impulse(&sp));
    missing.y += weight * (double)FRAME;
    lost = point_sum(lost, missing);
    step_error = larger(step_error, point_length(missing) / (weight * (double)FRAME));
    before = now;
  }
  const char *settings = settings_text(&sp.config, CLOTH_AUTOMATIC);
  line_at_most("swinging: worst balance of momentum of a step", settings, step_error, MOMENTUM_ERROR);
  line_at_most("swinging: balance of momentum of 1 s", settings, point_length(lost) / weight, MOMENTUM_ERROR);
  specimen_free(&sp);
}

static void test_pin_reactions(void) {
  for (int n = 0; n < SUBSTEP_CASES; n++) {
    judge_weight(all_substeps[n]);
    judge_balance(all_substeps[n]);
  }
}

/// Pins that move ///

#define ON_PLACE 1e-6 /* a rounding of a coordinate or two [m] */

static point pin_way(double time) {
  double angle = 2.0 * 3.14159265358979323846 * fmin(time, 2.0);
  point way = {0.2 * sin(angle), 0.1 * sin(2.0 * angle), 0.2 * (1.0 - cos(angle))};
  return way;
}

/* Both pins of a sheet swing for 2 s. Returns the farthest of a pin from its place. */
static double swing_pins(const specimen *sp) {
  const int pins[2] = {0, PINNED_SIDE - 1};
  const point start[2] = {position_of(sp->s.sheet, pins[0]), position_of(sp->s.sheet, pins[1])};
  double most = 0.0;
  for (int frame = 1; frame <= 120; frame++) {
    for (int k = 0; k < 2; k++) {
      cloth_vector place = vector_of(point_sum(start[k], pin_way(frame / 60.0)));
      CHECK(cloth_move_pin(sp->s.sheet, pins[k], place) == CLOTH_OK, "cloth_move_pin");
    }
    advance(sp, 1);
    for (int k = 0; k < 2; k++) {
      point place = point_of(vector_of(point_sum(start[k], pin_way(frame / 60.0))));
      most = larger(most, point_distance(position_of(sp->s.sheet, pins[k]), place));
    }
  }
  return most;
}

/* Moved, at rest, hung by one pin, at rest again. */
static void judge_moving_pins(int substeps) {
  cloth_config config = plain_config(PINNED_SIDE, PINNED_SIDE);
  config.edge_weft = vector_at(0.0, -1.0, 0.0);
  damp_to_rest(&config);
  set_steps(&config, substeps, CLOTH_AUTOMATIC);
  specimen sp = specimen_make(&config);
  pin_two_corners(&sp);
  const char *settings = settings_text(&config, CLOTH_AUTOMATIC);
  line_at_most("pins that swing: farthest from their places [m]", settings, swing_pins(&sp), ON_PLACE);
  line_at_most("pins that came to rest: rest [m/s]", settings, settle(&sp, REST_SECONDS), REST_SPEED);
  CHECK(cloth_release(sp.s.sheet, PINNED_SIDE - 1) == CLOTH_OK, "cloth_release");
  line_at_most("one of two pins released: rest [m/s]", settings, settle(&sp, REST_SECONDS + 8.0), REST_SPEED);
  specimen_free(&sp);
}

/* Carried at a velocity by a row of pins, then released: free flight with the momentum that it has. */
static void judge_release(int substeps) {
  cloth_config config = plain_config(PINNED_SIDE, PINNED_SIDE);
  config.edge_weft = vector_at(0.0, -1.0, 0.0);
  undamp(&config);
  set_steps(&config, substeps, CLOTH_AUTOMATIC);
  specimen sp = specimen_make(&config);
  const point velocity = {1.0, 0.5, -0.5}, start = position_of(sp.s.sheet, 0);
  for (int column = 0; column < PINNED_SIDE; column++) {
    pin_at(&sp, column, 0);
    CHECK(cloth_set_pin_velocity(sp.s.sheet, column, vector_of(velocity)) == CLOTH_OK, "cloth_set_pin_velocity");
  }
  advance(&sp, 30);
  double off = point_distance(position_of(sp.s.sheet, 0), point_sum(start, point_scaled(velocity, 0.5)));
  for (int column = 0; column < PINNED_SIDE; column++)
    CHECK(cloth_release(sp.s.sheet, column) == CLOTH_OK, "cloth_release");
  motion before = motion_of(&sp, NULL);
  advance(&sp, 30);
  motion after = motion_of(&sp, NULL);
  point expected = before.momentum;
  expected.y -= before.mass * GRAVITY * 0.5;
  const char *settings = settings_text(&config, CLOTH_AUTOMATIC);
  line_at_most("pins at 1.2 m/s for .5 s: off their way [m]", settings, off, 1e-5);
  line_at_most("all pins released: momentum of .5 s, error", settings,
               point_distance(after.momentum, expected) / (before.mass * GRAVITY * 0.5), 1e-4);
  line_share("all pins released: angular momentum", settings, point_length(after.spin), point_length(before.spin), 0.99,
             1.01);
  specimen_free(&sp);
}

#define CARRIED_SPEED 5.0 /* [m/s] */
#define CARRIED_REST 0.03 /* of a particle beside its pins [m/s]; the dry drag leaves .02 */

/* A sheet at rest and its pins go at one speed, in frames of uneven length. Returns the fastest beside the pins. */
static double carry_unevenly(const specimen *sp) {
  const cloth_vector speed = vector_at(CARRIED_SPEED, 0.0, 0.0);
  double most = 0.0;
  for (int i = 0; i < sp->s.count; i++)
    CHECK(cloth_set_particle(sp->s.sheet, i, vector_of(position_of(sp->s.sheet, i)), speed) == CLOTH_OK, "%d", i);
  for (int frame = 0; frame < 300; frame++) {
    CHECK(cloth_step(sp->s.sheet, frame % 2 ? 1.0f / 72.0f : 1.0f / 60.0f) >= 0, "cloth_step");
    for (int i = 0; i < sp->s.count; i++)
      most = larger(most, point_distance(velocity_of(sp->s.sheet, i), point_of(speed)));
  }
  return most;
}

static void judge_carried(int substeps) {
  cloth_config config = plain_config(PINNED_SIDE, PINNED_SIDE);
  config.edge_weft = vector_at(0.0, -1.0, 0.0);
  set_steps(&config, substeps, CLOTH_AUTOMATIC);
  specimen sp = specimen_make(&config);
  pin_two_corners(&sp);
  const char *settings = settings_text(&config, CLOTH_AUTOMATIC);
  settle(&sp, REST_SECONDS);
  line_at_most("carried at 5 m/s in uneven frames: beside the pins [m/s]", settings, carry_unevenly(&sp), CARRIED_REST);
  specimen_free(&sp);
}

static void test_moving_pins(void) {
  for (int n = 0; n < SUBSTEP_CASES; n++) {
    judge_carried(all_substeps[n]);
    judge_moving_pins(all_substeps[n]);
    judge_release(all_substeps[n]);
  }
}

#endif /* PINNED_H */
