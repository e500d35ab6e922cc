/* A state has one form: after any call every float is canonical and its image is accepted, and what came before and
   went leaves no trace. SPDX-License-Identifier: MIT */
#include "saved_cloths.h"

/// Canonical state ///

/* Inputs that a careless state would take as they are. */
static float careless(random_source *random) {
  static const uint32_t words[] = {0x80000000u, 1,           0x80000001u, 0x007fffffu, 0x807fffffu, 0x00800000u,
                                   0x80800000u, 0x2b7fffffu, 0xab7fffffu, 0x2b800000u, 0x307fffffu, 0xb07fffffu,
                                   0x30800000u, 0,           0x3f800000u, 0xbf800000u};
  int choice = random_int(random, 0, 23);
  return choice < 16 ? word_float(words[choice]) : (float)random_real(random, -1.0, 1.0);
}

static cloth_vector careless_vector(random_source *random) {
  cloth_vector v;
  v.x = careless(random);
  v.y = careless(random);
  v.z = careless(random);
  return v;
}

static cloth_pose careless_pose(random_source *random) {
  static const double turns[][4] = {{0.0, 0.0, 0.0, 1.0}, {0.6, 0.0, 0.0, -0.8}, {0.5, -0.5, 0.5, 0.5}};
  const double *q = turns[random_int(random, 0, 2)];
  cloth_pose pose;
  pose.position = careless_vector(random);
  pose.rotation = (cloth_rotation){(float)q[0], (float)q[1], (float)q[2], (float)q[3]};
  if (q[3] == 1.0) {
    pose.rotation.x = word_float(0x80000001u);
    pose.rotation.y = word_float(0x80000000u);
    pose.rotation.z = 1e-20f;
  }
  return pose;
}

/* A collider whose unused dimensions are garbage. */
static cloth_collider careless_collider(random_source *random) {
  cloth_collider c = cloth_collider_default();
  c.shape = random_int(random, CLOTH_SHAPE_PLANE, CLOTH_SHAPE_CYLINDER);
  c.pose = careless_pose(random);
  c.static_friction = fabsf(careless(random));
  c.kinetic_friction = random_int(random, 0, 1) ? word_float(0x80000000u) : c.static_friction;
  int round = c.shape >= CLOTH_SHAPE_SPHERE && c.shape != CLOTH_SHAPE_BOX;
  c.radius = round ? 0.25f : careless(random);
  c.radius_top = c.shape == CLOTH_SHAPE_CAPSULE ? 0.125f : NAN;
  c.half_height = c.shape >= CLOTH_SHAPE_CAPSULE ? 0.5f : careless(random);
  c.half_extents = c.shape == CLOTH_SHAPE_BOX ? vector_at(0.1, 0.2, 0.3) : careless_vector(random);
  return c;
}

static cloth_fabric careless_fabric(random_source *random) {
  cloth_fabric f = cloth_config_default().fabric;
  f.stretch_warp = fabsf(careless(random)) * 1000.0f;
  f.stretch_weft = fabsf(careless(random));
  f.shear = word_float(0x80000000u);
  f.bend = fabsf(careless(random));
  f.compression = fabsf(careless(random));
  f.shear_compression = fabsf(careless(random));
  f.stretch_damping = fabsf(careless(random)) * 0.125f;
  f.bend_damping = random_int(random, 0, 1) ? 1e-39f : word_float(0x80000000u);
  return f;
}

static int random_input_call(cloth *sheet, random_source *random, int particle) {
  cloth_vector v = careless_vector(random), w = careless_vector(random);
  cloth_fabric fabric;
  switch (random_int(random, 0, 11)) {
  case 0:
    return cloth_set_gravity(sheet, v);
  case 1:
    return cloth_set_wind(sheet, v);
  case 2:
    fabric = careless_fabric(random);
    return cloth_set_fabric(sheet, &fabric);
  case 3:
    return cloth_pin(sheet, particle);
  case 4:
    return cloth_set_pin_velocity(sheet, particle, v);
  case 5:
    return cloth_move_pin(sheet, particle, v);
  case 6:
    return cloth_confine_to_line(sheet, particle, v);
  case 7:
    return cloth_confine_to_plane(sheet, particle, v);
  case 8:
    return cloth_set_particle(sheet, particle, v, w);
  case 9:
    return cloth_apply_impulse(sheet, particle, vector_of(point_scaled(point_of(v), 1e-3)));
  default:
    return cloth_release(sheet, particle);
  }
}

static int random_collider_call(cloth *sheet, random_source *random, int index) {
  cloth_collider collider = careless_collider(random);
  cloth_pose from = careless_pose(random), to = careless_pose(random);
  switch (random_int(random, 0, 4)) {
  case 0:
  case 1:
    return cloth_add_collider(sheet, &collider);
  case 2:
    return cloth_set_collider(sheet, index, &collider);
  case 3:
    return cloth_move_collider(sheet, index, random_int(random, 0, 1) ? &from : NULL, &to);
  default:
    return cloth_remove_collider(sheet, index);
  }
}

static void random_call(fixture *s, random_source *random) {
  switch (random_int(random, 0, 4)) {
  case 0:
    cloth_step(s->sheet, random_int(random, 0, 1) ? FRAME : 1e-5f);
    break;
  case 1:
    random_collider_call(s->sheet, random, random_int(random, 0, 3));
    break;
  default:
    random_input_call(s->sheet, random, random_int(random, 0, s->count - 1));
  }
}

/* The first word of a state that is a float and not canonical, or 0. */
static size_t first_careless_word(const image_map *at, const unsigned char *image) {
  for (size_t word = HEADER_WORDS; word < at->first[REGION_COUNT]; word++) {
    if (is_float_word(at, word) && !is_canonical(get_word(image, word))) return word;
  }
  return 0;
}

/* After any call the state is canonical, and a cloth of the same config takes its image. What is wrong is told once. */
static void test_random_calls(void) {
  const named_config *v = &state_configs[tested_config_number];
  const uint64_t seed = 300 + (uint64_t)tested_config_number;
  cloth_config config = v->config();
  fixture s = fixture_make(&config), other = stranger(&config, 1);
  image_map at = map_of(&config);
  random_source random = {seed};
  unsigned char *image = copy_bytes(s.arena, s.memory.image_bytes);
  int careless_calls = 0, refused_calls = 0, result = CLOTH_OK;
  for (int call = 0; call < 2000; call++) {
    random_call(&s, &random);
    cloth_write_image(s.sheet, image, s.memory.image_bytes);
    size_t word = first_careless_word(&at, image);
    if (word != 0 && careless_calls++ == 0)
      CHECK(word == 0, "%s, call %d: region %d, word %d is 0x%08x", v->name, call, region_of(&at, word),
            (int)(word - at.first[region_of(&at, word)]), (unsigned)get_word(image, word));
    result = cloth_read_image(other.sheet, image, s.memory.image_bytes);
    if (result != CLOTH_OK && refused_calls++ == 0)
      CHECK(result == CLOTH_OK, "%s, call %d: image refused: %s", v->name, call, cloth_result_name(result));
    else if (result == CLOTH_OK)
      CHECK(same_state(&s, &other), "%s, call %d: image of another state", v->name, call);
  }
  CHECK(careless_calls == 0, "%s: a state not canonical after %d calls", v->name, careless_calls);
  CHECK(refused_calls == 0, "%s: an image refused after %d calls", v->name, refused_calls);
  CHECK(all_finite(s.sheet), "%s: not finite", v->name);
  free(image);
  fixture_free(&s);
  fixture_free(&other);
}

/// Histories ///

typedef struct pair {
  fixture a, b;
} pair;

/* The config of both cloths. */
static cloth_config (*history_config)(void) = plain_config;

static const char *history_name(int number) {
  static const char *const names[] = {"plain", "everything", "implicit"};
  return names[number];
}

static void select_history(int number) {
  cloth_config (*const configs[])(void) = {plain_config, full_config, implicit_config};
  history_config = configs[number];
}

static const test_cases three_configs = {0, 3, history_name, select_history};

static pair pair_make(void) {
  cloth_config config = history_config();
  pair p = {fixture_make(&config), stranger(&config, 2)};
  fixture_free(&p.b);
  p.b = fixture_make(&config);
  return p;
}

static void expect_same(pair *p, const char *what) {
  CHECK(hash_of(p->a.sheet) == hash_of(p->b.sheet) && same_state(&p->a, &p->b), "%s", what);
  run_steps(p->a.sheet, 2, FRAME);
  run_steps(p->b.sheet, 2, FRAME);
  CHECK(same_state(&p->a, &p->b), "%s, two frames later", what);
  fixture_free(&p->a);
  fixture_free(&p->b);
}

static void test_collider_histories(void) {
  cloth_collider ball = ball_collider(), box = box_collider(), capsule = capsule_collider(), again = ball_collider();
  pair p = pair_make();
  cloth_add_collider(p.a.sheet, &ball);
  cloth_add_collider(p.a.sheet, &capsule);
  cloth_remove_collider(p.a.sheet, 0);
  cloth_add_collider(p.b.sheet, &box);
  cloth_add_collider(p.b.sheet, &capsule);
  cloth_remove_collider(p.b.sheet, 0);
  expect_same(&p, "what a removed collider was");

  p = pair_make();
  for (int i = 0; i < 4; i++)
    cloth_add_collider(p.b.sheet, &box);
  for (int i = 0; i < 4; i++)
    cloth_remove_collider(p.b.sheet, (i * 3 + 1) % 4);
  expect_same(&p, "colliders that came and went");

  p = pair_make();
  cloth_add_collider(p.a.sheet, &ball);
  again.radius_top = 3.0f;
  again.half_height = NAN;
  again.half_extents = vector_at(-0.0, 1e-40, 7.0);
  again.pose.rotation.x = -0.0f;
  again.pose.position.x = word_float(0x80000001u);
  cloth_add_collider(p.b.sheet, &again);
  expect_same(&p, "unused dimensions and small values of a collider");

  p = pair_make();
  cloth_pose pose = {vector_at(1.0, 2.0, 3.0), {0.6f, 0.0f, 0.0f, 0.8f}};
  cloth_add_collider(p.a.sheet, &ball);
  cloth_add_collider(p.b.sheet, &capsule);
  cloth_move_collider(p.b.sheet, 0, NULL, &pose);
  cloth_set_collider(p.b.sheet, 0, &ball);
  expect_same(&p, "a collider that was another one and moved");

  p = pair_make();
  cloth_add_collider(p.a.sheet, &ball);
  cloth_add_collider(p.b.sheet, &ball);
  cloth_move_collider(p.b.sheet, 0, &pose, &pose);
  cloth_move_collider(p.b.sheet, 0, &ball.pose, &ball.pose);
  expect_same(&p, "a motion taken back");
}

static void test_particle_histories(void) {
  cloth_vector up = vector_at(0.0, 1.0, 0.0), slant = vector_at(1.0, 2.0, 0.0);
  pair p = pair_make();
  cloth_confine_to_line(p.a.sheet, 5, up);
  cloth_confine_to_plane(p.b.sheet, 3, slant);
  cloth_confine_to_line(p.b.sheet, 5, up);
  cloth_release(p.b.sheet, 3);
  expect_same(&p, "a confinement that came before and went");

  p = pair_make();
  cloth_confine_to_line(p.b.sheet, 3, up);
  cloth_confine_to_plane(p.b.sheet, 7, slant);
  cloth_pin(p.b.sheet, 7);
  cloth_confine_to_line(p.b.sheet, 8, slant);
  for (int i = 0; i < p.b.count; i++)
    cloth_release(p.b.sheet, i);
  expect_same(&p, "confined and pinned, and all released");

  p = pair_make();
  cloth_confine_to_plane(p.a.sheet, 6, slant);
  cloth_confine_to_line(p.b.sheet, 6, up);
  cloth_confine_to_plane(p.b.sheet, 6, slant);
  expect_same(&p, "a line that became a plane");

  p = pair_make();
  cloth_pin(p.a.sheet, 0);
  cloth_set_pin_velocity(p.a.sheet, 0, up);
  cloth_pin(p.b.sheet, 0);
  cloth_move_pin(p.b.sheet, 0, slant);
  cloth_set_pin_velocity(p.b.sheet, 0, up);
  expect_same(&p, "a target that became a velocity");

  p = pair_make();
  cloth_set_particle(p.a.sheet, 9, up, slant);
  cloth_set_particle(p.b.sheet, 9, slant, up);
  cloth_apply_impulse(p.b.sheet, 9, up);
  cloth_set_particle(p.b.sheet, 9, vector_at(-0.0, 1.0, 1e-40), vector_at(1.0, 2.0, -1e-12));
  expect_same(&p, "a particle set twice, with small values");
}

static void test_input_histories(void) {
  pair p = pair_make();
  cloth_fabric fabric = full_config().fabric, silk;
  cloth_fabric_preset(CLOTH_FABRIC_SILK, &silk);
  cloth_set_gravity(p.b.sheet, vector_at(1.0, 2.0, 3.0));
  cloth_set_wind(p.b.sheet, vector_at(3.0, 2.0, 1.0));
  cloth_set_fabric(p.b.sheet, &silk);
  cloth_set_gravity(p.b.sheet, vector_at(-0.0, -9.81, 1e-40));
  cloth_set_wind(p.b.sheet, vector_at(-0.0, 1e-12, -1e-42));
  cloth_set_fabric(p.b.sheet, &fabric);
  expect_same(&p, "inputs that were others");
}

/* A cloth that lay on a ball, and one that did not: with the ball gone and every particle put in its place, there is
   nothing left to tell them apart. */
static void test_contact_history(void) {
  cloth_config config = history_config();
  pair p = {fixture_make(&config), fixture_make(&config)};
  cloth_collider ball = ball_collider();
  cloth_add_collider(p.b.sheet, &ball);
  run_steps(p.b.sheet, 30, FRAME);
  cloth_remove_collider(p.b.sheet, 0);
  run_steps(p.a.sheet, 1, FRAME);
  run_steps(p.b.sheet, 1, FRAME);
  for (int i = 0; i < p.a.count; i++) {
    cloth_vector place = vector_at(0.25 * (i % 5), 0.5, 0.5 * (i / 5)), rest = vector_at(0.0, 0.0, 0.0);
    cloth_set_particle(p.a.sheet, i, place, rest);
    cloth_set_particle(p.b.sheet, i, place, rest);
  }
  expect_same(&p, "a contact that is over");
}

static const test tests[] = {
    TEST_EACH(every_config, random_calls),        TEST_EACH(three_configs, collider_histories),
    TEST_EACH(three_configs, particle_histories), TEST_EACH(three_configs, input_histories),
    TEST_EACH(three_configs, contact_history),
};

int main(int count, char **arguments) {
  fill_maps();
  return RUN_TESTS(count, arguments, tests);
}
