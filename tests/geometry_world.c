/* Colliders with geometry, and bodies that cloths share, with all else that a world has: weight, pins, bodies with
   mass, attachments, the list of contacts, origins, deadlines, and other colliders. SPDX-License-Identifier: MIT */
#include "geometries.h"
#include "sheets.h"

enum { HULL, FIELD, MESH, SIDED, GRID, KINDS };
static const char *const kind_names[] = {"hull", "height field", "mesh", "one-sided mesh", "distance grid"};

static cloth_config world_config(int side) {
  cloth_config config = cloth_config_default();
  config.columns = config.rows = side;
  config.origin = vector_at(-0.5, 0.02, -0.5);
  config.max_colliders = 4;
  config.capacity.geometry = 1;
  config.capacity.meshes = 2;
  return config;
}

/* Level ground of 4 m at height 0, around a place. */
static built ground_at(int kind, double x, double y, double z, cloth_collider *collider) {
  built b = kind == HULL    ? build_box(2.0, 0.5, 2.0)
            : kind == FIELD ? build_field_of(level, 4.0, 41)
            : kind == GRID  ? build_grid_of(floor_distance, 4.0, 21)
                            : build_sheet_of(level, 4.0, 41, kind == SIDED);
  *collider = collider_with(&b);
  collider->pose.position =
      vector_at(x - (kind == FIELD ? 2.0 : 0.0), y - (kind == HULL ? 0.5 : 0.0), z - (kind == FIELD ? 2.0 : 0.0));
  return b;
}

static void run_with(fixture *s, int steps, const cloth_surroundings *around) {
  for (int i = 0; i < steps; i++) {
    int result = cloth_step_with(s->sheet, FRAME, around);
    CHECK(result >= CLOTH_OK, "step %d: %s", i, cloth_result_name(result));
  }
}

static double fastest_of(const fixture *s) {
  double fastest = 0.0;
  for (int i = 0; i < s->count; i++)
    fastest = fmax(fastest, point_length(velocity_of(s->sheet, i)));
  return fastest;
}

/// Weight ///

/* What a sheet at rest does to ground of every kind is its weight, and the list of contacts adds up to it. With a row
   pinned, ground and pins share the weight. With 28 substeps what forces move in one is less than floats resolve here,
   6e-8 m, up to .2 m/s^2: cloth may rest where they are off by as much. */
static void test_weight(void) {
  const int substeps[] = {4, 28};
  for (int n = 0; n < 4 * KINDS; n++) {
    const int kind = n / 4, is_pinned = n % 2;
    cloth_config config = world_config(12);
    config.substeps = substeps[n / 2 % 2];
    config.capacity.max_contacts = 400;
    config.capacity.pin_reactions = 1;
    fixture s = fixture_make(&config);
    cloth_collider ground;
    built b = ground_at(kind, 0.0, 0.0, 0.0, &ground);
    const int index = cloth_add_collider(s.sheet, &ground);
    for (int i = 0; is_pinned && i < 12; i++)
      cloth_pin(s.sheet, i);
    const cloth_surroundings around = around_of(&b);
    run_with(&s, 180, &around);
    double felt = 0.0, listed = 0.0, reacted = 0.0;
    for (int step = 0; step < 60; step++) {
      run_with(&s, 1, &around);
      cloth_reaction reaction;
      cloth_get_collider_reaction(s.sheet, index, &reaction);
      reacted -= (double)reaction.impulse.y;
      static cloth_contact contacts[400];
      const int count = cloth_get_contacts(s.sheet, contacts, 400);
      for (int i = 0; i < count; i++) {
        listed += (double)contacts[i].impulse.y;
        CHECK(contacts[i].collider == index && contacts[i].normal.y > 0.99f, "%s: contact %d", kind_names[kind], i);
      }
      for (int i = 0; is_pinned && i < 12; i++) {
        cloth_vector pull;
        cloth_get_pin_reaction(s.sheet, i, &pull);
        felt -= (double)pull.y;
      }
    }
    const double weight = sheet_mass(&s) * 9.81;
    CHECK(fabs((reacted + felt) / weight - 1.0) < (config.substeps > 4 ? 0.05 : 0.01),
          "%s, %d substeps, %s: %g of %g N", kind_names[kind], config.substeps, is_pinned ? "pinned" : "free",
          reacted + felt, weight);
    CHECK(fabs(listed - reacted) < 1e-3 * weight, "%s: listed %g of %g N s", kind_names[kind], listed, reacted);
    CHECK(read_statistics(s.sheet).contacts <= s.count && read_statistics(s.sheet).contacts_dropped == 0,
          "%s: %d contacts", kind_names[kind], read_statistics(s.sheet).contacts);
    fixture_free(&s);
    free_built(&b);
  }
}

/* A body of the table that moves wakes the cloth on it, and the step that does so is within the bound of before. */
static void check_waking(fixture *s, cloth_shared_body *body, const cloth_surroundings *around) {
  uint64_t bound = 0;
  CHECK(cloth_get_work_bound(s->sheet, FRAME, &bound) == CLOTH_OK, "cloth_get_work_bound");
  body->collider.pose.position.y += 0.001f;
  run_with(s, 1, around);
  CHECK(!cloth_is_asleep(s->sheet), "a body that moves has not woken it");
  CHECK(read_work(s->sheet) <= bound, "work %g, bound %g", (double)read_work(s->sheet), (double)bound);
}

/* A body of the table under a sleeping cloth still feels its weight, and the list tells its place in the table. */
static void test_shared_weight(void) {
  cloth_config config = world_config(10);
  config.capacity.max_shared_bodies = 2;
  config.capacity.max_contacts = 200;
  config.sleep.speed = 0.01f;
  config.origin.y = 0.01f;
  fixture s = fixture_make(&config);
  built b = build_box(2.0, 0.5, 2.0);
  cloth_shared_body bodies[5];
  cloth_reaction reactions[5];
  for (int n = 0; n < 5; n++) {
    bodies[n].collider = cloth_collider_default();
    bodies[n].collider.pose.position = vector_at(100.0, 0.0, 0.0);
    bodies[n].previous = bodies[n].collider.pose;
  }
  bodies[3].collider = collider_with(&b);
  bodies[3].collider.pose.position = vector_at(0.0, -0.5, 0.0);
  bodies[3].previous = bodies[3].collider.pose;
  const cloth_surroundings around = {&b.geometry, 1, bodies, 5, reactions, {0, 0, 0}, NULL};
  run_with(&s, 20, &around);
  cloth_contact contact = {.collider = -1};
  CHECK(cloth_get_contacts(s.sheet, &contact, 1) > 80 && contact.collider == config.max_colliders + 3,
        "contact with collider %d", contact.collider);
  run_with(&s, 120, &around);
  CHECK(cloth_is_asleep(s.sheet) == 1, "awake");
  memset(reactions, 0, sizeof reactions);
  run_with(&s, 10, &around);
  const double weight = sheet_mass(&s) * 9.81 * 10.0 * (double)FRAME;
  CHECK(fabs((double)reactions[3].impulse.y / weight + 1.0) < 0.01, "%g of %g N s", (double)reactions[3].impulse.y,
        weight);
  CHECK(reactions[0].impulse.y == 0.0f, "another body feels it");
  check_waking(&s, &bodies[3], &around);
  fixture_free(&s);
  free_built(&b);
}

/// Bodies with mass ///

/* Where a body of 2 kg, a box as a hull or as a box, has come to on a sheet that hangs by its border. `carried`: what
   the pins receive in a second [N s], less the weight and what the body gains, as it still swings a little. */
static cloth_pose fall_on_sheet(int is_hull, double *carried) {
  cloth_config config = world_config(16);
  config.fabric.stretch_warp = config.fabric.stretch_weft = 5000.0f;
  config.capacity.max_bodies = config.capacity.pin_reactions = 1;
  fixture s = fixture_make(&config);
  for (int i = 0; i < s.count; i++)
    if (i < 16 || i >= s.count - 16 || i % 16 == 0 || i % 16 == 15) cloth_pin(s.sheet, i);
  built b = build_box(0.2, 0.1, 0.15);
  cloth_collider body = collider_with(&b);
  if (!is_hull) {
    body = cloth_collider_default();
    body.shape = CLOTH_SHAPE_BOX;
    body.half_extents = vector_at(0.2, 0.1, 0.15);
  }
  body.pose.position = vector_at(0.01, 0.2, 0.0);
  const int index = cloth_add_collider(s.sheet, &body);
  cloth_body mass = cloth_body_default(&body, 2.0f);
  CHECK(cloth_set_body(s.sheet, index, &mass) == CLOTH_OK, "a convex body with mass");
  const cloth_surroundings around = around_of(&b);
  run_with(&s, 900, &around); /* it bounces for long: the springs give back what they took */
  cloth_pose pose;
  cloth_get_body(s.sheet, index, &mass, &pose);
  const float before = mass.velocity.y;
  *carried = 0.0;
  for (int step = 0; step < 60; step++) {
    run_with(&s, 1, &around);
    for (int i = 0; i < s.count; i++) {
      cloth_vector pull = {0.0f, 0.0f, 0.0f};
      if (cloth_get_pin_reaction(s.sheet, i, &pull) == CLOTH_OK) *carried -= (double)pull.y;
    }
  }
  cloth_get_body(s.sheet, index, &mass, &body.pose);
  *carried -= 9.81 * (sheet_mass(&s) + 2.0) + 2.0 * (double)(mass.velocity.y - before);
  fixture_free(&s);
  free_built(&b);
  return pose;
}

static void test_hull_with_mass(void) {
  double hull_excess, box_excess;
  const cloth_pose hull = fall_on_sheet(1, &hull_excess), box = fall_on_sheet(0, &box_excess);
  const double apart = point_distance(point_of(hull.position), point_of(box.position));
  CHECK(hull.position.y < 0.15f && hull.position.y > -0.5f, "the hull is at %g m", (double)hull.position.y);
  CHECK(apart < 0.01, "the hull is %g m from where the box is", apart);
  CHECK(fabs(hull_excess) < 0.01 * 2.0 * 9.81, "the pins carry %g N s more than the weight and what the body gains",
        hull_excess);
}

/* What is not convex gets no mass, by no call, and keeps none. Particles can be attached to it. */
static void test_concave_body(void) {
  cloth_config config = world_config(6);
  config.capacity.max_bodies = config.capacity.max_attachments = 1;
  for (int kind = FIELD; kind < KINDS; kind++) {
    fixture s = fixture_make(&config);
    cloth_collider ground, ball = cloth_collider_default();
    built b = ground_at(kind, 0.0, 0.0, 0.0, &ground);
    const cloth_body mass = cloth_body_default(&ball, 1.0f);
    const int index = cloth_add_collider(s.sheet, &ground);
    CHECK(cloth_set_body(s.sheet, index, &mass) == CLOTH_ERROR_CONFLICT, "%s: mass", kind_names[kind]);
    cloth_set_collider(s.sheet, index, &ball);
    CHECK(cloth_set_body(s.sheet, index, &mass) == CLOTH_OK, "%s: mass of a ball", kind_names[kind]);
    CHECK(cloth_set_collider(s.sheet, index, &ground) == CLOTH_ERROR_CONFLICT, "%s: in place of it", kind_names[kind]);
    cloth_set_body(s.sheet, index, NULL);
    CHECK(cloth_set_collider(s.sheet, index, &ground) == CLOTH_OK, "%s: without mass", kind_names[kind]);
    const cloth_vector local = vector_at(0.1, 0.5, 0.1);
    CHECK(cloth_attach(s.sheet, 0, index, &local) == CLOTH_OK, "%s: attach", kind_names[kind]);
    cloth_pose pose = ground.pose;
    pose.position.x += 0.3f;
    cloth_move_collider(s.sheet, index, NULL, &pose);
    const cloth_surroundings around = around_of(&b);
    run_with(&s, 1, &around);
    const point expected = point_sum(point_of(pose.position), point_of(local));
    CHECK(point_distance(position_of(s.sheet, 0), expected) < 1e-5, "%s: attached particle", kind_names[kind]);
    fixture_free(&s);
    free_built(&b);
  }
}

/// Far from home ///

/* On ground of every kind a sheet comes to rest and sleeps 1 km from its origin, and 100 km from the zero of the world
   it does what it does at home. */
static void test_far(void) {
  for (int kind = 0; kind < KINDS; kind++) {
    cloth_config config = world_config(12);
    config.sleep.speed = 0.02f;
    config.origin = vector_at(999.5, 500.05, -700.5);
    fixture s = fixture_make(&config);
    cloth_collider ground;
    built b = ground_at(kind, 1000.0, 500.0, -700.0, &ground);
    cloth_add_collider(s.sheet, &ground);
    const cloth_surroundings around = around_of(&b);
    run_with(&s, 180, &around);
    CHECK(fastest_of(&s) < 0.05 && cloth_is_asleep(s.sheet) == 1, "%s, 1 km: %g m/s", kind_names[kind], fastest_of(&s));
    CHECK(read_statistics(s.sheet).overflows == 0, "%s: overflows", kind_names[kind]);
    for (int i = 0; i < s.count; i++)
      CHECK(position_of(s.sheet, i).y > 500.009, "%s: %g m", kind_names[kind], position_of(s.sheet, i).y);
    fixture_free(&s);
    free_built(&b);
  }
}

/* Bodies of a table are where its origin says: cloths with other origins meet them at the same places in the world, to
   the bit where places are short numbers. */
static void test_table_origin(void) {
  const cloth_metres origins[3] = {{0, 0, 0}, {100000, 70, -30}, {-999999999, 3, 3}};
  cloth_config config = world_config(12);
  config.capacity.max_shared_bodies = 3;
  config.origin.y = 0.3f;
  built b = build_box(0.25, 0.125, 0.25);
  fixture s[3];
  for (int n = 0; n < 3; n++) {
    config.world.origin = origins[n];
    s[n] = fixture_make(&config);
    cloth_shared_body bodies[2];
    bodies[0].collider = cloth_collider_default();
    bodies[1].collider = collider_with(&b);
    cloth_surroundings around = {&b.geometry, 1, bodies, 2, NULL, origins[n], NULL};
    around.origin.x += 10 * n;
    for (int k = 0; k < 2; k++) {
      bodies[k].collider.pose.position = vector_at(0.25 - 0.5 * k - 10.0 * n, 0.0, 0.125);
      bodies[k].previous = bodies[k].collider.pose;
    }
    run_with(&s[n], 40, &around);
    CHECK(read_statistics(s[n].sheet).contacts > 5, "%d contacts", read_statistics(s[n].sheet).contacts);
    for (int i = 0; n > 0 && i < s[n].count; i++)
      CHECK(point_distance(position_of(s[n].sheet, i), position_of(s[0].sheet, i)) == 0.0, "origin %d, particle %d", n,
            i);
    around.origin.y = CLOTH_ORIGIN_LIMIT + 1;
    CHECK(cloth_step_with(s[n].sheet, FRAME, &around) == CLOTH_ERROR_RANGE, "origin of a table");
  }
  for (int n = 0; n < 3; n++)
    fixture_free(&s[n]);
  free_built(&b);
}

/* A cloth whose origin follows it leaves shared bodies in their places, in the step that moves it as well, and sleeps
   beside them when its origin moves. */
static void test_origin_moves(void) {
  cloth_config config = world_config(12);
  config.capacity.max_shared_bodies = 2;
  config.sleep.speed = 0.05f;
  config.origin = vector_at(-0.5, 0.02, -0.5);
  fixture still = fixture_make(&config);
  config.world.recentre_distance = 1.0f;
  fixture moving = fixture_make(&config);
  cloth_shared_body body = {cloth_collider_default(), {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}}};
  body.collider.shape = CLOTH_SHAPE_BOX;
  body.collider.half_extents = vector_at(20.0, 0.5, 5.0);
  body.collider.pose.position.y = body.previous.position.y = -0.5f;
  body.collider.static_friction = body.collider.kinetic_friction = 0.0f;
  const cloth_surroundings around = {.bodies = &body, .body_count = 1};
  const point way = {1.5, 0.0, 0.0};
  set_velocity(&still, way);
  set_velocity(&moving, way);
  int moves = 0;
  for (int step = 0; step < 120; step++) {
    run_with(&still, 1, &around);
    run_with(&moving, 1, &around);
    moves += (read_statistics(moving.sheet).notes & CLOTH_NOTE_ORIGIN_MOVED) != 0;
  }
  cloth_metres origin;
  cloth_get_origin(moving.sheet, &origin);
  double apart = 0.0;
  for (int i = 0; i < still.count; i++) {
    point p = position_of(moving.sheet, i);
    p.x += origin.x;
    apart = fmax(apart, point_distance(p, position_of(still.sheet, i)));
  }
  CHECK(moves > 0 && apart < 1e-3, "%d moves, %g m apart", moves, apart);
  body.collider.static_friction = body.collider.kinetic_friction = 1.0f;
  run_with(&still, 300, &around);
  CHECK(cloth_is_asleep(still.sheet) == 1, "awake");
  cloth *list[1] = {still.sheet};
  origin.x = 2;
  origin.y = origin.z = 0;
  CHECK(cloth_set_origin(list, 1, origin) == CLOTH_OK, "origin");
  run_with(&still, 1, &around);
  CHECK(cloth_is_asleep(still.sheet) == 1, "a new origin woke it");
  fixture_free(&still);
  fixture_free(&moving);
}

/// Steps with a deadline ///

/* Steps until a deadline take surroundings, and are repeated with them to the bit. */
static void test_deadline(void) {
  cloth_config config = world_config(10);
  config.integration.method = CLOTH_INTEGRATION_IMPLICIT;
  fixture s = fixture_make(&config), t = fixture_make(&config);
  cloth_collider ground;
  built b = ground_at(MESH, 0.0, 0.0, 0.0, &ground);
  cloth_add_collider(s.sheet, &ground);
  cloth_add_collider(t.sheet, &ground);
  const cloth_surroundings around = around_of(&b);
  cloth_effort effort = {0, 0};
  for (int step = 0; step < 20; step++) {
    int result = cloth_step_until_with(s.sheet, FRAME, &around, step % 2 ? 0 : UINT32_MAX, &effort);
    CHECK(result >= CLOTH_OK, "until: %s", cloth_result_name(result));
    result = cloth_step_again_with(t.sheet, FRAME, &around, &effort);
    CHECK(result >= CLOTH_OK, "again: %s", cloth_result_name(result));
    CHECK(read_hash(s.sheet) == read_hash(t.sheet), "step %d: another hash", step);
  }
  CHECK(cloth_step_until(s.sheet, FRAME, 0, &effort) == CLOTH_ERROR_GEOMETRY, "until without geometry");
  CHECK(cloth_step_again(s.sheet, FRAME, &effort) == CLOTH_ERROR_GEOMETRY, "again without geometry");
  CHECK(cloth_step_until_with(s.sheet, FRAME, &around, 0, NULL) == CLOTH_ERROR_NULL, "no effort");
  CHECK(read_statistics(s.sheet).contacts > 0, "no contact");
  fixture_free(&s);
  fixture_free(&t);
  free_built(&b);
}

/// Several colliders ///

/* A box, or a second mesh, presses a sheet against a mesh that comes before it: no particle is pushed through. */
static void test_pressed_on_mesh(void) {
  for (int second = 0; second < 2; second++) {
    cloth_config config = world_config(16);
    fixture s = fixture_make(&config);
    cloth_collider ground, press = cloth_collider_default();
    built b = ground_at(MESH, 0.0, 0.0, 0.0, &ground);
    if (second) press = ground;
    press.shape = second ? press.shape : CLOTH_SHAPE_BOX;
    press.half_extents = vector_at(0.4, 0.2, 0.3);
    press.pose.position = vector_at(0.1, second ? 0.5 : 0.7, 0.05);
    cloth_add_collider(s.sheet, &ground);
    const int index = cloth_add_collider(s.sheet, &press);
    const cloth_surroundings around = around_of(&b);
    int below = 0;
    for (int step = 0; step < 90; step++) {
      press.pose.position.y = fmaxf(press.pose.position.y - 0.02f, second ? 0.004f : 0.195f);
      cloth_move_collider(s.sheet, index, NULL, &press.pose);
      run_with(&s, 1, &around);
      for (int i = 0; i < s.count; i++)
        below += position_of(s.sheet, i).y < 0.0 ||
                 (second && position_of(s.sheet, i).y > (double)press.pose.position.y + 1e-6);
    }
    CHECK(below == 0, "%s: %d behind a mesh", second ? "mesh" : "box", below);
    CHECK(cloth_remove_collider(s.sheet, index) == CLOTH_OK, "remove");
    run_with(&s, 60, &around);
    for (int i = 0; i < s.count; i++)
      below += position_of(s.sheet, i).y < 0.0;
    CHECK(below == 0 && fastest_of(&s) < 1.0, "%d below, %g m/s", below, fastest_of(&s));
    fixture_free(&s);
    free_built(&b);
  }
}

int main(int count, char **arguments) {
  const test tests[] = {
      TEST(weight),       TEST(shared_weight), TEST(hull_with_mass), TEST(concave_body),    TEST(far),
      TEST(table_origin), TEST(origin_moves),  TEST(deadline),       TEST(pressed_on_mesh),
  };
  return RUN_TESTS(count, arguments, tests);
}
