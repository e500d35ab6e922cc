/* What the cloth weighs, on bodies and on pins, and bodies that it moves. Every figure is also a line of a table, which
   with `--table` judges by the goal where the suite asserts less. SPDX-License-Identifier: MIT */
#include "shapes.h"
#include "support.h"

static int is_table;

/* Prints a figure with its goal, and checks it. */
static void line(const char *what, double measured, double low, double high) {
  const int holds = measured >= low && measured <= high;
  printf("%-58s %9.4f %9.4f to %8.4f  %s\n", what, measured, low, high, holds ? "ok" : "missed");
  CHECK(holds, "%s: %g", what, measured);
}

static point reaction_of(const cloth *sheet, int collider) {
  cloth_reaction r;
  CHECK(cloth_get_collider_reaction(sheet, collider, &r) == CLOTH_OK, "reaction of collider %d", collider);
  return point_of(r.impulse);
}

/* Sum of the impulses on all particles that are held. */
static point pin_sum(const fixture *s) {
  point sum = {0.0, 0.0, 0.0};
  for (int i = 0; i < s->count; i++) {
    cloth_vector impulse;
    if (cloth_get_pin_reaction(s->sheet, i, &impulse) == CLOTH_OK) sum = point_sum(sum, point_of(impulse));
  }
  return sum;
}

static double weight_of(const cloth_config *config) {
  return (double)config->fabric.density * point_length(point_of(config->edge_warp)) *
         point_length(point_of(config->edge_weft)) * 9.81;
}

/// Reactions of colliders ///

static cloth_config sheet_config(int n, int substeps, float blend) {
  cloth_config config = cloth_config_default();
  config.columns = config.rows = n;
  config.origin = vector_at(-0.5, 0.3, -0.5);
  config.substeps = substeps;
  config.integration.bdf2_blend = blend;
  config.integration.velocity_damping = 2.0f;
  config.capacity.pin_reactions = 1;
  return config;
}

/* Adds the shapes that a sheet of a metre comes to rest on. */
static void add_support(cloth *sheet, int shape) {
  cloth_collider body = cloth_collider_default();
  body.shape = shape;
  body.static_friction = body.kinetic_friction = 1.0f;
  if (shape == CLOTH_SHAPE_CAPSULE) {
    body.radius_top = 0.2f;
    body.pose.rotation = rotation_about((point){0.0, 0.0, 1.0}, 1.5707963);
  }
  CHECK(cloth_add_collider(sheet, &body) == 0, "a collider");
  if (shape == CLOTH_SHAPE_CAPSULE) { /* a second body beside it, as sheets slide off one capsule */
    body.pose.position.z = 0.4f;
    CHECK(cloth_add_collider(sheet, &body) == 1, "a collider");
  }
}

/* Impulse over a second on all colliders and pins over the weight of the sheet, downwards. */
static double weighed(fixture *s, const cloth_config *config, int colliders) {
  point sum = {0.0, 0.0, 0.0};
  run_steps(s->sheet, 300, FRAME);
  double before = 0.0, after = 0.0;
  for (int i = 0; i < s->count; i++)
    before += velocity_of(s->sheet, i).y * particle_mass(s, i);
  for (int frame = 0; frame < 60; frame++) {
    cloth_step(s->sheet, FRAME);
    for (int n = 0; n < colliders; n++)
      sum = point_sum(sum, reaction_of(s->sheet, n));
    sum = point_sum(sum, pin_sum(s));
  }
  for (int i = 0; i < s->count; i++)
    after += velocity_of(s->sheet, i).y * particle_mass(s, i);
  return -(sum.y + (after - before)) / weight_of(config);
}

/* Methods: blends of BDF2, implicit springs, strain limits, a map of masses. */
static void test_weight_in_tiers(void) {
  static const char *const names[] = {"blend 0",  "blend 0.8", "blend 1",      "springs implicit and explicit",
                                      "implicit", "limits",    "map of masses"};
  static float masses[16 * 16];
  for (int tier = 0; tier < 7; tier++) {
    char what[96];
    const float blends[] = {0.0f, 0.8f, 1.0f};
    cloth_config config = sheet_config(16, 16, tier < 3 ? blends[tier] : 0.5f);
    double mass = 0.0;
    if (tier == 3) cloth_config_use_imex(&config);
    if (tier == 4) config.integration.method = CLOTH_INTEGRATION_IMPLICIT;
    if (tier == 5) config.strain_limit.max_extension = 0.001f;
    for (int i = 0; i < 256; i++) {
      masses[i] = tier == 6 ? 0.5f + (float)(i % 7) * 0.25f : 1.0f;
      mass += (double)masses[i] / 256.0;
    }
    if (tier == 6) config.grid.mass_map = masses;
    config.solver.max_iterations = 200;
    fixture s = fixture_make(&config);
    add_support(s.sheet, CLOTH_SHAPE_SPHERE);
    cloth_pin(s.sheet, 0);
    snprintf(what, sizeof what, "weight on a ball and a pin, %s", names[tier]);
    line(what, weighed(&s, &config, 1) / mass, 0.99, 1.01);
    fixture_free(&s);
  }
}

/// Pins ///

static void test_weight_on_pins(void) {
  const int substeps[] = {2, 10};
  static const char *const names[] = {"two corners", "a row", "a clamp of two rows", "a tube's ring",
                                      "a line and a pin"};
  for (int kind = 0; kind < 5; kind++) {
    for (int k = 0; k < 2; k++) {
      for (int stiff = 0; stiff < 2; stiff++) {
        char what[96];
        cloth_config config = sheet_config(20, substeps[k], 0.5f);
        config.edge_weft = vector_at(0.0, kind == 2 ? 0.0 : -1.0, kind == 2 ? 1.0 : 0.0);
        config.grid.wrap = kind == 3;
        if (stiff) cloth_fabric_preset(CLOTH_FABRIC_PAPER, &config.fabric);
        fixture s = fixture_make(&config);
        for (int i = 0; i < (kind == 2 ? 40 : 20); i++)
          if ((kind > 0 && kind < 4) || i == 0 || i == 19) cloth_pin(s.sheet, i);
        if (kind == 4) cloth_confine_to_plane(s.sheet, 19, vector_at(0.0, 1.0, 0.0));
        snprintf(what, sizeof what, "weight on %s, %d substeps%s", names[kind], substeps[k], stiff ? ", paper" : "");
        line(what, weighed(&s, &config, 0), 0.99, 1.01);
        fixture_free(&s);
      }
    }
  }
}

/* A ribbon of 2 x 30 particles and a metre holds a bucket. */
static fixture rope_with_bucket(float mass, int substeps, double swing) {
  cloth_config config = cloth_config_default();
  config.columns = 2;
  config.rows = 30;
  config.edge_warp = vector_at(0.03, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, -cos(swing), sin(swing));
  config.substeps = substeps;
  config.fabric.stretch_warp = config.fabric.stretch_weft = mass > 1.0f ? 1.0e5f : 1.0e3f;
  config.integration.velocity_damping = 0.5f;
  config.sleep.speed = 0.01f;
  config.capacity.pin_reactions = config.capacity.max_bodies = 1;
  config.capacity.max_attachments = 2;
  fixture s = fixture_make(&config);
  cloth_collider bucket = cloth_collider_default();
  bucket.radius = 0.1f;
  bucket.pose.position = vector_at(0.015, -1.11 * cos(swing), 1.11 * sin(swing));
  cloth_body body = cloth_body_default(&bucket, mass);
  CHECK(cloth_add_collider(s.sheet, &bucket) == 0 && cloth_set_body(s.sheet, 0, &body) == CLOTH_OK, "a bucket");
  for (int i = 0; i < 2; i++) {
    cloth_pin(s.sheet, i);
    CHECK(cloth_attach(s.sheet, 58 + i, 0, NULL) == CLOTH_OK, "a knot");
  }
  return s;
}

static void test_bucket(void) {
  const float masses[] = {1e-4f, 0.01f, 1.0f, 50.0f};
  const int substeps[] = {4, 10, 28};
  for (int m = 0; m < 4; m++) {
    for (int k = 0; k < 3; k++) {
      char what[96];
      fixture s = rope_with_bucket(masses[m], substeps[k], 0.0);
      const double weight = 9.81 * (0.2 * 0.03 + (double)masses[m]);
      double held = 0.0;
      run_steps(s.sheet, 600, FRAME);
      for (int frame = 0; frame < 60; frame++) {
        cloth_step(s.sheet, FRAME);
        for (int i = 0; i < 2; i++) {
          cloth_vector impulse;
          CHECK(cloth_get_pin_reaction(s.sheet, i, &impulse) == CLOTH_OK, "a pin");
          held -= (double)impulse.y;
        }
      }
      snprintf(what, sizeof what, "rope with a bucket of %g kg, %d substeps: on pins", (double)masses[m], substeps[k]);
      line(what, held / weight, is_table ? 0.99 : 0.97, is_table ? 1.01 : 1.03);
      fixture_free(&s);
    }
  }
}

/// Momentum and bodies ///

/* Momentum, and angular momentum about the origin, of a sheet and the ball 0 [N s, N m s]. */
static void free_momenta(const fixture *s, point *momentum, point *angular) {
  cloth_body body;
  cloth_pose pose;
  cloth_get_body(s->sheet, 0, &body, &pose);
  *momentum = point_scaled(point_of(body.velocity), (double)body.mass);
  *angular = point_sum(point_scaled(point_of(body.spin), (double)body.inertia.x),
                       point_cross(point_of(pose.position), *momentum));
  for (int i = 0; i < s->count; i++) {
    const point p = point_scaled(velocity_of(s->sheet, i), particle_mass(s, i));
    *momentum = point_sum(*momentum, p);
    *angular = point_sum(*angular, point_cross(position_of(s->sheet, i), p));
  }
}

/* A sheet of 16 x 16 on which nothing acts, and a ball with room for attachments. */
static fixture free_sheet(int substeps, float blend, const cloth_collider *ball, const cloth_body *body) {
  cloth_config config = sheet_config(16, substeps, blend);
  config.integration.velocity_damping = config.integration.rest_drag = config.air.density = 0.0f;
  config.gravity = vector_at(0.0, 0.0, 0.0);
  config.capacity.max_bodies = 1;
  config.capacity.max_attachments = 4;
  fixture s = fixture_make(&config);
  cloth_add_collider(s.sheet, ball);
  cloth_set_body(s.sheet, 0, body);
  return s;
}

/* A ball that a corner of a sheet is attached to flies into the sheet: nothing acts on both from outside. Velocities
   show the momentum exactly with backward Euler. */
static void test_free_momentum(void) {
  for (int k = 0; k < 3; k++) {
    char what[96];
    const float masses[] = {0.02f, 0.2f, 20.0f};
    const cloth_collider ball = cloth_collider_default();
    cloth_body body = cloth_body_default(&ball, masses[k]);
    body.velocity = vector_at(0.1, 2.0, 0.0);
    fixture s = free_sheet(10, 0.0f, &ball, &body);
    cloth_attach(s.sheet, 0, 0, NULL);
    const point start = point_scaled(point_of(body.velocity), (double)masses[k]);
    point sum, angular;
    run_steps(s.sheet, 120, FRAME);
    free_momenta(&s, &sum, &angular);
    snprintf(what, sizeof what, "momentum of sheet and ball of %g kg, error over start", (double)masses[k]);
    line(what, point_distance(sum, start) / point_length(start), 0.0, 0.01);
    fixture_free(&s);
  }
}

/* The corners of a sheet in flight are attached to a ball that spins, and one that rests: to points where they are, and
   0.2 m away, to where they are moved within a step. That is an inner matter of both: before it was one, they gained
   0.26 N s. */
static void test_attach_in_flight(void) {
  for (int k = 0; k < 6; k++) {
    char what[96];
    const float masses[] = {0.1f, 0.5f, 20.0f};
    const double away = k < 3 ? 0.0 : 0.2;
    cloth_collider ball = cloth_collider_default();
    ball.pose.position = vector_at(0.0, -0.4, 0.0);
    cloth_body body = cloth_body_default(&ball, masses[k % 3]);
    body.spin = k < 3 ? vector_at(3.0, 5.0, -4.0) : body.spin;
    fixture s = free_sheet(28, cloth_config_default().integration.bdf2_blend, &ball, &body);
    point momentum[2], angular[2];
    free_momenta(&s, &momentum[0], &angular[0]);
    const int corners[] = {0, 15, 240, 255};
    for (int n = 0; n < (k < 3 ? 4 : 1); n++) {
      const point x = position_of(s.sheet, corners[n]);
      const cloth_vector place = vector_at(x.x + away, x.y + 0.4, x.z);
      CHECK(cloth_attach(s.sheet, corners[n], 0, &place) == CLOTH_OK, "attached");
    }
    run_steps(s.sheet, 60, FRAME);
    free_momenta(&s, &momentum[1], &angular[1]);
    const double turned = point_distance(angular[1], angular[0]), mass = (double)masses[k % 3];
    snprintf(what, sizeof what, "ball of %g kg, %s: momentum from nowhere [N s]", mass,
             k < 3 ? "spinning" : "0.2 m off");
    line(what, point_length(momentum[1]), 0.0, 0.02);
    line("  and angular momentum, over that of the start or [N m s]",
         k < 3 ? turned / point_length(angular[0]) : turned, 0.0, k < 3 ? 0.04 : 0.02);
    fixture_free(&s);
  }
}

/* How a ball bounces: its peaks and lowest point [m], the largest error of the impulse on it over its weight. */
typedef struct bounce {
  double peaks[40], lowest, imbalance;
  int count;
} bounce;

/* A sheet of 33 x 33 particles that is held by its border, with room for a body. */
static fixture make_held_sheet(cloth_config *config, int substeps) {
  config->columns = config->rows = 33;
  config->substeps = substeps;
  config->capacity.max_bodies = 1;
  fixture s = fixture_make(config);
  for (int i = 0; i < s.count; i++)
    if (i % 33 == 0 || i % 33 == 32 || i < 33 || i >= 32 * 33) cloth_pin(s.sheet, i);
  return s;
}

/* A ball falls from 2.5 m on a sheet of 3 m at 1 m whose border is pinned, `aside` from its middle [m]. */
static bounce bounce_ball(float mass, int substeps, double aside) {
  cloth_config config = cloth_config_default();
  config.edge_warp = vector_at(3.0, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, -3.0);
  config.origin = vector_at(-1.5, 1.0, 1.5);
  fixture s = make_held_sheet(&config, substeps);
  cloth_collider ball = cloth_collider_default();
  ball.pose.position = vector_at(aside, 2.5, 0.0);
  cloth_add_collider(s.sheet, &ball);
  cloth_body body = cloth_body_default(&ball, mass);
  cloth_set_body(s.sheet, 0, &body);
  bounce b = {.lowest = 2.5};
  double height = 2.5;
  for (int frame = 0; frame < 480; frame++) {
    /* As an engine does: the pose and velocity that it has. */
    cloth_pose pose;
    cloth_get_body(s.sheet, 0, &body, &pose);
    cloth_move_collider(s.sheet, 0, &pose, &pose);
    cloth_set_body(s.sheet, 0, &body);
    const double before = (double)body.velocity.y;
    cloth_step(s.sheet, FRAME);
    cloth_get_body(s.sheet, 0, &body, &pose);
    const double change = (double)body.velocity.y - before + 9.81 / 60.0;
    b.imbalance =
        fmax(b.imbalance, fabs((double)mass * change - reaction_of(s.sheet, 0).y) / ((double)mass * 9.81 / 60.0));
    b.lowest = fmin(b.lowest, (double)pose.position.y);
    if (before > 0.0 && body.velocity.y <= 0.0f && b.count < 40) b.peaks[b.count++] = height;
    height = (double)pose.position.y;
  }
  fixture_free(&s);
  return b;
}

static void test_bounce(void) {
  const float masses[] = {0.1f, 1.0f, 10.0f, 60.0f};
  const int substeps[] = {4, 6, 10};
  for (int m = 0; m < 4; m++) {
    for (int k = 0; k < 3; k++) {
      char what[96];
      const bounce b = bounce_ball(masses[m], substeps[k], 0.0);
      double rise = 0.0, most = 2.5;
      for (int i = 0; i < b.count; i++) {
        rise = fmax(rise, b.peaks[i] - most);
        most = fmin(most, b.peaks[i]);
      }
      snprintf(what, sizeof what, "ball of %g kg, %d substeps: rise from peak to peak [m]", (double)masses[m],
               substeps[k]);
      line(what, rise, 0.0, 0.01);
      line("  impulse on it less its change of momentum, over weight", b.imbalance, 0.0, 0.01);
      if (masses[m] != 60.0f) /* see test_heavy_ball() */
        line("  lowest point of the ball [m]", b.lowest, -1.3, 2.5);
      if (masses[m] == 10.0f)
        line("  first rebound over the drop to the lowest point", (b.peaks[0] - b.lowest) / (2.5 - b.lowest), 0.3, 1.0);
    }
  }
}

/* How many of `places` balls pass the sheet, each in another place of a cell. */
static int count_passing(float mass, int substeps, int places) {
  int passing = 0;
  for (int place = 0; place < places; place++)
    passing += bounce_ball(mass, substeps, 0.1 / places * place).lowest < -1.3;
  return passing;
}

/* A ball of 60 kg stretches the sheet below it, whose springs are linear, so that the tension over the width that they
   have then does not pass 1000 N/m: not far beyond, the sheet gives way, and the ball passes between particles. The
   table asks that it does not. */
static void test_heavy_ball(void) {
  line("balls of 45 kg, 4 substeps, that pass the sheet, of 4", count_passing(45.0f, 4, 4), 0.0, 0.0);
  line("balls of 60 kg, 4 substeps, that pass the sheet, of 8", count_passing(60.0f, 4, 8), 0.0, is_table ? 0.0 : 8.0);
}

/// A body on a slope ///

/* How far a flat box of 0.2 kg slides in 2/3 s down a sheet of 2 m that is held along its border at 30 degrees, over
   the way that it has on a slope without friction [1]. */
static double slide_on_slope(float friction, int substeps) {
  const double angle = 0.5235988, side = cos(angle), fall = sin(angle);
  cloth_config config = cloth_config_default();
  config.edge_warp = vector_at(2.0 * side, -2.0 * fall, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, -2.0);
  config.origin = vector_at(-side, fall, 1.0);
  fixture s = make_held_sheet(&config, substeps);
  cloth_collider box = cloth_collider_default();
  box.shape = CLOTH_SHAPE_BOX;
  box.half_extents = vector_at(0.2, 0.05, 0.2);
  box.static_friction = box.kinetic_friction = friction;
  box.pose.rotation = rotation_about((point){0.0, 0.0, 1.0}, -angle);
  box.pose.position = vector_at(-0.4 * side + 0.06 * fall, 0.4 * fall + 0.06 * side, 0.0);
  cloth_body body = cloth_body_default(&box, 0.2f);
  cloth_add_collider(s.sheet, &box);
  cloth_set_body(s.sheet, 0, &body);
  cloth_pose pose;
  run_steps(s.sheet, 40, FRAME);
  cloth_get_body(s.sheet, 0, &body, &pose);
  const point way = point_difference(point_of(pose.position), point_of(box.pose.position));
  fixture_free(&s);
  return (way.x * side - way.y * fall) / (0.5 * 9.81 * fall * 4.0 / 9.0);
}

/* Friction is what the caller set: cloth and body do not stick without it. */
static void test_slope(void) {
  const int substeps[] = {4, 10, 28};
  for (int k = 0; k < 3; k++) {
    char what[96];
    snprintf(what, sizeof what, "box on a slope without friction, %d substeps: way over the free one", substeps[k]);
    line(what, slide_on_slope(0.0f, substeps[k]), 0.7, 1.0);
    line("  with friction 0.1", slide_on_slope(0.1f, substeps[k]), 0.4, 0.83);
    line("  with friction 0.8, which holds it", slide_on_slope(0.8f, substeps[k]), -0.1, 0.2);
  }
}

/* The momentum of a turning body that no cloth touches stays, and so does its energy. */
static void test_free_body(void) {
  cloth_config config = sheet_config(4, 10, 0.5f);
  config.capacity.max_bodies = 1;
  fixture s = fixture_make(&config);
  cloth_collider box = collider_of(CLOTH_SHAPE_BOX);
  box.half_extents = vector_at(0.1, 0.2, 0.4);
  box.pose.position = vector_at(5.0, 0.0, 0.0);
  box.pose.rotation = rotation_none();
  cloth_body body = cloth_body_default(&box, 3.0f);
  body.spin = vector_at(2.0, 3.0, 1.0);
  CHECK(fabs((double)body.inertia.x - 0.2) < 1e-6 && fabs((double)body.inertia.y - 0.17) < 1e-6, "inertia of a box");
  cloth_add_collider(s.sheet, &box);
  cloth_set_body(s.sheet, 0, &body);
  cloth_pose pose;
  run_steps(s.sheet, 60, FRAME);
  cloth_get_body(s.sheet, 0, &body, &pose);
  line("a body that falls for a second: velocity over g", (double)body.velocity.y / -9.81, 0.999, 1.001);
  line("  and height over g / 2", (double)pose.position.y / -4.905, 0.99, 1.01);
  /* Spin to the box's axes: the conjugate rotation, by the formula of quaternions. */
  const cloth_rotation q = pose.rotation;
  const double real = (double)q.w;
  const point u = {-(double)q.x, -(double)q.y, -(double)q.z}, w = point_of(body.spin);
  const point t = point_scaled(point_cross(u, w), 2.0);
  const point local = point_sum(point_sum(w, point_scaled(t, real)), point_cross(u, t));
  const point i = point_of(body.inertia);
  const point l = {i.x * local.x, i.y * local.y, i.z * local.z};
  const double start = sqrt(i.x * i.x * 4 + i.y * i.y * 9 + i.z * i.z);
  line("  angular momentum over that of the start", point_length(l) / start, 0.99, 1.01);
  line("  energy of its rotation over that of the start", point_dot(l, local) / (4 * i.x + 9 * i.y + i.z), 0.95, 1.05);
  fixture_free(&s);
}

/* A body that hardly turns about two of its axes, as a door, keeps its energy, too, where it turns about all. */
static void test_free_door(void) {
  for (int k = 0; k < 3; k++) {
    cloth_config config = sheet_config(4, 10, 0.5f);
    config.capacity.max_bodies = 1;
    fixture s = fixture_make(&config);
    cloth_collider door = collider_of(CLOTH_SHAPE_BOX);
    door.pose.position = vector_at(5.0, 0.0, 0.0);
    door.pose.rotation = rotation_about((point){0.0, 0.6, 0.8}, 0.3);
    cloth_body body = cloth_body_default(&door, 0.1f);
    body.gravity = 0.0f;
    body.inertia = vector_at(1e12, k == 0 ? 1e9 : 0.5, k == 2 ? 0.5 : 1e12);
    body.spin = vector_at(k == 1 ? 10.0 : 0.1, 5.0, 0.1);
    cloth_add_collider(s.sheet, &door);
    cloth_set_body(s.sheet, 0, &body);
    double fastest = 0.0;
    for (int frame = 0; frame < 600; frame++) {
      cloth_step(s.sheet, FRAME);
      cloth_get_body(s.sheet, 0, &body, &door.pose);
      fastest = fmax(fastest, point_length(point_of(body.spin)));
    }
    CHECK(fastest < 20.0, "run %d: spins at up to %g rad/s", k, fastest);
    fixture_free(&s);
  }
}

/// Sleep ///

static void test_weight_asleep(void) {
  cloth_config config = sheet_config(16, 10, 0.5f);
  config.sleep.speed = 0.05f;
  config.integration.velocity_damping = 8.0f;
  config.capacity.max_bodies = 1;
  fixture s = fixture_make(&config), copy = fixture_make(&config);
  add_support(s.sheet, CLOTH_SHAPE_SPHERE);
  for (int frame = 0; frame < 3000 && !cloth_is_asleep(s.sheet); frame++)
    cloth_step(s.sheet, FRAME);
  CHECK(cloth_is_asleep(s.sheet) == 1, "the sheet sleeps");
  cloth_memory memory;
  cloth_get_memory(s.sheet, &memory);
  unsigned char *save = malloc(memory.saved_bytes), *image = malloc(memory.image_bytes);
  CHECK(cloth_save(s.sheet, save, memory.saved_bytes) == CLOTH_OK &&
            cloth_load(copy.sheet, save, memory.saved_bytes) == 0,
        "a save");
  for (int dt = 1; dt <= 3; dt++) {
    char what[96];
    cloth_step(s.sheet, FRAME * (float)dt);
    cloth_step(copy.sheet, FRAME * (float)dt);
    const double down = -(reaction_of(s.sheet, 0).y + pin_sum(&s).y);
    snprintf(what, sizeof what, "weight of a sleeping sheet, steps of %d/60 s", dt);
    line(what, down / (weight_of(&config) * dt / 60.0), 0.99, 1.01);
    CHECK(reaction_of(copy.sheet, 0).y == reaction_of(s.sheet, 0).y, "a loaded sleeper weighs the same");
  }
  CHECK(cloth_write_image(s.sheet, image, memory.image_bytes) == CLOTH_OK &&
            cloth_read_image(copy.sheet, image, memory.image_bytes) == CLOTH_OK,
        "an image");
  free(save);
  free(image);
  fixture_free(&s);
  fixture_free(&copy);
}

/// Bodies at rest ///

static double fastest_of(const fixture *s) {
  double fastest = 0.0;
  for (int i = 0; i < s->count; i++)
    fastest = fmax(fastest, point_length(velocity_of(s->sheet, i)));
  cloth_body body;
  cloth_pose pose;
  cloth_get_body(s->sheet, 0, &body, &pose);
  return fmax(fastest, point_length(point_of(body.velocity)));
}

static void add_body(cloth *sheet, const cloth_collider *shape, float mass) {
  const cloth_body body = cloth_body_default(shape, mass);
  CHECK(cloth_add_collider(sheet, shape) == 0 && cloth_set_body(sheet, 0, &body) == CLOTH_OK, "a body");
}

/* A level sheet that is held along its border, or at its corners, and the body 0 above it. */
static fixture trampoline(int n, double side, int at_corners, const cloth_collider *shape, float mass) {
  cloth_config config = cloth_config_default();
  config.columns = config.rows = n;
  config.edge_warp = vector_at(side, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, -side);
  config.origin = vector_at(-0.5 * side, 0.0, 0.5 * side);
  config.substeps = 10;
  config.sleep.speed = 0.05f;
  config.integration.velocity_damping = at_corners ? 1.0f : config.integration.velocity_damping;
  config.capacity.max_bodies = config.capacity.max_attachments = 1;
  fixture s = fixture_make(&config);
  for (int i = 0; i < s.count; i++) {
    const int on_row = i / n == 0 || i / n == n - 1, on_column = i % n == 0 || i % n == n - 1;
    if (at_corners ? on_row && on_column : on_row || on_column) cloth_pin(s.sheet, i);
  }
  add_body(s.sheet, shape, mass);
  return s;
}

/* A ball that falls on a sheet rolls in the hollow that it makes, and comes to rest; the cloth sleeps under it. */
static void test_rest_on_cloth(void) {
  const struct {
    float mass;
    int n;
    double side, radius;
  } rows[] = {{0.2f, 32, 1.0, 0.1}, {1.0f, 17, 1.0, 0.1}, {1.0f, 33, 3.0, 0.25}};
  for (int k = 0; k < 3; k++) {
    char what[96];
    cloth_collider ball = cloth_collider_default();
    ball.radius = (float)rows[k].radius;
    ball.pose.position = vector_at(0.01, rows[k].radius + 0.1, 0.02);
    fixture s = trampoline(rows[k].n, rows[k].side, 0, &ball, rows[k].mass);
    run_steps(s.sheet, 1800, FRAME);
    const double weight = (double)rows[k].mass * 9.81 / 60.0;
    snprintf(what, sizeof what, "ball of %g kg on %g m of %d columns: fastest after 30 s", (double)rows[k].mass,
             rows[k].side, rows[k].n);
    line(what, fastest_of(&s), 0.0, 0.05);
    line("  asleep", (double)cloth_is_asleep(s.sheet), 1.0, 1.0);
    line("  impulse on the sleeping ball over its weight", reaction_of(s.sheet, 0).y / weight, 0.98, 1.02);
    fixture_free(&s);
  }
}

/* A body that is attached by a point of its surface, below the sheet or on it: contact of both does not move it. */
static void test_rest_attached(void) {
  for (int32_t shape = CLOTH_SHAPE_SPHERE; shape <= CLOTH_SHAPE_CYLINDER; shape++) {
    for (int below = 0; below < 2; below++) {
      for (int heavy = 0; heavy < 1 + below; heavy++) {
        char what[96];
        cloth_collider body = cloth_collider_default();
        body.shape = shape;
        body.radius = body.radius_top = body.half_height = 0.15f;
        body.half_extents = vector_at(0.15, 0.15, 0.15);
        const double top = shape == CLOTH_SHAPE_CAPSULE ? 0.3 : 0.15, side = below ? -top : top;
        body.pose.position.y = (float)side;
        fixture s = trampoline(17, 1.0, 1, &body, heavy ? 2.0f : 0.2f);
        const cloth_vector place = vector_at(0.0, -side, 0.0);
        CHECK(cloth_attach(s.sheet, 8 * 17 + 8, 0, &place) == CLOTH_OK, "attached");
        run_steps(s.sheet, 1200, FRAME);
        snprintf(what, sizeof what, "shape %d of %g kg %s a sheet, by its surface: speed after 20 s", (int)shape,
                 heavy ? 2.0 : 0.2, below ? "below" : "on");
        line(what, fastest_of(&s), 0.0, heavy ? 0.4 : 0.15);
        fixture_free(&s);
      }
    }
  }
}

/* A banner of 1 m by 0.6 m that hangs from its upper edge, with room for a body that is attached to `attached`
   particles. */
static fixture make_banner(int substeps, int attached) {
  cloth_config config = cloth_config_default();
  config.columns = 21;
  config.rows = 12;
  config.edge_warp = vector_at(1.0, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, -0.6, 0.0);
  config.origin = vector_at(-0.5, 0.6, 0.0);
  config.substeps = substeps;
  config.capacity.max_bodies = 1;
  config.capacity.max_attachments = attached;
  fixture s = fixture_make(&config);
  for (int i = 0; i < 21; i++)
    cloth_pin(s.sheet, i);
  return s;
}

/* A round rod along the hem of a banner. Its moment of inertia about its long axis is small, but particles on the axis
   are not as light as that. */
static void test_rod_along_hem(void) {
  const struct {
    int substeps;
    double stretch;
  } rods[] = {{4, 0.05}, {10, 0.012}, {28, 0.005}};
  const cloth_rotation along_x = {0.0f, 0.0f, 0.70710678f, 0.70710678f};
  for (int k = 0; k < 3; k++) {
    char what[96];
    fixture s = make_banner(rods[k].substeps, 21);
    cloth_collider rod = cloth_collider_default();
    rod.shape = CLOTH_SHAPE_CYLINDER;
    rod.radius = 0.01f;
    rod.half_height = 0.5f;
    rod.pose = (cloth_pose){vector_at(0.0, -0.021, 0.0), along_x};
    add_body(s.sheet, &rod, 0.3f);
    for (int i = 0; i < 21; i++)
      CHECK(cloth_attach(s.sheet, 11 * 21 + i, 0, NULL) == CLOTH_OK, "attached");
    run_steps(s.sheet, 600, FRAME);
    cloth_measures measures;
    cloth_measure(s.sheet, &measures);
    snprintf(what, sizeof what, "rod of 0.3 kg along a hem, %d substeps: stretch at rest", rods[k].substeps);
    line(what, (double)measures.max_stretch, 0.0, rods[k].stretch);
    fixture_free(&s);
  }
}

/* A light body on an arm hangs from the corner of a sheet whose springs are implicit. */
static void test_light_body(void) {
  const float masses[] = {0.0001f, 0.001f, 0.01f, 0.1f};
  for (int m = 0; m < 4; m++) {
    for (int k = 0; k < 2; k++) {
      char what[96];
      cloth_config config = cloth_config_default();
      config.columns = config.rows = 16;
      config.edge_weft = vector_at(0.0, -1.0, 0.0);
      config.origin = vector_at(-0.5, 0.0, 0.0);
      cloth_fabric_preset(CLOTH_FABRIC_SILK, &config.fabric);
      cloth_config_use_imex(&config);
      config.integration.method = k ? CLOTH_INTEGRATION_IMPLICIT : config.integration.method;
      config.substeps = k ? 4 : 16;
      config.capacity.max_bodies = config.capacity.max_attachments = 1;
      config.capacity.pin_reactions = 1;
      fixture s = fixture_make(&config);
      for (int i = 0; i < 16; i++)
        cloth_pin(s.sheet, i);
      cloth_collider ball = cloth_collider_default();
      ball.radius = 0.05f;
      ball.pose.position = vector_at(-0.5, -1.2, 0.0);
      const cloth_body body = cloth_body_default(&ball, masses[m]);
      cloth_add_collider(s.sheet, &ball);
      cloth_set_body(s.sheet, 0, &body);
      CHECK(cloth_attach(s.sheet, 15 * 16, 0, NULL) == CLOTH_OK, "attached");
      run_steps(s.sheet, 600, FRAME);
      snprintf(what, sizeof what, "%g kg on implicit springs, %d substeps: fastest after 10 s", (double)masses[m],
               (int)config.substeps);
      line(what, fastest_of(&s), 0.0, 0.1);
      double held = 0.0, borne = 0.0;
      for (int frame = 0; frame < 60; frame++) {
        cloth_step(s.sheet, FRAME);
        held -= pin_sum(&s).y; /* those above bear the sheet and the body, and the attached one is borne by the sheet */
        borne += reaction_of(s.sheet, 0).y;
      }
      line("  on the pins over the weight", held / weight_of(&config), 0.99, 1.01);
      line("  on the body over its weight", borne / ((double)masses[m] * 9.81), 0.99, 1.01);
      fixture_free(&s);
    }
  }
}

/// State and refusals ///

/* A swinging bucket loses energy only, and a rope that a caller moves takes it along. */
static void test_pendulum(void) {
  const int substeps[] = {4, 8, 28};
  for (int k = 0; k < 3; k++) {
    char what[96];
    fixture s = rope_with_bucket(1.0f, substeps[k], 1.2);
    cloth_body body;
    cloth_pose pose;
    cloth_get_body(s.sheet, 0, &body, &pose);
    double most = -9.0, start = 9.81 * (double)pose.position.y;
    for (int frame = 0; frame < 600; frame++) {
      cloth_step(s.sheet, FRAME);
      cloth_get_body(s.sheet, 0, &body, &pose);
      const point v = point_of(body.velocity), w = point_of(body.spin);
      const double energy =
          0.5 * point_dot(v, v) + 0.5 * (double)body.inertia.x * point_dot(w, w) + 9.81 * (double)pose.position.y;
      most = fmax(most, frame > 0 ? energy : most);
    }
    snprintf(what, sizeof what, "swinging bucket, %d substeps: gain of energy [J]", substeps[k]);
    line(what, fmax(most - start, 0.0), 0.0, 0.05);
    fixture_free(&s);
  }
}

/* A cape that a bone carries, as the guide shows: its upper row is attached to a collider in the pose of the bone, or
   pinned and moved along, which is the same motion but for the arcs within a step; with a share of the inertia it
   stretches less. Returns the largest strain, and where a corner of the hem is after half a second. */
static double carry_cape(int attached, float inertia, point *hem) {
  cloth_config config = cloth_config_default();
  config.columns = 24;
  config.edge_warp = vector_at(0.5, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, -1.1, 0.0);
  config.origin = vector_at(-0.25, 1.5, -0.2);
  cloth_fabric_preset(CLOTH_FABRIC_WOOL, &config.fabric);
  config.capacity.max_attachments = config.columns;
  fixture s = fixture_make(&config);
  cloth_collider chest = cloth_collider_default();
  chest.shape = CLOTH_SHAPE_CAPSULE;
  chest.radius = chest.radius_top = 0.15f;
  chest.pose.position = vector_at(0.0, 1.25, 0.0);
  const int bone = cloth_add_collider(s.sheet, &chest);
  point bound[24];
  for (int i = 0; i < s.columns; i++) {
    bound[i] = point_difference(position_of(s.sheet, i), point_of(chest.pose.position));
    CHECK((attached ? cloth_attach(s.sheet, i, bone, NULL) : cloth_pin(s.sheet, i)) == CLOTH_OK, "held");
  }
  cloth_pose before = chest.pose;
  double most = 0.0;
  for (int frame = 1; frame <= 180; frame++) {
    const double t = frame / 60.0, angle = 0.6 * sin(3.0 * t);
    const cloth_pose pose = {vector_at(0.8 * sin(2.0 * t), 1.25, 0.0), rotation_about((point){0.0, 1.0, 0.0}, angle)};
    const cloth_inertia share = {inertia, inertia, inertia};
    if (inertia < 1.0f) CHECK(cloth_move_frame(s.sheet, &before, &pose, &share, FRAME, 0) == CLOTH_OK, "frame");
    CHECK(cloth_move_collider(s.sheet, bone, NULL, &pose) == CLOTH_OK, "bone");
    for (int i = 0; i < s.columns && !attached; i++) {
      const double x = cos(angle) * bound[i].x + sin(angle) * bound[i].z;
      const double z = cos(angle) * bound[i].z - sin(angle) * bound[i].x;
      const point place = {(double)pose.position.x + x, (double)pose.position.y + bound[i].y, z};
      CHECK(cloth_move_pin(s.sheet, i, vector_of(place)) == CLOTH_OK, "pin");
    }
    run_steps(s.sheet, 1, FRAME);
    cloth_measures measures;
    cloth_measure(s.sheet, &measures);
    most = fmax(most, (double)measures.max_stretch);
    if (frame == 30) *hem = position_of(s.sheet, s.count - 1);
    before = pose;
  }
  fixture_free(&s);
  return most;
}

static void test_bone(void) {
  point attached, pinned, eased;
  line("cape on a bone: largest strain, attached", carry_cape(1, 1.0f, &attached), 0.005, 0.02);
  line("cape on a bone: largest strain, pinned", carry_cape(0, 1.0f, &pinned), 0.005, 0.02);
  line("cape on a bone: hem of both apart after 0.5 s [m]", point_distance(attached, pinned), 0.0, 0.01);
  line("cape on a bone: with half of the inertia", carry_cape(1, 0.5f, &eased), 0.003, 0.01);
}

static const test tests[] = {
    TEST(weight_in_tiers), TEST(weight_on_pins), TEST(bucket),        TEST(free_momentum), TEST(attach_in_flight),
    TEST(bounce),          TEST(heavy_ball),     TEST(free_body),     TEST(free_door),     TEST(weight_asleep),
    TEST(pendulum),        TEST(rest_on_cloth),  TEST(rest_attached), TEST(rod_along_hem), TEST(light_body),
    TEST(slope),           TEST(bone),
};

int main(int count, char **arguments) {
  is_table = count > 1 && strcmp(arguments[1], "--table") == 0;
  return RUN_TESTS(count - is_table, arguments + is_table, tests);
}
