/* Bodies with mass that several cloths of a group have in common: one body to all of them, in contact, on the particles
   that bear it, and through attachments. SPDX-License-Identifier: MIT */
#include "panels.h"
#include "shapes.h"

enum { SIDE = 25 };

#define WIDTH (SPACING * (SIDE - 1))
#define RADIUS 0.08
#define GRAVITY 9.81

typedef struct scene {
  panels p;
  cloth_group_body bodies[2];
} scene;

static cloth_config config_with_body(int substeps) {
  cloth_config config = panel_config(SIDE, SIDE, substeps);
  config.max_colliders = 2;
  config.capacity.max_bodies = 2;
  config.capacity.max_attachments = 2;
  config.capacity.pin_reactions = 1;
  config.sleep.speed = 0.02f;
  return config;
}

/* Names a collider of all cloths as one body. */
static void join_collider(scene *s, int collider) {
  cloth_group_body *body = &s->bodies[s->p.group.body_count++];
  for (int n = 0; n < CLOTH_GROUP_LIMIT; n++)
    body->colliders[n] = collider;
  s->p.group.bodies = s->bodies;
}

/* Adds a collider with mass to all cloths. */
static void add_body(scene *s, const cloth_collider *collider, double mass) {
  const cloth_body body = cloth_body_default(collider, (float)mass);
  for (int i = 0; i < s->p.count; i++) {
    const int index = cloth_add_collider(s->p.sheets[i], collider);
    CHECK(index >= 0 && cloth_set_body(s->p.sheets[i], index, &body) == CLOTH_OK, "a body");
  }
}

/* A sheet that lies across the z axis in `count` panels, held at its border, with a ball on it at x. It leans by `lean`
   radians towards larger x: gravity does. */
static void lay_sheet(scene *s, int count, const cloth_config *config, double x, double lean) {
  memset(s, 0, sizeof *s);
  cut_sheet(&s->p, SIDE, SIDE, count, 1, config);
  for (int i = 0; i < count; i++) {
    cloth_set_gravity(s->p.sheets[i], vector_at(GRAVITY * sin(lean), 0, -GRAVITY * cos(lean)));
    for (int k = 0; k < s->p.f[i].count; k++) {
      const point at = position_of(s->p.sheets[i], k);
      const double margin = 0.5 * SPACING;
      if (at.x < margin || at.x > WIDTH - margin || at.y > -margin || at.y < margin - WIDTH)
        cloth_pin(s->p.sheets[i], k);
    }
  }
  cloth_collider ball = cloth_collider_default();
  ball.radius = (float)RADIUS;
  ball.pose.position = vector_at(x, -0.5 * WIDTH, RADIUS + 0.02);
  add_body(s, &ball, 1.0);
  if (count > 1) join_collider(s, 0);
}

static cloth_body body_in(const scene *s, int n, point *place) {
  cloth_body body;
  cloth_pose pose;
  CHECK(cloth_get_body(s->p.sheets[n], 0, &body, &pose) == CLOTH_OK, "cloth_get_body");
  *place = point_of(pose.position);
  return body;
}

/* All cloths hold the body at one place with one velocity. */
static void check_one_body(const scene *s) {
  point first, other;
  const cloth_body body = body_in(s, 0, &first);
  for (int i = 1; i < s->p.count; i++) {
    const cloth_body same = body_in(s, i, &other);
    CHECK(point_distance(first, other) == 0 && !memcmp(&body, &same, sizeof body), "cloth %d has another body", i);
  }
}

/// Over seams ///

/* What all cloths did to the body in a step along z, by their reactions [N s]; adds each to its sum. */
static double reaction_of_all(const scene *s, double *sums) {
  double all = 0;
  for (int i = 0; i < s->p.count; i++) {
    cloth_reaction reaction;
    CHECK(cloth_get_collider_reaction(s->p.sheets[i], 0, &reaction) == CLOTH_OK, "reaction");
    sums[i] += (double)reaction.impulse.z;
    all += (double)reaction.impulse.z;
  }
  return all;
}

/* A ball of 1 kg that falls on a sheet comes to lie as low where the sheet is cut and sewn under it as where it is
   whole. Each panel bears its part, and the reactions of all are what the ball gets. */
static void test_over_seam(void) {
  static const int substeps[] = {4, 6, 10};
  for (int n = 0; n < 3; n++) {
    double depth[3], parts[3][3] = {{0}};
    for (int count = 1; count <= 3; count++) {
      const cloth_config config = config_with_body(substeps[n]);
      scene s;
      lay_sheet(&s, count, &config, 0.5 * WIDTH, 0);
      point place;
      double mean = 0, before = 0, missed = 0;
      for (int frame = 0; frame < 300; frame++) {
        step_panels(&s.p, 1);
        check_one_body(&s);
        const double speed = (double)body_in(&s, 0, &place).velocity.z;
        const double got = reaction_of_all(&s, parts[count - 1]);
        missed = fmax(missed, fabs(got - (speed - before) - GRAVITY * (double)FRAME));
        before = speed;
        mean += frame >= 180 ? place.z / 120 : 0;
      }
      depth[count - 1] = mean;
      CHECK(missed < 1e-4, "%d substeps, %d panels: reactions are %g N s off", substeps[n], count, missed);
      free_panels(&s.p);
    }
    for (int k = 0; k < 3; k++)
      CHECK(fabs(depth[k] - depth[0]) < 0.25 * RADIUS, "%d substeps, %d panels: at %g m, on a whole sheet at %g",
            substeps[n], k + 1, depth[k], depth[0]);
    const double share = parts[1][0] / (parts[1][0] + parts[1][1]);
    CHECK(share > 0.2 && share < 0.8, "%d substeps: one of two panels bears %g of the weight", substeps[n], share);
  }
}

/* A ball rolls from one panel over the seam to the next. */
static void test_rolls_over(void) {
  const cloth_config config = config_with_body(10);
  scene s;
  lay_sheet(&s, 2, &config, 0.25 * WIDTH, 0.1);
  double farthest = 0, lowest = 1;
  for (int frame = 0; frame < 120; frame++) {
    step_panels(&s.p, 1);
    check_one_body(&s);
    point place;
    body_in(&s, 1, &place);
    farthest = fmax(farthest, place.x);
    lowest = fmin(lowest, place.z);
  }
  CHECK(farthest > 0.5 * WIDTH + 0.5 * RADIUS, "rolls to %g m, the seam is at %g", farthest, 0.5 * WIDTH);
  CHECK(lowest > -RADIUS, "falls to %g m", lowest);
  free_panels(&s.p);
}

/// Momentum ///

static point momentum_of(const scene *s) {
  point place, sum;
  const cloth_body body = body_in(s, 0, &place);
  sum = point_scaled(point_of(body.velocity), (double)body.mass);
  for (int i = 0; i < s->p.count; i++) {
    for (int k = 0; k < s->p.f[i].count; k++)
      sum = point_sum(sum, point_scaled(velocity_of(s->p.sheets[i], k), particle_mass(&s->p.f[i], k)));
  }
  return sum;
}

/* A ball flies into the seam of two panels that nothing holds, with particles of both attached to it or not: momentum
   is kept. By backward Euler, whose velocities show it exactly, and with attachments as well as in one cloth. */
static void test_momentum(void) {
  for (int attaches = 0; attaches < 2; attaches++) {
    cloth_config config = config_with_body(10);
    config.air.density = 0;
    config.integration.velocity_damping = config.integration.rest_drag = 0;
    config.integration.bdf2_blend = 0;
    scene s;
    memset(&s, 0, sizeof s);
    cut_sheet(&s.p, SIDE, SIDE, 2, 1, &config);
    cloth_collider ball = cloth_collider_default();
    ball.radius = (float)RADIUS;
    ball.pose.position = vector_at(0.5 * WIDTH + 0.01, -0.5 * WIDTH, RADIUS + 0.02);
    add_body(&s, &ball, 0.2);
    join_collider(&s, 0);
    for (int i = 0; i < 2; i++) {
      cloth_body body = cloth_body_default(&ball, 0.2f);
      body.velocity = vector_at(0, 0, -2);
      cloth_set_gravity(s.p.sheets[i], vector_at(0, 0, 0));
      CHECK(cloth_set_body(s.p.sheets[i], 0, &body) == CLOTH_OK, "a moving body");
      CHECK(!attaches || cloth_attach(s.p.sheets[i], 3 * s.p.columns[i] + 5, 0, NULL) == CLOTH_OK, "attach");
    }
    const point before = momentum_of(&s);
    double farthest = 0;
    for (int frame = 0; frame < 60; frame++) {
      step_panels(&s.p, 1);
      farthest = fmax(farthest, point_distance(momentum_of(&s), before));
    }
    CHECK(farthest < (attaches ? 3e-3 : 1e-4) * point_length(before), "%s: momentum of %g kg m/s changes by %g",
          attaches ? "attached" : "in contact", point_length(before), farthest);
    CHECK(fastest_particle(&s.p) > 0.1, "nothing has been hit");
    free_panels(&s.p);
  }
}

/// Attachments ///

/* A box that hangs from two strips by a particle of each. `is_turned`: the right strip is the first cloth. The second
   cloth has an origin of its own. */
static void hang_box(scene *s, int is_turned, int substeps, cloth_metres origin) {
  const point shift = {(double)origin.x, (double)origin.y, (double)origin.z};
  memset(s, 0, sizeof *s);
  s->p.count = 2;
  for (int i = 0; i < 2; i++) {
    cloth_config config = config_with_body(substeps);
    const double side = i == is_turned ? -0.2 : 0.2;
    const point corner = {side - 2 * SPACING, 0, 0};
    config.columns = 5;
    config.rows = 13;
    config.edge_warp = vector_at(4 * SPACING, 0, 0);
    config.edge_weft = vector_at(0, -12 * SPACING, 0);
    config.origin = vector_of(i ? point_difference(corner, shift) : corner);
    if (i == 1) config.world.origin = origin;
    s->p.f[i] = fixture_make(&config);
    s->p.sheets[i] = s->p.f[i].sheet;
    for (int k = 0; k < 5; k++)
      cloth_pin(s->p.sheets[i], k);
  }
  make_group(&s->p);
  take_memory(&s->p);
  cloth_collider box = cloth_collider_default();
  box.shape = CLOTH_SHAPE_BOX;
  box.half_extents = vector_at(0.25, 0.05, 0.1);
  const point middle = {0, -12 * SPACING - 0.06, 0};
  box.pose.position = vector_of(middle);
  add_body(s, &box, 1.0);
  const cloth_pose pose = {vector_of(point_difference(middle, shift)), rotation_none()};
  CHECK(cloth_move_collider(s->p.sheets[1], 0, &pose, &pose) == CLOTH_OK, "move");
  join_collider(s, 0);
  for (int i = 0; i < 2; i++)
    CHECK(cloth_attach(s->p.sheets[i], 12 * 5 + 2, 0, NULL) == CLOTH_OK, "attach");
}

/* It hangs level, and each strip bears half of the weight, in either order of the cloths. */
static void test_hung_box(void) {
  static const int substeps[] = {2, 4, 10};
  for (int n = 0; n < 6; n++) {
    const cloth_metres none = {0, 0, 0};
    scene s;
    hang_box(&s, n % 2, substeps[n / 2], none);
    step_panels(&s.p, 600);
    check_one_body(&s);
    double weight[2] = {0, 0};
    for (int frame = 0; frame < 120; frame++) { /* the mean: the box bounces by less than a millimetre for long */
      step_panels(&s.p, 1);
      for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 5; k++) {
          cloth_vector impulse;
          CHECK(cloth_get_pin_reaction(s.p.sheets[i], k, &impulse) == CLOTH_OK, "pin");
          weight[i] -= (double)impulse.y / (double)FRAME / 120;
        }
      }
    }
    const double cloths = 0.2 * 4 * SPACING * 12 * SPACING, all = GRAVITY * (1 + 2 * cloths);
    point place;
    const cloth_body body = body_in(&s, 0, &place);
    CHECK(fabs(weight[0] + weight[1] - all) < 0.01 * all, "%d substeps: pins bear %g of %g N", substeps[n / 2],
          weight[0] + weight[1], all);
    CHECK(fabs(weight[0] - weight[1]) < 0.05 * all, "%d substeps: strips bear %g and %g N", substeps[n / 2], weight[0],
          weight[1]);
    CHECK(point_length(point_of(body.velocity)) < 0.02, "%d substeps: moves at %g m/s", substeps[n / 2],
          point_length(point_of(body.velocity)));
    free_panels(&s.p);
  }
}

/* A particle that is attached to a box which turns in free flight is at its point of the box after every step, in all
   cloths: what moves the box once more when a substep ends would leave them behind. Springs hold it there. */
static void test_turning_box(void) {
  static const int substeps[] = {1, 2, 4, 10};
  for (int n = 0; n < 4; n++) {
    const cloth_metres none = {0, 0, 0};
    const double arm[2] = {-0.2, 0.2};
    scene s;
    hang_box(&s, 0, substeps[n], none);
    for (int i = 0; i < 2; i++) {
      cloth_set_gravity(s.p.sheets[i], vector_at(0, 0, 0));
      for (int k = 0; k < 5; k++)
        cloth_release(s.p.sheets[i], k);
    }
    point place;
    cloth_body body = body_in(&s, 0, &place);
    body.spin = vector_at(0, 3, 1);
    CHECK(cloth_set_body(s.p.sheets[0], 0, &body) == CLOTH_OK, "a spin");
    double largest = 0;
    for (int frame = 0; frame < 60; frame++) {
      step_panels(&s.p, 1);
      cloth_pose pose;
      CHECK(cloth_get_body(s.p.sheets[0], 0, &body, &pose) == CLOTH_OK, "cloth_get_body");
      for (int i = 0; i < 2; i++) {
        const point away = point_difference(position_of(s.p.sheets[i], 12 * 5 + 2), point_of(pose.position));
        const point arms = {arm[i], 0.06, 0};
        largest = fmax(largest, point_distance(turned_back(pose.rotation, away), arms));
      }
    }
    CHECK(largest < 5e-4, "%d substeps: %g m from its point", substeps[n], largest);
    free_panels(&s.p);
  }
}

/// Sleep, saves and origins ///

/* Two cloths that a body links fall asleep together, and wake together when one of them is woken, or when the group
   does not name the body any more. */
static void test_sleep(void) {
  const cloth_metres none = {0, 0, 0};
  scene s;
  hang_box(&s, 0, 10, none);
  int frames = 0;
  while (frames < 1200 && !cloth_is_asleep(s.p.sheets[0])) {
    step_panels(&s.p, 1);
    CHECK(cloth_is_asleep(s.p.sheets[0]) == cloth_is_asleep(s.p.sheets[1]), "one sleeps, the other does not");
    frames++;
  }
  CHECK(frames > 5 && frames < 1200, "asleep after %d frames", frames);
  step_panels(&s.p, 5);
  CHECK(cloth_is_asleep(s.p.sheets[0]) && cloth_is_asleep(s.p.sheets[1]), "sleeping cloths stay asleep");
  cloth_set_origin(&s.p.sheets[0], 1, (cloth_metres){300, -7, 2});
  step_panels(&s.p, 1);
  cloth_set_origin(&s.p.sheets[1], 1, (cloth_metres){-900, 1, 0});
  step_panels(&s.p, 1);
  cloth_recentre(s.p.sheets, 2, NULL);
  step_panels(&s.p, 1);
  CHECK(cloth_is_asleep(s.p.sheets[0]) && cloth_is_asleep(s.p.sheets[1]), "another origin wakes nothing");
  cloth_wake(s.p.sheets[1]);
  step_panels(&s.p, 1);
  CHECK(!cloth_is_asleep(s.p.sheets[0]) && !cloth_is_asleep(s.p.sheets[1]), "woken together");
  step_panels(&s.p, 240);
  CHECK(cloth_is_asleep(s.p.sheets[0]), "asleep again");
  s.p.group.body_count = 0;
  step_panels(&s.p, 1);
  CHECK(!cloth_is_asleep(s.p.sheets[0]) && !cloth_is_asleep(s.p.sheets[1]),
        "they wake where the body is common no more");
  free_panels(&s.p);
}

/* Saves of both cloths in the middle of it lead to the same end. */
static void test_replay(void) {
  const cloth_config config = config_with_body(10);
  unsigned char *saves[2];
  uint64_t first[2], again[2];
  scene s;
  lay_sheet(&s, 2, &config, 0.4 * WIDTH, 0.1);
  step_panels(&s.p, 30);
  for (int i = 0; i < 2; i++) {
    saves[i] = (unsigned char *)malloc(s.p.f[i].memory.saved_bytes);
    CHECK(cloth_save(s.p.sheets[i], saves[i], s.p.f[i].memory.saved_bytes) == CLOTH_OK, "save");
  }
  step_panels(&s.p, 40);
  for (int i = 0; i < 2; i++) {
    first[i] = read_hash(s.p.sheets[i]);
    CHECK(cloth_load(s.p.sheets[i], saves[i], s.p.f[i].memory.saved_bytes) == CLOTH_OK, "load");
  }
  step_panels(&s.p, 40);
  for (int i = 0; i < 2; i++) {
    again[i] = read_hash(s.p.sheets[i]);
    CHECK(first[i] == again[i], "cloth %d differs", i);
    free(saves[i]);
  }
  free_panels(&s.p);
}

/* Cloths with origins of their own see the body at one place of the world, and it moves as with one origin. */
static void test_origins(void) {
  const cloth_metres origins[2] = {{0, 0, 0}, {3, -2, 5}};
  point ends[2];
  for (int n = 0; n < 2; n++) {
    scene s;
    hang_box(&s, 0, 10, origins[n]);
    step_panels(&s.p, 60);
    point second;
    body_in(&s, 0, &ends[n]);
    body_in(&s, 1, &second);
    const point shift = {(double)origins[n].x, (double)origins[n].y, (double)origins[n].z};
    const double gap = point_distance(ends[n], point_sum(second, shift));
    CHECK(gap < 1e-6, "%g m apart", gap);
    free_panels(&s.p);
  }
  CHECK(point_distance(ends[0], ends[1]) < 1e-4, "ends %g m elsewhere", point_distance(ends[0], ends[1]));
}

/* What the group takes from the first cloth alone, the others get; what one cloth does not touch stays its own. */
static void test_leads(void) {
  const cloth_config config = config_with_body(10);
  scene s;
  lay_sheet(&s, 3, &config, 0.5 * WIDTH, 0);
  s.bodies[0].colliders[0] = -1;
  cloth_body body;
  point place, other;
  body = body_in(&s, 1, &place);
  body.mass = 2.0f;
  body.velocity = vector_at(0, 0, 1);
  const cloth_pose pose = {vector_at(place.x, place.y, 1.0), rotation_none()};
  CHECK(cloth_set_body(s.p.sheets[1], 0, &body) == CLOTH_OK, "set");
  CHECK(cloth_move_collider(s.p.sheets[1], 0, &pose, &pose) == CLOTH_OK, "move");
  step_panels(&s.p, 1);
  body = body_in(&s, 2, &other);
  CHECK(body.mass == 2.0f && other.z > 1.01, "the second gets mass %g and height %g", (double)body.mass, other.z);
  body = body_in(&s, 0, &other);
  CHECK(body.mass == 1.0f && other.z < 0.5, "what is its own has mass %g and height %g", (double)body.mass, other.z);
  free_panels(&s.p);
}

/// Refusals ///

static void refuse(scene *s, int expected, const char *what) {
  const uint64_t before = read_hash(s->p.sheets[0]);
  size_t bytes = 0;
  uint64_t work = 0;
  CHECK(cloth_group_bytes(&s->p.group, &bytes) == expected, "%s: %s", what,
        cloth_result_name(cloth_group_bytes(&s->p.group, &bytes)));
  CHECK(cloth_group_work_bound(&s->p.group, FRAME, &work) == expected, "%s: work", what);
  CHECK(cloth_step_together(&s->p.group, FRAME, s->p.memory, s->p.bytes) == expected, "%s: step", what);
  CHECK(read_hash(s->p.sheets[0]) == before && bytes == 0 && work == 0, "%s: something has changed", what);
}

static void test_refusals(void) {
  const cloth_config config = config_with_body(4);
  cloth_collider ball = cloth_collider_default();
  scene s;
  lay_sheet(&s, 2, &config, 0.5 * WIDTH, 0);
  s.p.group.body_count = -1;
  refuse(&s, CLOTH_ERROR_RANGE, "no count");
  s.p.group.body_count = CLOTH_GROUP_BODY_LIMIT + 1;
  refuse(&s, CLOTH_ERROR_RANGE, "too many");
  s.p.group.body_count = 1;
  s.p.group.bodies = NULL;
  refuse(&s, CLOTH_ERROR_NULL, "no list");
  s.p.group.bodies = s.bodies;
  s.bodies[0].colliders[1] = 1;
  refuse(&s, CLOTH_ERROR_INDEX, "no collider");
  s.bodies[0].colliders[1] = -2;
  refuse(&s, CLOTH_ERROR_INDEX, "no index");
  s.bodies[0].colliders[1] = 2;
  refuse(&s, CLOTH_ERROR_INDEX, "beyond the capacity");
  s.bodies[0].colliders[1] = 0;
  s.bodies[1] = s.bodies[0];
  s.p.group.body_count = 2;
  refuse(&s, CLOTH_ERROR_CONFLICT, "twice");
  s.p.group.body_count = 1;
  ball.radius = 0.5f;
  CHECK(cloth_add_collider(s.p.sheets[1], &ball) == 1, "another collider");
  s.bodies[0].colliders[1] = 1;
  refuse(&s, CLOTH_ERROR_CONFLICT, "another size");
  ball.radius = (float)RADIUS;
  CHECK(cloth_set_collider(s.p.sheets[1], 1, &ball) == CLOTH_OK, "set");
  refuse(&s, CLOTH_ERROR_STATE, "without mass");
  s.bodies[0].colliders[1] = -1;
  step_panels(&s.p, 1); /* of one cloth alone */
  s.bodies[0].colliders[0] = -1;
  s.bodies[0].colliders[2] = 0;
  step_panels(&s.p, 1); /* of none: what lies beyond the cloths counts for nothing */
  free_panels(&s.p);
}

static const test tests[] = {
    TEST(over_seam), TEST(rolls_over), TEST(momentum), TEST(hung_box), TEST(turning_box),
    TEST(sleep),     TEST(replay),     TEST(origins),  TEST(leads),    TEST(refusals),
};

int main(int argc, char **argv) {
  return RUN_TESTS(argc, argv, tests);
}
