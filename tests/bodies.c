/* Bodies with mass, and particles attached to colliders: momentum, what they weigh on what holds them, and masses of
   any size. SPDX-License-Identifier: MIT */
#include "support.h"

#define SIDE 17

static cloth_config sheet_over(cloth_vector origin) {
  cloth_config config = cloth_config_default();
  config.columns = config.rows = SIDE;
  config.edge_warp = vector_at(1.0, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, 1.0);
  config.origin = origin;
  config.air.density = 0.0f;
  config.max_colliders = 2;
  config.capacity.max_bodies = 2;
  config.capacity.max_attachments = 8;
  config.capacity.pin_reactions = 1;
  return config;
}

/* A ball of a mass in a sheet. Returns its index. */
static int add_ball(const fixture *s, cloth_vector place, float mass, const cloth_vector *velocity,
                    const cloth_vector *spin) {
  cloth_collider ball = cloth_collider_default();
  ball.radius = ball.radius_top = 0.1f;
  ball.pose.position = place;
  int index = cloth_add_collider(s->sheet, &ball);
  CHECK(index >= 0, "cloth_add_collider: %d", index);
  cloth_body body = cloth_body_default(&ball, mass);
  if (velocity != NULL)
    body.velocity = *velocity;
  if (spin != NULL)
    body.spin = *spin;
  if (mass > 0.0f)
    CHECK(cloth_set_body(s->sheet, index, &body) == CLOTH_OK, "cloth_set_body");
  return index;
}

/* 1 if all positions are finite. */
static int is_finite_cloth(const fixture *s) {
  cloth_vector_view x = {NULL, NULL, NULL, 0};
  cloth_get_positions(s->sheet, &x);
  int finite = x.count == s->count;
  for (int i = 0; i < x.count; i++)
    finite &= isfinite(x.x[i]) && isfinite(x.y[i]) && isfinite(x.z[i]);
  return finite;
}

static int at_column_and_row(int column, int row) {
  return row * SIDE + column;
}

static void attach_square(const fixture *s, int collider) {
  for (int n = 0; n < 4; n++)
    CHECK(cloth_attach(s->sheet, at_column_and_row(n % 2 ? 9 : 7, n / 2 ? 9 : 7), collider, NULL) == CLOTH_OK,
          "cloth_attach %d", n);
}

/// Momentum ///

static void momenta_of(const fixture *s, int collider, point *momentum, point *angular) {
  cloth_body body;
  cloth_pose pose;
  cloth_get_body(s->sheet, collider, &body, &pose);
  *momentum = point_scaled(point_of(body.velocity), (double)body.mass);
  *angular = point_sum(point_scaled(point_of(body.spin), (double)body.inertia.x),
                       point_cross(point_of(pose.position), *momentum));
  for (int i = 0; i < s->count; i++) {
    const point p = point_scaled(velocity_of(s->sheet, i), particle_mass(s, i));
    *momentum = point_sum(*momentum, p);
    *angular = point_sum(*angular, point_cross(position_of(s->sheet, i), p));
  }
}

/* A ball meets a sheet on which nothing else acts, or spins on four of its particles. */
static void test_momentum(void) {
  static const float masses[] = {0.01f, 0.3f, 20.0f};
  for (int n = 0; n < 12; n++) {
    const int is_attached = n % 2, substeps = n / 2 % 2 ? 4 : 2;
    const float mass = masses[n / 4];
    cloth_config config = sheet_over(vector_at(-0.5, 0.0, -0.5));
    config.gravity = vector_at(0.0, 0.0, 0.0);
    config.integration.velocity_damping = config.integration.rest_drag = 0.0f;
    config.substeps = substeps;
    fixture s = fixture_make(&config);
    const cloth_vector velocity = vector_at(0.5, -4.0, 0.0), spin = vector_at(3.0, 0.0, 2.0);
    int ball = add_ball(&s, vector_at(0.13, is_attached ? 0.15 : 0.3, 0.1), mass, is_attached ? NULL : &velocity,
                        is_attached ? &spin : NULL);
    if (is_attached)
      attach_square(&s, ball);
    point before, turning, after, turned;
    momenta_of(&s, ball, &before, &turning);
    run_steps(s.sheet, 120, FRAME);
    momenta_of(&s, ball, &after, &turned);
    const double scale = is_attached ? point_length(turning) : point_length(before);
    CHECK(point_distance(after, before) <= 1e-4 * scale, "%g kg, %d substeps, attached %d: momentum off by %g of %g",
          (double)mass, substeps, is_attached, point_distance(after, before), scale);
    CHECK(point_distance(turned, turning) <= 1e-3 * scale, "%g kg, %d substeps, attached %d: turn off by %g of %g",
          (double)mass, substeps, is_attached, point_distance(turned, turning), scale);
    fixture_free(&s);
  }
}

/// Weight ///

static void pin_border(const fixture *s) {
  for (int i = 0; i < s->count; i++)
    if (i % SIDE == 0 || i % SIDE == SIDE - 1 || i < SIDE || i >= SIDE * (SIDE - 1))
      CHECK(cloth_pin(s->sheet, i) == CLOTH_OK, "cloth_pin %d", i);
}

/* Vertical impulses of a step: on the pins, but those that `collider` holds, and on the collider. */
static void weigh(const fixture *s, int collider, int has_attachments, double *on_pins, double *on_collider) {
  cloth_reaction reaction;
  CHECK(cloth_get_collider_reaction(s->sheet, collider, &reaction) == CLOTH_OK, "a reaction");
  *on_collider = (double)reaction.impulse.y;
  *on_pins = 0.0;
  for (int i = 0; i < s->count; i++) {
    const int column = i % SIDE, row = i / SIDE;
    const int is_attached = has_attachments && (column == 7 || column == 9) && (row == 7 || row == 9);
    cloth_vector impulse;
    if (!is_attached && cloth_get_pin_reaction(s->sheet, i, &impulse) == CLOTH_OK)
      *on_pins += (double)impulse.y;
  }
}

/* What rests weighs on what holds it: a sheet on pins and on a ball without mass; a ball on a sheet whose border, or
   all of it, is pinned; a sheet on a collider without mass that holds four particles; a ball that hangs on four. */
static void test_weight(void) {
  enum { ON_BALL, ON_BORDER, ON_PINS, ON_KNOTS, HANGING, CASES };
  const double step = 9.81 / 60.0, cloth = 0.2 * step, body = 0.5 * step;
  for (int n = 0; n < 2 * CASES; n++) {
    const int kind = n % CASES, has_mass = kind == ON_BORDER || kind == ON_PINS || kind == HANGING;
    static const double heights[CASES] = {-0.15, 0.12, 0.12, 0.2, -0.12};
    cloth_config config = sheet_over(vector_at(-0.5, 0.0, -0.5));
    config.substeps = n < CASES ? 2 : 4;
    fixture s = fixture_make(&config);
    int ball = add_ball(&s, vector_at(0.0, heights[kind], 0.0), has_mass ? 0.5f : 0.0f, NULL, NULL);
    if (kind == ON_BORDER || kind == HANGING)
      pin_border(&s);
    for (int i = 0; kind == ON_PINS && i < s.count; i++)
      cloth_pin(s.sheet, i);
    if (kind == ON_BALL) {
      cloth_pin(s.sheet, 0);
      cloth_pin(s.sheet, SIDE - 1);
    }
    if (kind >= ON_KNOTS)
      attach_square(&s, ball);
    double on_pins, on_collider;
    run_steps(s.sheet, 1500, FRAME);
    weigh(&s, ball, kind >= ON_KNOTS, &on_pins, &on_collider);
    const double all = has_mass ? cloth + body : cloth, total = has_mass ? on_pins : on_pins + on_collider;
    CHECK(fabs(total + all) <= 2e-3 * all, "case %d, %d substeps: weighs %g of %g", kind, config.substeps, total, -all);
    if (has_mass)
      CHECK(fabs(on_collider - body) <= 2e-3 * body, "case %d, %d substeps: the body is held with %g of %g", kind,
            config.substeps, on_collider, body);
    fixture_free(&s);
  }
}

/// Any mass ///

/* Balls of .01 g to 1 t fall on a sheet that is as stiff as they are heavy, and lie still or stretch it: nothing flies
   off, and no energy comes from nowhere. */
static void test_any_mass(void) {
  static const float masses[] = {1e-5f, 1e-3f, 0.1f, 10.0f, 100.0f, 1000.0f};
  for (int n = 0; n < 6; n++) {
    cloth_config config = sheet_over(vector_at(-0.5, 0.0, -0.5));
    config.fabric.stretch_warp = config.fabric.stretch_weft = masses[n] > 1.0f ? 1000.0f * masses[n] : 1000.0f;
    fixture s = fixture_make(&config);
    pin_border(&s);
    int ball = add_ball(&s, vector_at(0.02, 0.3, -0.03), masses[n], NULL, NULL);
    double highest = 0.0, fastest = 0.0;
    cloth_body body;
    cloth_pose pose;
    for (int frame = 0; frame < 600; frame++) {
      cloth_step(s.sheet, FRAME);
      cloth_get_body(s.sheet, ball, &body, &pose);
      highest = fmax(highest, (double)pose.position.y);
      fastest = point_length(point_of(body.velocity));
    }
    CHECK(is_finite_cloth(&s) && highest <= 0.3001, "%g kg: rises to %g", (double)masses[n], highest);
    CHECK(pose.position.y > -0.6f && fastest <= 0.05, "%g kg: at %g, with %g m/s", (double)masses[n],
          (double)pose.position.y, fastest);
    fixture_free(&s);
  }
}

/// Attachments ///

/* A pin on a moving collider without mass is where the collider is, also in a frame that is cut into parts. */
static void test_knots_follow(void) {
  cloth_config config = sheet_over(vector_at(-0.5, 0.0, -0.5));
  fixture s = fixture_make(&config);
  int ball = add_ball(&s, vector_at(0.0, 0.2, 0.0), 0.0f, NULL, NULL);
  attach_square(&s, ball);
  const point start = position_of(s.sheet, at_column_and_row(7, 7));
  for (int frame = 1; frame <= 60; frame++) {
    cloth_pose pose = {vector_at(0.05 * frame, 0.2, 0.3 * sin(0.2 * frame)), {0.0f, 0.0f, 0.0f, 1.0f}};
    CHECK(cloth_move_collider(s.sheet, ball, NULL, &pose) == CLOTH_OK, "cloth_move_collider");
    cloth_step(s.sheet, FRAME);
    const point at = position_of(s.sheet, at_column_and_row(7, 7));
    const point moved = {start.x + (double)pose.position.x, start.y, start.z + (double)pose.position.z};
    CHECK(point_distance(at, moved) <= 1e-5, "frame %d: off by %g m", frame, point_distance(at, moved));
  }
  CHECK(cloth_remove_collider(s.sheet, ball) == CLOTH_OK, "cloth_remove_collider");
  CHECK(run_steps(s.sheet, 10, FRAME) >= CLOTH_OK && is_finite_cloth(&s), "steps go on");
  fixture_free(&s);
}

static const test tests[] = {TEST(momentum), TEST(weight), TEST(any_mass), TEST(knots_follow)};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
